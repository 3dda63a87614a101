//! The words that show what a sentence does for a question: it gives a reason or a means, instructs, or only points
//! elsewhere.

use std::ops::Range;

use quiver_language::{
    Language,
    cause::{self, Cause, PHRASE_WORDS_MAX},
    word::{is_past, verbs},
};

use super::{
    form::Asks,
    lexicon::is_condition,
    reading::{Piece, Reading},
    unit::{UnitKind, announces},
    word::{Word, is_base_form, says_at},
};

/// Returns whether the piece contains a word that introduces a reason or a method.
pub(super) fn cue(reading: &Reading, piece: &Piece) -> f32 {
    let has = |list: &[&str]| piece.words.iter().any(|word| list.contains(&word.lower.as_str()));
    let first = piece.words.first().map_or("", |word| word.lower.as_str());
    let is = match reading.form.asks {
        Asks::Reason => !connectives(&piece.unit.text, &piece.words).is_empty(),
        Asks::Way => {
            has(&["by", "using", "use", "run", "via", "through", "you", "can", "must", "steps"])
                || matches!(first, "use" | "run" | "to" | "set" | "go" | "click" | "add" | "create" | "open")
                || piece.unit.kind == UnitKind::Code
        }
        Asks::Definition => {
            let copula = piece.words.iter().position(|word| {
                matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "means" | "refers")
            });
            copula.is_some_and(|at| {
                let subject = &piece.words[..at];
                at <= 8
                    && subject
                        .iter()
                        .any(|word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) > 0.0))
            })
        }
        _ => false,
    };
    f32::from(u8::from(is))
}

/// Words that join a reason and its effect.
pub(super) struct Connective {
    /// Its words, by their places.
    pub(super) words: Range<usize>,
    pub(super) cause: Cause,
}

/// The connectives in words, in order; of those that begin with the same word the longest.
pub(super) fn connectives(text: &str, words: &[Word]) -> Vec<Connective> {
    let of = |at: usize| {
        (1..=PHRASE_WORDS_MAX.min(words.len() - at)).rev().find_map(|length| {
            let phrase: Vec<&str> = words[at..at + length].iter().map(|word| word.lower.as_str()).collect();
            let phrase = phrase.join(" ");
            let cause =
                [Cause::Reason, Cause::Effect].into_iter().find(|cause| cause::says(&phrase, *cause))?;
            Some(Connective { words: at..at + length, cause }).filter(|_| joins(words, at, &phrase))
        })
    };
    let verb = |at: usize| {
        let lower = &words[at].lower;
        let is_verb =
            cause::says(lower, Cause::Verb) || verbs(lower).any(|base| cause::says(base, Cause::Verb));
        is_verb.then_some(Connective { words: at..at + 1, cause: Cause::Verb })
    };
    // "It has no lamp, as the night is short"
    let clause = |at: usize| {
        let is_after_comma = at > 0 && text[words[at - 1].end..words[at].start].contains(',');
        let next = words.get(at + 1).map_or("", |next| next.lower.as_str());
        let is_reason = words[at].lower == "as"
            && is_after_comma
            && !cause::says(&format!("as {next}"), Cause::Comparison);
        is_reason.then_some(Connective { words: at..at + 1, cause: Cause::Reason })
    };
    (0..words.len()).filter_map(|at| of(at).or_else(|| verb(at)).or_else(|| clause(at))).collect()
}

/// Maximum number of words from a verb in the perfect to "since", which then says from when.
const PERFECT_BEFORE_MAX: usize = 4;

/// Whether a phrase that may have another meaning joins clauses here: not "since 2019", "so far", "is given below".
fn joins(words: &[Word], at: usize, phrase: &str) -> bool {
    let before = at.checked_sub(1).map_or("", |before| words[before].lower.as_str());
    let next = words.get(at + 1);
    match phrase {
        "since" => {
            let is_time = |next: &Word| next.is_numeric() || matches!(next.lower.as_str(), "then" | "last");
            // "It has drifted since its laser was replaced"
            let is_perfect = words[..at]
                .windows(2)
                .rev()
                .take(PERFECT_BEFORE_MAX)
                .any(|pair| matches!(pair[0].lower.as_str(), "has" | "have") && is_past(&pair[1].lower));
            before != "ever" && !is_perfect && !next.is_some_and(is_time)
        }
        "so" => {
            let is_degree =
                |next: &str| matches!(next, "far" | "on" | "much" | "many" | "long" | "called" | "forth");
            before != "do" && before != "if" && !next.is_some_and(|next| is_degree(&next.lower))
        }
        // "Close the lid, or the sensor trips", "it must be dry, or it rots"
        _ if phrase.starts_with("or ") => {
            let is_rule =
                |word: &Word| matches!(word.lower.as_str(), "must" | "should" | "need" | "needs" | "never");
            words[..at].iter().any(is_rule) || words.first().is_some_and(|first| is_base_form(&first.lower))
        }
        "given" => !matches!(
            before,
            "is" | "are" | "was" | "were" | "be" | "been" | "has" | "have" | "a" | "the" | "any"
        ),
        _ => true,
    }
}

/// Whether a sentence gives a means that the question does not mention: an instruction, or "by" or "using" something.
pub(super) fn tells_means(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let is_asked = |at: usize| {
        let stem = words[at].stems.first();
        stem.is_some_and(|stem| reading.form.words.iter().any(|asked| asked.stems.contains(stem)))
    };
    let follows = |at: usize| {
        at.checked_sub(1).is_none_or(|before| {
            matches!(
                lower(before),
                "and" | "or" | "then" | "you" | "can" | "must" | "should" | "please" | "just" | "simply"
            ) || piece.unit.text[words[before].end..words[at].start].contains([',', ':', ';'])
        })
    };
    (0..words.len()).any(|at| match lower(at) {
        // "When using a loom" is a condition.
        "using" | "via" => {
            let is_condition = |before: usize| is_condition(lower(before)) || lower(before) == "while";
            !is_asked(at) && !at.checked_sub(1).is_some_and(is_condition)
        }
        "by" => lower(at + 1).ends_with("ing") && verbs(lower(at + 1)).next().is_some() && !is_asked(at + 1),
        word => !words[at].is_function && is_base_form(word) && follows(at) && !is_asked(at),
    })
}

/// Whether a sentence gives a means, on its own or with the text that it is quoted with.
pub(super) fn gives_means(reading: &Reading, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let gives = |piece: &Piece| tells_means(reading, piece) || names_means(reading, piece);
    piece.unit.has_code
        || announces(piece.unit.text.trim_end())
        || piece.unit.kind == UnitKind::Row
        || reading.pieces[reading.context(at)].iter().any(gives)
}

/// Whether a sentence says "by" or "through" something that the question does not mention, or that what is asked is done
/// "with" it: "keep the loom dry with felt", but not "it failed with an error".
fn names_means(reading: &Reading, piece: &Piece) -> bool {
    let is_asked = |word: &Word| reading.wanted.iter().any(|wanted| reading.agreement(wanted, word) > 0.0);
    // "Monday through Friday", "by 5 May", "by default"
    let is_other = |word: &Word| {
        let english = Language::English;
        let is_time = english.weekday(&word.lower).is_some() || english.month(&word.lower).is_some();
        is_time || word.is_number() || word.lower == "default"
    };
    piece.words.iter().enumerate().any(|(at, word)| {
        let introduces = match word.lower.as_str() {
            "by" | "through" => true,
            "with" => at.checked_sub(1).is_some_and(|before| is_asked(&piece.words[before])),
            _ => false,
        };
        let mut after = piece.words[at + 1..].iter().filter(|word| !word.is_function);
        introduces && after.next().is_some_and(|word| !is_asked(word) && !is_other(word))
    })
}

/// Whether a sentence instructs the reader, and so does not say who else does it: "Only weigh the flour if
/// …".
pub(super) fn instructs(words: &[Word]) -> bool {
    let leads = |word: &&Word| {
        matches!(word.lower.as_str(), "only" | "please" | "always" | "never" | "then" | "do" | "not")
    };
    let mut words = words.iter().skip_while(leads);
    let verb = words.next().is_some_and(|word| is_base_form(&word.lower));
    verb && words.next().is_some_and(|next| next.is_function)
}

/// Whether a sentence only says where to read more: "View more information on usability testing", "For the settings, please
/// refer to the manual".
pub(super) fn points_elsewhere(words: &[Word]) -> bool {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let points = |at: usize| match lower(at) {
        "see" | "view" | "read" | "visit" | "consult" | "learn" => true,
        "check" => lower(at + 1) == "out",
        "refer" => matches!(lower(at + 1), "to" | "here"),
        "find" => lower(at + 1) == "more",
        _ => false,
    };
    points(0) || (1..words.len()).any(|at| lower(at - 1) == "please" && points(at))
}

/// Whether a sentence begins by offering more to read: "For more information about the licence, refer to the guild."
pub(super) fn offers_more(words: &[Word]) -> bool {
    says_at(words, 0, &["for"])
        && says_at(words, 1, &["more", "further", "additional"])
        && says_at(words, 2, &["information", "info", "details", "help"])
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;

    use super::{super::word::words, connectives, points_elsewhere};

    fn joins(text: &str) -> bool {
        !connectives(text, &words(&Lexical::new(), text)).is_empty()
    }

    #[test]
    fn a_reason_has_a_connective() {
        for text in [
            "It stops as it lacks oil.",
            "The wool must be dry, or the moths come.",
            "It has no lamp, as the night is short.",
            "Given the frost, it stops.",
            "It stops in order to cool.",
            "A dispute over pay led to the strike.",
            "The strike resulted from a dispute over pay.",
        ] {
            assert!(joins(text), "{text}");
        }
        for text in [
            "The results of the vote on pay are official.",
            "It stops at the gate or the mill.",
            "It stops at the gate, as usual, and at the mill, as well as here.",
            "It is known as the mill and, as a rule, stops on two grounds.",
            "The form is given below and has been so far since 2019.",
        ] {
            assert!(!joins(text), "{text}");
        }
    }

    #[test]
    fn a_pointer_is_no_statement() {
        let points = |text: &str| points_elsewhere(&words(&Lexical::new(), text));
        assert!(points("For the settings of the loom, please refer here for details."));
        assert!(points("See the manual for more."));
        assert!(!points("You can see the loom from the gate, where visitors read the rules."));
    }
}
