//! English verbs with their forms, and adjectives.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use crate::pack::rows;

/// Returns the base forms of the verbs of which a lower-case word is a form.
pub(crate) fn lemmas(word: &str) -> impl Iterator<Item = &'static str> + use<> {
    FORMS.get(word).into_iter().flatten().map(|(lemma, _)| *lemma)
}

/// Returns whether a lower-case word can be the past tense or the past participle of a verb.
pub(crate) fn is_past_form(word: &str) -> bool {
    FORMS.get(word).is_some_and(|forms| forms.iter().any(|(_, is_past)| *is_past))
}

/// Returns the base form of the irregular verb of which a lower-case word is the past tense or the past participle.
pub(crate) fn irregular_base(word: &str) -> Option<&'static str> {
    IRREGULAR_FORMS.get(word).copied()
}

/// Returns whether a lower-case word is the base form of an irregular verb.
pub(crate) fn is_irregular_base(word: &str) -> bool {
    IRREGULAR_BASES.contains(word)
}

/// Returns whether a lower-case word is an adjective that is rarely any other part of speech.
pub(crate) fn is_adjective(word: &str) -> bool {
    ADJECTIVES.contains(word)
}

/// Returns the irregular forms of a verb after its base form, by which it is found.
pub(crate) fn irregular_pasts(base: &str) -> &'static [&'static str] {
    IRREGULAR_PASTS.get(base).map_or(&[], Vec::as_slice)
}

const IRREGULAR: &str = include_str!("../packs/en/irregular-verbs.tsv");
const REGULAR: &str = include_str!("../packs/en/verbs.txt");
const ADJECTIVE: &str = include_str!("../packs/en/adjectives.txt");

static ADJECTIVES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| words(ADJECTIVE).collect());

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

static IRREGULAR_PASTS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut pasts: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
    for (form, base) in IRREGULAR_FORMS.iter() {
        pasts.entry(base).or_default().push(form);
    }
    pasts.values_mut().for_each(|forms| forms.sort_unstable());
    pasts
});

/// The base forms of the verbs of which each word is a form, and whether it is a past tense or a past participle.
static FORMS: LazyLock<HashMap<String, Vec<(&'static str, bool)>>> = LazyLock::new(|| {
    let mut forms: HashMap<String, Vec<(&str, bool)>> = HashMap::new();
    let mut add = |word: String, lemma, is_past| {
        let of_word = forms.entry(word).or_default();
        match of_word.iter_mut().find(|(other, _)| *other == lemma) {
            Some(form) => form.1 |= is_past,
            None => of_word.push((lemma, is_past)),
        }
    };
    for fields in rows(IRREGULAR) {
        let base = fields[0];
        add(base.to_owned(), base, false);
        add(third(base), base, false);
        fields[1..]
            .iter()
            .flat_map(|forms| forms.split('/'))
            .for_each(|word| add(word.to_owned(), base, true));
        with_ending(base, "ing").for_each(|word| add(word, base, false));
    }
    for base in words(REGULAR) {
        add(base.to_owned(), base, false);
        add(third(base), base, false);
        with_ending(base, "ed").for_each(|word| add(word, base, true));
        with_ending(base, "ing").for_each(|word| add(word, base, false));
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
        for (word, base, is_past) in [
            ("runs", "run", false),
            ("running", "run", false),
            ("carried", "carry", true),
            ("goes", "go", false),
            ("dying", "die", false),
            ("agreed", "agree", true),
            ("stopped", "stop", true),
            ("travelling", "travel", false),
            ("making", "make", false),
            ("written", "write", true),
            ("become", "become", true),
            ("plays", "play", false),
        ] {
            assert_eq!(lemmas(word).collect::<Vec<_>>(), [base], "{word}");
            assert_eq!(is_past_form(word), is_past, "{word}");
        }
        assert_eq!(lemmas("saw").collect::<Vec<_>>(), ["saw", "see"]);
        assert_eq!(lemmas("table").next(), None);
    }

    #[test]
    fn no_verb_and_no_adjective_stands_twice_and_each_file_says_where_it_comes_from() {
        assert!(rows(IRREGULAR).all(|fields| fields.len() == 3));
        let mut seen = HashSet::new();
        for verb in rows(IRREGULAR).map(|fields| fields[0]).chain(words(REGULAR)) {
            assert!(seen.insert(verb), "{verb} stands twice");
        }
        let mut seen = HashSet::new();
        for adjective in words(ADJECTIVE) {
            assert!(seen.insert(adjective), "{adjective} stands twice");
        }
        for file in [IRREGULAR, REGULAR, ADJECTIVE] {
            assert!(file.lines().next().is_some_and(|line| line.contains("ritten for Quiver")));
        }
    }
}
