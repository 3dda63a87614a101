//! Explicit statements in a document: the expansion of an abbreviation; a table cell that the question names
//! by row and column; a sentence about exactly what is asked about that says what it is or does, how to do
//! it, what results from it, its default, what fills a role for it, or what share of it does something; a value
//! beside the kind asked for; the heading of a release; or a section whose heading is the question.

mod attached;
mod capacity;
mod cell;
mod clause;
mod closed;
mod complement;
mod default;
mod expansion;
mod filled;
mod label;
mod name;
mod released;
mod role;
mod row;
mod section;
mod share;
mod subject;
mod thing;

pub(super) use default::lacks_default;
pub(super) use filled::{is_manner, is_reversed};
pub(super) use name::is_identifier;
pub(super) use row::content;

use std::ops::Range;

use quiver_language::answering::{self, Answering};

use super::{
    form::Asks,
    reading::{Beside, Piece, Reading, Wanted},
    word::Word,
};

/// An explicit statement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stated {
    /// The pieces that state it: several if it is a section.
    pub(super) pieces: Range<usize>,
    /// The text of the cell; `None` if whole pieces state it.
    pub(super) cell: Option<String>,
    /// The metadata field with its name, if the cell is its value. In that case the pieces are only in the
    /// same document.
    pub(super) field: Option<String>,
    /// Byte range of the piece in which to look for a value that can be the answer by itself.
    pub(super) value_in: Option<Range<usize>>,
}

impl Stated {
    fn whole(piece: usize) -> Self {
        Self::all(piece..piece + 1)
    }

    fn all(pieces: Range<usize>) -> Self {
        Self { pieces, cell: None, field: None, value_in: None }
    }

    fn filled((piece, part): (usize, Range<usize>)) -> Self {
        Self { value_in: Some(part), ..Self::whole(piece) }
    }

    fn cell(piece: usize, cell: String) -> Self {
        Self { cell: Some(cell), ..Self::whole(piece) }
    }
}

/// What the passages state in answer to the question, if they agree.
pub(super) fn stated(reading: &Reading) -> Option<Stated> {
    let topic = topic(reading);
    let topic = topic.as_ref();
    let stated = expansion::expansion(reading)
        .or_else(|| cell::cell(reading, topic))
        .or_else(|| row::row(reading))
        .or_else(|| subject::being(reading, topic?).map(Stated::whole))
        .or_else(|| cell::entry(reading, topic?))
        .or_else(|| label::label(reading))
        .or_else(|| released::released(reading))
        .or_else(|| row::item(reading))
        .or_else(|| subject::deed(reading, topic?).map(Stated::whole))
        .or_else(|| name::name(reading))
        .or_else(|| default::default(reading).map(Stated::whole))
        .or_else(|| role::role(reading))
        .or_else(|| complement::complement(reading).map(Stated::whole))
        .or_else(|| capacity::capacity(reading).or_else(|| capacity::object(reading)).map(Stated::whole))
        .or_else(|| share::share(reading))
        .or_else(|| attached::attached(reading))
        .or_else(|| told(reading));
    of_asked(reading, stated)
}

/// The only sentence that states a clause of two words, if nothing else answers the question.
pub(super) fn stated_in_one_place(reading: &Reading) -> Option<Stated> {
    of_asked(reading, filled::filled_in_one_place(reading).map(Stated::filled))
}

/// Explicit statements in passages ranked below the evidence. What a thing is or does only counts in the
/// evidence: further down, another thing of the same name is more likely.
pub(super) fn stated_further(reading: &Reading) -> Option<Stated> {
    let stated = expansion::expansion(reading)
        .or_else(|| cell::cell(reading, None))
        .or_else(|| row::row(reading))
        .or_else(|| label::label(reading))
        .or_else(|| released::released(reading))
        .or_else(|| told(reading));
    of_asked(reading, stated)
}

/// The sentence or section that says how or whether, what results, or what the question leaves open.
fn told(reading: &Reading) -> Option<Stated> {
    let sentence = || clause::clause(reading).or_else(|| closed::closed(reading)).map(Stated::whole);
    section::under_its_question(reading)
        .map(Stated::all)
        .or_else(sentence)
        .or_else(|| filled::filled(reading).map(Stated::filled))
        .or_else(|| section::section(reading).map(Stated::all))
}

/// Drops a statement about Node-B when the question is about Node-A, one about another situation than the question describes
/// before it asks, and one that answers with a person whom the question names.
fn of_asked(reading: &Reading, stated: Option<Stated>) -> Option<Stated> {
    stated.filter(|stated| {
        let piece = &reading.pieces[stated.pieces.start];
        let is_asked = reading.form.asks == Asks::Person
            && stated
                .cell
                .as_deref()
                .is_some_and(|name| content(name).iter().any(|word| reading.form.has(word)));
        !is_asked && !reading.names_another(piece) && is_of_situation(reading, piece)
    })
}

/// Minimum share of the weight of the words before the question that a statement has to say.
const SITUATION_LEAST: f32 = 0.5;

/// Whether a piece, with its headings, says what the question describes before it asks: "*my sabbatical was turned
/// down*, how do I appeal?"
fn is_of_situation(reading: &Reading, piece: &Piece) -> bool {
    let asks_at = reading.form.question_word.unwrap_or(0);
    let describes = |wanted: &Wanted| wanted.word < asks_at && wanted.weight > 0.0;
    let share = || reading.share(piece.with_context.with_synonyms(), describes);
    !reading.wanted.iter().any(describes) || share() >= SITUATION_LEAST
}

/// The pieces about another role or another share than the one asked for.
pub(super) fn beside(reading: &Reading) -> Vec<(usize, Beside)> {
    let mut beside = role::beside(reading);
    beside.extend(share::beside(reading));
    beside
}

fn is_kind(word: &Word) -> bool {
    answering::says(&word.lower, Answering::Kind)
}

/// Whether a word in a clause that begins with a verb only gives the kind of the thing named before it: "set
/// the `retries` *option*", but not "add an *option*".
fn is_kind_of_named(words: &[Word], at: usize) -> bool {
    is_kind(&words[at]) && at > 1 && !words[at - 1].is_function
}

/// Whether a word in a name gives the kind of the thing.
fn names_kind(word: &str) -> bool {
    answering::says(&word.to_lowercase(), Answering::Kind)
}

/// A question about what something is or does.
struct Topic {
    /// Whether the question asks what it does or is for, rather than what it is.
    is_deed: bool,
    /// The question words that name it, and those that give the location.
    name: Range<usize>,
    place: Range<usize>,
}

/// Parses "What is X?", "Who is X?", "What does X mean?", "What does X do?", "What is X for?" and "What is
/// the purpose of X?", each optionally followed by "in Y".
fn topic(reading: &Reading) -> Option<Topic> {
    let form = &reading.form;
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let at = form.question_word.filter(|at| matches!(lower(*at), "what" | "who"))?;
    // "What is a loom, our supplier keeps naming it"
    let ends = |word: &&Word| reading.question[word.end..].starts_with([',', ';']);
    let last = form.words.iter().skip(at).take_while(|word| !ends(word)).count() + at;
    let (mut from, mut end) = (at + 1, form.words.len().min(last + 1));
    let is_deed = if matches!(lower(from), "does" | "do") && lower(end - 1) == "do" {
        (from, end) = (from + 1, end - 1);
        true
    } else if matches!(lower(from), "does" | "do") && lower(end - 1) == "mean" {
        (from, end) = (from + 1, end - 1);
        false
    } else if matches!(lower(end - 1), "does" | "do") {
        end -= 1;
        true
    } else if matches!(lower(from), "is" | "are" | "was" | "were") {
        from += 1;
        let noun = from + usize::from(lower(from) == "the");
        if matches!(lower(noun), "purpose" | "role" | "function" | "job" | "point" | "goal" | "aim" | "use")
            && lower(noun + 1) == "of"
        {
            from = noun + 2;
            true
        } else if lower(noun) == "meant" && lower(noun + 1) == "by" {
            from = noun + 2;
            false
        } else if lower(end - 1) == "for" {
            end -= 1;
            end -= usize::from(lower(end - 1) == "used");
            true
        } else {
            false
        }
    } else {
        return None;
    };
    from += usize::from(matches!(lower(from), "the" | "a" | "an"));
    let place = (from..end).find(|at| matches!(lower(*at), "in" | "for" | "on" | "within" | "with"));
    let name = from..place.unwrap_or(end);
    let is_name =
        (1..=5).contains(&name.len()) && form.words[name.clone()].iter().all(|word| !word.is_function);
    // "Who are the editors?" asks for people, not for what an editor is.
    let asks_people = || {
        lower(at).starts_with("who")
            && lower(name.start - 1) == "the"
            && form.words[name.clone()].iter().any(|word| !word.is_capital)
    };
    (is_name && !asks_people()).then(|| Topic {
        is_deed,
        name,
        place: place.map_or(end..end, |at| at + 1..end),
    })
}

/// Whether a piece, with its headings, contains all the question words selected by `counts`.
fn says_all(reading: &Reading, piece: &Piece, counts: impl Fn(usize) -> bool) -> bool {
    let said = piece.with_context;
    reading.wanted.iter().enumerate().all(|(bit, wanted)| !counts(wanted.word) || said.has(bit))
}

fn is_same(one: &Word, other: &Word) -> bool {
    one.lower == other.lower || one.stems.first().is_some_and(|stem| other.stems.first() == Some(stem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Even;

    #[test]
    fn a_question_may_be_interrupted_after_its_verb() {
        let asked = "Who was, the story goes, the first miller?";
        let reading = Reading::of_passage(asked, None, "Ida Berg was the first miller.", &Even);
        assert!(topic(&reading).is_none());
    }
}
