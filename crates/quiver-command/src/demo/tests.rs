use std::path::Path;

use super::*;

#[test]
fn the_handbook_is_what_its_directory_holds() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
    let mut read: Vec<Document> = quiver::read::read(&directory, &quiver::read::ReadOptions::default())
        .filter_map(Result::ok)
        .filter(|document| Path::new(&document.key).extension().is_some_and(|ending| ending == "md"))
        .collect();
    // The bundled pages have only their file name as key.
    for document in &mut read {
        document.key = document.key.rsplit('/').next().unwrap_or_default().to_owned();
    }
    read.sort_by(|a, b| a.key.cmp(&b.key));
    assert!(read.len() >= 20);
    assert_eq!(documents(), read);
}

#[test]
fn questions_of_two_three_and_four_hops_a_comparison_and_one_without_an_answer() {
    let questions = questions();
    for hops in 2..=4 {
        assert!(questions.iter().any(|question| question.kind == "bridge" && question.hops == hops));
    }
    assert!(questions.iter().any(|question| question.kind == "comparison"));
    assert!(questions.iter().any(|question| question.answers.is_empty()));
}

#[test]
fn answers_are_judged_by_their_words() {
    let ask = |kind: &str, answers: &[&str]| DemoQuestion {
        question: String::new(),
        answers: answers.iter().map(ToString::to_string).collect(),
        kind: kind.to_owned(),
        hops: 2,
    };
    let question = ask("bridge", &["kidney filtration rate"]);
    assert_eq!(question.judge(Some("The kidney filtration rate.")), Verdict::Right);
    assert_eq!(
        question.judge(Some("Every six months the kidney filtration rate is measured.")),
        Verdict::Right
    );
    assert_eq!(question.judge(Some("filtration rate")), Verdict::Wrong);
    assert_eq!(question.judge(None), Verdict::RefusedWrongly);
    let question = ask("comparison", &["Renal Laboratory"]);
    assert_eq!(question.judge(Some("the Renal Laboratory")), Verdict::Right);
    assert_eq!(question.judge(Some("Infusion Centre or Renal Laboratory")), Verdict::Wrong);
    let question = ask("unanswerable", &[]);
    assert_eq!(question.judge(None), Verdict::RefusedRightly);
    assert_eq!(question.judge(Some("anything")), Verdict::Wrong);
}
