//! Evaluates expressions over a row.

mod function;
mod operator;
mod regular_expression;

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub(crate) use self::function::{FUNCTIONS, is_aggregate};
use self::{
    function::call,
    operator::{index, property, slice},
};
use crate::{
    Map, Value,
    ast::{Binary, Expression, Literal, MapItem, Pattern, Quantifier, Subquery},
    budget::Meter,
    error::{Error, ErrorKind, Place, Result, wrong_type},
    graph::{Constraint, Node, NodeId, PropertyGraph, Relationship, RelationshipId, Selection},
    profile::Profile,
    scope::free_variables,
    temporal::Moment,
    value::all,
};

/// Runs the patterns and queries inside expressions.
pub(crate) trait Subqueries {
    /// Matches patterns from a row; returns the columns and at most `limit` rows.
    fn pattern(
        &self,
        context: &Context<'_>,
        patterns: &[Pattern],
        filter: Option<&Expression>,
        environment: &Environment<'_>,
        limit: usize,
    ) -> Result<Table>;

    /// Counts the rows of a query from a row.
    fn count(
        &self,
        context: &Context<'_>,
        query: &crate::ast::Query,
        environment: &Environment<'_>,
    ) -> Result<usize>;
}

/// Rows under columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
}

/// The state of a whole query.
pub(crate) struct Context<'a> {
    pub(crate) graph: &'a dyn PropertyGraph,
    pub(crate) parameters: &'a Map,
    pub(crate) meter: &'a Meter,
    pub(crate) now: Moment,
    pub(crate) subqueries: &'a dyn Subqueries,
    /// Whether no condition is looked up in an index.
    pub(crate) compares_late: bool,
    pub(crate) profile: Option<&'a Profile>,
    /// The moment as of which the graph is read, in milliseconds since 1970.
    pub(crate) as_of: Cell<Option<i64>>,
}

/// The variables that an expression can use.
#[derive(Clone, Copy)]
pub(crate) struct Environment<'a> {
    columns: &'a [String],
    row: &'a [Value],
    local: Option<Local<'a>>,
}

#[derive(Clone, Copy)]
struct Local<'a> {
    name: &'a str,
    value: &'a Value,
    outer: &'a Environment<'a>,
}

impl<'a> Environment<'a> {
    pub(crate) fn new(columns: &'a [String], row: &'a [Value]) -> Self {
        Self { columns, row, local: None }
    }

    fn with(&'a self, name: &'a str, value: &'a Value) -> Environment<'a> {
        Environment { columns: self.columns, row: self.row, local: Some(Local { name, value, outer: self }) }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        let mut local = self.local;
        while let Some(found) = local {
            if found.name == name {
                return Some(found.value);
            }
            local = found.outer.local;
        }
        self.columns.iter().position(|column| column == name).and_then(|index| self.row.get(index))
    }

    /// Returns all variables as columns and a row.
    pub(crate) fn flatten(&self) -> (Vec<String>, Vec<Value>) {
        let mut found: BTreeMap<&str, &Value> = BTreeMap::new();
        for (column, value) in self.columns.iter().zip(self.row) {
            found.insert(column, value);
        }
        let mut locals = Vec::new();
        let mut local = self.local;
        while let Some(one) = local {
            locals.push((one.name, one.value));
            local = one.outer.local;
        }
        found.extend(locals.into_iter().rev());
        found.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).unzip()
    }
}

impl Context<'_> {
    /// Returns the selection of nodes with these labels and constraints, as of the current moment.
    pub(crate) fn selection(&self, labels: &[String], constraints: Vec<Constraint>) -> Selection {
        Selection { labels: labels.to_vec(), constraints, as_of: self.as_of.get() }
    }

    /// Prefetches the nodes that expressions name in rows with these columns.
    pub(crate) fn read_ahead<'e>(
        &self,
        expressions: impl IntoIterator<Item = &'e Expression>,
        columns: &[String],
        rows: &[Vec<Value>],
    ) -> Result<()> {
        let names: BTreeSet<String> = expressions.into_iter().flat_map(free_variables).collect();
        let slots = columns.iter().enumerate().filter(|(_, column)| names.contains(*column));
        let mut nodes = BTreeSet::new();
        for (slot, _) in slots {
            nodes.extend(rows.iter().filter_map(|row| match row.get(slot) {
                Some(Value::Node(id)) => Some(*id),
                _ => None,
            }));
        }
        self.graph.prefetch(&nodes.into_iter().collect::<Vec<_>>())
    }

    pub(crate) fn node(&self, id: NodeId) -> Result<Arc<Node>> {
        self.graph.node(id)?.ok_or_else(|| Error::new(ErrorKind::Argument, "the node was deleted"))
    }

    pub(crate) fn relationship(&self, id: RelationshipId) -> Result<Arc<Relationship>> {
        self.graph
            .relationship(id)?
            .ok_or_else(|| Error::new(ErrorKind::Argument, "the relationship was deleted"))
    }

    /// Evaluates an expression as a condition: null counts as false.
    pub(crate) fn is_true(&self, expression: &Expression, environment: &Environment<'_>) -> Result<bool> {
        Ok(self.condition(expression, environment)? == Some(true))
    }

    fn condition(&self, expression: &Expression, environment: &Environment<'_>) -> Result<Option<bool>> {
        match self.evaluate(expression, environment)? {
            Value::Boolean(value) => Ok(Some(value)),
            Value::Null => Ok(None),
            other => Err(wrong_type(format!("a condition must be true or false, not {}", other.type_name()))),
        }
    }

    pub(crate) fn evaluate(&self, expression: &Expression, environment: &Environment<'_>) -> Result<Value> {
        self.meter.step()?;
        match expression {
            Expression::Literal(literal) => Ok(constant(literal)),
            Expression::Variable(name, place) => match environment.get(name) {
                Some(value) => Ok(value.clone()),
                None => Err(crate::error::syntax(format!("the variable {name:?} is not defined")).at(*place)),
            },
            Expression::Parameter(name, place) => self.parameter(name, *place),
            Expression::Property(of, key, place) => {
                let of = self.evaluate(of, environment)?;
                property(self, &of, key).map_err(|error| error.at(*place))
            }
            Expression::Binary(operator, left, right, place) => {
                self.binary(*operator, left, right, environment).map_err(|error| error.at(*place))
            }
            Expression::Not(of) => Ok(self.condition(of, environment)?.map(|value| !value).into()),
            Expression::IsNull(of) => Ok(self.evaluate(of, environment)?.is_null().into()),
            Expression::IsNotNull(of) => Ok((!self.evaluate(of, environment)?.is_null()).into()),
            Expression::Function { name, arguments, place, .. } => {
                let arguments: Vec<Value> = arguments
                    .iter()
                    .map(|argument| self.evaluate(argument, environment))
                    .collect::<Result<_>>()?;
                call(self, name, &arguments).map_err(|error| error.at(*place))
            }
            _ => self.composite(expression, environment),
        }
    }

    fn parameter(&self, name: &str, place: Place) -> Result<Value> {
        if let Some(value) = self.parameters.get(name) {
            return Ok(value.clone());
        }
        let hint = crate::nearest(name, self.parameters.keys().map(String::as_str));
        let hint = hint.map(|name| format!("; did you mean ${name}?")).unwrap_or_default();
        Err(Error::new(ErrorKind::Parameter, format!("the parameter ${name} is missing{hint}")).at(place))
    }

    fn binary(
        &self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        environment: &Environment<'_>,
    ) -> Result<Value> {
        match operator {
            Binary::And => {
                let left = self.condition(left, environment)?;
                if left == Some(false) {
                    return Ok(false.into());
                }
                let right = self.condition(right, environment)?;
                Ok(all([left, right]).into())
            }
            Binary::Or => {
                let left = self.condition(left, environment)?;
                if left == Some(true) {
                    return Ok(true.into());
                }
                let right = self.condition(right, environment)?;
                Ok(all([left.map(|value| !value), right.map(|value| !value)]).map(|value| !value).into())
            }
            Binary::Xor => {
                let (left, right) = (self.condition(left, environment)?, self.condition(right, environment)?);
                Ok(left.zip(right).map(|(left, right)| left != right).into())
            }
            _ => {
                let (left, right) = (self.evaluate(left, environment)?, self.evaluate(right, environment)?);
                operator::apply(self, operator, &left, &right)
            }
        }
    }

    #[inline(never)]
    fn composite(&self, expression: &Expression, environment: &Environment<'_>) -> Result<Value> {
        match expression {
            Expression::Index(of, by, place) => {
                let (of, by) = (self.evaluate(of, environment)?, self.evaluate(by, environment)?);
                index(self, &of, &by).map_err(|error| error.at(*place))
            }
            Expression::Slice(of, from, to, place) => {
                let of = self.evaluate(of, environment)?;
                let bound = |bound: &Option<Box<Expression>>| {
                    bound.as_ref().map(|bound| self.evaluate(bound, environment)).transpose()
                };
                slice(&of, bound(from)?.as_ref(), bound(to)?.as_ref()).map_err(|error| error.at(*place))
            }
            Expression::List(items) => {
                let items = items.iter().map(|item| self.evaluate(item, environment));
                self.made(Value::list(items.collect::<Result<_>>()?))
            }
            Expression::Map(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| Ok((key.clone(), self.evaluate(value, environment)?)));
                self.made(Value::map(entries.collect::<Result<_>>()?))
            }
            Expression::MapProjection(of, items, place) => {
                self.map_projection(of, items, environment).map_err(|error| error.at(*place))
            }
            Expression::Negate(of) => operator::negate(&self.evaluate(of, environment)?),
            Expression::Plus(of) => match self.evaluate(of, environment)? {
                value @ (Value::Null | Value::Integer(_) | Value::Float(_)) => Ok(value),
                other => Err(wrong_type(format!("+ requires a number, not {}", other.type_name()))),
            },
            Expression::Chain(comparisons) => {
                let mut found = Some(true);
                for comparison in comparisons {
                    found = all([found, self.condition(comparison, environment)?]);
                    if found == Some(false) {
                        break;
                    }
                }
                Ok(found.into())
            }
            Expression::HasLabels(of, labels) => match self.evaluate(of, environment)? {
                Value::Null => Ok(Value::Null),
                Value::Node(id) => {
                    let node = self.node(id)?;
                    Ok(labels.iter().all(|label| node.labels.contains(label)).into())
                }
                Value::Relationship(id) => {
                    let one = self.relationship(id)?;
                    Ok(labels.iter().all(|label| *label == one.kind).into())
                }
                other => Err(wrong_type(format!("{} has no labels", other.type_name()))),
            },
            Expression::Case { subject, branches, otherwise } => {
                let subject =
                    subject.as_ref().map(|subject| self.evaluate(subject, environment)).transpose()?;
                for (when, then) in branches {
                    let holds = match &subject {
                        Some(subject) => subject.equals(&self.evaluate(when, environment)?) == Some(true),
                        None => self.is_true(when, environment)?,
                    };
                    if holds {
                        return self.evaluate(then, environment);
                    }
                }
                otherwise.as_ref().map_or(Ok(Value::Null), |otherwise| self.evaluate(otherwise, environment))
            }
            _ => self.iteration(expression, environment),
        }
    }

    fn map_projection(
        &self,
        of: &Expression,
        items: &[MapItem],
        environment: &Environment<'_>,
    ) -> Result<Value> {
        let of = self.evaluate(of, environment)?;
        if of.is_null() {
            return Ok(Value::Null);
        }
        let mut entries = Map::new();
        for item in items {
            match item {
                MapItem::Property(key) => {
                    entries.insert(key.clone(), property(self, &of, key)?);
                }
                MapItem::Everything => entries.extend(self.properties(&of)?),
                MapItem::Entry(key, value) => {
                    entries.insert(key.clone(), self.evaluate(value, environment)?);
                }
            }
        }
        self.made(Value::map(entries))
    }

    /// Returns a value that was just built of others, unless it is too large.
    fn made(&self, value: Value) -> Result<Value> {
        self.meter.check_value(&value)?;
        Ok(value)
    }

    /// Returns the properties of a node or relationship, or the entries of a map.
    pub(crate) fn properties(&self, of: &Value) -> Result<Map> {
        match of {
            Value::Node(id) => Ok(self.node(*id)?.properties.clone()),
            Value::Relationship(id) => Ok(self.relationship(*id)?.properties.clone()),
            Value::Map(map) => Ok((**map).clone()),
            other => Err(wrong_type(format!("{} has no properties", other.type_name()))),
        }
    }

    fn items(&self, list: &Expression, environment: &Environment<'_>) -> Result<Option<Arc<Vec<Value>>>> {
        match self.evaluate(list, environment)? {
            Value::List(items) => Ok(Some(items)),
            Value::Null => Ok(None),
            other => Err(wrong_type(format!("expected a list, found {}", other.type_name()))),
        }
    }

    #[inline(never)]
    fn iteration(&self, expression: &Expression, environment: &Environment<'_>) -> Result<Value> {
        match expression {
            Expression::ListComprehension { variable, list, filter, map } => {
                let Some(items) = self.items(list, environment)? else { return Ok(Value::Null) };
                let mut found = Vec::new();
                for item in items.iter() {
                    let environment = environment.with(variable, item);
                    if let Some(filter) = filter
                        && !self.is_true(filter, &environment)?
                    {
                        continue;
                    }
                    found.push(match map {
                        Some(map) => self.evaluate(map, &environment)?,
                        None => item.clone(),
                    });
                }
                self.made(Value::list(found))
            }
            Expression::Quantified { quantifier, variable, list, filter } => {
                let Some(items) = self.items(list, environment)? else { return Ok(Value::Null) };
                let (mut yes, mut no, mut unknown) = (0_usize, 0_usize, 0_usize);
                for item in items.iter() {
                    match self.condition(filter, &environment.with(variable, item))? {
                        Some(true) => yes += 1,
                        Some(false) => no += 1,
                        None => unknown += 1,
                    }
                }
                let known = |decided: bool, otherwise: bool| {
                    if decided {
                        Some(otherwise)
                    } else if unknown > 0 {
                        None
                    } else {
                        Some(!otherwise)
                    }
                };
                Ok(match quantifier {
                    Quantifier::All => known(no > 0, false),
                    Quantifier::Any => known(yes > 0, true),
                    Quantifier::None => known(yes > 0, false),
                    Quantifier::Single if yes > 1 => Some(false),
                    Quantifier::Single if unknown > 0 => None,
                    Quantifier::Single => Some(yes == 1),
                }
                .into())
            }
            Expression::Reduce { accumulator, start, variable, list, step } => {
                let Some(items) = self.items(list, environment)? else { return Ok(Value::Null) };
                let mut sum = self.evaluate(start, environment)?;
                for item in items.iter() {
                    let next = {
                        let outer = environment.with(accumulator, &sum);
                        self.evaluate(step, &outer.with(variable, item))?
                    };
                    sum = next;
                }
                Ok(sum)
            }
            Expression::Pattern(pattern) => {
                let patterns = std::slice::from_ref(&**pattern);
                let found = self.subqueries.pattern(self, patterns, None, environment, 1)?;
                Ok((!found.rows.is_empty()).into())
            }
            Expression::PatternComprehension { pattern, filter, map } => {
                let patterns = std::slice::from_ref(&**pattern);
                let limit = self.meter.rows_max();
                let found = self.subqueries.pattern(self, patterns, filter.as_deref(), environment, limit)?;
                let values = found.rows.iter().map(|row| {
                    let inner = Environment::new(&found.columns, row);
                    self.evaluate(map, &inner)
                });
                self.made(Value::list(values.collect::<Result<_>>()?))
            }
            Expression::Exists(subquery) => Ok((self.subquery(subquery, environment, 1)? > 0).into()),
            Expression::Count(subquery) => {
                let count = self.subquery(subquery, environment, self.meter.rows_max())?;
                Ok(Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
            }
            other => Err(crate::error::syntax(format!("an aggregate can't be used here: {other:?}"))),
        }
    }

    fn subquery(&self, subquery: &Subquery, environment: &Environment<'_>, limit: usize) -> Result<usize> {
        match subquery {
            Subquery::Pattern { patterns, filter } => {
                let found = self.subqueries.pattern(self, patterns, filter.as_deref(), environment, limit)?;
                Ok(found.rows.len())
            }
            Subquery::Query(query) => self.subqueries.count(self, query, environment),
        }
    }
}

/// Adds two values, for `sum()`.
pub(crate) fn sum(context: &Context<'_>, left: &Value, right: &Value) -> Result<Value> {
    operator::apply(context, Binary::Add, left, right)
}

pub(crate) fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => Value::Boolean(*value),
        Literal::Integer(value) => Value::Integer(*value),
        Literal::Float(value) => Value::Float(*value),
        Literal::String(value) => Value::string(value),
    }
}
