//! Conditions on properties are filters inside the search: the rows are the same as if they were compared late, and less
//! is read.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use quiver::{
    Document, Quiver,
    cypher::{Options, Value},
    query::{Queried, QueryOptions},
};
use tokio::runtime::Runtime;

/// Values of one key: a property has no type.
const VALUES: &[&str] = &[
    "0",
    "-0.0",
    "1",
    "1.0",
    "-3",
    "2.5",
    "1950",
    "1951",
    "1000000000000000",
    "1e15",
    "9007199254740993",
    "9007199254740992.0",
    "-9223372036854775807",
    "1e300",
    "''",
    "'a'",
    "'payments'",
    "'payments-service'",
    "'payments-service-of-team-a'",
    "'payments-service-of-team-b'",
    "'1'",
    "'Ä \"quoted\" `text`'",
    "true",
    "false",
    "[1, 2]",
    "['payments']",
    "date('1950-01-01')",
    "date('2024-02-29')",
    "date('-0044-03-15')",
    "datetime('2024-02-29T10:00Z')",
    "datetime('2024-02-29T11:00+01:00')",
    "datetime('2024-02-29T10:00:00.5Z')",
    "localdatetime('2024-02-29T10:00')",
    "time('10:00Z')",
    "localtime('10:00')",
    "duration('P1D')",
    "duration('PT24H')",
];
const OPERATORS: &[&str] = &["=", "<", "<=", ">", ">=", "STARTS WITH", "IN"];

async fn run(quiver: &Quiver, query: &str, compares_late: bool) -> Queried {
    let cypher = Options { compares_late, ..Options::default() };
    let options = QueryOptions { cypher, profile: true, ..QueryOptions::default() };
    quiver.query(query).options(options).await.unwrap()
}

fn condition(variable: &str) -> impl Strategy<Value = String> {
    let variable = variable.to_owned();
    let parts = (
        prop::sample::select(&["x", "y", "name"][..]),
        prop::sample::select(OPERATORS),
        prop::sample::select(VALUES),
        prop::sample::select(VALUES),
        any::<bool>(),
    );
    parts.prop_map(move |(key, operator, value, other, is_flipped)| match operator {
        "IN" => format!("{variable}.{key} IN [{value}, {other}, null]"),
        "STARTS WITH" => format!("{variable}.{key} STARTS WITH {value}"),
        _ if is_flipped => format!("{value} {operator} {variable}.{key}"),
        _ => format!("{variable}.{key} {operator} {value}"),
    })
}

/// One node and one relationship for each value, and relationships to a passage's entity.
async fn fill(quiver: &Quiver) {
    let mut parts = vec!["CREATE (hub:Hub {name: 'hub'})".to_owned()];
    for (at, value) in VALUES.iter().enumerate() {
        let other = VALUES[(at * 7 + 3) % VALUES.len()];
        parts.push(format!("(n{at}:Item {{id: {at}, x: {value}, y: {other}, name: {other}}})"));
        parts.push(format!("(hub)-[:HAS {{id: {at}, x: {value}, y: {other}}}]->(n{at})"));
    }
    let text = parts.join(", ");
    quiver.query(&text).await.unwrap();
    let text = "Anna Weber works for the payments-service in Berlin. Berlin is a city.";
    quiver.ingest([Document::new("city", text)]).await.unwrap();
}

fn same_rows(runtime: &Runtime, quiver: &Quiver, cases: u32) {
    let conditions = |variable| prop::collection::vec(condition(variable), 1..3);
    let mut runner = TestRunner::deterministic();
    for _ in 0..cases {
        let of = |variable, runner: &mut TestRunner| {
            conditions(variable).new_tree(runner).unwrap().current().join(" AND ")
        };
        let node = of("n", &mut runner);
        let link = of("r", &mut runner);
        for query in [
            format!("MATCH (n) WHERE {node} RETURN id(n) ORDER BY id(n)"),
            format!("MATCH (n:Item) WHERE {node} RETURN n.id ORDER BY n.id"),
            format!("MATCH (:Hub)-[r]->(n) WHERE {link} RETURN n.id ORDER BY n.id"),
            format!("MATCH (n:Item)<-[r:HAS]-(h) WHERE {link} AND {node} RETURN n.id ORDER BY n.id"),
            format!("MATCH (h:Hub)-[r]->(n) WHERE {node} RETURN n.id, n.x, r.y ORDER BY n.id"),
            format!(
                "MATCH (:Hub)-[r]-(n) MATCH (n:Item)--(m) WHERE {node} AND {link} RETURN n.id, m.name ORDER BY n.id"
            ),
            format!(
                "MATCH (h:Hub) OPTIONAL MATCH (h)--(n:Item) WHERE {node} RETURN h.name, n.id ORDER BY n.id"
            ),
            format!("MATCH (h:Hub)-[r]->(n) MATCH (h)-[other]->(n) WHERE {link} RETURN n.id ORDER BY n.id"),
            format!(
                "MATCH p = (:Hub)-->(n) WHERE {node} RETURN [m IN nodes(p) | m.name] AS names ORDER BY names"
            ),
        ] {
            let (early, late) = runtime
                .block_on(async { (run(quiver, &query, false).await, run(quiver, &query, true).await) });
            assert_eq!(early.rows.rows, late.rows.rows, "{query}\n{:#?}", early.plan);
        }
    }
}

#[test]
fn rows_are_the_same_with_and_without_filters() {
    let runtime = Runtime::new().unwrap();
    let quiver = runtime.block_on(async {
        let quiver = Quiver::in_memory().await.unwrap();
        fill(&quiver).await;
        quiver
    });
    same_rows(&runtime, &quiver, 150);
}

#[cfg(feature = "embedded")]
#[test]
fn rows_are_the_same_in_an_embedded_database() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = Runtime::new().unwrap();
    let quiver = runtime.block_on(async {
        let quiver = Quiver::open(directory.path()).await.unwrap();
        fill(&quiver).await;
        quiver
    });
    same_rows(&runtime, &quiver, 25);
}

/// The calls and points of the last line of a profile.
fn whole(queried: &Queried) -> (u64, u64) {
    let line = queried.plan.last().unwrap();
    let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
    (numbers[0], numbers[1])
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_can_match_is_read() {
    let quiver = Quiver::in_memory().await.unwrap();
    let text = "UNWIND range(1, 2000) AS i
        CREATE (:Service {name: 'service ' + i, size: i, since: date('2000-01-01') + duration({days: i})})";
    quiver.query(text).await.unwrap();
    let text = "CREATE (h:Hub {name: 'hub'}) WITH h MATCH (s:Service)
        CREATE (h)-[:USES {rate: s.size, unit: 'unit ' + s.size}]->(s)";
    quiver.query(text).await.unwrap();
    for (query, rows) in [
        ("MATCH (s:Service) WHERE s.size > 1990 RETURN s.name", 10),
        ("MATCH (s:Service) WHERE 100 <= s.size < 110 RETURN s.name", 10),
        ("MATCH (s:Service) WHERE s.size IN [1, 2, 3] RETURN s.name", 3),
        ("MATCH (s:Service) WHERE s.name STARTS WITH 'service 199' RETURN s.name", 11),
        ("MATCH (s:Service) WHERE s.since < date('2000-01-11') RETURN s.name", 9),
        ("MATCH (:Hub)-[u:USES]->(s) WHERE u.rate > 1995.5 RETURN s.name", 5),
        ("MATCH (:Hub)-[:USES {unit: 'unit 7'}]->(s) RETURN s.name", 1),
        ("MATCH (:Hub)-[:USES* {rate: 7}]->(s) RETURN s.name", 1),
        ("MATCH (:Hub)-[:USES]->(s:Service {size: 7}) RETURN s.name", 1),
        ("MATCH (:Hub)-[:USES]->(s:Service) WHERE s.size > 1990 RETURN s.name", 10),
        ("MATCH (:Hub)-[:USES]->(s) MATCH (s:Service) WHERE s.size IN [3, 4] RETURN s.name", 2),
        ("MATCH (h:Hub), (s:Service {size: 7}) MATCH (h)-[u:USES]->(s) RETURN u.rate", 1),
    ] {
        let early = run(&quiver, query, false).await;
        let late = run(&quiver, query, true).await;
        assert_eq!(early.rows.rows.len(), rows, "{query}");
        let ((early_calls, early_points), (late_calls, late_points)) = (whole(&early), whole(&late));
        println!("{early_calls} calls, {early_points} points; {late_calls}, {late_points} late: {query}");
        // A hub, each relationship and each node.
        assert!(early_points <= 2 * rows as u64 + 2, "{query}: {:#?}", early.plan);
        assert!(late_points >= 2000, "{query}: {:#?}", late.plan);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_are_reached_are_read_in_batches_and_only_if_they_are_needed() {
    let quiver = Quiver::in_memory().await.unwrap();
    let text = "CREATE (h:Hub) WITH h UNWIND range(1, 1000) AS i
        CREATE (h)-[:USES {i: i}]->(:Service {name: 'service ' + i})-[:CALLS]->(:Api {i: i})";
    quiver.query(text).await.unwrap();
    for (query, calls_max) in [
        ("MATCH (:Hub)-[u:USES]->(s:Service) RETURN count(*)", 10),
        ("MATCH (:Hub)-[u:USES]->(s:Service)-[:CALLS]->(a) WHERE a.i = 7 RETURN s.name", 25),
        (
            "MATCH (:Hub)-[u:USES]->(s) WITH collect(u) AS all RETURN [u IN all | endNode(u).name] AS names",
            16,
        ),
        ("MATCH p = (:Hub)-[u:USES]->(s) WITH p RETURN [n IN nodes(p) | n.name] AS names", 16),
    ] {
        let (calls, points) = whole(&run(&quiver, query, false).await);
        assert!(calls <= calls_max, "{query}: {calls} calls, {points} points");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_condition_on_a_random_number_is_left_to_its_clause() {
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.query("UNWIND range(1, 400) AS i CREATE (:N {x: i / 400.0})").await.unwrap();
    let text = "MATCH (n:N) MATCH (m:N) WHERE n.x = m.x AND n.x < rand() RETURN count(*)";
    let options = QueryOptions { explain: true, ..QueryOptions::default() };
    let plan = quiver.query(text).options(options).await.unwrap().plan;
    assert!(plan.iter().all(|line| !line.contains("with x < rand()")), "{plan:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_begins_where_the_filter_leaves_least() {
    let quiver = Quiver::in_memory().await.unwrap();
    let text = "UNWIND range(1, 50) AS i CREATE (:Team {name: 't' + i, size: i})-[:OWNS {share: i}]->(:Service {size: i})";
    quiver.query(text).await.unwrap();
    let plan = async |query: &str| {
        let options = QueryOptions { explain: true, ..QueryOptions::default() };
        quiver.query(query).options(options).await.unwrap().plan
    };
    let lines =
        plan("MATCH (t:Team)-[o:OWNS]->(s:Service) WHERE s.size >= 48 AND 3 < o.share RETURN t").await;
    assert_eq!(lines[1], "  find (s:Service) with size >= 48, about 6");
    assert!(lines.contains(&"  follow (s)<-[o:OWNS]-(t) with share > 3".to_owned()), "{lines:#?}");
    let lines = plan("MATCH (t:Team)-[:OWNS]->(s:Service) WHERE t.name STARTS WITH 't4' RETURN s").await;
    assert_eq!(lines[1], "  find (t:Team) with name STARTS WITH 't4', about 11");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_query_changed_is_filtered_as_it_is_now() {
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.query("CREATE (:A {x: 1})-[:R {x: 1}]->(:B), (:A {x: 9})-[:R {x: 9}]->(:B)").await.unwrap();
    let text = "MATCH (a:A)-[r:R]->(:B) SET a.x = 10 - a.x, r.x = 10 - r.x WITH count(*) AS c
        MATCH (a:A)-[r:R]->(:B) WHERE a.x > 5 AND r.x < 15 AND r.x > 5 RETURN a.x, r.x";
    let found = quiver.query(text).await.unwrap();
    assert_eq!(found.rows, [[Value::from(9), Value::from(9)]]);
}
