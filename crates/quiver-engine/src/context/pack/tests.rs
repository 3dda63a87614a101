use quiver_graph::PassageId;

use super::*;
use crate::{
    context::{ContextKind, ContextWeights},
    trace::Trace,
};

const DAY: i64 = 24 * 60 * 60 * 1000;

fn found(kind: ContextKind, text: &str, relevance: f32) -> Found {
    Found {
        kind,
        label: None,
        text: text.to_owned(),
        relevance,
        proximity: 0.0,
        mention: 0.0,
        time: None,
        interaction: 0.0,
        passages: Vec::<PassageId>::new(),
        relation: None,
    }
}

fn packed(found: Vec<Found>, options: &ContextOptions) -> Context {
    let gathered = Gathered {
        question: "q".to_owned(),
        standalone: "q".to_owned(),
        found,
        now: 100 * DAY,
        trace: Trace::default(),
    };
    pack(gathered, options, &|text| text.split_whitespace().count())
}

fn texts(items: &[ContextItem]) -> Vec<&str> {
    items.iter().map(|item| item.text.as_str()).collect()
}

#[test]
fn items_are_grouped_by_kind_and_the_best_come_first() {
    let items = vec![
        found(ContextKind::Passage, "a passage", 0.9),
        found(ContextKind::Fact, "a lesser fact", 0.2),
        found(ContextKind::Path, "a path", 0.5),
        found(ContextKind::Fact, "a fact", 0.4),
    ];
    let context = packed(items, &ContextOptions::default());
    assert_eq!(
        context.text(),
        "Facts:\n- a fact\n- a lesser fact\n\nPaths:\n- a path\n\nPassages:\n- a passage\n"
    );
    assert!(context.left.is_empty());
}

#[test]
fn the_lowest_scored_leave_first() {
    let items = || {
        vec![
            found(ContextKind::Fact, "one two three", 0.1),
            found(ContextKind::Passage, "four five six", 0.9),
            found(ContextKind::Path, "seven eight nine", 0.5),
        ]
    };
    // Each item costs its words, a dash and a heading.
    for (tokens_max, kept, left) in [
        (15, vec!["one two three", "seven eight nine", "four five six"], vec![]),
        (14, vec!["seven eight nine", "four five six"], vec!["one two three"]),
        (9, vec!["four five six"], vec!["seven eight nine", "one two three"]),
    ] {
        let context = packed(items(), &ContextOptions { tokens_max, ..ContextOptions::default() });
        assert_eq!((texts(&context.items), texts(&context.left)), (kept, left), "{tokens_max}");
        assert!(context.tokens <= tokens_max);
    }
}

#[test]
fn what_does_not_fit_is_cut_after_a_sentence() {
    let all = || {
        vec![
            found(ContextKind::Passage, "# One two\n\nThree four five six seven. Eight or nine.", 0.9),
            found(ContextKind::Passage, "Nine ten. Eleven twelve thirteen fourteen.", 0.8),
        ]
    };
    let packed = |tokens_max| packed(all(), &ContextOptions { tokens_max, ..ContextOptions::default() });
    for (tokens_max, expected) in [
        (11, "Passages:\n- # One two\n\nThree four five six seven. …\n"),
        // No sentence of the best item fits, only its heading.
        (10, "Passages:\n- Nine ten. Eleven twelve thirteen fourteen.\n"),
        (7, "Passages:\n- Nine ten. …\n"),
        (4, ""),
    ] {
        let context = packed(tokens_max);
        assert_eq!(context.text(), expected, "{tokens_max}");
        assert_eq!(context.items.len() + context.left.len(), 2);
        assert!(context.tokens <= tokens_max);
    }
}

#[test]
fn every_weight_has_its_share() {
    let part = |weights: ContextWeights| {
        let full = Found {
            proximity: 0.5,
            mention: 0.25,
            time: Some(70 * DAY),
            interaction: 0.75,
            ..found(ContextKind::Fact, "a fact", 1.0)
        };
        packed(vec![full], &ContextOptions { weights, ..ContextOptions::default() }).items[0].clone()
    };
    let none =
        ContextWeights { relevance: 0.0, proximity: 0.0, mention: 0.0, recency: 0.0, interaction: 0.0 };
    let cases = [
        (ContextWeights { relevance: 2.0, ..none }, 2.0),
        (ContextWeights { proximity: 2.0, ..none }, 1.0),
        (ContextWeights { mention: 2.0, ..none }, 0.5),
        // Thirty days are one half-life.
        (ContextWeights { recency: 2.0, ..none }, 1.0),
        (ContextWeights { interaction: 2.0, ..none }, 1.5),
    ];
    for (weights, score) in cases {
        let item = part(weights);
        assert!((item.score - score).abs() < 1e-4, "{weights:?}: {}", item.score);
        assert!((item.shares.sum() - item.score).abs() < 1e-6);
    }
}
