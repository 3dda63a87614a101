//! Clauses by their parts: who does what to whom, and what prepositions add. The other patterns match a clause that says
//! nothing else. Here more may follow: "Renner coaches Tilda in the sessions on Thursday evenings", "Bertha was brought
//! from Vienna by Ilse in an old jar". What follows is in the sentence of the fact, not in the fact.

use std::ops::Range;

use quiver_language::{
    Class, Kind,
    statement::{Statement, says},
    token::possessor,
    word::{is_adjective, is_verb, verbs},
};

use crate::{
    reader::{ReadFact, TurnToRead, fact, word::Word},
    relation::{base, gerund_base, is_participle, lemma, third_person},
};

use super::{
    phrase::{ALONE, Phrase, Tokens, is_headline},
    verb::{Phase, Verb},
};

/// Maximum number of words before the verb.
const SUBJECT_MAX: usize = 10;

/// A clause.
struct Parts<'a> {
    text: Tokens<'a>,
    turn: &'a TurnToRead<'a>,
    /// Whether it begins with words of change: "These days Delphine doesn't milk the goats".
    is_change: bool,
    /// Whether its sentence ends with a full stop, as headlines and items do not.
    is_ended: bool,
}

/// Returns the facts that the parts of a clause state, if its words are surely read: one end of each is a name, and the
/// other is one, too, or a certain thing.
pub(super) fn facts(
    words: &[Word<'_>],
    turn: &TurnToRead<'_>,
    is_change: bool,
    is_ended: bool,
) -> Vec<ReadFact> {
    // What somebody says of himself has a reader of its own, and takes more care.
    if words.len() < 3 || words[0].is(&["i", "i'm", "my"]) {
        return Vec::new();
    }
    let parts = Parts { text: Tokens::of(words), turn, is_change, is_ended };
    parts.by_task().or_else(|| parts.by_noun()).or_else(|| parts.by_verb()).unwrap_or_default()
}

/// "It is Chiara who writes the reports" in the usual order: "Chiara writes the reports".
pub(super) fn turned<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    let has_been = words.len() > 5 && words[1].is(&["has"]) && words[2].is(&["been"]);
    let first = 2 + usize::from(has_been);
    let is_cleft = words.len() > 4 && words[0].is(&["it"]) && (has_been || words[1].is(&["is", "was"]));
    let relative =
        (first + 1..words.len()).find(|at| words[*at].is(&["who", "that"])).filter(|_| is_cleft)?;
    let is_name = words[first..relative].iter().all(Word::is_marked);
    is_name.then(|| [&words[first..relative], &words[relative + 1..]].concat())
}

impl Parts<'_> {
    /// "Renner coaches Tilda …", "The grass on the pitch is mowed by Ulrich …".
    fn by_verb(&self) -> Option<Vec<ReadFact>> {
        let last = self.text.len().min(SUBJECT_MAX + 1);
        let with_auxiliary = (1..last).find_map(|at| {
            let verb = self.text.auxiliary(at, self.is_change)?;
            Some((self.subject(at)?, verb))
        });
        let (subject, verb) = with_auxiliary.or_else(|| {
            (1..last).find_map(|at| {
                let verb = self.text.finite(self.text.after_adverbs(at))?;
                Some((self.subject(at)?, verb))
            })
        })?;
        let facts = match verb.passive {
            Some(auxiliary) => self.passive(&subject, &verb, auxiliary),
            None => self.active(&subject, &verb),
        };
        facts.filter(|facts| !facts.is_empty())
    }

    /// The subject of a clause, with the phrases that prepositions add to it. It ends before the verb.
    fn subject(&self, end: usize) -> Option<Phrase> {
        let text = &self.text;
        if end == 1 && text.is(0, &["we"]) {
            return Some(Phrase { run: 0..1, noun: 0..1, determiner: None, end, is_named: false });
        }
        let subject = text.noun_phrase_before(0, end)?;
        // "Plus two": what follows a conjunction may be half a phrase.
        let is_bare = !text.is_marked(0) && !is_adjective(&text.lower[0]) || text.lower[0].ends_with("ly");
        if subject.determiner.is_none() && is_bare {
            return None;
        }
        let mut at = subject.end;
        let mut is_named = subject.is_named;
        let mut is_whole = at == end;
        while at < end && !text.is_parted(at - 1) && text.is_preposition(at) {
            let added = text.phrase_before(at + 1, end)?;
            if text.is_date(added.noun.start, added.end) {
                // "The calls at the weekend": when is not part of the name.
                is_whole = added.end == end;
                break;
            }
            is_named |= added.is_named;
            at = added.end;
            is_whole = at == end;
        }
        let is_whole = is_whole
            && (0..end).all(|at| !text.is_parted(at))
            && possessor(text.words[end - 1].text).is_none()
            && !(end - subject.run.start == 1 && says(&text.lower[end - 1], Statement::Generic));
        let run = if at == subject.end { subject.run.clone() } else { subject.run.start..at };
        let is_of_nobody = matches!(text.lower[0].as_str(), "his" | "her" | "its" | "their" | "your");
        let is_name = subject.run.start > subject.noun.start;
        (is_whole && (!is_of_nobody || is_name)).then_some(Phrase { run, end, is_named, ..subject })
    }

    /// The words for a subject or an object in a fact.
    fn name(&self, phrase: &Phrase) -> Option<String> {
        let text = &self.text;
        let first = phrase.run.start;
        let said = text.text(&phrase.run);
        let before = first.checked_sub(1).map(|before| text.lower[before].as_str());
        if before == Some("my") && phrase.determiner == Some(Kind::Possessive) {
            return Some(format!("{}'s {said}", self.turn.speaker?));
        }
        // A common noun at the start of the sentence has a capital.
        let lower = &text.lower[first];
        let is_described = || !text.is_marked(1) && (is_adjective(lower) || is_participle(lower));
        let is_common = first == 0 && (!phrase.is_named || phrase.run.len() > 1 && is_described());
        Some(if is_common { uncapitalised(&said) } else { said })
    }

    /// The facts of an active clause.
    fn active(&self, subject: &Phrase, verb: &Verb) -> Option<Vec<ReadFact>> {
        let text = &self.text;
        let is_any = text.is(0, &["a", "an"]) && subject.run.start == subject.noun.start;
        let is_certain = subject.is_definite() && !is_any || self.is_we(subject);
        let is_bare = subject.determiner.is_none() && subject.run.start == 0;
        let is_no_subject = is_bare && is_headline(&text.words[subject.run.clone()]);
        if !is_certain || is_no_subject || text.is_parted(verb.end - 1) {
            return None;
        }
        let at = text.after_adverbs(verb.end);
        let object = text.noun_phrase(at).map(|object| self.with_added(object));
        // "Tests eat memory", "sponsors linked to Django": no verb is or begins an object without a determiner.
        let is_clause = |object: &Phrase| {
            let first = object.noun.start;
            let lower = &text.lower[first];
            let is_part = is_participle(lower) && object.noun.len() > 1;
            object.determiner.is_none() && !text.is_marked(first) && is_verb(lower) && !is_part
        };
        if object.as_ref().is_some_and(|object| is_clause(object) || self.goes_on(object)) {
            return None;
        }
        let added = self.added(object.as_ref().map_or(at, |object| object.end), verb)?;
        // "We have been working with": the verb of "we" has no ending.
        let said = if self.is_we(subject) { without_ending(&verb.said) } else { verb.said.clone() };
        let verb = &Verb { said, ..verb.clone() };
        let facts = match &object {
            Some(object) => self.with_object(subject, verb, object, &added)?,
            None => self.without_object(subject, verb, added.first()?).into_iter().collect(),
        };
        Some(in_phase(facts, verb.phase))
    }

    /// Whether a name goes on after its apparent end, "Let" of "wrote Let It Go", or is one of several before a noun: "the
    /// Dutch, Danish and Finnish editions".
    fn goes_on(&self, object: &Phrase) -> bool {
        let text = &self.text;
        let is_alone = |at: usize| text.is(at, &["i"]) || !text.is_marked(at);
        if !object.is_named || !text.is_parted(object.end - 1) {
            return object.is_named && !is_alone(object.end);
        }
        let and = (object.end..text.len()).find(|at| text.is(*at, &["and", "or"]));
        and.is_some_and(|and| {
            let is_listed = (object.end..and).all(|at| text.is_marked(at)) && text.is_marked(and + 1);
            let next = and + 2;
            is_listed && next < text.len() && !text.is_marked(next) && text.class(next).is_none()
        })
    }

    /// The facts of an active clause with an object.
    fn with_object(
        &self,
        subject: &Phrase,
        verb: &Verb,
        object: &Phrase,
        added: &[(String, Phrase)],
    ) -> Option<Vec<ReadFact>> {
        let (who, what) = (self.name(subject)?, self.name(object)?);
        let value = added.iter().find(|(preposition, _)| preposition == "to").map(|(_, value)| value);
        if let Some(value) = value.filter(|_| verb.is_change()) {
            // "The court has moved the hearing to courtroom nine".
            let changed = fact(&what, &format!("{} to", verb.said), &self.name(value)?);
            return object
                .is_definite()
                .then(|| vec![ReadFact { change: Some(verb.said.clone()), ..changed }]);
        }
        let mut facts = Vec::new();
        if self.relates(subject, verb, object) {
            facts.push(fact(&who, &verb.said, &what));
        }
        // "Marta takes her instructions from Philippe", "we lease the orchard to Brimble".
        let is_owned = matches!(object.determiner, None | Some(Kind::Possessive));
        // "Flat 6" is a common noun, too.
        let is_common = !object.is_named || !self.text.is_marked(object.noun.start);
        let is_part = is_common && (is_owned || self.is_we(subject));
        let of_somebody = self.is_of_somebody(object);
        let is_end = |thing: &Phrase| {
            let of_both = subject.is_definite() && of_somebody && thing.is_definite();
            thing.is_named || of_both && !self.is_of_somebody(thing)
        };
        if let Some((preposition, thing)) = added.first().filter(|(_, thing)| is_part && is_end(thing)) {
            let noun = self.text.text(&object.noun).to_lowercase();
            facts.push(fact(&who, &format!("{} {noun} {preposition}", verb.said), &self.name(thing)?));
        }
        Some(facts)
    }

    /// Whether a verb surely relates a subject and an object.
    fn relates(&self, subject: &Phrase, verb: &Verb, object: &Phrase) -> bool {
        let text = &self.text;
        // What somebody once did to a thing without a name says little: "Ada reproduced the issue".
        // "Ada is leading the walks now" says who does so, and not only at this moment.
        let says_now = || text.lower.iter().any(|word| says(word, Statement::Change));
        let is_passing = verb.is_past || verb.is_progressive && !says_now();
        let is_certain = if is_passing {
            subject.is_named && object.is_named
        } else {
            subject.is_named || object.is_named
        };
        // "Lindiwe answers questions about refunds".
        let is_plural = text.lower[object.noun.end - 1].ends_with('s');
        let is_usual = subject.is_named && !verb.is_past && object.determiner.is_none() && is_plural;
        // "We change the locale" may be said of a step; "we use Kestrel" is not.
        let is_known_verb = || verb.said.split(' ').next().is_some_and(|verb| base(verb).is_some());
        if self.is_we(subject) && !verb.is_past && !is_known_verb() {
            return false;
        }
        // "Music helps people", "Second marks Vec": a single word at the start of a sentence may be no name.
        let is_turning =
            verb.phase != Phase::Holds || text.lower.iter().any(|word| says(word, Statement::Change));
        let is_single = subject.run == (0..1) && !is_turning;
        let before = object.noun.start.checked_sub(1);
        let is_known = object.is_named || before.is_some_and(|at| text.is(at, &["the", "our"]));
        let is_object = if is_single {
            is_known && (self.is_ended || verb.is_past)
        } else {
            is_known || is_usual || object.determiner == Some(Kind::Possessive)
        };
        let is_wish = self.is_we(subject) && matches!(&*lemma(&verb.said), "need" | "want" | "require");
        is_certain && is_object && !is_wish && !self.is_of_somebody(object)
    }

    /// The fact of an active clause without an object: "Zainab plays on the left wing".
    fn without_object(
        &self,
        subject: &Phrase,
        verb: &Verb,
        (preposition, thing): &(String, Phrase),
    ) -> Option<ReadFact> {
        let is_known = verb.said.split(' ').next().is_some_and(is_verb);
        let are_named = thing.is_named && subject.is_named;
        let is_one_named = thing.is_named || subject.is_named && thing.is_definite();
        // "Lindiwe deals with refunds".
        let is_usual =
            subject.is_named && thing.determiner.is_none() && self.text.lower[thing.end - 1].ends_with('s');
        let is_certain = are_named || is_known && (is_one_named || is_usual);
        // "Tentative dates for the workshop", "Triager travel grants for Django": no names do anything there.
        // "Concerns around adding tests".
        let is_deed = self.text.lower[thing.noun.start].ends_with("ing");
        let is_sentence = self.is_ended && is_known && (thing.is_definite() || is_usual) && !is_deed;
        let is_noun = subject.run == (0..1) && !self.is_we(subject) && !is_sentence
            || subject.determiner.is_none() && !self.is_we(subject) && !self.text.is_marked(subject.end - 1);
        if !is_certain || is_noun || verb.is_past {
            return None;
        }
        Some(fact(&self.name(subject)?, &format!("{} {preposition}", verb.said), &self.name(thing)?))
    }

    fn is_we(&self, subject: &Phrase) -> bool {
        subject.run == (0..1) && self.text.is(0, &["we"])
    }

    /// The facts of a passive clause: its agent, and what a name after another preposition adds.
    fn passive(&self, subject: &Phrase, verb: &Verb, auxiliary: &str) -> Option<Vec<ReadFact>> {
        let added = self.added(self.text.after_adverbs(verb.end), verb)?;
        // In "based on the novel by Hamsun", nobody bases anything.
        let is_of_thing = |(preposition, thing): &(String, Phrase)| !thing.is_named && preposition != "at";
        let by = added.iter().position(|(preposition, _)| preposition == "by");
        let agent = by.filter(|by| !added[..*by].iter().any(is_of_thing)).map(|by| &added[by].1);
        let is_agent = |agent: &&Phrase| {
            let is_known = agent.is_named || subject.is_definite() && !self.is_of_somebody(agent);
            agent.is_definite() && is_known
        };
        let is_of_agent = agent.is_some_and(|agent| agent.is_named);
        if !subject.is_definite() && !is_of_agent {
            return None;
        }
        let what = self.name(subject)?;
        let mut facts = Vec::new();
        if let Some(agent) = agent.filter(is_agent) {
            let agent = &self.with_added(agent.clone());
            facts.push(fact(&what, &format!("{auxiliary} {} by", verb.said), &self.name(agent)?));
        }
        // "Donated by the butcher on Station Road", "dubbed for a release in Africa": what follows the agent, or a common
        // noun, may be about it.
        for (preposition, thing) in added.iter().take_while(|(preposition, _)| preposition != "by") {
            let is_change = preposition == "to" && verb.is_change();
            if !thing.is_named && !is_change {
                break;
            }
            if subject.is_definite() {
                let predicate = format!("{auxiliary} {} {preposition}", verb.said);
                let said = fact(&what, &predicate, &self.name(thing)?);
                facts.push(ReadFact { change: is_change.then(|| verb.said.clone()), ..said });
            }
        }
        Some(in_phase(facts, verb.phase))
    }

    /// Whether a phrase is about somebody whom only the sentence before names: "her instructions".
    fn is_of_somebody(&self, phrase: &Phrase) -> bool {
        phrase.determiner == Some(Kind::Possessive)
            && !self.text.is(phrase.noun.start - 1, &["our", "my"])
            && phrase.run.start == phrase.noun.start
    }

    /// Adds to a common noun what prepositions say about it: "the grass on the main pitch".
    fn with_added(&self, object: Phrase) -> Phrase {
        let text = &self.text;
        let is_common = !object.is_named && object.determiner != Some(Kind::Possessive);
        let mut end = object.end;
        while is_common
            && !text.is_parted(end - 1)
            && text.is(end, &["in", "on", "at", "for", "about", "near"])
        {
            let Some(added) = text.noun_phrase(end + 1) else { break };
            end = added.end;
        }
        if end == object.end { object } else { Phrase { run: object.run.start..end, end, ..object } }
    }

    /// The phrases that prepositions add to a clause, up to one that says when, how or why. `None` if other words follow,
    /// which may change what is said.
    fn added(&self, from: usize, verb: &Verb) -> Option<Vec<(String, Phrase)>> {
        let text = &self.text;
        let mut added = Vec::new();
        let mut at = from;
        while at < text.len() && !(at > 0 && text.is_parted(at - 1)) && text.is_preposition(at) {
            // "Was set to ready": what something becomes may be a quality.
            let quality =
                || (verb.is_change() && text.is(at, &["to"])).then(|| text.quality(at + 1)).flatten();
            let Some(phrase) = text.noun_phrase(at + 1).or_else(quality) else { break };
            let preposition = text.lower[at].clone();
            at = phrase.end;
            added.push((preposition, phrase));
        }
        self.is_aside(at).then_some(added)
    }

    /// Whether the rest of a sentence adds only when, how or why, or another statement.
    fn is_aside(&self, at: usize) -> bool {
        let text = &self.text;
        if at >= text.len() {
            return true;
        }
        // "When training ends" says when; "when Ana is away" is a condition.
        let says_when = |at: usize| text.is(at, &["when"]) && !text.is_marked(at + 1);
        let changes = |at: usize| {
            let lower = &text.lower[at];
            says(lower, Statement::Condition) && !says_when(at)
                || text.is(at - 1, &["i", "we"])
                    && (says(&lemma(lower), Statement::Inner) || lower == "heard")
                || matches!(&**lower, "not" | "except" | "or" | "but" | "never" | "only" | "rather")
        };
        let opens = text.is_parted(at - 1)
            || matches!(
                text.class(at),
                Some(Class::Preposition | Class::Conjunction | Class::Adverb | Class::Pronoun)
            )
            || text.is(
                at,
                &["every", "each", "once", "twice", "last", "next", "this", "all", "these", "any", "that"],
            )
            || text.lower[at].ends_with("ly")
            || text.is(at, ALONE)
            || says(&text.lower[at], Statement::Change)
            || says(&text.lower[at], Statement::Following);
        opens && !(at..text.len()).any(changes)
    }

    /// "Gino is the apprentice of Marta and starts at four", "The new head of the museum shop is Mr Ferenc".
    fn by_noun(&self) -> Option<Vec<ReadFact>> {
        let text = &self.text;
        let (is, next) = (1..text.len().min(SUBJECT_MAX)).find_map(|at| match &*text.lower[at] {
            "is" | "became" | "becomes" => Some((at, at + 1)),
            "has" if text.is(at + 1, &["been", "become"]) => Some((at, at + 2)),
            _ => None,
        })?;
        let (before, after) = (self.subject(is)?, text.noun_phrase(text.after_adverbs(next))?);
        if !self.is_aside(after.end) && !(text.is_preposition(after.end)) {
            return None;
        }
        let (of_before, of_after) = (self.role(&before.noun), self.role(&after.noun));
        let (who, role) = match (of_before, of_after) {
            (None, Some(role)) if before.is_named && is_the(text, &after) => (before, role),
            (Some(role), None) if after.is_named && is_the(text, &before) => (after, role),
            _ => return None,
        };
        let (noun, thing) = role;
        let begins = text.is(is, &["became", "becomes"]) || text.is(is + 1, &["become"]);
        let is_new = noun.starts_with("new ") || begins;
        let noun = noun.strip_prefix("new ").unwrap_or(&noun);
        let said = fact(&self.name(&who)?, &format!("is the {noun} of"), &thing);
        let change = is_new.then(|| "new".to_owned());
        Some(vec![ReadFact { change, ..said }])
    }

    /// "apprentice of Marta": a noun of one or two words, and whose it is.
    fn role(&self, noun: &Range<usize>) -> Option<(String, String)> {
        let text = &self.text;
        let of = noun.clone().find(|at| text.is(*at, &["of"]))?;
        let is_noun =
            (1..=3).contains(&(of - noun.start)) && (noun.start..of).all(|at| !text.is_marked(at) || at == 0);
        let thing = text.noun_phrase(of + 1).filter(|thing| thing.end == noun.end && thing.is_definite())?;
        let noun = text.text(&(noun.start..of)).to_lowercase();
        is_noun.then_some((noun, self.name(&thing)?))
    }

    /// "Mowing the grass on the main pitch is now the job of Safiya", "… is Safiya's job".
    fn by_task(&self) -> Option<Vec<ReadFact>> {
        let text = &self.text;
        let base = gerund_base(&text.lower[0])?;
        let is = (2..text.len().min(SUBJECT_MAX)).find(|at| text.is(*at, &["is"]))?;
        let verb = text.with_particle(Verb { end: 1, ..Verb::of(third_person(&base)) });
        let object = self.with_added(text.noun_phrase(verb.end)?);
        let at = self.text.after_adverbs(is + 1);
        let last = text.len() - 1;
        let who = if text.is(at, &["the"]) && text.is(at + 1, TASKS) && text.is(at + 2, &["of"]) {
            text.noun_phrase(at + 3)?
        } else if text.is(last, TASKS) {
            let owner = possessor(text.words[last - 1].text)?;
            let first = text.words[at..last - 1].iter().map(|word| word.text);
            let who = first.chain([owner]).collect::<Vec<_>>().join(" ");
            return (object.end == is).then_some(vec![fact(&who, &verb.said, &self.name(&object)?)]);
        } else {
            return None;
        };
        let is_sure = object.end == is && who.is_named && self.is_aside(who.end);
        is_sure.then_some(vec![fact(&self.name(&who)?, &verb.said, &self.name(&object)?)])
    }
}

/// Nouns for what somebody has to do.
const TASKS: &[&str] = &["job", "task", "duty", "responsibility"];

fn in_phase(facts: Vec<ReadFact>, phase: Phase) -> Vec<ReadFact> {
    let in_phase = |fact: ReadFact| match phase {
        Phase::Holds => fact,
        Phase::Begins => ReadFact { change: Some("took over".to_owned()), ..fact },
        Phase::Ends => ReadFact { denied: true, ..fact },
    };
    facts.into_iter().map(in_phase).collect()
}

/// Whether a phrase begins with "the".
fn is_the(text: &Tokens<'_>, phrase: &Phrase) -> bool {
    phrase.noun.start.checked_sub(1).is_some_and(|at| text.is(at, &["the"]))
}

/// A predicate in the plural, if its verb is in the present: "take over" for "takes over".
fn without_ending(said: &str) -> String {
    let (verb, rest) = said.split_once(' ').map_or((said, None), |(verb, rest)| (verb, Some(rest)));
    let base = verbs(verb).next().filter(|base| third_person(base) == verb).unwrap_or(verb);
    rest.map_or_else(|| base.to_owned(), |rest| format!("{base} {rest}"))
}

fn uncapitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_lowercase().chain(rest).collect())
}
