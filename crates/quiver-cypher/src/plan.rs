//! Plans a MATCH: in which order nodes are found, relationships followed and conditions checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use crate::{
    Value,
    ast::{Binary, Direction, Expression, Pattern, Shortest},
    error::{Place, Result, syntax},
    evaluate::{Context, Environment},
    graph::{Comparison, Constraint},
    scope::free_variables,
};

/// Maximum number of nodes and relationships of one MATCH.
const ELEMENTS_MAX: usize = 400;
/// Factor by which an expansion is expected to multiply the rows.
const FAN_OUT: u64 = 4;

/// With this few nodes, it does not pay to look for a rarer start.
const FEW: u64 = 4;
/// Number of end nodes from which it does not pay to follow only the relationships that lead to them.
pub(crate) const ENDS_MAX: usize = 256;

/// How a property is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Equal,
    /// One item of the value, a list, is equal.
    In,
    Compare(Comparison),
    StartsWith,
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal => f.write_str("="),
            Self::In => f.write_str("IN"),
            Self::Compare(comparison) => comparison.fmt(f),
            Self::StartsWith => f.write_str("STARTS WITH"),
        }
    }
}

/// A condition on a property that a graph can answer with an index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lookup {
    pub(crate) key: String,
    pub(crate) test: Test,
    pub(crate) value: Expression,
}

impl Lookup {
    /// Returns the lookup of an operator if an index can answer it, and the one with exchanged sides if possible.
    fn test_of(operator: Binary) -> Option<(Test, Option<Test>)> {
        let compared =
            |comparison: Comparison| (Test::Compare(comparison), Some(Test::Compare(comparison.flipped())));
        Some(match operator {
            Binary::Equal => (Test::Equal, Some(Test::Equal)),
            Binary::In => (Test::In, None),
            Binary::StartsWith => (Test::StartsWith, None),
            Binary::Less => compared(Comparison::Less),
            Binary::LessOrEqual => compared(Comparison::LessOrEqual),
            Binary::Greater => compared(Comparison::Greater),
            Binary::GreaterOrEqual => compared(Comparison::GreaterOrEqual),
            _ => return None,
        })
    }

    /// Whether its value is the same for all rows.
    fn is_constant(&self) -> bool {
        free_variables(&self.value).is_empty()
    }
}

impl fmt::Display for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.key, self.test, crate::show::expression(&self.value))
    }
}

/// A relationship of a pattern to follow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Follow {
    /// The column of the relationship, or of the list of relationships.
    pub(crate) slot: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The direction, seen from `from`.
    pub(crate) direction: Direction,
    pub(crate) types: Vec<String>,
    /// Whether `to` is already bound.
    pub(crate) into: bool,
    /// The columns of relationships that this one must differ from.
    pub(crate) used: Vec<usize>,
    /// Conditions on its properties whose values are the same for all rows.
    pub(crate) lookups: Vec<Lookup>,
    /// The conditions on `to`, if few nodes pass them: these nodes are found first, and only what leads to them is
    /// followed.
    pub(crate) few: Option<Few>,
}

/// The conditions on the node that a relationship leads to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Few {
    pub(crate) labels: Vec<String>,
    pub(crate) lookups: Vec<Lookup>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Finds nodes.
    Select { slot: usize, labels: Vec<String>, lookups: Vec<Lookup>, estimate: u64 },
    /// Checks that a bound variable is a node with labels that passes the lookups.
    Labels { slot: usize, labels: Vec<String>, lookups: Vec<Lookup> },
    /// Checks properties given as a map parameter.
    Properties { slot: usize, properties: Expression },
    /// Follows one relationship.
    Expand(Follow),
    /// Follows a number of relationships.
    ExpandMany { follow: Follow, least: u64, most: u64, properties: Option<Expression>, reversed: bool },
    /// Finds the ends of a bound relationship.
    Ends { follow: Follow, bound_from: bool },
    /// Checks a bound list of relationships, and finds its ends.
    ListEnds { follow: Follow, bound_from: bool },
    /// Finds shortest paths between two bound nodes.
    Shortest { follow: Follow, least: u64, most: u64, all: bool, properties: Option<Expression> },
    /// Checks a condition.
    Filter(Expression),
    /// Builds a path of nodes and relationships.
    Path { slot: usize, nodes: Vec<usize>, relationships: Vec<usize> },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The incoming columns, then those that the pattern binds. Hidden names begin with a space.
    pub(crate) columns: Vec<String>,
    pub(crate) incoming: usize,
    pub(crate) steps: Vec<Step>,
    /// The columns of all relationships of the pattern, for proofs.
    pub(crate) relationships: Vec<usize>,
    /// The columns of all nodes of the pattern, for proofs.
    pub(crate) nodes: Vec<usize>,
}

struct Element {
    slot: usize,
    labels: Vec<String>,
}

struct Link {
    follow: Follow,
    length: Option<(u64, u64)>,
    properties: Option<Expression>,
    shortest: Shortest,
    was_bound: bool,
}

struct Planner<'a> {
    context: &'a Context<'a>,
    columns: Vec<String>,
    incoming: usize,
    nodes: Vec<Element>,
    links: Vec<Link>,
    paths: Vec<Step>,
    /// Conditions with the variables that they need.
    conditions: Vec<(Expression, BTreeSet<String>)>,
    maps: Vec<(usize, Expression, BTreeSet<String>)>,
    ahead: Ahead<'a>,
    bound: BTreeSet<usize>,
    estimates: BTreeMap<usize, u64>,
    steps: Vec<Step>,
}

/// Which conditions a plan looks up at the nodes that relationships lead to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ahead<'a> {
    /// None: each condition is a step of its own, which shows which of them nothing passes.
    Nothing,
    /// Those of the pattern, when the node is reached. For what is planned or run row by row.
    Pattern,
    /// Those of the pattern, and these comparisons from later clauses, which drop the rows that fail them. If few nodes
    /// pass, they are looked up before the relationships that lead to them.
    Clauses(&'a [Expression]),
}

/// Plans patterns with a filter over rows with these columns.
pub(crate) fn plan(
    context: &Context<'_>,
    columns: &[String],
    patterns: &[Pattern],
    filter: Option<&Expression>,
    ahead: Ahead<'_>,
) -> Result<Plan> {
    let mut planner = Planner {
        context,
        columns: columns.to_vec(),
        incoming: columns.len(),
        nodes: Vec::new(),
        links: Vec::new(),
        paths: Vec::new(),
        conditions: Vec::new(),
        maps: Vec::new(),
        ahead,
        bound: (0..columns.len()).collect(),
        estimates: BTreeMap::new(),
        steps: Vec::new(),
    };
    for pattern in patterns {
        planner.add_pattern(pattern)?;
    }
    if let Some(filter) = filter {
        planner.add_conditions(filter);
    }
    planner.order()?;
    let relationships = planner.links.iter().map(|link| link.follow.slot).collect();
    let nodes = planner.nodes.iter().map(|node| node.slot).collect();
    Ok(Plan {
        columns: planner.columns,
        incoming: planner.incoming,
        steps: planner.steps,
        relationships,
        nodes,
    })
}

impl Planner<'_> {
    fn slot(&mut self, variable: Option<&str>) -> usize {
        if let Some(variable) = variable {
            if let Some(slot) = self.columns.iter().position(|column| column == variable) {
                return slot;
            }
            self.columns.push(variable.to_owned());
        } else {
            self.columns.push(format!(" {}", self.columns.len()));
        }
        self.columns.len() - 1
    }

    fn variable(&self, slot: usize) -> Expression {
        Expression::Variable(self.columns[slot].clone(), Place::default())
    }

    /// Adds the equalities of a property map.
    fn add_properties(&mut self, slot: usize, properties: Option<&Expression>) {
        match properties {
            Some(Expression::Map(entries)) => {
                for (key, value) in entries {
                    let property =
                        Expression::Property(Box::new(self.variable(slot)), key.clone(), Place::default());
                    let equal = Expression::Binary(
                        Binary::Equal,
                        Box::new(property),
                        Box::new(value.clone()),
                        Place::default(),
                    );
                    let needs = free_variables(&equal);
                    self.conditions.push((equal, needs));
                }
            }
            Some(map) => {
                let mut needs = free_variables(map);
                needs.insert(self.columns[slot].clone());
                self.maps.push((slot, map.clone(), needs));
            }
            None => {}
        }
    }

    fn add_pattern(&mut self, pattern: &Pattern) -> Result<()> {
        let mut slots = Vec::new();
        for node in &pattern.nodes {
            let slot = self.slot(node.variable.as_deref());
            slots.push(slot);
            match self.nodes.iter_mut().find(|known| known.slot == slot) {
                Some(known) => known.labels.extend(node.labels.iter().cloned()),
                None => self.nodes.push(Element { slot, labels: node.labels.clone() }),
            }
            self.add_properties(slot, node.properties.as_ref());
        }
        let mut links = Vec::new();
        for (index, one) in pattern.relationships.iter().enumerate() {
            let slot = self.slot(one.variable.as_deref());
            let was_bound = slot < self.incoming;
            let length = one.length.map(|(least, most)| (least.unwrap_or(1), most.unwrap_or(u64::MAX)));
            let is_plain = length.is_none() && pattern.shortest == Shortest::No;
            if is_plain {
                self.add_properties(slot, one.properties.as_ref());
            }
            let used = self.links.iter().map(|link| link.follow.slot).filter(|used| *used != slot).collect();
            links.push(slot);
            self.links.push(Link {
                follow: Follow {
                    slot,
                    from: slots[index],
                    to: slots[index + 1],
                    direction: one.direction,
                    types: one.types.clone(),
                    into: false,
                    used,
                    lookups: Vec::new(),
                    few: None,
                },
                length,
                properties: one.properties.clone().filter(|_| !is_plain),
                shortest: pattern.shortest,
                was_bound,
            });
        }
        if self.nodes.len() + self.links.len() > ELEMENTS_MAX {
            return Err(syntax(format!(
                "a MATCH may have at most {ELEMENTS_MAX} nodes and relationships; split it with WITH"
            ))
            .at(pattern.place));
        }
        if let Some(name) = &pattern.variable {
            let slot = self.slot(Some(name));
            self.paths.push(Step::Path { slot, nodes: slots, relationships: links });
        }
        Ok(())
    }

    /// Adds the parts of a conjunction.
    fn add_conditions(&mut self, filter: &Expression) {
        if let Expression::Binary(Binary::And, left, right, _) = filter {
            self.add_conditions(left);
            self.add_conditions(right);
            return;
        }
        if let Expression::Chain(comparisons) = filter {
            comparisons.iter().for_each(|comparison| self.add_conditions(comparison));
            return;
        }
        // Labels in the condition help to choose the start.
        if let Expression::HasLabels(of, labels) = filter
            && let Expression::Variable(name, _) = &**of
            && let Some(slot) = self.columns.iter().position(|column| column == name)
            && let Some(node) = self.nodes.iter_mut().find(|node| node.slot == slot)
        {
            node.labels.extend(labels.iter().cloned());
        }
        self.conditions.push((filter.clone(), free_variables(filter)));
    }

    fn is_bound(&self, needs: &BTreeSet<String>) -> bool {
        needs.iter().all(|need| {
            // The check of the query has already rejected names that are not columns.
            self.columns
                .iter()
                .position(|column| column == need)
                .is_none_or(|slot| self.bound.contains(&slot))
        })
    }

    /// Emits the conditions that can be checked now.
    fn emit_conditions(&mut self) {
        let mut waiting = Vec::new();
        for (condition, needs) in std::mem::take(&mut self.conditions) {
            if self.is_bound(&needs) {
                self.steps.push(Step::Filter(condition));
            } else {
                waiting.push((condition, needs));
            }
        }
        self.conditions = waiting;
        let mut waiting = Vec::new();
        for (slot, properties, needs) in std::mem::take(&mut self.maps) {
            if self.is_bound(&needs) {
                self.steps.push(Step::Properties { slot, properties });
            } else {
                waiting.push((slot, properties, needs));
            }
        }
        self.maps = waiting;
    }

    /// Returns the conditions that compare properties of a node or relationship with something known before it.
    fn lookups(&self, slot: usize) -> Vec<Lookup> {
        if self.context.compares_late {
            return Vec::new();
        }
        let name = &self.columns[slot];
        let key_of = |side: &Expression| match side {
            Expression::Property(of, key, _) => match &**of {
                Expression::Variable(variable, _) if variable == name => Some(key.clone()),
                _ => None,
            },
            _ => None,
        };
        let mut found = Vec::new();
        let own = self.conditions.iter().map(|(condition, _)| condition);
        let later = if let Ahead::Clauses(later) = self.ahead { later } else { &[] };
        for condition in own.chain(later) {
            let Expression::Binary(operator, left, right, _) = condition else { continue };
            let Some((test, flipped)) = Lookup::test_of(*operator) else { continue };
            let sides = [Some((left, test, right)), flipped.map(|test| (right, test, left))];
            for (property, test, value) in sides.into_iter().flatten() {
                if let Some(key) = key_of(property)
                    && self.is_bound(&free_variables(value))
                    && !is_random(value)
                {
                    found.push(Lookup { key, test, value: (**value).clone() });
                    break;
                }
            }
        }
        found
    }

    /// Estimates how many nodes a selection finds.
    fn estimate(&self, labels: &[String], lookups: &[Lookup]) -> Result<u64> {
        let mut selection = self.context.selection(labels, Vec::new());
        let mut unknown = 0;
        for lookup in lookups {
            if lookup.is_constant() {
                match constraint(self.context, lookup, &Environment::new(&[], &[]))? {
                    Some(constraint) => selection.constraints.push(constraint),
                    None => return Ok(0),
                }
            } else {
                unknown += 1;
            }
        }
        let count = self.context.graph.estimate(&selection)?;
        Ok((0..unknown).fold(count, |count, _| count.div_ceil(100)))
    }

    fn labels(&self, slot: usize) -> Vec<String> {
        let node = self.nodes.iter().find(|node| node.slot == slot);
        node.map(|node| node.labels.clone()).unwrap_or_default()
    }

    /// Returns the conditions on a node whose values are the same for all rows, if they are looked up when it is
    /// reached.
    fn constants(&self, slot: usize) -> Vec<Lookup> {
        if matches!(self.ahead, Ahead::Nothing) {
            return Vec::new();
        }
        let mut lookups = self.lookups(slot);
        lookups.retain(Lookup::is_constant);
        lookups
    }

    /// Binds a node that was found by its lookups or reached otherwise.
    fn bind_node(&mut self, slot: usize, is_looked_up: bool) {
        let lookups = if is_looked_up { Vec::new() } else { self.constants(slot) };
        self.steps.push(Step::Labels { slot, labels: self.labels(slot), lookups });
        self.bound.insert(slot);
        self.emit_conditions();
    }

    /// Estimates how many nodes the constant lookups of a slot find. Asks the graph only once.
    fn estimate_constant(&mut self, slot: usize, labels: &[String], lookups: &[Lookup]) -> Result<u64> {
        if let Some(known) = self.estimates.get(&slot) {
            return Ok(*known);
        }
        let estimate = self.estimate(labels, lookups)?;
        self.estimates.insert(slot, estimate);
        Ok(estimate)
    }

    /// Orders the steps: from the rarest node outwards.
    fn order(&mut self) -> Result<()> {
        let known: Vec<usize> =
            self.nodes.iter().map(|node| node.slot).filter(|slot| *slot < self.incoming).collect();
        for slot in known {
            self.bind_node(slot, false);
        }
        self.emit_conditions();
        let mut done = vec![false; self.links.len()];
        loop {
            if let Some(index) = self.next_link(&done) {
                done[index] = true;
                self.emit_link(index)?;
                continue;
            }
            let Some((estimate, slot, lookups)) = self.rarest()? else {
                if done.iter().all(|done| *done) {
                    break;
                }
                return Err(syntax("the pattern can't be planned"));
            };
            self.steps.push(Step::Select { slot, labels: self.labels(slot), lookups, estimate });
            self.bind_node(slot, true);
        }
        let paths = std::mem::take(&mut self.paths);
        for path in paths {
            if let Step::Path { slot, .. } = &path {
                self.bound.insert(*slot);
            }
            self.steps.push(path);
        }
        self.emit_conditions();
        // Conditions with unbound names were rejected before; none may be dropped silently.
        let left = std::mem::take(&mut self.conditions);
        self.steps.extend(left.into_iter().map(|(condition, _)| Step::Filter(condition)));
        let left = std::mem::take(&mut self.maps);
        self.steps
            .extend(left.into_iter().map(|(slot, properties, _)| Step::Properties { slot, properties }));
        Ok(())
    }

    /// Returns the unbound node that is expected to match the fewest times, with its lookups.
    fn rarest(&mut self) -> Result<Option<(u64, usize, Vec<Lookup>)>> {
        let open = self.nodes.iter().map(|node| node.slot).filter(|slot| !self.bound.contains(slot));
        let mut open: Vec<(usize, Vec<Lookup>)> = open.map(|slot| (slot, self.lookups(slot))).collect();
        // If a node with lookups matches only a few times, the others need no estimate.
        open.sort_by_key(|(_, lookups)| lookups.is_empty());
        let mut best: Option<(u64, usize, Vec<Lookup>)> = None;
        for (slot, lookups) in open {
            if best.as_ref().is_some_and(|(least, _, lookups)| *least <= FEW && !lookups.is_empty()) {
                break;
            }
            let labels = self.labels(slot);
            let estimate = if lookups.iter().all(Lookup::is_constant) {
                self.estimate_constant(slot, &labels, &lookups)?
            } else {
                self.estimate(&labels, &lookups)?
            };
            if best.as_ref().is_none_or(|(least, ..)| estimate < *least) {
                best = Some((estimate, slot, lookups));
            }
        }
        Ok(best)
    }

    /// Returns the conditions on the node that a relationship leads to, if few nodes are expected to pass.
    fn few(&mut self, follow: &Follow) -> Result<Option<Few>> {
        let lookups = self.constants(follow.to);
        if !matches!(self.ahead, Ahead::Clauses(_))
            || lookups.is_empty()
            || follow.into
            || follow.from == follow.to
        {
            return Ok(None);
        }
        let labels = self.labels(follow.to);
        let estimate = self.estimate_constant(follow.to, &labels, &lookups)?;
        Ok((estimate <= ENDS_MAX as u64).then_some(Few { labels, lookups }))
    }

    /// Returns the cheapest relationship that can be followed now.
    fn next_link(&self, done: &[bool]) -> Option<usize> {
        let cost = |link: &Link| {
            let (from, to) = (self.bound.contains(&link.follow.from), self.bound.contains(&link.follow.to));
            let is_ready =
                |needs: Option<&Expression>| needs.is_none_or(|needs| self.is_bound(&free_variables(needs)));
            if !is_ready(link.properties.as_ref()) {
                return None;
            }
            if link.was_bound {
                return Some(0);
            }
            if link.shortest != Shortest::No {
                return (from && to).then_some(1);
            }
            let length = link.length.map_or(0, |(_, most)| most.min(1000));
            match (from, to) {
                (true, true) => Some(1 + length),
                (true, false) | (false, true) => Some(FAN_OUT + length * FAN_OUT),
                _ => None,
            }
        };
        let open = self.links.iter().enumerate().filter(|(index, _)| !done[*index]);
        open.filter_map(|(index, link)| Some((cost(link)?, index))).min().map(|(_, index)| index)
    }

    fn emit_link(&mut self, index: usize) -> Result<()> {
        let link = &self.links[index];
        let mut follow = link.follow.clone();
        let (from, to) = (self.bound.contains(&follow.from), self.bound.contains(&follow.to));
        let properties = link.properties.clone();
        // A relationship must differ from those found before, whatever their order in the pattern.
        follow.used = self
            .links
            .iter()
            .enumerate()
            .filter(|(other, link)| {
                *other != index && self.bound.contains(&link.follow.slot) && link.follow.slot != follow.slot
            })
            .map(|(_, link)| link.follow.slot)
            .collect();
        if link.was_bound || self.bound.contains(&follow.slot) {
            follow.into = to;
            let step = if link.length.is_some() {
                Step::ListEnds { follow: follow.clone(), bound_from: from }
            } else {
                Step::Ends { follow: follow.clone(), bound_from: from }
            };
            self.steps.push(step);
            for (slot, bound) in [(follow.from, from), (follow.to, to)] {
                if !bound && !self.bound.contains(&slot) {
                    self.bind_node(slot, false);
                }
            }
            return Ok(());
        }
        let reversed = !from;
        if reversed {
            std::mem::swap(&mut follow.from, &mut follow.to);
            follow.direction = match follow.direction {
                Direction::Outgoing => Direction::Incoming,
                Direction::Incoming => Direction::Outgoing,
                Direction::Either => Direction::Either,
            };
        }
        follow.into = from && to;
        follow.lookups = match &properties {
            // All relationships of a path have the properties of one map.
            Some(Expression::Map(entries)) if !self.context.compares_late => {
                let equal = |(key, value): &(String, Expression)| Lookup {
                    key: key.clone(),
                    test: Test::Equal,
                    value: value.clone(),
                };
                entries.iter().map(equal).collect()
            }
            Some(_) => Vec::new(),
            None => self.lookups(follow.slot),
        };
        follow.lookups.retain(Lookup::is_constant);
        let (slot, target, into) = (follow.slot, follow.to, follow.into);
        let (shortest, length) = (link.shortest, link.length);
        if shortest == Shortest::No && length.is_none() {
            follow.few = self.few(&follow)?;
        }
        let step = match (shortest, length) {
            (Shortest::No, None) => Step::Expand(follow),
            (Shortest::No, Some((least, most))) => {
                Step::ExpandMany { follow, least, most, properties, reversed }
            }
            (shortest, length) => {
                let (least, most) = length.unwrap_or((1, 1));
                Step::Shortest { follow, least, most, all: shortest == Shortest::All, properties }
            }
        };
        self.steps.push(step);
        self.bound.insert(slot);
        if into {
            self.emit_conditions();
        } else {
            self.bind_node(target, false);
        }
        Ok(())
    }
}

/// Whether an expression has a different value each time.
fn is_random(expression: &Expression) -> bool {
    matches!(expression, Expression::Function { name, .. } if name.eq_ignore_ascii_case("rand"))
        || expression.parts().into_iter().any(is_random)
}

/// Computes the constraint of a lookup; `None` if nothing can pass it.
pub(crate) fn constraint(
    context: &Context<'_>,
    lookup: &Lookup,
    environment: &Environment<'_>,
) -> Result<Option<Constraint>> {
    let key = lookup.key.clone();
    Ok(Some(match (lookup.test, context.evaluate(&lookup.value, environment)?) {
        (_, Value::Null) => return Ok(None),
        (Test::Equal, value) => Constraint::In(key, vec![value]),
        (Test::In, Value::List(items)) => {
            Constraint::In(key, items.iter().filter(|item| !item.is_null()).cloned().collect())
        }
        (Test::In, other) => {
            return Err(crate::error::wrong_type(format!("IN requires a list, not {}", other.type_name())));
        }
        (Test::Compare(comparison), value) => Constraint::Compare(key, comparison, value),
        (Test::StartsWith, value) => match value.as_str() {
            Some(start) => Constraint::StartsWith(key, start.to_owned()),
            // Only texts begin with a text.
            None => return Ok(None),
        },
    }))
}

fn with(lookups: &[Lookup]) -> String {
    lookups.iter().map(|lookup| format!(" with {lookup}")).collect()
}

impl Plan {
    fn name(&self, slot: usize) -> &str {
        let name = &self.columns[slot];
        if name.starts_with(' ') { "" } else { name }
    }

    /// Describes each step in a line, for EXPLAIN.
    pub(crate) fn describe(&self) -> Vec<String> {
        self.steps.iter().filter_map(|step| self.describe_step(step)).collect()
    }

    fn node_text(&self, slot: usize, labels: &[String]) -> String {
        let labels: String = labels.iter().map(|label| format!(":{label}")).collect();
        format!("({}{labels})", self.name(slot))
    }

    pub(crate) fn follow_text(&self, follow: &Follow, length: &str) -> String {
        let types =
            if follow.types.is_empty() { String::new() } else { format!(":{}", follow.types.join("|")) };
        let (left, right) = match follow.direction {
            Direction::Outgoing => ("-", "->"),
            Direction::Incoming => ("<-", "-"),
            Direction::Either => ("-", "-"),
        };
        let inner = format!("[{}{types}{length}]", self.name(follow.slot));
        let (from, to, with) = (self.name(follow.from), self.name(follow.to), with(&follow.lookups));
        let few = follow.few.as_ref().map(|few| {
            let labels: String = few.labels.iter().map(|label| format!(":{label}")).collect();
            format!(", only to ({labels}){}", self::with(&few.lookups))
        });
        format!("({from}){left}{inner}{right}({to}){with}{}", few.unwrap_or_default())
    }

    /// Describes a step that only reads what was found, for PROFILE.
    pub(crate) fn read_text(&self, step: &Step) -> String {
        match step {
            Step::Labels { slot, .. } => format!("read {}", self.node_text(*slot, &[])),
            _ => "read".to_owned(),
        }
    }

    pub(crate) fn describe_step(&self, step: &Step) -> Option<String> {
        Some(match step {
            Step::Select { slot, labels, lookups, estimate } => {
                format!("find {}{}, about {estimate}", self.node_text(*slot, labels), with(lookups))
            }
            Step::Labels { labels, lookups, .. } if labels.is_empty() && lookups.is_empty() => return None,
            Step::Labels { slot, labels, lookups } => {
                format!("keep {}{}", self.node_text(*slot, labels), with(lookups))
            }
            Step::Properties { slot, properties } => {
                format!(
                    "keep ({}) with the properties {}",
                    self.name(*slot),
                    crate::show::expression(properties)
                )
            }
            Step::Expand(follow) => {
                let verb = if follow.into { "join" } else { "follow" };
                format!("{verb} {}", self.follow_text(follow, ""))
            }
            Step::ExpandMany { follow, least, most, .. } => {
                let most = if *most == u64::MAX { String::new() } else { most.to_string() };
                format!("follow {}", self.follow_text(follow, &format!("*{least}..{most}")))
            }
            Step::Ends { follow, .. } | Step::ListEnds { follow, .. } => {
                format!("take the ends of {}", self.follow_text(follow, ""))
            }
            Step::Shortest { follow, all, .. } => {
                format!(
                    "find the shortest path{} {}",
                    if *all { "s" } else { "" },
                    self.follow_text(follow, "*")
                )
            }
            Step::Filter(condition) => format!("keep where {}", crate::show::expression(condition)),
            Step::Path { slot, .. } => format!("make the path {}", self.name(*slot)),
        })
    }
}
