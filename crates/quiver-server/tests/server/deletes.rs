//! Concurrent deletes: each is answered once no file contains what it deleted, and other requests continue meanwhile.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{body::Body, http::Method};
use quiver::Quiver;
use quiver_server::{Config, Keys, Server};
use serde_json::{Value, json};

use crate::support::{Stand, request};

const DOCUMENTS: usize = 10;

fn files_with(directory: &Path, word: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, word));
        } else if std::fs::read(&path)
            .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).to_lowercase().contains(word))
        {
            found.push(path);
        }
    }
    found
}

/// Returns how often the files of the passages were rebuilt.
fn generation(data: &Path) -> u64 {
    let state = std::fs::read(data.join("quiver_passages.state")).unwrap();
    let state: Value = serde_json::from_slice(&state).unwrap();
    state["state"]["generation"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn deletes_share_rebuilds_and_what_is_remembered_does_not_wait_for_them() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let quiver = Quiver::open(&data).await.unwrap();
    let keys = Keys::open(directory.path().join("server.keys")).unwrap();
    let stand = Arc::new(Stand::of(Server::new(quiver, keys, Config::default())));
    let documents: Vec<Value> = (0..DOCUMENTS)
        .map(|number| {
            json!({ "key": format!("lake{number}"), "text": format!("Zxqvwk{number} is a lake near Hamar.") })
        })
        .chain([json!({ "key": "stays", "text": "Mjosa is a lake near Hamar." })])
        .collect();
    stand.post("/v1/documents", &json!({ "documents": documents })).await.ok();
    let (before, under_way) = (generation(&data), Arc::new(AtomicUsize::new(DOCUMENTS)));
    let deletes: Vec<_> = (0..DOCUMENTS)
        .map(|number| {
            let (stand, under_way) = (Arc::clone(&stand), Arc::clone(&under_way));
            tokio::spawn(async move {
                let path = format!("/v1/documents/lake{number}");
                let reply = stand.send(request(Method::DELETE, &path).body(Body::empty()).unwrap()).await;
                under_way.fetch_sub(1, Ordering::Relaxed);
                reply.ok()
            })
        })
        .collect();
    let turns = json!({ "turns": [{ "session": "s", "text": "Mara works at Tidewater." }] });
    stand.post("/v1/remember", &turns).await.ok();
    let found = stand.post("/v1/search", &json!({ "question": "Which lake is near Hamar?" })).await.ok();
    assert!(!found["passages"].as_array().unwrap().is_empty(), "{found:#}");
    let waiting = under_way.load(Ordering::Relaxed);
    assert!(waiting > 0, "the turn was remembered after all deletes");
    for delete in deletes {
        assert_eq!(delete.await.unwrap()["documents"], 1);
    }
    let rebuilds = generation(&data) - before;
    assert!((1..=4).contains(&rebuilds), "{rebuilds} rebuilds for {DOCUMENTS} deletes");
    assert_eq!(files_with(&data, "zxqvwk"), Vec::<PathBuf>::new());
    assert!(!files_with(&data, "mjosa").is_empty());
    assert_eq!(stand.get("/v1/documents").await.ok()["documents"].as_array().unwrap().len(), 1);
}
