//! Makes characters visible that a terminal would act on. Documents, names, keys, file names and replies of endpoints
//! are untrusted text: escape sequences in them can write to the clipboard or reverse the direction of a line.

use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write},
};

/// Replaces control characters, except line breaks and tabs, and characters that change text direction, with visible
/// marks.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, |character, shown| match u32::from(character) {
        control @ 0..=0x1f => shown.push(char::from_u32(0x2400 + control).unwrap_or('\u{2426}')),
        0x7f => shown.push('\u{2421}'),
        other => {
            let _ = write!(shown, "<U+{other:04X}>");
        }
    })
}

/// Escapes the same characters in JSON. They can occur only inside strings.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    replaced(json, |character, escaped| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(escaped, "\\u{unit:04x}");
        }
    })
}

fn replaced(text: &str, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if acts(character) {
            write(character, &mut replaced);
        } else {
            replaced.push(character);
        }
    }
    Cow::Owned(replaced)
}

/// Whether a terminal acts on a character instead of showing it.
fn acts(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

/// A writer to a terminal, for text that arrives in pieces.
pub(crate) struct Shown<W: Write> {
    writer: W,
    /// An incomplete character at the end of the last piece.
    pending: Vec<u8>,
}

impl<W: Write> Shown<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, pending: Vec::new() }
    }
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let mut chunks = pending.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.writer.write_all(visible(chunk.valid()).as_bytes())?;
            if chunks.peek().is_none() && chunk.invalid().len() < 4 {
                self.pending = chunk.invalid().to_vec();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Shown, escaped, visible};

    #[test]
    fn what_acts_is_shown_and_text_stays() {
        assert_eq!(visible("a\u{1b}]52;c;eA==\u{7}b"), "a␛]52;c;eA==␇b");
        assert_eq!(visible("\u{9b}31m\u{7f}\r\u{202e}gpj\u{2069}"), "<U+009B>31m␡␍<U+202E>gpj<U+2069>");
        assert_eq!(visible("Żuławy\n\tשלום नमस्ते 👨\u{200d}👩"), "Żuławy\n\tשלום नमस्ते 👨\u{200d}👩");
    }

    #[test]
    fn escapes_are_read_back() {
        let text = "a\u{1b}\u{9b}\u{202e}\u{e0041}\u{7f}";
        let json = serde_json::to_string(text).unwrap();
        let escaped = escaped(&json);
        assert!(escaped.is_ascii(), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn pieces_are_put_together() {
        let mut out = Vec::new();
        let mut shown = Shown::new(&mut out);
        for byte in "ż\u{9b}\u{202e}é".bytes() {
            shown.write_all(&[byte]).unwrap();
        }
        assert_eq!(String::from_utf8(out).unwrap(), "ż<U+009B><U+202E>é");
    }
}
