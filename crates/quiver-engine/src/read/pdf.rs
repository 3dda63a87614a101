//! The text of PDF files.

use super::ReadProblem;
use std::path::Path;

/// Extracts the text of a PDF file, with words that were hyphenated at line ends joined again.
#[cfg(feature = "pdf")]
pub(super) fn text(path: &Path, bytes: Vec<u8>) -> Result<String, ReadProblem> {
    if !has_header(&bytes) {
        return Err(ReadProblem::new(
            path,
            None,
            "the file is not a PDF file",
            "give it the ending of what it is",
        ));
    }
    // Broken files send the parser into panics and deep recursion, so it has a thread and a large stack of its own.
    let parser = std::thread::Builder::new()
        .name("pdf".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || pdf_extract::extract_text_from_mem(&bytes))
        .map_err(|error| ReadProblem::io(path, &error))?;
    let mend = "open it and save it again, or convert it to text";
    match parser.join() {
        Ok(Ok(text)) => Ok(unwrap_lines(&text)),
        Ok(Err(error)) => {
            Err(ReadProblem::new(path, None, format!("the PDF file can't be read: {error}"), mend))
        }
        Err(_) => Err(ReadProblem::new(
            path,
            None,
            "the PDF file is broken in a way its parser does not survive",
            mend,
        )),
    }
}

/// Reports that this build reads no PDF files.
#[cfg(not(feature = "pdf"))]
pub(super) fn text(path: &Path, _: Vec<u8>) -> Result<String, ReadProblem> {
    let mend = "build with the feature `pdf`, or convert the file to text";
    Err(ReadProblem::new(path, None, "this build reads no PDF files", mend))
}

#[cfg(feature = "pdf")]
const STACK_BYTES: usize = 64 << 20;

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
