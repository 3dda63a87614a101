//! Calendar dates as days since 1970, without time zones.

/// Returns the number of days from 1 January 1970 to a date of the proleptic Gregorian calendar. Months and days are
/// counted from 1. A day beyond the end of its month rolls over into the next month.
pub fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Count years from March, so that the leap day is the last day of a year.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, month) = (year.div_euclid(400), (month + 9) % 12);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}
