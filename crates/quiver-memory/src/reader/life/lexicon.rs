//! The noun classes in `nouns.tsv`.

use std::{collections::HashMap, sync::LazyLock};

/// A class of nouns or adjectives in `nouns.tsv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Members of a family.
    Kin,
    /// People by their relation to somebody: friend, boss.
    Role,
    /// Pets.
    Pet,
    /// Occupations.
    Occupation,
    /// Civil status, diet and the like, as adjectives.
    Status,
    /// Things that people own for years.
    Belonging,
    /// Medical conditions.
    Condition,
    /// Musical instruments.
    Instrument,
    /// Sports and games that are played.
    Sport,
    /// Languages, in lower case.
    Language,
    /// Courses and degrees: studied for, taken, finished.
    Schooling,
    /// Ventures: started, opened, run.
    Venture,
    /// Events that people attend.
    Event,
    /// Journeys.
    Journey,
    /// Races.
    Race,
    /// Awards: won or received.
    Award,
    /// Parts of the body.
    Body,
    /// What somebody gave birth to or went through in hospital.
    Birth,
    /// Works: written, painted, built.
    Craft,
    /// Gatherings of family and friends.
    Gathering,
    /// Talks: given to an audience.
    Speech,
    /// Jobs as positions.
    Post,
    /// Groups with members.
    Group,
}

const CLASSES: &[(&str, Class)] = &[
    ("kin", Class::Kin),
    ("role", Class::Role),
    ("pet", Class::Pet),
    ("occupation", Class::Occupation),
    ("status", Class::Status),
    ("belonging", Class::Belonging),
    ("condition", Class::Condition),
    ("instrument", Class::Instrument),
    ("sport", Class::Sport),
    ("language", Class::Language),
    ("schooling", Class::Schooling),
    ("venture", Class::Venture),
    ("event", Class::Event),
    ("journey", Class::Journey),
    ("race", Class::Race),
    ("award", Class::Award),
    ("body", Class::Body),
    ("birth", Class::Birth),
    ("craft", Class::Craft),
    ("gathering", Class::Gathering),
    ("speech", Class::Speech),
    ("post", Class::Post),
    ("group", Class::Group),
];

static NOUNS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut nouns: HashMap<&str, u32> = HashMap::new();
    for line in include_str!("nouns.tsv").lines().filter(|line| !line.starts_with('#')) {
        let Some((name, words)) = line.split_once('\t') else { continue };
        let Some((_, class)) = CLASSES.iter().find(|(known, _)| *known == name) else { continue };
        words.split(',').for_each(|word| *nouns.entry(word).or_default() |= 1 << *class as u32);
    }
    nouns
});

/// Returns whether a lower-case noun, in the singular or the plural, is in a class.
pub(super) fn is(noun: &str, class: Class) -> bool {
    singular_in(noun, class).is_some()
}

/// Returns whether a lower-case noun is one for a person: a relative, a friend, somebody with an occupation.
pub fn is_person(noun: &str) -> bool {
    [Class::Kin, Class::Role, Class::Occupation].into_iter().any(|class| is(noun, class))
}

/// Returns whether a lower-case noun in the singular is in any class.
pub(super) fn is_known(noun: &str) -> bool {
    NOUNS.contains_key(noun)
}

/// Returns the singular of a noun that is in a class: "kids" is "kid".
pub(super) fn singular_in(noun: &str, class: Class) -> Option<&'static str> {
    let find = |word: &str| {
        let (known, classes) = NOUNS.get_key_value(word)?;
        (classes & (1 << class as u32) != 0).then_some(*known)
    };
    let ending = |ending: &str, instead: &str| {
        noun.strip_suffix(ending).and_then(|stem| find(&format!("{stem}{instead}")))
    };
    find(noun)
        .or_else(|| if noun == "children" { find("child") } else { None })
        .or_else(|| ending("wives", "wife"))
        .or_else(|| ending("ies", "y"))
        .or_else(|| noun.strip_suffix('s').and_then(find))
        .or_else(|| noun.strip_suffix("es").and_then(find))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_are_found_in_both_numbers() {
        assert_eq!(singular_in("kids", Class::Kin), Some("kid"));
        assert_eq!(singular_in("children", Class::Kin), Some("child"));
        assert_eq!(singular_in("puppies", Class::Pet), Some("puppy"));
        assert_eq!(singular_in("guinea pig", Class::Pet), Some("guinea pig"));
        assert_eq!(singular_in("nurse", Class::Kin), None);
    }

    #[test]
    fn every_line_names_a_known_class() {
        let lines = include_str!("nouns.tsv").lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let class = line.split_once('\t').map(|(class, _)| class);
            assert!(CLASSES.iter().any(|(known, _)| class == Some(*known)), "{line}");
        }
    }
}
