//! The last room: an answer from the evidence alone, or a refusal with its reason.
//!
//! No language model is needed: the answer is the sentence that says most of what the question asks and the path to
//! it leaves open, and the value in it of the kind that the question asks for. Where there is one, it words the answer.

use std::fmt;

use quiver_graph::{Passage, PassageId, name};
use quiver_language::question::function_words;
use quiver_models::{Lexical, Term};
use serde::Serialize;

use crate::{
    compare::{Compared, compare},
    engine::Engine,
    error::Room,
    extract::{Mention, MentionKind, mentions, sentences},
    language::word,
    pool::TermBits,
    question::{BestChain, Evidence, Ranked, Step},
    rerank::label,
    trace::Trace,
};

/// Where the best path leaves open more than this share of what the question tells of its object, there is no answer.
const OPEN_MOST: f32 = 0.65;
/// Likewise where no document at all says more than this share of it.
const UNKNOWN_MOST: f32 = 0.25;
/// How many sentences are cited at the most.
const CITATIONS_MAX: usize = 3;
/// An answer, with all that it rests on.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer in words, or `None` where the evidence does not suffice.
    pub text: Option<String>,
    /// Why there is no answer.
    pub refusal: Option<Refusal>,
    /// The sentences that make up the text, each with the passages that it rests on.
    pub sentences: Vec<Sentence>,
    /// The language model that worded it, or refused; `None` where it is in the evidence's own words.
    pub model: Option<String>,
    /// The sentences that the answer is taken from, the best first; those of the cited passages, where a language model
    /// worded it.
    pub citations: Vec<Citation>,
    /// The evidence.
    pub evidence: Evidence,
}

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// The passages that it rests on.
    pub passages: Vec<PassageId>,
}

/// Takes the sentences of an answer as they come.
pub type OnSentence<'a> = &'a mut (dyn FnMut(&Sentence) + Send);

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
    /// The language model finds no answer in the evidence.
    Unanswered {
        /// What it says is missing.
        why: String,
    },
    /// The evidence supports nothing that the language model said.
    Unsupported {
        /// Why not.
        why: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDocuments => f.write_str("there are no documents yet"),
            Self::NothingFound => f.write_str("no passage speaks of anything in the question"),
            Self::Unanswered { why } | Self::Unsupported { why } => f.write_str(why),
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
    /// The passages that lead to it, from the first on, each with the step from it.
    pub path: Vec<(PassageId, Step)>,
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

/// What an answer has to fit.
struct Asking<'a> {
    lexical: &'a Lexical,
    question: &'a str,
    bits: &'a TermBits,
    /// The words that say what is asked for.
    focus: u128,
    /// The words that some document says.
    known: u128,
    kind: Asked,
}

/// Answers from the evidence: in its own words, or in those of a language model where there is one.
pub(crate) async fn answer(engine: Engine<'_>, evidence: Evidence, on_sentence: OnSentence<'_>) -> Answer {
    let mut answer = quote(engine.lexical, evidence);
    let mut lines = match engine.language.filter(|language| language.options.answer) {
        Some(language) => word(language, &mut answer, on_sentence).await,
        None => Vec::new(),
    };
    if answer.model.is_none() {
        answer.citations.truncate(CITATIONS_MAX);
        answer.sentences.iter().for_each(on_sentence);
    }
    let line = match (&answer.text, &answer.refusal) {
        (Some(text), _) => format!("{text:?} from {:?}", answer.citations[0].title),
        (None, Some(refusal)) => format!("refused: {refusal}"),
        (None, None) => "no sentence found".to_owned(),
    };
    lines.insert(0, line);
    answer.evidence.trace.end(Room::Answer, lines);
    answer
}

/// Answers in the evidence's own words, with all that could be cited.
fn quote(lexical: &Lexical, evidence: Evidence) -> Answer {
    let asking = Asking {
        lexical,
        question: &evidence.question,
        bits: &evidence.bits,
        focus: evidence.focus.object,
        known: !evidence.unknown,
        kind: asked(&evidence.question),
    };
    let mut citations: Vec<Citation> = evidence
        .passages
        .iter()
        .filter_map(|ranked| cite(&asking, ranked, covered_by_path(&asking, &evidence, ranked)))
        .collect();
    citations.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
    if let Some(chain) = &evidence.chain {
        citations.retain(|citation| citation.passage != chain.passage.id);
        citations.insert(0, cite_chain(&asking, chain));
    }
    let compared = compare(lexical, &evidence);
    if let Some(compared) = &compared {
        citations
            .retain(|citation| compared.told.iter().all(|(ranked, _)| citation.passage != ranked.passage.id));
        citations.splice(0..0, cite_compared(compared));
    }
    let refusal = if compared.is_some() { None } else { refuse(&asking, &evidence) };
    let text = match (&refusal, citations.first()) {
        (None, Some(best)) => Some(best.value.clone().unwrap_or_else(|| best.sentence.clone())),
        _ => None,
    };
    let sentence = |text: &String| Sentence { text: text.clone(), passages: vec![citations[0].passage] };
    let sentences = text.iter().map(sentence).collect();
    Answer { text, refusal, sentences, model: None, citations, evidence }
}

/// The words of the question that the passages on the path to this one say, as bits.
fn covered_by_path(asking: &Asking<'_>, evidence: &Evidence, ranked: &Ranked) -> u128 {
    let on_path = |id: PassageId| evidence.passages.iter().find(|other| other.passage.id == id);
    let path = ranked.path.iter().filter_map(|(id, _)| on_path(*id));
    path.fold(0, |covered, other| covered | covered_by_passage(asking, &other.passage))
}

/// The sentence that the best chain ends with.
fn cite_chain(asking: &Asking<'_>, chain: &BestChain) -> Citation {
    let value = value(asking, &chain.passage, &chain.sentence, &mentions(&chain.passage.text));
    Citation {
        passage: chain.passage.id,
        title: label(&chain.passage).to_owned(),
        sentence: chain.passage.text[chain.sentence.clone()].trim().to_owned(),
        value,
        path: chain.path.clone(),
        score: chain.score,
    }
}

/// The sentences that a comparison rests on, that of what wins first.
fn cite_compared(compared: &Compared<'_>) -> Vec<Citation> {
    let mut value = Some(compared.name.to_owned());
    let told = compared.told.iter().map(|(ranked, sentence)| Citation {
        passage: ranked.passage.id,
        title: label(&ranked.passage).to_owned(),
        sentence: ranked.passage.text[sentence.clone()].trim().to_owned(),
        value: value.take(),
        path: ranked.path.clone(),
        score: ranked.score,
    });
    told.collect()
}

/// The best sentence of a passage: one that together with the path to it says most of the question, and of what is
/// asked for.
fn cite(asking: &Asking<'_>, ranked: &Ranked, before: u128) -> Option<Citation> {
    let Asking { lexical, bits, focus, known, .. } = *asking;
    let sayable = bits.weight(known).max(f32::MIN_POSITIVE);
    let text = &ranked.passage.text;
    let title = ranked.passage.title.as_deref().unwrap_or_default();
    let reached = before | covered_by(asking, title);
    let found = mentions(text);
    let mut best: Option<Citation> = None;
    for range in sentences(text) {
        let sentence = text[range.clone()].trim();
        let said = bits.covered_by(lexical.terms(sentence).into_iter().map(|term| term.hash));
        let all = bits.weight(reached | said) / sayable;
        let open = bits.weight(known & !reached);
        let new = if open > 0.0 { bits.weight(said & !reached) / open } else { 0.0 };
        let focused = if focus == 0 { 0.0 } else { bits.weight(said & focus) / bits.weight(focus) };
        let value = value(asking, &ranked.passage, &range, &found);
        let fits = if value.is_some() || asking.kind == Asked::Anything { 1.0 } else { 0.7 };
        let score = ranked.score.max(0.01).sqrt() * fits * (0.45 * all + 0.4 * new + 0.15 * focused);
        if best.as_ref().is_none_or(|best| score > best.score) {
            let title = label(&ranked.passage).to_owned();
            let sentence = sentence.to_owned();
            let path = ranked.path.clone();
            best = Some(Citation { passage: ranked.passage.id, title, sentence, value, path, score });
        }
    }
    best
}

/// The value of the kind asked for that stands nearest to the words of the question, and is not in it.
fn value(
    asking: &Asking<'_>,
    passage: &Passage,
    sentence: &std::ops::Range<usize>,
    mentions: &[Mention],
) -> Option<String> {
    let fits = |kind: MentionKind| match asking.kind {
        Asked::Name => matches!(kind, MentionKind::Name | MentionKind::Quotation),
        Asked::Date => kind == MentionKind::Date,
        Asked::Quantity => kind == MentionKind::Quantity,
        Asked::Anything => false,
    };
    let known = name::normalise(&format!("{} {}", asking.question, label(passage)));
    let said: Vec<usize> = asking
        .lexical
        .terms(&passage.text[sentence.clone()])
        .iter()
        .filter(|term| asking.bits.has(term.hash))
        .map(|term| sentence.start + term.start)
        .collect();
    mentions
        .iter()
        .filter(|mention| fits(mention.kind) && sentence.contains(&mention.range.start))
        .filter(|mention| !known.contains(&name::normalise(&mention.name)))
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

/// Whether the evidence is too little to answer from. What the question tells of its object has to be said by the
/// best chain of passages; what it asks for may be said in other words.
fn refuse(asking: &Asking<'_>, evidence: &Evidence) -> Option<Refusal> {
    if evidence.is_empty {
        return Some(Refusal::NoDocuments);
    }
    let Some(chain) = evidence.chain.as_ref().filter(|chain| chain.said != 0) else {
        return Some(Refusal::NothingFound);
    };
    let bits = asking.bits;
    let functional = functional(asking);
    let ignored = asking.focus | functional;
    let told = bits.all - bits.weight(ignored);
    let open = told - bits.weight(chain.said & !ignored);
    if bits.weight(evidence.unknown & !ignored) > UNKNOWN_MOST * told {
        return Some(Refusal::NotCovered { words: open_words(asking, asking.known | functional) });
    }
    if open > OPEN_MOST * told {
        return Some(Refusal::NotCovered { words: open_words(asking, chain.said | functional) });
    }
    None
}

/// The question words and function words of a question that is not English, as bits: an answer need not say them.
fn functional(asking: &Asking<'_>) -> u128 {
    let words = function_words(asking.question);
    let terms = asking.lexical.terms(asking.question);
    let of = |is_functional: bool| {
        let within = |term: &&Term| {
            words.iter().any(|word| term.start < word.end && word.start < term.end) == is_functional
        };
        asking.bits.covered_by(terms.iter().filter(within).map(|term| term.hash))
    };
    let others = of(false);
    // A question of nothing else asks for them.
    if others == 0 { 0 } else { of(true) & !others }
}

/// The words of the question that are not covered, as they stand in it.
fn open_words(asking: &Asking<'_>, covered: u128) -> Vec<String> {
    let mut words = Vec::new();
    for term in asking.lexical.terms(asking.question) {
        let word = asking.question[term.start..term.end].to_owned();
        let is_open = asking.bits.has(term.hash) && !asking.bits.is_covered(term.hash, covered);
        if is_open && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

fn covered_by(asking: &Asking<'_>, text: &str) -> u128 {
    asking.bits.covered_by(asking.lexical.terms(text).into_iter().map(|term| term.hash))
}

fn covered_by_passage(asking: &Asking<'_>, passage: &Passage) -> u128 {
    covered_by(asking, passage.title.as_deref().unwrap_or_default()) | covered_by(asking, &passage.text)
}

impl Answer {
    /// What happened on the way.
    pub fn trace(&self) -> &Trace {
        &self.evidence.trace
    }
}
