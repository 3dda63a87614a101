use super::sample::{count, fetch, find, id, passing, point, put, scattered, search, sparse};
use crate::{Collection, ErrorKind, Filter, Point, PointStore, Target, WriteMode};

pub(super) async fn replaces_whole_points(store: &dyn PointStore) {
    let old =
        point(id(1)).with_payload("old", true).with_dense(vec![1.0; 4]).with_sparse(sparse(&[(1, 1.0)]));
    put(store, vec![old.clone()]).await;
    let new = Point::new(id(1)).with_payload("workspace", "v");
    put(store, vec![new.clone()]).await;
    assert_eq!(fetch(store, &[id(1)]).await, std::slice::from_ref(&new), "nothing of the old point is left");
    assert!(find(store, &search(Target::Dense(vec![1.0; 4]), 5)).await.is_empty());
    assert!(find(store, &search(Target::Sparse(sparse(&[(1, 1.0)])), 5)).await.is_empty());
    assert_eq!(count(store, &Filter::equals("workspace", "w")).await, 0);
    assert_eq!(count(store, &Filter::equals("workspace", "v")).await, 1);
    // Of several points with one ID, the last is kept.
    let versions = |n: u32| point(id(2)).with_payload("version", n).with_sparse(sparse(&[(n, 1.0)]));
    put(store, vec![versions(1), point(id(3)), versions(2), versions(3)]).await;
    assert_eq!(fetch(store, &[id(2), id(3)]).await, [versions(3), point(id(3))]);
    assert!(find(store, &search(Target::Sparse(sparse(&[(1, 1.0), (2, 1.0)])), 5)).await.is_empty());
    put(store, vec![old.clone()]).await;
    assert_eq!(fetch(store, &[id(1)]).await, [old]);
}

pub(super) async fn keeps_existing_points(store: &dyn PointStore) {
    let keep = async |points| {
        store
            .upsert(Collection::Entities, points, WriteMode::KeepExisting)
            .await
            .expect("points can be written");
    };
    let version =
        |number: u64, n: u32| point(id(number)).with_payload("version", n).with_dense(vec![n as f32; 4]);
    put(store, vec![version(1, 1)]).await;
    keep(vec![version(1, 2), version(2, 1), version(2, 2), version(3, 1)]).await;
    assert_eq!(fetch(store, &[id(1), id(2), id(3)]).await, [version(1, 1), version(2, 1), version(3, 1)]);
    keep(vec![version(1, 3)]).await;
    assert_eq!(fetch(store, &[id(1)]).await, [version(1, 1)]);
    store.delete(Collection::Entities, &Filter::Ids(vec![id(1)])).await.expect("points can be deleted");
    keep(vec![version(1, 4)]).await;
    assert_eq!(fetch(store, &[id(1)]).await, [version(1, 4)], "a deleted point exists no more");
}

pub(super) async fn refuses_other_dimensions(store: &dyn PointStore) {
    for dense in [vec![1.0; 3], vec![1.0; 5], vec![], vec![f32::NAN; 4]] {
        for mode in [WriteMode::Replace, WriteMode::KeepExisting] {
            let points = vec![point(id(1)), point(id(2)).with_dense(dense.clone()), point(id(3))];
            let error =
                store.upsert(Collection::Entities, points, mode).await.expect_err("another dimension");
            assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        }
        let error = store.search(&[search(Target::Dense(dense), 3)]).await.expect_err("another dimension");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
    assert_eq!(count(store, &Filter::everything()).await, 0, "nothing is written then");
}

pub(super) async fn takes_empty_batches(store: &dyn PointStore) {
    for mode in [WriteMode::Replace, WriteMode::KeepExisting] {
        store.upsert(Collection::Entities, Vec::new(), mode).await.expect("an empty batch is no error");
    }
    assert!(store.search(&[]).await.expect("no searches, no answers").is_empty());
    assert!(fetch(store, &[]).await.is_empty());
    let page = store
        .scroll(Collection::Entities, &Filter::everything(), None, 5, &crate::Select::ID)
        .await
        .expect("an empty collection can be scrolled");
    assert_eq!(page, crate::Page::default());
    assert!(find(store, &search(Target::Dense(vec![1.0; 4]), 5)).await.is_empty());
    store
        .delete(Collection::Entities, &Filter::Ids(vec![id(1)]))
        .await
        .expect("that there are none is no error");
    put(store, vec![point(id(1)).with_sparse(sparse(&[]))]).await;
    assert!(fetch(store, &[id(1)]).await[0].vectors.sparse.is_empty());
    assert!(find(store, &search(Target::Sparse(sparse(&[])), 5)).await.is_empty());
}

pub(super) async fn takes_thousands(store: &dyn PointStore) {
    let points: Vec<_> = (0..5000_u32)
        .map(|n| {
            point(scattered(n.into()))
                .with_payload("year", n)
                .with_dense(vec![n as f32, 1.0, 0.0, 0.0])
                .with_sparse(sparse(&[(n % 50, 1.0)]))
        })
        .collect();
    put(store, points.clone()).await;
    assert_eq!(count(store, &Filter::everything()).await, 5000);
    let mut ids: Vec<_> = points.iter().map(|point| point.id).collect();
    assert_eq!(fetch(store, &ids).await, points);
    assert_eq!(count(store, &Filter::Ids(ids.clone())).await, 5000);
    let best: Vec<_> = (4990..5000).rev().map(|n| (ids[n], n as f32)).collect();
    assert_eq!(find(store, &search(Target::Dense(vec![1.0, 0.0, 0.0, 0.0]), 10)).await, best);
    store.upsert(Collection::Entities, points, WriteMode::KeepExisting).await.expect("points can be written");
    assert_eq!(count(store, &Filter::everything()).await, 5000);
    let half = Filter::Range { field: "year", least: Some(2500.0), most: None };
    store.delete(Collection::Entities, &half).await.expect("points can be deleted");
    ids.truncate(2500);
    ids.sort_unstable();
    assert_eq!(passing(store, Collection::Entities, &Filter::everything()).await, ids);
}

pub(super) async fn deletes_what_passes(store: &dyn PointStore) {
    put(store, (0..10_u32).map(|n| point(id(n.into())).with_payload("year", n)).collect()).await;
    let even = Filter::Ids((0..10).step_by(2).map(id).collect());
    let high = Filter::Range { field: "year", least: Some(5.0), most: None };
    store.delete(Collection::Entities, &even.clone().and(high.clone())).await.expect("points can be deleted");
    let left = [0, 1, 2, 3, 4, 5, 7, 9].map(id);
    assert_eq!(passing(store, Collection::Entities, &Filter::everything()).await, left);
    for nothing in [Filter::Any(Vec::new()), Filter::Ids(Vec::new()), even.and(high)] {
        store.delete(Collection::Entities, &nothing).await.expect("that there are none is no error");
    }
    assert_eq!(count(store, &Filter::everything()).await, 8);
}
