//! The directory of a database: what is removed, what stays, and the messages about damage.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use quiver::{
    Quiver,
    graph::Graph,
    memory::Forget,
    store::{Collection, EmbeddedStore, Filter, PointStore, Select},
};

use crate::support::{Home, Run, files, generated};

/// Returns the files below a directory that contain a text.
fn files_with(directory: &Path, text: &str) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap()).contains(text);
    files(directory).into_iter().filter(holds).collect()
}

#[test]
fn what_was_deleted_or_forgotten_stands_in_no_file() {
    let home = Home::with_documents();
    let data = home.path("quiver-data");
    home.write(
        "secret.txt",
        "The vault at Hamar holds the Zxqvwkstone. Ida Holm has seen the Zxqvwkstone.\n",
    );
    home.run(&["ingest", "secret.txt"]).expect(0);
    let say = "Zxqvwkmark lives in Hamar.";
    home.run(&["remember", "--session", "private", "--speaker", "Ann", say]).expect_one_of(&[0, 1]);
    assert!(!files_with(&data, "Zxqvwkstone").is_empty(), "it is written there first");
    assert!(!files_with(&data, "Zxqvwkmark").is_empty(), "it is written there first");
    let key = home.run(&["documents"]).expect(0).stdout;
    let key = key.lines().find(|line| line.contains("secret.txt")).unwrap().trim();
    let key = key.split_once("  ").unwrap().1;
    home.run(&["delete", key]).expect(0);
    home.run(&["forget", "--session", "private"]).expect(0);
    for word in ["Zxqvwkstone", "zxqvwkstone", "Zxqvwkmark", "zxqvwkmark"] {
        assert_eq!(files_with(&data, word), Vec::<PathBuf>::new(), "{word}");
    }
    home.run(&["ask", "Who founded the Norby yard?"]).expect(0);
    home.run(&["verify"]).expect(0);
}

#[test]
fn what_was_archived_stands_in_no_file() {
    let home = Home::new();
    for say in ["Did you hear the zxqvwkpast noise yesterday?", "It was only the wind in the pipes."] {
        home.run(&["remember", "--session", "old", "--speaker", "Ann", say]).expect_one_of(&[0, 1]);
    }
    let data = home.path("quiver-data");
    assert!(!files_with(&data, "zxqvwkpast").is_empty(), "it is written there first");
    home.run(&["sessions", "--archive", "old", "--keep", "1"]).expect(0).says("archived 1 turn");
    assert_eq!(files_with(&data, "zxqvwkpast"), Vec::<PathBuf>::new());
    home.run(&["sessions", "--archive", "nobody", "--keep", "1"]).expect_one_of(&[1, 3]);
    home.run(&["verify"]).expect(0);
}

#[test]
fn rounds_of_ingesting_and_deleting_take_no_more_room_than_one() {
    let home = Home::new();
    let disk_bytes = || home.run(&["stats", "--json"]).expect(0).json()["disk_bytes"].as_u64().unwrap();
    let mut left = Vec::new();
    for round in 0..4 {
        home.write("people.jsonl", generated(30, round));
        home.run(&["ingest", "people.jsonl", "--source", "people"]).expect(0);
        let full = disk_bytes();
        let keys: Vec<String> =
            (0..30).map(|number| format!("people:people.jsonl#person-{number}")).collect();
        let keys = keys.iter().map(String::as_str);
        home.run(&["delete"].into_iter().chain(keys).collect::<Vec<_>>()).expect(0);
        left.push(disk_bytes());
        assert!(left[left.len() - 1] < full, "{left:?} bytes of {full}");
    }
    assert!(left.iter().all(|left| *left <= 1 << 20), "{left:?} bytes without a document");
    assert_eq!(left[0], left[3], "{left:?} bytes");
}

#[test]
fn processes_that_write_at_once_wait_for_each_other() {
    let home = Home::with_documents();
    let writers: Vec<_> = (0..4)
        .map(|number| {
            let name = format!("more-{number}.txt");
            home.write(&name, format!("The cutter number {number} was built at the Norby yard.\n"));
            home.command(&["ingest", &name, "--wait", "60"]).spawn().unwrap()
        })
        .collect();
    for writer in writers {
        Run::of(writer.wait_with_output().unwrap()).expect(0);
    }
    assert_eq!(home.run(&["documents", "--json"]).expect(0).json()["documents"].as_array().unwrap().len(), 6);
}

#[test]
fn a_killed_import_leaves_nothing_that_nothing_supports_and_the_same_import_completes_it() {
    let home = Home::new();
    home.write("people.jsonl", generated(200, 9));
    home.run(&["ingest", "people.jsonl", "--path", "whole"]).expect(0);
    let expected = home.export("whole");
    home.run(&["export", "--output", "all.jsonl", "--path", "whole"]).expect(0);
    let mut cut_short = 0;
    for wait in [300, 500, 700, 900, 1200] {
        let mut child = home.command(&["import", "all.jsonl", "--path", "data"]).spawn().unwrap();
        thread::sleep(Duration::from_millis(wait));
        cut_short += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        if home.path("data").join("quiver.json").exists() {
            home.run(&["verify", "--path", "data"]).expect(0);
        }
        home.run(&["import", "all.jsonl", "--path", "data"]).expect(0);
        assert!(home.export("data") == expected, "killed after {wait} ms, the export is another one");
        fs::remove_dir_all(home.path("data")).unwrap();
    }
    assert!(cut_short > 0, "no import was cut short");
}

#[test]
fn an_import_goes_on_after_a_bad_line_as_asked_and_names_it() {
    let home = Home::with_documents();
    let export = home.run(&["export"]).expect(0).stdout;
    let mut lines: Vec<String> = export.lines().map(str::to_owned).collect();
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    let line = lines.iter().rposition(|line| line.contains("Ida Holm")).unwrap();
    let nested = lines[line].replacen("\"text\":", &format!("\"metadata\":{{\"deep\":{deep}}},\"text\":"), 1);
    lines.insert(1, "not a line of an export".to_owned());
    lines.push(nested);
    home.write("bad.jsonl", lines.join("\n"));
    home.run(&["import", "bad.jsonl", "--path", "stopped"]).expect(3).says("line 2 of the export");
    let run = home.run(&["import", "bad.jsonl", "--path", "copied", "--on-error", "skip"]).expect(3);
    run.says("skipped").says("line 2 of the export");
    assert_eq!(home.run(&["export", "--path", "copied"]).expect(0).stdout, export);
}

#[test]
fn metadata_that_is_nested_too_deep_is_refused_where_it_comes_in() {
    let home = Home::new();
    let record = |levels: usize| {
        let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        format!(
            r#"{{"id": "a{levels}", "text": "The Aurelia was built in 1911.", "metadata": {{"deep": {deep}}}}}"#
        )
    };
    home.write("records.jsonl", format!("{}\n{}\n", record(64), record(100)));
    home.run(&["ingest", "records.jsonl"]).expect(3).says("nested 100 levels deep").says("64 levels");
    let export = home.export("quiver-data");
    home.write("all.jsonl", &export);
    home.run(&["import", "all.jsonl", "--path", "copied"]).expect(0);
    assert_eq!(home.export("copied"), export);
}

#[test]
fn a_backup_is_a_database_and_compacting_loses_nothing() {
    let home = Home::with_documents();
    home.run(&["backup", "copy"]).expect(0);
    home.run(&["backup", "copy"]).expect(4).says("copy has a database");
    home.run(&["backup", "other", "--path", "nothing"]).expect(4);
    let export = home.export("quiver-data");
    assert_eq!(home.export("copy"), export);
    home.write("ships/norby.txt", "The Norby yard was founded by Ida Holm in the town of Oslo.\n");
    home.run(&["ingest", "ships"]).expect(0);
    let changed = home.export("quiver-data");
    assert_ne!(changed, export);
    home.run(&["compact", "--json"]).expect(0).json();
    assert_eq!(home.export("quiver-data"), changed);
}

/// Cuts the files with the passages' IDs in half.
fn lose_half_the_passages(data: &Path) {
    let mut cut = 0;
    for file in files(&data.join("quiver_passages")) {
        if file.file_name().unwrap().to_string_lossy().contains("id_tracker.mappings") {
            let bytes = fs::read(&file).unwrap();
            fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
            cut += 1;
        }
    }
    assert!(cut > 0);
}

#[test]
fn a_database_that_lost_points_says_so_and_gives_what_is_left() {
    let home = Home::with_documents();
    let data = home.path("quiver-data");
    lose_half_the_passages(&data);
    for command in
        [&["ask", "Who founded the Norby yard?"][..], &["export"], &["verify", "--repair"], &["documents"]]
    {
        let run = home.run(command).expect(4).says("quiver backup").says("export --salvage");
        assert!(!run.stderr.contains("remove"), "{run:#?}");
    }
    home.run(&["backup", "as-it-is"]).expect(0);
    let before = files(&data).len();
    let run = home.run(&["export", "--salvage", "--output", "left.jsonl"]).expect_one_of(&[0, 1]);
    run.says("passages");
    assert_eq!(files(&data).len(), before, "the damaged database is left as it is");
    home.run(&["import", "left.jsonl", "--path", "again"]).expect(0);
    home.run(&["ingest", "ships", "--path", "again"]).expect(0);
    home.run(&["ask", "Who founded the Norby yard?", "--path", "again"]).expect(0);
}

#[test]
fn a_text_with_a_flipped_bit_is_named_and_left_out_of_an_export() {
    let home = Home::with_documents();
    home.write("one.txt", "The lighthouse of Zxqvwk burned for a whole night in the year 1890.\n");
    home.run(&["ingest", "one.txt"]).expect(0);
    let whole = home.run(&["export"]).expect(0).stdout;
    let data = home.path("quiver-data");
    for file in files_with(&data.join("quiver_passages/segments"), "of Zxqvwk burned") {
        let mut bytes = fs::read(&file).unwrap();
        let at = bytes.windows(16).position(|window| window == b"of Zxqvwk burned").unwrap();
        bytes[at] ^= 1;
        fs::write(&file, bytes).unwrap();
    }
    let run = home.run(&["export"]).expect(1).says("omitted").says("is not what was written");
    let left: Vec<&str> = whole.lines().filter(|line| !line.contains("burned for a whole")).collect();
    assert!(left.len() < whole.lines().count());
    let exported: Vec<&str> = run.stdout.lines().filter(|line| line.contains("\"passages\"")).collect();
    assert_eq!(exported, left.iter().copied().filter(|l| l.contains("\"passages\"")).collect::<Vec<_>>());
    let run = home.run(&["verify"]).expect(1);
    assert!(run.stdout.contains("the payload can't be read"), "{run:#?}");
}

#[test]
fn a_repair_that_takes_something_away_makes_a_copy_first() {
    let home = Home::with_documents();
    let export = home.export("quiver-data");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store =
            EmbeddedStore::open(&home.path("quiver-data"), "quiver", Graph::schema(None)).await.unwrap();
        let page =
            store.scroll(Collection::Passages, &Filter::everything(), None, 1, &Select::ID).await.unwrap();
        let ids = page.points.iter().map(|point| point.id).collect();
        store.delete(Collection::Passages, &Filter::Ids(ids)).await.unwrap();
    });
    home.run(&["verify"]).expect(1);
    let damaged = home.export("quiver-data");
    home.run(&["verify", "--repair"]).expect(0).says("quiver-data.before-repair-1");
    assert_eq!(home.export("quiver-data.before-repair-1"), damaged);
    assert_ne!(damaged, export);
    home.run(&["verify"]).expect(0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_shortage_is_called_what_it_is_and_no_damage() {
    let home = Home::with_documents();
    let binary = env!("CARGO_BIN_EXE_quiver");
    let limited = |limit: &str| {
        let script = format!("{limit}; exec {binary} stats");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script]).current_dir(home.path("")).env("HOME", home.path(""));
        Run::of(command.stdin(Stdio::null()).output().unwrap())
    };
    for files in [7, 9, 12, 16, 24, 32, 48] {
        let run = limited(&format!("ulimit -n {files}"));
        if run.code == Some(0) {
            continue;
        }
        let run = run.expect_one_of(&[4, 5]);
        assert!(
            !run.stderr.contains("salvage") && !run.stderr.contains("can't be read ("),
            "{files}: {run:#?}"
        );
        assert!(
            run.stderr.contains("limit on open files") || run.stderr.contains("Too many open files"),
            "{run:#?}"
        );
    }
    for megabytes in [600, 1000, 1300, 2000, 3000] {
        let run = limited(&format!("ulimit -v {}", megabytes << 10)).expect(4);
        assert!(run.stderr.contains("address space") && !run.stderr.contains("salvage"), "{run:#?}");
    }
    home.run(&["stats"]).expect(0);
}

/// Copies the files of an open database, as a kill at this moment would leave them.
fn copy_as_it_is(from: &Path, to: &Path) {
    for file in files(from) {
        let copy = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(file, copy).unwrap();
    }
}

#[test]
fn a_forget_that_is_killed_before_the_files_are_rebuilt_is_finished_by_the_next_opening() {
    let home = Home::with_documents();
    let say = "Zxqvwkmark lives in Hamar.";
    home.run(&["remember", "--session", "private", "--speaker", "Ann", say]).expect_one_of(&[0, 1]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let quiver = Quiver::open(home.path("quiver-data")).await.unwrap();
        let _erasure = quiver.begin_erasure().await.unwrap();
        quiver.forget(&Forget::Session("private".to_owned())).await.unwrap();
        copy_as_it_is(&home.path("quiver-data"), &home.path("killed"));
    });
    assert!(!files_with(&home.path("killed"), "Zxqvwkmark").is_empty(), "the kill left it there");
    home.run(&["stats", "--path", "killed"]).expect(0).says("interrupted");
    for word in ["Zxqvwkmark", "zxqvwkmark"] {
        assert_eq!(files_with(&home.path("killed"), word), Vec::<PathBuf>::new(), "{word}");
    }
    let run = home.run(&["stats", "--path", "killed"]).expect(0);
    assert!(!run.stderr.contains("interrupted"), "it is over: {run:#?}");
    home.run(&["verify", "--path", "killed"]).expect(0);
}

#[test]
fn an_erasure_that_ends_leaves_another_one_to_the_next_opening() {
    let home = Home::with_documents();
    for session in ["one", "two"] {
        let say = format!("Zxqvwk{session} lives in Hamar.");
        home.run(&["remember", "--session", session, "--speaker", "Ann", &say]).expect_one_of(&[0, 1]);
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let quiver = Quiver::open(home.path("quiver-data")).await.unwrap();
        let [one, two] = [quiver.begin_erasure().await.unwrap(), quiver.begin_erasure().await.unwrap()];
        quiver.forget(&Forget::Session("one".to_owned())).await.unwrap();
        quiver.end_erasure(one).await.unwrap();
        assert_eq!(files_with(&home.path("quiver-data"), "Zxqvwkone"), Vec::<PathBuf>::new());
        quiver.forget(&Forget::Session("two".to_owned())).await.unwrap();
        // Opening the workspace again in this process leaves its erasure alone.
        quiver.in_workspace(quiver.graph().workspace().clone()).await.unwrap();
        copy_as_it_is(&home.path("quiver-data"), &home.path("killed"));
        quiver.end_erasure(two).await.unwrap();
        assert_eq!(files_with(&home.path("quiver-data"), "Zxqvwktwo"), Vec::<PathBuf>::new());
    });
    assert!(!files_with(&home.path("killed"), "Zxqvwktwo").is_empty(), "the kill left it there");
    home.run(&["stats", "--path", "killed"]).expect(0).says("interrupted");
    assert_eq!(files_with(&home.path("killed"), "Zxqvwktwo"), Vec::<PathBuf>::new());
    for data in ["killed", "quiver-data"] {
        let run = home.run(&["stats", "--path", data]).expect(0);
        assert!(!run.stderr.contains("interrupted"), "it is over: {run:#?}");
    }
}

#[test]
fn deletes_at_once_share_rebuilds_and_leave_no_word_in_any_file() {
    const DOCUMENTS: usize = 16;
    let home = Home::with_documents();
    for number in 0..DOCUMENTS {
        home.write(&format!("more/{number:02}.txt"), format!("Zxqvwk{number:02} is a lake near Hamar."));
    }
    home.run(&["ingest", "more", "--source", "more"]).expect(0);
    let data = home.path("quiver-data");
    let generation = || {
        let state = fs::read(data.join("quiver_passages.state")).unwrap();
        let state: serde_json::Value = serde_json::from_slice(&state).unwrap();
        state["state"]["generation"].as_u64().unwrap()
    };
    let before = generation();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let quiver = Quiver::open(&data).await.unwrap();
        let documents = quiver.documents().await.unwrap();
        let keys: Vec<_> = documents.into_iter().map(|document| document.key).collect();
        let keys: Vec<_> = keys.iter().filter(|key| key.contains("more")).collect();
        assert_eq!(keys.len(), DOCUMENTS);
        let delete = async |key: &str| {
            let erasure = quiver.begin_erasure().await.unwrap();
            quiver.delete(key).await.unwrap();
            quiver.end_erasure(erasure).await.unwrap();
        };
        futures::future::join_all(keys.iter().map(|key| delete(key))).await;
    });
    let rebuilds = generation() - before;
    assert!((1..=4).contains(&rebuilds), "{rebuilds} rebuilds for {DOCUMENTS} deletes");
    for word in ["Zxqvwk", "zxqvwk"] {
        assert_eq!(files_with(&data, word), Vec::<PathBuf>::new(), "{word}");
    }
    home.run(&["verify"]).expect(0);
}

#[test]
fn killed_at_any_point_a_forget_leaves_the_session_or_none_of_its_text() {
    const KILLS: u32 = 8;
    let home = Home::with_documents();
    let turns: String = (0..40)
        .map(|number| {
            let text = format!("Zxqvwkmark {number} is owned by Ann.");
            format!("{}\n", serde_json::json!({ "session": "private", "turn": number, "text": text }))
        })
        .collect();
    home.write("turns.jsonl", turns);
    home.run(&["remember", "--from", "turns.jsonl"]).expect(0);
    let forget = |data: &str| home.command(&["forget", "--session", "private", "--path", data]);
    copy_as_it_is(&home.path("quiver-data"), &home.path("whole"));
    let began = Instant::now();
    Run::of(forget("whole").output().unwrap()).expect(0);
    let mut took = began.elapsed();
    let mut killed = 0;
    for kill in 0..KILLS {
        let data = format!("data-{kill}");
        copy_as_it_is(&home.path("quiver-data"), &home.path(&data));
        let mut child = forget(&data).spawn().unwrap();
        let delay = took * (kill + 1) / (KILLS + 1);
        thread::sleep(delay);
        if child.try_wait().unwrap().is_none() {
            killed += 1;
        } else {
            took = delay; // The machine was busier at first.
        }
        child.kill().unwrap(); // SIGKILL leaves no chance to clean up.
        child.wait().unwrap();
        let shown = home.export(&data).contains("Zxqvwkmark");
        assert!(shown || files_with(&home.path(&data), "Zxqvwkmark").is_empty(), "after kill {kill}");
        Run::of(forget(&data).output().unwrap()).expect_one_of(&[0, 1]);
        assert_eq!(files_with(&home.path(&data), "Zxqvwkmark"), Vec::<PathBuf>::new(), "after kill {kill}");
        assert_eq!(home.export(&data), home.export("whole"));
    }
    println!("{killed} of {KILLS} processes were killed within {took:?}");
    assert!(killed >= KILLS / 2, "only {killed} processes were still at work");
}
