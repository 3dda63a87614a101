use super::sample::{count, find, id, point, put, scattered, search, sparse};
use crate::{Collection, Filter, PointId, PointStore, Search, Select, Target, WriteMode};

pub(super) async fn orders_by_score_then_id(store: &dyn PointStore) {
    let points = [(6, 1.0), (2, 2.0), (5, 2.0), (1, -1.0), (3, 0.25), (4, 2.0)];
    put(
        store,
        points
            .iter()
            .map(|(n, score)| {
                point(id(*n))
                    .with_dense(vec![*score, 0.0, 0.5, 0.0])
                    .with_sparse(sparse(&[(3, *score), (4, 0.5)]))
            })
            .collect(),
    )
    .await;
    let expected =
        [(2, 2.0), (4, 2.0), (5, 2.0), (6, 1.0), (3, 0.25), (1, -1.0)].map(|(n, score)| (id(n), score));
    for limit in [0, 1, 2, 3, 4, 5, 6, 7, 100] {
        let expected = &expected[..limit.min(6)];
        let dense = search(Target::Dense(vec![1.0, 9.0, 0.0, 9.0]), limit);
        assert_eq!(find(store, &dense).await, expected, "dense, limit {limit}");
        let sparse = search(Target::Sparse(sparse(&[(3, 1.0), (77, 5.0)])), limit);
        assert_eq!(find(store, &sparse).await, expected, "sparse, limit {limit}");
    }
}

pub(super) async fn cuts_ties_by_id(store: &dyn PointStore) {
    let mut ids: Vec<PointId> = (0..700).map(scattered).collect();
    // In several batches, so that the smallest IDs are not inserted first.
    for batch in ids.chunks(150) {
        let points = batch
            .iter()
            .map(|id| point(*id).with_dense(vec![0.5, 0.0, 0.0, 0.0]).with_sparse(sparse(&[(1, 0.5)])))
            .collect();
        put(store, points).await;
    }
    let best = point(id(u64::MAX)).with_dense(vec![1.0; 4]).with_sparse(sparse(&[(1, 1.0)]));
    let worst = point(id(0)).with_dense(vec![0.25; 4]).with_sparse(sparse(&[(1, 0.25)]));
    put(store, vec![worst, best]).await;
    ids.sort_unstable();
    for target in [Target::Dense(vec![1.0, 0.0, 0.0, 0.0]), Target::Sparse(sparse(&[(1, 1.0)]))] {
        for limit in [1, 2, 3, 10, 100, 350, 700, 701, 702, 5000] {
            let found = find(store, &search(target.clone(), limit)).await;
            let mut expected = vec![(id(u64::MAX), 1.0)];
            expected.extend(ids.iter().map(|id| (*id, 0.5)));
            expected.push((id(0), 0.25));
            expected.truncate(limit);
            assert_eq!(found, expected, "{target:?}, limit {limit}");
        }
        let few = Filter::Ids(ids.iter().copied().step_by(3).collect());
        let found = find(store, &Search { filter: few, ..search(target, 20) }).await;
        assert_eq!(found, ids.iter().step_by(3).take(20).map(|id| (*id, 0.5)).collect::<Vec<_>>());
    }
}

pub(super) async fn finds_only_points_with_the_vector(store: &dyn PointStore) {
    put(
        store,
        vec![
            point(id(1)),
            point(id(2)).with_dense(vec![0.0; 4]),
            point(id(3)).with_sparse(sparse(&[(1, 1.0), (9, 2.0)])),
            point(id(4)).with_sparse(sparse(&[(2, 1.0)])).with_dense(vec![-1.0; 4]),
        ],
    )
    .await;
    let everyone = Filter::Ids((1..=4).map(id).collect());
    for filter in [Filter::everything(), Filter::equals("workspace", "w"), everyone] {
        let with_filter = |target| Search { filter: filter.clone(), ..search(target, 9) };
        let dense = find(store, &with_filter(Target::Dense(vec![1.0; 4]))).await;
        assert_eq!(dense, [(id(2), 0.0), (id(4), -4.0)], "{filter:?}");
        let shared = find(store, &with_filter(Target::Sparse(sparse(&[(1, 1.0), (5, 1.0)])))).await;
        assert_eq!(shared, [(id(3), 1.0)], "{filter:?}");
        let two = find(store, &with_filter(Target::Sparse(sparse(&[(2, 4.0), (9, 1.0)])))).await;
        assert_eq!(two, [(id(4), 4.0), (id(3), 2.0)], "{filter:?}");
        let none = find(store, &with_filter(Target::Sparse(sparse(&[(5, 1.0)])))).await;
        assert!(none.is_empty(), "points that share no index are not found: {none:?}, {filter:?}");
    }
}

pub(super) async fn answers_each_search(store: &dyn PointStore) {
    for (number, collection) in (0_u64..).zip(Collection::ALL) {
        let points = (0..20)
            .map(|n| {
                point(id(number * 100 + n))
                    .with_dense(vec![n as f32, 0.0, 0.0, 0.0])
                    .with_payload("kind", format!("k{}", n % 2))
            })
            .collect();
        store.upsert(collection, points, WriteMode::Replace).await.expect("points can be written");
    }
    let searches: Vec<_> = (0..30)
        .map(|n| Search {
            collection: Collection::ALL[n % 3],
            target: Target::Dense(vec![1.0, 0.0, 0.0, 0.0]),
            filter: Filter::equals("kind", format!("k{}", n % 2)),
            limit: n % 5,
            exact: n % 4 > 0,
            select: Select::fields(&["kind"]),
        })
        .collect();
    let answers = store.search(&searches).await.expect("points can be found");
    assert_eq!(answers.len(), searches.len());
    for (n, answer) in (0_u64..).zip(answers) {
        let expected: Vec<_> = (0..n % 5).map(|rank| id((n % 3) * 100 + 18 + n % 2 - 2 * rank)).collect();
        assert_eq!(answer.iter().map(|scored| scored.point.id).collect::<Vec<_>>(), expected, "search {n}");
        assert!(answer.iter().all(|scored| scored.point.payload["kind"] == format!("k{}", n % 2)));
    }
}

pub(super) async fn filters_before_it_limits(store: &dyn PointStore) {
    let points = (0..500_u32)
        .map(|n| {
            point(scattered(n.into()))
                .with_payload("year", n)
                .with_payload("kind", if n % 100 == 0 { "rare" } else { "common" })
                .with_dense(vec![n as f32, 0.0, 0.0, 0.0])
                .with_sparse(sparse(&[(0, 1.0 + n as f32)]))
        })
        .collect();
    put(store, points).await;
    let rare = Filter::equals("kind", "rare");
    assert_eq!(count(store, &rare).await, 5);
    let ids: Vec<_> = [400, 300, 200, 100, 0].map(scattered).to_vec();
    for target in [Target::Dense(vec![1.0, 0.0, 0.0, 0.0]), Target::Sparse(sparse(&[(0, 1.0)]))] {
        for limit in [3, 5, 50] {
            let found = find(store, &Search { filter: rare.clone(), ..search(target.clone(), limit) }).await;
            assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), ids[..limit.min(5)], "limit {limit}");
        }
        let early = rare.clone().and(Filter::Range { field: "year", least: None, most: Some(200.0) });
        let found = find(store, &Search { filter: early, ..search(target, 2) }).await;
        assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), ids[2..4]);
    }
}
