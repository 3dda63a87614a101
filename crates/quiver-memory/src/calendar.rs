//! Dates of the proleptic Gregorian calendar in UTC, as milliseconds since 1970.

use quiver_language::Language;

/// The length of a day in milliseconds.
pub const DAY: i64 = 86_400_000;

/// The English names of the months, in order.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Returns the start of a day. A month greater than 12 rolls over into the next year, and a day beyond the end of its
/// month into the next month.
///
/// The algorithm is Howard Hinnant's `days_from_civil`.
pub fn from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    (era * 146_097 + days - 719_468) * DAY
}

/// Returns the year, month and day of a timestamp.
pub fn to_civil(moment: i64) -> (i64, i64, i64) {
    let days = moment.div_euclid(DAY) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Returns the weekday of a timestamp, with Monday as 0.
pub fn weekday(moment: i64) -> i64 {
    (moment.div_euclid(DAY) + 3).rem_euclid(7)
}

/// Returns whether a lower-case word is the full English name of a month.
pub(crate) fn is_month(lower: &str) -> bool {
    Language::English.month_name(lower) == Some(lower)
}

/// Returns the weekday of which a lower-case word is the full English name, with Monday as 0.
pub(crate) fn weekday_named(lower: &str) -> Option<i64> {
    let weekday = Language::English.weekday(lower).map(|weekday| i64::from(weekday) - 1);
    weekday.filter(|_| Language::English.weekday_name(lower) == Some(lower))
}

/// Formats a date in words for the search index: `8 May 2023`.
pub fn in_words(moment: i64) -> String {
    let (year, month, day) = to_civil(moment);
    let month = usize::try_from(month - 1).expect("a month is one of twelve");
    format!("{day} {} {year}", MONTHS[month])
}

/// Formats a date in digits for display: `2023-05-08`.
pub fn in_digits(moment: i64) -> String {
    let (year, month, day) = to_civil(moment);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_go_to_dates_and_back() {
        for day in (-800_000..800_000).step_by(37) {
            let (year, month, date) = to_civil(day * DAY);
            assert_eq!(from_civil(year, month, date), day * DAY);
        }
        assert_eq!(in_words(from_civil(2024, 2, 29)), "29 February 2024");
        assert_eq!(in_digits(from_civil(2023, 5, 8) + DAY - 1), "2023-05-08");
        assert_eq!(from_civil(2023, 13, 1), from_civil(2024, 1, 1));
        assert_eq!(weekday(from_civil(2026, 11, 23)), 0);
    }

    #[test]
    fn only_full_names_are_names_of_months_and_weekdays() {
        assert!(MONTHS.iter().all(|month| is_month(&month.to_lowercase())));
        assert!(!is_month("sept") && !is_month("monday"));
        let named = ["monday", "sunday", "mon", "sun", "may"].map(weekday_named);
        assert_eq!(named, [Some(0), Some(6), None, None, None]);
    }
}
