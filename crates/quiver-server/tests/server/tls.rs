//! HTTPS: certificates, their replacement while the server runs, and clients that do not trust them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use quiver::Quiver;
use quiver_server::{Config, Connection, Error, ErrorKind, Keys, Server, Tls, Trust};
use tempfile::TempDir;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::oneshot,
    time::sleep,
};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// A server with the first certificate, in files of its own.
struct Secure {
    directory: TempDir,
    address: String,
    _end: oneshot::Sender<()>,
}

impl Secure {
    async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (certificate, key) = (directory.path().join("cert.pem"), directory.path().join("key.pem"));
        fs::copy(file("first.pem"), &certificate).unwrap();
        fs::copy(file("first.key.pem"), &key).unwrap();
        let tls = Tls::open(certificate, key).unwrap();
        let config = Config { tls: Some(Arc::new(tls)), ..Config::default() };
        let keys = Keys::open(directory.path().join("server.keys")).unwrap();
        let server = Server::new(Quiver::in_memory().await.unwrap(), keys, config);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("https://{}", listener.local_addr().unwrap());
        let (end, told) = oneshot::channel::<()>();
        tokio::spawn(async move {
            server.serve(listener, async { drop(told.await) }).await;
        });
        Self { directory, address, _end: end }
    }

    fn replace(&self, certificate: &str, key: &str) {
        fs::copy(file(certificate), self.directory.path().join("cert.pem")).unwrap();
        fs::copy(file(key), self.directory.path().join("key.pem")).unwrap();
    }

    async fn ask(&self, trusted: &str) -> Result<serde_json::Value, Error> {
        let trust = Trust::Certificate(file(trusted));
        Connection::connect_trusting(&self.address, &trust).await?.get("/readyz").await
    }

    /// Waits until the server uses another certificate.
    async fn has(&self, trusted: &str) {
        let began = Instant::now();
        while self.ask(trusted).await.is_err() {
            assert!(began.elapsed() < Duration::from_secs(20), "it still has another one");
            sleep(Duration::from_millis(100)).await;
        }
    }
}

#[tokio::test]
async fn a_certificate_that_is_replaced_serves_the_next_connections() {
    let secure = Secure::start().await;
    assert_eq!(secure.ask("first.pem").await.unwrap()["status"], "ok");
    let refused = secure.ask("second.pem").await.unwrap_err();
    assert!(refused.to_string().contains("another certificate"), "{refused}");
    secure.replace("second.pem", "second.key.pem");
    secure.has("second.pem").await;
    assert!(secure.ask("first.pem").await.is_err());
    // A mismatched pair changes nothing.
    secure.replace("first.pem", "second.key.pem");
    sleep(Duration::from_millis(1500)).await;
    secure.has("second.pem").await;
    secure.replace("first.pem", "first.key.pem");
    secure.has("first.pem").await;
}

#[tokio::test]
async fn a_certificate_that_nothing_leads_to_is_not_trusted_and_plain_http_is_not_answered() {
    let secure = Secure::start().await;
    let refused = Connection::connect(&secure.address).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unreachable);
    assert!(refused.to_string().contains("SSL_CERT_FILE"), "{refused}");
    let plain = secure.address.replace("https", "http");
    let asked = async { Connection::connect(&plain).await?.get::<serde_json::Value>("/readyz").await };
    assert!(asked.await.is_err());
}

#[tokio::test]
async fn clients_that_connect_and_say_nothing_hold_up_nobody() {
    let secure = Secure::start().await;
    let address = secure.address.strip_prefix("https://").unwrap();
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let began = Instant::now();
    assert_eq!(secure.ask("first.pem").await.unwrap()["status"], "ok");
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn files_that_are_no_certificate_and_key_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().join("empty.pem");
    fs::write(&empty, "nothing\n").unwrap();
    for (certificate, key, named) in [
        (file("nothing.pem"), file("first.key.pem"), "nothing.pem"),
        (empty.clone(), file("first.key.pem"), "empty.pem"),
        (file("first.pem"), empty, "empty.pem"),
        (file("first.pem"), file("second.key.pem"), "second.key.pem"),
    ] {
        let error = Tls::open(certificate, key).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}
