//! The published cases of questions and conversations over documents, in their authors' words: read from
//! `../shared/examples` beside the project, or from the directory that `QUIVER_EXAMPLES` names. They are no part of the
//! repository, so the tests are ignored by default.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{env, fs, path::PathBuf};

use quiver::{
    Answer, Document, Question, Quiver,
    memory::Turn,
    session::{Session, SessionOptions},
};
use serde_json::{Value, json};

fn case(name: &str) -> Value {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/examples");
    let home = env::var_os("QUIVER_EXAMPLES").map_or_else(beside, PathBuf::from);
    serde_json::from_str(&fs::read_to_string(home.join(name)).unwrap()).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Documents with titles, or texts without.
async fn ingest(quiver: &Quiver, documents: &Value, from: usize) {
    let documents = list(documents).iter().enumerate().map(|(number, document)| match document.as_str() {
        Some(text) => Document::new(format!("document-{}", number + from), text),
        None => Document::new(text(&document["title"]), text(&document["text"]))
            .with_title(text(&document["title"])),
    });
    quiver.ingest(documents.collect::<Vec<_>>()).await.unwrap();
}

/// What is wrong with an answer, if anything is. A case may be answered right, or not at all.
fn judge(asked: &Value, answer: Option<&Answer>, has_to_answer: bool) -> Option<String> {
    let given = answer.and_then(|answer| answer.text.as_deref());
    let wrong = |why: &str| {
        let considered = answer
            .map(|answer| answer.considered.iter().map(|one| format!("\n    {one:?}")).collect::<String>());
        Some(format!("{}: {why}: {given:?}{}", text(&asked["question"]), considered.unwrap_or_default()))
    };
    let Some(given) = given else {
        let is_asked = !list(&asked["answer_contains"]).is_empty();
        return if is_asked && has_to_answer { wrong("not answered") } else { None };
    };
    if asked["refused"] == true {
        return wrong("answered");
    }
    // A sentence may begin with the value.
    let has = |part: &Value| given.to_lowercase().contains(&text(part).to_lowercase());
    if list(&asked["answer_contains"]).iter().any(|part| !has(part)) {
        return wrong("the right value is missing");
    }
    let lacks = list(&asked["answer_lacks"]).iter().any(has);
    if lacks { wrong("what is something else's is said") } else { None }
}

/// Goes through the turns of a conversation.
async fn converse(session: &mut Session, turns: &Value, wrong: &mut Vec<String>) {
    for turn in list(turns) {
        let reply = session.ask(text(&turn["question"])).await.unwrap();
        let options: Vec<&str> = reply
            .asks()
            .map(|asks| asks.options.iter().map(|option| option.name.as_str()).collect())
            .unwrap_or_default();
        let wanted: Vec<&str> = list(&turn["asks_back"]).iter().map(text).collect();
        if options != wanted {
            wrong.push(format!("{}: asked back {options:?} and not {wanted:?}", turn["question"]));
        }
        let standalone = &reply.read.standalone;
        if list(&turn["standalone_contains"]).iter().any(|part| !standalone.contains(text(part))) {
            wrong.push(format!("{}: understood as {standalone:?}", turn["question"]));
        }
        wrong.extend(judge(turn, reply.answer.as_ref(), true));
    }
}

#[tokio::test]
#[ignore = "reads ../shared/examples, which is not part of the repository"]
async fn passages_without_titles_are_joined() {
    let case = case("diabetes.json");
    let quiver = Quiver::in_memory().await.unwrap();
    let mut wrong = Vec::new();
    for (documents, questions, from) in
        [("documents", "questions", 0), ("more_documents", "more_questions", list(&case["documents"]).len())]
    {
        ingest(&quiver, &case[documents], from).await;
        for asked in list(&case[questions]) {
            let answer = quiver.ask(text(&asked["question"])).await.unwrap();
            wrong.extend(judge(asked, Some(&answer), true));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
#[ignore = "reads ../shared/examples, which is not part of the repository"]
async fn a_conversation_stays_with_its_project() {
    let case = case("apollo.json");
    let quiver = Quiver::in_memory().await.unwrap();
    let mut wrong = Vec::new();
    ingest(&quiver, &case["documents"], 0).await;
    converse(&mut quiver.session("one"), &case["turns"], &mut wrong).await;
    ingest(&quiver, &case["more_documents"], 0).await;
    converse(&mut quiver.session("two"), &case["more_turns"], &mut wrong).await;
    for stated in list(&case["stated_in_chat"]) {
        let options = SessionOptions { remember: true, background: true, ..SessionOptions::default() };
        let mut session = quiver.session("three").with_options(options);
        let reply = session.ask(text(&stated["say"])).await.unwrap();
        if reply.noted.is_none_or(|noted| noted.facts.is_empty()) {
            wrong.push(format!("{}: nothing was noted", stated["say"]));
        }
        let reply = session.ask(text(&stated["then"])).await.unwrap();
        let asked = json!({ "question": stated["then"], "answer_contains": stated["answer_contains"] });
        wrong.extend(judge(&asked, reply.answer.as_ref(), true));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
#[ignore = "reads ../shared/examples, which is not part of the repository"]
async fn a_shared_first_name_is_asked_back_and_resolved() {
    let case = case("john.json");
    let quiver = Quiver::in_memory().await.unwrap();
    let mut wrong = Vec::new();
    ingest(&quiver, &case["documents"], 0).await;
    converse(&mut quiver.session("one"), &case["turns"], &mut wrong).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
#[ignore = "reads ../shared/examples, which is not part of the repository"]
async fn what_memory_knows_to_be_over_is_not_answered() {
    let mut wrong = Vec::new();
    for case in list(&case("memory.json")["cases"]).iter().filter(|case| !list(&case["also"]).is_empty()) {
        let quiver = Quiver::in_memory().await.unwrap();
        for (said, number) in list(&case["turns"]).iter().zip(0_u32..) {
            let time = 1_700_000_000_000 + i64::from(number) * 60_000;
            quiver.remember(vec![Turn::new("s", text(said)).at(time).numbered(number.into())]).await.unwrap();
        }
        for asked in list(&case["questions"]) {
            let question = text(&asked["question"]);
            let answer = quiver.ask(Question::new(question)).await.unwrap();
            let reply = quiver.session("other").ask(question).await.unwrap();
            for (way, answer) in [("ask", Some(&answer)), ("chat", reply.answer.as_ref())] {
                let mut said: Vec<&str> =
                    answer.and_then(|answer| answer.text.as_deref()).into_iter().collect();
                let shown = answer.iter().flat_map(|answer| answer.citations.iter().chain(&answer.found));
                said.extend(shown.map(|citation| citation.sentence.as_str()));
                for lacks in list(&asked["lacks"]) {
                    if said.iter().any(|said| said.contains(text(lacks))) {
                        wrong.push(format!("{way}, {question}: what is over is said: {said:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
