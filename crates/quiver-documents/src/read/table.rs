//! Tables with a row a line: CSV and TSV.

use super::{Place, ReadProblem};
use crate::{
    document::{Document, Format},
    label::sentence,
};
use std::path::Path;

/// Reads a table whose first row names its columns. Each row becomes a paragraph that carries the names, because a row
/// alone says little: `Service: gateway; Port: 8443.`
///
/// # Errors
/// If a quotation mark opens a cell and does not close it, because the rest of the file would be that cell.
pub(super) fn document(path: &Path, text: &str, ending: &str) -> Result<Document, ReadProblem> {
    let delimiter = delimiter(text, ending);
    let unclosed = unclosed_quote(text, delimiter);
    // Tab-separated values need no quotation marks, so that a lone one is part of its value.
    if let Some(line) = unclosed.filter(|_| ending != "tsv") {
        let what = "a quotation mark opens a cell and does not close it";
        let mend = "close it, double each that belongs to the value, or name the file .txt";
        return Err(ReadProblem::new(path, Some(Place::Line(line, None)), what, mend));
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(unclosed.is_none())
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let wrong = |error: &csv::Error| {
        let line = error.position().and_then(|position| usize::try_from(position.line()).ok());
        let what = format!("not a valid table: {error}");
        ReadProblem::new(
            path,
            line.map(|line| Place::Line(line, None)),
            what,
            "correct the row, or name the file .txt",
        )
    };
    let names = reader.headers().map_err(|error| wrong(&error))?.clone();
    let mut rows = String::with_capacity(text.len() * 2);
    let mut uneven: Option<Uneven> = None;
    for row in reader.records() {
        let row = row.map_err(|error| wrong(&error))?;
        // A mark after the last cell adds an empty one.
        let is_even = row.len() == names.len()
            || names.len() < row.len() && row.iter().skip(names.len()).all(str::is_empty);
        if !is_even {
            let first = || Uneven { line: line_of(text, &row), cells: row.len(), rows: 0 };
            uneven.get_or_insert_with(first).rows += 1;
        }
        let sentence = sentence(&names, &row);
        if !sentence.is_empty() {
            rows.push_str(&sentence);
            rows.push_str("\n\n");
        }
    }
    // A table of one row is a list of names, or a line of text.
    if rows.is_empty() {
        text.clone_into(&mut rows);
    }
    let notes = uneven.map(|uneven| uneven.note(names.len())).into_iter().collect();
    Ok(Document { text: rows, format: Format::Plain, notes, ..Document::default() })
}

/// The rows that have more or fewer cells than there are columns.
struct Uneven {
    /// The line and the number of cells of the first.
    line: usize,
    cells: usize,
    rows: usize,
}

impl Uneven {
    fn note(&self, columns: usize) -> String {
        let Self { line, cells, rows } = self;
        let (which, mend) = match rows {
            1 => ("this row has".to_owned(), "correct it"),
            2 => ("this row and another have".to_owned(), "correct them"),
            _ => (format!("this row and {} others have", rows - 1), "correct them"),
        };
        let what = format!("{which} more or fewer cells than the first row: {cells} instead of {columns}");
        ReadProblem::note(Place::Line(*line, None), what, format!("{mend}, or quote values with separators"))
    }
}

/// The line in which a row begins. The reader counts the empty lines before a row to it.
fn line_of(text: &str, row: &csv::StringRecord) -> usize {
    let Some(position) = row.position() else { return 1 };
    let (line, byte) = (usize::try_from(position.line()), usize::try_from(position.byte()));
    let rest = text.as_bytes().get(byte.unwrap_or(usize::MAX)..).unwrap_or_default();
    let empty = rest.iter().take_while(|byte| b"\r\n".contains(byte)).filter(|byte| **byte == b'\n').count();
    line.unwrap_or(1) + empty
}

/// The line of the first quotation mark that opens a cell and does not close it. One whose closing mark lies in another
/// line and within a cell has met the opening mark of another cell.
fn unclosed_quote(text: &str, delimiter: u8) -> Option<usize> {
    let ends_cell = |byte: &u8| *byte == delimiter || b"\r\n".contains(byte);
    let mut bytes = text.bytes().peekable();
    let (mut line, mut opened) = (1, None);
    let mut is_start = true;
    while let Some(byte) = bytes.next() {
        line += usize::from(byte == b'\n');
        match opened {
            Some(_) if byte == b'"' && bytes.next_if_eq(&b'"').is_some() => {}
            Some(first) if byte == b'"' => {
                if line > first && bytes.peek().is_some_and(|next| *next != b' ' && !ends_cell(next)) {
                    return opened;
                }
                opened = None;
            }
            Some(_) => {}
            None if is_start && byte == b'"' => opened = Some(line),
            None => is_start = ends_cell(&byte),
        }
    }
    opened
}

/// What parts the columns: a tab, a comma, or a semicolon where the first row has more of these.
fn delimiter(text: &str, ending: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let count = |mark: char| first.matches(mark).count();
    match ending {
        "tsv" => b'\t',
        _ if count(';') > count(',') => b';',
        _ if count('\t') > count(',') => b'\t',
        _ => b',',
    }
}
