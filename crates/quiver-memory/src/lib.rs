//! Memory for agents: turns, and the facts that they state with certainty.
//!
//! The turn is the unit of memory. It is found by its words, speaker, date, meaning, and the words of the
//! neighbouring turns, and is shown with its speaker and date. This crate contains only pure functions; the engine
//! accesses the database. The principal type is [`turns::Ranking`].
//!
//! ```
//! use quiver_memory::{calendar, when};
//!
//! let now = calendar::from_civil(2023, 6, 14);
//! let range = when::range("What did Ada buy last May?", now).expect("the question names a month");
//! assert_eq!(range.from, calendar::from_civil(2023, 5, 1));
//! assert_eq!(range.to, calendar::from_civil(2023, 6, 1));
//! ```

pub mod calendar;
pub mod when;
pub mod turns;
pub mod show;

pub mod reader;
pub mod relation;
pub mod asked;
