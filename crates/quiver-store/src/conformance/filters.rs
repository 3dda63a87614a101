use serde_json::{Value, json};

use super::sample::{count, find, id, passing, point, put, search, sparse};
use crate::{Collection, CollectionState, ErrorKind, Filter, Point, PointStore, Search, Target, WriteMode};

/// A number near the largest that filters can distinguish from its neighbours.
const LARGE: u64 = (1 << 52) - 2;

/// Points with every form of a field value that the contract covers.
fn shapes() -> Vec<Point> {
    let kinds = [
        None,
        Some(Value::Null),
        Some(json!([])),
        Some(json!("a")),
        Some(json!("b")),
        Some(json!(["a", "b"])),
        Some(json!(["c", "a", "a"])),
        Some(json!([""])),
        Some(json!("Ä b \" c")),
    ];
    let years = [
        None,
        Some(json!(-3)),
        Some(json!(1999)),
        Some(json!([1, 2010])),
        Some(json!([LARGE, 2_000_000_000_000_000_u64])),
        Some(json!([LARGE + 1, LARGE - 1])),
        Some(json!([])),
        Some(json!(2000)),
    ];
    let mut points = Vec::new();
    for (kind_number, kind) in (0_u64..).zip(&kinds) {
        for (year_number, year) in (0_u64..).zip(&years) {
            let mut point = point(id(1 + kind_number * 10 + year_number));
            if let Some(kind) = kind {
                point = point.with_payload("kind", kind.clone());
            }
            if let Some(year) = year {
                // The same numbers in a field without an index.
                point = point.with_payload("year", year.clone()).with_payload("plain", year.clone());
            }
            points.push(point.with_dense(vec![1.0; 4]).with_sparse(sparse(&[(1, 1.0)])));
        }
    }
    points
}

fn questions() -> Vec<Filter> {
    let kind = |values: &[&str]| Filter::any_of("kind", values.iter().copied());
    let range = |field, least, most| Filter::Range { field, least, most };
    let not = |filter| Filter::Not(Box::new(filter));
    let mut leaves = vec![
        Filter::everything(),
        Filter::Any(Vec::new()),
        kind(&[]),
        kind(&["a"]),
        kind(&["b", "c"]),
        kind(&["none"]),
        kind(&[""]),
        kind(&["Ä b \" c"]),
        Filter::equals("workspace", "w"),
        Filter::equals("workspace", "other"),
        Filter::equals("absent", "a"),
        range("year", None, None),
        range("year", Some(1999.0), None),
        range("year", None, Some(1999.0)),
        range("year", Some(1999.5), Some(2000.5)),
        range("year", Some(2000.0), Some(2000.0)),
        // No single member of [1, 2010] lies in this range.
        range("year", Some(2.0), Some(1000.0)),
        range("year", Some(5.0), Some(1.0)),
        range("year", Some(-1e300), Some(1e300)),
        range("year", Some(-2.5), None),
        range("year", None, Some(-2.5)),
        // Numbers that floats can barely distinguish.
        range("year", Some(LARGE as f64), Some(LARGE as f64)),
        range("year", Some(LARGE as f64 + 1.0), None),
        range("year", Some(2e15), Some(LARGE as f64 - 1.0)),
        range("plain", Some(1999.0), None),
        range("plain", None, Some(1.0)),
        range("absent", None, None),
        Filter::Missing { field: "kind" },
        Filter::Missing { field: "year" },
        Filter::Missing { field: "plain" },
        Filter::Missing { field: "absent" },
        Filter::Ids(Vec::new()),
        Filter::Ids(vec![id(1), id(12), id(34), id(999)]),
    ];
    let nested = vec![
        not(kind(&["a", "b"])),
        not(not(kind(&["a"]))),
        not(Filter::Missing { field: "kind" }),
        not(Filter::everything()),
        not(Filter::Any(Vec::new())),
        not(Filter::Ids(vec![id(2), id(3)])),
        not(range("year", None, None)),
        Filter::All(vec![kind(&["a"]), kind(&["b"])]),
        Filter::All(vec![kind(&["a"]), not(kind(&["b"])), Filter::Missing { field: "year" }]),
        Filter::Any(vec![kind(&["b"]), range("year", Some(2000.0), None)]),
        Filter::Any(vec![kind(&[]), Filter::Ids(vec![id(5)])]),
        Filter::Any(vec![Filter::everything(), kind(&["a"])]),
        Filter::All(vec![Filter::Any(Vec::new()), kind(&["a"])]),
        Filter::All(vec![
            Filter::equals("workspace", "w"),
            Filter::Any(vec![
                Filter::All(vec![kind(&["a"]), range("year", None, Some(1999.0))]),
                not(Filter::Any(vec![kind(&["a", "b", "c"]), Filter::Missing { field: "year" }])),
            ]),
        ]),
        // `should` next to another condition must stay mandatory.
        Filter::All(vec![
            Filter::Missing { field: "kind" },
            Filter::Any(vec![range("year", Some(2000.0), None)]),
        ]),
    ];
    leaves.extend(nested);
    leaves
}

pub(super) async fn mean_what_matches_means(store: &dyn PointStore) {
    let points = shapes();
    put(store, points.clone()).await;
    for filter in questions() {
        let expected: Vec<_> = points
            .iter()
            .filter(|point| filter.matches(point.id, &point.payload))
            .map(|point| point.id)
            .collect();
        assert_eq!(passing(store, Collection::Entities, &filter).await, expected, "scroll {filter:?}");
        assert_eq!(count(store, &filter).await, expected.len() as u64, "count {filter:?}");
        for target in [Target::Dense(vec![1.0; 4]), Target::Sparse(sparse(&[(1, 1.0)]))] {
            let search = Search { filter: filter.clone(), ..search(target, 1000) };
            let found: Vec<_> = find(store, &search).await.into_iter().map(|found| found.0).collect();
            assert_eq!(found, expected, "{search:?}");
        }
        store.upsert(Collection::Relations, points.clone(), WriteMode::Replace).await.expect("upsert");
        store.delete(Collection::Relations, &filter).await.expect("points can be deleted");
        let left = passing(store, Collection::Relations, &Filter::everything()).await;
        let kept: Vec<_> = points.iter().map(|point| point.id).filter(|id| !expected.contains(id)).collect();
        assert_eq!(left, kept, "delete {filter:?}");
    }
}

pub(super) async fn are_estimated(store: &dyn PointStore) {
    let points = shapes();
    put(store, points.clone()).await;
    let estimate = async |filter: &Filter| {
        store.estimate(Collection::Entities, filter).await.expect("points can be estimated")
    };
    for filter in questions() {
        let found = estimate(&filter).await;
        assert!(found <= points.len() as u64, "{found} of {} pass {filter:?}", points.len());
    }
    assert_eq!(estimate(&Filter::everything()).await, points.len() as u64);
    assert_eq!(estimate(&Filter::Any(Vec::new())).await, 0);
    assert_eq!(estimate(&Filter::equals("kind", "none")).await, 0);
    assert_eq!(estimate(&Filter::equals("kind", "a")).await, 24);
}

pub(super) async fn count_values(store: &dyn PointStore) {
    put(store, shapes()).await;
    let facet = async |filter: &Filter, limit| {
        store.facet(Collection::Entities, "kind", filter, limit).await.expect("values can be counted")
    };
    let pairs = |pairs: &[(&str, u64)]| pairs.iter().map(|(v, n)| ((*v).to_owned(), *n)).collect::<Vec<_>>();
    let all = pairs(&[("a", 24), ("b", 16), ("", 8), ("c", 8), ("Ä b \" c", 8)]);
    for limit in [0, 1, 2, 3, 4, 5, 100] {
        assert_eq!(facet(&Filter::everything(), limit).await, all[..limit.min(5)], "limit {limit}");
    }
    assert_eq!(facet(&Filter::equals("kind", "b"), 9).await, pairs(&[("b", 16), ("a", 8)]));
    assert_eq!(
        facet(&Filter::Range { field: "year", least: Some(2000.0), most: None }, 2).await,
        pairs(&[("a", 12), ("b", 8)])
    );
    assert!(facet(&Filter::Any(Vec::new()), 9).await.is_empty());
    assert!(facet(&Filter::equals("workspace", "other"), 9).await.is_empty());
    let many: Vec<_> = (0..600_u64).map(|n| point(id(n)).with_payload("kind", format!("v{n:03}"))).collect();
    put(store, many).await;
    let first = facet(&Filter::Ids((0..600).map(id).collect()), 3).await;
    assert_eq!(first, pairs(&[("v000", 1), ("v001", 1), ("v002", 1)]), "equal counts go by value");
    for field in ["plain", "year"] {
        let error =
            store.facet(Collection::Entities, field, &Filter::everything(), 3).await.expect_err("no keyword");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
}

pub(super) async fn report_what_is_there(store: &dyn PointStore) {
    let points: Vec<_> = (0..5).map(|n| point(id(n)).with_dense(vec![1.0; 4])).collect();
    put(store, points).await;
    store.build_index(&|_| {}).await.expect("an index can be built, or none is needed");
    let report = store.report().await.expect("a store tells how it is doing");
    assert_eq!(report.points, [5, 0, 0]);
    assert_eq!(report.kind, store.kind());
    // A server may still be busy with the points of a moment ago.
    assert!(report.states.iter().all(|state| *state != CollectionState::Failed), "{report:?}");
    assert!(!report.location.is_empty());
}
