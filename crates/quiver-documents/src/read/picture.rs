//! Pictures and links of Markdown that a reader of the text does not see.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A link that is read at the moment.
struct Link {
    range: Range<usize>,
    /// Whether it has words, apart from the descriptions of pictures.
    has_words: bool,
    /// The descriptions of its pictures.
    described: String,
}

/// What a paragraph or heading has besides its links around pictures.
#[derive(Default)]
struct Block {
    has_words: bool,
    is_heading: bool,
    /// Its links around pictures, with the descriptions.
    linked: Vec<(Range<usize>, String)>,
}

/// Replaces the pictures of Markdown with their descriptions, and removes links without words. Links around pictures
/// that have a paragraph for themselves, or follow a heading, are badges, which say nothing. Code stays.
pub(super) fn without_pictures(text: String) -> String {
    if !text.contains("](") && !text.contains("![") {
        return text;
    }
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut block = Block::default();
    let mut link: Option<Link> = None;
    let mut picture: Option<(Range<usize>, Option<Range<usize>>)> = None;
    for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        if let Some((whole, inner)) = &mut picture {
            if matches!(event, Event::End(TagEnd::Image)) {
                let description = inner.take().map_or("", |inner| &text[inner]).trim();
                match &mut link {
                    Some(link) => link.described = joined(&link.described, description),
                    None => edits.push((whole.clone(), as_sentence(&text, whole, description))),
                }
                picture = None;
            } else {
                let known = inner.take().unwrap_or(range.clone());
                *inner = Some(known.start..known.end.max(range.end));
            }
            continue;
        }
        match event {
            // Files in the text are left out, and counted, later.
            Event::Start(Tag::Image { dest_url, .. }) if dest_url.starts_with("data:") => {}
            Event::Start(Tag::Image { .. }) => picture = Some((with_attributes(&text, range), None)),
            Event::Start(Tag::Link { .. }) => {
                link = Some(Link { range, has_words: false, described: String::new() });
            }
            Event::End(TagEnd::Link) => {
                // The pictures of a link that also has words go with it as they are.
                if let Some(link) = link.take().filter(|link| !link.has_words) {
                    block.linked.push((link.range, link.described));
                }
            }
            Event::Start(Tag::Paragraph | Tag::Item | Tag::TableCell) => {
                edits.extend(std::mem::take(&mut block).edits());
            }
            Event::Start(Tag::Heading { .. }) => {
                edits.extend(std::mem::take(&mut block).edits());
                block.is_heading = true;
            }
            Event::Text(words) | Event::Code(words) if words.contains(char::is_alphanumeric) => {
                match &mut link {
                    Some(link) => link.has_words = true,
                    None => block.has_words = true,
                }
            }
            _ => {}
        }
    }
    edits.extend(block.edits());
    replaced(&text, edits)
}

impl Block {
    fn edits(self) -> impl Iterator<Item = (Range<usize>, String)> {
        let is_told = self.has_words && !self.is_heading;
        self.linked
            .into_iter()
            .map(move |(range, described)| (range, if is_told { described } else { String::new() }))
    }
}

/// The range of a picture with the attributes after it: `![mast](mast.png){width=20}`.
fn with_attributes(text: &str, range: Range<usize>) -> Range<usize> {
    let attributes = text[range.end..].strip_prefix('{').and_then(|rest| {
        let end = rest.find(['}', '\n'])?;
        rest[end..].starts_with('}').then_some(end + "{}".len())
    });
    range.start..range.end + attributes.unwrap_or(0)
}

/// The description of a picture, with a full stop if the picture stands before a sentence rather than in one.
fn as_sentence(text: &str, picture: &Range<usize>, description: &str) -> String {
    let line = text[..picture.start].rsplit('\n').next().unwrap_or_default().trim_end();
    let begins = !line.contains(char::is_alphanumeric) || line.ends_with(['.', '!', '?', ':']);
    let after = text[picture.end..].trim_start_matches([' ', '*', '_', '"']);
    let precedes = after.starts_with(char::is_uppercase);
    let is_open = description.ends_with(char::is_alphanumeric);
    format!("{description}{}", if begins && precedes && is_open { "." } else { "" })
}

fn joined(one: &str, other: &str) -> String {
    format!("{one} {other}").trim().to_owned()
}

/// Applies edits to a text. A space that an edit inserts, or that a removed range leaves behind, is dropped beside another.
pub(super) fn replaced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut copied = 0;
    for (range, words) in edits {
        if range.start < copied {
            continue;
        }
        kept.push_str(&text[copied..range.start]);
        copied = range.end;
        let is_spaced = kept.is_empty() || kept.ends_with(char::is_whitespace);
        match &*words {
            "" | " " if is_spaced && text[copied..].starts_with(' ') => copied += 1,
            " " if is_spaced || text[copied..].starts_with([' ', '\n', '\r']) => {}
            words => kept.push_str(words),
        }
    }
    kept.push_str(&text[copied..]);
    kept
}

#[cfg(test)]
mod tests {
    use super::without_pictures;

    #[test]
    fn pictures_are_read_as_their_descriptions() {
        for (text, expected) in [
            (
                "![The harbour at dawn](/img/dawn.png) It opens at six.",
                "The harbour at dawn. It opens at six.",
            ),
            ("Press ![gear](gear.png) to open it.", "Press gear to open it."),
            ("- ![icon](a.png){width=20} The pier is long.", "- icon. The pier is long."),
            ("Ships. ![A *red* mast](m.png \"Mast\")\n", "Ships. A *red* mast\n"),
            ("# ![Loom](logo.svg)\n\nIt weaves.", "# Loom\n\nIt weaves."),
            ("See ![the mast][m].\n\n[m]: mast.png\n", "See the mast.\n\n[m]: mast.png\n"),
            ("| a | b |\n| - | - |\n| ![x](x.png) | 1 |\n", "| a | b |\n| - | - |\n| x | 1 |\n"),
            ("The ferry ![](/img/y.png) leaves.", "The ferry leaves."),
        ] {
            assert_eq!(without_pictures(text.to_owned()), expected, "{text}");
        }
    }

    #[test]
    fn links_without_words_and_badges_are_left_out() {
        for (text, expected) in [
            ("[](/img/x.png) The ferry leaves.", "The ferry leaves."),
            ("# Loom [![build](b.svg)](https://example.org/ci)\n", "# Loom \n"),
            ("[![a](a.svg)](a) [![b](b.svg)](b)\n\nIt weaves.\n", "\n\nIt weaves.\n"),
            ("The coast: [![A map](small.png)](large.png).", "The coast: A map."),
            ("- [![](a.png)](a)\n- one", "- \n- one"),
        ] {
            assert_eq!(without_pictures(text.to_owned()), expected, "{text}");
        }
    }

    #[test]
    fn code_and_links_with_words_stay() {
        for text in [
            "Use `![alt](x.png)` for a picture and `[](x)` for nothing.",
            "```md\n![kept](code.png)\n```\n",
            "See [the timetable](/t.html \"Times\") and [mast ![](m.png)](m).",
            "An array[0](1) and a task - [ ] (open)!",
        ] {
            assert_eq!(without_pictures(text.to_owned()), text);
        }
    }
}
