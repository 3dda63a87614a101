//! Moments as people type them: `2026-03-01`, `2026-03-01T09:30`, `2026-03-01T09:30:00Z`,
//! `2026-03-01T09:30:00.5+02:00`, `2026` for the start of the year, or milliseconds since 1970. Four digits are a year: as
//! milliseconds they would be a moment of the first ten seconds of 1970.

use std::fmt;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// A moment, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub i64);

/// The last moment that every reader of the database can represent, about 270,000 years from now.
const LAST: i64 = 100_000_000 * 86_400_000;

impl std::str::FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_year = text.len() == 4 && text.bytes().all(|digit| digit.is_ascii_digit());
        let moment = if is_year {
            parse(&format!("{text}-01-01"))
        } else {
            let milliseconds = text.parse::<i64>().ok();
            milliseconds.filter(|moment| (-LAST..=LAST).contains(moment)).or_else(|| parse(text))
        };
        moment.map(Self).ok_or_else(|| {
            format!(
                "{text:?} is not a date or time; write 2026, 2026-03-01, 2026-03-01T09:30:00Z, or milliseconds since 1970"
            )
        })
    }
}

/// Parses a date with an optional time. Without a time zone, it is in UTC.
fn parse(text: &str) -> Option<i64> {
    let zoned = text.parse::<Timestamp>().ok();
    let civil =
        || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|moment| moment.timestamp());
    Some(zoned.or_else(civil)?.as_millisecond())
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_millisecond(self.0) {
            Ok(moment) => moment.fmt(f),
            // Beyond the year 9999.
            Err(_) => self.0.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_they_are_read() {
        for text in ["2026-03-01T09:30:00Z", "1969-12-31T23:59:59.25Z"] {
            assert_eq!(text.parse::<Moment>().map(|moment| moment.to_string()), Ok(text.to_owned()));
        }
        // Beyond the years that have a date.
        assert_eq!(Moment(9_000_000_000_000_000).to_string(), "9000000000000000");
    }

    #[test]
    fn moments_are_read_as_people_type_them() {
        for (text, milliseconds) in [
            ("1970-01-01", 0),
            ("2000-02-29", 951_782_400_000),
            ("2026-03-01T09:30", 1_772_357_400_000),
            ("2026-03-01T09:30:15Z", 1_772_357_415_000),
            ("1772357400000", 1_772_357_400_000),
            ("-5", -5),
            ("1970", 0),
            ("2026", 1_767_225_600_000),
            ("2026-01-01", 1_767_225_600_000),
            ("02026", 2_026),
            ("-2026", -2_026),
            ("20260", 20_260),
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
