//! Transactions: several queries, written as one change or not at all.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    ErrorKind, Quiver,
    cypher::Value,
    graph::Relation,
    query::{GraphSchema, LabelSchema, PropertySchema, Transaction},
    store::Filter,
};

async fn catalogue() -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    let query = "CREATE (:Team {name: 'A'})-[:OWNS {share: 1}]->(:Service {name: 'payments', tier: 1})";
    quiver.query(query).await.unwrap();
    quiver
}

async fn of(quiver: &Quiver, query: &str) -> Value {
    quiver.query(query).await.unwrap().rows.remove(0).remove(0)
}

async fn within(transaction: &mut Transaction, query: &str) -> Vec<Vec<Value>> {
    transaction.query(query).await.unwrap().rows
}

#[tokio::test]
async fn what_a_transaction_changes_is_seen_by_itself_and_written_as_a_whole() {
    let quiver = catalogue().await;
    let mut transaction = quiver.begin_transaction();
    within(&mut transaction, "MATCH (s:Service) SET s.tier = 2").await;
    within(&mut transaction, "CREATE (:Team {name: 'B'})").await;
    within(&mut transaction, "MATCH (b:Team {name: 'B'}), (s:Service) CREATE (b)-[:OWNS]->(s)").await;
    within(&mut transaction, "MATCH (:Team {name: 'A'})-[r:OWNS]->() DELETE r").await;
    let owners = "MATCH (t:Team)-[r:OWNS]->(s:Service) RETURN t.name, s.tier";
    assert_eq!(within(&mut transaction, owners).await, [["B".into(), Value::from(2)]]);
    assert_eq!(quiver.query(owners).await.unwrap().rows, [["A".into(), Value::from(1)]]);
    transaction.commit().await.unwrap();
    assert_eq!(quiver.query(owners).await.unwrap().rows, [["B".into(), Value::from(2)]]);
    // The text of a relation names what it joins, also where that was read by an earlier query only.
    let relations = quiver.graph().list::<Relation>(Filter::everything(), 10).await.unwrap();
    assert_eq!(relations.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["B OWNS payments"]);
    assert!(quiver.verify().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_transaction_that_is_dropped_or_fails_leaves_nothing() {
    let quiver = catalogue().await;
    let mut dropped = quiver.begin_transaction();
    within(&mut dropped, "CREATE (:Team {name: 'B'})").await;
    drop(dropped);
    let mut failed = quiver.begin_transaction();
    within(&mut failed, "CREATE (:Team {name: 'C'})").await;
    let error = failed.query("MATCH (s:Service) DELETE s").await.unwrap_err();
    assert!(error.to_string().contains("DETACH DELETE"), "{error}");
    let error = failed.query("RETURN 1").await.unwrap_err();
    assert!(error.to_string().contains("a query of the transaction failed"), "{error}");
    assert_eq!(failed.commit().await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(of(&quiver, "MATCH (t:Team) RETURN count(t)").await, Value::from(1));
}

#[tokio::test]
async fn each_query_sees_what_was_committed_before_it() {
    let quiver = catalogue().await;
    let mut transaction = quiver.begin_transaction();
    let tier = "MATCH (s:Service {name: 'payments'}) RETURN s.tier";
    assert_eq!(within(&mut transaction, tier).await, [[Value::from(1)]]);
    quiver.query("MATCH (s:Service) SET s.tier = 5").await.unwrap();
    assert_eq!(within(&mut transaction, tier).await, [[Value::from(5)]]);
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn changes_that_another_commit_would_lose_are_refused() {
    let quiver = catalogue().await;
    // What the transaction does, what somebody else does meanwhile, and whether both can be.
    for (own, other, passes) in [
        ("MATCH (s:Service) SET s.tier = s.tier + 1", "MATCH (s:Service) SET s.tier = s.tier + 1", false),
        ("MATCH (s:Service) SET s.tier = 7", "MATCH (t:Team) SET t.size = rand()", true),
        (
            "MATCH (:Team)-[r:OWNS]->() SET r.share = r.share + 1",
            "MATCH (:Team)-[r:OWNS]->() SET r.share = r.share + 1",
            false,
        ),
        ("MATCH (t:Team), (s:Service) CREATE (t)-[:RUNS]->(s)", "MATCH (t:Team) SET t.size = rand()", true),
        ("CREATE (:Service {name: 'new'})", "MATCH (s:Service) SET s.tier = s.tier + 1", true),
        (
            "MATCH (s:Service {name: 'new'}) DELETE s",
            "MATCH (s:Service {name: 'new'}), (t:Team) CREATE (t)-[:OWNS]->(s)",
            false,
        ),
        (
            "MATCH (s:Service {name: 'new'}), (t:Team) MERGE (t)-[:WATCHES]->(s)",
            "MATCH (s:Service {name: 'new'}) DETACH DELETE s",
            false,
        ),
    ] {
        let mut transaction = quiver.begin_transaction();
        within(&mut transaction, own).await;
        quiver.query(other).await.unwrap();
        let before = quiver.query("MATCH (n) RETURN n ORDER BY id(n)").await.unwrap();
        match transaction.commit().await {
            Ok(()) => assert!(passes, "{own}"),
            Err(error) => {
                assert!(!passes, "{own}: {error}");
                assert_eq!(
                    (error.kind(), error.is_retryable()),
                    (ErrorKind::Conflict, true),
                    "{own}: {error}"
                );
                let after = quiver.query("MATCH (n) RETURN n ORDER BY id(n)").await.unwrap();
                assert_eq!(before, after, "{own}");
            }
        }
        assert!(quiver.verify().await.unwrap().is_empty(), "{own}");
    }
}

#[tokio::test]
async fn what_is_declared_unique_stays_so_between_transactions() {
    let quiver = catalogue().await;
    let name = PropertySchema { kind: "string".parse().unwrap(), required: false, unique: true, count: None };
    let team = LabelSchema { properties: [("name".to_owned(), name)].into(), ..LabelSchema::default() };
    let schema = GraphSchema { labels: [("Team".to_owned(), team)].into(), ..GraphSchema::default() };
    quiver.set_schema(schema).await.unwrap();
    let merge = "MERGE (:Team {name: 'B'})";
    let (mut one, mut other) = (quiver.begin_transaction(), quiver.begin_transaction());
    within(&mut one, merge).await;
    within(&mut other, merge).await;
    one.commit().await.unwrap();
    let error = other.commit().await.unwrap_err();
    assert!(error.to_string().contains("unique") || error.to_string().contains("two"), "{error}");
    assert_eq!(of(&quiver, "MATCH (t:Team {name: 'B'}) RETURN count(t)").await, Value::from(1));
}

#[tokio::test]
async fn a_transaction_that_changes_too_much_is_refused() {
    let quiver = Quiver::in_memory().await.unwrap();
    let mut transaction = quiver.begin_transaction();
    within(&mut transaction, "UNWIND range(1, 100000) AS i CREATE (:N)").await;
    let error = transaction.query("CREATE (:N)").await.unwrap_err();
    assert!(error.to_string().contains("changes 100001 nodes and relationships"), "{error}");
    assert_eq!(transaction.commit().await.unwrap_err().kind(), ErrorKind::Invalid);
}
