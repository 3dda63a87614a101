use super::*;

fn gold(keys: &[&[&str]]) -> Vec<Gold> {
    keys.iter().map(|keys| Gold { keys: strings(keys) }).collect()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn recall_counts_gold_passages_among_the_first() {
    let gold = gold(&[&["a"], &["b"], &["c", "d"], &[]]);
    let ranking = strings(&["x", "a", "d", "c", "b"]);
    let at = |top| recall(&gold, &ranking, top).unwrap();
    assert!((at(1) - 0.0).abs() < 1e-9);
    assert!((at(2) - 0.25).abs() < 1e-9);
    assert!((at(4) - 0.5).abs() < 1e-9, "two passages of one gold title count once");
    assert!((at(10) - 0.75).abs() < 1e-9, "gold that the corpus lacks is never found");
    assert_eq!(recall(&[], &ranking, 5), None);
}

#[test]
fn the_first_place_and_the_discounted_gain() {
    let gold = gold(&[&["a"], &["b"]]);
    let ranking = strings(&["a", "x", "b"]);
    assert!((precision_at_1(&gold, &ranking) - 1.0).abs() < 1e-9);
    assert!(precision_at_1(&gold, &strings(&["x", "a"])).abs() < 1e-9);
    // (1 + 1/2) / (1 + 1/log2(3))
    assert!((ndcg(&gold, &ranking, 10) - 1.5 / (1.0 + 1.0 / 3f64.log2())).abs() < 1e-9);
    assert!((ndcg(&gold, &ranking, 1) - 1.0).abs() < 1e-9, "no more than one can stand first");
    assert!(ndcg(&[], &ranking, 10).abs() < 1e-9);
}

#[test]
fn answers_are_compared_as_squad_does() {
    let right = strings(&["The Cat's Eye", "a feline eye"]);
    assert!(exact_match("cats eye.", &right));
    assert!(!exact_match("cat eye", &right));
    assert!((f1("the feline eye of old", &right) - 2.0 * 0.5 * 1.0 / 1.5).abs() < 1e-9);
    assert!((f1("dog", &right)).abs() < 1e-9);
    assert!((f1("yes it is", &strings(&["yes"]))).abs() < 1e-9, "a yes within a sentence is no answer");
    assert!((f1("word word", &strings(&["word"])) - 2.0 / 3.0).abs() < 1e-9);
}

#[test]
fn containing_goes_by_whole_words() {
    assert!(contains("It was built in 1889, in Paris.", &strings(&["1889"])));
    assert!(!contains("It was built in 18890.", &strings(&["1889"])));
    assert!(contains("她出生在北京市。", &strings(&["北京"])));
    assert!(!contains("anything", &strings(&["the"])), "an answer of articles alone is none");
}

#[test]
fn percentiles_take_the_nearest_rank() {
    let sorted: Vec<f64> = (1..=100).map(f64::from).collect();
    assert!((percentile(&sorted, 0.5) - 50.0).abs() < 1e-9);
    assert!((percentile(&sorted, 0.99) - 99.0).abs() < 1e-9);
    assert!((percentile(&[7.0], 0.5) - 7.0).abs() < 1e-9);
    assert!(percentile(&[], 0.5).abs() < 1e-9);
}
