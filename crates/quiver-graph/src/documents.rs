//! Documents: the passages that share a document key.

use quiver_store::{Collection, Filter, PointId, Result};

use crate::{
    Graph, Passage, Record, among,
    payload::{DOCUMENT, SESSION},
    write::BATCH,
};

/// A document, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSummary {
    /// Its key.
    pub key: String,
    /// How many passages it has.
    pub passages: u64,
}

impl Graph {
    /// Lists documents by ascending key. Turns of sessions are no documents, and neither is what is not whole because
    /// its writing was cut short: [`Graph::unfinished_documents`] lists that.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn documents(&self) -> Result<Vec<DocumentSummary>> {
        let of_documents = Filter::Missing { field: SESSION };
        let facet = self.scope.facet(Collection::Passages, DOCUMENT, &of_documents, usize::MAX).await?;
        let mut documents: Vec<_> =
            facet.into_iter().map(|(key, passages)| DocumentSummary { key, passages }).collect();
        documents.sort_by(|a, b| a.key.cmp(&b.key));
        let unfinished = self.unfinished_documents().await?;
        documents.retain(|document| unfinished.binary_search(&document.key).is_err());
        Ok(documents)
    }

    /// Reads a document's passages in the order of their positions; none where there is no such document.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn passages_of(&self, document: &str) -> Result<Vec<Passage>> {
        let mut passages: Vec<Passage> = self.all(&among::of_document(document)).await?;
        passages.sort_by_key(|passage| (passage.position, passage.id));
        Ok(passages)
    }

    /// Reads every record that passes a filter, page by page, by ascending id.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn all<T: Record>(&self, among: &Filter) -> Result<Vec<T>> {
        let mut records = Vec::new();
        let mut after: Option<PointId> = None;
        loop {
            let page = self.scope.scroll(T::COLLECTION, among, after, BATCH, &T::SELECT).await?;
            for point in page.points {
                records.push(T::from_point(point)?);
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(records),
            }
        }
    }
}
