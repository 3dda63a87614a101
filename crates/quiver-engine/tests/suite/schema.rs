//! Schemas: what there is, what is declared, and what breaks it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    Document, ErrorKind, Quiver,
    query::{
        GraphSchema, LabelSchema, NodeTable, PropertySchema, RelationshipSchema, RelationshipTable,
        TableFormat, read_table,
    },
};

fn nodes(label: &str, text: &str) -> NodeTable {
    let rows = read_table("nodes.csv", TableFormat::Csv, text.as_bytes()).unwrap();
    NodeTable { source: "nodes.csv".to_owned(), label: label.to_owned(), key: "name".to_owned(), rows }
}

fn owns(text: &str) -> RelationshipTable {
    let rows = read_table("edges.csv", TableFormat::Csv, text.as_bytes()).unwrap();
    let end = |label: &str| (label.to_owned(), "name".to_owned());
    let (source, kind) = ("edges.csv".to_owned(), "OWNS".to_owned());
    RelationshipTable { source, kind, from: end("Team"), to: end("Service"), key: None, rows }
}

async fn catalogue() -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.load_nodes(nodes("Team", "name\nTeam A\nTeam B\n")).await.unwrap();
    let services = "name,tier:integer,since:date,tags:string[]\npayments,1,2020-05-01,a;b\ncheckout,2,,\n";
    quiver.load_nodes(nodes("Service", services)).await.unwrap();
    quiver
        .load_relationships(owns("from,to,share:float\nTeam A,payments,0.5\nTeam B,checkout,1\n"))
        .await
        .unwrap();
    quiver
}

fn property(kind: &str, required: bool, unique: bool) -> PropertySchema {
    PropertySchema { kind: kind.parse().unwrap(), required, unique, count: None }
}

/// Services have a name, a tier and perhaps a code of their own; teams own them.
fn declared() -> GraphSchema {
    let mut schema = GraphSchema::default();
    let properties = [
        ("name".to_owned(), property("string", true, true)),
        ("tier".to_owned(), property("integer", true, false)),
        ("code".to_owned(), property("integer", false, true)),
    ];
    schema.labels.insert("Service".to_owned(), LabelSchema { count: None, properties: properties.into() });
    let owns = RelationshipSchema {
        count: None,
        ends: vec![("Team".to_owned(), "Service".to_owned())],
        properties: [("share".to_owned(), property("float", false, false))].into(),
    };
    schema.relationships.insert("OWNS".to_owned(), owns);
    schema
}

#[tokio::test(flavor = "multi_thread")]
async fn what_there_is_is_shown_with_types_and_counts() {
    let quiver = catalogue().await;
    quiver.query("MATCH (s:Service {name: 'checkout'}) SET s.tier = 2.5").await.unwrap();
    let report = quiver.schema().await.unwrap();
    assert!(report.is_whole);
    assert_eq!(report.declared, None);
    let counted =
        |kind, count, is_key| PropertySchema { count: Some(count), ..property(kind, is_key, is_key) };
    let properties = [
        ("name".to_owned(), counted("string", 2, true)),
        ("since".to_owned(), counted("date", 1, false)),
        ("tags".to_owned(), counted("string[]", 1, false)),
        ("tier".to_owned(), counted("float", 2, false)),
    ];
    assert_eq!(report.found.labels["Service"], LabelSchema { count: Some(2), properties: properties.into() });
    assert_eq!(
        report.found.relationships["OWNS"],
        RelationshipSchema {
            count: Some(2),
            ends: vec![("Team".to_owned(), "Service".to_owned())],
            properties: [("share".to_owned(), counted("float", 2, false))].into(),
        }
    );
    // What was found holds, and can be declared.
    quiver.set_schema(report.found).await.unwrap();
    quiver.load_nodes(nodes("Service", "name\ninvoices\n")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_that_break_the_schema_are_refused() {
    let quiver = catalogue().await;
    quiver.set_schema(declared()).await.unwrap();
    for (query, message) in [
        ("CREATE (:Service {name: 'x'})", "the Service has no tier, which the schema requires; add it"),
        (
            "CREATE (:Service {name: 'x', tier: 'high'})",
            "the tier of the Service is 'high', a string, but the schema requires integer; write an integer",
        ),
        ("CREATE (:Service {name: 'payments', tier: 1})", "two nodes Service have the name 'payments'"),
        ("UNWIND [1, 2] AS i CREATE (:Service {name: 'x', tier: i})", "two nodes Service have the name 'x'"),
        ("MATCH (s:Service) SET s.code = 7", "two nodes Service have the code 7"),
        ("MATCH (s:Service {name: 'payments'}) REMOVE s.tier", "has no tier"),
        ("MATCH (t:Team) SET t:Service", "has no tier"),
        (
            "MATCH (t:Team {name: 'Team A'}), (u:Team {name: 'Team B'}) CREATE (t)-[:OWNS]->(u)",
            "OWNS leads from Team to Team, but the schema requires from Team to Service; connect other nodes",
        ),
        (
            "MATCH ()-[o:OWNS]->() SET o.share = 'all'",
            "the share of the relationship OWNS is 'all', a string",
        ),
    ] {
        let error = quiver.query(query).await.expect_err(query);
        assert_eq!(error.kind(), ErrorKind::Invalid, "{query}: {error}");
        assert!(error.to_string().contains(message), "{query}: {error}");
        assert!(error.to_string().contains("or change the schema with `quiver schema set`"), "{error}");
    }
    let report = quiver.schema().await.unwrap();
    assert_eq!(report.declared, Some(declared()));
    assert_eq!(report.found.labels["Service"].count, Some(2), "nothing was written");
    // What fits is written; a label or property that is not declared may be anything.
    for query in [
        "CREATE (:Service {name: 'x', tier: 3, code: 1, other: 'y'}), (:Other {name: 1})",
        "MATCH (s:Service {name: 'x'}) SET s.code = 2 SET s.name = 'y'",
        "MATCH (t:Team {name: 'Team A'}), (s:Service {name: 'y'}) CREATE (t)-[:OWNS {share: 1}]->(s)",
        "MATCH (s:Service {name: 'y'}) DETACH DELETE s",
    ] {
        quiver.query(query).await.unwrap();
    }
    // Documents are no writes of a query, and an empty schema takes the declaration back.
    quiver.ingest([Document::new("a", "The service Norby was founded by Ida Holm.")]).await.unwrap();
    quiver.set_schema(GraphSchema::default()).await.unwrap();
    assert_eq!(quiver.schema().await.unwrap().declared, None);
    quiver.query("CREATE (:Service)").await.unwrap();
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_that_break_the_schema_are_refused_with_the_line() {
    let quiver = catalogue().await;
    quiver.set_schema(declared()).await.unwrap();
    for (table, message) in [
        ("name,tier:integer\nx,1\ny,\n", "nodes.csv:3: the Service has no tier, which the schema requires"),
        (
            "name,tier\nx,1\n",
            "nodes.csv:2: the tier of the Service is '1', a string, but the schema requires integer",
        ),
        ("name,tier:integer,code:integer\nx,1,1\ny,1,1\n", "nodes.csv:3: two nodes Service have the code 1"),
    ] {
        let error = quiver.load_nodes(nodes("Service", table)).await.unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let error = quiver
        .load_relationships(owns("from,to,share\nTeam A,checkout,all\n"))
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("edges.csv:2: the share of the relationship OWNS is 'all'"), "{error}");
    assert_eq!(quiver.schema().await.unwrap().found.labels["Service"].count, Some(2), "nothing was written");
    // Of many rows, none is written before all were checked.
    let mut many: String = (0..700).map(|number| format!("service {number},1\n")).collect();
    many = format!("name,tier:integer\n{many}last,\n");
    let error = quiver.load_nodes(nodes("Service", &many)).await.unwrap_err().to_string();
    assert!(error.contains("nodes.csv:702: the Service has no tier"), "{error}");
    assert_eq!(quiver.schema().await.unwrap().found.labels["Service"].count, Some(2));
    // A node that is there keeps what the table does not name.
    quiver.load_nodes(nodes("Service", "name,code:integer\npayments,4\n")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_does_not_hold_is_not_declared() {
    let quiver = catalogue().await;
    quiver.query("MATCH (s:Service {name: 'checkout'}) SET s.tier = 'two'").await.unwrap();
    let error = quiver.set_schema(declared()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(
        error.to_string().contains("the existing data violates the schema: the tier of the Service is 'two'"),
        "{error}"
    );
    let mut schema = declared();
    schema.labels.clear();
    schema.relationships.get_mut("OWNS").unwrap().ends = vec![("Service".to_owned(), "Team".to_owned())];
    let error = quiver.set_schema(schema).await.unwrap_err();
    assert!(error.to_string().contains("the schema requires from Service to Team"), "{error}");
    assert_eq!(quiver.schema().await.unwrap().declared, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn workspaces_have_schemas_of_their_own() {
    let quiver = catalogue().await;
    quiver.set_schema(declared()).await.unwrap();
    let other = quiver.in_workspace("other".parse().unwrap()).await.unwrap();
    assert_eq!(other.schema().await.unwrap().declared, None);
    other.query("CREATE (:Service)").await.unwrap();
}
