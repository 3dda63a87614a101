//! Finding the latest records, and amending relations.

use quiver_store::{Filter, Point, PointId, Result, Select, WriteMode};
use serde_json::Value;

use crate::{
    Embedded, Graph, Passage, Record, Relation, RelationId, filters,
    payload::{Stored, TIME, VALID_FROM},
};

/// Number of dates that the search for the latest reads at a time.
const PAGE: usize = 64;

/// A record with an indexed date.
pub trait Dated: Record {
    /// The field that stores the date.
    const DATE: Select;
    /// Returns a filter that matches records dated at or after a moment.
    fn since(moment: i64) -> Filter;
}

impl Dated for Relation {
    const DATE: Select = Select::fields(&[VALID_FROM]);

    fn since(moment: i64) -> Filter {
        filters::begun(Some(moment), None)
    }
}

impl Dated for Passage {
    const DATE: Select = Select::fields(&[TIME]);

    fn since(moment: i64) -> Filter {
        filters::said(Some(moment), None)
    }
}

impl Graph {
    /// Finds the latest dated records that pass a filter, latest first; equal dates by descending ID.
    ///
    /// Pages come in order of ID. IDs are digests and independent of dates, so the latest records of a page give a
    /// lower bound for the result, and each page reduces the remaining records to about one in `PAGE / limit`. A
    /// million records take four pages.
    ///
    /// # Errors
    /// Returns an error if the store fails or a record can't be decoded.
    pub async fn latest<T: Dated>(&self, among: &Filter, limit: usize) -> Result<Vec<T>> {
        let limit = limit.max(1);
        let mut page_size = PAGE.max(limit * 2);
        let mut floor = i64::MIN;
        loop {
            let filter = among.clone().and(T::since(floor));
            let page = self.scope.scroll(T::COLLECTION, &filter, None, page_size, &T::DATE).await?;
            let date = |point: &Point| point.payload.values().find_map(Value::as_i64);
            let mut found: Vec<(i64, PointId)> =
                page.points.iter().filter_map(|point| Some((date(point)?, point.id))).collect();
            // Pages are in order of ID; a stable sort of the reversed page breaks ties by descending ID.
            found.reverse();
            found.sort_by_key(|(date, _)| std::cmp::Reverse(*date));
            if page.next.is_none() {
                let ids: Vec<PointId> = found.into_iter().take(limit).map(|(_, id)| id).collect();
                let points = self.scope.fetch(T::COLLECTION, &ids, false).await?;
                return points.into_iter().map(T::from_point).collect();
            }
            match found.get(limit - 1) {
                Some((date, _)) if *date > floor => floor = *date,
                // More records than fit a page share one date.
                _ => page_size *= 4,
            }
        }
    }

    /// Changes relations in place. Their ends, predicate and start date must stay, since the ID is derived from them.
    /// Returns how many of the relations exist.
    ///
    /// # Errors
    /// Returns an error if the store fails or a relation can't be decoded.
    pub async fn amend(&self, ids: &[RelationId], change: impl Fn(&mut Relation) + Send) -> Result<usize> {
        let _writing = self.writing.lock().await;
        let ids: Vec<_> = ids.iter().map(|id| id.point()).collect();
        let mut points = Vec::new();
        for point in self.scope.fetch(Relation::COLLECTION, &ids, true).await? {
            let Embedded { mut record, vectors } = Relation::with_vectors(point)?;
            change(&mut record);
            debug_assert_eq!(
                record.identity(self.workspace()),
                record.id,
                "an amended relation is the same one"
            );
            points.push(Relation::to_point(Embedded { record, vectors }));
        }
        let amended = points.len();
        self.scope.upsert(Relation::COLLECTION, points, WriteMode::Replace).await?;
        Ok(amended)
    }
}
