use std::{slice::from_ref, sync::Arc};

use crate::{
    Cached, Counting, Embedder, Encoder, EncoderFingerprint, ErrorKind, Input, Role,
    testing::{HashEmbedder, conformance},
};

fn assert_send<T: Send>(value: T) -> T {
    value
}

#[tokio::test]
async fn the_test_embedder_and_the_wrappers_conform() {
    conformance(&HashEmbedder::default()).await;
    conformance(&Cached::new(HashEmbedder::new(32), 1_000)).await;
    conformance(&Cached::new(HashEmbedder::new(32), 0)).await;
    conformance(&Counting::new(Arc::new(HashEmbedder::default()))).await;
}

#[tokio::test]
async fn what_is_known_is_not_asked_for_again() {
    let embedder = Cached::new(Counting::new(HashEmbedder::default()), 1_000);
    let span = 0..1;
    let inputs = [
        Input::new("a b"),
        Input::new("c"),
        Input::new("a b"),
        Input { text: "a b", spans: from_ref(&span) },
    ];
    let first = embedder.embed(Role::Document, &inputs).await.unwrap();
    assert_eq!((embedder.inner().calls(), embedder.inner().texts()), (1, 3));
    assert_eq!(first[0], first[2]);
    assert_eq!(first[3].spans.len(), 1);
    assert_eq!(embedder.embed(Role::Document, &inputs).await.unwrap(), first);
    assert_eq!(embedder.inner().calls(), 1);
    embedder.embed(Role::Query, &inputs[..1]).await.unwrap();
    assert_eq!(embedder.inner().calls(), 2, "a query is not a document");
}

#[tokio::test]
async fn the_cache_is_bounded_and_forgets_the_oldest() {
    let embedder = Cached::new(Counting::new(HashEmbedder::default()), 3);
    for text in ["a", "b", "c", "a", "d"] {
        embedder.embed(Role::Document, &[Input::new(text)]).await.unwrap();
    }
    assert_eq!((embedder.vectors(), embedder.inner().calls()), (3, 4));
    embedder.embed(Role::Document, &[Input::new("a")]).await.unwrap();
    assert_eq!(embedder.inner().calls(), 4, "a was used after b");
    embedder.embed(Role::Document, &[Input::new("b")]).await.unwrap();
    assert_eq!(embedder.inner().calls(), 5);
    let spans = [0..1, 0..1, 0..1];
    embedder.embed(Role::Document, &[Input { text: "a", spans: &spans }]).await.unwrap();
    assert_eq!(embedder.vectors(), 3, "what is larger than the cache is not kept");
}

#[tokio::test]
async fn an_encoder_fills_what_it_can() {
    let text = "First one. Second two.";
    let spans = [0..10, 11..22];
    let inputs = [Input { text, spans: &spans }, Input::new("")];

    let lexical = Encoder::lexical();
    let encoded = lexical.encode_documents(&inputs).await.unwrap();
    assert_eq!(lexical.dimension(), None);
    assert!(encoded[0].dense.is_none() && encoded[0].spans[1].dense.is_none());
    assert_eq!(encoded[0].sparse.len(), 5, "four words, and what may be a title");
    assert_eq!(encoded[0].spans[1].sparse.len(), 2);
    assert!(encoded[1].sparse.is_empty());

    let counting = Arc::new(Counting::new(HashEmbedder::default()));
    let both = Encoder::with_embedder(counting.clone());
    let encoded = assert_send(both.encode_documents(&inputs)).await.unwrap();
    assert_eq!((both.dimension(), counting.calls()), (Some(64), 1));
    assert_eq!(encoded[0].spans[0].dense.as_ref().map(Vec::len), Some(64));
    assert_eq!(encoded[1].dense.as_ref().map(Vec::len), Some(64));
    let queries = assert_send(both.encode_queries(&["the second", "one one"])).await.unwrap();
    assert_eq!(queries[0].terms.len(), 2, "one word, and the heading that it may be");
    let one = both.analysis().terms("one")[0].hash;
    let weight = queries[1].sparse(|term| if term == one { 2.0 } else { 0.0 })[0].1;
    assert!((weight - 2.0 * (1.0 + 2.0_f32.ln())).abs() < 1e-6);
    assert!(queries[0].dense.is_some());
    assert_eq!(counting.calls(), 2);
}

#[tokio::test]
async fn a_span_outside_the_text_is_refused() {
    let span = 0..9;
    let error = Encoder::lexical()
        .encode_documents(&[Input { text: "short", spans: from_ref(&span) }])
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(error.to_string(), "the span 0..9 is not within its text of 5 bytes");
}

#[test]
fn fingerprints_survive_storage_and_name_both_halves() {
    let fingerprint = Encoder::with_embedder(Arc::new(HashEmbedder::default())).fingerprint();
    let stored = serde_json::to_string(&fingerprint).unwrap();
    assert_eq!(serde_json::from_str::<EncoderFingerprint>(&stored).unwrap(), fingerprint);
    assert_ne!(fingerprint, Encoder::lexical().fingerprint());
    let shown = fingerprint.to_string();
    assert!(shown.starts_with("lexical-7(") && shown.contains("hash-projection-1 (64 dimensions"), "{shown}");
}
