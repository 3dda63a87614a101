//! The signs that an answer is right: the inputs of the confidence model.

use super::{
    candidate::Kind,
    cue::{cue, tells_means},
    form::{Asks, Role},
    model::{SIGNS, sign_at},
    objection::Doubts,
    reading::{Piece, Reading, Said, Wanted, says},
    unit::UnitKind,
    word::{Word, denies},
};

/// Computes the signs of the piece that contains an answer.
pub(super) fn signs(reading: &Reading, piece: &Piece) -> Vec<f32> {
    let chained = piece.chained[piece.chained.len() - 1];
    let is = |role: Role| move |wanted: &Wanted| wanted.role == role;
    let of = |said, role| {
        if reading.has_role(role) { reading.share(said, is(role)) } else { reading.cover(chained) }
    };
    let unknown: f32 =
        reading.wanted.iter().filter(|wanted| wanted.is_unknown).map(|wanted| wanted.weight).sum();
    let mut signs = vec![0.0; SIGNS.len()];
    set(&mut signs, "bias", 1.0);
    set(&mut signs, "cover", reading.cover(piece.with_context));
    set(&mut signs, "chain", reading.cover(chained));
    set(&mut signs, "outer", of(piece.with_context, Role::Outer));
    set(&mut signs, "names", of(chained, Role::Name));
    set(&mut signs, "inner", of(chained, Role::Inner));
    set(&mut signs, "unknown", unknown / reading.total);
    set(&mut signs, "passage", 1.0 / (1.0 + piece.source as f32));
    set(&mut signs, "own", reading.cover(piece.said));
    set(&mut signs, "first", 1.0 / (1.0 + piece.place as f32));
    set(&mut signs, "words", (reading.wanted.len() as f32 / 8.0).min(1.0));
    let doubts = Doubts::of(reading, piece);
    set(&mut signs, "relation", doubts.relation);
    set(&mut signs, "things", doubts.things);
    set(&mut signs, "unsaid", doubts.unsaid);
    let flag = |is: bool| f32::from(u8::from(is));
    let is_chained = piece.from.is_some();
    let is_complete = doubts.objection().is_none();
    set(&mut signs, "is_chained", flag(is_chained));
    set(&mut signs, "complete", flag(is_complete));
    set(&mut signs, "complete_chained", flag(is_complete && is_chained));
    set(&mut signs, "no_relation", flag(doubts.relation < 0.34));
    let compare = |of: &dyn Fn(&Piece) -> f32| {
        let others = reading.pieces.iter().filter(|other| other.unit.text != piece.unit.text);
        of(piece) - others.map(of).fold(0.0, f32::max)
    };
    let lead = compare(&|piece| reading.cover(piece.chained[piece.chained.len() - 1]));
    set(&mut signs, "behind", (-lead).max(0.0));
    set(&mut signs, "ahead", lead.max(0.0));
    let lead = compare(&|piece| reading.cover(piece.with_context));
    set(&mut signs, "behind_alone", (-lead).max(0.0));
    set(&mut signs, "ahead_alone", lead.max(0.0));
    let lead = compare(&|piece| reading.cover(piece.said));
    set(&mut signs, "behind_own", (-lead).max(0.0));
    set(&mut signs, "ahead_own", lead.max(0.0));
    set(&mut signs, "cue", cue(reading, piece));
    set(&mut signs, "above", reading.cover(piece.above));
    set(&mut signs, "above_own", reading.cover(piece.above) * (1.0 - reading.cover(piece.said)));
    if reading.form.asks == Asks::Definition {
        set(&mut signs, "defines", defines(reading, piece));
    }
    let denied = denies(&piece.words) != reading.form.is_negative;
    set(&mut signs, "denied", f32::from(u8::from(denied)));
    let unknown_unsaid: f32 = reading
        .wanted
        .iter()
        .enumerate()
        .filter(|(bit, wanted)| wanted.is_unknown && !chained.has(*bit))
        .map(|(_, wanted)| wanted.weight)
        .sum();
    set(&mut signs, "unknown_unsaid", unknown_unsaid / reading.total);
    set(&mut signs, "near", closeness(reading, piece));
    set(&mut signs, "order", order(reading, piece));
    set(&mut signs, "means", flag(reading.form.asks == Asks::Way && tells_means(reading, piece)));
    set(&mut signs, "new_name", flag(has_new_name(reading, piece)));
    let is_open = !reading.form.asks.is_typed() && reading.form.asks != Asks::Thing;
    set(&mut signs, "told_own", if is_open { reading.cover(piece.said) } else { 0.0 });
    set(&mut signs, "told_chain", if is_open { reading.cover(chained) } else { 0.0 });
    set(&mut signs, "own_squared", reading.cover(piece.own).powi(2));
    set(&mut signs, "chain_squared", reading.cover(chained).powi(2));
    set(&mut signs, "in_section", flag(reading.is_in_section(piece)));
    set(&mut signs, asks_sign(reading.form.asks), 1.0);
    set(&mut signs, unit_sign(piece.unit.kind), 1.0);
    signs
}

pub(super) fn set(signs: &mut [f32], name: &str, value: f32) {
    signs[sign_at(name)] = value;
}

/// Minimum lead over the other answers for the path to count as clear.
const CLEAR_MARGIN: f32 = 0.25;

/// Sets `clear_way` if this is the first choice, is far ahead of the others, and has a path without doubts.
pub(super) fn mark_clear_way(signs: &mut [f32]) {
    let sign = |name: &str| signs[sign_at(name)];
    let is_first = sign("place") >= 1.0 && sign("margin") > CLEAR_MARGIN;
    let is_clear = is_first && sign("complete_chained") > 0.0 && sign("relation") >= 1.0;
    set(signs, "clear_way", f32::from(u8::from(is_clear)));
}

/// The sign for the kind of a value.
pub(super) fn kind_sign(kind: Kind) -> &'static str {
    match kind {
        Kind::Name | Kind::Subject | Kind::Country => "is_name",
        Kind::Quotation => "is_quotation",
        Kind::Date | Kind::Quantity | Kind::Number => "is_figure",
        Kind::Phrase | Kind::Complement | Kind::Sentence => "is_phrase",
        Kind::Cell => "is_cell",
        Kind::List => "is_list",
    }
}

/// The sign for the type that a question asks for.
fn asks_sign(asks: Asks) -> &'static str {
    match asks {
        Asks::Person | Asks::Organisation => "asks_name",
        Asks::Place | Asks::Country => "asks_place",
        Asks::Date => "asks_date",
        Asks::Count | Asks::Quantity => "asks_figure",
        Asks::Thing => "asks_thing",
        Asks::Definition => "asks_definition",
        Asks::Reason => "asks_reason",
        Asks::Way => "asks_way",
        Asks::Description | Asks::Summary => "asks_description",
        Asks::YesNo => "asks_yes_or_no",
    }
}

/// The sign for the kind of unit that contains an answer.
fn unit_sign(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Prose => "in_prose",
        UnitKind::Item => "in_item",
        UnitKind::Row => "in_row",
        UnitKind::Code => "in_code",
    }
}

/// How directly a sentence defines its subject, if that is what is asked about: 1 if the sentence begins with
/// exactly that.
fn defines(reading: &Reading, piece: &Piece) -> f32 {
    let copula = piece.words.iter().position(|word| {
        matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "means" | "refers" | "stands")
    });
    let Some(at) = copula.filter(|at| (1..=8).contains(at)) else { return 0.0 };
    let said = reading.said(&piece.words[..at]);
    let names = reading.cover(Said { exact: said.exact, near: 0 });
    let subject = piece.words[..at].iter().filter(|word| !word.is_function).count();
    names / (1.0 + 0.25 * (subject as f32 - 1.0).max(0.0))
}

/// How close together the question's words are in a sentence: their share of the content words between the
/// first and the last of them.
fn closeness(reading: &Reading, piece: &Piece) -> f32 {
    let is_said = |word: &Word| {
        !word.is_function && reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) > 0.0)
    };
    let places: Vec<usize> = (0..piece.words.len()).filter(|at| is_said(&piece.words[*at])).collect();
    match (places.first(), places.last()) {
        (Some(first), Some(last)) if places.len() > 1 => {
            let within = piece.words[*first..=*last].iter().filter(|word| !word.is_function).count();
            places.len() as f32 / within as f32
        }
        _ => 0.0,
    }
}

/// The share of the question's words that a sentence has in the question's order.
fn order(reading: &Reading, piece: &Piece) -> f32 {
    let asked = &reading.wanted;
    // The length of the longest common subsequence for each prefix of the question.
    let mut longest = vec![0_usize; asked.len() + 1];
    for word in piece.words.iter().filter(|word| !word.is_function) {
        let mut before = 0;
        for (at, wanted) in asked.iter().enumerate() {
            let above = longest[at + 1];
            longest[at + 1] =
                if reading.agreement(wanted, word) > 0.0 { before + 1 } else { above.max(longest[at]) };
            before = above;
        }
    }
    longest[asked.len()] as f32 / asked.len().max(1) as f32
}

/// Whether a sentence has a name, a quotation or a number that the question doesn't have.
fn has_new_name(reading: &Reading, piece: &Piece) -> bool {
    let is_new = |text: &str| !says(&reading.asked, text);
    piece.named.iter().any(|named| is_new(&named.key))
        || piece.words.iter().any(|word| word.is_number() && is_new(&word.lower))
}
