//! The memory in a shell: facts are remembered, recalled now and as of the past, and forgotten without a trace.

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
    let run = home.run(&["recall", "Where does Ada live?"]).expect(1);
    assert!(
        run.stdout
            .contains("\n\nThe most relevant turns, which may not answer the question:\n  Ada, 2026-03-0"),
        "{run:#?}"
    );
    let silent = home.run(&["recall", "Where does Ada live?", "--json"]).expect(1).json();
    assert!(silent["no_answer"].is_string() && silent["lines"] == serde_json::json!([]), "{silent:#}");
    assert!(silent["found"][0]["line"].as_str().unwrap().starts_with("Ada, 2026-03-0"), "{silent:#}");
    let facts = home.run(&["facts", "Redis", "--history", "--json"]).expect(0).json();
    let ended = &facts["facts"][1];
    assert_eq!((&ended["object"], &ended["holds"]), (&"Mo".into(), &false.into()), "{facts:#}");
    let decision = facts["facts"][2]["id"].as_str().unwrap();
    home.run(&["decide", "undo", decision]).expect(0);
    assert_eq!(home.run(&["facts", "Redis"]).expect(0).stdout.lines().count(), 3);
}

#[test]
fn a_turn_is_not_overwritten_and_a_bare_year_is_a_year() {
    let home = Home::new();
    let remember =
        |text: &str| home.run(&["remember", text, "--session", "k", "--turn", "1", "--at", "2020"]);
    remember("Redis is run by Mo.").expect(0);
    remember("Redis is run by Mo.").expect(0);
    home.run(&["remember", "Redis is run by Mo.", "--session", "k", "--turn", "1"]).expect(0);
    remember("Redis is run by Lena.").expect_one_of(&[2, 3]).says("session \"k\" already has a turn 1");
    let json = home.run(&["facts", "Redis", "--json"]).expect(0).json();
    assert_eq!(
        (&json["facts"][0]["object"], &json["facts"][0]["recorded_at"]),
        (&"Mo".into(), &1_577_836_800_000_i64.into()),
        "{json:#}"
    );
    home.run(&["recall", "Who runs Redis?", "--as-of", "2021"]).expect(0).prints("Mo");
    home.run(&["recall", "Who runs Redis?", "--as-of", "2019"]).expect(1);
    home.write("turns.jsonl", "{\"text\": \"Kafka is run by Bo.\", \"session\": \"t\", \"time\": 2020}\n");
    home.run(&["remember", "--from", "turns.jsonl"]).expect(0);
    let json = home.run(&["facts", "Kafka", "--json"]).expect(0).json();
    assert_eq!(json["facts"][0]["recorded_at"], 1_577_836_800_000_i64, "{json:#}");
}

#[test]
fn ended_facts_say_when_they_ended_and_by_what() {
    let home = with_turns();
    home.run(&[
        "remember",
        "The importer no longer depends on Redis.",
        "--session",
        "plan",
        "--at",
        "2026-03-12",
    ])
    .expect(0);
    let day = home.run(&["facts", "Redis", "--history"]).expect(0).stdout;
    let line = |object: &str| day.lines().find(|line| line.contains(object)).unwrap_or_default().to_owned();
    assert!(line("run by | Mo").contains("  ended 2026-03-09 by: Redis | is run by | Lena  ["), "{day}");
    assert!(!line("run by | Lena  (").contains("  ended"), "{day}");
    // What ended it is not about Mo.
    let about = home.run(&["facts", "Mo", "--history"]).expect(0).stdout;
    assert!(about.contains("  ended 2026-03-09 by: Redis | is run by | Lena  ["), "{about}");
    let json = home.run(&["facts", "Redis", "--history", "--json"]).expect(0).json();
    let facts = json["facts"].as_array().unwrap();
    let of =
        |object: &str| facts.iter().find(|fact| fact["object"] == object && fact["denied"] == false).unwrap();
    let (mo, lena) = (of("Mo"), of("Lena"));
    assert_eq!((&mo["ended_at"], &mo["ended_by"]), (&1_773_014_400_000_i64.into(), &lena["id"]), "{json:#}");
    assert!(lena["ended_at"].is_null() && lena["ended_by"].is_null(), "{json:#}");
    assert!(line("importer | depends on | Redis").contains("  ended 2026-03-12 by: not: "), "{day}");
}

#[test]
fn an_unknown_name_leads_to_the_nearest_known_one() {
    let home = with_turns();
    home.run(&["facts", "Rediss"])
        .expect(1)
        .says("no fact is known about \"Rediss\"; did you mean \"Redis\"?");
    let json = home.run(&["facts", "Rediss", "--json"]).expect(1).json();
    assert_eq!(json["nearest"], "Redis", "{json:#}");
    home.run(&["facts", "Metharol"]).expect(1).says("no fact about \"Metharol\" holds");
    home.run(&["facts", "Metharol", "--history"]).expect(1).says("no fact is known about \"Metharol\"");
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
    assert_eq!(home.run(&["recall", "What is the mast made of?"]).expect(0).stdout, "mast made of spruce\n");
    home.run(&["forget", "--session", "s"]).expect(0);
    assert_eq!(home.run(&["export"]).expect(0).stdout.lines().count(), 1);
    home.run(&["forget", "--session", "s"]).expect(1);
    home.run(&["forget"]).expect(2);
    home.write("turns.jsonl", "{\"session\": \"s\"}\n");
    home.run(&["remember", "--from", "turns.jsonl"]).expect(3).says("turns.jsonl, line 1");
    home.run(&["recall", "Why?", "--as-of", "tomorrow"]).expect(2).says("is not a date or time");
}

#[test]
fn graphs_have_what_documents_state_and_dates_and_say_why_they_are_empty() {
    let home = Home::with_documents();
    home.run(&["remember", "The Aurelia is owned by Mo.", "--session", "s", "--at", "2026-03-09T08:30:00Z"])
        .expect(0);
    let cypher = home.run(&["export", "--format", "cypher"]).expect(0).stdout;
    assert!(
        cypher.contains("e.name = 'Ida Holm'") && cypher.contains("[r:`YARD_WAS_FOUNDED_BY`"),
        "{cypher}"
    );
    assert!(cypher.contains("r.valid_from = datetime('2026-03-09T08:30:00Z')"), "{cypher}");
    let graph = home.run(&["export", "--format", "graphml"]).expect(0).stdout;
    assert!(graph.contains("<data key=\"name\">Ida Holm</data>"), "{graph}");
    assert!(graph.contains("<data key=\"valid_from\">2026-03-09T08:30:00Z</data>"), "{graph}");
    let lines = home.run(&["export", "--format", "jsonl"]).expect(0).stdout;
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<_> = lines.iter().filter(|line| line["type"] == "entity").map(|line| &line["id"]).collect();
    for relation in lines.iter().filter(|line| line["type"] == "relation") {
        assert!(ids.contains(&&relation["subject"]) && ids.contains(&&relation["object"]), "{relation}");
    }
    assert!(lines.iter().any(|line| line["valid_from"] == "2026-03-09T08:30:00Z"), "{lines:#?}");
    assert!(
        lines.iter().any(|line| line["type"] == "relation" && line["valid_from"].is_null()),
        "{lines:#?}"
    );

    let home = Home::new();
    home.write("a.txt", "It rains.\n");
    home.run(&["ingest", "a.txt"]).expect(0);
    let run = home.run(&["export", "--format", "jsonl"]).expect(0);
    assert!(run.stderr.contains("no relations") || run.stderr.contains("the export is empty"), "{run:#?}");
    home.run(&["delete", "a.txt"]).expect(0);
    let run = home.run(&["export", "--format", "graphml"]).expect(0);
    run.says("the export is empty: the workspace default is empty");
}

#[test]
fn a_thing_is_renamed_and_hidden_and_that_is_undone() {
    let home = with_turns();
    let runs = |name: &str| home.run(&["recall", &format!("Who runs {name}?")]).stdout;
    home.run(&["decide", "rename", "Redis", "Valkey", "--evidence", "said Bo"]).expect(0);
    assert!(runs("Valkey").contains("Lena") && runs("Redis").contains("Lena"));
    home.run(&["decide", "delete", "Lena"]).expect(0);
    assert!(!runs("Valkey").contains("run by Lena\n"), "{}", runs("Valkey"));
    home.run(&["facts", "Lena"]).expect(1);
    let listed = home.run(&["decide", "list"]).expect(0).stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("Lena is hidden (decided by hand)  ["), "{listed}");
    assert!(lines[1].starts_with("Redis is called Valkey (said Bo)  ["), "{listed}");
    let listed = home.run(&["decide", "list", "--json"]).expect(0).json();
    assert_eq!((&listed["total"], &listed["decisions"][0]["kind"]), (&2.into(), &"delete".into()));
    for decision in listed["decisions"].as_array().unwrap() {
        home.run(&["decide", "undo", decision["decision"].as_str().unwrap()]).expect(0);
    }
    assert!(runs("Redis").contains("Lena") && runs("Valkey").starts_with("No answer: "));
    assert_eq!(home.run(&["decide", "list"]).expect(0).stdout.matches(", undone)").count(), 2);
}

#[test]
fn a_thing_that_is_two_is_split_and_that_is_undone() {
    let home = with_turns();
    let turn = "Redis is a cat that sleeps in Norby.";
    home.run(&["remember", turn, "--session", "pets", "--fact", "Redis", "sleeps in", "Norby"]).expect(0);
    let about = |name: &str| home.run(&["facts", name]).stdout;
    assert!(about("Redis").contains("Norby"));
    let split = ["decide", "split", "Redis", "Redis the cat", "--session", "pets", "--evidence", "said Bo"];
    let made = home.run(&split).expect(0).stdout;
    assert!(made.starts_with("split off as Redis the cat; 1 passage now refers to it  ["), "{made}");
    assert!(!about("Redis").contains("Norby") && about("Redis the cat").contains("Norby"));
    let recalled = home.run(&["recall", "Where does Redis the cat sleep?"]).expect(0).stdout;
    assert!(recalled.contains("Norby"), "{recalled}");
    let listed = home.run(&["decide", "list"]).expect(0).stdout;
    assert!(
        listed.starts_with("Redis was split: some texts are about Redis the cat (said Bo)  ["),
        "{listed}"
    );
    let listed = home.run(&["decide", "list", "--json"]).expect(0).json();
    let decision = listed["decisions"][0]["decision"].as_str().unwrap();
    home.run(&["decide", "undo", decision]).expect(0);
    assert!(about("Redis").contains("Norby"));
}

#[test]
fn what_is_wrong_is_named_with_the_way_out() {
    let home = with_turns();
    for (arguments, code, says) in [
        (&["remember", "x", "--fact", "", "is", "y"][..], 3, "has no subject"),
        (&["remember", "x", "--turn", "-4"], 2, "--turn"),
        (&["remember", "x", "--from", "y"], 2, "--from"),
        (&["remember", "--from", "none.jsonl"], 3, "none.jsonl"),
        (&["facts", " "], 2, "name the entity"),
        (&["facts", "Kafka"], 1, "no fact about \"Kafka\""),
        (&["sessions", "--archive", "plans", "--keep", "1"], 1, "there is no session \"plans\""),
        (&["decide", "merge", "Redis", "redis"], 3, "are already the same entity"),
        (&["decide", "merge", "", "redis"], 3, "needs a name"),
        (&["decide", "merge", "Pulsar", "Kafka"], 1, "nothing is called \"Pulsar\" or \"Kafka\""),
        (&["decide", "values", "", "one"], 3, "needs a name"),
        (&["decide", "rename", "Redis", " "], 3, "needs a name"),
        (&["decide", "rename", "Redis", "Mo"], 3, "merge the two"),
        (&["decide", "rename", "Kafka", "Pulsar"], 1, "nothing is called \"Kafka\""),
        (&["decide", "split", "Redis", "Redis the cat"], 2, "--document"),
        (&["decide", "split", "Redis", "the cat", "--session", "pets"], 1, "no session \"pets\""),
        (&["decide", "split", "Redis", "the cat", "--passage", "x"], 2, "quiver search --json"),
        (&["decide", "delete", "Kafka"], 1, "nothing is called \"Kafka\""),
        (&["decide", "undo", "Redis"], 2, "quiver facts NAME --history"),
        (&["decide", "undo", "Redis"], 2, "quiver decide list"),
        (&["decide", "undo", "93b696f5-1eab-5053-b6e9-2fb163cc1b8d"], 1, "quiver facts NAME --history"),
    ] {
        home.run(arguments).expect(code).says(says);
    }
    for (line, says) in [
        ("{\"text\": \"\"}", "neither text nor facts"),
        ("{\"text\": ", "turns.jsonl, line 2, column "),
        ("{\"text\": ", "; correct the line; nothing was remembered"),
        ("{\"text\": \"a\", \"time\": \"soon\"}", "is not a date or time"),
        (
            "{\"text\": \"a\", \"facts\": [{\"subject\": \"a\", \"object\": \"b\"}]}",
            "missing field `predicate`",
        ),
    ] {
        home.write("turns.jsonl", format!("{{\"text\": \"Fine.\"}}\n{line}\n"));
        home.run(&["remember", "--from", "turns.jsonl"]).expect(3).says("turns.jsonl, line 2").says(says);
    }
    assert_eq!(
        home.run(&["sessions"]).expect(0).stdout,
        "     3  plan\n",
        "nothing of a wrong file is remembered"
    );
}

#[test]
fn a_file_says_when_and_the_flags_say_what_it_leaves_out() {
    let home = Home::new();
    home.write(
        "turns.jsonl",
        "{\"text\": \"Redis is run by Mo.\", \"time\": \"2026-03-02T10:00+02:00\", \"mood\": 1}\n",
    );
    let run =
        home.run(&["remember", "--from", "turns.jsonl", "--session", "plan", "--speaker", "Ada"]).expect(0);
    run.says("ignored unknown fields: mood");
    let facts = home.run(&["facts", "Redis", "--json"]).expect(0).json();
    let fact = &facts["facts"][0];
    assert_eq!((&fact["session"], &fact["speaker"]), (&"plan".into(), &"Ada".into()), "{facts:#}");
    assert_eq!(fact["recorded_at"], 1_772_438_400_000_i64);
}

#[test]
fn the_fields_of_a_turn_have_the_names_that_chats_give_them() {
    let home = Home::new();
    home.write(
        "chat.jsonl",
        "{\"content\": \"Redis is run by Mo.\", \"role\": \"user\", \"at\": \"2026-03-02T10:00+02:00\"}\n",
    );
    home.run(&["remember", "--from", "chat.jsonl"]).expect(0);
    let facts = home.run(&["facts", "Redis", "--json"]).expect(0).json();
    let fact = &facts["facts"][0];
    assert_eq!((&fact["speaker"], &fact["recorded_at"]), (&"user".into(), &1_772_438_400_000_i64.into()));
}

#[test]
fn a_budget_of_tokens_is_kept() {
    let home = with_turns();
    let question = "Who runs what the importer depends on?";
    for (tokens, lines) in [
        ("40", "importer depends on Redis\nFrom now on Redis is run by Lena\n"),
        ("12", "From now on Redis is run by Lena\n"),
        ("2", "Lena\n"),
        ("0", ""),
    ] {
        let run = home.run(&["recall", question, "--tokens", tokens]).expect(0);
        assert!(
            run.stdout.ends_with(lines) && run.stdout.lines().count() == lines.lines().count(),
            "{run:#?}"
        );
    }
}

#[test]
fn suggestions_are_taken_and_left_by_the_commands_that_they_show() {
    let home = Home::new();
    for (name, text) in [
        ("a.txt", "The World Ferry Office (WFO) is in Norby. The Fulmar and the Guillemot left the quay."),
        (
            "b.txt",
            "The harbour was inspected by the WFO. The pilot wrote down the Fulmar, then the Guillemot.",
        ),
        ("c.txt", "The warden wrote down the Fulmar, then the Guillemot. Dr Ida O'Holm was on the quay."),
        ("d.txt", "The lamp was lit by Ida O'Holm. The keeper wrote down the Fulmar, then the Guillemot."),
    ] {
        home.run(&["ingest", &home.write(name, text).display().to_string()]).expect(0);
    }
    let made = home.run(&["suggest", "--json"]).expect(0).json();
    let made = made["suggestions"].as_array().unwrap().clone();
    let kinds: Vec<&str> = made.iter().map(|made| made["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["merge", "merge", "relation"], "{made:#?}");
    let shown = home.run(&["suggest"]).expect(0);
    for command in made.iter().flat_map(|made| [&made["take"], &made["leave"]]) {
        assert!(shown.stdout.contains(command.as_str().unwrap()), "{command} is not in {shown:#?}");
    }
    let run =
        |command: &str| home.run(&words(command).iter().map(String::as_str).collect::<Vec<_>>()).expect(0);
    run(made[0]["leave"].as_str().unwrap());
    run(made[1]["take"].as_str().unwrap());
    run(made[2]["take"].as_str().unwrap());
    assert_eq!(home.run(&["suggest"]).expect(1).stdout, "");
    let list = home.run(&["decide", "list"]).expect(0);
    assert!(list.stdout.contains("are not suggested as the same (decided by hand)"), "{list:#?}");
}

/// The arguments of a command as a shell reads them, without its name.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => word.extend(characters.next()),
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(character),
        }
    }
    words.push(word);
    words.split_off(1)
}

#[test]
fn a_new_value_adds_or_replaces_as_the_flag_or_the_setting_says() {
    let home = Home::new();
    for (object, day) in [("Norby", "2026-03-01"), ("Haldby", "2026-03-02")] {
        let text = format!("The Aurelia calls at {object}.");
        let fact = ["--fact", "Aurelia", "calls at", object];
        home.run(&[&["remember", text.as_str(), "--at", day], fact.as_slice()].concat()).expect(0);
    }
    let question = ["recall", "Where does the Aurelia call at?"];
    let both = home.run(&question).expect(0).stdout;
    assert!(both.contains("Norby") && both.contains("Haldby"), "{both}");
    let last = home.run(&[question.as_slice(), &["--restated", "replaces"]].concat()).expect(0).stdout;
    assert!(!last.contains("Norby") && last.contains("Haldby"), "{last}");
    home.write("quiver.toml", "restated = \"replaces\"\n");
    assert_eq!(home.run(&question).expect(0).stdout, last);
    assert_eq!(home.run(&[question.as_slice(), &["--restated", "adds"]].concat()).expect(0).stdout, both);
}

#[test]
fn declared_numbers_of_values_are_listed_with_their_reason() {
    let home = with_turns();
    home.run(&["decide", "values", "is run by", "one", "--evidence", "said Ada"]).expect(0);
    home.run(&["decide", "values", "depends on", "many"]).expect(0);
    let list = home.run(&["decide", "list"]).expect(0);
    assert!(list.stdout.contains("is run by has one value at a time (said Ada)\n"), "{list:#?}");
    assert!(list.stdout.contains("depends on has many values at a time (decided by hand)\n"), "{list:#?}");
    home.run(&["decide", "values", "depends on", "undeclared"]).expect(0);
    let list = home.run(&["decide", "list", "--json"]).expect(0).json();
    let declared = list["declarations"].as_array().unwrap();
    assert_eq!(declared.len(), 1, "{list:#}");
    assert_eq!((&declared[0]["values"], &declared[0]["evidence"]), (&"one".into(), &"said Ada".into()));
}

#[test]
fn a_context_is_as_of_a_moment() {
    let home = with_turns();
    let question = ["context", "Who runs Redis?"];
    let now = home.run(&question).expect(0).stdout;
    assert!(now.contains("Lena"), "{now}");
    let past = home.run(&[question.as_slice(), &["--as-of", "2026-03-05"]].concat()).expect(0).stdout;
    assert!(past.contains("Mo") && !past.contains("Lena"), "{past}");
}
