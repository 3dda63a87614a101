use std::cell::RefCell;

use serde_json::Value;

use super::{PROBLEMS_MAX, Problem, labels};

/// Collects what is not as it was asked for while a reply is walked.
#[derive(Debug, Default)]
pub struct Problems(RefCell<Vec<Problem>>);

impl Problems {
    /// Begins with problems that are known.
    pub fn new(problems: Vec<Problem>) -> Self {
        Self(RefCell::new(problems))
    }

    /// Notes a problem; beyond a limit they are too many to be read.
    pub fn add(&self, problem: Problem) {
        let mut problems = self.0.borrow_mut();
        if problems.len() < PROBLEMS_MAX {
            problems.push(problem);
        }
    }

    /// All that was noted, in order.
    pub fn into_vec(self) -> Vec<Problem> {
        self.0.into_inner()
    }
}

/// A place in the JSON of a reply, there or not.
///
/// What has another type than was asked for is used where that can be done without guessing, and noted in any case: a
/// number for a text, a text that says a number for a number, a single thing for a list of one.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    value: Option<&'a Value>,
    path: String,
    problems: &'a Problems,
}

impl<'a> Node<'a> {
    /// The place where all begins.
    pub fn root(value: &'a Value, problems: &'a Problems) -> Self {
        Self { value: some(value), path: String::new(), problems }
    }

    /// Where this place is.
    pub fn path(&self) -> &str {
        if self.path.is_empty() { "the reply" } else { &self.path }
    }

    /// Whether there is something.
    pub fn is_there(&self) -> bool {
        self.value.is_some()
    }

    /// The place of a member. On a place that is no object there is nothing.
    #[must_use]
    pub fn get(&self, key: &str) -> Self {
        let value = self.value.and_then(|value| value.get(key)).and_then(some);
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Self { value, path, problems: self.problems }
    }

    /// The places of the items of a member. Nothing is noted where there is none, unless there is nothing at all.
    pub fn list(&self, key: &str) -> Vec<Self> {
        let member = self.get(key);
        match (self.value, member.value) {
            // The list alone, without the object around it.
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

    /// The places of a list's items.
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

    /// The text here, trimmed; a missing or empty one is noted.
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

    /// The text here, trimmed, if there is one that is not empty.
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

    /// The whole number here; a missing one is noted.
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

    /// The number here; a missing one is noted.
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

    /// Which of the labels that the prompt used is named here, as its position; one that there is not is noted.
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

    /// Notes a problem of the whole reply.
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

/// Nothing is as good as `null`.
fn some(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}
