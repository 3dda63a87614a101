//! Tables as paragraphs, one for each row.

use crate::label::sentence;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A paragraph that Markdown takes for one, whatever it begins with: `# of seats: 5.` is no heading.
pub(super) fn unmarked(paragraph: &str) -> String {
    let is_mark = ["#", "```", "~~~"].iter().any(|mark| paragraph.starts_with(mark));
    format!("{}{paragraph}", if is_mark { "\\" } else { "" })
}

/// A table as it was read.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// A table whose first row names the columns, if each of its cells has words.
    pub(super) fn of_rows(mut rows: Vec<Vec<String>>) -> Self {
        let is_head =
            |row: &Vec<String>| row.len() > 1 && row.iter().all(|cell| cell.contains(char::is_alphabetic));
        let names =
            if rows.len() > 1 && rows.first().is_some_and(is_head) { rows.remove(0) } else { Vec::new() };
        Self { names, rows }
    }

    /// Each row as a paragraph.
    pub(super) fn paragraphs(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let names = self.names.iter().map(String::as_str);
            let sentence = sentence(names, row.iter().map(String::as_str));
            if !sentence.is_empty() {
                text.push_str(&sentence);
                text.push_str("\n\n");
            }
        }
        text
    }
}

/// The text of Markdown with a paragraph for each row in the place of its tables.
pub(super) fn without_tables(text: String) -> String {
    // A table has a line of dashes and bars below its head.
    if !text.lines().any(is_rule) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut copied = 0;
    for (range, table) in tables(&text) {
        let paragraphs = table.paragraphs();
        if paragraphs.is_empty() {
            continue;
        }
        kept.push_str(&text[copied..range.start]);
        kept.push_str(&paragraphs);
        copied = range.end;
    }
    kept.push_str(&text[copied..]);
    kept
}

fn is_rule(line: &str) -> bool {
    let line = line.trim().trim_start_matches('>').trim();
    line.contains('-') && line.contains('|') && line.bytes().all(|byte| b"|-: \t".contains(&byte))
}

/// The tables of a Markdown text. Those within lists and quotations stay as they are.
fn tables(text: &str) -> Vec<(Range<usize>, Table)> {
    let mut found = Vec::new();
    let mut open: Option<(Range<usize>, Table)> = None;
    let (mut depth, mut is_head) = (0_usize, false);
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => depth += 1,
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Table(_)) if depth == 0 => open = Some((range, Table::default())),
            Event::End(TagEnd::Table) => found.extend(open.take()),
            event => {
                let Some((_, table)) = &mut open else { continue };
                match event {
                    Event::Start(Tag::TableHead) => is_head = true,
                    Event::End(TagEnd::TableHead) => is_head = false,
                    Event::Start(Tag::TableRow) => table.rows.push(Vec::new()),
                    Event::Start(Tag::TableCell) if is_head => table.names.push(String::new()),
                    Event::Start(Tag::TableCell) => {
                        table.rows.last_mut().into_iter().for_each(|row| row.push(String::new()));
                    }
                    Event::Text(part) | Event::Code(part) | Event::InlineMath(part) => {
                        add(table, is_head, &part);
                    }
                    // What is written as HTML in a cell is mostly a line break.
                    Event::InlineHtml(_) | Event::Html(_) | Event::SoftBreak | Event::HardBreak => {
                        add(table, is_head, " ");
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

fn add(table: &mut Table, is_head: bool, part: &str) {
    let cell =
        if is_head { table.names.last_mut() } else { table.rows.last_mut().and_then(|row| row.last_mut()) };
    if let Some(cell) = cell {
        cell.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::without_tables;

    #[test]
    fn tables_of_markdown_become_paragraphs_and_nothing_else_changes() {
        let text = "# Ports\n\nBefore.\n\n| Service | Port |\n|:--|--:|\n| `gateway` | 8443 |\n| [cache](x) | 6379<br>6380 |\n\nAfter.\n";
        let expected = "# Ports\n\nBefore.\n\nService: gateway; Port: 8443.\n\nService: cache; Port: 6379 6380.\n\n\nAfter.\n";
        assert_eq!(without_tables(text.to_owned()), expected);
        for same in [
            "a | b\n\nno table",
            "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n",
            "- | a |\n  |---|\n  | 1 |\n",
            "| only | heads |\n|---|---|\n",
            "A rule\n\n---\n\nand text",
        ] {
            assert_eq!(without_tables(same.to_owned()), same);
        }
    }
}
