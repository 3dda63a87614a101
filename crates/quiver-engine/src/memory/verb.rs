//! Finding the verb of a clause, by closed classes, the endings of English verbs and their place.

use std::ops::Range;

use quiver_language::{Class, Language};

use super::{irregular, lexicon, token::Token};

/// A verb, with the auxiliaries and negations that belong to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verb {
    /// Its tokens.
    pub(super) group: Range<usize>,
    /// What it says, without auxiliaries and negations.
    pub(super) text: String,
    pub(super) negated: bool,
    /// Whether it says what could be, not what is.
    pub(super) hypothetical: bool,
}

/// Verbs that say little themselves, but how the verb after their "to" is meant: "decided to use" is a way of using.
const LEADING: &[&str] = &[
    "agreed",
    "aim",
    "aims",
    "began",
    "begin",
    "begins",
    "choose",
    "chose",
    "continue",
    "continues",
    "decided",
    "intend",
    "intends",
    "need",
    "needs",
    "plan",
    "planned",
    "plans",
    "start",
    "started",
    "starts",
    "tend",
    "tends",
    "voted",
    "want",
    "wanted",
    "wants",
];

/// Verbs that end like adverbs.
const VERBS_IN_LY: &[&str] =
    &["rely", "apply", "supply", "reply", "comply", "imply", "multiply", "rally", "fly"];

/// Verbs after which somebody or something else is what does or undergoes what follows.
pub(super) const ASKING: &[&str] = &[
    "ask", "asked", "asks", "want", "wanted", "wants", "need", "needed", "needs", "told", "tells", "get",
    "got", "let", "lets", "require", "requires", "required", "expect", "expects", "has", "had",
];

/// Words that make a clause one about what could be.
pub(super) fn is_hypothetical(lower: &str) -> bool {
    matches!(
        lower,
        "if" | "could"
            | "might"
            | "may"
            | "would"
            | "should"
            | "maybe"
            | "perhaps"
            | "suppose"
            | "imagine"
            | "unless"
            | "whether"
            | "wish"
            | "hopefully"
            | "possibly"
            | "probably"
            | "i'd"
            | "we'd"
            | "they'd"
            | "he'd"
            | "she'd"
    )
}

/// Finds the verb of a clause.
pub(super) fn find(all: &[Token<'_>]) -> Option<Verb> {
    marked(all)
        .or_else(|| unmarked(all))
        .or_else(|| progressive(all))
        .or_else(|| gerund(all))
        .map(|verb| led_to(all, verb))
}

/// Whether a phrase has a verb that is marked as one; "the payments service" has none.
pub(super) fn is_marked(all: &[Token<'_>]) -> bool {
    marked(all).is_some()
}

/// A verb that an auxiliary, an ending or its place marks as one.
fn marked(all: &[Token<'_>]) -> Option<Verb> {
    (0..all.len()).find_map(|at| {
        let is_auxiliary = all[at].class == Some(Class::Auxiliary) || contracted(&all[at].lower()).is_some();
        if is_auxiliary {
            return Some(auxiliary_group(all, at));
        }
        is_full_verb(all, at).then(|| simple(all, at))
    })
}

fn simple(all: &[Token<'_>], at: usize) -> Verb {
    Verb {
        group: at..at + 1,
        text: all[at].lower(),
        negated: at > 0 && matches!(&*all[at - 1].lower(), "never" | "hardly" | "longer"),
        hypothetical: false,
    }
}

/// "decided to use" is one verb.
fn led_to(all: &[Token<'_>], mut verb: Verb) -> Verb {
    let end = verb.group.end;
    // "It used to be Heron": it is so no more.
    if verb.text == "used"
        && let (Some(to), Some(infinitive)) = (all.get(end), all.get(end + 1))
        && to.lower() == "to"
        && (infinitive.class == Some(Class::Auxiliary) || irregular::is_base_form(&infinitive.lower()))
    {
        let says = infinitive.lower();
        verb.text = match &*says {
            "be" => "is".to_owned(),
            "have" => "has".to_owned(),
            _ => says,
        };
        verb.group.end = end + 2;
        verb.negated = true;
        return verb;
    }
    let last = verb.text.rsplit(' ').next().unwrap_or_default();
    if LEADING.contains(&last)
        && let (Some(to), Some(infinitive)) = (all.get(end), all.get(end + 1))
        && to.lower() == "to"
        && !infinitive.is_capital()
        && (infinitive.class.is_none() || matches!(&*infinitive.lower(), "own" | "be" | "have" | "do"))
    {
        verb.text = format!("{} to {}", verb.text, infinitive.lower());
        verb.group.end = end + 2;
    }
    verb
}

/// Whether a word is a pronoun with its verb.
pub(super) fn is_contracted(lower: &str) -> bool {
    contracted(lower).is_some()
}

/// The verb in a contraction: "we've" has "have", "it's" has "is".
fn contracted(lower: &str) -> Option<&'static str> {
    let (pronoun, rest) = lower.split_once('\'')?;
    let is_pronoun = Language::English.class(pronoun) == Some(Class::Pronoun) || pronoun == "that";
    match rest {
        "re" | "m" if is_pronoun => Some("is"),
        "s" if is_pronoun && pronoun != "let" => Some("is"),
        "ve" if is_pronoun => Some("have"),
        "ll" if is_pronoun => Some("will"),
        _ => None,
    }
}

/// A verb that begins with an auxiliary: "has moved to", "will not chair", "is".
fn auxiliary_group(all: &[Token<'_>], at: usize) -> Verb {
    let mut said: Vec<String> = Vec::new();
    let mut end = at;
    let mut main = None;
    let mut negated = false;
    let mut hypothetical = false;
    while end < all.len() && main.is_none() {
        let lower = all[end].lower();
        negated |= matches!(&*lower, "not" | "never" | "cannot") || lower.ends_with("n't");
        negated |= lower == "no" && all.get(end + 1).is_some_and(|next| next.lower() == "longer");
        hypothetical |= is_hypothetical(&lower) && !(lower == "may" && is_limited(all));
        if !is_skipped(all, at, end) {
            // "It has missing values": having is no part of what goes on.
            let owns = matches!(said.as_slice(), [has] if matches!(&**has, "has" | "have" | "had"));
            let is_main = is_participle(&lower) && !(owns && lower.ends_with("ing")) || is_modal(&said);
            if !is_main || all[end].is_capital() || !(all[end].class.is_none() || lower == "own") {
                break;
            }
            main = Some(lower);
            end += 1;
            continue;
        }
        said.push(contracted(&lower).map_or(lower, str::to_owned));
        end += 1;
    }
    let first = said.first().cloned().unwrap_or_default();
    let passive = matches!(&*first, "is" | "are" | "was" | "were" | "been")
        && main.is_some()
        && !said.iter().any(|word| word == "to");
    // "It has been closed" says that it is closed.
    let done = end == all.len() && main.is_some() && said.iter().any(|word| matches!(&**word, "been" | "be"));
    let text = match main {
        Some(main) if passive || done => format!("is {main}"),
        Some(main) => main,
        None if matches!(&*first, "has" | "have") => "has".to_owned(),
        None if first == "had" => "had".to_owned(),
        None => "is".to_owned(),
    };
    Verb { group: at..end, text, negated, hypothetical }
}

/// Whether a word of a verb that begins at an auxiliary says nothing of what is done.
fn is_skipped(all: &[Token<'_>], from: usize, at: usize) -> bool {
    let lower = all[at].lower();
    matches!(all[at].class, Some(Class::Auxiliary | Class::Adverb))
        || contracted(&lower).is_some()
        || matches!(&*lower, "no" | "longer" | "to") && at > from && !negates_noun(all, at)
        || lower == "going" && all.get(at + 1).is_some_and(|next| next.lower() == "to")
        || (lower.ends_with("ly") && !lower.contains('-') && at + 1 < all.len() && !all[at].is_capital())
}

/// "has no port" says that there is none; "no longer" is part of the verb.
fn negates_noun(all: &[Token<'_>], at: usize) -> bool {
    all[at].lower() == "no" && all.get(at + 1).is_none_or(|next| next.lower() != "longer")
}

/// Whether a clause sets a limit, so that its "may" gives leave: "may be opened by Ada alone", "may be kept no longer than".
fn is_limited(all: &[Token<'_>]) -> bool {
    let lower: Vec<String> = all.iter().map(Token::lower).collect();
    let bounds = |pair: &[String]| {
        matches!((&*pair[0], &*pair[1]), ("no", "longer" | "more" | "later") | ("at", "most") | ("up", "to"))
    };
    lower.iter().any(|word| matches!(&**word, "only" | "alone")) || lower.windows(2).any(bounds)
}

fn is_modal(said: &[String]) -> bool {
    said.iter().any(|word| {
        matches!(
            &**word,
            "will"
                | "can"
                | "must"
                | "shall"
                | "did"
                | "does"
                | "do"
                | "cannot"
                | "could"
                | "would"
                | "should"
                | "to"
        ) || word.ends_with("n't") && !matches!(&**word, "isn't" | "aren't" | "wasn't" | "weren't")
    })
}

fn is_participle(lower: &str) -> bool {
    lower.len() > 3 && (lower.ends_with("ed") || lower.ends_with("ing") || lower.ends_with("en"))
        || irregular::base_form(lower).is_some()
        || irregular::is_invariable(lower)
        || matches!(lower, "run" | "come" | "become" | "overcome")
}

/// Whether a word is a verb by its form and place: a subject before it, and something after it that a verb leads to.
fn is_full_verb(all: &[Token<'_>], at: usize) -> bool {
    let token = &all[at];
    let lower = token.lower();
    if token.class.is_some() || lower.len() < 3 && lower != "go" || (token.is_capital() && at > 0) {
        return false;
    }
    if at == 0 {
        return begins_with_verb(all);
    }
    // "I really like it": an adverb stands before the verb.
    let is_adverb = |token: &Token<'_>| {
        let lower = token.lower();
        token.class.is_none()
            && lower.ends_with("ly")
            && !token.is_capital()
            && !VERBS_IN_LY.contains(&&*lower)
    };
    if is_adverb(token) && at + 1 < all.len() {
        return false;
    }
    let before = if at > 1 && is_adverb(&all[at - 1]) { &all[at - 2] } else { &all[at - 1] };
    if is_subject_before_verb(&before.lower()) {
        return true;
    }
    // "Firmware 3.1.4 contains": a number after a name is the end of the name.
    let numbered = at > 1 && is_number(before) && all[at - 2].is_capital() && !is_number(&all[at - 2]);
    if before_noun(before) && !numbered {
        return false;
    }
    let next = all.get(at + 1);
    if next.is_some_and(|next| next.class == Some(Class::Auxiliary)) {
        return false;
    }
    let was = lower == "used" && next.is_some_and(|next| next.lower() == "to");
    let past = is_past(&lower) || was;
    let third_person = is_third_person(&lower);
    // "Customers get": a plural before a verb that has no ending is what the verb is about.
    if third_person
        && next.is_some_and(|next| {
            next.class.is_none() && !next.is_capital() && irregular::is_base_form(&next.lower())
        })
        && !irregular::is_base_form(lower.trim_end_matches('s'))
    {
        return false;
    }
    // "Exports fail", "The dendrites form above it"; but in "The salad contains nuts as well" the verb has the ending.
    let begins_noun = at == 1 || !matches!(all[at - 2].class, None | Some(Class::Pronoun));
    let several =
        at > 2 && all[at - 2].lower() == "and" && before.class.is_none() && all[at - 3].class.is_none();
    let plural_before =
        several || is_third_person(&before.lower()) && (begins_noun || irregular::is_base_form(&lower));
    // "The code freeze": the base form of a verb is one after a plural alone.
    let irregular = irregular::is_verb_form(&lower)
        && (plural_before || irregular::base_form(&lower).is_some() || irregular::is_invariable(&lower));
    // "The readers on floor 5 went dead": a plural before a preposition and a verb.
    if third_person
        && next.is_some_and(|next| next.class == Some(Class::Preposition))
        && is_overruled(all, at)
    {
        return false;
    }
    let led = match next {
        None => past || irregular,
        Some(next) if next.lower() == "because" => true,
        Some(next) => leads(next) || next.class == Some(Class::Adverb) || past || irregular,
    };
    // "gets", "runs": of a verb that is known, whatever follows.
    let known = (third_person && irregular::is_base_form(lower.trim_end_matches('s'))
        || ASKING.contains(&&*lower))
        && next.is_some_and(|next| next.class.is_none() && at + 2 < all.len());
    // "reports disk errors": what follows may be a bare noun, but then a name has to stand before the verb.
    let named = third_person && before.is_capital() && next.is_some_and(|next| next.class.is_none());
    named || known || led && (past || irregular || third_person || plural_before)
}

/// Whether a later word is a verb without any doubt, with nothing between that a clause may begin with.
fn is_overruled(all: &[Token<'_>], at: usize) -> bool {
    let rest = all[at..].windows(2).take_while(|pair| {
        // More than a space between two words is a comma.
        pair[1].start == pair[0].end + 1
            && !matches!(pair[1].class, Some(Class::Conjunction | Class::Pronoun))
            && pair[1].lower() != "that"
    });
    let mut verbs = rest.map(|pair| &pair[1]).filter(|token| {
        token.class == Some(Class::Auxiliary)
            || token.class.is_none() && !token.is_capital() && irregular::base_form(&token.lower()).is_some()
    });
    verbs.next().is_some()
}

/// Whether a noun follows a word: an article, a preposition, a number, an owner.
fn before_noun(word: &Token<'_>) -> bool {
    matches!(word.class, Some(Class::Determiner | Class::Preposition))
        || word.lower().ends_with("'s") && contracted(&word.lower()).is_none()
        || is_number(word)
}

fn is_number(word: &Token<'_>) -> bool {
    !word.text.is_empty() && word.text.chars().all(|c| c.is_numeric() || matches!(c, '.' | ','))
}

/// "Booked the room": the speaker leaves himself out.
fn begins_with_verb(all: &[Token<'_>]) -> bool {
    let first = &all[0];
    let lower = first.lower();
    let is_word = first.is_ordinary();
    // "Opened case T-1", where nothing else is a verb.
    let alone = is_past(&lower)
        && all.len() > 2
        && all[1].class.is_none()
        && (1..all.len()).all(|at| all[at].class != Some(Class::Auxiliary) && !is_full_verb(all, at));
    let led = alone || all.get(1).is_some_and(|next| leads(next) || next.class == Some(Class::Adverb));
    let is_verb = is_past(&lower) || irregular::base_form(&lower).is_some() || lexicon::is_change(&lower);
    is_word && led && is_verb
}

/// Whether a word may begin what follows a verb.
fn leads(next: &Token<'_>) -> bool {
    matches!(next.class, Some(Class::Determiner | Class::Preposition | Class::Pronoun)) || next.is_capital()
}

fn is_subject_before_verb(lower: &str) -> bool {
    matches!(
        lower,
        "i" | "we"
            | "you"
            | "they"
            | "he"
            | "she"
            | "it"
            | "who"
            | "nobody"
            | "everyone"
            | "never"
            | "also"
            | "let's"
    )
}

/// The ending of the past.
pub(super) fn is_past(lower: &str) -> bool {
    lower.ends_with("ed") && lower.len() > 4
}

/// The ending of the third person.
pub(super) fn is_third_person(lower: &str) -> bool {
    lower.ends_with('s') && lower.len() > 3 && !lower.ends_with("ss") && !lower.ends_with("us")
}

/// Where nothing marks a verb: the last word with the ending of the third person that has something before and after it,
/// "The column for season passes contains negative prices"; or a bare word after a plural, "Exports fail".
fn unmarked(all: &[Token<'_>]) -> Option<Verb> {
    let is_word = |at: usize| all[at].class.is_none() && !all[at].is_capital() && !before_noun(&all[at - 1]);
    let third =
        (1..all.len().saturating_sub(1)).rev().find(|at| is_word(*at) && is_third_person(&all[*at].lower()));
    let bare = || {
        let last = all.len().checked_sub(1).filter(|last| *last > 0)?;
        let plural = is_third_person(&all[last - 1].lower()) && all[last - 1].class.is_none();
        (is_word(last) && plural && all[last].text.len() > 3 && !all[last].text.ends_with('s'))
            .then_some(last)
    };
    third.or_else(bare).map(|at| simple(all, at))
}

/// "The gateway in Lisbon flapping since six": short messages leave out the auxiliary.
fn progressive(all: &[Token<'_>]) -> Option<Verb> {
    let at = (1..all.len()).find(|at| {
        let lower = all[*at].lower();
        let ends = all.get(at + 1).is_none_or(|next| matches!(&*next.lower(), "since" | "again" | "now"));
        let noun = all[at - 1].class.is_none() && !before_noun(&all[at - 1]);
        lower.ends_with("ing") && lower.len() > 5 && all[*at].class.is_none() && noun && ends && all.len() > 2
    })?;
    Some(Verb { text: format!("is {}", all[at].lower()), ..simple(all, at) })
}

/// "Bumping severity to high": the speaker leaves himself out.
fn gerund(all: &[Token<'_>]) -> Option<Verb> {
    let lower = all.first()?.lower();
    let is_gerund =
        lower.ends_with("ing") && lower.len() > 5 && all[0].class.is_none() && all[0].is_ordinary();
    // "Billing, search and auth": a list of names.
    let listed = all.get(1).is_some_and(|next| next.start > all[0].end + 1);
    (is_gerund && all.len() > 1 && !listed).then(|| simple(all, 0))
}
