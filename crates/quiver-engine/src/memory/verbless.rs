//! Statements that no verb makes: a label and its value, and sentences whose grammar is not known.

use crate::extract::words::{Language, class, language};

use super::{statement::Statement, turn::Fact, wording::role};

/// `Storage backend: PostgreSQL.`
pub(super) fn without_verb(sentence: &str, change: Option<&str>) -> Option<Statement> {
    let (subject, object) = sentence.split_once(": ").or_else(|| sentence.split_once(" = "))?;
    let object = object.trim_end_matches(['.', '!']).trim();
    let short = |part: &str| !part.is_empty() && part.split_whitespace().count() <= 6;
    let (subject, predicate) = role(subject).unwrap_or_else(|| (subject.to_owned(), "is".to_owned()));
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

/// A sentence whose grammar is not known: what it begins with, and what it goes on to say. It is found by its words.
pub(super) fn in_another_language(sentence: &str) -> Option<Statement> {
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
