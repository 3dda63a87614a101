//! Sections whose headings match the question: "How do I clear the cache?" is answered by the text under
//! "Clearing the cache", and any question by the text under a heading that asks it.

use std::ops::Range;

use quiver_language::{
    answering::{self, Answering},
    question::written_out,
    title::TITLE_SEPARATOR,
};
use quiver_models::Lexical;

use super::{
    clause::{Asked, Given, asked, is_any, is_instruction, is_preposition, verb},
    is_kind, is_kind_of_named, is_same,
};
use crate::{
    form::{self, Asks, Form, Role},
    reading::{Piece, Reading, Wanted, says as mentions},
    unit::{UnitKind, announces},
    word::{Word, words},
};

/// Maximum length in bytes of a quoted section.
const QUOTED_MAX: usize = 600;

/// The first pieces of the section that explains how to do what is asked. Of several, prefers the one whose
/// headings say the least else.
pub(super) fn section(reading: &Reading) -> Option<Range<usize>> {
    let asked = asked(&reading.form).filter(|asked| matches!(asked.given, Given::Goal))?;
    let lexical = Lexical::new();
    let starts = (0..reading.pieces.len()).filter(|at| reading.begins_section(*at));
    let sections: Vec<(usize, Vec<Vec<Word>>)> = starts
        .map(|at| {
            let mut headings = headings_of(reading, at);
            headings.dedup();
            (at, headings.into_iter().map(|heading| words(&lexical, heading)).collect())
        })
        .collect();
    let told = |needs: Needs| {
        let found = sections.iter().filter_map(|(at, headings)| {
            let else_said = goal_in(reading, &asked, needs, headings)?;
            let quoted = *at..quoted_end(reading, *at);
            instructs(reading, &quoted).then_some((else_said, *at, quoted))
        });
        found.collect::<Vec<_>>()
    };
    let of_goal = told(Needs::Goal).into_iter().min_by_key(|(else_said, at, _)| (*else_said, *at));
    let found = of_goal.or_else(|| {
        // "Installation" of the subject of all pages, unless a plugin's may be meant.
        let mut found = told(Needs::Verb).into_iter().filter(|(else_said, ..)| *else_said == 0);
        found.next().filter(|_| found.next().is_none())
    });
    found.map(|(.., quoted)| quoted)
}

/// The first pieces of the section whose heading asks the question, or of the text after a term that asks it.
pub(super) fn under_its_question(reading: &Reading) -> Option<Range<usize>> {
    let found = (0..reading.pieces.len()).filter_map(|at| {
        let piece = &reading.pieces[at];
        let begins = reading.begins_section(at);
        let of_heading = begins.then(|| more_asked(reading, at, reading.heading_of(piece))).flatten();
        let (more, end) = match of_heading {
            Some(more) => (more, quoted_end(reading, at)),
            None => (more_asked(reading, at, term(piece)?)?, described_end(reading, at)),
        };
        (end > at).then_some((more, at, at..end))
    });
    found.min_by_key(|(more, at, _)| (*more, *at)).map(|(.., quoted)| quoted)
}

/// The question that an entry of a list of definitions answers: "What is a vat?: A vat is …".
fn term(piece: &Piece) -> Option<&str> {
    piece.unit.text.split_once("?: ").map(|(term, _)| &piece.unit.text[..=term.len()])
}

/// The end of the quotation of an entry, which the next one ends.
fn described_end(reading: &Reading, at: usize) -> usize {
    let end = quoted_end(reading, at);
    (at + 1..end).find(|next| term(&reading.pieces[*next]).is_some()).unwrap_or(end)
}

/// How many more words a heading or a term has than the question, if it otherwise asks the same: all of the
/// question's words, in the same form. A question about a reason may be longer there ("Why felt *instead of
/// wool*?").
fn more_asked(reading: &Reading, at: usize, heading: &str) -> Option<usize> {
    let piece = &reading.pieces[at];
    if !heading.trim_end().ends_with('?') {
        return None;
    }
    let (asked, form) = (&reading.form, form::read(&Lexical::new(), &written_out(heading)));
    let asking = |form: &Form| form.question_word.map(|at| form.words[at].lower.clone());
    let is_same_form =
        asked.asks == form.asks && asking(asked) == asking(&form) && asked.is_negative == form.is_negative;
    let said = reading.said(&form.words);
    let is_said = |(bit, wanted): (usize, &Wanted)| {
        said.exact >> bit & 1 == 1
            || piece.above.exact >> bit & 1 == 1 && reading.is_everywhere(wanted)
            || wanted.role == Role::Asking
    };
    if !is_same_form || !reading.wanted.iter().enumerate().all(is_said) {
        return None;
    }
    let is_more = |word: &&Word| {
        !word.is_function
            && !asked.words.iter().any(|asked| is_same(asked, word))
            && !is_on_all_pages(reading, word)
    };
    let more = form.words.iter().filter(is_more).count();
    let most = if asked.asks == Asks::Reason { form.content.len() / 2 } else { 0 };
    (more <= most).then_some(more)
}

/// How much of a goal the headings must contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// Everything, except the name of the subject of all pages after a preposition.
    Goal,
    /// Only the verb, for a goal that names nothing except the subject of all pages: "install the loom".
    Verb,
}

/// The headings above a piece, starting with the title of its document.
fn headings_of(reading: &Reading, at: usize) -> Vec<&str> {
    let piece = &reading.pieces[at];
    let title = &reading.pages[piece.source].title;
    let parts = title.split(TITLE_SEPARATOR).chain(piece.unit.heading.split(TITLE_SEPARATOR));
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The end of the quotation that begins with a piece.
fn quoted_end(reading: &Reading, at: usize) -> usize {
    let piece = &reading.pieces[at];
    let mut length = 0;
    let fits = reading.pieces[at..].iter().take_while(|next| {
        length += next.unit.text.len() + 1;
        next.shares_heading(piece) && length <= QUOTED_MAX
    });
    let mut end = at + fits.count();
    while end > at && announces(&reading.pieces[end - 1].unit.text) {
        end -= 1;
    }
    end
}

/// Whether "and" or "or" joins a heading word to another: "*Defining* and installing a plugin".
fn is_joined(heading: &[Word], at: usize) -> bool {
    let joins = |at: Option<usize>| {
        at.and_then(|at| heading.get(at)).is_some_and(|word| matches!(word.lower.as_str(), "and" | "or"))
    };
    joins(at.checked_sub(1)) || joins(Some(at + 1))
}

/// Words after a preposition that only select one of several: "between two drives", "to another drive".
fn is_which(word: &Word) -> bool {
    word.is_number() || matches!(word.lower.as_str(), "one" | "another" | "other" | "different" | "same")
}

/// The number of other words in the headings above those that match the goal; `None` if no headings match.
fn goal_in(reading: &Reading, asked: &Asked<'_>, needs: Needs, headings: &[Vec<Word>]) -> Option<usize> {
    let goal = &asked.words[verb(asked)];
    let is_everywhere =
        |word: &Word| reading.wanted_by(word).is_some_and(|wanted| reading.is_everywhere(wanted));
    let is_needed = |(order, word): &(usize, &Word)| {
        !word.is_function
            && !is_kind_of_named(asked.words, *order)
            && match needs {
                Needs::Goal => *order < asked.core || !is_everywhere(word) && !is_which(word),
                Needs::Verb => {
                    word.start == goal.start || !is_everywhere(word) || !is_on_all_pages(reading, word)
                }
            }
    };
    let needed = || asked.words.iter().enumerate().filter(is_needed).map(|(_, word)| word);
    if needs == Needs::Verb && needed().count() > 1 {
        return None;
    }
    let says =
        |headings: &[Vec<Word>], word: &Word| headings.iter().flatten().any(|said| is_same(word, said));
    let is_said = |from: &usize| needed().all(|word| says(&headings[*from..], word));
    let (above, told) = headings.split_at((0..headings.len()).rev().find(is_said)?);
    let is_asked = |word: &Word| asked.words.iter().any(|asked| is_same(asked, word));
    let tells =
        |word: &Word| !word.is_function && !word.is_numeric() && !is_kind(word) && !is_of_manuals(word);
    let is_exact = told.iter().all(|heading| {
        let mut words = heading.iter().enumerate().filter(|(_, word)| tells(word)).peekable();
        let fits = |(at, word): (usize, &Word)| is_asked(word) || is_joined(heading, at) || is_any(word);
        heading.iter().all(is_of_manuals) || words.peek().is_some() && words.all(fits)
    });
    // "loom clean" is the name of a command, not a way to clean a loom.
    let is_command = told.iter().any(|heading| {
        heading.iter().filter(|word| tells(word)).skip(1).any(|word| word.lower == goal.lower)
    });
    // "Using the loom in schools › Cleaning the reed", "Jacquard Machines › Cleaning the reed"
    let is_elsewhere = |heading: &Vec<Word>| {
        let is_narrower = |(at, word): (usize, &Word)| {
            let is_name = word.is_capital || heading[..at].iter().any(is_preposition);
            tells(word) && is_name && !is_asked(word) && !is_on_all_pages(reading, word)
        };
        heading.iter().enumerate().skip(1).any(is_narrower)
    };
    let else_said = above.iter().flatten().filter(|word| tells(word) && !is_asked(word)).count();
    (is_exact && !is_command && !goal.is_function && says(told, goal) && !above.iter().any(is_elsewhere))
        .then_some(else_said)
}

/// Minimum number of pages with a word for it to be the subject of all of them.
const PAGES_LEAST: usize = 3;

/// Whether all pages at hand, or all but one, contain a word.
fn is_on_all_pages(reading: &Reading, word: &Word) -> bool {
    let says = |page: &usize| {
        let is_in = |text: &str| mentions(text, &word.lower);
        is_in(&reading.pages[*page].title.to_lowercase())
            || reading.pieces.iter().any(|piece| piece.source == *page && is_in(&piece.lower))
    };
    let pages = reading.pages.len();
    pages >= PAGES_LEAST && (0..pages).filter(says).count() + 1 >= pages
}

/// Heading words that say nothing about the content of a section.
fn is_of_manuals(word: &Word) -> bool {
    answering::says(&word.lower, Answering::Manual)
}

/// Whether pieces instruct the reader.
fn instructs(reading: &Reading, quoted: &Range<usize>) -> bool {
    reading.pieces[quoted.clone()].iter().any(|piece| {
        let word = |at: usize| piece.words.get(at).map_or("", |word| word.lower.as_str());
        match piece.unit.kind {
            UnitKind::Code => true,
            UnitKind::Row => false,
            UnitKind::Item if piece.unit.has_code => true,
            UnitKind::Prose | UnitKind::Item => {
                is_instruction(word(0))
                    || matches!(word(0), "you" | "we") && matches!(word(1), "can" | "should" | "must" | "may")
                    || word(0) == "to" && piece.unit.text.contains(',')
            }
        }
    })
}
