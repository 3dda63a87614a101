//! The memory, from turns to recalled facts: what holds, what held, what is asked back, what is forgotten.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    AskOptions, ErrorKind, Question, Quiver,
    memory::{
        Archive, Cardinality, Fact, FactsOptions, Forget, GraphExportOptions, GraphFormat, NoAnswer,
        RecallOptions, Turn, calendar, count_tokens,
    },
};

/// A memory of a text: lines of `speaker: words | subject | predicate | object`, one a turn, a minute apart; without a
/// fact, the words alone are remembered and facts are read from them.
async fn memory(text: &str) -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    for (number, line) in text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let mut parts = line.split(" | ");
        let (speaker, words) = parts.next().unwrap().split_once(": ").unwrap();
        let mut turn = Turn::new("s", words).by(speaker).at(minute(number)).numbered(number as u64);
        let parts: Vec<&str> = parts.collect();
        if let [subject, predicate, object, rest @ ..] = parts.as_slice() {
            let fact = Fact::new(*subject, *predicate, *object);
            turn = turn.stating(if rest.is_empty() { fact } else { fact.denied() });
        }
        quiver.remember(vec![turn]).await.unwrap();
    }
    quiver
}

fn minute(number: usize) -> i64 {
    i64::try_from(number + 1).unwrap() * 60_000
}

async fn answer(quiver: &Quiver, question: &str) -> String {
    quiver.recall(question).await.unwrap().text()
}

/// What somebody says of their brother is no answer to a question about them.
#[tokio::test]
async fn a_fact_about_a_relative_is_not_about_the_speaker() {
    let quiver =
        memory("Mo: My brother Tom lives in Lisbon. He has a dog called Rex.\nIda: I live in Bergen.").await;
    let answers = async |question: &str| quiver.recall(question).await.unwrap().answer;
    assert_eq!(answers("Where does Mo live?").await, None);
    assert_eq!(answers("Where does Tom live?").await.as_deref(), Some("Lisbon"));
    assert_eq!(answers("Where does Mo's brother live?").await.as_deref(), Some("Lisbon"));
    assert_eq!(answers("Where does Ida live?").await.as_deref(), Some("Bergen"));
}

/// Whose sister somebody is does not say who she is, but answers who the sister is.
#[tokio::test]
async fn a_relative_is_told_by_the_relation_alone() {
    let quiver = memory("Mo: Ida's sister Britt is coming to stay.").await;
    let answers = async |question: &str| quiver.recall(question).await.unwrap().answer;
    assert_eq!(answers("Who is Britt?").await, None);
    assert_eq!(answers("Who is Ida's sister?").await.as_deref(), Some("Britt"));
}

/// What the memory's facts say is what a question asked of all passages is answered with, cited by its turn.
#[tokio::test]
async fn facts_answer_what_is_asked_of_the_passages() {
    let quiver = memory(
        "Ada: Loom depends on Vat. | Loom | depends on | Vat
         Bo: Vat is Wilma's. | Vat | is owned by | Wilma
         Ada: Loom now depends on Kettle. | Loom | now depends on | Kettle
         Cy: Kettle is Otto's. | Kettle | is owned by | Otto",
    )
    .await;
    let answer = quiver.ask("Who owns what Loom depends on?").await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("Otto"));
    assert!(answer.citations.iter().any(|citation| citation.sentence.contains("Kettle is Otto's")));
    let own = quiver.ask("What does Kettle own?").await.unwrap();
    assert_eq!(own.text, None);
    // No answer is based on a turn that is left out.
    let without = answer.citations.iter().map(|citation| citation.passage).collect();
    let options = AskOptions { without, ..AskOptions::default() };
    let question = Question::new("Who owns what Loom depends on?").with_options(options);
    assert_ne!(quiver.ask(question).await.unwrap().text.as_deref(), Some("Otto"));
}

#[tokio::test]
async fn facts_are_joined_both_ways_without_being_told() {
    let quiver = memory(
        "Ada: Importer sits on Kestrel. | importer | runs on | Kestrel
         Bo: Kestrel is Wilma's. | Kestrel | is administered by | Wilma
         Cy: Wilma is in Tartu now. | Wilma | works from | Tartu
         Ada: Exporter sits on Merlin. | exporter | runs on | Merlin
         Bo: Merlin is Otto's. | Merlin | is administered by | Otto",
    )
    .await;
    let recalled = quiver
        .recall("From which town works the person who administers the host the importer runs on?")
        .await
        .unwrap();
    assert_eq!(recalled.answer.as_deref(), Some("Tartu"), "{recalled:#?}");
    assert_eq!(recalled.path, ["importer", "Kestrel", "Wilma", "Tartu"]);
    assert_eq!(recalled.facts.len(), 3);
    assert_eq!(
        quiver.recall("What runs on the host that Otto administers?").await.unwrap().answer.as_deref(),
        Some("exporter")
    );
}

#[tokio::test]
async fn supplied_facts_answer_only_what_they_say() {
    let quiver = memory(
        "Ada: The saw was lent to Bo. | saw | was lent to | Bo
         Ada: The silver tray was made by Ilse, and a cup too, who knows by whom. | silver tray | was made by | Ilse
         Bo: Cy turns the pages for Dora. | Cy | turns pages for | Dora
         Bo: The loft key hangs in the hall. | loft key | hangs in | hall
         Cy: Dora's mentor is Emil. | Dora | mentor | Emil
         Cy: The green Rover belongs to Finn. | green Rover | belongs to | Finn
         Dora: The freezer's temperature is -18. | freezer | temperature | -18
         Dora: Finn works at the mill. | Finn | works at | mill",
    )
    .await;
    for (question, answer) in [
        ("Who was the saw lent to?", Some("Bo")),
        ("What did Bo lend to us?", None),
        ("Who made the silver tray?", Some("Ilse")),
        ("Who made the silver cup?", None),
        ("Who turns pages for Dora?", Some("Cy")),
        ("Who turns pages for Cy?", None),
        ("Where does the loft key hang?", Some("hall")),
        ("Where's the spare loft key?", None),
        ("Who is Dora's mentor?", Some("Emil")),
        ("Who is Emil's mentor?", None),
        ("Who does the green Rover belong to?", Some("Finn")),
        ("Who does the black Rover belong to?", None),
        ("What temperature does the freezer run at?", Some("-18")),
        ("When was the freezer cleaned?", None),
        ("Where does the owner of the green Rover work?", Some("mill")),
    ] {
        assert_eq!(quiver.recall(question).await.unwrap().answer.as_deref(), answer, "{question}");
    }
}

#[tokio::test]
async fn given_facts_join_by_what_their_sentences_name() {
    let quiver = memory(
        "Ada: Log_C has 1200 soundings from Buoy_9. | Log_C | contains | 1200 soundings
         Bo: Buoy_9 was moored by Farid. | Buoy_9 | moored_by | Farid
         Cy: What stops the winch is a worn drum brake. | stopping of the winch | caused_by | worn drum brake
         Cy: A drum brake is order number DB-4. | drum brake | order_number | DB-4",
    )
    .await;
    assert!(answer(&quiver, "Who moored the buoy that Log_C comes from?").await.contains("Farid"));
    let brake = answer(&quiver, "What is the order number of the part that stops the winch?").await;
    assert!(brake.contains("DB-4"), "{brake}");
}

#[tokio::test]
async fn a_new_value_closes_the_old_one_and_history_is_kept() {
    let quiver = memory(
        "Ada: The badge is green. | badge | status | green
         Bo: The badge is amber. | badge | status | amber
         Ada: Dunes has Kai on call. | Dunes | has contact | Kai
         Bo: Dunes has Lou on call too. | Dunes | has contact | Lou
         Ada: From now on Dunes has Mia instead. | Dunes | has contact | Mia",
    )
    .await;
    assert_eq!(answer(&quiver, "What is the status of the badge?").await, "badge status amber");
    assert_eq!(answer(&quiver, "Which contact does Dunes have?").await, "Dunes contact Mia");
    for (as_of, value) in [(minute(0), "badge status green"), (minute(4), "badge status amber")] {
        let options = RecallOptions { as_of: Some(as_of), ..RecallOptions::default() };
        assert_eq!(
            quiver.recall("What is the status of the badge?").options(options).await.unwrap().text(),
            value
        );
    }
    let options = RecallOptions { as_of: Some(minute(3)), ..RecallOptions::default() };
    let both = quiver.recall("Which contact does Dunes have?").options(options).await.unwrap();
    assert_eq!(both.text(), "Dunes contact Lou, Kai");
    let history = FactsOptions { history: true, ..FactsOptions::default() };
    let facts = quiver.facts("badge").options(history).await.unwrap();
    assert_eq!(facts.iter().map(|fact| fact.holds).collect::<Vec<_>>(), [false, true]);
}

#[tokio::test]
async fn what_was_known_is_apart_from_what_was_true() {
    let quiver = Quiver::in_memory().await.unwrap();
    let late = Fact { valid_from: Some(1_000), ..Fact::new("ferry", "is based at", "Odda") };
    let turns = vec![
        Turn::new("s", "The ferry lies at Voss.").at(500).numbered(1).stating(Fact::new(
            "ferry",
            "is based at",
            "Voss",
        )),
        Turn::new("s", "Since second one it was at Odda.").at(9_000).numbered(2).stating(late),
    ];
    quiver.remember(turns).await.unwrap();
    let ask = async |as_of, known_at| {
        let options = RecallOptions { as_of, known_at, ..RecallOptions::default() };
        quiver.recall("Where is the ferry based?").options(options).await.unwrap().answer.unwrap()
    };
    assert_eq!(ask(None, None).await, "Odda");
    assert_eq!(ask(Some(2_000), None).await, "Odda", "true then, though told later");
    assert_eq!(ask(Some(2_000), Some(2_000)).await, "Voss", "not known then");
    assert_eq!(ask(Some(700), None).await, "Voss");
}

#[tokio::test]
async fn decisions_are_recorded_and_undone() {
    let quiver = memory(
        "Ada: Team Rook looks after search. | Team Rook | looks after | search
         Bo: Team Rook looks after billing now. | Team Rook | looks after | billing",
    )
    .await;
    let question = "What does Team Rook look after?";
    assert_eq!(answer(&quiver, question).await, "Team Rook looks after billing");
    let facts = quiver.facts("Team Rook").await.unwrap();
    assert_eq!(facts[0].decision.as_deref(), Some("replaces earlier values, by “now”"));
    let before = dump(&quiver).await;
    assert!(!facts[0].is_undone);
    quiver.undo(facts[0].id).await.unwrap();
    assert_eq!(answer(&quiver, question).await, "Team Rook looks after billing, search");
    let undone = quiver.facts("Team Rook").await.unwrap();
    let undone: Vec<_> = undone.iter().map(|fact| (fact.object.as_str(), fact.is_undone)).collect();
    assert!(undone.contains(&("billing", true)) && undone.contains(&("search", false)), "{undone:?}");
    quiver.redo(facts[0].id).await.unwrap();
    assert_eq!(answer(&quiver, question).await, "Team Rook looks after billing");
    assert_eq!(dump(&quiver).await, before, "undone and done again, all is as it was");
    quiver.declare("looks after", Some(Cardinality::Many)).await.unwrap();
    assert_eq!(answer(&quiver, question).await, "Team Rook looks after billing, search");
    quiver.declare("looks after", None).await.unwrap();
    assert_eq!(answer(&quiver, question).await, "Team Rook looks after billing");
    let absent = "00000000-0000-0000-0000-000000000001".parse().unwrap();
    assert_eq!(quiver.undo(absent).await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn names_are_one_however_they_are_written() {
    let quiver = memory(
        "Ada: AuthModule went to Ines. | AuthModule | is maintained by | Ines
         Bo: Ticket_4471 is about the gate. | Ticket_4471 | concerns | gate sensor
         Ada: It crashed on node heron-4. | crash | happened on | node heron-4
         Bo: heron-4 stands in rack 9. | heron-4 | stands in | rack 9",
    )
    .await;
    for (question, value) in [
        ("Who maintains the authentication module?", "Ines"),
        ("What does ticket 4471 concern?", "gate sensor"),
        ("In which rack is the node on which the crash happened?", "rack 9"),
    ] {
        assert_eq!(quiver.recall(question).await.unwrap().answer.as_deref(), Some(value), "{question}");
    }
}

#[tokio::test]
async fn two_names_are_merged_and_parted_again() {
    let quiver = memory(
        "Ada: Bluefin is hosted in Lund. | Bluefin | is hosted in | Lund
         Bo: The data lake has 40 terabytes. | data lake | has volume | 40 terabytes",
    )
    .await;
    let question = "In which town is the data lake hosted?";
    let before = quiver.recall(question).await.unwrap();
    let decision = quiver.merge("Bluefin", "data lake", "Ada said so at lunch").await.unwrap();
    assert_eq!(quiver.recall(question).await.unwrap().answer.as_deref(), Some("Lund"));
    assert_eq!(quiver.facts("data lake").await.unwrap().len(), 3);
    quiver.undo(decision).await.unwrap();
    assert_eq!(quiver.recall(question).await.unwrap().text(), before.text());
}

#[tokio::test]
async fn a_decision_about_what_is_forgotten_is_forgotten_too() {
    let text = "Ada: Ok. | Bluefin | is hosted in | Lund";
    for what in [Forget::Session("s".to_owned()), Forget::About("data lake".to_owned())] {
        let quiver = memory(text).await;
        quiver.merge("Bluefin", "data lake", "Ada said so at lunch").await.unwrap();
        quiver.forget(&what).await.unwrap();
        assert_eq!(dump(&quiver).await.lines().count(), 1, "{what:?}");
        assert_eq!(quiver.forget(&what).await.unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(quiver.verify().await.unwrap(), []);
    }
    // Another name that a decision alone gives it stays as long as the thing is spoken of.
    let quiver = memory(&format!("{text}\nBo: Ok. | Bluefin | has | fish")).await;
    quiver.merge("Bluefin", "data lake", "Ada said so at lunch").await.unwrap();
    quiver.forget(&Forget::Turn("s".to_owned(), 1)).await.unwrap();
    assert_eq!(answer(&quiver, "Where is the data lake hosted?").await, "Bluefin hosted in Lund");
    quiver.forget(&Forget::Turn("s".to_owned(), 0)).await.unwrap();
    assert_eq!(dump(&quiver).await.lines().count(), 1);
}

#[tokio::test]
async fn what_is_said_of_either_is_said_of_both_until_that_is_undone() {
    let quiver = memory(
        "Ada: Ok. | Platform | maintains | billing
         Ada: Ok. | Platform team | maintains | alerts
         Ada: Ok. | Platform | status | red
         Bo: Ok. | Platform team | status | green",
    )
    .await;
    let (owns, is) = ("What does the Platform team maintain?", "What is the status of Platform?");
    let before = [answer(&quiver, owns).await, answer(&quiver, is).await];
    assert_eq!(before, ["Platform team maintains alerts", "Platform status red"]);
    let decision = quiver.merge("Platform", "Platform team", "said Ada").await.unwrap();
    let owned = answer(&quiver, owns).await;
    assert!(owned.contains("alerts") && owned.contains("billing"), "{owned}");
    assert_eq!(answer(&quiver, is).await, "Platform team status green", "one thing has one status");
    let facts = quiver.facts("Platform").await.unwrap();
    let statuses: Vec<&str> =
        facts.iter().filter(|fact| fact.predicate == "status").map(|fact| fact.object.as_str()).collect();
    assert_eq!(statuses, ["green"]);
    quiver.undo(decision).await.unwrap();
    assert_eq!([answer(&quiver, owns).await, answer(&quiver, is).await], before);
    assert_eq!(quiver.facts("Platform").await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_name_that_fits_two_is_asked_back() {
    let quiver = memory(
        "Ada: Jon Aas works in sales. | Jon Aas | works in | sales
         Bo: Jon Bye works in legal. | Jon Bye | works in | legal",
    )
    .await;
    let recalled = quiver.recall("Where does Jon work?").await.unwrap();
    assert_eq!(recalled.answer, None);
    assert_eq!(recalled.ambiguity.unwrap().to_string(), "Which Jon: Jon Aas or Jon Bye?");
    let recalled = quiver.recall("Where does Jon Bye work?").await.unwrap();
    assert_eq!((recalled.answer.as_deref(), recalled.ambiguity), (Some("legal"), None));
}

#[tokio::test]
async fn what_was_not_said_is_not_answered() {
    let quiver = memory("Ada: The kiln is hot. | kiln | has temperature | 900 degrees").await;
    for question in ["Who won the regatta in Cowes?", "Which airline flies to Oslo?"] {
        let recalled = quiver.recall(question).await.unwrap();
        assert!(recalled.answer.is_none() && recalled.no_answer.is_some(), "{recalled:#?}");
        assert_eq!(recalled.tokens, 0);
    }
    let empty = Quiver::in_memory().await.unwrap();
    assert_eq!(empty.recall("Who?").await.unwrap().no_answer, Some(NoAnswer::NothingKnown));
    assert_eq!(empty.recall(" ").await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(empty.remember(vec![Turn::new("s", " ")]).await.unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn a_turn_with_the_number_of_another_one_is_refused() {
    let quiver = Quiver::in_memory().await.unwrap();
    let turn = |text: &str| Turn::new("k", text).by("Ada").at(minute(1)).numbered(1);
    quiver.remember([turn("Mo runs Redis.")]).await.unwrap();
    let before = dump(&quiver).await;
    // The same again, with its time and without.
    quiver.remember([turn("Mo runs Redis."), Turn { time: None, ..turn("Mo runs Redis.") }]).await.unwrap();
    let others = [
        (turn("Bo runs Redis."), "text"),
        (turn("Mo runs Redis.").by("Kaj"), "speaker"),
        (turn("Mo runs Redis.").at(minute(2)), "time"),
    ];
    for (other, what) in others {
        let beside = Turn::new("k", "The crane is red.").at(minute(3)).numbered(2);
        let error = quiver.remember([beside, other]).await.unwrap_err();
        let said = format!("session \"k\" already has a turn 1 with another {what} (“Mo runs Redis.”)");
        assert!(error.kind() == ErrorKind::Invalid && error.to_string().contains(&said), "{error}");
    }
    let twice = [turn("One.").numbered(5), turn("Two.").numbered(5)];
    assert!(quiver.remember(twice).await.unwrap_err().to_string().contains("a turn 5 with another text"));
    assert!(dump(&quiver).await == before, "nothing is stored of what is refused");
    quiver.forget(&Forget::Turn("k".to_owned(), 1)).await.unwrap();
    quiver.remember([turn("Bo runs Redis.")]).await.unwrap();
}

#[tokio::test]
async fn facts_are_read_from_the_text_and_chatter_is_left_out() {
    let quiver = Quiver::in_memory().await.unwrap();
    let read = async |number: u64, text: &str| {
        let turn =
            Turn::new("s", text).by("Ada").at(minute(usize::try_from(number).unwrap())).numbered(number);
        let remembered = quiver.remember(vec![turn]).await.unwrap().remove(0);
        let facts = remembered.facts.into_iter().map(|(_, fact)| {
            let denied = if fact.denied { "not " } else { "" };
            format!("{denied}{} | {} | {}", fact.subject, fact.predicate, fact.object)
        });
        facts.collect::<Vec<_>>()
    };
    assert_eq!(read(1, "Sounds good!").await, [""; 0]);
    assert_eq!(read(2, "Could we use Kafka for that?").await, [""; 0]);
    assert_eq!(read(3, "Maybe we should move to Oslo.").await, [""; 0]);
    assert_eq!(read(4, "Lina maintains the parser.").await, ["Lina | maintains | parser"]);
    assert_eq!(read(5, "It runs on Kestrel.").await, [""; 0]);
    assert_eq!(
        read(6, "The gateway is no longer hosted in Riga.").await,
        ["not gateway | is hosted in | Riga"]
    );
    assert_eq!(read(7, "Project Finch is written in Rust.").await, ["Project Finch | is written in | Rust"]);
    assert_eq!(read(8, "I lead Project Finch.").await, ["Ada | leads | Project Finch"]);
}

#[tokio::test]
async fn what_people_say_of_themselves_answers_questions() {
    let quiver = memory(
        "Ada: Hi Bo! I moved to Lisbon in May, and my sister Ines lives in Porto.
         Bo: Wow! I work at the Harbour Museum, and I'm allergic to peanuts.
         Ada: Our dog is called Biscuit. I joined a climbing club last week, it's fun.
         Bo: I started playing the cello two years ago.",
    )
    .await;
    for (question, expect) in [
        ("Where does Ines live?", "Porto"),
        ("Where does Bo work?", "Harbour Museum"),
        ("What is Bo allergic to?", "peanuts"),
        ("What is the name of Ada's dog?", "Biscuit"),
        ("Where did Ada move to?", "Lisbon"),
    ] {
        let recalled = quiver.recall(question).await.unwrap();
        assert_eq!(recalled.answer.as_deref(), Some(expect), "{question}: {:?}", recalled.lines);
    }
    let joined = quiver.recall("What did Ada join?").await.unwrap();
    assert_eq!(joined.facts.first().map(|fact| fact.object.as_str()), Some("climbing club"));
}

#[tokio::test]
async fn a_fact_beside_the_question_gives_way_to_the_turn_that_answers() {
    let quiver = memory(
        "Ada: I started volunteering at a dog shelter.
         Ada: I donated my old car to a homeless shelter.
         Ada: Yesterday my aunt passed away.
         Bo: How long have you been at the homeless shelter?
         Ada: It was about a year ago that I began volunteering at the homeless shelter, after a cold winter.",
    )
    .await;
    let recalled = quiver.recall("When did Ada begin volunteering at the homeless shelter?").await.unwrap();
    assert!(recalled.lines[0].contains("about a year ago"), "{:?}", recalled.lines);
    let silent = quiver.recall("Which telescope did Ada inherit?").await.unwrap();
    assert_eq!(silent.facts.len(), 0, "{:?}", silent.lines);
}

/// No rule reads that a deadline is extended, so the fact read before is not shown as if it held.
#[tokio::test]
async fn a_date_that_a_later_turn_contests_is_not_the_answer() {
    let quiver = memory("").await;
    let turns = [
        "The grant report is due on 15 February.",
        "The agency has extended the deadline of the grant report to 1 March.",
    ];
    let question = "When is the grant report due?";
    let turn = |number: usize| Turn::new("plans", turns[number]).numbered(number as u64).at(minute(number));
    quiver.remember([turn(0)]).await.unwrap();
    let recalled = quiver.recall(question).await.unwrap();
    assert_eq!(recalled.answer.as_deref(), Some("15 February"));
    quiver.remember([turn(1)]).await.unwrap();
    let recalled = quiver.recall(question).await.unwrap();
    assert_eq!(recalled.answer, None);
    let text = recalled.text();
    assert!(text.contains("15 February") && text.contains("1 March"), "{text}");
}

/// The turns of a text, each with its speaker and a day apart, without numbers, as an import may give them.
async fn diary(text: &str) -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    for (day, line) in text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let (speaker, words) = line.split_once(": ").unwrap();
        let time = calendar::from_civil(2024, 5, 1) + i64::try_from(day).unwrap() * calendar::DAY;
        quiver.remember([Turn::new("s", words).by(speaker).at(time)]).await.unwrap();
    }
    quiver
}

/// Checks the answers to questions; `None` if there must be none.
async fn check_answers(quiver: &Quiver, cases: &[(&str, Option<&str>)]) {
    let mut wrong = Vec::new();
    for (question, expect) in cases {
        let recalled = quiver.recall(*question).await.unwrap();
        if recalled.answer.as_deref() != *expect {
            wrong.push(format!("{question} {:?}, not {expect:?}; {:?}", recalled.answer, recalled.lines));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn an_article_makes_no_other_thing() {
    let quiver = diary(
        "Bo: The deadline of the harbour survey is 15 June 2024.
         Bo: The deadline of the harbour survey was moved to 1 August 2024.",
    )
    .await;
    check_answers(&quiver, &[("When is the deadline of the harbour survey?", Some("1 August 2024"))]).await;
    let facts = quiver.facts("harbour survey").await.unwrap();
    let facts: Vec<String> =
        facts.iter().map(|one| format!("{} | {} | {}", one.subject, one.predicate, one.object)).collect();
    assert_eq!(facts, ["harbour survey | has deadline | 1 August 2024"]);
    // A caller may write the article.
    let given = memory(
        "Ada: It lies at Voss. | the old ferry | lies at | Voss
         Bo: It is green. | old ferry | has colour | green",
    )
    .await;
    let names = |facts: Vec<quiver::memory::RecalledFact>| {
        facts.into_iter().map(|one| one.object).collect::<Vec<String>>()
    };
    assert_eq!(names(given.facts("old ferry").await.unwrap()), ["Voss", "green"]);
    check_answers(&given, &[("Where does the old ferry lie?", Some("Voss"))]).await;
}

#[tokio::test]
async fn who_takes_over_ends_who_had_it() {
    let quiver = diary(
        "Bo: The seed library is run by Ola.
         Bo: The tide gauge is run by Ken.
         Bo: The reading room is managed by Lou.
         Bo: The map desk is run by Pia.
         Bo: The slipway is run by Edda.
         Bo: Ola is away from June, Per takes over the seed library.
         Bo: Rosa took over the tide gauge from Ken.
         Bo: Lou is stepping down at last.
         Bo: Who knows who runs the map desk?
         Bo: The slipway has moved its opening hours.
         Bo: If Edda retired, Ken would take over the slipway.
         Bo: The tool library is managed by Nils.
         Bo: Nils hands the keys of the tool library to Mette on Friday.",
    )
    .await;
    check_answers(
        &quiver,
        &[
            ("Who runs the seed library?", None),
            ("Who runs the tide gauge?", Some("Rosa")),
            ("Who manages the reading room?", None),
            ("Who runs the map desk?", Some("Pia")),
            ("Who runs the slipway?", Some("Edda")),
            ("Who manages the tool library?", None),
        ],
    )
    .await;
    let text = answer(&quiver, "Who runs the seed library?").await;
    assert!(text.contains("Per takes over"), "{text}");
}

#[tokio::test]
async fn a_relative_is_named_only_by_a_name() {
    let quiver = diary(
        "Ada: My aunt is divorced.
         Ada: My neighbour is called Ivo.
         Ada: My cousin Milo DJs at a roller rink.
         Ada: Tomas is my boss.
         Ada: I work as a welder.
         Ada: I quit smoking two years ago.",
    )
    .await;
    check_answers(
        &quiver,
        &[
            ("What is Ada's aunt called?", None),
            ("What is the name of Ada's aunt?", None),
            ("What is Ada's aunt's name?", None),
            ("What is Ada's cousin called?", Some("Milo")),
            ("Who is Ada's boss?", Some("Tomas")),
            ("What is Ada's job?", Some("welder")),
            ("What is Ada's hobby?", None),
        ],
    )
    .await;
}

#[tokio::test]
async fn who_is_somebody_and_where_is_a_place() {
    let quiver = diary(
        "Bo: The invoice printer is owned by Team Heron.
         Bo: Team Heron is made up of Kim, Lee and Max.
         Bo: The old mill is closed.
         Bo: The boat shed is run by the harbour office.
         Bo: The budget of the summer fair is 900 euros.",
    )
    .await;
    check_answers(
        &quiver,
        &[
            ("Who is in Team Heron?", None),
            ("Who is on Team Heron?", None),
            ("Who owns the invoice printer?", Some("Team Heron")),
            ("Where is the old mill?", None),
            ("Who runs the boat shed?", Some("harbour office")),
            ("When is the summer fair?", None),
            ("What is the budget of the summer fair?", Some("900 euros")),
        ],
    )
    .await;
}

#[tokio::test]
async fn who_moved_lives_where_they_moved_and_who_quit_no_longer_works_there() {
    let quiver = diary(
        "Ada: My brother Tom lives in Leeds.
         Ada: I work at the Harbour Museum.
         Ada: Ines works at Hartwell Labs.
         Ada: Tom moved to York last week.
         Ada: I quit my job at the Harbour Museum last week.
         Ada: I drive a Vespa and I have a canoe.
         Ada: I sold my canoe yesterday.
         Ines: I live in Bergen.
         Ines: I moved to Oslo in 2009 for my studies.
         Lou: I'm a welder from Turku.
         Lou: I live in Vaasa.
         Lou: We've moved house at last, our new flat is in Rauma.",
    )
    .await;
    check_answers(
        &quiver,
        &[
            ("Where does Tom live?", Some("York")),
            ("Where does Ada work?", None),
            ("Where does Ines work?", Some("Hartwell Labs")),
            ("What does Ada drive?", Some("Vespa")),
            ("Which canoe does Ada have?", None),
            ("Where does Ines live?", Some("Bergen")),
            ("Where is Lou from?", None),
            ("Where does Lou live?", None),
        ],
    )
    .await;
    let text = answer(&quiver, "Where does Tom live?").await;
    assert!(!text.contains("Leeds"), "{text}");
}

#[tokio::test]
async fn forgetting_leaves_no_trace_and_archiving_keeps_facts() {
    let quiver = memory("Ada: The mast is spruce. | mast | is made of | spruce").await;
    let before = dump(&quiver).await;
    let secret = Turn::new("other", "Zelda's code is 9917.").by("Zelda").at(5).numbered(1);
    quiver.remember(vec![secret.stating(Fact::new("Zelda", "has code", "9917"))]).await.unwrap();
    assert_ne!(dump(&quiver).await, before);
    assert_eq!(quiver.sessions().await.unwrap().len(), 2);
    let forgotten = quiver.forget(&Forget::Session("other".to_owned())).await.unwrap();
    assert_eq!((forgotten.turns, forgotten.facts, forgotten.entities), (1, 1, 2));
    assert_eq!(dump(&quiver).await, before);
    assert_eq!(quiver.verify().await.unwrap(), []);
    let again = quiver.forget(&Forget::About("Zelda".to_owned())).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::NotFound);

    quiver.remember(vec![Turn::new("s", "Fine by me.").at(7).numbered(9)]).await.unwrap();
    assert_eq!(quiver.archive("s", Archive::KeepLatest(0)).await.unwrap(), 2);
    assert_eq!(answer(&quiver, "What is the mast made of?").await, "mast made of spruce");
    assert!(!dump(&quiver).await.contains("Fine by me"));
    assert_eq!(quiver.verify().await.unwrap(), []);
}

/// An import without vectors, as under another embedder, makes those of facts and turns as remembering did.
#[tokio::test]
async fn facts_are_found_after_an_import_that_makes_vectors_anew() {
    let quiver = memory(
        "Ada: AuthModule went to Ines. | AuthModule | is maintained by | Ines
         Bo: Authentication is slow today, the dashboard says.",
    )
    .await;
    quiver.merge("AuthModule", "Gatekeeper", "said Bo").await.unwrap();
    quiver.declare("is maintained by", Some(Cardinality::One)).await.unwrap();
    quiver.archive("s", Archive::KeepLatest(1)).await.unwrap();
    let mut lines = Vec::new();
    quiver.export().write_to(&mut lines).await.unwrap();
    let copy = Quiver::in_memory().await.unwrap();
    let report = copy.import(lines.as_slice()).await.unwrap();
    assert!(report.relations > 0 && report.encoded > report.relations, "{report:?}");
    let (before, after) = (dump(&quiver).await, dump(&copy).await);
    assert_eq!(before, after, "vectors and all");
    assert!(before.contains("is maintained by") && before.contains("archived"));
    let question = "Who maintains the authentication module?";
    assert_eq!(copy.recall(question).await.unwrap().answer.as_deref(), Some("Ines"));
}

#[tokio::test]
async fn a_budget_of_tokens_is_kept() {
    let text: String = (0..30).map(|at| format!("Ada: Ok. | Depot | stores | crate number {at}\n")).collect();
    let quiver = memory(&text).await;
    for tokens_max in [12, 24, 48] {
        let options = RecallOptions { tokens_max, ..RecallOptions::default() };
        let recalled = quiver.recall("What does the Depot store?").options(options).await.unwrap();
        assert!(recalled.tokens <= tokens_max, "{} of {tokens_max}: {:?}", recalled.tokens, recalled.lines);
        assert!(!recalled.lines.is_empty());
    }
}

#[tokio::test]
async fn the_graph_exports_as_it_is_and_as_it_was() {
    let quiver = memory(
        "Ada: Ok. | O'Hara \\ \"Sons\" | status | new & <fresh>
         Ada: Ok. | O'Hara \\ \"Sons\" | status | settled",
    )
    .await;
    let portray = async |format, as_of| {
        let mut text = Vec::new();
        let options = GraphExportOptions { format, as_of, known_at: None };
        quiver.export_graph(&options, &mut text).await.unwrap();
        String::from_utf8(text).unwrap()
    };
    let now = portray(GraphFormat::Cypher, None).await;
    assert!(now.contains(r#"e.name = 'O\'Hara \\ "Sons"'"#), "{now}");
    assert!(now.contains("MERGE (s)-[r:`STATUS` {id: "), "{now}");
    assert!(now.contains("settled") && !now.contains("fresh"), "{now}");
    assert_eq!(now, portray(GraphFormat::Cypher, None).await);
    let then = portray(GraphFormat::GraphMl, Some(minute(0))).await;
    assert!(then.contains("new &amp; &lt;fresh&gt;") && !then.contains("settled"), "{then}");
    let lines = portray(GraphFormat::JsonLines, None).await;
    assert_eq!(lines.lines().count(), 3, "{lines}");
    for line in lines.lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].is_string());
    }
}

async fn dump(quiver: &Quiver) -> String {
    let mut text = Vec::new();
    quiver.export().vectors().write_to(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn names_that_differ_in_one_letter_are_two_names() {
    for pair in [
        ["ServerA", "ServerB"],
        ["GroupI", "GroupJ"],
        ["Team A", "Team B"],
        ["NodeX", "NodeY"],
        ["Node-A", "Node-B"],
        ["Class-I", "Class-C"],
    ] {
        let quiver = Quiver::in_memory().await.unwrap();
        for (number, (name, owner)) in pair.iter().zip(["Ada", "Bo"]).enumerate() {
            let turn = Turn::new("s", format!("{name} is owned by {owner}.")).at(minute(number));
            let turn = turn.numbered(number as u64).stating(Fact::new(*name, "owned by", owner));
            quiver.remember(vec![turn]).await.unwrap();
        }
        let [one, other] = pair;
        for (name, owner) in [(one, "Ada"), (other, "Bo")] {
            let recalled = quiver.recall(format!("Who owns {name}?")).await.unwrap();
            assert_eq!(recalled.answer.as_deref(), Some(owner), "{name}: {recalled:#?}");
            let facts = quiver.facts(name).await.unwrap();
            assert_eq!(facts.len(), 1, "{name}");
        }
        let absent = format!("{}Z", one.trim_end_matches(char::is_uppercase));
        assert!(quiver.facts(&absent).await.unwrap().is_empty(), "{absent}");
        let recalled = quiver.recall(format!("Who owns {absent}?")).await.unwrap();
        assert_eq!(recalled.answer, None, "{absent}: {recalled:#?}");
        quiver.forget(&Forget::About((*one).to_owned())).await.unwrap();
        assert_eq!(quiver.facts(other).await.unwrap().len(), 1, "{other}");
        assert!(quiver.facts(one).await.unwrap().is_empty(), "{one}");
    }
}

/// What another letter tells of is not what was asked, also where only the other one is known.
#[tokio::test]
async fn a_thing_with_another_letter_does_not_answer() {
    for (text, question) in [
        ("Node-B is run by Nils Nox.", "Who runs Node-A?"),
        ("Server-B is owned by Bob Boas.", "Who owns Server-A?"),
        ("Server-B is owned by Bob Boas.", "Who owns Server-I?"),
        ("Class-A is owned by Ann Ames. Class-B is owned by Bob Boas.", "Who owns Class-C?"),
        ("Class-A is owned by Ann Ames. Class-B is owned by Bob Boas.", "Who owns Class C?"),
    ] {
        let quiver = Quiver::in_memory().await.unwrap();
        quiver.remember(vec![Turn::new("s", text).at(minute(0))]).await.unwrap();
        let recalled = quiver.recall(question).await.unwrap();
        assert_eq!(recalled.answer, None, "{question}: {recalled:#?}");
    }
}

#[tokio::test]
async fn a_thing_with_another_name_of_several_words_does_not_answer() {
    let quiver = Quiver::in_memory().await.unwrap();
    let facts = [
        ("Mercury", "is observed by", "Ida Holm"),
        ("Venus (planet)", "is observed by", "Bo Lind"),
        ("Acme Foods", "is owned by", "Ida Holm"),
        ("Harbour Bridge", "was designed by", "Tom Reed"),
        ("North Harbour Bridge", "was painted by", "Una Berg"),
        ("Project Blue Heron", "is managed by", "Lena Voss"),
        ("SLA", "is signed by", "Kurt Falk"),
    ];
    let turns = facts.iter().enumerate().map(|(number, &(subject, predicate, object))| {
        let text = format!("{subject} {predicate} {object}.");
        Turn::new("s", text).at(1).numbered(number as u64).stating(Fact::new(subject, predicate, object))
    });
    quiver.remember(turns.collect::<Vec<_>>()).await.unwrap();
    for (question, wanted) in [
        ("Who observes Mercury?", Some("Ida Holm")),
        ("Who observes Mercury (team)?", None),
        ("Who observes Mercury (the planet)?", Some("Ida Holm")),
        ("Who observes Venus (planet)?", Some("Bo Lind")),
        ("Who owns Acme Foods?", Some("Ida Holm")),
        ("Who owns Acme Steel?", None),
        ("Who designed the Harbour Bridge?", Some("Tom Reed")),
        ("Who designed the North Harbour Bridge?", None),
        ("Who painted the North Harbour Bridge?", Some("Una Berg")),
        ("Who manages Blue Heron?", Some("Lena Voss")),
        ("Who manages Project Red Heron?", None),
        ("Who signed the SLA (service agreement)?", Some("Kurt Falk")),
    ] {
        let recalled = quiver.recall(question).await.unwrap();
        assert_eq!(recalled.answer.as_deref(), wanted, "{question}: {}", recalled.trace);
    }
    quiver.merge("Harbour Bridge", "North Harbour Bridge", "").await.unwrap();
    assert!(answer(&quiver, "Who designed the North Harbour Bridge?").await.contains("Tom Reed"));
}

#[tokio::test]
async fn a_name_that_two_things_may_have_is_not_forgotten() {
    let quiver = Quiver::in_memory().await.unwrap();
    for (number, (name, owner)) in [("Server-A", "Ann Ames"), ("ServerA", "Cid Cole")].into_iter().enumerate()
    {
        let turn = Turn::new("s", format!("{name} is owned by {owner}.")).at(minute(number));
        let turn = turn.numbered(number as u64).stating(Fact::new(name, "owned by", owner));
        quiver.remember(vec![turn]).await.unwrap();
    }
    let error = quiver.forget(&Forget::About("Server A".to_owned())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(
        error.to_string().contains(r#"is ambiguous: "Server-A" or "ServerA"; give one of these"#),
        "{error}"
    );
    let preview = quiver.forget_preview(&Forget::About("servera".to_owned())).await.unwrap();
    assert_eq!(preview.things, ["ServerA"]);
    assert_eq!(preview.turns.len(), 1);
}

#[tokio::test]
async fn forgetting_takes_exact_names_and_says_before_what_it_takes() {
    let quiver = memory("Ada: Heron runs hot. | node heron-4 | runs at | 80 degrees").await;
    let error = quiver.forget(&Forget::About("heron-4".to_owned())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("to forget \"node heron-4\", give that name"), "{error}");
    let exact = Forget::About("Node Heron-4".to_owned());
    let preview = quiver.forget_preview(&exact).await.unwrap();
    assert_eq!(preview.things, ["node heron-4"]);
    assert_eq!(preview.turns.len(), 1);
    assert_eq!(preview.turns[0].text, "Heron runs hot.");
    assert_eq!(quiver.facts("node heron-4").await.unwrap().len(), 1);
    quiver.forget(&exact).await.unwrap();
    assert_eq!(quiver.forget_preview(&exact).await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn facts_answer_from_the_asked_end_and_joins_go_forward() {
    let quiver = memory(
        "Ada: Vera mentors Tomas.
         Ada: Tomas mentors Ulla.
         Bo: The ferry plan depends on the tide table. | ferry plan | DEPENDS_ON | tide table
         Bo: Harbour crew owns the ferry plan. | Harbour crew | OWNS | ferry plan
         Bo: The tide table is the observatory's. | tide table | is owned by | observatory",
    )
    .await;
    for (question, expect) in [
        ("Who mentors Tomas?", Some("Vera")),
        ("Who does Tomas mentor?", Some("Ulla")),
        ("Who is Ulla mentored by?", Some("Tomas")),
        ("Who mentors Vera?", None),
        ("Who does Ulla mentor?", None),
        ("Who owns what the ferry plan depends on?", Some("observatory")),
        ("Who owns what depends on the tide table?", Some("Harbour crew")),
        ("What does the observatory own?", Some("tide table")),
    ] {
        let recalled = quiver.recall(question).await.unwrap();
        assert_eq!(recalled.answer.as_deref(), expect, "{question}: {recalled:#?}");
        assert_eq!(recalled.no_answer.is_some(), expect.is_none(), "{question}: {recalled:#?}");
    }
}

#[tokio::test]
async fn what_ends_a_fact_says_so_in_whichever_voice() {
    let quiver = memory(
        "Ada: The kiosk is run by Pia.
         Ada: Pia runs the bakery.
         Bo: Pia no longer runs the kiosk.
         Bo: Milan runs the kiosk now.
         Bo: Milan runs the laundry now.
         Cy: Permit 12 has priority low.
         Cy: Permit 12 has been reclassified to urgent.",
    )
    .await;
    for (question, expect) in [
        ("Who runs the kiosk?", "Milan"),
        ("Who runs the bakery?", "Pia"),
        ("Who runs the laundry?", "Milan"),
        ("What is the priority of permit 12?", "urgent"),
    ] {
        let recalled = quiver.recall(question).await.unwrap();
        assert_eq!(recalled.answer.as_deref(), Some(expect), "{question}: {recalled:#?}");
    }
    assert!(!answer(&quiver, "What is the priority of permit 12?").await.contains("low"));
}

#[tokio::test]
async fn what_begins_later_does_not_hold_yet() {
    let quiver = Quiver::in_memory().await.unwrap();
    let day = 86_400_000;
    let now = calendar::from_civil(2024, 3, 6);
    quiver
        .remember(vec![
            Turn::new("s", "The sluice is operated by Nils.").at(now - 9 * day),
            Turn::new("s", "Starting next week, the sluice is operated by Olga.").at(now),
        ])
        .await
        .unwrap();
    let at = |now: i64| RecallOptions { now: Some(now), ..RecallOptions::default() };
    let who = "Who operates the sluice?";
    assert_eq!(quiver.recall(who).options(at(now)).await.unwrap().answer.as_deref(), Some("Nils"));
    let later = quiver.recall(who).options(at(now + 14 * day)).await.unwrap();
    assert!(later.text().contains("Olga"), "{later:#?}");
}

#[tokio::test]
async fn turns_are_recalled_where_no_fact_answers() {
    let quiver = memory(
        "Ada: We watched the storm from the pier and the old lamp went out.
         Bo: What did you do then?
         Ada: Walked home along the dyke with a torch.
         Bo: I painted the shed green on Sunday.",
    )
    .await;
    let recalled = quiver.recall("What did Bo paint?").await.unwrap();
    assert_eq!(recalled.answer, None);
    assert_eq!(recalled.lines[0], "Bo, 1970-01-01: I painted the shed green on Sunday.");
    assert_eq!(recalled.turns[0].turn, 3);
    let silent = quiver.recall("What did Ada paint?").await.unwrap();
    assert_eq!(silent.no_answer, Some(NoAnswer::SaidOfOthers { person: "Ada".to_owned() }));
    assert!(silent.lines.is_empty() && silent.turns.is_empty());
    assert!(quiver.recall("What does the Tern company carry?").await.unwrap().no_answer.is_some());
}

#[tokio::test]
async fn a_silence_shows_the_nearest_turns_and_does_not_call_them_an_answer() {
    let quiver = memory(
        "Ines: I got the job at the shipyard! I start on 1 December.
         Pol: Well done! I'm still in Leeds, but I quit climbing. I've taken up swimming instead.
         Ines: The shipyard froze hiring, so I take the offer of the museum.
         Pol: Oh no. So no sea view?
         Ines: No. We cancelled the lease.",
    )
    .await;
    for (question, nearest) in [
        ("Where does Pol live?", "Leeds"),
        ("What sport does Pol do?", "swimming"),
        ("Where does Ines work?", "shipyard"),
    ] {
        let recalled = quiver.recall(question).await.unwrap();
        assert!(recalled.no_answer.is_some() && recalled.answer.is_none(), "{question}: {recalled:#?}");
        assert!(recalled.lines.is_empty() && recalled.turns.is_empty() && recalled.tokens == 0);
        let found: Vec<&str> = recalled.found.iter().map(|found| found.line.as_str()).collect();
        assert!(found.len() <= 3 && found.iter().any(|line| line.contains(nearest)), "{question}: {found:?}");
    }
    let short = quiver.recall("Where does Pol live?").tokens(12).await.unwrap();
    assert!(short.found.iter().map(|found| count_tokens(&found.line)).sum::<usize>() <= 12, "{short:#?}");
    let mut options = RecallOptions { turns_limit: Some(0), ..RecallOptions::default() };
    assert!(quiver.recall("Where does Pol live?").options(options.clone()).await.unwrap().found.is_empty());
    options.turns_limit = None;
    let answered = quiver.recall("Who cancelled the lease?").options(options).await.unwrap();
    assert!(answered.no_answer.is_none() && answered.found.is_empty(), "{answered:#?}");
}

#[tokio::test]
async fn a_fact_about_the_person_that_says_nothing_of_the_question_is_no_answer() {
    let quiver = memory(
        "Ines: The winter berth is let by Captain Ruud.
         Ines: Tilde is away, and from now on I report to Oskar Brandt.",
    )
    .await;
    let recalled = quiver.recall("Who does Ines report to?").await.unwrap();
    assert_eq!(recalled.answer.as_deref(), Some("Oskar Brandt"), "{recalled:#?}");
    // Whom one reports to is one's manager.
    let recalled = quiver.recall("Who is the manager of Ines now?").await.unwrap();
    assert!(recalled.lines[0].contains("Oskar Brandt"), "{recalled:#?}");
    let recalled = quiver.recall("From whom does Ines rent the winter berth?").await.unwrap();
    assert_eq!(recalled.answer, None, "{recalled:#?}");
    assert!(recalled.lines[0].contains("Captain Ruud"), "{recalled:#?}");
}

#[tokio::test]
async fn a_long_text_is_recalled_for_by_what_it_asks() {
    let quiver = memory("Ada: Redis is run by Mo. | Redis | is run by | Mo").await;
    // Words that nobody said, all different.
    let words: Vec<String> = (0..800).map(|number| format!("word{number}x")).collect();
    let text = words.chunks(10).map(|words| format!("{}. ", words.join(" "))).collect::<String>();
    for question in [format!("{text}Who runs Redis?"), format!("Who runs Redis? {text}")] {
        let recalled = quiver.recall(&question).await.unwrap();
        assert_eq!(recalled.answer.as_deref(), Some("Mo"), "{recalled:#?}");
        assert_eq!(recalled.question, question);
    }
    let silent = quiver.recall(format!("{text}Does Redis paint {}?", words.join(" "))).await.unwrap();
    assert_eq!(silent.answer, None);
    let said = silent.no_answer.unwrap().to_string();
    assert!(said.contains("paint") && said.contains("more words of the question"), "{said}");
    assert!(said.len() < 300, "{said}");
    let endless = quiver.recall("word ".repeat(10_000)).await.unwrap_err();
    assert_eq!(endless.kind(), ErrorKind::Invalid);
    assert!(endless.to_string().contains("bytes"), "{endless}");
}

/// Checks cases of turns, a question and the right answer: recall gives that answer or none.
async fn check_right_or_none(cases: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (turns, question, right) in cases {
        let told: Vec<String> = turns.split(" / ").map(|turn| format!("Ada: {turn}")).collect();
        let quiver = diary(&told.join("\n")).await;
        let recalled = quiver.recall(*question).await.unwrap();
        if recalled.answer.as_deref().is_some_and(|answer| answer != *right) {
            wrong.push(format!("{question} {:?}, not {right:?}; {:?}", recalled.answer, recalled.lines));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_later_turn_that_says_something_is_over_contests_the_fact() {
    check_right_or_none(&[
        (
            "Tom is responsible for the report. / Lena has taken over the report from Tom.",
            "Who is responsible for the report?",
            "Lena",
        ),
        (
            "Mia is responsible for the choir. / Jonas has taken over the choir.",
            "Who is responsible for the choir?",
            "Jonas",
        ),
        ("Olaf runs the bakery. / Vera has taken over the bakery from Olaf.", "Who runs the bakery?", "Vera"),
        (
            "Ines is in charge of the archive. / Bo took over the archive from Ines.",
            "Who is in charge of the archive?",
            "Bo",
        ),
        (
            "The server is located in Oslo. / The server isn't in Oslo any more, it's in Bergen.",
            "Where is the server located?",
            "Bergen",
        ),
        (
            "The server is located in Oslo. / The server isn't in Oslo any more, it's in Bergen.",
            "Where is the server?",
            "Bergen",
        ),
        (
            "The piano is kept in the hall. / The piano is no longer in the hall.",
            "Where is the piano kept?",
            "-",
        ),
        (
            "The ambulance is stationed in Voss. / They moved the ambulance from Voss to Geilo.",
            "Where is the ambulance stationed?",
            "Geilo",
        ),
        (
            "The clinic is located in Turku. / The clinic has relocated to Vaasa.",
            "Where is the clinic located?",
            "Vaasa",
        ),
        (
            "The backups are stored in Frankfurt. / The backups are now in Dublin.",
            "Where are the backups stored?",
            "Dublin",
        ),
        ("We use Slack for chat. / We switched from Slack to Zulip.", "What do we use for chat?", "Zulip"),
        ("We use Slack for chat. / For chat we're on Zulip now.", "What do we use for chat?", "Zulip"),
        ("We use Slack for chat. / Zulip replaced Slack last week.", "What do we use for chat?", "Zulip"),
        ("We use Slack for chat. / Slack is gone, Zulip it is.", "What do we use for chat?", "Zulip"),
        ("We use Xero for invoices. / We got rid of Xero.", "What do we use for invoices?", "-"),
        (
            "We decided to use Kafka for events. / We dropped Kafka, we use NATS for events now.",
            "What do we use for events?",
            "NATS",
        ),
        (
            "The kitchen uses gas. / The kitchen has switched from gas to induction.",
            "What does the kitchen use?",
            "induction",
        ),
        (
            "The importer uses Redis. / We replaced Redis with Valkey in the importer.",
            "What does the importer use?",
            "Valkey",
        ),
        (
            "The shop depends on Stripe. / The shop doesn't depend on Stripe any more.",
            "What does the shop depend on?",
            "-",
        ),
        ("The farm uses Deere. / The farm stopped using Deere.", "What does the farm use?", "-"),
        ("Ada drives a Volvo. / Ada has swapped the Volvo for a Fiat.", "What does Ada drive?", "Fiat"),
    ])
    .await;
}

#[tokio::test]
async fn what_is_over_elsewhere_contests_nothing() {
    let quiver = diary(
        "Bo: We use Slack for chat.
         Bo: The importer uses Redis.
         Bo: The server is located in Oslo.
         Bo: Tom is responsible for the report.
         Bo: The exporter dropped Redis.
         Bo: Lena moved from Oslo to Bergen.
         Bo: We switched from Jira to Linear.
         Bo: We haven't dropped Slack.
         Bo: Maybe we drop Slack next year.
         Bo: Lena has taken over the choir.",
    )
    .await;
    check_answers(
        &quiver,
        &[
            ("What do we use for chat?", Some("Slack")),
            ("What does the importer use?", Some("Redis")),
            ("Where is the server located?", Some("Oslo")),
            ("Who is responsible for the report?", Some("Tom")),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_was_before_something_is_not_that_thing() {
    let turns = "Karim owns the billing service. / The billing service uses Postgres. / \
                 Dana owns the billing service now.";
    check_right_or_none(&[
        (turns, "Who owned the billing service before Dana?", "Karim"),
        (turns, "Who owned the billing service before Karim?", "-"),
        (turns, "Who owned the billing service before?", "Karim"),
        (turns, "What did the billing service use before Postgres?", "-"),
        (
            "The choir is led by Mia. / From now on the choir is led by Jonas.",
            "Who led the choir before Jonas?",
            "Mia",
        ),
        (
            "The server is located in Oslo. / The server is now located in Bergen.",
            "Where was the server located before Bergen?",
            "Oslo",
        ),
        ("The farm uses Deere.", "What did the farm use before Deere?", "-"),
        ("Tom lives in Leeds. / Tom moved to York.", "Where did Tom live before York?", "Leeds"),
        (
            "Olaf runs the bakery. / From now on the bakery is run by Vera. / From now on the bakery is run by Pia.",
            "Who ran the bakery before Vera?",
            "Olaf",
        ),
    ])
    .await;
    let quiver = diary(&turns.split(" / ").map(|turn| format!("Ada: {turn}\n")).collect::<String>()).await;
    check_answers(&quiver, &[("Who owned the billing service before Dana?", Some("Karim"))]).await;
}

const POTTERY: &str = "Bodil: The celadon glaze came out lovely, by the way.
    Ines: Kiln inspection is on 14 May, they told me on the phone.
    Ines: And the shelf with the mugs cracked at 1,240 degrees, so nobody gets a mug this year.
    Bodil: Tobias, the fellow with the van, brought 40 kilos of porcelain clay yesterday.
    Ines: The glaze cupboard is green.";

#[tokio::test]
async fn a_turn_answers_where_no_fact_does() {
    let quiver = memory(POTTERY).await;
    let recall = async |question: &str| quiver.recall(question).await.unwrap();
    for (question, answer, turn) in [
        ("When is the kiln inspection?", "14 May", 1),
        ("How much porcelain clay did Tobias bring?", "40 kilos", 3),
        (
            "At how many degrees did the shelf crack?",
            "Ines, 1970-01-01: And the shelf with the mugs cracked at 1,240 degrees, so nobody gets a mug this year.",
            2,
        ),
    ] {
        let recalled = recall(question).await;
        assert_eq!(recalled.answer.as_deref(), Some(answer), "{recalled:#?}");
        assert!(recalled.facts.is_empty() && recalled.no_answer.is_none(), "{recalled:#?}");
        assert_eq!(recalled.turns[0].turn, turn);
        assert!(recalled.lines[0].contains(&recalled.turns[0].text), "{recalled:#?}");
        // `ask` gives the same answer.
        assert_eq!(quiver.ask(question).await.unwrap().text, recalled.answer);
        // A turn has no predicate.
        assert_eq!(quiver.recall(question).predicate("is").await.unwrap().answer, None);
        // It was not said yet.
        assert_eq!(quiver.recall(question).as_of(minute(0)).await.unwrap().answer, None);
        assert_eq!(quiver.recall(question).known_at(minute(0)).await.unwrap().answer, None);
    }
    // Another clay, another inspection, another thing of the kiln.
    for question in [
        "How much stoneware clay did Tobias bring?",
        "When is the glaze inspection?",
        "How long does the kiln take to heat up?",
    ] {
        let recalled = recall(question).await;
        assert_eq!(recalled.answer, None, "{recalled:#?}");
    }
}

#[tokio::test]
async fn facts_beside_the_question_are_shown_but_do_not_answer() {
    let quiver = memory(
        "Ines: A red van would be nice. | second van | wished colour | red\n\
         Ida: The kiln is by the south wall. | kiln | stands at | the south wall\n\
         Ines: Tobias keeps his wheel there. | Tobias | keeps wheel at | the south wall\n\
         Ida: The clay is 40 a bag. | clay | costs | 40 euros",
    )
    .await;
    for (question, line) in [
        ("What colour is the second van?", "red"),
        ("What does the kiln cost?", "the south wall"),
        ("What did we pay for the kiln?", "the south wall"),
    ] {
        let recalled = quiver.recall(question).await.unwrap();
        assert_eq!(recalled.answer, None, "{recalled:#?}");
        assert!(recalled.no_answer.is_some() || recalled.text().contains(line), "{recalled:#?}");
    }
    for (question, answer) in [
        ("Which colour was wished for the second van?", "red"),
        ("What does the clay cost?", "40 euros"),
        ("Where does the kiln stand?", "the south wall"),
    ] {
        assert_eq!(quiver.recall(question).await.unwrap().answer.as_deref(), Some(answer), "{question}");
    }
}

#[tokio::test]
async fn a_turn_that_no_longer_holds_does_not_answer() {
    let quiver =
        memory(&format!("{POTTERY}\nIda: On 14 May, then. | yearly check | falls on | 14 May")).await;
    quiver.declare("falls on", Some(Cardinality::One)).await.unwrap();
    let said = |number: usize, words: &str, day: &str| {
        let turn = Turn::new("s", words).by("Ines").at(minute(number)).numbered(number as u64);
        turn.stating(Fact::new("yearly check", "falls on", day))
    };
    let question = "When is the fire drill?";
    quiver
        .remember([said(10, "Fire drill is on 16 May, they told me on the phone.", "16 May")])
        .await
        .unwrap();
    assert_eq!(quiver.recall(question).await.unwrap().answer.as_deref(), Some("16 May"));
    quiver.remember([said(11, "They have changed their minds again.", "21 May")]).await.unwrap();
    let recalled = quiver.recall(question).await.unwrap();
    assert_eq!(recalled.answer, None, "{recalled:#?}");
    let then = quiver.recall(question).as_of(minute(10)).await.unwrap();
    assert_eq!(then.answer.as_deref(), Some("16 May"), "{then:#?}");
}
