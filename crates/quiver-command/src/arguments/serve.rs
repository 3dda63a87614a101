#![expect(clippy::doc_markdown, reason = "help is printed as it stands here, and is no Markdown")]

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum, ValueHint};

/// Arguments of `quiver serve`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArguments {
    /// The address to listen on; port 0 selects a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7373")]
    pub(crate) listen: SocketAddr,
    /// The address on which to serve Neo4j drivers over Bolt, for example 127.0.0.1:7687 [default: none].
    #[cfg(feature = "bolt")]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) bolt: Option<SocketAddr>,
    /// The server's name over Bolt, for clients that require one that begins with Neo4j/ [default: Quiver/ and the
    /// version].
    #[cfg(feature = "bolt")]
    #[arg(long, value_name = "NAME", requires = "bolt")]
    pub(crate) bolt_agent: Option<String>,
    /// The directory that stores jobs (`POST /v1/jobs`), so that the next server can resume them [default: quiver.jobs
    /// in the directory of the database, and none with --url].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) jobs: Option<PathBuf>,
    /// A name of this host that requests may address, besides localhost and addresses; may be repeated. With keys and
    /// without this flag, any name is accepted.
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The origin of pages whose scripts may send requests, for example https://notes.example.org; may be repeated.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,
    /// The address or network of a proxy, for example 10.0.0.0/8, whose Forwarded, or X-Forwarded-For and
    /// X-Forwarded-Proto, headers are trusted; may be repeated.
    #[arg(long, value_name = "NETWORK")]
    pub(crate) proxy: Vec<quiver_server::Network>,
    /// Maximum size of a request in megabytes.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) body_megabytes: u32,
    /// Fetches web pages (`POST /v1/documents` with a `url`) from addresses that are not public too, such as those of
    /// this machine and its network. Everyone who may write can then read what this machine can.
    #[arg(long)]
    pub(crate) allow_private_addresses: bool,
    /// Checks whether the server at the address is ready, and exits.
    #[arg(long)]
    pub(crate) check: bool,
    /// The options common to all protocols.
    #[command(flatten)]
    pub(crate) server: ServerArguments,
}

/// Arguments of `quiver bolt`.
#[cfg(feature = "bolt")]
#[derive(Clone, Debug, Args)]
pub(crate) struct BoltArguments {
    /// The address to listen on, for example 127.0.0.1:7687; port 0 selects a free port.
    pub(crate) address: SocketAddr,
    /// The server's name, for clients that require one that begins with Neo4j/ [default: Quiver/ and the version].
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The options common to all protocols.
    #[command(flatten)]
    pub(crate) server: ServerArguments,
}

/// Arguments common to all protocols: access and limits.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServerArguments {
    /// The file of the keys that `quiver keys` creates, which must exist [default: server.keys in the directory of the
    /// database, or quiver.keys in the working directory with --url; without such a file, the server accepts everyone].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) keys: Option<PathBuf>,
    /// Accepts everyone, even on an address that other machines can reach.
    #[arg(long)]
    pub(crate) insecure: bool,
    /// The certificate chain for HTTPS and Bolt, in PEM; reloaded when the file changes. Without it, the server
    /// uses plain HTTP and Bolt.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Maximum number of requests per minute of each key, or of each address without one [default: unlimited].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) requests_per_minute: Option<u32>,
    /// Maximum number of seconds for a question.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) question_seconds: u64,
    /// Maximum number of questions answered at once [default: twice the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) questions_at_once: Option<u16>,
    /// Maximum number of milliseconds that a question waits for its turn. If the wait is likely to be longer, the
    /// server immediately tells the client when to retry.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub(crate) queue_ms: u64,
    /// The format of the log on standard error; RUST_LOG selects what is logged.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) log_format: LogFormat,
}

/// The format of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Readable lines.
    #[default]
    Text,
    /// A line of JSON for each event.
    Json,
}

/// A part of `quiver keys`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Creates a key and prints it; it is not shown again.
    Create {
        /// The purpose of the key.
        name: String,
        /// The role of the key.
        #[arg(long, value_enum, default_value_t, value_name = "ROLE")]
        role: KeyRole,
        /// The workspaces of the key, separated by commas [default: all].
        #[arg(long, value_delimiter = ',', value_name = "NAMES")]
        workspaces: Vec<String>,
    },
    /// Lists the keys, without their secrets.
    List,
    /// Revokes a key; a running server refuses it within a second.
    Revoke {
        /// The ID, as `quiver keys list` prints it.
        id: String,
    },
}

/// The role of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyRole {
    /// Questions and lists.
    #[default]
    Read,
    /// Also adding, remembering, chatting, deleting and forgetting.
    Write,
    /// Also exports, imports, checks and metrics.
    Admin,
}

/// Arguments of `quiver keys`.
#[derive(Clone, Debug, Args)]
pub(crate) struct KeysArguments {
    /// The file of the keys [default: server.keys in the directory of the database, or quiver.keys in the working
    /// directory with --url].
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) keys: Option<PathBuf>,
    /// What to do with the keys.
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}
