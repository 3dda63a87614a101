use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::*;
use crate::{
    endpoint::{
        Key,
        stand_in::{Answer, StandIn},
    },
    testing::{HashEmbedder, conformance},
};

const SECRET: &str = "sk-very-secret-0123456789";

impl StandIn {
    /// An endpoint that embeds correctly and returns the vectors in reverse order.
    async fn well() -> Self {
        Self::start(|_, request| Answer::new(200, embeddings(request))).await
    }

    fn options(&self) -> HttpOptions {
        HttpOptions {
            key: Some(Key::new(SECRET)),
            dimension: Some(64),
            timeout: Duration::from_millis(500),
            backoff: Duration::from_millis(5),
            ..HttpOptions::new(&self.url, "stand-in")
        }
    }

    async fn open(&self) -> HttpEmbedder {
        HttpEmbedder::open(self.options()).await.unwrap()
    }

    /// Returns the error of embedding two texts, and asserts that the key does not appear in it.
    async fn error(&self) -> Error {
        let embedder = self.open().await;
        let error = embedder.embed(Role::Document, &[Input::new("a"), Input::new("b")]).await.unwrap_err();
        let told = format!("{error} {error:?} {embedder:?} {:?}", embedder.options);
        assert!(!told.contains(SECRET) && !told.contains("0123456789"), "{told}");
        error
    }
}

/// A correct response: vectors longer than unit length, in reverse order.
fn embeddings(request: &Value) -> Value {
    let texts: Vec<&str> =
        request["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let inputs: Vec<Input<'_>> = texts.iter().copied().map(Input::new).collect();
    let vectors =
        futures::executor::block_on(HashEmbedder::default().embed(Role::Document, &inputs)).unwrap();
    let item = |(index, vector): (usize, Embedding)| {
        let longer: Vec<f32> = vector.text.iter().map(|value| value * 3.0).collect();
        json!({"object": "embedding", "index": index, "embedding": longer})
    };
    let data: Vec<Value> = vectors.into_iter().enumerate().rev().map(item).collect();
    json!({"object": "list", "data": data, "model": "stand-in", "usage": {"total_tokens": 7}})
}

#[tokio::test]
async fn an_endpoint_conforms() {
    let endpoint = StandIn::well().await;
    conformance(&endpoint.open().await).await;
    let small =
        HttpOptions { batch_texts_max: 2, batch_bytes_max: 50, requests_max: 2, ..endpoint.options() };
    conformance(&HttpEmbedder::open(small).await.unwrap()).await;
}

#[tokio::test]
async fn requests_are_in_the_protocol() {
    let endpoint = StandIn::well().await;
    let options =
        HttpOptions { dimension: None, query_prefix: Some("query: ".to_owned()), ..endpoint.options() };
    let embedder = HttpEmbedder::open(options).await.unwrap();
    assert_eq!(embedder.fingerprint().dimension, 64, "learned from the first answer");
    let span = 0..1;
    let inputs =
        [Input { text: "a b", spans: std::slice::from_ref(&span) }, Input::new(""), Input::new("a b")];
    embedder.embed(Role::Document, &inputs).await.unwrap();
    embedder.embed(Role::Query, &inputs[..1]).await.unwrap();
    let asked = endpoint.asked();
    let bodies: Vec<&Value> = asked.iter().map(|(_, body)| body).collect();
    assert_eq!(
        bodies,
        [
            &json!({"model": "stand-in", "input": ["probe"]}),
            &json!({"model": "stand-in", "input": ["a", "a b", " "]}),
            &json!({"model": "stand-in", "input": ["query: a", "query: a b"]}),
        ]
    );
    let head = asked[0].0.to_lowercase();
    assert!(head.starts_with("post /v1/embeddings http/1.1"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {SECRET}")), "{head}");
    assert!(embedder.fingerprint().to_string().contains("query: "));
}

#[tokio::test]
async fn refusals_are_told_apart_and_not_repeated() {
    let echo = json!({"error": {"message": format!("bad key {SECRET}"), "code": "bad"}});
    for (status, body, kind, words) in [
        (401, echo.clone(), ErrorKind::Unauthorized, "rejected the key with status 401"),
        (403, echo.clone(), ErrorKind::Unauthorized, "rejected the key with status 403"),
        (404, json!({"error": "no such model"}), ErrorKind::NotFound, "does not know the model"),
        (400, echo.clone(), ErrorKind::Invalid, "bad key … (bad)"),
        (413, echo.clone(), ErrorKind::Limit, "too large"),
        (307, json!({}), ErrorKind::Invalid, "status 307"),
        (
            429,
            json!({"error": {"message": "pay", "code": "insufficient_quota"}}),
            ErrorKind::Limit,
            "quota is used up",
        ),
    ] {
        let endpoint = StandIn::start(move |_, _| Answer::new(status, &body)).await;
        let error = endpoint.error().await;
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.is_retryable());
        assert_eq!(endpoint.asked().len(), 1, "status {status} is not repeated");
    }
}

#[tokio::test]
async fn failures_of_the_moment_are_repeated() {
    let endpoint = StandIn::start(|number, request| match number {
        0 => Answer { headers: "retry-after: 0.2\r\n", ..Answer::new(429, "slow down") },
        1 => Answer::new(500, "oops"),
        _ => Answer::new(200, embeddings(request)),
    })
    .await;
    let embedder = endpoint.open().await;
    let begun = Instant::now();
    assert_eq!(embedder.embed(Role::Query, &[Input::new("a")]).await.unwrap().len(), 1);
    assert!(begun.elapsed() >= Duration::from_millis(200), "the delay that was asked for is kept");
    assert_eq!(endpoint.asked().len(), 3);
}

#[tokio::test]
async fn repetitions_are_bounded() {
    let endpoint = StandIn::start(|_, _| Answer::new(503, format!("{SECRET} is overloaded"))).await;
    let error = endpoint.error().await;
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Unavailable, true));
    assert_eq!(endpoint.asked().len(), 4);

    let endpoint =
        StandIn::start(|_, _| Answer { headers: "retry-after: 3600\r\n", ..Answer::new(429, "") }).await;
    let error = endpoint.error().await;
    assert_eq!(error.retry_after(), Some(Duration::from_hours(1)), "the caller decides about long delays");
    assert_eq!(endpoint.asked().len(), 1);
}

#[tokio::test]
async fn waits_have_a_deadline() {
    let endpoint =
        StandIn::start(|_, _| Answer { delay: Duration::from_secs(5), ..Answer::new(200, "late") }).await;
    let options = HttpOptions { timeout: Duration::from_millis(50), attempts_max: 2, ..endpoint.options() };
    let embedder = HttpEmbedder::open(options).await.unwrap();
    let begun = Instant::now();
    let error = embedder.embed(Role::Query, &[Input::new("a")]).await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("did not respond within 50ms"), "{error}");

    let unused = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let options = HttpOptions { url: format!("http://{unused}"), attempts_max: 1, ..endpoint.options() };
    let error = HttpEmbedder::open(HttpOptions { dimension: None, ..options }).await.unwrap_err();
    assert!(error.to_string().contains("can't be reached"), "{error}");
}

#[tokio::test]
async fn answers_that_break_the_protocol_are_refused() {
    let item = |index: usize, length: usize| json!({"index": index, "embedding": vec![1.0; length]});
    for (body, words) in [
        ("<html>welcome</html>".to_owned(), "did not return embeddings"),
        (json!({"data": "none"}).to_string(), "did not return embeddings"),
        (json!({"data": [item(0, 64)]}).to_string(), "returned 1 vectors for 2 texts"),
        (json!({"data": [item(1, 64), item(1, 64)]}).to_string(), "two vectors for text 1"),
        (json!({"data": [item(1, 64), item(2, 64)]}).to_string(), "a vector for text 2 of 2"),
        (json!({"data": [item(0, 64), item(1, 3)]}).to_string(), "3 dimensions instead of 64"),
        (
            json!({"data": [item(0, 64), {"index": 1, "embedding": vec![0.0; 64]}]}).to_string(),
            "a zero vector",
        ),
    ] {
        let endpoint = StandIn::start(move |_, _| Answer::new(200, &body)).await;
        let error = endpoint.error().await;
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(endpoint.asked().len(), 1);
    }
    let endpoint = StandIn::start(|_, _| Answer::new(200, "x".repeat(5_000))).await;
    let options = HttpOptions { reply_bytes_max: 1_000, ..endpoint.options() };
    let error =
        HttpEmbedder::open(options).await.unwrap().embed(Role::Query, &[Input::new("a")]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[tokio::test]
async fn addresses_and_keys_are_checked_first() {
    for url in ["nowhere", "ftp://a.example", "http://user:pass@a.example/v1", "http://a.example/v1?key=1"] {
        let error = HttpEmbedder::open(HttpOptions::new(url, "m")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(!error.to_string().contains("pass"), "{error}");
    }
    let options =
        HttpOptions { key: Some(Key::new("new\nline")), ..HttpOptions::new("http://a.example", "m") };
    let error = HttpEmbedder::open(options).await.unwrap_err();
    assert!(!format!("{error:?}").contains("line"), "{error:?}");
    for url in ["http://a.example/v1/", "http://a.example/v1", "http://a.example/v1/embeddings"] {
        let endpoint = crate::endpoint::address("embedder", url, "/embeddings").unwrap();
        assert_eq!(endpoint.as_str(), "http://a.example/v1/embeddings");
    }
}

#[test]
fn requests_keep_within_both_limits() {
    assert_eq!(batches(&["a", "b", "c"], 2, 100), [&["a", "b"][..], &["c"]]);
    assert_eq!(batches(&["aaaa", "b", "cccc"], 9, 5), [&["aaaa", "b"][..], &["cccc"]]);
    assert_eq!(batches(&["aaaaaaaaa", "b"], 9, 5), [&["aaaaaaaaa"][..], &["b"]]);
    assert!(batches(&[], 9, 5).is_empty());
}
