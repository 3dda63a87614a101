//! No request for one workspace reveals or changes anything in another: tests all endpoints in the description.

use std::collections::BTreeSet;

use axum::{
    body::Body,
    http::{Method, Request},
};
use quiver_server::Role;
use serde_json::{Value, json};

use crate::{
    generated::{Generator, Made},
    support::{Reply, Stand},
};

/// A word that occurs in one workspace only.
const SECRET: &str = "Zanzibarium";

/// Returns requests to an endpoint that could reach the other workspace, with the IDs there.
fn requests(method: &str, path: &str, ids: &[String]) -> Vec<(String, Option<(&'static str, String)>)> {
    let key = |path: &str| path.replace("{key}", "vault%2Fsecret");
    let question = format!("What is {SECRET} made of?");
    let posts: Vec<Value> = match path {
        "/v1/ask" | "/v1/ask/stream" | "/v1/search" => {
            let meant =
                |id: &String| json!({ "question": question, "trace": true, "meanings": { SECRET: id } });
            let plain = json!({ "question": question, "trace": true });
            let filtered = json!({ "question": question, "trace": true, "documents": ["vault/secret"] });
            let conditions = json!({ "metadata": { "of": "vault" }, "written_since": "1970-01-01" });
            let conditional = json!({ "question": question, "trace": true, "filter": conditions });
            let all = [plain, filtered, conditional];
            ids.iter().filter(|id| id.contains('-')).map(meant).chain(all).collect()
        }
        "/v1/context" | "/v1/recall" => vec![json!({ "question": question })],
        "/v1/chat" | "/v1/chat/stream" => vec![json!({ "session": "vault", "question": question })],
        "/v1/embeddings" => vec![json!({ "input": question })],
        "/v1/chat/completions" => {
            vec![json!({ "model": "quiver", "messages": [{ "role": "user", "content": question }] })]
        }
        "/v1/remember" => vec![json!({ "turns": [{ "session": "vault", "text": "The vault is empty." }] })],
        "/v1/merges" => vec![json!({ "one": "The vault", "other": "vault/secret" })],
        "/v1/renames" => {
            let of = |entity: &str| json!({ "entity": entity, "name": "Ivory" });
            ids.iter().map(|id| of(id)).chain([of(SECRET)]).collect()
        }
        "/v1/splits" => {
            let of =
                |entity: &str| json!({ "entity": entity, "name": "Ivory", "documents": ["vault/secret"] });
            let single = json!({ "entity": "The vault", "name": "Ivory", "passages": ids });
            ids.iter().map(|id| of(id)).chain([of(SECRET), single]).collect()
        }
        "/v1/deletions" => {
            let of = |entity: &str| json!({ "entity": entity });
            ids.iter().map(|id| of(id)).chain([of(SECRET)]).collect()
        }
        "/v1/forget" => vec![
            json!({ "session": "vault", "dry_run": false }),
            json!({ "about": SECRET, "dry_run": false }),
            json!({ "document": "vault/secret", "dry_run": false }),
        ],
        "/v1/documents" | "/v1/jobs" => {
            vec![json!({ "documents": [{ "key": "vault/secret", "text": "Nothing." }] })]
        }
        "/v1/query" => {
            vec![json!({ "query": "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m", "proof": true })]
        }
        // The commands of a server are tested elsewhere.
        "/v1/command" => vec![json!({ "arguments": ["ask", question] })],
        "/v1/verify" | "/v1/compact" => vec![json!({})],
        _ => Vec::new(),
    };
    match (method, path) {
        ("get", "/v1/facts") => vec![(format!("{path}?about={SECRET}&history=true"), None)],
        ("get" | "delete" | "put", _) if path.contains("{id}") => {
            // A session is named by its name.
            ids.iter()
                .map(String::as_str)
                .chain(["vault"])
                .map(|id| (path.replace("{id}", id), None))
                .collect()
        }
        ("get" | "delete", _) => vec![(key(path), None)],
        ("put", _) => vec![(key(path), Some(("text/plain", "Nothing.".to_owned())))],
        // An export names its workspace and is refused elsewhere, as its own test shows.
        ("post", "/v1/import") => vec![(path.to_owned(), Some(("application/x-ndjson", "{}".to_owned())))],
        ("post", "/mcp") => calls(ids)
            .iter()
            .map(|(tool, arguments)| ("tools/call", json!({ "name": tool, "arguments": arguments })))
            .chain(reads())
            .map(|(method, parameters)| {
                let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": parameters });
                ("/mcp?tools=all".to_owned(), Some(("application/json", message.to_string())))
            })
            .collect(),
        _ => {
            assert!(!posts.is_empty(), "no request is known for {method} {path}: add one here");
            let continued = ids.iter().map(|id| format!("{path}?from={id}"));
            let paths = [path.to_owned()].into_iter().chain(continued);
            let count = if path == "/v1/search" { ids.len() + 1 } else { 1 };
            let bodies = |path: String| {
                let body = |body: &Value| (path.clone(), Some(("application/json", body.to_string())));
                posts.iter().map(body).collect::<Vec<_>>()
            };
            paths.take(count).flat_map(bodies).collect()
        }
    }
}

/// Returns calls of tools that could reach the other workspace, with the IDs there.
fn calls(ids: &[String]) -> Vec<(&'static str, Value)> {
    let question = format!("What is {SECRET} made of?");
    let continued = ids
        .iter()
        .map(|id| ("search", json!({ "query": question, "from": id, "documents": ["vault/secret"] })));
    let calls = vec![
        ("recall", json!({ "question": question })),
        ("ask", json!({ "question": question })),
        ("search", json!({ "query": question })),
        ("context", json!({ "question": question, "session": "vault" })),
        ("open", json!({ "name": "vault/secret" })),
        ("facts", json!({ "about": SECRET, "history": true })),
        ("documents", json!({})),
        ("stats", json!({})),
        ("ingest", json!({ "documents": [{ "name": "vault/secret", "text": "Nothing." }] })),
        ("query", json!({ "query": "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m" })),
        ("remember", json!({ "text": "The vault is empty.", "session": "vault" })),
        ("forget", json!({ "session": "vault", "dry_run": false })),
        ("forget", json!({ "about": SECRET, "dry_run": false })),
        ("forget", json!({ "document": "vault/secret", "dry_run": false })),
    ];
    continued.chain(calls).collect()
}

/// Returns what an agent's client reads without a tool.
fn reads() -> Vec<(&'static str, Value)> {
    let read = |address: &str| ("resources/read", json!({ "uri": address }));
    vec![
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        read("quiver://documents/vault%2Fsecret"),
        read("quiver://stats"),
        read("quiver://schema"),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "brief", "arguments": { "topic": SECRET } })),
    ]
}

async fn send(stand: &Stand, key: &str, method: &str, path: &str, body: Option<&(&str, String)>) -> Reply {
    send_to(stand, key, None, method, path, body).await
}

/// Sends a request that names a workspace.
async fn send_to(
    stand: &Stand,
    key: &str,
    workspace: Option<&str>,
    method: &str,
    path: &str,
    body: Option<&(&str, String)>,
) -> Reply {
    let method: Method = method.to_uppercase().parse().unwrap();
    let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
    request = request.header("authorization", format!("Bearer {key}"));
    if let Some(workspace) = workspace {
        request = request.header("quiver-workspace", workspace);
    }
    let request = match body {
        Some((kind, text)) => request.header("content-type", *kind).body(Body::from(text.clone())),
        None => request.body(Body::empty()),
    };
    stand.send(request.unwrap()).await
}

#[tokio::test]
async fn no_endpoint_tells_or_changes_anything_of_another_workspace() {
    let (stand, keys) = Stand::with_keys(&[(Role::Admin, &["a"]), (Role::Admin, &["b"])]).await;
    let (theirs, ours) = (&keys[0], &keys[1]);
    let document = format!("{SECRET} is made of salt and iron. Ida Holm keeps it in the vault.");
    let told = json!({ "turns": [{ "session": "vault", "speaker": "Ida", "text": format!("{SECRET} belongs to Ida.") }] });
    let body = (
        "application/json",
        json!({ "documents": [{ "key": "vault/secret", "text": document }] }).to_string(),
    );
    send(&stand, theirs, "post", "/v1/documents", Some(&body)).await.ok();
    send(&stand, theirs, "post", "/v1/remember", Some(&("application/json", told.to_string()))).await.ok();
    // A completed job, and all existing entities.
    let body = json!({ "documents": [{ "key": "vault/secret", "text": document }] });
    let job = send(&stand, theirs, "post", "/v1/jobs", Some(&("application/json", body.to_string()))).await;
    let job: Value = serde_json::from_slice(&job.body).unwrap();
    let ids = [job["id"].as_str().unwrap().to_owned()];
    let jobs = async || send(&stand, theirs, "get", &format!("/v1/jobs/{}", ids[0]), None).await.ok();
    while jobs().await["state"] != "done" {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let job = jobs().await;
    let export = async || send(&stand, theirs, "get", "/v1/export?vectors=true", None).await.text();
    let before = export().await;
    assert!(before.contains(SECRET));
    let things = send(&stand, theirs, "get", &format!("/v1/things?text={SECRET}"), None).await.ok();
    let things = things["things"].as_array().unwrap().iter();
    let things: Vec<String> = things.map(|thing| thing["id"].as_str().unwrap().to_owned()).collect();
    let facts = send(&stand, theirs, "get", &format!("/v1/facts?about={SECRET}"), None).await.ok();
    let facts = facts["facts"].as_array().unwrap().iter();
    let facts: Vec<String> = facts.map(|fact| fact["id"].as_str().unwrap().to_owned()).collect();
    let reachable: Vec<String> = ids.iter().cloned().chain(things).chain(facts).collect();
    assert!(reachable.len() > 2, "{reachable:?}");

    let description: Value = serde_json::from_str(&quiver_server::description()).unwrap();
    let mut tried = BTreeSet::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            for (path, body) in requests(method, path, &reachable) {
                tried.insert((method.clone(), path.clone()));
                let reply = send(&stand, ours, method, &path, body.as_ref()).await;
                assert!(reply.status.as_u16() < 500, "{method} {path}: {}", reply.text());
                // The reply may repeat the question itself, but nothing known about it.
                let text = reply.text();
                for word in ["salt", "iron", "Ida", "belongs"] {
                    assert!(!text.contains(word), "{method} {path} tells {word}: {text}");
                }
                assert_eq!(export().await, before, "{method} {path} changed the other workspace");
                assert_eq!(jobs().await, job, "{method} {path} changed a job of the other workspace");
            }
        }
    }
    assert!(tried.len() >= 25, "{tried:?}");
}

/// Endpoints that no randomly generated request can satisfy.
const REFUSED: [&str; 15] = [
    "delete /v1/decisions/{id}",
    "delete /v1/jobs/{id}",
    "get /metrics",
    "get /v1/jobs/{id}",
    "get /v1/jobs/{id}/events",
    "get /v1/sessions/{id}/turns",
    "get /v1/things/{id}",
    "post /v1/chat/completions",
    "post /v1/command",
    "post /v1/deletions",
    "post /v1/embeddings",
    "post /v1/import",
    "post /v1/splits",
    "post /v1/query",
    "put /v1/decisions/{id}",
];

/// Returns what is the same in every run. IDs of jobs and turns, times, durations, and the order of what is sorted by
/// them are not.
fn lasting(reply: &Reply) -> Value {
    const PASSING: [&str; 12] = [
        "id",
        "created",
        "begun",
        "ended",
        "settled",
        "duration_us",
        "duration_ms",
        "location",
        "time",
        "position",
        "turn",
        "passage",
    ];
    fn scrub(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !PASSING.contains(&name.as_str()));
                fields.values_mut().for_each(scrub);
            }
            Value::Array(items) => {
                items.iter_mut().for_each(scrub);
                items.sort_by_key(Value::to_string);
            }
            // A tool's result is also in its text.
            Value::String(text) if text.starts_with('{') => {
                if let Ok(mut inner) = serde_json::from_str(text) {
                    scrub(&mut inner);
                    *value = inner;
                }
            }
            _ => {}
        }
    }
    let line = |line: &str| {
        let json = line.strip_prefix("data: ").unwrap_or(line);
        let mut value = serde_json::from_str(json).unwrap_or_else(|_| Value::from(line));
        scrub(&mut value);
        value
    };
    let mut lines: Vec<Value> = reply.text().lines().map(line).collect();
    lines.sort_by_key(Value::to_string);
    json!([reply.status.as_u16(), lines])
}

/// Waits until no job of a key is running.
async fn settle(stand: &Stand, key: &str) {
    loop {
        let listed = send(stand, key, "get", "/v1/jobs", None).await.ok();
        let is_done = |job: &Value| ["done", "failed", "cancelled"].contains(&job["state"].as_str().unwrap());
        if listed["jobs"].as_array().unwrap().iter().all(is_done) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// Requests to every endpoint and tool are generated from their descriptions. One server has another workspace that is
/// full of what they ask for, the other server does not. No reply may reveal which is which.
#[tokio::test]
async fn no_reply_depends_on_what_another_workspace_has() {
    let keys = [(Role::Admin, ["a"].as_slice()), (Role::Admin, ["b"].as_slice())];
    let ((full, keys_of_full), (empty, keys_of_empty)) =
        (Stand::with_keys(&keys).await, Stand::with_keys(&keys).await);
    let theirs = &keys_of_full[0];
    let text = format!("{SECRET} is made of salt and iron. Ida Holm keeps it in the vault.");
    let documents = json!({ "documents": [{ "key": "vault/secret", "title": SECRET, "text": text }] });
    let turns = json!({ "turns": [{ "session": "vault", "speaker": "Ida", "text": format!("{SECRET} belongs to Ida.") }] });
    let post = async |path: &str, body: &Value| {
        send(&full, theirs, "post", path, Some(&("application/json", body.to_string()))).await
    };
    post("/v1/documents", &documents).await.ok();
    post("/v1/remember", &turns).await.ok();
    let job: Value = serde_json::from_slice(&post("/v1/jobs", &documents).await.body).unwrap();
    settle(&full, theirs).await;
    let things = send(&full, theirs, "get", &format!("/v1/things?text={SECRET}"), None).await.ok();
    let ids = things["things"].as_array().unwrap().iter().map(|thing| thing["id"].as_str().unwrap());
    let mut words: Vec<String> =
        [SECRET, "vault/secret", "vault", "a", "MATCH (n) RETURN n", "2"].map(str::to_owned).to_vec();
    words.push(format!("Who keeps {SECRET}?"));
    words.push(job["id"].as_str().unwrap().to_owned());
    words.extend(ids.map(str::to_owned));
    let export = async || send(&full, theirs, "get", "/v1/export?vectors=true", None).await.text();
    let before = export().await;

    let description: Value = serde_json::from_str(&quiver_server::description()).unwrap();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let tools: Value = serde_json::from_slice(&post("/mcp?tools=all", &list).await.body).unwrap();
    let mut made = Generator::new(&description, &words);
    let mut answered = BTreeSet::new();
    let mut requests = made.requests(&tools["result"]["tools"]);
    // IDs of turns contain the time and break ties, so turns are written last. So are decisions: later ones rank
    // higher, by less than a rounding error.
    requests.sort_by_key(|(_, Made { method, path, body })| {
        let text = body.as_ref().map_or("", |(_, text)| text.as_str());
        *method == "post"
            && (["/chat", "/remember", "/merges", "/renames", "/deletions", "/splits"]
                .iter()
                .any(|part| path.contains(part))
                || text.contains("\"remember\""))
    });
    for (operation, request) in requests {
        let Made { method, path, body } = &request;
        let named = send_to(&full, &keys_of_full[1], Some("a"), method, path, body.as_ref()).await;
        let is_open = ["/healthz", "/readyz", "/openapi.json"].contains(&path.as_str());
        assert!(is_open || named.status == 403, "{method} {path} in another workspace: {}", named.text());
        let mut replies = Vec::new();
        for (stand, keys) in [(&full, &keys_of_full), (&empty, &keys_of_empty)] {
            let reply = send(stand, &keys[1], method, path, body.as_ref()).await;
            assert!(reply.status.as_u16() < 500, "{request:?}: {}", reply.text());
            settle(stand, &keys[1]).await;
            replies.push(reply);
        }
        assert_eq!(lasting(&replies[0]), lasting(&replies[1]), "{request:?}");
        if replies[0].status.is_success() {
            answered.insert(operation);
        }
        if *method != "get" {
            assert_eq!(export().await, before, "{request:?} changed the other workspace");
        }
    }
    let jobs = send(&full, theirs, "get", "/v1/jobs", None).await.ok();
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 1, "{jobs:#}");
    // Endpoints that always refuse prove nothing: random requests do not fit them, or they have nothing in that
    // workspace. The test above covers most of them.
    let unanswered: Vec<_> = made.operations().into_iter().filter(|one| !answered.contains(one)).collect();
    assert!(unanswered.iter().all(|one| REFUSED.contains(&one.as_str())), "{unanswered:?}");
}

#[tokio::test]
async fn every_tool_is_among_the_calls_that_are_tried() {
    let stand = Stand::new().await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let listed: Value = serde_json::from_slice(&stand.post("/mcp?tools=all", &list).await.body).unwrap();
    let listed: BTreeSet<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let tried = calls(&[]);
    assert_eq!(listed, tried.iter().map(|(tool, _)| *tool).collect());
}
