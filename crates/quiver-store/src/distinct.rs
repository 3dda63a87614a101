use std::collections::HashMap;

use crate::{Point, PointId, WriteMode};

/// Keeps one point per ID: the first if existing points are kept, else the last.
pub(crate) fn distinct(points: Vec<Point>, mode: WriteMode) -> Vec<Point> {
    let mut places: HashMap<PointId, usize> = HashMap::with_capacity(points.len());
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        match places.get(&point.id) {
            None => {
                places.insert(point.id, kept.len());
                kept.push(point);
            }
            Some(place) if mode == WriteMode::Replace => kept[*place] = point,
            Some(_) => {}
        }
    }
    kept
}
