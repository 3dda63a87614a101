//! A directory that one process works on for a long time while others use it.

use std::{
    fs,
    io::Write as _,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crate::support::{Home, Run, generated};

#[test]
fn others_ask_remember_and_ingest_while_a_long_ingest_goes_on() {
    let home = Home::with_documents();
    home.write("people.jsonl", generated(60, 9));
    home.write("more/harbour.txt", "The harbour of Bergen was built by Olav Lund.\n");
    // It continues until its standard input ends.
    let mut command = home.command(&["ingest", "people.jsonl", "-", "--stdin-as", "jsonl"]);
    let mut ingest = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = ingest.stdin.take().unwrap();
    writeln!(input, "{{\"id\": \"first\", \"text\": \"The Fjord was built in Narvik.\"}}").unwrap();
    let socket = home.path("quiver-data/quiver.sock");
    let until = Instant::now() + Duration::from_secs(30);
    while !socket.exists() {
        assert!(Instant::now() < until, "it serves nobody");
        thread::sleep(Duration::from_millis(10));
    }
    // A process that needed the directory would be told that another one has it.
    let run = |arguments: &[&str]| {
        let arguments = [arguments, &["--wait", "0"]].concat();
        Run::of(home.command(&arguments).output().unwrap())
    };
    run(&["ask", "Who founded the Norby yard?"]).expect(0).prints("Ida Holm");
    run(&["remember", "Mara works at Tidewater.", "--session", "kitchen"]).expect(0);
    run(&["recall", "Where does Mara work?"]).expect(0).prints("Tidewater");
    run(&["ingest", "more"]).expect(0);
    run(&["ask", "Who built the harbour of Bergen?"]).expect(0).prints("Olav Lund");
    run(&["delete", "more/harbour.txt"]).expect(0);
    run(&["export"]).expect(4);
    assert!(ingest.try_wait().unwrap().is_none(), "it has ended too early");
    writeln!(input, "{{\"id\": \"last\", \"text\": \"The Skerry was built in Tromso by Una Berg.\"}}")
        .unwrap();
    drop(input);
    Run::of(ingest.wait_with_output().unwrap()).expect(0);
    assert!(!socket.exists(), "it is left behind");

    home.run(&["ask", "Who built the Skerry?"]).expect(0).prints("Una Berg");
    home.run(&["recall", "Where does Mara work?"]).expect(0).prints("Tidewater");
    home.run(&["verify"]).expect(0);
    let listed = home.run(&["documents"]).expect(0).stdout;
    assert!(!listed.contains("harbour"), "{listed}");
    assert_eq!(listed.lines().count(), 2 + 60 + 2, "{listed}");
}

/// Waits until something is there.
fn until(what: &str, mut is_there: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_mins(1);
    while !is_there() {
        assert!(Instant::now() < until, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_ingest_goes_on_when_the_process_that_has_the_directory_ends() {
    for is_killed in [false, true] {
        let home = Home::new();
        let ingest = |name: &str| {
            let arguments = ["ingest", "-", "--stdin-as", "jsonl", "--source", name];
            home.command(&arguments).stdin(Stdio::piped()).spawn().unwrap()
        };
        let mut first = ingest("first");
        let socket = home.path("quiver-data/quiver.sock");
        until("it serves nobody", || socket.exists());
        let mut second = ingest("second");
        let mut input = second.stdin.take().unwrap();
        // More than are sent at once.
        let documents = |numbers: std::ops::Range<usize>| -> String {
            numbers.map(|number| format!("{{\"id\": {number}, \"text\": \"Page {number}.\"}}\n")).collect()
        };
        input.write_all(documents(0..260).as_bytes()).unwrap();
        until("nothing is sent", || home.run(&["documents", "--wait", "0"]).stdout.lines().count() == 250);
        let mut own = first.stdin.take().unwrap();
        if is_killed {
            first.kill().unwrap();
        } else {
            own.write_all(documents(0..1).as_bytes()).unwrap();
        }
        drop(own);
        let first = Run::of(first.wait_with_output().unwrap());
        assert!(is_killed || first.code == Some(0), "{first:#?}");
        input.write_all(documents(260..270).as_bytes()).unwrap();
        drop(input);
        let run = Run::of(second.wait_with_output().unwrap()).expect(0);
        // A killed process may not have told what it had written.
        assert!(is_killed || run.stdout.starts_with("270 documents added"), "{run:#?}");
        assert!(is_killed || !socket.exists(), "it is left behind");
        assert_eq!(home.run(&["documents"]).expect(0).stdout.lines().count(), 270 + usize::from(!is_killed));
        home.run(&["verify"]).expect(0);
    }
}

#[test]
fn an_ingest_that_is_killed_leaves_a_socket_that_holds_nobody_up() {
    let home = Home::with_documents();
    let mut command = home.command(&["ingest", "-", "--stdin-as", "jsonl"]);
    let mut ingest = command.stdin(Stdio::piped()).spawn().unwrap();
    let socket = home.path("quiver-data/quiver.sock");
    let until = Instant::now() + Duration::from_secs(30);
    while !socket.exists() {
        assert!(Instant::now() < until, "it serves nobody");
        thread::sleep(Duration::from_millis(10));
    }
    ingest.kill().unwrap();
    ingest.wait().unwrap();
    assert!(fs::exists(&socket).unwrap());
    home.run(&["ask", "Who founded the Norby yard?"]).expect(0).prints("Ida Holm");
}

#[cfg(feature = "mcp")]
#[test]
fn agents_reach_a_directory_that_an_application_shares_and_commands_get_their_turn() {
    let home = Home::with_documents();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = runtime.block_on(async {
        let client = quiver_server::Client::open(home.path("quiver-data")).await.unwrap();
        client.remember(["Mara works at Tidewater."]).await.unwrap();
        client
    });
    let mut agent = crate::mcp::Client::start(&home, &["mcp", "--wait", "0"]);
    let known = agent.call("recall", &serde_json::json!({ "question": "Where does Mara work?" }));
    assert_eq!(known["answer"], "Tidewater", "{known:#}");
    agent.end();
    // A command opens the directory itself once the application has not used it for a moment.
    let recalled = home.run(&["recall", "Where does Mara work?", "--wait", "60"]);
    recalled.expect(0).prints("Tidewater");
    let answered = runtime.block_on(client.ask("Who founded the Norby yard?")).unwrap();
    assert_eq!(answered.answer.as_deref(), Some("Ida Holm"));
    runtime.block_on(client.close());
    assert!(!home.path("quiver-data/quiver.sock").exists(), "it is left behind");
}
