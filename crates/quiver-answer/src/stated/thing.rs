//! Whether two texts name the same thing, possibly by part of its name: "Apollo" for "Project Apollo".

use super::is_same;
use crate::{reading::Reading, word::Word};

/// Whether the words of a passage name what those of the question name. Part of a name counts if no other
/// name in the passages contains it.
pub(super) fn is_same_thing(reading: &Reading, asked: &[Word], said: &[Word]) -> bool {
    let (asked, said) = (telling(asked), telling(said));
    let is_equal = |one: &[&Word], other: &[&Word]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
    };
    if asked.is_empty() || said.is_empty() {
        return false;
    }
    if is_equal(&asked, &said) {
        return true;
    }
    let (short, long) = if asked.len() < said.len() { (&asked, &said) } else { (&said, &asked) };
    let is_name = |words: &[&Word]| words.iter().all(|word| is_part_of_name(word));
    let is_within =
        |part: &[&Word], whole: &[&Word]| whole.windows(part.len()).any(|words| is_equal(words, part));
    if !is_name(short) || !is_name(long) || !is_within(short, long) {
        return false;
    }
    names_with(reading, short).iter().all(|name| is_within(name, long))
}

/// The words that distinguish one thing from another.
fn telling(words: &[Word]) -> Vec<&Word> {
    let tells = |word: &&Word| {
        !word.is_function
            || matches!(
                word.lower.as_str(),
                "to" | "from"
                    | "by"
                    | "with"
                    | "without"
                    | "against"
                    | "before"
                    | "after"
                    | "between"
                    | "under"
                    | "over"
            )
    };
    words.iter().filter(tells).collect()
}

/// Whether a word may be part of a name.
pub(super) fn is_part_of_name(word: &Word) -> bool {
    !word.is_function && (word.is_capital || word.is_numeric())
}

/// The capitalised runs in titles and passages that contain these words.
fn names_with<'r>(reading: &'r Reading, part: &[&Word]) -> Vec<Vec<&'r Word>> {
    let mut names = Vec::new();
    let titles = reading.pages.iter().map(|page| (page.subject.as_str(), page.subject_words.as_slice()));
    let texts = reading.pieces.iter().map(|piece| (piece.unit.text.as_str(), piece.words.as_slice()));
    for (text, words) in titles.chain(texts) {
        let is_joined = |at: usize| text.get(words[at - 1].end..words[at].start) == Some(" ");
        let found = words.windows(part.len()).enumerate().filter(|(_, run)| {
            run.iter().zip(part).all(|(one, other)| is_same(one, other) && is_part_of_name(one))
        });
        for (at, _) in found {
            let (mut from, mut end) = (at, at + part.len());
            while from > 0 && is_joined(from) && is_part_of_name(&words[from - 1]) {
                from -= 1;
            }
            while end < words.len()
                && is_joined(end)
                && is_part_of_name(&words[end])
                && !words[end - 1].is_possessive
            {
                end += 1;
            }
            names.push(words[from..end].iter().collect());
        }
    }
    names
}
