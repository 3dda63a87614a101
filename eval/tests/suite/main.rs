//! The evaluation, run on the data sets of the tree.

mod conversation;
mod memory;
mod own_sets;
mod retrieval;
mod train;
