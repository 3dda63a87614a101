//! The text of PDF files.

use super::ReadProblem;
use crate::document::Document;
use std::path::Path;

/// Extracts the text of a PDF file, with words that were hyphenated at line ends joined again.
#[cfg(feature = "pdf")]
pub(super) fn document(path: &Path, bytes: &[u8]) -> Result<Document, ReadProblem> {
    if !has_header(bytes) {
        return Err(ReadProblem::new(path, None, "not a PDF file", "give it the extension of its format"));
    }
    let text = pdf_extract::extract_text_from_mem(bytes).map_err(|error| {
        let mend = "open it and save it again, or convert it to text";
        ReadProblem::new(path, None, format!("can't read the PDF file: {error}"), mend)
    })?;
    let text = unwrap_lines(&text);
    if !text.contains(char::is_alphanumeric) {
        let what = "no text in this PDF file: its pages are pictures or empty";
        let mend = "run OCR on it first, for example with ocrmypdf";
        return Err(ReadProblem::new(path, None, what, mend));
    }
    Ok(Document::new("", text))
}

/// Reports that this build can't read PDF files.
#[cfg(not(feature = "pdf"))]
pub(super) fn document(path: &Path, _: &[u8]) -> Result<Document, ReadProblem> {
    let mend = "build with the feature `pdf`, or convert the file to text";
    Err(ReadProblem::new(path, None, "this build can't read PDF files", mend))
}

/// The header may stand anywhere in the first kilobyte.
#[cfg(feature = "pdf")]
fn has_header(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(1024)].windows(5).any(|window| window == b"%PDF-")
}

/// Joins words that a line end parted, and drops the white space at line ends.
#[cfg(feature = "pdf")]
fn unwrap_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut lines = text.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().map(|next| next.trim_start()).unwrap_or_default();
        match line.strip_suffix('-') {
            Some(part) if part.ends_with(char::is_lowercase) && next.starts_with(char::is_lowercase) => {
                joined.push_str(part);
            }
            _ => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    joined
}
