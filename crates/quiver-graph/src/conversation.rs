//! Turns of conversations: passages of sessions that documents are never answered from.
//!
//! They are told from what the memory keeps of a session by their document, and left out of the statistics, so that
//! what was asked before changes nothing in how documents are ranked.

use quiver_store::Filter;

use crate::{
    Passage,
    payload::{DOCUMENT as FIELD, SESSION},
};

/// The document that turns of conversations belong to. A document of this name has no session, so it is another.
pub const DOCUMENT: &str = "quiver:conversation";

/// Turns of conversations.
pub fn turns() -> Filter {
    let in_session = Filter::Not(Box::new(Filter::Missing { field: SESSION }));
    Filter::equals(FIELD, DOCUMENT).and(in_session)
}

/// All passages but turns of conversations.
pub fn others() -> Filter {
    Filter::Not(Box::new(turns()))
}

/// Whether a passage is a turn of a conversation.
pub fn is_turn(passage: &Passage) -> bool {
    passage.session.is_some() && passage.document == DOCUMENT
}
