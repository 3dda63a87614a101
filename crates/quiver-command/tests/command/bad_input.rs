//! Unreadable files, and the messages about them.

use std::{fs, time::Instant};

use crate::support::{Home, Run, generated};

#[test]
fn a_file_that_is_absent_or_locked_away_is_named() {
    let home = Home::new();
    home.run(&["ingest", "nowhere.md"]).expect(3).says("nowhere.md: there is no such file");
    home.run(&["documents"]).expect(4).says("there is no database");
    home.write("good.txt", "The Norby yard was founded by Ida Holm.");
    home.run(&["ingest", "nowhere.md", "good.txt"]).expect(3).says("nowhere.md: there is no such file");
    assert!(home.run(&["documents"]).expect(0).stdout.contains("good.txt"));
}

#[test]
fn a_number_that_can_t_be_read_is_told_with_its_option_and_the_mend() {
    let home = Home::new();
    home.run(&["ask", "Who?", "--hops", "many"])
        .expect(2)
        .says("'many' for '--hops <N>': give a whole number");
    let large = "99999999999999999999999";
    home.run(&["ask", "Who?", "--hops", large]).expect(2).says("the number is too large");
}

#[test]
fn quiet_commands_print_problems_only() {
    let home = Home::new();
    home.write("good.txt", "The Norby yard was founded by Ida Holm.");
    home.write("nodes.csv", "name\nAda\n");
    let load = ["load", "nodes.csv", "--label", "Person", "--key", "name", "--quiet"];
    for command in [&["ingest", "good.txt", "--quiet"][..], &load] {
        let done = home.run(command).expect(0);
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
    }
    let partly = home.run(&["ingest", "nowhere.md", "good.txt", "-q"]).expect(3);
    assert_eq!(partly.stdout, "");
    partly.says("nowhere.md: there is no such file");
}

#[test]
#[cfg(unix)]
#[ignore = "needs a user who is not root: root reads every file"]
fn a_file_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    let path = home.write("secret.txt", "Nobody may read this.");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    home.run(&["ingest", "secret.txt"]).expect(3).says("secret.txt: permission denied");
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_whose_content_can_t_be_read_is_named() {
    let home = Home::new();
    home.write("good.txt", "The Norby yard was founded by Ida Holm.");
    // It exists, anyone may open it, and reading its first byte fails.
    std::os::unix::fs::symlink("/proc/self/mem", home.path("broken.txt")).unwrap();
    home.run(&["ingest", "broken.txt", "good.txt"]).expect(3).says("broken.txt: ");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&["good.txt"]));
}

#[test]
fn bad_bytes_lines_and_texts_are_skipped_with_their_place() {
    let home = Home::new();
    home.write("mixed/latin.txt", b"The Norby yard in Malm\xf6.");
    home.write("mixed/empty.md", " \n");
    home.write("mixed/binary.bin", b"\x00\x01\x02");
    home.write(
        "mixed/lines.jsonl",
        "{\"id\": \"first\", \"text\": \"Ida Holm founded the Norby yard.\"}\n{\"text\": \n{\"id\": \"third\", \"text\": \"\
         The Aurelia was built at the Norby yard.\"}\n{\"id\": \"fourth\"}\n",
    );
    let run = home.run(&["ingest", "mixed"]).expect(3).says("latin.txt, byte 22: the text is not UTF-8");
    let run = run.says("lines.jsonl:2").says("lines.jsonl:4").says("binary.bin, byte 0: ");
    assert!(run.stdout.contains("2 documents added") && run.stdout.contains("4 skipped, as reported above"));
    // Each once, as it was typed.
    for name in ["latin.txt", "binary.bin", "lines.jsonl:2", "lines.jsonl:4"] {
        let said = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(said.matches(name).count(), 1, "{run:#?}");
        assert!(said.contains(&format!(" mixed/{name}")), "{run:#?}");
    }
    assert!(run.stdout.contains("files without text not read (1): mixed/empty.md"), "{run:#?}");
    assert_eq!(
        home.run(&["documents"]).expect(0).stdout,
        home.listed(&["mixed/lines.jsonl#first", "mixed/lines.jsonl#third"])
    );
    let document = home.run(&["ingest", "mixed", "--json"]).expect(3).json();
    assert_eq!(document["skipped"].as_array().unwrap().len(), 4);
}

#[test]
fn the_first_bad_line_is_the_end_when_asked() {
    let home = Home::new();
    home.write(
        "lines.jsonl",
        "{\"id\": \"first\", \"text\": \"Ida Holm.\"}\nnonsense\n{\"text\": \"The Aurelia.\"}\n",
    );
    let run = home.run(&["ingest", "lines.jsonl", "--on-error", "stop"]).expect(3);
    run.says("lines.jsonl:2").says("ingest stopped because of");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&["lines.jsonl#first"]));
}

#[test]
fn documents_of_one_key_from_two_paths_don_t_replace_each_other() {
    let home = Home::new();
    home.write("a/note.md", "# A\n\nIda Holm founded the Norby yard.");
    home.write("b/note.md", "# B\n\nThe Aurelia was built at the Norby yard.");
    let run = home.run(&["ingest", "a"]).expect(0);
    assert!(run.stdout.starts_with("1 document added, 0 replaced"), "{run:#?}");
    let run = home.run(&["ingest", "b"]).expect(0);
    assert!(run.stdout.starts_with("1 document added, 0 replaced"), "{run:#?}");
    // From elsewhere, and by way of the parent folder, they are the same files. The database in it is left alone.
    let mut command = home.command(&["ingest", "../a", "../a/note.md", "--path", "../quiver-data"]);
    let run = Run::of(command.current_dir(home.path("b")).output().unwrap()).expect(0);
    assert!(run.stdout.starts_with("0 documents added, 0 replaced, 1 unchanged"), "{run:#?}");
    let run = home.run(&["ingest", "."]).expect(0);
    assert!(run.stdout.starts_with("0 documents added, 0 replaced, 2 unchanged"), "{run:#?}");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, home.listed(&["a/note.md", "b/note.md"]));
}

#[test]
fn a_named_source_keeps_its_keys_where_the_folder_moves() {
    let home = Home::new();
    home.write("a/note.md", "# A\n\nIda Holm founded the Norby yard.");
    home.run(&["ingest", "a", "--source", "docs"]).expect(0);
    std::fs::rename(home.path("a"), home.path("moved")).unwrap();
    let run = home.run(&["ingest", "moved", "--source", "docs"]).expect(0);
    assert!(run.stdout.starts_with("0 documents added, 0 replaced, 1 unchanged"), "{run:#?}");
    assert_eq!(home.run(&["documents"]).expect(0).stdout, "     1  docs:note.md\n");
    home.write("b/note.md", "# B\n\nThe Aurelia was built at the Norby yard.");
    home.run(&["ingest", "moved", "b", "--source", "docs"]).expect(3).says("would replace one from moved");
    home.run(&["ingest", "b", "--source", "a/b"]).expect(2).says("the name of a source must have");
}

#[test]
fn documents_that_an_earlier_version_called_otherwise_are_told() {
    let home = Home::new();
    home.write("a/note.md", "# A\n\nIda Holm founded the Norby yard.");
    home.write("b.jsonl", "{\"id\": \"x\", \"text\": \"The Aurelia was built at the Norby yard.\"}");
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        // Earlier versions named a file after its path in the folder, and a record after its ID.
        let quiver = quiver::Quiver::open(home.path("quiver-data")).await.unwrap();
        let former = ["note.md", "x", "other"]
            .map(|key| quiver::Document::new(key, "Ida Holm founded the Norby yard."));
        quiver.ingest(former).await.unwrap();
    });
    let run = home.run(&["ingest", "a", "b.jsonl"]).expect(0);
    let run =
        run.says("2 documents were ingested by an earlier version").says("quiver delete \"note.md\" \"x\"");
    drop(run);
    home.run(&["delete", "note.md", "x"]).expect(0);
    assert!(!home.run(&["ingest", "a"]).expect(0).stderr.contains("earlier version"));
}

#[test]
fn a_document_of_ten_megabytes_is_read() {
    let home = Home::new();
    // A manual of this size repeats itself, and repeated text becomes one passage.
    let lines = generated(300, 10);
    let paragraphs: Vec<String> = lines
        .lines()
        .map(|line| {
            let document: serde_json::Value = serde_json::from_str(line).unwrap();
            document["text"].as_str().unwrap().replace('\n', " ")
        })
        .collect();
    let mut text = String::with_capacity(10 << 20);
    while text.len() < 10 << 20 {
        for paragraphs in paragraphs.chunks(3) {
            text.push_str(&paragraphs.concat());
            text.push_str("\n\n");
        }
    }
    text.push_str("The Norby yard was founded by Ida Holm.\n");
    home.write("large.txt", &text);
    let began = Instant::now();
    home.run(&["ingest", "large.txt"]).expect(0);
    let duration = began.elapsed();
    println!("10 MB took {duration:.1?}");
    // An unoptimised build on a busy machine takes a minute; a quadratic algorithm would take hours.
    assert!(duration.as_secs() < 600, "{duration:?}");
    let run = home.run(&["ask", "Who founded the Norby yard?"]).expect(0);
    assert!(run.stdout.contains("Ida Holm"), "{run:#?}");
}

#[test]
fn a_bad_export_is_named_with_its_line() {
    let home = Home::with_documents();
    let export = home.run(&["export"]).expect(0).stdout;
    let lines: Vec<&str> = export.lines().collect();
    let import = |content: String| {
        home.write("bad.jsonl", content);
        home.run(&["import", "bad.jsonl", "--path", "other"])
    };
    import(format!("{}\nnonsense\n", lines[0])).expect(3).says("line 2 of the export");
    import(String::new()).expect(3).says("the export is empty");
    let run =
        import(lines[1..].join("\n")).expect(3).says("bad.jsonl, line 1: ").says("{\"quiver_dump\": …}");
    assert!(!run.stderr.contains("database"), "{run:#?}");
    import(lines[0].replace("default", "other")).expect(3).says("workspace");
    home.run(&["import", "nowhere.jsonl"]).expect(3).says("nowhere.jsonl");
}

#[test]
fn a_file_that_is_no_export_leaves_no_database() {
    let home = Home::new();
    home.write("notes.txt", "Ida Holm founded the Norby yard.\n");
    home.write("empty.jsonl", "");
    for (file, says) in [
        ("notes.txt", "notes.txt, line 1: "),
        ("empty.jsonl", "the export is empty"),
        (".", "can't be read"),
        ("nowhere.jsonl", "can't be read"),
    ] {
        home.run(&["import", file]).expect(3).says(says);
    }
    assert!(!home.path("quiver-data").exists());
}

#[test]
fn a_file_without_a_byte_is_called_empty() {
    let home = Home::new();
    for name in ["a.pdf", "a.docx"] {
        home.write(name, "");
        home.run(&["ingest", name]).expect(3).says(&format!("{name}: the file is empty"));
    }
}

#[test]
fn a_table_with_other_separators_or_a_bad_row_is_told_and_not_loaded() {
    let home = Home::new();
    home.write("people.csv", "name;age\nAda;36\n");
    home.write("tabs.csv", "name\tage\nAda\t36\n");
    home.write("bad.csv", "name,age:integer\nAda,36\nBo,old\n");
    for (file, says) in [
        ("people.csv", "people.csv:1: the columns seem to be separated by semicolons"),
        ("tabs.csv", "name the file .tsv"),
        ("bad.csv", "bad.csv:3: age: \"old\" is not a valid integer; nothing was loaded"),
    ] {
        home.run(&["load", file, "--label", "Person", "--key", "name"]).expect(3).says(says);
    }
    assert!(!home.path("quiver-data").exists());
    home.write("list.csv", "name,tags:string[]\nAda,a;b\n");
    home.run(&["load", "list.csv", "--label", "Person", "--key", "name"]).expect(0);
}
