//! The result of a recall: facts as lines of text, their token count, and the reason if there are none.

use std::{fmt, sync::Arc};

use quiver_graph::{PassageId, RelationId};
use quiver_memory::show;
use serde::Serialize;

use crate::trace::Trace;

use super::{known::MemoryFact, turn::Restated};

/// Counts the tokens of a text as a model would.
pub type CountTokens = Arc<dyn Fn(&str) -> usize + Send + Sync>;

/// Options for a recall.
#[derive(Clone)]
pub struct RecallOptions {
    /// Answer as of this time, in milliseconds since 1970, instead of now.
    pub as_of: Option<i64>,
    /// Use only facts that were recorded by this time, in milliseconds since 1970.
    pub known_at: Option<i64>,
    /// The current time, in milliseconds since 1970, instead of the clock's. Facts that begin later are not yet
    /// valid.
    pub now: Option<i64>,
    /// The session in which the question is asked. It determines the referent of phrases such as "this project".
    pub session: Option<String>,
    /// Use only facts with one of these predicates, whatever their spelling. If empty, use all.
    pub predicates: Vec<String>,
    /// The effect of a new value on earlier ones of the same subject and predicate. Default: [`Restated::Adds`].
    pub restated: Restated,
    /// The token budget for the lines. If the facts exceed it, only the last fact is shown, or only its value, or no
    /// line at all; [`Recollection::answer`] is set regardless. Default: 64.
    pub tokens_max: usize,
    /// The maximum number of turns. `None` means 8, or one for each 60 tokens of the budget if these are more. Default:
    /// `None`.
    pub turns_limit: Option<usize>,
    /// The maximum number of facts in a chain. Default: 3.
    pub facts_max: usize,
    /// The maximum number of relations per search; a hop reads up to twice as many. Default: 32.
    pub relations_limit: usize,
    /// The minimum share of the question, from 0 to 1, that the facts must cover. Default: 0.34.
    pub coverage_min: f32,
    /// The token counter. Default: [`count_tokens`].
    pub count_tokens: Option<CountTokens>,
}

/// Number of turns that even a small budget has room for.
const TURNS_LEAST: usize = 8;
/// Tokens of a budget for each turn: twice what a cut turn takes, so that half is left for whole texts.
const TOKENS_PER_TURN: usize = 2 * show::TURN_TOKENS;

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
            turns_limit: None,
            facts_max: 3,
            relations_limit: 32,
            coverage_min: 0.34,
            count_tokens: None,
        }
    }
}

impl RecallOptions {
    /// The maximum number of turns that are shown.
    pub(super) fn turns_max(&self) -> usize {
        self.turns_limit.unwrap_or_else(|| TURNS_LEAST.max(self.tokens_max / TOKENS_PER_TURN))
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

/// Estimates the number of tokens in a text: a quarter of its characters, rounded half to even, but at least its
/// number of words.
pub fn count_tokens(text: &str) -> usize {
    let characters = text.chars().count();
    let (quarter, rest) = (characters / 4, characters % 4);
    let rounded = quarter + usize::from(rest == 3 || (rest == 2 && quarter % 2 == 1));
    rounded.max(text.split_whitespace().count())
}

/// A fact, as the memory returns it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub struct RecalledFact {
    /// The id, which [`Quiver::undo`](crate::Quiver::undo) takes.
    pub id: RelationId,
    /// The subject's name, as stated.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object's name, as stated.
    pub object: String,
    /// When the fact became valid, in milliseconds since 1970.
    pub valid_from: Option<i64>,
    /// When the fact ceased to be valid, in milliseconds since 1970, if the fact itself says so.
    pub valid_to: Option<i64>,
    /// When the fact was recorded, in milliseconds since 1970.
    pub recorded_at: Option<i64>,
    /// The speaker.
    pub speaker: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The number of the turn in its session.
    pub turn: Option<u64>,
    /// The sentence the fact was read from.
    pub sentence: String,
    /// The language model that read the fact; `None` if the rules read it or the caller gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// Whether the fact is a denial.
    pub denied: bool,
    /// Whether the fact is valid, now or at the requested time.
    pub holds: bool,
    /// The decision attached to the fact, as text: that it supersedes earlier values, and by which word.
    pub decision: Option<String>,
    /// Whether that decision is undone.
    pub is_undone: bool,
    /// Whether the fact was read from the text of its turn.
    #[serde(skip)]
    pub(crate) is_read: bool,
}

/// A turn, as the memory recalls it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecalledTurn {
    /// The turn's id.
    pub id: PassageId,
    /// The session.
    pub session: String,
    /// The number of the turn in its session.
    pub turn: u64,
    /// The speaker.
    pub speaker: Option<String>,
    /// When the turn was said, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The text.
    pub text: String,
    /// The relevance to the question. Scores are only comparable within one recall.
    pub score: f32,
}

/// A turn close to a question that has no answer. It may be about something else.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FoundTurn {
    /// The turn.
    pub turn: RecalledTurn,
    /// The turn as a line of text, in full or cut to the token budget.
    pub line: String,
}

/// Maximum number of missing words in a message.
const WORDS_SHOWN: usize = 12;

/// The reason a recall returns no facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum NoAnswer {
    /// No known fact matches the question.
    NothingKnown,
    /// The facts found cover too little of the question.
    NotCovered {
        /// The words of the question that no fact contains.
        missing: Vec<String>,
    },
    /// The matching statements are about somebody else.
    SaidOfOthers {
        /// The person asked about.
        person: String,
    },
    /// A denial contradicts what the question asks about.
    Denied {
        /// The denial.
        line: String,
    },
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingKnown => f.write_str("nothing that was said surely answers it"),
            Self::NotCovered { missing } => {
                let shown = &missing[..missing.len().min(WORDS_SHOWN)];
                write!(f, "no known fact mentions {}", shown.join(", "))?;
                match missing.len() - shown.len() {
                    0 => Ok(()),
                    1 => f.write_str(" and one more word of the question"),
                    more => write!(f, " and {more} more words of the question"),
                }
            }
            Self::SaidOfOthers { person } => {
                write!(f, "what was found is said of others, not by or about {person}")
            }
            Self::Denied { line } => write!(f, "this was denied: {line}"),
        }
    }
}

/// A clarifying question: a name in the question is ambiguous.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Ambiguity {
    /// The ambiguous name, as the question has it.
    pub name: String,
    /// The candidates.
    pub options: Vec<String>,
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Which {}: {}?", self.name, self.options.join(" or "))
    }
}

/// The result of a recall.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recollection {
    /// The question.
    pub question: String,
    /// The answer, if one was found: of the facts or, if none answers, of a turn, as [`Quiver::ask`](crate::Quiver::ask)
    /// would give it. The turn is the first of [`turns`](Self::turns). `None` beside [`facts`](Self::facts) if it is not sure
    /// that one of them is what the question asks for.
    pub answer: Option<String>,
    /// The facts, and turns that speak of the question, as lines of text, ready to hand to an agent.
    pub lines: Vec<String>,
    /// The facts behind the lines, in the order of the chain.
    pub facts: Vec<RecalledFact>,
    /// The entities along the chain, from the one that the question names to the answer.
    pub path: Vec<String>,
    /// The number of tokens in the lines.
    pub tokens: usize,
    /// The reason there are no facts, if there are none.
    pub no_answer: Option<NoAnswer>,
    /// The turns relevant to the question, best first, whether or not they fit into the lines.
    pub turns: Vec<RecalledTurn>,
    /// If there is no answer, the nearest turns as ranked by plain search: at most three, whose lines fit the
    /// token budget. They do not answer the question.
    pub found: Vec<FoundTurn>,
    /// The clarifying question, if a name is ambiguous.
    pub ambiguity: Option<Ambiguity>,
    /// The trace of the recall.
    pub trace: Trace,
}

impl Recollection {
    /// Returns the text for an agent: the clarifying question, if any, followed by the lines.
    pub fn text(&self) -> String {
        let asked = self.ambiguity.iter().map(ToString::to_string);
        asked.chain(self.lines.iter().cloned()).collect::<Vec<_>>().join("\n")
    }

    /// Whether its facts are only the nearest ones, and do not certainly answer the question.
    pub fn is_uncertain(&self) -> bool {
        self.answer.is_none() && self.ambiguity.is_none() && !self.facts.is_empty()
    }

    /// Removes the facts, as if none had been found.
    pub(crate) fn withdraw(&mut self) {
        self.answer = None;
        self.ambiguity = None;
        self.lines.clear();
        self.facts.clear();
        self.path.clear();
        self.tokens = 0;
        self.no_answer = Some(NoAnswer::NothingKnown);
    }
}

impl MemoryFact {
    /// Converts the fact to its public form.
    pub(crate) fn shown(&self, holds: bool) -> RecalledFact {
        let decision = self.change().map(|word| format!("replaces earlier values, by “{word}”"));
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
            reader: self.reader().map(str::to_owned),
            denied: self.is_denied(),
            holds,
            is_undone: decision.is_some() && self.is_undone(),
            decision,
            is_read: self.is_found(),
        }
    }
}
