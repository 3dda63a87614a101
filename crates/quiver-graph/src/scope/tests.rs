use std::sync::Arc;

use quiver_store::{
    Collection, Filter, MemoryStore, Point, PointId, PointStore, Search, Select, SparseVector, Target,
    WriteMode,
};

use super::Scope;
use crate::{Graph, Workspace, payload::WORKSPACE};

const MINE: PointId = PointId::from_u128(1);
const THEIRS: PointId = PointId::from_u128(2);

/// Two scopes on one store, each with one point.
async fn scopes() -> (Scope, Scope) {
    let store: Arc<dyn PointStore> = Arc::new(MemoryStore::open(Graph::schema(None)));
    let scope = |name| Scope::new(Arc::clone(&store), Workspace::new(name).unwrap());
    let (mine, theirs) = (scope("mine"), scope("theirs"));
    for (scope, id) in [(&mine, MINE), (&theirs, THEIRS)] {
        // The scope replaces any workspace that a point already has.
        let point = Point::new(id).with_payload(WORKSPACE, "theirs").with_payload("document", "d");
        let point = point.with_sparse(SparseVector::from_pairs([(1, 1.0)]));
        scope.upsert(Collection::Passages, vec![point], WriteMode::Replace).await.unwrap();
    }
    (mine, theirs)
}

fn ids(points: &[Point]) -> Vec<PointId> {
    points.iter().map(|point| point.id).collect()
}

#[tokio::test]
async fn every_filter_gets_the_workspace() {
    let (mine, theirs) = scopes().await;
    let passages = Collection::Passages;
    for filter in [
        Filter::everything(),
        Filter::Any(vec![Filter::everything()]),
        Filter::Not(Box::new(Filter::Any(Vec::new()))),
        Filter::any_of(WORKSPACE, ["mine", "theirs"]),
        Filter::Ids(vec![MINE, THEIRS]),
    ] {
        let page = mine.scroll(passages, &filter, None, 10, &Select::ID).await.unwrap();
        assert_eq!(ids(&page.points), [MINE], "{filter:?}");
        assert_eq!(mine.count(passages, &filter).await.unwrap(), 1, "{filter:?}");
        let counts = mine.facet(passages, "document", &filter, 10).await.unwrap();
        assert_eq!(counts, [("d".to_owned(), 1)], "{filter:?}");
        let target = Target::Sparse(SparseVector::from_pairs([(1, 1.0)]));
        let select = Select::ID;
        let search =
            Search { collection: passages, target, filter: filter.clone(), limit: 10, exact: true, select };
        let found = mine.search(vec![search]).await.unwrap().remove(0);
        assert_eq!(found.into_iter().map(|hit| hit.point.id).collect::<Vec<_>>(), [MINE], "{filter:?}");

        mine.delete(passages, &filter).await.unwrap();
        assert_eq!(mine.count(passages, &filter).await.unwrap(), 0, "{filter:?}");
        assert_eq!(theirs.count(passages, &Filter::everything()).await.unwrap(), 1, "{filter:?}");
        let point = Point::new(MINE).with_payload("document", "d");
        let point = point.with_sparse(SparseVector::from_pairs([(1, 1.0)]));
        mine.upsert(passages, vec![point], WriteMode::Replace).await.unwrap();
    }
}

#[tokio::test]
async fn points_of_another_workspace_are_not_fetched() {
    let (mine, theirs) = scopes().await;
    let asked = [THEIRS, MINE];
    assert_eq!(ids(&mine.fetch(Collection::Passages, &asked, true).await.unwrap()), [MINE]);
    assert_eq!(ids(&theirs.fetch(Collection::Passages, &asked, false).await.unwrap()), [THEIRS]);
}
