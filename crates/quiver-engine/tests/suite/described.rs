//! Questions about a thing that they describe and another passage names, over passages without titles.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::Document;

use crate::common::engine;

/// Asks over passages without titles and returns the answer's text.
async fn ask(passages: &[&str], question: &str) -> Option<String> {
    let documents = passages.iter().enumerate().map(|(at, text)| Document::new(format!("note-{at}"), *text));
    engine(documents.collect()).await.ask(question).await.unwrap().text
}

/// Checks that the answer has a value and lacks another.
async fn check(passages: &[&str], question: &str, has: &str, lacks: &str) {
    let text = ask(passages, question).await.unwrap_or_default();
    assert!(text.contains(has) && (lacks.is_empty() || !text.contains(lacks)), "{question} {text:?}");
}

async fn refuse(passages: &[&str], question: &str) {
    assert_eq!(ask(passages, question).await, None, "{question}");
}

const WOOD: [&str; 5] = [
    "Alder is the preferred wood for smoking trout.",
    "Beech is the preferred wood for smoking ham.",
    "Alder requires soaking for an hour.",
    "Beech requires splitting into chips.",
    "Typical defects of alder are bark pockets and blue stain.",
];

#[tokio::test]
async fn a_description_leads_to_the_thing_that_it_fits() {
    check(&WOOD, "What does the preferred wood for smoking trout require?", "soaking", "splitting").await;
    check(&WOOD, "What does the preferred wood for smoking ham require?", "splitting", "soaking").await;
}

#[tokio::test]
async fn what_should_i_look_out_for_asks_what_there_is() {
    let question = "Which defects should I look out for when I use the preferred wood for smoking trout?";
    check(&WOOD, question, "bark pockets", "").await;
}

#[tokio::test]
async fn a_description_may_follow_its_verb_or_come_first() {
    let serves = [
        "Hexa serves as the standard database for the booking system.",
        "Hexa requires nightly vacuuming of its tables.",
        "Orca, which backs the search, has slow restarts as a frequent problem.",
    ];
    check(&serves, "What does the booking system's standard database require?", "vacuuming", "").await;
    let is =
        ["The capital of Orland is Vesk.", "Vesk has a population of 310,000.", "Orland borders the sea."];
    check(&is, "What is the population of the capital of Orland?", "310,000", "").await;
    let uses =
        ["We use Lumen as our default renderer for night scenes.", "Lumen needs at least 12 GB of memory."];
    check(&uses, "How much memory does the default renderer for night scenes need?", "12 GB", "").await;
}

#[tokio::test]
async fn the_thing_is_the_subject_of_a_passive_verb_or_belongs_to_a_noun() {
    let notes = [
        "Crane 4 is the designated lifting gear for the turbine hall.",
        "Crane 4 must be greased after every storm.",
        "The cable of Crane 4 is 60 metres long.",
    ];
    let question = "When must the designated lifting gear for the turbine hall be greased?";
    check(&notes, question, "after every storm", "").await;
}

#[tokio::test]
async fn a_pronoun_goes_on_about_the_thing() {
    let notes = [
        "Quill is the default parser for invoices. It requires a schema file for each sender.",
        "Invoices are kept for ten years.",
    ];
    check(&notes, "What does the default invoice parser require?", "schema file", "").await;
}

#[tokio::test]
async fn a_general_word_describes_a_special_one() {
    let notes = [
        "Fern is the main harvester for the north field.",
        "Fern burns biodiesel and seats one driver.",
        "Moss, the small tractor, burns petrol.",
    ];
    let question = "What fuel does the principal machine for the north field burn?";
    let text = ask(&notes, question).await;
    assert!(text.is_none_or(|text| text.contains("biodiesel")));
    check(&notes, "What fuel does the north field's principal harvester burn?", "biodiesel", "petrol").await;
}

#[tokio::test]
async fn two_things_of_one_description_are_not_told_apart() {
    let notes = [
        "Alder is the preferred wood for smoking trout.",
        "Beech is the preferred wood for smoking trout.",
        "Alder requires soaking for an hour.",
        "Beech requires splitting into chips.",
    ];
    refuse(&notes, "What does the preferred wood for smoking trout require?").await;
}

#[tokio::test]
async fn what_is_not_said_of_the_thing_is_refused() {
    refuse(&WOOD, "What does the preferred wood for smoking trout cost?").await;
    refuse(&WOOD, "Is the preferred wood for smoking trout poisonous?").await;
    let notes = [
        "Ibex is the standard rope for cave rescues.",
        "Unlike Ibex, Grampus needs a dry bag.",
        "The team requires Ibex on every descent.",
    ];
    refuse(&notes, "What does the standard rope for cave rescues require?").await;
    refuse(&notes, "What does the standard rope for cave rescues need?").await;
}

#[tokio::test]
async fn a_description_that_fits_in_part_is_of_something_else() {
    refuse(&WOOD, "What does the preferred wood for smoking cheese require?").await;
    refuse(&WOOD, "What does the preferred wood require?").await;
    let notes = ["Number 7 is the reserve boiler for the laundry.", "Number 7 requires a test each autumn."];
    refuse(&notes, "What does the main boiler for the laundry require?").await;
}

#[tokio::test]
async fn the_sentence_with_the_description_does_not_answer_for_the_thing() {
    let notes = [
        "Form R3 is the standard application for garden plots.",
        "Form R3 must be accompanied by a site plan.",
        "Garden plots are let for ten years.",
    ];
    check(&notes, "What must accompany the standard application for a garden plot?", "site plan", "").await;
    refuse(&notes, "Can the standard application for garden plots be sent by fax?").await;
}

#[tokio::test]
async fn a_description_that_has_ended_does_not_count_today() {
    let notes = [
        "Vela was the official timekeeper of the rally.",
        "Orion is the official timekeeper of the rally.",
        "Vela employs 40 people.",
        "Orion employs 25 people.",
    ];
    check(&notes, "How many people does the official timekeeper of the rally employ?", "25", "40").await;
}

#[tokio::test]
async fn a_longer_name_is_another_thing() {
    let notes = [
        "Bluewing is the default font for road signs.",
        "Bluewing City has 30,000 residents.",
        "Bluewing requires wide spacing.",
    ];
    check(&notes, "What does the default font for road signs require?", "wide spacing", "").await;
    refuse(&notes, "How many residents does the default font for road signs have?").await;
}
