//! The tools: their input, work and output.

use std::sync::{Arc, OnceLock};

use quiver::{
    AskOptions, ErrorKind, IngestOptions, Progress, Question, Receipt, Stage,
    context::ContextOptions,
    cypher::{Options, Value},
    graph::{Passage, PassageId},
    memory::{Fact, FactsOptions, RecallOptions, Turn, count_tokens},
    query::QueryOptions,
};
use quiver_forms::{
    Moment,
    agent::{
        Answered, AskParameters, Context, ContextParameters, Counted, Documents, DocumentsParameters,
        FactForm, Facts, FactsParameters, ForgetParameters, Forgotten, IngestParameters, IngestReceipt,
        OpenParameters, Opened, Queried, QueryParameters, RecallParameters, Recalled, RememberParameters,
        Remembered, SearchParameters, Searched, fitting, part_of_facts,
    },
    request::{Wrong, documents_to_use, passage_to_continue_from},
};
use rmcp::{
    ErrorData, Json, RoleServer, ServerHandler,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    model::{
        GetPromptRequestParams, GetPromptResponse, Implementation, JsonObject, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
    tool, tool_handler, tool_router,
};

use crate::{
    Database, Failure, forget,
    progress::{Step, telling},
    prompts, resources,
};

/// Tools that are listed only on request.
const EXTRA_TOOLS: [&str; 4] = ["documents", "facts", "ingest", "stats"];
/// The instructions about the tools that a client gives to its model.
const INSTRUCTIONS: &str = "Memory and documents of this user. Before answering about people, projects, decisions or \
                            what was said, call `recall`. For questions about documents, call `ask`; for more detail, \
                            `search` and `open`. When the user states something worth remembering, call `remember` \
                            with their words, who said them and when. If no answer is found, say so; don't guess.";
/// Number of passages ingested at once. The client receives progress after each batch.
const PASSAGES_AT_ONCE: usize = 64;
/// Number of documents listed at once.
const DOCUMENTS_AT_ONCE: usize = 100;

/// Which tools are offered to a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offered {
    /// The tools that an agent needs in a conversation.
    #[default]
    Default,
    /// Also `documents`, `facts`, `ingest` and `stats`.
    All,
}

/// The tools, over one database.
#[derive(Clone)]
pub struct Tools {
    database: Arc<dyn Database>,
    ask: AskOptions,
    router: ToolRouter<Self>,
}

impl Tools {
    /// Creates the tools of a database, with these options for questions.
    pub fn new(database: Arc<dyn Database>, ask: AskOptions, offered: Offered) -> Self {
        let mut router = Self::all().clone();
        if offered == Offered::Default {
            EXTRA_TOOLS.iter().for_each(|name| router.remove_route(name));
        }
        Self { database, ask, router }
    }

    /// Removes the tools that write.
    #[must_use]
    pub fn reading_only(mut self) -> Self {
        for tool in self.router.list_all() {
            if Self::writes(&tool.name) {
                self.router.remove_route(&tool.name);
            }
        }
        self
    }

    /// Returns the routes of all tools.
    fn all() -> &'static ToolRouter<Self> {
        static ALL: OnceLock<ToolRouter<Tools>> = OnceLock::new();
        let all = || {
            let mut router = Self::tool_router();
            for route in router.map.values_mut() {
                drop_unsigned_formats(&mut route.attr.input_schema);
                route.attr.output_schema.as_mut().into_iter().for_each(drop_unsigned_formats);
            }
            router
        };
        ALL.get_or_init(all)
    }

    pub(crate) fn database(&self) -> &dyn Database {
        &*self.database
    }

    fn may_write(&self) -> bool {
        self.router.has_route("remember")
    }

    /// Whether a tool may wait for the files of the database to be rebuilt.
    pub fn rebuilds(name: &str) -> bool {
        name == "forget"
    }

    /// Whether a tool writes to the database.
    pub fn writes(name: &str) -> bool {
        let hints = Self::all().get(name).and_then(|tool| tool.annotations.as_ref());
        hints.is_some_and(|hints| hints.read_only_hint != Some(true))
    }
}

/// Drops the formats of unsigned integers from a schema. JSON Schema does not define them, and clients warn about each.
fn drop_unsigned_formats(schema: &mut Arc<JsonObject>) {
    fn drop_from(value: &mut serde_json::Value) {
        if let serde_json::Value::Object(object) = value {
            let is_unsigned =
                |format: &serde_json::Value| format.as_str().is_some_and(|format| format.starts_with("uint"));
            if object.get("format").is_some_and(is_unsigned) {
                object.remove("format");
            }
            object.values_mut().for_each(drop_from);
        } else if let serde_json::Value::Array(values) = value {
            values.iter_mut().for_each(drop_from);
        }
    }
    Arc::make_mut(schema).values_mut().for_each(drop_from);
}

#[tool_handler(router = self.router)]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("quiver", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.list(request).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(self.read_resource_at(&request.uri).await?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all(self.may_write())))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&request, self.may_write())?.into())
    }
}

#[tool_router]
impl Tools {
    /// Recalls what was said in conversations, and the facts that hold now or held at a given moment, each with its
    /// speaker and time. Says so if nothing is known.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn recall(
        &self,
        Parameters(asked): Parameters<RecallParameters>,
    ) -> Result<Json<Recalled>, String> {
        not_empty("question", &asked.question)?;
        let options = RecallOptions {
            as_of: moment("as_of", asked.as_of.as_deref())?,
            known_at: moment("known_at", asked.known_at.as_deref())?,
            session: asked.session,
            tokens_max: asked.tokens,
            ..RecallOptions::default()
        };
        let quiver = self.database.read().await?;
        let recalled = quiver
            .recall(&asked.question)
            .options(options)
            .await
            .map_err(|error| self.database.tell(error))?;
        Ok(Json(Recalled::of(&recalled)))
    }

    /// Stores a turn of a conversation verbatim, with the facts that it states. Returns the extracted facts, and what a
    /// language model claimed wrongly or could not read. A turn without facts is found by its words. Storing the same
    /// turn twice changes nothing.
    #[tool(annotations(
        read_only_hint = false,
        destructive_hint = false,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn remember(
        &self,
        Parameters(told): Parameters<RememberParameters>,
    ) -> Result<Json<Remembered>, String> {
        if told.text.trim().is_empty() && told.facts.is_empty() {
            return Err("nothing to remember: give `text` or `facts`".to_owned());
        }
        let facts: Vec<Fact> =
            told.facts.iter().map(|fact| Fact::new(&fact.subject, &fact.predicate, &fact.object)).collect();
        let turn = Turn {
            session: told.session.unwrap_or_default(),
            speaker: told.speaker,
            time: moment("at", told.at.as_deref())?,
            text: told.text,
            facts: (!facts.is_empty()).then_some(facts),
            ..Turn::default()
        };
        let quiver = self.database.write().await?;
        let remembered = quiver.remember(vec![turn]).await.map_err(|error| self.database.tell(error))?;
        Ok(Json(Remembered::of(&remembered)))
    }

    /// Answers a question from the documents and cites the sentence that contains the answer. If it finds no answer, it
    /// says so and returns the most relevant passages.
    #[tool(annotations(read_only_hint = true, open_world_hint = false), meta = resources::shown_by_page())]
    async fn ask(
        &self,
        Parameters(asked): Parameters<AskParameters>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<Answered>, String> {
        not_empty("question", &asked.question)?;
        let options = AskOptions { explain: asked.trace, asker: asked.asker, ..self.ask.clone() };
        let question = Question::new(asked.question).with_options(options);
        let quiver = self.database.read().await?;
        let answer = telling(&context, async |steps| {
            let mut done = 0;
            let tell = |progress: Progress<'_>| {
                if let Progress::Step(step) = progress {
                    done += 1;
                    let _ = steps.send(Step { done, total: None, message: step.stage.to_string() });
                }
            };
            quiver.ask(question).on_progress(tell).await
        });
        let answer = answer.await.map_err(|error| self.database.tell(error))?;
        let mut answered = Answered::of(&answer, asked.tokens);
        if asked.trace {
            answered = answered.recording(&answer);
        }
        Ok(Json(answered))
    }

    /// Finds the passages of documents and conversations that are most relevant to a question, best first. To see more,
    /// search again `from` the `next` of the result.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn search(
        &self,
        Parameters(asked): Parameters<SearchParameters>,
    ) -> Result<Json<Searched>, String> {
        not_empty("query", &asked.query)?;
        let limit = asked.limit.clamp(1, 50);
        let options = AskOptions {
            passages_limit: limit,
            documents: documents_to_use(&asked.documents).map_err(told)?,
            filter: asked.filter.read("filter").map_err(told)?,
            as_of: moment("as_of", asked.as_of.as_deref())?,
            from: passage_to_continue_from(asked.from.as_deref()).map_err(told)?,
            ..self.ask.clone()
        };
        let question = Question::new(asked.query).with_options(options);
        let quiver = self.database.read().await?;
        let evidence = quiver.retrieve(question).await.map_err(|error| self.database.tell(error))?;
        Ok(Json(Searched::of(&evidence, limit, asked.tokens)))
    }

    /// Collects what an assistant should know to answer a question, within a token budget: records, facts, connections
    /// between entities, turns of the session and passages of documents.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn context(
        &self,
        Parameters(asked): Parameters<ContextParameters>,
    ) -> Result<Json<Context>, String> {
        not_empty("question", &asked.question)?;
        let options = ContextOptions {
            tokens_max: asked.tokens,
            session: asked.session,
            ask: AskOptions {
                passages_limit: ContextOptions::default().ask.passages_limit,
                asker: asked.asker,
                ..self.ask.clone()
            },
            ..ContextOptions::default()
        };
        let quiver = self.database.read().await?;
        let context = quiver
            .context(&asked.question)
            .options(options)
            .await
            .map_err(|error| self.database.tell(error))?;
        Ok(Json(Context::of(&context)))
    }

    /// Reads a document from its beginning, or from a passage on, up to the token budget. To continue, open `next` from
    /// the result.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn open(&self, Parameters(asked): Parameters<OpenParameters>) -> Result<Json<Opened>, String> {
        not_empty("name", &asked.name)?;
        let quiver = self.database.read().await?;
        let (passages, from) = match asked.name.parse::<PassageId>() {
            Ok(id) => {
                let found = quiver
                    .graph()
                    .passages(&[id])
                    .await
                    .map_err(unread)
                    .map_err(|error| self.database.tell(error))?;
                let Some(passage) = found.first() else {
                    return Err(format!("there is no passage {id}; `search` returns the names of passages"));
                };
                let of_document =
                    quiver.passages_of(&passage.document).await.map_err(|error| self.database.tell(error))?;
                let from = of_document.iter().position(|other| other.id == id).unwrap_or(0);
                (of_document, from)
            }
            Err(_) => (quiver.passages_of(&asked.name).await.map_err(|error| self.database.tell(error))?, 0),
        };
        let Some(first) = passages.get(from) else {
            return Err(format!(
                "there is no document {:?}; `search` returns the names of documents",
                asked.name
            ));
        };
        let rest = &passages[from..];
        let count = fitting(rest.iter().map(|passage| count_tokens(&passage.text)), asked.tokens);
        let text: Vec<&str> = rest[..count].iter().map(|passage| passage.text.as_str()).collect();
        Ok(Json(Opened {
            document: first.document.clone(),
            title: first.title.clone(),
            text: text.join("\n\n"),
            next: rest.get(count).map(|passage: &Passage| passage.id.to_string()),
        }))
    }

    /// Forgets a session, one of its turns, everything said about an entity, or a document. Unless `dry_run` is false,
    /// it only shows what it would forget. Forgotten data can't be restored.
    #[tool(annotations(
        read_only_hint = false,
        destructive_hint = true,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn forget(
        &self,
        Parameters(asked): Parameters<ForgetParameters>,
    ) -> Result<Json<Forgotten>, String> {
        let quiver = self.database.read().await?;
        let forgotten = forget(&quiver, asked).await.map_err(|failure| match failure {
            Failure::Unclear(why) => why,
            Failure::NoDocument(document) => {
                format!("there is no document {document:?}; `search` returns the names of documents")
            }
            Failure::Database(error) => self.database.tell(error),
        })?;
        Ok(Json(forgotten))
    }

    /// Runs a read-only Cypher query on the graph of entities and facts. Returns the rows, each with the relations that
    /// prove it. `MATCH (n) RETURN DISTINCT labels(n)` and `MATCH ()-[r]->() RETURN DISTINCT type(r)` list the labels
    /// and the relationship types.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn query(&self, Parameters(asked): Parameters<QueryParameters>) -> Result<Json<Queried>, String> {
        not_empty("query", &asked.query)?;
        let parameters = asked.parameters.iter().map(|(name, value)| (name.clone(), Value::from_json(value)));
        let cypher = Options { proof: true, read_only: true, ..Options::default() };
        let options = QueryOptions { cypher, why_empty: true, ..QueryOptions::default() };
        let quiver = self.database.read().await?;
        let queried = quiver.query(&asked.query).parameters(parameters.collect()).options(options).await;
        Ok(Json(Queried::of(&queried.map_err(|error| self.database.tell(error))?, asked.tokens)))
    }

    /// Adds documents, and replaces those with the same names. Adding the same documents again changes nothing.
    #[tool(annotations(
        read_only_hint = false,
        destructive_hint = true,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn ingest(
        &self,
        Parameters(given): Parameters<IngestParameters>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<IngestReceipt>, String> {
        let documents = given.documents().map_err(|wrong| format!("`{}`: {}", wrong.field, wrong.why))?;
        let total = documents.len();
        let quiver = self.database.write().await?;
        let receipt = telling(&context, async |steps| {
            let options = IngestOptions { passages_per_batch: PASSAGES_AT_ONCE, ..IngestOptions::default() };
            let tell = |receipt: &Receipt| {
                let done = receipt.documents_added + receipt.documents_replaced + receipt.documents_unchanged;
                let message = format!("{done} of {total} documents");
                let _ = steps.send(Step { done, total: Some(total), message });
            };
            let receipt = quiver.ingest(documents).options(options).on_progress(&tell).await?;
            // Building the index does not pay for less; the next larger ingest does it.
            if receipt.passages_written >= IngestOptions::default().passages_per_batch {
                quiver.build_index(&|_| {}).await?;
            }
            Ok::<_, quiver::Error>(receipt)
        });
        let receipt = receipt.await.map_err(|error| self.database.tell(error))?;
        Ok(Json(IngestReceipt::of(&receipt)))
    }

    /// Lists the names of the documents, a hundred at a time. To continue, pass `next` from the result as `after`.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn documents(
        &self,
        Parameters(asked): Parameters<DocumentsParameters>,
    ) -> Result<Json<Documents>, String> {
        let quiver = self.database.read().await?;
        let listed = quiver.documents().await.map_err(|error| self.database.tell(error))?;
        let after = asked.after.unwrap_or_default();
        let mut keys = listed.into_iter().map(|document| document.key).filter(|key| *key > after);
        let documents: Vec<String> = keys.by_ref().take(DOCUMENTS_AT_ONCE).collect();
        let next = keys.next().and_then(|_| documents.last().cloned());
        Ok(Json(Documents { documents, next }))
    }

    /// Lists the facts about an entity that hold now, or held at a given moment; with `history`, also those that have
    /// ended. To continue, give `next` from the result as `from`.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn facts(&self, Parameters(asked): Parameters<FactsParameters>) -> Result<Json<Facts>, String> {
        not_empty("about", &asked.about)?;
        let options = FactsOptions {
            as_of: moment("as_of", asked.as_of.as_deref())?,
            history: asked.history,
            ..FactsOptions::default()
        };
        let quiver = self.database.read().await?;
        let facts =
            quiver.facts(&asked.about).options(options).await.map_err(|error| self.database.tell(error))?;
        let part = part_of_facts(&facts, asked.from.as_deref(), asked.tokens);
        let (facts, next) = part.map_err(told)?;
        Ok(Json(Facts { facts: facts.iter().map(FactForm::of).collect(), next }))
    }

    /// Counts the documents, passages, entities and relations of the workspace.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn stats(&self) -> Result<Json<Counted>, String> {
        let stats = self.database.read().await?.stats().await.map_err(|error| self.database.tell(error))?;
        Ok(Json(resources::counted(stats)))
    }
}

fn not_empty(name: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() { Err(format!("`{name}` must not be empty")) } else { Ok(()) }
}

/// Returns the message for the client about an invalid parameter.
fn told(wrong: Wrong) -> String {
    let Wrong { field, why } = wrong;
    format!("`{field}`: {why}")
}

fn moment(name: &str, typed: Option<&str>) -> Result<Option<i64>, String> {
    let moment = typed.map(|typed| typed.parse::<Moment>().map_err(|wrong| format!("`{name}`: {wrong}")));
    Ok(moment.transpose()?.map(|moment| moment.0))
}

/// Converts an error of the store to one of the engine.
fn unread(error: quiver::store::Error) -> quiver::Error {
    quiver::Error::new(ErrorKind::Other, Stage::Administer, error.to_string()).with_source(error)
}
