//! Words that stand around a name without being part of it: "Dr", "Ltd".

use std::{collections::HashMap, sync::LazyLock};

use crate::pack::classed;

/// Returns whether a lower-case word without full stops is a title before the name of a person: "dr".
pub fn is_title(word: &str) -> bool {
    WORDS.get(word) == Some(&"title")
}

/// Returns whether a lower-case word without full stops is the legal form of a company, which follows its name: "ltd".
pub fn is_legal_form(word: &str) -> bool {
    WORDS.get(word) == Some(&"form")
}

const FILE: &str = include_str!("../packs/any/names.tsv");

static WORDS: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| classed(FILE).map(|(class, word)| (word, class)).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_listed_twice() {
        assert!(is_title("dr") && !is_legal_form("dr"));
        assert!(is_legal_form("gmbh") && !is_title("gmbh"));
        assert_eq!(classed(FILE).count(), WORDS.len());
        assert!(classed(FILE).all(|(class, _)| matches!(class, "title" | "form")));
    }
}
