//! The text of EPUB books: their chapters in order, with headings as in Markdown.

use super::{
    ReadProblem,
    archive::{Archive, broken},
    html, with_headings,
    xml::{Piece, attribute, first_text, pieces},
};
use crate::document::Document;
use std::{collections::HashMap, path::Path};

pub(super) fn document(path: &Path, bytes: &[u8], bytes_max: u64) -> Result<Document, ReadProblem> {
    let wrong = || broken(path, "EPUB book");
    let mut archive = Archive::open(bytes, bytes_max).ok_or_else(wrong)?;
    let container = archive.text("META-INF/container.xml").ok_or_else(wrong)?;
    let mut package = None;
    pieces(&container, |piece| {
        if let Piece::Start("rootfile", tag) = piece {
            package = package.take().or_else(|| attribute(tag, "full-path"));
        }
    });
    let package = package.ok_or_else(wrong)?;
    let content = archive.text(&package).ok_or_else(wrong)?;
    let folder = package.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let mut text = String::new();
    for chapter in chapters(&content) {
        let page = archive.text(&format!("{folder}{chapter}")).ok_or_else(wrong)?;
        text.push_str(&html::document(&page).text);
        text.push('\n');
    }
    Ok(with_headings(text, first_text(&content, "dc:title")))
}

/// The files of a book's chapters, in the order of reading.
fn chapters(content: &str) -> Vec<String> {
    let (mut files, mut order) = (HashMap::new(), Vec::new());
    pieces(content, |piece| match piece {
        Piece::Start("item", tag) => files.extend(attribute(tag, "id").zip(attribute(tag, "href"))),
        Piece::Start("itemref", tag) => order.extend(attribute(tag, "idref")),
        _ => {}
    });
    let chapter = |id: String| Some(decoded(files.get(&id)?.split('#').next()?));
    order.into_iter().filter_map(chapter).collect()
}

/// A path with its escaped bytes as they are.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = (byte == b'%').then(|| after.get(..2)).flatten();
        let escaped =
            escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
