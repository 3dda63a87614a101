//! The text of Word documents, with headings and lists as in Markdown and each row of a table as a paragraph.

use super::{
    ReadProblem,
    archive::{Archive, broken, locked},
    fold,
    row::Table,
    with_headings,
    xml::{Piece, attribute, first_text, pieces},
};
use crate::document::Document;
use std::{collections::HashMap, path::Path};

const WHAT: &str = "Word document";

pub(super) fn document(path: &Path, bytes: &[u8], bytes_max: u64) -> Result<Document, ReadProblem> {
    let wrong = || locked(path, bytes).unwrap_or_else(|| broken(path, WHAT));
    let mut archive = Archive::open(bytes, bytes_max).ok_or_else(wrong)?;
    let text = archive.text("word/document.xml").ok_or_else(wrong)?;
    let levels = archive.text("word/styles.xml").map(|styles| levels(&styles)).unwrap_or_default();
    let title = archive.text("docProps/core.xml").and_then(|core| first_text(&core, "dc:title"));
    let mut reader = Reader { levels, ..Reader::default() };
    pieces(&text, |piece| reader.take(&piece));
    let first = crate::chunk::first_heading(&reader.text);
    Ok(with_headings(reader.text, title.or(reader.title).or(first)))
}

/// The levels of headings by the names of their styles, which differ between languages.
fn levels(styles: &str) -> HashMap<String, usize> {
    let (mut levels, mut style) = (HashMap::new(), None);
    pieces(styles, |piece| match piece {
        Piece::Start("w:style", tag) => style = attribute(tag, "w:styleid"),
        Piece::Start("w:name", tag) => {
            let name = attribute(tag, "w:val").unwrap_or_default().to_lowercase();
            let level = name.strip_prefix("heading ").and_then(|level| level.parse().ok());
            let level = level.or((name == "title").then_some(0));
            levels.extend(style.take().zip(level));
        }
        _ => {}
    });
    levels
}

#[derive(Default)]
struct Reader {
    levels: HashMap<String, usize>,
    title: Option<String>,
    text: String,
    paragraph: String,
    level: Option<usize>,
    is_item: bool,
    is_text: bool,
    /// The rows of the outermost table that is open, and how many are open.
    rows: Vec<Vec<String>>,
    tables: usize,
}

impl Reader {
    fn take(&mut self, piece: &Piece<'_>) {
        match *piece {
            Piece::Start("w:p", _) => (self.level, self.is_item) = (None, false),
            Piece::Start("w:pstyle", tag) => {
                let style = attribute(tag, "w:val").unwrap_or_default();
                self.level = self.levels.get(&style).copied();
            }
            Piece::Start("w:numpr", _) => self.is_item = true,
            Piece::Start("w:t", _) => self.is_text = true,
            Piece::End("w:t") => self.is_text = false,
            Piece::Text(text) if self.is_text => self.paragraph.push_str(text),
            Piece::Start("w:tab" | "w:br" | "w:cr", _) => self.paragraph.push(' '),
            Piece::End("w:p") => self.end_paragraph(),
            Piece::Start("w:tbl", _) => self.tables += 1,
            Piece::Start("w:tr", _) if self.tables == 1 => self.rows.push(Vec::new()),
            Piece::Start("w:tc", _) if self.tables == 1 => {
                self.rows.last_mut().into_iter().for_each(|row| row.push(String::new()));
            }
            Piece::End("w:tbl") => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.end_table();
                }
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let paragraph = fold(&std::mem::take(&mut self.paragraph));
        if paragraph.is_empty() {
            return;
        }
        if self.tables > 0 {
            if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(&paragraph);
            }
            return;
        }
        match self.level {
            Some(0) => {
                self.title.get_or_insert(paragraph);
                return;
            }
            Some(level) => {
                self.text.extend(std::iter::repeat_n('#', level.min(6)));
                self.text.push(' ');
            }
            None if self.is_item => self.text.push_str("- "),
            None => {}
        }
        self.text.push_str(&paragraph);
        self.text.push_str("\n\n");
    }

    fn end_table(&mut self) {
        let table = Table::of_rows(std::mem::take(&mut self.rows));
        self.text.push_str(&table.paragraphs());
    }
}
