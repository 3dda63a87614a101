//! Normalises relations across active, passive and nominal forms: "Ann manages Bob", "Bob is managed by Ann", "Ann is
//! the manager of Bob" and "Bob's manager is Ann" are one relation from Ann to Bob.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use quiver_language::{
    Language,
    predicate::{self, Predicate},
    relation::{RelationalVerb, irregular_agents, relational_verbs},
    word::{self, verbs},
};

use crate::reader::is_person;

/// A normalised relation and its direction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelationKey {
    /// The verb in base form with its preposition, or the words of the predicate if its verb is unknown.
    pub base: String,
    /// Whether subject and object are swapped, as in "is managed by" and "has owner".
    pub inverted: bool,
}

/// Maps each form of a verb to its base form.
static FORMS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut forms = HashMap::new();
    for RelationalVerb { base, irregular, .. } in relational_verbs() {
        forms.insert(base.to_owned(), base);
        forms.insert(third_person(base), base);
        forms.insert(gerund(base), base);
        if irregular.is_empty() {
            forms.insert(past(base), base);
        }
        for form in irregular {
            forms.insert(form.to_owned(), base);
        }
    }
    forms
});

/// Verbs that state a fact between a subject and an object by themselves ("Ann manages Bob"), in base form.
static TRANSITIVE: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| relational_verbs().filter(|verb| verb.is_transitive).map(|verb| verb.base).collect());

/// Irregular agent nouns with their verbs. Regular ones are the verb with "-er" or "-or".
static AGENTS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| irregular_agents().collect());

/// Returns the third person singular of a verb in base form: "owns".
pub fn third_person(base: &str) -> String {
    match base {
        base if base.ends_with(['s', 'x', 'z', 'o']) || base.ends_with("ch") || base.ends_with("sh") => {
            format!("{base}es")
        }
        base => match base.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
            _ => format!("{base}s"),
        },
    }
}

fn past(base: &str) -> String {
    if base.ends_with('e') {
        return format!("{base}d");
    }
    match base.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ied"),
        _ if matches!(base, "ship" | "plan" | "submit") => format!("{base}{}ed", &base[base.len() - 1..]),
        _ => format!("{base}ed"),
    }
}

fn gerund(base: &str) -> String {
    match base {
        "run" | "plan" | "ship" | "sit" | "win" => format!("{base}{}ing", &base[base.len() - 1..]),
        base => format!("{}ing", base.strip_suffix('e').filter(|stem| !stem.ends_with('e')).unwrap_or(base)),
    }
}

/// Returns the base form of a relational verb.
pub fn base(word: &str) -> Option<&'static str> {
    FORMS.get(word).copied()
}

/// Returns what all forms of a verb have in common: its base form if it is known, otherwise the word without its ending.
/// "lends" and "lent" give "lend", "tutors" and "tutored" give "tutor".
pub fn lemma(word: &str) -> Cow<'static, str> {
    if let Some(known) = base(word).or_else(|| verbs(word).next()) {
        return Cow::Borrowed(known);
    }
    let stem = match word {
        word if word.len() > 5 && word.ends_with("ing") => undoubled(&word[..word.len() - 3]),
        word if ends_as_past(word) => undoubled(&word[..word.len() - 2]),
        word if ends_as_present(word) => &word[..word.len() - 1],
        word => word,
    };
    let bare = stem.strip_suffix("ie").or_else(|| stem.strip_suffix('i'));
    Cow::Owned(bare.map_or_else(|| stem.trim_end_matches('e').to_owned(), |bare| format!("{bare}y")))
}

/// Prepositions that say where a thing is.
pub(crate) const PLACES: &[&str] =
    &["in", "at", "on", "aboard", "inside", "under", "behind", "near", "opposite"];

/// Adverbs that belong to a verb: "locks up".
pub(crate) const PARTICLES: &[&str] = &["up", "down", "out", "off", "away"];

/// Returns a stem without the consonant that an ending doubles: "man" for the "mann" of "manned".
fn undoubled(stem: &str) -> &str {
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(one), Some(other)) if one == other && !"aeioulsfz".contains(one) => {
            &stem[..stem.len() - one.len_utf8()]
        }
        _ => stem,
    }
}

/// Returns the base form of the verb of which a word is the gerund: "run" for "running".
pub(crate) fn gerund_base(word: &str) -> Option<String> {
    if word.len() < 5 || !word.ends_with("ing") {
        return None;
    }
    base(word).or_else(|| verbs(word).next()).filter(|base| *base != word).map(str::to_owned)
}

/// Returns whether a word is, or ends like, the third person singular of a verb: "tutors".
pub fn is_third_person(word: &str) -> bool {
    let is_known = || verbs(word).next().is_none_or(|base| base != word);
    is_present(word) || ends_as_present(word) && Language::English.class(word).is_none() && is_known()
}

/// Returns whether a word is, or ends like, the past tense or the participle of a verb: "tutored".
pub fn is_participle(word: &str) -> bool {
    word == "done"
        || is_past(word)
        || word::is_past(word)
        || ends_as_past(word) && Language::English.class(word).is_none()
}

fn ends_as_present(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("'s")
}

fn ends_as_past(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")
}

/// Returns whether a verb in base form states a fact between a subject and an object by itself.
pub(crate) fn is_transitive(base: &str) -> bool {
    TRANSITIVE.contains(base)
}

/// Returns whether a word is the third person singular of a relational verb: "owns".
pub fn is_present(word: &str) -> bool {
    base(word).is_some_and(|base| third_person(base) == word)
}

/// Returns whether a word is the past tense or participle of a relational verb.
pub fn is_past(word: &str) -> bool {
    base(word).is_some_and(|base| base != word && third_person(base) != word && gerund(base) != word)
        || matches!(word, "run" | "read")
}

/// Returns the verb of an agent noun: "owner", "supplier", "lead".
pub fn agent(noun: &str) -> Option<&'static str> {
    if let Some(verb) = AGENTS.get(noun) {
        return FORMS.get(*verb).copied();
    }
    let stem = noun.strip_suffix("er").or_else(|| noun.strip_suffix("or"))?;
    let doubled = stem
        .strip_suffix(|c: char| c.is_ascii_alphabetic())
        .filter(|short| short.chars().last() == stem.chars().last());
    let with_y = stem.strip_suffix('i').map(|short| format!("{short}y"));
    let verbs: Vec<String> = [stem.to_owned(), format!("{stem}e")]
        .into_iter()
        .chain(doubled.map(str::to_owned))
        .chain(with_y)
        .collect();
    let relational = verbs.iter().find_map(|base| FORMS.get(base).copied().filter(|known| known == base));
    let is_verb = |base: &&String| base.len() > 3;
    relational.or_else(|| {
        let known = |base: &String| word::verbs(base).find(|known| known == base);
        verbs.iter().filter(is_verb).find_map(known)
    })
}

/// Returns the relation of a predicate: "is managed by", `MANAGED_BY`, "manages", "is the manager of", "has manager".
pub fn key(predicate: &str) -> RelationKey {
    let words = words(predicate);
    let said: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !predicate::says(word, Predicate::Auxiliary))
        .collect();
    let key = |base: &str, rest: &[&str], inverted| {
        // Treat "reassign" as "assign".
        let base = if base == "reassign" { "assign" } else { base };
        let rest = rest.iter().map(|word| format!(" {word}")).collect::<String>();
        RelationKey { base: format!("{base}{rest}"), inverted }
    };
    match said.as_slice() {
        // "Does the milking", "is done by".
        ["done", "by"] => key("do", &[], true),
        [] if words.iter().all(|word| matches!(word.as_str(), "do" | "does" | "did")) => {
            key("do", &[], false)
        }
        [] => key(&words.join(" "), &[], false),
        [noun, "of" | "for"] if agent(noun).is_some() => key(agent(noun).unwrap_or(noun), &[], false),
        ["responsible", "for"] | ["charge", "of"] | ["in", "charge", "of"] => {
            key("be responsible for", &[], false)
        }
        [verb, "by"] if is_participle(verb) => key(&lemma(verb), &[], true),
        [verb, particle, "by"] if is_participle(verb) => key(&lemma(verb), &[*particle], true),
        // "The committee has chair Ada": she chairs it.
        [noun] if words[0] == "has" && base(noun) == Some(noun) => key(noun, &[], true),
        [noun] if agent(noun).is_some() && !is_present(noun) && base(noun) != Some(noun) => {
            key(agent(noun).unwrap_or(noun), &[], true)
        }
        // "Kamila | mentor | Yusuf": he is her mentor. As a verb it would be "mentors".
        [noun] if words.len() == 1 && base(noun) == Some(noun) && is_person(noun) => key(noun, &[], true),
        // "Kamila has secretary Yusuf": he is the secretary of Kamila.
        [.., noun] if words[0] == "has" && is_person(noun) => key(&said.join(" "), &["of"], true),
        [verb, rest @ ..] => key(&lemma(verb), rest, false),
    }
}

/// Splits a predicate into lower-case words, including `DEPENDS_ON` and `dependsOn`.
pub fn words(predicate: &str) -> Vec<String> {
    let mut split = String::with_capacity(predicate.len() + 4);
    let mut before_small = false;
    for c in predicate.chars() {
        if c == '_' || c == '-' {
            split.push(' ');
        } else {
            if c.is_uppercase() && before_small {
                split.push(' ');
            }
            split.extend(c.to_lowercase());
        }
        before_small = c.is_lowercase();
    }
    split.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voices_and_nouns_are_one_relation() {
        for (predicate, base, inverted) in [
            ("manages", "manage", false),
            ("is managed by", "manage", true),
            ("MANAGED_BY", "manage", true),
            ("is the manager of", "manage", false),
            ("has manager", "manage", true),
            ("owner", "own", true),
            ("is run by", "run", true),
            ("runs", "run", false),
            ("runs on", "run on", false),
            ("DEPENDS_ON", "depend on", false),
            ("reports to", "report to", false),
            ("is the lead of", "lead", false),
            ("is in charge of", "be responsible for", false),
            ("is looked after by", "look after", true),
            ("looks after", "look after", false),
            ("is the supplier of", "supply", false),
            ("is the trainer of", "train", false),
            ("has printer", "print", true),
            ("is the number of", "number of", false),
            ("has author", "write", true),
            ("has chair", "chair", true),
            ("has secretary", "secretary of", true),
            ("mentor", "mentor", true),
            ("mentors", "mentor", false),
            ("has piano teacher", "piano teacher of", true),
            ("does", "do", false),
            ("is done by", "do", true),
            ("was written by", "write", true),
            ("colour", "colour", false),
            ("feeds", "feed", false),
            ("LENDS_TO", "lend to", false),
            ("is tutored by", "tutor", true),
            ("tutors", "tutor", false),
            ("narrated by", "narrat", true),
            ("narrates", "narrat", false),
            ("was classified as", "classify as", false),
        ] {
            let expect = RelationKey { base: base.to_owned(), inverted };
            assert_eq!(key(predicate), expect, "{predicate}");
        }
    }
}
