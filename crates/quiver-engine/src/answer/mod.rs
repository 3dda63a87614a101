//! The last step: an answer from the evidence alone, or what was found where no answer is sure enough.
//!
//! No language model is needed. The question is read into its form (`form`), every piece of every passage is read
//! against it (`reading`), what may be the answer is collected with its features (`candidate`), and learned weights
//! choose among it and tell how likely it is right (`choose`, `model`). Questions about two things are computed
//! (`pair`). Where there is a language model, it words the answer.

mod candidate;
mod choose;
mod derived;
mod form;
mod lexicon;
pub(crate) mod model;
mod objection;
mod pair;
mod reading;
mod rival;
mod stated;
mod unit;
mod word;

use std::{fmt, iter};

use quiver_graph::PassageId;
use quiver_models::Lexical;
use serde::Serialize;
use tracing::{Span, field, instrument};

use crate::{
    engine::Engine,
    error::Stage,
    label::label,
    llm::word,
    query::QueryAnswer,
    question::{Evidence, Ranked, Step, Variant},
    terms::TermBits,
    trace::Trace,
};

use candidate::overlap;
use choose::{AnswerOption, Choice, Spot, choose, stated_or_derived};
use reading::{Source, Weights};

pub use choose::{Observed, ObservedCandidate};
pub use model::{AnswerForm, AnswerWeights};
pub use objection::Objection;

/// How many sentences are cited at the most.
const CITATIONS_MAX: usize = 3;

/// An answer, with all that it rests on.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer in words, or `None` where the evidence does not suffice.
    pub text: Option<String>,
    /// What the answer would be if one had to be given, in the evidence's own words.
    pub best: Option<String>,
    /// How likely `best` is right, from 0 to 1; 0 where something speaks against it.
    pub confidence: f32,
    /// What was considered as the answer, in the order in which it would be given.
    pub considered: Vec<Considered>,
    /// Why there is no answer.
    pub refusal: Option<Refusal>,
    /// The sentences that make up the text, each with the passages that it rests on.
    pub sentences: Vec<Sentence>,
    /// The language model that worded it, or refused; `None` where it is in the evidence's own words.
    pub model: Option<String>,
    /// The sentences that the answer is taken from, the best first; those of the cited passages, where a language model
    /// worded it.
    pub citations: Vec<Citation>,
    /// The sentences that come nearest, the best first, where there is no answer. They are what was found, and not the
    /// answer.
    pub found: Vec<Citation>,
    /// The query that answered it, with its rows; `None` if the passages did.
    pub query: Option<Box<QueryAnswer>>,
    /// The evidence.
    pub evidence: Evidence,
}

/// What was considered as the answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Considered {
    /// The words.
    pub text: String,
    /// What form it has.
    pub form: AnswerForm,
    /// How likely it is right, from 0 to 1, if nothing speaks against it.
    pub confidence: f32,
    /// What speaks against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objection: Option<Objection>,
    /// What the confidence is told by: what `quiver-eval answers --learn` learns it from.
    #[serde(skip)]
    pub signs: Vec<f32>,
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
pub(crate) type OnSentence<'a> = &'a mut (dyn FnMut(&Sentence) + Send);

/// Why a question is not answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Refusal {
    /// There are no documents.
    NoDocuments,
    /// No passage shares a word or a name with the question.
    NothingFound,
    /// It is not sure enough that what was found answers the question.
    Unsure {
        /// The words of the question that the nearest sentences do not speak of.
        words: Vec<String>,
        /// What speaks against the likeliest answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        objection: Option<Objection>,
    },
    /// The evidence leaves open too much of what the question asks.
    NotCovered {
        /// The words of the question that no evidence speaks of.
        words: Vec<String>,
    },
    /// The question can be read as a query over records, and a name in it is that of several.
    Ambiguous {
        /// Each name, with how many records have it.
        shared_names: Vec<String>,
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
            Self::Unsure { words, objection } => {
                f.write_str("no passage surely answers this")?;
                match objection {
                    Some(objection) => write!(f, ": of what comes nearest, {objection}"),
                    None if words.is_empty() => Ok(()),
                    None => write!(f, ": what comes nearest says nothing of {}", words.join(", ")),
                }
            }
            Self::Ambiguous { shared_names } => {
                write!(f, "it is not clear which record is meant: {}", shared_names.join(", "))
            }
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

/// Where words that no passage says make up more than this share of the question's weight, there is no answer.
const UNKNOWN_MOST: f32 = 0.25;

/// The weights of the question's words, as the evidence brings them.
struct BitWeights<'a> {
    bits: &'a TermBits,
    unknown: u128,
}

impl Weights for BitWeights<'_> {
    fn weight(&self, stem: u32) -> f32 {
        self.bits.weight(self.bits.covered_by([stem]))
    }

    fn is_unknown(&self, stem: u32) -> bool {
        self.bits.covered_by([stem]) & self.unknown != 0
    }
}

/// Answers from the evidence: in its own words, or in those of a language model where there is one.
#[instrument(target = "quiver::stage", skip_all, fields(is_answered, confidence, considered, cited))]
pub(crate) async fn answer(engine: Engine<'_>, evidence: Evidence, on_sentence: OnSentence<'_>) -> Answer {
    let (mut answer, renamed) = quote_by_any_name(engine, evidence);
    let mut lines = match engine.llm.filter(|llm| llm.options.answer) {
        Some(llm) => word(llm, &mut answer, on_sentence).await,
        None => Vec::new(),
    };
    if answer.model.is_none() {
        answer.sentences.iter().for_each(on_sentence);
    }
    let line = match (&answer.text, &answer.refusal) {
        (Some(text), _) => {
            format!("{text:?} from {:?}, confidence {:.2}", answer.citations[0].title, answer.confidence)
        }
        (None, Some(refusal)) => format!("refused: {refusal}; confidence {:.2}", answer.confidence),
        (None, None) => "no sentence found".to_owned(),
    };
    lines.insert(0, line);
    lines.extend(renamed);
    for considered in &answer.considered {
        let Considered { text, form, confidence, objection, .. } = considered;
        let against = objection.map_or(String::new(), |objection| format!("; not given: {objection}"));
        lines.push(format!(
            "{form:?} {text:?}: {confidence:.2} of {:.2}{against}",
            answer.evidence.confidence_min
        ));
    }
    let span = Span::current();
    span.record("is_answered", answer.text.is_some())
        .record("confidence", f64::from(answer.confidence))
        .record("considered", answer.considered.len());
    if let Some(citation) = answer.citations.first().filter(|_| answer.text.is_some()) {
        span.record("cited", field::display(citation.passage));
    }
    answer.evidence.trace.end(Stage::Answer, lines);
    answer
}

/// Answers in the evidence's own words: the question as it is asked, and with each other name that a decision gives what
/// it names. A value stands before a sentence, then the surest. Also returns what the trace says of that.
fn quote_by_any_name(engine: Engine<'_>, evidence: Evidence) -> (Answer, Option<String>) {
    let quote = |evidence| quote(engine.lexical, engine.answer_weights, evidence);
    let variants = evidence.variants.clone();
    let (mut answer, mut line) = (quote(evidence), None);
    for Variant { question, written, other, bits, unknown } in variants {
        let mut evidence = answer.evidence.clone();
        let asked = (
            std::mem::replace(&mut evidence.question, question),
            std::mem::replace(&mut evidence.bits, bits),
            std::mem::replace(&mut evidence.unknown, unknown),
        );
        let mut renamed = quote(evidence);
        if sureness(&renamed) > sureness(&answer) {
            (renamed.evidence.question, renamed.evidence.bits, renamed.evidence.unknown) = asked;
            line =
                Some(format!("answered with {other:?} for {written:?}: they are the same, as was decided"));
            answer = renamed;
        }
    }
    (answer, line)
}

/// Orders answers: none, then sentences, then what is more than a sentence, each by how likely it is right.
fn sureness(answer: &Answer) -> Option<(bool, f32)> {
    let text = answer.text.as_ref()?;
    let given = answer.considered.iter().find(|considered| considered.text == *text);
    Some((given.is_some_and(|given| given.form != AnswerForm::Sentence), answer.confidence))
}

/// All that may answer a question, for learning the weights.
pub(crate) fn observe(lexical: &Lexical, evidence: &Evidence) -> Observed {
    choose::observe(lexical, &evidence.question, &weights(evidence), &sources(evidence))
}

fn weights(evidence: &Evidence) -> BitWeights<'_> {
    BitWeights { bits: &evidence.bits, unknown: evidence.unknown }
}

fn sources(evidence: &Evidence) -> Vec<Source<'_>> {
    evidence.passages.iter().map(source).collect()
}

fn source(ranked: &Ranked) -> Source<'_> {
    Source {
        title: ranked.passage.title.as_deref(),
        text: &ranked.passage.text,
        score: ranked.score,
        steps: ranked.path.len(),
        metadata: &ranked.passage.metadata,
    }
}

/// What the passages state or give together with those that come next, which become evidence if they do.
fn further(lexical: &Lexical, learned: &AnswerWeights, evidence: &mut Evidence) -> Option<AnswerOption> {
    let all: Vec<Source<'_>> = evidence.passages.iter().chain(&evidence.further).map(source).collect();
    let known = evidence.passages.len();
    if all.len() == known {
        return None;
    }
    let mut option = stated_or_derived(lexical, &evidence.question, &weights(evidence), &all, learned)?;
    for spot in &mut option.spots {
        if let Some(next) = spot.source.checked_sub(known) {
            let ranked = &evidence.further[next];
            let is_same = |other: &Ranked| other.passage.id == ranked.passage.id;
            spot.source = evidence.passages.iter().position(is_same).unwrap_or(evidence.passages.len());
            if spot.source == evidence.passages.len() {
                evidence.passages.push(ranked.clone());
            }
        }
    }
    Some(option)
}

/// Answers in the evidence's own words.
fn quote(lexical: &Lexical, learned: &AnswerWeights, mut evidence: Evidence) -> Answer {
    let chosen = choose(lexical, &evidence.question, &weights(&evidence), &sources(&evidence), learned);
    let Choice { mut options, nearest, open, unknown: (unknown, unknown_share) } = chosen;
    let confidence = |option: &AnswerOption| {
        if option.objection.is_some() { 0.0 } else { learned.confidence(option.form, &option.signs) }
    };
    if options.iter().all(|option| confidence(option) < evidence.confidence_min) {
        options.extend(further(lexical, learned, &mut evidence));
    }
    // A value that is sure enough is a better answer than the sentence around it.
    let is_whole = |option: &AnswerOption| option.form == AnswerForm::Sentence;
    options.sort_by(|a, b| is_whole(a).cmp(&is_whole(b)).then(confidence(b).total_cmp(&confidence(a))));
    let least = evidence.confidence_min;
    // Words are told as the user wrote them.
    let written = |words: Vec<String>| -> Vec<String> {
        let as_written = |word: String| {
            let known = evidence.corrected.iter().find(|(_, meant)| *meant == word);
            known.map_or(word, |(written, meant)| format!("{written} (read as {meant})"))
        };
        words.into_iter().map(as_written).collect()
    };
    let (open, unknown) = (written(open), written(unknown));
    let given = options.iter().find(|option| confidence(option) >= least);
    let likeliest = options.iter().rev().max_by(|a, b| confidence(a).total_cmp(&confidence(b)));
    let best = given.or(likeliest);
    let is_unknown =
        best.is_some_and(|best| best.objection == Some(Objection::Unknown)) && !unknown.is_empty();
    // A summary tells what there is of the thing that is named; what is stated or derived says what is asked.
    let is_covered = given.is_some_and(|given| {
        matches!(given.form, AnswerForm::Summary | AnswerForm::Stated | AnswerForm::Derived)
    });
    let refusal = if evidence.is_empty {
        Some(Refusal::NoDocuments)
    } else if evidence.passages.is_empty() || best.is_none() {
        Some(Refusal::NothingFound)
    } else if least > 0.0 && (is_unknown || unknown_share > UNKNOWN_MOST) && !is_covered {
        Some(Refusal::NotCovered { words: unknown })
    } else if given.is_none() {
        Some(Refusal::Unsure { words: open, objection: best.and_then(|best| best.objection.or(best.doubt)) })
    } else {
        None
    };
    let cite = |spots: &[Spot], most: usize, value: Option<&String>| -> Vec<Citation> {
        let cited = spots.iter().take(most).enumerate();
        cited.map(|(at, spot)| citation(&evidence, spot, value.filter(|_| at == 0).cloned())).collect()
    };
    let (mut citations, mut found, mut sentences) = (Vec::new(), Vec::new(), Vec::new());
    match (&refusal, best) {
        (None, Some(best)) if best.form == AnswerForm::Summary => {
            citations = cite(&best.spots, usize::MAX, None);
            let each = citations.iter().map(|cited| (cited.sentence.clone(), cited.passage));
            sentences = each.map(|(text, passage)| Sentence { text, passages: vec![passage] }).collect();
        }
        (None, Some(best)) => {
            let is_sentence = is_whole(best)
                || matches!(best.form, AnswerForm::Stated | AnswerForm::Derived)
                    && best.text == best.spots[0].text;
            citations = cite(&best.spots, CITATIONS_MAX, Some(&best.text).filter(|_| !is_sentence));
            sentences.push(Sentence { text: best.text.clone(), passages: vec![citations[0].passage] });
        }
        _ => {
            let mut spots: Vec<Spot> = Vec::new();
            let likely = options.iter().filter(|option| is_whole(option) && option.objection.is_none());
            for spot in likely.filter_map(|option| option.spots.first()).chain(&nearest) {
                let is_shown =
                    |known: &Spot| known.source == spot.source && overlap(&known.range, &spot.range);
                if !spots.iter().any(is_shown) {
                    spots.push(spot.clone());
                }
            }
            found = cite(&spots, CITATIONS_MAX, None);
        }
    }
    let confidence_of_best = best.map_or(0.0, confidence);
    let text = best.map(|best| best.text.clone());
    let considered = options.iter().map(|option| Considered {
        text: option.text.clone(),
        form: option.form,
        confidence: learned.confidence(option.form, &option.signs),
        objection: option.objection,
        signs: option.signs.clone(),
    });
    Answer {
        text: text.clone().filter(|_| refusal.is_none()),
        best: text,
        confidence: confidence_of_best,
        considered: considered.collect(),
        refusal,
        sentences,
        model: None,
        citations,
        found,
        query: None,
        evidence,
    }
}

/// Answers by the rows of a query. What the passages say is considered, and not the answer, unless the question asks
/// for texts as well.
pub(crate) fn answer_by_query(engine: Engine<'_>, evidence: Evidence, query: QueryAnswer) -> Answer {
    let mut answer = quote(engine.lexical, engine.answer_weights, evidence);
    let evidence = &mut answer.evidence;
    let texts: Vec<&str> = evidence.passages.iter().map(|ranked| ranked.passage.text.as_str()).collect();
    let texts = query.texts(&evidence.question, &texts);
    let citations: Vec<Citation> = texts
        .into_iter()
        .take(CITATIONS_MAX)
        .map(|at| {
            let text = evidence.passages[at].passage.text.clone();
            citation(evidence, &Spot { source: at, range: 0..text.len(), text }, None)
        })
        .collect();
    let rows = query.text();
    evidence
        .trace
        .end(Stage::Answer, vec![format!("{rows:?} from the rows of a query: {}", query.rows.rows.len())]);
    let cited =
        citations.iter().map(|one| Sentence { text: one.sentence.clone(), passages: vec![one.passage] });
    let sentences: Vec<Sentence> =
        iter::once(Sentence { text: rows, passages: Vec::new() }).chain(cited).collect();
    let text = sentences.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n");
    Answer {
        text: Some(text.clone()),
        best: Some(text),
        confidence: 1.0,
        refusal: None,
        sentences,
        citations,
        found: Vec::new(),
        query: Some(Box::new(query)),
        ..answer
    }
}

fn citation(evidence: &Evidence, spot: &Spot, value: Option<String>) -> Citation {
    let ranked = &evidence.passages[spot.source];
    Citation {
        passage: ranked.passage.id,
        title: label(&ranked.passage).to_owned(),
        sentence: spot.text.clone(),
        value,
        path: ranked.path.clone(),
        score: ranked.score,
    }
}

impl Answer {
    /// What happened on the way.
    pub fn trace(&self) -> &Trace {
        &self.evidence.trace
    }
}
