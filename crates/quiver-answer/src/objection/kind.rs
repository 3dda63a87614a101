//! Objections to an answer that is not of the type or the kind asked for.

use quiver_language::{
    Language, MentionKind,
    answering::Answering,
    degree::comparative,
    description::takes,
    measure::Measure,
    word::{irregular_verb, is_verb, verbs},
};

use quiver_documents::label::label;

use super::super::{
    candidate::{Candidate, Kind, only_begins_sentence},
    form::{Asks, Form, Role, is_auxiliary},
    format::{Format, counts_times, is_extent, is_weekday},
    lexicon::{
        country, is_colour, is_colour_kind, is_length, is_ordinal, is_scale, is_season_or_time, number,
        says_day_or_month,
    },
    reading::{Named, Piece, Reading, Wanted, says},
    stated::is_identifier,
    unit::UnitKind,
    word::{Word, says_any, says_class, words_of},
};

/// Whether a value of a turn is only near what is asked for: a number that counts something else, a name with words of the
/// question, or one of several dates.
pub(super) fn is_loose(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let is_kind = |word: &Word| reading.kind_agreement(word) > 0.0;
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) >= 1.0);
    let mut within = piece.words.iter().filter(|word| candidate.range.contains(&word.start));
    let after = piece.words.iter().filter(|word| word.start >= candidate.range.end).take(COUNTED_AFTER);
    match reading.form.asks {
        Asks::Count => candidate.kind != Kind::Cell && !within.chain(after).any(is_kind),
        Asks::Person => within.any(is_asked),
        Asks::Date => is_beside_other_day(piece, candidate),
        _ => false,
    }
}

/// Whether the sentence of a date names another day: "It goes to print on 24 June, so send me yours by the 22nd".
fn is_beside_other_day(piece: &Piece, candidate: &Candidate) -> bool {
    let is_day = |word: &&Word| {
        is_ordinal(&word.lower) && word.is_numeric() || word.lower.len() > 3 && says_day_or_month(&word.lower)
    };
    // "Saturday, 11 July" is one day.
    let is_apart = |word: &&Word| {
        let own = &candidate.range;
        let between = piece.unit.text.get(word.end.min(own.end)..word.start.max(own.start));
        between.is_some_and(|between| between.contains(char::is_alphanumeric))
    };
    let outside = |word: &&Word| word.end <= candidate.range.start || candidate.range.end <= word.start;
    piece.words.iter().filter(outside).filter(is_day).any(|word| is_apart(&word))
}

/// Maximum distance in words between a number and what it counts.
const COUNTED_AFTER: usize = 2;

/// Whether a question without a type would be answered from a turn. People leave out what both of them know, so only
/// answers whose type can be checked are given.
pub(super) fn is_unchecked(reading: &Reading, piece: &Piece) -> bool {
    reading.pages[piece.source].turn.is_some() && !reading.form.asks.is_typed()
}

/// Whether a value tells how often, by itself or after "every": "every *24 hours*", but not "after 24 hours".
pub(super) fn is_repeated(words: &[Word], first: Option<usize>, value: &str) -> bool {
    let before = first.and_then(|first| first.checked_sub(1)).map_or("", |at| words[at].lower.as_str());
    matches!(before, "every" | "each" | "per")
        || words_of(value).iter().any(|word| counts_times(word) || word == "a")
}

/// Whether a value is an amount of money and the question asks how many there are of something.
pub(crate) fn is_price(form: &Form, value: &str) -> bool {
    form.asks == Asks::Count && value.contains(['$', '€', '£', '¥'])
}

/// Whether the question asks for a colour.
pub(crate) fn asks_colour(reading: &Reading) -> bool {
    let mut kinds = reading.wanted.iter().filter(|wanted| wanted.role == Role::Kind);
    kinds.any(|wanted| is_colour_kind(&reading.form.words[wanted.word].lower))
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

/// Whether an amount in words has no unit: "three cost-cutting" measures nothing.
pub(super) fn lacks_measure(reading: &Reading, candidate: &Candidate) -> bool {
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
        && matches!(piece.unit.kind, UnitKind::Prose | UnitKind::Item)
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
pub(super) fn is_lower_end(reading: &Reading, piece: &Piece, candidate: &Candidate, first: usize) -> bool {
    let words = &piece.words;
    let is_from = first.checked_sub(1).is_some_and(|before| words[before].lower == "from");
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

/// Whether the question asks when something happened, and a sentence says no time: neither a date nor what it happened
/// after, before or during.
pub(super) fn lacks_time(reading: &Reading, piece: &Piece, holds_type: bool) -> bool {
    let form = &reading.form;
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let happened = form
        .question_word
        .is_some_and(|at| lower(at) == "when" && matches!(lower(at + 1), "did" | "was" | "were"));
    let is_time = |word: &Word| {
        word.is_number()
            || is_season_or_time(&word.lower)
            || matches!(
                word.lower.as_str(),
                "after"
                    | "before"
                    | "during"
                    | "when"
                    | "while"
                    | "since"
                    | "until"
                    | "once"
                    | "ago"
                    | "at"
                    | "by"
                    | "in"
            )
    };
    happened && !holds_type && !says_day_or_month(&piece.unit.text) && !piece.words.iter().any(is_time)
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

/// Whether a place is only the first part of a compound: "wood" of "the wood store".
pub(super) fn is_cut_off(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let next = piece.words.iter().find(|word| word.start >= candidate.range.end);
    let is_joined = |next: &&Word| {
        piece.unit.text.get(candidate.range.end..next.start) == Some(" ")
            && !next.is_function
            && !next.lower.ends_with("ing")
    };
    reading.form.asks == Asks::Place
        && !candidate.text.starts_with(char::is_uppercase)
        && next.is_some_and(|next| is_joined(&next))
}

/// Whether the question asks for the name of something, and a sentence names nothing new.
pub(super) fn lacks_name(reading: &Reading, piece: &Piece) -> bool {
    let asks_name = |pair: &[Word]| pair[0].lower == "name" && matches!(pair[1].lower.as_str(), "of" | "for");
    let has_quotation = || piece.named.iter().any(|named| named.kind == MentionKind::Quotation);
    reading.form.words.windows(2).any(asks_name)
        && piece.unit.kind != UnitKind::Row
        && !piece.unit.has_code
        && !has_quotation()
        && !names(piece).any(|named| is_new_name(reading, named) && !says_day_or_month(&named.key))
}

/// Whether the question asks for a town, and a sentence names nothing new but countries.
pub(super) fn lacks_town(reading: &Reading, piece: &Piece) -> bool {
    let mut new = piece.named.iter().filter(|named| is_new_name(reading, named));
    asks_town(reading) && new.all(|named| country(&named.key).is_some())
}

fn is_new_name(reading: &Reading, named: &Named) -> bool {
    named.kind == MentionKind::Name && !says(&reading.asked, &named.key)
}

/// The names in a piece.
fn names(piece: &Piece) -> impl Iterator<Item = &Named> {
    piece.named.iter().filter(|named| !only_begins_sentence(piece, named))
}

/// Whether the question asks for a town, and no word of a value is capital: "the second half of the year".
pub(super) fn is_no_town<'w>(reading: &Reading, mut value: impl Iterator<Item = &'w Word>) -> bool {
    asks_town(reading) && !value.any(|word| word.is_capital)
}

fn asks_town(reading: &Reading) -> bool {
    let is_town = |wanted: &Wanted| {
        matches!(reading.form.words[wanted.word].lower.as_str(), "town" | "city" | "village" | "street")
    };
    reading.wanted.iter().any(|wanted| wanted.role == Role::Kind && is_town(wanted))
}

/// Whether a name is that of an activity or a department and so of no person: "Operations Engineering".
pub(super) fn names_activity(form: &Form, name: &str) -> bool {
    let is_abstract = |word: &String| {
        ["tion", "tions", "sion", "ness", "ship"].iter().any(|ending| word.ends_with(ending))
            || word.ends_with("ing") && is_verb(word)
    };
    form.asks == Asks::Person && words_of(name).iter().any(is_abstract)
}

/// Whether the question asks what something is, and a sentence under the heading of something else only mentions it:
/// "Together with cash, this is what we are owed" for "What is cash?"
pub(super) fn defines_other(reading: &Reading, piece: &Piece) -> bool {
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) >= 1.0);
    let subject = piece.words.iter().filter(|word| !word.is_function).take(SUBJECT_WORDS_MAX);
    let first = piece.words.first().map_or("", |word| word.lower.as_str());
    let is_aside =
        matches!(first, "together" | "along" | "besides" | "unlike" | "like" | "for" | "with" | "in");
    reading.form.asks == Asks::Definition
        && reading.is_in_section(piece)
        && piece.above.exact == 0
        && (is_aside || !subject.clone().any(is_asked))
}

/// Maximum number of content words before the end of a subject.
const SUBJECT_WORDS_MAX: usize = 4;

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
pub(super) fn measures_no_length(reading: &Reading, text: &str) -> bool {
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
    let words = &piece.words;
    let is_month = |at: usize| {
        let word = words.get(at).map_or("", |word| word.lower.as_str());
        !is_weekday(word) && word.len() > 2 && says_day_or_month(word)
    };
    matches!(reading.form.asks, Asks::Count | Asks::Quantity)
        && words[first].is_numeric()
        && (is_month(first + 1) || first > 0 && is_month(first - 1))
}

/// Whether a day or a time is in a longer part of a sentence: "both days, milk on Fridays".
pub(super) fn runs_over_day(reading: &Reading, candidate: &Candidate) -> bool {
    let is_day = reading.format.is_some_and(Format::is_time);
    let is_part = matches!(candidate.kind, Kind::Phrase | Kind::Complement);
    let before_comma = candidate.text.split(',').next().unwrap_or_default();
    is_day && is_part && candidate.text.contains(',') && words_of(before_comma).len() == 1
}

/// Whether the name of somebody has a word of the question that is no name: "the Wool Hour" for "Who presents the wool show?"
pub(super) fn names_asked(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
    let is_asked = |word: &Word| {
        let mut wanted = reading.wanted.iter().filter(|wanted| wanted.role != Role::Name);
        wanted.any(|wanted| reading.agreement(wanted, word) >= 1.0)
    };
    let mut within = piece.words.iter().filter(|word| candidate.range.contains(&word.start));
    reading.form.asks == Asks::Person
        && matches!(candidate.kind, Kind::Name | Kind::Subject | Kind::Quotation)
        && within.any(|word| word.is_capital && is_asked(word))
}

/// Whether a name is of what somebody works with, and not of who does: "done *on Weblate*".
pub(super) fn is_worked_with(reading: &Reading, piece: &Piece, first: usize) -> bool {
    let before = first.checked_sub(1).map_or("", |before| piece.words[before].lower.as_str());
    reading.form.asks == Asks::Person && matches!(before, "on" | "in" | "at" | "via" | "through" | "using")
}

/// Whether the question asks who has or does something, and a line only says more of that: "Red key: shed and cellar" for
/// "Who has a red key?"
pub(super) fn labels_object(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let is_who = form.question_word.is_some_and(|at| {
        let verb = form.words.get(at + 1);
        form.words[at].lower == "who"
            && verb.is_some_and(|verb| !is_auxiliary(&verb.lower) || has(&verb.lower))
    });
    let Some((label, _)) = label(&piece.unit.text).filter(|_| is_who) else { return false };
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) >= 1.0);
    let mut of_label =
        piece.words.iter().filter(|word| word.end <= label.len() && !word.is_function).peekable();
    let is_label = of_label.peek().is_some() && of_label.all(is_asked);
    let mut value = piece.words.iter().filter(|word| word.start > label.len());
    is_label && !value.any(|word| word.is_capital || names_person(&word.lower))
}

fn has(verb: &str) -> bool {
    matches!(verb, "has" | "have" | "had")
}

/// Whether a word may be for somebody: "weaver", "operators".
fn names_person(word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    ["er", "or", "ist", "man", "men"].iter().any(|end| singular.ends_with(end))
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

/// Whether a sentence says something of those whose names are asked for, and not who they are: "The wardens are asked to
/// meet" for "Who are the wardens?"
pub(super) fn tells_of_holders(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let is_be = |word: &Word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "be");
    let asks_names = form.asks == Asks::Person
        && form.question_word.and_then(|at| form.words.get(at + 1)).is_some_and(is_be);
    let words = &piece.words;
    let starts = words.iter().position(|word| !word.is_function);
    let is_role = |word: &Word| {
        let mut roles = reading.wanted.iter().filter(|wanted| wanted.role != Role::Name);
        roles.any(|wanted| reading.agreement(wanted, word) >= 1.0)
    };
    let is_new_name = |word: &Word| word.is_capital && !word.is_function && !form.has(word);
    let verb = words.iter().position(is_be).unwrap_or(words.len());
    // "The buyer was a cooperative" tells who it was.
    let is_passive = words.get(verb + 1..).is_none_or(|after| {
        let next = after.iter().find(|word| !is_adverb(&word.lower));
        next.is_some_and(|next| is_participle(&next.lower))
    });
    let names = |at: usize| {
        (at == verb || breaks_after(piece, at))
            && words[at + 1..(at + 4).min(words.len())].iter().any(is_new_name)
    };
    asks_names
        && piece.unit.kind == UnitKind::Prose
        && starts.is_some_and(|at| is_role(&words[at]))
        && is_passive
        && !(0..words.len().min(verb + 1)).any(names)
}

/// Whether the question asks who has a role, and every new name of a sentence is that of another role, an activity or a
/// thing: "The buyer, the Head Weaver and the Dyer meet" for "Who is the head weaver?"
pub(super) fn names_roles_only(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let after = |ahead: usize| form.question_word.and_then(|at| form.words.get(at + ahead));
    let asks_holder = form.asks == Asks::Person && after(2).is_some_and(|word| word.lower == "the");
    // "The payments team owns the service": who does it need not have a name.
    let is_deed = |word: &Word| after(1).is_some_and(|verb| verb.is_form_of(word));
    let does = |at: usize| {
        let subject = &piece.words[at - 1];
        is_deed(&piece.words[at]) && !subject.is_function && !subject.is_numeric()
    };
    let is_told = || (1..piece.words.len().min(SUBJECT_MAX)).any(does);
    let is_holder = |named: &Named| {
        let before = piece.words.iter().rfind(|word| word.end <= named.range.start);
        let is_determined =
            before.is_some_and(|word| matches!(word.lower.as_str(), "the" | "a" | "an" | "our" | "your"));
        let last = piece.unit.text[named.range.clone()].rsplit(' ').next().unwrap_or_default();
        let is_role = last.len() <= ABBREVIATION_MAX && last.chars().all(char::is_uppercase)
            || matches!(last, "Lead" | "Head" | "Chief" | "Chair")
            || ["er", "or"].iter().any(|end| last.ends_with(end)) && named.key.contains(' ');
        is_new_name(reading, named) && !is_determined && !is_role && !names_activity(form, &named.key)
    };
    asks_holder
        && reading.is_in_section(piece)
        && piece.unit.kind == UnitKind::Prose
        && !piece.unit.text.contains('@')
        && !names(piece).any(is_holder)
        && !is_told()
}

/// Maximum number of words before the verb of a sentence whose subject does what is asked.
const SUBJECT_MAX: usize = 6;

/// Maximum number of letters of an abbreviation for a role: "CFO".
const ABBREVIATION_MAX: usize = 4;

fn is_adverb(word: &str) -> bool {
    word.ends_with("ly") || matches!(word, "not" | "also" | "now" | "still" | "always" | "often")
}

fn is_participle(word: &str) -> bool {
    word.ends_with("ed") || irregular_verb(word).is_some()
}

/// Whether a comma, a colon, a dash or a bracket follows a word.
fn breaks_after(piece: &Piece, at: usize) -> bool {
    let rest = piece.unit.text[piece.words[at].end..].trim_start();
    rest.starts_with([',', ':', '–', '—', '(', '-'])
}

/// Whether a sentence contains a colour word: "a green cap".
pub(crate) fn says_colour(words: &[Word]) -> bool {
    words.iter().any(|word| is_colour(&word.lower))
}

/// Whether a question asks for several things by their number, and the sentence has fewer parts: "There are four kinds
/// of looms, all of oak" for "What are the four kinds of looms?"
pub(super) fn lists_too_few(reading: &Reading, piece: &Piece) -> bool {
    let Some(asked) = number_asked(&reading.form) else { return false };
    let text = &piece.unit.text;
    let joints = text.matches(", ").count()
        + text.matches(';').count()
        + piece.words.iter().filter(|word| matches!(word.lower.as_str(), "and" | "or")).count();
    joints + 1 < asked
}

/// How many things the question asks for, if it says so: four for "What are the *four* kinds of looms?"
pub(super) fn number_asked(form: &Form) -> Option<usize> {
    let kind = form.kind?;
    let before = &form.words[kind.saturating_sub(NUMBER_BEFORE)..kind];
    let value = |word: &Word| number(&word.lower).or_else(|| word.lower.parse().ok());
    before.iter().find_map(value).map(|number| number as usize)
}

/// Maximum distance in words between a number and the noun it counts: "the four *main* kinds".
const NUMBER_BEFORE: usize = 3;

/// Whether the question asks where something is, and the sentence has no place: no name of one, nothing after "in" or the
/// like, and no path or address.
pub(super) fn lacks_place(reading: &Reading, piece: &Piece, holds_type: bool) -> bool {
    let is_time = |word: &Word| {
        word.is_numeric()
            || is_season_or_time(&word.lower)
            || is_weekday(&word.lower)
            || says_day_or_month(&word.lower)
    };
    let words = &piece.words;
    let is_placed = |at: usize| {
        let is_preposition = matches!(
            words[at].lower.as_str(),
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
        let mut after = words[at + 1..].iter().take(PLACE_WITHIN);
        // "On the second floor".
        let place = after.find(|word| !word.is_function && !is_ordinal(&word.lower));
        let is_place = |place: &Word| !is_time(place) && place.lower != "case" && !reading.form.has(place);
        is_preposition && place.is_some_and(is_place)
    };
    let has_path = || piece.unit.text.split_whitespace().any(|token| token.contains(['/', '\\', '@']));
    matches!(reading.form.asks, Asks::Place | Asks::Country)
        && !holds_type
        && !piece.unit.has_code
        && piece.unit.kind != UnitKind::Row
        && !has_path()
        && !(0..words.len()).any(is_placed)
}

/// Maximum number of words from a preposition to its place: "in *the old* mill".
const PLACE_WITHIN: usize = 3;

/// Whether a sentence only refers to a thing of the kind asked for: "lands at the given pier" does not say at which
/// pier, but "at the following pier: 12" does.
pub(super) fn only_refers_to_kind(reading: &Reading, piece: &Piece) -> bool {
    let kinds: Vec<_> = reading.wanted.iter().filter(|wanted| wanted.role == Role::Kind).collect();
    let is_kind = |at: &usize| reading.kind_agreement(&piece.words[*at]) >= 1.0;
    let said: Vec<usize> = (0..piece.words.len()).filter(is_kind).collect();
    let Some(last) = said.last() else { return false };
    let is_indefinite = |at: usize| reading.form.asks == Asks::Thing && is_indefinite(piece, at);
    let is_head = |at: &usize| {
        let mut heads = kinds.iter().filter(|kind| Some(kind.word) == reading.form.kind);
        heads.any(|head| reading.agreement(head, &piece.words[*at]) >= 1.0)
    };
    let mut heads = said.iter().copied().filter(is_head).peekable();
    let is_described = reading.form.asks != Asks::Person
        && heads.peek().is_some()
        && heads.all(|at| is_described(reading, piece, at));
    let only_refers = said.iter().all(|at| is_referred_to(&piece.words, *at) || is_indefinite(*at));
    (only_refers || is_described) && !piece.words[*last..].iter().any(Word::is_number)
}

/// Whether a noun only refers to a thing said elsewhere: "the specified address and *port*".
pub(crate) fn is_referred_to(words: &[Word], at: usize) -> bool {
    says_class(&words[at.saturating_sub(REFERENCE_BEFORE)..at], Answering::Referring)
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

/// Whether a noun with words of the question only is described by a clause: "the dyer the guild chose".
fn is_described(reading: &Reading, piece: &Piece, at: usize) -> bool {
    let words = &piece.words;
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) > 0.0);
    let before = words[..at].iter().rev().find(|word| !is_asked(word));
    let is_definite = before.is_some_and(|word| word.lower == "the");
    let next = words.get(at + 1).filter(|next| piece.unit.text[words[at].end..next.start].trim().is_empty());
    let begins_clause = next.is_some_and(|next| {
        matches!(
            next.lower.as_str(),
            "that"
                | "which"
                | "who"
                | "whose"
                | "the"
                | "a"
                | "an"
                | "we"
                | "you"
                | "they"
                | "he"
                | "she"
                | "it"
        )
    });
    is_definite && begins_clause
}

/// Maximum distance in words between an adjective that refers and its noun.
const REFERENCE_BEFORE: usize = 3;

/// Whether the question asks for something with an identifier ("which setting", "what command") and the
/// sentence contains no identifier that the question does not.
pub(super) fn lacks_program_name(reading: &Reading, piece: &Piece) -> bool {
    let mut tokens = piece.unit.text.split_whitespace();
    let is_new_name = |token: &str| is_identifier(token) && !reading.asked.contains(&token.to_lowercase());
    let form = &reading.form;
    asks_program_name(form) && !form.is_list && !piece.unit.has_code && !tokens.any(is_new_name)
}

/// Whether the question asks for something that programs give an identifier.
pub(crate) fn asks_program_name(form: &Form) -> bool {
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
pub(super) fn joins_things(words: &[Word]) -> bool {
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
pub(super) fn says_the_one(reading: &Reading, piece: &Piece) -> bool {
    let mut pairs = piece.words.windows(2);
    pairs
        .any(|pair| matches!(pair[1].lower.as_str(), "is" | "was") && reading.kind_agreement(&pair[0]) >= 1.0)
}

/// Whether a sentence says of what all things of the kind asked for are: "needs frequent *checks of* the bearing" for "What
/// checks are needed?"
pub(super) fn says_of_what(reading: &Reading, piece: &Piece) -> bool {
    let is_plural = |word: &Word| word.lower.ends_with('s') && reading.kind_agreement(word) > 0.0;
    let mut pairs = piece.words.windows(2);
    pairs.any(|pair| is_plural(&pair[0]) && matches!(pair[1].lower.as_str(), "of" | "on" | "for"))
}

/// Whether a value mostly repeats the question, apart from numbers and the noun asked for: "64 bit systems"
/// is not a limit "on 32 bit systems". A phrase may begin with given words.
pub(super) fn repeats<'w>(form: &Form, value: impl Iterator<Item = &'w Word>, kind: Kind) -> bool {
    let is_given = |word: &Word| {
        form.words.iter().enumerate().any(|(at, asked)| {
            form.kind != Some(at) && word.stems.first().is_some_and(|stem| asked.stems.contains(stem))
        })
    };
    // "3 hours" answers "how long" even if the question mentions hours.
    let is_measure =
        |word: &&Word| kind == Kind::Quantity && (is_length(&word.lower) || is_season_or_time(&word.lower));
    let value: Vec<&Word> = value.collect();
    let is_asked = |word: &Word| form.has(word);
    // "57 tiered" does not tell what rule 57 is about.
    let begins_with_number = value.first().is_some_and(|first| first.is_numeric() && is_asked(first))
        && value.iter().filter(|word| word.is_numeric()).count() == 1;
    // "Another crew cleans" does not tell which crew.
    let is_kind = |word: &Word| form.kind.is_some_and(|kind| word.is_form_of(&form.words[kind]));
    let tells_none = |word: &&Word| {
        let is_determiner = word.is_function || Language::English.class(&word.lower).is_some();
        is_determiner && !word.is_number() || is_kind(word) || is_given(word)
    };
    if form.either.is_none() && value.iter().all(tells_none) {
        return true;
    }
    let given: Vec<bool> = value
        .into_iter()
        .filter(|word| !word.is_function && !word.is_numeric() && !is_measure(word))
        .map(is_given)
        .collect();
    let is_phrase = matches!(kind, Kind::Phrase | Kind::Complement | Kind::List);
    let repeated = given.iter().filter(|given| **given).count();
    begins_with_number || is_phrase && given.first() == Some(&true) || 2 * repeated > given.len()
}
