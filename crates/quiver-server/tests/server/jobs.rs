//! Ingests that continue after the reply, however they and the server end.

use std::{fs, path::Path, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{Method, StatusCode},
};
use quiver::Quiver;
use quiver_server::{Config, Jobs, Keys, Role, Server};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::oneshot, time::sleep};

use crate::support::{Stand, json as request_json, request};

/// Returns documents of one passage each.
fn documents(count: usize) -> Value {
    let document = |number: usize| {
        let text = format!("Ship {number} was built at the yard of Norby {number} by Ida Holm {number}.");
        json!({ "key": format!("ships/{number:05}"), "text": text })
    };
    json!({ "documents": (0..count).map(document).collect::<Vec<_>>() })
}

async fn post(stand: &Stand, documents: &Value) -> String {
    let reply = stand.post("/v1/jobs", documents).await;
    assert_eq!(reply.status, StatusCode::ACCEPTED, "{}", reply.text());
    let job: Value = serde_json::from_slice(&reply.body).unwrap();
    let id = job["id"].as_str().unwrap().to_owned();
    assert_eq!(reply.headers["location"], format!("/v1/jobs/{id}"));
    assert_eq!(job["documents"]["total"], documents["documents"].as_array().unwrap().len());
    id
}

async fn cancel(stand: &Stand, id: &str) -> Value {
    let delete = request(Method::DELETE, &format!("/v1/jobs/{id}")).body(Body::empty()).unwrap();
    stand.send(delete).await.ok()
}

/// Waits until a job meets a condition.
async fn when(stand: &Stand, id: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..6000 {
        let job = stand.get(&format!("/v1/jobs/{id}")).await.ok();
        if is_so(&job) {
            return job;
        }
        sleep(Duration::from_millis(5)).await;
    }
    panic!("it never is so: {:#}", stand.get(&format!("/v1/jobs/{id}")).await.ok());
}

fn has_ended(job: &Value) -> bool {
    ["done", "cancelled", "failed"].contains(&job["state"].as_str().unwrap())
}

/// Returns the extensions of the files in a directory of jobs.
fn kinds(directory: &Path) -> Vec<String> {
    let names = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let mut kinds: Vec<String> =
        names.filter_map(|name| Some(name.to_str()?.split_once('.')?.1.to_owned())).collect();
    kinds.sort();
    kinds
}

#[tokio::test]
async fn documents_are_added_after_the_reply() {
    let stand = Stand::new().await;
    let id = post(&stand, &documents(3)).await;
    let job = when(&stand, &id, has_ended).await;
    assert_eq!(job["state"], "done", "{job:#}");
    assert_eq!(job["documents"], json!({ "done": 3, "total": 3 }));
    assert_eq!(job["receipt"]["documents"], json!({ "added": 3, "replaced": 0, "unchanged": 0 }));
    assert!(
        job["begun"].as_i64() >= job["created"].as_i64() && job["ended"].as_i64() >= job["begun"].as_i64()
    );
    assert_eq!(stand.get("/v1/stats").await.ok()["documents"], 3);
    let again = post(&stand, &documents(3)).await;
    let job = when(&stand, &again, has_ended).await;
    assert_eq!(job["receipt"]["documents"]["unchanged"], 3, "{job:#}");
    let listed = stand.get("/v1/jobs").await.ok();
    let ids: Vec<&str> =
        listed["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [again.as_str(), id.as_str()]);
    assert!(listed["jobs"][0].get("receipt").is_none(), "{listed:#}");
    assert_eq!(kinds(&stand.jobs()), ["journal", "journal"], "what was ingested is kept nowhere else");
    let metrics = stand.get("/metrics").await.text();
    for counted in ["quiver_jobs{state=\"queued\"} 0", "quiver_jobs_ended_total{state=\"done\"} 2"] {
        assert!(metrics.contains(counted), "{metrics}");
    }
    cancel(&stand, &id).await;
    assert_eq!(stand.get(&format!("/v1/jobs/{id}")).await.problem(404).0, "not_found");
    assert_eq!(kinds(&stand.jobs()), ["journal"]);
}

#[tokio::test]
async fn a_stream_tells_how_far_a_job_is() {
    let stand = Stand::new().await;
    let id = post(&stand, &documents(3000)).await;
    let stream = stand.get(&format!("/v1/jobs/{id}/events")).await;
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    let text = stream.text();
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    let forms: Vec<Value> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(names.last(), Some(&"job"), "{text}");
    assert!(names.len() > 2 && names[..names.len() - 1].iter().all(|name| *name == "progress"), "{text}");
    let done: Vec<u64> = forms.iter().map(|form| form["documents"]["done"].as_u64().unwrap()).collect();
    assert!(done.is_sorted() && done.last() == Some(&3000), "{done:?}");
    assert!(done.iter().any(|done| (1..3000).contains(done)), "{done:?}");
    assert!(forms.iter().any(|form| form["document"].as_str().is_some()), "{text}");
    assert_eq!(forms.last().unwrap()["receipt"]["documents"]["added"], 3000);
    // A client that asks later is told at once.
    let late = stand.get(&format!("/v1/jobs/{id}/events")).await.text();
    assert_eq!(late.matches("event: ").count(), 1, "{late}");
}

#[tokio::test]
async fn a_cancelled_job_leaves_whole_documents_and_one_that_waits_leaves_none() {
    let stand = Stand::new().await;
    let first = post(&stand, &documents(3000)).await;
    let other = json!({ "documents": [{ "key": "other", "text": "The ferry leaves at nine." }] });
    let second = post(&stand, &other).await;
    assert_eq!(cancel(&stand, &second).await["state"], "cancelled");
    when(&stand, &first, |job| job["documents"]["done"] != 0).await;
    let told = cancel(&stand, &first).await;
    assert!(told["state"] == "cancelling" || told["state"] == "cancelled", "{told:#}");
    let job = when(&stand, &first, has_ended).await;
    assert_eq!(job["state"], "cancelled", "{job:#}");
    let done = job["documents"]["done"].as_u64().unwrap();
    assert!((1..3000).contains(&done), "{job:#}");
    assert_eq!(job["receipt"]["documents"]["added"], done);
    let listed = stand.get("/v1/documents?limit=1000").await.ok();
    assert_eq!(listed["unfinished"], json!([]));
    assert_eq!(stand.get("/v1/stats").await.ok()["documents"], done);
    assert_eq!(stand.post("/v1/verify", &json!({})).await.ok()["violations"], json!([]));
    assert_eq!(kinds(&stand.jobs()), ["journal", "journal"]);
    // The workspace is free for the next one.
    let third = post(&stand, &other).await;
    assert_eq!(when(&stand, &third, has_ended).await["state"], "done");
}

#[tokio::test]
async fn what_is_wrong_with_a_job_is_said_before_it_is_taken() {
    let config = Config { jobs_waiting_max: 1, body_bytes_max: 1 << 20, ..Config::default() };
    let stand = Stand::with(config).await;
    let twice = json!({ "documents": [{ "key": "a", "text": "A." }, { "key": "a", "text": "B." }] });
    assert_eq!(stand.post("/v1/jobs", &twice).await.problem(400).1, "documents[1].key");
    let mut deep = json!({});
    (0..70).for_each(|_| deep = json!({ "x": deep }));
    let deep = json!({ "documents": [{ "key": "a", "text": "A.", "metadata": deep }] });
    assert_eq!(stand.post("/v1/jobs", &deep).await.problem(400).1, "documents[0].metadata");
    let long = json!({ "documents": [{ "key": "a", "text": "x".repeat(2 << 20) }] });
    assert_eq!(stand.post("/v1/jobs", &long).await.problem(413).0, "too_large");
    assert_eq!(kinds(&stand.jobs()), Vec::<String>::new());
    let id = post(&stand, &documents(3000)).await;
    let refused = stand.post("/v1/jobs", &documents(1)).await;
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(refused.problem(429).0, "too_many_requests");
    cancel(&stand, &id).await;
    when(&stand, &id, has_ended).await;
    post(&stand, &documents(1)).await;
    for path in ["/v1/jobs/none", "/v1/jobs/none/events", "/v1/jobs/..%2f..%2fetc"] {
        assert_eq!(stand.get(path).await.problem(404).0, "not_found");
    }
    let keys = Keys::open(stand.jobs().join("none")).unwrap();
    let without = Server::new(Quiver::in_memory().await.unwrap(), keys, Config::default());
    let without = Stand::of(without);
    let (_, _, detail) = without.post("/v1/jobs", &documents(1)).await.problem(404);
    assert!(detail.contains("--jobs"), "{detail}");
}

#[tokio::test]
async fn jobs_are_asked_for_with_read_and_made_and_cancelled_with_write() {
    let (stand, keys) = Stand::with_keys(&[(Role::Read, &["a"]), (Role::Write, &["a"])]).await;
    let send = async |key: usize, mut request: axum::http::Request<Body>| {
        request.headers_mut().insert("authorization", format!("Bearer {}", keys[key]).parse().unwrap());
        stand.send(request).await
    };
    let post = || request_json(Method::POST, "/v1/jobs", &documents(1));
    assert_eq!(send(0, post()).await.problem(403).0, "forbidden");
    let taken: Value = serde_json::from_slice(&send(1, post()).await.body).unwrap();
    let path = format!("/v1/jobs/{}", taken["id"].as_str().unwrap());
    let with = |method: Method, path: &str| request(method, path).body(Body::empty()).unwrap();
    send(0, with(Method::GET, "/v1/jobs")).await.ok();
    send(0, with(Method::GET, &path)).await.ok();
    assert_eq!(send(0, with(Method::GET, &format!("{path}/events"))).await.status, 200);
    assert_eq!(send(0, with(Method::DELETE, &path)).await.problem(403).0, "forbidden");
    send(1, with(Method::DELETE, &path)).await.ok();
}

/// A server over an existing database, with the jobs of a directory.
struct Begun {
    stand: Stand,
    end: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<()>,
}

impl Begun {
    async fn begin(quiver: &Quiver, directory: &Path) -> Self {
        let jobs = Some(Arc::new(Jobs::open(directory).unwrap()));
        let keys = Keys::open(directory.join("none")).unwrap();
        let server = Server::new(quiver.clone(), keys, Config { jobs, ..Config::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (end, told) = oneshot::channel::<()>();
        let serving = server.clone();
        let served = tokio::spawn(async move {
            let told = async {
                let _ = told.await;
            };
            serving.serve(listener, told).await;
        });
        Self { stand: Stand::of(server), end, served }
    }

    async fn end(self) {
        self.end.send(()).unwrap();
        self.served.await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_is_started_again_goes_on_where_the_last_one_was_told_to_end() {
    let directory = tempfile::tempdir().unwrap();
    let quiver = Quiver::in_memory().await.unwrap();
    let begun = Begun::begin(&quiver, directory.path()).await;
    let id = post(&begun.stand, &documents(3000)).await;
    let waiting = post(&begun.stand, &json!({ "documents": [{ "key": "last", "text": "It rains." }] })).await;
    when(&begun.stand, &id, |job| job["documents"]["done"] != 0).await;
    assert!(Jobs::open(directory.path()).unwrap_err().to_string().contains("another server"));
    begun.end().await;
    let done = quiver.stats().await.unwrap().documents;
    assert!((1..3000).contains(&done), "{done}");

    let begun = Begun::begin(&quiver, directory.path()).await;
    let job = when(&begun.stand, &id, has_ended).await;
    assert_eq!(job["documents"], json!({ "done": 3000, "total": 3000 }), "{job:#}");
    assert_eq!(job["receipt"]["documents"], json!({ "added": 3000, "replaced": 0, "unchanged": 0 }));
    when(&begun.stand, &waiting, has_ended).await;
    let stats = begun.stand.get("/v1/stats").await.ok();
    assert_eq!(stats["documents"], 3001);
    // Each is counted once, whichever server saw it.
    let (entities, relations) = (&job["receipt"]["entities"], &job["receipt"]["relations"]);
    let whole = Quiver::in_memory().await.unwrap();
    let other = tempfile::tempdir().unwrap();
    let at_once = Begun::begin(&whole, other.path()).await;
    let twin = post(&at_once.stand, &documents(3000)).await;
    let twin = when(&at_once.stand, &twin, has_ended).await;
    assert_eq!((entities, relations), (&twin["receipt"]["entities"], &twin["receipt"]["relations"]));
    at_once.end().await;
    begun.end().await;

    // A completed job is reported as before.
    let begun = Begun::begin(&quiver, directory.path()).await;
    assert_eq!(begun.stand.get(&format!("/v1/jobs/{id}")).await.ok(), job);
    begun.end().await;
}

#[tokio::test]
async fn what_a_kill_left_of_a_job_is_gone_on_with_deleted_or_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    let taken = |documents: usize| {
        let header =
            json!({ "version": 1, "workspace": "default", "key": "", "created": 1, "documents": documents });
        format!("{}\n", json!({ "taken": header }))
    };
    let body = documents(2).to_string();
    // Not acknowledged: the second file is missing or incomplete.
    write("000.documents", &body);
    write("001.documents", &body[..9]);
    write("001.journal", &taken(2)[..30]);
    write("002.new", "");
    // An unfinished line.
    write("003.documents", &body);
    write("003.journal", &format!("{}{}{}", taken(2), "{\"begun\":{\"at\":2}}\n", "{\"progr"));
    // Cancelled, then killed.
    write("004.documents", &body);
    write("004.journal", &format!("{}{}", taken(2), "\"cancelled\"\n"));
    // Crashes the server each time.
    write("005.documents", &body);
    write("005.journal", &format!("{}{}", taken(2), "{\"begun\":{\"at\":2}}\n".repeat(5)));
    // Its documents were deleted.
    write("006.journal", &taken(2));
    // From a later version.
    write("007.journal", "{\"taken\":{\"version\":2}}\n");
    let quiver = Quiver::in_memory().await.unwrap();
    let begun = Begun::begin(&quiver, directory.path()).await;
    let mut states = Vec::new();
    for id in ["003", "004", "005", "006"] {
        let job = when(&begun.stand, id, has_ended).await;
        states.push((job["state"].as_str().unwrap().to_owned(), job["error"]["code"].clone()));
    }
    let expected = [
        ("done", Value::Null),
        ("cancelled", Value::Null),
        ("failed", json!("interrupted")),
        ("failed", json!("internal")),
    ];
    assert_eq!(states, expected.map(|(state, code)| (state.to_owned(), code)));
    assert_eq!(begun.stand.get("/v1/jobs").await.ok()["jobs"].as_array().unwrap().len(), 4);
    assert_eq!(quiver.stats().await.unwrap().documents, 2);
    begun.end().await;
    assert_eq!(kinds(directory.path()), ["journal"; 5]);
}
