//! What is answered without a language model, and what is not: one case for each class.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{Answer, AnswerForm, Document, Objection};

use crate::common::engine;

/// Asks over pages, each with its title and its text.
async fn ask(pages: &[(&str, &str)], question: &str) -> Answer {
    let pages = pages.iter().map(|(title, text)| Document::new(*title, *text).with_title(*title));
    engine(pages.collect()).await.ask(question).await.unwrap()
}

const FARM: [(&str, &str); 6] = [
    (
        "Barley",
        "Barley is sown in March. The preferred fertiliser for barley is nitrosal, which dissolves slowly.",
    ),
    (
        "Nitrosal",
        "Nitrosal is a grey powder. Because it attacks copper, the spreader is rinsed with vinegar.",
    ),
    (
        "Spreader",
        "The spreader is a machine that throws grain and powder over the field. It is kept in the north barn.",
    ),
    ("Oats", "Oats are sown in April. Their straw is fed to the horses."),
    ("Barn", "The north barn was built in 1931. To open its gate, lift the bar and pull the chain."),
    (
        "Workers",
        "Ilse Thorn drives the tractor. A broken axle is reported to her. Hands who make hay rest at noon.",
    ),
];

/// A sentence that begins with what is asked about and says what it is.
#[tokio::test]
async fn a_definition_is_answered_with_its_sentence() {
    let answer = ask(&FARM, "What is the spreader?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.starts_with("The spreader is a machine"), "{text:?}, {}", answer.trace());
}

#[tokio::test]
async fn a_reason_is_answered_with_its_sentence() {
    let answer = ask(&FARM, "Why is the spreader rinsed with vinegar?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.contains("it attacks copper"), "{text:?}, {}", answer.trace());
}

#[tokio::test]
async fn a_way_is_answered_with_its_sentence() {
    let answer = ask(&FARM, "How do I open the gate of the north barn?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.contains("lift the bar"), "{text:?}, {}", answer.trace());
}

/// What no page says is not answered, though pages say the rest of the question.
#[tokio::test]
async fn what_is_not_said_of_the_thing_is_not_answered() {
    for question in [
        "When were the horses bought?",
        "How much does nitrosal cost?",
        "Who founded the farm?",
        "Why is the tractor rinsed with vinegar in April?",
    ] {
        let answer = ask(&FARM, question).await;
        assert_eq!(answer.text, None, "{question} {}", answer.trace());
    }
}

/// A letter is not replaced in a short word, and what is derived from a word that is said stays.
#[tokio::test]
async fn a_short_word_does_not_become_another() {
    for (question, word) in
        [("Who is the broker of the barley?", "broker"), ("Who is the maker of hay?", "maker")]
    {
        let answer = ask(&FARM, question).await;
        assert!(answer.evidence.question.contains(word), "{}", answer.evidence.question);
    }
}

/// A message has the word as it was written, and what it was read as.
#[tokio::test]
async fn a_corrected_word_is_told_as_it_was_written() {
    let answer = ask(&FARM, "Which copper painting hangs above the fertilizzer?").await;
    let refusal = answer.refusal.as_ref().map(ToString::to_string).unwrap_or_default();
    assert!(!refusal.contains("fertilizer"), "{refusal}");
}

/// A list is not answered with a sentence that only says that there are several.
#[tokio::test]
async fn a_sentence_that_announces_a_list_is_no_answer() {
    let pages = [
        (
            "Watcher",
            "There are different backends used to determine when a file has changed. One asks every second.",
        ),
        ("Builder", "The builder renders chapters as pages."),
    ];
    let answer = ask(&pages, "What backends are there to determine that a file has changed?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
}

/// "Should not be tested" gives no reason to test.
#[tokio::test]
async fn what_is_denied_is_no_answer_to_what_is_asked() {
    let pages = [
        (
            "Examples",
            "This mark is for code examples of a book that should not be tested, because they are slow.",
        ),
        ("Builder", "The builder renders chapters as pages."),
    ];
    let answer = ask(&pages, "Why should code examples of a book be tested?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
}

/// The page that names the thing leads to the answer and is none.
#[tokio::test]
async fn a_sentence_that_leads_to_the_answer_is_not_given_for_it() {
    let pages = [
        ("Barley", "Nitrosal is the preferred fertiliser for barley."),
        ("Nitrosal", "Nitrosal is a grey powder. Nitrosal requires rinsing of the spreader."),
        ("Oats", "Oats are sown in April."),
    ];
    let answer = ask(&pages, "What rinsing does the preferred fertiliser for barley require?").await;
    let text = answer.text.as_deref().unwrap_or("spreader");
    assert!(text.contains("spreader"), "{text:?}, {}", answer.trace());
}

/// What a word means is asked in several ways.
#[tokio::test]
async fn what_is_meant_by_a_word_is_a_definition() {
    for question in ["What is meant by the spreader?", "What does spreader mean?"] {
        let answer = ask(&FARM, question).await;
        let best = answer.best.as_deref().unwrap_or_default();
        assert!(best.starts_with("The spreader is a machine"), "{question} {best:?}, {}", answer.trace());
    }
}

/// A number of something else is not what is counted.
#[tokio::test]
async fn a_number_of_other_things_is_no_count() {
    let page = "The dairy has two cold rooms. The farm sold 6 tractors to the dairy.";
    let cows = "Cows graze by the river.";
    let answer = ask(&[("Dairy", page), ("Cows", cows)], "How many cows does the dairy have?").await;
    assert_eq!(answer.text, None, "{}", answer.trace());
    let against = answer.considered.iter().all(|considered| considered.objection == Some(Objection::Type));
    assert!(against, "{}", answer.trace());
}

/// A sentence that begins with "it" or "this" is quoted with the one that says what that is.
#[tokio::test]
async fn a_sentence_is_quoted_with_what_it_refers_to() {
    let page =
        "The lock file is kept beside the ledger. It records the checksums of all seeds and their origin.";
    let answer = ask(&[("Ledger", page)], "What records the checksums of all seeds?").await;
    let quoted: Vec<&str> =
        answer.citations.iter().chain(&answer.found).map(|citation| citation.sentence.as_str()).collect();
    assert!(
        quoted.iter().any(|quoted| quoted.contains("The lock file is kept")),
        "{quoted:?}, {}",
        answer.trace()
    );
}

/// Where several are asked for and a sentence says that there is one, the sentence is the answer.
#[tokio::test]
async fn the_only_one_answers_a_question_for_several() {
    let pages = [
        ("Hermes", "Project Hermes slipped by a month. Its primary blocker was a licence dispute."),
        ("Apollo", "Project Apollo was done in time. Its budget was met."),
    ];
    let answer = ask(&pages, "What were the primary blockers of Project Hermes?").await;
    let text = answer.text.as_deref().unwrap_or_default();
    assert!(text.contains("a licence dispute"), "{text:?}, {}", answer.trace());
}

const MILL: [(&str, &str); 4] = [
    (
        "Settings of the mill",
        "Setting: speed; Description: How fast the stone turns.; Default: 40 rpm.\n\n\
         Setting: mill.gap; Description: Distance between the stones. Small gaps make fine flour.; Default: 2 mm.\n\n\
         Setting: bell; Description: Rings when the hopper is empty.",
    ),
    (
        "Settings of the dryer",
        "| Setting | Description | Default |\n|---|---|---|\n| speed | How fast the fan turns. | 900 rpm |\n\
         | heat | Temperature of the air. | 60 °C |",
    ),
    (
        "Hopper",
        "# Use\n\nThe hopper feeds the grain to the stones at an even rate. The hopper's lid has two hinges.\n\n# Care\n\n\
         A brush is at hand. The hopper collects dust in every corner of its frame.",
    ),
    (
        "Sluice",
        "The sluice is required in winter. A sluice is a gate that holds back the water of the brook.",
    ),
];

/// A cell is found by its row and its head; of two rows with one name the one under the heading that is asked about.
#[tokio::test]
async fn a_cell_is_answered_alone() {
    for (question, cell) in [
        ("What is the default speed of the mill?", "40 rpm"),
        ("What is the default speed of the dryer?", "900 rpm"),
        ("What is the default of the gap?", "2 mm"),
        ("What is the default value of mill.gap?", "2 mm"),
        ("What does the bell setting do?", "Rings when the hopper is empty"),
    ] {
        let answer = ask(&MILL, question).await;
        assert_eq!(answer.text.as_deref(), Some(cell), "{question} {}", answer.trace());
    }
    // Both tables have a row of that name, and nothing tells which is meant.
    let answer = ask(&MILL, "What is the default speed?").await;
    assert!(answer.considered.iter().all(|one| one.form != AnswerForm::Stated), "{}", answer.trace());
    // The row has no such cell.
    let answer = ask(&MILL, "What is the default of the bell?").await;
    assert!(answer.considered.iter().all(|one| one.form != AnswerForm::Stated), "{}", answer.trace());
}

/// A sentence answers what a thing does or is only if the thing is its subject, and it says no mere quality.
#[tokio::test]
async fn what_a_thing_does_is_answered_with_the_sentence_that_says_it() {
    for (question, sentence) in [
        ("What does the hopper do?", "The hopper feeds the grain to the stones"),
        ("What is the purpose of the hopper?", "The hopper feeds the grain to the stones"),
        ("What does the sluice do?", "A sluice is a gate that holds back the water"),
        ("What is a sluice?", "A sluice is a gate that holds back the water"),
    ] {
        let answer = ask(&MILL, question).await;
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.starts_with(sentence), "{question} {text:?} {}", answer.trace());
    }
    for question in ["What does the lid do?", "What does the brook do?", "What is the brook for?"] {
        let answer = ask(&MILL, question).await;
        assert!(answer.considered.iter().all(|one| one.form != AnswerForm::Stated), "{}", answer.trace());
    }
}
