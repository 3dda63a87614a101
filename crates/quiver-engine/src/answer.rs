//! The last stage: an answer from the evidence alone, or the nearest sentences if no answer is certain
//! enough.
//!
//! No language model is needed: [`quiver_answer`] reads the passages and returns possible answers, and this stage
//! decides which of them to give, or refuses. If a language model is configured, it words the answer.

use std::{fmt, iter};

use quiver_answer::{
    AnswerForm, AnswerOption, AnswerWeights, Choice, Objection, Observed, SaidBy, Source, Spot, WordWeights,
    choose, excerpt, stated_or_derived,
};
use quiver_graph::{Passage, PassageId};
use quiver_language::title::TITLE_SEPARATOR;
use quiver_models::Lexical;
use serde::Serialize;
use tracing::{Span, field, instrument};

use crate::{
    engine::Engine,
    error::Stage,
    label::label,
    llm::word,
    memory::Recollection,
    query::QueryAnswer,
    question::{Evidence, Ranked, Step, Variant},
    terms::TermBits,
    trace::Trace,
};

/// Maximum number of cited sentences.
const CITATIONS_MAX: usize = 3;

/// An answer and everything that supports it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The text of the answer, or `None` if the evidence is not sufficient.
    pub text: Option<String>,
    /// The best answer regardless of confidence, in the evidence's own words.
    pub best: Option<String>,
    /// Probability that `best` is right, from 0 to 1; 0 if there is an objection to it.
    pub confidence: f32,
    /// The answers considered, in order of preference.
    pub considered: Vec<Considered>,
    /// Why there is no answer.
    pub refusal: Option<Refusal>,
    /// The sentences of the text, each with its supporting passages.
    pub sentences: Vec<Sentence>,
    /// The language model that worded the answer or refused; `None` if the answer is in the evidence's own
    /// words.
    pub model: Option<String>,
    /// The sentences that the answer is taken from, best first. If a language model worded the answer, these
    /// are sentences of the passages it cited.
    pub citations: Vec<Citation>,
    /// The nearest sentences, best first, if there is no answer. They do not answer the question.
    pub found: Vec<Citation>,
    /// The query that answered the question, with its rows; `None` if passages answered it.
    pub query: Option<Box<QueryAnswer>>,
    /// The evidence.
    pub evidence: Evidence,
}

/// A possible answer that was considered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Considered {
    /// The text.
    pub text: String,
    /// The form of the answer.
    pub form: AnswerForm,
    /// Probability that it is right, from 0 to 1, ignoring any objection.
    pub confidence: f32,
    /// The objection to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objection: Option<Objection>,
    /// Inputs of the confidence model, from which `quiver-eval answers --learn` learns.
    #[serde(skip)]
    pub signs: Vec<f32>,
}

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// Its supporting passages.
    pub passages: Vec<PassageId>,
}

/// Receives the sentences of an answer as they arrive.
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
    /// The evidence does not answer the question with enough confidence.
    Unsure {
        /// The question words that the nearest sentences do not cover.
        words: Vec<String>,
        /// The objection to the likeliest answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        objection: Option<Objection>,
    },
    /// The evidence leaves too much of the question uncovered.
    NotCovered {
        /// The question words that no evidence covers.
        words: Vec<String>,
    },
    /// The question can be read as a query over records, but a name in it belongs to several.
    Ambiguous {
        /// Each name, with the number of records that have it.
        shared_names: Vec<String>,
    },
    /// The language model found no answer in the evidence.
    Unanswered {
        /// What the model says is missing.
        why: String,
    },
    /// The evidence supports nothing that the language model said.
    Unsupported {
        /// The reason.
        why: String,
    },
}

impl Refusal {
    /// Shows words as the user typed them, each beside the one it was corrected to.
    fn with_words_as_written(mut self, corrected: &[(String, String)]) -> Self {
        if let Self::Unsure { words, .. } | Self::NotCovered { words } = &mut self {
            for word in words {
                if let Some((written, meant)) = corrected.iter().find(|(_, meant)| meant == word) {
                    *word = format!("{written} (read as {meant})");
                }
            }
        }
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDocuments => f.write_str("there are no documents yet"),
            Self::NothingFound => f.write_str("no passage matches anything in the question"),
            Self::Unanswered { why } | Self::Unsupported { why } => f.write_str(why),
            Self::Unsure { words, objection } => {
                f.write_str("no passage answers this with enough confidence")?;
                match objection {
                    Some(objection) => write!(f, "; of the most likely answer: {objection}"),
                    None if words.is_empty() => Ok(()),
                    None => write!(f, "; the most likely answer does not cover {}", words.join(", ")),
                }
            }
            Self::Ambiguous { shared_names } => {
                write!(f, "the record is ambiguous: {}", shared_names.join(", "))
            }
            Self::NotCovered { words } => write!(f, "no evidence mentions {}", words.join(", ")),
        }
    }
}

/// A sentence that an answer is taken from.
#[derive(Clone, Debug, PartialEq)]
pub struct Citation {
    /// The passage that contains it.
    pub passage: PassageId,
    /// The passage's title, or its document if it has none, with the headings above the sentence.
    pub title: String,
    /// The sentence.
    pub sentence: String,
    /// The value in it that answers the question, if one has the type asked for.
    pub value: Option<String>,
    /// The passages that lead to it, in order, each with the step that leaves it.
    pub path: Vec<(PassageId, Step)>,
    /// How much of the question it covers. Comparable only within one answer.
    pub score: f32,
}

/// A sentence is a better answer than a value elsewhere if its confidence is higher by this much.
const SURER_BY: f32 = 0.05;

/// Refuse if words that occur in no passage exceed this share of the question's weight. In sections, which have a confidence of
/// their own, such words are mostly other words for what a manual says.
const UNKNOWN_MOST: f32 = 0.25;

/// The weights of the question's words, taken from the passages.
struct BitWeights<'a> {
    bits: &'a TermBits,
    unknown: u128,
}

impl WordWeights for BitWeights<'_> {
    fn weight(&self, stem: u32) -> f32 {
        self.bits.weight(self.bits.covered_by([stem]))
    }

    fn is_unknown(&self, stem: u32) -> bool {
        self.bits.covered_by([stem]) & self.unknown != 0
    }
}

/// Reads passages for an answer to a question. Every path that answers without a language model decides by it.
#[derive(Clone, Copy)]
pub(crate) struct AnswerReader<'a> {
    pub(crate) lexical: &'a Lexical,
    pub(crate) learned: &'a AnswerWeights,
    pub(crate) question: &'a str,
    pub(crate) bits: &'a TermBits,
    /// The words of the question that no passage of the workspace contains, as a bit set.
    pub(crate) unknown: u128,
    /// Minimum confidence of an answer.
    pub(crate) confidence_min: f32,
}

/// The possible answers that passages yield, and which of them is given.
pub(crate) struct ReadAnswer {
    /// The possible answers, in order of preference.
    pub(crate) options: Vec<AnswerOption>,
    /// The sentences closest to an answer, best first.
    nearest: Vec<Spot>,
    /// The index of the option that is given or, if none is, of the likeliest.
    best: Option<usize>,
    /// Why none is given.
    refusal: Option<Refusal>,
}

impl ReadAnswer {
    /// Returns the option that answers the question.
    pub(crate) fn given(&self) -> Option<&AnswerOption> {
        self.best.filter(|_| self.refusal.is_none()).map(|best| &self.options[best])
    }
}

impl AnswerReader<'_> {
    /// Reads the sources, and decides. Those from index `first` on are only read if the others give no answer, and only
    /// for one that they state in so many words or yield together.
    pub(crate) fn read(self, sources: &[Source<'_>], first: usize) -> ReadAnswer {
        let Self { lexical, learned, question, bits, unknown, confidence_min: least } = self;
        let weights = BitWeights { bits, unknown };
        let chosen = choose(lexical, question, &weights, &sources[..first], learned);
        let Choice { mut options, nearest, open, unknown: (unknown, unknown_share) } = chosen;
        let confidence = |option: &AnswerOption| self.confidence(option);
        if sources.len() > first && options.iter().all(|option| confidence(option) < least) {
            options.extend(stated_or_derived(lexical, question, &weights, sources, learned));
        }
        sort(&mut options, confidence);
        let given = options.iter().position(|option| confidence(option) >= least);
        let likeliest = (0..options.len())
            .rev()
            .max_by(|a, b| confidence(&options[*a]).total_cmp(&confidence(&options[*b])));
        let best = given.or(likeliest);
        let objection = best.and_then(|best| options[best].objection);
        let is_unknown = objection == Some(Objection::Unknown) && !unknown.is_empty();
        // A summary covers whatever there is about the subject; stated and derived answers cover the question by construction.
        let is_covered = given.is_some_and(|given| {
            matches!(options[given].form, AnswerForm::Summary | AnswerForm::Stated | AnswerForm::Derived)
                || AnswerWeights::is_in_section(&options[given].signs)
        });
        let refusal = if best.is_none() {
            Some(Refusal::NothingFound)
        } else if least > 0.0 && (is_unknown || unknown_share > UNKNOWN_MOST) && !is_covered {
            Some(Refusal::NotCovered { words: unknown })
        } else if given.is_none() {
            let objection = objection.or(best.and_then(|best| options[best].doubt));
            Some(Refusal::Unsure { words: open, objection })
        } else {
            None
        };
        ReadAnswer { options, nearest, best, refusal }
    }

    /// The confidence of an option; 0 if there is an objection to it.
    fn confidence(self, option: &AnswerOption) -> f32 {
        if option.objection.is_some() { 0.0 } else { option.confidence(self.learned) }
    }
}

/// Answers from the evidence, in its own words or, if a language model is configured, in the model's.
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
        let against = objection.map_or(String::new(), |objection| format!("; rejected: {objection}"));
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

/// Answers in the evidence's own words. Tries the question as asked, and again with each other name that a
/// merge decision gives an entity in it; prefers a value to a sentence, then the higher confidence. Also
/// returns a line for the trace.
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
            line = Some(format!(
                "answered with {other:?} instead of {written:?}, which are the same by decision"
            ));
            answer = renamed;
        }
    }
    (answer, line)
}

/// Sort key of an answer: no answer, then a sentence, then any other form, each by confidence.
fn sureness(answer: &Answer) -> Option<(bool, f32)> {
    let text = answer.text.as_ref()?;
    let given = answer.considered.iter().find(|considered| considered.text == *text);
    Some((given.is_some_and(|given| given.form != AnswerForm::Sentence), answer.confidence))
}

/// Returns every candidate answer, for learning the weights.
pub(crate) fn observe(lexical: &Lexical, evidence: &Evidence) -> Observed {
    let weights = BitWeights { bits: &evidence.bits, unknown: evidence.unknown };
    let sources: Vec<Source<'_>> = evidence.passages.iter().map(source_of).collect();
    quiver_answer::observe(lexical, &evidence.question, &weights, &sources)
}

fn source_of(ranked: &Ranked) -> Source<'_> {
    source(&ranked.passage, ranked.score, ranked.path.len())
}

/// Returns a passage as a source of answers, with its score and the number of passages that lead to it.
pub(crate) fn source(passage: &Passage, score: f32, steps: usize) -> Source<'_> {
    Source {
        title: passage.title.as_deref(),
        text: &passage.text,
        score,
        steps,
        metadata: &passage.metadata,
        said_by: passage
            .session
            .is_some()
            .then_some(SaidBy { speaker: passage.speaker.as_deref(), at: (passage.time, passage.position) }),
    }
}

/// Adds the lower-ranked passages that an option quotes to the evidence.
fn add_quoted(evidence: &mut Evidence, known: usize, option: &mut AnswerOption) {
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
}

/// Sorts options by preference. A value with enough confidence is better than the sentence around it, but not than a surer
/// sentence elsewhere, nor, under a heading, than a surer sentence around it that introduces no list.
fn sort(options: &mut [AnswerOption], confidence: impl Fn(&AnswerOption) -> f32) {
    let is_whole = |option: &AnswerOption| option.form == AnswerForm::Sentence;
    let whole = options.iter().filter(|option| is_whole(option));
    let surest = whole.max_by(|a, b| confidence(a).total_cmp(&confidence(b)));
    let surest = surest.map(|option| (confidence(option), option.text.clone()));
    let is_last = |option: &AnswerOption| {
        let is_beaten = surest.as_ref().is_some_and(|(sure, text)| {
            option.form == AnswerForm::Value
                && confidence(option) + SURER_BY < *sure
                && (!text.contains(&option.text)
                    || AnswerWeights::is_in_section(&option.signs) && !text.contains('\n'))
        });
        is_whole(option) || is_beaten
    };
    options.sort_by(|a, b| is_last(a).cmp(&is_last(b)).then(confidence(b).total_cmp(&confidence(a))));
}

/// Answers in the evidence's own words.
fn quote(lexical: &Lexical, learned: &AnswerWeights, mut evidence: Evidence) -> Answer {
    let reader = AnswerReader {
        lexical,
        learned,
        question: &evidence.question,
        bits: &evidence.bits,
        unknown: evidence.unknown,
        confidence_min: evidence.confidence_min,
    };
    let sources: Vec<Source<'_>> = evidence.passages.iter().chain(&evidence.further).map(source_of).collect();
    let read = reader.read(&sources, evidence.passages.len());
    let confidence_of_best = read.best.map_or(0.0, |best| reader.confidence(&read.options[best]));
    let ReadAnswer { mut options, nearest, best, refusal } = read;
    let known = evidence.passages.len();
    options.iter_mut().for_each(|option| add_quoted(&mut evidence, known, option));
    let best = best.map(|best| &options[best]);
    let refusal = if evidence.is_empty {
        Some(Refusal::NoDocuments)
    } else {
        refusal.map(|refusal| refusal.with_words_as_written(&evidence.corrected))
    };
    let cite = |spots: &[Spot], most: usize, value: Option<&String>| -> Vec<Citation> {
        let cited = spots.iter().take(most).enumerate();
        cited.map(|(at, spot)| citation(&evidence, spot, value.filter(|_| at == 0).cloned())).collect()
    };
    let text_of = |option: &AnswerOption| as_said(option, |source| &evidence.passages[source].passage);
    let (mut citations, mut found, mut sentences) = (Vec::new(), Vec::new(), Vec::new());
    match (&refusal, best) {
        (None, Some(best)) if best.form == AnswerForm::Summary => {
            citations = cite(&best.spots, usize::MAX, None);
            let each = citations.iter().map(|cited| (cited.sentence.clone(), cited.passage));
            sentences = each.map(|(text, passage)| Sentence { text, passages: vec![passage] }).collect();
        }
        (None, Some(best)) => {
            let is_sentence = best.form == AnswerForm::Sentence
                || matches!(best.form, AnswerForm::Stated | AnswerForm::Derived)
                    && best.text == best.spots[0].text;
            citations = cite(&best.spots, CITATIONS_MAX, Some(&best.text).filter(|_| !is_sentence));
            sentences.push(Sentence { text: text_of(best), passages: vec![citations[0].passage] });
        }
        _ => found = cite(&nearest, CITATIONS_MAX, None),
    }
    let text = best.map(text_of);
    let considered = options.iter().map(|option| Considered {
        text: option.text.clone(),
        form: option.form,
        confidence: option.confidence(learned),
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

/// Answers with the rows of a query. Passage answers are only listed as considered, unless the question also
/// asks for text.
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
            citation(evidence, &Spot { source: at, range: 0..text.len(), text, heading: String::new() }, None)
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

/// Confidence of an answer that the memory's facts give.
const FACTS_CONFIDENCE: f32 = 0.9;

/// What the memory's facts answer.
pub(crate) struct Told {
    pub(crate) text: String,
    /// The turn and the sentence of each fact, in the order of the chain.
    pub(crate) facts: Vec<(Passage, String)>,
}

/// Answers with facts of the memory, which have decided what holds now, unless a document answers. Returns `None` if one does.
pub(crate) fn answer_by_facts(engine: Engine<'_>, evidence: &Evidence, told: Told) -> Option<Answer> {
    let mut answer = quote(engine.lexical, engine.answer_weights, evidence.clone());
    let is_of_turn = |citation: &Citation| {
        let mut passages = answer.evidence.passages.iter().map(|ranked| &ranked.passage);
        passages.any(|passage| passage.id == citation.passage && passage.session.is_some())
    };
    let is_free = answer.text.is_none() || answer.citations.first().is_some_and(is_of_turn);
    if !is_free || FACTS_CONFIDENCE < evidence.confidence_min {
        return None;
    }
    let Told { text, facts } = told;
    let mut citations = Vec::new();
    for (passage, sentence) in facts.into_iter().take(CITATIONS_MAX) {
        let passages = &mut answer.evidence.passages;
        let source =
            passages.iter().position(|ranked| ranked.passage.id == passage.id).unwrap_or_else(|| {
                passages.push(Ranked { passage: passage.clone(), score: 0.0, plain: 0.0, path: Vec::new() });
                passages.len() - 1
            });
        let whole = 0..passage.text.len();
        let range = passage.text.find(&sentence).map_or(whole, |start| start..start + sentence.len());
        let spot = Spot { source, range, text: sentence, heading: String::new() };
        let value = Some(text.clone()).filter(|_| citations.is_empty());
        citations.push(citation(&answer.evidence, &spot, value));
    }
    let line = format!("{text:?} from {} of the memory's facts", citations.len());
    answer.evidence.trace.end(Stage::Answer, vec![line]);
    let passages = citations.iter().map(|citation| citation.passage).collect();
    Some(Answer {
        text: Some(text.clone()),
        best: Some(text.clone()),
        confidence: FACTS_CONFIDENCE,
        refusal: None,
        sentences: vec![Sentence { text, passages }],
        citations,
        found: Vec::new(),
        ..answer
    })
}

/// Answers with the sentences of facts that were stated in the conversation itself, whatever documents say.
pub(crate) fn answer_by_stated_facts(
    mut evidence: Evidence,
    recalled: &Recollection,
    citations: Vec<Citation>,
) -> Answer {
    let lines = recalled.lines.iter().map(|line| format!("from a fact: {line}")).collect();
    evidence.trace.end(Stage::Answer, lines);
    let sentences: Vec<Sentence> = citations
        .iter()
        .map(|one| Sentence { text: one.sentence.clone(), passages: vec![one.passage] })
        .collect();
    Answer {
        text: Some(sentences.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ")),
        best: recalled.answer.clone(),
        confidence: 1.0,
        considered: Vec::new(),
        refusal: None,
        sentences,
        model: None,
        citations,
        found: Vec::new(),
        query: None,
        evidence,
    }
}

/// Returns the text of an answer from these passages. A sentence of a turn has the speaker and the date before it, since
/// its "I" and its "last week" depend on them.
pub(crate) fn as_said<'p>(option: &AnswerOption, passage: impl Fn(usize) -> &'p Passage) -> String {
    let AnswerOption { text, spots, .. } = option;
    let Some(spot) = spots.first().filter(|spot| spot.text == *text) else { return text.clone() };
    let passage = passage(spot.source);
    match passage.session {
        Some(_) => format!("{}{text}", quiver_memory::show::heading(passage)),
        None => text.clone(),
    }
}

/// A sentence to quote; if it is as long as a page, the part of it with most words of the question.
fn quotation(sentence: &str, question: &str) -> String {
    if sentence.len() > QUOTATION_BYTES_MAX { excerpt(sentence, question).text } else { sentence.to_owned() }
}

/// Maximum length in bytes of a quotation. Longer "sentences" are mostly data.
const QUOTATION_BYTES_MAX: usize = 1_200;

fn citation(evidence: &Evidence, spot: &Spot, value: Option<String>) -> Citation {
    let ranked = &evidence.passages[spot.source];
    // A passage may hold several short sections.
    let label = label(&ranked.passage);
    let above = spot.heading.split(TITLE_SEPARATOR).filter(|heading| !heading.is_empty());
    let path = above.filter(|heading| !label.split(TITLE_SEPARATOR).any(|part| part == *heading));
    let title = std::iter::once(label).chain(path).collect::<Vec<_>>().join(TITLE_SEPARATOR);
    Citation {
        passage: ranked.passage.id,
        title,
        sentence: quotation(&spot.text, &evidence.question),
        value,
        path: ranked.path.clone(),
        score: ranked.score,
    }
}

impl Answer {
    /// The trace of all stages.
    pub fn trace(&self) -> &Trace {
        &self.evidence.trace
    }
}
