//! Names of entities, in any script.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Normalises a name to the form that its identity is derived from: compatibility forms unified (NFKC), case folded,
/// dashes and apostrophes made plain, white space folded, quotation marks and closing punctuation around it dropped.
///
/// Letters of every script and accents are kept: they tell names apart. A name of nothing but punctuation keeps it,
/// so no visible name normalises to the empty one. Normalising twice changes nothing.
pub fn normalise(name: &str) -> String {
    if name.is_ascii() {
        return trimmed(ascii_words(name));
    }
    // What is not seen goes first, for it would keep a letter and its accent apart. Punctuation is made plain before
    // the compatibility forms are unified, which would take a free-standing accent for a space, and after it, for
    // those forms hold punctuation too.
    let folded: String = name
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(plain)
        .nfkc()
        .default_case_fold()
        .nfkc()
        .filter(|c| !is_invisible(*c))
        .map(plain)
        .collect();
    trimmed(folded.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The words of a plain name in lower case, one space between them: all that the general way does to it, quicker.
fn ascii_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for byte in name.bytes() {
        // Control characters below the space are white space here as they are there, or kept as they are there.
        match char::from(byte) {
            c if c.is_whitespace() => {
                if !words.is_empty() && !words.ends_with(' ') {
                    words.push(' ');
                }
            }
            c => words.push(plain(c.to_ascii_lowercase())),
        }
    }
    words.truncate(words.trim_end().len());
    words
}

fn trimmed(words: String) -> String {
    let bare = words
        .trim_start_matches(|c| c == ' ' || is_quotation(c))
        .trim_end_matches(|c| c == ' ' || is_closing(c));
    if bare.len() == words.len() || bare.is_empty() { words } else { bare.to_owned() }
}

/// Characters that are not seen: zero-width and joining ones, soft hyphens, direction marks and isolates, variation
/// selectors, the byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    )
}

fn plain(c: char) -> char {
    match c {
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        '‘' | '’' | 'ʼ' | '`' | '´' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        c => c,
    }
}

fn is_quotation(c: char) -> bool {
    matches!(c, '"' | '\'' | '「' | '」' | '『' | '』' | '《' | '》')
}

fn is_closing(c: char) -> bool {
    is_quotation(c) || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '。' | '、')
}

#[cfg(test)]
mod tests;
