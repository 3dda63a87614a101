//! Finds dates and quantities in text.

use crate::{
    character::Script,
    number::{as_day, as_year, is_ordinal},
    pack::{self, Class, Language},
    text::Text,
    token::{Shape, Token},
};
use std::ops::Range;

/// A date or quantity. Its byte range may extend beyond its tokens to include a sign.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Figure {
    /// The range of its tokens.
    pub(crate) tokens: Range<usize>,
    /// The byte range.
    pub(crate) bytes: Range<usize>,
}

/// Finds years, dates, decades and centuries. A month alone is not a date, but not a name either; it is returned with
/// an empty byte range.
pub(crate) fn dates(text: &Text<'_>, within: Range<usize>) -> Vec<Figure> {
    let mut found = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let window = Window { text, end: within.end };
        let length = window.date(at, &mut found);
        at += length.max(1);
    }
    found
}

/// Finds numbers with a unit, a currency or a percent sign among the unused tokens.
pub(crate) fn quantities(text: &Text<'_>, within: Range<usize>, used: &[bool]) -> Vec<Figure> {
    let mut found = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let next = quantity(text, at, within.end, used);
        at = next.as_ref().map_or(at + 1, |figure| figure.tokens.end);
        found.extend(next);
    }
    found
}

struct Window<'w, 't> {
    text: &'w Text<'t>,
    end: usize,
}

impl<'w, 't> Window<'w, 't> {
    fn get(&self, at: usize) -> Option<&'w Token<'t>> {
        (at < self.end).then(|| &self.text.tokens[at])
    }

    /// Adds the date that starts at a token. Returns the number of its tokens.
    fn date(&self, at: usize, found: &mut Vec<Figure>) -> usize {
        let Some(token) = self.get(at) else { return 0 };
        if self.is_month(at) {
            return self.month_first(at, found);
        }
        if let Some(month) = self.month_after_day(at).filter(|_| as_day(token.text).is_some()) {
            let last = self.year_after(month + 1).unwrap_or(month);
            found.push(self.figure(at, last + 1 - at));
            return last + 1 - at;
        }
        if token.shape == Shape::Number && !is_full_date(token.text) {
            let length = self.ideographic(at, found);
            return if length > 0 { length } else { self.years(at, found) };
        }
        let length = match token.shape {
            Shape::Number => 1,
            Shape::Plain if is_decade(token.text) => 1,
            Shape::Plain if is_ordinal(token.text) && self.lower_is(at + 1, &["century", "centuries"]) => 2,
            _ => return 0,
        };
        found.push(self.figure(at, length));
        length
    }

    fn figure(&self, at: usize, length: usize) -> Figure {
        let list = &self.text.tokens;
        Figure { tokens: at..at + length, bytes: list[at].range.start..list[at + length - 1].range.end }
    }

    /// Adds `March 15, 1998`, `March 15` or `March 1998`. A month alone uses its token but is not a date.
    fn month_first(&self, at: usize, found: &mut Vec<Figure>) -> usize {
        let day_at = self
            .get(at + 1)
            .filter(|token| as_day(token.text).is_some() && self.near(at + 1))
            .map(|_| at + 1);
        let last = self.year_after(day_at.unwrap_or(at) + 1).or(day_at);
        if let Some(last) = last {
            found.push(self.figure(at, last + 1 - at));
            return last + 1 - at;
        }
        let start = self.text.tokens[at].range.start;
        found.push(Figure { tokens: at..at + 1, bytes: start..start });
        1
    }

    /// Returns whether a token is a month and not part of a person's name such as "Theresa May".
    fn is_month(&self, at: usize) -> bool {
        let Some(token) = self.get(at) else { return false };
        if pack::month(&token.norm).is_none() {
            return false;
        }
        if token.starts_lower() {
            return !matches!(self.text.language, Language::English | Language::German)
                && (self.get(at + 1).is_some_and(|next| is_year(next.text))
                    || self.lower_is(at + 1, &["de"]));
        }
        let numbered = self.get(at + 1).is_some_and(|next| next.shape == Shape::Number && self.near(at + 1));
        let beside_name = |other: usize, gap_of: usize| {
            other < self.end
                && self.text.tokens[other].shape == Shape::Capital
                && self.text.tokens[other].class.is_none()
                && self.text.gap_before(gap_of) == " "
        };
        numbered || !(beside_name(at + 1, at + 1) || (at > 0 && beside_name(at - 1, at)))
    }

    /// Returns the index of the month in `15 March`, `15. März`, `15th of March`, `15 de marzo`.
    fn month_after_day(&self, at: usize) -> Option<usize> {
        let next = at + 1;
        let month = if self.lower_is(next, &["of", "de"]) { next + 1 } else { next };
        let token = self.get(month)?;
        pack::month(&token.norm)?;
        let english_verb = token.starts_lower() && self.text.language == Language::English;
        (self.near(next) && !english_verb).then_some(month)
    }

    /// Returns the index of a year at a token, optionally after "de", "of" or a comma.
    fn year_after(&self, at: usize) -> Option<usize> {
        let at = if self.lower_is(at, &["de", "of"]) { at + 1 } else { at };
        self.get(at).filter(|token| is_year(token.text) && self.near(at)).map(|_| at)
    }

    fn near(&self, at: usize) -> bool {
        matches!(self.text.gap_before(at).trim(), "" | "," | ".")
    }

    fn lower_is(&self, at: usize, words: &[&str]) -> bool {
        self.get(at).is_some_and(|token| words.contains(&token.norm.as_ref()))
    }

    /// Adds a single year, or two joined by a hyphen.
    fn years(&self, at: usize, found: &mut Vec<Figure>) -> usize {
        let token = &self.text.tokens[at];
        if let Some((first, second)) = token.text.split_once('-')
            && is_year(first)
            && (is_year(second) || (second.len() == 2 && second.bytes().all(|b| b.is_ascii_digit())))
        {
            let start = token.range.start;
            found.push(Figure { tokens: at..at + 1, bytes: start..start + first.len() });
            if is_year(second) {
                found.push(Figure {
                    tokens: at..at + 1,
                    bytes: token.range.end - second.len()..token.range.end,
                });
            }
            return 1;
        }
        if self.lower_is(at + 1, &["bc", "bce", "ad", "ce"]) && !self.text.tokens[at + 1].starts_lower() {
            found.push(self.figure(at, 2));
            return 2;
        }
        // "2000 people" is a quantity; "the 1963 film" contains a date.
        let counts = self.get(at + 1).is_some_and(|next| {
            next.starts_lower() && next.is_content() && self.text.gap_before(at + 1) == " "
        });
        let determined = at > 0 && self.text.tokens[at - 1].class == Some(Class::Determiner);
        let priced = self.text.gap_before(at).ends_with(CURRENCIES);
        if is_year(token.text) && (!counts || determined) && !priced {
            found.push(self.figure(at, 1));
            return 1;
        }
        0
    }

    /// Adds `1998年3月15日` or `1998년`. Returns the number of tokens.
    fn ideographic(&self, at: usize, found: &mut Vec<Figure>) -> usize {
        let (mut next, mut end) = (at, 0);
        for units in [['年', '년'], ['月', '월'], ['日', '일']] {
            let (Some(number), Some(unit)) = (self.get(next), self.get(next + 1)) else { break };
            let adjacent = number.shape == Shape::Number && self.text.gap_before(next + 1).is_empty();
            let Some(mark) = unit.text.chars().next().filter(|c| adjacent && units.contains(c)) else {
                break;
            };
            end = unit.range.start + mark.len_utf8();
            next += 2;
        }
        if next > at {
            found.push(Figure { tokens: at..next, bytes: self.text.tokens[at].range.start..end });
        }
        next - at
    }
}

const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '₹'];

fn quantity(text: &Text<'_>, at: usize, end: usize, used: &[bool]) -> Option<Figure> {
    let token = &text.tokens[at];
    if used[at] || token.script != Script::Spaced {
        return None;
    }
    if token.shape == Shape::Plain && has_unit(token.text) {
        return Some(Figure { tokens: at..at + 1, bytes: token.range.clone() });
    }
    if token.shape != Shape::Number || token.text.contains(['-', '/']) {
        return None;
    }
    let mut bytes = token.range.clone();
    let currency = text.gap_before(at).chars().next_back().filter(|c| CURRENCIES.contains(c));
    if let Some(sign) = currency {
        bytes.start -= sign.len_utf8();
    }
    let after = &text.source[token.range.end..];
    let sign = after.trim_start_matches(' ').chars().next().filter(|c| matches!(c, '%' | '‰' | '°'));
    if let Some(sign) = sign {
        bytes.end += after.find(sign).unwrap_or(0) + sign.len_utf8();
    }
    let is_unit = |next: usize| {
        next < end && !used[next] && text.gap_before(next) == " " && {
            let unit = &text.tokens[next];
            let short = unit.text.chars().count() <= 3 && unit.text.chars().all(char::is_alphabetic);
            unit.is_content() && (unit.starts_lower() || short) && unit.shape != Shape::Identifier
        }
    };
    let mut last = at;
    if sign.is_none() && is_unit(last + 1) {
        last += 1;
        let scaled = SCALES.contains(&text.tokens[last].norm.as_ref());
        if scaled && currency.is_none() && is_unit(last + 1) {
            last += 1;
        } else if currency.is_some() && !scaled {
            last -= 1;
        }
    }
    bytes.end = bytes.end.max(text.tokens[last].range.end);
    (last > at || sign.is_some() || currency.is_some()).then_some(Figure { tokens: at..last + 1, bytes })
}

const SCALES: &[&str] =
    &["hundred", "thousand", "million", "billion", "trillion", "millions", "millionen", "mille"];

/// `5km`, `3.5mg`: digits and a short unit, but not an ordinal or a decade.
fn has_unit(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    unit.len() < word.len()
        && (1..=3).contains(&unit.len())
        && unit.chars().all(char::is_alphabetic)
        && !matches!(unit, "st" | "nd" | "rd" | "th" | "s" | "er" | "e")
}

fn is_year(word: &str) -> bool {
    as_year(word).is_some()
}

fn is_decade(word: &str) -> bool {
    word.strip_suffix('s')
        .or_else(|| word.strip_suffix("er"))
        .is_some_and(|year| is_year(year) && year.ends_with('0'))
}

/// `1998-03-15`, `15/03/1998`, `15.03.1998`.
fn is_full_date(word: &str) -> bool {
    ['-', '/', '.'].into_iter().any(|mark| {
        let parts: Vec<&str> = word.split(mark).collect();
        parts.len() == 3
            && (is_year(parts[0]) || is_year(parts[2]))
            && parts[1].parse::<u8>().is_ok_and(|n| n <= 31)
    })
}
