//! Shows what the graph contains, and declares what it may contain.

use std::collections::{BTreeMap, BTreeSet};

use quiver_cypher::{
    Direction, Error as CypherError, ErrorKind as CypherKind, Expansion, NodeId, PropertyGraph, Selection,
};

use super::{
    convert::PASSAGE,
    declared::{Collected, GraphSchema, LabelSchema, RelationshipSchema, Seen},
    graph::StoreGraph,
};
use crate::{Quiver, Result};

/// Maximum number of nodes per label, and of their relationships, read for their properties.
const SAMPLE_MAX: usize = 10_000;

/// The existing and the declared schema of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SchemaReport {
    /// The labels and types with their counts, and the properties of the nodes and relationships that were read.
    pub found: GraphSchema,
    /// What was declared with [`Quiver::set_schema`].
    pub declared: Option<GraphSchema>,
    /// Whether all nodes and relationships were read; otherwise the first 10,000 with each label, and as many of their
    /// relationships.
    pub is_whole: bool,
}

impl Quiver {
    /// Returns the existing labels, properties and types of relationships, and the declared schema.
    ///
    /// # Errors
    /// Fails if the database fails.
    pub async fn schema(&self) -> Result<SchemaReport> {
        self.with_store_graph(report).await
    }

    /// Declares the schema of the workspace: queries and tables that break it are refused from then on. An empty one
    /// removes the declaration. What documents yield is not checked.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if existing data breaks it; then nothing is declared. Errors
    /// of the database.
    pub async fn set_schema(&self, schema: GraphSchema) -> Result<()> {
        self.with_store_graph(move |graph| {
            check(graph, &schema)?;
            graph.declare(&schema)
        })
        .await
    }
}

fn report(graph: &StoreGraph) -> quiver_cypher::Result<SchemaReport> {
    let known = graph.schema()?;
    let mut report =
        SchemaReport { declared: graph.declared()?.cloned(), is_whole: true, ..SchemaReport::default() };
    let mut links: BTreeMap<String, (Collected, BTreeSet<(String, String)>)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (label, count) in known.labels {
        let selection = Selection { labels: vec![label.clone()], ..Selection::default() };
        let ids = graph.select(&selection, SAMPLE_MAX)?;
        report.is_whole &= ids.len() as u64 >= count;
        let mut collected = Collected::default();
        for id in &ids {
            if let Some(node) = graph.node(*id)? {
                let loaded = graph.loaded_by(*id).filter(|(of, _)| *of == label);
                collected.add(&node.properties, loaded.map(|(_, key)| key));
            }
        }
        let edges = graph.expand(&ids, &Expansion::all(Direction::Outgoing), SAMPLE_MAX)?;
        report.is_whole &= edges.len() < SAMPLE_MAX;
        let ends: BTreeSet<NodeId> = edges.iter().map(|edge| edge.end).collect();
        graph.prefetch(&ends.into_iter().collect::<Vec<_>>())?;
        for edge in edges.iter().filter(|edge| seen.insert(edge.id)) {
            let (Some(one), Some(start), Some(end)) =
                (graph.relationship(edge.id)?, graph.node(edge.start)?, graph.node(edge.end)?)
            else {
                continue;
            };
            let (collected, ends) = links.entry(one.kind.clone()).or_default();
            collected.add(&one.properties, None);
            for from in &start.labels {
                ends.extend(end.labels.iter().map(|to| (from.clone(), to.clone())));
            }
        }
        let schema = LabelSchema { count: Some(count), properties: collected.properties() };
        report.found.labels.insert(label, schema);
    }
    let counts: BTreeMap<String, u64> = known.types.into_iter().collect();
    for kind in counts.keys() {
        links.entry(kind.clone()).or_default();
    }
    for (kind, (collected, ends)) in links {
        let schema = RelationshipSchema {
            count: counts.get(&kind).copied(),
            ends: ends.into_iter().collect(),
            properties: collected.properties(),
        };
        report.found.relationships.insert(kind, schema);
    }
    Ok(report)
}

/// Checks the existing data.
fn check(graph: &StoreGraph, schema: &GraphSchema) -> quiver_cypher::Result<()> {
    let refused = |message: String| CypherError::new(CypherKind::Constraint, message);
    if schema.labels.contains_key(PASSAGE) {
        return Err(refused("passages come from documents and can't have a schema".to_owned()));
    }
    let broken = |message: String| refused(format!("the existing data violates the schema: {message}"));
    let mut seen = Seen::default();
    let mut checked = BTreeSet::new();
    for label in schema.labels.keys() {
        let selection = Selection { labels: vec![label.clone()], ..Selection::default() };
        for id in graph.select(&selection, usize::MAX)? {
            if let Some(node) = graph.node(id)?.filter(|_| checked.insert(id)) {
                schema.check_node(&node).and_then(|()| seen.check(schema, &node)).map_err(broken)?;
            }
        }
    }
    for kind in schema.relationships.keys() {
        let edges = graph.relationships_of(kind)?;
        let ends: BTreeSet<NodeId> = edges.iter().flat_map(|edge| [edge.start, edge.end]).collect();
        graph.prefetch(&ends.into_iter().collect::<Vec<_>>())?;
        for edge in edges {
            if let (Some(one), Some(start), Some(end)) =
                (graph.relationship(edge.id)?, graph.node(edge.start)?, graph.node(edge.end)?)
            {
                schema.check_relationship(&one.kind, &one.properties, &start, &end).map_err(broken)?;
            }
        }
    }
    Ok(())
}
