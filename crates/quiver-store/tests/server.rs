//! Tests the store on a server against the contract, if a server is available.
#![cfg(all(feature = "conformance", feature = "server"))]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails there")]

mod support;

use std::{
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use async_trait::async_trait;
use quiver_store::{
    Collection, ErrorKind, Field, FieldKind, Filter, Point, PointStore, Schema, ServerOptions, ServerStore,
    WriteMode,
    conformance::{SCHEMA, Site, run},
};
use support::Server;
use uuid::Uuid;

struct Remote {
    options: ServerOptions,
}

#[async_trait]
impl Site for Remote {
    async fn open(&mut self) -> Box<dyn PointStore> {
        Box::new(ServerStore::open(self.options.clone(), SCHEMA).await.unwrap())
    }

    async fn reopen(&mut self, store: Box<dyn PointStore>) -> Box<dyn PointStore> {
        drop(store);
        self.open().await
    }
}

fn options(server: &Server, prefix: &str) -> ServerOptions {
    let mut options = ServerOptions::new(&server.url);
    // Another run may have left collections on a long-lived server.
    options.prefix = format!("{prefix}_{}", std::process::id());
    options
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn the_store_on_a_server_keeps_the_contract() {
    let server = Server::find();
    run(&mut Remote { options: options(&server, "one_shard") }).await;
    let mut shards = options(&server, "three_shards");
    shards.shard_number = Some(3);
    run(&mut Remote { options: shards }).await;
}

#[tokio::test]
async fn an_address_without_a_server_is_named() {
    let mut options = ServerOptions::new("http://127.0.0.1:9");
    options.attempts = 2;
    let error = ServerStore::open(options, SCHEMA).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.is_retryable());
    assert!(error.to_string().contains("http://127.0.0.1:9"), "{error}");
    let error = ServerStore::open(ServerOptions::new("not an address"), SCHEMA).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = ServerOptions::new(format!("http://{}", listener.local_addr().unwrap()));
    options.timeout = Duration::from_millis(300);
    options.attempts = 1;
    let error = ServerStore::open(options, SCHEMA).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn a_connection_that_breaks_is_tried_again() {
    let server = Server::find();
    let (address, to_break) = breaking_door(&server);
    let mut options = options(&server, "breaking");
    options.urls = vec![format!("http://{address}")];
    let mut once = options.clone();
    once.attempts = 1;
    let error = ServerStore::open(once, SCHEMA).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    // As many again as one attempt took, for a client that tries to connect more than once.
    let tried = usize::MAX - to_break.load(Ordering::Relaxed);
    to_break.store(tried, Ordering::Relaxed);
    let store = ServerStore::open(options, SCHEMA).await.unwrap();
    assert_eq!(to_break.load(Ordering::Relaxed), 0);
    let point = Point::new(Uuid::from_u128(1)).with_payload("workspace", "w");
    store.upsert(Collection::Entities, vec![point], WriteMode::Replace).await.unwrap();
    assert_eq!(store.count(Collection::Entities, &Filter::everything()).await.unwrap(), 1);
}

/// Starts a proxy to a server that closes the first connections. Returns its address and how many more it will close.
fn breaking_door(server: &Server) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, to_break) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(usize::MAX)));
    let (target, counter) = (server.url.trim_start_matches("http://").to_owned(), Arc::clone(&to_break));
    thread::spawn(move || {
        for near in listener.incoming() {
            let mut near = near.unwrap();
            if counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
            {
                continue;
            }
            let mut far = TcpStream::connect(&target).unwrap();
            let (mut back_from, mut back_to) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            // These threads end with the connection.
            thread::spawn(move || io::copy(&mut near, &mut far));
            thread::spawn(move || io::copy(&mut back_from, &mut back_to));
        }
    });
    (address, to_break)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn a_wrong_key_is_refused_and_never_shown() {
    let server = Server::start(&[("QDRANT__SERVICE__API_KEY", "the-right-key")]);
    for key in [None, Some("the-wrong-key")] {
        let mut options = options(&server, "locked");
        options.api_key = key.map(str::to_owned);
        let error = ServerStore::open(options, SCHEMA).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
        assert!(!format!("{error} {error:?}").contains("the-wrong-key"));
    }
    let mut options = options(&server, "locked");
    options.api_key = Some("the-right-key".to_owned());
    let store = ServerStore::open(options, SCHEMA).await.unwrap();
    assert!(!format!("{store:?}").contains("the-right-key"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn what_does_not_fit_names_both() {
    const KEYWORD: &[Field] =
        &[Field { collection: Collection::Entities, name: "year", kind: FieldKind::Keyword }];
    let server = Server::find();
    let options = options(&server, "mismatch");
    drop(ServerStore::open(options.clone(), SCHEMA).await.unwrap());
    for (dimension, words) in [(Some(8), "dense vectors of 8 dimensions"), (None, "no dense vectors")] {
        let schema = Schema { dense_dimension: dimension, ..SCHEMA };
        let error = ServerStore::open(options.clone(), schema).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
        assert!(error.to_string().contains("dense vectors of 4 dimensions"), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let error = ServerStore::open(options, Schema { fields: KEYWORD, ..SCHEMA }).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch, "{error}");
    assert!(error.to_string().contains("year"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn of_many_writers_one_wins() {
    let server = Server::find();
    let options = options(&server, "race");
    let ids: Vec<_> = (0..200).map(Uuid::from_u128).collect();
    let writers = (0..8).map(|writer| {
        let (options, ids) = (options.clone(), ids.clone());
        tokio::spawn(async move {
            // Each one opens the database itself: creating it is a race too.
            let store = ServerStore::open(options, SCHEMA).await.unwrap();
            for id in ids {
                let point = Point::new(id).with_payload("workspace", "w").with_payload("writer", writer);
                store.upsert(Collection::Entities, vec![point], WriteMode::KeepExisting).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let store = ServerStore::open(options, SCHEMA).await.unwrap();
    assert_eq!(store.count(Collection::Entities, &Filter::everything()).await.unwrap(), 200);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Qdrant server: QUIVER_TEST_QDRANT_URL, or a qdrant on the PATH"]
async fn a_batch_larger_than_a_message_is_split() {
    let server = Server::find();
    let store = ServerStore::open(options(&server, "large"), SCHEMA).await.unwrap();
    let points: Vec<_> = (0..100_u128)
        .map(|n| Point::new(Uuid::from_u128(n)).with_payload("text", "x".repeat(500_000)))
        .collect();
    store.upsert(Collection::Passages, points, WriteMode::Replace).await.unwrap();
    assert_eq!(store.count(Collection::Passages, &Filter::everything()).await.unwrap(), 100);
}
