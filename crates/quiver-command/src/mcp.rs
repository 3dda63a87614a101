//! The Model Context Protocol: the tools that agents call, over standard input and output.

mod lease;

use anyhow::Result;
use quiver::{
    AskOptions, ErrorKind, Question,
    context::ContextOptions,
    graph::{Passage, PassageId},
    memory::{Fact, FactsOptions, Forget, RecallOptions, Turn, count_tokens},
};
use quiver_forms::Moment;
use rmcp::{
    Json, ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    tool, tool_handler, tool_router,
    transport::stdio,
};

use crate::{Exit, commands::ask_options, exit::Failed, output::chain, settings::Settings};
use lease::Lease;
use quiver_forms::agent::{
    Answered, AskParameters, Context, ContextParameters, Counted, Documents, DocumentsParameters, FactForm,
    Facts, FactsParameters, ForgetParameters, Forgotten, OpenParameters, Opened, RecallParameters, Recalled,
    RememberParameters, Remembered, SearchParameters, Searched, fitting,
};

/// The tools that are listed only where they are asked for.
const EXTRA_TOOLS: [&str; 3] = ["documents", "facts", "stats"];
/// How many documents are listed at once.
const DOCUMENTS_AT_ONCE: usize = 100;

/// The tools, over one database.
struct Tools {
    lease: Lease,
    ask: AskOptions,
    router: ToolRouter<Self>,
}

/// Serves the tools until the client closes standard input.
pub(crate) async fn serve(settings: &Settings, all: bool) -> Result<Exit> {
    let mut router = Tools::tool_router();
    if !all {
        EXTRA_TOOLS.iter().for_each(|name| router.remove_route(name));
    }
    let tools = Tools { lease: Lease::new(settings.clone()), ask: ask_options(settings), router };
    let service = tools.serve(stdio()).await.map_err(|error| {
        Failed::usage(format!(
            "`quiver mcp` speaks the Model Context Protocol to a client, which a person starts: {error}"
        ))
    })?;
    service.waiting().await?;
    Ok(Exit::Done)
}

#[tool_handler(
    router = self.router,
    name = "quiver",
    instructions = "Memory and documents of this user. Before answering about people, projects, decisions or what \
                    was said, call `recall`; for what documents say, call `ask`, or `search` and `open` for more. \
                    When the user states something worth keeping, call `remember` with their words, who said them \
                    and when. An answer that is missing was not found: say so, don't guess."
)]
impl ServerHandler for Tools {}

#[tool_router]
impl Tools {
    /// Recalls what was said and what holds now, or held at a moment: facts and turns of conversations, with who said
    /// them and when. Says so where nothing is known.
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
        let quiver = self.lease.read().await.map_err(said)?;
        let recalled = quiver.recall_with(&asked.question, &options).await.map_err(said)?;
        Ok(Json(Recalled::of(&recalled)))
    }

    /// Remembers a turn of a conversation in the words it was said in, with the facts that it states. Returns the facts
    /// that were understood; a turn without any is found by its words. Remembering the same turn twice changes nothing.
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
            return Err("nothing to remember: give `text`, or `facts`".to_owned());
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
        let quiver = self.lease.write().await.map_err(said)?;
        let remembered = quiver.remember(vec![turn]).await.map_err(said)?;
        Ok(Json(Remembered::of(&remembered)))
    }

    /// Answers a question from the documents and cites the sentence that says it, or says that it found no answer and
    /// shows the nearest passages.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn ask(&self, Parameters(asked): Parameters<AskParameters>) -> Result<Json<Answered>, String> {
        not_empty("question", &asked.question)?;
        let question = Question::new(asked.question).with_options(self.ask.clone());
        let quiver = self.lease.read().await.map_err(said)?;
        let answer = quiver.ask(question).await.map_err(said)?;
        Ok(Json(Answered::of(&answer, asked.tokens)))
    }

    /// Finds the passages of documents and conversations that say most about a question, the best first.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn search(
        &self,
        Parameters(asked): Parameters<SearchParameters>,
    ) -> Result<Json<Searched>, String> {
        not_empty("query", &asked.query)?;
        let options = AskOptions { passages_limit: asked.limit.clamp(1, 50), ..self.ask.clone() };
        let question = Question::new(asked.query).with_options(options);
        let quiver = self.lease.read().await.map_err(said)?;
        let evidence = quiver.retrieve(question).await.map_err(said)?;
        Ok(Json(Searched::of(&evidence, asked.tokens)))
    }

    /// Packs what an assistant should know for a question into a budget of tokens: facts, how things are connected,
    /// turns of the session and passages of documents.
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
                ..self.ask.clone()
            },
            ..ContextOptions::default()
        };
        let quiver = self.lease.read().await.map_err(said)?;
        let context = quiver.context(&asked.question, &options).await.map_err(said)?;
        Ok(Json(Context::of(&context)))
    }

    /// Reads a document from its beginning, or a passage and what follows it, as far as the token budget goes. `next`
    /// in the result goes on from there.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn open(&self, Parameters(asked): Parameters<OpenParameters>) -> Result<Json<Opened>, String> {
        not_empty("name", &asked.name)?;
        let quiver = self.lease.read().await.map_err(said)?;
        let graph = quiver.graph();
        let (passages, from) = match asked.name.parse::<PassageId>() {
            Ok(id) => {
                let found = graph.passages(&[id]).await.map_err(said)?;
                let Some(passage) = found.first() else {
                    return Err(format!("there is no passage {id}; `search` finds passages"));
                };
                let of_document = graph.passages_of(&passage.document).await.map_err(said)?;
                let from = of_document.iter().position(|other| other.id == id).unwrap_or(0);
                (of_document, from)
            }
            Err(_) => (graph.passages_of(&asked.name).await.map_err(said)?, 0),
        };
        let Some(first) = passages.get(from) else {
            return Err(format!(
                "there is no document {:?}; `search` finds passages and names theirs",
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

    /// Forgets a session, one turn of it, everything said about a thing, or a document. Shows what it would forget and
    /// does nothing unless `dry_run` is false. What is forgotten can't be brought back.
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
        let what = match (asked.session, asked.turn, asked.about, asked.document) {
            (None, None, None, Some(document)) => return self.forget_document(document, asked.dry_run).await,
            (Some(session), Some(turn), None, None) => Forget::Turn(session, turn),
            (Some(session), None, None, None) => Forget::Session(session),
            (None, None, Some(about), None) => Forget::About(about),
            _ => {
                return Err(
                    "say what to forget: `session`, `session` with `turn`, `about` or `document`".to_owned()
                );
            }
        };
        let quiver = self.lease.read().await.map_err(said)?;
        let preview = quiver.forget_preview(&what).await.map_err(said)?;
        if asked.dry_run {
            return Ok(Json(Forgotten::preview(&preview)));
        }
        let forgotten = quiver.forget(&what).await.map_err(said)?;
        // What was forgotten is to stand in no file any more.
        quiver.compact().await.map_err(said)?;
        Ok(Json(Forgotten::preview(&preview).done(forgotten.turns)))
    }

    /// Lists the documents by their names, a hundred at a time. `next` in the result goes on from there.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn documents(
        &self,
        Parameters(asked): Parameters<DocumentsParameters>,
    ) -> Result<Json<Documents>, String> {
        let quiver = self.lease.read().await.map_err(said)?;
        let listed = quiver.documents().await.map_err(said)?;
        let after = asked.after.unwrap_or_default();
        let mut keys = listed.into_iter().map(|document| document.key).filter(|key| *key > after);
        let documents: Vec<String> = keys.by_ref().take(DOCUMENTS_AT_ONCE).collect();
        let next = keys.next().and_then(|_| documents.last().cloned());
        Ok(Json(Documents { documents, next }))
    }

    /// Lists the facts about a thing that hold now, or held at a moment; with `history` those that ended too.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn facts(&self, Parameters(asked): Parameters<FactsParameters>) -> Result<Json<Facts>, String> {
        not_empty("about", &asked.about)?;
        let options = FactsOptions {
            as_of: moment("as_of", asked.as_of.as_deref())?,
            history: asked.history,
            ..FactsOptions::default()
        };
        let quiver = self.lease.read().await.map_err(said)?;
        let facts = quiver.facts(&asked.about, &options).await.map_err(said)?;
        Ok(Json(Facts { facts: facts.iter().map(FactForm::of).collect() }))
    }

    /// Counts the documents, passages, entities and relations of the workspace.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn stats(&self) -> Result<Json<Counted>, String> {
        let stats = self.lease.read().await.map_err(said)?.stats().await.map_err(said)?;
        Ok(Json(Counted {
            workspace: stats.workspace,
            documents: stats.documents,
            passages: stats.passages,
            entities: stats.entities,
            relations: stats.relations,
        }))
    }
}

impl Tools {
    async fn forget_document(&self, document: String, dry_run: bool) -> Result<Json<Forgotten>, String> {
        let quiver = self.lease.read().await.map_err(said)?;
        if dry_run {
            let passages = quiver.graph().passages_of(&document).await.map_err(said)?.len();
            if passages == 0 {
                return Err(format!(
                    "there is no document {document:?}; `search` names the documents of passages"
                ));
            }
            return Ok(Json(Forgotten::of_document(document, passages, true)));
        }
        let removed = quiver.delete(&document).await.map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                format!("there is no document {document:?}; `search` names the documents of passages")
            }
            _ => said(error),
        })?;
        quiver.compact().await.map_err(said)?;
        Ok(Json(Forgotten::of_document(document, removed.passages, false)))
    }
}

fn not_empty(name: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() { Err(format!("`{name}` is empty")) } else { Ok(()) }
}

fn moment(name: &str, typed: Option<&str>) -> Result<Option<i64>, String> {
    let moment = typed.map(|typed| typed.parse::<Moment>().map_err(|wrong| format!("`{name}`: {wrong}")));
    Ok(moment.transpose()?.map(|moment| moment.0))
}

/// An error as a client is told it: the message with its causes.
fn said(error: impl Into<anyhow::Error>) -> String {
    chain(&error.into()).join(": ")
}
