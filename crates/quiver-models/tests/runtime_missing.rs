//! A missing or unusable runtime is an error with a remedy, never a panic.
//!
//! In a separate process, since the first runtime that a process loads stays loaded.
#![cfg(feature = "fastembed")]

use quiver_models::{ErrorKind, FastEmbedOptions, FastEmbedder};

#[tokio::test]
async fn a_missing_or_wrong_runtime_is_told_with_its_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let wrong = directory.path().join("libonnxruntime.so");
    std::fs::write(&wrong, "no library").unwrap();
    let absent = directory.path().join("absent.so");
    let empty = tempfile::tempdir().unwrap();
    for (runtime, problem) in [
        (absent, "there is no ONNX runtime at"),
        (wrong, "no usable ONNX runtime"),
        (empty.path().to_path_buf(), "the ONNX runtime library is not installed"),
    ] {
        let options = FastEmbedOptions {
            model: "all-MiniLM-L6-v2".to_owned(),
            runtime: Some(runtime),
            ..FastEmbedOptions::default()
        };
        let error = FastEmbedder::open(options).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(!error.is_retryable());
        let message = error.to_string();
        assert!(message.starts_with(problem), "{message}");
        for remedy in ["pip install 'onnxruntime>=1.", "ORT_DYLIB_PATH", "fastembed-download"] {
            assert!(message.contains(remedy), "{message}");
        }
    }
}
