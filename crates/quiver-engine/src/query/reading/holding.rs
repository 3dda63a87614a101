//! What somebody has: "my tickets", "which of mine", "on my plate", "do I still have to write".

use quiver_language::{
    asking::{Asking, says},
    pack::Kind,
    state::State,
};

use super::{
    Amount, Condition, Described, Link,
    grammar::{Found, Note, NounPhrase, Quantity, Reader, Voice, orient},
    noun::equal,
    state::keys,
    vocabulary::{LinkType, Property},
};

/// A way in which somebody has a thing.
#[derive(Clone, Debug)]
pub(super) struct Holding {
    pub(super) condition: Condition,
    pub(super) meaning: String,
}

impl Reader<'_> {
    /// Returns the links by which one node holds another, from the first, and whether they mean holding: those that do,
    /// else those by which somebody has a piece of work, otherwise all.
    pub(super) fn links_of_holding(&self, from: usize, holder: usize) -> (Vec<Link>, bool) {
        let all = self.unnamed(from, holder, None);
        let having = |says: fn(&LinkType) -> bool| -> Vec<Link> {
            let kinds = self.vocabulary.links.iter().filter(|kind| says(kind));
            let has = |link: &&Link| kinds.clone().any(|kind| kind.kind == link.kind);
            all.iter().filter(has).cloned().collect()
        };
        let held = having(|kind| kind.is_held);
        let held = if held.is_empty() { having(|kind| kind.is_tended) } else { held };
        if held.is_empty() { (all, false) } else { (held, true) }
    }

    /// Returns the node of the user who asks.
    pub(super) fn asking_node(&self) -> Option<Described> {
        let asker = self.asker?;
        Some(Described { label: asker.label, conditions: vec![equal(&asker.key, asker.value.clone())] })
    }

    /// Returns the properties in which nodes with a label name the user who asks, by any of the user's names, and whether
    /// they mean holding: those that do, otherwise all.
    fn properties_of_holding(&self, label: usize) -> (Vec<Holding>, bool) {
        let Some(asker) = self.asker else { return (Vec::new(), false) };
        let of_label = &self.vocabulary.labels[label];
        let refers = |property: &&Property| {
            of_label.name_key.as_ref() != Some(&property.key)
                && self.vocabulary.refers(label, &property.key, asker.label)
        };
        let properties: Vec<&Property> = of_label.properties.iter().filter(refers).collect();
        // "Reviewer" is a word for who has a review, if the users are reviewers.
        let names_user = |property: &&&Property| property.words == self.vocabulary.labels[asker.label].words;
        let is_held = |property: &&&Property| property.state == Some(State::Held);
        let held: Vec<&Property> = properties.iter().filter(is_held).copied().collect();
        let named: Vec<&Property> = properties.iter().filter(names_user).copied().collect();
        let (chosen, means_holding) = match (held.is_empty(), named.is_empty()) {
            (false, _) => (held, true),
            (true, false) => (named, true),
            (true, true) => (properties, false),
        };
        let holdings = chosen.into_iter().filter_map(|property| {
            let mut names = self.names_of_asker.iter();
            let known = names.find_map(|name| self.vocabulary.known(name, label, &property.key))?;
            let condition = equal(&property.key, known.value.clone());
            let meaning = format!("{}.{} = {}", of_label.name, property.key, known.value);
            Some(Holding { condition, meaning })
        });
        (holdings.collect(), means_holding)
    }

    /// Returns the ways in which a node has nodes with a label: by links, and by properties that name the user who asks.
    pub(super) fn holding(&self, label: usize, holder: &Described) -> Vec<Holding> {
        let (links, links_hold) = self.links_of_holding(label, holder.label);
        let is_asker = self.asking_node().as_ref() == Some(holder);
        let (properties, properties_hold) =
            if is_asker { self.properties_of_holding(label) } else { (Vec::new(), false) };
        let mut found: Vec<Holding> = Vec::new();
        if links_hold || !properties_hold {
            found.extend(links.into_iter().map(|link| Holding {
                meaning: Self::link_meaning(&link),
                condition: Condition::Link { link, node: holder.clone(), amount: Amount::Some },
            }));
        }
        if properties_hold || !links_hold {
            found.extend(properties);
        }
        found
    }

    /// Returns the ways in which the user who asks has nodes with a label.
    pub(super) fn held_by_asker(&self, label: usize) -> Vec<Holding> {
        self.asking_node().map(|asker| self.holding(label, &asker)).unwrap_or_default()
    }

    /// Returns the note on words that mean the user who asks and a way to have something.
    pub(super) fn holding_note(&self, from: usize, to: usize, holding: &Holding) -> Note {
        let who = self.asker.map(|asker| {
            format!("{}.{} = {}", self.vocabulary.labels[asker.label].name, asker.key, asker.value)
        });
        match (&holding.condition, who) {
            (Condition::Link { .. }, Some(who)) => self.note(from, to, format!("{}, {who}", holding.meaning)),
            _ => self.note(from, to, holding.meaning.clone()),
        }
    }

    /// Returns the phrase with each way in which the user who asks has what it describes: "my tasks".
    pub(super) fn owned(&self, base: &Found<NounPhrase>, from: usize, to: usize) -> Vec<Found<NounPhrase>> {
        let ways = self.held_by_asker(base.item.node.label).into_iter();
        let owned = ways.map(|holding| {
            let mut owned = base.clone().noted([self.holding_note(from, to, &holding)]);
            owned.item.node.conditions.push(holding.condition);
            owned
        });
        owned.collect()
    }

    /// Returns the phrase for what belongs to the only kind of group that users and these nodes have in common: "our tasks".
    pub(super) fn shared(&self, base: &Found<NounPhrase>, at: usize) -> Vec<Found<NounPhrase>> {
        let Some(asker) = self.asking_node() else { return Vec::new() };
        let label = base.item.node.label;
        let groups =
            (0..self.vocabulary.labels.len()).filter(|group| *group != label && *group != asker.label);
        let mut paths: Vec<(usize, Link, Link)> = Vec::new();
        for group in groups {
            for to_group in self.unnamed(label, group, None) {
                let to_user = self.unnamed(group, asker.label, None).into_iter();
                paths.extend(to_user.map(|to_user| (group, to_group.clone(), to_user)));
            }
        }
        let [(group, to_group, to_user)] = &paths[..] else { return Vec::new() };
        let of_user = Condition::Link { link: to_user.clone(), node: asker, amount: Amount::Some };
        let node = Described { label: *group, conditions: vec![of_user] };
        let name = &self.vocabulary.labels[*group].name;
        let note = self.note(at, at + 1, format!("{}:{name} of the user", Self::link_meaning(to_group)));
        let mut shared = base.clone().noted([note]);
        let condition = Condition::Link { link: to_group.clone(), node, amount: Amount::Some };
        shared.item.node.conditions.push(condition);
        vec![shared]
    }

    /// Parses "mine", for nodes with a label.
    pub(super) fn mine(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        if !self.is(at, &["mine"]) {
            return Vec::new();
        }
        let ways = self.held_by_asker(label).into_iter();
        ways.map(|holding| {
            Found::new(at + 1, holding.condition.clone()).noted([self.holding_note(at, at + 1, &holding)])
        })
        .collect()
    }

    /// Parses "on my plate": the user who asks has it, and it is not known to be over.
    pub(super) fn on_my_plate(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let Some(end) = self.plate_end(at) else { return Vec::new() };
        let mut found = Vec::new();
        for holding in self.held_by_asker(label) {
            for not_over in self.not_known_over(label) {
                let note = self.holding_note(at, end, &holding);
                let all = [Some(holding.condition.clone()), not_over].into_iter().flatten().collect();
                found.push(Found::new(end, Condition::All(all)).noted([note]));
            }
        }
        found
    }

    fn plate_end(&self, at: usize) -> Option<usize> {
        let first = self.word(at)?;
        if !self.is(at + 1, &["my"]) {
            return None;
        }
        (at + 2..=at + 5).rev().find(|end| {
            let rest = self.words.list.get(at + 2..*end).unwrap_or_default();
            let words = std::iter::once(first).chain(rest).map(|word| word.norm.as_str());
            !rest.is_empty() && says(&words.collect::<Vec<_>>().join(" "), Asking::Plate)
        })
    }

    /// Parses "do I have to write", "must I finish": the user who asks does that to it or has it, and it is not over.
    pub(super) fn to_be_done(&self, at: usize, label: usize) -> Vec<Found<Vec<Condition>>> {
        let Some(asker) = self.asking_node().filter(|_| self.is(at + 1, &["i"])) else { return Vec::new() };
        let has_to = self.is(at + 2, &["have", "need"]) && self.is(at + 3, &["to"]);
        let verb = match (self.is_kind(at, Kind::Do), self.is(at, &["must"])) {
            (true, _) if has_to => at + 4,
            (_, true) => at + 2,
            _ => return Vec::new(),
        };
        self.done_by(&asker, verb, label)
    }

    /// Parses "I have to write" or "I must finish" as what a noun is said of.
    pub(super) fn that_i_must_do(&self, at: usize, label: usize) -> Vec<Found<Vec<Condition>>> {
        let Some(asker) = self.asking_node().filter(|_| self.is(at, &["i"])) else { return Vec::new() };
        let has_to = self.is(at + 1, &["have", "need"]) && self.is(at + 2, &["to"]);
        match (has_to, self.is(at + 1, &["must"])) {
            (true, _) => self.done_by(&asker, at + 3, label),
            (_, true) => self.done_by(&asker, at + 2, label),
            _ => Vec::new(),
        }
    }

    /// Parses a verb for what the user who asks is yet to do to nodes with a label.
    fn done_by(&self, asker: &Described, verb: usize, label: usize) -> Vec<Found<Vec<Condition>>> {
        let mut ways: Vec<(usize, Condition, Note)> = Vec::new();
        for (end, kind) in self.links_at(verb) {
            if let Some(link) = orient(kind, asker.label, label, Voice::Active) {
                let link = link.reversed();
                let note = self.link_note(verb, end, &link);
                ways.push((end, Condition::Link { link, node: asker.clone(), amount: Amount::Some }, note));
            }
        }
        // What is to be done may name the date by which it is: "serve" in `serveBy`.
        let dues = self.vocabulary.labels[label].dues();
        let named = dues.filter_map(|due| self.run(verb, due.words.get(..1).unwrap_or_default())).max();
        if let Some(end) = self.phrase(verb, Asking::Doing).or(named.filter(|_| ways.is_empty())) {
            let held = self.held_by_asker(label).into_iter();
            ways.extend(held.map(|one| (end, one.condition.clone(), self.holding_note(verb, end, &one))));
        }
        let mut found = Vec::new();
        for (end, condition, note) in ways {
            for not_over in self.not_over(label) {
                let conditions = vec![condition.clone(), not_over];
                found.push(Found::new(end, conditions.clone()).noted([note.clone()]));
                // "By Friday".
                for due in self.vocabulary.labels[label].dues() {
                    for (time, within) in self.by_time(end, due, false) {
                        let conditions = [conditions.clone(), vec![within]].concat();
                        let note_of_time = self.time_note(end, time, label, due);
                        found.push(Found::new(time.end, conditions).noted([note.clone(), note_of_time]));
                    }
                }
            }
        }
        found
    }

    /// Parses the value of a status with a preposition or a participle after "have": "in preparation", "paused".
    fn of_status(&self, at: usize, label: usize) -> Vec<Found<Condition>> {
        let statuses = self.vocabulary.labels[label].statuses();
        let is_of_status = |one: &Found<Condition>| {
            keys(&one.item).iter().all(|key| statuses.iter().any(|status| status.key == *key))
        };
        self.adjectives(at, label).into_iter().filter(is_of_status).collect()
    }

    /// Returns a condition as it is, and with "left" or a status after it: that is not over, or so far.
    pub(super) fn with_remaining(
        &self,
        found: Found<Vec<Condition>>,
        label: usize,
        amount: Amount,
    ) -> Vec<Found<Vec<Condition>>> {
        let mut all = Vec::new();
        if amount == Amount::Some {
            let remaining = [self.remaining(found.end, label), self.states(found.end, label)];
            let states = [remaining.concat(), self.of_status(found.end, label)].concat();
            all.extend(states.into_iter().map(|state| Found {
                end: state.end,
                item: [found.item.clone(), vec![state.item]].concat(),
                notes: [found.notes.clone(), state.notes].concat(),
            }));
        }
        all.push(found);
        all
    }

    /// Parses "am I late", "have I missed the deadline".
    pub(super) fn i_am_late(&self, at: usize) -> Option<usize> {
        if !self.is(at + 1, &["i"]) {
            return None;
        }
        match (self.is_kind(at, Kind::Be), self.is_kind(at, Kind::Have)) {
            (true, _) => self.late(at + 2),
            (_, true) => self.missed(at + 2),
            _ => None,
        }
    }

    /// Parses "am I late with", "have I missed the deadline for".
    pub(super) fn late_with(&self, at: usize, label: usize) -> Vec<Found<Vec<Condition>>> {
        let Some(end) = self.i_am_late(at) else { return Vec::new() };
        let end_after = end + usize::from(self.is(end, &["with", "on", "for"]));
        let mut found = Vec::new();
        for holding in self.held_by_asker(label) {
            for overdue in self.overdue(label) {
                let notes = [
                    self.holding_note(at, at + 2, &holding),
                    self.note(at + 2, end, self.overdue_meaning(label)),
                ];
                let conditions = vec![holding.condition.clone(), overdue];
                found.push(Found::new(end_after, conditions).noted(notes));
            }
        }
        found
    }

    /// Returns the labels of things to do: those whose nodes have a due date.
    fn labels_with_due_date(&self) -> impl Iterator<Item = usize> {
        (0..self.vocabulary.labels.len()).filter(|label| self.vocabulary.labels[*label].due().is_some())
    }

    /// Returns phrases for things to do of any kind, which some words stand for.
    pub(super) fn things_to_do(&self, from: usize, to: usize) -> Vec<Found<NounPhrase>> {
        let of_label = |label: usize| {
            let node = Described { label, conditions: Vec::new() };
            let item = NounPhrase { node, amount: Quantity::Of(Amount::Some), extreme: None, is_name: false };
            Found::new(to, item).noted([self.note(
                from,
                to,
                format!(":{}", self.vocabulary.labels[label].name),
            )])
        };
        self.labels_with_due_date().map(of_label).collect()
    }

    /// Parses "mine", "anything of mine", "my work": things to do of any kind.
    pub(super) fn things(&self, at: usize) -> Vec<Found<NounPhrase>> {
        if self.is(at, &["mine"]) {
            let all = self.things_to_do(at, at + 1);
            return all.iter().flat_map(|base| self.owned(base, at, at + 1)).collect();
        }
        let is_my = self.is(at, &["my"]);
        let noun = at + usize::from(is_my);
        let Some(end) = self.phrase(noun, Asking::Thing) else { return Vec::new() };
        let all = self.things_to_do(noun, end).into_iter();
        let all = all.flat_map(|base| if is_my { self.owned(&base, at, noun) } else { vec![base] });
        all.flat_map(|base| self.with_modifiers(&base, 0)).collect()
    }

    /// Whether conditions are about what the user who asks has, about a due date, or about what is over or not. Only then does
    /// "anything" mean a thing to do.
    pub(super) fn are_about_things_to_do(&self, label: usize, conditions: &[Condition]) -> bool {
        let held: Vec<Condition> = self.held_by_asker(label).into_iter().map(|one| one.condition).collect();
        let dues: Vec<&str> = self.vocabulary.labels[label].dues().map(|due| due.key.as_str()).collect();
        let is_held = |condition: &Condition| match condition {
            Condition::All(all) => all.iter().any(|one| held.contains(one)),
            one => held.contains(one),
        };
        let of_state = [self.not_over(label), self.over(label, &[State::Finished])].concat();
        let is_due = |condition: &Condition| {
            of_state.contains(condition) || keys(condition).iter().any(|key| dues.contains(&key.as_str()))
        };
        conditions.iter().any(|condition| is_held(condition) || is_due(condition))
    }
}
