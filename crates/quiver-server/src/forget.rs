//! The reply to a client if nothing was forgotten.

use quiver_tools::Failure;

use crate::problem::{Code, Problem};

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unclear(why) => Self::at("body", why),
            Failure::NoDocument(document) => no_document(&document),
            Failure::Database(error) => error.into(),
        }
    }
}

pub(crate) fn no_document(document: &str) -> Problem {
    let detail = format!("there is no document {document:?}; `GET /v1/documents` lists them");
    Problem::new(Code::NotFound, detail)
}
