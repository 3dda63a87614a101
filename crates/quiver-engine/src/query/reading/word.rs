//! The words that questions and values are split into.

use quiver_language::{
    pack::{Class, Kind},
    read,
    text::Text,
    token::{Shape, norm, possessor},
    word::{irregular_verb, is_past, stems},
};

/// A word of a question. Hyphenated words are split.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) norm: String,
    pub(super) stems: Vec<u32>,
    pub(super) class: Option<Class>,
    pub(super) kind: Option<Kind>,
    pub(super) is_capital: bool,
    pub(super) is_number: bool,
    /// Whether "'s" follows it.
    pub(super) is_possessive: bool,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Word {
    /// Whether it may be the past tense or the past participle of a verb.
    pub(super) fn is_past(&self) -> bool {
        is_past(&self.norm) || irregular_verb(&self.norm).is_some_and(|base| base != self.norm)
    }
}

/// Returns the pieces of a token between hyphens and slashes, with their positions.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_mark = |c: char| matches!(c, '-' | '_' | '/' | '‐' | '‑');
    text.split(is_mark).scan(0, move |at, piece| {
        let start = *at;
        *at += piece.len();
        *at += text[*at..].chars().next().map_or(0, char::len_utf8);
        Some((start, piece))
    })
}

/// Splits the tokens of a text into words.
pub(super) fn words(text: &Text<'_>) -> Vec<Word> {
    let mut list = Vec::new();
    for token in &text.tokens {
        let possessive = possessor(token.text);
        let asks = possessive.is_some_and(|base| {
            let kind = text.language.kind(&base.to_lowercase());
            matches!(kind, Some(Kind::Question | Kind::Relative | Kind::Place))
        });
        let whole = possessive.unwrap_or(token.text);
        let count = pieces(whole).count();
        for (index, (at, piece)) in pieces(whole).enumerate() {
            if piece.is_empty() {
                continue;
            }
            let start = token.range.start + at;
            let is_last = index + 1 == count;
            let norm = norm(piece).into_owned();
            // "I'm" is "I am".
            if let Some((pronoun, auxiliary, kind)) = contracted(&norm) {
                let end = start + piece.len();
                let middle = start + pronoun.len();
                for (norm, class, kind, start, end) in [
                    (pronoun, Class::Pronoun, Kind::Personal, start, middle),
                    (auxiliary, Class::Auxiliary, kind, middle, end),
                ] {
                    list.push(Word {
                        norm: norm.to_owned(),
                        stems: stems(norm),
                        class: Some(class),
                        kind: Some(kind),
                        is_capital: false,
                        is_number: false,
                        is_possessive: false,
                        start,
                        end,
                    });
                }
                continue;
            }
            let class = text.language.class(&norm);
            list.push(Word {
                stems: stems(&norm),
                class,
                kind: text.language.kind(&norm),
                is_capital: piece.starts_with(char::is_uppercase),
                is_number: piece.parse::<f64>().is_ok()
                    || (count == 1 && token.shape == Shape::Number && number(piece).is_some()),
                is_possessive: is_last && possessive.is_some() && !asks,
                start,
                end: start + piece.len(),
                norm,
            });
            // "what's" is "what is".
            if asks {
                let end = token.range.end;
                list.push(Word {
                    norm: "is".to_owned(),
                    stems: stems("is"),
                    class: Some(Class::Auxiliary),
                    kind: Some(Kind::Be),
                    is_capital: false,
                    is_number: false,
                    is_possessive: false,
                    start: end - 1,
                    end,
                });
            }
        }
    }
    list
}

/// Splits a pronoun contracted with an auxiliary.
fn contracted(norm: &str) -> Option<(&str, &'static str, Kind)> {
    let (pronoun, ending) = norm.split_once('\'')?;
    let (auxiliary, kind) = match ending {
        "m" => ("am", Kind::Be),
        "re" => ("are", Kind::Be),
        "ve" => ("have", Kind::Have),
        _ => return None,
    };
    matches!(pronoun, "i" | "we" | "you" | "they").then_some((pronoun, auxiliary, kind))
}

/// Returns the words of a text in lower case, joined by spaces.
pub(in crate::query) fn fold(text: &str) -> String {
    words(&read(text)).into_iter().map(|word| word.norm).collect::<Vec<_>>().join(" ")
}

/// Parses a number with its separators: "20,000".
pub(super) fn number(text: &str) -> Option<f64> {
    text.replace(',', "").parse::<f64>().ok().filter(|number| number.is_finite())
}
