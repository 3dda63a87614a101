//! The second room: a query becomes seeds.

use std::collections::{BTreeMap, HashMap};

use quiver_graph::{
    Entity, EntityId, Graph, Hit, Nearest, Passage, PassageId, Record, Relation, RelationId, among,
};
use quiver_store::{Filter, Target};

use crate::{
    Result,
    engine::Engine,
    error::{In, Room},
    expand::{about, mentioning},
    pool::Pool,
    question::{Link, Query, Seeds},
};

/// How many entities of the names in a question are read at the most.
const LINKED_LIMIT: usize = 64;
/// How many of the nearest relations lead to the passages that support them.
const SENTENCES_LIMIT: usize = 20;
/// How much of a fused score the dense vector gives, where there is one.
const DENSE_SHARE: f32 = 0.5;

/// Finds the entities that the question names, the passages nearest to it, those whose sentences are, and those that
/// are about or mention what it names.
pub(crate) async fn search(engine: Engine<'_>, mut query: Query) -> Result<Seeds> {
    let graph = engine.graph;
    let limit = query.question.options.seeds_limit;
    let names: Vec<String> = query.names.iter().map(|span| span.normalised.clone()).collect();
    let relations_among = match query.question.options.valid_at {
        Some(moment) => among::valid_at(moment),
        None => Filter::everything(),
    };
    let (entities, passages, relations) = tokio::try_join!(
        graph.entities_named(&names, LINKED_LIMIT),
        nearest::<Passage>(graph, &query, Filter::everything(), limit),
        nearest::<Relation>(graph, &query, relations_among, limit),
    )
    .room(Room::Search)?;
    query.linked = link(&query, entities);
    query.asked = asked(&query);
    let named: Vec<EntityId> = query.linked.iter().map(|link| link.entity.id).collect();
    let named_once = named.iter().copied().collect();
    let sentences = among::supporting(relations.iter().take(SENTENCES_LIMIT).map(|hit| hit.record.id));
    let (supporting, about, mentioning) = tokio::try_join!(
        async { graph.list::<Passage>(sentences, limit).await.room(Room::Search) },
        about(engine, &query, &named, limit),
        mentioning(engine, &query, &named_once, limit),
    )?;
    let mut lines: Vec<String> = query
        .linked
        .iter()
        .map(|link| {
            let share = query.bits.share(link.words) * 100.0;
            format!("the question names {:?}, {share:.0} % of what it says", link.entity.name)
        })
        .collect();
    lines.push(format!(
        "passages: {} by plain search, {} by their sentences, {} about and {} mentioning what is named",
        passages.len(),
        supporting.len(),
        about.len(),
        mentioning.len()
    ));
    let mut pool = Pool::default();
    for hit in passages {
        engine.enter(&mut pool, &query, hit.record).plain = hit.score;
    }
    for passage in supporting.into_iter().chain(about.into_iter().chain(mentioning).map(|hit| hit.record)) {
        engine.enter(&mut pool, &query, passage);
    }
    query.trace.end(Room::Search, lines);
    Ok(Seeds { query, pool })
}

/// What a record's vectors are compared with: the words, and the meaning where there is a model.
pub(crate) fn targets(query: &Query) -> Vec<Target> {
    let mut targets = Vec::new();
    if !query.sparse.is_empty() {
        targets.push(Target::Sparse(query.sparse.clone()));
    }
    if let Some(dense) = &query.dense {
        targets.push(Target::Dense(dense.clone()));
    }
    targets
}

/// Plain search: the nearest records by words and by meaning, fused.
pub(crate) async fn nearest<T: Identified>(
    graph: &Graph,
    query: &Query,
    among: Filter,
    limit: usize,
) -> quiver_graph::Result<Vec<Hit<T>>> {
    let searches: Vec<_> =
        targets(query).into_iter().map(|target| Nearest { target, among: among.clone(), limit }).collect();
    let has_sparse = !query.sparse.is_empty();
    let mut lists = graph.nearest::<T>(searches).await?.into_iter();
    let sparse = if has_sparse { lists.next().unwrap_or_default() } else { Vec::new() };
    let dense = lists.next().unwrap_or_default();
    Ok(fuse(sparse, dense))
}

/// A record whose id can be compared.
pub(crate) trait Identified: Record {
    type Id: Ord + std::hash::Hash + Copy;
    fn id(&self) -> Self::Id;
}

impl Identified for Passage {
    type Id = PassageId;
    fn id(&self) -> PassageId {
        self.id
    }
}

impl Identified for Relation {
    type Id = RelationId;
    fn id(&self) -> RelationId {
        self.id
    }
}

/// Fuses two lists of results: each score relative to its list's best, the two weighed, best first, ties by id.
///
/// A linear combination of normalised scores does better than reciprocal ranks (Bruch et al., 2023,
/// arXiv 2210.11934). A record that one list misses counts there as that list's worst.
pub(crate) fn fuse<T: Identified>(sparse: Vec<Hit<T>>, dense: Vec<Hit<T>>) -> Vec<Hit<T>> {
    let share = match (sparse.is_empty(), dense.is_empty()) {
        (_, true) => 0.0,
        (true, false) => 1.0,
        (false, false) => DENSE_SHARE,
    };
    let mut found: BTreeMap<T::Id, (T, [Option<f32>; 2])> = BTreeMap::new();
    let mut worst = [0.0; 2];
    for (list, hits) in [sparse, dense].into_iter().enumerate() {
        let best = hits.first().map_or(1.0, |hit| hit.score).max(f32::MIN_POSITIVE);
        for hit in hits {
            let score = (hit.score / best).clamp(0.0, 1.0);
            worst[list] = score;
            found.entry(hit.record.id()).or_insert((hit.record, [None; 2])).1[list] = Some(score);
        }
    }
    let mut fused: Vec<_> = found
        .into_values()
        .map(|(record, [sparse, dense])| {
            let (sparse, dense) = (sparse.unwrap_or(worst[0]), dense.unwrap_or(worst[1]));
            Hit { score: (1.0 - share) * sparse + share * dense, record }
        })
        .collect();
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.record.id().cmp(&b.record.id())));
    fused
}

/// The words of the question that belong to no name, as bits; all where there are no others.
fn asked(query: &Query) -> u128 {
    let names = query.linked.iter().filter(|link| link.is_name).fold(0, |words, link| words | link.words);
    if query.bits.weight(!names) > 0.0 { !names } else { u128::MAX }
}

/// The entities that the question names, the longest names first: a name within a longer one that is known counts
/// only where it stands elsewhere too.
fn link(query: &Query, entities: Vec<Entity>) -> Vec<Link> {
    let mut by_name: HashMap<String, Vec<Entity>> = HashMap::new();
    for entity in entities {
        for name in entity.names() {
            by_name.entry(name).or_default().push(entity.clone());
        }
    }
    let words = query.names.iter().map(|span| span.words.1).max().unwrap_or(1);
    let mut taken = vec![false; words];
    let mut linked: Vec<Link> = Vec::new();
    for span in &query.names {
        let Some(entities) = by_name.get(&span.normalised) else { continue };
        let (start, end) = span.words;
        if taken[start..end].iter().all(|&taken| taken) {
            continue;
        }
        taken[start..end].fill(true);
        for entity in entities {
            if !linked.iter().any(|known| known.entity.id == entity.id) {
                linked.push(Link { entity: entity.clone(), is_name: span.is_name, words: span.bits });
            }
        }
    }
    linked
}
