//! Fetches pages from the web, and extracts their main part.
//!
//! The principal type is [`Crawl`], an iterator over named pages and those they link to. A [`Visitor`] fetches single
//! pages instead. [`Article`] is the main part of an HTML page with its title, its date and its links, and [`documents`]
//! reads a page of any format as documents. This crate knows nothing of databases.
//!
//! A crawl fetches one page at a time, on a thread of its own, and respects `robots.txt`. [`Reach`] says which addresses
//! requests may reach.

mod problem;
mod reach;
mod options;
mod fetch;
mod article;
mod robots;
mod visit;
mod crawl;
mod document;

pub use article::Article;
pub use crawl::{Crawl, Fetched};
pub use document::documents;
pub use fetch::{Known, Page};
pub use options::CrawlOptions;
pub use problem::{FetchProblem, FetchProblemKind};
pub use reach::Reach;
pub use reqwest::Url;
pub use visit::{Visited, Visitor};

/// The user agent.
pub const AGENT: &str = concat!("quiver/", env!("CARGO_PKG_VERSION"));
