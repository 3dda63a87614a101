//! Splits: one entity that is really two. Some texts are about the other one, which gets its own name.
//!
//! A split is written into the passages that it affects, so that every reader sees it: their references to
//! the one entity become references to the other. Each passage keeps its previous references ([`Unsplit`]),
//! so that undoing a split restores them.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use quiver_graph::{
    Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId, Unsplit, Workspace, conversation,
    filters, name,
};
use quiver_language::character::{is_ideographic, is_unspaced};
use quiver_models::Lexical;
use quiver_store::{Filter, Payload};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    known::{RENAMED_TO, SPLIT_INTO, property},
    merged::{decisions_among, is_undone},
    same::{Joins, Same, same_as},
    words::{aliases, words},
};

#[cfg(test)]
mod tests;

/// Maximum number of words in a name.
const NAME_WORDS_MAX: usize = 10;
/// Maximum number of words of a question that are searched for names.
const WORDS_MAX: usize = 256;
/// Maximum number of entities read for the names in a question.
const NAMED_MAX: usize = 64;

/// The texts that are about the other of two entities with one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SplitTexts {
    /// Keys of documents, in all their versions.
    pub documents: BTreeSet<String>,
    /// Sessions with all their turns, including future ones.
    pub sessions: BTreeSet<String>,
    /// Individual passages and turns.
    pub passages: BTreeSet<PassageId>,
}

impl SplitTexts {
    /// The texts in the properties of a decision.
    pub(super) fn of(decision: &Relation) -> Self {
        let texts = decision.properties.get(property::TEXTS).cloned().unwrap_or_default();
        serde_json::from_value(texts).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.sessions.is_empty() && self.passages.is_empty()
    }

    /// Adds other texts.
    pub(super) fn add(&mut self, others: Self) {
        let Self { documents, sessions, passages } = others;
        self.documents.extend(documents);
        self.sessions.extend(sessions);
        self.passages.extend(passages);
    }

    /// Whether a passage belongs to these texts. Questions asked in a chat do not.
    fn have(&self, passage: &Passage) -> bool {
        self.passages.contains(&passage.id)
            || match &passage.session {
                Some(session) => {
                    passage.document != conversation::DOCUMENT && self.sessions.contains(session)
                }
                None => self.documents.contains(&passage.document),
            }
    }

    /// Returns a filter for the passages of these texts.
    pub(super) fn filter(&self) -> Filter {
        let documents = filters::of_documents(self.documents.iter().map(String::as_str));
        let documents = documents.and(Filter::Not(Box::new(filters::in_session())));
        let sessions = self.sessions.iter().map(|session| filters::of_session(session));
        let sessions = Filter::Any(sessions.collect()).and(conversation::others());
        let passages = Filter::Ids(self.passages.iter().map(|id| id.point()).collect());
        Filter::Any(vec![documents, sessions, passages])
    }
}

/// A split of an entity.
#[derive(Clone, Debug, PartialEq)]
struct Split {
    one: EntityId,
    other: EntityId,
    /// The name that texts use for both.
    said: String,
    /// The name of the other one.
    name: String,
    texts: SplitTexts,
}

/// The splits of a workspace that were not undone, earliest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Splits {
    splits: Vec<Split>,
    /// For each split entity that was renamed, its names and the entities that these names would denote.
    renamed: BTreeMap<EntityId, (BTreeSet<String>, BTreeSet<EntityId>)>,
}

/// The new references of a passage that splits have changed.
#[derive(Debug, Default)]
pub(crate) struct Relinked {
    /// The entities that its names denote by decision.
    pub(crate) entities: Vec<Entity>,
    /// The replacement relations, each with the ID of the relation it replaces.
    pub(crate) relations: Vec<(RelationId, Relation)>,
}

/// Split entities that a question distinguishes: those it names, and others for which texts use the same
/// name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Apart {
    named: BTreeSet<EntityId>,
    pub(crate) others: BTreeSet<EntityId>,
    /// Their names, for the trace.
    pub(crate) other_names: Vec<String>,
    /// Byte ranges of the names in the question.
    pub(crate) places: Vec<Range<usize>>,
    /// The entities for which texts use another name.
    pub(crate) called: Vec<Called>,
}

/// An entity in a question for which texts use another name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Called {
    /// Its name in the question.
    pub(crate) written: String,
    /// Byte range of that name in the question.
    place: Range<usize>,
    pub(crate) entity: Entity,
    /// The name that texts use.
    pub(crate) said: String,
}

impl Apart {
    /// Returns a filter that excludes passages that mention only the others.
    pub(crate) fn passages(&self) -> Filter {
        let speak = |of: &BTreeSet<EntityId>| filters::mentioning(of.iter().copied());
        Filter::Not(Box::new(speak(&self.others).and(Filter::Not(Box::new(speak(&self.named))))))
    }

    /// Returns a filter that excludes relations that touch only the others.
    pub(crate) fn relations(&self) -> Filter {
        let touch = |of: &BTreeSet<EntityId>| filters::touching(of.iter().copied());
        Filter::Not(Box::new(touch(&self.others).and(Filter::Not(Box::new(touch(&self.named))))))
    }

    /// Whether a passage mentions only the others.
    pub(crate) fn leaves_out(&self, passage: &Passage) -> bool {
        let speaks = |of: &BTreeSet<EntityId>| passage.entities.iter().any(|id| of.contains(id));
        speaks(&self.others) && !speaks(&self.named)
    }

    /// Whether a relation touches only the others.
    pub(crate) fn leaves_out_relation(&self, relation: &Relation) -> bool {
        let touches =
            |of: &BTreeSet<EntityId>| of.contains(&relation.subject) || of.contains(&relation.object);
        touches(&self.others) && !touches(&self.named)
    }
}

/// The question with each name replaced by the name that texts use.
pub(crate) fn as_said(question: &str, apart: &[Apart]) -> String {
    let mut called: Vec<&Called> = apart.iter().flat_map(|apart| &apart.called).collect();
    called.sort_by_key(|called| std::cmp::Reverse(called.place.start));
    let mut said = question.to_owned();
    // From last to first, so that earlier positions stay valid.
    let mut end = question.len();
    for Called { written, place, said: name, .. } in called {
        if place.end <= end && question.get(place.clone()) == Some(written) {
            said.replace_range(place.clone(), name);
            end = place.start;
        }
    }
    said
}

/// Whether a relation is a split, as created by [`Quiver::split_entity`](crate::Quiver::split_entity).
pub fn is_split(relation: &Relation) -> bool {
    relation.predicate == SPLIT_INTO
        && relation.properties.contains_key(property::SUBJECT)
        && relation.properties.contains_key(property::TEXTS)
}

impl Splits {
    /// Reads the splits of a workspace.
    pub(crate) async fn read(graph: &Graph) -> quiver_graph::Result<Self> {
        let decisions: Vec<Relation> = graph.all(&decisions_among([SPLIT_INTO])).await?;
        Self::with_renames_read(graph, &decisions).await
    }

    /// Selects the splits among some decisions, and reads the renames of their entities.
    pub(crate) async fn with_renames_read(
        graph: &Graph,
        decisions: &[Relation],
    ) -> quiver_graph::Result<Self> {
        let splits = Self::of(graph.workspace(), decisions, &[]);
        if splits.is_empty() {
            return Ok(splits);
        }
        let renames = decisions_among([RENAMED_TO]).and(filters::from(splits.ends()));
        Ok(Self::of(graph.workspace(), decisions, &graph.all(&renames).await?))
    }

    /// Selects the splits among some decisions, with the names that `renames` give their entities.
    pub(crate) fn of(workspace: &Workspace, decisions: &[Relation], renames: &[Relation]) -> Self {
        let mut taken: Vec<&Relation> =
            decisions.iter().filter(|one| is_split(one) && !is_undone(one)).collect();
        taken.sort_by_key(|one| (one.recorded_at, one.id));
        let text = |one: &Relation, key: &str| {
            one.properties.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let splits: Vec<Split> = taken
            .into_iter()
            .map(|one| Split {
                one: one.subject,
                other: one.object,
                said: text(one, property::SUBJECT),
                name: text(one, property::OBJECT),
                texts: SplitTexts::of(one),
            })
            .collect();
        let mut splits = Self { splits, renamed: BTreeMap::new() };
        let ends = splits.ends();
        for rename in renames {
            let is_of_split = rename.subject == rename.object && ends.contains(&rename.subject);
            if rename.predicate == RENAMED_TO && is_of_split && !is_undone(rename) {
                let (names, ids) = splits.renamed.entry(rename.subject).or_default();
                for name in [text(rename, property::SUBJECT), text(rename, property::OBJECT)] {
                    ids.insert(EntityId::of_name(workspace, None, &name));
                    names.insert(name);
                }
            }
        }
        splits
    }

    fn ends(&self) -> BTreeSet<EntityId> {
        self.splits.iter().flat_map(|split| [split.one, split.other]).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.splits.is_empty()
    }

    /// The name that texts use for an entity that was split off, possibly from one that was split off itself;
    /// `None` for other entities.
    fn said(&self, entity: EntityId) -> Option<&str> {
        let split_off = |entity: EntityId| self.splits.iter().find(|split| split.other == entity);
        let mut split = split_off(entity)?;
        // A chain cannot be longer than the number of splits.
        for _ in 0..self.splits.len() {
            let Some(before) = split_off(split.one) else { break };
            split = before;
        }
        Some(&split.said)
    }

    /// An entity, and the entities that its other names would denote.
    fn ids(&self, entity: EntityId) -> impl Iterator<Item = EntityId> {
        let others = self.renamed.get(&entity).into_iter().flat_map(|(_, ids)| ids);
        std::iter::once(entity).chain(others.copied())
    }

    /// Maps each entity that a name in a passage would denote to the one it denotes by decision.
    pub(super) fn meant(&self, passage: &Passage) -> BTreeMap<EntityId, EntityId> {
        let mut meant: BTreeMap<EntityId, EntityId> = BTreeMap::new();
        let splits = self.splits.iter().filter(|split| split.texts.have(passage));
        let mut said: Option<String> = None;
        let entities = passage.unsplit.as_ref().map_or(&passage.entities, |before| &before.entities);
        for split in splits {
            let ids: BTreeSet<EntityId> = self.ids(split.one).collect();
            let said = said.get_or_insert_with(|| {
                name::normalise(&format!("{} {}", passage.title.as_deref().unwrap_or_default(), passage.text))
            });
            let other_names = self.renamed.get(&split.one).into_iter().flat_map(|(names, _)| names);
            let mut names = other_names.chain([&split.said]);
            let speaks = |id: &EntityId| entities.contains(id) || meant.values().any(|one| one == id);
            if !ids.iter().any(speaks) && !names.any(|one| says(said, &name::normalise(one))) {
                continue;
            }
            for to in meant.values_mut().filter(|to| ids.contains(to)) {
                *to = split.other;
            }
            meant.extend(ids.into_iter().map(|id| (id, split.other)));
        }
        meant
    }

    /// Updates the references of a passage according to these splits, or restores them if no split applies
    /// any more. `known` are the relations that it refers to now and referred to before; missing ones are
    /// restored from their replacements. Returns `None` if nothing changes.
    pub(crate) fn relink(
        &self,
        workspace: &Workspace,
        lexical: &Lexical,
        passage: &mut Passage,
        known: &BTreeMap<RelationId, Relation>,
    ) -> Option<Relinked> {
        let meant = self.meant(passage);
        let before = passage.unsplit.take();
        if before.as_ref().map_or(meant.is_empty(), |before| before.meant == meant) {
            passage.unsplit = before;
            return None;
        }
        let Unsplit { meant: was_meant, subjects, entities, relations } = before.unwrap_or_else(|| Unsplit {
            meant: BTreeMap::new(),
            subjects: std::mem::take(&mut passage.subjects),
            entities: std::mem::take(&mut passage.entities),
            relations: passage.relations.clone(),
        });
        let mut relinked = Relinked::default();
        let names: BTreeMap<EntityId, &str> =
            self.splits.iter().map(|split| (split.other, split.name.as_str())).collect();
        let current: Vec<RelationId> = std::mem::take(&mut passage.relations);
        for id in &relations {
            let restored = || {
                current
                    .iter()
                    .filter_map(|id| known.get(id))
                    .find_map(|one| restored(workspace, one, *id, &was_meant))
            };
            // A relation that can't be restored was deleted in the meantime.
            let Some(relation) = known.get(id).cloned().or_else(restored) else { continue };
            let relation = moved(workspace, relation, &meant, &names);
            push(&mut passage.relations, relation.id);
            relinked.relations.push((*id, relation));
        }
        let means = |ids: &[EntityId]| {
            let mut all = Vec::with_capacity(ids.len());
            ids.iter().for_each(|id| push(&mut all, *meant.get(id).unwrap_or(id)));
            all
        };
        passage.subjects = means(&subjects);
        passage.entities = means(&entities);
        let targets: BTreeSet<EntityId> = meant.values().copied().collect();
        relinked.entities = targets
            .into_iter()
            .filter_map(|id| names.get(&id))
            .map(|name| named(workspace, lexical, name))
            .collect();
        passage.unsplit = (!meant.is_empty()).then_some(Unsplit { meant, subjects, entities, relations });
        Some(relinked)
    }

    /// Finds the split entities that a question names, and the entities that it thereby excludes. `chosen`
    /// are entities that the caller selected explicitly.
    pub(crate) async fn apart(
        &self,
        graph: &Graph,
        lexical: &Lexical,
        question: &str,
        chosen: &[EntityId],
    ) -> quiver_graph::Result<Vec<Apart>> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let members: BTreeSet<EntityId> =
            self.splits.iter().flat_map(|split| self.ids(split.one).chain(self.ids(split.other))).collect();
        let runs = runs(lexical, question);
        let names: BTreeSet<&str> = runs.iter().flat_map(|run| &run.names).map(String::as_str).collect();
        let among = filters::called(names).and(Filter::Ids(members.iter().map(|id| id.point()).collect()));
        let entities: Vec<Entity> = graph.list(among, NAMED_MAX).await?;
        let mut found: BTreeMap<EntityId, (Entity, Vec<Range<usize>>)> = BTreeMap::new();
        let mut taken: Vec<Range<usize>> = Vec::new();
        for run in runs {
            let is_named = |entity: &&Entity| entity.names().iter().any(|name| run.names.contains(name));
            let mut entities = entities.iter().filter(is_named).peekable();
            let overlaps = |other: &Range<usize>| other.start < run.range.end && run.range.start < other.end;
            if entities.peek().is_none() || taken.iter().any(overlaps) {
                continue;
            }
            for entity in entities {
                found
                    .entry(entity.id)
                    .or_insert_with(|| (entity.clone(), Vec::new()))
                    .1
                    .push(run.range.clone());
            }
            taken.push(run.range);
        }
        let groups = self.groups().into_iter();
        let mut apart: Vec<Apart> =
            groups.filter_map(|group| self.told_apart(&group, &found, question, chosen)).collect();
        // Entities that were split and later merged are one again.
        let named: BTreeSet<EntityId> = apart.iter().flat_map(|apart| &apart.named).copied().collect();
        let same =
            if named.is_empty() { Same::default() } else { same_as(graph, &Joins::default(), named).await? };
        for Apart { named, others, .. } in &mut apart {
            let is_same =
                |other: &EntityId| named.iter().any(|id| same.others(*id).any(|(id, _)| id == *other));
            others.retain(|other| !is_same(other));
        }
        apart.retain(|apart| !apart.others.is_empty());
        Ok(apart)
    }

    /// Groups the entities that splits connect.
    fn groups(&self) -> Vec<BTreeSet<EntityId>> {
        let mut groups: Vec<BTreeSet<EntityId>> = Vec::new();
        for split in &self.splits {
            let mut group = BTreeSet::from([split.one, split.other]);
            groups.retain_mut(|known| {
                let is_apart = known.is_disjoint(&group);
                if !is_apart {
                    group.append(known);
                }
                is_apart
            });
            groups.push(group);
        }
        groups
    }

    fn told_apart(
        &self,
        group: &BTreeSet<EntityId>,
        found: &BTreeMap<EntityId, (Entity, Vec<Range<usize>>)>,
        question: &str,
        chosen: &[EntityId],
    ) -> Option<Apart> {
        let is_chosen = |entity: &EntityId| chosen.contains(entity);
        let is_found = |entity: &EntityId| self.ids(*entity).any(|id| found.contains_key(&id));
        let any_chosen = group.iter().any(is_chosen);
        let (named, others): (Vec<EntityId>, Vec<EntityId>) = group
            .iter()
            .copied()
            .partition(|entity| if any_chosen { is_chosen(entity) } else { is_found(entity) });
        if named.is_empty() || others.is_empty() {
            return None;
        }
        let ids = |entities: &[EntityId]| entities.iter().flat_map(|entity| self.ids(*entity)).collect();
        let named_ids: BTreeSet<EntityId> = ids(&named);
        let name_of = |entity: &EntityId| {
            let of = |split: &Split| match *entity {
                entity if entity == split.other => Some(split.name.clone()),
                entity if entity == split.one => Some(split.said.clone()),
                _ => None,
            };
            self.splits.iter().find_map(of)
        };
        let places = |entity: EntityId| self.ids(entity).filter_map(|id| found.get(&id));
        let called = named.iter().filter_map(|id| Some((*id, self.said(*id)?)));
        let called = called.flat_map(|(id, said)| {
            places(id).flat_map(move |(entity, places)| {
                let called = move |place: &Range<usize>| Called {
                    written: question[place.clone()].to_owned(),
                    place: place.clone(),
                    entity: Entity { id, ..entity.clone() },
                    said: said.to_owned(),
                };
                places.iter().map(called)
            })
        });
        Some(Apart {
            places: named.iter().flat_map(|id| places(*id)).flat_map(|(_, places)| places).cloned().collect(),
            called: called.collect(),
            named: named_ids,
            others: ids(&others),
            other_names: others.iter().filter_map(name_of).collect(),
        })
    }
}

/// The entity named in a split.
pub(super) fn named(workspace: &Workspace, lexical: &Lexical, name: &str) -> Entity {
    let mut entity = Entity::named(workspace, None, name);
    entity.aliases = aliases(lexical, name);
    entity
}

/// The same relation between the entities that its ends denote. The names of a fact change too, and the
/// original names are kept.
fn moved(
    workspace: &Workspace,
    mut relation: Relation,
    meant: &BTreeMap<EntityId, EntityId>,
    names: &BTreeMap<EntityId, &str>,
) -> Relation {
    let ends = [
        (&mut relation.subject, property::SUBJECT, property::SUBJECT_SAID),
        (&mut relation.object, property::OBJECT, property::OBJECT_SAID),
    ];
    for (end, key, said) in ends {
        let Some(to) = meant.get(end) else { continue };
        *end = *to;
        if let (Some(name), Some(before)) = (names.get(to), relation.properties.get(key).cloned()) {
            relation.properties.insert(said.to_owned(), before);
            relation.properties.insert(key.to_owned(), (*name).into());
        }
    }
    with_own_id(workspace, relation)
}

/// Restores the relation with an ID from its replacement; `None` if this is not its replacement.
fn restored(
    workspace: &Workspace,
    moved: &Relation,
    id: RelationId,
    meant: &BTreeMap<EntityId, EntityId>,
) -> Option<Relation> {
    let before = |end: EntityId| {
        let from = meant.iter().filter(move |(_, to)| **to == end).map(|(from, _)| *from);
        std::iter::once(end).chain(from)
    };
    for subject in before(moved.subject) {
        for object in before(moved.object) {
            let relation = with_own_id(workspace, Relation { subject, object, ..moved.clone() });
            if relation.id != id {
                continue;
            }
            let mut relation = relation;
            let ends = [
                (subject != moved.subject, property::SUBJECT, property::SUBJECT_SAID),
                (object != moved.object, property::OBJECT, property::OBJECT_SAID),
            ];
            for (is_moved, key, said) in ends {
                if is_moved && let Some(name) = relation.properties.remove(said) {
                    relation.properties.insert(key.to_owned(), name);
                }
            }
            return Some(relation);
        }
    }
    None
}

fn with_own_id(workspace: &Workspace, mut relation: Relation) -> Relation {
    let Relation { subject, object, valid_from, .. } = relation;
    let id = RelationId::of(workspace, subject, &relation.predicate, object, valid_from);
    relation.id = relation.key.as_deref().map_or(id, |key| id.with_key(workspace, key));
    relation
}

/// Whether a text contains a name as whole words. In scripts without spaces, any occurrence counts.
fn says(text: &str, name: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() && !is_ideographic(c) && !is_unspaced(c);
    let parts_word =
        |one: Option<char>, other: Option<char>| one.is_some_and(in_word) && other.is_some_and(in_word);
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            !parts_word(before.chars().next_back(), name.chars().next())
                && !parts_word(name.chars().next_back(), after.chars().next())
        })
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// A word sequence that may be a name.
pub(crate) struct Run {
    pub(crate) range: Range<usize>,
    /// The forms that names are indexed by.
    pub(crate) names: Vec<String>,
}

/// The word sequences of a question that may be names, longest first.
pub(crate) fn runs(lexical: &Lexical, question: &str) -> Vec<Run> {
    let words = words(lexical, question);
    let words = &words[..words.len().min(WORDS_MAX)];
    let mut runs = Vec::new();
    for length in (1..=NAME_WORDS_MAX.min(words.len())).rev() {
        for run in words.windows(length) {
            let (start, end) = (run[0].start, run[length - 1].end);
            let end = end + closing_bracket(question, start..end);
            let split: Vec<String> =
                run.iter().map(|word| question[word.start..word.end].to_lowercase()).collect();
            let names = vec![name::normalise(&question[start..end]), split.join(" ")];
            runs.push(Run { range: start..end, names });
        }
    }
    runs
}

/// The length of the bracket right after a word sequence that closes one inside it.
pub(crate) fn closing_bracket(text: &str, run: Range<usize>) -> usize {
    let count = |bracket: char| text[run.clone()].matches(bracket).count();
    usize::from(text[run.end..].starts_with(')') && count('(') > count(')'))
}

/// Adds the texts to the properties of a decision.
pub(super) fn with_texts(mut properties: Payload, texts: &SplitTexts) -> Payload {
    let texts = serde_json::to_value(texts).expect("names and IDs are JSON");
    properties.insert(property::TEXTS.to_owned(), texts);
    properties
}
