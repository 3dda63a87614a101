//! The tools for agents over HTTP.

use axum::{
    body::Body,
    http::{Method, Request},
};
use quiver_server::Role;
use serde_json::{Value, json};

use crate::support::{Reply, Stand, json as request_with, request};

/// Creates a message to the tools.
fn message(method: &str, parameters: &Value) -> Request<Body> {
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": parameters });
    let mut request = request_with(Method::POST, "/mcp?tools=all", &message);
    let headers = request.headers_mut();
    headers.insert("accept", "application/json, text/event-stream".parse().unwrap());
    headers.insert("mcp-protocol-version", "2025-06-18".parse().unwrap());
    request
}

/// Calls a tool with a client's key.
async fn call(stand: &Stand, key: Option<&str>, tool: &str, arguments: &Value) -> Value {
    let mut request = message("tools/call", &json!({ "name": tool, "arguments": arguments }));
    if let Some(key) = key {
        request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    }
    result(&stand.send(request).await)
}

/// Returns the result in a reply to the message with the ID 7.
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
        "ingest",
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

/// Returns the messages of a tool call whose client asks for progress.
async fn told(stand: &Stand, tool: &str, arguments: &Value, accept: &str) -> (String, Vec<Value>) {
    let parameters = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "t1" } });
    let mut request = message("tools/call", &parameters);
    request.headers_mut().insert("accept", accept.parse().unwrap());
    let reply = stand.send(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let kind = reply.headers["content-type"].to_str().unwrap().to_owned();
    let text = reply.text();
    let messages = text.lines().filter_map(|line| line.strip_prefix("data: "));
    (kind, messages.map(|message| serde_json::from_str(message).unwrap()).collect())
}

#[tokio::test]
async fn a_client_that_asks_is_told_how_far_a_call_is() {
    let stand = Stand::new().await;
    let document = |number: usize| json!({ "name": format!("ships/{number}"), "text": format!("Ship {number} was built in Bergen.") });
    let documents: Vec<Value> = (0..200).map(document).collect();
    let given = json!({ "documents": documents });
    let (kind, mut messages) = told(&stand, "ingest", &given, "application/json, text/event-stream").await;
    assert_eq!(kind, "text/event-stream");
    let reply = messages.pop().unwrap();
    assert_eq!(reply["result"]["structuredContent"]["added"], 200, "{reply:#}");
    assert!(messages.len() > 2, "{messages:?}");
    let mut last = 0.0;
    for notice in &messages {
        assert_eq!(notice["method"], "notifications/progress", "{notice:#}");
        let parameters = &notice["params"];
        let progress = parameters["progress"].as_f64().unwrap();
        assert_eq!((&parameters["progressToken"], &parameters["total"]), (&json!("t1"), &json!(200.0)));
        assert!(progress > last && progress <= 200.0, "{messages:?}");
        last = progress;
    }
    let question = json!({ "question": "Where was Ship 7 built?" });
    let (_, mut messages) = told(&stand, "ask", &question, "text/event-stream").await;
    assert_eq!(messages.pop().unwrap()["result"]["structuredContent"]["answer"], "Bergen");
    assert!(
        messages.iter().any(|notice| notice["params"]["message"] == "searching for seeds"),
        "{messages:?}"
    );
    // A client that accepts no stream gets no progress, but gets its answer.
    let (kind, messages) = told(&stand, "ask", &question, "application/json").await;
    assert_eq!((kind.as_str(), messages.len()), ("application/json", 0));
    let twice = json!({ "documents": [{ "name": "a", "text": "A." }, { "name": "a", "text": "B." }] });
    let refused = call(&stand, None, "ingest", &twice).await;
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("documents[1].name"), "{refused:#}");
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
async fn resources_are_listed_in_parts_and_read() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let notes: Vec<Value> = (0..120)
        .map(|number| json!({ "key": format!("notes/{number:03} ä?.md"), "text": "The ferry leaves at nine." }))
        .collect();
    stand.post("/v1/documents", &json!({ "documents": notes })).await.ok();
    let list = async |parameters: Value| result(&stand.send(message("resources/list", &parameters)).await);
    let addresses = |listed: &Value| -> Vec<String> {
        let listed = listed["resources"].as_array().unwrap().iter();
        listed.map(|resource| resource["uri"].as_str().unwrap().to_owned()).collect()
    };
    let first = list(json!({})).await;
    let rest = list(json!({ "cursor": first["nextCursor"] })).await;
    assert_eq!((addresses(&first).len(), addresses(&rest).len()), (102, 22), "{first:#}");
    assert!(rest.get("nextCursor").is_none(), "{rest:#}");
    assert_eq!(addresses(&first)[..2], ["quiver://stats", "quiver://schema"]);
    let last = addresses(&rest).pop().unwrap();
    assert_eq!(last, "quiver://documents/ships%2Fnorby");
    assert_eq!(addresses(&first)[2], "quiver://documents/notes%2F000%20%C3%A4%3F.md");
    let read = async |address: &str| {
        let read = result(&stand.send(message("resources/read", &json!({ "uri": address }))).await);
        assert_eq!(read["contents"][0]["uri"], address, "{read:#}");
        read["contents"][0]["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(read(&last).await, "The Norby yard was founded by Ida Holm in Bergen.");
    assert_eq!(read(&addresses(&first)[2]).await, "The ferry leaves at nine.");
    let counts: Value = serde_json::from_str(&read("quiver://stats").await).unwrap();
    assert_eq!(counts["documents"], 122, "{counts:#}");
    let schema: Value = serde_json::from_str(&read("quiver://schema").await).unwrap();
    assert!(schema["labels"].as_array().unwrap().contains(&json!("Passage")), "{schema:#}");
    assert!(schema["relationship_types"].as_array().is_some_and(|types| !types.is_empty()), "{schema:#}");
    let templates = result(&stand.send(message("resources/templates/list", &json!({}))).await);
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "quiver://documents/{key}");
    for address in ["quiver://documents/nothing.md", "quiver://documents/%zz", "file:///etc/passwd", ""] {
        let refused = stand.send(message("resources/read", &json!({ "uri": address }))).await;
        let refused: Value = serde_json::from_slice(&refused.body).unwrap();
        assert_eq!(refused["error"]["code"], -32002, "{refused:#}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("resources/list"), "{refused:#}");
    }
    let wrong = stand.send(message("resources/list", &json!({ "cursor": "%zz" }))).await;
    let wrong: Value = serde_json::from_slice(&wrong.body).unwrap();
    assert_eq!(wrong["error"]["code"], -32602, "{wrong:#}");
}

#[tokio::test]
async fn the_page_of_an_answer_is_named_by_its_tool_and_draws_what_the_tool_records() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let listed = result(&stand.send(message("tools/list", &json!({}))).await);
    let of = |name: &str| {
        let mut tools = listed["tools"].as_array().unwrap().iter();
        tools.find(|tool| tool["name"] == name).unwrap()["_meta"]["ui"]["resourceUri"].clone()
    };
    assert_eq!((of("ask"), of("search")), (json!("ui://quiver/path"), Value::Null));
    let page = result(&stand.send(message("resources/read", &json!({ "uri": of("ask") }))).await);
    let page = &page["contents"][0];
    assert_eq!((&page["uri"], &page["mimeType"]), (&of("ask"), &json!("text/html;profile=mcp-app")));
    assert_eq!(page["text"], quiver_page::app());
    let question = "Who founded the Norby yard?";
    let plain = call(&stand, None, "ask", &json!({ "question": question })).await;
    assert!(plain["structuredContent"].get("recorded").is_none(), "{plain:#}");
    let traced = call(&stand, None, "ask", &json!({ "question": question, "trace": true })).await;
    let recorded = &traced["structuredContent"]["recorded"];
    assert_eq!(recorded["answer"], plain["structuredContent"]["answer"]);
    assert!(recorded["trace"]["explanation"]["candidates"].is_array(), "{recorded:#}");
}

#[tokio::test]
async fn prompts_name_the_tools_that_there_are_and_need_their_arguments() {
    let (stand, keys) = Stand::with_keys(&[(Role::Read, &["a"]), (Role::Write, &["a"])]).await;
    let send = async |key: usize, method: &str, parameters: Value| -> Value {
        let mut request = message(method, &parameters);
        request.headers_mut().insert("authorization", format!("Bearer {}", keys[key]).parse().unwrap());
        serde_json::from_slice(&stand.send(request).await.body).unwrap()
    };
    let names = |listed: &Value| -> Vec<String> {
        let listed = listed["result"]["prompts"].as_array().unwrap().iter();
        listed.map(|prompt| prompt["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&send(0, "prompts/list", json!({})).await), ["brief"]);
    assert_eq!(names(&send(1, "prompts/list", json!({})).await), ["brief", "keep", "memory"]);
    let tools = send(1, "tools/list", json!({})).await;
    let tools: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    for (prompt, arguments) in
        [("memory", json!({})), ("keep", json!({})), ("brief", json!({ "topic": "Redis" }))]
    {
        let got = send(1, "prompts/get", json!({ "name": prompt, "arguments": arguments })).await;
        let text =
            got["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_else(|| panic!("{got:#}"));
        for word in text.split('`').skip(1).step_by(2) {
            let is_argument = ["quiver", "speaker", "session", "at", "facts", "dry_run"].contains(&word);
            assert!(is_argument || tools.contains(&word), "{prompt} names {word:?}, which is no tool");
        }
        assert_eq!(text.contains("Redis"), prompt == "brief", "{text}");
    }
    for (key, parameters, expected) in [
        (0, json!({ "name": "keep" }), "the prompts are brief"),
        (1, json!({ "name": "brief" }), "`topic` is missing"),
        (1, json!({ "name": "brief", "arguments": { "topic": " " } }), "`topic` is missing"),
    ] {
        let refused = send(key, "prompts/get", parameters).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused:#}");
        assert!(refused["error"]["message"].as_str().unwrap().contains(expected), "{refused:#}");
    }
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
    // Nothing is streamed outside of replies, and there are no sessions to end.
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(send(request(method, "/mcp").body(Body::empty()).unwrap()).await.status, 405);
    }
    let unknown = send(message("tools/invent", &json!({}))).await;
    let unknown: Value = serde_json::from_slice(&unknown.body).unwrap();
    assert_eq!(unknown["error"]["code"], -32601, "{unknown:#}");
    let wrong =
        send(message("tools/call", &json!({ "name": "recall", "arguments": { "query": "Who?" } }))).await;
    assert!(wrong.text().contains("query"), "{}", wrong.text());
    // A page of another origin, a name pointed at this machine, and requests without a key are refused.
    let mut page = message("tools/list", &json!({}));
    page.headers_mut().insert("origin", "https://evil.example.org".parse().unwrap());
    assert_eq!(send(page).await.problem(403).1, "Origin");
    assert_eq!(stand.send(message("tools/list", &json!({}))).await.problem(401).1, "Authorization");
    let open = Stand::new().await;
    let mut led = message("tools/list", &json!({}));
    led.headers_mut().insert("host", "evil.example.org".parse().unwrap());
    assert_eq!(open.send(led).await.problem(421).1, "Host");
}

#[tokio::test]
async fn facts_keep_to_a_token_budget_and_the_next_call_continues() {
    let stand = Stand::new().await;
    let turn = |day: usize| {
        let fact = json!({ "subject": "Mara", "predicate": "visited", "object": format!("Harbour {day}") });
        let text = format!("Mara visited Harbour {day}.");
        json!({ "session": "s", "text": text, "facts": [fact], "time": format!("2026-03-0{day}") })
    };
    stand.post("/v1/remember", &json!({ "turns": (1..=5).map(turn).collect::<Vec<_>>() })).await.ok();
    let facts = async |arguments: Value| call(&stand, None, "facts", &arguments).await;
    let first = facts(json!({ "about": "Mara", "history": true, "tokens": 25 })).await;
    let first = &first["structuredContent"];
    let rest = facts(json!({ "about": "Mara", "history": true, "from": first["next"] })).await;
    let rest = &rest["structuredContent"];
    let count = |part: &Value| part["facts"].as_array().unwrap().len();
    assert!(count(first) > 0 && count(rest) > 0, "{first:#} {rest:#}");
    assert_eq!((count(first) + count(rest), rest.get("next")), (5, None), "{first:#} {rest:#}");
    let wrong = facts(json!({ "about": "Mara", "from": "none" })).await;
    assert_eq!(wrong["isError"], true, "{wrong:#}");
    assert!(wrong["content"][0]["text"].as_str().unwrap().starts_with("`from`: "), "{wrong:#}");
}
