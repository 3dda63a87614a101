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
    request::{Format, Wrong, not_blank, optional_moment},
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
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallParameters {
    /// The question, with the names of the people and things it is about.
    pub question: String,
    /// The moment whose state is asked for: 2026-03-01 or 2026-03-01T09:30:00Z. Default: now.
    #[serde(default)]
    pub as_of: Option<String>,
    /// Leaves out what was said later than this moment.
    #[serde(default)]
    pub known_at: Option<String>,
    /// The session that the question is asked in: names that were spoken of there are meant first.
    #[serde(default)]
    pub session: Option<String>,
    /// How many tokens the lines may take.
    #[serde(default = "recall_tokens")]
    pub tokens: usize,
}

/// What the memory knows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Recalled {
    /// The value that answers, where one does.
    answer: Option<String>,
    /// What is known, one fact or turn a line.
    lines: Vec<String>,
    /// Why nothing is known.
    no_answer: Option<String>,
    /// The nearest turns where there is no answer, one a line. They may not answer the question.
    found: Vec<String>,
    /// What to ask the user back, where a name may mean several things.
    ask_back: Option<String>,
    /// How many tokens the lines take.
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

/// What is to be remembered.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberParameters {
    /// What was said, in the words it was said in.
    #[serde(default)]
    pub text: String,
    /// The facts in it, where you are sure of them. Without any, they are read from the text.
    #[serde(default)]
    pub facts: Vec<Triple>,
    /// The conversation it was said in.
    #[serde(default)]
    pub session: Option<String>,
    /// Who said it.
    #[serde(default)]
    pub speaker: Option<String>,
    /// When it was said: 2026-03-01 or 2026-03-01T09:30:00Z. Default: now.
    #[serde(default)]
    pub at: Option<String>,
}

/// Documents to add, or to replace where there are some with the same names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngestParameters {
    /// The documents, at the most 1000.
    #[schemars(length(min = 1, max = 1000))]
    pub documents: Vec<GivenDocument>,
}

/// A document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenDocument {
    /// What it is called: it is replaced, read and forgotten by this name.
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
            return Err(Wrong::new("documents", "give from 1 to 1000 documents"));
        }
        let mut names = HashSet::new();
        let read = |(at, given): (usize, GivenDocument)| {
            let field = |name: &str| format!("documents[{at}].{name}");
            not_blank(&field("name"), &given.name)?;
            if !names.insert(given.name.clone()) {
                let why = format!("{:?} is the name of an earlier one; give each its own", given.name);
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
    /// Documents that had another content.
    replaced: usize,
    /// Documents that are as they were.
    unchanged: usize,
    /// What could not be understood, each with the name of its document; the first twenty.
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
    /// The facts that were understood.
    facts: Vec<Triple>,
    /// What the facts changed.
    decisions: Vec<String>,
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
        }
    }
}

/// A question to the documents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskParameters {
    /// The question.
    pub question: String,
    /// How many tokens the passages may take.
    #[serde(default = "ask_tokens")]
    pub tokens: usize,
    /// The user who asks, by a name or the `id` of a record: whom "I" and "my" mean in a question over records.
    #[serde(default)]
    pub asker: Option<String>,
    /// Adds `recorded`, which the page `ui://quiver/path` draws. It is long.
    #[serde(default)]
    pub trace: bool,
}

/// An answer, or what comes nearest.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answered {
    /// The answer; absent where none was found.
    answer: Option<String>,
    /// Why there is no answer.
    no_answer: Option<String>,
    /// How likely the answer is right, from 0 to 1.
    confidence: Option<f32>,
    /// The sentence that the answer is taken from, and where it stands.
    source: Option<Source>,
    /// The nearest sentences where there is no answer. They may not answer the question.
    found: Vec<Source>,
    /// The passages that the answer rests on, or the nearest ones where there is no answer.
    passages: Vec<FoundPassage>,
    /// The answer with all that led to it, where `trace` asks for it.
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

/// What is searched for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchParameters {
    /// What to search for: words, names or a whole question.
    pub query: String,
    /// How many passages to return at the most, up to 50.
    #[serde(default = "search_limit")]
    pub limit: usize,
    /// How many tokens the passages may take.
    #[serde(default = "text_tokens")]
    pub tokens: usize,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Searched {
    passages: Vec<FoundPassage>,
}

impl Searched {
    /// Makes the form.
    pub fn of(evidence: &Evidence, tokens: usize) -> Self {
        Self { passages: FoundPassage::all(evidence, tokens) }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct FoundPassage {
    /// The name to `open` it and what follows it by.
    name: String,
    title: Option<String>,
    /// The document it stands in.
    document: String,
    /// Who said it, where it is a turn of a conversation.
    speaker: Option<String>,
    /// When it was said or written, where that is known.
    time: Option<String>,
    text: String,
}

impl FoundPassage {
    /// Returns the best passages, as many as fit into a number of tokens.
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

/// Returns how many of the first texts fit into a number of tokens; at least one, so that there is always a next.
pub fn fitting(texts: impl Iterator<Item = usize>, tokens: usize) -> usize {
    let sums = texts.scan(0_usize, |sum, tokens| {
        *sum = sum.saturating_add(tokens);
        Some(*sum)
    });
    sums.enumerate().take_while(|(at, sum)| *at == 0 || *sum <= tokens).count()
}

/// The question that a context is packed for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextParameters {
    /// The user who asks, by a name or the `id` of a record: whom "I" and "my" mean in a question over records.
    #[serde(default)]
    pub asker: Option<String>,
    /// The question that the context is for.
    pub question: String,
    /// The session that it is asked in.
    #[serde(default)]
    pub session: Option<String>,
    /// How many tokens the context may take.
    #[serde(default = "text_tokens")]
    pub tokens: usize,
}

/// A packed context.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Context {
    /// The context, to be read as it is.
    text: String,
    /// The question as it was understood from the session.
    standalone: String,
    /// How many tokens the text takes.
    tokens: usize,
}

impl Context {
    /// Makes the form.
    pub fn of(context: &quiver::context::Context) -> Self {
        Self { text: context.text(), standalone: context.standalone.clone(), tokens: context.tokens }
    }
}

/// What is read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenParameters {
    /// The name of a document, the name of a passage that `search` or `ask` returned, or `next` of the last `open`.
    pub name: String,
    /// How many tokens the text may take; a single passage is never cut.
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
    /// The name to go on from; absent at the end of the document.
    pub next: Option<String>,
}

/// What is to be forgotten.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetParameters {
    /// Forgets this session, or one turn of it.
    #[serde(default)]
    pub session: Option<String>,
    /// The number of the turn of the session.
    #[serde(default)]
    pub turn: Option<u64>,
    /// Forgets every turn that states a fact of the thing with exactly this name.
    #[serde(default)]
    pub about: Option<String>,
    /// Deletes the document with this name.
    #[serde(default)]
    pub document: Option<String>,
    /// Shows what would be forgotten and forgets nothing.
    #[serde(default = "yes")]
    pub dry_run: bool,
}

/// What is forgotten.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Forgotten {
    /// Whether nothing was forgotten yet: call again with `dry_run` false.
    dry_run: bool,
    /// How many turns or passages are forgotten.
    turns: usize,
    /// What is forgotten: the words of the turns, or the document.
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

/// Which part of the list of documents is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentsParameters {
    /// Lists the documents after this one: `next` of the last list.
    #[serde(default)]
    pub after: Option<String>,
}

/// A part of the list of documents.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Documents {
    /// Their names.
    pub documents: Vec<String>,
    /// What to give as `after` for more; absent at the end.
    pub next: Option<String>,
}

/// The thing whose facts are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactsParameters {
    /// The name of the thing.
    pub about: String,
    /// The moment whose facts are asked for. Default: now.
    #[serde(default)]
    pub as_of: Option<String>,
    /// Lists facts that ended, too.
    #[serde(default)]
    pub history: bool,
}

/// Facts about a thing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// The facts.
    pub facts: Vec<FactForm>,
}

/// A fact, with when it holds and who said it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactForm {
    subject: String,
    predicate: String,
    object: String,
    /// Whether it says that this is not so.
    denied: bool,
    /// Whether it holds at the moment asked for.
    holds: bool,
    /// Since when it holds.
    valid_from: Option<String>,
    /// Until when it held.
    valid_to: Option<String>,
    speaker: Option<String>,
    /// The words that state it.
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
    /// The query in Cypher, which may only read:
    /// `MATCH (t {name: $team})-[:OWNS]->(s) WHERE s.status = 'open' RETURN s.name LIMIT 20`.
    pub query: String,
    /// The values of the parameters of the query: `{"team": "Team A"}`.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// How many tokens the rows may take.
    #[serde(default = "text_tokens")]
    pub tokens: usize,
}

/// The rows of a query.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Queried {
    /// The names of the columns.
    columns: Vec<String>,
    /// The rows, each with what it rests on.
    rows: Vec<QueriedRow>,
    /// How many rows there are; more than those here where they did not fit.
    count: usize,
    /// Why there are none, where that is known.
    why_empty: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct QueriedRow {
    /// The values, in the order of the columns.
    values: Vec<Value>,
    /// The relations that the row rests on.
    proof: Vec<String>,
}

impl Queried {
    /// Makes the form with the first rows, as many as fit into a number of tokens.
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

/// How much the workspace holds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Counted {
    /// The workspace.
    pub workspace: String,
    /// How many documents.
    pub documents: u64,
    /// How many passages.
    pub passages: u64,
    /// How many entities.
    pub entities: u64,
    /// How many relations.
    pub relations: u64,
}
