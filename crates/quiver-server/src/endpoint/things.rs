//! Entities and passages with their links, for the page's explorer.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::{Path, State};
use quiver::{
    Quiver,
    graph::{Entity, EntityId, Graph, Nearest, Passage, PassageId, Relation, filters, name},
    memory::{Decision, DecisionKind, decisions_about, is_merge, is_split, is_undone},
    store::{Filter, SparseVector, Target},
};
use quiver_forms::{memory::Decided, request::not_blank};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    app::App,
    body::{Asked, Reply, limit_of},
    gate::Caller,
    problem::{Code, Problem},
};

/// Default number of things found, and of links listed per kind.
const LIMIT: usize = 12;
/// Maximum length of a passage's text, in characters.
const CHARACTERS: usize = 4000;
/// Length of the name of a turn, which has no title, in characters.
const NAME_CHARACTERS: usize = 60;

/// A search for entities and passages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ThingsQuery {
    /// Words from the name of an entity, or from the text of a passage.
    #[schemars(regex(pattern = r"\S"))]
    text: String,
    /// The maximum number of results, from 1 to 100. Default: 12.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

/// The options of a list of links.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinksQuery {
    /// The maximum number of links of each kind, from 1 to 1000. Default: 12.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

/// The results of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Things {
    /// Entities whose name is the text or contains one of its words, then passages; each best first.
    things: Vec<Thing>,
}

/// An entity or a passage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Thing {
    id: String,
    kind: ThingKind,
    /// The name of an entity; the title of a passage, or else the first words of a turn or the document.
    name: String,
    /// The description of an entity, if it has one; the text of a passage, cut after 4,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The kind of an entity, such as `person`.
    #[serde(skip_serializing_if = "Option::is_none")]
    sort: Option<String>,
    /// The document of a passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<String>,
    /// The session of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ThingKind {
    Entity,
    Passage,
}

/// An entity or a passage, with its links.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Linked {
    thing: Thing,
    /// The number of links of each kind. `links` has only the first ones.
    counts: Counts,
    links: Vec<Link>,
    /// The decisions that renamed the entity, latest first, including undone ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<Decided>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
struct Counts {
    about: u64,
    relation: u64,
    mention: u64,
}

/// A link to another entity or passage.
#[derive(Debug, Serialize, JsonSchema)]
struct Link {
    kind: LinkKind,
    /// Whether the link leads from the requested thing to the other one.
    is_outgoing: bool,
    /// The predicate of a relation.
    #[serde(skip_serializing_if = "Option::is_none")]
    predicate: Option<String>,
    /// The sentence from which a relation was extracted.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence: Option<String>,
    /// When a relation began to hold, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<i64>,
    /// When a relation ceased to hold, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_to: Option<i64>,
    /// The ID of a merge or split of the two, for undoing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<String>,
    /// Whether that decision has been undone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_undone: bool,
    thing: Thing,
}

/// The meaning of a link: a passage is about an entity, two entities are related, or a passage mentions an entity.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LinkKind {
    About,
    Relation,
    Mention,
}

impl From<&Entity> for Thing {
    fn from(entity: &Entity) -> Self {
        Self {
            id: entity.id.to_string(),
            kind: ThingKind::Entity,
            name: entity.name.clone(),
            text: entity.description.clone(),
            sort: entity.labels.first().or(entity.kind.as_ref()).cloned(),
            document: None,
            session: None,
        }
    }
}

impl From<&Passage> for Thing {
    fn from(passage: &Passage) -> Self {
        Self {
            id: passage.id.to_string(),
            kind: ThingKind::Passage,
            name: name_of(passage),
            text: Some(passage.text.chars().take(CHARACTERS).collect()),
            sort: None,
            document: Some(passage.document.clone()),
            session: passage.session.clone(),
        }
    }
}

fn name_of(passage: &Passage) -> String {
    match (&passage.title, &passage.session) {
        (Some(title), _) => title.clone(),
        (None, Some(_)) => passage.text.chars().take(NAME_CHARACTERS).collect(),
        (None, None) => passage.document.clone(),
    }
}

impl Link {
    fn of(kind: LinkKind, is_outgoing: bool, thing: Thing) -> Self {
        Self {
            kind,
            is_outgoing,
            predicate: None,
            sentence: None,
            valid_from: None,
            valid_to: None,
            decision: None,
            is_undone: false,
            thing,
        }
    }
}

pub(super) async fn find(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<ThingsQuery>,
) -> Result<Reply<Things>, Problem> {
    not_blank("text", &asked.text)?;
    let limit = limit_of(asked.limit, LIMIT, 100)?;
    let place = app.place(&caller.workspace).await?;
    let work = async move { found(&place.quiver, &asked.text, limit).await };
    Ok(Reply(Things { things: app.read(work).await? }))
}

async fn found(quiver: &Quiver, text: &str, limit: usize) -> Result<Vec<Thing>, Problem> {
    let seen = quiver.without_deleted().await?;
    let graph = seen.graph();
    let mut entities = graph.entities_named(&[name::normalise(text)], limit).await.map_err(failed)?;
    let encoded = quiver.encoder().encode_queries_lexically(&[text]).remove(0);
    let search = || Nearest {
        target: Target::Sparse(SparseVector::from_pairs(encoded.terms.iter().copied())),
        among: Filter::everything(),
        limit,
    };
    if encoded.terms.is_empty() {
        return Ok(entities.iter().map(Thing::from).collect());
    }
    let alike = graph.nearest::<Entity>(vec![search()]).await.map_err(failed)?;
    entities.extend(alike.into_iter().flatten().map(|hit| hit.record));
    let mut known = BTreeSet::new();
    entities.retain(|entity| known.insert(entity.id));
    // Both are found by words, so neither may crowd out the other.
    entities.truncate(limit.div_ceil(2));
    let passages = graph.nearest::<Passage>(vec![search()]).await.map_err(failed)?;
    let passages = passages.into_iter().flatten().map(|hit| Thing::from(&hit.record));
    Ok(entities.iter().map(Thing::from).chain(passages).take(limit).collect())
}

pub(super) async fn open(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Asked(asked): Asked<LinksQuery>,
) -> Result<Reply<Linked>, Problem> {
    let limit = limit_of(asked.limit, LIMIT, 1000)?;
    let none =
        || Problem::new(Code::NotFound, "there is no such entity or passage; give an ID from a search");
    let (entity, passage) = (id.parse::<EntityId>(), id.parse::<PassageId>());
    let (Ok(entity), Ok(passage)) = (entity, passage) else { return Err(none().with_place("id")) };
    let place = app.place(&caller.workspace).await?;
    let work = async move {
        let seen = place.quiver.without_deleted().await?;
        let graph = seen.graph();
        if let Some(entity) = graph.entities(&[entity]).await.map_err(failed)?.first() {
            return of_entity(graph, entity, limit).await.map(Some);
        }
        match graph.passages(&[passage]).await.map_err(failed)?.first() {
            Some(passage) => of_passage(graph, passage, limit).await.map(Some),
            None => Ok(None),
        }
    };
    app.read(work).await?.map(Reply).ok_or_else(none)
}

async fn of_entity(graph: &Graph, entity: &Entity, limit: usize) -> Result<Linked, Problem> {
    let about = filters::about([entity.id]);
    let mentioned = filters::mentioning([entity.id]).and(Filter::Not(Box::new(about.clone())));
    let own = decisions_about(entity.id);
    let touching = filters::touching([entity.id]).and(Filter::Not(Box::new(own.clone())));
    let counts = Counts {
        about: graph.count::<Passage>(&about).await.map_err(failed)?,
        relation: graph.count::<Relation>(&touching).await.map_err(failed)?,
        mention: graph.count::<Passage>(&mentioned).await.map_err(failed)?,
    };
    let mut links = Vec::new();
    let passages: Vec<Passage> = graph.list(about, limit).await.map_err(failed)?;
    links.extend(passages.iter().map(|passage| Link::of(LinkKind::About, false, passage.into())));
    let relations: Vec<Relation> = graph.list(touching, limit).await.map_err(failed)?;
    links.extend(related(graph, entity.id, relations).await?);
    let passages: Vec<Passage> = graph.list(mentioned, limit).await.map_err(failed)?;
    links.extend(passages.iter().map(|passage| Link::of(LinkKind::Mention, false, passage.into())));
    let own: Vec<Relation> = graph.list(own, limit).await.map_err(failed)?;
    let mut own: Vec<Decision> = own.iter().filter_map(Decision::of).collect();
    own.retain(|decision| decision.kind == DecisionKind::Rename);
    own.sort_by_key(|decision| (std::cmp::Reverse(decision.decided_at), decision.id));
    let decisions = own.iter().map(Decided::of).collect();
    Ok(Linked { thing: entity.into(), counts, links, decisions })
}

/// Returns the links from an entity to others by its relations.
async fn related(graph: &Graph, of: EntityId, relations: Vec<Relation>) -> Result<Vec<Link>, Problem> {
    let other = |relation: &Relation| if relation.subject == of { relation.object } else { relation.subject };
    let ids: BTreeSet<EntityId> = relations.iter().map(other).collect();
    let others = graph.entities(&ids.into_iter().collect::<Vec<_>>()).await.map_err(failed)?;
    let others: BTreeMap<EntityId, &Entity> = others.iter().map(|entity| (entity.id, entity)).collect();
    let link = |relation: Relation| {
        let thing = Thing::from(*others.get(&other(&relation))?);
        Some(Link {
            decision: (is_merge(&relation) || is_split(&relation)).then(|| relation.id.to_string()),
            is_undone: is_undone(&relation),
            predicate: Some(relation.predicate),
            sentence: Some(relation.text),
            valid_from: relation.valid_from,
            valid_to: relation.valid_to,
            ..Link::of(LinkKind::Relation, relation.subject == of, thing)
        })
    };
    Ok(relations.into_iter().filter_map(link).collect())
}

async fn of_passage(graph: &Graph, passage: &Passage, limit: usize) -> Result<Linked, Problem> {
    let mut subjects = passage.subjects.clone();
    subjects.retain(|id| !graph.hides(*id));
    let mut mentions = passage.entities.clone();
    mentions.retain(|id| !passage.subjects.contains(id) && !graph.hides(*id));
    let counts = Counts { about: subjects.len() as u64, relation: 0, mention: mentions.len() as u64 };
    let mut links = Vec::new();
    for (kind, ids) in [(LinkKind::About, &subjects), (LinkKind::Mention, &mentions)] {
        let entities = graph.entities(&ids[..ids.len().min(limit)]).await.map_err(failed)?;
        links.extend(entities.iter().map(|entity| Link::of(kind, true, entity.into())));
    }
    Ok(Linked { thing: passage.into(), counts, links, decisions: Vec::new() })
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn failed(error: quiver::store::Error) -> Problem {
    tracing::error!("the graph can't be read: {error}");
    Problem::new(Code::Unavailable, "reading the graph failed; the server's log says why").retry_after(1)
}
