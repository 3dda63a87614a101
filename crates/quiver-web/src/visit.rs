//! Single pages, for programs that decide themselves what to fetch next.

use std::{
    collections::HashMap,
    future::Future,
    io,
    time::{Duration, Instant},
};

use reqwest::Url;
use tokio::time::timeout;

use crate::{
    fetch::{Fetcher, Known, Page, Reply},
    options::CrawlOptions,
    problem::FetchProblem,
    reach::Policy,
    robots::Robots,
};

/// What a [`Visitor`] found at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visited {
    /// The page.
    Page(Box<Page>),
    /// The page at this address, after all redirects, has not changed since it was last fetched.
    Unchanged(Url),
}

/// Fetches single pages, and keeps to the rules and pauses of their sites.
///
/// It must be used in a runtime of Tokio. A dropped future ends its request.
pub struct Visitor {
    sites: Sites,
    time_max: Duration,
}

impl Visitor {
    /// Creates a visitor. The options of links are ignored. The maximum time is that for a page together with its
    /// redirects, its `robots.txt` and the pauses that the site asks for.
    ///
    /// # Errors
    /// Fails if the system has no random numbers or no certificates.
    pub fn new(options: &CrawlOptions) -> io::Result<Self> {
        let sites = Sites::new(options).map_err(io::Error::other)?;
        Ok(Self { sites, time_max: options.time_max })
    }

    /// Fetches a page, following its redirects. `known` returns what is known about the page at an address; if it has
    /// not changed since, its content is not sent again.
    ///
    /// # Errors
    /// Fails if the page can't or must not be fetched.
    pub async fn fetch<F>(
        &mut self,
        url: &Url,
        known: impl FnMut(Url) -> F + Send,
    ) -> Result<Visited, FetchProblem>
    where
        F: Future<Output = Option<Known>> + Send,
    {
        let time_max = self.time_max;
        let fetched = timeout(time_max, self.follow(url, known)).await;
        fetched.unwrap_or_else(|_| Err(FetchProblem::new(url, "the server took too long", "try again later")))
    }

    async fn follow<F>(
        &mut self,
        url: &Url,
        mut known: impl FnMut(Url) -> F + Send,
    ) -> Result<Visited, FetchProblem>
    where
        F: Future<Output = Option<Known>> + Send,
    {
        let mut at = url.clone();
        at.set_fragment(None);
        for _ in 0..=Fetcher::redirects_max() {
            let before = known(at.clone()).await;
            match self.sites.get(&at, before.as_ref()).await? {
                Reply::Page(page) => return Ok(Visited::Page(Box::new(page))),
                Reply::Moved(target) => at = target,
                Reply::Gone(status) => return Err(FetchProblem::gone(&at, status)),
                Reply::Unchanged if before.is_some() => return Ok(Visited::Unchanged(at)),
                Reply::Unchanged => {
                    let what = "the server says that the page is unchanged, but it was never fetched";
                    return Err(FetchProblem::new(&at, what, "try again later"));
                }
            }
            at.set_fragment(None);
        }
        Err(FetchProblem::too_many_redirects(url))
    }
}

/// The sites asked so far, with their rules.
pub(crate) struct Sites {
    fetcher: Fetcher,
    robots: Robots,
    delay: Duration,
    /// When each site was last asked.
    asked: HashMap<String, Instant>,
}

impl Sites {
    pub(crate) fn new(options: &CrawlOptions) -> Result<Self, String> {
        Self::within(Policy::of(options.reach), options)
    }

    fn within(policy: Policy, options: &CrawlOptions) -> Result<Self, String> {
        let fetcher = Fetcher::new(policy, options.time_max, options.bytes_max)?;
        Ok(Self { fetcher, robots: Robots::default(), delay: options.delay, asked: HashMap::new() })
    }

    /// Requests a page, if its site allows that, after the pause that the site asks for.
    pub(crate) async fn get(&mut self, url: &Url, known: Option<&Known>) -> Result<Reply, FetchProblem> {
        self.fetcher.check(url)?;
        let rules = self.robots.of(&self.fetcher, url).await;
        rules.check(url)?;
        let delay = rules.delay();
        self.wait(url, delay).await;
        self.fetcher.get(url, known).await
    }

    /// Waits between two requests to a site.
    async fn wait(&mut self, url: &Url, delay: Option<Duration>) {
        let site = url.origin().ascii_serialization();
        let delay = delay.unwrap_or_default().max(self.delay);
        if let Some(last) = self.asked.get(&site) {
            tokio::time::sleep(delay.saturating_sub(last.elapsed())).await;
        }
        self.asked.insert(site, Instant::now());
    }
}

#[cfg(test)]
mod tests;
