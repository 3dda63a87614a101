//! Statements in the text of a turn: what it asserts and denies, without chatter, questions and what could be.

use crate::{
    chunk::sentences,
    extract::{MentionKind, mentions},
};

use super::{
    apart,
    clause::{self, Clause},
    irregular, plain,
    sentence::{self, Part, TakingBack},
    shape::Shape,
    token::{Token, tokens},
    turn::Fact,
    verb, verbless,
    wording::{
        is_named, is_nobody, is_pronoun, is_rejected, predicate, rejects, renewed, role, sets, weighs,
        without_rejected,
    },
};

/// A sentence of as many words is shown whole: what it says beside a fact costs little and may be what is asked for.
const SHORT: usize = 14;
/// The same for a sentence whose clauses explain each other.
const BOUND: usize = 24;
/// What somebody has to do: "that is Ada's job".
const DUTIES: &[&str] =
    &["job", "task", "work", "responsibility", "duty", "turf", "area", "department", "business", "problem"];

/// A statement as it stands, its pronouns not yet resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    /// `None` where it is the speaker.
    pub(crate) subject: Option<String>,
    pub(crate) fact: Fact,
}

/// What was read from a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    pub(crate) statements: Vec<Statement>,
    /// Whether it takes back what its speaker said before: "scratch that".
    pub(crate) taking_back: Option<TakingBack>,
}

/// Reads statements.
pub(crate) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    for range in sentences(text) {
        let sentence = text[range].trim();
        if let Some(taking_back) = sentence::taking_back(sentence) {
            reading.taking_back = Some(taking_back);
            continue;
        }
        if sentence::is_question(sentence) || plain::is_courtesy(sentence) {
            continue;
        }
        let change = sentence::change(sentence);
        let mut stated = Stated { sentence, change: change.as_deref(), statements: Vec::new() };
        let labels = verbless::labels(sentence, change.as_deref());
        if !labels.is_empty() {
            reading.statements.extend(labels);
            continue;
        }
        let plain = plain::plain(sentence);
        let parts: Vec<Part<'_>> = plain.iter().flat_map(|plain| sentence::parts(plain)).collect();
        parts.iter().for_each(|part| stated.add(part));
        stated.add_unaccounted();
        if stated.statements.is_empty() && !sentence::is_supposed(sentence) {
            stated.statements = verbless::in_short(sentence, change.as_deref());
            if stated.statements.is_empty() {
                let statement = verbless::without_verb(sentence, change.as_deref());
                stated.statements.extend(statement.or_else(|| verbless::in_another_language(sentence)));
            }
        }
        stated.show_whole(&parts);
        reading.statements.extend(stated.statements);
    }
    reading
}

/// Marks a given fact by the wording of its turn.
pub(crate) fn with_change(mut fact: Fact, text: &str) -> Fact {
    if fact.change.is_none() && !fact.denied {
        fact.change = sentence::change(text);
    }
    fact
}

/// What a sentence states.
struct Stated<'s> {
    sentence: &'s str,
    /// The word that says that it takes the place of something.
    change: Option<&'s str>,
    statements: Vec<Statement>,
}

impl Stated<'_> {
    fn add(&mut self, part: &Part<'_>) {
        let Some(clause) = part.clause.as_ref().filter(|clause| !clause.hypothetical) else { return };
        // "which" and a bare verb go on about what the clause before is about.
        let subject = match &clause.subject {
            None if sentence::goes_on_about(part.joint) => {
                self.statements.last().and_then(|last| last.subject.clone())
            }
            subject => subject.clone(),
        };
        if clause.objects.is_empty() && matches!(&*clause.verb, "is" | "has") && !self.statements.is_empty() {
            self.add_again(part, subject.as_deref(), clause.negated);
            return;
        }
        if matches!(part.joint, "because" | "since") {
            self.add_reason(part);
        }
        if part.joint == "but" && !clause.negated && !clause.objects.is_empty() {
            self.deny_weighed(&predicate(clause, 0));
        }
        let denied = clause.negated || rejects(clause) || self.is_over(clause);
        if clause.objects.is_empty() {
            self.add_event(part, subject.as_deref(), clause);
        }
        for (at, (preposition, object)) in clause.objects.iter().enumerate() {
            // "I like it" is said of the speaker; "the cache fills it" of two things.
            if is_pronoun(object) && subject.as_deref().is_none_or(is_nobody) {
                continue;
            }
            let (object, not) = without_rejected(object);
            let role = subject.as_deref().filter(|_| sets(clause, preposition)).and_then(role);
            let (holder, predicate) = match role {
                Some((holder, role)) => (Some(holder), role),
                None => (subject.clone(), predicate(clause, at)),
            };
            let word =
                subject.as_deref().and_then(|subject| renewed(subject).1).filter(|_| holder != subject);
            // "We submit to the one rather than to the other."
            let refused = preposition
                .strip_prefix("than")
                .filter(|_| part.text.contains(" rather than "))
                .or_else(|| preposition.strip_prefix("not"));
            if let Some(preposition) = refused {
                let verb = format!("{} {}", clause.verb, preposition.trim());
                self.push(part, holder.as_deref(), verb.trim().to_owned(), object, true, None);
                continue;
            }
            self.push(part, holder.as_deref(), predicate.clone(), object, denied, word);
            if let Some(not) = not {
                self.push(part, holder.as_deref(), predicate, not, true, None);
            }
        }
        self.add_gift(part, clause, denied);
        self.add_handover(part, subject.as_deref(), clause);
        self.add_state(part, subject.as_deref(), clause);
        self.add_condition(part, subject.as_deref(), clause);
        self.add_owner(part, subject.as_deref(), clause);
        // "We signed with Koppla for payments" is about the payments more than about us.
        let own =
            clause.objects.iter().position(|(preposition, _)| preposition.is_empty() || preposition == "for");
        if let Some(own) = own.filter(|_| subject.as_deref().is_none_or(is_nobody)) {
            for (at, (_, object)) in clause.objects.iter().enumerate().filter(|(at, _)| *at != own) {
                self.push(part, Some(&clause.objects[own].1), predicate(clause, at), object, denied, None);
            }
        }
    }

    fn push(
        &mut self,
        part: &Part<'_>,
        subject: Option<&str>,
        predicate: String,
        object: &str,
        denied: bool,
        renewed_by: Option<&'static str>,
    ) {
        // "The new date is …" is the date's new value.
        let (subject, renewed) = match subject.map(renewed) {
            Some((bare, Some(word))) if Shape::of(object) != Shape::Plain => (Some(bare), Some(word)),
            _ => (subject, None),
        };
        // "A topic called raw" is raw, and raw is a topic.
        let called =
            apart::calls(object).filter(|(kind, name)| !kind.is_empty() && !name.is_empty() && !denied);
        if let Some((kind, name)) = called {
            self.push(part, subject, predicate, name, denied, renewed_by);
            self.push(part, Some(name), "is".to_owned(), kind, false, None);
            return;
        }
        let change = self.change.or(renewed).or(renewed_by).filter(|_| !denied);
        self.statements.push(Statement {
            subject: subject.map(str::to_owned),
            fact: Fact {
                subject: subject.unwrap_or_default().to_owned(),
                predicate,
                object: object.to_owned(),
                denied,
                change: change.map(str::to_owned),
                sentence: Some(self.sentence.to_owned()),
                clause: Some(part.text.trim().to_owned()).filter(|part| part != self.sentence),
                ..Fact::default()
            },
        });
    }

    /// "Okoro Hall rang": of what has a name it is kept that it did; of the rest nothing, but the next sentence may speak
    /// of it.
    fn add_event(&mut self, part: &Part<'_>, subject: Option<&str>, clause: &Clause) {
        let named = subject.is_some_and(|subject| tokens(subject).iter().any(Token::is_capital));
        let happened = verb::is_past(&clause.verb) || irregular::base_form(&clause.verb).is_some();
        let (predicate, object) = if named && happened && subject.is_none_or(|subject| !is_nobody(subject)) {
            ("has", &*clause.verb)
        } else {
            (&*clause.verb, "")
        };
        self.push(part, subject, predicate.to_owned(), object, clause.negated, None);
    }

    /// "I gave the readers 24 GB": so that is what they have.
    fn add_gift(&mut self, part: &Part<'_>, clause: &Clause, denied: bool) {
        if let [(before, whom), (beside, what), ..] = clause.objects.as_slice()
            && before.is_empty()
            && beside.is_empty()
            && clause::gives(&clause.verb)
        {
            self.push(part, Some(whom), "has".to_owned(), what, denied, None);
        }
    }

    /// "Lee takes over the incident": whoever takes it over has it from then on.
    fn add_handover(&mut self, part: &Part<'_>, subject: Option<&str>, clause: &Clause) {
        let takes = irregular::base_form(&clause.verb).unwrap_or(&clause.verb).trim_end_matches('s')
            == "take"
            || clause.verb.ends_with("taking");
        let replaces = matches!(
            &*clause.verb,
            "replaces" | "replaced" | "replacing" | "replace" | "succeeds" | "succeeded"
        );
        if let (Some(subject), true) = (subject, replaces && !clause.negated) {
            for (preposition, what) in
                clause.objects.iter().filter(|(preposition, _)| !preposition.is_empty())
            {
                match role(what).filter(|_| preposition == "as") {
                    Some((holder, role)) => {
                        self.push(part, Some(&holder), role, subject, false, Some("replaces"));
                    }
                    None if matches!(&**preposition, "on" | "for" | "at" | "in")
                        && Shape::of(what) != Shape::Time =>
                    {
                        self.push(
                            part,
                            Some(what),
                            "is assigned to".to_owned(),
                            subject,
                            false,
                            Some("replaces"),
                        );
                    }
                    None => {}
                }
            }
        }
        let over = clause.objects.iter().find(|(preposition, _)| preposition == "over");
        if let (Some((_, what)), Some(subject), true) = (over, subject, takes && !clause.negated) {
            self.push(part, Some(what), "is assigned to".to_owned(), subject, false, Some("over"));
        }
    }

    /// "The incident is resolved as of ten": where nothing but a time follows a participle, it says what state something is in.
    fn add_state(&mut self, part: &Part<'_>, subject: Option<&str>, clause: &Clause) {
        let timed = clause.objects.iter().all(|(preposition, object)| {
            matches!(&**preposition, "" | "as of" | "at" | "since") && Shape::of(object) == Shape::Time
        }) || is_rejected(clause);
        if let Some(state) = clause.verb.strip_prefix("is ")
            && timed
            && !clause.negated
        {
            self.push(part, subject, "is".to_owned(), state, false, None);
        }
    }

    /// "I can't begin the list until the map is done": what can't be done waits for what has to be before it; and so does
    /// what can't ship.
    fn add_condition(&mut self, part: &Part<'_>, subject: Option<&str>, clause: &Clause) {
        let waits = ["until", "before", "without", "unless"];
        let all = tokens(part.text);
        let first = all.iter().find(|token| waits.contains(&&*token.lower()));
        let Some(first) = first.filter(|_| clause.negated) else { return };
        let condition = &part.text[first.end..];
        let named = clause::read(condition).and_then(|condition| condition.subject);
        let Some(condition) = named.or_else(|| clause::thing(condition)) else { return };
        let before = |object: &str| part.text[..first.start].contains(object);
        let own = clause.objects.first().map(|(_, object)| &**object).filter(|object| before(object));
        let is_own = |subject: &&str| own.is_none() || is_named(subject) && !is_nobody(subject);
        let subject = subject.filter(is_own);
        for what in [own, subject].into_iter().flatten().filter(|what| *what != condition) {
            self.push(part, Some(what), "is blocked by".to_owned(), &condition, false, None);
        }
    }

    /// "The parser is Ada's" and "Kelp is Ada's baby" say whose it is.
    fn add_owner(&mut self, part: &Part<'_>, subject: Option<&str>, clause: &Clause) {
        let Some(subject) = subject.filter(|subject| !is_nobody(subject) && !is_pronoun(subject)) else {
            return;
        };
        let whose = clause.objects.first().filter(|(leads, _)| {
            leads.is_empty() && clause.verb == "is" && !clause.negated && !clause.hypothetical
        });
        let Some((_, whose)) = whose else { return };
        let Some((owner, what)) = whose.split_once("'s").or_else(|| whose.split_once("’s")) else { return };
        let is_name = tokens(owner).iter().all(|token| token.is_capital() && token.class.is_none());
        // "The blocker is Ada's branch" tells which branch it is, not whose the blocker is.
        let what = what.trim();
        let theirs =
            what.is_empty() || DUTIES.contains(&what) || is_named(subject) && Shape::of(what) == Shape::Plain;
        if is_name && theirs {
            self.push(part, Some(subject), "is owned by".to_owned(), owner, false, None);
        }
    }

    /// "It had a fault that is mended now": what was so is so no more.
    fn is_over(&self, clause: &Clause) -> bool {
        let since = ["now", "longer", "anymore", "instead", "formerly", "previously"];
        clause.verb == "had" && self.change.is_some_and(|change| since.contains(&change))
    }

    /// "Exports fail because the token expired": what comes after says why.
    fn add_reason(&mut self, part: &Part<'_>) {
        let Some(last) = self.statements.last().cloned() else { return };
        let verb = last.fact.predicate.split(' ').next().unwrap_or_default();
        let reason = part.text.trim_end_matches(['.', '!']);
        self.push(
            part,
            last.subject.as_deref(),
            format!("{verb} {}", part.joint).trim().to_owned(),
            reason,
            false,
            None,
        );
    }

    /// "Lena will not chair the panel, Omar will": the last clause says the same of another.
    fn add_again(&mut self, part: &Part<'_>, subject: Option<&str>, negated: bool) {
        let Some(subject) = subject else { return };
        let last = self.statements.last().and_then(|last| last.fact.clause.clone());
        let same: Vec<Statement> =
            self.statements.iter().filter(|statement| statement.fact.clause == last).cloned().collect();
        for mut statement in same {
            statement.subject = Some(subject.to_owned());
            subject.clone_into(&mut statement.fact.subject);
            statement.fact.denied = negated;
            let words = part.text.trim_end_matches(['.', '!']);
            let said = format!("{words} {} {}", statement.fact.predicate, statement.fact.object);
            statement.fact.clause = Some(said);
            self.statements.push(statement);
        }
    }

    /// "We looked at tin but stayed with steel" denies the first by the verb of the second.
    fn deny_weighed(&mut self, predicate: &str) {
        for statement in self.statements.iter_mut().filter(|statement| weighs(&statement.fact.predicate)) {
            statement.fact.denied = true;
            predicate.clone_into(&mut statement.fact.predicate);
        }
    }

    /// Names of a sentence that no clause accounts for belong to what the sentence is about.
    fn add_unaccounted(&mut self) {
        let main = self.statements.iter().find(|statement| !statement.fact.object.is_empty());
        let Some(main) = main.filter(|main| !main.fact.denied).cloned() else { return };
        let first = tokens(self.sentence).first().filter(|first| first.is_ordinary()).map(|first| first.text);
        for mention in mentions(plain::without_openings(self.sentence)) {
            // The first word owes its capital to its place.
            let is_name = mention.kind == MentionKind::Name && Some(mention.name.as_str()) != first;
            let mut stated = self.statements.iter().filter(|statement| !statement.fact.object.is_empty());
            let known = stated.any(|statement| {
                let (subject, object) =
                    (statement.subject.as_deref().unwrap_or_default(), &*statement.fact.object);
                subject.contains(&mention.name)
                    || object.contains(&mention.name)
                    || mention.name.contains(object)
            });
            if is_name && !known {
                let change = self.change.map(str::to_owned);
                let fact = Fact { subject: mention.name.clone(), change, ..main.fact.clone() };
                // "Ticket 12: Ada reports …" says of the ticket who reports it.
                let heads =
                    self.sentence.split_once(": ").is_some_and(|(head, _)| head.contains(&*mention.name));
                let named =
                    main.subject.as_deref().filter(|subject| heads && subject.contains(char::is_uppercase));
                if let Some(subject) = named {
                    let fact = Fact { object: subject.to_owned(), ..fact.clone() };
                    self.statements.push(Statement { subject: Some(mention.name.clone()), fact });
                }
                self.statements.push(Statement { subject: Some(mention.name), fact });
            }
        }
    }

    /// Has short sentences shown whole, and those whose clauses explain each other, unless a part of them denies something
    /// or says what could be.
    fn show_whole(&mut self, parts: &[Part<'_>]) {
        let bound = parts.iter().any(|part| matches!(part.joint, ":" | "because" | "since" | "so"));
        let words = self.sentence.split_whitespace().count();
        let doubtful = self.statements.iter().any(|statement| statement.fact.denied)
            || parts.iter().filter_map(|part| part.clause.as_ref()).any(|clause| clause.hypothetical);
        if !doubtful && words <= if bound { BOUND } else { SHORT } {
            self.statements.iter_mut().for_each(|statement| statement.fact.clause = None);
        }
    }
}
