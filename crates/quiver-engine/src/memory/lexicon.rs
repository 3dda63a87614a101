//! What the memory knows of English words before it has read any: closed classes, grammar, and the defaults that the
//! documentation lists. No topics, no names.

/// What sort of value a question asks for.
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

/// The sort of value that a question word, or the noun after one, asks for.
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

/// Words that lead to a reason, and the nouns for what is wrong.
pub(crate) const REASONS: &[&str] = &[
    "because", "since", "due", "cause", "caused", "causes", "reason", "root", "explains", "problem", "issue",
    "error", "fault", "failure", "defect", "bug", "broken",
];

/// The noun that a question with "how" and an adjective asks for: "how fast" asks for a speed.
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

/// Words that say so little of what is asked that a fact need hardly repeat them.
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

/// Stems of predicates that have one value at a time unless something else is declared: what the documentation lists.
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

/// Prepositions that a question may end in, after the verb that they belong to: "come from", "run on".
pub(crate) const STRANDED: &[&str] = &[
    "from", "on", "in", "at", "to", "by", "with", "for", "about", "through", "into", "against", "under",
    "over",
];

/// Whether a word says that a value takes the place of an earlier one, in any form of a verb: "moved", "moving".
pub(crate) fn is_change(lower: &str) -> bool {
    if CHANGES.contains(&lower) || CHANGING.contains(&lower) {
        return true;
    }
    let endings = [("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("s", ""), ("es", "")];
    endings.into_iter().any(|(ending, base)| {
        let stem = lower.strip_suffix(ending).filter(|stem| stem.len() > 2);
        stem.is_some_and(|stem| CHANGING.iter().any(|verb| verb.strip_suffix(base) == Some(stem)))
    })
}

/// Whether a word is a verb of changing as it stands in a dictionary, where it may be a noun as well: "update", "hand".
pub(crate) fn may_be_noun(lower: &str) -> bool {
    CHANGING.contains(&lower)
}

/// Words that say that a value takes the place of an earlier one.
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

/// Verbs of changing, moving and handing over, in their base form.
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

/// Words for what an adjective after "is" says of a thing.
pub(crate) const STATES: &[&str] = &["status", "state"];

/// Words that say that something does not take place after all.
pub(crate) const CANCELLATIONS: &[&str] =
    &["cancelled", "canceled", "cancellation", "revoked", "withdrawn", "scrapped"];

/// Predicates that say that two names are of one thing.
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
