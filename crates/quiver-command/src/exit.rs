use std::{fmt, io};

use quiver::{ErrorKind, Stage};

/// The exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The command succeeded.
    Done = 0,
    /// The command succeeded with a negative result: no answer, violations, a missing document, a wrong demo answer.
    Negative = 1,
    /// The command line or a setting can't be used.
    Usage = 2,
    /// Some input was invalid: it was skipped, or it ended the command.
    Input = 3,
    /// The database or a model can't be used: unreachable, locked, made with another embedder, damaged, full.
    Database = 4,
    /// Anything else.
    Other = 5,
    /// The budget for language models is used up. Running the same command again resumes the work.
    Budget = 6,
    /// The command was interrupted.
    Interrupted = 130,
}

/// The codes, as `--help` shows them.
pub(crate) const HELP: &str = "\
Exit codes:
  0    success
  1    success with a negative result: no answer, remaining violations, a missing document
  2    the command line or a setting can't be used
  3    invalid input: a file or line was skipped, or it ended the command
  4    the database or a model can't be used: unreachable, locked, another embedder, damaged, disk full
  5    anything else
  6    the budget for the language model is used up; the work is kept, and the same command resumes
  130  interrupted

Settings come from quiver.toml ($XDG_CONFIG_HOME/quiver, then the working directory, or --config), from environment
variables named QUIVER_ and the setting, and from flags; the later ones win.
The keys of quiver.toml are path, url, api_key, server, key, prefix, workspace, embedder, embedder_api_key, embedder_api_key_file, \
chat, chat_api_key, chat_api_key_file, chat_for, chat_extract, chat_rerank, chat_answer, chat_contextualise, chat_query, \
chat_facts, chat_facts_wait_s, chat_remember, chat_cache, chat_kinds, chat_predicates, chat_batch, chat_requests, \
chat_requests_per_minute, chat_tokens_per_minute, chat_timeout_s, chat_price_in, chat_price_out, rerank, rerank_weight, profile, passages, hops, \
confidence_min, restated, batch, on_error, allow_private_addresses, timeout_s, wait_s, shard_number, replication_factor, write_consistency_factor, read_consistency and freshness.";

/// An error with its exit code.
#[derive(Debug)]
pub(crate) struct Failed {
    exit: Exit,
    message: String,
}

impl Failed {
    /// The command line or a setting can't be used.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// Something that was named does not exist.
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self { exit: Exit::Negative, message: message.into() }
    }

    /// Some input is invalid.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { exit: Exit::Input, message: message.into() }
    }

    /// The command was interrupted.
    pub(crate) fn interrupted(message: impl Into<String>) -> Self {
        Self { exit: Exit::Interrupted, message: message.into() }
    }

    /// A bug ended the command.
    pub(crate) fn bug(message: impl Into<String>) -> Self {
        Self { exit: Exit::Other, message: message.into() }
    }

    /// The database or a model can't be used.
    pub(crate) fn database(message: impl Into<String>) -> Self {
        Self { exit: Exit::Database, message: message.into() }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failed {}

/// The reader of standard output has gone. That is not an error: `quiver export | head` is meant to end like this.
#[derive(Debug)]
pub(crate) struct ReaderGone;

impl fmt::Display for ReaderGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard output was closed")
    }
}

impl std::error::Error for ReaderGone {}

impl Exit {
    /// The exit of another process.
    #[cfg(feature = "serve")]
    pub(crate) fn of_code(code: u8) -> Self {
        let known = [
            Self::Done,
            Self::Negative,
            Self::Usage,
            Self::Input,
            Self::Database,
            Self::Budget,
            Self::Interrupted,
        ];
        known.into_iter().find(|exit| *exit as u8 == code).unwrap_or(Self::Other)
    }

    /// Returns the exit code of an error.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        for cause in error.chain() {
            if cause.is::<quiver::store::Error>() {
                return Self::Database;
            }
            let io = cause.downcast_ref::<io::Error>();
            if let Some(inner) = io.and_then(io::Error::get_ref)
                && inner.is::<ReaderGone>()
            {
                return Self::Done;
            }
        }
        for cause in error.chain() {
            if let Some(failed) = cause.downcast_ref::<Failed>() {
                return failed.exit;
            }
            if let Some(error) = cause.downcast_ref::<quiver::Error>() {
                return Self::of_engine(error);
            }
            if let Some(error) = cause.downcast_ref::<quiver::models::Error>() {
                return Self::of_model(error.kind());
            }
            if cause.is::<quiver::store::Error>() {
                return Self::Database;
            }
            let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
            if matches!(io, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) {
                return Self::Database;
            }
        }
        Self::Other
    }

    fn of_engine(error: &quiver::Error) -> Self {
        match error.kind() {
            ErrorKind::Unavailable
            | ErrorKind::Unauthorized
            | ErrorKind::Locked
            | ErrorKind::Mismatch
            | ErrorKind::Corrupt
            | ErrorKind::Full
            | ErrorKind::Denied
            | ErrorKind::Exhausted
            | ErrorKind::Device => Self::Database,
            // A missing model, not a missing document.
            ErrorKind::NotFound if matches!(error.stage(), Stage::Ingest) => Self::Database,
            ErrorKind::NotFound => Self::Negative,
            ErrorKind::Invalid if matches!(error.stage(), Stage::Open | Stage::Understand) => Self::Usage,
            ErrorKind::Invalid => Self::Input,
            // For example, a directory that can't be created or written.
            _ if matches!(error.stage(), Stage::Open) => Self::Database,
            _ => Self::Other,
        }
    }

    fn of_model(kind: quiver::models::ErrorKind) -> Self {
        use quiver::models::ErrorKind;
        match kind {
            ErrorKind::Invalid => Self::Usage,
            ErrorKind::Other => Self::Other,
            _ => Self::Database,
        }
    }
}

/// Returns an error and its causes, without causes that an earlier message already contains.
pub(crate) fn causes(error: &anyhow::Error) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if !causes.iter().any(|said| said.contains(&cause)) {
            causes.push(cause);
        }
    }
    causes
}
