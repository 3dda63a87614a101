//! What a question asks about the thing that it describes.

use std::ops::Range;

use quiver_language::{
    description::{Describing, is_verb_of, says},
    word::{is_finite_auxiliary, is_verb},
};

use super::is_needing;
use crate::{form::Asks, reading::Reading, word::Word};

/// The part that the described thing has in what is asked. The numbers are those of words of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The subject of a verb: "must *the rig* be rebalanced".
    Subject { verb: usize },
    /// The object of a verb: "accompany *the form*".
    Object { verb: usize },
    /// Belongs to a word, by a preposition or as its owner, which may be the subject of a verb: "exposure to *the
    /// solvent* causes".
    Of { word: usize, verb: Option<usize> },
    /// Is of a state: "how long is *the rig*".
    Is { state: usize },
}

/// What a question asks about a described thing.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) place: Place,
    /// The content words that the answer has to say.
    pub(super) rest: Vec<usize>,
    /// Those of them that give the kind of thing asked for.
    pub(super) kind: Vec<usize>,
    /// Whether the question only asks what there is of the kind: "What drawbacks should I expect from …?"
    pub(super) is_implied: bool,
    pub(super) is_passive: bool,
    /// Whether something has to be so: "must".
    pub(super) is_obliged: bool,
    /// The preposition that belongs to the question word: "*over* what", "depend *on*".
    pub(super) preposition: Option<String>,
}

/// The words outside the description that only ask, or only say that somebody has to do with the thing.
#[derive(Default)]
struct Idle {
    words: Vec<usize>,
    /// Whether "should I expect" or the like is one of them.
    asks: bool,
    /// Whether the thing is the object of such a verb: "when I use the rig".
    uses: bool,
}

/// Parses what is asked, in each way in which it may be said. Returns nothing if the form is unknown.
pub(super) fn asked(reading: &Reading, span: &Range<usize>) -> Vec<Asked> {
    let words = &reading.form.words;
    if words.iter().enumerate().any(|(at, word)| !span.contains(&at) && sets_apart(word)) {
        return Vec::new();
    }
    let idle = idle(reading, span);
    let rest = remaining(reading, span, &idle);
    let kind = kind(reading, &rest);
    let Some(place) = place(reading, span, &idle, &rest, &kind) else { return Vec::new() };
    let asked = asked_at(reading, span, &idle, rest.clone(), kind.clone(), place);
    // What problems a thing causes are also told by "Problems with it are …".
    let of_kind = match (place, kind.last()) {
        (Place::Subject { verb }, Some(&word)) if is_verb_of(&words[verb].lower, Describing::Having) => {
            let rest = rest.into_iter().filter(|at| *at != verb).collect();
            asked_at(reading, span, &idle, rest, kind, Place::Of { word, verb: None })
        }
        _ => None,
    };
    asked.into_iter().chain(of_kind).collect()
}

/// The part that the described thing has in the question.
fn place(
    reading: &Reading,
    span: &Range<usize>,
    idle: &Idle,
    rest: &[usize],
    kind: &[usize],
) -> Option<Place> {
    let words = &reading.form.words;
    let lower = |at: usize| words[at].lower.as_str();
    let is_content = |at: usize| rest.contains(&at);
    let start = start(words, span);
    let after = (span.end..words.len()).find(|at| is_content(*at) && !is_adverb(&words[*at]));
    let verb_after = after.filter(|at| is_verb(lower(*at)));
    let before = start.checked_sub(1);
    let last = || kind.last().or(rest.last()).copied();
    if idle.uses {
        return Some(Place::Of { word: last()?, verb: None });
    }
    if words[span.end - 1].is_possessive {
        let word = (span.end..words.len()).take_while(|at| !words[*at].is_function).last()?;
        let verb = (word + 1..words.len()).find(|at| is_content(*at) && is_verb(lower(*at)));
        return Some(Place::Of { word, verb });
    }
    if before.is_some_and(|at| says(lower(at), Describing::Joining)) {
        let word = (0..start).rev().find(|at| is_content(*at) && !is_adverb(&words[*at]));
        return match word {
            Some(word) if idle.asks || is_bare(lower(word)) => {
                Some(Place::Of { word: last()?, verb: verb_after })
            }
            Some(word) => Some(Place::Of { word, verb: verb_after }),
            None => Some(Place::Of { word: last()?, verb: None }),
        };
    }
    // After an auxiliary, the next word is the verb.
    let follows = before.is_some_and(|at| is_finite_auxiliary(lower(at)));
    if follows || before.is_none() || begins_clause(reading, start) {
        if let Some(verb) = if follows { after } else { verb_after } {
            return Some(Place::Subject { verb });
        }
        let has = |word: &Word| matches!(word.lower.as_str(), "have" | "has" | "had");
        if words[span.end..].iter().any(has) || before.is_some_and(|at| has(&words[at])) {
            return Some(Place::Of { word: *kind.last()?, verb: None });
        }
        // "How long is the rig?"
        let measure = reading.form.question_word.map(|at| at + 1).filter(|at| Some(at + 1) == before)?;
        return is_measure(reading, measure).then_some(Place::Is { state: measure });
    }
    let verb = before.filter(|at| is_content(*at) && is_verb(lower(*at)))?;
    Some(Place::Object { verb })
}

/// Where the noun phrase of a description begins, with its article.
fn start(words: &[Word], span: &Range<usize>) -> usize {
    let before = span.start.checked_sub(1).map(|at| words[at].lower.as_str());
    let has_determiner = before
        .is_some_and(|word| matches!(word, "the" | "a" | "an" | "our" | "my" | "your" | "their" | "its"));
    span.start - usize::from(has_determiner)
}

/// Whether a word says no more of what is asked for than that it is there.
fn is_bare(word: &str) -> bool {
    says(word, Describing::Existing)
}

fn asked_at(
    reading: &Reading,
    span: &Range<usize>,
    idle: &Idle,
    rest: Vec<usize>,
    kind: Vec<usize>,
    place: Place,
) -> Option<Asked> {
    let words = &reading.form.words;
    let lower = |at: usize| words[at].lower.as_str();
    let is_be =
        |word: &Word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "be" | "been" | "being");
    let verb = match place {
        Place::Subject { verb } | Place::Object { verb } => Some(verb),
        Place::Of { verb, .. } => verb,
        Place::Is { .. } => None,
    };
    let is_passive = verb.is_some_and(|verb| {
        let from =
            if verb >= span.end { start(words, span).saturating_sub(1) } else { verb.saturating_sub(3) };
        words[from..verb].iter().any(is_be) && !lower(verb).ends_with("ing")
    });
    let is_needed =
        |(at, word): (usize, &Word)| !span.contains(&at) && !idle.words.contains(&at) && is_needing(word);
    let is_obliged = words.iter().enumerate().any(is_needed);
    let is_implied = idle.asks
        || !rest
            .iter()
            .any(|at| !kind.contains(at) && !is_bare(lower(*at)) && !is_noun_of(reading, place, *at));
    let mut said: Vec<usize> = rest.into_iter().filter(|at| !is_bare(lower(*at))).collect();
    if let Place::Is { state } = place {
        said.push(state);
    }
    (!said.is_empty()).then(|| Asked {
        place,
        kind,
        is_implied,
        is_passive,
        is_obliged: is_obliged && !idle.asks,
        preposition: preposition(reading),
        rest: said,
    })
}

/// The content words of a question outside the description that are no kind of thing and do more than ask.
pub(super) fn remainder(reading: &Reading, span: &Range<usize>) -> Vec<usize> {
    let rest = remaining(reading, span, &idle(reading, span));
    let kind = kind(reading, &rest);
    let is_after_copula =
        |at: &usize| reading.form.kind == Some(*at) && !is_after_question_word(reading, *at);
    rest.into_iter().filter(|at| !kind.contains(at) || is_after_copula(at)).collect()
}

/// The content words of a question outside the description that do more than ask, and those of them that give the kind of
/// thing asked for.
pub(super) fn remaining_and_kind(reading: &Reading, span: &Range<usize>) -> (Vec<usize>, Vec<usize>) {
    let rest = remaining(reading, span, &idle(reading, span));
    let kind = kind(reading, &rest);
    (rest, kind)
}

fn is_after_question_word(reading: &Reading, at: usize) -> bool {
    let from = reading.form.question_word.map_or(0, |word| word + 1);
    at >= from && reading.form.words[from..at].iter().all(|word| !is_finite_auxiliary(&word.lower))
}

/// Whether a word sets things apart: "other than", "instead of".
fn sets_apart(word: &Word) -> bool {
    says(&word.lower, Describing::Contrasting)
}

/// The verb that a question with "does", "must" or the like before it asks about, if it is the last content word.
pub(super) fn deed(reading: &Reading) -> Option<usize> {
    let words = &reading.form.words;
    let from = reading.form.question_word.unwrap_or(0);
    let asks = |word: &Word| {
        matches!(
            word.lower.as_str(),
            "do" | "does" | "did" | "must" | "can" | "could" | "should" | "will" | "would" | "may" | "might"
        )
    };
    let auxiliary = (from..words.len()).find(|at| asks(&words[*at]))?;
    let verb = words.iter().rposition(|word| !word.is_function).filter(|at| *at > auxiliary)?;
    is_verb(&words[verb].lower).then_some(verb)
}

/// Whether a word only says how or when something is done.
pub(super) fn is_adverb(word: &Word) -> bool {
    word.lower.ends_with("ly")
        || says(&word.lower, Describing::Frequent) && word.lower == "often"
        || word.lower == "last"
}

/// Whether a word is the one to which the described thing belongs, so that the question asks for it.
fn is_noun_of(reading: &Reading, place: Place, at: usize) -> bool {
    let lower = &reading.form.words[at].lower;
    matches!(place, Place::Of { word, verb: None } if word == at)
        && !is_verb_form(lower)
        && !says(lower, Describing::Frequent)
}

fn is_verb_form(word: &str) -> bool {
    is_verb(word) && (word.ends_with("ed") || word.ends_with("en"))
}

/// Whether a clause begins before a word: the question itself, or after a comma.
fn begins_clause(reading: &Reading, start: usize) -> bool {
    let words = &reading.form.words;
    start == 0 || reading.question[words[start - 1].end..words[start].start].contains([',', ';', ':', '.'])
}

/// The preposition before the question word, or at the end of the question.
fn preposition(reading: &Reading) -> Option<String> {
    let form = &reading.form;
    let asks_at = form.question_word?;
    let is_one = |word: &&Word| {
        let class = quiver_language::Language::English.class(&word.lower);
        class == Some(quiver_language::Class::Preposition)
    };
    let before = asks_at.checked_sub(1).map(|at| &form.words[at]).filter(is_one);
    let last = form.words.last().filter(is_one);
    let is_date = matches!(form.asks, Asks::Date);
    before.or(last).filter(|_| !is_date).map(|word| word.lower.clone())
}

/// Whether a word is the measure after "how": "how *long*".
fn is_measure(reading: &Reading, at: usize) -> bool {
    let form = &reading.form;
    let is_after_how = form.question_word.is_some_and(|how| at == how + 1 && form.words[how].lower == "how");
    is_after_how && form.asks != Asks::Way
}

/// The content words outside the description, less those that only ask.
fn remaining(reading: &Reading, span: &Range<usize>, idle: &Idle) -> Vec<usize> {
    let form = &reading.form;
    let from = form.question_word;
    let content = (0..form.words.len()).filter(|at| {
        let word = &form.words[*at];
        !word.is_function && Some(*at) != from && !span.contains(at) && !is_measure(reading, *at)
    });
    content.filter(|at| !idle.words.contains(at)).collect()
}

/// The words that give the kind of thing asked for: "side effects" in "Which side effects …?"
fn kind(reading: &Reading, rest: &[usize]) -> Vec<usize> {
    let form = &reading.form;
    let Some((last, from)) = form.kind.zip(form.question_word) else { return Vec::new() };
    let first = (from + 1..=last).rev().take_while(|at| !is_finite_auxiliary(&form.words[*at].lower)).last();
    // "What is *forbidden* at …?" asks for any thing.
    let is_state = |at: usize| {
        let word = &form.words[at];
        is_verb_form(&word.lower) || is_needing(word) || says(&word.lower, Describing::Frequent)
    };
    if first == Some(last) && is_state(last) && !is_after_question_word(reading, last) {
        return Vec::new();
    }
    // "Which foods *interact* with …"
    let is_verb_before_preposition = first.is_some_and(|first| first < last)
        && is_verb(&form.words[last].lower)
        && form.words.get(last + 1).is_some_and(|next| says(&next.lower, Describing::Joining));
    let end = last + usize::from(!is_verb_before_preposition);
    first.into_iter().flat_map(|first| first..end).filter(|at| rest.contains(at)).collect()
}

/// Finds "should I watch for", "can a user expect", "when I use" and "I am learning …".
fn idle(reading: &Reading, span: &Range<usize>) -> Idle {
    let words = &reading.form.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let mut idle = Idle::default();
    if reading.form.question_word.is_none()
        && matches!(lower(0), "list" | "name" | "tell" | "give" | "show" | "state")
    {
        idle.words.push(0);
    }
    for at in (0..words.len()).filter(|at| !span.contains(at)) {
        if !(is_finite_auxiliary(lower(at)) || lower(at) == "to") {
            continue;
        }
        let Some(from) = after_agent(words, at + 1, lower(at) == "to") else { continue };
        let mut found: Vec<usize> = Vec::new();
        for next in (from..words.len()).take_while(|next| !span.contains(next)) {
            let word = &words[next];
            if word.is_function || matches!(word.lower.as_str(), "need" | "have") && lower(next + 1) == "to" {
                continue;
            }
            if !says(&word.lower, Describing::Asking) {
                break;
            }
            found.push(next);
        }
        if !found.is_empty() {
            idle.asks = true;
            idle.words.extend((at + 1..from).filter(|at| !words[*at].is_function));
            idle.words.extend(found);
        }
    }
    use_of_the_thing(reading, span, &mut idle);
    idle
}

/// The word after the one who asks, or for whom somebody asks: "I", "a driver", "operators".
fn after_agent(words: &[Word], at: usize, is_infinitive: bool) -> Option<usize> {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    if is_infinitive {
        return Some(at);
    }
    match lower(at) {
        "i" | "we" | "you" | "one" | "they" | "he" | "she" | "people" | "someone" | "somebody" => {
            Some(at + 1)
        }
        "a" | "an" | "the" | "our" => words.get(at + 1).filter(|word| !word.is_function).map(|_| at + 2),
        _ => {
            let is_plural = |word: &&Word| !word.is_function && !word.is_capital && word.lower.ends_with('s');
            words.get(at).filter(is_plural).map(|_| at + 1)
        }
    }
}

/// "… when I use the thing", "… when using the thing", and "I am learning the thing." before the question.
fn use_of_the_thing(reading: &Reading, span: &Range<usize>, idle: &mut Idle) {
    let words = &reading.form.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let Some(verb) = (0..span.start)
        .rev()
        .find(|at| !matches!(lower(*at), "the" | "a" | "an" | "our" | "my" | "with" | "on" | "in" | "as"))
    else {
        return;
    };
    let is_using = is_verb_of(lower(verb), Describing::Using);
    let subject = verb.saturating_sub(4)..verb;
    let is_person = |at: usize| {
        matches!(
            lower(at),
            "i" | "we"
                | "you"
                | "one"
                | "people"
                | "i'm"
                | "we're"
                | "i've"
                | "we've"
                | "somebody"
                | "someone"
        )
    };
    let speaks = subject.clone().any(is_person);
    let opens = subject.clone().any(|at| matches!(lower(at), "when" | "while" | "if" | "once" | "whenever"));
    let is_bare =
        verb > 0 && lower(verb).ends_with("ing") && matches!(lower(verb - 1), "when" | "while" | "by");
    // A sentence of its own before the question.
    let asks_at = reading.form.question_word.unwrap_or(0);
    let ends = |at: usize| {
        at < asks_at && reading.question[words[at].end..words[at + 1].start].contains(['.', '!', ';'])
    };
    let leads = span.end <= asks_at && (span.end - 1..asks_at).any(ends) && is_person(0) && verb <= 3;
    if is_using && (speaks && (opens || leads) || is_bare) {
        idle.words.push(verb);
        idle.uses = true;
    }
}
