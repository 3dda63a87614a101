//! Objections to an answer: rules that no learned weight overrides.
//!
//! Each rule is a function, listed by name in one of the tables below. `quiver-eval answers --rules` shows which answers
//! there would be without each of them.

mod amount;
mod direction;
mod kind;
mod negation;
mod person;
mod reason;
mod relation;
mod rule;
mod sibling;
mod thing;

use std::fmt;

use serde::Serialize;

pub(super) use self::{
    amount::is_price,
    kind::{asks_colour, asks_program_name, is_referred_to, says_colour},
    thing::Doubts,
};
use self::{
    amount::{
        counts_other, counts_whole, is_contrasted, is_day_of_month, is_lower_end, is_one_of_frequencies,
        is_one_of_several, is_repeated, lacks_bound, lacks_kind_of_money, lacks_measure, lacks_measured,
        lacks_unit, leaves_unit_elsewhere, measures_beside, measures_no_length, prices_other,
    },
    direction::{
        agrees_in_direction, is_before_other_subject, is_beside_passive, is_by_asked, is_object_of_relation,
        is_of_clause_before, lacks_end_or_verb,
    },
    kind::{
        defines_other, is_cut_off, is_idiom_of_place, is_loose, is_no_town, is_unchecked, joins_things,
        lacks_code_in_row, lacks_name, lacks_organisation, lacks_place, lacks_program_name, lacks_time,
        lacks_town, lists_too_few, number_asked, only_refers_to_kind, repeats, runs_over_day, says_of_what,
        says_the_one,
    },
    negation::{denies_asked, is_opposite, is_ruled_out, only_denies},
    person::{
        is_worked_with, labels_object, names_activity, names_asked, names_only_asked, names_roles_only,
        tells_of_holders,
    },
    reason::{lacks_cause, lacks_reason},
    relation::{
        answers_by_head, asks_indirectly, counts_in_condition, counts_in_past, has_ended, is_before_end,
        is_condition_alone, is_end_of_span, is_gone, is_outcome_alone, is_supposed, lacks_deed, lacks_field,
        lacks_head, lacks_occasion, lacks_part_of_closed, lacks_preposition, lacks_purpose,
        lacks_verb_of_who, only_asks_who, only_plans, says_kind, tells_of_before, tells_of_last,
        tells_of_plan, was_done_until,
    },
    rule::{Case, Check, Rule, rules},
    sibling::{
        is_alone_of_sibling, is_beside_parallel, is_of_other_owner, is_of_other_subject, is_of_series,
        is_of_sibling, says_nothing_asked,
    },
    thing::{
        NAME_LEAST, RELATION_LEAST, TELLING_LEAST, counts_in_other_part, drops_adjective, is_beside_fuller,
        is_half_of_rows, is_of_namesake, is_of_other_case, is_of_other_name, is_of_other_one,
        is_of_other_page, is_of_other_row, is_of_other_section, is_of_other_time, is_of_rival,
        is_said_alone_elsewhere, is_unknown, lacks_rank, lacks_unknown_noun, leaves_name_open,
        leaves_year_open, scatters_name, tells_of_the_measure,
    },
};
use super::{
    candidate::{Candidate, Kind, direction},
    cue::{gives_means, instructs, offers_more, points_elsewhere},
    form::{Asks, Form, Role},
    format::Format,
    lexicon::{is_colour, is_ordinal, number, says_day_or_month},
    reading::{Beside, Piece, Reading, Said, Wanted},
    stated::{content, is_manner, is_reversed, lacks_default},
    turn::{is_outdated, only_supposes, says_end, tells_of_other},
    unit::{UnitKind, announces},
    word::{Word, begins_clause, denies, says_any, words_of},
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
    /// The sentence has another value that could be meant.
    Ambiguous,
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
            Self::Ambiguous => "its sentence has another value that could be meant",
            Self::NothingNew => "it repeats the question",
            Self::YesOrNo => "a yes or no would be based on a single sentence",
        })
    }
}

/// Minimum share of the question that a summary must cover.
const COVER_LEAST: f32 = 0.6;

/// Minimum fit of a value to the type asked for.
const FIT_LEAST: f32 = 0.4;

/// Minimum number of words in a sentence that are not in the question.
const NEW_WORDS_LEAST: usize = 2;

/// Rules for a sentence, and for a value in one: it is about another thing, says another relation, is no longer so, or says
/// the opposite.
const ANY: &[Rule] = rules! {
    OtherThing {
        Piece(is_beside_other_thing),
        Piece(leaves_telling_name_open),
        Piece(leaves_year_open),
        Piece(is_said_alone_elsewhere),
        Piece(is_of_other_page),
        Piece(is_of_namesake),
        Piece(is_of_other_name),
        Piece(drops_adjective),
        Piece(lacks_rank),
        Piece(is_of_other_subject),
        Piece(scatters_name),
        Piece(names_another),
        Piece(is_of_other_row),
        Piece(is_beside_fuller),
        Piece(is_of_sibling),
        Piece(is_beside_parallel),
        Piece(is_of_other_owner),
        Piece(is_of_series),
        Piece(says_nothing_asked),
        Piece(is_of_rival),
        Piece(is_of_other_case),
        Piece(is_of_other_time),
        Piece(is_half_of_rows),
        Piece(is_of_other_one),
        Piece(counts_in_other_part),
        Piece(is_of_other_section),
        Piece(measures_beside),
        Piece(defines_other),
        Piece(prices_other),
        Piece(tells_of_the_measure),
    }
    OtherRelation {
        Piece(is_beside_other_relation),
        Piece(is_step_without_relation),
        Piece(lacks_verb_of_who),
        Piece(lacks_end_or_verb),
        Piece(leaves_kind_behind),
        Piece(lacks_default),
        Piece(lacks_deed),
        Piece(lacks_occasion),
        Piece(lacks_head),
        Piece(lacks_preposition),
        Piece(lacks_purpose),
        Piece(counts_in_condition),
    }
    Over {
        Piece(tells_of_last),
        Piece(was_done_until),
        Case(is_of_ended),
    }
    Opposite {
        Piece(is_opposite),
    }
    Negation {
        Piece(affirms_negative),
    }
    Direction {
        Case(is_turned),
        Piece(is_beside_passive),
    }
};

/// Rules for a value, before [`ANY`] and those for turns.
const VALUE_FIRST: &[Rule] = rules! {
    Unknown { Piece(leaves_unknown) }
    InConversation { Piece(is_unchecked) }
    Type { Value(is_loose_where_strict) }
    OtherThing {
        Piece(leaves_any_name_open),
        Piece(is_alone_of_sibling),
    }
};

/// Rules for a value, after [`ANY`] and those for turns.
const VALUE: &[Rule] = rules! {
    Negation { Piece(differs_in_negation) }
    Over { Piece(says_former) }
    Type {
        Case(is_unfit),
        Case(lacks_format_in_value),
        Case(lacks_colour),
        Text(lacks_measured),
        Text(lacks_unit),
        Piece(lacks_kind_of_money),
        Text(measures_no_length),
        Value(lacks_measure),
        Begin(is_day_of_month),
        Value(runs_over_day),
        Begin(is_end_of_span),
        Begin(is_before_end),
        Value(names_asked),
        Begin(is_worked_with),
        Value(leaves_unit_elsewhere),
        Value(is_cut_off),
        Piece(lacks_bound),
        Begin(is_idiom_of_place),
        Value(is_activity),
        Case(is_no_town_in_value),
    }
    NothingNew { Case(repeats_question) }
    One { Value(is_single_of_list) }
    Ambiguous {
        Value(is_one_of_several),
        Value(is_one_of_frequencies),
        Value(is_lower_end),
        Begin(counts_whole),
        Value(is_contrasted),
    }
    Direction {
        Begin(is_on_wrong_side),
        Begin(is_object_of_relation),
        Begin(is_before_other_subject),
        Begin(is_of_clause_before),
    }
    OtherRelation {
        Piece(only_asks_who),
        Piece(is_supposed),
        Piece(only_plans),
        Value(is_in_other_cell),
    }
};

/// Rules for a sentence that answers by itself.
const ALONE: &[Rule] = rules! {
    OtherThing {
        Piece(leaves_any_name_open),
        Piece(is_alone_of_sibling),
        Piece(lacks_part_of_closed),
    }
    OtherRelation {
        Piece(only_describes),
        Piece(only_tells_situation),
    }
};

/// Rules for a sentence that answers, by itself or at the end of a path.
const SENTENCE: &[Rule] = rules! {
    Unknown { Piece(lacks_unknown_noun) }
    NothingNew {
        Case(says_little_new),
        Piece(repeats_cells),
        Piece(is_left_open),
        Piece(is_part_of_sentence),
        Piece(repeats_label),
        Case(asks_the_same),
        Piece(is_asked_one_word),
    }
    Negation {
        Piece(is_denied),
    }
    OtherRelation {
        Piece(is_condition_alone),
        Piece(only_asks_who),
        Piece(lacks_field),
        Piece(is_supposed),
        Piece(only_plans),
        At(is_outcome_alone),
        At(lacks_reason),
        At(lacks_cause),
    }
    Over {
        Piece(is_gone),
        Piece(counts_in_past),
        Piece(tells_of_before),
    }
    Direction {
        Piece(is_reversed),
        Piece(is_by_asked),
    }
    Type {
        Case(lacks_count),
        Piece(instructs_somebody),
        Case(lacks_colour),
        Piece(lacks_program_name),
        Piece(lacks_name),
        Text(lacks_format),
        Text(lacks_measured),
        Text(lacks_unit),
        Piece(lacks_kind_of_money),
        Text(measures_no_length),
        Piece(counts_other),
        Case(lacks_place),
        Piece(lacks_town),
        Case(lacks_time),
        At(lacks_means),
        Piece(instructs_nothing),
        Piece(lacks_code_in_row),
        Piece(lacks_organisation),
    }
    OtherRelation {
        Piece(labels_object),
        Piece(tells_of_holders),
        Piece(names_roles_only),
        Piece(names_only_asked),
        Piece(only_refers_to_kind),
        Piece(lacks_bound),
        Piece(only_points),
    }
};

/// Rules for a sentence that says of a named thing all that the question asks about it.
const NAMED: &[Rule] = rules! {
    Opposite { Piece(is_opposite) }
    NothingNew {
        Piece(is_question),
        Piece(begins_in_lower_case),
    }
    OtherRelation {
        Piece(is_condition_alone),
        Piece(is_supposed),
        Piece(only_plans),
        Piece(counts_in_condition),
        At(lacks_reason),
        At(lacks_cause),
    }
    Over { Piece(is_gone) }
    Type {
        Text(lacks_format),
        Text(lacks_measured),
        Text(lacks_unit),
        Case(lacks_place),
        Piece(lacks_town),
        At(lacks_way),
    }
};

/// The names of all rules.
pub(super) fn rule_names() -> Vec<&'static str> {
    let tables = [ANY, VALUE_FIRST, VALUE, ALONE, SENTENCE, NAMED];
    let mut names: Vec<&str> = tables.iter().flat_map(|table| table.iter().map(|rule| rule.name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The objection to a value as the answer.
pub(super) fn of_value(reading: &Reading, value: &Candidate) -> Option<Objection> {
    let case = Case::of_value(reading, value);
    case.objection(VALUE_FIRST)
        .or_else(|| case.objection(ANY))
        .or_else(|| of_turn(reading, case.piece, Some(&value.text)))
        .or_else(|| case.objection(VALUE))
}

/// The objection to a whole sentence as the answer.
pub(super) fn of_sentence(reading: &Reading, at: usize, holds_type: bool) -> Option<Objection> {
    let case = Case::of_sentence(reading, at, holds_type);
    case.objection(ALONE).or_else(|| at_the_end_of_a_path(reading, at, holds_type))
}

/// The objection to the last sentence of a path. The sentences before it may name what the question names.
pub(super) fn at_the_end_of_a_path(reading: &Reading, at: usize, holds_type: bool) -> Option<Objection> {
    let case = Case::of_sentence(reading, at, holds_type);
    if is_unchecked(reading, case.piece) {
        return Some(Objection::InConversation);
    }
    let typed = holds_type.then_some(case.piece.unit.text.as_str());
    case.objection(ANY)
        .or_else(|| of_turn(reading, case.piece, typed))
        .or_else(|| case.objection(SENTENCE))
        .or_else(|| of_announced_or_single(reading, at))
}

/// The objection to a sentence that says of a named thing all that the question asks about it. Such a sentence need not
/// name what the question names.
pub(super) fn of_named(reading: &Reading, at: usize, holds_type: bool) -> Option<Objection> {
    let case = Case::of_sentence(reading, at, holds_type);
    if is_unchecked(reading, case.piece) {
        return Some(Objection::InConversation);
    }
    let typed = holds_type.then(|| case.text());
    let is_one = |objection: &Objection| *objection == Objection::One;
    let is_all = || says_of_what(reading, case.piece) && !lists_too_few(reading, case.piece);
    of_turn(reading, case.piece, typed)
        .or_else(|| case.objection(NAMED))
        .or_else(|| of_announced_or_single(reading, at).filter(|objection| !is_one(objection) || !is_all()))
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

/// The objection to a sentence that announces what another passage says, or that tells one thing where several are asked
/// for.
fn of_announced_or_single(reading: &Reading, at: usize) -> Option<Objection> {
    let piece = &reading.pieces[at];
    let text = piece.unit.text.trim_end();
    let next =
        reading.pieces.get(at + 1).filter(|next| next.source == piece.source).map(|next| next.unit.kind);
    // What the sentence announces is in another passage, or too long to be quoted with it.
    let announced = announces(text).then(|| reading.context(at).end - at - 1);
    if announced == Some(0) {
        return Some(Objection::NothingNew);
    }
    if announced.zip(number_asked(&reading.form)).is_some_and(|(announced, asked)| announced < asked) {
        return Some(Objection::One);
    }
    if reading.form.is_list && announced.is_some() && reading.cuts_list(at) {
        return Some(Objection::One);
    }
    let announces = announced.is_some() && matches!(next, Some(UnitKind::Item | UnitKind::Row));
    if announces || !reading.form.is_list {
        return None;
    }
    let lists_several = text.contains([',', ';']) || joins_things(&piece.words);
    let is_too_few = lists_too_few(reading, piece) || !lists_several && !says_the_one(reading, piece);
    is_too_few.then_some(Objection::One)
}

/// The objection to sentences as a summary: they do not name its subject.
pub(super) fn of_summary(reading: &Reading, pieces: &[usize]) -> Option<Objection> {
    let said = pieces.iter().map(|at| reading.pieces[*at].with_context).fold(Said::default(), Said::and);
    let names = reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == Role::Name);
    let is_named = names.clone().all(|(bit, _)| said.exact >> bit & 1 == 1);
    let is_question = reading.form.request.as_ref().is_some_and(|request| request.is_question);
    let covers = if is_question {
        (0..reading.wanted.len()).all(|bit| said.has(bit))
    } else {
        names.count() > 0 || reading.cover(said) >= COVER_LEAST
    };
    if !is_named || !covers {
        return Some(Objection::OtherThing);
    }
    let is_plan = pieces.first().is_some_and(|at| tells_of_plan(&reading.form, &reading.pieces[*at]));
    is_plan.then_some(Objection::OtherRelation)
}

/// Whether what is asked about stands beside a piece, and the piece is about something else.
fn is_beside_other_thing(_: &Reading, piece: &Piece) -> bool {
    piece.beside == Some(Beside::Thing)
}

/// Whether what is asked is said beside a piece, and the piece says something else.
fn is_beside_other_relation(_: &Reading, piece: &Piece) -> bool {
    piece.beside == Some(Beside::Relation)
}

fn leaves_telling_name_open(reading: &Reading, piece: &Piece) -> bool {
    leaves_name_open(reading, piece, TELLING_LEAST)
}

fn leaves_any_name_open(reading: &Reading, piece: &Piece) -> bool {
    leaves_name_open(reading, piece, NAME_LEAST)
}

fn names_another(reading: &Reading, piece: &Piece) -> bool {
    reading.names_another(piece)
}

/// Whether a sentence names the subject of another passage and does not answer the question itself.
fn is_step_without_relation(reading: &Reading, piece: &Piece) -> bool {
    let chained = piece.chained[piece.chained.len() - 1];
    let is_step = piece.beyond > reading.cover(chained) + 0.01;
    is_step && Doubts::of(reading, piece).relation < RELATION_LEAST
}

/// Whether the sentence that leads to a piece says what kind of thing is asked for, and the piece does not.
fn leaves_kind_behind(reading: &Reading, piece: &Piece) -> bool {
    let before_says_kind = || piece.from.is_some_and(|from| says_kind(reading, &reading.pieces[from]));
    reading.form.asks == Asks::Thing && before_says_kind() && !says_kind(reading, piece)
}

fn is_of_ended(case: &Case<'_>) -> bool {
    case.first.is_none() && has_ended(case.reading, case.piece)
}

/// Whether the question is negated and the sentence is not.
fn affirms_negative(reading: &Reading, piece: &Piece) -> bool {
    reading.form.is_negative && !denies(&piece.words) && !is_ruled_out(reading, piece)
}

fn is_turned(case: &Case<'_>) -> bool {
    !agrees_in_direction(case.reading, case.piece, case.first)
}

/// Whether a question word that occurs in no passage is left uncovered.
fn leaves_unknown(reading: &Reading, piece: &Piece) -> bool {
    is_unknown(reading, piece.chained[piece.chained.len() - 1])
}

/// Whether a value is only near what is asked for, in a turn or, as a count, under a heading.
fn is_loose_where_strict(reading: &Reading, piece: &Piece, value: &Candidate) -> bool {
    let is_strict = reading.pages[piece.source].turn.is_some()
        || reading.form.asks == Asks::Count && reading.is_in_section(piece);
    is_strict && is_loose(reading, piece, value)
}

fn differs_in_negation(reading: &Reading, piece: &Piece) -> bool {
    denies(&piece.words) != reading.form.is_negative
}

fn says_former(reading: &Reading, piece: &Piece) -> bool {
    let is_over = |words: &[Word]| {
        says_end(words) || says_any(words, &["formerly", "previously", "originally", "former"])
    };
    is_over(&piece.words) && !is_over(&reading.form.words)
}

/// Whether a value is an ordinal, or not of the type asked for.
fn is_unfit(case: &Case<'_>) -> bool {
    let form = &case.reading.form;
    let is_clause = || case.words().any(|word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were"));
    let is_poor = case.value.is_some_and(|value| value.fit < FIT_LEAST);
    is_ordinal(&case.text().to_lowercase())
        || form.asks.is_typed() && (is_poor || is_clause() || is_price(form, case.text()))
}

/// Whether a value does not have the format asked for.
fn lacks_format_in_value(case: &Case<'_>) -> bool {
    let Case { reading, piece, first, .. } = *case;
    reading.format.is_some_and(|format| match format {
        Format::Frequency => !is_repeated(&piece.words, first, case.text()),
        // Written in groups of digits, it is several values.
        Format::Phone => true,
        format => {
            let own: Vec<Word> = case.words().cloned().collect();
            !format.is_in(&reading.form, case.text(), &own, false)
        }
    })
}

/// Whether a sentence does not have the format asked for.
fn lacks_format(reading: &Reading, piece: &Piece, text: &str) -> bool {
    let is_in = |format: Format| format.is_in(&reading.form, text, &piece.words, piece.unit.has_code);
    reading.format.is_some_and(|format| !is_in(format))
}

/// Whether the question asks for a colour, and neither the answer nor the sentence before it has one.
fn lacks_colour(case: &Case<'_>) -> bool {
    let Case { reading, piece, .. } = *case;
    let is_before = || case.value.is_none() && says_colour(before(reading, case.at));
    asks_colour(reading)
        && piece.unit.kind != UnitKind::Row
        && !case.words().any(|word| is_colour(&word.lower))
        && !is_before()
}

fn is_activity(reading: &Reading, _: &Piece, value: &Candidate) -> bool {
    names_activity(&reading.form, &value.text)
}

fn is_no_town_in_value(case: &Case<'_>) -> bool {
    is_no_town(case.reading, case.words())
}

fn repeats_question(case: &Case<'_>) -> bool {
    case.value.is_some_and(|value| repeats(&case.reading.form, case.words(), value.kind))
}

/// Whether the question asks for several things, and a value is one.
fn is_single_of_list(reading: &Reading, _: &Piece, value: &Candidate) -> bool {
    reading.form.is_list && value.kind != Kind::List
}

/// Whether a value stands after "from" where the question has "to", or the reverse.
fn is_on_wrong_side(reading: &Reading, piece: &Piece, first: usize) -> bool {
    direction(reading, &piece.words, first) < 0.0
}

fn is_in_other_cell(reading: &Reading, piece: &Piece, value: &Candidate) -> bool {
    piece.unit.kind == UnitKind::Row && !answers_by_head(reading, piece, value)
}

/// Minimum number of words before a clause of the question that tell what is asked.
const ASKED_LEAST: usize = 2;

/// Whether a piece says nothing of what is asked before a clause that only describes a thing: "In which room is the crew that
/// cleans the vat *in which the dye is made*?" The noun before the clause belongs to it.
fn only_describes(reading: &Reading, piece: &Piece) -> bool {
    let words = &reading.form.words;
    let Some(from) = reading.form.question_word else { return false };
    let is_open = |clause: usize| {
        let noun = (from..clause).rev().find(|at| !words[*at].is_function);
        let is_asked = |wanted: &Wanted| {
            (from..noun.unwrap_or(from)).contains(&wanted.word) && wanted.role != Role::Kind
        };
        let asked = || (0..reading.wanted.len()).filter(|bit| is_asked(&reading.wanted[*bit]));
        asked().count() >= ASKED_LEAST && !asked().any(|bit| piece.with_context.has(bit))
    };
    (from + 2..words.len()).filter(|at| begins_clause(&words[*at])).any(is_open)
}

/// Whether a piece says nothing of what is asked after a sentence that describes a situation: "The pump stops when it rains.
/// *What do I clean?*"
fn only_tells_situation(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let Some(from) = form.question_word.filter(|at| *at > 0) else { return false };
    let is_sentence =
        reading.question[form.words[from - 1].end..form.words[from].start].contains(['.', '!', '?']);
    let mut asked = reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.word > from).peekable();
    is_sentence && asked.peek().is_some() && !asked.any(|(bit, _)| piece.own.has(bit))
}

/// The words of the sentence that a piece refers to.
fn before(reading: &Reading, at: usize) -> &[Word] {
    reading.antecedent(at).map_or(&[], |before| &reading.pieces[before].words)
}

/// Whether the question has a word. A compound is not the same word as its parts.
fn is_asked(reading: &Reading, word: &Word) -> bool {
    reading.form.words.iter().any(|asked| {
        asked.lower == word.lower || word.stems.first().is_some_and(|stem| asked.stems.contains(stem))
    })
}

/// Whether a sentence has too few words that the question does not have.
fn says_little_new(case: &Case<'_>) -> bool {
    let Case { reading, at, piece, holds_type, .. } = *case;
    let words = before(reading, at).iter().chain(&piece.words);
    let new = words.filter(|word| !word.is_function && !is_asked(reading, word)).count();
    // "He lives on the island" says where in one new word.
    let is_placed = || reading.form.asks == Asks::Place && !lacks_place(&Case { holds_type: false, ..*case });
    // "The gateway returns JSON" says all of the question and one thing more.
    let is_value = || {
        let mut values = piece.words.iter().filter(|word| !word.is_function && !is_manner(word));
        values.any(|word| !is_asked(reading, word)) && reading.cover(piece.own) >= 1.0
    };
    let is_new = new >= NEW_WORDS_LEAST
        || reading.form.asks.is_typed() && new > 0 && (holds_type || is_placed())
        || reading.format.is_some_and(Format::is_time) && new > 0
        || is_value();
    !is_new
}

/// Whether no cell of a row is new: "Role: Clerk; Name: Ida Low" for "Who was clerk before Ida Low?"
fn repeats_cells(reading: &Reading, piece: &Piece) -> bool {
    let mut cells = piece.unit.cells.iter();
    let is_known = |cell: &str| content(cell).iter().all(|word| is_asked(reading, word));
    piece.unit.kind == UnitKind::Row && cells.all(|(_, cell)| is_known(cell))
}

/// Whether a sentence is a question, or a line of code, which may be an example of something else. A sentence that announces
/// code is quoted with it.
fn is_left_open(reading: &Reading, piece: &Piece) -> bool {
    is_question(reading, piece) || piece.unit.kind == UnitKind::Code
}

fn is_question(_: &Reading, piece: &Piece) -> bool {
    piece.unit.text.trim_end().ends_with('?')
}

fn begins_in_lower_case(_: &Reading, piece: &Piece) -> bool {
    piece.unit.text.starts_with(|c: char| c.is_ascii_lowercase())
}

fn is_part_of_sentence(reading: &Reading, piece: &Piece) -> bool {
    piece.unit.kind == UnitKind::Prose && begins_in_lower_case(reading, piece)
}

/// Whether only the label of an item is new: "Use case: undo the last operation" repeats the question.
fn repeats_label(reading: &Reading, piece: &Piece) -> bool {
    piece.unit.text.split_once(": ").is_some_and(|(label, _)| {
        let rest = piece.words.iter().filter(|word| word.start > label.len());
        let mut rest = rest.filter(|word| !word.is_function).peekable();
        rest.peek().is_some() && rest.all(|word| is_asked(reading, word))
    })
}

fn asks_the_same(case: &Case<'_>) -> bool {
    !case.holds_type && asks_indirectly(&case.reading.form, &case.piece.words)
}

/// Whether the question has only one word that counts, as in "Show and tell date".
fn is_asked_one_word(reading: &Reading, _: &Piece) -> bool {
    let form = &reading.form;
    form.question_word.is_none() && reading.wanted.len() < 2 && form.words.len() > 2 && form.request.is_none()
}

/// Whether a sentence denies what the question, which is not negated, asks.
fn is_denied(reading: &Reading, piece: &Piece) -> bool {
    reading.form.asks != Asks::YesNo
        && !reading.form.is_negative
        && (denies_asked(reading, piece) || only_denies(reading, piece))
}

/// Whether the question counts something, and the sentence has no number.
fn lacks_count(case: &Case<'_>) -> bool {
    case.reading.form.asks == Asks::Count && !case.holds_type
}

/// Whether the question asks for a person, and the sentence tells the reader what to do.
fn instructs_somebody(reading: &Reading, piece: &Piece) -> bool {
    reading.form.asks == Asks::Person && instructs(&piece.words)
}

/// Whether the question asks how to do something, and the sentence does not say it.
fn lacks_way(reading: &Reading, at: usize) -> bool {
    reading.form.asks == Asks::Way && !gives_means(reading, at)
}

/// The same for a question that asks what to do.
fn lacks_means(reading: &Reading, at: usize) -> bool {
    lacks_way(reading, at) || asks_what_to_do(&reading.form) && !gives_means(reading, at)
}

/// Whether the question asks what to do, and a row tells nobody to do anything.
fn instructs_nothing(reading: &Reading, piece: &Piece) -> bool {
    asks_what_to_do(&reading.form) && piece.unit.kind == UnitKind::Row && !instructs(&piece.words)
}

/// Whether a sentence only says where to read more, and the question does not ask for that: "Which page …?" may.
fn only_points(reading: &Reading, piece: &Piece) -> bool {
    match reading.form.asks {
        Asks::Place => false,
        Asks::Thing => {
            offers_more(&piece.words) && !says_any(&reading.form.words, &["more", "information", "details"])
        }
        _ => points_elsewhere(&piece.words),
    }
}

/// Whether the question asks what to do in some case: "What should I do if the bell rings?"
fn asks_what_to_do(form: &Form) -> bool {
    let lower: Vec<&str> = form.words.iter().map(|word| word.lower.as_str()).collect();
    let is_case = |at: usize| matches!(lower.get(at), Some(&("if" | "when" | "with")));
    lower.first() == Some(&"what") && (2..4).any(|at| lower.get(at) == Some(&"do") && is_case(at + 1))
}

#[cfg(test)]
mod tests;
