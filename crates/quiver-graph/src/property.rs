//! Index terms for properties: a keyword for each plain value, and numbers that keep the order of values.
//!
//! Properties have no schema: one key may hold integers, texts and dates. So they share two indexed fields, and each
//! number begins with a digest of its key and the kind of its value. One number may stand for several values, so a
//! filter passes everything that can match, and possibly more.

use quiver_store::Payload;
use serde_json::Value;

/// Maximum length of a property's term in bytes. Longer values are found by reading.
const TERM_MAX: usize = 256;
/// From here on, floats do not have the digits of the integers that they equal.
const EXACT_MAX: f64 = 1e15;
/// Number of bits of a rank that encode the value; the 16 bits before them encode the key and the kind. Filters compare
/// ranks as floats, which are exact up to 53 bits.
const VALUE_BITS: u32 = 36;
const VALUE_MAX: u64 = (1 << VALUE_BITS) - 1;
/// The lengths in bytes of the prefixes that ranks encode by a digest. Such a rank also encodes the three bytes that
/// follow.
const BEGINNINGS: [usize; 4] = [16, 12, 8, 4];
const AFTER_BITS: u32 = 24;
/// The key under which properties hold dates and times: `{"$moment": "2026-02-11"}`. Filters find these by their order.
pub const MOMENT_KEY: &str = "$moment";

/// Kinds of values. Values of one kind can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number = 1,
    Text,
    Beginning,
    Boolean,
    Date,
    LocalDateTime,
    DateTime,
    /// A date or time without a known order.
    OtherMoment,
}

/// Encodes a property for filters. Returns `None` if it is a list, a map or too long. Equal numbers have one form.
pub(crate) fn property_term(key: &str, value: &Value) -> Option<String> {
    let value = match value {
        Value::Null | Value::Array(_) => return None,
        Value::Number(number) => match number.as_f64() {
            // Adding zero turns negative zero into zero.
            Some(float) if float.fract() == 0.0 && float.abs() < EXACT_MAX => format!("{:.0}", float + 0.0),
            _ => number.to_string(),
        },
        other => other.to_string(),
    };
    let term = format!("{key}={value}");
    (term.len() <= TERM_MAX).then_some(term)
}

/// Decodes a property from its term.
pub(crate) fn property_of_term(term: &str) -> Option<(String, Value)> {
    term.match_indices('=').find_map(|(at, _)| {
        let value = serde_json::from_str(&term[at + 1..]).ok()?;
        Some((term[..at].to_owned(), value))
    })
}

/// Encodes the properties that have a term.
pub(crate) fn property_terms(properties: &Payload) -> Vec<String> {
    let mut terms: Vec<_> = properties.iter().filter_map(|(key, value)| property_term(key, value)).collect();
    terms.sort();
    terms
}

/// Encodes the metadata that have a term. A list has one for each of its members.
pub(crate) fn metadata_terms<'m>(metadata: &'m Payload) -> Vec<String> {
    let members = |value: &'m Value| match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    };
    let terms = metadata
        .iter()
        .flat_map(|(key, value)| members(value).iter().filter_map(|value| property_term(key, value)));
    let mut terms: Vec<_> = terms.collect();
    terms.sort();
    terms.dedup();
    terms
}

/// Whether a number must be found by its rank, since it can be written in several ways.
pub(crate) fn is_inexact(value: &Value) -> bool {
    value.as_f64().is_some_and(|float| float.abs() >= EXACT_MAX)
}

pub(crate) fn property_ranks(properties: &Payload) -> Vec<u64> {
    let mut ranks = Vec::new();
    for (key, value) in properties {
        let Some((kind, order)) = order(value) else { continue };
        ranks.push(rank(key, kind, order));
        if let Some(text) = value.as_str() {
            ranks.extend(BEGINNINGS.iter().filter_map(|length| rank_beginning(key, text, *length, 0)));
        }
    }
    ranks.sort_unstable();
    ranks
}

/// Returns the lowest and the highest rank of values between two bounds, one of which may be missing. Returns `None` if
/// they can't be compared, or have no order.
pub(crate) fn ranks_within(key: &str, least: Option<&Value>, most: Option<&Value>) -> Option<(u64, u64)> {
    let bound = |value: Option<&Value>| value.map_or(Some(None), |value| order(value).map(Some));
    let (least, most) = (bound(least)?, bound(most)?);
    let kind = least.or(most)?.0;
    if [least, most].into_iter().flatten().any(|(other, _)| other != kind || other == Kind::OtherMoment) {
        return None;
    }
    let least = least.map_or(0, |(_, value)| value);
    let most = most.map_or(VALUE_MAX, |(_, value)| value);
    Some((rank(key, kind, least), rank(key, kind, most)))
}

/// Returns the rank of dates and times without a known order.
pub(crate) fn rank_of_other_moments(key: &str) -> u64 {
    rank(key, Kind::OtherMoment, 0)
}

/// Returns the lowest and the highest rank of texts with a prefix.
pub(crate) fn ranks_beginning(key: &str, start: &str) -> (u64, u64) {
    for length in BEGINNINGS {
        let bound = |after| rank_beginning(key, start, length, after);
        if let (Some(least), Some(most)) = (bound(0), bound(u8::MAX)) {
            return (least, most);
        }
    }
    (rank(key, Kind::Text, order_of_text(start, 0)), rank(key, Kind::Text, order_of_text(start, u8::MAX)))
}

/// Returns the rank of the texts that begin like this one; `None` if it is shorter. `after` follows its end.
fn rank_beginning(key: &str, text: &str, length: usize, after: u8) -> Option<u64> {
    let (start, rest) = text.as_bytes().split_at_checked(length)?;
    let byte = |at: usize| u64::from(rest.get(at).copied().unwrap_or(after));
    let next = byte(0) << 16 | byte(1) << 8 | byte(2);
    let start = digest(start) >> AFTER_BITS << AFTER_BITS;
    Some(rank(key, Kind::Beginning, start | next))
}

fn rank(key: &str, kind: Kind, value: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[kind as u8]).update(key.as_bytes());
    let bytes = hasher.finalize();
    let [first, second, ..] = bytes.as_bytes();
    u64::from(u16::from_be_bytes([*first, *second])) << VALUE_BITS | value.min(VALUE_MAX)
}

fn digest(bytes: &[u8]) -> u64 {
    let first = blake3::hash(bytes).as_bytes().first_chunk().copied().unwrap_or_default();
    u64::from_be_bytes(first) & VALUE_MAX
}

/// Returns the kind of a value and its position in the order of that kind. A greater value never has a smaller
/// position.
fn order(value: &Value) -> Option<(Kind, u64)> {
    Some(match value {
        Value::Null | Value::Array(_) => return None,
        Value::Bool(value) => (Kind::Boolean, u64::from(*value)),
        Value::Number(number) => (Kind::Number, order_of_number(number.as_f64()?)),
        Value::String(text) => (Kind::Text, order_of_text(text, 0)),
        Value::Object(members) => {
            let (1, Some(text)) = (members.len(), members.get(MOMENT_KEY)?.as_str()) else { return None };
            order_of_moment(text).unwrap_or((Kind::OtherMoment, 0))
        }
    })
}

/// Returns the first bits of a float, changed so that they sort in ascending order.
fn order_of_number(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    let ascending = if number < 0.0 { !bits } else { bits | 1 << 63 };
    ascending >> (u64::BITS - VALUE_BITS)
}

/// Returns the first bytes of a text, with something after its end.
fn order_of_text(text: &str, after: u8) -> u64 {
    let mut first = [after; 8];
    for (place, byte) in first.iter_mut().zip(text.bytes()) {
        *place = byte;
    }
    u64::from_be_bytes(first) >> (u64::BITS - VALUE_BITS)
}

fn order_of_moment(text: &str) -> Option<(Kind, u64)> {
    /// Added to seconds since 1970, so that the years from 900 to 3000 lie above zero and below the maximum.
    const SHIFT: i64 = 1 << (VALUE_BITS - 1);
    let seconds = |seconds: i64| u64::try_from((seconds + SHIFT).max(0)).unwrap_or_default().min(VALUE_MAX);
    let in_utc = |local: jiff::civil::DateTime| {
        local.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| seconds(zoned.timestamp().as_second()))
    };
    if !text.contains('T') {
        let date: jiff::civil::Date = text.parse().ok()?;
        return in_utc(date.at(0, 0, 0, 0)).map(|order| (Kind::Date, order));
    }
    if let Ok(timestamp) = text.parse::<jiff::Timestamp>() {
        return Some((Kind::DateTime, seconds(timestamp.as_second())));
    }
    let local: jiff::civil::DateTime = text.parse().ok()?;
    in_utc(local).map(|order| (Kind::LocalDateTime, order))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{order, property_ranks, rank, ranks_beginning, ranks_within};

    fn ranks_of(value: &Value) -> Vec<u64> {
        let Value::Object(properties) = json!({ "key": value }) else { unreachable!("an object") };
        property_ranks(&properties)
    }

    fn is_within(value: &Value, (least, most): (u64, u64)) -> bool {
        ranks_of(value).iter().any(|rank| (least..=most).contains(rank))
    }

    #[test]
    fn values_keep_their_order() {
        let moment = |text: &str| json!({ "$moment": text });
        let ascending = [
            vec![
                json!(-1e300),
                json!(-1e15),
                json!(-2),
                json!(-1.5),
                json!(0),
                json!(0.25),
                json!(1),
                json!(1950),
                json!(1951),
                json!(1e300),
            ],
            vec![json!(""), json!("A"), json!("a"), json!("ab"), json!("b"), json!("ä")],
            vec![moment("1066-10-14"), moment("1969-12-31"), moment("1970-01-01"), moment("2026-11-23")],
            vec![
                moment("2026-11-23T10:00+02:00"),
                moment("2026-11-23T08:00:01Z"),
                moment("2026-11-23T08:02Z"),
                moment("2026-11-23T08:03:00.5-01:00"),
            ],
            vec![moment("2026-11-23T08:00"), moment("2026-11-23T08:00:01.5")],
            vec![json!(false), json!(true)],
        ];
        for values in ascending {
            let places: Vec<_> = values.iter().map(|value| order(value).expect("an order")).collect();
            assert!(
                places.windows(2).all(|pair| pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1),
                "{values:?}"
            );
        }
    }

    #[test]
    fn a_number_tells_the_key_and_the_kind() {
        assert_ne!(ranks_of(&json!(1)), ranks_of(&json!("1")));
        assert_ne!(rank("a", super::Kind::Number, 1), rank("b", super::Kind::Number, 1));
        assert_eq!(ranks_of(&json!([1])), [0; 0]);
        assert_eq!(ranks_within("key", Some(&json!(1)), Some(&json!("a"))), None);
        assert!(ranks_of(&json!("a text of more than sixteen bytes")).iter().all(|rank| *rank < 1 << 52));
    }

    proptest! {
        #[test]
        fn what_lies_between_two_numbers_is_found(a in any::<i64>(), b in any::<f64>(), c in -50..50i64) {
            let mut values = [json!(a), json!(b), json!(c)];
            let number = |value: &Value| value.as_f64().unwrap_or_default();
            values.sort_by(|a, b| number(a).total_cmp(&number(b)));
            let within = ranks_within("key", Some(&values[0]), Some(&values[2])).expect("bounds");
            prop_assert!(values.iter().all(|value| is_within(value, within)));
        }

        #[test]
        fn what_begins_with_a_text_is_found(text in ".{0,24}", cut in 0..30usize) {
            let end = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
            prop_assert!(is_within(&json!(text), ranks_beginning("key", &text[..end])));
        }

        #[test]
        fn what_lies_between_two_texts_is_found(mut texts in [".{0,9}", ".{0,9}", ".{0,9}"]) {
            texts.sort();
            let bound = |at: usize| json!(texts[at]);
            let within = ranks_within("key", Some(&bound(0)), Some(&bound(2))).expect("bounds");
            prop_assert!(is_within(&bound(1), within));
        }
    }
}
