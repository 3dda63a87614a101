//! Evaluations of the data sets in this repository.

mod conversation;
mod memory;
mod own_sets;
mod retrieval;
mod train;
