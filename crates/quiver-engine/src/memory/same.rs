//! Entities that decisions declare to be the same: merges and renames. Statements about one apply to the
//! others.

use std::collections::{BTreeMap, BTreeSet};

use quiver_graph::{Entity, EntityId, Graph, Relation, Result, Workspace, filters};

use crate::{
    Quiver,
    error::{Error, ErrorKind, In, Stage},
};

use super::{
    decide::is_declaration,
    known::{RENAMED_TO, SAME_AS, property},
    merged::{decisions_among, is_merge, is_undone},
};

/// Maximum number of decisions read for some entities.
const DECISIONS_MAX: usize = 1000;
/// Maximum number of decisions between two equal entities.
const ROUNDS: usize = 4;

/// Some entities, each with the entities that are the same and a name for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Same {
    others: BTreeMap<EntityId, BTreeMap<EntityId, String>>,
}

impl Same {
    /// The other entities that are the same as this one, by ascending ID, each with a name.
    pub(crate) fn others(&self, entity: EntityId) -> impl Iterator<Item = (EntityId, &str)> {
        let others = self.others.get(&entity).into_iter().flatten();
        others.filter(move |(id, _)| **id != entity).map(|(id, name)| (*id, name.as_str()))
    }
}

/// Merges and renames in effect, as far as they are known without a database query.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    /// The entities that each one joins.
    joins: Vec<BTreeMap<EntityId, String>>,
    /// Whether these are all merges and renames. If not, they are only the renames.
    is_all: bool,
}

impl Joins {
    /// Selects the merges and renames among some decisions. `is_all` means that there are no others.
    pub(crate) fn of<'a>(
        workspace: &Workspace,
        decisions: impl IntoIterator<Item = &'a Relation>,
        is_all: bool,
    ) -> Self {
        let holding = decisions.into_iter().filter(|decision| decision.pinned && !is_undone(decision));
        Self { joins: holding.map(|decision| joined(workspace, decision)).collect(), is_all }
    }

    fn touching(&self, entities: &BTreeSet<EntityId>) -> impl Iterator<Item = &BTreeMap<EntityId, String>> {
        self.joins.iter().filter(|joined| joined.keys().any(|id| entities.contains(id)))
    }
}

/// Whether there may be any merges or renames.
pub(crate) async fn may_be_same(graph: &Graph) -> Result<bool> {
    Ok(!graph.list_ids::<Relation>(decisions_among([SAME_AS, RENAMED_TO]), 1).await?.is_empty())
}

/// Returns the entities that are the same as these, from the known decisions if they are complete, otherwise
/// from the database.
pub(crate) async fn same_as(graph: &Graph, known: &Joins, entities: BTreeSet<EntityId>) -> Result<Same> {
    let mut groups: Vec<BTreeMap<EntityId, String>> = Vec::new();
    let (mut open, mut seen) = (entities.clone(), entities);
    for _ in 0..ROUNDS {
        if open.is_empty() {
            break;
        }
        let mut found: Vec<BTreeMap<EntityId, String>> = known.touching(&open).cloned().collect();
        if !known.is_all {
            let of = filters::touching(open.iter().copied());
            let read: Vec<Relation> =
                graph.list(decisions_among([SAME_AS, RENAMED_TO]).and(of), DECISIONS_MAX).await?;
            found.extend(Joins::of(graph.workspace(), &read, false).joins);
        }
        open.clear();
        for joined in found {
            open.extend(joined.keys().filter(|id| seen.insert(**id)));
            join(&mut groups, joined);
        }
    }
    let others = groups.into_iter().flat_map(|group| {
        let members: Vec<EntityId> = group.keys().copied().collect();
        members.into_iter().map(move |id| (id, group.clone()))
    });
    Ok(Same { others: others.collect() })
}

/// Combines this group with all groups that share a member with it.
fn join(groups: &mut Vec<BTreeMap<EntityId, String>>, mut group: BTreeMap<EntityId, String>) {
    groups.retain_mut(|known| {
        let is_apart = known.keys().all(|id| !group.contains_key(id));
        if !is_apart {
            group.append(known);
        }
        is_apart
    });
    if !group.is_empty() {
        groups.push(group);
    }
}

/// The entities that a merge or a rename joins, each with its name: its ends, and the entities that their
/// names would denote. A renamed entity and a record are not the entities of their names.
pub(crate) fn joined(workspace: &Workspace, decision: &Relation) -> BTreeMap<EntityId, String> {
    let name = |key: &str| decision.properties.get(key).and_then(|name| name.as_str()).map(str::to_owned);
    let (Some(one), Some(other)) = (name(property::SUBJECT), name(property::OBJECT)) else {
        return BTreeMap::new();
    };
    let of_name = |name: &str| EntityId::of_name(workspace, None, name);
    let mut names = BTreeMap::from([(of_name(&one), one.clone()), (of_name(&other), other.clone())]);
    if is_merge(decision) {
        names.extend([(decision.subject, one), (decision.object, other)]);
    } else {
        names.entry(decision.subject).or_insert(other);
    }
    names
}

/// Whether an entity was loaded or created by a query.
pub(super) fn is_record(entity: &Entity) -> bool {
    (!entity.labels.is_empty() || entity.key.is_some()) && !is_declaration(entity)
}

/// Rejects a merge that would join two records, directly or through other merges: a query would still count
/// both.
pub(super) async fn check_one_record(quiver: &Quiver, ids: BTreeSet<EntityId>) -> crate::Result<()> {
    let seen = quiver.without_deleted().await?;
    let same = same_as(&seen.graph, &seen.standing.joins, ids.clone()).await.stage(Stage::Remember)?;
    let others = ids.iter().flat_map(|id| same.others(*id).map(|(other, _)| other));
    let all: BTreeSet<EntityId> = others.chain(ids.iter().copied()).collect();
    let all: Vec<EntityId> = all.into_iter().collect();
    let mut records = seen.graph.entities(&all).await.stage(Stage::Remember)?;
    records.retain(is_record);
    match records.as_slice() {
        [one, other, ..] => {
            let what = format!(
                "{:?} [{}] and {:?} [{}] are two records, and queries would still count both; load them under one \
                 key, or move the relationships of one by a query and delete it",
                one.name, one.id, other.name, other.id
            );
            Err(Error::new(ErrorKind::Invalid, Stage::Remember, what))
        }
        _ => Ok(()),
    }
}
