//! What a text defines, and what a question wants defined: "A chart is a collection of files", "What is a chart?"
//!
//! Questions of this kind share only the name with their answer, and in a folder about one thing every page has its
//! name. So what is defined is a search term of its own: [`defined_in`] finds it in a text, [`asked_for`] in a
//! question. English only.

use std::ops::Range;

use crate::{
    pack::{self, Class, Kind, Language},
    sentence::sentences,
};

/// The most words of what is defined.
const NAME_WORDS_MAX: usize = 6;

/// How many words have to say what it is, after the verb.
const SAID_LEAST: usize = 4;

/// Finds what the sentences of a text define: the subjects, without articles, of "X is a …", "X (Y) was the …", "X is
/// used …"; and X in a heading "What is X?" of Markdown. In order, as byte ranges.
pub fn defined_in(text: &str) -> Vec<Range<usize>> {
    if [" is ", " are ", " was ", " were "].iter().all(|verb| !text.contains(verb)) {
        return Vec::new();
    }
    let defined = sentences(text).into_iter().filter_map(|sentence| {
        let is_heading = text[..sentence.start].ends_with("# ");
        if is_heading && text[sentence.clone()].ends_with('?') {
            return asked_within(text, sentence);
        }
        subject(text, sentence)
    });
    defined.collect()
}

/// Finds what a question wants defined: X in "What is X?", "Who was X?", "What does X do?", "What is X for?", "What is
/// meant by X?", "Define X". `None` if it asks for anything else, as "What is the capital of X?" does.
pub fn asked_for(question: &str) -> Option<Range<usize>> {
    asked_within(question, 0..question.len())
}

fn asked_within(text: &str, within: Range<usize>) -> Option<Range<usize>> {
    let words = words(text, within);
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

/// The words of a name without an article, up to a word that says where it is. `None` if function words are within it.
/// The sentence starts at `start`.
fn name(words: &[Range<usize>], text: &str, lower: &[&str], start: usize) -> Option<Range<usize>> {
    let from = usize::from(lower.first().is_some_and(|word| is_article(word)));
    let is_place = |word: &&str| matches!(*word, "in" | "within" | "on" | "inside");
    let end = lower.iter().position(is_place).unwrap_or(lower.len());
    let (words, lower) = (words.get(from..end)?, lower.get(from..end)?);
    if !(1..=NAME_WORDS_MAX).contains(&words.len()) {
        return None;
    }
    let (first, last) = (words.first()?, words.last()?);
    // "The Who": what is written as a name is one, but for the first word of a sentence.
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

/// What a sentence defines, if it does.
fn subject(text: &str, sentence: Range<usize>) -> Option<Range<usize>> {
    let said = &text[sentence.clone()];
    if said.ends_with(['?', ':']) {
        return None;
    }
    // The verb stands near the beginning; the rest of a long sentence is not split into words.
    let (at, verb) = [" is ", " are ", " was ", " were "]
        .iter()
        .filter_map(|verb| Some((said.find(verb)?, *verb)))
        .min_by_key(|(at, _)| *at)?;
    let subject = sentence.start..sentence.start + at;
    let subject = without_aside(text, subject)?;
    let words_before = words(text, subject);
    if words_before.len() > NAME_WORDS_MAX + 1 {
        return None;
    }
    let rest = sentence.start + at + verb.len()..sentence.end;
    // "X is a powerful tool, and it …"
    let clause = [", and ", ", but ", ", so "].iter().filter_map(|and| text[rest.clone()].find(and)).min();
    let clause = rest.start..clause.map_or(rest.end, |length| rest.start + length);
    let mut after = words(text, clause).into_iter().map(|word| text[word].to_lowercase());
    let (first, second) = (after.next()?, after.next()?);
    let is_past = matches!(verb, " was " | " were ");
    let says_what = match first.as_str() {
        "a" | "an" | "the" | "one" => !QUALITIES.contains(&second.as_str()),
        "used" | "responsible" | "designed" | "meant" | "intended" => !is_past,
        _ => false,
    };
    if !says_what || after.count() + 2 < SAID_LEAST {
        return None;
    }
    let lower: Vec<String> = words_before.iter().map(|word| text[word.clone()].to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let name = name(&words_before, text, &lower, words_before.first()?.start)?;
    // "Middleware is the resource of a middleware" says little; "Warp is the core of Warp Cloud" says what it is.
    let is_circular = text[rest].contains(&text[name.clone()].to_lowercase());
    (!is_circular).then_some(name)
}

/// The text before a bracket at its end, or before an aside between commas: "The Message Bus (MB)", "Warp, or W,". A
/// link counts as its words.
fn without_aside(text: &str, mut range: Range<usize>) -> Option<Range<usize>> {
    if let Some(at) = text[range.clone()].find("](").filter(|_| text[range.clone()].ends_with(')')) {
        range.end = range.start + at;
    }
    let said = &text[range.clone()];
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

/// The words of a text: runs without white space, less the marks around them.
pub(crate) fn words(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#');
    let mut words = Vec::new();
    let mut from = within.start;
    for word in text[within].split_inclusive(char::is_whitespace) {
        let start = from + word.len() - word.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let end = from + word.trim_end_matches(is_mark).len();
        if start < end {
            words.push(start..end);
        }
        from += word.len();
    }
    words
}

fn is_article(word: &str) -> bool {
    Language::English.kind(word) == Some(Kind::Article)
}

fn is_function(word: &str) -> bool {
    Language::English.class(word).is_some_and(|class| class != Class::Adverb)
}

/// Words after the article that tell a quality of a thing and not what it is: "X is the default".
pub const QUALITIES: [&str; 36] = [
    "default",
    "same",
    "only",
    "best",
    "first",
    "last",
    "required",
    "optional",
    "recommended",
    "deprecated",
    "good",
    "bad",
    "great",
    "breaking",
    "new",
    "next",
    "main",
    "most",
    "case",
    "result",
    "following",
    "problem",
    "way",
    "part",
    "crucial",
    "important",
    "key",
    "core",
    "essential",
    "critical",
    "useful",
    "excellent",
    "perfect",
    "better",
    "valid",
    "common",
];

#[cfg(test)]
mod tests {
    use super::{asked_for, defined_in};

    fn defined(text: &str) -> Vec<&str> {
        defined_in(text).into_iter().map(|range| &text[range]).collect()
    }

    fn asked(question: &str) -> Option<&str> {
        asked_for(question).map(|range| &question[range])
    }

    #[test]
    fn what_a_sentence_defines_is_its_subject() {
        for (text, subject) in [
            ("Linkerd is a _service mesh_ for Kubernetes.", "Linkerd"),
            ("A chart is a collection of files.", "chart"),
            ("The **Message Bus** (MB) is the component that carries events.", "Message Bus"),
            ("Warp, or W for short, is a tool that moves data.", "Warp"),
            ("Gene Hackman was an American actor and novelist.", "Gene Hackman"),
            ("# Volumes\n\nEphemeral volumes are used for scratch space.", "Ephemeral volumes"),
            ("Warp is the kernel of the Warp Cloud.", "Warp"),
            ("- `serve` is a command that starts it.", "serve"),
            ("A [Life Event (LE)](https://example.com/le) is a change in your situation.", "Life Event"),
            ("## What is a pod?\n\nSmall. They are many.", "pod"),
        ] {
            assert_eq!(defined(text), [subject], "{text}");
        }
    }

    #[test]
    fn what_tells_something_else_defines_nothing() {
        for text in [
            "It is a tool that moves data.",
            "Warp is a powerful tool, and it is crucial to understand its dangers.",
            "There is a tool that moves data.",
            "Linkerd is great for all of us.",
            "This flag is the default of all new clusters.",
            "The owner of the chart is a team of five.",
            "If the chart is a collection of files, unpack it.",
            "Is this a chart? What is a chart of the sort that we like?",
            "The chart is the best that there is.",
            "A chart was used by them for all that they did.",
            "`Middleware` is the resource for a middleware of a router.",
            "No text.",
        ] {
            assert_eq!(defined(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn questions_ask_for_a_definition_in_several_ways() {
        for (question, wanted) in [
            ("What is Linkerd?", Some("Linkerd")),
            ("what's a chart", Some("chart")),
            ("What are service profiles in Linkerd?", Some("service profiles")),
            ("Who was Gene Hackman?", Some("Gene Hackman")),
            ("Who are The Who?", Some("Who")),
            ("What does the tap extension do?", Some("tap extension")),
            ("What is a tracker used for?", Some("tracker")),
            ("What is meant by drift?", Some("drift")),
            ("What is the purpose of the proxy?", Some("proxy")),
            ("Explain what a lock file is.", Some("lock file")),
            ("What is C++?", Some("C++")),
            ("What is the capital of France?", None),
            ("What is it?", None),
            ("What is", None),
            ("What is the name that they gave it?", None),
            ("How is a chart made?", None),
            ("Which chart is a collection?", None),
            ("", None),
        ] {
            assert_eq!(asked(question), wanted, "{question}");
        }
    }
}
