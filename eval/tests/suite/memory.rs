//! The project's own conversations: two runs print the same bytes except for latency, and results do not get worse.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;

use quiver_eval::memory::{
    Facts, Graded, MemoryOptions, memory,
    record::{Latency, MemoryRecord},
};

async fn run(scenarios: &str, facts: Facts) -> MemoryRecord {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/memory").join(scenarios);
    let options = MemoryOptions { scenarios: vec![scenarios], facts, ..MemoryOptions::default() };
    let mut record = memory(&options).await.unwrap();
    for architecture in &mut record.architectures {
        architecture.latency_ms = Latency::default();
        architecture.answers.iter_mut().for_each(|answer| answer.latency_ms = 0.0);
    }
    record
}

#[tokio::test]
async fn two_runs_print_the_same_bytes() {
    for facts in [Facts::Given, Facts::Extracted] {
        let (first, second) = (run("", facts).await, run("", facts).await);
        let printed = |record: &MemoryRecord| {
            let mut text = serde_json::to_vec_pretty(record).unwrap();
            record.print(&mut text).unwrap();
            text
        };
        assert_eq!(printed(&first), printed(&second));
    }
}

/// Asserts a minimum number of right answers, and a maximum mean of tokens per query.
async fn holds(scenarios: &str, facts: Facts, correct: usize, tokens: f64) {
    let record = run(scenarios, facts).await;
    let reached = &record.architectures[2];
    let line = format!(
        "{scenarios:?}, facts {}: {} of {}, {:.1} tokens",
        record.facts, reached.correct, reached.queries, reached.tokens_mean
    );
    assert!(reached.correct >= correct && reached.tokens_mean <= tokens, "{line}");
}

#[tokio::test]
async fn what_was_reached_with_facts_given_is_kept() {
    holds("", Facts::Given, 17, 27.0).await;
    holds("hard", Facts::Given, 65, 27.0).await;
}

#[tokio::test]
async fn what_was_reached_from_text_alone_is_kept() {
    holds("", Facts::Extracted, 12, 80.0).await;
    holds("hard", Facts::Extracted, 37, 80.0).await;
}

/// Questions that nobody answered are not answered, and the others are. The answer counts, whatever lines are shown.
#[tokio::test]
async fn what_nobody_said_is_not_answered() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/memory/silence");
    for (facts, answered, silent) in [(Facts::Given, 148, 130), (Facts::Extracted, 62, 138)] {
        let graded = Graded::Answer;
        let options =
            MemoryOptions { scenarios: vec![scenarios.clone()], facts, graded, ..MemoryOptions::default() };
        let record = memory(&options).await.unwrap();
        let types = &record.architectures[2].by_type;
        let of = |is_answerable: bool| {
            types
                .iter()
                .filter(|(of, _)| (*of == "answerable") == is_answerable)
                .map(|(_, share)| share.correct)
                .sum::<usize>()
        };
        let reached = (of(true), of(false));
        assert!(reached.0 >= answered && reached.1 >= silent, "facts {facts:?}: {reached:?}");
    }
}
