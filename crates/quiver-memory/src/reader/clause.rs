//! Patterns that match a whole clause: who owns, runs or is assigned to what, and what a thing is, needs or became.

use quiver_language::{
    Class, Language,
    change::{self, Change},
    measure::Measure,
    number::number_word,
    predicate::{self, Predicate},
    statement::{Statement, says},
    token::possessor,
    word::verbs,
};

use crate::relation::{
    self, PARTICLES, agent, base, is_participle, is_past, is_present, is_third_person, is_transitive, key,
    third_person,
};

use contraction::written_out;
use joint::{clauses, comment, remove_asides};
use phrase::is_adverb;

use super::{
    ReadFact, TurnToRead, fact,
    validity::{Validity, validity},
    word::{Word, words},
};

mod contraction;
mod joint;
mod parts;
mod phrase;
mod relate;
mod value;
mod verb;

/// Maximum number of words before a colon that announce a clause.
const ANNOUNCING_MAX: usize = 8;
/// Maximum number of words before a comma that announce a change.
const ANNOUNCING_COMMA_MAX: usize = 4;
/// Maximum number of words in a name or noun phrase.
const PHRASE_MAX: usize = 6;

/// Extracts the facts of a sentence: of the whole, or else of the clauses between its conjunctions. If no pattern matches
/// a clause as a whole, its parts are read.
pub(super) fn read_sentence(sentence: &str, turn: &TurnToRead<'_>) -> Vec<ReadFact> {
    let Some(mut all) = words(sentence) else { return Vec::new() };
    written_out(&mut all);
    let facts = read_words(&all, sentence, turn);
    if facts.is_empty()
        && let Some(comment) = comment(&all)
    {
        all.truncate(comment);
        return read_words(&all, sentence, turn);
    }
    facts
}

/// Extracts the facts of words: of all, or else of the clauses between their conjunctions, or, if they are one clause, of
/// its parts.
fn read_words(all: &[Word<'_>], sentence: &str, turn: &TurnToRead<'_>) -> Vec<ReadFact> {
    let whole = Opened::of(all.to_vec(), turn);
    let facts = whole.read(sentence, turn, Reading::Whole);
    if !facts.is_empty() {
        return facts;
    }
    let is_conditional = all.iter().any(|word| word.is_of(Statement::Condition));
    let clauses = if is_conditional { Vec::new() } else { clauses(all) };
    if clauses.len() < 2 {
        return whole.read(sentence, turn, Reading::Parts);
    }
    let read = |words: Vec<Word<'_>>| {
        let clause = Opened::of(words, turn);
        let facts = clause.read(sentence, turn, Reading::Whole);
        if facts.is_empty() { clause.read(sentence, turn, Reading::Parts) } else { facts }
    };
    clauses.into_iter().flat_map(read).collect()
}

/// How a clause is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// A pattern matches all of it.
    Whole,
    /// Its subject, verb and objects are read, and more may follow.
    Parts,
}

/// A clause without its openings and the words that say when it is so, and what these say.
struct Opened<'a> {
    words: Vec<Word<'a>>,
    /// What marks the clause as a change.
    change: Option<String>,
    when: Validity,
}

impl<'a> Opened<'a> {
    fn of(mut words: Vec<Word<'a>>, turn: &TurnToRead<'_>) -> Self {
        let mut change: Option<String> = None;
        // "Yes, ", "Correction: ", "Update: ".
        while words.len() > 3
            && words[0].is_of(Statement::Opening)
            && (words[0].parted || words[0].is(&["so", "and", "actually"]))
        {
            if words[0].is_of(Statement::Change) || words[0].is(&["update"]) {
                change = Some(words[0].lower());
            }
            words.remove(0);
        }
        // "Dear neighbours, ", "just so everyone knows, ".
        if words.len() > 5
            && (words[0].is(GREETING) || is_notice(&words))
            && let Some(comma) = (0..GREETED_MAX).find(|at| words[*at].parted)
        {
            words.drain(..=comma);
        }
        // "Change of plan: the fair is in the hall now", "New rule from this week on: the bins are emptied by Mila".
        let mut announced = Validity::default();
        if let Some(end) = announcement(&words) {
            let mut before: Vec<Word<'_>> = words.drain(..end).collect();
            let is_change = |word: &Word<'_>| {
                word.is_of(Statement::Change)
                    || word.is(ANNOUNCING)
                    || change::says(&word.lower(), Change::Sign)
            };
            let says_change = before.iter().any(is_change);
            change = change.or_else(|| says_change.then(|| "change".to_owned()));
            announced = validity(&mut before, turn.time);
        }
        let mut when = validity(&mut words, turn.time);
        if when == Validity::default() {
            when = announced;
        }
        // "Because the hall is taken" changes nothing of what is said before.
        if let Some(reason) = (3..words.len()).find(|at| words[*at].is(&["because"])) {
            words.truncate(reason);
        }
        if when.is_change {
            change = Some("from now on".to_owned());
        }
        if let Some(now) = opening_now(&mut words) {
            change = Some(now);
        }
        Self { words, change, when }
    }

    fn read(&self, sentence: &str, turn: &TurnToRead<'_>, reading: Reading) -> Vec<ReadFact> {
        let Self { words, change, when } = self;
        let mut words = words.clone();
        let mut is_bare = false;
        if reading == Reading::Parts {
            remove_asides(&mut words);
            is_bare = words.len() < self.words.len();
        }
        let instead_of = instead_of(&mut words);
        if words.len() < 3 || (0..words.len()).any(|at| is_unsure(&words, at, reading)) {
            return Vec::new();
        }
        if let Some(last) = words.last_mut() {
            last.parted = false;
        }
        let mut is_cleft = false;
        let mut facts = match reading {
            // No pattern contains a comma.
            Reading::Whole if words.iter().any(|word| word.parted) => Vec::new(),
            Reading::Whole => Clause { words: &words, turn }.facts(),
            Reading::Parts => {
                let turned = parts::turned(&words);
                is_cleft = turned.is_some() && !words[1].is(&["was"]);
                let words = turned.unwrap_or_else(|| words.clone());
                // "Due to the storm, the fair has been moved to the hall".
                let is_whole = (is_bare || is_cleft) && !words.iter().any(|word| word.parted);
                let facts = if is_whole { Clause { words: &words, turn }.facts() } else { Vec::new() };
                if facts.is_empty() {
                    parts::facts(&words, turn, change.is_some(), sentence.ends_with('.'))
                } else {
                    facts
                }
            }
        };
        // "It is Chiara who writes them": somebody else did.
        for fact in facts.iter_mut().filter(|_| is_cleft) {
            fact.change = Some("it is".to_owned());
        }
        let mut facts: Vec<ReadFact> = match instead_of {
            Some(left) => facts.into_iter().flat_map(|fact| in_place_of(fact, &left)).collect(),
            None => facts,
        };
        for fact in &mut facts {
            of_thing(fact);
            sentence.clone_into(&mut fact.sentence);
            fact.valid_from = when.from;
            fact.valid_to = when.to;
            if fact.change.is_none() && !fact.denied {
                let now = said_now(&words);
                let since = (when.is_since && has_one_holder(fact)).then(|| "since".to_owned());
                fact.change = change.clone().or(now).or(since);
            }
        }
        facts.retain(|fact| {
            !fact.subject.is_empty() && !fact.object.is_empty() && fact.subject != fact.object
        });
        // A common noun may refer to any thing of its kind: "the water", or "the road ahead" that is blocked. A
        // cancellation is kept anyway, so that a cancelled event is not taken for an upcoming one.
        facts.retain(|fact| match fact.predicate.as_str() {
            "has status" => is_marked(&fact.subject) || fact.object.starts_with("cancel"),
            _ if is_any(&fact.subject) && is_offer(fact) => false,
            // "The alarm level for the harbour is yellow".
            predicate if predicate.starts_with("has ") => true,
            _ => !is_any(&fact.subject) || is_marked(&fact.object),
        });
        facts
    }
}

/// Words that greet those who are named after them.
const GREETING: &[&str] = &["dear", "hi", "hello", "hey", "morning", "evening"];
/// Maximum number of words of a greeting.
const GREETED_MAX: usize = 4;

/// Whether words begin with the purpose of what is said: "just to say", "just so you know", "heads up".
fn is_notice(words: &[Word<'_>]) -> bool {
    words[0].is(&["just"]) && words[1].is(&["to", "so", "letting"])
        || words[0].is(&["heads"]) && words[1].is(&["up"])
}

/// Nouns of a change, where they announce one.
const ANNOUNCING: &[&str] = &["change", "update", "correction"];

/// The number of words before a clause that only announce it: "small change,", "crane trouble:". Not those that make it an
/// idea or a question, and not the name of a speaker.
fn announcement(words: &[Word<'_>]) -> Option<usize> {
    let ends = |at: &usize| words[*at].announces;
    let colon = (0..words.len().min(ANNOUNCING_MAX)).find(ends);
    let comma = || {
        let end = (0..words.len().min(ANNOUNCING_COMMA_MAX)).find(|at| words[*at].parted)?;
        words[..=end].iter().any(|word| word.is(ANNOUNCING)).then_some(end)
    };
    let end = 1 + colon.or_else(comma)?;
    let before = &words[..end];
    let is_of_change = |word: &Word<'_>| {
        word.is(ANNOUNCING) || word.is_of(Statement::Opening) || word.is_of(Statement::Adverb)
    };
    let goes_on = words.len() > end + 2
        && (colon.is_some() || words[end].is(&["the", "our"]) || words[end].is_marked());
    let doubts = [Statement::Unsure, Statement::Condition, Statement::Supposed, Statement::Generic];
    let is_doubtful = |word: &Word<'_>| doubts.into_iter().any(|class| word.is_of(class));
    let is_doubted = !before.iter().any(is_of_change) && before.iter().any(is_doubtful);
    let adds_nothing =
        before.len() > 1 && !before.iter().skip(1).all(Word::is_marked) || is_of_change(&before[0]);
    (adds_nothing && goes_on && !is_doubted).then_some(end)
}

/// Removes "now" or "these days" from the start of a clause: "Now the script is written by Joaquin".
fn opening_now(words: &mut Vec<Word<'_>>) -> Option<String> {
    if words.len() > 3 && words[0].is(&["now", "nowadays"]) {
        return Some(words.remove(0).lower());
    }
    let is_opening = words.len() > 4 && words[0].is(&["these"]) && words[1].is(&["days"]);
    is_opening.then(|| {
        words.drain(..2);
        "these days".to_owned()
    })
}

/// The word of a clause that says that something else was so before.
fn said_now(words: &[Word<'_>]) -> Option<String> {
    let these_days = || words.windows(2).any(|pair| pair[0].is(&["these"]) && pair[1].is(&["days"]));
    let now = words.iter().find(|word| word.is_of(Statement::Change)).map(Word::lower);
    now.or_else(|| these_days().then(|| "these days".to_owned()))
}

/// Whether a word makes a clause a guess, a wish or a denial that no pattern reads.
fn is_unsure(words: &[Word<'_>], at: usize, reading: Reading) -> bool {
    let word = &words[at];
    // "Looks after" is no guess, unlike "looks".
    let is_looking_after = word.is(&["looks"]) && words.get(at + 1).is_some_and(|next| next.is(&["after"]));
    if !word.is_of(Statement::Unsure) || word.text == "May" || is_looking_after {
        return false;
    }
    reading == Reading::Whole || !(word.is_of(Statement::Negation) || word.is_of(Statement::Usual))
}

/// Removes "instead of Lydia" from the end of a clause, and returns the name.
fn instead_of(words: &mut Vec<Word<'_>>) -> Option<String> {
    let end = words.len() - usize::from(words.last().is_some_and(|word| word.is(&["now", "today"])));
    let at = (3..end).find(|at| {
        words[*at].is(&["of"]) && words[*at - 1].is(&["instead"]) || words[*at].is(&["replacing"])
    })?;
    let left = &words[at + 1..end];
    let is_name = (1..=4).contains(&left.len()) && left.iter().all(Word::is_marked);
    let left = left.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    is_name.then(|| {
        words.truncate(if words[at].is(&["of"]) { at - 1 } else { at });
        left
    })
}

/// A fact that holds instead of the same one with another agent, and the denial of that one.
fn in_place_of(fact: ReadFact, left: &str) -> [ReadFact; 2] {
    let mut before = ReadFact { denied: true, change: None, ..fact.clone() };
    let agent = if key(&fact.predicate).inverted { &mut before.object } else { &mut before.subject };
    left.clone_into(agent);
    [before, ReadFact { change: Some("instead".to_owned()), ..fact }]
}

/// Whether another agent of the same relation takes the place of the one before: a wing "is curated by" one person, but
/// one who "uses Redis" is one of many.
fn has_one_holder(fact: &ReadFact) -> bool {
    let key = key(&fact.predicate);
    key.inverted || predicate::says(&key.base, Predicate::Held)
}

/// Whether a phrase is a single common noun: "length".
fn is_any(phrase: &str) -> bool {
    !phrase.contains(' ') && !is_marked(phrase)
}

/// Whether a fact says what something costs, and not that its price has changed: "the ticket is 20 euros" is said of one
/// offer among many.
fn is_offer(fact: &ReadFact) -> bool {
    fact.change.is_none() && Measure::all_in(&fact.object).any(|measure| measure.name() == "money")
}

/// Whether a phrase contains a capital, a digit or a sign, as names and amounts do.
fn is_marked(phrase: &str) -> bool {
    phrase.contains(|c: char| !c.is_lowercase() && c != ' ')
}

/// Turns a statement about an attribute into one about its owner: "the deadline for Heron moved to 15 October".
fn of_thing(fact: &mut ReadFact) {
    let split = |preposition| fact.subject.split_once(preposition);
    let parts = split(" of ").or_else(|| split(" for ")).or_else(|| split(" on "));
    let is_attribute = |noun: &str| {
        let lower = noun.to_lowercase();
        says(&lower, Statement::Attribute)
            || lower.split_once(' ').is_some_and(|(_, last)| says(last, Statement::Attribute))
    };
    // "The flag on file 903 was switched to urgent".
    let is_set = || fact.predicate.split(' ').any(|word| matches!(word, "set" | "changed" | "switched"));
    if let Some((attribute, thing)) = parts
        && (is_attribute(attribute) || !attribute.contains(' ') && is_marked(thing) && is_set())
        && fact.change.is_some()
    {
        let attribute = attribute.to_lowercase();
        fact.predicate = if attribute == "price" { "costs".to_owned() } else { format!("has {attribute}") };
        fact.subject = without_article(thing).to_owned();
    }
}

/// A name without the article before it, which does not belong to it.
fn without_article(name: &str) -> &str {
    let article = name.split_once(' ').filter(|(first, _)| matches!(*first, "the" | "a" | "an" | "our"));
    article.map_or(name, |(_, rest)| rest)
}

/// Verbs of leaving a post.
const LEAVING: &[&str] = &["stepped", "resigned", "retired"];
/// Verbs of giving something to somebody else, with "over" or "on".
const HANDING: &[&str] = &["handed", "passed", "turned"];

/// Adverbs at the end of a clause that leave what it says as it is.
const AT_THE_END: &[&str] = &["now", "currently", "today", "instead", "anymore", "again", "already", "too"];

/// A sentence without its time expressions and openings.
struct Clause<'a> {
    words: &'a [Word<'a>],
    turn: &'a TurnToRead<'a>,
}

impl Clause<'_> {
    fn lower(&self, at: usize) -> String {
        self.words.get(at).map(Word::lower).unwrap_or_default()
    }

    fn skip(&self, mut at: usize) -> usize {
        while self.words.get(at).is_some_and(|word| word.is_of(Statement::Adverb)) {
            at += 1;
        }
        at
    }

    /// Returns the facts of the first pattern that matches the whole sentence.
    fn facts(&self) -> Vec<ReadFact> {
        let no_longer = self.words.windows(2).any(|pair| pair[0].is(&["no"]) && pair[1].is(&["longer"]));
        let mut end = self.words.len();
        while end > 3 && self.words[end - 1].is(AT_THE_END) {
            end -= 1;
        }
        // "As well", "this morning".
        let ends = |one: &str, others: &[&str]| {
            end > 4 && self.words[end - 2].is(&[one]) && self.words[end - 1].is(others)
        };
        if ends("as", &["well"]) || ends("this", &["morning", "afternoon", "evening"]) {
            end -= 2;
        }
        for at in 1..end.min(PHRASE_MAX + 2) {
            let Some(subject) = self.subject(0, at) else { continue };
            let read = match self.both(&subject, at) {
                Some((names, verb)) => self.doing_of_both(names, verb, end),
                None => self.predicate(&subject, at, end, no_longer),
            };
            if let Some(facts) = read {
                return facts;
            }
        }
        Vec::new()
    }

    fn predicate(&self, subject: &str, at: usize, end: usize, no_longer: bool) -> Option<Vec<ReadFact>> {
        let at = self.skip(at);
        let word = self.lower(at);
        if word == "no" && self.lower(at + 1) == "longer" {
            return self.ended(subject, at + 2, end);
        }
        match word.as_str() {
            "is" | "are" | "am" => self.being(subject, at + 1, end),
            "was" => self.was(subject, at + 1, end),
            "has" | "have" if self.lower(self.skip(at + 1)) == "been" => {
                self.was(subject, self.skip(at + 1) + 1, end)
            }
            "has" if self.rises_to(at + 1).is_some() => self.risen(subject, at + 1, end),
            "has" | "have"
                if self.words.get(at + 1).is_some_and(|word| word.is(LEAVING) || word.is(HANDING)) =>
            {
                self.predicate(subject, at + 1, end, no_longer)
            }
            "has" | "have" if self.done_to(subject, at + 1, end).is_some() => {
                self.done_to(subject, at + 1, end)
            }
            word if LEAVING.contains(&word) => self.left_post(subject, at, end),
            word if HANDING.contains(&word) && self.handed_over(at, end).is_some() => {
                self.handed_over(at, end).map(|fact| vec![fact])
            }
            "takes" | "took" if self.lower(at + 1) == "place" => {
                let preposition = self.relating_preposition(at + 2)?;
                let place = self.object(at + 3, end)?;
                Some(vec![fact(subject, &format!("{word} place {preposition}"), &place)])
            }
            "has" | "have"
                if matches!(
                    self.lower(at + 1).as_str(),
                    "decided" | "agreed" | "chosen" | "moved" | "migrated"
                ) =>
            {
                self.predicate(subject, at + 1, end, no_longer)
            }
            "has" if self.lower(at + 1) == "taken" && self.lower(at + 2) == "over" => {
                self.taken_over(subject, at + 1, end)
            }
            "has" if self.lower(at + 1) == "stopped" => self.stopped(subject, at + 2, end),
            "doesn't" | "doesn’t" => self.not_any_more(subject, at + 1, end),
            "does" if self.lower(at + 1) == "not" => self.not_any_more(subject, at + 2, end),
            // "Torsten does the evening milking".
            "does" if self.words.get(at + 1).is_some_and(|word| word.is(&["the", "our"])) => {
                let done = self.object(at + 1, end).filter(|_| self.has_name(0, at))?;
                Some(vec![fact(subject, "does", &done)])
            }
            "has" => self
                .having(subject, at + 1, end)
                .or_else(|| self.holding(subject, at + 1, end).map(|held| vec![held])),
            "decided" | "agreed" | "chose" | "opted" => self.decided(subject, at, end),
            "moved" | "migrated" | "switched" => self.moved(subject, at, end),
            "stopped" => self.stopped(subject, at + 1, end),
            "takes" | "took" if self.lower(at + 1) == "over" => self.taken_over(subject, at, end),
            "reports" | "depends" | "relies" | "belongs" | "connects" | "listens" | "runs" | "lives"
            | "works" | "reads" | "writes" | "sits"
                if self.prepositional(at).is_some() =>
            {
                let predicate = self.prepositional(at)?;
                let object = self.object(at + 2, end)?;
                Some(vec![fact(subject, &predicate, &object)])
            }
            _ if no_longer => None,
            _ if says(&word, Statement::Measuring) => {
                let amount = self.amount(at + 1, end)?;
                Some(vec![fact(subject, &word, &amount)])
            }
            _ if self.words[end - 1].is(PARTICLES) && end > at + 2 => {
                // "Joost puts the bins out".
                let mut facts = self.deed(subject, at, end - 1, &word)?;
                let particle = self.lower(end - 1);
                facts.iter_mut().for_each(|fact| fact.predicate = format!("{} {particle}", fact.predicate));
                Some(facts)
            }
            _ => self.done_to(subject, at, end).or_else(|| self.deed(subject, at, end, &word)),
        }
    }

    /// What a subject does to an object, by a verb that is known to relate two things or by any other.
    fn deed(&self, subject: &str, at: usize, end: usize, word: &str) -> Option<Vec<ReadFact>> {
        self.doing(subject, at, end, word).or_else(|| self.relating(subject, at, end, word))
    }

    /// "Mr. Eriksen stepped down as chair of the committee": he is its chair no longer.
    fn left_post(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let post = 1 + (at + 1..end.min(at + 3)).find(|at| self.words[*at].is(&["as"]))?;
        let of = (post + 1..end.min(post + 4)).find(|at| self.words[*at].is(&["of", "for"]))?;
        let post = self.text(post + usize::from(self.words[post].is(&["the"])), of);
        let thing = self.object(of + 1, end).filter(|_| self.has_name(0, at))?;
        Some(vec![ReadFact { denied: true, ..fact(&thing, &format!("has {post}"), subject) }])
    }

    /// "Fenella handed the props over to Joaquín": he has taken them over.
    fn handed_over(&self, at: usize, end: usize) -> Option<ReadFact> {
        let is_over = |at: usize| self.words.get(at).is_some_and(|word| word.is(&["over", "on"]));
        let to = (at + 2..end).find(|to| self.words[*to].is(&["to"]))?;
        let thing = if is_over(at + 1) {
            self.object(at + 2, to)
        } else {
            self.object(at + 1, to - 1).filter(|_| is_over(to - 1))
        };
        let to = self.object(to + 1, end).filter(|_| self.has_name(to + 1, end))?;
        Some(ReadFact { change: Some("took over".to_owned()), ..fact(&to, "took over", &thing?) })
    }

    /// Returns a verb with its preposition, such as "runs on".
    fn prepositional(&self, at: usize) -> Option<String> {
        let word = self.lower(at);
        let joined = format!("{} {}", base(&word)?, self.lower(at + 1));
        says(&joined, Statement::Prepositional).then(|| format!("{word} {}", self.lower(at + 1)))
    }

    /// "Ann manages Bob", "I manage the archive", "Ann wrote the parser", "The contract expires on 3 May".
    fn doing(&self, subject: &str, at: usize, end: usize, word: &str) -> Option<Vec<ReadFact>> {
        let verb = base(word).filter(|_| !self.words[at].is_marked())?;
        let first = self.lower(0);
        let plural = verb == word && matches!(first.as_str(), "i" | "we");
        let is_present = is_present(word) || plural;
        // The fact is about the speaker, not by the speaker: "I own" becomes "Ann owns".
        let said = if plural && first == "i" { third_person(verb) } else { word.to_owned() };
        if plural && self.prepositional(at).is_some() {
            let predicate = format!("{said} {}", self.lower(at + 1));
            return Some(vec![fact(subject, &predicate, &self.object(at + 2, end)?)]);
        }
        if says(verb, Statement::Dated) && is_present && !plural {
            let on = usize::from(matches!(self.lower(at + 1).as_str(), "on" | "in" | "at"));
            // "My lease ends next month": the date depends on the time of the turn.
            let date = self.date(at + 1 + on, end)?;
            if self.words[at + 1 + on].is(&["next", "this", "last", "today", "tomorrow"]) {
                return None;
            }
            let predicate = if on > 0 { format!("{word} {}", self.lower(at + 1)) } else { word.to_owned() };
            return Some(vec![fact(subject, &predicate, &date)]);
        }
        if is_present && is_transitive(verb) {
            // Needing or using something is temporary or habitual, unless the thing has a name.
            let object = self.object(at + 1, end)?;
            if matches!(verb, "need" | "require") && (plural || self.lower(at + 1).ends_with("ing")) {
                return None;
            }
            let passing = matches!(
                verb,
                "need" | "use" | "require" | "run" | "lead" | "handle" | "call" | "serve" | "cover" | "feed"
            );
            // "Milan runs the kiosk": with "the" or "our", the object is a particular thing that somebody is in
            // charge of.
            let held = matches!(verb, "run" | "lead" | "handle")
                && !plural
                && self.has_name(0, at)
                && self.words[at + 1].is(&["the", "our"]);
            if passing && !held && !self.has_name(at + 1, end) {
                return None;
            }
            return Some(Self::each(subject, &said, &object));
        }
        if is_past(word) && says(verb, Statement::Deed) && !is_present && self.has_name(0, at) {
            let object = self.object(at + 1, end)?;
            return Some(Self::each(subject, word, &object));
        }
        None
    }

    /// "Jarek sold the bay mare to Henrike", "Jarek learned the trade from Henrike": what somebody did, and to or from whom.
    fn done_to(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let to =
            (at + 2..end).find(|to| self.words[*to].is(&["to", "from"]) && self.has_name(to + 1, end))?;
        let is_deed = is_participle(&word) && self.states(at) && !says(&word, Statement::Changing);
        let thing = self.object(at + 1, to).filter(|_| is_deed && self.has_name(0, at))?;
        let predicate = format!("{word} {} {}", thing.to_lowercase(), self.lower(to));
        Some(vec![fact(subject, &word, &thing), fact(subject, &predicate, &self.object(to + 1, end)?)])
    }

    /// Returns one fact per name: "Redis and Kafka".
    fn each(subject: &str, predicate: &str, object: &str) -> Vec<ReadFact> {
        object.split(" and ").map(|object| fact(subject, predicate, object)).collect()
    }

    /// "is run by Mo", "is the owner of Redis", "is deprecated", "is responsible for", "is located in Oslo".
    fn being(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let at = self.skip(at);
        if self.lower(at) == "no" && self.lower(at + 1) == "longer" {
            let mut facts = self.being(subject, at + 2, end)?;
            facts.iter_mut().for_each(|fact| fact.denied = true);
            return Some(facts);
        }
        // "The budget of Apollo is 90,000 euros", "Apollo's owner is Mo".
        if let Some(facts) = self.attribute_is(at, end).or_else(|| self.role_is(at, end)) {
            return Some(facts);
        }
        let rest: Vec<String> = (at..end).map(|at| self.lower(at)).collect();
        let status = rest.join(" ");
        if says(&status, Statement::Status) && !self.words[0].is(&["i", "we"]) {
            return Some(vec![fact(subject, "has status", &status)]);
        }
        if let Some(facts) = self.passive("is", subject, at, end) {
            return Some(facts);
        }
        // "the owner of Redis".
        let determined = at
            + usize::from(self.words.get(at).is_some_and(|word| word.is(&["the", "a", "an", "our", "my"])));
        if determined > at
            && self.lower(determined + 1).as_str() == "of"
            && (agent(&rest[1]).is_some() || says(&rest[1], Statement::Attribute))
            && self.has_name(0, 1)
        {
            let object = self.object(determined + 2, end)?;
            return Some(vec![fact(subject, &format!("is the {} of", rest[1]), &object)]);
        }
        // "Ada is leading the import", "I am working on N-API".
        self.progressive(subject, at, end).or_else(|| self.located(subject, at, end))
    }

    /// "Mr. Kowalczyk is in bed 12", "the container is aboard the Maren Lykke": where a thing is, if its place has a name.
    fn located(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let preposition = self.lower(at);
        let is_place = relation::PLACES.contains(&preposition.as_str());
        let is_time = || self.date(at + 1, end).is_some() || self.amount(at + 1, end).is_some();
        // "At least 4 inches deep"
        if self.words.get(at + 1).is_some_and(|word| word.is(&["least", "most"])) {
            return None;
        }
        if !is_place || !self.is_thing(subject) || !self.has_name(at + 1, end) || is_time() {
            return None;
        }
        Some(vec![fact(subject, &format!("is {preposition}"), &self.object(at + 1, end)?)])
    }

    /// Reads the progressive form as an ongoing task.
    fn progressive(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let on = word == "working" && matches!(self.lower(at + 1).as_str(), "on" | "for" | "at");
        if !on && !says(&word, Statement::Task) {
            return None;
        }
        // "We are working for Norwegians" may be about a team.
        let somebody = self.words[0].is(&["i", "i'm"]) || self.has_name(0, 1);
        let first = at + 1 + usize::from(on);
        if !somebody || !self.has_name(first, end) {
            return None;
        }
        let predicate = if on { format!("is {word} {}", self.lower(at + 1)) } else { format!("is {word}") };
        Some(Self::each(subject, &predicate, &self.object(first, end)?))
    }

    /// "was written by Ada", "has been reclassified to critical".
    fn was(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let at = self.skip(at);
        let participle = self.lower(at);
        let past = matches!(base(&participle), Some(verb) if says(verb, Statement::Deed))
            || says(&participle, Statement::Changing);
        let event = matches!(participle.as_str(), "born" | "founded" | "released" | "published");
        let status = (at..end).map(|at| self.lower(at)).collect::<Vec<_>>().join(" ");
        let perfect = self.lower(at - 1) == "been";
        if perfect && says(&status, Statement::Status) && !self.words[0].is(&["i", "we"]) {
            return Some(vec![fact(subject, "has status", &status)]);
        }
        let assigned = perfect && participle == "assigned";
        let auxiliary = if perfect { "has been" } else { "was" };
        if past || event || assigned {
            return self.passive(auxiliary, subject, at, end);
        }
        let by = self.skip(at + 1);
        if self.lower(by) == "by" && is_participle(&participle) {
            return self.done_by(auxiliary, subject, at, by, end);
        }
        self.placed(auxiliary, subject, at, end)
    }

    /// Reads a participle or adjective with a preposition and its object.
    fn passive(&self, auxiliary: &str, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let participle = self.lower(at);
        // "Is looked after by Rocco".
        let is_phrasal = self.lower(at + 2) == "by" && self.relating_preposition(at + 1).is_some();
        if is_phrasal && is_participle(&participle) {
            return self.done_by(auxiliary, subject, at, at + 2, end);
        }
        let by = self.skip(at + 1);
        if self.lower(by) == "by" && (is_past(&participle) || participle == "led") {
            let verb = base(&participle)?;
            if is_transitive(verb) || says(verb, Statement::Deed) {
                let object = self.object(by + 1, end)?;
                return Some(Self::each(subject, &format!("{auxiliary} {participle} by"), &object));
            }
        }
        if self.lower(by) == "by" && is_participle(&participle) {
            return self.done_by(auxiliary, subject, at, by, end);
        }
        let longest = (2..=4).rev().find_map(|length| {
            let last = (at + length).min(end);
            let said = (at..last).map(|at| self.lower(at)).collect::<Vec<_>>().join(" ");
            says(&said, Statement::State).then_some((last, said))
        });
        let named =
            || matches!(participle.as_str(), "called" | "named").then(|| (at + 1, participle.clone()));
        let Some((next, said)) = longest.or_else(named) else {
            return self.placed(auxiliary, subject, at, end);
        };
        if says(&participle, Statement::Changing) {
            return self.changed(auxiliary, subject, &said, next, end);
        }
        let object = match said.as_str() {
            said if said.starts_with("due")
                || said.starts_with("scheduled")
                || said.starts_with("planned") =>
            {
                self.date(next, end)?
            }
            "born on" | "founded on" | "founded in" | "released on" | "published on" => {
                self.date(next, end)?
            }
            said if said.ends_with(" as") => self.value(next, end)?,
            _ => self.object(next, end)?,
        };
        Some(vec![fact(subject, &format!("{auxiliary} {said}"), &object)])
    }

    /// "has been moved from Oslo to Bergen", "was raised to 5".
    fn changed(
        &self,
        auxiliary: &str,
        subject: &str,
        said: &str,
        next: usize,
        end: usize,
    ) -> Option<Vec<ReadFact>> {
        let (verb, preposition) = said.rsplit_once(' ')?;
        let to = |from: usize| (from..end).find(|at| self.lower(*at) == "to");
        if preposition == "from" {
            let to = to(next)?;
            let (from, value) = (self.value(next, to)?, self.value(to + 1, end)?);
            let mut fact = fact(subject, &format!("{auxiliary} {verb} to"), &value);
            fact.change = Some(format!("from {from}"));
            return Some(vec![fact]);
        }
        let from = (next..end).find(|at| self.lower(*at) == "from");
        let last = from.unwrap_or(end);
        let on_scale = || (last == next + 1).then(|| self.phrase(next, last)).flatten();
        let value = self.value(next, last).or_else(on_scale)?;
        let mut fact = fact(subject, &format!("{auxiliary} {said}"), &value);
        fact.change = Some(match from.and_then(|from| self.value(from + 1, end)) {
            Some(left) => format!("from {left}"),
            None => verb.to_owned(),
        });
        Some(vec![fact])
    }

    /// "We decided to use Postgres", "The board agreed on Lisbon".
    fn decided(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let next = self.lower(at + 1);
        let (predicate, object_at) = match (word.as_str(), next.as_str()) {
            ("chose", _) => ("chose".to_owned(), at + 1),
            (_, "on") => (format!("{word} on"), at + 2),
            (_, "to") if base(&self.lower(at + 2)) == Some(self.lower(at + 2).as_str()) => {
                (format!("{word} to {}", self.lower(at + 2)), at + 3)
            }
            _ => return None,
        };
        let named = (object_at..end).any(|at| self.words[at].text.contains(char::is_uppercase));
        if !named {
            return None;
        }
        Some(vec![fact(subject, &predicate, &self.object(object_at, end)?)])
    }

    /// "We moved the billing queue from Redis to Kafka", "The archive moved to Bergen".
    fn moved(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let find = |word: &str| (at + 1..end).find(|at| self.lower(*at) == word);
        let to = find("to")?;
        let from = find("from").filter(|from| *from < to);
        let moved_to = from.unwrap_or(to);
        let thing = if moved_to == at + 1 {
            if matches!(self.lower(0).as_str(), "i" | "we") {
                return None;
            }
            subject.to_owned()
        } else {
            if word == "switched" && from.is_none() {
                return None;
            }
            self.object(at + 1, moved_to)?
        };
        let value = self.value(to + 1, end)?;
        if !self.has_name(to + 1, end) {
            return None;
        }
        let mut fact = fact(&thing, &format!("{word} to"), &value);
        fact.change = Some(match from.and_then(|from| self.value(from + 1, to)) {
            Some(left) => format!("from {left}"),
            None => word,
        });
        Some(vec![fact])
    }

    /// "Mo no longer runs Redis".
    fn ended(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        if word == "has" {
            let held = self.holding(subject, at + 1, end)?;
            return Some(vec![ReadFact { denied: true, ..held }]);
        }
        if !is_third_person(&word) && !is_present(&word) {
            return None;
        }
        self.ends_with(subject, &word, at, end)
    }

    /// "Per took over the archive from Ola".
    fn taken_over(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let from = (at + 2..end).find(|at| self.lower(*at) == "from");
        // "Took over as chair" and "took over in May" name no thing.
        let thing = self.phrase_taken(at + 2, from.unwrap_or(end))?;
        let whose =
            from.is_none_or(|from| self.has_name(from + 1, end) && self.object(from + 1, end).is_some());
        if !whose || !self.has_name(0, at) {
            return None;
        }
        let taken = |predicate: &str, thing: &str| ReadFact {
            change: Some("took over".to_owned()),
            ..fact(subject, predicate, thing)
        };
        // "Noor took over drafting the contract from Pascal".
        let verb = self.lower(at + 2);
        if let Some(base) = verbs(&verb).next().filter(|base| verb.ends_with("ing") && *base != verb) {
            let thing = self.object(at + 3, from.unwrap_or(end))?;
            let now = taken(&third_person(base), &thing);
            return Some(match from.and_then(|from| self.object(from + 1, end)) {
                Some(left) => in_place_of(now, &left).into(),
                None => vec![now],
            });
        }
        Some(vec![taken("took over", &thing)])
    }

    /// What somebody takes over: a thing, or work on one.
    fn phrase_taken(&self, start: usize, end: usize) -> Option<String> {
        let work = self.lower(start).ends_with("ing");
        self.object(start, end).or_else(|| work.then(|| self.object(start + 1, end)).flatten())
    }

    /// "Mo stopped running Redis".
    fn stopped(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let known = base(&word).or_else(|| verbs(&word).next());
        let verb = known
            .or_else(|| word.strip_suffix("ing"))
            .filter(|verb| word.ends_with("ing") && *verb != word)?;
        if !self.has_name(0, at) && !self.has_name(at + 1, end) {
            return None;
        }
        self.ends_with(subject, &third_person(verb), at, end)
    }

    fn text(&self, start: usize, end: usize) -> String {
        self.words[start..end].iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
    }

    /// Returns whether a word in a range looks like a name. A common first word of the sentence does not count.
    fn has_name(&self, start: usize, end: usize) -> bool {
        (start..end).any(|at| {
            self.words[at].is_marked()
                // "A PR" is any one.
                && !(end == start + 2 && at == start + 1 && self.words[at].is_of(Statement::Generic))
                && (at > 0
                    || !self.words[0].is_of(Statement::Vague)
                        && !self.words[0].is(&["the", "our", "my", "a", "an"]))
        })
    }

    /// Returns the subject of a sentence: a name, the speaker, "we", or a noun with "the", "our" or "my".
    fn subject(&self, start: usize, end: usize) -> Option<String> {
        let first = self.words[start].lower();
        if end == start + 1 {
            match first.as_str() {
                "i" | "i'm" => return self.turn.speaker.map(str::to_owned),
                "we" => return Some("we".to_owned()),
                _ => {}
            }
        }
        if first == "my" {
            let speaker = self.turn.speaker?;
            return Some(format!("{speaker}'s {}", self.phrase(start + 1, end)?));
        }
        let determined = matches!(first.as_str(), "the" | "our");
        let number = self.words[start + usize::from(determined)].lower();
        // "They've arrested Monica".
        let is_contracted = first.contains('\'') && possessor(&first).is_none();
        let is_count = number.starts_with(|c: char| c.is_ascii_digit())
            || number_word(&number).is_some_and(|number| (2..=10).contains(&number));
        // "Including offset zones", "Controlled experiments".
        let is_no_noun = is_past(&first)
            || is_adverb(&first)
            || Language::English.class(&first) == Some(Class::Preposition)
            || end <= start + 2
                && is_participle(&first)
                && !self.words[start].text.contains(char::is_numeric);
        if is_count || is_contracted || is_no_noun || (end == start + 1 && says(&first, Statement::Generic)) {
            return None;
        }
        let noun = start + usize::from(determined);
        let with_place = || (determined && self.is_with_place(noun, end)).then(|| self.text(noun, end));
        let phrase = self.phrase(noun, end).or_else(with_place)?;
        // A bare common noun refers to its whole kind: "Music helps".
        let named = self.has_name(noun, end) && (start > 0 || !self.is_common_opening(end));
        (determined || named).then_some(phrase)
    }

    /// Whether words are a noun phrase with a place: "flag at the landing stage".
    fn is_with_place(&self, start: usize, end: usize) -> bool {
        let place =
            (start + 1..end).find(|at| self.words[*at].is(&["at", "in", "on", "by", "near", "behind"]));
        place.is_some_and(|at| {
            end - start <= PHRASE_MAX
                && self.words.get(at + 1).is_some_and(|word| word.is(&["the", "our"]))
                && self.phrase(start, at).is_some()
                && self.phrase(at + 2, end).is_some()
        })
    }

    /// Returns whether the first word is a common word that is capitalised only because it starts the sentence.
    fn is_common_opening(&self, end: usize) -> bool {
        let first = self.words[0].text;
        let inner = first.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric() || c == '_');
        let others = self.words[1..end].iter().any(Word::is_marked);
        let own = self.turn.speaker.is_some_and(|speaker| speaker == first)
            || first.ends_with("'s")
            || first.ends_with("’s");
        // A single word may be a name, unless it ends like a common noun or a gerund.
        let common = first.len() < 2
            || first.ends_with("ing")
            || first.ends_with("tion")
            || first.ends_with("ness")
            || first.ends_with("ment");
        !inner && !others && !own && (end > 1 || common)
    }

    /// Returns the object of a fact: a name, an amount, or a noun phrase with a determiner.
    fn object(&self, start: usize, end: usize) -> Option<String> {
        if start >= end {
            return None;
        }
        let determined = self.words[start].is(&["the", "a", "an", "our"]);
        let mine = self.words[start].is(&["my"]);
        let phrase = self.phrase(start + usize::from(determined || mine), end)?;
        if mine {
            return Some(format!("{}'s {phrase}", self.turn.speaker?));
        }
        let named = self.has_name(start, end);
        (determined || named || self.amount(start, end).is_some()).then_some(phrase)
    }

    /// Returns a name or noun phrase of a few words, none of which is vague. "of", "and" or another connective may
    /// join its words.
    fn phrase(&self, start: usize, end: usize) -> Option<String> {
        if start >= end || end - start > PHRASE_MAX {
            return None;
        }
        let words = &self.words[start..end];
        for (at, word) in words.iter().enumerate() {
            let lower = word.lower();
            let inner = at > 0 && at + 1 < words.len();
            let joins =
                inner && matches!(lower.as_str(), "of" | "and" | "for" | "the" | "de" | "van" | "von" | "&");
            // "The deposit for a tandem".
            let joins = joins || inner && word.is(&["a", "an"]) && words[at - 1].is(&["of", "for"]);
            // The "One" of "Cellar One" is part of a name.
            let numbers =
                at > 0 && word.is_marked() && words[at - 1].is_marked() && number_word(&lower).is_some();
            let vague = (says(&lower, Statement::Vague) || says(&lower, Statement::Connecting)) && !numbers;
            if (vague && !joins) || (word.parted && at + 1 < words.len()) {
                return None;
            }
            // "and" joins two names to a list. Between common nouns, it may join clauses.
            if lower == "and" && !(words[at - 1].is_marked() && words[at + 1].is_marked() && words.len() <= 5)
            {
                return None;
            }
            // A verb or an adverb is not part of a name.
            let verbal = !word.is_marked()
                && (is_present(&lower) && lower != "reports" && at > 0
                    || (lower.ends_with("ly") && lower.len() > 5));
            if verbal {
                return None;
            }
        }
        Some(self.text(start, end).trim_end_matches(['.', ',']).to_owned())
    }
}
