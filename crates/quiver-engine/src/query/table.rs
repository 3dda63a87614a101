//! Rows of CSV, TSV and JSON Lines, with typed columns.

use std::io::{BufRead, BufReader, Read};

use quiver_cypher::{Duration, Map, Moment, Value, nearest};

use crate::{
    Result,
    error::{Error, ErrorKind, Stage},
};

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFormat {
    /// Columns separated by commas, with the names in the first line.
    Csv,
    /// Columns separated by tabs, with the names in the first line.
    Tsv,
    /// An object per line.
    JsonLines,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// The line where it starts, from 1.
    pub line: u64,
    /// The values by column; empty cells are left out.
    pub values: Map,
}

/// Maximum length of a line of JSON in bytes.
const LINE_MAX: u64 = 16 << 20;

/// The type of a column, after a colon in its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnType {
    String,
    Integer,
    Float,
    Boolean,
    Date,
    DateTime,
    Duration,
}

const TYPES: &[(&str, ColumnType)] = &[
    ("string", ColumnType::String),
    ("integer", ColumnType::Integer),
    ("int", ColumnType::Integer),
    ("float", ColumnType::Float),
    ("boolean", ColumnType::Boolean),
    ("bool", ColumnType::Boolean),
    ("date", ColumnType::Date),
    ("datetime", ColumnType::DateTime),
    ("duration", ColumnType::Duration),
];

fn invalid(source: &str, line: u64, what: &str) -> Error {
    Error::new(ErrorKind::Invalid, Stage::Query, format!("{source}:{line}: {what}"))
}

/// Reads all rows of a table. Errors name the `source`.
///
/// A heading may give the type of its column after a colon, such as `tier:integer`: string, integer, float, boolean,
/// date, datetime or duration, followed by `[]` for a list whose items are separated by semicolons. Columns without a
/// type are texts.
///
/// # Errors
/// [`ErrorKind::Invalid`] for unreadable input, with its line.
pub fn read_table(source: &str, format: TableFormat, reader: impl Read) -> Result<Vec<TableRow>> {
    match format {
        TableFormat::Csv => separated(source, b',', reader),
        TableFormat::Tsv => separated(source, b'\t', reader),
        TableFormat::JsonLines => json_lines(source, reader),
    }
}

fn json_lines(source: &str, reader: impl Read) -> Result<Vec<TableRow>> {
    let mut rows = Vec::new();
    let mut reader = BufReader::new(reader);
    for line in 1.. {
        let mut text = String::new();
        let read = reader.by_ref().take(LINE_MAX).read_line(&mut text);
        let read =
            read.map_err(|error| invalid(source, line, "the line can't be read").with_source(error))?;
        if read == 0 {
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        let value: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| invalid(source, line, "the line is not a JSON object").with_source(error))?;
        let serde_json::Value::Object(members) = value else {
            return Err(invalid(source, line, "the line is not a JSON object"));
        };
        let mut values = Map::new();
        for (key, value) in &members {
            match Value::from_json(value) {
                Value::Null => {}
                Value::Map(_) => {
                    return Err(invalid(
                        source,
                        line,
                        &format!("{key} is an object; properties must be plain values"),
                    ));
                }
                value => {
                    values.insert(key.clone(), value);
                }
            }
        }
        rows.push(TableRow { line, values });
    }
    Ok(rows)
}

fn heading(source: &str, text: &str) -> Result<(String, ColumnType, bool)> {
    let text = text.trim().trim_start_matches('\u{feff}');
    let (name, kind) = text.rsplit_once(':').unwrap_or((text, "string"));
    let (kind, is_list) = kind.strip_suffix("[]").map_or((kind, false), |kind| (kind, true));
    let lower = kind.trim().to_lowercase();
    let Some((_, kind)) = TYPES.iter().find(|(known, _)| *known == lower) else {
        let hint = nearest(kind, TYPES.iter().map(|(known, _)| *known));
        let hint = hint.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
        return Err(invalid(source, 1, &format!("the column {name:?} has the unknown type {kind:?}{hint}")));
    };
    if name.trim().is_empty() {
        return Err(invalid(source, 1, "a column has no name"));
    }
    Ok((name.trim().to_owned(), *kind, is_list))
}

fn separated(source: &str, delimiter: u8, reader: impl Read) -> Result<Vec<TableRow>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(reader);
    let unreadable = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        invalid(source, line, "the line can't be read").with_source(error)
    };
    let headings = reader.headers().map_err(unreadable)?.clone();
    let columns: Vec<_> = headings.iter().map(|text| heading(source, text)).collect::<Result<_>>()?;
    for (index, (name, ..)) in columns.iter().enumerate() {
        if columns[..index].iter().any(|(other, ..)| other == name) {
            return Err(invalid(source, 1, &format!("two columns have the name {name:?}")));
        }
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let line = record.position().map_or(1, csv::Position::line);
        if record.len() != columns.len() {
            let message =
                format!("the line has {} columns, but the first has {}", record.len(), columns.len());
            return Err(invalid(source, line, &message));
        }
        let mut values = Map::new();
        for (text, (name, kind, is_list)) in record.iter().zip(&columns) {
            if text.is_empty() {
                continue;
            }
            let typed = |text: &str| {
                value(*kind, text).ok_or_else(|| {
                    let kind =
                        TYPES.iter().find(|(_, known)| known == kind).map_or("value", |(name, _)| name);
                    invalid(source, line, &format!("{name}: {text:?} is not a valid {kind}"))
                })
            };
            let value = if *is_list {
                Value::list(text.split(';').map(|item| typed(item.trim())).collect::<Result<_>>()?)
            } else {
                typed(text)?
            };
            values.insert(name.clone(), value);
        }
        rows.push(TableRow { line, values });
    }
    Ok(rows)
}

fn value(kind: ColumnType, text: &str) -> Option<Value> {
    let trimmed = text.trim();
    match kind {
        ColumnType::String => Some(Value::from(text)),
        ColumnType::Integer => trimmed.parse().ok().map(Value::Integer),
        ColumnType::Float => trimmed.parse().ok().filter(|value: &f64| value.is_finite()).map(Value::Float),
        ColumnType::Boolean => match trimmed.to_lowercase().as_str() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        ColumnType::Date => Moment::read(trimmed).filter(|_| !trimmed.contains('T')).map(Value::Moment),
        ColumnType::DateTime => Moment::read(trimmed).filter(|_| trimmed.contains('T')).map(Value::Moment),
        ColumnType::Duration => Duration::read(trimmed).map(Value::Duration),
    }
}

#[cfg(test)]
mod tests {
    use super::{TableFormat, read_table};

    fn read(format: TableFormat, text: &str) -> Result<Vec<(u64, String)>, String> {
        let rows = read_table("t", format, text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(rows
            .into_iter()
            .map(|row| (row.line, quiver_cypher::Value::map(row.values).to_string()))
            .collect())
    }

    #[test]
    fn columns_have_the_type_in_their_heading() {
        let text = "name,tier:integer,since:date,tags:string[],version\n\"a, \"\"b\"\"\",1,2026-02-11,x;y,1.4\nc,,,,\n";
        let found = read(TableFormat::Csv, text);
        let first = "{name: 'a, \"b\"', since: 2026-02-11, tags: ['x', 'y'], tier: 1, version: '1.4'}";
        assert_eq!(found, Ok(vec![(2, first.to_owned()), (3, "{name: 'c'}".to_owned())]));
    }

    #[test]
    fn json_lines_keep_their_types() {
        let found =
            read(TableFormat::JsonLines, "{\"a\": 1, \"b\": [true], \"c\": null}\n\n{\"a\": \"1\"}\n");
        assert_eq!(found, Ok(vec![(1, "{a: 1, b: [true]}".to_owned()), (3, "{a: '1'}".to_owned())]));
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let cases = [
            ("a,b\n1\n", "t:2: the line has 1 columns, but the first has 2"),
            ("a:integer\n1\nx\n", "t:3: a: \"x\" is not a valid integer"),
            ("a:intger\n", "t:1: the column \"a\" has the unknown type \"intger\"; did you mean integer?"),
            ("a,a\n", "t:1: two columns have the name \"a\""),
        ];
        for (text, message) in cases {
            assert_eq!(read(TableFormat::Csv, text), Err(format!("running the query: {message}")));
        }
    }
}
