//! Errors name the position and the nearest name; plans, proofs and reasons are readable.

use quiver_cypher::{ErrorKind, Map, MemoryGraph, Options, Query, Value};

fn catalogue() -> MemoryGraph {
    let graph = MemoryGraph::new();
    let text =
        "CREATE (a:Team {name: 'Team A'}), (p:Service {name: 'payments'}), (c:Service {name: 'checkout'}),
        (old:API {name: 'billing-v1', status: 'deprecated'}), (eu:Region {name: 'eu-west-1'}),
        (a)-[:OWNS]->(p), (a)-[:OWNS]->(c), (p)-[:CALLS {since: 2020}]->(old), (p)-[:DEPLOYED_IN]->(eu)";
    let query = Query::parse(text).expect("the query is valid");
    query.run(&graph, &Map::new(), &Options::default()).expect("the graph is written");
    graph
}

#[test]
fn clients_of_neo4j_ask_what_answers_and_what_there_is() {
    let graph = catalogue();
    let run = |text: &str| {
        let found =
            Query::parse(text).expect(text).run(&graph, &Map::new(), &Options::default()).expect(text);
        (found.columns, found.rows)
    };
    let (columns, rows) = run("CALL dbms.components()");
    assert_eq!(columns, ["name", "versions", "edition"]);
    let versions = Value::list(vec![env!("CARGO_PKG_VERSION").into()]);
    assert_eq!(rows, [["Quiver".into(), versions, "community".into()]]);
    let (columns, rows) = run("CALL db.propertyKeys() YIELD propertyKey AS key RETURN key");
    assert_eq!(
        (columns, rows.concat()),
        (vec!["key".to_owned()], ["name", "since", "status"].map(Value::from).to_vec())
    );
}

#[test]
fn errors_name_the_place_and_the_nearest_name() {
    let cases = [
        (
            "MATCH (n) RETRUN n",
            "line 1, column 11: expected a clause such as MATCH or RETURN, found \"RETRUN\"; did you mean RETURN?",
        ),
        (
            "MATCH (node)\nRETURN nod",
            "line 2, column 8: the variable \"nod\" is not defined; did you mean \"node\"?",
        ),
        ("RETURN toUper('a')", "line 1, column 8: there is no function toUper(); did you mean toUpper()?"),
        ("RETURN substring('a')", "line 1, column 8: substring() takes 2 to 3 arguments, not 1"),
        ("MATCH (n RETURN n", "line 1, column 10: expected \")\" at the end of the node, found \"RETURN\""),
        ("MATCH (n)", "line 1, column 1: a query can't end with MATCH; add RETURN"),
        ("RETURN 'abc", "line 1, column 8: the string is not closed: ' is missing"),
    ];
    for (text, message) in cases {
        let error = Query::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(error.kind(), ErrorKind::Syntax);
    }
}

#[test]
fn a_missing_parameter_is_named() {
    let query = Query::parse("MATCH (n {name: $team}) RETURN n").unwrap();
    let given = Map::from([("tean".to_owned(), Value::from("a"))]);
    let error = query.run(&MemoryGraph::new(), &given, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 17: the parameter $team is missing; did you mean $tean?");
    assert_eq!(error.kind(), ErrorKind::Parameter);
}

#[test]
fn an_empty_result_is_explained_with_the_nearest_value() {
    let graph = catalogue();
    let cases = [
        (
            "MATCH (s)-[:DEPLOYED_IN]->(:Region {name: 'eu-west1'}) RETURN s",
            "no Region has name 'eu-west1'; there is 'eu-west-1'",
        ),
        ("MATCH (s:Servce) RETURN s", "there is no node with the label Servce; there is Service"),
        (
            "MATCH (t:Team)-[:OWN]->(s) RETURN s",
            "there is no relationship of type OWN; there is OWNS; matched so far: find (t:Team), about 1 (1)",
        ),
        (
            "MATCH (s:Service)-[:CALLS]->(a:API) WHERE a.status = 'active' RETURN s",
            "no API has status 'active'",
        ),
    ];
    for (text, reason) in cases {
        let query = Query::parse(text).unwrap();
        assert!(query.run(&graph, &Map::new(), &Options::default()).unwrap().rows.is_empty());
        let found = query.why_not(&graph, &Map::new(), &Options::default()).unwrap();
        assert_eq!(found.as_deref(), Some(reason));
    }
}

#[test]
fn a_row_carries_the_relationships_that_it_rests_on() {
    let graph = catalogue();
    let text = "MATCH (t:Team)-[:OWNS]->(s)-[:CALLS]->(a:API) RETURN s.name AS service, count(a) AS apis";
    let options = Options { proof: true, ..Options::default() };
    let found = Query::parse(text).unwrap().run(&graph, &Map::new(), &options).unwrap();
    assert_eq!(found.columns, ["service", "apis"]);
    assert_eq!(found.rows, [[Value::from("payments"), Value::Integer(1)]]);
    let mut proof: Vec<String> = found.proofs[0].iter().map(|value| found.text(value)).collect();
    proof.sort();
    assert_eq!(
        proof,
        [
            "(:API {name: 'billing-v1', status: 'deprecated'})",
            "(:Service {name: 'payments'})",
            "(:Team {name: 'Team A'})",
            "[:CALLS {since: 2020}]",
            "[:OWNS]",
        ]
    );
}

#[test]
fn the_plan_begins_at_the_rarer_end() {
    let graph = catalogue();
    let text = "MATCH (s:Service)-[:DEPLOYED_IN]->(r:Region {name: $region}) RETURN s.name";
    let parameters = Map::from([("region".to_owned(), Value::from("eu-west-1"))]);
    let plan = Query::parse(text).unwrap().explain(&graph, &parameters, &Options::default()).unwrap();
    assert_eq!(
        plan,
        [
            "MATCH",
            "  find (r:Region) with name = $region, about 1",
            "  keep (r:Region)",
            "  keep where r.name = $region",
            "  follow (r)<-[:DEPLOYED_IN]-(s)",
            "  keep (s:Service)",
            "RETURN s.name",
        ]
    );
}

#[test]
fn what_a_later_clause_compares_is_looked_up_where_a_node_is_reached() {
    let graph = catalogue();
    let text = "MATCH (s:Service)-[:CALLS]->(a:API) MATCH (s)-[:DEPLOYED_IN]->(:Region {name: 'eu-west-1'})
        WHERE a.status = $status RETURN s.name AS name";
    let parameters = Map::from([("status".to_owned(), Value::from("deprecated"))]);
    let query = Query::parse(text).unwrap();
    let plan = query.explain(&graph, &parameters, &Options::default()).unwrap();
    assert_eq!(
        plan,
        [
            "MATCH",
            "  find (a:API) with status = $status, about 1",
            "  keep (a:API)",
            "  follow (a)<-[:CALLS]-(s)",
            "  keep (s:Service)",
            "MATCH",
            "  keep where a.status = $status",
            "  follow (s)-[:DEPLOYED_IN]->(), only to (:Region) with name = 'eu-west-1'",
            "  keep (:Region) with name = 'eu-west-1'",
            "  keep where name = 'eu-west-1'",
            "RETURN name",
        ]
    );
    let found = query.run(&graph, &parameters, &Options::default()).unwrap();
    assert_eq!(found.rows, [[Value::from("payments")]]);
}

#[test]
fn a_query_tells_whether_it_asks_for_its_plan() {
    let graph = MemoryGraph::new();
    let explained = Query::parse("explain CREATE (n:N) RETURN n").unwrap();
    assert!(explained.asks_for_plan() && !explained.writes());
    let found =
        explained.run(&graph, &Map::new(), &Options { read_only: true, ..Options::default() }).unwrap();
    assert!(found.rows.is_empty() && graph.nodes().is_empty());
    assert_eq!(explained.explain(&graph, &Map::new(), &Options::default()).unwrap(), ["CREATE", "RETURN n"]);
    let profiled = Query::parse("PROFILE CREATE (n:N) RETURN n").unwrap();
    assert!(profiled.asks_for_profile() && profiled.writes());
    assert_eq!(profiled.run(&graph, &Map::new(), &Options::default()).unwrap().rows.len(), 1);
    let error = Query::parse("SHOW DATABASES").unwrap_err();
    assert!(error.to_string().contains("SHOW is not supported; CALL db.labels()"), "{error}");
}

#[test]
fn a_query_that_writes_is_refused_where_only_reading_is_allowed() {
    let options = Options { read_only: true, ..Options::default() };
    let error =
        Query::parse("CREATE (n)").unwrap().run(&MemoryGraph::new(), &Map::new(), &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Constraint);
}

#[test]
fn an_optional_match_reads_all_rows_at_once_and_keeps_their_order() {
    let graph = MemoryGraph::new();
    let create = "UNWIND range(1, 300) AS i CREATE (n:N {i: i}) WITH n, i WHERE i % 3 = 0 CREATE (n)-[:R]->(:M {i: i})";
    Query::parse(create).unwrap().run(&graph, &Map::new(), &Options::default()).unwrap();
    let text = "MATCH (n:N) OPTIONAL MATCH (n)-[:R*1..2]->(m) RETURN n.i, m.i";
    let found = Query::parse(text).unwrap().run(&graph, &Map::new(), &Options::default()).unwrap();
    let expected: Vec<[Value; 2]> = (1..=300_i64)
        .map(|i| [Value::Integer(i), if i % 3 == 0 { Value::Integer(i) } else { Value::Null }])
        .collect();
    assert_eq!(found.rows, expected);
    let first = Query::parse("MATCH (n:N) OPTIONAL MATCH (n)-->(m) RETURN n.i LIMIT 2").unwrap();
    assert_eq!(first.run(&graph, &Map::new(), &Options::default()).unwrap().rows.len(), 2);
}
