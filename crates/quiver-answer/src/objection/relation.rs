//! Objections to a sentence that does not say what is asked of the thing.

use std::ops::Range;

use quiver_language::{
    answering::{self, Answering},
    number::as_year,
    talk::{self, Talk},
    word::{irregular_verb, is_past, is_verb, verbs},
};

use super::super::{
    candidate::Candidate,
    cue::connectives,
    form::{Asks, Form, Role},
    format::Format,
    lexicon::{is_condition, is_season_or_time},
    reading::{Piece, Reading, Wanted},
    stated::is_manner,
    unit::UnitKind,
    word::{Word, begins_clause, is_base_form, says_any},
};

/// Whether a sentence only plans what the question takes as fact: "intended to become the default".
pub(super) fn only_plans(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    // "If you plan to use it" is a condition.
    let plans = |words: &[Word]| {
        let says = |phrase: &str| talk::says(phrase, Talk::Planning);
        let is_reader = |at: usize| at.checked_sub(1).is_some_and(|before| words[before].lower == "you");
        (0..words.len()).filter(|at| !is_reader(*at)).any(|at| {
            let next = words.get(at + 1).map_or("", |next| next.lower.as_str());
            says(&words[at].lower) || says(&format!("{}_{next}", words[at].lower))
        })
    };
    let asks_ahead = || {
        let is_ahead = |word: &Word| {
            let lower = word.lower.as_str();
            matches!(lower, "will" | "going" | "next" | "upcoming" | "future") || lower.starts_with("plan")
        };
        form.words.iter().any(is_ahead) || plans(&form.words)
    };
    // "The choir will vote" for "Which tour did the choir vote for?"
    let is_ahead = |pair: &[Word]| {
        pair[0].lower == "will"
            && !pair[1].is_function
            && form.has(&pair[1])
            && form.words.iter().any(|word| word.lower == "did")
    };
    let asks_fact = form.asks.is_typed() || form.asks == Asks::Thing;
    if asks_fact && piece.words.windows(2).any(is_ahead) {
        return true;
    }
    if asks_fact && tells_of_plan(form, piece) {
        return true;
    }
    // "He was going to sew, but that fell through."
    let is_past_plan =
        |trio: &[Word]| matches!(trio[0].lower.as_str(), "was" | "were") && says_going(&trio[1..]);
    let planned = |words: &[Word]| words.windows(3).any(is_past_plan);
    asks_fact && (plans(&piece.words) && !asks_ahead() || planned(&piece.words) && !planned(&form.words))
}

/// Whether a sentence tells of a plan, and the question of what happened: "The nodes are to be turned off" for "When were the
/// nodes turned off?", "the plan has 48 panels" for "How many panels were put up?"
pub(super) fn tells_of_plan(form: &Form, piece: &Piece) -> bool {
    let is_due = |trio: &[Word]| {
        matches!(trio[0].lower.as_str(), "is" | "are") && trio[1].lower == "to" && trio[2].lower == "be"
    };
    let is_planned =
        |word: &Word| matches!(word.lower.as_str(), "plan" | "plans" | "planned" | "proposal" | "proposed");
    // "Work to start in May", "To be dredged in May", "Name to be picked by the guild".
    let is_deed = |word: &Word| word.lower == "be" || is_base_form(&word.lower);
    let is_headline = |trio: &[Word]| {
        trio[0].lower == "to" && is_deed(&trio[1]) || trio[1].lower == "to" && is_deed(&trio[2])
    };
    let asks_past = form.words.iter().any(|word| matches!(word.lower.as_str(), "was" | "were" | "did"));
    let tells_ahead = piece.words.windows(3).any(is_due)
        || piece.words.iter().any(is_planned)
        || piece.words.first_chunk::<3>().is_some_and(|trio| is_headline(trio));
    asks_past && tells_ahead && !form.words.iter().any(is_planned)
}

/// Whether two words are "going to".
fn says_going(pair: &[Word]) -> bool {
    pair[0].lower == "going" && pair[1].lower == "to"
}

/// Whether a sentence only says that something has the answer: "controls *how long* sessions are kept".
pub(super) fn asks_indirectly(form: &Form, words: &[Word]) -> bool {
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
pub(super) fn only_asks_who(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let is_who = |at: &usize| words[*at].lower == "who";
    let is_asking = |at: usize| at.checked_sub(1).is_none_or(|before| words[before].is_function);
    reading.form.asks == Asks::Person && (0..words.len()).filter(is_who).any(is_asking)
}

/// Whether a row, with its title and headings, has none of the words for what is asked of a thing: no column for the
/// status of the gate.
pub(super) fn lacks_field(reading: &Reading, piece: &Piece) -> bool {
    let mut asked = reading
        .wanted
        .iter()
        .enumerate()
        .filter(|(_, wanted)| matches!(wanted.role, Role::Outer | Role::Kind))
        .peekable();
    let is_told = |bit: usize| piece.with_context.has(bit) || piece.said.has(bit);
    // "Which plot does the organiser have?" asks for a plot, and the row tells only of the organiser.
    let lacks_kind = reading.form.asks == Asks::Thing
        && reading.wanted.iter().enumerate().any(|(bit, wanted)| wanted.role == Role::Kind && !is_told(bit));
    piece.unit.kind == UnitKind::Row
        && (lacks_kind || asked.peek().is_some() && !asked.any(|(bit, _)| is_told(bit)))
}

/// Whether a sentence under headings lacks a word of a question for yes or no that is no verb: "Radios may be borrowed over a
/// weekend" does not tell whether a *rope* may.
pub(super) fn lacks_part_of_closed(reading: &Reading, piece: &Piece) -> bool {
    let is_telling = |wanted: &Wanted| {
        let word = &reading.form.words[wanted.word];
        !is_verb(&word.lower) && !is_manner(word) && !reading.is_everywhere(wanted)
    };
    let mut wanted = reading.wanted.iter().enumerate();
    reading.form.asks == Asks::YesNo
        && reading.is_in_section(piece)
        && wanted.any(|(bit, wanted)| is_telling(wanted) && !piece.with_context.has(bit))
}

/// Whether a sentence states only the result of a method that a sentence before it describes, which is not quoted with
/// it: "That way, guests can …"
pub(super) fn is_outcome_alone(reading: &Reading, at: usize) -> bool {
    let mut words = reading.pieces[at].words.iter().map(|word| word.lower.as_str());
    let refers = matches!((words.next(), words.next()), (Some("this" | "that"), Some("way")));
    reading.form.asks == Asks::Way && refers && reading.antecedent(at).is_none()
}

/// Whether a sentence only supposes what the question takes as fact: "could be removed" when the question says "is removed",
/// "Webb may chair the council" for "Who chairs the council?"
pub(super) fn is_supposed(reading: &Reading, piece: &Piece) -> bool {
    let asks = reading.form.asks;
    // "You may bring a dog" allows and does not suppose; "in May" does neither.
    let may = |word: &Word| asks == Asks::Person && word.lower == "may" && !word.is_capital;
    let supposes = |words: &[Word]| says_any(words, &["could", "would", "might"]) || words.iter().any(may);
    let is_relation = |wanted: &&Wanted| matches!(wanted.role, Role::Outer | Role::Inner);
    let is_said = |word: &Word| {
        reading.wanted.iter().filter(is_relation).any(|wanted| reading.agreement(wanted, word) >= 1.0)
    };
    (asks == Asks::Reason || asks.is_typed())
        && !says_any(
            &reading.form.words,
            &["could", "would", "might", "may", "can", "should", "allowed", "permitted"],
        )
        && piece.words.iter().enumerate().any(|(at, word)| {
            is_said(word) && supposes(&piece.words[at.saturating_sub(SUPPOSING_BEFORE)..at])
        })
}

/// Maximum distance in words between an auxiliary and its verb.
const SUPPOSING_BEFORE: usize = 3;

/// Whether a sentence says that something no longer exists, and the question does not ask of that.
pub(super) fn is_gone(reading: &Reading, piece: &Piece) -> bool {
    let is_be = |word: &Word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "been");
    let is_end = |word: &Word| {
        matches!(word.lower.as_str(), "removed" | "dropped" | "discontinued" | "deprecated" | "obsolete")
    };
    piece.words.windows(2).any(|pair| is_be(&pair[0]) && is_end(&pair[1]))
        && !reading.form.words.iter().any(is_end)
}

/// Whether a sentence contains what is asked only as a condition: "If you open the gate, …" does not say how
/// to open it.
pub(super) fn is_condition_alone(reading: &Reading, piece: &Piece) -> bool {
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

/// Whether the question asks when something was done to a thing, and the sentence says something else of it: "Java 8 was
/// released in March" for "When was Java 8 dropped?"
pub(super) fn lacks_deed(reading: &Reading, piece: &Piece) -> bool {
    let words = &reading.form.words;
    let Some(at) = reading.form.question_word.filter(|_| reading.form.asks == Asks::Date) else {
        return false;
    };
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    // A birth is told by a date in brackets.
    let is_participle = |word: &Word| {
        word.lower.ends_with("ed") || word.lower != "born" && irregular_verb(&word.lower).is_some()
    };
    let is_deed = |(_, wanted): &(usize, &Wanted)| {
        wanted.role != Role::Name && wanted.word > at + 1 && is_participle(&words[wanted.word])
    };
    let deed = reading.wanted.iter().enumerate().filter(is_deed).min_by_key(|(_, wanted)| wanted.word);
    // Neither does "The new gate was *opened*" after "The old gate was closed".
    let is_be = |word: &Word| matches!(word.lower.as_str(), "was" | "were");
    let tells_deed = || piece.words.windows(2).any(|pair| is_be(&pair[0]) && is_participle(&pair[1]));
    let is_open = |bit: usize| !piece.with_context.has(bit) || !piece.said.has(bit) && tells_deed();
    matches!(lower(at + 1), "was" | "were") && deed.is_some_and(|(bit, _)| is_open(bit))
}

/// Whether the question ends with a preposition after its verb, and a sentence has the verb without one that means the same:
/// "when he *moved* away" for "Which town did he move *to*?" A passive verb may be active in the sentence, without one.
pub(super) fn lacks_preposition(reading: &Reading, piece: &Piece) -> bool {
    const SAME: &[&[&str]] = &[
        &["to", "into", "onto", "towards", "toward"],
        &["from", "of", "off"],
        &["on", "upon", "at", "in", "onto"],
        &["in", "into", "within", "inside", "at", "on"],
        &["for", "to"],
        &["with", "by", "using", "via"],
        &["about", "on", "of"],
    ];
    let form = &reading.form;
    let [.., verb, preposition] = form.words.as_slice() else { return false };
    let asks = form.question_word.map_or("", |at| form.words[at].lower.as_str());
    let is_same = |group: &&&[&str]| group.contains(&preposition.lower.as_str());
    let is_passive =
        is_past(&verb.lower) && says_any(&form.words, &["is", "are", "was", "were", "been", "be"]);
    if !matches!(asks, "what" | "which" | "who" | "whom")
        || !SAME.iter().any(|group| is_same(&group))
        || !verbs(&verb.lower).any(is_verb)
        || is_passive
        || !piece.is_sentence()
    {
        return false;
    }
    let is_led = |word: &Word| SAME.iter().filter(is_same).any(|group| group.contains(&word.lower.as_str()));
    let is_said =
        |word: &Word| reading.wanted_by(verb).is_some_and(|wanted| reading.agreement(wanted, word) >= 1.0);
    let words = &piece.words;
    // "The town *to which* he moved".
    let is_relative = || words.windows(2).any(|pair| is_led(&pair[0]) && begins_clause(&pair[1]));
    let mut said = (0..words.len()).filter(|at| is_said(&words[*at])).peekable();
    said.peek().is_some()
        && !said.any(|at| words[at + 1..].iter().take(PREPOSITION_WITHIN).any(is_led))
        && !is_relative()
}

/// Maximum number of words from a verb to its preposition, that included.
const PREPOSITION_WITHIN: usize = 5;

/// Whether the question asks when or where something of a thing is, or what a deed costs, and a sentence only says so of the
/// thing: "The pumps arrive in May" for "When is the *training* for the pumps?"
pub(super) fn lacks_occasion(reading: &Reading, piece: &Piece) -> bool {
    let words = &reading.form.words;
    let asks_price = reading.format == Some(Format::Price);
    let Some(at) = reading
        .form
        .question_word
        .filter(|_| asks_price || matches!(reading.form.asks, Asks::Date | Asks::Place))
    else {
        return false;
    };
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let verb = if asks_price && lower(at + 1) == "much" { at + 2 } else { at + 1 };
    let is_copula = matches!(lower(verb), "is" | "are" | "was" | "were")
        || asks_price && matches!(lower(verb), "do" | "does" | "did" | "will" | "would");
    let from = verb + 1 + usize::from(matches!(lower(verb + 1), "the" | "a" | "an" | "our" | "your" | "my"));
    let end = (from..words.len()).find(|at| words[*at].is_function).unwrap_or(words.len());
    let is_noun = end > from && matches!(lower(end), "for" | "of" | "about" | "with" | "between");
    // "How much is a ticket for a child?" may be answered with "Children pay €4".
    let names_deed = |word: &Word| {
        is_verb(&word.lower) && !answering::says(&word.lower, Answering::Price) || word.lower.ends_with("ing")
    };
    let of_noun = |(_, wanted): &(usize, &Wanted)| {
        (from..end).contains(&wanted.word) && (!asks_price || names_deed(&words[wanted.word]))
    };
    let mut occasion = reading.wanted.iter().enumerate().filter(of_noun).peekable();
    // "Where was the leader of the guild *born*?" asks for no leader.
    let is_deed = |word: &Word| !asks_price && (is_past(&word.lower) || word.lower.ends_with("ed"));
    is_copula
        && is_noun
        && !words[end..].iter().any(is_deed)
        && occasion.peek().is_some()
        && !occasion.any(|(bit, _)| piece.with_context.has(bit))
}

/// Whether the question asks how many there are, and a sentence tells how many there were in some year: "We began in 2009 with
/// eleven weavers."
pub(super) fn counts_in_past(reading: &Reading, piece: &Piece) -> bool {
    let is_year = |word: &Word| as_year(&word.lower).is_some();
    let is_be = |word: &Word| matches!(word.lower.as_str(), "is" | "are" | "be" | "been" | "has" | "have");
    let (asked, words) = (&reading.form.words, &piece.words);
    let is_of_past = says_any(asked, &["did", "was", "were", "had"]) || asked.iter().any(is_year);
    let is_past_verb = |at: usize| {
        is_past(&words[at].lower) && !at.checked_sub(1).is_some_and(|before| is_be(&words[before]))
    };
    let year = words.windows(2).position(|pair| pair[0].lower == "in" && is_year(&pair[1]));
    matches!(reading.form.asks, Asks::Count | Asks::Quantity)
        && !is_of_past
        && !words.iter().any(is_be)
        && year.is_some_and(|year| (0..year).any(is_past_verb))
}

/// Whether the question asks about this or the next year, month or the like, and a sentence tells of the last one.
pub(super) fn tells_of_last(reading: &Reading, piece: &Piece) -> bool {
    let says = |words: &[Word], list: &[&str]| {
        let tells =
            |pair: &[Word]| list.contains(&pair[0].lower.as_str()) && is_season_or_time(&pair[1].lower);
        words.windows(2).any(tells)
    };
    let now = ["this", "next", "coming", "current"];
    says(&reading.form.words, &now) && says(&piece.words, &["last", "previous"]) && !says(&piece.words, &now)
}

/// Whether a value is when something ended, and the question does not ask that: "closed at six *until 2021*".
pub(super) fn is_end_of_span(reading: &Reading, piece: &Piece, first: usize) -> bool {
    let before = first.checked_sub(1).map_or("", |before| piece.words[before].lower.as_str());
    let is_end = |word: &str| matches!(word, "until" | "till");
    is_end(before) && reading.form.asks == Asks::Date && !asks_end(&reading.form)
}

/// Whether the question asks until when, and a value stands before "until": "The loom, given up in *2017*, is repaired until
/// 2027".
pub(super) fn is_before_end(reading: &Reading, piece: &Piece, first: usize) -> bool {
    until(&reading.form.words).is_some() && until(&piece.words).is_some_and(|until| first < until)
}

/// Whether a sentence tells what was so until some time, and not what is so now, which the question asks: "Ann was the head of
/// the guild until 2020."
pub(super) fn has_ended(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let is_past_until = until(words).is_some_and(|until| {
        let is_past = words[..until]
            .iter()
            .any(|word| is_past(&word.lower) || matches!(word.lower.as_str(), "was" | "were"));
        // "May" is a month.
        let is_now = |word: &Word| {
            let now = ["is", "are", "has", "have", "since", "now", "must", "may", "can", "be"];
            !word.is_capital && now.contains(&word.lower.as_str())
        };
        is_past && !words.iter().any(is_now) && words[until + 1..].iter().take(2).any(is_time)
    });
    is_past_until && asks_of_now(&reading.form)
}

/// Whether the question asks for some part of a thing under headings, "What is the *motto* of the guild?", and neither the
/// sentence nor what it stands under names that.
pub(super) fn lacks_head(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let is_asked = |at: usize| {
        lower(at) == "what"
            && matches!(lower(at + 1), "is" | "are" | "was" | "were")
            && matches!(lower(at + 2), "the")
            && lower(at + 4) == "of"
    };
    let head = form.question_word.filter(|at| !form.asks.is_typed() && is_asked(*at)).map(|at| at + 3);
    let bit = head.and_then(|head| reading.wanted.iter().position(|wanted| wanted.word == head));
    reading.is_in_section(piece) && bit.is_some_and(|bit| !piece.with_context.has(bit))
}

/// Whether a sentence has what the question asks of the present as done until some time: "Ann, who until last year *led* the
/// guild" for "Who leads the guild?"
pub(super) fn was_done_until(reading: &Reading, piece: &Piece) -> bool {
    let is_done = |word: &Word| is_past(&word.lower) && reading.form.has_form(word);
    let is_done_until = until(&piece.words).is_some_and(|until| {
        let mut after = piece.words[until + 1..].iter().take(DONE_AFTER_MAX);
        after.clone().any(is_time) && after.any(is_done)
    });
    is_done_until && asks_of_now(&reading.form)
}

/// Maximum number of words from "until" to the verb: "until *the end of last year led*".
const DONE_AFTER_MAX: usize = 6;

/// Where words say "until".
pub(super) fn until(words: &[Word]) -> Option<usize> {
    words.iter().position(|word| matches!(word.lower.as_str(), "until" | "till"))
}

fn is_time(word: &Word) -> bool {
    as_year(&word.lower).is_some() || is_season_or_time(&word.lower) || word.is_capital
}

/// Whether a sentence tells what was so before, and not what is so now: "In former years it took place in the hall" for
/// "Where does it take place?"
pub(super) fn tells_of_before(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let is_before = |at: usize| match words[at].lower.as_str() {
        "formerly" | "previously" => true,
        "former" | "earlier" | "previous" | "past" => {
            words.get(at + 1).is_some_and(|next| matches!(next.lower.as_str(), "years" | "times" | "days"))
        }
        "used" => words.get(at + 1).is_some_and(|next| next.lower == "to"),
        _ => false,
    };
    let is_now = |word: &Word| {
        matches!(word.lower.as_str(), "now" | "today" | "since" | "instead" | "currently" | "nowadays")
    };
    let tells = (0..words.len()).any(is_before) && !words.iter().any(is_now);
    tells && asks_of_now(&reading.form)
}

/// Whether a question asks what is so now, and not until when.
fn asks_of_now(form: &Form) -> bool {
    let asked = &form.words;
    // "Who leads the guild?"
    let is_third_person = |word: &Word| {
        word.lower.ends_with('s') && is_verb(&word.lower) && verbs(&word.lower).any(|base| base != word.lower)
    };
    (says_any(asked, &["is", "are", "does", "do", "has", "have", "can", "may"])
        || asked.get(1).is_some_and(is_third_person))
        && !says_any(asked, &["was", "were", "did", "had", "been"])
        && !asked.iter().any(|word| as_year(&word.lower).is_some())
        && !asks_end(form)
}

/// Whether the question asks until when something holds.
fn asks_end(form: &Form) -> bool {
    says_any(
        &form.words,
        &["until", "till", "end", "ends", "ended", "expire", "expires", "last", "long", "stop", "stopped"],
    )
}

/// Whether the question asks what something is for, and a sentence says no purpose: "Firing on Fridays, empty, for 10 minutes".
pub(super) fn lacks_purpose(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let is_open = form.words.last().is_some_and(|last| last.lower == "for");
    let asked = form.question_word.and_then(|at| form.words.get(at..at + 2));
    let asks_purpose = asked.is_some_and(|pair| {
        pair[0].lower == "what" && matches!(pair[1].lower.as_str(), "is" | "are" | "was" | "were")
    });
    let is_purpose = |pair: &[Word]| match pair[0].lower.as_str() {
        "for" => !pair[1].is_number(),
        "to" => is_base_form(&pair[1].lower),
        _ => false,
    };
    is_open
        && asks_purpose
        && !piece.words.windows(2).any(is_purpose)
        && connectives(&piece.unit.text, &piece.words).is_empty()
}

/// Whether every number of a sentence is in its condition: "If nobody answers for 2 weeks, …" does not say how long they
/// have.
pub(super) fn counts_in_condition(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let is_supposed = words.first().is_some_and(|first| matches!(first.lower.as_str(), "if" | "unless"));
    let asks = matches!(reading.form.asks, Asks::Quantity | Asks::Count | Asks::Date);
    let comma = piece.word_after_break(0, |gap| gap.contains(','));
    let mut numbers = words.iter().filter(|word| word.is_number()).peekable();
    let is_in_question =
        || says_any(&reading.form.words, &["if", "unless", "when"]) && reading.form.asks != Asks::Date;
    asks && is_supposed
        && !is_in_question()
        && numbers.peek().is_some()
        && comma.is_some_and(|comma| numbers.all(|number| number.end <= words[comma].start))
}

/// Whether a sentence does not say what somebody does according to the question: "Ann leads the team" for "Who *founded* the
/// team?"
pub(super) fn lacks_verb_of_who(reading: &Reading, piece: &Piece) -> bool {
    let form = &reading.form;
    let after = form.question_word.map(|at| at + 1).filter(|_| form.asks == Asks::Person);
    let is_deed = |wanted: &Wanted| {
        let lower = &form.words[wanted.word].lower;
        after == Some(wanted.word) && (is_verb(lower) || lower.ends_with("ed"))
    };
    reading.wanted.iter().enumerate().any(|(bit, wanted)| is_deed(wanted) && !piece.own.has(bit))
}

/// Whether a sentence names the kind of the answer: "what *monitoring* is needed".
pub(super) fn says_kind(reading: &Reading, piece: &Piece) -> bool {
    reading.wanted.iter().enumerate().any(|(bit, wanted)| wanted.role == Role::Kind && piece.said.has(bit))
}

/// Whether a value is in the column whose header matches the question, if any header does.
pub(super) fn answers_by_head(reading: &Reading, piece: &Piece, candidate: &Candidate) -> bool {
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
