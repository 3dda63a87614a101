//! Several addresses: where a call goes if a node is dead, silent or short of copies. Stand-ins answer; no server is
//! needed.
#![cfg(feature = "server")]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails there")]

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use quiver_store::{Error, ErrorKind, Schema, ServerOptions, ServerStore};

/// Nobody listens here.
const DEAD: &str = "http://127.0.0.1:9";

const UNAUTHENTICATED: u8 = 16;
const INTERNAL: u8 = 13;

#[tokio::test]
async fn a_dead_address_is_passed_over() {
    let live = stand_in(UNAUTHENTICATED, "no key");
    let error = open(&[DEAD, &live]).await;
    assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
    assert!(error.to_string().contains(&live), "{error}");
}

#[tokio::test]
async fn a_silent_address_is_passed_over_long_before_the_timeout() {
    let (listener, live) = (TcpListener::bind("127.0.0.1:0").unwrap(), stand_in(UNAUTHENTICATED, "no key"));
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let began = Instant::now();
    let error = open(&[&silent, &live]).await;
    assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_node_whose_copies_are_away_is_passed_over() {
    for said in [
        "Service internal error: 1 of 2 read operations failed:\n  Service internal error: tonic error",
        "Service internal error: The replica set for shard 1 on peer 7 has no active replica",
        "Failed to apply update with Medium ordering via leader peer 7",
    ] {
        let (lacking, live) = (stand_in(INTERNAL, said), stand_in(UNAUTHENTICATED, "no key"));
        let error = open(&[&lacking, &live]).await;
        assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
    }
}

#[tokio::test]
async fn if_no_address_answers_all_are_named() {
    let other = "http://127.0.0.1:11";
    let error = open(&[DEAD, other]).await;
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains(DEAD) && error.to_string().contains(other), "{error}");
}

#[tokio::test]
async fn a_fault_that_another_node_would_have_too_is_not_tried_again() {
    const INVALID_ARGUMENT: u8 = 3;
    let began = Instant::now();
    let error = open(&[&stand_in(INVALID_ARGUMENT, "wrong"), DEAD]).await;
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_password_in_an_address_is_in_no_error() {
    for urls in [&["http://me:hushhush@127.0.0.1:9"][..], &["http://me:hushhush@127.0.0.1:9", DEAD]] {
        let error = open(urls).await;
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(error.to_string().contains(DEAD), "{error}");
        assert!(!format!("{error} {error:?}").contains("hushhush"), "{error:?}");
    }
}

async fn open(urls: &[&str]) -> Error {
    let mut options = ServerOptions::new(urls.join(","));
    options.attempts = 2;
    ServerStore::open(options, Schema::default()).await.unwrap_err()
}

/// Starts a server that answers every request with the same failure.
fn stand_in(status: u8, message: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.unwrap(), status, message));
        }
    });
    address
}

/// Speaks just enough HTTP/2 for a failure: each request is answered by one frame of headers that ends it.
fn answer(mut stream: TcpStream, status: u8, message: &str) -> io::Result<()> {
    const PREFACE: usize = 24;
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    const END_OF_STREAM_AND_HEADERS: u8 = 0x5;
    const STATUS_200: u8 = 0x88; // A header from the static table.
    let mut failure = vec![STATUS_200];
    let status = status.to_string();
    let message = message.replace('\n', "%0A");
    for (name, value) in [
        ("content-type", "application/grpc"),
        ("grpc-status", status.as_str()),
        ("grpc-message", message.as_str()),
    ] {
        failure.push(0); // A header that neither side stores.
        for text in [name, value] {
            failure.push(u8::try_from(text.len()).unwrap());
            failure.extend(text.bytes());
        }
    }
    stream.read_exact(&mut [0; PREFACE])?;
    write_frame(&mut stream, SETTINGS, 0, [0; 4], &[])?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        stream.read_exact(&mut vec![0; length])?;
        let (kind, flags, id) = (head[3], head[4], [head[5], head[6], head[7], head[8]]);
        match kind {
            HEADERS => write_frame(&mut stream, HEADERS, END_OF_STREAM_AND_HEADERS, id, &failure)?,
            SETTINGS if flags == 0 => write_frame(&mut stream, SETTINGS, 1, [0; 4], &[])?,
            _ => {}
        }
    }
}

fn write_frame(stream: &mut TcpStream, kind: u8, flags: u8, id: [u8; 4], content: &[u8]) -> io::Result<()> {
    let [_, length @ ..] = u32::try_from(content.len()).unwrap().to_be_bytes();
    stream.write_all(&[&length[..], &[kind, flags], &id, content].concat())
}
