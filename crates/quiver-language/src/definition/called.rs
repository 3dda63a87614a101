//! Definitions that name what they describe: "The act of lending a value is called borrowing".

use std::ops::Range;

use super::{Definition, DefinitionForm, NAME_WORDS_MAX, is_article, is_function, lower_case, name};
use crate::{
    lexicon::is_adjective,
    pack::{Class, Kind, Language},
    token::spaced_words,
};

/// Minimum number of words in the description.
const DESCRIBED_LEAST: usize = 4;

/// The name that a sentence gives, if this sentence or the previous one has the description.
pub(super) fn called(text: &str, sentence: Range<usize>) -> Option<Definition> {
    let said = &text[sentence.clone()];
    if CALLING.iter().all(|calling| !said.contains(calling)) {
        return None;
    }
    let ranges = spaced_words(text, sentence);
    let lower = lower_case(text, &ranges);
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let (verb, from) = calling(&lower)?;
    // "the protein, which is known as an inhibitor of growth"
    if matches!(lower[verb - 1], "which" | "who") && matches!(lower.get(from), Some(&("a" | "an"))) {
        return None;
    }
    let from = from + usize::from(lower.get(from).is_some_and(|word| is_article(word)));
    let end = name_end(text, &ranges, &lower, from)?;
    let name = name(&ranges[from..end], text, &lower[from..end], 0)?;
    let form = describes(text, &ranges[..verb], &lower[..verb])?;
    Some(Definition { name, form })
}

const CALLING: [&str; 4] = [" called ", " known as ", " referred to as ", " termed "];

/// The index of the verb in "is called" and "are also known as", and the index at which the name begins.
fn calling(lower: &[&str]) -> Option<(usize, usize)> {
    (1..lower.len()).find_map(|verb| {
        let rest = matches!(lower[verb], "is" | "are").then(|| &lower[verb + 1..])?;
        let adverb = rest.first().is_some_and(|word| is_adverb(word) && !matches!(*word, "not" | "well"));
        let length = match &rest[usize::from(adverb)..] {
            ["called" | "termed", ..] => 1,
            ["known", "as", ..] => 2,
            ["referred", "to", "as", ..] => 3,
            _ => return None,
        };
        Some((verb, verb + 1 + usize::from(adverb) + length))
    })
}

fn is_adverb(word: &str) -> bool {
    word.ends_with("ly") || Language::English.class(word) == Some(Class::Adverb)
}

/// The end of a name: a punctuation mark, a function word, or the end of the text. An adverb or an ordinal is
/// not a name: "is called often", "is called first".
fn name_end(text: &str, ranges: &[Range<usize>], lower: &[&str], from: usize) -> Option<usize> {
    let is_name = |at: usize| !is_function(lower[at]) && !is_adverb(lower[at]) && !ORDER.contains(&lower[at]);
    if from >= ranges.len() || !is_name(from) {
        return None;
    }
    let mut end = from + 1;
    while end < ranges.len()
        && is_space(&text[ranges[end - 1].end..ranges[end].start])
        && !is_function(lower[end])
    {
        end += 1;
    }
    let is_whole = (from..end).all(is_name) && end - from < NAME_WORDS_MAX;
    let rest = &text[ranges[end - 1].end..];
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || is_marking(c));
    let ends = match rest.chars().next() {
        None | Some('.' | ',' | ';' | ':' | '!' | ')' | '—') => true,
        // "the Message Bus (MB)."
        Some('(') => rest
            .find(')')
            .is_some_and(|close| matches!(rest[close + 1..].chars().next(), None | Some('.' | ',' | ';'))),
        // "called hooks in Git", but not "called main and takes no arguments", "called hooks before"
        _ => lower.get(end).is_some_and(|next| {
            is_space(&text[ranges[end - 1].end..ranges[end].start])
                && matches!(*next, "in" | "within" | "on" | "because" | "since" | "as" | "when" | "for")
        }),
    };
    (is_whole && ends).then_some(end)
}

const ORDER: [&str; 8] = ["first", "last", "next", "twice", "once", "before", "after", "directly"];

/// Whether a gap contains only whitespace and markup.
fn is_space(gap: &str) -> bool {
    gap.chars().all(|c| c.is_whitespace() || is_marking(c))
}

fn is_marking(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '"' | '“' | '”' | '\'')
}

/// The form of the definition, given the words before the verb; `None` if they do not describe anything.
fn describes(text: &str, ranges: &[Range<usize>], lower: &[&str]) -> Option<DefinitionForm> {
    let first = *lower.first()?;
    if Language::English.kind(first) == Some(Kind::Demonstrative) {
        // "This process is called …", but not "This function of the compiler is called …"
        let content = lower[1..].iter().filter(|word| !is_adjective(word)).count();
        if content <= 2 {
            return Some(DefinitionForm::CalledBefore);
        }
    }
    // "It is called the Little Lehigh because …" and "what is known as …" are not descriptions.
    let is_vague = matches!(*lower.last()?, "it" | "they" | "he" | "she" | "what" | "and" | "but");
    let is_indirect = lower.iter().any(|word| matches!(*word, "why" | "how" | "whether"));
    if is_vague || is_indirect {
        return None;
    }
    let refers = lower.iter().take(3).any(|word| matches!(*word, "this" | "these"));
    // "If the file is called main": a subordinate clause is not a description, but what follows it may be.
    let is_clause = matches!(first, "if" | "when" | "whenever" | "once" | "where" | "unless" | "because");
    let comma = ranges.windows(2).any(|pair| text[pair[0].end..pair[1].start].contains(','));
    let has_more = lower.iter().skip(1).any(|word| {
        matches!(*word, "that" | "which" | "who" | "where" | "whose" | "without")
            || matches!(*word, "of" | "with" | "between" | "to" | "for" | "from" | "by" | "in")
    });
    let is_own = matches!(Language::English.kind(first), Some(Kind::Possessive));
    let is_described = lower.len() >= DESCRIBED_LEAST && !is_own && if is_clause { comma } else { has_more };
    // "Expressions in this language are called …"
    let form = if refers { DefinitionForm::CalledBefore } else { DefinitionForm::Called };
    is_described.then_some(form)
}
