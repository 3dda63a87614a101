//! Parses the headings of Markdown text.

use super::TITLE_SEPARATOR;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// What many texts call a part of theirs, and no text is called, in lower case.
const PARTS: [&str; 12] = [
    "abstract",
    "summary",
    "executive summary",
    "introduction",
    "overview",
    "motivation",
    "background",
    "preface",
    "foreword",
    "status",
    "contents",
    "table of contents",
];

fn is_part(heading: &str) -> bool {
    PARTS.iter().any(|part| heading.eq_ignore_ascii_case(part))
}

/// The headings of a text, in order. Plain text has none.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    headings: Vec<Heading>,
    /// The lists that consist of links to sections of the text.
    contents: Vec<Range<usize>>,
}

#[derive(Debug)]
struct Heading {
    start: usize,
    end: usize,
    /// The heading level; 1 is the outermost.
    level: usize,
    /// The index of the parent heading.
    parent: Option<usize>,
    text: String,
}

/// A list while it is parsed.
#[derive(Debug, Default)]
struct List {
    /// How many lists are open, one within another.
    depth: usize,
    /// How many links it has to sections of the text.
    links: usize,
    in_link: bool,
    /// Whether it says anything outside of these links.
    says_more: bool,
}

impl List {
    fn is_contents(&self) -> bool {
        self.links >= CONTENTS_LEAST && !self.says_more
    }
}

/// Minimum number of links of a table of contents.
const CONTENTS_LEAST: usize = 2;

impl Outline {
    /// Parses the headings of a Markdown text.
    pub(crate) fn of(text: &str) -> Self {
        let mut headings = Vec::new();
        let mut open: Option<Heading> = None;
        // The description of the pictures in a heading: its text only if it has no other, since badges describe a
        // state of the project and not the section.
        let (mut described, mut in_picture) = (String::new(), false);
        let (mut contents, mut list) = (Vec::new(), List::default());
        for (event, range) in Parser::new_ext(text, Options::ENABLE_HEADING_ATTRIBUTES).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let (start, end, level) = (range.start, range.end, level as usize);
                    described.clear();
                    open = Some(Heading { start, end, level, parent: None, text: String::new() });
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let Some(mut heading) = open.take() {
                        if heading.text.trim().is_empty() {
                            heading.text.clone_from(&described);
                        }
                        headings.extend(Some(heading).filter(|heading| !heading.text.trim().is_empty()));
                    }
                }
                Event::Start(Tag::Image { .. }) => in_picture = true,
                Event::End(TagEnd::Image) => in_picture = false,
                Event::Start(Tag::List(_)) => {
                    let depth = list.depth + 1;
                    list = if depth == 1 { List::default() } else { list };
                    list.depth = depth;
                }
                Event::End(TagEnd::List(_)) => {
                    list.depth -= 1;
                    if list.depth == 0 && std::mem::take(&mut list).is_contents() {
                        contents.push(range);
                    }
                }
                Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with('#') => {
                    list.links += 1;
                    list.in_link = true;
                }
                Event::End(TagEnd::Link) => list.in_link = false,
                Event::Text(part) | Event::Code(part) => {
                    list.says_more |= !list.in_link && part.contains(char::is_alphanumeric);
                    if let Some(heading) = &mut open {
                        let told = if in_picture { &mut described } else { &mut heading.text };
                        told.push_str(&part);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some(heading) = &mut open {
                        heading.text.push(' ');
                    }
                }
                _ => {}
            }
        }
        let mut path: Vec<usize> = Vec::new();
        for at in 0..headings.len() {
            while path.last().is_some_and(|above| headings[*above].level >= headings[at].level) {
                path.pop();
            }
            headings[at].parent = path.last().copied();
            path.push(at);
        }
        Self { headings, contents }
    }

    /// Returns the title of the text: the first heading, if all others are below it or it is of level 1 and stands alone,
    /// and it is not what many texts call a part of theirs, such as "Abstract". The first of several sections of one
    /// level is no title of the others.
    pub(crate) fn first_title(&self, text: &str) -> Option<&str> {
        let (first, others) = self.headings.split_first()?;
        let stands_alone =
            || others.first().is_some_and(|next| text[first.end..next.start].trim().is_empty());
        let is_title =
            others.iter().all(|other| other.level > first.level) || first.level == 1 && stands_alone();
        let title = first.text.trim();
        (is_title && !is_part(title)).then_some(title)
    }

    /// Returns the sections of the text, each with the headings that follow one another at its start.
    pub(super) fn sections(&self, text: &str) -> Vec<Range<usize>> {
        let mut starts = vec![0];
        let mut above: Option<&Heading> = None;
        for heading in &self.headings {
            let between = above.map_or(0, |above| above.end)..heading.start;
            // A heading without a text of its own leads to those below it.
            let leads = above.is_none_or(|above| above.level < heading.level);
            if !(leads && text[between].trim().is_empty()) {
                starts.push(heading.start);
            }
            above = Some(heading);
        }
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
    }

    /// Whether a part of the text consists of headings, each below the one before, which are all in the titles of what
    /// follows.
    pub(super) fn leads(&self, text: &str, part: Range<usize>) -> bool {
        let first = self.headings.partition_point(|heading| heading.start < part.start);
        let after = self.headings.partition_point(|heading| heading.start < part.end);
        let within = &self.headings[first..after];
        let (mut at, mut is_bare) = (part.start, true);
        for heading in within {
            is_bare &= text[at..heading.start].trim().is_empty();
            at = heading.end.min(part.end);
        }
        is_bare &= text[at..part.end].trim().is_empty();
        let next = self.headings.get(after);
        let has_body = !text[part.end..next.map_or(text.len(), |next| next.start)].trim().is_empty();
        let next = next.filter(|_| !has_body);
        let levels = within.iter().chain(next).map(|heading| heading.level);
        !within.is_empty()
            && is_bare
            && (has_body || next.is_some())
            && levels.is_sorted_by(|one, next| one < next)
    }

    /// Returns the parts of the text without its tables of contents: the headings that these repeat are the titles of
    /// what they point to.
    pub(super) fn without_contents(&self, text: &str) -> Vec<Range<usize>> {
        let starts = [0].into_iter().chain(self.contents.iter().map(|contents| contents.end));
        let ends = self.contents.iter().map(|contents| self.with_heading(text, contents)).chain([text.len()]);
        starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
    }

    /// Returns where a table of contents begins: with its heading, if that has nothing else below it.
    fn with_heading(&self, text: &str, contents: &Range<usize>) -> usize {
        let after = self.headings.partition_point(|heading| heading.start < contents.start);
        let next = self.headings.get(after).map_or(text.len(), |next| next.start);
        let Some(heading) = after.checked_sub(1).map(|at| &self.headings[at]) else { return contents.start };
        let is_bare = |between: Range<usize>| text[between].trim().is_empty();
        let is_alone = is_bare(heading.end..contents.start) && is_bare(contents.end..next);
        if is_alone { heading.start } else { contents.start }
    }

    /// Returns the start of the last heading in the range.
    pub(super) fn last_heading_within(&self, range: Range<usize>) -> Option<usize> {
        let before_end = self.headings.partition_point(|heading| heading.start < range.end);
        let last = self.headings[..before_end].last()?;
        range.contains(&last.start).then_some(last.start)
    }

    /// Returns the document's title followed by the headings that apply to the whole range.
    pub(super) fn title(&self, document: Option<&str>, range: &Range<usize>) -> Option<String> {
        let mut path: Vec<&str> = document.into_iter().collect();
        path.extend(self.path(range).into_iter().filter(|heading| Some(*heading) != document));
        (!path.is_empty()).then(|| path.join(TITLE_SEPARATOR))
    }

    fn path(&self, range: &Range<usize>) -> Vec<&str> {
        let begun = self.headings.partition_point(|heading| heading.start <= range.start);
        let mut path: Vec<&Heading> = Vec::new();
        let mut next = begun.checked_sub(1);
        while let Some(at) = next {
            path.push(&self.headings[at]);
            next = self.headings[at].parent;
        }
        path.reverse();
        // A heading inside the range ends the headings of its level and below.
        for heading in self.headings[begun..].iter().take_while(|heading| heading.start < range.end) {
            path.retain(|above| above.level < heading.level);
        }
        path.into_iter().map(|heading| heading.text.trim()).collect()
    }
}
