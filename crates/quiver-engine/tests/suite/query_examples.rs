//! The published queries, as their authors wrote them: read from `../shared/examples` beside the project, or from the
//! directory that `QUIVER_EXAMPLES` names. They are no part of the repository, so the tests are ignored by default.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
};

use quiver::{
    AskOptions, Question, Quiver,
    context::ContextOptions,
    cypher::{Map, Moment, Value},
    query::{NodeTable, RelationshipTable, TableRow},
};
use serde_json::Value as Json;

fn read(name: &str) -> String {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/examples");
    let home = env::var_os("QUIVER_EXAMPLES").map_or_else(beside, PathBuf::from);
    fs::read_to_string(home.join(name)).unwrap()
}

fn map(json: &Json) -> Map {
    json.as_object().unwrap().iter().map(|(key, value)| (key.clone(), Value::from_json(value))).collect()
}

/// Returns the label under which nodes are loaded: passages come from documents, so records cannot be called so.
fn loadable(label: &str) -> String {
    label.replace("Passage", "TextPassage")
}

/// Returns 9:00 on a day, in milliseconds since 1970.
fn morning(day: &Json) -> i64 {
    Moment::read(&format!("{}T09:00:00Z", day.as_str().unwrap())).unwrap().unix_milliseconds().unwrap()
}

/// Loads the nodes and relations of a case. A node is known by its `id`, or else by its `name`.
async fn load(case: &Json) -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    let mut known: BTreeMap<String, (String, String)> = BTreeMap::new();
    let row = |values: Map| vec![TableRow { line: 1, values }];
    for node in case["nodes"].as_array().unwrap() {
        let mut values = map(node);
        let label = loadable(values.remove("label").unwrap().as_str().unwrap());
        let key = if values.contains_key("id") { "id" } else { "name" };
        known.insert(values[key].as_str().unwrap().to_owned(), (label.clone(), key.to_owned()));
        let table = NodeTable { source: "nodes".to_owned(), label, key: key.to_owned(), rows: row(values) };
        quiver.load_nodes(table).await.unwrap();
    }
    for relation in case["relations"].as_array().unwrap() {
        let [from, kind, to] = [0, 1, 2].map(|at| relation[at].as_str().unwrap().to_owned());
        let values =
            Map::from([("from".to_owned(), from.clone().into()), ("to".to_owned(), to.clone().into())]);
        let (from, to) = (known[&from].clone(), known[&to].clone());
        let table = RelationshipTable {
            source: "relations".to_owned(),
            kind,
            from,
            to,
            key: None,
            rows: row(values),
        };
        quiver.load_relationships(table).await.unwrap();
    }
    quiver
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the published examples are no part of the repository"]
async fn the_reference_query_of_the_catalogue_returns_its_rows() {
    let case: Json = serde_json::from_str(&read("catalogue.json")).unwrap();
    let quiver = load(&case).await;
    let reference = &case["reference"];
    let query =
        read(reference["file"].as_str().unwrap()).replace(":Passage)", &format!(":{}", loadable("Passage)")));
    let found = quiver.query(&query).parameters(map(&reference["params"])).await.unwrap();
    let expected = reference["rows"].as_array().unwrap();
    assert_eq!(found.rows.len(), expected.len());
    for (row, expected) in found.rows.iter().zip(expected) {
        let row: BTreeMap<&str, &Value> = found.columns.iter().map(String::as_str).zip(row).collect();
        for (name, expected) in
            expected.as_object().unwrap().iter().filter(|(name, _)| *name != "evidence_ids")
        {
            assert_eq!(row[name.as_str()], &Value::from_json(expected));
        }
        let chunks = case["nodes"].as_array().unwrap().iter();
        let mut texts: Vec<&str> = chunks
            .filter(|node| expected["evidence_ids"].as_array().unwrap().contains(&node["id"]))
            .map(|node| node["text"].as_str().unwrap())
            .collect();
        texts.sort_unstable();
        let Value::List(evidence) = row["evidence"] else { panic!("the evidence is a list: {row:?}") };
        let mut evidence: Vec<&str> = evidence.iter().filter_map(Value::as_str).collect();
        evidence.sort_unstable();
        assert_eq!(evidence, texts);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the published examples are no part of the repository"]
async fn the_queries_of_the_assistant_run_as_they_are() {
    let case: Json = serde_json::from_str(&read("assistant.json")).unwrap();
    let quiver = load(&case).await;
    let task = serde_json::json!({"id": "task-900", "title": "Call the printer", "status": "active",
        "dueDate": "2025-04-20", "workspaceId": case["workspace"], "createdBy": case["user"]});
    let upsert = read("assistant-upsert.cypher");
    let first = quiver.query(&upsert).parameters(map(&task)).await.unwrap();
    assert_eq!((first.written.nodes_created, first.written.relationships_created), (1, 2));
    let again = quiver.query(&upsert).parameters(map(&task)).await.unwrap();
    assert_eq!((again.written.nodes_created, again.written.relationships_created), (0, 0));
    let read_back = "MATCH (:User)-[:CREATED]->(t:Task {id: 'task-900'})-[:IN_WORKSPACE]->(w)
        RETURN t.title, t.dueDate, t.updatedAt >= t.createdAt AS later, w.name";
    let found = quiver.query(read_back).await.unwrap();
    let texts: Vec<String> = found.rows[0].iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["'Call the printer'", "'2025-04-20'", "true", "'Personal'"]);

    let stamp =
        "MATCH (u:User {id: $user})-[r:ASSIGNED_TO]->(t {id: 'task-789'}) SET r.timestamp = datetime()";
    let user = Map::from([("user".to_owned(), Value::from_json(&case["user"]))]);
    quiver.query(stamp).parameters(user).await.unwrap();
    let user = Map::from([("userId".to_owned(), Value::from_json(&case["user"]))]);
    let recent = quiver.query(read("assistant-recent.cypher")).parameters(user).await.unwrap();
    let titles: Vec<_> =
        recent.nodes.values().map(|node| node.properties["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Finish presentation"]);

    quiver
        .query("MATCH (t) WHERE t:Task OR t:Project OR t:Meeting SET t.workspaceId = 'workspace-456'")
        .await
        .unwrap();
    let asked = serde_json::json!({"seedIds": ["task-789"], "workspaceIds": [case["workspace"]]});
    let context = quiver.query(read("assistant-context.cypher")).parameters(map(&asked)).await.unwrap();
    let mut names: Vec<&str> = context
        .rows
        .iter()
        .map(|row| {
            let Value::Node(id) = &row[0] else { panic!("a node: {row:?}") };
            let node = &context.nodes[id].properties;
            node.get("title").or(node.get("name")).unwrap().as_str().unwrap()
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    let expected = [
        "Coordinate with design team",
        "Finish presentation",
        "Gather research data",
        "Q2 Marketing",
        "Review social media copy",
        "Team Sync",
    ];
    assert!(
        names.iter().all(|name| expected.contains(name)) && names.contains(&"Gather research data"),
        "{names:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the published examples are no part of the repository"]
async fn the_queries_of_a_session_run_as_they_are() {
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.query("CREATE (:Entity {name: 'Apollo'})-[:OWNED_BY]->(:Entity {name: 'Ann'})").await.unwrap();
    for (number, entities) in [["Apollo", "Mars"], ["Mars", "Apollo"]].into_iter().enumerate() {
        let turn = serde_json::json!({"session_id": "s", "turn_id": number, "query_text": "q", "augmented_query": "a",
            "response_text": "r", "timestamp": format!("2026-01-0{}T10:00:00Z", number + 1), "entities": entities});
        quiver.query(read("session-update.cypher")).parameters(map(&turn)).await.unwrap();
    }
    let counted =
        quiver.query("MATCH (s:Session)<-[:IN_SESSION]-(t:Turn) RETURN count(t), count(DISTINCT s)").await;
    assert_eq!(counted.unwrap().rows, [[Value::Integer(2), Value::Integer(1)]]);
    let session = Map::from([("session_id".to_owned(), Value::from("s"))]);
    let found = quiver.query(read("session-context.cypher")).parameters(session).await.unwrap();
    assert_eq!(found.columns, ["entity", "relation", "related"]);
    let owned = ["Apollo", "OWNED_BY", "Ann"].map(Value::from);
    assert!(found.rows.contains(&owned.to_vec()), "{:?}", found.rows);
}

/// What an answer says of the questions of a case, where it is wrong.
async fn wrong_answers(quiver: &Quiver, case: &Json, options: AskOptions) -> Vec<String> {
    let texts = |value: &Json| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
    };
    let named: Vec<String> = case["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|node| node["title"].as_str().or(node["name"].as_str()).map(str::to_owned))
        .collect();
    let mut wrong = Vec::new();
    for asked in case["questions"].as_array().unwrap() {
        let question = asked["question"].as_str().unwrap();
        let answer = quiver.ask(Question::new(question).with_options(options.clone())).await.unwrap();
        let Some(query) = &answer.query else {
            // No answer is right too.
            if asked["trap"] == true {
                continue;
            }
            wrong.push(format!("{question}: no query\n{}", answer.trace()));
            continue;
        };
        let found: BTreeSet<String> =
            query.rows.rows.iter().filter_map(|row| row[0].as_str().map(str::to_owned)).collect();
        let (names, may) = (texts(&asked["names"]), texts(&asked["may"]));
        let is_right = names.iter().all(|name| found.contains(name))
            && found.iter().all(|name| names.contains(name) || may.contains(name) || !named.contains(name));
        let is_right = match asked["value"].as_i64() {
            Some(value) => query.rows.rows == [[Value::Integer(value)]],
            None => is_right,
        };
        let text = answer.text.unwrap_or_default();
        let nodes = case["nodes"].as_array().unwrap().iter();
        let evidence = nodes
            .filter(|node| texts(&asked["evidence"]).iter().any(|id| node["id"] == *id))
            .filter_map(|node| node["text"].as_str());
        let shows = texts(&asked["shows"])
            .iter()
            .map(String::as_str)
            .chain(evidence)
            .all(|shown| text.contains(shown));
        if !is_right || !shows {
            wrong.push(format!("{question}: {text}"));
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the published examples are no part of the repository"]
async fn the_questions_of_the_catalogue_are_answered() {
    let case: Json = serde_json::from_str(&read("catalogue.json")).unwrap();
    let quiver = load(&case).await;
    let wrong = wrong_answers(&quiver, &case, AskOptions::default()).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the published examples are no part of the repository"]
async fn the_questions_of_the_user_of_the_assistant_are_answered() {
    let case: Json = serde_json::from_str(&read("assistant.json")).unwrap();
    let quiver = load(&case).await;
    let options = AskOptions {
        asker: case["user"].as_str().map(str::to_owned),
        now: Some(morning(&case["today"])),
        ..AskOptions::default()
    };
    let wrong = wrong_answers(&quiver, &case, options.clone()).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    let wanted = &case["context"];
    let tokens_max = usize::try_from(wanted["tokens"].as_u64().unwrap()).unwrap();
    let options = ContextOptions { tokens_max, ask: options, ..ContextOptions::default() };
    let context = quiver.context(wanted["question"].as_str().unwrap()).options(options).await.unwrap();
    let text = context.text();
    for group in wanted["groups"].as_array().unwrap() {
        assert!(text.contains(&format!("{}:\n", group.as_str().unwrap())), "{group}: {text}");
    }
    assert!(!text.contains(wanted["lacks"][0].as_str().unwrap()), "{text}");
    assert!(context.tokens <= tokens_max);
}
