//! Finds time expressions.

use std::ops::Range;

use super::{Named, Part, Period, Precision, Season, Shift, TimeExpression, TimeRelation, Unit};
use crate::{
    number::{as_day, as_year, number_word},
    pack::{self, Class, Kind, Language},
    text::Text,
    token::{Shape, Token},
};

/// A reader for one sentence.
pub(super) struct Reader<'r, 't> {
    text: &'r Text<'t>,
    sentence: Range<usize>,
}

/// A parsed period, the end of its range if any, and the token after it.
struct Found {
    first: Period,
    last: Option<Period>,
    end: usize,
    /// Whether the words are a time expression in any context, not just after a preposition such as "in" or
    /// "since".
    is_plain: bool,
}

impl Found {
    fn plain(first: Period, end: usize) -> Self {
        Self { first, last: None, end, is_plain: true }
    }

    fn needs_preposition(first: Period, end: usize) -> Self {
        Self { first, last: None, end, is_plain: false }
    }
}

impl Period {
    fn is_day(&self) -> bool {
        match self {
            Self::Date { .. } | Self::Weekday(_) | Self::Shifted { of: Named::Weekday(_), .. } => true,
            Self::Unit { unit, .. } | Self::Away { unit, .. } => *unit == Unit::Day,
            _ => false,
        }
    }
}

impl<'r, 't> Reader<'r, 't> {
    pub(super) fn new(text: &'r Text<'t>, sentence: Range<usize>) -> Self {
        Self { text, sentence }
    }

    pub(super) fn read(&self) -> Vec<TimeExpression> {
        let mut found = Vec::new();
        let mut at = self.sentence.start;
        while at < self.sentence.end {
            let (expression, end) = match self.expression(at) {
                Some((expression, end)) => (Some(expression), end),
                None => (None, at + 1),
            };
            found.extend(expression);
            at = end;
        }
        found
    }

    fn expression(&self, at: usize) -> Option<(TimeExpression, usize)> {
        // "every Monday" is not a single time.
        if at > self.sentence.start && matches!(self.word(at - 1), "every" | "each" | "per") {
            return None;
        }
        let english = self.text.language == Language::English;
        let (relation, from) = if english { self.relation(at) } else { (None, at) };
        let found = match self.word(at) {
            "between" if english => self.joined(from, &["and"]),
            "in" if english => self.ahead(from).or_else(|| self.range(from, relation)),
            _ => self.range(from, relation),
        };
        let Some(found) = found.filter(|found| found.is_plain || relation.is_some()) else {
            return self.event(at, from, relation?);
        };
        let opens = matches!(relation, None | Some(TimeRelation::Starting | TimeRelation::During));
        let onward = opens && found.last.is_none() && matches!(self.word(found.end), "onward" | "onwards");
        let relation = match relation {
            _ if onward => TimeRelation::Starting,
            Some(TimeRelation::Starting) if found.last.is_some() => TimeRelation::During,
            relation => relation.unwrap_or(TimeRelation::During),
        };
        let end = found.end + usize::from(onward);
        let range = self.text.tokens[at].range.start..self.text.tokens[end - 1].range.end;
        Some((TimeExpression { range, relation, event: None, first: found.first, last: found.last }, end))
    }

    /// Parses the relation at a token. Returns it with the token after it.
    fn relation(&self, at: usize) -> (Option<TimeRelation>, usize) {
        use TimeRelation::{After, Before, By, During, Since, Starting, Until};
        let (relation, length) = match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("no", "later", "than") => (By, 3),
            // "not until" then means "from then on".
            ("as" | "effective", "of" | "from", _)
            | ("effective", "on", _)
            | ("starting" | "beginning", "from" | "on" | "in" | "with" | "at", _)
            | ("not", "until" | "before", _) => (Starting, 2),
            ("starting" | "beginning" | "effective" | "from", ..) => (Starting, 1),
            ("up", "to" | "until", _) => (Until, 2),
            ("prior", "to", _) => (Before, 2),
            ("since", ..) => (Since, 1),
            ("until" | "till" | "through", ..) => (Until, 1),
            ("by", ..) => (By, 1),
            ("before", ..) => (Before, 1),
            ("after", ..) => (After, 1),
            ("in" | "on" | "at" | "during" | "between" | "around" | "throughout" | "for" | "of", ..) => {
                (During, 1)
            }
            _ => return (None, at),
        };
        (Some(relation), at + length)
    }

    /// Parses a period, or two periods joined by "to" or a dash.
    fn range(&self, at: usize, relation: Option<TimeRelation>) -> Option<Found> {
        let opens = matches!(relation, None | Some(TimeRelation::Starting | TimeRelation::During));
        let joined = if opens { self.joined(at, &["to", "until", "till", "through", "–"]) } else { None };
        joined.or_else(|| self.period(at))
    }

    /// Parses two periods joined by one of the given words.
    fn joined(&self, at: usize, words: &[&str]) -> Option<Found> {
        let first = self.period(at)?;
        if first.last.is_some() {
            return Some(first);
        }
        let dash = first.end < self.sentence.end
            && words.contains(&"–")
            && matches!(self.text.gap_before(first.end).trim(), "–" | "-" | "—");
        let next = if dash { first.end } else { first.end + 1 };
        let last = self
            .period(next)
            .filter(|last| dash || words.contains(&self.word(first.end)) && last.last.is_none())?;
        Some(Found {
            first: with_year_of(first.first, &last.first),
            last: Some(last.first),
            end: last.end,
            is_plain: first.is_plain && last.is_plain,
        })
    }

    /// Parses "two weeks" in "in two weeks".
    fn ahead(&self, at: usize) -> Option<Found> {
        let (count, unit, end) = self.count_of_units(at)?;
        let other = matches!(self.word(end), "ago" | "of") || self.word(end) == "from";
        (!other).then(|| Found::plain(Period::Away { unit, count }, end))
    }

    fn period(&self, at: usize) -> Option<Found> {
        if let Some(found) = self.day_or_longer(at) {
            return Some(self.with_clock(found));
        }
        if self.text.language != Language::English {
            return None;
        }
        let (minutes, precision, end) = self.clock(at)?;
        let clock = |day: Period| Period::Clock { day: Box::new(day), minutes, precision };
        let day_at = if self.word(end) == "on" { end + 1 } else { end };
        match self.day_or_longer(day_at).filter(|found| found.last.is_none() && found.first.is_day()) {
            Some(day) => Some(Found::plain(clock(day.first), day.end)),
            None => Some(Found::needs_preposition(clock(Period::Unit { unit: Unit::Day, shift: 0 }), end)),
        }
    }

    /// Adds the time of day that follows a day: "tomorrow at 3 pm".
    fn with_clock(&self, found: Found) -> Found {
        if found.last.is_some() || !found.first.is_day() {
            return found;
        }
        let is_part = matches!(self.word(found.end), "morning" | "afternoon" | "evening" | "night");
        let end = found.end + usize::from(is_part && self.near(found.end));
        let at = end + usize::from(self.word(end) == "at");
        match self.clock(at).filter(|_| self.near(end)) {
            Some((minutes, precision, end)) => {
                let first = Period::Clock { day: Box::new(found.first), minutes, precision };
                Found { first, end, ..found }
            }
            None => Found { end, ..found },
        }
    }

    fn day_or_longer(&self, at: usize) -> Option<Found> {
        if self.text.language != Language::English {
            return self.date(at).filter(|found| matches!(found.first, Period::Date { year: Some(_), .. }));
        }
        let bare = at + usize::from(self.word(at) == "the");
        self.part(bare)
            .or_else(|| self.weekday(bare))
            .or_else(|| self.date(bare))
            .or_else(|| self.quarter_or_season(bare))
            .or_else(|| self.years(bare))
            .or_else(|| self.relative_day(bare))
            .or_else(|| self.shifted(bare))
            .or_else(|| self.away(at))
    }

    /// Parses "early May", "mid-2023", "the end of next week".
    fn part(&self, at: usize) -> Option<Found> {
        let (part, from) = match (self.word(at), self.word(at + 1)) {
            ("beginning" | "start", "of") => (Part::Early, at + 2),
            ("middle", "of") => (Part::Middle, at + 2),
            ("end", "of") => (Part::Late, at + 2),
            ("early", _) => (Part::Early, at + 1),
            ("mid", _) => (Part::Middle, at + 1),
            ("late", _) => (Part::Late, at + 1),
            (word, _) => {
                // "mid-May" is one token.
                let of = word.strip_prefix("mid-")?;
                let month = pack::month(of)
                    .map(|month| Period::Month { year: self.year(at + 1), month: signed(month) });
                let year = as_year(of).map(|year| Period::Years { from: year, to: year + 1 });
                let end = at + 1 + usize::from(month.is_some() && self.year(at + 1).is_some());
                let of = month.or(year)?;
                return Some(Found::plain(Period::Part { part: Part::Middle, of: Box::new(of) }, end));
            }
        };
        let this = self.word(from) == "the";
        // "the end of the month" refers to the current month.
        let unit =
            self.unit(from + 1).filter(|unit| this && *unit >= Unit::Week && self.word(from + 2) != "of");
        let of = match unit {
            Some(unit) => Found::plain(Period::Unit { unit, shift: 0 }, from + 2),
            None => self.day_or_longer(from)?,
        };
        let long = of.last.is_none()
            && !of.first.is_day()
            && !matches!(of.first, Period::Part { .. } | Period::Stretch { .. });
        long.then(|| Found::plain(Period::Part { part, of: Box::new(of.first) }, of.end))
    }

    /// Parses "Monday", "Monday, 3 May".
    fn weekday(&self, at: usize) -> Option<Found> {
        let day = self.weekday_at(at)?;
        let next = at + 1;
        if let Some(date) =
            self.date(next).filter(|date| self.near(next) && date.last.is_none() && date.first.is_day())
        {
            return Some(date);
        }
        // "Good Friday" and "Monday Night" are names. After a preposition, the next word is the subject: "since
        // Monday Lena".
        let led = at > self.sentence.start && self.text.tokens[at - 1].class == Some(Class::Preposition);
        if self.is_name(at.wrapping_sub(1), at) || (!led && self.is_name(next, next)) {
            return None;
        }
        Some(Found::plain(Period::Weekday(day), next))
    }

    fn weekday_at(&self, at: usize) -> Option<i8> {
        let token = self.token(at)?;
        let day = pack::weekday(&token.norm)?;
        // Lower-case "sun" and "mon" are not weekdays.
        (token.norm.len() > 5 || !token.starts_lower()).then_some(signed(day))
    }

    /// Returns whether a token is a capitalised word separated from its neighbour only by a space.
    fn is_name(&self, at: usize, gap: usize) -> bool {
        self.token(at).is_some_and(|token| {
            token.shape == Shape::Capital
                && token.class.is_none()
                && at != self.sentence.start
                && pack::month(&token.norm).is_none()
                && self.text.gap_before(gap) == " "
        })
    }

    /// Parses a calendar date or a month.
    fn date(&self, at: usize) -> Option<Found> {
        let token = self.token(at)?;
        if token.shape == Shape::Number
            && let Some((year, month, day)) = full_date(token.text)
        {
            return Some(Found::plain(Period::Date { year: Some(year), month: Some(month), day }, at + 1));
        }
        self.day_first(at).or_else(|| self.month_first(at))
    }

    /// Parses "3 May", "3rd of May 2023", "1 to 15 April".
    fn day_first(&self, at: usize) -> Option<Found> {
        let (first, last, end) = self.days(at)?;
        let month_at = end + usize::from(matches!(self.word(end), "of" | "de"));
        let month = self.month(month_at, true).filter(|_| self.near(end))?;
        let (year, end) = self.year_after(month_at + 1);
        let date = |day| Period::Date { year, month: Some(month), day };
        Some(Found { first: date(first), last: last.map(date), end, is_plain: true })
    }

    /// Parses "May 3", "May 3–5, 2023", "May 2023", "May".
    fn month_first(&self, at: usize) -> Option<Found> {
        let month = self.month(at, false)?;
        if let Some((first, last, end)) = self.days(at + 1).filter(|_| self.near(at + 1)) {
            let (year, end) = self.year_after(end);
            let date = |day| Period::Date { year, month: Some(month), day };
            return Some(Found { first: date(first), last: last.map(date), end, is_plain: true });
        }
        let (year, end) = self.year_after(at + 1);
        let period = Period::Month { year, month };
        if year.is_some() {
            return Some(Found::plain(period, end));
        }
        let name = self.is_name(at.wrapping_sub(1), at) || self.is_name(end, end);
        (!name).then(|| Found::needs_preposition(period, end))
    }

    /// Parses one or two days of a month: "3", "3rd", "1 to 15", "3–5". Returns them with the token after them.
    fn days(&self, at: usize) -> Option<(i8, Option<i8>, usize)> {
        let text = self.token(at)?.text;
        if let Some((first, last)) = text.split_once(['-', '–']) {
            return Some((as_day(first)?, Some(as_day(last)?), at + 1));
        }
        let first = as_day(text)?;
        let next = at + 1;
        let joined = match self.word(next) {
            "to" | "and" | "until" | "through" => next + 1,
            _ if next < self.sentence.end && matches!(self.text.gap_before(next).trim(), "–" | "-") => next,
            _ => return Some((first, None, next)),
        };
        let last = self.token(joined).and_then(|token| as_day(token.text)).filter(|last| *last > first);
        let last = last.filter(|_| self.clock(joined).is_none());
        Some(last.map_or((first, None, next), |last| (first, Some(last), joined + 1)))
    }

    /// Returns the month named by a token. Ambiguous lower-case words such as "may" and "march" count only between a
    /// day and a year.
    fn month(&self, at: usize, after_day: bool) -> Option<i8> {
        let token = self.token(at)?;
        let month = pack::month(&token.norm)?;
        let sure = !token.starts_lower()
            || self.text.language != Language::English
            || (token.norm.len() > 3 && !matches!(token.norm.as_ref(), "march" | "sept"))
            || (after_day && self.year_after(at + 1).0.is_some());
        sure.then_some(signed(month))
    }

    /// Parses a year, optionally after a comma or "of". Returns it with the token after it.
    fn year_after(&self, at: usize) -> (Option<i16>, usize) {
        let year_at = at + usize::from(matches!(self.word(at), "of" | "de"));
        match self.year(year_at).filter(|_| self.near(year_at)) {
            Some(year) => (Some(year), year_at + 1),
            None => (None, at),
        }
    }

    fn year(&self, at: usize) -> Option<i16> {
        self.token(at).and_then(|token| as_year(token.text))
    }

    /// Parses "Q3", "third quarter of 2024", "summer 2022".
    fn quarter_or_season(&self, at: usize) -> Option<Found> {
        let quarter = match self.word(at) {
            "q1" => Some((1, at + 1)),
            "q2" => Some((2, at + 1)),
            "q3" => Some((3, at + 1)),
            "q4" => Some((4, at + 1)),
            _ if self.word(at + 1) != "quarter" => None,
            "first" => Some((1, at + 2)),
            "second" => Some((2, at + 2)),
            "third" => Some((3, at + 2)),
            "fourth" => Some((4, at + 2)),
            _ => None,
        };
        if let Some((quarter, end)) = quarter {
            let (year, end) = self.year_after(end);
            let period = Period::Quarter { year, quarter };
            return Some(Found { first: period, last: None, end, is_plain: year.is_some() });
        }
        let season = self.season(at)?;
        let (year, end) = self.year_after(at + 1);
        year.map(|year| Found::plain(Period::Season { year, season }, end))
    }

    fn season(&self, at: usize) -> Option<Season> {
        Some(match self.word(at) {
            "spring" => Season::Spring,
            "summer" => Season::Summer,
            "autumn" | "fall" => Season::Autumn,
            "winter" => Season::Winter,
            _ => return None,
        })
    }

    /// Parses "2019", "2019-2021", "the 1990s", "the 19th century".
    fn years(&self, at: usize) -> Option<Found> {
        let token = self.token(at)?;
        let text = token.text;
        if let Some(decade) = text.strip_suffix('s').and_then(as_year).filter(|year| year % 10 == 0) {
            let length = if decade % 100 == 0 { 100 } else { 10 };
            return Some(Found::plain(Period::Years { from: decade, to: decade + length }, at + 1));
        }
        if let Some(number) =
            ordinal(text).filter(|number| (11..=21).contains(number) && self.word(at + 1) == "century")
        {
            let from = (number - 1) * 100 + 1;
            return Some(Found::plain(Period::Years { from, to: from + 100 }, at + 2));
        }
        let year = |year: i16| Period::Years { from: year, to: year + 1 };
        if let Some((first, last)) = text.split_once(['-', '–']) {
            let (first, last) = (as_year(first)?, as_year(last)?);
            let is_plain = false;
            return (first < last).then(|| Found {
                first: year(first),
                last: Some(year(last)),
                end: at + 1,
                is_plain,
            });
        }
        let next = at + 1;
        let counts = self.token(next).is_some_and(|next_token| {
            next_token.starts_lower() && next_token.is_content() && self.text.gap_before(next) == " "
        });
        let priced = self.text.gap_before(at).ends_with(['$', '€', '£', '¥', '₹', '#'])
            || self.text.source[token.range.end..].trim_start().starts_with(['%', '€', '°', '$']);
        as_year(text)
            .filter(|_| !counts && !priced)
            .map(|number| Found::needs_preposition(year(number), next))
    }

    /// Parses "yesterday", "the day after tomorrow", "this morning", "last night".
    fn relative_day(&self, at: usize) -> Option<Found> {
        let (shift, length) = match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("day", "before", "yesterday") => (-2, 3),
            ("day", "after", "tomorrow") => (2, 3),
            ("this", "morning" | "afternoon" | "evening", _) => (0, 2),
            ("last", "night", _) => (-1, 2),
            ("today" | "tonight", ..) => (0, 1),
            ("yesterday", ..) => (-1, 1),
            ("tomorrow", ..) => (1, 1),
            _ => return None,
        };
        Some(Found::plain(Period::Unit { unit: Unit::Day, shift }, at + length))
    }

    /// Parses "last Monday", "next May", "this week", "the past two years".
    fn shifted(&self, at: usize) -> Option<Found> {
        let (shift, next) = match (self.word(at), self.word(at + 1)) {
            ("this", "past") => (Shift::Last, at + 2),
            ("this", "coming") => (Shift::Next, at + 2),
            ("last" | "past", _) => (Shift::Last, at + 1),
            ("this" | "current", _) => (Shift::This, at + 1),
            ("next" | "coming" | "upcoming", _) => (Shift::Next, at + 1),
            _ => return None,
        };
        let sign = match shift {
            Shift::Last => -1,
            Shift::This => 0,
            Shift::Next => 1,
        };
        let the = at > self.sentence.start && self.word(at - 1) == "the";
        if let Some((count, unit, end)) =
            self.count_of_units(next).filter(|_| sign != 0 && self.word(next) != "a")
        {
            return Some(Found::plain(Period::Stretch { unit, count: count * sign }, end));
        }
        let named = self.weekday_at(next).map(Named::Weekday);
        let named = named.or_else(|| self.month(next, false).map(Named::Month));
        let named = named.or_else(|| self.season(next).map(Named::Season));
        if let Some(of) = named {
            return Some(Found::plain(Period::Shifted { shift, of }, next + 1));
        }
        let unit = self.unit(next).filter(|unit| *unit > Unit::Day && self.is_singular(next))?;
        // "the last week of May" and "the next week" depend on other text.
        if self.word(next + 1) == "of" || (the && shift == Shift::Next) {
            return None;
        }
        let period = match self.word(next - 1) {
            "past" => Period::Stretch { unit, count: -1 },
            "last" if the => Period::Stretch { unit, count: -1 },
            _ => Period::Unit { unit, shift: sign },
        };
        Some(Found::plain(period, next + 1))
    }

    /// Parses "two weeks ago", "three days from now".
    fn away(&self, at: usize) -> Option<Found> {
        let (count, unit, end) = self.count_of_units(at)?;
        match (self.word(end), self.word(end + 1)) {
            ("ago", _) => Some(Found::plain(Period::Away { unit, count: -count }, end + 1)),
            ("from", "now" | "today") => Some(Found::plain(Period::Away { unit, count }, end + 2)),
            _ => None,
        }
    }

    /// Parses "two weeks", "a month", "a couple of days". Returns them with the token after them.
    fn count_of_units(&self, at: usize) -> Option<(i32, Unit, usize)> {
        let (count, next) = match (self.word(at), self.word(at + 1), self.word(at + 2)) {
            ("a", "couple", "of") => (2, at + 3),
            ("couple", "of", _) => (2, at + 2),
            ("a" | "an", ..) => (1, at + 1),
            (word, ..) => (count(word)?, at + 1),
        };
        let unit = self.unit(next)?;
        (self.is_singular(next) == (count == 1)).then_some((count, unit, next + 1))
    }

    fn unit(&self, at: usize) -> Option<Unit> {
        Some(match self.word(at).trim_end_matches('s') {
            "minute" => Unit::Minute,
            "hour" => Unit::Hour,
            "day" => Unit::Day,
            "week" => Unit::Week,
            "weekend" => Unit::Weekend,
            "month" => Unit::Month,
            "quarter" => Unit::Quarter,
            "year" => Unit::Year,
            "decade" => Unit::Decade,
            _ => return None,
        })
    }

    fn is_singular(&self, at: usize) -> bool {
        !self.word(at).ends_with('s')
    }

    /// Parses a time of day: "3 pm", "14:30", "noon". Returns it in minutes, with the token after it.
    fn clock(&self, at: usize) -> Option<(u16, Precision, usize)> {
        match self.word(at) {
            "noon" => return Some((12 * 60, Precision::Hour, at + 1)),
            "midnight" => return Some((0, Precision::Hour, at + 1)),
            _ => {}
        }
        let digits =
            |text: &str, limit: u16| text.parse().ok().filter(|n: &u16| *n < limit && text.len() <= 2);
        let (hour, half) = split_half(self.word(at));
        let hour = digits(hour, 25)?;
        let mut end = at + 1;
        let mut half = half;
        let mut minutes = None;
        if half.is_none() && end < self.sentence.end && self.text.gap_before(end) == ":" {
            let (text, half_after) = split_half(self.word(end));
            minutes = Some(digits(text, 60).filter(|_| text.len() == 2)?);
            half = half_after;
            end += 1;
        }
        if half.is_none()
            && let Some(word) = half_of_day(self.word(end)).filter(|_| self.near(end))
        {
            half = Some(word);
            end += 1;
        }
        let hour = match half {
            Some(afternoon) if (1..=12).contains(&hour) => hour % 12 + if afternoon { 12 } else { 0 },
            None if minutes.is_some() && hour < 24 => hour,
            None if self.word(end) == "o'clock" => return None,
            _ => return None,
        };
        let precision = if minutes.is_some() { Precision::Minute } else { Precision::Hour };
        Some((hour * 60 + minutes.unwrap_or(0), precision, end))
    }

    /// Parses a time given by an event: "before she moved", "until the audit is done", "after leaving Rome".
    fn event(&self, at: usize, from: usize, relation: TimeRelation) -> Option<(TimeExpression, usize)> {
        if self.text.language != Language::English
            || !matches!(self.word(at), "before" | "after" | "until" | "till")
        {
            return None;
        }
        let first = self.token(from)?;
        let mut end = from + 1;
        let goes_on = |at: usize| {
            let gap = self.text.gap_before(at);
            !gap.contains([',', ';', ':', '(', ')', '—', '–', '"', '“'])
                && self.text.tokens[at].kind != Some(Kind::Coordinating)
        };
        while end < self.sentence.end && goes_on(end) {
            end += 1;
        }
        let subject = first.kind == Some(Kind::Personal)
            && !matches!(first.norm.as_ref(), "me" | "him" | "them" | "us");
        let noun = matches!(first.class, Some(Class::Determiner)) || first.shape == Shape::Capital;
        let verb = |range: Range<usize>| {
            range.into_iter().any(|at| {
                let token = &self.text.tokens[at];
                token.class == Some(Class::Auxiliary)
                    || (token.class.is_none() && token.starts_lower() && token.norm.ends_with("ed"))
            })
        };
        let acts = first.class.is_none()
            && first.starts_lower()
            && first.norm.len() > 5
            && first.norm.ends_with("ing");
        let told = (subject && end > from + 1)
            || (noun && verb(from + 1..end.min(from + 5)))
            || (acts && end > from + 1);
        if !told {
            return None;
        }
        let list = &self.text.tokens;
        let event = list[from].range.start..list[end - 1].range.end;
        let range = list[at].range.start..event.end;
        let expression =
            TimeExpression { range, relation, event: Some(event), first: Period::Event, last: None };
        Some((expression, end))
    }

    fn token(&self, at: usize) -> Option<&'r Token<'t>> {
        self.sentence.contains(&at).then(|| &self.text.tokens[at])
    }

    /// Returns the word at a token; empty outside the sentence.
    fn word(&self, at: usize) -> &'r str {
        self.token(at).map_or("", |token| token.norm.as_ref())
    }

    /// Returns whether at most a comma or the full stop of an abbreviation precedes a token.
    fn near(&self, at: usize) -> bool {
        at < self.sentence.end && matches!(self.text.gap_before(at).trim(), "" | "," | ".")
    }
}

/// "from May to July 2023": the year applies to both months.
fn with_year_of(period: Period, last: &Period) -> Period {
    let year_of = match last {
        Period::Date { year, .. } | Period::Month { year, .. } | Period::Quarter { year, .. } => *year,
        _ => None,
    };
    match period {
        Period::Date { year: None, month, day } => Period::Date { year: year_of, month, day },
        Period::Month { year: None, month } => Period::Month { year: year_of, month },
        Period::Quarter { year: None, quarter } => Period::Quarter { year: year_of, quarter },
        period => period,
    }
}

/// Splits "3pm" into its number and whether it is after noon.
fn split_half(word: &str) -> (&str, Option<bool>) {
    let half = word.strip_suffix("am").map(|hour| (hour, Some(false)));
    half.or_else(|| word.strip_suffix("pm").map(|hour| (hour, Some(true)))).unwrap_or((word, None))
}

fn half_of_day(word: &str) -> Option<bool> {
    match word {
        "am" | "a.m." | "a.m" => Some(false),
        "pm" | "p.m." | "p.m" => Some(true),
        _ => None,
    }
}

/// Parses "2023-12-08", "08.12.2023", and "08/12/2023" if it is not ambiguous.
fn full_date(text: &str) -> Option<(i16, i8, i8)> {
    let mark = ['-', '/', '.'].into_iter().find(|mark| text.contains(*mark))?;
    let parts: Vec<&str> = text.split(mark).collect();
    let [first, second, third] = parts[..] else { return None };
    let small =
        |part: &str, limit: i8| part.parse().ok().filter(|n: &i8| (1..=limit).contains(n) && part.len() <= 2);
    if let Some(year) = as_year(first) {
        return Some((year, small(second, 12)?, small(third, 31)?));
    }
    let year = as_year(third)?;
    let day_first = small(first, 31).zip(small(second, 12)).map(|(day, month)| (year, month, day));
    let month_first = small(second, 31).zip(small(first, 12)).map(|(day, month)| (year, month, day));
    match (day_first, month_first) {
        (found, _) if mark != '/' => found,
        (Some(one), Some(other)) => (one == other).then_some(one),
        (one, other) => one.or(other),
    }
}

fn ordinal(text: &str) -> Option<i16> {
    ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end)?.parse().ok())
}

/// Parses a number in words or digits.
fn count(word: &str) -> Option<i32> {
    // Greater numbers in words may have two: "thirty five".
    let said = number_word(word).filter(|number| *number <= 20).and_then(|number| i32::try_from(number).ok());
    said.or_else(|| word.parse().ok()).filter(|count| (1..=999).contains(count))
}

/// Converts a small calendar number.
fn signed(number: u8) -> i8 {
    i8::try_from(number).unwrap_or(i8::MAX)
}
