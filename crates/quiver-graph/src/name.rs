//! Names of entities, in any script.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Normalises a name to the form that its identity is derived from: compatibility forms unified (NFKC), case folded,
/// dashes and apostrophes made plain, white space folded, quotation marks and closing punctuation around it dropped.
///
/// Letters of every script and accents are kept: they tell names apart. A name of nothing but punctuation keeps it,
/// so no visible name normalises to the empty one.
pub fn normalise(name: &str) -> String {
    let folded: String =
        name.nfkc().default_case_fold().nfkc().filter(|c| !is_invisible(*c)).map(plain).collect();
    let words = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = words.trim_start_matches(is_quotation).trim_end_matches(is_closing).trim();
    if bare.is_empty() { words } else { bare.to_owned() }
}

/// Characters that are not seen: zero-width and joining ones, soft hyphens, direction marks, the byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
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
