//! Why a page was not fetched.

use std::{error::Error as StdError, fmt};

use reqwest::{StatusCode, Url};

/// Why a page was not fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchProblem {
    /// The address.
    pub url: Box<Url>,
    /// What is wrong.
    pub what: String,
    /// How to fix it.
    pub mend: String,
    /// The kind of problem.
    pub kind: FetchProblemKind,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchProblemKind {
    /// The address, or one that it redirects to, may not be requested ([`Reach`](crate::Reach)).
    Refused,
    /// The site asks crawlers not to fetch the page.
    Robots,
    /// The page could not be fetched.
    Failed,
}

impl fmt::Display for FetchProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.url, self.what, self.mend)
    }
}

impl StdError for FetchProblem {}

impl FetchProblem {
    /// Creates the problem of a page that was never fetched and does not exist.
    pub(crate) fn gone(url: &Url, status: StatusCode) -> Self {
        Self::new(url, format!("the server returned {status}"), "check the address")
    }

    pub(crate) fn too_many_redirects(url: &Url) -> Self {
        Self::new(url, "too many redirects", "check the address")
    }

    pub(crate) fn refused(url: &Url, what: &str, mend: &str) -> Self {
        Self { kind: FetchProblemKind::Refused, ..Self::new(url, what, mend) }
    }

    pub(crate) fn new(url: &Url, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            url: Box::new(url.clone()),
            what: what.into(),
            mend: mend.into(),
            kind: FetchProblemKind::Failed,
        }
    }
}
