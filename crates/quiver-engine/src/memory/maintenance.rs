//! Administration: listing facts and sessions, forgetting, archiving, merging, and undoing decisions.

use std::collections::BTreeSet;

use quiver_graph::{
    Delta, Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId, Removed, filters,
    name,
};
use quiver_language::text::collapse_spaces;
use quiver_models::Input;
use quiver_store::{Filter, Vectors};
use serde::Serialize;

use crate::{
    Quiver, Result,
    error::{Error, ErrorKind, In, Stage},
};

use super::{
    decide,
    decisions::{decided, ids_of_names},
    known::{DELETED, MemoryFact, RENAMED_TO, SAME_AS, SPLIT_INTO, property},
    left,
    merged::{Merged, all_decisions, decisions_among, merges, merges_and},
    recollection::RecalledFact,
    relink::embed_entities,
    remember::{relation_text, vectors},
    resolve::currently_valid,
    same::{check_one_record, is_record, joined},
    split::{SplitTexts, is_split, with_texts},
    turn::{ARCHIVED, Cardinality, Restated, is_archived, now},
    words::{aliases, canonical},
};

/// Maximum number of entities that a name may match.
const NAMED_MAX: usize = 32;

/// Options for listing facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactsOptions {
    /// List the facts valid at this time, in milliseconds since 1970, instead of now.
    pub as_of: Option<i64>,
    /// Use only facts that were recorded by this time, in milliseconds since 1970.
    pub known_at: Option<i64>,
    /// Whether to include facts that are not valid: past ones and, if no [`as_of`](FactsOptions::as_of) is given,
    /// future ones.
    pub history: bool,
}

/// What to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Forget {
    /// A whole session.
    Session(String),
    /// One turn of a session, by its number.
    Turn(String, u64),
    /// All turns that mention the entity with exactly this name, or an entity merged with it. Case doesn't matter. A
    /// name that is only split or spelled otherwise ("Server A" for `ServerA`) matches if a single entity has it;
    /// similar names do not match.
    About(String),
}

/// What forgetting would remove.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ForgetPreview {
    /// The names of the entities, for [`Forget::About`].
    pub things: Vec<String>,
    /// The turns, in chronological order.
    pub turns: Vec<ForgetTurn>,
}

/// A turn that would be forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ForgetTurn {
    /// The session.
    pub session: String,
    /// The number of the turn in its session.
    pub turn: u64,
    /// The speaker.
    pub speaker: Option<String>,
    /// The text.
    pub text: String,
}

/// Counts of what was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Forgotten {
    /// The number of turns.
    pub turns: usize,
    /// The number of facts that no other turn supports, and of decisions about entities that are no longer
    /// mentioned.
    pub facts: usize,
    /// The number of entities that no other fact or turn mentions.
    pub entities: usize,
}

/// A session in a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The session's name.
    pub name: String,
    /// The number of turns.
    pub turns: u64,
}

/// Which turns to archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Archive {
    /// Turns said before this time, in milliseconds since 1970.
    Before(i64),
    /// All but this many of the latest turns.
    KeepLatest(usize),
}

pub(super) async fn declare(
    quiver: &Quiver,
    predicate: &str,
    cardinality: Option<Cardinality>,
    evidence: Option<&str>,
) -> Result<()> {
    let graph = &quiver.graph;
    named_or_wrong("a predicate", predicate)?;
    let declaration =
        decide::declaration(graph.workspace(), quiver.encoder.analysis(), predicate, cardinality, evidence);
    let delta = Delta { entities: vec![declaration], ..Delta::default() };
    graph.apply(delta).await.stage(Stage::Remember).map(drop)
}

/// Returns an error if a name is empty after normalisation.
fn named_or_wrong(what: &str, name: &str) -> Result<()> {
    if name::normalise(name).is_empty() {
        let what = format!("{what} needs a name, and {name:?} is not one");
        return Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
    }
    Ok(())
}

pub(super) async fn merge(quiver: &Quiver, one: &str, other: &str, evidence: &str) -> Result<RelationId> {
    named_or_wrong("an entity", one)?;
    named_or_wrong("an entity", other)?;
    let _alone = quiver.commits.lock().await;
    let graph = &quiver.graph;
    let lexical = quiver.encoder.analysis();
    let (one, other) = (to_merge(quiver, one).await?, to_merge(quiver, other).await?);
    if one.id() == other.id() {
        let what = format!("{:?} and {:?} are already the same entity", one.name(), other.name());
        return Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
    }
    check_one_record(quiver, BTreeSet::from([one.id(), other.id()])).await?;
    let ends = [(one.id(), one.name()), (other.id(), other.name())];
    let relation = decided(graph.workspace(), SAME_AS, ends[0], ends[1], evidence);
    let id = relation.id;
    let text = relation_text(&relation);
    let mut encoded = quiver.encoder.encode_documents(&[Input::new(&text)]).await.stage(Stage::Remember)?;
    let said = vectors(lexical, encoded.pop().expect("as many vectors as texts"), Some(&text));
    let named = [one, other].into_iter().filter_map(|end| match end {
        Merging::Named(entity) => Some(entity),
        Merging::Record(_) => None,
    });
    let entities = embed_entities(&quiver.encoder, named.collect()).await?;
    let relations = vec![Embedded { record: relation, vectors: said }];
    graph.apply(Delta { entities, relations, ..Delta::default() }).await.stage(Stage::Remember)?;
    Ok(id)
}

/// One side of a merge.
enum Merging {
    /// The entity that a name refers to.
    Named(Entity),
    /// A node that was loaded or created by a query.
    Record(Entity),
}

impl Merging {
    fn entity(&self) -> &Entity {
        match self {
            Self::Named(entity) | Self::Record(entity) => entity,
        }
    }

    fn id(&self) -> EntityId {
        self.entity().id
    }

    fn name(&self) -> &str {
        &self.entity().name
    }
}

/// Finds one side of a merge by its name, or by the name of the entity with this ID. Prefers a record with
/// that name to the entity of the name itself.
async fn to_merge(quiver: &Quiver, named: &str) -> Result<Merging> {
    let graph = &quiver.graph;
    let known = match named.parse::<EntityId>() {
        Ok(id) => graph.entities(&[id]).await.stage(Stage::Remember)?.pop(),
        Err(_) => None,
    };
    let name = known.as_ref().map_or(named, |entity| entity.name.as_str());
    let normal = name::normalise(name);
    let found =
        graph.entities_named(std::slice::from_ref(&normal), NAMED_MAX).await.stage(Stage::Remember)?;
    let is_called = |entity: &Entity| is_record(entity) && name::normalise(&entity.name) == normal;
    let mut records = found.into_iter().filter(is_called);
    match (records.next(), records.next()) {
        (Some(_), Some(_)) => {
            let what = format!(
                "several records are called {name:?}; give the one that is meant a name of its own by a query, \
                 SET n.name = …, and merge that"
            );
            Err(Error::new(ErrorKind::Invalid, Stage::Remember, what))
        }
        (Some(record), None) => Ok(Merging::Record(record)),
        (None, _) => {
            let mut entity = Entity::named(graph.workspace(), None, name);
            entity.aliases = aliases(quiver.encoder.analysis(), name);
            Ok(Merging::Named(entity))
        }
    }
}

pub(super) async fn facts(quiver: &Quiver, about: &str, options: &FactsOptions) -> Result<Vec<RecalledFact>> {
    let graph = &quiver.graph;
    let moment = options.as_of.unwrap_or_else(now);
    // Future facts count as history: they are listed along with facts that are no longer valid.
    let begun = if options.history && options.as_of.is_none() { i64::MAX } else { moment };
    let mut filter = filters::begun(None, Some(begun));
    if let Some(moment) = options.known_at {
        filter = filter.and(filters::told_by(moment));
    }
    let entities = named(quiver, about).await?;
    if entities.is_empty() {
        return Ok(Vec::new());
    }
    let of = filters::touching(entities.iter().copied());
    let found: Vec<Relation> = graph.all(&filter.clone().and(of)).await.stage(Stage::Recall)?;
    let (known, holds) = stated(quiver, &found, &entities.into_iter().collect(), &filter, moment)
        .await
        .stage(Stage::Recall)?;
    let own: BTreeSet<RelationId> = found.iter().map(|relation| relation.id).collect();
    let mut facts: Vec<(&MemoryFact, bool)> = known
        .iter()
        .zip(holds)
        .filter(|(fact, holds)| own.contains(&fact.relation.id) && (*holds || options.history))
        .collect();
    facts.sort_by_key(|(fact, _)| fact.order());
    Ok(facts.into_iter().map(|(fact, holds)| fact.shown(holds)).collect())
}

/// The facts with the same subjects and predicates as these, and whether each is valid at a point in time. A
/// fact may be superseded by another statement about its subject.
async fn stated(
    quiver: &Quiver,
    found: &[Relation],
    entities: &BTreeSet<EntityId>,
    filter: &Filter,
    moment: i64,
) -> quiver_graph::Result<(Vec<MemoryFact>, Vec<bool>)> {
    let graph = &quiver.graph;
    let subjects: BTreeSet<EntityId> = found.iter().map(|relation| relation.subject).collect();
    let predicates: BTreeSet<&str> = found.iter().map(|relation| relation.predicate.as_str()).collect();
    let beside = filter.clone().and(filters::from(subjects)).and(filters::saying(predicates));
    let all: Vec<Relation> = graph.all(&beside).await?;
    let merges = merges(graph, entities, filter).await?;
    let lexical = quiver.encoder.analysis();
    let know = |relation| quiver.wordings.get_or_analyse(lexical, relation);
    let merged = Merged::of(merges.into_iter().map(know).collect());
    let known: Vec<MemoryFact> = all
        .into_iter()
        .filter(|relation| relation.properties.contains_key(property::SUBJECT))
        .map(|relation| merged.rename(know(relation)))
        .collect();
    let declared = decide::declared(graph, &known).await?;
    let holds = currently_valid(&known, &declared, Restated::Adds, moment);
    Ok((known, holds))
}

/// The facts among these relations that are not valid at a point in time because another statement about the
/// subject superseded them.
pub(crate) async fn superseded_facts(
    quiver: &Quiver,
    relations: &[Relation],
    moment: i64,
) -> Result<BTreeSet<RelationId>> {
    let is_fact = |relation: &&Relation| {
        relation.valid_from.is_some() && relation.properties.contains_key(property::SUBJECT)
    };
    let facts: Vec<Relation> = relations.iter().filter(is_fact).cloned().collect();
    if facts.is_empty() {
        return Ok(BTreeSet::new());
    }
    let entities = facts.iter().flat_map(|relation| [relation.subject, relation.object]).collect();
    let filter = filters::begun(None, Some(moment));
    let (known, holds) = stated(quiver, &facts, &entities, &filter, moment).await.stage(Stage::Recall)?;
    let gone = known.iter().zip(holds).filter(|(_, holds)| !holds);
    Ok(gone.map(|(fact, _)| fact.relation.id).collect())
}

/// The entities that a name matches, and the entities merged with them.
async fn named(quiver: &Quiver, about: &str) -> Result<Vec<EntityId>> {
    let names = [name::normalise(about), canonical(quiver.encoder.analysis(), about)];
    let named = quiver.graph.entities_named(&names, NAMED_MAX).await.stage(Stage::Recall)?;
    let mut ids = ids_of_names(quiver.graph.workspace(), &named);
    ids.extend(named.into_iter().map(|entity| entity.id));
    if !ids.is_empty() {
        let merges = merges(&quiver.graph, &ids, &Filter::everything()).await;
        for merge in merges.stage(Stage::Recall)? {
            ids.extend(joined(quiver.graph.workspace(), &merge).into_keys());
        }
    }
    Ok(ids.into_iter().collect())
}

/// The entities with exactly this name, and the entities merged with them.
async fn exactly_named(quiver: &Quiver, about: &str) -> Result<Vec<Entity>> {
    let graph = &quiver.graph;
    let lexical = quiver.encoder.analysis();
    let (normal, split) = (name::normalise(about), canonical(lexical, about));
    let names = [normal.clone(), split.clone()];
    let named = graph.entities_named(&names, NAMED_MAX).await.stage(Stage::Forget)?;
    let is_exact = |entity: &&Entity| {
        name::normalise(&entity.name) == normal || canonical(lexical, &entity.name) == split
    };
    let (mut exact, alike): (Vec<&Entity>, Vec<&Entity>) = named.iter().partition(is_exact);
    let quoted = |entities: &[&Entity]| {
        let names: BTreeSet<String> = entities.iter().map(|entity| format!("{:?}", entity.name)).collect();
        names.into_iter().collect::<Vec<_>>().join(" or ")
    };
    let not_found = |what: String| Err(Error::new(ErrorKind::NotFound, Stage::Forget, what));
    if exact.is_empty() {
        let what = format!("nothing is called {about:?}");
        return not_found(match alike.as_slice() {
            [] => what,
            alike => format!("{what}; to forget {}, give that name", quoted(alike)),
        });
    }
    // "Server A" is spelled differently from both "Server-A" and "ServerA".
    let as_written = |name: &str| collapse_spaces(&name.to_lowercase());
    if exact.iter().any(|entity| as_written(&entity.name) == as_written(about)) {
        exact.retain(|entity| as_written(&entity.name) == as_written(about));
    } else if exact.len() > 1 {
        return not_found(format!("{about:?} is ambiguous: {}; give one of these names", quoted(&exact)));
    }
    let mut ids: BTreeSet<EntityId> = exact.iter().map(|entity| entity.id).collect();
    for merge in merges(graph, &ids.clone(), &Filter::everything()).await.stage(Stage::Forget)? {
        ids.extend(joined(graph.workspace(), &merge).into_keys());
    }
    graph.entities(&ids.into_iter().collect::<Vec<_>>()).await.stage(Stage::Forget)
}

/// The turns to forget, the entities if the target is an entity, and the error message if there are no turns.
async fn to_forget(quiver: &Quiver, what: &Forget) -> Result<(Vec<Passage>, Vec<Entity>, String)> {
    let graph = &quiver.graph;
    match what {
        Forget::Session(session) => {
            let turns = graph.all(&filters::of_session(session)).await.stage(Stage::Forget)?;
            Ok((turns, Vec::new(), no_session(session)))
        }
        Forget::Turn(session, number) => {
            let id = PassageId::of_turn(graph.workspace(), session, *number);
            let turns = graph.passages(&[id]).await.stage(Stage::Forget)?;
            Ok((turns, Vec::new(), format!("session {session:?} has no turn {number}")))
        }
        Forget::About(about) => {
            let things = exactly_named(quiver, about).await?;
            let said = filters::mentioning(things.iter().map(|thing| thing.id)).and(filters::in_session());
            let turns = graph.all(&said).await.stage(Stage::Forget)?;
            Ok((turns, things, format!("nothing was said about {about:?}")))
        }
    }
}

pub(super) async fn forget_preview(quiver: &Quiver, what: &Forget) -> Result<ForgetPreview> {
    let (mut turns, things, missing) = to_forget(quiver, what).await?;
    if turns.is_empty() && things.is_empty() {
        return Err(Error::new(ErrorKind::NotFound, Stage::Forget, missing));
    }
    turns.sort_by(|a, b| (a.time, &a.session, a.position).cmp(&(b.time, &b.session, b.position)));
    let shown = |turn: Passage| ForgetTurn {
        session: turn.session.unwrap_or_default(),
        turn: turn.position,
        speaker: turn.speaker,
        text: turn.text,
    };
    let things: BTreeSet<String> = things.into_iter().map(|thing| thing.name).collect();
    Ok(ForgetPreview { things: things.into_iter().collect(), turns: turns.into_iter().map(shown).collect() })
}

pub(super) async fn forget(quiver: &Quiver, what: &Forget) -> Result<Forgotten> {
    let graph = &quiver.graph;
    graph.finish_deletions().await.stage(Stage::Forget)?;
    let (turns, things, missing) = to_forget(quiver, what).await?;
    let mut things: BTreeSet<EntityId> = things.into_iter().map(|thing| thing.id).collect();
    things.extend(turns.iter().flat_map(|turn| &turn.entities));
    let ids: Vec<PassageId> = turns.into_iter().map(|turn| turn.id).collect();
    let mut removed = graph.remove(&ids).await.stage(Stage::Forget)?;
    removed += forget_decisions(graph, &things).await.stage(Stage::Forget)?;
    let session = match what {
        Forget::Session(session) => Some(session.as_str()),
        Forget::Turn(..) | Forget::About(_) => None,
    };
    forget_texts(graph, session, &ids).await.stage(Stage::Forget)?;
    if removed.passages + removed.relations == 0 {
        return Err(Error::new(ErrorKind::NotFound, Stage::Forget, missing));
    }
    Ok(Forgotten { turns: removed.passages, facts: removed.relations, entities: removed.entities })
}

/// Removes the decisions about these entities, if no turn and no other fact mentions the entity any more.
async fn forget_decisions(graph: &Graph, things: &BTreeSet<EntityId>) -> quiver_graph::Result<Removed> {
    let mut idle = left::idle(graph, things).await?;
    for decision in all_decisions(graph, things).await? {
        for end in [decision.subject, decision.object].into_iter().filter(|end| things.contains(end)) {
            let said = filters::touching([end]);
            let others = said.and(Filter::Not(Box::new(merges_and([RENAMED_TO, DELETED, SPLIT_INTO]))));
            if graph.count::<Passage>(&filters::mentioning([end])).await? == 0
                && graph.count::<Relation>(&others).await? == 0
            {
                idle.push(decision.id);
            }
        }
    }
    if idle.is_empty() { Ok(Removed::default()) } else { graph.retract(&idle).await }
}

/// Removes what was forgotten from the texts of splits.
async fn forget_texts(graph: &Graph, session: Option<&str>, turns: &[PassageId]) -> quiver_graph::Result<()> {
    for split in graph.all::<Relation>(&decisions_among([SPLIT_INTO])).await?.into_iter().filter(is_split) {
        let mut texts = SplitTexts::of(&split);
        let had_session = session.is_some_and(|session| texts.sessions.remove(session));
        let passages = texts.passages.len();
        texts.passages.retain(|id| !turns.contains(id));
        if had_session || texts.passages.len() < passages {
            let properties = with_texts(split.properties.clone(), &texts);
            graph.amend(&[split.id], |split| split.properties.clone_from(&properties)).await?;
        }
    }
    Ok(())
}

fn no_session(session: &str) -> String {
    format!("there is no session {session:?}; `quiver sessions` lists them")
}

fn ids(turns: Vec<Passage>) -> Vec<PassageId> {
    turns.into_iter().map(|turn| turn.id).collect()
}

pub(super) async fn sessions(quiver: &Quiver) -> Result<Vec<SessionInfo>> {
    let sessions = quiver.graph.sessions().await.stage(Stage::Administer)?;
    Ok(sessions.into_iter().map(|session| SessionInfo { name: session.name, turns: session.turns }).collect())
}

pub(super) async fn archive(quiver: &Quiver, session: &str, which: Archive) -> Result<usize> {
    let graph = &quiver.graph;
    let mut turns: Vec<Passage> = graph.all(&filters::of_session(session)).await.stage(Stage::Administer)?;
    if turns.is_empty() {
        return Err(Error::new(ErrorKind::NotFound, Stage::Administer, no_session(session)));
    }
    turns.retain(|turn| !is_archived(turn));
    turns.sort_by_key(|turn| std::cmp::Reverse((turn.time, turn.position)));
    let old: Vec<Passage> = match which {
        Archive::Before(moment) => {
            turns.into_iter().filter(|turn| turn.time.is_some_and(|time| time < moment)).collect()
        }
        Archive::KeepLatest(count) => turns.into_iter().skip(count).collect(),
    };
    let archived = old.len();
    let (stating, chatter): (Vec<_>, Vec<_>) = old.into_iter().partition(|turn| !turn.relations.is_empty());
    let input = quiver_models::Input::new(ARCHIVED);
    let encoded = quiver.encoder.encode_documents(&[input]).await.stage(Stage::Administer)?;
    let dense = encoded.into_iter().next().and_then(|encoded| encoded.dense);
    let passages = stating
        .into_iter()
        .map(|mut turn| {
            ARCHIVED.clone_into(&mut turn.text);
            turn.metadata.insert(ARCHIVED.to_owned(), true.into());
            let vectors = Vectors { dense: dense.clone(), ..Vectors::default() };
            Embedded { record: turn, vectors }
        })
        .collect();
    graph.apply(Delta { passages, ..Delta::default() }).await.stage(Stage::Administer)?;
    graph.remove(&ids(chatter)).await.stage(Stage::Administer)?;
    Ok(archived)
}
