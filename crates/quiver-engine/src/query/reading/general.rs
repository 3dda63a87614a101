//! General verbs, which name no type of relationship: "carried out by Ann", "waiting for the report", "belongs to Team A".

use quiver_language::{
    asking::{Asking, says},
    pack::Kind,
    state::{State, state},
    word::{irregular_verb, verbs},
};

use super::{
    Amount, Condition, Described, Link,
    grammar::{Found, NounPhrase, Quantity, Reader, Said},
    holding::Holding,
    phrase::negated,
    vocabulary::LinkType,
    word::Word,
};

/// Maximum number of words in a general verb.
const VERB_MAX: usize = 4;

impl Reader<'_> {
    /// Returns the ends of a verb of a class that starts here: "handle", "working on", "taken". After "be", it may be a phrase
    /// with "be", such as "responsible for", and a participle only in the passive.
    pub(super) fn verb_ends(&self, at: usize, what: Asking, is_passive: bool) -> Vec<usize> {
        let Some(word) = self.word(at) else { return Vec::new() };
        let mut bases: Vec<&str> = vec![&word.norm];
        bases.extend(irregular_verb(&word.norm));
        verbs(&word.norm).for_each(|base| bases.push(base));
        // "Is not responsible for".
        let before = at.checked_sub(1).map(|before| before - usize::from(self.is(before, &["not"])));
        let is_after_be = before.is_some_and(|before| self.is_kind(before, Kind::Be));
        let says_so = |end: &usize| {
            let rest = self.words.list.get(at + 1..*end).unwrap_or_default();
            let rest: Vec<&str> = rest.iter().map(|word| word.norm.as_str()).collect();
            let of = |words: &[&str]| says(&[words, &rest].concat().join(" "), what);
            let is_verb = !is_after_be || is_passive || word.norm.ends_with("ing");
            is_verb && bases.iter().any(|base| of(&[base])) || of(&["be", &word.norm])
        };
        (at + 1..=self.words.list.len().min(at + VERB_MAX)).filter(says_so).collect()
    }

    /// Returns the ends of a verb of a class in the passive, after its "by".
    fn passive_ends(&self, at: usize, what: Asking) -> Vec<usize> {
        if !self.word(at).is_some_and(Word::is_past) {
            return Vec::new();
        }
        let ends = self.verb_ends(at, what, true).into_iter();
        ends.filter(|end| self.is(*end, &["by"])).map(|end| end + 1).collect()
    }

    /// Whether a word here names a type of relationship that nodes with a label have.
    fn is_link_of(&self, at: usize, label: usize) -> bool {
        let has_end = |kind: &LinkType| kind.ends.iter().any(|(from, to)| *from == label || *to == label);
        self.links_at(at).iter().any(|(_, kind)| has_end(kind))
    }

    /// Returns the links by which somebody has a piece of work, from the latter: those that say so, else the only one if the
    /// other label is that of the user who asks.
    fn tending_links(&self, work: usize, holder: usize) -> Vec<Link> {
        let (links, are_held) = self.links_of_holding(work, holder);
        let is_users = self.asker.map(|asker| asker.label == holder);
        let is_work = self.vocabulary.labels[work].due().is_some();
        let is_sure = match is_users {
            Some(is_users) => is_users && (are_held || links.len() == 1),
            None => are_held,
        };
        if is_work && is_sure { links } else { Vec::new() }
    }

    /// Returns the ways in which a named node has pieces of work with a label.
    pub(super) fn tending(&self, work: usize, holder: &Described) -> Vec<Holding> {
        if self.asking_node().as_ref() == Some(holder) && self.vocabulary.labels[work].due().is_some() {
            return self.holding(work, holder);
        }
        let links = self.tending_links(work, holder.label).into_iter();
        links
            .map(|link| Holding {
                meaning: Self::link_meaning(&link),
                condition: Condition::Link { link, node: holder.clone(), amount: Amount::Some },
            })
            .collect()
    }

    /// Returns the ways in which a named node has pieces of work in one of some states.
    fn tending_so_far(&self, work: usize, holder: &Described, states: &[Condition]) -> Vec<Holding> {
        let tending = self.tending(work, holder).into_iter();
        let in_state = |holding: Holding| {
            let all = |state: &Condition| Condition::All(vec![holding.condition.clone(), state.clone()]);
            let meaning = &holding.meaning;
            states
                .iter()
                .map(|state| Holding { condition: all(state), meaning: meaning.clone() })
                .collect::<Vec<_>>()
        };
        tending.flat_map(in_state).collect()
    }

    /// Parses "finished" after "which tasks has Samir": they are his, and over. If nodes record who does that, it is not known
    /// to be him.
    pub(super) fn finished_by(
        &self,
        at: usize,
        label: usize,
        subject: &Found<NounPhrase>,
    ) -> Vec<Found<Vec<Condition>>> {
        let over = self.over(label, &[State::Finished]);
        let is_over = self.word(at).is_some_and(|word| state(&word.norm) == Some(State::Finished));
        let of_value = || self.adjectives(at, label).into_iter().find(|one| over.contains(&one.item));
        let end = if is_over { Some(at + 1) } else { of_value().map(|one| one.end) };
        let properties = &self.vocabulary.labels[label].properties;
        let is_recorded = properties.iter().any(|one| {
            !one.is_time()
                && !one.is_status()
                && self.run(at, one.words.get(..1).unwrap_or_default()).is_some()
        });
        let Some(end) = end.filter(|_| subject.item.is_name && !is_recorded && !self.is_link_of(at, label))
        else {
            return Vec::new();
        };
        let ways = self.tending_so_far(label, &subject.item.node, &over).into_iter();
        let found = ways.map(|Holding { condition, meaning }| {
            let notes = [subject.notes.clone(), vec![self.note(at, end, meaning)]].concat();
            Found { end, item: vec![condition], notes }
        });
        found.collect()
    }

    /// Whether a general verb stands here.
    pub(super) fn is_general(&self, at: usize) -> bool {
        let classes = [Asking::Tending, Asking::Awaiting, Asking::Hindering, Asking::Belonging];
        classes.into_iter().any(|what| !self.verb_ends(at, what, false).is_empty())
    }

    /// Returns the ends of a verb that says that somebody has a piece of work. In the past it says that the work is over, unless
    /// it only says that it was taken.
    fn tending_ends(&self, at: usize) -> Vec<usize> {
        let is_past = self.word(at).is_some_and(|word| {
            word.is_past()
                && !verbs(&word.norm).any(|base| base == word.norm)
                && irregular_verb(&word.norm) != Some("take")
        });
        if is_past { Vec::new() } else { self.verb_ends(at, Asking::Tending, false) }
    }

    /// Returns the ends of a phrase before who has a piece of work: "assigned to", "carried out by".
    fn entrusted_ends(&self, at: usize) -> Vec<usize> {
        let mut ends: Vec<usize> = self.phrase(at, Asking::Entrusted).into_iter().collect();
        ends.extend(self.passive_ends(at, Asking::Tending));
        ends
    }

    /// Parses "carried out by Jonas", "assigned to me", "assigned to nobody", for work with a label.
    pub(super) fn entrusted(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Condition>> {
        let mut found = Vec::new();
        if self.is_link_of(at, label) {
            return found;
        }
        for start in self.entrusted_ends(at) {
            for holder in self.noun_phrase(start, depth + 1) {
                let NounPhrase { node, amount, is_name, .. } = &holder.item;
                let ways = match (*is_name || self.is_somebody(start), amount) {
                    (true, Quantity::Of(Amount::Some)) => self.tending(label, node),
                    (true, Quantity::Of(Amount::No)) => {
                        let ways = self.tending(label, node).into_iter();
                        let no = |one: Holding| Some(Holding { condition: negated(one.condition)?, ..one });
                        ways.filter_map(no).collect()
                    }
                    _ => Vec::new(),
                };
                found.extend(ways.into_iter().map(|holding| {
                    let notes = [vec![self.note(at, start, holding.meaning)], holder.notes.clone()].concat();
                    Found { end: holder.end, item: holding.condition, notes }
                }));
            }
        }
        found
    }

    /// Parses what a named node has to do with nodes with a label: "taken" after "which tasks has Samir", "assigned to" after
    /// "who is the report", "waiting for" after "what is the report".
    pub(super) fn generally(
        &self,
        verb: usize,
        label: usize,
        subject: &Found<NounPhrase>,
        amount: Amount,
    ) -> Vec<Found<Vec<Condition>>> {
        let node = &subject.item.node;
        if !subject.item.is_name || self.is_link_of(verb, label) {
            return Vec::new();
        }
        let mut ways: Vec<(usize, Holding)> = Vec::new();
        let linked = |end: usize, link: Link| {
            let meaning = Self::link_meaning(&link);
            (
                end,
                Holding {
                    condition: Condition::Link { link, node: node.clone(), amount: Amount::Some },
                    meaning,
                },
            )
        };
        for end in self.tending_ends(verb) {
            ways.extend(self.tending(label, node).into_iter().map(|holding| (end, holding)));
        }
        if let Some(end) = self.phrase(verb, Asking::Busy) {
            let not_over = self.not_over(label);
            ways.extend(
                self.tending_so_far(label, node, &not_over).into_iter().map(|holding| (end, holding)),
            );
        }
        // "Has Samir been given".
        let is_given = verb.checked_sub(1).is_some_and(|before| self.is(before, &["been"]))
            && self.word(verb).is_some_and(|word| says(&format!("{} to", word.norm), Asking::Entrusted));
        if is_given {
            ways.extend(self.tending(label, node).into_iter().map(|holding| (verb + 1, holding)));
        }
        for end in self.entrusted_ends(verb) {
            let links = self.tending_links(node.label, label).into_iter();
            ways.extend(links.map(|link| linked(end, link.reversed())));
        }
        for end in self.needing_ends(verb) {
            let links = self.needing_links(node.label, label).into_iter();
            ways.extend(links.map(|link| linked(end, link.reversed())));
        }
        for end in self.verb_ends(verb, Asking::Hindering, false) {
            ways.extend(self.needing_links(label, node.label).into_iter().map(|link| linked(end, link)));
        }
        for end in self.verb_ends(verb, Asking::Belonging, false) {
            ways.extend(self.unnamed(label, node.label, None).into_iter().map(|link| linked(end, link)));
        }
        let mut found = Vec::new();
        for (end, Holding { condition, meaning }) in ways {
            let condition = if amount == Amount::No { negated(condition) } else { Some(condition) };
            let notes = [subject.notes.clone(), vec![self.note(verb, end, meaning)]].concat();
            let item = condition.map(|condition| match condition {
                Condition::All(all) => all,
                one => vec![one],
            });
            found.extend(item.map(|item| Found { end, item, notes }));
        }
        found
    }

    /// Parses a general verb with its object: "works on the report", "waits for the report", "belongs to Team A".
    pub(super) fn general(&self, at: usize, label: usize, depth: u32) -> Vec<Found<Said>> {
        type Links<'a> = Box<dyn Fn(usize) -> Vec<Link> + 'a>;
        let mut ways: Vec<(usize, Links<'_>)> = Vec::new();
        let tends: fn(&Self, usize, usize) -> Vec<Link> = |reader, work, holder| {
            reader.tending_links(work, holder).into_iter().map(Link::reversed).collect()
        };
        for end in self.tending_ends(at) {
            ways.push((end, Box::new(move |other| tends(self, other, label))));
        }
        // "Who is painting the fence?" if that is the name of a piece of work.
        let is_after_be = at.checked_sub(1).is_some_and(|before| self.is_kind(before, Kind::Be));
        if is_after_be && self.word(at).is_some_and(|word| word.norm.ends_with("ing")) {
            ways.push((at, Box::new(move |other| tends(self, other, label))));
        }
        for end in self.needing_ends(at) {
            ways.push((end, Box::new(move |other| self.needing_links(label, other))));
        }
        for end in self.verb_ends(at, Asking::Hindering, false) {
            let links =
                move |other| self.needing_links(other, label).into_iter().map(Link::reversed).collect();
            ways.push((end, Box::new(links)));
        }
        for end in self.verb_ends(at, Asking::Belonging, false) {
            ways.push((end, Box::new(move |other| self.unnamed(label, other, None))));
        }
        let mut found = Vec::new();
        for (end, links) in ways {
            for object in self.noun_phrase(end, depth + 1) {
                let NounPhrase { node, amount, extreme, is_name } = object.item;
                let Quantity::Of(amount) = amount else { continue };
                let is_unsaid = end == at && !is_name;
                if extreme.is_some() || is_unsaid || self.is_link_of(at, node.label) {
                    continue;
                }
                for link in links(node.label) {
                    let note = self.link_note(at, end.max(at + 1), &link);
                    let notes = [vec![note], object.notes.clone()].concat();
                    let item = Said::Holds(Condition::Link { link, node: node.clone(), amount });
                    found.push(Found { end: object.end, item, notes });
                }
            }
        }
        found
    }

    /// Returns the links by which nodes with one label come after nodes with another, from the former.
    fn needing_links(&self, from: usize, to: usize) -> Vec<Link> {
        let kinds = self.vocabulary.links.iter();
        let links = kinds.filter_map(|kind| {
            let is_forward = kind.is_needing?;
            let ends = if is_forward { (from, to) } else { (to, from) };
            kind.ends.contains(&ends).then(|| Link { kind: kind.kind.clone(), is_forward })
        });
        links.collect()
    }

    /// Returns the ends of a verb that says that its subject comes after its object: "waits for", "blocked by".
    fn needing_ends(&self, at: usize) -> Vec<usize> {
        [self.verb_ends(at, Asking::Awaiting, false), self.passive_ends(at, Asking::Hindering)].concat()
    }

    /// Whether a word here means any user, or none.
    pub(super) fn is_somebody(&self, at: usize) -> bool {
        self.asker.is_some() && self.is(at, &["anyone", "anybody", "someone", "somebody", "nobody"])
    }
}
