//! What the memory recalls: facts as lines, what they cost, and why there are none.

use std::{fmt, sync::Arc};

use quiver_graph::{PassageId, RelationId};
use serde::Serialize;

use crate::trace::Trace;

use super::{known::Known, turn::Restated};

/// Counts the tokens of a text as a model would.
pub type CountTokens = Arc<dyn Fn(&str) -> usize + Send + Sync>;

/// How a question to the memory is answered.
#[derive(Clone)]
pub struct RecallOptions {
    /// What was true at this moment, in milliseconds since 1970, in place of what is true now.
    pub as_of: Option<i64>,
    /// What had been said by this moment, in milliseconds since 1970.
    pub known_at: Option<i64>,
    /// The present, in milliseconds since 1970, in place of the clock's: what begins later does not hold yet.
    pub now: Option<i64>,
    /// The session that the question is asked in: what "this project" is about.
    pub session: Option<String>,
    /// Facts with one of these predicates alone, however they are spelt; any, where there are none.
    pub predicates: Vec<String>,
    /// What a value does to an earlier one of the same subject and predicate. Default [`Restated::Adds`].
    pub restated: Restated,
    /// How many tokens the lines may take. Where the facts take more, the last of them is shown alone, or its value alone,
    /// or nothing but [`Recollection::answer`]. Default 64.
    pub tokens_max: usize,
    /// How many turns are recalled at the most. Default 8.
    pub turns_limit: usize,
    /// How many facts are joined at the most. Default 3.
    pub facts_max: usize,
    /// How many relations a search or hop reads at the most. Default 32.
    pub relations_limit: usize,
    /// The share of the question that the facts have to speak of. Default 0.34.
    pub coverage_min: f32,
    /// How tokens are counted. Default: [`count_tokens`].
    pub count_tokens: Option<CountTokens>,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self {
            as_of: None,
            known_at: None,
            now: None,
            session: None,
            predicates: Vec::new(),
            restated: Restated::Adds,
            tokens_max: 64,
            turns_limit: 8,
            facts_max: 3,
            relations_limit: 32,
            coverage_min: 0.34,
            count_tokens: None,
        }
    }
}

impl fmt::Debug for RecallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecallOptions")
            .field("as_of", &self.as_of)
            .field("known_at", &self.known_at)
            .field("now", &self.now)
            .field("session", &self.session)
            .field("predicates", &self.predicates)
            .field("restated", &self.restated)
            .field("tokens_max", &self.tokens_max)
            .field("turns_limit", &self.turns_limit)
            .field("facts_max", &self.facts_max)
            .field("relations_limit", &self.relations_limit)
            .field("coverage_min", &self.coverage_min)
            .finish_non_exhaustive()
    }
}

/// Estimates the tokens of a text: a quarter of its characters, rounded half to even, and at least its words.
pub fn count_tokens(text: &str) -> usize {
    let characters = text.chars().count();
    let (quarter, rest) = (characters / 4, characters % 4);
    let rounded = quarter + usize::from(rest == 3 || (rest == 2 && quarter % 2 == 1));
    rounded.max(text.split_whitespace().count())
}

/// A fact, as the memory shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecalledFact {
    /// Its id, by which its decisions can be undone.
    pub id: RelationId,
    /// What it is about, as it was said.
    pub subject: String,
    /// What is said of it.
    pub predicate: String,
    /// The other end, as it was said.
    pub object: String,
    /// When it began to hold, in milliseconds since 1970.
    pub valid_from: Option<i64>,
    /// When it ceased to hold, where the fact itself says so.
    pub valid_to: Option<i64>,
    /// When it was told.
    pub recorded_at: Option<i64>,
    /// Who said it.
    pub speaker: Option<String>,
    /// The session it was said in.
    pub session: Option<String>,
    /// The number of the turn.
    pub turn: Option<u64>,
    /// The sentence it was read from.
    pub sentence: String,
    /// Whether it is a denial.
    pub denied: bool,
    /// Whether it holds, now or at the moment asked for.
    pub holds: bool,
    /// What was decided of it: that it takes the place of earlier values, and why.
    pub decision: Option<String>,
}

/// A turn, as the memory recalls it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecalledTurn {
    /// Its id.
    pub id: PassageId,
    /// The session it was said in.
    pub session: String,
    /// Its number.
    pub turn: u64,
    /// Who said it.
    pub speaker: Option<String>,
    /// When it was said, in milliseconds since 1970.
    pub time: Option<i64>,
    /// What was said.
    pub text: String,
    /// How well it fits the question; only the order means anything.
    pub score: f32,
}

/// Why the memory says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Silence {
    /// No fact speaks of what the question asks.
    NothingKnown,
    /// The facts found speak of too little of the question.
    NotCovered {
        /// The words of the question that none of them says.
        missing: Vec<String>,
    },
    /// It was said of somebody else, not of the person asked about.
    SaidOfOthers {
        /// The person asked about.
        person: String,
    },
    /// What the question asks about was said not to hold.
    Denied {
        /// The denial.
        line: String,
    },
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingKnown => f.write_str("nothing that was said speaks of it"),
            Self::NotCovered { missing } => {
                write!(f, "nothing that was said speaks of {}", missing.join(", "))
            }
            Self::SaidOfOthers { person } => {
                write!(f, "nothing of the kind was said by or of {person}, only of others")
            }
            Self::Denied { line } => write!(f, "it was said not to be so: {line}"),
        }
    }
}

/// A question back: several things fit a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ambiguity {
    /// What the question says.
    pub name: String,
    /// The things that it fits.
    pub options: Vec<String>,
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Which {}: {}?", self.name, self.options.join(" or "))
    }
}

/// What the memory recalls for a question.
#[derive(Clone, Debug)]
pub struct Recollection {
    /// The question.
    pub question: String,
    /// The value that answers, where one does.
    pub answer: Option<String>,
    /// The facts as lines of text: all that an agent needs to read.
    pub lines: Vec<String>,
    /// The facts behind the lines, in the order in which they were joined.
    pub facts: Vec<RecalledFact>,
    /// The things that the facts lead through, from the one that the question names to the answer.
    pub path: Vec<String>,
    /// How many tokens the lines take.
    pub tokens: usize,
    /// Why there are no facts.
    pub silence: Option<Silence>,
    /// The turns that speak of the question, the best first, whether or not they fit into the lines.
    pub turns: Vec<RecalledTurn>,
    /// What has to be asked back.
    pub ambiguity: Option<Ambiguity>,
    /// What happened on the way.
    pub trace: Trace,
}

impl Recollection {
    /// The text to hand to an agent: the question back, the lines, or nothing.
    pub fn text(&self) -> String {
        let asked = self.ambiguity.iter().map(ToString::to_string);
        asked.chain(self.lines.iter().cloned()).collect::<Vec<_>>().join("\n")
    }
}

impl Known {
    /// The fact as the memory shows it.
    pub(crate) fn shown(&self, holds: bool) -> RecalledFact {
        let decision = self.change().map(|word| {
            let state = if self.is_undone() { "undone: " } else { "" };
            format!("{state}takes the place of earlier values, by “{word}”")
        });
        RecalledFact {
            id: self.relation.id,
            subject: self.subject().to_owned(),
            predicate: self.relation.predicate.clone(),
            object: self.object().to_owned(),
            valid_from: self.relation.valid_from,
            valid_to: self.relation.valid_to,
            recorded_at: self.relation.recorded_at,
            speaker: self.speaker().map(str::to_owned),
            session: self.session().map(str::to_owned),
            turn: self.turn(),
            sentence: self.relation.text.clone(),
            denied: self.is_denied(),
            holds,
            decision,
        }
    }
}
