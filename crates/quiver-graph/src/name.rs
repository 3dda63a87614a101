//! Normalisation of entity names, in any script.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Normalises a name to the form from which entity IDs are derived. Applies NFKC and case folding, unifies dashes and
/// apostrophes, collapses white space, and strips quotation marks and trailing punctuation.
///
/// Letters of every script and their accents are kept, since they distinguish names. A name of punctuation only is
/// kept too, so no visible name normalises to the empty string. Normalisation is idempotent.
pub fn normalise(name: &str) -> String {
    if name.is_ascii() {
        return trimmed(ascii_words(name));
    }
    // Invisible characters are removed first, since they would separate a letter from its accent. Punctuation is
    // unified both before NFKC, which would decompose a spacing accent into a space, and after it, since
    // compatibility forms contain punctuation too.
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

/// Normalises runs of words that begin at the same place of a text, each longer than the one before. What they have in
/// common is normalised once.
#[derive(Debug)]
pub struct Runs<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    /// The words so far, if all of them are ASCII.
    words: String,
    is_ascii: bool,
    /// The normalised run, if not all of it is ASCII.
    other: String,
}

impl<'a> Runs<'a> {
    /// Prepares to normalise runs of a text.
    pub fn of(text: &'a str) -> Self {
        Self { text, start: 0, end: 0, words: String::new(), is_ascii: true, other: String::new() }
    }

    /// Moves to another start, in bytes.
    pub fn begin(&mut self, start: usize) {
        (self.start, self.end, self.is_ascii) = (start, start, true);
        self.words.clear();
    }

    /// Returns the run up to this end, in bytes, as [`normalise`] does. The end must not be before the previous one.
    pub fn up_to(&mut self, end: usize) -> &str {
        let more = &self.text[self.end..end];
        self.end = end;
        self.is_ascii = self.is_ascii && more.is_ascii();
        if !self.is_ascii {
            self.other = normalise(&self.text[self.start..end]);
            return &self.other;
        }
        add_ascii_words(&mut self.words, more);
        let words = self.words.trim_end();
        let bare = bare(words);
        if bare.is_empty() { words } else { bare }
    }
}

/// Fast path for ASCII names, equivalent to the general path: words in lower case, joined by single spaces.
fn ascii_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    add_ascii_words(&mut words, name);
    words.truncate(words.trim_end().len());
    words
}

fn add_ascii_words(words: &mut String, more: &str) {
    for byte in more.bytes() {
        // Control characters are treated as in the general path: as white space, or kept.
        match char::from(byte) {
            c if c.is_whitespace() => {
                if !words.is_empty() && !words.ends_with(' ') {
                    words.push(' ');
                }
            }
            c => words.push(plain(c.to_ascii_lowercase())),
        }
    }
}

/// Strips quotation marks around a name and punctuation at its end.
fn bare(words: &str) -> &str {
    words.trim_start_matches(|c| c == ' ' || is_quotation(c)).trim_end_matches(|c| c == ' ' || is_closing(c))
}

fn trimmed(words: String) -> String {
    let bare = bare(&words);
    if bare.len() == words.len() || bare.is_empty() { words } else { bare.to_owned() }
}

/// Whether a character is invisible: zero-width and joining characters, soft hyphens, direction marks and isolates,
/// variation selectors, the byte order mark.
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
