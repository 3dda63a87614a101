//! Noun phrases: "the deprecated APIs of Team A".

use quiver_cypher::Value;
use quiver_language::{
    dimension::Dimension,
    pack::{Class, Kind},
    word::beginning,
};

use super::{
    Amount, Condition, Described, Extreme, Measure, Operator,
    grammar::{DEPTH_MAX, Found, Note, NounPhrase, Quantity, Reader},
    lookup::PartOfName,
    vocabulary::{Known, PropertyKind},
    word::fold,
};

/// Maximum number of words read before a noun.
const PREMODIFIERS_MAX: usize = 3;

/// A modifier before a noun.
#[derive(Clone, Debug)]
enum Premodifier<'v> {
    /// A value: of a property, or the name of a linked node.
    Value(usize, usize, &'v Known),
    /// "tier 1".
    KeyValue(usize, usize, String, Value),
    /// "public", for a property that is true.
    Flag(usize, usize, String),
    /// "non-deprecated".
    NotValue(usize, usize, &'v Known),
    /// Some words of a name: "the *marketing* project".
    Part(usize, PartOfName<'v>),
    /// "overdue".
    State(usize),
    /// A word without a value in the graph: "payment".
    Called(usize),
}

/// What a noun may mean.
pub(super) struct Head {
    pub(super) label: usize,
    pub(super) end: usize,
    /// The value that the noun is.
    pub(super) value: Option<Condition>,
    pub(super) note: Note,
}

pub(super) fn equal(key: &str, value: Value) -> Condition {
    Condition::Property { key: key.to_owned(), operator: Operator::Equal, value }
}

impl<'v> Reader<'v> {
    /// Returns the properties of a label whose words start here, with their ends.
    pub(super) fn keys_at(&self, at: usize, label: usize) -> Vec<(usize, String)> {
        let properties = self.vocabulary.labels[label].properties.iter();
        let found = properties.flat_map(|one| {
            // "Height" for `heightCm`.
            let name = one.words.split_last().filter(|_| !one.units.is_empty()).map(|(_, name)| name);
            let ends = [self.run(at, &one.words), name.and_then(|name| self.run(at, name))];
            ends.into_iter().flatten().map(|end| (end, one.key.clone()))
        });
        found.collect()
    }

    fn kind_of(&self, label: usize, key: &str) -> PropertyKind {
        self.vocabulary.labels[label].property(key).map_or(PropertyKind::Other, |property| property.kind)
    }

    /// Returns the values of a property that start here, with their ends.
    pub(super) fn values_of(&self, at: usize, label: usize, key: &str) -> Vec<(usize, Value)> {
        let property = self.vocabulary.labels[label].property(key);
        if let Some(number) = property.filter(|property| property.kind == PropertyKind::Number) {
            return self.numbers(at, number);
        }
        let known = self.words.values.get(at).into_iter().flatten();
        let mut found: Vec<(usize, Value)> = known
            .filter(|(_, known)| known.label == label && known.key == key)
            .map(|(end, known)| (*end, known.value.clone()))
            .collect();
        // A value that is a number and not a word: "version 1.4".
        if let Some(word) = self.word(at).filter(|word| word.is_number) {
            let known = self.vocabulary.values.get(&word.norm).into_iter().flatten();
            let known = known.filter(|known| known.label == label && known.key == key);
            found.extend(known.map(|known| (at + 1, known.value.clone())));
        }
        found
    }

    pub(super) fn value_note(&self, from: usize, to: usize, label: usize, key: &str, value: &Value) -> Note {
        self.note(from, to, format!("{}.{key} = {value}", self.vocabulary.labels[label].name))
    }

    /// Returns the note on the name of a node, which says if several nodes have it.
    fn name_note(&self, from: usize, to: usize, known: &Known) -> Note {
        let mut note = self.value_note(from, to, known.label, &known.key, &known.value);
        if known.count > 1 {
            let label = &self.vocabulary.labels[known.label].name;
            note.shared =
                Some(format!("{} nodes {label} have the {} {}", known.count, known.key, known.value));
        }
        note
    }

    /// Returns the note on a part of a name, which says if other names contain it too.
    fn part_note(&self, from: usize, part: &PartOfName<'_>, alike: u64) -> Note {
        let PartOfName { end, known, .. } = *part;
        let mut note = self.value_note(from, end, known.label, &known.key, &known.value);
        if alike > 1 {
            let words = self.words.list[from..end].iter().map(|word| word.norm.as_str());
            let words = words.collect::<Vec<_>>().join(" ");
            note.shared = Some(format!("{alike} nodes have {words:?} in their names"));
        }
        note
    }

    /// Returns the node that a name means.
    fn named(known: &Known) -> NounPhrase {
        let node = Described { label: known.label, conditions: vec![equal(&known.key, known.value.clone())] };
        NounPhrase { node, amount: Quantity::Of(Amount::Some), extreme: None, is_name: true }
    }

    /// Parses a name, or a part of one, that ends with "'s".
    pub(super) fn possessors(&self, at: usize) -> Vec<Found<NounPhrase>> {
        let is_possessive = |end: usize| self.word(end - 1).is_some_and(|word| word.is_possessive);
        let start = self.after_article(at);
        let mut found = Vec::new();
        for (end, known) in self.words.values.get(start).into_iter().flatten() {
            if is_possessive(*end) && self.vocabulary.is_name(known) {
                found.push(Found::new(*end, Self::named(known)).noted([self.name_note(start, *end, known)]));
            }
        }
        let parts = self.words.parts.get(start).map_or(&[][..], Vec::as_slice);
        let alike = parts.iter().map(|part| part.alike).sum();
        let parts = parts.iter().filter(|part| is_possessive(part.end));
        found.extend(parts.map(|part| {
            Found::new(part.end, Self::named(part.known)).noted([self.part_note(start, part, alike)])
        }));
        found
    }

    /// Parses "the presentation", if only one name contains that word.
    fn parts_at(&self, at: usize) -> Vec<Found<NounPhrase>> {
        let parts = self.words.parts.get(at).map_or(&[][..], Vec::as_slice);
        let alike = parts.iter().map(|part| part.alike).sum();
        parts
            .iter()
            .filter(|part| !self.word(part.end - 1).is_some_and(|word| word.is_possessive))
            .map(|part| {
                Found::new(part.end, Self::named(part.known)).noted([self.part_note(at, part, alike)])
            })
            .collect()
    }

    /// Parses the names of nodes that start here, including alternatives with "or": "Team A or Team B". "I" is the name
    /// of the user who asks.
    fn names_at(&self, at: usize) -> Vec<Found<NounPhrase>> {
        let mut found = Vec::new();
        if let Some(asker) = self.asker.filter(|_| self.is(at, &["i", "me"])) {
            let note = self.value_note(at, at + 1, asker.label, &asker.key, &asker.value);
            found.push(Found::new(at + 1, Self::named(asker)).noted([note]));
        }
        let known = |at: usize| self.words.values.get(at).into_iter().flatten().copied();
        for (end, one) in known(at).filter(|(_, known)| self.vocabulary.is_name(known)) {
            if self.word(end - 1).is_some_and(|word| word.is_possessive) {
                continue;
            }
            let note = self.name_note(at, end, one);
            let phrase = Self::named(one);
            found.push(Found::new(end, phrase.clone()).noted([note.clone()]));
            if !self.is(end, &["or"]) {
                continue;
            }
            for (other_end, other) in known(end + 1) {
                if (other.label, &other.key) == (one.label, &one.key) {
                    let mut phrase = phrase.clone();
                    let values = vec![one.value.clone(), other.value.clone()];
                    phrase.node.conditions = vec![Condition::In { key: one.key.clone(), values }];
                    let other_note = self.name_note(end + 1, other_end, other);
                    found.push(Found::new(other_end, phrase).noted([note.clone(), other_note]));
                }
            }
        }
        found
    }

    /// Parses the determiner of a noun: an article, "no", "more than three", "the most".
    fn quantities(&self, at: usize) -> Vec<(usize, Quantity)> {
        let mut found = vec![(at, Quantity::Of(Amount::Some))];
        let after = self.after_article(at);
        if after > at {
            found.push((after, Quantity::Of(Amount::Some)));
        }
        if self.is(at, &["any", "some"]) {
            found.push((at + 1, Quantity::Of(Amount::Some)));
        }
        if self.is(at, &["no"]) {
            found.push((at + 1, Quantity::Of(Amount::No)));
        }
        let (start, operator) = self.comparison(at).unwrap_or((at, Operator::Equal));
        if start > at
            && let Some(number) = self.number(start).filter(|number| number.fract() == 0.0)
        {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number, and far smaller")]
            found.push((start + 1, Quantity::Of(Amount::Compared(operator, number as i64))));
        }
        let many = self.after_article(at);
        if self.is(many, &["most"]) && !self.is(many + 1, &["recent"]) {
            found.push((many + 1, Quantity::Extreme { is_high: true }));
        }
        if self.is(many, &["fewest"]) {
            found.push((many + 1, Quantity::Extreme { is_high: false }));
        }
        found
    }

    /// Parses noun phrases that start here: names, and described nodes with their modifiers.
    pub(super) fn noun_phrase(&self, at: usize, depth: u32) -> Vec<Found<NounPhrase>> {
        if depth > DEPTH_MAX || !self.goes_on() {
            return Vec::new();
        }
        let mut found = self.names_at(at);
        if let Some(asker) = self.asker.filter(|_| self.is_somebody(at)) {
            let amount = Quantity::Of(if self.is(at, &["nobody"]) { Amount::No } else { Amount::Some });
            let node = Described { label: asker.label, conditions: Vec::new() };
            let item = NounPhrase { node, amount, extreme: None, is_name: false };
            let name = format!(":{}", self.vocabulary.labels[asker.label].name);
            found.push(Found::new(at + 1, item).noted([self.note(at, at + 1, name)]));
        }
        let after = self.after_article(at);
        if after > at {
            found.extend(self.names_at(after));
        }
        // "The marketing project", or one of somebody's names.
        if self.is(at, &["the"]) {
            found.extend(self.parts_at(after));
        } else if at > 0 && after == at {
            let is_capital =
                |part: &Found<NounPhrase>| self.words.list[at..part.end].iter().all(|word| word.is_capital);
            found.extend(self.parts_at(at).into_iter().filter(is_capital));
        }
        found.extend(self.described(at, depth));
        found
    }

    /// Parses noun phrases whose noun is a label.
    pub(super) fn described(&self, at: usize, depth: u32) -> Vec<Found<NounPhrase>> {
        // "All of my tickets", "any of my tickets".
        let is_any = self.is(at, &["any", "some", "one"]) && self.is(at + 1, &["of"]);
        let at = match (self.is(at, &["all"]), is_any) {
            (true, _) => at + 1 + usize::from(self.is(at + 1, &["of"])),
            (_, true) => at + 2,
            _ => at,
        };
        let my = (self.asker.is_some() && self.is(at, &["my", "our"])).then_some(at);
        let mut found = Vec::new();
        for (start, amount) in self.quantities(at + usize::from(my.is_some())) {
            let superlative = self.superlative(start).map(|(end, degree)| (end, degree.is_time));
            let of_dimension = self.word(start).map(|word| Dimension::of_superlative(&word.norm));
            let superlative =
                superlative.or(of_dimension.filter(|all| !all.is_empty()).map(|_| (start + 1, false)));
            let starts =
                [Some((start, None)), superlative.map(|(end, is_time)| (end, Some((start, is_time))))];
            for (start, degree) in starts.into_iter().flatten() {
                for (head, before) in self.premodifiers(start) {
                    for Head { label, end, value, note } in self.heads(head) {
                        let is_name = before.iter().any(
                            |one| matches!(one, Premodifier::Part(_, part) if part.known.label == label),
                        );
                        let resolved =
                            self.resolved(&before, label).into_iter().flat_map(|(mut conditions, notes)| {
                                conditions.extend(value.clone());
                                let node = Described { label, conditions };
                                let base = NounPhrase { node, amount, extreme: None, is_name };
                                let base = Found::new(end, base).noted(notes).noted([note.clone()]);
                                my.map_or_else(
                                    || vec![base.clone()],
                                    |my| {
                                        if self.is(my, &["our"]) {
                                            self.shared(&base, my)
                                        } else {
                                            self.owned(&base, my, my + 1)
                                        }
                                    },
                                )
                            });
                        for base in resolved {
                            let Some((from, is_time)) = degree else {
                                found.extend(self.with_modifiers(&base, depth));
                                continue;
                            };
                            if self.is(from, &["next"]) {
                                let next = self.next(&base, from, label);
                                found.extend(next.iter().flat_map(|base| self.with_modifiers(base, depth)));
                                continue;
                            }
                            for extreme in self.extremes_before(from, label, is_time) {
                                let Measure::Property(key) = &extreme.measure else { continue };
                                let note = self.extreme_note(from, start, label, key, extreme.is_high);
                                let mut base = base.clone().noted([note]);
                                base.item.extreme = Some(extreme);
                                found.extend(self.with_modifiers(&base, depth));
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// Returns the superlatives that a word before a noun may mean: "the oldest", "the cheapest".
    fn extremes_before(&self, at: usize, label: usize, is_time: bool) -> Vec<Extreme> {
        let mut found = self.extremes(at, label);
        if let Some((_, degree)) = self.superlative(at).filter(|_| is_time) {
            let times = self.vocabulary.labels[label].properties.iter().filter(|one| one.is_time());
            found.extend(times.map(|property| Extreme {
                measure: Measure::Property(property.key.clone()),
                is_high: degree.is_high,
            }));
        }
        found
    }

    /// The labels that a noun may mean: those that are called so, or else the one with a property that has it as a value:
    /// "strikers" are players whose position is "striker".
    pub(super) fn heads(&self, at: usize) -> Vec<Head> {
        let labels = 0..self.vocabulary.labels.len();
        let of_label = labels.filter_map(|label| {
            let of_label = &self.vocabulary.labels[label];
            let end = self.run(at, &of_label.words)?;
            Some(Head { label, end, value: None, note: self.note(at, end, format!(":{}", of_label.name)) })
        });
        let found: Vec<Head> = of_label.collect();
        if found.is_empty() { self.value_noun(at).into_iter().collect() } else { found }
    }

    /// Parses a noun in the plural, or after "the", "a" or "which", that is a value of a single property.
    fn value_noun(&self, at: usize) -> Option<Head> {
        let known = self.words.kinds.get(at).copied().flatten()?;
        let word = self.word(at).filter(|word| !word.is_possessive)?;
        let is_singular = known.value.as_str().is_some_and(|value| fold(value) == word.norm);
        let before = at.checked_sub(1);
        // "The cheapest starter".
        let is_superlative =
            |at: &usize| self.word(*at).is_some_and(|word| !Dimension::of_superlative(&word.norm).is_empty());
        let before = before.filter(is_superlative).and_then(|at| at.checked_sub(1)).or(before);
        let has_article = before.is_some_and(|before| self.is(before, &["the", "a", "an", "which"]));
        (!is_singular || has_article).then(|| Head {
            label: known.label,
            end: at + 1,
            value: Some(equal(&known.key, known.value.clone())),
            note: self.value_note(at, at + 1, known.label, &known.key, &known.value),
        })
    }

    /// Parses a noun followed by a name ("the service checkout") and by its modifiers.
    pub(super) fn with_modifiers(&self, base: &Found<NounPhrase>, depth: u32) -> Vec<Found<NounPhrase>> {
        let label = base.item.node.label;
        let mut found = Vec::new();
        for name in self.names_at(base.end) {
            if name.item.node.label == label && base.item.amount == Quantity::Of(Amount::Some) {
                let mut phrase = base.item.clone();
                phrase.node.conditions.extend(name.item.node.conditions);
                phrase.is_name = true;
                let notes = [base.notes.clone(), name.notes].concat();
                found.push(Found { end: name.end, item: phrase, notes });
            }
        }
        // "The ticket about the compressor".
        let about =
            self.is(base.end, &["on", "about"]).then(|| self.parts_at(self.after_article(base.end + 1)));
        for name in about.into_iter().flatten().filter(|_| base.item.amount == Quantity::Of(Amount::Some)) {
            if name.item.node.label == label {
                let mut phrase = base.item.clone();
                phrase.node.conditions.extend(name.item.node.conditions);
                phrase.is_name = true;
                let notes = [base.notes.clone(), name.notes].concat();
                found.push(Found { end: name.end, item: phrase, notes });
            }
        }
        for rest in self.modifiers(base.end, label, depth) {
            let mut phrase = base.item.clone();
            phrase.node.conditions.extend(rest.item);
            let notes = [base.notes.clone(), rest.notes].concat();
            found.push(Found { end: rest.end, item: phrase, notes });
        }
        found
    }

    /// Parses possible modifiers before a noun, with where the noun starts.
    fn premodifiers(&self, at: usize) -> Vec<(usize, Vec<Premodifier<'v>>)> {
        let mut found = vec![(at, Vec::new())];
        let mut open = found.clone();
        for _ in 0..PREMODIFIERS_MAX {
            let mut next = Vec::new();
            for (start, before) in &open {
                for (end, one) in self.premodifier(*start) {
                    let mut before: Vec<Premodifier<'v>> = before.clone();
                    before.push(one);
                    next.push((end, before));
                }
            }
            found.extend(next.iter().cloned());
            open = next;
        }
        found
    }

    fn premodifier(&self, at: usize) -> Vec<(usize, Premodifier<'v>)> {
        let mut found = Vec::new();
        let known = |at: usize| self.words.values.get(at).into_iter().flatten().copied();
        for (end, known) in known(at) {
            found.push((end, Premodifier::Value(at, end, known)));
            // "high severity".
            let property = self.vocabulary.labels[known.label].property(&known.key);
            if let Some(key_end) = property.and_then(|property| self.run(end, &property.words)) {
                let (key, value) = (known.key.clone(), known.value.clone());
                found.push((key_end, Premodifier::KeyValue(at, key_end, key, value)));
            }
        }
        found.extend(
            self.words.parts[at..]
                .first()
                .into_iter()
                .flatten()
                .map(|part| (part.end, Premodifier::Part(at, *part))),
        );
        if let Some(end) = self.state_end(at) {
            found.push((end, Premodifier::State(at)));
        }
        if self.is_loose && self.is_other(at) {
            found.push((at + 1, Premodifier::Called(at)));
        }
        if self.is(at, &["non", "not"]) {
            for (end, known) in known(at + 1) {
                found.push((end, Premodifier::NotValue(at, end, known)));
            }
        }
        found.extend(self.counted_property(at));
        for label in 0..self.vocabulary.labels.len() {
            for (key_end, key) in self.keys_at(at, label) {
                if self.kind_of(label, &key) == PropertyKind::Boolean {
                    found.push((key_end, Premodifier::Flag(at, key_end, key.clone())));
                }
                for (end, value) in self.values_of(key_end, label, &key) {
                    found.push((end, Premodifier::KeyValue(at, end, key.clone(), value)));
                }
            }
        }
        found
    }

    /// Parses "2 star", "10-credit": a number and the property that has it.
    fn counted_property(&self, at: usize) -> Vec<(usize, Premodifier<'v>)> {
        let Some(number) = self.number(at) else { return Vec::new() };
        let mut found = Vec::new();
        for label in 0..self.vocabulary.labels.len() {
            for (end, key) in self.keys_at(at + 1, label) {
                if self.kind_of(label, &key) == PropertyKind::Number {
                    found.push((end, Premodifier::KeyValue(at, end, key, plain(number))));
                }
            }
        }
        found
    }

    /// Whether a word belongs to neither the grammar nor the graph.
    fn is_other(&self, at: usize) -> bool {
        self.word(at).is_some_and(|word| {
            word.norm.chars().all(char::is_alphanumeric) && !self.words.is_accounted_for(self.vocabulary, at)
        })
    }

    /// Resolves the modifiers before a noun to conditions on nodes with its label, in every possible way.
    fn resolved(&self, before: &[Premodifier<'v>], label: usize) -> Vec<(Vec<Condition>, Vec<Note>)> {
        let mut found: Vec<(Vec<Condition>, Vec<Note>)> = vec![(Vec::new(), Vec::new())];
        for one in before {
            let mut ways: Vec<(Condition, Note)> = Vec::new();
            match one {
                Premodifier::Value(from, to, known) => {
                    if known.label == label {
                        let note = if self.vocabulary.is_name(known) {
                            self.name_note(*from, *to, known)
                        } else {
                            self.value_note(*from, *to, label, &known.key, &known.value)
                        };
                        ways.push((equal(&known.key, known.value.clone()), note));
                    } else if self.vocabulary.is_name(known) {
                        // "Ann's tasks" are those that she has.
                        let is_possessive = self.word(*to - 1).is_some_and(|word| word.is_possessive);
                        let links = if is_possessive {
                            self.links_of_holding(label, known.label).0
                        } else {
                            self.unnamed(label, known.label, None)
                        };
                        for link in links {
                            let conditions = vec![equal(&known.key, known.value.clone())];
                            let node = Described { label: known.label, conditions };
                            let mut note = self.name_note(*from, *to, known);
                            note.meaning =
                                format!("{}, {}", self.link_note(*from, *to, &link).meaning, note.meaning);
                            ways.push((Condition::Link { link, node, amount: Amount::Some }, note));
                        }
                    }
                }
                Premodifier::NotValue(from, to, known)
                    if known.label == label && !self.vocabulary.is_name(known) =>
                {
                    let mut note = self.value_note(*from, *to, label, &known.key, &known.value);
                    note.meaning = format!("NOT {}", note.meaning);
                    ways.push((Condition::Not(Box::new(equal(&known.key, known.value.clone()))), note));
                }
                Premodifier::NotValue(..) => {}
                Premodifier::Part(from, part) => {
                    if part.known.label == label {
                        let condition = equal(&part.known.key, part.known.value.clone());
                        ways.push((condition, self.part_note(*from, part, part.alike)));
                    } else if self.word(part.end - 1).is_some_and(|word| word.is_possessive) {
                        // "Ann's tasks" for Ann Lee.
                        let note = self.part_note(*from, part, part.alike);
                        let node = Self::named(part.known).node;
                        for link in self.links_of_holding(label, part.known.label).0 {
                            let meaning = format!("{}, {}", Self::link_meaning(&link), note.meaning);
                            let (node, amount) = (node.clone(), Amount::Some);
                            let condition = Condition::Link { link, node, amount };
                            ways.push((condition, Note { meaning, ..note.clone() }));
                        }
                    }
                }
                Premodifier::State(at) => {
                    let states = self.states(*at, label).into_iter();
                    ways.extend(
                        states
                            .flat_map(|one| one.notes.into_iter().map(move |note| (one.item.clone(), note))),
                    );
                }
                Premodifier::Called(at) => {
                    let name = &self.vocabulary.labels[label].name;
                    let meaning = format!("said of :{name} or in a name that is linked to it");
                    let word = beginning(&self.words.list[*at].norm);
                    let condition = Condition::Called { label, word };
                    ways.push((condition, Note { describes: true, ..self.note(*at, *at + 1, meaning) }));
                }
                Premodifier::KeyValue(from, to, key, value) => {
                    if self.vocabulary.labels[label].property(key).is_some() {
                        let note = self.value_note(*from, *to, label, key, value);
                        ways.push((equal(key, value.clone()), note));
                    }
                }
                Premodifier::Flag(from, to, key) => {
                    if self.kind_of(label, key) == PropertyKind::Boolean {
                        let value = Value::Boolean(true);
                        let note = self.value_note(*from, *to, label, key, &value);
                        ways.push((equal(key, value), note));
                    }
                }
            }
            let mut next = Vec::new();
            for (conditions, notes) in &found {
                for (condition, note) in &ways {
                    let mut conditions = conditions.clone();
                    let mut notes = notes.clone();
                    conditions.push(condition.clone());
                    notes.push(note.clone());
                    next.push((conditions, notes));
                }
            }
            found = next;
        }
        found
    }

    /// Whether the word here starts a relative clause: "that", "which", "who".
    pub(super) fn is_relative(&self, at: usize) -> bool {
        self.is(at, &["that"]) || self.is_kind(at, Kind::Relative)
    }

    /// Skips "not" or "never". Returns the next word, and whether one was skipped.
    pub(super) fn after_not(&self, at: usize) -> (usize, bool) {
        let is_not = self.is(at, &["not", "never"]);
        (at + usize::from(is_not), is_not)
    }

    /// Whether the auxiliary here is negated itself: "doesn't".
    pub(super) fn is_negated(&self, at: usize) -> bool {
        let is_auxiliary = |word: &super::word::Word| word.class == Some(Class::Auxiliary);
        self.word(at).is_some_and(|word| is_auxiliary(word) && word.norm.ends_with("n't"))
    }
}

/// Returns a number as a value: an integer if it is whole.
pub(super) fn plain(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number within 53 bits")]
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::Integer(number as i64)
    } else {
        Value::Float(number)
    }
}
