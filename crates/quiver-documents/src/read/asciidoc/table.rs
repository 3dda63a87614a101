//! Tables of `AsciiDoc`. See <https://docs.asciidoctor.org/asciidoc/latest/tables/build-a-basic-table/>.

use super::{inline::Names, style::Style};
use crate::{label::sentence, read::row::Table};

/// Maximum number of columns or rows that a cell is repeated in or goes over.
const SPAN_MAX: usize = 100;
/// Maximum number of columns of a table that does not say how many it has.
const COLUMNS_MAX: usize = 1000;
/// Maximum number of bytes of a cell that is read in each of its rows.
const SHARED_BYTES_MAX: usize = 200;

/// A cell, with what stands before its bar.
struct Cell {
    text: String,
    /// The line it begins on.
    line: usize,
    spec: Spec,
}

#[derive(Clone, Copy)]
struct Spec {
    columns: usize,
    rows: usize,
    copies: usize,
}

const PLAIN: Spec = Spec { columns: 1, rows: 1, copies: 1 };

/// Reads the table between two delimiters.
pub(super) fn table(lines: &[&str], style: &Style, names: &mut Names) -> Table {
    let bar = style.named("separator").and_then(|bar| bar.chars().next()).unwrap_or('|');
    let lines: Vec<&str> = lines.iter().copied().filter(|line| !is_comment(line)).collect();
    let cells = cells(&lines, bar);
    let styles = style.named("cols").map(columns).unwrap_or_default();
    let first = cells.first().map_or(0, |cell| cell.line);
    let first_cells = cells.iter().take_while(|cell| cell.line == first);
    let on_first: usize = first_cells.map(|cell| cell.spec.columns * cell.spec.copies).sum();
    let width = if styles.is_empty() { on_first.clamp(1, COLUMNS_MAX) } else { styles.len() };
    let is_alone = first == 0 && on_first >= width && lines.get(1).is_some_and(|line| line.trim().is_empty());
    let has_names = style.has_option("header") || is_alone && !style.has_option("noheader");

    let mut rows = rows(cells, width, names);
    if has_names && !rows.is_empty() {
        let names = rows.remove(0);
        return if rows.is_empty() {
            Table { names: Vec::new(), rows: vec![names] }
        } else {
            Table { names, rows }
        };
    }
    // A heading at the side names the one value after it.
    if width == 2 && styles.first() == Some(&'h') {
        rows = rows
            .iter()
            .map(|row| {
                let value = row.get(1).map_or("", String::as_str);
                vec![sentence(row.first().map(String::as_str), [value])]
            })
            .collect();
    }
    Table { names: Vec::new(), rows }
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//") && !line.starts_with("///")
}

/// The styles of the columns: `1,2a` or `3*h`.
fn columns(cols: &str) -> Vec<char> {
    let mut styles = Vec::new();
    for column in cols.split([',', ';']) {
        let column = column.trim();
        let copies = column.split_once('*').and_then(|(copies, _)| copies.parse().ok()).unwrap_or(1);
        let style = column.chars().next_back().filter(char::is_ascii_lowercase).unwrap_or('d');
        styles.extend(std::iter::repeat_n(style, SPAN_MAX.min(copies)));
    }
    styles.truncate(SPAN_MAX);
    styles
}

fn cells(lines: &[&str], bar: char) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let mut text = line.trim_end();
        let mut is_start = true;
        let is_bar = |(at, _): &(usize, &str), text: &str| !text[..*at].ends_with('\\');
        while let Some((end, _)) = text.match_indices(bar).find(|found| is_bar(found, text)) {
            let part = &text[..end];
            let space = part.char_indices().rfind(|(_, c)| c.is_whitespace());
            let word = space.map_or(0, |(at, c)| at + c.len_utf8());
            let spec = spec(&part[word..]).filter(|_| word > 0 || is_start);
            add_line(&mut cells, if spec.is_some() { &part[..word] } else { part }, bar);
            cells.push(Cell { text: String::new(), line: number, spec: spec.unwrap_or(PLAIN) });
            text = &text[end + bar.len_utf8()..];
            is_start = false;
        }
        add_line(&mut cells, text, bar);
    }
    cells
}

/// Adds a line to the last cell. Lists of a cell become one line, and the delimiters of its blocks go.
fn add_line(cells: &mut [Cell], line: &str, bar: char) {
    let Some(cell) = cells.last_mut() else { return };
    let line = line.trim();
    let is_delimiter = line.len() > 3 && line.bytes().all(|byte| b"-.=*_!".contains(&byte))
        || line == "!==="
        || line == "+"
        || line.starts_with('[') && line.ends_with(']') && !line.contains(' ');
    if line.is_empty() || is_delimiter {
        return;
    }
    let item = ["* ", "** ", "- ", ". "].iter().find_map(|mark| line.strip_prefix(mark));
    if !cell.text.is_empty() {
        let is_list = item.is_some() && !cell.text.ends_with([':', '.', ',', ';', '?', '!']);
        cell.text.push_str(if is_list { ", " } else { " " });
    }
    let escaped = format!("\\{bar}");
    cell.text.push_str(&item.unwrap_or(line).replace(&escaped, &bar.to_string()));
}

/// What stands before the bar of a cell: `2+`, `.3+^`, `3*`, `a`.
fn spec(word: &str) -> Option<Spec> {
    let mut spec = PLAIN;
    let numbers = word.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let mut rest = &word[numbers..];
    if numbers > 0 && rest.starts_with(['+', '*']) {
        let (columns, rows) = word[..numbers].split_once('.').unwrap_or((&word[..numbers], ""));
        let number = |digits: &str| match digits {
            "" => Some(1),
            digits => digits.parse::<usize>().ok().map(|number| number.clamp(1, SPAN_MAX)),
        };
        if rest.starts_with('+') {
            (spec.columns, spec.rows) = (number(columns)?, number(rows)?);
        } else {
            spec.copies = number(columns)?;
        }
        rest = &rest[1..];
    } else if numbers > 0 {
        rest = word;
    }
    let rest = rest.trim_start_matches(['<', '^', '>']);
    let rest = rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches(['<', '^', '>']));
    matches!(rest, "" | "a" | "d" | "e" | "h" | "l" | "m" | "s" | "v").then_some(spec)
}

/// The rows of so many columns that the cells fill.
fn rows(cells: Vec<Cell>, width: usize, names: &mut Names) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::with_capacity(width);
    // The cells that go over further rows, and over how many.
    let mut shared: Vec<(usize, String)> = vec![(0, String::new()); width];
    for cell in cells {
        let text = names.plain(&cell.text);
        let copies = if text.len() <= SHARED_BYTES_MAX { cell.spec.copies } else { 1 };
        for _ in 0..copies {
            loop {
                while let Some((left, text)) = shared.get_mut(row.len()).filter(|(left, _)| *left > 0) {
                    *left -= 1;
                    row.push(text.clone());
                }
                if row.len() < width {
                    break;
                }
                rows.push(std::mem::take(&mut row));
            }
            let columns = cell.spec.columns.min(width - row.len());
            if cell.spec.rows > 1 {
                let text = if text.len() <= SHARED_BYTES_MAX { text.clone() } else { String::new() };
                shared[row.len()] = (cell.spec.rows - 1, text);
                for column in shared.iter_mut().skip(row.len() + 1).take(columns.saturating_sub(1)) {
                    *column = (cell.spec.rows - 1, String::new());
                }
            }
            row.push(text.clone());
            row.extend(std::iter::repeat_n(String::new(), columns.saturating_sub(1)));
        }
    }
    if !row.is_empty() {
        rows.push(row);
    }
    rows
}
