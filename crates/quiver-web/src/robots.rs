//! What sites allow to be fetched.

use std::{collections::HashMap, time::Duration};

use reqwest::Url;
use texting_robots::Robot;

use crate::{
    fetch::{Fetcher, Reply},
    problem::{FetchProblem, FetchProblemKind},
};

/// The name by which `robots.txt` refers to this crawler.
const NAME: &str = "quiver";
/// Maximum number of bytes read from a `robots.txt`.
const BYTES_MAX: usize = 500 << 10;
/// Longest requested delay that is respected.
const DELAY_MAX: Duration = Duration::from_secs(10);

/// The rules of each site asked so far.
#[derive(Default)]
pub(crate) struct Robots {
    sites: HashMap<String, Rules>,
}

/// The rules of a site.
pub(crate) enum Rules {
    /// There is no `robots.txt`.
    None,
    Some(Box<Robot>),
    /// The site failed to answer, so nothing is allowed.
    Unknown,
    /// The site may not be asked, or redirects to one that may not.
    Refused(Box<FetchProblem>),
}

impl Rules {
    /// Checks that a page may be fetched.
    pub(crate) fn check(&self, url: &Url) -> Result<(), FetchProblem> {
        let is_allowed = match self {
            Self::None => true,
            Self::Some(robot) => robot.allowed(url.as_str()),
            Self::Unknown => false,
            Self::Refused(problem) => {
                let problem = FetchProblem::clone(problem);
                let is_own = problem.url.origin() == url.origin();
                return Err(if is_own {
                    FetchProblem { url: Box::new(url.clone()), ..problem }
                } else {
                    problem
                });
            }
        };
        if is_allowed {
            return Ok(());
        }
        let (what, mend) = match self {
            Self::Unknown => (
                "the site can't be reached, or failed to answer for its robots.txt, so nothing is fetched from it",
                "check the address, or try again later",
            ),
            _ => ("the site's robots.txt does not allow it", "save the page and read the file"),
        };
        let problem = FetchProblem::new(url, what, mend);
        Err(FetchProblem { kind: FetchProblemKind::Robots, ..problem })
    }

    /// Returns the pause that the site asks for between two requests.
    pub(crate) fn delay(&self) -> Option<Duration> {
        let Self::Some(robot) = self else { return None };
        let delay = Duration::try_from_secs_f32(robot.delay?).ok()?;
        Some(delay.min(DELAY_MAX))
    }
}

impl Robots {
    /// Returns the rules of the site that an address belongs to.
    pub(crate) async fn of(&mut self, fetcher: &Fetcher, url: &Url) -> &Rules {
        let site = url.origin().ascii_serialization();
        if !self.sites.contains_key(&site) {
            let rules = ask(fetcher, url).await;
            self.sites.insert(site.clone(), rules);
        }
        self.sites.get(&site).unwrap_or(&Rules::Unknown)
    }
}

async fn ask(fetcher: &Fetcher, url: &Url) -> Rules {
    let Ok(mut at) = url.join("/robots.txt") else { return Rules::Unknown };
    for _ in 0..=Fetcher::redirects_max() {
        match fetcher.get(&at, None).await {
            Ok(Reply::Page(page)) => {
                let bytes = &page.bytes[..page.bytes.len().min(BYTES_MAX)];
                return Robot::new(NAME, bytes).map_or(Rules::None, |robot| Rules::Some(Box::new(robot)));
            }
            Ok(Reply::Moved(target)) => at = target,
            Ok(Reply::Gone(_) | Reply::Unchanged) => return Rules::None,
            // A site that refuses access to its robots.txt forbids nothing by that.
            Err(problem) if problem.what.contains("returned 4") => return Rules::None,
            Err(problem) if problem.kind == FetchProblemKind::Refused => {
                return Rules::Refused(Box::new(problem));
            }
            Err(_) => return Rules::Unknown,
        }
    }
    Rules::None
}
