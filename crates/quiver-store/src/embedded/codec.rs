//! Binary encoding of journal entries.

use uuid::Uuid;

use crate::{Payload, Point, PointId, SparseVector, Vectors};

const PUT: u8 = 1;
const DELETE: u8 = 2;
const NO_VECTOR: u32 = u32::MAX;

/// An operation to replay.
#[derive(Debug, PartialEq)]
pub(super) enum Entry {
    /// Write these points, replacing existing ones.
    Put(Vec<Point>),
    /// Delete these points.
    Delete(Vec<PointId>),
}

pub(super) fn encode(entry: &Entry) -> Vec<u8> {
    match entry {
        Entry::Put(points) => encode_put(points),
        Entry::Delete(ids) => encode_delete(ids),
    }
}

fn encode_put(points: &[Point]) -> Vec<u8> {
    let mut bytes = vec![PUT];
    for point in points {
        bytes.extend(point.id.as_bytes());
        match &point.vectors.dense {
            None => length(&mut bytes, NO_VECTOR as usize),
            Some(dense) => {
                length(&mut bytes, dense.len());
                bytes.extend(dense.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
        let sparse = &point.vectors.sparse;
        length(&mut bytes, sparse.indices().len());
        bytes.extend(sparse.indices().iter().flat_map(|index| index.to_le_bytes()));
        bytes.extend(sparse.values().iter().flat_map(|value| value.to_le_bytes()));
        let payload = serde_json::to_vec(&point.payload).expect("a map of JSON values is JSON");
        length(&mut bytes, payload.len());
        bytes.extend(payload);
    }
    bytes
}

fn encode_delete(ids: &[PointId]) -> Vec<u8> {
    let mut bytes = vec![DELETE];
    bytes.extend(ids.iter().flat_map(Uuid::as_bytes));
    bytes
}

pub(super) fn decode(bytes: &[u8]) -> Option<Entry> {
    let (kind, mut rest) = bytes.split_first()?;
    match *kind {
        PUT => {
            let mut points = Vec::new();
            while !rest.is_empty() {
                points.push(take_point(&mut rest)?);
            }
            Some(Entry::Put(points))
        }
        DELETE => {
            let (ids, rest) = rest.as_chunks::<16>();
            rest.is_empty().then(|| Entry::Delete(ids.iter().copied().map(Uuid::from_bytes).collect()))
        }
        _ => None,
    }
}

fn length(bytes: &mut Vec<u8>, length: usize) {
    bytes.extend(u32::try_from(length).expect("no part of a point has four gigabytes").to_le_bytes());
}

fn take_point(rest: &mut &[u8]) -> Option<Point> {
    let (id, after) = rest.split_first_chunk::<16>()?;
    *rest = after;
    let dense = match take_length(rest)? {
        NO_VECTOR => None,
        length => Some(take_words(rest, length)?.map(f32::from_le_bytes).collect()),
    };
    let sparse_length = take_length(rest)?;
    let indices: Vec<_> = take_words(rest, sparse_length)?.map(u32::from_le_bytes).collect();
    let values = take_words(rest, sparse_length)?.map(f32::from_le_bytes);
    let sparse = SparseVector::from_pairs(indices.into_iter().zip(values));
    let payload_length = take_length(rest)? as usize;
    let (payload, after) = rest.split_at_checked(payload_length)?;
    *rest = after;
    let payload: Payload = serde_json::from_slice(payload).ok()?;
    Some(Point { id: Uuid::from_bytes(*id), vectors: Vectors { dense, sparse }, payload })
}

fn take_length(rest: &mut &[u8]) -> Option<u32> {
    take_words(rest, 1)?.next().map(u32::from_le_bytes)
}

fn take_words<'a>(rest: &mut &'a [u8], count: u32) -> Option<impl Iterator<Item = [u8; 4]> + use<'a>> {
    let (words, after) = rest.split_at_checked(count as usize * 4)?;
    *rest = after;
    Some(words.as_chunks::<4>().0.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were() {
        let points = vec![
            Point::new(Uuid::from_u128(1)),
            Point::new(Uuid::max())
                .with_dense(vec![0.1, -2.5])
                .with_sparse(SparseVector::from_pairs([(4_000_000_000, 0.3), (1, 2.0)]))
                .with_payload("text", "Zoë")
                .with_payload("number", 0.1),
            Point::new(Uuid::from_u128(3)).with_dense(Vec::new()),
        ];
        let bytes = encode_put(&points);
        assert_eq!(decode(&bytes), Some(Entry::Put(points)));
        for cut in 18..bytes.len() - 1 {
            // A truncated entry must not decode to all points; truncation between two points is detected only by the
            // checksum.
            if let Some(Entry::Put(points)) = decode(&bytes[..cut]) {
                assert!(points.len() < 3);
            }
        }
        let ids = vec![Uuid::from_u128(5), Uuid::nil()];
        assert_eq!(decode(&encode_delete(&ids)), Some(Entry::Delete(ids)));
        assert_eq!(decode(&[9]), None);
        assert_eq!(decode(&[]), None);
    }
}
