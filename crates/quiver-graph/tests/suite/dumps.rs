//! Export and import: every backend gives the same bytes, and broken lines are named.

use quiver_graph::{
    DUMP_VERSION, Delta, DumpHeader, DumpLine, Dumped, Embedded, Entity, ErrorKind, FORMAT, Graph, Passage,
    Relation, RelationId, Result, Workspace,
};
use quiver_store::{Collection, Payload, Vectors};
use serde_json::{Value, json};

use crate::support::{
    Doc, EMBEDDER, export, export_lines as exported, graph, memory, run, sparse, workspace,
};

async fn import(lines: &[String], into: &Graph) -> Result<()> {
    let header: DumpHeader = serde_json::from_str(&lines[0]).unwrap();
    header.check(into.workspace())?;
    let mut delta = Delta::default();
    for line in &lines[1..] {
        let line: DumpLine = serde_json::from_str(line).unwrap();
        let record = line.into_record(into.workspace())?;
        let vectors = match &record {
            Dumped::Entity(_, vectors) | Dumped::Relation(_, vectors) | Dumped::Passage(_, vectors) => {
                vectors.clone().unwrap_or_default()
            }
        };
        delta.push(record, vectors);
    }
    into.apply(delta).await?;
    Ok(())
}

fn properties(pairs: Value) -> Payload {
    serde_json::from_value(pairs).unwrap()
}

/// One record of each kind with every field set, and plain ones: the content of the format sample.
fn everything(here: &Workspace) -> Delta {
    let mut delta = Doc::new("notes/1", "Marie married Pierre 1; Marie discovered Радий")
        .at(1_700_000_000_000)
        .delta(here);
    let mut marie = Entity::named(here, Some("person"), "Marie Skłodowska Curie");
    marie.key = Some("Q7186".to_owned());
    marie.id = quiver_graph::EntityId::of_key(here, "Q7186");
    marie.aliases = vec!["居里夫人".to_owned(), "Madame Curie".to_owned()];
    marie.properties = properties(json!({"zeta": 1, "alpha": [true, null, 0.1, {"b": 2, "a": "x"}]}));
    marie.description = Some("a physicist and chemist".to_owned());
    marie.pinned = true;
    let object = delta.entities[0].record.id;
    let mut led = Relation::between(here, marie.id, "led", object, "She led it.\n\"Twice\".");
    led.properties = properties(json!({"role": "director"}));
    led.valid_from = Some(-2_000_000_000_000);
    led.valid_to = Some(5);
    led.recorded_at = Some(6);
    led.confidence = 0.7;
    led.pinned = true;
    led.id = RelationId::of(here, led.subject, &led.predicate, led.object, led.valid_from);
    let turn = Passage {
        id: quiver_graph::PassageId::of_turn(here, "s1", 3),
        text: "Она открыла радий.".to_owned(),
        title: Some("A title".to_owned()),
        document: "s1".to_owned(),
        position: 3,
        ordinal: 0,
        speaker: Some("ann".to_owned()),
        session: Some("s1".to_owned()),
        time: Some(7),
        subjects: vec![marie.id],
        entities: vec![marie.id, object],
        relations: vec![led.id],
        metadata: properties(json!({"source": {"page": 4}})),
        extraction_digest: "w1".to_owned(),
        unsplit: None,
    };
    delta.entities.push(Embedded { record: marie, vectors: Vectors::default() });
    delta.relations.push(Embedded { record: led, vectors: sparse("she led it") });
    delta.passages.push(Embedded { record: turn, vectors: sparse("радий") });
    delta
}

async fn full() -> Graph {
    let graph = graph();
    graph.apply(everything(graph.workspace())).await.unwrap();
    graph
}

#[test]
fn a_round_trip_gives_the_same_bytes() {
    run(async {
        let first = full().await;
        for vectors in [false, true] {
            let lines = exported(&first, vectors).await;
            let second = graph();
            import(&lines, &second).await.unwrap();
            assert_eq!(exported(&second, vectors).await, lines);
            assert_eq!(second.verify().await.unwrap(), []);
            import(&lines, &second).await.unwrap();
            assert_eq!(exported(&second, vectors).await, lines, "importing twice changes nothing");
        }
    });
}

#[test]
fn dense_vectors_make_the_round_trip_to_the_bit() {
    run(async {
        let open = || {
            let store = quiver_store::MemoryStore::open(Graph::schema(Some(3)));
            Graph::new(std::sync::Arc::new(store), Workspace::default())
        };
        let first = open();
        let mut delta = everything(first.workspace());
        let dense = vec![0.1_f32, -1.0 / 3.0, f32::MIN_POSITIVE];
        delta.passages[0].vectors.dense = Some(dense.clone());
        let id = delta.passages[0].record.id;
        first.apply(delta).await.unwrap();
        let second = open();
        import(&exported(&first, true).await, &second).await.unwrap();
        let found = second.embedded_passages(&[id]).await.unwrap();
        assert_eq!(found[0].vectors.dense, Some(dense));
        assert_eq!(exported(&second, true).await, exported(&first, true).await);
    });
}

#[test]
fn the_order_of_writing_does_not_show() {
    run(async {
        let forwards = full().await;
        let backwards = graph();
        let Delta { mut entities, mut relations, mut passages } = everything(backwards.workspace());
        entities.reverse();
        relations.reverse();
        passages.reverse();
        backwards.apply(Delta { entities, relations, passages }).await.unwrap();
        assert_eq!(exported(&backwards, true).await, exported(&forwards, true).await);
    });
}

fn assert_sorted(value: &Value, line: &str) {
    match value {
        Value::Object(members) => {
            let keys: Vec<_> = members.keys().collect();
            assert!(keys.is_sorted(), "{keys:?} in {line}");
            members.values().for_each(|value| assert_sorted(value, line));
        }
        Value::Array(values) => values.iter().for_each(|value| assert_sorted(value, line)),
        _ => {}
    }
}

#[test]
fn keys_and_lines_are_sorted_and_the_workspace_is_left_out() {
    run(async {
        let lines = exported(&full().await, false).await;
        let header: DumpHeader = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!((header.quiver_dump, header.format), (DUMP_VERSION, FORMAT));
        assert_eq!((header.workspace.as_str(), header.embedder.as_str()), ("default", EMBEDDER));
        let read: Vec<DumpLine> = lines[1..].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let collections = Collection::ALL.map(Collection::name);
        let place = |line: &DumpLine| collections.iter().position(|name| *name == line.collection).unwrap();
        assert!(
            read.is_sorted_by_key(|line| (place(line), line.id)),
            "entities, relations, passages, each by id"
        );
        for (line, text) in read.iter().zip(&lines[1..]) {
            assert_eq!(line.payload.get("workspace"), None);
            // Compares the order in the text, since a parsed object may sort its keys.
            let mut last = 0;
            for key in line.payload.as_object().unwrap().keys() {
                let at = text[last..].find(&format!("\"{key}\":")).map(|at| at + last);
                assert!(at.is_some(), "{key} comes after what sorts before it in {text}");
                last = at.unwrap();
            }
            assert_sorted(&line.payload, text);
        }
        let nested = lines.iter().find(|line| line.contains("zeta")).unwrap();
        assert!(
            nested.contains(r#""properties":{"alpha":[true,null,0.1,{"a":"x","b":2}],"zeta":1}"#),
            "{nested}"
        );
    });
}

#[test]
fn a_dump_of_another_workspace_is_refused_with_both_named() {
    run(async {
        let lines = exported(&full().await, true).await;
        let other = Graph::new(memory(), workspace("other"));
        let error = import(&lines, &other).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        let message = error.to_string();
        assert!(message.contains("\"default\"") && message.contains("\"other\""), "{message}");
        // If the first line is not checked, the IDs reveal the mistake.
        let line: DumpLine = serde_json::from_str(&lines[1]).unwrap();
        let id = line.id;
        let error = line.into_record(other.workspace()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(
            error.to_string().contains(&id.to_string()) && error.to_string().contains("\"other\""),
            "{error}"
        );
        assert_eq!(export(&other).await.lines().count(), 1);
    });
}

#[test]
fn a_dump_of_another_version_is_refused_with_both_named() {
    let header = DumpHeader {
        quiver_dump: DUMP_VERSION,
        format: FORMAT,
        workspace: Workspace::default(),
        embedder: EMBEDDER.to_owned(),
    };
    header.check(&Workspace::default()).unwrap();
    for other in [DumpHeader { quiver_dump: 9, ..header.clone() }, DumpHeader { format: 9, ..header }] {
        let error = other.check(&Workspace::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        assert!(error.to_string().contains('9') && error.to_string().contains('1'), "{error}");
    }
}

type Break = fn(&mut DumpLine);

#[test]
fn a_broken_line_is_refused_with_its_id() {
    run(async {
        let here = Workspace::default();
        let lines = exported(&full().await, true).await;
        let read = |text: &String| serde_json::from_str::<DumpLine>(text).unwrap();
        let breaks: [(&str, Break); 6] = [
            ("is not an object", |line| line.payload = json!([])),
            ("can't be read", |line| line.payload = json!({})),
            ("no such collection", |line| line.collection = "edges".to_owned()),
            ("can't be read", |line| {
                line.collection =
                    if line.collection == "passages" { "entities" } else { "passages" }.to_owned();
            }),
            ("has the id", |line| line.id = quiver_store::PointId::from_u128(1)),
            ("has the id", |line| {
                for (field, other) in [("name", "x"), ("key", "x"), ("predicate", "x"), ("text", "x")] {
                    if line.payload.get(field).is_some()
                        && (line.collection != "relations" || field != "text")
                    {
                        line.payload[field] = json!(other);
                    }
                }
                if line.payload.get("session").is_some() {
                    line.payload["session"] = json!("x");
                }
            }),
        ];
        for line in &lines[1..] {
            read(line).into_record(&here).unwrap();
            for (what, damage) in breaks {
                let mut line = read(line);
                damage(&mut line);
                let id = line.id.to_string();
                let error = line.into_record(&here).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Invalid);
                let message = error.to_string();
                assert!(message.contains(&id) && message.contains(what), "{message:?} says {what:?} of {id}");
            }
        }
    });
}

#[test]
fn a_sink_that_fails_ends_the_export_with_its_own_error() {
    #[derive(Debug)]
    struct Full(usize);
    impl From<quiver_graph::Error> for Full {
        fn from(_: quiver_graph::Error) -> Self {
            unreachable!("the store does not fail here")
        }
    }
    run(async {
        let graph = full().await;
        let mut written = 0;
        let ended = graph
            .export(EMBEDDER, false, |_| {
                written += 1;
                if written > 3 { Err(Full(written)) } else { Ok(()) }
            })
            .await;
        assert_eq!((ended.unwrap_err().0, written), (4, 4));
    });
}

#[test]
fn a_confidence_that_is_no_number_can_still_be_read() {
    run(async {
        let graph = graph();
        let mut delta = Doc::new("a", "Marie married Pierre").delta(graph.workspace());
        delta.relations[0].record.confidence = f32::NAN;
        let id = delta.relations[0].record.id;
        graph.apply(delta).await.unwrap();
        let confidence = graph.relations(&[id]).await.unwrap()[0].confidence;
        assert!(confidence.abs() < f32::EPSILON, "{confidence}");
    });
}

/// The sample is what `everything` was exported to by the version that introduced the format. It is never changed. A
/// version that writes another format gets its own sample, and still reads this one or says why it can't.
#[test]
fn the_sample_of_format_1_opens() {
    run(async {
        let sample = include_str!("../formats/v1.jsonl");
        let lines: Vec<_> = sample.lines().map(str::to_owned).collect();
        let graph = graph();
        import(&lines, &graph).await.unwrap();
        assert_eq!(graph.verify().await.unwrap(), []);
        assert_eq!(export(&graph).await, export(&full().await).await, "every field means what it meant");
        assert_eq!(exported(&graph, true).await, lines, "and is written as it was");
    });
}

#[test]
fn what_is_nested_too_deep_to_be_imported_is_not_taken_in() {
    run(async {
        let nested = |levels: usize| {
            (0..levels).fold(serde_json::Value::Bool(true), |value, _| serde_json::Value::Array(vec![value]))
        };
        let graph = graph();
        let mut delta = Doc::new("a", "Marie married Pierre").delta(graph.workspace());
        delta.passages[0].record.metadata.insert("deep".to_owned(), nested(quiver_graph::NESTING_MAX + 1));
        let error = graph.apply(delta.clone()).await.unwrap_err();
        assert_eq!(error.kind(), quiver_graph::ErrorKind::Invalid);
        assert!(error.to_string().contains("nested 65 levels deep"), "{error}");
        assert_eq!(crate::support::raw(graph.store()).await.len(), 0, "nothing is written");
        delta.passages[0].record.metadata.insert("deep".to_owned(), nested(quiver_graph::NESTING_MAX));
        graph.apply(delta).await.unwrap();
        let other = crate::support::graph();
        for line in exported(&graph, true).await.into_iter().skip(1) {
            let line: DumpLine = serde_json::from_str(&line).unwrap();
            line.into_record(other.workspace()).unwrap();
        }
    });
}
