//! Fitting weights and leaving features out, on the bundled set.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;

use quiver::score::{FEATURES, Weights};
use quiver_eval::{
    ablate::{AblateOptions, Ablation, ablate},
    train::{
        Progress, TrainOptions, file,
        sets::{Condition, SetOptions},
        train,
    },
};

fn options(conditions: &[Condition], limit: usize) -> SetOptions {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/multihop");
    let (questions, corpus) = (home.join("questions.jsonl"), home.join("corpus.jsonl"));
    let set = format!("multihop={},{}", questions.display(), corpus.display());
    SetOptions {
        sets: vec![set.parse().unwrap()],
        embedder: "lexical".parse().unwrap(),
        conditions: conditions.to_vec(),
        limit: Some(limit),
        folds: 2,
        from: None,
    }
}

#[tokio::test]
async fn weights_are_learned_and_the_same_run_gives_the_same_bytes() {
    let options = TrainOptions {
        sets: options(&Condition::ALL, 12),
        rounds: 2,
        output: "not written by the library".into(),
    };
    let trained = train(&options, &|_| {}).await.unwrap();
    let tables = &trained.rounds;
    assert_eq!(tables.len(), 2);
    assert_eq!(
        tables[0].groups,
        ["multihop alone", "multihop untitled"],
        "one set has nothing to be joined with"
    );
    assert_eq!(tables[1].questions, [12, 12]);
    assert!(tables[1].other_sets.is_none());
    for (training, out) in tables[1].training.iter().zip(&tables[1].out_of_fold) {
        assert!(*training > 0.8 && *out > 0.6, "{}", tables[1]);
    }
    assert!(tables[1].to_string().contains("multihop untitled"), "{}", tables[1]);
    let Weights { lexical, dense, provenance, .. } = &trained.weights;
    assert_eq!(*dense, Weights::learned().dense, "the other part is kept");
    assert_ne!(*lexical, Weights::learned().lexical);
    for part in ["lexical: ", "questions.jsonl ", "conditions alone, untitled", "round 2", "out of 2 folds"] {
        assert!(provenance.contains(part), "{part} is missing in {provenance}");
    }
    assert!(!provenance.contains("datasets/"), "it names files, not where they were: {provenance}");
    assert!(lexical.iter().all(|stage| stage.weights.iter().all(|weight| *weight >= 0.0)));
    let again = train(&options, &|_| {}).await.unwrap();
    assert_eq!(file::text(&trained.weights).unwrap(), file::text(&again.weights).unwrap());
}

#[tokio::test]
async fn features_are_left_out_in_turn() {
    let options = AblateOptions { sets: options(&[Condition::Alone], 24), json: None };
    let fits = std::sync::Mutex::new(Vec::new());
    let ablation = ablate(&options, &|progress| {
        if let Progress::Fitted(done, all) = progress {
            fits.lock().unwrap().push((done, all));
        }
    })
    .await
    .unwrap();
    let without: Vec<&str> = ablation.without.iter().map(|row| row.without.as_str()).collect();
    assert_eq!(without[0], "*all ways*");
    assert!(without.contains(&"lexical") && !without.contains(&"dense"), "no question has it: {without:?}");
    let ways = &ablation.without[0];
    assert!(ways.features.iter().all(|name| FEATURES.iter().any(|feature| feature.name == name)));
    assert!(ways.change < 0.0, "what leads on is worth something\n{ablation}");
    assert!(ways.interval[0] <= ways.change && ways.change <= ways.interval[1]);
    assert!((ablation.full.mean + ways.change - ways.mean).abs() < 1e-9);
    let all = 2 * (1 + without.len());
    assert_eq!(fits.into_inner().unwrap().iter().max(), Some(&(all, all)));
    let table = ablation.to_string();
    assert_eq!(table.lines().count(), 3 + without.len(), "{table}");
    let json = serde_json::to_string(&ablation).unwrap();
    assert_eq!(serde_json::from_str::<Ablation>(&json).unwrap().to_string(), table);
}

#[tokio::test]
async fn absent_files_are_told_where_to_be_had() {
    let mut options = TrainOptions { sets: options(&Condition::ALL, 12), rounds: 1, output: "none".into() };
    options.sets.sets = vec!["x=no/such.json,none.json".parse().unwrap()];
    let error = train(&options, &|_| {}).await.unwrap_err().to_string();
    assert!(error.contains("no/such.json") && error.contains("downloads nothing"), "{error}");
}
