//! Dates as moments, without time zones.

/// Counts the days from 1 January 1970 to a date of the proleptic Gregorian calendar; months and days count from 1, and
/// a day beyond the end of its month lies in the next.
pub fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // In years that begin in March, so that leap days end them.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, month) = (year.div_euclid(400), (month + 9) % 12);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}
