//! Counts by key: a sorted table as stored, and the changes since.

use std::{cmp::Ordering, hash::Hash, marker::PhantomData};

use bytes::{Buf as _, Bytes};
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

/// Size of a count in bytes.
const COUNT: usize = size_of::<i32>();

/// Keys with their counts, in ascending order of key, as a block contains them. Clones share them.
#[derive(Clone, Debug)]
struct Sorted<K> {
    keys: Bytes,
    counts: Bytes,
    kind: PhantomData<K>,
}

/// Counts by key. The sorted table stays in the block that it was read from, and clones share it.
#[derive(Clone, Debug)]
pub(super) struct Table<K> {
    base: Sorted<K>,
    /// What to add to the counts of the base.
    changes: FxHashMap<K, i32>,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        let base = Sorted { keys: Bytes::new(), counts: Bytes::new(), kind: PhantomData };
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
        let of_base = self.base.keys().rev().find(|key| self.get(key) > 0);
        let of_changes = self.changes.keys().copied().filter(|key| self.get(key) > 0).max();
        of_base.max(of_changes)
    }

    /// Merges the changes into the sorted table, and writes it.
    pub(super) fn settle(&mut self, block: &mut Vec<u8>) {
        if !self.changes.is_empty() {
            self.base = self.all().collect();
            self.changes = FxHashMap::default();
        }
        self.base.write(block);
    }

    pub(super) fn write_changes(&self, block: &mut Vec<u8>) {
        self.changes().into_iter().collect::<Sorted<K>>().write(block);
    }

    /// Reads what was written from the front of a block: the sorted table, or changes to it.
    pub(super) fn read(&mut self, block: &mut Bytes, is_base: bool) -> Option<()> {
        let read = Sorted::read(block)?;
        if !is_base {
            read.pairs().for_each(|(key, by)| self.add(key, by));
        } else if read.keys().is_sorted_by(|a, b| a < b) {
            self.base = read;
        } else {
            return None;
        }
        Some(())
    }

    /// Iterates over all counted keys with their counts, in ascending order of key.
    fn all(&self) -> impl Iterator<Item = (K, i32)> {
        let mut base = self.base.pairs().peekable();
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
    /// Takes the pairs from the front of a block, without copying them.
    fn read(block: &mut Bytes) -> Option<Self> {
        let length = block.try_get_u32_le().ok()? as usize;
        let keys = length.checked_mul(K::BYTES)?;
        let counts = length.checked_mul(COUNT)?;
        let is_whole = keys.checked_add(counts)? <= block.len();
        is_whole.then(|| Self {
            keys: block.split_to(keys),
            counts: block.split_to(counts),
            kind: PhantomData,
        })
    }

    fn write(&self, block: &mut Vec<u8>) {
        let length = u32::try_from(self.len()).expect("fewer keys than four billion");
        block.extend_from_slice(&length.to_le_bytes());
        block.extend_from_slice(&self.keys);
        block.extend_from_slice(&self.counts);
    }

    fn len(&self) -> usize {
        self.keys.len() / K::BYTES
    }

    fn get(&self, key: &K) -> i32 {
        let (mut start, mut end) = (0, self.len());
        while start < end {
            let middle = start.midpoint(end);
            match self.key(middle).cmp(key) {
                Ordering::Less => start = middle + 1,
                Ordering::Greater => end = middle,
                Ordering::Equal => return self.count(middle),
            }
        }
        0
    }

    fn key(&self, at: usize) -> K {
        K::read(&self.keys[at * K::BYTES..][..K::BYTES])
    }

    fn count(&self, at: usize) -> i32 {
        i32::from_le_bytes(self.counts[at * COUNT..][..COUNT].try_into().expect("four bytes"))
    }

    fn keys(&self) -> impl DoubleEndedIterator<Item = K> {
        (0..self.len()).map(|at| self.key(at))
    }

    fn pairs(&self) -> impl Iterator<Item = (K, i32)> {
        (0..self.len()).map(|at| (self.key(at), self.count(at)))
    }
}

impl<K: Key> FromIterator<(K, i32)> for Sorted<K> {
    /// Collects pairs that come in ascending order of key.
    fn from_iter<I: IntoIterator<Item = (K, i32)>>(pairs: I) -> Self {
        let (mut keys, mut counts) = (Vec::new(), Vec::new());
        for (key, count) in pairs {
            key.write(&mut keys);
            counts.extend_from_slice(&count.to_le_bytes());
        }
        Self { keys: keys.into(), counts: counts.into(), kind: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(counts: &[(i64, i32)]) -> Table<i64> {
        let mut table = Table::default();
        counts.iter().for_each(|(key, by)| table.add(*key, *by));
        table
    }

    fn block_of(mut table: Table<i64>) -> Bytes {
        let mut block = Vec::new();
        table.settle(&mut block);
        block.into()
    }

    #[test]
    fn a_table_is_read_where_it_lies() {
        let written = table(&[(7, 2), (-3, 1), (9, 4), (8, 0)]);
        let block = block_of(written.clone());
        let (mut rest, mut read) = (block.clone(), Table::default());
        read.read(&mut rest, true).unwrap();
        assert!(rest.is_empty());
        assert!(block.as_ptr_range().contains(&read.base.keys.as_ptr()), "it was copied");
        assert_eq!(read, written);
        assert_eq!([-4, -3, 0, 7, 8, 9, 10].map(|key| read.get(&key)), [0, 1, 0, 2, 0, 4, 0]);
        assert_eq!(read.last(), Some(9));
        assert_eq!(block_of(read), block);
    }

    #[test]
    fn changes_are_added_to_what_was_read() {
        let mut read = Table::default();
        read.read(&mut block_of(table(&[(1, 1), (5, 2)])), true).unwrap();
        let mut changes = Vec::new();
        table(&[(5, -2), (3, 4)]).write_changes(&mut changes);
        read.read(&mut changes.into(), false).unwrap();
        assert_eq!(read, table(&[(1, 1), (3, 4)]));
        assert_eq!(read.last(), Some(3));
    }

    #[test]
    fn nothing_is_read_of_a_block_that_is_cut_short_or_out_of_order() {
        let block = block_of(table(&[(1, 1), (5, 2)]));
        for length in 0..block.len() {
            assert_eq!(Table::<i64>::default().read(&mut block.slice(..length), true), None, "{length}");
        }
        let mut twice = block.to_vec();
        twice.copy_within(4..12, 12);
        assert_eq!(Table::<i64>::default().read(&mut twice.into(), true), None);
        let endless = u32::MAX.to_le_bytes().to_vec();
        assert_eq!(Table::<i64>::default().read(&mut endless.into(), true), None);
    }
}
