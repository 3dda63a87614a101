//! Fetches pages from the web, and extracts their main part.
//!
//! The principal type is [`Crawl`], an iterator over named pages and those they link to. [`Article`] is the main part
//! of an HTML page with its title, its date and its links. This crate knows nothing of documents or databases.
//!
//! A crawl fetches one page at a time, on a thread of its own, and respects `robots.txt`.

mod article;
mod crawl;
mod fetch;
mod robots;

pub use article::Article;
pub use crawl::{Crawl, CrawlOptions, Fetched};
pub use fetch::{FetchProblem, Known, Page};
pub use reqwest::Url;

/// The user agent.
pub const AGENT: &str = concat!("quiver/", env!("CARGO_PKG_VERSION"));
