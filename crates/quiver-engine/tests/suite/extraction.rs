//! Reading and extraction over real corpora: whole, quick, and compared with what a language model extracted.
//!
//! The corpora are looked for where `QUIVER_TEST_DATASETS` says, else beside the repository.

use quiver::{
    chunk::{ChunkOptions, chunk},
    document::{Chunk, Document},
    extract::{Extraction, RuleExtractor},
    read::{ReadOptions, read},
};
use std::{
    collections::HashSet,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The path of a data set.
fn dataset(name: &str) -> PathBuf {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/datasets");
    std::env::var_os("QUIVER_TEST_DATASETS").map_or(beside, PathBuf::from).join(name)
}

fn documents(path: &std::path::Path) -> Vec<Document> {
    read(path, &ReadOptions::default()).collect::<Result<_, _>>().expect("the corpus is sound")
}

fn chunks(documents: &[Document]) -> Vec<Chunk> {
    documents.iter().flat_map(|document| chunk(document, &ChunkOptions::default())).collect()
}

#[test]
#[ignore = "needs the question sets: QUIVER_TEST_DATASETS names their folder"]
fn paragraphs_of_the_corpora_stay_whole() {
    for (name, documents_min) in [
        ("2wikimultihopqa_train_corpus.json", 3000),
        ("musique_train_corpus.json", 1500),
        ("hotpotqa_train_corpus.json", 900),
        ("openie_musique_train_results_ner_gpt-3.5-turbo-1106_1890.json", 1500),
    ] {
        let path = dataset(name);
        let documents = documents(&path);
        let keys: HashSet<&str> = documents.iter().map(|document| document.key.as_str()).collect();
        assert_eq!(keys.len(), documents.len(), "{name}: a key occurs twice");
        let chunks = chunks(&documents);
        println!("{name}: {} documents, {} chunks", documents.len(), chunks.len());
        assert!(documents.len() >= documents_min, "{name}: only {} documents", documents.len());
        // Nearly all are paragraphs of ordinary length.
        assert!(chunks.len() <= documents.len() * 102 / 100, "{name}: {} chunks", chunks.len());
        assert_eq!(documents.iter().any(|document| !document.triples.is_empty()), name.starts_with("openie"));
    }
}

/// Run with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement: run it with --release --nocapture"]
fn three_thousand_paragraphs_take_less_than_one_and_a_half_seconds() {
    let path = dataset("2wikimultihopqa_train_corpus.json");
    let started = Instant::now();
    let documents = documents(&path);
    let read = started.elapsed();
    let chunks = chunks(&documents);
    let chunked = started.elapsed();
    let extractions: Vec<Extraction> = chunks.iter().map(RuleExtractor::extract_one).collect();
    let extracted = started.elapsed();
    let mentions: usize = extractions.iter().map(|extraction| extraction.mentions.len()).sum();
    let relations: usize = extractions.iter().map(|extraction| extraction.relations.len()).sum();
    println!(
        "{} passages: read in {read:?}, chunked in {:?}, extracted in {:?}; {mentions} mentions, {relations} relations",
        chunks.len(),
        chunked.saturating_sub(read),
        extracted.saturating_sub(chunked)
    );
    assert!(extracted < Duration::from_millis(1500), "{extracted:?}");
}

/// A name in lower case, without its punctuation and article.
fn plain(name: &str) -> String {
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words = words.join(" ");
    words.strip_prefix("the ").map(str::to_owned).unwrap_or(words)
}

/// How much of what a language model found the rules find too. Run with `--ignored --nocapture`.
#[test]
#[ignore = "a measurement: run it with --release --nocapture"]
fn share_of_a_language_models_entities() {
    let path = dataset("openie_musique_train_results_ner_gpt-3.5-turbo-1106_1890.json");
    let file = std::fs::read_to_string(path).expect("the file is readable");
    let file: serde_json::Value =
        serde_json::from_str(&file.replace(": NaN", ": null")).expect("the file is JSON");
    let verbose = std::env::var_os("QUIVER_TEST_VERBOSE").is_some();
    let (mut wanted, mut exact, mut within, mut found, mut kept) = (0, 0, 0, 0, 0);
    for document in file["docs"].as_array().expect("a list of documents") {
        let text = document["text"].as_str().expect("a text");
        let title = document["title"].as_str().map(str::to_owned);
        let extraction = RuleExtractor::extract_one(&Chunk::new(text, title));
        let ours: HashSet<String> = (extraction.mentions.iter().map(|mention| plain(&mention.name)))
            .chain(extraction.subjects.iter().map(|subject| plain(&subject.name)))
            .collect();
        let entities = document["extracted_entities"].as_array().expect("a list of entities");
        let theirs: HashSet<String> =
            entities.iter().filter_map(|entity| entity.as_str().map(plain)).collect();
        wanted += theirs.len();
        found += ours.len();
        exact += theirs.intersection(&ours).count();
        kept += ours.iter().filter(|name| theirs.iter().any(|other| overlap(name, other))).count();
        within += theirs.iter().filter(|name| ours.iter().any(|other| overlap(name, other))).count();
        if verbose {
            let missed: Vec<_> = theirs.difference(&ours).collect();
            let more: Vec<_> = ours.difference(&theirs).collect();
            println!("missed {missed:?}\n  more {more:?}");
        }
    }
    let share = |part: usize, whole: usize| part as f64 * 100.0 / whole as f64;
    println!(
        "of {wanted} entities, {:.1} % are found as they stand and {:.1} % as a part or with more around them; \
         of {found} names found, {:.1} % are of these",
        share(exact, wanted),
        share(within, wanted),
        share(kept, found)
    );
    assert!(exact * 2 > wanted, "fewer than half are found");
}

/// Whether one name is the other, or a part of it at word boundaries.
fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (format!(" {one} "), format!(" {other} "));
    one.contains(&other) || other.contains(&one)
}
