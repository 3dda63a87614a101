//! The understand stage: turns a question into a query.

use std::{collections::HashSet, ops::Range};

use quiver_graph::{Entity, EntityId, Statistics, name};
use quiver_language::{question::written_out, word::is_finite_auxiliary};
use quiver_models::{Lexical, Term};
use quiver_store::SparseVector;
use tracing::{Span, instrument};

use crate::{
    Result,
    analysis::words,
    engine::Engine,
    error::{Error, ErrorKind, In, Stage},
    meaning::{add_spans, choose},
    memory::{as_said, closing_bracket},
    question::{Chosen, Focus, NameSpan, Query, Question},
    spelling::{Correction, corrected, corrections},
    terms::{QueryTerm, TermBits, weighed},
    trace::Trace,
};

/// Maximum length of a question in bytes; anything longer is a document.
pub(crate) const QUESTION_BYTES_MAX: usize = 16_384;
/// Maximum number of words in a run that is looked up as a name.
const NAME_WORDS_MAX: usize = 10;
/// Number of words after the question word that express what is asked for.
const FOCUS_WORDS: usize = 3;
/// Maximum distance between the question word and its auxiliary.
const AUXILIARY_WITHIN: usize = 4;
/// The weight of a word beside the question, relative to one of the question.
const BESIDE: f32 = 0.5;
/// Words beyond this number are not searched for names.
const WORDS_MAX: usize = 256;

/// Refuses a question that is too long, before anything is done for it.
pub(crate) fn check_length(question: &str, stage: Stage) -> Result<()> {
    if question.len() <= QUESTION_BYTES_MAX {
        return Ok(());
    }
    let why = format!("the question has {} bytes; at most {QUESTION_BYTES_MAX} are read", question.len());
    Err(Error::new(ErrorKind::Invalid, stage, why))
}

/// Finds what the question may name and how much its words weigh, and encodes it.
#[instrument(target = "quiver::stage", skip_all, fields(terms, names))]
pub(crate) async fn understand(engine: Engine<'_>, mut question: Question) -> Result<Query> {
    let Engine { graph, encoder, lexical, .. } = engine;
    let text = written_out(question.text.trim());
    let text = text.as_ref();
    if text.is_empty() {
        return Err(Error::new(ErrorKind::Invalid, Stage::Understand, "the question is empty"));
    }
    check_length(text, Stage::Understand)?;
    let mut trace = Trace::begin();
    let statistics = graph.statistics().await.stage(Stage::Understand)?;
    let mut corrections = corrections(engine, &statistics, text).await?;
    spare_names(engine, text, &mut corrections).await?;
    let written = text.to_owned();
    question.text = corrected(text, &corrections);
    let mut meanings = choose(engine, &mut question.text, &question.options.meanings).await?;
    let pinned = pinned(engine, &question.options.pinned).await?;
    let chosen: Vec<_> = meanings.iter().map(|chosen| chosen.entity.id).collect();
    let apart = engine
        .standing
        .splits
        .apart(graph, lexical, &question.text, &chosen)
        .await
        .stage(Stage::Understand)?;
    meanings.extend(apart.iter().flat_map(|apart| &apart.called).map(Chosen::called));
    let said = as_said(&question.text, &apart);
    let named = (said != question.text).then(|| std::mem::replace(&mut question.text, said));
    let text = question.text.as_str();
    let encoded = match encoder.encode_queries(&[text]).await {
        Ok(encoded) => encoded,
        Err(error) => {
            trace.degrade(format!("the embedder failed, so the search is by words alone: {error}"));
            encoder.encode_queries_lexically(&[text])
        }
    };
    let encoded = encoded.into_iter().next().expect("an encoder gives one query for each text");
    // A definition or heading that no passage has is dropped: the question may want something else.
    let told = lexical.definition_asked(text).into_iter().chain(lexical.headings_asked(text));
    let untold: Vec<u32> = told.filter(|term| statistics.passages_with_term(*term) == 0).collect();
    let mut words = encoded.sparse(|_| 1.0);
    words.retain(|(hash, _)| !untold.contains(hash));
    let terms = weighed(lexical, &statistics, text, words);
    let sparse = sparse(lexical, &statistics, &terms, question.beside.as_deref());
    let dense = encoded.dense;
    let bits = TermBits::of(&terms);
    let mut names = spans(lexical, text, &bits);
    add_spans(lexical, text, &bits, &meanings, &mut names);
    Span::current().record("terms", terms.len()).record("names", names.len());
    let mut lines = vec![format!(
        "{} content words, {} possible names, {} vector",
        terms.len(),
        names.len(),
        if dense.is_some() { "a dense and a sparse" } else { "a sparse" }
    )];
    lines.extend(question.beside.iter().map(|beside| format!("also searching for {beside:?}")));
    lines.extend(corrections.iter().map(|correction| {
        let Correction { range, word, is_sure } = correction;
        let unsure = if *is_sure { "" } else { ", which is uncertain" };
        format!("no passage contains {:?}; searching for {word:?} instead{unsure}", &written[range.clone()])
    }));
    trace.end(Stage::Understand, lines);
    let corrected = corrections
        .iter()
        .map(|correction| (written[correction.range.clone()].to_owned(), correction.word.clone()));
    let corrected = corrected.collect();
    let doubted = corrections.iter().filter(|correction| !correction.is_sure);
    let doubted = doubted.flat_map(|correction| lexical.query_terms(&correction.word)).collect();
    let focus = focus(lexical, text, &bits);
    Ok(Query {
        question,
        named,
        names,
        terms,
        bits,
        focus,
        doubted,
        corrected,
        meanings,
        pinned,
        apart,
        linked: Vec::new(),
        may_be_same: false,
        choices: Vec::new(),
        cuts: Vec::new(),
        asked: u128::MAX,
        sparse,
        dense,
        statistics,
        trace,
    })
}

/// Reads the pinned entities, each once.
async fn pinned(engine: Engine<'_>, wanted: &[EntityId]) -> Result<Vec<Entity>> {
    let mut pinned: Vec<Entity> = Vec::new();
    if wanted.is_empty() {
        return Ok(pinned);
    }
    let found = engine.graph.entities(wanted).await.stage(Stage::Understand)?;
    for id in wanted {
        let Some(entity) = found.iter().find(|entity| entity.id == *id) else {
            let what = format!("there is no entity {id} to start from; remove it from the pinned ones");
            return Err(Error::new(ErrorKind::Invalid, Stage::Understand, what));
        };
        if pinned.iter().all(|known| known.id != *id) {
            pinned.push(entity.clone());
        }
    }
    Ok(pinned)
}

/// The sparse vector of a question's terms, and of the words that are searched for beside them.
fn sparse(
    lexical: &Lexical,
    statistics: &Statistics,
    terms: &[QueryTerm],
    beside: Option<&str>,
) -> SparseVector {
    let mut pairs: Vec<(u32, f32)> = terms.iter().map(QueryTerm::pair).collect();
    for term in beside.into_iter().flat_map(|beside| lexical.query_terms(beside)) {
        if !pairs.iter().any(|(known, _)| *known == term) {
            pairs.push((term, BESIDE * statistics.inverse_document_frequency(term)));
        }
    }
    SparseVector::from_pairs(pairs)
}

/// Drops corrections inside names given by a split, which may occur in no passage.
async fn spare_names(engine: Engine<'_>, text: &str, corrections: &mut Vec<Correction>) -> Result<()> {
    if corrections.is_empty() {
        return Ok(());
    }
    let apart = engine.standing.splits.apart(engine.graph, engine.lexical, text, &[]);
    let apart = apart.await.stage(Stage::Understand)?;
    let places: Vec<&Range<usize>> = apart.iter().flat_map(|apart| &apart.places).collect();
    corrections.retain(|Correction { range, .. }| {
        places.iter().all(|place| range.start < place.start || place.end < range.end)
    });
    Ok(())
}

/// Returns every run of words that may be a name, the longest first. None begins or ends with a stop word, unless it
/// consists only of stop words with a capital ("The Who").
pub(crate) fn spans(lexical: &Lexical, text: &str, bits: &TermBits) -> Vec<NameSpan> {
    let words = words(lexical, text);
    let words = &words[..words.len().min(WORDS_MAX)];
    let terms = lexical.terms(text);
    let mut spans = Vec::new();
    let mut seen = HashSet::new();
    for length in (1..=NAME_WORDS_MAX.min(words.len())).rev() {
        for start in 0..=words.len() - length {
            let run = &words[start..start + length];
            let (first, last) = (&run[0], &run[length - 1]);
            if (first.is_stop && !first.is_capital) || (last.is_stop && !last.is_capital) {
                continue;
            }
            let end = last.end + closing_bracket(text, first.start..last.end);
            let normalised = name::normalise(&text[first.start..end]);
            if seen.insert(normalised.clone()) {
                let within = terms.iter().filter(|term| first.start <= term.start && term.end <= last.end);
                spans.push(NameSpan {
                    words: (start, start + length),
                    normalised,
                    is_name: run.iter().any(|word| word.is_capital && word.start > 0),
                    bits: bits.covered_by(within.map(|term| term.hash)),
                });
            }
        }
    }
    spans
}

/// Returns the words of an English question that express what is asked for, as bit sets: those right after the question
/// word ("which *floor*", "who *leads*"), and the last word if an auxiliary follows the question word, since it is then
/// the verb ("in which town was the maker *founded*"). Empty if there is no question word.
fn focus(lexical: &Lexical, question: &str, bits: &TermBits) -> Focus {
    const QUESTION_WORDS: [&str; 9] =
        ["who", "whom", "whose", "what", "which", "when", "where", "why", "how"];
    let terms = lexical.terms(question);
    let is_one_of = |term: &Term, words: &[&str]| {
        words.iter().any(|word| question[term.start..term.end].eq_ignore_ascii_case(word))
    };
    let Some(at) = terms.iter().position(|term| is_one_of(term, &QUESTION_WORDS)) else {
        return Focus::default();
    };
    let said = |term: &&Term| bits.has(term.hash);
    let after = &terms[at + 1..];
    let hashes = |terms: &[Term]| -> Vec<u32> {
        terms.iter().filter(said).take(FOCUS_WORDS).map(|term| term.hash).collect()
    };
    let is_auxiliary = |term: &Term| is_finite_auxiliary(&question[term.start..term.end].to_lowercase());
    let auxiliary = after.iter().take(AUXILIARY_WITHIN).position(is_auxiliary);
    let verb = terms.iter().rev().find(said).filter(|_| auxiliary.is_some()).map(|term| term.hash);
    let asked = match auxiliary.map(|auxiliary| hashes(&after[..auxiliary])) {
        // The words in between are asked for, and those after the auxiliary state something about it.
        Some(between) if !between.is_empty() => between,
        _ => hashes(after),
    };
    let mut asked = asked.into_iter();
    Focus { object: bits.covered_by(asked.next()), clause: bits.covered_by(asked.chain(verb)) }
}
