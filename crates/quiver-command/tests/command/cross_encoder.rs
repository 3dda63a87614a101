//! A cross-encoder in the command: a stand-in whose score is how many words of a text occur in the question.

use std::path::Path;

use crate::support::Home;

const QUESTION: &str = "Who founded the yard where the Aurelia was built?";

/// Returns the setting of the stand-in.
fn stand_in() -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../quiver-models/tests/cross-encoder");
    format!("fastembed:{}", directory.display())
}

/// Returns a home with the ships, and an unconnected text that shares the words of the question.
fn ships() -> Home {
    let home = Home::with_documents();
    home.write("ships/echo.txt", "Who built the yard, who founded the yard, where was the yard?\n");
    home.run(&["ingest", "ships"]).expect(0);
    home
}

#[cfg(not(feature = "fastembed"))]
#[test]
fn a_program_without_cross_encoders_says_so() {
    let home = ships();
    home.run(&["ask", QUESTION, "--rerank", &stand_in()])
        .expect(4)
        .says("requires a program built with the feature fastembed");
    home.run(&["stats", "--rerank", &stand_in()]).expect(0);
    home.run(&["stats", "--rerank", "bge"]).expect(2).says("rerank: a reranker is");
}

#[cfg(feature = "fastembed")]
mod with_runtime {
    use serde_json::Value;

    use super::*;
    use crate::support::Run;

    /// Searches with the stand-in.
    fn search(home: &Home, question: &str, weight: &str) -> Run {
        home.write("quiver.toml", format!("rerank = {:?}\nrerank_weight = {weight}\n", stand_in()));
        home.run(&["search", question, "--json", "--trace"]).expect(0)
    }

    fn first(run: &Run) -> String {
        run.json()["passages"][0]["document"].as_str().unwrap().to_owned()
    }

    fn lines(run: &Run) -> String {
        run.json()["trace"].to_string()
    }

    #[test]
    #[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
    fn a_cross_encoder_orders_and_weighs_as_it_is_told() {
        let home = ships();
        let plain = home.run(&["search", QUESTION, "--json"]).expect(0);
        let alone = search(&home, QUESTION, "5.0");
        assert!(first(&alone).ends_with("echo.txt"));
        assert!(!first(&plain).ends_with("echo.txt"));
        assert!(lines(&alone).contains("candidates ranked by cross-encoder@"), "{alone:#?}");
        assert!(lines(&alone).contains("weight 5"), "{alone:#?}");
        let none = search(&home, QUESTION, "0.0");
        assert_eq!(first(&none), first(&plain));
        // A flag takes precedence.
        let none = home.run(&["search", QUESTION, "--json", "--trace", "--rerank", "none"]).expect(0);
        assert_eq!(none.json()["passages"], plain.json()["passages"]);
        let answer = home.run(&["ask", QUESTION, "--rerank", &stand_in(), "--trace"]);
        assert!(answer.stdout.contains("candidates ranked by cross-encoder@"), "{answer:#?}");
    }

    #[test]
    #[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
    fn a_cross_encoder_that_fails_is_done_without() {
        let question = format!("{QUESTION} Is it rowless?");
        let home = ships();
        let plain = home.run(&["search", &question, "--json"]).expect(0);
        let run = search(&home, &question, "5.0");
        assert_eq!(run.json()["passages"], plain.json()["passages"]);
        let degraded: Value = run.json()["trace"]["degraded"].clone();
        assert_eq!(degraded.as_array().map(Vec::len), Some(1), "{run:#?}");
        home.run(&["ask", &question]).says("degraded: the reranker cross-encoder@");
    }

    #[test]
    #[ignore = "needs the ONNX runtime: pip install onnxruntime, or ORT_DYLIB_PATH"]
    fn a_directory_without_a_model_is_named() {
        let home = ships();
        home.run(&["ask", QUESTION, "--rerank", "fastembed:ships"])
            .expect(4)
            .says("ships/model.onnx is missing; a model directory contains");
        // Commands that rank nothing open no reranker.
        home.run(&["stats", "--rerank", "fastembed:ships"]).expect(0);
    }
}
