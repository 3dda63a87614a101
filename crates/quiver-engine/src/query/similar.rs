//! The nodes most similar to a node, by what is stated about them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use quiver_cypher::{Called, Direction, Expansion, Node, NodeId, PropertyGraph, Result, Selection, Value};
use quiver_graph::PassageId;
use quiver_store::PointId;

use super::{
    convert::{PASSAGE, display_name},
    graph::{SIMILAR, StoreGraph, limit_of, refused},
};

const USAGE: &str = "write CALL quiver.similar(node, {limit: 10}) YIELD node AS other, score";
/// Default and maximum number of nodes yielded.
const LIMIT: usize = 10;
const LIMIT_MAX: usize = 100;

/// Maximum number of nodes compared, and of those compared because they have the same labels.
const COMPARED_MAX: usize = 500;
const LABELLED_MAX: usize = 300;
/// Maximum number of passages searched for with the text about a node, and the maximum length of this text in bytes.
const PASSAGES_FOUND: usize = 100;
const SEARCHED_BYTES: usize = 800;
/// Number of nodes expanded at once, and of relationships read for them.
const AT_ONCE: usize = 16;
const EDGES_MAX: usize = 2000;
/// Number of relationships and passages of a node that are compared.
const RELATIONSHIPS_EACH: usize = 50;
const PASSAGES_EACH: usize = 20;
/// Distinguishes words of relationships that end at a node from the same words elsewhere.
const INCOMING: u32 = 0x9e37_79b9;
/// Weight of the vectors in a score, if both nodes have some.
const DENSE_SHARE: f64 = 0.5;

/// What is stated about a node.
#[derive(Default)]
struct Profile {
    texts: Vec<String>,
    /// The types of relationships that end at the node, with the names of their start nodes.
    incoming: Vec<String>,
    passages: Vec<PassageId>,
}

/// A profile as numbers: weights of words, and the sum of the vectors of its passages.
struct Compared {
    words: BTreeMap<u32, f64>,
    dense: Vec<f64>,
}

/// Returns the node and the limit of a call; no node if it is null.
fn arguments(arguments: &[Value]) -> Result<(Option<NodeId>, usize)> {
    let (node, options) = match arguments {
        [node] => (node, None),
        [node, Value::Map(options)] => (node, Some(&**options)),
        _ => return Err(refused(format!("{SIMILAR} takes a node and a map of options; {USAGE}"))),
    };
    let limit = limit_of(SIMILAR, options, LIMIT, LIMIT_MAX)?;
    match node {
        Value::Node(id) => Ok((Some(*id), limit)),
        Value::Null => Ok((None, limit)),
        other => {
            Err(refused(format!("{SIMILAR} compares a node with others, not {}; {USAGE}", other.type_name())))
        }
    }
}

impl StoreGraph {
    /// Finds the nodes nearest to a node: passages for a passage, other nodes for any other node.
    pub(super) fn similar(&self, given: &[Value], as_of: Option<i64>) -> Result<Called> {
        let columns = vec!["node".to_owned(), "score".to_owned()];
        let (id, limit) = arguments(given)?;
        let found = id.map(|id| Ok((id, self.node(id)?))).transpose()?;
        let Some((id, Some(node))) = found else { return Ok(Called { columns, rows: Vec::new() }) };
        let own = self.profiles(&[id], as_of)?.pop().unwrap_or_default();
        let mut others = if node.labels.contains(PASSAGE) {
            self.passages_like(&own, as_of)?
        } else {
            self.nodes_like(id, &node, &own, as_of)?
        };
        others.retain(|other| *other != id);
        others.truncate(COMPARED_MAX);
        let mut profiles = vec![own];
        profiles.extend(self.profiles(&others, as_of)?);
        let compared = self.compared(&profiles)?;
        let Some((own, rest)) = compared.split_first() else { return Ok(Called::default()) };
        let mut scored: Vec<(NodeId, f64)> =
            others.into_iter().zip(rest).map(|(other, profile)| (other, own.likeness(profile))).collect();
        scored.retain(|(_, score)| *score > 0.0);
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored.truncate(limit);
        let rows = scored.into_iter().map(|(id, score)| vec![Value::Node(id), Value::Float(score)]).collect();
        Ok(Called { columns, rows })
    }

    /// Returns the passages nearest to the text about a node, nearest first.
    fn passages_like(&self, profile: &Profile, as_of: Option<i64>) -> Result<Vec<NodeId>> {
        let mut text = profile.texts.join("\n");
        text.truncate(text.floor_char_boundary(SEARCHED_BYTES));
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let found = self.nearest(&text, PASSAGES_FOUND, as_of)?;
        Ok(found.into_iter().map(|(id, _)| NodeId(id.point().as_u128())).collect())
    }

    /// Returns nodes that may be similar: those that the nearest passages mention, those two steps away, and some with
    /// the same labels.
    fn nodes_like(
        &self,
        id: NodeId,
        node: &Node,
        profile: &Profile,
        as_of: Option<i64>,
    ) -> Result<Vec<NodeId>> {
        let every = Expansion { as_of, ..Expansion::all(Direction::Either) };
        let mut neighbours: Vec<NodeId> =
            self.expand(&[id], &every, EDGES_MAX)?.iter().flat_map(|edge| [edge.start, edge.end]).collect();
        neighbours.retain(|other| *other != id);
        let mut near = self.passages_like(profile, as_of)?;
        near.extend(neighbours);
        let mut found = Vec::new();
        for batch in near.chunks(AT_ONCE) {
            found.extend(
                self.expand(batch, &every, EDGES_MAX)?.iter().flat_map(|edge| [edge.start, edge.end]),
            );
        }
        let labels = node.labels.iter().cloned().collect();
        let selection = Selection { labels, as_of, ..Selection::default() };
        found.extend(self.select(&selection, LABELLED_MAX)?);
        let mut seen = BTreeSet::new();
        found.retain(|other| seen.insert(*other));
        self.prefetch(&found)?;
        let mut nodes = Vec::new();
        for other in found {
            if self.node(other)?.is_some_and(|node| !node.labels.contains(PASSAGE)) {
                nodes.push(other);
            }
        }
        Ok(nodes)
    }

    /// Returns the profile of each of these nodes.
    fn profiles(&self, nodes: &[NodeId], as_of: Option<i64>) -> Result<Vec<Profile>> {
        let every = Expansion { as_of, ..Expansion::all(Direction::Either) };
        let mut profiles = Vec::new();
        for batch in nodes.chunks(AT_ONCE) {
            let edges = self.expand(batch, &every, EDGES_MAX)?;
            let ends: BTreeSet<NodeId> = edges.iter().flat_map(|edge| [edge.start, edge.end]).collect();
            self.prefetch(&ends.into_iter().chain(batch.iter().copied()).collect::<Vec<_>>())?;
            for id in batch {
                let Some(node) = self.node(*id)? else {
                    profiles.push(Profile::default());
                    continue;
                };
                let mut profile = Profile::default();
                if node.labels.contains(PASSAGE) {
                    profile.passages.push(passage_id(*id));
                    profile.texts.extend(["title", "text"].iter().filter_map(|key| text_of(&node, key)));
                    profiles.push(profile);
                    continue;
                }
                node.properties.values().for_each(|value| add_texts(value, &mut profile.texts));
                // Its own name says nothing about it.
                let own = display_name(&node);
                profile.texts.retain(|text| *text != own);
                let mut passages: BTreeMap<NodeId, Arc<Node>> = BTreeMap::new();
                let mut relationships = 0;
                for edge in edges.iter().filter(|edge| edge.start == *id || edge.end == *id) {
                    let far = if edge.start == *id { edge.end } else { edge.start };
                    let Some(other) = self.node(far)? else { continue };
                    if other.labels.contains(PASSAGE) {
                        passages.insert(far, other);
                    } else if relationships < RELATIONSHIPS_EACH
                        && let Some(one) = self.relationship(edge.id)?
                    {
                        relationships += 1;
                        let text = format!("{} {}", one.kind, display_name(&other));
                        if edge.start == *id { &mut profile.texts } else { &mut profile.incoming }.push(text);
                    }
                }
                for (passage, other) in passages.into_iter().take(PASSAGES_EACH) {
                    profile.passages.push(passage_id(passage));
                    profile.texts.extend(text_of(&other, "text"));
                }
                profiles.push(profile);
            }
        }
        Ok(profiles)
    }

    /// Weights the words of profiles, rare ones more, and adds up the vectors of their passages if there is an
    /// embedder.
    fn compared(&self, profiles: &[Profile]) -> Result<Vec<Compared>> {
        let analysis = self.analysis();
        let counted: Vec<BTreeMap<u32, f64>> = profiles
            .iter()
            .map(|profile| {
                let mut counts = BTreeMap::new();
                let outgoing = profile.texts.iter().map(|text| (text, 0));
                let incoming = profile.incoming.iter().map(|text| (text, INCOMING));
                for (text, side) in outgoing.chain(incoming) {
                    let terms = analysis.terms(text).into_iter().filter(|term| !term.is_stop);
                    terms.for_each(|term| *counts.entry(term.hash ^ side).or_default() += 1.0);
                }
                counts
            })
            .collect();
        let mut frequency: HashMap<u32, f64> = HashMap::new();
        counted.iter().flat_map(BTreeMap::keys).for_each(|word| *frequency.entry(*word).or_default() += 1.0);
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let all = profiles.len() as f64;
        let weigh = |(word, count): (u32, f64)| {
            let rarity = (1.0 + all / frequency.get(&word).copied().unwrap_or(1.0)).ln();
            (word, (1.0 + count.ln()) * rarity)
        };
        let vectors =
            self.passage_vectors(profiles.iter().flat_map(|profile| profile.passages.iter().copied()))?;
        let sum = |profile: &Profile| {
            let mut sum: Vec<f64> = Vec::new();
            for vector in profile.passages.iter().filter_map(|id| vectors.get(id)) {
                sum.resize(vector.len(), 0.0);
                sum.iter_mut().zip(vector).for_each(|(sum, one)| *sum += f64::from(*one));
            }
            sum
        };
        let compared = counted.into_iter().zip(profiles).map(|(counts, profile)| Compared {
            words: counts.into_iter().map(weigh).collect(),
            dense: sum(profile),
        });
        Ok(compared.collect())
    }
}

impl Compared {
    /// Returns the cosine of the words, averaged with that of the vectors if both have some; from 0 to 1.
    fn likeness(&self, other: &Self) -> f64 {
        let shared = self.words.iter().filter_map(|(word, weight)| Some(weight * other.words.get(word)?));
        let length = |words: &BTreeMap<u32, f64>| words.values().map(|weight| weight * weight).sum::<f64>();
        let words = cosine(shared.sum(), length(&self.words), length(&other.words));
        if self.dense.is_empty() || other.dense.is_empty() {
            return words;
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (own, others) = (dot(&self.dense, &self.dense), dot(&other.dense, &other.dense));
        let dense = cosine(dot(&self.dense, &other.dense), own, others);
        (1.0 - DENSE_SHARE) * words + DENSE_SHARE * dense
    }
}

/// Returns the cosine of two vectors, from their product and the squares of their lengths; 0 for opposite ones.
fn cosine(product: f64, one: f64, other: f64) -> f64 {
    let lengths = (one * other).sqrt();
    if lengths > 0.0 { (product / lengths).clamp(0.0, 1.0) } else { 0.0 }
}

fn passage_id(id: NodeId) -> PassageId {
    PassageId::from(PointId::from_u128(id.0))
}

fn text_of(node: &Node, key: &str) -> Option<String> {
    node.properties.get(key)?.as_str().map(str::to_owned)
}

fn add_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.to_string()),
        Value::List(items) => items.iter().for_each(|item| add_texts(item, texts)),
        _ => {}
    }
}
