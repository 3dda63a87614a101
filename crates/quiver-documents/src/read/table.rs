//! Tables with a row a line: CSV and TSV.

use super::{Place, ReadProblem};
use crate::{
    document::{Document, Format},
    label::sentence,
};
use std::path::Path;

/// Reads a table whose first row names its columns. Each row becomes a paragraph that carries the names, because a row
/// alone says little: `Service: gateway; Port: 8443.`
pub(super) fn document(path: &Path, text: &str, ending: &str) -> Result<Document, ReadProblem> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text, ending))
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
    for row in reader.records() {
        let row = row.map_err(|error| wrong(&error))?;
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
    Ok(Document { text: rows, format: Format::Plain, ..Document::default() })
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
