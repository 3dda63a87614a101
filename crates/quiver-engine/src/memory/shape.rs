//! What sort of value a name looks like.

use crate::extract::words::month;

use super::lexicon::Wanted;

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A time of day, a date, a day of the week, a span of time.
    Time,
    /// A number, with or without a unit.
    Number,
    /// Written with a capital: a person, a place, a product.
    Name,
    /// Anything else.
    Plain,
}

const TIMES: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "noon",
    "midnight",
    "morning",
    "afternoon",
    "evening",
    "night",
    "today",
    "tomorrow",
    "yesterday",
    "tonight",
    "week",
    "weekend",
    "day",
    "month",
    "quarter",
    "year",
    "hour",
    "minute",
    "second",
    "spring",
    "summer",
    "autumn",
    "winter",
    "sprint",
    "daily",
    "weekly",
    "monthly",
    "hourly",
];

const NUMBERS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "million",
    "dozen",
    "half",
];

impl Shape {
    /// Tells what a value looks like.
    pub(crate) fn of(value: &str) -> Self {
        let mut has_number = false;
        let mut has_capital = false;
        let mut first_is_number = false;
        for (at, word) in value.split(|c: char| c.is_whitespace() || c == ',' || c == '-').enumerate() {
            let lower = word.to_lowercase();
            let singular = lower.strip_suffix('s').unwrap_or(&lower);
            if TIMES.contains(&singular)
                || TIMES.contains(&lower.as_str())
                || month(&lower).is_some_and(|_| lower != "may" || word != "may")
            {
                return Self::Time;
            }
            let digits = lower.contains(|c: char| c.is_ascii_digit());
            if digits && (lower.contains(':') || is_year(&lower) || is_date(&lower)) {
                return Self::Time;
            }
            let is_number = NUMBERS.contains(&lower.as_str())
                || (lower.starts_with(|c: char| c.is_numeric())
                    || (digits && !word.contains(char::is_alphabetic)));
            has_number |= is_number;
            first_is_number |= is_number && at == 0;
            has_capital |= word.contains(char::is_uppercase);
        }
        match (has_capital, has_number) {
            (true, _) if !first_is_number => Self::Name,
            (_, true) => Self::Number,
            (true, false) => Self::Name,
            (false, false) => Self::Plain,
        }
    }

    /// How well a value fits what a question asks for, from -1 to 1.
    pub(crate) fn fits(value: &str, wanted: Wanted) -> f32 {
        match (wanted, Self::of(value)) {
            // "Rendering team" is a who too, but less of a person than a name with nothing else in it.
            (Wanted::Person, Self::Name)
                if value.split(' ').any(|word| word.starts_with(char::is_lowercase)) =>
            {
                0.4
            }
            (Wanted::Person, Self::Name) | (Wanted::Time, Self::Time) | (Wanted::Number, Self::Number) => 1.0,
            (Wanted::Place, Self::Name) | (Wanted::Number, Self::Time) => 0.5,
            (Wanted::Place | Wanted::Person, Self::Plain) | (Wanted::Time, Self::Number) => 0.0,
            (Wanted::Number, Self::Name) => -0.3,
            (Wanted::Person | Wanted::Time | Wanted::Number | Wanted::Place, _) => -1.0,
        }
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(word.as_bytes()[0], b'1' | b'2')
}

fn is_date(word: &str) -> bool {
    word.matches(['/', '.']).count() == 2
        && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'.'))
}
