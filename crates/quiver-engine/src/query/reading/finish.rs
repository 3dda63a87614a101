//! Whether things are over: by the values of a status, by a date such as `completedAt`, or by a property that is true.

use quiver_cypher::Value;
use quiver_language::{
    state::State,
    word::{is_past, stems},
};

use super::{
    Condition,
    grammar::Reader,
    noun::equal,
    standing::{Standing, standing},
    vocabulary::{Property, PropertyKind},
};

/// The values of a status that say that a piece of work is over, or may say so.
#[derive(Debug, Default)]
struct Standings {
    finished: Vec<Value>,
    ended: Vec<Value>,
    uncertain: Vec<Value>,
}

/// Returns the condition that a property has one of these values.
fn is_one_of(key: &str, mut values: Vec<Value>) -> Option<Condition> {
    values.sort_by_key(ToString::to_string);
    match values.len() {
        0 => None,
        1 => values.pop().map(|value| equal(key, value)),
        _ => Some(Condition::In { key: key.to_owned(), values }),
    }
}

impl Reader<'_> {
    /// Sorts the values of a status. A value such as "filed" means finished only if no other value does: if it is the only
    /// one after which work may be over, or the only one that a date is named after (`filed_on`).
    fn standings(&self, label: usize, status: &Property) -> Standings {
        let mut found = Standings::default();
        let mut settled = Vec::new();
        for value in &status.values {
            match value.as_str().map_or(Standing::Unknown, standing) {
                Standing::Over(State::Ended) => found.ended.push(value.clone()),
                Standing::Over(_) => found.finished.push(value.clone()),
                Standing::Settled => settled.push(value.clone()),
                Standing::NotOver => {}
                Standing::Unknown => found.uncertain.push(value.clone()),
            }
        }
        if found.finished.is_empty() && settled.len() == 1 && found.uncertain.is_empty() {
            found.finished = settled;
            return found;
        }
        let dated = |value: &&Value| value.as_str().is_some_and(|value| self.is_dated(label, value));
        // If all the rest says that work is not over, what the only past date is named after does: "performed".
        if let [unknown] = &found.uncertain[..]
            && (settled.is_empty() && found.finished.is_empty())
            && dated(&unknown)
            && unknown.as_str().is_some_and(is_past)
            && self.vocabulary.labels[label].past_dates().count() == 1
        {
            found.finished = std::mem::take(&mut found.uncertain);
            return found;
        }
        let with_date: Vec<Value> = settled.iter().filter(dated).cloned().collect();
        if found.finished.is_empty() && with_date.len() == 1 {
            settled.retain(|value| !with_date.contains(value));
            found.finished = with_date;
        }
        // If a date is named after the value that says finished, what else was done is not the end: "loaded".
        if found.finished.iter().any(|value| dated(&value)) {
            found.uncertain.retain(|value| !value.as_str().is_some_and(is_past));
        }
        found.uncertain.extend(settled);
        found
    }

    /// Whether a date is named after a value: `filed_on` for "filed".
    fn is_dated(&self, label: usize, value: &str) -> bool {
        let mut dates = self.vocabulary.labels[label].properties.iter().filter(|property| property.is_time());
        dates.any(|date| date.is_named_after(value))
    }

    /// Returns the conditions that may mean that a node is over, as one of these states says. There are several if the
    /// meaning of a value is uncertain.
    pub(super) fn over(&self, label: usize, said: &[State]) -> Vec<Condition> {
        let mut found = Vec::new();
        for status in self.vocabulary.labels[label].statuses() {
            let Standings { finished, ended, uncertain } = self.standings(label, status);
            let mut sure = Vec::new();
            sure.extend(said.contains(&State::Finished).then_some(finished).into_iter().flatten());
            sure.extend(said.contains(&State::Ended).then_some(ended).into_iter().flatten());
            if sure.is_empty() {
                continue;
            }
            if said.contains(&State::Finished) && !uncertain.is_empty() {
                found.extend(is_one_of(&status.key, [sure.clone(), uncertain].concat()));
            }
            found.extend(is_one_of(&status.key, sure));
        }
        if found.is_empty() {
            let properties = self.vocabulary.labels[label].properties.iter();
            let says = |property: &&Property| property.state.is_some_and(|state| said.contains(&state));
            found.extend(properties.filter(says).find_map(|property| match property.kind {
                PropertyKind::Boolean => Some(equal(&property.key, Value::Boolean(true))),
                _ if property.is_time() => Some(Condition::Present { key: property.key.clone() }),
                _ => None,
            }));
        }
        found
    }

    /// Returns the conditions that may mean that a node is not over; none if nodes do not record that.
    pub(super) fn not_over(&self, label: usize) -> Vec<Condition> {
        let over = self.over(label, &[State::Finished, State::Ended]);
        over.into_iter().map(|over| Condition::Not(Box::new(over))).collect()
    }

    /// Returns the conditions that may mean that a node is not known to be over: as [`Self::not_over`], and no condition
    /// if nothing is recorded as over. There are none if something that is recorded is not understood.
    pub(super) fn not_known_over(&self, label: usize) -> Vec<Option<Condition>> {
        let not_over = self.not_over(label);
        if !not_over.is_empty() {
            return not_over.into_iter().map(Some).collect();
        }
        let properties = &self.vocabulary.labels[label].properties;
        let is_unread = |property: &&Property| {
            let is_measure = property.kind == PropertyKind::Number
                && property.words.iter().any(|word| stems("progress").iter().any(|stem| word.contains(stem)));
            is_measure
                || (property.is_status() && !property.has_few_values())
                || matches!(property.state, Some(State::Finished | State::Ended | State::Settled))
        };
        if properties.iter().any(|property| is_unread(&property)) {
            return Vec::new();
        }
        let mut found = vec![None];
        for status in self.vocabulary.labels[label].statuses() {
            let uncertain = self.standings(label, status).uncertain;
            found.extend(is_one_of(&status.key, uncertain).map(|over| Some(Condition::Not(Box::new(over)))));
        }
        found
    }
}
