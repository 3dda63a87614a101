//! Parses the time range that a question or a statement refers to.

use quiver_language::{
    Language,
    number::{as_year, number_word},
};

use crate::calendar::{DAY, from_civil, to_civil, weekday, weekday_named};

/// A half-open range of timestamps in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The start, inclusive.
    pub from: i64,
    /// The end, exclusive.
    pub to: i64,
}

impl Range {
    /// Returns whether a timestamp is in the range.
    pub fn has(&self, moment: i64) -> bool {
        (self.from..self.to).contains(&moment)
    }

    fn days(from: i64, count: i64) -> Self {
        Self { from, to: from + count * DAY }
    }

    fn month(year: i64, month: i64) -> Self {
        Self { from: from_civil(year, month, 1), to: from_civil(year, month + 1, 1) }
    }

    fn year(year: i64) -> Self {
        Self { from: from_civil(year, 1, 1), to: from_civil(year + 1, 1, 1) }
    }
}

/// Returns the range that a question names: a day, week, month or year. "last", "this" and "yesterday" are relative
/// to `now`. "Before" and "after" a date leave one side open.
pub fn range(question: &str, now: i64) -> Option<Range> {
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty()).collect();
    let (at, found) = (0..words.len()).find_map(|at| Some((at, named(&words, at, now)?)))?;
    let before = at.checked_sub(1).map(|before| words[before]);
    let before = match before {
        Some("the" | "in" | "on") if at >= 2 => Some(words[at - 2]),
        before => before,
    };
    Some(match before {
        Some("before" | "until") => Range { from: i64::MIN, to: found.from },
        Some("after") => Range { from: found.to, to: i64::MAX },
        Some("since") => Range { from: found.from, to: i64::MAX },
        _ => found,
    })
}

/// Returns the range that all of the words together name in a statement made at `now`, including future ones such as
/// "next week". A month or day without a year is the one nearest to `now`.
pub fn stated(words: &[&str], now: i64) -> Option<Range> {
    let today = now.div_euclid(DAY) * DAY;
    let (year, month, _) = to_civil(now);
    let words = words.strip_prefix(&["the"]).unwrap_or(words);
    match words {
        ["this", "morning" | "afternoon" | "evening"] | ["tonight"] => return Some(Range::days(today, 1)),
        ["tomorrow"] => return Some(Range::days(today + DAY, 1)),
        ["next", "week"] => return Some(Range::days(today + (7 - weekday(now)) * DAY, 7)),
        ["next", "month"] => return Some(Range::month(year, month + 1)),
        ["next", "year"] => return Some(Range::year(year + 1)),
        ["next", day] | [day] if weekday_named(day).is_some() => {
            let ahead = (weekday_named(day)? - weekday(now) - 1).rem_euclid(7) + 1;
            return Some(Range::days(today + ahead * DAY, 1));
        }
        [quarter] | [quarter, _] if quarter.len() == 2 && quarter.starts_with('q') => {
            let quarter: i64 = quarter[1..].parse().ok().filter(|quarter| (1..=4).contains(quarter))?;
            let year = match words.get(1) {
                Some(year) => year_of(year)?,
                None => year,
            };
            let from = from_civil(year, quarter * 3 - 2, 1);
            return Some(Range { from, to: from_civil(year, quarter * 3 + 1, 1) });
        }
        [count, unit, "ago"] => {
            let count: i64 = count
                .parse()
                .ok()
                .or_else(|| number_word(count).filter(|count| (1..=10).contains(count)).map(i64::from))?;
            return match unit.trim_end_matches('s') {
                "day" => Some(Range::days(today - count * DAY, 1)),
                "week" => Some(Range::days(today - count * 7 * DAY, 7)),
                "month" => Some(Range::month(year, month - count)),
                "year" => Some(Range::year(year - count)),
                _ => None,
            };
        }
        [year] if year_of(year).is_some() => return Some(Range::year(year_of(year)?)),
        _ => {}
    }
    // All words must belong to the range; a shorter match would name a different one.
    let range = named_in_statement(words, now)?;
    Some(range)
}

/// Parses a date that consists of all words.
fn named_in_statement(words: &[&str], now: i64) -> Option<Range> {
    let count = match words {
        [first] if iso(first).is_some() || matches!(*first, "today" | "yesterday") => 1,
        [month] if month_of(month).is_some() => return nearest_month(month_of(month)?, now),
        [month, year] if month_of(month).is_some() && year_of(year).is_some() => 2,
        [day, month] | [month, day] if day_of(day).is_some() && month_of(month).is_some() => {
            return nearest_day(month_of(month)?, day_of(day)?, now);
        }
        [day, month, year] | [month, day, year]
            if day_of(day).is_some() && month_of(month).is_some() && year_of(year).is_some() =>
        {
            3
        }
        ["last" | "this", _] => 2,
        _ => return None,
    };
    (count == words.len()).then(|| named(words, 0, now)).flatten()
}

/// Returns the occurrence of a month that is nearest to a timestamp.
fn nearest_month(month: i64, now: i64) -> Option<Range> {
    let (year, ..) = to_civil(now);
    (year - 1..=year + 1).map(|year| Range::month(year, month)).min_by_key(|range| (range.from - now).abs())
}

/// Returns the occurrence of a date that is nearest to a timestamp.
fn nearest_day(month: i64, day: i64, now: i64) -> Option<Range> {
    let (year, ..) = to_civil(now);
    let days = (year - 1..=year + 1).map(|year| Range::days(from_civil(year, month, day), 1));
    days.min_by_key(|range| (range.from - now).abs())
}

/// Returns the range named by the words that start at a position.
fn named(words: &[&str], at: usize, now: i64) -> Option<Range> {
    let today = now.div_euclid(DAY) * DAY;
    let (year, month, _) = to_civil(now);
    let word = |offset: usize| words.get(at + offset).copied();
    let first = words[at];
    if let Some(date) = iso(first) {
        return Some(date);
    }
    // "8 December 2023", "8th of December", "December 8, 2023", "December 2023", "December".
    if let Some(day) = day_of(first) {
        let of = usize::from(word(1) == Some("of"));
        if let Some(named) = word(1 + of).and_then(month_of) {
            let year = word(2 + of).and_then(year_of).unwrap_or_else(|| latest_year(named, day, now));
            return Some(Range::days(from_civil(year, named, day), 1));
        }
    }
    if let Some(named) = month_of(first) {
        // "May" and "March" are usually verbs, unless a preposition precedes them or a number follows.
        let said =
            at > 0 && matches!(words[at - 1], "in" | "last" | "this" | "since" | "before" | "after" | "of");
        let numbered = word(1).is_some_and(|next| year_of(next).is_some() || day_of(next).is_some());
        if matches!(first, "may" | "march") && !said && !numbered {
            return None;
        }
        if let Some(day) = word(1).filter(|next| year_of(next).is_none()).and_then(day_of) {
            let year = word(2).and_then(year_of).unwrap_or_else(|| latest_year(named, day, now));
            return Some(Range::days(from_civil(year, named, day), 1));
        }
        let of = usize::from(word(1) == Some("of"));
        let year = word(1 + of).and_then(year_of).unwrap_or_else(|| latest_year(named, 1, now));
        return Some(Range::month(year, named));
    }
    if year_of(first).is_some() && first.len() == 4 {
        let said = at > 0
            && matches!(words[at - 1], "in" | "since" | "before" | "after" | "during" | "of" | "until");
        return said.then(|| Range::year(year_of(first).expect("it is a year")));
    }
    match (first, word(1)) {
        ("today", _) => Some(Range::days(today, 1)),
        ("yesterday", _) => Some(Range::days(today - DAY, 1)),
        ("last", Some("week")) => Some(Range::days(today - (weekday(now) + 7) * DAY, 7)),
        ("this", Some("week")) => Some(Range::days(today - weekday(now) * DAY, 7)),
        ("last", Some("month")) => Some(Range::month(year, month - 1)),
        ("this", Some("month")) => Some(Range::month(year, month)),
        ("last", Some("year")) => Some(Range::year(year - 1)),
        ("this", Some("year")) => Some(Range::year(year)),
        ("last", Some(next)) => {
            let back = (weekday(now) - weekday_named(next)?).rem_euclid(7);
            Some(Range::days(today - if back == 0 { 7 } else { back } * DAY, 1))
        }
        _ => None,
    }
}

/// Parses `2023-05-08` or `2023-05`.
fn iso(word: &str) -> Option<Range> {
    let mut parts = word.split('-');
    let year = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let month: i64 = parts.next()?.parse().ok().filter(|month| (1..=12).contains(month))?;
    match parts.next() {
        None => Some(Range::month(year, month)),
        Some(day) => Some(Range::days(from_civil(year, month, day.parse().ok()?), 1)),
    }
}

fn day_of(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(char::is_alphabetic);
    let ending = &word[digits.len()..];
    let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    matches!(ending, "" | "st" | "nd" | "rd" | "th").then_some(day)
}

fn month_of(word: &str) -> Option<i64> {
    // "Mar" is a name and a verb too.
    let month = Language::English.month(&word.to_lowercase()).filter(|_| word != "mar");
    month.map(i64::from)
}

/// Returns the year named by a word, if conversations speak of it: "1500 users" is no year.
fn year_of(word: &str) -> Option<i64> {
    as_year(word).filter(|year| *year >= 1800).map(i64::from)
}

/// Returns the most recent year in which a date is not after `now`.
fn latest_year(month: i64, day: i64, now: i64) -> i64 {
    let (year, ..) = to_civil(now);
    if from_civil(year, month, day) > now { year - 1 } else { year }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_name_ranges() {
        let now = from_civil(2023, 6, 14);
        let day = |year, month, day| Some(Range::days(from_civil(year, month, day), 1));
        for (question, expect) in [
            ("What happened on 8 December 2022?", day(2022, 12, 8)),
            ("What happened on December 8th?", day(2022, 12, 8)),
            ("What happened on the 3rd of May, 2023?", day(2023, 5, 3)),
            ("Where were we on 2023-01-02?", day(2023, 1, 2)),
            ("What did she paint in May?", Some(Range::month(2023, 5))),
            ("What did she paint in August 2021?", Some(Range::month(2021, 8))),
            ("What did we decide yesterday?", day(2023, 6, 13)),
            ("What did we decide last Monday?", day(2023, 6, 12)),
            ("What did we decide last week?", Some(Range::days(from_civil(2023, 6, 5), 7))),
            ("What was bought in 2021?", Some(Range::year(2021))),
            ("Which ports may be open?", None),
            ("Who ordered 2000 parts?", None),
            ("Who runs Redis?", None),
        ] {
            assert_eq!(range(question, now), expect, "{question}");
        }
        let before = range("Who ran it before 1 March 2023?", now).map(|range| (range.from, range.to));
        assert_eq!(before, Some((i64::MIN, from_civil(2023, 3, 1))));
        let after = range("Who ran it after March 2023?", now).map(|range| (range.from, range.to));
        assert_eq!(after, Some((from_civil(2023, 4, 1), i64::MAX)));
    }
}
