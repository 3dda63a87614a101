//! Compares words with the names of labels, properties and relationship types.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use crate::{
    lexicon::{self, irregular_base, irregular_pasts, is_irregular_base, is_past_form, lemmas},
    pack::{Class, Language, rows},
    term::{self, Term, each_term},
};

/// Returns the stems with which a word is compared: its own, that of the verb it is a form of, and that of
/// the noun it is an irregular plural of. "written" has those of "written" and "write".
pub fn stems(word: &str) -> Vec<u32> {
    let lower = word.to_lowercase();
    let mut forms: Vec<Cow<'static, str>> = lemmas(&lower).map(Cow::Borrowed).collect();
    forms.extend(PLURALS.get(lower.as_str()).map(|singular| Cow::Borrowed(*singular)));
    // "Craftsmen", "salespeople".
    let compounds =
        [("men", "man"), ("people", "person"), ("children", "child"), ("mice", "mouse")].into_iter();
    forms.extend(compounds.filter_map(|(plural, singular)| {
        let first = lower.strip_suffix(plural).filter(|first| first.len() > 2)?;
        Some(Cow::Owned(format!("{first}{singular}")))
    }));
    // "Campuses".
    let of_us = lower.strip_suffix("es").filter(|singular| singular.len() > 2 && singular.ends_with("us"));
    forms.extend(of_us.map(|singular| Cow::Owned(singular.to_owned())));
    forms.insert(0, Cow::Owned(lower));
    let mut found = Vec::new();
    for form in forms {
        let mut first = None;
        each_term(&form, |term| {
            first.get_or_insert(term.hash);
        });
        found.extend(first.filter(|hash| !found.contains(hash)));
    }
    found
}

/// Returns the common prefix of all forms of a lower-case English word: "migrat" for "migration", "polic" for
/// "policies".
pub fn beginning(word: &str) -> String {
    term::beginning(word)
}

/// Returns the base forms of the English verbs that a lower-case word may be a form of: "see" and "saw" for
/// "saw".
pub fn verbs(word: &str) -> impl Iterator<Item = &'static str> {
    lemmas(word)
}

/// Returns whether a lower-case word may be a form of an English verb.
pub fn is_verb(word: &str) -> bool {
    verbs(word).next().is_some()
}

/// Returns whether a lower-case word may be the past tense or the past participle of an English verb.
pub fn is_past(word: &str) -> bool {
    is_past_form(word)
}

/// Returns whether a lower-case word is an English adjective that is rarely any other part of speech.
pub fn is_adjective(word: &str) -> bool {
    lexicon::is_adjective(word)
}

/// Returns the base form of the irregular English verb of which a lower-case word is a form: "weave" for "woven".
/// A base form and a regular form such as "learned" have none.
pub fn irregular_verb(word: &str) -> Option<&'static str> {
    match word {
        "did" | "does" | "done" => Some("do"),
        "has" | "had" => Some("have"),
        "goes" => Some("go"),
        _ => irregular_base(word),
    }
}

/// Returns the other forms of the irregular English verb of which a lower-case word is a form, the base form first: "buy" for
/// "bought", "bought" for "buy". A base form that is more often a noun has none.
pub fn irregular_forms(word: &str) -> Vec<&'static str> {
    let base = irregular_verb(word);
    let pasts = if is_irregular_verb(word) { irregular_pasts(base.unwrap_or(word)) } else { &[] };
    base.into_iter().chain(pasts.iter().copied()).filter(|form| *form != word).collect()
}

/// Returns the nouns for the event that an English verb says, given in base form: "birth" for "bear".
pub fn event_nouns(base: &str) -> impl Iterator<Item = &'static str> {
    EVENT_NOUNS.get(base).into_iter().flat_map(|nouns| nouns.split(' '))
}

static EVENT_NOUNS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = rows(include_str!("../packs/en/events.tsv"));
    lines.filter_map(|fields| Some((*fields.first()?, *fields.get(1)?))).collect()
});

/// Returns whether a lower-case word is a form of an irregular English verb and is rarely a noun: "woven", "weave" and
/// "put", but not "spring" or "offset".
pub fn is_irregular_verb(word: &str) -> bool {
    irregular_verb(word).is_some()
        || matches!(word, "do" | "have")
        || is_irregular_base(word) && !NOUNS.contains(&word)
}

/// Returns whether a lower-case English word is a finite auxiliary: "is", "did", "can't", but not "been".
pub fn is_finite_auxiliary(word: &str) -> bool {
    Language::English.class(word) == Some(Class::Auxiliary)
        && !matches!(word, "be" | "been" | "being" | "done" | "doing" | "having")
}

/// Base forms of irregular verbs that are more often nouns.
const NOUNS: &[&str] = &[
    "bear",
    "bid",
    "broadcast",
    "burst",
    "forecast",
    "lie",
    "mistake",
    "offset",
    "reset",
    "saw",
    "shed",
    "sling",
    "slit",
    "smell",
    "speed",
    "spell",
    "spill",
    "spit",
    "spring",
    "sting",
    "stride",
    "string",
    "swell",
    "thrust",
    "tread",
    "upset",
];

/// Returns the groups of words that may express the same relation to which a lower-case base form belongs, one bit each:
/// "fix" and "repair" share one.
pub fn related(base: &str) -> u64 {
    RELATED.get(base).copied().unwrap_or_default()
}

/// Returns the plural of an English noun phrase: "session IDs" for "session ID", "Analyses" for "Analysis".
pub fn plural(phrase: &str) -> String {
    let lower = phrase.to_lowercase();
    let last = lower.rsplit(' ').next().unwrap_or_default();
    let irregular = PLURALS.iter().find(|(_, singular)| **singular == last).map(|(plural, _)| *plural);
    // The first letter keeps its case.
    if let (Some(irregular), Some(start)) = (irregular, phrase.len().checked_sub(last.len()))
        && let (Some(first), Some(rest)) = (phrase.get(..=start), irregular.get(1..))
    {
        return format!("{first}{rest}");
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    if ends(&["s", "x", "z", "ch", "sh"]) {
        return format!("{phrase}es");
    }
    match phrase.strip_suffix('y') {
        Some(stem) if !ends(&["ay", "ey", "iy", "oy", "uy"]) => format!("{stem}ies"),
        _ => format!("{phrase}s"),
    }
}

/// Returns the groups of verbs that say the same to which a verb in its base form belongs, with its particles, one bit each:
/// "tend" and "look after" share one.
pub fn same_saying(verb: &str) -> u64 {
    SYNONYMS.get(verb).copied().unwrap_or_default()
}

/// Splits a name in code into words: `DEPLOYED_IN`, `ClinicalTrial`, `release-year`.
pub fn parts(name: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    each_term(name, |term| terms.push(term));
    let is_part = |term: &&Term| !terms.iter().any(|other| term.contains(other));
    terms.iter().filter(is_part).map(|term| &name[term.start..term.end]).collect()
}

static RELATED: LazyLock<HashMap<&'static str, u64>> =
    LazyLock::new(|| groups(include_str!("../packs/en/related.tsv"), " "));

static SYNONYMS: LazyLock<HashMap<&'static str, u64>> =
    LazyLock::new(|| groups(include_str!("../packs/en/synonyms.tsv"), ", "));

/// Returns the groups of words, a line each, to which each of them belongs, one bit each.
fn groups(lines: &'static str, separator: &str) -> HashMap<&'static str, u64> {
    let mut groups: HashMap<&str, u64> = HashMap::new();
    for (number, fields) in rows(lines).enumerate() {
        for word in fields.iter().flat_map(|words| words.split(separator)) {
            *groups.entry(word).or_default() |= 1 << number;
        }
    }
    groups
}

static PLURALS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = rows(include_str!("../packs/en/plurals.tsv"));
    lines.filter_map(|fields| Some((*fields.first()?, *fields.get(1)?))).collect()
});

#[cfg(test)]
mod tests {
    use super::{
        NOUNS, beginning, irregular_verb, is_finite_auxiliary, is_irregular_base, is_irregular_verb, parts,
        plural, same_saying, stems,
    };
    use crate::pack::rows;

    #[test]
    fn forms_of_a_word_share_a_stem_and_other_words_do_not() {
        let share = |a: &str, b: &str| stems(a).iter().any(|stem| stems(b).contains(stem));
        for (a, b) in [
            ("APIs", "API"),
            ("owned", "OWNS"),
            ("written", "WROTE"),
            ("led", "LEADS"),
            ("people", "Person"),
            ("buses", "Bus"),
            ("craftsmen", "Craftsman"),
            ("shelves", "Shelf"),
            ("aircraft", "Aircraft"),
        ] {
            assert!(share(a, b), "{a} {b}");
        }
        for (a, b) in [("owned", "owed"), ("service", "serve"), ("teams", "team-mate")] {
            assert!(!share(a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_noun_has_a_plural() {
        let made = ["certificate", "policy", "key", "box", "session ID", "Tax analysis", "Shelf", "Duty"]
            .map(plural);
        let plurals =
            ["certificates", "policies", "keys", "boxes", "session IDs", "Tax analyses", "Shelves", "Duties"];
        assert_eq!(made, plurals);
    }

    #[test]
    fn verbs_of_a_group_say_the_same() {
        assert!(rows(include_str!("../packs/en/synonyms.tsv")).count() <= 64);
        assert_ne!(same_saying("tend") & same_saying("look after"), 0);
        assert_eq!(same_saying("write") & same_saying("produce"), 0);
        assert_eq!(same_saying("gargle"), 0);
    }

    #[test]
    fn forms_of_a_word_begin_alike() {
        for (word, form) in [("migration", "migrate"), ("policies", "policy"), ("payments", "payment")] {
            assert!(form.starts_with(&beginning(word)), "{word} {form}");
        }
    }

    #[test]
    fn irregular_forms_lead_to_their_verb() {
        for (form, base) in [("wove", "weave"), ("woven", "weave"), ("has", "have"), ("lit", "light")] {
            assert_eq!(irregular_verb(form), Some(base), "{form}");
        }
        for word in ["records", "weave", "put", "learned", "planned"] {
            assert_eq!(irregular_verb(word), None, "{word}");
        }
        for (word, is_verb) in
            [("woven", true), ("put", true), ("have", true), ("spring", false), ("boat", false)]
        {
            assert_eq!(is_irregular_verb(word), is_verb, "{word}");
        }
        assert!(NOUNS.is_sorted() && NOUNS.iter().all(|noun| is_irregular_base(noun)));
    }

    #[test]
    fn only_finite_forms_are_finite_auxiliaries() {
        for (word, is_finite) in [("did", true), ("can't", true), ("been", false), ("run", false)] {
            assert_eq!(is_finite_auxiliary(word), is_finite, "{word}");
        }
    }

    #[test]
    fn a_name_in_code_is_cut_into_its_words() {
        assert_eq!(parts("DEPLOYED_IN"), ["DEPLOYED", "IN"]);
        assert_eq!(parts("ClinicalTrial"), ["Clinical", "Trial"]);
        assert_eq!(parts("release-year"), ["release", "year"]);
        assert_eq!(parts("API"), ["API"]);
    }
}
