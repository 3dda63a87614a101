//! `quiver chat`, over a pipe and in a terminal.

use std::io::Write;

use serde_json::Value;

use crate::support::{Home, Run};

/// Returns a home whose database knows a ship, its yard and the yard's founder.
fn harbour() -> Home {
    let home = Home::new();
    home.write(
        "ships/aurelia.md",
        "# Aurelia\n\nThe Aurelia was built at the Norby yard in 1911. It has two masts.\n",
    );
    home.write(
        "ships/norby.md",
        "# Norby yard\n\nThe Norby yard was founded by Ida Holm in the town of Bergen.\n",
    );
    home.write("ships/ida.md", "# Ida Holm\n\nIda Holm was a carpenter. She learnt to sail in Stavanger.\n");
    home.write("ships/north.md", "# Pier North\n\nPier North was opened in 1902.\n");
    home.write("ships/south.md", "# Pier South\n\nPier South was opened in 1931.\n");
    home.run(&["ingest", "ships"]).expect(0);
    home
}

/// Sends lines over a pipe.
fn say(home: &Home, arguments: &[&str], lines: impl AsRef<[u8]>) -> Run {
    let mut child = home.command(arguments).stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_ref()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn a_conversation_over_a_pipe() {
    let home = harbour();
    let run = say(
        &home,
        &["chat"],
        "Who founded the Norby yard?\nWhere did she learn to sail?\n/why\n/trace\n/facts\n",
    );
    let run = run.expect(0);
    for expected in [
        "understood as: Where did Ida Holm learn to sail?",
        "Stavanger",
        "Understood by rules as: Where did Ida Holm learn to sail?",
        "“she” is Ida Holm: named in the answer in the last turn",
        "answering",
        "Ida Holm | ",
    ] {
        assert!(run.stdout.contains(expected), "{expected:?} is not in {run:#?}");
    }
    assert!(!run.stdout.contains('>'), "no prompt over a pipe: {run:#?}");
    // Another process resumes the conversation.
    let run = say(&home, &["chat"], "What was her trade?\n").expect(0);
    assert!(run.stdout.contains("understood as: What was Ida Holm's trade?"), "{run:#?}");
    // Another session knows nothing of it.
    let run = say(&home, &["chat", "--session", "other"], "What was her trade?\n").expect(0);
    assert!(!run.stdout.contains("Ida Holm's"), "{run:#?}");
}

#[test]
fn what_is_unclear_is_asked_back() {
    let home = harbour();
    let run = say(&home, &["chat"], "When was Pier opened?\nthe second one\n/quit\nnever read\n").expect(0);
    assert!(
        run.stdout
            .contains("“Pier” is ambiguous. Which one do you mean?\n  1. Pier North\n  2. Pier South\n"),
        "{run:#?}"
    );
    assert!(run.stdout.contains("understood as: When was Pier South opened?"), "{run:#?}");
    assert!(run.stdout.contains("1931") && !run.stdout.contains("never read"), "{run:#?}");
}

#[test]
fn without_an_answer_what_comes_nearest_is_shown() {
    let home = harbour();
    let run = say(&home, &["chat"], "How many sails does the Aurelia have?\n").expect(0);
    assert!(run.stdout.starts_with("No answer: "), "{run:#?}");
    assert!(run.stdout.contains("which may not answer the question:\n"), "{run:#?}");
    assert!(
        run.stdout.contains("\n  Aurelia: “The Aurelia was built at the Norby yard in 1911.”\n"),
        "{run:#?}"
    );
    assert!(run.stdout.contains("\n  Norby yard: “The Norby yard was founded by Ida Holm"), "{run:#?}");
}

#[test]
fn the_rewrite_can_be_overridden() {
    let home = harbour();
    let lines = "/as too early\nWho founded the Norby yard?\nWhen was it built?\n/as When was the Aurelia built?\n/why\n";
    let run = say(&home, &["chat"], lines).expect(0);
    assert!(run.stdout.contains("No question has been asked yet."), "{run:#?}");
    assert!(run.stdout.contains("understood as: When was the Aurelia built?"), "{run:#?}");
    assert!(run.stdout.contains("1911"), "{run:#?}");
}

#[test]
fn one_line_of_json_a_question() {
    let home = harbour();
    let run = say(
        &home,
        &["chat", "--json"],
        "Who founded the Norby yard?\nWhere did she learn to sail?\nWhen was Pier opened?\n",
    );
    let lines: Vec<Value> =
        run.expect(0).stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1]["version"], 1);
    assert_eq!(lines[1]["standalone"], "Where did Ida Holm learn to sail?");
    assert_eq!(lines[1]["rewritten_by"], "rules");
    assert_eq!(lines[1]["rewrites"][0]["said"], "she");
    assert_eq!(lines[1]["answered"]["passages"][0]["title"], "Ida Holm");
    assert_eq!(lines[2]["asks"]["options"], serde_json::json!(["Pier North", "Pier South"]));
}

#[test]
fn what_is_stated_is_noted_unless_a_setting_says_no() {
    let home = harbour();
    let lines = "Our Project Heron depends on Oracle.\nOur Project Heron now depends on Postgres.\n\
        What does it depend on now?\nThat was very kind of you.\n";
    let run = say(&home, &["chat", "--session", "plan"], lines).expect(0);
    for expected in [
        "Noted: Project Heron depends on Oracle.\n",
        "Noted: Project Heron depends on Postgres.\n",
        "Our Project Heron now depends on Postgres.\n  from plan\n",
        "so nothing was noted.\n",
    ] {
        assert!(run.stdout.contains(expected), "{expected:?} is not in {run:#?}");
    }
    // It is written when the process ends.
    let facts = home.run(&["facts", "Project Heron"]).expect(0);
    assert!(facts.stdout.contains("Postgres") && !facts.stdout.contains("Oracle"), "{facts:#?}");
    let run =
        say(&home, &["chat", "--session", "plan", "--json"], "Project Heron depends on Kafka.\n").expect(0);
    let reply: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(reply["noted"]["facts"][0]["object"], "Kafka");
    home.write("quiver.toml", "chat_remember = false\n");
    let run = say(&home, &["chat", "--session", "off"], "Project Heron depends on Redis.\n").expect(0);
    assert!(run.stdout.starts_with("No answer: "), "{run:#?}");
}

#[test]
fn a_line_that_is_not_text_is_left_out() {
    let home = harbour();
    let lines = b"When was Pier North opened?\nCaf\xe9?\nWho founded the Norby yard?\n";
    let run = say(&home, &["chat"], lines).expect(0).says("line 2 is not UTF-8 text and was left out");
    assert!(run.stdout.contains("1902") && run.stdout.contains("Ida Holm"), "{run:#?}");
}

#[test]
fn what_is_no_question_is_told() {
    let home = harbour();
    let run =
        say(&home, &["chat"], "/nonsense\n/help\n\n/why\n/facts\n/trace on\nWho founded the Norby yard?\n")
            .expect(0);
    for expected in [
        "There is no command /nonsense",
        "/facts",
        "No question has been asked yet.",
        "has no topic yet",
        "with its trace",
        "ranking",
    ] {
        assert!(run.stdout.contains(expected), "{expected:?} is not in {run:#?}");
    }
    let run = say(&Home::new(), &["chat"], "Who?\n").expect(4);
    assert!(run.stderr.contains("there is no database"), "{run:#?}");
}

#[cfg(unix)]
mod terminal {
    use rexpect::session::{PtySession, spawn_command};

    use super::{Home, harbour};

    fn open(home: &Home) -> PtySession {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quiver"));
        command.arg("chat").current_dir(home.path("")).env("HOME", home.path("")).env("TERM", "xterm");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("QUIVER_") {
                command.env_remove(name);
            }
        }
        let mut terminal = spawn_command(command, Some(30_000)).unwrap();
        terminal.exp_string("Session chat.").unwrap();
        terminal.exp_string("> ").unwrap();
        terminal
    }

    fn ended(terminal: &PtySession) {
        let status = format!("{:?}", terminal.process().wait().unwrap());
        assert!(status.starts_with("Exited(") && status.ends_with(", 0)"), "{status}");
    }

    #[test]
    fn a_conversation_in_a_terminal() {
        let home = harbour();
        let mut terminal = open(&home);
        terminal.send_line("Who founded the Norby yard?").unwrap();
        terminal.exp_string("from Norby yard").unwrap();
        terminal.exp_string("> ").unwrap();
        terminal.send_line("Where did she learn to sail?").unwrap();
        terminal.exp_string("understood as: Where did Ida Holm learn to sail?").unwrap();
        terminal.exp_string("> ").unwrap();
        for (command, expected) in
            [("/why", "Understood by rules"), ("/facts", "Ida Holm | "), ("/trace", "answering")]
        {
            terminal.send_line(command).unwrap();
            terminal.exp_string(expected).unwrap();
            terminal.exp_string("\r\n").unwrap();
            terminal.exp_string("> ").unwrap();
        }
        terminal.send_line("/quit").unwrap();
        terminal.exp_eof().unwrap();
        ended(&terminal);
    }

    #[test]
    fn lines_are_edited_and_remembered() {
        let home = harbour();
        let mut terminal = open(&home);
        // A typo, corrected with the backspace key; Ctrl-A and Ctrl-E go to the ends of the line.
        terminal.send("ho founded the Norby yardx\x7f?\x01W\x05").unwrap();
        terminal.send_line("").unwrap();
        terminal.exp_string("from Norby yard").unwrap();
        terminal.exp_string("> ").unwrap();
        // Ctrl-C discards the line, and Ctrl-D ends the conversation.
        terminal.send("half a question").unwrap();
        terminal.flush().unwrap();
        terminal.exp_string("half a question").unwrap();
        terminal.send_control('c').unwrap();
        terminal.exp_string("> ").unwrap();
        terminal.send_line("/help").unwrap();
        terminal.exp_string("like Ctrl-D").unwrap();
        terminal.exp_string("> ").unwrap();
        terminal.send_control('d').unwrap();
        terminal.exp_eof().unwrap();
        ended(&terminal);

        // The up key brings back a line of the last conversation.
        let mut terminal = open(&home);
        for _ in 0..2 {
            terminal.send("\x1b[A").unwrap();
        }
        terminal.send_line("").unwrap();
        terminal.exp_string("from Norby yard").unwrap();
        terminal.exp_string("> ").unwrap();
        terminal.send_control('d').unwrap();
        terminal.exp_eof().unwrap();
        ended(&terminal);
    }
}

#[test]
fn a_context_is_packed_and_explained() {
    let home = harbour();
    let question = "Who founded the yard that built the Aurelia?";
    let run = home.run(&["context", question, "--explain"]).expect(0);
    assert!(run.stdout.contains("Passages:\n- ") && run.stdout.contains("Ida Holm"), "{run:#?}");
    assert!(run.stdout.contains("= relevance "), "{run:#?}");
    let all = home.run(&["context", question, "--json", "--trace"]).expect(0).json();
    assert_eq!(all["standalone"], question);
    assert!(all["tokens"].as_u64().unwrap() <= 1024 && all["left"].as_array().unwrap().is_empty());
    assert!(all["items"][0]["shares"]["relevance"].is_number() && all["trace"]["stages"].is_array());
    let few = home.run(&["context", question, "--json", "--tokens", "30"]).expect(0).json();
    assert!(few["tokens"].as_u64().unwrap() <= 30 && !few["left"].as_array().unwrap().is_empty());
    let none = home.run(&["context", question, "--tokens", "4"]).expect(1).says("fits in 4 tokens");
    assert_eq!(none.stdout, "");
    let weighed = home.run(&["context", question, "--json", "--weight", "relevance=0"]).expect(0).json();
    assert_eq!(weighed["items"][0]["shares"]["relevance"], 0.0);
    home.run(&["context", question, "--weight", "beauty=1"]).expect(2).says("with NAME relevance");
    // With a session, the question is understood from it.
    say(&home, &["chat", "--session", "plan"], "Who founded the Norby yard?\n").expect(0);
    let read = home
        .run(&["context", "Where did she learn to sail?", "--session", "plan", "--json"])
        .expect(0)
        .json();
    assert_eq!(read["standalone"], "Where did Ida Holm learn to sail?");
}
