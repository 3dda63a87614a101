use super::*;

fn row(values: &[(&str, f32)]) -> Vec<f32> {
    let mut row = vec![0.0; ROW_LENGTH];
    for (name, value) in values {
        row[Ranking::feature_names().position(|known| known == *name).unwrap()] = *value;
    }
    row
}

#[test]
fn a_tree_takes_the_leaf_of_its_answers() {
    let tree = Tree { splits: vec![(0, 0.5), (1, 0.2)], leaves: vec![0.0, 1.0, 2.0, 3.0] };
    let values = [[0.5, 0.2], [0.4, 0.3], [0.6, 0.1], [0.6, 0.3]].map(|row| tree.value(&row));
    assert_eq!(values.map(f32::to_bits), [0.0_f32, 1.0, 2.0, 3.0].map(f32::to_bits));
    assert!(tree.is_valid(2) && !tree.is_valid(1), "the features are checked");
    assert!(!Tree { leaves: vec![0.0], ..tree }.is_valid(2), "so are the leaves");
}

#[test]
fn plain_search_counts_where_the_graph_found_nothing_sure() {
    let forest = Ranking::learned().lexical.clone();
    let trees = |row: &[f32]| forest.trees.iter().map(|tree| tree.value(row)).sum::<f32>() + forest.gate.bias;
    let sure = row(&[("lexical_relative", 1.0), ("lexical_rank", 1.0), ("best_stage", 1.0)]);
    let unsure = row(&[("lexical_relative", 1.0), ("lexical_rank", 1.0), ("best_stage", 0.05)]);
    assert!((forest.value(&sure) - trees(&sure)).abs() < 1.0);
    assert!(forest.value(&unsure) - trees(&unsure) > 5.0);
}

#[test]
fn the_first_by_words_is_kept_the_more_of_the_question_it_says() {
    let ranking = Ranking::learned();
    let added = |forest: &Forest, rank: f32, cover: f32, surest: f32| {
        let row = row(&[("lexical_rank", rank), ("cover", cover), ("best_stage", surest)]);
        let without = Forest { gate: Gate { kept: 0.0, ..forest.gate }, ..forest.clone() };
        forest.value(&row) - without.value(&row)
    };
    let kept = ranking.lexical.gate.kept;
    assert!(kept > 0.0);
    for (cover, share) in [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)] {
        for surest in [0.0, 1.0] {
            let first = added(&ranking.lexical, 1.0, cover, surest);
            assert!((first - kept * share).abs() < 1e-3, "{cover}: {first}");
            assert!(added(&ranking.lexical, 0.5, cover, surest).abs() < 1e-6, "the second");
        }
    }
    // Without trees, plain search decides while the gate is closed, and it uses more than words.
    let forest = Forest { trees: Vec::new(), ..ranking.lexical.clone() };
    assert!(added(&forest, 1.0, 1.0, 0.0).abs() < 0.01);
    assert!(added(&forest, 1.0, 1.0, 1.0) > 0.9 * kept);
}

#[test]
fn candidates_that_are_not_considered_stay_behind() {
    let relevance = Relevance { considered: vec![1], rows: vec![row(&[])] };
    let all = Ranking::learned().probabilities(&[0.9, 0.0, 0.5], &relevance, false);
    assert!(all[1] > all[0] && all[0] > all[2], "{all:?}");
}

#[test]
fn with_an_embedder_the_first_by_plain_search_is_kept_like_the_first_by_words() {
    let dense = &Ranking::learned().dense;
    let added = |words: f32, plain: f32| {
        let row = row(&[("lexical_rank", words), ("plain_rank", plain), ("cover", 0.5), ("best_stage", 1.0)]);
        let without = Forest { gate: Gate { kept: 0.0, fused_kept: 0.0, ..dense.gate }, ..dense.clone() };
        dense.value(&row) - without.value(&row)
    };
    let Gate { kept, fused_kept, .. } = dense.gate;
    assert!(kept > 0.0 && fused_kept > 0.0);
    for (words, plain, expected) in
        [(1.0, 0.5, kept), (0.5, 1.0, fused_kept), (1.0, 1.0, kept + fused_kept), (0.5, 0.5, 0.0)]
    {
        let found = added(words, plain);
        assert!((found - expected * 0.25).abs() < 1e-3, "{words} and {plain}: {found}");
    }
}

#[test]
fn with_an_embedder_plain_search_is_words_and_meaning() {
    let dense = &Ranking::learned().dense;
    let value = |plain: f32, surest: f32| {
        let row = |plain: f32| row(&[("plain", plain), ("best_stage", surest)]);
        let trees = |row: &[f32]| dense.trees.iter().map(|tree| tree.value(row)).sum::<f32>();
        let (row, none) = (row(plain), row(0.0));
        dense.value(&row) - trees(&row) - (dense.value(&none) - trees(&none))
    };
    assert!(value(1.0, 0.05) > 6.0, "the gate is closed");
    assert!(value(1.0, 1.0) < 1.0, "the gate is open");
}

#[test]
fn without_an_embedder_the_rank_by_plain_search_changes_nothing() {
    let lexical = &Ranking::learned().lexical;
    for surest in [0.0, 0.5, 1.0] {
        let row = |rank: f32| row(&[("plain_rank", rank), ("cover", 0.7), ("best_stage", surest)]);
        let (first, unranked) = (lexical.value(&row(1.0)), lexical.value(&row(0.0)));
        assert_eq!(first.to_bits(), unranked.to_bits());
    }
}
