//! The grammar of questions. Each function parses one phrase from a word on, and returns every way to read it.

use std::{cell::Cell, iter};

use quiver_language::{
    asking::Asking as Phrase,
    degree::{Degree, comparative, superlative},
    pack::{Class, Kind},
};

use super::{
    Amount, Asked, Asking, Condition, Described, Extreme, Link, Operator, Understood,
    lookup::{LeftOut, Words},
    vocabulary::{Known, LinkType, Vocabulary},
    word::{Word, fold, number},
};

/// Maximum number of steps to read a question; one that takes more is not a query.
const STEPS_MAX: u32 = 100_000;
/// Maximum nesting of phrases.
pub(super) const DEPTH_MAX: u32 = 4;

/// What some words became.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Note {
    /// The position of the words in the question, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) meaning: String,
    /// The note if several nodes have this name.
    pub(super) shared: Option<String>,
    /// Whether the words only describe.
    pub(super) describes: bool,
}

/// A parsed phrase: where it ends, its value, and what its words became.
#[derive(Clone, Debug)]
pub(super) struct Found<T> {
    pub(super) end: usize,
    pub(super) item: T,
    pub(super) notes: Vec<Note>,
}

impl<T> Found<T> {
    pub(super) fn new(end: usize, item: T) -> Self {
        Self { end, item, notes: Vec::new() }
    }

    pub(super) fn noted(mut self, notes: impl IntoIterator<Item = Note>) -> Self {
        self.notes.extend(notes);
        self
    }
}

/// A noun phrase: the nodes it describes, how many, and its superlative.
#[derive(Clone, Debug)]
pub(super) struct NounPhrase {
    pub(super) node: Described,
    pub(super) amount: Quantity,
    pub(super) extreme: Option<Extreme>,
    /// Whether it is the name of one node.
    pub(super) is_name: bool,
}

/// How many nodes a noun phrase means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Of(Amount),
    /// "the most", or "the fewest".
    Extreme {
        is_high: bool,
    },
}

/// What a verb phrase states about its subject.
#[derive(Clone, Debug)]
pub(super) enum Said {
    Holds(Condition),
    Extreme(Extreme),
    /// "Due next": among those that meet the conditions.
    Next(Vec<Condition>, Extreme),
}

/// How a type of relationship is used, which determines its direction from the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    Active,
    /// "owned by".
    By,
    /// "deployed in".
    Other,
}

pub(super) struct Reader<'v> {
    pub(super) vocabulary: &'v Vocabulary,
    pub(super) words: Words<'v>,
    /// The node that "I" means.
    pub(super) asker: Option<&'v Known>,
    /// The words of its names, in lower case.
    pub(super) names_of_asker: Vec<String>,
    /// The current time, in milliseconds since 1970.
    pub(super) now: i64,
    /// Whether words before a noun may describe it without a value in the graph, and a phrase at the end may belong to
    /// the subject.
    pub(super) is_loose: bool,
    steps: Cell<u32>,
}

/// Finds every reading of a question as a query: as written, else without phrases such as "still", else also loosely.
pub(super) fn readings(
    vocabulary: &Vocabulary,
    question: &str,
    asking: Asking<'_>,
) -> Vec<(Understood, Vec<Note>)> {
    let Asking { now, asker, other_names } = asking;
    let asker = asker.and_then(|asker| vocabulary.node(asker));
    let reader = |left_out| {
        let words = Words::of(vocabulary, question, now, left_out)?;
        let names = asker.and_then(|asker| asker.value.as_str()).into_iter();
        let names_of_asker = names.chain(other_names.iter().map(String::as_str)).map(fold).collect();
        Some(Reader { vocabulary, words, asker, names_of_asker, now, is_loose: false, steps: Cell::new(0) })
    };
    let Some(whole) = reader(LeftOut::Nothing) else { return Vec::new() };
    let found = whole.readings();
    if !found.is_empty() {
        return found;
    }
    let Some(of_now) = reader(LeftOut::Idle { asker: asker.map(|asker| asker.label) }) else {
        return Vec::new();
    };
    let found = of_now.readings();
    if !found.is_empty() {
        return found;
    }
    Reader { is_loose: true, steps: Cell::new(0), ..of_now }.readings()
}

impl<'v> Reader<'v> {
    /// Whether another step may be taken.
    pub(super) fn goes_on(&self) -> bool {
        self.steps.set(self.steps.get().saturating_add(1));
        self.steps.get() < STEPS_MAX
    }

    pub(super) fn word(&self, at: usize) -> Option<&Word> {
        self.words.list.get(at)
    }

    pub(super) fn is(&self, at: usize, norms: &[&str]) -> bool {
        self.word(at).is_some_and(|word| norms.contains(&word.norm.as_str()))
    }

    pub(super) fn is_kind(&self, at: usize, kind: Kind) -> bool {
        self.word(at).is_some_and(|word| word.kind == Some(kind))
    }

    pub(super) fn is_preposition(&self, at: usize) -> bool {
        self.word(at).is_some_and(|word| word.class == Some(Class::Preposition))
    }

    pub(super) fn note(&self, from: usize, to: usize, meaning: impl Into<String>) -> Note {
        let (start, end) = (self.words.list[from].start, self.words.list[to - 1].end);
        Note { start, end, meaning: meaning.into(), shared: None, describes: false }
    }

    /// Returns the end of a run of words that starts here and matches these names in order.
    pub(super) fn run(&self, at: usize, names: &[Vec<u32>]) -> Option<usize> {
        let says = |(index, name): (usize, &Vec<u32>)| {
            self.word(at + index).is_some_and(|word| word.stems.iter().any(|stem| name.contains(stem)))
        };
        (!names.is_empty() && names.iter().enumerate().all(says)).then_some(at + names.len())
    }

    pub(super) fn superlative(&self, at: usize) -> Option<(usize, Degree)> {
        let word = self.word(at)?;
        if word.norm == "most" && self.is(at + 1, &["recent"]) {
            return Some((at + 2, superlative("newest")?));
        }
        if word.norm == "next" {
            return Some((at + 1, superlative("earliest")?));
        }
        Some((at + 1, superlative(&word.norm)?))
    }

    /// Parses "more than", "at least", "above".
    pub(super) fn comparison(&self, at: usize) -> Option<(usize, Operator)> {
        if self.is(at, &["at"]) {
            let word = self.word(at + 1)?;
            return match word.norm.as_str() {
                "least" => Some((at + 2, Operator::AtLeast)),
                "most" => Some((at + 2, Operator::AtMost)),
                _ => None,
            };
        }
        if self.is(at, &["exactly"]) {
            return Some((at + 1, Operator::Equal));
        }
        let word = self.word(at)?;
        let degree = comparative(&word.norm).filter(|degree| !degree.is_time)?;
        let operator = if degree.is_high { Operator::Greater } else { Operator::Less };
        let needs_than = word.class != Some(Class::Preposition) && word.norm != "exceeding";
        match (needs_than, self.is(at + 1, &["than"])) {
            (true, true) => Some((at + 2, operator)),
            (false, false) => Some((at + 1, operator)),
            _ => None,
        }
    }

    /// Parses a number in digits or as a word.
    pub(super) fn number(&self, at: usize) -> Option<f64> {
        const NUMBERS: [&str; 13] = [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
            "twelve",
        ];
        let word = self.word(at)?;
        let named = NUMBERS.iter().position(|name| *name == word.norm);
        let named = named.and_then(|number| u32::try_from(number).ok()).map(f64::from);
        named.or_else(|| number(&word.norm).filter(|_| word.is_number))
    }

    /// Skips "the", "a" and "an".
    pub(super) fn after_article(&self, at: usize) -> usize {
        at + usize::from(self.is_kind(at, Kind::Article))
    }

    /// Skips "and", "but" and "and also".
    pub(super) fn after_and(&self, at: usize) -> Option<usize> {
        if !self.is(at, &["and", "but"]) {
            return None;
        }
        Some(at + 1 + usize::from(self.is(at + 1, &["also"])))
    }

    /// Returns the types of relationships whose words start here, with their ends, including prepositions: those that are
    /// named, else those with a verb that says the same.
    pub(super) fn links_at(&self, at: usize) -> Vec<(usize, &'v LinkType)> {
        let links = self.vocabulary.links.iter();
        let named: Vec<(usize, &LinkType)> =
            links.clone().filter_map(|link| Some((self.run(at, &link.words)?, link))).collect();
        if !named.is_empty() {
            return named;
        }
        let groups = self.words.same_saying.get(at).into_iter().flatten();
        groups
            .flat_map(|(end, groups)| {
                let same = links.clone().filter(move |link| link.same_saying & groups != 0);
                same.map(|link| (*end, link))
            })
            .collect()
    }

    /// Returns the links between two labels that no word names: by the preposition if a type has it, otherwise all.
    pub(super) fn unnamed(&self, from: usize, to: usize, preposition: Option<&str>) -> Vec<Link> {
        if from == to {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut by_preposition = Vec::new();
        for link in &self.vocabulary.links {
            let (forward, backward) = link.directions(from, to);
            for (joins, is_forward) in [(forward, true), (backward, false)] {
                if !joins {
                    continue;
                }
                let one = Link { kind: link.kind.clone(), is_forward };
                if preposition.is_some_and(|word| link.prepositions.iter().any(|other| other == word)) {
                    by_preposition.push(one.clone());
                }
                found.push(one);
            }
        }
        if by_preposition.is_empty() { found } else { by_preposition }
    }

    pub(super) fn link_note(&self, from: usize, to: usize, link: &Link) -> Note {
        self.note(from, to, Self::link_meaning(link))
    }

    pub(super) fn link_meaning(link: &Link) -> String {
        let Link { kind, is_forward } = link;
        if *is_forward { format!("-[:{kind}]->") } else { format!("<-[:{kind}]-") }
    }

    /// Returns every reading of the whole question; none if that takes too many steps.
    fn readings(&self) -> Vec<(Understood, Vec<Note>)> {
        let found = self.question();
        if self.steps.get() >= STEPS_MAX {
            return Vec::new();
        }
        let end = self.words.list.len();
        let found = found.iter().flat_map(|found| self.with_more_asked(found));
        found.filter(|found| found.end == end).map(|found| (found.item, found.notes)).collect()
    }

    fn question(&self) -> Vec<Found<Understood>> {
        let mut found = self.which();
        found.extend(self.in_which());
        found.extend(self.how_many());
        found.extend(self.who());
        found.extend(self.command());
        found.extend(self.what_is());
        found.extend(self.is_there());
        found.extend(self.are_any());
        found.extend(self.am_i());
        found.extend(self.when());
        found.extend(self.where_is());
        found.extend(self.is_it());
        found.extend(self.fragment());
        found
    }

    /// Parses questions without a question word, if they describe what they name: "my overdue chores", "chores due before
    /// June", "chores still open for the bathroom".
    fn fragment(&self) -> Vec<Found<Understood>> {
        if self.is_loose {
            return Vec::new();
        }
        let described = self.described(0, 0).into_iter().map(|subject| (subject, false));
        let subjects = described.chain(self.things(0).into_iter().map(|subject| (subject, true)));
        let mut found = Vec::new();
        for (subject, is_thing) in subjects.filter(|(subject, _)| !subject.item.is_name) {
            let label = subject.item.node.label;
            let mut rests = vec![Found::new(subject.end, Vec::new())];
            for said in self.negatable_states(subject.end, label) {
                rests.extend(self.modifiers(said.end, label, 0).into_iter().map(|more| Found {
                    end: more.end,
                    item: [vec![said.item.clone()], more.item].concat(),
                    notes: [said.notes.clone(), more.notes].concat(),
                }));
            }
            for rest in rests {
                let said: Vec<Said> = rest.item.into_iter().map(Said::Holds).collect();
                let notes = [subject.notes.clone(), rest.notes].concat();
                found.extend(ask(&Asked::Nodes, &subject, &said, rest.end, notes).filter(|one| {
                    let conditions = &one.item.node.conditions;
                    let describes = !conditions.is_empty() || one.item.extreme.is_some();
                    describes && (!is_thing || self.are_about_things_to_do(label, conditions))
                }));
            }
        }
        found
    }

    /// Parses questions about a noun phrase that starts here: alone, with a verb phrase, or as the object of another
    /// subject.
    fn about(&self, at: usize, asked: &Asked, is_complete: bool) -> Vec<Found<Understood>> {
        let subjects = self.described(at, 0);
        let mut found: Vec<Found<Understood>> =
            subjects.iter().flat_map(|subject| self.about_subject(subject, asked, is_complete)).collect();
        for subject in self.things(at) {
            found.extend(self.about_things(&subject, asked, is_complete));
        }
        found
    }

    /// Parses questions about things to do, if they say more than that: what is due, or what the user who asks has.
    fn about_things(
        &self,
        subject: &Found<NounPhrase>,
        asked: &Asked,
        is_complete: bool,
    ) -> Vec<Found<Understood>> {
        let mut found = self.about_subject(subject, asked, is_complete);
        found.retain(|one| self.are_about_things_to_do(one.item.node.label, &one.item.node.conditions));
        found
    }

    fn about_subject(
        &self,
        subject: &Found<NounPhrase>,
        asked: &Asked,
        is_complete: bool,
    ) -> Vec<Found<Understood>> {
        let mut found = Vec::new();
        if subject.item.is_name {
            return found;
        }
        if is_complete {
            found.extend(ask(asked, subject, &[], subject.end, subject.notes.clone()));
        }
        let label = subject.item.node.label;
        // "How many services are there?"
        if self.is_kind(subject.end, Kind::Be) && self.is(subject.end + 1, &["there"]) {
            for rest in self.modifiers(subject.end + 2, label, 0) {
                let said: Vec<Said> = rest.item.into_iter().map(Said::Holds).collect();
                let notes = [subject.notes.clone(), rest.notes].concat();
                found.extend(ask(asked, subject, &said, rest.end, notes));
            }
        }
        for rest in self.verb_phrases(subject.end, label, 0) {
            let notes = [subject.notes.clone(), rest.notes].concat();
            found.extend(ask(asked, subject, &rest.item, rest.end, notes.clone()));
            // "Which services call deprecated APIs in eu-west-1?" A phrase after a name belongs to the subject.
            let is_after_name = rest.item.last().is_some_and(|said| self.ends_with_name(said));
            let of_subject = if self.is_loose || is_after_name {
                self.prepositional(rest.end, label, 0)
            } else {
                Vec::new()
            };
            // "Were won in front of more than 500 spectators": only the subject has that number.
            let counted = self.phrase(rest.end, Phrase::Attended).into_iter();
            let counted = counted.flat_map(|end| self.counted(end, label)).filter_map(holding_only);
            for more in of_subject.into_iter().chain(counted) {
                let said = [rest.item.clone(), vec![Said::Holds(more.item)]].concat();
                found.extend(ask(asked, subject, &said, more.end, [notes.clone(), more.notes].concat()));
            }
        }
        for rest in self.asked_of(subject.end, label) {
            // "What tasks do I have for the relaunch?"
            let not_over = self.not_over(label);
            let is_to_do = rest.item.iter().any(|condition| not_over.contains(condition));
            for more in self.modifiers(rest.end, label, 0) {
                // What is yet to be done has no date in the past.
                if is_to_do && more.item.iter().any(|condition| self.is_about_past(condition, label)) {
                    continue;
                }
                let notes = [subject.notes.clone(), rest.notes.clone(), more.notes].concat();
                let said = rest.item.iter().cloned().chain(more.item).map(Said::Holds);
                found.extend(ask(asked, subject, &said.collect::<Vec<_>>(), more.end, notes));
            }
        }
        found
    }

    /// Whether a condition is a link to a node that is only named.
    fn ends_with_name(&self, said: &Said) -> bool {
        let Said::Holds(Condition::Link { node, .. }) = said else { return false };
        let of_label = &self.vocabulary.labels[node.label];
        let asker = self.asking_node();
        let is_name = |condition: &Condition| matches!(condition, Condition::Property { key, operator: Operator::Equal, .. } if of_label.name_key.as_ref() == Some(key));
        asker.as_ref() == Some(node) || (node.conditions.len() == 1 && node.conditions.iter().all(is_name))
    }

    /// Parses "Which services …", "What APIs …", "What is on my plate …".
    fn which(&self) -> Vec<Found<Understood>> {
        if !self.is(0, &["which", "what"]) {
            return Vec::new();
        }
        let mut found = self.about(1, &Asked::Nodes, true);
        // "Which of my tasks …".
        if self.is(1, &["of"]) {
            found.extend(self.about(2, &Asked::Nodes, true));
        }
        // "Which is the oldest service …", "What are the APIs that …".
        if self.is_kind(1, Kind::Be) {
            found.extend(self.about(2, &Asked::Nodes, true));
        }
        if self.is(0, &["what"]) {
            for subject in self.things_to_do(0, 1) {
                found.extend(self.about_things(&subject, &Asked::Nodes, false));
            }
        }
        found.extend(self.property_of_subject(1));
        found
    }

    fn how_many(&self) -> Vec<Found<Understood>> {
        if !self.is(0, &["how"]) || !self.is(1, &["many"]) {
            return Vec::new();
        }
        let mut found = self.about(2 + usize::from(self.is(2, &["of"])), &Asked::Count, true);
        found.extend(self.property_of_subject(2));
        found
    }

    /// Parses "Who owns …", "What does … call": the label comes from the verb.
    fn who(&self) -> Vec<Found<Understood>> {
        if !self.is(0, &["who", "what"]) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for label in 0..self.vocabulary.labels.len() {
            let node = Described { label, conditions: Vec::new() };
            let item = NounPhrase { node, amount: Quantity::Of(Amount::Some), extreme: None, is_name: false };
            let name = &self.vocabulary.labels[label].name;
            let subject = Found::new(1, item).noted([self.note(0, 1, format!(":{name}"))]);
            // Only a relationship determines the label.
            let is_link = |said: &Said| match said {
                Said::Holds(Condition::Link { .. }) => true,
                Said::Holds(_) | Said::Next(..) => false,
                Said::Extreme(extreme) => matches!(extreme.measure, super::Measure::Links(..)),
            };
            let is_auxiliary = [Kind::Do, Kind::Be, Kind::Have].iter().any(|kind| self.is_kind(1, *kind));
            if self.links_at(1).is_empty() && !is_auxiliary && !self.is_general(1) {
                continue;
            }
            // "Who has overdue tasks?" is about users.
            let is_other = self.is_kind(1, Kind::Have)
                && self.links_at(2).is_empty()
                && self.asker.is_some_and(|asker| asker.label != label);
            let verb_phrases = if is_other { Vec::new() } else { self.verb_phrases(1, label, 0) };
            for rest in verb_phrases {
                if rest.item.first().is_some_and(is_link) {
                    let notes = [subject.notes.clone(), rest.notes].concat();
                    found.extend(ask(&Asked::Nodes, &subject, &rest.item, rest.end, notes));
                }
            }
            for rest in self.asked_of(1, label) {
                let said: Vec<Said> = rest.item.into_iter().map(Said::Holds).collect();
                if said.first().is_some_and(is_link) {
                    let notes = [subject.notes.clone(), rest.notes].concat();
                    found.extend(ask(&Asked::Nodes, &subject, &said, rest.end, notes));
                }
            }
        }
        found
    }

    /// Parses "List all services …", "Show me …", "Count the …".
    fn command(&self) -> Vec<Found<Understood>> {
        let asked = match self.word(0).map(|word| word.norm.as_str()) {
            Some("list" | "show" | "find" | "give" | "name") => Asked::Nodes,
            Some("count") => Asked::Count,
            _ => return Vec::new(),
        };
        self.about(1 + usize::from(self.is(1, &["me"])), &asked, true)
    }

    /// Parses "What is the tier of payments?", "What is the number of services …".
    fn what_is(&self) -> Vec<Found<Understood>> {
        let mut found = Vec::new();
        if self.is(0, &["what"]) && self.is_kind(1, Kind::Be) && self.is(2, &["the"]) {
            if self.is(3, &["number"]) && self.is(4, &["of"]) {
                found.extend(self.about(5, &Asked::Count, true));
            }
            found.extend(self.property_of(3));
            found.extend(self.due_of(3));
        }
        if self.is(0, &["what"]) && self.is_kind(1, Kind::Be) {
            found.extend(self.property_by_possessive(2));
        }
        found
    }

    /// Parses questions about existence: "Are there deprecated APIs?", "Do I have any overdue tickets?"
    fn is_there(&self) -> Vec<Found<Understood>> {
        if self.is_kind(0, Kind::Be) && self.is(1, &["there"]) {
            return self.about(2, &Asked::Nodes, true);
        }
        let mut found = Vec::new();
        if !self.is_kind(0, Kind::Do) || self.is_negated(0) {
            return found;
        }
        let subjects = self.noun_phrase(1, 1).into_iter();
        for subject in subjects.filter(|one| one.item.is_name && self.is(one.end, &["have"])) {
            let objects = self.described(subject.end + 1, 0).into_iter().chain(self.things(subject.end + 1));
            for object in objects.filter(|one| !one.item.is_name) {
                for holding in self.holding(object.item.node.label, &subject.item.node) {
                    let note = self.note(subject.end, subject.end + 1, holding.meaning);
                    let notes = [subject.notes.clone(), vec![note], object.notes.clone()].concat();
                    let said = [Said::Holds(holding.condition)];
                    found.extend(ask(&Asked::Nodes, &object, &said, object.end, notes));
                }
            }
        }
        found
    }

    /// Parses questions whether something holds for any of some nodes, which a list answers: "Are any tickets overdue?",
    /// "Is anything of mine due before June?", "Do any services call a deprecated API?"
    fn are_any(&self) -> Vec<Found<Understood>> {
        let (is_be, is_do, is_have) =
            (self.is_kind(0, Kind::Be), self.is_kind(0, Kind::Do), self.is_kind(0, Kind::Have));
        if !(is_be || is_do || is_have) || self.is_negated(0) {
            return Vec::new();
        }
        let is_any = self.is(1, &["any", "some"]);
        let mut subjects = if is_any { self.described(1, 0) } else { Vec::new() };
        if is_any && self.is(2, &["of"]) {
            subjects.extend(self.described(3, 0));
        }
        let things = self.things(1 + usize::from(is_any) + usize::from(is_any && self.is(2, &["of"])));
        let is_thing = iter::repeat_n(false, subjects.len()).chain(iter::repeat(true));
        let mut found = Vec::new();
        for (subject, is_thing) in subjects.into_iter().chain(things).zip(is_thing) {
            if subject.item.is_name {
                continue;
            }
            let label = subject.item.node.label;
            let rest = match (is_be, is_do) {
                (true, _) => self.complements(subject.end, label, 0),
                (_, true) => self.action_or_had(subject.end, label, 0),
                _ => self.perfect(subject.end, label, 0),
            };
            for rest in rest.into_iter().flat_map(|rest| self.with_state_after(rest, label)) {
                let notes = [subject.notes.clone(), rest.notes].concat();
                let asked = ask(&Asked::Nodes, &subject, &rest.item, rest.end, notes);
                found.extend(asked.filter(|one| {
                    !is_thing || self.are_about_things_to_do(label, &one.item.node.conditions)
                }));
            }
        }
        found
    }

    /// Parses "Am I late with any tickets?", "Have I missed the deadline for anything?"
    fn am_i(&self) -> Vec<Found<Understood>> {
        let Some(object) = self.i_am_late(0).filter(|end| self.is(*end, &["with", "on", "for"])) else {
            return Vec::new();
        };
        let subjects = self.described(object + 1, 0).into_iter().chain(self.things(object + 1));
        let mut found = Vec::new();
        for subject in subjects.filter(|subject| !subject.item.is_name) {
            for late in self.late_with(0, subject.item.node.label) {
                let said: Vec<Said> = late.item.into_iter().map(Said::Holds).collect();
                let notes = [late.notes, subject.notes.clone()].concat();
                found.extend(ask(&Asked::Nodes, &subject, &said, subject.end, notes));
            }
        }
        found
    }

    /// Parses "tier of payments".
    fn property_of(&self, at: usize) -> Vec<Found<Understood>> {
        let mut found = Vec::new();
        for label in 0..self.vocabulary.labels.len() {
            for (key_end, key) in self.keys_at(at, label) {
                if !self.is(key_end, &["of"]) {
                    continue;
                }
                for subject in self.noun_phrase(key_end + 1, 0) {
                    if subject.item.node.label == label {
                        let note = self.note(at, key_end, key.clone());
                        let notes = [vec![note], subject.notes.clone()].concat();
                        let asked = Asked::Property(key.clone());
                        found.extend(ask(&asked, &subject, &[], subject.end, notes));
                    }
                }
            }
        }
        found
    }

    /// Parses "the report's deadline", "Team A's size".
    fn property_by_possessive(&self, at: usize) -> Vec<Found<Understood>> {
        let mut found = Vec::new();
        for subject in self.possessors(at) {
            let of_label = &self.vocabulary.labels[subject.item.node.label];
            let limit = self.phrase(subject.end, Phrase::Limit).into_iter();
            let dues = limit.flat_map(|end| of_label.dues().map(move |due| (end, due.key.clone())));
            for (end, key) in self.keys_at(subject.end, subject.item.node.label).into_iter().chain(dues) {
                let notes = [subject.notes.clone(), vec![self.note(subject.end, end, key.clone())]].concat();
                found.extend(ask(&Asked::Property(key), &subject, &[], end, notes));
            }
        }
        found
    }

    /// Parses "What tier does payments have?", "Which tier is payments?", "How many beds does the clinic have?"
    fn property_of_subject(&self, at: usize) -> Vec<Found<Understood>> {
        let mut found = Vec::new();
        for label in 0..self.vocabulary.labels.len() {
            for (key_end, key) in self.keys_at(at, label) {
                let is_had = self.is(key_end, &["do", "does", "did"]);
                if !is_had && !self.is_kind(key_end, Kind::Be) {
                    continue;
                }
                for subject in self.noun_phrase(key_end + 1, 0) {
                    let is_whole =
                        if is_had { self.is(subject.end, &["have"]) } else { subject.item.is_name };
                    if subject.item.node.label == label && is_whole {
                        let note = self.note(at, key_end, key.clone());
                        let notes = [vec![note], subject.notes.clone()].concat();
                        let asked = Asked::Property(key.clone());
                        // "Which phase is the report in?"
                        let is_in = !is_had && self.is(subject.end, &["in", "at", "on"]);
                        let end = subject.end + usize::from(is_had || is_in);
                        found.extend(ask(&asked, &subject, &[], end, notes));
                    }
                }
            }
        }
        found
    }
}

/// Builds a question from a subject and its predicate.
pub(super) fn ask(
    asked: &Asked,
    subject: &Found<NounPhrase>,
    said: &[Said],
    end: usize,
    notes: Vec<Note>,
) -> Option<Found<Understood>> {
    if subject.item.amount != Quantity::Of(Amount::Some) {
        return None;
    }
    let mut node = subject.item.node.clone();
    let mut extreme = subject.item.extreme.clone();
    for one in said {
        match one {
            Said::Holds(condition) if node.conditions.contains(condition) => {}
            Said::Holds(condition) => node.conditions.push(condition.clone()),
            Said::Extreme(other) if extreme.is_none() => extreme = Some(other.clone()),
            Said::Next(conditions, other) if extreme.is_none() => {
                node.conditions.extend(conditions.iter().cloned());
                extreme = Some(other.clone());
            }
            Said::Extreme(_) | Said::Next(..) => return None,
        }
    }
    if extreme.is_some() && *asked == Asked::Count {
        return None;
    }
    let item = Understood { asked: asked.clone(), node, extreme, also: Vec::new(), texts_on: Vec::new() };
    Some(Found { end, item, notes })
}

/// Returns a statement that is a condition as that.
pub(super) fn holding_only(said: Found<Said>) -> Option<Found<Condition>> {
    let Said::Holds(item) = said.item else { return None };
    Some(Found { end: said.end, item, notes: said.notes })
}

/// Returns the links of a type between two labels as a voice uses it, from the first.
pub(super) fn orient(link: &LinkType, from: usize, to: usize, voice: Voice) -> Option<Link> {
    let (forward, backward) = link.directions(from, to);
    let is_forward = match (voice, link.is_passive()) {
        (Voice::Active, false) | (Voice::By, true) => forward.then_some(true),
        (Voice::By, false) | (Voice::Active, true) => backward.then_some(false),
        (Voice::Other, _) => match (forward, backward) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        },
    };
    is_forward.map(|is_forward| Link { kind: link.kind.clone(), is_forward })
}
