//! English verbs with their forms, and adjectives.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use crate::pack::rows;

/// A form of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The base form, "run": after "to" and "will", and in the present plural.
    Base,
    /// The third person singular, "runs".
    Third,
    /// The past tense, "ran".
    Past,
    /// The past participle, "run" or "written".
    Participle,
    /// The "-ing" form, "running".
    Gerund,
}

/// Returns the base form of a verb, given a lower-case word in the given form.
pub(super) fn lemma(word: &str, form: Form) -> Option<&'static str> {
    FORMS.get(word)?.iter().find(|(_, other)| *other == form).map(|(lemma, _)| *lemma)
}

/// Returns the base forms of the verbs of which a lower-case word is a form.
pub(crate) fn lemmas(word: &str) -> impl Iterator<Item = &'static str> + use<> {
    FORMS.get(word).into_iter().flatten().map(|(lemma, _)| *lemma)
}

/// Returns the base form of the irregular verb of which a lower-case word is the past tense or the past participle.
pub(crate) fn irregular_base(word: &str) -> Option<&'static str> {
    IRREGULAR_FORMS.get(word).copied()
}

/// Returns whether a lower-case word is the base form of an irregular verb.
pub(crate) fn is_irregular_base(word: &str) -> bool {
    IRREGULAR_BASES.contains(word)
}

/// Returns whether a lower-case word can be the given form of a verb.
pub(super) fn is_form(word: &str, form: Form) -> bool {
    lemma(word, form).is_some()
}

/// Returns whether a lower-case word is a form of a verb.
pub(super) fn is_verb(word: &str) -> bool {
    FORMS.contains_key(word)
}

/// Returns whether a lower-case word can only be a finite verb: "went".
pub(super) fn is_only_finite(word: &str) -> bool {
    let past_only = |forms: &Vec<(&str, Form)>| forms.iter().all(|(_, form)| *form == Form::Past);
    FORMS.get(word).is_some_and(past_only)
}

/// Returns whether a lower-case word is an adjective that is rarely any other part of speech.
pub(crate) fn is_adjective(word: &str) -> bool {
    ADJECTIVES.contains(word)
}

/// Returns whether a lower-case word can be the past tense or the past participle of a verb.
pub(crate) fn is_past_form(word: &str) -> bool {
    is_form(word, Form::Past) || is_form(word, Form::Participle)
}

/// Returns whether a verb, given in base form, rarely lacks an object in the active voice.
pub(super) fn needs_object(lemma: &str) -> bool {
    TRANSITIVE.contains(lemma)
}

static TRANSITIVE: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| words(include_str!("../../packs/en/transitive-verbs.txt")).collect());

const IRREGULAR: &str = include_str!("../../packs/en/irregular-verbs.tsv");
const REGULAR: &str = include_str!("../../packs/en/verbs.txt");

static ADJECTIVES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| words(include_str!("../../packs/en/adjectives.txt")).collect());

static IRREGULAR_BASES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| rows(IRREGULAR).map(|fields| fields[0]).collect());

static IRREGULAR_FORMS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut bases = HashMap::new();
    for fields in rows(IRREGULAR) {
        let base = fields[0];
        let is_regular = |form: &str| form == base || with_ending(base, "ed").any(|regular| regular == form);
        for form in fields[1..].iter().flat_map(|forms| forms.split('/')).filter(|form| !is_regular(form)) {
            bases.entry(form).or_insert(base);
        }
    }
    bases
});

static FORMS: LazyLock<HashMap<String, Vec<(&'static str, Form)>>> = LazyLock::new(|| {
    let mut forms: HashMap<String, Vec<(&str, Form)>> = HashMap::new();
    let mut add = |word: String, lemma, form| forms.entry(word).or_default().push((lemma, form));
    for fields in rows(IRREGULAR) {
        let [base, past, participle] = fields[..] else { continue };
        add(base.to_owned(), base, Form::Base);
        add(third(base), base, Form::Third);
        past.split('/').for_each(|word| add(word.to_owned(), base, Form::Past));
        participle.split('/').for_each(|word| add(word.to_owned(), base, Form::Participle));
        with_ending(base, "ing").for_each(|word| add(word, base, Form::Gerund));
    }
    for base in words(REGULAR) {
        add(base.to_owned(), base, Form::Base);
        add(third(base), base, Form::Third);
        for word in with_ending(base, "ed") {
            add(word.clone(), base, Form::Past);
            add(word, base, Form::Participle);
        }
        with_ending(base, "ing").for_each(|word| add(word, base, Form::Gerund));
    }
    forms
});

fn words(file: &'static str) -> impl Iterator<Item = &'static str> {
    rows(file).flatten().flat_map(|line| line.split(' '))
}

fn third(base: &str) -> String {
    if let Some(stem) = base.strip_suffix('y').filter(|stem| !stem.ends_with(is_vowel)) {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| base.ends_with(end));
    format!("{base}{}", if hisses { "es" } else { "s" })
}

/// Returns the form with "ed" or "ing". If the last letter may be doubled, returns both spellings.
fn with_ending(base: &str, ending: &'static str) -> impl Iterator<Item = String> {
    let past = ending == "ed";
    let letters: Vec<char> = base.chars().collect();
    let last = letters.last().copied().unwrap_or(' ');
    let doubles = letters.len() >= 3
        && !is_vowel(last)
        && !matches!(last, 'w' | 'x' | 'y')
        && is_vowel(letters[letters.len() - 2])
        && !is_vowel(letters[letters.len() - 3]);
    let plain = if let Some(stem) = base.strip_suffix("ie").filter(|_| !past) {
        format!("{stem}y{ending}")
    } else if let Some(stem) = base.strip_suffix('e').filter(|stem| past || !stem.ends_with(['e', 'o', 'y']))
    {
        format!("{stem}{ending}")
    } else if let Some(stem) = base.strip_suffix('y').filter(|stem| past && !stem.ends_with(is_vowel)) {
        format!("{stem}i{ending}")
    } else {
        format!("{base}{ending}")
    };
    [Some(plain), doubles.then(|| format!("{base}{last}{ending}"))].into_iter().flatten()
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_lead_to_their_verb() {
        for (word, form, base) in [
            ("runs", Form::Third, "run"),
            ("running", Form::Gerund, "run"),
            ("carried", Form::Past, "carry"),
            ("goes", Form::Third, "go"),
            ("dying", Form::Gerund, "die"),
            ("agreed", Form::Past, "agree"),
            ("stopped", Form::Participle, "stop"),
            ("travelling", Form::Gerund, "travel"),
            ("making", Form::Gerund, "make"),
            ("written", Form::Participle, "write"),
            ("found", Form::Past, "find"),
            ("plays", Form::Third, "play"),
        ] {
            assert_eq!(lemma(word, form), Some(base), "{word}");
        }
        assert_eq!(lemma("table", Form::Base), None);
        assert!(is_only_finite("went") && !is_only_finite("used") && !is_only_finite("runs"));
    }

    #[test]
    fn no_verb_and_no_adjective_stands_twice_and_each_file_says_where_it_comes_from() {
        let irregular: Vec<&str> = rows(IRREGULAR).map(|fields| fields[0]).collect();
        assert!(rows(IRREGULAR).all(|fields| fields.len() == 3));
        let mut seen = HashSet::new();
        for verb in irregular.into_iter().chain(words(REGULAR)) {
            assert!(seen.insert(verb), "{verb} stands twice");
        }
        let mut seen = HashSet::new();
        for adjective in words(include_str!("../../packs/en/adjectives.txt")) {
            assert!(seen.insert(adjective), "{adjective} stands twice");
        }
        assert!(
            words(include_str!("../../packs/en/transitive-verbs.txt"))
                .all(|verb| lemma(verb, Form::Base).is_some())
        );
        let lists = [
            include_str!("../../packs/en/adjectives.txt"),
            include_str!("../../packs/en/transitive-verbs.txt"),
        ];
        for file in [IRREGULAR, REGULAR].into_iter().chain(lists) {
            assert!(file.lines().next().is_some_and(|line| line.contains("ritten for Quiver")));
        }
    }
}
