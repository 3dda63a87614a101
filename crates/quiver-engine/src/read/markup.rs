//! Markup that is nearly plain text: `reStructuredText`, `AsciiDoc` and Org. Their headings and code become those of
//! Markdown; what only directs a program is left out, and all else stays as it is written.

use super::{head, with_headings};
use crate::{chunk::first_heading, document::Document};

/// What a line may be underlined with.
const RULES: &str = "=-~^\"'`:.*+#_<>";

pub(super) fn restructured(text: &str) -> Document {
    let lines: Vec<&str> = text.lines().collect();
    let mut read = String::with_capacity(text.len());
    // Which rule is which level is told by their order: the first is the outermost.
    let mut levels: Vec<(char, bool)> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let is_over = rule(line).is_some() && at + 2 < lines.len() && rule(lines[at + 2]) == rule(line);
        let heading = if is_over { lines[at + 1] } else { line };
        let under = lines.get(if is_over { at + 2 } else { at + 1 }).and_then(|under| {
            let is_long = under.trim_end().chars().count() >= heading.trim().chars().count();
            rule(under)
                .filter(|_| is_long && heading.contains(char::is_alphanumeric) && rule(heading).is_none())
        });
        if let Some(mark) = under.filter(|_| is_over || !line.starts_with(char::is_whitespace)) {
            let level = levels.iter().position(|known| *known == (mark, is_over)).unwrap_or_else(|| {
                levels.push((mark, is_over));
                levels.len() - 1
            });
            heading_line(&mut read, level + 1, heading.trim());
            at += if is_over { 3 } else { 2 };
            continue;
        }
        let directive = line.trim_start().strip_prefix(".. ").or((line.trim() == "..").then_some(""));
        let indent = indentation(line);
        let is_indented = |at: usize| {
            lines.get(at).is_some_and(|line| indentation(line) > indent && !line.trim().is_empty())
        };
        match directive {
            // A label, or a picture with its options.
            Some(what) if what.starts_with('_') || is_picture(what) => {
                at += 1;
                while is_indented(at) {
                    at += 1;
                }
                continue;
            }
            // A footnote or a citation.
            Some(what) if what.starts_with('[') => {
                read.push_str(what.split_once(']').map_or(what, |(_, text)| text.trim_start()));
            }
            // A comment with all that is indented below it, unless nothing follows the points and their line.
            Some(what) if !what.contains("::") => {
                at += 1;
                let is_empty = what.is_empty() && !is_indented(at);
                while !is_empty
                    && (is_indented(at) || lines.get(at).is_some_and(|line| line.trim().is_empty()))
                {
                    at += 1;
                }
                continue;
            }
            Some(what) if code_language(what).is_some() => {
                at = fenced(&mut read, &lines, at, code_language(what).unwrap_or_default());
                continue;
            }
            // A note says what it is, and its text follows.
            Some(what) => match what.split_once("::") {
                Some((name, rest))
                    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) =>
                {
                    read.extend([name.replace('-', " ").as_str(), " ", rest.trim()]);
                }
                _ => {}
            },
            // "For example::" announces code.
            None if line.trim_end().ends_with("::") && is_block_below(&lines, at) => {
                let line = line.trim_end().trim_end_matches("::");
                if !line.trim().is_empty() {
                    read.extend([without_roles(line).trim_end(), ":\n"]);
                }
                at = fenced(&mut read, &lines, at, "");
                continue;
            }
            None => read.push_str(&without_roles(line)),
        }
        read.push('\n');
        at += 1;
    }
    finish(read, None)
}

/// The language of a directive that code follows; empty where it names none.
fn code_language(directive: &str) -> Option<&str> {
    let (name, language) = directive.split_once("::")?;
    let is_code = matches!(
        name,
        "code" | "code-block" | "sourcecode" | "parsed-literal" | "prompt" | "testcode" | "doctest"
    );
    is_code.then(|| language.split_whitespace().next().unwrap_or_default())
}

/// Whether the next line with text is indented below a line.
fn is_block_below(lines: &[&str], at: usize) -> bool {
    let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
    next.is_some_and(|next| indentation(next) > indentation(lines[at]))
}

/// Writes the block that is indented below a line as code, and returns where the text goes on.
fn fenced(read: &mut String, lines: &[&str], at: usize, language: &str) -> usize {
    let indent = indentation(lines[at]);
    let is_blank = |line: &str| line.trim().is_empty();
    let mut from = at + 1;
    // Options of the directive: ":linenos:".
    while lines.get(from).is_some_and(|line| indentation(line) > indent && line.trim_start().starts_with(':'))
    {
        from += 1;
    }
    let block = lines[from..].iter().take_while(|line| is_blank(line) || indentation(line) > indent).count();
    let mut code = &lines[from..from + block];
    while let [first, rest @ ..] = code
        && is_blank(first)
    {
        code = rest;
    }
    while let [rest @ .., last] = code
        && is_blank(last)
    {
        code = rest;
    }
    let margin =
        code.iter().filter(|line| !is_blank(line)).map(|line| indentation(line)).min().unwrap_or_default();
    if !code.is_empty() {
        let fence = if code.iter().any(|line| line.contains("```")) { "````" } else { "```" };
        read.extend([fence, language, "\n"]);
        for line in code {
            read.extend([line.get(margin..).unwrap_or(line.trim_start()), "\n"]);
        }
        read.extend([fence, "\n\n"]);
    }
    from + block
}

fn is_picture(directive: &str) -> bool {
    ["image::", "figure::", "toctree::", "highlight::", "contents::", "meta::"]
        .iter()
        .any(|name| directive.starts_with(name))
}

/// The mark that a line consists of.
fn rule(line: &str) -> Option<char> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(|mark| RULES.contains(*mark))?;
    (line.len() > 2 && line.chars().all(|other| other == mark)).then_some(mark)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line with what its roles mark, and without the roles: ":ref:`the guide <guide>`" is "the guide".
fn without_roles(line: &str) -> String {
    let mut read = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(":`") {
        let name = rest[..start].rfind(':').filter(|colon| {
            let name = &rest[colon + 1..start];
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte))
        });
        let end = rest[start + 2..].find('`').map(|end| start + 2 + end);
        let (Some(name), Some(end)) = (name, end) else {
            read.push_str(&rest[..start + 2]);
            rest = &rest[start + 2..];
            continue;
        };
        let marked = &rest[start + 2..end];
        read.push_str(&rest[..name]);
        read.push_str(
            marked.split_once('<').map_or(marked, |(words, _)| words.trim_end()).trim_start_matches('~'),
        );
        rest = &rest[end + 1..];
    }
    read.push_str(rest);
    read
}

pub(super) fn asciidoc(text: &str) -> Document {
    let mut read = String::with_capacity(text.len());
    let mut title = None;
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let bare = line.trim_end();
        if let Some(open) = fence {
            if bare == open {
                fence = None;
                read.push_str("```\n");
            } else {
                read.extend([line, "\n"]);
            }
            continue;
        }
        let level = bare.chars().take_while(|mark| *mark == '=').count();
        let heading = bare.get(level..).and_then(|rest| rest.strip_prefix(' ')).map(str::trim);
        match heading {
            Some(heading) if level > 0 => {
                if level == 1 {
                    title.get_or_insert_with(|| heading.to_owned());
                }
                heading_line(&mut read, level, heading);
                continue;
            }
            _ => {}
        }
        let is_attribute = is_attribute(bare);
        let is_block = bare.starts_with('[') && bare.ends_with(']')
            || bare.starts_with("//") && !bare.starts_with("///");
        let is_directive = ["image::", "include::", "ifdef::", "ifndef::", "endif::", "toc::"]
            .iter()
            .any(|name| bare.starts_with(name));
        if ["----", "....", "```"].contains(&bare) {
            fence = Some(bare);
            read.push_str("```\n");
        } else if !(is_attribute
            || is_block
            || is_directive
            || ["====", "****", "____", "--"].contains(&bare))
        {
            read.extend([line, "\n"]);
        }
    }
    finish(read, title)
}

/// Whether a line sets an attribute of the document: `:toc: left`.
fn is_attribute(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.split_once(':'));
    name.is_some_and(|(name, value)| {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_!".contains(&byte);
        !name.is_empty() && name.bytes().all(is_name) && (value.is_empty() || value.starts_with(' '))
    })
}

pub(super) fn org(text: &str) -> Document {
    let mut read = String::with_capacity(text.len());
    let (mut title, mut in_drawer) = (None, false);
    for line in text.lines() {
        let bare = line.trim();
        let lower = bare.to_ascii_lowercase();
        let stars = line.chars().take_while(|mark| *mark == '*').count();
        let heading = line.get(stars..).and_then(|rest| rest.strip_prefix(' ')).filter(|_| stars > 0);
        if in_drawer {
            in_drawer = lower != ":end:";
        } else if let Some(heading) = heading {
            heading_line(&mut read, stars, heading.trim());
        } else if lower == ":properties:" || lower == ":logbook:" {
            in_drawer = true;
        } else if let Some(name) = lower.strip_prefix("#+title:") {
            title = Some(bare[bare.len() - name.len()..].trim().to_owned()).filter(|title| !title.is_empty());
        } else if let Some(source) = lower.strip_prefix("#+begin_src") {
            read.extend(["```", source.split_whitespace().next().unwrap_or_default(), "\n"]);
        } else if lower.starts_with("#+end_src") {
            read.push_str("```\n");
        } else if !lower.starts_with("#+") {
            read.extend([line, "\n"]);
        }
    }
    finish(read, title)
}

pub(super) fn heading_line(read: &mut String, level: usize, heading: &str) {
    read.push('\n');
    read.extend(std::iter::repeat_n('#', level.min(6)));
    read.extend([" ", heading, "\n\n"]);
}

fn finish(text: String, title: Option<String>) -> Document {
    let title = title.or_else(|| first_heading(&text));
    head::apply(&head::take(&text), with_headings(text, title))
}
