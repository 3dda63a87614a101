//! Prefixes that tell a model whether a text is a query or a document.

use std::fmt;

use crate::Role;

/// The prefix for each role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prefixes {
    pub(crate) query: String,
    pub(crate) document: String,
}

impl Prefixes {
    /// Returns the prefixes that the model's family was trained with, based on the model's name.
    pub(crate) fn known(name: &str) -> Self {
        const SEARCHING: &str = "Represent this sentence for searching relevant passages: ";
        let name = name.to_lowercase();
        let is = |part: &str| name.contains(part);
        let (query, document) = if is("e5-") && !is("instruct") {
            ("query: ", "passage: ")
        } else if is("nomic-embed") || is("modernbert-embed") {
            ("search_query: ", "search_document: ")
        } else if is("embeddinggemma") {
            ("task: search result | query: ", "title: none | text: ")
        } else if is("bge-") && is("-zh") {
            ("为这个句子生成表示以用于检索相关文章：", "")
        } else if (is("bge-") && is("-en")) || (is("arctic-embed") && !is("v2")) || is("mxbai-embed") {
            (SEARCHING, "")
        } else {
            ("", "")
        };
        Self { query: query.to_owned(), document: document.to_owned() }
    }

    /// Replaces the known prefixes with explicitly given ones.
    pub(crate) fn or_given(self, query: Option<String>, document: Option<String>) -> Self {
        Self { query: query.unwrap_or(self.query), document: document.unwrap_or(self.document) }
    }

    pub(crate) fn of(&self, role: Role) -> &str {
        match role {
            Role::Query => &self.query,
            Role::Document => &self.document,
        }
    }
}

impl fmt::Display for Prefixes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { query, document } if query.is_empty() && document.is_empty() => f.write_str("no prefixes"),
            Self { query, document } => write!(f, "prefixes {query:?} and {document:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_follow_the_family_unless_given() {
        assert_eq!(Prefixes::known("intfloat/multilingual-e5-small").of(Role::Document), "passage: ");
        assert_eq!(Prefixes::known("Xenova/bge-base-en-v1.5").of(Role::Document), "");
        assert_eq!(Prefixes::known("text-embedding-3-small"), Prefixes::default());
        let given = Prefixes::known("nomic-embed-text").or_given(Some(String::new()), None);
        assert_eq!(given.to_string(), "prefixes \"\" and \"search_document: \"");
    }
}
