//! The head of a question: its question word and the nouns that belong to it.

use quiver_language::{
    recall::{self, Recall},
    word::is_finite_auxiliary,
};

use super::{
    change,
    lexicon::{self, Wanted},
    words::Word,
};

/// The question word and the words that belong to it.
pub(super) struct Head {
    pub(super) question_words: Vec<usize>,
    pub(super) kind: Vec<usize>,
    /// The nouns after "what is the".
    pub(super) asked: Vec<usize>,
    /// The last of these, if a preposition follows: "the workaround for the leak".
    pub(super) attribute: Option<usize>,
    pub(super) wanted: Option<Wanted>,
    pub(super) is_polar: bool,
}

/// Whether a word may stand between a question word and what is asked for.
fn is_connecting(word: &str) -> bool {
    is_finite_auxiliary(word) || recall::says(word, Recall::Connecting)
}

fn is_stranded(word: &str) -> bool {
    recall::says(word, Recall::Stranded)
}

/// Finds the question word and the words that belong to it.
pub(super) fn head(all: &[Word]) -> Head {
    let question = |word: &Word| {
        matches!(
            without_contraction(&word.lower),
            "who"
                | "whom"
                | "whose"
                | "when"
                | "where"
                | "what"
                | "which"
                | "how"
                | "why"
                | "wer"
                | "wo"
                | "wann"
                | "кто"
                | "где"
                | "когда"
        )
    };
    // The first question word counts. A question without one that begins with an auxiliary is a yes/no
    // question.
    let Some(at) = all.iter().position(question) else {
        let is_polar = all.first().is_some_and(|word| is_finite_auxiliary(&word.lower));
        return Head {
            question_words: Vec::new(),
            kind: Vec::new(),
            asked: Vec::new(),
            attribute: None,
            wanted: None,
            is_polar,
        };
    };
    let lower = without_contraction(&all[at].lower);
    let mut head = Head {
        question_words: vec![at],
        kind: Vec::new(),
        asked: if matches!(lower, "what" | "which") { asked_at(all, at + 1) } else { Vec::new() },
        attribute: None,
        wanted: lexicon::wanted(lower),
        is_polar: false,
    };
    head.attribute = head.asked.last().copied().filter(|last| {
        all.get(last + 1)
            .is_some_and(|next| matches!(&*next.lower, "of" | "for" | "in" | "with" | "on" | "to"))
    });
    let mut next = at + 1;
    match lower {
        "how" => {
            if let Some(word) = all.get(next)
                && (lexicon::measure(&word.lower).is_some() || matches!(&*word.lower, "many" | "few"))
            {
                head.wanted = Some(Wanted::Number);
                if matches!(&*word.lower, "many" | "much") {
                    next += 1;
                    head.kind.extend(kind_at(all, next));
                }
            }
        }
        "what" | "which" | "whose" => {
            let kind = kind_at(all, next);
            head.wanted = head.wanted.or_else(|| {
                kind.iter().rev().find_map(|at| {
                    let noun = &*all[*at].lower;
                    lexicon::wanted(noun).or_else(|| lexicon::wanted(noun.trim_end_matches('s')))
                })
            });
            // A noun that gives the kind of value need not occur in a fact; neither does the question word.
            if head.wanted.is_some() {
                head.question_words.extend(&kind);
            } else {
                head.kind = kind;
            }
        }
        _ => {}
    }
    head
}

/// A question word without a contracted auxiliary: "who'll", "what's".
fn without_contraction(lower: &str) -> &str {
    lower.split(['\'', '’']).next().unwrap_or(lower)
}

/// The nouns after a question word: "which storage backend did …", "what kind of insurance does …".
fn kind_at(all: &[Word], mut at: usize) -> Vec<usize> {
    while all
        .get(at)
        .is_some_and(|word| matches!(&*word.lower, "kind" | "kinds" | "sort" | "type" | "of" | "exact"))
    {
        at += 1;
    }
    let mut kind = Vec::new();
    while let Some(word) = all.get(at) {
        if word.is_stop || is_connecting(&word.lower) || kind.len() == 3 {
            break;
        }
        kind.push(at);
        at += 1;
    }
    kind
}

/// Whether a clause describes a noun of the question: "the reef where the buoy lies", "the thing Importer needs".
pub(super) fn is_nested(all: &[Word], head: Option<usize>) -> bool {
    let relative = |word: &Word| {
        let lower = &*word.lower;
        matches!(lower, "that" | "which" | "who" | "whom" | "whose" | "where" | "whatever" | "whoever")
    };
    let from = head.map_or(1, |head| head + 2);
    let noun = |at: usize| !all[at].is_stop && !all[at].is_name;
    let letters = |word: &Word| word.is_name && word.lower.contains(char::is_alphabetic);
    (from..all.len()).any(|at| {
        let after = (at..all.len()).find(|next| !all[*next].is_name);
        let bare = noun(at - 1) && letters(&all[at]) && after.is_some_and(noun);
        let led = at > 1 && is_stranded(&all[at - 1].lower) && !all[at - 2].is_stop && at > from;
        relative(&all[at]) && (!all[at - 1].is_stop || led)
            || bare
            || is_unmarked_clause(all, from, at)
            || is_participle(all, from, at)
    })
}

/// Whether a relative clause without a pronoun begins at a word: "the set the model was trained on".
fn is_unmarked_clause(all: &[Word], from: usize, at: usize) -> bool {
    let subject = matches!(
        &*all[at].lower,
        "the" | "a" | "an" | "our" | "we" | "they" | "i" | "you" | "he" | "she" | "it"
    );
    let nouns = all[from.min(at)..at].iter().rev().take_while(|word| !word.is_stop).count();
    let article =
        at.checked_sub(nouns + 1).filter(|_| (1..=3).contains(&nouns)).map(|first| (first, &all[first]));
    let does = |at: usize| {
        at.checked_sub(1).is_some_and(|before| {
            is_connecting(&all[before].lower)
                && !matches!(&*all[before].lower, "is" | "are" | "was" | "were")
                && !is_stranded(&all[before].lower)
        })
    };
    subject
        && at + 1 < all.len()
        && article.is_some_and(|(first, word)| {
            matches!(&*word.lower, "the" | "a" | "an" | "our") && first + 1 >= from && !does(first)
        })
}

/// Whether a word is a participle that describes the noun before it: "with the reader used for the assay".
fn is_participle(all: &[Word], from: usize, at: usize) -> bool {
    let nouns = all[from.min(at)..at].iter().rev().take_while(|word| !word.is_stop).count();
    let led = at
        .checked_sub(nouns + 2)
        .filter(|_| (1..=3).contains(&nouns))
        .map(|first| (&all[first], &all[first + 1]));
    // "About the thing holding it up"; but in "what is the team working on" the participle belongs to the main verb.
    let goes_on = all[at].lower.len() > 5
        && all[at].lower.ends_with("ing")
        && at + 1 < all.len()
        && led.is_some_and(|(before, article)| {
            matches!(&*article.lower, "the" | "a" | "an")
                && !matches!(&*before.lower, "is" | "are" | "was" | "were" | "be" | "s")
        });
    goes_on
        || change::is_past(&all[at].lower)
            && all.get(at + 1).is_some_and(|next| is_stranded(&next.lower) || &*next.lower == "as")
            && led.is_some_and(|(before, article)| {
                matches!(&*article.lower, "the" | "a" | "an") && is_stranded(&before.lower)
            })
}

/// The nouns after "what is the", which may occur in the answer. A general noun extends over "of": "the name of the
/// plan".
fn asked_at(all: &[Word], mut at: usize) -> Vec<usize> {
    let mut asked = Vec::new();
    // "What's the plan": the contracted verb is not a word of its own.
    let mut is_after_copula =
        all.get(at).is_some_and(|word| matches!(&*word.lower, "the" | "our" | "its" | "their" | "my"));
    while let Some(word) = all.get(at).filter(|word| word.is_stop || is_connecting(&word.lower)) {
        is_after_copula |= matches!(&*word.lower, "is" | "are" | "was" | "were" | "be" | "s");
        at += 1;
    }
    while is_after_copula && let Some(word) = all.get(at) {
        let goes_on = !word.is_stop || &*word.lower == "of" && lexicon::weight(&all[at - 1].lower) < 0.3;
        if !goes_on && &*word.lower != "the" {
            break;
        }
        asked.push(at);
        at += 1;
    }
    asked
}
