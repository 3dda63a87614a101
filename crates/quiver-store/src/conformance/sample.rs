use uuid::Uuid;

use crate::{
    Collection, Filter, Point, PointId, PointStore, Search, Select, SparseVector, Target, WriteMode,
};

pub(super) fn id(number: u64) -> PointId {
    Uuid::from_u128(u128::from(number))
}

/// Returns a pseudo-random ID for this number, so that IDs do not sort by number.
pub(super) fn scattered(number: u64) -> PointId {
    let mut dice = Dice::new(number);
    Uuid::from_u128((u128::from(dice.next()) << 64) | u128::from(dice.next()))
}

/// Returns a point with this ID in workspace `w`.
pub(super) fn point(id: PointId) -> Point {
    Point::new(id).with_payload("workspace", "w")
}

pub(super) fn sparse(pairs: &[(u32, f32)]) -> SparseVector {
    SparseVector::from_pairs(pairs.iter().copied())
}

pub(super) fn search(target: Target, limit: usize) -> Search {
    Search {
        collection: Collection::Entities,
        target,
        filter: Filter::everything(),
        limit,
        exact: true,
        select: Select::ID,
    }
}

pub(super) async fn put(store: &dyn PointStore, points: Vec<Point>) {
    store.upsert(Collection::Entities, points, WriteMode::Replace).await.expect("points can be written");
}

pub(super) async fn fetch(store: &dyn PointStore, ids: &[PointId]) -> Vec<Point> {
    store.fetch(Collection::Entities, ids, &Select::EVERYTHING).await.expect("points can be read")
}

pub(super) async fn find(store: &dyn PointStore, search: &Search) -> Vec<(PointId, f32)> {
    let mut found = store.search(std::slice::from_ref(search)).await.expect("points can be found");
    assert_eq!(found.len(), 1, "one answer for one search");
    found.remove(0).into_iter().map(|scored| (scored.point.id, scored.score)).collect()
}

pub(super) async fn count(store: &dyn PointStore, filter: &Filter) -> u64 {
    store.count(Collection::Entities, filter).await.expect("points can be counted")
}

/// Returns all IDs that pass, by scrolling in small pages.
pub(super) async fn passing(store: &dyn PointStore, collection: Collection, filter: &Filter) -> Vec<PointId> {
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let page =
            store.scroll(collection, filter, after, 7, &Select::ID).await.expect("points can be scrolled");
        assert!(page.points.len() <= 7, "a page of {} points where 7 were asked for", page.points.len());
        ids.extend(page.points.iter().map(|point| point.id));
        if page.next.is_none() {
            return ids;
        }
        assert_eq!(page.next.as_ref(), ids.last(), "a page continues after its last point");
        after = page.next;
    }
}

/// Random numbers that are the same on every machine (the `SplitMix64` generator).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below `sides`.
    pub(super) fn roll(&mut self, sides: u32) -> u32 {
        u32::try_from(self.next() % u64::from(sides)).expect("less than sides")
    }

    pub(super) fn dense(&mut self) -> Vec<f32> {
        (0..4).map(|_| self.roll(5) as f32 * 0.25 - 0.5).collect()
    }

    pub(super) fn sparse(&mut self) -> SparseVector {
        let terms = self.roll(4);
        SparseVector::from_pairs((0..terms).map(|_| (self.roll(9), (1 + self.roll(4)) as f32 * 0.5)))
    }

    pub(super) fn point(&mut self, ids: u32) -> Point {
        let mut point = Point::new(scattered(u64::from(self.roll(ids))))
            .with_payload("workspace", format!("w{}", self.roll(3)))
            .with_payload("note", format!("n{}", self.roll(1000)));
        match self.roll(5) {
            0 => {}
            1 => point = point.with_payload("kind", serde_json::Value::Null),
            2 => point = point.with_payload("kind", format!("k{}", self.roll(6))),
            _ => {
                let kinds: Vec<_> = (0..self.roll(4)).map(|_| format!("k{}", self.roll(6))).collect();
                point = point.with_payload("kind", kinds);
            }
        }
        if self.roll(3) > 0 {
            point = point.with_payload("year", 1990 + self.roll(30));
        }
        if self.roll(4) > 0 {
            point = point.with_dense(self.dense());
        }
        if self.roll(4) > 0 {
            point = point.with_sparse(self.sparse());
        }
        point
    }

    pub(super) fn filter(&mut self, ids: u32, depth: u32) -> Filter {
        match self.roll(if depth == 0 { 5 } else { 8 }) {
            0 => Filter::equals("workspace", format!("w{}", self.roll(4))),
            1 => {
                let kinds = self.roll(4);
                Filter::any_of("kind", (0..kinds).map(|_| format!("k{}", self.roll(7))))
            }
            2 => {
                let least = (self.roll(3) > 0).then(|| f64::from(1985 + self.roll(30)) + 0.5);
                let most = (self.roll(3) > 0).then(|| f64::from(1995 + self.roll(30)));
                Filter::Range { field: "year", least, most }
            }
            3 => Filter::Missing { field: "kind" },
            4 => {
                let few = self.roll(9);
                Filter::Ids((0..few).map(|_| scattered(u64::from(self.roll(ids * 2)))).collect())
            }
            5 => Filter::All((0..self.roll(3)).map(|_| self.filter(ids, depth - 1)).collect()),
            6 => Filter::Any((0..self.roll(4)).map(|_| self.filter(ids, depth - 1)).collect()),
            _ => Filter::Not(Box::new(self.filter(ids, depth - 1))),
        }
    }
}
