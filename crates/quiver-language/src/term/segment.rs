//! Splits a text into words, and compound words into parts.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// A span of text that becomes one term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether the script has no spaces between words.
    pub(super) is_unspaced: bool,
    /// Whether it is in capitals: "IT" and "US" are not stop words.
    pub(super) is_acronym: bool,
}

/// Limits of a compound. Longer ones are chains of words or data, and only their parts become terms.
const JOINED_WORDS_MAX: usize = 6;
const JOINED_BYTES_MAX: usize = 64;

/// Calls `visit` for each piece in order, with a compound before its parts. If `visit` returns `false` for a
/// compound, its parts are skipped.
pub(super) fn pieces(text: &str, mut visit: impl FnMut(Piece) -> bool) {
    let mut words = Vec::new();
    // No word spans white space, and most chunks between white space are one plain word.
    let mut at = 0;
    for chunk in text.split(|character: char| character.is_ascii_whitespace()) {
        let start = at;
        at += chunk.len() + 1;
        if chunk.is_empty() {
            continue;
        }
        if is_plain(chunk.as_bytes()) {
            visit(Piece::word(start..start + chunk.len(), false));
            continue;
        }
        words.clear();
        words.extend(chunk.unicode_word_indices().map(|(offset, word)| {
            let first = start + offset;
            first..first + word.len()
        }));
        chunk_pieces(text, &words, &mut visit);
    }
}

/// Returns whether a chunk is a single lower-case or capitalised word of unaccented Latin letters.
fn is_plain(chunk: &[u8]) -> bool {
    chunk[0].is_ascii_alphabetic() && chunk[1..].iter().all(u8::is_ascii_lowercase)
}

impl Piece {
    fn word(range: Range<usize>, is_acronym: bool) -> Self {
        Self { start: range.start, end: range.end, is_unspaced: false, is_acronym }
    }
}

/// Emits the pieces of words that are not separated by white space.
fn chunk_pieces(text: &str, words: &[Range<usize>], visit: &mut impl FnMut(Piece) -> bool) {
    let mut rest = words;
    while let Some(first) = rest.first() {
        if text[first.clone()].chars().any(is_unspaced) {
            let count =
                1 + rest.windows(2).take_while(|pair| continues_unspaced(text, &pair[0], &pair[1])).count();
            unspaced_or_mixed(text, first.start..rest[count - 1].end, visit);
            rest = &rest[count..];
        } else {
            let count = 1 + rest.windows(2).take_while(|pair| is_hyphened(text, &pair[0], &pair[1])).count();
            joined_pieces(text, &rest[..count], visit);
            rest = &rest[count..];
        }
    }
}

fn continues_unspaced(text: &str, left: &Range<usize>, right: &Range<usize>) -> bool {
    left.end == right.start && text[right.clone()].chars().any(is_unspaced)
}

fn is_hyphened(text: &str, left: &Range<usize>, right: &Range<usize>) -> bool {
    matches!(&text[left.end..right.start], "-" | "\u{2010}" | "\u{2011}")
        && !text[right.clone()].chars().any(is_unspaced)
}

/// Splits a run of mixed scripts and emits pairs of its characters. Word boundaries alone don't separate Hangul from
/// Latin.
fn unspaced_or_mixed(text: &str, run: Range<usize>, visit: &mut impl FnMut(Piece) -> bool) {
    let mut units: Vec<Range<usize>> = Vec::new();
    let mut spaced: Option<Range<usize>> = None;
    for (offset, cluster) in text[run.clone()].grapheme_indices(true) {
        let range = run.start + offset..run.start + offset + cluster.len();
        if cluster.starts_with(is_unspaced) {
            if let Some(word) = spaced.take() {
                joined_pieces(text, &[word], visit);
            }
            units.push(range);
        } else {
            pair_up(text, &units, visit);
            units.clear();
            spaced = Some(spaced.map_or(range.start, |word| word.start)..range.end);
        }
    }
    pair_up(text, &units, visit);
    if let Some(word) = spaced {
        joined_pieces(text, &[word], visit);
    }
}

fn pair_up(text: &str, units: &[Range<usize>], visit: &mut impl FnMut(Piece) -> bool) {
    let piece = |range: Range<usize>| Piece {
        start: range.start,
        end: range.end,
        is_unspaced: true,
        is_acronym: false,
    };
    for (index, unit) in units.iter().enumerate() {
        // A single ideograph is often a word, so a query for it must match.
        if units.len() == 1 || text[unit.clone()].starts_with(is_han) {
            visit(piece(unit.clone()));
        }
        if let Some(next) = units.get(index + 1) {
            visit(piece(unit.start..next.end));
        }
    }
}

/// Emits a compound of hyphenated words followed by its parts, or the word itself if it has only one part.
fn joined_pieces(text: &str, words: &[Range<usize>], visit: &mut impl FnMut(Piece) -> bool) {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
    let whole = trim(text, first.start..last.end);
    let mut parts = Vec::new();
    for word in words {
        split(text, word.start..word.end.min(whole.end), &mut parts);
    }
    let acronym = is_acronym(&text[whole.clone()]);
    if parts.len() < 2 {
        visit(Piece::word(whole, acronym));
        return;
    }
    let goes_on = words.len() > JOINED_WORDS_MAX
        || whole.len() > JOINED_BYTES_MAX
        || visit(Piece::word(whole, acronym));
    if goes_on {
        for part in parts {
            if is_worth_a_term(text, &part) {
                visit(Piece::word(part.clone(), is_acronym(&text[part])));
            }
        }
    }
}

/// Strips a possessive ending or the plural of an acronym, and adds signs that belong to the name: "C++".
fn trim(text: &str, word: Range<usize>) -> Range<usize> {
    let source = &text[word.clone()];
    if source.len() == 1 && source.as_bytes()[0].is_ascii_alphabetic() {
        let after = &text[word.end..];
        let sign = ["++", "#"].into_iter().find(|sign| after.starts_with(sign));
        return word.start..word.end + sign.map_or(0, str::len);
    }
    let possessive = ["'s", "’s", "'S", "’S"].into_iter().find(|ending| source.ends_with(ending));
    let end = word.end - possessive.map_or(0, str::len);
    let capitals = text[word.start..end].strip_suffix('s').unwrap_or_default();
    if capitals.len() > 1 && capitals.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return word.start..end - 1;
    }
    if end > word.start { word.start..end } else { word }
}

/// Splits a word at separators, at camel-case boundaries, and between letters and digits.
fn split(text: &str, word: Range<usize>, parts: &mut Vec<Range<usize>>) {
    if word.start >= word.end {
        return;
    }
    let source = &text[word.clone()];
    let mut start = word.start;
    let mut letters = 0;
    let mut before = ' ';
    let mut characters = source.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let at = word.start + offset;
        let next = characters.peek().map(|(_, next)| *next);
        if is_joint(before, character, next) {
            push(parts, start..at);
            start = at + character.len_utf8();
            letters = 0;
        } else if is_hump(before, character, next) || (letters > 1 && character.is_ascii_digit()) {
            push(parts, start..at);
            start = at;
            letters = 0;
        }
        letters = if character.is_alphabetic() { letters + 1 } else { 0 };
        before = character;
    }
    push(parts, start..word.end);
}

fn push(parts: &mut Vec<Range<usize>>, part: Range<usize>) {
    if !part.is_empty() {
        parts.push(part);
    }
}

/// Returns whether a character inside a word is only a separator. Points and commas inside numbers belong to the
/// number.
fn is_joint(before: char, character: char, next: Option<char>) -> bool {
    let in_number = before.is_ascii_digit() && next.is_some_and(|next| next.is_ascii_digit());
    match character {
        '.' | ',' if in_number => false,
        _ => !character.is_alphanumeric() && !is_combining_mark(character) && !is_invisible(character),
    }
}

/// Soft hyphens, joiners and direction marks.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Returns whether a capital letter starts a new part: `authModule`, `HTTPServer`.
fn is_hump(before: char, character: char, next: Option<char>) -> bool {
    character.is_uppercase()
        && (before.is_lowercase() || (before.is_uppercase() && next.is_some_and(char::is_lowercase)))
}

/// Returns whether a part is a useful term. Single letters are useful only next to a hyphen or underscore.
fn is_worth_a_term(text: &str, part: &Range<usize>) -> bool {
    let is_apart = |neighbour: Option<char>| matches!(neighbour, Some('-' | '_' | '\u{2010}' | '\u{2011}'));
    let source = &text[part.clone()];
    source.chars().nth(1).is_some()
        || source.starts_with(|first: char| first.is_ascii_digit())
        || is_apart(text[..part.start].chars().next_back())
        || is_apart(text[part.end..].chars().next())
}

fn is_acronym(word: &str) -> bool {
    (2..=5).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Returns whether a character is Han, kana, Hangul, or belongs to a script of mainland South-East Asia. Hangul uses
/// spaces, but attaches particles to words; pairs of syllables match despite them.
fn is_unspaced(character: char) -> bool {
    character >= '\u{0e00}'
        && (is_han(character)
            || matches!(
                character,
                '\u{0e00}'..='\u{0eff}'        // Thai, Lao
                    | '\u{1000}'..='\u{109f}'  // Myanmar
                    | '\u{1100}'..='\u{11ff}'  // Hangul jamo
                    | '\u{1780}'..='\u{17ff}'  // Khmer
                    | '\u{3041}'..='\u{30ff}'  // kana
                    | '\u{3130}'..='\u{318f}'  // Hangul compatibility jamo
                    | '\u{31f0}'..='\u{31ff}'  // kana extensions
                    | '\u{a960}'..='\u{a97f}'
                    | '\u{ac00}'..='\u{d7ff}'  // Hangul syllables
                    | '\u{ff66}'..='\u{ff9f}' // half-width kana
            ))
}

fn is_han(character: char) -> bool {
    matches!(
        character,
        '\u{3005}' | '\u{3007}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}
