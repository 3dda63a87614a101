//! The third room: from the seeds by ids to whatever the answer may rest on.
//!
//! Two kinds of hop are made side by side. *Passages* lead to passages: one mentions what the other is about. What a
//! passage mentions is looked up by the ids that its runs of words would have as names, so a link needs no agreement
//! at indexing time on what is a name, and does not depend on the order in which documents came. *Relations* lead
//! from entity to entity and are the graph's own expansion.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use quiver_graph::{
    Edge, EntityId, ExpandOptions, Graph, Hit, Passage, PassageId, RelationId, Subgraph, Workspace, among,
};
use quiver_models::Lexical;

use crate::{
    Result,
    error::{In, Room},
    extract::sentences,
    question::{Candidate, Query, Reach, Route, Seeds, Step},
    search::{nearest, targets},
    understand,
};

/// The longest run of words that is looked up as a name: with a capital or a digit in it, and without.
const NAME_WORDS_MAX: usize = 8;
const PLAIN_NAME_WORDS_MAX: usize = 3;
/// No more of a passage's words than this are looked up.
const WORDS_MAX: usize = 320;
/// How many of the entities that relations reached lead to passages.
const LANDINGS_LIMIT: usize = 48;
/// How much of its score an entity passes along a relation that shares no word with the question.
const STRENGTH_FLOOR: f32 = 0.3;

/// Follows ids from the seeds, within the budgets.
pub(crate) async fn expand(graph: &Graph, lexical: &Lexical, seeds: Seeds) -> Result<Reach> {
    let Seeds { mut query, linked, passages, relations } = seeds;
    let started = Instant::now();
    let mut lines = Vec::new();
    let mut reach: BTreeMap<PassageId, Candidate> = BTreeMap::new();
    for hit in &passages {
        enter(&mut reach, hit.clone());
    }
    let named: Vec<EntityId> = linked.iter().map(|(entity, _)| entity.id).collect();
    let limit = query.question.options.hop_limit;
    if !named.is_empty() {
        let about = about(graph, &query, &named, limit).await?;
        lines.push(format!("hop 0: {} passages about what the question names", about.len()));
        for hit in about {
            let entity = linked.iter().find(|(entity, _)| hit.record.subjects.contains(&entity.id));
            let name = entity.map(|(entity, _)| entity.name.clone()).unwrap_or_default();
            let id = hit.record.id;
            enter(&mut reach, hit).routes.push(Route { from: id, step: Step::Named { entity: name } });
        }
    }
    let subgraph = expand_relations(graph, &query, &linked, &passages, &relations, &mut lines).await?;
    let mut names = HashMap::new();
    land(graph, &query, &subgraph, &mut reach, &mut names, &mut lines).await?;

    let mut done: BTreeSet<PassageId> = BTreeSet::new();
    for hop in 1..=query.question.options.hops_max {
        if started.elapsed() > query.question.options.time_max {
            lines.push(format!("hop {hop}: not made, time ran out"));
            break;
        }
        let (frontier, cut) = frontier(&reach, &done, query.question.options.frontier_limit);
        if frontier.is_empty() {
            break;
        }
        done.extend(frontier.iter().copied());
        let found = hop_passages(graph, lexical, &query, &frontier, &mut reach).await?;
        lines.push(format!(
            "hop {hop}: from {} passages ({cut} left out) to {found} links, {} passages in all",
            frontier.len(),
            reach.len()
        ));
    }
    query.trace.end(Room::Expand, lines);
    Ok(Reach { query, linked, passages: reach, subgraph, names })
}

/// Puts a passage among the candidates, or finds it there.
fn enter(reach: &mut BTreeMap<PassageId, Candidate>, hit: Hit<Passage>) -> &mut Candidate {
    let candidate = reach.entry(hit.record.id).or_insert_with(|| Candidate {
        passage: hit.record,
        plain: 0.0,
        routes: Vec::new(),
    });
    candidate.plain = candidate.plain.max(hit.score);
    candidate
}

/// Passages about these entities: the nearest, and some that share no word with the question. Their plain score is
/// relative to the nearest one of them, so it says nothing of other passages and is left out.
async fn about(
    graph: &Graph,
    query: &Query,
    entities: &[EntityId],
    limit: usize,
) -> Result<Vec<Hit<Passage>>> {
    let filter = among::about(entities.iter().copied());
    let (ranked, listed) = tokio::try_join!(
        nearest::<Passage>(graph, query, filter.clone(), limit),
        graph.list::<Passage>(filter.clone(), limit)
    )
    .room(Room::Expand)?;
    let mut hits: BTreeMap<PassageId, Hit<Passage>> = BTreeMap::new();
    for record in ranked.into_iter().map(|hit| hit.record).chain(listed) {
        hits.entry(record.id).or_insert(Hit { score: 0.0, record });
    }
    Ok(hits.into_values().collect())
}

/// The graph's own expansion, from what the question names, the ends of the nearest relations and the subjects of
/// the nearest passages.
async fn expand_relations(
    graph: &Graph,
    query: &Query,
    linked: &[(quiver_graph::Entity, f32)],
    passages: &[Hit<Passage>],
    relations: &[Hit<quiver_graph::Relation>],
    lines: &mut Vec<String>,
) -> Result<Subgraph> {
    let options = &query.question.options;
    let mut seeds: Vec<(EntityId, f32)> = linked.iter().map(|(entity, _)| (entity.id, 1.0)).collect();
    for hit in relations.iter().take(options.frontier_limit) {
        seeds.extend([(hit.record.subject, 0.7 * hit.score), (hit.record.object, 0.7 * hit.score)]);
    }
    for hit in passages.iter().take(options.frontier_limit) {
        seeds.extend(hit.record.subjects.iter().map(|&subject| (subject, 0.7 * hit.score)));
    }
    let expansion = ExpandOptions {
        hops_max: options.hops_max.min(2),
        frontier_limit: options.frontier_limit * 2,
        relations_limit: options.hop_limit,
        time_max: options.time_max,
        valid_at: options.valid_at,
        ..ExpandOptions::default()
    };
    let full: f32 = query.terms.iter().map(|term| term.weight).sum::<f32>().max(f32::MIN_POSITIVE);
    let targets = targets(query);
    let strength = |edge: &Edge| {
        let sparse = edge.scores.first().copied().flatten().unwrap_or(0.0) / full;
        STRENGTH_FLOOR + (0.95 - STRENGTH_FLOOR) * sparse.clamp(0.0, 1.0)
    };
    let subgraph =
        quiver_graph::expand(graph, &seeds, &targets, &expansion, strength).await.room(Room::Expand)?;
    for (hop, report) in subgraph.hops.iter().enumerate() {
        lines.push(format!(
            "relations, hop {}: from {} entities ({} left out) by {} relations{} to {} entities",
            hop + 1,
            report.entities_asked,
            report.entities_cut,
            report.relations_found,
            if report.relations_cut { " (cut at the limit)" } else { "" },
            report.entities_reached
        ));
    }
    Ok(subgraph)
}

/// Where the relations lead: to the passages about the best entities reached, and to those that support the way.
async fn land(
    graph: &Graph,
    query: &Query,
    subgraph: &Subgraph,
    reach: &mut BTreeMap<PassageId, Candidate>,
    names: &mut HashMap<EntityId, String>,
    lines: &mut Vec<String>,
) -> Result<()> {
    let mut reached: Vec<_> =
        subgraph.entities.iter().filter(|(_, reached)| reached.parent.is_some()).collect();
    reached.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(b.0)));
    reached.truncate(LANDINGS_LIMIT);
    if reached.is_empty() {
        return Ok(());
    }
    let entities: Vec<EntityId> = reached.iter().map(|(id, _)| **id).collect();
    let relations: BTreeSet<RelationId> =
        reached.iter().filter_map(|(_, reached)| reached.parent.map(|(_, relation)| relation)).collect();
    let limit = query.question.options.hop_limit;
    let ends: BTreeSet<EntityId> = relations
        .iter()
        .filter_map(|id| subgraph.relations.get(id))
        .flat_map(|edge| [edge.relation.subject, edge.relation.object])
        .collect();
    let ends: Vec<_> = ends.into_iter().collect();
    let (about, supporting, named) = tokio::try_join!(
        graph.list::<Passage>(among::about(entities.iter().copied()), limit),
        graph.list::<Passage>(among::supporting(relations.iter().copied()), limit),
        graph.names_of(&ends),
    )
    .room(Room::Expand)?;
    names.extend(named);
    let before = reach.len();
    // The passage that supports a relation leads to what the relation leads to.
    let mut supporters: BTreeMap<RelationId, Vec<PassageId>> = BTreeMap::new();
    for passage in supporting {
        for relation in passage.relations.iter().filter(|id| relations.contains(id)) {
            supporters.entry(*relation).or_default().push(passage.id);
        }
        enter(reach, Hit { score: 0.0, record: passage });
    }
    for passage in about {
        let subjects = passage.subjects.clone();
        let id = passage.id;
        let candidate = enter(reach, Hit { score: 0.0, record: passage });
        for subject in subjects {
            let Some((_, relation)) = subgraph.entities.get(&subject).and_then(|reached| reached.parent)
            else {
                continue;
            };
            let Some(edge) = subgraph.relations.get(&relation) else { continue };
            let name = |id| names.get(&id).cloned().unwrap_or_default();
            let step = Step::Relation {
                subject: name(edge.relation.subject),
                predicate: edge.relation.predicate.clone(),
                object: name(edge.relation.object),
                id: relation,
            };
            for &from in supporters.get(&relation).into_iter().flatten().filter(|&&from| from != id) {
                candidate.routes.push(Route { from, step: step.clone() });
            }
        }
    }
    lines.push(format!("relations lead to {} passages more", reach.len() - before));
    Ok(())
}

/// The best candidates that no hop started from yet, and how many more there are.
fn frontier(
    reach: &BTreeMap<PassageId, Candidate>,
    done: &BTreeSet<PassageId>,
    limit: usize,
) -> (Vec<PassageId>, usize) {
    let promise = |candidate: &Candidate| {
        let is_named = candidate.routes.iter().any(|route| matches!(route.step, Step::Named { .. }));
        let is_linked = !candidate.routes.is_empty();
        candidate.plain + if is_named { 0.5 } else { 0.0 } + if is_linked { 0.25 } else { 0.0 }
    };
    let mut open: Vec<_> = reach.values().filter(|candidate| !done.contains(&candidate.passage.id)).collect();
    open.sort_by(|a, b| promise(b).total_cmp(&promise(a)).then(a.passage.id.cmp(&b.passage.id)));
    let cut = open.len().saturating_sub(limit);
    (open.into_iter().take(limit).map(|candidate| candidate.passage.id).collect(), cut)
}

/// One hop from passages to what they mention and to what mentions them; answers how many links were found.
async fn hop_passages(
    graph: &Graph,
    lexical: &Lexical,
    query: &Query,
    frontier: &[PassageId],
    reach: &mut BTreeMap<PassageId, Candidate>,
) -> Result<usize> {
    let mut mentions: HashMap<EntityId, Vec<(PassageId, usize)>> = HashMap::new();
    let mut spans: HashMap<PassageId, Vec<Span>> = HashMap::new();
    for &id in frontier {
        let found = name_spans(lexical, graph.workspace(), &reach[&id].passage.text);
        for (index, span) in found.iter().enumerate() {
            mentions.entry(span.entity).or_default().push((id, index));
        }
        spans.insert(id, found);
    }
    let mut asked: Vec<EntityId> = mentions.keys().copied().collect();
    asked.sort();
    let limit = query.question.options.hop_limit;
    let subjects: BTreeSet<EntityId> =
        frontier.iter().flat_map(|id| reach[id].passage.subjects.iter().copied()).collect();
    let (hits, back) =
        tokio::try_join!(about(graph, query, &asked, limit), mentioning(graph, query, &subjects, limit / 4))?;
    let known: BTreeSet<EntityId> = hits.iter().flat_map(|hit| hit.record.subjects.iter().copied()).collect();
    for found in spans.values_mut() {
        keep_longest(found, &known);
    }
    let mut links = 0;
    for hit in hits {
        let to = hit.record.id;
        let subjects = hit.record.subjects.clone();
        let mut routes = Vec::new();
        for subject in subjects {
            for &(from, index) in mentions.get(&subject).into_iter().flatten() {
                let span = &spans[&from][index];
                if from != to && span.is_kept && !routes.iter().any(|route: &Route| route.from == from) {
                    let text = &reach[&from].passage.text;
                    let step = Step::Mention {
                        entity: text[span.range.clone()].to_owned(),
                        sentence: text[span.sentence.clone()].trim().to_owned(),
                    };
                    routes.push(Route { from, step });
                }
            }
        }
        if !routes.is_empty() {
            links += routes.len();
            enter(reach, hit).routes.extend(routes);
        }
    }
    for hit in back {
        let from = frontier.iter().find_map(|id| {
            let subject = reach[id].passage.subjects.iter().find(|id| hit.record.entities.contains(id))?;
            (*id != hit.record.id).then_some((*id, *subject))
        });
        let Some((from, subject)) = from else { continue };
        let entity = reach[&from].passage.title.clone().unwrap_or_else(|| subject.to_string());
        links += 1;
        enter(reach, hit).routes.push(Route { from, step: Step::MentionedBy { entity } });
    }
    Ok(links)
}

/// The nearest passages that mention one of these entities.
async fn mentioning(
    graph: &Graph,
    query: &Query,
    entities: &BTreeSet<EntityId>,
    limit: usize,
) -> Result<Vec<Hit<Passage>>> {
    let filter = among::mentioning(entities.iter().copied());
    let mut hits = nearest::<Passage>(graph, query, filter, limit).await.room(Room::Expand)?;
    hits.iter_mut().for_each(|hit| hit.score = 0.0);
    Ok(hits)
}

/// A run of words in a passage that may be a name.
struct Span {
    entity: EntityId,
    words: (usize, usize),
    range: std::ops::Range<usize>,
    sentence: std::ops::Range<usize>,
    is_kept: bool,
}

/// The runs of words in a text that may be names, each with the sentence it stands in.
fn name_spans(lexical: &Lexical, workspace: &Workspace, text: &str) -> Vec<Span> {
    let sentences = sentences(text);
    let words = understand::words(lexical, text);
    let mut spans = Vec::new();
    for start in 0..words.len().min(WORDS_MAX) {
        if words[start].is_stop && !words[start].is_capital {
            continue;
        }
        let sentence = sentences
            .iter()
            .find(|sentence| sentence.contains(&words[start].start))
            .cloned()
            .unwrap_or(0..text.len());
        let mut has_capital = false;
        for end in start + 1..=words.len().min(start + NAME_WORDS_MAX) {
            let last = &words[end - 1];
            has_capital |= last.is_capital;
            if last.start >= sentence.end || (end - start > PLAIN_NAME_WORDS_MAX && !has_capital) {
                break;
            }
            if last.is_stop && !last.is_capital {
                continue;
            }
            let range = words[start].start..last.end;
            let normalised = quiver_graph::name::normalise(&text[range.clone()]);
            let entity = EntityId::of_normalised(workspace, None, &normalised);
            spans.push(Span {
                entity,
                words: (start, end),
                range,
                sentence: sentence.clone(),
                is_kept: true,
            });
        }
    }
    spans
}

/// Drops names within longer known names: "York" within "New York".
fn keep_longest(spans: &mut [Span], known: &BTreeSet<EntityId>) {
    let kept: Vec<(usize, usize)> =
        spans.iter().filter(|span| known.contains(&span.entity)).map(|span| span.words).collect();
    for span in spans {
        let (start, end) = span.words;
        span.is_kept = known.contains(&span.entity)
            && !kept.iter().any(|&(s, e)| s <= start && end <= e && e - s > end - start);
    }
}
