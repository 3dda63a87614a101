//! The state of nodes: "overdue", "still open", "done", "my next meeting", "… and is it done?"

use std::iter;

use quiver_cypher::Value;
use quiver_language::{
    Kind,
    asking::{Asking, says},
    pack::{Class, Language},
    state::{State, state},
    time::Precision,
    word::{irregular_verb, is_past, parts, stems, verbs},
};

use super::{
    Asked, Condition, Extreme, Measure, Operator, Understood,
    grammar::{DEPTH_MAX, Found, NounPhrase, Reader, Said},
    noun::equal,
    phrase::bound,
    vocabulary::Property,
    word::{Word, fold},
};

impl Reader<'_> {
    /// Returns the end of the longest phrase of a class that starts here.
    pub(super) fn phrase(&self, at: usize, what: Asking) -> Option<usize> {
        let phrases = self.words.phrases.get(at)?.iter();
        phrases.filter(|(one, _)| *one == what).map(|(_, end)| *end).max()
    }

    /// Parses what says after "be" that the time of a thing has passed: "late", "past their due date".
    pub(super) fn late(&self, at: usize) -> Option<usize> {
        // "Past its date".
        let date = |at: usize| {
            let is_date = self.is_kind(at, Kind::Possessive) && self.is(at + 1, &["date", "dates", "time"]);
            is_date.then_some(at + 2)
        };
        self.phrase(at, Asking::Late).or_else(|| {
            let at = self.phrase(at, Asking::Past)?;
            self.limit(at).or_else(|| date(at))
        })
    }

    /// Parses what says so after "have", or in the past: "slipped past its deadline".
    pub(super) fn missed(&self, at: usize) -> Option<usize> {
        self.phrase(at, Asking::Lapsed).or_else(|| self.limit(self.phrase(at, Asking::Missed)?))
    }

    /// Parses "their deadline".
    fn limit(&self, at: usize) -> Option<usize> {
        let is_determiner = self.is_kind(at, Kind::Article) || self.is_kind(at, Kind::Possessive);
        self.phrase(at + usize::from(is_determiner), Asking::Limit)
    }

    /// Parses the state that the words from here on name, with where they end.
    fn state_at(&self, at: usize) -> Option<(usize, State)> {
        if let Some(end) = self.late(at) {
            return Some((end, State::Overdue));
        }
        let state = state(&self.word(at)?.norm)?;
        let is_said = matches!(state, State::Finished | State::Ended | State::Open | State::Overdue);
        is_said.then_some((at + 1, state))
    }

    /// Returns the end of the state words that start here.
    pub(super) fn state_end(&self, at: usize) -> Option<usize> {
        self.state_at(at).map(|(end, _)| end)
    }

    /// Returns what a state word may mean for nodes with a label. A word that is one of their values means that value.
    pub(super) fn states(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let Some((end, said)) = self.state_at(at) else { return Vec::new() };
        let known = self.words.values.get(at).into_iter().flatten();
        if known.into_iter().any(|(_, known)| known.label == label) {
            return Vec::new();
        }
        let conditions = match said {
            State::Finished | State::Ended => self.over(label, &[said]),
            State::Open => self.not_over(label),
            State::Overdue => self.overdue(label),
            _ => Vec::new(),
        };
        let meaning = self.state_meaning(said, label);
        let noted = |condition| Found::new(end, condition).noted([self.note(at, end, meaning.clone())]);
        conditions.into_iter().map(noted).collect()
    }

    /// Describes what a state word means.
    fn state_meaning(&self, said: State, label: usize) -> String {
        let name = &self.vocabulary.labels[label].name;
        match said {
            State::Overdue => self.overdue_meaning(label),
            State::Open => format!("{name} that is not over"),
            _ => format!("{name} that is over"),
        }
    }

    pub(super) fn overdue_meaning(&self, label: usize) -> String {
        let of_label = &self.vocabulary.labels[label];
        let due = of_label.due().map_or("due", |property| property.key.as_str());
        format!("{}.{due} has passed, and it is not over", of_label.name)
    }

    /// Parses "have missed their deadline" without "have", for nodes with a label.
    pub(super) fn lapsed(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let Some(end) = self.missed(at) else { return Vec::new() };
        let note = self.note(at, end, self.overdue_meaning(label));
        let overdue = self.overdue(label).into_iter();
        overdue.map(|condition| Found::new(end, condition).noted([note.clone()])).collect()
    }

    /// Parses "left", "left to do", "left for me to do", if nodes record whether they are over.
    pub(super) fn remaining(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let Some(end) = self.phrase(at, Asking::Remaining).filter(|_| self.links_at(at).is_empty()) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for not_over in self.not_over(label) {
            let note = self.note(at, end, self.state_meaning(State::Open, label));
            found.push(Found::new(end, not_over.clone()).noted([note.clone()]));
            let holders =
                if self.is(end, &["for"]) { self.noun_phrase(end + 1, DEPTH_MAX) } else { Vec::new() };
            for holder in holders.into_iter().filter(|holder| holder.item.is_name) {
                let end = self.is(holder.end, &["to"]).then(|| self.phrase(holder.end + 1, Asking::Doing));
                let end = end.flatten().unwrap_or(holder.end);
                found.extend(self.tending(label, &holder.item.node).into_iter().map(|holding| {
                    let of_holder = self.note(holder.end - 1, holder.end, holding.meaning);
                    let all = Condition::All(vec![holding.condition, not_over.clone()]);
                    Found::new(end, all).noted([note.clone(), of_holder])
                }));
            }
        }
        found
    }

    /// Parses "to be done", "to be handed in before June".
    pub(super) fn to_be(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        if self.is(at, &["to"]) && self.is(at + 1, &["be"]) {
            return self.owed(at, at + 2, label);
        }
        Vec::new()
    }

    /// Parses what is yet to happen to nodes with a label, after "must be": "done", "handed in before June".
    pub(super) fn owed(&self, from: usize, at: usize, label: usize) -> Vec<Found<Condition>> {
        let dues = self.vocabulary.labels[label].dues();
        let named = dues.filter_map(|due| self.run(at, due.words.get(..1).unwrap_or_default())).max();
        let named = named.filter(|_| self.word(at).is_some_and(Word::is_past));
        let Some(end) = self.done_end(at, label).or(named) else { return Vec::new() };
        let note = self.note(from, end, self.state_meaning(State::Open, label));
        let mut found: Vec<Found<Condition>> = self
            .not_over(label)
            .into_iter()
            .map(|condition| Found::new(end, condition).noted([note.clone()]))
            .collect();
        for due in self.vocabulary.labels[label].dues().filter(|due| self.is_due_of(due, label, at)) {
            // "Must be served after May 1st": `serveBy`.
            let is_named = self.run(at, due.words.get(..1).unwrap_or_default()) == Some(end);
            for (time, condition) in self.by_time(end, due, is_named) {
                for not_over in self.not_known_over(label) {
                    let all = [Some(condition.clone()), not_over].into_iter().flatten().collect();
                    let due = self.time_note(end, time, label, due);
                    found.push(Found::new(time.end, Condition::All(all)).noted([note.clone(), due]));
                }
            }
        }
        found
    }

    /// Returns the end of a participle that says that work on nodes with a label is over: "handed in", or a value of their
    /// status that says so.
    pub(super) fn done_end(&self, at: usize, label: usize) -> Option<usize> {
        let word = self.word(at)?;
        let bases: Vec<&str> =
            verbs(&word.norm).chain(irregular_verb(&word.norm)).filter(|base| *base != word.norm).collect();
        let is_doing = |end: &usize| {
            let rest = self.words.list.get(at + 1..*end).unwrap_or_default();
            bases.iter().any(|base| {
                let phrase = iter::once(*base).chain(rest.iter().map(|word| word.norm.as_str()));
                says(&phrase.collect::<Vec<_>>().join(" "), Asking::Doing)
            })
        };
        let is_past = is_past(&word.norm) || irregular_verb(&word.norm).is_some();
        let of_values = || {
            let over = self.over(label, &[State::Finished]);
            let is_value = |value: &Value| value.as_str().is_some_and(|value| fold(value) == word.norm);
            let is_one = over.iter().any(|condition| match condition {
                Condition::Property { value, .. } => is_value(value),
                Condition::In { values, .. } => values.iter().any(is_value),
                _ => false,
            });
            is_one.then_some(at + 1)
        };
        (at + 1..=self.words.list.len().min(at + 3))
            .rev()
            .find(is_doing)
            .filter(|_| is_past)
            .or_else(of_values)
    }

    /// Whether a due date is that of the work which a participle names: its other words are those of the label or the
    /// participle.
    fn is_due_of(&self, due: &Property, label: usize, at: usize) -> bool {
        let of_label = &self.vocabulary.labels[label];
        let said = self.word(at).map(|word| word.stems.as_slice()).unwrap_or_default();
        parts(&due.key).into_iter().all(|part| {
            let lower = part.to_lowercase();
            let of_part = stems(part);
            let shares = |other: &[u32]| of_part.iter().any(|stem| other.contains(stem));
            state(&lower) == Some(State::Due)
                || says(&lower, Asking::Aim)
                || matches!(lower.as_str(), "date" | "day" | "time")
                || Language::English.class(&lower) == Some(Class::Preposition)
                || of_label.words.iter().any(|word| shares(word))
                || shares(said)
        })
    }

    /// Parses "completed in December", "finished last week": the date on which nodes with a label were over lies in a time.
    pub(super) fn over_by_date(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let is_over = self.word(at).is_some_and(|word| state(&word.norm) == Some(State::Finished));
        let Some(end) = (if is_over { Some(at + 1) } else { self.done_end(at, label) }) else {
            return Vec::new();
        };
        let properties = self.vocabulary.labels[label].properties.iter();
        let mut ends = properties
            .filter(|one| one.is_time() && matches!(one.state, Some(State::Finished | State::Settled)));
        let (Some(date), None) = (ends.next(), ends.next()) else { return Vec::new() };
        self.within(at, end, date, label)
    }

    /// Parses "being drafted", if a value of a status says that: "drafting", "in draft".
    pub(super) fn in_progress(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let Some(word) = self.word(at + 1).filter(|_| self.is(at, &["being"])) else { return Vec::new() };
        let said = stems(&word.norm);
        let mut found = Vec::new();
        for status in self.vocabulary.labels[label].properties.iter().filter(|one| one.is_status()) {
            let says = |value: &&Value| {
                let text = fold(value.as_str().unwrap_or_default());
                let verb = match text.split(' ').collect::<Vec<_>>().as_slice() {
                    [one] if one.ends_with("ing") => stems(one),
                    ["in" | "under", one] => stems(one),
                    _ => return false,
                };
                verb.iter().any(|stem| said.contains(stem))
            };
            for value in status.values.iter().filter(says) {
                let note = self.value_note(at, at + 2, label, &status.key, value);
                found.push(Found::new(at + 2, equal(&status.key, value.clone())).noted([note]));
            }
        }
        found
    }

    /// Returns the conditions that may mean that the due date of a node has passed, and that it is not over if nodes record
    /// that.
    pub(super) fn overdue(&self, label: usize) -> Vec<Condition> {
        let mut found = Vec::new();
        for due in self.vocabulary.labels[label].dues() {
            let Some(value) = bound(due, self.now, Precision::Day) else { continue };
            let passed = Condition::Property { key: due.key.clone(), operator: Operator::Less, value };
            let options = self.not_known_over(label).into_iter();
            found.extend(options.map(|not_over| match not_over {
                Some(not_over) => Condition::All(vec![passed.clone(), not_over]),
                None => passed.clone(),
            }));
        }
        found
    }

    /// Parses "due next", "due soonest": the first due date not before today, of what is not known to be over.
    pub(super) fn due_next(&self, from: usize, end: usize, label: usize) -> Vec<Found<Said>> {
        let mut found = Vec::new();
        for due in self.vocabulary.labels[label].dues() {
            let Some(value) = bound(due, self.now, Precision::Day) else { continue };
            let from_now = Condition::Property { key: due.key.clone(), operator: Operator::AtLeast, value };
            for not_over in self.not_known_over(label) {
                let conditions = std::iter::once(from_now.clone()).chain(not_over).collect();
                let extreme = Extreme { measure: Measure::Property(due.key.clone()), is_high: false };
                let name = &self.vocabulary.labels[label].name;
                let note = self.note(from, end, format!("lowest {name}.{} from today", due.key));
                found.push(Found::new(end, Said::Next(conditions, extreme)).noted([note]));
            }
        }
        found
    }

    /// Parses "gone back" after "should have": the due date has passed.
    pub(super) fn should_have(&self, at: usize, label: usize) -> Vec<Found<Said>> {
        if !self.is(at, &["should", "must"]) || !self.is(at + 1, &["have"]) {
            return Vec::new();
        }
        let start = at + 2 + usize::from(self.is(at + 2, &["been"]));
        let of_state = self.is_state_word(start).then_some(start + 1);
        let Some(end) = self.done_end(start, label).or(of_state) else { return Vec::new() };
        let end = self.words.times.iter().find(|time| time.start == end).map_or(end, |time| {
            let is_now = (time.range.start..time.range.end).contains(&self.now);
            if is_now { time.end } else { end }
        });
        let note = self.note(at, end, self.overdue_meaning(label));
        let overdue = self.overdue(label).into_iter();
        overdue.map(|one| Found::new(end, Said::Holds(one)).noted([note.clone()])).collect()
    }

    /// Parses "started" after "not", if that makes a value: "not started".
    pub(super) fn not_value(&self, at: usize, label: usize) -> Vec<Found<Said>> {
        let start = at + usize::from(self.is(at, &["been"]));
        let mut found = Vec::new();
        for property in &self.vocabulary.labels[label].properties {
            for value in &property.values {
                let text = value.as_str().map(fold).unwrap_or_default();
                let Some(rest) = text.strip_prefix("not ") else { continue };
                let end = start + rest.split(' ').count();
                let said = self.words.list.get(start..end).unwrap_or_default();
                let said: Vec<&str> = said.iter().map(|word| word.norm.as_str()).collect();
                if said.join(" ") == rest {
                    let note = self.value_note(start, end, label, &property.key, value);
                    let item = Said::Holds(equal(&property.key, value.clone()));
                    found.push(Found::new(end, item).noted([note]));
                }
            }
        }
        found
    }

    /// Returns the next of what a phrase describes: the first one not before today, by due date or event date.
    pub(super) fn next(&self, base: &Found<NounPhrase>, at: usize, label: usize) -> Vec<Found<NounPhrase>> {
        let properties = self.vocabulary.labels[label].properties.iter();
        // Past events are not times to come: "createdAt", "completed".
        let to_come = properties.filter(|one| one.is_time() && !one.is_past);
        let due = self.vocabulary.labels[label].due();
        let times: Vec<&Property> = due.map_or_else(|| to_come.collect(), |due| vec![due]);
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

    /// Parses a question about nodes that also asks for their state: "…, and is it done?", "…, and has it been filed?"
    pub(super) fn with_state_asked(&self, found: &Found<Understood>) -> Vec<Found<Understood>> {
        let Some(start) = self.after_and(found.end) else { return Vec::new() };
        let Some(after_it) = self.found_end(start + 1) else { return Vec::new() };
        let at = match (self.is_kind(start, Kind::Be), self.is_kind(start, Kind::Have)) {
            (true, _) => after_it,
            (_, true) => after_it + usize::from(self.is(after_it, &["been"])),
            _ => return Vec::new(),
        };
        let label = found.item.node.label;
        let asked = self.state_asked(at, label);
        let all = asked.into_iter().map(|state| {
            let mut asked = found.clone();
            asked.end = state.end;
            asked.item.also = state.item;
            asked.notes.extend(state.notes);
            asked
        });
        all.collect()
    }

    /// Whether a condition is that a status has a value that work may have had before.
    pub(super) fn may_be_passed(&self, condition: &Condition, label: usize) -> bool {
        let Condition::Property { key, .. } = condition else { return false };
        let over = self.over(label, &[State::Finished, State::Ended]);
        let is_of_status = self.vocabulary.labels[label].statuses().iter().any(|status| status.key == *key);
        let is_over = |one: &Condition| match (one, condition) {
            (Condition::In { key, values }, Condition::Property { key: other, value, .. }) => {
                key == other && values.contains(value)
            }
            _ => one == condition,
        };
        is_of_status && !over.is_empty() && !over.iter().any(is_over)
    }

    /// Whether a condition is about the date of a past event.
    pub(super) fn is_about_past(&self, condition: &Condition, label: usize) -> bool {
        let of_label = &self.vocabulary.labels[label];
        let is_past = |key: &String| of_label.property(key).is_some_and(|one| one.is_past && one.is_time());
        keys(condition).iter().any(is_past)
    }

    /// Whether a word here asks for the state of a node: "done", "filed".
    pub(super) fn is_state_word(&self, at: usize) -> bool {
        self.state_end(at) == Some(at + 1)
            || self.word(at).is_some_and(|word| state(&word.norm) == Some(State::Settled))
    }

    /// Returns the end of words that refer to what is found: "it", "they all", "each of them".
    fn found_end(&self, at: usize) -> Option<usize> {
        const ONE: [&str; 8] = ["it", "they", "them", "that", "those", "these", "this", "each"];
        const ALL: [&str; 4] = ["all", "both", "each", "any"];
        let end = if self.is(at, &ALL) && self.is(at + 1, &["of"]) && self.is(at + 2, &ONE) {
            at + 3
        } else if self.is(at, &ONE) {
            at + 1
        } else {
            return None;
        };
        Some(end + usize::from(self.is(end, &["all", "both", "each"])))
    }

    /// Parses a question about nodes that also asks for one of their properties: "…, and in which phase is each of them?",
    /// "…, and what is its deadline?", "…, and when are they due?"
    pub(super) fn with_property_asked(&self, found: &Found<Understood>) -> Vec<Found<Understood>> {
        let label = found.item.node.label;
        let Some(and) = self.after_and(found.end).filter(|_| found.item.asked == Asked::Nodes) else {
            return Vec::new();
        };
        let start = and + usize::from(self.is_preposition(and));
        let mut asked: Vec<(usize, String)> = Vec::new();
        let bare = self.bare_time(start);
        if bare.is_some() {
            asked.extend(bare.zip(self.date_of_what_is_said(&found.item)));
        } else if self.is(start, &["when"]) && self.is_kind(start + 1, Kind::Be) {
            let after = self.found_end(start + 2);
            asked.extend(after.into_iter().flat_map(|end| self.times_at(end, label)));
        } else if self.is(start, &["what", "which"]) {
            // "What phase is it in", "what deadline do they have".
            for (end, key) in self.keys_at(start + 1, label) {
                let after = self.found_end(end + 1);
                if self.is_kind(end, Kind::Be) {
                    asked.extend(after.map(|end| (end + usize::from(self.is_preposition(end)), key.clone())));
                }
                if self.is_kind(end, Kind::Do) {
                    let after = after.filter(|end| self.is(*end, &["have"]));
                    asked.extend(after.map(|end| (end + 1, key)));
                }
            }
            // "What is its phase", "what is the phase of each".
            if self.is_kind(start + 1, Kind::Be) && self.is(start + 2, &["its", "their", "the"]) {
                let is_of = self.is(start + 2, &["the"]);
                let dues = self.phrase(start + 3, Asking::Limit).into_iter().flat_map(|end| {
                    self.vocabulary.labels[label].dues().map(move |due| (end, due.key.clone()))
                });
                let keys = self.keys_at(start + 3, label).into_iter().chain(dues);
                asked.extend(keys.filter_map(|(end, key)| {
                    let of_it = || self.found_end(end + 1).filter(|_| self.is(end, &["of", "for"]));
                    let end = if is_of { of_it()? } else { end };
                    Some((end, key))
                }));
            }
        }
        let name = &self.vocabulary.labels[label].name;
        let asked = asked.into_iter().map(|(end, key)| {
            let mut with = found.clone();
            with.end = end;
            with.notes.push(self.note(start, end, format!("{name}.{key}")));
            with.item.also = vec![key];
            with
        });
        asked.collect()
    }

    /// Parses "when", "what day", "which dates" at the end of a question.
    fn bare_time(&self, at: usize) -> Option<usize> {
        let is_date = self.is(at, &["what", "which"]) && self.is(at + 1, &["day", "days", "date", "dates"]);
        let end = at + if is_date { 2 } else { usize::from(self.is(at, &["when"])) };
        (end > at && end == self.words.list.len()).then_some(end)
    }

    /// Returns the date of what a question says of nodes, if it is the only one: `doneOn` for "which are done".
    fn date_of_what_is_said(&self, asked: &Understood) -> Option<String> {
        let label = asked.node.label;
        let over = self.over(label, &[State::Finished]);
        let of_label = &self.vocabulary.labels[label];
        let mut all: Vec<&Condition> = Vec::new();
        for condition in &asked.node.conditions {
            match condition {
                Condition::All(inner) => all.extend(inner),
                one => all.push(one),
            }
        }
        let is_said = |date: &Property, condition: &Condition| {
            let is_after = |value: &Value| value.as_str().is_some_and(|value| date.is_named_after(value));
            let is_end = matches!(date.state, Some(State::Finished | State::Settled));
            let says = match condition {
                Condition::Property { key, value, operator } => {
                    *key == date.key || (*operator == Operator::Equal && is_after(value))
                }
                Condition::In { values, .. } => values.iter().all(is_after),
                Condition::Present { key } => *key == date.key,
                _ => false,
            };
            says || (is_end && over.contains(condition))
        };
        let dates = of_label
            .properties
            .iter()
            .filter(|one| one.is_time() && !of_label.dues().any(|due| due.key == one.key));
        let mut said = dates.filter(|date| all.iter().any(|condition| is_said(date, condition)));
        let only = said.next().filter(|_| said.next().is_none() && asked.extreme.is_none())?;
        Some(only.key.clone())
    }

    /// Returns what is said of nodes, alone and with their state: "past its deadline *and not done*".
    pub(super) fn with_state_after(&self, said: Found<Said>, label: usize) -> Vec<Found<Vec<Said>>> {
        let after = self.after_and(said.end).map(|at| self.negatable_states(at, label)).unwrap_or_default();
        let mut all: Vec<Found<Vec<Said>>> = after
            .into_iter()
            .map(|state| Found {
                end: state.end,
                item: vec![said.item.clone(), Said::Holds(state.item)],
                notes: [said.notes.clone(), state.notes].concat(),
            })
            .collect();
        all.push(Found { end: said.end, item: vec![said.item], notes: said.notes });
        all
    }

    /// Returns the dates of nodes with a label that a participle here names, with where it ends: "due", "completed".
    pub(super) fn times_at(&self, at: usize, label: usize) -> Vec<(usize, String)> {
        let of_label = &self.vocabulary.labels[label];
        let said = |property: &&Property| {
            let first = self.run(at, property.words.get(..1).unwrap_or_default()).is_some();
            let is_due = || self.is(at, &["due"]) && of_label.dues().any(|due| due.key == property.key);
            property.is_time() && (first || is_due())
        };
        of_label.properties.iter().filter(said).map(|one| (at + 1, one.key.clone())).collect()
    }

    /// Skips ", and which?" after a question that is answered by a list anyway.
    pub(super) fn with_which(&self, found: &Found<Understood>) -> Option<Found<Understood>> {
        let start = self.after_and(found.end).filter(|start| self.is(*start, &["which", "what"]))?;
        let end = start + 1 + usize::from(self.is(start + 1, &["ones", "one"]));
        (end == self.words.list.len() && found.item.asked == Asked::Nodes)
            .then(|| Found { end, ..found.clone() })
    }
}

/// Returns the properties that a condition uses.
pub(super) fn keys(condition: &Condition) -> Vec<String> {
    match condition {
        Condition::Property { key, .. } | Condition::In { key, .. } | Condition::Present { key } => {
            vec![key.clone()]
        }
        Condition::Not(inner) => keys(inner),
        Condition::All(all) => all.iter().flat_map(keys).collect(),
        Condition::Link { .. } | Condition::Called { .. } => Vec::new(),
    }
}
