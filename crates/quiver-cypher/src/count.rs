//! Counts that a graph can answer without finding the counted items: `MATCH (n:Label) RETURN count(n)`.

use crate::{
    aggregate::has_aggregate,
    ast::{Clause, Direction, Expression, Literal, Pattern, Projection, Shortest},
    error::Result,
    evaluate::Context,
    graph::Expansion,
    scope::free_variables,
};

/// What a MATCH and the projection after it count, if they do nothing else.
pub(crate) struct Counting<'q> {
    pattern: &'q Pattern,
    pub(crate) projection: &'q Projection,
    /// The condition of a WITH.
    pub(crate) filter: Option<&'q Expression>,
}

impl<'q> Counting<'q> {
    /// Accepts a MATCH of one node, or of one relationship between two unconstrained nodes, followed by a projection
    /// that counts all rows.
    pub(crate) fn of(clause: &'q Clause, next: Option<&'q Clause>) -> Option<Self> {
        let Clause::Match { optional: false, patterns, filter: None, .. } = clause else { return None };
        let (projection, filter) = match next? {
            Clause::Return(projection) => (projection, None),
            Clause::With { projection, filter } => (projection, filter.as_ref()),
            _ => return None,
        };
        let [pattern] = patterns.as_slice() else { return None };
        let is_plain = pattern.variable.is_none()
            && pattern.shortest == Shortest::No
            && pattern.nodes.iter().all(|node| node.properties.is_none());
        let counting = Self { pattern, projection, filter };
        let counts_it = match (pattern.nodes.as_slice(), pattern.relationships.as_slice()) {
            ([_], []) => true,
            ([from, to], [one]) => {
                one.length.is_none()
                    && one.properties.is_none()
                    && one.direction != Direction::Either
                    && from.labels.is_empty()
                    && to.labels.is_empty()
                    && (from.variable.is_none() || from.variable != to.variable)
            }
            _ => false,
        };
        // Any number shows whether it only counts.
        (is_plain && counts_it && counting.counted(0).is_some()).then_some(counting)
    }

    /// Returns the labels of the counted nodes; `None` if relationships are counted.
    pub(crate) fn labels(&self) -> Option<&'q [String]> {
        match self.pattern.nodes.as_slice() {
            [node] => Some(&node.labels),
            _ => None,
        }
    }

    /// Counts. Returns `None` if the graph can't do that without finding the items.
    pub(crate) fn count(&self, context: &Context<'_>) -> Result<Option<u64>> {
        if let Some(labels) = self.labels() {
            return context.graph.count_nodes(&context.selection(labels, Vec::new())).map(Some);
        }
        let types = self.pattern.relationships.iter().flat_map(|one| one.types.clone()).collect();
        let expansion =
            Expansion { types, as_of: context.as_of.get(), ..Expansion::all(Direction::Outgoing) };
        context.graph.count_relationships(&expansion)
    }

    /// Returns the projection with a number in place of its aggregates; `None` if it needs more than that.
    pub(crate) fn counted(&self, count: u64) -> Option<Projection> {
        let mut projection = self.projection.clone();
        if projection.everything || !projection.items.iter().all(|item| has_aggregate(&item.expression)) {
            return None;
        }
        let names: Vec<&str> = self.pattern.variables().collect();
        let count = i64::try_from(count).ok()?;
        let items = projection.items.iter_mut().map(|item| &mut item.expression);
        let order = projection.order.iter_mut().map(|(expression, _)| expression);
        for expression in items.chain(order) {
            put(count, &names, expression);
            let is_left = |name: &String| names.contains(&name.as_str());
            if has_aggregate(expression) || free_variables(expression).iter().any(is_left) {
                return None;
            }
        }
        Some(projection)
    }

    /// Describes it in a line, for EXPLAIN.
    pub(crate) fn describe(&self) -> String {
        let name = |variable: &Option<String>| variable.clone().unwrap_or_default();
        let nodes = &self.pattern.nodes;
        match self.pattern.relationships.first() {
            None => {
                let labels: String = nodes[0].labels.iter().map(|label| format!(":{label}")).collect();
                format!("count ({}{labels})", name(&nodes[0].variable))
            }
            Some(one) => {
                let types =
                    if one.types.is_empty() { String::new() } else { format!(":{}", one.types.join("|")) };
                let (left, right) =
                    if one.direction == Direction::Incoming { ("<-", "-") } else { ("-", "->") };
                let [from, to] = [&nodes[0].variable, &nodes[1].variable].map(name);
                format!("count ({from}){left}[{}{types}]{right}({to})", name(&one.variable))
            }
        }
    }
}

/// Replaces every aggregate that counts all rows with a number: no variable of the pattern is null in any of them.
fn put(count: i64, names: &[&str], expression: &mut Expression) {
    let counts_all = match expression {
        Expression::CountAll(_) => true,
        Expression::Function { name, distinct: false, arguments, .. } => {
            name.eq_ignore_ascii_case("count")
                && matches!(arguments.as_slice(), [Expression::Variable(of, _)] if names.contains(&of.as_str()))
        }
        _ => false,
    };
    if counts_all {
        *expression = Expression::Literal(Literal::Integer(count));
        return;
    }
    for part in expression.parts_mut() {
        put(count, names, part);
    }
}
