//! What texts and relations say about two entities whose names are alike.

use std::collections::{BTreeMap, BTreeSet};

use quiver_graph::{
    Entity, EntityId, Graph, Passage, Relation, Result, Statistics, conversation, filters, name::normalise,
};
use quiver_store::Filter;

use super::{
    super::same::{Joins, same_as},
    names::Likeness,
    together::spaced,
};

/// Maximum number of passages and relations that are read about an entity.
const PASSAGES_MAX: usize = 24;
const RELATIONS_MAX: usize = 64;
/// Maximum number of shared neighbours that are read, and that a reason names.
const SHARED_MAX: usize = 16;
const NAMED_MAX: usize = 3;
/// What more passages than these mention is no evidence: a number, and a share of all passages.
const COMMON_MIN: u64 = 3;
const COMMON_SHARE: u64 = 20;
/// The kinds of entities that are no evidence.
const VALUES: [&str; 2] = ["date", "quantity"];

/// What is known about two entities.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The passages that mention each, and those that mention both.
    pub(super) one: Vec<Passage>,
    pub(super) other: Vec<Passage>,
    pub(super) both: Vec<Passage>,
    /// The names of entities that are neighbours of both.
    pub(super) shared: Vec<String>,
    /// A document or session that mentions both in different passages.
    pub(super) source: Option<String>,
}

/// Whether an entity is a date or a quantity.
pub(super) fn is_value(entity: &Entity) -> bool {
    entity.kind.as_deref().is_some_and(|kind| VALUES.contains(&kind))
}

/// Returns a filter for passages that mention an entity, questions asked in a chat aside.
pub(super) fn mentioning(entity: EntityId) -> Filter {
    filters::mentioning([entity]).and(conversation::others())
}

/// The entities that are the same as each of two, each including itself; `None` if the two are the same already.
pub(super) async fn groups(
    graph: &Graph,
    joins: &Joins,
    ends: [&Entity; 2],
) -> Result<Option<[BTreeSet<EntityId>; 2]>> {
    let mut groups = ends
        .map(|entity| BTreeSet::from([entity.id, EntityId::of_name(graph.workspace(), None, &entity.name)]));
    let all: BTreeSet<EntityId> = groups.iter().flatten().copied().collect();
    let same = same_as(graph, joins, all).await?;
    for group in &mut groups {
        let others: Vec<EntityId> =
            group.iter().flat_map(|id| same.others(*id).map(|(other, _)| other)).collect();
        group.extend(others);
    }
    Ok(groups[0].is_disjoint(&groups[1]).then_some(groups))
}

/// Whether any relation links two groups of entities: a statement about both, or a decision, undone or not.
pub(super) async fn are_related(graph: &Graph, groups: &[BTreeSet<EntityId>; 2]) -> Result<bool> {
    let between = |from: &BTreeSet<EntityId>, to: &BTreeSet<EntityId>| {
        filters::from(from.iter().copied()).and(filters::to(to.iter().copied()))
    };
    let [one, other] = groups;
    let either = Filter::Any(vec![between(one, other), between(other, one)]);
    Ok(!graph.list_ids::<Relation>(either, 1).await?.is_empty())
}

/// Reads what is known about two entities.
pub(super) async fn read(graph: &Graph, statistics: &Statistics, ends: [EntityId; 2]) -> Result<Evidence> {
    let [one, other] = ends;
    let mut evidence = Evidence {
        both: graph.list(mentioning(one).and(filters::mentioning([other])), PASSAGES_MAX).await?,
        one: graph.list(mentioning(one), PASSAGES_MAX).await?,
        other: graph.list(mentioning(other), PASSAGES_MAX).await?,
        ..Evidence::default()
    };
    let mut neighbours = [neighbours(&evidence.one), neighbours(&evidence.other)];
    for (end, known) in ends.into_iter().zip(&mut neighbours) {
        let relations: Vec<Relation> = graph.list(filters::touching([end]), RELATIONS_MAX).await?;
        known.extend(relations.iter().map(|relation| relation.other_end(end)));
    }
    let common = COMMON_MIN.max(statistics.passages / COMMON_SHARE);
    let is_shared = |id: &&EntityId| {
        let is_rare = u64::from(statistics.passages_mentioning(**id)) <= common;
        is_rare && !ends.contains(id) && !graph.hides(**id)
    };
    let shared = neighbours[0].intersection(&neighbours[1]).filter(is_shared);
    let shared: Vec<EntityId> = shared.copied().take(SHARED_MAX).collect();
    let mut shared = graph.entities(&shared).await?;
    shared.retain(|entity| !is_value(entity));
    evidence.shared = shared.into_iter().map(|entity| entity.name).collect();
    evidence.shared.sort_unstable();
    evidence.source = source(&evidence);
    Ok(evidence)
}

fn neighbours(passages: &[Passage]) -> BTreeSet<EntityId> {
    passages.iter().flat_map(|passage| passage.entities.iter().chain(&passage.subjects)).copied().collect()
}

/// The first document or session that mentions both entities, but in different passages.
fn source(evidence: &Evidence) -> Option<String> {
    let of = |passage: &Passage| match &passage.session {
        Some(session) => format!("the session {session:?}"),
        None => format!("the document {:?}", passage.document),
    };
    let ids = |passages: &[Passage]| -> BTreeMap<String, BTreeSet<_>> {
        let mut sources: BTreeMap<String, BTreeSet<_>> = BTreeMap::new();
        for passage in passages {
            sources.entry(of(passage)).or_default().insert(passage.id);
        }
        sources
    };
    let others = ids(&evidence.other);
    let mut sources = ids(&evidence.one).into_iter();
    sources
        .find(|(source, ids)| others.get(source).is_some_and(|others| others != ids))
        .map(|(source, _)| source)
}

impl Evidence {
    /// The reason for a merge, if there is evidence enough for names that are alike in this way.
    pub(super) fn reason(&self, likeness: Likeness, one: &str, other: &str) -> Option<String> {
        let how = match likeness {
            Likeness::Bracket => "one is the other with its abbreviation in brackets",
            Likeness::Comma => "the same name, written last name first",
            Likeness::Title => "the same name with and without a title",
            Likeness::LegalForm => "the same name with and without a legal form",
            Likeness::Initials { .. } => "the initials of the name",
            Likeness::Order => "the same words in another order",
            Likeness::Slip | Likeness::Letter => "names that differ in one letter",
        };
        // A text that names both tells them apart, unless it gives an abbreviation.
        let is_apart = !self.both.is_empty();
        let of_several_words = normalise(other).contains(' ');
        let is_enough = match likeness {
            Likeness::Bracket | Likeness::Comma => true,
            Likeness::Title if of_several_words => true,
            Likeness::Title | Likeness::LegalForm => self.is_supported(1),
            Likeness::Initials { is_only } => {
                if let Some(passage) = self.both.iter().find(|passage| has_bracket(&passage.text, one, other))
                {
                    let place = passage.title.as_deref().unwrap_or(&passage.document);
                    return Some(format!("{how}, and {place:?} gives both with brackets"));
                }
                is_only && other.chars().filter(|c| c.is_alphabetic()).count() > 2 && self.shared.len() > 1
            }
            Likeness::Order | Likeness::Slip => !is_apart && self.is_supported(1),
            Likeness::Letter => !is_apart && self.is_supported(2) && self.is_seldom(),
        };
        is_enough.then(|| format!("{how}{}", self.support()))
    }

    /// Whether this many things speak for the same entity.
    fn is_supported(&self, least: usize) -> bool {
        self.shared.len() + usize::from(self.source.is_some()) >= least
    }

    /// Whether one of the names occurs seldom, compared with the other.
    fn is_seldom(&self) -> bool {
        let (one, other) = (self.one.len(), self.other.len());
        one.min(other) <= 2 && one.max(other) >= 2 * one.min(other)
    }

    fn support(&self) -> String {
        let named: Vec<String> = self.shared.iter().take(NAMED_MAX).map(|name| format!("{name:?}")).collect();
        match (named.is_empty(), &self.source) {
            (false, _) => format!("; both occur with {}", named.join(", ")),
            (true, Some(source)) => format!("; both occur in {source}"),
            (true, None) => String::new(),
        }
    }

    /// The passages that support a merge: those that mention both, or else the first of each.
    pub(super) fn passages(&self, limit: usize) -> Vec<Passage> {
        let both = self.both.iter();
        let each = self.one.iter().take(1).chain(self.other.iter().take(1));
        let mut seen = BTreeSet::new();
        both.chain(each).filter(|passage| seen.insert(passage.id)).take(limit).cloned().collect()
    }
}

/// Whether a text has one name followed by the other in brackets.
fn has_bracket(text: &str, one: &str, other: &str) -> bool {
    let text = text.to_lowercase().replace('（', "(").replace('）', ")");
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    [(&one, &other), (&other, &one)].into_iter().any(|(first, second)| {
        let mut rest = text.as_str();
        while let Some(at) = rest.find(first.as_str()) {
            rest = &rest[at + first.len()..];
            if let Some(inner) = rest.trim_start().strip_prefix('(')
                && let Some((inner, _)) = inner.split_once(')')
                && spaced(inner).contains(&spaced(second))
            {
                return true;
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abbreviation_stands_in_brackets() {
        let (long, short) = ("World Ferry Office", "WFO");
        for text in [
            "The World Ferry Office (WFO) is in Norby.",
            "WFO (World Ferry Office)",
            "(the World Ferry Office (the WFO))",
        ] {
            assert!(has_bracket(text, long, short), "{text}");
        }
        for text in
            ["The World Ferry Office and the WFO", "World Ferry Office (Norby), WFO", "World Ferry Office"]
        {
            assert!(!has_bracket(text, long, short), "{text}");
        }
    }
}
