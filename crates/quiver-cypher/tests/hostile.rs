//! Queries that would exhaust the stack, the memory or the time end with an error.

use std::time::{Duration, Instant};

use quiver_cypher::{Budget, ErrorKind, Map, MemoryGraph, Options, Query, Result, Rows, Value};

fn run(graph: &MemoryGraph, text: &str, parameters: &Map) -> Result<Rows> {
    let budget = Budget { rows_max: 20_000, time_max: Duration::from_secs(2), ..Budget::default() };
    Query::parse(text)?.run(graph, parameters, &Options { budget, ..Options::default() })
}

/// A complete graph of some nodes.
fn dense(nodes: i64) -> MemoryGraph {
    let graph = MemoryGraph::new();
    let parameters = Map::from([("n".to_owned(), Value::Integer(nodes))]);
    run(&graph, "UNWIND range(1, $n) AS i CREATE (:N {i: i})", &parameters).expect("nodes");
    run(&graph, "MATCH (a:N), (b:N) WHERE a.i < b.i CREATE (a)-[:R]->(b)", &Map::new())
        .expect("relationships");
    graph
}

#[test]
fn deep_nesting_is_refused_and_never_overflows_the_stack() {
    let repeated = |open: &str, inner: &str, close: &str| {
        format!("RETURN {}{inner}{}", open.repeat(5000), close.repeat(5000))
    };
    let hostile = [
        repeated("(", "1", ")"),
        repeated("[", "1", "]"),
        repeated("{a: ", "1", "}"),
        repeated("NOT ", "true", ""),
        repeated("-", "1", ""),
        repeated("size(", "1", ")"),
        repeated("CASE WHEN ", "true", " THEN 1 END"),
        repeated("[x IN ", "[]", " | x]"),
        repeated("1 + ", "1", ""),
        repeated("1 ^ ", "1", ""),
        repeated("true AND ", "true", ""),
        repeated("1 < ", "1", ""),
        format!("RETURN x{}", ".a".repeat(5000)),
        format!("RETURN [1]{}", "[0]".repeat(5000)),
        format!("RETURN 1{}", " IS NULL".repeat(5000)),
        format!("MATCH (a){} RETURN a", "-[:R]->()".repeat(2000)),
        format!("MATCH {} RETURN 1", "((".repeat(3000)),
        format!("RETURN {}", "({a: (x {b: ".repeat(40)),
        format!("RETURN {}1{}", "EXISTS { MATCH (a) WHERE ".repeat(500), " }".repeat(500)),
    ];
    let graph = MemoryGraph::new();
    for query in hostile {
        let start = Instant::now();
        let error = run(&graph, &query, &Map::new()).expect_err(&query[..60.min(query.len())]);
        assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
        assert!(start.elapsed() < Duration::from_secs(5), "{}", &query[..60.min(query.len())]);
    }
}

#[test]
fn the_deepest_expressions_that_are_allowed_run() {
    let graph = MemoryGraph::new();
    let nested = format!("RETURN {}1{} AS x", "(".repeat(55), ")".repeat(55));
    let sum = format!("RETURN {}1 AS x", "1 + ".repeat(200));
    let lists = format!("RETURN {}1{} AS x", "[".repeat(50), "]".repeat(50));
    let conditions = format!("MATCH (n) WHERE {} RETURN n", vec!["n.a = 1"; 200].join(" OR "));
    for query in [nested, sum, lists, conditions] {
        run(&graph, &query, &Map::new()).unwrap();
    }
}

#[test]
fn what_grows_without_bound_meets_a_budget() {
    let graph = dense(60);
    let hostile = [
        "MATCH (a)-[*]->(b) RETURN count(*)",
        "MATCH (a), (b), (c), (d) RETURN count(*)",
        "MATCH p = (a)-[*1..20]-(b) RETURN p",
        "UNWIND range(1, 1000000000000) AS x RETURN count(x)",
        "RETURN size(range(1, 9223372036854775807))",
        "RETURN reduce(s = 'aaaaaaaa', x IN range(1, 60) | s + s)",
        "RETURN reduce(s = [1, 2], x IN range(1, 60) | s + s)",
        "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN count(*)",
        "RETURN [x IN range(1, 3000) | [y IN range(1, 3000) | size(range(1, 3000))]]",
    ];
    for query in hostile {
        let start = Instant::now();
        let error = run(&graph, query, &Map::new()).expect_err(query);
        assert_eq!(error.kind(), ErrorKind::Budget, "{query}: {error}");
        assert!(start.elapsed() < Duration::from_secs(10), "{query} took {:?}", start.elapsed());
    }
}

/// Values that are small in memory, because their parts are shared, and endless when printed.
#[test]
fn values_that_are_deep_or_endless_are_refused() {
    let graph = MemoryGraph::new();
    run(&graph, "CREATE (:N {text: reduce(x = 'x', i IN range(1, 20) | x + x)})-[:R]->(:N)", &Map::new())
        .expect("a long text");
    let deep = |step: &str| format!("RETURN reduce(x = 1, i IN range(1, 100000) | {step}) AS x");
    let hostile = [
        deep("[x]"),
        deep("{a: x}"),
        deep("[y IN [1] | x]"),
        deep("[x, x]"),
        format!("WITH [1] AS a {} RETURN a", "WITH collect(a) AS a ".repeat(300)),
        format!("MATCH (n:N) WITH n, 1 AS a {} RETURN a", "WITH n, [(n)-->() | a] AS a ".repeat(300)),
        "WITH range(1, 1000000) AS all UNWIND range(1, 10000) AS i RETURN all".to_owned(),
        "MATCH (n:N {text: n.text}) UNWIND range(1, 10000) AS i RETURN n".to_owned(),
        "MATCH p = (:N)-->() UNWIND range(1, 10000) AS i RETURN p".to_owned(),
    ];
    for query in hostile {
        let start = Instant::now();
        let error = run(&graph, &query, &Map::new()).expect_err(&query);
        assert_eq!(error.kind(), ErrorKind::Budget, "{query}: {error}");
        assert!(start.elapsed() < Duration::from_secs(10), "{query} took {:?}", start.elapsed());
    }
    let flat = run(&graph, "RETURN size(reduce(x = [], i IN range(1, 3000) | x + [i])) AS size", &Map::new());
    assert_eq!(
        flat.map(|found| found.rows).map_err(|error| error.to_string()),
        Ok(vec![vec![Value::Integer(3000)]])
    );
}

#[test]
fn a_limit_ends_a_large_match_early() {
    let graph = dense(60);
    let found = run(&graph, "MATCH (a)-[*1..2]->(b) RETURN a LIMIT 3", &Map::new());
    assert_eq!(found.map(|found| found.rows.len()).map_err(|error| error.to_string()), Ok(3));
    let found = run(&graph, "MATCH (a), (b), (c), (d) RETURN a LIMIT 3", &Map::new()).unwrap();
    assert_eq!(found.rows.len(), 3);
}

#[test]
fn a_failed_query_writes_nothing() {
    let graph = MemoryGraph::new();
    let error = run(&graph, "CREATE (:A) WITH 1 AS x RETURN x / 0", &Map::new()).unwrap_err();
    assert_eq!(error.message(), "division by zero");
    assert!(graph.nodes().is_empty());
}

#[test]
fn any_text_is_parsed_or_refused() {
    // Parts of queries in random order, with a fixed seed.
    let pieces = [
        "MATCH",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "a",
        ":B",
        "-",
        "->",
        "<-",
        "*",
        "..",
        "1",
        "'x'",
        "RETURN",
        "WITH",
        "WHERE",
        "AS",
        ",",
        ".",
        "$p",
        "NOT",
        "IN",
        "CASE",
        "WHEN",
        "THEN",
        "END",
        "EXISTS",
        "COUNT",
        "UNION",
        "=",
        "+",
        "|",
        "`",
        "'",
        "é",
        "\u{0}",
        "ORDER BY",
        "LIMIT",
        "shortestPath",
        "all",
        "IS NULL",
        "CREATE",
        "SET",
    ];
    let mut state: u64 = 7;
    for _ in 0..4_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[usize::try_from(state >> 33).unwrap() % pieces.len()]);
            text.push(' ');
        }
        if let Ok(query) = Query::parse(&text) {
            let _ = query.run(&MemoryGraph::new(), &Map::new(), &Options::default());
        }
    }
}
