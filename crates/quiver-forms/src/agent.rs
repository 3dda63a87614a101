//! The input and output of the tools for agents: short, with token budgets. Clients read field names and comments as
//! schemas.

use std::collections::HashSet;

use quiver::{
    Answer, Citation, Document, Evidence, Receipt,
    graph::Passage,
    memory::{self, ForgetPreview, Recollection, count_tokens},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Moment, Triple,
    request::{Filter, Format, Wrong, from_texts, not_blank, optional_moment},
};

fn recall_tokens() -> usize {
    400
}

fn ask_tokens() -> usize {
    800
}

fn text_tokens() -> usize {
    1500
}

fn search_limit() -> usize {
    5
}

fn yes() -> bool {
    true
}

/// A question to the memory.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallParameters {
    /// The question, with the names of the people and things it is about.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub question: String,
    /// Answers as of this moment: 2026-03-01 or 2026-03-01T09:30:00Z. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Ignores everything said after this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_at: Option<String>,
    /// The session of the question. An ambiguous name refers to the entity mentioned there, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The maximum number of tokens of the lines.
    #[serde(default = "recall_tokens")]
    pub tokens: usize,
}

impl RecallParameters {
    /// Creates a question with default options.
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            as_of: None,
            known_at: None,
            session: None,
            tokens: recall_tokens(),
        }
    }
}

/// What the memory knows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Recalled {
    /// The value that answers the question, if it is certain. Without it, the lines only come close.
    answer: Option<String>,
    /// What is known, one fact or turn per line.
    lines: Vec<String>,
    /// Why nothing is known.
    no_answer: Option<String>,
    /// If there is no answer, the most relevant turns, one per line. They may not answer the question.
    found: Vec<String>,
    /// A clarifying question for the user, if a name is ambiguous.
    ask_back: Option<String>,
    /// The number of tokens of the lines.
    tokens: usize,
}

impl Recalled {
    /// Makes the form.
    pub fn of(recalled: &Recollection) -> Self {
        Self {
            answer: recalled.answer.clone(),
            lines: recalled.lines.clone(),
            no_answer: recalled.no_answer.as_ref().map(ToString::to_string),
            found: recalled.found.iter().map(|found| found.line.clone()).collect(),
            ask_back: recalled.ambiguity.as_ref().map(ToString::to_string),
            tokens: recalled.tokens,
        }
    }
}

/// Input for `remember`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberParameters {
    /// What was said, verbatim.
    #[serde(default)]
    pub text: String,
    /// The facts in the text that you are sure of. If there are none, they are extracted from the text.
    #[serde(default)]
    pub facts: Vec<Triple>,
    /// The conversation in which it was said.
    #[serde(default)]
    pub session: Option<String>,
    /// Who said it.
    #[serde(default)]
    pub speaker: Option<String>,
    /// When it was said: 2026-03-01 or 2026-03-01T09:30:00Z. Default: now.
    #[serde(default)]
    pub at: Option<String>,
}

/// Documents to add. They replace existing documents with the same names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngestParameters {
    /// The documents, at most 1000.
    #[schemars(length(min = 1, max = 1000))]
    pub documents: Vec<GivenDocument>,
}

/// A document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenDocument {
    /// The name that identifies the document when it is replaced, read or forgotten.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// The title.
    #[serde(default)]
    pub title: Option<String>,
    /// Whether the text is `plain` or `markdown`.
    #[serde(default)]
    pub format: Format,
    /// When it was written: 2026-03-01 or 2026-03-01T09:30:00Z.
    #[serde(default)]
    pub time: Option<String>,
}

impl IngestParameters {
    /// Converts to documents.
    ///
    /// # Errors
    /// Fails if there are none or too many, if a name is blank or occurs twice, or if a moment is invalid.
    pub fn documents(self) -> Result<Vec<Document>, Wrong> {
        if !(1..=1000).contains(&self.documents.len()) {
            return Err(Wrong::new("documents", "give 1 to 1000 documents"));
        }
        let mut names = HashSet::new();
        let read = |(at, given): (usize, GivenDocument)| {
            let field = |name: &str| format!("documents[{at}].{name}");
            not_blank(&field("name"), &given.name)?;
            if !names.insert(given.name.clone()) {
                let why =
                    format!("{:?} is also the name of an earlier document; names must be unique", given.name);
                return Err(Wrong::new(field("name"), why));
            }
            Ok(Document {
                key: given.name,
                title: given.title,
                text: given.text,
                format: given.format.into(),
                time: optional_moment(&field("time"), given.time.as_deref())?,
                ..Document::default()
            })
        };
        self.documents.into_iter().enumerate().map(read).collect()
    }
}

/// What was added.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IngestReceipt {
    /// Documents that are new.
    added: usize,
    /// Documents whose content has changed.
    replaced: usize,
    /// Documents that have not changed.
    unchanged: usize,
    /// The first twenty problems, each with the name of its document.
    problems: Vec<String>,
}

impl IngestReceipt {
    /// Makes the form.
    pub fn of(receipt: &Receipt) -> Self {
        Self {
            added: receipt.documents_added,
            replaced: receipt.documents_replaced,
            unchanged: receipt.documents_unchanged,
            problems: receipt.problems.iter().take(20).cloned().collect(),
        }
    }
}

/// What was remembered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remembered {
    /// The number of the turn in its session.
    turn: u64,
    /// The extracted facts.
    facts: Vec<Triple>,
    /// The changes that the facts caused.
    decisions: Vec<String>,
    /// What the language model claimed to have read and the turn does not state, with the reasons. It was dropped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<String>,
    /// Why the language model did not read the turn, if it was to. The turn is stored with the facts of the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<String>,
}

impl Remembered {
    /// Makes the form.
    pub fn of(remembered: &[memory::Remembered]) -> Self {
        let triple = |fact: &memory::Fact| Triple {
            subject: fact.subject.clone(),
            predicate: if fact.denied { format!("not: {}", fact.predicate) } else { fact.predicate.clone() },
            object: fact.object.clone(),
        };
        Self {
            turn: remembered.first().map_or(0, |turn| turn.number),
            facts: remembered.iter().flat_map(|turn| &turn.facts).map(|(_, fact)| triple(fact)).collect(),
            decisions: remembered.iter().flat_map(|turn| turn.decisions.clone()).collect(),
            dropped: remembered.iter().flat_map(|turn| turn.dropped.clone()).collect(),
            unread: remembered.iter().find_map(|turn| turn.unread.clone()),
        }
    }
}

/// A question to the documents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskParameters {
    /// The question.
    pub question: String,
    /// The maximum number of tokens of the passages.
    #[serde(default = "ask_tokens")]
    pub tokens: usize,
    /// The user who asks, by name or by the `id` of a record. "I" and "my" in a question over records mean this user.
    #[serde(default)]
    pub asker: Option<String>,
    /// Adds `recorded`, which the page `ui://quiver/path` displays. It is large.
    #[serde(default)]
    pub trace: bool,
}

/// An answer, or the most relevant passages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answered {
    /// The answer; absent if none was found.
    answer: Option<String>,
    /// Why there is no answer.
    no_answer: Option<String>,
    /// The probability that the answer is correct, from 0 to 1.
    confidence: Option<f32>,
    /// The sentence that contains the answer, and its location.
    source: Option<Source>,
    /// If there is no answer, the most relevant sentences. They may not answer the question.
    found: Vec<Source>,
    /// The passages that support the answer, or the most relevant ones if there is no answer.
    passages: Vec<FoundPassage>,
    /// The answer with its complete trace, if `trace` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Source {
    sentence: String,
    title: String,
}

impl Answered {
    /// Makes the form.
    pub fn of(answer: &Answer, tokens: usize) -> Self {
        let source = |citation: &Citation| Source {
            sentence: citation.sentence.clone(),
            title: citation.title.clone(),
        };
        Self {
            answer: answer.text.clone(),
            no_answer: answer.refusal.as_ref().map(ToString::to_string),
            confidence: answer.text.as_ref().map(|_| answer.confidence),
            source: answer.citations.first().filter(|_| answer.text.is_some()).map(source),
            found: answer.found.iter().map(source).collect(),
            passages: FoundPassage::all(&answer.evidence, tokens),
            recorded: None,
        }
    }

    /// Adds the answer as `quiver ask --json --trace` prints it.
    #[must_use]
    pub fn recording(mut self, answer: &Answer) -> Self {
        self.recorded = serde_json::to_value(crate::Versioned::new(crate::Answered::of(answer, true))).ok();
        self
    }
}

/// Input for `search`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchParameters {
    /// What to search for: words, names or a whole question.
    pub query: String,
    /// The names of the documents to search, at most 100. Default: all.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub documents: Vec<String>,
    /// Conditions on the documents to search. Default: all.
    #[serde(default)]
    pub filter: Filter,
    /// Ignores everything written after this moment: 2026-03-01 or 2026-03-01T09:30:00Z.
    #[serde(default)]
    pub as_of: Option<String>,
    /// The passage to start from: `next` of the previous result, with the same `query` and filters.
    #[serde(default)]
    pub from: Option<String>,
    /// The maximum number of passages to return, at most 50.
    #[serde(default = "search_limit")]
    pub limit: usize,
    /// The maximum number of tokens of the passages.
    #[serde(default = "text_tokens")]
    pub tokens: usize,
}

/// The passages found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Searched {
    passages: Vec<FoundPassage>,
    /// If there are more, the value of `from` for the next ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl Searched {
    /// Makes the form of the results of a search with this maximum number of passages.
    pub fn of(evidence: &Evidence, limit: usize, tokens: usize) -> Self {
        let passages = FoundPassage::all(evidence, tokens);
        // Beyond the limit are passages that decisions would have pushed out; their order is another one.
        let ranked = &evidence.passages[..limit.min(evidence.passages.len())];
        let left_out = ranked.get(passages.len()).map(|ranked| ranked.passage.id);
        Self { passages, next: left_out.or(evidence.next).map(|next| next.to_string()) }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct FoundPassage {
    /// The name to `open` this passage and what follows it.
    name: String,
    title: Option<String>,
    /// The document that contains the passage.
    document: String,
    /// The speaker, if the passage is a turn of a conversation.
    speaker: Option<String>,
    /// When it was said or written, if known.
    time: Option<String>,
    text: String,
}

impl FoundPassage {
    /// Returns as many of the best passages as fit into a token budget.
    fn all(evidence: &Evidence, tokens: usize) -> Vec<Self> {
        let passages = || evidence.passages.iter().map(|ranked| &ranked.passage);
        let count = fitting(passages().map(|passage| count_tokens(&passage.text)), tokens);
        passages().take(count).map(Self::of).collect()
    }

    fn of(passage: &Passage) -> Self {
        Self {
            name: passage.id.to_string(),
            title: passage.title.clone(),
            document: passage.document.clone(),
            speaker: passage.speaker.clone(),
            time: passage.time.map(|time| Moment(time).to_string()),
            text: passage.text.clone(),
        }
    }
}

/// Returns how many of the first texts fit into a token budget. It is at least one, so that paging always advances.
pub fn fitting(texts: impl Iterator<Item = usize>, tokens: usize) -> usize {
    let sums = texts.scan(0_usize, |sum, tokens| {
        *sum = sum.saturating_add(tokens);
        Some(*sum)
    });
    sums.enumerate().take_while(|(at, sum)| *at == 0 || *sum <= tokens).count()
}

/// Input for `context`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextParameters {
    /// The user who asks, by name or by the `id` of a record. "I" and "my" in a question over records mean this user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<String>,
    /// The question.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub question: String,
    /// The session of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The maximum number of tokens of the context.
    #[serde(default = "text_tokens")]
    pub tokens: usize,
}

impl ContextParameters {
    /// Creates a question with default options.
    pub fn new(question: impl Into<String>) -> Self {
        Self { asker: None, question: question.into(), session: None, tokens: text_tokens() }
    }
}

/// A packed context.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Context {
    /// The context, ready to use.
    text: String,
    /// The standalone form of the question, with references to the session resolved.
    standalone: String,
    /// The number of tokens of the text.
    tokens: usize,
}

impl Context {
    /// Makes the form.
    pub fn of(context: &quiver::context::Context) -> Self {
        Self { text: context.text(), standalone: context.standalone.clone(), tokens: context.tokens }
    }
}

/// Input for `open`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenParameters {
    /// The name of a document, the name of a passage that `search` or `ask` returned, or `next` of the last `open`.
    pub name: String,
    /// The maximum number of tokens of the text. The first passage is returned whole even if it is longer.
    #[serde(default = "text_tokens")]
    pub tokens: usize,
}

/// A part of a document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Opened {
    /// The document.
    pub document: String,
    /// Its title.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// The name to `open` to continue; absent at the end of the document.
    pub next: Option<String>,
}

/// Input for `forget`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetParameters {
    /// Forgets this session, or one of its turns.
    #[serde(default)]
    pub session: Option<String>,
    /// The number of the turn of the session.
    #[serde(default)]
    pub turn: Option<u64>,
    /// Forgets every turn that states a fact about the entity with exactly this name.
    #[serde(default)]
    pub about: Option<String>,
    /// Deletes the document with this name.
    #[serde(default)]
    pub document: Option<String>,
    /// Shows what would be forgotten, and forgets nothing.
    #[serde(default = "yes")]
    pub dry_run: bool,
}

/// What was forgotten, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Forgotten {
    /// True if nothing has been forgotten yet. Call again with `dry_run` false to forget it.
    dry_run: bool,
    /// The number of forgotten turns or passages.
    turns: usize,
    /// The texts of the forgotten turns, or the forgotten document.
    what: Vec<String>,
}

impl Forgotten {
    /// Describes what would be forgotten.
    pub fn preview(preview: &ForgetPreview) -> Self {
        let words = |turn: &memory::ForgetTurn| match &turn.speaker {
            Some(speaker) => format!("{speaker}: {}", turn.text),
            None => turn.text.clone(),
        };
        Self { dry_run: true, turns: preview.turns.len(), what: preview.turns.iter().map(words).collect() }
    }

    /// Describes a document.
    pub fn of_document(document: String, passages: usize, dry_run: bool) -> Self {
        Self { dry_run, turns: passages, what: vec![document] }
    }

    /// Returns the same form after the deletion of this many turns.
    #[must_use]
    pub fn done(self, turns: usize) -> Self {
        Self { dry_run: false, turns, ..self }
    }
}

/// Input for `documents`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentsParameters {
    /// Lists the documents after this one: `next` of the previous page.
    #[serde(default)]
    pub after: Option<String>,
}

/// A page of the list of documents.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Documents {
    /// Their names.
    pub documents: Vec<String>,
    /// The value of `after` for the next page; absent on the last page.
    pub next: Option<String>,
}

/// Input for `facts`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactsParameters {
    /// The name of the entity.
    pub about: String,
    /// Lists the facts as of this moment. Default: now.
    #[serde(default)]
    pub as_of: Option<String>,
    /// Also lists facts that have ended.
    #[serde(default)]
    pub history: bool,
    /// The fact to start from: `next` of the previous result.
    #[serde(default)]
    pub from: Option<String>,
    /// The maximum number of tokens of the facts. The first one is returned even if it is longer.
    #[serde(default = "text_tokens")]
    pub tokens: usize,
}

/// Facts about an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// The facts.
    pub facts: Vec<FactForm>,
    /// If there are more, the value of `from` for the next ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Returns the facts from one on that fit into a token budget, and the ID of the one after them.
///
/// # Errors
/// Fails if the first one is not among the facts.
pub fn part_of_facts<'f>(
    facts: &'f [memory::RecalledFact],
    from: Option<&str>,
    tokens: usize,
) -> Result<(&'f [memory::RecalledFact], Option<String>), Wrong> {
    let begin = match from {
        None => 0,
        Some(from) => facts.iter().position(|fact| fact.id.to_string() == from).ok_or_else(|| {
            Wrong::new("from", "it is not among the facts; give `next` of the previous result, or start anew")
        })?,
    };
    let count = |fact: &memory::RecalledFact| {
        let parts = [&fact.subject, &fact.predicate, &fact.object, &fact.sentence];
        parts.into_iter().map(|part| count_tokens(part)).sum()
    };
    let end = begin + fitting(facts[begin..].iter().map(count), tokens);
    Ok((&facts[begin..end], facts.get(end).map(|fact| fact.id.to_string())))
}

/// A fact, with its period of validity and its source.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactForm {
    subject: String,
    predicate: String,
    object: String,
    /// Whether the fact is a denial.
    denied: bool,
    /// Whether the fact holds at the requested moment.
    holds: bool,
    /// When it began to hold.
    valid_from: Option<String>,
    /// When it ceased to hold.
    valid_to: Option<String>,
    speaker: Option<String>,
    /// The sentence that states it.
    sentence: String,
}

impl FactForm {
    /// Makes the form.
    pub fn of(fact: &memory::RecalledFact) -> Self {
        Self {
            subject: fact.subject.clone(),
            predicate: fact.predicate.clone(),
            object: fact.object.clone(),
            denied: fact.denied,
            holds: fact.holds,
            valid_from: fact.valid_from.map(|moment| Moment(moment).to_string()),
            valid_to: fact.valid_to.map(|moment| Moment(moment).to_string()),
            speaker: fact.speaker.clone(),
            sentence: fact.sentence.clone(),
        }
    }
}

/// A query over the graph.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryParameters {
    /// The query in Cypher. It must not write. Example:
    /// `MATCH (t {name: $team})-[:OWNS]->(s) WHERE s.status = 'open' RETURN s.name LIMIT 20`.
    pub query: String,
    /// The values of the parameters of the query: `{"team": "Team A"}`.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// The maximum number of tokens of the rows.
    #[serde(default = "text_tokens")]
    pub tokens: usize,
}

/// The rows of a query.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Queried {
    /// The names of the columns.
    columns: Vec<String>,
    /// The rows, each with the relations that prove it.
    rows: Vec<QueriedRow>,
    /// The total number of rows. Those that do not fit the token budget are omitted.
    count: usize,
    /// Why there are no rows, if known.
    why_empty: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct QueriedRow {
    /// The values, in the order of the columns.
    values: Vec<Value>,
    /// The relations that prove the row.
    proof: Vec<String>,
}

impl Queried {
    /// Makes the form with as many of the first rows as fit into a token budget.
    pub fn of(queried: &quiver::query::Queried, tokens: usize) -> Self {
        let rows = &queried.rows;
        let row = |at: usize| QueriedRow {
            values: rows.rows[at].iter().map(|value| rows.json(value)).collect(),
            proof: if at < rows.proofs.len() { rows.proof_lines(at) } else { Vec::new() },
        };
        let length = |row: &QueriedRow| {
            let values = row.values.iter().map(ToString::to_string);
            values.chain(row.proof.iter().cloned()).map(|text| count_tokens(&text)).sum()
        };
        // At least one row is shown, however long it is.
        let fit = fitting((0..rows.rows.len()).map(|at| length(&row(at))), tokens);
        Self {
            columns: rows.columns.clone(),
            rows: (0..fit).map(row).collect(),
            count: rows.rows.len(),
            why_empty: queried.why_empty.clone(),
        }
    }
}

/// The size of the workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Counted {
    /// The workspace.
    pub workspace: String,
    /// The number of documents.
    pub documents: u64,
    /// The number of passages.
    pub passages: u64,
    /// The number of entities.
    pub entities: u64,
    /// The number of relations.
    pub relations: u64,
}

from_texts!(RecallParameters, ContextParameters);
