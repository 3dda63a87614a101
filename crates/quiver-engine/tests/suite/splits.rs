//! Splits: one entity that is really two things, told apart from then on, until that is undone.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use quiver::{
    Document, ErrorKind, Quiver,
    graph::{EntityId, PassageId},
    memory::{DecisionKind, Fact, Forget, GraphExportOptions, SplitTexts, Turn},
    models::{Embedder, Embedding, Encoder, Fingerprint, Input, Role, testing::HashEmbedder},
};

const TEAM: &str = "Mercury (team)";

fn pages() -> Vec<Document> {
    let page = |key: &str, title: &str, text: &str| Document::new(key, text).with_title(title);
    vec![
        page("planet", "Mercury", "Mercury is the smallest planet. Mercury was first mapped by Lena Voss."),
        page("moons", "Moons", "Mercury has no moons. The Earth has one moon."),
        page("team", "Mercury", "Toto Brandt leads Mercury. Mercury was founded in 2009 by Ross Lind."),
        page("cars", "Cars", "The seat of Mercury is Brackley. Ten people build each car."),
        page("brandt", "Toto Brandt", "Toto Brandt was born in Ystad. He collects clocks."),
        page("voss", "Lena Voss", "Lena Voss was born in Haldby. She paints."),
    ]
}

fn turn(number: u64, session: &str, predicate: &str, object: &str) -> Turn {
    let text = format!("Mercury {predicate} {object}.");
    let at = i64::try_from(number).unwrap() + 1;
    Turn::new(session, text).at(at).numbered(number).stating(Fact::new("Mercury", predicate, object))
}

async fn filled() -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.ingest(pages()).await.unwrap();
    let turns = vec![
        turn(0, "stars", "is observed by", "Ida Holm"),
        turn(0, "race", "is sponsored by", "Petra Oil"),
        turn(1, "race", "is driven by", "Bo Lind"),
    ];
    quiver.remember(turns).await.unwrap();
    quiver
}

fn set<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    all.into_iter().collect()
}

fn texts() -> SplitTexts {
    SplitTexts {
        documents: set(["team".to_owned(), "cars".to_owned()]),
        sessions: set(["race".to_owned()]),
        ..SplitTexts::default()
    }
}

async fn id_of(quiver: &Quiver, name: &str) -> EntityId {
    let named = quiver.graph().entities_named(&[name.to_lowercase()], 9).await.unwrap();
    assert_eq!(named.len(), 1, "{named:?}");
    named[0].id
}

async fn documents_of(quiver: &Quiver, question: &str) -> BTreeSet<String> {
    let evidence = quiver.retrieve(question).await.unwrap();
    evidence.passages.into_iter().map(|ranked| ranked.passage.document).collect()
}

async fn ask(quiver: &Quiver, question: &str) -> Option<String> {
    quiver.ask(question).await.unwrap().text
}

async fn recall(quiver: &Quiver, question: &str) -> Option<String> {
    quiver.recall(question).await.unwrap().answer
}

/// The objects of the facts about a thing, without decisions.
async fn facts(quiver: &Quiver, about: &str) -> BTreeSet<String> {
    let facts = quiver.facts(about).await.unwrap().into_iter();
    facts.filter(|fact| fact.predicate != "split into").map(|fact| fact.object).collect()
}

async fn dump(quiver: &Quiver) -> Vec<u8> {
    let mut dump = Vec::new();
    quiver.export().vectors().write_to(&mut dump).await.unwrap();
    dump
}

async fn copy(quiver: &Quiver) -> Quiver {
    let copy = Quiver::in_memory().await.unwrap();
    copy.import(dump(quiver).await.as_slice()).await.unwrap();
    copy
}

/// All that is stored except for the decision and the names that it keeps.
async fn without_decision(quiver: &Quiver) -> BTreeSet<String> {
    let dump = String::from_utf8(dump(quiver).await).unwrap();
    dump.lines().filter(|line| !line.contains("(team)")).map(str::to_owned).collect()
}

async fn check_split(quiver: &Quiver) {
    for (question, answer) in [
        ("Who leads Mercury (team)?", Some("Toto Brandt")),
        ("Who founded Mercury (team)?", Some("Ross Lind")),
        ("Where was the leader of Mercury (team) born?", Some("Ystad")),
        ("Who first mapped Mercury?", Some("Lena Voss")),
        ("Who leads Mercury?", None),
        ("Who first mapped Mercury (team)?", None),
    ] {
        let asked = quiver.ask(question).await.unwrap();
        assert_eq!(asked.evidence.question, question);
        // A value that is not sure enough is given with its sentence.
        let is_as_wanted = match (&asked.text, answer) {
            (Some(text), Some(answer)) => text.contains(answer),
            (given, wanted) => given.as_deref() == wanted,
        };
        assert!(is_as_wanted, "{question}: {:?} {}", asked.text, asked.trace());
    }
    let of_team = documents_of(quiver, "What is Mercury (team)?").await;
    assert!(of_team.contains("team") && of_team.contains("cars"), "{of_team:?}");
    assert!(!of_team.contains("planet") && !of_team.contains("moons"), "{of_team:?}");
    let of_planet = documents_of(quiver, "What is Mercury?").await;
    assert!(of_planet.contains("planet") && of_planet.contains("moons"), "{of_planet:?}");
    assert!(!of_planet.contains("team") && !of_planet.contains("cars"), "{of_planet:?}");
    let trace = quiver.retrieve("What is Mercury?").await.unwrap().trace.to_string();
    assert!(trace.contains("excluded passages about only Mercury (team)"), "{trace}");

    for (question, answer) in [
        ("Who sponsors Mercury (team)?", Some("Petra Oil")),
        ("Who observes Mercury?", Some("Ida Holm")),
        ("Who sponsors Mercury?", None),
        ("Who drives Mercury?", None),
    ] {
        let recalled = quiver.recall(question).await.unwrap();
        match answer {
            Some(_) => assert_eq!(recalled.answer.as_deref(), answer, "{question}: {}", recalled.trace),
            None => assert!(!recalled.text().contains("Petra Oil") && !recalled.text().contains("Ida Holm")),
        }
        let session = if question.contains("team") { "stars" } else { "race" };
        assert!(recalled.turns.iter().all(|turn| turn.session != session), "{question}: {recalled:#?}");
    }
    let observed = quiver.recall("Who observes Mercury (team)?").await.unwrap();
    assert_eq!(observed.answer, None, "{}", observed.trace);
    assert!(!observed.text().contains("Ida Holm"), "{observed:#?}");
    assert_eq!(facts(quiver, TEAM).await, set(["Petra Oil".to_owned(), "Bo Lind".to_owned()]));
    assert_eq!(facts(quiver, "Mercury").await, set(["Ida Holm".to_owned()]));

    let context = quiver.context("Who sponsors Mercury (team), and who leads Mercury (team)?").await.unwrap();
    let text = context.text();
    assert!(text.contains("Petra Oil") && text.contains("Toto Brandt"), "{text}");
    assert!(!text.contains("Ida Holm") && !text.contains("planet"), "{text}");

    // What Explore and queries read.
    let (planet, team) = (id_of(quiver, "Mercury").await, id_of(quiver, TEAM).await);
    let about = async |entity: EntityId| {
        let about = quiver.graph().all(&quiver::graph::filters::mentioning([entity])).await.unwrap();
        about.into_iter().map(|passage: quiver::graph::Passage| passage.document).collect::<BTreeSet<_>>()
    };
    assert_eq!(about(planet).await, set(["planet", "moons", "stars"].map(str::to_owned)));
    assert_eq!(about(team).await, set(["team", "cars", "race"].map(str::to_owned)));
    let query = "MATCH ({name: 'Mercury (team)'})-[:`is sponsored by`]->(n) RETURN n.name";
    assert_eq!(quiver.query(query).await.unwrap().rows, [["Petra Oil".into()]]);
    assert_eq!(quiver.verify().await.unwrap(), []);
}

async fn check_whole(quiver: &Quiver) {
    for (question, answer) in
        [("Who leads Mercury?", "Toto Brandt"), ("Who first mapped Mercury?", "Lena Voss")]
    {
        assert_eq!(ask(quiver, question).await.as_deref(), Some(answer), "{question}");
    }
    assert_eq!(recall(quiver, "Who sponsors Mercury?").await.as_deref(), Some("Petra Oil"));
    assert_eq!(facts(quiver, "Mercury").await.len(), 3);
    assert!(facts(quiver, TEAM).await.is_empty());
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thing_that_is_two_is_told_apart_until_that_is_undone() {
    let quiver = filled().await;
    check_whole(&quiver).await;
    let before = without_decision(&quiver).await;
    let (decision, moved) =
        quiver.split_entity("mercury", " Mercury (team) ", texts(), "said Bo").await.unwrap();
    assert_eq!(moved, 4);
    check_split(&quiver).await;
    check_split(&copy(&quiver).await).await;
    let taken = quiver.decisions().await.unwrap();
    assert_eq!((taken.len(), taken[0].kind, taken[0].id), (1, DecisionKind::Split, decision));
    assert_eq!((taken[0].name.as_str(), taken[0].other.as_deref()), ("Mercury", Some(TEAM)));

    quiver.undo(decision).await.unwrap();
    check_whole(&quiver).await;
    check_whole(&copy(&quiver).await).await;
    assert_eq!(without_decision(&quiver).await, before, "all is as it was");
    quiver.redo(decision).await.unwrap();
    check_split(&quiver).await;
    quiver.redo(decision).await.unwrap();
    check_split(&quiver).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn later_versions_and_turns_of_these_texts_are_of_the_other_thing() {
    let quiver = filled().await;
    let (decision, _) = quiver.split_entity("Mercury", TEAM, texts(), "").await.unwrap();
    quiver.ingest(pages()).await.unwrap();
    check_split(&quiver).await;
    let mut changed = pages();
    changed[2] =
        Document::new("team", "Toto Brandt leads Mercury. Mercury was founded in 2009 by Ross Lind. It won.")
            .with_title("Mercury");
    quiver.ingest(changed).await.unwrap();
    quiver.delete("cars").await.unwrap();
    quiver.ingest(pages().into_iter().filter(|page| page.key != "team")).await.unwrap();
    check_split(&quiver).await;
    let told = quiver.remember(vec![turn(2, "race", "is insured by", "Ann Berg")]).await.unwrap();
    assert_eq!(told[0].facts[0].1.subject, TEAM);
    quiver.remember(vec![turn(3, "stars", "is painted by", "Lena Voss")]).await.unwrap();
    assert_eq!(recall(&quiver, "Who insures Mercury (team)?").await.as_deref(), Some("Ann Berg"));
    assert_eq!(recall(&quiver, "Who insures Mercury?").await, None);
    assert_eq!(recall(&quiver, "Who paints Mercury?").await.as_deref(), Some("Lena Voss"));
    quiver.undo(decision).await.unwrap();
    assert_eq!(recall(&quiver, "Who insures Mercury?").await.as_deref(), Some("Ann Berg"));
    assert_eq!(ask(&quiver, "Who leads Mercury?").await.as_deref(), Some("Toto Brandt"));
    // The fact that was told meanwhile can still be undone by what it is now.
    let facts = quiver.facts("Mercury").await.unwrap();
    assert!(facts.iter().any(|fact| fact.object == "Ann Berg" && fact.subject == "Mercury"), "{facts:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn single_turns_tell_two_people_of_a_session_apart() {
    let quiver = Quiver::in_memory().await.unwrap();
    let said = |number: u64, predicate: &str, object: &str| {
        let text = format!("Alex {predicate} {object}.");
        Turn::new("team", text).at(1).numbered(number).stating(Fact::new("Alex", predicate, object))
    };
    let turns = vec![said(0, "lives in", "Oslo"), said(1, "works at", "Acme"), said(2, "lives in", "Bergen")];
    let told = quiver.remember(turns).await.unwrap();
    let passages: BTreeSet<PassageId> = set([told[2].turn]);
    let one = SplitTexts { passages, ..SplitTexts::default() };
    let (decision, moved) = quiver.split_entity("Alex", "Alex Moss", one, "").await.unwrap();
    assert_eq!(moved, 1);
    assert_eq!(recall(&quiver, "Where does Alex Moss live?").await.as_deref(), Some("Bergen"));
    assert_eq!(recall(&quiver, "Where does Alex live?").await.as_deref(), Some("Oslo"));
    assert_eq!(recall(&quiver, "Where does Alex Moss work?").await, None);
    // The same split again adds a text, and one undo takes all of it back.
    let other = SplitTexts { passages: set([told[1].turn]), ..SplitTexts::default() };
    assert_eq!(quiver.split_entity("Alex", "Alex Moss", other, "").await.unwrap(), (decision, 1));
    assert_eq!(recall(&quiver, "Where does Alex Moss work?").await.as_deref(), Some("Acme"));
    quiver.undo(decision).await.unwrap();
    assert_eq!(
        facts(&quiver, "Alex").await,
        set(["Acme", "Bergen"].map(str::to_owned)),
        "the later home holds"
    );
    quiver.redo(decision).await.unwrap();
    assert!(quiver.facts("Alex Moss").await.unwrap().iter().any(|fact| fact.predicate == "split into"));
    quiver.forget(&Forget::About("Alex Moss".to_owned())).await.unwrap();
    assert_eq!(facts(&quiver, "Alex").await, set(["Oslo".to_owned()]));
    assert!(!String::from_utf8(dump(&quiver).await).unwrap().contains("Alex Moss"));
    assert_eq!(quiver.decisions().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_leaves_the_decision_and_what_is_merged_is_one() {
    let quiver = filled().await;
    let (split, _) = quiver.split_entity("Mercury", TEAM, texts(), "").await.unwrap();
    let mut graph = Vec::new();
    quiver.export_graph(&GraphExportOptions::default(), &mut graph).await.unwrap();
    let graph = String::from_utf8(graph).unwrap();
    assert!(graph.contains(TEAM) && !graph.contains("split"), "{graph}");
    quiver.forget(&Forget::Session("race".to_owned())).await.unwrap();
    let kept = String::from_utf8(dump(&quiver).await).unwrap();
    assert!(!kept.contains("race") && kept.contains("split into"), "{kept}");

    let merge = quiver.merge("Mercury", TEAM, "").await.unwrap();
    assert!(ask(&quiver, "Who leads Mercury?").await.unwrap().contains("Toto Brandt"));
    quiver.undo(merge).await.unwrap();
    assert_eq!(ask(&quiver, "Who leads Mercury?").await, None);
    quiver.undo(split).await.unwrap();
    assert!(quiver.facts("Mercury").await.unwrap().iter().all(|fact| fact.predicate != "split into"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_was_split_off_is_split_again_and_renamed() {
    let quiver = filled().await;
    let (first, _) = quiver.split_entity("Mercury", TEAM, texts(), "").await.unwrap();
    let cars = SplitTexts { documents: set(["cars".to_owned()]), ..SplitTexts::default() };
    let (second, moved) = quiver.split_entity(TEAM, "Mercury (works)", cars, "").await.unwrap();
    assert_eq!(moved, 1);
    assert!(documents_of(&quiver, "What is Mercury (works)?").await.contains("cars"));
    let of_team = documents_of(&quiver, "What is Mercury (team)?").await;
    assert!(
        of_team.contains("team") && !of_team.contains("cars") && !of_team.contains("planet"),
        "{of_team:?}"
    );
    quiver.undo(second).await.unwrap();
    check_split(&quiver).await;
    let rename = quiver.rename_entity(TEAM, "Silver Arrows", "").await.unwrap();
    assert_eq!(ask(&quiver, "Who leads Silver Arrows?").await.as_deref(), Some("Toto Brandt"));
    assert_eq!(ask(&quiver, "Who first mapped Silver Arrows?").await, None);
    assert_eq!(ask(&quiver, "Who leads Mercury?").await, None);
    quiver.undo(rename).await.unwrap();
    check_split(&quiver).await;
    quiver.undo(first).await.unwrap();
    check_whole(&quiver).await;
}

#[tokio::test]
async fn what_can_not_be_split_is_refused() {
    let quiver = filled().await;
    quiver.query("CREATE (:Ship {name: 'Vega'})").await.unwrap();
    let of = |document: &str| SplitTexts { documents: set([document.to_owned()]), ..SplitTexts::default() };
    let gone = SplitTexts { sessions: set(["none".to_owned()]), ..SplitTexts::default() };
    let nothing = SplitTexts { passages: set([PassageId::from(told())]), ..SplitTexts::default() };
    for (name, to, texts, kind, says) in [
        ("Nobody", TEAM, of("team"), ErrorKind::NotFound, "nothing is called"),
        ("Mercury", " ", of("team"), ErrorKind::Invalid, "needs a name"),
        ("Mercury", "mercury", of("team"), ErrorKind::Invalid, "already its name"),
        ("Mercury", "Toto Brandt", of("team"), ErrorKind::Invalid, "merge the two"),
        ("Mercury", TEAM, SplitTexts::default(), ErrorKind::Invalid, "give the texts"),
        ("Mercury", TEAM, of("nowhere"), ErrorKind::NotFound, "no document \"nowhere\""),
        ("Mercury", TEAM, gone, ErrorKind::NotFound, "no session \"none\""),
        ("Mercury", TEAM, nothing, ErrorKind::NotFound, "no passage and no turn"),
        ("Mercury", TEAM, of("voss"), ErrorKind::Invalid, "mentions \"Mercury\""),
        ("Vega", TEAM, of("team"), ErrorKind::Invalid, "by a query"),
    ] {
        let error = quiver.split_entity(name, to, texts, "").await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    assert_eq!(quiver.decisions().await.unwrap(), []);
    check_whole(&quiver).await;
}

fn told() -> quiver::store::PointId {
    "019ab300-0000-7000-8000-000000000000".parse().unwrap()
}

#[tokio::test]
async fn a_split_belongs_to_its_workspace() {
    let quiver = filled().await;
    let other = quiver.in_workspace("other".parse().unwrap()).await.unwrap();
    other.ingest(pages()).await.unwrap();
    let (decision, _) = quiver.split_entity("Mercury", TEAM, texts(), "").await.unwrap();
    assert_eq!(ask(&other, "Who leads Mercury?").await.as_deref(), Some("Toto Brandt"));
    assert_eq!(other.undo(decision).await.unwrap_err().kind(), ErrorKind::NotFound);
    check_split(&quiver).await;
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn a_split_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let decision = {
        let quiver = Quiver::open(directory.path()).await.unwrap();
        quiver.import(dump(&filled().await).await.as_slice()).await.unwrap();
        let (decision, _) = quiver.split_entity("Mercury", TEAM, texts(), "").await.unwrap();
        check_split(&quiver).await;
        decision
    };
    let quiver = Quiver::open(directory.path()).await.unwrap();
    check_split(&quiver).await;
    quiver.undo(decision).await.unwrap();
    check_whole(&quiver).await;
}

/// Takes a decision once it embeds: while others write.
#[derive(Debug, Default)]
struct Deciding {
    hashes: HashEmbedder,
    quiver: Mutex<Option<(Quiver, bool)>>,
}

#[async_trait]
impl Embedder for Deciding {
    fn fingerprint(&self) -> &Fingerprint {
        self.hashes.fingerprint()
    }

    async fn embed(&self, role: Role, inputs: &[Input<'_>]) -> quiver::models::Result<Vec<Embedding>> {
        let deciding = self.quiver.lock().unwrap().take();
        if let Some((quiver, is_split)) = deciding {
            if is_split {
                quiver.split_entity("Mercury", TEAM, texts(), "").await.unwrap();
            } else {
                quiver.undo(quiver.decisions().await.unwrap()[0].id).await.unwrap();
            }
        }
        self.hashes.embed(role, inputs).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_while_a_split_is_decided_follows_it() {
    let deciding = Arc::new(Deciding::default());
    let encoder = Encoder::with_embedder(deciding.clone());
    let quiver = Quiver::builder().encoder(encoder).open().await.unwrap();
    quiver.ingest(pages()).await.unwrap();
    quiver.remember(vec![turn(9, "race", "is insured by", "Ann Berg")]).await.unwrap();
    let decide = |is_split| *deciding.quiver.lock().unwrap() = Some((quiver.clone(), is_split));
    let is_decided = || deciding.quiver.lock().unwrap().is_none();

    let race = Document::new("team", "Mercury was painted by Una Berg. Mercury won.").with_title("Mercury");
    decide(true);
    quiver.ingest([race.clone()]).await.unwrap();
    assert!(is_decided());
    let team = id_of(&quiver, TEAM).await;
    let speaking = async |entity| {
        let filter = quiver::graph::filters::mentioning([entity]);
        let passages: Vec<quiver::graph::Passage> = quiver.graph().all(&filter).await.unwrap();
        passages.into_iter().map(|passage| passage.document).collect::<BTreeSet<_>>()
    };
    assert!(speaking(team).await.contains("team"));
    let planet = id_of(&quiver, "Mercury").await;
    assert!(!speaking(planet).await.contains("team"));

    // What is remembered while the split is undone is of the one thing again.
    decide(false);
    quiver.remember(vec![turn(0, "race", "is sponsored by", "Petra Oil")]).await.unwrap();
    assert!(is_decided());
    assert_eq!(facts(&quiver, "Mercury").await, set(["Ann Berg", "Petra Oil"].map(str::to_owned)));
    decide(true);
    quiver.remember(vec![turn(1, "race", "is driven by", "Bo Lind")]).await.unwrap();
    assert!(is_decided());
    assert_eq!(facts(&quiver, TEAM).await, set(["Ann Berg", "Petra Oil", "Bo Lind"].map(str::to_owned)));
    assert!(facts(&quiver, "Mercury").await.is_empty());
    assert_eq!(quiver.verify().await.unwrap(), []);
    // Decisions have the dense vectors that all that is dated has.
    quiver.delete_entity("Ann Berg", "").await.unwrap();
    assert_eq!(quiver.verify().await.unwrap(), []);
}
