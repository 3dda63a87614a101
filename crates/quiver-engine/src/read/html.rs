//! The text of HTML pages.

use super::with_headings;
use crate::document::Document;
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
    let mut found = tokens(page, true);
    if !found.text.contains(char::is_alphanumeric) {
        // A navigation that is never closed would hide the rest of the page.
        found = tokens(page, false);
    }
    let title =
        [found.title, found.heading].into_iter().map(|title| fold(&title)).find(|title| !title.is_empty());
    with_headings(tidy(&found.text), title)
}

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
    preformatted: usize,
}

fn tokens(page: &str, skip_navigation: bool) -> Page {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(page));
    let sink = Sink { page: RefCell::default(), skip_navigation };
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
            page.begin(name);
        }
        TokenSinkResult::Continue
    }
}

impl Page {
    /// Whether what is read now stands within such an element that is being skipped.
    fn is_within(&self, name: &str) -> bool {
        self.skipped_counts.get(name).is_some_and(|count| *count > 0)
    }

    fn begin(&mut self, name: &str) {
        match name {
            "br" | "tr" | "dt" | "dd" | "option" => self.text.push('\n'),
            "li" => self.text.push_str("\n- "),
            "td" | "th" => self.text.push_str(" | "),
            "pre" => {
                self.preformatted += 1;
                self.text.push_str("\n\n");
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
        }
        if name == "pre" {
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
                self.text.push_str(characters);
                return;
            }
            // A line end in the page's source is a space in its text.
            let spaced = characters.chars().map(|c| if c.is_ascii_whitespace() { ' ' } else { c });
            self.text.extend(spaced);
        }
    }
}

/// The level of a heading's element.
fn level(name: &str) -> Option<usize> {
    let digit = name.strip_prefix('h')?;
    digit.parse().ok().filter(|level| (1..=6).contains(level))
}

/// Folds white space within lines, drops empty list items and headings, and keeps one blank line at most.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut blank = 2;
    for line in text.lines() {
        let line = fold(line);
        let line = line.trim_start_matches("| ");
        let mark_only =
            matches!(line, "-" | "|") || (line.starts_with('#') && line.trim_matches('#').is_empty());
        if line.is_empty() || mark_only {
            blank += 1;
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

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
