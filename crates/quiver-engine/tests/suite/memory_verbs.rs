//! Facts with any verb: their direction, what joins them, what takes their place, and what nobody said.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    Question, Quiver,
    memory::{Fact, RecallOptions, Restated, Turn},
};

/// A memory of a text: each line a turn, a minute apart. "A | REL | B" is a fact that is given.
async fn memory(text: &str) -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    for (number, line) in text.lines().map(str::trim).enumerate() {
        let parts: Vec<&str> = line.split(" | ").collect();
        let facts = match parts.as_slice() {
            [subject, predicate, object] => Some(vec![Fact::new(*subject, *predicate, *object)]),
            _ => None,
        };
        let said = if facts.is_some() { "" } else { line };
        let time = 1_700_000_000_000 + i64::try_from(number).unwrap() * 60_000;
        let turn = Turn { facts, ..Turn::new("s", said) };
        quiver.remember(vec![turn.at(time).numbered(number as u64)]).await.unwrap();
    }
    quiver
}

/// Checks what each question is answered with; `None` if recall has to have no answer.
async fn check(quiver: &Quiver, cases: &[(&str, Option<&str>)]) {
    let mut wrong = Vec::new();
    for (question, expected) in cases {
        let recalled = quiver.recall(*question).await.unwrap();
        let is_silent = expected.is_some() || recalled.no_answer.is_some();
        if recalled.answer.as_deref() != *expected || !is_silent {
            wrong.push(format!("{question}: {:?}, shown {:?}", recalled.answer, recalled.text()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_question_is_answered_from_the_end_that_it_asks_for() {
    let said = memory("Birk fosters Ronja.\nRonja fosters Lovis.").await;
    check(
        &said,
        &[
            ("Who fosters Ronja?", Some("Birk")),
            ("Whom does Ronja foster?", Some("Lovis")),
            ("Who is fostered by Ronja?", Some("Lovis")),
            ("By whom is Ronja fostered?", Some("Birk")),
            ("Who fosters Birk?", None),
            ("Who does Lovis foster?", None),
        ],
    )
    .await;
    let given = memory("Upper Weir | DRAINS_INTO | Mill Pond\nMill Pond | DRAINS_INTO | Lake Orsa").await;
    check(
        &given,
        &[
            ("What drains into the Mill Pond?", Some("Upper Weir")),
            ("What does the Mill Pond drain into?", Some("Lake Orsa")),
            ("Which water drains into Lake Orsa?", Some("Mill Pond")),
        ],
    )
    .await;
}

#[tokio::test]
async fn steps_lead_through_clauses_of_any_verb() {
    let quiver = memory(
        "The concert harp is kept in Room Two.\nThe old cello is kept in Room Six.\nRoom Two is heated by Odile.
         Stig heats Room Six.",
    )
    .await;
    check(
        &quiver,
        &[
            ("Who heats the room where the concert harp is kept?", Some("Odile")),
            ("Who heats the room in which the old cello is kept?", Some("Stig")),
            ("What is kept in the room that Stig heats?", Some("old cello")),
            ("What is kept in the room heated by Odile?", Some("concert harp")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_join_does_not_end_with_another_relation() {
    let quiver = memory(
        "The blue scull is stored in Shed Two.\nShed Two is locked by Petra every evening.
         The blue scull has been repaired by Timo.",
    )
    .await;
    let recalled = quiver.recall("Who locks the shed where the blue scull is stored?").await.unwrap();
    assert_ne!(recalled.answer.as_deref(), Some("Timo"), "{recalled:?}");
    assert!(recalled.text().contains("locked by Petra"), "{}", recalled.text());
}

#[tokio::test]
async fn what_takes_the_place_of_a_value_ends_it_everywhere() {
    for now in [
        "From today on the evening walk is guided by Ronja.",
        "With immediate effect the evening walk is guided by Ronja.",
        "Starting today the evening walk is guided by Ronja.",
        "Since Monday the evening walk is guided by Ronja.",
        "Now the evening walk is guided by Ronja.",
    ] {
        let quiver = memory(&format!("The evening walk is guided by Birk.\n{now}")).await;
        let recalled = quiver.recall("Who guides the evening walk?").await.unwrap();
        assert_eq!(recalled.answer.as_deref(), Some("Ronja"), "{now}: {recalled:?}");
        assert!(!recalled.text().contains("Birk"), "{now}: {}", recalled.text());
        let evidence = quiver.retrieve(Question::new("Who guides the evening walk?")).await.unwrap();
        let shown = evidence.passages.iter().any(|ranked| ranked.passage.text.contains("Birk"));
        assert!(!shown, "{now}");
        assert!(
            !quiver.context("Who guides the evening walk?").await.unwrap().text().contains("Birk"),
            "{now}"
        );
    }
}

#[tokio::test]
async fn a_value_that_changes_on_its_scale_is_that_of_the_attribute() {
    let quiver = memory(
        "Boiler 3 has safety class fair.\nBoiler 3 has been re-rated to good.\nAlarm 7 has hazard low.
         Alarm 7 has been escalated to urgent.",
    )
    .await;
    check(
        &quiver,
        &[
            ("What is the safety class of boiler 3?", Some("good")),
            ("What hazard does alarm 7 have now?", Some("urgent")),
        ],
    )
    .await;
}

#[tokio::test]
async fn somebody_may_work_on_several_things_and_a_thing_has_one_value_if_told_so() {
    let quiver = memory(
        "Warden Stig | WORKS_ON | Long Wall\nWarden Stig | WORKS_ON | Old Gate\nEast Hall | LIT_WITH | gas
         East Hall | LIT_WITH | neon",
    )
    .await;
    let worked = quiver.recall("What does Warden Stig work on?").await.unwrap().text();
    assert!(worked.contains("Long Wall") && worked.contains("Old Gate"), "{worked}");
    let options = RecallOptions { restated: Restated::Replaces, ..RecallOptions::default() };
    let lit = quiver.recall("What is East Hall lit with?").options(options).await.unwrap();
    assert_eq!(lit.answer.as_deref(), Some("neon"), "{lit:?}");
}

#[tokio::test]
async fn what_nobody_said_is_met_with_silence() {
    let quiver = memory(
        "The harbour wall is guarded by Stig.\nWe have two ladders.\nThe bell depends on the spring.
         We burn driftwood.",
    )
    .await;
    check(
        &quiver,
        &[
            ("Who guards the lighthouse?", None),
            ("Who paints the ladders?", None),
            ("What does the winch depend on?", None),
            ("Which insurer do we use?", None),
        ],
    )
    .await;
}

#[tokio::test]
async fn sentences_that_say_more_answer_too() {
    let quiver = memory(
        "Odile tunes the concert harp in the evenings, usually on her own.
         The concert harp was bought from Ferris by Mayor Lund after the flood.
         The key to the boat shed is kept by Halvard Ness in a tin.
         Going forward, the key to the boat shed is kept by Birk.
         We buy our strings from a luthier called Ferris.
         Ronja takes her orders from Captain Lund, who owns the barge.
         The tug Heron is pulling the barge Luna up the river.",
    )
    .await;
    check(
        &quiver,
        &[
            ("Who tunes the concert harp?", Some("Odile")),
            ("Who keeps the key to the boat shed?", Some("Birk")),
            ("From whom do we buy our strings?", Some("Ferris")),
            ("From whom do we buy our ropes?", None),
            ("From whom does Ronja take her orders?", Some("Captain Lund")),
            ("Who owns the barge?", Some("Captain Lund")),
            ("What is the tug Heron pulling?", Some("Luna")),
            ("What is the barge Luna pulling?", None),
            ("Who tunes the small organ?", None),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_said_of_a_thing_answers_no_question_about_something_else() {
    let quiver = memory(
        "Plot 9 was given up by the Kowalskis last month.
         We get our compost from a riding school called Hollow Lane.",
    )
    .await;
    check(
        &quiver,
        &[
            ("Who has plot 9?", None),
            ("Who waters plot 9?", None),
            ("Who gave up plot 9?", Some("Kowalskis")),
            ("Where do we get our compost from?", Some("Hollow Lane")),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_end_may_be_told_in_many_words() {
    let quiver = memory(
        "The tower clock is wound by Birk every Sunday.
         Birk has retired, and he no longer winds the tower clock.
         It is Ronja who winds the tower clock now.
         Stig quit ringing the harbour bell in May.
         The council has moved the spring fair to the Quarry Field.",
    )
    .await;
    check(
        &quiver,
        &[
            ("Who winds the tower clock?", Some("Ronja")),
            ("By whom is the tower clock wound now?", Some("Ronja")),
            ("Who rings the harbour bell?", None),
        ],
    )
    .await;
}

/// The lines that recall shows for a question.
async fn shown(said: &str, question: &str) -> String {
    memory(said).await.recall(question).await.unwrap().text()
}

#[tokio::test]
async fn beside_an_answer_no_turn_says_the_same_of_others() {
    const SAID: &str =
        "Birk hired Ronja, back when the mill was still running.\nRonja hired Lovis last spring.";
    let lines = shown(SAID, "Who hired Ronja?").await;
    assert!(lines.contains("Birk") && !lines.contains("Lovis"), "{lines}");
    let lines = shown(SAID, "Who did Ronja hire?").await;
    assert!(lines.contains("Lovis") && !lines.contains("Birk"), "{lines}");
    assert_eq!(shown(SAID, "Who hired Birk?").await, "");
}

#[tokio::test]
async fn beside_a_change_no_turn_says_the_value_before() {
    for (before, after, question, value, over) in [
        (
            "The lamp at the harbour mouth is white.",
            "The lamp at the harbour mouth has just been changed to green.",
            "What colour is the lamp at the harbour mouth now?",
            "green",
            "white",
        ),
        (
            "The regatta is on Saturday.",
            "The regatta has been moved to Sunday because a storm is coming.",
            "What day is the regatta now?",
            "Sunday",
            "Saturday",
        ),
        (
            "The rye loaf costs 4 francs.",
            "The price of the rye loaf has gone up to 5 francs.",
            "What does the rye loaf cost now?",
            "5 francs",
            "4 francs",
        ),
        (
            "The alarm bells are fitted by Birk and Stig.",
            "Stig has stopped fitting the alarm bells.",
            "Who fits the alarm bells?",
            "Birk",
            "Stig",
        ),
    ] {
        let lines = shown(&format!("{before}\n{after}"), question).await;
        assert!(lines.contains(value) && !lines.contains(over), "{question}: {lines}");
    }
}

#[tokio::test]
async fn a_thing_that_nobody_spoke_of_is_met_with_silence() {
    const SAID: &str = "We get our rope from a chandler in Orsa.\nThe harbour café opens at six on Sundays.";
    for question in ["Where do we get our tar from?", "When does the museum open?"] {
        assert_eq!(shown(SAID, question).await, "", "{question}");
    }
    let lines = shown(SAID, "Where do we get our rope from?").await;
    assert!(lines.contains("Orsa"), "{lines}");
}

#[tokio::test]
async fn who_has_what_changed_hands_is_answered_from_the_last_statement() {
    for (said, question, answer) in [
        (
            "Birk does the baking.\nChange of plan: the baking is done by Ronja from now on.",
            "Who does the baking?",
            "Ronja",
        ),
        (
            "The lock log is kept by Birk.\nBirk no longer keeps the lock log.\nRonja has taken over the lock log.",
            "Who keeps the lock log?",
            "Ronja",
        ),
        (
            "Birk runs the boat shed.\nBirk has handed the boat shed over to Ronja.",
            "Who runs the boat shed?",
            "Ronja",
        ),
        (
            "The loft key is kept by Birk.\nBirk cut the loft key.\nBirk has handed the loft key over to Ronja.",
            "Who keeps the loft key?",
            "Ronja",
        ),
        (
            "The chair of the guild is Birk.\nBirk has stepped down as chair of the guild.\nThe new chair of the guild is Lovis.",
            "Who chairs the guild?",
            "Lovis",
        ),
        (
            "The barge is moored at Quay 3.\nThe barge has been moved to Quay 9.",
            "At which quay is the barge moored?",
            "Quay 9",
        ),
        (
            "Our oats come from Orsa.\nOur salt comes from Mora.\nOur salt comes from Vansbro now.",
            "Where does our salt come from?",
            "Vansbro",
        ),
    ] {
        check(&memory(said).await, &[(question, Some(answer))]).await;
    }
}

#[tokio::test]
async fn a_join_leads_through_places_and_posts_or_not_at_all() {
    let said = memory(
        "Crate 7 is aboard the Halcyon.\nCrate 9 is aboard the Merle.\nOrsa Lines has chartered the Halcyon.\n\
         The Merle has been chartered by Birk.\nLovis understudies Ronja.\nRonja understudies Stig.\n\
         The loom belongs to the weaving hall.\nBirk heads the weaving hall.\nThe carding hall is headed by Stig.\n\
         Ronja's violin teacher is Tove Ek.\nTove Ek lives in Mora.",
    )
    .await;
    check(
        &said,
        &[
            ("Who chartered the ship that crate 7 is aboard?", Some("Orsa Lines")),
            ("Which crate is aboard the ship that Birk chartered?", Some("Crate 9")),
            ("Who is Ronja's understudy?", Some("Lovis")),
            ("Where does Ronja's violin teacher live?", Some("Mora")),
        ],
    )
    .await;
    // What belongs to the hall that another one heads is no answer.
    let recalled = said.recall("What belongs to the hall Stig heads?").await.unwrap();
    assert_eq!(recalled.answer, None);
}
