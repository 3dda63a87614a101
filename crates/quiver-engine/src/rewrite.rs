//! Rewrites a question around a name: if a passage has answered part of it, the name replaces what that part named.
//! "The mother of the director of *Polish-Russian War*" becomes "the mother of the director of *Xawery Żuławski*".

use std::{collections::BTreeMap, ops::Range};

use quiver_models::Lexical;
use quiver_store::SparseVector;

use crate::{
    pool::Candidate,
    question::{Link, Query},
    terms::QueryTerm,
};

/// Returns the question's terms, without the named entities that the passage answered, plus the terms of the name.
pub(crate) fn words(query: &Query, answered_by: &Candidate, name: &str, lexical: &Lexical) -> SparseVector {
    let answered = answered(query, answered_by, |_| true);
    let rest = query.terms.iter().filter(|term| !query.bits.is_covered(term.hash, answered));
    let mut pairs: BTreeMap<u32, f32> = rest.map(QueryTerm::pair).collect();
    for term in lexical.query_terms(name) {
        let weight = query.statistics.inverse_document_frequency(term);
        pairs.entry(term).and_modify(|known| *known = known.max(weight)).or_insert(weight);
    }
    SparseVector::from_pairs(pairs)
}

/// Returns the rewritten question as text, for an embedder. The name replaces the first answered name, and the others
/// are removed; if the passage answered none, the name is appended. Entities not written as names stay, since the
/// sentence would fall apart without them.
pub(crate) fn text(query: &Query, answered_by: &Candidate, name: &str, lexical: &Lexical) -> String {
    let answered = answered(query, answered_by, |link| link.is_name);
    let question = query.question.text.trim();
    let is_answered = |term: u32| query.bits.is_covered(term, answered);
    put_in_place(question, &answered_ranges(question, is_answered, lexical), name)
}

/// Returns the terms of the question's named entities that the passage contains, as a bit set.
fn answered(query: &Query, passage: &Candidate, counts: impl Fn(&Link) -> bool) -> u128 {
    let named = query.linked.iter().filter(|link| counts(link)).fold(0, |words, link| words | link.words);
    passage.covered & named
}

/// Returns the ranges of answered words, joined across stop words: "*Lord of the Rings*".
fn answered_ranges(
    question: &str,
    is_answered: impl Fn(u32) -> bool,
    lexical: &Lexical,
) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut goes_on = false;
    for term in lexical.terms(question) {
        if is_answered(term.hash) {
            match ranges.last_mut() {
                // The parts of a compound lie within it.
                Some(last) if goes_on || term.start < last.end => last.end = last.end.max(term.end),
                _ => ranges.push(term.start..term.end),
            }
            goes_on = true;
        } else if !term.is_stop {
            goes_on = false;
        }
    }
    ranges
}

/// Replaces the first range with the name and removes the others.
fn put_in_place(text: &str, stretches: &[Range<usize>], name: &str) -> String {
    let Some((first, others)) = stretches.split_first() else { return format!("{text} {name}") };
    let mut rewritten = format!("{}{name}", &text[..first.start]);
    let mut at = first.end;
    for other in others {
        rewritten.push_str(text[at..other.start].trim_end());
        at = other.end;
    }
    rewritten.push_str(&text[at..]);
    rewritten
}

#[cfg(test)]
mod tests;
