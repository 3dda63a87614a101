//! Markup within lines of `AsciiDoc`: marks, links, macros, references to attributes. See
//! <https://docs.asciidoctor.org/asciidoc/latest/syntax-quick-reference/>.

use crate::read::html;
use std::collections::HashMap;

/// Maximum number of bytes between a mark and the one that ends it. It keeps the run time linear.
const SPAN_BYTES_MAX: usize = 2000;
/// Maximum number of bytes of the value of an attribute that is put in the place of its name.
const VALUE_BYTES_MAX: usize = 1000;
/// Macros of projects that show what they refer to if they have no text.
const REFERENCES: &[&str] = &["javadoc", "kdoc", "apiref", "configprop"];
/// Macros of projects that refer to a manual page: `man:ls[1]`.
const MANUALS: &[&str] = &["man", "linkgit"];
/// Attributes that every document has.
const CHARACTERS: &[(&str, &str)] = &[
    ("amp", "&"),
    ("apos", "'"),
    ("asterisk", "*"),
    ("backslash", "\\"),
    ("backtick", "`"),
    ("blank", ""),
    ("caret", "^"),
    ("cpp", "C++"),
    ("deg", "°"),
    ("empty", ""),
    ("endsb", "]"),
    ("gt", ">"),
    ("ldquo", "“"),
    // That of the manual pages of Git.
    ("litdd", "--"),
    ("lsquo", "‘"),
    ("lt", "<"),
    ("nbsp", " "),
    ("plus", "+"),
    ("pp", "++"),
    ("quot", "\""),
    ("rdquo", "”"),
    ("rsquo", "’"),
    ("sp", " "),
    ("startsb", "["),
    ("tilde", "~"),
    ("two-colons", "::"),
    ("two-semicolons", ";;"),
    ("vbar", "|"),
    ("wj", ""),
    ("zwsp", ""),
];

/// What a document says about its words: the attributes that it has set so far, and the titles of its sections.
#[derive(Default)]
pub(super) struct Names {
    attributes: HashMap<String, String>,
    titles: HashMap<String, String>,
    /// How many more bytes values may add to the text.
    bytes_left: usize,
}

impl Names {
    /// The names of a text of so many bytes.
    pub(super) fn new(text_bytes: usize) -> Self {
        Self { bytes_left: text_bytes.saturating_mul(4).saturating_add(1 << 16), ..Self::default() }
    }

    /// Sets an attribute; without a value it is unset.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) {
        let name = name.to_lowercase();
        match value {
            Some(value) => {
                let value = self.with_values(value);
                self.attributes.insert(name, value);
            }
            None => {
                self.attributes.remove(&name);
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// Records the title of the section with this identifier. The first one stays.
    pub(super) fn add_title(&mut self, id: &str, title: &str) {
        self.titles.entry(folded(id)).or_insert_with(|| title.to_owned());
    }

    /// A text as Markdown.
    pub(super) fn markdown(&mut self, text: &str) -> String {
        let text = self.with_values(text);
        Inline::new(&text, &self.titles, false).read()
    }

    /// A text without marks and the targets of links, as the cells of a table are read.
    pub(super) fn plain(&mut self, text: &str) -> String {
        let text = self.with_values(text);
        Inline::new(&text, &self.titles, true).read()
    }

    /// A text with the values of the attributes that it refers to. A name that is not set stays.
    pub(super) fn with_values(&mut self, text: &str) -> String {
        let mut read = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(['{', '`']) {
            let (before, after) = (&rest[..start], &rest[start + 1..]);
            if rest[start..].starts_with('`') {
                // Code that is literal: `+{name}+`.
                let span = &after[..after.floor_char_boundary(SPAN_BYTES_MAX)];
                let literal = span.strip_prefix('+').and_then(|span| span.find("+`"));
                let end = start + literal.map_or(1, |end| end + "`++`".len());
                read.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let length = after.bytes().take_while(|byte| is_name_byte(*byte)).count();
            let name = after[..length].to_lowercase();
            let is_reference = length > 0 && after[length..].starts_with('}');
            let value = if is_reference { self.value(&name) } else { None };
            match value {
                _ if is_reference && before.ends_with('\\') => {
                    read.extend([&before[..start - 1], &rest[start..start + length + 2]]);
                }
                Some(value) => {
                    let value = value.to_owned();
                    self.bytes_left = self.bytes_left.saturating_sub(value.len());
                    read.extend([before, &value]);
                }
                None => {
                    read.push_str(&rest[..=start]);
                    rest = after;
                    continue;
                }
            }
            rest = &after[length + 1..];
        }
        read.push_str(rest);
        read
    }

    fn value(&self, name: &str) -> Option<&str> {
        let own = self.get(name).filter(|value| value.len() <= VALUE_BYTES_MAX.min(self.bytes_left));
        own.or_else(|| CHARACTERS.iter().find(|(known, _)| *known == name).map(|(_, character)| *character))
    }
}

/// An identifier or a title, without what identifiers made of titles leave out.
fn folded(id: &str) -> String {
    id.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text can be the identifier of a place in a document.
pub(super) fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| is_word(c) || c == ':')
        && text.chars().all(|c| is_word(c) || matches!(c, '-' | '.' | ':'))
}

/// The end of a mark: where it stands, how long it is, and what is written for it.
struct End {
    at: usize,
    bytes: usize,
    mark: String,
    is_link: bool,
}

/// A text that is being read, once from its beginning to its end.
struct Inline<'t> {
    text: &'t str,
    titles: &'t HashMap<String, String>,
    is_plain: bool,
    at: usize,
    read: String,
    /// The marks that are open, outermost first. Each ends before those around it.
    ends: Vec<End>,
}

impl<'t> Inline<'t> {
    fn new(text: &'t str, titles: &'t HashMap<String, String>, is_plain: bool) -> Self {
        let read = String::with_capacity(text.len());
        Self { text, titles, is_plain, at: 0, read, ends: Vec::new() }
    }

    fn read(mut self) -> String {
        loop {
            while let Some(end) = self.ends.pop_if(|end| end.at <= self.at) {
                self.read.push_str(&end.mark);
                self.at = self.at.max(end.at + end.bytes);
            }
            let Some(c) = self.text[self.at..].chars().next() else { break };
            let is_word_start = c.is_ascii_lowercase() && !self.before().is_some_and(is_word);
            let is_read = match c {
                '\\' => self.escape(),
                '`' => self.code(),
                '*' => self.strong(),
                '_' => self.is_plain && self.between("_", "", ""),
                '+' => self.literal_between() || self.line_break(),
                '$' => self.verbatim("$$"),
                '#' => self.between("#", "", ""),
                '~' => self.lowered(),
                '^' => self.raised(),
                '[' => self.anchor() || self.role(),
                '<' => self.reference(),
                '(' => self.index_term(),
                '{' => self.unknown_target(),
                '"' => self.quotation("\"`", "`\"", "\""),
                '\'' => self.quotation("'`", "`'", "'"),
                _ if is_word_start => self.url() || self.macro_at(),
                _ => false,
            };
            if !is_read {
                self.copy(c);
            }
        }
        self.read
    }

    /// Copies a character, or the rest of the word that it begins.
    fn copy(&mut self, c: char) {
        let rest = &self.text[self.at..self.limit()];
        let word = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        // A footnote may stand right behind a word.
        let stem = rest[..word].strip_suffix("footnote").filter(|stem| !stem.is_empty()).map(str::len);
        if let Some(stem) = stem.filter(|_| rest[word..].starts_with(':')) {
            self.read.push_str(&rest[..stem]);
            self.at += stem;
            if self.macro_at() {
                return;
            }
        }
        let rest = &self.text[self.at..self.limit()];
        let word = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let end = self.at + word.max(c.len_utf8());
        self.read.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    fn before(&self) -> Option<char> {
        self.text[..self.at].chars().next_back()
    }

    /// Where the innermost open mark ends.
    fn limit(&self) -> usize {
        self.ends.last().map_or(self.text.len(), |end| end.at)
    }

    /// The text from a position on in which the end of a mark may be.
    fn span(&self, from: usize) -> &'t str {
        let end = self.limit().min(from.saturating_add(SPAN_BYTES_MAX));
        let end = self.text.floor_char_boundary(end);
        self.text.get(from..end).unwrap_or_default()
    }

    /// Where a mark ends that begins here, if it stands around words rather than in one: `*so*`, but not `a * b * c`.
    fn end_of(&self, mark: &str) -> Option<usize> {
        let from = self.at + mark.len();
        let span = self.span(from);
        let is_apart = !self.before().is_some_and(|c| is_word(c) || mark.starts_with(c));
        if !is_apart || span.starts_with(|c: char| c.is_whitespace() || mark.starts_with(c)) {
            return None;
        }
        let is_end = |at: &usize| {
            *at > 0
                && !span[..*at].ends_with(|c: char| c.is_whitespace() || c == '\\')
                && !self.text[from + at + mark.len()..].starts_with(is_word)
        };
        span.match_indices(mark).map(|(at, _)| at).find(is_end).map(|at| from + at)
    }

    /// Opens a mark that ends at a position, and writes what stands for it.
    fn open(&mut self, from: usize, end: End, mark: &str) {
        self.read.push_str(mark);
        self.at = from;
        self.ends.push(end);
    }

    fn between(&mut self, mark: &str, opening: &str, closing: &str) -> bool {
        let Some(at) = self.end_of(mark) else { return false };
        let end = End { at, bytes: mark.len(), mark: closing.to_owned(), is_link: false };
        self.open(self.at + mark.len(), end, opening);
        true
    }

    fn strong(&mut self) -> bool {
        let mark = if self.is_plain { "" } else { "**" };
        if !self.text[self.at..].starts_with("**") {
            return self.between("*", mark, mark);
        }
        let from = self.at + 2;
        let span = self.span(from);
        let end = span.find("**").filter(|at| *at > 0 && !span.starts_with(char::is_whitespace));
        let Some(at) = end.filter(|at| !span[..*at].ends_with(char::is_whitespace)) else {
            self.read.push_str("**");
            self.at = from;
            return true;
        };
        self.open(from, End { at: from + at, bytes: 2, mark: mark.to_owned(), is_link: false }, mark);
        true
    }

    fn quotation(&mut self, opening: &str, closing: &str, mark: &str) -> bool {
        if !self.text[self.at..].starts_with(opening) {
            return false;
        }
        let from = self.at + opening.len();
        let Some(at) = self.span(from).find(closing).filter(|at| *at > 0) else { return false };
        let end = End { at: from + at, bytes: closing.len(), mark: mark.to_owned(), is_link: false };
        self.open(from, end, mark);
        true
    }

    fn code(&mut self) -> bool {
        let mark = if self.text[self.at..].starts_with("``") { "``" } else { "`" };
        let from = self.at + mark.len();
        let end = if mark == "``" {
            let span = self.span(from);
            span.find("``").filter(|at| *at > 0).map(|at| from + at)
        } else {
            self.end_of(mark)
        };
        let Some(end) = end else {
            self.read.push_str(mark);
            self.at = from;
            return true;
        };
        let content = &self.text[from..end];
        let is_around = |mark: &str| {
            content.len() > 2 * mark.len() && content.starts_with(mark) && content.ends_with(mark)
        };
        let around = ["++", "+"].into_iter().find(|mark| is_around(mark)).map_or(0, str::len);
        let content = &content[around..content.len() - around];
        let is_macro = |name: &&str| content.starts_with(*name) && content.ends_with(']');
        if around == 0 && ["link:", "xref:", "pass:"].iter().any(is_macro) {
            // A link in code is a link.
            self.at = from;
            self.ends.push(End { at: end, bytes: mark.len(), mark: String::new(), is_link: false });
            if self.macro_at() {
                return true;
            }
            self.ends.pop();
        }
        self.write_code(content, end + mark.len())
    }

    /// Writes code, and goes on at a position.
    fn write_code(&mut self, code: &str, end: usize) -> bool {
        let mark = match code.contains('`') {
            _ if self.is_plain => "",
            true => "``",
            false => "`",
        };
        let space = if code.contains('`') && !self.is_plain { " " } else { "" };
        self.read.extend([mark, space, code, space, mark]);
        self.at = end;
        true
    }

    /// Writes what is no markup: as code, if Markdown would read it as such.
    fn write_literal(&mut self, literal: &str, end: usize) -> bool {
        if literal.contains("</") {
            self.read.push_str(html::fragment(literal).trim());
            self.at = end;
            return true;
        }
        if literal.contains(['*', '_', '`', '[', '<', '\\']) {
            return self.write_code(literal, end);
        }
        self.read.push_str(literal);
        self.at = end;
        true
    }

    fn literal_between(&mut self) -> bool {
        if self.text[self.at..].starts_with("+++") {
            return self.verbatim("+++");
        }
        if self.text[self.at..].starts_with("++") {
            let is_apart = !self.before().is_some_and(is_word);
            return is_apart && self.verbatim("++");
        }
        let Some(end) = self.end_of("+") else { return false };
        self.write_literal(&self.text[self.at + 1..end], end + 1)
    }

    fn verbatim(&mut self, mark: &str) -> bool {
        if !self.text[self.at..].starts_with(mark) {
            return false;
        }
        let from = self.at + mark.len();
        let span = self.span(from);
        let content = span.find(mark).map(|at| &span[..at]);
        let is_content = |content: &&str| !content.is_empty() && content.trim() == *content;
        let Some(content) = content.filter(is_content) else { return false };
        self.write_literal(content, from + content.len() + mark.len())
    }

    /// A line break: ` +` at the end of a line.
    fn line_break(&mut self) -> bool {
        let rest = &self.text[self.at + 1..];
        let is_break = self.before() == Some(' ') && (rest.is_empty() || rest.starts_with('\n'));
        if is_break {
            self.read.push_str(if rest.is_empty() { "" } else { " " });
            self.at += 1;
        }
        is_break
    }

    /// A short text without spaces between two marks: `H~2~O`.
    fn short_between(&self, mark: char) -> Option<&'t str> {
        let span = self.span(self.at + 1);
        let length = span.bytes().take(16).take_while(|byte| is_name_byte(*byte) || *byte == b'+').count();
        (length > 0 && span[length..].starts_with(mark)).then(|| &span[..length])
    }

    fn lowered(&mut self) -> bool {
        let Some(text) = self.short_between('~') else { return false };
        self.read.push_str(text);
        self.at += text.len() + 2;
        true
    }

    fn raised(&mut self) -> bool {
        let Some(text) = self.short_between('^') else { return false };
        // "m^2^" is no m2, but "19^th^" is the 19th.
        if text.starts_with(|c: char| !c.is_alphabetic()) {
            self.read.push('^');
        }
        self.read.push_str(text);
        self.at += text.len() + 2;
        true
    }

    /// The name of a place: `[[id]]`, or that of a book, `[[[Knuth]]]`.
    fn anchor(&mut self) -> bool {
        let span = self.span(self.at);
        let marks = span.bytes().take(3).take_while(|byte| *byte == b'[').count();
        let Some(end) = span.find("]]").filter(|_| marks > 1) else { return false };
        let id = span[marks..end].split(',').next().unwrap_or_default();
        if !is_id(id) || marks == 3 && !span[end..].starts_with("]]]") {
            return false;
        }
        if marks == 3 {
            self.read.extend(["[", id, "]"]);
        }
        self.at += end + marks;
        true
    }

    /// The role of a text, `[.term]#bobbin#`, which is left out.
    fn role(&mut self) -> bool {
        let span = self.span(self.at);
        let Some(end) = span.find(']') else { return false };
        let role = &span[1..end];
        let is_list = role.chars().all(|c| is_word(c) || " .#%-".contains(c));
        let is_role = role.starts_with(['.', '#', '%']);
        let next = span[end + 1..].chars().next();
        let is_marked = next == Some('#') || is_role && matches!(next, Some('*' | '_' | '`' | '+'));
        if !is_list || !is_marked || self.before().is_some_and(is_word) {
            return false;
        }
        let at = self.at;
        self.at += end + 1;
        if next != Some('#') {
            return true;
        }
        let from = self.at + 2;
        let is_inner = self.text[self.at..].starts_with("##");
        if let Some(end) = self.span(from).find("##").filter(|_| is_inner) {
            self.open(from, End { at: from + end, bytes: 2, mark: String::new(), is_link: false }, "");
            return true;
        }
        let is_read = self.between("#", "", "");
        if !is_read {
            self.at = at;
        }
        is_read
    }

    /// A reference to a place, `<<id>>` or `<<id,text>>`.
    fn reference(&mut self) -> bool {
        let from = self.at + 2;
        let span = self.span(from);
        let is_apart = !self.before().is_some_and(|c| is_word(c) || c == '<');
        if !self.text[self.at..].starts_with("<<") || !is_apart {
            return false;
        }
        let Some(end) = span.find(">>") else { return false };
        let (id, text) = span[..end].split_once(',').map_or((&span[..end], ""), |(id, text)| (id, text));
        let bare = id.trim_start_matches('#');
        let is_target = |c: char| is_word(c) || "-.:#/".contains(c);
        let is_place = bare.starts_with(is_word) && bare.chars().all(is_target);
        if !is_place && !self.titles.contains_key(&folded(id)) {
            return false;
        }
        let text_at = from + end - text.len();
        let start = text_at + (text.len() - text.trim_start().len());
        self.link_to_place(bare, start..from + end, from + end + 2);
        true
    }

    /// Writes a link to a place of this document or of another. Without words it has the title of the place.
    fn link_to_place(&mut self, id: &str, words: std::ops::Range<usize>, end: usize) {
        let is_file = id.contains(['#', '/']) || id.contains(".adoc");
        let target = if is_file { id.to_owned() } else { format!("#{}", id.replace(' ', "-")) };
        if !self.text[words.clone()].trim().is_empty() {
            return self.link(&target, words, end);
        }
        let title = self.titles.get(&folded(id)).map_or(id.trim_start_matches('_'), String::as_str);
        if self.is_in_link() || title == target {
            self.read.push_str(title);
        } else {
            self.read.extend(["[", title, "](", &written(&target), ")"]);
        }
        self.at = end;
    }

    fn is_in_link(&self) -> bool {
        self.is_plain || self.ends.iter().rev().take(8).any(|end| end.is_link)
    }

    /// Opens a link with these words, after which the text goes on at a position.
    fn link(&mut self, target: &str, words: std::ops::Range<usize>, end: usize) {
        let is_text = self.is_in_link();
        let (opening, mark) =
            if is_text { ("", String::new()) } else { ("[", format!("]({})", written(target))) };
        let bytes = end.saturating_sub(words.end);
        self.open(words.start, End { at: words.end, bytes, mark, is_link: true }, opening);
    }

    /// A term of the index: `((bobbin))` is text, `(((bobbin, wooden)))` is not.
    fn index_term(&mut self) -> bool {
        let span = self.span(self.at);
        let marks = span.bytes().take(4).take_while(|byte| *byte == b'(').count();
        let ending = match marks {
            2 => "))",
            3 => ")))",
            _ => return false,
        };
        let Some(end) = span.find(ending).filter(|_| !self.before().is_some_and(is_word)) else {
            return false;
        };
        let term = &span[marks..end];
        if term.trim() != term || !term.contains(char::is_alphabetic) || term.contains(['(', '=', '&', '$']) {
            return false;
        }
        if marks == 2 {
            self.read.push_str(term);
        }
        self.at += end + marks;
        true
    }

    fn url(&mut self) -> bool {
        let rest = &self.text[self.at..self.limit()];
        let schemes = ["https://", "http://", "ftp://", "irc://", "file://"];
        if !schemes.iter().any(|scheme| rest.starts_with(scheme)) {
            return false;
        }
        let is_end = |c: char| c.is_whitespace() || "[]<>\"`".contains(c);
        let end = self.at + rest.find(is_end).unwrap_or(rest.len());
        let url = &self.text[self.at..end];
        let close = if self.text[end..].starts_with('[') { self.bracket_end(end + 1) } else { None };
        match close {
            Some(close) => match self.words(end + 1, close) {
                Some(words) => self.link(url, words, close + 1),
                None => self.write(url, close + 1),
            },
            None => self.write(url, end),
        }
        true
    }

    /// A link to a target that another file sets, `{url-guide}/start[the guide]`: its words.
    fn unknown_target(&mut self) -> bool {
        let span = self.span(self.at);
        let name = span[1..].bytes().take_while(|byte| is_name_byte(*byte)).count();
        let length = span.find(|c: char| c.is_whitespace() || c == '[').unwrap_or(span.len());
        let is_target = name > 0 && span[1 + name..].starts_with('}') && span[length..].starts_with('[');
        let from = self.at + length + 1;
        let Some(close) = self.bracket_end(from).filter(|_| is_target) else { return false };
        if self.before().is_some_and(|c| is_word(c) || "$@^".contains(c)) {
            return false;
        }
        match self.words(from, close) {
            Some(words) if self.text[words.clone()].contains(char::is_alphabetic) => {
                let bytes = close + 1 - words.end;
                self.open(words.start, End { at: words.end, bytes, mark: String::new(), is_link: true }, "");
            }
            None if from == close => {
                let target = &span[..length];
                self.write(target.rsplit_once('/').map_or(target, |(_, file)| file), close + 1);
            }
            _ => return false,
        }
        true
    }

    fn write(&mut self, text: &str, end: usize) {
        self.read.push_str(text);
        self.at = end;
    }

    /// Where the bracket ends whose content begins at a position.
    fn bracket_end(&self, from: usize) -> Option<usize> {
        let span = self.span(from);
        let mut depth = 0_usize;
        let mut first = None;
        for (at, byte) in span.bytes().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' if at > 0 && span.as_bytes()[at - 1] == b'\\' => {}
                b']' if depth == 0 => return Some(from + at),
                b']' => {
                    first.get_or_insert(from + at);
                    depth -= 1;
                }
                _ => {}
            }
        }
        first
    }

    /// The words of a link among its attributes: `words,role=external`, `"words, quoted"`, `words^`.
    fn words(&self, from: usize, close: usize) -> Option<std::ops::Range<usize>> {
        let content = &self.text[from..close];
        let is_named = |part: &str| {
            part.split_once('=')
                .is_some_and(|(name, _)| !name.trim().is_empty() && name.trim().bytes().all(is_name_byte))
        };
        let mut words = content.trim();
        if let Some(quoted) = words.strip_prefix('"').and_then(|rest| Some(&rest[..rest.find('"')?])) {
            words = quoted;
        } else if is_named(words) {
            return None;
        } else if let Some((first, _)) = words.split_once(',').filter(|(_, rest)| is_named(rest)) {
            words = first;
        }
        let words = words.strip_suffix('^').unwrap_or(words).trim();
        if words.is_empty() {
            return None;
        }
        let start = from + (words.as_ptr() as usize - content.as_ptr() as usize);
        Some(start..start + words.len())
    }

    /// A macro, `name:target[text]`, whose name begins here.
    fn macro_at(&mut self) -> bool {
        let span = self.span(self.at);
        let name_length = span.bytes().take(32).take_while(|byte| is_name_byte(*byte)).count();
        let (name, rest) = span.split_at(name_length);
        let Some(rest) = rest.strip_prefix(':').filter(|rest| !rest.starts_with(':')) else { return false };
        let quoted = rest.strip_prefix("++").and_then(|rest| rest.find("++")).map(|end| end + "++++".len());
        let is_end = |c: char| c == '[' || c.is_whitespace() && name != "menu";
        let target_length = quoted.or_else(|| rest.find(is_end)).unwrap_or(rest.len());
        let (target, rest) = rest.split_at(target_length);
        if !rest.starts_with('[') || target.contains('\n') {
            if name == "link" && target.starts_with("http") {
                // The address alone, "link:https://yard.example", is read as one.
                self.at += "link:".len();
                return true;
            }
            return false;
        }
        let from = self.at + name_length + 1 + target_length + 1;
        let Some(close) = self.bracket_end(from) else { return false };
        self.macro_with(name, target.trim_matches('+'), from, close)
    }

    fn macro_with(&mut self, name: &str, target: &str, from: usize, close: usize) -> bool {
        let content = &self.text[from..close];
        let end = close + 1;
        let words = self.words(from, close);
        match (name, target.is_empty()) {
            ("link", false) => match words {
                Some(words) => self.link(target, words, end),
                None => self.write(target, end),
            },
            ("mailto", false) => match words {
                Some(words) => {
                    // The subject and the text of a message may follow.
                    let length = self.text[words.clone()].find(',').unwrap_or(words.len());
                    let words = words.start..words.start + length;
                    self.link(&format!("mailto:{target}"), words, end);
                }
                None => self.write(target, end),
            },
            ("xref", false) => {
                let words = words.unwrap_or(close..close);
                self.link_to_place(target.trim_start_matches('#'), words, end);
            }
            ("image", false) => {
                let picture = picture(target, content);
                self.write(if self.is_plain { description(content) } else { &picture }, end);
            }
            ("icon" | "anchor", false) | ("indexterm", true) => self.at = end,
            ("footnote", _) if content.is_empty() => self.at = end,
            ("footnote", _) => self.footnote(from, close),
            ("footnoteref", true) => match content.split_once(',') {
                Some((id, _)) => self.footnote(from + id.len() + 1, close),
                None => self.at = end,
            },
            ("kbd" | "btn", true) => {
                return self.write_literal(&content.trim().replace("\\]", "]"), end);
            }
            ("menu", false) => {
                let separator = if content.trim().is_empty() { "" } else { " > " };
                self.read.extend([target, separator, content.trim()]);
                self.at = end;
            }
            ("pass", _) | ("stem" | "latexmath" | "asciimath", true) => {
                return self.write_literal(content, end);
            }
            ("indexterm2", true) => self.write(content, end),
            (name, false) if MANUALS.contains(&name) => {
                self.read.extend([target, "(", content, ")"]);
                self.at = end;
            }
            (name, false) if REFERENCES.contains(&name) => {
                let target = target.rsplit('/').next().unwrap_or_default();
                let text = words.map_or(target, |words| &self.text[words]);
                self.write(text, end);
            }
            _ => return false,
        }
        true
    }

    /// A footnote is read where it is referred to, in brackets.
    fn footnote(&mut self, from: usize, close: usize) {
        let space = if self.read.ends_with(char::is_whitespace) { "(" } else { " (" };
        self.open(from, End { at: close, bytes: 1, mark: ")".to_owned(), is_link: false }, space);
    }

    /// A character that is no mark because of the `\` before it. Markdown knows some of these escapes too.
    fn escape(&mut self) -> bool {
        let rest = &self.text[self.at + 1..self.limit()];
        if rest.starts_with(['*', '_', '`']) {
            let length = rest.bytes().take_while(|byte| *byte == rest.as_bytes()[0]).count();
            let mark = if self.is_plain { "" } else { "\\" };
            self.read.extend([mark, &rest[..length]]);
            self.at += 1 + length;
            return true;
        }
        let marks = ["<<", "[[", "((", "#", "+", "\"`", "'`", "^", "~", "http://", "https://", "$$"];
        let names = ["link:", "xref:", "image:", "footnote:", "mailto:", "pass:", "kbd:", "btn:", "menu:"];
        let Some(mark) = marks.iter().chain(&names).find(|mark| rest.starts_with(**mark)) else {
            return false;
        };
        self.read.push_str(mark);
        self.at += 1 + mark.len();
        true
    }
}

/// A target as Markdown writes it.
fn written(target: &str) -> String {
    if target.contains(|c: char| c.is_whitespace() || "()<>".contains(c)) {
        let target: String = target.split_whitespace().collect::<Vec<_>>().join("%20");
        return format!("<{}>", target.replace('<', "%3C").replace('>', "%3E"));
    }
    target.to_owned()
}

/// The description of a picture: the first of its attributes.
fn description(attributes: &str) -> &str {
    let attributes = attributes.trim();
    if let Some(quoted) = attributes.strip_prefix('"') {
        return quoted.split('"').next().unwrap_or_default().trim();
    }
    let first = attributes.split(',').next().unwrap_or_default();
    let named = first.split_once('=').filter(|(name, _)| name.bytes().all(is_name_byte));
    match named {
        None => first.trim(),
        Some(_) => "",
    }
}

/// A picture, as Markdown writes it.
pub(super) fn picture(target: &str, attributes: &str) -> String {
    let named = |name: &str| {
        let (_, rest) = attributes.split_once(&format!("{name}="))?;
        Some(match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => rest.split(',').next().unwrap_or_default(),
        })
    };
    let words = named("alt").unwrap_or_else(|| description(attributes)).replace(['[', ']', '\n'], " ");
    let picture = format!("![{}]({})", words.trim(), written(target));
    named("link").map_or_else(|| picture.clone(), |link| format!("[{picture}]({})", written(link.trim())))
}
