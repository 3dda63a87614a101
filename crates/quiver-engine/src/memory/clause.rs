//! Clauses: who does what to whom, by closed classes and the endings of English verbs. No model, no parser.

use std::ops::Range;

use crate::extract::words::{Class, Language, class};

use super::lexicon;

/// A word of a sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    class: Option<Class>,
}

/// A clause, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause {
    /// What it is about; `None` where the speaker leaves himself out: "Booked the room."
    pub(crate) subject: Option<String>,
    /// The verb, without auxiliaries and negations.
    pub(crate) verb: String,
    /// What follows the verb, each with the preposition that leads to it.
    pub(crate) objects: Vec<(String, String)>,
    /// Whether the verb is negated.
    pub(crate) negated: bool,
    /// Whether it says what could be, not what is.
    pub(crate) hypothetical: bool,
}

/// The words of a text, without the punctuation around them.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let trimmed = word
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '#' | '@' | '$' | '€' | '%' | '+'));
        if let Some(offset) = word.find(trimmed).filter(|_| !trimmed.is_empty()) {
            let start = at + offset;
            let lower = trimmed.to_lowercase().replace('’', "'");
            tokens.push(Token {
                text: trimmed,
                start,
                end: start + trimmed.len(),
                class: class(&lower, Language::English),
            });
        }
        at += word.len();
    }
    tokens
}

impl Token<'_> {
    fn lower(&self) -> String {
        self.text.to_lowercase().replace('’', "'")
    }

    fn is_capital(&self) -> bool {
        self.text.contains(char::is_uppercase) || self.text.contains(|c: char| c.is_numeric())
    }
}

/// Takes a clause apart; `None` where there is no verb with something after it.
pub(crate) fn read(text: &str) -> Option<Clause> {
    let all = tokens(text);
    let verb = find_verb(&all).or_else(|| unmarked_verb(&all))?;
    let (fronted, subject) = subject(text, &all[..verb.group.start]);
    if subject.is_none() && verb.group.start > 0 {
        return None;
    }
    let mut objects = objects(text, &all, verb.group.end);
    objects.extend(fronted);
    let mut verb = verb;
    // "The picnic is cancelled": nothing follows, so the participle says what it is.
    if let Some(state) = verb.text.strip_prefix("is ").filter(|_| objects.is_empty()) {
        objects.push((String::new(), state.to_owned()));
        "is".clone_into(&mut verb.text);
    }
    let hypothetical =
        verb.hypothetical || all[..verb.group.start].iter().any(|token| is_hypothetical(&token.lower()));
    (!objects.is_empty() || subject.is_some()).then_some(Clause {
        subject,
        verb: verb.text,
        objects,
        negated: verb.negated,
        hypothetical,
    })
}

/// Words that make a clause one about what could be.
pub(crate) fn is_hypothetical(lower: &str) -> bool {
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

struct Verb {
    group: Range<usize>,
    text: String,
    negated: bool,
    hypothetical: bool,
}

fn find_verb(all: &[Token<'_>]) -> Option<Verb> {
    (0..all.len()).find_map(|at| {
        let is_auxiliary = all[at].class == Some(Class::Auxiliary) || contracted(&all[at].lower()).is_some();
        if is_auxiliary {
            return Some(auxiliary_group(all, at));
        }
        is_full_verb(all, at).then(|| Verb {
            group: at..at + 1,
            text: all[at].lower(),
            negated: at > 0 && matches!(&*all[at - 1].lower(), "never" | "hardly" | "longer"),
            hypothetical: false,
        })
    })
}

/// The verb in a contraction: "we've" has "have", "it's" has "is".
fn contracted(lower: &str) -> Option<&'static str> {
    let (pronoun, rest) = lower.split_once('\'')?;
    let is_pronoun = class(pronoun, Language::English) == Some(Class::Pronoun) || pronoun == "that";
    match rest {
        "re" | "m" if is_pronoun => Some("is"),
        "s" if is_pronoun && pronoun != "let" => Some("is"),
        "ve" | "ll" if is_pronoun => Some("have"),
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
    while end < all.len() {
        let lower = all[end].lower();
        negated |= matches!(&*lower, "not" | "never" | "cannot") || lower.ends_with("n't");
        negated |= lower == "no" && all.get(end + 1).is_some_and(|next| next.lower() == "longer");
        hypothetical |= is_hypothetical(&lower);
        let skipped = matches!(all[end].class, Some(Class::Auxiliary | Class::Adverb))
            || contracted(&lower).is_some()
            || matches!(&*lower, "no" | "longer" | "going" | "to")
                && main.is_none()
                && end > at
                && !negates_noun(all, end)
            || (lower.ends_with("ly") && main.is_none() && !all[end].is_capital());
        if !skipped {
            if main.is_none()
                && (is_participle(all, end) || is_modal(&said))
                && !all[end].is_capital()
                && all[end].class.is_none()
            {
                main = Some(lower);
                end += 1;
                continue;
            }
            break;
        }
        if main.is_some() {
            break;
        }
        said.push(contracted(&lower).map_or(lower, str::to_owned));
        end += 1;
    }
    let first = said.first().cloned().unwrap_or_default();
    let passive = matches!(&*first, "is" | "are" | "was" | "were" | "been") && main.is_some();
    let text = match main {
        Some(main) if passive => format!("is {main}"),
        Some(main) => main,
        None if matches!(&*first, "has" | "have" | "had") => "has".to_owned(),
        None => "is".to_owned(),
    };
    Verb { group: at..end, text, negated, hypothetical }
}

/// "has no port" says that there is none; "no longer" is part of the verb.
fn negates_noun(all: &[Token<'_>], at: usize) -> bool {
    all[at].lower() == "no" && all.get(at + 1).is_none_or(|next| next.lower() != "longer")
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

fn is_participle(all: &[Token<'_>], at: usize) -> bool {
    let lower = all[at].lower();
    lower.len() > 3 && (lower.ends_with("ed") || lower.ends_with("ing") || lower.ends_with("en"))
        || lexicon::base_form(&lower).is_some()
        || lexicon::is_verb_form(&lower) && lower.len() > 2
}

/// Whether a word is a verb by its form and place: a subject before it, and something after it that a verb leads to.
fn is_full_verb(all: &[Token<'_>], at: usize) -> bool {
    let token = &all[at];
    let lower = token.lower();
    if token.class.is_some() || lower.len() < 3 && lower != "go" || (token.is_capital() && at > 0) {
        return false;
    }
    let past = lower.ends_with("ed") && lower.len() > 4;
    let irregular = lexicon::is_verb_form(&lower);
    let Some(before) = at.checked_sub(1).map(|before| &all[before]) else {
        // "Booked the room": the speaker leaves himself out.
        let led = all.get(1).is_some_and(|next| next.class.is_some() || next.is_capital());
        return (past || lexicon::base_form(&lower).is_some()) && led;
    };
    let follows_subject_pronoun = matches!(
        &*before.lower(),
        "i" | "we" | "you" | "they" | "he" | "she" | "it" | "who" | "nobody" | "everyone" | "never" | "also"
    );
    if follows_subject_pronoun {
        return true;
    }
    if matches!(before.class, Some(Class::Determiner | Class::Preposition)) {
        return false;
    }
    let third_person =
        lower.ends_with('s') && lower.len() > 3 && !lower.ends_with("ss") && !lower.ends_with("us");
    let plural_before = before.lower().ends_with('s') && before.text.len() > 3;
    let led = match all.get(at + 1) {
        None => past || irregular,
        Some(next) => {
            matches!(
                next.class,
                Some(Class::Determiner | Class::Preposition | Class::Pronoun | Class::Adverb)
            ) || next.is_capital()
                || past
                || irregular
        }
    };
    // "reports disk errors": what follows may be a bare noun, but then a name has to stand before the verb.
    let named =
        third_person && before.is_capital() && all.get(at + 1).is_some_and(|next| next.class.is_none());
    named || led && (past || irregular || third_person || plural_before)
}

/// Where nothing marks a verb, the last word with the ending of the third person that has something before and after it:
/// "The column for season passes contains negative prices".
fn unmarked_verb(all: &[Token<'_>]) -> Option<Verb> {
    let ends = |lower: &str| {
        lower.ends_with('s') && lower.len() > 3 && !lower.ends_with("ss") && !lower.ends_with("us")
    };
    let at = (1..all.len().saturating_sub(1)).rev().find(|at| {
        let token = &all[*at];
        let after_article = matches!(all[*at - 1].class, Some(Class::Determiner | Class::Preposition));
        token.class.is_none() && !token.is_capital() && ends(&token.lower()) && !after_article
    })?;
    Some(Verb { group: at..at + 1, text: all[at].lower(), negated: false, hypothetical: false })
}

/// What stands before the verb: the subject, and what was put before it ("For payments we …", "Spelt we …").
fn subject(text: &str, before: &[Token<'_>]) -> (Option<(String, String)>, Option<String>) {
    let mut from = 0;
    // "For payments we …", "In spring the north field …": what the clause is about stands last.
    for (at, token) in before.iter().enumerate() {
        let breaks = at > 0 && text[before[at - 1].end..token.start].contains([',', ':', ';', '(', '—']);
        let opens = matches!(token.class, Some(Class::Determiner))
            && at > 0
            && before[..at].iter().any(|t| t.class == Some(Class::Preposition))
            && before[at - 1].class.is_none();
        if breaks || opens || matches!(token.class, Some(Class::Conjunction)) {
            from = if token.class == Some(Class::Conjunction) { at + 1 } else { at };
        }
    }
    from = from.min(before.len());
    if let Some(pronoun) = before[from..].iter().rposition(|token| is_subject_pronoun(&token.lower())) {
        from += pronoun;
    }
    let preposition = before.first().filter(|token| token.class == Some(Class::Preposition));
    // "Change of plan: the opening is moved": what a colon parts from the clause is no part of it.
    let parted = from > 0
        && before.get(from).is_some_and(|token| text[before[from - 1].end..token.start].contains(':'));
    let fronted = phrase(text, &before[..from]).filter(|phrase| is_thing(phrase) && !parted);
    let fronted = fronted.map(|phrase| (preposition.map(Token::lower).unwrap_or_default(), phrase));
    // "Growth no longer owns": the negation belongs to the verb.
    let negates = |token: &Token<'_>| matches!(&*token.lower(), "no" | "longer" | "never" | "hardly");
    let to = before.iter().rposition(|token| !negates(token)).map_or(from, |last| last + 1).max(from);
    (fronted, phrase(text, &before[from..to]).map(without_sentence_capital))
}

/// A name without the capital that the beginning of a sentence gave it: `Filing deadline of Case_881`.
fn without_sentence_capital(phrase: String) -> String {
    let mut words = phrase.split(' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let ordinary = first.chars().skip(1).all(char::is_lowercase) && first.chars().count() > 2;
    let common = second.starts_with(char::is_lowercase) && class(second, Language::English).is_none();
    if ordinary && common { first.to_lowercase() + &phrase[first.len()..] } else { phrase }
}

fn is_subject_pronoun(lower: &str) -> bool {
    matches!(lower.split('\'').next().unwrap_or(lower), "i" | "we" | "you" | "they" | "he" | "she" | "it")
}

/// The words of a phrase, without articles and adverbs before them.
fn phrase(text: &str, tokens: &[Token<'_>]) -> Option<String> {
    let first = tokens.iter().position(|token| {
        let article = matches!(&*token.lower(), "the" | "a" | "an" | "some" | "any" | "no");
        !article && !matches!(token.class, Some(Class::Adverb | Class::Conjunction | Class::Preposition))
    })?;
    let last =
        tokens.iter().rposition(|token| !matches!(token.class, Some(Class::Adverb | Class::Preposition)))?;
    if last < first {
        return None;
    }
    let phrase = text[tokens[first].start..tokens[last].end].trim();
    (!phrase.is_empty()).then(|| phrase.to_owned())
}

/// What follows the verb: noun phrases, each with the prepositions that lead to it.
fn objects(text: &str, all: &[Token<'_>], from: usize) -> Vec<(String, String)> {
    let mut objects = Vec::new();
    let mut prepositions: Vec<String> = Vec::new();
    let mut run: Vec<Token<'_>> = Vec::new();
    let flush =
        |run: &mut Vec<Token<'_>>, prepositions: &mut Vec<String>, objects: &mut Vec<(String, String)>| {
            if let Some(phrase) = phrase(text, run).filter(|phrase| is_thing(phrase)) {
                objects.push((prepositions.join(" "), phrase));
            }
            run.clear();
            prepositions.clear();
        };
    for (at, token) in all.iter().enumerate().skip(from) {
        let gap = if at > from { &text[all[at - 1].end..token.start] } else { "" };
        let lower = token.lower();
        if gap.contains([',', ':', '(', '—', '–']) {
            flush(&mut run, &mut prepositions, &mut objects);
        }
        match token.class {
            // "church of Ellerby" is one thing.
            Some(Class::Preposition) if lower != "of" || run.is_empty() => {
                if !run.is_empty() {
                    flush(&mut run, &mut prepositions, &mut objects);
                }
                prepositions.push(lower);
            }
            Some(Class::Conjunction) if lower != "and" || run.is_empty() => {
                flush(&mut run, &mut prepositions, &mut objects);
            }
            Some(Class::Pronoun | Class::Auxiliary) if !matches!(&*lower, "one") => {
                flush(&mut run, &mut prepositions, &mut objects);
            }
            // "spelt this year": an article begins another phrase.
            Some(Class::Determiner) if run.last().is_some_and(|last| last.class.is_none()) => {
                flush(&mut run, &mut prepositions, &mut objects);
                run.push(*token);
            }
            _ => run.push(*token),
        }
    }
    flush(&mut run, &mut prepositions, &mut objects);
    objects
}

/// Whether a phrase names something: it has a word that is no function word.
fn is_thing(phrase: &str) -> bool {
    tokens(phrase)
        .iter()
        .any(|token| token.class.is_none() || token.is_capital() || is_counted(&token.lower()))
}

fn is_counted(lower: &str) -> bool {
    matches!(
        lower,
        "two"
            | "three"
            | "four"
            | "five"
            | "six"
            | "seven"
            | "eight"
            | "nine"
            | "ten"
            | "eleven"
            | "twelve"
            | "noon"
    )
}
