//! Fetches pages from the web, and finds what each says of itself.
//!
//! [`Crawl`] is the principal type: an iterator over pages that are named, or that those link to. [`Article`] is the main
//! part of an HTML page with its title, its date and its links. Nothing here knows documents or databases.
//!
//! A crawl fetches one page at a time, on a thread of its own, and keeps to `robots.txt`.

mod article;
mod crawl;
mod fetch;
mod robots;

pub use article::Article;
pub use crawl::{Crawl, CrawlOptions, Fetched};
pub use fetch::{FetchProblem, Known, Page};
pub use reqwest::Url;

/// How requests name themselves.
pub const AGENT: &str = concat!("quiver/", env!("CARGO_PKG_VERSION"));
