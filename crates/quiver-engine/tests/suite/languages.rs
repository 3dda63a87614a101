//! Questions and documents in languages other than English.

use crate::common::{engine, handbook};
use quiver::{Document, Evidence};

/// Returns the plain score of a document; `None` if it was not found.
fn plain(evidence: &Evidence, document: &str) -> Option<f32> {
    let found = evidence.passages.iter().find(|ranked| ranked.passage.document == document);
    found.map(|ranked| ranked.plain)
}

fn first(evidence: &Evidence) -> &str {
    &evidence.passages[0].passage.document
}

/// Three German documents: on houses, on a garden, and on the fair.
fn german() -> Vec<Document> {
    vec![
        Document::new("haus", "Das Haus am Markt wurde von einer Familie gebaut, und es ist sehr alt."),
        Document::new("garten", "Der Garten hinter dem Markt ist klein, und er wird von niemandem gepflegt."),
        Document::new("messe", "Die Messe findet in der Stadt statt, und sie dauert bis zum Abend."),
    ]
}

#[tokio::test]
async fn forms_of_a_word_meet_in_the_language_of_question_and_document() {
    let quiver = engine(german()).await;
    // The second has no function word: it is German because the documents are.
    for question in ["Wer hat die Häuser gebaut?", "alte Häuser"] {
        let evidence = quiver.retrieve(question).await.unwrap();
        assert_eq!(first(&evidence), "haus", "{question}: {}", evidence.trace);
        assert_eq!(plain(&evidence, "haus"), Some(1.0), "{question}: {}", evidence.trace);
    }
}

#[tokio::test]
async fn a_question_finds_documents_of_its_language_among_more_english_ones() {
    let quiver = engine(handbook().into_iter().chain(german()).collect()).await;
    let evidence = quiver.retrieve("Wer hat die Häuser gebaut, die so alt sind?").await.unwrap();
    assert_eq!(first(&evidence), "haus", "{}", evidence.trace);
}

#[tokio::test]
async fn a_word_counts_once_whether_written_as_in_the_question_or_in_another_form() {
    let text =
        |word: &str| format!("Das ist der Bericht von einem Amt, und er ist über {word} und nicht kurz.");
    let mut documents = german();
    documents.push(Document::new("same", text("Verträge")));
    documents.push(Document::new("other", text("Vertrag")));
    let evidence = engine(documents).await.retrieve("Verträge").await.unwrap();
    assert_eq!(plain(&evidence, "same"), Some(1.0), "{}", evidence.trace);
    assert_eq!(plain(&evidence, "other"), Some(1.0), "{}", evidence.trace);
}

#[tokio::test]
async fn the_words_that_only_ask_are_not_searched_for() {
    let mut documents = german();
    // No other document says "wie", "kann" or "ich", so they would weigh most.
    documents
        .push(Document::new("wie", "Wie kann ich das wissen, und wie kann ich es nicht, sagt der Mann."));
    let evidence = engine(documents).await.retrieve("Wie kann ich die alten Häuser finden?").await.unwrap();
    assert_eq!(first(&evidence), "haus", "{}", evidence.trace);
    assert_eq!(plain(&evidence, "wie"), None, "{}", evidence.trace);
}

#[tokio::test]
async fn a_form_that_no_document_has_is_neither_corrected_nor_unknown() {
    let documents = vec![
        Document::new("a", "Die Vereinbarung ist von der Stadt und sie gilt für alle, die hier wohnen."),
        Document::new("b", "Der Markt ist in der Stadt, und er ist an einem Tag im Jahr für alle offen."),
    ];
    let evidence =
        engine(documents).await.retrieve("Welche Vereinbarungen gibt es für die Stadt?").await.unwrap();
    assert_eq!(first(&evidence), "a");
    assert!(!evidence.trace.to_string().contains("no passage contains"), "{}", evidence.trace);
}

#[tokio::test]
async fn names_are_found_in_documents_of_any_language() {
    let mut documents = german();
    documents
        .push(Document::new("de", "Die Firma Kestrel Systems ist in der Stadt, und sie ist nicht groß."));
    documents
        .push(Document::new("en", "The city is where the company Kestrel Systems was founded by a baker."));
    let quiver = engine(documents).await;
    for question in ["Who founded the company Kestrel Systems?", "Wo ist die Firma Kestrel Systems?"] {
        let evidence = quiver.retrieve(question).await.unwrap();
        assert!(plain(&evidence, "de").is_some() && plain(&evidence, "en").is_some(), "{}", evidence.trace);
    }
    let evidence = quiver.retrieve("Who founded the company Kestrel Systems?").await.unwrap();
    assert_eq!(first(&evidence), "en", "{}", evidence.trace);
}
