use std::fmt;

/// The result of parsing or running a query.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error, for callers to decide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The query is not valid Cypher, or refers to something that does not exist.
    Syntax,
    /// A value has a type that an operation does not accept.
    Type,
    /// A value is outside the range that an operation accepts.
    Argument,
    /// A parameter is missing.
    Parameter,
    /// A write violates a constraint of the graph, such as deleting a node that still has relationships.
    Constraint,
    /// Another client changed what a transaction changed. Nothing is written; the whole transaction may succeed if it
    /// is repeated.
    Conflict,
    /// The query reached a budget; see [`Budget`](crate::Budget).
    Budget,
    /// The underlying graph failed.
    Graph,
}

/// A position in the text of a query: a byte offset.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place(pub(crate) usize);

/// Positions do not matter when expressions are compared.
impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// An error of a query. The message says what is wrong and, if there is one, suggests a similar existing name.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    place: Option<Place>,
    position: Option<(usize, usize)>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None, position: None, source: None }
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the position, unless one is already set.
    #[must_use]
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// Computes line and column from the text of the query.
    #[must_use]
    pub(crate) fn in_text(mut self, text: &str) -> Self {
        if let Some(Place(offset)) = self.place {
            let before = text.get(..offset.min(text.len())).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            self.position.get_or_insert((line, column));
        }
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the line and the column, both from 1, if the error has a position in the query.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.position
    }

    /// Returns the message without the position.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

pub(crate) fn syntax(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Syntax, message)
}

pub(crate) fn wrong_type(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Type, message)
}

pub(crate) fn argument(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Argument, message)
}
