use quiver::score::Weights;

use super::{
    sets::{Condition, Set, SetSetting},
    *,
};
use crate::dataset::Dataset;

const FIRST: &str = r#"[{"title": "Catsholm", "text": "Catsholm is an island. Its lighthouse was built by Ilse Vantongeren."},
    {"title": "Ilse Vantongeren", "text": "Ilse Vantongeren was born in Dunmere in 1761."},
    {"title": "Rye bread", "text": "Rye bread is baked twice."}]"#;
const SECOND: &str = r#"[{"title": "Dunmere", "text": "Dunmere is a town with a mint."},
    {"title": "Ilse Vantongeren", "text": "Ilse  Vantongeren was born in Dunmere in 1761."},
    {"title": "Rye bread", "text": "Another text of one title."}]"#;

fn set(name: &str, corpus: &str, gold: &[&str]) -> Set {
    let directory = tempfile::tempdir().unwrap();
    let (questions_file, corpus_file) = (directory.path().join("q.json"), directory.path().join("c.json"));
    let facts: Vec<String> = gold.iter().map(|title| format!(r#"["{title}", 0]"#)).collect();
    let question = |number| {
        let facts = if number == 2 { String::new() } else { facts.join(", ") };
        format!(
            r#"{{"_id": "{number}", "question": "Where was Ilse Vantongeren of Catsholm born?", "supporting_facts": [{facts}]}}"#
        )
    };
    let questions: Vec<String> = (0..7).map(question).collect();
    std::fs::write(&questions_file, format!("[{}]", questions.join(","))).unwrap();
    std::fs::write(&corpus_file, corpus).unwrap();
    let dataset = Dataset::read(&questions_file, &corpus_file, None).unwrap();
    Set { name: name.to_owned(), dataset, files: Vec::new() }
}

#[tokio::test]
async fn a_question_is_in_the_same_fold_under_all_conditions() {
    let sets = [
        set("first", FIRST, &["Catsholm", "Ilse Vantongeren"]),
        set("second", SECOND, &["Dunmere", "Ilse Vantongeren"]),
    ];
    let embedder = "lexical".parse().unwrap();
    let observatory = Observatory::build(&sets, &Condition::ALL, &embedder, 3, &|_, _| {}).await.unwrap();
    let groups =
        ["first alone", "second alone", "first joined", "second joined", "first untitled", "second untitled"];
    assert_eq!(observatory.groups(), groups);
    let examples = observatory.observe(Weights::learned(), &|_, _| {}).await.unwrap();
    assert_eq!(examples.len(), 6 * 6, "the question without gold is left out");
    for example in &examples {
        assert_eq!(example.fold, example.question % 3);
        assert_eq!(example.set, example.group % 2);
    }
    // Gold is found under all conditions. With joined corpora, a passage that both sets have exists once and is gold
    // for both.
    let documents = |group: usize| {
        let example = examples.iter().find(|example| example.group == group).unwrap();
        let gold = example.gold.iter().flatten();
        gold.map(|&candidate| example.observation.documents[candidate].as_str()).collect::<Vec<_>>()
    };
    assert_eq!(documents(1), ["Dunmere", "Ilse Vantongeren"]);
    assert_eq!(documents(2), ["first: Catsholm", "first: Ilse Vantongeren"]);
    assert_eq!(documents(3), ["second: Dunmere", "first: Ilse Vantongeren"]);
    assert_eq!(documents(4), ["#1", "#2"]);
}

#[test]
fn what_is_judged_was_not_learned_from() {
    use quiver::score::{FEATURES_COUNT, Observation, Relevance};
    // Each question has its own feature for its gold, so nothing can be learned from other questions.
    let examples: Vec<Example> = (0..4)
        .flat_map(|question| (0..2).map(move |group| (question, group)))
        .map(|(question, group)| {
            let mut own = vec![[0.0; FEATURES_COUNT]; 9];
            own[8][question + 2] = 1.0;
            let documents = (0..9).map(|number| number.to_string()).collect();
            let plain = vec![0.0; own.len()];
            let relevance = Relevance::default();
            let observation =
                Observation { documents, plain, own, signals: Vec::new(), is_dense: false, relevance };
            let set = usize::from(question > 1);
            Example {
                group: group * 2 + set,
                set,
                question,
                fold: question % 2,
                observation,
                gold: vec![vec![8]],
            }
        })
        .collect();
    let (_, judged) = judge(&examples, 2, &FitOptions::default(), &|_, _| {});
    assert_eq!(by_group(&examples, &judged.training, 4), [1.0; 4]);
    assert_eq!(by_group(&examples, &judged.out_of_fold, 4), [0.0; 4]);
    assert_eq!(by_group(&examples, &judged.other_sets.unwrap(), 4), [0.0; 4]);
}

#[test]
fn a_part_is_replaced_and_the_other_kept() {
    let old = Weights { provenance: "by hand".to_owned(), ..Weights::learned().clone() };
    let mut stages = old.lexical.clone();
    stages[2].weights[1] = 1.25;
    let dense = file::replace(&old, stages.clone(), true, "so");
    assert_eq!(dense.provenance, "lexical: by hand\ndense: so");
    assert_eq!((&dense.lexical, &dense.dense), (&old.lexical, &stages));
    let both = file::replace(&dense, stages.clone(), false, "thus");
    assert_eq!(both.provenance, "lexical: thus\ndense: so");
    assert_eq!((&both.lexical, &both.dense), (&stages, &stages));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("weights.json");
    std::fs::write(&path, file::text(&both).unwrap()).unwrap();
    assert_eq!(file::read(Some(&path)).unwrap(), both);
    let other = Weights { features: vec!["lexical".to_owned()], ..both };
    std::fs::write(&path, file::text(&other).unwrap()).unwrap();
    assert!(file::read(Some(&path)).unwrap_err().to_string().contains("other features"));
}

#[test]
fn sets_and_conditions_are_read() {
    let set: SetSetting = "wiki=a/q.json,c.json,t.json".parse().unwrap();
    assert_eq!((set.name.as_str(), set.triples), ("wiki", Some("t.json".into())));
    for wrong in ["", "q.json,c.json", "=q,c", "wiki=q", "wiki=q,,t", "wiki=q,c,t,x"] {
        assert!(wrong.parse::<SetSetting>().is_err(), "{wrong}");
    }
    for condition in Condition::ALL {
        assert_eq!(condition.to_string().parse::<Condition>().unwrap(), condition);
    }
    assert!("titled".parse::<Condition>().unwrap_err().to_string().contains("untitled"));
}
