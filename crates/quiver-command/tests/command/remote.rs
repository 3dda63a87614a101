//! Commands that a running server runs: over the socket in the directory it holds, and with `--server`.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    serve::Server,
    support::{Home, Run},
};

/// Runs a command with standard input.
fn run_with(mut command: Command, input: &str) -> Run {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

/// Commands for a home with documents and turns, valid and invalid ones.
const ASKED: &[&[&str]] = &[
    &["ask", "Who founded the Norby yard?"],
    &["ask", "Who founded the Norby yard?", "--json", "--passages", "1"],
    &["ask", "Who won the regatta?"],
    &["ask", " "],
    &["ask", " ", "--json"],
    &["search", "Norby yard", "--hops", "0"],
    &["search", "zzzz"],
    &["context", "Who founded the Norby yard?", "--tokens", "200", "--explain"],
    &["context", "Who?", "--weight", "nonsense"],
    &["documents"],
    &["documents", "--json"],
    &["stats", "--json"],
    &["recall", "Who runs the ferry?", "--session", "quay"],
    &["recall", "Who runs the mill?"],
    &["facts", "Bo", "--history"],
    &["facts", "Nobody"],
    &["sessions"],
    &[
        "query",
        "MATCH (a)-[r]->(b) WHERE a.name = $who RETURN b.name AS what",
        "--param",
        "who=Bo",
        "--proof",
    ],
    &["query", "MATCH (n) RETURN count(n) AS number", "--csv"],
    &["query", "MATCH (n RETURN n"],
    &["delete", "nothing.md"],
    &["forget"],
    &["forget", "--session", "quay", "--dry-run"],
    &["forget", "--about", "Nobody"],
    &["decide", "undo", "nonsense"],
];

#[test]
fn a_command_prints_the_same_whether_it_opens_the_database_or_a_server_holds_it() {
    let home = Home::with_documents();
    home.run(&["remember", "Bo runs the ferry.", "--session", "quay", "--at", "2026-03-01"]).expect(0);
    let here: Vec<Run> = ASKED.iter().map(|words| home.run(words)).collect();
    let server = Server::start(&home, &[]);
    let address = format!("http://{}", server.address);
    let elsewhere = Home::new();
    for (words, here) in ASKED.iter().zip(&here) {
        let over_socket = home.run(&[words, &["--wait", "0"][..]].concat());
        let over_network = elsewhere.run(&[words, &["--server", &address][..]].concat());
        let in_place_of_path = elsewhere.run(&[words, &["--path", &address][..]].concat());
        for there in [over_socket, over_network, in_place_of_path] {
            assert_eq!((there.code, &there.stdout), (here.code, &here.stdout), "{words:?}: {there:#?}");
            assert_eq!(there.stderr, here.stderr, "{words:?}");
        }
    }
    let with_password = elsewhere.run(&["stats", "--path", "http://me:secret@localhost:1"]).expect(2);
    assert!(with_password.stderr.contains("in path contains") && !with_password.stderr.contains("secret"));
    assert_eq!(server.terminate(), Some(0));
    assert!(!home.path("quiver-data/quiver.sock").exists());
}

#[test]
fn what_is_written_over_a_server_is_there_when_it_has_ended() {
    let home = Home::with_documents();
    let server = Server::start(&home, &[]);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(home.path("quiver-data/quiver.sock")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
    home.run(&["remember", "Bo runs the ferry.", "--session", "quay"]).expect(0).says("remembered 1 turn");
    home.write(
        "turns.jsonl",
        "{\"text\": \"Ann owns the crane.\", \"session\": \"quay\"}\n{\"text\": \"Cid works at Tidewater.\"}\n",
    );
    home.run(&["remember", "--from", "turns.jsonl"]).expect(0).says("remembered 2 turns");
    let asked = run_with(home.command(&["recall", "Who owns the crane?", "--json"]), "").expect(0).json();
    assert_eq!(asked["answer"], "Ann", "{asked:#}");
    home.write("port/berths.md", "# Berths\n\nBerth nine is for ferries.\n");
    home.write("port/tides.md", "# Tides\n\nThe spring tide comes at noon.\n");
    let ingested = home.run(&["ingest", "port"]).expect(0);
    assert!(ingested.stdout.starts_with("2 documents added, 0 replaced, 0 unchanged"), "{ingested:#?}");
    std::fs::remove_file(home.path("port/tides.md")).unwrap();
    let again = home.run(&["ingest", "port", "--prune", "--json"]).expect(0).json();
    assert_eq!(again["pruned"], serde_json::json!([home.key("port/tides.md")]), "{again:#}");
    assert_eq!(again["documents"]["unchanged"], 1, "{again:#}");
    // A path at the caller names the document.
    home.run(&["delete", "ships/aurelia.md"]).expect(0);
    let query = home.command(&["query", "-"]);
    let counted = run_with(query, "MATCH (p:Passage) RETURN count(p) AS number").expect(0);
    assert!(counted.stdout.ends_with("5\n"), "{counted:#?}");
    let questions = "Who founded the Norby yard?\nWhere was it founded?\n/quit\n";
    let held = run_with(home.command(&["chat", "--session", "tour"]), questions).expect(0);
    assert!(held.stdout.contains("Ida Holm"), "{held:#?}");
    home.run(&["forget", "--session", "quay"]).expect(0);
    assert_eq!(server.terminate(), Some(0));
    let sessions = home.run(&["sessions"]).expect(0).stdout;
    assert!(sessions.contains("2  tour") && !sessions.contains("quay"), "{sessions}");
    assert_eq!(
        home.run(&["documents"]).expect(0).stdout,
        home.listed(&["port/berths.md", "ships/norby.txt"])
    );
    home.run(&["verify"]).expect(0);
}

/// More documents than are sent at once, all of which mention the same two people.
#[test]
fn an_ingest_in_several_requests_counts_what_it_refers_to_once() {
    let lines: String = (0..251)
        .map(|number| json!({ "id": format!("note-{number}"), "text": format!("Note {number}: Ann Lee met Bo Ray.") }))
        .map(|line| format!("{line}\n"))
        .collect();
    let home = Home::new();
    home.write("notes.jsonl", lines);
    let here = home.run(&["ingest", "notes.jsonl", "--source", "notes", "--path", "alone"]).expect(0);
    let server = Server::start(&home, &[]);
    let there = home.run(&["ingest", "notes.jsonl", "--source", "notes"]).expect(0);
    assert_eq!(there.stdout, here.stdout);
    let stats = home.run(&["stats", "--json"]).expect(0).json();
    let told = format!("they refer to {} entities", stats["entities"]);
    assert!(there.stdout.contains(&told), "{told}: {there:#?}");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_key_is_for_its_role_and_its_workspaces_over_commands_too() {
    let home = Home::new();
    let key = |name: &str, role: &str, workspace: &str| {
        let created = ["keys", "create", name, "--role", role, "--workspaces", workspace, "--json"];
        home.run(&created).expect(0).json()["key"].as_str().unwrap().to_owned()
    };
    let (reads, writes, other) = (key("r", "read", "a"), key("w", "write", "a"), key("o", "admin", "b"));
    let server = Server::start(&home, &[]);
    let elsewhere = Home::new();
    let address = format!("http://{}", server.address);
    let run = |key: &str, words: &[&str]| {
        let mut command = elsewhere.command(&[words, &["--server", &address][..]].concat());
        Run::of(command.env("QUIVER_KEY", key).output().unwrap())
    };
    run(&writes, &["remember", "Zanzibarium belongs to Ida.", "--session", "vault"]).expect(0);
    let told = run(&reads, &["recall", "Whom does Zanzibarium belong to?", "--json"]).expect(0).json();
    assert_eq!(told["answer"], "Ida", "{told:#}");
    for words in [
        &["remember", "Zanzibarium belongs to Bo."][..],
        &["forget", "--session", "vault"],
        &["query", "MATCH (n) DETACH DELETE n"],
        &["chat"],
        &["decide", "merge", "Ida", "Bo"],
        &["decide", "rename", "Ida", "Bo"],
        &["decide", "delete", "Ida"],
        &["sessions", "--archive", "vault", "--keep", "0"],
    ] {
        run(&reads, words).expect(4).says("`read`");
    }
    run(&writes, &["verify"]).expect(4).says("requires `admin`");
    run("", &["stats"]).expect(4);
    run("qv_nonsense", &["stats"]).expect(4).says("unknown or revoked");
    // The key for `b` neither reveals nor changes anything in the workspace `a`.
    let export = || {
        let sessions = run(&writes, &["sessions", "--json"]).expect(0).stdout;
        sessions + &run(&writes, &["facts", "Ida", "--json"]).expect(0).stdout
    };
    let before = export();
    for words in [
        &["ask", "Whom does Zanzibarium belong to?"][..],
        &["search", "Zanzibarium"],
        &["context", "Zanzibarium"],
        &["documents"],
        &["stats"],
        &["recall", "Whom does Zanzibarium belong to?"],
        &["facts", "Zanzibarium", "--history"],
        &["sessions"],
        &["query", "MATCH (n) OPTIONAL MATCH (n)-[r]->(m) RETURN n, r, m"],
        &["query", "MATCH (n) DETACH DELETE n"],
        &["chat", "--session", "vault"],
        &["remember", "The vault is empty.", "--session", "vault"],
        &["forget", "--session", "vault"],
        &["forget", "--about", "Zanzibarium"],
        &["sessions", "--archive", "vault", "--keep", "0"],
        &["delete", "vault"],
        &["decide", "values", "belongs to", "many"],
        &["decide", "rename", "Zanzibarium", "Ivory"],
        &["decide", "delete", "Zanzibarium"],
        &["decide", "list"],
        &["verify"],
        &["compact"],
    ] {
        let run = run(&other, words);
        assert!(run.code.is_some_and(|code| code <= 4), "{words:?}: {run:#?}");
        assert!(!run.stdout.contains("Ida") && !run.stderr.contains("Ida"), "{words:?}: {run:#?}");
        assert_eq!(export(), before, "{words:?}");
        let named = elsewhere
            .command(&[words, &["--server", &address, "--workspace", "a"][..]].concat())
            .env("QUIVER_KEY", &other)
            .output()
            .unwrap();
        Run::of(named).expect(4).says("not valid for the workspace");
    }
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_server_that_was_killed_leaves_the_directory_to_the_next_command() {
    let home = Home::with_documents();
    let mut server = Server::start(&home, &[]);
    home.run(&["remember", "Bo runs the ferry.", "--session", "quay"]).expect(0);
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    assert!(home.path("quiver-data/quiver.sock").exists());
    let told = home.run(&["recall", "Who runs the ferry?", "--json"]).expect(0).json();
    assert_eq!(told["answer"], "Bo", "{told:#}");
    // The next server replaces the dead socket.
    let server = Server::start(&home, &[]);
    assert_eq!(home.run(&["stats", "--json", "--wait", "0"]).expect(0).json()["documents"], 2);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn what_no_server_does_says_what_does_it() {
    let home = Home::with_documents();
    let server = Server::start(&home, &[]);
    let address = format!("http://{}", server.address);
    for words in [
        &["export"][..],
        &["ask", "Who?", "--html", "a.html"],
        &["load", "x.csv", "--label", "A", "--key", "a"],
        &["ingest", "ships", "--dry-run"],
    ] {
        home.run(&[words, &["--server", &address][..]].concat()).expect(2).says("over --server");
    }
    home.run(&["ask", "Who?", "--server", &address, "--chat", "none"])
        .expect(2)
        .says("can't be used over a server");
    home.run(&["ask", "Who?", "--server", &address, "--path", "x"]).expect(2);
    home.run(&["ask", "Who?", "--server", "ftp://127.0.0.1:9"]).expect(4).says("https://");
    home.run(&["ask", "Who?", "--server", "https://127.0.0.1:9"]).expect(4).says("does not respond");
    home.run(&["ask", "Who?", "--server", "http://127.0.0.1:9"]).expect(4).says("does not respond");
    let secure = address.replace("http://", "https://");
    home.run(&["ask", "Who?", "--server", &secure]).expect(4).says("it seems to speak plain HTTP");
    let failure: Value =
        home.run(&["ask", "Who?", "--json", "--server", "http://127.0.0.1:9"]).expect(4).json();
    assert_eq!(failure["error"]["exit_code"], 4, "{failure:#}");
    assert_eq!(server.terminate(), Some(0));
}

/// A server with a certificate from an authority that only those trust who are told to.
#[test]
fn commands_go_over_https_to_a_server_that_they_trust() {
    let home = Home::with_documents();
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../quiver-server/tests/tls");
    let file = |name: &str| format!("{tests}/{name}");
    let (certificate, key) = (file("first.pem"), file("first.key.pem"));
    home.run(&["serve", "--tls-cert", &certificate]).expect(2).says("--tls-key");
    let wrong = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--tls-cert",
        &certificate,
        "--tls-key",
        &file("second.key.pem"),
    ];
    home.run(&wrong).expect(2).says("second.key.pem");
    let server = Server::start(&home, &["--tls-cert", &certificate, "--tls-key", &key]);
    let address = server.address.strip_prefix("https://").unwrap();
    home.run(&["serve", "--check", "--listen", address, "--tls-cert", &certificate, "--tls-key", &key])
        .expect(0);
    let other = (file("second.pem"), file("second.key.pem"));
    home.run(&["serve", "--check", "--listen", address, "--tls-cert", &other.0, "--tls-key", &other.1])
        .expect(1)
        .says("another certificate");
    home.run(&["serve", "--check", "--listen", address]).expect(1);
    let elsewhere = Home::new();
    let named = format!("https://localhost:{}", address.rsplit_once(':').unwrap().1);
    let ask = |server: &str| {
        elsewhere.command(&["ask", "Who founded the Norby yard?", "--json", "--server", server])
    };
    Run::of(ask(&named).output().unwrap()).expect(4).says("SSL_CERT_FILE");
    for address in [&named, &server.address] {
        let asked = ask(address).env("SSL_CERT_FILE", file("authority.pem")).output().unwrap();
        assert_eq!(Run::of(asked).expect(0).json()["answer"], "Ida Holm");
    }
    assert_eq!(server.terminate(), Some(0));
}
