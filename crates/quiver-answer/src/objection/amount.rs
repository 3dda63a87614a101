//! Objections to a number that counts or measures something else than what is asked.

use quiver_language::{
    amount::{self, Amount},
    answering::{self, Answering},
    degree::comparative,
    description::takes,
    measure::Measure,
};

use super::super::{
    candidate::{Candidate, Kind},
    form::{Asks, Form, Role},
    format::{Format, counts_times, is_beside_month, is_extent},
    lexicon::{CURRENCY_SIGNS, asks_money, is_scale},
    reading::{Piece, Reading, Wanted, says},
    unit::UnitKind,
    word::{Word, says_any, words_of},
};

/// Maximum distance in words between a number and what it counts.
pub(super) const COUNTED_AFTER: usize = 2;

/// Whether a value tells how often, by itself or after "every": "every *24 hours*", but not "after 24 hours".
pub(super) fn is_repeated(words: &[Word], first: Option<usize>, value: &str) -> bool {
    let before = first.and_then(|first| first.checked_sub(1)).map_or("", |at| words[at].lower.as_str());
    matches!(before, "every" | "each" | "per")
        || words_of(value).iter().any(|word| counts_times(word) || word == "a")
}

/// Whether a value is an amount of money and the question asks how many there are of something.
pub(crate) fn is_price(form: &Form, value: &str) -> bool {
    form.asks == Asks::Count && value.contains(CURRENCY_SIGNS)
}

/// Whether the question asks how much there is of something, and neither the sentence and its headings name that nor the
/// text has a number with such a unit: "4 GB" for "how much memory".
pub(super) fn lacks_measured(reading: &Reading, piece: &Piece, text: &str) -> bool {
    let form = &reading.form;
    let is_asked = form.asks == Asks::Quantity
        && form.words.windows(2).any(|pair| pair[0].lower == "how" && pair[1].lower == "much");
    let noun = |wanted: &Wanted| form.words[wanted.word].lower.as_str();
    let is_named = |(bit, wanted): (usize, &Wanted)| {
        comparative(noun(wanted)).is_some() || piece.own.exact >> bit & 1 == 1
    };
    let is_measured = |(_, wanted): (usize, &Wanted)| {
        Measure::amount_of(noun(wanted)).is_some_and(|measure| measure.is_in(text))
    };
    // What is sown is seed.
    let is_object = |(_, wanted): (usize, &Wanted)| {
        let takes = |verb: &Word| takes(&verb.lower, noun(wanted)) && form.has_form(verb);
        piece.words.iter().any(takes)
    };
    let kinds = || reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == Role::Kind);
    let is_measured = |kind: (usize, &Wanted)| is_measured(kind) || is_object(kind);
    is_asked && !kinds().all(is_named) && !kinds().any(is_measured)
}

/// Whether the question asks for a kind of payment that a sentence, with its headings, does not name: "You can hire one for 5
/// francs" for "What is the *deposit*?" A price is any of them.
pub(super) fn lacks_kind_of_money(reading: &Reading, piece: &Piece) -> bool {
    let is_payment = |word: &Word| {
        let singular = word.lower.strip_suffix('s').unwrap_or(&word.lower);
        asks_money(singular)
            && !answering::says(&word.lower, Answering::Price)
            && !matches!(singular, "price" | "money" | "cash" | "funding")
    };
    reading.wanted.iter().enumerate().any(|(bit, wanted)| {
        let word = &reading.form.words[wanted.word];
        reading.form.kind == Some(wanted.word) && is_payment(word) && !piece.with_context.has(bit)
    })
}

/// Whether an amount in words has no unit: "three cost-cutting" measures nothing.
pub(super) fn lacks_measure(reading: &Reading, _: &Piece, candidate: &Candidate) -> bool {
    let own = words_of(&candidate.text);
    let is_measure = |word: &String| {
        !Measure::of_unit(word).is_empty()
            || is_extent(word)
            || is_scale(word)
            || word.contains(|c: char| c.is_ascii_digit())
    };
    reading.form.asks == Asks::Quantity
        && matches!(candidate.kind, Kind::Quantity | Kind::Number)
        && !own.iter().any(is_measure)
}

/// Whether the sentence of an amount in a section has another one, so that it is open which one is meant: "The root lasts
/// 10 years and the leaf 7 days".
pub(super) fn is_one_of_several(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let is_year = |word: &Word| word.lower.len() == 4 && word.is_numeric();
    let is_other = |word: &&Word| {
        let (one, other) = (word.start..word.end, &candidate.range);
        // A bracket says the same in other units, and a range has two ends.
        let between =
            piece.unit.text.get(one.end.min(other.end)..one.start.max(other.start)).unwrap_or_default();
        let is_same = between.contains('(') && !between.contains(')')
            || matches!(between.trim(), "to" | "-" | "–" | "or");
        (one.end <= other.start || other.end <= one.start) && !is_same
    };
    let is_new = |word: &&Word| !reading.form.has(word);
    let numbers = piece.words.iter().filter(|word| word.is_numeric() && !is_year(word));
    let others = numbers.filter(is_new).filter(is_other);
    reading.form.asks == Asks::Quantity
        && reading.is_in_section(piece)
        && piece.is_sentence()
        && matches!(candidate.kind, Kind::Quantity | Kind::Number)
        && others.count() > 0
}

/// Whether the sentence of a frequency has another one: "the loom every hour and the vat once a month".
pub(super) fn is_one_of_frequencies(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let words = &piece.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let tells = |at: usize| {
        let is_each = matches!(lower(at), "every" | "each" | "per" | "a" | "an");
        is_each && (at + 1..at + 3).any(|next| !Measure::of_unit(lower(next)).is_empty())
            || counts_times(lower(at)) && lower(at).ends_with("ly")
    };
    let is_other = |at: usize| !candidate.range.contains(&words[at].start);
    reading.format == Some(Format::Frequency) && (0..words.len()).any(|at| is_other(at) && tells(at))
}

/// Whether a number is what there was before a change, or the lower end of a range: "from *six* weavers to ten".
pub(super) fn is_lower_end(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let words = &piece.words;
    let before = words.iter().rfind(|word| word.end <= candidate.range.start);
    let is_from = before.is_some_and(|before| before.lower == "from");
    let after = words.iter().filter(|word| word.start >= candidate.range.end).take(COUNTED_AFTER + 2);
    let after: Vec<&Word> = after.collect();
    matches!(reading.form.asks, Asks::Count | Asks::Quantity)
        && is_from
        && after.windows(2).any(|pair| pair[0].lower == "to" && pair[1].is_number())
}

/// Whether a number counts all of which the sentence says what was done with some: "The team won 18 of its 26 games" when
/// the question is how many it won.
pub(super) fn counts_whole(reading: &Reading, piece: &Piece, first: usize) -> bool {
    let words = &piece.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let is_owner =
        |word: &str| matches!(word, "its" | "their" | "his" | "her" | "the" | "all" | "our" | "these");
    let from = words[..first].iter().rposition(|word| !is_owner(&word.lower));
    let Some(part) = from.filter(|of| lower(*of) == "of").and_then(|of| of.checked_sub(1)) else {
        return false;
    };
    // "Two of the three judges appointed in May": what follows the noun directly is said of all of them.
    let noun = words[first..].iter().position(|word| reading.kind_agreement(word) >= 1.0);
    let of_all = noun.map(|noun| first + noun + 1);
    let is_done = |wanted: &Wanted| {
        let says = |at: usize| Some(at) != of_all && reading.agreement(wanted, &words[at]) >= 1.0;
        wanted.role == Role::Outer && (0..words.len()).any(says)
    };
    reading.form.asks == Asks::Count
        && words[first].is_number()
        && words[part].is_number()
        && reading.wanted.iter().any(is_done)
}

/// Whether every number of a sentence is of a time after or before what the question asks about: "six months following the
/// probation period" for "How long is the probation period?"
pub(super) fn measures_beside(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) >= 1.0);
    let is_beside = |at: usize| {
        let mut after = words[at + 1..].iter().take(BESIDE_AFTER);
        let places = |word: &Word| {
            matches!(word.lower.as_str(), "after" | "following" | "before" | "preceding" | "prior")
        };
        after.any(places) && after.chain(words[at + 1..].iter().skip(BESIDE_AFTER).take(2)).any(is_asked)
    };
    let mut numbers = (0..words.len()).filter(|at| words[*at].is_number()).peekable();
    reading.form.asks == Asks::Quantity
        && !says_any(&reading.form.words, &["after", "following", "before", "preceding", "prior"])
        && numbers.peek().is_some()
        && numbers.all(is_beside)
}

/// Maximum number of words from a number over "months after" to what it is after.
const BESIDE_AFTER: usize = 4;

/// Whether the question asks what something costs, and a sentence names the price of something else: "a meter costing £70" for
/// "How much does the sensor cost?"
pub(super) fn prices_other(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let costs = |word: &Word| matches!(word.lower.as_str(), "cost" | "costs" | "costing");
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) > 0.0);
    let is_other = |at: usize| {
        let thing =
            words[..at].iter().rev().take_while(|word| !word.is_numeric()).find(|word| !word.is_function);
        thing.is_some_and(|thing| !is_asked(thing))
    };
    reading.format == Some(Format::Price) && (0..words.len()).any(|at| costs(&words[at]) && is_other(at))
}

/// Whether the sentence of a number sets another one against it: "They said 40 rooms, but I counted 32".
pub(super) fn is_contrasted(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let words = &piece.words;
    let Some(at) = words.iter().position(|word| candidate.range.contains(&word.start)) else { return false };
    let contrasts =
        |from: usize, to: usize| says_any(&words[from..to], &["but", "however", "instead", "actually"]);
    let is_other = |other: usize| {
        let is_number = words[other].is_number() && !candidate.range.contains(&words[other].start);
        is_number && contrasts(at.min(other), at.max(other))
    };
    matches!(reading.form.asks, Asks::Count | Asks::Quantity) && (0..words.len()).any(is_other)
}

/// Whether the question asks for a number with a unit, and the text has none: "how big is it in mAh", "what salary".
pub(super) fn lacks_unit(reading: &Reading, piece: &Piece, text: &str) -> bool {
    let form = &reading.form;
    let asks_number = matches!(form.asks, Asks::Quantity | Asks::Count);
    let unit = form.words.windows(2).find_map(|pair| {
        let measures = Measure::of_unit(&pair[1].lower);
        (asks_number && pair[0].lower == "in" && !pair[1].is_function).then_some(measures)
    });
    // "How cold is it".
    let kind = form.kind.or_else(|| form.question_word.map(|how| how + 1));
    let noun = kind.and_then(|kind| form.words.get(kind)).and_then(|word| Measure::asked_by(&word.lower));
    let is_in =
        |measures: &[Measure]| measures.is_empty() || measures.iter().any(|measure| measure.is_in(text));
    let has_unit = unit.is_none_or(is_in) && noun.is_none_or(|measure| is_in(&[measure]));
    piece.unit.kind != UnitKind::Row && !has_unit && !piece.words.iter().any(|word| is_extent(&word.lower))
}

/// Whether the question asks how long, far or deep something is, and every number with a unit measures something else: "640
/// euros".
pub(super) fn measures_no_length(reading: &Reading, _: &Piece, text: &str) -> bool {
    let is_long = |pair: &[Word]| {
        let how =
            matches!(pair[1].lower.as_str(), "long" | "far" | "deep" | "high" | "tall" | "wide" | "thick");
        pair[0].lower == "how" && how
    };
    let mut measures = Measure::all_in(text).peekable();
    reading.form.asks == Asks::Quantity
        && reading.form.words.windows(2).any(is_long)
        && measures.peek().is_some()
        && !measures.any(|measure| matches!(measure.name(), "time" | "length" | "text"))
}

/// Whether a number that should count or measure something is the day of a date: "30" of "30 November".
pub(super) fn is_day_of_month(reading: &Reading, piece: &Piece, first: usize) -> bool {
    matches!(reading.form.asks, Asks::Count | Asks::Quantity)
        && piece.words[first].is_numeric()
        && is_beside_month(&piece.words, first)
}

/// Whether a number in a row has no unit, and another part of the row tells one: "Default: 30; Meaning: timeout in seconds".
pub(super) fn leaves_unit_elsewhere(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let is_unit = |word: &Word| !Measure::of_unit(&word.lower).is_empty();
    reading.form.asks == Asks::Quantity
        && piece.unit.kind == UnitKind::Row
        && candidate.text.parse::<f64>().is_ok()
        && piece.words.iter().any(is_unit)
}

/// Whether no number in a sentence under headings counts what is asked: "87 % of the members" for "how many weavers".
pub(super) fn counts_other(reading: &Reading, piece: &Piece) -> bool {
    let is_kind = |word: &Word| reading.kind_agreement(word) > 0.0;
    let words = &piece.words;
    let is_count = |at: usize| {
        let is_share = piece.unit.text[words[at].end..].trim_start().starts_with('%');
        // "Five of your own posts" counts posts.
        let is_part = words.get(at + 1).is_some_and(|next| next.lower == "of");
        let after = if is_part { PART_AFTER } else { COUNTED_AFTER };
        let near = at.saturating_sub(COUNTED_BEFORE)..(at + 1 + after).min(words.len());
        words[at].is_number() && !is_share && words[near].iter().any(is_kind)
    };
    let is_unit = || {
        let kind = reading.form.kind.map_or("", |kind| reading.form.words[kind].lower.as_str());
        Measure::of_unit(kind).iter().any(|measure| measure.is_in(&piece.unit.text))
    };
    reading.form.asks == Asks::Count
        && reading.form.kind.is_some()
        && reading.is_in_section(piece)
        && piece.unit.kind != UnitKind::Row
        && !(0..words.len()).any(is_count)
        && !is_unit()
}

/// Maximum distance in words between what is counted and a number after it: "members: 5", "the number of members is 5".
const COUNTED_BEFORE: usize = 3;
/// Maximum distance in words between a number with "of" and what it counts.
const PART_AFTER: usize = 5;

/// Whether the question asks for the highest or lowest of a measure, and a sentence sets no bound: "The interval defaults to
/// two minutes" for "What is the longest interval?"
pub(super) fn lacks_bound(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let Some(kind) = form.kind.filter(|_| matches!(form.asks, Asks::Count | Asks::Quantity)) else {
        return false;
    };
    let is_asked =
        |wanted: &Wanted| wanted.word < kind && amount::says(&form.words[wanted.word].lower, Amount::Extreme);
    let asked = reading.wanted.iter().enumerate().find(|(_, wanted)| is_asked(wanted));
    let bounds = || {
        let mut bounds = amount::words_of(Amount::Extreme).chain(amount::words_of(Amount::Bound));
        bounds.any(|bound| says(&piece.lower, bound))
    };
    asked.is_some_and(|(bit, _)| !piece.with_context.has(bit)) && !bounds()
}
