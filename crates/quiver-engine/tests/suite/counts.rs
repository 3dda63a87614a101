//! Queries that only count are answered by a count of the database: with the same rows as if what is counted were found,
//! and without reading it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    Document, Quiver,
    cypher::Options,
    memory::Turn,
    query::{Queried, QueryOptions},
};

const COUNTS: &[&str] = &[
    "MATCH (n) RETURN count(*)",
    "MATCH (n) RETURN count(n) AS nodes, count(*) + 1 AS more",
    "MATCH (n) WITH count(n) AS nodes WHERE nodes > 1000 RETURN nodes",
    "MATCH (n) WITH count(n) AS nodes MATCH (p:Passage) RETURN nodes, count(p)",
    "MATCH () RETURN count(*) AS nodes ORDER BY count(*) LIMIT 1",
    "MATCH (n:Passage) RETURN count(n)",
    "MATCH (n:Service) RETURN count(n)",
    "MATCH (n:Service:Critical) RETURN count(n)",
    "MATCH (n:Passage:Service) RETURN count(n)",
    "MATCH (n:Entity) RETURN count(n)",
    "MATCH (n:Person) RETURN count(n)",
    "MATCH (n:Nothing) RETURN count(*)",
    "MATCH ()-[r]->() RETURN count(r)",
    "MATCH ()<--() RETURN count(*)",
    "MATCH (a)-[:OWNS]->(b) RETURN count(a)",
    "MATCH (a)-[r:owns]->(b) RETURN count(r)",
    "MATCH ()-[r:MENTIONS]->() RETURN count(r)",
    "MATCH ()-[r:ABOUT|OWNS]->() RETURN count(*)",
    "MATCH (n) RETURN count(*) UNION ALL MATCH ()-->() RETURN count(*)",
    // These are found, since more is asked of them than their number.
    "MATCH (n:Service) RETURN count(n.tier)",
    "MATCH (n:Service) RETURN count(DISTINCT n)",
    "MATCH (n:Service) RETURN n.tier, count(*)",
    "MATCH (n:Service) RETURN count(*), collect(n.name)",
    "MATCH (n:Service) WHERE n.tier = 1 RETURN count(*)",
    "MATCH (n:Service {tier: 1}) RETURN count(*)",
    "MATCH (a)-[:OWNS]-(b) RETURN count(*)",
    "MATCH (a)-[:OWNS]->(a) RETURN count(*)",
    "MATCH (a:Team)-->(b) RETURN count(*)",
    "OPTIONAL MATCH (n:Nothing) RETURN count(n), count(*)",
    "MATCH (n) WITH n MATCH (m:Service) RETURN count(*)",
];

async fn fill(quiver: &Quiver) {
    let create = "CREATE (a:Team {name: 'A'}), (s:Service:Critical {name: 'pay', tier: 1}), \
        (t:Service {name: 'bill'}), (a)-[:OWNS]->(s), (a)-[:OWNS]->(t), (a)-[:owns]->(t), (s)-[:OWNS]->(s), ({odd: 1})";
    quiver.query(create).await.unwrap();
    let text = "Anna Weber works for Tidewater in Berlin. Berlin is a city. Anna Weber met Bo Lind.";
    quiver.ingest([Document::new("city", text), Document::new("empty", "It rains.")]).await.unwrap();
    let say = |turn, text: &str| Turn {
        session: "s".to_owned(),
        number: Some(turn),
        text: text.to_owned(),
        ..Turn::default()
    };
    let turns =
        vec![say(0, "Mara works at Tidewater."), say(1, "Mara works at Norby."), say(2, "Bo likes tea.")];
    quiver.remember(turns).await.unwrap();
    quiver.merge("Norby", "Tidewater", "decided by hand").await.unwrap();
}

async fn run(quiver: &Quiver, query: &str, compares_late: bool, proof: bool) -> Queried {
    let cypher = Options { compares_late, proof, ..Options::default() };
    let options = QueryOptions { cypher, profile: true, ..QueryOptions::default() };
    quiver.query(query).options(options).await.unwrap()
}

async fn check(quiver: &Quiver) {
    for query in COUNTS {
        for proof in [false, true] {
            let (counted, found) =
                (run(quiver, query, false, proof).await, run(quiver, query, true, proof).await);
            assert_eq!(counted.rows.rows, found.rows.rows, "{query}\n{:#?}", counted.plan);
            assert_eq!(counted.rows.columns, found.rows.columns, "{query}");
            assert_eq!(counted.rows.proofs, found.rows.proofs, "{query}\n{:#?}", counted.plan);
        }
    }
}

async fn check_reads(quiver: &Quiver) {
    for (query, points) in [
        ("MATCH (n) RETURN count(*)", 0),
        ("MATCH (p:Passage) RETURN count(p)", 0),
        ("MATCH ()-[r:OWNS]->() RETURN count(r)", 4),
    ] {
        let counted = run(quiver, query, false, false).await;
        let whole = counted.plan.last().unwrap();
        assert!(whole.contains(&format!(", {points} point")), "{query}: {:#?}", counted.plan);
    }
    // What is not shown is not found either.
    let first = run(quiver, "MATCH (n) RETURN id(n) LIMIT 2", false, false).await;
    assert!(
        first.plan.iter().any(|line| line.starts_with("find (n)") && line.contains(": 2 rows")),
        "{:#?}",
        first.plan
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_what_would_be_found() {
    let quiver = Quiver::in_memory().await.unwrap();
    check(&quiver).await;
    fill(&quiver).await;
    check(&quiver).await;
    check_reads(&quiver).await;
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn counts_are_what_would_be_found_in_an_embedded_database() {
    let directory = tempfile::tempdir().unwrap();
    let quiver = Quiver::open(directory.path()).await.unwrap();
    fill(&quiver).await;
    check(&quiver).await;
    check_reads(&quiver).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_query_wrote_is_counted() {
    let quiver = Quiver::in_memory().await.unwrap();
    fill(&quiver).await;
    let before = run(&quiver, "MATCH (n:Team) RETURN count(n) AS teams", false, false).await.rows.rows;
    let query =
        "MATCH (n:Team) SET n:Old RETURN count(n) AS teams UNION ALL MATCH (n:Old) RETURN count(n) AS teams";
    let found = quiver.query(query).await.unwrap();
    assert_eq!(found.rows, [before[0].clone(), before[0].clone()]);
}
