use quiver::score::{FEATURES_COUNT, Features, Observation, ROW_LENGTH, Relevance};

use super::*;

const PLAIN: usize = FEATURES_COUNT;

/// Creates a question with candidates, each with two features and whether it is gold.
fn example(question: usize, candidates: &[([f32; 2], bool)]) -> Example {
    let row = |values: &[f32; 2]| {
        let mut row = vec![0.0; ROW_LENGTH];
        row[PLAIN..PLAIN + 2].copy_from_slice(values);
        row
    };
    let gold = candidates.iter().enumerate().filter(|(_, (_, gold))| *gold).map(|(at, _)| vec![at]).collect();
    let observation = Observation {
        documents: (0..candidates.len()).map(|at| at.to_string()).collect(),
        plain: vec![0.0; candidates.len()],
        own: vec![Features::default(); candidates.len()],
        signals: Vec::new(),
        is_dense: false,
        relevance: Relevance {
            considered: (0..candidates.len()).collect(),
            rows: candidates.iter().map(|(values, _)| row(values)).collect(),
        },
    };
    Example { group: 0, set: 0, question, fold: 0, observation, gold }
}

fn options() -> FitForest {
    FitForest { trees: 40, depth: 2, rate: 0.3, leaf_cost: 0.1, curve_min: 0.01, ..FitForest::default() }
}

/// The first feature counts only if the second is high.
fn interacting() -> Vec<Example> {
    let candidates = |high: f32| {
        [([0.9, high], high > 0.5), ([0.1, high], high < 0.5), ([0.5, high], false), ([0.4, high], false)]
    };
    (0..20).map(|number| example(number, &candidates(if number % 2 == 0 { 0.9 } else { 0.1 }))).collect()
}

#[test]
fn trees_learn_that_a_feature_counts_only_beside_another() {
    let examples = interacting();
    let forest = fit(&examples.iter().collect::<Vec<_>>(), &options());
    for example in &examples {
        let [first, ..] = measure(example, &|row| forest.value(row));
        assert!((first - 1.0).abs() < 1e-9, "question {}", example.question);
    }
}

#[test]
fn the_same_examples_give_the_same_trees() {
    let examples = interacting();
    let examples: Vec<&Example> = examples.iter().collect();
    assert_eq!(fit(&examples, &options()), fit(&examples, &options()));
}

#[test]
fn more_of_a_rising_feature_is_never_worse() {
    let examples = interacting();
    let mut options = FitForest { depth: 4, ..options() };
    options.is_rising[PLAIN] = true;
    let forest = fit(&examples.iter().collect::<Vec<_>>(), &options);
    for second in [0.0, 0.3, 0.6, 1.0] {
        let value = |first: f32| {
            let mut row = vec![0.0; ROW_LENGTH];
            (row[PLAIN], row[PLAIN + 1]) = (first, second);
            forest.value(&row)
        };
        let values: Vec<f32> = (0..=20_u8).map(|step| value(f32::from(step) / 20.0)).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1] + 1e-3), "{second}: {values:?}");
    }
}

#[test]
fn the_set_that_counts_more_decides() {
    // The two sets disagree on the first feature.
    let candidates = |is_high: bool| [([0.9, 0.0], is_high), ([0.1, 0.0], !is_high)];
    let examples: Vec<Example> = (0..20)
        .map(|number| {
            let set = number % 2;
            Example { set, group: set, ..example(number, &candidates(set == 0)) }
        })
        .collect();
    let examples: Vec<&Example> = examples.iter().collect();
    for (weights, is_high) in [(vec![4.0], true), (vec![1.0, 4.0], false)] {
        let forest = fit(&examples, &FitForest { sets: weights, ..options() });
        let trees = |row: &[f32]| forest.trees.iter().map(|tree| tree.value(row)).sum();
        let right = |example: &&&Example| measure(example, &trees)[0] > 0.5;
        let first = examples.iter().filter(|example| example.set == 0).filter(right).count();
        assert_eq!(first, if is_high { 10 } else { 0 });
    }
}

#[test]
fn how_much_a_set_counts_is_read() {
    assert_eq!(weight("wiki=2.5").unwrap(), ("wiki".to_owned(), 2.5));
    for wrong in ["wiki", "wiki=", "wiki=0", "wiki=-1", "wiki=inf", "wiki=NaN"] {
        assert!(weight(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_file_is_read_as_it_was_written() {
    let examples = interacting();
    let forest = fit(&examples.iter().collect::<Vec<_>>(), &options());
    let ranking = Ranking { lexical: forest, ..Ranking::learned().clone() };
    let read: Ranking = serde_json::from_str(&text(&ranking).unwrap()).unwrap();
    assert_eq!(read, ranking);
    assert!(read.is_valid());
}

#[test]
fn the_learned_ranking_has_trees_of_this_programs_features() {
    let learned = Ranking::learned();
    assert!(learned.is_valid());
    for (forest, gate) in [(&learned.lexical, LEXICAL_GATE), (&learned.dense, DENSE_GATE)] {
        assert!(!forest.trees.is_empty());
        assert_eq!(forest.gate, gate);
        let plain_rank = Ranking::feature_names().position(|name| name == "plain_rank").unwrap();
        let mut splits = forest.trees.iter().flat_map(|tree| &tree.splits);
        assert!(splits.all(|(feature, _)| *feature != plain_rank), "it is the gate's");
    }
    assert_eq!(text(learned).unwrap(), include_str!("../../../crates/quiver-engine/src/ranking.json"));
}
