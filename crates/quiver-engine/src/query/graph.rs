//! The graph in the database as a property graph: records that were read, and changes that are not written yet.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use futures::future::try_join_all;
use quiver_cypher::{
    Called, Constraint, Direction, Edge, Error, ErrorKind, Expansion, Map, Node, NodeId, Path, PropertyGraph,
    Reads, Relationship, RelationshipId, Result, Schema, Selection, Value, nearest,
};
use quiver_graph::{
    Delta, Embedded, Entity, EntityId, Passage, PassageId, Record, Relation, RelationId, filters,
};
use quiver_models::{Input, Lexical};
use quiver_store::{Filter, PointId, SparseVector, Vectors};
use tokio::runtime::Handle;

use super::convert::{
    ENTITY, PASSAGE, display_name, entity_id, label_of_kind, loaded_by, node_id, node_of_entity,
    node_of_passage, passage_node_id, payload, relation_id, relationship_id, relationship_of,
};
use super::declared::{GraphSchema, not_unique};
use crate::{Quiver, memory::superseded_facts, search::nearest_passages};

/// Number of records read at once.
const PAGE: usize = 1000;
/// Number of nodes expanded at once.
const FRONTIER: usize = 256;
/// Minimum number of records to be read in two concurrent calls.
const HALVED_MIN: usize = 64;
/// Maximum number of nodes and relationships that a transaction may change.
const HELD_MAX: usize = 100_000;
/// Maximum number of labels and types listed.
const NAMES_MAX: usize = 1000;
/// The type of the relationship from a passage to an entity that it mentions.
const MENTIONS: &str = "MENTIONS";
/// The type of the relationship from a passage to an entity that it is about.
const ABOUT: &str = "ABOUT";

/// The procedure that finds the passages nearest to a text.
const SEARCH: &str = "quiver.search";
/// The procedure that finds the nodes nearest to a node.
pub(super) const SIMILAR: &str = "quiver.similar";
/// The procedure that finds a shortest path between two nodes.
const PATH: &str = "quiver.path";
/// Maximum number of relationships in a path, by default and overall, and number read for each of them.
const HOPS: i64 = 4;
const HOPS_MAX: i64 = 20;
const PATH_EDGES_MAX: usize = 100_000;

/// Default and maximum number of passages that a search yields.
const SEARCH_LIMIT: usize = 10;
const SEARCH_LIMIT_MAX: usize = 1000;

/// What was read, and what a query changed.
#[derive(Default)]
struct Content {
    entities: HashMap<NodeId, Entity>,
    nodes: HashMap<NodeId, Arc<Node>>,
    /// Nodes known to exist that were not read yet.
    unread: BTreeSet<NodeId>,
    relations: HashMap<RelationshipId, Relation>,
    relationships: HashMap<RelationshipId, Arc<Relationship>>,
    /// The keys of nodes that are not written yet.
    keys: BTreeMap<NodeId, String>,
    /// The keys of relationships that are not written yet.
    relationship_keys: BTreeMap<RelationshipId, String>,
    changed_nodes: BTreeMap<NodeId, Option<Arc<Node>>>,
    changed_relationships: BTreeMap<RelationshipId, Option<Arc<Relationship>>>,
}

/// The graph of a workspace as a query sees it. What it has read stays the same until the query ends.
pub(super) struct StoreGraph {
    quiver: Quiver,
    runtime: Handle,
    content: RefCell<Content>,
    created: Cell<u64>,
    reads: Cell<Reads>,
    declared: OnceCell<Option<GraphSchema>>,
    /// Whether changes of queries are kept until their transaction writes them.
    is_held: bool,
}

/// What a query writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Changed {
    Node(NodeId),
    Relationship(RelationshipId),
}

/// A filter that passes everything that can satisfy a constraint on a property.
struct PropertyFilter<'a> {
    key: &'a str,
    filter: Filter,
    equal: Option<&'a [Value]>,
}

impl<'a> PropertyFilter<'a> {
    /// Returns the filters for those constraints that an index can answer.
    fn of(constraints: &'a [Constraint]) -> Vec<Self> {
        let mut found = Vec::new();
        // Two bounds of one property form one range.
        let mut bounds: BTreeMap<(&str, bool), Vec<serde_json::Value>> = BTreeMap::new();
        for constraint in constraints {
            let key = constraint.key();
            match constraint {
                Constraint::In(_, values) => {
                    let stored: Vec<_> = values.iter().map(Value::to_json).collect();
                    let filter = filters::with_property(key, &stored);
                    found.extend(filter.map(|filter| Self { key, filter, equal: Some(values) }));
                }
                Constraint::Compare(_, comparison, value) => {
                    bounds.entry((key, comparison.is_lower_bound())).or_default().push(value.to_json());
                }
                Constraint::StartsWith(_, start) => {
                    let filter = filters::with_property_beginning(key, start);
                    found.push(Self { key, filter, equal: None });
                }
            }
        }
        let keys: BTreeSet<&str> = bounds.keys().map(|(key, _)| *key).collect();
        for key in keys {
            let mut of = |is_lower| bounds.remove(&(key, is_lower)).unwrap_or_default();
            let (lower, upper) = (of(true), of(false));
            let mut add = |least, most| {
                let filter = filters::with_property_within(key, least, most);
                let is_filter = filter.is_some();
                found.extend(filter.map(|filter| Self { key, filter, equal: None }));
                is_filter
            };
            if let ([least], [most]) = (lower.as_slice(), upper.as_slice())
                && add(Some(least), Some(most))
            {
                continue;
            }
            for least in &lower {
                add(Some(least), None);
            }
            for most in &upper {
                add(None, Some(most));
            }
        }
        found
    }
}

/// Splits many IDs into two parts, which are read at once: a call of an embedded database keeps one core busy.
fn halves<T>(ids: &[T]) -> std::slice::Chunks<'_, T> {
    ids.chunks(if ids.len() < HALVED_MIN { HALVED_MIN } else { ids.len().div_ceil(2) })
}

fn failed(error: quiver_store::Error) -> Error {
    let message = error.to_string();
    let converted: crate::Result<()> = crate::error::In::stage(Err(error), crate::Stage::Query);
    let error = Error::new(ErrorKind::Graph, message);
    match converted {
        Err(source) => error.with_source(source),
        Ok(()) => error,
    }
}

pub(super) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Constraint, message)
}

/// Returns the limit in a map of options that contains nothing else.
pub(super) fn limit_of(procedure: &str, options: Option<&Map>, default: usize, most: usize) -> Result<usize> {
    let mut limit = default;
    for (name, value) in options.into_iter().flatten() {
        match (name.as_str(), value) {
            ("limit", Value::Integer(number)) => {
                limit = usize::try_from(*number)
                    .ok()
                    .filter(|number| (1..=most).contains(number))
                    .ok_or_else(|| {
                        refused(format!(
                            "{procedure}: the limit is {number}, but it must be from 1 to {most}"
                        ))
                    })?;
            }
            ("limit", other) => {
                return Err(refused(format!("{procedure}: the limit must be an integer, not {other}")));
            }
            _ => {
                return Err(refused(format!("{procedure} has no option {name:?}; the only option is limit")));
            }
        }
    }
    Ok(limit)
}

/// Returns the text and the limit of a search call.
fn search_arguments(arguments: &[Value]) -> Result<(String, usize)> {
    let usage = "write CALL quiver.search($text, {limit: 20}) YIELD passage, score";
    let (text, options) = match arguments {
        [text] => (text, None),
        [text, Value::Map(options)] => (text, Some(options)),
        _ => return Err(refused(format!("{SEARCH} takes a text and a map of options; {usage}"))),
    };
    let Some(text) = text.as_str() else {
        return Err(refused(format!("{SEARCH} searches for a string, not {text}; {usage}")));
    };
    let limit = limit_of(SEARCH, options.map(|options| &**options), SEARCH_LIMIT, SEARCH_LIMIT_MAX)?;
    Ok((text.to_owned(), limit))
}

/// Returns the ends and the length of a path call; no ends if one of them is null.
fn path_arguments(arguments: &[Value]) -> Result<(Option<(NodeId, NodeId)>, i64)> {
    let usage = "write CALL quiver.path(a, b, {hops: 4}) YIELD path";
    let (ends, hops) = match arguments {
        [a, b] => ([a, b], HOPS),
        [a, b, Value::Map(options)] => {
            if let Some(name) = options.keys().find(|name| *name != "hops") {
                return Err(refused(format!("{PATH} has no option {name:?}; the only option is hops")));
            }
            let hops = match options.get("hops") {
                None => HOPS,
                Some(Value::Integer(hops)) if (1..=HOPS_MAX).contains(hops) => *hops,
                Some(other) => {
                    return Err(refused(format!("{PATH}: hops must be from 1 to {HOPS_MAX}, not {other}")));
                }
            };
            ([a, b], hops)
        }
        _ => return Err(refused(format!("{PATH} takes two nodes and a map of options; {usage}"))),
    };
    match ends {
        [Value::Node(a), Value::Node(b)] => Ok((Some((*a, *b)), hops)),
        [Value::Null, _] | [_, Value::Null] => Ok((None, hops)),
        [Value::Node(_), other] | [other, _] => {
            Err(refused(format!("{PATH} connects two nodes, not {}; {usage}", other.type_name())))
        }
    }
}

impl StoreGraph {
    pub(super) fn new(quiver: Quiver, runtime: Handle) -> Self {
        Self {
            quiver,
            runtime,
            content: RefCell::default(),
            created: Cell::new(0),
            reads: Cell::default(),
            declared: OnceCell::new(),
            is_held: false,
        }
    }

    /// Creates the graph for the queries of a transaction.
    pub(super) fn held(quiver: Quiver, runtime: Handle) -> Self {
        Self { is_held: true, ..Self::new(quiver, runtime) }
    }

    /// Hides entities deleted by decisions, permanently.
    pub(super) fn hide_deleted(&mut self) -> Result<()> {
        let seen = self.runtime.block_on(self.quiver.without_deleted()).map_err(|source| {
            Error::new(ErrorKind::Graph, "the decisions can't be read").with_source(source)
        })?;
        self.quiver = seen;
        Ok(())
    }

    /// Returns the relations of hidden entities to nodes that are being deleted permanently; they would keep these
    /// nodes.
    fn hidden_relations(&self, nodes: &[EntityId]) -> Result<Vec<RelationId>> {
        let graph = self.quiver.graph.whole();
        let hidden = self.quiver.graph.hidden().filter(|hidden| !hidden.is_empty() && !nodes.is_empty());
        let Some(hidden) = hidden else { return Ok(Vec::new()) };
        let between = filters::touching(nodes.iter().copied()).and(filters::touching(hidden.iter().copied()));
        let found: Vec<Relation> = self.wait(graph.all(&between))?;
        Ok(found.into_iter().map(|relation| relation.id).collect())
    }

    fn wait<T>(&self, future: impl Future<Output = quiver_store::Result<T>>) -> Result<T> {
        self.runtime.block_on(future).map_err(failed)
    }

    /// Estimates how many records pass each of some filters, and returns the minimum. Values often correlate, so the
    /// product of their shares would be far too low.
    fn estimate_all<T: Record>(&self, filters: &[Filter]) -> Result<u64> {
        let estimates = filters.iter().map(|filter| self.quiver.graph.estimate::<T>(filter));
        let estimates = self.wait(try_join_all(estimates))?;
        filters.iter().for_each(|_| self.count_read(0));
        Ok(estimates.into_iter().min().unwrap_or_default())
    }

    /// Waits for a read, and counts it and the points that it returns.
    fn read<T>(&self, future: impl Future<Output = quiver_store::Result<Vec<T>>>) -> Result<Vec<T>> {
        let found = self.wait(future)?;
        self.count_read(found.len());
        Ok(found)
    }

    fn count_read(&self, points: usize) {
        let mut reads = self.reads.get();
        reads += Reads { calls: 1, points: points as u64 };
        self.reads.set(reads);
    }

    fn count<T: Record>(&self, filter: &Filter) -> Result<u64> {
        self.count_read(0);
        self.wait(self.quiver.graph.count::<T>(filter))
    }

    /// Reads the records that pass a filter page by page, until `keep` says that there are enough.
    fn read_pages<T: Record>(
        &self,
        filter: &Filter,
        size: usize,
        keep: impl FnMut(Vec<T>) -> Result<bool>,
    ) -> Result<()> {
        self.read_all_pages(std::slice::from_ref(filter), size, keep)
    }

    /// Does the same for each of some filters, whose first pages are read at once.
    fn read_all_pages<T: Record>(
        &self,
        filters: &[Filter],
        size: usize,
        mut keep: impl FnMut(Vec<T>) -> Result<bool>,
    ) -> Result<()> {
        let graph = &self.quiver.graph;
        let first = filters.iter().map(|filter| graph.page::<T>(filter, None, size));
        let first = self.wait(try_join_all(first))?;
        first.iter().for_each(|(page, _)| self.count_read(page.len()));
        for (filter, (mut page, mut next)) in filters.iter().zip(first) {
            loop {
                if !keep(page)? {
                    return Ok(());
                }
                if next.is_none() {
                    break;
                }
                (page, next) = self.wait(graph.page::<T>(filter, next, size))?;
                self.count_read(page.len());
            }
        }
        Ok(())
    }

    /// Stores an entity with the node made from it.
    fn keep_entity(&self, entity: Entity, node: Node) -> NodeId {
        let id = node_id(entity.id);
        let mut content = self.content.borrow_mut();
        content.nodes.entry(id).or_insert_with(|| Arc::new(node));
        content.entities.entry(id).or_insert(entity);
        id
    }

    fn keep_passage(&self, passage: &Passage) -> NodeId {
        let id = passage_node_id(passage);
        let mut content = self.content.borrow_mut();
        content.nodes.entry(id).or_insert_with(|| Arc::new(node_of_passage(passage)));
        id
    }

    /// Stores a relation with the relationship made from it.
    fn keep_relation(&self, relation: Relation, one: Relationship) -> Edge {
        let id = relationship_id(relation.id);
        let edge = Edge { id, start: one.start, end: one.end };
        let mut content = self.content.borrow_mut();
        content.relationships.entry(id).or_insert_with(|| Arc::new(one));
        content.relations.entry(id).or_insert(relation);
        edge
    }

    /// Returns the indexed part of a selection of entities. It may pass more than the selection.
    fn entity_filter(selection: &Selection) -> Filter {
        Filter::All(Self::entity_filters(selection))
    }

    /// Returns the filter for each label and property.
    fn entity_filters(selection: &Selection) -> Vec<Filter> {
        let mut all = Vec::new();
        for label in &selection.labels {
            // The labels of extracted entities are derived from their kinds, whose words may be separate.
            let mut words = String::new();
            for c in label.chars() {
                if c.is_uppercase() && !words.is_empty() {
                    words.push(' ');
                }
                words.extend(c.to_lowercase());
            }
            let mut any = vec![
                filters::labelled(label),
                filters::of_kind([label.as_str(), &label.to_lowercase(), &words]),
            ];
            if label == ENTITY {
                any.push(Filter::Missing { field: "labels" });
            }
            all.push(Filter::Any(any));
        }
        for PropertyFilter { key, filter, equal } in PropertyFilter::of(&selection.constraints) {
            // Extracted entities have these as well as their properties.
            all.push(match (key, equal) {
                ("name", Some(values)) => {
                    let names = filters::called(values.iter().filter_map(Value::as_str));
                    Filter::Any(vec![filter, names])
                }
                ("name" | "description" | "aliases", _) => {
                    Filter::Any(vec![filter, Filter::Missing { field: "labels" }])
                }
                _ => filter,
            });
        }
        all
    }

    /// Returns the indexed part of a selection of passages; `None` if no passage can pass.
    fn passage_filter(selection: &Selection) -> Option<Filter> {
        Self::passage_filters(selection).map(Filter::All)
    }

    /// Returns the filter for each property.
    fn passage_filters(selection: &Selection) -> Option<Vec<Filter>> {
        if selection.labels.iter().any(|label| label != PASSAGE) {
            return None;
        }
        let mut all: Vec<Filter> = selection.as_of.map(filters::not_said_after).into_iter().collect();
        for constraint in &selection.constraints {
            match constraint {
                Constraint::In(key, values) => {
                    let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
                    match key.as_str() {
                        "document" => all.push(filters::of_documents(texts)),
                        "session" => {
                            all.push(Filter::Any(texts.into_iter().map(filters::of_session).collect()));
                        }
                        _ => {}
                    }
                }
                Constraint::Compare(key, comparison, Value::Moment(moment)) if key == "time" => {
                    let Some(milliseconds) = moment.unix_milliseconds() else { continue };
                    let said = if comparison.is_lower_bound() {
                        filters::said(Some(milliseconds), None)
                    } else {
                        filters::said(None, Some(milliseconds))
                    };
                    // A passage without a time of its own may have one in its metadata.
                    all.push(Filter::Any(vec![said, filters::untimed()]));
                }
                _ => {}
            }
        }
        Some(all)
    }

    /// Counts the entities of a selection. Those whose labels are derived from their kinds have to be read.
    fn count_entities(&self, selection: &Selection) -> Result<u64> {
        let matches = |entity: &Entity| selection.matches(&node_of_entity(entity));
        match (selection.labels.as_slice(), selection.constraints.is_empty()) {
            ([], true) => self.count::<Entity>(&Filter::everything()),
            ([label], true) => {
                let of_kinds = Self::entity_filter(selection).and(Filter::Missing { field: "labels" });
                let of_kinds = self.count_read_ones(&of_kinds, matches)?;
                Ok(self.count::<Entity>(&filters::labelled(label))? + of_kinds)
            }
            _ => self.count_read_ones(&Self::entity_filter(selection), matches),
        }
    }

    /// Counts the records that pass a filter and a test, page by page, without keeping them.
    fn count_read_ones<T: Record>(&self, filter: &Filter, passes: impl Fn(&T) -> bool) -> Result<u64> {
        let mut count = 0;
        self.read_pages::<T>(filter, PAGE, |page| {
            count += page.iter().filter(|one| passes(one)).count() as u64;
            Ok(true)
        })?;
        Ok(count)
    }

    fn select_entities(&self, selection: &Selection, limit: usize, found: &mut Vec<NodeId>) -> Result<()> {
        let size = if limit < PAGE { limit.max(64) } else { PAGE };
        self.read_entities(&[Self::entity_filter(selection)], size, selection, limit, found)
    }

    /// Reads the entities that pass filters page by page, and keeps those that pass a selection, until there are
    /// enough.
    fn read_entities(
        &self,
        filters: &[Filter],
        size: usize,
        selection: &Selection,
        limit: usize,
        found: &mut Vec<NodeId>,
    ) -> Result<()> {
        self.read_all_pages::<Entity>(filters, size, |page| {
            for entity in page {
                let node = node_of_entity(&entity);
                if selection.matches(&node) {
                    found.push(self.keep_entity(entity, node));
                }
            }
            Ok(found.len() < limit)
        })
    }

    fn select_passages(&self, selection: &Selection, limit: usize, found: &mut Vec<NodeId>) -> Result<()> {
        let Some(filter) = Self::passage_filter(selection) else { return Ok(()) };
        self.read_pages::<Passage>(&filter, PAGE, |page| {
            for passage in page {
                if selection.matches(&node_of_passage(&passage)) {
                    found.push(self.keep_passage(&passage));
                }
            }
            Ok(found.len() < limit)
        })
    }

    /// Returns those of some nodes that were neither read nor changed.
    fn unknown(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let content = self.content.borrow();
        let is_known = |id: &NodeId| content.nodes.contains_key(id) || content.changed_nodes.contains_key(id);
        nodes.iter().copied().filter(|id| !is_known(id)).collect()
    }

    /// Reads those of some nodes that are passages and were not read yet.
    fn prefetch_passages(&self, nodes: &[NodeId]) -> Result<()> {
        let ids: Vec<PassageId> =
            self.unknown(nodes).into_iter().map(|id| PassageId::from(PointId::from_u128(id.0))).collect();
        if ids.is_empty() {
            return Ok(());
        }
        for passage in self.read(self.quiver.graph.passages(&ids))? {
            self.keep_passage(&passage);
        }
        Ok(())
    }

    /// Returns those of at most [`PAGE`] unknown nodes that pass a selection. If the index alone can decide, they are
    /// not read.
    fn keep_unknown(&self, nodes: &[NodeId], selection: &Selection) -> Result<BTreeSet<NodeId>> {
        let mut kept = BTreeSet::new();
        let among = |nodes: &[NodeId]| Filter::Ids(nodes.iter().map(|id| PointId::from_u128(id.0)).collect());
        let is_plain = selection.constraints.is_empty();
        if is_plain && selection.labels.is_empty() {
            kept.extend(nodes);
            self.content.borrow_mut().unread.extend(nodes);
            return Ok(kept);
        }
        let mut rest = nodes.to_vec();
        if is_plain && selection.labels.iter().all(|label| label != PASSAGE) {
            let labelled =
                || Filter::All(selection.labels.iter().map(|label| filters::labelled(label)).collect());
            let lists = halves(nodes)
                .map(|half| self.quiver.graph.list_ids::<Entity>(labelled().and(among(half)), half.len()));
            for found in self.wait(try_join_all(lists))? {
                self.count_read(found.len());
                kept.extend(found.into_iter().map(node_id));
            }
            self.content.borrow_mut().unread.extend(&kept);
            rest.retain(|id| !kept.contains(id));
        }
        if rest.is_empty() {
            return Ok(kept);
        }
        let mut found = Vec::new();
        if selection.labels.iter().all(|label| label != PASSAGE) {
            let unlabelled =
                if is_plain { Filter::Missing { field: "labels" } } else { Filter::everything() };
            let filter = Self::entity_filter(selection).and(unlabelled);
            let filters: Vec<Filter> = halves(&rest).map(|half| filter.clone().and(among(half))).collect();
            self.read_entities(&filters, PAGE, selection, usize::MAX, &mut found)?;
        }
        if Self::passage_filter(selection).is_some() {
            self.prefetch_passages(&rest)?;
            let content = self.content.borrow();
            let passages =
                rest.iter().filter(|id| content.nodes.get(id).is_some_and(|node| selection.matches(node)));
            found.extend(passages);
        }
        kept.extend(found);
        Ok(kept)
    }

    fn expand_relations(
        &self,
        nodes: &[NodeId],
        expansion: &Expansion,
        limit: usize,
        found: &mut BTreeSet<Edge>,
    ) -> Result<()> {
        let from: BTreeSet<NodeId> = nodes.iter().copied().collect();
        let filters: Vec<Filter> = halves(nodes).map(|half| Self::relation_filter(half, expansion)).collect();
        self.read_all_pages::<Relation>(&filters, PAGE, |page| {
            for relation in self.holding(page, expansion.as_of)? {
                let one = relationship_of(&relation);
                if expansion.matches(&one) && expansion.leads(one.start, one.end, &from) {
                    found.insert(self.keep_relation(relation, one));
                }
            }
            Ok(found.len() < limit)
        })
    }

    /// Returns the indexed part of the relations that an expansion follows. It may pass more.
    fn relation_filter(nodes: &[NodeId], expansion: &Expansion) -> Filter {
        let entities = || nodes.iter().copied().map(entity_id);
        let mut filter = match expansion.direction {
            Direction::Outgoing => filters::from(entities()),
            Direction::Incoming => filters::to(entities()),
            Direction::Either => filters::touching(entities()),
        };
        if !expansion.types.is_empty() {
            filter = filter.and(filters::saying(expansion.types.iter().map(String::as_str)));
        }
        if let Some(ends) = &expansion.ends {
            let ends = || ends.iter().copied().map(entity_id);
            filter = filter.and(match expansion.direction {
                Direction::Outgoing => filters::to(ends()),
                Direction::Incoming => filters::from(ends()),
                Direction::Either => filters::touching(ends()),
            });
        }
        for PropertyFilter { filter: found, .. } in PropertyFilter::of(&expansion.constraints) {
            filter = filter.and(Filter::Any(vec![found, filters::dated()]));
        }
        if let Some(moment) = expansion.as_of {
            filter = filter.and(filters::valid_at(moment));
        }
        filter
    }

    /// Drops facts of the memory that were superseded as of a moment, if one is given.
    fn holding(&self, mut relations: Vec<Relation>, as_of: Option<i64>) -> Result<Vec<Relation>> {
        if let Some(moment) = as_of {
            let superseded = self.runtime.block_on(superseded_facts(&self.quiver, &relations, moment));
            let superseded = superseded
                .map_err(|error| Error::new(ErrorKind::Graph, error.to_string()).with_source(error))?;
            relations.retain(|relation| !superseded.contains(&relation.id));
        }
        Ok(relations)
    }

    /// Follows passages to what they mention, and entities to what mentions them.
    fn expand_passages(
        &self,
        nodes: &[NodeId],
        expansion: &Expansion,
        limit: usize,
        found: &mut BTreeSet<Edge>,
    ) -> Result<()> {
        let Expansion { direction, types, constraints, as_of, .. } = expansion;
        let direction = *direction;
        let wanted = |kind: &str| types.is_empty() || types.iter().any(|one| one == kind);
        // These relationships have no properties.
        if (!wanted(MENTIONS) && !wanted(ABOUT)) || !constraints.is_empty() {
            return Ok(());
        }
        let asked: BTreeSet<NodeId> = nodes.iter().copied().collect();
        let mut add = |passage: &Passage| {
            let start = self.keep_passage(passage);
            for (kind, entities) in [(MENTIONS, &passage.entities), (ABOUT, &passage.subjects)] {
                for entity in entities.iter().filter(|_| wanted(kind)) {
                    let end = node_id(*entity);
                    if !expansion.leads(start, end, &asked) {
                        continue;
                    }
                    // They have no records of their own; the ID is made from the nodes they join.
                    let id = RelationshipId(
                        start.0.rotate_left(1) ^ end.0.rotate_left(7) ^ u128::from(kind == ABOUT),
                    );
                    let one = Relationship { kind: kind.to_owned(), start, end, properties: Map::new() };
                    self.content.borrow_mut().relationships.entry(id).or_insert_with(|| Arc::new(one));
                    found.insert(Edge { id, start, end });
                }
            }
            found.len() < limit
        };
        if direction != Direction::Incoming {
            let ids: Vec<PassageId> =
                nodes.iter().map(|id| PassageId::from(PointId::from_u128(id.0))).collect();
            let is_later = |time: Option<i64>| time > *as_of && as_of.is_some();
            for passage in self.read(self.quiver.graph.passages(&ids))? {
                if !is_later(passage.time) {
                    add(&passage);
                }
            }
        }
        if direction != Direction::Outgoing {
            let mut filter = filters::mentioning(nodes.iter().copied().map(entity_id));
            if let Some(moment) = *as_of {
                filter = filter.and(filters::not_said_after(moment));
            }
            self.read_pages::<Passage>(&filter, PAGE, |page| Ok(page.iter().all(&mut add)))?;
        }
        Ok(())
    }

    /// Returns the declared schema of the workspace.
    pub(super) fn declared(&self) -> Result<Option<&GraphSchema>> {
        if let Some(known) = self.declared.get() {
            return Ok(known.as_ref());
        }
        let stored = self.wait(self.quiver.graph.read_schema())?;
        let schema = stored.map(serde_json::from_value).transpose().map_err(|source| {
            let message = "the declared schema can't be read; declare it again with `quiver schema set`";
            Error::new(ErrorKind::Graph, message).with_source(source)
        })?;
        Ok(self.declared.get_or_init(|| schema).as_ref())
    }

    /// Declares a schema; an empty one removes the declaration.
    pub(super) fn declare(&self, schema: &GraphSchema) -> Result<()> {
        let stored = (!schema.is_empty()).then(|| serde_json::json!(schema));
        self.wait(self.quiver.graph.write_schema(stored))
    }

    /// Returns the label and the property by which a node was loaded.
    pub(super) fn loaded_by(&self, id: NodeId) -> Option<(String, String)> {
        let content = self.content.borrow();
        loaded_by(content.entities.get(&id)?.key.as_deref()?)
    }

    /// Returns all relationships of a type.
    pub(super) fn relationships_of(&self, kind: &str) -> Result<Vec<Edge>> {
        let mut found = Vec::new();
        self.read_pages::<Relation>(&filters::saying([kind]), PAGE, |page| {
            let of_kind = page.into_iter().filter(|relation| relation.predicate == kind);
            found.extend(of_kind.map(|relation| {
                let one = relationship_of(&relation);
                self.keep_relation(relation, one)
            }));
            Ok(true)
        })?;
        Ok(found)
    }

    /// Returns the changes that break the declared schema, with the reason.
    pub(super) fn violation(&self) -> Result<Option<(Vec<Changed>, String)>> {
        let Some(schema) = self.declared()? else { return Ok(None) };
        let (nodes, relationships) = {
            let content = self.content.borrow();
            let nodes: BTreeMap<_, _> =
                content.changed_nodes.iter().filter_map(|(id, node)| Some((*id, node.clone()?))).collect();
            let relationships: Vec<_> = content
                .changed_relationships
                .iter()
                .filter_map(|(id, one)| Some((*id, one.clone()?)))
                .collect();
            (nodes, relationships)
        };
        for (id, node) in &nodes {
            if let Err(message) = schema.check_node(node) {
                return Ok(Some((vec![Changed::Node(*id)], message)));
            }
        }
        for (label, key) in schema.unique() {
            let with_label = nodes.values().filter(|node| node.labels.contains(label));
            let values: Vec<Value> =
                with_label.filter_map(|node| node.properties.get(key).cloned()).collect();
            if values.is_empty() {
                continue;
            }
            let constraints = vec![Constraint::In(key.to_owned(), values)];
            let mut owners: HashMap<String, NodeId> = HashMap::new();
            for id in self
                .select(&Selection { labels: vec![label.to_owned()], constraints, as_of: None }, usize::MAX)?
            {
                let node = self.node(id)?;
                let Some(value) = node.as_ref().and_then(|node| node.properties.get(key)) else { continue };
                if let Some(other) = owners.insert(value.to_string(), id) {
                    let both = vec![Changed::Node(id), Changed::Node(other)];
                    return Ok(Some((both, not_unique(label, key, value))));
                }
            }
        }
        let ends: BTreeSet<NodeId> = relationships.iter().flat_map(|(_, one)| [one.start, one.end]).collect();
        self.prefetch(&ends.into_iter().collect::<Vec<_>>())?;
        for (id, one) in &relationships {
            let (Some(start), Some(end)) = (self.node(one.start)?, self.node(one.end)?) else { continue };
            if let Err(message) = schema.check_relationship(&one.kind, &one.properties, &start, &end) {
                return Ok(Some((vec![Changed::Relationship(*id)], message)));
            }
        }
        Ok(None)
    }

    /// Returns the passages nearest to a text, nearest first.
    pub(super) fn nearest(
        &self,
        text: &str,
        limit: usize,
        as_of: Option<i64>,
    ) -> Result<Vec<(PassageId, f32)>> {
        let nearest = self.runtime.block_on(nearest_passages(self.quiver.engine(), text, limit, as_of));
        nearest.map_err(|error| match error.kind() {
            crate::ErrorKind::Invalid => refused(format!("{SEARCH}: {error}")),
            _ => Error::new(ErrorKind::Graph, error.to_string()).with_source(error),
        })
    }

    pub(super) fn analysis(&self) -> &Lexical {
        self.quiver.encoder.analysis()
    }

    /// Returns the vectors of passages from the embedder.
    pub(super) fn passage_vectors(
        &self,
        passages: impl IntoIterator<Item = PassageId>,
    ) -> Result<HashMap<PassageId, Vec<f32>>> {
        if self.quiver.encoder.embedder().is_none() {
            return Ok(HashMap::new());
        }
        let ids: BTreeSet<PassageId> = passages.into_iter().collect();
        let mut found = HashMap::new();
        for batch in ids.into_iter().collect::<Vec<_>>().chunks(PAGE) {
            for one in self.read(self.quiver.graph.embedded_passages(batch))? {
                found.extend(one.vectors.dense.map(|dense| (one.record.id, dense)));
            }
        }
        Ok(found)
    }

    /// Finds a shortest path between two nodes, ignoring directions; of several, the one whose relationships come
    /// first.
    fn path(&self, arguments: &[Value], as_of: Option<i64>) -> Result<Called> {
        let (ends, hops) = path_arguments(arguments)?;
        let columns = vec!["path".to_owned()];
        let Some((from, to)) = ends else { return Ok(Called { columns, rows: Vec::new() }) };
        let mut reached: HashMap<NodeId, Option<(RelationshipId, NodeId)>> = HashMap::from([(from, None)]);
        let mut layer = vec![from];
        for _ in 0..hops {
            if layer.is_empty() || reached.contains_key(&to) {
                break;
            }
            let every = Expansion { as_of, ..Expansion::all(Direction::Either) };
            let edges = self.expand(&layer, &every, PATH_EDGES_MAX)?;
            if edges.len() >= PATH_EDGES_MAX {
                let message = format!("{PATH} exceeded {PATH_EDGES_MAX} relationships; give fewer hops");
                return Err(Error::new(ErrorKind::Budget, message));
            }
            let known: BTreeSet<NodeId> = layer.drain(..).collect();
            for edge in edges {
                for (near, far) in [(edge.start, edge.end), (edge.end, edge.start)] {
                    if known.contains(&near) && !reached.contains_key(&far) {
                        reached.insert(far, Some((edge.id, near)));
                        layer.push(far);
                    }
                }
            }
        }
        let mut path = Path { nodes: vec![to], relationships: Vec::new() };
        let Some(mut step) = reached.get(&to) else { return Ok(Called { columns, rows: Vec::new() }) };
        while let Some((relationship, near)) = step {
            path.relationships.push(*relationship);
            path.nodes.push(*near);
            step = reached.get(near).unwrap_or(&None);
        }
        path.nodes.reverse();
        path.relationships.reverse();
        Ok(Called { columns, rows: vec![vec![Value::Path(Arc::new(path))]] })
    }

    /// Returns the ID of an entity with a key.
    fn keyed(&self, key: &str) -> NodeId {
        node_id(EntityId::of_key(self.quiver.graph.workspace(), key))
    }

    /// Creates a node with a key of the caller's, or changes the existing one.
    pub(super) fn put_node(&self, key: String, node: Node) -> NodeId {
        let id = self.keyed(&key);
        let mut content = self.content.borrow_mut();
        content.keys.insert(id, key);
        content.changed_nodes.insert(id, Some(Arc::new(node)));
        id
    }

    /// Creates a relationship, or sets the properties of the one that joins the same nodes with the same type and key.
    /// Returns whether it is new.
    pub(super) fn put_relationship(
        &self,
        relationship: Relationship,
        key: Option<String>,
    ) -> Result<(RelationshipId, bool)> {
        let id = self.identity(&relationship, key.as_deref());
        let existing = self.relationship(id)?;
        let is_new = existing.is_none();
        let mut merged = relationship;
        if let Some(existing) = existing {
            let given = std::mem::take(&mut merged.properties);
            merged.properties = existing.properties.clone();
            merged.properties.extend(given);
        }
        self.insert_relationship(id, merged, key);
        Ok((id, is_new))
    }

    fn insert_relationship(&self, id: RelationshipId, one: Relationship, key: Option<String>) {
        let mut content = self.content.borrow_mut();
        content.relationship_keys.extend(key.map(|key| (id, key)));
        content.changed_relationships.insert(id, Some(Arc::new(one)));
    }

    fn identity(&self, one: &Relationship, key: Option<&str>) -> RelationshipId {
        let workspace = self.quiver.graph.workspace();
        let (subject, object) = (entity_id(one.start), entity_id(one.end));
        let id = RelationId::of(workspace, subject, &one.kind, object, None);
        relationship_id(key.map_or(id, |key| id.with_key(workspace, key)))
    }

    /// Returns an unused key.
    fn fresh_key(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let number = self.created.get() + 1;
        self.created.set(number);
        format!("created {now:x} {:x} {number:x}", std::process::id())
    }

    pub(super) fn prefetch_relationships(&self, wanted: &[(Relationship, Option<String>)]) -> Result<()> {
        let id =
            |(one, key): &(Relationship, Option<String>)| relation_id(self.identity(one, key.as_deref()));
        let ids: Vec<RelationId> = wanted.iter().map(id).collect();
        for relation in self.read(self.quiver.graph.relations(&ids))? {
            let one = relationship_of(&relation);
            self.keep_relation(relation, one);
        }
        Ok(())
    }

    fn is_passage(&self, id: NodeId) -> Result<bool> {
        Ok(self.node(id)?.is_some_and(|node| node.labels.contains(PASSAGE))
            && !self.content.borrow().keys.contains_key(&id))
    }

    /// Returns the entity of a changed node.
    fn entity(&self, id: NodeId, node: &Node, content: &Content) -> Entity {
        let name = display_name(node);
        let mut entity = content.entities.get(&id).cloned().unwrap_or_else(|| {
            let mut entity = Entity::named(self.quiver.graph.workspace(), None, name.clone());
            entity.id = entity_id(id);
            entity.key = content.keys.get(&id).cloned();
            entity
        });
        // The name of an entity without a key is its identity.
        if entity.key.is_some() {
            entity.name = name;
        }
        entity.labels = node.labels.iter().cloned().collect();
        entity.properties = payload(&node.properties);
        entity.pinned = true;
        entity
    }

    fn relation(
        &self,
        id: RelationshipId,
        one: &Relationship,
        content: &Content,
        names: &dyn Fn(NodeId) -> String,
    ) -> Relation {
        let mut relation = content.relations.get(&id).cloned().unwrap_or_else(|| {
            let text = format!("{} {} {}", names(one.start), one.kind, names(one.end));
            let (subject, object) = (entity_id(one.start), entity_id(one.end));
            let workspace = self.quiver.graph.workspace();
            let mut relation = Relation::between(workspace, subject, one.kind.clone(), object, text);
            relation.id = relation_id(id);
            relation.key = content.relationship_keys.get(&id).cloned();
            relation
        });
        relation.properties = payload(&one.properties);
        relation.pinned = true;
        relation
    }

    fn encoded(&self, texts: &[String]) -> Result<Vec<Vectors>> {
        let inputs: Vec<Input<'_>> = texts.iter().map(|text| Input::new(text)).collect();
        let encoded =
            self.runtime.block_on(self.quiver.encoder.encode_documents(&inputs)).map_err(|source| {
                Error::new(ErrorKind::Graph, "the texts can't be embedded").with_source(source)
            })?;
        let vectors = encoded.into_iter().map(|one| Vectors {
            dense: one.dense,
            sparse: SparseVector::from_pairs(one.sparse.iter().copied()),
        });
        Ok(vectors.collect())
    }

    /// Returns the records to write, and those to delete.
    fn changes(&self) -> Result<(Delta, Vec<RelationId>, Vec<EntityId>)> {
        if let Some((_, message)) = self.violation()? {
            return Err(refused(message));
        }
        let content = self.content.borrow();
        let mut delta = Delta::default();
        let (mut entities, mut texts) = (Vec::new(), Vec::new());
        let mut doomed_nodes = Vec::new();
        for (id, node) in &content.changed_nodes {
            match node {
                Some(node) => {
                    let entity = self.entity(*id, node, &content);
                    texts.push(entity.name.clone());
                    entities.push(entity);
                }
                // What was created and deleted in one query was never written.
                None if content.entities.contains_key(id) => doomed_nodes.push(entity_id(*id)),
                None => {}
            }
        }
        let names = |id: NodeId| {
            let changed = content.changed_nodes.get(&id).and_then(Option::as_ref);
            changed.or_else(|| content.nodes.get(&id)).map(|node| display_name(node)).unwrap_or_default()
        };
        let (mut relations, mut doomed_relations) = (Vec::new(), Vec::new());
        for (id, one) in &content.changed_relationships {
            match one {
                Some(one) => {
                    let relation = self.relation(*id, one, &content, &names);
                    texts.push(relation.text.clone());
                    relations.push(relation);
                }
                None if content.relations.contains_key(id) => doomed_relations.push(relation_id(*id)),
                None => {}
            }
        }
        let mut vectors = self.encoded(&texts)?.into_iter();
        let mut next = || vectors.next().unwrap_or_default();
        delta.entities.extend(entities.into_iter().map(|record| Embedded { record, vectors: next() }));
        delta.relations.extend(relations.into_iter().map(|record| Embedded { record, vectors: next() }));
        Ok((delta, doomed_relations, doomed_nodes))
    }

    /// Writes all changes as one unit, if `check` succeeds. Nobody else commits meanwhile.
    fn write_changes(&self, check: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        let (delta, mut relations, nodes) = self.changes()?;
        if delta.entities.is_empty() && delta.relations.is_empty() && relations.is_empty() && nodes.is_empty()
        {
            return Ok(());
        }
        let _alone = self.runtime.block_on(self.quiver.commits.lock());
        check(self)?;
        self.content.take();
        relations.extend(self.hidden_relations(&nodes)?);
        self.wait(self.quiver.graph.whole().change(delta, &relations, &nodes))
    }

    /// Drops what was read and not changed, so that the next query of a transaction reads it again. Keeps the original
    /// state of what was changed, and the nodes that changed relationships join, since their names are part of the
    /// texts.
    pub(super) fn forget_reads(&self) -> Result<()> {
        let mut content = self.content.borrow_mut();
        content.unread.clear();
        let Content {
            entities, nodes, relations, relationships, changed_nodes, changed_relationships, ..
        } = &mut *content;
        let changes = changed_nodes.len() + changed_relationships.len();
        if changes > HELD_MAX {
            let message = format!(
                "the transaction changes {changes} nodes and relationships, but at most {HELD_MAX} are allowed; commit more often"
            );
            return Err(Error::new(ErrorKind::Budget, message));
        }
        let ends: BTreeSet<NodeId> =
            changed_relationships.values().flatten().flat_map(|one| [one.start, one.end]).collect();
        nodes.retain(|id, _| changed_nodes.contains_key(id) || ends.contains(id));
        entities.retain(|id, _| changed_nodes.contains_key(id));
        relations.retain(|id, _| changed_relationships.contains_key(id));
        relationships.retain(|id, _| changed_relationships.contains_key(id));
        Ok(())
    }

    /// Writes the changes of a transaction, unless somebody else changed the same data meanwhile.
    pub(super) fn write_held(&mut self) -> Result<()> {
        // It may have been declared meanwhile.
        self.declared = OnceCell::new();
        self.write_changes(Self::check_unchanged)
    }

    /// Fails if a record to be written or deleted is no longer as it was read, or if a node that no longer exists is
    /// referenced.
    fn check_unchanged(&self) -> Result<()> {
        let conflict = |what: &str, name: &str| {
            let message = format!(
                "{what} {name:?} was changed by another client since this transaction read it; nothing of the transaction \
                 is written, and it may succeed if it is repeated"
            );
            Err(Error::new(ErrorKind::Conflict, message))
        };
        let content = self.content.borrow();
        let name_of = |id: &NodeId| content.nodes.get(id).map(|node| display_name(node)).unwrap_or_default();
        let joined = content.changed_relationships.values().flatten().flat_map(|one| [one.start, one.end]);
        let nodes: BTreeSet<NodeId> = content.changed_nodes.keys().copied().chain(joined).collect();
        for batch in nodes.into_iter().collect::<Vec<_>>().chunks(PAGE) {
            let ids: Vec<EntityId> = batch.iter().copied().map(entity_id).collect();
            let now = self.read(self.quiver.graph.entities(&ids))?;
            let now: HashMap<NodeId, Entity> = now.into_iter().map(|one| (node_id(one.id), one)).collect();
            for id in batch {
                let is_same = if content.changed_nodes.contains_key(id) {
                    now.get(id) == content.entities.get(id)
                } else {
                    now.contains_key(id)
                };
                if !is_same {
                    return conflict("the node", &name_of(id));
                }
            }
        }
        let relationships: Vec<RelationshipId> = content.changed_relationships.keys().copied().collect();
        for batch in relationships.chunks(PAGE) {
            let ids: Vec<RelationId> = batch.iter().copied().map(relation_id).collect();
            let now = self.read(self.quiver.graph.relations(&ids))?;
            let now: HashMap<RelationshipId, Relation> =
                now.into_iter().map(|one| (relationship_id(one.id), one)).collect();
            for id in batch {
                if now.get(id) != content.relations.get(id) {
                    let text = now.get(id).or_else(|| content.relations.get(id)).map(|one| one.text.as_str());
                    return conflict("the relationship", text.unwrap_or_default());
                }
            }
        }
        let deleted = content.changed_nodes.iter().filter(|(_, node)| node.is_none());
        let deleted: Vec<NodeId> = deleted.map(|(id, _)| *id).collect();
        drop(content);
        let left = self.expand(&deleted, &Expansion::all(Direction::Either), 1)?;
        match left.first() {
            Some(_) => conflict("a relationship of a deleted node", ""),
            None => Ok(()),
        }
    }

    /// Writes a batch of a load. If it is interrupted, the same load completes it.
    pub(super) fn commit_batch(&self) -> Result<()> {
        let (delta, ..) = self.changes()?;
        self.content.take();
        if delta.entities.is_empty() && delta.relations.is_empty() {
            return Ok(());
        }
        let _alone = self.runtime.block_on(self.quiver.commits.lock());
        self.wait(self.quiver.graph.whole().apply(delta)).map(|_| ())
    }
}

impl PropertyGraph for StoreGraph {
    fn select(&self, selection: &Selection, limit: usize) -> Result<Vec<NodeId>> {
        let mut found = Vec::new();
        // Changed nodes are filtered out again.
        let most = limit.saturating_add(self.content.borrow().changed_nodes.len());
        if !selection.labels.iter().any(|label| label == PASSAGE) {
            self.select_entities(selection, most, &mut found)?;
        }
        self.select_passages(selection, most, &mut found)?;
        let content = self.content.borrow();
        if !content.changed_nodes.is_empty() {
            found.retain(|id| !content.changed_nodes.contains_key(id));
            let changed = content.changed_nodes.iter().filter_map(|(id, node)| Some((*id, node.as_ref()?)));
            found.extend(changed.filter(|(_, node)| selection.matches(node)).map(|(id, _)| id));
        }
        found.truncate(limit);
        Ok(found)
    }

    fn keep(&self, nodes: &[NodeId], selection: &Selection) -> Result<BTreeSet<NodeId>> {
        let mut kept: BTreeSet<NodeId> = {
            let content = self.content.borrow();
            let node = |id: &NodeId| match content.changed_nodes.get(id) {
                Some(changed) => changed.as_ref(),
                None => content.nodes.get(id),
            };
            nodes.iter().copied().filter(|id| node(id).is_some_and(|node| selection.matches(node))).collect()
        };
        for batch in self.unknown(nodes).chunks(PAGE) {
            let found = self.keep_unknown(batch, selection)?;
            kept.extend(found);
        }
        Ok(kept)
    }

    fn estimate(&self, selection: &Selection) -> Result<u64> {
        let or_all =
            |filters: Vec<Filter>| if filters.is_empty() { vec![Filter::everything()] } else { filters };
        let mut count = 0;
        if !selection.labels.iter().any(|label| label == PASSAGE) {
            count += self.estimate_all::<Entity>(&or_all(Self::entity_filters(selection)))?;
        }
        if let Some(filters) = Self::passage_filters(selection) {
            count += self.estimate_all::<Passage>(&or_all(filters))?;
        }
        Ok(count + self.content.borrow().changed_nodes.len() as u64)
    }

    fn count_nodes(&self, selection: &Selection) -> Result<u64> {
        if !self.content.borrow().changed_nodes.is_empty() {
            return Ok(self.select(selection, usize::MAX)?.len() as u64);
        }
        let mut count = 0;
        if !selection.labels.iter().any(|label| label == PASSAGE) {
            count += self.count_entities(selection)?;
        }
        if let Some(filter) = Self::passage_filter(selection) {
            count += if selection.constraints.is_empty() {
                self.count::<Passage>(&filter)?
            } else {
                self.count_read_ones(&filter, |one: &Passage| selection.matches(&node_of_passage(one)))?
            };
        }
        Ok(count)
    }

    fn count_relationships(&self, expansion: &Expansion) -> Result<Option<u64>> {
        let Expansion { direction, types, constraints, ends, as_of } = expansion;
        let is_changed = {
            let content = self.content.borrow();
            !content.changed_nodes.is_empty() || !content.changed_relationships.is_empty()
        };
        if is_changed
            || as_of.is_some()
            || ends.is_some()
            || !constraints.is_empty()
            || *direction == Direction::Either
        {
            return Ok(None);
        }
        let mut count = if types.is_empty() {
            self.count::<Relation>(&Filter::everything())?
        } else {
            // Types that differ only in spelling have the same index.
            let saying = filters::saying(types.iter().map(String::as_str));
            self.count_read_ones(&saying, |one: &Relation| types.contains(&one.predicate))?
        };
        let wanted = |kind: &str| types.is_empty() || types.iter().any(|one| one == kind);
        let (mentions, about) = (wanted(MENTIONS), wanted(ABOUT));
        if mentions || about {
            self.read_pages::<Passage>(&Filter::everything(), PAGE, |page| {
                for passage in page {
                    for (_, entities) in [(mentions, &passage.entities), (about, &passage.subjects)]
                        .into_iter()
                        .filter(|(is_wanted, _)| *is_wanted)
                    {
                        count += entities.iter().collect::<BTreeSet<_>>().len() as u64;
                    }
                }
                Ok(true)
            })?;
        }
        Ok(Some(count))
    }

    fn reads(&self) -> Reads {
        self.reads.get()
    }

    fn expand(&self, nodes: &[NodeId], expansion: &Expansion, limit: usize) -> Result<Vec<Edge>> {
        let mut found = BTreeSet::new();
        // What is not written yet is not in the database.
        let stored: Vec<NodeId> = {
            let content = self.content.borrow();
            nodes
                .iter()
                .copied()
                .filter(|id| !content.keys.contains_key(id) || content.nodes.contains_key(id))
                .collect()
        };
        for batch in stored.chunks(FRONTIER) {
            self.expand_relations(batch, expansion, limit, &mut found)?;
            self.expand_passages(batch, expansion, limit, &mut found)?;
        }
        let content = self.content.borrow();
        if !content.changed_relationships.is_empty() {
            found.retain(|edge| !content.changed_relationships.contains_key(&edge.id));
            let asked: BTreeSet<NodeId> = nodes.iter().copied().collect();
            for (id, one) in &content.changed_relationships {
                let Some(one) = one else { continue };
                if expansion.matches(one) && expansion.leads(one.start, one.end, &asked) {
                    found.insert(Edge { id: *id, start: one.start, end: one.end });
                }
            }
        }
        Ok(found.into_iter().take(limit).collect())
    }

    fn prefetch(&self, nodes: &[NodeId]) -> Result<()> {
        for batch in self.unknown(nodes).chunks(PAGE) {
            let ids: Vec<EntityId> = batch.iter().copied().map(entity_id).collect();
            let lists = halves(&ids).map(|half| self.quiver.graph.entities(half));
            for found in self.wait(try_join_all(lists))? {
                self.count_read(found.len());
                for entity in found {
                    let node = node_of_entity(&entity);
                    self.keep_entity(entity, node);
                }
            }
            self.prefetch_passages(batch)?;
            let mut content = self.content.borrow_mut();
            for id in batch {
                content.unread.remove(id);
            }
        }
        Ok(())
    }

    fn node(&self, id: NodeId) -> Result<Option<Arc<Node>>> {
        let known = || {
            let content = self.content.borrow();
            content.changed_nodes.get(&id).cloned().or_else(|| content.nodes.get(&id).cloned().map(Some))
        };
        if let Some(node) = known() {
            return Ok(node);
        }
        // If one node is needed that was only passed, others will be too.
        let mut wanted = vec![id];
        {
            let content = self.content.borrow();
            if content.unread.contains(&id) {
                let others = content.unread.range(id..).chain(content.unread.range(..id)).skip(1);
                wanted.extend(others.take(FRONTIER - 1));
            }
        }
        self.prefetch(&wanted)?;
        Ok(known().flatten())
    }

    fn relationship(&self, id: RelationshipId) -> Result<Option<Arc<Relationship>>> {
        let known = || {
            let content = self.content.borrow();
            content
                .changed_relationships
                .get(&id)
                .cloned()
                .or_else(|| content.relationships.get(&id).cloned().map(Some))
        };
        if let Some(one) = known() {
            return Ok(one);
        }
        for relation in self.read(self.quiver.graph.relations(&[relation_id(id)]))? {
            let one = relationship_of(&relation);
            self.keep_relation(relation, one);
        }
        Ok(known().flatten())
    }

    fn schema(&self) -> Result<Schema> {
        let mut labels: BTreeMap<String, u64> = BTreeMap::new();
        for (label, count) in self.read(self.quiver.graph.labels(NAMES_MAX))? {
            *labels.entry(label).or_default() += count;
        }
        for (kind, count) in self.read(self.quiver.graph.kinds(NAMES_MAX))? {
            *labels.entry(label_of_kind(&kind)).or_default() += count;
        }
        let passages = self.count::<Passage>(&Filter::everything())?;
        if passages > 0 {
            labels.insert(PASSAGE.to_owned(), passages);
        }
        // A predicate is counted in its normalised form; one relation shows how it is written.
        let mut types = Vec::new();
        for (predicate, count) in self.read(self.quiver.graph.predicates(NAMES_MAX))? {
            let sample =
                self.read(self.quiver.graph.list::<Relation>(filters::saying([predicate.as_str()]), 1))?;
            types.extend(sample.into_iter().map(|relation| (relation.predicate, count)));
        }
        types.sort();
        let mut keys = BTreeSet::new();
        for entity in self.read(self.quiver.graph.list::<Entity>(Filter::everything(), PAGE))? {
            keys.extend(node_of_entity(&entity).properties.into_keys());
        }
        Ok(Schema { labels: labels.into_iter().collect(), types, keys: keys.into_iter().collect() })
    }

    fn values(&self, label: Option<&str>, key: &str, limit: usize) -> Result<Vec<Value>> {
        let labels = label.map(str::to_owned).into_iter().collect();
        let found = self.select(&Selection { labels, ..Selection::default() }, limit)?;
        let mut values = Vec::new();
        for id in found {
            values.extend(self.node(id)?.and_then(|node| node.properties.get(key).cloned()));
        }
        Ok(values)
    }

    fn procedures(&self) -> &'static [&'static str] {
        &[SEARCH, SIMILAR, PATH]
    }

    fn call(&self, procedure: &str, arguments: &[Value], as_of: Option<i64>) -> Result<Option<Called>> {
        match procedure {
            SEARCH => {}
            PATH => return self.path(arguments, as_of).map(Some),
            SIMILAR => return self.similar(arguments, as_of).map(Some),
            _ => return Ok(None),
        }
        let (text, limit) = search_arguments(arguments)?;
        let nearest = self.nearest(&text, limit, as_of)?;
        let ids: Vec<PassageId> = nearest.iter().map(|(id, _)| *id).collect();
        let mut known = HashMap::new();
        for batch in ids.chunks(PAGE) {
            for passage in self.read(self.quiver.graph.passages(batch))? {
                known.insert(passage.id, self.keep_passage(&passage));
            }
        }
        let row = |(id, score): &(PassageId, f32)| {
            Some(vec![Value::Node(*known.get(id)?), Value::Float(f64::from(*score))])
        };
        let columns = vec!["passage".to_owned(), "score".to_owned()];
        Ok(Some(Called { columns, rows: nearest.iter().filter_map(row).collect() }))
    }

    fn begin(&self) -> Result<()> {
        Ok(())
    }

    fn commit(&self) -> Result<()> {
        if self.is_held {
            return Ok(());
        }
        self.write_changes(|_| Ok(()))
    }

    fn rollback(&self) {
        self.content.take();
    }

    fn create_node(&self, node: Node) -> Result<NodeId> {
        if node.labels.contains(PASSAGE) {
            return Err(refused("passages come from documents; `quiver ingest` adds them"));
        }
        // A created node is a new one, even if another is equal.
        Ok(self.put_node(self.fresh_key(), node))
    }

    fn create_relationship(&self, relationship: Relationship) -> Result<RelationshipId> {
        if self.is_passage(relationship.start)? || self.is_passage(relationship.end)? {
            return Err(refused("the references of a passage come from its document and can't be created"));
        }
        // The first relationship of its type between two nodes needs no key, so that loading finds it.
        let first = self.identity(&relationship, None);
        let key = self.relationship(first)?.map(|_| self.fresh_key());
        let id = self.identity(&relationship, key.as_deref());
        self.insert_relationship(id, relationship, key);
        Ok(id)
    }

    fn update_node(&self, id: NodeId, node: Node) -> Result<()> {
        if self.is_passage(id)? {
            return Err(refused("passages come from documents and can't be changed by a query"));
        }
        self.content.borrow_mut().changed_nodes.insert(id, Some(Arc::new(node)));
        Ok(())
    }

    fn update_relationship(&self, id: RelationshipId, properties: Map) -> Result<()> {
        let Some(one) = self.relationship(id)? else { return Err(refused("the relationship was deleted")) };
        if self.is_passage(one.start)? {
            return Err(refused("the references of a passage come from its document and can't be changed"));
        }
        let changed = Relationship { properties, ..(*one).clone() };
        self.content.borrow_mut().changed_relationships.insert(id, Some(Arc::new(changed)));
        Ok(())
    }

    fn delete(&self, nodes: &[NodeId], relationships: &[RelationshipId]) -> Result<()> {
        for id in nodes {
            if self.is_passage(*id)? {
                return Err(refused("passages come from documents; `quiver delete` deletes documents"));
            }
        }
        let ids: Vec<RelationId> = relationships.iter().copied().map(relation_id).collect();
        for batch in ids.chunks(PAGE) {
            let supported = filters::supporting(batch.iter().copied());
            if self.count::<Passage>(&supported)? > 0 {
                return Err(refused("a passage states the relationship to delete; delete its document"));
            }
        }
        for id in relationships {
            if let Some(one) = self.relationship(*id)?
                && self.is_passage(one.start)?
            {
                return Err(refused("a passage mentions the node to delete; delete its document"));
            }
        }
        let mut content = self.content.borrow_mut();
        content.changed_relationships.extend(relationships.iter().map(|id| (*id, None)));
        content.changed_nodes.extend(nodes.iter().map(|id| (*id, None)));
        Ok(())
    }
}

/// Returns the value of a key nearest to a given one, for messages.
pub(super) fn nearest_value(
    graph: &StoreGraph,
    label: &str,
    key: &str,
    wanted: &str,
) -> Result<Option<String>> {
    let values = graph.values(Some(label), key, 10 * PAGE)?;
    Ok(nearest(wanted, values.iter().filter_map(Value::as_str)).map(str::to_owned))
}
