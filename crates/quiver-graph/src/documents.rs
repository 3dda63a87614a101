//! Documents: the passages that share a document key.

use quiver_store::{Collection, Filter, PointId, Result};

use crate::{
    Graph, Passage, Record,
    batch::BATCH,
    filters,
    payload::{DOCUMENT, SESSION},
};

/// An entry in the list of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentSummary {
    /// The document's key.
    pub key: String,
    /// Number of passages.
    pub passages: u64,
}

impl Graph {
    /// Lists documents in ascending order of key. Turns of sessions are not listed, nor are documents whose write was
    /// interrupted; [`Graph::unfinished_documents`] lists those.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn documents(&self) -> Result<Vec<DocumentSummary>> {
        self.documents_among(Filter::everything()).await
    }

    /// Lists the documents with passages that pass a filter, as [`Graph::documents`] does, and counts these passages.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn documents_among(&self, among: Filter) -> Result<Vec<DocumentSummary>> {
        let of_documents = among.and(Filter::Missing { field: SESSION });
        let facet = self.scope.facet(Collection::Passages, DOCUMENT, &of_documents, usize::MAX).await?;
        let mut documents: Vec<_> =
            facet.into_iter().map(|(key, passages)| DocumentSummary { key, passages }).collect();
        documents.sort_by(|a, b| a.key.cmp(&b.key));
        let unfinished = self.unfinished_documents().await?;
        documents.retain(|document| unfinished.binary_search(&document.key).is_err());
        Ok(documents)
    }

    /// Returns how many documents [`Graph::documents`] lists. The number is kept next to the passages and counts as long
    /// as no passage is written: listing a hundred thousand keys takes longer than all else that an opening reads.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn count_documents(&self) -> Result<u64> {
        if self.has_notes().await? && !self.unfinished_documents().await?.is_empty() {
            return Ok(self.documents().await?.len() as u64);
        }
        let count = async {
            let of_documents = Filter::Missing { field: SESSION };
            let keys = self.scope.facet(Collection::Passages, DOCUMENT, &of_documents, usize::MAX).await?;
            Ok(keys.len() as u64)
        };
        self.kept(Collection::Passages, "documents", count).await
    }

    /// Returns how many passages belong to sessions, kept like [the number of documents](Graph::count_documents).
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn count_turns(&self) -> Result<u64> {
        let in_sessions = filters::in_session();
        let count = self.scope.count(Collection::Passages, &in_sessions);
        self.kept(Collection::Passages, "turns", count).await
    }

    /// Reads a document's passages in order of position. Returns an empty list if there is no such document.
    ///
    /// # Errors
    /// Returns an error if the store fails or a passage can't be decoded.
    pub async fn passages_of(&self, document: &str) -> Result<Vec<Passage>> {
        let mut passages: Vec<Passage> = self.all(&filters::of_document(document)).await?;
        passages.sort_by_key(|passage| (passage.position, passage.id));
        Ok(passages)
    }

    /// Reads every record that passes a filter, page by page, in ascending order of ID.
    ///
    /// # Errors
    /// Returns an error if the store fails or a record can't be decoded.
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
