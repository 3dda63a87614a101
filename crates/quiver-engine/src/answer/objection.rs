//! Objections to an answer: rules that no learned weight overrides.

use std::{fmt, ops::Range, sync::LazyLock};

use quiver_language::word::verbs;
use quiver_models::Lexical;
use serde::Serialize;

use super::{
    candidate::{Candidate, Kind, direction},
    cue::{gives_means, gives_reason, instructs, only_points},
    form::{Asks, Form, Role},
    format::{Format, counts_times},
    lexicon::{
        is_colour, is_colour_kind, is_condition, is_length, is_season_or_time, number, says_day_or_month,
    },
    reading::{Beside, Piece, Reading, Said, Wanted, tokens},
    stated::{is_identifier, is_reversed, lacks_default},
    turn::{is_outdated, only_supposes, tells_of_other},
    unit::{UnitKind, announces},
    word::{Word, says_any, words, words_of},
};

/// Why an answer is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Objection {
    /// A word of the question is in no passage.
    Unknown,
    /// The sentences that lead to the answer do not name what the question names.
    OtherThing,
    /// The sentence does not state the relation that the question asks for.
    OtherRelation,
    /// The sentence states the relation in the other direction, or has "from" where the question has "to".
    Direction,
    /// The sentence says the opposite: "after" where the question has "before".
    Opposite,
    /// The sentence is negated and the question is not, or the reverse.
    Negation,
    /// The sentence describes something that has ended.
    Over,
    /// A later turn says as much about it, and something else.
    Outdated,
    /// It is from a conversation, and its type can't be checked.
    InConversation,
    /// The answer does not have the type asked for.
    Type,
    /// The question asks for several things, and this is one.
    One,
    /// The answer only repeats the question.
    NothingNew,
    /// Yes or no, based on a single sentence.
    YesOrNo,
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "a word of the question occurs in no passage",
            Self::OtherThing => "its sentence is not about what the question names",
            Self::OtherRelation => "its sentence does not say what is asked",
            Self::Direction => "its sentence says it the other way round",
            Self::Opposite => "its sentence contains the opposite of a word of the question",
            Self::Negation => "its sentence and the question differ in negation",
            Self::Over => "its sentence is about the past",
            Self::Outdated => "something else was said about it later",
            Self::InConversation => {
                "it is from a conversation, which answers only who, where, when and how much"
            }
            Self::Type => "it is not of the type asked for",
            Self::One => "the question asks for several things, and it is only one",
            Self::NothingNew => "it repeats the question",
            Self::YesOrNo => "a yes or no would be based on a single sentence",
        })
    }
}

/// Minimum share of the relation words that a sentence must contain.
const RELATION_LEAST: f32 = 0.75;
/// Minimum share of the question that a summary must cover.
const COVER_LEAST: f32 = 0.6;
/// Minimum fit of a value to the type asked for.
const FIT_LEAST: f32 = 0.4;
/// Minimum weight, relative to the question's heaviest word, for a word to distinguish one thing from
/// another.
const TELLING_LEAST: f32 = 0.7;
/// The same for a word of a name.
const NAME_LEAST: f32 = 0.5;
/// Minimum number of words in a sentence that are not in the question.
const NEW_WORDS_LEAST: usize = 2;

/// The objection to a value as the answer.
pub(super) fn of_value(reading: &Reading, candidate: &Candidate) -> Option<Objection> {
    let piece = &reading.pieces[candidate.piece];
    let form = &reading.form;
    let inside = |word: &&Word| candidate.range.start <= word.start && word.end <= candidate.range.end;
    let first = piece.words.iter().position(|word| inside(&word));
    let chained = piece.chained[piece.chained.len() - 1];
    if is_unknown(reading, chained) {
        return Some(Objection::Unknown);
    }
    if is_unchecked(reading, piece) {
        return Some(Objection::InConversation);
    }
    let is_strict = reading.pages[piece.source].turn.is_some()
        || form.asks == Asks::Count && reading.is_in_section(piece);
    if is_strict && is_loose(reading, piece, candidate) {
        return Some(Objection::Type);
    }
    if leaves_name_open(reading, piece, NAME_LEAST) {
        return Some(Objection::OtherThing);
    }
    let of_turn = || of_turn(reading, piece, Some(&candidate.text));
    if let Some(objection) = of_piece(reading, piece, first).or_else(of_turn) {
        return Some(objection);
    }
    let has = |list: &[&str]| says_any(&piece.words, list) && !says_any(&form.words, list);
    if denies(&piece.words) != form.is_negative {
        return Some(Objection::Negation);
    }
    if has(&["formerly", "previously", "originally", "former", "longer"]) {
        return Some(Objection::Over);
    }
    let lacks_colour = asks_colour(reading)
        && piece.unit.kind != UnitKind::Row
        && !piece.words.iter().filter(inside).any(|word| is_colour(&word.lower));
    let lacks_format = reading.format.is_some_and(|format| match format {
        Format::Extent => false,
        Format::Frequency => !is_repeated(&piece.words, first, &candidate.text),
        // Written in groups of digits, it is several values.
        Format::Phone => true,
        format => {
            let own: Vec<Word> = piece.words.iter().filter(inside).cloned().collect();
            !format.is_in(form, &candidate.text, &own, false)
        }
    });
    let is_clause = || {
        let mut own = piece.words.iter().filter(inside);
        own.any(|word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were"))
    };
    let is_unfit =
        form.asks.is_typed() && (candidate.fit < FIT_LEAST || is_clause() || is_price(form, &candidate.text));
    if is_unfit || lacks_format || lacks_colour || lacks_measured(reading, piece) {
        return Some(Objection::Type);
    }
    if repeats(form, piece.words.iter().filter(inside), candidate.kind) {
        return Some(Objection::NothingNew);
    }
    if form.is_list && candidate.kind != Kind::List {
        return Some(Objection::One);
    }
    let is_turned = |first: usize| {
        direction(reading, &piece.words, first) < 0.0 || is_object_of_relation(reading, piece, first)
    };
    if first.is_some_and(is_turned) {
        return Some(Objection::Direction);
    }
    if only_asks_who(form, &piece.words) {
        return Some(Objection::OtherRelation);
    }
    let is_in_other_cell = piece.unit.kind == UnitKind::Row && !answers_by_head(reading, piece, candidate);
    is_in_other_cell.then_some(Objection::OtherRelation)
}

/// The objection to a sentence of a turn of a conversation, or to a value in it. `value` is the text that should have
/// the type asked for; `None` if none has it.
pub(super) fn of_turn(reading: &Reading, piece: &Piece, value: Option<&str>) -> Option<Objection> {
    let turn = reading.pages[piece.source].turn.as_ref()?;
    if tells_of_other(reading, piece, turn) {
        return Some(Objection::OtherThing);
    }
    if only_supposes(reading, piece) {
        return Some(Objection::OtherRelation);
    }
    let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let is_of_type = value.is_some_and(|value| match reading.form.asks {
        // "Last week" means another week today.
        Asks::Date => has_digit(value) || says_day_or_month(value),
        Asks::Count | Asks::Quantity => {
            has_digit(value) || words_of(value).iter().any(|word| number(word).is_some())
        }
        _ => true,
    });
    if reading.form.asks.is_typed() && !is_of_type {
        return Some(Objection::Type);
    }
    is_outdated(reading, piece, turn).then_some(Objection::Outdated)
}

/// Whether a value of a turn is only near what is asked for: a number that counts something else, or a name with words of
/// the question.
fn is_loose(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let is_kind = |word: &Word| {
        let mut kinds = reading.wanted.iter().filter(|wanted| wanted.role == Role::Kind);
        kinds.any(|kind| reading.agreement(kind, word) > 0.0)
    };
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) >= 1.0);
    let mut within = piece.words.iter().filter(|word| candidate.range.contains(&word.start));
    let after = piece.words.iter().filter(|word| word.start >= candidate.range.end).take(COUNTED_AFTER);
    match reading.form.asks {
        Asks::Count => candidate.kind != Kind::Cell && !within.chain(after).any(is_kind),
        Asks::Person => within.any(is_asked),
        _ => false,
    }
}

/// Maximum distance in words between a number and what it counts.
const COUNTED_AFTER: usize = 2;

/// Whether a question without a type would be answered from a turn. People leave out what both of them know, so only
/// answers whose type can be checked are given.
fn is_unchecked(reading: &Reading, piece: &Piece) -> bool {
    reading.pages[piece.source].turn.is_some() && !reading.form.asks.is_typed()
}

/// Whether a value tells how often, by itself or after "every": "every *24 hours*", but not "after 24 hours".
fn is_repeated(words: &[Word], first: Option<usize>, value: &str) -> bool {
    let before = first.and_then(|first| first.checked_sub(1)).map_or("", |at| words[at].lower.as_str());
    matches!(before, "every" | "each" | "per")
        || words_of(value).iter().any(|word| counts_times(word) || word == "a")
}

/// Whether a value is an amount of money and the question asks how many there are of something.
pub(super) fn is_price(form: &Form, value: &str) -> bool {
    form.asks == Asks::Count && value.contains(['$', '€', '£', '¥'])
}

/// Whether the question asks for a colour.
fn asks_colour(reading: &Reading) -> bool {
    let mut kinds = reading.wanted.iter().filter(|wanted| wanted.role == Role::Kind);
    kinds.any(|wanted| is_colour_kind(&reading.form.words[wanted.word].lower))
}

/// Whether the question asks how much there is of something that neither the sentence nor its headings name.
fn lacks_measured(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let is_asked = form.asks == Asks::Quantity
        && form.words.windows(2).any(|pair| pair[0].lower == "how" && pair[1].lower == "much");
    let mut kinds = reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == Role::Kind);
    is_asked && !kinds.all(|(bit, _)| piece.own.exact >> bit & 1 == 1)
}

/// Whether a sentence contains a colour word: "a green cap".
pub(super) fn says_colour(words: &[Word]) -> bool {
    words.iter().any(|word| is_colour(&word.lower))
}

/// The objection to a whole sentence as the answer.
pub(super) fn of_sentence(reading: &Reading, at: usize, holds_type: bool) -> Option<Objection> {
    if leaves_name_open(reading, &reading.pieces[at], NAME_LEAST) {
        return Some(Objection::OtherThing);
    }
    at_the_end_of_a_path(reading, at, holds_type)
}

/// The objection to the last sentence of a path. The sentences before it may name what the question names.
pub(super) fn at_the_end_of_a_path(reading: &Reading, at: usize, holds_type: bool) -> Option<Objection> {
    let piece = &reading.pieces[at];
    if is_unchecked(reading, piece) {
        return Some(Objection::InConversation);
    }
    let typed = holds_type.then_some(piece.unit.text.as_str());
    if let Some(objection) = of_piece(reading, piece, None).or_else(|| of_turn(reading, piece, typed)) {
        return Some(objection);
    }
    let asked = |word: &&Word| {
        reading.form.words.iter().any(|asked| {
            // A compound is not the same word as its parts.
            asked.lower == word.lower || word.stems.first().is_some_and(|stem| asked.stems.contains(stem))
        })
    };
    let before = reading.antecedent(at).map_or(&[][..], |before| &reading.pieces[before].words);
    let words = before.iter().chain(&piece.words);
    let new = words.filter(|word| !word.is_function && !asked(word)).count();
    // "Use case: undo the last operation" only repeats the question.
    let repeats = piece.unit.text.split_once(": ").is_some_and(|(label, _)| {
        let rest = piece.words.iter().filter(|word| word.start > label.len());
        let mut rest = rest.filter(|word| !word.is_function).peekable();
        rest.peek().is_some() && rest.all(|word| asked(&word))
    });
    let text = piece.unit.text.trim_end();
    let is_part = piece.unit.kind == UnitKind::Prose && text.starts_with(|c: char| c.is_ascii_lowercase());
    // A line of code may be an example of something else; a sentence that announces code is quoted with it.
    let is_open = text.ends_with('?') || piece.unit.kind == UnitKind::Code;
    let is_new = new >= NEW_WORDS_LEAST || reading.form.asks.is_typed() && holds_type && new > 0;
    let asks_the_same = asks_indirectly(&reading.form, &piece.words) && !holds_type;
    if !is_new || is_open || is_part || repeats || asks_the_same {
        return Some(Objection::NothingNew);
    }
    if reading.form.asks != Asks::YesNo && !reading.form.is_negative && denies_asked(reading, piece) {
        return Some(Objection::Negation);
    }
    if is_condition_alone(reading, piece)
        || only_asks_who(&reading.form, &piece.words)
        || lacks_field(reading, piece)
        || is_supposed(reading, piece)
        || is_outcome_alone(reading, at)
        || lacks_reason(reading, at)
    {
        return Some(Objection::OtherRelation);
    }
    if is_gone(&piece.words) && !is_gone(&reading.form.words) {
        return Some(Objection::Over);
    }
    if is_reversed(reading, piece) {
        return Some(Objection::Direction);
    }
    let lacks_colour = asks_colour(reading)
        && piece.unit.kind != UnitKind::Row
        && !says_colour(&piece.words)
        && !says_colour(before);
    if reading.form.asks == Asks::Count && !holds_type
        || reading.form.asks == Asks::Person && instructs(&piece.words)
        || lacks_colour
        || lacks_program_name(reading, piece)
        || reading
            .format
            .is_some_and(|format| !format.is_in(&reading.form, text, &piece.words, piece.unit.has_code))
        || lacks_measured(reading, piece)
        || only_refers_to_kind(reading, piece)
        || lacks_place(reading, piece, holds_type)
        || reading.form.asks == Asks::Way && !gives_means(reading, at)
        || only_points(reading, piece)
    {
        return Some(Objection::Type);
    }
    let next =
        reading.pieces.get(at + 1).filter(|next| next.source == piece.source).map(|next| next.unit.kind);
    // What the sentence announces is in another passage.
    if announces(text) && next.is_none() {
        return Some(Objection::NothingNew);
    }
    let announces = announces(text) && matches!(next, Some(UnitKind::Item | UnitKind::Row));
    if announces || !reading.form.is_list {
        return None;
    }
    let lists_several = text.contains([',', ';']) || joins_things(&piece.words);
    let is_too_few = lists_too_few(reading, piece) || !lists_several && !says_the_one(reading, piece);
    is_too_few.then_some(Objection::One)
}

/// Whether a question asks for several things by their number, and the sentence has fewer parts: "There are four kinds
/// of looms, all of oak" for "What are the four kinds of looms?"
fn lists_too_few(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let Some(kind) = form.kind else { return false };
    let before = &form.words[kind.saturating_sub(NUMBER_BEFORE)..kind];
    let value = |word: &Word| number(&word.lower).or_else(|| word.lower.parse().ok());
    let Some(asked) = before.iter().find_map(value) else { return false };
    let text = &piece.unit.text;
    let joints = text.matches(", ").count()
        + text.matches(';').count()
        + piece.words.iter().filter(|word| matches!(word.lower.as_str(), "and" | "or")).count();
    joints + 1 < asked as usize
}

/// Maximum distance in words between a number and the noun it counts: "the four *main* kinds".
const NUMBER_BEFORE: usize = 3;

/// Whether a sentence only says that something has the answer: "controls *how long* sessions are kept".
fn asks_indirectly(form: &Form, words: &[Word]) -> bool {
    let Some([asked, next, ..]) = form.question_word.map(|at| &form.words[at..]) else { return false };
    // "How to" and "what is" are no phrases of their own.
    let is_phrase = match asked.lower.as_str() {
        "how" => !next.is_function || matches!(next.lower.as_str(), "many" | "much"),
        "which" | "what" => !next.is_function,
        _ => false,
    };
    is_phrase && words.windows(2).any(|pair| pair[0].lower == asked.lower && pair[1].lower == next.lower)
}

/// Whether the question asks who does something, and the sentence only says that somebody does: "Say *who will* lead
/// the guild".
fn only_asks_who(form: &Form, words: &[Word]) -> bool {
    let is_who = |at: &usize| words[*at].lower == "who";
    let is_asking = |at: usize| at.checked_sub(1).is_none_or(|before| words[before].is_function);
    form.asks == Asks::Person && (0..words.len()).filter(is_who).any(is_asking)
}

/// Whether a value is the object of a relation for which the question gives another object: in "They enforce *the rules
/// of the guild*" for "Who enforces the oath?"
fn is_object_of_relation(reading: &Reading, piece: &Piece, first: usize) -> bool {
    let is_determiner = |word: &&Word| {
        matches!(word.lower.as_str(), "the" | "a" | "an" | "this" | "his" | "her" | "its" | "their" | "our")
    };
    let Some(before) = piece.words[..first].iter().rev().find(|word| !is_determiner(word)) else {
        return false;
    };
    let asked = &reading.form.words;
    let has_object = |wanted: &Wanted| {
        let after = asked[wanted.word + 1..].iter().find(|word| !is_determiner(word));
        after.is_some_and(|after| !after.is_function)
    };
    let is_relation = |wanted: &&Wanted| {
        matches!(wanted.role, Role::Outer | Role::Inner) && reading.agreement(wanted, before) >= 1.0
    };
    reading.form.asks == Asks::Person
        && is_verbal_form(&before.lower)
        && reading.wanted.iter().filter(is_relation).any(has_object)
}

/// Whether a word is a form of a verb: "enforces", "enforcing".
fn is_verbal_form(word: &str) -> bool {
    word.ends_with("ing") || verbs(word).next().is_some()
}

/// Whether a row, with its title and headings, has none of the words for what is asked of a thing: no column for the
/// status of the gate.
fn lacks_field(reading: &Reading, piece: &Piece) -> bool {
    let mut asked = reading
        .wanted
        .iter()
        .enumerate()
        .filter(|(_, wanted)| matches!(wanted.role, Role::Outer | Role::Kind))
        .peekable();
    piece.unit.kind == UnitKind::Row
        && asked.peek().is_some()
        && !asked.any(|(bit, _)| piece.with_context.has(bit) || piece.said.has(bit))
}

/// Whether the question asks for a reason, and neither the sentence nor the text that it is quoted with gives one.
fn lacks_reason(reading: &Reading, at: usize) -> bool {
    let gives = |piece: &Piece| gives_reason(&piece.words);
    reading.form.asks == Asks::Reason
        && says_any(&reading.form.words, &["why", "reason"])
        && !reading.pieces[reading.context(at)].iter().any(gives)
}

/// Whether a sentence states only the result of a method that a sentence before it describes, which is not quoted with
/// it: "That way, guests can …"
fn is_outcome_alone(reading: &Reading, at: usize) -> bool {
    let mut words = reading.pieces[at].words.iter().map(|word| word.lower.as_str());
    let refers = matches!((words.next(), words.next()), (Some("this" | "that"), Some("way")));
    reading.form.asks == Asks::Way && refers && reading.antecedent(at).is_none()
}

/// Whether a sentence only supposes what the question takes as fact: "could be removed" when the question
/// says "is removed".
fn is_supposed(reading: &Reading, piece: &Piece) -> bool {
    let supposes = |words: &[Word]| says_any(words, &["could", "would", "might"]);
    let is_relation = |wanted: &&Wanted| matches!(wanted.role, Role::Outer | Role::Inner);
    let is_said = |word: &Word| {
        reading.wanted.iter().filter(is_relation).any(|wanted| reading.agreement(wanted, word) >= 1.0)
    };
    reading.form.asks == Asks::Reason
        && !supposes(&reading.form.words)
        && piece.words.iter().enumerate().any(|(at, word)| {
            is_said(word) && supposes(&piece.words[at.saturating_sub(SUPPOSING_BEFORE)..at])
        })
}

/// Maximum distance in words between an auxiliary and its verb.
const SUPPOSING_BEFORE: usize = 3;

/// Whether the words say that something no longer exists.
fn is_gone(words: &[Word]) -> bool {
    let is_be = |word: &Word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "been");
    words.windows(2).any(|pair| {
        is_be(&pair[0])
            && matches!(
                pair[1].lower.as_str(),
                "removed" | "dropped" | "discontinued" | "deprecated" | "obsolete"
            )
    })
}

/// Whether the question asks where something is, and the sentence has no place: no name of one, nothing after "in" or the
/// like, and no path or address.
fn lacks_place(reading: &Reading, piece: &Piece, holds_type: bool) -> bool {
    let is_time =
        |word: &Word| word.is_numeric() || is_season_or_time(&word.lower) || says_day_or_month(&word.lower);
    let mut pairs = piece.words.windows(2);
    let is_placed = |pair: &[Word]| {
        let is_preposition = matches!(
            pair[0].lower.as_str(),
            "in" | "at"
                | "on"
                | "under"
                | "inside"
                | "into"
                | "near"
                | "within"
                | "from"
                | "to"
                | "via"
                | "behind"
                | "below"
                | "above"
                | "beside"
                | "next"
                | "through"
                | "outside"
        );
        is_preposition && !is_time(&pair[1])
    };
    let has_path = || piece.unit.text.split_whitespace().any(|token| token.contains(['/', '\\', '@']));
    matches!(reading.form.asks, Asks::Place | Asks::Country)
        && !holds_type
        && !piece.unit.has_code
        && piece.unit.kind != UnitKind::Row
        && !has_path()
        && !pairs.any(is_placed)
}

/// Whether a sentence only refers to a thing of the kind asked for: "lands at the given pier" does not say at which
/// pier, but "at the following pier: 12" does.
fn only_refers_to_kind(reading: &Reading, piece: &Piece) -> bool {
    let kinds: Vec<_> = reading.wanted.iter().filter(|wanted| wanted.role == Role::Kind).collect();
    let is_kind = |at: &usize| kinds.iter().any(|kind| reading.agreement(kind, &piece.words[*at]) >= 1.0);
    let said: Vec<usize> = (0..piece.words.len()).filter(is_kind).collect();
    let Some(last) = said.last() else { return false };
    let is_indefinite = |at: usize| reading.form.asks == Asks::Thing && is_indefinite(piece, at);
    said.iter().all(|at| is_referred_to(&piece.words, *at) || is_indefinite(*at))
        && !piece.words[*last..].iter().any(Word::is_number)
}

/// Whether a noun only refers to a thing said elsewhere: "the specified address and *port*".
pub(super) fn is_referred_to(words: &[Word], at: usize) -> bool {
    says_any(&words[at.saturating_sub(REFERENCE_BEFORE)..at], &REFERRING)
}

/// Whether a noun means any thing of its kind and is not followed by its name: "ask *a dyer*", but not "Ida is a dyer",
/// "a dyer called Ida".
fn is_indefinite(piece: &Piece, at: usize) -> bool {
    let words = &piece.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let is_article = |at: &usize| matches!(lower(*at), "a" | "an" | "any" | "some" | "another");
    let Some(article) = (at.saturating_sub(REFERENCE_BEFORE)..at).rev().find(is_article) else {
        return false;
    };
    let before = article.checked_sub(1).map_or("", lower);
    let is_told = matches!(before, "is" | "are" | "was" | "were" | "as" | "became" | "be" | "called");
    let is_named = words.get(at + 1).is_some_and(|next| {
        let gap = &piece.unit.text[words[at].end..next.start];
        gap.trim() != ""
            || next.is_capital
            || next.is_numeric()
            || matches!(lower(at + 1), "called" | "named")
    });
    !is_told && !is_named
}

/// Maximum distance in words between an adjective that refers and its noun.
const REFERENCE_BEFORE: usize = 3;

/// Adjectives that refer to a thing said elsewhere.
const REFERRING: [&str; 13] = [
    "specified",
    "given",
    "same",
    "following",
    "above",
    "configured",
    "selected",
    "chosen",
    "desired",
    "corresponding",
    "respective",
    "appropriate",
    "certain",
];

/// Whether the question asks for something with an identifier ("which setting", "what command") and the
/// sentence contains no identifier that the question does not.
fn lacks_program_name(reading: &Reading, piece: &Piece) -> bool {
    let mut tokens = piece.unit.text.split_whitespace();
    let is_new_name = |token: &str| is_identifier(token) && !reading.asked.contains(&token.to_lowercase());
    let form = &reading.form;
    asks_program_name(form) && !form.is_list && !piece.unit.has_code && !tokens.any(is_new_name)
}

/// Whether the question asks for something that programs give an identifier.
pub(super) fn asks_program_name(form: &Form) -> bool {
    form.kind.is_some_and(|kind| {
        matches!(
            form.words[kind].lower.as_str(),
            "option"
                | "setting"
                | "flag"
                | "parameter"
                | "argument"
                | "variable"
                | "property"
                | "attribute"
                | "field"
                | "key"
                | "command"
                | "subcommand"
                | "function"
                | "method"
                | "header"
                | "directive"
                | "annotation"
        )
    })
}

/// Whether "and" or "or" joins things rather than clauses: "supports wool and flax", but not "supports wool and
/// ships by rail".
fn joins_things(words: &[Word]) -> bool {
    let is_verb = |word: &Word| {
        let base = || verbs(&word.lower).next().is_some_and(|base| base != word.lower);
        !word.is_capital && word.lower.ends_with('s') && base()
    };
    let joins = |three: &[Word]| matches!(three[1].lower.as_str(), "and" | "or");
    let has_object =
        |after: usize| words.get(after).is_some_and(|next| matches!(next.lower.as_str(), "it" | "them"));
    let mut threes = words.windows(3).enumerate();
    threes
        .any(|(at, three)| joins(three) && !has_object(at + 3) && (!is_verb(&three[2]) || is_verb(&three[0])))
}

/// Whether a sentence names the only thing of the kind asked for: "its blocker was a licence dispute".
fn says_the_one(reading: &Reading, piece: &Piece) -> bool {
    let kinds: Vec<_> = reading.wanted.iter().filter(|wanted| wanted.role == Role::Kind).collect();
    piece.words.windows(2).any(|pair| {
        matches!(pair[1].lower.as_str(), "is" | "was")
            && kinds.iter().any(|kind| reading.agreement(kind, &pair[0]) >= 1.0)
    })
}

/// The objection to sentences as a summary: they do not name its subject.
pub(super) fn of_summary(reading: &Reading, pieces: &[usize]) -> Option<Objection> {
    let said = pieces.iter().map(|at| reading.pieces[*at].with_context).fold(Said::default(), Said::and);
    let names = reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == Role::Name);
    let is_named = names.clone().all(|(bit, _)| said.exact >> bit & 1 == 1);
    let covers = names.count() > 0 || reading.cover(said) >= COVER_LEAST;
    (!is_named || !covers).then_some(Objection::OtherThing)
}

/// Reasons for doubt, as shares of the question's weight. Learned weights decide how much each counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubts {
    /// Share of the relation words that the sentence itself contains.
    pub(super) relation: f32,
    /// Share of the names, numbers and rarest words that the path covers.
    pub(super) things: f32,
    /// The heaviest word that the path does not cover, relative to the heaviest word of all.
    pub(super) unsaid: f32,
}

impl Doubts {
    pub(super) fn of(reading: &Reading, piece: &Piece) -> Self {
        let chained = piece.chained[piece.chained.len() - 1];
        let share = |said: Said, is: &dyn Fn(&Wanted) -> bool| {
            let (mut sum, mut whole) = (0.0, 0.0);
            for (bit, wanted) in reading.wanted.iter().enumerate().filter(|(_, wanted)| is(wanted)) {
                whole += wanted.weight;
                sum += if said.has(bit) { wanted.weight } else { 0.0 };
            }
            if whole > 0.0 { sum / whole } else { 1.0 }
        };
        let most = reading.wanted.iter().map(|wanted| wanted.weight).fold(f32::MIN_POSITIVE, f32::max);
        let is_telling = |wanted: &Wanted| wanted.role != Role::Kind && wanted.weight >= TELLING_LEAST * most;
        let is_figure = |wanted: &Wanted| reading.form.words[wanted.word].is_numeric();
        let has_outer = reading.has_role(Role::Outer);
        let is_relation = |wanted: &Wanted| {
            wanted.role == Role::Outer
                || !has_outer && wanted.role == Role::Kind && !reading.form.asks.is_typed()
        };
        let unsaid = reading
            .wanted
            .iter()
            .enumerate()
            .filter(|(bit, wanted)| wanted.role != Role::Kind && !chained.has(*bit));
        Self {
            relation: share(piece.own, &is_relation),
            things: share(chained, &|wanted| {
                wanted.role == Role::Name || is_figure(wanted) || is_telling(wanted)
            }),
            unsaid: unsaid.map(|(_, wanted)| wanted.weight).fold(0.0, f32::max) / most,
        }
    }

    /// The doubt to report, if any.
    pub(super) fn objection(self) -> Option<Objection> {
        if self.things < 1.0 {
            return Some(Objection::OtherThing);
        }
        (self.relation < RELATION_LEAST).then_some(Objection::OtherRelation)
    }
}

/// Whether neither a piece nor what leads to it says a word of a name in the question that weighs this much, relative to
/// the heaviest word of all.
fn leaves_name_open(reading: &Reading, piece: &Piece, weight_least: f32) -> bool {
    let chained = piece.chained[piece.chained.len() - 1];
    let most = reading.wanted.iter().map(|wanted| wanted.weight).fold(0.0, f32::max);
    reading.wanted.iter().enumerate().any(|(bit, wanted)| {
        wanted.role == Role::Name && wanted.weight >= weight_least * most && !chained.has(bit)
    })
}

/// Whether a row needs a path to say what another one says by itself: two tickets have the same owner, and the question
/// names one of them.
fn is_said_alone_elsewhere(reading: &Reading, piece: &Piece) -> bool {
    let chained = piece.chained[piece.chained.len() - 1];
    let all = chained.exact | chained.near;
    let own = piece.with_context.exact | piece.with_context.near;
    let is_row = |piece: &Piece| piece.unit.kind == UnitKind::Row;
    let says_all = |other: &Piece| is_row(other) && other.with_context.exact & all == all;
    is_row(piece) && all != own && reading.pieces.iter().any(says_all)
}

/// Whether neither a piece of a document nor what leads to it says the year in the question.
fn leaves_year_open(reading: &Reading, piece: &Piece) -> bool {
    let chained = piece.chained[piece.chained.len() - 1];
    let is_document = reading.pages[piece.source].turn.is_none();
    is_document
        && reading.wanted.iter().enumerate().any(|(bit, wanted)| {
            let asked = &reading.form.words[wanted.word].lower;
            asked.len() == 4 && asked.bytes().all(|byte| byte.is_ascii_digit()) && !chained.has(bit)
        })
}

/// The objection to a sentence, or to the value that begins at the given word of it.
fn of_piece(reading: &Reading, piece: &Piece, value: Option<usize>) -> Option<Objection> {
    match piece.beside {
        Some(Beside::Thing) => return Some(Objection::OtherThing),
        Some(Beside::Relation) => return Some(Objection::OtherRelation),
        None => {}
    }
    let chained = piece.chained[piece.chained.len() - 1];
    if leaves_name_open(reading, piece, TELLING_LEAST)
        || leaves_year_open(reading, piece)
        || is_said_alone_elsewhere(reading, piece)
        || reading.names_another(piece)
        || is_of_other_row(reading, piece)
        || is_of_other_section(reading, piece)
    {
        return Some(Objection::OtherThing);
    }
    // The sentence names the subject of another passage and does not answer the question itself.
    let is_step = piece.beyond > reading.cover(chained) + 0.01;
    if is_step && Doubts::of(reading, piece).relation < RELATION_LEAST {
        return Some(Objection::OtherRelation);
    }
    let other_says_kind = piece.from.is_some_and(|from| says_kind(reading, &reading.pieces[from]));
    if reading.form.asks == Asks::Thing && other_says_kind && !says_kind(reading, piece) {
        return Some(Objection::OtherRelation);
    }
    if lacks_default(reading, piece) {
        return Some(Objection::OtherRelation);
    }
    if is_opposite(&reading.form, piece) {
        return Some(Objection::Opposite);
    }
    if tells_of_the_measure(&reading.form, piece) {
        return Some(Objection::OtherThing);
    }
    if reading.form.is_negative && !denies(&piece.words) {
        return Some(Objection::Negation);
    }
    (!agrees_in_direction(reading, piece, value)).then_some(Objection::Direction)
}

/// Whether another section of the same passage is about what the question names: its heading has a word of the question
/// that this piece and its headings lack, and that is a name, or that section says all else that this piece does.
fn is_of_other_section(reading: &Reading, piece: &Piece) -> bool {
    let heading = &piece.unit.heading;
    let title = reading.pages[piece.source].title_said.exact;
    reading.pieces.iter().any(|other| {
        if other.source != piece.source || other.unit.heading.starts_with(heading.as_str()) {
            return false;
        }
        let has_all = other.own.exact & piece.own.exact == piece.own.exact;
        reading.wanted.iter().enumerate().any(|(bit, wanted)| {
            let is_in_heading = (other.above.exact & !title) >> bit & 1 == 1;
            is_in_heading && !piece.with_context.has(bit) && (has_all || wanted.role == Role::Name)
        })
    })
}

/// Whether a row begins with another identifier than the one asked about: a row about `ShowLog` for "What does
/// `HideLog` do?"
fn is_of_other_row(reading: &Reading, piece: &Piece) -> bool {
    let is_key = |text: &str| !text.contains(' ') && is_identifier(text);
    let Some((_, first)) = piece.unit.cells.first().filter(|(_, first)| is_key(first)) else { return false };
    // "two-factor" and "e-mail" are ordinary words.
    let is_ordinary = |text: &str| !text.contains(|c: char| c == '_' || c.is_uppercase() || c.is_numeric());
    let mut asked = tokens(&reading.question).filter(|token| is_key(token) && !is_ordinary(token));
    let page = &reading.pages[piece.source];
    let is_in = |text: &str, token: &str| tokens(text).any(|other| other.eq_ignore_ascii_case(token));
    let around = [&piece.unit.text, &page.title, &piece.unit.heading];
    !is_in(&reading.question, first) && asked.any(|token| !around.iter().any(|text| is_in(text, token)))
}

/// Whether a sentence is about the standard of comparison: "Why is tin softer than *iron*?"
fn tells_of_the_measure(form: &Form, piece: &Piece) -> bool {
    let Some(than) = form.words.iter().position(|word| word.lower == "than") else { return false };
    let content =
        |words: &[Word], is: &dyn Fn(&Word) -> bool| words.iter().any(|word| !word.is_function && is(word));
    let first = piece.words.iter().find(|word| !word.is_function);
    let is_measure = |word: &Word| content(&form.words[than + 1..], &|asked| asked.lower == word.lower);
    let subject = form.words[..than].iter().find(|word| !word.is_function);
    let is_named = subject.is_some_and(|subject| content(&piece.words, &|word| word.lower == subject.lower));
    first.is_some_and(is_measure) && !is_named
}

/// Whether a sentence contains what is asked only as a condition: "If you open the gate, …" does not say how
/// to open it.
fn is_condition_alone(reading: &Reading, piece: &Piece) -> bool {
    let lower = |at: usize| piece.words.get(at).map_or("", |word| word.lower.as_str());
    let is_wish = matches!(lower(2), "want" | "need" | "wish" | "would" | "like" | "prefer" | "intend");
    let is_supposed = match reading.form.asks {
        Asks::Way => is_condition(lower(0)),
        // "When the keeper opens the gate, …" says who does; "if the keeper …" does not.
        Asks::Person => lower(0) == "if",
        _ => false,
    };
    if !is_supposed || is_wish {
        return false;
    }
    let comma = piece.word_after_break(0, |gap| gap.contains(','));
    let is_in_question = reading.form.words.iter().any(|word| matches!(word.lower.as_str(), "if" | "when"));
    let says = |words: &[Word]| reading.cover(reading.said(words));
    !is_in_question && comma.is_some_and(|comma| says(&piece.words[comma..]) == 0.0)
}

/// Whether a question word that occurs in no passage is left uncovered.
fn is_unknown(reading: &Reading, said: Said) -> bool {
    reading
        .wanted
        .iter()
        .enumerate()
        .any(|(bit, wanted)| wanted.is_unknown && wanted.role != Role::Kind && !said.has(bit))
}

/// Whether a sentence names the kind of the answer: "what *monitoring* is needed".
fn says_kind(reading: &Reading, piece: &Piece) -> bool {
    reading.wanted.iter().enumerate().any(|(bit, wanted)| wanted.role == Role::Kind && piece.said.has(bit))
}

/// Whether a value mostly repeats the question, apart from numbers and the noun asked for: "64 bit systems"
/// is not a limit "on 32 bit systems". A phrase may begin with given words.
fn repeats<'w>(form: &Form, value: impl Iterator<Item = &'w Word>, kind: Kind) -> bool {
    let is_given = |word: &Word| {
        form.words.iter().enumerate().any(|(at, asked)| {
            form.kind != Some(at) && word.stems.first().is_some_and(|stem| asked.stems.contains(stem))
        })
    };
    // "3 hours" answers "how long" even if the question mentions hours.
    let is_measure =
        |word: &&Word| kind == Kind::Quantity && (is_length(&word.lower) || is_season_or_time(&word.lower));
    let given: Vec<bool> = value
        .filter(|word| !word.is_function && !word.is_numeric() && !is_measure(word))
        .map(is_given)
        .collect();
    let is_phrase = matches!(kind, Kind::Phrase | Kind::Complement | Kind::List);
    let repeated = given.iter().filter(|given| **given).count();
    is_phrase && given.first() == Some(&true) || 2 * repeated > given.len()
}

/// Whether a sentence negates what the question asks about: "should not be tested".
fn denies_asked(reading: &Reading, piece: &Piece) -> bool {
    let is_relation = |wanted: &&Wanted| {
        matches!(wanted.role, Role::Outer | Role::Inner) && !reading.form.words[wanted.word].is_capital
    };
    piece.words.iter().enumerate().any(|(at, word)| {
        reading.wanted.iter().filter(is_relation).any(|wanted| reading.agreement(wanted, word) >= 1.0)
            && denies(&piece.words[at.saturating_sub(2)..at])
    })
}

const NEGATORS: [&str; 24] = [
    "not",
    "no",
    "never",
    "cannot",
    "can't",
    "don't",
    "doesn't",
    "isn't",
    "aren't",
    "won't",
    "without",
    "neither",
    "nor",
    "none",
    "nothing",
    "nobody",
    "didn't",
    "wasn't",
    "weren't",
    "shouldn't",
    "mustn't",
    "couldn't",
    "unable",
    "except",
];

/// Whether the words contain a negation.
pub(super) fn denies(words: &[Word]) -> bool {
    says_any(words, &NEGATORS)
}

/// Pairs of opposites.
const OPPOSITES: &[(&str, &str)] = &[
    ("before", "after"),
    ("more", "less"),
    ("more", "fewer"),
    ("most", "least"),
    ("maximum", "minimum"),
    ("max", "min"),
    ("maximal", "minimal"),
    ("first", "last"),
    ("highest", "lowest"),
    ("higher", "lower"),
    ("largest", "smallest"),
    ("larger", "smaller"),
    ("longest", "shortest"),
    ("longer", "shorter"),
    ("earliest", "latest"),
    ("oldest", "newest"),
    ("oldest", "youngest"),
    ("best", "worst"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("start", "end"),
    ("starts", "ends"),
    ("begin", "end"),
    ("increase", "decrease"),
    ("upper", "lower"),
    ("inbound", "outbound"),
    ("internal", "external"),
    ("import", "export"),
    ("upload", "download"),
    ("allow", "forbid"),
    ("accept", "reject"),
    ("accept", "refuse"),
    ("am", "pm"),
    ("approve", "reject"),
    ("arrive", "depart"),
    ("ascending", "descending"),
    ("attach", "detach"),
    ("borrow", "lend"),
    ("buy", "sell"),
    ("cold", "hot"),
    ("compress", "decompress"),
    ("connect", "disconnect"),
    ("credit", "debit"),
    ("decode", "encode"),
    ("decrypt", "encrypt"),
    ("decline", "grow"),
    ("defeat", "victory"),
    ("downstream", "upstream"),
    ("early", "late"),
    ("eastern", "western"),
    ("exclude", "include"),
    ("fail", "succeed"),
    ("failure", "success"),
    ("fall", "rise"),
    ("female", "male"),
    ("horizontal", "vertical"),
    ("illegal", "legal"),
    ("implicit", "explicit"),
    ("input", "output"),
    ("lock", "unlock"),
    ("lose", "win"),
    ("loss", "profit"),
    ("mandatory", "optional"),
    ("maximise", "minimise"),
    ("maximize", "minimize"),
    ("negative", "positive"),
    ("northern", "southern"),
    ("odd", "even"),
    ("offline", "online"),
    ("oppose", "support"),
    ("permanent", "temporary"),
    ("private", "public"),
    ("pull", "push"),
    ("read", "write"),
    ("remember", "forget"),
    ("renounce", "support"),
    ("senior", "junior"),
    ("sender", "receiver"),
    ("strengthen", "weaken"),
    ("strong", "weak"),
    ("synchronous", "asynchronous"),
    ("winter", "summer"),
];

/// The stems of the opposites.
static OPPOSITE_STEMS: LazyLock<Vec<[u32; 2]>> = LazyLock::new(|| {
    let stem = |word: &str| words(&Lexical::new(), word).first().and_then(|word| word.stems.first().copied());
    let stems = OPPOSITES.iter().filter_map(|(one, other)| Some([stem(one)?, stem(other)?]));
    stems.collect()
});

/// Whether a sentence contains the opposite of a question word and not the word itself.
fn is_opposite(form: &Form, piece: &Piece) -> bool {
    // The parts of a compound count: "the worst-case cost".
    let has = |words: &[Word], stem: u32| words.iter().any(|word| word.stems.contains(&stem));
    let asks = |stem: u32| has(&form.words, stem);
    let says = |stem: u32| has(&piece.words, stem);
    let is_turned =
        |asked: u32, opposite: u32| asks(asked) && !asks(opposite) && says(opposite) && !says(asked);
    OPPOSITE_STEMS.iter().any(|&[one, other]| is_turned(one, other) || is_turned(other, one))
        || form.words.iter().any(|asked| {
            let is_negated = |word: &Word| {
                is_negation_of(&asked.lower, &word.lower) || is_negation_of(&word.lower, &asked.lower)
            };
            let said = |words: &[Word], lower: &str| words.iter().any(|word| word.lower == lower);
            piece.words.iter().any(|word| {
                is_negated(word) && !said(&form.words, &word.lower) && !said(&piece.words, &asked.lower)
            })
        })
}

/// Whether a word negates another by its prefix: "unnecessary", "non-official", "inactive".
fn is_negation_of(word: &str, other: &str) -> bool {
    let has = |prefixes: &[&str]| prefixes.iter().any(|prefix| word.strip_prefix(prefix) == Some(other));
    let is_adjective = || ADJECTIVE_ENDINGS.iter().any(|ending| other.ends_with(ending));
    other.len() >= 4
        && (has(&["un", "non-", "non"]) || has(&["in", "im", "ir", "il", "dis"]) && is_adjective())
}

/// Endings of adjectives. Before other words "in" and "dis" often do not negate: "income", "display".
const ADJECTIVE_ENDINGS: [&str; 8] = ["able", "ible", "ive", "ete", "ent", "ular", "urate", "similar"];

/// Whether a value is in the column whose header matches the question, if any header does.
fn answers_by_head(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let says = |words: &[Word]| {
        reading.wanted.iter().any(|wanted| {
            matches!(wanted.role, Role::Outer | Role::Kind)
                && words.iter().any(|word| reading.agreement(wanted, word) > 0.0)
        })
    };
    let heads: Vec<bool> = piece.heads.iter().map(|head| says(head)).collect();
    if !heads.contains(&true) {
        return false;
    }
    let text = &piece.unit.text;
    let mut from = 0;
    for ((head, cell), says) in piece.unit.cells.iter().zip(heads) {
        let start = from + head.len();
        let Some(start) = text.get(start..).and_then(|rest| rest.find(cell.as_str())).map(|at| start + at)
        else {
            return false;
        };
        let range: Range<usize> = start..start + cell.len();
        if range.start <= candidate.range.start && candidate.range.end <= range.end {
            return says;
        }
        from = range.end;
    }
    false
}

/// The relation word of a question with two participants, and whether the question asks for the agent.
fn asked_end(form: &Form) -> Option<(usize, bool)> {
    let at = form.question_word?;
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    if !matches!(lower(at), "who" | "whom" | "what" | "which") {
        return None;
    }
    let next = form.kind.filter(|kind| *kind > at && *kind < at + 5).map_or(at + 1, |kind| kind + 1);
    let in_name = |at: usize| form.names.iter().any(|name| name.contains(&at));
    let is_verb = |at: usize| form.words.get(at).is_some_and(|word| !word.is_function) && !in_name(at);
    if matches!(lower(next), "do" | "does" | "did") {
        // "Whom does Bob manage?"
        let verb = (next + 1..form.words.len()).rev().find(|at| is_verb(*at))?;
        return Some((verb, false));
    }
    if matches!(lower(next), "is" | "are" | "was" | "were") {
        let by = form.words.iter().rposition(|word| word.lower == "by")?;
        let verb = (next + 1..by).rev().find(|at| is_verb(*at))?;
        // "By whom is it managed?", "who is it managed by?", "what is managed by Bob?"
        let is_last = by + 1 == form.words.len();
        return (verb + 1 == by).then_some((verb, is_last));
    }
    (is_verb(next) && form.words[next].lower.ends_with(|c: char| c.is_alphabetic())).then_some((next, true))
}

/// Whether the given entity and the value are on the sides of the relation word that the question requires.
fn agrees_in_direction(reading: &Reading, piece: &Piece, value: Option<usize>) -> bool {
    let Some((relation, asks_agent)) = asked_end(&reading.form) else { return true };
    let asked = &reading.form.words[relation];
    let words = &piece.words;
    let is_said = |word: &Word| asked.stems.iter().any(|stem| word.stems.contains(stem));
    let given = words.iter().position(|word| {
        reading
            .wanted
            .iter()
            .any(|wanted| wanted.role == Role::Name && reading.agreement(wanted, word) >= 1.0)
    });
    let mut judged = false;
    for at in (0..words.len()).filter(|at| is_said(&words[*at]) && is_verbal(&words[*at].lower)) {
        let is_be = |word: &Word| {
            matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "be" | "been" | "being")
        };
        let is_passive = words[at.saturating_sub(3)..at].iter().any(is_be)
            || words.get(at + 1).is_some_and(|next| next.lower == "by");
        let has_agent = words[at + 1..].iter().take(4).any(|word| word.lower == "by");
        if is_passive && !has_agent {
            continue;
        }
        let agent_is_before = !is_passive;
        let value_is_before = asks_agent == agent_is_before;
        let value_fits = value.is_none_or(|value| (value < at) == value_is_before);
        let given_fits = given.is_none_or(|given| (given > at) == value_is_before);
        if value_fits && given_fits {
            return true;
        }
        judged = true;
    }
    !judged
}

/// Whether a word may be a verb: "manager" and "management" may not.
fn is_verbal(word: &str) -> bool {
    !["er", "ers", "or", "ors", "ment", "ments", "tion", "tions", "ship", "ing"]
        .iter()
        .any(|end| word.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::{
        super::reading::{Source, Weights},
        *,
    };

    /// Every word counts the same.
    struct Even;

    impl Weights for Even {
        fn weight(&self, _: u32) -> f32 {
            1.0
        }

        fn is_unknown(&self, _: u32) -> bool {
            false
        }
    }

    /// Weights with one word that counts little, as a name does that most passages have.
    struct Light(&'static str);

    impl Weights for Light {
        fn weight(&self, stem: u32) -> f32 {
            if Lexical::new().terms(self.0).iter().any(|term| term.hash == stem) { 0.3 } else { 1.0 }
        }

        fn is_unknown(&self, _: u32) -> bool {
            false
        }
    }

    fn objection(question: &str, text: &str) -> Option<Objection> {
        let metadata = quiver_store::Payload::default();
        let source = Source { title: None, text, score: 1.0, steps: 0, metadata: &metadata, said_by: None };
        let reading = Reading::of(&Lexical::new(), question, &Even, &[source]);
        of_sentence(&reading, 0, false)
    }

    #[test]
    fn a_sentence_that_says_the_opposite_is_no_answer() {
        let worst = "The cost of a sort is usually its worst-case cost, measured in steps.";
        assert_eq!(objection("What is the best-case cost of a sort?", worst), Some(Objection::Opposite));
        assert_eq!(objection("What is the worst-case cost of a sort?", worst), None);
        let inactive = "Wardens call the mill when one of its parts is inactive at noon.";
        let asked = "Who calls the mill when its parts are active?";
        assert_eq!(objection(asked, inactive), Some(Objection::Opposite));
        assert!(is_negation_of("incomplete", "complete") && !is_negation_of("income", "come"));
    }

    #[test]
    fn a_sentence_under_another_heading_is_no_answer() {
        let text = "# Services\n\n## Search\n\nIt is owned by the Find team. Logs are kept for 14 days.\n\n## Mail\n\n\
                    Logs are kept for 90 days.\n\n## Drive\n\nIt has a quota.\n";
        let about = |question: &str| {
            let metadata = quiver_store::Payload::default();
            let title = Some("Services");
            let source = Source { title, text, score: 1.0, steps: 0, metadata: &metadata, said_by: None };
            let reading = Reading::of(&Lexical::new(), question, &Light("mail"), &[source]);
            let logs: Vec<usize> = (0..reading.pieces.len())
                .filter(|at| reading.pieces[*at].lower.starts_with("logs"))
                .collect();
            logs.into_iter().map(|at| of_sentence(&reading, at, true)).collect::<Vec<_>>()
        };
        assert_eq!(about("How long are the logs of Mail kept?"), [Some(Objection::OtherThing), None]);
        let both = [Some(Objection::OtherThing), Some(Objection::OtherThing)];
        assert_eq!(about("How long are the logs of Drive kept?"), both);
        assert_eq!(about("How long are logs kept?"), [None, None]);
    }

    #[test]
    fn who_asks_is_no_answer_and_neither_is_anybody_of_the_kind() {
        let asked = "Who is in charge of enforcing the oath of the guild?";
        let poses = "Write down who is in charge of enforcing the oath of the guild, in red ink.";
        assert_eq!(objection(asked, poses), Some(Objection::OtherRelation));
        let told = "Ida Berg, who is in charge of enforcing the oath of the guild, lives in Bergen.";
        assert_eq!(objection(asked, told), None);
        let asked = "Which dyer mixed the red wool of the guild?";
        let any = "For the red wool that is mixed, the guild pays a dyer in Bergen.";
        assert_eq!(objection(asked, any), Some(Objection::Type));
        let named = "The red wool of the guild was mixed by a dyer called Ida Berg.";
        assert_eq!(objection(asked, named), None);
    }

    #[test]
    fn a_question_where_needs_a_place_and_a_year_has_to_be_said() {
        let asked = "Where was the meeting of the weavers held?";
        let day = "The meeting of the weavers was held the day before the fair, on Tuesday.";
        assert_eq!(objection(asked, day), Some(Objection::Type));
        let hall = "The meeting of the weavers was held in the old hall before the fair.";
        assert_eq!(objection(asked, hall), None);
        let asked = "Where was the meeting of the weavers of 1812 held?";
        assert_eq!(objection(asked, hall), Some(Objection::OtherThing));
    }

    #[test]
    fn a_question_that_denies_is_not_answered_by_what_is_so() {
        let text = "Many classes of looms can be driven by a wheel in the river.";
        assert_eq!(objection("What cannot be driven by a wheel?", text), Some(Objection::Negation));
        assert_eq!(objection("What can be driven by a wheel?", text), None);
    }

    #[test]
    fn the_outcome_of_a_way_does_not_tell_the_way() {
        let outcome = "That way, weavers can keep their looms dry in autumn.";
        let asked = "How can weavers keep their looms dry?";
        assert_eq!(objection(asked, outcome), Some(Objection::OtherRelation));
        assert_eq!(objection(asked, "Weavers can keep their looms dry with a cover of felt."), None);
    }

    #[test]
    fn a_way_needs_a_means() {
        let asked = "How do I take a loom out of the queue?";
        assert_eq!(
            objection(asked, "A loom that waits in the queue is out of reach until its turn."),
            Some(Objection::Type)
        );
        assert_eq!(objection(asked, "Pull the red lever to take a loom out of the queue."), None);
        let by = "Members of the guild are elected by secret ballot in autumn.";
        assert_eq!(objection("How are members of the guild elected?", by), None);
        let next = "Getting a new badge takes a minute. Fill in the form at the desk.";
        assert_eq!(objection("How do I get a new badge?", next), None);
    }

    #[test]
    fn a_question_why_needs_a_reason() {
        let asked = "Why should weavers oil their looms in autumn?";
        let none = "Weavers in the valley oil their looms in autumn, on two grounds.";
        assert_eq!(objection(asked, none), Some(Objection::OtherRelation));
        assert_eq!(objection(asked, "Weavers oil their looms in autumn as they stiffen in the frost."), None);
        let text = "A heater that was never cleaned started the fire in the dye house.";
        assert_eq!(objection("What was the cause of the fire in the dye house?", text), None);
    }

    #[test]
    fn an_age_is_no_identifier() {
        let text = "16-year-olds may work in the dye house until eight in the evening.";
        assert_eq!(objection("Where may a 16-year-old work?", text), None);
    }

    #[test]
    fn where_to_read_more_is_no_answer_to_yes_or_no() {
        let asked = "Do we need a permit before dyeing wool?";
        assert_eq!(
            objection(asked, "View more information on permits for dyeing wool."),
            Some(Objection::Type)
        );
        assert_eq!(objection(asked, "Dyeing wool before noon needs a permit from the guild."), None);
    }

    #[test]
    fn a_row_about_another_identifier_is_no_answer() {
        let table = |name: &str| format!("| Name | Place |\n| --- | --- |\n| {name} | Bergen in Norway |");
        let asked = "In which place is the machine loom-north-2?";
        assert_eq!(objection(asked, &table("loom-south-1")), Some(Objection::OtherThing));
        assert_eq!(objection(asked, &table("loom-north-2")), None);
        let asked = "In which place is the machine FeltPress?";
        assert_eq!(objection(asked, &table("WoolPress")), Some(Objection::OtherThing));
        assert_eq!(objection(asked, &table("FeltPressLog")), Some(Objection::OtherThing));
        let asked = "In which place is the hand-driven machine for wool in Norway?";
        assert_eq!(objection(asked, &table("WoolPress")), None);
    }

    #[test]
    fn a_sentence_without_the_format_or_the_number_of_things_asked_for_is_no_answer() {
        let kept = "Wool that is kept in the loft loses its colour.";
        assert_eq!(objection("How long is wool kept in the loft?", kept), Some(Objection::Type));
        let counted = "The guild has four kinds of looms, all of them built of oak.";
        assert_eq!(
            objection("What are the four kinds of looms of the guild?", counted),
            Some(Objection::One)
        );
        let named = "The kinds of looms of the guild are box, frame, hand and pit looms.";
        assert_eq!(objection("What are the four kinds of looms of the guild?", named), None);
    }
}
