//! The moment of an event: "last Friday", "two years ago", "in May 2019".

use std::sync::LazyLock;

use quiver_language::{
    Language,
    life::{Life, says, words_of},
    number::number_word,
};

use crate::{
    calendar::{DAY, from_civil, is_month, to_civil, weekday, weekday_named},
    when::{self, Range},
};

use super::line::Line;

/// A moment in a sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The first word.
    pub(super) start: usize,
    /// The position after it.
    pub(super) end: usize,
    /// The days that it spans, unless it is vague: "recently".
    pub(super) range: Option<Range>,
}

/// The words of expressions that do not name a day.
static VAGUE: LazyLock<Vec<Vec<&'static str>>> =
    LazyLock::new(|| words_of(Life::VagueMoment).map(|moment| moment.split(' ').collect()).collect());

/// Maximum number of words in a moment.
const WORDS_MAX: usize = 5;

impl Line<'_> {
    /// Returns the past moment that starts at a word.
    pub(super) fn past_moment(&self, at: usize) -> Option<Moment> {
        let first = self.lower(at);
        // Numbers in words are read up to ten.
        let is_number = first.starts_with(|c: char| c.is_ascii_digit())
            || number_word(first).is_some_and(|number| (1..=10).contains(&number));
        if !says(first, Life::MomentStart) && !is_number && !is_month(first) && weekday_named(first).is_none()
        {
            return None;
        }
        let fixed = VAGUE.iter().filter(|words| self.says(at, words)).map(|words| at + words.len()).max();
        if let Some(end) = fixed {
            return Some(Moment { start: at, end, range: None });
        }
        let now = self.turn.time;
        let today = now.div_euclid(DAY) * DAY;
        let saturday = today - (weekday(now) + 2) * DAY;
        for weekend in [&["last", "weekend"][..], &["this", "past", "weekend"], &["this", "weekend"]] {
            if self.says(at, weekend) {
                return Some(Moment {
                    start: at,
                    end: at + weekend.len(),
                    range: Some(Range { from: saturday, to: saturday + 2 * DAY }),
                });
            }
        }
        if self.says(at, &["last", "night"]) {
            return Some(Moment {
                start: at,
                end: at + 2,
                range: Some(Range { from: today - DAY, to: today }),
            });
        }
        let start = at
            + usize::from(
                self.is(at, &["on", "in", "back", "during", "around", "about", "almost"]) && self.joins(at),
            );
        let start = start + usize::from(self.is(start, &["in", "the", "past"]) && self.joins(start));
        (1..=WORDS_MAX).rev().find_map(|count| {
            let end = start + count;
            let whole = end <= self.len()
                && (start..end - 1).all(|word| self.joins(word) || is_day(self.lower(word)));
            let range = whole.then(|| self.past_range(start, end, start > at)).flatten()?;
            Some(Moment { start: at, end, range: Some(range) })
        })
    }

    /// Returns the past range that these words name.
    fn past_range(&self, start: usize, end: usize, has_preposition: bool) -> Option<Range> {
        let now = self.turn.time;
        let mut words: Vec<&str> = (start..end).map(|word| full(self.lower(word))).collect();
        if let ["a" | "an", _, "ago"] = words.as_slice() {
            words[0] = "one";
        }
        if let [_, "weekends" | "weekend", "ago"] = words.as_slice() {
            words[1] = "weeks";
        }
        if matches!(words.as_slice(), ["next", ..] | ["tomorrow" | "now"]) {
            return None;
        }
        if let [day] = words.as_slice()
            && weekday_named(day).is_some()
        {
            return when::range(&format!("last {day}"), now);
        }
        // "May" and "2019" alone are ambiguous.
        let bare = words.len() == 1 && !matches!(words[0], "today" | "yesterday") && !words[0].contains('-');
        if bare && !has_preposition {
            return None;
        }
        let range = when::stated(&words, now)?;
        if range.from <= now {
            return Some(range);
        }
        when::range(&format!("in {}", words.join(" ")), now).filter(|range| range.from <= now)
    }

    /// Returns the start of a state: "since 2018", "for five years".
    pub(super) fn since(&self, at: usize) -> Option<(usize, Option<i64>)> {
        if !self.is(at, &["since", "for"]) {
            return None;
        }
        for count in (1..=3).rev() {
            let end = at + 1 + count;
            if end > self.len() {
                continue;
            }
            let mut words: Vec<&str> = (at + 1..end).map(|word| full(self.lower(word))).collect();
            let range = if self.lower(at) == "since" {
                when::stated(&words, self.turn.time)
            } else {
                words.push("ago");
                when::stated(&words, self.turn.time)
            };
            if let Some(range) = range.filter(|range| range.from <= self.turn.time) {
                return Some((end, Some(range.from)));
            }
        }
        None
    }
}

/// Formats the days of an event: "2023-05-07", "May 2023", "2022".
pub(super) fn shown(range: Range) -> String {
    let (year, month, day) = to_civil(range.from);
    match (range.to - range.from) / DAY {
        0..=1 => format!("{year}-{month:02}-{day:02}"),
        days if range.from == from_civil(year, 1, 1) && days > 300 => year.to_string(),
        28..=31 => format!("{year}-{month:02}"),
        _ => format!("week of {year}-{month:02}-{day:02}"),
    }
}

/// Returns whether a word may be a day of the month before a year: "May 3, 2019".
fn is_day(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 4
}

/// Expands an abbreviated weekday.
fn full(word: &str) -> &str {
    Language::English.weekday_name(word).unwrap_or(word)
}
