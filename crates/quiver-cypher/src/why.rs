//! Explains why a pattern has no match: how far it got, what removed the rest, and the nearest existing value.

use crate::{
    Value,
    ast::{Binary, Expression},
    error::Result,
    evaluate::{Context, Environment},
    nearest::nearest,
    plan::{Plan, Step, Test, constraint},
};

/// Number of values that are compared with one that does not exist.
const VALUES_MAX: usize = 10_000;

/// Explains the step of a plan after which nothing is left.
pub(crate) fn explain(context: &Context<'_>, plan: &Plan, at: usize, counts: &[usize]) -> Result<String> {
    let step = &plan.steps[at];
    let what = match step {
        Step::Select { slot, labels, lookups, .. } => select(context, plan, *slot, labels, lookups)?,
        Step::Labels { slot, labels, .. } => {
            let message = format!(
                "none of the nodes found for ({}) has the label {}",
                plan.shown(*slot),
                labels.join(":")
            );
            match missing_label(context, labels)? {
                Some(missing) => missing,
                None => message,
            }
        }
        Step::Expand(follow) | Step::ExpandMany { follow, .. } | Step::Shortest { follow, .. } => {
            let known = context.graph.schema()?.types;
            let unknown = follow.types.iter().find(|kind| known.iter().all(|(name, _)| name != *kind));
            match unknown {
                Some(kind) => {
                    let hint = nearest(kind, known.iter().map(|(name, _)| name.as_str()));
                    let hint = hint.map(|name| format!("; there is {name}")).unwrap_or_default();
                    format!("there is no relationship of type {kind}{hint}")
                }
                None => format!("no relationship matches {}", plan.follow_text(follow, "")),
            }
        }
        Step::Filter(condition) => condition_text(context, plan, at, condition)?,
        other => {
            plan.describe_step(other).map(|text| format!("nothing is left to {text}")).unwrap_or_default()
        }
    };
    let before: Vec<String> = plan.steps[..at]
        .iter()
        .zip(counts)
        .filter(|(step, _)| {
            matches!(step, Step::Select { .. } | Step::Expand(_) | Step::ExpandMany { .. } | Step::Filter(_))
        })
        .filter_map(|(step, count)| Some(format!("{} ({count})", plan.describe_step(step)?)))
        .collect();
    if before.is_empty() {
        return Ok(what);
    }
    Ok(format!("{what}; matched so far: {}", before.join(", ")))
}

fn missing_label(context: &Context<'_>, labels: &[String]) -> Result<Option<String>> {
    let known = context.graph.schema()?.labels;
    let Some(unknown) = labels.iter().find(|label| known.iter().all(|(name, _)| name != *label)) else {
        return Ok(None);
    };
    let hint = nearest(unknown, known.iter().map(|(name, _)| name.as_str()));
    let hint = hint.map(|name| format!("; there is {name}")).unwrap_or_default();
    Ok(Some(format!("there is no node with the label {unknown}{hint}")))
}

fn select(
    context: &Context<'_>,
    plan: &Plan,
    slot: usize,
    labels: &[String],
    lookups: &[crate::plan::Lookup],
) -> Result<String> {
    if let Some(missing) = missing_label(context, labels)? {
        return Ok(missing);
    }
    let label = labels.first().map(String::as_str);
    for lookup in lookups {
        let environment = Environment::new(&[], &[]);
        let Ok(value) = context.evaluate(&lookup.value, &environment) else { continue };
        if !matches!(lookup.test, Test::Equal | Test::In) {
            let Some(constraint) = constraint(context, lookup, &environment)? else { continue };
            let selection = context.selection(labels, vec![constraint]);
            if context.graph.select(&selection, 1)?.is_empty() {
                return Ok(format!("no {} has {lookup}", label.unwrap_or("node")));
            }
            continue;
        }
        let wanted = match &value {
            Value::List(items) if lookup.test == Test::In => items.first().cloned().unwrap_or_default(),
            value => value.clone(),
        };
        let constraint = crate::graph::Constraint::In(lookup.key.clone(), vec![wanted.clone()]);
        let selection = context.selection(labels, vec![constraint]);
        if context.graph.select(&selection, 1)?.is_empty() {
            return absent(context, label, &lookup.key, &wanted);
        }
    }
    let name = plan.shown(slot);
    Ok(format!("no node matches ({name}{})", label.map(|label| format!(":{label}")).unwrap_or_default()))
}

/// Says that no node has a value, and which existing value is nearest.
fn absent(context: &Context<'_>, label: Option<&str>, key: &str, wanted: &Value) -> Result<String> {
    let values = context.graph.values(label, key, VALUES_MAX)?;
    let what = label.unwrap_or("node");
    if values.is_empty() {
        return Ok(format!("no {what} has a property {key:?}"));
    }
    let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
    let hint = wanted.as_str().and_then(|wanted| nearest(wanted, texts.iter().copied()));
    let hint = hint.map(|value| format!("; there is '{value}'")).unwrap_or_default();
    Ok(format!("no {what} has {key} {wanted}{hint}"))
}

/// Describes a condition that nothing passes; for an equality also whether the value exists at all.
fn condition_text(context: &Context<'_>, plan: &Plan, at: usize, condition: &Expression) -> Result<String> {
    let message = format!("no row passes {}", crate::show::expression(condition));
    if let Expression::Binary(Binary::Equal, left, right, _) = condition {
        for (property, value) in [(left, right), (right, left)] {
            let Expression::Property(of, key, _) = &**property else { continue };
            let Expression::Variable(name, _) = &**of else { continue };
            let Ok(wanted) = context.evaluate(value, &Environment::new(&[], &[])) else { continue };
            let Some(slot) = plan.columns.iter().position(|column| column == name) else { continue };
            let label = plan.steps[..at].iter().find_map(|step| match step {
                Step::Labels { slot: found, labels, .. } | Step::Select { slot: found, labels, .. }
                    if *found == slot =>
                {
                    labels.first().map(String::as_str)
                }
                _ => None,
            });
            let constraint = crate::graph::Constraint::In(key.clone(), vec![wanted.clone()]);
            let labels: Vec<String> = label.iter().map(|label| (*label).to_owned()).collect();
            if context.graph.select(&context.selection(&labels, vec![constraint]), 1)?.is_empty() {
                return absent(context, label, key, &wanted);
            }
        }
    }
    Ok(message)
}

impl Plan {
    fn shown(&self, slot: usize) -> &str {
        let name = &self.columns[slot];
        if name.starts_with(' ') { "" } else { name }
    }
}
