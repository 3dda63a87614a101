//! Questions that compare two things: "which opened earlier, the one or the other?".
//!
//! Each thing has a figure, a date or a quantity, in a passage about it or in one that this leads to. The word that
//! compares says which kind of figure is meant and which end of it wins.

use std::{cmp::Ordering, ops::Range};

use quiver_graph::{EntityId, Passage};
use quiver_language::pack;
use quiver_models::Lexical;

use crate::{
    extract::{Mention, MentionKind, mentions, sentences},
    pool::TermBits,
    question::{Evidence, Link, Ranked},
};

/// Something that a question names, among what it compares.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// Its name.
    pub(crate) name: String,
    /// All entities that the words may stand for.
    entities: Vec<EntityId>,
    /// The words in the question, as bits.
    words: u128,
}

/// The names of a question, those of the same words as one.
pub(crate) fn named(linked: &[Link]) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for link in linked.iter().filter(|link| link.is_name) {
        match named.iter_mut().find(|known| known.words == link.words) {
            Some(known) => known.entities.push(link.entity.id),
            None => named.push(Named {
                name: link.entity.name.clone(),
                entities: vec![link.entity.id],
                words: link.words,
            }),
        }
    }
    named
}

/// Which of two things it is, with the sentence that says its figure and the one that says the other's.
#[derive(Debug)]
pub(crate) struct Compared<'a> {
    /// The name of the one.
    pub(crate) name: &'a str,
    /// The passage and the sentence that tell its figure, and those of the other.
    pub(crate) told: [(&'a Ranked, Range<usize>); 2],
}

/// What is compared, and which end of it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Comparison {
    kind: MentionKind,
    wanted: Ordering,
}

/// The figure of one of the things.
struct Told<'a> {
    ranked: &'a Ranked,
    sentence: Range<usize>,
    figure: Figure,
}

/// A date as year, month and day (0 where it is not told), or an amount with its unit.
#[derive(Clone, Debug, PartialEq)]
enum Figure {
    Date([u32; 3]),
    Amount(f64, String),
}

/// Compares what the question names, where it compares exactly two things and a figure of each is known.
pub(crate) fn compare<'a>(lexical: &Lexical, evidence: &'a Evidence) -> Option<Compared<'a>> {
    let comparison = comparison(&evidence.question)?;
    let [one, other] = evidence.named.as_slice() else { return None };
    if one.words & !other.words == 0 || other.words & !one.words == 0 {
        return None;
    }
    let asked = !(one.words | other.words);
    let one_told = told(lexical, evidence, comparison, [one, other], asked)?;
    let other_told = told(lexical, evidence, comparison, [other, one], asked)?;
    let order = one_told.figure.compared(&other_told.figure)?;
    let (winner, first, second) = match order {
        Ordering::Equal => return None,
        order if order == comparison.wanted => (one, one_told, other_told),
        _ => (other, other_told, one_told),
    };
    let told = [first, second].map(|told| (told.ranked, told.sentence));
    Some(Compared { name: &winner.name, told })
}

/// What an English question compares, by its comparing word; nothing where it offers no alternatives: "who fired the
/// one before the other?".
fn comparison(question: &str) -> Option<Comparison> {
    use MentionKind::{Date, Quantity};
    let lower = question.to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphabetic());
    if !words().any(|word| word == "or") {
        return None;
    }
    words().find_map(|word| {
        let (kind, wanted) = match word {
            "earlier" | "earliest" | "first" | "older" | "oldest" | "before" | "sooner" => {
                (Date, Ordering::Less)
            }
            "later" | "latest" | "last" | "younger" | "youngest" | "newer" | "newest" | "after" => {
                (Date, Ordering::Greater)
            }
            "larger" | "largest" | "bigger" | "biggest" | "more" | "most" | "higher" | "highest"
            | "longer" | "longest" | "taller" | "tallest" | "greater" | "greatest" | "heavier" => {
                (Quantity, Ordering::Greater)
            }
            "smaller" | "smallest" | "fewer" | "fewest" | "less" | "least" | "lower" | "lowest"
            | "shorter" | "shortest" | "lighter" => (Quantity, Ordering::Less),
            _ => return None,
        };
        Some(Comparison { kind, wanted })
    })
}

/// The figure of a thing: in the sentence that says most of what is asked, of the passages about it and those that
/// these lead to, but not of the passages about what it is compared with.
fn told<'a>(
    lexical: &Lexical,
    evidence: &'a Evidence,
    comparison: Comparison,
    [named, other]: [&Named; 2],
    asked: u128,
) -> Option<Told<'a>> {
    let concerns =
        |passage: &Passage, named: &Named| passage.subjects.iter().any(|id| named.entities.contains(id));
    let is_about = |passage: &Passage| concerns(passage, named);
    let about: Vec<_> = evidence
        .passages
        .iter()
        .filter(|ranked| is_about(&ranked.passage))
        .map(|ranked| ranked.passage.id)
        .collect();
    let belongs = |ranked: &&Ranked| {
        let led_to = ranked.path.first().is_some_and(|(from, _)| about.contains(from));
        is_about(&ranked.passage) || (led_to && !concerns(&ranked.passage, other))
    };
    let mut best: Option<(f32, Told<'a>)> = None;
    for ranked in evidence.passages.iter().filter(belongs) {
        let text = &ranked.passage.text;
        let found = mentions(text);
        for sentence in sentences(text) {
            let Some((said, figure)) =
                figure(lexical, &evidence.bits, text, &sentence, &found, comparison, asked)
            else {
                continue;
            };
            if best.as_ref().is_none_or(|(most, _)| said > *most) {
                best = Some((said, Told { ranked, sentence, figure }));
            }
        }
    }
    best.map(|(_, told)| told)
}

/// The figure in a sentence that stands nearest to the words that are asked, and the weight of these.
fn figure(
    lexical: &Lexical,
    bits: &TermBits,
    text: &str,
    sentence: &Range<usize>,
    found: &[Mention],
    comparison: Comparison,
    asked: u128,
) -> Option<(f32, Figure)> {
    let terms = lexical.terms(&text[sentence.clone()]);
    let said = terms.iter().filter(|term| bits.is_covered(term.hash, asked));
    let places: Vec<usize> = said.clone().map(|term| sentence.start + term.start).collect();
    let weight = bits.weight(bits.covered_by(said.map(|term| term.hash)));
    found
        .iter()
        .filter(|mention| mention.kind == comparison.kind && sentence.contains(&mention.range.start))
        .filter_map(|mention| {
            let distance = places.iter().map(|at| at.abs_diff(mention.range.start)).min();
            Some(((distance.unwrap_or(usize::MAX), mention.range.start), Figure::read(mention)?))
        })
        .min_by_key(|(place, _)| *place)
        .map(|(_, figure)| (weight, figure))
}

impl Figure {
    fn read(mention: &Mention) -> Option<Self> {
        match mention.kind {
            MentionKind::Date => {
                let words = mention.name.split(|c: char| !c.is_alphanumeric());
                let mut date = [0; 3];
                for word in words.filter(|word| !word.is_empty()) {
                    let digits = word.trim_end_matches(char::is_alphabetic);
                    match (digits.parse::<u32>(), pack::month(&word.to_lowercase()).map(u32::from)) {
                        (_, Some(month)) => date[1] = month,
                        (Ok(day @ 1..=31), None) if digits.len() <= 2 => date[2] = day,
                        (Ok(year), None) if digits.len() >= 3 => date[0] = year,
                        _ => {}
                    }
                }
                (date[0] > 0).then_some(Self::Date(date))
            }
            _ => {
                let end = mention.name.find(|c: char| !(c.is_ascii_digit() || ",. ".contains(c)))?;
                let amount: f64 = mention.name[..end].replace([',', ' '], "").parse().ok()?;
                Some(Self::Amount(amount, mention.name[end..].trim().to_lowercase()))
            }
        }
    }

    /// How two figures compare, dates as far as both are told; `None` where they can't be: an amount in another unit.
    fn compared(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Date(one), Self::Date(other)) => {
                let parts = one.iter().zip(other).take_while(|(one, other)| **one > 0 && **other > 0);
                Some(parts.fold(Ordering::Equal, |order, (one, other)| order.then(one.cmp(other))))
            }
            (Self::Amount(one, unit), Self::Amount(other, other_unit)) if unit == other_unit => {
                one.partial_cmp(other)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
