//! Numbers by themselves: years, days of a month, ordinals and number words.

use std::{collections::HashMap, sync::LazyLock};

use crate::pack::rows;

/// Returns the year named by a word of four digits. Only 1000 to 2100 count, which excludes most other numbers.
///
/// This is the only definition of a year.
pub fn as_year(word: &str) -> Option<i16> {
    let digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| digits && (1000..=2100).contains(year))
}

/// Returns the day of the month named by a word: "3", "3rd".
pub(crate) fn as_day(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let plain = digits.len() == word.len() || is_ordinal(word);
    digits.parse().ok().filter(|day| plain && (1..=31).contains(day))
}

/// Returns the number that a single lower-case English word names: "twelve", "ninety", "thousand".
pub fn number_word(word: &str) -> Option<u32> {
    NUMBERS.get(word).copied()
}

static NUMBERS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let lines = rows(include_str!("../packs/en/numbers.tsv"));
    lines.filter_map(|fields| Some((*fields.get(1)?, fields.first()?.parse().ok()?))).collect()
});

/// Returns whether a word is an ordinal number: "3rd".
pub(crate) fn is_ordinal(word: &str) -> bool {
    ["st", "nd", "rd", "th"].iter().any(|end| word.strip_suffix(end).is_some_and(|n| n.parse::<u8>().is_ok()))
}
