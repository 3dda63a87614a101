//! Folds words that differ only in form, case or diacritics into one spelling.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::segment::Piece;

/// Appends the folded text of a piece.
pub(super) fn fold(text: &str, piece: &Piece, folded: &mut String) {
    let source = &text[piece.start..piece.end];
    if piece.is_unspaced && !source.is_ascii() {
        folded.extend(source.nfkc());
    } else {
        fold_word(source, folded);
    }
}

/// Appends a folded word.
pub(super) fn fold_word(word: &str, folded: &mut String) {
    if word.is_ascii() { fold_ascii(word.as_bytes(), folded) } else { fold_unicode(word, folded) }
}

/// Lower-cases letters and drops separators. A point between digits is kept, so that 3.14 differs from 314.
fn fold_ascii(source: &[u8], folded: &mut String) {
    for (at, byte) in source.iter().enumerate() {
        let keeps = match byte {
            b'.' => is_between_digits(source, at),
            // "c++" and "c#" are separate pieces.
            b'+' | b'#' => true,
            other => other.is_ascii_alphanumeric(),
        };
        if keeps {
            folded.push(char::from(byte.to_ascii_lowercase()));
        }
    }
}

fn is_between_digits(source: &[u8], at: usize) -> bool {
    at > 0 && source[at - 1].is_ascii_digit() && source.get(at + 1).is_some_and(u8::is_ascii_digit)
}

fn fold_unicode(source: &str, folded: &mut String) {
    let mut base = ' ';
    let mut characters = source.chars().flat_map(char::to_lowercase).nfkd().peekable();
    while let Some(character) = characters.next() {
        if is_combining_mark(character) {
            if !is_dropped_mark(base, character) {
                folded.push(character);
            }
            continue;
        }
        let is_point =
            character == '.' && base.is_ascii_digit() && characters.peek().is_some_and(char::is_ascii_digit);
        if character.is_alphanumeric() || is_point {
            push_letter(character, folded);
        }
        base = character;
    }
}

/// Returns whether a mark is usually omitted in everyday writing.
fn is_dropped_mark(base: char, mark: char) -> bool {
    match mark {
        // Hebrew points, Arabic vowel signs.
        '\u{0591}'..='\u{05c7}' | '\u{064b}'..='\u{0652}' | '\u{0670}' => true,
        // Cyrillic ё. The breve of й is kept, because it makes a different letter.
        '\u{0308}' if base == 'е' => true,
        _ => matches!(base, ' '..='\u{03ff}' | '\u{1e00}'..='\u{1fff}'),
    }
}

/// Appends a letter. Replaces letters that have no Unicode decomposition with their base letters, and applies case
/// folding beyond lower-casing.
fn push_letter(letter: char, folded: &mut String) {
    let plain = match letter {
        'ł' => "l",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ŧ' => "t",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ς' => "σ",
        // The Arabic tatweel only stretches a line.
        '\u{0640}' => "",
        other => {
            // Compatibility forms, such as mathematical letters, can decompose to capitals.
            folded.extend(other.to_lowercase());
            return;
        }
    };
    folded.push_str(plain);
}
