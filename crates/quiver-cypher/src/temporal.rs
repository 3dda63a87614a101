//! Dates, times and durations.

mod calendar;
mod construct;
mod duration;
mod parse;
mod truncate;

use std::{cmp::Ordering, fmt};

use self::calendar::{civil, days_in_quarter_before, days_of, week_of, weekday};
pub(crate) use self::{
    construct::construct,
    duration::{Between, between, construct_duration},
    truncate::truncate,
};
pub use duration::{Duration, DurationParts};

use crate::Value;

pub(crate) const NANOS_PER_SECOND: i64 = 1_000_000_000;
pub(crate) const NANOS_PER_DAY: i64 = 86_400 * NANOS_PER_SECOND;
/// Dates are fewer days from 1970 than this: a thousand million years.
const DAYS_END: i64 = 365_250_000_000;
/// The greatest offset from UTC in seconds.
const OFFSET_MAX: i32 = 18 * 3600;

/// The kind of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Date,
    LocalTime,
    Time,
    LocalDateTime,
    DateTime,
}

/// A date, a time, or both; with or without an offset from UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Days since 1970-01-01 in local time.
    pub(crate) days: Option<i64>,
    /// Nanoseconds since midnight in local time.
    pub(crate) nanos: Option<i64>,
    /// The offset from UTC in seconds.
    pub(crate) offset: Option<i32>,
}

/// The parts of a [`Moment`]. A date has days, a time nanoseconds; an offset belongs to a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MomentParts {
    /// Days since 1970-01-01 in local time.
    pub days: Option<i64>,
    /// Nanoseconds since midnight in local time.
    pub nanos: Option<i64>,
    /// The offset from UTC in seconds.
    pub offset: Option<i32>,
}

impl Moment {
    /// Creates a date from days since 1970.
    pub fn date(days: i64) -> Self {
        Self { days: Some(days), nanos: None, offset: None }
    }

    /// Creates a date and time in UTC from nanoseconds since 1970.
    pub fn from_unix_nanos(nanos: i128) -> Self {
        let day = i128::from(NANOS_PER_DAY);
        let narrow = |value: i128| i64::try_from(value).unwrap_or_default();
        Self {
            days: Some(narrow(nanos.div_euclid(day))),
            nanos: Some(narrow(nanos.rem_euclid(day))),
            offset: Some(0),
        }
    }

    /// Creates a moment from its parts. Returns `None` if it has neither a date nor a time, an offset without a time,
    /// or a part that is out of range.
    pub fn of_parts(parts: MomentParts) -> Option<Self> {
        let MomentParts { days, nanos, offset } = parts;
        let is_moment = days.is_some() || nanos.is_some();
        let fits = days.is_none_or(|days| days.abs() < DAYS_END)
            && nanos.is_none_or(|nanos| (0..NANOS_PER_DAY).contains(&nanos))
            && offset.is_none_or(|offset| nanos.is_some() && offset.abs() <= OFFSET_MAX);
        (is_moment && fits).then_some(Self { days, nanos, offset })
    }

    /// Returns the parts of the moment.
    pub fn parts(&self) -> MomentParts {
        MomentParts { days: self.days, nanos: self.nanos, offset: self.offset }
    }

    /// Returns the milliseconds since 1970, rounded down, of a date and time with an offset; `None` for other moments.
    pub fn unix_milliseconds(&self) -> Option<i64> {
        if self.kind() != Kind::DateTime {
            return None;
        }
        i64::try_from(self.instant().div_euclid(1_000_000)).ok()
    }

    /// Returns when a date, or a date and time, begins, in milliseconds since 1970, rounded down; in UTC if it has no
    /// offset. Returns `None` for times without a date.
    pub fn beginning(&self) -> Option<i64> {
        self.days?;
        i64::try_from(self.instant().div_euclid(1_000_000)).ok()
    }

    /// Reads a date or time in the ISO form that [`fmt::Display`] prints.
    pub fn read(text: &str) -> Option<Self> {
        let kinds = if text.starts_with(|c: char| c.is_ascii_digit()) && text.get(2..3) == Some(":") {
            [Kind::Time, Kind::LocalTime]
        } else if text.contains('T') {
            [Kind::DateTime, Kind::LocalDateTime]
        } else {
            [Kind::Date, Kind::Date]
        };
        let has_offset = text.rfind('T').map_or(text, |at| &text[at..]).contains(['Z', '+'])
            || text.rfind('-').is_some_and(|at| text.rfind(':').is_some_and(|colon| at + 3 == colon));
        parse::moment(kinds[usize::from(!has_offset)], text).ok()
    }

    pub(crate) fn kind(&self) -> Kind {
        match (self.days, self.nanos, self.offset) {
            (Some(_), None, _) => Kind::Date,
            (None, _, None) => Kind::LocalTime,
            (None, _, Some(_)) => Kind::Time,
            (Some(_), Some(_), None) => Kind::LocalDateTime,
            (Some(_), Some(_), Some(_)) => Kind::DateTime,
        }
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self.kind() {
            Kind::Date => "a date",
            Kind::LocalTime => "a local time",
            Kind::Time => "a time",
            Kind::LocalDateTime => "a local date and time",
            Kind::DateTime => "a date and time",
        }
    }

    pub(crate) fn rank(&self) -> u8 {
        match self.kind() {
            Kind::DateTime => 0,
            Kind::LocalDateTime => 1,
            Kind::Date => 2,
            Kind::Time => 3,
            Kind::LocalTime => 4,
        }
    }

    /// Returns nanoseconds on the time line, in UTC if there is an offset.
    pub(crate) fn instant(&self) -> i128 {
        i128::from(self.days.unwrap_or_default()) * i128::from(NANOS_PER_DAY)
            + i128::from(self.nanos.unwrap_or_default())
            - i128::from(self.offset.unwrap_or_default()) * i128::from(NANOS_PER_SECOND)
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        (self.rank(), self.instant(), self.offset).cmp(&(other.rank(), other.instant(), other.offset))
    }

    pub(crate) fn partial_compare(&self, other: &Self) -> Option<Ordering> {
        (self.kind() == other.kind()).then(|| self.compare(other))
    }

    /// Returns the same instant with another offset.
    pub(crate) fn with_offset(self, offset: i32) -> Self {
        let Some(old) = self.offset else { return Self { offset: Some(offset), ..self } };
        let nanos = self.nanos.unwrap_or_default() + i64::from(offset - old) * NANOS_PER_SECOND;
        Self {
            days: self.days.map(|days| days + nanos.div_euclid(NANOS_PER_DAY)),
            nanos: Some(nanos.rem_euclid(NANOS_PER_DAY)),
            offset: Some(offset),
        }
    }

    /// Reads a component such as `year`; `None` if this kind has no such component.
    pub(crate) fn component(&self, name: &str) -> Option<Value> {
        let nanos = self.nanos;
        let of_time =
            |divisor: i64, modulus: i64| nanos.map(|nanos| Value::Integer(nanos / divisor % modulus));
        if let Some(days) = self.days {
            let (year, month, day) = civil(days);
            let (week_year, week) = week_of(days);
            let quarter = (month - 1) / 3 + 1;
            let found = match name {
                "year" => year,
                "month" => month,
                "day" => day,
                "quarter" => quarter,
                "week" => week,
                "weekYear" => week_year,
                "ordinalDay" => days - days_of(year, 1, 1) + 1,
                "dayOfQuarter" => days - days_in_quarter_before(year, quarter) + 1,
                "weekDay" | "dayOfWeek" => weekday(days),
                "epochSeconds" if self.nanos.is_some() => {
                    i64::try_from(self.instant().div_euclid(i128::from(NANOS_PER_SECOND))).ok()?
                }
                "epochMillis" if self.nanos.is_some() => {
                    i64::try_from(self.instant().div_euclid(1_000_000)).ok()?
                }
                _ => i64::MIN,
            };
            if found != i64::MIN {
                return Some(Value::Integer(found));
            }
        }
        let offset = self.offset;
        match name {
            "hour" => of_time(3600 * NANOS_PER_SECOND, 24),
            "minute" => of_time(60 * NANOS_PER_SECOND, 60),
            "second" => of_time(NANOS_PER_SECOND, 60),
            "millisecond" => of_time(1_000_000, 1000),
            "microsecond" => of_time(1000, 1_000_000),
            "nanosecond" => of_time(1, NANOS_PER_SECOND),
            "timezone" | "offset" => offset.map(|offset| Value::String(offset_text(offset).into())),
            "offsetMinutes" => offset.map(|offset| Value::Integer(i64::from(offset / 60))),
            "offsetSeconds" => offset.map(|offset| Value::Integer(i64::from(offset))),
            _ => None,
        }
    }

    /// Adds a duration, or subtracts it if `sign` is -1; `None` if the result is out of range.
    pub(crate) fn plus(self, duration: &Duration, sign: i64) -> Option<Self> {
        let mut moment = self;
        let total = i128::from(sign)
            * (i128::from(duration.seconds) * i128::from(NANOS_PER_SECOND) + i128::from(duration.nanos));
        let mut carried = 0;
        if let Some(nanos) = self.nanos {
            let sum = i128::from(nanos) + total;
            carried = i64::try_from(sum.div_euclid(i128::from(NANOS_PER_DAY))).ok()?;
            moment.nanos = i64::try_from(sum.rem_euclid(i128::from(NANOS_PER_DAY))).ok();
        } else {
            carried += i64::try_from(total / i128::from(NANOS_PER_DAY)).ok()?;
        }
        if let Some(days) = self.days {
            let shifted = calendar::add_months(days, sign.checked_mul(duration.months)?)?;
            let days = shifted.checked_add(sign.checked_mul(duration.days)?)?.checked_add(carried)?;
            moment.days = Some(days).filter(|days| days.abs() < DAYS_END);
            moment.days?;
        }
        Some(moment)
    }
}

fn offset_text(offset: i32) -> String {
    if offset == 0 {
        return "Z".to_owned();
    }
    let sign = if offset < 0 { '-' } else { '+' };
    let seconds = offset.abs();
    let text = format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    if seconds % 60 == 0 { text } else { format!("{text}:{:02}", seconds % 60) }
}

/// Prints the fraction of a second, with its point, without trailing zeros.
fn fraction_text(nanos: i64) -> String {
    if nanos == 0 {
        return String::new();
    }
    format!(".{nanos:09}").trim_end_matches('0').to_owned()
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(days) = self.days {
            let (year, month, day) = civil(days);
            match year {
                0..=9999 => write!(f, "{year:04}-{month:02}-{day:02}")?,
                10_000.. => write!(f, "+{year}-{month:02}-{day:02}")?,
                _ => write!(f, "-{:04}-{month:02}-{day:02}", -year)?,
            }
        }
        if let Some(nanos) = self.nanos {
            if self.days.is_some() {
                f.write_str("T")?;
            }
            let seconds = nanos / NANOS_PER_SECOND;
            write!(f, "{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
            if nanos % (60 * NANOS_PER_SECOND) != 0 {
                write!(f, ":{:02}{}", seconds % 60, fraction_text(nanos % NANOS_PER_SECOND))?;
            }
        }
        if let Some(offset) = self.offset {
            f.write_str(&offset_text(offset))?;
        }
        Ok(())
    }
}
