//! Measures how fast a local model embeds.
//!
//! `passages_alone` embeds 64 different passages of about a hundred tokens in one call: read the items per second.
//! `passages_with_sentences` also asks for the vectors of their sentences, which come from the same passes. `query` is
//! the latency of one short question. The model is all-MiniLM-L6-v2 (6 layers, 384 dimensions, float32).
//!
//! Run with `cargo bench -p quiver-models --features fastembed --bench embedding`. It looks for the model in
//! `QUIVER_TEST_MODELS`, or else in `../shared/models` next to the repository; without it, nothing is measured.

use std::{ops::Range, path::PathBuf};

use divan::{Bencher, counter::ItemsCount};
use quiver_models::{Embedder, FastEmbedOptions, FastEmbedder, Input, Role};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

const WORDS: &[&str] = &[
    "the", "river", "was", "built", "in", "a", "director", "of", "film", "and", "released", "city", "by",
    "music", "to", "family", "house", "with", "north", "company", "first", "born", "its", "century",
    "played", "school",
];

/// Passages of eight sentences of eleven words, from a linear congruential generator with a fixed seed.
fn passages() -> Vec<(String, Vec<Range<usize>>)> {
    let mut state = 7_u64;
    let mut passage = |_| {
        let mut text = String::new();
        let mut sentences = Vec::new();
        for _ in 0..8 {
            let start = text.len();
            for _ in 0..11 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(WORDS[usize::try_from(state >> 33).expect("31 bits fit") % WORDS.len()]);
                text.push(' ');
            }
            text.push_str(". ");
            sentences.push(start..text.len());
        }
        (text, sentences)
    };
    (0..64).map(&mut passage).collect()
}

fn open() -> Option<(Runtime, FastEmbedder)> {
    let directory = std::env::var_os("QUIVER_TEST_MODELS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"),
        PathBuf::from,
    );
    let model = directory.join("all-MiniLM-L6-v2").to_string_lossy().into_owned();
    let runtime = Runtime::new().expect("a runtime can be started");
    let opened =
        runtime.block_on(FastEmbedder::open(FastEmbedOptions { model, ..FastEmbedOptions::default() }));
    opened.ok().map(|embedder| (runtime, embedder))
}

fn embed(bencher: Bencher<'_, '_>, role: Role, inputs: &[Input<'_>]) {
    let Some((runtime, embedder)) = open() else { return };
    bencher
        .counter(ItemsCount::new(inputs.len()))
        .bench_local(|| runtime.block_on(embedder.embed(role, inputs)).expect("plain text can be embedded"));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn passages_alone(bencher: Bencher<'_, '_>) {
    let passages = passages();
    let inputs: Vec<Input<'_>> = passages.iter().map(|(text, _)| Input::new(text)).collect();
    embed(bencher, Role::Document, &inputs);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn passages_with_sentences(bencher: Bencher<'_, '_>) {
    let passages = passages();
    let inputs: Vec<Input<'_>> = passages.iter().map(|(text, spans)| Input { text, spans }).collect();
    embed(bencher, Role::Document, &inputs);
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn query(bencher: Bencher<'_, '_>) {
    embed(bencher, Role::Query, &[Input::new("who directed the film about the house by the river")]);
}
