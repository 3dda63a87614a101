//! Checks whether names, numbers and terms occur in a text.

use std::collections::HashSet;

use quiver_graph::name::normalise;
use quiver_language::token::words;
use quiver_models::Lexical;

/// Maximum number of letters by which each of two forms of a word may differ after their common prefix.
const ENDING_LENGTH_MAX: usize = 3;
/// Minimum length of that common prefix.
const STEM_LENGTH_MIN: usize = 4;

/// An index of a text.
#[derive(Debug)]
pub(super) struct Grounds {
    text: String,
    words: HashSet<String>,
    numbers: HashSet<String>,
    terms: HashSet<u32>,
}

impl Grounds {
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let text: Vec<&str> = texts.into_iter().collect();
        let text = text.join("\n");
        let terms = Lexical::new().terms(&text).into_iter().map(|term| term.hash).collect();
        let numbers = numbers(&text).collect();
        let text = normalise(&text);
        let words = words(&text).map(str::to_owned).collect();
        Self { text, words, numbers, terms }
    }

    /// Returns whether a name occurs in the text, either literally or word by word with other endings.
    pub(super) fn says_name(&self, name: &str) -> bool {
        let name = normalise(name);
        if !name.chars().any(char::is_alphanumeric) {
            return false;
        }
        self.text.match_indices(&name).any(|(at, _)| is_apart(&self.text, at, name.len()))
            || words(&name).all(|word| self.words.contains(word) || self.says_form(word))
    }

    pub(super) fn says_number(&self, number: &str) -> bool {
        self.numbers.contains(number)
    }

    pub(super) fn says_term(&self, term: u32) -> bool {
        self.terms.contains(&term)
    }

    /// Returns whether a word occurs in the text with another ending.
    fn says_form(&self, word: &str) -> bool {
        let length = word.chars().count();
        self.words.iter().any(|other| {
            let shared = word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
            let shorter = length.min(other.chars().count());
            let longer = length.max(other.chars().count());
            shared >= STEM_LENGTH_MIN
                && shorter - shared <= ENDING_LENGTH_MAX
                && longer - shared <= ENDING_LENGTH_MAX
        })
    }
}

/// Returns the numbers in a text, without thousands separators.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = String> {
    let is_part = |character: char| character.is_ascii_digit() || matches!(character, '.' | ',');
    text.split(move |character| !is_part(character))
        .map(|number| number.trim_matches(['.', ',']).replace(',', ""))
        .filter(|number| !number.is_empty())
}

/// Returns whether a match is not part of a longer word. Scripts without spaces always pass.
fn is_apart(text: &str, at: usize, length: usize) -> bool {
    let joins = |character: Option<char>| {
        character.is_some_and(|character| character.is_alphanumeric() && character < '\u{0e00}')
    };
    !joins(text[..at].chars().next_back()) && !joins(text[at + length..].chars().next())
}
