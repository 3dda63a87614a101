//! Statements in the text of a turn: what it asserts and denies, without chatter, questions and what could be.

use crate::{
    chunk::sentences,
    extract::{
        MentionKind, mentions,
        words::{Language, class, language},
    },
};

use super::{
    clause::{self, Clause},
    lexicon,
    turn::Fact,
};

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
    pub(crate) takes_back: bool,
}

/// Reads statements.
pub(crate) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    for range in sentences(text) {
        let sentence = text[range].trim();
        if takes_back(sentence) {
            reading.takes_back = true;
            continue;
        }
        if is_question(sentence) {
            continue;
        }
        let change = change(sentence);
        let before = reading.statements.len();
        for clause in clauses(sentence) {
            add(&mut reading.statements, clause, sentence, change.as_deref());
        }
        add_unaccounted(&mut reading.statements, sentence, change.as_deref(), before);
        if reading.statements.len() == before && !is_supposed(sentence) {
            let statement = without_verb(sentence, change.as_deref());
            reading.statements.extend(statement.or_else(|| in_another_language(sentence)));
        }
    }
    reading
}

/// Marks a given fact by the wording of its turn.
pub(crate) fn with_change(mut fact: Fact, text: &str) -> Fact {
    if fact.change.is_none() && !fact.denied {
        fact.change = change(text);
    }
    fact
}

/// The word that says that something took the place of something else.
fn change(sentence: &str) -> Option<String> {
    clause::tokens(sentence)
        .iter()
        .map(|token| token.text.to_lowercase())
        .find(|word| lexicon::CHANGES.contains(&word.as_str()))
}

fn is_question(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let tags = [", right?", ", isn't it?", ", correct?", ", ok?", ", okay?", ", yes?"];
    if tags.iter().any(|tag| lower.ends_with(tag)) {
        return false;
    }
    let asks =
        ["what ", "which ", "who ", "whom ", "whose ", "how ", "remind me", "tell me", "where is", "when is"];
    lower.ends_with(['?', '？']) || asks.iter().any(|word| lower.starts_with(word))
}

/// Whether a sentence takes back what was said before it.
fn takes_back(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    let lower = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    matches!(
        lower,
        "scratch that"
            | "never mind"
            | "that was wrong"
            | "that's wrong"
            | "forget that"
            | "ignore that"
            | "i was wrong"
            | "that is wrong"
            | "disregard that"
            | "strike that"
            | "forget what i said"
            | "ignore what i said"
            | "i take that back"
            | "that was a mistake"
            | "that was my mistake"
            | "that is not true"
            | "that's not true"
    )
}

fn is_supposed(sentence: &str) -> bool {
    clause::tokens(sentence).iter().any(|token| clause::is_hypothetical(&token.text.to_lowercase()))
}

/// The clauses of a sentence, with the word that joins each to the one before it.
fn clauses(sentence: &str) -> Vec<(String, &str, Option<Clause>)> {
    let mut found = Vec::new();
    // What depends on an "if" is supposed as a whole.
    let first = clause::tokens(sentence).first().map(|token| token.text.to_lowercase()).unwrap_or_default();
    if matches!(&*first, "if" | "suppose" | "imagine" | "unless" | "maybe" | "perhaps" | "assuming") {
        return found;
    }
    for (joint, part) in parts(sentence) {
        let clause = clause::read(part);
        found.push((joint, part, clause));
    }
    found
}

/// Cuts a sentence where a new clause may begin.
fn parts(sentence: &str) -> Vec<(String, &str)> {
    const JOINTS: &[&str] = &[
        "; ",
        " — ",
        " – ",
        ", but ",
        " but ",
        ", so ",
        ", and ",
        ", which ",
        ", who ",
        ", because ",
        ", while ",
        ", after ",
        ", before ",
        ", when ",
        ", since ",
        " because ",
        " that ",
        ": ",
        ", ",
    ];
    let mut parts = vec![(String::new(), sentence)];
    for joint in JOINTS {
        parts = parts
            .into_iter()
            .flat_map(|(before, part)| {
                let mut rest = part;
                let mut cut = Vec::new();
                let mut word = before;
                let mut from = 0;
                while let Some(at) = rest[from..].find(joint).map(|at| from + at) {
                    let (left, right) = (&rest[..at], &rest[at + joint.len()..]);
                    // A comma alone parts clauses only where both sides are clauses.
                    let both = clause::read(left).is_some() && starts_clause(right);
                    if both
                        || (!matches!(*joint, ", " | ", and " | " that " | ": ")
                            && clause::read(left).is_some())
                    {
                        cut.push((std::mem::take(&mut word), left));
                        joint.trim_matches([' ', ',', ';']).clone_into(&mut word);
                        rest = right;
                        from = 0;
                    } else {
                        from = at + joint.len();
                    }
                }
                cut.push((word, rest));
                cut
            })
            .collect();
    }
    parts
}

/// Whether a part has a subject of its own.
fn starts_clause(part: &str) -> bool {
    clause::read(part).is_some_and(|clause| clause.subject.is_some())
}

fn add(
    statements: &mut Vec<Statement>,
    (joint, part, clause): (String, &str, Option<Clause>),
    sentence: &str,
    change: Option<&str>,
) {
    let Some(clause) = clause else { return };
    if clause.hypothetical {
        return;
    }
    // "which" and a bare verb go on about what the clause before is about.
    let subject = match &clause.subject {
        None if !joint.is_empty() => statements.last().and_then(|last| last.subject.clone()),
        subject => subject.clone(),
    };
    // "We looked at MySQL but stayed with PostgreSQL" denies the first by the verb of the second.
    if joint == "but" && !clause.negated && !clause.objects.is_empty() {
        let predicate = predicate(&clause, 0);
        for statement in statements.iter_mut().filter(|statement| weighs(&statement.fact.predicate)) {
            statement.fact.denied = true;
            statement.fact.predicate.clone_from(&predicate);
        }
    }
    let said = |subject: Option<&str>, predicate: String, object: &str, denied: bool| Statement {
        subject: subject.map(str::to_owned),
        fact: Fact {
            subject: subject.unwrap_or_default().to_owned(),
            predicate,
            object: object.to_owned(),
            denied,
            change: change.filter(|_| !denied).map(str::to_owned),
            sentence: Some(sentence.to_owned()),
            clause: Some(part.trim().to_owned()).filter(|part| part != sentence),
            ..Fact::default()
        },
    };
    let denied = clause.negated || rejects(&clause.verb);
    if clause.objects.is_empty() {
        // "Okoro Hall rang." states nothing that is kept, but the next sentence may speak of it.
        statements.push(said(subject.as_deref(), String::new(), "", false));
    }
    for (at, (_, object)) in clause.objects.iter().enumerate() {
        let (object, not) = without_rejected(object);
        statements.push(said(subject.as_deref(), predicate(&clause, at), object, denied));
        if let Some(not) = not {
            statements.push(said(subject.as_deref(), predicate(&clause, at), not, true));
        }
    }
    // "We signed with Koppla for payments" is about the payments more than about us.
    let own =
        clause.objects.iter().position(|(preposition, _)| preposition.is_empty() || preposition == "for");
    if let Some(own) = own.filter(|_| subject.as_deref().is_none_or(is_nobody)) {
        for (at, (_, object)) in clause.objects.iter().enumerate().filter(|(at, _)| *at != own) {
            statements.push(said(Some(&clause.objects[own].1), predicate(&clause, at), object, denied));
        }
    }
}

/// Whether a subject is whoever speaks, so that the sentence is about something else.
fn is_nobody(subject: &str) -> bool {
    matches!(
        subject.to_lowercase().split(['\'', '’']).next().unwrap_or_default(),
        "i" | "we" | "you" | "they" | "someone" | "somebody"
    )
}

/// Names of a sentence that no clause accounts for belong to what the sentence is about.
fn add_unaccounted(statements: &mut Vec<Statement>, sentence: &str, change: Option<&str>, before: usize) {
    let Some(main) = statements[before..].iter().find(|statement| !statement.fact.object.is_empty()).cloned()
    else {
        return;
    };
    for mention in mentions(sentence) {
        let is_name = mention.kind == MentionKind::Name;
        let stated = statements[before..].iter().filter(|statement| !statement.fact.object.is_empty());
        let known = stated.into_iter().any(|statement| {
            let subject = statement.subject.as_deref().unwrap_or_default();
            subject.contains(&mention.name)
                || statement.fact.object.contains(&mention.name)
                || mention.name.contains(&statement.fact.object)
        });
        if is_name && !known && !main.fact.denied {
            let fact = Fact {
                subject: mention.name.clone(),
                change: change.map(str::to_owned),
                ..main.fact.clone()
            };
            statements.push(Statement { subject: Some(mention.name), fact });
        }
    }
}

/// The words that lead to an object.
fn predicate(clause: &Clause, at: usize) -> String {
    let (preposition, _) = &clause.objects[at];
    if preposition.is_empty() { clause.verb.clone() } else { format!("{} {preposition}", clause.verb) }
}

/// Verbs of looking at something without taking it.
fn weighs(predicate: &str) -> bool {
    let first = predicate.split(' ').find(|word| *word != "is").unwrap_or_default();
    matches!(
        first,
        "looked"
            | "considered"
            | "evaluated"
            | "tried"
            | "tested"
            | "discussed"
            | "compared"
            | "thought"
            | "weighed"
            | "wanted"
            | "planned"
            | "proposed"
    )
}

/// Verbs that turn something down.
fn rejects(verb: &str) -> bool {
    matches!(
        verb.trim_start_matches("is "),
        "rejected" | "dropped" | "abandoned" | "discarded" | "declined" | "refused" | "scrapped" | "avoided"
    )
}

/// `PostgreSQL instead of MySQL` asserts the one and denies the other.
fn without_rejected(object: &str) -> (&str, Option<&str>) {
    for joint in [" instead of ", " rather than ", " and not ", ", not "] {
        if let Some((taken, left)) = object.split_once(joint) {
            return (taken, Some(left));
        }
    }
    (object, None)
}

/// A sentence whose grammar is not known: what it begins with, and what it goes on to say. It is found by its words.
fn in_another_language(sentence: &str) -> Option<Statement> {
    let words: Vec<&str> =
        sentence.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let language =
        language(words.iter().map(|word| word.to_lowercase()).collect::<Vec<_>>().iter().map(String::as_str));
    if sentence.is_ascii() && language == Language::English {
        return None;
    }
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    let content = |word: &&&str| !word.is_empty() && class(&word.to_lowercase(), language).is_none();
    let (subject, object) = match bare.split_once(['は', 'が', '是', '在']) {
        Some((subject, object)) if !subject.contains(' ') && !object.is_empty() => {
            (subject.to_owned(), object.to_owned())
        }
        _ => {
            let subject = words.iter().find(content)?;
            let after = &bare[bare.find(*subject)? + subject.len()..];
            ((*subject).to_owned(), after.trim().to_owned())
        }
    };
    (!object.is_empty()).then(|| Statement {
        subject: Some(subject.clone()),
        fact: Fact {
            subject,
            predicate: "says".to_owned(),
            object,
            sentence: Some(sentence.to_owned()),
            ..Fact::default()
        },
    })
}

/// `Storage backend: PostgreSQL.`
fn without_verb(sentence: &str, change: Option<&str>) -> Option<Statement> {
    let (subject, object) = sentence.split_once(": ").or_else(|| sentence.split_once(" = "))?;
    let object = object.trim_end_matches(['.', '!']).trim();
    let short = |part: &str| !part.is_empty() && part.split_whitespace().count() <= 6;
    (short(subject) && short(object)).then(|| Statement {
        subject: Some(subject.to_owned()),
        fact: Fact {
            subject: subject.to_owned(),
            predicate: "is".to_owned(),
            object: object.to_owned(),
            change: change.map(str::to_owned),
            sentence: Some(sentence.to_owned()),
            ..Fact::default()
        },
    })
}
