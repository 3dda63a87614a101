//! What can be seen only where an index is built over few points.

use std::sync::Mutex;

use uuid::Uuid;

use super::*;
use crate::{SparseVector, Target, Vectors};

const SCHEMA: Schema = Schema { dense_dimension: Some(4), fields: &[] };

fn point(number: u128) -> Point {
    Point::new(Uuid::from_u128(number))
        .with_dense(vec![number as f32, 1.0, 0.0, 0.0])
        .with_sparse(SparseVector::from_pairs([(1, number as f32 + 1.0)]))
}

async fn open(path: &Path) -> EmbeddedStore {
    let how = How { options: EmbeddedOptions::default(), salvages: false, index_pays: 500 };
    EmbeddedStore::open_how(path, "test", SCHEMA, how).await.unwrap()
}

async fn best(store: &EmbeddedStore, target: Target, exact: bool) -> Vec<u128> {
    let search = Search {
        collection: Collection::Entities,
        target,
        filter: Filter::everything(),
        limit: 3,
        exact,
        select: Select::ID,
    };
    let found = store.search(&[search]).await.unwrap().remove(0);
    found.into_iter().map(|scored| scored.point.id.as_u128()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_changes_no_contract() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).await;
    let upsert = async |store: &EmbeddedStore, points: Vec<Point>| {
        store.upsert(Collection::Entities, points, WriteMode::Replace).await.unwrap();
    };
    upsert(&store, (0..1000).map(point).collect()).await;
    let steps = Mutex::new(Vec::new());
    store.build_index(&|step| steps.lock().unwrap().push((step.done, step.total))).await.unwrap();
    assert_eq!(*steps.lock().unwrap(), [(0, 1000), (1000, 1000)]);
    assert_eq!(store.report().await.unwrap().indexed, [1000, 0, 0]);
    let along = Target::Dense(vec![1.0, 0.0, 0.0, 0.0]);
    assert_eq!(best(&store, along.clone(), false).await, [999, 998, 997]);

    // A point in the index is replaced whole: it does not keep a vector that the new one lacks.
    let bare = Point::new(Uuid::from_u128(999)).with_payload("new", true);
    upsert(&store, vec![bare.clone(), Point { vectors: Vectors::default(), ..point(998) }, point(2000)])
        .await;
    let read = store.fetch(Collection::Entities, &[bare.id], &Select::EVERYTHING).await.unwrap();
    assert_eq!(read, [bare]);
    for exact in [true, false] {
        assert_eq!(best(&store, along.clone(), exact).await, [2000, 997, 996]);
    }
    let term = Target::Sparse(SparseVector::from_pairs([(1, 1.0)]));
    assert_eq!(best(&store, term.clone(), true).await, [2000, 997, 996]);

    // And none of its old terms come back with a new sparse vector.
    let other = SparseVector::from_pairs([(2, 1.0)]);
    upsert(&store, vec![Point::new(Uuid::from_u128(998)).with_sparse(other)]).await;
    assert_eq!(best(&store, term.clone(), true).await, [2000, 997, 996]);

    drop(store);
    let store = open(root.path()).await;
    assert_eq!(best(&store, along, true).await, [2000, 997, 996]);
    assert_eq!(best(&store, term, true).await, [2000, 997, 996]);
    assert_eq!(store.count(Collection::Entities, &Filter::everything()).await.unwrap(), 1001);
    store.build_index(&|_| panic!("nothing has grown enough")).await.unwrap();
}
