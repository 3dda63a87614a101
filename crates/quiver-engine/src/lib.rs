//! Under construction.

pub mod document;
pub mod extract;
