//! Sessions: follow-up questions are understood, ambiguity is asked back, turns are kept and change nothing else.

use std::{sync::Arc, time::Duration};

use quiver::{
    Document, Location, Quiver,
    graph::{Graph, Passage, Workspace, conversation, filters},
    memory::Turn,
    session::{FollowUp, Retention, RetentionWay, RewrittenBy, Session, SessionOptions},
    store::{MemoryStore, PointStore},
};

fn documents() -> Vec<Document> {
    let titled = |key: &str, title: &str, text: &str| Document::new(key, text).with_title(title);
    vec![
        titled(
            "juno",
            "Juno",
            "Juno is the project that replaces the ticket machines. It is led by Ada Brandt. \
            Its budget is 90,000 euros.",
        ),
        titled("juno-report", "Juno: report", "Juno has one blocker: the card readers have not arrived."),
        titled(
            "vesta",
            "Vesta",
            "Vesta is the project that paints the trams. It is led by Omar Lind. Its budget is \
            30,000 euros.",
        ),
        titled("ada", "Ada Brandt", "Ada Brandt is an engineer from Bergen. She joined in 2015."),
        titled("omar", "Omar Lind", "Omar Lind is a painter from Turku. He joined in 2021."),
        titled("line-north", "Line North", "Line North runs every ten minutes. It was opened in 1902."),
        titled("line-south", "Line South", "Line South runs every fifteen minutes. It was opened in 1931."),
        titled(
            "riders",
            "Riders by year",
            "In 2022 the trams had 4 million riders. In 2023 the trams had 5 million \
            riders.",
        ),
    ]
}

fn store() -> Arc<dyn PointStore> {
    Arc::new(MemoryStore::open(Graph::schema(None)))
}

async fn open(store: &Arc<dyn PointStore>, workspace: &str) -> Quiver {
    let workspace = Workspace::new(workspace).expect("a name");
    Quiver::builder()
        .location(Location::Store(Arc::clone(store)))
        .workspace(workspace)
        .open()
        .await
        .expect("the store is there")
}

async fn trams() -> Quiver {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    quiver.ingest(documents()).await.expect("documents are read");
    quiver
}

/// Asks the questions in order, and tells what the last one became.
async fn becomes(session: &mut Session, questions: &[&str]) -> String {
    let mut last = String::new();
    for question in questions {
        last = session.ask(*question).await.expect("a question is read").read.standalone;
    }
    last
}

async fn turns(quiver: &Quiver, session: &str) -> Vec<Passage> {
    quiver.graph().all(&filters::of_session(session)).await.expect("turns are read")
}

async fn exported(quiver: &Quiver) -> String {
    let mut text = Vec::new();
    quiver.export().vectors().write_to(&mut text).await.expect("a vector takes it");
    String::from_utf8(text).expect("lines are text")
}

#[tokio::test]
async fn a_follow_up_is_rewritten_and_the_rewrite_is_shown() {
    let quiver = trams().await;
    let mut session = quiver.session("s");
    session.ask("Who leads Juno?").await.unwrap();
    let reply = session.ask("What were its blockers?").await.unwrap();
    assert_eq!(reply.read.standalone, "What were Juno's blockers?");
    assert_eq!(reply.read.by, RewrittenBy::Rules);
    let [rewrite] = &reply.read.rewrites[..] else { panic!("one rewrite: {:?}", reply.read.rewrites) };
    assert_eq!((rewrite.said.as_str(), rewrite.stands_for.as_str()), ("its", "Juno's"));
    assert_eq!(rewrite.because, "asked about in the last turn");
    let evidence = reply.answer.unwrap().evidence;
    assert_eq!(evidence.passages[0].passage.document, "juno-report");
}

#[tokio::test]
async fn each_kind_of_follow_up_is_understood() {
    let quiver = trams().await;
    let cases: [(&[&str], &str); 12] = [
        (&["Who leads Juno?", "Where is she from?"], "Where is Ada Brandt from?"),
        (&["Who leads Juno?", "What is that project's budget?"], "What is the project Juno's budget?"),
        (&["Who leads Juno?", "What about Vesta?"], "Who leads Vesta?"),
        (&["Who leads Juno?", "And the budget?"], "What is the budget of Juno?"),
        (&["How many riders were there in 2022?", "And in 2023?"], "How many riders were there in 2023?"),
        (
            &["How many riders were there in 2022?", "And the year after?"],
            "How many riders were there in 2023?",
        ),
        (
            &["Who leads Juno and Vesta?", "What is the budget of the second one?"],
            "What is the budget of Vesta?",
        ),
        (&["Who leads Juno?", "Who is Omar Lind?"], "Who is Omar Lind?"),
        (
            &["Who leads Juno?", "Who is Omar Lind?", "Back to Juno: what blocks it?"],
            "Back to Juno: what blocks Juno?",
        ),
        (
            &["When did Ada Brandt join?", "Omar Lind came later. When did he join?"],
            "Omar Lind came later. When did Omar Lind join?",
        ),
        (&["When did Ada Brandt join?", "Is it true that trams are old?"], "Is it true that trams are old?"),
        (&["What about Vesta?", "Who leads it?"], "Who leads Vesta?"),
    ];
    for (number, (questions, expected)) in cases.into_iter().enumerate() {
        let mut session = quiver.session(format!("case {number}"));
        assert_eq!(becomes(&mut session, questions).await, expected, "{questions:?}");
    }
}

/// A club, a museum, a pool, a drill, a gateway, a river and a flat.
async fn town() -> Quiver {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        (
            "Millbrook Rowing Club",
            "The treasurer of the rowing club is Hanna Voss. The secretary of the rowing club is Piet Marlow. The rowing \
             club meets on Tuesdays.",
        ),
        (
            "The Tile Museum",
            "The museum opens at 10:00. The price of a ticket is 9 euros. The museum café opens at 11:00. The director of \
             the museum is Sofia Lund. The library of the museum closes at five.",
        ),
        (
            "Swimming pool",
            "The pool closes at 21:00. The sauna closes at 22:00. The sauna is 90 degrees hot.",
        ),
        ("Kestrel drill", "The Kestrel drill has a warranty of three years. Its weight is 1.4 kilograms."),
        (
            "Gateway",
            "The gateway listens on port 8443. The timeout of the gateway is 30 seconds. The scheduler listens on port \
             9001.",
        ),
        ("Parish council", "Ruth Amble chairs the parish council. The parish council meets on Mondays."),
        (
            "Aske",
            "The Aske is 310 kilometres long. The source of the Aske is Lake Brem. The Ilmen is 120 kilometres long.",
        ),
        (
            "Mill Lane 4",
            "The monthly rent of the flat is 900 euros. The deposit of the flat is 1800 euros. The garage costs 80 euros.",
        ),
    ];
    let documents = documents.map(|(title, text)| Document::new(title, text).with_title(title));
    quiver.ingest(documents).await.expect("documents are read");
    quiver
}

#[tokio::test]
async fn a_definite_noun_is_an_attribute_or_another_thing_as_the_passages_say() {
    let quiver = town().await;
    let cases = [
        (
            "Who is the treasurer of the rowing club?",
            "And the secretary?",
            "Who is the secretary of the rowing club?",
        ),
        ("When does the rowing club meet?", "And the treasurer?", "Who is the treasurer of the rowing club?"),
        ("When does the museum open?", "And the price?", "What is the price of the museum?"),
        ("When does the museum open?", "And the director?", "Who is the director of the museum?"),
        ("When does the museum open?", "What about the café?", "When does the café open?"),
        ("Who is the director of the museum?", "The address?", "What is the address of the museum?"),
        ("When does the pool close?", "And the sauna?", "When does the sauna close?"),
        (
            "How long is the warranty of the Kestrel drill?",
            "And the weight?",
            "What is the weight of the Kestrel drill?",
        ),
        ("Which port does the gateway use?", "And the timeout?", "What is the timeout of the gateway?"),
        ("Which port does the gateway use?", "And the scheduler?", "Which port does the scheduler use?"),
        ("Where does the parish council meet?", "And the rowing club?", "Where does the rowing club meet?"),
        ("How long is the Aske?", "And the source?", "What is the source of the Aske?"),
        ("How long is the Aske?", "And the Ilmen?", "How long is the Ilmen?"),
        ("How much does the flat cost?", "And the garage?", "How much does the garage cost?"),
        ("How much does the flat cost?", "And the deposit?", "What is the deposit of the flat?"),
        // The passages do not decide.
        ("When does the museum open?", "And the parking?", "And the parking?"),
        ("When does the museum open?", "And the library?", "And the library?"),
    ];
    for (number, (first, second, expected)) in cases.into_iter().enumerate() {
        let mut session = quiver.session(format!("case {number}"));
        assert_eq!(becomes(&mut session, &[first, second]).await, expected, "{first} {second}");
    }
}

/// A handbook with headings, a quotation and a sentence that are stored as names.
async fn handbook() -> Quiver {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        (
            "widgets",
            "# Widgets\n\nA widget is a part of a dashboard that shows one value.\n\n## Widget Types\n\nEach type of a \
            widget has a key such as \"This is a type that I added!\".\n\n## Using Widgets\n\nA widget is identified by \
            a key and a namespace.\n\n## What should I do if it breaks?\n\nOpen a ticket with the Support Desk.",
        ),
        (
            "panels",
            "# Panels\n\nA panel holds widgets.\n\n## Panel Samples\n\nSome samples.\n\n## Strict Panel\n\nA panel.",
        ),
    ];
    quiver.ingest(documents.map(|(key, text)| Document::new(key, text))).await.expect("documents are read");
    quiver
}

#[tokio::test]
async fn a_session_is_about_what_the_questions_name() {
    let quiver = handbook().await;
    let cases: [(&[&str], &str); 12] = [
        (&["What is a widget?", "How is it identified?"], "How is a widget identified?"),
        (&["What is a widget?", "How do I create one?"], "How do I create a widget?"),
        (&["What is a widget?", "Where can I see them?"], "Where can I see widgets?"),
        (&["What is a widget?", "Why should I use it?"], "Why should I use a widget?"),
        (&["What is a widget?", "What is its key?"], "What is a widget's key?"),
        (&["What is a panel widget?", "What about a table widget?"], "What is a table widget?"),
        (&["What is a widget?", "What about telemetry?"], "What about telemetry?"),
        (&["What is a widget?", "Why?"], "Why?"),
        (&["How do I delete a widget?", "How long does that take?"], "How long does that take?"),
        (&["What is a widget?", "How does that relate to it?"], "How does that relate to it?"),
        (&["What is a widget?", "Does it need a panel?", "How do I delete it?"], "How do I delete a widget?"),
        (&["Where are widgets?", "How many are there?"], "How many are there?"),
    ];
    for (number, (questions, expected)) in cases.into_iter().enumerate() {
        let mut session = quiver.session(format!("case {number}"));
        assert_eq!(becomes(&mut session, questions).await, expected, "{questions:?}");
    }
}

/// The conversation has moved on to something else, so "it" may be anything.
#[tokio::test]
async fn a_pronoun_does_not_reach_back_past_another_subject() {
    let quiver = handbook().await;
    let cases: [(&[&str], &str); 5] = [
        (
            &["What is a widget?", "How do I import records?", "How often does it look for new ones?"],
            "How often does it look for new ones?",
        ),
        (
            &["Which desk helps if a widget breaks?", "How do I import records?", "Where is it?"],
            "Where is it?",
        ),
        (
            &["What are widgets?", "How are they different from panels?"],
            "How are widgets different from panels?",
        ),
        (
            &["What is a widget?", "How do I reset the admin password?", "Can I change it?"],
            "Can I change the admin password?",
        ),
        (
            &["What is a widget?", "Where are its samples?", "How do I delete it?"],
            "How do I delete a widget?",
        ),
    ];
    for (number, (questions, expected)) in cases.into_iter().enumerate() {
        let mut session = quiver.session(format!("case {number}"));
        assert_eq!(becomes(&mut session, questions).await, expected, "{questions:?}");
    }
}

#[tokio::test]
async fn what_stays_open_is_searched_for_with_the_topic_beside_it() {
    let quiver = handbook().await;
    let mut session = quiver.session("s");
    session.ask("What is a widget?").await.unwrap();
    let reply = session.ask("Why?").await.unwrap();
    assert_eq!((reply.read.standalone.as_str(), reply.read.beside.as_deref()), ("Why?", Some("widget")));
    assert!(reply.read.rewrites[0].because.contains("searched for beside"));
    let evidence = reply.answer.unwrap().evidence;
    assert!(!evidence.passages.is_empty(), "the topic finds what the word alone does not");
    let trace = format!("{:?}", evidence.trace);
    assert!(trace.contains("also searching for"), "{trace}");
    // A question that names what it asks about is searched for alone.
    let reply = session.ask("What is a panel?").await.unwrap();
    assert_eq!(reply.read.beside, None);
    assert!(reply.asks().is_none());
}

#[tokio::test]
async fn the_caller_may_put_another_question_in_its_place() {
    let quiver = trams().await;
    let mut session = quiver.session("s");
    session.ask("Who leads Juno?").await.unwrap();
    let read = session.contextualise("And its budget?").await.unwrap();
    assert_eq!(read.standalone, "What is Juno's budget?");
    let own = FollowUp::new("And its budget?").standing_for("What is the budget of Vesta?");
    let reply = session.ask(own).await.unwrap();
    assert_eq!(reply.read.standalone, "What is the budget of Vesta?");
    assert_eq!(reply.read.by, RewrittenBy::Caller);
    assert_eq!(reply.answer.unwrap().evidence.passages[0].passage.document, "vesta");
    // The session is about what the caller meant.
    assert_eq!(becomes(&mut session, &["Who leads it?"]).await, "Who leads Vesta?");
}

#[tokio::test]
async fn what_the_session_does_not_decide_is_asked_back_and_the_next_turn_chooses() {
    let quiver = trams().await;
    for (choice, expected) in [
        ("the second one", "When was Line South opened?"),
        ("North", "When was Line North opened?"),
        ("I mean the south line", "When was Line South opened?"),
        ("Line North", "When was Line North opened?"),
    ] {
        let mut session = quiver.session(choice);
        let reply = session.ask("When was Line opened?").await.unwrap();
        assert!(reply.answer.is_none());
        let asks = reply.asks().unwrap();
        let options: Vec<&str> = asks.options.iter().map(|option| option.name.as_str()).collect();
        assert_eq!(options, ["Line North", "Line South"]);
        assert_eq!(asks.to_string(), "“Line” could be Line North or Line South: which one is meant?");
        let reply = session.ask(choice).await.unwrap();
        assert_eq!(reply.read.standalone, expected);
        assert!(reply.asks().is_none() && reply.answer.is_some());
    }
}

#[tokio::test]
async fn the_session_decides_what_a_name_means() {
    let quiver = trams().await;
    let mut session = quiver.session("s");
    session.ask("How often does Line South run?").await.unwrap();
    assert_eq!(becomes(&mut session, &["When was Line opened?"]).await, "When was Line South opened?");
}

#[tokio::test]
async fn another_question_leaves_the_choice_open() {
    let quiver = trams().await;
    let mut session = quiver.session("s");
    session.ask("When was Line opened?").await.unwrap();
    let reply = session.ask("Who leads Vesta?").await.unwrap();
    assert_eq!(reply.read.standalone, "Who leads Vesta?");
    assert!(reply.answer.is_some());
}

#[tokio::test]
async fn a_pronoun_that_fits_two_things_is_asked_back() {
    let quiver = trams().await;
    let mut session = quiver.session("s");
    session.ask("Which is older, Line North or Line South?").await.unwrap();
    let reply = session.ask("How often does it run?").await.unwrap();
    let options: Vec<&str> = reply.asks().unwrap().options.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(options, ["Line North", "Line South"]);
    assert_eq!(becomes(&mut session, &["the latter"]).await, "How often does Line South run?");
}

#[tokio::test]
async fn turns_are_passages_that_survive_and_are_written_once() {
    let store = store();
    let quiver = open(&store, "default").await;
    quiver.ingest(documents()).await.unwrap();
    let mut session = quiver.session("s");
    session.ask(FollowUp::new("Who leads Juno?").at(1_000)).await.unwrap();
    session.ask(FollowUp::new("Where is she from?").at(2_000)).await.unwrap();
    session.close().await.unwrap();
    drop(quiver);

    let quiver = open(&store, "default").await;
    let kept = turns(&quiver, "s").await;
    assert_eq!(kept.len(), 2);
    assert!(kept.iter().all(conversation::is_turn));
    let second = kept.iter().find(|turn| turn.time == Some(2_000)).unwrap();
    assert!(second.text.starts_with("Where is she from?\nWhere is Ada Brandt from?"), "{}", second.text);
    assert!(!second.entities.is_empty());
    let mut session = quiver.session("s");
    let exchanges = session.turns().await.unwrap().to_vec();
    assert_eq!(exchanges[1].standalone, "Where is Ada Brandt from?");
    assert_eq!(exchanges[1].asked[0].name, "Ada Brandt");
    assert!(exchanges[1].answer.is_some());
    assert_eq!(becomes(&mut session, &["When did she join?"]).await, "When did Ada Brandt join?");

    // The same turn again is the same point.
    let before = exported(&quiver).await;
    let mut again = quiver.session("other");
    for _ in 0..2 {
        let read = again.contextualise("Who leads Vesta?").await.unwrap();
        again.remember(&read, None, Some(5_000)).await.unwrap();
        again = quiver.session("other");
        assert_eq!(turns(&quiver, "other").await.len(), 1);
    }
    assert_eq!(exported(&quiver).await.lines().count(), before.lines().count() + 1);
}

#[tokio::test]
async fn turns_change_nothing_for_documents() {
    let quiver = trams().await;
    let questions =
        ["Who leads Juno?", "Who leads the project with the budget of 30,000 euros?", "When did Omar join?"];
    let mut before = Vec::new();
    for question in questions {
        before.push(quiver.retrieve(question).await.unwrap().passages);
    }
    let documents = quiver.documents().await.unwrap();
    let mut session = quiver.session("s");
    for _ in 0..3 {
        becomes(&mut session, &questions).await;
    }
    session.close().await.unwrap();
    assert_eq!(turns(&quiver, "s").await.len(), 9);
    for (question, before) in questions.iter().zip(before) {
        assert_eq!(quiver.retrieve(*question).await.unwrap().passages, before, "{question}");
    }
    assert_eq!(quiver.documents().await.unwrap(), documents);
    assert!(quiver.verify().await.unwrap().is_empty());
    // Statistics read from the points are those that were kept up.
    let kept_up = quiver.graph().statistics().await.unwrap();
    assert_eq!(quiver.graph().refresh_statistics().await.unwrap(), kept_up);
}

#[tokio::test]
async fn sessions_of_workspaces_are_apart() {
    let store = store();
    let (one, other) = (open(&store, "one").await, open(&store, "other").await);
    one.ingest(documents()).await.unwrap();
    other.ingest(documents()).await.unwrap();
    let mut session = one.session("s");
    becomes(&mut session, &["Who leads Juno?"]).await;
    let mut session = other.session("s");
    assert!(session.turns().await.unwrap().is_empty());
    let read = session.contextualise("What were its blockers?").await.unwrap();
    assert_eq!(read.standalone, "What were its blockers?");
    assert!(turns(&other, "s").await.is_empty());
}

#[tokio::test]
async fn turns_are_written_in_the_background_and_awaited_at_close() {
    let quiver = trams().await;
    let options = SessionOptions { background: true, ..SessionOptions::default() };
    let mut session = quiver.session("s").with_options(options);
    // Understood from turns that may not be written yet.
    let became =
        becomes(&mut session, &["Who leads Juno?", "Where is she from?", "When did she join?"]).await;
    assert_eq!(became, "When did Ada Brandt join?");
    session.close().await.unwrap();
    assert_eq!(turns(&quiver, "s").await.len(), 3);
}

#[tokio::test]
async fn old_turns_are_pruned_or_archived_by_policy() {
    let quiver = trams().await;
    let questions = ["Who leads Juno?", "Who leads Vesta?", "Who is Ada Brandt?", "Who is Omar Lind?"];
    for way in [RetentionWay::Prune, RetentionWay::Archive] {
        let retention = Retention { turns_max: Some(2), way, ..Retention::default() };
        let name = format!("{way:?}");
        let mut session =
            quiver.session(&name).with_options(SessionOptions { retention, ..SessionOptions::default() });
        becomes(&mut session, &questions).await;
        session.close().await.unwrap();
        let kept = turns(&quiver, &name).await;
        let told = kept.iter().filter(|turn| turn.text.contains("Who")).count();
        let archived: Vec<&Passage> = kept.iter().filter(|turn| turn.text == "archived").collect();
        assert_eq!(told, 2);
        assert_eq!(archived.len(), if way == RetentionWay::Archive { 2 } else { 0 });
        assert!(archived.iter().all(|turn| !turn.entities.is_empty() && !turn.metadata.contains_key("text")));
        let text = exported(&quiver).await;
        let said = |question: &str| {
            text.lines().filter(|line| line.contains(&name) && line.contains(question)).count()
        };
        assert_eq!(said("Who leads Juno?"), 0, "the words of an old turn are gone");
    }
    let retention = Retention { age_max: Some(Duration::from_secs(1)), ..Retention::default() };
    let mut session =
        quiver.session("aged").with_options(SessionOptions { retention, ..SessionOptions::default() });
    session.ask(FollowUp::new("Who leads Juno?").at(1_000)).await.unwrap();
    session.ask(FollowUp::new("Who leads Vesta?").at(9_000)).await.unwrap();
    assert_eq!(turns(&quiver, "aged").await.len(), 1);
}

#[tokio::test]
async fn what_was_remembered_in_a_session_is_in_its_focus() {
    let quiver = trams().await;
    quiver.remember(vec![Turn::new("s", "Vesta is late again.").by("Ines").at(1)]).await.unwrap();
    let mut session = quiver.session("s");
    assert_eq!(session.turns().await.unwrap().len(), 1);
    let standalone = becomes(&mut session, &["Who leads it?"]).await;
    assert_eq!(standalone, "Who leads Vesta?");
    assert_eq!(turns(&quiver, "s").await.len(), 2, "a statement and a question");
}

fn remembering() -> SessionOptions {
    SessionOptions { remember: true, background: true, ..SessionOptions::default() }
}

#[tokio::test]
async fn what_is_stated_is_noted_and_answers_later_questions() {
    let quiver = trams().await;
    let mut session = quiver.session("s").with_options(remembering());
    let reply = session.ask("Our Project Heron depends on Oracle.").await.unwrap();
    assert_eq!(reply.noted.unwrap().to_string(), "Noted: Project Heron depends on Oracle.");
    assert!(reply.answer.is_none());
    session.ask("Our Project Heron now depends on Postgres.").await.unwrap();
    for question in ["What does it depend on now?", "What does Project Heron depend on?"] {
        let answer = session.ask(question).await.unwrap().answer.unwrap();
        assert_eq!(answer.text.as_deref(), Some("Our Project Heron now depends on Postgres."), "{question}");
        assert_eq!(answer.best.as_deref(), Some("Postgres"), "{question}");
        assert_eq!(answer.citations[0].title, "s");
    }
    // Documents still answer what was not stated.
    let answer = session.ask("Who leads Juno?").await.unwrap().answer.unwrap();
    assert!(answer.text.is_none_or(|text| text.contains("Ada Brandt")));
    session.close().await.unwrap();
    let facts = quiver.facts("Project Heron").await.unwrap();
    let values: Vec<&str> = facts.iter().map(|fact| fact.object.as_str()).collect();
    assert_eq!(values, ["Postgres"], "a value that is replaced is over");
    // The session goes on later.
    let mut session = quiver.session("s").with_options(remembering());
    let answer = session.ask("What does Project Heron depend on?").await.unwrap().answer.unwrap();
    assert_eq!(answer.best.as_deref(), Some("Postgres"));
}

#[tokio::test]
async fn a_statement_has_its_speaker_and_time() {
    let quiver = trams().await;
    let mut session = quiver.session("s").with_options(remembering());
    let ask = quiver::AskOptions { asker: Some("Ines".to_owned()), ..quiver::AskOptions::default() };
    let stated = FollowUp::new("Project Heron runs on Postgres.").at(1_700_000_000_000).with_options(ask);
    session.ask(stated).await.unwrap();
    session.flush().await.unwrap();
    let facts = quiver.facts("Project Heron").await.unwrap();
    let runs = facts.iter().find(|fact| fact.object == "Postgres").unwrap();
    assert_eq!(runs.speaker.as_deref(), Some("Ines"));
    assert_eq!(runs.valid_from, Some(1_700_000_000_000));
    let said = turns(&quiver, "s").await;
    assert!(
        said.iter().any(|turn| turn.text == "Project Heron runs on Postgres."),
        "a turn is kept as it was said"
    );
}

#[tokio::test]
async fn a_statement_without_a_fact_is_no_question_and_a_setting_answers_it_as_before() {
    let quiver = trams().await;
    let mut session = quiver.session("s").with_options(remembering());
    let reply = session.ask("That was very kind of you.").await.unwrap();
    let noted = reply.noted.unwrap();
    assert!(noted.facts.is_empty() && reply.answer.is_none());
    assert!(noted.to_string().contains("nothing was noted"));
    for question in ["Who leads Juno", "Juno budget", "Tell me about Vesta.", "Does Juno depend on Vesta?"] {
        let reply = session.ask(question).await.unwrap();
        assert!(reply.noted.is_none() && reply.answer.is_some(), "{question}");
    }
    let mut session = quiver.session("off");
    let reply = session.ask("Project Heron depends on Postgres.").await.unwrap();
    assert!(reply.noted.is_none() && reply.answer.is_some());
    assert!(quiver.facts("Project Heron").await.unwrap().is_empty());
}

#[tokio::test]
async fn a_name_in_full_is_left_as_it_is() {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        ("quokka", "Project Quokka", "Project Quokka is led by Ana Lee. Project Quokka depends on Redis."),
        ("yak", "Yak", "A Yak is an animal of the mountains. Yak milk is fat."),
        ("gate", "Gate Nord", "Gate Nord was opened in 1931. Gate Nord has a lamp."),
    ];
    let documents = documents.map(|(key, title, text)| Document::new(key, text).with_title(title));
    quiver.ingest(documents).await.unwrap();
    for (number, before) in
        ["What does Project Quokka depend on?", "When was Gate Nord opened?"].iter().enumerate()
    {
        for question in [
            "What does Project Yak depend on?",
            "Who leads Project Yak?",
            "What does Project Okapi Yak cost?",
            "When was Gate Yak opened?",
            "When was Gate Sud opened?",
        ] {
            let mut session = quiver.session(format!("{number} {question}"));
            assert_eq!(becomes(&mut session, &[question]).await, question);
            let mut session = quiver.session(format!("{number} after {question}"));
            assert_eq!(becomes(&mut session, &[before, question]).await, question, "after {before}");
        }
    }
    // A part of a name still stands for the whole.
    let mut session = quiver.session("part");
    let became = becomes(&mut session, &["Who leads Project Quokka?", "What does Quokka depend on?"]).await;
    assert_eq!(became, "What does Project Quokka depend on?");
}

#[tokio::test]
async fn an_empty_question_is_refused() {
    let quiver = trams().await;
    let error = quiver.session("s").ask("  ").await.unwrap_err();
    assert_eq!(error.kind(), quiver::ErrorKind::Invalid);
}

/// A choir, a quarry and a canal, each with what went well, what went wrong, and what such a thing is in general.
async fn ventures() -> Quiver {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        (
            "ostra_survey",
            "The Ostra survey mapped 61% of its caves in 2021, with quick progress in the northern valley.",
        ),
        (
            "ostra_survey_hindrances",
            "The gravest hindrances of the Ostra survey were a flooded shaft and a lack of rope.",
        ),
        (
            "on_hindrances",
            "A hindrance is whatever keeps a party from its work. The gravest hindrances are noted on the first page.",
        ),
        ("velm_canal", "The barge Velm carried 14 of its 20 loads in May 2020, mostly in the lower locks."),
        (
            "velm_canal_damage",
            "The chief causes of damage to the barge Velm were floating logs and a low quay.",
        ),
        ("tarsk_survey", "The Tarsk survey was broken off. Its gravest hindrance was a landslide."),
    ];
    let documents = documents.map(|(key, text)| Document::new(key, text).with_title(key));
    quiver.ingest(documents).await.expect("documents are read");
    quiver
}

#[tokio::test]
async fn a_request_for_a_summary_is_answered_and_the_thing_stays_the_subject() {
    let quiver = ventures().await;
    for (number, request) in [
        "Give me a digest of the Ostra survey in 2021.",
        "How did 2021 go for the Ostra survey?",
        "Please sum up the first year of the Ostra survey.",
        "Could you brief me on the caves of the Ostra survey?",
        "Tell me how the 2021 season went for the Ostra survey.",
        "How did the Ostra survey fare in 2021? A short recap, please.",
    ]
    .into_iter()
    .enumerate()
    {
        let mut session = quiver.session(format!("request {number}"));
        let reply = session.ask(request).await.unwrap();
        let answer = reply.answer.unwrap();
        let is_year = request.contains("year") || request.contains("season");
        assert!(is_year || answer.text.as_deref().is_some_and(|text| text.contains("61%")), "{request}");
        let follow_ups = [
            ("What were its gravest hindrances?", "What were the Ostra survey's gravest hindrances?"),
            ("What about it in the northern valley?", "What about the Ostra survey in the northern valley?"),
        ];
        for (asked, expected) in follow_ups {
            let reply = session.ask(asked).await.unwrap();
            assert_eq!(reply.read.standalone, expected, "{request}");
        }
        let reply = session.ask("And the Tarsk survey?").await.unwrap();
        assert!(!reply.read.standalone.contains("Ostra"), "{request}: {}", reply.read.standalone);
    }
}

#[tokio::test]
async fn a_question_returns_to_a_thing_and_asks_the_same_of_another() {
    let quiver = ventures().await;
    let mut session = quiver.session("s");
    for (question, expected) in [
        ("What were the gravest hindrances of the Ostra survey?", "flooded shaft"),
        ("Back to the barge Velm: how many loads did it carry?", "14"),
        ("To come back to the Ostra survey: what share of its caves did it map?", "61%"),
        ("What were the gravest hindrances of the Ostra survey?", "flooded shaft"),
        ("And the Tarsk survey?", "landslide"),
    ] {
        let reply = session.ask(question).await.unwrap();
        let text = reply.answer.and_then(|answer| answer.text);
        assert!(text.as_deref().is_some_and(|text| text.contains(expected)), "{question}: {text:?}");
        assert_ne!(text.as_deref(), Some("20 loads"), "{question}");
    }
}

/// Two people with one surname behind a title, two mills with one noun, two schools named after one saint.
async fn namesakes() -> Quiver {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        ("Dr Vera Lorm", "Dr Vera Lorm leads the kiln group as a visiting chemist. She arrived in March."),
        ("Dr Abel Lorm", "Dr Abel Lorm leads the glaze group as a resident chemist. He arrived in 2012."),
        ("Tolk Water Mill", "The Tolk Water Mill stands in Ebbe. It was repaired in 1970."),
        ("Tolk Steam Mill", "The Tolk Steam Mill stands in Arden. It was repaired in 1988."),
        ("St Ann's Hospital", "St Ann's Hospital is located in Wick. It was founded in 1890."),
        ("St Ann's College", "St Ann's College is located in Dorn. It was founded in 1911."),
    ];
    let documents = documents.map(|(title, text)| Document::new(title, text).with_title(title));
    quiver.ingest(documents).await.expect("documents are read");
    quiver
}

#[tokio::test]
async fn a_shared_part_of_names_is_asked_back_in_the_order_of_the_documents() {
    let quiver = namesakes().await;
    for (number, (question, options)) in [
        ("What does Dr Lorm lead?", ["Dr Vera Lorm", "Dr Abel Lorm"]),
        ("Where does the Tolk Mill stand?", ["Tolk Water Mill", "Tolk Steam Mill"]),
        ("Where is St Ann's located?", ["St Ann's Hospital", "St Ann's College"]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut session = quiver.session(format!("order {number}"));
        let reply = session.ask(question).await.unwrap();
        let asked: Vec<String> = reply
            .asks()
            .into_iter()
            .flat_map(|asks| &asks.options)
            .map(|option| option.name.clone())
            .collect();
        assert_eq!(asked, options, "{question}");
        let reply = session.ask("number two").await.unwrap();
        assert!(reply.read.standalone.contains(options[1]), "{}", reply.read.standalone);
    }
}

#[tokio::test]
async fn a_follow_up_asks_what_somebody_is() {
    let quiver = namesakes().await;
    let mut session = quiver.session("s");
    for (question, standalone, expected) in [
        ("Which group does Dr Vera Lorm lead?", "Which group does Dr Vera Lorm lead?", "kiln"),
        ("What kind of chemist is she?", "What kind of chemist is Dr Vera Lorm?", "visiting"),
        ("Which group is led by Dr Abel Lorm?", "Which group is led by Dr Abel Lorm?", "glaze"),
        ("When did he arrive?", "When did Dr Abel Lorm arrive?", "2012"),
    ] {
        let reply = session.ask(question).await.unwrap();
        assert_eq!(reply.read.standalone, standalone);
        let text = reply.answer.and_then(|answer| answer.text);
        assert!(text.as_deref().is_some_and(|text| text.contains(expected)), "{question}: {text:?}");
    }
}

/// A dam and a trial, each with what such a thing is in general, and a play that a paper wrote about.
async fn works() -> Quiver {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        (
            "sable_dam_autumn",
            "By the start of October the Sable Dam had poured 40 of its 55 blocks, and the drainage was ahead of schedule.",
        ),
        (
            "sable_dam_risks",
            "The gravest risk to the Sable Dam is a fault under the left bank, followed by a shortage of cement.",
        ),
        (
            "dam_manual",
            "A risk is anything that may stop a dam. The gravest risk is written on the first page of the log.",
        ),
        ("dunmore_trial", "The Dunmore trial lasted nine weeks. The jury trusted mainly the tide tables."),
        (
            "dunmore_verdict",
            "The Dunmore trial ended with a fine of 900 euros. The pilot at the Dunmore trial was Ole Brandt.",
        ),
        ("jury_guide", "The jury may trust any evidence. What the jury mainly trusted is kept secret."),
        (
            "gull_review",
            "The Harbour Post praised the play Grey Gulls for its lighting and gave it five stars.",
        ),
        ("gull_staff", "Grey Gulls was directed by Nell Osgood. It runs until May."),
    ];
    let documents = documents.map(|(key, text)| Document::new(key, text).with_title(key));
    quiver.ingest(documents).await.expect("documents are read");
    quiver
}

#[tokio::test]
async fn a_pronoun_means_the_named_thing_and_not_a_phrase_or_a_date_beside_it() {
    let quiver = works().await;
    let cases: [(&[&str], &str); 10] = [
        (
            &["How far along was the Sable Dam at the start of October?", "What is holding it up?"],
            "What is holding the Sable Dam up?",
        ),
        (
            &[
                "How many blocks had the Sable Dam poured by October?",
                "What is the gravest risk to it?",
                "What about its drainage?",
            ],
            "What about the Sable Dam's drainage?",
        ),
        (
            &["What is the gravest risk to the Sable Dam?", "What about the drainage there?"],
            "What about the drainage in the Sable Dam?",
        ),
        // The passages say that of the phrase.
        (
            &["What is the gravest risk to the Sable Dam?", "Where is it written?"],
            "Where is the gravest risk written?",
        ),
        (
            &["How many blocks are in place at the Sable Dam?", "How is the drainage of it?"],
            "How is the drainage of the Sable Dam?",
        ),
        (
            &["What did the Harbour Post say about the play Grey Gulls?", "Who directed it?"],
            "Who directed Grey Gulls?",
        ),
        (
            &["How many stars did the Harbour Post give Grey Gulls?", "Who directed the play?"],
            "Who directed the play Grey Gulls?",
        ),
        (
            &["What is praised in the play Grey Gulls?", "Until when does it run?"],
            "Until when does Grey Gulls run?",
        ),
        (
            &["How long did the Dunmore trial last?", "What did the jury mainly trust?", "When did it end?"],
            "When did the Dunmore trial end?",
        ),
        (
            &["How long did the Dunmore trial last?", "What about the jury in that trial?"],
            "What about the jury in the Dunmore trial?",
        ),
    ];
    for (number, (questions, expected)) in cases.into_iter().enumerate() {
        let mut session = quiver.session(format!("case {number}"));
        assert_eq!(becomes(&mut session, questions).await, expected, "{questions:?}");
    }
}

#[tokio::test]
async fn a_definite_phrase_is_of_the_topic_if_a_passage_says_so() {
    let quiver = works().await;
    let (dam, trial) =
        ("How many blocks had the Sable Dam poured by October?", "How long did the Dunmore trial last?");
    let cases = [
        (dam, "What is the gravest risk?", "What is the gravest risk to the Sable Dam?"),
        (dam, "And what's the gravest risk?", "And what's the gravest risk to the Sable Dam?"),
        (dam, "And the gravest risk, what is that?", "And what is the gravest risk to the Sable Dam?"),
        (dam, "And the gravest risk?", "What is the gravest risk to the Sable Dam?"),
        (dam, "The drainage, how is it going?", "How is the drainage of the Sable Dam going?"),
        (trial, "What did the jury mainly trust?", "What did the jury of the Dunmore trial mainly trust?"),
        (trial, "Who was the pilot?", "Who was the pilot at the Dunmore trial?"),
        (trial, "And the fine, how high was it?", "And how high was the fine of the Dunmore trial?"),
        (
            "Who was the pilot at the Dunmore trial?",
            "How high was the fine?",
            "How high was the fine of the Dunmore trial?",
        ),
        // The passages about the topic do not say it.
        (dam, "What may the jury trust?", "What may the jury trust?"),
        (trial, "What is the gravest risk?", "What is the gravest risk?"),
        (dam, "Who directed Grey Gulls for the stage?", "Who directed Grey Gulls for the stage?"),
    ];
    for (number, (first, second, expected)) in cases.into_iter().enumerate() {
        let mut session = quiver.session(format!("case {number}"));
        assert_eq!(becomes(&mut session, &[first, second]).await, expected, "{first} {second}");
    }
}

#[tokio::test]
async fn an_option_is_chosen_by_a_part_of_its_name_or_by_what_it_is() {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        ("Crane 410", "The Crane 410 stands on the quay, where it lifts timber. It was bought in 2004."),
        ("Crane 750", "The Crane 750 stands in the yard, where it lifts steel. It was bought in 2016."),
        ("Café Linde", "Café Linde is on Mill Street and opens at eight. Its baker is Jon."),
        ("Bistro Linde", "Bistro Linde is on Dock Square and opens at noon. Its cook is Mia."),
    ];
    let documents = documents.map(|(title, text)| Document::new(title, text).with_title(title));
    quiver.ingest(documents).await.expect("documents are read");
    let (cranes, lindes) = (["Crane 410", "Crane 750"], ["Café Linde", "Bistro Linde"]);
    for (number, (question, options, choice, expected)) in [
        ("When was the Crane bought?", cranes, "The 750.", "When was the Crane 750 bought?"),
        ("When was the Crane bought?", cranes, "410", "When was the Crane 410 bought?"),
        ("When was the Crane bought?", cranes, "the one in the yard", "When was the Crane 750 bought?"),
        (
            "When was the Crane bought?",
            cranes,
            "The one that lifts timber.",
            "When was the Crane 410 bought?",
        ),
        ("What time does Linde open?", lindes, "I mean the bistro.", "What time does Bistro Linde open?"),
        ("What time does Linde open?", lindes, "the cafe, please", "What time does Café Linde open?"),
        // Both were bought, and neither is in the harbour.
        ("When was the Crane bought?", cranes, "the one that was bought", "the one that was bought"),
        ("When was the Crane bought?", cranes, "the one in the harbour", "the one in the harbour"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut session = quiver.session(format!("case {number}"));
        let reply = session.ask(question).await.unwrap();
        let asked: Vec<String> = reply
            .asks()
            .into_iter()
            .flat_map(|asks| &asks.options)
            .map(|option| option.name.clone())
            .collect();
        assert_eq!(asked, options, "{question}");
        let reply = session.ask(choice).await.unwrap();
        assert_eq!(reply.read.standalone, expected, "{choice}");
    }
    // A name without its accent is the same name.
    let mut session = quiver.session("plain");
    let follow_up = becomes(&mut session, &["Who bakes at Cafe Linde?", "When does it open?"]).await;
    assert_eq!(follow_up, "When does Café Linde open?");
}

/// Three boats, a winter show with a second one, and three yards that share a part of a name.
async fn harbour() -> Quiver {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        (
            "corvina_summer",
            "The trawler Corvina landed 71 of her 90 promised loads in summer, with her best hauls off Cape Lorn.",
        ),
        ("corvina_mishaps", "The gravest mishaps of the Corvina were a torn net and a fire in the galley."),
        ("on_mishaps", "A mishap is whatever a crew reports. The gravest mishaps are read out on Mondays."),
        (
            "sails_of_ostra",
            "The show Sails of Ostra sold 8,100 tickets last winter, and children loved the rope corner.",
        ),
        ("sails_of_ostra_flaws", "The worst flaws of Sails of Ostra were dim lamps and a cold hall."),
        ("Hollow Yard", "Hollow Yard lies in Brandt parish and is a repair yard. It was paved in 1988."),
        ("Hollow Field", "Hollow Field lies in Tolk parish and is a football pitch. It was paved in 2003."),
        ("Lorn Petrel", "Lorn Petrel works from Dorn as a harbour tug. She was built in 1991."),
        ("Ada Petrel", "Ada Petrel works in the sail loft as a rigger. She came in 2015."),
    ];
    let documents = documents.map(|(key, text)| Document::new(key, text).with_title(key));
    quiver.ingest(documents).await.expect("documents are read");
    quiver
}

#[tokio::test]
async fn a_ship_is_she_and_a_season_is_not_it() {
    let quiver = harbour().await;
    let first = "Tell me briefly how the summer turned out for the trawler Corvina.";
    let show = "Please give me the gist of last winter's show Sails of Ostra.";
    let cases: [(&[&str], &str); 5] = [
        (&[first, "And what were her gravest mishaps?"], "And what were Corvina's gravest mishaps?"),
        (&[show, "Which were its worst flaws?"], "Which were Sails of Ostra's worst flaws?"),
        (&[show, "What about the rope corner in it?"], "What about the rope corner in Sails of Ostra?"),
        // A show is not "she".
        (&[show, "What were her worst flaws?"], "What were her worst flaws?"),
        (
            &[first, "What were the gravest mishaps of the Corvina?", "And in the Galway shoals?"],
            "What were the gravest mishaps of the Corvina in the Galway shoals?",
        ),
    ];
    for (number, (questions, expected)) in cases.into_iter().enumerate() {
        let mut session = quiver.session(format!("case {number}"));
        assert_eq!(becomes(&mut session, questions).await, expected, "{questions:?}");
    }
}

#[tokio::test]
async fn a_sentence_may_turn_to_a_thing_before_the_question() {
    let quiver = harbour().await;
    let mut session = quiver.session("s");
    for (question, expected) in [
        ("What's the short version of the Corvina's summer?", Some("71")),
        ("How did Sails of Ostra stand last winter? A summary will do.", Some("8,100")),
        ("Let's go back to the Corvina. How many loads did she land?", Some("71")),
        ("What caused the mishaps of the Corvina off Cape Lorn?", None),
    ] {
        let reply = session.ask(question).await.unwrap();
        let text = reply.answer.and_then(|answer| answer.text);
        match expected {
            Some(expected) => assert!(text.is_some_and(|text| text.contains(expected)), "{question}"),
            None => assert_eq!(text.filter(|text| text.contains("hauls")), None, "{question}"),
        }
    }
}

#[tokio::test]
async fn a_follow_up_asks_for_the_kind_of_the_thing_asked_about() {
    let quiver = harbour().await;
    for (number, (questions, standalone, expected)) in [
        (
            ["Which parish does Hollow Yard lie in?", "And what kind of yard is it?"],
            "And what kind of yard is Hollow Yard?",
            Some("repair"),
        ),
        (
            ["Where does Lorn Petrel work?", "What sort of ship is she?"],
            "What sort of ship is Lorn Petrel?",
            Some("tug"),
        ),
        (
            ["Where does Ada Petrel work?", "What is her job there?"],
            "What is Ada Petrel's job there?",
            Some("rigger"),
        ),
        // Nothing says what she does in Dorn.
        (
            ["Where does Ada Petrel work?", "What is Ada Petrel's job in Dorn?"],
            "What is Ada Petrel's job in Dorn?",
            None,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let mut session = quiver.session(format!("kind {number}"));
        session.ask(questions[0]).await.unwrap();
        let reply = session.ask(questions[1]).await.unwrap();
        assert_eq!(reply.read.standalone, standalone);
        let text = reply.answer.and_then(|answer| answer.text);
        match expected {
            Some(expected) => assert!(text.is_some_and(|text| text.contains(expected)), "{questions:?}"),
            None => assert_eq!(text, None, "{questions:?}"),
        }
    }
}

/// Two people with one first name, two incidents, two halls of one name, and an office.
async fn rink() -> Quiver {
    let quiver = Quiver::in_memory().await.expect("memory is there");
    let documents = [
        ("Ana Torvik", "Ana Torvik is the ice master of the rink. She was born in Tromso."),
        ("Ana Sundby", "Ana Sundby is a skating teacher. She was born in Lund."),
        ("ICE-4471", "ICE-4471 was a leak of ammonia. It was reported by Ana Torvik."),
        ("ICE-4472", "ICE-4472 was a broken board. It was reported by Ana Sundby."),
        (
            "Skate office",
            "The skate office hires out skates. A pair of skates costs 6 euros. It opens at noon.",
        ),
        ("Old Hall", "Old Hall has seats for 300 people. It was built in 1961."),
    ];
    quiver
        .ingest(documents.map(|(title, text)| Document::new(title, text).with_title(title)))
        .await
        .expect("documents are read");
    quiver
}

#[tokio::test]
async fn what_was_meant_is_named_and_what_is_not_known_is_left() {
    let quiver = rink().await;
    let cases: [(&[&str], &str); 8] = [
        (&["Where was Ana Torvik born?", "And the other Ana?"], "Where was Ana Sundby born?"),
        (&["Who reported ICE-4471?", "And 4472?"], "Who reported ICE-4472?"),
        (&["When was Old Hall built?", "Is it closed if it rains?"], "Is Old Hall closed if it rains?"),
        (&["When was Old Hall built?", "Whats its size?"], "Whats Old Hall's size?"),
        (&["When was Old Hall built?", "It's big, isn't it?"], "Old Hall's big, isn't it?"),
        (&["Wow. When was Old Hall built?", "Who owns it?"], "Who owns Old Hall?"),
        (
            &["When was Old Hall built?", "And the price per night?"],
            "What is the price of Old Hall per night?",
        ),
        (&["When does the skate office open?", "What do they charge?"], "What do the skate office charge?"),
    ];
    for (number, (questions, expected)) in cases.into_iter().enumerate() {
        let mut session = quiver.session(format!("case {number}"));
        assert_eq!(becomes(&mut session, questions).await, expected, "{questions:?}");
    }
}

#[tokio::test]
async fn a_question_about_nobody_knows_whom_has_no_answer() {
    let quiver = rink().await;
    let mut session = quiver.session("open");
    let reply = session.ask("Where was she born?").await.expect("the question is read");
    let answer = reply.answer.expect("passages are found");
    assert_eq!(answer.text, None, "{:?}", reply.read.standalone);
    assert!(!answer.evidence.passages.is_empty());
}
