use serde_json::json;

use super::{
    Site,
    sample::{fetch, id, passing, point, put, scattered, sparse},
};
use crate::{Collection, Filter, Point, PointStore, Select, WriteMode};

pub(super) async fn answers_in_the_order_asked(store: &dyn PointStore) {
    put(store, (1..=5).map(|n| point(id(n))).collect()).await;
    let asked = [id(4), id(9), id(1), id(4), id(5), id(1)];
    let ids: Vec<_> = fetch(store, &asked).await.into_iter().map(|point| point.id).collect();
    assert_eq!(ids, [id(4), id(1), id(5)], "in the order asked, once each, without the absent");
    assert!(fetch(store, &[]).await.is_empty());
    assert!(fetch(store, &[id(77)]).await.is_empty());
}

pub(super) async fn gives_back_what_was_written(store: &dyn PointStore) {
    let mut rich = point(id(1))
        .with_dense(vec![0.25, -1.5, 3.0, 0.0])
        .with_sparse(sparse(&[(7, 0.5), (4_000_000_000, 1.25)]))
        .with_payload("nothing", json!(null))
        .with_payload("truth", true)
        .with_payload("whole", -9_007_199_254_740_993_i64)
        .with_payload("part", 0.125)
        .with_payload("round", 3.0)
        .with_payload("text", "Zoë said \"hi\"\n\u{1f3f9}")
        .with_payload("list", json!([1, "two", [3.5], {"four": null}]))
        .with_payload("object", json!({"a": {"b": [true, false]}, "": "empty key"}))
        .with_payload("empty list", json!([]))
        .with_payload("empty object", json!({}));
    rich.payload.insert("long".to_owned(), "x".repeat(100_000).into());
    let points = vec![
        rich,
        Point::new(id(2)),
        point(id(3)).with_dense(vec![1.0, 2.0, 3.0, 4.0]),
        point(id(4)).with_sparse(sparse(&[(0, 2.0)])),
        point(id(u64::MAX)),
        point(scattered(5)),
    ];
    put(store, points.clone()).await;
    let ids: Vec<_> = points.iter().map(|point| point.id).collect();
    assert_eq!(fetch(store, &ids).await, points);
}

pub(super) async fn reads_what_was_selected(store: &dyn PointStore) {
    let whole = point(id(1))
        .with_dense(vec![1.0; 4])
        .with_sparse(sparse(&[(1, 1.0)]))
        .with_payload("a", json!({"b": 1}))
        .with_payload("c", 2);
    put(store, vec![whole.clone()]).await;
    for select in [
        Select::ID,
        Select::PAYLOAD,
        Select::EVERYTHING,
        Select::fields(&["a", "absent"]),
        Select { fields: Some(&["c"]), vectors: true },
        Select { fields: Some(&[]), vectors: true },
    ] {
        let mut expected = Point { payload: select.project(&whole.payload), ..Point::new(whole.id) };
        if select.vectors {
            expected.vectors = whole.vectors.clone();
        }
        let fetched = store.fetch(Collection::Entities, &[id(1)], &select).await.expect("fetch");
        assert_eq!(fetched, [expected.clone()], "fetched with {select:?}");
        let page = store
            .scroll(Collection::Entities, &Filter::everything(), None, 9, &select)
            .await
            .expect("scroll");
        assert_eq!(page.points, [expected.clone()], "scrolled with {select:?}");
        for target in
            [crate::Target::Dense(vec![1.0, 0.0, 0.0, 0.0]), crate::Target::Sparse(sparse(&[(1, 1.0)]))]
        {
            let search = crate::Search { select: select.clone(), ..super::sample::search(target, 3) };
            let found = store.search(&[search]).await.expect("search");
            assert_eq!(found[0][0].point, expected, "found with {select:?}");
        }
    }
}

pub(super) async fn scrolls_by_ascending_id(store: &dyn PointStore) {
    let mut ids: Vec<_> = (0..40).map(scattered).collect();
    put(store, ids.iter().map(|id| point(*id)).collect()).await;
    ids.sort_unstable();
    assert_eq!(passing(store, Collection::Entities, &Filter::everything()).await, ids);
    let scroll = async |after, limit| {
        let page = store
            .scroll(Collection::Entities, &Filter::everything(), after, limit, &Select::ID)
            .await
            .expect("points can be scrolled");
        (page.points.into_iter().map(|point| point.id).collect::<Vec<_>>(), page.next)
    };
    assert_eq!(scroll(None, 40).await, (ids.clone(), None), "a page that holds all is the last");
    assert_eq!(scroll(None, usize::MAX).await, (ids.clone(), None));
    assert_eq!(scroll(None, 39).await, (ids[..39].to_vec(), Some(ids[38])));
    assert_eq!(scroll(Some(ids[9]), 3).await, (ids[10..13].to_vec(), Some(ids[12])));
    assert_eq!(scroll(Some(ids[39]), 3).await, (Vec::new(), None));
    assert!(scroll(None, 0).await.0.is_empty());
    // The ID to continue after may have been deleted.
    store.delete(Collection::Entities, &Filter::Ids(vec![ids[9]])).await.expect("points can be deleted");
    assert_eq!(scroll(Some(ids[9]), 2).await.0, ids[10..12]);
    assert_eq!(scroll(Some(id(0)), 2).await.0, ids[..2]);
}

pub(super) async fn keeps_the_collections_apart(store: &dyn PointStore) {
    for (number, collection) in Collection::ALL.into_iter().enumerate() {
        let own = point(id(1)).with_payload("own", number).with_dense(vec![1.0; 4]);
        store.upsert(collection, vec![own], WriteMode::Replace).await.expect("points can be written");
    }
    for (number, collection) in Collection::ALL.into_iter().enumerate() {
        let points = store.fetch(collection, &[id(1)], &Select::PAYLOAD).await.expect("points can be read");
        assert_eq!(points[0].payload["own"], number);
    }
    store.delete(Collection::Relations, &Filter::Ids(vec![id(1)])).await.expect("points can be deleted");
    for (collection, left) in Collection::ALL.into_iter().zip([1, 0, 1]) {
        assert_eq!(
            store.count(collection, &Filter::everything()).await.expect("count"),
            left,
            "{collection}"
        );
    }
}

pub(super) async fn survives_reopening(
    site: &mut dyn Site,
    store: Box<dyn PointStore>,
) -> Box<dyn PointStore> {
    let points: Vec<_> = (0..300)
        .map(|n| point(scattered(n)).with_dense(vec![n as f32; 4]).with_sparse(sparse(&[(3, 1.0)])))
        .collect();
    let ids: Vec<_> = points.iter().map(|point| point.id).collect();
    put(store.as_ref(), points.clone()).await;
    let store = site.reopen(store).await;
    assert_eq!(fetch(store.as_ref(), &ids).await, points);
    let store = site.reopen(store).await;
    let gone = Filter::Ids(ids[..100].to_vec());
    store.delete(Collection::Entities, &gone).await.expect("points can be deleted");
    put(store.as_ref(), vec![point(ids[200]).with_payload("new", true)]).await;
    let store = site.reopen(store).await;
    let left = fetch(store.as_ref(), &ids).await;
    assert_eq!(left.len(), 200);
    assert_eq!(left[..100], points[100..200]);
    assert_eq!(left[100], point(ids[200]).with_payload("new", true));
    store
}
