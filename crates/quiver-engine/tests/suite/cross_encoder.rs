//! A local cross-encoder beside the built-in ranking.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{path::Path, sync::Arc};

use quiver::{
    CrossOptions, CrossReranker, Document, Evidence, Quiver, Reranker,
    models::{CrossEncoder, CrossEncoderOptions},
};

const FOUNDER: &str = "Who founded the yard where the Aurelia was built?";

/// A ship, the yard that it leads to, and a text that has the words of the question and no way to or from it.
fn documents() -> [Document; 4] {
    [
        Document::new("aurelia", "The Aurelia is a red ship. It was built at the Norby yard.")
            .with_title("Aurelia"),
        Document::new("norby", "Norby is old. The first owner was Ida Holm, and she founded it in a fjord.")
            .with_title("Norby yard"),
        Document::new("echo", "Who built the yard, who founded the yard, where was the yard?")
            .with_title("Echo"),
        Document::new("bergen", "Bergen is a town with a harbour and a lighthouse.").with_title("Bergen"),
    ]
}

/// The stand-in, whose score is the number of words of a text that occur in the question.
async fn stand_in(weight: f32) -> Arc<dyn Reranker> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../quiver-models/tests/cross-encoder");
    let model = directory.to_string_lossy().into_owned();
    let model = CrossEncoder::open(CrossEncoderOptions { model, ..Default::default() }).await.unwrap();
    Arc::new(CrossReranker::new(model, CrossOptions { weight }))
}

async fn quiver(reranker: Option<Arc<dyn Reranker>>) -> Quiver {
    let builder = Quiver::builder().memory();
    let builder = match reranker {
        Some(reranker) => builder.reranker(reranker),
        None => builder,
    };
    let quiver = builder.open().await.unwrap();
    quiver.ingest(documents()).await.unwrap();
    quiver
}

fn found(evidence: &Evidence) -> Vec<&str> {
    evidence.passages.iter().map(|ranked| ranked.passage.document.as_str()).collect()
}

#[tokio::test]
#[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
async fn a_cross_encoder_orders_with_the_built_in_ranking() {
    let reranker = stand_in(CrossOptions::default().weight).await;
    let plain = quiver(None).await.ask(FOUNDER).await.unwrap();
    let quiver = quiver(Some(Arc::clone(&reranker))).await;
    let answer = quiver.ask(FOUNDER).await.unwrap();
    let evidence = &answer.evidence;
    let line = format!(" candidates ranked by {}", reranker.fingerprint());
    assert!(evidence.trace.to_string().contains(&line), "{}", evidence.trace);
    assert_eq!(evidence.trace.degraded, Vec::<String>::new());
    let score = |evidence: &Evidence, document: &str| {
        let ranked = evidence.passages.iter().find(|ranked| ranked.passage.document == document).unwrap();
        (ranked.score, ranked.path.len())
    };
    // The echo has most of the question's words and rises; the second step has few, sinks, and stays above it.
    assert!(score(evidence, "echo").0 > score(&plain.evidence, "echo").0);
    assert!(score(evidence, "norby").0 < score(&plain.evidence, "norby").0);
    assert!(score(evidence, "norby").0 > score(evidence, "echo").0, "{}", evidence.trace);
    assert_eq!(score(evidence, "norby").1, 1, "the way to it is still shown");
    assert_eq!(answer.text, plain.text);
    let again = quiver.ask(FOUNDER).await.unwrap();
    let lines = |evidence: &Evidence| -> Vec<String> {
        evidence.trace.steps.iter().flat_map(|step| step.lines.clone()).collect()
    };
    assert_eq!(lines(&again.evidence), lines(evidence));
}

#[tokio::test]
#[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
async fn with_a_great_weight_a_cross_encoder_decides_alone() {
    let reranker = stand_in(5.0).await;
    let evidence = quiver(Some(reranker)).await.retrieve(FOUNDER).await.unwrap();
    assert_eq!(found(&evidence)[0], "echo", "{}", evidence.trace);
}

#[tokio::test]
#[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
async fn a_cross_encoder_that_fails_changes_nothing() {
    let reranker = stand_in(5.0).await;
    let question = format!("{FOUNDER} Is it rowless?");
    let plain = quiver(None).await.retrieve(question.as_str()).await.unwrap();
    let evidence = quiver(Some(reranker)).await.retrieve(question.as_str()).await.unwrap();
    assert_eq!(found(&evidence), found(&plain));
    let [degraded] = evidence.trace.degraded.as_slice() else { panic!("{}", evidence.trace) };
    assert!(degraded.starts_with("the reranker cross-encoder@"), "{degraded}");
    assert!(
        degraded.contains("did not rank the candidates, so the built-in ranking is used: "),
        "{degraded}"
    );
    assert!(degraded.contains("can't score: the model can't be used"), "{degraded}");
}
