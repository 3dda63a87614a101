//! The bundled handbook: how many of its questions are answered right, without a model.

use std::path::Path;

use quiver::{
    Quiver,
    read::{ReadOptions, read},
};
use serde_json::Value;

/// How many of the questions are answered right, or refused where there is no answer.
const RIGHT_LEAST: usize = 9;

#[tokio::test]
async fn the_handbook_is_answered() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/demo");
    let pages = read(&home, &ReadOptions::default()).filter_map(Result::ok);
    let pages: Vec<_> = pages.filter(|page| page.key.to_lowercase().ends_with(".md")).collect();
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.ingest(pages).await.unwrap();
    let questions = std::fs::read_to_string(home.join("questions.jsonl")).unwrap();
    let (mut right, mut wrong) = (0, 0);
    for line in questions.lines() {
        let asked: Value = serde_json::from_str(line).unwrap();
        let answer = quiver.ask(asked["question"].as_str().unwrap()).await.unwrap();
        let wanted = asked["answers"].as_array().unwrap();
        let is_right = match &answer.text {
            None => wanted.is_empty(),
            Some(text) => wanted
                .iter()
                .any(|wanted| text.to_lowercase().contains(&wanted.as_str().unwrap().to_lowercase())),
        };
        right += usize::from(is_right);
        wrong += usize::from(!is_right && answer.text.is_some());
        if !is_right {
            println!("{}\n  wanted {} of {}", asked["question"], asked["answers"], asked["gold"]);
            println!("  got {:?}, {:?}\n{}", answer.text, answer.refusal, answer.trace());
            for citation in &answer.citations {
                let path: String =
                    citation.path.iter().map(|(_, step)| format!("\n        {step}")).collect();
                println!("  {:.3} {}: {}{path}", citation.score, citation.title, citation.sentence);
            }
        }
    }
    assert_eq!(wrong, 0, "no question is answered wrong");
    assert!(right >= RIGHT_LEAST, "{right} of {} questions were answered right", questions.lines().count());
}
