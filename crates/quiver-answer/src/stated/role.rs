//! What fills a role for a thing: "What was the main blocker for Apollo?", "A key blocker for Project Apollo
//! was …".

use std::ops::Range;

use quiver_language::role::{
    Role, RoleAsked, RoleSaid, asked_role, is_of_first_rank, is_privative, roles_in,
};

use super::{
    Stated, is_same,
    thing::{is_part_of_name, is_same_thing},
};
use crate::{
    candidate::key,
    form::Asks,
    lexicon,
    reading::{Beside, Piece, Reading},
    turn::says_end,
    word::{Word, denies},
};

/// The sentence that says what fills the role asked for, if no sentence contradicts it.
pub(super) fn role(reading: &Reading) -> Option<Stated> {
    let asked = asked_role(&reading.question).filter(|_| !reading.form.is_negative)?;
    let (found, is_agreed) = found(reading, &asked);
    found.first().filter(|_| is_agreed).map(|(first, _)| Stated::whole(*first))
}

/// Whether some sentence says what fills the role that the question asks for.
pub(super) fn is_found(reading: &Reading) -> bool {
    asked_role(&reading.question).is_some_and(|asked| !found(reading, &asked).0.is_empty())
}

/// The sentences that say what fills the role, each with the value, and whether they agree and no other
/// sentence contradicts them.
fn found(reading: &Reading, asked: &RoleAsked) -> (Vec<(usize, String)>, bool) {
    let question = Phrase::of(&reading.form.words, &asked.role);
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, piece) in reading.pieces.iter().enumerate() {
        if !is_told(piece) {
            continue;
        }
        for said in roles_in(&piece.unit.text) {
            let is_in_time = said.is_past.is_none_or(|is_past| is_past == asked.is_past)
                && !said.is_supposed
                && !is_over(piece, &said);
            if let Some(value) = said.value.as_ref().filter(|_| is_in_time)
                && says(reading, at, &said, &question)
                && is_of_type(reading, piece, value, asked.is_person)
            {
                found.push((at, key(&piece.unit.text[value.clone()])));
            }
        }
    }
    let is_agreed = found.first().is_some_and(|(_, value)| {
        found.iter().all(|(_, other)| other.contains(value.as_str()) || value.contains(other.as_str()))
    });
    let is_disputed = reading.pieces.iter().enumerate().any(|(at, piece)| {
        found.iter().all(|(known, _)| *known != at) && tells_otherwise(reading, piece, &question)
    });
    (found, is_agreed && !is_disputed)
}

/// The pieces that cannot answer a question about a role, with the reason: the piece is about another role or
/// thing, is hypothetical, or does not name what fills the role.
pub(super) fn beside(reading: &Reading) -> Vec<(usize, Beside)> {
    let Some(asked) = asked_role(&reading.question).filter(|_| !reading.form.is_negative) else {
        return Vec::new();
    };
    let question = Phrase::of(&reading.form.words, &asked.role);
    let described = question.thing.iter().filter(|word| !word.is_function).count();
    if described > DESCRIBED_MAX {
        return Vec::new();
    }
    let (found, is_agreed) = found(reading, &asked);
    let rivals = found.iter().filter(|_| !is_agreed).map(|(at, _)| (*at, Beside::Relation));
    let told = reading.pieces.iter().enumerate().filter(|(_, piece)| is_told(piece));
    let others =
        told.filter(|(at, _)| found.iter().all(|(known, _)| known != at)).filter_map(|(at, piece)| {
            let said = roles_in(&piece.unit.text);
            let told = said.iter().filter_map(|said| told_by(reading, at, said, &asked, &question));
            // If one clause of a piece may answer, the piece stays.
            match told.reduce(|one, other| if matches!(one, Told::Answer) { one } else { other })? {
                Told::Beside(beside) => Some((at, beside)),
                Told::Answer => None,
            }
        });
    rivals.chain(others).collect()
}

/// Maximum number of words in the name of a thing. Passages may describe a longer one in other words.
const DESCRIBED_MAX: usize = 3;

fn is_told(piece: &Piece) -> bool {
    piece.is_sentence()
}

/// What a sentence contributes to a question about a role.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// Possibly the answer.
    Answer,
    /// Something else.
    Beside(Beside),
}

impl Told {
    fn of(is_beside: bool, beside: Beside) -> Self {
        if is_beside { Self::Beside(beside) } else { Self::Answer }
    }
}

/// What a sentence about a role contributes; `None` if it is about neither the role nor the thing.
fn told_by(
    reading: &Reading,
    at: usize,
    said: &RoleSaid,
    asked: &RoleAsked,
    question: &Phrase<'_>,
) -> Option<Told> {
    let piece = &reading.pieces[at];
    let phrase = Phrase::of(&piece.words, &said.role);
    let (noun, other) = (question.noun?, phrase.noun?);
    // "The Court of Justice" is a name, not the court of a thing called Justice.
    if other.is_capital && !noun.is_capital && other.start > piece.words[0].start {
        return None;
    }
    let is_thing = match &said.role.thing {
        Some(_) => is_same_thing(reading, question.thing, phrase.thing),
        None => is_subject_before(reading, at, question.thing),
    };
    if !is_same(noun, other) {
        let is_said = piece.words.iter().any(|word| is_same(noun, word) || noun.groups & word.groups != 0);
        return is_thing.then(|| Told::of(!is_said, Beside::Relation));
    }
    let has = |words: &[&Word], word: &Word| words.iter().any(|other| is_same(word, other));
    let is_weakened = phrase.part.iter().any(|word| is_privative(&word.lower) && !has(&question.part, word));
    let is_unsaid = question.part.iter().any(|word| {
        !has(&phrase.part, word)
            && !piece.words.iter().any(|said| is_same(word, said))
            && !reading.is_above(piece, word)
    });
    if is_weakened || is_unsaid {
        return Some(Told::Beside(Beside::Relation));
    }
    if !is_thing {
        return Some(Told::of(is_other_thing(piece, question.thing, phrase.thing), Beside::Thing));
    }
    let is_over = !asked.is_past && is_over(piece, said);
    let has_figure =
        !matches!(reading.form.asks, Asks::Count | Asks::Quantity) || piece.words.iter().any(Word::is_number);
    let thing_end =
        said.role.thing.as_ref().map_or(said.role.part.end, |thing| thing.end.max(said.role.part.end));
    let has_name = piece.words.iter().any(|word| word.start > thing_end && word.is_capital);
    let names = said.value.is_some() || if asked.is_person { has_name } else { has_figure };
    Some(Told::of(said.is_supposed || said.is_denied || is_over || !names, Beside::Relation))
}

/// Whether a sentence names another thing: the two names are not parts of each other, or both are proper
/// names, and the names share a word or no piece leads to the sentence.
fn is_other_thing(piece: &Piece, asked: &[Word], said: &[Word]) -> bool {
    let is_within = |part: &[Word], whole: &[Word]| {
        let mut words = part.iter().filter(|word| !word.is_function).peekable();
        words.peek().is_some() && words.all(|word| whole.iter().any(|other| is_same(word, other)))
    };
    let shares = asked.iter().any(|word| !word.is_function && said.iter().any(|other| is_same(word, other)));
    let is_name = |words: &[Word]| words.iter().all(is_part_of_name);
    // "The bridge" may be the one with the name.
    let are_alike = is_name(asked) == is_name(said);
    let is_part = is_within(asked, said) || is_within(said, asked);
    are_alike && !said.is_empty() && (shares || piece.from.is_none()) && (!is_part || is_name(asked))
}

/// The words of a role phrase.
struct Phrase<'w> {
    /// The last word of its name.
    noun: Option<&'w Word>,
    /// The words of the role's name, without those passed over.
    part: Vec<&'w Word>,
    is_of_first_rank: bool,
    link: Option<&'static str>,
    thing: &'w [Word],
    limits: &'w [Word],
}

impl<'w> Phrase<'w> {
    fn of(words: &'w [Word], role: &Role) -> Self {
        let part = within(words, &role.part);
        Self {
            noun: part.last(),
            part: part
                .iter()
                .filter(|word| !is_of_first_rank(&word.lower) && !is_passed_over(word))
                .collect(),
            is_of_first_rank: part.iter().any(|word| is_of_first_rank(&word.lower)),
            link: role.link,
            thing: role.thing.as_ref().map_or(&[], |thing| within(words, thing)),
            limits: within(words, &role.limits),
        }
    }
}

/// The words that start within a byte range.
pub(super) fn within<'w>(words: &'w [Word], range: &Range<usize>) -> &'w [Word] {
    let from = words.partition_point(|word| word.start < range.start);
    let end = words.partition_point(|word| word.start < range.end);
    words.get(from..end).unwrap_or_default()
}

/// Whether a word before a noun does not narrow it: "the *three* reasons", "the *current* head".
fn is_passed_over(word: &Word) -> bool {
    word.is_number() || matches!(word.lower.as_str(), "current" | "present")
}

/// Whether a sentence is about the role that the question asks for.
fn says(reading: &Reading, at: usize, said: &RoleSaid, asked: &Phrase<'_>) -> bool {
    let piece = &reading.pieces[at];
    let phrase = Phrase::of(&piece.words, &said.role);
    let is_part = phrase.part.len() == asked.part.len()
        && phrase.part.iter().zip(&asked.part).all(|(one, other)| is_same(one, other))
        && (phrase.is_of_first_rank || !asked.is_of_first_rank);
    if !is_part || phrase.link != asked.link {
        return false;
    }
    let is_thing = match &said.role.thing {
        Some(_) => is_same_thing(reading, asked.thing, phrase.thing),
        None => is_subject_before(reading, at, asked.thing),
    };
    let content =
        |words: &[Word], is: &dyn Fn(&Word) -> bool| words.iter().filter(|word| !word.is_function).all(is);
    let opening = within(&piece.words, &said.opening);
    let is_known = |word: &Word| is_time(word) || reading.form.words.iter().any(|asked| is_same(asked, word));
    let is_said =
        |word: &Word| piece.words.iter().any(|said| is_same(word, said)) || reading.is_above(piece, word);
    is_thing
        && content(phrase.limits, &is_known)
        && content(opening, &is_known)
        && content(asked.limits, &is_said)
}

/// Whether the preceding sentence begins with the thing.
fn is_subject_before(reading: &Reading, at: usize, thing: &[Word]) -> bool {
    let Some(before) = reading.antecedent(at).map(|before| &reading.pieces[before]) else { return false };
    let from =
        before.words.iter().take_while(|word| matches!(word.lower.as_str(), "the" | "a" | "an")).count();
    let subject = before.words.get(from..from + thing.len());
    subject.is_some_and(|subject| is_same_thing(reading, thing, subject))
}

/// Whether a word gives a time.
fn is_time(word: &Word) -> bool {
    let is_quarter = word.lower.strip_prefix('q').is_some_and(|number| number.parse::<u8>().is_ok());
    word.is_numeric()
        || is_quarter
        || quiver_language::pack::month(&word.lower).is_some()
        || quiver_language::pack::weekday(&word.lower).is_some()
}

/// Whether a value has the type asked for.
fn is_of_type(reading: &Reading, piece: &Piece, value: &Range<usize>, is_person: bool) -> bool {
    let words = within(&piece.words, value);
    let Some(first) = words.first() else { return false };
    let has_figure = || words.iter().any(Word::is_number);
    // "The mayor is a lawyer" says what somebody is, not who it is.
    let is_described = matches!(first.lower.as_str(), "a" | "an");
    let is_name = words.iter().take(2).any(|word| word.is_capital && lexicon::country(&word.lower).is_none());
    match reading.form.asks {
        _ if is_person => !is_described && is_name,
        Asks::Count | Asks::Quantity | Asks::Date => has_figure(),
        Asks::Country => !is_described && first.is_capital,
        Asks::Place | Asks::Organisation => !is_described,
        _ => true,
    }
}

/// Whether a sentence says that the role was filled only in the past: "was Ines Kord until 2019".
fn is_over(piece: &Piece, said: &RoleSaid) -> bool {
    let end = said.value.as_ref().map_or(0, |value| value.start);
    let from = piece.words.partition_point(|word| word.start < end);
    let cut = piece.word_after_break(from, |gap| gap.contains([',', '(', ';', '—']));
    tells_of_the_past(&piece.words[..cut.unwrap_or(piece.words.len())])
}

/// Whether a sentence describes something that has ended.
fn tells_of_the_past(words: &[Word]) -> bool {
    let is_over = |word: &Word| {
        matches!(word.lower.as_str(), "formerly" | "previously" | "former" | "originally" | "until")
    };
    says_end(words) || words.iter().any(is_over)
}

/// Whether a sentence about the role and the thing negates something or describes a change.
fn tells_otherwise(reading: &Reading, piece: &Piece, asked: &Phrase<'_>) -> bool {
    let is_said = |word: &Word| piece.words.iter().any(|said| is_same(word, said));
    let Some(noun) = asked.part.last() else { return false };
    let mut thing = asked.thing.iter().filter(|word| !word.is_function);
    is_said(noun)
        && thing.all(|word| is_said(word) || reading.is_above(piece, word))
        && may_contradict(&piece.words)
}

/// Whether a sentence negates something, or says that it is over or has changed.
pub(super) fn may_contradict(words: &[Word]) -> bool {
    denies(words) || tells_of_the_past(words) || words.iter().any(changes)
}

/// Whether a word announces that something else fills the role from now on.
fn changes(word: &Word) -> bool {
    matches!(
        word.lower.as_str(),
        "now"
            | "new"
            | "became"
            | "becomes"
            | "replace"
            | "replaces"
            | "replaced"
            | "succeed"
            | "succeeds"
            | "succeeded"
            | "stepped"
            | "steps"
            | "quit"
            | "resign"
            | "resigned"
            | "retired"
            | "left"
            | "changed"
            | "moved"
            | "appointed"
            | "instead"
    )
}
