//! What every room of a question works with.

use quiver_graph::{Graph, Passage};
use quiver_models::{Encoder, Lexical};

use crate::{
    analysis::Analyses,
    pool::{Candidate, Pool},
    question::Query,
    score::Weights,
};

/// What every room of a question works with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    pub(crate) lexical: &'a Lexical,
    pub(crate) analyses: &'a Analyses,
    pub(crate) weights: &'a Weights,
}

impl Engine<'_> {
    /// Puts a passage into the pool, or finds it there.
    pub(crate) fn enter<'p>(&self, pool: &'p mut Pool, query: &Query, passage: Passage) -> &'p mut Candidate {
        pool.candidates.entry(passage.id).or_insert_with(|| {
            let analysis = self.analyses.of(self.lexical, self.graph.workspace(), &passage);
            Candidate::new(passage, analysis, query)
        })
    }
}
