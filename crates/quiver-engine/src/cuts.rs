//! What the budgets of an expansion cut, for the explanation of a ranking.

use std::collections::{BTreeMap, HashMap};

use quiver_graph::{EntityId, PassageId};

use crate::{
    expand::Walk,
    explanation::{Budget, CutName, FoundBy, HopCut},
    label::label,
    pool::Candidate,
};

/// Maximum number of names listed per cut.
const NAMES_MAX: usize = 20;
/// Maximum length of a name, in characters.
const NAME_LENGTH_MAX: usize = 200;

impl Walk<'_> {
    /// Notes the names whose passages a hop did not read in full, because a search reached its limit.
    pub(crate) fn note_unread(
        &mut self,
        hop: usize,
        mentioned: &HashMap<EntityId, Vec<(PassageId, usize)>>,
        read: impl IntoIterator<Item = PassageId>,
    ) {
        if !self.query.question.options.explain {
            return;
        }
        let mut known: HashMap<EntityId, u32> = HashMap::new();
        for candidate in read.into_iter().filter_map(|id| self.pool.candidates.get(&id)) {
            candidate.passage.subjects.iter().for_each(|subject| *known.entry(*subject).or_default() += 1);
        }
        let unread = |(entity, mentions): (&EntityId, &Vec<(PassageId, usize)>)| {
            let about = self.query.statistics.passages_about(*entity);
            let passages_count = about.saturating_sub(known.get(entity).copied().unwrap_or(0));
            let (from, name) = mentions.first()?;
            let name = short(self.pool.candidates[from].name_text(*name));
            (passages_count > 0).then_some(CutName { name, passage: None, passages_count })
        };
        let mut names: Vec<CutName> = mentioned.iter().filter_map(unread).collect();
        names.sort_by(|a, b| b.passages_count.cmp(&a.passages_count).then_with(|| a.name.cmp(&b.name)));
        let passages_count = names.iter().map(|name| name.passages_count as usize).sum();
        names.truncate(NAMES_MAX);
        if passages_count > 0 {
            self.cuts.push(HopCut { hop, budget: Budget::PassagesRead, passages_count, names });
        }
    }

    /// Notes the candidates that no hop started from. Each counts for the first hop that could have started from it.
    pub(crate) fn note_not_followed(&mut self) {
        let options = &self.query.question.options;
        if !options.explain {
            return;
        }
        let mut waiting: BTreeMap<usize, Vec<&Candidate>> = BTreeMap::new();
        for (id, candidate) in &self.pool.candidates {
            let hop = match candidate.found_by {
                FoundBy::Search => 1,
                FoundBy::Hop(hop) => hop + 1,
                FoundBy::Bridge => continue,
            };
            if !self.done.contains(id) {
                waiting.entry(hop).or_default().push(candidate);
            }
        }
        for (hop, mut candidates) in waiting {
            candidates.sort_by(|a, b| {
                b.probability.total_cmp(&a.probability).then_with(|| a.passage.id.cmp(&b.passage.id))
            });
            let budget = match hop {
                hop if hop > options.hops_max => Budget::Hops,
                hop if hop > self.hops_made => Budget::Time,
                _ => Budget::PassagesFollowed,
            };
            let name = |candidate: &&Candidate| CutName {
                name: short(label(&candidate.passage)),
                passage: Some(candidate.passage.id),
                passages_count: 1,
            };
            let names = candidates.iter().take(NAMES_MAX).map(name).collect();
            self.cuts.push(HopCut { hop, budget, passages_count: candidates.len(), names });
        }
        self.cuts.sort_by_key(|cut| (cut.hop, cut.budget));
    }
}

fn short(name: &str) -> String {
    name.chars().take(NAME_LENGTH_MAX).collect()
}
