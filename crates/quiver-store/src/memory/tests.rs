//! Compares the in-memory store with brute force over [`Filter::matches`]: plans and postings must not change
//! results.

use uuid::Uuid;

use super::*;
use crate::{Field, FieldKind, SparseVector, Target};

const SCHEMA: Schema = Schema {
    dense_dimension: Some(3),
    fields: &[
        Field { collection: Collection::Entities, name: "workspace", kind: FieldKind::Tenant },
        Field { collection: Collection::Entities, name: "kind", kind: FieldKind::Keyword },
        Field { collection: Collection::Entities, name: "age", kind: FieldKind::Integer },
    ],
};

/// A small linear congruential generator with the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn point(&mut self) -> Point {
        let kinds: Vec<String> = (0..self.roll(3)).map(|_| format!("k{}", self.roll(6))).collect();
        let point = Point::new(Uuid::from_u128(self.roll(200).into()))
            .with_payload("workspace", format!("w{}", self.roll(3)))
            .with_payload("kind", kinds)
            .with_payload("age", self.roll(50))
            .with_sparse(self.sparse());
        if self.roll(4) == 0 { point } else { point.with_dense(self.dense()) }
    }

    fn dense(&mut self) -> Vec<f32> {
        (0..3).map(|_| self.roll(3) as f32 - 1.0).collect()
    }

    fn sparse(&mut self) -> SparseVector {
        let terms = self.roll(4);
        SparseVector::from_pairs((0..terms).map(|_| (u32::try_from(self.roll(7)).unwrap(), 1.0)))
    }

    fn filter(&mut self, depth: u64) -> Filter {
        match self.roll(if depth == 0 { 5 } else { 8 }) {
            0 => Filter::equals("workspace", format!("w{}", self.roll(4))),
            1 => Filter::any_of(
                "kind",
                (0..self.roll(4)).map(|_| format!("k{}", self.roll(7))).collect::<Vec<_>>(),
            ),
            2 => Filter::Range { field: "age", least: Some(10.0), most: Some(self.roll(50) as f64) },
            3 => Filter::Missing { field: "kind" },
            4 => Filter::Ids((0..self.roll(9)).map(|_| Uuid::from_u128(self.roll(220).into())).collect()),
            5 => Filter::All((0..self.roll(3)).map(|_| self.filter(depth - 1)).collect()),
            6 => Filter::Any((0..self.roll(3)).map(|_| self.filter(depth - 1)).collect()),
            _ => Filter::Not(Box::new(self.filter(depth - 1))),
        }
    }
}

#[tokio::test]
async fn plans_and_postings_change_no_answer() {
    let mut dice = Dice(11);
    let store = MemoryStore::open(SCHEMA);
    let mut reference: std::collections::BTreeMap<PointId, Point> = std::collections::BTreeMap::new();
    let mut found = 0;
    for round in 0..400 {
        let points: Vec<_> = (0..dice.roll(6)).map(|_| dice.point()).collect();
        for point in &points {
            if round % 2 == 0 {
                reference.insert(point.id, point.clone());
            } else {
                reference.entry(point.id).or_insert_with(|| point.clone());
            }
        }
        let mode = if round % 2 == 0 { WriteMode::Replace } else { WriteMode::KeepExisting };
        store.upsert(Collection::Entities, points, mode).await.unwrap();
        let filter = dice.filter(3);
        if round % 40 == 39 {
            let gone = Filter::All(vec![filter.clone(), dice.filter(2)]);
            reference.retain(|id, point| !gone.matches(*id, &point.payload));
            store.delete(Collection::Entities, &gone).await.unwrap();
        }
        let passing: Vec<_> = reference.values().filter(|p| filter.matches(p.id, &p.payload)).collect();
        found += passing.len();
        assert_eq!(store.count(Collection::Entities, &filter).await.unwrap(), passing.len() as u64);
        for target in [Target::Dense(dice.dense()), Target::Sparse(dice.sparse())] {
            let mut expected: Vec<_> = passing
                .iter()
                .filter_map(|point| {
                    let score = match &target {
                        Target::Dense(to) => Some(dot(point.vectors.dense.as_ref()?, to)),
                        Target::Sparse(to) => point.vectors.sparse.dot(to),
                    };
                    Some(Scored { score: score? + 0.0, point: (*point).clone() })
                })
                .collect();
            expected.sort_by(Scored::order);
            expected.truncate(7);
            let search = Search {
                collection: Collection::Entities,
                target,
                filter: filter.clone(),
                limit: 7,
                exact: true,
                select: Select::EVERYTHING,
            };
            assert_eq!(store.search(std::slice::from_ref(&search)).await.unwrap(), [expected], "{search:?}");
        }
    }
    assert!(found > 1000, "the filters let too little pass to show anything: {found}");
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
