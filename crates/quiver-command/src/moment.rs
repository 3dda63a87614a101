//! Parses moments: `2026-03-01`, `2026-03-01T09:30`, `2026-03-01T09:30:00Z`, `2026-03-01T09:30:00.5+02:00`, or
//! milliseconds since 1970.

use quiver::calendar::days_since_1970;

/// A moment given by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) i64);

const DAY: i64 = 86_400_000;
/// The last moment that every backend stores exactly, some 270,000 years from now.
const LAST: i64 = 100_000_000 * DAY;

impl std::str::FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let milliseconds = text.parse::<i64>().ok().filter(|moment| (-LAST..=LAST).contains(moment));
        milliseconds.or_else(|| parse(text)).map(Self).ok_or_else(|| {
            format!(
                "{text:?} is no moment; write 2026-03-01, 2026-03-01T09:30:00Z, or milliseconds since 1970"
            )
        })
    }
}

fn parse(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let mut date = date.splitn(3, '-');
    let (year, month, day) = (number(date.next()?, 4)?, number(date.next()?, 2)?, number(date.next()?, 2)?);
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    let (time, offset) = zone(time)?;
    let mut time = time.splitn(3, ':');
    let (hour, minute) = (number(time.next()?, 2)?, number(time.next()?, 2)?);
    let second = time.next().unwrap_or("00");
    let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
    let (second, fraction) = (number(second, 2)?, milliseconds(fraction)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let minutes = hour * 60 + minute - offset;
    Some(days_since_1970(year, month, day) * DAY + (minutes * 60 + second) * 1000 + fraction)
}

/// Splits off the time zone and returns its offset from UTC in minutes.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix('Z') {
        return Some((time, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (hours, minutes) = time[at + 1..].split_once(':')?;
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    let ahead = Some(hours * 60 + minutes).filter(|_| hours < 24 && minutes < 60)?;
    Some((&time[..at], if time[at..].starts_with('-') { -ahead } else { ahead }))
}

/// Parses a fraction of a second into milliseconds.
fn milliseconds(fraction: &str) -> Option<i64> {
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{fraction:0<3}")[..3].parse().ok()
}

fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_type_them() {
        for (text, milliseconds) in [
            ("1970-01-01", 0),
            ("2000-02-29", 951_782_400_000),
            ("2026-03-01T09:30", 1_772_357_400_000),
            ("2026-03-01T09:30:15Z", 1_772_357_415_000),
            ("1772357400000", 1_772_357_400_000),
            ("-5", -5),
            ("2026-03-01T09:30:15.25Z", 1_772_357_415_250),
            ("2026-03-01T09:30:15.1239Z", 1_772_357_415_123),
            ("2026-03-01T11:30+02:00", 1_772_357_400_000),
            ("2026-02-28T23:30:00.000-10:00", 1_772_357_400_000),
        ] {
            assert_eq!(text.parse(), Ok(Moment(milliseconds)), "{text}");
        }
        for text in ["tomorrow", "2026-02-29", "2026-13-01", "2026-1-1", "2026-01-01T24:00", ""] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
        for text in ["9000000000000000", "2026-01-01T10:00:0x", "2026-01-01T10:00:00.x", "2026-01-01T10:00+2"]
        {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}
