//! CREATE, MERGE, SET, REMOVE and DELETE.

use std::collections::BTreeSet;

use crate::{
    Map, Value,
    ast::{Direction, Expression, NodePattern, Pattern, RelationshipPattern, RemoveItem, SetItem},
    error::{Error, ErrorKind, Result, argument, wrong_type},
    evaluate::{Context, Environment, Table},
    graph::{Expansion, Node, NodeId, Relationship, RelationshipId},
    result::Written,
    value::Path,
};

/// Whether a value can be stored as a property.
fn is_storable(value: &Value) -> bool {
    match value {
        Value::Map(_) | Value::Node(_) | Value::Relationship(_) | Value::Path(_) => false,
        Value::List(items) => {
            items.iter().all(|item| !matches!(item, Value::List(_) | Value::Null) && is_storable(item))
        }
        _ => true,
    }
}

fn check_storable(key: &str, value: &Value) -> Result<()> {
    if is_storable(value) {
        return Ok(());
    }
    Err(wrong_type(format!(
        "the property {key:?} can't be {}; a property must be a plain value or a list of plain values",
        value.type_name()
    )))
}

/// Evaluates the properties of a pattern; nulls are left out.
fn properties(
    context: &Context<'_>,
    given: Option<&Expression>,
    environment: &Environment<'_>,
) -> Result<Map> {
    let Some(given) = given else { return Ok(Map::new()) };
    let value = context.evaluate(given, environment)?;
    let mut map = context.properties(&value)?;
    map.retain(|_, value| !value.is_null());
    map.iter().try_for_each(|(key, value)| check_storable(key, value))?;
    Ok(map)
}

pub(crate) struct Writer<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) written: &'a mut Written,
}

fn position(columns: &[String], name: &str) -> Option<usize> {
    columns.iter().position(|column| column == name)
}

/// Adds the columns that patterns will bind.
pub(crate) fn widen(table: &mut Table, patterns: &[Pattern]) {
    for name in patterns.iter().flat_map(Pattern::variables) {
        if position(&table.columns, name).is_none() {
            table.columns.push(name.to_owned());
        }
    }
    let width = table.columns.len();
    table.rows.iter_mut().for_each(|row| row.resize(width, Value::Null));
}

impl Writer<'_> {
    /// Creates the unbound parts of a pattern.
    pub(crate) fn create(&mut self, columns: &[String], row: &mut [Value], pattern: &Pattern) -> Result<()> {
        let mut nodes = Vec::new();
        for node in &pattern.nodes {
            nodes.push(self.create_node(columns, row, node)?);
        }
        let mut relationships = Vec::new();
        for (at, one) in pattern.relationships.iter().enumerate() {
            relationships.push(self.create_relationship(columns, row, one, nodes[at], nodes[at + 1])?);
        }
        if let Some(at) = pattern.variable.as_deref().and_then(|name| position(columns, name)) {
            row[at] = Value::Path(std::sync::Arc::new(Path { nodes, relationships }));
        }
        Ok(())
    }

    fn create_node(&mut self, columns: &[String], row: &mut [Value], node: &NodePattern) -> Result<NodeId> {
        let at = node.variable.as_deref().and_then(|name| position(columns, name));
        match at.map(|at| &row[at]) {
            Some(Value::Node(id)) => return Ok(*id),
            Some(Value::Null) | None => {}
            Some(other) => {
                return Err(wrong_type(format!(
                    "a pattern requires a node, but the variable is {}",
                    other.type_name()
                ))
                .at(node.place));
            }
        }
        let environment = Environment::new(columns, row);
        let properties = properties(self.context, node.properties.as_ref(), &environment)?;
        self.written.nodes_created += 1;
        self.written.labels_set += node.labels.len();
        self.written.properties_set += properties.len();
        let id = self
            .context
            .graph
            .create_node(Node { labels: node.labels.iter().cloned().collect(), properties })?;
        if let Some(at) = at {
            row[at] = Value::Node(id);
        }
        Ok(id)
    }

    fn create_relationship(
        &mut self,
        columns: &[String],
        row: &mut [Value],
        one: &RelationshipPattern,
        from: NodeId,
        to: NodeId,
    ) -> Result<RelationshipId> {
        let (start, end) = if one.direction == Direction::Incoming { (to, from) } else { (from, to) };
        let properties = properties(self.context, one.properties.as_ref(), &Environment::new(columns, row))?;
        self.written.relationships_created += 1;
        self.written.properties_set += properties.len();
        let kind = one.types.first().cloned().unwrap_or_default();
        let id = self.context.graph.create_relationship(Relationship { kind, start, end, properties })?;
        if let Some(at) = one.variable.as_deref().and_then(|name| position(columns, name)) {
            row[at] = Value::Relationship(id);
        }
        Ok(id)
    }

    /// Rejects a merge by a null property: it would match nothing and create it each time.
    pub(crate) fn check_merge(&self, columns: &[String], row: &[Value], pattern: &Pattern) -> Result<()> {
        let environment = Environment::new(columns, row);
        for given in pattern.expressions() {
            let value = self.context.evaluate(given, &environment)?;
            if let Some((key, _)) = self.context.properties(&value)?.iter().find(|(_, value)| value.is_null())
            {
                return Err(argument(format!("MERGE can't use the property {key:?}, which is null"))
                    .at(pattern.place));
            }
        }
        for node in pattern.nodes.iter().filter(|_| !pattern.relationships.is_empty()) {
            let at = node.variable.as_deref().and_then(|name| position(columns, name));
            if at.and_then(|at| row.get(at)).is_some_and(Value::is_null) {
                return Err(argument("MERGE can't join a relationship to a node that is null").at(node.place));
            }
        }
        Ok(())
    }

    pub(crate) fn set(&mut self, columns: &[String], row: &[Value], items: &[SetItem]) -> Result<()> {
        for item in items {
            let environment = Environment::new(columns, row);
            match item {
                SetItem::Property { target, key, value } => {
                    let target = self.context.evaluate(target, &environment)?;
                    let value = self.context.evaluate(value, &environment)?;
                    check_storable(key, &value)?;
                    let key = key.clone();
                    self.change(&target, |properties| {
                        if value.is_null() {
                            properties.remove(&key)
                        } else {
                            properties.insert(key, value)
                        };
                    })?;
                }
                SetItem::Properties { variable, value, add, place } => {
                    let target = position(columns, variable).map(|at| row[at].clone()).unwrap_or_default();
                    let value = self.context.evaluate(value, &environment)?;
                    if target.is_null() {
                        continue;
                    }
                    let given = if value.is_null() {
                        Map::new()
                    } else {
                        self.context.properties(&value).map_err(|error| error.at(*place))?
                    };
                    given.iter().try_for_each(|(key, value)| check_storable(key, value))?;
                    self.change(&target, |properties| {
                        if !add {
                            properties.clear();
                        }
                        properties.extend(given);
                        properties.retain(|_, value| !value.is_null());
                    })?;
                }
                SetItem::Labels { variable, labels, place } => {
                    let target = position(columns, variable).map(|at| row[at].clone()).unwrap_or_default();
                    self.change_labels(&target, |found| found.extend(labels.iter().cloned()))
                        .map_err(|error| error.at(*place))?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, columns: &[String], row: &[Value], items: &[RemoveItem]) -> Result<()> {
        for item in items {
            match item {
                RemoveItem::Property { target, key } => {
                    let target = self.context.evaluate(target, &Environment::new(columns, row))?;
                    self.change(&target, |properties| {
                        properties.remove(key);
                    })?;
                }
                RemoveItem::Labels { variable, labels, place } => {
                    let target = position(columns, variable).map(|at| row[at].clone()).unwrap_or_default();
                    self.change_labels(&target, |found| found.retain(|label| !labels.contains(label)))
                        .map_err(|error| error.at(*place))?;
                }
            }
        }
        Ok(())
    }

    fn change(&mut self, target: &Value, change: impl FnOnce(&mut Map)) -> Result<()> {
        match target {
            Value::Null => Ok(()),
            Value::Node(id) => {
                let mut node = (*self.context.node(*id)?).clone();
                change(&mut node.properties);
                self.written.properties_set += 1;
                self.context.graph.update_node(*id, node)
            }
            Value::Relationship(id) => {
                let mut properties = self.context.relationship(*id)?.properties.clone();
                change(&mut properties);
                self.written.properties_set += 1;
                self.context.graph.update_relationship(*id, properties)
            }
            other => Err(wrong_type(format!(
                "only nodes and relationships have properties to set, not {}",
                other.type_name()
            ))),
        }
    }

    fn change_labels(&mut self, target: &Value, change: impl FnOnce(&mut BTreeSet<String>)) -> Result<()> {
        match target {
            Value::Null => Ok(()),
            Value::Node(id) => {
                let mut node = (*self.context.node(*id)?).clone();
                change(&mut node.labels);
                self.written.labels_set += 1;
                self.context.graph.update_node(*id, node)
            }
            other => Err(wrong_type(format!("only nodes have labels, not {}", other.type_name()))),
        }
    }

    /// Deletes the nodes and relationships of all rows at once.
    pub(crate) fn delete(&mut self, table: &Table, detach: bool, expressions: &[Expression]) -> Result<()> {
        let (mut nodes, mut relationships) = (BTreeSet::new(), BTreeSet::new());
        for row in &table.rows {
            let environment = Environment::new(&table.columns, row);
            for expression in expressions {
                match self.context.evaluate(expression, &environment)? {
                    Value::Null => {}
                    Value::Node(id) => {
                        nodes.insert(id);
                    }
                    Value::Relationship(id) => {
                        relationships.insert(id);
                    }
                    Value::Path(path) => {
                        nodes.extend(path.nodes.iter().copied());
                        relationships.extend(path.relationships.iter().copied());
                    }
                    other => {
                        return Err(wrong_type(format!(
                            "only nodes, relationships and paths can be deleted, not {}",
                            other.type_name()
                        )));
                    }
                }
            }
        }
        let mut existing = Vec::new();
        for id in nodes {
            if self.context.graph.node(id)?.is_some() {
                existing.push(id);
            }
        }
        let left = self.context.meter.relationships_left();
        let edges = self.context.graph.expand(&existing, &Expansion::all(Direction::Either), left)?;
        self.context.meter.spend_relationships(edges.len())?;
        for edge in edges {
            if !relationships.contains(&edge.id) {
                if !detach {
                    let message = "a node still has relationships; DETACH DELETE deletes them too";
                    return Err(Error::new(ErrorKind::Constraint, message));
                }
                relationships.insert(edge.id);
            }
        }
        let mut doomed = Vec::new();
        for id in relationships {
            if self.context.graph.relationship(id)?.is_some() {
                doomed.push(id);
            }
        }
        self.written.nodes_deleted += existing.len();
        self.written.relationships_deleted += doomed.len();
        self.context.graph.delete(&existing, &doomed)
    }
}
