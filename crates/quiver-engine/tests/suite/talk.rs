//! What `ask` answers from the turns of a conversation, and what it does not.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{Answer, Objection, Quiver, memory::Turn};

use crate::common::engine;

/// Each turn with its speaker; a day lies between two turns.
const TALK: [(&str, &str); 9] = [
    ("Ilse", "Morning! The ferry licence arrived."),
    ("Bram", "Great. Harm runs the workshop on the island, I met him on Tuesday."),
    ("Ilse", "I start at the harbour office on 4 May, finally out of the workshop."),
    ("Bram", "We could sell the old barge for 9,000 euros, maybe."),
    ("Ilse", "The engine was delivered by Koster on 12 May."),
    ("Bram", "Tilda leads the ticket desk since Monday."),
    ("Ilse", "Change of plan, Ruben leads the ticket desk now."),
    ("Bram", "The pier repair costs 1,200 euros."),
    ("Ilse", "I got a temporary job to cover the winter."),
];

async fn talk() -> Quiver {
    let quiver = engine(Vec::new()).await;
    let day = 86_400_000;
    let turns = TALK.iter().zip(1..).map(|((speaker, text), at)| {
        Turn::new("boat", *text).by(*speaker).at(1_770_000_000_000 + day * at).numbered(at.unsigned_abs())
    });
    quiver.remember(turns).await.unwrap();
    quiver
}

fn has_objection(answer: &Answer, text: &str, objection: Objection) -> bool {
    answer.considered.iter().any(|one| one.text.contains(text) && one.objection == Some(objection))
}

#[tokio::test]
async fn a_sentence_of_a_turn_is_quoted_with_its_speaker_and_date() {
    let quiver = talk().await;
    let answer = quiver.ask("When was the engine delivered by Koster?").await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("12 May"), "{}", answer.trace());
    let answer = quiver.ask("When does Ilse start at the harbour office?").await.unwrap();
    let text = answer.text.unwrap();
    assert!(text == "4 May" || text.starts_with("Ilse, 2026-02-"), "{text}");
}

#[tokio::test]
async fn what_somebody_says_of_themselves_is_no_answer_about_another() {
    let quiver = talk().await;
    let answer = quiver.ask("When does Bram start at the harbour office?").await.unwrap();
    assert_eq!(answer.text, None, "{}", answer.trace());
    assert!(has_objection(&answer, "4 May", Objection::OtherThing), "{}", answer.trace());
}

#[tokio::test]
async fn what_a_later_turn_changes_is_no_answer() {
    let quiver = talk().await;
    let answer = quiver.ask("Who leads the ticket desk?").await.unwrap();
    assert!(answer.text.as_deref().is_none_or(|text| text.contains("Ruben")), "{}", answer.trace());
}

#[tokio::test]
async fn what_is_only_supposed_is_no_answer() {
    let quiver = talk().await;
    let answer = quiver.ask("For how many euros was the old barge sold?").await.unwrap();
    assert_eq!(answer.text, None, "{}", answer.trace());
}

#[tokio::test]
async fn a_turn_answers_only_what_has_a_type() {
    let quiver = talk().await;
    let answer = quiver.ask("What temporary job did Ilse get to cover the winter?").await.unwrap();
    assert_eq!(answer.text, None, "{}", answer.trace());
    assert!(has_objection(&answer, "temporary job", Objection::InConversation), "{}", answer.trace());
    assert!(answer.found.iter().any(|found| found.sentence.contains("temporary job")), "it is shown");
}
