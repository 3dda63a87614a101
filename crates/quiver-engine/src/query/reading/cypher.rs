//! Writes a parsed question as Cypher.

use std::{collections::BTreeSet, fmt::Write as _};

use quiver_cypher::{Moment, Value};

use super::{
    Amount, Asked, Condition, Described, Extreme, Link, Measure, Operator, Understood,
    vocabulary::{Property, Vocabulary},
};

struct Writer<'v> {
    vocabulary: &'v Vocabulary,
    variables: BTreeSet<String>,
    /// The types in patterns.
    kinds: Vec<String>,
    /// The variables of the patterns with their labels, except for nodes that the question names.
    described: Vec<(String, usize)>,
}

/// A written query.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) cypher: String,
    /// The columns with details of each row.
    pub(super) details: Vec<String>,
}

/// Writes a parsed question.
pub(super) fn write(vocabulary: &Vocabulary, understood: &Understood) -> Written {
    let variables = RESERVED_VARIABLES.map(str::to_owned).into();
    let mut writer = Writer { vocabulary, variables, kinds: Vec::new(), described: Vec::new() };
    let Understood { asked, node, extreme, also, texts_on } = understood;
    let name = writer.variable(node.label);
    let mut patterns = Vec::new();
    let mut conditions = Vec::new();
    let first = writer.node_pattern(&name, node);
    patterns.push(first);
    writer.collect(&name, node, &mut patterns, &mut conditions);
    // Within one MATCH no relationship is followed twice, but two conditions may share one.
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
    let mut details = match (asked, extreme) {
        (Asked::Nodes, None) => writer.details(&name, node.label, also),
        _ => Vec::new(),
    };
    if let Some(texts) = writer.texts(&name, texts_on) {
        text.push_str(&texts);
        details.push(Detail {
            expression: format!("[one IN texts WHERE one.matches = most | one.text][0..{TEXTS_MAX}]"),
            column: EVIDENCE.to_owned(),
            orders: false,
        });
    }
    text.push_str(&writer.result(&name, node, asked, extreme.as_ref(), &details));
    Written { cypher: text, details: details.into_iter().map(|detail| detail.column).collect() }
}

/// The column with the texts that belong to a row.
const EVIDENCE: &str = "evidence";
/// Maximum number of texts per row.
const TEXTS_MAX: usize = 5;
/// Variables that do not stand for nodes.
const RESERVED_VARIABLES: [&str; 6] = ["found", "near", "text", "texts", "matches", "most"];

/// A column with details of each row.
#[derive(Debug)]
struct Detail {
    expression: String,
    column: String,
    /// Whether the rows are ordered by it.
    orders: bool,
}

/// Quotes a name as Cypher requires.
pub(super) fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

pub(super) fn literal(value: &Value) -> String {
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
    /// Returns a new variable for a node, named after its label.
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

    /// Writes a node with its label and the properties that equal a value.
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

    /// Collects the patterns and conditions of a node. Links become patterns, so that they are part of the proof.
    fn collect(
        &mut self,
        name: &str,
        node: &Described,
        patterns: &mut Vec<String>,
        conditions: &mut Vec<String>,
    ) {
        if !self.is_named(node) {
            self.described.push((name.to_owned(), node.label));
        }
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

    /// Writes a condition as an expression.
    fn condition(&mut self, name: &str, condition: &Condition) -> String {
        match condition {
            Condition::Property { key, operator, value } => {
                format!("{name}.{} {} {}", quoted(key), operator.text(), literal(value))
            }
            Condition::In { key, values } => {
                let values: Vec<String> = values.iter().map(literal).collect();
                format!("{name}.{} IN [{}]", quoted(key), values.join(", "))
            }
            Condition::Present { key } => format!("{name}.{} IS NOT NULL", quoted(key)),
            Condition::Called { label, word } => self.called(name, *label, word),
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

    /// Writes the condition that a text of a node, or the name of a node linked to it, has a word with this beginning.
    /// Only names without spaces count, since they are made of descriptive words; a title describes nothing.
    fn called(&self, name: &str, label: usize, word: &str) -> String {
        let says = |node: &str, keys: &[&str], pattern: String| {
            let values: Vec<String> = keys.iter().map(|key| format!("{node}.{}", quoted(key))).collect();
            format!("any(text IN [{}] WHERE text =~ {})", values.join(", "), Value::from(pattern))
        };
        let of_names = || format!("(?i)([^ ]*[^a-z ])?{word}[^ ]*");
        let own = &self.vocabulary.labels[label];
        let (proses, texts): (Vec<&str>, Vec<&str>) = own.texts().partition(|key| own.is_prose(key));
        let linked = self.vocabulary.linked(label).into_iter();
        let names: BTreeSet<&str> =
            linked.filter_map(|other| self.vocabulary.labels[other].name_key.as_deref()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let mut ways = vec![says(name, &texts, of_names())];
        if !proses.is_empty() {
            ways.push(says(name, &proses, format!("(?is)(.*[^a-z])?{word}.*")));
        }
        ways.push(format!("EXISTS {{ ({name})--(near) WHERE {} }}", says("near", &names, of_names())));
        format!("({})", ways.join(" OR "))
    }

    /// Collects the texts of the nodes linked to what was found, each with the number of words it contains.
    fn texts(&self, name: &str, words: &[String]) -> Option<String> {
        let linked: BTreeSet<usize> =
            self.described.iter().flat_map(|(_, label)| self.vocabulary.linked(*label)).collect();
        let (mut labels, mut proses, mut keys) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for label in linked.iter().map(|label| &self.vocabulary.labels[*label]) {
            if let Some(prose) = label.prose() {
                labels.push(format!("near:{}", quoted(&label.name)));
                proses.insert(prose);
                keys.extend(label.texts());
            }
        }
        if words.is_empty() || labels.is_empty() {
            return None;
        }
        let found: Vec<&str> = self.described.iter().map(|(variable, _)| variable.as_str()).collect();
        let words: Vec<String> = words.iter().map(|word| Value::from(word.as_str()).to_string()).collect();
        let of_near = |keys: BTreeSet<&str>| {
            keys.iter().map(|key| format!("near.{}", quoted(key))).collect::<Vec<_>>().join(", ")
        };
        Some(format!(
            "UNWIND [{}] AS found\n\
             OPTIONAL MATCH (found)--(near) WHERE {}\n\
             WITH {name}, coalesce({}) AS text, \
             size([word IN [{}] WHERE any(text IN [{}] WHERE toLower(text) CONTAINS word)]) AS matches ORDER BY text\n\
             WITH {name}, collect(DISTINCT CASE WHEN text IS NOT NULL THEN {{text: text, matches: matches}} END) AS texts, \
             max(matches) AS most\n",
            found.join(", "),
            labels.join(" OR "),
            of_near(proses),
            words.join(", "),
            of_near(keys),
        ))
    }

    /// Writes the links from a node as the body of a subquery.
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

    /// Returns the details of nodes, including the properties that were asked for. Nodes with a due date have their
    /// state, when they are due, when they were completed, and the same of nodes with this label that they depend on.
    fn details(&mut self, name: &str, label: usize, also: &[String]) -> Vec<Detail> {
        let of = &self.vocabulary.labels[label];
        let of_state: Vec<&str> = of.of_state().into_iter().map(|property| property.key.as_str()).collect();
        let is_detail = |property: &&Property| {
            also.contains(&property.key) || (of.due().is_some() && of_state.contains(&property.key.as_str()))
        };
        let properties: Vec<&Property> = of
            .properties
            .iter()
            .filter(|property| of.name_key.as_ref() != Some(&property.key))
            .filter(is_detail)
            .collect();
        let mut details: Vec<Detail> = properties
            .iter()
            .map(|property| Detail {
                expression: format!("{name}.{}", quoted(&property.key)),
                column: property.key.clone(),
                orders: of.due().is_some_and(|due| due.key == property.key),
            })
            .collect();
        let Some(name_key) = of.name_key.as_ref().filter(|_| of.due().is_some()) else { return details };
        let own: Vec<String> =
            std::iter::once(name_key).chain(properties.iter().map(|one| &one.key)).cloned().collect();
        let links = self.vocabulary.links.iter();
        let same = links.clone().filter(|kind| kind.ends.contains(&(label, label)));
        let mut linked: Vec<(String, usize, Vec<String>)> =
            same.map(|kind| (kind.kind.clone(), label, own.clone())).collect();
        // What the nodes wait for may have another label.
        for kind in links.filter(|kind| kind.is_needing == Some(true)) {
            for (_, to) in kind.ends.iter().filter(|(from, to)| *from == label && *to != label) {
                let other = &self.vocabulary.labels[*to];
                let Some(name_key) = &other.name_key else { continue };
                let of_state =
                    other.of_state().into_iter().map(|one| &one.key).filter(|key| *key != name_key);
                let keys = std::iter::once(name_key).chain(of_state).cloned().collect();
                linked.push((kind.kind.clone(), *to, keys));
            }
        }
        for (kind, to, keys) in linked {
            let other = self.variable(to);
            let entries: Vec<String> =
                keys.iter().map(|key| format!("{}: {other}.{}", quoted(key), quoted(key))).collect();
            let link = Link { kind: kind.clone(), is_forward: true };
            let label = quoted(&self.vocabulary.labels[to].name);
            let expression =
                format!("[({name}){}({other}:{label}) | {{{}}}]", arrow(&link), entries.join(", "));
            details.push(Detail { expression, column: kind, orders: false });
        }
        details.retain(|detail| detail.column != name);
        details
    }

    /// Whether a question names a node.
    fn is_named(&self, node: &Described) -> bool {
        let name_key = self.vocabulary.labels[node.label].name_key.as_ref();
        node.conditions.iter().any(|condition| {
            matches!(condition, Condition::Property { key, operator: Operator::Equal, .. } if Some(key) == name_key)
        })
    }

    fn result(
        &self,
        name: &str,
        node: &Described,
        asked: &Asked,
        extreme: Option<&Extreme>,
        details: &[Detail],
    ) -> String {
        let label = &self.vocabulary.labels[node.label];
        let value = label.name_key.as_ref().map(|key| format!("{name}.{}", quoted(key)));
        let shown = value.unwrap_or_else(|| name.to_owned());
        match asked {
            Asked::Count => format!("RETURN count(DISTINCT {name}) AS count"),
            Asked::Nodes if extreme.is_some() => {
                format!("RETURN DISTINCT {shown} AS {name}, measure ORDER BY {name}")
            }
            Asked::Nodes => {
                let mut text = format!("RETURN DISTINCT {shown} AS {name}");
                for Detail { expression, column, .. } in details {
                    let _ = write!(text, ", {expression} AS {}", quoted(column));
                }
                let orders =
                    details.iter().filter(|detail| detail.orders).map(|detail| quoted(&detail.column));
                let orders: Vec<String> = orders.chain([name.to_owned()]).collect();
                let _ = write!(text, " ORDER BY {}", orders.join(", "));
                text
            }
            Asked::Property(key) if self.is_named(node) => {
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

/// Quotes a variable if it is a keyword.
fn quoted_variable(name: &str) -> String {
    const RESERVED: [&str; 24] = [
        "match", "where", "return", "with", "order", "by", "skip", "limit", "create", "set", "delete",
        "remove", "merge", "union", "unwind", "case", "when", "then", "else", "end", "exists", "count",
        "call", "in",
    ];
    if RESERVED.contains(&name.to_lowercase().as_str()) { format!("`{name}`") } else { name.to_owned() }
}

/// Whether two conditions fix the value of one property; a map can hold only one.
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
