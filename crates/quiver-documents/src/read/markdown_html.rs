//! HTML in Markdown: its text stays, and its tags go.

use super::{html, picture::replaced};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::{borrow::Cow, collections::HashSet, ops::Range};

/// Elements that are markup even without an end tag. Other names in angle brackets may be placeholders or types:
/// `quiver delete <key>`, `Vec<T>`.
const WITHOUT_END: &[&str] =
    &["b", "br", "center", "dd", "div", "dt", "hr", "i", "li", "p", "td", "th", "tr", "wbr"];

/// Elements whose content no reader sees.
const HIDDEN: &[&str] = &["script", "style"];

/// Replaces the HTML of Markdown with what a reader sees of it, written as Markdown: headings, list items, tables, the
/// descriptions of pictures. Scripts, styles and comments go. Code keeps its tags.
pub(super) fn without_html(text: String) -> String {
    if !text.contains('<') {
        return text;
    }
    let text = with_fences_apart(&text).unwrap_or(text);
    let ended = ended(&text);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    // The element whose content is hidden, and the edit that removes it.
    let mut hidden: Option<(String, usize)> = None;
    let mut open = 0;
    for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::HtmlBlock) if is_markup(text[range.clone()].trim_start(), &ended) => {
                open += opened(&text[range.clone()]);
                let read = block(&text, &range);
                edits.push((range, read));
            }
            // After a blank line, what is indented within an element would be code.
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))
                if open > 0 && is_markup(text[range.clone()].trim_start(), &ended) =>
            {
                let indented = &text[range.clone()];
                open += opened(indented);
                let line = line_start(&text, range.start);
                edits.push((line..range.end, html::fragment(indented).trim().to_owned() + "\n\n"));
            }
            Event::InlineHtml(tag) => {
                let name = name(&tag);
                if let Some((element, edit)) = &hidden {
                    if tag.starts_with("</") && name == *element {
                        edits[*edit].0.end = range.end;
                        hidden = None;
                    }
                    continue;
                }
                if !is_markup(&tag, &ended) {
                    continue;
                }
                if HIDDEN.contains(&&*name) && !tag.starts_with("</") {
                    hidden = Some((name.clone(), edits.len()));
                }
                edits.push((range, inline(&tag, &name)));
            }
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableCell) => {
                hidden = None;
            }
            _ => {}
        }
    }
    replaced(&text, edits)
}

/// What a reader sees of one tag in a line.
fn inline(tag: &str, name: &str) -> String {
    match name {
        "img" => html::fragment(tag).trim().to_owned(),
        "" => String::new(),
        _ if html::is_inline(name) || HIDDEN.contains(&name) => String::new(),
        _ => " ".to_owned(),
    }
}

/// What a reader sees of a block, in the list or quotation that it stands in.
fn block(text: &str, range: &Range<usize>) -> String {
    let line = line_start(text, range.start);
    let before = &text[line..range.start];
    let raw = &text[range.clone()];
    let before = before.to_owned() + &raw[..raw.len() - raw.trim_start_matches([' ', '\t']).len()];
    let indent: String = before.chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect();
    let raw = if indent.contains('>') {
        let unquoted = raw.lines().map(|line| line.trim_start().trim_start_matches(['>', ' ']));
        Cow::Owned(unquoted.collect::<Vec<_>>().join("\n") + "\n")
    } else {
        Cow::Borrowed(raw)
    };
    let read = html::fragment(&raw);
    let end = if raw.ends_with('\n') { "\n" } else { "" };
    if read.trim().is_empty() {
        return end.to_owned();
    }
    let mut written = String::new();
    let follows_text = text[..line].lines().next_back().is_some_and(|line| !line.trim().is_empty());
    if before.trim().is_empty() && follows_text {
        written.extend(["\n", &indent]);
    }
    for (at, line) in read.trim_end().lines().enumerate() {
        match (at, line.is_empty()) {
            (0, _) => written.push_str(line),
            (_, true) => written.extend(["\n", indent.trim_end()]),
            (_, false) => written.extend(["\n", &indent, line]),
        }
    }
    written.push_str(end);
    let next = text[range.end..].lines().next().unwrap_or_default().trim_matches(['>', ' ', '\t']);
    // A paragraph would continue.
    if next.starts_with(|c: char| !"-*+#".contains(c)) {
        written.extend([indent.trim_end(), "\n"]);
    }
    written
}

/// Where the line of a place begins.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The number of elements that a part of a page begins and does not end; negative if it ends more.
fn opened(html: &str) -> i32 {
    let tags = html.match_indices('<').map(|(at, _)| &html[at..]);
    let counts = tags.map(|tag| match name(tag) {
        name if name.is_empty() || WITHOUT_END.contains(&&*name) && name != "div" => 0,
        _ if tag.starts_with("</") => -1,
        name => {
            let is_closed = tag.split('>').next().is_some_and(|tag| tag.ends_with('/'));
            i32::from(!is_closed && !html::is_void(&name))
        }
    });
    counts.sum()
}

/// The name of a tag, in small letters; empty for comments, declarations and instructions.
fn name(tag: &str) -> String {
    let tag = tag.trim_start_matches(['<', '/']);
    let end = tag.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.:".contains(c))).unwrap_or(tag.len());
    tag[..end].to_ascii_lowercase()
}

/// Whether a text in angle brackets, at the start of this one, is a tag or a comment.
fn is_markup(text: &str, ended: &HashSet<String>) -> bool {
    let Some(rest) = text.strip_prefix('<') else { return false };
    if rest.starts_with(['!', '?', '/']) {
        return true;
    }
    let tag = rest.split('>').next().unwrap_or_default();
    let name = name(text);
    tag.contains('=') || tag.ends_with('/') || WITHOUT_END.contains(&&*name) || ended.contains(&name)
}

/// The names of the end tags in a text.
fn ended(text: &str) -> HashSet<String> {
    text.match_indices("</").map(|(at, _)| name(&text[at..])).collect()
}

/// Puts a blank line between a line of tags and the fence of code below it, if there is none: Markdown would take the
/// code for a part of the HTML.
fn with_fences_apart(text: &str) -> Option<String> {
    let mut apart = String::new();
    let (mut copied, mut at) = (0, 0);
    let mut fence: Option<&str> = None;
    let mut follows_tags = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (Some(open), _) => {
                let closes = bare.starts_with(open) && bare.trim_matches(['`', '~']).is_empty();
                fence = fence.filter(|_| !closes);
            }
            (None, Some(_)) => {
                if follows_tags {
                    apart.extend([&text[copied..at], "\n"]);
                    copied = at;
                }
                let length = bare.len() - bare.trim_start_matches(['`', '~']).len();
                fence = Some(&bare[..length]);
            }
            (None, None) => {}
        }
        follows_tags = fence.is_none() && bare.starts_with('<') && bare.ends_with('>');
        at += line.len();
    }
    (copied > 0).then(|| apart + &text[copied..])
}

#[cfg(test)]
mod tests {
    use super::without_html;

    fn check(text: &str, expected: &str) {
        assert_eq!(without_html(text.to_owned()), expected, "{text}");
    }

    #[test]
    fn tags_go_and_their_text_stays() {
        check("Press <kbd>Ctrl</kbd>+<kbd>C</kbd> for H<sub>2</sub>O.", "Press Ctrl+C for H2O.");
        check("One<br>two <br/> three<br />\nfour", "One two three\nfour");
        check("## <a name=\"looms\"></a>Looms <a id='x'></a>", "## Looms ");
        check("Wind <!-- gently --> it <style>b{}</style> up.", "Wind it up.");
        check("<div class=\"note\">\n\nAsk **the warden**.\n\n</div>\n", "\n\nAsk **the warden**.\n\n\n");
        check(
            "<details>\n<summary>More</summary>\n\nThe loom has a beam.\n</details>\n",
            "More\n\nThe loom has a beam.\n\n",
        );
        check(
            "<figure>\n  <iframe src=\"a\"></iframe>\n  <figcaption>A vat &amp; a beam</figcaption>\n</figure>\nThe end.",
            "A vat & a beam\n\nThe end.",
        );
        check("It weaves.\n<p align=\"center\">By hand.</p>\n", "It weaves.\n\nBy hand.\n");
        check("- one\n- <div>two</div>\n  <div>three</div>\n- four", "- one\n- two\n\n  three\n- four");
        check("> <p>Said\n> so.</p>\n> And more.\n", "> Said\n> so.\n>\n> And more.\n");
    }

    #[test]
    fn headings_pictures_lists_and_tables_are_those_of_markdown() {
        check(
            "<h1 align=\"center\">\n  <br>\n  <img src=\"l.png\" alt=\"Logo\"> Loom\n</h1>\n\nIt weaves.",
            "# ![Logo](x) Loom\n\nIt weaves.",
        );
        check("<h2>Vats</h2>\n<ul>\n<li>\n one</li>\n<li>two</li></ul>", "## Vats\n\n- one\n\n- two");
        check("See <img src=\"a.png\" alt=\"the [red] mast\"/>.", "See ![the red mast](x).");
        check(
            "<p><a href=\"u\"><img alt=\"build\" src=\"b\"></a> <a href=\"u\">Docs</a></p>",
            "[![build](x)](x) Docs",
        );
        check(
            "<table>\n<tr><th>Service</th><th>Port</th></tr>\n<tr><td>gateway</td><td>8443</td></tr>\n</table>",
            "Service: gateway; Port: 8443.",
        );
        check("<pre>\n  let x;\n\n    #include\n</pre>", "```\n  let x;\n\n    #include\n\n```");
        check("<Tab value=\"a\">\n```sh\n  <b>ask</b>\n```\n</Tab>\n", "\n\n```sh\n  <b>ask</b>\n```\n\n");
    }

    #[test]
    fn what_is_indented_within_an_element_is_no_code() {
        check(
            "<div>\n  <div>\n\n      <h6>Looms</h6>\n      <p>Forty.</p>\n\n      <p>Of oak.</p>\n  </div>\n</div>\n\n    <p>code</p>\n",
            "\n\n###### Looms\n\nForty.\n\nOf oak.\n\n  \n\n    <p>code</p>\n",
        );
    }

    #[test]
    fn code_placeholders_and_types_stay() {
        for text in [
            "Forty `<script>` metres.\n\n```html\n<style>b {}</style>\n<br>\n```\n\n    <div>indented</div>\n",
            "`quiver delete <key>` and delete <key> with a Vec<T> of <your name>.",
            "<key>\n\nA placeholder.",
            "See <https://example.org> if a < b.",
        ] {
            check(text, text);
        }
    }
}
