//! Documents.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use quiver::{
    Document, IngestOptions, Receipt,
    document::Format,
    graph::{Passage, PassageId},
    memory::count_tokens,
    read::{LeftOut, extension_of},
};
use quiver_forms::{
    Deleted, Ingested, Listed,
    agent::{Opened, fitting},
    request::Part,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    app::App,
    body::{Added, Asked, Reply, Whole, limit_of, text},
    files::{self, File},
    forget::no_document,
    gate::Caller,
    pages,
    problem::{Code, Problem},
};

/// The media types of a document that is sent by itself.
pub(super) const TYPES: &[&str] = &[
    "text/plain",
    "text/markdown",
    "text/html",
    "text/csv",
    "application/pdf",
    "application/epub+zip",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
];

/// Default number of tokens read from a document.
const TOKENS: usize = 1500;

/// The range of a document to read.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenQuery {
    /// The passage to start from: `next` of the previous reply.
    #[serde(default)]
    from: Option<String>,
    /// The maximum number of tokens of the text. The first passage is returned whole even if it is longer.
    /// Default: 1500.
    #[serde(default)]
    tokens: Option<usize>,
}

/// The options of an ingest.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IngestQuery {
    /// Also returns the IDs of the entities and relations, so that several requests can be counted together.
    #[serde(default)]
    ids: bool,
}

/// The key of a document, from the URL.
pub(super) struct Key(String);

impl<S: Sync + Send> FromRequestParts<S> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(key) = path.map_err(|error| Problem::at("key", error.body_text()))?;
        if key.trim().is_empty() {
            return Err(Problem::at("key", "must not be blank"));
        }
        Ok(Self(key))
    }
}

/// Stops an ingest once the prepared batches are written when its client disconnects.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) async fn ingest(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<IngestQuery>,
    added: Added,
) -> Result<Reply<Ingested>, Problem> {
    let fetched = match added {
        Added::Given(given) => pages::documents(&app, &caller, given.read()?).await?,
        Added::Files(files) => {
            pages::Fetched { documents: files::read(&app, files).await?, ..pages::Fetched::default() }
        }
    };
    let mut receipt = add(&app, &caller, fetched.documents).await?;
    receipt.documents_unchanged += fetched.unchanged;
    let ingested = form(&receipt);
    Ok(Reply(if asked.ids { ingested.with_ids(&receipt) } else { ingested }))
}

fn form(receipt: &Receipt) -> Ingested {
    Ingested::of(receipt, &[], &LeftOut::default(), &[])
}

pub(super) async fn put(
    State(app): State<App>,
    caller: Caller,
    Key(key): Key,
    Whole { content, kind }: Whole,
) -> Result<Reply<Ingested>, Problem> {
    let of_text = |format: Format| {
        let document =
            Document { key: key.clone(), text: text(content.clone())?, format, ..Document::default() };
        Ok::<_, Problem>(vec![document])
    };
    let documents = match kind.as_str() {
        "text/plain" => of_text(Format::Plain)?,
        "text/markdown" => of_text(Format::Markdown)?,
        _ if extension_of(&kind).is_some() => {
            files::read(&app, vec![File { name: key, kind, content }]).await?
        }
        _ => {
            let detail = "send `Content-Type: text/plain`, `text/markdown`, or the type of a file such as \
                          `application/pdf`";
            return Err(Problem::new(Code::UnsupportedMediaType, detail).with_place("Content-Type"));
        }
    };
    Ok(Reply(form(&add(&app, &caller, documents).await?)))
}

async fn add(app: &App, caller: &Caller, documents: Vec<Document>) -> Result<Receipt, Problem> {
    let place = app.place(&caller.workspace).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(Arc::clone(&stop));
    let work = async move {
        let options = IngestOptions { stop: Some(stop), ..IngestOptions::default() };
        let receipt = place.quiver.ingest(documents).options(options).await?;
        // Building the index does not pay for less; the next larger ingest does it.
        if receipt.passages_written >= IngestOptions::default().passages_per_batch {
            place.quiver.build_index(&|_| {}).await?;
        }
        Ok(receipt)
    };
    app.write(work).await
}

pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    Asked(part): Asked<Part>,
) -> Result<Reply<Listed>, Problem> {
    let limit = limit_of(part.limit, 100, 1000)?;
    let place = app.place(&caller.workspace).await?;
    let filter = part.filter.read("filter")?;
    let work = async move {
        let (documents, unfinished) =
            (place.quiver.documents_where(&filter).await?, place.quiver.unfinished_documents().await?);
        Ok(Listed::part(&documents, unfinished, part.after.as_deref(), limit))
    };
    Ok(Reply(app.read(work).await?))
}

pub(super) async fn open(
    State(app): State<App>,
    caller: Caller,
    Key(key): Key,
    Asked(asked): Asked<OpenQuery>,
) -> Result<Reply<Opened>, Problem> {
    let not_there =
        || Problem::at("from", "the document has no such passage; give `next` of the previous reply");
    let from = match &asked.from {
        Some(from) => Some(from.parse::<PassageId>().map_err(|_| not_there())?),
        None => None,
    };
    let place = app.place(&caller.workspace).await?;
    let document = key.clone();
    let passages = app.read(async move { Ok(place.quiver.passages_of(&document).await?) }).await?;
    if passages.is_empty() {
        return Err(no_document(&key));
    }
    let begin = match from {
        Some(id) => passages.iter().position(|passage| passage.id == id).ok_or_else(not_there)?,
        None => 0,
    };
    Ok(Reply(opened(&passages[begin..], asked.tokens.unwrap_or(TOKENS))))
}

/// Returns as many of the first passages as fit.
fn opened(passages: &[Passage], tokens: usize) -> Opened {
    let count = fitting(passages.iter().map(|passage| count_tokens(&passage.text)), tokens);
    let text: Vec<&str> = passages[..count].iter().map(|passage| passage.text.as_str()).collect();
    Opened {
        document: passages[0].document.clone(),
        title: passages[0].title.clone(),
        text: text.join("\n\n"),
        next: passages.get(count).map(|passage| passage.id.to_string()),
    }
}

pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Key(key): Key,
) -> Result<Reply<Deleted>, Problem> {
    let place = app.place(&caller.workspace).await?;
    let removed = app.erase(async move { Ok(quiver_tools::delete(&place.quiver, &key).await?) }).await?;
    Ok(Reply(Deleted { documents: 1, missing: Vec::new(), removed: removed.into() }))
}
