//! The dimensions of things, and the units of numbers: "taller", "the cheapest", "weighs", "minutes".

use std::{collections::HashMap, sync::LazyLock};

use crate::pack::rows;

/// A dimension in one direction: "taller" is a height that is high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dimension {
    /// Whether it refers to the higher end: "taller", "costs".
    pub is_high: bool,
    /// The base unit, if there is one: "metre".
    pub unit: Option<&'static str>,
    nouns: &'static str,
}

impl Dimension {
    /// The dimensions that a lower-case comparative may be said of: "cheaper".
    pub fn of_comparative(word: &str) -> &'static [Self] {
        of_form("comparative", word)
    }

    /// The dimensions that a lower-case superlative may be said of: "cheapest".
    pub fn of_superlative(word: &str) -> &'static [Self] {
        of_form("superlative", word)
    }

    /// The dimensions that a verb, in base form, says: "cost", "weigh".
    pub fn of_verb(base: &str) -> &'static [Self] {
        of_form("verb", base)
    }

    /// The nouns that name it, as in the names of properties: "height".
    pub fn nouns(self) -> impl Iterator<Item = &'static str> {
        self.nouns.split(' ')
    }
}

/// A unit of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Unit {
    /// The base unit: "metre" for a kilometre.
    pub base: &'static str,
    /// How many of its base unit it is.
    pub size: f64,
}

impl Unit {
    /// The units that a lower-case word after a number may name: "pounds" are a mass or money.
    pub fn named(word: &str) -> impl Iterator<Item = Self> {
        named(word).map(|(unit, _)| *unit)
    }

    /// The units that the last word in the name of a property may be: `heightCm`. A day is not the length of `birthDay`.
    pub fn of_property(word: &str) -> impl Iterator<Item = Self> {
        named(word).filter(|(_, ends_names)| *ends_names).map(|(unit, _)| *unit)
    }
}

fn of_form(form: &'static str, word: &str) -> &'static [Dimension] {
    DIMENSIONS.get(&form).and_then(|words| words.get(word)).map_or(&[], Vec::as_slice)
}

fn named(word: &str) -> impl Iterator<Item = &'static (Unit, bool)> {
    UNITS.get(word).into_iter().flatten()
}

type Words<T> = HashMap<&'static str, Vec<T>>;

static DIMENSIONS: LazyLock<HashMap<&'static str, Words<Dimension>>> = LazyLock::new(|| {
    let mut dimensions: HashMap<&'static str, Words<Dimension>> = HashMap::new();
    for fields in rows(include_str!("../packs/en/dimensions.tsv")) {
        let [direction, unit, nouns, comparatives, superlatives, verbs] = fields[..] else { continue };
        let unit = (unit != "-").then_some(unit);
        let dimension = Dimension { is_high: direction == "high", unit, nouns };
        for (form, words) in [("comparative", comparatives), ("superlative", superlatives), ("verb", verbs)] {
            for word in words.split(' ').filter(|word| *word != "-") {
                dimensions.entry(form).or_default().entry(word).or_default().push(dimension);
            }
        }
    }
    dimensions
});

static UNITS: LazyLock<Words<(Unit, bool)>> = LazyLock::new(|| {
    let mut units: Words<(Unit, bool)> = HashMap::new();
    for fields in rows(include_str!("../packs/en/units.tsv")) {
        let [base, size, after_number, of_property] = fields[..] else { continue };
        let Ok(size) = size.parse() else { continue };
        for (names, ends_names) in [(of_property, true), (after_number, false)] {
            for name in names.split(' ').filter(|name| *name != "-") {
                units.entry(name).or_default().push((Unit { base, size }, ends_names));
            }
        }
    }
    units
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_adjective_and_a_verb_tell_their_dimension() {
        let [cheap] = Dimension::of_superlative("cheapest") else { panic!("one dimension") };
        assert!(!cheap.is_high && cheap.nouns().any(|noun| noun == "price"));
        let [weight] = Dimension::of_verb("weigh") else { panic!("one dimension") };
        assert_eq!((weight.is_high, weight.unit), (true, Some("gram")));
        assert_eq!(Dimension::of_comparative("longer").len(), 2, "a length, or a duration");
        assert!(Dimension::of_comparative("cheap").is_empty());
    }

    #[test]
    fn a_unit_has_a_base_and_a_size() {
        let of = |word: &str| Unit::named(word).map(|unit| (unit.base, unit.size)).collect::<Vec<_>>();
        assert_eq!(of("hours"), [("second", 3600.0)]);
        assert_eq!(of("pounds"), [("gram", 453.592_37), ("sterling", 1.0)]);
        assert_eq!(Unit::of_property("day").count() + Unit::of_property("year").count(), 0);
        assert_eq!(Unit::of_property("cm").count(), 1);
    }

    #[test]
    fn every_row_can_be_read() {
        let units: Vec<Vec<&str>> = rows(include_str!("../packs/en/units.tsv")).collect();
        for fields in &units {
            assert!(fields.len() == 4 && fields[1].parse::<f64>().is_ok_and(|size| size > 0.0), "{fields:?}");
        }
        for fields in rows(include_str!("../packs/en/dimensions.tsv")) {
            assert!(fields.len() == 6 && ["high", "low"].contains(&fields[0]), "{fields:?}");
            assert!(fields[1] == "-" || units.iter().any(|unit| unit[0] == fields[1]), "{fields:?}");
        }
    }
}
