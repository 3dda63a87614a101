//! The text of HTML pages.

use super::{fold, row::Table, with_headings};
use crate::{document::Document, label::sentence};
use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::RawKind,
    },
};
use std::{borrow::Cow, cell::RefCell, collections::HashMap};

/// Reads a page: its title and its text, without scripts, styles, forms and navigation, and with headings and list
/// items marked as in Markdown.
///
/// Only the tokens of the page are looked at, not its tree, so that pages of any depth and brokenness can be read.
pub(super) fn document(page: &str) -> Document {
    let page = &*without_endless_tags(page);
    let mut found = tokens(page, true, Page::default());
    if !found.text.contains(char::is_alphanumeric) {
        // A navigation that is never closed would hide the rest of the page.
        found = tokens(page, false, Page::default());
    }
    let title =
        [found.title, found.heading].into_iter().map(|title| fold(&title)).find(|title| !title.is_empty());
    with_headings(tidy(&found.text, false), title)
}

/// Reads HTML that stands in Markdown, as Markdown: its text, with headings, list items, pictures and code marked.
pub(super) fn fragment(html: &str) -> String {
    let mut found = tokens(
        &without_endless_tags(html),
        false,
        Page { fragment: Some(Fragment::default()), ..Page::default() },
    );
    if found.preformatted > 0 {
        found.text.push_str(FENCE_END);
    }
    tidy(&found.text, true)
}

/// Whether the element of a tag stands in a line of text.
pub(super) fn is_inline(name: &str) -> bool {
    INLINE.contains(&name)
}

/// Whether an element has no content and no end tag.
pub(super) fn is_void(name: &str) -> bool {
    VOID.contains(&name)
}

/// Marks the end of a term until the text about it is written behind it. No text has this private character.
const TERM_END: char = '\u{e000}';

const FENCE_START: &str = "\n\n```\n";
const FENCE_END: &str = "\n```\n\n";

/// Elements that a reader of the text does without.
const SKIPPED: &[&str] = &[
    "script", "style", "noscript", "template", "svg", "math", "nav", "footer", "aside", "form", "button",
    "select", "iframe", "object", "head",
];

/// Elements whose content the tokenizer must not look for tags in.
const RAW: &[&str] = &["script", "style", "iframe", "noembed", "noframes", "xmp"];

/// Elements that stand in a line of text. All others begin a line of their own.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "ins", "kbd", "label", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "img", "input",
];

/// Elements without content.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];

/// The tokenizer compares each attribute of a tag with all before it, and no page needs so many.
const ATTRIBUTES_MAX: usize = 500;

/// The page without what tags have beyond so many attributes.
fn without_endless_tags(page: &str) -> Cow<'_, str> {
    let bytes = page.as_bytes();
    let mut kept = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(offset) = page[at..].find('<') {
        at += offset + 1;
        if !bytes.get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/') {
            continue;
        }
        let (mut attributes, mut quote, mut assigns, mut cut) = (0, None, false, None);
        while let Some(&byte) = bytes.get(at) {
            let parts = byte.is_ascii_whitespace() || byte == b'/';
            match quote {
                Some(close) if byte == close => quote = None,
                None if byte == b'>' => break,
                None if assigns && matches!(byte, b'"' | b'\'') => quote = Some(byte),
                None if parts && !assigns => {
                    attributes += 1;
                    if attributes > ATTRIBUTES_MAX {
                        cut.get_or_insert(at);
                    }
                }
                Some(_) | None => {}
            }
            assigns = quote.is_none() && (byte == b'=' || (assigns && byte.is_ascii_whitespace()));
            at += 1;
        }
        if let Some(cut) = cut {
            kept.push_str(&page[copied..cut]);
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(page);
    }
    kept.push_str(&page[copied..]);
    Cow::Owned(kept)
}

#[derive(Debug, Default)]
struct Page {
    title: String,
    heading: String,
    text: String,
    /// The elements that are being skipped, outermost first.
    skipped: Vec<String>,
    /// How many of each are among them.
    skipped_counts: HashMap<String, usize>,
    in_title: bool,
    in_heading: bool,
    /// Whether a term of a definition list is open.
    in_term: bool,
    preformatted: usize,
    /// The tables that are open, outermost first.
    tables: Vec<OpenTable>,
    /// What is open, if it is a part of a Markdown text.
    fragment: Option<Fragment>,
}

/// What is open in a part of a Markdown text.
#[derive(Debug, Default)]
struct Fragment {
    /// Whether a heading is open, which stays on one line.
    in_heading: bool,
    /// Where the open link begins, and whether it has words.
    link: Option<(usize, bool)>,
}

/// A table while it is read: its text stands in the page, as far as it is known to be none of rows and columns.
#[derive(Debug, Default)]
struct OpenTable {
    /// Where its text begins in that of the page.
    start: usize,
    /// The rows with their cells: whether a cell is a heading, and what it says.
    rows: Vec<Vec<(bool, String)>>,
    /// Where the cell at hand begins, and whether it is a heading.
    cell: Option<(usize, bool)>,
    /// Whether it lays out the page, with other tables and headings in it.
    is_layout: bool,
}

/// More open tables than this lay out a page.
const TABLES_MAX: usize = 64;

impl OpenTable {
    fn end_cell(&mut self, text: &str) {
        if let Some((start, is_heading)) = self.cell.take()
            && let Some(row) = self.rows.last_mut()
        {
            row.push((is_heading, fold(text.get(start..).unwrap_or_default())));
        }
    }

    /// The rows with the names of their columns, where the table says them.
    fn read(self) -> Option<Table> {
        let mut rows = self.rows.into_iter().filter(|row| !row.is_empty()).peekable();
        if self.is_layout {
            return None;
        }
        let first = rows.peek()?;
        if first.len() > 1 && first.iter().all(|(is_heading, _)| *is_heading) {
            let names = rows.next()?.into_iter().map(|(_, name)| name).collect();
            let rows = rows.map(|row| row.into_iter().map(|(_, value)| value).collect()).collect();
            return Some(Table { names, rows });
        }
        // A heading at the side names the one value after it.
        let pairs: Vec<(String, String)> = rows
            .map(|row| match <[(bool, String); 2]>::try_from(row) {
                Ok([(true, name), (false, value)]) => Some((name, value)),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let row = |(name, value): (String, String)| vec![sentence([name.as_str()], [value.as_str()])];
        Some(Table { names: Vec::new(), rows: pairs.into_iter().map(row).collect() })
    }
}

fn tokens(page: &str, skip_navigation: bool, read: Page) -> Page {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(page));
    let sink = Sink { page: RefCell::new(read), skip_navigation };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    // The sink never stops for a script, so one call takes everything in.
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink.page.take()
}

struct Sink {
    page: RefCell<Page>,
    skip_navigation: bool,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut page = self.page.borrow_mut();
        match token {
            Token::CharacterTokens(characters) => page.add(&characters),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => return self.start(&mut page, &tag),
            Token::TagToken(tag) => page.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Sink {
    fn start(&self, page: &mut Page, tag: &Tag) -> TokenSinkResult<()> {
        let name = tag.name.as_ref();
        let navigation = matches!(name, "nav" | "footer" | "aside" | "form");
        let skipped = SKIPPED.contains(&name) && (self.skip_navigation || !navigation);
        // The body begins even where the head was not closed.
        if name == "body" {
            page.skipped.clear();
            page.skipped_counts.clear();
        }
        if skipped && !tag.self_closing {
            page.skipped.push(name.to_owned());
            *page.skipped_counts.entry(name.to_owned()).or_default() += 1;
        }
        if name == "title" {
            // Drawings have titles too.
            page.in_title = page.title.is_empty() && !page.is_within("svg");
            return TokenSinkResult::RawData(RawKind::Rcdata);
        }
        if name == "textarea" {
            return TokenSinkResult::RawData(RawKind::Rcdata);
        }
        if name == "script" {
            return TokenSinkResult::RawData(RawKind::ScriptData);
        }
        if RAW.contains(&name) && !tag.self_closing {
            return TokenSinkResult::RawData(RawKind::Rawtext);
        }
        if page.skipped.is_empty() {
            page.begin_in_fragment(tag);
            page.begin(name);
        }
        TokenSinkResult::Continue
    }
}

/// The description of a picture, as Markdown writes it. The data of an embedded file stay: they are counted later.
fn picture(tag: &Tag) -> Option<String> {
    let attribute = |name: &str| tag.attrs.iter().find(|attribute| &*attribute.name.local == name);
    let description = fold(&attribute("alt")?.value).replace(['[', ']', '\\'], " ");
    let is_data =
        |source: &&str| source.starts_with("data:") && !source.contains([' ', '\n', '(', ')', '<', '>']);
    let source = attribute("src").map(|source| &*source.value).filter(is_data);
    Some(format!("![{}]({})", description.trim(), source.unwrap_or("x")))
}

impl Page {
    /// Whether what is read now stands within such an element that is being skipped.
    fn is_within(&self, name: &str) -> bool {
        self.skipped_counts.get(name).is_some_and(|count| *count > 0)
    }

    fn begin_in_fragment(&mut self, tag: &Tag) {
        let Some(fragment) = &mut self.fragment else { return };
        match tag.name.as_ref() {
            "img" => self.text.extend(picture(tag)),
            "a" => fragment.link = Some((self.text.len(), false)),
            name if level(name).is_some() => fragment.in_heading = true,
            _ => {}
        }
    }

    /// Ends a link of a fragment. One that consists of pictures is written as Markdown writes it, because most of them
    /// are badges.
    fn end_link(&mut self) {
        let link = self.fragment.as_mut().and_then(|fragment| fragment.link.take());
        let Some((start, false)) = link else { return };
        if self.text.get(start..).is_some_and(|linked| linked.contains("![")) {
            self.text.insert(start, '[');
            self.text.push_str("](x)");
        }
    }

    /// Whether a heading of a fragment is open.
    fn in_heading_line(&self) -> bool {
        self.fragment.as_ref().is_some_and(|fragment| fragment.in_heading)
    }

    fn begin(&mut self, name: &str) {
        if self.in_heading_line() && level(name).is_none() {
            self.text.extend((!is_inline(name)).then_some(' '));
            return;
        }
        self.begin_in_table(name);
        match name {
            "br" | "tr" | "option" => self.text.push('\n'),
            "dd" => {
                self.end_term();
                self.text.push('\n');
            }
            "dt" => {
                self.text.push_str("\n- ");
                self.in_term = true;
            }
            "li" => self.text.push_str("\n- "),
            "td" | "th" => {
                self.text.push_str(" | ");
                if let Some(table) = self.tables.last_mut().filter(|table| !table.rows.is_empty()) {
                    table.cell = Some((self.text.len(), name == "th"));
                }
            }
            "pre" => {
                self.preformatted += 1;
                let is_fence = self.fragment.is_some() && self.preformatted == 1;
                self.text.push_str(if is_fence { FENCE_START } else { "\n\n" });
            }
            _ => match level(name) {
                Some(level) => {
                    self.text.push_str("\n\n");
                    self.text.extend(std::iter::repeat_n('#', level));
                    self.text.push(' ');
                    self.in_heading = level == 1 && self.heading.is_empty();
                }
                None if !INLINE.contains(&name) => self.text.push_str("\n\n"),
                None => {}
            },
        }
    }

    fn end_term(&mut self) {
        if std::mem::take(&mut self.in_term) {
            self.text.push(TERM_END);
        }
    }

    fn begin_in_table(&mut self, name: &str) {
        let Some(table) = self.tables.last_mut() else {
            if name == "table" {
                self.tables.push(OpenTable { start: self.text.len(), ..OpenTable::default() });
            }
            return;
        };
        match name {
            "table" => {
                table.is_layout = true;
                table.cell = None;
                if self.tables.len() < TABLES_MAX {
                    self.tables.push(OpenTable { start: self.text.len(), ..OpenTable::default() });
                }
            }
            "tr" => {
                table.end_cell(&self.text);
                if table.rows.is_empty() {
                    // A caption stays.
                    table.start = self.text.len();
                }
                table.rows.push(Vec::new());
            }
            "td" | "th" => table.end_cell(&self.text),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre" => table.is_layout = true,
            _ => {}
        }
    }

    fn end_table(&mut self) {
        let Some(mut table) = self.tables.pop() else { return };
        table.end_cell(&self.text);
        let start = table.start;
        if let Some(table) = table.read() {
            let paragraphs = table.paragraphs();
            self.text.truncate(start);
            self.text.push_str("\n\n");
            self.text.push_str(&paragraphs);
        }
    }

    fn end(&mut self, name: &str) {
        if name == "title" {
            self.in_title = false;
        }
        if self.is_within(name) {
            // What is looked past is gone: however many tags there are, each is looked at once.
            while let Some(outer) = self.skipped.pop() {
                if let Some(count) = self.skipped_counts.get_mut(&outer) {
                    *count -= 1;
                }
                if outer == name {
                    break;
                }
            }
            return;
        }
        if !self.skipped.is_empty() {
            return;
        }
        if level(name).is_some() {
            self.in_heading = false;
            if let Some(fragment) = &mut self.fragment {
                fragment.in_heading = false;
            }
        }
        if self.in_heading_line() && !is_inline(name) {
            self.text.push(' ');
            return;
        }
        match name {
            "a" => self.end_link(),
            "dt" => self.end_term(),
            "td" | "th" | "tr" => {
                if let Some(table) = self.tables.last_mut() {
                    table.end_cell(&self.text);
                }
            }
            "table" => self.end_table(),
            _ => {}
        }
        if name == "pre" {
            if self.fragment.is_some() && self.preformatted == 1 {
                self.text.push_str(FENCE_END);
            }
            self.preformatted = self.preformatted.saturating_sub(1);
        }
        if !INLINE.contains(&name)
            && !matches!(name, "td" | "th" | "tr" | "li" | "dt" | "dd" | "option" | "title")
        {
            self.text.push_str("\n\n");
        }
    }

    fn add(&mut self, characters: &str) {
        if self.in_title {
            self.title.push_str(characters);
        } else if self.skipped.is_empty() {
            if self.in_heading {
                self.heading.push_str(characters);
            }
            if self.preformatted > 0 {
                // The fence ends the first line.
                let begins = self.fragment.is_some() && self.text.ends_with(FENCE_START);
                let characters = characters.strip_prefix('\n').filter(|_| begins).unwrap_or(characters);
                self.text.push_str(characters);
                return;
            }
            let link = self.fragment.as_mut().and_then(|fragment| fragment.link.as_mut());
            if let Some((_, has_words)) = link {
                *has_words |= characters.contains(char::is_alphanumeric);
            }
            // What a mark is about stands on its line.
            let is_marked =
                self.fragment.is_some() && (self.text.ends_with("# ") || self.text.ends_with("- "));
            let characters = if is_marked { characters.trim_start() } else { characters };
            // A line end in the page's source is a space in its text. In Markdown it stays one.
            let keeps_lines = self.fragment.is_some() && !self.in_heading_line();
            let is_space = |c: char| c.is_ascii_whitespace() && !(keeps_lines && c == '\n');
            self.text.extend(characters.chars().map(|c| if is_space(c) { ' ' } else { c }));
        }
    }
}

/// The level of a heading's element.
fn level(name: &str) -> Option<usize> {
    let digit = name.strip_prefix('h')?;
    digit.parse().ok().filter(|level| (1..=6).contains(level))
}

/// Folds white space within lines, drops empty list items and headings, and keeps one blank line at most. Code between
/// fences stays as it is.
fn tidy(text: &str, has_fences: bool) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut blank = 2;
    let mut in_fence = false;
    // Whether the line before is a term, which the text about it follows.
    let mut is_term = false;
    for line in text.lines() {
        let is_fence = has_fences && line.trim_start().starts_with("```");
        if in_fence && !is_fence {
            tidied.extend([line, "\n"]);
            continue;
        }
        in_fence ^= is_fence;
        let line = fold(line);
        let line = line.trim_start_matches("| ");
        let mark_only =
            matches!(line, "-" | "|") || (line.starts_with('#') && line.trim_matches('#').is_empty());
        if line.is_empty() || mark_only {
            blank += 1;
            continue;
        }
        let (line, ends_term) =
            line.trim_end().strip_suffix(TERM_END).map_or((line, false), |term| (term.trim_end(), true));
        if std::mem::replace(&mut is_term, ends_term) && !is_fence && !line.starts_with(['-', '#', '|']) {
            tidied.pop();
            tidied.extend([": ", line, "\n"]);
            blank = 0;
            continue;
        }
        if blank > 0 && !tidied.is_empty() {
            tidied.push('\n');
        }
        blank = 0;
        tidied.push_str(line);
        tidied.push('\n');
    }
    tidied
}
