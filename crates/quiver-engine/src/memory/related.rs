//! A small thesaurus of words that may express the same relation, such as "who looks after it" and "assigned to". A
//! related word counts less than the word itself.

use quiver_language::word::related;

/// The groups a word belongs to, one bit each. Words that share a group may express the same relation.
pub(crate) fn groups(word: &str) -> u64 {
    base_forms(word).map(|base| related(&base)).find(|groups| *groups != 0).unwrap_or_default()
}

/// A word and its possible base forms.
fn base_forms(word: &str) -> impl Iterator<Item = String> {
    let ending =
        |ending: &str, instead: &str| word.strip_suffix(ending).map(|stem| format!("{stem}{instead}"));
    let doubled = ["ed", "ing"].into_iter().find_map(|ending| {
        let stem = word.strip_suffix(ending)?;
        let last = stem.chars().next_back()?;
        stem.strip_suffix(last).filter(|stem| stem.ends_with(last)).map(str::to_owned)
    });
    [
        Some(word.to_owned()),
        ending("s", ""),
        ending("es", ""),
        ending("ies", "y"),
        ending("d", ""),
        ending("ed", ""),
        ending("ied", "y"),
        ending("ing", ""),
        ending("ing", "e"),
        doubled,
    ]
    .into_iter()
    .flatten()
}
