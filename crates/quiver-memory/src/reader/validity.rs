//! The validity period that a sentence gives.

use crate::when::{self, Range};

use super::word::Word;

/// The validity period given by a sentence.
#[derive(Default, PartialEq)]
pub(super) struct Validity {
    pub(super) from: Option<i64>,
    pub(super) to: Option<i64>,
    /// Whether something else was so before: "from now on", "as of May".
    pub(super) is_change: bool,
    /// Whether it only says since when: "since Monday".
    pub(super) is_since: bool,
}

/// Removes a validity period from the start or end of a sentence and returns it: "since last Monday", "until 3 May",
/// "from 1 to 15 April", "as of Q3", "from now on", "starting next week", "from this term on".
pub(super) fn validity(words: &mut Vec<Word<'_>>, now: i64) -> Validity {
    let mut found = Validity::default();
    for _ in 0..2 {
        let lower: Vec<String> = words.iter().map(Word::lower).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let Some((start, end, said)) = when_said(&lower, now) else { break };
        // Only removal at either end leaves a complete sentence.
        if start != 0 && end != words.len() {
            break;
        }
        words.drain(start..end);
        found.from = found.from.or(said.from);
        found.to = found.to.or(said.to);
        found.is_change |= said.is_change;
        found.is_since |= said.is_since;
    }
    found
}

/// Phrases that say that something is so from now on.
const FROM_NOW_ON: &[&[&str]] = &[
    &["with", "immediate", "effect"],
    &["effective", "immediately"],
    &["as", "of", "now"],
    &["from", "here", "on"],
    &["going", "forward"],
    &["henceforth"],
];

fn when_said(words: &[&str], now: i64) -> Option<(usize, usize, Validity)> {
    for at in 0..words.len() {
        if let Some(phrase) = FROM_NOW_ON.iter().find(|phrase| words[at..].starts_with(phrase)) {
            return Some((at, at + phrase.len(), Validity { is_change: true, ..Validity::default() }));
        }
        // "From now on", "from this term onwards".
        let last = (at + 2..words.len().min(at + 5))
            .find(|last| matches!(words[*last], "on" | "onwards" | "onward"));
        if let Some(last) = last.filter(|_| words[at] == "from")
            && matches!(words[at + 1..last], ["now"] | ["this" | "next", _])
        {
            let range = when::stated(&words[at + 1..last], now);
            let from = range.map(|range| from_then_on(range, now));
            return Some((at, last + 1, Validity { from, is_change: true, ..Validity::default() }));
        }
        let opens = if words[at..].starts_with(&["as", "of"]) {
            2
        } else if matches!(
            words[at],
            "since" | "until" | "till" | "from" | "starting" | "effective" | "beginning"
        ) {
            1 + usize::from(words.get(at + 1) == Some(&"on"))
        } else {
            continue;
        };
        let Some((first, after)) = range_at(words, at + opens, now) else {
            // "From 1 to 15 April" takes its month from the second date.
            if words[at] == "from"
                && let (Some(day), Some(&"to")) =
                    (words.get(at + 1).and_then(|day| day.parse::<i64>().ok()), words.get(at + 2))
                && let Some((last, after)) = range_at(words, at + 3, now)
            {
                let (year, month, _) = crate::calendar::to_civil(last.from);
                let from = crate::calendar::from_civil(year, month, day);
                return Some((
                    at,
                    after,
                    Validity { from: Some(from), to: Some(last.to), ..Validity::default() },
                ));
            }
            continue;
        };
        return match words[at] {
            "until" | "till" => Some((at, after, Validity { to: Some(first.to), ..Validity::default() })),
            "from" if matches!(words.get(after), Some(&("to" | "until" | "till"))) => {
                let (last, end) = range_at(words, after + 1, now)?;
                Some((at, end, Validity { from: Some(first.from), to: Some(last.to), ..Validity::default() }))
            }
            // "The contract from two years ago".
            "from" if first.to <= now && words.get(after) != Some(&"on") => continue,
            opening => {
                let onwards = matches!(words.get(after), Some(&("on" | "onwards" | "onward")));
                let is_since = opening == "since";
                let end = after + usize::from(onwards);
                let from = if is_since { first.from } else { from_then_on(first, now) };
                Some((at, end, Validity { from: Some(from), to: None, is_change: !is_since, is_since }))
            }
        };
    }
    None
}

/// When a change begins: "from today on" is said now, and what was said earlier today held until then.
fn from_then_on(range: Range, now: i64) -> i64 {
    if range.has(now) { now } else { range.from }
}

/// Parses a date range that starts at a word. Returns it with the position after it.
fn range_at(words: &[&str], at: usize, now: i64) -> Option<(Range, usize)> {
    let longest = words.len().min(at + 5);
    // Find the longest run of words that is a date range as a whole.
    (at + 1..=longest).rev().find_map(|end| {
        let range = when::stated(&words[at..end], now)?;
        Some((range, end))
    })
}
