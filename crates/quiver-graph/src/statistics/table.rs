//! Counts by key: a sorted table as stored, and the changes since.

use std::{cmp::Ordering, hash::Hash, sync::Arc};

use rustc_hash::FxHashMap;

/// A key with a fixed number of bytes.
pub(super) trait Key: Copy + Eq + Hash + Ord {
    const BYTES: usize;
    fn write(self, block: &mut Vec<u8>);
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! key {
    ($number:ty) => {
        impl Key for $number {
            const BYTES: usize = size_of::<$number>();

            fn write(self, block: &mut Vec<u8>) {
                block.extend_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("as many bytes as it has"))
            }
        }
    };
}

key!(u32);
key!(u128);
key!(i64);

/// Keys with their counts, in ascending order of key.
#[derive(Debug)]
struct Sorted<K> {
    keys: Vec<K>,
    counts: Vec<i32>,
}

/// Counts by key. A large table is read directly from the mapped file, and clones share it.
#[derive(Clone, Debug)]
pub(super) struct Table<K> {
    base: Arc<Sorted<K>>,
    /// What to add to the counts of the base.
    changes: FxHashMap<K, i32>,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        let base = Arc::new(Sorted { keys: Vec::new(), counts: Vec::new() });
        Self { base, changes: FxHashMap::default() }
    }
}

impl<K: Key> PartialEq for Table<K> {
    fn eq(&self, other: &Self) -> bool {
        self.all().eq(other.all())
    }
}

impl<K: Key> Eq for Table<K> {}

impl<K: Key> Table<K> {
    pub(super) fn get(&self, key: &K) -> u32 {
        let change = self.changes.get(key).copied().unwrap_or_default();
        u32::try_from(self.base.get(key) + change).unwrap_or_default()
    }

    pub(super) fn add(&mut self, key: K, by: i32) {
        *self.changes.entry(key).or_default() += by;
    }

    /// Returns the greatest counted key.
    pub(super) fn last(&self) -> Option<K> {
        let of_base = self.base.keys.iter().rev().copied().find(|key| self.get(key) > 0);
        let of_changes = self.changes.keys().copied().filter(|key| self.get(key) > 0).max();
        of_base.max(of_changes)
    }

    /// Merges the changes into the sorted table, and writes it.
    pub(super) fn settle(&mut self, block: &mut Vec<u8>) {
        if !self.changes.is_empty() {
            let (keys, counts) = self.all().unzip();
            self.base = Arc::new(Sorted { keys, counts });
            self.changes = FxHashMap::default();
        }
        write(self.base.keys.iter().copied().zip(self.base.counts.iter().copied()), block);
    }

    pub(super) fn write_changes(&self, block: &mut Vec<u8>) {
        write(self.changes().into_iter(), block);
    }

    /// Reads what was written from the front of a block: the sorted table, or changes to it.
    pub(super) fn read(&mut self, block: &mut &[u8], is_base: bool) -> Option<()> {
        let (length, rest) = block.split_at_checked(4)?;
        let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
        let (keys, rest) = rest.split_at_checked(length.checked_mul(K::BYTES)?)?;
        let (counts, rest) = rest.split_at_checked(length.checked_mul(4)?)?;
        *block = rest;
        let keys = keys.chunks_exact(K::BYTES).map(K::read);
        let counts =
            counts.chunks_exact(4).map(|count| i32::from_le_bytes(count.try_into().expect("four bytes")));
        if is_base {
            let base = Sorted { keys: keys.collect(), counts: counts.collect() };
            if !base.keys.is_sorted_by(|a, b| a < b) {
                return None;
            }
            self.base = Arc::new(base);
        } else {
            keys.zip(counts).for_each(|(key, by)| self.add(key, by));
        }
        Some(())
    }

    /// Iterates over all counted keys with their counts, in ascending order of key.
    fn all(&self) -> impl Iterator<Item = (K, i32)> {
        let mut base = self.base.keys.iter().copied().zip(self.base.counts.iter().copied()).peekable();
        let mut changes = self.changes().into_iter().peekable();
        let merged = std::iter::from_fn(move || {
            let order = match (base.peek(), changes.peek()) {
                (Some(of_base), Some(change)) => of_base.0.cmp(&change.0),
                (Some(_), None) => Ordering::Less,
                (None, _) => Ordering::Greater,
            };
            match order {
                Ordering::Less => base.next(),
                Ordering::Greater => changes.next(),
                Ordering::Equal => {
                    base.next().zip(changes.next()).map(|(of_base, change)| (of_base.0, of_base.1 + change.1))
                }
            }
        });
        merged.filter(|(_, count)| *count > 0)
    }

    /// Returns the changes that are not zero, in ascending order of key.
    fn changes(&self) -> Vec<(K, i32)> {
        let mut changes: Vec<(K, i32)> =
            self.changes.iter().map(|(key, by)| (*key, *by)).filter(|(_, by)| *by != 0).collect();
        changes.sort_unstable();
        changes
    }
}

impl<K: Key> Sorted<K> {
    fn get(&self, key: &K) -> i32 {
        self.keys.binary_search(key).map_or(0, |at| self.counts[at])
    }
}

fn write<K: Key>(pairs: impl ExactSizeIterator<Item = (K, i32)> + Clone, block: &mut Vec<u8>) {
    let length = u32::try_from(pairs.len()).expect("fewer keys than four billion");
    block.extend_from_slice(&length.to_le_bytes());
    pairs.clone().for_each(|(key, _)| key.write(block));
    pairs.for_each(|(_, count)| block.extend_from_slice(&count.to_le_bytes()));
}
