//! Which pages to fetch, and how.

use std::time::Duration;

use crate::reach::Reach;

/// Which pages to fetch, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlOptions {
    /// Maximum number of links between a named page and a fetched one. Default 0: only named pages are fetched.
    pub depth_max: usize,
    /// Maximum number of pages. Default 100.
    pub pages_max: usize,
    /// Whether to fetch only pages on the hosts of the named pages. Default: no.
    pub same_host: bool,
    /// Maximum time for a page. Default 30 s.
    pub time_max: Duration,
    /// Maximum size of a page in bytes. Default 32 MiB.
    pub bytes_max: usize,
    /// Minimum pause between two requests to a site, unless its `robots.txt` asks for a longer one. Default 200 ms.
    pub delay: Duration,
    /// Which addresses may be requested, by the crawl itself, redirects, sitemaps and `robots.txt`. Default: all.
    pub reach: Reach,
}

impl Default for CrawlOptions {
    fn default() -> Self {
        Self {
            depth_max: 0,
            pages_max: 100,
            same_host: false,
            time_max: Duration::from_secs(30),
            bytes_max: 32 << 20,
            delay: Duration::from_millis(200),
            reach: Reach::default(),
        }
    }
}
