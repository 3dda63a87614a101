//! The part of a ranking that a question asks for.

use std::{collections::BTreeSet, ops::Range};

use quiver_graph::{Passage, PassageId};
use quiver_store::Filter;

use crate::{
    Result,
    engine::Engine,
    error::{Error, ErrorKind, In, Stage},
    question::{Query, Ranked},
    search::{documents, nearest},
};

/// Maximum number of passages of plain search that a list contains besides the candidates.
const PLAIN_MAX: usize = 1000;

/// A part of the list of all passages for a question: the candidates as ranked, then what only a longer plain search
/// finds.
pub(crate) struct Part {
    /// Its place in the list.
    pub(crate) begin: usize,
    /// Its candidates, by their places in the ranking.
    pub(crate) candidates: Range<usize>,
    /// Its passages beyond the candidates.
    pub(crate) beyond: Vec<Ranked>,
    /// The passage after it.
    pub(crate) next: Option<PassageId>,
}

/// Cuts the part that the options ask for, given the ranked candidates and whether plain search found as many passages
/// as it was allowed to.
pub(crate) async fn part(
    engine: Engine<'_>,
    query: &Query,
    candidates: &[PassageId],
    is_plain_full: bool,
) -> Result<Part> {
    let (from, limit) = (query.question.options.from, query.question.options.passages_limit);
    let begin = place(candidates, from);
    let is_within = begin.is_some_and(|begin| begin.saturating_add(limit) < candidates.len());
    let beyond = if is_within || !is_plain_full {
        Vec::new()
    } else {
        found_by_longer_search(engine, query, candidates).await?
    };
    let all: Vec<PassageId> = candidates.iter().copied().chain(beyond.iter().map(|(id, _)| *id)).collect();
    let Some(begin) = place(&all, from) else {
        let what = "the passage to continue from is not among the results; give `next` of the previous \
                    result with the same question and options, or start anew";
        return Err(Error::new(ErrorKind::Invalid, Stage::Rerank, what));
    };
    let end = begin.saturating_add(limit).min(all.len());
    let among = |at: usize| at.min(candidates.len());
    let rest = |at: usize| at - among(at);
    Ok(Part {
        begin,
        candidates: among(begin)..among(end),
        beyond: read(engine, &beyond[rest(begin)..rest(end)]).await?,
        next: all.get(end).copied(),
    })
}

/// Returns the place of a passage; without one, the first place.
fn place(ids: &[PassageId], from: Option<PassageId>) -> Option<usize> {
    from.map_or(Some(0), |from| ids.iter().position(|id| *id == from))
}

/// Finds the passages that only a longer plain search finds, best first.
async fn found_by_longer_search(
    engine: Engine<'_>,
    query: &Query,
    candidates: &[PassageId],
) -> Result<Vec<(PassageId, f32)>> {
    let known: BTreeSet<PassageId> = candidates.iter().copied().collect();
    let wanted = vec![(documents(Filter::everything()), known.len() + PLAIN_MAX)];
    let found = nearest(engine, query, wanted).await?.pop().unwrap_or_default();
    Ok(found.into_iter().filter(|(id, _)| !known.contains(id)).take(PLAIN_MAX).collect())
}

async fn read(engine: Engine<'_>, found: &[(PassageId, f32)]) -> Result<Vec<Ranked>> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<PassageId> = found.iter().map(|(id, _)| *id).collect();
    let passages = engine.graph.passages(&ids).await.stage(Stage::Rerank)?;
    let plain = |passage: &Passage| found.iter().find(|(id, _)| *id == passage.id).map_or(0.0, |one| one.1);
    let ranked = |passage: Passage| Ranked { score: 0.0, plain: plain(&passage), path: Vec::new(), passage };
    Ok(passages.into_iter().map(ranked).collect())
}
