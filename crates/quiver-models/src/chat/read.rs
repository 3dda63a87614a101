//! Understands what a model replied, as a good parser reads broken source: what could be understood, and a list of
//! problems.
//!
//! [`json`] finds the JSON of a reply, also with prose around it, in a fence, or cut in the middle. [`Node`] walks it
//! and notes what is missing or of a wrong type. [`Node::choice`] and [`order`] resolve the labels by which a prompt
//! names things, and note those that it did not name.
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

/// How many problems of one reply are told apart.
const PROBLEMS_MAX: usize = 50;

/// What could be understood of a reply, and what could not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read<T> {
    /// What could be understood.
    pub value: T,
    /// What could not.
    pub problems: Vec<Problem>,
}

/// Something about a reply that is not as it was asked for. Paths look like `entities[2].name`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "problem")]
#[non_exhaustive]
pub enum Problem {
    /// The model refused, in these words.
    Refused {
        /// The words.
        said: String,
    },
    /// A filter of the endpoint withheld the reply or its end.
    Filtered,
    /// The model said nothing.
    Empty,
    /// The reply is as long as was allowed; what comes last is cut.
    Cut,
    /// There is no JSON in the reply.
    NoJson,
    /// The JSON can't be read beyond a point.
    Broken {
        /// Where, in bytes of the reply.
        at: usize,
    },
    /// Something has a wrong type; it is used where it can be.
    WrongType {
        /// Where.
        path: String,
        /// What was asked for.
        expected: String,
        /// What is there.
        found: String,
    },
    /// Something is missing.
    Missing {
        /// Where.
        path: String,
    },
    /// Something is named that the prompt did not name.
    Unknown {
        /// Where.
        path: String,
        /// The name.
        named: String,
    },
    /// Something is named that was named before.
    Repeated {
        /// Where.
        path: String,
        /// The name.
        named: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { said } => write!(f, "the model refused: {said}"),
            Self::Filtered => f.write_str("a filter of the endpoint withheld the reply or its end"),
            Self::Empty => f.write_str("the model said nothing"),
            Self::Cut => f.write_str("the reply is cut at the length that was allowed"),
            Self::NoJson => f.write_str("there is no JSON in the reply"),
            Self::Broken { at } => write!(f, "the JSON can't be read beyond byte {at} of the reply"),
            Self::WrongType { path, expected, found } => {
                write!(f, "{path} is {found} where {expected} was asked for")
            }
            Self::Missing { path } => write!(f, "{path} is missing"),
            Self::Unknown { path, named } => write!(f, "{path} names {named:?}, which there is not"),
            Self::Repeated { path, named } => write!(f, "{path} names {named:?} again"),
        }
    }
}

/// Finds the text of a reply.
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

/// Finds the JSON of a reply: the object or list that makes up most of it. [`Value::Null`] where there is none.
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
