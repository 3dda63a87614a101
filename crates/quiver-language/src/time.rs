//! Expressions of time: where a text says when, and which stretch of time that is.
//!
//! [`times`] finds them, [`TimeExpression::resolve`] compares them with the moment they were said at. English is read
//! whole; in other languages only dates that stand alone ("3. Mai 2021") are.
//!
//! ```
//! use quiver_language::time::{Direction, Precision, TimeRelation, times};
//!
//! let text = "Since last Monday Lena runs Redis.";
//! let found = times(text);
//! assert_eq!(&text[found[0].range.clone()], "Since last Monday");
//! assert_eq!(found[0].relation, TimeRelation::Since);
//!
//! // Said on Wednesday, 8 May 2024.
//! let range = found[0].resolve(1_715_162_400_000, Direction::Nearest).unwrap();
//! assert_eq!((range.start, range.precision), (1_714_953_600_000, Precision::Day));
//! ```

mod read;
mod resolve;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::{sentence::sentences, token::Tokens};

/// A stretch of a text that says when.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimeExpression {
    /// Where it stands in the text, in bytes, with the words that say how it relates to the time.
    pub range: Range<usize>,
    /// How what is said relates to the time.
    pub relation: TimeRelation,
    /// What is said to have happened at that time, as bytes of the text, where the time is told by an event: "she
    /// moved" in "before she moved". Such a time can't be resolved by the calendar.
    pub event: Option<Range<usize>>,
    first: Period,
    last: Option<Period>,
}

/// How what is said relates to a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeRelation {
    /// Within it: "on 3 May", "last week", "from 1 to 15 April".
    During,
    /// From then up to when it was said: "since last Monday".
    Since,
    /// From then on: "starting next week", "as of Q3", "from May".
    Starting,
    /// Up to its end: "until 3 May".
    Until,
    /// At its end at the latest: "by Friday".
    By,
    /// Before it begins: "before 2019".
    Before,
    /// After it ended: "after the holidays".
    After,
}

/// Which way a time lies that is told without a year or a week: the tense of the sentence says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Before the moment of speaking.
    Past,
    /// After it.
    Future,
    /// Not known. The nearest is meant; a weekday alone stays unresolved.
    #[default]
    Nearest,
}

/// How exactly a time is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is the unit of that name")]
pub enum Precision {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Season,
    Year,
    Decade,
    Century,
}

/// A stretch of time, in milliseconds since 1970, of the calendar in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimeRange {
    /// When it begins.
    pub start: i64,
    /// When it has ended: the first moment after it.
    pub end: i64,
    /// How exactly it is told.
    pub precision: Precision,
}

/// Which part of the calendar is named.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Period {
    /// "3 May 2023", "3 May", "the 3rd": what is not said is found by the direction.
    Date {
        year: Option<i16>,
        month: Option<i8>,
        day: i8,
    },
    Month {
        year: Option<i16>,
        month: i8,
    },
    Quarter {
        year: Option<i16>,
        quarter: i8,
    },
    Season {
        year: i16,
        season: Season,
    },
    /// From one year up to another, without that: years, decades, centuries.
    Years {
        from: i16,
        to: i16,
    },
    /// From 1 for Monday.
    Weekday(i8),
    /// "last Monday", "next May", "this summer".
    Shifted {
        shift: Shift,
        of: Named,
    },
    /// Whole units of the calendar away from now: "last week" is -1.
    Unit {
        unit: Unit,
        shift: i32,
    },
    /// "two weeks ago" is -2.
    Away {
        unit: Unit,
        count: i32,
    },
    /// Up to now or from now on: "the last two weeks", "the next three days".
    Stretch {
        unit: Unit,
        count: i32,
    },
    /// An early, middle or late part.
    Part {
        part: Part,
        of: Box<Period>,
    },
    /// A moment of a day, in minutes from midnight.
    Clock {
        day: Box<Period>,
        minutes: u16,
        precision: Precision,
    },
    /// Told by an event.
    Event,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shift {
    Last,
    This,
    Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Weekday(i8),
    Month(i8),
    Season(Season),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Weekend,
    Month,
    Quarter,
    Year,
    Decade,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Early,
    Middle,
    Late,
}

/// Finds the expressions of time in a text, in order; none overlaps another.
pub fn times(text: &str) -> Vec<TimeExpression> {
    let tokens = Tokens::of(text);
    sentences(text).iter().flat_map(|sentence| times_in(&tokens, tokens.within(sentence))).collect()
}

/// Finds the expressions of time among the tokens of a sentence, in order; none overlaps another.
pub fn times_in(tokens: &Tokens<'_>, sentence: Range<usize>) -> Vec<TimeExpression> {
    read::Reader::new(tokens, sentence).read()
}
