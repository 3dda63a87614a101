//! The JSON output of the memory commands.

use quiver::{memory, session::Exchange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Traced;

/// A fact.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Fact {
    /// The ID.
    pub id: String,
    /// The subject.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object.
    pub object: String,
    /// Whether it says what is not so.
    pub denied: bool,
    /// Whether it holds at the moment of the question.
    pub holds: bool,
    /// When it began to hold, in milliseconds since 1970.
    pub valid_from: Option<i64>,
    /// When it ended, in milliseconds since 1970, if the fact itself says so.
    pub valid_to: Option<i64>,
    /// When it ended, in milliseconds since 1970, if it no longer holds and that is known: by what it says itself, or by
    /// the fact that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// The ID of the fact that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// When it was said, in milliseconds since 1970.
    pub recorded_at: Option<i64>,
    /// The session.
    pub session: Option<String>,
    /// The number of the turn.
    pub turn: Option<u64>,
    /// The speaker.
    pub speaker: Option<String>,
    /// The sentence that states it.
    pub sentence: String,
    /// The language model that read the fact; absent if the rules read it or it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// What the fact decided: that it replaces earlier values, and by which word.
    pub decision: Option<String>,
    /// Whether that decision is undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_undone: bool,
}

impl Fact {
    fn of(fact: &memory::RecalledFact) -> Self {
        Self {
            id: fact.id.to_string(),
            subject: fact.subject.clone(),
            predicate: fact.predicate.clone(),
            object: fact.object.clone(),
            denied: fact.denied,
            holds: fact.holds,
            valid_from: fact.valid_from,
            valid_to: fact.valid_to,
            ended_at: None,
            ended_by: None,
            recorded_at: fact.recorded_at,
            session: fact.session.clone(),
            turn: fact.turn,
            speaker: fact.speaker.clone(),
            sentence: fact.sentence.clone(),
            reader: fact.reader.clone(),
            decision: fact.decision.clone(),
            is_undone: fact.is_undone,
        }
    }

    /// Makes the form of a fact with its end.
    fn with_end(fact: &memory::RecalledFact, all: &[memory::RecalledFact]) -> Self {
        let end = End::of(fact, all);
        let ended_by = end.by.map(|by| by.id.to_string());
        Self { ended_at: end.at, ended_by, ..Self::of(fact) }
    }
}

/// The end of a fact.
#[derive(Clone, Copy, Debug, Default)]
pub struct End<'f> {
    /// When the fact ended, in milliseconds since 1970.
    pub at: Option<i64>,
    /// The fact that ended it.
    pub by: Option<&'f memory::RecalledFact>,
}

impl<'f> End<'f> {
    /// Finds out when a fact ended, and by which of these facts: the first after it that denies it, or that says something
    /// else of the same subject with the same predicate. Nothing is known about a fact that holds.
    pub fn of(fact: &memory::RecalledFact, all: &'f [memory::RecalledFact]) -> Self {
        if fact.holds || fact.denied {
            return Self::default();
        }
        let is_same = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
        let begin = |fact: &memory::RecalledFact| fact.valid_from.or(fact.recorded_at);
        let is_slot = |other: &memory::RecalledFact| {
            is_same(&other.subject, &fact.subject) && is_same(&other.predicate, &fact.predicate)
        };
        let denies = |other: &memory::RecalledFact| {
            let as_said = is_same(&other.subject, &fact.subject) && is_same(&other.object, &fact.object);
            // "Mo no longer runs Redis" ends "Redis is run by Mo".
            let turned = is_same(&other.subject, &fact.object) && is_same(&other.object, &fact.subject);
            other.denied && (as_said || turned)
        };
        let ends = |other: &&memory::RecalledFact| {
            let replaces = !other.denied && is_slot(other) && !is_same(&other.object, &fact.object);
            let is_later = (begin(other), other.recorded_at) > (begin(fact), fact.recorded_at);
            is_later && !other.is_undone && (replaces || denies(other))
        };
        let by = all.iter().filter(ends).min_by_key(|other| (begin(other), other.recorded_at));
        // A fact that says when it ends was not ended by what was said long after.
        let by = by.filter(|by| fact.valid_to.is_none_or(|end| begin(by) <= Some(end)));
        Self { at: fact.valid_to.or_else(|| by.and_then(begin)), by }
    }
}

/// The output of `quiver remember`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Remembered {
    /// The turns, in the order of the request.
    pub turns: Vec<RememberedTurn>,
    /// Whether a signal stopped the command before all turns were remembered.
    pub stopped: bool,
}

/// A remembered turn.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RememberedTurn {
    /// The ID.
    pub passage: String,
    /// The number of the turn.
    pub turn: u64,
    /// The facts that it states.
    pub facts: Vec<RememberedFact>,
    /// The changes that the facts caused.
    pub decisions: Vec<String>,
    /// What the language model claimed to have read and the turn does not state, with the reasons. It was dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Why the language model did not read the turn, if it was to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// A fact that a turn states.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RememberedFact {
    /// The ID.
    pub id: String,
    /// The subject.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// The object.
    pub object: String,
    /// Whether it says what is not so.
    pub denied: bool,
    /// The language model that read the fact; absent if the rules read it or it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
}

impl Remembered {
    /// Makes the form.
    pub fn of(remembered: &[memory::Remembered], stopped: bool) -> Self {
        let turns = remembered.iter().map(|turn| RememberedTurn {
            passage: turn.turn.to_string(),
            turn: turn.number,
            facts: turn
                .facts
                .iter()
                .map(|(id, fact)| RememberedFact {
                    id: id.to_string(),
                    subject: fact.subject.clone(),
                    predicate: fact.predicate.clone(),
                    object: fact.object.clone(),
                    denied: fact.denied,
                    reader: fact.reader.clone(),
                })
                .collect(),
            decisions: turn.decisions.clone(),
            dropped: turn.dropped.clone(),
            unread: turn.unread.clone(),
        });
        Self { turns: turns.collect(), stopped }
    }
}

/// The output of `quiver recall`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Recalled {
    /// The question.
    pub question: String,
    /// The value that answers the question, if it is certain. Without it, the lines only come close.
    pub answer: Option<String>,
    /// What is known, one fact or turn per line.
    pub lines: Vec<String>,
    /// The facts.
    pub facts: Vec<Fact>,
    /// The facts that lead to the answer.
    pub path: Vec<String>,
    /// The turns.
    pub turns: Vec<RecalledTurn>,
    /// The number of tokens of the lines.
    pub tokens: usize,
    /// Why there is no answer.
    pub no_answer: Option<String>,
    /// If there is no answer, the most relevant turns. They may not answer the question.
    pub found: Vec<FoundTurn>,
    /// The ambiguous name in the question, if there is one.
    pub ambiguity: Option<Ambiguity>,
    /// What each stage did, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Traced>,
}

/// A turn.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecalledTurn {
    /// The session.
    pub session: String,
    /// The number of the turn.
    pub turn: u64,
    /// The speaker.
    pub speaker: Option<String>,
    /// When it was said, in milliseconds since 1970.
    pub time: Option<i64>,
    /// What was said.
    pub text: String,
}

impl RecalledTurn {
    fn of(turn: &memory::RecalledTurn) -> Self {
        Self {
            session: turn.session.clone(),
            turn: turn.turn,
            speaker: turn.speaker.clone(),
            time: turn.time,
            text: turn.text.clone(),
        }
    }
}

/// A turn that may not answer the question.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundTurn {
    /// The turn.
    #[serde(flatten)]
    pub turn: RecalledTurn,
    /// The turn with its speaker and date, cut to fit the token budget.
    pub line: String,
}

/// A name that may mean several entities.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Ambiguity {
    /// The name.
    pub name: String,
    /// The entities that it may mean.
    pub options: Vec<String>,
    /// The clarifying question.
    pub question: String,
}

impl Recalled {
    /// Makes the form.
    pub fn of(recalled: &memory::Recollection, trace: bool) -> Self {
        Self {
            question: recalled.question.clone(),
            answer: recalled.answer.clone(),
            lines: recalled.lines.clone(),
            facts: recalled.facts.iter().map(Fact::of).collect(),
            path: recalled.path.clone(),
            turns: recalled.turns.iter().map(RecalledTurn::of).collect(),
            tokens: recalled.tokens,
            no_answer: recalled.no_answer.as_ref().map(ToString::to_string),
            found: recalled
                .found
                .iter()
                .map(|found| FoundTurn { turn: RecalledTurn::of(&found.turn), line: found.line.clone() })
                .collect(),
            ambiguity: recalled.ambiguity.as_ref().map(|ambiguity| Ambiguity {
                name: ambiguity.name.clone(),
                options: ambiguity.options.clone(),
                question: ambiguity.to_string(),
            }),
            trace: trace.then(|| Traced::of(&recalled.trace)),
        }
    }
}

/// The output of `quiver facts`.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the JSON")]
pub struct Facts {
    about: String,
    facts: Vec<Fact>,
    /// The value of `from` for the next facts, if a budget left some out.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// If there are no facts: the name most like this one that has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
}

impl Facts {
    /// Makes the form of some facts, with the ID of the one after them. `all` are those among which the ends of facts are
    /// looked for.
    pub fn part(
        about: &str,
        facts: &[memory::RecalledFact],
        all: &[memory::RecalledFact],
        next: Option<String>,
    ) -> Self {
        let facts = facts.iter().map(|fact| Fact::with_end(fact, all)).collect();
        Self { about: about.to_owned(), facts, next, nearest: None }
    }

    /// Adds the name that was probably meant.
    #[must_use]
    pub fn with_nearest(self, nearest: Option<String>) -> Self {
        Self { nearest, ..self }
    }
}

/// The output of `quiver forget`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Forgotten {
    turns: usize,
    facts: usize,
    entities: usize,
}

impl From<memory::Forgotten> for Forgotten {
    fn from(forgotten: memory::Forgotten) -> Self {
        Self { turns: forgotten.turns, facts: forgotten.facts, entities: forgotten.entities }
    }
}

/// The output of `quiver forget --dry-run`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WouldForget {
    dry_run: bool,
    things: Vec<String>,
    turns: Vec<WouldForgetTurn>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WouldForgetTurn {
    session: String,
    turn: u64,
    speaker: Option<String>,
    text: String,
}

impl WouldForget {
    /// Makes the form.
    pub fn of(preview: &memory::ForgetPreview) -> Self {
        let turns = preview.turns.iter().map(|turn| WouldForgetTurn {
            session: turn.session.clone(),
            turn: turn.turn,
            speaker: turn.speaker.clone(),
            text: turn.text.clone(),
        });
        Self { dry_run: true, things: preview.things.clone(), turns: turns.collect() }
    }
}

/// The output of `quiver sessions`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sessions {
    sessions: Vec<Session>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Session {
    name: String,
    turns: u64,
}

impl Sessions {
    /// Makes the form.
    pub fn of(sessions: &[memory::SessionInfo]) -> Self {
        let sessions =
            sessions.iter().map(|session| Session { name: session.name.clone(), turns: session.turns });
        Self { sessions: sessions.collect() }
    }
}

/// The latest turns of a session, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Turns {
    session: String,
    turns: Vec<SessionTurn>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SessionTurn {
    /// The number of a question in its conversation; `null` for a remembered statement.
    turn: Option<u64>,
    /// The speaker of a remembered statement, if known.
    speaker: Option<String>,
    /// When it was said, in milliseconds since 1970.
    time: i64,
    /// The question, or what was said.
    text: String,
    /// The answer to a question, if there was one.
    answer: Option<String>,
}

impl Turns {
    /// Makes the form.
    pub fn of(session: &str, turns: &[Exchange]) -> Self {
        let turns = turns.iter().map(|turn| SessionTurn {
            turn: (turn.number > 0).then_some(turn.number),
            speaker: turn.speaker.clone(),
            time: turn.time,
            text: turn.question.clone(),
            answer: turn.answer.clone(),
        });
        Self { session: session.to_owned(), turns: turns.collect() }
    }
}

/// A merge of two entities.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Merged {
    /// The ID of the decision, for undoing it.
    pub decision: String,
    /// A name of the first entity.
    pub one: String,
    /// A name of the second entity.
    pub other: String,
}

/// A new name of an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Renamed {
    /// The ID of the decision, for undoing it.
    pub decision: String,
    /// The name.
    pub name: String,
}

/// An entity that was split off from another one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Split {
    /// The ID of the decision, for undoing it.
    pub decision: String,
    /// The name of the entity.
    pub name: String,
    /// The number of passages that now refer to it instead of the original entity.
    pub passages: usize,
}

/// An entity that is hidden, with its relations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hidden {
    /// The ID of the decision, for undoing it.
    pub decision: String,
}

/// Decisions about entities, latest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Decisions {
    /// The decisions, up to the requested limit.
    pub decisions: Vec<Decided>,
    /// The total number of decisions.
    pub total: usize,
}

/// The output of `quiver decide list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AllDecisions {
    /// The decisions about entities.
    #[serde(flatten)]
    pub decided: Decisions,
    /// The declared numbers of values, by predicate.
    pub declarations: Vec<Declared>,
}

impl AllDecisions {
    /// Makes the form.
    pub fn of(decisions: &[memory::Decision], declarations: &[memory::Declaration]) -> Self {
        let decided = Decisions::of(decisions, decisions.len());
        Self { decided, declarations: declarations.iter().map(Declared::of).collect() }
    }
}

/// How many values a predicate has at a time, as declared.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Declared {
    /// The predicate.
    pub predicate: String,
    /// The number of values: `one` or `many`.
    pub values: String,
    /// The reason for the declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// When it was declared, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_at: Option<i64>,
}

impl Declared {
    /// Makes the form.
    pub fn of(declaration: &memory::Declaration) -> Self {
        let is_one = declaration.cardinality == memory::Cardinality::One;
        Self {
            predicate: declaration.predicate.clone(),
            values: if is_one { "one" } else { "many" }.to_owned(),
            evidence: declaration.evidence.clone(),
            declared_at: declaration.declared_at,
        }
    }
}

impl Decisions {
    /// Makes the form of the first `limit` decisions.
    pub fn of(decisions: &[memory::Decision], limit: usize) -> Self {
        let first = decisions.iter().take(limit).map(Decided::of);
        Self { decisions: first.collect(), total: decisions.len() }
    }
}

/// A decision about an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Decided {
    /// The ID, for undoing and redoing it.
    pub decision: String,
    /// The kind of decision.
    pub kind: DecidedKind,
    /// The ID of the entity.
    pub entity: String,
    /// The name of the entity at the time.
    pub name: String,
    /// The entity it was merged with, the entity split off from it, or its new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The reason for the decision.
    pub evidence: String,
    /// When it was decided, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<i64>,
    /// Whether the decision has been undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_undone: bool,
}

/// The kind of a decision about an entity.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecidedKind {
    /// The entity is the same as another one.
    Merge,
    /// The entity has another name.
    Rename,
    /// The entity is hidden, with its relations.
    Delete,
    /// The entity is really two: some texts are about another one.
    Split,
    /// A suggestion to merge the entity with another one was left.
    LeaveMerge,
    /// A suggestion to relate the entity to another one was left.
    LeaveRelation,
    /// A kind that this version does not know.
    Other,
}

impl Decided {
    /// Makes the form.
    pub fn of(decision: &memory::Decision) -> Self {
        Self {
            decision: decision.id.to_string(),
            kind: match decision.kind {
                memory::DecisionKind::Merge => DecidedKind::Merge,
                memory::DecisionKind::Rename => DecidedKind::Rename,
                memory::DecisionKind::Delete => DecidedKind::Delete,
                memory::DecisionKind::Split => DecidedKind::Split,
                memory::DecisionKind::LeaveMerge => DecidedKind::LeaveMerge,
                memory::DecisionKind::LeaveRelation => DecidedKind::LeaveRelation,
                _ => DecidedKind::Other,
            },
            entity: decision.entity.to_string(),
            name: decision.name.clone(),
            other: decision.other.clone(),
            evidence: decision.evidence.clone(),
            decided_at: decision.decided_at,
            is_undone: decision.is_undone,
        }
    }
}

/// Suggested decisions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestions {
    /// The suggestions: merges, then relations, each the most certain first.
    pub suggestions: Vec<Suggested>,
    /// Whether a limit left out entities, passages or pairs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

/// A suggested decision.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggested {
    /// What is suggested: `merge` or `relation`.
    pub kind: String,
    /// The first entity.
    pub one: SuggestedEntity,
    /// The second entity.
    pub other: SuggestedEntity,
    /// The reason.
    pub reason: String,
    /// The passages that support it.
    pub passages: Vec<SuggestedPassage>,
    /// The command that takes the suggestion.
    pub take: String,
    /// The command that leaves it, so that it is not suggested again.
    pub leave: String,
}

/// An entity of a suggestion.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuggestedEntity {
    /// Its ID.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// A passage that supports a suggestion.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuggestedPassage {
    /// Its ID.
    pub id: String,
    /// The document, unless it is a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The session, if it is a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The text.
    pub text: String,
}

/// A decision that was undone or redone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Decision {
    /// Its ID.
    pub decision: String,
    /// Whether the decision is now undone.
    pub is_undone: bool,
}

/// The output of `quiver decide`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Done {
    /// The decision.
    pub decision: String,
}
