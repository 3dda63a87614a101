//! Rules by name, and the case that they examine.

use super::{
    super::{
        candidate::Candidate,
        reading::{Piece, Reading},
        word::Word,
    },
    Objection,
};

/// A possible answer that rules examine: a whole sentence, or a value in one.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) reading: &'a Reading,
    /// The number of the sentence among the pieces.
    pub(super) at: usize,
    pub(super) piece: &'a Piece,
    /// `None` if the whole sentence is the answer.
    pub(super) value: Option<&'a Candidate>,
    /// The number of the first word of the value in the sentence.
    pub(super) first: Option<usize>,
    /// Whether the sentence has a value of the type asked for.
    pub(super) holds_type: bool,
}

impl<'a> Case<'a> {
    pub(super) fn of_sentence(reading: &'a Reading, at: usize, holds_type: bool) -> Self {
        Self { reading, at, piece: &reading.pieces[at], value: None, first: None, holds_type }
    }

    pub(super) fn of_value(reading: &'a Reading, value: &'a Candidate) -> Self {
        let piece = &reading.pieces[value.piece];
        let first = piece.words.iter().position(|word| is_inside(value, word));
        Self { reading, at: value.piece, piece, value: Some(value), first, holds_type: true }
    }

    /// The text of the answer.
    pub(super) fn text(&self) -> &'a str {
        self.value.map_or_else(|| self.piece.unit.text.trim_end(), |value| value.text.as_str())
    }

    /// The words of the answer.
    pub(super) fn words(&self) -> impl Iterator<Item = &'a Word> + Clone {
        let value = self.value;
        self.piece.words.iter().filter(move |word| value.is_none_or(|value| is_inside(value, word)))
    }

    /// The first objection of a table of rules.
    pub(super) fn objection(&self, rules: &[Rule]) -> Option<Objection> {
        let is_ignored = |rule: &Rule| self.reading.ignored_rules.iter().any(|name| name == rule.name);
        rules.iter().find(|rule| !is_ignored(rule) && rule.check.objects(self)).map(|rule| rule.objection)
    }
}

fn is_inside(value: &Candidate, word: &Word) -> bool {
    value.range.start <= word.start && word.end <= value.range.end
}

/// A rule that rules an answer out.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) objection: Objection,
    pub(super) check: Check,
}

/// What decides whether a rule applies, by what it looks at.
pub(super) enum Check {
    /// The sentence.
    Piece(fn(&Reading, &Piece) -> bool),
    /// The sentence and those around it.
    At(fn(&Reading, usize) -> bool),
    /// The text of the answer.
    Text(fn(&Reading, &Piece, &str) -> bool),
    /// The value.
    Value(fn(&Reading, &Piece, &Candidate) -> bool),
    /// Where in the sentence the value begins.
    Begin(fn(&Reading, &Piece, usize) -> bool),
    /// The whole case.
    Case(fn(&Case<'_>) -> bool),
}

impl Check {
    fn objects(&self, case: &Case<'_>) -> bool {
        let Case { reading, at, piece, value, first, .. } = *case;
        match self {
            Self::Piece(objects) => objects(reading, piece),
            Self::At(objects) => objects(reading, at),
            Self::Text(objects) => objects(reading, piece, case.text()),
            Self::Value(objects) => value.is_some_and(|value| objects(reading, piece, value)),
            Self::Begin(objects) => first.is_some_and(|first| objects(reading, piece, first)),
            Self::Case(objects) => objects(case),
        }
    }
}

/// A table of rules, each named after its function: `Objection { Check(function), … } …`
macro_rules! rules {
    ($($objection:ident { $($check:ident($rule:ident)),* $(,)? })*) => {
        &[$($(Rule {
            name: stringify!($rule),
            objection: Objection::$objection,
            check: Check::$check($rule),
        },)*)*]
    };
}

pub(super) use rules;
