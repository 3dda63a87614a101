//! Bytes into text.

use super::{
    Place, ReadProblem, front_matter, head, html, markdown_html::without_html, picture::without_pictures,
    row::without_tables, with_headings,
};
use crate::{chunk::first_heading, document::Document};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::{ops::Range, path::Path};

/// Decodes UTF-8, or UTF-16 with a byte order mark, and drops the mark.
pub(super) fn decode(path: &Path, bytes: Vec<u8>) -> Result<String, ReadProblem> {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return decode_utf16(path, rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return decode_utf16(path, rest, u16::from_be_bytes);
    }
    if let Some(at) = bytes.iter().take(BINARY_BYTES).position(|byte| *byte == 0) {
        let mend = "convert it to text, Markdown, HTML or JSON, or omit it";
        return Err(ReadProblem::new(
            path,
            Some(Place::Byte(at)),
            "the file is binary, in an unknown format",
            mend,
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => Err(invalid(path, error.utf8_error().valid_up_to())),
    }
}

/// The ending that a file of such content would have: JSON, one object a line, HTML, or else Markdown.
pub(super) fn kind(bytes: &[u8]) -> String {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_json = |bytes: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    let is_page = || {
        let start = String::from_utf8_lossy(&text[..text.len().min(64)]).to_lowercase();
        start.starts_with("<!doctype html") || start.starts_with("<html")
    };
    match text.first() {
        Some(b'{' | b'[') if is_json(text) => "json",
        Some(b'{') if is_json(first_line) => "jsonl",
        Some(b'<') if is_page() => "html",
        _ => "md",
    }
    .to_owned()
}

/// Makes a document of Markdown. What its front matter says is no part of the text; without a title there, the first
/// heading is one.
pub(super) fn markdown(text: String) -> Document {
    let Some((front_matter, rest)) = front_matter::take(&text) else { return body(text) };
    let mut document = body(rest.to_owned());
    front_matter::apply(front_matter, &mut document);
    document
}

/// Makes a document of an HTML page, with its front matter read as that of Markdown is.
pub(super) fn page(text: &str) -> Document {
    let Some((front_matter, rest)) = front_matter::take(text) else { return html::document(text) };
    let mut document = html::document(rest);
    front_matter::apply(front_matter, &mut document);
    document
}

fn body(text: String) -> Document {
    let text = without_attributes(without_pictures(without_references(without_html(text))));
    let title = first_heading(&text);
    let (head, text) = (head::take(&text), without_tables(text));
    head::apply(&head, with_headings(text, title))
}

/// The text of Markdown without lists of attributes: those after a heading ("## Vats {#vats}", "## Vats {: .wide }") and
/// those that have a line of a paragraph for themselves ("{: .note }").
fn without_attributes(text: String) -> String {
    if ![" {#", " {.", "{:"].iter().any(|list| text.contains(list)) {
        return text;
    }
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                let heading = text[range.clone()].lines().next().unwrap_or_default().trim_end();
                let is_list = |at: &usize| heading[at + " {".len()..].starts_with(['#', '.', ':']);
                if let Some(at) = heading.rfind(" {").filter(|at| heading.ends_with('}') && is_list(at)) {
                    cuts.push(range.start + at..range.start + heading.len());
                }
            }
            Event::Start(Tag::Paragraph) => {
                let mut at = range.start;
                for line in text[range].split_inclusive('\n') {
                    let bare = line.trim();
                    if bare.starts_with("{:") && bare.ends_with('}') {
                        cuts.push(at..at + line.len());
                    }
                    at += line.len();
                }
            }
            _ => {}
        }
    }
    without(&text, cuts)
}

/// A text without these parts, which are in order.
fn without(text: &str, parts: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut copied = 0;
    for part in parts {
        kept.push_str(&text[copied..part.start]);
        copied = part.end;
    }
    kept.push_str(&text[copied..]);
    kept
}

/// The text of Markdown with the characters that its references stand for: `&mdash;`, `&#8212;`. Those in code stay,
/// and so do those of characters that Markdown would read as markup.
pub(super) fn without_references(text: String) -> String {
    if !text.contains('&') {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut copied = 0;
    for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        let Event::Text(character) = event else { continue };
        let (before, after) = (&text[..range.start], &text[range.end..]);
        let is_reference = text[range.clone()].starts_with('&') && *character != text[range.clone()];
        let stands_alone = before.ends_with(' ') && after.starts_with(' ');
        let is_markup = character.contains(|c: char| c.is_ascii_punctuation() && !"'\"".contains(c));
        if is_reference && (!is_markup || stands_alone && matches!(&*character, "&" | "<" | ">")) {
            kept.push_str(&text[copied..range.start]);
            kept.push_str(&character);
            copied = range.end;
        }
    }
    kept.push_str(&text[copied..]);
    kept
}

/// A text has no zero byte; a binary file has one among the first of this many bytes.
const BINARY_BYTES: usize = 8192;

pub(super) fn invalid(path: &Path, offset: usize) -> ReadProblem {
    let mend = "convert the file to UTF-8, for example with `iconv -f windows-1252 -t utf-8`";
    ReadProblem::new(path, Some(Place::Byte(offset)), "the text is not UTF-8", mend)
}

fn decode_utf16(path: &Path, bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, ReadProblem> {
    let units = bytes.chunks(2).map(|pair| unit([pair[0], pair.get(1).copied().unwrap_or(0)]));
    let mut text = String::with_capacity(bytes.len());
    let mut at = 2;
    for decoded in char::decode_utf16(units) {
        let Ok(c) = decoded else { return Err(invalid(path, at)) };
        at += c.len_utf16() * 2;
        text.push(c);
    }
    Ok(text)
}
