use quiver::score::{Relevance, Signal};

use super::*;

/// The indices of some features.
const LEXICAL: usize = 0;
const LINKED_NAME: usize = 3;
const TITLE: usize = 6;

fn feature(name: &str) -> usize {
    FEATURES.iter().position(|feature| feature.name == name).unwrap()
}

/// Numbers from 0 to 1, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }
}

/// Creates questions with one gold passage each, drawn according to these weights of the three features.
fn drawn(questions: usize, weights: [f64; 3]) -> Vec<Example> {
    let mut random = Random(7);
    (0..questions)
        .map(|question| {
            let mut own = vec![[0.0; FEATURES_COUNT]; 12];
            let mut odds = Vec::new();
            for features in &mut own {
                let mut sum = 0.0;
                for (feature, weight) in [LEXICAL, LINKED_NAME, TITLE].into_iter().zip(weights) {
                    let value = random.next();
                    features[feature] = value;
                    sum += weight * f64::from(value);
                }
                odds.push(sum.exp());
            }
            let mut left = f64::from(random.next()) * odds.iter().sum::<f64>();
            let gold = odds.iter().position(|odds| {
                left -= odds;
                left <= 0.0
            });
            example(question, own, vec![vec![gold.unwrap_or(11)]])
        })
        .collect()
}

fn example(question: usize, own: Vec<Features>, gold: Vec<Vec<usize>>) -> Example {
    let documents = (0..own.len()).map(|number| number.to_string()).collect();
    let plain = vec![0.0; own.len()];
    let observation = Observation {
        documents,
        plain,
        own,
        signals: Vec::new(),
        is_dense: false,
        relevance: Relevance::default(),
    };
    Example { group: 0, set: 0, question, fold: question % 5, observation, gold }
}

fn all(examples: &[Example]) -> Vec<&Example> {
    examples.iter().collect()
}

#[test]
fn known_weights_are_found() {
    let examples = drawn(3000, [3.0, 1.5, 0.0]);
    // Gold was drawn among the candidates of a question, so only the list-wise loss has its minimum at these weights.
    let options = FitOptions { squares: 0.0, point: 0.0, ..FitOptions::default() };
    let [seeds, ..] = fit(&all(&examples), &options);
    for (feature, wanted) in [(LEXICAL, 3.0), (LINKED_NAME, 1.5), (TITLE, 0.0)] {
        let found = seeds.weights[feature];
        assert!((found - wanted).abs() < 0.2, "{}: {found} for {wanted}", FEATURES[feature].name);
    }
}

#[test]
fn no_weight_is_negative() {
    let examples = drawn(300, [3.0, 1.5, -2.0]);
    for stage in fit(&all(&examples), &FitOptions::default()) {
        assert!(stage.weights[LEXICAL] > 1.0 && stage.weights[LINKED_NAME] > 0.5, "{stage:?}");
        assert_eq!(stage.weights[TITLE].to_bits(), 0.0_f32.to_bits());
        assert!(stage.weights.iter().all(|weight| *weight >= 0.0));
    }
}

#[test]
fn what_leads_on_is_learned_from_what_the_stage_before_believes() {
    let (forward, carry) = (feature("forward_near"), feature("carry_about"));
    let examples: Vec<Example> = (0..40)
        .map(|question| {
            // The first candidate is found by its words and leads to the second, which has similar neighbours; the
            // second leads to the third.
            let mut own = vec![[0.0; FEATURES_COUNT]; 8];
            own[0][LEXICAL] = 1.0;
            let mut example = example(question, own, vec![vec![0], vec![1], vec![2]]);
            let signal = |feature, from, to| Signal { feature, from, to, value: 0.8 };
            example.observation.signals =
                vec![signal(forward, 0, 1), signal(carry, 1, 2), signal(forward, 6, 7)];
            example
        })
        .collect();
    let stages = fit(&all(&examples), &FitOptions::default());
    assert_eq!(stages[0].weights[forward].to_bits(), 0.0_f32.to_bits(), "seeds know of no ways");
    assert!(stages[1].weights[forward] > 1.0 && stages[1].weights[carry] == 0.0, "{:?}", stages[1]);
    assert!(stages[2].weights[forward] > 1.0 && stages[2].weights[carry] > 1.0, "{:?}", stages[2]);
    let probabilities = examples[0].probabilities(&stages);
    assert!(examples[0].recall(&probabilities, 3) > 0.99, "{probabilities:?}");
}

#[test]
fn slopes_are_those_of_the_loss() {
    let mut examples = drawn(6, [3.0, 1.5, 1.0]);
    examples[1].gold = vec![vec![2, 3], vec![], vec![7]];
    examples[2].gold = vec![(0..12).collect()];
    let options = FitOptions { squares: 0.1, ..FitOptions::default() };
    let before = vec![None; examples.len()];
    let problem =
        Problem::new(&all(&examples), &before, ScoringPass::Seeds, &[false; FEATURES_COUNT], &options);
    let at = [1.0, 0.5, 2.0, -1.0];
    let mut slopes = [0.0; 4];
    problem.loss(&at, &mut slopes, &options);
    for (number, slope) in slopes.iter().enumerate() {
        let beside = |step: f64| {
            let mut at = at;
            at[number] += step;
            problem.loss(&at, &mut [0.0; 4], &options)
        };
        let measured = (beside(1e-5) - beside(-1e-5)) / 2e-5;
        assert!((slope - measured).abs() < 1e-6, "number {number}: {slope}, measured {measured}");
    }
}

#[test]
fn the_features_of_these_tests_are_where_they_look_for_them() {
    let names = [LEXICAL, LINKED_NAME, TITLE].map(|feature| FEATURES[feature].name);
    assert_eq!(names, ["lexical", "linked_name", "title"]);
}

#[test]
fn sets_count_alike_however_many_questions_they_have() {
    // Two groups that contradict each other: the larger one must not dominate.
    let mut examples = Vec::new();
    for question in 0..90 {
        let group = usize::from(question < 10);
        let mut own = vec![[0.0; FEATURES_COUNT]; 4];
        own[0][[LEXICAL, TITLE][group]] = 1.0;
        own[1][[TITLE, LEXICAL][group]] = 1.0;
        examples.push(Example { group, ..example(question, own, vec![vec![0]]) });
    }
    let [seeds, ..] = fit(&all(&examples), &FitOptions::default());
    assert!((seeds.weights[LEXICAL] - seeds.weights[TITLE]).abs() < 0.01, "{seeds:?}");
}

#[test]
fn without_a_feature_is_as_if_it_had_never_been() {
    let examples = drawn(200, [3.0, 1.5, -2.0]);
    let options = FitOptions::default();
    let full = fit(&all(&examples), &options);
    let mut without = [false; FEATURES_COUNT];
    without[TITLE] = true;
    assert_eq!(fit_without(&all(&examples), &full, &without, &options), full, "it had no weight");
    without[LINKED_NAME] = true;
    let less = fit_without(&all(&examples), &full, &without, &options);
    let mut never = examples.clone();
    for features in never.iter_mut().flat_map(|example| &mut example.observation.own) {
        (features[TITLE], features[LINKED_NAME]) = (0.0, 0.0);
    }
    let never = fit(&all(&never), &options);
    for (less, never) in less.iter().zip(&never) {
        assert_eq!(less.weights[LINKED_NAME].to_bits(), 0.0_f32.to_bits());
        assert!((less.weights[LEXICAL] - never.weights[LEXICAL]).abs() < 0.01, "{less:?}\n{never:?}");
    }
}

#[test]
fn a_document_counts_once_among_the_first() {
    let mut example = example(0, vec![[0.0; FEATURES_COUNT]; 4], vec![vec![0, 1], vec![2], vec![]]);
    example.observation.documents = ["a", "a", "b", "c"].map(str::to_owned).to_vec();
    let recall = |top| example.recall(&[0.9, 0.8, 0.3, 0.3], top);
    assert!((recall(1) - 1.0 / 3.0).abs() < 1e-9);
    assert!((recall(2) - 2.0 / 3.0).abs() < 1e-9, "ties go by their order");
    assert!((recall(9) - 2.0 / 3.0).abs() < 1e-9, "what was not reached is not found");
}
