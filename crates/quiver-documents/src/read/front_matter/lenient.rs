//! Front matter that is no valid YAML or TOML, read as its writer meant it: a value is the rest of its line, as in
//! `title: Zenith: opening`.

use super::{FrontMatter, toml_value};
use crate::read::{Place, ReadProblem};
use serde_json::{Map, Value};
use std::ops::Range;

/// How deep fields within fields are read.
const DEPTH_MAX: usize = 8;
/// Maximum number of words of a name.
const NAME_WORDS_MAX: usize = 3;

/// A form of front matter.
pub(super) struct Form {
    name: &'static str,
    /// What parts a name from its value.
    mark: char,
    /// Reads a single field with its name, if it is valid.
    field: fn(&str) -> Option<Value>,
}

pub(super) const YAML: Form =
    Form { name: "YAML", mark: ':', field: |text| serde_saphyr::from_str(text).ok() };

pub(super) const TOML: Form = Form {
    name: "TOML",
    mark: '=',
    field: |text| Some(toml_value(toml::from_str::<toml::Table>(text).ok()?.into())),
};

/// Reads a block whose first line is a field, as are most of its other lines; `None` for a text between rules. A note
/// names the first line that can't be read.
pub(super) fn read(block: &str, form: &Form) -> Option<FrontMatter> {
    let lines: Vec<&str> = block.lines().map(str::trim_end).collect();
    let said: Vec<usize> = (0..lines.len()).filter(|at| !is_void(lines[*at])).collect();
    let first = lines[*said.first()?];
    let name = form.section(first).or_else(|| Some(form.split(first)?.0))?;
    let (fields, wrong) = form.fields(&lines, 0);
    // "Note: …" may begin a text as well.
    let share = if name.chars().all(|c| c.is_lowercase() || c == '_') { 2 } else { 3 };
    if wrong.len() * share > said.len() {
        return None;
    }
    let note = wrong.first().map(|line| {
        // The block begins in the second line of the file.
        let (place, name) = (Place::Line(line + 2, None), form.name);
        let what = format!("the front matter is not valid {name}: this line, which is no field, is left out");
        ReadProblem::note(place, what, "correct it")
    });
    Some(FrontMatter { fields, notes: note.into_iter().collect() })
}

/// Whether a line is empty or a comment.
fn is_void(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// Whether a line goes on with the field above it.
fn goes_on(line: &str) -> bool {
    line.starts_with([' ', '\t']) || line == "-" || line.starts_with("- ") || line.starts_with([']', '}'])
}

impl Form {
    /// The fields of these lines, and the lines that belong to none.
    fn fields(&self, lines: &[&str], depth: usize) -> (Map<String, Value>, Vec<usize>) {
        let (mut fields, mut wrong) = (Map::new(), Vec::new());
        let mut section: Option<String> = None;
        let mut at = 0;
        while at < lines.len() {
            let start = at;
            at += 1;
            if is_void(lines[start]) {
                continue;
            }
            if let Some(name) = self.section(lines[start]) {
                section = Some(name.to_owned());
                continue;
            }
            let Some((name, rest)) = self.split(lines[start]) else {
                wrong.push(start);
                continue;
            };
            at += lines[at..].iter().take_while(|line| goes_on(line) || line.is_empty()).count();
            let value = self.value(name, rest, lines, start..at, depth);
            let into = match &section {
                None => Some(&mut fields),
                Some(section) => {
                    fields.entry(section.as_str()).or_insert_with(|| Map::new().into()).as_object_mut()
                }
            };
            if let Some(into) = into {
                into.insert(name.to_owned(), value);
            }
        }
        (fields, wrong)
    }

    /// The value of a field: as it is written if that is valid, or else the rest of the line, a list or other fields.
    fn value(&self, name: &str, rest: &str, lines: &[&str], field: Range<usize>, depth: usize) -> Value {
        let valid = (self.field)(&lines[field.clone()].join("\n")).and_then(|value| match value {
            Value::Object(fields) if fields.len() == 1 => fields.into_iter().find(|(known, _)| known == name),
            _ => None,
        });
        if let Some((_, value)) = valid {
            return value;
        }
        let below: Vec<&str> =
            lines[field.start + 1..field.end].iter().filter(|line| !is_void(line)).copied().collect();
        if rest.is_empty() && !below.is_empty() {
            let items: Option<Vec<&str>> =
                below.iter().map(|line| line.trim_start().strip_prefix('-')).collect();
            if let Some(items) = items {
                return items.into_iter().map(|item| Value::from(unquoted(item.trim()))).collect();
            }
            let width = below[0].len() - below[0].trim_start().len();
            let inner: Option<Vec<&str>> = below.iter().map(|line| line.get(width..)).collect();
            let inner = inner.filter(|_| depth < DEPTH_MAX).map(|inner| self.fields(&inner, depth + 1));
            if let Some((fields, wrong)) = inner
                && wrong.is_empty()
            {
                return fields.into();
            }
        }
        let mut text = rest.to_owned();
        for line in below {
            text.push(' ');
            text.push_str(line.trim());
        }
        unquoted(text.trim()).into()
    }

    /// The name and the value of a line.
    fn split<'l>(&self, line: &'l str) -> Option<(&'l str, &'l str)> {
        let (name, rest) = line.split_once(self.mark)?;
        let name = name.trim_end().trim_matches(['"', '\'']);
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.split(' ').count() <= NAME_WORDS_MAX
            && name.chars().all(|c| c.is_alphanumeric() || " _-.@".contains(c));
        let is_apart = self.mark != ':' || rest.is_empty() || rest.starts_with([' ', '\t']);
        (is_name && is_apart).then(|| (name, rest.trim()))
    }

    /// The name of a section: `[params]`.
    fn section<'l>(&self, line: &'l str) -> Option<&'l str> {
        let name = line.strip_prefix('[')?.strip_suffix(']')?.trim_matches(['[', ']', ' ']);
        (self.mark == '=' && !name.is_empty()).then_some(name)
    }
}

/// A value without the quotation marks around it, or without one that does not close: `'It's here'`, but not
/// `"Ann" and "Bo"`.
fn unquoted(value: &str) -> &str {
    let Some((mark, inner)) =
        ['"', '\''].into_iter().find_map(|mark| Some((mark, value.strip_prefix(mark)?)))
    else {
        return value;
    };
    let marks = inner.matches(mark).count();
    match inner.strip_suffix(mark) {
        Some(inside) if marks <= 2 => inside,
        None if marks == 0 => inner,
        _ => value,
    }
}
