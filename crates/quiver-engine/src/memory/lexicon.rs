//! What the memory knows of English words before it has read any: closed classes, grammar, and the defaults that the
//! documentation lists. No topics, no names.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

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
}

/// The sort of value that a question word, or the noun after one, asks for.
pub(crate) fn wanted(word: &str) -> Option<Wanted> {
    Some(match word {
        "who" | "whom" | "whose" | "person" | "wer" | "wem" | "кто" | "кого" => Wanted::Person,
        "when" | "time" | "day" | "date" | "month" | "year" | "week" | "hour" | "weekday" | "wann"
        | "когда" => Wanted::Time,
        "where" | "place" | "location" | "city" | "town" | "country" | "wo" | "где" => Wanted::Place,
        "many" | "much" | "number" | "percentage" => Wanted::Number,
        _ => return None,
    })
}

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
];

const LIGHT: &[&str] = &[
    "be", "have", "do", "make", "take", "get", "give", "go", "come", "put", "use", "say", "see", "let",
    "become", "choose", "decide", "pick", "select", "plan", "agree", "happen", "end", "many", "much", "time",
    "current", "belong", "involve", "concern", "refer",
];

/// The base form of an irregular verb form.
pub(crate) fn base_form(word: &str) -> Option<&'static str> {
    BASES.get(word).copied()
}

/// Whether a word is a form of an irregular verb.
pub(crate) fn is_verb_form(word: &str) -> bool {
    BASES.contains_key(word) || BASE_FORMS.contains(word) || INVARIABLE.contains(&word)
}

static BASES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut bases = HashMap::new();
    for line in IRREGULAR {
        let mut forms = line.split(' ');
        let base = forms.next().expect("a line begins with the base form");
        for form in forms {
            bases.entry(form).or_insert(base);
        }
    }
    bases
});

static BASE_FORMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| BASES.values().copied().collect());

/// The irregular verbs of English whose forms are no words of another kind, base form first.
const IRREGULAR: &[&str] = &[
    "arise arose arisen",
    "beat beaten",
    "become became",
    "begin began begun",
    "bend bent",
    "bind bound",
    "bite bit bitten",
    "bleed bled",
    "blow blew blown",
    "break broke broken",
    "breed bred",
    "bring brought",
    "build built",
    "burn burnt",
    "buy bought",
    "catch caught",
    "choose chose chosen",
    "come came",
    "creep crept",
    "deal dealt",
    "dig dug",
    "do did does done",
    "draw drew drawn",
    "dream dreamt",
    "drink drank drunk",
    "drive drove driven",
    "eat ate eaten",
    "fall fell fallen",
    "feed fed",
    "feel felt",
    "fight fought",
    "find found",
    "flee fled",
    "fly flew flown",
    "forbid forbade forbidden",
    "forget forgot forgotten",
    "forgive forgave forgiven",
    "freeze froze frozen",
    "get got gotten",
    "give gave given",
    "go went gone goes",
    "grind ground",
    "grow grew grown",
    "hang hung",
    "have has had",
    "hear heard",
    "hide hid hidden",
    "hold held",
    "keep kept",
    "kneel knelt",
    "know knew known",
    "lay laid",
    "lead led",
    "lean leant",
    "leap leapt",
    "learn learnt",
    "leave left",
    "lend lent",
    "light lit",
    "lose lost",
    "make made",
    "mean meant",
    "meet met",
    "pay paid",
    "ride rode ridden",
    "ring rang rung",
    "rise rose risen",
    "run ran",
    "say said",
    "see saw seen",
    "seek sought",
    "sell sold",
    "send sent",
    "sew sewn",
    "shake shook shaken",
    "shine shone",
    "shoot shot",
    "show showed shown",
    "shrink shrank shrunk",
    "sing sang sung",
    "sink sank sunk",
    "sit sat",
    "sleep slept",
    "slide slid",
    "sow sown",
    "speak spoke spoken",
    "spend spent",
    "spin spun",
    "stand stood",
    "steal stole stolen",
    "stick stuck",
    "strike struck",
    "swear swore sworn",
    "sweep swept",
    "swim swam swum",
    "swing swung",
    "take took taken",
    "teach taught",
    "tear tore torn",
    "tell told",
    "think thought",
    "throw threw thrown",
    "understand understood",
    "wake woke woken",
    "wear wore worn",
    "weave wove woven",
    "win won",
    "wind wound",
    "withdraw withdrew withdrawn",
    "write wrote written",
];

/// Irregular verbs whose forms are all alike.
const INVARIABLE: &[&str] = &[
    "cut", "put", "set", "let", "hit", "cost", "shut", "split", "spread", "hurt", "quit", "read", "cast",
    "bet",
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

/// Words that say that a value takes the place of an earlier one.
pub(crate) const CHANGES: &[&str] = &[
    "now",
    "instead",
    "changed",
    "change",
    "switched",
    "switch",
    "switching",
    "moved",
    "moves",
    "move",
    "migrated",
    "migrate",
    "replaced",
    "replaces",
    "replacing",
    "reassigned",
    "re-assigned",
    "handed",
    "updated",
    "update",
    "revised",
    "renamed",
    "rescheduled",
    "postponed",
    "postpone",
    "raised",
    "lowered",
    "bumped",
    "extended",
    "extension",
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
    "upgraded",
    "downgraded",
    "escalated",
    "again",
    "became",
    "becomes",
    "superseded",
    "overruled",
    "reverted",
    "promoted",
    "forward",
    "pushed",
    "delayed",
    "shifted",
    "transferred",
    "lower",
    "raise",
    "extend",
    "revise",
    "reassign",
    "rename",
    "reschedule",
    "delay",
    "shift",
    "transfer",
    "upgrade",
    "downgrade",
    "escalate",
    "promote",
    "revert",
];

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
