//! Time expressions: finds them in a text and resolves them to time ranges.
//!
//! [`times`] finds them, and [`TimeExpression::resolve`] resolves them relative to the time of utterance. English is
//! fully supported; in other languages, only complete dates ("3. Mai 2021") are found.
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

use crate::text::{Text, read};

/// A time expression in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimeExpression {
    /// The position in the text, in bytes, including the words that express the relation.
    pub range: Range<usize>,
    /// The relation of the statement to the time.
    pub relation: TimeRelation,
    /// The byte range of the event, if the time is given by an event: "she moved" in "before she moved". Such a time
    /// can't be resolved.
    pub event: Option<Range<usize>>,
    first: Period,
    last: Option<Period>,
}

/// The relation of a statement to a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeRelation {
    /// Within it: "on 3 May", "last week", "from 1 to 15 April".
    During,
    /// From its start until the time of utterance: "since last Monday".
    Since,
    /// From its start onwards: "starting next week", "as of Q3", "from May".
    Starting,
    /// Until its end: "until 3 May".
    Until,
    /// By its end at the latest: "by Friday".
    By,
    /// Before its start: "before 2019".
    Before,
    /// After its end: "after the holidays".
    After,
}

/// The direction in which to resolve a time without a year or week, as given by the tense of the sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Before the time of utterance.
    Past,
    /// After the time of utterance.
    Future,
    /// Unknown. The nearest time is used, but a weekday alone stays unresolved.
    #[default]
    Nearest,
}

/// The precision of a time.
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

/// A half-open time range in UTC, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimeRange {
    /// The start, inclusive.
    pub start: i64,
    /// The end, exclusive.
    pub end: i64,
    /// The precision of the time expression.
    pub precision: Precision,
}

/// A calendar period as it is named in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Period {
    /// "3 May 2023", "3 May". Omitted parts are resolved by the direction.
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
    /// A half-open range of years: years, decades, centuries.
    Years {
        from: i16,
        to: i16,
    },
    /// With Monday as 1.
    Weekday(i8),
    /// "last Monday", "next May", "this summer".
    Shifted {
        shift: Shift,
        of: Named,
    },
    /// A calendar unit relative to the current one: "last week" is -1.
    Unit {
        unit: Unit,
        shift: i32,
    },
    /// A distance from now: "two weeks ago" is -2.
    Away {
        unit: Unit,
        count: i32,
    },
    /// A period that ends or starts now: "the last two weeks", "the next three days".
    Stretch {
        unit: Unit,
        count: i32,
    },
    /// The early, middle or late part of a period.
    Part {
        part: Part,
        of: Box<Period>,
    },
    /// A time of day, in minutes from midnight.
    Clock {
        day: Box<Period>,
        minutes: u16,
        precision: Precision,
    },
    /// A time given by an event.
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

/// Finds the time expressions of a text, in order and without overlaps.
pub fn times(text: &str) -> Vec<TimeExpression> {
    read(text).times()
}

impl Text<'_> {
    /// Finds the time expressions of the text, in order and without overlaps.
    pub fn times(&self) -> Vec<TimeExpression> {
        let in_sentence = |sentence| read::Reader::new(self, self.within(sentence)).read();
        self.sentences().iter().flat_map(in_sentence).collect()
    }
}
