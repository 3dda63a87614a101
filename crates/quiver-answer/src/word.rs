//! The words of a text, with their keys for comparison.

use quiver_language::{
    Class, Language,
    answering::{self, Answering},
    talk::{self, Talk},
    token,
    word::{irregular_verb, verbs},
};
use quiver_models::{Lexical, Term};

use super::lexicon;

/// A word of a text.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Lower case, without a possessive ending.
    pub(crate) lower: String,
    /// The hashes of the word and, if it is a compound, of its parts.
    pub(crate) stems: Vec<u32>,
    /// Its synonym groups, as a bit set.
    pub(crate) groups: u128,
    pub(crate) is_function: bool,
    pub(crate) is_capital: bool,
    /// Whether it is followed by "'s".
    pub(crate) is_possessive: bool,
}

impl Word {
    /// Whether it is a preposition.
    pub(crate) fn is_preposition(&self) -> bool {
        Language::English.class(&self.lower) == Some(Class::Preposition)
    }

    /// Whether it begins with a digit.
    pub(crate) fn is_numeric(&self) -> bool {
        self.lower.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it is certainly an identifier: `web-eu-2`, `user_session`.
    pub(super) fn is_identifier(&self) -> bool {
        let has_digit = self.lower.contains(|c: char| c.is_ascii_digit());
        // "16-year-old" begins with a digit.
        let is_numbered = self.lower.starts_with(char::is_alphabetic) && has_digit;
        self.lower.contains('_') || is_numbered && self.lower.matches('-').count() > 1
    }

    /// Whether it is a form of the same word as another one: "meet" and "met", "net" and "nets".
    pub(super) fn is_form_of(&self, other: &Self) -> bool {
        self.stems.iter().any(|stem| other.stems.contains(stem))
    }

    /// Whether it is a number, in digits or in words.
    pub(super) fn is_number(&self) -> bool {
        self.is_numeric() || lexicon::number(&self.lower).is_some()
    }
}

/// The words of a text, in order.
pub(super) fn words(lexical: &Lexical, text: &str) -> Vec<Word> {
    let terms = lexical.terms(text);
    let with_base = |range| {
        let mut word = word(text, range, &terms);
        if let Some(base) = irregular_verb(&word.lower) {
            word.stems.extend(lexical.terms(base).iter().map(|term| term.hash));
        }
        word
    };
    let mut words: Vec<Word> = token::joined_words(text).map(with_base).collect();
    for at in 0..words.len() {
        if is_adverbial_time(&words, at) {
            let time = &mut words[at];
            (time.is_function, time.groups) = (true, 0);
            time.stems.clear();
        }
    }
    words
}

/// Whether "time" only tells which occasion is meant, and no time: "at a time", "last time".
fn is_adverbial_time(words: &[Word], at: usize) -> bool {
    let lower = |back: usize| at.checked_sub(back).map_or("", |before| words[before].lower.as_str());
    let next = words.get(at + 1);
    words[at].lower == "time"
        && next.is_none_or(|next| next.is_function || next.is_numeric())
        && (matches!(lower(1), "last" | "next" | "every" | "each") || lower(1) == "a" && lower(2) == "at")
}

fn word(text: &str, range: std::ops::Range<usize>, terms: &[Term]) -> Word {
    let whole = &text[range.clone()];
    let lower = token::norm(whole).into_owned();
    let (lower, is_possessive) = match lower.strip_suffix("'s") {
        // "It's cleaned in May" has no owner.
        Some(stem) => {
            (stem.to_owned(), !matches!(stem, "it" | "that" | "there" | "here" | "he" | "she" | "what"))
        }
        None => (lower, text[range.end..].starts_with(['\'', '’']) && whole.ends_with('s')),
    };
    let from = terms.partition_point(|term| term.start < range.start);
    let within = terms[from..].iter().take_while(|term| term.start < range.end);
    let mut within: Vec<&Term> = within.filter(|term| term.end <= range.end).collect();
    within.sort_by_key(|term| (std::cmp::Reverse(term.end - term.start), term.start));
    let stems: Vec<u32> = within.iter().map(|term| term.hash).collect();
    let groups = lexicon::groups(&lower, &stems);
    Word {
        start: range.start,
        end: range.end,
        is_function: lexicon::is_function(&lower),
        is_capital: whole.starts_with(char::is_uppercase),
        lower,
        stems,
        groups,
        is_possessive,
    }
}

/// Whether two words differ only by a typo: one edit from five letters on, two from nine.
pub(super) fn is_misspelling(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let shorter = one.len().min(other.len());
    let slips = match shorter {
        0..=4 => return false,
        5..=8 => 1,
        _ => 2,
    };
    if one.len().abs_diff(other.len()) > slips || one[0] != other[0] {
        return false;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (to, against) in other.iter().enumerate() {
            let change = diagonal + usize::from(letter != against);
            diagonal = row[to + 1];
            row[to + 1] = change.min(row[to] + 1).min(row[to + 1] + 1);
        }
    }
    row[other.len()] <= slips
}

/// Whether a word begins a clause about the noun before it.
pub(super) fn begins_clause(word: &Word) -> bool {
    matches!(word.lower.as_str(), "that" | "which" | "who" | "whose" | "where")
}

/// Whether a word is a verb as an instruction begins with it: "weigh".
pub(super) fn is_base_form(word: &str) -> bool {
    verbs(word).any(|base| base == word)
}

/// Whether the word at an index is in a list.
pub(super) fn says_at(words: &[Word], at: usize, list: &[&str]) -> bool {
    words.get(at).is_some_and(|word| list.contains(&word.lower.as_str()))
}

/// Whether any of the words is in a list.
pub(super) fn says_any(words: &[Word], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.lower.as_str()))
}

/// The number of words of the phrase that begins at a word and says something: three for "at the moment".
pub(super) fn phrase_at(words: &[Word], at: usize, what: Talk) -> Option<usize> {
    (1..=PHRASE_MAX).rev().find(|count| {
        words.get(at..at + count).is_some_and(|run| {
            let run: Vec<&str> = run.iter().map(|word| word.lower.as_str()).collect();
            talk::says(&run.join("_"), what)
        })
    })
}

/// Maximum number of words of a phrase of conversation.
const PHRASE_MAX: usize = 3;

/// Whether any of the words is of a class.
pub(super) fn says_class(words: &[Word], class: Answering) -> bool {
    words.iter().any(|word| answering::says(&word.lower, class))
}

/// Whether the words contain a negation.
pub(crate) fn denies(words: &[Word]) -> bool {
    says_class(words, Answering::Denying) || words.iter().any(|word| word.lower.ends_with("n't"))
}

/// The words of a text in lower case.
pub(super) fn words_of(text: &str) -> Vec<String> {
    token::words(&text.to_lowercase()).map(str::to_owned).collect()
}
