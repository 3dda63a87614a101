//! Pages one after the other, following their links.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    net::IpAddr,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use reqwest::Url;

use crate::{
    article::{Article, sitemap},
    fetch::{Fetcher, Known, Page, Reply},
    options::CrawlOptions,
    problem::{FetchProblem, FetchProblemKind},
    visit::Sites,
};

/// Number of pages that may wait for the caller.
const AHEAD: usize = 4;

/// The result of fetching a page.
#[derive(Clone, Debug)]
pub enum Fetched {
    /// It was fetched.
    Page(Box<Page>, Option<Box<Article>>),
    /// It has not changed since it was last fetched.
    Unchanged(Url),
    /// The server no longer has the page, which was fetched before.
    Gone(Url),
    /// It was named or linked to, and could not be fetched.
    Problem(FetchProblem),
}

/// Pages as they are fetched, one after the other.
pub struct Crawl {
    receiver: Receiver<Fetched>,
}

impl Crawl {
    /// Starts to fetch. `known` maps addresses to pages fetched before. If links are followed at all, those on the
    /// hosts of the named pages are requested again.
    pub fn start(named: Vec<Url>, known: HashMap<String, Known>, options: CrawlOptions) -> Self {
        let (sender, receiver) = sync_channel(AHEAD);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let sites = Sites::new(&options);
            let problem = |what: String| {
                let problem = named.first().map(|url| FetchProblem::new(url, what, "check the system"));
                problem.into_iter().for_each(|problem| drop(sender.send(Fetched::Problem(problem))));
            };
            match (runtime, sites) {
                (Ok(runtime), Ok(sites)) => {
                    let mut walk = Walk::new(&named, known, options, sites, sender);
                    runtime.block_on(walk.run());
                }
                (Err(error), _) => problem(error.to_string()),
                (_, Err(what)) => problem(what),
            }
        });
        Self { receiver }
    }
}

impl Iterator for Crawl {
    type Item = Fetched;

    fn next(&mut self) -> Option<Fetched> {
        self.receiver.recv().ok()
    }
}

/// The caller has dropped the crawl.
struct Left;

struct Walk {
    options: CrawlOptions,
    sites: Sites,
    sender: SyncSender<Fetched>,
    known: HashMap<String, Known>,
    hosts: HashSet<String>,
    queue: VecDeque<(Url, usize)>,
    seen: HashSet<String>,
}

impl Walk {
    fn new(
        named: &[Url],
        known: HashMap<String, Known>,
        options: CrawlOptions,
        sites: Sites,
        sender: SyncSender<Fetched>,
    ) -> Self {
        let hosts = named.iter().filter_map(|url| url.host_str().map(str::to_owned)).collect();
        let mut walk =
            Self { options, sites, sender, known, hosts, queue: VecDeque::new(), seen: HashSet::new() };
        for url in named {
            walk.add(url.clone(), 0);
        }
        if walk.options.depth_max > 0 {
            let mut before: Vec<Url> = walk.known.keys().filter_map(|url| Url::parse(url).ok()).collect();
            before.retain(|url| url.host_str().is_some_and(|host| walk.hosts.contains(host)));
            before.sort();
            for url in before {
                walk.add(url, 1);
            }
        }
        walk
    }

    fn add(&mut self, mut url: Url, depth: usize) {
        url.set_fragment(None);
        if matches!(url.scheme(), "http" | "https") && self.seen.insert(url.as_str().to_owned()) {
            self.queue.push_back((url, depth));
        }
    }

    async fn run(&mut self) {
        let mut fetched = 0;
        while let Some((url, depth)) = self.queue.pop_front() {
            if fetched >= self.options.pages_max {
                return;
            }
            fetched += 1;
            if self.visit(url, depth).await.is_err() {
                return;
            }
        }
    }

    fn send(&self, fetched: Fetched) -> Result<(), Left> {
        self.sender.send(fetched).map_err(|_| Left)
    }

    /// Fetches a page, following its redirects.
    async fn visit(&mut self, url: Url, depth: usize) -> Result<(), Left> {
        let mut at = url.clone();
        for _ in 0..=Fetcher::redirects_max() {
            match self.sites.get(&at, self.known.get(at.as_str())).await {
                // Nobody asked for pages that are only linked to.
                Err(problem) if problem.kind == FetchProblemKind::Robots && depth > 0 => return Ok(()),
                Err(problem) => return self.send(Fetched::Problem(problem)),
                Ok(Reply::Unchanged) => return self.send(Fetched::Unchanged(at)),
                Ok(Reply::Gone(_)) if self.known.contains_key(at.as_str()) => {
                    return self.send(Fetched::Gone(at));
                }
                Ok(Reply::Gone(status)) => {
                    return self.send(Fetched::Problem(FetchProblem::gone(&at, status)));
                }
                Ok(Reply::Moved(target)) => {
                    let mut target = target;
                    target.set_fragment(None);
                    let is_new = self.seen.insert(target.as_str().to_owned());
                    if !is_new && target != at || depth > 0 && !self.may_follow(&target) {
                        return Ok(());
                    }
                    at = target;
                }
                Ok(Reply::Page(page)) => return self.take(page, depth),
            }
        }
        self.send(Fetched::Problem(FetchProblem::too_many_redirects(&url)))
    }

    fn take(&mut self, page: Page, depth: usize) -> Result<(), Left> {
        let follows = depth < self.options.depth_max;
        let is_html = matches!(page.content_type.as_str(), "text/html" | "application/xhtml+xml" | "");
        if follows && page.content_type.ends_with("xml") && !is_html {
            let links = sitemap(&page);
            if !links.is_empty() {
                // A sitemap is not a page; what it lists is one link away from whoever named it.
                links.into_iter().for_each(|link| self.follow(link, depth + 1));
                return Ok(());
            }
        }
        if !is_html {
            return self.send(Fetched::Page(Box::new(page), None));
        }
        let article = Article::of(&page);
        if follows && !article.is_nofollow {
            article.links.iter().for_each(|link| self.follow(link.clone(), depth + 1));
        }
        if depth > 0 && article.is_noindex {
            return Ok(());
        }
        self.send(Fetched::Page(Box::new(page), Some(Box::new(article))))
    }

    fn follow(&mut self, link: Url, depth: usize) {
        if self.may_follow(&link) && !is_media(&link) {
            self.add(link, depth);
        }
    }

    /// Whether a link leads to a host that the caller named, or at least not to one that only this machine can reach.
    fn may_follow(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        self.hosts.contains(host) || !self.options.same_host && !is_local(host)
    }
}

/// Whether a host belongs, by its name, to this machine or its network.
fn is_local(host: &str) -> bool {
    let literal = host.trim_matches(['[', ']']);
    match literal.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || address.is_unspecified()
        }
        Ok(IpAddr::V6(address)) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || address.is_unicast_link_local()
                || address.to_ipv4_mapped().is_some()
        }
        Err(_) => {
            let host = host.trim_end_matches('.');
            host == "localhost"
                || [".localhost", ".local", ".internal"].iter().any(|end| host.ends_with(end))
                || !host.contains('.')
        }
    }
}

/// Whether an address has the extension of a picture, sound, archive or program.
fn is_media(url: &Url) -> bool {
    const ENDINGS: &[&str] = &[
        "png", "jpg", "jpeg", "gif", "webp", "svg", "ico", "bmp", "avif", "mp3", "mp4", "m4a", "webm", "ogg",
        "wav", "mov", "avi", "zip", "gz", "tgz", "bz2", "xz", "7z", "rar", "jar", "whl", "deb", "rpm", "dmg",
        "exe", "msi", "iso", "css", "js", "mjs", "map", "woff", "woff2", "ttf", "otf", "wasm",
    ];
    let ending =
        url.path().rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.contains(&ending.to_lowercase().as_str()))
}
