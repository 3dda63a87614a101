//! Detects definitions: what a text defines, and what a question asks to define: "A chart is a collection of
//! files", "What is a chart?"
//!
//! Such a question shares only the name with its answer, and in a folder about one thing, every page contains
//! that name. Therefore the defined name is a search term of its own: [`defined_in`] finds it in a text,
//! [`asked_for`] in a question. English only.

mod called;
mod glossary;
mod said;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::{
    lexicon::{is_adjective, is_past_form},
    pack::{self, Class, Kind, Language},
    sentence::sentences,
    token::spaced_words,
};

pub use glossary::explains_terms;
pub use said::QUALITIES;

/// Maximum number of words in a defined name.
const NAME_WORDS_MAX: usize = 6;

/// A definition in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The byte range of the defined name, without an article.
    pub name: Range<usize>,
    /// The form of the definition.
    pub form: DefinitionForm,
}

/// The form of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefinitionForm {
    /// By its kind: "is a collection of files", "are pointers that …", "is where the files are"; or as a
    /// heading, "What is a chart?"
    Kind,
    /// By its use: "is used for …", "is responsible for …".
    Use,
    /// By its meaning: "refers to …", "means …".
    Meaning,
    /// By naming what the sentence describes: "… is called a chart".
    Called,
    /// By naming what the previous sentence describes: "This is called a chart".
    CalledBefore,
}

/// Finds the definitions in a text, in order. Defined names, without articles, are: the subjects of "X is a
/// …", "X (Y) was the …", "X is used for …", "X is where …", "Xs are pointers that …" and "X refers to …"; X
/// in "… is called X"; X in a Markdown heading "What is X?"; and glossary entries: "- X: a …", "**X**: a …" and
/// the first cells of a table "| Term | Definition |".
pub fn defined_in(text: &str) -> Vec<Definition> {
    let mut defined = defined_by_sentences(text);
    let entries = glossary::entries(text);
    if !entries.is_empty() {
        defined.extend(entries);
        defined.sort_by_key(|definition| definition.name.start);
    }
    defined
}

fn defined_by_sentences(text: &str) -> Vec<Definition> {
    if VERBS.iter().chain(&MEANING).all(|verb| !text.contains(verb)) {
        return Vec::new();
    }
    let defined = sentences(text).into_iter().filter_map(|sentence| {
        let is_heading = text[..sentence.start].ends_with("# ");
        if is_heading && text[sentence.clone()].ends_with('?') {
            let name = asked_within(text, sentence)?;
            return Some(Definition { name, form: DefinitionForm::Kind });
        }
        if text[sentence.clone()].ends_with(['?', ':']) {
            return None;
        }
        subject(text, sentence.clone()).or_else(|| called::called(text, sentence))
    });
    let mut found = Vec::new();
    for definition in defined {
        let abbreviation = abbreviation(text, &definition);
        found.push(definition);
        found.extend(abbreviation);
    }
    found
}

/// The abbreviation in brackets after a defined name: "The Message Bus (MB) is …" defines "MB" too.
fn abbreviation(text: &str, definition: &Definition) -> Option<Definition> {
    let after = text[definition.name.end..].trim_start_matches(['*', '_', '`', '"', '”']);
    let inside = after.strip_prefix(" (")?;
    let inside = &inside[..inside.find(')')?];
    let name = inside.trim_matches(['*', '_', '`', '"']);
    let is_short =
        (2..=ABBREVIATION_BYTES_MAX).contains(&name.len()) && name.chars().all(char::is_alphanumeric);
    let start = definition.name.end
        + (text[definition.name.end..].len() - after.len())
        + " (".len()
        + inside.find(name)?;
    let is_capital = name.chars().filter(|c| c.is_uppercase()).count() >= 2;
    (is_short && is_capital).then(|| Definition { name: start..start + name.len(), form: definition.form })
}

/// Maximum length of an abbreviation in bytes.
const ABBREVIATION_BYTES_MAX: usize = 10;

const VERBS: [&str; 4] = [" is ", " are ", " was ", " were "];

const MEANING: [&str; 3] = [" refers to ", " refer to ", " means "];

/// Finds the name that a question asks to define: X in "What is X?", "Who was X?", "What does X do?", "What
/// is X for?", "What is meant by X?" and "Define X". Returns `None` for other questions, such as "What is the
/// capital of X?".
pub fn asked_for(question: &str) -> Option<Range<usize>> {
    asked_within(question, 0..question.len())
}

fn asked_within(text: &str, within: Range<usize>) -> Option<Range<usize>> {
    let mut words = spaced_words(text, within);
    // "What is a loom, our supplier keeps naming it"
    let ends = |word: &Range<usize>| text[word.end..].starts_with([',', ';']);
    if let Some(last) = words.iter().position(ends) {
        words.truncate(last + 1);
    }
    let start = words.first()?.start;
    let lower: Vec<String> = words.iter().map(|word| text[word.clone()].to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let (skipped, rest) = match lower.as_slice() {
        ["what's" | "what’s" | "who's" | "who’s" | "define", rest @ ..] => (1, rest),
        ["what" | "who", "is" | "are" | "was" | "were", rest @ ..]
        | ["what", "does" | "do", rest @ .., "do" | "mean"]
        | ["explain" | "describe", "what", rest @ .., "is" | "are" | "does"] => (2, rest),
        ["tell", "me", "what", rest @ .., "is" | "are" | "does"] => (3, rest),
        _ => return None,
    };
    let (skipped, rest) = match rest {
        ["meant", "by", rest @ ..] => (skipped + 2, rest),
        ["the", "purpose" | "role" | "function" | "job" | "point" | "use", "of", rest @ ..] => {
            (skipped + 3, rest)
        }
        [rest @ .., "used", "for"] | [rest @ .., "for"] | rest => (skipped, rest),
    };
    name(&words[skipped..skipped + rest.len()], text, rest, start)
}

/// The words of a name without an article, up to a location. `None` if there are function words inside. The
/// sentence starts at `start`.
fn name(words: &[Range<usize>], text: &str, lower: &[&str], start: usize) -> Option<Range<usize>> {
    let from = usize::from(lower.first().is_some_and(|word| is_article(word)));
    let is_place = |word: &&str| matches!(*word, "in" | "within" | "on" | "inside");
    let end = lower.iter().position(is_place).unwrap_or(lower.len());
    let (words, lower) = (words.get(from..end)?, lower.get(from..end)?);
    if !(1..=NAME_WORDS_MAX).contains(&words.len()) {
        return None;
    }
    let (first, last) = (words.first()?, words.last()?);
    // "The Who": a capitalised function word is part of the name, unless it is the first word of the
    // sentence.
    let is_capital =
        |word: &Range<usize>| word.start > start && text[word.clone()].starts_with(char::is_uppercase);
    let mut both = words.iter().zip(lower);
    if both.clone().any(|(word, lower)| is_function(lower) && !is_capital(word))
        || both.all(|(word, lower)| pack::is_stop(lower) && !is_capital(word))
    {
        return None;
    }
    Some(first.start..last.end)
}

/// The definition that a sentence gives of its subject, if it does.
fn subject(text: &str, sentence: Range<usize>) -> Option<Definition> {
    let sentence = sentence.start + lead(&text[sentence.clone()])..sentence.end;
    let said = &text[sentence.clone()];
    // The verb is near the start; the rest of a long sentence is not split into words.
    let verbs = VERBS.iter().chain(&MEANING);
    let (at, verb) = verbs.filter_map(|verb| Some((said.find(verb)?, *verb))).min_by_key(|(at, _)| *at)?;
    let rest = sentence.start + at + verb.len()..sentence.end;
    let verb = said::Verb(verb);
    let mut words_before = spaced_words(text, without_aside(text, sentence.start..sentence.start + at)?);
    if words_before.len() > NAME_WORDS_MAX + 1 {
        return None;
    }
    let lower = lower_case(text, &words_before);
    let mut lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    // "The term macro refers to …"
    if verb.means() && matches!(lower.as_slice(), ["the", "term" | "terms" | "word" | "phrase", _, ..]) {
        words_before.drain(..2);
        lower.drain(..2);
    }
    let name = name(&words_before, text, &lower, words_before.first()?.start)?;
    // "Shown are pictures of …", "Also important are changes in …", "Please refer to …"
    let is_no_noun = |word: &&str| is_past_form(word) || is_adjective(word) || *word == "please";
    if (verb.is_plural() || verb.means()) && lower.last().is_some_and(is_no_noun) {
        return None;
    }
    let is_lower = |word: &Range<usize>| text[word.clone()].starts_with(char::is_lowercase);
    let subject = said::Subject {
        is_definite: lower.first() == Some(&"the"),
        is_proper: !spaced_words(text, name.clone()).iter().any(is_lower),
    };
    let form = said::form(text, rest.clone(), verb, subject)?;
    // "Middleware is the resource of a middleware" is circular; "Warp is the core of Warp Cloud" is a
    // definition.
    let is_circular = text[rest].contains(&text[name.clone()].to_lowercase());
    (!is_circular).then_some(Definition { name, form })
}

/// The length of an introductory scope before the subject: "In Kubernetes, ".
fn lead(sentence: &str) -> usize {
    let place =
        ["In ", "Within "].into_iter().find_map(|word| sentence.strip_prefix(word)).unwrap_or_default();
    let is_name = |name: &str| {
        let mut words = name.split(' ');
        let is_part = words.clone().next().is_some_and(|word| OF_A_TEXT.contains(&word));
        !is_part
            && words.clone().count() <= LEAD_WORDS_MAX
            && words.all(|word| word.starts_with(char::is_uppercase))
    };
    match place.split_once(", ").filter(|(name, _)| is_name(name)) {
        Some((_, rest)) => sentence.len() - rest.len(),
        None => 0,
    }
}

/// Names for parts of a text.
const OF_A_TEXT: [&str; 9] =
    ["Appendix", "Example", "Part", "Chapter", "Section", "Figure", "Table", "Case", "Exercise"];

/// Maximum number of words in the name of an introductory scope.
const LEAD_WORDS_MAX: usize = 3;

fn lower_case(text: &str, words: &[Range<usize>]) -> Vec<String> {
    words.iter().map(|word| text[word.clone()].to_lowercase()).collect()
}

/// The text without a trailing bracket or an aside between commas: "The Message Bus (MB)", "Warp, or W,". A
/// link counts as its text.
fn without_aside(text: &str, mut range: Range<usize>) -> Option<Range<usize>> {
    if let Some(at) = text[range.clone()].find("](").filter(|_| text[range.clone()].ends_with(')')) {
        range.end = range.start + at;
    }
    let said = &text[range.clone()];
    // "Note: This function"
    if said.contains(": ") {
        return None;
    }
    let aside = if said.ends_with(')') {
        said.rfind(" (")
    } else if said.ends_with(',') {
        said.find(", ")
    } else if said.contains([',', ';', '(']) {
        return None;
    } else {
        Some(said.len())
    };
    Some(range.start..range.start + aside?)
}

fn is_article(word: &str) -> bool {
    Language::English.kind(word) == Some(Kind::Article)
}

fn is_function(word: &str) -> bool {
    Language::English.class(word).is_some_and(|class| class != Class::Adverb)
}
