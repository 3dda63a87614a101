//! A multigraph in memory.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    Result, Value,
    error::{Error, ErrorKind},
    graph::{
        Called, Direction, Edge, Expansion, Node, NodeId, PropertyGraph, Reads, Relationship, RelationshipId,
        Schema, Selection,
    },
    value::Map,
};

#[derive(Clone, Debug, Default)]
struct Content {
    next: u128,
    nodes: BTreeMap<NodeId, Arc<Node>>,
    relationships: BTreeMap<RelationshipId, Arc<Relationship>>,
    outgoing: BTreeMap<NodeId, BTreeSet<RelationshipId>>,
    incoming: BTreeMap<NodeId, BTreeSet<RelationshipId>>,
}

/// A property graph in memory: the reference for other graphs, and a small graph for tests.
#[derive(Clone, Debug, Default)]
pub struct MemoryGraph {
    content: RefCell<Content>,
    before: RefCell<Option<Content>>,
}

impl MemoryGraph {
    /// Creates an empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all nodes in ascending order of ID.
    pub fn nodes(&self) -> Vec<(NodeId, Arc<Node>)> {
        self.content.borrow().nodes.iter().map(|(id, node)| (*id, Arc::clone(node))).collect()
    }

    /// Returns all relationships in ascending order of ID.
    pub fn relationships(&self) -> Vec<(RelationshipId, Arc<Relationship>)> {
        self.content.borrow().relationships.iter().map(|(id, one)| (*id, Arc::clone(one))).collect()
    }
}

fn missing(what: &str) -> Error {
    Error::new(ErrorKind::Graph, format!("the {what} does not exist"))
}

impl PropertyGraph for MemoryGraph {
    fn select(&self, selection: &Selection, limit: usize) -> Result<Vec<NodeId>> {
        let content = self.content.borrow();
        let passing = content.nodes.iter().filter(|(_, node)| selection.matches(node));
        Ok(passing.map(|(id, _)| *id).take(limit).collect())
    }

    fn keep(&self, nodes: &[NodeId], selection: &Selection) -> Result<BTreeSet<NodeId>> {
        let content = self.content.borrow();
        let passes = |id: &NodeId| content.nodes.get(id).is_some_and(|node| selection.matches(node));
        Ok(nodes.iter().copied().filter(passes).collect())
    }

    fn estimate(&self, selection: &Selection) -> Result<u64> {
        let content = self.content.borrow();
        Ok(content.nodes.values().filter(|node| selection.matches(node)).count() as u64)
    }

    fn count_nodes(&self, selection: &Selection) -> Result<u64> {
        self.estimate(selection)
    }

    fn count_relationships(&self, expansion: &Expansion) -> Result<Option<u64>> {
        let content = self.content.borrow();
        let passing = content.relationships.values().filter(|one| expansion.matches(one)).count();
        Ok((expansion.direction != Direction::Either).then_some(passing as u64))
    }

    fn reads(&self) -> Reads {
        Reads::default()
    }

    fn expand(&self, nodes: &[NodeId], expansion: &Expansion, limit: usize) -> Result<Vec<Edge>> {
        let direction = expansion.direction;
        let content = self.content.borrow();
        let mut found = BTreeSet::new();
        for node in nodes {
            let outgoing = content.outgoing.get(node).filter(|_| direction != Direction::Incoming);
            let incoming = content.incoming.get(node).filter(|_| direction != Direction::Outgoing);
            found.extend(outgoing.into_iter().chain(incoming).flatten().copied());
        }
        let from: BTreeSet<NodeId> = nodes.iter().copied().collect();
        let edges = found.into_iter().filter_map(|id| {
            let one = content.relationships.get(&id)?;
            let passes = expansion.matches(one) && expansion.leads(one.start, one.end, &from);
            passes.then_some(Edge { id, start: one.start, end: one.end })
        });
        Ok(edges.take(limit).collect())
    }

    fn prefetch(&self, _: &[NodeId]) -> Result<()> {
        Ok(())
    }

    fn node(&self, id: NodeId) -> Result<Option<Arc<Node>>> {
        Ok(self.content.borrow().nodes.get(&id).cloned())
    }

    fn relationship(&self, id: RelationshipId) -> Result<Option<Arc<Relationship>>> {
        Ok(self.content.borrow().relationships.get(&id).cloned())
    }

    fn schema(&self) -> Result<Schema> {
        let content = self.content.borrow();
        let (mut labels, mut types, mut keys) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for node in content.nodes.values() {
            node.labels.iter().for_each(|label| *labels.entry(label.clone()).or_default() += 1);
            keys.extend(node.properties.keys().cloned());
        }
        for one in content.relationships.values() {
            *types.entry(one.kind.clone()).or_default() += 1;
            keys.extend(one.properties.keys().cloned());
        }
        Ok(Schema {
            labels: labels.into_iter().collect(),
            types: types.into_iter().collect(),
            keys: keys.into_iter().collect(),
        })
    }

    fn values(&self, label: Option<&str>, key: &str, limit: usize) -> Result<Vec<Value>> {
        let content = self.content.borrow();
        let nodes =
            content.nodes.values().filter(|node| label.is_none_or(|label| node.labels.contains(label)));
        Ok(nodes.filter_map(|node| node.properties.get(key).cloned()).take(limit).collect())
    }

    fn procedures(&self) -> &'static [&'static str] {
        &[]
    }

    fn call(&self, _: &str, _: &[Value], _: Option<i64>) -> Result<Option<Called>> {
        Ok(None)
    }

    fn begin(&self) -> Result<()> {
        *self.before.borrow_mut() = Some(self.content.borrow().clone());
        Ok(())
    }

    fn commit(&self) -> Result<()> {
        *self.before.borrow_mut() = None;
        Ok(())
    }

    fn rollback(&self) {
        if let Some(before) = self.before.borrow_mut().take() {
            *self.content.borrow_mut() = before;
        }
    }

    fn create_node(&self, node: Node) -> Result<NodeId> {
        let mut content = self.content.borrow_mut();
        let id = NodeId(content.next);
        content.next += 1;
        content.nodes.insert(id, Arc::new(node));
        Ok(id)
    }

    fn create_relationship(&self, relationship: Relationship) -> Result<RelationshipId> {
        let mut content = self.content.borrow_mut();
        if !content.nodes.contains_key(&relationship.start) || !content.nodes.contains_key(&relationship.end)
        {
            return Err(missing("end of the relationship"));
        }
        let id = RelationshipId(content.next);
        content.next += 1;
        content.outgoing.entry(relationship.start).or_default().insert(id);
        content.incoming.entry(relationship.end).or_default().insert(id);
        content.relationships.insert(id, Arc::new(relationship));
        Ok(id)
    }

    fn update_node(&self, id: NodeId, node: Node) -> Result<()> {
        match self.content.borrow_mut().nodes.get_mut(&id) {
            Some(found) => *found = Arc::new(node),
            None => return Err(missing("node")),
        }
        Ok(())
    }

    fn update_relationship(&self, id: RelationshipId, properties: Map) -> Result<()> {
        match self.content.borrow_mut().relationships.get_mut(&id) {
            Some(found) => Arc::make_mut(found).properties = properties,
            None => return Err(missing("relationship")),
        }
        Ok(())
    }

    fn delete(&self, nodes: &[NodeId], relationships: &[RelationshipId]) -> Result<()> {
        let mut content = self.content.borrow_mut();
        for id in relationships {
            if let Some(one) = content.relationships.remove(id) {
                content.outgoing.entry(one.start).or_default().remove(id);
                content.incoming.entry(one.end).or_default().remove(id);
            }
        }
        for id in nodes {
            content.nodes.remove(id);
            content.outgoing.remove(id);
            content.incoming.remove(id);
        }
        Ok(())
    }
}
