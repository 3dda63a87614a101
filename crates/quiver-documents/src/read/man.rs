//! Manual pages, in the macros `man` or `mdoc`. Their headings, lists and examples become those of Markdown, their lines
//! are filled as on a terminal, and fonts, conditions and definitions are left out.

mod escape;
mod mdoc;

use super::{fold, markup, with_headings};
use crate::document::Document;
use escape::plain;
use std::{iter::Peekable, str::Lines};

/// A page begins within this many lines; the programs that write pages put up to a hundred definitions before it.
const PREAMBLE_LINES_MAX: usize = 1000;

/// A paragraph of more bytes is no term of a list.
const TERM_BYTES_MAX: usize = 120;

/// Whether a file with this ending, in small letters, is a manual page: the ending is a section such as `1` or `3p`, and
/// the page says what it is called before its first text.
pub(super) fn is_page(ending: &str, text: &str) -> bool {
    let is_section = ending.strip_prefix(|digit: char| ('1'..='9').contains(&digit));
    if !is_section.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_lowercase())) {
        return false;
    }
    let mut end: Option<String> = None;
    for line in text.lines().take(PREAMBLE_LINES_MAX) {
        if let Some(mark) = &end {
            if is_end(line, mark) {
                end = None;
            }
            continue;
        }
        match request(line) {
            Some(("TH" | "Dd", _)) => return true,
            Some((name, rest)) => end = definition(name, rest),
            // A blank line, or the rest of a request.
            None if line.trim().is_empty() || line.trim_start().starts_with('\\') => {}
            None => return false,
        }
    }
    false
}

pub(super) fn document(text: &str) -> Document {
    let mut page = Page {
        lines: text.lines().peekable(),
        text: String::with_capacity(text.len()),
        title: None,
        paragraph: 0,
        next: Next::Text,
        lead: None,
        is_indented: false,
        mode: Mode::Filled,
        joins: false,
        otherwise: false,
        address: String::new(),
        mdoc: None,
    };
    while let Some(line) = page.line() {
        page.read(&line);
    }
    page.end_block();
    page.text.truncate(page.text.trim_end().len());
    page.text.push('\n');
    with_headings(page.text.trim_start().to_owned(), page.title)
}

/// What the next line of text is.
#[derive(Clone, Copy)]
enum Next {
    Text,
    Heading(usize),
    Term,
}

/// What becomes of lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// They are words of a paragraph.
    Filled,
    /// They are kept as they are, in a fence that is opened before the next one.
    Unfilled,
    /// They are kept as they are, in the open fence.
    Fenced,
}

/// A page while it is read.
struct Page<'t> {
    lines: Peekable<Lines<'t>>,
    /// What was read so far.
    text: String,
    title: Option<String>,
    /// Where the last paragraph of the text begins that is no item of a list.
    paragraph: usize,
    next: Next,
    /// What the next text begins with: the mark of a list, and the term with a colon.
    lead: Option<String>,
    /// Whether a part that is indented has begun below the lead: its paragraphs are the item's.
    is_indented: bool,
    mode: Mode,
    /// Whether the next text follows without a space.
    joins: bool,
    /// Whether the next `.el` holds.
    otherwise: bool,
    /// Where the link leads whose text is being read.
    address: String,
    mdoc: Option<mdoc::State>,
}

impl Page<'_> {
    /// The next line, with those that continue it.
    fn line(&mut self) -> Option<String> {
        let mut line = self.lines.next()?.to_owned();
        while ends_open(&line) {
            line.pop();
            line.push_str(self.lines.next().unwrap_or_default());
        }
        Some(line)
    }

    fn read(&mut self, line: &str) {
        let mut line = line;
        while let Some((name, rest)) = request(line) {
            if !matches!(name, "if" | "ie" | "el" | "while") {
                self.request(name, rest);
                return;
            }
            let (test, body) = rest.split_at(rest.find([' ', '\t', '\\']).unwrap_or(rest.len()));
            let (holds, body) = match name {
                "el" => (self.otherwise, rest),
                // A page is read as on a terminal; what asks for anything else does not hold.
                _ => (matches!(test, "n" | "!t" | "o"), body),
            };
            if name == "ie" {
                self.otherwise = !holds;
            }
            if !holds {
                self.skip_block(rest);
                return;
            }
            let body = body.trim_start();
            line = body.strip_prefix("\\{").map_or(body, str::trim_start);
            if line.is_empty() {
                return;
            }
        }
        let is_indented = line.starts_with([' ', '\t']);
        let (text, joins) = plain(line);
        if text.trim().is_empty() && !joins {
            let is_blank = line.trim().is_empty();
            if is_blank {
                self.paragraph();
            }
            return;
        }
        if is_indented && self.mode == Mode::Filled {
            self.break_line();
        }
        self.put(&text, false, joins);
    }

    fn request(&mut self, name: &str, rest: &str) {
        if let Some(end) = definition(name, rest) {
            while self.lines.next().is_some_and(|line| !is_end(line, &end)) {}
            return;
        }
        match name {
            "br" => self.break_line(),
            "sp" | "Sp" => self.paragraph(),
            "nf" | "EX" | "Vb" => self.unfill(),
            "fi" | "EE" | "Ve" => self.fill(),
            "TS" => self.table(),
            "EQ" => self.skip_to(".EN"),
            "PS" => self.skip_to(".PE"),
            _ if self.mdoc.is_some() || matches!(name, "Dd" | "Dt" | "Sh") => self.mdoc_request(name, rest),
            _ => self.man_request(name, rest),
        }
    }

    fn man_request(&mut self, name: &str, rest: &str) {
        let (words, joins) = arguments(rest);
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        match name {
            "TH" => self.entitle(word(0), word(1)),
            "SH" => self.heading(1, &words.join(" ")),
            "SS" => self.heading(2, &words.join(" ")),
            "PP" | "P" | "LP" | "HP" if self.lead.is_some() && !self.is_indented => self.end_block(),
            "PP" | "P" | "LP" | "HP" | "YS" | "RE" => self.paragraph(),
            "RS" => self.indent(),
            "TP" => {
                self.end_block();
                self.next = Next::Term;
            }
            "TQ" => self.next = Next::Term,
            "IP" => self.item(word(0)),
            "bP" => self.item("•"),
            "UR" | "MT" => word(0).clone_into(&mut self.address),
            "UE" | "ME" if !self.address.is_empty() => {
                let address = std::mem::take(&mut self.address);
                self.put(&format!("<{address}>{}", word(0)), false, joins);
            }
            "URL" => self.put(&format!("{} <{}>{}", word(1), word(0), word(2)), false, joins),
            "OP" => self.put(&format!("[{}]", words.join(" ")), false, joins),
            "SY" => {
                self.break_line();
                self.put(&words.join(" "), false, joins);
            }
            _ => {
                if let Some(text) = with_fonts(name, &words) {
                    self.put(&text, false, joins);
                }
            }
        }
    }

    fn entitle(&mut self, name: &str, section: &str) {
        let (name, section) = (fold(name), fold(section));
        if !name.is_empty() {
            self.title = Some(if section.is_empty() { name } else { format!("{name}({section})") });
        }
    }

    fn heading(&mut self, level: usize, words: &str) {
        self.fill();
        self.end_block();
        let words = fold(words);
        if words.is_empty() {
            self.next = Next::Heading(level);
            return;
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        markup::heading_line(&mut self.text, level, &words);
    }

    /// Adds a text, and says whether it joins what stands before and after it.
    fn put(&mut self, text: &str, joins_before: bool, joins_after: bool) {
        if let Some(term) = self.mdoc.as_mut().and_then(|mdoc| mdoc.term.as_mut()) {
            if !(term.is_empty() || self.joins || joins_before) {
                term.push(' ');
            }
            term.push_str(text.trim());
            self.joins = joins_after;
            return;
        }
        match std::mem::replace(&mut self.next, Next::Text) {
            Next::Heading(level) => return self.heading(level, text),
            Next::Term => return self.term(text),
            Next::Text if self.mode != Mode::Filled => self.put_unfilled(text, joins_after),
            Next::Text => self.put_filled(text, joins_before),
        }
        self.joins = joins_after && !text.ends_with(' ');
    }

    fn put_filled(&mut self, text: &str, joins_before: bool) {
        let text = fold(text);
        if text.is_empty() {
            return;
        }
        let begins = self.text.is_empty() || self.text.ends_with('\n');
        if let Some(lead) = self.lead.take() {
            self.start_line();
            self.paragraph = usize::MAX;
            self.text.extend([lead.as_str(), " "]);
        } else if begins {
            if self.text.is_empty() || self.text.ends_with("\n\n") {
                self.paragraph = self.text.len();
            }
            self.text.push_str(guard(&text));
        } else if !self.joins && !joins_before {
            self.text.push(' ');
        }
        self.text.push_str(&text);
    }

    fn put_unfilled(&mut self, text: &str, joins_after: bool) {
        if self.mode != Mode::Fenced {
            self.flush_lead();
            self.paragraph();
            self.text.push_str("```\n");
            self.mode = Mode::Fenced;
        }
        if self.text.ends_with('\n') {
            self.text.push_str(if text.trim_start().starts_with("```") { GUARD } else { "" });
        }
        self.text.push_str(if joins_after { text } else { text.trim_end() });
        if !joins_after {
            self.text.push('\n');
        }
    }

    fn start_line(&mut self) {
        if !(self.text.is_empty() || self.text.ends_with('\n')) {
            self.text.push('\n');
        }
    }

    fn break_line(&mut self) {
        if self.mode != Mode::Fenced {
            self.start_line();
        }
        self.joins = false;
    }

    /// Ends a paragraph; in an example this is a blank line.
    fn paragraph(&mut self) {
        self.start_line();
        if !(self.text.is_empty()
            || self.text.ends_with("\n\n")
            || self.text.ends_with("```\n") && self.mode == Mode::Fenced)
        {
            self.text.push('\n');
        }
        self.joins = false;
    }

    fn unfill(&mut self) {
        if self.mode == Mode::Filled {
            self.mode = Mode::Unfilled;
        }
    }

    fn fill(&mut self) {
        self.close_fence();
        self.mode = Mode::Filled;
    }

    fn close_fence(&mut self) {
        if self.mode == Mode::Fenced {
            self.mode = Mode::Unfilled;
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str("\n```\n\n");
        }
    }

    /// Ends what stands before a heading or an item.
    fn end_block(&mut self) {
        if let Some(term) = self.mdoc.as_mut().and_then(|mdoc| mdoc.term.take()) {
            self.lead = Some(format!("- {term}:"));
        }
        self.close_fence();
        self.flush_lead();
        self.paragraph();
        self.next = Next::Text;
    }

    /// Writes an item that has a term and no text, or one whose text is an example.
    fn flush_lead(&mut self) {
        let lead = self.lead.take().filter(|lead| lead.contains(char::is_alphanumeric));
        if let Some(lead) = lead {
            self.start_line();
            self.text.extend([lead.trim_end_matches(':'), "\n"]);
        }
    }

    /// Takes a text as the term of an item, or as another term of it.
    fn term(&mut self, term: &str) {
        let term = fold(term);
        let terms = match self.lead.take() {
            Some(lead) if lead.ends_with(':') => format!("{}, {term}:", lead.trim_end_matches(':')),
            _ => format!("- {term}:"),
        };
        self.lead = Some(terms);
        self.is_indented = false;
    }

    /// Begins an item with a mark, a number or a term; without any, it is another paragraph of the last one.
    fn item(&mut self, tag: &str) {
        let tag = tag.trim();
        if tag.is_empty() {
            self.next = Next::Text;
            self.close_fence();
            self.paragraph();
            return;
        }
        self.end_block();
        let number = tag.trim_matches(['(', ')', '.', '[', ']']);
        if !tag.contains(char::is_alphanumeric) || tag == "o" {
            self.lead = Some("-".to_owned());
        } else if number.len() < tag.len()
            && number.len() < 4
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            self.lead = Some(format!("{number}."));
        } else {
            self.term(tag.trim_end_matches(':'));
        }
    }

    /// Begins a part that is indented. A short line before it is the term of what follows.
    fn indent(&mut self) {
        let last = self.text.get(self.paragraph..).unwrap_or_default();
        let is_term = !last.is_empty()
            && last.len() <= TERM_BYTES_MAX
            && !last.trim_end().contains('\n')
            && !last.ends_with("\n\n")
            && !last.trim_end().ends_with(['.', ':', '!', '?']);
        if is_term && self.mode == Mode::Filled && self.lead.is_none() {
            let term = last.trim_end().to_owned();
            self.text.truncate(self.paragraph);
            self.term(&term);
        } else {
            self.paragraph();
        }
        self.is_indented = self.lead.is_some();
    }

    /// Reads a table, each row a paragraph of its cells.
    fn table(&mut self) {
        self.fill();
        self.end_block();
        let mut separator = '\t';
        let mut in_format = true;
        while let Some(line) = self.lines.next_if(|line| !is_heading(line)) {
            let bare = line.trim_end();
            match request(bare) {
                Some(("TE", _)) => break,
                Some(("T&", _)) => in_format = true,
                Some(_) => {}
                None if in_format => {
                    if let Some((_, mark)) = bare.split_once("tab(").or_else(|| bare.split_once("tab (")) {
                        separator = mark.chars().next().unwrap_or(separator);
                    }
                    in_format = !bare.ends_with('.');
                }
                None => self.row(line, separator),
            }
        }
        self.paragraph();
    }

    /// Reads a row, whose last cell may go over many lines, between `T{` and `T}`.
    fn row(&mut self, line: &str, separator: char) {
        let mut cells: Vec<String> = Vec::new();
        let mut line = line;
        loop {
            let mut parts: Vec<&str> = line.split(separator).collect();
            let is_open = parts.last().is_some_and(|part| part.trim() == "T{");
            if is_open {
                parts.pop();
            }
            cells.extend(parts.iter().map(|part| fold(&plain(part).0)));
            if !is_open {
                break;
            }
            let mut cell = String::new();
            let mut end = None;
            while let Some(line) = self.lines.next_if(|line| !is_heading(line) && !line.starts_with(".TE")) {
                if let Some(rest) = line.strip_prefix("T}") {
                    end = Some(rest.strip_prefix(separator).unwrap_or_default());
                    break;
                }
                let text = match request(line) {
                    Some((name, rest)) => with_fonts(name, &arguments(rest).0).unwrap_or_default(),
                    None => plain(line).0,
                };
                cell.extend([text.as_str(), " "]);
            }
            cells.push(fold(&cell));
            match end {
                Some(rest) if !rest.is_empty() => line = rest,
                _ => break,
            }
        }
        cells.retain(|cell| !matches!(cell.as_str(), "" | "_" | "="));
        self.put_filled(&cells.join("; "), false);
        self.paragraph();
    }

    /// Leaves out the body of a condition that does not hold. A heading is never in one.
    fn skip_block(&mut self, line: &str) {
        let depth = |line: &str| {
            line.matches("\\{").count().cast_signed() - line.matches("\\}").count().cast_signed()
        };
        let mut open = depth(line);
        while open > 0 {
            let Some(line) = self.lines.next_if(|line| !is_heading(line)) else { return };
            open += depth(line);
        }
    }

    /// Leaves out a formula or a picture.
    fn skip_to(&mut self, end: &str) {
        while let Some(line) = self.lines.next_if(|line| !is_heading(line)) {
            if line.starts_with(end) {
                return;
            }
        }
    }
}

/// What keeps a text from being read as markup: no mark counts behind so many spaces, even in a list.
const GUARD: &str = "      ";

/// What stands before a text so that it is no heading, fence or rule.
fn guard(text: &str) -> &'static str {
    let is_heading = text.starts_with('#') && text.trim_start_matches('#').starts_with([' ', '\t']);
    let is_rule = text.bytes().all(|byte| matches!(byte, b'#' | b'=' | b'-' | b'_' | b'*'));
    if is_heading || is_rule || text.starts_with("```") || text.starts_with("~~~") { GUARD } else { "" }
}

/// The name of a line's request or macro, and what follows it; `None` for a line of text.
fn request(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(['.', '\''])?.trim_start_matches([' ', '\t']);
    let (name, rest) = rest.split_at(rest.find([' ', '\t', '\\']).unwrap_or(rest.len()));
    Some((name, rest.trim_start_matches([' ', '\t'])))
}

fn is_heading(line: &str) -> bool {
    matches!(request(line), Some(("SH" | "Sh" | "SS" | "Ss" | "TH", _)))
}

/// The mark that ends a definition, or a part that is ignored.
fn definition(name: &str, rest: &str) -> Option<String> {
    let mut words = rest.split_whitespace().take_while(|word| !word.starts_with("\\\""));
    let end = match name {
        "de" | "de1" | "dei" | "am" | "am1" | "ami" => words.nth(1),
        "ig" => words.next(),
        _ => return None,
    };
    Some(end.unwrap_or(".").to_owned())
}

fn is_end(line: &str, mark: &str) -> bool {
    line.strip_prefix('.').is_some_and(|rest| rest.trim() == mark)
}

/// Whether a line ends with a backslash that is not escaped itself.
fn ends_open(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// The arguments of a macro without their escapes, and whether the last ends with `\c`. A `"` holds words together, and
/// two within it are one.
fn arguments(rest: &str) -> (Vec<String>, bool) {
    let (mut words, mut joins) = (Vec::new(), false);
    let mut rest = rest.trim_start_matches([' ', '\t']);
    while !rest.is_empty() && !rest.starts_with("\\\"") {
        let (is_quoted, mut word) = (rest.starts_with('"'), String::new());
        let mut marks = rest.char_indices().skip(usize::from(is_quoted)).peekable();
        let mut end = rest.len();
        while let Some((at, c)) = marks.next() {
            match c {
                '\\' => {
                    word.push(c);
                    word.extend(marks.next().map(|(_, c)| c));
                }
                '"' if is_quoted => {
                    if marks.next_if(|(_, next)| *next == '"').is_none() {
                        end = at + 1;
                        break;
                    }
                    word.push('"');
                }
                ' ' | '\t' if !is_quoted => {
                    end = at;
                    break;
                }
                _ => word.push(c),
            }
        }
        let (text, is_open) = plain(&word);
        joins = is_open;
        words.push(text);
        rest = rest[end..].trim_start_matches([' ', '\t']);
    }
    (words, joins)
}

/// The text of a macro that sets a font: one font parts its arguments by spaces, alternating fonts join them.
fn with_fonts(name: &str, words: &[String]) -> Option<String> {
    match name {
        "B" | "I" | "R" | "SM" | "SB" | "CW" => Some(words.join(" ")),
        "BR" | "BI" | "IB" | "IR" | "RB" | "RI" => Some(words.concat()),
        "MR" => {
            let [name, section, rest] = [0, 1, 2].map(|at| words.get(at).map_or("", String::as_str));
            Some(format!("{name}({section}){rest}"))
        }
        _ => None,
    }
    .filter(|text| !text.trim().is_empty())
}
