//! A language model in the rooms of a question: at most two calls, and done without where it fails.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;

use common::{engine, handbook};
use quiver::{
    ChatOptions, Location, Quiver,
    models::{
        Error, ErrorKind,
        chat::{ChatModel, ChatReply, ChatRequest, Finish, Prices},
        testing::{ScriptedChat, said},
    },
};

const FIRST_LINE: &str = "What must be monitored with the first-line drug for type 2 diabetes?";

/// What a model answers.
type Answers = Box<dyn Fn(&ChatRequest) -> quiver::models::Result<ChatReply> + Send + Sync>;

/// An engine with the handbook and a language model.
async fn with_model(chat: Arc<dyn ChatModel>, options: ChatOptions) -> Quiver {
    let quiver = Quiver::builder().chat_model(chat).chat_options(options).open().await.unwrap();
    quiver.ingest(handbook()).await.unwrap();
    quiver
}

fn rerank_alone() -> ChatOptions {
    ChatOptions { extract: false, answer: false, ..ChatOptions::default() }
}

/// The label of a document's passage in a prompt.
fn label(request: &ChatRequest, title: &str) -> String {
    let prompt = &request.messages[1].text;
    let line = prompt.lines().find(|line| line.contains(&format!("title=\"{title}\""))).unwrap();
    line.split('"').nth(1).unwrap().to_owned()
}

/// A model that orders candidates as a function of the request says.
fn orders(order: impl Fn(&ChatRequest) -> String + Send + Sync + 'static) -> Arc<ScriptedChat> {
    let is_rerank = |request: &ChatRequest| request.purpose.job == "rerank";
    Arc::new(ScriptedChat::new().when("rerank", is_rerank, move |request| Ok(said(request, &order(request)))))
}

fn documents(evidence: &quiver::Evidence) -> Vec<&str> {
    evidence.passages.iter().map(|ranked| ranked.passage.document.as_str()).collect()
}

#[tokio::test]
async fn a_model_orders_the_candidates_in_one_call() {
    let plain = engine(handbook()).await.retrieve(FIRST_LINE).await.unwrap();
    let chat = orders(|request| format!(r#"{{"order": ["{}"]}}"#, label(request, "Renal function")));
    let quiver = with_model(chat.clone(), rerank_alone()).await;
    let evidence = quiver.retrieve(FIRST_LINE).await.unwrap();
    assert_eq!(chat.requests().len(), 1);
    // What it named comes first, the others follow as they stood.
    let mut expected = vec!["renal-function"];
    expected.extend(documents(&plain).into_iter().filter(|document| *document != "renal-function"));
    assert_eq!(documents(&evidence), expected);
    assert!(evidence.passages.is_sorted_by(|a, b| a.score >= b.score));
    assert!(evidence.trace.degraded.is_empty(), "{}", evidence.trace);
    assert_eq!((evidence.trace.calls.len(), evidence.trace.calls["rerank"].calls), (1, 1));
    assert_eq!(evidence.trace.spent().calls, 1);
    assert!(evidence.trace.to_string().contains("language model, rerank: 1 call"), "{}", evidence.trace);
}

#[tokio::test]
async fn unknown_and_repeated_ids_are_repaired_and_told() {
    let chat = orders(|request| {
        let [renal, metformin] = [label(request, "Renal function"), label(request, "Metformin")];
        format!("Sure! {{\"order\": [\"P99\", \"{renal}\", \"{renal}\", \"{metformin}\"")
    });
    let evidence = with_model(chat, rerank_alone()).await.retrieve(FIRST_LINE).await.unwrap();
    assert_eq!(documents(&evidence)[..2], ["renal-function", "metformin"]);
    let trace = evidence.trace.to_string();
    assert!(trace.contains(r#"names "P99", which there is not"#), "{trace}");
    assert!(evidence.trace.degraded.is_empty(), "{trace}");
}

#[tokio::test]
async fn where_the_order_fails_the_built_in_one_stands_and_the_trace_says_so() {
    let plain = engine(handbook()).await.retrieve(FIRST_LINE).await.unwrap();
    let replies: Vec<(Answers, &str)> = vec![
        (
            Box::new(|_| Err(Error::new(ErrorKind::Unavailable, "m did not answer within 2 s"))),
            "did not answer",
        ),
        (Box::new(|request| Ok(said(request, ""))), "the model said nothing"),
        (Box::new(|request| Ok(said(request, "Tut mir leid, das weiß ich nicht."))), "no JSON"),
        (Box::new(|request| Ok(said(request, r#"{"order": ["P98", "P99"]}"#))), "P98"),
        (Box::new(|request| Ok(said(request, r#"{"order": 7}"#))), "7"),
        (
            Box::new(|_| {
                let refusal = Some("I can't help with that.".to_owned());
                Ok(ChatReply { refusal, finish: Finish::Stop, ..ChatReply::default() })
            }),
            "the model refused: I can't help with that.",
        ),
    ];
    for (answers, why) in replies {
        let chat = Arc::new(ScriptedChat::new().when("all", |_| true, answers));
        let evidence = with_model(chat, rerank_alone()).await.retrieve(FIRST_LINE).await.unwrap();
        assert_eq!(evidence.passages, plain.passages, "{why}");
        let [degraded] = evidence.trace.degraded.as_slice() else { panic!("{why}: {}", evidence.trace) };
        assert!(degraded.contains("the built-in ranking stands") && degraded.contains(why), "{degraded}");
    }
}

#[tokio::test]
async fn what_was_spent_is_in_the_database_and_in_no_workspace() {
    let store: Arc<dyn quiver::store::PointStore> =
        Arc::new(quiver::store::MemoryStore::open(quiver::graph::Graph::schema(None)));
    let plain = engine(handbook()).await;
    let prices = Prices { million_in: 1.0, million_out: 2.0 };
    for round in 1..=3 {
        let location = Location::Store(Arc::clone(&store));
        let chat = orders(|request| format!(r#"{{"order": ["{}"]}}"#, label(request, "Metformin")));
        let options = ChatOptions { prices, ..rerank_alone() };
        let builder = Quiver::builder().location(location).chat_model(chat).chat_options(options);
        let quiver = builder.open().await.unwrap();
        quiver.ingest(handbook()).await.unwrap();
        let evidence = quiver.retrieve(FIRST_LINE).await.unwrap();
        let spent = quiver.stats().await.unwrap().spent;
        let one = evidence.trace.spent();
        assert_eq!((spent.total.calls, spent.total.tokens_in), (round, round * one.tokens_in));
        assert_eq!(spent.total.cost_nano, round * one.cost_nano);
        assert!(one.cost_nano > 0 && spent.jobs["rerank"].calls == round);
        assert_eq!(quiver.verify().await.unwrap(), []);
        let (mut here, mut there) = (Vec::new(), Vec::new());
        quiver.export(true, &mut here).await.unwrap();
        plain.export(true, &mut there).await.unwrap();
        assert!(here == there, "an export has nothing of it");
    }
}
