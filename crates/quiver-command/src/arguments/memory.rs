//! What was typed for the memory.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use crate::moment::Moment;

/// The moments that a reading is of.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct MomentArguments {
    /// What was true at this moment: 2026-03-01, 2026-03-01T09:30:00Z, or milliseconds since 1970 [default: now].
    #[arg(long, value_name = "MOMENT", allow_negative_numbers = true)]
    pub(crate) as_of: Option<Moment>,
    /// What had been said by this moment [default: all].
    #[arg(long, value_name = "MOMENT", allow_negative_numbers = true)]
    pub(crate) known_at: Option<Moment>,
}

/// Arguments of `quiver remember`.
#[derive(Clone, Debug, Args)]
pub(crate) struct RememberArguments {
    /// What was said.
    #[arg(conflicts_with = "from")]
    pub(crate) text: Option<String>,
    /// A file of turns, one JSON object a line with `text` and, where they are known, `session`, `turn`, `speaker`,
    /// `time` and `facts`; - is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,
    /// The session it was said in; with --from, that of lines which name none [default: default].
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Its number in the session.
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "from")]
    pub(crate) turn: Option<u64>,
    /// Who said it; with --from, who said the lines that do not say.
    #[arg(long, value_name = "NAME")]
    pub(crate) speaker: Option<String>,
    /// When: 2026-03-01, 2026-03-01T09:30:00Z, or milliseconds since 1970 [default: now].
    #[arg(long, value_name = "MOMENT", allow_negative_numbers = true, conflicts_with = "from")]
    pub(crate) at: Option<Moment>,
    /// A fact in it, in place of those read from the text; may be given again.
    #[arg(long, num_args = 3, value_names = ["SUBJECT", "PREDICATE", "OBJECT"], conflicts_with = "from")]
    pub(crate) fact: Vec<String>,
    /// Reads no facts from the text.
    #[arg(long)]
    pub(crate) no_facts: bool,
}

/// Arguments of `quiver recall`.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecallArguments {
    /// The question.
    pub(crate) question: String,
    /// The session that it is asked in, by which "this project" is understood.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) moments: MomentArguments,
    /// The present, in place of the clock's: what begins later does not hold yet.
    #[arg(long, value_name = "MOMENT", allow_negative_numbers = true)]
    pub(crate) now: Option<Moment>,
    /// Facts with this predicate alone; may be given again.
    #[arg(long, value_name = "PREDICATE")]
    pub(crate) predicate: Vec<String>,
    /// How many tokens the facts may take [default: 64].
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<usize>,
    /// Shows the path, and what each step did and how long it took.
    #[arg(long)]
    pub(crate) trace: bool,
}

/// Arguments of `quiver facts`.
#[derive(Clone, Debug, Args)]
pub(crate) struct FactsArguments {
    /// Any name of the thing.
    pub(crate) about: String,
    #[command(flatten)]
    pub(crate) moments: MomentArguments,
    /// Lists what ended or was denied too.
    #[arg(long)]
    pub(crate) history: bool,
}

/// Arguments of `quiver forget`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ForgetArguments {
    /// The session to forget.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// One turn of it alone.
    #[arg(long, value_name = "N", requires = "session", allow_negative_numbers = true)]
    pub(crate) turn: Option<u64>,
    /// The thing to forget, by its exact name: all turns that state facts of it.
    #[arg(long, value_name = "NAME", conflicts_with = "session")]
    pub(crate) about: Option<String>,
    /// Shows what would be forgotten, and forgets nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Arguments of `quiver sessions`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SessionsArguments {
    /// Archives old turns of this session: their text goes, their facts stay.
    #[arg(long, value_name = "NAME")]
    pub(crate) archive: Option<String>,
    /// Keeps this many of the latest turns.
    #[arg(long, value_name = "N", requires = "archive")]
    pub(crate) keep: Option<usize>,
    /// Archives what was said before this moment.
    #[arg(long, value_name = "MOMENT", requires = "archive", conflicts_with = "keep")]
    pub(crate) before: Option<Moment>,
}

/// Decisions of `quiver decide`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum DecideCommand {
    /// Undoes what a fact or merge decided, by its id.
    Undo {
        /// The id, as `quiver facts` and `quiver remember` print it.
        id: String,
    },
    /// Does again what was undone.
    Redo {
        /// The id.
        id: String,
    },
    /// Takes two things for one.
    Merge {
        /// A name of the one.
        one: String,
        /// A name of the other.
        other: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        evidence: Option<String>,
    },
    /// Declares how many values a predicate has at once.
    Values {
        /// The predicate.
        predicate: String,
        /// How many.
        #[arg(value_parser = ["one", "many", "undeclared"])]
        values: String,
    },
}
