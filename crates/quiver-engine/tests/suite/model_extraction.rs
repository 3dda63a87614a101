//! A language model that reads entities and relations out of passages.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crate::common::{engine, handbook};
use async_trait::async_trait;
use quiver::{
    ChatOptions, Document, ErrorKind, IngestOptions, Quiver, Receipt,
    graph::{Entity, Relation},
    models::{
        self, Error,
        chat::{
            Budget, BudgetedChat, CachedChat, ChatModel, ChatReply, ChatRequest, CountingChat, Finish,
            OnText, Prices,
        },
        testing::{ScriptedChat, said},
    },
    prompt::ExtractionSchema,
    store::Filter,
};
use serde_json::{Value, json};

/// What a model answers.
type Answers<T> = fn(&ChatRequest) -> T;

/// The passages that a prompt shows: label and text.
fn shown(request: &ChatRequest) -> Vec<(String, String)> {
    let prompt = &request.messages[1].text;
    let parts = prompt.split("<passage id=\"").skip(1);
    parts
        .map(|part| {
            let (label, rest) = part.split_once('"').unwrap();
            let text = rest.split_once(">\n").unwrap().1.split_once("\n</passage>").unwrap().0;
            (label.to_owned(), text.to_owned())
        })
        .collect()
}

/// A reply that says of each passage what a function says of its text.
fn reply(request: &ChatRequest, read: impl Fn(&str) -> Value) -> String {
    let passages: Vec<Value> = shown(request)
        .into_iter()
        .map(|(label, text)| {
            let mut read = read(&text);
            read["id"] = json!(label);
            read
        })
        .collect();
    json!({ "passages": passages }).to_string()
}

/// What a careful reader says of the handbook's pages.
fn careful(text: &str) -> Value {
    if text.starts_with("Metformin is the first-line drug") {
        json!({
            "entities": [{"name": "Metformin", "kind": "drug", "description": "first-line drug for type 2 diabetes",
                "aliases": []}],
            "relations": [{"subject": "Metformin", "predicate": "treats", "object": "type 2 diabetes"}]
        })
    } else if text.contains("founded in 1987") {
        json!({
            "entities": [{"name": "Dr Maren Holt", "kind": "person", "description": null, "aliases": ["Holt"]}],
            "relations": [{"subject": "Dr Maren Holt", "predicate": "directs", "object": "Lindqvist Laboratory",
                "from": "1987", "to": null}]
        })
    } else {
        json!({ "entities": [], "relations": [] })
    }
}

/// A model that answers as a function of the request says.
fn scripted(
    answer: impl Fn(&ChatRequest) -> models::Result<ChatReply> + Send + Sync + 'static,
) -> ScriptedChat {
    ScriptedChat::new().when("extract", |request| request.purpose.job == "extract", answer)
}

fn reads(read: impl Fn(&str) -> Value + Copy + Send + Sync + 'static) -> ScriptedChat {
    scripted(move |request| Ok(said(request, &reply(request, read))))
}

async fn open(chat: impl ChatModel + 'static, options: ChatOptions) -> Quiver {
    Quiver::builder().chat_model(Arc::new(chat)).chat_options(options).open().await.unwrap()
}

async fn export(quiver: &Quiver) -> String {
    let mut lines = Vec::new();
    quiver.export().write_to(&mut lines).await.unwrap();
    String::from_utf8(lines).unwrap()
}

async fn entity(quiver: &Quiver, name: &str) -> Entity {
    let named = quiver.graph().entities_named(&[name.to_lowercase()], 10).await.unwrap();
    named.into_iter().find(|entity| entity.kind.is_none()).unwrap_or_else(|| panic!("no {name}"))
}

async fn relations(quiver: &Quiver) -> Vec<Relation> {
    quiver.graph().all::<Relation>(&Filter::everything()).await.unwrap()
}

async fn relation(quiver: &Quiver, subject: &str, predicate: &str) -> (Relation, String) {
    let subject = entity(quiver, subject).await.id;
    let all = relations(quiver).await;
    let found =
        all.into_iter().find(|relation| relation.subject == subject && relation.predicate == predicate);
    let found = found.unwrap_or_else(|| panic!("no {predicate}"));
    let ends = quiver.graph().entities(&[found.object]).await.unwrap();
    (found, ends[0].name.clone())
}

#[tokio::test]
async fn entities_relations_aliases_and_dates_become_records_beside_those_of_the_rules() {
    let quiver = open(reads(careful), ChatOptions::default()).await;
    let receipt = quiver.ingest(handbook()).await.unwrap();
    assert_eq!((receipt.passages_written, receipt.passages_fallen_back), (5, 0));
    assert_eq!(
        (receipt.ledger.total.calls, receipt.ledger.jobs["extract"].calls),
        (2, 2),
        "four passages a call"
    );
    assert_eq!(receipt.problems, Vec::<String>::new());
    assert_eq!(quiver.verify().await.unwrap(), []);

    assert_eq!(
        entity(&quiver, "metformin").await.description.as_deref(),
        Some("first-line drug for type 2 diabetes")
    );
    let (kind, drug) = relation(&quiver, "metformin", "is a").await;
    assert_eq!(
        (kind.text.as_str(), drug.as_str()),
        ("Metformin: first-line drug for type 2 diabetes", "drug")
    );
    let (treats, disease) = relation(&quiver, "metformin", "treats").await;
    assert_eq!(disease.to_lowercase(), "type 2 diabetes");
    assert!(
        treats.text.starts_with("Metformin is the first-line drug"),
        "the sentence that says it: {}",
        treats.text
    );
    let (_, holt) = relation(&quiver, "dr maren holt", "also called").await;
    assert_eq!(holt, "Holt");
    let (directs, _) = relation(&quiver, "dr maren holt", "directs").await;
    assert_eq!((directs.valid_from, directs.valid_to), (Some(536_457_600_000), None), "1987 begins");

    // All that the rules read is there too, under the same ids.
    let by_rules = export(&engine(handbook()).await).await;
    let with_model = export(&quiver).await;
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].clone();
    let ids: Vec<Value> = with_model.lines().skip(1).map(id).collect();
    assert!(by_rules.lines().skip(1).all(|line| ids.contains(&id(line))));
    // And what came with a document goes with it.
    for document in quiver.documents().await.unwrap() {
        quiver.delete(&document.key).await.unwrap();
    }
    assert_eq!(export(&quiver).await.lines().count(), 1, "the header alone");
}

#[tokio::test]
async fn another_name_of_what_a_passage_is_about_leads_to_it() {
    let pages = || {
        [
            Document::new("a", "The Aurelia Foundation was founded by Ida Holm. In the harbour everybody says Blue Lantern to it.")
                .with_title("Aurelia Foundation"),
            Document::new("b", "The pier at Norby is kept by Blue Lantern.").with_title("Norby pier"),
        ]
    };
    let reader = |text: &str| {
        let aliases = if text.contains("everybody says") { json!(["Blue Lantern"]) } else { json!([]) };
        let name = if text.contains("everybody says") { "Aurelia Foundation" } else { "Blue Lantern" };
        json!({"entities": [{"name": name, "kind": "charity", "description": null, "aliases": aliases}], "relations": []})
    };
    let quiver = open(reads(reader), ChatOptions::default()).await;
    quiver.ingest(pages()).await.unwrap();
    let lantern = entity(&quiver, "blue lantern").await.id;
    let passages = quiver.graph().passages_of("a").await.unwrap();
    assert!(passages[0].subjects.contains(&lantern), "{:?}", passages[0].subjects);
    let plain = engine(pages().to_vec()).await;
    assert!(!plain.graph().passages_of("a").await.unwrap()[0].subjects.contains(&lantern));
}

#[tokio::test]
async fn ids_do_not_depend_on_the_order_of_documents_or_of_replies() {
    let ids = async |documents: Vec<Document>, options: ChatOptions| {
        let quiver = open(reads(careful), options).await;
        quiver.ingest(documents).await.unwrap();
        let export = export(&quiver).await;
        let ids = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone());
        ids.map(|id| id.to_string()).collect::<Vec<_>>()
    };
    let forward = ids(handbook(), ChatOptions::default()).await;
    let backward = handbook().into_iter().rev().collect();
    assert_eq!(forward, ids(backward, ChatOptions { passages_per_call: 1, ..ChatOptions::default() }).await);
}

#[tokio::test]
async fn what_does_not_fit_the_schema_or_the_passage_is_reported() {
    let schema =
        ExtractionSchema { kinds: vec!["person".to_owned()], predicates: vec!["directs".to_owned()] };
    let quiver = open(reads(careful), ChatOptions { schema, ..ChatOptions::default() }).await;
    let receipt = quiver.ingest(handbook()).await.unwrap();
    let [kind, predicate] = receipt.problems.as_slice() else { panic!("{:#?}", receipt.problems) };
    assert!(kind.starts_with("diabetes: ") && kind.contains(r#"Metformin is of the kind "drug""#), "{kind}");
    assert!(predicate.contains("Metformin treats type 2 diabetes"), "{predicate}");
    let all = relations(&quiver).await;
    assert!(all.iter().any(|relation| relation.predicate == "directs"));
    assert!(!all.iter().any(|relation| relation.predicate == "treats"));

    let invents = |_: &str| {
        json!({"entities": [{"name": "Sir Hubert Gale", "kind": "person", "description": null, "aliases": []}],
            "relations": []})
    };
    let quiver = open(reads(invents), ChatOptions::default()).await;
    let receipt = quiver.ingest(handbook()).await.unwrap();
    assert_eq!(receipt.problems.len(), 5);
    assert!(
        receipt.problems[0].ends_with("Sir Hubert Gale does not stand in the passage"),
        "{:?}",
        receipt.problems
    );
    assert!(!export(&quiver).await.contains("Gale"));
}

/// What becomes of the handbook when the model answers so for the passage on gout, each passage by itself.
async fn misread(
    answer: impl Fn(&ChatRequest) -> models::Result<ChatReply> + Send + Sync + 'static,
) -> Receipt {
    let chat = scripted(move |request| {
        let is_gout = request.messages[1].text.contains("Gout is");
        if is_gout { answer(request) } else { Ok(said(request, &reply(request, careful))) }
    });
    let options = ChatOptions { passages_per_call: 1, ..ChatOptions::default() };
    let quiver = open(chat, options.clone()).await;
    let receipt = quiver.ingest(handbook()).await.unwrap();
    // The others have what the model said of them, this one what the rules read.
    let with_model = open(reads(careful), options).await;
    with_model.ingest(handbook()).await.unwrap();
    let records = |export: String| {
        export.lines().filter(|line| !line.contains("\"weave\"")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        records(export(&quiver).await),
        records(export(&with_model).await),
        "the model says nothing of gout"
    );
    assert_eq!((receipt.passages_written, receipt.ledger.total.calls), (5, 5));
    receipt
}

#[tokio::test]
async fn a_reply_that_cannot_be_read_costs_that_passage_its_model_alone() {
    let unreadable: Vec<(Answers<ChatReply>, &str)> = vec![
        (|request| said(request, ""), "the reply is empty"),
        (|request| said(request, "Die Gicht ist eine Entzündung der Gelenke."), "contains no JSON"),
        (|request| said(request, r#"{"passages": [{"id": "P1", "entities": [{"na"#), "can't be parsed"),
        (
            |request| ChatReply {
                finish: Finish::Length,
                ..said(request, r#"{"passages": [{"id": "P1", "entities": ["#)
            },
            "truncated at the token limit",
        ),
        (|request| said(request, r#"{"passages": "none"}"#), "passages is"),
        (|request| said(request, r#"{"passages": [{"id": "P7", "entities": [], "relations": []}]}"#), "P7"),
        (
            |request| ChatReply {
                refusal: Some("I can't.".to_owned()),
                text: String::new(),
                ..said(request, "")
            },
            "the model refused: I can't.",
        ),
        (|request| said(request, &"[".repeat(100_000)), "can't be parsed"),
    ];
    for (answer, why) in unreadable {
        let receipt = misread(move |request| Ok(answer(request))).await;
        assert_eq!(receipt.passages_fallen_back, 1, "{why}");
        let [problem] = receipt.problems.as_slice() else { panic!("{why}: {:#?}", receipt.problems) };
        assert!(
            problem.starts_with("gout: the model's reply: ") && problem.contains(why),
            "{why}: {problem}"
        );
    }
    // What is not quite as it was asked for and can be read is used.
    let readable: Vec<(Answers<String>, Option<&str>)> = vec![
        (
            |_| {
                "Sure!\n```json\n{\"passages\": [{\"id\": \"P1\", \"entities\": [], \"relations\": []}]}\n```"
                    .to_owned()
            },
            None,
        ),
        (|_| r#"{"passages": [{"id": "P1", "entities": 7, "relations": []}]}"#.to_owned(), Some("entities")),
        (|_| r#"{"passages": [{"entities": [], "relations": []}]}"#.to_owned(), None),
    ];
    for (answer, told) in readable {
        let receipt = misread(move |request| Ok(said(request, &answer(request)))).await;
        assert_eq!(receipt.passages_fallen_back, 0);
        assert_eq!(receipt.problems.is_empty(), told.is_none(), "{:?}", receipt.problems);
        assert!(told.is_none_or(|told| receipt.problems[0].contains(told)), "{:?}", receipt.problems);
    }
}

#[tokio::test]
async fn one_missing_passage_of_a_call_leaves_the_others_what_was_said_of_them() {
    let chat = scripted(|request| {
        let whole: Value = serde_json::from_str(&reply(request, careful)).unwrap();
        let some: Vec<&Value> =
            whole["passages"].as_array().unwrap().iter().filter(|part| part["id"] != "P3").collect();
        Ok(said(request, &json!({ "passages": some }).to_string()))
    });
    let quiver = open(chat, ChatOptions::default()).await;
    let receipt = quiver.ingest(handbook()).await.unwrap();
    assert_eq!(receipt.passages_fallen_back, 1);
    assert_eq!(receipt.problems, ["gout: the model's reply: it does not mention the passage"]);
    assert!(relations(&quiver).await.iter().any(|relation| relation.predicate == "treats"));
    // The reply is final: the same documents again change nothing.
    let again = quiver.ingest(handbook()).await.unwrap();
    assert_eq!((again.documents_unchanged, again.ledger.total.calls), (5, 0));
}

#[tokio::test]
async fn what_failed_is_asked_for_again_by_the_next_ingest() {
    let failures = Arc::new(AtomicUsize::new(1));
    let left = Arc::clone(&failures);
    let chat = scripted(move |request| {
        let is_gout = request.messages[1].text.contains("Gout is");
        if is_gout && left.load(Ordering::Relaxed) > 0 {
            return Err(Error::new(models::ErrorKind::Unavailable, "m broke off"));
        }
        Ok(said(request, &reply(request, careful)))
    });
    let options = ChatOptions { passages_per_call: 1, ..ChatOptions::default() };
    let quiver = open(chat, options.clone()).await;
    let receipt = quiver.ingest(handbook()).await.unwrap();
    assert_eq!((receipt.passages_written, receipt.passages_fallen_back), (5, 1));
    assert_eq!(receipt.problems, ["gout: the model failed, and the next ingest will retry: m broke off"]);
    assert_eq!(receipt.ledger.total.calls_failed, 1);
    failures.store(0, Ordering::Relaxed);
    let receipt = quiver.ingest(handbook()).await.unwrap();
    assert_eq!((receipt.passages_written, receipt.passages_kept, receipt.ledger.total.calls), (1, 4, 1));
    let undisturbed = open(reads(careful), options).await;
    undisturbed.ingest(handbook()).await.unwrap();
    assert!(export(&quiver).await == export(&undisturbed).await);
    assert_eq!(quiver.ingest(handbook()).await.unwrap().documents_unchanged, 5);
}

#[tokio::test]
async fn where_no_call_succeeds_the_ingest_ends_and_says_why() {
    for (kind, expected) in [
        (models::ErrorKind::Unavailable, ErrorKind::Unavailable),
        (models::ErrorKind::Unauthorized, ErrorKind::Unauthorized),
        (models::ErrorKind::NotFound, ErrorKind::NotFound),
    ] {
        let quiver =
            open(scripted(move |_| Err(Error::new(kind, "m is not there"))), ChatOptions::default()).await;
        let error = quiver.ingest(handbook()).await.unwrap_err();
        assert_eq!(error.kind(), expected);
        assert!(error.to_string().contains("m is not there"), "{error}");
        assert_eq!(quiver.documents().await.unwrap(), []);
    }
}

#[tokio::test]
async fn what_is_too_long_together_is_asked_for_one_by_one() {
    let chat = scripted(|request| {
        if shown(request).len() > 1 {
            return Err(Error::new(models::ErrorKind::Limit, "m says that the request is too large"));
        }
        Ok(said(request, &reply(request, careful)))
    });
    let quiver = open(chat, ChatOptions::default()).await;
    let receipt = quiver.ingest(handbook()).await.unwrap();
    assert_eq!(
        (receipt.passages_fallen_back, receipt.ledger.total.calls),
        (0, 6),
        "one of four fails, one is of one"
    );
    assert!(relations(&quiver).await.iter().any(|relation| relation.predicate == "treats"));
}

/// A model that takes its time, and knows how many calls were under way at once.
#[derive(Debug, Default)]
struct Slow {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl ChatModel for Slow {
    fn model(&self) -> &'static str {
        "slow"
    }

    async fn chat(&self, request: &ChatRequest) -> models::Result<ChatReply> {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(20)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(said(request, &reply(request, careful)))
    }

    async fn stream(&self, request: &ChatRequest, _: OnText<'_>) -> models::Result<ChatReply> {
        self.chat(request).await
    }

    async fn has(&self, _: &ChatRequest) -> bool {
        false
    }
}

#[tokio::test]
async fn several_calls_are_under_way_and_no_more_than_allowed() {
    let slow = Arc::new(Slow::default());
    let options = ChatOptions { passages_per_call: 1, calls_at_once: 3, ..ChatOptions::default() };
    let quiver = open(Arc::clone(&slow), options).await;
    quiver.ingest(handbook()).await.unwrap();
    assert_eq!(slow.most.load(Ordering::SeqCst), 3);
}

/// The parts of a model with a cache: how often it was called, and the model.
fn cached(directory: &Path, budget: Budget) -> (Arc<CountingChat<ScriptedChat>>, impl ChatModel + 'static) {
    let model = Arc::new(CountingChat::new(reads(careful), Prices::default()));
    let budgeted = BudgetedChat::new(Arc::clone(&model), budget, Prices::default());
    (model, CachedChat::open(budgeted, directory).unwrap())
}

#[tokio::test]
async fn a_budget_stops_an_ingest_which_goes_on_with_another_and_pays_for_nothing_twice() {
    let directory = tempfile::tempdir().unwrap();
    let options = ChatOptions { passages_per_call: 1, calls_at_once: 2, ..ChatOptions::default() };
    let (mut calls, mut runs) = (0, 0);
    let store: Arc<dyn quiver::store::PointStore> =
        Arc::new(quiver::store::MemoryStore::open(quiver::graph::Graph::schema(None)));
    loop {
        runs += 1;
        let (counting, chat) = cached(directory.path(), Budget { calls_max: Some(2), ..Budget::default() });
        let location = quiver::Location::Store(Arc::clone(&store));
        let builder =
            Quiver::builder().location(location).chat_model(Arc::new(chat)).chat_options(options.clone());
        let quiver = builder.open().await.unwrap();
        let ingest = IngestOptions { passages_per_batch: 2, ..IngestOptions::default() };
        let estimate = quiver.estimate_ingest(&mut handbook().into_iter(), &ingest).await.unwrap();
        let receipt = quiver.ingest(handbook()).options(ingest).await.unwrap();
        let made = counting.ledger().total;
        calls += made.calls;
        assert!(made.calls <= 2 && made.calls_failed == 0, "{made:?}");
        assert_eq!(
            estimate.most.calls - estimate.most.calls_cached,
            5 - (calls - made.calls),
            "{estimate:?}"
        );
        assert_eq!(receipt.stopped, receipt.out_of_budget.is_some());
        assert_eq!(quiver.verify().await.unwrap(), []);
        let Some(why) = &receipt.out_of_budget else {
            let undisturbed = open(reads(careful), options.clone()).await;
            undisturbed.ingest(handbook()).await.unwrap();
            assert!(export(&quiver).await == export(&undisturbed).await, "it ends with the same graph");
            break;
        };
        assert!(why.contains("2 calls") && runs < 5, "{why}");
    }
    assert_eq!((calls, runs), (5, 3));
}

#[tokio::test]
async fn an_estimate_is_the_most_that_an_ingest_takes_and_nothing_is_sent_for_it() {
    let prices = Prices { million_in: 1.0, million_out: 2.0 };
    let chat = Arc::new(reads(careful));
    let quiver = open(Arc::clone(&chat), ChatOptions { prices, ..ChatOptions::default() }).await;
    let options = IngestOptions::default();
    let estimate = quiver.estimate_ingest(&mut handbook().into_iter(), &options).await.unwrap();
    assert_eq!((estimate.documents, estimate.passages, estimate.most.calls), (5, 5, 2));
    assert_eq!((chat.requests().len(), quiver.documents().await.unwrap().len()), (0, 0), "nothing is done");
    let took = quiver.ingest(handbook()).await.unwrap().ledger.total;
    assert_eq!((took.calls, took.tokens_in), (estimate.most.calls, estimate.most.tokens_in));
    assert!(took.tokens_out <= estimate.most.tokens_out && took.cost_nano <= estimate.most.cost_nano);
    assert!(took.cost_nano > 0);
    let again = quiver.estimate_ingest(&mut handbook().into_iter(), &options).await.unwrap();
    assert_eq!((again.passages, again.most.calls), (0, 0));
    let plain = engine(Vec::new()).await;
    let without = plain.estimate_ingest(&mut handbook().into_iter(), &options).await.unwrap();
    assert_eq!((without.passages, without.most.calls), (5, 0));
}
