//! Verb phrases: "call deprecated APIs", "are not deployed in eu-west-1", "have more than three incidents".

use quiver_cypher::Value;
use quiver_language::{
    asking::{Asking, says},
    pack::Kind,
    word::{parts, verbs},
};

use super::{
    Amount, Condition, Extreme, Measure,
    grammar::{DEPTH_MAX, Found, Quantity, Reader, Said, Voice, orient},
    noun::equal,
    phrase::negated,
    vocabulary::{LinkType, PropertyKind},
    word::Word,
};

/// Maximum number of verb phrases joined by "and".
const PHRASES_MAX: usize = 3;

fn holds(found: Vec<Found<Condition>>) -> Vec<Found<Said>> {
    found
        .into_iter()
        .map(|one| Found { end: one.end, item: Said::Holds(one.item), notes: one.notes })
        .collect()
}

impl Reader<'_> {
    /// Parses what verb phrases joined by "and" state about nodes with a label.
    pub(super) fn verb_phrases(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Vec<Said>>> {
        let first = self.verb_phrase(at, label, depth);
        let mut found: Vec<Found<Vec<Said>>> = first
            .into_iter()
            .map(|one| Found { end: one.end, item: vec![one.item], notes: one.notes })
            .collect();
        let mut open = found.clone();
        for _ in 1..PHRASES_MAX {
            let mut next = Vec::new();
            for before in &open {
                let Some(start) = self.after_and(before.end) else { continue };
                // After "are owned by Team A and", "are" may be missing.
                let mut others = match before.item.last() {
                    Some(Said::Holds(last)) => holds(self.carried(start, last, depth)),
                    _ => Vec::new(),
                };
                if others.is_empty() {
                    others = self.verb_phrase(start, label, depth);
                    if self.is_kind(at, Kind::Be) {
                        others.extend(self.negatable(start.wrapping_sub(1), label, depth, Self::complements));
                    }
                }
                for other in others {
                    let item = [before.item.clone(), vec![other.item]].concat();
                    let notes = [before.notes.clone(), other.notes].concat();
                    next.push(Found { end: other.end, item, notes });
                }
            }
            found.extend(next.iter().cloned());
            open = next;
        }
        found
    }

    fn verb_phrase(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        if depth > DEPTH_MAX || !self.goes_on() || at >= self.words.list.len() {
            return Vec::new();
        }
        if self.is_kind(at, Kind::Be) {
            return self.negatable(at, label, depth, Self::complements);
        }
        if self.is_kind(at, Kind::Do) {
            return self.negatable(at, label, depth, Self::action_or_had);
        }
        // "Must be submitted before June".
        let owed =
            self.phrase(at, Asking::Owing).map(|end| holds(self.owed(at, end, label))).unwrap_or_default();
        let should = self.should_have(at, label);
        if !should.is_empty() {
            return should;
        }
        if self.is_kind(at, Kind::Have) {
            let mut found = self.negatable(at, label, depth, Self::perfect);
            // What has been delivered has been loaded too, whatever its status says now.
            found.retain(|one| {
                !matches!(&one.item, Said::Holds(Condition::Not(inner)) if self.may_be_passed(inner, label))
            });
            found.extend(self.had(at + 1, label, depth));
            found.extend(owed);
            return found;
        }
        if self.is(at, &["never"]) {
            return self.negatable(at.wrapping_sub(1), label, depth, Self::action);
        }
        let mut found = self.action(at, label, depth);
        found.extend(owed);
        // "Remain open", "fall due before June", "missed their deadline".
        let is = |what: Asking| self.word(at).is_some_and(|word| says(&word.norm, what));
        if is(Asking::Staying) {
            let stays = [self.adjectives(at + 1, label), self.states(at + 1, label)].concat();
            found.extend(holds(stays));
        }
        if is(Asking::Falling) && self.is(at + 1, &["due"]) {
            found.extend(holds(self.dated_by_key(at + 1, label)));
        }
        found.extend(holds(self.lapsed(at, label)));
        found
    }

    /// Parses what follows an auxiliary, with or without "not" between them.
    fn negatable(
        &self,
        auxiliary: usize,
        label: usize,
        depth: u32,
        rest: impl Fn(&Self, usize, usize, u32) -> Vec<Found<Said>>,
    ) -> Vec<Found<Said>> {
        let at = auxiliary.wrapping_add(1);
        let (start, is_not) = self.after_not(at);
        let is_contracted = auxiliary < at && self.is_negated(auxiliary);
        let found = rest(self, start, label, depth);
        if !is_not && !is_contracted {
            return found;
        }
        let values = self.not_value(start, label);
        if !values.is_empty() {
            return values;
        }
        let note = if is_not { self.note(at, start, "NOT") } else { self.note(auxiliary, at, "NOT") };
        found
            .into_iter()
            .filter_map(|one| {
                let Said::Holds(condition) = one.item else { return None };
                let item = Said::Holds(negated(condition)?);
                Some(Found { end: one.end, item, notes: [vec![note.clone()], one.notes].concat() })
            })
            .collect()
    }

    /// Parses what follows "are".
    pub(super) fn complements(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        let mut found = holds(self.participle(at, label, depth));
        found.extend(holds(self.prepositional(at, label, depth)));
        found.extend(holds(self.dated_by_key(at, label)));
        found.extend(holds(self.adjectives(at, label)));
        found.extend(holds(self.states(at, label)));
        found.extend(holds(self.over_by_date(at, label)));
        found.extend(holds(self.mine(at, label)));
        found.extend(self.outcome_in(at, label, depth));
        found.extend(self.dimensional(at, label));
        found.extend(holds(self.kinds(at, label)));
        // "Ann's".
        for possessor in self.possessors(at) {
            let (links, are_held) = self.links_of_holding(label, possessor.item.node.label);
            for link in links.into_iter().filter(|_| are_held) {
                let notes =
                    [vec![self.link_note(at, possessor.end, &link)], possessor.notes.clone()].concat();
                let node = possessor.item.node.clone();
                let item = Said::Holds(Condition::Link { link, node, amount: Amount::Some });
                found.push(Found { end: possessor.end, item, notes });
            }
        }
        found.extend(holds(self.on_my_plate(at, label)));
        found.extend(holds(self.in_progress(at, label)));
        found.extend(holds(self.remaining(at, label)));
        found.extend(holds(self.to_be(at, label)));
        found.extend(holds(self.befallen(at, label, depth)));
        found.extend(holds(self.without(at, label, depth)));
        if self.is(at, &["due"]) && self.is(at + 1, &["next", "soonest"]) {
            found.extend(self.due_next(at, at + 2, label));
        }
        found.extend(self.general(at, label, depth));
        // "Being carried out by Jonas".
        if self.is(at, &["being"]) {
            found.extend(holds(self.participle(at + 1, label, depth)));
        }
        if let Some(end) = self.phrase(at, Asking::Placed).filter(|_| self.links_at(at).is_empty()) {
            found.extend(holds(self.prepositional(end, label, depth)));
        }
        found
    }

    /// Parses "deprecated", "deprecated or retired", "tier 1".
    pub(super) fn adjectives(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let mut found = Vec::new();
        for property in &self.vocabulary.labels[label].properties {
            let key = &property.key;
            if self.vocabulary.labels[label].name_key.as_ref() == Some(key) {
                continue;
            }
            if property.kind == PropertyKind::Text {
                for (end, value) in self.values_of(at, label, key) {
                    let note = self.value_note(at, end, label, key, &value);
                    found.push(Found::new(end, equal(key, value.clone())).noted([note.clone()]));
                    if !self.is(end, &["or"]) {
                        continue;
                    }
                    for (other_end, other) in self.values_of(end + 1, label, key) {
                        let other_note = self.value_note(end + 1, other_end, label, key, &other);
                        let item = Condition::In { key: key.clone(), values: vec![value.clone(), other] };
                        found.push(Found::new(other_end, item).noted([note.clone(), other_note]));
                    }
                }
            }
            let Some(end) = self.run(at, &property.words) else { continue };
            if property.kind == PropertyKind::Boolean {
                let value = Value::Boolean(true);
                let note = self.value_note(at, end, label, key, &value);
                found.push(Found::new(end, equal(key, value)).noted([note]));
            }
            found.extend(self.compared(end, label, key));
        }
        found
    }

    /// Parses a noun that is a value: "lathes" after "are", "a lathe" after "is", for machines.
    fn kinds(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let heads = self.heads(self.after_article(at)).into_iter().filter(|head| head.label == label);
        heads.filter_map(|head| Some(Found::new(head.end, head.value?).noted([head.note]))).collect()
    }

    /// Parses what follows "have" as an auxiliary: "been owned by …", "called …".
    pub(super) fn perfect(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        if self.is(at, &["been"]) {
            return self.complements(at + 1, label, depth);
        }
        let mut found = self.action(at, label, depth);
        // "Has arrived".
        if self.word(at).is_some_and(Word::is_past) {
            found.extend(holds(self.adjectives(at, label)));
        }
        if self.is(at, &["had"]) {
            found.extend(self.had(at + 1, label, depth));
        }
        found.extend(holds(self.lapsed(at, label)));
        found
    }

    /// Parses what follows "do": a verb, or "have".
    pub(super) fn action_or_had(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        if self.is(at, &["have"]) {
            return self.had(at + 1, label, depth);
        }
        self.action(at, label, depth)
    }

    /// Parses a verb with its object: "call deprecated APIs", "owns the most services".
    fn action(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        let mut found = self.undergone(at, label, depth);
        found.extend(self.outcome(at, label, depth));
        found.extend(self.measures(at, label));
        found.extend(self.general(at, label, depth));
        found.extend(self.happens_to(at, label, depth));
        let is_having = |word: &Word| verbs(&word.norm).any(|verb| says(verb, Asking::Having));
        if self.word(at).is_some_and(is_having) && self.links_at(at).is_empty() {
            found.extend(self.had_nodes(at + 1, label, depth));
        }
        for (verb_end, kind) in self.links_at(at) {
            let start = self.after_own_preposition(verb_end, kind);
            for object in self.noun_phrase(start, depth + 1) {
                if object.item.extreme.is_some() {
                    continue;
                }
                let other = object.item.node.label;
                let Some(link) = orient(kind, label, other, Voice::Active) else { continue };
                let note = self.link_note(at, start, &link);
                let node = object.item.node;
                let said = match object.item.amount {
                    Quantity::Of(amount) => Said::Holds(Condition::Link { link, node, amount }),
                    Quantity::Extreme { is_high } => {
                        Said::Extreme(Extreme { measure: Measure::Links(link, node), is_high })
                    }
                };
                let notes = [vec![note], object.notes].concat();
                found.push(Found { end: object.end, item: said, notes });
            }
        }
        found
    }

    /// Skips the preposition of a verb; "by" belongs to the passive.
    pub(super) fn after_own_preposition(&self, at: usize, kind: &LinkType) -> usize {
        let is_own = self.word(at).is_some_and(|word| {
            word.norm != "by" && (kind.prepositions.is_empty() || kind.prepositions.contains(&word.norm))
        });
        at + usize::from(is_own && self.is_preposition(at))
    }

    /// Parses what another subject does with nodes with a label: "does Team A own", "is checkout deployed in", "am I late
    /// with".
    pub(super) fn asked_of(&self, at: usize, label: usize) -> Vec<Found<Vec<Condition>>> {
        let mut found = self.to_be_done(at, label);
        found.extend(self.late_with(at, label));
        let (is_do, is_be, is_have) =
            (self.is_kind(at, Kind::Do), self.is_kind(at, Kind::Be), self.is_kind(at, Kind::Have));
        if !is_do && !is_be && !is_have {
            return found;
        }
        for subject in self.noun_phrase(at + 1, 1) {
            if subject.item.amount != Quantity::Of(Amount::Some) || subject.item.extreme.is_some() {
                continue;
            }
            let (verb_at, is_not) = self.after_not(subject.end);
            let amount = if is_not || self.is_negated(at) { Amount::No } else { Amount::Some };
            let from = subject.item.node.label;
            // "Which ward is the scanner in?"
            let is_last = verb_at + 1 == self.words.list.len() && self.is_preposition(verb_at);
            if is_be && is_last && subject.item.is_name {
                let preposition = self.words.list[verb_at].norm.as_str();
                for link in self.unnamed(from, label, Some(preposition)) {
                    let link = link.reversed();
                    let note = self.link_note(verb_at, verb_at + 1, &link);
                    let notes = [subject.notes.clone(), vec![note]].concat();
                    let node = subject.item.node.clone();
                    found.push(Found {
                        end: verb_at + 1,
                        item: vec![Condition::Link { link, node, amount }],
                        notes,
                    });
                }
            }
            // "Has Samir taken", "has Samir been given".
            let is_been = is_have && self.is(verb_at, &["been"]);
            let verb_at = verb_at + usize::from(is_been);
            let is_passive = is_be || is_been;
            found.extend(self.generally(verb_at, label, &subject, amount));
            if is_have && !is_been && amount == Amount::Some {
                found.extend(self.finished_by(verb_at, label, &subject));
            }
            for (verb_end, kind) in self.links_at(verb_at) {
                let verb_end = verb_end + usize::from(self.is_particle_before_by(verb_end, kind));
                let voice = if is_passive { self.voice_after_be(verb_at, verb_end) } else { Voice::Active };
                let Some(link) = orient(kind, from, label, voice) else { continue };
                let link = link.reversed();
                // "At" may belong to what follows: "Which inspections am I handling at the harbour?"
                let ends = verb_end..=verb_end + usize::from(self.is_preposition(verb_end));
                // "What does it need first?"
                let beforehand = ends.clone().filter(|_| Self::needs(kind));
                let beforehand: Vec<usize> =
                    beforehand.filter_map(|end| self.phrase(end, Asking::Beforehand)).collect();
                for end in ends.chain(beforehand) {
                    let note = self.link_note(verb_at, end, &link);
                    let notes = [subject.notes.clone(), vec![note]].concat();
                    let node = subject.item.node.clone();
                    let item = vec![Condition::Link { link: link.clone(), node, amount }];
                    found.push(Found { end, item, notes });
                }
            }
            if is_do && self.is(verb_at, &["have"]) {
                for holding in self.holding(label, &subject.item.node) {
                    let condition = if amount == Amount::No {
                        negated(holding.condition)
                    } else {
                        Some(holding.condition)
                    };
                    let Some(condition) = condition else { continue };
                    let note = self.note(verb_at, verb_at + 1, holding.meaning);
                    let notes = [subject.notes.clone(), vec![note]].concat();
                    found.extend(self.with_remaining(
                        Found { end: verb_at + 1, item: vec![condition], notes },
                        label,
                        amount,
                    ));
                }
            }
        }
        found
    }

    /// Returns the voice of a verb after "be".
    pub(super) fn voice_after_be(&self, verb: usize, verb_end: usize) -> Voice {
        let is_gerund = self.word(verb).is_some_and(|word| word.norm.ends_with("ing"));
        match (self.is(verb_end, &["by"]), is_gerund) {
            (true, _) => Voice::By,
            (false, true) => Voice::Active,
            (false, false) => Voice::Other,
        }
    }

    /// Whether a type of relationship says that its start comes after its end: `WAITS_FOR`.
    fn needs(kind: &LinkType) -> bool {
        let says_so =
            |part: &str| verbs(part).any(|verb| says(verb, Asking::Needing)) || says(part, Asking::Needing);
        parts(&kind.kind).into_iter().any(|part| says_so(&part.to_lowercase()))
    }

    /// Parses "active" or "not done" right after a noun.
    pub(super) fn negatable_states(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let (start, is_not) = self.after_not(at);
        let mut found =
            [self.adjectives(start, label), self.states(start, label), self.mine(start, label)].concat();
        if is_not {
            let note = self.note(at, start, "NOT");
            found = found
                .into_iter()
                .filter_map(|one| Some(Found { item: negated(one.item)?, ..one }.noted([note.clone()])))
                .collect();
        }
        found
    }
}
