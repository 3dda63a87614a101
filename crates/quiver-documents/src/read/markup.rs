//! Markup that is nearly plain text: `reStructuredText` and Org. Their headings and code become those of Markdown; what
//! only directs a program is left out, and all else stays as it is written.

use super::{
    head,
    restructured_line::{indentation, without_roles},
    restructured_table::table,
    with_headings,
};
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
        if let Some((table, end)) = table(&lines, at) {
            read.extend(["\n", &table.paragraphs()]);
            at = end;
            continue;
        }
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
            Some(what) if described(what).is_some_and(|_| is_block_below(&lines, at)) => {
                let name = format!("`{}`", described(what).unwrap_or_default());
                at = entry(&mut read, &name, &lines, at);
                continue;
            }
            // A note says what it is, and its text follows its options. A directive that has only options says nothing.
            Some(what) => {
                let options = options_below(&lines, at);
                let next = lines[at + 1 + options..].iter().find(|line| !line.trim().is_empty());
                let is_block = next.is_some_and(|next| indentation(next) > indent);
                match what.split_once("::") {
                    Some((name, rest))
                        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
                            && (options == 0 || is_block || !rest.trim().is_empty()) =>
                    {
                        read.extend([name.replace('-', " ").as_str(), " ", rest.trim()]);
                    }
                    _ => {}
                }
                at += options;
            }
            // "For example::" announces code.
            None if line.trim_end().ends_with("::") && is_block_below(&lines, at) => {
                let line = line.trim_end().trim_end_matches("::");
                if !line.trim().is_empty() {
                    read.extend([without_roles(line).trim_end(), ":\n"]);
                }
                at = fenced(&mut read, &lines, at, "");
                continue;
            }
            None if is_term(&lines, at) => {
                at = entry(&mut read, without_roles(line).trim(), &lines, at);
                continue;
            }
            None => read.push_str(&without_roles(line)),
        }
        read.push('\n');
        at += 1;
    }
    finish(read, None)
}

/// What a directive describes: the option, the setting or the function.
fn described(directive: &str) -> Option<&str> {
    let (kind, name) = directive.rsplit_once(":: ")?;
    let is_description = matches!(
        kind.rsplit(':').next()?,
        "option"
            | "cmdoption"
            | "envvar"
            | "confval"
            | "setting"
            | "describe"
            | "data"
            | "function"
            | "method"
            | "class"
            | "attribute"
            | "exception"
            | "macro"
            | "type"
    );
    is_description.then(|| name.trim().trim_matches('`')).filter(|name| !name.is_empty())
}

/// Whether a line is a term whose definition is indented right below it.
fn is_term(lines: &[&str], at: usize) -> bool {
    let line = lines[at].trim();
    let indent = indentation(lines[at]);
    let is_first = at == 0 || lines[at - 1].trim().is_empty() || indentation(lines[at - 1]) > indent;
    let is_below =
        lines.get(at + 1).is_some_and(|next| !next.trim().is_empty() && indentation(next) > indent);
    let is_item = line.starts_with(['|', '>', '+', '='])
        || ["- ", "* ", "• ", "#. ", "(", ".."].iter().any(|mark| line.starts_with(mark))
        || line.split_once(['.', ')']).is_some_and(|(number, _)| {
            number.len() <= 3 && number.chars().all(|c| c.is_ascii_alphanumeric())
        });
    // ":Author: Ada"
    let is_field = line
        .strip_prefix(':')
        .is_some_and(|field| field.contains(": ") && !field.contains(":`") || field.ends_with(':'));
    is_first
        && is_below
        && !is_item
        && !is_field
        && line.contains(char::is_alphanumeric)
        && line.len() <= TERM_BYTES_MAX
}

/// Maximum number of bytes of a term with its definition below it.
const TERM_BYTES_MAX: usize = 80;

/// Writes a name and the first paragraph that is indented below it as an item, and returns where the text goes on.
fn entry(read: &mut String, name: &str, lines: &[&str], at: usize) -> usize {
    let indent = indentation(lines[at]);
    let is_text = |line: &&&str| !line.trim().is_empty() && indentation(line) > indent;
    let is_option = |line: &&&str| {
        line.trim().is_empty() || is_text(line) && line.trim_start().starts_with(':') && !line.contains(":`")
    };
    let from = at + 1 + lines[at + 1..].iter().take_while(is_option).count();
    let end = from
        + lines[from..]
            .iter()
            .take_while(|line| is_text(line) && !line.trim_start().starts_with(".. "))
            .count();
    let text: Vec<String> = lines[from..end].iter().map(|line| without_roles(line.trim())).collect();
    read.extend(["- ", name, if text.is_empty() { "" } else { ": " }, &text.join(" "), "\n"]);
    end
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

/// The number of options right below a directive: ":linenos:", ":description: How to set it up".
fn options_below(lines: &[&str], at: usize) -> usize {
    let indent = indentation(lines[at]);
    let is_option = |line: &str| {
        let name = line.trim_start().strip_prefix(':').and_then(|rest| rest.split_once(':'));
        indentation(line) > indent
            && name.is_some_and(|(name, rest)| !name.is_empty() && !rest.starts_with('`'))
    };
    lines[at + 1..].iter().take_while(|line| is_option(line)).count()
}

/// Writes the block that is indented below a line as code, and returns where the text goes on.
fn fenced(read: &mut String, lines: &[&str], at: usize, language: &str) -> usize {
    let indent = indentation(lines[at]);
    let is_blank = |line: &str| line.trim().is_empty();
    let from = at + 1 + options_below(lines, at);
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
