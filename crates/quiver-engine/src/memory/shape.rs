//! Classifies values by their form.

use quiver_language::{
    Language,
    number::{as_year, number_word},
    pack,
    recall::{Recall, says},
};

use super::lexicon::Wanted;

/// The shape of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A time of day, a date, a day of the week.
    Time,
    /// A duration: a number of time units.
    Span,
    /// A number, with or without a unit.
    Number,
    /// Capitalised: a person, a place, a product.
    Name,
    /// Anything else.
    Plain,
}

impl Shape {
    /// The shape of a value.
    pub(crate) fn of(value: &str) -> Self {
        let words = value.split([' ', ',', '\t']).filter(|word| !word.is_empty());
        let sorts: Vec<Sort> = words
            .flat_map(|word| {
                if is_identifier(word) { vec![Sort::Name] } else { word.split('-').map(Sort::of).collect() }
            })
            .collect();
        let begins_with_number = sorts.first() == Some(&Sort::Number);
        if qualifies(value) {
            return Self::Plain;
        }
        match sorts.iter().max() {
            Some(Sort::Unit) if begins_with_number => Self::Span,
            Some(Sort::Moment | Sort::Unit) => Self::Time,
            _ if begins_with_number => Self::Number,
            Some(Sort::Name) => Self::Name,
            Some(Sort::Number) => Self::Number,
            Some(Sort::Plain) | None => Self::Plain,
        }
    }

    /// How well a value fits the kind of value asked for, from -1 to 1.
    pub(crate) fn fits(value: &str, wanted: Wanted) -> f32 {
        match (wanted, Self::of(value)) {
            (Wanted::Person, Self::Name) => person(value),
            // "Executor 14" is an identifier, not an amount.
            (Wanted::Number, Self::Number)
                if value.starts_with(char::is_alphabetic) && value.contains(' ') =>
            {
                0.5
            }
            (Wanted::Time, Self::Time) | (Wanted::Number, Self::Number | Self::Span) => 1.0,
            (Wanted::Place, Self::Name) => place(value),
            (Wanted::Number, Self::Time) => 0.5,
            // "Two weeks" is not a point in time, but may be counted from one.
            (Wanted::Time, Self::Span) => 0.3,
            (Wanted::Place | Wanted::Person, Self::Plain)
            | (Wanted::Time, Self::Number)
            | (Wanted::Reason, _) => 0.0,
            (Wanted::Number, Self::Name) => -0.3,
            (Wanted::Person | Wanted::Time | Wanted::Number | Wanted::Place, _) => -1.0,
        }
    }
}

/// The kind of a word in a value; the greatest determines the shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Plain,
    Number,
    Name,
    Unit,
    Moment,
}

impl Sort {
    fn of(word: &str) -> Self {
        let lower = word.to_lowercase();
        let singular = lower.strip_suffix('s').unwrap_or(&lower);
        let digits = lower.contains(|c: char| c.is_ascii_digit());
        let is_month = pack::month(&lower).is_some_and(|_| lower != "may" || word != "may");
        let is_clock = digits && (lower.contains(':') || as_year(&lower).is_some() || is_date(&lower));
        let bare = lower.trim_start_matches(['$', '€', '£', '~', '+', '#']);
        let is_number = number_word(bare).is_some()
            || matches!(bare, "dozen" | "half")
            || bare.starts_with(|c: char| c.is_numeric())
            || digits && !word.contains(char::is_alphabetic);
        if is_time(singular) || is_time(&lower) || is_month || is_clock {
            Self::Moment
        } else if says(singular, Recall::Unit) {
            Self::Unit
        } else if is_number {
            Self::Number
        } else if word.contains(char::is_uppercase) {
            Self::Name
        } else {
            Self::Plain
        }
    }
}

/// Whether a lower-case word is the full name of a weekday, or another word for a time: "noon".
fn is_time(lower: &str) -> bool {
    says(lower, Recall::Time) || Language::English.weekday_name(lower) == Some(lower)
}

/// How well a name fits a question for a person: best without common nouns in it; an identifier does not fit.
fn person(name: &str) -> f32 {
    let mut words = name.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
    let acronym = |word: &str| word.chars().count() > 1 && !word.contains(char::is_lowercase);
    if words.clone().any(|word| is_identifier(word) && !word.contains('_') || word.contains(char::is_numeric))
    {
        return -0.5;
    }
    if words.clone().any(|word| word.starts_with(char::is_lowercase)) {
        return 0.4;
    }
    if words.all(acronym) { 0.3 } else { 1.0 }
}

/// How well a name fits a question for a place: an identifier fits less well than a name.
fn place(name: &str) -> f32 {
    let mut words = name.split([' ', ',']).filter(|word| word.starts_with(char::is_uppercase));
    if words.any(|word| !is_identifier(word)) { 0.5 } else { 0.3 }
}

/// Whether a word looks like an identifier: `AuthModule`, `mongo-prod-3`, `clean_clicks`.
pub(crate) fn is_identifier(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    if !word.starts_with(char::is_alphabetic) {
        return false;
    }
    let digit = word.contains(|c: char| c.is_ascii_digit());
    let mut pairs = word.chars().zip(word.chars().skip(1));
    let inner = pairs.any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let particle = ["Mc", "Mac", "De", "Di", "La", "Le", "Fitz", "Van"]
        .iter()
        .any(|particle| word.starts_with(particle));
    digit || word.contains('_') || inner && !particle
}

/// The letters of a value such as P1 or SEV-2, in lower case: "p", "sev". The name of the scale begins with
/// them.
pub(crate) fn scale(value: &str) -> Option<String> {
    let letters = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = value.len() - letters.len();
    let letters = letters.trim_end_matches(['-', '_', ' ']);
    let is_scale = (1..=2).contains(&digits)
        && (1..=4).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_uppercase());
    is_scale.then(|| letters.to_lowercase())
}

/// Whether a season or time of day only modifies a noun: "winter coat", "morning train".
fn qualifies(value: &str) -> bool {
    let words: Vec<&str> = value.split(' ').filter(|word| !word.is_empty()).collect();
    let noun = |word: &str| Sort::of(word) == Sort::Plain && Language::English.class(word).is_none();
    let small = words.iter().all(|word| word.chars().all(|c| c.is_lowercase() || c == '-'));
    let moment = words.iter().any(|word| Sort::of(word) == Sort::Moment);
    small && moment && words.len() > 1 && words.last().is_some_and(|last| noun(last))
}

/// A date in digits: "14.3.2026", "2026/03/14"; but "3.1.4" is a version.
fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['/', '.']).collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let [first, _, last] = parts.as_slice() else { return false };
    parts.iter().all(digits) && (first.len() == 4 || last.len() == 4 || last.len() == 2 && first.len() == 2)
}
