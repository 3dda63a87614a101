//! The command-line arguments.
#![expect(clippy::doc_markdown, reason = "help is printed as it stands here, and is no Markdown")]

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use quiver::{Meaning, read::SourceName};
use quiver_forms::Moment;
use serde::Deserialize;

use crate::exit::HELP;

mod graph;
mod memory;
#[cfg(feature = "serve")]
mod serve;

pub(crate) use graph::{LoadArguments, NodeKey, QueryArguments, SchemaCommand};
pub(crate) use memory::{
    DecideCommand, FactsArguments, ForgetArguments, MomentArguments, RecallArguments, RememberArguments,
    SessionsArguments,
};

#[cfg(feature = "bolt")]
pub(crate) use serve::BoltArguments;
#[cfg(feature = "serve")]
pub(crate) use serve::{KeyRole, KeysArguments, KeysCommand, LogFormat, ServeArguments, ServerArguments};

/// Answers questions over documents by following what they say of each other, and shows the path to every answer.
#[derive(Clone, Debug, Parser)]
#[command(name = "quiver", version, after_help = HELP, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(flatten)]
    pub(crate) shared: SharedArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Which database is used, and how.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct SharedArguments {
    /// The directory of the embedded database [default: ./quiver-data].
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "url")]
    pub(crate) path: Option<PathBuf>,
    /// The address of a Qdrant server, for example http://localhost:6334, in place of a directory; of a cluster, the
    /// addresses of all nodes with commas between them.
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// The address of a running `quiver serve`, for example http://127.0.0.1:7373, which then runs the command; its key
    /// comes from QUIVER_KEY.
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url, conflicts_with_all = ["path", "url"])]
    pub(crate) server: Option<String>,
    /// What the names of the three collections begin with [default: quiver].
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) prefix: Option<String>,
    /// The workspace that is read and written; none sees another's documents [default: default].
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) workspace: Option<String>,
    /// What texts are embedded with: lexical, fastembed:NAME_OR_DIR or http:URL#MODEL [default: lexical].
    #[arg(long, global = true, value_name = "EMBEDDER")]
    pub(crate) embedder: Option<String>,
    /// A language model: none or http:URL#MODEL; http:http://localhost:11434/v1#qwen3:8b is a local Ollama's
    /// [default: none].
    #[arg(long, global = true, value_name = "MODEL")]
    pub(crate) chat: Option<String>,
    /// What the language model is used for [default: all of them].
    #[arg(long, global = true, value_enum, value_delimiter = ',', value_name = "JOBS")]
    pub(crate) chat_for: Option<Vec<ChatJob>>,
    /// What orders the candidates for a question anew: none, chat (the language model) or the cross-encoder
    /// fastembed:NAME_OR_DIR beside the built-in ranking [default: chat where --chat-for says rerank, else none].
    #[arg(long, global = true, value_name = "RERANKER")]
    pub(crate) rerank: Option<String>,
    /// How many seconds a database that another process holds is waited for [default: 5].
    #[arg(long, global = true, value_name = "SECONDS")]
    pub(crate) wait: Option<f64>,
    /// The settings file to read in place of quiver.toml.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Prints one JSON document in place of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// What is to be done.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Command {
    /// Reads the bundled documents, answers questions about them and shows each path: a tour.
    Demo {
        /// Serves the handbook in place of the tour, and opens a browser where there is one.
        #[cfg(feature = "serve")]
        #[arg(long)]
        open: bool,
    },
    /// Adds documents from files, folders and web pages, or replaces those that changed.
    Ingest(IngestArguments),
    /// Follows a folder: what is created, changed, renamed or deleted in it is ingested or deleted.
    Watch(WatchArguments),
    /// Answers a question, or refuses and says why.
    Ask {
        /// The question and how it is answered.
        #[command(flatten)]
        arguments: AskArguments,
        /// Writes one file that shows the answer in a browser, with the whole way to it; it needs no server.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        html: Option<PathBuf>,
    },
    /// Finds the passages that an answer would rest on.
    Search(AskArguments),
    /// Holds a conversation: follow-up questions are understood from what it is about.
    Chat(ChatArguments),
    /// Packs what an assistant should know for a question: facts, paths and passages.
    Context(ContextArguments),
    /// Lists the documents.
    Documents,
    /// Deletes documents, and what no other document supports.
    Delete(DeleteArguments),
    /// Loads a table of nodes or of relationships: CSV, TSV or JSON lines.
    Load(LoadArguments),
    /// Runs a query in Cypher over the graph.
    Query(QueryArguments),
    /// Shows, declares or infers labels, properties and types of relationships.
    Schema {
        /// What is done with the schema.
        #[command(subcommand)]
        command: SchemaCommand,
    },
    /// Tells how the database is doing.
    Stats,
    /// Checks every reference and invariant of the workspace.
    Verify(VerifyArguments),
    /// Rebuilds the files of an embedded database: as small as they can be, with nothing in them that was deleted.
    Compact,
    /// Copies the files of an embedded database as they are, damaged ones too.
    Backup(BackupArguments),
    /// Remembers what was said, and the facts in it.
    Remember(RememberArguments),
    /// Recalls the facts that answer a question.
    Recall(RecallArguments),
    /// Lists the facts about a thing, now or as of a moment.
    Facts(FactsArguments),
    /// Forgets turns, and the facts that nothing else supports.
    Forget(ForgetArguments),
    /// Lists the sessions; archives old turns.
    Sessions(SessionsArguments),
    /// Takes, undoes and lists decisions about entities and facts.
    Decide {
        /// The decision.
        #[command(subcommand)]
        decision: DecideCommand,
    },
    /// Writes the workspace as lines of JSON, in an order that is always the same.
    Export(ExportArguments),
    /// Reads what `quiver export` wrote.
    Import(ImportArguments),
    /// Serves memory and documents to an agent by the Model Context Protocol, over standard input and output.
    #[cfg(feature = "mcp")]
    Mcp(McpArguments),
    /// Serves questions, memory and documents over HTTP, to several clients at once.
    #[cfg(feature = "serve")]
    Serve(ServeArguments),
    /// Answers drivers of Neo4j over Bolt, without HTTP.
    #[cfg(feature = "bolt")]
    Bolt(BoltArguments),
    /// Creates, lists and revokes the keys of clients of `quiver serve`.
    #[cfg(feature = "serve")]
    Keys(KeysArguments),
    /// Reads one file from standard input whose format can't be trusted; `quiver ingest` calls this for each.
    #[command(hide = true)]
    ReadUntrusted {
        /// The ending of the file's name.
        ending: String,
    },
    /// Prints completions for a shell.
    Completions {
        /// The shell that they are for.
        shell: Shell,
    },
}

impl Command {
    /// Whether the command may call a language model. The others work without its key.
    pub(crate) fn asks_model(&self) -> bool {
        #[cfg(feature = "serve")]
        if matches!(self, Self::Keys(_)) {
            return false;
        }
        !matches!(
            self,
            Self::Demo { .. }
                | Self::Documents
                | Self::Delete(_)
                | Self::Load(_)
                | Self::Query(_)
                | Self::Schema { .. }
                | Self::Stats
                | Self::Verify(_)
                | Self::Compact
                | Self::Backup(_)
                | Self::Remember(_)
                | Self::Recall(_)
                | Self::Facts(_)
                | Self::Forget(_)
                | Self::Sessions(_)
                | Self::Decide { .. }
                | Self::Export(_)
                | Self::Import(_)
                | Self::ReadUntrusted { .. }
                | Self::Completions { .. }
        )
    }

    /// Whether the command ranks candidates. The others open no reranker.
    pub(crate) fn ranks(&self) -> bool {
        self.asks_model() && !matches!(self, Self::Ingest(_) | Self::Watch(_))
    }
}

/// Arguments of `quiver mcp`.
#[cfg(feature = "mcp")]
#[derive(Clone, Debug, Args)]
pub(crate) struct McpArguments {
    /// Which tools are listed.
    #[arg(long, value_enum, default_value_t, value_name = "TOOLS")]
    pub(crate) tools: McpTools,
}

/// Which tools `quiver mcp` lists.
#[cfg(feature = "mcp")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpTools {
    /// recall, remember, ask, search, context, open, query and forget.
    #[default]
    Main,
    /// These, and documents, facts, ingest and stats.
    All,
}

#[cfg(feature = "mcp")]
impl From<McpTools> for quiver_tools::Offered {
    fn from(tools: McpTools) -> Self {
        match tools {
            McpTools::Main => Self::Default,
            McpTools::All => Self::All,
        }
    }
}

/// What becomes of a file or line that can't be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnError {
    /// It is reported and left out; the exit code says so.
    #[default]
    Skip,
    /// It is reported and ends the ingest; what came before it stays.
    Stop,
}

/// How much is done for a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Profile {
    /// Seeds and hops.
    Fast,
    /// Seeds, hops, and the question asked again with names that were found.
    #[default]
    Balanced,
    /// The same with larger budgets.
    Thorough,
}

impl From<Profile> for quiver::Profile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Fast => Self::Fast,
            Profile::Balanced => Self::Balanced,
            Profile::Thorough => Self::Thorough,
        }
    }
}

/// What a language model is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChatJob {
    /// It reads entities and relations out of passages, beside the rules.
    Extract,
    /// It orders the candidates for a question, in one call.
    Rerank,
    /// It words the answer to a question, in one call.
    Answer,
    /// It rewrites follow-up questions of a conversation, in one call.
    Contextualise,
    /// It writes a question over records as a query, where the rules can't, in one call or two.
    Query,
}

/// How `quiver ingest` follows the links of pages.
#[cfg(feature = "web")]
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LinkArguments {
    /// Follows the links of the pages, and reads sitemaps.
    #[arg(long)]
    pub(crate) crawl: bool,
    /// How many links away from the named pages others are read [default: 2].
    #[arg(long, value_name = "N", requires = "crawl")]
    pub(crate) depth: Option<usize>,
    /// How many pages are fetched at the most [default: 100].
    #[arg(long, value_name = "N", requires = "crawl", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Reads only pages of the hosts that the named pages are on.
    #[arg(long, requires = "crawl")]
    pub(crate) same_host: bool,
}

/// Arguments of `quiver watch`.
#[derive(Clone, Debug, Args)]
pub(crate) struct WatchArguments {
    /// The folder. At first all of it is read, and the documents are deleted whose files are gone.
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// What documents are called after in place of where they are, as `ingest` has it.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<SourceName>,
    /// Reads only files that match this glob, hidden and ignored ones too; may be given again.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Reads no file or folder that matches this glob; may be given again.
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// How many seconds lie between two looks at the folder, at the least [default: 1].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) every: Option<f64>,
    /// Prints problems only: no progress, and no summaries as text.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl WatchArguments {
    /// Returns the arguments of the ingest.
    pub(crate) fn ingest(&self) -> IngestArguments {
        IngestArguments {
            paths: vec![self.folder.clone()],
            source: self.source.clone(),
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            prune: true,
            quiet: self.quiet,
            ..IngestArguments::default()
        }
    }
}

/// Parses a time from a tenth of a second to a day.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.1..=86_400.0).contains(seconds));
    seconds.ok_or_else(|| "it has to be a number of seconds from 0.1 to 86400".to_owned())
}

/// Arguments of `quiver ingest`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct IngestArguments {
    /// Files (text, Markdown, HTML, PDF, Word, Excel, PowerPoint, OpenDocument sheets, EPUB, JSON, CSV, notebooks,
    /// manual pages, e-mail), folders of such files, and addresses of pages (https://…); - reads standard input.
    #[arg(required = true, value_name = "PATHS", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// What documents are called after in place of where they are, so that a folder may move: `docs` calls them
    /// docs:guide/start.md.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<SourceName>,
    /// What becomes of a file or line that can't be read [default: skip].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) on_error: Option<OnError>,
    /// Reads only files that match this glob, hidden and ignored ones too; may be given again.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Reads no file or folder that matches this glob; may be given again.
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// The field of JSON records that holds the text [default: text and the like, else guessed, and said].
    #[arg(long, value_name = "NAME")]
    pub(crate) text_field: Option<String>,
    /// The field of JSON records that holds the title [default: title].
    #[arg(long, value_name = "NAME")]
    pub(crate) title_field: Option<String>,
    /// The field of JSON records that tells them apart [default: id].
    #[arg(long, value_name = "NAME")]
    pub(crate) id_field: Option<String>,
    /// What standard input holds, as the ending of a file: md, txt, html, jsonl, csv [default: told by its content].
    #[arg(long, value_name = "ENDING")]
    pub(crate) stdin_as: Option<String>,
    /// Deletes the documents of the folders whose files are gone, of the files whose records are, and of the pages that
    /// the server has no more.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) prune: bool,
    /// How links are followed.
    #[cfg(feature = "web")]
    #[command(flatten)]
    pub(crate) links: LinkArguments,
    /// How many seconds a PDF, Office or EPUB file may take to read [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) file_seconds: Option<u64>,
    /// How many passages are written at once [default: 256, or 64 where a language model reads them].
    #[arg(long, value_name = "N")]
    pub(crate) batch: Option<usize>,
    /// Tells what a language model would take for it at the most, and does nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Stops before a language model takes more: an amount in the currency of the prices, or 500calls, 2000000tokens.
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) budget: Option<Allowance>,
    /// Prints problems only: no progress, and no summary as text.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The budget for a language model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Allowance {
    /// In the currency of the prices.
    Cost(f64),
    /// Number of calls.
    Calls(u64),
    /// Number of input and output tokens together.
    Tokens(u64),
}

impl std::str::FromStr for Allowance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let counted = |unit: &str| text.strip_suffix(unit).map(|number| number.trim().parse::<u64>());
        let allowance = match (counted("calls"), counted("tokens")) {
            (Some(calls), _) => calls.ok().map(Self::Calls),
            (_, Some(tokens)) => tokens.ok().map(Self::Tokens),
            _ => text.parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0).map(Self::Cost),
        };
        allowance.ok_or_else(|| "write an amount such as 2.50, or 500calls, or 2000000tokens".to_owned())
    }
}

/// Arguments of `quiver ask` and `quiver search`.
#[derive(Clone, Debug, Args)]
pub(crate) struct AskArguments {
    /// The question.
    pub(crate) question: String,
    /// Shows what each step did and how long it took.
    #[arg(long)]
    pub(crate) trace: bool,
    /// How much is done for the question [default: balanced].
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// How many passages are shown at the most [default: 5].
    #[arg(long, value_name = "N")]
    pub(crate) passages: Option<usize>,
    /// How many hops are made at the most [default: the profile's].
    #[arg(long, value_name = "N")]
    pub(crate) hops: Option<usize>,
    /// How likely right an answer has to be, from 0 to 1; 0 always answers [default: 0.5].
    #[arg(long, value_name = "SHARE")]
    pub(crate) confidence_min: Option<f32>,
    /// Uses nothing that was written or said after this moment, and no relation that did not hold then: 2026-03-01,
    /// 2026-03-01T09:30:00Z, or milliseconds since 1970 [default: any].
    #[arg(long, value_name = "MOMENT", allow_negative_numbers = true)]
    pub(crate) as_of: Option<Moment>,
    /// The entity that a name in the question means, by the ID that `--trace` lists; once for each name.
    #[arg(long, value_name = "NAME=ENTITY", value_parser = meaning)]
    pub(crate) meaning: Vec<Meaning>,
    /// The user who asks, by a name or the `id` of a record: whom "I" and "my" mean in a question over records.
    #[arg(long, value_name = "USER")]
    pub(crate) asker: Option<String>,
    /// The current time, for "overdue" and "next" in a question over records [default: the clock's].
    #[arg(long, value_name = "MOMENT", allow_negative_numbers = true)]
    pub(crate) now: Option<Moment>,
}

/// Parses a name and the ID of its meaning.
fn meaning(text: &str) -> Result<Meaning, String> {
    let read = text
        .rsplit_once('=')
        .and_then(|(name, id)| Some(Meaning { name: name.to_owned(), entity: id.trim().parse().ok()? }));
    read.ok_or_else(|| "write a name, `=` and the ID of an entity, as --trace lists them".to_owned())
}

/// Arguments of `quiver chat`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ChatArguments {
    /// The session, which goes on where it was left [default: chat].
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Shows what each step did with every answer.
    #[arg(long)]
    pub(crate) trace: bool,
    /// How much is done for a question [default: balanced].
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// How many passages an answer may rest on [default: 5].
    #[arg(long, value_name = "N")]
    pub(crate) passages: Option<usize>,
}

/// Arguments of `quiver context`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ContextArguments {
    /// The question.
    pub(crate) question: String,
    /// How many tokens the context may take [default: 1024].
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<usize>,
    /// The session that the question is asked in: it is understood from that, and what was spoken of there counts.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// A weight of the score, which may be given again: relevance=1, proximity=0.5, mention=0.5, recency=0.2 or
    /// interaction=0.3, which are the defaults.
    #[arg(long, value_name = "NAME=WEIGHT")]
    pub(crate) weight: Vec<String>,
    /// The user who asks, by a name or the `id` of a record: whom "I" and "my" mean in a question over records.
    #[arg(long, value_name = "USER")]
    pub(crate) asker: Option<String>,
    /// The current time, for "overdue" and "next", and for how recent something is [default: the clock's].
    #[arg(long, value_name = "MOMENT", allow_negative_numbers = true)]
    pub(crate) now: Option<Moment>,
    /// Shows what every item's score is made of, and what left.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Shows what each step did and how long it took.
    #[arg(long)]
    pub(crate) trace: bool,
    /// How much is done to find passages [default: balanced].
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// How many passages are considered at the most [default: 16].
    #[arg(long, value_name = "N")]
    pub(crate) passages: Option<usize>,
}

/// Arguments of `quiver delete`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DeleteArguments {
    /// Keys of documents, as `quiver documents` lists them.
    #[arg(required = true, value_name = "KEY")]
    pub(crate) keys: Vec<String>,
}

/// Arguments of `quiver verify`.
#[derive(Clone, Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Mends what is found.
    #[arg(long)]
    pub(crate) repair: bool,
}

/// Arguments of `quiver backup`.
#[derive(Clone, Debug, Args)]
pub(crate) struct BackupArguments {
    /// The directory that the copy is made in. It is a database as the other is one.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) target: PathBuf,
}

/// What `quiver export` writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Everything, for `quiver import`.
    #[default]
    Dump,
    /// The graph that holds as statements of Cypher.
    Cypher,
    /// The graph that holds as GraphML.
    Graphml,
    /// The graph that holds as lines of JSON.
    Jsonl,
}

/// Arguments of `quiver export`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExportArguments {
    /// What is written: all of the workspace for an import, or its facts for other tools [default: dump].
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, hide_default_value = true)]
    pub(crate) format: ExportFormat,
    #[command(flatten)]
    pub(crate) moments: MomentArguments,
    /// Writes the vectors too, so that an import need not make them anew.
    #[arg(long)]
    pub(crate) vectors: bool,
    /// Writes what can still be read of a damaged database in a directory, from a copy of it in the directory for
    /// temporary files, and says what is left out.
    #[arg(long)]
    pub(crate) salvage: bool,
    /// The file to write in place of standard output; it is put in place when it is complete.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// Arguments of `quiver import`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file to read; standard input where there is none.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// What becomes of a line with something wrong [default: stop].
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnError::Stop, hide_default_value = true)]
    pub(crate) on_error: OnError,
}
