use boltr::types::{BoltDate, BoltDateTime, BoltDateTimeZoneId, BoltDict, BoltPoint2D, BoltTime, BoltValue};
use quiver::cypher::{Map, MemoryGraph, Options, Query, Rows, Value};

use super::{from_bolt, parameters, to_bolt};

/// Returns the rows of a query over an empty graph.
fn rows(query: &str, parameters: &Map) -> Rows {
    let query = Query::parse(query).expect("the query is valid");
    query.run(&MemoryGraph::new(), parameters, &Options::default()).expect("it runs")
}

#[test]
fn what_bolt_and_cypher_both_have_goes_there_and_back() {
    let query = "RETURN [null, true, -7, 1.5, 'text', [1, [2]], {a: {b: 'c'}}, date('2024-02-29'), date('0001-01-01'),
        localtime('23:59:59.999999999'), time('01:02:03+05:30'), time('00:00:00-18:00'),
        localdatetime('1969-12-31T23:59:59.5'), datetime('2024-02-29T12:00:00.25+01:00'),
        datetime('1582-10-04T00:00:00-07:52'), duration('P1Y2M3DT4H5M6.7S'), duration('-PT0.5S')] AS all";
    let found = rows(query, &Map::new());
    let bolt = to_bolt(&found.rows[0][0], &found);
    let back = from_bolt(&bolt).expect("all of it can be sent");
    assert_eq!(back.to_string(), found.rows[0][0].to_string());
}

#[test]
fn moments_are_those_of_utc() {
    // 2024-02-29T12:00:00.25+01:00
    let moment = BoltDateTime { seconds: 1_709_204_400, nanoseconds: 250_000_000, tz_offset_seconds: 3600 };
    let value = from_bolt(&BoltValue::DateTime(moment.clone())).expect("a moment");
    assert_eq!(value.to_string(), "2024-02-29T12:00:00.250000000+01:00".replace("250000000", "25"));
    assert_eq!(to_bolt(&value, &Rows::default()), BoltValue::DateTime(moment));
    let zoned = |zone: &str| {
        let zoned = BoltDateTimeZoneId { seconds: 0, nanoseconds: 0, tz_id: zone.to_owned() };
        from_bolt(&BoltValue::DateTimeZoneId(zoned)).map(|value| value.to_string())
    };
    assert_eq!(zoned("UTC").as_deref(), Ok("1970-01-01T00:00Z"));
    assert!(zoned("Europe/Berlin").is_err_and(|why| why.contains("send an offset")));
}

#[test]
fn what_cypher_has_not_is_refused_by_name() {
    let long = BoltDate { days: i64::MAX };
    let late = BoltTime { nanoseconds: 86_400 * 1_000_000_000, tz_offset_seconds: 0 };
    let far = BoltTime { nanoseconds: 0, tz_offset_seconds: i64::MAX };
    let end = BoltDateTime { seconds: i64::MAX, nanoseconds: 0, tz_offset_seconds: 1 };
    let point = BoltPoint2D { srid: 4326, x: 1.0, y: 2.0 };
    for (value, why) in [
        (BoltValue::Bytes(vec![1]), "byte arrays are not supported"),
        (BoltValue::Point2D(point), "points are not supported"),
        (BoltValue::Date(long), "out of range"),
        (BoltValue::Time(late), "out of range"),
        (BoltValue::Time(far), "out of range"),
        (BoltValue::DateTime(end), "out of range"),
    ] {
        let given = BoltDict::from([("rows".to_owned(), BoltValue::List(vec![value]))]);
        let failure = parameters(&given).expect_err(why);
        let text = format!("{failure:?}");
        assert!(text.contains("the parameter $rows: ") && text.contains(why), "{text}");
    }
}

#[test]
fn a_path_lists_each_node_once_and_tells_directions() {
    let graph = MemoryGraph::new();
    let run = |query: &str| {
        let query = Query::parse(query).expect("the query is valid");
        query.run(&graph, &Map::new(), &Options::default()).expect("it runs")
    };
    run("CREATE (a:A {name: 'a'})-[:X]->(b:B), (b)<-[:Y]-(c:C), (c)-[:Z]->(a)");
    let found =
        run("MATCH p = (a:A)-[:X]->(b)<-[:Y]-(c)-[:Z]->(a) RETURN p, a, elementId(a) AS id, id(a) AS number");
    let BoltValue::Path(path) = to_bolt(&found.rows[0][0], &found) else { panic!("no path") };
    let BoltValue::Node(node) = to_bolt(&found.rows[0][1], &found) else { panic!("no node") };
    assert_eq!(path.indices, [1, 1, -2, 2, 3, 0]);
    assert_eq!((path.nodes.len(), path.rels.len()), (3, 3));
    assert_eq!((&path.nodes[0], path.rels[1].rel_type.as_str()), (&node, "Y"));
    assert_eq!(Value::string(&node.element_id), found.rows[0][2]);
    assert_eq!(Value::Integer(node.id), found.rows[0][3]);
    assert_eq!(node.properties["name"], BoltValue::String("a".to_owned()));
}
