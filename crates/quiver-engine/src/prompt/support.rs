//! Checks whether passages support a sentence.

use std::fmt;

use quiver_models::Lexical;
use serde::Serialize;

use super::{
    evidence::PromptPassage,
    grounds::{Grounds, numbers},
};
use crate::extract::{MentionKind, mentions};

/// Minimum share of a sentence's content words that must occur in the passages or the question.
const SAID_SHARE_MIN: f32 = 0.5;

/// Why a sentence is not supported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
#[non_exhaustive]
pub enum Unsupported {
    /// It cites no passage, and no passage supports it.
    Uncited,
    /// It contains a number that no cited passage contains.
    Number {
        /// The number.
        number: String,
    },
    /// It contains a name that no cited passage contains.
    Name {
        /// The name.
        name: String,
    },
    /// Too few of its words occur in the cited passages.
    Words,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uncited => f.write_str("it has no citation"),
            Self::Number { number } => write!(f, "no cited passage says {number}"),
            Self::Name { name } => write!(f, "no cited passage names {name}"),
            Self::Words => f.write_str("too few of its words occur in the cited passages"),
        }
    }
}

/// The texts that sentences are checked against.
#[derive(Debug)]
pub(super) struct Checks {
    question: Grounds,
    passages: Vec<Grounds>,
}

impl Checks {
    pub(super) fn new(question: &str, passages: &[PromptPassage<'_>]) -> Self {
        let grounds =
            |passage: &PromptPassage<'_>| Grounds::new(passage.title.into_iter().chain([passage.text]));
        Self { question: Grounds::new([question]), passages: passages.iter().map(grounds).collect() }
    }

    /// Returns the passages that support a sentence: those it cites, or otherwise one that does.
    pub(super) fn supports(&self, sentence: &str, cited: Vec<usize>) -> Result<Vec<usize>, Unsupported> {
        let why = if cited.is_empty() { Some(Unsupported::Uncited) } else { self.check(sentence, &cited) };
        let Some(why) = why else { return Ok(cited) };
        let other = (0..self.passages.len()).find(|position| self.check(sentence, &[*position]).is_none());
        other.map(|other| vec![other]).ok_or(why)
    }

    /// Returns what the cited passages don't support.
    fn check(&self, sentence: &str, cited: &[usize]) -> Option<Unsupported> {
        let cited: Vec<&Grounds> = cited.iter().map(|position| &self.passages[*position]).collect();
        let is_said = |says: &dyn Fn(&Grounds) -> bool| {
            says(&self.question) || cited.iter().any(|grounds| says(grounds))
        };
        let number = numbers(sentence).find(|number| !is_said(&|grounds| grounds.says_number(number)));
        if let Some(number) = number {
            return Some(Unsupported::Number { number });
        }
        let names = mentions(sentence).into_iter().filter(|mention| mention.kind == MentionKind::Name);
        let name =
            names.map(|mention| mention.name).find(|name| !is_said(&|grounds| grounds.says_name(name)));
        if let Some(name) = name {
            return Some(Unsupported::Name { name });
        }
        let terms: Vec<u32> = Lexical::new().query_terms(sentence);
        let said = terms.iter().filter(|term| is_said(&|grounds| grounds.says_term(**term))).count();
        let is_new = terms.iter().any(|term| cited.iter().any(|grounds| grounds.says_term(*term)));
        let is_supported = is_new && said as f32 >= SAID_SHARE_MIN * terms.len() as f32;
        (!is_supported).then_some(Unsupported::Words)
    }
}
