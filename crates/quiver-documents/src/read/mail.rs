//! E-mail: a message a file, or many in a mailbox. Of a message its own text is read, and not what is attached to it or
//! quoted in it.

use super::{Place, ReadProblem, fold, html, place::key_of_record, record::Record};
use crate::{
    document::{Document, Format},
    label::sentence,
};
use jiff::fmt::rfc2822::DateTimeParser;
use std::path::Path;

mod quoted;

/// How deep within one another the parts of a message are read.
const PARTS_DEPTH_MAX: usize = 8;

/// Reads one message.
pub(super) fn message(path: &Path, bytes: &[u8]) -> Result<Document, ReadProblem> {
    let wrong = || {
        let mend = "name the file .txt if it is text, or omit it";
        ReadProblem::new(path, None, "not an e-mail: it does not begin with a header", mend)
    };
    read(bytes).ok_or_else(wrong)
}

/// Reads the messages of a mailbox. A line that begins with `From ` after an empty one begins a message.
pub(super) fn messages(
    path: &Path,
    key: &str,
    bytes: &[u8],
) -> Result<Vec<Result<Record, ReadProblem>>, ReadProblem> {
    if !bytes.starts_with(b"From ") {
        let mend = "name the file .eml if it is a single message, or omit it";
        return Err(ReadProblem::new(path, None, "not a mailbox: it does not begin with `From `", mend));
    }
    let mut starts: Vec<usize> = vec![0];
    starts.extend((1..bytes.len()).filter(|at| {
        bytes[*at..].starts_with(b"From ")
            && (bytes[..*at].ends_with(b"\n\n") || bytes[..*at].ends_with(b"\n\r\n"))
    }));
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let records = (1..).zip(starts.iter().copied().zip(ends)).map(|(number, (start, end))| {
        let place = Some(Place::Record(number));
        let after_line =
            bytes[start..end].iter().position(|byte| *byte == b'\n').map_or(end, |at| start + at + 1);
        let Some(mut document) = read(&bytes[after_line..end]) else {
            return Err(ReadProblem::new(
                path,
                place,
                "not an e-mail: it does not begin with a header",
                "omit it",
            ));
        };
        if !document.text.contains(char::is_alphanumeric) {
            return Err(ReadProblem::empty(path, place));
        }
        let id = document.metadata.get("message_id").and_then(|id| id.as_str()).map(str::to_owned);
        let named = id.is_some();
        let id = id.unwrap_or_else(|| blake3::hash(document.text.as_bytes()).to_hex()[..16].to_owned());
        document.key = key_of_record(key, &id);
        Ok(Record { document, source: path.to_owned(), place, named })
    });
    Ok(records.collect())
}

fn read(bytes: &[u8]) -> Option<Document> {
    let part = Part::of(bytes)?;
    let known = ["from", "to", "subject", "date", "message-id"];
    if !known.iter().any(|name| part.header(name).is_some()) {
        return None;
    }
    let header = |name: &str| part.header(name).map(decoded_words).filter(|value| !value.is_empty());
    let mut document = Document { title: header("subject"), format: Format::Markdown, ..Document::default() };
    document.time = header("date").and_then(|date| {
        let parser = DateTimeParser::new();
        Some(parser.parse_timestamp(date.trim()).ok()?.as_millisecond())
    });
    let names = ["From", "To", "Cc"];
    let people = names.map(|name| header(&name.to_lowercase()).unwrap_or_default());
    let who = sentence(names, people.iter().map(String::as_str));
    let body = quoted::own_text(part.text(0).unwrap_or_default());
    if body.contains(char::is_alphanumeric) {
        document.text = if who.is_empty() { body } else { format!("{who}\n\n{body}") };
    }
    for (name, value) in [("from", "from"), ("to", "to"), ("cc", "cc"), ("message_id", "message-id")] {
        if let Some(value) = header(value) {
            let value = if name == "message_id" { value.trim_matches(['<', '>']).to_owned() } else { value };
            document.metadata.insert(name.to_owned(), value.into());
        }
    }
    Some(document)
}

/// A message, or a part of one.
struct Part<'b> {
    headers: Vec<(String, String)>,
    body: &'b [u8],
}

impl<'b> Part<'b> {
    fn of(bytes: &'b [u8]) -> Option<Self> {
        let mut headers: Vec<(String, String)> = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
            let line = String::from_utf8_lossy(&rest[..end]).trim_end().to_owned();
            rest = &rest[end..];
            if line.is_empty() {
                break;
            }
            if line.starts_with([' ', '\t']) {
                let (_, value) = headers.last_mut()?;
                value.push(' ');
                value.push_str(line.trim());
                continue;
            }
            let (name, value) = line.split_once(':')?;
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
                return None;
            }
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        (!headers.is_empty()).then_some(Self { headers, body: rest })
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// What a field of the content's type says.
    fn of_type(&self, field: &str) -> Option<String> {
        let content_type = self.header("content-type")?;
        let at = content_type.to_ascii_lowercase().find(&format!("{field}="))?;
        let value = &content_type[at + field.len() + 1..];
        let value = match value.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => value.split([';', ' ']).next(),
        };
        value.map(str::to_owned)
    }

    /// The plain text of a message, or else that of its page.
    fn text(&self, depth: usize) -> Option<String> {
        let kind = self.header("content-type").unwrap_or("text/plain").to_ascii_lowercase();
        let is_attached = self
            .header("content-disposition")
            .is_some_and(|how| how.to_lowercase().starts_with("attachment"));
        if is_attached || depth > PARTS_DEPTH_MAX {
            return None;
        }
        if kind.starts_with("multipart/") {
            let parts = self.parts(&self.of_type("boundary")?);
            let texts = || parts.iter().filter_map(|part| Part::of(part));
            if kind.starts_with("multipart/alternative") {
                let plain = texts().filter(|part| !part.is_page()).find_map(|part| part.text(depth + 1));
                return plain.or_else(|| texts().find_map(|part| part.text(depth + 1)));
            }
            let all: Vec<String> = texts().filter_map(|part| part.text(depth + 1)).collect();
            return (!all.is_empty()).then(|| all.join("\n\n"));
        }
        if self.is_page() {
            return Some(html::document(&quoted::with_marks(&self.decoded())).text);
        }
        kind.starts_with("text/").then(|| self.decoded().replace("\r\n", "\n"))
    }

    fn is_page(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/html"))
    }

    /// What stands between the boundaries.
    fn parts(&self, boundary: &str) -> Vec<&'b [u8]> {
        let mark = format!("--{boundary}");
        let mut parts = Vec::new();
        let mut open = None;
        let mut at = 0;
        for line in self.body.split_inclusive(|byte| *byte == b'\n') {
            if line.starts_with(mark.as_bytes()) {
                parts.extend(open.take().and_then(|start| self.body.get(start..at)));
                let is_last = line[mark.len()..].starts_with(b"--");
                open = (!is_last).then_some(at + line.len());
            }
            at += line.len();
        }
        parts.extend(open.and_then(|start| self.body.get(start..)));
        parts
    }

    fn decoded(&self) -> String {
        let encoding = self.header("content-transfer-encoding").unwrap_or_default().to_ascii_lowercase();
        let bytes = match encoding.as_str() {
            "base64" => from_base64(self.body),
            "quoted-printable" => from_quoted(self.body),
            _ => self.body.to_vec(),
        };
        text_of(bytes, self.of_type("charset").as_deref().unwrap_or("utf-8"))
    }
}

/// Bytes in one of the usual character sets; what is no UTF-8 is read as the Latin alphabet.
fn text_of(bytes: Vec<u8>, charset: &str) -> String {
    let is_latin = |charset: &str| {
        charset.eq_ignore_ascii_case("iso-8859-1") || charset.eq_ignore_ascii_case("windows-1252")
    };
    match String::from_utf8(bytes) {
        Ok(text) if !is_latin(charset) || text.is_ascii() => text,
        Ok(text) => text.into_bytes().into_iter().map(char::from).collect(),
        Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
    }
}

fn from_base64(bytes: &[u8]) -> Vec<u8> {
    let (mut decoded, mut bits, mut number) = (Vec::with_capacity(bytes.len() / 4 * 3), 0, 0_u32);
    for byte in bytes {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        number = (number << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            decoded.push((number >> bits).to_le_bytes()[0]);
        }
    }
    decoded
}

fn from_quoted(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'=' {
            decoded.push(byte);
        } else if let Some(next) = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n")) {
            rest = next;
        } else if let Some(value) = after.get(..2).and_then(hexadecimal) {
            decoded.push(value);
            rest = &after[2..];
        } else {
            decoded.push(byte);
        }
    }
    decoded
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// A header with its encoded words as they are meant: `=?utf-8?Q?Gr=C3=BC=C3=9Fe?=` is `Grüße`.
fn decoded_words(value: &str) -> String {
    let mut text = String::new();
    let mut rest = value;
    let mut after_word = false;
    while let Some(start) = rest.find("=?") {
        let Some((word, after)) = encoded_word(&rest[start..]) else {
            text.push_str(&rest[..start + 2]);
            rest = &rest[start + 2..];
            after_word = false;
            continue;
        };
        // White space between two encoded words is part of neither.
        if !after_word || !rest[..start].trim().is_empty() {
            text.push_str(&rest[..start]);
        }
        text.push_str(&word);
        rest = after;
        after_word = true;
    }
    text.push_str(rest);
    fold(&text)
}

fn encoded_word(text: &str) -> Option<(String, &str)> {
    let mut parts = text.strip_prefix("=?")?.splitn(3, '?');
    let (charset, how, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let (word, after) = rest.split_once("?=")?;
    let bytes = match how {
        "B" | "b" => from_base64(word.as_bytes()),
        "Q" | "q" => from_quoted(word.replace('_', " ").as_bytes()),
        _ => return None,
    };
    Some((text_of(bytes, charset), after))
}
