//! No key is logged, by this crate or its dependencies, at any log level.
//!
//! In a separate process, since logging is configured for the whole process.
#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::{
    io::{Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

use quiver_models::{
    Key,
    chat::{ChatModel, ChatRequest, HttpChat, HttpChatOptions, Message},
};
use tracing_subscriber::fmt::MakeWriter;

const SECRET: &str = "sk-very-secret-0123456789";

/// Stores what is written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Kept {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Starts an endpoint that answers with these statuses in turn, and with the key in every body.
fn endpoint(statuses: &'static [u16]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for status in statuses {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = String::new();
            while !request.ends_with('}') {
                let mut buffer = [0; 4096];
                let count = stream.read(&mut buffer).unwrap();
                request.push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
            assert!(request.contains(SECRET), "the endpoint gets the key");
            let body = format!(r#"{{"error": {{"message": "no {SECRET}"}}}}"#);
            let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}", body.len());
            stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
        }
    });
    url
}

#[tokio::test]
async fn keys_are_not_logged() {
    let kept = Kept::default();
    tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(kept.clone()).init();
    let options = HttpChatOptions {
        key: Some(Key::new(SECRET)),
        backoff: std::time::Duration::from_millis(1),
        ..HttpChatOptions::new(endpoint(&[500, 429, 400, 401]), "m")
    };
    let chat = HttpChat::open(options.clone()).unwrap();
    for _ in 0..2 {
        let error = chat.chat(&ChatRequest::new([Message::user("Hi.")])).await.unwrap_err();
        tracing::error!(?error, ?options, ?chat, "{error}");
    }
    let logged = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
    for words in ["retrying", "hyper", "no …", "Key(…)", "rejected the key with status 401"] {
        assert!(logged.contains(words), "{words} is logged: {logged}");
    }
    assert!(!logged.contains(SECRET) && !logged.contains("0123456789"), "{logged}");
}
