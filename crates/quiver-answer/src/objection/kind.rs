//! Objections to an answer that is not of the type or the kind asked for.

use quiver_language::{
    Language, MentionKind,
    answering::{self, Answering},
    word::verbs,
};
use quiver_models::Lexical;

use super::{
    super::{
        candidate::{Candidate, Kind},
        form::{Asks, Form, Role},
        format::{Format, is_weekday},
        lexicon::{
            country, is_code_noun, is_colour, is_colour_kind, is_length, is_ordinal, is_season_or_time,
            number, says_day_or_month,
        },
        reading::{Named, Piece, Reading, Wanted, says},
        stated::is_identifier,
        unit::UnitKind,
        word::{Word, says_any, says_at, says_class, words, words_of},
    },
    amount::COUNTED_AFTER,
    relation::until,
    rule::Case,
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

/// Whether a question without a type would be answered from a turn. People leave out what both of them know, so only
/// answers whose type can be checked are given.
pub(super) fn is_unchecked(reading: &Reading, piece: &Piece) -> bool {
    reading.pages[piece.source].turn.is_some() && !reading.form.asks.is_typed()
}

/// Whether the question asks for a colour.
pub(crate) fn asks_colour(reading: &Reading) -> bool {
    let mut kinds = reading.wanted.iter().filter(|wanted| wanted.role == Role::Kind);
    kinds.any(|wanted| is_colour_kind(&reading.form.words[wanted.word].lower))
}

/// Whether the question asks when something begins, and a sentence says only until when: "on leave until 6 January".
fn has_end_alone(form: &Form, piece: &Piece) -> bool {
    let begins = says_any(&form.words, &["begin", "began", "begins", "start", "started", "starts"]);
    let is_date = |word: &Word| word.is_number() || says_day_or_month(&word.lower);
    begins && until(&piece.words).is_some_and(|until| !piece.words[..until].iter().any(is_date))
}

/// Whether the question asks when something happened or will happen, and a sentence says no time: neither a date nor what it
/// happens after, before or during.
pub(super) fn lacks_time(case: &Case<'_>) -> bool {
    let Case { reading, piece, holds_type, .. } = *case;
    let form = &reading.form;
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let happened = form.question_word.is_some_and(|at| {
        let is_since = at > 0 && lower(at - 1) == "since";
        lower(at) == "when" && (is_since || matches!(lower(at + 1), "did" | "was" | "were" | "will"))
    });
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
    let lacks_all = || !says_day_or_month(&piece.unit.text) && !piece.words.iter().any(is_time);
    happened && (!holds_type && lacks_all() || has_end_alone(form, piece))
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
        && !piece.names().any(|named| is_new_name(reading, named) && !says_day_or_month(&named.key))
}

/// Whether the question asks for a code, and the only codes of a row are in cells about something else: "Places: 15; Key: code".
pub(super) fn lacks_code_in_row(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    if reading.format != Some(Format::Code) || piece.unit.kind != UnitKind::Row {
        return false;
    }
    let read = |text: &str| words(&Lexical::new(), text);
    let names_code = |text: &str| read(text).iter().any(|word| is_code_noun(&word.lower));
    let is_code = |text: &str| Format::Code.is_in(form, text, &read(text), false);
    let is_above = form.kind.is_some_and(|kind| reading.is_above(piece, &form.words[kind]));
    let cells = &piece.unit.cells;
    let is_named_first = || cells.first().is_some_and(|(_, cell)| names_code(cell));
    let has_code =
        || cells.iter().any(|(head, cell)| (names_code(head) || names_code(cell)) && is_code(cell));
    !is_above && !is_named_first() && !has_code()
}

/// Whether the question asks which organisation, and a sentence has no name or number that the question lacks.
pub(super) fn lacks_organisation(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    form.asks == Asks::Organisation
        && form.question_word.zip(form.kind).is_some_and(|(at, kind)| kind == at + 1)
        && !piece.unit.has_code
        && !piece.words.iter().skip(1).any(|word| {
            word.is_capital && !word.is_function && !form.has(word) && !says_day_or_month(&word.lower)
        })
        && !piece.names().any(|named| is_new_name(reading, named))
}

/// Whether the question asks for a town, and a sentence names nothing new but countries.
pub(super) fn lacks_town(reading: &Reading, piece: &Piece) -> bool {
    let mut new = piece.named.iter().filter(|named| is_new_name(reading, named));
    asks_town(reading) && new.all(|named| country(&named.key).is_some())
}

/// Whether a name is none of the question's.
pub(super) fn is_new_name(reading: &Reading, named: &Named) -> bool {
    named.kind == MentionKind::Name && !says(&reading.asked, &named.key)
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

/// Whether a day or a time is in a longer part of a sentence: "both days, milk on Fridays".
pub(super) fn runs_over_day(reading: &Reading, _: &Piece, candidate: &Candidate) -> bool {
    let is_day = reading.format.is_some_and(Format::is_time);
    let is_part = matches!(candidate.kind, Kind::Phrase | Kind::Complement);
    let before_comma = candidate.text.split(',').next().unwrap_or_default();
    is_day && is_part && candidate.text.contains(',') && words_of(before_comma).len() == 1
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
pub(super) fn lacks_place(case: &Case<'_>) -> bool {
    let Case { reading, piece, holds_type, .. } = *case;
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
        let is_place = |place: &Word| !is_time(place) && !reading.form.has(place);
        is_preposition && place.is_some_and(is_place) && !is_idiom(words, at + 1)
    };
    let has_path = || piece.unit.text.split_whitespace().any(|token| token.contains(['/', '\\', '@']));
    matches!(reading.form.asks, Asks::Place | Asks::Country)
        && !holds_type
        && !piece.unit.has_code
        && piece.unit.kind != UnitKind::Row
        && !has_path()
        && !(0..words.len()).any(is_placed)
}

/// Whether a noun directly after "in" or "on" names no place: "in addition to", but not "in the common room".
fn is_idiom(words: &[Word], at: usize) -> bool {
    let is_led = at.checked_sub(1).is_some_and(|before| says_at(words, before, &["in", "on"]));
    is_led
        && words.get(at).is_some_and(|word| answering::says(&word.lower, Answering::Idiom))
        && words.get(at + 1).is_none_or(|next| next.is_function)
}

/// Whether a place is a noun that only follows "in": "*addition to a board* …".
pub(super) fn is_idiom_of_place(reading: &Reading, piece: &Piece, first: usize) -> bool {
    reading.form.asks == Asks::Place && is_idiom(&piece.words, first)
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
