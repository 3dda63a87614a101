//! Workbooks of Excel and `LibreOffice`: each sheet is a section, and each row a paragraph that carries the names of its
//! columns.

use super::{
    ReadProblem,
    archive::{broken, locked},
    fold,
    row::unmarked,
};
use crate::{
    document::{Document, Format},
    label::sentence,
};
use calamine::{
    Data, Dimensions, Error, ExcelDateTime, Ods, OdsError, Reader, SheetType, SheetVisible, Sheets,
    StyleRange, Xlsx, XlsxError,
};
use std::{collections::HashMap, io::Cursor, path::Path};

/// A title above a table is no longer than this; what is longer is text.
const TITLE_BYTES_MAX: usize = 160;

/// Reads the sheets that the program would show, in their order.
pub(super) fn document(path: &Path, ending: &str, bytes: Vec<u8>) -> Result<Document, ReadProblem> {
    let what = if ending == "ods" { "OpenDocument spreadsheet" } else { "Excel workbook" };
    if let Some(problem) = locked(path, &bytes) {
        return Err(problem);
    }
    let mut workbook = open(ending, bytes).map_err(|error| problem(path, what, &error))?;
    let title = workbook.workbook_properties().ok().and_then(|properties| properties.title);
    let title = title.map(|title| fold(&title)).filter(|title| title.contains(char::is_alphanumeric));
    let shown = workbook
        .sheets_metadata()
        .iter()
        .filter(|sheet| sheet.visible == SheetVisible::Visible && matches!(sheet.typ, SheetType::WorkSheet));
    let names: Vec<String> = shown.map(|sheet| sheet.name.clone()).collect();
    let mut text = String::new();
    for name in names {
        let sheet = Sheet::of(&mut workbook, &name).map_err(|error| problem(path, what, &error))?;
        let rows = sheet.text();
        if !rows.is_empty() {
            text.extend(["# ", &fold(&name), "\n\n", &rows]);
        }
    }
    Ok(Document { title, text, format: Format::Sections, ..Document::default() })
}

fn open(ending: &str, bytes: Vec<u8>) -> Result<Sheets<Cursor<Vec<u8>>>, Error> {
    let bytes = Cursor::new(bytes);
    Ok(match ending {
        "ods" => Sheets::Ods(Ods::new(bytes).map_err(Error::Ods)?),
        _ => Sheets::Xlsx(Xlsx::new(bytes).map_err(Error::Xlsx)?),
    })
}

fn problem(path: &Path, what: &str, error: &Error) -> ReadProblem {
    match error {
        Error::Ods(OdsError::Password) | Error::Xlsx(XlsxError::Password) => ReadProblem::encrypted(path),
        _ => broken(path, what),
    }
}

/// A cell's text, and what kind of value it is.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cell {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Empty,
    Text,
    Number,
    Date,
}

/// The cells of a sheet from its first row and column with a value.
#[derive(Debug, Default)]
struct Sheet {
    rows: Vec<Vec<Cell>>,
    /// The last column of each cell that was merged with others to its right.
    wide: HashMap<(usize, usize), usize>,
}

impl Sheet {
    fn of(workbook: &mut Sheets<Cursor<Vec<u8>>>, name: &str) -> Result<Self, Error> {
        let range = workbook.worksheet_range(name)?;
        let Some((first_row, first_column)) = range.start() else { return Ok(Self::default()) };
        let (merged, styles) = match workbook {
            Sheets::Xlsx(workbook) => {
                (workbook.merge_cells_by_sheet_name(name)?, workbook.worksheet_style(name)?)
            }
            _ => (Vec::new(), StyleRange::empty()),
        };
        let rows = (first_row..)
            .zip(range.rows())
            .map(|(row, cells)| {
                let cell = |(column, data)| cell(data, || is_percentage(&styles, (row, column)));
                (first_column..).zip(cells).map(cell).collect()
            })
            .collect();
        let mut sheet = Self { rows, ..Self::default() };
        for area in merged {
            sheet.merge(area, (first_row, first_column));
        }
        Ok(sheet)
    }

    /// Gives each row of an area that was merged over several of them its value.
    fn merge(&mut self, area: Dimensions, first: (u32, u32)) {
        let (Some(top), Some(left)) = (area.start.0.checked_sub(first.0), area.start.1.checked_sub(first.1))
        else {
            return;
        };
        let [top, left, bottom, right] =
            [top, left, area.end.0 - first.0, area.end.1 - first.1].map(|at| at as usize);
        let Some(value) = self.rows.get(top).and_then(|row| row.get(left)).cloned() else { return };
        let is_alone = self.values(top).count() == 1;
        if right > left {
            self.wide.insert((top, left), right);
        }
        if value.kind != Kind::Empty && !(is_alone && right > left) {
            for row in self.rows.iter_mut().take(bottom + 1).skip(top + 1) {
                if let Some(cell) = row.get_mut(left) {
                    cell.clone_from(&value);
                }
            }
        }
    }

    /// The cells of a row that have a value, with their columns.
    fn values(&self, row: usize) -> impl Iterator<Item = (usize, &Cell)> {
        self.rows[row].iter().enumerate().filter(|(_, cell)| cell.kind != Kind::Empty)
    }

    /// The only value of a row, if it is a text.
    fn only_text(&self, row: usize) -> Option<(usize, &str)> {
        let mut values = self.values(row);
        let (column, cell) = values.next()?;
        (values.next().is_none() && cell.kind == Kind::Text).then_some((column, cell.text.as_str()))
    }

    /// Runs of rows without an empty one between them.
    fn blocks(&self) -> Vec<std::ops::Range<usize>> {
        let mut blocks: Vec<std::ops::Range<usize>> = Vec::new();
        for row in 0..self.rows.len() {
            if self.values(row).next().is_none() {
                continue;
            }
            match blocks.last_mut() {
                Some(block) if block.end == row => block.end += 1,
                _ => blocks.push(row..row + 1),
            }
        }
        blocks
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut names: Option<Vec<String>> = None;
        // Titles and notes above a table that has not begun.
        let mut above: Vec<String> = Vec::new();
        for block in self.blocks() {
            let mut at = block.start;
            while at < block.end
                && let Some((_, title)) = self.only_text(at)
            {
                above.push(title.to_owned());
                at += 1;
            }
            let rest = at..block.end;
            if rest.is_empty() {
                continue;
            }
            if self.is_form(&rest) {
                write_titles(&mut text, &mut above);
                self.write_form(&rest, &mut text);
                continue;
            }
            let is_new = names.is_none() || !above.is_empty() || self.differs(&rest, names.as_deref());
            if let Some((of_columns, length)) = is_new.then(|| self.head(&rest)).flatten() {
                write_titles(&mut text, &mut above);
                names = Some(of_columns);
                at += length;
            }
            for title in above.drain(..) {
                paragraph(&mut text, &title);
            }
            self.write_rows(at..block.end, names.as_deref().unwrap_or_default(), &mut text);
        }
        for title in above {
            paragraph(&mut text, &title);
        }
        text
    }

    fn write_rows(&self, rows: std::ops::Range<usize>, names: &[String], text: &mut String) {
        for row in rows {
            if let Some((column, band)) = self.only_text(row)
                && self.wide.contains_key(&(row, column))
                && band.len() <= TITLE_BYTES_MAX
            {
                text.extend(["### ", band, "\n\n"]);
                continue;
            }
            let values = self.rows[row].iter().map(|cell| cell.text.as_str());
            // The head again, as on each page of a print.
            if !names.is_empty() && values.clone().eq(names.iter().map(String::as_str)) {
                continue;
            }
            let sentence = sentence(names.iter().map(String::as_str), values);
            paragraph(text, &sentence);
        }
    }

    /// The names of the columns and how many rows they take, where the first rows of a block are a head.
    fn head(&self, block: &std::ops::Range<usize>) -> Option<(Vec<String>, usize)> {
        let is_head = |row: usize| {
            row + 1 < block.end
                && self.values(row).count() > 1
                && self.values(row).all(|(_, cell)| cell.kind == Kind::Text)
        };
        let first = block.start;
        if !is_head(first) {
            return None;
        }
        let mut names: Vec<String> = self.rows[first].iter().map(|cell| cell.text.clone()).collect();
        let groups: Vec<(usize, usize)> = self
            .values(first)
            .filter_map(|(column, _)| Some((column, *self.wide.get(&(first, column))?)))
            .collect();
        if groups.is_empty() || !is_head(first + 1) {
            return Some((names, 1));
        }
        // A name over several columns goes before the name of each.
        for (left, right) in groups {
            let group = names[left].clone();
            names.iter_mut().take(right + 1).skip(left).for_each(|name| name.clone_from(&group));
        }
        for (name, cell) in names.iter_mut().zip(&self.rows[first + 1]) {
            if *name != cell.text && !cell.text.is_empty() {
                let parts = [name.as_str(), cell.text.as_str()];
                *name = parts.join(if name.is_empty() { "" } else { " " });
            }
        }
        Some((names, 2))
    }

    /// Whether a block after an empty row is another table than the one above it: it stands in other columns, or
    /// its first row is text above columns of numbers and dates.
    fn differs(&self, block: &std::ops::Range<usize>, names: Option<&[String]>) -> bool {
        let Some(names) = names else { return true };
        let named = |column: usize| names.get(column).is_some_and(|name| !name.is_empty());
        let first = block.start;
        if self.values(first).any(|(column, _)| !named(column)) {
            return true;
        }
        let is_data = |column: usize| {
            let mut kinds = (first + 1..block.end).filter_map(|row| Some(self.rows[row].get(column)?.kind));
            kinds.clone().next().is_some() && kinds.all(|kind| matches!(kind, Kind::Number | Kind::Date))
        };
        self.values(first).all(|(_, cell)| cell.kind == Kind::Text)
            && self.values(first).any(|(column, _)| is_data(column))
    }

    /// Whether a block is a form: names at the left, each with its value, of several kinds.
    fn is_form(&self, block: &std::ops::Range<usize>) -> bool {
        let mut kinds: Vec<Kind> = Vec::new();
        let (mut columns, mut colons) = (None, 0);
        for row in block.clone() {
            let values: Vec<(usize, &Cell)> = self.values(row).collect();
            let [(left, name), (right, value)] = values[..] else { return false };
            if name.kind != Kind::Text || *columns.get_or_insert((left, right)) != (left, right) {
                return false;
            }
            colons += usize::from(name.text.ends_with(':'));
            kinds.push(value.kind);
        }
        let is_mixed = kinds.iter().skip(1).any(|kind| Some(kind) != kinds.get(1));
        colons * 2 > block.len() || is_mixed && kinds.first() == Some(&Kind::Text)
    }

    fn write_form(&self, block: &std::ops::Range<usize>, text: &mut String) {
        for row in block.clone() {
            let values: Vec<&str> = self.values(row).map(|(_, cell)| cell.text.as_str()).collect();
            if let [name, value] = values[..] {
                paragraph(text, &sentence([name], [value]));
            }
        }
    }
}

/// Writes what stands above a table: its title as a heading, the rest as paragraphs.
fn write_titles(text: &mut String, above: &mut Vec<String>) {
    for (at, title) in above.drain(..).enumerate() {
        if at == 0 && title.len() <= TITLE_BYTES_MAX {
            text.extend(["## ", &title, "\n\n"]);
        } else {
            paragraph(text, &title);
        }
    }
}

fn paragraph(text: &mut String, paragraph: &str) {
    if !paragraph.is_empty() {
        text.extend([&unmarked(paragraph), "\n\n"]);
    }
}

fn cell(data: &Data, is_percentage: impl FnOnce() -> bool) -> Cell {
    let of = |kind, text| Cell { text, kind };
    let read = match data {
        Data::Empty | Data::Error(_) => Cell::default(),
        Data::String(text) => of(Kind::Text, fold(text)),
        Data::Bool(is) => of(Kind::Number, if *is { "yes" } else { "no" }.to_owned()),
        Data::Int(number) => of(Kind::Number, number.to_string()),
        Data::Float(number) if is_percentage() => of(Kind::Number, format!("{}%", shown(number * 100.0))),
        Data::Float(number) => of(Kind::Number, shown(*number)),
        Data::DateTime(moment) => of(Kind::Date, date(moment)),
        Data::DateTimeIso(moment) => {
            let moment = moment.replacen('T', " ", 1);
            let moment = moment.strip_suffix(" 00:00:00").unwrap_or(&moment);
            of(Kind::Date, moment.to_owned())
        }
        Data::DurationIso(duration) => of(Kind::Date, clock(duration)),
    };
    if read.text.is_empty() { Cell::default() } else { read }
}

fn is_percentage(styles: &StyleRange, at: (u32, u32)) -> bool {
    let format = styles.get(at).and_then(|style| style.number_format.as_ref());
    format.is_some_and(|format| format.format_code.contains('%'))
}

/// A number with the 15 digits that spreadsheets keep.
fn shown(number: f64) -> String {
    format!("{number:.14e}").parse::<f64>().unwrap_or(number).to_string()
}

/// A date, with its time if it has one; a time of day; or a duration in hours.
fn date(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let second = second + u8::from(milli >= 500 && second < 59);
    let days = moment.as_f64();
    if moment.is_duration() {
        let hours = (days * 24.0 + 1e-9).floor();
        return format!("{hours}:{minute:02}:{second:02}");
    }
    let time = match second {
        0 => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    if days < 1.0 {
        return time;
    }
    let date = format!("{year}-{month:02}-{day:02}");
    if (hour, minute, second) == (0, 0, 0) { date } else { format!("{date} {time}") }
}

/// A duration of ISO 8601 as a clock shows it: `PT09H30M00S` is `09:30`.
fn clock(duration: &str) -> String {
    let mut parts = Vec::new();
    let mut rest = duration.trim_start_matches("PT");
    for unit in ['H', 'M', 'S'] {
        let Some((part, after)) = rest.split_once(unit) else { return duration.to_owned() };
        let part = part.split('.').next().unwrap_or(part);
        parts.push(format!("{part:0>2}"));
        rest = after;
    }
    if parts[2] == "00" {
        parts.pop();
    }
    parts.join(":")
}
