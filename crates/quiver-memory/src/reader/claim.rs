//! Checks the facts that a reader claims to have read, for readers that may be wrong, such as language models.
//!
//! A claim stands only if one clause of the turn states it and nothing else: the quoted span is in the turn, the clause
//! begins with the subject and ends with the object, and every word between them belongs to the predicate or adds
//! nothing. So a claim can't turn a relation round, take one thing for another, or make a fact of a question, a guess or
//! a denial. Guesses, hearsay and dates are recognised in English only.

mod clause;

use std::fmt;

use quiver_language::{
    read,
    sentence::statements,
    statement::{self, Statement},
    text::collapse_spaces,
};

use crate::{calendar::from_civil, when};

use super::{
    ReadFact, TurnToRead,
    life::is_jest,
    validity::{Validity, validity},
    word::words,
};

use self::clause::Clause;

/// Maximum number of words in a subject or an object.
const END_WORDS_MAX: usize = 8;
/// Maximum number of words in a predicate.
const PREDICATE_WORDS_MAX: usize = 6;
/// Maximum number of words in a date.
const DATE_WORDS_MAX: usize = 5;

/// A fact that a reader claims to have read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The span of the turn that states the fact, as it is in the turn.
    pub quote: String,
    /// The subject: a name in the quote, the speaker for "I", or a name said before for "he", "she", "it" or "they".
    pub subject: String,
    /// The predicate, in words of the quote.
    pub predicate: String,
    /// The object, under the same conditions as the subject.
    pub object: String,
    /// The start of the fact's validity: a year, a month `2024-05`, or a day `2024-05-17`.
    pub from: Option<String>,
    /// The end of its validity, inclusive.
    pub to: Option<String>,
    /// Whether the quote denies the fact or says that it no longer holds.
    pub denied: bool,
}

/// A claim that the turn states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The fact.
    pub fact: ReadFact,
    /// The claimed start of its validity, if the sentence does not say it. The fact is kept without it.
    pub unsaid_date: Option<String>,
}

/// Why a claim does not stand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfounded {
    /// The quote is not in the turn, or not within one sentence of it.
    Quote,
    /// The sentence is a question.
    Question,
    /// The sentence repeats the words of somebody else, or is not prose.
    Quotation,
    /// A word makes the sentence a guess, a wish, a condition, a plan, hearsay or a joke.
    Uncertain {
        /// The word.
        word: String,
    },
    /// The sentence denies something, and the claim does not say so.
    Negated,
    /// The claim is a denial, and the quote denies nothing.
    NotNegated,
    /// The subject or object is empty, too long, or a word that only its context explains.
    Vague {
        /// The subject or object.
        name: String,
    },
    /// The quote does not say the subject or object, and no word in it refers to it.
    End {
        /// The subject or object.
        name: String,
    },
    /// No clause of the quote states the predicate of these two in this direction, and nothing besides.
    Predicate {
        /// The predicate.
        predicate: String,
    },
    /// The sentence does not say when the fact ends.
    EndDate {
        /// The date.
        date: String,
    },
}

impl fmt::Display for Unfounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quote => f.write_str("no sentence of the turn contains the quote"),
            Self::Question => f.write_str("it is a question"),
            Self::Quotation => f.write_str("the sentence repeats somebody else or is not prose"),
            Self::Uncertain { word } => write!(f, "“{word}” makes it uncertain"),
            Self::Negated => f.write_str("the sentence denies something"),
            Self::NotNegated => f.write_str("the quote denies nothing"),
            Self::Vague { name } => write!(f, "{name:?} does not identify anything"),
            Self::End { name } => write!(f, "the quote does not say {name:?}"),
            Self::Predicate { predicate } => write!(f, "the quote does not say {predicate:?} of these two"),
            Self::EndDate { date } => write!(f, "the sentence does not say the end {date}"),
        }
    }
}

/// Checks a claim against its turn.
///
/// ```
/// use quiver_memory::reader::{Claim, TurnToRead, check};
///
/// let turn = TurnToRead { text: "Redis is looked after by Mo.", ..TurnToRead::default() };
/// let claim = Claim {
///     quote: "Redis is looked after by Mo".to_owned(),
///     subject: "Redis".to_owned(),
///     predicate: "is looked after by".to_owned(),
///     object: "Mo".to_owned(),
///     ..Claim::default()
/// };
/// assert!(check(&claim, &turn).is_ok());
/// let turned_round = Claim { predicate: "looked after".to_owned(), ..claim };
/// assert!(check(&turned_round, &turn).is_err());
/// ```
///
/// # Errors
/// Returns why the claim does not stand.
pub fn check(claim: &Claim, turn: &TurnToRead<'_>) -> Result<Checked, Unfounded> {
    let quote = claim.quote.trim();
    let (sentence, start) = sentence_of(turn.text, quote).ok_or(Unfounded::Quote)?;
    if let Some(joke) = read(turn.text).tokens.iter().find(|token| is_jest(&token.norm)) {
        return Err(Unfounded::Uncertain { word: joke.norm.to_string() });
    }
    let from = start.within;
    let clause = Clause::new(sentence, from..from + quote.len(), turn, start.in_turn);
    clause.is_asserted(claim.denied)?;
    let [subject, object] = [named(&claim.subject)?, named(&claim.object)?];
    let predicate = collapse_spaces(&claim.predicate);
    let count = predicate.split(' ').count();
    if predicate.is_empty()
        || count > PREDICATE_WORDS_MAX
        || !clause.states(&subject, &predicate, &object, claim.denied)?
    {
        return Err(Unfounded::Predicate { predicate });
    }
    let (validity, unsaid_date) = validity_of(claim, sentence, turn.time)?;
    let change = validity.is_change.then(|| "from now on".to_owned());
    let word = || clause.words().find(|word| statement::says(word, Statement::Change)).map(str::to_owned);
    let fact = ReadFact {
        subject,
        predicate,
        object,
        sentence: sentence.to_owned(),
        valid_from: validity.from,
        valid_to: validity.to,
        denied: claim.denied,
        change: change.or_else(word).filter(|_| !claim.denied),
        clause: (quote != sentence).then(|| quote.to_owned()),
        reader: None,
    };
    Ok(Checked { fact, unsaid_date })
}

/// The position of a quote.
struct Start {
    /// In its sentence.
    within: usize,
    /// In its turn.
    in_turn: usize,
}

/// Returns the sentence that contains a quote as a whole, with the quote's position.
fn sentence_of<'t>(text: &'t str, quote: &str) -> Option<(&'t str, Start)> {
    if quote.is_empty() {
        return None;
    }
    statements(text).into_iter().find_map(|range| {
        let sentence = &text[range.clone()];
        let within = sentence.find(quote)?;
        Some((sentence, Start { within, in_turn: range.start + within }))
    })
}

/// Returns a subject or object without its article, if it can identify something.
fn named(name: &str) -> Result<String, Unfounded> {
    let whole = collapse_spaces(name);
    let article = ["the ", "a ", "an "]
        .into_iter()
        .find(|article| whole.get(..article.len()).is_some_and(|start| start.eq_ignore_ascii_case(article)));
    let bare = &whole[article.map_or(0, str::len)..];
    let tokens = read(bare).tokens;
    let is_vague = tokens.iter().all(|token| statement::says(&token.norm, Statement::Vague));
    if is_vague || tokens.len() > END_WORDS_MAX {
        return Err(Unfounded::Vague { name: name.to_owned() });
    }
    Ok(bare.to_owned())
}

/// Returns when a claimed fact is valid. What the rules read from the sentence counts. Otherwise the claimed dates count
/// if the sentence says them: without the end that it says, a fact would hold forever, so a wrong end is an error.
fn validity_of(claim: &Claim, sentence: &str, time: i64) -> Result<(Validity, Option<String>), Unfounded> {
    let mut read = words(sentence).map(|mut words| validity(&mut words, time)).unwrap_or_default();
    if read.from.is_some() || read.to.is_some() {
        return Ok((read, None));
    }
    if let Some(date) = claim.to.as_deref().filter(|date| !date.is_empty()) {
        let end = said_date(date, Edge::End, sentence, time);
        read.to = Some(end.ok_or_else(|| Unfounded::EndDate { date: date.to_owned() })?);
    }
    let from = claim.from.as_deref().filter(|date| !date.is_empty());
    read.from = from.and_then(|date| said_date(date, Edge::Begin, sentence, time));
    let unsaid = from.filter(|_| read.from.is_none()).map(str::to_owned);
    if let (Some(from), Some(to)) = (read.from, read.to)
        && from >= to
    {
        return Err(Unfounded::EndDate { date: claim.to.clone().unwrap_or_default() });
    }
    Ok((read, unsaid))
}

/// Which end of a period a date stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Begin,
    End,
}

/// Returns a claimed date as a moment if words of the sentence name it, and name it as this end of a period.
fn said_date(date: &str, edge: Edge, sentence: &str, time: i64) -> Option<i64> {
    let (begin, end) = period(date)?;
    let tokens = read(sentence).tokens;
    let lower: Vec<&str> = tokens.iter().map(|token| token.norm.as_ref()).collect();
    let is_said = (0..lower.len()).any(|at| {
        (at + 1..=lower.len().min(at + DATE_WORDS_MAX)).any(|to| {
            let says = when::stated(&lower[at..to], time);
            let before = at.checked_sub(1).map(|before| lower[before]);
            let ends = matches!(before, Some("until" | "till" | "to" | "through"));
            let says = says.is_some_and(|range| match edge {
                Edge::Begin => range.from == begin,
                Edge::End => range.to == end,
            });
            says && ends == (edge == Edge::End)
        })
    });
    is_said.then_some(if edge == Edge::Begin { begin } else { end })
}

/// Returns the start and the end of a year, month or day, in milliseconds since 1970.
fn period(date: &str) -> Option<(i64, i64)> {
    let parts: Vec<&str> = date.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let numbers: Option<Vec<i64>> = parts
        .iter()
        .map(|part| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten())
        .collect();
    let (begin, end) = match (lengths.as_slice(), numbers?.as_slice()) {
        ([4], [year]) => (from_civil(*year, 1, 1), from_civil(year + 1, 1, 1)),
        ([4, 2], [year, month @ 1..=12]) => (from_civil(*year, *month, 1), from_civil(*year, month + 1, 1)),
        ([4, 2, 2], [year, month @ 1..=12, day @ 1..=31]) => {
            (from_civil(*year, *month, *day), from_civil(*year, *month, day + 1))
        }
        _ => return None,
    };
    Some((begin, end))
}

#[cfg(test)]
mod tests;
