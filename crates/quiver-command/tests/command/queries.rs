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
    assert!(run.stdout.contains("find (t:Team) with name = $team, about 1\n"), "{run:#?}");
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
