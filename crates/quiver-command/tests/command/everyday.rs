//! The normal use of each command.

use std::{
    io::{BufRead, BufReader, Read},
    process::Stdio,
};

use crate::support::{Home, Run, generated};

#[test]
fn documents_are_ingested_asked_about_and_deleted() {
    let home = Home::with_documents();
    let run = home.run(&["ask", "Who founded the yard where the Aurelia was built?", "--trace"]).expect(0);
    let place = format!("[{}]", home.key("ships/norby.txt"));
    for part in ["Ida Holm", "Path:", "Passages:", "Trace:", place.as_str(), "answering ("] {
        assert!(run.stdout.contains(part), "{part:?} is not in {run:#?}");
    }
    assert_eq!(run.stderr, "");

    let run = home.run(&["search", "Norby yard", "--passages", "1"]).expect(0);
    assert!(run.stdout.contains("  1. ") && !run.stdout.contains("  2. "), "{run:#?}");
    let (_, from) = run.stdout.split_once("\nMore passages: ").expect("there is another passage");
    let (flag, passage) = from.trim().split_once(' ').unwrap();
    let rest = home.run(&["search", "Norby yard", "--passages", "1", flag, passage]).expect(0);
    assert!(!rest.stdout.contains("More passages"), "{rest:#?}");
    let keys = ["ships/aurelia.md", "ships/norby.txt"].map(|file| home.key(file));
    let told = |run: &Run| keys.iter().filter(|key| run.stdout.contains(&format!("[{key}]"))).count();
    assert!((told(&run), told(&rest)) == (1, 1) && run.stdout != rest.stdout, "{run:#?} {rest:#?}");
    let run = home.run(&["search", "Norby yard", "--document", &keys[0]]).expect(0);
    assert!(run.stdout.contains(&keys[0]) && !run.stdout.contains(&keys[1]), "{run:#?}");
    home.run(&["ask", "Who founded the Norby yard?", "--document", &keys[0]]).expect(1);

    let run = home.run(&["documents"]).expect(0).says("2 documents");
    assert_eq!(run.stdout, home.listed(&["ships/aurelia.md", "ships/norby.txt"]));
    let run = home.run(&["stats"]).expect(0);
    assert!(run.stdout.contains("documents                 2\n"), "{run:#?}");
    let run = home.run(&["verify"]).expect(0);
    assert_eq!(run.stdout, "every reference and invariant holds\n");

    let run = home.run(&["ingest", "ships"]).expect(0);
    assert!(run.stdout.starts_with("0 documents added, 0 replaced, 2 unchanged\n"), "{run:#?}");

    let run = home.run(&["delete", "ships/norby.txt"]).expect(0);
    assert!(run.stdout.starts_with("deleted 1 document: 1 passage, "), "{run:#?}");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&["ships/aurelia.md"]));
    home.run(&["verify"]).expect(0);
}

#[test]
fn only_documents_that_pass_the_conditions_are_used() {
    let home = Home::new();
    home.write(
        "log/a.md",
        "---\ndate: 2026-03-01\nteam: ferry\npage: 7\n---\nThe harbour was open on day one.\n",
    );
    home.write("log/b.md", "---\nteam: crane\n---\nThe harbour was open on day two.\n");
    home.run(&["ingest", "log", "--source", "log"]).expect(0);
    let found = |flags: &[&str]| {
        let run = home.run(&[&["search", "When was the harbour open?", "--json"], flags].concat());
        let passages = run.json()["passages"].as_array().unwrap().clone();
        let mut keys: Vec<_> =
            passages.iter().map(|one| one["document"].as_str().unwrap().to_owned()).collect();
        keys.sort();
        keys.join(" ")
    };
    assert_eq!(found(&["--where", "team=ferry"]), "log:a.md");
    assert_eq!(found(&["--where", "team=ferry", "--where", "team=crane"]), "log:a.md log:b.md");
    assert_eq!(found(&["--where", "page=7"]), "log:a.md");
    assert_eq!(found(&["--where", "page=7", "--where", "team=crane"]), "");
    assert_eq!(found(&["--written-since", "2026-03-01"]), "log:a.md");
    assert_eq!(found(&["--written-before", "2026-03-01"]), "");
    home.run(&["search", "harbour", "--where", "team"]).expect(2).says("write KEY=VALUE");
}

#[test]
fn an_answer_shows_every_sentence_that_it_rests_on() {
    let home = Home::new();
    home.write("ships/aurelia.md", "# Aurelia\n\nThe Aurelia was built in 1911.\n");
    home.write("ships/borealis.md", "# Borealis\n\nThe Borealis was built in 1924.\n");
    home.run(&["ingest", "ships"]).expect(0);
    let question = "Which was built earlier, the Aurelia or the Borealis?";
    let run = home.run(&["ask", question]).expect(0);
    assert!(run.stdout.starts_with("Aurelia") || run.stdout.starts_with("The Aurelia"), "{run:#?}");
    let (answer, _) = run.stdout.split_once("\nPassages:").unwrap();
    for sentence in ["“The Aurelia was built in 1911.”", "“The Borealis was built in 1924.”"] {
        assert!(answer.contains(sentence), "{sentence} is not in {answer}");
    }
    let answer = home.run(&["ask", question, "--json"]).expect(0).json();
    assert_eq!(answer["citations"].as_array().unwrap().len(), 2, "{answer:#}");
}

#[test]
fn a_sentence_that_introduces_a_list_is_shown_with_it() {
    let home = Home::new();
    let modes = "# Loom\n\n## Modes\n\nThe loom supports three modes:\n\n- `plain` weaves linen\n- `twill` weaves wool\n- `satin`\n";
    home.write("loom.md", modes);
    home.run(&["ingest", "loom.md"]).expect(0);
    let run = home.run(&["ask", "How many modes does the loom support?"]).expect(0);
    let list =
        "“The loom supports three modes:”\n    - plain weaves linen\n    - twill weaves wool\n    - satin\n";
    run.prints(list);
}

#[test]
fn a_file_of_a_source_keeps_its_key_and_is_named_by_its_path() {
    let home = Home::new();
    home.write("docs/guide/start.md", "# Start\n\nThe loom starts at six.\n");
    home.write("docs/start.md", "# Start\n\nThe mill starts at seven.\n");
    home.write("docs/guide/towns.jsonl", "{\"id\": \"7\", \"text\": \"Norby is a town.\"}\n");
    home.run(&["ingest", "docs", "--source", "docs"]).expect(0);
    let before = home.run(&["documents"]).expect(0).stdout;
    assert!(
        before.contains("docs:guide/start.md\n") && before.contains("docs:guide/towns.jsonl#7\n"),
        "{before}"
    );
    home.write("docs/guide/start.md", "# Start\n\nThe loom starts at eight.\n");
    for file in ["docs/guide/start.md", "docs/start.md", "docs/guide/towns.jsonl"] {
        home.run(&["ingest", file, "--source", "docs"]).expect(0);
    }
    assert_eq!(home.run(&["documents"]).expect(0).stdout, before);
    let found = home.run(&["search", "When does the loom start?"]).expect(0).stdout;
    assert!(found.contains("at eight") && !found.contains("loom starts at six"), "{found}");
    home.write("docs/guide/towns.jsonl", "{\"id\": \"8\", \"text\": \"Visby is a town.\"}\n");
    home.run(&["ingest", "docs/guide/towns.jsonl", "--source", "docs", "--prune"]).expect(0);
    let towns = home.run(&["documents"]).expect(0).stdout;
    assert!(towns.contains("docs:guide/towns.jsonl#8\n") && !towns.contains("towns.jsonl#7"), "{towns}");

    let run = home.run(&["delete", "docs/guide/start.md"]).expect(1);
    let run = run.says("there is no document \"docs/guide/start.md\"; did you mean \"docs:guide/start.md\"");
    assert!(run.stdout.starts_with("deleted 0 documents"), "{run:#?}");
    home.run(&["ask", "When?", "--document", "docs/guide/towns.jsonl"])
        .expect(1)
        .says("\"docs:guide/towns.jsonl#8\"?");
    home.run(&["delete", "docs:guide/start.md"]).expect(0);
}

#[test]
fn a_question_is_asked_as_of_a_moment() {
    let home = Home::new();
    home.write("ships/old.md", "---\ndate: 2024-05-01\n---\nThe Norby yard is led by Ida Holm.\n");
    home.write("ships/new.md", "---\ndate: 2026-05-01\n---\nThe Norby yard is led by Bo Lind.\n");
    home.run(&["ingest", "ships"]).expect(0);
    let found = |moment: &[&str]| {
        let run = home.run(&[&["search", "Who leads the Norby yard?", "--json"], moment].concat());
        run.expect(0).json()["passages"].as_array().unwrap().len()
    };
    assert_eq!((found(&[]), found(&["--as-of", "2025-01-01"])), (2, 1));
    let run = home.run(&["ask", "Who leads the Norby yard?", "--as-of", "2025-01-01"]);
    assert!(run.stdout.contains("Ida Holm") && !run.stdout.contains("Bo Lind"), "{run:#?}");
    home.run(&["ask", "Who leads the Norby yard?", "--as-of", "soon"])
        .expect(2)
        .says("is not a date or time");
}

#[test]
fn the_meaning_of_a_name_is_chosen() {
    let home = Home::new();
    home.write("ships/ferry.md", "# Norby (ferry)\n\nThe Norby is a ferry. It was built in 1911.\n");
    home.write("ships/town.md", "# Norby (town)\n\nNorby is a town on the coast. It was built in 1640.\n");
    home.run(&["ingest", "ships"]).expect(0);
    let question = "When was Norby built?";
    let listed = home.run(&["ask", question, "--trace"]).stdout;
    let line = listed.lines().find(|line| line.ends_with("Norby (town), 1 passage about it")).expect(&listed);
    let id = line.split_whitespace().next().unwrap();
    let run = home.run(&["ask", question, "--meaning", &format!("Norby={id}")]).expect(0);
    assert!(run.stdout.contains("1640") && !run.stdout.contains("1911"), "{run:#?}");
    home.run(&["ask", question, "--meaning", "Norby"]).expect(2).says("write NAME=ENTITY");
    home.run(&["ask", question, "--meaning", &format!("Odda={id}")])
        .expect(2)
        .says("the question does not contain");
}

#[test]
fn a_refusal_says_why_and_has_its_exit_code() {
    let home = Home::with_documents();
    let run = home.run(&["ask", "Which mushrooms glow in the dark?"]).expect(1);
    assert!(run.stdout.starts_with("No answer: "), "{run:#?}");
    let document = home.run(&["ask", "Which mushrooms glow in the dark?", "--json"]).expect(1).json();
    assert!(document["answer"].is_null());
    assert!(document["refusal"]["text"].is_string());
    home.run(&["delete", "nothing"]).expect(1).says("there is no document \"nothing\"");
}

#[test]
fn every_command_prints_one_json_document_when_asked() {
    let home = Home::new();
    home.write("ship.md", "# Aurelia\n\nThe Aurelia was built at the Norby yard.\n");
    let json = |arguments: &[&str]| home.run(&[arguments, &["--json"]].concat()).expect(0).json();
    let document = json(&["ingest", "ship.md"]);
    assert_eq!(document["documents"]["added"], 1);
    assert_eq!(document["skipped"], serde_json::json!([]));
    let document = json(&["ask", "Where was the Aurelia built?", "--trace"]);
    assert!(document["answer"].as_str().unwrap().contains("Norby"), "{document:#}");
    assert_eq!(document["citations"][0]["passage"], document["passages"][0]["passage"]);
    assert!(document["trace"]["stages"].as_array().unwrap().len() >= 5);
    assert_eq!(json(&["search", "Aurelia"])["passages"][0]["document"], home.key("ship.md"));
    assert_eq!(json(&["documents"])["documents"][0]["key"], home.key("ship.md"));
    assert_eq!(json(&["stats"])["documents"], 1);
    assert_eq!(json(&["verify"])["violations"], serde_json::json!([]));
    assert_eq!(json(&["delete", &home.key("ship.md")])["documents"], 1);
    let failure = home.run(&["documents", "--json", "--path", "nowhere"]).expect(4).json();
    assert_eq!(failure["error"]["exit_code"], 4);
    assert!(failure["error"]["message"].as_str().unwrap().contains("nowhere"));
}

#[test]
fn what_is_gone_from_a_folder_is_deleted_when_asked() {
    let home = Home::with_documents();
    home.write(
        "ships/crew.jsonl",
        "{\"id\": 1, \"text\": \"Bo Lund.\"}\n{\"id\": 2, \"text\": \"Kaj Dahl.\"}\n",
    );
    home.write("elsewhere/note.txt", "Kaj Dahl lives in Bergen.\n");
    home.run(&["ingest", "ships", "elsewhere"]).expect(0);
    std::fs::remove_file(home.path("ships/norby.txt")).unwrap();
    std::fs::remove_file(home.path("elsewhere/note.txt")).unwrap();
    home.write("ships/crew.jsonl", "{\"id\": 2, \"text\": \"Kaj Dahl.\"}\n");
    home.run(&["ingest", "ships"]).expect(0);
    assert_eq!(home.run(&["documents"]).expect(0).stdout.lines().count(), 5);
    let document = home.run(&["ingest", "ships", "--prune", "--json"]).expect(0).json();
    let gone = [home.key("ships/crew.jsonl#1"), home.key("ships/norby.txt")];
    assert_eq!(document["pruned"], serde_json::json!(gone));
    let left = ["elsewhere/note.txt", "ships/aurelia.md", "ships/crew.jsonl#2"];
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&left));
    // An unreadable file is not gone.
    home.write("ships/aurelia.md", b"\xff\xff");
    home.run(&["ingest", "ships", "--prune"]).expect(3);
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&left));
    home.run(&["verify"]).expect(0);
}

#[test]
fn an_ingest_that_reads_nothing_says_so() {
    let home = Home::with_documents();
    std::fs::create_dir(home.path("empty")).unwrap();
    home.run(&["ingest", "empty"]).expect(0).says("there is no file to read in empty");
    home.run(&["ingest", "ships", "--include", "*.zzz"])
        .expect(0)
        .says("there is no file to read in ships that --include and --exclude choose");
    home.run(&["ingest", "ftp://example.org/x"]).expect(3).says("http:// and https://");
    home.run(&["ingest", "ships", "ftp://example.org/x"]).expect(3).says("http:// and https://");
    for flag in ["--include", "--exclude"] {
        let run = home.run(&["ingest", "ships", flag, "[", "--path", "new"]).expect(2);
        let run = run.says(&format!("{flag} [: ")).says("unclosed character class");
        assert!(!run.stderr.contains('!') && !home.path("new").exists(), "{run:#?}");
    }
    assert!(!home.run(&["ingest", "ships"]).expect(0).stderr.contains("no file to read"));
}

#[test]
fn a_file_that_became_empty_keeps_its_text_until_it_is_pruned() {
    let home = Home::with_documents();
    home.write("ships/page.md", "---\ntitle: Page\n---\nA page.\n");
    home.run(&["ingest", "ships"]).expect(0);
    home.write("ships/norby.txt", "");
    home.write("ships/page.md", "---\ntitle: Page\n---\n");
    let run = home.run(&["ingest", "ships"]).expect(0).prints("files without text not read (2)");
    let keys = [home.key("ships/norby.txt"), home.key("ships/page.md")];
    run.says(&format!(
        "2 documents keep their earlier text although their files have none any more: {}; --prune deletes them",
        keys.join(", ")
    ));
    // What is excluded is not empty.
    home.run(&["ingest", "ships", "--exclude", "norby.txt", "--exclude", "page.md", "--prune"]).expect(0);
    assert_eq!(home.run(&["documents"]).expect(0).stdout.lines().count(), 3);
    home.run(&["ingest", "ships", "--prune", "--dry-run"]).expect(0).prints("would delete 2 documents");
    let run = home.run(&["ingest", "ships", "--prune"]).expect(0);
    let summary = "deleted 2 documents whose files, pages or records no longer exist or have no text:\n";
    assert!(run.stdout.contains(summary) && !run.stderr.contains("earlier text"), "{run:#?}");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&["ships/aurelia.md"]));
}

#[test]
fn a_source_is_not_pruned_by_another_folder() {
    let home = Home::new();
    for number in 0..3 {
        home.write(&format!("club/page{number}.txt"), format!("Page {number} of the club."));
    }
    home.write("club/people/banned.md", "# Banned\n\nBo Lund was banned in 1931.");
    home.run(&["ingest", "club", "--source", "c2"]).expect(0);
    let before = home.export("quiver-data");
    let prune = ["ingest", "club/people", "--source", "c2", "--prune"];
    let run = home.run(&prune).expect(2).says("would delete 4 of the 4 documents of the source c2");
    run.says("club/people but in").says("club: c2:page0.txt, c2:page1.txt").says("--yes");
    assert!(home.export("quiver-data") == before, "nothing has changed");
    let dry = home.run(&["ingest", "club/people", "--source", "c2", "--prune", "--dry-run"]).expect(0);
    assert!(dry.stdout.contains("would delete 4 documents\n  c2:page0.txt\n"), "{dry:#?}");
    dry.says("of the source c2");
    // The folder may move, and files may go.
    std::fs::rename(home.path("club"), home.path("moved")).unwrap();
    std::fs::remove_file(home.path("moved/page2.txt")).unwrap();
    home.run(&["ingest", "moved", "--source", "c2", "--prune"]).expect(0).prints("  c2:page2.txt\n");
    home.run(&["ingest", "moved/people", "--source", "c2", "--prune", "--yes"]).expect(0);
    assert_eq!(home.run(&["documents"]).expect(0).stdout, "     1  c2:banned.md\n");
    home.run(&["verify"]).expect(0);
}

#[test]
fn a_source_of_several_folders_is_not_pruned_by_some_of_them() {
    let home = Home::new();
    for name in ["a/index.md", "a/one.md", "a/two.md", "b/three.md", "b/four.md", "c/five.md", "index.md"] {
        home.write(&format!("docs/{name}"), format!("# {name}\n\nA page of the club."));
    }
    // The folders as one source, of which one is missing later.
    home.run(&["ingest", "docs/a", "docs/b", "--source", "sa"]).expect(0);
    let run = home.run(&["ingest", "docs/a", "--source", "sa", "--prune"]).expect(2);
    run.says("would delete 2 of the 5 documents of the source sa")
        .says("docs/a but in")
        .says("docs/b: sa:four.md");
    home.run(&["ingest", "docs/a", "docs/b", "--source", "sa", "--prune"]).expect(0);
    // The folder around them as one source, of which only parts are named later; both have an index.
    home.run(&["ingest", "docs", "--source", "ta", "--include", "*/*.md"]).expect(0);
    let run = home.run(&["ingest", "docs/a", "docs/b", "--source", "ta", "--prune"]).expect(2);
    run.says("of the source ta").says("docs/a and").says("docs/b but in").says("docs: ta:a/index.md");
    home.run(&["ingest", "docs/c", "docs", "--source", "ua"]).expect(0);
    let prune = ["ingest", "docs/c", "--source", "ua", "--prune"];
    home.run(&prune).expect(2).says("docs: ua:");
    home.run(&[&prune[..], &["--yes"]].concat()).expect(0);
    // A file that is gone is nowhere.
    std::fs::remove_file(home.path("docs/b/four.md")).unwrap();
    home.run(&["ingest", "docs/a", "docs/b", "--source", "sa", "--prune"]).expect(0).prints("  sa:four.md\n");
    // A copy beside the folder is no part of the source.
    for folder in ["notes", "notes.bak"] {
        for number in 1..=5 {
            home.write(&format!("{folder}/{number}.md"), format!("# Note {number}\n\nThe club met."));
        }
    }
    home.run(&["ingest", "notes", "--source", "na"]).expect(0);
    for number in 1..=2 {
        std::fs::remove_file(home.path(&format!("notes/{number}.md"))).unwrap();
    }
    home.run(&["ingest", "notes", "--source", "na", "--prune"]).expect(0).prints("  na:1.md\n");
}

#[test]
fn a_database_in_a_folder_is_left_out_and_told() {
    let home = Home::with_documents();
    let run = home.run(&["ingest", "quiver-data", "--path", "other"]).expect(0);
    run.prints("0 documents added").prints("Quiver databases not read (1): quiver-data\n");
    let run = home.run(&["ingest", ".", "--path", "third", "--prefix", "x"]).expect(0);
    run.prints("Quiver databases not read (3): ./other, ./quiver-data, ./third\n")
        .prints("2 documents added");
}

#[test]
fn a_document_to_use_is_named_by_its_path_and_has_to_exist() {
    let home = Home::with_documents();
    home.run(&["search", "Norby yard", "--document", "ships/norby.txt"]).expect(0).prints("Ida Holm");
    for command in ["ask", "search"] {
        let run = home.run(&[command, "Norby yard", "--document", "nope"]).expect(1);
        run.says("there is no document \"nope\"; `quiver documents` lists them");
    }
    assert_eq!(home.run(&["list"]).expect(0).stdout, home.run(&["documents"]).expect(0).stdout);
}

#[test]
fn a_question_to_a_database_of_records_is_told_what_is_missing() {
    let home = Home::new();
    home.write("people.csv", "name,city\nAda,Bergen\n");
    home.run(&["load", "people.csv", "--label", "Person", "--key", "name"]).expect(0);
    home.run(&["ask", "Why do mushrooms glow?"]).expect(1).says("was not understood as a query over them");
}

#[test]
fn turns_are_told_apart_from_passages_of_documents() {
    let home = Home::with_documents();
    home.run(&["remember", "Ida Holm owns the Aurelia."]).expect(0);
    home.run(&["stats"]).expect(0).prints("3, including 1 turn of conversations\n");
    assert_eq!(home.run(&["stats", "--json"]).expect(0).json()["turns"], 1);
}

#[test]
fn an_export_is_imported_as_it_was() {
    let home = Home::with_documents();
    let export = home.export("quiver-data");
    home.run(&["export", "--vectors", "--output", "export.jsonl"]).expect(0);
    assert_eq!(std::fs::read_to_string(home.path("export.jsonl")).unwrap(), export);
    let document = home.run(&["import", "export.jsonl", "--path", "copy", "--json"]).expect(0).json();
    assert_eq!((&document["passages"], &document["encoded"]), (&2.into(), &0.into()));
    assert_eq!(home.export("copy"), export);

    // From standard input, and without vectors, which are computed again.
    let plain = home.run(&["export"]).expect(0).stdout;
    let path = home.write("plain.jsonl", &plain);
    let mut command = home.command(&["import", "--path", "third"]);
    let output = command.stdin(std::fs::File::open(path).unwrap()).output().unwrap();
    assert!(output.status.success());
    assert_eq!(home.run(&["export", "--path", "third"]).expect(0).stdout, plain);
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let home = Home::new();
    home.write("people.jsonl", generated(400, 1));
    home.run(&["ingest", "people.jsonl"]).expect(0);
    let mut child = home.command(&["export", "--vectors"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("quiver_dump"), "{line}");
    let status = child.wait().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn workspaces_and_prefixes_see_nothing_of_each_other() {
    let home = Home::with_documents();
    let other = ["--workspace", "other"];
    assert_eq!(home.run(&[&["documents"][..], &other].concat()).expect(0).stdout, "");
    home.run(&[&["ask", "Who founded the Norby yard?"][..], &other].concat()).expect(1);
    home.run(&[&["ingest", "ships/norby.txt"][..], &other].concat()).expect(0);
    home.run(&[&["delete", "ships/norby.txt"][..], &other].concat()).expect(0);
    assert_eq!(home.run(&["documents"]).expect(0).stdout.lines().count(), 2);
    home.run(&["documents", "--prefix", "third"]).expect(4).says("there is no database \"third\"");
    home.run(&["ingest", "ships/norby.txt", "--prefix", "third"]).expect(0);
    assert_eq!(
        home.run(&["documents", "--prefix", "third"]).expect(0).stdout,
        home.listed(&["ships/norby.txt"])
    );
}

#[test]
fn the_demo_answers_its_questions() {
    let home = Home::new();
    // Both answer all questions, each in its form.
    let kept = home.command(&["demo", "--json", "--path", "kept"]).spawn().unwrap();
    let run = home.run(&["demo"]).expect(0);
    let document = Run::of(kept.wait_with_output().unwrap()).expect(0).json();
    assert!(!home.path("quiver-data").exists(), "it leaves the user's database alone");
    let count = |beginning: &str| run.stdout.lines().filter(|line| line.starts_with(beginning)).count();
    let (right, refused) = (count("   right: "), count("   correctly refused: "));
    let asked = right + refused + count("   missed: ");
    let summary = format!("{right} of {asked} answered right, {refused} correctly refused");
    assert!(run.stdout.lines().any(|line| line == summary), "{summary:?} is not in {run:#?}");
    assert_eq!((&document["right"], &document["refused_rightly"]), (&right.into(), &refused.into()));
    let questions = document["questions"].as_array().unwrap();
    assert_eq!(questions.len(), asked);
    for question in questions.iter().filter(|question| question["verdict"] == "right") {
        let line = format!("   right: {}", question["answer"].as_str().unwrap());
        assert!(run.stdout.contains(&line), "the same in every run: {line:?} is not in {run:#?}");
    }
    // No page says it in these words, so the nearest sentences are shown, and not as the answer.
    let question = ["ask", "Who makes antixabin?", "--path", "kept"];
    let run = home.run(&question).expect(1);
    assert!(
        run.stdout.contains("The most relevant sentences, which may not answer the question:"),
        "{run:#?}"
    );
    let document = home.run(&[&question[..], &["--json"]].concat()).expect(1).json();
    assert!(
        document["answer"].is_null() && !document["found"].as_array().unwrap().is_empty(),
        "{document:#}"
    );
    home.run(&[&question[..], &["--confidence-min", "0"]].concat()).expect(0);
    home.run(&[&question[..], &["--confidence-min", "2"]].concat()).expect(2).says("from 0 to 1");
}

#[test]
fn completions_and_help_are_complete() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(home.run(&["completions", shell]).expect(0).stdout.contains("on-error"), "{shell}");
    }
    let help = home.run(&["--help"]).expect(0).stdout;
    for part in ["Exit codes:", "quiver.toml", "130  interrupted", "--workspace"] {
        assert!(help.contains(part), "{part:?} is not in {help}");
    }
}

#[test]
fn what_is_broken_is_found_and_mended() {
    let home = Home::with_documents();
    let export = home.run(&["export"]).expect(0).stdout;
    let broken: Vec<&str> =
        export.lines().filter(|line| !(line.contains("\"entities\"") && line.contains("Ida Holm"))).collect();
    assert!(broken.len() < export.lines().count());
    home.write("broken.jsonl", broken.join("\n") + "\n");
    home.run(&["import", "broken.jsonl", "--path", "broken"]).expect(0);
    let run = home.run(&["verify", "--path", "broken"]).expect(1);
    assert!(run.stdout.contains("is missing") && run.stdout.contains("--repair"), "{run:#?}");
    let document = home.run(&["verify", "--path", "broken", "--json"]).expect(1).json();
    assert!(!document["violations"].as_array().unwrap().is_empty());
    let run = home.run(&["verify", "--repair", "--path", "broken"]).expect(0);
    assert!(run.stdout.contains("repaired: "), "{run:#?}");
    home.run(&["verify", "--path", "broken"]).expect(0);
    // Another ingest reads from the documents what was dropped.
    home.run(&["ingest", "ships", "--path", "broken"]).expect(0);
    assert_eq!(home.run(&["export", "--path", "broken"]).expect(0).stdout, export);
}

#[test]
fn logs_help_and_errors_bring_no_colours_into_pipes() {
    let home = Home::with_documents();
    for arguments in [
        &["ask", "Who founded the Norby yard?"][..],
        &["ask", "Who founded the Norby yard?", "--trace"],
        &["stats", "--path", "nothing"],
        &["--help"],
        &["ask", "--no-such-flag"],
    ] {
        let mut command = home.command(arguments);
        let run = Run::of(command.env("RUST_LOG", "trace").env("TERM", "xterm-256color").output().unwrap());
        for text in [&run.stdout, &run.stderr] {
            assert!(!text.contains('\u{1b}'), "{arguments:?}: {text:.2000}");
        }
    }
}
