//! Moments as people type them: `2026-03-01`, `2026-03-01T09:30`, `2026-03-01T09:30:00Z`, or milliseconds since 1970.

use quiver::calendar::days_since_1970;

/// A moment that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) i64);

const DAY: i64 = 86_400_000;

impl std::str::FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(milliseconds) = text.parse() {
            return Ok(Self(milliseconds));
        }
        parse(text).map(Self).ok_or_else(|| {
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
    let time = time.strip_suffix('Z').unwrap_or(time);
    let mut time = time.splitn(3, ':');
    let (hour, minute) = (number(time.next()?, 2)?, number(time.next()?, 2)?);
    let second = time.next().map_or(Some(0), |second| number(second, 2))?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(days_since_1970(year, month, day) * DAY + ((hour * 60 + minute) * 60 + second) * 1000)
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
        ] {
            assert_eq!(text.parse(), Ok(Moment(milliseconds)), "{text}");
        }
        for text in ["tomorrow", "2026-02-29", "2026-13-01", "2026-1-1", "2026-01-01T24:00", ""] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}
