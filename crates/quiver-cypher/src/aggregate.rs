//! Aggregates over the rows of a group.

use std::collections::BTreeSet;

use crate::{
    Value,
    ast::Expression,
    error::{Result, argument, wrong_type},
    evaluate::{Context, Environment, is_aggregate},
    value::Key,
};

/// An aggregate that was cut out of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Aggregate {
    name: String,
    distinct: bool,
    arguments: Vec<Expression>,
}

/// The column of an aggregate's result.
pub(crate) fn column(index: usize) -> String {
    format!(" aggregate {index}")
}

/// Whether an expression contains an aggregate.
pub(crate) fn has_aggregate(expression: &Expression) -> bool {
    match expression {
        Expression::CountAll(_) => true,
        Expression::Function { name, .. } if is_aggregate(name) => true,
        _ => expression.parts().into_iter().any(has_aggregate),
    }
}

/// Cuts the aggregates out of an expression and replaces them with columns.
pub(crate) fn cut_out(expression: &mut Expression, found: &mut Vec<Aggregate>) {
    let aggregate = match expression {
        Expression::CountAll(_) => {
            Aggregate { name: "count".to_owned(), distinct: false, arguments: Vec::new() }
        }
        Expression::Function { name, distinct, arguments, .. } if is_aggregate(name) => {
            Aggregate { name: name.to_ascii_lowercase(), distinct: *distinct, arguments: arguments.clone() }
        }
        _ => {
            for part in expression.parts_mut() {
                cut_out(part, found);
            }
            return;
        }
    };
    let index = found.iter().position(|known| *known == aggregate).unwrap_or_else(|| {
        found.push(aggregate);
        found.len() - 1
    });
    *expression = Expression::Variable(column(index), crate::error::Place::default());
}

/// What an aggregate has seen of a group.
#[derive(Debug, Default)]
pub(crate) struct State {
    count: u64,
    values: Vec<Value>,
    seen: BTreeSet<Key>,
    parameter: Option<Value>,
}

impl Aggregate {
    pub(crate) fn add(
        &self,
        context: &Context<'_>,
        environment: &Environment<'_>,
        state: &mut State,
    ) -> Result<()> {
        let Some(argument) = self.arguments.first() else {
            state.count += 1;
            return Ok(());
        };
        if let (Some(second), None) = (self.arguments.get(1), &state.parameter) {
            state.parameter = Some(context.evaluate(second, environment)?);
        }
        let value = context.evaluate(argument, environment)?;
        if value.is_null() || (self.distinct && !state.seen.insert(Key(vec![value.clone()]))) {
            return Ok(());
        }
        state.count += 1;
        match self.name.as_str() {
            "count" => {}
            "min" | "max" => match state.values.first_mut() {
                None => state.values.push(value),
                Some(best) => {
                    let order = value.compare(best);
                    if order
                        == (if self.name == "min" {
                            std::cmp::Ordering::Less
                        } else {
                            std::cmp::Ordering::Greater
                        })
                    {
                        *best = value;
                    }
                }
            },
            "sum" => match state.values.first_mut() {
                None => state.values.push(value),
                Some(sum) => {
                    let next = crate::evaluate::sum(context, sum, &value)?;
                    *sum = next;
                }
            },
            _ => {
                context.meter.check_length(state.values.len() + 1)?;
                state.values.push(value);
            }
        }
        Ok(())
    }

    pub(crate) fn result(&self, context: &Context<'_>, state: State) -> Result<Value> {
        let State { count, values, parameter, .. } = state;
        let numbers = |values: &[Value]| -> Result<Vec<f64>> {
            let number = |value: &Value| match value {
                Value::Integer(value) => Ok(*value as f64),
                Value::Float(value) => Ok(*value),
                other => {
                    Err(wrong_type(format!("{}() requires numbers, not {}", self.name, other.type_name())))
                }
            };
            values.iter().map(number).collect()
        };
        Ok(match self.name.as_str() {
            "count" => Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)),
            "collect" => {
                let list = Value::list(values);
                context.meter.check_value(&list)?;
                list
            }
            "min" | "max" => values.into_iter().next().unwrap_or_default(),
            "sum" => match values.into_iter().next() {
                None => Value::Integer(0),
                Some(sum @ (Value::Integer(_) | Value::Float(_) | Value::Duration(_))) => sum,
                Some(other) => {
                    return Err(wrong_type(format!("sum() requires numbers, not {}", other.type_name())));
                }
            },
            "avg" if values.is_empty() => Value::Null,
            "avg" if matches!(values[0], Value::Duration(_)) => {
                let mut sum = values[0].clone();
                for value in &values[1..] {
                    sum = crate::evaluate::sum(context, &sum, value)?;
                }
                match sum {
                    Value::Duration(sum) => Value::Duration(sum.times(1.0 / values.len() as f64)?),
                    _ => Value::Null,
                }
            }
            "avg" => Value::Float(numbers(&values)?.iter().sum::<f64>() / values.len() as f64),
            "stdev" | "stdevp" => {
                let numbers = numbers(&values)?;
                let divisor = numbers.len().saturating_sub(usize::from(self.name == "stdev"));
                if divisor == 0 {
                    return Ok(Value::Float(0.0));
                }
                let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
                let squares: f64 = numbers.iter().map(|value| (value - mean).powi(2)).sum();
                Value::Float((squares / divisor as f64).sqrt())
            }
            _ => {
                let share = match parameter {
                    Some(Value::Float(share)) => share,
                    Some(Value::Integer(share)) => share as f64,
                    None => return Ok(Value::Null),
                    Some(other) => {
                        return Err(wrong_type(format!(
                            "a percentile must be a number, not {}",
                            other.type_name()
                        )));
                    }
                };
                if !(0.0..=1.0).contains(&share) {
                    return Err(argument(format!("a percentile must be between 0 and 1, not {share}")));
                }
                {
                    let numbers = if self.name == "percentilecont" { numbers(&values)? } else { Vec::new() };
                    percentile(&self.name, values, &numbers, share)
                }
            }
        })
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index within the list")]
fn percentile(name: &str, mut values: Vec<Value>, numbers: &[f64], share: f64) -> Value {
    if values.is_empty() {
        return Value::Null;
    }
    if name == "percentiledisc" {
        values.sort_by(Value::compare);
        let at = ((share * values.len() as f64).ceil() as usize).clamp(1, values.len()) - 1;
        return values.swap_remove(at);
    }
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    let position = share * (numbers.len() - 1) as f64;
    let (below, above) = (position.floor() as usize, position.ceil() as usize);
    Value::Float(numbers[below] + (numbers[above] - numbers[below]) * position.fract())
}
