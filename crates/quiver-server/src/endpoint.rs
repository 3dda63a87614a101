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
    Versioned, agent, chat, context, job, memory as forms, request,
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
            .says("Answers a question from the documents and cites the sentence that says it, or says that there is no answer and shows what comes nearest."),
        Endpoint::post("/v1/ask/stream", READ, question::ask_stream)
            .takes::<request::Ask>()
            .gives_text(&["text/event-stream"])
            .says("Answers a question as `/v1/ask` does, and tells what happens on the way as server-sent events: `step` when a stage has ended, `sentence` for each sentence of the answer, at last `answer`, or `error`."),
        Endpoint::post("/v1/search", READ, question::search)
            .takes::<request::Ask>()
            .gives::<Searched>()
            .says("Finds the passages that an answer would rest on, the best first."),
        Endpoint::post("/v1/context", READ, question::context)
            .takes::<agent::ContextParameters>()
            .gives::<context::Packed>()
            .says("Packs what an assistant should know for a question into a number of tokens: facts, paths, turns and passages."),
        Endpoint::post("/v1/query", READ, query::query)
            .takes::<request::Query>()
            .gives::<Queried>()
            .says("Runs a query in Cypher that reads, and tells what each row rests on, how it is run, or why there are no rows."),
        Endpoint::post("/v1/chat", WRITE, question::chat)
            .takes::<request::Chat>()
            .gives::<chat::Replied>()
            .says("Answers a question in a conversation, or asks back where a name may mean several things, and keeps the turn."),
        Endpoint::post("/v1/chat/stream", WRITE, question::chat_stream)
            .takes::<request::Chat>()
            .gives_text(&["text/event-stream"])
            .says("Answers as `/v1/chat` does, with the events of `/v1/ask/stream`; the last one is `reply`."),
        Endpoint::post("/v1/chat/completions", READ, openai::complete)
            .takes::<openai::Completion>()
            .gives_bare::<openai::Completed>()
            .says("Answers the last question of a conversation in the form that clients of OpenAI speak, with citations as annotations. The header `Quiver-Session` names a conversation that is kept."),
        Endpoint::post("/v1/embeddings", READ, embeddings::embed)
            .takes::<embeddings::Embed>()
            .gives_bare::<embeddings::Embeddings>()
            .says("Embeds texts with the embedder of the server, in the form that clients of OpenAI speak. A server that finds by words alone has none."),
        Endpoint::get("/v1/models", READ, openai::models)
            .gives_bare::<openai::Models>()
            .says("Lists the one model, for clients of OpenAI."),
        Endpoint::post("/mcp", READ, mcp::post)
            .asks::<mcp::McpQuery>()
            .takes::<serde_json::Value>()
            .gives_bare::<serde_json::Value>()
            .says("The tools of `quiver mcp` for agents, by the Model Context Protocol (streamable HTTP without sessions). A message that takes no reply is answered 202. A tool that writes needs a key of the role `write`."),
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
            .says("Recalls what was said and what holds, now or at a moment."),
        Endpoint::post("/v1/remember", WRITE, memory::remember)
            .takes::<request::Remember>()
            .gives::<forms::Remembered>()
            .says("Remembers turns of conversations, and the facts in them."),
        Endpoint::get("/v1/facts", READ, memory::facts)
            .asks::<agent::FactsParameters>()
            .gives::<forms::Facts>()
            .says("Lists the facts about a thing."),
        Endpoint::post("/v1/forget", WRITE, memory::forget)
            .takes::<agent::ForgetParameters>()
            .gives::<agent::Forgotten>()
            .says("Forgets a session, a turn, all turns about a thing, or a document. Shows what would go unless `dry_run` is false."),
        Endpoint::get("/v1/sessions", READ, memory::sessions)
            .gives::<forms::Sessions>()
            .says("Lists the sessions of conversations."),
        Endpoint::get("/v1/sessions/{id}/turns", READ, memory::turns)
            .asks::<memory::TurnsQuery>()
            .gives::<forms::Turns>()
            .says("Lists the latest turns of a session, oldest first: questions with their answers, and what was remembered."),
        Endpoint::post("/v1/merges", WRITE, decisions::merge)
            .takes::<request::Merge>()
            .gives::<forms::Merged>()
            .says("Decides that two names are of one entity: what was said of one is recalled for the other."),
        Endpoint::post("/v1/renames", WRITE, decisions::rename)
            .takes::<request::Rename>()
            .gives::<forms::Renamed>()
            .says("Decides that an entity has another name. It is found by both."),
        Endpoint::post("/v1/splits", WRITE, decisions::split)
            .takes::<request::Split>()
            .gives::<forms::Split>()
            .says("Decides that one entity is really two things: some texts are about the other one, which gets a name of its own."),
        Endpoint::post("/v1/deletions", WRITE, decisions::hide)
            .takes::<request::Hide>()
            .gives::<forms::Hidden>()
            .says("Decides that an entity is hidden, with its relations, until that is undone. Texts stay."),
        Endpoint::get("/v1/decisions", READ, decisions::list)
            .asks::<decisions::DecisionsQuery>()
            .gives::<forms::Decisions>()
            .says("Lists the merges, splits, renames and deletions of entities, undone ones too, the latest first."),
        Endpoint::new(Method::DELETE, "/v1/decisions/{id}", WRITE, decisions::undo)
            .gives::<forms::Decision>()
            .says("Undoes a decision: a merge, a split, a rename, a deletion, a denial, or a fact that took the place of others."),
        Endpoint::new(Method::PUT, "/v1/decisions/{id}", WRITE, decisions::redo)
            .gives::<forms::Decision>()
            .says("Redoes a decision that was undone."),
    ]
}

fn endpoints_of_documents() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/v1/documents", WRITE, documents::ingest)
            .asks::<documents::IngestQuery>()
            .takes::<request::Ingest>()
            .gives::<Ingested>()
            .says("Adds documents, or replaces those with the same keys. The same documents again change nothing."),
        Endpoint::get("/v1/documents", READ, documents::list)
            .asks::<request::Part>()
            .gives::<Listed>()
            .says("Lists the documents by ascending key, a part at a time."),
        Endpoint::get("/v1/documents/{key}", READ, documents::open)
            .asks::<documents::OpenQuery>()
            .gives::<agent::Opened>()
            .says("Reads a document from its beginning, or from a passage on, as far as a number of tokens goes."),
        Endpoint::new(Method::PUT, "/v1/documents/{key}", WRITE, documents::put)
            .takes_text(&["text/plain", "text/markdown"])
            .gives::<Ingested>()
            .says("Adds a document, or replaces it, from its text."),
        Endpoint::new(Method::DELETE, "/v1/documents/{key}", WRITE, documents::delete)
            .gives::<Deleted>()
            .says("Deletes a document, and what no other document supports. It stands in no file any more afterwards."),
    ]
}

fn endpoints_of_jobs() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/v1/jobs", WRITE, jobs::take)
            .takes::<request::Ingest>()
            .gives::<job::Job>()
            .accepts()
            .says("Adds documents as `POST /v1/documents` does, after the reply: the job that it answers with tells how far that is. A server that is started again goes on with it."),
        Endpoint::get("/v1/jobs", READ, jobs::list)
            .gives::<job::Jobs>()
            .says("Lists the jobs, the latest first: those that have not ended, and the last hundred that have."),
        Endpoint::get("/v1/jobs/{id}", READ, jobs::get)
            .gives::<job::Job>()
            .says("Tells how far a job is, and what was done once it has ended."),
        Endpoint::get("/v1/jobs/{id}/events", READ, jobs::events)
            .gives_text(&["text/event-stream"])
            .says("Tells how far a job is as server-sent events: `progress` when it gets further, at last `job`. A stream that ends without `job` is asked for again: the server was told to end."),
        Endpoint::new(Method::DELETE, "/v1/jobs/{id}", WRITE, jobs::cancel)
            .gives::<job::Job>()
            .says("Cancels a job, which ends after the documents under way, each of them ingested as a whole; a job that has ended is deleted."),
    ]
}

fn endpoints_of_administration() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/v1/examples", READ, page::examples)
            .gives::<page::Examples>()
            .says("Lists questions to begin with, about what is in the documents."),
        Endpoint::get("/v1/things", READ, things::find)
            .asks::<things::ThingsQuery>()
            .gives::<things::Things>()
            .says("Finds entities by their names, and passages by their words."),
        Endpoint::get("/v1/things/{id}", READ, things::open)
            .asks::<things::LinksQuery>()
            .gives::<things::Linked>()
            .says("Lists what an entity or a passage is linked to: the passages about an entity, its relations, the passages that mention it."),
        Endpoint::get("/v1/stats", READ, administer::stats)
            .gives::<Counted>()
            .says("Counts the documents, passages, entities and relations of the workspace."),
        Endpoint::post("/v1/command", READ, command::run)
            .takes::<quiver_forms::command::Run>()
            .gives::<quiver_forms::command::Ran>()
            .says("Runs a command of `quiver` and returns what it prints: this is what `quiver --server` does. The role that it needs is the command's: `read` for questions and lists, `write` for what adds, forgets and deletes, `admin` for `verify` and `compact`."),
        Endpoint::get("/v1/export", ADMIN, administer::export)
            .asks::<administer::ExportQuery>()
            .gives_text(&["application/x-ndjson"])
            .says("Writes the workspace as lines of JSON, in an order that is always the same."),
        Endpoint::post("/v1/import", ADMIN, administer::import)
            .takes_text(&["application/x-ndjson"])
            .gives::<Imported>()
            .says("Reads what `/v1/export` wrote."),
        Endpoint::post("/v1/verify", ADMIN, administer::verify)
            .gives::<Verified>()
            .says("Checks every reference and invariant of the workspace."),
        Endpoint::post("/v1/compact", ADMIN, administer::compact)
            .gives::<Compacted>()
            .says("Rebuilds the files of an embedded database: as small as they can be, with nothing in them that was deleted."),
        Endpoint::get("/metrics", ADMIN, operate::metrics)
            .gives_text(&["text/plain"])
            .says("Counts of requests, durations and stages, as Prometheus reads them."),
        Endpoint::get("/healthz", OPEN, operate::healthz)
            .gives::<operate::Health>()
            .says("Tells that the process answers."),
        Endpoint::get("/readyz", OPEN, operate::readyz)
            .gives::<operate::Health>()
            .says("Tells whether the database can be reached and requests are taken."),
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
