//! What all stages of a question share.

use quiver_answer::AnswerWeights;
use quiver_graph::{Graph, PassageId};
use quiver_models::{Encoder, Lexical};
use rayon::prelude::*;

use crate::{
    analysis::Analyses,
    llm::Llm,
    memory::Standing,
    pool::{Candidate, Pool},
    question::Query,
    score::{Ranking, Weights},
};

/// Fewer passages than this are not worth another core.
const PASSAGES_EACH: usize = 8;

/// What all stages of a question share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    /// The language model, if any.
    pub(crate) llm: Option<&'a Llm>,
    pub(crate) lexical: &'a Lexical,
    pub(crate) analyses: &'a Analyses,
    pub(crate) weights: &'a Weights,
    pub(crate) ranking: &'a Ranking,
    pub(crate) answer_weights: &'a AnswerWeights,
    /// The decisions that every question must respect.
    pub(crate) standing: &'a Standing,
}

impl Engine<'_> {
    /// Reads those of these passages that are not in the pool yet, and adds them.
    pub(crate) async fn read_new(
        &self,
        pool: &mut Pool,
        query: &Query,
        mut found: Vec<PassageId>,
    ) -> quiver_graph::Result<()> {
        found.retain(|id| !pool.candidates.contains_key(id));
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return Ok(());
        }
        let passages = self.graph.passages(&found).await?;
        let found_by = pool.found_by;
        let candidates = passages.into_par_iter().with_min_len(PASSAGES_EACH).map(|passage| {
            let analysis = self.analyses.of(self.lexical, self.graph.workspace(), &passage);
            (passage.id, Candidate { found_by, ..Candidate::new(passage, analysis, query) })
        });
        pool.candidates.extend(candidates.collect::<Vec<_>>());
        Ok(())
    }
}
