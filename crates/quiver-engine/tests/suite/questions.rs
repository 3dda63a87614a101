//! A question's way through the stages.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use crate::common::{engine, handbook};
use async_trait::async_trait;
use futures::TryStreamExt as _;
use quiver::{
    Answer, AskOptions, Budget, Document, ErrorKind, Event, HopStep, Meaning, NameChoice, Profile, Question,
    Quiver, Refusal, RerankCandidate, Reranker, Stage, Step,
    graph::{Entity, EntityId, PassageId},
    memory::{Fact, Turn},
};

const FIRST_LINE: &str = "What must be monitored with the first-line drug for type 2 diabetes?";

/// Asks, and compares the first documents of the evidence with what is expected there, in any order.
async fn check(documents: Vec<Document>, question: &str, expect: &[&str]) {
    let quiver = engine(documents).await;
    let evidence = quiver.retrieve(question).await.unwrap();
    let documents = evidence.passages.iter().map(|ranked| ranked.passage.document.as_str());
    let mut found: Vec<&str> = documents.take(expect.len()).collect();
    found.sort_unstable();
    assert_eq!(found, expect, "{}", evidence.trace);
}

#[tokio::test]
async fn two_hops_are_found() {
    check(handbook(), FIRST_LINE, &["diabetes", "metformin"]).await;
}

#[tokio::test]
async fn words_of_a_name_say_nothing_of_what_bears_a_name_like_it() {
    let page = |title: &str, text: &str| Document::new(title, text).with_title(title);
    let song = page(
        "Lanterns over the Old Harbour",
        "\"Lanterns over the Old Harbour\" is a single by Ida Quell, who wrote it in a barn.",
    );
    let singer = page("Ida Quell", "Ida Quell is an alto from Norvik, where her aunt kept bees.");
    let alike = ["Lanterns over the Harbour", "Old Harbour Lanterns", "Lanterns of the Old Harbour"]
        .map(|title| page(title, &format!("\"{title}\" is a song. It was recorded in a barn.")));
    let documents = [song, singer].into_iter().chain(alike).chain(handbook()).collect();
    let question = "Where was the performer of the song Lanterns over the Old Harbour born?";
    check(documents, question, &["Ida Quell", "Lanterns over the Old Harbour"]).await;
}

#[tokio::test]
async fn the_answer_has_its_path() {
    let quiver = engine(handbook()).await;
    let answer = quiver.ask(FIRST_LINE).await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("Renal function must be monitored once a year."));
    let ranked =
        answer.evidence.passages.iter().find(|ranked| ranked.passage.document == "metformin").unwrap();
    let [(_, Step::Mention { entity, sentence })] = ranked.path.as_slice() else {
        panic!("one step by a mention, not {:?}", ranked.path)
    };
    assert_eq!(entity, "Metformin");
    assert_eq!(sentence, "Metformin is the first-line drug for type 2 diabetes in adults.");
}

#[tokio::test]
async fn every_room_leaves_its_step_in_the_trace() {
    let quiver = engine(handbook()).await;
    let answer = quiver.ask(FIRST_LINE).await.unwrap();
    let stages: Vec<Stage> = answer.trace().steps.iter().map(|step| step.stage).collect();
    assert_eq!(stages, [Stage::Understand, Stage::Search, Stage::Expand, Stage::Rerank, Stage::Answer]);
    let again = quiver.ask(FIRST_LINE).await.unwrap();
    let lines = |answer: &quiver::Answer| {
        answer.trace().steps.iter().map(|step| step.lines.clone()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&answer), lines(&again), "a trace is the same in every run");
}

#[tokio::test]
async fn what_no_document_speaks_of_is_refused_with_the_word() {
    let quiver = engine(handbook()).await;
    let answer = quiver.ask("What must be monitored with the first-line drug for psoriasis?").await.unwrap();
    assert_eq!(answer.text, None);
    assert_eq!(answer.refusal, Some(Refusal::NotCovered { words: vec!["psoriasis".into()] }));
    let empty = Quiver::in_memory().await.unwrap().ask(FIRST_LINE).await.unwrap();
    assert_eq!(empty.refusal, Some(Refusal::NoDocuments));
}

#[tokio::test]
async fn an_empty_or_endless_question_is_an_error() {
    let quiver = engine(handbook()).await;
    for question in [String::new(), "  ".into(), "why ".repeat(10_000)] {
        let error = quiver.ask(question).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(error.stage(), Stage::Understand);
    }
    // Nothing but small words, nothing but signs: no error, and no answer out of nowhere.
    for question in ["what is it", "???", "\u{200b}x", "🦀🦀🦀"] {
        quiver.ask(question).await.unwrap();
    }
}

#[tokio::test]
async fn budgets_hold() {
    let quiver = engine(handbook()).await;
    for profile in [Profile::Fast, Profile::Balanced, Profile::Thorough] {
        let options = AskOptions { passages_limit: 2, ..AskOptions::of(profile) };
        let evidence = quiver.retrieve(Question::new(FIRST_LINE).with_options(options)).await.unwrap();
        assert_eq!(evidence.passages.len(), 2, "{profile:?}");
    }
    let no_hops = AskOptions { hops_max: 0, profile: Profile::Fast, ..AskOptions::default() };
    let evidence = quiver.retrieve(Question::new(FIRST_LINE).with_options(no_hops)).await.unwrap();
    assert!(evidence.passages.iter().all(|ranked| ranked.path.is_empty()));
    let no_time = AskOptions { time_max: Duration::ZERO, ..AskOptions::default() };
    let evidence = quiver.retrieve(Question::new(FIRST_LINE).with_options(no_time)).await.unwrap();
    assert!(!evidence.passages.is_empty(), "plain search has no time limit");
    let lines: Vec<&String> = evidence.trace.steps.iter().flat_map(|step| &step.lines).collect();
    for cut in ["hop 1: skipped, because time ran out", "bridges: skipped, because time ran out"] {
        assert!(lines.iter().any(|line| *line == cut), "{lines:?}");
    }
}

#[tokio::test]
async fn workspaces_are_apart() {
    use quiver::{
        Location,
        graph::{Graph, Workspace},
        store::MemoryStore,
    };
    let store = Arc::new(MemoryStore::open(Graph::schema(None)));
    let open = |name: &str| {
        let workspace = Workspace::new(name).unwrap();
        Quiver::builder().location(Location::Store(store.clone())).workspace(workspace).open()
    };
    let (ours, theirs) = (open("ours").await.unwrap(), open("theirs").await.unwrap());
    ours.ingest(handbook()).await.unwrap();
    assert_eq!(theirs.ask(FIRST_LINE).await.unwrap().refusal, Some(Refusal::NoDocuments));
    assert_eq!(theirs.delete("metformin").await.unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(ours.documents().await.unwrap().len(), 5);
}

async fn ask_with(quiver: &Quiver, question: &str, options: AskOptions) -> Answer {
    quiver.ask(Question::new(question).with_options(options)).await.unwrap()
}

/// What an answer says and rests on, without the trace.
fn said(answer: &Answer) -> (Option<&str>, Vec<(PassageId, f32)>) {
    let passages = answer.evidence.passages.iter();
    (answer.text.as_deref(), passages.map(|ranked| (ranked.passage.id, ranked.score)).collect())
}

/// The ID of the one passage of a document.
async fn passage_of(quiver: &Quiver, document: &str) -> PassageId {
    quiver.passages_of(document).await.unwrap()[0].id
}

#[tokio::test]
async fn what_is_left_out_is_no_answer_and_leads_to_none() {
    let other =
        Document::new("wards", "The Metformin leaflet says: Renal function must be monitored weekly.")
            .with_title("Metformin");
    let quiver = engine(handbook().into_iter().chain([other]).collect()).await;
    let options = |ids: &[PassageId]| AskOptions {
        confidence_min: 0.3,
        without: ids.to_vec(),
        ..AskOptions::default()
    };
    let before = ask_with(&quiver, FIRST_LINE, options(&[])).await;
    let cited = |answer: &Answer| answer.citations.first().map(|citation| citation.passage);
    let (first, second) = (passage_of(&quiver, "wards").await, passage_of(&quiver, "metformin").await);
    assert_eq!(cited(&before), Some(first), "{}", before.trace());
    let then = ask_with(&quiver, FIRST_LINE, options(&[first])).await;
    assert_eq!(cited(&then), Some(second), "{}", then.trace());
    let none = ask_with(&quiver, FIRST_LINE, options(&[second, first, first])).await;
    assert!(!none.citations.iter().chain(&none.found).any(|one| [first, second].contains(&one.passage)));
    assert!(none.text.is_none_or(|text| !text.contains("monitored")));

    // Nothing of them is left in the explanation, whatever the effort.
    for profile in [Profile::Fast, Profile::Balanced, Profile::Thorough] {
        let options = AskOptions { explain: true, without: vec![first], ..AskOptions::of(profile) };
        let answer = ask_with(&quiver, FIRST_LINE, options).await;
        let explanation = answer.trace().explanation.as_ref().unwrap();
        let steps = explanation
            .candidates
            .iter()
            .flat_map(|candidate| candidate.path.iter().map(|(from, _)| *from).chain([candidate.passage]));
        assert!(!steps.collect::<Vec<_>>().contains(&first), "{profile:?}");
    }

    // Nothing changes where nothing is left out that is there.
    let unknown: PassageId = "00000000-0000-0000-0000-000000000001".parse().unwrap();
    for ids in [&[][..], &[unknown]] {
        assert_eq!(said(&ask_with(&quiver, FIRST_LINE, options(ids)).await), said(&before));
    }
}

#[tokio::test]
async fn the_trace_tells_what_the_budgets_cut() {
    let page = |title: &str, text: &str| Document::new(title, text).with_title(title);
    let ships: Vec<String> = (0..8).map(|at| format!("Ship {at}")).collect();
    let mut documents = vec![page("Norby yard", &format!("The Norby yard built {}.", ships.join(", ")))];
    documents.extend(ships.iter().map(|ship| page(ship, "It carries green lamps.")));
    let quiver = engine(documents).await;
    let cuts = async |options: AskOptions| {
        let options = AskOptions { explain: true, profile: Profile::Fast, ..options };
        let answer = ask_with(&quiver, "Which lamps do the ships of the Norby yard carry?", options).await;
        answer.trace().explanation.clone().unwrap().cuts
    };
    let defaults = AskOptions { hops_max: 9, hop_limit: 1000, ..AskOptions::default() };
    assert_eq!(cuts(defaults.clone()).await, []);

    // Each hop starts from one passage only.
    let found = cuts(AskOptions { frontier_limit: 1, hops_max: 1, ..defaults.clone() }).await;
    assert_eq!((found[0].hop, found[0].budget, found[0].passages_count), (1, Budget::PassagesFollowed, 8));
    assert!(found[0].names.iter().all(|name| ships.contains(&name.name) && name.passage.is_some()));

    // Without hops, nothing is followed at all.
    let found = cuts(AskOptions { hops_max: 0, ..defaults.clone() }).await;
    assert_eq!(found.iter().map(|cut| (cut.hop, cut.budget)).collect::<Vec<_>>(), [(1, Budget::Hops)]);
    assert_eq!((found[0].passages_count, found[0].names.len()), (9, 9));
    let found = cuts(AskOptions { time_max: Duration::ZERO, ..defaults.clone() }).await;
    assert_eq!(found.iter().map(|cut| (cut.hop, cut.budget)).collect::<Vec<_>>(), [(1, Budget::Time)]);

    // The hop reads few of the passages about the ships.
    let found = cuts(AskOptions { hop_limit: 4, seeds_limit: 1, ..defaults }).await;
    let unread = found.iter().find(|cut| cut.budget == Budget::PassagesRead).unwrap();
    assert_eq!((unread.hop, unread.passages_count), (1, unread.names.len()), "one passage for each name");
    assert!((1..8).contains(&unread.passages_count), "{unread:?}");
    assert!(unread.names.iter().all(|name| ships.contains(&name.name) && name.passage.is_none()));
}

#[tokio::test]
async fn a_pinned_entity_is_where_the_search_starts() {
    let page = |title: &str, text: &str| Document::new(title, text).with_title(title);
    let mut documents = vec![
        page("Norby yard", "The Norby yard repairs ships. It was founded by Ida Holm."),
        page("Ida Holm", "Ida Holm kept bees on the island of Runde."),
    ];
    documents.extend((0..9).map(|at| page(&format!("Odda {at}"), "Somebody who lived there ran a shop.")));
    let quiver = engine(documents).await;
    let question = "Where did the shop owner live?";
    let explained = AskOptions { explain: true, seeds_limit: 3, hops_max: 1, ..AskOptions::default() };
    let entities = quiver.graph().entities_named(&["norby yard".to_owned()], 1).await.unwrap();
    let yard = entities[0].id;
    let candidates = |answer: &Answer| {
        let explanation = answer.trace().explanation.clone().unwrap();
        let all = explanation.candidates.into_iter();
        all.map(|candidate| (candidate.document, candidate.pinned)).collect::<Vec<_>>()
    };
    let before = ask_with(&quiver, question, explained.clone()).await;
    assert!(candidates(&before).iter().all(|(document, _)| document.starts_with("Odda")), "{before:#?}");
    let after =
        ask_with(&quiver, question, AskOptions { pinned: vec![yard, yard], ..explained.clone() }).await;
    let explanation = after.trace().explanation.clone().unwrap();
    let [pinned] = &explanation.pinned[..] else { panic!("one: {:?}", explanation.pinned) };
    assert_eq!((pinned.id, pinned.entity.as_str(), pinned.passages_about), (yard, "Norby yard", 1));
    let found = candidates(&after);
    assert!(found.contains(&("Norby yard".to_owned(), vec![0])), "{found:?}");
    assert!(
        found.iter().any(|(document, pinned)| document == "Ida Holm" && pinned.is_empty()),
        "a hop: {found:?}"
    );

    // What plain search finds best is not pushed out of what is considered.
    let plain = before.evidence.passages[0].passage.id;
    assert!(explanation.candidates.iter().any(|candidate| candidate.passage == plain));

    let unknown: EntityId = "00000000-0000-0000-0000-000000000001".parse().unwrap();
    let error = quiver.ask(question).pin(unknown).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("there is no entity"), "{error}");
}

#[tokio::test]
async fn the_trace_tells_when_passages_were_written_and_which_facts_ended() {
    let quiver = Quiver::in_memory().await.unwrap();
    let turn = |at: i64, object: &str, text: &str| {
        Turn::new("ops", text).at(at).stating(Fact::new("Redis", "is run by", object))
    };
    let turns = [turn(1_000, "Mo", "Redis is run by Mo."), turn(2_000, "Lena", "Redis is run by Lena now.")];
    quiver.remember(turns).await.unwrap();
    quiver.ingest([Document::new("redis", "Redis keeps the queue.").with_title("Redis")]).await.unwrap();
    let facts = async |options: AskOptions| {
        let answer = ask_with(&quiver, "Who runs Redis?", options).await;
        answer.trace().explanation.clone().map(|explanation| {
            let times =
                explanation.candidates.iter().map(|candidate| candidate.time).collect::<BTreeSet<_>>();
            (times, explanation.facts)
        })
    };
    assert_eq!(facts(AskOptions::default()).await, None);
    let (times, facts) = facts(AskOptions { explain: true, ..AskOptions::default() }).await.unwrap();
    assert!(times.contains(&None), "a document without a time: {times:?}");
    let [mo, lena] = &facts[..] else { panic!("two facts: {facts:#?}") };
    assert_eq!(
        (mo.object.as_str(), mo.begin, mo.end, mo.ended_by),
        ("Mo", 1_000, Some(2_000), Some(lena.id))
    );
    assert_eq!((lena.object.as_str(), lena.begin, lena.end, lena.ended_by), ("Lena", 2_000, None, None));
    assert!(!mo.holds && lena.holds && mo.session == "ops" && mo.sentence == "Redis is run by Mo.");
}

#[tokio::test]
async fn a_name_means_what_is_chosen() {
    let page = |title: &str, text: &str| Document::new(title, text).with_title(title);
    let quiver = engine(vec![
        page("Norby (ferry)", "The Norby is a ferry. It was built in 1911."),
        page("Norby (town)", "Norby is a town on the coast. It was built in 1640."),
        page("Norby yard", "The Norby yard repairs ships. It was built in 1802."),
        page("Odda", "Odda is a town. It was built in 1700."),
    ])
    .await;
    let question = "When was Norby built?";
    let explained = AskOptions { explain: true, ..AskOptions::default() };
    let before = ask_with(&quiver, question, explained.clone()).await;
    let choices = |answer: &Answer| answer.trace().explanation.clone().unwrap().choices;
    let names = |choice: &NameChoice| {
        choice.candidates.iter().map(|candidate| candidate.entity.clone()).collect::<Vec<_>>()
    };
    let [choice] = &choices(&before)[..] else { panic!("one choice: {:?}", choices(&before)) };
    assert_eq!((choice.name.as_str(), choice.chosen), ("norby", None));
    assert_eq!(names(choice), ["Norby", "Norby (ferry)", "Norby (town)", "Norby yard"]);
    for (at, year, gone) in
        [(1, "1911", "Norby (town)"), (2, "1640", "Norby (ferry)"), (3, "1802", "Odda, say")]
    {
        let meaning = Meaning { name: "NORBY".to_owned(), entity: choice.candidates[at].id };
        let options = AskOptions { meanings: vec![meaning.clone()], ..explained.clone() };
        let answer = ask_with(&quiver, question, options).await;
        assert!(answer.text.as_deref().is_some_and(|text| text.contains(year)), "{year}: {:?}", answer.text);
        let [again] = &choices(&answer)[..] else { panic!("one choice") };
        assert_eq!((names(again), again.chosen), (names(choice), Some(meaning.entity)));
        assert_eq!(
            answer.trace().explanation.as_ref().unwrap().names[0].entity,
            choice.candidates[at].entity
        );
        let documents = answer.evidence.passages.iter().map(|ranked| ranked.passage.document.as_str());
        assert!(!documents.collect::<Vec<_>>().contains(&gone), "{}", answer.trace());
    }

    // A name that the entity doesn't have is read as its own.
    let meaning = Meaning { name: "the old place".to_owned(), entity: choice.candidates[2].id };
    let options = AskOptions { meanings: vec![meaning], ..AskOptions::default() };
    let answer = ask_with(&quiver, "When was the old place built?", options).await;
    assert!(answer.text.as_deref().is_some_and(|text| text.contains("1640")), "{:?}", answer.text);

    let refused = async |name: &str, entity: EntityId| {
        let meanings = vec![Meaning { name: name.to_owned(), entity }];
        let question = Question::new(question).with_options(AskOptions { meanings, ..AskOptions::default() });
        let error = quiver.ask(question).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error.to_string()
    };
    let unknown: EntityId = "00000000-0000-0000-0000-000000000001".parse().unwrap();
    assert!(refused("Norby", unknown).await.contains("there is no entity"));
    assert!(
        refused("Odda", choice.candidates[0].id)
            .await
            .contains("the question does not contain the ambiguous name \"Odda\"")
    );
    assert_eq!(said(&ask_with(&quiver, question, AskOptions::default()).await), said(&before));
}

#[tokio::test]
async fn a_passage_of_both_stays_where_a_meaning_is_chosen() {
    let page = |title: &str, text: &str| Document::new(title, text).with_title(title);
    let quiver = engine(vec![
        page(
            "Norby (ferry)",
            "The Norby is a ferry. She is named after the town of Norby, which has 900 people.",
        ),
        page("Norby (ferry) today", "The Norby carries 60 people. No town is without a ferry."),
        page("Norby (horse)", "Norby is a horse. It has won 4 races. It lives in a town."),
        page("Norby (town)", "Norby is a town on the coast. It was built in 1640."),
        page("Odda", "Odda is a town. It has 700 people."),
    ])
    .await;
    let question = "How many people does Norby have?";
    let entity = |name: &str| Entity::named(quiver.graph().workspace(), None, name).id;
    let ask = async |meant: &str| {
        let meanings = vec![Meaning { name: "Norby".to_owned(), entity: entity(meant) }];
        let options = AskOptions { meanings, passages_limit: 9, ..AskOptions::default() };
        let answer = ask_with(&quiver, question, options).await;
        let documents = answer.evidence.passages.iter().map(|ranked| ranked.passage.document.clone());
        (documents.collect::<BTreeSet<_>>(), answer)
    };
    let (shown, answer) = ask("Norby (town)").await;
    assert!(shown.contains("Norby (ferry)") && shown.contains("Norby (town)"), "{shown:?}");
    assert!(!shown.contains("Norby (horse)"), "a sentence has to speak of it: {shown:?}");
    assert!(answer.evidence.passages.iter().any(|ranked| ranked.passage.text.contains("900")));
    let (shown, _) = ask("Norby (horse)").await;
    assert!(!shown.contains("Norby (town)") && !shown.contains("Norby (ferry)"), "{shown:?}");
}

#[tokio::test]
async fn a_question_as_of_a_moment_is_answered_from_what_there_was_then() {
    let page = |key: &str, time: Option<i64>, text: &str| Document { time, ..Document::new(key, text) };
    let quiver = engine(vec![
        page("old", Some(1_000), "The Norby ferry leaves from the east pier."),
        page("new", Some(2_000), "The Norby ferry leaves from the west pier."),
        page("undated", None, "The Norby ferry is painted red."),
    ])
    .await;
    let documents = async |as_of| {
        let options = AskOptions { as_of, ..AskOptions::default() };
        let answer = ask_with(&quiver, "Where does the Norby ferry leave from?", options).await;
        let passages = answer.evidence.passages.iter().map(|ranked| ranked.passage.document.clone());
        let mut documents: Vec<String> = passages.collect();
        documents.sort_unstable();
        documents.join(" ")
    };
    assert_eq!(documents(None).await, "new old undated");
    assert_eq!(documents(Some(i64::MAX)).await, "new old undated");
    assert_eq!(documents(Some(2_000)).await, "new old undated");
    assert_eq!(documents(Some(1_999)).await, "old undated");
    assert_eq!(documents(Some(i64::MIN)).await, "undated");
}

#[tokio::test]
async fn a_turn_counts_until_the_one_that_takes_its_place() {
    let quiver = Quiver::in_memory().await.unwrap();
    let lies = |place: &str| Fact::new("The Aurelia ferry", "is based at", place);
    let turns = vec![
        Turn::new("s", "The Aurelia ferry is based at Voss.").at(1_000).numbered(1).stating(lies("Voss")),
        Turn::new("s", "The Aurelia ferry is based at Odda now.").at(2_000).numbered(2).stating(lies("Odda")),
    ];
    quiver.remember(turns).await.unwrap();
    let texts = async |as_of| {
        let options = AskOptions { as_of, ..AskOptions::default() };
        let answer = ask_with(&quiver, "Where is the Aurelia ferry based?", options).await;
        let passages = answer.evidence.passages.iter().map(|ranked| ranked.passage.text.clone());
        passages.collect::<Vec<_>>()
    };
    assert_eq!(texts(None).await, ["The Aurelia ferry is based at Odda now."]);
    assert_eq!(texts(Some(1_500)).await, ["The Aurelia ferry is based at Voss."]);
    assert_eq!(texts(Some(500)).await, [""; 0]);
}

#[tokio::test]
async fn a_relation_that_does_not_hold_yet_leads_nowhere() {
    let quiver = Quiver::in_memory().await.unwrap();
    let planned = Fact { valid_from: Some(5_000), ..Fact::new("The Aurelia ferry", "is based at", "Odda") };
    let turn = Turn::new("s", "Soon the Aurelia ferry is based at Odda.").at(1_000).numbered(1);
    quiver.remember(vec![turn.stating(planned)]).await.unwrap();
    let found = async |moment| {
        let options = AskOptions { as_of: Some(moment), ..AskOptions::default() };
        let answer = ask_with(&quiver, "Where is the Aurelia ferry based?", options).await;
        let searched = answer.trace().steps.iter().find(|step| step.stage == Stage::Search).unwrap();
        let by_relation = searched.lines.iter().any(|line| line.contains("1 by their sentences"));
        (by_relation, answer.evidence.passages.len())
    };
    assert_eq!(found(4_999).await, (false, 0));
    assert_eq!(found(5_000).await, (true, 1));
}

#[derive(Debug)]
struct Backwards;

#[async_trait]
impl Reranker for Backwards {
    fn fingerprint(&self) -> String {
        "backwards".into()
    }

    async fn rerank(
        &self,
        _question: &str,
        candidates: &[RerankCandidate<'_>],
    ) -> Result<Vec<f32>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(candidates.iter().map(|candidate| -candidate.score).collect())
    }
}

#[derive(Debug)]
struct Broken;

#[async_trait]
impl Reranker for Broken {
    fn fingerprint(&self) -> String {
        "broken".into()
    }

    async fn rerank(
        &self,
        _question: &str,
        _candidates: &[RerankCandidate<'_>],
    ) -> Result<Vec<f32>, Box<dyn std::error::Error + Send + Sync>> {
        Err("out of order".into())
    }
}

async fn documents_with(reranker: Option<Arc<dyn Reranker>>) -> (Vec<String>, Vec<String>) {
    let builder = Quiver::builder().memory();
    let builder = match reranker {
        Some(reranker) => builder.reranker(reranker),
        None => builder,
    };
    let quiver = builder.open().await.unwrap();
    quiver.ingest(handbook()).await.unwrap();
    let evidence = quiver.retrieve(FIRST_LINE).await.unwrap();
    let documents = evidence.passages.iter().map(|ranked| ranked.passage.document.clone()).collect();
    (documents, evidence.trace.degraded)
}

#[tokio::test]
async fn a_reranker_reorders_and_a_broken_one_changes_nothing() {
    let (built_in, degraded) = documents_with(None).await;
    assert_eq!(degraded, Vec::<String>::new());
    let (mut backwards, _) = documents_with(Some(Arc::new(Backwards))).await;
    backwards.reverse();
    assert_eq!(backwards, built_in);
    let (broken, degraded) = documents_with(Some(Arc::new(Broken))).await;
    assert_eq!(broken, built_in);
    assert!(degraded[0].contains("out of order"), "{degraded:?}");
}

#[tokio::test]
async fn the_parts_of_a_list_are_those_of_one_order_also_beyond_what_is_reranked() {
    const OPEN: &str = "When was the harbour open?";
    let log = |at: usize| {
        Document::new(format!("log {at:02}"), format!("Harbour log {at}: the harbour was open on day {at}."))
    };
    for reranker in [None, Some(Arc::new(Backwards) as Arc<dyn Reranker>)] {
        let builder = Quiver::builder().memory();
        let builder = match reranker {
            Some(reranker) => builder.reranker(reranker),
            None => builder,
        };
        let quiver = builder.open().await.unwrap();
        quiver.ingest((0..70).map(log)).await.unwrap();
        let (mut listed, mut next) = (Vec::new(), None);
        loop {
            let request = quiver.retrieve(OPEN).passages(8);
            let request = match next {
                Some(next) => request.continue_from(next),
                None => request,
            };
            let part = request.await.unwrap();
            if let Some(next) = next {
                assert_eq!(part.passages[0].passage.id, next);
            }
            listed.extend(part.passages.iter().map(|ranked| ranked.passage.document.clone()));
            next = part.next;
            if next.is_none() {
                break;
            }
        }
        let first = quiver.retrieve(OPEN).passages(30).await.unwrap();
        let first = first.passages.iter().map(|ranked| ranked.passage.document.clone());
        assert_eq!(first.collect::<Vec<_>>(), listed[..30]);
        assert_eq!((listed.len(), listed.iter().collect::<BTreeSet<_>>().len()), (70, 70), "{listed:?}");
        let named = quiver.retrieve(OPEN).documents(["log 01", "log 66"]).await.unwrap();
        let named: BTreeSet<&str> =
            named.passages.iter().map(|ranked| ranked.passage.document.as_str()).collect();
        assert_eq!(named, BTreeSet::from(["log 01", "log 66"]));
        let unknown = "00000000-0000-0000-0000-000000000001".parse().unwrap();
        let error = quiver.retrieve(OPEN).continue_from(unknown).await.unwrap_err();
        assert_eq!((error.kind(), error.stage()), (ErrorKind::Invalid, Stage::Rerank));
    }
}

#[tokio::test]
async fn a_question_to_some_documents_has_no_answer_that_only_others_complete() {
    let quiver = engine(handbook()).await;
    let answer = quiver.ask(FIRST_LINE).await.unwrap();
    let cited = answer.citations.first().expect("the handbook answers").passage;
    let all = quiver.documents().await.unwrap();
    let own = quiver.graph().passages(&[cited]).await.unwrap()[0].document.clone();
    for document in all.iter().map(|document| document.key.clone()).filter(|key| *key != own) {
        let answer = quiver.ask(FIRST_LINE).documents([document.clone()]).await.unwrap();
        assert_eq!(answer.text, None, "{document}: {}", answer.trace());
        assert!(answer.evidence.passages.iter().all(|ranked| ranked.passage.document == document));
    }
}

#[tokio::test]
async fn the_methods_of_a_request_set_its_options() {
    let quiver = engine(handbook()).await;
    let options = AskOptions { passages_limit: 2, hops_max: 1, ..AskOptions::of(Profile::Fast) };
    let by_options = quiver.retrieve(FIRST_LINE).options(options).await.unwrap();
    let by_methods = quiver.retrieve(FIRST_LINE).profile(Profile::Fast).hops(1).passages(2).await.unwrap();
    assert_eq!(by_methods.passages, by_options.passages);
    assert_eq!(by_methods.passages.len(), 2);
    let [first, ..] = &by_methods.passages[..] else { panic!("two passages") };
    let others = quiver.retrieve(FIRST_LINE).without([first.passage.id]).await.unwrap();
    assert!(others.passages.iter().all(|ranked| ranked.passage.id != first.passage.id));
    let refused = quiver.ask(FIRST_LINE).confidence_min(1.0).await.unwrap();
    assert_eq!(refused.text, None);
}

#[tokio::test]
async fn a_stream_tells_each_stage_and_hop_and_ends_with_the_answer() {
    let quiver = engine(handbook()).await;
    let answer = quiver.ask(FIRST_LINE).await.unwrap();
    let stages = |answer: &Answer| answer.trace().steps.iter().map(|step| step.stage).collect::<Vec<_>>();
    let (mut told, mut hops) = (Vec::new(), Vec::new());
    let mut events = quiver.ask(FIRST_LINE).stream();
    while let Some(event) = events.try_next().await.unwrap() {
        match event {
            Event::Step(step) => {
                if step.stage == Stage::Expand {
                    // The lines of the stage say the same, later.
                    for hop in &hops {
                        let HopStep { hop, started_from, links, candidates, .. } = hop;
                        let line = format!("hop {hop}: {started_from} passages mention ");
                        let line = step.lines.iter().find(|said| said.starts_with(&line)).unwrap();
                        assert!(line.contains(&format!("lead to {links} links")), "{line}");
                        assert!(line.ends_with(&format!("; {candidates} passages in all")), "{line}");
                    }
                }
                told.push(step.stage);
            }
            Event::Hop(hop) => {
                assert_eq!(told, [Stage::Understand, Stage::Search], "hops are told as they are made");
                hops.push(hop);
            }
            Event::Answer(last) => {
                assert_eq!((&last.text, &told), (&answer.text, &stages(&last)));
                break;
            }
            _ => {}
        }
    }
    assert!(events.try_next().await.unwrap().is_none());
    assert_eq!(hops.iter().map(|hop| hop.hop).collect::<Vec<_>>(), (1..=hops.len()).collect::<Vec<_>>());
    let [first, .., last] = &hops[..] else { panic!("two hops: {hops:?}") };
    assert!(first.started_from > 0 && first.reached <= first.candidates, "{first:?}");
    let reached: usize = hops[1..].iter().map(|hop| hop.reached).sum();
    assert_eq!(first.candidates + reached, last.candidates, "{hops:?}");
    assert!(quiver.ask(" ").stream().try_next().await.is_err());
    let mut session = quiver.session("planning");
    let events: Vec<_> = session.ask(FIRST_LINE).stream().try_collect().await.unwrap();
    let Some(Event::Answer(reply)) = events.last() else { panic!("an answer at the end") };
    assert_eq!(reply.answer.as_ref().unwrap().text, answer.text);
}

#[test]
fn public_futures_can_be_sent() {
    fn is_send<T: Send>(_: &T) {}
    drop(async {
        let quiver = Quiver::in_memory().await.unwrap();
        is_send(&quiver.ask("?").into_future());
        is_send(&quiver.retrieve("?").into_future());
        is_send(&quiver.recall("?").into_future());
        is_send(&quiver.facts("?").into_future());
        is_send(&quiver.context("?").into_future());
        is_send(&quiver.session("?").ask("?").into_future());
        is_send(&quiver.ask("?").stream());
        is_send(&quiver.remember(Vec::new()));
        is_send(&quiver.ingest(Vec::new()));
        is_send(&quiver.delete("?"));
        is_send(&quiver.export().vectors().write_to(&mut Vec::new()));
        is_send(&quiver.verify());
    });
}

#[tokio::test]
async fn other_scripts_hop_too() {
    let documents = vec![
        Document::new("a", "Роман «Северный ветер» написал Прохор Зимин.").with_title("Северный ветер"),
        Document::new("b", "Прохор Зимин родился в Вельске в семье учителя.").with_title("Прохор Зимин"),
        Document::new("c", "Вельск стоит на реке Ваге.").with_title("Вельск"),
        Document::new("d", "Река Вага впадает в Северную Двину.").with_title("Вага"),
    ];
    check(documents, "Где родился автор романа «Северный ветер»?", &["a", "b"]).await;
}

#[tokio::test]
async fn a_misspelt_word_finds_what_is_meant_and_the_trace_says_so() {
    let quiver = engine(handbook()).await;
    for (misspelt, meant) in [("metfromin", "metformin"), ("Metforrmin", "Metformin")] {
        let evidence = quiver.retrieve(format!("What clears {misspelt}?")).await.unwrap();
        assert_eq!(evidence.passages[0].passage.document, "metformin", "{}", evidence.trace);
        assert_eq!(evidence.question, format!("What clears {meant}?"));
        let line = format!("no passage contains {misspelt:?}; searching for {meant:?} instead");
        assert!(evidence.trace.to_string().contains(&line), "{}", evidence.trace);
    }
    let evidence = quiver.retrieve("What clears metformin?").await.unwrap();
    assert!(!evidence.trace.to_string().contains("; searching for"), "a word that is said stays");
}

#[tokio::test]
async fn a_version_is_found_as_the_pages_write_it() {
    let page = |title: &str, text: &str| Document::new(title, text).with_title(title);
    let documents = [
        page("changes", "Loomctl v2.5.0 came out on 3 May 2025 and winds the warp."),
        page("earlier", "Loomctl 2.4 came out on 1 March 2025 and only weaves."),
    ];
    let quiver = engine(documents.to_vec()).await;
    for (asked, written) in [("2.5", "v2.5.0"), ("v2.5", "v2.5.0"), ("v2.4.0", "2.4"), ("2.4", "2.4")] {
        let evidence = quiver.retrieve(format!("When did Loomctl {asked} come out?")).await.unwrap();
        assert_eq!(evidence.question, format!("When did Loomctl {written} come out?"), "{}", evidence.trace);
    }
    let evidence = quiver.retrieve("When did Loomctl 2.6 come out?").await.unwrap();
    assert_eq!(evidence.question, "When did Loomctl 2.6 come out?");
}

/// A question, the document that answers it, and the same question about something that no document speaks of, with
/// the word that is missing.
const QUESTIONS_OF_LANGUAGES: &[(&str, &str, &str, &str)] = &[
    ("بنى المهندس كريم جسر النيل في عام 1920.", "من بنى جسر النيل؟", "من بنى برج القاهرة؟", "برج"),
    ("रमेश शर्मा ने लोहे का पुल बनाया था।", "लोहे का पुल किसने बनाया?", "किसने मंदिर तोड़ा?", "मंदिर"),
    (
        "Die Eisenbrücke baute der Ingenieur Karl Brandt.",
        "Wer baute die Eisenbrücke?",
        "Wer malte den Kirchturm?",
        "Kirchturm",
    ),
    ("Железный мост построил инженер Петров.", "Кто построил железный мост?", "Кто разрушил башню?", "башню"),
    ("Demir köprüyü mühendis Yılmaz kurdu.", "Demir köprüyü kim kurdu?", "Kim boyadı kuleyi?", "kuleyi"),
    ("რკინის ხიდი ააშენა ინჟინერმა გიორგიმ.", "ვინ ააშენა რკინის ხიდი?", "ვინ დახატა კოშკი?", "კოშკი"),
    (
        "Mhandisi Mrisho alijenga daraja la chuma.",
        "Nani alijenga daraja la chuma?",
        "Nani alichora mnara?",
        "mnara",
    ),
    (
        "Τη σιδερένια γέφυρα έχτισε ο Παππάς.",
        "Ποιος έχτισε τη σιδερένια γέφυρα;",
        "Ποιος ζωγράφισε τον πύργο;",
        "πύργο",
    ),
];

#[tokio::test]
async fn question_words_of_no_language_are_missing_evidence() {
    for (text, question, other, missing) in QUESTIONS_OF_LANGUAGES {
        let quiver = engine(vec![Document::new("bridge", *text)]).await;
        let answer = quiver.ask(*question).await.unwrap();
        // It is answered, or shown as found because the confidence is low, but never for want of a function word.
        match &answer.refusal {
            None => assert!(answer.text.as_deref().is_some_and(|answer| text.contains(answer)), "{question}"),
            Some(Refusal::Unsure { words, .. }) => {
                assert!(words.is_empty(), "{question}: {:?}", answer.refusal);
                assert_eq!(answer.found[0].sentence, *text, "{question}");
            }
            Some(other) => panic!("{question}: {other}"),
        }
        let refused = quiver.ask(*other).await.unwrap();
        match refused.refusal {
            Some(Refusal::NotCovered { words }) => {
                let asking = other.split(' ').next().unwrap();
                assert!(words.iter().any(|word| word == missing), "{other}: {words:?}");
                assert!(!words.iter().any(|word| word == asking), "{other}: {words:?}");
            }
            Some(Refusal::NothingFound) => {}
            _ => panic!("{other} is answered: {:?}", refused.text),
        }
    }
}
