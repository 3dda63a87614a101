//! The first room: a question becomes a query.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use quiver_graph::{Graph, Statistics, name};
use quiver_models::{Encoder, Lexical};
use quiver_store::SparseVector;

use crate::{
    Result,
    error::{Error, ErrorKind, In, Room},
    question::{NameSpan, Query, QueryTerm, Question},
    trace::Trace,
};

/// The longest question in bytes; what is longer is a document.
const QUESTION_BYTES_MAX: usize = 16_384;
/// The longest run of words that is looked up as a name.
const NAME_WORDS_MAX: usize = 10;
/// A question of more words than this is not searched for names beyond it.
const WORDS_MAX: usize = 256;

/// Finds what the question may name and how much its words weigh, and encodes it.
pub(crate) async fn understand(graph: &Graph, encoder: &Encoder, question: Question) -> Result<Query> {
    let text = question.text.trim();
    if text.is_empty() {
        return Err(Error::new(ErrorKind::Invalid, Room::Understand, "the question is empty"));
    }
    if text.len() > QUESTION_BYTES_MAX {
        return Err(Error::new(
            ErrorKind::Invalid,
            Room::Understand,
            format!("the question has {} bytes; at most {QUESTION_BYTES_MAX} are read", text.len()),
        ));
    }
    let mut trace = Trace::begin();
    let statistics = graph.statistics().await.room(Room::Understand)?;
    let lexical = encoder.lexical();
    let terms = weigh(lexical, text, &statistics);
    let sparse = SparseVector::from_pairs(terms.iter().map(|term| (term.hash, term.weight)));
    let dense = match encoder.encode_query(text).await {
        Ok(dense) => dense,
        Err(error) => {
            trace.degrade(format!("the embedder failed, so the search is lexical: {error}"));
            None
        }
    };
    let names = spans(lexical, text);
    trace.end(
        Room::Understand,
        vec![format!(
            "{} words that say something, {} runs of words that may be names, {} vector",
            terms.len(),
            names.len(),
            if dense.is_some() { "a dense and a sparse" } else { "a sparse" }
        )],
    );
    Ok(Query { question, names, terms, sparse, dense, statistics: Arc::clone(&statistics), trace })
}

/// The distinct words that say something, each with its rarity.
fn weigh(lexical: &Lexical, text: &str, statistics: &Statistics) -> Vec<QueryTerm> {
    let mut seen = HashMap::new();
    let mut terms = Vec::new();
    for hash in lexical.query_terms(text) {
        if seen.insert(hash, ()).is_none() {
            terms.push(QueryTerm { hash, weight: statistics.inverse_document_frequency(hash) });
        }
    }
    terms
}

/// Every run of words that may be a name, the longest first: none begins or ends with a word that says nothing,
/// unless it is all such words with a capital ("The Who").
pub(crate) fn spans(lexical: &Lexical, text: &str) -> Vec<NameSpan> {
    let words = words(lexical, text);
    let words = &words[..words.len().min(WORDS_MAX)];
    let mut spans = Vec::new();
    let mut seen = HashSet::new();
    for length in (1..=NAME_WORDS_MAX.min(words.len())).rev() {
        for start in 0..=words.len() - length {
            let run = &words[start..start + length];
            let (first, last) = (&run[0], &run[length - 1]);
            if (first.is_stop && !first.is_capital) || (last.is_stop && !last.is_capital) {
                continue;
            }
            let normalised = name::normalise(&text[first.start..last.end]);
            if seen.insert(normalised.clone()) {
                spans.push(NameSpan { words: (start, start + length), normalised });
            }
        }
    }
    spans
}

/// A word of a text, as names are made of.
pub(crate) struct Word {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_stop: bool,
    pub(crate) is_capital: bool,
}

/// The words of a text, the parts of compounds left out.
pub(crate) fn words(lexical: &Lexical, text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for term in lexical.terms(text) {
        if words.last().is_some_and(|last| term.start < last.end && term.end <= last.end) {
            continue;
        }
        let is_capital = text[term.start..].starts_with(|c: char| c.is_uppercase() || c.is_numeric());
        words.push(Word { start: term.start, end: term.end, is_stop: term.is_stop, is_capital });
    }
    words
}
