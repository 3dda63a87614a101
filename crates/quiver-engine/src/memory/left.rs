//! Suggestions that were left, so that they are not made again. Each is a relation of one hidden entity with itself,
//! so no question, query or list of facts meets it.

use std::collections::{BTreeMap, BTreeSet};

use quiver_graph::{Entity, EntityId, Graph, Passage, Relation, RelationId, Workspace, filters};
use quiver_store::Filter;
use serde::Serialize;

use super::{
    known::{LEFT, property},
    merged::{decisions_among, is_undone},
};

/// What is suggested about two entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SuggestionKind {
    /// They are the same: merge them.
    Merge,
    /// They are named together: relate them.
    Relation,
}

impl SuggestionKind {
    /// Returns the kind as commands and JSON spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Relation => "relation",
        }
    }
}

/// The key of the hidden entity.
pub(super) const KEY: &str = "quiver:left";

/// Whether an entity only holds the suggestions that were left.
pub(super) fn is_holder(entity: &Entity) -> bool {
    entity.key.as_deref() == Some(KEY)
}

/// The ID of the hidden entity.
pub(super) fn holder(workspace: &Workspace) -> EntityId {
    EntityId::of_key(workspace, KEY)
}

/// The kind of a suggestion that was left; `None` if it is another relation.
pub(super) fn left_kind(relation: &Relation) -> Option<SuggestionKind> {
    if relation.predicate != LEFT || relation.subject != relation.object {
        return None;
    }
    match relation.properties.get(property::SUGGESTED)?.as_str()? {
        "merge" => Some(SuggestionKind::Merge),
        "relation" => Some(SuggestionKind::Relation),
        _ => None,
    }
}

/// The two entities of a suggestion that was left.
pub(super) fn ends(relation: &Relation) -> Option<[EntityId; 2]> {
    let end = |key: &str| relation.properties.get(key)?.as_str()?.parse().ok();
    Some([end(property::SUBJECT_ID)?, end(property::OBJECT_ID)?])
}

/// The pairs that are not suggested any more, each by ascending ID.
#[derive(Debug, Default)]
pub(super) struct Left(BTreeSet<(SuggestionKind, [EntityId; 2])>);

impl Left {
    /// Reads the suggestions that were left and not taken up again.
    pub(super) async fn read(graph: &Graph) -> quiver_graph::Result<Self> {
        let left = all(graph).await?;
        let left = left.iter().filter(|one| !is_undone(one));
        Ok(Self(left.filter_map(|one| Some((left_kind(one)?, in_order(ends(one)?)))).collect()))
    }

    pub(super) fn has(&self, kind: SuggestionKind, one: EntityId, other: EntityId) -> bool {
        self.0.contains(&(kind, in_order([one, other])))
    }
}

pub(super) fn in_order(mut ends: [EntityId; 2]) -> [EntityId; 2] {
    ends.sort_unstable();
    ends
}

async fn all(graph: &Graph) -> quiver_graph::Result<Vec<Relation>> {
    let mut left: Vec<Relation> = graph.whole().all(&decisions_among([LEFT])).await?;
    left.retain(|one| left_kind(one).is_some());
    Ok(left)
}

/// The suggestions that were left about these entities, if nothing mentions one of the entities any more.
pub(super) async fn idle(
    graph: &Graph,
    things: &BTreeSet<EntityId>,
) -> quiver_graph::Result<Vec<RelationId>> {
    let mut idle: BTreeMap<EntityId, bool> = BTreeMap::new();
    let mut found = Vec::new();
    for left in all(graph).await? {
        for end in ends(&left).into_iter().flatten().filter(|end| things.contains(end)) {
            let is_idle = match idle.get(&end) {
                Some(is_idle) => *is_idle,
                None => {
                    graph.count::<Passage>(&filters::mentioning([end])).await? == 0
                        && graph.count::<Relation>(&filters::touching([end])).await? == 0
                }
            };
            idle.insert(end, is_idle);
            if is_idle {
                found.push(left.id);
            }
        }
    }
    Ok(found)
}

/// Whether any suggestion was left, and the entity that holds them must be hidden.
pub(super) async fn may_be_left(graph: &Graph) -> quiver_graph::Result<bool> {
    let among: Filter = decisions_among([LEFT]);
    Ok(!graph.list_ids::<Relation>(among, 1).await?.is_empty())
}
