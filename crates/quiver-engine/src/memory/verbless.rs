//! Statements that no verb makes: a label and its value, and sentences whose grammar is not known.

use quiver_language::{Class, Language};

use super::{shape::is_identifier, statement::Statement, token::tokens, turn::Fact, wording::role};

/// `Storage backend: PostgreSQL.`
pub(super) fn without_verb(sentence: &str, change: Option<&str>) -> Option<Statement> {
    let (subject, object) = sentence.split_once(": ").or_else(|| sentence.split_once(" = "))?;
    let object = object.trim_end_matches(['.', '!']).trim();
    let short = |part: &str| !part.is_empty() && part.split_whitespace().count() <= 6;
    let (subject, predicate) =
        role(subject).or_else(|| labelled(subject)).unwrap_or_else(|| (subject.to_owned(), "is".to_owned()));
    (short(&subject) && short(object)).then(|| Statement {
        subject: Some(subject.clone()),
        fact: Fact {
            subject: subject.clone(),
            predicate,
            object: object.to_owned(),
            change: change.map(str::to_owned),
            sentence: Some(sentence.to_owned()),
            ..Fact::default()
        },
    })
}

/// "tile-loader: owner = Lu, runtime = 50 min" and "feed: sat-2, provider: Orbita": values of the thing that is named first.
pub(super) fn labels(sentence: &str, change: Option<&str>) -> Vec<Statement> {
    let bare = sentence.trim_end_matches(['.', '!']);
    let label = |part: &str| -> Option<(String, String)> {
        let (label, value) = part.split_once(" = ").or_else(|| part.split_once(": "))?;
        let short = label.split_whitespace().count() <= 3 && value.split_whitespace().count() <= 5;
        let common = label.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-'));
        (short && common && !value.contains(['=', ':']))
            .then(|| (label.trim().to_lowercase(), value.trim().to_owned()))
    };
    let read = |list: &str| list.split(", ").map(label).collect::<Option<Vec<_>>>();
    let headed = bare.split_once(": ").filter(|(head, _)| is_identifier(head) && !head.contains(' '));
    let found = headed.and_then(|(head, list)| Some((head.to_owned(), read(list)?)));
    let found = found.or_else(|| {
        let mut values = read(bare)?;
        let (_, first) =
            values.first().cloned().filter(|(_, first)| is_identifier(first) && !first.contains(' '))?;
        values.remove(0);
        (!values.is_empty()).then_some((first, values))
    });
    let Some((holder, values)) = found else { return Vec::new() };
    let state = |(label, value): (String, String)| Statement {
        subject: Some(holder.clone()),
        fact: Fact {
            subject: holder.clone(),
            predicate: label,
            object: value,
            change: change.map(str::to_owned),
            sentence: Some(sentence.to_owned()),
            ..Fact::default()
        },
    };
    values.into_iter().map(state).collect()
}

/// "WH-118 root cause" is the root cause of WH-118.
fn labelled(subject: &str) -> Option<(String, String)> {
    let (holder, role) = subject.split_once(' ')?;
    let common = role.chars().all(|c| c.is_lowercase() || matches!(c, ' ' | '-'));
    (is_identifier(holder) && common).then(|| (holder.to_owned(), role.to_owned()))
}

/// "redis-7 still evicting, redis-4 fine" and "Owner: Dana, due: Friday": what short messages leave out is the verb.
pub(super) fn in_short(sentence: &str, change: Option<&str>) -> Vec<Statement> {
    let bare = sentence.trim_end_matches(['.', '!']);
    let parts: Vec<&str> = bare.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let said = parts.iter().filter_map(|part| {
        if parts.len() > 1
            && let Some(labelled) = without_verb(part, change)
        {
            return Some(Statement {
                fact: Fact { sentence: Some(sentence.to_owned()), ..labelled.fact },
                ..labelled
            });
        }
        let (subject, state) = part.split_once(' ')?;
        let words = tokens(state);
        let state = &state[words.iter().find(|word| word.class != Some(Class::Adverb))?.start..];
        let is_state = words.len() <= 4 && !words.iter().any(|word| word.class == Some(Class::Pronoun));
        (is_identifier(subject) && is_state).then(|| Statement {
            subject: Some(subject.to_owned()),
            fact: Fact {
                subject: subject.to_owned(),
                predicate: "is".to_owned(),
                object: state.to_owned(),
                change: change.map(str::to_owned),
                sentence: Some(sentence.to_owned()),
                clause: Some((*part).to_owned()).filter(|part| part != sentence),
                ..Fact::default()
            },
        })
    });
    said.collect()
}

/// A sentence whose grammar is not known: what it begins with, and what it goes on to say. It is found by its words.
pub(super) fn in_another_language(sentence: &str) -> Option<Statement> {
    let words: Vec<&str> =
        sentence.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let language = Language::of(
        words.iter().map(|word| word.to_lowercase()).collect::<Vec<_>>().iter().map(String::as_str),
    );
    if sentence.is_ascii() && language == Language::English {
        return None;
    }
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    let content = |word: &&&str| !word.is_empty() && language.class(&word.to_lowercase()).is_none();
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
