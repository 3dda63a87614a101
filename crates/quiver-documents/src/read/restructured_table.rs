//! Tables of `reStructuredText`: the directives `list-table` and `csv-table`, grid tables and simple tables. See
//! <https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#tables>.

use super::{
    restructured_line::{indentation, without_roles},
    row::Table,
};

/// Reads the table that begins at a line, and returns it with the line after it.
pub(super) fn table(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let line = lines[at].trim();
    if let Some(directive) = line.strip_prefix(".. ") {
        let (name, _) = directive.split_once("::")?;
        let (options, body, end) = directive_parts(lines, at);
        let rows = match name {
            "list-table" => list_rows(body),
            "csv-table" => csv_rows(options, body)?,
            _ => return None,
        };
        return (!rows.is_empty()).then(|| (table_of(rows), end));
    }
    if line.starts_with("+-") {
        return grid(lines, at);
    }
    simple(lines, at)
}

fn table_of(rows: Vec<Vec<String>>) -> Table {
    let plain = |cell: String| without_roles(&cell).replace("``", "`");
    Table::of_rows(rows.into_iter().map(|row| row.into_iter().map(plain).collect()).collect())
}

/// Splits the block below a directive into its options and its body, and returns the line after it.
fn directive_parts<'l, 't>(lines: &'l [&'t str], at: usize) -> (&'l [&'t str], &'l [&'t str], usize) {
    let indent = indentation(lines[at]);
    let is_within = |line: &&&str| line.trim().is_empty() || indentation(line) > indent;
    let end = at + 1 + lines[at + 1..].iter().take_while(is_within).count();
    let is_option = |line: &&&str| line.trim_start().starts_with(':');
    let options = at + 1 + lines[at + 1..end].iter().take_while(is_option).count();
    (&lines[at + 1..options], &lines[options..end], end)
}

/// The rows of a list of lists: `* - cell` begins a row, `- cell` a further cell.
fn list_rows(body: &[&str]) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let Some(row_indent) = body.iter().find(|line| !line.trim().is_empty()).map(|line| indentation(line))
    else {
        return rows;
    };
    let mut cell_indent = None;
    for line in body.iter().filter(|line| !line.trim().is_empty()) {
        let (indent, text) = (indentation(line), line.trim());
        let cell = |text: &str| text.strip_prefix("- ").or((text == "-").then_some("")).map(str::to_owned);
        let begun = text.strip_prefix("* ").filter(|_| indent == row_indent);
        if let Some(first) = begun.and_then(|rest| cell(rest.trim_start())) {
            cell_indent = line.find('-');
            rows.push(vec![first]);
        } else if let Some(next) = cell(text).filter(|_| cell_indent == Some(indent)) {
            rows.last_mut().into_iter().for_each(|row| row.push(next.clone()));
        } else if let Some(open) = rows.last_mut().and_then(|row| row.last_mut()) {
            join(open, text);
        }
    }
    rows
}

fn join(cell: &mut String, text: &str) {
    if !cell.is_empty() && !text.is_empty() {
        cell.push(' ');
    }
    cell.push_str(text);
}

/// The rows of CSV, with the names of the option `:header:` first.
fn csv_rows(options: &[&str], body: &[&str]) -> Option<Vec<Vec<String>>> {
    let header = options.iter().find_map(|option| option.trim().strip_prefix(":header:"));
    let lines: Vec<&str> = header.into_iter().chain(body.iter().copied()).map(str::trim).collect();
    // Spaces before a quoted cell don't count.
    let text = lines.join("\n").replace(", \"", ",\"");
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    reader.records().map(|row| Some(row.ok()?.iter().map(str::to_owned).collect())).collect()
}

/// A grid table. A row ends at each rule; a table with cells over several columns or rows is left as it is.
fn grid(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let indent = indentation(lines[at]);
    let is_part = |line: &&&str| indentation(line) == indent && line.trim_start().starts_with(['+', '|']);
    let end = at + lines[at..].iter().take_while(is_part).count();
    let rule = lines[at].trim();
    let edges: Vec<usize> = rule.char_indices().filter(|(_, c)| *c == '+').map(|(at, _)| at).collect();
    let mut rows = Vec::new();
    let mut open: Option<Vec<String>> = None;
    for line in &lines[at + 1..end] {
        let line: Vec<char> = line.trim().chars().collect();
        if line.first() == Some(&'+') {
            let is_whole = line.iter().all(|c| matches!(c, '+' | '-' | '=')) && line.len() == rule.len();
            rows.extend(open.take().filter(|_| is_whole));
            if !is_whole {
                return None;
            }
            continue;
        }
        if edges.iter().any(|edge| line.get(*edge) != Some(&'|')) {
            return None;
        }
        let row = open.get_or_insert_with(|| vec![String::new(); edges.len() - 1]);
        for (cell, edge) in row.iter_mut().zip(edges.windows(2)) {
            join(cell, line[edge[0] + 1..edge[1]].iter().collect::<String>().trim());
        }
    }
    (rows.len() > 1 && open.is_none()).then(|| (table_of(rows), end))
}

/// A simple table: columns below rules of `=`, a row for each line whose first cell is not empty.
fn simple(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let is_rule = |line: &str| {
        let mut parts = line.split_whitespace();
        parts.clone().count() > 1 && parts.all(|part| part.len() > 1 && part.bytes().all(|byte| byte == b'='))
    };
    if !is_rule(lines[at]) {
        return None;
    }
    let rule: Vec<char> = lines[at].chars().collect();
    let starts: Vec<usize> =
        (0..rule.len()).filter(|at| rule[*at] == '=' && (*at == 0 || rule[at - 1] != '=')).collect();
    // The last rule is followed by an empty line.
    let is_last =
        |line: &usize| is_rule(lines[*line]) && lines.get(line + 1).is_none_or(|next| next.trim().is_empty());
    let end = (at + 1..lines.len()).find(is_last)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines[at + 1..end].iter().filter(|line| !line.trim().is_empty() && !is_rule(line)) {
        let line: Vec<char> = line.chars().collect();
        let cells: Vec<String> = (0..starts.len())
            .map(|column| {
                let from = starts[column].min(line.len());
                let to = starts.get(column + 1).map_or(line.len(), |next| (*next).min(line.len()));
                line[from..to].iter().collect::<String>().trim().to_owned()
            })
            .collect();
        match rows.last_mut() {
            Some(open) if cells[0].is_empty() => {
                open.iter_mut().zip(&cells).for_each(|(cell, more)| join(cell, more));
            }
            _ => rows.push(cells),
        }
    }
    (rows.len() > 1).then(|| (table_of(rows), end + 1))
}
