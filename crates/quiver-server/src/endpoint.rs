//! The endpoints: one table, from which the router and the description are generated.

mod administer;
mod command;
mod decisions;
mod documents;
mod embeddings;
mod jobs;
mod mcp;
mod memory;
mod openai;
mod operate;
mod page;
mod query;
mod question;
mod things;

use axum::{
    Router,
    handler::Handler,
    http::Method,
    middleware,
    routing::{MethodFilter, MethodRouter, on},
};
use quiver_forms::{
    Answered, Compacted, Counted, Deleted, Imported, Ingested, Listed, Queried, Searched, Verified,
    Versioned, Workspaces, agent, chat, context, job, memory as forms, request,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{
    app::App,
    gate::{Access, Gate, gate},
    keys::Role,
};

/// Generates the schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The body of a request or reply.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// No body.
    None,
    /// JSON of a form.
    Json(SchemaOf),
    /// Text of these types.
    Text(&'static [&'static str]),
    /// JSON of a form, or files as `multipart/form-data`.
    JsonOrFiles(SchemaOf),
}

/// A method of a path.
pub(crate) struct Endpoint {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) summary: &'static str,
    /// The form of the parameters in the query string.
    pub(crate) query: Option<SchemaOf>,
    pub(crate) takes: Content,
    pub(crate) gives: Content,
    /// The status of a successful reply.
    pub(crate) status: u16,
    handler: MethodRouter<App>,
}

impl Endpoint {
    fn new<H, T>(method: Method, path: &'static str, access: Access, handler: H) -> Self
    where
        H: Handler<T, App>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(method.clone()).expect("a method that routers know");
        Self {
            method,
            path,
            access,
            summary: "",
            query: None,
            takes: Content::None,
            gives: Content::None,
            status: 200,
            handler: on(filter, handler),
        }
    }

    fn get<H: Handler<T, App>, T: 'static>(path: &'static str, access: Access, handler: H) -> Self {
        Self::new(Method::GET, path, access, handler)
    }

    fn post<H: Handler<T, App>, T: 'static>(path: &'static str, access: Access, handler: H) -> Self {
        Self::new(Method::POST, path, access, handler)
    }

    fn asks<T: JsonSchema>(self) -> Self {
        Self { query: Some(schema_of::<T>), ..self }
    }

    fn takes<T: JsonSchema>(self) -> Self {
        Self { takes: Content::Json(schema_of::<T>), ..self }
    }

    fn takes_files_or<T: JsonSchema>(self) -> Self {
        Self { takes: Content::JsonOrFiles(schema_of::<T>), ..self }
    }

    fn takes_text(self, types: &'static [&'static str]) -> Self {
        Self { takes: Content::Text(types), ..self }
    }

    fn gives<T: JsonSchema>(self) -> Self {
        Self { gives: Content::Json(schema_of::<Versioned<T>>), ..self }
    }

    /// Sets a reply form of another API, without our version.
    fn gives_bare<T: JsonSchema>(self) -> Self {
        Self { gives: Content::Json(schema_of::<T>), ..self }
    }

    fn gives_text(self, types: &'static [&'static str]) -> Self {
        Self { gives: Content::Text(types), ..self }
    }

    /// Marks that the work continues after the reply.
    fn accepts(self) -> Self {
        Self { status: 202, ..self }
    }

    fn says(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Returns the name of the operation, which is the same in every version.
    pub(crate) fn operation(&self) -> String {
        let path = self.path.trim_start_matches("/v1/").trim_matches('/');
        let words: Vec<&str> = path.split(['/', '.']).filter(|word| !word.starts_with('{')).collect();
        let one = if self.path.ends_with('}') { "_one" } else { "" };
        format!("{}_{}{one}", self.method.as_str().to_ascii_lowercase(), words.join("_"))
    }
}

const OPEN: Access = Access::Open;
const READ: Access = Access::Role(Role::Read);
const WRITE: Access = Access::Role(Role::Write);
const ADMIN: Access = Access::Role(Role::Admin);

/// Returns all endpoints.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    let mut all = vec![
        Endpoint::post("/v1/ask", READ, question::ask)
            .takes::<request::Ask>()
            .gives::<Answered>()
            .says("Answers a question from the documents and cites the sentence that contains the answer. If there is no answer, says so and returns the most relevant passages."),
        Endpoint::post("/v1/ask/stream", READ, question::ask_stream)
            .takes::<request::Ask>()
            .gives_text(&["text/event-stream"])
            .says("Answers a question as `/v1/ask` does, with server-sent events: `step` after each stage, `hop` after each hop through the graph, `sentence` for each sentence of the answer, and finally `answer` or `error`."),
        Endpoint::post("/v1/search", READ, question::search)
            .asks::<question::SearchQuery>()
            .takes::<request::Ask>()
            .gives::<Searched>()
            .says("Finds the passages that an answer would be based on, best first. `from` continues with further ones."),
        Endpoint::post("/v1/context", READ, question::context)
            .takes::<agent::ContextParameters>()
            .gives::<context::Packed>()
            .says("Collects what an assistant should know to answer a question, within a token budget: facts, paths, turns and passages."),
        Endpoint::post("/v1/query", READ, query::query)
            .takes::<request::Query>()
            .gives::<Queried>()
            .says("Runs a read-only Cypher query. Optionally returns the relations that prove each row, or the query plan. Explains an empty result."),
        Endpoint::post("/v1/chat", WRITE, question::chat)
            .takes::<request::Chat>()
            .gives::<chat::Replied>()
            .says("Answers a question in a conversation, or asks a clarifying question if a name is ambiguous, and stores the turn."),
        Endpoint::post("/v1/chat/stream", WRITE, question::chat_stream)
            .takes::<request::Chat>()
            .gives_text(&["text/event-stream"])
            .says("Answers as `/v1/chat` does, with the events of `/v1/ask/stream`; the last one is `reply`."),
        Endpoint::post("/v1/chat/completions", READ, openai::complete)
            .takes::<openai::Completion>()
            .gives_bare::<openai::Completed>()
            .says("Answers the last question of a conversation in the format of the OpenAI API, with citations as annotations. The header `Quiver-Session` names a conversation to store."),
        Endpoint::post("/v1/embeddings", READ, embeddings::embed)
            .takes::<embeddings::Embed>()
            .gives_bare::<embeddings::Embeddings>()
            .says("Embeds texts with the server's embedder, in the format of the OpenAI API. A server that searches by words alone has no embedder."),
        Endpoint::get("/v1/models", READ, openai::models)
            .gives_bare::<openai::Models>()
            .says("Lists the only model, for clients of the OpenAI API."),
        Endpoint::post("/mcp", READ, mcp::post)
            .asks::<mcp::McpQuery>()
            .takes::<serde_json::Value>()
            .gives_bare::<serde_json::Value>()
            .says("The tools of `quiver mcp` for agents, by the Model Context Protocol (streamable HTTP without sessions). A message without a reply returns 202. A tool that writes requires a key with the role `write`."),
    ];
    all.extend(endpoints_of_memory());
    all.extend(endpoints_of_documents());
    all.extend(endpoints_of_jobs());
    all.extend(endpoints_of_administration());
    all
}

fn endpoints_of_memory() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/v1/recall", READ, memory::recall)
            .takes::<agent::RecallParameters>()
            .gives::<forms::Recalled>()
            .says("Recalls what was said, and what holds now or held at a given moment."),
        Endpoint::post("/v1/remember", WRITE, memory::remember)
            .takes::<request::Remember>()
            .gives::<forms::Remembered>()
            .says("Stores turns of conversations, and the facts in them."),
        Endpoint::get("/v1/facts", READ, memory::facts)
            .asks::<memory::FactsQuery>()
            .gives::<forms::Facts>()
            .says("Lists the facts about an entity, up to a number of tokens."),
        Endpoint::post("/v1/forget", WRITE, memory::forget)
            .takes::<agent::ForgetParameters>()
            .gives::<agent::Forgotten>()
            .says("Forgets a session, a turn, all turns about an entity, or a document. Unless `dry_run` is false, only shows what would be deleted."),
        Endpoint::get("/v1/sessions", READ, memory::sessions)
            .gives::<forms::Sessions>()
            .says("Lists the sessions of conversations."),
        Endpoint::get("/v1/sessions/{id}/turns", READ, memory::turns)
            .asks::<memory::TurnsQuery>()
            .gives::<forms::Turns>()
            .says("Lists the latest turns of a session, oldest first: questions with their answers, and remembered statements."),
        Endpoint::post("/v1/merges", WRITE, decisions::merge)
            .takes::<request::Merge>()
            .gives::<forms::Merged>()
            .says("Decides that two names belong to the same entity: what was said about one is recalled for the other."),
        Endpoint::post("/v1/renames", WRITE, decisions::rename)
            .takes::<request::Rename>()
            .gives::<forms::Renamed>()
            .says("Decides that an entity has another name. It is found by both names."),
        Endpoint::post("/v1/splits", WRITE, decisions::split)
            .takes::<request::Split>()
            .gives::<forms::Split>()
            .says("Decides that an entity is really two: some texts are about the other one, which gets its own name."),
        Endpoint::post("/v1/deletions", WRITE, decisions::hide)
            .takes::<request::Hide>()
            .gives::<forms::Hidden>()
            .says("Decides that an entity is hidden, with its relations, until the decision is undone. Texts are kept."),
        Endpoint::get("/v1/decisions", READ, decisions::list)
            .asks::<decisions::DecisionsQuery>()
            .gives::<forms::Decisions>()
            .says("Lists the merges, splits, renames and deletions of entities, including undone ones, latest first."),
        Endpoint::new(Method::DELETE, "/v1/decisions/{id}", WRITE, decisions::undo)
            .gives::<forms::Decision>()
            .says("Undoes a decision: a merge, a split, a rename, a deletion, a denial, or a fact that replaced others."),
        Endpoint::new(Method::PUT, "/v1/decisions/{id}", WRITE, decisions::redo)
            .gives::<forms::Decision>()
            .says("Redoes a decision that was undone."),
    ]
}

fn endpoints_of_documents() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/v1/documents", WRITE, documents::ingest)
            .asks::<documents::IngestQuery>()
            .takes_files_or::<request::Ingest>()
            .gives::<Ingested>()
            .says("Adds documents, and replaces those with the same keys. Adding the same documents again changes nothing. A `url` instead of a text names a web page, which the server fetches. Files are sent as `multipart/form-data`; the name of a file is the key of its document. If a page or a file can't be read, nothing is added."),
        Endpoint::get("/v1/documents", READ, documents::list)
            .asks::<request::Part>()
            .gives::<Listed>()
            .says("Lists the documents in order of their keys, a page at a time."),
        Endpoint::get("/v1/documents/{key}", READ, documents::open)
            .asks::<documents::OpenQuery>()
            .gives::<agent::Opened>()
            .says("Reads a document from its beginning, or from a passage on, up to a number of tokens."),
        Endpoint::new(Method::PUT, "/v1/documents/{key}", WRITE, documents::put)
            .takes_text(documents::TYPES)
            .gives::<Ingested>()
            .says("Adds or replaces a document, given its text or its file. A file of records has a document for each."),
        Endpoint::new(Method::DELETE, "/v1/documents/{key}", WRITE, documents::delete)
            .gives::<Deleted>()
            .says("Deletes a document, and everything that no other document supports. Afterwards no file contains it."),
    ]
}

fn endpoints_of_jobs() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/v1/jobs", WRITE, jobs::take)
            .takes::<request::Ingest>()
            .gives::<job::Job>()
            .accepts()
            .says("Adds documents as `POST /v1/documents` does, in the background. The response is a job that reports progress; a restarted server resumes it. Web pages that can't be read are listed as `skipped`."),
        Endpoint::get("/v1/jobs", READ, jobs::list)
            .gives::<job::Jobs>()
            .says("Lists the jobs, latest first: the unfinished ones, and the last hundred finished ones."),
        Endpoint::get("/v1/jobs/{id}", READ, jobs::get)
            .gives::<job::Job>()
            .says("Returns the progress of a job, and its result once it has finished."),
        Endpoint::get("/v1/jobs/{id}/events", READ, jobs::events)
            .gives_text(&["text/event-stream"])
            .says("Reports the progress of a job as server-sent events: `progress` for each change, and finally `job`. If the stream ends without `job`, the server is shutting down; request it again."),
        Endpoint::new(Method::DELETE, "/v1/jobs/{id}", WRITE, jobs::cancel)
            .gives::<job::Job>()
            .says("Cancels a job after the current documents, which are ingested completely. Deletes a finished job."),
    ]
}

fn endpoints_of_administration() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/v1/examples", READ, page::examples)
            .gives::<page::Examples>()
            .says("Lists sample questions about the documents."),
        Endpoint::get("/v1/things", READ, things::find)
            .asks::<things::ThingsQuery>()
            .gives::<things::Things>()
            .says("Finds entities by their names, and passages by their words."),
        Endpoint::get("/v1/things/{id}", READ, things::open)
            .asks::<things::LinksQuery>()
            .gives::<things::Linked>()
            .says("Lists the links of an entity or a passage: the passages about an entity, its relations, and the passages that mention it."),
        Endpoint::get("/v1/stats", READ, administer::stats)
            .gives::<Counted>()
            .says("Counts the documents, passages, entities and relations of the workspace."),
        Endpoint::get("/v1/workspaces", READ, administer::workspaces)
            .gives::<Workspaces>()
            .says("Lists the workspaces that contain something and that the key may use, with the number of their passages."),
        Endpoint::post("/v1/command", READ, command::run)
            .takes::<quiver_forms::command::Run>()
            .gives::<quiver_forms::command::Ran>()
            .says("Runs a `quiver` command and returns its output; `quiver --server` uses this. The required role depends on the command: `read` for questions and lists, `write` to add, forget and delete, `admin` for `verify` and `compact`."),
        Endpoint::get("/v1/export", ADMIN, administer::export)
            .asks::<administer::ExportQuery>()
            .gives_text(&["application/x-ndjson"])
            .says("Exports the workspace as lines of JSON, in a deterministic order."),
        Endpoint::post("/v1/import", ADMIN, administer::import)
            .takes_text(&["application/x-ndjson"])
            .gives::<Imported>()
            .says("Imports the output of `/v1/export`."),
        Endpoint::post("/v1/verify", ADMIN, administer::verify)
            .gives::<Verified>()
            .says("Checks every reference and invariant of the workspace."),
        Endpoint::post("/v1/compact", ADMIN, administer::compact)
            .gives::<Compacted>()
            .says("Rebuilds the files of an embedded database, to the smallest size and without deleted data."),
        Endpoint::get("/metrics", ADMIN, operate::metrics)
            .gives_text(&["text/plain"])
            .says("Metrics of requests, durations and stages, in the format of Prometheus."),
        Endpoint::get("/healthz", OPEN, operate::healthz)
            .gives::<operate::Health>()
            .says("Reports that the process is running."),
        Endpoint::get("/readyz", OPEN, operate::readyz)
            .gives::<operate::Readiness>()
            .says("Reports whether the database is reachable and requests are accepted, with the state of each collection and its indexes."),
        Endpoint::get("/openapi.json", OPEN, operate::openapi)
            .gives_text(&["application/json"])
            .says("This description."),
    ]
}

/// Builds the router, with each endpoint behind its gate.
pub(crate) fn router(app: &App) -> Router {
    let mut router = Router::new();
    for endpoint in endpoints() {
        let method = match endpoint.method {
            Method::GET => "GET",
            Method::PUT => "PUT",
            Method::DELETE => "DELETE",
            _ => "POST",
        };
        let state = Gate { app: app.clone(), access: endpoint.access, method, path: endpoint.path };
        let handler = endpoint.handler.route_layer(middleware::from_fn_with_state(state, gate));
        router = router.route(endpoint.path, handler);
    }
    router
        .merge(page::routes())
        .fallback(operate::not_found)
        .method_not_allowed_fallback(operate::method_not_allowed)
        .with_state(app.clone())
}
