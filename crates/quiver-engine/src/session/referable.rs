//! Decides which names a follow-up can refer to: names of things, but not sentences, quotations, code or
//! headings that happen to be stored as names.

use quiver_language::word::{is_irregular_verb, is_verb};

use super::{
    lexicon::{is_auxiliary, is_first_or_second, is_question_word, pronoun},
    said::Said,
};

/// Maximum number of words in a name; anything longer is a sentence or a heading.
const WORDS_MAX: usize = 7;

/// Whether a name can be used in a question.
pub(crate) fn is_referable(name: &str) -> bool {
    let name = name.trim();
    let is_text = name.contains([
        '?', '!', '"', '“', '”', '„', '«', '»', '`', '{', '}', '<', '>', '=', '\\', '|', '$', ';', '*', '[',
        ']',
    ]);
    let goes_on = name.contains(": ") || name.contains(". ") || name.contains("...") || name.contains('…');
    let is_open = name.ends_with([':', ',', '.']) || name.chars().count() < 2;
    let words = Said::of(name).tokens;
    let is_verbal = words.iter().any(|token| {
        let word = token.lower.as_str();
        is_auxiliary(word) && !token.is_marked
            || is_first_or_second(word) && word != "us" && word != "mine"
            || pronoun(word).is_some() && !token.is_marked
    });
    let asks = words.first().is_some_and(|token| is_question_word(&token.lower) && words.len() > 2);
    !(is_text || goes_on || is_open || is_verbal || asks || words.is_empty() || words.len() > WORDS_MAX)
}

/// Whether a name from an answer or its passage denotes a thing, not an instruction ("Using", "Copying to
/// dom0") or the first word of one.
pub(crate) fn is_thing(name: &str) -> bool {
    let words = Said::of(name).tokens;
    let first = words.first().map_or("", |token| token.lower.as_str());
    let is_gerund = first.len() >= 5 && first.ends_with("ing");
    let instructs = words.len() == 1 && is_irregular_verb(first) && name.starts_with(char::is_uppercase);
    // "Course lasts" is the beginning of a sentence.
    let last = words.last().map_or("", |token| token.lower.as_str());
    let is_clause =
        words.len() > 1 && words.iter().all(|token| !token.is_marked) && last.ends_with('s') && is_verb(last);
    is_referable(name) && !is_gerund && !instructs && !is_clause
}

#[cfg(test)]
mod tests {
    use super::{is_referable, is_thing};

    #[test]
    fn names_are_referents_and_sentences_are_not() {
        for name in
            ["Juno", "Let's Encrypt", "The Long Shadow (1961 film)", "solimab", "Qubes OS", "DK-1", "The Who"]
        {
            assert!(is_referable(name) && is_thing(name), "{name}");
        }
        for name in [
            "This is a type that I added!",
            "A site is engaged in fraud/..., what should I do?",
            "Usually I",
            "How many rooms should I have",
            "\"quoted\"",
            "key = value",
            "as it is",
        ] {
            assert!(!is_referable(name), "{name}");
        }
        assert!(!is_thing("Using") && !is_thing("Copying to dom0"));
    }
}
