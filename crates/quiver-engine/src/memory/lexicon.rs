//! Built-in knowledge of English: closed word classes, grammar, and the defaults listed in the documentation. It
//! contains no topics and no names.

use quiver_language::{
    change::{self, Change},
    recall::{self, Recall},
};

/// The kind of value that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Who, whom, whose.
    Person,
    /// When, what time, which day.
    Time,
    /// Where, which city.
    Place,
    /// How many, how much, how fast.
    Number,
    /// Why.
    Reason,
}

/// The kind of value that a question word, or the noun after one, asks for.
pub(crate) fn wanted(word: &str) -> Option<Wanted> {
    Some(match word {
        "who" | "whom" | "whose" | "person" | "wer" | "wem" | "кто" | "кого" => Wanted::Person,
        "when" | "time" | "day" | "date" | "month" | "year" | "week" | "hour" | "weekday" | "wann"
        | "когда" => Wanted::Time,
        "where" | "place" | "location" | "city" | "town" | "country" | "wo" | "где" => Wanted::Place,
        "many" | "much" | "number" | "percentage" => Wanted::Number,
        "why" | "reason" | "cause" | "warum" | "почему" => Wanted::Reason,
        _ => return None,
    })
}

/// The noun for the quantity that "how" and an adjective ask for: "how fast" asks for a speed.
pub(crate) fn measure(adjective: &str) -> Option<&'static str> {
    Some(match adjective {
        "fast" | "quick" | "quickly" => "speed",
        "heavy" => "weight",
        "tall" | "high" => "height",
        "long" => "duration length",
        "old" => "age",
        "far" => "distance",
        "big" | "large" => "size amount",
        "much" => "amount price cost",
        "deep" => "depth",
        "wide" => "width",
        "hot" | "warm" | "cold" => "temperature",
        "expensive" => "price cost",
        "often" => "frequency",
        _ => return None,
    })
}

/// The weight of a word: lower for general words, which a matching fact may lack.
pub(crate) fn weight(lower: &str) -> f32 {
    if recall::says(lower, Recall::General) {
        0.2
    } else if recall::says(lower, Recall::Light) {
        0.45
    } else {
        1.0
    }
}

/// Whether a word signals that a value supersedes an earlier one, in any form of a verb: "moved", "moving".
pub(crate) fn is_change(lower: &str) -> bool {
    change::says(lower, Change::Sign) || is_change_verb(lower)
}

/// Whether a word is a form of a verb of change, movement or handover.
pub(crate) fn is_change_verb(lower: &str) -> bool {
    if change::says(lower, Change::Verb) {
        return true;
    }
    let endings = [("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("s", ""), ("es", "")];
    endings.into_iter().any(|(ending, base)| {
        let stem = lower.strip_suffix(ending).filter(|stem| stem.len() > 2);
        stem.is_some_and(|stem| change::says(&format!("{stem}{base}"), Change::Verb))
    })
}

/// Whether a word is the base form of a verb of change, which may also be a noun: "update", "hand".
pub(crate) fn may_be_noun(lower: &str) -> bool {
    change::says(lower, Change::Verb)
}

/// Nouns for which "is" and an adjective give the value.
pub(crate) const STATES: &[&str] = &["status", "state"];
