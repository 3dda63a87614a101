use std::cell::RefCell;

use serde_json::Value;

use super::{PROBLEMS_MAX, Problem, labels};

/// Collects the problems found while navigating a reply.
#[derive(Debug, Default)]
pub struct Problems(RefCell<Vec<Problem>>);

impl Problems {
    /// Starts with known problems.
    pub fn new(problems: Vec<Problem>) -> Self {
        Self(RefCell::new(problems))
    }

    /// Records a problem, unless `PROBLEMS_MAX` problems have been recorded.
    pub fn add(&self, problem: Problem) {
        let mut problems = self.0.borrow_mut();
        if problems.len() < PROBLEMS_MAX {
            problems.push(problem);
        }
    }

    /// Returns all recorded problems in order.
    pub fn into_vec(self) -> Vec<Problem> {
        self.0.into_inner()
    }
}

/// A position in the JSON of a reply, which may be absent.
///
/// A value of the wrong type is recorded and, if the conversion is unambiguous, used: a number as a text, a numeric
/// string as a number, a single value as a list of one.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    value: Option<&'a Value>,
    path: String,
    problems: &'a Problems,
}

impl<'a> Node<'a> {
    /// Returns the root.
    pub fn root(value: &'a Value, problems: &'a Problems) -> Self {
        Self { value: some(value), path: String::new(), problems }
    }

    /// Returns the path of this node.
    pub fn path(&self) -> &str {
        if self.path.is_empty() { "the reply" } else { &self.path }
    }

    /// Returns whether the node has a value.
    pub fn is_there(&self) -> bool {
        self.value.is_some()
    }

    /// Returns a member of an object. It is absent if this node is not an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Self {
        let value = self.value.and_then(|value| value.get(key)).and_then(some);
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Self { value, path, problems: self.problems }
    }

    /// Returns the items of a member. Records a problem if the member is missing, but not if this node itself is
    /// absent.
    pub fn list(&self, key: &str) -> Vec<Self> {
        let member = self.get(key);
        match (self.value, member.value) {
            // The reply is the list itself, without the enclosing object.
            (Some(Value::Array(_)), _) => {
                self.wrong("an object");
                self.items()
            }
            (Some(Value::Object(_)), Some(_)) => member.items(),
            (Some(Value::Object(_)), None) => {
                member.missing();
                Vec::new()
            }
            (Some(_), _) => {
                self.wrong("an object");
                Vec::new()
            }
            (None, _) => Vec::new(),
        }
    }

    /// Returns the items of a list.
    pub fn items(&self) -> Vec<Self> {
        match self.value {
            Some(Value::Array(items)) => {
                let item = |(index, value)| Self {
                    value: some(value),
                    path: format!("{}[{index}]", self.path),
                    problems: self.problems,
                };
                items.iter().enumerate().map(item).collect()
            }
            Some(_) => {
                self.wrong("a list");
                vec![self.clone()]
            }
            None => Vec::new(),
        }
    }

    /// Returns the trimmed text. Records a problem if it is missing or empty.
    pub fn text(&self) -> Option<String> {
        if self.value.is_none() {
            self.missing();
        }
        let text = self.text_if_any();
        if matches!(self.value, Some(Value::String(text)) if text.trim().is_empty()) {
            self.missing();
        }
        text
    }

    /// Returns the trimmed text, if there is one and it is not empty.
    pub fn text_if_any(&self) -> Option<String> {
        let text = match self.value? {
            Value::String(text) => text.trim().to_owned(),
            value @ (Value::Number(_) | Value::Bool(_)) => {
                self.wrong("a text");
                value.to_string()
            }
            _ => {
                self.wrong("a text");
                return None;
            }
        };
        (!text.is_empty()).then_some(text)
    }

    /// Returns the integer. Records a problem if it is missing.
    pub fn whole(&self) -> Option<i64> {
        self.number().and_then(|number| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "casts saturate, and the fraction is looked at"
            )]
            let whole = number as i64;
            let is_whole = number.fract() == 0.0;
            if !is_whole {
                self.wrong("a whole number");
            }
            is_whole.then_some(whole)
        })
    }

    /// Returns the number. Records a problem if it is missing.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Some(Value::Number(number)) => number.as_f64(),
            Some(value) => {
                self.wrong("a number");
                value.as_str()?.trim().parse().ok().filter(|number: &f64| number.is_finite())
            }
            None => {
                self.missing();
                None
            }
        }
    }

    /// Returns whether the value is true. An absent value is false.
    pub fn flag(&self) -> bool {
        match self.value {
            Some(Value::Bool(flag)) => *flag,
            Some(value) => {
                self.wrong("true or false");
                value.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case("true"))
            }
            None => false,
        }
    }

    /// Resolves a label and returns its position. Records a problem if it is missing or unknown.
    pub fn choice<S: AsRef<str>>(&self, labels: &[S]) -> Option<usize> {
        let Some(value) = self.value else {
            self.missing();
            return None;
        };
        let named = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => {
                self.wrong("a label");
                return None;
            }
        };
        let position = labels::position(&named, labels);
        if position.is_none() {
            self.note(Problem::Unknown { path: self.path().to_owned(), named });
        }
        position
    }

    /// Records a problem.
    pub(super) fn note(&self, problem: Problem) {
        self.problems.add(problem);
    }

    fn missing(&self) {
        self.note(Problem::Missing { path: self.path().to_owned() });
    }

    fn wrong(&self, expected: &str) {
        let found = match self.value {
            None | Some(Value::Null) => "nothing",
            Some(Value::Bool(_)) => "true or false",
            Some(Value::Number(_)) => "a number",
            Some(Value::String(_)) => "a text",
            Some(Value::Array(_)) => "a list",
            Some(Value::Object(_)) => "an object",
        };
        self.note(Problem::WrongType {
            path: self.path().to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        });
    }
}

/// Treats `null` as absent.
fn some(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}
