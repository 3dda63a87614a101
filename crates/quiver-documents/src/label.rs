//! Labelled values in text: lines such as `Author: Ann Lee` at the head of letters, minutes and proposals, and table
//! rows as sentences, `Service: gateway; Port: 8443.`

/// Minimum number of lines.
const LINES_LEAST: usize = 3;
/// Maximum number of words of a label.
const LABEL_WORDS_MAX: usize = 3;
/// Minimum number of words of a value that may be a sentence.
const SENTENCE_WORDS_LEAST: usize = 4;
/// Maximum length of a row. A longer one is a record with prose in it.
const ROW_BYTES_MAX: usize = 1000;

/// Returns the label and the value of a line: "Status: accepted", "- **Post-History**: 5 July", ":Author: Ann Lee".
pub fn label(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['-', '*', '+', ':', ' ']);
    let (label, value) = line.split_once(':')?;
    let value = value.trim_start_matches(['*', '_']);
    let label = label.trim_matches(|c: char| matches!(c, '*' | '_' | ' '));
    let is_label = (1..=LABEL_WORDS_MAX).contains(&label.split_whitespace().count())
        && label.starts_with(char::is_uppercase)
        && label.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '/' | '\''));
    let is_apart = value.is_empty() || value.starts_with(char::is_whitespace);
    (is_label && is_apart).then(|| (label, value.trim()))
}

/// Returns the lines of a paragraph if each has a label, plain or as list items. An indented line continues the
/// previous one.
pub fn labelled(paragraph: &str) -> Option<Vec<(&str, String)>> {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for line in paragraph.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with([' ', '\t']) {
            let (_, value) = lines.last_mut()?;
            value.push(' ');
            value.push_str(line.trim());
        } else {
            let (label, value) = label(line)?;
            lines.push((label, value.to_owned()));
        }
    }
    // "Ann: How are you?", "Q: What is a loom?" are speech.
    let is_speech = |(at, (label, value)): (usize, &(&str, String))| {
        let is_sentence = value.ends_with('.') && value.split_whitespace().count() >= SENTENCE_WORDS_LEAST;
        is_sentence || value.ends_with(['?', '!']) || lines[..at].iter().any(|(known, _)| known == label)
    };
    let is_head = lines.len() >= LINES_LEAST && !lines.iter().enumerate().any(is_speech);
    is_head.then_some(lines)
}

/// Returns whether a value is a number and nothing else.
pub fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a row as one sentence: `Service: gateway; Port: 8443.` Omits empty values, and the names of columns without
/// one. Returns an empty text if the row has no values.
pub(crate) fn sentence<'c>(
    names: impl IntoIterator<Item = &'c str>,
    values: impl IntoIterator<Item = &'c str>,
) -> String {
    let mut sentence = String::new();
    let names = names.into_iter().map(str::trim).chain(std::iter::repeat(""));
    for (name, value) in names.zip(values) {
        let mut words = value.split_whitespace().peekable();
        if words.peek().is_none() {
            continue;
        }
        if !sentence.is_empty() {
            sentence.push_str("; ");
        }
        if !name.is_empty() {
            sentence.push_str(name);
            sentence.push_str(if name.ends_with(':') { " " } else { ": " });
        }
        let start = sentence.len();
        for word in words {
            if sentence.len() > start {
                sentence.push(' ');
            }
            sentence.push_str(word);
        }
    }
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '。', '！', '？']) {
        sentence.push('.');
    }
    sentence
}

/// Returns the values of a row from a table, each with the name of its column; `None` if the text is not such a row.
pub fn cells(row: &str) -> Option<Vec<(&str, String)>> {
    if row.len() > ROW_BYTES_MAX || row.contains('\n') {
        return None;
    }
    let mut cells: Vec<(&str, String)> = Vec::new();
    for part in row.strip_suffix('.').unwrap_or(row).split("; ") {
        match (part.split_once(": ").filter(|(name, _)| is_name(name)), cells.last_mut()) {
            (Some((name, value)), _) => cells.push((name, value.to_owned())),
            // A value may have a semicolon of its own.
            (None, Some((_, value))) => {
                value.push_str("; ");
                value.push_str(part);
            }
            (None, None) => return None,
        }
    }
    (cells.len() >= 2).then_some(cells)
}

/// Whether a text may be a column name.
fn is_name(text: &str) -> bool {
    text.len() <= 40
        && (1..=5).contains(&text.split_whitespace().count())
        && text.contains(char::is_alphabetic)
        && !text.contains(['.', ',', '!', '?', ':', '"', '“', '”', '[', ']', '{', '}'])
}

#[cfg(test)]
mod tests {
    use super::{cells, sentence};

    #[test]
    fn the_cells_of_a_row_are_read_as_they_were_written() {
        let (names, values) =
            (["Setting", "Description", "Default"], ["speed", "How fast; in turns.", "40 rpm"]);
        let row = sentence(names, values);
        let read = cells(&row).expect("a row");
        let read: Vec<(&str, &str)> = read.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(read, names.into_iter().zip(values).collect::<Vec<_>>());
        for other in ["The gateway listens on 8443; the cache does not.", "Note: it is slow.", "a: 1;\nb: 2."]
        {
            assert_eq!(cells(other), None, "{other}");
        }
    }

    #[test]
    fn a_row_says_what_each_value_is() {
        assert_eq!(sentence(["Service", "Port"], ["gateway", "8443"]), "Service: gateway; Port: 8443.");
        assert_eq!(sentence(["a", "b:", ""], [" ", "two\n words", "three!"]), "b: two words; three!");
        assert_eq!(sentence(["a"], ["one", "two"]), "a: one; two.");
        assert_eq!(sentence(["a"], [""]), "");
    }
}
