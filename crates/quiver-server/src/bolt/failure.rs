//! Errors in the form that Neo4j drivers expect: a code and a message.

use boltr::error::BoltError;
use quiver::cypher;

use crate::problem::{Code, Problem};

/// A failed message. Drivers repeat a transaction whose code begins with `Neo.TransientError`.
#[derive(Debug)]
pub(super) struct Failure {
    code: &'static str,
    message: String,
    /// The corresponding HTTP status, for the counts.
    pub(super) status: u16,
}

impl Failure {
    /// The driver sent a value of the wrong type.
    pub(super) fn wrong_type(message: impl Into<String>) -> Self {
        Self { code: "Neo.ClientError.Statement.TypeError", message: message.into(), status: 400 }
    }

    /// A query writes in a read-only session or transaction.
    pub(super) fn only_reads() -> Self {
        let message = "the query writes, but the session or transaction was opened for reading".to_owned();
        Self { code: "Neo.ClientError.Statement.AccessMode", message, status: 400 }
    }

    /// The client's timeout for its transaction has passed.
    pub(super) fn timed_out() -> Self {
        let message = "the transaction timed out; it has been rolled back".to_owned();
        Self { code: "Neo.ClientError.Transaction.TransactionTimedOut", message, status: 408 }
    }

    /// A message needs a transaction, and none is open.
    pub(super) fn no_transaction() -> Self {
        let message = "there is no such transaction; begin one".to_owned();
        Self { code: "Neo.ClientError.Transaction.TransactionNotFound", message, status: 400 }
    }

    pub(super) fn of_engine(error: quiver::Error) -> Self {
        let source =
            std::error::Error::source(&error).and_then(|source| source.downcast_ref::<cypher::Error>());
        match source {
            Some(source) if source.kind() != cypher::ErrorKind::Graph => source.into(),
            _ => Problem::from(error).into(),
        }
    }
}

impl From<&cypher::Error> for Failure {
    fn from(error: &cypher::Error) -> Self {
        use cypher::ErrorKind as Kind;
        let (code, status) = match error.kind() {
            Kind::Syntax => ("Neo.ClientError.Statement.SyntaxError", 400),
            Kind::Type => ("Neo.ClientError.Statement.TypeError", 400),
            Kind::Argument => ("Neo.ClientError.Statement.ArgumentError", 400),
            Kind::Parameter => ("Neo.ClientError.Statement.ParameterMissing", 400),
            Kind::Constraint => ("Neo.ClientError.Schema.ConstraintValidationFailed", 400),
            Kind::Conflict => ("Neo.TransientError.Transaction.Outdated", 503),
            Kind::Budget => ("Neo.ClientError.Statement.BudgetReached", 400),
            _ => ("Neo.DatabaseError.Statement.ExecutionFailed", 500),
        };
        Self { code, message: error.to_string(), status }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let code = match problem.code() {
            Code::Unauthorized => "Neo.ClientError.Security.Unauthorized",
            Code::Forbidden | Code::Misdirected => "Neo.ClientError.Security.Forbidden",
            Code::Timeout => "Neo.ClientError.Transaction.TransactionTimedOut",
            Code::TooMany => "Neo.TransientError.Request.NoThreadsAvailable",
            Code::Unavailable => "Neo.TransientError.General.DatabaseUnavailable",
            Code::Full | Code::Internal => "Neo.DatabaseError.General.UnknownError",
            Code::Invalid
            | Code::NotFound
            | Code::MethodNotAllowed
            | Code::TooLarge
            | Code::UnsupportedMediaType
            | Code::Unfetched
            | Code::Unreadable => "Neo.ClientError.Request.Invalid",
        };
        Self { code, message: problem.detail().to_owned(), status: problem.status() }
    }
}

impl From<Failure> for BoltError {
    fn from(failure: Failure) -> Self {
        Self::Query { code: failure.code.to_owned(), message: failure.message }
    }
}
