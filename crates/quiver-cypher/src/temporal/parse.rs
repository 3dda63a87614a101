//! ISO 8601 texts of dates and times.

use super::{
    Kind, Moment, NANOS_PER_SECOND,
    calendar::{date_of_ordinal, date_of_quarter, date_of_week, valid_date},
};
use crate::error::{Error, Result, argument};

fn unreadable(text: &str, what: &str) -> Error {
    argument(format!("{text:?} is not a {what} in ISO 8601 format"))
}

/// Reads a moment of a kind. A text with both date and time may give either.
pub(super) fn moment(kind: Kind, text: &str) -> Result<Moment> {
    let (date, time) = match kind {
        Kind::Date => (Some(text.split('T').next().unwrap_or(text)), None),
        Kind::LocalTime | Kind::Time => (None, Some(text.rsplit('T').next().unwrap_or(text))),
        Kind::LocalDateTime | Kind::DateTime => match text.split_once('T') {
            Some((date, time)) => (Some(date), Some(time)),
            None => (Some(text), Some("00:00")),
        },
    };
    let days = date.map(|date| self::date(date).ok_or_else(|| unreadable(text, "date"))).transpose()?;
    let mut found = Moment { days, nanos: None, offset: None };
    if let Some(time) = time {
        let (clock, offset) = split_offset(time);
        found.nanos = Some(self::clock(clock).ok_or_else(|| unreadable(text, "time"))?);
        if matches!(kind, Kind::Time | Kind::DateTime) {
            found.offset = Some(match offset {
                Some(zone) => self::offset(zone)?,
                None => 0,
            });
        }
    }
    Ok(found)
}

fn split_offset(time: &str) -> (&str, Option<&str>) {
    let at = time.find(['Z', '+', '-', '[']);
    at.map_or((time, None), |at| (&time[..at], Some(&time[at..])))
}

/// Reads an offset from UTC in seconds.
pub(super) fn offset(zone: &str) -> Result<i32> {
    let unknown = || {
        argument(format!(
            "{zone:?} is not an offset such as \"+01:00\" or \"Z\"; named time zones are not supported"
        ))
    };
    if zone == "Z" || zone == "z" {
        return Ok(0);
    }
    let sign = match zone.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Err(unknown()),
    };
    let digits: String = zone[1..].chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|c| c.is_ascii_digit()) || ![2, 4, 6].contains(&digits.len()) {
        return Err(unknown());
    }
    let part =
        |at: usize| digits.get(at..at + 2).and_then(|part| part.parse::<i32>().ok()).unwrap_or_default();
    if part(0) > 18 || part(2) > 59 || part(4) > 59 {
        return Err(unknown());
    }
    Ok(sign * (part(0) * 3600 + part(2) * 60 + part(4)))
}

fn number(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn clock(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let digits: String = whole.chars().filter(|c| *c != ':').collect();
    if whole.contains(':') && whole.split(':').any(|part| part.len() != 2) {
        return None;
    }
    let part = |at: usize| digits.get(at..at + 2).map_or(Some(0), number);
    if ![2, 4, 6].contains(&digits.len()) || (!fraction.is_empty() && digits.len() != 6) {
        return None;
    }
    let (hour, minute, second) = (part(0)?, part(2)?, part(4)?);
    if hour > 23 || minute > 59 || second > 59 || fraction.len() > 9 {
        return None;
    }
    let nanos = if fraction.is_empty() { 0 } else { number(&format!("{fraction:0<9}"))? };
    Some(((hour * 60 + minute) * 60 + second) * NANOS_PER_SECOND + nanos)
}

pub(super) fn date(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => (1, text),
    };
    if !rest.is_ascii() {
        return None;
    }
    let is_signed = rest.len() != text.len();
    let year_digits =
        if is_signed { rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()).min(9) } else { 4 };
    let year = sign * number(rest.get(..year_digits)?)?;
    let rest = &rest[year_digits..];
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    if let Some(week) = rest.strip_prefix('W') {
        let digits: String = week.chars().filter(|c| *c != '-').collect();
        let day = if digits.len() == 3 { number(&digits[2..])? } else { 1 };
        return date_of_week(year, number(digits.get(..2)?)?, day).ok().filter(|_| digits.len() <= 3);
    }
    if let Some(quarter) = rest.strip_prefix('Q') {
        let digits: String = quarter.chars().filter(|c| *c != '-').collect();
        let day = if digits.len() > 1 { number(&digits[1..])? } else { 1 };
        return date_of_quarter(year, number(digits.get(..1)?)?, day).ok();
    }
    let digits: String = rest.chars().filter(|c| *c != '-').collect();
    match (digits.len(), rest.contains('-')) {
        (0, false) => valid_date(year, 1, 1).ok(),
        (2, false) => valid_date(year, number(&digits)?, 1).ok(),
        (3, false) => date_of_ordinal(year, number(&digits)?).ok(),
        (4, _) => valid_date(year, number(&digits[..2])?, number(&digits[2..])?).ok(),
        _ => None,
    }
}
