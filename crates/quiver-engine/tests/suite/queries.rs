//! Queries in Cypher over the graph in the database, and loading tables into it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    Document, ErrorKind, Quiver,
    cypher::{Map, Options, Value},
    query::{Loaded, NodeTable, QueryOptions, RelationshipTable, TableFormat, read_table},
};

fn nodes(label: &str, key: &str, text: &str) -> NodeTable {
    let rows = read_table("nodes.csv", TableFormat::Csv, text.as_bytes()).unwrap();
    NodeTable { source: "nodes.csv".to_owned(), label: label.to_owned(), key: key.to_owned(), rows }
}

fn links(kind: &str, from: &str, to: &str, text: &str) -> RelationshipTable {
    let end = |end: &str| (end.to_owned(), "name".to_owned());
    let rows = read_table("edges.csv", TableFormat::Csv, text.as_bytes()).unwrap();
    let (source, kind) = ("edges.csv".to_owned(), kind.to_owned());
    RelationshipTable { source, kind, from: end(from), to: end(to), key: None, rows }
}

/// Two teams, their services, and what these call.
pub(crate) async fn load(quiver: &Quiver) {
    quiver.load_nodes(nodes("Team", "name", "name\nTeam A\nTeam B\n")).await.unwrap();
    let services =
        "name,tier:integer,since:date\npayments,1,2020-05-01\ninvoices,2,2024-01-31\ncheckout,1,2023-03-03\n";
    quiver.load_nodes(nodes("Service", "name", services)).await.unwrap();
    quiver
        .load_nodes(nodes("API", "name", "name,status\nbilling-v1,deprecated\nbilling-v2,active\n"))
        .await
        .unwrap();
    let owns = "from,to\nTeam A,payments\nTeam A,invoices\nTeam B,checkout\n";
    quiver.load_relationships(links("OWNS", "Team", "Service", owns)).await.unwrap();
    let calls = "from,to,rate:float\npayments,billing-v1,0.5\ncheckout,billing-v1,2\ninvoices,billing-v2,1\n";
    quiver.load_relationships(links("CALLS", "Service", "API", calls)).await.unwrap();
}

pub(crate) async fn rows(quiver: &Quiver, query: &str) -> Vec<String> {
    let found = quiver.query(query).await.unwrap();
    found
        .rows
        .iter()
        .map(|row| row.iter().map(|value| found.text(value)).collect::<Vec<_>>().join(", "))
        .collect()
}

/// What every backend answers alike.
async fn check(quiver: &Quiver) {
    let deprecated = "MATCH (t:Team)-[:OWNS]->(s:Service)-[c:CALLS]->(a:API {status: 'deprecated'})
        RETURN t.name, s.name, c.rate ORDER BY t.name";
    assert_eq!(rows(quiver, deprecated).await, ["'Team A', 'payments', 0.5", "'Team B', 'checkout', 2.0"]);
    let old =
        "MATCH (s:Service) WHERE s.since < date('2023-12-31') AND s.tier = 1 RETURN s.name ORDER BY s.name";
    assert_eq!(rows(quiver, old).await, ["'checkout'", "'payments'"]);
    let without = "MATCH (t:Team) WHERE NOT EXISTS { (t)-[:OWNS]->()-[:CALLS]->(:API {status: 'active'}) } RETURN t.name";
    assert_eq!(rows(quiver, without).await, ["'Team B'"]);
    let counted =
        "MATCH (t:Team)-[:OWNS]->(s) RETURN t.name, count(s), collect(s.name)[0..1] ORDER BY t.name LIMIT 1";
    assert_eq!(rows(quiver, counted).await.len(), 1);
    let reached = "MATCH (:Team {name: 'Team A'})-[*1..2]->(x:API) RETURN x.name ORDER BY x.name";
    assert_eq!(rows(quiver, reached).await, ["'billing-v1'", "'billing-v2'"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn loaded_tables_are_queried() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    check(&quiver).await;
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn an_embedded_database_answers_the_same_after_it_was_closed() {
    let directory = tempfile::tempdir().unwrap();
    let quiver = Quiver::open(directory.path()).await.unwrap();
    load(&quiver).await;
    check(&quiver).await;
    drop(quiver);
    let quiver = Quiver::open(directory.path()).await.unwrap();
    check(&quiver).await;
    let proof =
        QueryOptions { cypher: Options { proof: true, ..Options::default() }, ..QueryOptions::default() };
    let found = quiver.query("MATCH (:Team {name: 'Team B'})-->(s)-->(a) RETURN a.name").options(proof).await;
    assert_eq!(found.unwrap().rows.proof_lines(0), ["Team B -OWNS-> checkout -CALLS-> billing-v1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn loading_twice_changes_nothing_and_other_properties_stay() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    quiver.query("MATCH (s:Service {name: 'payments'}) SET s.owner = 'Ann', s:Critical").await.unwrap();
    let again = quiver.load_nodes(nodes("Service", "name", "name,tier:integer\npayments,3\n")).await.unwrap();
    assert_eq!(again, Loaded { created: 0, updated: 1 });
    let found = rows(&quiver, "MATCH (s:Critical) RETURN s.name, s.owner, s.tier").await;
    assert_eq!(found, ["'payments', 'Ann', 3"]);
    let again = quiver
        .load_relationships(links("OWNS", "Team", "Service", "from,to\nTeam A,payments\n"))
        .await
        .unwrap();
    assert_eq!(again, Loaded { created: 0, updated: 1 });
    assert_eq!(rows(&quiver, "MATCH ()-[r:OWNS]->() RETURN count(r)").await, ["3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn relationships_of_one_type_between_two_nodes_are_several() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    let rates = "MATCH (:Service {name: 'payments'})-[c:CALLS]->(:API {name: 'billing-v1'}) RETURN c.rate ORDER BY c.rate";
    // Rows that differ are several relationships, and the same table again changes nothing.
    let table =
        "from,to,rate:float\npayments,billing-v1,0.5\npayments,billing-v1,0.7\npayments,billing-v1,0.5\n";
    for created in [1, 0] {
        let loaded = quiver.load_relationships(links("CALLS", "Service", "API", table)).await.unwrap();
        assert_eq!(loaded, Loaded { created, updated: 3 - created });
        assert_eq!(rows(&quiver, rates).await, ["0.5", "0.7"]);
    }
    // With a key, a row changes the relationship that has it.
    let keyed = |rate: &str| RelationshipTable {
        key: Some("id".to_owned()),
        ..links("CALLS", "Service", "API", &format!("from,to,id,rate:float\npayments,billing-v1,a,{rate}\n"))
    };
    quiver.load_relationships(keyed("0.8")).await.unwrap();
    quiver.load_relationships(keyed("0.9")).await.unwrap();
    assert_eq!(rows(&quiver, rates).await, ["0.5", "0.7", "0.9"]);
    // What is created is a relationship of its own; what is merged is the one that has the properties.
    let ends = "MATCH (s:Service {name: 'payments'}), (a:API {name: 'billing-v1'})";
    for clause in [
        "CREATE (s)-[:CALLS {rate: 2}]->(a), (s)-[:CALLS {rate: 2}]->(a)",
        "MERGE (s)-[:CALLS {rate: 2}]->(a)",
    ] {
        quiver.query(format!("{ends} {clause}")).await.unwrap();
        assert_eq!(rows(&quiver, rates).await, ["0.5", "0.7", "0.9", "2", "2"], "{clause}");
    }
    assert_eq!(quiver.verify().await.unwrap(), []);
    let mut dump = Vec::new();
    quiver.export().write_to(&mut dump).await.unwrap();
    let other = Quiver::in_memory().await.unwrap();
    other.import(dump.as_slice()).await.unwrap();
    assert_eq!(rows(&other, rates).await, ["0.5", "0.7", "0.9", "2", "2"]);
    quiver.query("MATCH ()-[c:CALLS {rate: 2}]->() DELETE c").await.unwrap();
    assert_eq!(rows(&quiver, rates).await, ["0.5", "0.7", "0.9"]);
    let twice = "from,to,id\npayments,billing-v1,a\npayments,billing-v1,a\n";
    let table = RelationshipTable { key: Some("id".to_owned()), ..links("CALLS", "Service", "API", twice) };
    let error = quiver.load_relationships(table).await.unwrap_err().to_string();
    assert!(
        error.contains("edges.csv:3: the id 'a' already occurs between these nodes in line 2"),
        "{error}"
    );
    let table = RelationshipTable { key: Some("no".to_owned()), ..links("CALLS", "Service", "API", twice) };
    let error = quiver.load_relationships(table).await.unwrap_err().to_string();
    assert!(error.contains("edges.csv:2: the key \"no\" is missing"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_with_a_mistake_is_refused_with_its_line() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    let twice = quiver.load_nodes(nodes("Team", "name", "name\nTeam C\nTeam C\n")).await.unwrap_err();
    assert_eq!(
        twice.to_string(),
        "running the query: nodes.csv:3: the name 'Team C' already occurs in line 2"
    );
    let keyless = quiver.load_nodes(nodes("Team", "name", "name,x\n,1\n")).await.unwrap_err();
    assert_eq!(keyless.to_string(), "running the query: nodes.csv:2: the key \"name\" is missing");
    let table = links("OWNS", "Team", "Service", "from,to\nTeam A,chekout\n");
    let missing = quiver.load_relationships(table).await.unwrap_err();
    assert_eq!(
        missing.to_string(),
        "running the query: edges.csv:2: no Service has name 'chekout'; there is 'checkout'"
    );
    assert_eq!(missing.kind(), ErrorKind::Invalid);
    assert_eq!(rows(&quiver, "MATCH (t:Team) RETURN count(t)").await, ["2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_write_nodes_and_relationships() {
    let quiver = Quiver::in_memory().await.unwrap();
    // Two nodes alike are two nodes; what is merged is one.
    quiver.query("CREATE ({name: 'A'}), ({name: 'A'})").await.unwrap();
    assert_eq!(rows(&quiver, "MATCH (n {name: 'A'}) RETURN count(n)").await, ["2"]);
    let merge = "MERGE (t:Task {id: 1}) ON CREATE SET t.new = true ON MATCH SET t.new = false
        MERGE (w:Workspace {id: 'w'}) MERGE (t)-[r:IN]->(w) SET r.at = date('2026-01-02') RETURN t.new";
    assert_eq!(rows(&quiver, merge).await, ["true"]);
    assert_eq!(rows(&quiver, merge).await, ["false"]);
    assert_eq!(rows(&quiver, "MATCH (:Task)-[r:IN]->(w) RETURN r.at, w.id").await, ["'2026-01-02', 'w'"]);
    let error = quiver.query("MATCH (t:Task) DELETE t").await.unwrap_err();
    assert!(error.to_string().contains("DETACH DELETE"), "{error}");
    // A query that fails at its end has written nothing.
    quiver.query("MATCH (t:Task) SET t.id = 2 WITH t RETURN t.id / 0").await.unwrap_err();
    assert_eq!(rows(&quiver, "MATCH (t:Task) RETURN t.id").await, ["1"]);
    quiver.query("MATCH (t:Task) DETACH DELETE t").await.unwrap();
    assert_eq!(rows(&quiver, "MATCH (t:Task) RETURN t").await, [""; 0]);
    assert_eq!(rows(&quiver, "MATCH (w:Workspace) RETURN w.id").await, ["'w'"]);
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn values_survive_an_export_and_an_import() {
    let quiver = Quiver::in_memory().await.unwrap();
    let parameters = Map::from([("odd".to_owned(), Value::from("a 'quote', a `tick`,\na line and é"))]);
    let create = "CREATE (:`odd label` {text: $odd, n: 1, x: 1.5, b: true, d: date('2026-02-11'),
        at: datetime('2026-02-11T10:00:00+01:00'), long: duration('P1DT2H'), list: [1, 2]})-[:R {d: date('2026-01-01')}]->(:B)";
    quiver.query(create).parameters(parameters).await.unwrap();
    let read = "MATCH (a:`odd label`)-[r]->(b:B) RETURN a, r";
    let before = rows(&quiver, read).await;
    let mut dump = Vec::new();
    quiver.export().write_to(&mut dump).await.unwrap();
    let other = Quiver::in_memory().await.unwrap();
    other.import(dump.as_slice()).await.unwrap();
    assert_eq!(rows(&other, read).await, before);
    let found = "MATCH (a {n: 1.0, d: date('2026-02-11')}) RETURN a.long, a.at.hour";
    assert_eq!(rows(&other, found).await, ["'P1DT2H', 10"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn passages_are_nodes_and_can_not_be_written() {
    let quiver = Quiver::in_memory().await.unwrap();
    let text = "The Aurelia was built at the Norby yard. The Norby yard was founded by Ida Holm.";
    quiver.ingest([Document::new("ships", text)]).await.unwrap();
    let found =
        rows(&quiver, "MATCH (p:Passage)-[:MENTIONS]->(e {name: 'Ida Holm'}) RETURN p.document, e.name")
            .await;
    assert_eq!(found, ["'ships', 'Ida Holm'"]);
    assert_eq!(rows(&quiver, "MATCH (p:Passage {document: 'ships'}) RETURN count(p)").await, ["1"]);
    for query in
        ["MATCH (p:Passage) SET p.text = 'x'", "MATCH (p:Passage) DETACH DELETE p", "CREATE (:Passage)"]
    {
        let error = quiver.query(query).await.unwrap_err();
        assert!(error.to_string().contains("passages come from documents"), "{query}: {error}");
    }
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_result_says_what_removed_the_rest() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    let options = QueryOptions { why_empty: true, ..QueryOptions::default() };
    let query = "MATCH (:Team {name: $team})-[:OWNS]->(s:Service) RETURN s.name";
    let parameters = Map::from([("team".to_owned(), Value::from("TeamA"))]);
    let found = quiver.query(query).parameters(parameters).options(options).await.unwrap();
    assert_eq!(found.why_empty.as_deref(), Some("no Team has name 'TeamA'; there is 'Team A'"));
}

/// Services with an owner, and two runbooks that name them.
async fn runbooks(quiver: &Quiver) {
    load(quiver).await;
    let one = "Migration from billing-v1. Switch the service payments to billing-v2 before the end of June.";
    let two = "The office in Norby has a garden. The service checkout is mentioned on its wall.";
    quiver.ingest([Document::new("migration", one), Document::new("office", two)]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_inside_a_query_is_joined_with_patterns() {
    let quiver = Quiver::in_memory().await.unwrap();
    runbooks(&quiver).await;
    let joined = "CALL quiver.search('migration from billing-v1', {limit: 5}) YIELD passage, score
        MATCH (t:Team)-[:OWNS]->(s:Service) WHERE passage.text CONTAINS s.name AND score > 0.5
        RETURN t.name, s.name, passage.document";
    assert_eq!(rows(&quiver, joined).await, ["'Team A', 'payments', 'migration'"]);
    let each = "MATCH (s:Service) WHERE s.tier = 1 CALL quiver.search(s.name, {limit: 1}) YIELD passage AS p
        RETURN s.name, p.document ORDER BY s.name";
    assert_eq!(rows(&quiver, each).await, ["'checkout', 'office'", "'payments', 'migration'"]);
    let options = QueryOptions {
        cypher: Options { proof: true, ..Options::default() },
        why_empty: true,
        ..QueryOptions::default()
    };
    let query = "CALL quiver.search('migration', {limit: 1}) YIELD passage RETURN passage.document";
    let found = quiver.query(query).options(options.clone()).await.unwrap();
    assert_eq!(found.rows.proof_lines(0).len(), 1, "the passage is what the row rests on");
    let nothing = "CALL quiver.search('zeppelin', {limit: 1}) YIELD passage RETURN passage";
    let found = quiver.query(nothing).options(options).await.unwrap();
    assert_eq!(found.why_empty.as_deref(), Some("quiver.search yields no row"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_with_wrong_arguments_is_refused_with_what_is_right() {
    let quiver = Quiver::in_memory().await.unwrap();
    runbooks(&quiver).await;
    for (call, message) in [
        ("quiver.search(7)", "searches for a string, not 7"),
        ("quiver.search('')", "the question is empty"),
        ("quiver.search('x', {limit: 0})", "it must be from 1 to 1000"),
        ("quiver.search('x', {limit: 'many'})", "the limit must be an integer"),
        ("quiver.search('x', {size: 3})", "no option \"size\"; the only option is limit"),
        ("quiver.search('x', 3, 4)", "takes a text and a map of options"),
        ("quiver.serch('x')", "did you mean quiver.search?"),
    ] {
        let query = format!("CALL {call} YIELD passage RETURN passage");
        let error = quiver.query(&query).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{call}: {error}");
        assert!(error.to_string().contains(message), "{call}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_joins_two_nodes_whatever_the_directions() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    let path = |ends: &str| {
        format!("MATCH {ends} CALL quiver.path(a, b) YIELD path RETURN [n IN nodes(path) | n.name]")
    };
    let between = "(a:Team {name: 'Team A'}), (b:Team {name: 'Team B'})";
    let names = "['Team A', 'payments', 'billing-v1', 'checkout', 'Team B']";
    assert_eq!(rows(&quiver, &path(between)).await, [names]);
    assert_eq!(rows(&quiver, &path("(a:Team {name: 'Team A'}), (b {name: 'Team A'})")).await, ["['Team A']"]);
    let none = format!("MATCH {between} CALL quiver.path(a, b, {{hops: 3}}) YIELD path RETURN path");
    assert_eq!(rows(&quiver, &none).await, [""; 0]);
    quiver.query("CREATE (:Alone {name: 'x'})").await.unwrap();
    assert_eq!(rows(&quiver, &path("(a:Team), (b:Alone)")).await, [""; 0]);
    for (call, message) in [
        ("quiver.path(t)", "takes two nodes and a map of options"),
        ("quiver.path(t, 1)", "connects two nodes, not an integer"),
        ("quiver.path(t, t, {hops: 0})", "hops must be from 1 to 20, not 0"),
        ("quiver.path(t, t, {hop: 1})", "no option \"hop\"; the only option is hops"),
    ] {
        let error = quiver.query(format!("MATCH (t:Team) CALL {call} YIELD path RETURN path")).await;
        let error = error.unwrap_err();
        assert!(error.kind() == ErrorKind::Invalid && error.to_string().contains(message), "{call}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_reads_what_held_at_a_moment() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    let write = "MATCH (a:Team {name: 'Team A'}), (b:Team {name: 'Team B'}), (s:Service {name: 'payments'})
        CREATE (a)-[:RAN {valid_from: date('2020-05-01'), valid_to: date('2022-01-01')}]->(s),
               (b)-[:RAN {valid_from: datetime('2022-01-01T00:00Z')}]->(s)";
    quiver.query(write).await.unwrap();
    let at = |moment: &str| {
        format!("CALL quiver.asOf({moment}) MATCH (t)-[:RAN]->(:Service) RETURN t.name ORDER BY t.name")
    };
    for (moment, names) in [
        ("date('2020-04-30')", &[] as &[&str]),
        ("'2020-05-01'", &["'Team A'"]),
        ("localdatetime('2021-12-31T23:59')", &["'Team A'"]),
        ("'2022-01-01T01:00+01:00'", &["'Team B'"]),
        ("date('2024-01-01')", &["'Team B'"]),
    ] {
        assert_eq!(rows(&quiver, &at(moment)).await, names, "{moment}");
    }
    assert_eq!(rows(&quiver, "MATCH (t)-[:RAN]->() RETURN count(t)").await, ["2"], "all that ever held");
    // What has no dates holds at all times, and later clauses may name another moment.
    let both = "CALL quiver.asOf('2021-01-01') MATCH (:Service {name: 'payments'})<-[:RAN]-(before)
        MATCH (before)-[:OWNS]->(:Service {name: 'payments'})
        CALL quiver.asOf('2023-01-01') MATCH (:Service {name: 'payments'})<-[:RAN]-(after)
        RETURN before.name, after.name";
    assert_eq!(rows(&quiver, both).await, ["'Team A', 'Team B'"]);
    let parts = "CALL quiver.asOf('2021-01-01') MATCH (t)-[:RAN]->() RETURN count(t) AS n
        UNION ALL MATCH (t)-[:RAN]->() RETURN count(t) AS n";
    assert_eq!(rows(&quiver, parts).await, ["1", "2"], "a part of a union reads for itself");
    let inner = "UNWIND ['2019-01-01', '2021-01-01'] AS day
        RETURN day, EXISTS { CALL quiver.asOf(day) MATCH (:Team)-[:RAN]->() RETURN 1 } AS ran";
    assert_eq!(rows(&quiver, inner).await, ["'2019-01-01', false", "'2021-01-01', true"]);
    let path = "MATCH (a:Team {name: 'Team B'}), (b:Service {name: 'payments'}) CALL quiver.asOf($when)
        CALL quiver.path(a, b) YIELD path RETURN length(path)";
    for (when, length) in [("2021-01-01", "3"), ("2023-01-01", "1")] {
        let parameters = Map::from([("when".to_owned(), Value::from(when))]);
        let found = quiver.query(path).parameters(parameters).await.unwrap();
        assert_eq!(found.text(&found.rows[0][0]), length, "{when}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_and_passages_are_read_as_of_a_moment() {
    use quiver::memory::{Cardinality, Fact, Turn};

    let day = |days: i64| days * 86_400_000;
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.declare("runs on", Some(Cardinality::One)).await.unwrap();
    let said = |at: i64, text: &str, host: &str| {
        Turn::new("plan", text).at(at).stating(Fact::new("checkout", "runs on", host))
    };
    quiver
        .remember(vec![
            said(day(18_000), "The checkout runs on Atlas.", "Atlas"),
            said(day(19_000), "The checkout runs on Borealis.", "Borealis"),
        ])
        .await
        .unwrap();
    // Days 18,262 and 19,358 since 1970.
    for (moment, hosts) in
        [("2018-01-01", &[] as &[&str]), ("2020-01-01", &["'Atlas'"]), ("2023-01-01", &["'Borealis'"])]
    {
        let query = format!(
            "CALL quiver.asOf('{moment}') MATCH ({{name: 'checkout'}})-[:`runs on`]->(host) RETURN host.name"
        );
        assert_eq!(rows(&quiver, &query).await, hosts, "{moment}");
        let passages = format!("CALL quiver.asOf('{moment}') MATCH (p:Passage) RETURN count(p)");
        let count = usize::from(moment > "2019-05") + usize::from(moment > "2022-05");
        assert_eq!(rows(&quiver, &passages).await, [count.to_string()], "{moment}");
        let mentions = format!(
            "CALL quiver.asOf('{moment}') MATCH (p)-[:MENTIONS]->({{name: 'checkout'}}) RETURN count(p)"
        );
        assert_eq!(rows(&quiver, &mentions).await, [count.to_string()], "{moment}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moment_that_is_none_is_refused_with_what_is_right() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    let read = "MATCH (t:Team) RETURN t.name";
    for (query, message) in [
        (
            format!("CALL quiver.asOf(7) {read}"),
            "requires a date, not an integer; write CALL quiver.asOf(date(",
        ),
        (format!("CALL quiver.asOf(null) {read}"), "requires a date, not null"),
        (format!("CALL quiver.asOf(time('10:00')) {read}"), "requires a date, not a time"),
        (format!("CALL quiver.asOf(duration('P1D')) {read}"), "requires a date, not a duration"),
        (format!("CALL quiver.asOf('soon') {read}"), "'soon' is not a date; write it as '2024-03-01'"),
        (format!("CALL quiver.asOf('2024-02-30') {read}"), "'2024-02-30' is not a date"),
        (format!("CALL quiver.asOf() {read}"), "takes one moment"),
        (format!("CALL quiver.asof('2024-01-01') {read}"), "did you mean quiver.asOf?"),
        (format!("CALL quiver.asOf('2024-01-01') YIELD x {read}"), "does not yield anything; remove YIELD"),
        ("CALL quiver.asOf('2024-01-01')".to_owned(), "applies to the clauses after it"),
        (
            "CALL quiver.asOf('2024-01-01') MATCH (t:Team) SET t.x = 1".to_owned(),
            "line 1, column 1: quiver.asOf reads the past, which can't be changed",
        ),
        (
            "MATCH (s:Service) CALL quiver.asOf(s.since) MATCH (s)-[:CALLS]->(a) RETURN a".to_owned(),
            "takes one moment for all rows, not both 2020-05-01 and 2024-01-31",
        ),
    ] {
        let error = quiver.query(&query).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{query}: {error}");
        assert!(error.to_string().contains(message), "{query}: {error}");
    }
}

/// Ships in two trades, and what is said of them.
async fn ships(quiver: &Quiver) {
    let ships = "name,trade\nAurelia,timber from the Norby forests\nBoreas,timber from the Norby yard\nCora,salt of the southern islands\nDana,\n";
    quiver.load_nodes(nodes("Ship", "name", ships)).await.unwrap();
    quiver.load_nodes(nodes("Port", "name", "name\nNorby\nSalina\n")).await.unwrap();
    let calls = "from,to\nAurelia,Norby\nBoreas,Norby\nCora,Salina\nDana,Salina\n";
    quiver.load_relationships(links("SAILS_TO", "Ship", "Port", calls)).await.unwrap();
    let texts = [
        ("one", "Ida Holm built a lighthouse on the northern cape. The lighthouse has a green lamp."),
        ("two", "Jon Brandt painted the lighthouse on the northern cape. The green lamp was his idea."),
        ("three", "Karl Dahl bakes bread with rye. His bread is sold on Sundays."),
    ];
    quiver.ingest(texts.map(|(key, text)| Document::new(key, text))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_are_similar_by_what_is_said_of_them() {
    use std::sync::Arc;

    use quiver::models::{Encoder, testing::HashEmbedder};

    let by_vectors = Encoder::with_embedder(Arc::new(HashEmbedder::default()));
    let by_vectors = Quiver::builder().encoder(by_vectors).open().await.unwrap();
    for quiver in [Quiver::in_memory().await.unwrap(), by_vectors] {
        ships(&quiver).await;
        let like = |name: &str, limit: usize| {
            format!(
                "MATCH (s {{name: '{name}'}}) CALL quiver.similar(s, {{limit: {limit}}}) YIELD node, score
                 WHERE score > 0 AND score <= 1 RETURN node.name"
            )
        };
        assert_eq!(rows(&quiver, &like("Aurelia", 1)).await, ["'Boreas'"]);
        assert_eq!(rows(&quiver, &like("Dana", 1)).await, ["'Cora'"]);
        let people = rows(&quiver, &like("Ida Holm", 100)).await;
        let place = |name: &str| people.iter().position(|one| one == name).unwrap_or(people.len());
        assert!(place("'Jon Brandt'") < place("'Karl Dahl'"), "{people:?}");
        let all = rows(&quiver, &like("Aurelia", 100)).await;
        assert!(all.len() > 1 && !all.contains(&"'Aurelia'".to_owned()), "{all:?}");
        let passages =
            "MATCH (p:Passage {document: 'one'}) CALL quiver.similar(p, {limit: 1}) YIELD node AS q
            RETURN q.document";
        assert_eq!(rows(&quiver, passages).await, ["'two'"]);
        let joined = "MATCH (s:Ship {name: 'Aurelia'}) CALL quiver.similar(s) YIELD node AS other, score
            MATCH (other:Ship)-[:SAILS_TO]->(p) RETURN other.name, p.name ORDER BY score DESC LIMIT 1";
        assert_eq!(rows(&quiver, joined).await, ["'Boreas', 'Norby'"]);
        let none = "OPTIONAL MATCH (s:Nothing) CALL quiver.similar(s) YIELD node RETURN node";
        assert_eq!(rows(&quiver, none).await, [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn similar_nodes_of_something_else_are_refused_with_what_is_right() {
    let quiver = Quiver::in_memory().await.unwrap();
    load(&quiver).await;
    for (call, message) in [
        ("quiver.similar(t.name)", "compares a node with others, not a string; write CALL quiver.similar("),
        ("quiver.similar()", "takes a node and a map of options"),
        ("quiver.similar(t, 5)", "takes a node and a map of options"),
        ("quiver.similar(t, {limit: 0})", "the limit is 0, but it must be from 1 to 100"),
        ("quiver.similar(t, {limit: 'x'})", "the limit must be an integer"),
        ("quiver.similar(t, {most: 5})", "no option \"most\"; the only option is limit"),
    ] {
        let query = format!("MATCH (t:Team) CALL {call} YIELD node RETURN node");
        let error = quiver.query(&query).await.unwrap_err();
        assert!(error.kind() == ErrorKind::Invalid && error.to_string().contains(message), "{call}: {error}");
    }
}

/// The rows of a question that is a query, or what else became of it.
async fn asked(quiver: &Quiver, question: &str) -> Vec<String> {
    let found = quiver.query_question(question, QueryOptions::default()).await.unwrap();
    match found.queried {
        Some(queried) => {
            let rows = &queried.rows;
            rows.rows.iter().map(|row| rows.text(&row[0])).collect()
        }
        None if found.readings.is_empty() => vec![format!("unknown: {}", found.unknown.join(", "))],
        None => vec![format!("{} readings {:?}", found.readings.len(), found.readings[0].shared_names)],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_over_loaded_records_is_a_query() {
    let quiver = Quiver::in_memory().await.unwrap();
    assert_eq!(
        asked(&quiver, "Which services call deprecated APIs?").await,
        ["unknown: services, call, deprecated, APIs"]
    );
    load(&quiver).await;
    for (question, rows) in [
        ("Which services of Team A call deprecated APIs?", &["'payments'"] as &[&str]),
        ("How many services does Team A own?", &["2"]),
        ("Which services owned by Team A do not call deprecated APIs?", &["'invoices'"]),
        ("What is the oldest service?", &["'payments'"]),
        ("Which services since 2023 are tier 1?", &["'checkout'"]),
        ("Which team owns the most services?", &["'Team A'"]),
        ("Which services owned by Team A call billing-v1 and billing-v2?", &["unknown: "]),
        ("Which services call risky APIs?", &["unknown: risky"]),
    ] {
        assert_eq!(asked(&quiver, question).await, rows, "{question}");
    }
    // Two teams of one name, and what is written later is known.
    quiver.query("CREATE (:Team {name: 'Team C'}), (:Team {name: 'Team C'})").await.unwrap();
    let shared = ["1 readings [\"2 nodes Team have the name 'Team C'\"]"];
    assert_eq!(asked(&quiver, "Which services does Team C own?").await, shared);
    let refusal = quiver.ask("Which services does Team C own?").await.unwrap().refusal.unwrap();
    let said = "the record is ambiguous: 2 nodes Team have the name 'Team C'";
    assert_eq!(refusal.to_string(), said);
}

#[tokio::test(flavor = "multi_thread")]
async fn ask_answers_by_a_query_where_it_can_and_by_passages_where_not() {
    let quiver = Quiver::in_memory().await.unwrap();
    runbooks(&quiver).await;
    let answer = quiver.ask("Which services of Team A call deprecated APIs?").await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("payments"));
    let query = answer.query.as_ref().unwrap();
    assert_eq!(
        query.rows.proof_lines(0),
        ["Team A -OWNS-> payments -CALLS-> billing-v1"],
        "{}",
        query.reading.cypher
    );
    assert!(answer.trace().to_string().contains("MATCH (service:Service)"), "{}", answer.trace());
    let question = "Which services of Team A call deprecated APIs, and what is the migration guidance?";
    let answer = quiver.ask(question).await.unwrap();
    let expected = "payments\nMigration from billing-v1. Switch the service payments to billing-v2 before the end of June.";
    assert_eq!(answer.text.as_deref(), Some(expected));
    assert_eq!(answer.citations.len(), 1);
    let answer = quiver.ask("What has a garden?").await.unwrap();
    assert_eq!(answer.query, None);
    // No rows: the passages are asked, and the trace says so.
    let answer = quiver.ask("Which services of Team B call billing-v2?").await.unwrap();
    assert_eq!(answer.query, None);
    assert!(answer.trace().to_string().contains("the query has no rows"), "{}", answer.trace());
}

#[tokio::test(flavor = "multi_thread")]
async fn words_that_describe_and_a_last_clause_are_asked_of_what_stands_beside() {
    let quiver = Quiver::in_memory().await.unwrap();
    let apps = "CREATE (:Department {name: 'Logistics'})-[:RUNS]->(planner:App {name: 'shipping-planner'}),
        (planner)-[:USES]->(:Library {name: 'freight-core', state: 'retired'}),
        (planner)-[:HAS_NOTE]->(:Note {body: 'Callers of freight-core switch to freight-next.', file: 'upgrade-advice.md'}),
        (planner)-[:HAS_NOTE]->(:Note {body: 'The planner restarts at midnight.', file: 'ops.md'}),
        (:App {name: 'ledger-view'})-[:USES]->(:Library {name: 'taxlib', state: 'retired'})";
    quiver.query(apps).await.unwrap();
    for (question, expected) in [
        ("Which apps use a retired shipping library?", Some("shipping-planner")),
        ("Which apps use a retired medical library?", None),
        (
            "Which apps run by Logistics use retired libraries, and what is the upgrade advice?",
            Some("shipping-planner (evidence “Callers of freight-core switch to freight-next.”)"),
        ),
        (
            "Which apps use retired libraries, and what is their licence fee?",
            Some(
                "ledger-view; shipping-planner (evidence “Callers of freight-core switch to freight-next.” and \
             “The planner restarts at midnight.”)",
            ),
        ),
        ("Which apps use retired libraries, and what is the state?", None),
    ] {
        let answer = quiver.ask(question).await.unwrap();
        assert_eq!(answer.text.as_deref(), expected, "{question}");
    }
}

#[test]
fn the_graph_finds_moments_in_the_form_that_queries_store() {
    let stored = serde_json::json!({ quiver::graph::MOMENT_KEY: "2026-02-11" });
    let value = Value::from_json(&stored);
    assert!(matches!(value, Value::Moment(_)), "{value:?}");
    assert_eq!(value.to_json(), stored);
}
