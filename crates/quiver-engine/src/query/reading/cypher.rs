//! Writes what was understood as Cypher.

use std::{collections::BTreeSet, fmt::Write as _};

use quiver_cypher::{Moment, Value};

use super::{
    Amount, Asked, Condition, Described, Extreme, Link, Measure, Operator, Understood, vocabulary::Vocabulary,
};

struct Writer<'v> {
    vocabulary: &'v Vocabulary,
    variables: BTreeSet<String>,
    /// The types in patterns.
    kinds: Vec<String>,
}

/// Writes a question that was understood.
pub(super) fn write(vocabulary: &Vocabulary, understood: &Understood) -> String {
    let mut writer = Writer { vocabulary, variables: BTreeSet::new(), kinds: Vec::new() };
    let Understood { asked, node, extreme } = understood;
    let name = writer.variable(node.label);
    let mut patterns = Vec::new();
    let mut conditions = Vec::new();
    let first = writer.node_pattern(&name, node);
    patterns.push(first);
    writer.collect(&name, node, &mut patterns, &mut conditions);
    // Within one MATCH no relationship is followed twice, which must not keep two conditions from sharing one.
    let kinds: Vec<&str> = writer.kinds.iter().map(String::as_str).collect();
    let is_one = kinds.iter().collect::<BTreeSet<_>>().len() == kinds.len();
    let separator = if is_one { ", " } else { "\nMATCH " };
    let mut text = format!("MATCH {}\n", patterns.join(separator));
    if !conditions.is_empty() {
        let _ = writeln!(text, "WHERE {}", conditions.join(" AND "));
    }
    if let Some(extreme) = extreme {
        text.push_str(&writer.extreme(&name, extreme));
    }
    text.push_str(&writer.result(&name, node, asked, extreme.as_ref()));
    text
}

/// A name as Cypher writes it.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

fn literal(value: &Value) -> String {
    let of_moment = |moment: &Moment| {
        let text = moment.to_string();
        let function = if text.contains('T') { "datetime" } else { "date" };
        format!("{function}('{text}')")
    };
    match value {
        Value::Moment(moment) => of_moment(moment),
        other => other.to_string(),
    }
}

impl Writer<'_> {
    /// A variable of its own for a node, named after its label.
    fn variable(&mut self, label: usize) -> String {
        let label = &self.vocabulary.labels[label].name;
        let mut base: String = label.chars().filter(|c| c.is_alphanumeric()).collect();
        if !base.starts_with(char::is_alphabetic) {
            base.insert(0, 'n');
        }
        let mut letters = base.chars();
        let lower = if base.chars().all(|c| !c.is_lowercase()) {
            base.to_lowercase()
        } else {
            letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
        };
        let mut name = lower.clone();
        let mut number = 1;
        while !self.variables.insert(name.clone()) {
            number += 1;
            name = format!("{lower}{number}");
        }
        quoted_variable(&name)
    }

    /// A node with its label and the properties that equal a value.
    fn node_pattern(&self, name: &str, node: &Described) -> String {
        let equal: Vec<String> = node
            .conditions
            .iter()
            .filter_map(|condition| match condition {
                Condition::Property { key, operator: Operator::Equal, value } => {
                    Some(format!("{}: {}", quoted(key), literal(value)))
                }
                _ => None,
            })
            .collect();
        let label = quoted(&self.vocabulary.labels[node.label].name);
        if equal.is_empty() || has_key_twice(node) {
            return format!("({name}:{label})");
        }
        format!("({name}:{label} {{{}}})", equal.join(", "))
    }

    /// Collects the patterns and conditions of a node: links are patterns, so that they are part of the proof.
    fn collect(
        &mut self,
        name: &str,
        node: &Described,
        patterns: &mut Vec<String>,
        conditions: &mut Vec<String>,
    ) {
        for condition in &node.conditions {
            match condition {
                Condition::Link { link, node: other, amount: Amount::Some } => {
                    let variable = self.variable(other.label);
                    let pattern = self.node_pattern(&variable, other);
                    patterns.push(format!("({name}){}{pattern}", arrow(link)));
                    self.kinds.push(link.kind.clone());
                    self.collect(&variable, other, patterns, conditions);
                }
                Condition::Property { operator: Operator::Equal, .. } if !has_key_twice(node) => {}
                other => conditions.push(self.condition(name, other)),
            }
        }
    }

    /// A condition as an expression.
    fn condition(&mut self, name: &str, condition: &Condition) -> String {
        match condition {
            Condition::Property { key, operator, value } => {
                format!("{name}.{} {} {}", quoted(key), operator.text(), literal(value))
            }
            Condition::In { key, values } => {
                let values: Vec<String> = values.iter().map(literal).collect();
                format!("{name}.{} IN [{}]", quoted(key), values.join(", "))
            }
            Condition::Not(inner) => format!("NOT coalesce({}, false)", self.condition(name, inner)),
            Condition::All(all) => {
                let all: Vec<String> = all.iter().map(|one| self.condition(name, one)).collect();
                all.join(" AND ")
            }
            Condition::Link { link, node, amount } => {
                let links = self.links(name, link, node);
                match amount {
                    Amount::Some => format!("EXISTS {{ {links} }}"),
                    Amount::No => format!("NOT EXISTS {{ {links} }}"),
                    Amount::Compared(operator, number) => {
                        format!("COUNT {{ {links} }} {} {number}", operator.text())
                    }
                }
            }
        }
    }

    /// The links from a node as the inside of a subquery.
    fn links(&mut self, name: &str, link: &Link, node: &Described) -> String {
        let variable = self.variable(node.label);
        let pattern = self.node_pattern(&variable, node);
        let mut conditions = Vec::new();
        for condition in &node.conditions {
            match condition {
                Condition::Property { operator: Operator::Equal, .. } if !has_key_twice(node) => {}
                other => conditions.push(self.condition(&variable, other)),
            }
        }
        let mut text = format!("({name}){}{pattern}", arrow(link));
        if !conditions.is_empty() {
            let _ = write!(text, " WHERE {}", conditions.join(" AND "));
        }
        text
    }

    fn extreme(&mut self, name: &str, extreme: &Extreme) -> String {
        let function = if extreme.is_high { "max" } else { "min" };
        let measure = match &extreme.measure {
            Measure::Property(key) => format!("{name}.{}", quoted(key)),
            Measure::Links(link, node) => format!("COUNT {{ {} }}", self.links(name, link, node)),
        };
        format!(
            "WITH DISTINCT {name}, {measure} AS measure WHERE measure IS NOT NULL\n\
             WITH collect({{node: {name}, measure: measure}}) AS found, {function}(measure) AS extreme\n\
             UNWIND found AS one\n\
             WITH one.node AS {name}, one.measure AS measure, extreme WHERE measure = extreme\n"
        )
    }

    fn result(&self, name: &str, node: &Described, asked: &Asked, extreme: Option<&Extreme>) -> String {
        let label = &self.vocabulary.labels[node.label];
        let value = label.name_key.as_ref().map(|key| format!("{name}.{}", quoted(key)));
        let shown = value.unwrap_or_else(|| name.to_owned());
        let is_named = node.conditions.iter().any(|condition| {
            matches!(condition, Condition::Property { key, operator: Operator::Equal, .. } if Some(key) == label.name_key.as_ref())
        });
        match asked {
            Asked::Count => format!("RETURN count(DISTINCT {name}) AS count"),
            Asked::Nodes if extreme.is_some() => {
                format!("RETURN DISTINCT {shown} AS {name}, measure ORDER BY {name}")
            }
            Asked::Nodes => format!("RETURN DISTINCT {shown} AS {name} ORDER BY {name}"),
            Asked::Property(key) if is_named => {
                format!("RETURN DISTINCT {name}.{} AS {}", quoted(key), quoted(key))
            }
            Asked::Property(key) => {
                format!(
                    "RETURN DISTINCT {name}.{key} AS {key}, {shown} AS {name} ORDER BY {name}",
                    key = quoted(key)
                )
            }
        }
    }
}

/// A variable that is no word of the language.
fn quoted_variable(name: &str) -> String {
    const RESERVED: [&str; 24] = [
        "match", "where", "return", "with", "order", "by", "skip", "limit", "create", "set", "delete",
        "remove", "merge", "union", "unwind", "case", "when", "then", "else", "end", "exists", "count",
        "call", "in",
    ];
    if RESERVED.contains(&name.to_lowercase().as_str()) { format!("`{name}`") } else { name.to_owned() }
}

/// Whether two conditions say what one property equals; a map can say only one.
fn has_key_twice(node: &Described) -> bool {
    let mut seen = BTreeSet::new();
    node.conditions.iter().any(|condition| {
        matches!(condition, Condition::Property { key, operator: Operator::Equal, .. } if !seen.insert(key))
    })
}

fn arrow(link: &Link) -> String {
    let kind = quoted(&link.kind);
    if link.is_forward { format!("-[:{kind}]->") } else { format!("<-[:{kind}]-") }
}
