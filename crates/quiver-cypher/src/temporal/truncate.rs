//! Truncation to a unit.

use super::{
    Kind, Moment, NANOS_PER_SECOND,
    calendar::{civil, days_of, first_monday, week_of, weekday},
    construct::{convert, from_map},
};
use crate::{
    error::{Result, argument},
    value::Map,
};

/// Sets everything below a unit to its lowest value, then the given components.
pub(crate) fn truncate(kind: Kind, unit: &str, moment: Moment, components: &Map) -> Result<Moment> {
    let mut cut = moment;
    let unit = unit.to_ascii_lowercase();
    let of_date = matches!(
        unit.as_str(),
        "millennium" | "century" | "decade" | "year" | "weekyear" | "quarter" | "month" | "week" | "day"
    );
    if of_date {
        let wrong = || argument(format!("{} has no {unit}", moment.type_name()));
        match moment.days {
            Some(days) => cut.days = Some(truncate_date(&unit, days)),
            None if unit != "day" => return Err(wrong()),
            None => {}
        }
        if cut.nanos.is_some() {
            cut.nanos = Some(0);
        }
    } else {
        let step = match unit.as_str() {
            "hour" => 3600 * NANOS_PER_SECOND,
            "minute" => 60 * NANOS_PER_SECOND,
            "second" => NANOS_PER_SECOND,
            "millisecond" => 1_000_000,
            "microsecond" => 1000,
            _ => return Err(argument(format!("{unit:?} is not a unit of time"))),
        };
        let Some(nanos) = moment.nanos else {
            return Err(argument(format!("{} has no {unit}", moment.type_name())));
        };
        cut.nanos = Some(nanos - nanos % step);
    }
    let mut cut = convert(kind, cut)?;
    if components.is_empty() {
        return Ok(cut);
    }
    // A given offset replaces the offset and keeps the local time.
    if components.contains_key("timezone") {
        cut.offset = None;
    }
    from_map(kind, components, Some(cut))
}

fn truncate_date(unit: &str, days: i64) -> i64 {
    let (year, month, _) = civil(days);
    match unit {
        "millennium" => days_of(year.div_euclid(1000) * 1000, 1, 1),
        "century" => days_of(year.div_euclid(100) * 100, 1, 1),
        "decade" => days_of(year.div_euclid(10) * 10, 1, 1),
        "year" => days_of(year, 1, 1),
        "weekyear" => first_monday(week_of(days).0),
        "quarter" => days_of(year, (month - 1) / 3 * 3 + 1, 1),
        "month" => days_of(year, month, 1),
        "week" => days - (weekday(days) - 1),
        _ => days,
    }
}
