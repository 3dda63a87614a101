//! Parses replies leniently: returns what could be understood and a list of problems.
//!
//! [`json`] finds the JSON in a reply, even if it is surrounded by prose, inside a code fence, or truncated. [`Node`]
//! navigates it and records values that are missing or have the wrong type. [`Node::choice`] and [`order`] resolve
//! the labels of a prompt and record unknown ones.
//!
//! ```
//! use quiver_models::chat::{ChatReply, read};
//!
//! let text = r#"Sure! {"names": ["Ada", 7, {"n": 1}], "year": "1843", "note": "cut he"#;
//! let read = read::json(&ChatReply { text: text.to_owned(), ..ChatReply::default() });
//! let problems = read::Problems::new(read.problems);
//! let root = read::Node::root(&read.value, &problems);
//! let names: Vec<String> = root.list("names").iter().filter_map(|name| name.text()).collect();
//! assert_eq!(names, ["Ada", "7"]);
//! assert_eq!(root.get("year").whole(), Some(1843));
//! assert_eq!(problems.into_vec().len(), 4); // cut; a number and an object for a name; a text for a number
//! ```

mod labels;
mod lenient;
mod node;

#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ChatReply, Finish};

pub use labels::order;
pub use node::{Node, Problems};

/// Maximum number of problems recorded per reply.
const PROBLEMS_MAX: usize = 50;

/// The parsed value and the problems found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read<T> {
    /// What could be understood.
    pub value: T,
    /// What could not be understood.
    pub problems: Vec<Problem>,
}

/// A deviation of a reply from the requested format. Paths look like `entities[2].name`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "problem")]
#[non_exhaustive]
pub enum Problem {
    /// The model refused.
    Refused {
        /// The text of the refusal.
        said: String,
    },
    /// The endpoint's content filter withheld the reply or its end.
    Filtered,
    /// The reply is empty.
    Empty,
    /// The reply reached the token limit and is truncated.
    Cut,
    /// The reply contains no JSON.
    NoJson,
    /// The JSON can't be parsed beyond a certain point.
    Broken {
        /// The byte offset in the reply.
        at: usize,
    },
    /// A value has the wrong type. It is converted if possible.
    WrongType {
        /// The path of the value.
        path: String,
        /// The requested type.
        expected: String,
        /// The actual type.
        found: String,
    },
    /// A value is missing.
    Missing {
        /// The path of the value.
        path: String,
    },
    /// A label does not exist in the prompt.
    Unknown {
        /// The path of the label.
        path: String,
        /// The label.
        named: String,
    },
    /// A label occurs more than once.
    Repeated {
        /// The path of the repetition.
        path: String,
        /// The label.
        named: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { said } => write!(f, "the model refused: {said}"),
            Self::Filtered => f.write_str("the endpoint's filter withheld the reply or its end"),
            Self::Empty => f.write_str("the reply is empty"),
            Self::Cut => f.write_str("the reply is truncated at the token limit"),
            Self::NoJson => f.write_str("the reply contains no JSON"),
            Self::Broken { at } => write!(f, "the JSON can't be parsed beyond byte {at} of the reply"),
            Self::WrongType { path, expected, found } => {
                write!(f, "{path} is {found}, not {expected}")
            }
            Self::Missing { path } => write!(f, "{path} is missing"),
            Self::Unknown { path, named } => write!(f, "{path} names {named:?}, which does not exist"),
            Self::Repeated { path, named } => write!(f, "{path} names {named:?} again"),
        }
    }
}

/// Returns the text of a reply.
pub fn text(reply: &ChatReply) -> Read<&str> {
    let mut problems = Vec::new();
    if let Some(said) = &reply.refusal {
        problems.push(Problem::Refused { said: said.trim().to_owned() });
    }
    match reply.finish {
        Finish::Filter => problems.push(Problem::Filtered),
        Finish::Length => problems.push(Problem::Cut),
        Finish::Stop | Finish::Other => {}
    }
    let text = reply.text.trim();
    if text.is_empty() && reply.refusal.is_none() {
        problems.push(Problem::Empty);
    }
    Read { value: text, problems }
}

/// Finds the JSON in a reply: the longest object or list. Returns [`Value::Null`] if there is none.
pub fn json(reply: &ChatReply) -> Read<Value> {
    let Read { value: said, mut problems } = text(reply);
    if said.is_empty() {
        return Read { value: Value::Null, problems };
    }
    let Some(found) = lenient::largest(&reply.text) else {
        problems.push(Problem::NoJson);
        return Read { value: Value::Null, problems };
    };
    if let Some(at) = found.broken_at {
        problems.push(Problem::Broken { at });
    }
    Read { value: found.value, problems }
}
