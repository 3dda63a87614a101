//! What a number with a unit measures: money, memory, pressure.

use std::{collections::HashMap, sync::LazyLock};

use crate::{number::number_word, pack::rows};

/// A measure, such as time or money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Measure(&'static str);

impl Measure {
    /// The measure that a lower-case noun asks for after "what", if its answer needs a unit: "what salary".
    pub fn asked_by(noun: &str) -> Option<Self> {
        MEASURES.nouns.get(noun).copied()
    }

    /// The measure that a lower-case noun asks for after "how much": "how much memory".
    pub fn amount_of(noun: &str) -> Option<Self> {
        MEASURES.amounts.get(noun).copied().or_else(|| Self::asked_by(noun))
    }

    /// The measures that have a lower-case unit: "pound" is one of money and of mass.
    pub fn of_unit(unit: &str) -> &'static [Self] {
        MEASURES.units.get(unit).map_or(&[], Vec::as_slice)
    }

    /// The measures of the numbers with units in a text.
    pub fn all_in(text: &str) -> impl Iterator<Item = Self> {
        MEASURES.names.iter().copied().filter(|measure| measure.is_in(text))
    }

    /// Its name: "time", "money".
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Whether a text has a number with a unit of this measure: "£14,000", "108 NZD", "4GB".
    pub fn is_in(self, text: &str) -> bool {
        let has = |unit: &str| Self::of_unit(unit).contains(&self);
        let signs: &[char] = match self.0 {
            "money" => &['$', '€', '£', '¥', '₹'],
            "share" => &['%'],
            _ => &[],
        };
        if text.contains(signs) {
            return true;
        }
        let lower = text.to_lowercase();
        let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '°' | '.' | ',');
        let tokens = lower.split(|c: char| !is_inner(c)).map(|token| token.trim_matches(['.', ',']));
        let mut is_after_number = false;
        tokens.filter(|token| !token.is_empty()).any(|token| {
            let unit = token.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
            let begins_with_number = unit.len() < token.len();
            let is_measured = has(unit) && (begins_with_number || is_after_number);
            is_after_number = begins_with_number || number_word(unit).is_some();
            is_measured
        })
    }
}

struct Measures {
    names: Vec<Measure>,
    nouns: HashMap<&'static str, Measure>,
    amounts: HashMap<&'static str, Measure>,
    units: HashMap<&'static str, Vec<Measure>>,
}

static MEASURES: LazyLock<Measures> = LazyLock::new(|| {
    let mut measures =
        Measures { names: Vec::new(), nouns: HashMap::new(), amounts: HashMap::new(), units: HashMap::new() };
    for fields in rows(include_str!("../packs/en/measures.tsv")) {
        let [name, nouns, amounts, units] = fields[..] else { continue };
        measures.names.push(Measure(name));
        measures.nouns.extend(nouns.split_whitespace().map(|noun| (noun, Measure(name))));
        measures.amounts.extend(amounts.split_whitespace().map(|noun| (noun, Measure(name))));
        for unit in units.split_whitespace() {
            measures.units.entry(unit).or_default().push(Measure(name));
        }
    }
    measures
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_with_a_unit_tells_what_it_measures() {
        for (noun, with, without) in [
            ("salary", "They pay £14,000 a year.", "They pay every month."),
            ("salary", "They pay 108 NZD a year.", "They pay 108 weavers."),
            ("memory", "It takes 4GB, or more.", "It takes 4 looms."),
            ("pressure", "The boiler runs at 2.5 bar.", "The boiler has bars of iron and holds 150L."),
            ("time", "It takes six weeks.", "It takes weeks."),
        ] {
            let measure = Measure::amount_of(noun).expect(noun);
            assert!(measure.is_in(with), "{with}");
            assert!(!measure.is_in(without), "{without}");
        }
        assert_eq!(Measure::asked_by("loom"), None);
        let all: Vec<&str> = Measure::all_in("Six weeks cost £20.").map(Measure::name).collect();
        assert_eq!(all, ["money", "time"]);
    }

    #[test]
    fn every_row_has_four_fields() {
        for fields in rows(include_str!("../packs/en/measures.tsv")) {
            assert!(matches!(fields[..], [_, _, _, _]), "{fields:?}");
        }
    }
}
