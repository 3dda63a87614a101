//! `quiver serve`, as clients and supervisors see it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command},
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::Home;

/// A running server.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
}

impl Server {
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        Self::of(home.command(&arguments))
    }

    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").expect("the address");
        let address = address.strip_prefix("http://").unwrap_or(address).to_owned();
        Self { child, address }
    }

    /// Sends a request, and returns the status and the JSON of the reply.
    fn send(&self, method: &str, path: &str, key: Option<&str>, body: Option<&Value>) -> (u16, Value) {
        let key = key.map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
        self.send_with(method, path, &key, body)
    }

    /// Sends a request with further lines of headers.
    fn send_with(&self, method: &str, path: &str, headers: &str, body: Option<&Value>) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let body = body.map(ToString::to_string).unwrap_or_default();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\n{headers}content-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let status = reply.split(' ').nth(1).unwrap().parse().unwrap();
        let (_, body) = reply.split_once("\r\n\r\n").unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    /// Ends the server like a supervisor, and returns its exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        let killed = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_server_answers_drains_and_keeps_what_it_was_told() {
    let home = Home::with_documents();
    let server = Server::start(&home, &[]);
    let question = json!({ "question": "Who founded the Norby yard?" });
    let (status, answer) = server.send("POST", "/v1/ask", None, Some(&question));
    assert_eq!(status, 200, "{answer:#}");
    assert!(answer["answer"].as_str().is_some_and(|text| text.contains("Ida Holm")), "{answer:#}");
    home.run(&["serve", "--check", "--listen", &server.address]).expect(0);
    let exported = home.run(&["export", "--wait", "0"]);
    assert_eq!(exported.code, Some(4), "the directory belongs to the server");
    let turns = json!({ "turns": [{ "text": "Bo runs the ferry.", "session": "s" }] });
    assert_eq!(server.send("POST", "/v1/remember", None, Some(&turns)).0, 200);

    // A request that is running when the server is told to stop is answered.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let body = question.to_string();
    let (first, rest) = body.split_at(10);
    write!(
        stream,
        "POST /v1/ask HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{first}",
        server.address,
        body.len()
    )
    .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let address = server.address.clone();
    let ended = std::thread::spawn(move || server.terminate());
    std::thread::sleep(Duration::from_millis(300));
    stream.write_all(rest.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200") && reply.contains("Ida Holm"), "{reply}");
    assert_eq!(ended.join().unwrap(), Some(0));
    home.run(&["serve", "--check", "--listen", &address]).expect(1).says("does not respond");

    let recalled = home.run(&["recall", "Who runs the ferry?", "--json"]).expect(0).json();
    assert_eq!(recalled["answer"], "Bo", "{recalled:#}");
    let printed = home.run(&["ask", "Who founded the Norby yard?", "--json"]).expect(0).json();
    // The command prints the same form.
    let fields = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!((fields(&printed), &printed["answer"]), (fields(&answer), &answer["answer"]));
}

/// Returns documents of one passage each.
fn documents(count: usize) -> Value {
    let document = |number: usize| {
        let text = format!("Ship {number} was built at the yard of Norby {number} by Ida Holm {number}.");
        json!({ "key": format!("ships/{number:05}"), "text": text })
    };
    json!({ "documents": (0..count).map(document).collect::<Vec<_>>() })
}

#[test]
fn a_job_survives_kills_of_the_server_and_every_document_is_there_once() {
    const DOCUMENTS: usize = 6000;
    let home = Home::new();
    let mut server = Server::start(&home, &[]);
    let (status, job) = server.send("POST", "/v1/jobs", None, Some(&documents(DOCUMENTS)));
    assert_eq!(status, 202, "{job:#}");
    let path = format!("/v1/jobs/{}", job["id"].as_str().unwrap());
    let mut seen = 0;
    // It is killed only after it made progress: otherwise it might do nothing but start.
    for _ in 0..3 {
        let done = loop {
            let job = server.send("GET", &path, None, None).1;
            let done = job["documents"]["done"].as_u64().unwrap();
            if done > seen || job["state"] != "running" {
                break done;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert!(done >= seen, "{done} of {seen}");
        seen = done;
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        server = Server::start(&home, &[]);
    }
    assert!((1..DOCUMENTS as u64).contains(&seen), "it was killed in the middle, at {seen}");
    let job = loop {
        let job = server.send("GET", &path, None, None).1;
        if job["state"] != "running" && job["state"] != "queued" {
            break job;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(job["state"], "done", "{job:#}");
    let counted = &job["receipt"]["documents"];
    let sum =
        ["added", "replaced", "unchanged"].map(|how| counted[how].as_u64().unwrap()).iter().sum::<u64>();
    assert_eq!(sum, DOCUMENTS as u64, "{job:#}");
    let stats = server.send("GET", "/v1/stats", None, None).1;
    assert_eq!((&stats["documents"], &stats["passages"]), (&json!(DOCUMENTS), &json!(DOCUMENTS)));
    assert_eq!(server.send("GET", "/v1/documents?limit=1", None, None).1["unfinished"], json!([]));
    assert_eq!(server.send("POST", "/v1/verify", None, None).1["violations"], json!([]));
    let kept = std::fs::read_dir(home.path("quiver-data/quiver.jobs")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(kept.iter().all(|name| !name.ends_with(".documents")), "{kept:?}");
    assert_eq!(server.terminate(), Some(0));
}

/// Starts a server that logs JSON. Its log is complete when it has ended.
fn logging(home: &Home) -> (Server, std::thread::JoinHandle<String>) {
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    command.env("RUST_LOG", "error,quiver_server=info");
    let mut server = Server::of(command);
    let mut errors = server.child.stderr.take().unwrap();
    let log = std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).unwrap();
        text
    });
    (server, log)
}

/// The events of a log. Other lines are left out.
fn events(log: &str) -> Vec<Value> {
    let lines = log.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_log_is_lines_of_json_that_name_the_request() {
    let home = Home::with_documents();
    let (server, log) = logging(&home);
    assert_eq!(server.send("GET", "/v1/stats", None, None).0, 200);
    assert_eq!(server.send("POST", "/v1/jobs", None, Some(&documents(1))).0, 202);
    while server.send("GET", "/v1/stats", None, None).1["documents"] != 3 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(server.terminate(), Some(0));
    let log = log.join().unwrap();
    let events = events(&log);
    let answered = events.iter().find(|event| event["message"] == "answered").unwrap();
    // OpenTelemetry adds more fields.
    let span = [
        ("name", "request"),
        ("method", "GET"),
        ("path", "/v1/stats"),
        ("key", "none"),
        ("workspace", "default"),
    ];
    assert!(span.iter().all(|(name, value)| answered["span"][*name] == *value), "{log}");
    assert_eq!(answered["status"], 200, "{log}");
    assert!(answered["duration_us"].as_u64().is_some(), "{log}");
    assert!(events.iter().any(|event| event["message"] == "written" && event["path"] == "/v1/jobs"), "{log}");
    assert!(
        events.iter().any(|event| event["message"] == "started" && event["span"]["name"] == "job"),
        "{log}"
    );
}

#[test]
fn the_audit_log_has_the_turns_that_are_stored_and_those_that_are_refused() {
    let home = Home::with_documents();
    let key = |role: &str| {
        let created = home.run(&["keys", "create", role, "--role", role, "--json"]).expect(0).json();
        created["key"].as_str().unwrap().to_owned()
    };
    let (reader, writer) = (key("read"), key("write"));
    let (server, log) = logging(&home);
    let question = json!({ "messages": [{ "role": "user", "content": "What is Argo CD?" }] });
    for (key, session, status) in [(&reader, "", 200), (&reader, "plans", 403), (&writer, "plans", 200)] {
        let named = if session.is_empty() { String::new() } else { format!("quiver-session: {session}\r\n") };
        let headers = format!("authorization: Bearer {key}\r\n{named}");
        let reply = server.send_with("POST", "/v1/chat/completions", &headers, Some(&question));
        assert_eq!(reply.0, status, "{:#}", reply.1);
    }
    let turns = server.send("GET", "/v1/sessions/plans/turns", Some(&reader), None).1;
    assert_eq!(turns["turns"][0]["text"], "What is Argo CD?", "{turns:#}");
    assert_eq!(server.terminate(), Some(0));
    let log = log.join().unwrap();
    let audited: Vec<String> = events(&log)
        .iter()
        .filter(|event| event["target"] == "quiver_server::audit" && event["session"] == "plans")
        .map(|event| event["message"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        matches!(&audited[..], [refused, written] if refused.starts_with("refused: ") && written == "written"),
        "{log}"
    );
}

#[test]
fn pages_of_this_machine_are_fetched_only_if_a_setting_allows_it_and_the_audit_log_has_refusals() {
    let home = Home::with_documents();
    let (server, log) = logging(&home);
    let own = json!({ "url": format!("http://{}/docs", server.address) });
    let named = json!({ "url": format!("http://{}/docs", server.address.replace("127.0.0.1", "localhost")) });
    for page in [&own, &named] {
        let (status, problem) = server.send("POST", "/v1/documents", None, Some(page));
        assert_eq!((status, &problem["place"]), (400, &json!("url")), "{problem:#}");
    }
    assert_eq!(server.terminate(), Some(0));
    let log = log.join().unwrap();
    let refused: Vec<Value> = events(&log)
        .into_iter()
        .filter(|event| event["target"] == "quiver_server::audit" && event["message"] != "written")
        .collect();
    let urls: Vec<&Value> = refused.iter().map(|event| &event["url"]).collect();
    assert_eq!(urls, [&own["url"], &named["url"]], "{log}");
    for event in &refused {
        assert_eq!(event["message"], "refused: the address is not a public one", "{log}");
        assert_eq!((&event["workspace"], &event["key"]), (&json!("default"), &json!("none")), "{log}");
        assert!(event["client"].as_str().is_some_and(|client| client.contains("127.0.0.1")), "{log}");
    }
    home.write("quiver.toml", "allow_private_addresses = true\n");
    let server = Server::start(&home, &[]);
    let page = json!({ "url": format!("http://{}/docs", server.address) });
    let (status, added) = server.send("POST", "/v1/documents", None, Some(&page));
    assert_eq!((status, &added["documents"]["added"]), (200, &json!(1)), "{added:#}");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn keys_are_created_listed_asked_for_and_revoked() {
    let home = Home::with_documents();
    let created =
        home.run(&["keys", "create", "notes", "--role", "read", "--workspaces", "default", "--json"]);
    let created = created.expect(0).json();
    let (id, key) = (created["id"].as_str().unwrap(), created["key"].as_str().unwrap());
    let listed = home.run(&["keys", "list"]).expect(0).stdout;
    assert!(listed.contains(id) && listed.contains("notes  [default]") && !listed.contains(key), "{listed}");
    let server = Server::start(&home, &[]);
    assert_eq!(server.send("GET", "/v1/stats", None, None).0, 401);
    assert_eq!(server.send("GET", "/v1/stats", Some(key), None).1["documents"], 2);
    let documents = json!({ "documents": [{ "key": "a", "text": "A." }] });
    assert_eq!(server.send("POST", "/v1/documents", Some(key), Some(&documents)).0, 403);
    home.run(&["keys", "revoke", id]).expect(0);
    home.run(&["keys", "revoke", id]).expect(1).says("there is no key");
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(server.send("GET", "/v1/stats", Some(key), None).0, 401);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_key_has_a_name_of_its_own() {
    let home = Home::new();
    home.run(&["keys", "list"]).expect(0).says("0 keys");
    home.run(&["keys", "create", "notes"]).expect(0);
    home.run(&["keys", "list"]).expect(0).says("1 key");
    home.run(&["keys", "create", "notes"]).expect(2).says("already a key \"notes\"").says("keys revoke");
    for name in ["", " "] {
        home.run(&["keys", "create", name]).expect(2).says("the name of the key is empty");
    }
    home.run(&["keys", "list"]).expect(0).says("1 key");
}

#[test]
fn a_key_file_that_is_named_has_to_exist() {
    let home = Home::new();
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["keys", "list"], &["keys", "revoke", "a"]]
    {
        home.run(&[arguments, &["--keys", "typo.keys"]].concat())
            .expect(2)
            .says("there is no key file typo.keys")
            .says("quiver keys create NAME --keys typo.keys");
    }
    #[cfg(feature = "bolt")]
    home.run(&["bolt", "127.0.0.1:0", "--keys", "typo.keys"]).expect(2).says("no key file typo.keys");
    assert!(!home.path("quiver-data").exists(), "no database is left behind");
    home.run(&["keys", "create", "me", "--keys", "new.keys"]).expect(0);
    let server = Server::start(&home, &["--keys", "new.keys"]);
    assert_eq!(server.send("GET", "/v1/stats", None, None).0, 401);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_server_that_others_can_reach_does_not_start_without_a_key() {
    let home = Home::new();
    let run = home.run(&["serve", "--listen", "0.0.0.0:0"]).expect(2).says("quiver keys create");
    assert!(run.stderr.contains("--insecure"), "{run:#?}");
    home.write("server.keys", "{}");
    home.run(&["serve", "--keys", "server.keys", "--listen", "127.0.0.1:0"])
        .expect(2)
        .says("is not a key file");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    home.run(&["serve", "--listen", &address, "--path", "new"])
        .expect(2)
        .says("choose another address with --listen");
    assert!(!home.path("new").exists(), "a port that is taken leaves no database behind");
}

#[cfg(target_os = "linux")]
#[test]
fn the_demo_is_opened_in_a_browser_and_leaves_nothing() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::new();
    let opener = home.write(
        "bin/xdg-open",
        "#!/bin/sh\nprintf %s \"$1\" >\"$HOME/new\" && mv \"$HOME/new\" \"$HOME/opened\"\n",
    );
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = home.command(&["demo", "--open"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", home.path("bin").display()));
    let server = Server::of(command);
    let opened = home.path("opened");
    let waited = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        opened.exists()
    });
    assert!(waited, "no browser was opened");
    assert_eq!(std::fs::read_to_string(&opened).unwrap(), format!("http://{}", server.address));
    let (_, examples) = server.send("GET", "/v1/examples", None, None);
    let first = examples["questions"][0].as_str().unwrap().to_owned();
    let (status, answer) = server.send("POST", "/v1/ask", None, Some(&json!({ "question": first })));
    assert_eq!((status, answer["answer"].is_string()), (200, true), "{answer:#}");
    assert_eq!(server.terminate(), Some(0));
    assert!(!home.path("quiver-data").exists() && !home.path("demo-data").exists());
}
