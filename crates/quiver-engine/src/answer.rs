//! The last room: an answer from the evidence alone, or a refusal with its reason.
//!
//! No language model is needed: the answer is the sentence that says most of what the question asks and the path to
//! it leaves open, and the value in it of the kind that the question asks for.

use std::fmt;

use quiver_graph::{Passage, PassageId};
use quiver_models::Lexical;
use serde::Serialize;

use crate::{
    error::Room,
    extract::{Mention, MentionKind, mentions, sentences},
    pool::TermBits,
    question::{Evidence, QueryTerm, Ranked},
    rerank::label,
    trace::Trace,
};

/// Evidence that says less than this share of the question's weight is no basis for an answer.
const COVERED_LEAST: f32 = 0.5;

/// An answer, with all that it rests on.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer in words, or `None` where the evidence does not suffice.
    pub text: Option<String>,
    /// Why there is no answer.
    pub refusal: Option<Refusal>,
    /// The sentences that the answer is taken from, the best first.
    pub citations: Vec<Citation>,
    /// The evidence.
    pub evidence: Evidence,
}

/// Why a question is not answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Refusal {
    /// There are no documents.
    NoDocuments,
    /// No passage shares a word or a name with the question.
    NothingFound,
    /// The evidence leaves open too much of what the question asks.
    NotCovered {
        /// The words of the question that no evidence speaks of.
        words: Vec<String>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDocuments => f.write_str("there are no documents yet"),
            Self::NothingFound => f.write_str("no passage speaks of anything in the question"),
            Self::NotCovered { words } => write!(f, "no evidence speaks of {}", words.join(", ")),
        }
    }
}

/// A sentence that an answer is taken from.
#[derive(Clone, Debug, PartialEq)]
pub struct Citation {
    /// The passage it stands in.
    pub passage: PassageId,
    /// The passage's title, or else its document.
    pub title: String,
    /// The sentence.
    pub sentence: String,
    /// The value in it that answers the question, where one is of the kind asked for.
    pub value: Option<String>,
    /// How much it says of what the question asks, comparable within one answer only.
    pub score: f32,
}

/// What kind of value a question asks for, by its question word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Name,
    Date,
    Quantity,
    Anything,
}

/// Answers from the evidence.
pub(crate) fn answer(lexical: &Lexical, mut evidence: Evidence) -> Answer {
    let terms = evidence.bits.clone();
    let mut citations: Vec<Citation> = Vec::new();
    let asked = asked(&evidence.question);
    for ranked in &evidence.passages {
        let before = ranked
            .path
            .iter()
            .filter_map(|(id, _)| evidence.passages.iter().find(|other| other.passage.id == *id))
            .fold(0, |covered, other| covered | covered_by_passage(lexical, &terms, &other.passage));
        citations.extend(cite(lexical, &terms, &evidence.question, ranked, before, asked));
    }
    citations.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
    citations.truncate(3);
    let refusal = refuse(lexical, &terms, &evidence);
    let text = match (&refusal, citations.first()) {
        (None, Some(best)) => Some(best.value.clone().unwrap_or_else(|| best.sentence.clone())),
        _ => None,
    };
    let line = match (&text, &refusal) {
        (Some(text), _) => format!("{text:?} from {:?}", citations[0].title),
        (None, Some(refusal)) => format!("refused: {refusal}"),
        (None, None) => "no sentence found".to_owned(),
    };
    evidence.trace.end(Room::Answer, vec![line]);
    Answer { text, refusal, citations, evidence }
}

/// The best sentence of a passage for what the path before it leaves open.
fn cite(
    lexical: &Lexical,
    terms: &TermBits,
    question: &str,
    ranked: &Ranked,
    before: u128,
    asked: Asked,
) -> Option<Citation> {
    let text = &ranked.passage.text;
    let found = mentions(text);
    let mut best: Option<Citation> = None;
    for range in sentences(text) {
        let sentence = text[range.clone()].trim();
        let said = covered_by(lexical, terms, sentence);
        let new = terms.weight(said & !before) / (terms.all - terms.weight(before)).max(f32::MIN_POSITIVE);
        let all = terms.weight(said) / terms.all;
        let value = value(terms, lexical, question, text, &range, &found, asked);
        let fits = if value.is_some() { 1.0 } else { 0.7 };
        let score = ranked.score * fits * (0.2 + 0.6 * new.min(1.0) + 0.2 * all);
        if best.as_ref().is_none_or(|best| score > best.score) {
            let title = label(&ranked.passage).to_owned();
            best = Some(Citation {
                passage: ranked.passage.id,
                title,
                sentence: sentence.to_owned(),
                value,
                score,
            });
        }
    }
    best
}

/// The value of the kind asked for that stands nearest to the words of the question, and is not in it.
fn value(
    terms: &TermBits,
    lexical: &Lexical,
    question: &str,
    text: &str,
    sentence: &std::ops::Range<usize>,
    mentions: &[Mention],
    asked: Asked,
) -> Option<String> {
    let fits = |kind: MentionKind| match asked {
        Asked::Name => matches!(kind, MentionKind::Name | MentionKind::Quotation),
        Asked::Date => kind == MentionKind::Date,
        Asked::Quantity => kind == MentionKind::Quantity,
        Asked::Anything => false,
    };
    let folded = quiver_graph::name::normalise(question);
    let said: Vec<usize> = lexical
        .terms(&text[sentence.clone()])
        .iter()
        .filter(|term| terms.has(term.hash))
        .map(|term| sentence.start + term.start)
        .collect();
    mentions
        .iter()
        .filter(|mention| fits(mention.kind) && sentence.contains(&mention.range.start))
        .filter(|mention| !folded.contains(&quiver_graph::name::normalise(&mention.name)))
        .min_by_key(|mention| {
            let distance = said.iter().map(|at| at.abs_diff(mention.range.start)).min();
            (distance.unwrap_or(usize::MAX), mention.range.start)
        })
        .map(|mention| mention.name.clone())
}

fn asked(question: &str) -> Asked {
    let folded = format!(" {} ", question.to_lowercase());
    let has = |words: &[&str]| words.iter().any(|word| folded.contains(word));
    if has(&[" when ", " what year ", " which year ", " what date ", " date of "]) {
        Asked::Date
    } else if has(&[" how many ", " how much ", " how long ", " how old ", " how far ", " how tall "]) {
        Asked::Quantity
    } else if has(&[" who ", " whom ", " whose ", " where "]) {
        Asked::Name
    } else {
        Asked::Anything
    }
}

/// Whether the evidence is too little to answer from: the words of the question that the best passages and the paths
/// to them say have to weigh enough.
fn refuse(lexical: &Lexical, terms: &TermBits, evidence: &Evidence) -> Option<Refusal> {
    if evidence.passages.is_empty() {
        return Some(Refusal::NothingFound);
    }
    let covered = evidence
        .passages
        .iter()
        .fold(0, |covered, ranked| covered | covered_by_passage(lexical, terms, &ranked.passage));
    if terms.weight(covered) / terms.all >= COVERED_LEAST {
        return None;
    }
    let words = open_words(lexical, &evidence.question, &evidence.terms, terms, covered);
    Some(Refusal::NotCovered { words })
}

/// The words of the question that are not covered, as they stand in it.
fn open_words(
    lexical: &Lexical,
    question: &str,
    all: &[QueryTerm],
    terms: &TermBits,
    covered: u128,
) -> Vec<String> {
    let open: Vec<u32> =
        all.iter().map(|term| term.hash).filter(|hash| !terms.is_covered(*hash, covered)).collect();
    let mut words = Vec::new();
    for term in lexical.terms(question) {
        let word = question[term.start..term.end].to_owned();
        if open.contains(&term.hash) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn covered_by(lexical: &Lexical, terms: &TermBits, text: &str) -> u128 {
    terms.covered_by(lexical.terms(text).into_iter().map(|term| term.hash))
}

fn covered_by_passage(lexical: &Lexical, terms: &TermBits, passage: &Passage) -> u128 {
    let title = passage.title.as_deref().unwrap_or_default();
    covered_by(lexical, terms, title) | covered_by(lexical, terms, &passage.text)
}

impl Answer {
    /// What happened on the way.
    pub fn trace(&self) -> &Trace {
        &self.evidence.trace
    }
}
