//! Built-in knowledge of English: closed word classes, grammar, and the defaults listed in the documentation. It
//! contains no topics and no names.

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

/// Words that introduce a reason, and nouns for a problem.
pub(crate) const REASONS: &[&str] = &[
    "because", "since", "due", "cause", "caused", "causes", "reason", "root", "explains", "problem", "issue",
    "error", "fault", "failure", "defect", "bug", "broken",
];

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
    if GENERIC.contains(&lower) {
        0.2
    } else if LIGHT.contains(&lower) {
        0.45
    } else {
        1.0
    }
}

const GENERIC: &[&str] = &[
    "thing",
    "things",
    "something",
    "someone",
    "somebody",
    "anything",
    "stuff",
    "one",
    "ones",
    "currently",
    "now",
    "right",
    "moment",
    "remind",
    "tell",
    "please",
    "know",
    "again",
    "kind",
    "sort",
    "name",
    "exactly",
    "today",
    "finally",
    "first",
    "last",
    "latest",
    "actually",
    "quick",
    "recap",
    "need",
    "want",
    "person",
    "people",
    "place",
    "going",
    "supposed",
    "team's",
    "whatever",
    "whoever",
    "whichever",
];

const LIGHT: &[&str] = &[
    "be", "have", "do", "make", "take", "get", "give", "go", "come", "put", "say", "see", "let", "become",
    "choose", "decide", "pick", "select", "plan", "agree", "happen", "end", "many", "much", "time",
    "current", "belong", "involve", "concern", "refer",
];

/// Words of predicates that are single-valued unless declared otherwise, as listed in the documentation.
pub(crate) const SINGLE_VALUED: &[&str] = &[
    "status",
    "state",
    "deadline",
    "due",
    "priority",
    "severity",
    "version",
    "owner",
    "owned",
    "assigned",
    "assignee",
    "located",
    "location",
    "lives",
    "based",
    "works",
    "title",
    "price",
    "cost",
    "budget",
    "age",
    "date",
    "start",
    "starts",
    "ends",
    "scheduled",
    "planned",
    "manager",
    "director",
    "leader",
    "lead",
    "region",
    "size",
    "count",
    "number",
    "name",
    "address",
    "phone",
    "email",
    "format",
    "level",
    "phase",
    "stage",
    "speed",
    "temperature",
    "rate",
    "duration",
    "responsible",
    "charge",
    "handled",
    "handler",
    "approver",
    "commander",
    "chaired",
    "headed",
    "led",
    "managed",
    "maintained",
    "stored",
    "housed",
    "hosted",
    "password",
    "code",
    "takes place",
];

/// Prepositions that may end a question, after the verb they belong to: "come from", "run on".
pub(crate) const STRANDED: &[&str] = &[
    "from", "on", "in", "at", "to", "by", "with", "for", "about", "through", "into", "against", "under",
    "over",
];

/// Whether a word signals that a value supersedes an earlier one, in any form of a verb: "moved", "moving".
pub(crate) fn is_change(lower: &str) -> bool {
    CHANGES.contains(&lower) || is_change_verb(lower)
}

/// Whether a word is a form of a verb of change, movement or handover.
pub(crate) fn is_change_verb(lower: &str) -> bool {
    if CHANGING.contains(&lower) {
        return true;
    }
    let endings = [("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("s", ""), ("es", "")];
    endings.into_iter().any(|(ending, base)| {
        let stem = lower.strip_suffix(ending).filter(|stem| stem.len() > 2);
        stem.is_some_and(|stem| CHANGING.iter().any(|verb| verb.strip_suffix(base) == Some(stem)))
    })
}

/// Whether a word is the base form of a verb of change, which may also be a noun: "update", "hand".
pub(crate) fn may_be_noun(lower: &str) -> bool {
    CHANGING.contains(&lower)
}

/// Words that signal that a value supersedes an earlier one.
const CHANGES: &[&str] = &[
    "now",
    "instead",
    "actually",
    "correction",
    "corrected",
    "misread",
    "misspoke",
    "mistake",
    "sorry",
    "longer",
    "anymore",
    "formerly",
    "previously",
    "back",
    "again",
    "became",
    "becomes",
    "superseded",
    "overruled",
    "bumped",
    "bumping",
    "extension",
    "forward",
];

/// Verbs of change, movement and handover, in their base form.
const CHANGING: &[&str] = &[
    "change",
    "switch",
    "move",
    "migrate",
    "replace",
    "reassign",
    "re-assign",
    "hand",
    "update",
    "revise",
    "rename",
    "reschedule",
    "postpone",
    "raise",
    "lower",
    "extend",
    "upgrade",
    "downgrade",
    "escalate",
    "revert",
    "promote",
    "push",
    "delay",
    "shift",
    "transfer",
    "pass",
    "substitute",
    "swap",
    "relocate",
];

/// Nouns for which "is" and an adjective give the value.
pub(crate) const STATES: &[&str] = &["status", "state"];

/// Words for a cancellation.
pub(crate) const CANCELLATIONS: &[&str] =
    &["cancelled", "canceled", "cancellation", "revoked", "withdrawn", "scrapped"];

/// Predicates that equate two names.
pub(crate) const ALIASES: &[&str] = &[
    "same as",
    "is the same as",
    "is called",
    "called",
    "is named",
    "named",
    "is known as",
    "known as",
    "also known as",
    "aka",
    "alias",
    "is an alias of",
    "alias of",
    "is short for",
    "short for",
    "stands for",
    "is also called",
    "was renamed to",
    "renamed to",
    "code name",
    "codename",
    "has alias",
];
