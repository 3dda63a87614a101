//! Conversation turns: passages of sessions that are never used to answer questions on documents.
//!
//! Their document key sets them apart from the passages that the memory keeps of a session. They are left out of the
//! statistics, so that earlier questions do not change how documents are ranked.

use quiver_store::Filter;

use crate::{
    Passage,
    payload::{DOCUMENT as FIELD, SESSION},
};

/// The document key of conversation turns. A document with this key has no session, so it is not mistaken for them.
pub const DOCUMENT: &str = "quiver:conversation";

/// Returns a filter that matches conversation turns.
pub fn turns() -> Filter {
    let in_session = Filter::Not(Box::new(Filter::Missing { field: SESSION }));
    Filter::equals(FIELD, DOCUMENT).and(in_session)
}

/// Returns a filter that matches all passages except conversation turns.
pub fn others() -> Filter {
    Filter::Not(Box::new(turns()))
}

/// Returns whether a passage is a conversation turn.
pub fn is_turn(passage: &Passage) -> bool {
    passage.session.is_some() && passage.document == DOCUMENT
}
