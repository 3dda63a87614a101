//! Questions that a language model, which follows a script, writes as queries.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use quiver::{
    ChatOptions, Quiver,
    models::{
        chat::{ChatModel, ChatRequest},
        testing::{ScriptedChat, said},
    },
};

use crate::queries::{load, rows};

/// A graph of services, with a language model that writes these queries one after the other.
async fn written_by(replies: &[&'static str]) -> (Quiver, Arc<ScriptedChat>) {
    let (calls, replies) = (AtomicUsize::new(0), replies.to_vec());
    let write = move |request: &ChatRequest| {
        Ok(said(request, replies[calls.fetch_add(1, Ordering::Relaxed).min(replies.len() - 1)]))
    };
    let chat = Arc::new(ScriptedChat::new().when(
        "query",
        |request: &ChatRequest| request.purpose.job == "query",
        write,
    ));
    let options = ChatOptions { extract: false, rerank: false, answer: false, ..ChatOptions::default() };
    let quiver = Quiver::builder()
        .chat_model(Arc::<ScriptedChat>::clone(&chat))
        .chat_options(options)
        .open()
        .await
        .unwrap();
    load(&quiver).await;
    (quiver, chat)
}

const UNREAD: &str = "Which services might break because of what Team A wants to retire?";

#[tokio::test(flavor = "multi_thread")]
async fn a_language_model_writes_the_query_that_the_rules_can_not_read() {
    let good = r#"{"cypher": "MATCH (:Team {name: 'Team A'})-[:OWNS]->(s)-[:CALLS]->(:API {status: 'deprecated'}) RETURN s.name"}"#;
    let (quiver, chat) = written_by(&[good]).await;
    let answer = quiver.ask(UNREAD).await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("payments"));
    let query = answer.query.as_ref().unwrap();
    assert_eq!(query.model.as_deref(), Some(chat.model()));
    assert_eq!(query.rows.proof_lines(0), ["Team A -OWNS-> payments -CALLS-> billing-v1"]);
    assert_eq!(answer.trace().calls["query"].calls, 1);
    let shown = chat.requests()[0].messages[1].text.clone();
    for told in [
        "(:API {name: string ('billing-v1' | 'billing-v2'), status: string",
        "(:Service)-[:CALLS]->(:API)",
        "The question has 'Team A', name of :Team",
    ] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
    // The rules read this one, and this one mentions nothing of the graph.
    for question in ["How many services does Team A own?", "What is the capital of France?"] {
        quiver.ask(question).await.unwrap();
        assert_eq!(chat.requests().len(), 1, "{question}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_of_a_language_model_is_mended_once_and_never_writes() {
    let wrong = r#"{"cypher": "MATCH (s:Service RETURN s.name"}"#;
    let good = r#"{"cypher": "MATCH (:Team {name: 'Team A'})-[:OWNS]->(s)-[:CALLS]->(:API {status: 'deprecated'}) RETURN s.name"}"#;
    let writes = r#"{"cypher": "MATCH (s:Service) DETACH DELETE s"}"#;
    for (replies, calls, text, line) in [
        (&[wrong, good][..], 2, Some("payments"), "refused: "),
        (&[wrong, wrong][..], 2, None, "refused: "),
        (&[writes, writes][..], 2, None, "refused: "),
        (&[r#"{"cypher": ""}"#][..], 1, None, "no query, by the language model"),
        (&["I can't."][..], 1, None, "its reply: "),
        (&[r#"{"cypher": "MATCH (s:Service {name: 'x'}) RETURN s.name"}"#][..], 1, None, "has no rows"),
    ] {
        let (quiver, chat) = written_by(replies).await;
        let answer = quiver.ask(UNREAD).await.unwrap();
        assert_eq!(answer.text.as_deref(), text, "{replies:?}");
        assert_eq!(chat.requests().len(), calls, "{replies:?}");
        assert!(answer.trace().to_string().contains(line), "{replies:?}: {}", answer.trace());
        assert_eq!(rows(&quiver, "MATCH (s:Service) RETURN count(s)").await, ["3"]);
        if calls == 2 {
            let told = &chat.requests()[1].messages;
            assert!(told.len() == 4 && told[3].text.contains("The query failed: "), "{told:?}");
        }
    }
}
