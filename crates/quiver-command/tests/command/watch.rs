//! A watched folder.

use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use crate::support::{Home, Run};

const FOLLOW: [&str; 6] = ["watch", "docs", "--every", "0.2", "--wait", "60"];

/// Waits until the documents are these.
fn until(home: &Home, names: &[&str]) {
    let expected = home.listed(names);
    let began = Instant::now();
    loop {
        let run = home.run(&["documents", "--wait", "60"]);
        if run.code == Some(0) && run.stdout == expected {
            return;
        }
        assert!(began.elapsed() < Duration::from_mins(2), "{names:?} is not in {run:#?}");
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn what_happens_to_files_happens_to_documents_until_it_is_asked_to_end() {
    let home = Home::new();
    home.write("docs/aurelia.md", "The Aurelia was built at the Norby yard in 1911.");
    home.write("docs/old/norby.txt", "The Norby yard was founded by Ida Holm.");
    home.write("elsewhere/gone.txt", "Gone since.");
    home.run(&["ingest", "elsewhere"]).expect(0);
    let mut child = home.command(&FOLLOW).spawn().unwrap();
    until(&home, &["docs/aurelia.md", "docs/old/norby.txt", "elsewhere/gone.txt"]);
    home.write(
        "docs/records.jsonl",
        "{\"id\": 1, \"text\": \"Bo Lund bought it.\"}\n{\"id\": 2, \"text\": \"Ada sold it.\"}\n",
    );
    until(
        &home,
        &[
            "docs/aurelia.md",
            "docs/old/norby.txt",
            "docs/records.jsonl#1",
            "docs/records.jsonl#2",
            "elsewhere/gone.txt",
        ],
    );
    // A record and a folder are deleted, a file is renamed, and another one has a new text.
    home.write("docs/records.jsonl", "{\"id\": 2, \"text\": \"Ada sold it.\"}\n");
    fs::rename(home.path("docs/old"), home.path("docs/new")).unwrap();
    home.write("docs/aurelia.md", "The Aurelia was broken up at Hull in 1958.");
    until(&home, &["docs/aurelia.md", "docs/new/norby.txt", "docs/records.jsonl#2", "elsewhere/gone.txt"]);
    home.run(&["search", "Where was the Aurelia broken up?", "--wait", "60"]).prints("Hull");
    fs::remove_file(home.path("docs/aurelia.md")).unwrap();
    until(&home, &["docs/new/norby.txt", "docs/records.jsonl#2", "elsewhere/gone.txt"]);
    // A missing disk does not mean that everything was deleted.
    fs::rename(home.path("docs"), home.path("away")).unwrap();
    thread::sleep(Duration::from_secs(2));
    until(&home, &["docs/new/norby.txt", "docs/records.jsonl#2", "elsewhere/gone.txt"]);
    assert!(child.try_wait().unwrap().is_none(), "it is still there");
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let run = Run::of(child.wait_with_output().unwrap()).expect(0);
    assert!(run.stderr.contains("watching docs until Ctrl-C"), "{run:#?}");
    assert!(run.stderr.contains("docs does not exist; waiting for it, and deleting nothing"), "{run:#?}");
    assert!(run.stdout.contains("2 documents added, 0 replaced, 0 unchanged"), "{run:#?}");
    assert!(
        run.stdout
            .contains("deleted 1 document whose files, pages or records no longer exist or have no text:"),
        "{run:#?}"
    );
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let home = Home::new();
    home.write("a.txt", "a");
    for name in ["a.txt", "missing"] {
        let run = home.run(&["watch", name]).expect(3);
        assert!(run.stderr.contains("there is no such folder"), "{run:#?}");
    }
}
