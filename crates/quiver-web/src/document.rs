//! Pages as documents.

use std::io::Cursor;

use quiver_documents::{
    Document,
    read::{ReadOptions, extension_of, read_stream},
};
use serde_json::{Map, Value};

use crate::{article::Article, fetch::Page};

/// Maximum number of a page's links that are stored with it, since each of its passages stores them.
const LINKS_MAX: usize = 24;

/// Reads a page as documents: one, unless it is a list of records. Their keys begin with the address of the page. An
/// HTML page is parsed, unless that was done before.
pub fn documents(
    page: Page,
    article: Option<Article>,
    options: &ReadOptions,
) -> Vec<Result<Document, String>> {
    let url = page.url.to_string();
    let Some(ending) = ending(&page) else {
        let what = if page.content_type.is_empty() { "(none)" } else { &page.content_type };
        return vec![Err(format!(
            "{url}: the content type {what} is not supported; omit the page, or save it as a file"
        ))];
    };
    let article = article.or_else(|| (ending == "html").then(|| Article::of(&page))).unwrap_or_default();
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
        "" => "html",
        "text/plain" | "application/octet-stream" => return named.or_else(|| Some("txt".to_owned())),
        other => extension_of(other).or_else(|| other.starts_with("text/").then_some("txt"))?,
    };
    Some(ending.to_owned())
}
