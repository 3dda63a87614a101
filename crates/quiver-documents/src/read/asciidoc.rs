//! `AsciiDoc`, read as Markdown. See <https://docs.asciidoctor.org/asciidoc/latest/>.
//!
//! Attributes of the document's header that say who wrote it and when are its metadata. What only directs a program is
//! left out. Both branches of a condition stay.

mod inline;
mod style;
mod table;

use super::{
    fold,
    front_matter::{self, FrontMatter},
    head, html,
    picture::without_pictures,
    row::{Table, unmarked},
    text::without_references,
    with_headings,
};
use crate::{chunk::first_heading, document::Document};
use inline::{Names, is_id, picture};
use serde_json::Value;
use std::collections::HashMap;
use style::Style;

/// Attributes of the header that become metadata, with the names that front matter has for them.
const METADATA: &[(&str, &str)] = &[
    ("author", "author"),
    ("authors", "authors"),
    ("date", "date"),
    ("revdate", "date"),
    ("revnumber", "revnumber"),
    ("description", "description"),
    ("keywords", "keywords"),
];
/// Notes that say what kind they are.
const NOTES: &[(&str, &str)] = &[
    ("NOTE", "Note"),
    ("TIP", "Tip"),
    ("IMPORTANT", "Important"),
    ("WARNING", "Warning"),
    ("CAUTION", "Caution"),
];
/// Maximum number of lists or of blocks within each other.
const DEPTH_MAX: usize = 16;
/// Maximum number of spaces before a line of a list.
const INDENTATION_MAX: usize = 48;
/// Maximum number of bytes of a term of a list.
const TERM_BYTES_MAX: usize = 500;
/// Maximum number of words of a name below the title.
const NAME_WORDS_MAX: usize = 4;

/// Reads a document.
pub(super) fn document(text: &str) -> Document {
    let (mut front_matter, text) = front_matter::take(text).unwrap_or_else(|| (FrontMatter::default(), text));
    let lines = without_directives(text);
    let mut reader = Reader::new(lines, text.len());
    reader.header();
    for (name, field) in METADATA {
        if let Some(value) = reader.names.get(name).filter(|value| !value.is_empty()) {
            front_matter.fields.entry(*field).or_insert_with(|| Value::String(value.to_owned()));
        }
    }
    let named = ["doctitle", "title"].into_iter().find_map(|name| reader.names.get(name)).map(fold);
    while reader.at < reader.lines.len() {
        reader.block();
    }
    reader.end_note();
    let text = without_pictures(without_references(reader.read));
    let title = first_heading(&text).or(named);
    let mut document = head::apply(&head::take(&text), with_headings(text, title));
    front_matter::apply(front_matter, &mut document);
    document
}

/// The lines without those that include files or are conditions.
fn without_directives(text: &str) -> Vec<&str> {
    let directives = ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::"];
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim_end();
        let bare = line.strip_prefix('\\').unwrap_or(line);
        let is_directive = directives.iter().any(|name| bare.starts_with(name)) && bare.ends_with(']');
        if !is_directive || bare.len() < line.len() {
            lines.push(if is_directive { bare } else { line });
        } else if let Some((_, text)) = line.split_once('[').filter(|_| line.starts_with("if")) {
            // "ifdef::name[text]"
            let text = &text[..text.len() - 1];
            lines.extend(Some(text).filter(|text| !text.is_empty() && !line.starts_with("ifeval")));
        }
    }
    lines
}

/// The mark of an item: its character and how many of it.
type Mark = (char, usize);

/// A list that is open.
struct List {
    mark: Mark,
    items: usize,
    /// How far the text of its items is indented.
    width: usize,
}

/// A block around others.
struct Container<'t> {
    delimiter: &'t str,
    /// The lists around it.
    lists: Vec<List>,
    base: usize,
    /// Who is quoted.
    source: String,
}

struct Reader<'t> {
    lines: Vec<&'t str>,
    at: usize,
    read: String,
    names: Names,
    /// The last line of each delimiter.
    last_delimiters: HashMap<&'t str, usize>,
    has_callouts: bool,
    lists: Vec<List>,
    containers: Vec<Container<'t>>,
    /// How far the block at hand is indented, apart from the lists in it.
    base: usize,
    /// Whether the next block belongs to the last item.
    is_attached: bool,
    blanks: usize,
    /// Whether an item was written last.
    is_item: bool,
    style: Style,
    /// What kind of note the next paragraph begins.
    note: Option<&'static str>,
}

impl<'t> Reader<'t> {
    fn new(lines: Vec<&'t str>, bytes: usize) -> Self {
        let delimiters = lines.iter().enumerate().filter(|(_, line)| is_delimiter(line));
        let last_delimiters = delimiters.map(|(at, line)| (*line, at)).collect();
        let has_callouts = lines.iter().any(|line| mark(line).is_some_and(|((mark, _), _)| mark == '<'));
        let mut names = Names::new(bytes);
        add_titles(&lines, &mut names);
        Self {
            lines,
            at: 0,
            read: String::with_capacity(bytes),
            names,
            last_delimiters,
            has_callouts,
            lists: Vec::new(),
            containers: Vec::new(),
            base: 0,
            is_attached: false,
            blanks: 0,
            is_item: false,
            style: Style::default(),
            note: None,
        }
    }

    fn line(&self, at: usize) -> &'t str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    /// Reads the title, the lines on author and revision below it, and the attributes up to the first empty line.
    fn header(&mut self) {
        loop {
            let line = self.line(self.at);
            if self.at < self.lines.len() && (line.is_empty() || is_comment(line)) {
                self.at += 1;
            } else if !self.attribute() && !self.comment() {
                break;
            }
        }
        let Some((1, title, end)) = title(&self.lines, self.at) else { return };
        self.at = end;
        let mut is_author_read = false;
        while !self.line(self.at).is_empty() {
            let line = self.line(self.at);
            if is_comment(line) {
                self.at += 1;
            } else if self.attribute() {
            } else if !is_author_read && is_author(line) {
                let people: Vec<&str> = line.split(';').map(|author| name_of(author).trim()).collect();
                self.names.set("author", Some(&people.join("; ")));
                is_author_read = true;
                self.at += 1;
                if let Some((number, date)) = revision(self.line(self.at)) {
                    self.names.set("revnumber", number);
                    self.names.set("revdate", date);
                    self.at += 1;
                }
            } else {
                break;
            }
        }
        // The title may refer to attributes that are set below it.
        self.write_heading(1, title);
    }

    /// Reads a line that sets an attribute, `:name: value`, if one stands here.
    fn attribute(&mut self) -> bool {
        let Some((name, value)) = attribute(self.line(self.at)) else { return false };
        self.at += 1;
        let mut whole = value.to_owned();
        while let Some(open) = whole.strip_suffix(" \\").map(|open| open.trim_end_matches(" +").len()) {
            whole.truncate(open);
            let next = self.line(self.at).trim();
            if next.is_empty() {
                break;
            }
            whole.extend([" ", next]);
            self.at += 1;
        }
        let is_unset = name.starts_with('!') || name.ends_with('!');
        self.names.set(name.trim_matches('!'), Some(&*whole).filter(|_| !is_unset));
        true
    }

    /// Leaves out a comment over several lines, if one begins here.
    fn comment(&mut self) -> bool {
        let line = self.line(self.at);
        if !line.starts_with("////") || !is_delimiter(line) {
            return false;
        }
        self.at = self.end_of_block(line).map_or(self.at + 1, |end| end + 1);
        true
    }

    /// The line that ends the block whose delimiter stands here.
    fn end_of_block(&self, delimiter: &str) -> Option<usize> {
        self.last_delimiters.get(delimiter).filter(|last| **last > self.at)?;
        (self.at + 1..self.lines.len()).find(|at| self.lines[*at] == delimiter)
    }

    /// Reads the block that begins here, or the line that belongs to the next one.
    fn block(&mut self) {
        let line = self.line(self.at);
        if line.is_empty() {
            self.blanks += 1;
            self.at += 1;
            return;
        }
        if self.comment() || self.attribute() {
            return;
        }
        if is_comment(line) && self.blanks > 0 && self.line(self.at + 1).is_empty() {
            // A comment on its own parts two lists.
            self.lists.clear();
        }
        if is_comment(line) || matches!(line, "'''" | "<<<" | "---" | "***" | "- - -") {
            self.at += 1;
        } else if line == "+" {
            self.attach();
        } else if let Some(attributes) = block_attributes(line) {
            self.style.add(attributes);
            self.at += 1;
        } else if let Some((level, title, end)) = title(&self.lines, self.at) {
            self.lists.clear();
            self.write_heading(level, title);
            self.at = end;
            self.end_of_style();
        } else if let Some(title) = line.strip_prefix('.').filter(|title| is_block_title(title)) {
            let title = self.names.markdown(title);
            self.write(&title);
            self.at += 1;
        } else if is_delimiter(line) {
            self.delimited(line);
        } else if let Some((name, target, attributes)) = block_macro(line) {
            if name == "image" {
                let target = self.names.with_values(target);
                let attributes = self.names.with_values(attributes);
                self.write(&picture(&target, &attributes));
            }
            self.at += 1;
            self.end_of_style();
        } else if let Some((mark, rest)) = mark(line) {
            self.item(mark, rest);
        } else if term(line).is_some() {
            self.terms();
        } else {
            self.paragraph();
        }
        self.blanks = 0;
    }

    /// A `+`: the next block belongs to the last item, or to one around it if empty lines stand before the `+`.
    fn attach(&mut self) {
        let kept = self.lists.len().saturating_sub(self.blanks).max(1);
        self.lists.truncate(kept);
        self.is_attached = true;
        self.at += 1;
    }

    fn end_of_style(&mut self) {
        self.style = Style::default();
        self.is_attached = false;
    }

    /// How far the block at hand is indented.
    fn indentation(&self) -> usize {
        (self.base + self.lists.iter().map(|list| list.width).sum::<usize>()).min(INDENTATION_MAX)
    }

    /// Ends the lists, unless the block at hand belongs to their last item.
    fn end_lists(&mut self) {
        if !self.is_attached {
            self.lists.clear();
        }
    }

    /// Writes a block.
    fn write(&mut self, block: &str) {
        if block.trim().is_empty() {
            return;
        }
        self.end_note();
        self.end_lists();
        self.write_lines(block, "");
    }

    /// Writes the lines of a block with a mark before the first.
    fn write_lines(&mut self, block: &str, mark: &str) {
        let is_item = !mark.is_empty();
        let is_next = is_item && self.is_item;
        if !self.read.is_empty() && !is_next {
            self.read.push('\n');
        }
        let indentation = self.indentation();
        for (number, line) in block.lines().enumerate() {
            let before = if number == 0 { indentation - mark.len().min(indentation) } else { indentation };
            if !line.is_empty() || is_item {
                self.read.extend(std::iter::repeat_n(' ', before));
            }
            let mark = if number == 0 { mark } else { "" };
            self.read.extend([if line.is_empty() { mark.trim_end() } else { mark }, line, "\n"]);
        }
        self.is_item = is_item;
    }

    fn write_heading(&mut self, level: usize, title: &str) {
        let title = fold(&self.names.markdown(title));
        self.write(&format!("{} {title}", "#".repeat(level.min(6))));
    }

    /// Writes what kind of note it is, if no paragraph has said it.
    fn end_note(&mut self) {
        if let Some(note) = self.note.take() {
            self.write_lines(&format!("{note}:"), "");
        }
    }

    fn delimited(&mut self, line: &'t str) {
        let first = line.as_bytes()[0];
        if let Some(depth) = self.containers.iter().rposition(|container| container.delimiter == line) {
            self.end_container(depth);
            return;
        }
        match first {
            b'`' => self.listing("```", line.trim_start_matches('`')),
            b'-' if line.len() > 3 => self.verbatim(line),
            b'.' => self.verbatim(line),
            b'|' | b'!' => self.table(line),
            b'+' => self.passed(line),
            _ => self.begin_container(line),
        }
    }

    fn begin_container(&mut self, delimiter: &'t str) {
        self.at += 1;
        if self.last_delimiters.get(delimiter).is_none_or(|last| *last < self.at) {
            return;
        }
        if delimiter == "--" && matches!(self.style.name(), "source" | "listing" | "literal") {
            self.at -= 1;
            return self.verbatim(delimiter);
        }
        if self.containers.len() >= DEPTH_MAX {
            return;
        }
        self.end_note();
        self.end_lists();
        self.note = note(self.style.name());
        let source = self.source();
        let base = self.indentation();
        let lists = std::mem::take(&mut self.lists);
        self.containers.push(Container { delimiter, lists, base: self.base, source });
        self.base = base;
        self.end_of_style();
    }

    fn end_container(&mut self, depth: usize) {
        self.at += 1;
        self.lists.clear();
        while self.containers.len() > depth {
            let Some(container) = self.containers.pop() else { break };
            self.is_attached = true;
            self.write(&container.source);
            (self.lists, self.base) = (container.lists, container.base);
        }
        self.end_of_style();
    }

    /// Who is quoted: `[quote, Ada, The letters]`.
    fn source(&mut self) -> String {
        let parts = [self.style.at(1), self.style.at(2)].map(|part| part.trim().to_owned());
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        if parts.is_empty() || !matches!(self.style.name(), "quote" | "verse") {
            return String::new();
        }
        format!("— {}", self.names.markdown(&parts.join(", ")))
    }

    fn verbatim(&mut self, delimiter: &str) {
        let language = match self.style.name() {
            "listing" | "literal" | "quote" | "verse" => String::new(),
            _ => self.style.at(1).to_owned(),
        };
        self.listing(delimiter, &language);
    }

    /// Writes the lines up to a delimiter as code.
    fn listing(&mut self, delimiter: &str, language: &str) {
        let end = (self.at + 1..self.lines.len()).find(|at| self.lines[*at] == delimiter);
        let end = end.unwrap_or(self.lines.len());
        let code = self.lines[self.at + 1..end].to_vec();
        self.write_code(&code, language);
        self.at = end + 1;
        self.end_of_style();
    }

    fn write_code(&mut self, code: &[&str], language: &str) {
        let is_blank = |line: &&&str| line.trim().is_empty();
        let start = code.iter().take_while(is_blank).count();
        let end = code.len() - code[start..].iter().rev().take_while(is_blank).count();
        if start == end {
            return;
        }
        let is_fence = |line: &&str| line.trim_start().starts_with("```");
        let fences = code.iter().filter(|line| is_fence(line));
        let length = fences.map(|line| line.trim_start().bytes().take_while(|byte| *byte == b'`').count());
        let fence = "`".repeat(length.max().map_or(3, |length| length + 1));
        let language = if language.contains(['`', ' ', '{']) { "" } else { language };
        let mut block = format!("{fence}{language}\n");
        for line in &code[start..end] {
            block.push_str(&if self.has_callouts { with_callouts(line) } else { (*line).to_owned() });
            block.push('\n');
        }
        block.push_str(&fence);
        self.write(&block);
    }

    fn table(&mut self, delimiter: &str) {
        let Some(end) = self.end_of_block(delimiter) else {
            self.at += 1;
            return;
        };
        let lines = self.lines[self.at + 1..end].to_vec();
        let style = std::mem::take(&mut self.style);
        let Table { names, rows } = table::table(&lines, &style, &mut self.names);
        for paragraph in (Table { names, rows }).paragraphs().lines().filter(|line| !line.is_empty()) {
            self.write(&unmarked(paragraph));
            self.is_attached |= !self.lists.is_empty();
        }
        self.at = end + 1;
        self.end_of_style();
    }

    /// What is passed on as it is: HTML or a formula.
    fn passed(&mut self, delimiter: &str) {
        let Some(end) = self.end_of_block(delimiter) else {
            self.at += 1;
            return;
        };
        let content = self.lines[self.at + 1..end].join("\n");
        let is_formula = matches!(self.style.name(), "stem" | "latexmath" | "asciimath");
        let block = if is_formula { content } else { html::fragment(&content) };
        self.write(block.trim_matches('\n'));
        self.at = end + 1;
        self.end_of_style();
    }

    /// Reads an item of a list.
    fn item(&mut self, mark: Mark, rest: &'t str) {
        let number = number_of(self.line(self.at));
        self.at += 1;
        let text = self.text_of_item(Some(rest));
        let text = self.names.markdown(&text);
        let items = self.open_list(mark);
        let prefix = match mark.0 {
            '*' | '-' => "- ".to_owned(),
            _ => format!("{}. ", number.unwrap_or(items)),
        };
        self.write_item(&text, &prefix);
    }

    /// Begins an item of the list with this mark, which may be one around the list at hand. Returns how many it has.
    fn open_list(&mut self, mark: Mark) -> usize {
        self.end_note();
        if mark.0 != '<' {
            // No list is within one that explains marks of code.
            self.lists.pop_if(|list| list.mark.0 == '<');
        }
        match self.lists.iter().position(|list| list.mark == mark) {
            Some(known) => self.lists.truncate(known + 1),
            None => {
                self.lists.truncate(DEPTH_MAX - 1);
                self.lists.push(List { mark, items: 0, width: 0 });
            }
        }
        let list = self.lists.last_mut().expect("a list is open");
        list.items += 1;
        list.items
    }

    fn write_item(&mut self, text: &str, prefix: &str) {
        if let Some(list) = self.lists.last_mut() {
            list.width = prefix.len();
        }
        self.write_lines(if text.is_empty() { "\n" } else { text }, prefix);
        self.end_of_style();
    }

    /// The lines of an item up to the next block.
    fn text_of_item(&mut self, first: Option<&'t str>) -> String {
        let mut text: Vec<&str> =
            first.map(str::trim).filter(|first| !first.is_empty()).into_iter().collect();
        while self.at < self.lines.len() {
            let line = self.lines[self.at];
            if ends_paragraph(line) || mark(line).is_some() || term(line).is_some() {
                break;
            }
            if !is_comment(line) {
                text.push(line.trim());
            }
            self.at += 1;
        }
        text.join("\n")
    }

    /// Reads terms and what is said about them.
    fn terms(&mut self) {
        let mut terms = Vec::new();
        let mut sign = ':';
        let mut count = 2;
        let mut first = None;
        while let Some((mark, name, rest)) = term(self.line(self.at)) {
            if !terms.is_empty() && mark != (sign, count) {
                break;
            }
            (sign, count) = mark;
            terms.push(self.names.markdown(name));
            self.at += 1;
            first = Some(rest).filter(|rest| !rest.is_empty());
            if first.is_some() {
                break;
            }
            let next = self.next_line();
            if term(self.line(next)).is_some_and(|(mark, ..)| mark == (sign, count)) {
                self.at = next;
            }
        }
        if first.is_none() {
            let next = self.next_line();
            let line = self.line(next);
            let is_text = !ends_paragraph(line)
                && mark(line).is_none()
                && term(line).is_none()
                && block_macro(line).is_none()
                && attribute(line).is_none()
                && title(&self.lines, next).is_none();
            if is_text {
                self.at = next;
            }
        }
        let text = if self.line(self.at).is_empty() && first.is_none() {
            String::new()
        } else {
            self.text_of_item(first)
        };
        let text = self.names.markdown(&text);
        let terms = terms.join(", ");
        self.open_list((sign, count));
        let separator = match text.is_empty() {
            true => "",
            false if terms.ends_with(':') => " ",
            false => ": ",
        };
        self.write_item(&format!("{terms}{separator}{text}"), "- ");
    }

    /// The next line that is not empty.
    fn next_line(&self) -> usize {
        let blanks = self.lines[self.at.min(self.lines.len())..].iter().take_while(|line| line.is_empty());
        self.at + blanks.count()
    }

    /// Reads a paragraph, which may be code: if it is indented or its style says so.
    fn paragraph(&mut self) {
        let start = self.at;
        let is_code = self.line(start).starts_with([' ', '\t'])
            || matches!(self.style.name(), "source" | "listing" | "literal");
        self.at += 1;
        let is_in_item = self.is_attached && !is_code;
        while let Some(line) = self.lines.get(self.at) {
            // "For example:" announces items, although an empty line should stand between.
            let is_announced = self.lines[self.at - 1].ends_with(':') && !is_code;
            let is_item =
                (is_in_item || is_announced) && mark(line).is_some() || is_in_item && term(line).is_some();
            if is_item || ends_paragraph(line) {
                break;
            }
            self.at += 1;
        }
        let lines = self.lines[start..self.at].to_vec();
        if is_code {
            self.is_attached |= !self.lists.is_empty();
            let indentation = |line: &&str| line.len() - line.trim_start().len();
            let margin = lines.iter().map(indentation).min().unwrap_or_default();
            let code: Vec<&str> = lines.iter().map(|line| line.get(margin..).unwrap_or(line)).collect();
            let language =
                if self.style.name() == "source" { self.style.at(1).to_owned() } else { String::new() };
            self.write_code(&code, &language);
        } else {
            let source = self.source();
            let lines: Vec<&str> =
                lines.into_iter().filter(|line| !is_comment(line)).map(str::trim).collect();
            let text = lines.join("\n");
            let own = text.split_once(": ").and_then(|(name, text)| Some((note(name)?, text)));
            let kind = own.map(|(note, _)| note).or_else(|| note(self.style.name()));
            let kind = kind.or_else(|| self.note.take());
            let text = self.names.markdown(own.map_or(&*text, |(_, text)| text.trim_start()));
            let text = kind.map_or_else(|| text.clone(), |note| format!("{note}: {text}"));
            self.write(&text);
            if !source.is_empty() {
                self.is_attached |= !self.lists.is_empty();
                self.write(&source);
            }
        }
        self.end_of_style();
    }
}

/// Whether a line is no part of the paragraph before it.
fn ends_paragraph(line: &str) -> bool {
    line.is_empty() || line == "+" || is_delimiter(line) || block_attributes(line).is_some()
}

fn note(name: &str) -> Option<&'static str> {
    NOTES.iter().find(|(known, _)| *known == name).map(|(_, note)| *note)
}

/// Records the titles of sections and blocks under their identifiers.
fn add_titles(lines: &[&str], names: &mut Names) {
    let (mut id, mut caption) = (None, None);
    for at in 0..lines.len() {
        let line = lines[at];
        if let Some((_, title, _)) = title(lines, at) {
            let title = title.split("[[").next().unwrap_or_default().trim();
            names.add_title(id.take().unwrap_or(title), title);
            names.add_title(title, title);
        } else if let Some(title) = line.strip_prefix('.').filter(|title| is_block_title(title)) {
            caption = Some(title);
        } else if let Some(attributes) = block_attributes(line) {
            let named = attributes.strip_prefix('[').or_else(|| attributes.strip_prefix('#'));
            id = named.and_then(|id| id.split([',', ']', '.', '%']).next()).or(id);
        } else if !line.is_empty() {
            (id, caption) = (None, None);
        }
        // The identifier of a block stands above or below its title.
        if let (Some(id), Some(caption)) = (id, caption) {
            names.add_title(id, caption);
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with("//") && !line.starts_with("///")
}

/// Whether a line begins or ends a block.
fn is_delimiter(line: &str) -> bool {
    let Some(first) = line.chars().next() else { return false };
    match first {
        '-' | '.' | '=' | '*' | '_' | '+' | '/' => {
            line == "--" || line.len() > 3 && line.chars().all(|mark| mark == first)
        }
        '`' => line.strip_prefix("```").is_some_and(|language| !language.contains(['`', ' '])),
        '|' | '!' => line.len() > 3 && line[1..].chars().all(|mark| mark == '='),
        _ => false,
    }
}

/// The attributes in a line above a block, `[source,rust]` or `[[id]]`, without the outer brackets.
fn block_attributes(line: &str) -> Option<&str> {
    let attributes = line.strip_prefix('[')?.strip_suffix(']')?;
    let inner = attributes.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    let is_list = match inner {
        Some(inner) => inner.is_empty() || is_id(inner.split(',').next().unwrap_or_default()),
        None => {
            let is_start = |c: char| c.is_alphabetic() || matches!(c, ',' | '.' | '#' | '%' | '"' | '{');
            let name = attributes.split([',', '=', '"']).next().unwrap_or_default();
            attributes.is_empty() || attributes.starts_with(is_start) && !name.contains(['[', ']', ' '])
        }
    };
    is_list.then_some(attributes)
}

/// Whether what follows a point is the title of a block: `.Ports in use`.
fn is_block_title(title: &str) -> bool {
    !title.is_empty() && !title.starts_with(|c: char| c.is_whitespace() || c == '.')
}

/// The title of a section that begins at a line, in one line, `== Height`, or with a line below it. Returns its level
/// and the line after it.
fn title<'t>(lines: &[&'t str], at: usize) -> Option<(usize, &'t str, usize)> {
    let line = *lines.get(at)?;
    let sign = line.chars().next().filter(|sign| matches!(sign, '=' | '#'));
    if let Some(sign) = sign {
        let level = line.chars().take_while(|c| *c == sign).count();
        let title = line[level..].strip_prefix(' ').map(str::trim).filter(|title| !title.is_empty());
        return title.filter(|_| level <= 6).map(|title| (level, title, at + 1));
    }
    let under = *lines.get(at + 1)?;
    let level = "=-~^+".chars().position(|mark| under.starts_with(mark))? + 1;
    let is_rule = under.len() > 1 && under.bytes().all(|byte| byte == under.as_bytes()[0]);
    let is_long = line.chars().count().abs_diff(under.len()) <= 1;
    let is_title = line.starts_with(|c: char| c.is_alphanumeric() || "{`\"'(<*".contains(c))
        && line.contains(char::is_alphanumeric)
        && mark(line).is_none();
    (is_rule && is_long && is_title).then_some((level, line, at + 2))
}

/// An attribute of the document that a line sets: `:toc: left`.
fn attribute(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_!".contains(&byte);
    let is_attribute =
        !name.is_empty() && name.bytes().all(is_name) && (value.is_empty() || value.starts_with(' '));
    is_attribute.then(|| (name, value.trim()))
}

/// A macro that is a block: its name, its target and its attributes.
fn block_macro(line: &str) -> Option<(&str, &str, &str)> {
    let names = ["image", "video", "audio", "toc", "include-code", "plantuml", "kroki", "gist"];
    let (name, rest) = line.split_once("::")?;
    let (target, attributes) = rest.strip_suffix(']')?.split_once('[')?;
    names.contains(&name).then_some((name, target, attributes))
}

/// The mark of an item of a list, and its text.
fn mark(line: &str) -> Option<(Mark, &str)> {
    let line = line.trim_start();
    let first = line.chars().next()?;
    let (mark, rest) = match first {
        '*' | '.' => {
            let count = line.chars().take_while(|c| *c == first).count();
            ((first, count), &line[count..])
        }
        '-' => ((first, 1), &line[1..]),
        '<' => {
            let (number, rest) = line[1..].split_once('>')?;
            let is_number = number == "." || !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            (('<', 1), Some(rest).filter(|_| is_number)?)
        }
        '0'..='9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            (('1', 1), line[digits..].strip_prefix('.').filter(|_| digits < 5)?)
        }
        _ => return None,
    };
    let text = rest.trim_start();
    (text.len() < rest.len() && !text.is_empty() && mark.1 <= 6).then_some((mark, text))
}

/// The number that an item says.
fn number_of(line: &str) -> Option<usize> {
    let line = line.trim_start().trim_start_matches('<');
    line[..line.bytes().take_while(u8::is_ascii_digit).count()].parse().ok()
}

/// A term, `bobbin:: A spool`, with its mark and the text after it.
fn term(line: &str) -> Option<(Mark, &str, &str)> {
    let bare = line.trim_start();
    let head = &bare[..bare.floor_char_boundary(TERM_BYTES_MAX)];
    let found = |sign: &str| {
        head.match_indices(sign).map(|(at, _)| at).find_map(|at| {
            let count = bare[at..].bytes().take_while(|byte| *byte == sign.as_bytes()[0]).count();
            let rest = &bare[at + count..];
            let is_apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
            // "f :: Int" is no term.
            let is_term = rest.is_empty() || !bare[..at].ends_with(char::is_whitespace);
            let is_first = at > 0 && !bare[..at].ends_with(|c: char| sign.contains(c));
            (is_apart && is_term && is_first && count <= 4).then_some((at, count))
        })
    };
    let (sign, (at, count)) =
        found("::").map(|mark| (':', mark)).or_else(|| found(";;").map(|mark| (';', mark)))?;
    Some(((sign, count), bare[..at].trim_end(), bare[at + count..].trim()))
}

/// A line of code with the marks at its end that are explained below it: `<1>` is (1).
fn with_callouts(line: &str) -> String {
    let mut code = line;
    let mut numbers = Vec::new();
    while let Some((before, number)) = code.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        let is_number = !number.is_empty() && number.len() < 4 && number.bytes().all(|b| b.is_ascii_digit());
        if !is_number || !before.ends_with(' ') {
            break;
        }
        numbers.insert(0, number);
        code = before.trim_end();
    }
    let marks = numbers.into_iter().map(|number| format!(" ({number})"));
    std::iter::once(code.to_owned()).chain(marks).collect()
}

/// Whether a line below the title names people: `Ada Holm <ada@example.org>; Bo Lind`.
fn is_author(line: &str) -> bool {
    line.split(';').all(|author| {
        let name = name_of(author);
        let words = name.split_whitespace().count();
        (1..=NAME_WORDS_MAX).contains(&words)
            && name.trim().starts_with(char::is_alphabetic)
            && !name.contains([':', '[', '*', '`', '{', '=', '|'])
            && !name.trim().ends_with(['!', '?', '.', ','])
    })
}

/// The name of an author without the address.
fn name_of(author: &str) -> &str {
    author.split('<').next().unwrap_or_default()
}

/// The number and the date in a line below the author: `v1.2, 2026-03-01: With sails`.
fn revision(line: &str) -> Option<(Option<&str>, Option<&str>)> {
    let line = line.split(": ").next().unwrap_or_default();
    let is_number = |text: &str| {
        let digits = text.trim_start_matches(['v', 'V']);
        digits.starts_with(|c: char| c.is_ascii_digit()) && !text.contains([' ', '/'])
    };
    let (first, rest) = line.split_once(',').map_or((line, ""), |(first, rest)| (first, rest.trim()));
    let (first, has_digit) = (first.trim(), rest.contains(|c: char| c.is_ascii_digit()));
    if is_number(first) && has_digit {
        return Some((Some(first.trim_start_matches(['v', 'V'])), Some(rest)));
    }
    if first.starts_with(['v', 'V']) && is_number(first) && rest.is_empty() {
        return Some((Some(first.trim_start_matches(['v', 'V'])), None));
    }
    let is_date = line.len() <= 32 && line.contains(|c: char| c.is_ascii_digit()) && !line.contains(". ");
    let is_line = attribute(line).is_none() && !is_comment(line) && line.split_whitespace().count() <= 4;
    (is_date && is_line && !is_delimiter(line)).then_some((None, Some(line.trim())))
}
