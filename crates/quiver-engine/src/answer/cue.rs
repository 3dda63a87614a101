//! The words that show what a sentence does for a question: it gives a reason or a means, instructs, or only points
//! elsewhere.

use quiver_language::{Language, word::verbs};

use super::{
    form::Asks,
    lexicon::is_condition,
    reading::{Piece, Reading},
    unit::{UnitKind, announces},
    word::Word,
};

/// Words that introduce a reason or a consequence.
const REASON_WORDS: [&str; 18] = [
    "because",
    "since",
    "so",
    "due",
    "owing",
    "reason",
    "reasons",
    "therefore",
    "thus",
    "hence",
    "purpose",
    "means",
    "why",
    "otherwise",
    "would",
    "without",
    "necessary",
    "impossible",
];

/// Verbs, in their base form, that join a cause and its effect.
const REASON_VERBS: [&str; 14] = [
    "cause", "avoid", "prevent", "ensure", "allow", "enable", "let", "help", "risk", "reduce", "protect",
    "improve", "simplify", "save",
];

/// Words after "as" that begin a clause: "as it takes long", but not "known as the Mill".
const CLAUSE_BEGINNINGS: [&str; 9] = ["i", "you", "he", "she", "it", "we", "they", "this", "there"];

/// Returns whether the piece contains a word that introduces a reason or a method.
pub(super) fn cue(reading: &Reading, piece: &Piece) -> f32 {
    let has = |list: &[&str]| piece.words.iter().any(|word| list.contains(&word.lower.as_str()));
    let first = piece.words.first().map_or("", |word| word.lower.as_str());
    let is = match reading.form.asks {
        Asks::Reason => gives_reason(&piece.words),
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

/// Whether words give a reason.
pub(super) fn gives_reason(words: &[Word]) -> bool {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    (0..words.len()).any(|at| match lower(at) {
        "as" => CLAUSE_BEGINNINGS.contains(&lower(at + 1)),
        "in" => (lower(at + 1), lower(at + 2)) == ("order", "to"),
        "lead" | "leads" | "led" | "leading" => lower(at + 1) == "to",
        // "A format is given below" gives no reason.
        "given" => !at.checked_sub(1).is_some_and(|before| is_be_or_have(lower(before))),
        // "The results of the vote" are no reason.
        "result" | "results" | "resulted" | "resulting" => matches!(lower(at + 1), "in" | "from"),
        word => REASON_WORDS.contains(&word) || REASON_VERBS.iter().any(|verb| is_form_of(word, verb)),
    })
}

fn is_be_or_have(word: &str) -> bool {
    matches!(word, "is" | "are" | "was" | "were" | "be" | "been" | "being" | "has" | "have" | "had")
}

/// Whether a word is a form of a verb, which the pack of verbs need not have.
fn is_form_of(word: &str, verb: &str) -> bool {
    let ending = word.strip_prefix(verb.trim_end_matches('e'));
    ending.is_some_and(|ending| matches!(ending, "" | "e" | "s" | "es" | "ed" | "ing"))
        || verbs(word).any(|base| base == verb)
}

/// Whether a word is a verb as an instruction begins with it: "weigh".
fn is_base_form(word: &str) -> bool {
    verbs(word).any(|base| base == word)
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

/// Whether a sentence only says where to read more, and not yes or no: "View more information on usability testing".
pub(super) fn only_points(reading: &Reading, piece: &Piece) -> bool {
    let lower = |at: usize| piece.words.get(at).map_or("", |word| word.lower.as_str());
    let is_pointer = match lower(0) {
        "see" | "view" | "read" | "visit" | "consult" | "learn" => true,
        "check" => lower(1) == "out",
        "refer" => lower(1) == "to",
        "find" => lower(1) == "more",
        _ => false,
    };
    is_pointer && reading.form.asks == Asks::YesNo
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;

    use super::{super::word::words, gives_reason};

    #[test]
    fn a_reason_has_a_connective() {
        for text in ["It stops as it lacks oil.", "Given the frost, it stops.", "It stops in order to cool."]
        {
            assert!(gives_reason(&words(&Lexical::new(), text)), "{text}");
        }
        assert!(gives_reason(&words(&Lexical::new(), "A dispute over pay led to the strike.")));
        assert!(gives_reason(&words(&Lexical::new(), "The strike resulted from a dispute over pay.")));
        assert!(!gives_reason(&words(&Lexical::new(), "The results of the vote on pay are official.")));
        assert!(!gives_reason(&words(
            &Lexical::new(),
            "It is known as the mill and, as a rule, stops on two grounds."
        )));
    }
}
