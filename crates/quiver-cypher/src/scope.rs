//! The variables that an expression needs from outside.

use std::collections::BTreeSet;

use crate::ast::{Clause, Expression, Pattern, Subquery};

/// Returns the variables that are not bound within the expression itself.
pub(crate) fn free_variables(expression: &Expression) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(expression, &mut Vec::new(), &mut found);
    found
}

fn collect(expression: &Expression, local: &mut Vec<String>, found: &mut BTreeSet<String>) {
    match expression {
        Expression::Variable(name, _) => {
            if !local.contains(name) {
                found.insert(name.clone());
            }
        }
        Expression::ListComprehension { variable, list, filter, map } => {
            collect(list, local, found);
            local.push(variable.clone());
            for part in filter.iter().chain(map) {
                collect(part, local, found);
            }
            local.pop();
        }
        Expression::Quantified { variable, list, filter, .. } => {
            collect(list, local, found);
            local.push(variable.clone());
            collect(filter, local, found);
            local.pop();
        }
        Expression::Reduce { accumulator, start, variable, list, step } => {
            collect(start, local, found);
            collect(list, local, found);
            local.push(accumulator.clone());
            local.push(variable.clone());
            collect(step, local, found);
            local.truncate(local.len() - 2);
        }
        // Only variables of a pattern that are bound outside are needed; the planner ignores the others.
        Expression::Pattern(pattern) => patterns(std::slice::from_ref(&**pattern), local, found),
        Expression::PatternComprehension { pattern, filter, map } => {
            patterns(std::slice::from_ref(&**pattern), local, found);
            for part in filter.iter().chain(std::iter::once(map)) {
                collect(part, local, found);
            }
        }
        Expression::Exists(subquery) | Expression::Count(subquery) => match &**subquery {
            Subquery::Pattern { patterns: inner, filter } => {
                patterns(inner, local, found);
                if let Some(filter) = filter {
                    collect(filter, local, found);
                }
            }
            Subquery::Query(query) => {
                for clause in query.parts.iter().flatten() {
                    if let Clause::Match { patterns: inner, filter, .. } = clause {
                        patterns(inner, local, found);
                        if let Some(filter) = filter {
                            collect(filter, local, found);
                        }
                    }
                    if let Clause::With { projection, filter } = clause {
                        projection.items.iter().for_each(|item| collect(&item.expression, local, found));
                        if let Some(filter) = filter {
                            collect(filter, local, found);
                        }
                    }
                }
            }
        },
        _ => {
            for part in expression.parts() {
                collect(part, local, found);
            }
        }
    }
}

fn patterns(patterns: &[Pattern], local: &mut Vec<String>, found: &mut BTreeSet<String>) {
    for pattern in patterns {
        found.extend(
            pattern.variables().filter(|name| !local.iter().any(|one| one == name)).map(str::to_owned),
        );
        for part in pattern.expressions() {
            collect(part, local, found);
        }
    }
}
