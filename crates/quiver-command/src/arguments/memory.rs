//! Arguments of the memory commands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use quiver_forms::Moment;

use super::Restated;

/// The moments at which facts are read.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct MomentArguments {
    /// Shows what was true at this moment: 2026, 2026-03-01, 2026-03-01T09:30:00Z, or milliseconds since 1970 [default:
    /// now].
    #[arg(long, value_name = "MOMENT")]
    pub(crate) as_of: Option<Moment>,
    /// Shows what had been recorded by this moment [default: all].
    #[arg(long, value_name = "MOMENT")]
    pub(crate) known_at: Option<Moment>,
}

/// Arguments of `quiver remember`.
#[derive(Clone, Debug, Args)]
pub(crate) struct RememberArguments {
    /// The text of the turn.
    #[arg(conflicts_with = "from")]
    pub(crate) text: Option<String>,
    /// Reads turns from a file, one JSON object per line with `text` and, if known, `session`, `turn`, `speaker`,
    /// `time` and `facts`; `content`, `role` and `at` mean the same as `text`, `speaker` and `time`; - is standard
    /// input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,
    /// The session of the turn; with --from, the session of lines without one [default: default].
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// The number of the turn in its session.
    #[arg(long, value_name = "N", conflicts_with = "from")]
    pub(crate) turn: Option<u64>,
    /// The speaker; with --from, the speaker of lines without one.
    #[arg(long, value_name = "NAME")]
    pub(crate) speaker: Option<String>,
    /// When it was said: 2026, 2026-03-01, 2026-03-01T09:30:00Z, or milliseconds since 1970 [default: now].
    #[arg(long, value_name = "MOMENT", conflicts_with = "from")]
    pub(crate) at: Option<Moment>,
    /// Adds this fact instead of the facts read from the text; may be repeated.
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
    /// The session in which the question is asked; it resolves references such as "this project".
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) moments: MomentArguments,
    /// Uses this moment as the present instead of the clock; facts that start later do not hold yet.
    #[arg(long, value_name = "MOMENT")]
    pub(crate) now: Option<Moment>,
    /// Recalls only facts with this predicate; may be repeated.
    #[arg(long, value_name = "PREDICATE")]
    pub(crate) predicate: Vec<String>,
    /// What a new value does to earlier ones of the same subject and predicate, unless `quiver decide values` declares
    /// the predicate [default: adds].
    #[arg(long, value_enum, value_name = "EFFECT")]
    pub(crate) restated: Option<Restated>,
    /// Maximum number of tokens of the facts [default: 64].
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<usize>,
    /// Shows the path, and what each step did and how long it took.
    #[arg(long)]
    pub(crate) trace: bool,
}

/// Arguments of `quiver facts`.
#[derive(Clone, Debug, Args)]
pub(crate) struct FactsArguments {
    /// Any name of the entity.
    pub(crate) about: String,
    #[command(flatten)]
    pub(crate) moments: MomentArguments,
    /// Includes facts that ended or were denied.
    #[arg(long)]
    pub(crate) history: bool,
}

/// Arguments of `quiver forget`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ForgetArguments {
    /// The session to forget.
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Forgets only this turn of the session.
    #[arg(long, value_name = "N", requires = "session")]
    pub(crate) turn: Option<u64>,
    /// Forgets an entity, by its exact name: all turns that state facts about it.
    #[arg(long, value_name = "NAME", conflicts_with = "session")]
    pub(crate) about: Option<String>,
    /// Shows what would be forgotten without forgetting it.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Arguments of `quiver sessions`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SessionsArguments {
    /// Archives old turns of this session: deletes their text and keeps their facts.
    #[arg(long, value_name = "NAME")]
    pub(crate) archive: Option<String>,
    /// Keeps the text of this many of the latest turns.
    #[arg(long, value_name = "N", requires = "archive")]
    pub(crate) keep: Option<usize>,
    /// Archives turns said before this moment.
    #[arg(long, value_name = "MOMENT", requires = "archive", conflicts_with = "keep")]
    pub(crate) before: Option<Moment>,
}

/// Arguments of `quiver suggest`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SuggestArguments {
    /// Makes only suggestions of this kind [default: both].
    #[arg(long, value_parser = ["merge", "relation"])]
    pub(crate) kind: Option<String>,
    /// Maximum number of suggestions of each kind [default: 20].
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Minimum number of passages that name two entities in one sentence, to suggest a relation [default: 3].
    #[arg(long, value_name = "N")]
    pub(crate) together: Option<usize>,
}

/// Decisions of `quiver decide`.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum DecideCommand {
    /// Undoes what a fact, merge, split, rename or deletion has changed, by its ID.
    Undo {
        /// The ID, as printed by `quiver decide list`, `quiver facts` and `quiver remember`.
        id: String,
    },
    /// Redoes a decision that was undone.
    Redo {
        /// The ID.
        id: String,
    },
    /// Merges two entities into one.
    Merge {
        /// A name of the first entity.
        one: String,
        /// A name of the second entity.
        other: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        evidence: Option<String>,
    },
    /// Splits an entity that is really two: some texts are about the other one.
    Split {
        /// The ID of the entity, or a name that no other entity has.
        entity: String,
        /// The name of the other entity.
        name: String,
        /// A document that is about the other entity, by its key; may be repeated.
        #[arg(long, value_name = "KEY", required_unless_present_any = ["session", "passage"])]
        document: Vec<String>,
        /// A session whose turns, including future ones, are about the other entity; may be repeated.
        #[arg(long, value_name = "NAME")]
        session: Vec<String>,
        /// A single passage or turn that is about the other entity, by its ID; may be repeated.
        #[arg(long, value_name = "ID")]
        passage: Vec<String>,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        evidence: Option<String>,
    },
    /// Gives an entity another name; it is found by both names.
    Rename {
        /// The ID of the entity, or a name that no other entity has.
        entity: String,
        /// Its new name.
        name: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        evidence: Option<String>,
    },
    /// Hides an entity with its relations until the decision is undone; texts are kept.
    Delete {
        /// The ID of the entity, or a name that no other entity has.
        entity: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        evidence: Option<String>,
    },
    /// Leaves a suggestion of `quiver suggest`, so that it is not made again.
    Leave {
        /// What was suggested.
        #[arg(value_parser = ["merge", "relation"])]
        kind: String,
        /// The ID of the first entity, or a name that no other entity has.
        one: String,
        /// The ID of the second entity, or a name that no other entity has.
        other: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        evidence: Option<String>,
    },
    /// Lists the decisions about entities, including undone ones, latest first, and the declared numbers of values.
    List,
    /// Declares how many values a predicate can have at once.
    Values {
        /// The predicate.
        predicate: String,
        /// The number of values.
        #[arg(value_parser = ["one", "many", "undeclared"])]
        values: String,
        /// The reason.
        #[arg(long, value_name = "TEXT")]
        evidence: Option<String>,
    },
}
