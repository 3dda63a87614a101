//! Dimensions and units: "cost less than 10 euros", "taller than 182 cm", "the cheapest starter", "takes the fewest hours".

use quiver_cypher::Value;
use quiver_language::{
    asking::{Asking, says},
    dimension::{Dimension, Unit},
    word::{irregular_verb, parts, stems, verbs},
};

use super::{
    Condition, Extreme, Measure, Operator,
    grammar::{Found, Note, Reader, Said},
    noun::plain,
    vocabulary::{Property, PropertyKind},
};

/// Minimum number of letters that a verb and its short form have in common: "prep" for "prepare".
const SHORT_MIN: usize = 4;

/// A number of nodes that has a dimension.
struct Measured<'v> {
    property: &'v Property,
    /// The verb in its name, which says of what it is: "prep" in `prepMinutes`.
    verb: Option<&'v str>,
}

/// Whether one of two words is a short form of the other.
fn is_short_for(one: &str, other: &str) -> bool {
    one.len().min(other.len()) >= SHORT_MIN && (one.starts_with(other) || other.starts_with(one))
}

impl<'v> Reader<'v> {
    /// Returns the number that starts here as a property has it, with where it ends, without and with its unit: "2 hours" are
    /// 120 for `walkMinutes`.
    pub(super) fn numbers(&self, at: usize, property: &Property) -> Vec<(usize, Value)> {
        let Some(number) = self.number(at) else { return Vec::new() };
        let mut found = vec![(at + 1, plain(number))];
        let said: Vec<Unit> =
            self.word(at + 1).into_iter().flat_map(|word| Unit::named(&word.norm)).collect();
        let same = property.units.iter().find_map(|unit| {
            let said = said.iter().find(|said| said.base == unit.base)?;
            Some(said.size / unit.size)
        });
        found.extend(same.map(|times| (at + 2, plain((number * times * 1e9).round() / 1e9))));
        found
    }

    /// Returns the numbers of nodes with a label that have a dimension.
    fn measured(&self, label: usize, dimension: Dimension) -> Vec<Measured<'v>> {
        let of_label = &self.vocabulary.labels[label];
        let shares = |one: &[u32], other: &[u32]| one.iter().any(|stem| other.contains(stem));
        let numbers = of_label.properties.iter().filter(|one| one.kind == PropertyKind::Number);
        let measured = numbers.filter_map(|property| {
            let has_unit = !property.units.is_empty();
            let has_its_unit = property.units.iter().any(|unit| Some(unit.base) == dimension.unit);
            if has_unit && !has_its_unit && dimension.unit.is_some() {
                return None;
            }
            let names: Vec<&str> = parts(&property.key);
            let names = &names[..names.len() - usize::from(has_unit)];
            let is_its_noun = |name: &str| dimension.nouns().any(|noun| shares(&stems(noun), &stems(name)));
            let says_more = |name: &&&str| {
                let of_label = of_label.words.iter().any(|word| shares(word, &stems(name)));
                !of_label && !is_its_noun(name) && !says(&name.to_lowercase(), Asking::Estimate)
            };
            let rest: Vec<&str> = names.iter().filter(says_more).copied().collect();
            let is_measured = has_its_unit || names.iter().any(|name| is_its_noun(name));
            match rest[..] {
                [] => is_measured.then_some(Measured { property, verb: None }),
                [verb] => is_measured.then_some(Measured { property, verb: Some(verb) }),
                _ => None,
            }
        });
        measured.collect()
    }

    /// Returns the numbers of nodes with a label that are a dimension, whatever the verb.
    fn of_dimension(&self, label: usize, dimension: Dimension) -> impl Iterator<Item = &'v Property> {
        self.measured(label, dimension).into_iter().filter(|one| one.verb.is_none()).map(|one| one.property)
    }

    /// Returns the superlatives that a word here may be of nodes with a label: "cheapest".
    pub(super) fn extremes(&self, at: usize, label: usize) -> Vec<Extreme> {
        let dimensions = self.word(at).map_or(&[][..], |word| Dimension::of_superlative(&word.norm));
        let extremes = dimensions.iter().flat_map(|dimension| {
            self.of_dimension(label, *dimension).map(|property| Extreme {
                measure: Measure::Property(property.key.clone()),
                is_high: dimension.is_high,
            })
        });
        extremes.collect()
    }

    pub(super) fn extreme_note(
        &self,
        from: usize,
        to: usize,
        label: usize,
        key: &str,
        is_high: bool,
    ) -> Note {
        let side = if is_high { "highest" } else { "lowest" };
        self.note(from, to, format!("{side} {}.{key}", self.vocabulary.labels[label].name))
    }

    /// Returns the statement that a number has an extreme value.
    fn extreme_said(&self, from: usize, to: usize, label: usize, key: &str, is_high: bool) -> Found<Said> {
        let extreme = Extreme { measure: Measure::Property(key.to_owned()), is_high };
        Found::new(to, Said::Extreme(extreme)).noted([self.extreme_note(from, to, label, key, is_high)])
    }

    /// Returns the statement that a number compares with a value.
    pub(super) fn compared_said(
        &self,
        from: usize,
        to: usize,
        label: usize,
        key: &str,
        (operator, value): (Operator, Value),
    ) -> Found<Said> {
        let name = &self.vocabulary.labels[label].name;
        let note = self.note(from, to, format!("{name}.{key} {} {value}", operator.text()));
        let item = Said::Holds(Condition::Property { key: key.to_owned(), operator, value });
        Found::new(to, item).noted([note])
    }

    /// Parses "taller than 182 cm", "the tallest" after "be".
    pub(super) fn dimensional(&self, at: usize, label: usize) -> Vec<Found<Said>> {
        let mut found = Vec::new();
        let start = self.after_article(at);
        for extreme in self.extremes(start, label) {
            if let Measure::Property(key) = &extreme.measure {
                found.push(self.extreme_said(at, start + 1, label, key, extreme.is_high));
            }
        }
        let dimensions = self.word(at).map_or(&[][..], |word| Dimension::of_comparative(&word.norm));
        for dimension in dimensions.iter().filter(|_| self.is(at + 1, &["than"])) {
            let operator = if dimension.is_high { Operator::Greater } else { Operator::Less };
            for property in self.of_dimension(label, *dimension) {
                for (end, value) in self.numbers(at + 2, property) {
                    found.push(self.compared_said(at, end, label, &property.key, (operator, value)));
                }
            }
        }
        found
    }

    /// Parses "cost less than 10 euros", "weighs the most", "take more than 60 minutes to prepare".
    pub(super) fn measures(&self, at: usize, label: usize) -> Vec<Found<Said>> {
        let Some(word) = self.word(at) else { return Vec::new() };
        let of_base = Dimension::of_verb(&word.norm).iter();
        let bases = verbs(&word.norm).chain(irregular_verb(&word.norm));
        let mut dimensions: Vec<&Dimension> = Vec::new();
        for dimension in bases.flat_map(Dimension::of_verb).chain(of_base) {
            if !dimensions.contains(&dimension) {
                dimensions.push(dimension);
            }
        }
        let mut found = Vec::new();
        for dimension in dimensions {
            for measured in self.measured(label, *dimension) {
                let key = &measured.property.key;
                let (start, operator) = self.comparison(at + 1).unwrap_or((at + 1, Operator::Equal));
                for (end, value) in self.numbers(start, measured.property) {
                    // Only its unit tells that a number of minutes is what something takes.
                    if measured.verb.is_some() && end == start + 1 {
                        continue;
                    }
                    let ends = self.measured_ends(end, label, &measured, *dimension).into_iter();
                    found.extend(
                        ends.map(|end| self.compared_said(at, end, label, key, (operator, value.clone()))),
                    );
                }
                for (end, is_high) in self.most(at + 1, &measured, *dimension) {
                    let ends = self.measured_ends(end, label, &measured, *dimension).into_iter();
                    found.extend(ends.map(|end| self.extreme_said(at, end, label, key, is_high)));
                }
            }
        }
        found
    }

    /// Parses "the most", "the longest", "the fewest hours", with whether it is the higher end.
    fn most(&self, at: usize, measured: &Measured<'_>, dimension: Dimension) -> Vec<(usize, bool)> {
        let start = self.after_article(at);
        let Some(word) = self.word(start) else { return Vec::new() };
        let mut found = Vec::new();
        if self.is(start, &["most", "least", "fewest"]) {
            let is_high = self.is(start, &["most"]);
            let is_unit = self.word(start + 1).is_some_and(|word| {
                Unit::named(&word.norm).any(|said| measured.property.units.contains(&said))
            });
            found.extend(
                (measured.verb.is_none() && !self.is(start, &["fewest"])).then_some((start + 1, is_high)),
            );
            found.extend(is_unit.then_some((start + 2, is_high)));
        }
        let superlatives = Dimension::of_superlative(&word.norm).iter();
        let same = superlatives.filter(|one| one.unit.is_some() && one.unit == dimension.unit);
        found.extend(same.map(|one| (start + 1, one.is_high)));
        found
    }

    /// Returns where a statement with a measure ends: after "to prepare" if the property says of what it is, unless what these
    /// nodes take can't be anything else.
    fn measured_ends(
        &self,
        at: usize,
        label: usize,
        measured: &Measured<'_>,
        dimension: Dimension,
    ) -> Vec<usize> {
        // After "to", what something takes is for that only.
        let verb_at = self.is(at, &["to"]).then_some(at + 1);
        let Some(of) = measured.verb.map(str::to_lowercase) else {
            let end = verb_at.map_or(Some(at), |verb_at| self.phrase(verb_at, Asking::Doing));
            return end.into_iter().collect();
        };
        let said = verb_at.and_then(|verb_at| self.word(verb_at));
        let is_of =
            |word: &str| is_short_for(word, &of) || stems(word).iter().any(|stem| stems(&of).contains(stem));
        let mut kinds = self
            .vocabulary
            .links
            .iter()
            .filter(|kind| kind.ends.iter().any(|(from, to)| *from == label || *to == label));
        let is_of_link = |kind: &str| parts(kind).first().is_some_and(|first| is_of(&first.to_lowercase()));
        let is_only = dimension.unit == Some("second") && kinds.any(|kind| is_of_link(&kind.kind));
        let end = said.filter(|word| is_of(&word.norm)).map(|_| at + 2);
        end.into_iter().chain((is_only && verb_at.is_none()).then_some(at)).collect()
    }
}
