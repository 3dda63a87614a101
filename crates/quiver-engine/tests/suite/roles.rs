//! Questions for what plays a part for a thing, and for shares: `datasets/answers`, small worlds with
//! questions, of which more than half have no answer in their world.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

use quiver::Document;
use serde_json::Value;

use crate::common::engine;

/// No answer is wrong, and none is missing. In the second set one is: that somebody stepped down is not understood.
#[tokio::test]
async fn what_plays_a_part_is_answered_right_or_not_at_all() {
    for (file, wrong_max) in [("roles.jsonl", 0), ("second.jsonl", 1)] {
        grade(file, wrong_max).await;
    }
}

async fn grade(file: &str, wrong_max: usize) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../datasets/answers").join(file);
    let (mut right, mut asked, mut silent) = (0, 0, 0);
    let (mut wrong, mut missing) = (Vec::new(), Vec::new());
    for line in fs::read_to_string(file).unwrap().lines() {
        let world: Value = serde_json::from_str(line).unwrap();
        let documents = world["documents"].as_array().unwrap().iter().enumerate().map(|(at, document)| {
            let text = Document::new(format!("{}-{at}", world["name"]), document["text"].as_str().unwrap());
            match document["title"].as_str() {
                Some(title) => text.with_title(title),
                None => text,
            }
        });
        let quiver = engine(documents.collect()).await;
        for case in world["questions"].as_array().unwrap() {
            let question = case["question"].as_str().unwrap();
            let given = quiver.ask(question).await.unwrap().text;
            let wanted: Vec<&str> =
                case["answer_contains"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            asked += usize::from(!wanted.is_empty());
            match given {
                None if wanted.is_empty() => silent += 1,
                Some(text) if case["may"].as_str().is_some_and(|may| text.contains(may)) => silent += 1,
                None => missing.push(format!("{question} ({})", case["kind"])),
                Some(text) if !wanted.is_empty() && wanted.iter().all(|part| text.contains(part)) => {
                    right += 1;
                }
                Some(text) => wrong.push(format!("{question} ({}): {text:?}", case["kind"])),
            }
        }
    }
    let told = format!(
        "{right} of {asked} right, {silent} rightly silent\nwrong:\n{}\nmissing:\n{}",
        wrong.join("\n"),
        missing.join("\n")
    );
    assert!(wrong.len() <= wrong_max && missing.is_empty(), "{told}");
}

/// Words that lead back to a thing which the question names again ask for nothing.
#[tokio::test]
async fn a_question_may_begin_by_leading_back_to_a_thing() {
    let text = "Project Larch met 88% of its milestones. Team Birch met 70% of its milestones.";
    let quiver = engine(vec![Document::new("review", text)]).await;
    let question = "Back to Project Larch: what share of Project Larch's milestones did Project Larch meet?";
    let given = quiver.ask(question).await.unwrap();
    assert!(given.text.as_deref().is_some_and(|text| text.contains("88%")), "{}", given.trace());
}
