//! The tools for agents over HTTP.

use axum::{
    body::Body,
    http::{Method, Request},
};
use quiver_server::Role;
use serde_json::{Value, json};

use crate::support::{Reply, Stand, json as request_with, request};

/// A message to the tools.
fn message(method: &str, parameters: &Value) -> Request<Body> {
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": parameters });
    let mut request = request_with(Method::POST, "/mcp?tools=all", &message);
    let headers = request.headers_mut();
    headers.insert("accept", "application/json, text/event-stream".parse().unwrap());
    headers.insert("mcp-protocol-version", "2025-06-18".parse().unwrap());
    request
}

/// A call of a tool, with the key of a client.
async fn call(stand: &Stand, key: Option<&str>, tool: &str, arguments: &Value) -> Value {
    let mut request = message("tools/call", &json!({ "name": tool, "arguments": arguments }));
    if let Some(key) = key {
        request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    }
    result(&stand.send(request).await)
}

/// The result of a reply to the message with the id 7.
#[track_caller]
fn result(reply: &Reply) -> Value {
    assert_eq!(
        (reply.status.as_u16(), reply.headers["content-type"].to_str().unwrap()),
        (200, "application/json")
    );
    let reply: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!((&reply["jsonrpc"], &reply["id"]), (&json!("2.0"), &json!(7)), "{reply:#}");
    assert!(reply["result"].is_object(), "{reply:#}");
    reply["result"].clone()
}

fn names(listed: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_client_is_welcomed_lists_the_tools_and_calls_each() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let client = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
    });
    let welcome = result(&stand.send(message("initialize", &client)).await);
    assert_eq!(
        (&welcome["protocolVersion"], &welcome["serverInfo"]["name"]),
        (&json!("2025-06-18"), &json!("quiver"))
    );
    let heard = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let heard = stand.post("/mcp", &heard).await;
    assert_eq!((heard.status.as_u16(), heard.body.len()), (202, 0));
    let listed = result(&stand.send(message("tools/list", &json!({}))).await);
    let all = [
        "ask",
        "context",
        "documents",
        "facts",
        "forget",
        "open",
        "query",
        "recall",
        "remember",
        "search",
        "stats",
    ];
    assert_eq!(names(&listed), all);

    let told = json!({ "text": "Mara works at Tidewater.", "session": "work", "speaker": "Bo" });
    let remembered = call(&stand, None, "remember", &told).await;
    assert_eq!(remembered["structuredContent"]["facts"][0]["object"], "Tidewater", "{remembered:#}");
    for (tool, arguments, place, expected) in [
        ("recall", json!({ "question": "Where does Mara work?" }), "/answer", json!("Tidewater")),
        ("ask", json!({ "question": "Who founded the Norby yard?" }), "/answer", json!("Ida Holm")),
        (
            "search",
            json!({ "query": "Norby yard", "limit": 1 }),
            "/passages/0/document",
            json!("ships/norby"),
        ),
        ("open", json!({ "name": "ships/norby" }), "/title", json!("Norby yard")),
        ("documents", json!({}), "/documents/0", json!("ships/aurelia")),
        ("facts", json!({ "about": "Mara" }), "/facts/0/object", json!("Tidewater")),
        ("stats", json!({}), "/documents", json!(2)),
        ("forget", json!({ "session": "work" }), "/dry_run", json!(true)),
        ("forget", json!({ "session": "work", "dry_run": false }), "/turns", json!(1)),
        ("recall", json!({ "question": "Where does Mara work?" }), "/answer", Value::Null),
    ] {
        let result = call(&stand, None, tool, &arguments).await;
        assert_ne!(result["isError"], true, "{result:#}");
        assert_eq!(
            result["structuredContent"].pointer(place),
            Some(&expected),
            "{tool} {arguments}: {result:#}"
        );
    }
    let packed = call(&stand, None, "context", &json!({ "question": "Who founded the Norby yard?" })).await;
    assert!(packed["structuredContent"]["text"].as_str().unwrap().contains("Ida Holm"), "{packed:#}");
}

#[tokio::test]
async fn a_query_returns_rows_with_what_they_rest_on_and_writes_nothing() {
    let stand = Stand::new().await;
    let told = json!({ "text": "", "facts": [{ "subject": "Ann", "predicate": "owns", "object": "Ferry" }] });
    call(&stand, None, "remember", &told).await;
    let query = json!({
        "query": "MATCH (a {name: $who})-[r]->(b) RETURN a.name AS who, b.name AS what", "parameters": { "who": "Ann" }
    });
    let found = call(&stand, None, "query", &query).await["structuredContent"].clone();
    assert_eq!((&found["columns"], &found["count"]), (&json!(["who", "what"]), &json!(1)), "{found:#}");
    assert_eq!(found["rows"][0]["values"], json!(["Ann", "Ferry"]), "{found:#}");
    assert_eq!(found["rows"][0]["proof"].as_array().unwrap().len(), 1, "{found:#}");
    let refused = call(&stand, None, "query", &json!({ "query": "CREATE (:Ship {name: 'Aurelia'})" })).await;
    assert_eq!(refused["isError"], true, "{refused:#}");
    let wrong = call(&stand, None, "query", &json!({ "query": "MATCH (a RETURN a" })).await;
    assert_eq!(wrong["isError"], true, "{wrong:#}");
}

#[tokio::test]
async fn a_key_that_may_only_read_is_offered_no_tool_that_writes_and_can_call_none() {
    let (stand, keys) = Stand::with_keys(&[(Role::Read, &["a"]), (Role::Write, &["a"])]).await;
    let told = json!({ "text": "Mara works at Tidewater.", "session": "work" });
    assert_ne!(call(&stand, Some(&keys[1]), "remember", &told).await["isError"], true);
    let mut list = message("tools/list", &json!({}));
    list.headers_mut().insert("authorization", format!("Bearer {}", keys[0]).parse().unwrap());
    let listed = result(&stand.send(list).await);
    assert_eq!(
        names(&listed),
        ["ask", "context", "documents", "facts", "open", "query", "recall", "search", "stats"]
    );
    for (tool, arguments) in [
        ("remember", json!({ "text": "Mara works at Seafarer." })),
        ("forget", json!({ "session": "work", "dry_run": false })),
        ("forget", json!({ "session": "work" })),
    ] {
        let refused = call(&stand, Some(&keys[0]), tool, &arguments).await;
        assert_eq!(refused["isError"], true, "{refused:#}");
        let said = refused["content"][0]["text"].as_str().unwrap();
        assert!(said.contains("`read`") && said.contains("`write`"), "{said}");
    }
    let recalled =
        call(&stand, Some(&keys[0]), "recall", &json!({ "question": "Where does Mara work?" })).await;
    assert_eq!(recalled["structuredContent"]["answer"], "Tidewater", "{recalled:#}");
}

#[tokio::test]
async fn what_is_no_message_is_refused_with_the_mend() {
    let (stand, keys) = Stand::with_keys(&[(Role::Write, &["a"])]).await;
    let bearer = format!("Bearer {}", keys[0]);
    let send = async |mut request: Request<Body>| {
        request.headers_mut().insert("authorization", bearer.parse().unwrap());
        stand.send(request).await
    };
    for (body, expected) in [
        (json!({ "id": 3 }), "jsonrpc"),
        (json!([{ "jsonrpc": "2.0", "id": 3, "method": "ping" }]), "one message at a time"),
        (json!("ping"), "jsonrpc"),
    ] {
        let reply = send(request_with(Method::POST, "/mcp", &body)).await;
        assert_eq!(reply.status, 400, "{body}");
        let reply: Value = serde_json::from_slice(&reply.body).unwrap();
        assert!(reply["error"]["message"].as_str().unwrap().contains(expected), "{body}: {reply:#}");
    }
    let mut other = message("ping", &json!({}));
    other.headers_mut().insert("mcp-protocol-version", "1999-01-01".parse().unwrap());
    let (_, place, detail) = send(other).await.problem(400);
    assert!(place == "MCP-Protocol-Version" && detail.contains("2025-06-18"), "{place}: {detail}");
    assert_eq!(send(request_with(Method::POST, "/mcp?tools=some", &json!({}))).await.problem(400).1, "query");
    // Nothing is streamed beside replies, and no session is there to be ended.
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(send(request(method, "/mcp").body(Body::empty()).unwrap()).await.status, 405);
    }
    let unknown = send(message("tools/invent", &json!({}))).await;
    let unknown: Value = serde_json::from_slice(&unknown.body).unwrap();
    assert_eq!(unknown["error"]["code"], -32601, "{unknown:#}");
    let wrong =
        send(message("tools/call", &json!({ "name": "recall", "arguments": { "query": "Who?" } }))).await;
    assert!(wrong.text().contains("query"), "{}", wrong.text());
    // A page elsewhere, a name that was led here, and nobody's key are refused at the door.
    let mut page = message("tools/list", &json!({}));
    page.headers_mut().insert("origin", "https://evil.example.org".parse().unwrap());
    assert_eq!(send(page).await.problem(403).1, "Origin");
    assert_eq!(stand.send(message("tools/list", &json!({}))).await.problem(401).1, "Authorization");
    let open = Stand::new().await;
    let mut led = message("tools/list", &json!({}));
    led.headers_mut().insert("host", "evil.example.org".parse().unwrap());
    assert_eq!(open.send(led).await.problem(421).1, "Host");
}
