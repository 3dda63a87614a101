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
    assert!((forest.value(&sure) - trees(&sure)).abs() < 0.1);
    assert!(forest.value(&unsure) - trees(&unsure) > 6.0);
}

#[test]
fn candidates_that_are_not_considered_stay_behind() {
    let relevance = Relevance { considered: vec![1], rows: vec![row(&[])] };
    let all = Ranking::learned().probabilities(&[0.9, 0.0, 0.5], &relevance, false);
    assert!(all[1] > all[0] && all[0] > all[2], "{all:?}");
}
