//! The proleptic Gregorian calendar, in days since 1970.

use crate::error::{Result, argument};

/// Returns the days since 1970 of a date, whose day may lie outside its month.
pub(super) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day.
pub(super) fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

pub(super) fn days_in_year(year: i64) -> i64 {
    days_of(year + 1, 1, 1) - days_of(year, 1, 1)
}

/// 1 for Monday to 7 for Sunday.
pub(super) fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// The Monday of the first week of a week-based year.
pub(super) fn first_monday(year: i64) -> i64 {
    let fourth = days_of(year, 1, 4);
    fourth - (weekday(fourth) - 1)
}

/// The week-based year and the week.
pub(super) fn week_of(days: i64) -> (i64, i64) {
    let (year, _, _) = civil(days);
    let year = if days >= first_monday(year + 1) {
        year + 1
    } else if days < first_monday(year) {
        year - 1
    } else {
        year
    };
    (year, (days - first_monday(year)) / 7 + 1)
}

/// Returns the first day of a quarter, in days since 1970.
pub(super) fn days_in_quarter_before(year: i64, quarter: i64) -> i64 {
    days_of(year, (quarter - 1) * 3 + 1, 1)
}

/// Returns the same day some months later, or the last day of that month.
pub(super) fn add_months(days: i64, months: i64) -> Option<i64> {
    let (year, month, day) = civil(days);
    let total = year.checked_mul(12)?.checked_add(month - 1)?.checked_add(months)?;
    let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
    if year.abs() > 999_999_999 {
        return None;
    }
    Some(days_of(year, month, day.min(days_in_month(year, month))))
}

pub(super) fn within(name: &str, value: i64, least: i64, most: i64) -> Result<i64> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(argument(format!("{name} must be between {least} and {most}, not {value}")))
}

pub(super) fn valid_date(year: i64, month: i64, day: i64) -> Result<i64> {
    within("year", year, -999_999_999, 999_999_999)?;
    within("month", month, 1, 12)?;
    within("day", day, 1, days_in_month(year, month))?;
    Ok(days_of(year, month, day))
}

pub(super) fn date_of_week(year: i64, week: i64, day: i64) -> Result<i64> {
    within("year", year, -999_999_999, 999_999_999)?;
    let weeks = (first_monday(year + 1) - first_monday(year)) / 7;
    within("week", week, 1, weeks)?;
    within("dayOfWeek", day, 1, 7)?;
    Ok(first_monday(year) + (week - 1) * 7 + day - 1)
}

pub(super) fn date_of_quarter(year: i64, quarter: i64, day: i64) -> Result<i64> {
    within("year", year, -999_999_999, 999_999_999)?;
    within("quarter", quarter, 1, 4)?;
    let start = days_in_quarter_before(year, quarter);
    let end = if quarter == 4 { days_of(year + 1, 1, 1) } else { days_in_quarter_before(year, quarter + 1) };
    within("dayOfQuarter", day, 1, end - start)?;
    Ok(start + day - 1)
}

pub(super) fn date_of_ordinal(year: i64, day: i64) -> Result<i64> {
    within("year", year, -999_999_999, 999_999_999)?;
    within("ordinalDay", day, 1, days_in_year(year))?;
    Ok(days_of(year, 1, 1) + day - 1)
}
