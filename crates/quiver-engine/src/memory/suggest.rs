//! Suggested decisions: entities that are probably the same, and entities that are named together but have no relation.
//!
//! A suggestion changes nothing. Few suggestions are better than wrong ones, so names that are alike are suggested only
//! if texts or relations support that they name the same thing.

mod evidence;
mod names;
mod spelling;
mod together;

use std::{
    collections::{BTreeMap, HashMap},
    future::IntoFuture,
};

use futures::{FutureExt, future::BoxFuture};
use quiver_graph::{
    Delta, Embedded, Entity, EntityId, Graph, Passage, RelationId, Statistics, conversation, filters, name,
};
use quiver_language::word::is_verb;
use quiver_store::{Filter, Vectors};
use tracing::instrument;

use crate::{
    Quiver, Result,
    error::{Error, ErrorKind, In, Stage},
};

use self::{
    evidence::{are_related, groups, is_value, mentioning},
    names::alike,
    together::{Together, in_one_sentence, is_within},
};
use super::{
    decide::is_declaration,
    decisions::{decided, embed_decision, entity},
    known::{LEFT, property},
    left::{KEY, Left, SuggestionKind, holder, in_order},
    same::is_record,
};

/// Number of records read at once.
const BATCH: usize = 1000;
/// Maximum number of passages that a suggestion shows.
const SHOWN_MAX: usize = 4;
/// Maximum number of passages read to see whether two entities are named in one sentence.
const SENTENCES_MAX: usize = 32;
/// What more passages than these mention is the topic of the texts: a number, and a share of all passages.
const TOPIC_MIN: u64 = 10;
const TOPIC_SHARE: u64 = 4;

/// Options for suggestions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestOptions {
    /// The kind of suggestions to make; `None` for all. Default: all.
    pub kind: Option<SuggestionKind>,
    /// Maximum number of suggestions of each kind. Default: 20.
    pub limit: usize,
    /// Maximum number of entities whose names are compared. Default: 50,000.
    pub entities_max: usize,
    /// Maximum number of passages in which pairs of entities are counted. Default: 20,000.
    pub passages_max: usize,
    /// Maximum number of pairs of each kind whose evidence is read. Default: 200.
    pub pairs_max: usize,
    /// Minimum number of passages that name two entities in one sentence, to suggest a relation. Default: 3.
    pub together_min: usize,
}

impl Default for SuggestOptions {
    fn default() -> Self {
        Self {
            kind: None,
            limit: 20,
            entities_max: 50_000,
            passages_max: 20_000,
            pairs_max: 200,
            together_min: 3,
        }
    }
}

/// A suggestion about two entities.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// What is suggested.
    pub kind: SuggestionKind,
    /// The first entity.
    pub one: SuggestedEntity,
    /// The second entity.
    pub other: SuggestedEntity,
    /// The reason.
    pub reason: String,
    /// Passages that support it.
    pub passages: Vec<Passage>,
}

/// An entity of a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuggestedEntity {
    /// Its ID.
    pub id: EntityId,
    /// Its name.
    pub name: String,
    /// Whether no other entity has this name.
    pub is_only: bool,
}

/// The suggestions for a workspace.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Suggestions {
    /// The suggestions: merges, then relations, each the most certain first.
    pub suggestions: Vec<Suggestion>,
    /// Whether a limit of the options left out entities, passages or pairs.
    pub is_partial: bool,
}

/// A request for suggestions. Its methods set options, and awaiting it makes the suggestions.
#[derive(Debug)]
#[must_use = "a request does nothing unless it is awaited"]
pub struct SuggestRequest<'a> {
    quiver: &'a Quiver,
    options: SuggestOptions,
}

impl<'a> SuggestRequest<'a> {
    pub(super) fn new(quiver: &'a Quiver) -> Self {
        Self { quiver, options: SuggestOptions::default() }
    }

    /// Replaces all options.
    pub fn options(mut self, options: SuggestOptions) -> Self {
        self.options = options;
        self
    }

    /// Makes only suggestions of this kind.
    pub fn kind(mut self, kind: SuggestionKind) -> Self {
        self.options.kind = Some(kind);
        self
    }

    /// Sets [`SuggestOptions::limit`].
    pub fn limit(mut self, limit: usize) -> Self {
        self.options.limit = limit;
        self
    }
}

impl<'a> IntoFuture for SuggestRequest<'a> {
    type Output = Result<Suggestions>;
    type IntoFuture = BoxFuture<'a, Result<Suggestions>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { quiver, options } = self;
        async move { suggest(&quiver.without_deleted().await?, &options).await }.boxed()
    }
}

#[instrument(name = "suggest", target = "quiver::stage", skip_all, fields(workspace = quiver.graph.workspace().as_str()))]
async fn suggest(quiver: &Quiver, options: &SuggestOptions) -> Result<Suggestions> {
    let suggester = Suggester::read(quiver, options).await.stage(Stage::Administer)?;
    let mut made = Suggestions { is_partial: suggester.is_partial, ..Suggestions::default() };
    let wants = |kind| options.kind.is_none_or(|only| only == kind);
    if wants(SuggestionKind::Merge) {
        suggester.merges(&mut made).await.stage(Stage::Administer)?;
    }
    if wants(SuggestionKind::Relation) {
        suggester.relations(&mut made).await.stage(Stage::Administer)?;
    }
    Ok(made)
}

/// What suggestions are made from.
struct Suggester<'a> {
    quiver: &'a Quiver,
    graph: &'a Graph,
    options: &'a SuggestOptions,
    statistics: std::sync::Arc<Statistics>,
    left: Left,
    /// The entities with names, by ascending ID.
    entities: Vec<Entity>,
    /// The places of the entities with each normalised name.
    by_name: BTreeMap<String, Vec<usize>>,
    is_partial: bool,
}

impl<'a> Suggester<'a> {
    async fn read(quiver: &'a Quiver, options: &'a SuggestOptions) -> quiver_graph::Result<Self> {
        let graph = &quiver.graph;
        let (mut entities, mut after, mut read) = (Vec::new(), None, 0);
        let mut is_partial = false;
        loop {
            let limit = BATCH.min(options.entities_max.saturating_sub(read));
            if limit == 0 {
                is_partial = true;
                break;
            }
            let (page, next) = graph.page::<Entity>(&Filter::everything(), after, limit).await?;
            read += page.len();
            entities.extend(page.into_iter().filter(|entity| !is_value(entity) && !is_declaration(entity)));
            match next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (place, entity) in entities.iter().enumerate() {
            by_name.entry(name::normalise(&entity.name)).or_default().push(place);
        }
        let statistics = graph.statistics().await?;
        let left = Left::read(graph).await?;
        Ok(Self { quiver, graph, options, statistics, left, entities, by_name, is_partial })
    }

    fn suggested(&self, entity: &Entity) -> SuggestedEntity {
        let is_only = self.by_name.get(&name::normalise(&entity.name)).is_none_or(|places| places.len() < 2);
        SuggestedEntity { id: entity.id, name: entity.name.clone(), is_only }
    }

    /// The entity that a merge by this name is about: the record with the name, or else the entity of the name. If
    /// several records have it, there is none.
    fn named(&self, places: &[usize]) -> Option<&Entity> {
        let mut records =
            places.iter().map(|place| &self.entities[*place]).filter(|entity| is_record(entity));
        match (records.next(), records.next()) {
            (Some(_), Some(_)) => None,
            (Some(record), None) => Some(record),
            (None, _) => places.first().map(|place| &self.entities[*place]),
        }
    }

    /// Whether neither a decision nor a relation says how two entities belong together.
    async fn is_open(&self, one: &Entity, other: &Entity) -> quiver_graph::Result<bool> {
        match groups(self.graph, &self.quiver.standing.joins, [one, other]).await? {
            Some(groups) => Ok(!are_related(self.graph, &groups).await?),
            None => Ok(false),
        }
    }

    /// Suggests merges of entities with names that are alike.
    async fn merges(&self, made: &mut Suggestions) -> quiver_graph::Result<()> {
        let entities: Vec<&Entity> = self.by_name.values().filter_map(|places| self.named(places)).collect();
        let names: Vec<&str> = entities.iter().map(|entity| entity.name.as_str()).collect();
        let (mut found, mut read) = (0, 0);
        for pair in alike(&names) {
            let (one, other) = (entities[pair.one], entities[pair.other]);
            if found == self.options.limit || read == self.options.pairs_max {
                made.is_partial = true;
                break;
            }
            let has_name_of =
                |one: &Entity, other: &Entity| one.names().contains(&name::normalise(&other.name));
            if is_record(one) && is_record(other)
                || has_name_of(one, other)
                || has_name_of(other, one)
                || self.left.has(SuggestionKind::Merge, one.id, other.id)
            {
                continue;
            }
            read += 1;
            if !self.is_open(one, other).await? {
                continue;
            }
            let evidence = evidence::read(self.graph, &self.statistics, [one.id, other.id]).await?;
            if let Some(reason) = evidence.reason(pair.likeness, &one.name, &other.name) {
                found += 1;
                made.suggestions.push(Suggestion {
                    kind: SuggestionKind::Merge,
                    one: self.suggested(one),
                    other: self.suggested(other),
                    reason,
                    passages: evidence.passages(SHOWN_MAX),
                });
            }
        }
        Ok(())
    }

    /// Suggests relations of entities that are named together.
    async fn relations(&self, made: &mut Suggestions) -> quiver_graph::Result<()> {
        let topic = TOPIC_MIN.max(self.statistics.passages / TOPIC_SHARE);
        let mentioned = |id: EntityId| self.statistics.passages_mentioning(id);
        let is_of_interest = |entity: &&Entity| {
            let often = u64::from(mentioned(entity.id));
            is_written_as_name(&entity.name) && often <= topic && often >= self.options.together_min as u64
        };
        let entities: HashMap<EntityId, &Entity> =
            self.entities.iter().filter(is_of_interest).map(|entity| (entity.id, entity)).collect();
        let together = self.together(&entities, made).await?;
        let (mut found, mut read) = (0, 0);
        for (ids, _) in together.frequent(self.options.together_min.max(1), mentioned) {
            let (one, other) = (entities[&ids[0]], entities[&ids[1]]);
            if found == self.options.limit || read == self.options.pairs_max {
                made.is_partial = true;
                break;
            }
            let is_suggested = |made: &Suggestion| ids.contains(&made.one.id) && ids.contains(&made.other.id);
            if is_within(&one.name, &other.name)
                || made.suggestions.iter().any(is_suggested)
                || self.left.has(SuggestionKind::Relation, one.id, other.id)
            {
                continue;
            }
            read += 1;
            if !self.is_open(one, other).await? {
                continue;
            }
            let both = mentioning(ids[0]).and(filters::mentioning([ids[1]]));
            let passages = self.graph.list(both, SENTENCES_MAX).await?;
            let mut passages = in_one_sentence(passages, &one.names(), &other.names());
            if passages.len() < self.options.together_min.max(1) {
                continue;
            }
            found += 1;
            let reason = format!("named in one sentence in {} passages, without a relation", passages.len());
            passages.truncate(SHOWN_MAX);
            let (one, other) = (self.suggested(one), self.suggested(other));
            let kind = SuggestionKind::Relation;
            made.suggestions.push(Suggestion { kind, one, other, reason, passages });
        }
        Ok(())
    }

    /// Counts the passages that mention pairs of these entities.
    async fn together(
        &self,
        entities: &HashMap<EntityId, &Entity>,
        made: &mut Suggestions,
    ) -> quiver_graph::Result<Together> {
        let mut together = Together::default();
        let (mut after, mut read) = (None, 0);
        while !entities.is_empty() {
            let limit = BATCH.min(self.options.passages_max.saturating_sub(read));
            if limit == 0 {
                made.is_partial = true;
                break;
            }
            let (page, next) = self.graph.page::<Passage>(&conversation::others(), after, limit).await?;
            read += page.len();
            for passage in &page {
                together.add(passage, |id| entities.contains_key(&id));
            }
            match next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        made.is_partial |= together.is_partial;
        Ok(together)
    }
}

/// Records that a suggestion is left.
pub(super) async fn leave(
    quiver: &Quiver,
    kind: SuggestionKind,
    one: &str,
    other: &str,
    evidence: &str,
) -> Result<RelationId> {
    let (one, other) = (entity(quiver, one).await?, entity(quiver, other).await?);
    if one.id == other.id {
        let what = format!("{:?} and {:?} are the same entity", one.name, other.name);
        return Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
    }
    let graph = quiver.graph.whole();
    let workspace = graph.workspace();
    let holder = holder(workspace);
    let mut left = decided(workspace, LEFT, (holder, &one.name), (holder, &other.name), evidence);
    let ids = in_order([one.id, other.id]);
    let key = format!("{} {} {}", kind.as_str(), ids[0], ids[1]);
    left.id = left.id.with_key(workspace, &key);
    left.key = Some(key);
    left.properties.insert(property::SUGGESTED.to_owned(), kind.as_str().into());
    for (property, id) in [(property::SUBJECT_ID, one.id), (property::OBJECT_ID, other.id)] {
        left.properties.insert(property.to_owned(), id.to_string().into());
    }
    let id = left.id;
    let relations = vec![embed_decision(&quiver.encoder, left).await?];
    let mut record = Entity::named(workspace, None, KEY);
    record.id = holder;
    record.key = Some(KEY.to_owned());
    record.pinned = true;
    let entities = vec![Embedded { record, vectors: Vectors::default() }];
    graph.apply(Delta { entities, relations, ..Delta::default() }).await.stage(Stage::Remember)?;
    Ok(id)
}

/// Whether a name does not begin with a lower-case letter or a number, nor with a verb, as the label of a button does: "Add goal".
fn is_written_as_name(name: &str) -> bool {
    let first = name.chars().find(|c| c.is_alphanumeric());
    let lower = name.to_lowercase();
    first.is_some_and(|first| first.is_alphabetic() && !first.is_lowercase())
        && !is_verb(lower.split(' ').next().unwrap_or_default())
}
