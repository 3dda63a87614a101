//! Web pages that are ingested by address.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Result;
use quiver::{Document, Quiver, read::ReadOptions};
use quiver_web::{Crawl, CrawlOptions, Fetched, Known, Url, documents};
use serde_json::Value;

/// Whether an argument is a web address.
pub(crate) fn is_address(argument: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| argument.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

/// Returns what is known about the pages ingested before, by address.
pub(crate) async fn known(quiver: &Quiver) -> Result<HashMap<String, Known>> {
    let mut known = HashMap::new();
    for document in quiver.documents().await?.into_iter().filter(|document| is_address(&document.key)) {
        let Some(passage) = quiver.passages_of(&document.key).await?.into_iter().next() else { continue };
        let url = passage.metadata.get("url").and_then(Value::as_str).unwrap_or(&document.key);
        known.insert(url.to_owned(), Known::of(&passage.metadata));
    }
    Ok(known)
}

/// What happened to pages that yield no documents.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Number of unchanged pages.
    pub(crate) unchanged: usize,
    /// The addresses of pages that no longer exist.
    pub(crate) gone: Vec<String>,
}

/// The documents of pages as they are fetched.
pub(crate) struct Pages {
    crawl: Crawl,
    options: ReadOptions,
    waiting: VecDeque<Result<Document, String>>,
    outcome: Arc<Mutex<Outcome>>,
    prunes: bool,
}

impl Pages {
    /// Starts to fetch. An invalid address is a problem.
    pub(crate) fn fetch(
        addresses: &[String],
        known: HashMap<String, Known>,
        crawl: CrawlOptions,
        read: &ReadOptions,
        prunes: bool,
        outcome: &Arc<Mutex<Outcome>>,
    ) -> Self {
        let (mut urls, mut waiting) = (Vec::new(), VecDeque::new());
        for address in addresses {
            match Url::parse(address) {
                Ok(url) if url.has_host() => urls.push(url),
                Ok(_) => waiting.push_back(Err(format!("{address}: the address has no host; correct it"))),
                Err(error) => {
                    waiting.push_back(Err(format!(
                        "{address}: not a valid address: {error}; write it like https://example.org/page"
                    )));
                }
            }
        }
        let options = ReadOptions { source: None, ..read.clone() };
        let crawl = Crawl::start(urls, known, crawl);
        Self { crawl, options, waiting, outcome: Arc::clone(outcome), prunes }
    }
}

impl Iterator for Pages {
    type Item = Result<Document, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(next) = self.waiting.pop_front() {
                return Some(next);
            }
            let fetched = self.crawl.next()?;
            let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
            match fetched {
                Fetched::Page(page, article) => {
                    drop(outcome);
                    self.waiting.extend(documents(*page, article.map(|article| *article), &self.options));
                }
                Fetched::Unchanged(_) => outcome.unchanged += 1,
                Fetched::Gone(url) => {
                    outcome.gone.push(url.to_string());
                    if !self.prunes {
                        let mend = "--prune deletes its document";
                        return Some(Err(format!("{url}: the page no longer exists; {mend}")));
                    }
                }
                Fetched::Problem(problem) => return Some(Err(problem.to_string())),
            }
        }
    }
}
