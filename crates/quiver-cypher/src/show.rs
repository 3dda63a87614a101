//! Expressions as text, for plans and messages.

use crate::{
    ast::{Binary, Expression, Literal},
    evaluate::constant,
};

fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::Or => "OR",
        Binary::Xor => "XOR",
        Binary::And => "AND",
        Binary::Equal => "=",
        Binary::Unequal => "<>",
        Binary::Less => "<",
        Binary::LessOrEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterOrEqual => ">=",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Modulo => "%",
        Binary::Power => "^",
        Binary::In => "IN",
        Binary::StartsWith => "STARTS WITH",
        Binary::EndsWith => "ENDS WITH",
        Binary::Contains => "CONTAINS",
        Binary::Matches => "=~",
    }
}

/// Prints an expression, leaving out long parts.
pub(crate) fn expression(shown: &Expression) -> String {
    match shown {
        Expression::Literal(Literal::Float(value)) => crate::value::float_text(*value),
        Expression::Literal(literal) => constant(literal).to_string(),
        Expression::Variable(name, _) => name.trim_start().to_owned(),
        Expression::Parameter(name, _) => format!("${name}"),
        Expression::Property(of, key, _) => match &**of {
            // A node without a name.
            Expression::Variable(name, _) if name.starts_with(' ') => key.clone(),
            of => format!("{}.{key}", expression(of)),
        },
        Expression::Binary(operator, left, right, _) => {
            format!("{} {} {}", expression(left), symbol(*operator), expression(right))
        }
        Expression::Chain(comparisons) => {
            comparisons.iter().map(expression).collect::<Vec<_>>().join(" AND ")
        }
        Expression::Not(of) => format!("NOT {}", expression(of)),
        Expression::IsNull(of) => format!("{} IS NULL", expression(of)),
        Expression::IsNotNull(of) => format!("{} IS NOT NULL", expression(of)),
        Expression::HasLabels(of, labels) => format!("{}:{}", expression(of), labels.join(":")),
        Expression::Function { name, arguments, .. } => {
            format!("{name}({})", arguments.iter().map(expression).collect::<Vec<_>>().join(", "))
        }
        Expression::List(items) => {
            format!("[{}]", items.iter().map(expression).collect::<Vec<_>>().join(", "))
        }
        Expression::Exists(_) => "EXISTS {…}".to_owned(),
        Expression::Count(_) => "COUNT {…}".to_owned(),
        Expression::Pattern(_) => "the pattern exists".to_owned(),
        _ => "…".to_owned(),
    }
}
