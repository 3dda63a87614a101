//! Clauses: who does what to what, where, when and whether at all, as spans of the text.
//!
//! The reader is small and strict. A stretch of a sentence gives a clause only where all of its words have a place in
//! it and no second reading is possible; questions, orders, conditions, relative clauses and whatever else does not
//! fit give nothing. It may miss much, and what it returns is meant to be right. English only.
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

use crate::{
    mention,
    pack::Language,
    sentence::sentences,
    time::{Direction, TimeExpression},
    token::Tokens,
};

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clause {
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// What it is about.
    pub subject: Phrase,
    /// What is said of it.
    pub predicate: Predicate,
    /// The object or complement, which has no preposition, and then the phrases with one.
    pub arguments: Vec<Argument>,
    /// When it is so.
    pub times: Vec<TimeExpression>,
    /// Words like "now", "still", "already", "no longer" and "quickly", in bytes of the text.
    pub adverbs: Vec<Range<usize>>,
    /// Whether it says that something is not so.
    pub is_negated: bool,
    /// How it is meant.
    pub mood: Mood,
}

/// What a clause says of its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Predicate {
    /// All words of the verb, auxiliaries and adverbs between them too, in bytes of the text.
    pub range: Range<usize>,
    /// The verb that carries the meaning.
    pub verb: Range<usize>,
    /// The base form of that verb: "run" for "was running".
    pub lemma: String,
    /// "down" of "shut down".
    pub particle: Option<Range<usize>>,
    /// Who does it to whom.
    pub voice: Voice,
    /// When it is so, as the verb says.
    pub tense: Tense,
    /// Whether it was done before: "has moved".
    pub is_perfect: bool,
    /// Whether it goes on: "is moving".
    pub is_progressive: bool,
    /// Whether it is said to have been so once: "used to live".
    pub is_former: bool,
    /// "might", "should".
    pub modal: Option<Range<usize>>,
}

/// Who does it to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Voice {
    /// The subject does it.
    Active,
    /// It is done to the subject.
    Passive,
}

/// When something is so, as the verb says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the tense of that name")]
pub enum Tense {
    Past,
    Present,
    Future,
}

/// How a clause is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mood {
    /// It is so, was so or will be so.
    Asserted,
    /// It can be so: "can", "may".
    Possible,
    /// It is to be so: "must", "should".
    Obliged,
    /// It would or might be so.
    Hypothetical,
}

/// An object, a complement, or a phrase with a preposition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Argument {
    /// The preposition, in bytes of the text.
    pub preposition: Option<Range<usize>>,
    /// What stands after it.
    pub phrase: Phrase,
}

/// A noun phrase, or an adjective as a complement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Phrase {
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// The word or name that it is about: "door" of "the back door of the house".
    pub head: Range<usize>,
    /// What it is.
    pub kind: PhraseKind,
    /// Whose it is: "Lena's", "my".
    pub possessor: Option<Range<usize>>,
    /// The parts of an enumeration: "Ann", "Ben" and "the cook" of "Ann, Ben and the cook".
    pub parts: Vec<Range<usize>>,
}

/// What a phrase is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PhraseKind {
    /// A name, a title in quotation marks, an identifier.
    Name,
    /// "she", "this", "someone".
    Pronoun,
    /// A number, with a unit or without.
    Value,
    /// Anything else with a noun.
    Noun,
    /// "open", "very old".
    Adjective,
}

impl Clause {
    /// Which way a time lies that this clause tells without its year or week.
    pub fn direction(&self) -> Direction {
        match (self.predicate.tense, self.predicate.is_progressive) {
            (Tense::Past, _) => Direction::Past,
            (Tense::Present, _) if self.predicate.is_perfect => Direction::Past,
            (Tense::Future, _) | (Tense::Present, true) => Direction::Future,
            (Tense::Present, false) => Direction::Nearest,
        }
    }
}

/// Reads the clauses of a text, in order.
pub fn clauses(text: &str) -> Vec<Clause> {
    let tokens = Tokens::of(text);
    let sentences = sentences(text);
    clauses_of(&tokens, &sentences, &mention::find(&tokens, &sentences, None))
}

/// Reads the clauses of a text whose tokens, sentences and mentions are known already.
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
