//! How a passage is called in traces, paths and citations.

use quiver_graph::Passage;

/// Returns a passage's title, or else its document.
pub(crate) fn label(passage: &Passage) -> &str {
    passage.title.as_deref().unwrap_or(&passage.document)
}
