//! Durations: months, days and seconds, which have no fixed ratio.

use std::{cmp::Ordering, fmt};

use super::{Moment, NANOS_PER_DAY, NANOS_PER_SECOND, calendar, fraction_text};
use crate::{
    Value,
    error::{Error, Result, argument, wrong_type},
    value::Map,
};

/// The average number of seconds in a month.
const SECONDS_PER_MONTH: i64 = 2_629_746;

/// A length of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Duration {
    pub(crate) months: i64,
    pub(crate) days: i64,
    pub(crate) seconds: i64,
    /// From 0 to 999,999,999.
    pub(crate) nanos: i64,
}

/// The parts of a [`Duration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DurationParts {
    /// Months.
    pub months: i64,
    /// Days.
    pub days: i64,
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds; from 0 to 999,999,999 in the parts of a duration.
    pub nanos: i64,
}

/// The unit of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    All,
    Months,
    Days,
    Seconds,
}

fn too_long() -> Error {
    argument("the duration is too long")
}

impl Duration {
    fn of(months: i64, days: i64, nanos: i128) -> Result<Self> {
        let per_second = i128::from(NANOS_PER_SECOND);
        let seconds = i64::try_from(nanos.div_euclid(per_second)).map_err(|_| too_long())?;
        let nanos = i64::try_from(nanos.rem_euclid(per_second)).map_err(|_| too_long())?;
        Ok(Self { months, days, seconds, nanos })
    }

    /// Creates a duration from its parts. Returns `None` if it is out of range.
    pub fn of_parts(parts: DurationParts) -> Option<Self> {
        let DurationParts { months, days, seconds, nanos } = parts;
        let nanos = i128::from(seconds) * i128::from(NANOS_PER_SECOND) + i128::from(nanos);
        Self::of(months, days, nanos).ok()
    }

    /// Returns the parts of the duration.
    pub fn parts(&self) -> DurationParts {
        DurationParts { months: self.months, days: self.days, seconds: self.seconds, nanos: self.nanos }
    }

    /// Reads a duration in the ISO form that [`fmt::Display`] prints.
    pub fn read(text: &str) -> Option<Self> {
        from_text(text).ok()
    }

    fn total_nanos(&self) -> i128 {
        i128::from(self.seconds) * i128::from(NANOS_PER_SECOND) + i128::from(self.nanos)
    }

    /// Average length, for `ORDER BY` only: durations have no order of their own.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let length = |one: &Self| {
            let seconds =
                i128::from(one.months) * i128::from(SECONDS_PER_MONTH) + i128::from(one.days) * 86_400;
            seconds * i128::from(NANOS_PER_SECOND) + one.total_nanos()
        };
        length(self).cmp(&length(other)).then_with(|| {
            (self.months, self.days, self.seconds, self.nanos).cmp(&(
                other.months,
                other.days,
                other.seconds,
                other.nanos,
            ))
        })
    }

    pub(crate) fn plus(&self, other: &Self, sign: i64) -> Result<Self> {
        let add = |a: i64, b: i64| b.checked_mul(sign).and_then(|b| a.checked_add(b)).ok_or_else(too_long);
        Self::of(
            add(self.months, other.months)?,
            add(self.days, other.days)?,
            self.total_nanos() + i128::from(sign) * other.total_nanos(),
        )
    }

    pub(crate) fn times(&self, factor: f64) -> Result<Self> {
        let mut parts = Parts::default();
        parts.months(self.months as f64 * factor);
        parts.days(self.days as f64 * factor);
        parts.nanos += self.total_nanos() as f64 * factor;
        parts.into_duration()
    }

    pub(crate) fn component(&self, name: &str) -> Option<Value> {
        let total = self.total_nanos();
        let per_second = i128::from(NANOS_PER_SECOND);
        let floored = |unit: i128| i64::try_from(total.div_euclid(unit)).ok();
        let value = match name {
            "years" => Some(self.months / 12),
            "quarters" => Some(self.months / 3),
            "months" => Some(self.months),
            "weeks" => Some(self.days / 7),
            "days" => Some(self.days),
            "hours" => i64::try_from(total / (3600 * per_second)).ok(),
            "minutes" => i64::try_from(total / (60 * per_second)).ok(),
            "seconds" => Some(self.seconds),
            "milliseconds" => floored(1_000_000),
            "microseconds" => floored(1000),
            "nanoseconds" => floored(1),
            "quartersOfYear" => Some(self.months / 3 % 4),
            "monthsOfYear" => Some(self.months % 12),
            "monthsOfQuarter" => Some(self.months % 3),
            "daysOfWeek" => Some(self.days % 7),
            "minutesOfHour" => i64::try_from(total / (60 * per_second) % 60).ok(),
            "secondsOfMinute" => i64::try_from(total.div_euclid(per_second) % 60).ok(),
            "millisecondsOfSecond" => Some(self.nanos / 1_000_000),
            "microsecondsOfSecond" => Some(self.nanos / 1000),
            "nanosecondsOfSecond" => Some(self.nanos),
            _ => None,
        };
        value.map(Value::Integer)
    }
}

/// Sums of possibly fractional units; fractions of months become days, fractions of days become seconds.
#[derive(Default)]
struct Parts {
    months: f64,
    days: f64,
    nanos: f64,
}

impl Parts {
    fn months(&mut self, months: f64) {
        self.months += months.trunc();
        let days = months.fract() * (SECONDS_PER_MONTH as f64) / 86_400.0;
        self.days(days);
    }

    fn days(&mut self, days: f64) {
        self.days += days.trunc();
        self.nanos += days.fract() * NANOS_PER_DAY as f64;
    }

    #[expect(clippy::cast_possible_truncation, reason = "the bounds are checked")]
    fn into_duration(self) -> Result<Duration> {
        if !(self.months.abs() < 1e17 && self.days.abs() < 1e17 && self.nanos.abs() < 1e27) {
            return Err(too_long());
        }
        Duration::of(self.months as i64, self.days as i64, self.nanos.trunc() as i128)
    }
}

pub(crate) fn construct_duration(value: &Value) -> Result<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Duration(_) => Ok(value.clone()),
        Value::String(text) => from_text(text).map(Value::Duration),
        Value::Map(map) => from_map(map).map(Value::Duration),
        other => Err(wrong_type(format!(
            "a duration is created from a string or a map, not {}",
            other.type_name()
        ))),
    }
}

const UNITS: &[(&str, f64)] = &[
    ("weeks", 7.0),
    ("days", 1.0),
    ("years", 12.0),
    ("quarters", 3.0),
    ("months", 1.0),
    ("hours", 3600e9),
    ("minutes", 60e9),
    ("seconds", 1e9),
    ("milliseconds", 1e6),
    ("microseconds", 1e3),
    ("nanoseconds", 1.0),
];

fn from_map(map: &Map) -> Result<Duration> {
    let mut parts = Parts::default();
    // Whole numbers of nanoseconds are summed exactly.
    let mut exact: i128 = 0;
    for (name, value) in map {
        let Some((_, factor)) = UNITS.iter().find(|(unit, _)| unit == name) else {
            let hint = crate::nearest(name, UNITS.iter().map(|(unit, _)| *unit));
            let hint = hint.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
            return Err(argument(format!("durations have no unit {name:?}{hint}")));
        };
        let amount = match value {
            Value::Null => continue,
            Value::Integer(amount) => *amount as f64,
            Value::Float(amount) => *amount,
            other => {
                return Err(wrong_type(format!("{name} must be a number, not {}", other.type_name())));
            }
        };
        match name.as_str() {
            "years" | "quarters" | "months" => parts.months(amount * factor),
            "weeks" | "days" => parts.days(amount * factor),
            _ => match value {
                #[expect(clippy::cast_possible_truncation, reason = "the factors are whole numbers")]
                Value::Integer(amount) => exact += i128::from(*amount) * (*factor as i128),
                _ => parts.nanos += amount * factor,
            },
        }
    }
    let duration = parts.into_duration()?;
    Duration::of(duration.months, duration.days, duration.total_nanos() + exact)
}

fn from_text(text: &str) -> Result<Duration> {
    let unreadable = || argument(format!("{text:?} is not a duration such as \"P1Y2M3DT4H5M6.7S\""));
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let rest = rest.strip_prefix('P').ok_or_else(unreadable)?;
    let (date, time) = rest.split_once('T').unwrap_or((rest, ""));
    let mut parts = Parts::default();
    if date.contains('-') && date.len() == 10 && date.as_bytes()[4] == b'-' {
        // The date and time form.
        let number = |text: &str| text.parse::<f64>().map_err(|_| unreadable());
        let mut fields = date.split('-').map(number);
        let mut next = || fields.next().unwrap_or(Ok(0.0));
        parts.months(next()? * 12.0 + next()?);
        parts.days(next()?);
        for (field, factor) in time.split(':').zip([3600e9, 60e9, 1e9]) {
            parts.nanos += number(field)? * factor;
        }
        return parts.into_duration();
    }
    let mut exact: i128 = 0;
    for (section, units) in [(date, "YMWD"), (time, "HMS")] {
        let mut rest = section;
        while !rest.is_empty() {
            let at = rest.find(|c: char| c.is_ascii_uppercase()).ok_or_else(unreadable)?;
            let (amount_text, unit) = (&rest[..at], &rest[at..=at]);
            let amount: f64 = amount_text.replace(',', ".").parse().map_err(|_| unreadable())?;
            if !units.contains(unit) {
                return Err(unreadable());
            }
            match (units, unit) {
                ("YMWD", "Y") => parts.months(sign * amount * 12.0),
                ("YMWD", "M") => parts.months(sign * amount),
                ("YMWD", "W") => parts.days(sign * amount * 7.0),
                ("YMWD", _) => parts.days(sign * amount),
                (_, unit) => {
                    let factor = match unit {
                        "H" => 3600,
                        "M" => 60,
                        _ => 1,
                    };
                    let nanos = decimal_nanos(amount_text).ok_or_else(unreadable)?;
                    exact += if sign < 0.0 { -nanos * factor } else { nanos * factor };
                }
            }
            rest = &rest[at + 1..];
        }
    }
    let duration = parts.into_duration()?;
    Duration::of(duration.months, duration.days, duration.total_nanos() + exact)
}

/// A decimal number of seconds in nanoseconds, exactly.
fn decimal_nanos(text: &str) -> Option<i128> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let text = text.strip_prefix('+').unwrap_or(text);
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction: String = fraction.chars().take(9).collect();
    let nanos: i128 = if fraction.is_empty() { 0 } else { format!("{fraction:0<9}").parse().ok()? };
    (whole < 1 << 62).then(|| sign * (whole * i128::from(NANOS_PER_SECOND) + nanos))
}

/// The difference between two moments.
pub(crate) fn between(unit: Between, from: Moment, to: Moment) -> Result<Duration> {
    let (mut from, mut to) = (from, to);
    // If both have offsets, the difference is between the instants; if only one has, both are read as local times.
    if let (Some(a), Some(_)) = (from.offset, to.offset) {
        to = to.with_offset(a);
    }
    if from.days.is_none() || to.days.is_none() {
        from.days = None;
        to.days = None;
        if matches!(unit, Between::Months | Between::Days) {
            return Ok(Duration::default());
        }
    }
    let (start, end) = (from.nanos.unwrap_or_default(), to.nanos.unwrap_or_default());
    let (Some(first), Some(last)) = (from.days, to.days) else {
        return Duration::of(0, 0, i128::from(end - start));
    };
    let day = i128::from(NANOS_PER_DAY);
    let total = i128::from(last - first) * day + i128::from(end - start);
    if unit == Between::Seconds {
        return Duration::of(0, 0, total);
    }
    if unit == Between::Days {
        return Duration::of(0, i64::try_from(total / day).map_err(|_| too_long())?, 0);
    }
    let (year, month, _) = calendar::civil(first);
    let (to_year, to_month, _) = calendar::civil(last);
    let mut months = (to_year - year) * 12 + to_month - month;
    let rest = |months: i64| {
        let reached = calendar::add_months(first, months).unwrap_or(first);
        i128::from(last - reached) * day + i128::from(end - start)
    };
    if months > 0 && rest(months) < 0 {
        months -= 1;
    } else if months < 0 && rest(months) > 0 {
        months += 1;
    }
    if unit == Between::Months {
        return Duration::of(months, 0, 0);
    }
    let left = rest(months);
    Duration::of(months, i64::try_from(left / day).map_err(|_| too_long())?, left % day)
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("P")?;
        let mut part = |value: i64, unit: char| if value == 0 { Ok(()) } else { write!(f, "{value}{unit}") };
        part(self.months / 12, 'Y')?;
        part(self.months % 12, 'M')?;
        part(self.days, 'D')?;
        let total = self.total_nanos();
        if total == 0 {
            return if self.months == 0 && self.days == 0 { f.write_str("T0S") } else { Ok(()) };
        }
        f.write_str("T")?;
        let per_second = i128::from(NANOS_PER_SECOND);
        let (hours, minutes) = (total / (3600 * per_second), total / (60 * per_second) % 60);
        if hours != 0 {
            write!(f, "{hours}H")?;
        }
        if minutes != 0 {
            write!(f, "{minutes}M")?;
        }
        let rest = total % (60 * per_second);
        if rest != 0 {
            let sign = if rest < 0 { "-" } else { "" };
            let nanos = i64::try_from(rest.abs() % per_second).unwrap_or_default();
            write!(f, "{sign}{}{}S", rest.abs() / per_second, fraction_text(nanos))?;
        }
        Ok(())
    }
}
