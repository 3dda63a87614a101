//! The search stage: from a query to seeds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quiver_graph::{
    Entity, EntityId, Nearest, Passage, PassageId, Relation, RelationId, conversation, filters,
};
use quiver_store::{Filter, Target};
use tracing::{Span, instrument};

use crate::{
    Result,
    engine::Engine,
    error::{In, Stage},
    meaning::choices,
    memory::same_as,
    options::AskOptions,
    pool::{Pool, Seeds},
    question::{Link, NameSpan, Query, Question},
    understand::understand,
};

/// Maximum number of entities read for the names in a question.
const LINKED_LIMIT: usize = 64;
/// Number of nearest relations whose supporting passages become seeds.
const SENTENCES_LIMIT: usize = 20;
/// Maximum number of other entities that count for a name because they are the same.
const SAME_MAX: usize = 16;
/// Weight of the dense score in a fused score, if there is one.
const DENSE_SHARE: f32 = 0.5;

/// Finds the seeds: the passages nearest to the question, those that support the nearest relations, and those that
/// are about or mention an entity that the question names.
#[instrument(
    target = "quiver::stage",
    skip_all,
    fields(named, plain, supporting, about, mentioning, candidates)
)]
pub(crate) async fn search(engine: Engine<'_>, mut query: Query) -> Result<Seeds> {
    let graph = engine.graph;
    let limit = query.question.options.seeds_limit;
    let names: Vec<String> = query.names.iter().map(|span| span.normalised.clone()).collect();
    let relations_among = match query.question.options.as_of {
        Some(moment) => filters::valid_at(moment),
        None => Filter::everything(),
    };
    let relations_among =
        query.apart.iter().fold(relations_among, |among, apart| among.and(apart.relations()));
    query.may_be_same = query.question.options.merges && engine.standing.may_be_same;
    let (entities, passages, relations) = tokio::try_join!(
        async { Ok(graph.entities_named(&names, LINKED_LIMIT).await.stage(Stage::Search)) },
        nearest(engine, &query, vec![(documents(Filter::everything()), limit)]),
        async { Ok(nearest_by_words(engine, &query, relations_among, limit).await) },
    )?;
    // Plain search can answer alone. If a graph search fails, the trace records what is missing.
    let mut missing = Vec::new();
    let entities = or_nothing(entities, "the entities named in the question", &mut missing);
    let relations = or_nothing(relations, "the nearest relations", &mut missing);
    query.linked = link(&query, entities);
    let is_apart = |link: &Link| query.apart.iter().any(|apart| apart.others.contains(&link.entity.id));
    query.linked.retain(|link| !is_apart(link));
    let same = or_nothing(same_links(engine, &query).await, "the merges of entities", &mut missing);
    query.linked.extend(same);
    query.asked = asked(&query);
    if query.question.options.explain {
        query.choices = or_nothing(choices(engine, &query).await, "the meanings of the names", &mut missing);
    }
    let named: Vec<EntityId> = query.linked.iter().map(|link| link.entity.id).collect();
    let pinned: Vec<EntityId> = query.pinned.iter().map(|entity| entity.id).collect();
    let sentences = relations.into_iter().take(SENTENCES_LIMIT);
    let mut near_wanted = vec![
        (filters::about(named.iter().copied()), limit),
        (documents(filters::mentioning(named.iter().copied())), limit),
    ];
    if !pinned.is_empty() {
        near_wanted.push((filters::about(pinned.iter().copied()), limit));
        near_wanted.push((documents(filters::mentioning(pinned.iter().copied())), limit));
    }
    let near_count = near_wanted.len();
    let by_graph = tokio::try_join!(
        listed(engine, &query, filters::supporting(sentences), limit),
        listed(engine, &query, filters::about(named.iter().copied()), limit),
        nearest(engine, &query, near_wanted),
        async {
            // Some share no word with the question.
            let about = filters::about(pinned.iter().copied());
            if pinned.is_empty() { Ok(Vec::new()) } else { listed(engine, &query, about, limit).await }
        },
    );
    let (supporting, about, mut near_named, about_pinned) =
        or_nothing(by_graph, "the passages about the named entities", &mut missing);
    near_named.resize(near_count, Vec::new());
    missing.into_iter().for_each(|what| query.trace.degrade(what));
    let mut lines: Vec<String> = query
        .linked
        .iter()
        .map(|link| {
            let name = &link.entity.name;
            if let Some(named) = &link.same_as {
                return format!("{name:?} is the same as {named:?}, by decision");
            }
            let share = query.bits.share(link.words).abs() * 100.0;
            format!("the question names {name:?}, {share:.0} % of its weight")
        })
        .collect();
    Span::current()
        .record("named", query.linked.len())
        .record("plain", passages[0].len())
        .record("supporting", supporting.len())
        .record("about", about.len())
        .record("mentioning", near_named[1].len());
    lines.push(format!(
        "passages: {} by plain search, {} by their sentences, {} about and {} mentioning named entities",
        passages[0].len(),
        supporting.len(),
        about.len(),
        near_named[1].len()
    ));
    lines.extend(restrictions(&query));
    let mut pool = Pool::default();
    let near = passages.iter().chain(&near_named).flatten().map(|&(id, _)| id);
    let found = near.chain(supporting).chain(about).chain(about_pinned).collect();
    engine.read_new(&mut pool, &query, found).await.stage(Stage::Search)?;
    for &(id, score) in &passages[0] {
        if let Some(candidate) = pool.candidates.get_mut(&id) {
            candidate.plain = score;
        }
    }
    Span::current().record("candidates", pool.candidates.len());
    query.trace.end(Stage::Search, lines);
    Ok(Seeds { query, pool })
}

/// Returns the result, or the default if the call failed; a failure is noted in `missing`.
fn or_nothing<T: Default>(found: Result<T>, what: &str, missing: &mut Vec<String>) -> T {
    found.unwrap_or_else(|error| {
        missing.push(format!("{what} are missing: {error}"));
        T::default()
    })
}

/// Restricts a filter to passages of documents. Conversation turns are never used to answer a question on documents.
pub(crate) fn documents(among: Filter) -> Filter {
    among.and(conversation::others())
}

/// Returns the search targets: the sparse vector, and the dense vector if there is an embedder.
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

/// For each filter, finds the nearest allowed passages by sparse and dense vectors and fuses the two lists; one round
/// trip in all.
pub(crate) async fn nearest(
    engine: Engine<'_>,
    query: &Query,
    wanted: Vec<(Filter, usize)>,
) -> Result<Vec<Vec<(PassageId, f32)>>> {
    let targets = targets(query);
    let is_sparse = !query.sparse.is_empty();
    let searches: Vec<Nearest> = wanted
        .iter()
        .flat_map(|(among, limit)| {
            let among = query.allowed(among.clone());
            let search = move |target: &Target| Nearest {
                target: target.clone(),
                among: among.clone(),
                limit: *limit,
            };
            targets.iter().map(search)
        })
        .collect();
    let mut lists = engine.graph.nearest_ids::<Passage>(searches).await.stage(Stage::Search)?.into_iter();
    let mut fused = Vec::with_capacity(wanted.len());
    for _ in wanted {
        let sparse = if is_sparse { lists.next().unwrap_or_default() } else { Vec::new() };
        let dense = if query.dense.is_some() { lists.next().unwrap_or_default() } else { Vec::new() };
        fused.push(fuse(sparse, dense));
    }
    Ok(fused)
}

/// Finds the passages of documents that are nearest to a text by plain search, each with its score from 0 to 1, best
/// first. With a moment, leaves out those written later.
pub(crate) async fn nearest_passages(
    engine: Engine<'_>,
    text: &str,
    limit: usize,
    as_of: Option<i64>,
) -> Result<Vec<(PassageId, f32)>> {
    let options = AskOptions { as_of, ..AskOptions::default() };
    let query = understand(engine, Question::new(text).with_options(options)).await?;
    let wanted = vec![(documents(Filter::everything()), limit)];
    let mut found = nearest(engine, &query, wanted).await?;
    let mut found = found.pop().unwrap_or_default();
    found.truncate(limit);
    Ok(found)
}

/// Finds the relations whose texts share the most with the question, by sparse vectors only: dated facts, and those
/// that a caller created. All other relations are found with their passages.
async fn nearest_by_words(
    engine: Engine<'_>,
    query: &Query,
    among: Filter,
    limit: usize,
) -> Result<Vec<RelationId>> {
    if query.sparse.is_empty() {
        return Ok(Vec::new());
    }
    let search = Nearest { target: Target::Sparse(query.sparse_of_either()), among, limit };
    let found = engine.graph.nearest_ids::<Relation>(vec![search]).await.stage(Stage::Search)?;
    Ok(found.into_iter().flatten().map(|(id, _)| id).collect())
}

/// Returns the first allowed passages that pass a filter, whether or not they share a word with the question.
pub(crate) async fn listed(
    engine: Engine<'_>,
    query: &Query,
    among: Filter,
    limit: usize,
) -> Result<Vec<PassageId>> {
    engine.graph.list_ids::<Passage>(query.allowed(among), limit).await.stage(Stage::Search)
}

/// Describes what is not searched.
fn restrictions(query: &Query) -> Vec<String> {
    let options = &query.question.options;
    let mut lines = Vec::new();
    if !options.documents.is_empty() {
        lines.push(format!("searched only {} documents, as requested", options.documents.len()));
    }
    if !options.filter.is_empty() {
        lines.push("searched only documents that pass the filter, as requested".to_owned());
    }
    if !options.without.is_empty() {
        lines.push(format!("excluded {} passages, as requested", options.without.len()));
    }
    for chosen in &query.meanings {
        let (words, name) = (&chosen.words, &chosen.entity.name);
        lines.push(if chosen.is_split {
            format!("{name:?} is called {:?} in texts, by decision", chosen.normalised)
        } else {
            format!("{words:?} means {name:?}, as chosen")
        });
    }
    for entity in &query.pinned {
        lines.push(format!("also starting from {:?}, as requested", entity.name));
    }
    for apart in &query.apart {
        let others = apart.other_names.join(", ");
        lines.push(format!("excluded passages about only {others}, which a decision split off"));
    }
    if options.as_of.is_some() {
        lines.push("excluded passages written after the requested moment".to_owned());
    }
    lines
}

/// Fuses two result lists by a weighted sum of scores, each relative to its list's best. Sorted best first; ties by
/// ID.
///
/// A linear combination of normalised scores does better than reciprocal ranks (Bruch et al., 2023, arXiv
/// 2210.11934). A record missing from one list counts there with that list's worst score.
pub(crate) fn fuse<Id: Copy + Ord>(sparse: Vec<(Id, f32)>, dense: Vec<(Id, f32)>) -> Vec<(Id, f32)> {
    let share = match (sparse.is_empty(), dense.is_empty()) {
        (_, true) => 0.0,
        (true, false) => 1.0,
        (false, false) => DENSE_SHARE,
    };
    let mut found: BTreeMap<Id, [Option<f32>; 2]> = BTreeMap::new();
    let mut worst = [0.0; 2];
    for (list, hits) in [sparse, dense].into_iter().enumerate() {
        let best = hits.first().map_or(1.0, |hit| hit.1).max(f32::MIN_POSITIVE);
        for (id, score) in hits {
            let score = (score / best).clamp(0.0, 1.0);
            worst[list] = score;
            found.entry(id).or_insert([None; 2])[list] = Some(score);
        }
    }
    let mut fused: Vec<(Id, f32)> = found
        .into_iter()
        .map(|(id, [sparse, dense])| {
            let (sparse, dense) = (sparse.unwrap_or(worst[0]), dense.unwrap_or(worst[1]));
            (id, (1.0 - share) * sparse + share * dense)
        })
        .collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fused
}

/// Links the names of the question to entities that decisions make the same as those they are linked to.
async fn same_links(engine: Engine<'_>, query: &Query) -> Result<Vec<Link>> {
    let ids: BTreeSet<EntityId> = query.linked.iter().map(|link| link.entity.id).collect();
    if !query.may_be_same || ids.is_empty() {
        return Ok(Vec::new());
    }
    let same = same_as(engine.graph, &engine.standing.joins, ids.clone()).await.stage(Stage::Search)?;
    let mut links = Vec::new();
    for link in &query.linked {
        let others = same.others(link.entity.id).filter(|(id, _)| !ids.contains(id));
        links.extend(others.take(SAME_MAX).map(|(id, name)| Link {
            entity: Entity { id, ..Entity::named(engine.graph.workspace(), None, name) },
            same_as: Some(link.entity.name.clone()),
            ..link.clone()
        }));
    }
    Ok(links)
}

/// Returns the question terms that belong to no name, as a bit set; all bits if there are none.
fn asked(query: &Query) -> u128 {
    let names = query.linked.iter().filter(|link| link.is_name).fold(0, |words, link| words | link.words);
    if query.bits.weight(!names) > 0.0 { !names } else { u128::MAX }
}

/// Links the question's names to entities: first those whose meaning was chosen, then the longest names. A name inside
/// a longer known name counts only if it also occurs elsewhere.
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
    let of = |entity: &Entity, is_name: bool, span: &NameSpan| Link {
        entity: entity.clone(),
        is_name,
        span: span.words,
        words: span.bits,
        same_as: None,
    };
    for chosen in &query.meanings {
        let Some(span) = query.names.iter().find(|span| span.normalised == chosen.normalised) else {
            continue;
        };
        taken[span.words.0..span.words.1].fill(true);
        linked.push(of(&chosen.entity, true, span));
    }
    let chosen = taken.clone();
    for span in &query.names {
        let Some(entities) = by_name.get(&span.normalised) else { continue };
        let (start, end) = span.words;
        if taken[start..end].iter().all(|&taken| taken) || chosen[start..end].contains(&true) {
            continue;
        }
        taken[start..end].fill(true);
        for entity in entities {
            if !linked.iter().any(|known| known.entity.id == entity.id) {
                linked.push(of(entity, span.is_name, span));
            }
        }
    }
    linked
}
