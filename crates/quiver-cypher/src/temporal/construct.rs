//! Moments from maps of components.

use super::{
    Kind, Moment, NANOS_PER_SECOND,
    calendar::{
        civil, date_of_ordinal, date_of_quarter, date_of_week, days_in_quarter_before, valid_date, week_of,
        weekday, within,
    },
    parse,
};
use crate::{
    Value,
    error::{Result, argument, wrong_type},
    value::Map,
};

/// Creates a moment of a kind from a text, a map or another moment.
pub(crate) fn construct(kind: Kind, value: &Value) -> Result<Value> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::String(text) => parse::moment(kind, text).map(Value::Moment),
        Value::Moment(moment) => convert(kind, *moment).map(Value::Moment),
        Value::Map(map) => from_map(kind, map, None).map(Value::Moment),
        other => Err(wrong_type(format!(
            "a date or time is created from a string, a map or another date or time, not {}",
            other.type_name()
        ))),
    }
}

/// Keeps the parts that a kind has.
pub(super) fn convert(kind: Kind, moment: Moment) -> Result<Moment> {
    let lacks = |what: &str| argument(format!("{} has no {what}", moment.type_name()));
    let days = match kind {
        Kind::Date | Kind::LocalDateTime | Kind::DateTime => Some(moment.days.ok_or_else(|| lacks("date"))?),
        _ => None,
    };
    let nanos = match kind {
        Kind::Date => None,
        Kind::LocalTime | Kind::Time => Some(moment.nanos.ok_or_else(|| lacks("time"))?),
        _ => Some(moment.nanos.unwrap_or_default()),
    };
    let offset = matches!(kind, Kind::Time | Kind::DateTime).then(|| moment.offset.unwrap_or_default());
    Ok(Moment { days, nanos, offset })
}

struct Components<'a>(&'a Map);

impl Components<'_> {
    fn integer(&self, name: &str) -> Result<Option<i64>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Integer(value)) => Ok(Some(*value)),
            Some(other) => Err(wrong_type(format!("{name} must be an integer, not {}", other.type_name()))),
        }
    }

    fn moment(&self, name: &str) -> Result<Option<Moment>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Moment(moment)) => Ok(Some(*moment)),
            Some(other) => {
                Err(wrong_type(format!("{name} must be a date or time, not {}", other.type_name())))
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }
}

const COMPONENTS: &[&str] = &[
    "date",
    "time",
    "datetime",
    "year",
    "month",
    "day",
    "week",
    "dayOfWeek",
    "quarter",
    "dayOfQuarter",
    "ordinalDay",
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "nanosecond",
    "timezone",
    "epochSeconds",
    "epochMillis",
];

/// Creates a moment from components. Missing ones are taken from `base`, or else are the lowest possible.
pub(super) fn from_map(kind: Kind, map: &Map, base: Option<Moment>) -> Result<Moment> {
    if let Some(unknown) = map.keys().find(|key| !COMPONENTS.contains(&key.as_str())) {
        let hint = crate::nearest(unknown, COMPONENTS.iter().copied());
        let hint = hint.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
        return Err(argument(format!("dates and times have no component {unknown:?}{hint}")));
    }
    let components = Components(map);
    let zone = match map.get("timezone") {
        None | Some(Value::Null) => None,
        Some(Value::String(zone)) => Some(parse::offset(zone)?),
        Some(other) => {
            return Err(wrong_type(format!("timezone must be a string, not {}", other.type_name())));
        }
    };
    for (name, nanos) in [("epochSeconds", i128::from(NANOS_PER_SECOND)), ("epochMillis", 1_000_000)] {
        if let Some(count) = components.integer(name)? {
            let more = components.integer("nanosecond")?.unwrap_or_default();
            let moment = Moment::from_unix_nanos(i128::from(count) * nanos + i128::from(more));
            return convert(kind, zone.map_or(moment, |zone| moment.with_offset(zone)));
        }
    }
    let whole = components.moment("datetime")?;
    let with_zone = matches!(kind, Kind::Time | Kind::DateTime);
    let mut time_base = components.moment("time")?.or(whole).or(base);
    let date_base = components.moment("date")?.or(whole).or(base);
    let inherited = time_base.and_then(|moment| moment.offset);
    if let (Some(moment), Some(zone), true) = (time_base, zone, with_zone)
        && moment.offset.is_some()
        && moment.nanos.is_some()
    {
        time_base = Some(moment.with_offset(zone));
    }
    let mut found = Moment { days: None, nanos: None, offset: None };
    if !matches!(kind, Kind::LocalTime | Kind::Time) {
        // A new offset may change the date of a base that gives both date and time.
        let shifted = whole.or(base).filter(|_| !components.has("date") && !components.has("time"));
        let date_base = match (shifted, zone, with_zone) {
            (Some(moment), Some(zone), true) if moment.offset.is_some() => Some(moment.with_offset(zone)),
            _ => date_base,
        };
        found.days = Some(date(&components, date_base.and_then(|moment| moment.days))?);
    }
    if kind != Kind::Date {
        found.nanos = Some(time(&components, time_base.and_then(|moment| moment.nanos))?);
    }
    if with_zone {
        found.offset = Some(zone.or(inherited).unwrap_or_default());
    }
    Ok(found)
}

fn date(components: &Components<'_>, base: Option<i64>) -> Result<i64> {
    let year = components.integer("year")?;
    let of_base = base.map(civil);
    let no_year = || argument("a date requires a year");
    if components.has("week") || (components.has("dayOfWeek") && base.is_some()) {
        let (base_year, base_week) = base.map(week_of).unzip();
        let year = year.or(base_year).ok_or_else(no_year)?;
        let week = components.integer("week")?.or(base_week).unwrap_or(1);
        return date_of_week(year, week, components.integer("dayOfWeek")?.or(base.map(weekday)).unwrap_or(1));
    }
    let plain_year = year.or(of_base.map(|(year, ..)| year)).ok_or_else(no_year)?;
    if components.has("quarter") || components.has("dayOfQuarter") {
        let base_quarter = of_base.map(|(_, month, _)| (month - 1) / 3 + 1);
        let quarter = components.integer("quarter")?.or(base_quarter).unwrap_or(1);
        let base_day = base.zip(of_base).zip(base_quarter);
        let base_day =
            base_day.map(|((days, (year, ..)), quarter)| days - days_in_quarter_before(year, quarter) + 1);
        return date_of_quarter(
            plain_year,
            quarter,
            components.integer("dayOfQuarter")?.or(base_day).unwrap_or(1),
        );
    }
    if let Some(day) = components.integer("ordinalDay")? {
        return date_of_ordinal(plain_year, day);
    }
    let month = components.integer("month")?.or(of_base.map(|(_, month, _)| month)).unwrap_or(1);
    let day = components.integer("day")?.or(of_base.map(|(.., day)| day)).unwrap_or(1);
    valid_date(plain_year, month, day)
}

fn time(components: &Components<'_>, base: Option<i64>) -> Result<i64> {
    let base = base.unwrap_or_default();
    let part = |name: &str, divisor: i64, modulus: i64| -> Result<i64> {
        let given = components.integer(name)?.unwrap_or(base / divisor % modulus);
        within(name, given, 0, modulus - 1)
    };
    let hour = part("hour", 3600 * NANOS_PER_SECOND, 24)?;
    let minute = part("minute", 60 * NANOS_PER_SECOND, 60)?;
    let second = part("second", NANOS_PER_SECOND, 60)?;
    let nanos = if ["millisecond", "microsecond", "nanosecond"].iter().any(|name| components.has(name)) {
        let milliseconds = components.integer("millisecond")?;
        let microseconds = components.integer("microsecond")?;
        let nanoseconds = components.integer("nanosecond")?;
        within("millisecond", milliseconds.unwrap_or_default(), 0, 999)?;
        let most = if milliseconds.is_some() { 999 } else { 999_999 };
        within("microsecond", microseconds.unwrap_or_default(), 0, most)?;
        let most = if microseconds.is_some() {
            999
        } else if milliseconds.is_some() {
            999_999
        } else {
            999_999_999
        };
        within("nanosecond", nanoseconds.unwrap_or_default(), 0, most)?;
        // Units finer than the finest given component are kept from the base.
        let kept = match (milliseconds, microseconds, nanoseconds) {
            (None, None, Some(fine)) if fine < 1000 => base % NANOS_PER_SECOND - base % 1000,
            (_, _, Some(_)) => 0,
            (None, Some(fine), None) if fine < 1000 => {
                base % NANOS_PER_SECOND / 1_000_000 * 1_000_000 + base % 1000
            }
            (_, Some(_), None) => base % 1000,
            _ => base % 1_000_000,
        };
        milliseconds.unwrap_or_default() * 1_000_000
            + microseconds.unwrap_or_default() * 1000
            + nanoseconds.unwrap_or_default()
            + kept
    } else {
        base % NANOS_PER_SECOND
    };
    Ok(((hour * 60 + minute) * 60 + second) * NANOS_PER_SECOND + nanos)
}
