use std::fs;

use super::*;

/// The test model. The score of a text is the number of its words that occur in the question.
fn stand_in() -> CrossEncoderOptions {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cross-encoder");
    CrossEncoderOptions { model: directory.to_string_lossy().into_owned(), ..Default::default() }
}

async fn open(options: CrossEncoderOptions) -> CrossEncoder {
    CrossEncoder::open(options).await.unwrap()
}

/// Copies the test model and replaces the given files.
fn copy_with(files: &[(&str, &[u8])]) -> (tempfile::TempDir, CrossEncoderOptions) {
    let copy = tempfile::tempdir().unwrap();
    for name in ["model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json"] {
        fs::copy(Path::new(&stand_in().model).join(name), copy.path().join(name)).unwrap();
    }
    for (name, content) in files {
        fs::write(copy.path().join(name), content).unwrap();
    }
    let options =
        CrossEncoderOptions { model: copy.path().to_string_lossy().into_owned(), ..Default::default() };
    (copy, options)
}

#[tokio::test]
#[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
async fn scores_are_in_the_order_of_the_texts() {
    let model = open(stand_in()).await;
    let texts = ["the painter", "Aurelia: a ship, built at Norby", "an unknown text", "", "Norby Norby yard"];
    let scores = model.score("Which yard built the ship Aurelia at Norby?", &texts).await.unwrap();
    assert_eq!(scores, [1.0, 5.0, 0.0, 0.0, 3.0]);
    assert_eq!(model.score("Which yard?", &[]).await.unwrap(), [0.0; 0]);
    assert!(model.fingerprint().starts_with("cross-encoder@"), "{}", model.fingerprint());
    assert!(model.fingerprint().ends_with("pairs of 128 tokens"), "{}", model.fingerprint());
}

#[tokio::test]
#[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
async fn more_texts_than_a_batch_are_scored_as_each_alone() {
    let model = open(stand_in()).await;
    let texts: Vec<String> = (0..3 * TEXTS_MAX + 5).map(|index| "whale fjord ".repeat(index % 23)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores = model.score("Where is the whale?", &texts).await.unwrap();
    let words: Vec<f32> = (0..texts.len()).map(|index| (index % 23) as f32).collect();
    assert_eq!(scores, words);
    assert_eq!(model.score("Where is the whale?", &texts).await.unwrap(), scores);
    assert_eq!(model.score("Where is the whale?", &texts[22..23]).await.unwrap(), [22.0]);
}

#[tokio::test]
#[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
async fn a_long_text_is_cut_to_what_the_model_reads() {
    let options = CrossEncoderOptions { tokens_max: Some(20), ..stand_in() };
    let model = open(options).await;
    let long = "whale ".repeat(5_000);
    // Three special tokens and two words of the question leave 15 of 20.
    assert_eq!(model.score("a whale", &[&long, "whale"]).await.unwrap(), [15.0, 1.0]);
    assert!(model.fingerprint().ends_with("pairs of 20 tokens"), "{}", model.fingerprint());
    let long = CrossEncoderOptions { tokens_max: Some(100_000), ..stand_in() };
    let model = CrossEncoder::open(long).await.unwrap();
    assert!(model.fingerprint().ends_with("pairs of 128 tokens"), "the model takes no more");
    let short = CrossEncoderOptions { tokens_max: Some(3), ..stand_in() };
    let error = CrossEncoder::open(short).await.unwrap_err();
    assert_eq!(error.to_string(), "a limit of 3 tokens per pair is too low; give at least 16");
}

#[tokio::test]
#[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
async fn a_model_that_fails_says_so_and_goes_on() {
    let model = open(stand_in()).await;
    let error = model.score("rowless", &["whale"]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("can't score: the model can't be used"), "{error}");
    assert_eq!(model.score("whale", &["whale"]).await.unwrap(), [1.0]);
}

#[tokio::test]
#[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
async fn what_is_no_cross_encoder_is_told() {
    let error = |options| async { CrossEncoder::open(options).await.unwrap_err() };

    let directory = tempfile::tempdir().unwrap();
    let model = directory.path().to_string_lossy().into_owned();
    let empty = error(CrossEncoderOptions { model, ..Default::default() }).await;
    assert_eq!(empty.kind(), ErrorKind::NotFound);
    assert!(empty.to_string().contains("model.onnx is missing; a model directory contains"), "{empty}");

    let named = CrossEncoderOptions { model: "bge-reranker-bas".to_owned(), ..Default::default() };
    let named = error(named).await;
    assert_eq!(named.kind(), ErrorKind::NotFound);
    assert!(named.to_string().contains("such as BAAI/bge-reranker-base"), "{named}");

    let (_directory, options) = copy_with(&[("model.onnx", b"no model")]);
    assert_eq!(error(options).await.kind(), ErrorKind::Invalid);

    let (_directory, options) = copy_with(&[("config.json", br#"{"id2label": {"0": "no", "1": "yes"}}"#)]);
    let classes = error(options).await;
    assert!(classes.to_string().contains("classifies texts into 2 classes"), "{classes}");

    // The output of an embedding model has another name.
    let onnx = fs::read(Path::new(&stand_in().model).join("model.onnx")).unwrap();
    let (_directory, options) = copy_with(&[("model.onnx", &renamed(&onnx, b"logits", b"states"))]);
    let states = error(options).await;
    assert_eq!(states.kind(), ErrorKind::Invalid);
    assert!(states.to_string().contains("is not a cross-encoder"), "{states}");
    assert!(states.to_string().ends_with("has one output, called logits"), "{states}");
}

/// Replaces a name with another of the same length in a model's bytes.
fn renamed(onnx: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut renamed = onnx.to_vec();
    let places: Vec<usize> = memchr::memmem::find_iter(onnx, from).collect();
    assert!(!places.is_empty());
    for at in places {
        renamed[at..at + to.len()].copy_from_slice(to);
    }
    renamed
}

#[test]
fn rerankers_go_by_several_names() {
    for name in ["BAAI/bge-reranker-base", "BGE-reranker-base", "JINARerankerV1TurboEn"] {
        assert!(known_model(name).is_ok(), "{name}");
    }
    let error = known_model("all-MiniLM-L6-v2").unwrap_err();
    assert!(error.to_string().contains("nor a reranker that fastembed knows"), "{error}");
}
