//! Checks a parsed query: names, kinds of variables, aggregates, the order of clauses.

use std::collections::BTreeMap;

use crate::{
    aggregate::has_aggregate,
    as_of,
    ast::{
        Binary, Clause, Direction, Expression, Item, Literal, MapItem, Pattern, Projection, Query,
        RemoveItem, SetItem, Shortest, Subquery,
    },
    error::{Place, Result, syntax},
    evaluate::{FUNCTIONS, is_aggregate},
    nearest::nearest,
};

/// The known kind of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Node,
    Relationship,
    Relationships,
    Path,
    Boolean,
    Integer,
    Float,
    String,
    List,
    Map,
    Unknown,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Node => "a node",
            Self::Relationship => "a relationship",
            Self::Relationships => "a list of relationships",
            Self::Path => "a path",
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Float => "a float",
            Self::String => "a string",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Unknown => "a value",
        }
    }
}

type Scope = BTreeMap<String, Kind>;

pub(crate) fn check(query: &Query) -> Result<()> {
    check_query(query, &Scope::new(), false)
}

fn check_query(query: &Query, outer: &Scope, is_inner: bool) -> Result<()> {
    as_of::check(query)?;
    let mut columns: Option<Vec<String>> = None;
    for part in &query.parts {
        let found = check_part(part, outer, is_inner)?;
        if let Some(columns) = &columns {
            let (mut a, mut b) = (columns.clone(), found.clone());
            a.sort();
            b.sort();
            if a != b {
                return Err(syntax(format!(
                    "all parts of a UNION must return the same columns; one returns {}, another {}",
                    columns.join(", "),
                    found.join(", ")
                )));
            }
        }
        columns.get_or_insert(found);
    }
    Ok(())
}

/// Checks the clauses of a part and returns its columns.
fn check_part(clauses: &[Clause], outer: &Scope, is_inner: bool) -> Result<Vec<String>> {
    let mut scope = outer.clone();
    let mut columns = Vec::new();
    let mut has_written = false;
    for (at, clause) in clauses.iter().enumerate() {
        let is_last = at + 1 == clauses.len();
        match clause {
            Clause::Match { patterns, filter, place, .. } => {
                if has_written {
                    return Err(syntax("a WITH is needed between writing and MATCH").at(*place));
                }
                check_patterns(patterns, &mut scope, Use::Match)?;
                check_filter(filter.as_ref(), &scope)?;
                require_more(is_last && !is_inner, "MATCH", *place)?;
            }
            Clause::Unwind { list, variable, place } => {
                check_expression(list, &scope)?;
                refuse_aggregates(list, "UNWIND")?;
                bind_new(&mut scope, variable, Kind::Unknown, *place)?;
                require_more(is_last && !is_inner, "UNWIND", *place)?;
            }
            Clause::With { projection, filter } => {
                let (next, _) = check_projection(projection, &scope, true)?;
                let mut wide = scope.clone();
                wide.extend(next.clone());
                let narrow = projection.distinct
                    || projection.items.iter().any(|item| has_aggregate(&item.expression));
                if let Some(filter) = filter {
                    refuse_aggregates(filter, "WHERE")?;
                    // After an aggregate or DISTINCT only the new names exist.
                    check_expression(filter, if narrow { &next } else { &wide })?;
                }
                scope = next;
                has_written = false;
                require_more(is_last && !is_inner, "WITH", projection.place)?;
            }
            Clause::Return(projection) => {
                if !is_last {
                    return Err(syntax("RETURN must be the last clause").at(projection.place));
                }
                let (_, names) = check_projection(projection, &scope, false)?;
                columns = names;
            }
            Clause::Create { patterns } => {
                check_created(patterns, &mut scope)?;
                has_written = true;
            }
            Clause::Merge { pattern, on_create, on_match } => {
                check_merged(pattern, &mut scope)?;
                check_set(on_create, &scope)?;
                check_set(on_match, &scope)?;
                has_written = true;
            }
            Clause::Set(items) => {
                check_set(items, &scope)?;
                has_written = true;
            }
            Clause::Remove(items) => {
                for item in items {
                    match item {
                        RemoveItem::Property { target, .. } => check_expression(target, &scope)?,
                        RemoveItem::Labels { variable, place, .. } => defined(variable, &scope, *place)?,
                    }
                }
                has_written = true;
            }
            Clause::Delete { expressions, .. } => {
                for expression in expressions {
                    check_expression(expression, &scope)?;
                    match kind_of(expression, &scope) {
                        Kind::Node | Kind::Relationship | Kind::Path | Kind::Unknown => {}
                        other => {
                            return Err(syntax(format!(
                                "only nodes, relationships and paths can be deleted, not {}",
                                other.name()
                            )));
                        }
                    }
                    if matches!(expression, Expression::HasLabels(..)) {
                        return Err(syntax("use REMOVE to remove a label, not DELETE"));
                    }
                }
                has_written = true;
            }
            Clause::Call { arguments, yields, filter, place, procedure } => {
                for argument in arguments.iter().flatten() {
                    check_expression(argument, &scope)?;
                    refuse_aggregates(argument, "CALL")?;
                }
                if clauses.len() > 1 && arguments.is_none() {
                    return Err(
                        syntax(format!("{procedure} requires its arguments in parentheses here")).at(*place)
                    );
                }
                for (_, alias) in yields.iter().flatten() {
                    bind_new(&mut scope, alias, Kind::Unknown, *place)?;
                }
                check_filter(filter.as_ref(), &scope)?;
            }
        }
    }
    Ok(columns)
}

fn require_more(is_last: bool, clause: &str, place: Place) -> Result<()> {
    if is_last {
        return Err(syntax(format!("a query can't end with {clause}; add RETURN")).at(place));
    }
    Ok(())
}

fn defined(name: &str, scope: &Scope, place: Place) -> Result<()> {
    if scope.contains_key(name) {
        return Ok(());
    }
    let hint = nearest(name, scope.keys().map(String::as_str));
    let hint = hint.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
    Err(syntax(format!("the variable {name:?} is not defined{hint}")).at(place))
}

fn bind_new(scope: &mut Scope, name: &str, kind: Kind, place: Place) -> Result<()> {
    if scope.contains_key(name) {
        return Err(syntax(format!("the variable {name:?} is already defined")).at(place));
    }
    scope.insert(name.to_owned(), kind);
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Match,
    /// In an expression: no new variables.
    Predicate,
}

fn bind(scope: &mut Scope, name: &str, kind: Kind, place: Place) -> Result<()> {
    match scope.get(name) {
        None => {
            scope.insert(name.to_owned(), kind);
            Ok(())
        }
        Some(known) if *known == kind || *known == Kind::Unknown => Ok(()),
        Some(Kind::List) if kind == Kind::Relationships => Ok(()),
        Some(known) => Err(syntax(format!(
            "the variable {name:?} is {}, but {} is required here",
            known.name(),
            kind.name()
        ))
        .at(place)),
    }
}

fn check_patterns(patterns: &[Pattern], scope: &mut Scope, usage: Use) -> Result<()> {
    let before = scope.clone();
    let mut relationships: Vec<&str> = Vec::new();
    for pattern in patterns {
        for node in &pattern.nodes {
            if let Some(name) = &node.variable {
                if usage == Use::Predicate {
                    defined(name, scope, node.place)?;
                }
                bind(scope, name, Kind::Node, node.place)?;
            }
        }
        for one in &pattern.relationships {
            if let Some(name) = &one.variable {
                if usage == Use::Predicate {
                    defined(name, scope, one.place)?;
                }
                let kind = if one.length.is_some() { Kind::Relationships } else { Kind::Relationship };
                if relationships.contains(&name.as_str()) {
                    return Err(syntax(format!(
                        "the relationship {name:?} can't occur twice in one pattern"
                    ))
                    .at(one.place));
                }
                relationships.push(name);
                bind(scope, name, kind, one.place)?;
            }
            if let Some((Some(least), Some(most))) = one.length
                && least > most
                && pattern.shortest != Shortest::No
            {
                return Err(syntax("the minimum length is greater than the maximum").at(one.place));
            }
        }
        if let Some(name) = &pattern.variable {
            if before.contains_key(name) || scope.contains_key(name) {
                return Err(syntax(format!("the variable {name:?} is already defined")).at(pattern.place));
            }
            scope.insert(name.clone(), Kind::Path);
        }
    }
    for pattern in patterns {
        for expression in pattern.expressions() {
            if matches!(expression, Expression::Parameter(..)) && usage == Use::Match {
                // openCypher rejects a parameter for all properties in MATCH, since it can't be planned.
                return Err(syntax(
                    "properties can't be a single parameter in MATCH; write each one: {key: $value}",
                )
                .at(pattern.place));
            }
            refuse_aggregates(expression, "a pattern")?;
            check_expression(expression, scope)?;
        }
    }
    Ok(())
}

fn check_created(patterns: &[Pattern], scope: &mut Scope) -> Result<()> {
    for pattern in patterns {
        if pattern.shortest != Shortest::No {
            return Err(syntax("a shortest path can't be created").at(pattern.place));
        }
        for node in &pattern.nodes {
            if let Some(name) = &node.variable {
                let is_alone = pattern.relationships.is_empty();
                let adds = !node.labels.is_empty() || node.properties.is_some();
                if scope.contains_key(name) && (is_alone || adds) {
                    return Err(syntax(format!("the variable {name:?} is already defined")).at(node.place));
                }
            }
            if let Some(properties) = &node.properties {
                check_expression(properties, scope)?;
                refuse_aggregates(properties, "CREATE")?;
            }
            if let Some(name) = &node.variable {
                bind(scope, name, Kind::Node, node.place)?;
            }
        }
        check_new_relationships(pattern, scope, true)?;
        if let Some(name) = &pattern.variable {
            bind_new(scope, name, Kind::Path, pattern.place)?;
        }
    }
    Ok(())
}

fn check_new_relationships(pattern: &Pattern, scope: &mut Scope, needs_direction: bool) -> Result<()> {
    for one in &pattern.relationships {
        if one.length.is_some() {
            return Err(syntax("a relationship of variable length can't be created").at(one.place));
        }
        if one.types.len() != 1 {
            return Err(syntax("a relationship must be created with exactly one type").at(one.place));
        }
        if needs_direction && one.direction == Direction::Either {
            return Err(
                syntax("a relationship must be created with a direction: -[]-> or <-[]-").at(one.place)
            );
        }
        if let Some(properties) = &one.properties {
            check_expression(properties, scope)?;
            refuse_aggregates(properties, "a pattern")?;
        }
        if let Some(name) = &one.variable {
            bind_new(scope, name, Kind::Relationship, one.place)?;
        }
    }
    Ok(())
}

fn check_merged(pattern: &Pattern, scope: &mut Scope) -> Result<()> {
    for node in &pattern.nodes {
        if let Some(name) = &node.variable {
            let adds =
                !node.labels.is_empty() || node.properties.is_some() || pattern.relationships.is_empty();
            if scope.contains_key(name) && adds {
                return Err(syntax(format!("the variable {name:?} is already defined")).at(node.place));
            }
        }
        if let Some(properties) = &node.properties {
            if matches!(properties, Expression::Parameter(..)) {
                return Err(syntax(
                    "properties can't be a single parameter in MERGE; write each one: {key: $value}",
                )
                .at(node.place));
            }
            check_expression(properties, scope)?;
        }
    }
    for node in &pattern.nodes {
        if let Some(name) = &node.variable {
            bind(scope, name, Kind::Node, node.place)?;
        }
    }
    if let Some(one) =
        pattern.relationships.iter().find(|one| matches!(one.properties, Some(Expression::Parameter(..))))
    {
        return Err(syntax("properties can't be a single parameter in MERGE; write each one: {key: $value}")
            .at(one.place));
    }
    check_new_relationships(pattern, scope, false)?;
    if let Some(name) = &pattern.variable {
        bind_new(scope, name, Kind::Path, pattern.place)?;
    }
    Ok(())
}

fn check_set(items: &[SetItem], scope: &Scope) -> Result<()> {
    for item in items {
        match item {
            SetItem::Property { target, value, .. } => {
                check_expression(target, scope)?;
                check_expression(value, scope)?;
                refuse_aggregates(value, "SET")?;
            }
            SetItem::Properties { variable, value, place, .. } => {
                defined(variable, scope, *place)?;
                check_expression(value, scope)?;
                refuse_aggregates(value, "SET")?;
            }
            SetItem::Labels { variable, place, .. } => defined(variable, scope, *place)?,
        }
    }
    Ok(())
}

fn check_filter(filter: Option<&Expression>, scope: &Scope) -> Result<()> {
    let Some(filter) = filter else { return Ok(()) };
    refuse_aggregates(filter, "WHERE")?;
    check_expression(filter, scope)?;
    match kind_of(filter, scope) {
        Kind::Boolean | Kind::Unknown => Ok(()),
        other => Err(syntax(format!("WHERE requires a condition, not {}", other.name()))),
    }
}

fn refuse_aggregates(expression: &Expression, clause: &str) -> Result<()> {
    if has_aggregate(expression) {
        return Err(syntax(format!(
            "an aggregate such as count() can't be used in {clause}; compute it in an earlier WITH"
        )));
    }
    Ok(())
}

/// Checks a projection; returns the scope after it and its columns.
fn check_projection(projection: &Projection, scope: &Scope, is_with: bool) -> Result<(Scope, Vec<String>)> {
    let mut next = Scope::new();
    let mut names: Vec<String> = Vec::new();
    if projection.everything {
        if scope.is_empty() && !is_with {
            return Err(syntax("RETURN * requires variables, but there are none").at(projection.place));
        }
        next.extend(scope.iter().map(|(name, kind)| (name.clone(), *kind)));
        names.extend(scope.keys().cloned());
    }
    for item in &projection.items {
        check_expression(&item.expression, scope)?;
        if let Expression::Pattern(pattern) = &item.expression {
            return Err(syntax(
                "a pattern is a condition and can't be returned; use EXISTS {…} or a pattern comprehension",
            )
            .at(pattern.place));
        }
        if is_with && !item.aliased && !matches!(item.expression, Expression::Variable(..)) {
            return Err(syntax(format!("{} requires a name in WITH: add AS", item.name)).at(projection.place));
        }
        if names.contains(&item.name) && !(projection.everything && scope.contains_key(&item.name) && is_with)
        {
            return Err(syntax(format!("two columns have the name {:?}", item.name)).at(projection.place));
        }
        names.push(item.name.clone());
        next.insert(item.name.clone(), kind_of(&item.expression, scope));
    }
    let has_aggregates = projection.items.iter().any(|item| has_aggregate(&item.expression));
    if has_aggregates {
        check_grouping(&projection.items, scope)?;
    }
    let narrow = has_aggregates || projection.distinct;
    for (expression, _) in &projection.order {
        check_order(expression, projection, scope, &next, narrow)?;
    }
    for (bound, word) in [(&projection.skip, "SKIP"), (&projection.limit, "LIMIT")] {
        let Some(bound) = bound else { continue };
        if !crate::scope::free_variables(bound).is_empty() || has_subquery(bound) {
            return Err(syntax(format!("{word} can't depend on variables")).at(projection.place));
        }
        check_expression(bound, &Scope::new())?;
        match bound {
            Expression::Literal(Literal::Integer(count)) if *count < 0 => {
                return Err(syntax(format!("{word} can't be negative")).at(projection.place));
            }
            Expression::Literal(Literal::Integer(_)) => {}
            Expression::Literal(_) => {
                return Err(syntax(format!("{word} requires an integer")).at(projection.place));
            }
            _ => {}
        }
    }
    Ok((next, names))
}

fn has_subquery(expression: &Expression) -> bool {
    matches!(
        expression,
        Expression::Exists(_)
            | Expression::Count(_)
            | Expression::Pattern(_)
            | Expression::PatternComprehension { .. }
    ) || expression.parts().into_iter().any(has_subquery)
}

/// Rejects an expression with an aggregate that uses anything other than the grouping keys.
fn check_grouping(items: &[Item], scope: &Scope) -> Result<()> {
    let keys: Vec<&Expression> =
        items.iter().filter(|item| !has_aggregate(&item.expression)).map(|item| &item.expression).collect();
    for item in items.iter().filter(|item| has_aggregate(&item.expression)) {
        check_beside(&item.expression, &keys, &[], scope)?;
    }
    Ok(())
}

fn check_beside(expression: &Expression, keys: &[&Expression], names: &[&str], scope: &Scope) -> Result<()> {
    if keys.contains(&expression) {
        return Ok(());
    }
    match expression {
        Expression::Function { name, .. } if is_aggregate(name) => return Ok(()),
        Expression::Variable(name, place) if scope.contains_key(name) && !names.contains(&name.as_str()) => {
            return Err(syntax(format!(
                "{name:?} is used next to an aggregate but is not a grouping key; return it too"
            ))
            .at(*place));
        }
        Expression::CountAll(_)
        | Expression::ListComprehension { .. }
        | Expression::Quantified { .. }
        | Expression::Reduce { .. } => return Ok(()),
        Expression::Property(of, ..) if keys.contains(&&**of) => return Ok(()),
        _ => {}
    }
    expression.parts().into_iter().try_for_each(|part| check_beside(part, keys, names, scope))
}

fn check_order(
    expression: &Expression,
    projection: &Projection,
    scope: &Scope,
    next: &Scope,
    narrow: bool,
) -> Result<()> {
    if has_aggregate(expression) {
        let is_returned = |part: &Expression| projection.items.iter().any(|item| item.expression == *part);
        let has_aggregates = projection.items.iter().any(|item| has_aggregate(&item.expression));
        if !has_aggregates && !is_returned(expression) {
            return Err(
                syntax("ORDER BY has an aggregate, but the returned columns have none").at(projection.place)
            );
        }
        let mut wide = scope.clone();
        wide.extend(next.clone());
        check_expression(expression, &wide)?;
        let keys: Vec<&Expression> = projection.items.iter().map(|item| &item.expression).collect();
        let names: Vec<&str> = next.keys().map(String::as_str).collect();
        return check_beside(expression, &keys, &names, scope);
    }
    let mut wide = if narrow { Scope::new() } else { scope.clone() };
    wide.extend(next.clone());
    if narrow {
        return check_narrow(expression, projection, &wide);
    }
    check_expression(expression, &wide)
}

/// Checks that ORDER BY after an aggregate or DISTINCT uses only what is returned, by name or as written.
fn check_narrow(expression: &Expression, projection: &Projection, scope: &Scope) -> Result<()> {
    if projection.items.iter().any(|item| item.expression == *expression) {
        return Ok(());
    }
    let parts = expression.parts();
    if parts.is_empty() {
        return check_expression(expression, scope);
    }
    parts.into_iter().try_for_each(|part| check_narrow(part, projection, scope))
}

fn check_function(name: &str, arguments: &[Expression], place: Place) -> Result<()> {
    let Some((_, least, most)) = FUNCTIONS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name)) else {
        let hint = nearest(name, FUNCTIONS.iter().map(|(known, ..)| *known));
        let hint = hint.map(|name| format!("; did you mean {name}()?")).unwrap_or_default();
        return Err(syntax(format!("there is no function {name}(){hint}")).at(place));
    };
    if arguments.len() < *least || arguments.len() > *most {
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return Err(syntax(format!("{name}() takes {wanted} arguments, not {}", arguments.len())).at(place));
    }
    if is_aggregate(name) && arguments.iter().any(has_aggregate) {
        return Err(syntax("an aggregate can't be nested in another aggregate").at(place));
    }
    Ok(())
}

/// Checks the argument of functions that accept only one kind of value.
fn check_argument(name: &str, arguments: &[Expression], scope: &Scope, place: Place) -> Result<()> {
    let Some(argument) = arguments.first() else { return Ok(()) };
    let kind = kind_of(argument, scope);
    let allowed: &[Kind] = match name.to_ascii_lowercase().as_str() {
        "type" => &[Kind::Relationship],
        "labels" => &[Kind::Node],
        "length" | "nodes" | "relationships" => &[Kind::Path],
        "size" => &[Kind::List, Kind::Relationships, Kind::String, Kind::Map],
        "properties" => &[Kind::Node, Kind::Relationship, Kind::Map],
        "tointeger" | "tofloat" | "tostring" | "toboolean" => {
            &[Kind::Boolean, Kind::Integer, Kind::Float, Kind::String, Kind::Unknown]
        }
        _ => return Ok(()),
    };
    if kind == Kind::Unknown || allowed.contains(&kind) {
        return Ok(());
    }
    Err(syntax(format!("{name}() can't be applied to {}", kind.name())).at(place))
}

fn check_expression(expression: &Expression, scope: &Scope) -> Result<()> {
    match expression {
        Expression::Variable(name, place) => return defined(name, scope, *place),
        Expression::Function { name, arguments, place, .. } => {
            check_function(name, arguments, *place)?;
            check_argument(name, arguments, scope, *place)?;
            if name.eq_ignore_ascii_case("exists")
                && let Some(Expression::Pattern(_)) = arguments.first()
            {
                return check_parts(expression, scope);
            }
            if let Some(Expression::Pattern(pattern)) =
                arguments.iter().find(|one| matches!(one, Expression::Pattern(_)))
            {
                return Err(syntax(format!("a pattern can't be an argument of {name}()")).at(pattern.place));
            }
        }
        Expression::Property(of, key, place) => {
            let kind = kind_of(of, scope);
            let has_properties = matches!(kind, Kind::Node | Kind::Relationship | Kind::Map | Kind::Unknown);
            if !has_properties {
                return Err(
                    syntax(format!("{} has no properties, and thus no {key:?}", kind.name())).at(*place)
                );
            }
        }
        Expression::Binary(operator, left, right, place) => {
            check_operands(*operator, left, right, scope).map_err(|error| error.at(*place))?;
        }
        Expression::Not(of) => check_condition(of, scope)?,
        Expression::MapProjection(_, items, _) => {
            for item in items {
                if let MapItem::Entry(_, value) = item {
                    check_expression(value, scope)?;
                }
            }
        }
        Expression::ListComprehension { variable, list, filter, map } => {
            check_list(list, scope)?;
            let inner = with(scope, &[(variable, item_kind(list, scope))]);
            for part in filter.iter().chain(map) {
                refuse_aggregates(part, "a list comprehension")?;
                check_expression(part, &inner)?;
            }
            return Ok(());
        }
        Expression::Quantified { variable, list, filter, .. } => {
            check_list(list, scope)?;
            let inner = with(scope, &[(variable, item_kind(list, scope))]);
            refuse_aggregates(filter, "a list comprehension")?;
            check_expression(filter, &inner)?;
            return check_condition(filter, &inner);
        }
        Expression::Reduce { accumulator, start, variable, list, step } => {
            check_expression(start, scope)?;
            check_list(list, scope)?;
            return check_expression(
                step,
                &with(scope, &[(accumulator, Kind::Unknown), (variable, Kind::Unknown)]),
            );
        }
        Expression::Pattern(pattern) => {
            return check_patterns(std::slice::from_ref(&**pattern), &mut scope.clone(), Use::Predicate);
        }
        Expression::PatternComprehension { pattern, filter, map } => {
            let mut inner = scope.clone();
            check_patterns(std::slice::from_ref(&**pattern), &mut inner, Use::Match)?;
            for part in filter.iter().chain(std::iter::once(map)) {
                check_expression(part, &inner)?;
            }
            return Ok(());
        }
        Expression::Exists(subquery) | Expression::Count(subquery) => return check_subquery(subquery, scope),
        _ => {}
    }
    check_parts(expression, scope)
}

fn check_parts(expression: &Expression, scope: &Scope) -> Result<()> {
    expression.parts().into_iter().try_for_each(|part| check_expression(part, scope))
}

fn check_subquery(subquery: &Subquery, scope: &Scope) -> Result<()> {
    match subquery {
        Subquery::Pattern { patterns, filter } => {
            let mut inner = scope.clone();
            check_patterns(patterns, &mut inner, Use::Match)?;
            check_filter(filter.as_deref(), &inner)
        }
        Subquery::Query(query) => {
            if query.writes() {
                return Err(syntax("a subquery in an expression can't write"));
            }
            check_query(query, scope, true)
        }
    }
}

fn with(scope: &Scope, names: &[(&String, Kind)]) -> Scope {
    let mut inner = scope.clone();
    inner.extend(names.iter().map(|(name, kind)| ((*name).clone(), *kind)));
    inner
}

fn check_list(list: &Expression, scope: &Scope) -> Result<()> {
    check_expression(list, scope)?;
    match kind_of(list, scope) {
        Kind::List | Kind::Relationships | Kind::Unknown => Ok(()),
        other => Err(syntax(format!("IN requires a list, not {}", other.name()))),
    }
}

/// Returns the kind of the items of a list, if it is written out.
fn item_kind(list: &Expression, scope: &Scope) -> Kind {
    let Expression::List(items) = list else { return Kind::Unknown };
    let mut kinds = items.iter().map(|item| kind_of(item, scope));
    let first = kinds.next().unwrap_or(Kind::Unknown);
    if kinds.all(|kind| kind == first) { first } else { Kind::Unknown }
}

fn check_condition(expression: &Expression, scope: &Scope) -> Result<()> {
    match kind_of(expression, scope) {
        Kind::Boolean | Kind::Unknown => Ok(()),
        other => Err(syntax(format!("a condition is required, not {}", other.name()))),
    }
}

fn check_operands(operator: Binary, left: &Expression, right: &Expression, scope: &Scope) -> Result<()> {
    match operator {
        Binary::And | Binary::Or | Binary::Xor => {
            check_condition(left, scope)?;
            check_condition(right, scope)
        }
        Binary::In => match kind_of(right, scope) {
            Kind::List | Kind::Relationships | Kind::Unknown => Ok(()),
            other => Err(syntax(format!("IN requires a list, not {}", other.name()))),
        },
        Binary::Add
        | Binary::Subtract
        | Binary::Multiply
        | Binary::Divide
        | Binary::Modulo
        | Binary::Power => {
            for side in [left, right] {
                let kind = kind_of(side, scope);
                let is_wrong =
                    matches!(kind, Kind::Boolean | Kind::Map | Kind::Node | Kind::Relationship | Kind::Path);
                let in_list = operator == Binary::Add
                    && [left, right]
                        .iter()
                        .any(|side| matches!(kind_of(side, scope), Kind::List | Kind::Unknown));
                if is_wrong && !in_list {
                    return Err(syntax(format!("arithmetic can't be applied to {}", kind.name())));
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns the known kind of an expression.
fn kind_of(expression: &Expression, scope: &Scope) -> Kind {
    match expression {
        Expression::Literal(Literal::Integer(_)) | Expression::CountAll(_) => Kind::Integer,
        Expression::Literal(Literal::Float(_)) => Kind::Float,
        Expression::Literal(Literal::String(_)) => Kind::String,
        Expression::Variable(name, _) => scope.get(name).copied().unwrap_or(Kind::Unknown),
        Expression::List(_)
        | Expression::ListComprehension { .. }
        | Expression::PatternComprehension { .. } => Kind::List,
        Expression::Map(_) => Kind::Map,
        Expression::Literal(Literal::Boolean(_))
        | Expression::Not(_)
        | Expression::IsNull(_)
        | Expression::IsNotNull(_)
        | Expression::HasLabels(..)
        | Expression::Chain(_)
        | Expression::Quantified { .. }
        | Expression::Pattern(_)
        | Expression::Exists(_) => Kind::Boolean,
        Expression::Binary(operator, left, right, _) => match operator {
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Modulo
            | Binary::Power => {
                // Only for two integers; otherwise one side may be a date or a duration.
                let are_integers = [left, right].iter().all(|side| kind_of(side, scope) == Kind::Integer);
                if are_integers { Kind::Integer } else { Kind::Unknown }
            }
            _ => Kind::Boolean,
        },
        _ => Kind::Unknown,
    }
}
