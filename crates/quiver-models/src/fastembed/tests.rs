use std::path::Path;

use super::{
    pass::{Pooled, Sum, Window, batches, even_runs},
    *,
};
use crate::testing::conformance;

/// Opens the model used by the tests.
async fn model() -> FastEmbedder {
    let directory = std::env::var_os("QUIVER_TEST_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"), PathBuf::from);
    let model = directory.join("all-MiniLM-L6-v2");
    let options = FastEmbedOptions { model: model.to_string_lossy().into_owned(), ..Default::default() };
    FastEmbedder::open(options).await.unwrap()
}

async fn vector(embedder: &FastEmbedder, text: &str) -> Vec<f32> {
    embedder.embed(Role::Document, &[Input::new(text)]).await.unwrap().remove(0).text
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[tokio::test]
#[ignore = "needs the ONNX runtime, and all-MiniLM-L6-v2 in QUIVER_TEST_MODELS"]
async fn a_local_model_conforms() {
    let embedder = model().await;
    conformance(&embedder).await;
}

#[tokio::test]
#[ignore = "needs the ONNX runtime, and all-MiniLM-L6-v2 in QUIVER_TEST_MODELS"]
async fn vectors_are_those_of_sentence_transformers() {
    let embedder = model().await;
    let person = vector(&embedder, "That is a happy person").await;
    let dog = vector(&embedder, "That is a happy dog").await;
    let day = vector(&embedder, "Today is a sunny day").await;
    assert!((cosine(&person, &dog) - 0.6946).abs() < 0.002, "{}", cosine(&person, &dog));
    assert!((cosine(&person, &day) - 0.2569).abs() < 0.002, "{}", cosine(&person, &day));
    assert_eq!(embedder.fingerprint().dimension, 384);
}

#[tokio::test]
#[ignore = "needs the ONNX runtime, and all-MiniLM-L6-v2 in QUIVER_TEST_MODELS"]
async fn long_texts_are_read_to_the_end() {
    let embedder = model().await;
    let filler = "The ferry leaves at seven and comes back at nine. ".repeat(100);
    let end = "Volcanoes erupt with lava and ash.";
    let text = format!("{filler}{end}");
    let spans = [0..49, filler.len()..text.len(), 0..text.len()];
    let embedding =
        embedder.embed(Role::Document, &[Input { text: &text, spans: &spans }]).await.unwrap().remove(0);
    let volcano = vector(&embedder, end).await;
    let ferry = vector(&embedder, &filler[..49]).await;
    assert!(cosine(&embedding.spans[1], &volcano) > cosine(&embedding.spans[0], &volcano) + 0.2);
    assert!(cosine(&embedding.spans[0], &ferry) > 0.6);
    assert!(cosine(&embedding.spans[2], &embedding.text) > 0.95, "a span over all is nearly the text");
    let cut_off = vector(&embedder, &filler).await;
    assert!(cosine(&embedding.text, &volcano) > cosine(&cut_off, &volcano), "the end counts");
}

#[tokio::test]
#[ignore = "needs the ONNX runtime, and all-MiniLM-L6-v2 in QUIVER_TEST_MODELS"]
async fn padding_leaves_no_trace() {
    let embedder = model().await;
    let texts: Vec<String> = (1..40).map(|words| "a long way to go ".repeat(words)).collect();
    let inputs: Vec<Input<'_>> = texts.iter().map(|text| Input::new(text)).collect();
    let together = embedder.embed(Role::Document, &inputs).await.unwrap();
    let mut apart = 0.0_f32;
    for (text, embedding) in texts.iter().zip(&together) {
        let alone = vector(&embedder, text).await;
        apart =
            alone.iter().zip(&embedding.text).map(|(left, right)| (left - right).abs()).fold(apart, f32::max);
    }
    assert!(apart < 1e-6, "the greatest difference is {apart}");
}

#[tokio::test]
#[ignore = "needs the ONNX runtime, and all-MiniLM-L6-v2 in QUIVER_TEST_MODELS"]
async fn what_is_no_model_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let options =
        |model: &Path| FastEmbedOptions { model: model.to_string_lossy().into_owned(), ..Default::default() };
    let error = FastEmbedder::open(options(directory.path())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("model.onnx is missing"), "{error}");

    std::fs::write(directory.path().join("model.onnx"), "no model").unwrap();
    std::fs::write(directory.path().join("tokenizer.json"), "{}").unwrap();
    std::fs::write(directory.path().join("tokenizer_config.json"), "{}").unwrap();
    let error = FastEmbedder::open(options(directory.path())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    let error = FastEmbedder::open(options(Path::new("no-such-model"))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}

#[test]
fn batches_are_of_like_lengths_and_bounded() {
    assert_eq!(batches(&[3, 90, 4, 80, 2], 2, 200), [vec![1, 3], vec![2, 0], vec![4]]);
    assert_eq!(batches(&[90, 80], 8, 100), [vec![0], vec![1]]);
    assert_eq!(batches(&[500], 8, 100), [vec![0]], "what is too long goes alone");
    assert!(batches(&[], 8, 100).is_empty());
}

#[test]
fn runs_are_even_and_begin_at_words() {
    let words = [true; 10];
    assert_eq!(even_runs(&words, 4), [0..4, 4..7, 7..10]);
    let pieces = [true, false, false, true, false, false];
    assert_eq!(even_runs(&pieces, 5), [0..3, 3..6]);
    assert_eq!(even_runs(&[false; 6], 4), [0..3, 3..6], "where no word begins, anywhere");
    assert!(even_runs(&[], 4).is_empty());
}

#[test]
fn windows_add_up() {
    let window = Window { spans: vec![vec![1], vec![]], ..Window::of_text("") };
    let mut whole = Pooled::new(2);
    whole.add(Pooled::of_states(&[&[1.0, 0.0], &[0.0, 2.0]], &window));
    whole.add(Pooled::of_states(&[&[1.0, 0.0], &[0.0, 2.0]], &window));
    let Sum { sum, count } = whole.spans[0].clone();
    assert_eq!((sum, count), (vec![0.0, 4.0], 2));
    let (text, spans) = whole.finish().unwrap();
    assert!(cosine(&text, &[0.447_213_6, 0.894_427_2]) > 0.999_999);
    assert_eq!(spans[0], [0.0, 1.0]);
    assert_eq!(spans[1], text, "a span without tokens has the vector of its text");
}
