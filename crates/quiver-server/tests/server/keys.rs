//! Rights of keys.

use axum::{
    body::Body,
    http::{Method, Request},
};
use quiver_server::{Config, Role};
use serde_json::{Value, json};

use crate::support::{Reply, Stand, json as request_json, request};

async fn with_key(stand: &Stand, key: &str, mut request: Request<Body>, workspace: Option<&str>) -> Reply {
    let headers = request.headers_mut();
    headers.insert("authorization", format!("Bearer {key}").parse().unwrap());
    if let Some(workspace) = workspace {
        headers.insert("quiver-workspace", workspace.parse().unwrap());
    }
    stand.send(request).await
}

fn ask() -> Request<Body> {
    request_json(Method::POST, "/v1/ask", &json!({ "question": "Who runs the ferry?" }))
}

fn remember() -> Request<Body> {
    request_json(Method::POST, "/v1/remember", &json!({ "turns": [{ "text": "Bo runs the ferry." }] }))
}

fn verify() -> Request<Body> {
    request_json(Method::POST, "/v1/verify", &json!({}))
}

#[tokio::test]
async fn a_role_allows_what_it_says_and_no_more() {
    let roles = [(Role::Read, &[][..]), (Role::Write, &[][..]), (Role::Admin, &[][..])];
    let (stand, keys) = Stand::with_keys(&roles).await;
    for (key, allowed) in keys.iter().zip([[200, 403, 403], [200, 200, 403], [200, 200, 200]]) {
        for (request, status) in [ask(), remember(), verify()].into_iter().zip(allowed) {
            let path = request.uri().to_string();
            let reply = with_key(&stand, key, request, None).await;
            assert_eq!(reply.status.as_u16(), status, "{path}: {}", reply.text());
        }
    }
}

#[tokio::test]
async fn without_a_known_key_there_is_no_answer() {
    let (stand, keys) = Stand::with_keys(&[(Role::Admin, &[])]).await;
    assert_eq!(stand.send(ask()).await.problem(401).1, "Authorization");
    let mut other = keys[0].clone();
    other.replace_range(other.len() - 1.., if other.ends_with('0') { "1" } else { "0" });
    for wrong in [other.as_str(), "", "qv_", &keys[0][..20], "\u{e9}"] {
        let mut request = ask();
        let value = axum::http::HeaderValue::from_bytes(format!("Bearer {wrong}").as_bytes()).unwrap();
        request.headers_mut().insert("authorization", value);
        assert!([400, 401].contains(&stand.send(request).await.status.as_u16()), "{wrong}");
    }
    let mut basic = ask();
    basic.headers_mut().insert("authorization", "Basic cTpx".parse().unwrap());
    assert_eq!(stand.send(basic).await.headers["www-authenticate"], "Bearer");
    // Monitoring endpoints need no key.
    assert_eq!(stand.get("/healthz").await.ok()["status"], "ok");
    assert_eq!(stand.get("/metrics").await.problem(401).0, "unauthorized");
}

#[tokio::test]
async fn a_revoked_key_is_refused_by_a_running_server_and_the_last_one_opens_nothing() {
    let (stand, keys) = Stand::with_keys(&[(Role::Read, &[])]).await;
    assert_eq!(with_key(&stand, &keys[0], ask(), None).await.status, 200);
    let file = stand.keys();
    let id = file.list()[0].id.clone();
    assert!(file.revoke(&id).unwrap() && !file.revoke(&id).unwrap());
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    assert_eq!(with_key(&stand, &keys[0], ask(), None).await.problem(401).0, "unauthorized");
    assert_eq!(stand.send(ask()).await.problem(401).0, "unauthorized");
}

#[tokio::test]
async fn the_file_of_keys_has_no_key_in_it() {
    let (stand, keys) = Stand::with_keys(&[(Role::Write, &["a", "b"])]).await;
    let listed = stand.keys().list();
    let text = serde_json::to_string(&listed).unwrap();
    let secret = keys[0].rsplit('_').next().unwrap();
    assert_eq!(secret.len(), 64);
    assert!(!text.contains(secret) && text.contains(&listed[0].id), "{text}");
}

#[tokio::test]
async fn a_key_is_for_its_workspaces() {
    let (stand, keys) = Stand::with_keys(&[(Role::Write, &["a"]), (Role::Write, &["a", "b"])]).await;
    assert_eq!(with_key(&stand, &keys[0], remember(), None).await.status, 200);
    assert_eq!(with_key(&stand, &keys[0], ask(), Some("a")).await.status, 200);
    assert_eq!(with_key(&stand, &keys[0], ask(), Some("b")).await.problem(403).1, "Quiver-Workspace");
    // A key for several workspaces has to name one.
    assert_eq!(with_key(&stand, &keys[1], ask(), None).await.problem(403).1, "Quiver-Workspace");
    let count = async |key: &str, workspace: &str| -> Value {
        let request = request(Method::GET, "/v1/stats").body(Body::empty()).unwrap();
        with_key(&stand, key, request, Some(workspace)).await.ok()["passages"].clone()
    };
    assert_eq!((count(&keys[1], "a").await, count(&keys[1], "b").await), (json!(1), json!(0)));
}

#[tokio::test]
async fn a_key_that_asks_too_often_is_told_when_to_come_back() {
    let config = Config { requests_per_minute: Some(3), ..Config::default() };
    let stand = Stand::with(config).await;
    for _ in 0..3 {
        assert_eq!(stand.send(ask()).await.status, 200);
    }
    let reply = stand.send(ask()).await;
    assert_eq!(reply.headers["retry-after"], "20");
    assert_eq!(reply.problem(429).0, "too_many_requests");
    assert_eq!(stand.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn pages_and_names_of_others_are_refused() {
    let config = Config {
        hosts: vec!["memory.example.org".to_owned()],
        origins: vec!["https://notes.example.org".to_owned()],
        ..Config::default()
    };
    let stand = Stand::with(config).await;
    let send = async |host: &str, origin: Option<&str>| {
        let mut request = ask();
        request.headers_mut().insert("host", host.parse().unwrap());
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        stand.send(request).await
    };
    for host in ["localhost:80", "127.0.0.1:7373", "[::1]:7373", "memory.example.org"] {
        assert_eq!(send(host, None).await.status, 200, "{host}");
    }
    for host in ["evil.example.org", "localhost.evil.example.org", "127.0.0.1.nip.io"] {
        assert_eq!(send(host, None).await.problem(421).1, "Host", "{host}");
    }
    for origin in
        ["https://evil.example.org", "null", "http://localhost:99", "https://notes.example.org.evil.org"]
    {
        assert_eq!(send("localhost", Some(origin)).await.problem(403).1, "Origin", "{origin}");
    }
    assert_eq!(send("localhost:7373", Some("http://localhost:7373")).await.status, 200);
    let allowed = send("localhost", Some("https://notes.example.org")).await;
    assert_eq!(allowed.headers["access-control-allow-origin"], "https://notes.example.org");
    let preflight = request(Method::OPTIONS, "/v1/ask")
        .header("origin", "https://notes.example.org")
        .header("access-control-request-method", "POST");
    assert_eq!(stand.send(preflight.body(Body::empty()).unwrap()).await.status, 204);
}
