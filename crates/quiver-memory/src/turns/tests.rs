use quiver_graph::Workspace;
use quiver_store::Payload;

use super::*;
use crate::{calendar::from_civil, when};

/// Creates the turns of one session from lines of the form `Speaker: words`, one day apart.
fn turns(text: &str) -> Vec<Passage> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate();
    lines
        .map(|(at, line)| {
            let (speaker, text) = line.split_once(": ").expect("a line names its speaker");
            let position = at as u64;
            Passage {
                id: PassageId::of_turn(&Workspace::default(), "s", position),
                text: text.to_owned(),
                title: None,
                document: "s".to_owned(),
                position,
                ordinal: 0,
                speaker: Some(speaker.to_owned()),
                session: Some("s".to_owned()),
                time: Some(from_civil(2023, 5, 1 + i64::try_from(at).expect("few turns"))),
                subjects: Vec::new(),
                entities: Vec::new(),
                relations: Vec::new(),
                metadata: Payload::new(),
                extraction_digest: String::new(),
                unsplit: None,
            }
        })
        .collect()
}

fn rank(text: &str, question: &str) -> Ranking {
    rank_turns(turns(text), question)
}

fn rank_turns(turns: Vec<Passage>, question: &str) -> Ranking {
    rank_with_meaning(turns, question, &BTreeMap::new())
}

fn rank_with_meaning(turns: Vec<Passage>, question: &str, meaning: &BTreeMap<PassageId, f32>) -> Ranking {
    let lexical = Lexical::new();
    let texts: Vec<BTreeSet<u32>> = turns
        .iter()
        .map(|turn| lexical.terms(&index_text(turn)).into_iter().map(|term| term.hash).collect())
        .collect();
    let rarity = |term: u32| {
        let with = texts.iter().filter(|text| text.contains(&term)).count() as f32;
        (1.0 + (texts.len() as f32 - with + 0.5) / (with + 0.5)).ln()
    };
    let range = when::range(question, from_civil(2023, 6, 14));
    let query = TurnQuery { text: question, lexical: &lexical, rarity: &rarity, range, meaning };
    query.rank(turns)
}

const HARBOUR: &str = "
    Ada: The new crane arrived at the harbour.
    Bo: What colour did they paint it?
    Ada: Bright orange, you can see it from the bridge.
    Bo: I bought a small boat called Kittiwake.
    Ada: Lovely! I am learning the cello.
    Bo: The ferry to Ellerby stops in winter.";

fn first(text: &str, question: &str) -> String {
    rank(text, question).turns[0].0.text.clone()
}

#[test]
fn a_turn_is_found_by_its_speaker_and_by_its_date() {
    assert_eq!(
        first(HARBOUR, "What is the boat that Bo has called?"),
        "I bought a small boat called Kittiwake."
    );
    assert_eq!(first(HARBOUR, "What was said on 5 May 2023?"), "Lovely! I am learning the cello.");
}

#[test]
fn a_turn_that_search_by_meaning_did_not_return_counts_as_its_last_result() {
    let turns = turns(HARBOUR);
    let question = "Which boat called Kittiwake did Bo buy?";
    let boat = "I bought a small boat called Kittiwake.";
    let nearest = |crane: f32, ferry: f32| {
        let meaning = BTreeMap::from([(turns[0].id, crane), (turns[5].id, ferry)]);
        rank_with_meaning(turns.clone(), question, &meaning).turns[0].0.text.clone()
    };
    assert_eq!(nearest(0.6, 0.55), boat, "the results are hardly nearer than any other turn");
    let found = rank_with_meaning(turns.clone(), question, &BTreeMap::from([(turns[3].id, 0.6)]));
    assert_eq!(found.turns[0].0.text, boat);
}

#[test]
fn the_question_before_a_turn_counts_by_meaning() {
    let turns = turns(HARBOUR);
    let lead = |asked: f32| {
        let similar = [(0, 0.1), (1, asked), (2, 0.5), (4, 0.5)].map(|(at, score)| (turns[at].id, score));
        let ranked = rank_with_meaning(turns.clone(), "Which hue?", &BTreeMap::from(similar)).turns;
        assert_eq!(ranked[0].0.text, "Bright orange, you can see it from the bridge.");
        ranked[0].1 - ranked[1].1
    };
    assert!(lead(0.4) > lead(0.2));
}

#[test]
fn a_turn_by_somebody_else_counts_less_by_meaning() {
    let turns = turns(
        "Bo: Ada has the brush.
        Cy: Seven boxes of nails came.
        Bo: The gate is shut.
        Cy: Rain again.
        Ada: My brush, obviously.",
    );
    let best = |question: &str, own: f32| {
        let similar = BTreeMap::from([(turns[0].id, 0.6), (turns[1].id, 0.1), (turns[4].id, own)]);
        rank_with_meaning(turns.clone(), question, &similar).turns[0].0.speaker.clone().unwrap_or_default()
    };
    assert_eq!(best("Which brush has Ada?", 0.55), "Ada");
    assert_eq!(best("Which brush has Ada?", 0.3), "Bo");
    assert_eq!(best("Which brush?", 0.55), "Bo");
}

#[test]
fn names_of_speakers_are_left_out_of_a_question() {
    let turns = turns(HARBOUR);
    let without = |question| without_speakers(question, &turns, &Lexical::new());
    assert_eq!(without("What did Bo buy?").as_deref(), Some("What did buy?"));
    assert_eq!(without("Which of ADA's cellos has Bo seen?").as_deref(), Some("Which of cellos has seen?"));
    assert_eq!(without("What did Cy buy?"), None, "nobody of that name speaks");
    assert_eq!(without("Who is Ada?"), None, "nothing else is left");
    assert_eq!(without(""), None);
}

#[test]
fn an_answer_is_found_by_the_words_of_the_question_before_it() {
    let ranking = rank(HARBOUR, "What colour did they paint the crane?");
    let best: Vec<&str> = ranking.turns.iter().take(3).map(|(turn, _)| turn.text.as_str()).collect();
    assert!(best.contains(&"Bright orange, you can see it from the bridge."), "{best:?}");
    assert_eq!(ranking.none, None);
}

#[test]
fn what_somebody_else_said_is_no_answer() {
    assert_eq!(rank(HARBOUR, "What boat did Bo buy?").none, None);
    assert_eq!(
        rank(HARBOUR, "What boat did Ada buy?").none,
        Some(NoTurn::OfOthers { person: "Ada".to_owned() })
    );
}

#[test]
fn somebody_after_a_preposition_is_not_whom_the_question_is_about() {
    let other = Some(NoTurn::OfOthers { person: "Ada".to_owned() });
    assert_eq!(rank(HARBOUR, "What boat did Ada buy?").none, other);
    assert_eq!(rank(HARBOUR, "Who bought a boat before Ada?").none, None);
}

#[test]
fn what_somebody_is_asked_to_do_is_the_deed() {
    assert_eq!(deed("Who was asked to write the letter?", "ask"), "write");
    assert_eq!(deed("Who asked for the letter?", "ask"), "ask");
    let text = "Ada: The letter goes to the harbour board, and Cy writes it.";
    assert_eq!(rank(text, "Who was meant to write the letter?").none, None);
    let missing = vec!["sign".to_owned()];
    assert_eq!(rank(text, "Who was meant to sign the letter?").none, Some(NoTurn::NotCovered { missing }));
}

#[test]
fn a_name_that_nobody_said_is_no_answer() {
    let none = rank(HARBOUR, "What does the Tern ferry carry?").none;
    assert_eq!(none, Some(NoTurn::NotCovered { missing: vec!["Tern".to_owned()] }));
    assert!(rank(HARBOUR, "How many wind turbines were repaired abroad?").none.is_some());
    assert!(rank("", "What boat did Bo buy?").none.is_some());
}

#[test]
fn whoever_is_only_called_by_name_is_not_spoken_of() {
    assert!(speaks_of("I saw that Ada bought a boat.", "Ada"));
    assert!(speaks_of("We heard Ada's plan yesterday.", "Ada"));
    assert!(speaks_of("Ada bought a boat.", "Ada"));
    assert!(speaks_of("Yesterday I met Ada.", "Ada"));
    for called in
        ["Ada, I bought a boat.", "I bought a boat, Ada!", "Hey Ada! I bought a boat.", "Thanks Ada"]
    {
        assert!(!speaks_of(called, "Ada"), "{called}");
    }
}

#[test]
fn a_month_that_is_asked_about_does_not_hide_what_was_said_before_it() {
    let said = "
        Ada: The berth costs 1,150 a month.
        Bo: Fine.
        Ada: I painted the cabin.
        Ada: The cello lessons began.
        Ada: We sailed to Ellerby.
        Ada: The crane is orange.";
    let mut turns = turns(said);
    for turn in &mut turns[..2] {
        turn.time = Some(from_civil(2023, 3, 2));
    }
    let ranked = rank_turns(turns, "How much was the berth in May 2023?");
    let first: Vec<&str> = ranked.turns.iter().take(2).map(|(turn, _)| &*turn.text).collect();
    assert!(first.contains(&"The berth costs 1,150 a month."), "{first:?}");
}

#[test]
fn an_irregular_verb_is_found_by_each_of_its_forms() {
    let text = "
        Ada: The ferry to Ellerby stops in winter.
        Bo: We chose orange for the crane.
        Ada: You can see the colour from the bridge.";
    assert_eq!(first(text, "What did they choose?"), "We chose orange for the crane.");
    assert_eq!(search_text("What did they choose?", &Lexical::new()), "What did they choose? chose chosen");
}

#[test]
fn a_turn_that_asks_comes_after_one_that_says_as_much() {
    let text = "
        Ada: Did anybody see the ferry to Ellerby?
        Bo: The cello is at home.
        Ada: I am tired.
        Bo: Yesterday I saw the ferry to Ellerby.";
    assert_eq!(first(text, "Who saw the ferry to Ellerby?"), "Yesterday I saw the ferry to Ellerby.");
}
