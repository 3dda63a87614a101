//! The state of nodes: "overdue", "still open", "done", "my next meeting", "… and is it done?"

use quiver_cypher::Value;
use quiver_language::{
    Kind,
    state::{State, state, words_of},
    time::Precision,
};

use super::{
    Condition, Extreme, Measure, Operator, Understood,
    grammar::{Found, NounPhrase, Reader},
    noun::equal,
    phrase::bound,
    vocabulary::{Property, PropertyKind},
};

impl Reader<'_> {
    /// Parses the state that the words from here on name, with where they end.
    fn state_at(&self, at: usize) -> Option<(usize, State)> {
        if self.is(at, &["past"]) && self.is(at + 1, &["due"]) {
            return Some((at + 2, State::Overdue));
        }
        let state = state(&self.word(at)?.norm)?;
        let is_said = matches!(state, State::Finished | State::Ended | State::Open | State::Overdue);
        is_said.then_some((at + 1, state))
    }

    /// Returns the end of the state words that start here.
    pub(super) fn state_end(&self, at: usize) -> Option<usize> {
        self.state_at(at).map(|(end, _)| end)
    }

    /// Returns what a state word means for nodes with a label. A word that is one of their values means that value.
    pub(super) fn states(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let Some((end, said)) = self.state_at(at) else { return Vec::new() };
        let known = self.words.values.get(at).into_iter().flatten();
        if known.into_iter().any(|(_, known)| known.label == label) {
            return Vec::new();
        }
        let condition = match said {
            State::Finished => self.over(label, &[State::Finished]),
            State::Ended => self.over(label, &[State::Ended]),
            State::Open => self.not_over(label),
            State::Overdue => self.overdue(label),
            _ => None,
        };
        let note =
            |condition| Found::new(end, condition).noted([self.note(at, end, self.state_meaning(at, label))]);
        condition.map(note).into_iter().collect()
    }

    /// Describes what a state word means.
    fn state_meaning(&self, at: usize, label: usize) -> String {
        let name = &self.vocabulary.labels[label].name;
        let due = self.due(label).map_or("due", |property| property.key.as_str());
        match self.state_at(at) {
            Some((_, State::Overdue)) => format!("{name}.{due} has passed, and it is not over"),
            Some((_, State::Open)) => format!("{name} that is not over"),
            _ => format!("{name} that is over"),
        }
    }

    /// Returns the property with the due date of nodes with a label.
    fn due(&self, label: usize) -> Option<&Property> {
        self.vocabulary.labels[label].due()
    }

    /// Returns the condition that a node is completed: by a value of a property, by a property that is true, or by a
    /// date.
    fn over(&self, label: usize, said: &[State]) -> Option<Condition> {
        let properties = &self.vocabulary.labels[label].properties;
        for property in properties.iter().filter(|property| property.kind == PropertyKind::Text) {
            let words = said.iter().flat_map(|said| words_of(*said));
            let known = words.filter_map(|word| self.vocabulary.values.get(word)).flatten();
            let mut values: Vec<Value> = known
                .filter(|known| known.label == label && known.key == property.key)
                .filter(|known| !self.vocabulary.is_name(known))
                .map(|known| known.value.clone())
                .collect();
            values.sort_by_key(ToString::to_string);
            if values.len() == 1 {
                return values.pop().map(|value| equal(&property.key, value));
            }
            if !values.is_empty() {
                return Some(Condition::In { key: property.key.clone(), values });
            }
        }
        let says = |property: &&Property| property.state.is_some_and(|state| said.contains(&state));
        let said = properties.iter().find(says)?;
        match said.kind {
            PropertyKind::Boolean => Some(equal(&said.key, Value::Boolean(true))),
            _ if said.is_time() => Some(Condition::Present { key: said.key.clone() }),
            _ => None,
        }
    }

    fn not_over(&self, label: usize) -> Option<Condition> {
        let over = self.over(label, &[State::Finished, State::Ended])?;
        Some(Condition::Not(Box::new(over)))
    }

    /// Returns the condition that the due date of a node has passed, and that it is not completed if nodes record that.
    fn overdue(&self, label: usize) -> Option<Condition> {
        let due = self.due(label)?;
        let value = bound(due, self.now, Precision::Day)?;
        let passed = Condition::Property { key: due.key.clone(), operator: Operator::Less, value };
        Some(match self.not_over(label) {
            Some(not_over) => Condition::All(vec![passed, not_over]),
            None => passed,
        })
    }

    /// Returns the next of what a phrase describes: the first one not before today, by due date or event date.
    pub(super) fn next(&self, base: &Found<NounPhrase>, at: usize, label: usize) -> Vec<Found<NounPhrase>> {
        let properties = self.vocabulary.labels[label].properties.iter();
        // Past events are not times to come: "createdAt", "completed".
        let to_come = properties.filter(|one| one.is_time() && !one.is_past);
        let times: Vec<&Property> = self.due(label).map_or_else(|| to_come.collect(), |due| vec![due]);
        let next = times.into_iter().filter_map(|property| {
            let value = bound(property, self.now, Precision::Day)?;
            let from_now =
                Condition::Property { key: property.key.clone(), operator: Operator::AtLeast, value };
            let meaning =
                format!("lowest {}.{} from today", self.vocabulary.labels[label].name, property.key);
            let mut next = base.clone().noted([self.note(at, at + 1, meaning)]);
            next.item.node.conditions.push(from_now);
            next.item.extreme =
                Some(Extreme { measure: Measure::Property(property.key.clone()), is_high: false });
            Some(next)
        });
        next.collect()
    }

    /// Parses a question about nodes that also asks for their state: "…, and is it done?"
    pub(super) fn with_state_asked(&self, found: &Found<Understood>) -> Vec<Found<Understood>> {
        let mut all = Vec::new();
        let Some(start) = self.after_and(found.end).filter(|start| self.is_kind(*start, Kind::Be)) else {
            return all;
        };
        if !self.is(start + 1, &["it", "they", "that", "those", "these"]) {
            return all;
        }
        let label = found.item.node.label;
        for state in [self.states(start + 2, label), self.adjectives(start + 2, label)].concat() {
            let mut asked = found.clone();
            asked.end = state.end;
            asked.item.also = keys(&state.item);
            asked.notes.extend(state.notes);
            all.push(asked);
        }
        all
    }
}

/// Returns the properties that a condition uses.
fn keys(condition: &Condition) -> Vec<String> {
    match condition {
        Condition::Property { key, .. } | Condition::In { key, .. } | Condition::Present { key } => {
            vec![key.clone()]
        }
        Condition::Not(inner) => keys(inner),
        Condition::All(all) => all.iter().flat_map(keys).collect(),
        Condition::Link { .. } | Condition::Called { .. } => Vec::new(),
    }
}
