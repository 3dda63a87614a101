//! The published cases of memories, in their authors' words: read from `../shared/examples` beside the project, or from
//! the directory that `QUIVER_EXAMPLES` names. They are no part of the repository, so the test is ignored by default.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{env, fs, path::PathBuf};

use quiver::{
    Question, Quiver,
    memory::{Fact, RecallOptions, Restated, Turn},
};
use serde_json::Value;

fn examples() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/examples");
    env::var_os("QUIVER_EXAMPLES").map_or_else(beside, PathBuf::from)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

async fn remember(case: &Value) -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    let turns = list(&case["turns"]).iter().map(|turn| (text(turn), None));
    let facts = list(&case["facts"]).iter().map(|fact| {
        let [subject, predicate, object] = [0, 1, 2].map(|at| text(&fact[at]));
        (String::new(), Some(Fact::new(subject, predicate, object)))
    });
    for (number, (said, fact)) in turns.chain(facts).enumerate() {
        let number = number as u64;
        let turn = Turn { facts: fact.map(|fact| vec![fact]), ..Turn::new("s", said) };
        let time = 1_700_000_000_000 + i64::try_from(number).unwrap() * 60_000;
        quiver.remember(vec![turn.at(time).numbered(number)]).await.unwrap();
    }
    quiver
}

/// What is wrong with a recall, if anything is.
async fn judge(quiver: &Quiver, asked: &Value, options: &RecallOptions) -> Option<String> {
    let question = text(&asked["question"]);
    let recalled = quiver.recall(&question).options(options.clone()).await.unwrap();
    let shown = recalled.text();
    let wrong = |why: &str| Some(format!("{question}: {why}; answer {:?}, shown {shown:?}", recalled.answer));
    if asked["silent"] == true {
        return if recalled.no_answer.is_some() { None } else { wrong("not silent") };
    }
    let values: Vec<String> =
        list(&asked["answers"]).iter().map(text).chain(asked["answer"].as_str().map(str::to_owned)).collect();
    // "Farrow" may be answered with "Ms Farrow".
    let says = |answer: &str, value: &str| {
        let words =
            |text: &str| text.to_lowercase().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (answer, value) = (words(answer), words(value));
        answer.starts_with(&value)
            || answer.len() <= value.len() + 2 && answer.windows(value.len()).any(|run| run == value)
    };
    if let [value] = values.as_slice()
        && !recalled.answer.as_deref().is_some_and(|answer| says(answer, value))
    {
        return wrong("another answer");
    }
    if values.iter().any(|value| !shown.contains(value)) {
        return wrong("a value is missing");
    }
    let lacks = list(&asked["lacks"]).iter().map(text).any(|lacks| shown.contains(&lacks));
    if lacks { wrong("what is over is shown") } else { None }
}

#[tokio::test]
#[ignore = "reads ../shared/examples, which is not part of the repository"]
async fn the_published_cases_come_out_right() {
    let file = fs::read_to_string(examples().join("memory.json")).unwrap();
    let cases: Value = serde_json::from_str(&file).unwrap();
    let mut wrong = Vec::new();
    for case in list(&cases["cases"]) {
        let quiver = remember(case).await;
        for asked in list(&case["questions"]) {
            wrong.extend(judge(&quiver, asked, &RecallOptions::default()).await);
            let question = text(&asked["question"]);
            let lacks: Vec<String> = list(&asked["lacks"]).iter().map(text).collect();
            for way in list(&case["also"]).iter().map(text) {
                let shown = match way.as_str() {
                    // What an answer may rest on.
                    "ask" => {
                        let evidence = quiver.retrieve(Question::new(&question)).await.unwrap();
                        let passages = evidence.passages.iter().map(|ranked| ranked.passage.text.as_str());
                        passages.collect::<Vec<_>>().join("\n")
                    }
                    "context" => quiver.context(&question).await.unwrap().text(),
                    _ => continue,
                };
                if lacks.iter().any(|lacks| shown.contains(lacks)) {
                    wrong.push(format!("{way}, {question}: what is over is shown: {shown:?}"));
                }
            }
        }
        let replaces = RecallOptions { restated: Restated::Replaces, ..RecallOptions::default() };
        for asked in list(&case["questions_then"]) {
            wrong.extend(judge(&quiver, asked, &replaces).await);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
