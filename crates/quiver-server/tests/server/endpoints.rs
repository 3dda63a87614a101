//! The replies of each endpoint.

use axum::{body::Body, http::Method};
use quiver::Quiver;
use quiver_server::{Config, Jobs, Keys, Server};
use serde_json::{Value, json};

use crate::support::{Stand, request};

#[tokio::test]
async fn a_question_is_answered_and_its_sentence_cited() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let question = json!({ "question": "Who founded the yard where the Aurelia was built?" });
    let answer = stand.post("/v1/ask", &question).await.ok();
    assert_eq!(answer["answer"], "Ida Holm", "{answer:#}");
    assert_eq!(answer["citations"][0]["sentence"], "The Norby yard was founded by Ida Holm in Bergen.");
    assert_eq!(answer["citations"][0]["path"].as_array().unwrap().len(), 1);
    assert!(answer.get("trace").is_none());
    let traced = json!({ "question": "Who founded the Norby yard?", "trace": true, "passages": 1 });
    let answer = stand.post("/v1/ask", &traced).await.ok();
    assert_eq!(answer["passages"].as_array().unwrap().len(), 1);
    assert_eq!(answer["trace"]["stages"][0]["stage"], "understanding the question");
    let refused = stand.post("/v1/ask", &json!({ "question": "Who won the regatta?" })).await.ok();
    assert_eq!(refused["answer"], Value::Null, "{refused:#}");
    assert!(refused["refusal"]["text"].is_string());
}

#[tokio::test]
async fn a_question_is_asked_again_without_a_passage_and_as_of_a_moment() {
    let stand = Stand::new().await;
    let page = |key: &str, text: &str, time: &str| json!({ "key": key, "text": text, "time": time });
    let documents = json!({ "documents": [
        page("old", "The Norby yard is led by Ida Holm.", "2024-05-01"),
        page("new", "The Norby yard is led by Bo Lind.", "2026-05-01"),
    ] });
    stand.post("/v1/documents", &documents).await.ok();
    let question = "Who is the Norby yard led by?";
    let found = async |body: Value| {
        let mut found = stand.post("/v1/search", &body).await.ok()["passages"].take();
        let passages = found.as_array_mut().unwrap();
        passages.sort_by_key(|passage| passage["document"].to_string());
        passages.iter().map(|passage| passage["document"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found(json!({ "question": question })).await, "new old");
    assert_eq!(found(json!({ "question": question, "as_of": "2025-01-01" })).await, "old");
    assert_eq!(found(json!({ "question": question, "as_of": 0 })).await, "");
    let passages = stand.post("/v1/search", &json!({ "question": question })).await.ok();
    let first = &passages["passages"][0];
    let without = json!({ "question": question, "without": [first["passage"]] });
    let other = if first["document"] == "old" { "new" } else { "old" };
    assert_eq!(found(without.clone()).await, other);
    let answer = stand.post("/v1/ask", &without).await.ok();
    assert_eq!(answer["passages"].as_array().unwrap().len(), 1);
    let stream = stand.post("/v1/ask/stream", &without).await.text();
    assert!(!stream.contains(first["passage"].as_str().unwrap()), "{stream}");
}

/// Adds documents that all say something about the harbour, so that a search finds each.
async fn add_harbours(stand: &Stand, count: usize) {
    let page = |at: usize| {
        let text = format!("Harbour log {at}: the harbour was open on day {at}.");
        json!({ "key": format!("log/{at:02}"), "text": text })
    };
    let documents: Vec<Value> = (0..count).map(page).collect();
    stand.post("/v1/documents", &json!({ "documents": documents })).await.ok();
}

fn documents_of(found: &Value) -> Vec<String> {
    let passages = found["passages"].as_array().unwrap().iter();
    passages.map(|passage| passage["document"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_search_goes_on_from_where_the_last_one_ended_until_everything_is_listed() {
    let stand = Stand::new().await;
    // More than plain search brings at once.
    add_harbours(&stand, 75).await;
    let body = json!({ "question": "When was the harbour open?", "passages": 10 });
    let (mut listed, mut path) = (Vec::new(), "/v1/search".to_owned());
    let whole = json!({ "question": "When was the harbour open?", "passages": 50 });
    let whole = documents_of(&stand.post("/v1/search", &whole).await.ok());
    assert_eq!(whole.len(), 50);
    loop {
        let found = stand.post(&path, &body).await.ok();
        let part = documents_of(&found);
        assert!((1..=10).contains(&part.len()), "{found:#}");
        listed.extend(part);
        let Some(next) = found["next"].as_str() else { break };
        path = format!("/v1/search?from={next}");
    }
    assert_eq!(listed[..50], whole, "the parts are those of one list");
    let mut distinct = listed.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!((listed.len(), distinct.len()), (75, 75), "{listed:?}");
}

#[tokio::test]
async fn a_search_that_can_not_go_on_says_so() {
    let stand = Stand::new().await;
    add_harbours(&stand, 3).await;
    let body = json!({ "question": "When was the harbour open?" });
    let found = stand.post("/v1/search", &body).await.ok();
    assert_eq!((documents_of(&found).len(), found.get("next")), (3, None), "{found:#}");
    let other = json!({ "question": "When was the harbour open?", "documents": ["log/01"] });
    let left_out = found["passages"].as_array().unwrap().iter().find(|one| one["document"] == "log/00");
    let left_out = left_out.unwrap()["passage"].as_str().unwrap();
    for (from, body) in [("next", &body), ("019ab300-0000-7000-8000-000000000000", &body), (left_out, &other)]
    {
        let reply = stand.post(&format!("/v1/search?from={from}"), body).await;
        let (code, place, detail) = reply.problem(400);
        assert_eq!((code.as_str(), place.as_str()), ("invalid", "from"), "{detail}");
        assert!(detail.contains("start anew"), "{detail}");
    }
}

#[tokio::test]
async fn only_the_named_documents_are_searched() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let question = "Who founded the yard where the Aurelia was built?";
    let found = async |documents: Value| {
        let body = json!({ "question": question, "documents": documents });
        let mut found = documents_of(&stand.post("/v1/search", &body).await.ok());
        found.sort();
        found
    };
    assert_eq!(found(json!([])).await, ["ships/aurelia", "ships/norby"]);
    assert_eq!(found(json!(["ships/aurelia"])).await, ["ships/aurelia"], "no hop leads out of it");
    assert_eq!(found(json!(["ships/norby", "ships/none"])).await, ["ships/norby"]);
    assert_eq!(found(json!(["ships/none"])).await, Vec::<String>::new());
    let body = json!({ "question": question, "documents": ["ships/aurelia"], "trace": true });
    let answer = stand.post("/v1/ask", &body).await.ok();
    assert_eq!(answer["answer"], Value::Null, "the document does not say it: {answer:#}");
    assert!(answer["trace"].to_string().contains("searched only 1 documents"), "{answer:#}");
    let many = json!({ "question": question, "documents": vec!["a"; 101] });
    assert_eq!(stand.post("/v1/search", &many).await.problem(400).1, "documents");
    let blank = json!({ "question": question, "documents": ["a", " "] });
    assert_eq!(stand.post("/v1/search", &blank).await.problem(400).1, "documents[1]");
}

#[tokio::test]
async fn only_documents_that_pass_a_filter_are_searched_and_listed() {
    let stand = Stand::new().await;
    let log = |number: usize, metadata: Value, time: Value| {
        let text = format!("The harbour was open on day {number}.");
        json!({ "key": format!("log/{number}"), "text": text, "metadata": metadata, "time": time })
    };
    let documents = json!({ "documents": [
        log(1, json!({ "team": "ferry", "tags": ["north", "winter"], "page": 7 }), json!("2026-03-01")),
        log(2, json!({ "team": "crane", "tags": ["south"], "page": 7.5, "is_open": true }), json!("2026-03-02")),
        log(3, json!({ "team": "ferry" }), Value::Null),
    ] });
    stand.post("/v1/documents", &documents).await.ok();
    let question = "On which days was the harbour open?";
    let cases = [
        (json!({}), "123"),
        (json!({ "metadata": { "team": "ferry" } }), "13"),
        (json!({ "metadata": { "team": ["crane", "boat"] } }), "2"),
        (json!({ "metadata": { "team": [] } }), ""),
        (json!({ "metadata": { "tags": "winter" } }), "1"),
        (json!({ "metadata": { "tags": ["winter", "south"], "page": [7, 7.5] } }), "12"),
        (json!({ "metadata": { "page": 7 } }), "1"),
        (json!({ "metadata": { "page": "7" } }), ""),
        (json!({ "metadata": { "is_open": true } }), "2"),
        (json!({ "metadata": { "is_open": false } }), ""),
        (json!({ "written_since": "2026-03-01" }), "12"),
        (json!({ "written_before": "2026-03-02" }), "1"),
        (
            json!({ "written_since": "2026-03-02", "written_before": "2026-03-03", "metadata": { "team": "ferry" } }),
            "",
        ),
    ];
    for (filter, expected) in cases {
        let found = stand.post("/v1/search", &json!({ "question": question, "filter": filter })).await.ok();
        let mut found = documents_of(&found);
        found.sort();
        let listed =
            stand.get(&format!("/v1/documents?filter={}", percent_encoded(&filter.to_string()))).await.ok();
        let listed: Vec<&str> =
            listed["documents"].as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect();
        let expected: Vec<String> = expected.chars().map(|number| format!("log/{number}")).collect();
        assert_eq!(found, expected, "{filter}");
        assert_eq!(listed, expected, "{filter}");
    }
    let body = json!({ "question": question, "filter": { "metadata": { "team": "ferry" } }, "trace": true });
    let answer = stand.post("/v1/ask", &body).await.ok();
    assert!(answer["trace"].to_string().contains("only documents that pass the filter"), "{answer:#}");
    let refused = [
        (json!({ "metadata": { "team": null } }), "filter.metadata.team"),
        (json!({ "metadata": { "team": ["a".repeat(300)] } }), "filter.metadata.team"),
        (json!({ "metadata": { "team": vec!["a"; 101] } }), "filter.metadata.team"),
        (json!({ "written_since": "soon" }), "filter.written_since"),
        (json!({ "title": "Log" }), "filter.title"),
    ];
    for (filter, place) in refused {
        let asked = stand.post("/v1/search", &json!({ "question": question, "filter": filter })).await;
        assert_eq!(asked.problem(400).1, place, "{filter}");
    }
    let all = stand.get("/v1/documents?filter=").await.ok();
    assert_eq!(all["documents"].as_array().unwrap().len(), 3, "an empty filter is none");
    assert_eq!(stand.get("/v1/documents?filter=team").await.problem(400).1, "query");
}

fn percent_encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[tokio::test]
async fn files_are_added_by_a_form_and_one_by_one() {
    let stand = Stand::new().await;
    let send = async |path: &str, kind: &str, body: &str| {
        let method = if path.ends_with("documents") { Method::POST } else { Method::PUT };
        let request = request(method, path).header("content-type", kind);
        stand.send(request.body(Body::from(body.to_owned())).unwrap()).await
    };
    let form = |files: &[(&str, &str, &str)]| {
        let part = |(name, kind, text): &(&str, &str, &str)| {
            format!(
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
                 Content-Type: {kind}\r\n\r\n{text}\r\n"
            )
        };
        files.iter().map(part).collect::<String>() + "--b--\r\n"
    };
    let page =
        "<html><head><title>Ferries</title></head><body><p>The ferry leaves at nine.</p></body></html>";
    let files = form(&[
        ("berths.md", "application/octet-stream", "# Berths\n\nBerth nine is for ferries."),
        ("ferries", "text/html", page),
        (
            "crew.jsonl",
            "",
            "{\"id\": 1, \"text\": \"Ida is the captain.\"}\n{\"id\": 2, \"text\": \"Mo cooks.\"}\n",
        ),
    ]);
    let kind = "multipart/form-data; boundary=b";
    let added = send("/v1/documents", kind, &files).await.ok();
    assert_eq!(added["documents"], json!({ "added": 4, "replaced": 0, "unchanged": 0 }), "{added:#}");
    assert_eq!(send("/v1/documents", kind, &files).await.ok()["documents"]["unchanged"], 4);
    let opened = stand.get("/v1/documents/ferries").await.ok();
    assert_eq!(
        (&opened["title"], &opened["text"]),
        (&json!("Ferries"), &json!("The ferry leaves at nine.\n"))
    );
    assert_eq!(stand.get("/v1/documents/berths.md").await.ok()["title"], "Berths");
    let added = send("/v1/documents/ferries", "text/html; charset=utf-8", page).await.ok();
    assert_eq!(added["documents"]["unchanged"], 1, "{added:#}");
    let keys = stand.get("/v1/documents").await.ok();
    assert!(keys["documents"].to_string().contains("crew.jsonl#2"), "{keys:#}");

    let before = stand.get("/v1/stats").await.ok()["passages"].clone();
    let one_is_bad = form(&[("good.txt", "text/plain", "Good."), ("bad.bin", "", "\0\u{1}\u{2}\0")]);
    let (code, place, _) = send("/v1/documents", kind, &one_is_bad).await.problem(422);
    assert_eq!((code.as_str(), place.as_str()), ("unreadable", "bad.bin"));
    let twice = form(&[("a.txt", "text/plain", "One."), ("a.txt", "text/plain", "Two.")]);
    assert_eq!(send("/v1/documents", kind, &twice).await.problem(400).1, "a.txt");
    let text = "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nFerries\r\n--b--";
    let (_, place, detail) = send("/v1/documents", kind, text).await.problem(400);
    assert!(place == "title" && detail.contains("curl -F"), "{place}: {detail}");
    assert_eq!(send("/v1/documents", kind, "--b--").await.problem(400).1, "body");
    assert_eq!(send("/v1/documents", "multipart/form-data", &files).await.problem(400).1, "Content-Type");
    assert_eq!(send("/v1/documents/x", "image/png", "").await.problem(415).1, "Content-Type");
    assert_eq!(send("/v1/documents/x", "application/pdf", "not a PDF").await.problem(422).0, "unreadable");
    assert_eq!(stand.get("/v1/stats").await.ok()["passages"], before, "nothing was added");
}

#[tokio::test]
async fn a_key_sees_the_workspaces_that_it_may_use() {
    use quiver_server::Role;

    let keys = [(Role::Write, [].as_slice()), (Role::Read, ["notes", "empty"].as_slice())];
    let (stand, keys) = Stand::with_keys(&keys).await;
    let send = async |key: &str, workspace: &str, method: Method, path: &str, body: Value| {
        let request = json_request(method, path, &body, key, workspace);
        stand.send(request).await.ok()
    };
    for workspace in ["notes", "plans"] {
        let turns = json!({ "turns": [{ "text": "Redis is run by Mo." }] });
        send(&keys[0], workspace, Method::POST, "/v1/remember", turns).await;
    }
    let all = send(&keys[0], "notes", Method::GET, "/v1/workspaces", json!({})).await;
    let listed = |name: &str| json!({ "name": name, "passages": 1 });
    assert_eq!(all["workspaces"], json!([listed("notes"), listed("plans")]));
    let own = send(&keys[1], "notes", Method::GET, "/v1/workspaces", json!({})).await;
    assert_eq!(own["workspaces"], json!([listed("notes")]));
}

fn json_request(
    method: Method,
    path: &str,
    body: &Value,
    key: &str,
    workspace: &str,
) -> axum::http::Request<Body> {
    let request = request(method, path).header("content-type", "application/json");
    let request =
        request.header("authorization", format!("Bearer {key}")).header("quiver-workspace", workspace);
    request.body(Body::from(body.to_string())).unwrap()
}

#[tokio::test]
async fn a_name_means_what_is_chosen() {
    let stand = Stand::new().await;
    let page = |title: &str, text: &str| json!({ "key": title, "title": title, "text": text });
    let documents = json!({ "documents": [
        page("Norby (ferry)", "The Norby is a ferry. It was built in 1911."),
        page("Norby (town)", "Norby is a town on the coast. It was built in 1640."),
    ] });
    stand.post("/v1/documents", &documents).await.ok();
    let question = "When was Norby built?";
    let answer = stand.post("/v1/ask", &json!({ "question": question, "trace": true })).await.ok();
    let choice = &answer["trace"]["explanation"]["choices"][0];
    let candidates = choice["candidates"].as_array().unwrap();
    let town = candidates.iter().find(|one| one["entity"] == "Norby (town)").unwrap();
    let chosen =
        json!({ "question": question, "meanings": { choice["name"].as_str().unwrap(): town["id"] } });
    let answer = stand.post("/v1/ask", &chosen).await.ok();
    assert!(answer["answer"].as_str().unwrap().contains("1640"), "{answer}");
    let stream = stand.post("/v1/ask/stream", &chosen).await.text();
    assert!(stream.contains("1640") && !stream.contains("1911"), "{stream}");
    assert_eq!(stand.post("/v1/search", &chosen).await.ok()["passages"].as_array().unwrap().len(), 1);
    let unknown =
        json!({ "question": question, "meanings": { "Norby": "019ab300-0000-7000-8000-000000000000" } });
    let (code, _, detail) = stand.post("/v1/ask", &unknown).await.problem(400);
    assert!(code == "invalid" && detail.contains("there is no entity"), "{detail}");
}

#[tokio::test]
async fn a_stream_tells_the_stages_in_order_and_ends_with_the_answer() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let question = json!({ "question": "Who founded the Norby yard?" });
    let reply = stand.post("/v1/ask/stream", &question).await;
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    let text = reply.text();
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(names, ["step", "step", "hop", "step", "step", "sentence", "step", "answer"], "{text}");
    let hop = text.split_once("event: hop\ndata: ").unwrap().1.lines().next().unwrap();
    let mut hop: Value = serde_json::from_str(hop).unwrap();
    assert!(hop.as_object_mut().unwrap().remove("duration_us").unwrap().is_u64(), "{hop}");
    assert_eq!(hop, json!({ "hop": 1, "started_from": 2, "reached": 0, "links": 1, "candidates": 2 }));
    let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["answer"], "Ida Holm");
    let asked = json!({ "session": "harbour", "question": "Who founded the Norby yard?" });
    let text = stand.post("/v1/chat/stream", &asked).await.text();
    assert!(
        ["hop", "sentence", "reply"].iter().all(|name| text.contains(&format!("event: {name}"))),
        "{text}"
    );
}

#[tokio::test]
async fn a_conversation_is_understood_from_what_it_is_about() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let ask = |question: &str| json!({ "session": "harbour", "question": question });
    let first = stand.post("/v1/chat", &ask("Who founded the Norby yard?")).await.ok();
    assert_eq!((first["turn"].as_u64(), &first["answered"]["answer"]), (Some(1), &json!("Ida Holm")));
    let second = stand.post("/v1/chat", &ask("What was built there?")).await.ok();
    assert_eq!(second["turn"], 2);
    assert_ne!(second["standalone"], "What was built there?", "{second:#}");
    let blank = stand.post("/v1/chat", &json!({ "session": " ", "question": "Who?" })).await;
    assert_eq!(blank.problem(400).1, "session");
}

#[tokio::test]
async fn questions_of_one_session_that_come_at_once_are_numbered_one_after_the_other() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let ask = |at: usize| json!({ "session": "s", "question": format!("Who founded yard {at}?") });
    let asked: Vec<Value> = (0..8).map(ask).collect();
    let sent = futures::future::join_all(asked.iter().map(|asked| stand.post("/v1/chat", asked))).await;
    let mut numbers: Vec<u64> = sent.into_iter().map(|reply| reply.ok()["turn"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=8).collect::<Vec<u64>>());
}

#[tokio::test]
async fn what_is_remembered_is_recalled_listed_and_forgotten() {
    let stand = Stand::new().await;
    let told = json!({ "turns": [
        { "session": "work", "speaker": "Bo", "time": "2026-03-01", "text": "Mara works at Tidewater." },
        { "session": "work", "text": "", "facts": [{ "subject": "Mara", "predicate": "lives in", "object": "Bergen" }] },
    ] });
    let remembered = stand.post("/v1/remember", &told).await.ok();
    assert_eq!(remembered["turns"][0]["facts"][0]["object"], "Tidewater", "{remembered:#}");
    let recalled = stand.post("/v1/recall", &json!({ "question": "Where does Mara work?" })).await.ok();
    assert_eq!(recalled["answer"], "Tidewater", "{recalled:#}");
    let facts = stand.get("/v1/facts?about=Mara").await.ok();
    assert_eq!(facts["facts"].as_array().unwrap().len(), 2, "{facts:#}");
    let sessions = stand.get("/v1/sessions").await.ok();
    assert_eq!(sessions["sessions"], json!([{ "name": "work", "turns": 2 }]));
    let turns = stand.get("/v1/sessions/work/turns?limit=1000").await.ok();
    assert_eq!(turns["turns"].as_array().unwrap().len(), 2, "{turns:#}");
    let said = |turn: &&Value| turn["speaker"] == "Bo" && turn["text"] == "Mara works at Tidewater.";
    assert!(turns["turns"].as_array().unwrap().iter().any(|turn| said(&turn)), "{turns:#}");
    assert_eq!(stand.get("/v1/sessions/work/turns?limit=0").await.problem(400).1, "limit");
    assert_eq!(stand.get("/v1/sessions/play/turns").await.problem(404).0, "not_found");
    let preview = stand.post("/v1/forget", &json!({ "session": "work" })).await.ok();
    assert_eq!((&preview["dry_run"], &preview["turns"]), (&json!(true), &json!(2)));
    let forgotten = stand.post("/v1/forget", &json!({ "session": "work", "dry_run": false })).await.ok();
    assert_eq!((&forgotten["dry_run"], &forgotten["turns"]), (&json!(false), &json!(2)));
    assert_eq!(stand.get("/v1/facts?about=Mara").await.ok()["facts"], json!([]));
    let again = stand.post("/v1/forget", &json!({ "session": "work" })).await;
    assert_eq!(again.problem(404).0, "not_found");
}

#[tokio::test]
async fn documents_are_added_listed_read_and_deleted() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let text = "# Berths\n\nBerth nine is for ferries.\n\n## Cranes\n\nCrane two stands at berth nine.\n";
    let put = request(Method::PUT, "/v1/documents/port%2Fberths.md").header("content-type", "text/markdown");
    let added = stand.send(put.body(Body::from(text)).unwrap()).await.ok();
    assert_eq!(added["documents"], json!({ "added": 1, "replaced": 0, "unchanged": 0 }));
    let first = stand.get("/v1/documents?limit=2").await.ok();
    assert_eq!(first["documents"][0]["key"], "port/berths.md");
    assert_eq!(first["next"], "ships/aurelia");
    let rest = stand.get("/v1/documents?limit=2&after=ships/aurelia").await.ok();
    assert_eq!(rest["documents"], json!([{ "key": "ships/norby", "passages": 1 }]));
    assert_eq!(rest.get("next"), None);
    let mut read = stand.get("/v1/documents/port%2Fberths.md?tokens=1").await.ok();
    let mut text = read["text"].as_str().unwrap().to_owned();
    while let Some(next) = read["next"].as_str() {
        read = stand.get(&format!("/v1/documents/port%2Fberths.md?tokens=1&from={next}")).await.ok();
        text.push_str(read["text"].as_str().unwrap());
    }
    assert!(text.contains("ferries") && text.contains("Crane two"), "{text}");
    let delete = || request(Method::DELETE, "/v1/documents/port%2Fberths.md").body(Body::empty()).unwrap();
    assert_eq!(stand.send(delete()).await.ok()["documents"], 1);
    assert_eq!(stand.send(delete()).await.problem(404).0, "not_found");
    assert_eq!(stand.get("/v1/stats").await.ok()["documents"], 2);
}

#[tokio::test]
async fn contexts_searches_and_checks_are_answered() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let packed = stand.post("/v1/context", &json!({ "question": "Who founded the Norby yard?" })).await.ok();
    assert!(packed["text"].as_str().unwrap().contains("Ida Holm"), "{packed:#}");
    let found = stand.post("/v1/search", &json!({ "question": "Norby yard", "passages": 1 })).await.ok();
    assert_eq!(found["passages"].as_array().unwrap().len(), 1, "{found:#}");
    assert_eq!(stand.post("/v1/verify", &json!({})).await.ok()["violations"], json!([]));
    stand.post("/v1/compact", &json!({})).await.ok();
    assert_eq!(stand.get("/healthz").await.ok()["status"], "ok");
    let ready = json!({
        "version": 1,
        "status": "ok",
        "collections": { "entities": "ready", "relations": "ready", "passages": "ready" },
    });
    assert_eq!(stand.get("/readyz").await.ok(), ready);
    let metrics = stand.get("/metrics").await.text();
    assert!(
        metrics.contains(r#"quiver_requests_total{method="POST",path="/v1/search",status="200"} 1"#),
        "{metrics}"
    );
    assert!(metrics.contains(r#"quiver_stage_duration_seconds_count{stage="expand"} 1"#), "{metrics}");
}

#[tokio::test]
async fn an_export_is_imported_as_it_was() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let export = stand.get("/v1/export?vectors=true").await;
    assert_eq!(export.headers["content-type"], "application/x-ndjson");
    let other = Stand::new().await;
    let import = request(Method::POST, "/v1/import").header("content-type", "application/x-ndjson");
    let imported = other.send(import.body(Body::from(export.body.clone())).unwrap()).await.ok();
    assert_eq!(imported["passages"], 2);
    assert_eq!(other.get("/v1/export?vectors=true").await.text(), export.text());
}

#[tokio::test]
async fn what_is_wrong_is_named_with_its_place() {
    let stand = Stand::new().await;
    let ship = "019ab300-0000-7000-8000-000000000000";
    for (path, body, place) in [
        ("/v1/ask", json!({ "question": " " }), "question"),
        ("/v1/ask", json!({ "question": "Who?", "passages": 0 }), "passages"),
        ("/v1/ask", json!({ "question": "Who?", "hops": 11 }), "hops"),
        ("/v1/ask", json!({ "question": "Who?", "confidence_min": 1.5 }), "confidence_min"),
        ("/v1/ask", json!({ "question": "Who?", "profile": "slow" }), "profile"),
        ("/v1/ask", json!({ "question": "Who?", "as_of": "soon" }), "as_of"),
        ("/v1/ask", json!({ "question": "Who?", "as_of": i64::MAX }), "as_of"),
        ("/v1/ask", json!({ "question": "Who?", "without": [ship, "norby"] }), "without[1]"),
        ("/v1/ask", json!({ "question": "Who?", "without": vec![ship; 101] }), "without"),
        ("/v1/ask", json!({ "question": "Who?", "meanings": { "who": "norby" } }), "meanings.who"),
        ("/v1/ask", json!({ "question": "Who?", "meanings": "norby" }), "meanings"),
        ("/v1/ask", json!({ "question": "Who?", "pinned": ["norby"] }), "pinned[0]"),
        ("/v1/ask", json!({ "question": "Who?", "pinned": vec![ship; 21] }), "pinned"),
        ("/v1/ask", json!({ "question": ["Who?"] }), "question"),
        ("/v1/ask", json!({ "question": "Who?", "limit": 3 }), "limit"),
        ("/v1/ask", json!({}), "body"),
        ("/v1/recall", json!({ "question": "Who?", "as_of": "soon" }), "as_of"),
        ("/v1/remember", json!({ "turns": [] }), "turns"),
        ("/v1/remember", json!({ "turns": [{ "text": "It rains." }, { "text": "" }] }), "turns[1].text"),
        ("/v1/remember", json!({ "turns": [{ "text": "It rains.", "time": "soon" }] }), "turns[0].time"),
        (
            "/v1/documents",
            json!({ "documents": [{ "key": "a", "text": "A." }, { "key": "a", "text": "B." }] }),
            "documents[1].key",
        ),
        ("/v1/documents", json!({ "documents": [{ "key": "a", "text": 1 }] }), "documents[0].text"),
        ("/v1/forget", json!({}), "body"),
    ] {
        let (code, named, detail) = stand.post(path, &body).await.problem(400);
        assert_eq!((code.as_str(), named.as_str()), ("invalid", place), "{path} {body}: {detail}");
    }
    assert_eq!(stand.get("/v1/facts").await.problem(400).1, "query");
    assert_eq!(stand.get("/v1/documents?limit=0").await.problem(400).1, "limit");
    assert_eq!(stand.get("/v1/nothing").await.problem(404).0, "not_found");
    assert_eq!(stand.get("/v1/ask").await.problem(405).0, "method_not_allowed");
}

#[tokio::test]
async fn clients_of_openai_are_answered_with_citations() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let user = |text: &str| json!({ "role": "user", "content": text });
    let asked = json!({ "model": "gpt-4o", "temperature": 0.2, "messages": [
        { "role": "system", "content": "Be brief." },
        user("Who founded the Norby yard?"),
    ] });
    let reply = stand.post("/v1/chat/completions", &asked).await;
    let reply: Value = serde_json::from_slice(&reply.body).unwrap();
    let message = &reply["choices"][0]["message"];
    assert_eq!(
        (&message["role"], &message["content"]),
        (&json!("assistant"), &json!("Ida Holm")),
        "{reply:#}"
    );
    let cited = &message["annotations"][0]["url_citation"];
    assert_eq!((&cited["url"], &cited["end_index"]), (&json!("quiver:ships/norby"), &json!(8)), "{reply:#}");
    assert_eq!(reply["object"], "chat.completion");

    // The last question is understood from those before it, and nothing is stored.
    let followed = json!({ "messages": [
        user("Where was the Aurelia built?"),
        { "role": "assistant", "content": "At the Norby yard." },
        { "role": "user", "content": [{ "type": "text", "text": "When was it built?" }] },
    ] });
    let reply = stand.post("/v1/chat/completions", &followed).await;
    let reply: Value = serde_json::from_slice(&reply.body).unwrap();
    let content = reply["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(content.contains("1911"), "{reply:#}");
    assert_eq!(stand.get("/v1/sessions").await.ok()["sessions"], json!([]));

    let streamed = json!({ "stream": true, "messages": [user("Who founded the Norby yard?")] });
    let text = stand.post("/v1/chat/completions", &streamed).await.text();
    let pieces: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(pieces.last(), Some(&"[DONE]"), "{text}");
    let pieces: Vec<Value> =
        pieces[..pieces.len() - 1].iter().map(|piece| serde_json::from_str(piece).unwrap()).collect();
    let content: String =
        pieces.iter().filter_map(|piece| piece["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(content, "Ida Holm", "{text}");
    assert_eq!(pieces.last().unwrap()["choices"][0]["finish_reason"], "stop");
    let roles: Vec<&Value> = pieces.iter().map(|piece| &piece["choices"][0]["delta"]["role"]).collect();
    assert!(roles[0] == "assistant" && roles[1..].iter().all(|role| role.is_null()), "{text}");
    let counted = json!({
        "stream": true, "stream_options": { "include_usage": true },
        "messages": [user("Who founded the Norby yard?")],
    });
    let text = stand.post("/v1/chat/completions", &counted).await.text();
    let usage = text.lines().rev().filter_map(|line| line.strip_prefix("data: ")).nth(1).unwrap();
    let usage: Value = serde_json::from_str(usage).unwrap();
    assert_eq!((&usage["choices"], &usage["usage"]["completion_tokens"]), (&json!([]), &json!(2)), "{text}");

    let none = stand
        .post("/v1/chat/completions", &json!({ "messages": [{ "role": "system", "content": "Hi." }] }))
        .await;
    let shown: Value = serde_json::from_slice(&none.body).unwrap();
    assert_eq!(none.problem(400).1, "messages");
    // Its clients show this message only.
    assert_eq!(shown["error"]["message"], "messages: must not be blank");
    assert_eq!(
        (&shown["error"]["type"], &shown["error"]["param"]),
        (&json!("invalid_request_error"), &json!("messages"))
    );
    let other = stand.post("/v1/ask", &json!({ "question": " " })).await;
    assert_eq!(serde_json::from_slice::<Value>(&other.body).unwrap().get("error"), None);
    let models = stand.get("/v1/models").await.text();
    assert!(models.contains(r#""id":"quiver""#), "{models}");
}

#[tokio::test]
async fn a_query_reads_with_proofs_and_never_writes() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let asked = json!({
        "query": "MATCH (a {name: $name})-[r]->(b) RETURN b.name AS end ORDER BY end",
        "parameters": { "name": "Aurelia" },
        "proof": true,
    });
    let found = stand.post("/v1/query", &asked).await.ok();
    assert_eq!(found["columns"], json!(["end"]));
    assert_eq!(found["rows"], json!([{ "end": "1911" }, { "end": "Norby" }]));
    let proofs = found["proofs"].as_array().unwrap();
    assert!(proofs.len() == 2 && proofs[1][0].as_str().unwrap().contains("Norby"), "{found:#}");
    let plan = stand.post("/v1/query", &json!({ "query": "MATCH (a) RETURN a", "explain": true })).await.ok();
    assert!(!plan["plan"].as_array().unwrap().is_empty() && plan["rows"] == json!([]), "{plan:#}");
    let none = stand.post("/v1/query", &json!({ "query": "MATCH (a:Ghost) RETURN a" })).await.ok();
    assert!(none["why_empty"].as_str().unwrap().contains("Ghost"), "{none:#}");
    stand.post("/v1/query", &json!({ "query": "CREATE (:Team {name: 'x'})" })).await.problem(400);
    stand.post("/v1/query", &json!({ "query": "MATCH (a" })).await.problem(400);
    stand.post("/v1/query", &json!({ "query": " " })).await.problem(400);
}

#[tokio::test]
async fn every_metric_of_the_dashboard_is_counted() {
    // A directory has a journal.
    let directory = tempfile::tempdir().unwrap();
    let quiver = Quiver::open(directory.path().join("data")).await.unwrap();
    let jobs = std::sync::Arc::new(Jobs::open(directory.path().join("jobs")).unwrap());
    let keys = Keys::open(directory.path().join("server.keys")).unwrap();
    let config = Config { jobs: Some(jobs), ..Config::default() };
    let stand = Stand::of(Server::new(quiver, keys, config));
    stand.add_ships().await;
    stand.post("/v1/ask", &json!({ "question": "Who founded the Norby yard?" })).await.ok();
    let metrics = stand.get("/metrics").await.text();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut named = std::collections::BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            let words = query.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            named.extend(words.filter(|word| word.starts_with("quiver_")).map(str::to_owned));
        }
    }
    assert_eq!(named.len(), 13, "{named:?}");
    assert!(metrics.contains("quiver_points{collection=\"passages\"} 2\n"), "{metrics}");
    let searched = "quiver_store_call_duration_seconds_count{operation=\"search\",collection=\"passages\"} ";
    assert!(metrics.contains(searched), "{metrics}");
    let synced = "quiver_journal_syncs_total{collection=\"passages\"} ";
    assert!(metrics.contains(synced) && !metrics.contains(&format!("{synced}0\n")), "{metrics}");
    for name in named {
        let is_counted = metrics
            .lines()
            .any(|line| line.strip_prefix(&name).is_some_and(|rest| rest.starts_with([' ', '{'])));
        assert!(is_counted, "{name} is not in {metrics}");
    }
}

#[tokio::test]
async fn facts_are_listed_up_to_a_number_of_tokens_and_then_the_next_ones() {
    let stand = Stand::new().await;
    let fact = |day: usize| {
        let fact = json!({ "subject": "Mara", "predicate": "visited", "object": format!("Harbour {day}") });
        json!({ "session": "s", "text": format!("Mara visited Harbour {day}."), "facts": [fact], "time": format!("2026-03-0{day}") })
    };
    stand.post("/v1/remember", &json!({ "turns": (1..=5).map(fact).collect::<Vec<_>>() })).await.ok();
    let all = stand.get("/v1/facts?about=Mara&history=true").await.ok();
    let whole = all["facts"].as_array().unwrap().clone();
    assert_eq!((whole.len(), all.get("next")), (5, None), "{all:#}");
    let (mut paged, mut from) = (Vec::new(), String::new());
    loop {
        let part = stand.get(&format!("/v1/facts?about=Mara&history=true&tokens=25{from}")).await.ok();
        let facts = part["facts"].as_array().unwrap();
        assert!((1..5).contains(&facts.len()), "{part:#}");
        paged.extend(facts.iter().cloned());
        let Some(next) = part["next"].as_str() else { break };
        from = format!("&from={next}");
    }
    assert_eq!(paged, whole);
    // One is returned even if it is longer.
    let one = stand.get("/v1/facts?about=Mara&history=true&tokens=0").await.ok();
    assert_eq!((&one["facts"], &one["next"]), (&json!([whole[0]]), &whole[1]["id"]));
    let (code, place, _) = stand.get("/v1/facts?about=Mara&from=none").await.problem(400);
    assert_eq!((code.as_str(), place.as_str()), ("invalid", "from"));
}
