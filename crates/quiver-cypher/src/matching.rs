//! Runs the plan of a MATCH over rows.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use crate::{
    Value,
    ast::{Direction, Expression},
    error::{Result, wrong_type},
    evaluate::{Context, Environment},
    graph::{Constraint, Edge, Expansion, NodeId, RelationshipId, Selection},
    plan::{ENDS_MAX, Follow, Lookup, Plan, Step, constraint},
    value::Path,
};

/// Number of rows that go through the steps together.
const CHUNK: usize = 2048;

type Row = Vec<Value>;

pub(crate) struct Matcher<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) plan: &'a Plan,
}

/// Returns the other end of an edge, if it leads in this direction from a node.
fn other_end(edge: &Edge, from: NodeId, direction: Direction) -> Option<NodeId> {
    let outgoing = (edge.start == from && direction != Direction::Incoming).then_some(edge.end);
    outgoing.or_else(|| (edge.end == from && direction != Direction::Outgoing).then_some(edge.start))
}

fn node_of(value: &Value) -> Result<Option<NodeId>> {
    match value {
        Value::Node(id) => Ok(Some(*id)),
        Value::Null => Ok(None),
        other => {
            Err(wrong_type(format!("a pattern requires a node, but the variable is {}", other.type_name())))
        }
    }
}

impl Matcher<'_> {
    /// Matches the pattern from rows; at most `limit` results. Each result begins with the incoming columns.
    pub(crate) fn run(&self, rows: Vec<Row>, limit: usize) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        let width = self.plan.columns.len();
        let widened = rows.into_iter().map(|mut row| {
            row.resize(width, Value::Null);
            row
        });
        self.proceed(0, widened.collect(), &mut found, limit, &mut None)?;
        Ok(found)
    }

    /// Counts the rows that come out of each step.
    pub(crate) fn counts(&self, rows: Vec<Row>) -> Result<Vec<usize>> {
        let mut counts = Some(vec![0; self.plan.steps.len()]);
        let width = self.plan.columns.len();
        let mut rows = rows;
        rows.iter_mut().for_each(|row| row.resize(width, Value::Null));
        self.proceed(0, rows, &mut Vec::new(), 1, &mut counts)?;
        Ok(counts.unwrap_or_default())
    }

    fn proceed(
        &self,
        at: usize,
        rows: Vec<Row>,
        found: &mut Vec<Row>,
        limit: usize,
        counts: &mut Option<Vec<usize>>,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let Some(step) = self.plan.steps.get(at) else {
            found.extend(rows);
            found.truncate(limit);
            return self.context.meter.check_rows(found.len());
        };
        let mut rows = rows.into_iter();
        // With a limit, the first rows go ahead alone.
        let mut size = if limit < CHUNK { limit.max(1) } else { CHUNK };
        loop {
            let chunk: Vec<Row> = rows.by_ref().take(size).collect();
            if chunk.is_empty() || found.len() >= limit {
                return Ok(());
            }
            size = CHUNK;
            let before = self.context.graph.reads();
            let needed =
                if counts.is_none() && self.keeps_all_after(at) { limit - found.len() } else { usize::MAX };
            let next = self.apply(step, chunk, needed)?;
            if let Some(profile) = self.context.profile {
                let text = self.plan.describe_step(step).unwrap_or_else(|| self.plan.read_text(step));
                profile.add(text, next.len(), self.context.graph.reads() - before);
            }
            if let Some(counts) = counts {
                counts[at] += next.len();
            }
            self.proceed(at + 1, next, found, limit, counts)?;
        }
    }

    /// Whether no later step drops any of the nodes that a step finds.
    fn keeps_all_after(&self, at: usize) -> bool {
        let Some(Step::Select { slot: found, labels: wanted, .. }) = self.plan.steps.get(at) else {
            return false;
        };
        self.plan.steps[at + 1..].iter().all(|step| match step {
            Step::Labels { slot, labels, lookups } => {
                slot == found && lookups.is_empty() && labels.iter().all(|label| wanted.contains(label))
            }
            Step::Path { .. } => true,
            _ => false,
        })
    }

    fn apply(&self, step: &Step, rows: Vec<Row>, limit: usize) -> Result<Vec<Row>> {
        match step {
            Step::Select { slot, labels, lookups, .. } => {
                let mut found = Vec::new();
                let most = limit.min(self.context.meter.rows_max() + 1);
                // Rows with the same lookup share one call.
                let mut known: Vec<(Selection, Vec<NodeId>)> = Vec::new();
                for row in rows {
                    let environment = Environment::new(&self.plan.columns, &row);
                    let mut selection = self.context.selection(labels, Vec::new());
                    let mut is_possible = true;
                    for lookup in lookups {
                        match constraint(self.context, lookup, &environment)? {
                            Some(constraint) => selection.constraints.push(constraint),
                            None => is_possible = false,
                        }
                    }
                    if !is_possible {
                        continue;
                    }
                    let nodes = match known.iter().position(|(other, _)| *other == selection) {
                        Some(index) => &known[index].1,
                        None => {
                            let nodes = self.context.graph.select(&selection, most)?;
                            self.context.meter.check_rows(nodes.len())?;
                            if known.len() > 64 {
                                known.clear();
                            }
                            known.push((selection, nodes));
                            &known[known.len() - 1].1
                        }
                    };
                    for node in nodes {
                        self.context.meter.step()?;
                        let mut next = row.clone();
                        next[*slot] = Value::Node(*node);
                        found.push(next);
                    }
                    self.context.meter.check_rows(found.len())?;
                }
                Ok(found)
            }
            Step::Labels { slot, labels, lookups } => self.keep(rows, *slot, labels, lookups),
            Step::Properties { slot, properties } => self.properties(rows, *slot, properties),
            Step::Filter(condition) => {
                self.context.read_ahead([condition], &self.plan.columns, &rows)?;
                let mut kept = Vec::new();
                for row in rows {
                    if self.context.is_true(condition, &Environment::new(&self.plan.columns, &row))? {
                        kept.push(row);
                    }
                }
                Ok(kept)
            }
            Step::Expand(follow) => self.expand(rows, follow),
            Step::ExpandMany { follow, least, most, properties, reversed } => {
                self.expand_many(&rows, follow, (*least, *most), properties.as_ref(), *reversed)
            }
            Step::Ends { follow, .. } => self.ends(&rows, follow),
            Step::ListEnds { follow, .. } => self.list_ends(&rows, follow),
            Step::Shortest { follow, least, most, all, properties } => {
                self.shortest(&rows, follow, (*least, *most), *all, properties.as_ref())
            }
            Step::Path { slot, nodes, relationships } => {
                rows.into_iter().map(|row| self.path(row, *slot, nodes, relationships)).collect()
            }
        }
    }

    /// Keeps the rows whose node has the labels and passes the lookups.
    fn keep(&self, rows: Vec<Row>, slot: usize, labels: &[String], lookups: &[Lookup]) -> Result<Vec<Row>> {
        let mut ids = BTreeSet::new();
        for row in &rows {
            ids.extend(node_of(&row[slot])?);
        }
        let ids: Vec<NodeId> = ids.into_iter().collect();
        let Some(constraints) = self.constraints(lookups)? else { return Ok(Vec::new()) };
        let selection = Selection { labels: labels.to_vec(), constraints, as_of: None };
        let kept = self.context.graph.keep(&ids, &selection)?;
        let all = labels.is_empty() && lookups.is_empty();
        let keeps = |row: &Row| matches!(&row[slot], Value::Node(id) if all || kept.contains(id));
        Ok(rows.into_iter().filter(keeps).collect())
    }

    /// Returns the constraints of lookups whose values are the same for all rows; `None` if nothing can pass them.
    fn constraints(&self, lookups: &[Lookup]) -> Result<Option<Vec<Constraint>>> {
        let environment = Environment::new(&[], &[]);
        lookups.iter().map(|lookup| constraint(self.context, lookup, &environment)).collect()
    }

    fn properties(&self, rows: Vec<Row>, slot: usize, properties: &Expression) -> Result<Vec<Row>> {
        let mut kept = Vec::new();
        for row in rows {
            let wanted = self.context.evaluate(properties, &Environment::new(&self.plan.columns, &row))?;
            let wanted = self.context.properties(&wanted)?;
            let actual = self.context.properties(&row[slot])?;
            if has_all(&actual, &wanted) {
                kept.push(row);
            }
        }
        Ok(kept)
    }

    /// Finds the edges of the nodes in a column, by node.
    fn edges(
        &self,
        nodes: &BTreeSet<NodeId>,
        follow: &Follow,
        ends: Option<BTreeSet<NodeId>>,
    ) -> Result<BTreeMap<NodeId, Vec<(Edge, NodeId)>>> {
        let list: Vec<NodeId> = nodes.iter().copied().collect();
        let left = self.context.meter.relationships_left();
        let as_of = self.context.as_of.get();
        let types = follow.types.clone();
        let mut expansion = Expansion { types, ends, as_of, ..Expansion::all(follow.direction) };
        match self.constraints(&follow.lookups)? {
            Some(constraints) => expansion.constraints = constraints,
            None => return Ok(BTreeMap::new()),
        }
        let edges = self.context.graph.expand(&list, &expansion, left)?;
        self.context.meter.spend_relationships(edges.len())?;
        let mut by_node: BTreeMap<NodeId, Vec<(Edge, NodeId)>> = BTreeMap::new();
        for edge in edges {
            for from in [edge.start, edge.end] {
                if nodes.contains(&from)
                    && let Some(to) = other_end(&edge, from, follow.direction)
                    && (edge.start != edge.end
                        || by_node.get(&from).and_then(|list| list.last()).is_none_or(|last| last.0 != edge))
                {
                    by_node.entry(from).or_default().push((edge, to));
                }
            }
        }
        Ok(by_node)
    }

    /// Returns the nodes that relationships may lead to, if they are few.
    fn few_ends(&self, rows: &[Row], follow: &Follow) -> Result<Option<BTreeSet<NodeId>>> {
        let mut ends = BTreeSet::new();
        if follow.into {
            for row in rows {
                ends.extend(node_of(&row[follow.to])?);
                if ends.len() > ENDS_MAX {
                    return Ok(None);
                }
            }
            return Ok(Some(ends));
        }
        let Some(few) = &follow.few else { return Ok(None) };
        let Some(constraints) = self.constraints(&few.lookups)? else { return Ok(Some(ends)) };
        let selection = Selection { labels: few.labels.clone(), constraints, as_of: None };
        // The estimate may have been wrong.
        let found = self.context.graph.select(&selection, ENDS_MAX + 1)?;
        ends.extend(found);
        Ok(Some(ends).filter(|ends| ends.len() <= ENDS_MAX))
    }

    fn is_used(row: &[Value], used: &[usize], id: RelationshipId) -> bool {
        used.iter().any(|slot| match &row[*slot] {
            Value::Relationship(other) => *other == id,
            Value::List(others) => {
                others.iter().any(|other| matches!(other, Value::Relationship(other) if *other == id))
            }
            _ => false,
        })
    }

    fn expand(&self, rows: Vec<Row>, follow: &Follow) -> Result<Vec<Row>> {
        let mut from = BTreeSet::new();
        for row in &rows {
            from.extend(node_of(&row[follow.from])?);
        }
        let edges = self.edges(&from, follow, self.few_ends(&rows, follow)?)?;
        let mut found = Vec::new();
        for row in rows {
            let Some(from) = node_of(&row[follow.from])? else { continue };
            for (edge, to) in edges.get(&from).map(Vec::as_slice).unwrap_or_default() {
                self.context.meter.step()?;
                if Self::is_used(&row, &follow.used, edge.id)
                    || (follow.into && !matches!(row[follow.to], Value::Node(known) if known == *to))
                {
                    continue;
                }
                let mut next = row.clone();
                next[follow.slot] = Value::Relationship(edge.id);
                next[follow.to] = Value::Node(*to);
                found.push(next);
            }
            self.context.meter.check_rows(found.len())?;
        }
        Ok(found)
    }

    fn passes(&self, id: RelationshipId, wanted: Option<&crate::Map>) -> Result<bool> {
        let Some(wanted) = wanted else { return Ok(true) };
        Ok(has_all(&self.context.relationship(id)?.properties, wanted))
    }

    fn wanted(&self, row: &[Value], properties: Option<&Expression>) -> Result<Option<crate::Map>> {
        let environment = Environment::new(&self.plan.columns, row);
        let wanted = properties.map(|properties| {
            let wanted = self.context.evaluate(properties, &environment)?;
            self.context.properties(&wanted)
        });
        wanted.transpose()
    }

    fn expand_many(
        &self,
        rows: &[Row],
        follow: &Follow,
        (least, most): (u64, u64),
        properties: Option<&Expression>,
        reversed: bool,
    ) -> Result<Vec<Row>> {
        struct Walk {
            row: usize,
            node: NodeId,
            edges: Vec<RelationshipId>,
        }
        let mut wanted = Vec::new();
        let mut walks = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            wanted.push(self.wanted(row, properties)?);
            if let Some(node) = node_of(&row[follow.from])? {
                walks.push(Walk { row: index, node, edges: Vec::new() });
            }
        }
        let mut found = Vec::new();
        let mut depth = 0;
        loop {
            if depth >= least {
                for walk in &walks {
                    let row = &rows[walk.row];
                    if follow.into && !matches!(row[follow.to], Value::Node(known) if known == walk.node) {
                        continue;
                    }
                    let mut next = row.clone();
                    let mut edges: Vec<Value> = walk.edges.iter().copied().map(Value::Relationship).collect();
                    if reversed {
                        edges.reverse();
                    }
                    next[follow.slot] = Value::list(edges);
                    next[follow.to] = Value::Node(walk.node);
                    found.push(next);
                }
                self.context.meter.check_rows(found.len())?;
            }
            if depth == most || walks.is_empty() || most < least {
                return Ok(found);
            }
            depth += 1;
            let nodes: BTreeSet<NodeId> = walks.iter().map(|walk| walk.node).collect();
            let edges = self.edges(&nodes, follow, None)?;
            let mut next = Vec::new();
            for walk in walks {
                for (edge, to) in edges.get(&walk.node).map(Vec::as_slice).unwrap_or_default() {
                    self.context.meter.step()?;
                    if walk.edges.contains(&edge.id)
                        || Self::is_used(&rows[walk.row], &follow.used, edge.id)
                        || !self.passes(edge.id, wanted[walk.row].as_ref())?
                    {
                        continue;
                    }
                    let mut edges = walk.edges.clone();
                    edges.push(edge.id);
                    next.push(Walk { row: walk.row, node: *to, edges });
                }
                self.context.meter.check_rows(next.len())?;
            }
            walks = next;
        }
    }

    fn ends(&self, rows: &[Row], follow: &Follow) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        for row in rows {
            let id = match &row[follow.slot] {
                Value::Relationship(id) => *id,
                Value::Null => continue,
                other => {
                    return Err(wrong_type(format!(
                        "a pattern requires a relationship, but the variable is {}",
                        other.type_name()
                    )));
                }
            };
            if Self::is_used(row, &follow.used, id) {
                continue;
            }
            let one = self.context.relationship(id)?;
            if !follow.types.is_empty() && !follow.types.contains(&one.kind) {
                continue;
            }
            let mut ways = Vec::new();
            if follow.direction != Direction::Incoming {
                ways.push((one.start, one.end));
            }
            if follow.direction != Direction::Outgoing && (one.start != one.end || ways.is_empty()) {
                ways.push((one.end, one.start));
            }
            for (from, to) in ways {
                let fits = |slot: usize, node: NodeId| match &row[slot] {
                    Value::Null => true,
                    Value::Node(known) => *known == node,
                    _ => false,
                };
                if fits(follow.from, from) && fits(follow.to, to) && (follow.from != follow.to || from == to)
                {
                    let mut next = row.clone();
                    next[follow.from] = Value::Node(from);
                    next[follow.to] = Value::Node(to);
                    found.push(next);
                }
            }
        }
        Ok(found)
    }

    fn list_ends(&self, rows: &[Row], follow: &Follow) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        for row in rows {
            let Value::List(items) = row[follow.slot].clone() else { continue };
            let mut starts: Vec<NodeId> = Vec::new();
            match items.first() {
                Some(Value::Relationship(first)) => {
                    let one = self.context.relationship(*first)?;
                    starts.extend([one.start, one.end]);
                    starts.dedup();
                }
                _ => starts.extend(node_of(&row[follow.from])?),
            }
            for start in starts {
                let mut node = Some(start);
                for item in items.iter() {
                    let (Value::Relationship(id), Some(at)) = (item, node) else {
                        node = None;
                        break;
                    };
                    let one = self.context.relationship(*id)?;
                    let edge = Edge { id: *id, start: one.start, end: one.end };
                    let passes = follow.types.is_empty() || follow.types.contains(&one.kind);
                    node = other_end(&edge, at, follow.direction).filter(|_| passes);
                }
                let Some(end) = node else { continue };
                let fits = |slot: usize, node: NodeId| match &row[slot] {
                    Value::Null => true,
                    Value::Node(known) => *known == node,
                    _ => false,
                };
                if fits(follow.from, start) && fits(follow.to, end) {
                    let mut next = row.clone();
                    next[follow.from] = Value::Node(start);
                    next[follow.to] = Value::Node(end);
                    found.push(next);
                }
            }
        }
        Ok(found)
    }

    /// Breadth-first search between two bound nodes, row by row.
    fn shortest(
        &self,
        rows: &[Row],
        follow: &Follow,
        (least, most): (u64, u64),
        all: bool,
        properties: Option<&Expression>,
    ) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        for row in rows {
            let (Some(from), Some(to)) = (node_of(&row[follow.from])?, node_of(&row[follow.to])?) else {
                continue;
            };
            let wanted = self.wanted(row, properties)?;
            for path in self.shortest_paths(from, to, follow, (least, most), all, wanted.as_ref())? {
                let mut next = row.clone();
                next[follow.slot] = Value::list(path.into_iter().map(Value::Relationship).collect());
                found.push(next);
            }
            self.context.meter.check_rows(found.len())?;
        }
        Ok(found)
    }

    fn shortest_paths(
        &self,
        from: NodeId,
        to: NodeId,
        follow: &Follow,
        (least, most): (u64, u64),
        all: bool,
        wanted: Option<&crate::Map>,
    ) -> Result<Vec<Vec<RelationshipId>>> {
        if from == to && least == 0 {
            return Ok(vec![Vec::new()]);
        }
        // The edges by which each node was first reached.
        let mut reached: BTreeMap<NodeId, (u64, Vec<(RelationshipId, NodeId)>)> = BTreeMap::new();
        reached.insert(from, (0, Vec::new()));
        let mut layer = BTreeSet::from([from]);
        let mut depth = 0;
        while !layer.is_empty() && depth < most && (from == to || !reached.contains_key(&to)) {
            depth += 1;
            let edges = self.edges(&layer, follow, None)?;
            let mut next = BTreeSet::new();
            for node in &layer {
                for (edge, other) in edges.get(node).map(Vec::as_slice).unwrap_or_default() {
                    self.context.meter.step()?;
                    if !self.passes(edge.id, wanted)? {
                        continue;
                    }
                    let entry = reached.entry(*other).or_insert_with(|| {
                        next.insert(*other);
                        (depth, Vec::new())
                    });
                    if entry.0 == depth {
                        entry.1.push((edge.id, *node));
                    }
                }
            }
            layer = next;
        }
        let Some((depth, _)) = reached.get(&to).filter(|(depth, _)| *depth >= least && *depth > 0) else {
            return Ok(Vec::new());
        };
        let mut paths = Vec::new();
        let mut open = VecDeque::from([(to, *depth, Vec::new())]);
        while let Some((node, depth, edges)) = open.pop_front() {
            if depth == 0 {
                let mut path: Vec<RelationshipId> = edges;
                path.reverse();
                paths.push(path);
                if !all {
                    break;
                }
                continue;
            }
            for (edge, before) in reached.get(&node).map(|(_, edges)| edges.as_slice()).unwrap_or_default() {
                let mut edges = edges.clone();
                edges.push(*edge);
                open.push_back((*before, depth - 1, edges));
                if !all {
                    break;
                }
            }
            self.context.meter.check_rows(open.len() + paths.len())?;
        }
        Ok(paths)
    }

    fn path(&self, mut row: Row, slot: usize, nodes: &[usize], relationships: &[usize]) -> Result<Row> {
        let mut path = Path { nodes: Vec::new(), relationships: Vec::new() };
        path.nodes.extend(node_of(&row[nodes[0]])?);
        for relationship in relationships {
            let ids: Vec<RelationshipId> = match &row[*relationship] {
                Value::Relationship(id) => vec![*id],
                Value::List(items) => items
                    .iter()
                    .filter_map(|item| match item {
                        Value::Relationship(id) => Some(*id),
                        _ => None,
                    })
                    .collect(),
                _ => Vec::new(),
            };
            for id in ids {
                let one = self.context.relationship(id)?;
                let at = path.nodes.last().copied();
                path.nodes.push(if at == Some(one.start) { one.end } else { one.start });
                path.relationships.push(id);
            }
        }
        row[slot] = Value::Path(Arc::new(path));
        Ok(row)
    }
}

/// Whether a map has all entries of another.
fn has_all(actual: &crate::Map, wanted: &crate::Map) -> bool {
    wanted.iter().all(|(key, value)| actual.get(key).is_some_and(|found| found.equals(value) == Some(true)))
}
