//! The command-line arguments.
#![expect(clippy::doc_markdown, reason = "help is printed as it stands here, and is no Markdown")]

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use quiver::{Meaning, graph::PassageId, read::SourceName};
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
    SessionsArguments, SuggestArguments,
};

#[cfg(feature = "bolt")]
pub(crate) use serve::BoltArguments;
#[cfg(feature = "serve")]
pub(crate) use serve::{KeyRole, KeysArguments, KeysCommand, LogFormat, ServeArguments, ServerArguments};

/// Answers questions over documents by following the references between them, and shows the path to every answer.
#[derive(Clone, Debug, Parser)]
#[command(name = "quiver", version, after_help = HELP, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(flatten)]
    pub(crate) shared: SharedArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The names of values that are numbers or moments.
const NUMERIC: [&str; 6] = ["N", "SECONDS", "MILLISECONDS", "SHARE", "AMOUNT", "MOMENT"];

impl Arguments {
    /// Parses the words of a command line. A value that is a number may be negative, so that the error says which numbers
    /// are allowed, and not that there is no such flag.
    pub(crate) fn read<W: Into<OsString> + Clone>(
        words: impl IntoIterator<Item = W>,
    ) -> clap::error::Result<Self> {
        let mut command = with_negative_numbers(Self::command());
        let mut matches = command.try_get_matches_from_mut(words)?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    }
}

fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let is_numeric = |argument: &clap::Arg| {
        let names = argument.get_value_names().unwrap_or_default();
        names.iter().any(|name| NUMERIC.contains(&name.as_str()))
    };
    command
        .mut_args(|argument| {
            let is_numeric = is_numeric(&argument);
            argument.allow_negative_numbers(is_numeric)
        })
        .mut_subcommands(with_negative_numbers)
}

/// The database to use, and how.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct SharedArguments {
    /// The directory of the embedded database, or the address of a running `quiver serve`, as in --server [default:
    /// ./quiver-data].
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "url")]
    pub(crate) path: Option<PathBuf>,
    /// The address of a Qdrant server, for example http://localhost:6334, instead of a directory; for a cluster, the
    /// addresses of all nodes, separated by commas.
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: Option<String>,
    /// The address of a running `quiver serve`, for example http://127.0.0.1:7373, that runs the command; the key comes
    /// from QUIVER_KEY.
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url, conflicts_with_all = ["path", "url"])]
    pub(crate) server: Option<String>,
    /// The prefix of the names of the three collections [default: quiver].
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) prefix: Option<String>,
    /// The workspace to read and write; workspaces cannot see each other's documents [default: default].
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) workspace: Option<String>,
    /// The encoder of texts: lexical, fastembed:NAME_OR_DIR or http:URL#MODEL [default: lexical].
    #[arg(long, global = true, value_name = "EMBEDDER")]
    pub(crate) embedder: Option<String>,
    /// A language model: none or http:URL#MODEL; for example http:http://localhost:11434/v1#qwen3:8b for a
    /// local Ollama [default: none].
    #[arg(long, global = true, value_name = "MODEL")]
    pub(crate) chat: Option<String>,
    /// The jobs of the language model [default: all of them except facts].
    #[arg(long, global = true, value_enum, value_delimiter = ',', value_name = "JOBS")]
    pub(crate) chat_for: Option<Vec<ChatJob>>,
    /// The reranker of the candidates for a question: none, chat (the language model) or the cross-encoder
    /// fastembed:NAME_OR_DIR combined with the built-in ranking [default: chat if --chat-for includes rerank, otherwise
    /// none].
    #[arg(long, global = true, value_name = "RERANKER")]
    pub(crate) rerank: Option<String>,
    /// How many seconds to wait for a database that another process holds [default: 5].
    #[arg(long, global = true, value_name = "SECONDS")]
    pub(crate) wait: Option<f64>,
    /// The settings file to read instead of quiver.toml.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Prints one JSON document instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The command to run.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows a tour: reads the bundled documents, answers questions about them, and shows each path.
    Demo {
        /// Serves the handbook instead of the tour, and opens a browser if there is one.
        #[cfg(feature = "serve")]
        #[arg(long)]
        open: bool,
    },
    /// Adds documents from files, folders and web pages, and replaces those that have changed.
    Ingest(IngestArguments),
    /// Watches a folder, and ingests or deletes what is created, changed, renamed or deleted in it.
    Watch(WatchArguments),
    /// Answers a question, or explains why it cannot.
    Ask {
        /// The question and how it is answered.
        #[command(flatten)]
        arguments: AskArguments,
        /// Writes a file that shows the answer and its path in a browser, without a server.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        html: Option<PathBuf>,
    },
    /// Finds the passages that an answer would be based on.
    Search(SearchArguments),
    /// Holds a conversation and resolves follow-up questions.
    Chat(ChatArguments),
    /// Collects what an assistant should know to answer a question: facts, paths and passages.
    Context(ContextArguments),
    /// Lists the documents.
    #[command(alias = "list")]
    Documents,
    /// Deletes documents, and everything that no other document supports.
    Delete(DeleteArguments),
    /// Loads a table of nodes or of relationships: CSV, TSV or JSON lines.
    Load(LoadArguments),
    /// Runs a Cypher query on the graph.
    Query(QueryArguments),
    /// Shows, declares or infers labels, properties and types of relationships.
    Schema {
        /// What to do with the schema.
        #[command(subcommand)]
        command: SchemaCommand,
    },
    /// Shows the state of the database.
    Stats,
    /// Checks every reference and invariant of the workspace.
    Verify(VerifyArguments),
    /// Rebuilds the files of an embedded database, so that they are as small as possible and contain nothing deleted.
    Compact,
    /// Copies the files of an embedded database unchanged, including damaged ones.
    Backup(BackupArguments),
    /// Stores what was said, and the facts in it.
    Remember(RememberArguments),
    /// Recalls the facts that answer a question.
    Recall(RecallArguments),
    /// Lists the facts about an entity, now or as of a moment.
    Facts(FactsArguments),
    /// Forgets turns, and the facts that nothing else supports.
    Forget(ForgetArguments),
    /// Lists the sessions; archives old turns.
    Sessions(SessionsArguments),
    /// Suggests merges of entities that are probably the same, and relations of entities that are named together.
    Suggest(SuggestArguments),
    /// Makes, undoes and lists decisions about entities and facts.
    Decide {
        /// The decision.
        #[command(subcommand)]
        decision: DecideCommand,
    },
    /// Exports the workspace as lines of JSON, in a deterministic order.
    Export(ExportArguments),
    /// Imports the output of `quiver export`.
    Import(ImportArguments),
    /// Serves memory and documents to an agent over the Model Context Protocol, on standard input and output.
    #[cfg(feature = "mcp")]
    Mcp(McpArguments),
    /// Serves questions, memory and documents over HTTP, to several clients at once.
    #[cfg(feature = "serve")]
    Serve(ServeArguments),
    /// Serves Neo4j drivers over Bolt, without HTTP.
    #[cfg(feature = "bolt")]
    Bolt(BoltArguments),
    /// Creates, lists and revokes the keys of clients of `quiver serve`.
    #[cfg(feature = "serve")]
    Keys(KeysArguments),
    /// Parses a file in an untrusted format from standard input; `quiver ingest` runs this for each such file.
    #[command(hide = true)]
    ReadUntrusted {
        /// The extension of the file's name.
        ending: String,
    },
    /// Prints completions for a shell.
    Completions {
        /// The shell.
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
                | Self::Suggest(_)
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
    /// The tools to list.
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

/// What to do with a file or line that can't be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnError {
    /// Reports and skips it; the exit code is 3.
    #[default]
    Skip,
    /// Reports it and stops the ingest; earlier work is kept.
    Stop,
}

/// The effect of a new value on earlier ones of the same subject and predicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Restated {
    /// The earlier values stay valid, unless the wording signals a change.
    #[default]
    Adds,
    /// The new value replaces the earlier ones.
    Replaces,
}

impl From<Restated> for quiver::memory::Restated {
    fn from(restated: Restated) -> Self {
        match restated {
            Restated::Adds => Self::Adds,
            Restated::Replaces => Self::Replaces,
        }
    }
}

/// The effort for a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Profile {
    /// Search and hops.
    Fast,
    /// Search, hops, and further searches with names that were found.
    #[default]
    Balanced,
    /// As balanced, with larger budgets.
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

/// A job of the language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChatJob {
    /// Extracts entities and relations from passages, in addition to the rules.
    Extract,
    /// Orders the candidates for a question, in one call.
    Rerank,
    /// Writes the answer to a question, in one call.
    Answer,
    /// Rewrites follow-up questions of a conversation, in one call.
    Contextualise,
    /// Translates a question over records into a query if the rules can't, in one or two calls.
    Query,
    /// Reads facts from remembered turns, in addition to the rules.
    Facts,
}

/// How `quiver ingest` follows the links of pages.
#[cfg(feature = "web")]
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LinkArguments {
    /// Follows the links of the pages, and reads sitemaps.
    #[arg(long)]
    pub(crate) crawl: bool,
    /// Maximum number of links from the named pages to others [default: 2].
    #[arg(long, value_name = "N", requires = "crawl")]
    pub(crate) depth: Option<usize>,
    /// Maximum number of pages to fetch [default: 100].
    #[arg(long, value_name = "N", requires = "crawl", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Reads only pages on the hosts of the named pages.
    #[arg(long, requires = "crawl")]
    pub(crate) same_host: bool,
}

/// Arguments of `quiver watch`.
#[derive(Clone, Debug, Args)]
pub(crate) struct WatchArguments {
    /// The folder. It is first read completely, and the documents of deleted files are deleted.
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// The name that replaces the path in document keys, as in `ingest`.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<SourceName>,
    /// Reads only files that match this glob, including hidden and ignored ones; may be repeated.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Skips files and folders that match this glob; may be repeated.
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Minimum number of seconds between two scans of the folder [default: 1].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) every: Option<f64>,
    /// Prints only problems: no progress and no text summaries.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl WatchArguments {
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
    seconds.ok_or_else(|| "must be a number of seconds from 0.1 to 86400".to_owned())
}

/// Arguments of `quiver ingest`.
#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct IngestArguments {
    /// Files (text, Markdown, HTML, PDF, Word, Excel, PowerPoint, OpenDocument sheets, EPUB, JSON, CSV, notebooks,
    /// manual pages, e-mail), folders of such files, and web addresses (https://…); - reads standard input.
    #[arg(required = true, value_name = "PATHS", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// The source name that prefixes document keys instead of the path, so that a folder can move: with `docs`, a key
    /// is docs:guide/start.md.
    #[arg(long, value_name = "NAME")]
    pub(crate) source: Option<SourceName>,
    /// What to do with a file or line that can't be read [default: skip].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) on_error: Option<OnError>,
    /// Reads only files that match this glob, including hidden and ignored ones; may be repeated.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Skips files and folders that match this glob; may be repeated.
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// The field of JSON records that holds the text [default: text or similar, otherwise guessed and reported].
    #[arg(long, value_name = "NAME")]
    pub(crate) text_field: Option<String>,
    /// The field of JSON records that holds the title [default: title].
    #[arg(long, value_name = "NAME")]
    pub(crate) title_field: Option<String>,
    /// The field of JSON records that identifies them [default: id].
    #[arg(long, value_name = "NAME")]
    pub(crate) id_field: Option<String>,
    /// The format of standard input, as a file extension: md, txt, html, jsonl, csv [default: detected from its
    /// content].
    #[arg(long, value_name = "ENDING")]
    pub(crate) stdin_as: Option<String>,
    /// Deletes the documents of files that were deleted from the folders or have no text any more, of records deleted
    /// from the files, and of pages that no longer exist; --dry-run lists them.
    #[arg(long)]
    pub(crate) prune: bool,
    /// Lets --prune delete most documents of a source, which it otherwise refuses.
    #[arg(long, requires = "prune")]
    pub(crate) yes: bool,
    /// How to follow links.
    #[cfg(feature = "web")]
    #[command(flatten)]
    pub(crate) links: LinkArguments,
    /// Maximum number of seconds to read a PDF, Office or EPUB file [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) file_seconds: Option<u64>,
    /// Number of passages written at once [default: 256, or 64 if a language model reads them].
    #[arg(long, value_name = "N")]
    pub(crate) batch: Option<usize>,
    /// Prints the maximum cost of the language model, and what --prune would delete, without ingesting.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Stops before a language model exceeds this budget: an amount in the currency of the prices, 500calls or
    /// 2000000tokens.
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) budget: Option<Allowance>,
    /// Prints only problems: no progress and no text summary.
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
        allowance.ok_or_else(|| "write an amount such as 2.50, 500calls or 2000000tokens".to_owned())
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
    /// The effort for the question [default: balanced].
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// Maximum number of passages shown [default: 5].
    #[arg(long, value_name = "N")]
    pub(crate) passages: Option<usize>,
    /// Maximum number of hops [default: the profile's].
    #[arg(long, value_name = "N")]
    pub(crate) hops: Option<usize>,
    /// Minimum confidence of an answer, from 0 to 1; 0 always answers [default: 0.5].
    #[arg(long, value_name = "SHARE")]
    pub(crate) confidence_min: Option<f32>,
    /// Answers as of this moment: ignores everything written or said later, and relations that did not hold then:
    /// 2026, 2026-03-01, 2026-03-01T09:30:00Z, or milliseconds since 1970 [default: no restriction].
    #[arg(long, value_name = "MOMENT")]
    pub(crate) as_of: Option<Moment>,
    /// A document to use, by its key or the path of its file; may be repeated. Passages of others are ignored [default: all].
    #[arg(long, value_name = "KEY")]
    pub(crate) document: Vec<String>,
    /// A value that the metadata of a document must have; may be repeated: for one key, one of the values is enough.
    /// Passages of other documents are ignored [default: all].
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = condition)]
    pub(crate) conditions: Vec<(String, String)>,
    /// Ignores documents written before this moment, and those without a time.
    #[arg(long, value_name = "MOMENT")]
    pub(crate) written_since: Option<Moment>,
    /// Ignores documents written at this moment or later, and those without a time.
    #[arg(long, value_name = "MOMENT")]
    pub(crate) written_before: Option<Moment>,
    /// The entity that a name in the question refers to, by the ID that `--trace` lists; once per name.
    #[arg(long, value_name = "NAME=ENTITY", value_parser = meaning)]
    pub(crate) meaning: Vec<Meaning>,
    /// The user who asks, by name or by the `id` of a record: "I" and "my" in a question over records.
    #[arg(long, value_name = "USER")]
    pub(crate) asker: Option<String>,
    /// The time that "overdue" and "next" in a question over records refer to [default: now].
    #[arg(long, value_name = "MOMENT")]
    pub(crate) now: Option<Moment>,
}

/// Arguments of `quiver search`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SearchArguments {
    #[command(flatten)]
    pub(crate) ask: AskArguments,
    /// The passage to continue from, which the last line of the same search names.
    #[arg(long, value_name = "PASSAGE")]
    pub(crate) from: Option<PassageId>,
}

/// Parses a key and a value of metadata.
fn condition(text: &str) -> Result<(String, String), String> {
    let read = text.split_once('=').filter(|(key, _)| !key.is_empty());
    let read = read.map(|(key, value)| (key.to_owned(), value.to_owned()));
    read.ok_or_else(|| "write KEY=VALUE, such as team=kitchen".to_owned())
}

/// Parses a name and the ID of its meaning.
fn meaning(text: &str) -> Result<Meaning, String> {
    let read = text
        .rsplit_once('=')
        .and_then(|(name, id)| Some(Meaning { name: name.to_owned(), entity: id.trim().parse().ok()? }));
    read.ok_or_else(|| "write NAME=ENTITY, with the ID of an entity that --trace lists".to_owned())
}

/// Arguments of `quiver chat`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ChatArguments {
    /// The session, which continues where it left off [default: chat].
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// The user who asks, by name or by the `id` of a record: "I" and "my", and the speaker of what is stated.
    #[arg(long, value_name = "USER")]
    pub(crate) asker: Option<String>,
    /// Shows what each step did for every answer.
    #[arg(long)]
    pub(crate) trace: bool,
    /// The effort for a question [default: balanced].
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// Maximum number of passages for an answer [default: 5].
    #[arg(long, value_name = "N")]
    pub(crate) passages: Option<usize>,
}

/// Arguments of `quiver context`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ContextArguments {
    /// The question.
    pub(crate) question: String,
    /// Maximum number of tokens in the context [default: 1024].
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<usize>,
    /// The session in which the question is asked: it resolves references, and its recent topics count.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// A weight of the score, with its default: relevance=1, proximity=0.5, mention=0.5, recency=0.2 or
    /// interaction=0.3; may be repeated.
    #[arg(long, value_name = "NAME=WEIGHT")]
    pub(crate) weight: Vec<String>,
    /// The user who asks, by name or by the `id` of a record: "I" and "my" in a question over records.
    #[arg(long, value_name = "USER")]
    pub(crate) asker: Option<String>,
    /// Shows what was true at this moment: 2026, 2026-03-01, 2026-03-01T09:30:00Z, or milliseconds since 1970 [default:
    /// now].
    #[arg(long, value_name = "MOMENT")]
    pub(crate) as_of: Option<Moment>,
    /// The time that "overdue", "next" and the recency of items refer to [default: now].
    #[arg(long, value_name = "MOMENT")]
    pub(crate) now: Option<Moment>,
    /// Shows the components of every item's score, and the items that did not fit.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Shows what each step did and how long it took.
    #[arg(long)]
    pub(crate) trace: bool,
    /// The effort to find passages [default: balanced].
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) profile: Option<Profile>,
    /// Maximum number of passages considered [default: 16].
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
    /// Repairs the violations.
    #[arg(long)]
    pub(crate) repair: bool,
}

/// Arguments of `quiver backup`.
#[derive(Clone, Debug, Args)]
pub(crate) struct BackupArguments {
    /// The directory for the copy, which is a database like the original.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) target: PathBuf,
}

/// The format of `quiver export`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Everything, for `quiver import`.
    #[default]
    Dump,
    /// The currently valid graph as Cypher statements.
    Cypher,
    /// The currently valid graph as GraphML.
    Graphml,
    /// The currently valid graph as lines of JSON.
    Jsonl,
}

/// Arguments of `quiver export`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExportArguments {
    /// The format: the whole workspace for an import, or its entities, relations and facts for other tools [default: dump].
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t, hide_default_value = true)]
    pub(crate) format: ExportFormat,
    #[command(flatten)]
    pub(crate) moments: MomentArguments,
    /// Includes the vectors, so that an import need not compute them again.
    #[arg(long)]
    pub(crate) vectors: bool,
    /// Exports the readable part of a damaged database in a directory, using a temporary copy, and reports what is
    /// missing.
    #[arg(long)]
    pub(crate) salvage: bool,
    /// The file to write instead of standard output; it is created once the export is complete.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// Arguments of `quiver import`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file to read [default: standard input].
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// What to do with an invalid line [default: stop].
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnError::Stop, hide_default_value = true)]
    pub(crate) on_error: OnError,
}
