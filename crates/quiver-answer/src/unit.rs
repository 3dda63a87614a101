//! Splits a passage into pieces: sentences, list items, table rows and code, each with its headings.
//! Headings, front matter and table headers are context, never answers.

use std::{borrow::Cow, ops::Range};

use quiver_documents::label::{cells, labelled};
use quiver_language::{sentences, text::collapse_spaces};

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitKind {
    Prose,
    Item,
    Row,
    Code,
}

/// A piece of a passage.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// Plain text: emphasis removed, links replaced by their text.
    pub(super) text: String,
    pub(super) kind: UnitKind,
    /// Byte range in the passage's text.
    pub(super) range: Range<usize>,
    /// The headings above it in the passage.
    pub(super) heading: String,
    /// The cells of a row, each with its column header.
    pub(super) cells: Vec<(String, String)>,
    /// Index of its paragraph, list or table.
    pub(super) block: usize,
    /// Whether part of it is marked as code.
    pub(super) has_code: bool,
    /// Whether its cells are labelled lines, as at the head of a letter, rather than a table.
    pub(super) is_head: bool,
}

/// A text without the front matter that it begins with. A rule alone begins none.
fn after_front_matter(text: &str) -> &str {
    let Some(fields) = text.trim_start().strip_prefix("---\n") else { return text };
    let mut rest = fields;
    while let Some((line, after)) = rest.split_once('\n').or((!rest.is_empty()).then_some((rest, ""))) {
        match line.trim() {
            "---" | "..." => return after,
            "" => return text,
            _ => rest = after,
        }
    }
    text
}

/// Splits a passage into pieces, in order.
pub(super) fn units(text: &str) -> Vec<Unit> {
    let mut reader = Reader { text, units: Vec::new(), headings: Vec::new(), block: 0, heads: None };
    let mut paragraph: Option<Range<usize>> = None;
    let mut fence = begins_in_code(text);
    let body = after_front_matter(text);
    let mut at = text.len() - body.len();
    for line in body.split_inclusive('\n') {
        let range = at..at + line.len();
        at += line.len();
        let trimmed = line.trim();
        let mark = trimmed.chars().next().unwrap_or(' ');
        let run = trimmed.chars().take_while(|c| *c == mark).count();
        if let Some((open, length)) = fence {
            if mark == open && run >= length && trimmed.len() == run {
                fence = None;
                reader.block += 1;
            } else if !trimmed.is_empty() {
                reader.push(UnitKind::Code, range, trimmed.to_owned(), Vec::new());
            }
            continue;
        }
        let is_fence = fence_of(trimmed).is_some();
        let is_heading = mark == '#' && run <= 6 && trimmed[run..].starts_with(' ');
        let is_row = mark == '|' && trimmed.len() > 1;
        let is_rule = !trimmed.is_empty()
            && trimmed.chars().all(|c| matches!(c, '=' | '-' | '*' | '_' | ' '))
            && run >= 3;
        let is_rule = is_rule || opens_container(trimmed);
        let ends = trimmed.is_empty() || is_fence || is_heading || is_row || is_rule || starts_item(trimmed);
        if ends && let Some(range) = paragraph.take() {
            reader.paragraph(range);
        }
        if !is_row {
            reader.heads = None;
        }
        if is_fence {
            fence = Some((mark, run));
            reader.block += 1;
        } else if is_heading {
            reader.heading(run, plain(without_attributes(trimmed[run..].trim().trim_end_matches('#'))));
        } else if is_row {
            reader.row(range, trimmed);
        } else if trimmed.is_empty() || is_rule {
            reader.block += 1;
        } else {
            paragraph = Some(paragraph.map_or(range.start, |known| known.start)..range.end);
        }
    }
    if let Some(range) = paragraph {
        reader.paragraph(range);
    }
    reader.units
}

/// The character and length of a code fence.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let run = line.chars().take_while(|c| *c == mark).count();
    (run >= 3).then_some((mark, run))
}

/// The open fence at the start of a passage that begins inside a code block.
fn begins_in_code(text: &str) -> Option<(char, usize)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let fences: Vec<usize> = (0..lines.len()).filter(|at| fence_of(lines[*at]).is_some()).collect();
    let has_columns = |line: &&&str| line.contains("   ");
    if fences.is_empty() && lines.len() >= 3 && 2 * lines.iter().filter(has_columns).count() > lines.len() {
        return Some(('`', 3));
    }
    if fences.len().is_multiple_of(2) {
        return None;
    }
    // A closing fence has nothing after it; an opening one may name a language.
    let is_bare = |at: &usize| fence_of(lines[*at]).is_some_and(|(_, run)| lines[*at].len() == run);
    let may_close_first = fences.iter().step_by(2).all(is_bare);
    let may_open_first = fences.iter().skip(1).step_by(2).all(is_bare);
    let before = || lines[..fences[0]].iter().filter(|line| !line.is_empty());
    let is_code = |line: &&&str| !line.starts_with(char::is_alphabetic) || line.contains("  ");
    let is_inside =
        may_close_first && (!may_open_first || 2 * before().filter(is_code).count() > before().count());
    fence_of(lines[fences[0]]).filter(|_| is_inside)
}

/// Whether a line opens or closes an admonition, a tab or another container: `!!! note`, `=== "Windows"`,
/// `:::tip`.
fn opens_container(line: &str) -> bool {
    let is_titled = line.strip_prefix("=== ").is_some_and(|rest| rest.starts_with('"'));
    is_titled || ["!!! ", "??? ", "???+ ", ":::"].iter().any(|mark| line.starts_with(mark))
}

/// Whether a sentence only introduces what follows it.
pub(super) fn announces(text: &str) -> bool {
    let text = text.trim_end_matches(['.', '*', '_', ' ']);
    text.ends_with(':') || text.ends_with("the following")
}

/// The text of several pieces: sentences joined by spaces, code lines and items on their own lines.
pub(super) fn text_of<'u>(units: impl Iterator<Item = &'u Unit>) -> String {
    let mut text = String::new();
    let mut last = None;
    for unit in units {
        let is_line = |kind: UnitKind| kind != UnitKind::Prose;
        if let Some(last) = last {
            text.push(if is_line(unit.kind) || is_line(last) { '\n' } else { ' ' });
        }
        text.push_str(&unit.text);
        last = Some(unit.kind);
    }
    text
}

/// Whether a line begins a list item.
fn starts_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with("* ")
        || line.starts_with("- ")
        || line.starts_with("+ ")
        || line.starts_with("• ")
        || (1..=3).contains(&digits) && (line[digits..].starts_with(". ") || line[digits..].starts_with(") "))
}

/// A heading without the attributes at its end: "Incoming mail {#mail .beta}".
fn without_attributes(heading: &str) -> &str {
    let is_closed = heading.trim_end().ends_with('}');
    let attributes = [" {#", " {."].iter().find_map(|mark| heading.rfind(mark)).filter(|_| is_closed);
    attributes.map_or(heading, |at| &heading[..at])
}

/// The term and the text of an entry of a definition list: "Loom\n: A machine that weaves."
fn term(text: &str) -> Option<(&str, &str)> {
    let (term, text) = text.trim_start().split_once("\n:")?;
    (!term.contains('\n') && text.starts_with([' ', '\t'])).then(|| (term.trim_end(), text.trim_start()))
}

/// A sentence with its definition list, if it is in one, written as another list has it: "Loom: A machine that weaves."
fn as_entry(sentence: &str) -> Cow<'_, str> {
    match (term(sentence), sentence.trim_start().strip_prefix(": ")) {
        (Some((term, text)), _) => format!("{term}: {text}").into(),
        // The term is the heading above.
        (None, Some(text)) => text.into(),
        (None, None) => sentence.into(),
    }
}

/// Whether an item is only a link.
fn is_link_alone(item: &str) -> bool {
    let text = item.trim().trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[');
    text.starts_with('[') && link(text).is_some_and(|(_, length)| length == text.len())
}

struct Reader<'t> {
    text: &'t str,
    units: Vec<Unit>,
    headings: Vec<(usize, String)>,
    block: usize,
    heads: Option<Vec<String>>,
}

impl Reader<'_> {
    fn push(&mut self, kind: UnitKind, range: Range<usize>, text: String, cells: Vec<(String, String)>) {
        if !text.contains(char::is_alphanumeric) {
            return;
        }
        let heading: Vec<&str> = self.headings.iter().map(|(_, heading)| heading.as_str()).collect();
        let heading = heading.join(" › ");
        let source = &self.text[range.clone()];
        let is_link = kind == UnitKind::Item && is_link_alone(source);
        let has_code = kind == UnitKind::Code || source.contains('`') && !is_link;
        let block = self.block;
        self.units.push(Unit { text, kind, range, heading, cells, block, has_code, is_head: false });
    }

    fn heading(&mut self, level: usize, heading: String) {
        self.headings.retain(|(known, _)| *known < level);
        self.headings.push((level, heading));
        self.block += 1;
    }

    fn paragraph(&mut self, range: Range<usize>) {
        let paragraph = &self.text[range.clone()];
        // Skip link references and comments.
        if paragraph.trim_start().starts_with("<!--")
            || paragraph.trim_start().starts_with('[') && paragraph.contains("]: ")
        {
            return;
        }
        // The text of a picture says what it shows.
        if paragraph.trim().strip_prefix('!').is_some_and(is_link_alone) {
            return;
        }
        if paragraph.trim_start().starts_with("<pre") {
            self.push(UnitKind::Code, range, plain(paragraph.trim()), Vec::new());
            return;
        }
        if let Some(cells) = cells(paragraph.trim()) {
            let cells = cells.into_iter().map(|(head, value)| (plain(head), plain(&value))).collect();
            self.block += 1;
            self.push(UnitKind::Row, range, plain(paragraph.trim()), cells);
            return;
        }
        if let Some(lines) = labelled(paragraph) {
            let cells = lines.into_iter().map(|(label, value)| (plain(label), plain(&value))).collect();
            self.block += 1;
            self.push(UnitKind::Row, range, plain(paragraph.trim()), cells);
            self.units.last_mut().into_iter().for_each(|unit| unit.is_head = true);
            return;
        }
        let is_entry = term(paragraph).is_some();
        let is_item = is_entry || starts_item(paragraph.trim_start());
        // An entry of a table of contents.
        if is_item && is_link_alone(paragraph) && paragraph.contains("](#") {
            return;
        }
        let kind = if is_item { UnitKind::Item } else { UnitKind::Prose };
        let bold = bold_heading(paragraph);
        match &bold {
            Some(bold) if bold.is_alone && paragraph[bold.end..].trim().is_empty() => {
                self.heading(BOLD_LINE, bold.text.clone());
                return;
            }
            Some(bold) => self.headings.push((RUN_IN, bold.text.clone())),
            None => {}
        }
        let from = bold.filter(|bold| bold.is_alone).map_or(0, |bold| bold.end);
        let mut sentences: Vec<Range<usize>> = hard_lines(&paragraph[from..])
            .flat_map(|(at, line)| {
                let at = from + at;
                sentences(line).into_iter().map(move |found| at + found.start..at + found.end)
            })
            .collect();
        if is_entry && sentences.len() > 1 {
            // The term goes with the first sentence about it.
            let term = sentences.remove(0);
            sentences[0].start = term.start;
        }
        for sentence in sentences {
            let text = plain(&as_entry(&paragraph[sentence.clone()]));
            self.push(kind, range.start + sentence.start..range.start + sentence.end, text, Vec::new());
        }
        self.headings.retain(|(level, _)| *level < RUN_IN);
    }

    fn row(&mut self, range: Range<usize>, line: &str) {
        let line = line.strip_prefix('|').unwrap_or(line);
        let line = line.strip_suffix('|').unwrap_or(line);
        let cells: Vec<String> = line.split('|').map(|cell| plain(cell.trim())).collect();
        if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' '))) {
            return;
        }
        let Some(heads) = &self.heads else {
            self.heads = Some(cells);
            self.block += 1;
            return;
        };
        let cells: Vec<(String, String)> = cells
            .into_iter()
            .enumerate()
            .map(|(at, cell)| (heads.get(at).cloned().unwrap_or_default(), cell))
            .filter(|(_, cell)| !cell.is_empty())
            .collect();
        let text = cells
            .iter()
            .map(|(head, cell)| if head.is_empty() { cell.clone() } else { format!("{head}: {cell}") })
            .collect::<Vec<_>>()
            .join("; ");
        self.push(UnitKind::Row, range, text, cells);
    }
}

/// The levels of headings in bold type: a line of their own, below all others, and the beginning of a paragraph.
const BOLD_LINE: usize = 7;
const RUN_IN: usize = 8;

/// Maximum number of words of a heading in bold type, and of one that runs in.
const BOLD_WORDS_MAX: usize = 12;
const RUN_IN_WORDS_MAX: usize = 8;

/// A heading in bold type at the beginning of a paragraph.
struct BoldHeading {
    text: String,
    /// Where it ends in the paragraph.
    end: usize,
    /// Whether it has a line of its own: "**Can we bring a dog?**". Otherwise it runs in: "**Hall 3.** Axles and gearboxes."
    is_alone: bool,
}

fn bold_heading(paragraph: &str) -> Option<BoldHeading> {
    let item = paragraph.trim_start();
    let content = if starts_item(item) { item.split_once(' ')?.1.trim_start() } else { item };
    let mark = ["**", "__"].into_iter().find(|mark| content.starts_with(mark))?;
    let (text, rest) = content[mark.len()..].split_once(mark)?;
    let end = paragraph.len() - rest.len();
    let text = plain(text);
    let words = text.split_whitespace().count();
    let is_alone = rest.is_empty() || rest.trim_start_matches(' ').starts_with('\n');
    let is_heading = if is_alone {
        content.len() == item.len() && !text.ends_with(['.', '!']) && words <= BOLD_WORDS_MAX
    } else {
        text.ends_with(['.', '?']) && rest.starts_with(' ') && words <= RUN_IN_WORDS_MAX
    };
    let text = text.trim_end_matches(['.', ':']).to_owned();
    (is_heading && !text.is_empty()).then_some(BoldHeading { text, end, is_alone })
}

/// The parts of a paragraph between its hard line breaks, each with its place: a break is a backslash at the end of a
/// line.
fn hard_lines(paragraph: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    paragraph.split("\\\n").map(move |line| {
        let place = at;
        at += line.len() + 2;
        (place, line)
    })
}

/// Removes Markdown and HTML: links are replaced by their text, with the address if they lead to one for mail; emphasis is
/// dropped and whitespace collapsed.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    let mut last_is_space = true;
    while let Some((at, c)) = chars.next() {
        let rest = &text[at..];
        let skip = match c {
            '!' if rest.starts_with("![") => 1,
            '[' if rest.starts_with("[![") => badge(rest).unwrap_or(0),
            '[' if rest.starts_with("[!") => alert(rest).unwrap_or(0),
            '{' if rest.starts_with("{{%") || rest.starts_with("{{<") => shortcode(rest).unwrap_or(0),
            '[' => match link(rest) {
                Some((words, length)) => {
                    out.push_str(&plain(words));
                    let target = &rest[words.len() + 2..length];
                    if let Some(address) = mail_address(target).filter(|_| !words.contains('@')) {
                        out.extend([" (", address, ")"]);
                    }
                    last_is_space &= words.is_empty();
                    length
                }
                None => 0,
            },
            '<' => tag(rest).unwrap_or(0),
            '&' => match entity(rest) {
                Some((decoded, length)) => {
                    out.push(decoded);
                    last_is_space = decoded == ' ';
                    length
                }
                None => 0,
            },
            // "==marked==", but not "a == b"
            '=' if rest.starts_with("==") && is_highlight(text, at) => 2,
            '*' if rest.starts_with("**") => 2,
            '_' if rest.starts_with("__") && !inside_word(text, at) => 2,
            // "2*3" has no emphasis.
            '*' | '_' if !inside_word(text, at) && beside_word(text, at) => 1,
            '`' => match code_span(text, at) {
                Some((code, length)) => {
                    let code = collapse_spaces(code);
                    last_is_space &= code.is_empty();
                    out.push_str(&code);
                    length
                }
                None => 1,
            },
            '\\' if rest[1..].starts_with(|next: char| next.is_ascii_punctuation()) => 1,
            '\\' if rest[1..].is_empty() || rest[1..].starts_with('\n') => 1,
            _ => 0,
        };
        if skip > 0 {
            while chars.peek().is_some_and(|(next, _)| *next < at + skip) {
                chars.next();
            }
            continue;
        }
        if c.is_whitespace() {
            if !last_is_space {
                out.push(' ');
            }
            last_is_space = true;
        } else {
            out.push(c);
            last_is_space = false;
        }
    }
    out.trim_end().to_owned()
}

/// The content of the code span at a place, and the span's length: "`*.example.org`". The roles and links of
/// reStructuredText are no code.
fn code_span(text: &str, at: usize) -> Option<(&str, usize)> {
    let ticks = text[at..].bytes().take_while(|byte| *byte == b'`').count();
    let inner = &text[at + ticks..];
    let end = inner.find(&text[at..at + ticks]).filter(|end| *end > 0)?;
    let after = &inner[end + ticks..];
    let is_other = text[..at].ends_with(':') || after.starts_with(['_', '`']);
    (!is_other).then_some((&inner[..end], ticks + end + ticks))
}

/// The length of the alert marker that a text begins with: "[!NOTE]".
fn alert(text: &str) -> Option<usize> {
    let kind = text.strip_prefix("[!")?.split(']').next()?;
    let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase());
    is_kind.then_some(kind.len() + "[!]".len())
}

/// The length of the linked image that a text begins with: "[![build](ci.svg)](https://example.org/ci)".
fn badge(text: &str) -> Option<usize> {
    let picture = text.find(')')?;
    let link = text[picture + 1..].strip_prefix("](")?;
    Some(picture + 1 + "](".len() + link.find(')')? + 1)
}

/// The character of the HTML entity that a text begins with, and the entity's length: "&amp;", "&#9733;".
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(ENTITY_MAX).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let code = |number: &str| match number.strip_prefix(['x', 'X']) {
        Some(number) => u32::from_str_radix(number, 16).ok(),
        None => number.parse().ok(),
    };
    let decoded = match name.strip_prefix('#') {
        Some(number) => code(number).and_then(char::from_u32)?,
        None => ENTITIES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((decoded, end + 1))
}

/// Maximum length in bytes of an entity.
const ENTITY_MAX: usize = 10;

/// Entities common in Markdown.
const ENTITIES: [(&str, char); 17] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("rarr", '→'),
    ("times", '×'),
    ("copy", '©'),
    ("deg", '°'),
];

/// The length of the Hugo shortcode that a text begins with: "{{% note %}}".
fn shortcode(text: &str) -> Option<usize> {
    let end = if text.starts_with("{{%") { "%}}" } else { ">}}" };
    text.find(end).filter(|at| *at < SHORTCODE_MAX).map(|at| at + end.len())
}

/// Maximum length in bytes of a shortcode.
const SHORTCODE_MAX: usize = 200;

/// The mail address that a link leads to, given its target with the brackets: "(mailto:ada@example.org?subject=Looms)".
fn mail_address(target: &str) -> Option<&str> {
    let address = target.strip_prefix("(mailto:")?.strip_suffix(')')?;
    address.split(['?', ' ']).next().filter(|address| address.contains('@'))
}

/// The text of the link that a text begins with, and the link's length.
fn link(text: &str) -> Option<(&str, usize)> {
    let close = text.find(']')?;
    let words = &text[1..close];
    if words.contains('\n') && words.len() > 300 {
        return None;
    }
    let after = &text[close + 1..];
    if words.is_empty() {
        // A picture without a description.
        let target = &after.strip_prefix('(')?[..after.find(')')?.checked_sub(1)?];
        return target.contains(['/', '.', '#']).then_some((words, close + 1 + target.len() + 2));
    }
    if after.starts_with('(') {
        return Some((words, close + 1 + after.find(')')? + 1));
    }
    if after.starts_with('[') {
        return Some((words, close + 1 + after.find(']')? + 1));
    }
    words
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '`' | '_'))
        .then_some((words, close + 1))
}

fn tag(text: &str) -> Option<usize> {
    let close = text.find('>')?;
    let inner = text[1..close].trim_start_matches('/');
    let is_tag =
        inner.starts_with(|c: char| c.is_ascii_alphabetic()) && inner.len() < 200 && !inner.contains('<');
    let name = inner.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    // An MDX component: `<Tab title="cURL">`, `</Tab>`, `<Example />`, but not the key `<Tab>`.
    let is_component = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.contains(|c: char| c.is_ascii_lowercase())
        && (inner.contains('=') || inner.ends_with('/') || text.starts_with("</"));
    let is_known = matches!(
        name.to_lowercase().as_str(),
        "a" | "b"
            | "i"
            | "em"
            | "strong"
            | "code"
            | "br"
            | "p"
            | "span"
            | "div"
            | "img"
            | "sub"
            | "sup"
            | "kbd"
            | "dl"
            | "dt"
            | "dd"
            | "details"
            | "summary"
            | "ul"
            | "ol"
            | "li"
            | "table"
            | "tr"
            | "td"
            | "th"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "u"
            | "small"
    );
    (is_tag && (is_known || is_component)).then_some(close + 1)
}

fn inside_word(text: &str, at: usize) -> bool {
    // "max__size"
    text[..at].trim_end_matches('_').ends_with(char::is_alphanumeric)
        && text[at + 1..].trim_start_matches('_').starts_with(char::is_alphanumeric)
}

fn beside_word(text: &str, at: usize) -> bool {
    text[..at].ends_with(|c: char| !c.is_whitespace())
        || text[at + 1..].starts_with(|c: char| !c.is_whitespace())
}

/// Whether a two-character mark is at the start or the end of a highlight.
fn is_highlight(text: &str, at: usize) -> bool {
    let is_open = |c: char| !c.is_whitespace();
    text[..at].ends_with(is_open) != text[at + 2..].starts_with(is_open)
}

#[cfg(test)]
mod tests {
    use super::{UnitKind, plain, units};

    #[test]
    fn headings_may_be_in_bold_type() {
        let text = "# The mill\n\n**Can we bring a dog?**\nOn a lead.\n\n**Wheels**\n\nThere are two.\n\n**Hall 3 – wool.** Built \
            in 1903. It is cold.\n\n**The loom** is loud.\n\n**Do not touch the wheel.**\n\n![A wheel.](wheel.png)\n\n**Present:** Ida, Ola\n\n- **Dye.** Red.\n";
        let read: Vec<(String, String)> =
            units(text).into_iter().map(|unit| (unit.heading, unit.text)).collect();
        let read: Vec<(&str, &str)> =
            read.iter().map(|(heading, text)| (heading.as_str(), text.as_str())).collect();
        assert_eq!(
            read,
            [
                ("The mill › Can we bring a dog?", "On a lead."),
                ("The mill › Wheels", "There are two."),
                ("The mill › Wheels › Hall 3 – wool", "Hall 3 – wool."),
                ("The mill › Wheels › Hall 3 – wool", "Built in 1903."),
                ("The mill › Wheels › Hall 3 – wool", "It is cold."),
                ("The mill › Wheels", "The loom is loud."),
                ("The mill › Wheels", "Do not touch the wheel."),
                ("The mill › Wheels", "Present: Ida, Ola"),
                ("The mill › Wheels › Dye", "Dye."),
                ("The mill › Wheels › Dye", "Red."),
            ]
        );
    }

    #[test]
    fn a_backslash_at_the_end_of_a_line_breaks_it() {
        let text = "The loom is loud\\\n**Weight:** 40 kg\\\n- a `\\` mark\\\n";
        let told: Vec<_> = units(text).into_iter().map(|unit| unit.text).collect();
        assert_eq!(told, ["The loom is loud", "Weight: 40 kg", "a \\ mark"]);
    }

    #[test]
    fn a_link_to_a_mail_address_shows_it() {
        let text = "Write to [the list](mailto:guild@looms.example?subject=Hi), [us](/us) or [a@b.example](mailto:a@b.example).";
        assert_eq!(plain(text), "Write to the list (guild@looms.example), us or a@b.example.");
    }

    #[test]
    fn badges_say_nothing() {
        let text = "# Loom [![build](b.svg)](https://example.org/ci)\n\n[![a](a.svg)](a) [![b](b.svg)](b)\n\nIt weaves.\n";
        let told: Vec<_> = units(text).into_iter().map(|unit| (unit.heading, unit.text)).collect();
        assert_eq!(told, [("Loom".to_owned(), "It weaves.".to_owned())]);
        assert_eq!(plain("See [the *guide*](g.md)."), "See the guide.");
        assert_eq!(plain("It weaves. ![](img/loom.png) It hums."), "It weaves. It hums.");
        assert_eq!(plain("The lambda [](int x) is pure."), "The lambda [](int x) is pure.");
    }

    #[test]
    fn entities_are_characters_and_marks_are_left_out() {
        assert_eq!(plain("&#9733;Blue &amp; red&nbsp;&mdash; &lt;b&gt; &#x41;"), "★Blue & red — <b> A");
        assert_eq!(plain("R&D; a & b; &unknown;"), "R&D; a & b; &unknown;");
        assert_eq!(
            plain("==A loom weaves.== It is `a == b` or a == b."),
            "A loom weaves. It is a == b or a == b."
        );
    }

    #[test]
    fn an_entry_of_a_definition_list_is_an_item_and_a_heading_has_no_attributes() {
        let text = "## Looms {#looms}\n\n: Machines.\n\n`loom`\n:   A machine that weaves. It has a beam.\n";
        let read: Vec<_> = units(text).into_iter().map(|unit| (unit.kind, unit.text, unit.heading)).collect();
        let expected = [
            (UnitKind::Prose, "Machines."),
            (UnitKind::Item, "loom: A machine that weaves."),
            (UnitKind::Item, "It has a beam."),
        ];
        assert_eq!(read, expected.map(|(kind, text)| (kind, text.to_owned(), "Looms".to_owned())));
    }

    #[test]
    fn code_spans_keep_their_characters() {
        assert_eq!(
            plain("Ask for `*.example.org` or ``a `*b*` c``, *not* `__all__`."),
            "Ask for *.example.org or a `*b*` c, not __all__."
        );
        assert_eq!(plain("A lone ` and `` none."), "A lone and none.");
        assert_eq!(plain("See :ref:`the *loom*`."), "See :ref:the loom.");
    }

    #[test]
    fn a_block_of_code_is_code_also_where_it_was_cut_or_is_html() {
        let kinds = |text: &str| units(text).iter().map(|unit| unit.kind).collect::<Vec<_>>();
        let [prose, code] = [UnitKind::Prose, UnitKind::Code];
        assert_eq!(
            kinds("--quiet   prints nothing\n--loud   rings\n```\n\nBoth may be left out."),
            [code, code, prose]
        );
        assert_eq!(kinds("It rings.\n--wet      drips\n--dry      does not"), [code, code, code]);
        assert_eq!(kinds("Build it with one command:\n\n```\nmake all\n"), [prose, code]);
        let page = "<pre><code>yard [--loud]\n  [--wet]</code></pre>\n\nRings the bell of the yard.";
        assert_eq!(kinds(page), [code, prose]);
        assert_eq!(
            kinds("let size = 4;\n```\n\nThen:\n\n```rust\nlet size = 5;\n```\n"),
            [code, prose, code]
        );
    }
}
