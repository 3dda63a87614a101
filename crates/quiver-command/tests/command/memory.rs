//! The memory in a shell: what is remembered is recalled, as it is and as it was, and forgotten without a trace.

use crate::support::Home;

fn with_turns() -> Home {
    let home = Home::new();
    let turns = [
        ("The importer depends on Redis.", "2026-03-01"),
        ("Redis is run by Mo.", "2026-03-02"),
        ("From now on Redis is run by Lena.", "2026-03-09"),
    ];
    for (text, day) in turns {
        home.run(&["remember", text, "--session", "plan", "--speaker", "Ada", "--at", day]).expect(0);
    }
    home
}

#[test]
fn what_was_said_is_recalled_as_it_is_and_as_it_was() {
    let home = with_turns();
    let run = home.run(&["recall", "Who runs what the importer depends on?", "--trace"]).expect(0);
    for part in ["Lena", "Path: importer → Redis → Lena", "Trace:", "deciding what holds ("] {
        assert!(run.stdout.contains(part), "{part:?} is not in {run:#?}");
    }
    let run = home.run(&["recall", "Who runs Redis?", "--as-of", "2026-03-05"]).expect(0);
    assert_eq!(run.stdout, "Redis is run by Mo\n");
    let run = home.run(&["recall", "Who won the regatta in Cowes?"]).expect(1);
    assert!(run.stdout.starts_with("No answer: "), "{run:#?}");
    let facts = home.run(&["facts", "Redis", "--history", "--json"]).expect(0).json();
    let ended = &facts["facts"][1];
    assert_eq!((&ended["object"], &ended["holds"]), (&"Mo".into(), &false.into()), "{facts:#}");
    let decision = facts["facts"][2]["id"].as_str().unwrap();
    home.run(&["decide", "undo", decision]).expect(0);
    assert_eq!(home.run(&["facts", "Redis"]).expect(0).stdout.lines().count(), 3);
}

#[test]
fn turns_come_from_files_and_graphs_go_to_other_tools() {
    let home = Home::new();
    home.write(
        "turns.jsonl",
        "{\"session\": \"s\", \"turn\": 1, \"time\": 5, \"text\": \"Fine.\", \"facts\": [{\"subject\": \"mast\", \
         \"predicate\": \"is made of\", \"object\": \"spruce\"}]}\n\n{\"session\": \"s\", \"text\": \"Sounds good.\"}\n",
    );
    home.run(&["remember", "--from", "turns.jsonl"]).expect(0).says("remembered 2 turns with 1 fact");
    let run = home.run(&["export", "--format", "cypher"]).expect(0);
    assert!(run.stdout.contains("r:`IS_MADE_OF`"), "{run:#?}");
    home.run(&["export", "--as-of", "2026-03-05"]).expect(2).says("--format");
    assert_eq!(home.run(&["sessions"]).expect(0).stdout, "     2  s\n");
    home.run(&["sessions", "--archive", "s", "--keep", "0"]).expect(0).says("archived 2 turns");
    assert_eq!(
        home.run(&["recall", "What is the mast made of?"]).expect(0).stdout,
        "mast is made of spruce\n"
    );
    home.run(&["forget", "--session", "s"]).expect(0);
    assert_eq!(home.run(&["export"]).expect(0).stdout.lines().count(), 1);
    home.run(&["forget", "--session", "s"]).expect(1);
    home.run(&["forget"]).expect(2);
    home.write("turns.jsonl", "{\"session\": \"s\"}\n");
    home.run(&["remember", "--from", "turns.jsonl"]).expect(3).says("turns.jsonl, line 1");
    home.run(&["recall", "Why?", "--as-of", "tomorrow"]).expect(2).says("is no moment");
}
