//! Decisions about entities: merges, splits, renames, deletions, and suggestions that were left. Each is stored as a relation, which
//! remains when the decision is undone.

use std::collections::BTreeSet;

use quiver_graph::{
    Delta, Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId, Workspace, Written,
    filters, name,
};
use quiver_models::{Encoder, Input};
use quiver_store::{Filter, Vectors};
use serde::Serialize;

use crate::{
    Quiver, Result,
    error::{Error, ErrorKind, In, Stage},
};

use super::{
    known::{DECISIONS, DELETED, RENAMED_TO, SPLIT_INTO, property},
    left::{self, SuggestionKind, left_kind},
    merged::{decisions_among, is_merge, is_undone},
    relink::{embed_entities, relink},
    remember::{relation_text, vectors},
    same::check_one_record,
    split::{SplitTexts, is_split, named, with_texts},
    turn::now,
    words::aliases,
};

/// Maximum number of entities that a name may match.
const NAMED_MAX: usize = 32;

/// The kind of a decision about an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecisionKind {
    /// It is the same as another entity.
    Merge,
    /// It has another name.
    Rename,
    /// It is hidden, with its relations.
    Delete,
    /// It is really two entities. Some texts are about the other one, which gets its own name.
    Split,
    /// A suggestion to merge it with another entity was left.
    LeaveMerge,
    /// A suggestion to relate it to another entity was left.
    LeaveRelation,
}

/// A decision about an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The ID with which to undo and redo it.
    pub id: RelationId,
    /// What was decided.
    pub kind: DecisionKind,
    /// The entity.
    pub entity: EntityId,
    /// The name of the entity at that time.
    pub name: String,
    /// The name of the entity merged with it, split from it or left apart from it, or its new name.
    pub other: Option<String>,
    /// The reason.
    pub evidence: String,
    /// The time of the decision, in milliseconds since 1970.
    pub decided_at: Option<i64>,
    /// Whether the decision was undone.
    pub is_undone: bool,
}

impl Decision {
    /// Reads a relation as a decision; `None` if it is another relation.
    pub fn of(relation: &Relation) -> Option<Self> {
        let kind = kind_of(relation)?;
        let text = |key: &str| relation.properties.get(key)?.as_str().map(str::to_owned);
        Some(Self {
            id: relation.id,
            kind,
            entity: left::ends(relation)
                .filter(|_| left_kind(relation).is_some())
                .map_or(relation.subject, |[one, _]| one),
            name: text(property::SUBJECT).unwrap_or_default(),
            other: text(property::OBJECT).filter(|_| kind != DecisionKind::Delete),
            evidence: relation.text.clone(),
            decided_at: relation.recorded_at,
            is_undone: is_undone(relation),
        })
    }
}

pub(super) fn kind_of(relation: &Relation) -> Option<DecisionKind> {
    if is_merge(relation) {
        return Some(DecisionKind::Merge);
    }
    if is_split(relation) {
        return Some(DecisionKind::Split);
    }
    match left_kind(relation) {
        Some(SuggestionKind::Merge) => return Some(DecisionKind::LeaveMerge),
        Some(SuggestionKind::Relation) => return Some(DecisionKind::LeaveRelation),
        None => {}
    }
    // No sentence states that something is deleted or renamed to itself.
    let is_own = relation.subject == relation.object && relation.properties.contains_key(property::SUBJECT);
    match relation.predicate.as_str() {
        RENAMED_TO if is_own => Some(DecisionKind::Rename),
        DELETED if is_own => Some(DecisionKind::Delete),
        _ => None,
    }
}

/// Returns a filter for decisions about a single entity: its renames and deletions.
pub fn decisions_about(entity: EntityId) -> Filter {
    decisions_among([RENAMED_TO, DELETED]).and(filters::from([entity])).and(filters::to([entity]))
}

/// Finds the entity with this ID or this name.
pub(super) async fn entity(quiver: &Quiver, named: &str) -> Result<Entity> {
    let seen = quiver.without_deleted().await?;
    let graph = &seen.graph;
    if let Ok(id) = named.parse::<EntityId>()
        && let Some(entity) = graph.entities(&[id]).await.stage(Stage::Remember)?.pop()
    {
        return Ok(entity);
    }
    let normal = name::normalise(named);
    let found =
        graph.entities_named(std::slice::from_ref(&normal), NAMED_MAX).await.stage(Stage::Remember)?;
    let (mut own, mut others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|entity| name::normalise(&entity.name) == normal);
    if own.is_empty() {
        std::mem::swap(&mut own, &mut others);
    }
    match (own.pop(), own.as_slice()) {
        (Some(entity), []) => Ok(entity),
        (Some(last), rest) => {
            let all = rest.iter().chain([&last]);
            let all: Vec<_> = all.map(|entity| format!("{:?} [{}]", entity.name, entity.id)).collect();
            let what = format!("{named:?} is ambiguous: {}; give the ID of one", all.join(" or "));
            Err(Error::new(ErrorKind::Invalid, Stage::Remember, what))
        }
        (None, _) => {
            let what = format!("nothing is called {named:?}");
            Err(Error::new(ErrorKind::NotFound, Stage::Remember, what))
        }
    }
}

pub(super) async fn rename(quiver: &Quiver, named: &str, to: &str, evidence: &str) -> Result<RelationId> {
    let invalid = |what: String| Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
    let to = to.trim();
    let normal = name::normalise(to);
    if normal.is_empty() {
        return invalid(format!("an entity needs a name, and {to:?} is not one"));
    }
    let _alone = quiver.commits.lock().await;
    let entity = entity(quiver, named).await?;
    if !entity.labels.is_empty() || entity.key.is_some() {
        let what = "was loaded or created by a query; rename it with a query: SET n.name = …";
        return invalid(format!("{:?} {what}", entity.name));
    }
    if entity.name == to {
        return invalid(format!("{to:?} is already its name"));
    }
    let graph = quiver.graph.whole();
    let others = graph.entities_named(&[normal], NAMED_MAX).await.stage(Stage::Remember)?;
    if let Some(other) = others.iter().find(|other| other.id != entity.id) {
        let what = "is the name of another entity; merge the two if they are the same";
        return invalid(format!("{to:?} {what} [{}]", other.id));
    }
    let own = (entity.id, entity.name.as_str());
    let mut renamed = decided(graph.workspace(), RENAMED_TO, own, own, evidence);
    renamed.id = renamed.id.with_key(graph.workspace(), to);
    renamed.key = Some(to.to_owned());
    renamed.properties.insert(property::OBJECT.to_owned(), to.into());
    let id = renamed.id;
    write_rename(quiver, renamed).await?;
    Ok(id)
}

pub(super) async fn delete(quiver: &Quiver, named: &str, evidence: &str) -> Result<RelationId> {
    let entity = entity(quiver, named).await?;
    let graph = quiver.graph.whole();
    let own = (entity.id, entity.name.as_str());
    let relation = decided(graph.workspace(), DELETED, own, own, evidence);
    let id = relation.id;
    let relations = vec![embed_decision(&quiver.encoder, relation).await?];
    graph.apply(Delta { relations, ..Delta::default() }).await.stage(Stage::Remember)?;
    Ok(id)
}

pub(super) async fn split(
    quiver: &Quiver,
    named_now: &str,
    to: &str,
    texts: SplitTexts,
    evidence: &str,
) -> Result<(RelationId, usize)> {
    let invalid = |what: String| Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
    let to = to.trim();
    let normal = name::normalise(to);
    if normal.is_empty() {
        return invalid(format!("an entity needs a name, and {to:?} is not one"));
    }
    if texts.is_empty() {
        return invalid("give the texts that are about the other entity".to_owned());
    }
    let _alone = quiver.commits.lock().await;
    let entity = entity(quiver, named_now).await?;
    if !entity.labels.is_empty() || entity.key.is_some() {
        let what = "was loaded or created by a query; split it with a query";
        return invalid(format!("{:?} {what}", entity.name));
    }
    if entity.names().contains(&normal) {
        return invalid(format!("{to:?} is already its name; the other entity needs a different name"));
    }
    let graph = quiver.graph.whole();
    let workspace = graph.workspace();
    let other = named(workspace, quiver.encoder.analysis(), to);
    let own = (entity.id, entity.name.as_str());
    let mut decision = decided(workspace, SPLIT_INTO, own, (other.id, to), evidence);
    // Splitting again adds texts.
    let before = graph.relations(&[decision.id]).await.stage(Stage::Remember)?.pop();
    if before.is_none() {
        let others = graph.entities_named(&[normal], NAMED_MAX).await.stage(Stage::Remember)?;
        if let Some(known) = others.first() {
            let what = "is the name of another entity; choose a different name, and merge the two if they are the same";
            return invalid(format!("{to:?} {what} [{}]", known.id));
        }
    }
    check_texts(&graph, &entity, &texts).await?;
    let mut all = texts.clone();
    if let Some(before) = before.filter(|before| !is_undone(before)) {
        all.add(SplitTexts::of(&before));
        // Splits of the same text apply in the order in which they were made.
        decision.recorded_at = before.recorded_at;
    }
    decision.properties = with_texts(decision.properties, &all);
    let id = decision.id;
    let relations = vec![embed_decision(&quiver.encoder, decision).await?];
    let entities = embed_entities(&quiver.encoder, vec![other]).await?;
    graph.apply(Delta { entities, relations, ..Delta::default() }).await.stage(Stage::Remember)?;
    Ok((id, relink(&graph, &quiver.encoder, &texts).await?))
}

/// Rejects texts that do not exist, and texts of which none mentions the entity.
async fn check_texts(graph: &Graph, entity: &Entity, texts: &SplitTexts) -> Result<()> {
    let missing = |what: String| Err(Error::new(ErrorKind::NotFound, Stage::Remember, what));
    for document in &texts.documents {
        let of = filters::of_document(document).and(Filter::Not(Box::new(filters::in_session())));
        if graph.count::<Passage>(&of).await.stage(Stage::Remember)? == 0 {
            return missing(format!("there is no document {document:?}; `quiver documents` lists them"));
        }
    }
    for session in &texts.sessions {
        if graph.count::<Passage>(&filters::of_session(session)).await.stage(Stage::Remember)? == 0 {
            return missing(format!("there is no session {session:?}; `quiver sessions` lists them"));
        }
    }
    let ids: Vec<PassageId> = texts.passages.iter().copied().collect();
    let found = graph.passages(&ids).await.stage(Stage::Remember)?;
    let known: BTreeSet<PassageId> = found.iter().map(|passage| passage.id).collect();
    if let Some(id) = texts.passages.difference(&known).next() {
        return missing(format!("there is no passage and no turn {id}"));
    }
    let ids = std::iter::once(entity.id).chain(ids_of_names(graph.workspace(), std::slice::from_ref(entity)));
    let speaking = texts.filter().and(filters::mentioning(ids));
    if graph.count::<Passage>(&speaking).await.stage(Stage::Remember)? == 0 {
        let what = format!("none of these texts mentions {:?}", entity.name);
        return Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
    }
    Ok(())
}

/// Embeds a decision so that no word search finds it. If there is an embedder, every dated relation has a
/// dense vector.
pub(super) async fn embed_decision(encoder: &Encoder, record: Relation) -> Result<Embedded<Relation>> {
    let text = relation_text(&record);
    let encoded = encoder.encode_documents(&[Input::new(&text)]).await.stage(Stage::Remember)?;
    let dense = encoded.into_iter().next().and_then(|encoded| encoded.dense);
    Ok(Embedded { record, vectors: Vectors { dense, ..Vectors::default() } })
}

/// A decision about two entities, or about one given twice, with their names. It has no date of its own, so
/// it always applies.
pub(super) fn decided(
    workspace: &Workspace,
    predicate: &str,
    subject: (EntityId, &str),
    object: (EntityId, &str),
    evidence: &str,
) -> Relation {
    let properties = [(property::SUBJECT, subject.1), (property::OBJECT, object.1)];
    Relation {
        id: RelationId::of(workspace, subject.0, predicate, object.0, Some(0)),
        valid_from: Some(0),
        recorded_at: Some(now()),
        properties: properties.map(|(key, name)| (key.to_owned(), name.into())).into_iter().collect(),
        pinned: true,
        ..Relation::between(workspace, subject.0, predicate, object.0, evidence)
    }
}

/// Writes a rename, or its undoing, together with the entity's resulting names, atomically.
async fn write_rename(quiver: &Quiver, renamed: Relation) -> Result<()> {
    let graph = quiver.graph.whole();
    let lexical = quiver.encoder.analysis();
    let own = decisions_among([RENAMED_TO]).and(filters::from([renamed.subject]));
    let mut renames: Vec<Relation> = graph.all(&own).await.stage(Stage::Remember)?;
    renames.retain(|one| one.id != renamed.id && kind_of(one) == Some(DecisionKind::Rename));
    renames.push(renamed.clone());
    let found = graph.entities(&[renamed.subject]).await.stage(Stage::Remember)?.pop();
    let mut delta = Delta::default();
    let text = relation_text(&renamed);
    let mut texts = vec![text.clone()];
    let entity = found.map(|entity| called(entity, renames, |name| aliases(lexical, name)));
    texts.extend(entity.iter().map(|entity| entity.name.clone()));
    let inputs: Vec<_> = texts.iter().map(|text| Input::new(text)).collect();
    let mut encoded = quiver.encoder.encode_documents(&inputs).await.stage(Stage::Remember)?;
    if let Some(record) = entity {
        let encoded = encoded.pop().expect("as many vectors as texts");
        delta.entities.push(Embedded { record, vectors: vectors(lexical, encoded, None) });
    }
    let encoded = encoded.pop().expect("as many vectors as texts");
    delta.relations.push(Embedded { record: renamed, vectors: vectors(lexical, encoded, Some(&text)) });
    graph.change(delta, &[], &[]).await.stage(Stage::Remember)
}

/// The entity with the names that its renames give it: the latest rename in effect gives the name, all other
/// names become aliases.
fn called(mut entity: Entity, mut renames: Vec<Relation>, spelled: impl Fn(&str) -> Vec<String>) -> Entity {
    let written = entity.written.take();
    let written = written.unwrap_or_else(|| Written {
        name: std::mem::take(&mut entity.name),
        aliases: std::mem::take(&mut entity.aliases),
    });
    entity.name.clone_from(&written.name);
    entity.aliases.clone_from(&written.aliases);
    renames.retain(|one| !is_undone(one));
    renames.sort_by_key(|one| (one.recorded_at, one.id));
    for to in renames.iter().filter_map(|one| one.properties.get(property::OBJECT)?.as_str()) {
        let before = std::mem::replace(&mut entity.name, to.to_owned());
        for alias in std::iter::once(before).chain(spelled(to)) {
            if !entity.aliases.contains(&alias) {
                entity.aliases.push(alias);
            }
        }
        entity.aliases.retain(|alias| alias != to);
        entity.pinned = true;
    }
    entity.written = (!renames.is_empty()).then_some(written);
    entity
}

/// The IDs of statements that use another name of a renamed entity.
pub(crate) fn ids_of_names(workspace: &Workspace, entities: &[Entity]) -> BTreeSet<EntityId> {
    let renamed = entities.iter().filter(|entity| entity.written.is_some());
    let names = renamed.flat_map(|entity| std::iter::once(&entity.name).chain(&entity.aliases));
    names.map(|name| EntityId::of_name(workspace, None, name)).collect()
}

pub(super) async fn mark(quiver: &Quiver, decision: RelationId, undone: bool) -> Result<()> {
    let change = |relation: &mut Relation| {
        if undone {
            relation.properties.insert(property::UNDONE.to_owned(), true.into());
        } else {
            relation.properties.remove(property::UNDONE);
        }
    };
    let _alone = quiver.commits.lock().await;
    let graph = quiver.graph.whole();
    let found = graph.relations(&[decision]).await.stage(Stage::Remember)?.pop();
    if let Some(mut renamed) = found.clone().filter(|one| kind_of(one) == Some(DecisionKind::Rename)) {
        change(&mut renamed);
        return write_rename(quiver, renamed).await;
    }
    if let Some(merge) = found.as_ref().filter(|one| !undone && is_merge(one)) {
        check_one_record(quiver, BTreeSet::from([merge.subject, merge.object])).await?;
    }
    let split = found.filter(is_split);
    if graph.amend(&[decision], change).await.stage(Stage::Remember)? == 0 {
        let what = format!(
            "there is no fact {decision}; `quiver facts NAME --history` and `quiver decide list` list facts and \
             decisions with their ids"
        );
        return Err(Error::new(ErrorKind::NotFound, Stage::Remember, what));
    }
    if let Some(split) = split {
        relink(&graph, &quiver.encoder, &SplitTexts::of(&split)).await?;
    }
    Ok(())
}

pub(super) async fn list(quiver: &Quiver) -> Result<Vec<Decision>> {
    let graph = quiver.graph.whole();
    let taken = decisions_among(DECISIONS);
    let relations: Vec<Relation> = graph.all(&taken).await.stage(Stage::Administer)?;
    let mut decisions: Vec<Decision> = relations.iter().filter_map(Decision::of).collect();
    decisions.sort_by_key(|decision| (std::cmp::Reverse(decision.decided_at), decision.id));
    Ok(decisions)
}
