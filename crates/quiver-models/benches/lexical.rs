//! Measures how fast text becomes lexical vectors.
//!
//! Corpora: seeded random sentences of about a megabyte, once of plain English-like words with some identifiers and
//! numbers, once mixed with diacritics and Chinese. Read the throughput column (bytes of text per second).
//! `document_vector` is what ingestion costs per passage, `terms` what extraction costs.
//!
//! Run with `cargo bench -p quiver-models --bench lexical`.

use divan::{Bencher, counter::BytesCount};
use quiver_models::Lexical;

fn main() {
    divan::main();
}

const PLAIN: &[&str] = &[
    "the",
    "of",
    "and",
    "director",
    "released",
    "was",
    "a",
    "films",
    "in",
    "1987,",
    "possession",
    "running",
    "American",
    "is",
    "River",
    "population",
    "universities",
    "AuthModule",
    "ticket_4471",
    "well-known",
    "to",
    "company",
    "who",
    "founded",
    "generalizations",
    "it.",
    "for",
    "singer",
    "albums",
    "with",
];
const MIXED: &[&str] =
    &["Żuławski", "café", "東京都に住む", "Straße", "naïve", "the", "Dvořák’s", "Ёлка", "of", "and"];

const PASSAGE_BYTES: usize = 600;
const CORPUS_BYTES: usize = 1 << 20;

/// Passages of about a hundred words, from a linear congruential generator with a fixed seed.
fn corpus(words: &[&str]) -> Vec<String> {
    let mut state = 42_u64;
    let mut passages = Vec::new();
    for _ in 0..CORPUS_BYTES / PASSAGE_BYTES {
        let mut passage = String::new();
        while passage.len() < PASSAGE_BYTES {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let index = usize::try_from(state >> 33).expect("31 bits fit") % words.len();
            passage.push_str(words[index]);
            passage.push(' ');
        }
        passages.push(passage);
    }
    passages
}

fn bytes(passages: &[String]) -> BytesCount {
    BytesCount::new(passages.iter().map(String::len).sum::<usize>())
}

#[divan::bench]
fn document_vector_plain(bencher: Bencher<'_, '_>) {
    let passages = corpus(PLAIN);
    let lexical = Lexical::new();
    bencher
        .counter(bytes(&passages))
        .bench(|| passages.iter().map(|passage| lexical.document_vector(passage).len()).sum::<usize>());
}

#[divan::bench]
fn document_vector_mixed(bencher: Bencher<'_, '_>) {
    let passages = corpus(MIXED);
    let lexical = Lexical::new();
    bencher
        .counter(bytes(&passages))
        .bench(|| passages.iter().map(|passage| lexical.document_vector(passage).len()).sum::<usize>());
}

#[divan::bench]
fn terms_plain(bencher: Bencher<'_, '_>) {
    let passages = corpus(PLAIN);
    let lexical = Lexical::new();
    bencher
        .counter(bytes(&passages))
        .bench(|| passages.iter().map(|passage| lexical.terms(passage).len()).sum::<usize>());
}
