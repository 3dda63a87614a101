//! `--json`: every exit prints one document.

use serde_json::Value;

use crate::support::{Home, Run};

/// Returns the failure in a run's document.
fn failure(run: &Run) -> Value {
    run.json()["error"]["exit_code"].clone()
}

#[test]
fn every_exit_prints_one_document() {
    let home = Home::with_documents();
    home.write("turns.jsonl", "{\"text\": \"Ida Holm owns the Aurelia.\", \"session\": \"s\"}\n");
    home.write("broken.toml", "nonsense");
    home.write("bad.jsonl", "nonsense\n");
    home.run(&["remember", "--from", "turns.jsonl", "--json"]).expect(0).json();
    for (code, arguments) in [
        (2, &["--json"][..]),
        (2, &["--json", "nonsense"]),
        (2, &["ask", "--json"]),
        (2, &["ask", "x", "--passages", "many", "--json"]),
        (2, &["ask", " ", "--json"]),
        (2, &["stats", "--json", "--config", "broken.toml"]),
        (2, &["stats", "--json", "--config", "nowhere.toml"]),
        (2, &["export", "--json"]),
        (2, &["forget", "--json"]),
        (2, &["sessions", "--archive", "s", "--json"]),
        (2, &["remember", "--json"]),
        (2, &["ingest", "ships", "--json", "--source", "/"]),
        (2, &["stats", "--json", "--prefix", "../x"]),
        (2, &["stats", "--json", "--url", "http://user:secret@localhost:1"]),
        (1, &["forget", "--session", "nobody's", "--json"]),
        (1, &["sessions", "--archive", "nobody's", "--keep", "1", "--json"]),
        (3, &["import", "bad.jsonl", "--json"]),
        (3, &["import", "nowhere.jsonl", "--json"]),
        (3, &["remember", "--from", "bad.jsonl", "--json"]),
        (4, &["stats", "--json", "--path", "nowhere"]),
        (4, &["stats", "--json", "--prefix", "mistyped"]),
    ] {
        let run = home.run(arguments).expect(code);
        assert_eq!(failure(&run), code, "{arguments:?}: {run:#?}");
        assert!(!run.stdout.contains("secret") && !run.stderr.contains("secret"), "{run:#?}");
    }
    for arguments in [
        &["--help", "--json"][..],
        &["ask", "--help", "--json"],
        &["--version", "--json"],
        &["completions", "bash", "--json"],
        &["export", "--output", "export.jsonl", "--json"],
        &["sessions", "--archive", "s", "--keep", "1", "--json"],
        &["forget", "--session", "s", "--json"],
        &["documents", "--json"],
        &["demo", "--json"],
    ] {
        assert!(home.run(arguments).expect(0).json().get("error").is_none(), "{arguments:?}");
    }
    assert!(!home.path("x").exists() && !home.path("../x_passages").exists());
}

#[test]
#[cfg(unix)]
fn a_signal_prints_one_document() {
    use std::{process::Command, thread, time::Duration};

    let home = Home::with_documents();
    assert!(Command::new("mkfifo").arg(home.path("pipe")).status().unwrap().success());
    for signal in ["-INT", "-TERM"] {
        // It waits for a writer to the pipe.
        let child = home.command(&["import", "pipe", "--json"]).spawn().unwrap();
        thread::sleep(Duration::from_millis(1500));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let run = Run::of(child.wait_with_output().unwrap()).expect(130);
        assert_eq!(failure(&run), 130);
    }
}

#[test]
fn an_import_goes_on_after_a_bad_line_when_asked() {
    let home = Home::with_documents();
    let export = home.run(&["export"]).expect(0).stdout;
    let mut lines: Vec<&str> = export.lines().collect();
    lines.insert(2, "nonsense");
    let deep = format!(
        "{{\"collection\":\"passages\",\"id\":\"{}\",\"payload\":{{\"metadata\":{{\"x\":{}1{}}}}}}}",
        "00000000-0000-0000-0000-000000000000",
        "[".repeat(40),
        "]".repeat(40)
    );
    lines.insert(4, &deep);
    home.write("bad.jsonl", lines.join("\n") + "\n");
    home.run(&["import", "bad.jsonl", "--path", "first"]).expect(3).says("line 3 of the export");
    let run =
        home.run(&["import", "bad.jsonl", "--path", "second", "--on-error", "skip", "--json"]).expect(3);
    let run = run.says("line 3 of the export").says("line 5 of the export");
    assert_eq!(run.json()["skipped"].as_array().unwrap().len(), 2);
    assert_eq!(home.run(&["export", "--path", "second"]).expect(0).stdout, export);
}
