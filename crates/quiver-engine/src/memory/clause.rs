//! Clauses: who does what to whom, by closed classes and the endings of English verbs. No model, no parser.

use quiver_language::{Class, Language};

use super::{
    apart, irregular,
    shape::Shape,
    token::{Token, tokens},
    verb::{self, Verb},
};

/// What follows a verb, with the preposition that leads to it.
type Object = (String, String);

/// The same as it is found, with what joins it to the one before it.
struct Found {
    joint: Joint,
    leading: String,
    phrase: String,
}

/// What stands before a thing of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    None,
    Comma,
    And,
}

/// A clause, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause {
    /// What it is about; `None` where the speaker leaves himself out: "Booked the room."
    pub(crate) subject: Option<String>,
    /// The verb, without auxiliaries and negations.
    pub(crate) verb: String,
    /// What follows the verb, each with the preposition that leads to it.
    pub(crate) objects: Vec<Object>,
    /// Whether the verb is negated.
    pub(crate) negated: bool,
    /// Whether it says what could be, not what is.
    pub(crate) hypothetical: bool,
}

/// Takes a clause apart; `None` where there is no verb with something after it.
pub(crate) fn read(text: &str) -> Option<Clause> {
    let all = tokens(text);
    let mut verb = verb::find(&all)?;
    let exists = exists(&all, &verb);
    let before = verb.group.start - usize::from(exists && verb.group.start > 0);
    let (mut fronted, mut subject) = subject(text, &all[..before]);
    if subject.is_none() && before > 0 {
        return None;
    }
    // "With the refund on its way I've lowered it": what a preposition leads to is no subject of a drawn one.
    let is_led = all[0].class == Some(Class::Preposition) && fronted.is_none();
    if is_led && !exists && verb::is_contracted(&all[verb.group.start].lower()) {
        fronted = subject.take().map(|phrase| (all[0].lower(), phrase));
    }
    // "It's waiting": the subject is drawn together with the auxiliary.
    let group = &all[verb.group.start];
    if subject.is_none() && !exists && verb::is_contracted(&group.lower()) {
        subject = group.text.split(['\'', '’']).next().map(str::to_owned);
    }
    let mut objects = objects(text, &all, verb.group.end);
    if gives(&verb.text) {
        objects = given(objects);
    }
    objects.extend(fronted);
    if exists {
        let preposition =
            all.first().filter(|first| first.class == Some(Class::Preposition)).map(Token::lower);
        objects.extend(subject.take().map(|place| (preposition.unwrap_or_default(), place)));
        let (what, rest) = place(objects)?;
        (subject, objects) = (Some(what), rest);
        "has".clone_into(&mut verb.text);
    }
    // "Floor 5 is back": so does what looks like an adverb or a preposition, where nothing follows it.
    if let Some(state) = particle(text, &all, &verb) {
        objects = vec![(String::new(), state)];
    }
    // "The picnic is cancelled": nothing follows, so the participle says what it is.
    if let Some(state) = verb.text.strip_prefix("is ").filter(|_| objects.is_empty()) {
        objects.push((String::new(), state.to_owned()));
        "is".clone_into(&mut verb.text);
    }
    let hypothetical = verb.hypothetical
        || all[..verb.group.start].iter().any(|token| verb::is_hypothetical(&token.lower()));
    (!objects.is_empty() || subject.is_some()).then_some(Clause {
        subject,
        verb: verb.text,
        objects,
        negated: verb.negated,
        hypothetical,
    })
}

/// The particle that says what state something is in: "is back", "is down".
fn particle(text: &str, all: &[Token<'_>], verb: &Verb) -> Option<String> {
    let ends = |at: usize| {
        let next = all.get(at + 1).map_or(text.len(), |next| next.start);
        at + 1 == all.len() || text[all[at].end..next].contains([',', ';', ':'])
    };
    let last = verb.group.end.checked_sub(1).filter(|at| verb.text == "is" && ends(*at));
    let back = last.filter(|at| matches!(&*all[*at].lower(), "back" | "away" | "together"));
    let next = Some(verb.group.end).filter(|at| verb.text == "is" && *at < all.len() && ends(*at));
    let down =
        next.filter(|at| matches!(&*all[*at].lower(), "down" | "up" | "off" | "on" | "out" | "over" | "in"));
    back.or(down).map(|at| all[at].lower())
}

/// Takes a clause apart that leaves out its subject.
pub(super) fn read_of(subject: &str, text: &str) -> Option<Clause> {
    read(&format!("{subject} {text}"))
}

/// The clause that a verb of wishing or asking leads to: "Legal wants the files kept for a year", "I asked Ina to lead it".
pub(super) fn within(text: &str) -> Option<Clause> {
    let all = tokens(text);
    let verb = verb::find(&all)?;
    if verb.negated || !verb::ASKING.contains(&&*verb.text) {
        return None;
    }
    let rest = &all[verb.group.end..];
    let at = rest.iter().enumerate().position(|(at, token)| {
        let lower = token.lower();
        let infinitive =
            lower == "to" && rest.get(at + 1).is_some_and(|next| next.class.is_none() && !next.is_capital());
        let participle =
            token.class.is_none() && (verb::is_past(&lower) || irregular::base_form(&lower).is_some());
        at > 0 && (infinitive || participle) && rest.len() > at + 2
    })?;
    let subject = phrase(text, &rest[..at]).filter(|subject| is_thing(subject))?;
    let does = &text[rest[at].start..];
    read_of("it", does.strip_prefix("to ").unwrap_or(does))
        .map(|clause| Clause { subject: Some(subject), ..clause })
}

/// What a text without a verb names first.
pub(super) fn thing(text: &str) -> Option<String> {
    objects(text, &tokens(text), 0).into_iter().next().map(|(_, thing)| thing)
}

/// Whether the verb of a clause begins with an auxiliary.
pub(super) fn begins_with_auxiliary(text: &str) -> bool {
    let all = tokens(text);
    verb::find(&all).is_some_and(|verb| all[verb.group.start].class == Some(Class::Auxiliary))
}

/// "There is", which says of what follows where it is.
fn exists(all: &[Token<'_>], verb: &Verb) -> bool {
    let there = |at: usize| matches!(&*all[at].lower(), "there" | "there's");
    // "The contact there is Ada": there, at a place.
    let at_place = |at: usize| at > 0 && all[at - 1].class.is_none();
    let before = verb.group.start.checked_sub(1);
    verb.text == "is" && (there(verb.group.start) || before.is_some_and(|at| there(at) && !at_place(at)))
}

/// What a thing that exists is in, at or with, and all else that was said: "There is a leak in the cellar" is said of the
/// cellar.
fn place(mut objects: Vec<Object>) -> Option<(String, Vec<Object>)> {
    let at = objects.iter().position(|(preposition, _)| !preposition.is_empty())?;
    let (_, what) = objects.remove(at);
    (!objects.is_empty()).then_some((what, objects))
}

/// What stands before the verb: the subject, and what was put before it ("For payments we …", "Spelt we …").
fn subject(text: &str, before: &[Token<'_>]) -> (Option<Object>, Option<String>) {
    let mut from = 0;
    // "For payments we …", "In spring the north field …": what the clause is about stands last.
    for (at, token) in before.iter().enumerate() {
        let breaks = at > 0 && text[before[at - 1].end..token.start].contains([',', ':', ';', '(', '—']);
        let opens = matches!(token.class, Some(Class::Determiner))
            && at > 0
            && before[..at].iter().any(|t| t.class == Some(Class::Preposition))
            && before[at - 1].class.is_none();
        if breaks || opens || matches!(token.class, Some(Class::Conjunction)) {
            from = if token.class == Some(Class::Conjunction) { at + 1 } else { at };
        }
    }
    from = from.min(before.len());
    if let Some(pronoun) = before[from..].iter().rposition(|token| is_subject_pronoun(&token.lower())) {
        from += pronoun;
    }
    let preposition = before.first().filter(|token| token.class == Some(Class::Preposition));
    // "Change of plan: the opening is moved": what a colon parts from the clause is no part of it.
    let parted = from > 0
        && before.get(from).is_some_and(|token| text[before[from - 1].end..token.start].contains(':'));
    let fronted = phrase(text, &before[..from]).filter(|phrase| is_thing(phrase) && !parted);
    let fronted = fronted.map(without_sentence_capital);
    let fronted = fronted.map(|phrase| (preposition.map(Token::lower).unwrap_or_default(), phrase));
    // "Growth no longer owns": the negation belongs to the verb.
    let negates = |token: &Token<'_>| matches!(&*token.lower(), "no" | "longer" | "never" | "hardly");
    let to = before.iter().rposition(|token| !negates(token)).map_or(from, |last| last + 1).max(from);
    // "I really like it": the rest belongs to the verb.
    let is_pronoun = before.get(from).is_some_and(|token| is_subject_pronoun(&token.lower()));
    let to = if is_pronoun { to.min(from + 1) } else { to };
    (fronted, phrase(text, &before[from..to]).map(without_sentence_capital))
}

/// A name without the capital that the beginning of a sentence gave it: `Filing deadline of Case_881`.
fn without_sentence_capital(phrase: String) -> String {
    let mut words = phrase.split(' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let ordinary = first.chars().skip(1).all(char::is_lowercase) && first.chars().count() > 2;
    let common = second.starts_with(char::is_lowercase) && Language::English.class(second).is_none();
    if ordinary && common { first.to_lowercase() + &phrase[first.len()..] } else { phrase }
}

fn is_subject_pronoun(lower: &str) -> bool {
    matches!(lower.split('\'').next().unwrap_or(lower), "i" | "we" | "you" | "they" | "he" | "she" | "it")
}

/// The words of a phrase, without articles and adverbs before them.
fn phrase(text: &str, tokens: &[Token<'_>]) -> Option<String> {
    let first = tokens.iter().position(|token| {
        let article = matches!(&*token.lower(), "the" | "a" | "an" | "some" | "any" | "no");
        !article && !matches!(token.class, Some(Class::Adverb | Class::Conjunction | Class::Preposition))
    })?;
    let last =
        tokens.iter().rposition(|token| !matches!(token.class, Some(Class::Adverb | Class::Preposition)))?;
    if last < first {
        return None;
    }
    let phrase = text[tokens[first].start..tokens[last].end].trim();
    (!phrase.is_empty()).then(|| phrase.to_owned())
}

/// What follows the verb: noun phrases, each with the prepositions that lead to it.
fn objects(text: &str, all: &[Token<'_>], from: usize) -> Vec<Object> {
    let mut objects: Vec<Found> = Vec::new();
    let mut prepositions: Vec<String> = Vec::new();
    let mut run: Vec<Token<'_>> = Vec::new();
    let mut joint = Joint::None;
    let flush = |run: &mut Vec<Token<'_>>,
                 prepositions: &mut Vec<String>,
                 objects: &mut Vec<Found>,
                 joint: &mut Joint| {
        // "HereMaps, not Google."
        if *joint == Joint::Comma && run.len() > 1 && run[0].lower() == "not" {
            prepositions.insert(0, "not".to_owned());
        }
        let points = run.len() == 1 && matches!(&*run[0].lower(), "this" | "that" | "these" | "those");
        let thing = if points && prepositions.is_empty() && objects.is_empty() {
            Some(run[0].lower())
        } else {
            phrase(text, run).filter(|phrase| is_thing(phrase))
        };
        if let Some(phrase) = thing {
            objects.push(Found { joint: *joint, leading: prepositions.join(" "), phrase });
        }
        if !run.is_empty() {
            *joint = Joint::None;
        }
        run.clear();
        prepositions.clear();
    };
    for (at, token) in all.iter().enumerate().skip(from) {
        let gap = if at > from { &text[all[at - 1].end..token.start] } else { "" };
        let lower = token.lower();
        if gap.contains([',', ':', '(', '—', '–']) {
            flush(&mut run, &mut prepositions, &mut objects, &mut joint);
            joint = if gap.starts_with(',') { Joint::Comma } else { Joint::None };
        }
        match token.class {
            // "church of Ellerby" is one thing.
            Some(Class::Preposition) if lower != "of" || run.is_empty() => {
                // "On 5 May, not on 3 May."
                let turned_down = joint == Joint::Comma && run.len() == 1 && run[0].lower() == "not";
                if !run.is_empty() {
                    flush(&mut run, &mut prepositions, &mut objects, &mut joint);
                }
                if turned_down {
                    prepositions.push("not".to_owned());
                }
                // "Instead of" turns down what follows.
                if lower != "of" || prepositions.last().is_none_or(|last| last != "not") {
                    prepositions.push(lower);
                }
            }
            Some(Class::Conjunction) if lower != "and" || run.is_empty() => {
                flush(&mut run, &mut prepositions, &mut objects, &mut joint);
                if lower == "and" && joint == Joint::Comma {
                    joint = Joint::And;
                }
                if lower == "because" {
                    prepositions.push(lower);
                } else if lower == "instead" {
                    prepositions.push("not".to_owned());
                }
            }
            Some(Class::Pronoun | Class::Auxiliary) if !matches!(&*lower, "one") => {
                let is_direct = run.is_empty() && prepositions.is_empty() && at == from;
                let leading = if run.is_empty() { prepositions.join(" ") } else { String::new() };
                flush(&mut run, &mut prepositions, &mut objects, &mut joint);
                let pointed = matches!(&*lower, "it" | "them" | "him");
                if pointed && (is_direct || !leading.is_empty()) {
                    prepositions.clear();
                    objects.push(Found { joint: Joint::None, leading, phrase: lower });
                }
            }
            // "kernel 6.8 last night": so does a time.
            None if begins_time(all, at) => {
                flush(&mut run, &mut prepositions, &mut objects, &mut joint);
                run.push(*token);
            }
            // "spelt this year": an article begins another phrase.
            Some(Class::Determiner) if run.last().is_some_and(|last| last.class.is_none()) => {
                flush(&mut run, &mut prepositions, &mut objects, &mut joint);
                run.push(*token);
            }
            _ => run.push(*token),
        }
    }
    flush(&mut run, &mut prepositions, &mut objects, &mut joint);
    listed(objects)
}

/// The parts of lists, each on its own, and led to as the first of them: "owns billing, search and auth".
fn listed(found: Vec<Found>) -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::with_capacity(found.len());
    // Where the list may begin that an "and" may end.
    let mut from = 0;
    for Found { joint, leading, phrase: what } in found {
        if joint == Joint::None || !leading.is_empty() {
            from = objects.len();
        }
        let list: Vec<&str> =
            objects[from..].iter().map(|(_, object)| object.as_str()).chain([what.as_str()]).collect();
        let list = match joint {
            Joint::And => format!("{} and {what}", list[..list.len() - 1].join(", ")),
            _ => list.join(", "),
        };
        let Some(items) = apart::items(&list) else {
            objects.push((leading, what));
            continue;
        };
        let leading = objects.get(from).map_or(leading, |(leading, _)| leading.clone());
        objects.truncate(from);
        let bare = |item: &str| phrase(item, &tokens(item)).unwrap_or_else(|| item.to_owned());
        objects.extend(items.into_iter().map(|item| (leading.clone(), bare(item))));
    }
    objects
}

/// Whether a verb is one of giving something to somebody.
pub(super) fn gives(verb: &str) -> bool {
    const GIVING: &[&str] =
        &["give", "grant", "offer", "assign", "allot", "allocate", "award", "lend", "owe"];
    let last = verb.rsplit(' ').next().unwrap_or_default();
    let base = irregular::base_form(last).unwrap_or(last);
    let stems = ["", "s", "d", "ed", "ing"];
    GIVING.iter().any(|giving| {
        let bare = giving.trim_end_matches('e');
        stems
            .iter()
            .any(|ending| base.strip_suffix(ending).is_some_and(|stem| stem == *giving || stem == bare))
    })
}

/// "Gave the readers 24 GB" and "granted Marco access" give one thing to another.
fn given(mut objects: Vec<Object>) -> Vec<Object> {
    let Some((leads, both)) = objects.first().filter(|(leads, _)| leads.is_empty()).cloned() else {
        return objects;
    };
    let all = tokens(&both);
    let number = |token: &Token<'_>| token.text.starts_with(|c: char| c.is_numeric() || "$€£".contains(c));
    let split = (1..all.len()).find(|at| {
        let (before, token) = (&all[at - 1], &all[*at]);
        number(token) && before.class.is_none() && !before.is_capital()
            || before.class.is_none()
                && before.is_capital()
                && !number(before)
                && token.class.is_none()
                && !token.is_capital()
    });
    if let Some(at) = split {
        let (whom, what) = (both[..all[at].start].trim_end(), &both[all[at].start..]);
        objects.splice(..1, [(leads.clone(), whom.to_owned()), (leads, what.to_owned())]);
    }
    objects
}

/// Whether "last", "next" or the like stands before a time.
fn begins_time(all: &[Token<'_>], at: usize) -> bool {
    matches!(&*all[at].lower(), "last" | "next" | "tonight")
        && all.get(at + 1).is_none_or(|next| Shape::of(next.text) == Shape::Time || next.class.is_some())
}

/// Whether a phrase names something: it has a word that is no function word.
fn is_thing(phrase: &str) -> bool {
    tokens(phrase)
        .iter()
        .any(|token| token.class.is_none() || token.is_capital() || is_counted(&token.lower()))
}

fn is_counted(lower: &str) -> bool {
    matches!(
        lower,
        "two"
            | "three"
            | "four"
            | "five"
            | "six"
            | "seven"
            | "eight"
            | "nine"
            | "ten"
            | "eleven"
            | "twelve"
            | "noon"
    )
}
