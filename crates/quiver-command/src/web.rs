//! Web pages that are ingested by address.

use std::{
    collections::{HashMap, VecDeque},
    io::Cursor,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Result;
use quiver::{
    Document, Quiver,
    read::{ReadOptions, read_stream},
};
use quiver_web::{Article, Crawl, CrawlOptions, Fetched, Known, Page, Url};
use serde_json::{Map, Value};

/// Maximum number of a page's links that are stored with it, since each of its passages stores them.
const LINKS_MAX: usize = 24;

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
        let field = |name: &str| passage.metadata.get(name).and_then(Value::as_str).map(str::to_owned);
        let url = field("url").unwrap_or_else(|| document.key.clone());
        known.insert(url, Known { etag: field("etag"), last_modified: field("last_modified") });
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

/// Returns the documents of a page: one, unless it is a list of records.
fn documents(page: Page, article: Option<Article>, options: &ReadOptions) -> Vec<Result<Document, String>> {
    let url = page.url.to_string();
    let article = article.unwrap_or_default();
    let Some(ending) = ending(&page) else {
        let what = if page.content_type.is_empty() { "(none)" } else { &page.content_type };
        return vec![Err(format!(
            "{url}: the content type {what} is not supported; omit the page, or save it as a file"
        ))];
    };
    let bytes = if ending == "html" { article.html.into_bytes() } else { page.bytes };
    let mut metadata = Map::from_iter([("url".to_owned(), Value::from(url.as_str()))]);
    let validators = [("etag", page.etag), ("last_modified", page.last_modified)];
    metadata
        .extend(validators.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))));
    let links: Vec<Value> = article.links.iter().take(LINKS_MAX).map(|link| link.as_str().into()).collect();
    if !links.is_empty() {
        metadata.insert("links".to_owned(), links.into());
    }
    let read = read_stream(&url, Some(&ending), Cursor::new(bytes), options);
    let complete = |mut document: Document| {
        document.title = article.title.clone().or(document.title);
        document.time = document.time.or(article.time);
        document.metadata.extend(metadata.clone());
        document
    };
    read.map(|document| document.map(complete).map_err(|problem| problem.to_string())).collect()
}

/// Returns a file extension for the content of a page; `None` if it is not text.
fn ending(page: &Page) -> Option<String> {
    let name = page.url.path().rsplit('/').next().unwrap_or_default();
    let named = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    let ending = match page.content_type.as_str() {
        "" | "text/html" | "application/xhtml+xml" => "html",
        "text/markdown" => "md",
        "text/csv" => "csv",
        "application/json" => "json",
        "application/x-ndjson" | "application/jsonl" => "jsonl",
        "application/pdf" => "pdf",
        "application/epub+zip" => "epub",
        "application/vnd.oasis.opendocument.spreadsheet" => "ods",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        "text/plain" | "application/octet-stream" => return named.or_else(|| Some("txt".to_owned())),
        other if other.starts_with("text/") => "txt",
        _ => return None,
    };
    Some(ending.to_owned())
}
