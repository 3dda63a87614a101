//! Finds text set off by markup: quotations, italic titles, links, code.

use crate::character::count_words;
use std::ops::Range;

/// The kind of a marked span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A quotation or a title.
    Quotation,
    /// Code or a link's text.
    Name,
}

/// A span between two marks.
#[derive(Debug)]
pub(crate) struct Marked {
    /// The range including the marks.
    pub(crate) outer: Range<usize>,
    /// The range without the marks.
    pub(crate) inner: Range<usize>,
    pub(crate) kind: Mark,
}

/// Maximum number of words in a quotation. Longer ones are speech, which is analysed like other text.
const QUOTED_WORDS_MAX: usize = 10;

/// Maximum length of a code span. Longer ones are programs.
const CODE_BYTES_MAX: usize = 60;

/// Maximum distance to a closing mark. Without a limit, a line of unpaired marks would take quadratic time.
const PARTNER_BYTES_MAX: usize = 2048;

/// Finds the marked spans of a sentence. They do not overlap.
pub(crate) fn marked(text: &str, sentence: &Range<usize>) -> Vec<Marked> {
    let mut found = Vec::new();
    let mut at = sentence.start;
    // A sentence may start or end inside a quotation. Unpaired marks are skipped.
    let mut closing_of_speech = usize::MAX;
    while let Some(c) = text[at..sentence.end].chars().next() {
        let next = at + c.len_utf8();
        if at == closing_of_speech || !OPENING.contains(c) {
            at = next;
            continue;
        }
        match pair(text, sentence, at, c) {
            Some(mark) if is_short(text, &mark) => {
                at = mark.outer.end;
                found.push(mark);
            }
            Some(mark) => {
                closing_of_speech = mark.inner.end;
                at = next;
            }
            None => at = next,
        }
    }
    found
}

const OPENING: &str = "\"“„«‘'「『《〈`[*_";

fn pair(text: &str, sentence: &Range<usize>, at: usize, open: char) -> Option<Marked> {
    let before = text[sentence.start..at].chars().next_back();
    let begins = before.is_none_or(|c| c.is_whitespace() || "([{—–-/“\"«:".contains(c));
    let from = at + open.len_utf8();
    let rest = &text[from..text.floor_char_boundary(sentence.end.min(from + PARTNER_BYTES_MAX))];
    let quoted = |close: &[char]| {
        let length = rest.find(close)?;
        let mark = rest[length..].chars().next()?;
        Some(whole(at, from..from + length, mark.len_utf8(), Mark::Quotation))
    };
    match open {
        // After a digit, the mark means inches or seconds.
        '"' if !before.is_some_and(char::is_numeric) => quoted(&['"']),
        '“' => quoted(&['”', '“']),
        '„' => quoted(&['“', '”']),
        '«' => quoted(&['»']),
        '「' => quoted(&['」']),
        '『' => quoted(&['』']),
        '《' => quoted(&['》']),
        '〈' => quoted(&['〉']),
        '‘' if begins => {
            closed_at_word_end(rest, '’').map(|n| whole(at, from..from + n, 3, Mark::Quotation))
        }
        '\'' if begins => {
            closed_at_word_end(rest, '\'').map(|n| whole(at, from..from + n, 1, Mark::Quotation))
        }
        '`' => rest.find('`').map(|n| whole(at, from..from + n, 1, Mark::Name)),
        '[' => link(rest, at, from),
        '*' | '_' if begins => emphasis(rest, at, open),
        _ => None,
    }
}

fn whole(at: usize, inner: Range<usize>, close: usize, kind: Mark) -> Marked {
    Marked { outer: at..inner.end + close, inner, kind }
}

/// Returns the length up to a closing mark at the end of a word, as opposed to an apostrophe.
fn closed_at_word_end(rest: &str, close: char) -> Option<usize> {
    if !rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    rest.match_indices(close).map(|(n, _)| n).find(|n| {
        let inside = rest[..*n].chars().next_back();
        let after = rest[n + close.len_utf8()..].chars().next();
        inside.is_some_and(|c| !c.is_whitespace()) && after.is_none_or(|c| !c.is_alphanumeric())
    })
}

/// Matches `[text](address)` and `[[page|text]]`.
fn link(rest: &str, at: usize, from: usize) -> Option<Marked> {
    if let Some(page) = rest.strip_prefix('[') {
        let length = page.find("]]")?;
        let start = page[..length].find('|').map_or(0, |bar| bar + 1);
        return Some(whole(at, from + 1 + start..from + 1 + length, 2, Mark::Name));
    }
    let length = rest.find(']')?;
    let address = rest[length + 1..].strip_prefix('(')?;
    let close = address.find(')')?;
    Some(whole(at, from..from + length, close + 3, Mark::Name))
}

/// Matches `*text*`, `_text_` and the doubled marks if the text looks like a title: it has a capital letter and is
/// not a label.
fn emphasis(rest: &str, at: usize, mark: char) -> Option<Marked> {
    let doubled = rest.starts_with(mark);
    let width = if doubled { 2 } else { 1 };
    let inner = &rest[width - 1..];
    if !inner.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let close = if doubled { format!("{mark}{mark}") } else { mark.to_string() };
    let length = inner.find(&close)?;
    let (title, after) = (&inner[..length], &inner[length + width..]);
    let closed =
        !title.ends_with([' ', ':']) && !after.starts_with(|c: char| c.is_alphanumeric() || c == ':');
    let from = at + width;
    (closed && title.contains(char::is_uppercase))
        .then(|| whole(at, from..from + length, width, Mark::Quotation))
}

fn is_short(text: &str, mark: &Marked) -> bool {
    let inner = &text[mark.inner.clone()];
    let short = match mark.kind {
        Mark::Name if text[mark.outer.clone()].starts_with('`') => {
            inner.len() <= CODE_BYTES_MAX && !inner.contains('\n')
        }
        _ => count_words(inner) <= QUOTED_WORDS_MAX.max(1),
    };
    short && inner.contains(char::is_alphanumeric)
}
