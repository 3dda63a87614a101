//! Resolves time expressions relative to the time of utterance.

use jiff::{
    Span, Timestamp,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

use super::{
    Direction, Named, Part, Period, Precision, Season, Shift, TimeExpression, TimeRange, TimeRelation, Unit,
};

/// A half-open range of times and its precision.
type Stretch = (DateTime, DateTime, Precision);

impl TimeExpression {
    /// Resolves the time expression for the given time of utterance, in milliseconds since 1970.
    ///
    /// A time without a year or week is resolved in the given direction. If the direction is
    /// [`Nearest`](Direction::Nearest), "since" looks back, and "until" and "by" look ahead. Returns `None` if the
    /// calendar can't resolve it: an event, a weekday without a direction, or a date that does not exist.
    pub fn resolve(&self, said_at: i64, direction: Direction) -> Option<TimeRange> {
        let now = Timestamp::from_millisecond(said_at).ok()?.to_zoned(TimeZone::UTC).datetime();
        let direction = match (direction, self.relation) {
            (Direction::Nearest, TimeRelation::Since) => Direction::Past,
            (Direction::Nearest, TimeRelation::Until | TimeRelation::By) => Direction::Future,
            (direction, _) => direction,
        };
        let (start, end, precision) = resolve(&self.first, now, direction)?;
        let (end, precision) = match &self.last {
            // The end of a range is resolved to its first occurrence after the start.
            Some(last) => {
                let (_, end, other) = resolve(last, start, Direction::Future)?;
                (end, precision.min(other))
            }
            None => (end, precision),
        };
        let millisecond =
            |time: DateTime| time.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp().as_millisecond());
        let range = TimeRange { start: millisecond(start)?, end: millisecond(end)?, precision };
        (range.start < range.end).then_some(range)
    }
}

fn resolve(period: &Period, now: DateTime, direction: Direction) -> Option<Stretch> {
    let today = now.date();
    match period {
        Period::Date { year, month, day } => {
            let date = date(*year, *month, *day, today, direction)?;
            Some(days(date, plus_days(date, 1)?, Precision::Day))
        }
        Period::Month { year, month } => {
            let year = year.or_else(|| nearest_year(today, direction, |year| month_of(year, *month)))?;
            month_of(year, *month)
        }
        Period::Quarter { year, quarter } => {
            let year = year.or_else(|| nearest_year(today, direction, |year| quarter_of(year, *quarter)))?;
            quarter_of(year, *quarter)
        }
        Period::Season { year, season } => season_of(*year, *season),
        Period::Years { from, to } => {
            let precision = match to - from {
                1 => Precision::Year,
                10 => Precision::Decade,
                _ => Precision::Century,
            };
            Some(days(Date::new(*from, 1, 1).ok()?, Date::new(*to, 1, 1).ok()?, precision))
        }
        Period::Weekday(weekday) => {
            let shift = match direction {
                Direction::Past => Shift::Last,
                Direction::Future => Shift::Next,
                Direction::Nearest => return None,
            };
            named(Named::Weekday(*weekday), shift, today)
        }
        Period::Shifted { shift, of } => named(*of, *shift, today),
        Period::Unit { unit, shift } => unit_of(*unit, i64::from(*shift), now),
        Period::Away { unit, count } => away(*unit, i64::from(*count), now, direction),
        Period::Stretch { unit, count } => {
            let other = moved(now, *unit, i64::from(*count))?;
            let precision = precision(*unit);
            Some(if other < now { (other, now, precision) } else { (now, other, precision) })
        }
        Period::Part { part, of } => {
            let (start, end, precision) = resolve(of, now, direction)?;
            let third = end.duration_since(start) / 3;
            let (start, end) = match part {
                Part::Early => (start, start.checked_add(third).ok()?),
                Part::Middle => (start.checked_add(third).ok()?, end.checked_sub(third).ok()?),
                Part::Late => (end.checked_sub(third).ok()?, end),
            };
            Some((start, end, precision))
        }
        Period::Clock { day, minutes, precision } => {
            let (start, ..) = resolve(day, now, direction)?;
            let start = start.checked_add(Span::new().minutes(i64::from(*minutes))).ok()?;
            let length = if *precision == Precision::Hour { 60 } else { 1 };
            Some((start, start.checked_add(Span::new().minutes(length)).ok()?, *precision))
        }
        Period::Event => None,
    }
}

fn days(start: Date, end: Date, precision: Precision) -> Stretch {
    (start.to_datetime(Time::midnight()), end.to_datetime(Time::midnight()), precision)
}

fn plus_days(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Span::new().try_days(days).ok()?).ok()
}

/// Returns a date, resolving an omitted year by the direction.
fn date(year: Option<i16>, month: Option<i8>, day: i8, today: Date, direction: Direction) -> Option<Date> {
    let month = month?;
    let year = year.or_else(|| {
        nearest_year(today, direction, |year| {
            let date = Date::new(year, month, day).ok()?;
            Some(days(date, plus_days(date, 1)?, Precision::Day))
        })
    })?;
    Date::new(year, month, day).ok()
}

/// Returns the year whose occurrence of a yearly period is nearest in a direction.
fn nearest_year(today: Date, direction: Direction, of: impl Fn(i16) -> Option<Stretch>) -> Option<i16> {
    let this = today.year();
    let years = [this - 1, this, this + 1].into_iter();
    let periods: Vec<(i16, Date, Date)> =
        years.filter_map(|year| of(year).map(|(start, end, _)| (year, start.date(), end.date()))).collect();
    let found = match direction {
        Direction::Past => periods.iter().rev().find(|(_, start, _)| *start <= today),
        Direction::Future => periods.iter().find(|(.., end)| *end > today),
        Direction::Nearest => periods.iter().min_by_key(|(_, start, end)| {
            let before = (*start - today).get_days();
            let after = (today - *end).get_days();
            before.max(after).max(0)
        }),
    };
    found.map(|(year, ..)| *year)
}

fn month_of(year: i16, month: i8) -> Option<Stretch> {
    let start = Date::new(year, month, 1).ok()?;
    Some(days(start, start.checked_add(Span::new().months(1)).ok()?, Precision::Month))
}

fn quarter_of(year: i16, quarter: i8) -> Option<Stretch> {
    let start = Date::new(year, quarter * 3 - 2, 1).ok()?;
    Some(days(start, start.checked_add(Span::new().months(3)).ok()?, Precision::Quarter))
}

/// Returns a season in the northern hemisphere. Winter starts in the given year.
fn season_of(year: i16, season: Season) -> Option<Stretch> {
    let month = match season {
        Season::Spring => 3,
        Season::Summer => 6,
        Season::Autumn => 9,
        Season::Winter => 12,
    };
    let start = Date::new(year, month, 1).ok()?;
    Some(days(start, start.checked_add(Span::new().months(3)).ok()?, Precision::Season))
}

/// "last Monday" is the one before today, "next May" the first that has not started, "this Friday" the one of this
/// week.
fn named(of: Named, shift: Shift, today: Date) -> Option<Stretch> {
    let stretch = |year: i16| match of {
        Named::Month(month) => month_of(year, month),
        Named::Season(season) => season_of(year, season),
        Named::Weekday(_) => None,
    };
    match (of, shift) {
        (Named::Weekday(weekday), _) => {
            let monday = plus_days(today, -i64::from(today.weekday().to_monday_zero_offset()))?;
            let this = plus_days(monday, i64::from(weekday) - 1)?;
            let date = match shift {
                Shift::Last if this >= today => plus_days(this, -7)?,
                Shift::Next if this <= today => plus_days(this, 7)?,
                _ => this,
            };
            Some(days(date, plus_days(date, 1)?, Precision::Day))
        }
        (_, Shift::This) => {
            let current = [today.year() - 1, today.year()].into_iter().filter_map(stretch);
            current.into_iter().find(|(_, end, _)| end.date() > today).or_else(|| stretch(today.year()))
        }
        (_, Shift::Last) => {
            let years = [today.year(), today.year() - 1, today.year() - 2].into_iter();
            years.filter_map(stretch).find(|(_, end, _)| end.date() <= today)
        }
        (_, Shift::Next) => {
            let years = [today.year(), today.year() + 1].into_iter();
            years.filter_map(stretch).find(|(start, ..)| start.date() > today)
        }
    }
}

fn precision(unit: Unit) -> Precision {
    match unit {
        Unit::Minute => Precision::Minute,
        Unit::Hour => Precision::Hour,
        Unit::Day => Precision::Day,
        Unit::Week | Unit::Weekend => Precision::Week,
        Unit::Month => Precision::Month,
        Unit::Quarter => Precision::Quarter,
        Unit::Year => Precision::Year,
        Unit::Decade => Precision::Decade,
    }
}

/// Returns the time a number of units from another.
fn moved(now: DateTime, unit: Unit, count: i64) -> Option<DateTime> {
    let span = match unit {
        Unit::Minute => Span::new().try_minutes(count),
        Unit::Hour => Span::new().try_hours(count),
        Unit::Day => Span::new().try_days(count),
        Unit::Week | Unit::Weekend => Span::new().try_weeks(count),
        Unit::Month => Span::new().try_months(count),
        Unit::Quarter => Span::new().try_months(count * 3),
        Unit::Year => Span::new().try_years(count),
        Unit::Decade => Span::new().try_years(count * 10),
    };
    now.checked_add(span.ok()?).ok()
}

/// Returns the calendar unit that is a number of units from a time.
fn unit_of(unit: Unit, shift: i64, now: DateTime) -> Option<Stretch> {
    let date = moved(now, unit, shift)?.date();
    let monday = plus_days(date, -i64::from(date.weekday().to_monday_zero_offset()))?;
    let (start, end) = match unit {
        Unit::Minute | Unit::Hour => return None,
        Unit::Day => (date, plus_days(date, 1)?),
        Unit::Week => (monday, plus_days(monday, 7)?),
        Unit::Weekend => (plus_days(monday, 5)?, plus_days(monday, 7)?),
        Unit::Month => return month_of(date.year(), date.month()),
        Unit::Quarter => return quarter_of(date.year(), (date.month() + 2) / 3),
        Unit::Year => (Date::new(date.year(), 1, 1).ok()?, Date::new(date.year() + 1, 1, 1).ok()?),
        Unit::Decade => {
            let first = date.year() - date.year() % 10;
            (Date::new(first, 1, 1).ok()?, Date::new(first + 10, 1, 1).ok()?)
        }
    };
    Some(days(start, end, precision(unit)))
}

/// Returns the period around a time that is a number of units away, as long as the unit. "two weeks ago" is the seven
/// days centred on that day; "two years ago" is that calendar year.
fn away(unit: Unit, count: i64, now: DateTime, direction: Direction) -> Option<Stretch> {
    // "She did it in two weeks" is a duration.
    if count > 0 && direction == Direction::Past {
        return None;
    }
    let moment = moved(now, unit, count)?;
    match unit {
        Unit::Minute | Unit::Hour => Some((moment, moved(moment, unit, 1)?, precision(unit))),
        Unit::Week => {
            let day = moment.date();
            Some(days(plus_days(day, -3)?, plus_days(day, 4)?, Precision::Week))
        }
        _ => unit_of(unit, count, now),
    }
}
