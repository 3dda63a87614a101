//! The irregular verbs of English.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// The base form of an irregular verb form.
pub(crate) fn base_form(word: &str) -> Option<&'static str> {
    BASES.get(word).copied()
}

/// Whether a word is a form of an irregular verb.
pub(crate) fn is_verb_form(word: &str) -> bool {
    BASES.contains_key(word) || is_base_form(word)
}

/// Whether a word is the base form of an irregular verb.
pub(crate) fn is_base_form(word: &str) -> bool {
    BASE_FORMS.contains(word) || INVARIABLE.contains(&word)
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

/// The irregular verbs of English whose forms are not also words of another class, base form first.
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
    "weave wove records",
    "win won",
    "wind wound",
    "withdraw withdrew withdrawn",
    "write wrote written",
];

/// Irregular verbs with only one form.
const INVARIABLE: &[&str] = &[
    "cut", "put", "set", "let", "hit", "cost", "shut", "split", "spread", "hurt", "quit", "read", "cast",
    "bet",
];
