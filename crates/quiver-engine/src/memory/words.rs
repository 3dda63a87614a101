//! Words in the form the memory compares: stemmed, with identifiers split; and how well two words agree.

use std::ops::Range;

use quiver_language::{
    recall::{self, Recall},
    term::has_parts,
    word::irregular_verb,
};
use quiver_models::Lexical;

/// A word of a name, a predicate, a text or a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// The word in lower case; for irregular verbs, the base form.
    pub(crate) lower: Box<str>,
    /// The hash of its stem.
    pub(crate) stem: u32,
    /// Whether it is a stop word.
    pub(crate) is_stop: bool,
    /// Whether it has a capital or a digit, like a name.
    pub(crate) is_name: bool,
    /// Start offset in the text, in bytes.
    pub(crate) start: usize,
    /// End offset in the text, in bytes.
    pub(crate) end: usize,
}

/// The words of a text. Identifiers are split: `AuthModule` gives "auth" and "module", `Ticket_4471` "ticket" and
/// "4471", `ServerA` "server" and "a".
pub(crate) fn words(lexical: &Lexical, text: &str) -> Vec<Word> {
    let terms = lexical.terms(text);
    let mut words: Vec<Word> = Vec::with_capacity(terms.len());
    let mut compounds: Vec<(Range<usize>, u32)> = Vec::new();
    let marked = |text: &str| text.contains(|c: char| c.is_uppercase() || c.is_numeric() || c == '_');
    // The end of the last compound written like a name; its parts count as names too.
    let mut name_until = 0;
    for (at, term) in terms.iter().enumerate() {
        // A compound precedes its parts and is dropped, since the parts carry the same information.
        let written = &text[term.start..term.end];
        if has_parts(&terms, at) {
            if marked(written) {
                name_until = term.end;
                compounds.push((term.start..term.end, term.hash));
            }
            continue;
        }
        let is_name = marked(written) || term.end <= name_until;
        let lower = written.to_lowercase();
        // The "sat" in "sat-2" is not a form of "sit".
        let base = irregular_verb(&lower).filter(|_| term.end > name_until);
        let (lower, stem) = match base {
            Some(base) => (base.into(), lexical.query_terms(base).first().copied().unwrap_or(term.hash)),
            None => (lower.into_boxed_str(), term.hash),
        };
        words.push(Word { lower, stem, is_stop: term.is_stop, is_name, start: term.start, end: term.end });
    }
    for (compound, hash) in compounds {
        add_letters(text, compound, hash, &mut words);
    }
    for at in 1..words.len() {
        // "Node-A": the letter of a compound is part of the name, not an article.
        let joint = text.get(words[at - 1].end..words[at].start);
        if words[at].is_stop && words[at].lower.len() == 1 && matches!(joint, Some("-" | "_")) {
            let letter = u32::from(words[at].lower.as_bytes()[0]);
            words[at].stem = words[at - 1].stem.rotate_left(8) ^ letter;
            (words[at].is_stop, words[at].is_name) = (false, true);
        }
        // "What does Ann own?", but not "her own desk".
        let before = &*words[at - 1].lower;
        let is_possessive = matches!(before, "my" | "your" | "his" | "her" | "its" | "our" | "their");
        if &*words[at].lower == "own" && !is_possessive && !before.ends_with("'s") {
            words[at].is_stop = false;
        }
        // "Server A" and "Group I": a capital letter at the end of a name is part of the name.
        let ends = at + 1 == words.len() || &text[words[at].start..words[at].end] != "I";
        let written = &text.as_bytes()[words[at].start..words[at].end];
        let letter = matches!(written, [letter] if letter.is_ascii_uppercase());
        if letter
            && ends
            && words[at - 1].is_name
            && text.get(words[at - 1].end..words[at].start) == Some(" ")
        {
            words[at].is_stop = false;
        }
    }
    words
}

/// A predicate in spoken form: `WORKS_ON` and `worksOn` become "works on".
pub(crate) fn spoken(predicate: &str) -> String {
    if predicate.contains(' ') || !predicate.contains(|c: char| c == '_' || c.is_uppercase()) {
        return predicate.to_owned();
    }
    let mut spoken = String::with_capacity(predicate.len() + 4);
    // A single small letter is no word of its own: "pH".
    let mut small = 0;
    for c in predicate.chars() {
        if c == '_' {
            spoken.push(' ');
        } else {
            if c.is_uppercase() && small > 1 {
                spoken.push(' ');
            }
            spoken.extend(c.to_lowercase());
        }
        small = if c.is_lowercase() { small + 1 } else { 0 };
    }
    spoken
}

/// Adds the single letters of a compound that are not terms: they distinguish `ServerA` from `ServerB`.
fn add_letters(text: &str, compound: Range<usize>, hash: u32, words: &mut Vec<Word>) {
    let first = words.partition_point(|word| word.start < compound.start);
    let mut at = first;
    let mut offset = compound.start;
    while offset < compound.end {
        if let Some(word) = words.get(at).filter(|word| word.start <= offset) {
            offset = offset.max(word.end);
            at += 1;
            continue;
        }
        let letter = text[offset..].chars().next().expect("a compound ends where a letter ends");
        let end = offset + letter.len_utf8();
        if letter.is_alphanumeric() {
            let lower: Box<str> = letter.to_lowercase().collect::<String>().into();
            // Not the stem of the letter as a word, since "a" occurs in every sentence.
            let stem = lower.bytes().fold(hash, |stem, byte| stem.rotate_left(8) ^ u32::from(byte));
            words.insert(at, Word { lower, stem, is_stop: false, is_name: true, start: offset, end });
            at += 1;
        }
        offset = end;
    }
}

/// How well two words agree, from 0 to 1: by the same stem, a common prefix, an abbreviation or a typo.
pub(crate) fn agreement(a: &Word, b: &Word) -> f32 {
    if a.stem == b.stem || a.lower == b.lower {
        return 1.0;
    }
    let (short, long) = if a.lower.len() <= b.lower.len() { (a, b) } else { (b, a) };
    let (short, long) = (short.lower.as_ref(), long.lower.as_ref());
    if is_numeronym(short, long) {
        return 0.8;
    }
    if short.len() < 3 || short.contains(|c: char| c.is_numeric()) || long.contains(|c: char| c.is_numeric())
    {
        return 0.0;
    }
    if short.as_bytes()[0] == long.as_bytes()[0] {
        let bare = short.strip_suffix('s').filter(|bare| bare.len() >= 4 && long.starts_with(bare));
        let is_other = a.is_name && b.is_name && is_other_name(short, long);
        let same = if is_other { 0.0 } else { same_beginning(bare.unwrap_or(short), long) };
        return if same == 0.0 && is_skeleton(short, long) { 0.6 } else { same };
    }
    // The last part of a compound gives its kind: a "Serverraum" is a "Raum".
    if short.len() >= 4 && long.len() >= short.len() + 3 && long.ends_with(short) { 0.5 } else { 0.0 }
}

/// Whether a word abbreviates a longer one by the number of omitted letters: "k8s".
fn is_numeronym(short: &str, long: &str) -> bool {
    let digits = short.trim_matches(|c: char| !c.is_ascii_digit());
    let left_out: usize = digits.parse().unwrap_or_default();
    left_out > 1
        && long.is_ascii()
        && short.is_ascii()
        && short.len() == digits.len() + 2
        && long.len() == left_out + 2
        && short.as_bytes()[0] == long.as_bytes()[0]
        && short.as_bytes()[short.len() - 1] == long.as_bytes()[long.len() - 1]
}

/// The sequence of words whose initials form an acronym, as "service level agreement" does for "SLA".
pub(crate) fn spelt_out(acronym: &Word, words: &[Word]) -> Option<std::ops::Range<usize>> {
    let short = acronym.is_name && (2..=5).contains(&acronym.lower.len());
    if !short
        || words.len() < acronym.lower.len()
        || !acronym.lower.bytes().all(|letter| letter.is_ascii_lowercase())
    {
        return None;
    }
    let letters: Vec<char> = acronym.lower.chars().collect();
    let said: Vec<usize> = (0..words.len()).filter(|at| !words[*at].is_stop).collect();
    let spells =
        |run: &[usize]| run.iter().zip(&letters).all(|(at, letter)| words[*at].lower.starts_with(*letter));
    let run = said.windows(letters.len()).find(|run| spells(run))?;
    Some(run[0]..run[run.len() - 1] + 1)
}

/// Whether a word abbreviates a longer one by its consonants: "cfg", "mgr", "svc".
fn is_skeleton(short: &str, long: &str) -> bool {
    let mut letters = long.chars();
    short.len() <= 5
        && long.len() >= 6
        && long.is_ascii()
        && short.bytes().all(|letter| letter.is_ascii_alphabetic() && !b"aeiouy".contains(&letter))
        && short.chars().all(|letter| letters.any(|other| other == letter))
}

fn same_beginning(short: &str, long: &str) -> f32 {
    let shared: usize =
        short.chars().zip(long.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    if shared == short.len() {
        return if shared >= 4 { 0.8 } else { 0.5 };
    }
    if shared >= 5 && shared * 5 >= long.len() * 3 {
        return 0.7;
    }
    // Inflected endings in scripts and languages without a stemmer.
    if shared >= 4 && !short.is_ascii() && long.len() - shared <= 4 {
        return 0.8;
    }
    if short.len() >= 6 && long.len() - short.len() <= 1 && is_slip(short, long) { 0.7 } else { 0.0 }
}

/// The least number of letters that an abbreviation of a name leaves out.
const LEFT_OUT_LEAST: usize = 4;

/// Whether two names that begin alike are those of two: "Leon" and "Leonie", "Jonas" and "Jonah". "Sam" may be short for
/// "Samantha", and "Kubernets" is a typo.
fn is_other_name(short: &str, long: &str) -> bool {
    let is_typo = short.len() >= 6 && short.chars().last() == long.chars().last() && is_slip(short, long);
    let is_cut = long.len() >= short.len() + LEFT_OUT_LEAST && long.starts_with(short);
    let is_plural = long.strip_suffix('s') == Some(short);
    !is_typo && !is_cut && !is_plural
}

/// Whether the words differ by one inserted, omitted or substituted letter.
fn is_slip(short: &str, long: &str) -> bool {
    let (short, long): (Vec<char>, Vec<char>) = (short.chars().collect(), long.chars().collect());
    if long.len() - short.len().min(long.len()) > 1 {
        return false;
    }
    let before = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let after = short.iter().rev().zip(long.iter().rev()).take_while(|(a, b)| a == b).count();
    before + after + 1 >= long.len()
}

/// The prefixes of long words, by which an index of whole words matches an abbreviation.
pub(crate) fn beginnings(lexical: &Lexical, words: &[Word]) -> Vec<u32> {
    let mut found = Vec::new();
    for word in words.iter().filter(|word| !word.is_stop && word.lower.is_ascii() && word.lower.len() >= 6) {
        for length in 3..=5 {
            found.extend(lexical.query_terms(&word.lower[..length]));
        }
    }
    found
}

/// The canonical form of a name, shared by its spellings: its words in lower case, with identifiers split.
pub(crate) fn canonical(lexical: &Lexical, name: &str) -> String {
    let words = words(lexical, name);
    words.iter().map(|word| name[word.start..word.end].to_lowercase()).collect::<Vec<_>>().join(" ")
}

/// Aliases derived from the spelling of a name: with identifiers split, without an article or a possessive ("the ferry",
/// "our ferry"), and without the common noun before it ("node alpha-1", "customer Acme Foods").
pub(crate) fn aliases(lexical: &Lexical, name: &str) -> Vec<String> {
    let mut aliases = vec![canonical(lexical, name)];
    let plain = without_determiner(name);
    aliases.push(quiver_graph::name::normalise(plain));
    aliases.push(canonical(lexical, plain));
    let bare = without_kind(plain);
    if bare != plain {
        aliases.push(bare.to_owned());
        aliases.push(canonical(lexical, bare));
    }
    let own = quiver_graph::name::normalise(name);
    aliases.retain(|alias| !alias.is_empty() && *alias != own);
    aliases.sort();
    aliases.dedup();
    aliases
}

/// A name without the lower-case article or possessive before it; "A" and "The Hague" are names.
fn without_determiner(name: &str) -> &str {
    let determined = name.split_once(' ').filter(|(first, _)| recall::says(first, Recall::Determiner));
    determined.map_or(name, |(_, rest)| rest.trim_start())
}

/// A name without the lower-case words before its first capital or digit; a number alone is not a name.
fn without_kind(name: &str) -> &str {
    let marked = |word: &str| word.contains(|c: char| c.is_uppercase() || c.is_numeric());
    let mut at = 0;
    for word in name.split(' ') {
        if marked(word) {
            let rest = &name[at..];
            let is_name = rest.contains(char::is_alphabetic);
            return if is_name { rest } else { name };
        }
        at += word.len() + 1;
    }
    name
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;

    use super::{agreement, spoken, words};

    #[test]
    fn names_that_begin_alike_do_not_agree() {
        let lexical = Lexical::new();
        let agree = |one: &str, other: &str| agreement(&words(&lexical, one)[0], &words(&lexical, other)[0]);
        for (one, other) in
            [("Leon", "Leonie"), ("Jonas", "Jonah"), ("Christian", "Christina"), ("Martin", "Martina")]
        {
            assert!(agree(one, other) < 0.5, "{one} is taken for {other}");
        }
        for (one, other) in [
            ("Sam", "Samantha"),
            ("Kubernets", "Kubernetes"),
            ("Kestrel", "Kestrels"),
            ("config", "Configuration"),
        ] {
            assert!(agree(one, other) >= 0.5, "{one} is not taken for {other}");
        }
    }

    #[test]
    fn identifiers_are_spoken_as_words() {
        for (predicate, says) in [
            ("WORKS_ON", "works on"),
            ("worksOn", "works on"),
            ("led_by", "led by"),
            ("pH", "ph"),
            ("Leads to", "Leads to"),
        ] {
            assert_eq!(spoken(predicate), says);
        }
    }
}
