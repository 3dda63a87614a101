use super::{
    SCHEMA, Site,
    sample::{Dice, passing, scattered},
};
use crate::{Collection, Filter, MemoryStore, PointStore, Scored, Search, Select, Target, WriteMode};

const IDS: u32 = 150;
const ROUNDS: u32 = 120;

/// Applies the same random operations to the store and to a [`MemoryStore`], and compares the results of the same
/// queries.
pub(super) async fn agrees_with_memory(
    site: &mut dyn Site,
    mut store: Box<dyn PointStore>,
    seed: u64,
) -> Box<dyn PointStore> {
    let memory = MemoryStore::open(SCHEMA);
    let mut dice = Dice::new(seed);
    let mut found = 0;
    for round in 0..ROUNDS {
        let collection = Collection::ALL[dice.roll(3) as usize];
        write(&mut dice, collection, &[store.as_ref(), &memory]).await;
        if round % 40 == 39 {
            store = site.reopen(store).await;
        }
        found += compare(&mut dice, collection, store.as_ref(), &memory).await;
    }
    for collection in Collection::ALL {
        let ids = passing(&memory, collection, &Filter::everything()).await;
        let (ours, theirs) = (
            memory.fetch(collection, &ids, &Select::EVERYTHING),
            store.fetch(collection, &ids, &Select::EVERYTHING),
        );
        assert_eq!(theirs.await.expect("fetch"), ours.await.expect("fetch"), "seed {seed}, {collection}");
    }
    assert!(found > 500, "seed {seed} asked for too little to show anything: {found} points found");
    store
}

async fn write(dice: &mut Dice, collection: Collection, stores: &[&dyn PointStore]) {
    if dice.roll(6) == 0 {
        let filter = dice.filter(IDS, 2).and(dice.filter(IDS, 1));
        for store in stores {
            store.delete(collection, &filter).await.expect("points can be deleted");
        }
        return;
    }
    let batch = dice.roll(20);
    let points: Vec<_> = (0..batch).map(|_| dice.point(IDS)).collect();
    let mode = if dice.roll(2) == 0 { WriteMode::Replace } else { WriteMode::KeepExisting };
    for store in stores {
        store.upsert(collection, points.clone(), mode).await.expect("points can be written");
    }
}

async fn compare(
    dice: &mut Dice,
    collection: Collection,
    store: &dyn PointStore,
    memory: &MemoryStore,
) -> usize {
    let filter = dice.filter(IDS, 3);
    let ids = passing(memory, collection, &filter).await;
    assert_eq!(passing(store, collection, &filter).await, ids, "scroll of {collection} with {filter:?}");
    let counted = store.count(collection, &filter).await.expect("points can be counted");
    assert_eq!(counted, ids.len() as u64, "count of {collection} with {filter:?}");
    let asked: Vec<_> = (0..10).map(|_| scattered(u64::from(dice.roll(IDS * 2)))).collect();
    let select = Select { fields: Some(&["note", "kind"]), vectors: true };
    assert_eq!(
        store.fetch(collection, &asked, &select).await.expect("fetch"),
        memory.fetch(collection, &asked, &select).await.expect("fetch")
    );
    let limit = dice.roll(6) as usize;
    assert_eq!(
        store.facet(collection, "kind", &filter, limit).await.expect("facet"),
        memory.facet(collection, "kind", &filter, limit).await.expect("facet"),
        "facet of {collection} with {filter:?}"
    );
    let searches: Vec<_> = (0..4)
        .map(|number| Search {
            collection,
            target: if number % 2 == 0 { Target::Dense(dice.dense()) } else { Target::Sparse(dice.sparse()) },
            filter: dice.filter(IDS, 2),
            limit: dice.roll(12) as usize,
            exact: true,
            select: Select::fields(&["note"]),
        })
        .collect();
    let theirs = store.search(&searches).await.expect("points can be found");
    let ours = memory.search(&searches).await.expect("points can be found");
    for ((theirs, ours), search) in theirs.iter().zip(&ours).zip(&searches) {
        let show = |found: &[Scored]| found.iter().map(|f| (f.point.id, f.score)).collect::<Vec<_>>();
        let ids = |found: &[Scored]| found.iter().map(|f| f.point.id).collect::<Vec<_>>();
        assert_eq!(ids(theirs), ids(ours), "{search:?}: {:?} against {:?}", show(theirs), show(ours));
        assert!(
            theirs.iter().map(|found| &found.point).eq(ours.iter().map(|found| &found.point)),
            "{search:?}"
        );
        for (theirs, ours) in theirs.iter().zip(ours) {
            assert!((theirs.score - ours.score).abs() < 1e-5, "{theirs:?} against {ours:?}");
        }
    }
    ids.len() + ours.iter().map(Vec::len).sum::<usize>()
}
