//! Extracts clauses as spans of the text: who does what to whom, where and when, with negation and modality.
//!
//! The parser is small and strict. It returns a clause only if every word of the span has a role in it and there is
//! no second reading. Questions, imperatives, conditionals, relative clauses and everything else that does not fit
//! return nothing. It favours precision over recall. English only.
//!
//! ```
//! use quiver_language::clause::clauses;
//!
//! let text = "Since last Monday Lena runs the bakery with her brother.";
//! let found = clauses(text);
//! let clause = &found[0];
//! assert_eq!(&text[clause.subject.range.clone()], "Lena");
//! assert_eq!(clause.predicate.lemma, "run");
//! assert_eq!(&text[clause.arguments[0].phrase.range.clone()], "the bakery");
//! assert_eq!(&text[clause.arguments[1].phrase.range.clone()], "her brother");
//! assert_eq!(&text[clause.times[0].range.clone()], "Since last Monday");
//! ```

mod item;
mod lexicon;
mod parse;
mod phrase;
mod verb;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub(crate) use lexicon::{irregular_base, is_adjective, is_irregular_base, is_past_form, lemmas};

use crate::{
    mention,
    pack::Language,
    sentence::sentences,
    time::{Direction, TimeExpression},
    token::Tokens,
};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clause {
    /// The position in the text, in bytes.
    pub range: Range<usize>,
    /// The subject.
    pub subject: Phrase,
    /// The predicate.
    pub predicate: Predicate,
    /// The object or complement, which has no preposition, followed by the prepositional phrases.
    pub arguments: Vec<Argument>,
    /// The time expressions of the clause.
    pub times: Vec<TimeExpression>,
    /// Adverbs such as "now", "still", "already", "no longer" and "quickly", as byte ranges.
    pub adverbs: Vec<Range<usize>>,
    /// Whether the clause is negated.
    pub is_negated: bool,
    /// The mood.
    pub mood: Mood,
}

/// The predicate of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Predicate {
    /// The byte range of the whole verb group, including auxiliaries and the adverbs between them.
    pub range: Range<usize>,
    /// The byte range of the main verb.
    pub verb: Range<usize>,
    /// The base form of the main verb: "run" for "was running".
    pub lemma: String,
    /// The particle of a phrasal verb: "down" in "shut down".
    pub particle: Option<Range<usize>>,
    /// The voice.
    pub voice: Voice,
    /// The tense.
    pub tense: Tense,
    /// Whether the perfect is used: "has moved".
    pub is_perfect: bool,
    /// Whether the progressive is used: "is moving".
    pub is_progressive: bool,
    /// Whether the clause describes a former state: "used to live".
    pub is_former: bool,
    /// The modal verb: "might", "should".
    pub modal: Option<Range<usize>>,
}

/// The voice of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Voice {
    /// The subject acts.
    Active,
    /// The subject is acted upon.
    Passive,
}

/// The tense of a verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the tense of that name")]
pub enum Tense {
    Past,
    Present,
    Future,
}

/// The mood of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mood {
    /// A statement of fact about the past, present or future.
    Asserted,
    /// A possibility: "can", "may".
    Possible,
    /// An obligation: "must", "should".
    Obliged,
    /// A hypothesis: "would", "might".
    Hypothetical,
}

/// An object, a complement, or a prepositional phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Argument {
    /// The byte range of the preposition.
    pub preposition: Option<Range<usize>>,
    /// The phrase after the preposition, or the object or complement itself.
    pub phrase: Phrase,
}

/// A noun phrase, or an adjective as a complement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Phrase {
    /// The position in the text, in bytes.
    pub range: Range<usize>,
    /// The head: "door" in "the back door of the house".
    pub head: Range<usize>,
    /// The kind of phrase.
    pub kind: PhraseKind,
    /// The possessor: "Lena's", "my".
    pub possessor: Option<Range<usize>>,
    /// The parts of a coordination: "Ann", "Ben" and "the cook" in "Ann, Ben and the cook".
    pub parts: Vec<Range<usize>>,
}

/// The kind of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PhraseKind {
    /// A name, a quoted title, or an identifier.
    Name,
    /// A pronoun: "she", "this", "someone".
    Pronoun,
    /// A number, with or without a unit.
    Value,
    /// Any other noun phrase.
    Noun,
    /// An adjective phrase: "open", "very old".
    Adjective,
}

impl Clause {
    /// Returns the direction in which to resolve a time in this clause that has no year or week.
    pub fn direction(&self) -> Direction {
        match (self.predicate.tense, self.predicate.is_progressive) {
            (Tense::Past, _) => Direction::Past,
            (Tense::Present, _) if self.predicate.is_perfect => Direction::Past,
            (Tense::Future, _) | (Tense::Present, true) => Direction::Future,
            (Tense::Present, false) => Direction::Nearest,
        }
    }
}

/// Extracts the clauses of a text, in order.
pub fn clauses(text: &str) -> Vec<Clause> {
    let tokens = Tokens::of(text);
    let sentences = sentences(text);
    clauses_of(&tokens, &sentences, &mention::find(&tokens, &sentences, None))
}

/// Extracts the clauses of a text whose tokens, sentences and mentions have already been computed.
pub fn clauses_of(
    tokens: &Tokens<'_>,
    sentences: &[Range<usize>],
    mentions: &[mention::Mention],
) -> Vec<Clause> {
    if tokens.language != Language::English {
        return Vec::new();
    }
    let sentences = sentences.iter();
    sentences.flat_map(|sentence| item::Sentence::new(tokens, sentence, mentions).clauses()).collect()
}
