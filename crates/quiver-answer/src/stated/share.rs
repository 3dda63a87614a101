//! Shares: "What percentage of its trams did the depot repair?", "The depot repaired 90% of its trams."

use std::ops::Range;

use super::{Stated, is_same, thing::is_same_thing};
use crate::{
    candidate::key,
    form::Form,
    lexicon::is_fraction,
    reading::{Beside, Piece, Reading},
    word::Word,
};

/// The sentence that states the share asked for, if all such sentences agree.
pub(super) fn share(reading: &Reading) -> Option<Stated> {
    let asked = asked(&reading.form).filter(|_| !reading.form.is_negative)?;
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, piece) in reading.pieces.iter().enumerate() {
        if piece.is_sentence() && !piece.unit.text.trim_end().ends_with('?') {
            let shares = shares(piece).into_iter().filter(|share| says(reading, piece, share, &asked));
            found.extend(shares.map(|share| (at, key(&piece.unit.text[share.figure]))));
        }
    }
    let (first, figure) = found.first()?;
    found.iter().all(|(_, other)| other == figure).then(|| Stated::whole(*first))
}

/// The pieces with shares, none of which is the one asked for: it is a share of something else, or of what
/// something else does, or only planned.
pub(super) fn beside(reading: &Reading) -> Vec<(usize, Beside)> {
    let Some(asked) = asked(&reading.form).filter(|_| !reading.form.is_negative) else { return Vec::new() };
    let pieces = reading.pieces.iter().enumerate();
    let beside = pieces.filter(|(_, piece)| {
        let shares = shares(piece);
        // If there are several shares, the sentence has to say which one is meant.
        let is_meant = |share: &Share| {
            let after = &piece.words[share.after.clone()];
            shares.len() == 1 || !asked.deed.is_empty() || says_all(reading, piece, after, asked.whole)
        };
        let may_answer = |share: &Share| is_meant(share) && may_say(reading, piece, share, &asked);
        !shares.is_empty() && !shares.iter().any(may_answer)
    });
    beside.map(|(at, _)| (at, Beside::Thing)).collect()
}

/// Whether the words after "of" contain all of `asked`.
fn says_all(reading: &Reading, piece: &Piece, after: &[Word], asked: &[Word]) -> bool {
    let mut content = asked.iter().filter(|word| !word.is_function);
    content.all(|word| after.iter().any(|said| word.is_form_of(said)) || reading.is_above(piece, word))
}

/// Whether a share may be the one asked for, in other words.
fn may_say(reading: &Reading, piece: &Piece, share: &Share, asked: &Asked<'_>) -> bool {
    let before = &piece.words[share.before.clone()];
    let first = |words: &[Word]| words.iter().find(|word| !word.is_function && !is_nearly(word)).cloned();
    let owned = asked.whole.iter().rposition(|word| word.is_possessive).map_or(0, |at| at + 1);
    let whole = first(&asked.whole[owned..]);
    let is_whole = piece.words[share.after.clone()].iter().any(|word| {
        whole.as_ref().is_some_and(|whole| is_same(whole, word) || whole.groups & word.groups != 0)
    });
    if !is_whole || has_other_mood(before) {
        return false;
    }
    // The same verb with another subject.
    let content: Vec<Word> = before.iter().filter(|word| !word.is_function).cloned().collect();
    let deed: Vec<Word> = asked.deed.iter().filter(|word| !word.is_function).cloned().collect();
    let Some((verb, subject)) = content.split_last() else { return true };
    let has_name = |words: &[Word]| words.iter().any(|word| word.is_capital);
    // "The river team" and "the forest team".
    let are_siblings = |one: &[Word], other: &[Word]| {
        one.len() == other.len()
            && one.last().zip(other.last()).is_some_and(|(one, other)| is_same(one, other))
    };
    let at = deed.iter().position(|word| word.is_form_of(verb));
    at.is_none_or(|at| {
        let of = &deed[..at];
        let are_names = has_name(subject) && has_name(of);
        !(are_names || are_siblings(subject, of)) || is_same_thing(reading, of, subject)
    })
}

/// A question for a share.
struct Asked<'w> {
    /// The whole that it is a share of.
    whole: &'w [Word],
    /// The agent and the verb: "did *the depot repair in March*". Empty if the share itself is the subject.
    deed: &'w [Word],
}

/// Parses "What share of W did S do?", "What percentage of W is done?", "How much of W …?"
fn asked(form: &Form) -> Option<Asked<'_>> {
    let at = form.question_word?;
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let of = match (lower(at), lower(at + 1)) {
        ("what" | "which", "share" | "percentage" | "proportion" | "fraction" | "percent")
        | ("how", "much") => at + 2,
        ("how", "many") if lower(at + 2) == "percent" => at + 3,
        _ => return None,
    };
    if lower(of) != "of" {
        return None;
    }
    let words = &form.words[of + 1..];
    let verb = words
        .iter()
        .position(|word| matches!(word.lower.as_str(), "did" | "does" | "do" | "has" | "have" | "had"));
    let is_asked = |words: &[Word]| words.iter().any(|word| !word.is_function);
    match verb {
        Some(verb) if is_asked(&words[verb + 1..]) => {
            is_asked(&words[..verb]).then(|| Asked { whole: &words[..verb], deed: &words[verb + 1..] })
        }
        _ => is_asked(words).then_some(Asked { whole: words, deed: &[] }),
    }
}

/// A share in a sentence.
struct Share {
    /// Byte range of the figure.
    figure: Range<usize>,
    /// Number of words before the first clause with a share.
    opening: usize,
    /// The words of its clause before it, and those after "of".
    before: Range<usize>,
    after: Range<usize>,
}

/// The shares in a sentence: "95% of", "48 percent of", "two thirds of", "half of".
fn shares(piece: &Piece) -> Vec<Share> {
    let words = &piece.words;
    let text = &piece.unit.text;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let mut found = Vec::new();
    for of in (1..words.len()).filter(|at| lower(*at) == "of") {
        let Some(from) = figure_start(piece, of) else { continue };
        let is_cut =
            |at: &usize| text[words[at - 1].end..words[*at].start].contains([',', ';', ':', '(', '—']);
        let is_conjunction = |at: &usize| matches!(lower(*at), "and" | "but" | "while" | "whereas");
        let begin = (1..=from).rev().find(|at| is_cut(at) || is_conjunction(&(at - 1))).unwrap_or(0);
        found.push(Share {
            figure: words[from].start..words[of - 1].end,
            opening: found.first().map_or(begin, |first: &Share| first.opening),
            before: begin..from,
            after: of + 1..words.len(),
        });
    }
    for at in 1..found.len() {
        let next = found[at].before.clone();
        found[at - 1].after.end = next.start.max(found[at - 1].after.start);
        // "It met 40% of its goals and 9% of its targets."
        if next.is_empty() {
            found[at].before = found[at - 1].before.clone();
        }
    }
    found
}

/// The first word of a figure before "of".
fn figure_start(piece: &Piece, of: usize) -> Option<usize> {
    let words = &piece.words;
    let is_number = |at: usize| words.get(at).is_some_and(Word::is_number);
    let last = of.checked_sub(1)?;
    let before = |count: usize| of.checked_sub(count).filter(|at| is_number(*at));
    match words[last].lower.as_str() {
        "percent" => before(2),
        "cent" => before(3),
        word if is_fraction(word) => {
            let is_article = |at: &usize| matches!(words[*at].lower.as_str(), "a" | "one");
            let counted = before(2).or_else(|| of.checked_sub(2).filter(is_article));
            counted.or_else(|| word.starts_with("hal").then_some(last))
        }
        _ => (is_number(last) && piece.unit.text[words[last].end..].starts_with('%')).then_some(last),
    }
}

/// Whether a sentence states the share with everything that the question asks.
fn says(reading: &Reading, piece: &Piece, share: &Share, asked: &Asked<'_>) -> bool {
    let words = &piece.words;
    let content = |words: &[Word]| -> Vec<Word> {
        words.iter().filter(|word| !word.is_function && !is_nearly(word)).cloned().collect()
    };
    // The subject says whose it is.
    let owned = asked.whole.iter().rposition(|word| word.is_possessive).map_or(0, |at| at + 1);
    let whole = content(&asked.whole[owned..]);
    let after = &words[share.after.clone()];
    let said = content(after);
    let is_whole = !whole.is_empty()
        && said.len() >= whole.len()
        && whole.iter().zip(&said).all(|(one, other)| is_same(one, other));
    if !is_whole || has_other_mood(&words[share.before.clone()]) {
        return false;
    }
    let is_told = |word: &Word| {
        words[..share.opening].iter().chain(after).any(|said| is_same(word, said))
            || reading.is_above(piece, word)
    };
    let before = content(&words[share.before.clone()]);
    if asked.deed.is_empty() {
        return before.is_empty() && !after.iter().take(whole.len() + 4).any(is_other_mood);
    }
    let deed = content(asked.deed);
    // "Line Seven carried": the subject, with the verb at the end.
    let Some((verb, subject)) = before.split_last() else { return false };
    (1..deed.len()).any(|at| {
        deed[at].is_form_of(verb)
            && is_same_thing(reading, &deed[..at], subject)
            && deed[at + 1..].iter().all(is_told)
    })
}

/// Whether a word marks a figure as approximate.
fn is_nearly(word: &Word) -> bool {
    matches!(
        word.lower.as_str(),
        "nearly"
            | "almost"
            | "roughly"
            | "approximately"
            | "around"
            | "least"
            | "exactly"
            | "only"
            | "just"
            | "some"
    )
}

/// Whether the words contain a negation or describe a plan: "aims to repair", but not "50 to 60 percent".
fn has_other_mood(words: &[Word]) -> bool {
    let is_range = |at: usize| words[at].lower == "to" && at > 0 && words[at - 1].is_numeric();
    (0..words.len()).any(|at| is_other_mood(&words[at]) && !is_range(at))
}

fn is_other_mood(word: &Word) -> bool {
    matches!(
        word.lower.as_str(),
        "not"
            | "never"
            | "no"
            | "would"
            | "could"
            | "should"
            | "may"
            | "might"
            | "must"
            | "will"
            | "shall"
            | "to"
            | "if"
            | "unless"
            | "can"
            | "cannot"
            | "didn't"
            | "doesn't"
            | "don't"
            | "won't"
            | "wouldn't"
    )
}
