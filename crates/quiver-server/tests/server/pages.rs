//! Web pages that the server fetches. The checks of addresses themselves are tested in quiver-web.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use axum::{
    body::Body,
    http::{Method, StatusCode},
};
use quiver::Quiver;
use quiver_server::{Config, Jobs, Keys, Role, Server};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::sleep};

use crate::support::{Stand, json as request_json, request};

/// A site on this machine, which counts its connections and keeps the statuses of its replies. Pages have an `ETag`.
struct Site {
    address: String,
    pages: Pages,
    connections: Arc<Mutex<usize>>,
    replies: Replies,
}

/// Pages by their paths.
type Pages = Arc<Mutex<HashMap<String, String>>>;
/// The statuses with their paths, as `304 /page`.
type Replies = Arc<Mutex<Vec<String>>>;

impl Site {
    /// Starts a site of these pages: the path, and the body or a redirect (`-> /path`). The path `/slow` does not
    /// answer in time.
    fn start(pages: &[(&str, &str)]) -> Self {
        let pages = pages.iter().map(|(path, page)| ((*path).to_owned(), (*page).to_owned())).collect();
        let (pages, replies): (Pages, Replies) = (Arc::new(Mutex::new(pages)), Arc::default());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let connections: Arc<Mutex<usize>> = Arc::default();
        let (served, kept, counted) = (Arc::clone(&pages), Arc::clone(&replies), Arc::clone(&connections));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                *counted.lock().unwrap() += 1;
                let (pages, replies) = (served.lock().unwrap().clone(), Arc::clone(&kept));
                // The client may have disconnected.
                thread::spawn(move || drop(answer(stream, &pages, &replies)));
            }
        });
        Self { address, pages, connections, replies }
    }

    /// Changes a page.
    fn set(&self, path: &str, page: &str) {
        self.pages.lock().unwrap().insert(path.to_owned(), page.to_owned());
    }

    /// Returns the replies since the last call, without those about `robots.txt`.
    fn replies(&self) -> Vec<String> {
        let mut replies = std::mem::take(&mut *self.replies.lock().unwrap());
        replies.retain(|reply| !reply.ends_with("/robots.txt"));
        replies
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

fn answer(mut stream: TcpStream, pages: &HashMap<String, String>, replies: &Replies) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut known = String::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some(tag) = line.to_ascii_lowercase().strip_prefix("if-none-match: ") {
            tag.clone_into(&mut known);
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    if path == "/slow" {
        thread::sleep(Duration::from_secs(20));
    }
    let page = pages.get(path).map(String::as_str);
    let (head, body) = match page.map(|page| page.strip_prefix("-> ").ok_or(page)) {
        Some(Ok(target)) => (format!("302 Found\r\nLocation: {target}"), ""),
        Some(Err(page)) if known == tag(page) => ("304 Not Modified".to_owned(), ""),
        Some(Err(page)) => (format!("200 OK\r\nContent-Type: text/html\r\nETag: {}", tag(page)), page),
        None => ("404 Not Found".to_owned(), ""),
    };
    replies.lock().unwrap().push(format!("{} {path}", head.split(' ').next().unwrap_or_default()));
    write!(stream, "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// Returns the `ETag` of a page, which is another one if the page changes its length.
fn tag(page: &str) -> String {
    format!("\"{}\"", page.len())
}

const SHIP: &str = "<title>Aurelia</title><meta name=date content=2026-03-01>\
    <h1>Aurelia</h1><p>The Aurelia was built at the Norby yard in 1911.</p>";

fn allowing() -> Config {
    Config { allow_private_addresses: true, ..Config::default() }
}

/// Waits until a job has ended.
async fn ended(stand: &Stand, id: &str) -> Value {
    for _ in 0..4000 {
        let job = stand.get(&format!("/v1/jobs/{id}")).await.ok();
        if job.get("ended").is_some() {
            return job;
        }
        sleep(Duration::from_millis(5)).await;
    }
    panic!("the job does not end");
}

async fn post_job(stand: &Stand, body: &Value) -> String {
    let reply = stand.post("/v1/jobs", body).await;
    assert_eq!(reply.status, StatusCode::ACCEPTED, "{}", reply.text());
    let job: Value = serde_json::from_slice(&reply.body).unwrap();
    job["id"].as_str().unwrap().to_owned()
}

async fn keys_of(stand: &Stand) -> Vec<String> {
    let listed = stand.get("/v1/documents").await.ok();
    let documents = listed["documents"].as_array().unwrap().iter();
    documents.map(|document| document["key"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_page_is_added_by_its_address() {
    let site = Site::start(&[("/old", "-> /ship"), ("/ship", SHIP)]);
    let stand = Stand::with(allowing()).await;
    let added = stand.post("/v1/documents", &json!({ "url": site.url("/old") })).await.ok();
    assert_eq!(added["documents"], json!({ "added": 1, "replaced": 0, "unchanged": 0 }));
    assert_eq!(keys_of(&stand).await, [site.url("/ship")], "the key is the address after redirects");
    let key: String = form_urlencoded::byte_serialize(site.url("/ship").as_bytes()).collect();
    let opened = stand.get(&format!("/v1/documents/{key}")).await.ok();
    assert_eq!(opened["title"], "Aurelia");
    let found = stand.post("/v1/search", &json!({ "question": "Where was the Aurelia built?" })).await.ok();
    assert_eq!(found["passages"][0]["document"], site.url("/ship"), "{found:#}");
    let again = stand.post("/v1/documents", &json!({ "url": site.url("/ship#top") })).await.ok();
    assert_eq!(again["documents"], json!({ "added": 0, "replaced": 0, "unchanged": 1 }));
}

#[tokio::test]
async fn a_page_that_has_not_changed_is_not_sent_again() {
    let site = Site::start(&[("/old", "-> /ship"), ("/ship", SHIP)]);
    let stand = Stand::with(allowing()).await;
    let add = async |url: String| stand.post("/v1/documents", &json!({ "url": url })).await.ok();
    let receipt = |added: usize, replaced: usize, unchanged: usize| json!({ "added": added, "replaced": replaced, "unchanged": unchanged });
    assert_eq!(add(site.url("/old")).await["documents"], receipt(1, 0, 0));
    assert_eq!(site.replies(), ["302 /old", "200 /ship"]);
    // The key is the address after redirects, so the page is known by either address.
    assert_eq!(add(site.url("/old")).await["documents"], receipt(0, 0, 1));
    assert_eq!(site.replies(), ["302 /old", "304 /ship"]);
    assert_eq!(add(site.url("/ship")).await["documents"], receipt(0, 0, 1));
    assert_eq!(site.replies(), ["304 /ship"]);
    let job = ended(&stand, &post_job(&stand, &json!({ "url": site.url("/ship") })).await).await;
    assert_eq!((&job["state"], &job["receipt"]["documents"]), (&json!("done"), &receipt(0, 0, 1)), "{job:#}");
    assert_eq!(job["documents"], json!({ "done": 1, "total": 1 }));
    assert_eq!(site.replies(), ["304 /ship"]);
    site.set("/ship", &SHIP.replace("1911", "1912, in spring"));
    assert_eq!(add(site.url("/ship")).await["documents"], receipt(0, 1, 0));
    assert_eq!(site.replies(), ["200 /ship"]);
    let found = stand.post("/v1/search", &json!({ "question": "When was the Aurelia built?" })).await.ok();
    assert!(found["passages"][0]["text"].as_str().unwrap().contains("1912"), "{found:#}");
}

#[tokio::test]
async fn only_the_own_workspace_knows_a_page_and_a_text_under_its_address_is_no_page() {
    let site = Site::start(&[("/ship", SHIP)]);
    let names: [&[&str]; 2] = [&["a"], &["b"]];
    let (stand, keys) = Stand::with_keys_and(allowing(), &names.map(|names| (Role::Write, names))).await;
    let add = async |key: &str, body: Value| {
        let mut request = request_json(Method::POST, "/v1/documents", &body);
        request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
        stand.send(request).await.ok()["documents"].take()
    };
    let page = json!({ "url": site.url("/ship") });
    for key in &keys {
        assert_eq!(add(key, page.clone()).await["added"], 1);
    }
    assert_eq!(site.replies(), ["200 /ship", "200 /ship"]);
    let text = json!({ "documents": [{ "key": site.url("/ship"), "text": "The Aurelia was sold." }] });
    assert_eq!(add(&keys[0], text).await["replaced"], 1);
    assert_eq!(add(&keys[0], page).await["replaced"], 1);
    assert_eq!(site.replies(), ["200 /ship"]);
}

#[tokio::test]
async fn a_page_named_twice_is_refused_even_if_it_has_not_changed() {
    let site = Site::start(&[("/ship", SHIP), ("/same", "-> /ship")]);
    let stand = Stand::with(allowing()).await;
    stand.post("/v1/documents", &json!({ "url": site.url("/ship") })).await.ok();
    let body = json!({ "documents": [{ "url": site.url("/ship") }, { "url": site.url("/same") }] });
    let (_, place, detail) = stand.post("/v1/documents", &body).await.problem(400);
    assert!(place == "documents[1].url" && detail.contains("keys must be unique"), "{place}: {detail}");
    let job = ended(&stand, &post_job(&stand, &body).await).await;
    assert_eq!(job["receipt"]["documents"]["unchanged"], 1, "{job:#}");
    assert!(job["receipt"]["skipped"][0].as_str().unwrap().contains("fetched before"), "{job:#}");
}

#[tokio::test]
async fn pages_and_documents_are_added_together_or_not_at_all() {
    let site = Site::start(&[("/ship", SHIP), ("/empty", "-> /ship")]);
    let stand = Stand::with(allowing()).await;
    let text = json!({ "key": "ferry", "text": "The ferry leaves at nine." });
    let both = json!({ "documents": [text, { "url": site.url("/ship") }] });
    assert_eq!(stand.post("/v1/documents", &both).await.ok()["documents"]["added"], 2);
    let stand = Stand::with(allowing()).await;
    for (page, status, said) in
        [(site.url("/missing"), 422, "404 Not Found"), (site.url("/empty"), 400, "keys must be unique")]
    {
        let body = json!({ "documents": [text, { "url": site.url("/ship") }, { "url": page }] });
        let (code, place, detail) = stand.post("/v1/documents", &body).await.problem(status);
        assert_eq!(code, if status == 422 { "unfetched" } else { "invalid" });
        assert!(place == "documents[2].url" && detail.contains(said), "{place}: {detail}");
    }
    assert_eq!(keys_of(&stand).await, Vec::<String>::new());
}

#[tokio::test]
async fn addresses_that_are_not_public_are_refused_before_anything_is_requested() {
    let site = Site::start(&[("/", SHIP)]);
    let stand = Stand::new().await;
    let port = site.address.rsplit(':').next().unwrap();
    let hosts =
        ["127.0.0.1", "2130706433", "0x7f000001", "0177.1", "[::ffff:127.0.0.1]", "[::1]", "10.0.0.1"];
    for host in hosts {
        let url = format!("http://{host}:{port}/");
        for path in ["/v1/documents", "/v1/jobs"] {
            let (code, place, detail) = stand.post(path, &json!({ "url": url })).await.problem(400);
            assert_eq!((code.as_str(), place.as_str()), ("invalid", "url"), "{url}");
            assert!(
                detail.contains("not a public one") && detail.contains("allow_private_addresses"),
                "{detail}"
            );
            let several = json!({ "documents": [{ "key": "a", "text": "A." }, { "url": url }] });
            assert_eq!(stand.post(path, &several).await.problem(400).1, "documents[1].url", "{url}");
        }
    }
    // The address of a name is known only when it is fetched.
    let named = json!({ "url": format!("http://localhost:{port}/") });
    let (code, place, detail) = stand.post("/v1/documents", &named).await.problem(400);
    assert_eq!((code.as_str(), place.as_str()), ("invalid", "url"), "{detail}");
    assert!(detail.contains("not a public one") && !detail.contains("127.0.0.1"), "{detail}");
    let job = ended(&stand, &post_job(&stand, &named).await).await;
    assert_eq!((&job["state"], &job["error"]["code"]), (&json!("failed"), &json!("unfetched")), "{job:#}");
    assert!(job["error"]["detail"].as_str().unwrap().contains("not a public one"), "{job:#}");
    assert_eq!(site.connections(), 0);
    assert_eq!(keys_of(&stand).await, Vec::<String>::new());
}

#[tokio::test]
async fn what_names_no_page_is_refused() {
    let stand = Stand::with(allowing()).await;
    for (body, place) in [
        (json!({}), "body"),
        (json!({ "url": null }), "url"),
        (json!({ "url": "" }), "url"),
        (json!({ "url": "example.org/page" }), "url"),
        (json!({ "url": "file:///etc/passwd" }), "url"),
        (json!({ "url": "http://user:secret@localhost/" }), "url"),
        (json!({ "url": "http://localhost/", "documents": [] }), "body"),
        (json!({ "documents": [{ "url": "http://localhost/", "text": "A." }] }), "documents[0]"),
        (json!({ "documents": [{ "text": "A." }] }), "documents[0]"),
        (json!({ "documents": [{ "key": "a" }] }), "documents[0]"),
        (json!({ "documents": vec![json!({ "url": "http://localhost/" }); 2] }), "documents[1].url"),
    ] {
        for path in ["/v1/documents", "/v1/jobs"] {
            let (code, named, detail) = stand.post(path, &body).await.problem(400);
            assert_eq!((code.as_str(), named.as_str()), ("invalid", place), "{path} {body}: {detail}");
        }
    }
    let many: Vec<Value> =
        (0..101).map(|page| json!({ "url": format!("http://localhost/{page}") })).collect();
    let (_, place, detail) = stand.post("/v1/jobs", &json!({ "documents": many })).await.problem(400);
    assert!(place == "documents" && detail.contains("at most 100 addresses"), "{place}: {detail}");
}

#[tokio::test]
async fn the_size_and_the_time_of_pages_are_limited() {
    let long = "word ".repeat(20_001);
    let site = Site::start(&[("/long", &long), ("/half", &long[..60_000]), ("/half2", &long[..60_000])]);
    let limits = Config { body_bytes_max: 100_000, page_time_max: Duration::from_millis(600), ..allowing() };
    let stand = Stand::with(limits).await;
    let post = async |body: Value| stand.post("/v1/documents", &body).await;
    let (code, _, detail) = post(json!({ "url": site.url("/long") })).await.problem(422);
    assert!(code == "unfetched" && detail.contains("limit of 100000 bytes"), "{detail}");
    let (code, _, detail) = post(json!({ "url": site.url("/slow") })).await.problem(422);
    assert!(code == "unfetched" && detail.contains("took too long"), "{detail}");
    let halves = json!({ "documents": [{ "url": site.url("/half") }, { "url": site.url("/half2") }] });
    let (code, place, _) = post(halves).await.problem(413);
    assert_eq!((code.as_str(), place.as_str()), ("too_large", "documents[1].url"));
    let hurried = Stand::with(Config { time_max: Duration::from_millis(300), ..allowing() }).await;
    let (_, _, detail) =
        hurried.post("/v1/documents", &json!({ "url": site.url("/slow") })).await.problem(408);
    assert!(detail.contains("POST /v1/jobs"), "{detail}");
}

#[tokio::test]
async fn a_job_fetches_pages_and_lists_those_that_it_could_not_read() {
    let site = Site::start(&[("/ship", SHIP), ("/same", "-> /ship")]);
    let stand = Stand::with(allowing()).await;
    let body = json!({ "documents": [
        { "url": site.url("/missing") },
        { "url": site.url("/ship") },
        { "key": "ferry", "text": "The ferry leaves at nine." },
        { "url": site.url("/same") },
    ] });
    let job = ended(&stand, &post_job(&stand, &body).await).await;
    assert_eq!(job["state"], "done", "{job:#}");
    assert_eq!(job["documents"], json!({ "done": 4, "total": 4 }));
    assert_eq!(job["receipt"]["documents"]["added"], 2);
    let skipped: Vec<&str> =
        job["receipt"]["skipped"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert!(
        matches!(&skipped[..], [missing, same] if missing.contains("404") && same.contains("fetched before")),
        "{job:#}"
    );
    assert_eq!(keys_of(&stand).await, ["ferry".to_owned(), site.url("/ship")]);
    let failed = ended(&stand, &post_job(&stand, &json!({ "url": site.url("/missing") })).await).await;
    assert_eq!((&failed["state"], &failed["error"]["code"]), (&json!("failed"), &json!("unfetched")));
    assert_eq!(failed["receipt"]["skipped"].as_array().unwrap().len(), 1, "{failed:#}");
}

#[tokio::test]
async fn a_job_that_waits_for_a_page_is_cancelled_at_once() {
    let site = Site::start(&[("/ship", SHIP)]);
    let stand = Stand::with(allowing()).await;
    let body = json!({ "documents": [{ "url": site.url("/ship") }, { "url": site.url("/slow") }] });
    let id = post_job(&stand, &body).await;
    while stand.get(&format!("/v1/jobs/{id}")).await.ok()["document"] != site.url("/slow") {
        sleep(Duration::from_millis(5)).await;
    }
    let delete = request(Method::DELETE, &format!("/v1/jobs/{id}")).body(Body::empty()).unwrap();
    stand.send(delete).await.ok();
    let cancelled_at = std::time::Instant::now();
    let job = ended(&stand, &id).await;
    assert!(cancelled_at.elapsed() < Duration::from_secs(5), "{:?}", cancelled_at.elapsed());
    assert_eq!(job["state"], "cancelled", "{job:#}");
    assert_eq!(job["documents"], json!({ "done": 1, "total": 2 }));
    assert_eq!(keys_of(&stand).await, [site.url("/ship")]);
}

#[tokio::test]
async fn a_server_that_is_started_again_fetches_the_page_that_the_last_one_waited_for() {
    let pages = Arc::new(Mutex::new("/slow"));
    // The site answers the second time.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/late", listener.local_addr().unwrap());
    let answers = Arc::clone(&pages);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answers = Arc::clone(&answers);
            thread::spawn(move || {
                let first = BufReader::new(stream.try_clone().unwrap()).lines().next().unwrap().unwrap();
                if first.contains("/late") && *answers.lock().unwrap() == "/slow" {
                    thread::sleep(Duration::from_secs(20));
                }
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{SHIP}",
                    SHIP.len()
                );
            });
        }
    });
    let directory = tempfile::tempdir().unwrap();
    let quiver = Quiver::in_memory().await.unwrap();
    let begin = || {
        let jobs = Some(Arc::new(Jobs::open(directory.path()).unwrap()));
        let keys = Keys::open(directory.path().join("none")).unwrap();
        Server::new(quiver.clone(), keys, Config { jobs, ..allowing() })
    };
    let server = begin();
    let stand = Stand::of(server.clone());
    let (end, told) = oneshot::channel::<()>();
    let network = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let served = tokio::spawn(async move {
        let told = async { drop(told.await) };
        server.serve(network, told).await;
    });
    let body =
        json!({ "documents": [{ "key": "ferry", "text": "The ferry leaves at nine." }, { "url": url }] });
    let id = post_job(&stand, &body).await;
    while stand.get(&format!("/v1/jobs/{id}")).await.ok()["document"] != url {
        sleep(Duration::from_millis(5)).await;
    }
    end.send(()).unwrap();
    served.await.unwrap();
    let job = stand.get(&format!("/v1/jobs/{id}")).await.ok();
    assert_eq!((&job["state"], &job["documents"]["done"]), (&json!("queued"), &json!(1)), "{job:#}");
    drop(stand);

    *pages.lock().unwrap() = "";
    let server = begin();
    let stand = Stand::of(server.clone());
    let network = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    tokio::spawn(async move { server.serve(network, std::future::pending()).await });
    let job = ended(&stand, &id).await;
    assert_eq!((&job["state"], &job["documents"]["done"]), (&json!("done"), &json!(2)), "{job:#}");
    assert_eq!(keys_of(&stand).await, ["ferry".to_owned(), url]);
}

#[tokio::test]
async fn a_page_is_added_to_the_workspace_of_the_key_alone() {
    let site = Site::start(&[("/ship", SHIP)]);
    let allowing = allowing();
    let (stand, keys) =
        Stand::with_keys_and(allowing, &[(Role::Write, &["a"]), (Role::Write, &["b"]), (Role::Read, &["a"])])
            .await;
    let send = async |key: usize, mut request: axum::http::Request<Body>| {
        request.headers_mut().insert("authorization", format!("Bearer {}", keys[key]).parse().unwrap());
        stand.send(request).await
    };
    let add = |path: &str| request_json(Method::POST, path, &json!({ "url": site.url("/ship") }));
    for path in ["/v1/documents", "/v1/jobs"] {
        assert_eq!(send(2, add(path)).await.problem(403).0, "forbidden", "reading keys add nothing");
        let mut foreign = add(path);
        foreign.headers_mut().insert("quiver-workspace", "b".parse().unwrap());
        assert_eq!(send(0, foreign).await.problem(403).1, "Quiver-Workspace");
    }
    assert_eq!(site.connections(), 0);
    send(0, add("/v1/documents")).await.ok();
    let list = || request(Method::GET, "/v1/documents").body(Body::empty()).unwrap();
    let listed = |reply: Value| reply["documents"].as_array().unwrap().len();
    assert_eq!(listed(send(0, list()).await.ok()), 1);
    assert_eq!(listed(send(1, list()).await.ok()), 0);
}
