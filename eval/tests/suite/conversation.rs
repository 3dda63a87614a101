//! Follow-up questions, understood by rules alone: minimum results.

use std::path::PathBuf;

use quiver_eval::conversation::{ConversationOptions, conversation, record::ConversationRecord};

fn options(path: &str) -> ConversationOptions {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../datasets/conversation").join(path);
    ConversationOptions { file: vec![file], json: None }
}

fn misses(record: &ConversationRecord) -> String {
    let mut text = Vec::new();
    record.print(&mut text).expect("a vector takes every line");
    String::from_utf8(text).expect("lines are text")
}

#[tokio::test]
async fn of_the_bundled_follow_ups_95_in_100_are_understood_and_8_in_10_of_each_kind() {
    let record = conversation(&options("")).await.unwrap();
    assert!(record.follow_ups >= 60 && record.scenarios.len() >= 5, "{}", record.follow_ups);
    assert!(record.share() >= 0.95, "{}", misses(&record));
    for (kind, share) in &record.by_kind {
        assert!(share.right * 10 >= share.follow_ups * 8, "{kind}: {}", misses(&record));
    }
}

#[tokio::test]
async fn of_the_development_follow_ups_9_in_10_are_understood() {
    let record = conversation(&options("development")).await.unwrap();
    assert!(record.follow_ups >= 30, "{}", record.follow_ups);
    assert!(record.share() >= 0.9, "{}", misses(&record));
}

#[tokio::test]
async fn two_runs_are_the_same() {
    let first = conversation(&options("development")).await.unwrap();
    let second = conversation(&options("development")).await.unwrap();
    assert_eq!(first, second);
}

#[tokio::test]
async fn a_miss_is_listed_with_what_it_became() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("own.json");
    let text = r#"{"name": "own", "documents": [{"id": "a", "text": "Ada Brandt leads Juno. She lives in Bergen."}],
        "conversations": [{"name": "c", "turns": [
            {"question": "Who leads Juno?", "kind": "opening"},
            {"question": "Where does she live?", "kind": "pronoun", "entities": ["Ada Brandt"], "gold": ["a"]},
            {"question": "Where does she live?", "kind": "pronoun", "entities": ["Somebody Else"], "gold": ["a"]}]}]}"#;
    std::fs::write(&file, text).unwrap();
    let record = conversation(&ConversationOptions { file: vec![file], json: None }).await.unwrap();
    assert_eq!((record.follow_ups, record.right, record.found), (2, 1, 2));
    let printed = misses(&record);
    assert!(printed.contains("own/c 3 (pronoun): Where does she live?"), "{printed}");
    assert!(printed.contains("had to name: Somebody Else"), "{printed}");
}

#[tokio::test]
async fn gold_that_is_no_document_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("own.json");
    let text = r#"{"name": "own", "documents": [], "conversations": [{"name": "c", "turns": [
        {"question": "Who?", "gold": ["nowhere"]}]}]}"#;
    std::fs::write(&file, text).unwrap();
    let error = conversation(&ConversationOptions { file: vec![file], json: None }).await.unwrap_err();
    assert!(format!("{error:#}").contains("no document has the key \"nowhere\""), "{error:#}");
}
