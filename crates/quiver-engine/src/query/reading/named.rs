//! Questions about one node that is named: "When is the report due?", "Where does the scanner stand?", "Is the report done?"

use quiver_language::{asking::Asking, pack::Kind, word::same_saying};

use super::{
    Amount, Asked, Condition, Described, Link, Understood,
    grammar::{Found, NounPhrase, Quantity, Reader, Said, ask},
    state::keys,
    vocabulary::Property,
};

/// Prepositions that say where a thing is.
const OF_PLACE: [&str; 7] = ["in", "at", "on", "inside", "near", "within", "under"];

impl Reader<'_> {
    /// Parses "When is the report due?", "When did the fault occur?", "By when must the report be done?"
    pub(super) fn when(&self) -> Vec<Found<Understood>> {
        let at = usize::from(self.is(0, &["by", "until"]));
        let is_modal = self.is(at + 1, &["must", "should"]);
        let (is_be, is_do) = (self.is_kind(at + 1, Kind::Be), self.is_kind(at + 1, Kind::Do));
        if !self.is(at, &["when"]) || !(is_modal || is_be || is_do) {
            return Vec::new();
        }
        let mut found = Vec::new();
        // "When is the deadline for the report?"
        if is_be {
            found.extend(self.due_of(self.after_article(at + 2)));
        }
        // "When do I have to finish the report?"
        let is_mine = self.is(at + 2, &["i"]);
        let verb = match (is_do && self.is(at + 3, &["have", "need"]) && self.is(at + 4, &["to"]), is_modal) {
            (true, _) => Some(at + 5),
            (_, true) => Some(at + 3),
            _ => None,
        };
        // The name of a piece of work may begin with the verb.
        let starts = verb
            .filter(|_| is_mine)
            .into_iter()
            .flat_map(|verb| self.phrase(verb, Asking::Doing).into_iter().chain(std::iter::once(verb)));
        for start in starts {
            for subject in self.noun_phrase(start, 0).into_iter().filter(|subject| subject.item.is_name) {
                let dues = self.vocabulary.labels[subject.item.node.label].dues();
                found.extend(dues.filter_map(|due| self.asked_when(&subject, subject.end, due)));
            }
        }
        for subject in self.noun_phrase(at + 2, 0).into_iter().filter(|subject| subject.item.is_name) {
            for (end, property) in self.dated_after(&subject, is_be, is_do, is_modal) {
                found.extend(self.asked_when(&subject, end, property));
            }
        }
        found
    }

    /// Returns the dates that the words after "when is" and a name ask for, with where they end.
    fn dated_after(
        &self,
        subject: &Found<NounPhrase>,
        is_be: bool,
        is_do: bool,
        is_modal: bool,
    ) -> Vec<(usize, &Property)> {
        let (at, label) = (subject.end, subject.item.node.label);
        let of_label = &self.vocabulary.labels[label];
        let mut found: Vec<(usize, &Property)> = Vec::new();
        let times = self.times_at(at, label).into_iter();
        found.extend(times.filter_map(|(end, key)| Some((end, of_label.property(&key)?))));
        // "Need to be done", "be done".
        let owed = match (is_modal, self.phrase(at, Asking::Owing)) {
            (true, _) => self.is(at, &["be"]).then_some(at + 1),
            (_, end) => end.filter(|_| is_do),
        };
        if let Some(end) = owed.and_then(|at| self.done_end(at, label)) {
            found.extend(of_label.dues().map(|due| (end, due)));
        }
        let mut dates = of_label.properties.iter().filter(|property| property.is_time());
        if let (Some(only), None) = (dates.next(), dates.next()) {
            let happens = self.verb_ends(at, Asking::Happening, false).into_iter().filter(|_| is_do);
            found.extend(happens.map(|end| (end, only)));
            found.extend((is_be && of_label.due().is_none()).then_some((at, only)));
        }
        found
    }

    fn asked_when(
        &self,
        subject: &Found<NounPhrase>,
        end: usize,
        property: &Property,
    ) -> Option<Found<Understood>> {
        let name = &self.vocabulary.labels[subject.item.node.label].name;
        let mut notes = subject.notes.clone();
        notes.push(self.note(0, 1, format!("{name}.{}", property.key)));
        ask(&Asked::Property(property.key.clone()), subject, &[], end, notes)
    }

    /// Parses "deadline for the report".
    pub(super) fn due_of(&self, at: usize) -> Vec<Found<Understood>> {
        let Some(end) = self.phrase(at, Asking::Limit).filter(|end| self.is(*end, &["of", "for"])) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for subject in self.noun_phrase(end + 1, 0).into_iter().filter(|subject| subject.item.is_name) {
            let dues = self.vocabulary.labels[subject.item.node.label].dues();
            found.extend(dues.filter_map(|due| self.asked_when(&subject, subject.end, due)));
        }
        found
    }

    /// Parses "Where does the scanner stand?", "Where is the scanner located?"
    pub(super) fn where_is(&self) -> Vec<Found<Understood>> {
        if !self.is(0, &["where"]) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for label in 0..self.vocabulary.labels.len() {
            let of_label = &self.vocabulary.labels[label];
            let is_event = of_label.properties.iter().any(Property::is_time);
            if of_label.prose().is_some() || is_event {
                continue;
            }
            let node = Described { label, conditions: Vec::new() };
            let item = NounPhrase { node, amount: Quantity::Of(Amount::Some), extreme: None, is_name: false };
            let base = Found::new(1, item).noted([self.note(0, 1, format!(":{}", of_label.name))]);
            let is_place = |condition: &Condition| {
                let Condition::Link { link, amount: Amount::Some, .. } = condition else { return false };
                let mut kinds = self.vocabulary.links.iter().filter(|kind| kind.kind == link.kind);
                let of_place = |word: &String| OF_PLACE.contains(&word.as_str());
                !link.is_forward && kinds.any(|kind| kind.prepositions.iter().any(of_place))
            };
            let mut rests = self.asked_of(1, label);
            if self.is_kind(1, Kind::Be) {
                for subject in self.noun_phrase(2, 0).into_iter().filter(|subject| subject.item.is_name) {
                    let placed = self.phrase(subject.end, Asking::Placed);
                    let end = placed.unwrap_or(subject.end);
                    let links = self.unnamed(label, subject.item.node.label, None).into_iter();
                    let links = links.filter(|link| placed.is_some() || self.says_place(link));
                    rests.extend(links.map(|link| {
                        let notes = [vec![self.link_note(1, 2, &link)], subject.notes.clone()].concat();
                        let node = subject.item.node.clone();
                        Found { end, item: vec![Condition::Link { link, node, amount: Amount::Some }], notes }
                    }));
                }
            }
            for rest in rests.into_iter().filter(|rest| rest.item.iter().all(is_place)) {
                let said: Vec<Said> = rest.item.into_iter().map(Said::Holds).collect();
                let notes = [base.notes.clone(), rest.notes].concat();
                found.extend(ask(&Asked::Nodes, &base, &said, rest.end, notes));
            }
        }
        found
    }

    /// Whether a link only says where a thing is: `STANDS_IN`.
    fn says_place(&self, link: &Link) -> bool {
        let of_place = ["locate", "keep", "live"].iter().fold(0, |all, verb| all | same_saying(verb));
        let mut kinds = self.vocabulary.links.iter().filter(|kind| kind.kind == link.kind);
        kinds.any(|kind| kind.words.is_empty() || kind.same_saying & of_place != 0)
    }

    /// Parses "Is the report done?", "Has the report been filed?": what the word asks about is shown.
    pub(super) fn is_it(&self) -> Vec<Found<Understood>> {
        let (is_be, is_have) = (self.is_kind(0, Kind::Be), self.is_kind(0, Kind::Have));
        if !is_be && !is_have {
            return Vec::new();
        }
        let mut found = Vec::new();
        for subject in self.noun_phrase(1, 0).into_iter().filter(|subject| subject.item.is_name) {
            let label = subject.item.node.label;
            let at = subject.end + usize::from(is_have && self.is(subject.end, &["been"]));
            for state in self.state_asked(at, label) {
                let notes = [subject.notes.clone(), state.notes].concat();
                found.extend(ask(&Asked::Nodes, &subject, &[], state.end, notes).map(|mut one| {
                    one.item.also.clone_from(&state.item);
                    one
                }));
            }
        }
        found
    }

    /// Returns the properties that a state word here asks about: "done", "overdue", or a value.
    pub(super) fn state_asked(&self, at: usize, label: usize) -> Vec<Found<Vec<String>>> {
        let mut asked: Vec<Found<Vec<String>>> = self
            .adjectives(at, label)
            .into_iter()
            .chain(self.in_progress(at, label))
            .map(|state| Found { end: state.end, item: keys(&state.item), notes: state.notes })
            .collect();
        // Whatever the word means for these nodes, their state answers.
        let of_state = self.vocabulary.labels[label].of_state().into_iter();
        let keys: Vec<String> = of_state.map(|one| one.key.clone()).collect();
        if asked.is_empty() && self.is_state_word(at) && !keys.is_empty() {
            let note = self.note(at, at + 1, format!("the state of :{}", self.vocabulary.labels[label].name));
            asked.push(Found::new(at + 1, keys).noted([note]));
        }
        asked
    }
}
