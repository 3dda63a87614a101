#![expect(clippy::doc_markdown, reason = "help is printed as it stands here, and is no Markdown")]

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum, ValueHint};

/// Arguments of `quiver serve`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArguments {
    /// The address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7373")]
    pub(crate) listen: SocketAddr,
    /// The address on which drivers of Neo4j are answered over Bolt, for example 127.0.0.1:7687 [default: none].
    #[cfg(feature = "bolt")]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) bolt: Option<SocketAddr>,
    /// What the server calls itself over Bolt, for clients that want a name which begins with Neo4j/ [default: Quiver/ and
    /// the version].
    #[cfg(feature = "bolt")]
    #[arg(long, value_name = "NAME", requires = "bolt")]
    pub(crate) bolt_agent: Option<String>,
    /// The directory that keeps ingests which go on after the reply (`POST /v1/jobs`), so that the next server goes on
    /// with them [default: quiver.jobs in the directory of the database, and none with --url].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) jobs: Option<PathBuf>,
    /// A name of this host that requests may be for, beside localhost and addresses; may be given again. With keys, and
    /// without this flag, any name will do.
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The origin of pages whose scripts may send requests, for example https://notes.example.org; may be given again.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,
    /// The address or network of a proxy in front, for example 10.0.0.0/8, whose Forwarded, or X-Forwarded-For and
    /// X-Forwarded-Proto, are believed; may be given again.
    #[arg(long, value_name = "NETWORK")]
    pub(crate) proxy: Vec<quiver_server::Network>,
    /// How many megabytes a request may have.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) body_megabytes: u32,
    /// Asks the server that runs on the address whether it is ready, and ends.
    #[arg(long)]
    pub(crate) check: bool,
    /// What holds for every protocol.
    #[command(flatten)]
    pub(crate) server: ServerArguments,
}

/// Arguments of `quiver bolt`.
#[cfg(feature = "bolt")]
#[derive(Clone, Debug, Args)]
pub(crate) struct BoltArguments {
    /// The address to listen on, for example 127.0.0.1:7687; port 0 takes a free one.
    pub(crate) address: SocketAddr,
    /// What the server calls itself, for clients that want a name which begins with Neo4j/ [default: Quiver/ and the
    /// version].
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// What holds for every protocol.
    #[command(flatten)]
    pub(crate) server: ServerArguments,
}

/// Arguments of servers of every protocol: who is let in, and how much is done for them.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServerArguments {
    /// The file of the keys that `quiver keys` creates; a server without such a file answers everybody [default:
    /// server.keys in the directory of the database, quiver.keys here with --url].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) keys: Option<PathBuf>,
    /// Answers everybody on an address beyond this machine.
    #[arg(long)]
    pub(crate) insecure: bool,
    /// The certificate for HTTPS and Bolt, with those that lead from it to one that clients trust, in PEM; read again when the
    /// file changes. Without it, the server speaks plain HTTP and Bolt.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// How many requests each key, or each address without one, may send in a minute [default: any number].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) requests_per_minute: Option<u32>,
    /// How many seconds a question may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) question_seconds: u64,
    /// How many questions are answered at once [default: twice the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) questions_at_once: Option<u16>,
    /// How many milliseconds a question may wait for its turn. If it is likely to take longer, its client is told at
    /// once when to come back.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub(crate) queue_ms: u64,
    /// How the log is written to standard error; RUST_LOG says what of it.
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) log_format: LogFormat,
}

/// How a log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// A line of JSON for each event.
    Json,
}

/// What is done with the keys of a server.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Creates a key and prints it, this once.
    Create {
        /// What the key is for, to tell it from others.
        name: String,
        /// What the key allows.
        #[arg(long, value_enum, default_value_t, value_name = "ROLE")]
        role: KeyRole,
        /// The workspaces that the key is for, with commas between them [default: all].
        #[arg(long, value_delimiter = ',', value_name = "NAMES")]
        workspaces: Vec<String>,
    },
    /// Lists the keys, without what they are.
    List,
    /// Revokes a key; a running server refuses it within a second.
    Revoke {
        /// The id, as `quiver keys list` prints it.
        id: String,
    },
}

/// What a key allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyRole {
    /// Questions and lists.
    #[default]
    Read,
    /// These, and adding, remembering, chatting, deleting and forgetting.
    Write,
    /// These, and exports, imports, checks and measurements.
    Admin,
}

/// Arguments of `quiver keys`.
#[derive(Clone, Debug, Args)]
pub(crate) struct KeysArguments {
    /// The file of the keys [default: server.keys in the directory of the database, quiver.keys here with --url].
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) keys: Option<PathBuf>,
    /// What is to be done.
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}
