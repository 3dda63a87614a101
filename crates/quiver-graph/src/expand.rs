//! Bounded best-first expansion: from seed entities by hops to a subgraph.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    time::{Duration, Instant},
};

use quiver_store::{Result, Target};

use crate::{Direction, Edge, EntityId, Graph, Hop, RelationId};

/// The limits of an expansion. Everything they cut is reported.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpandOptions {
    /// Maximum number of hops. Default 2.
    pub hops_max: usize,
    /// Maximum number of entities that each hop starts from, best first. Default 32.
    pub frontier_limit: usize,
    /// Maximum number of relations that each hop reads per target. Default 128.
    pub relations_limit: usize,
    /// Maximum number of relations along which an entity passes its score, best first. Default 32.
    pub relations_per_entity: usize,
    /// Time after which no further hop starts. Default 2 s.
    pub time_max: Duration,
    /// The direction in which relations are followed. Default both.
    pub direction: Direction,
    /// The predicates to follow; an empty list, the default, means all.
    pub predicates: Vec<String>,
    /// Follow only relations that were valid at this moment, in milliseconds since 1970. By default, follow all.
    pub valid_at: Option<i64>,
}

impl Default for ExpandOptions {
    fn default() -> Self {
        Self {
            hops_max: 2,
            frontier_limit: 32,
            relations_limit: 128,
            relations_per_entity: 32,
            time_max: Duration::from_secs(2),
            direction: Direction::Both,
            predicates: Vec::new(),
            valid_at: None,
        }
    }
}

/// How an entity was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reached {
    /// The seed's score times the strengths of the relations on the best path.
    pub score: f32,
    /// The entity and the relation from which it was reached; `None` for a seed.
    pub parent: Option<(EntityId, RelationId)>,
    /// Number of hops from its seed.
    pub hop: usize,
}

/// What a hop read, found and cut.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HopReport {
    /// Number of entities it started from.
    pub entities_asked: usize,
    /// Number of entities cut by the frontier limit.
    pub entities_cut: usize,
    /// Number of relations found.
    pub relations_found: usize,
    /// Whether the limit cut off relations.
    pub relations_cut: bool,
    /// Number of steps cut because an entity had more relations than `relations_per_entity`.
    pub steps_cut: usize,
    /// Number of entities reached for the first time.
    pub entities_reached: usize,
}

/// The result of an expansion: the entities, including the seeds, and the relations between them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Subgraph {
    /// Every entity, with the best path to it.
    pub entities: BTreeMap<EntityId, Reached>,
    /// Every relation that the hops found, with its score for each target.
    pub relations: BTreeMap<RelationId, Edge>,
    /// A report per hop.
    pub hops: Vec<HopReport>,
    /// Whether time ran out before the last hop.
    pub out_of_time: bool,
}

impl Subgraph {
    /// Returns the relations on the best path to an entity, starting at the seed. Each comes with the entity where
    /// its step starts.
    pub fn path(&self, to: EntityId) -> Vec<(EntityId, RelationId)> {
        let mut path = Vec::new();
        let mut at = to;
        while let Some((parent, relation)) = self.entities.get(&at).and_then(|reached| reached.parent) {
            path.push((parent, relation));
            at = parent;
        }
        path.reverse();
        path
    }

    /// Returns the seed where the best path to an entity starts.
    pub fn seed(&self, of: EntityId) -> EntityId {
        self.path(of).first().map_or(of, |step| step.0)
    }
}

/// Expands seeds by hops, best first, within the limits.
///
/// `strength` returns the share of an entity's score that a relation passes on, from 0 to 1. It should be below 1, so
/// that nearer entities rank higher and paths have no cycles. The order of seeds does not matter, and ties are broken
/// by ID.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn expand(
    graph: &Graph,
    seeds: &[(EntityId, f32)],
    targets: &[Target],
    options: &ExpandOptions,
    strength: impl Fn(&Edge) -> f32,
) -> Result<Subgraph> {
    let started = Instant::now();
    let mut subgraph = Subgraph::default();
    for &(entity, score) in seeds {
        let reached = subgraph.entities.entry(entity).or_insert(Reached { score, parent: None, hop: 0 });
        reached.score = reached.score.max(score);
    }
    let mut frontier: Vec<EntityId> = subgraph.entities.keys().copied().collect();
    for hop in 1..=options.hops_max {
        if frontier.is_empty() {
            break;
        }
        if started.elapsed() >= options.time_max {
            subgraph.out_of_time = true;
            break;
        }
        let entities_cut = keep_best(&mut frontier, &subgraph, options.frontier_limit);
        let request = Hop {
            from: &frontier,
            direction: options.direction,
            predicates: &options.predicates,
            valid_at: options.valid_at,
            targets,
            limit: options.relations_limit,
        };
        let (edges, relations_cut) = graph.hop(&request).await?;
        let relations_found = edges.len();
        let (reached, steps_cut) = follow(&mut subgraph, &frontier, edges, hop, options, &strength);
        subgraph.hops.push(HopReport {
            entities_asked: frontier.len(),
            entities_cut,
            relations_found,
            relations_cut,
            steps_cut,
            entities_reached: reached.len(),
        });
        frontier = reached;
    }
    Ok(subgraph)
}

/// Keeps the best entities of a frontier and returns the number cut.
fn keep_best(frontier: &mut Vec<EntityId>, subgraph: &Subgraph, limit: usize) -> usize {
    let score = |id: &EntityId| subgraph.entities[id].score;
    frontier.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    let cut = frontier.len().saturating_sub(limit);
    frontier.truncate(limit);
    cut
}

/// Passes scores along the edges of one hop. Returns the entities reached for the first time, and the number of steps
/// cut by the limit per entity.
fn follow(
    subgraph: &mut Subgraph,
    frontier: &[EntityId],
    edges: Vec<Edge>,
    hop: usize,
    options: &ExpandOptions,
    strength: &impl Fn(&Edge) -> f32,
) -> (Vec<EntityId>, usize) {
    let mut steps: BTreeMap<EntityId, Vec<(f32, EntityId, RelationId)>> = BTreeMap::new();
    for edge in edges {
        let strength = strength(&edge);
        let relation = &edge.relation;
        for &from in frontier {
            let forward = relation.subject == from && options.direction != Direction::Backward;
            let backward = relation.object == from && options.direction != Direction::Forward;
            let to = relation.other_end(from);
            // An entity from an earlier hop keeps its path, so that paths have no cycles. The step back to it must
            // not count towards the limit either.
            if (forward || backward) && !subgraph.entities.contains_key(&to) {
                steps.entry(from).or_default().push((strength, to, relation.id));
            }
        }
        subgraph.relations.entry(relation.id).or_insert(edge);
    }
    let mut reached = Vec::new();
    let mut steps_cut = 0;
    for (from, mut steps) in steps {
        steps_cut += steps.len().saturating_sub(options.relations_per_entity);
        steps.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
        let score = subgraph.entities[&from].score;
        for (strength, to, relation) in steps.into_iter().take(options.relations_per_entity) {
            let step = Reached { score: score * strength, parent: Some((from, relation)), hop };
            match subgraph.entities.get_mut(&to) {
                None => {
                    subgraph.entities.insert(to, step);
                    reached.push(to);
                }
                Some(known) if step.score.total_cmp(&known.score) == Ordering::Greater => *known = step,
                Some(_) => {}
            }
        }
    }
    (reached, steps_cut)
}
