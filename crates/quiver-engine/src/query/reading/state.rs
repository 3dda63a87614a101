//! The state of a thing: "overdue", "still open", "done", "my next meeting", "… and is it done?"

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
    /// What the words from here on say of a state, and where they end.
    fn state_at(&self, at: usize) -> Option<(usize, State)> {
        if self.is(at, &["past"]) && self.is(at + 1, &["due"]) {
            return Some((at + 2, State::Overdue));
        }
        let state = state(&self.word(at)?.norm)?;
        let is_said = matches!(state, State::Finished | State::Ended | State::Open | State::Overdue);
        is_said.then_some((at + 1, state))
    }

    /// Where words for a state end that begin here.
    pub(super) fn state_end(&self, at: usize) -> Option<usize> {
        self.state_at(at).map(|(end, _)| end)
    }

    /// What a word for a state means for nodes with a label. A word that is a value of theirs is that value.
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

    /// What a word for a state is said to mean.
    fn state_meaning(&self, at: usize, label: usize) -> String {
        let name = &self.vocabulary.labels[label].name;
        let due = self.due(label).map_or("due", |property| property.key.as_str());
        match self.state_at(at) {
            Some((_, State::Overdue)) => format!("{name}.{due} has passed, and it is not over"),
            Some((_, State::Open)) => format!("{name} that is not over"),
            _ => format!("{name} that is over"),
        }
    }

    /// The property that says when nodes with a label are due.
    fn due(&self, label: usize) -> Option<&Property> {
        self.vocabulary.labels[label].due()
    }

    /// The condition that a node is over: by a value of a property, by a property that is true, or by a date.
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

    /// The condition that the day on which a node is due has passed, and that it is not over, if nodes say so.
    fn overdue(&self, label: usize) -> Option<Condition> {
        let due = self.due(label)?;
        let value = bound(due, self.now, Precision::Day)?;
        let passed = Condition::Property { key: due.key.clone(), operator: Operator::Less, value };
        Some(match self.not_over(label) {
            Some(not_over) => Condition::All(vec![passed, not_over]),
            None => passed,
        })
    }

    /// The next of what a phrase describes: the first that is not before today, by when it is due or takes place.
    pub(super) fn next(&self, base: &Found<NounPhrase>, at: usize, label: usize) -> Vec<Found<NounPhrase>> {
        let properties = self.vocabulary.labels[label].properties.iter();
        // What has happened is no time to come: "createdAt", "completed".
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

    /// A question with the state of what it asks for asked as well: "…, and is it done?"
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

/// The properties that a condition looks at.
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
