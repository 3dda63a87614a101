//! `quiver load` and `quiver query`.

use serde_json::json;

use crate::support::Home;

fn catalogue() -> Home {
    let home = Home::new();
    home.write("teams.csv", "name\nTeam A\nTeam B\n");
    home.write("services.tsv", "name\ttier:integer\npayments\t1\ncheckout\t2\n");
    home.write(
        "owns.jsonl",
        "{\"from\": \"Team A\", \"to\": \"payments\"}\n{\"from\": \"Team B\", \"to\": \"checkout\"}\n",
    );
    home.run(&["load", "teams.csv", "--label", "Team", "--key", "name"]).expect(0);
    home.run(&["load", "services.tsv", "--label", "Service", "--key", "name"]).expect(0);
    let owns = ["load", "owns.jsonl", "--type", "OWNS", "--from", "Team.name", "--to", "Service.name"];
    let run = home.run(&owns).expect(0);
    assert_eq!(run.stdout, "2 relationships created, 0 updated\n");
    home
}

#[test]
fn loaded_tables_are_queried_as_table_csv_and_json() {
    let home = catalogue();
    let query = "MATCH (t:Team {name: $team})-[:OWNS]->(s) RETURN s.name AS service, s.tier AS tier";
    let run = home.run(&["query", query, "--param", "team=Team A", "--proof"]).expect(0).says("1 row");
    assert_eq!(run.stdout, "service   tier\n--------  ----\npayments  1\n    Team A -OWNS-> payments\n");
    let run = home.run(&["query", query, "--param", "team=\"Team A\"", "--csv"]).expect(0);
    assert_eq!(run.stdout, "service,tier\npayments,1\n");
    let document = home.run(&["query", query, "--param", "team=Team A", "--json"]).expect(0).json();
    assert_eq!(document["rows"], json!([{"service": "payments", "tier": 1}]));
    let run = home.run(&["query", query, "--param", "team=Team A", "--explain"]).expect(0);
    assert!(run.stdout.contains("find (t:Team) with name = $team, about "), "{run:#?}");
    home.run(&["verify"]).expect(0);
}

#[test]
fn an_empty_result_and_a_mistake_name_what_is_nearest() {
    let home = catalogue();
    let query = ["query", "MATCH (s:Service {name: 'payment'}) RETURN s"];
    home.run(&query).expect(0).says("no Service has name 'payment'; there is 'payments'");
    let run = home.run(&["query", "MATCH (s:Service) RETRUN s"]).expect(3);
    run.says("line 1, column 19").says("did you mean RETURN?");
    home.run(&["query", "CREATE (:X)", "--read-only"]).expect(3).says("only reading is allowed");
    home.write("more.csv", "from,to\nTeam A,chekout\n");
    let load = ["load", "more.csv", "--type", "OWNS", "--from", "Team.name", "--to", "Service.name"];
    home.run(&load).expect(3).says("more.csv:2: no Service has name 'chekout'; there is 'checkout'");
    home.run(&["load", "more.csv"]).expect(2);
}

#[test]
fn a_profile_shows_what_each_step_read() {
    let home = catalogue();
    let query = "MATCH (t:Team)-[:OWNS]->(s:Service) WHERE s.tier >= 2 RETURN t.name";
    let run = home.run(&["query", query, "--profile"]).expect(0);
    assert!(run.stdout.contains("Team B\n"), "{run:#?}");
    run.says("find (s:Service) with tier >= 2, about 1: 1 row, 1 store call, 1 point").says("total: ");
    home.run(&["query", query, "--profile", "--explain"]).expect(2);
}

#[test]
fn a_schema_is_inferred_declared_shown_and_kept() {
    let home = catalogue();
    let run = home.run(&["schema", "show"]).expect(0);
    let shown = "Service: 2 nodes\n  name  string    2\n  tier  integer   2\nTeam: 2 nodes\n  name  string    2\n\
                 OWNS: 2 relationships, Team -> Service\n";
    assert_eq!(run.stdout, shown);
    home.run(&["schema", "infer", "schema.toml"]).expect(0);
    home.run(&["schema", "infer", "schema.toml"]).expect(2).says("schema.toml exists; name another file");
    let inferred = home.run(&["schema", "infer"]).expect(0).stdout;
    assert!(
        inferred.contains("[labels.Service.properties.name]\ntype = \"string\"\nrequired = true\n"),
        "{inferred}"
    );
    assert!(inferred.contains("[relationships.OWNS]\nends = [[\"Team\", \"Service\"]]\n"), "{inferred}");
    let run = home.run(&["schema", "set", "schema.toml"]).expect(0);
    assert_eq!(run.stdout, "2 labels, 1 type of relationship\n");
    let run = home.run(&["schema", "show"]).expect(0);
    assert!(run.stdout.contains("  name  string    2 (declared, required, unique)\n"), "{run:#?}");
    assert!(run.stdout.contains("OWNS: 2 relationships, Team -> Service (declared)\n"), "{run:#?}");
    let document = home.run(&["schema", "show", "--json"]).expect(0).json();
    assert_eq!(document["labels"]["Service"]["properties"]["tier"], json!({"type": "integer", "count": 2}));
    assert_eq!(document["declared"]["labels"]["Service"]["properties"]["name"]["unique"], json!(true));

    home.write("more.csv", "name,tier\nledger,high\n");
    let load = ["load", "more.csv", "--label", "Service", "--key", "name"];
    home.run(&load).expect(3).says("more.csv:2: the tier of the Service is 'high', a string");
    let query = ["query", "CREATE (:Service {name: 'payments'})"];
    home.run(&query).expect(3).says("two nodes Service have the name 'payments'");
    home.write("bad.toml", "[labels.Service.properties.tier]\ntype = \"intger\"\n");
    let run = home.run(&["schema", "set", "bad.toml"]).expect(2);
    run.says("bad.toml: TOML parse error at line 2").says("did you mean integer?");
    home.write("empty.toml", "");
    assert_eq!(home.run(&["schema", "set", "empty.toml"]).expect(0).stdout, "no schema is declared\n");
    home.run(&load).expect(0);
    home.run(&["verify"]).expect(0);
}

#[test]
fn queries_come_through_a_pipe_too() {
    use std::io::Write as _;

    use crate::support::Run;

    let home = catalogue();
    for arguments in [&["query"][..], &["query", "-"]] {
        let mut child = home.command(arguments).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let query = b"MATCH (t:Team)\nRETURN count(t) AS teams";
        child.stdin.take().unwrap().write_all(query).unwrap();
        let run = Run::of(child.wait_with_output().unwrap()).expect(0);
        assert_eq!(run.stdout, "teams\n-----\n2\n");
    }
}

#[test]
fn a_chat_shows_and_runs_queries() {
    use std::io::Write as _;

    use crate::support::Run;

    let home = catalogue();
    let mut child = home.command(&["chat"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    let lines = b"/cypher\nWhich services does Team A own?\n/cypher\n/cypher MATCH (t:Team) RETURN count(t) AS teams\n\
        /cypher MATCH (t:Team RETURN t\n/cypher MATCH (t:Team) DETACH DELETE t\n";
    child.stdin.take().unwrap().write_all(lines).unwrap();
    let run = Run::of(child.wait_with_output().unwrap()).expect(0);
    for expected in ["No question has been asked yet.", "payments", "-[:OWNS]-", "teams\n-----\n2\n"] {
        assert!(run.stdout.contains(expected), "{expected:?} is not in {run:#?}");
    }
    run.says("line 1, column 15").says("only reading is allowed");
}
