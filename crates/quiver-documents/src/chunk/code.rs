//! Splits source code at its definitions, by the words that define and by indentation, which formatters keep.
//!
//! No language is parsed: a definition begins with a word such as `fn` or `class`, or as a function of C does, and ends
//! before the next line that is indented no deeper and does not close it. What this gets wrong is cut elsewhere, and
//! never lost.

use super::tokens;
use std::ops::Range;

/// Smaller definitions share a passage with their neighbours up to this part of its length.
const SHARED_PART: usize = 3;
/// The most names of definitions that a passage's title has.
const NAMES_MAX: usize = 6;
/// A name in a title is no longer than this.
const NAME_BYTES_MAX: usize = 80;
/// Bytes of code that count as one token at the least: code has more marks than words.
const TOKEN_BYTES: usize = 8;
/// A signature takes no more lines than this.
const SIGNATURE_LINES_MAX: usize = 16;
/// The head of a container that is no longer, and has no comment, is no passage.
const BARE_HEAD: usize = 30;
/// Definitions are looked for this deep.
const DEPTH_MAX: usize = 8;

/// The length of a part of code.
pub(super) fn length(text: &str, tokens_max: usize) -> usize {
    let bytes = text.len() / TOKEN_BYTES;
    if bytes > tokens_max { bytes } else { bytes.max(tokens(text)) }
}

/// A part of a source file, and the names that lead to it, outermost first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) range: Range<usize>,
    pub(super) names: Vec<String>,
}

/// What the splitter knows of a language.
#[derive(Clone, Copy, Debug)]
struct Language {
    /// Words before a definition that has others in it.
    containers: &'static [&'static str],
    /// Words before a definition that is read as a whole.
    leaves: &'static [&'static str],
    /// Whether functions have no word of their own: everywhere, or within containers only.
    functions: Functions,
    /// What a comment to the end of the line begins with.
    comment: &'static str,
    /// What begins and ends texts over several lines.
    quotes: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Functions {
    Named,
    Anywhere,
    InContainers,
    /// `name() {`
    Shell,
    /// `const name = (…) => …`, and methods.
    Script,
    /// `name <- function(…)`
    Assigned,
}

const TRIPLE: &[(&str, &str)] = &[("\"\"\"", "\"\"\""), ("'''", "'''")];
const BACKTICK: &[(&str, &str)] = &[("`", "`")];

/// The words that may stand before one that defines.
const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "fileprivate",
    "abstract",
    "final",
    "override",
    "virtual",
    "inline",
    "unsafe",
    "extern",
    "const",
    "constexpr",
    "open",
    "sealed",
    "data",
    "suspend",
    "declare",
    "partial",
    "local",
    "indirect",
    "mutating",
    "case",
    "value",
    "annotation",
    "inner",
    "expect",
    "actual",
    "tailrec",
    "operator",
    "infix",
    "implicit",
    "lazy",
    "external",
    "typedef",
    "ref",
    "readonly",
    "strictfp",
    "native",
    "synchronized",
    "comptime",
    "noinline",
    "base",
    "mixin",
];

/// Words that look like the name of a function that is defined, and are none.
const STATEMENTS: &[&str] = &[
    "if", "for", "foreach", "while", "switch", "catch", "return", "else", "do", "new", "throw", "using",
    "lock", "case", "assert", "await", "yield", "delete", "sizeof", "typeof", "elif", "until", "match",
    "when", "with", "not", "and", "or", "in", "import", "from", "goto", "defer", "go", "select", "try",
    "guard", "fixed",
];

/// Lines at the start of a file that only say what it uses.
const IMPORTS: &[&str] = &[
    "use ",
    "pub use ",
    "pub(crate) use ",
    "import ",
    "import(",
    "from ",
    "#include",
    "#pragma",
    "using ",
    "package ",
    "require",
    "const {",
    "extern crate ",
    "mod ",
    "pub mod ",
    "pub(crate) mod ",
    "alias ",
    "@import",
    "#import",
    "library(",
    "include ",
    "export * from",
    "export {",
    "\"use strict\"",
    "'use strict'",
    "open ",
    "load(",
];

fn language(ending: &str) -> Option<Language> {
    let language = |containers, leaves, functions, comment, quotes| {
        Some(Language { containers, leaves, functions, comment, quotes })
    };
    match ending {
        "rs" => language(
            &["mod", "impl", "trait"],
            &["fn", "struct", "enum", "union", "macro_rules!"],
            Functions::Named,
            "//",
            &[("r#\"", "\"#"), ("r##\"", "\"##")],
        ),
        "py" | "pyi" | "pyw" | "gd" => language(&["class"], &["def"], Functions::Named, "#", TRIPLE),
        "go" => language(&[], &["func", "type"], Functions::Named, "//", BACKTICK),
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => language(
            &["class", "namespace", "module"],
            &["function", "function*", "interface", "enum", "type"],
            Functions::Script,
            "//",
            BACKTICK,
        ),
        "java" | "groovy" => language(
            &["class", "interface", "enum", "record", "@interface"],
            &[],
            Functions::InContainers,
            "//",
            TRIPLE.split_at(1).0,
        ),
        "cs" => language(
            &["class", "interface", "struct", "record", "namespace"],
            &["enum", "delegate"],
            Functions::InContainers,
            "//",
            &[],
        ),
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "m" | "mm" | "cu" => {
            language(&["class", "struct"], &["union", "enum"], Functions::Anywhere, "//", &[])
        }
        "kt" | "kts" | "scala" | "sc" => language(
            &["class", "interface", "object", "trait", "enum"],
            &["fun", "def"],
            Functions::Named,
            "//",
            TRIPLE.split_at(1).0,
        ),
        "swift" => language(
            &["class", "struct", "enum", "protocol", "extension", "actor"],
            &["func", "init", "subscript"],
            Functions::Named,
            "//",
            TRIPLE.split_at(1).0,
        ),
        "dart" => language(
            &["class", "mixin", "extension", "enum"],
            &["typedef"],
            Functions::Anywhere,
            "//",
            TRIPLE,
        ),
        "php" => language(
            &["class", "interface", "trait", "namespace", "enum"],
            &["function"],
            Functions::Named,
            "//",
            &[],
        ),
        "rb" | "rake" => language(&["class", "module"], &["def"], Functions::Named, "#", &[]),
        "ex" | "exs" => language(
            &["defmodule", "defprotocol", "defimpl"],
            &["def", "defp", "defmacro", "defmacrop", "defstruct"],
            Functions::Named,
            "#",
            TRIPLE.split_at(1).0,
        ),
        "lua" => language(&[], &["function"], Functions::Named, "--", &[("[[", "]]")]),
        "jl" => language(
            &["module"],
            &["function", "struct", "macro"],
            Functions::Named,
            "#",
            TRIPLE.split_at(1).0,
        ),
        "sh" | "bash" | "zsh" | "ksh" => language(&[], &["function"], Functions::Shell, "#", &[]),
        "pl" | "pm" => language(&[], &["sub"], Functions::Named, "#", &[]),
        "r" => language(&[], &[], Functions::Assigned, "#", &[]),
        "zig" => language(&[], &["fn", "test"], Functions::Named, "//", &[]),
        "proto" => language(&["service"], &["message", "enum", "rpc"], Functions::Named, "//", &[]),
        "tf" | "hcl" => language(
            &[],
            &["resource", "module", "variable", "output", "data", "provider", "locals"],
            Functions::Named,
            "#",
            &[],
        ),
        "ps1" | "psm1" => language(&["class"], &["function"], Functions::Named, "#", &[]),
        _ => None,
    }
}

/// Whether files with this ending are source code.
pub(crate) fn is_code(ending: &str) -> bool {
    language(ending).is_some()
}

/// Splits a source file whose name has this ending. Parts that are longer than `tokens_max` are definitions without
/// others in them, or text between definitions; the caller cuts them.
pub(super) fn parts(text: &str, ending: &str, tokens_max: usize) -> Vec<Part> {
    // An unknown language has no words, and is one part.
    let language = language(ending).unwrap_or(Language {
        containers: &[],
        leaves: &[],
        functions: Functions::Named,
        comment: "//",
        quotes: &[],
    });
    let file = File { text, language, lines: lines(text, language), tokens_max: tokens_max.max(1) };
    let mut parts = Vec::new();
    let all = file.without_licence();
    if length(&text[file.bytes(&all)], tokens_max) <= tokens_max {
        file.push(&all, &[], &[], &mut parts);
    } else {
        file.split(all, None, &mut Vec::new(), &mut parts);
    }
    parts
}

/// A line of a file.
#[derive(Debug)]
struct Line<'t> {
    start: usize,
    indent: usize,
    kind: Kind,
    /// The line without the white space around it.
    text: &'t str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Blank,
    /// Within a text or a comment over several lines; it says nothing of where things begin and end.
    Inner,
    Comment,
    /// A decorator or attribute, which belongs to what follows.
    Attribute,
    /// A line for the preprocessor, a label or an access specifier, at whatever indentation.
    Aside,
    Code,
}

fn lines(text: &str, language: Language) -> Vec<Line<'_>> {
    const TAB: usize = 4;
    let mut lines = Vec::new();
    // What closes the text that is open.
    let mut open: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let indent = line
            .bytes()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .map(|byte| if byte == b'\t' { TAB } else { 1 })
            .sum();
        let kind = match open {
            Some(_) => Kind::Inner,
            None => kind(trimmed, language),
        };
        let is_comment = kind == Kind::Comment && !trimmed.starts_with("/*");
        if !is_comment {
            open = open_after(trimmed, open, language);
        }
        lines.push(Line { start, indent, kind, text: trimmed });
        start += line.len();
    }
    lines
}

fn kind(line: &str, language: Language) -> Kind {
    let is_preprocessed = matches!(language.functions, Functions::Anywhere | Functions::InContainers);
    if line.is_empty() {
        return Kind::Blank;
    }
    if line.starts_with("#[") || line.starts_with("#![") {
        return if line.ends_with(']') || line.ends_with('[') || line.ends_with('(') {
            Kind::Attribute
        } else {
            Kind::Code
        };
    }
    if line.starts_with(language.comment) || line.starts_with("/*") || line.starts_with("* ") {
        return Kind::Comment;
    }
    if line.starts_with('#') && language.comment != "#" {
        return Kind::Aside;
    }
    let is_access = ["public:", "private:", "protected:", "signals:"].contains(&line)
        || line.starts_with("public slots") && line.ends_with(':');
    if is_access && is_preprocessed {
        return Kind::Aside;
    }
    let is_annotation = line.starts_with('@') && !line.starts_with("@interface") && !line.contains(" class ");
    let is_bracketed = is_preprocessed && line.starts_with('[') && line.ends_with(']');
    let is_template = line.starts_with("template") && line.ends_with('>');
    if (is_annotation && !line.ends_with('{')) || is_bracketed || is_template {
        return Kind::Attribute;
    }
    Kind::Code
}

/// What is open after a line, given what was before it.
fn open_after(line: &str, open: Option<&'static str>, language: Language) -> Option<&'static str> {
    let mut open = open;
    let mut rest = line;
    loop {
        if let Some(close) = open {
            let Some(at) = rest.find(close) else { return open };
            rest = &rest[at + close.len()..];
            open = None;
            continue;
        }
        let comment: &[(&str, &str)] = &[("/*", "*/")];
        let is_slashed = language.comment == "//";
        let begun = language
            .quotes
            .iter()
            .chain(comment.iter().filter(|_| is_slashed))
            .filter_map(|(begin, end)| Some((rest.find(begin)?, *begin, *end)))
            .min_by_key(|(at, ..)| *at);
        let (at, begin, end) = begun?;
        // A comment to the end of the line hides what follows; a glob or a quoted mark is no beginning.
        let before = &rest[..at];
        let is_hidden =
            before.contains(&format!("{} ", language.comment)) || before.starts_with(language.comment);
        let is_quoted = before.matches('"').count() % 2 == 1 || before.matches('\'').count() % 2 == 1;
        if is_hidden {
            return None;
        }
        rest = &rest[at + begin.len()..];
        if !is_quoted {
            open = Some(end);
        }
    }
}

/// A definition, or what stands between two.
struct Item {
    lines: Range<usize>,
    definition: Option<Definition>,
}

/// What a definition is called, the line that says so, and whether it may have others in it.
struct Definition {
    name: String,
    line: usize,
    is_container: bool,
}

struct File<'t> {
    text: &'t str,
    language: Language,
    lines: Vec<Line<'t>>,
    tokens_max: usize,
}

/// Neighbours that share a passage.
#[derive(Default)]
struct Group {
    lines: Option<Range<usize>>,
    names: Vec<String>,
    length: usize,
}

impl File<'_> {
    fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        let at = |line: usize| self.lines.get(line).map_or(self.text.len(), |line| line.start);
        at(lines.start)..at(lines.end)
    }

    fn length(&self, lines: &Range<usize>) -> usize {
        length(&self.text[self.bytes(lines)], self.tokens_max)
    }

    /// All lines but those of a licence at the top, which each file repeats.
    fn without_licence(&self) -> Range<usize> {
        let is_comment = |line: &Line<'_>| matches!(line.kind, Kind::Comment | Kind::Inner);
        let end = self.lines.iter().take_while(|line| is_comment(line)).count();
        let of_licence = ["Copyright", "SPDX-License-Identifier", "Licensed under", "All rights reserved"];
        let is_licence =
            self.lines[..end].iter().any(|line| of_licence.iter().any(|words| line.text.contains(words)));
        if is_licence { end..self.lines.len() } else { 0..self.lines.len() }
    }

    /// Adds the parts of some lines, within the container with these names.
    fn split(
        &self,
        lines: Range<usize>,
        within: Option<&str>,
        path: &mut Vec<String>,
        parts: &mut Vec<Part>,
    ) {
        let shared_max = self.tokens_max / SHARED_PART;
        let mut group = Group::default();
        let flush = |group: &mut Group, path: &[String], parts: &mut Vec<Part>| {
            let Group { lines, names, .. } = std::mem::take(group);
            if let Some(lines) = lines {
                self.push(&lines, path, &names, parts);
            }
        };
        for item in self.items(lines, within) {
            if item.definition.is_none() && self.says_nothing(&item.lines) {
                // Blank lines part nothing.
                if self.lines[item.lines].iter().any(|line| line.kind != Kind::Blank) {
                    flush(&mut group, path, parts);
                }
                continue;
            }
            let length = self.length(&item.lines);
            let name = item.definition.as_ref().map(|definition| definition.name.clone());
            let fits = length <= self.tokens_max;
            if group.length + length > shared_max || !fits {
                flush(&mut group, path, parts);
            }
            if fits {
                let start = group.lines.as_ref().map_or(item.lines.start, |lines| lines.start);
                group.lines = Some(start..item.lines.end);
                group.names.extend(name);
                group.length += length;
                continue;
            }
            match item.definition {
                Some(Definition { name, line, is_container: true }) if path.len() < DEPTH_MAX => {
                    path.push(name.clone());
                    self.split_container(&item.lines, line, &name, path, parts);
                    path.pop();
                }
                _ => self.push(&item.lines, path, name.as_slice(), parts),
            }
        }
        flush(&mut group, path, parts);
    }

    /// Adds the head of a container and the parts of its body.
    fn split_container(
        &self,
        lines: &Range<usize>,
        line: usize,
        name: &str,
        path: &mut Vec<String>,
        parts: &mut Vec<Part>,
    ) {
        let indent = self.lines[line].indent;
        let is_body = |line: &Line<'_>| line.kind == Kind::Code && line.indent > indent;
        // The signature goes on until its block begins.
        let opens = |at: &usize| {
            let text = self.lines[*at].text;
            self.lines[*at].kind == Kind::Code && (text.ends_with('{') || text.ends_with(':'))
        };
        let head = (line..lines.end).take(SIGNATURE_LINES_MAX).find(opens).unwrap_or(line);
        let body = (head + 1..lines.end).find(|at| is_body(&self.lines[*at]));
        let Some(first) = body else {
            self.push(lines, &path[..path.len() - 1], &[name.to_owned()], parts);
            return;
        };
        // Comments and attributes above the first line of the body belong to it.
        let above = (head + 1..first)
            .rev()
            .take_while(|at| matches!(self.lines[*at].kind, Kind::Comment | Kind::Attribute | Kind::Inner));
        let start = above.last().unwrap_or(first);
        let is_bare = self.lines[lines.start..start].iter().all(|line| line.kind != Kind::Comment)
            && self.length(&(lines.start..start)) <= BARE_HEAD;
        let next = parts.len();
        if !is_bare {
            self.push(&(lines.start..start), path, &[], parts);
        }
        self.split(start..lines.end, Some(name), path, parts);
        // A signature alone says nothing; it goes with what follows it.
        if let Some(part) = parts.get_mut(next).filter(|_| is_bare) {
            part.range.start = self.bytes(lines).start;
        }
    }

    /// The definitions among some lines, and what stands between them, in order.
    fn items(&self, lines: Range<usize>, within: Option<&str>) -> Vec<Item> {
        let code = |at: &usize| self.lines[*at].kind == Kind::Code;
        let Some(base) = lines.clone().filter(code).map(|at| self.lines[at].indent).min_by_key(|indent| {
            // A closing line of the container itself stands further out than what is in it.
            if within.is_some() && *indent == 0 { usize::MAX } else { *indent }
        }) else {
            return vec![Item { lines, definition: None }];
        };
        let base = self.body_indent(&lines, within).unwrap_or(base);
        let mut items = Vec::new();
        let (mut between, mut lead, mut at) = (lines.start, None, lines.start);
        while at < lines.end {
            let line = &self.lines[at];
            match line.kind {
                Kind::Blank => lead = None,
                Kind::Comment | Kind::Attribute if line.indent >= base => drop(lead.get_or_insert(at)),
                Kind::Code if line.indent == base && !closes(line.text) => {
                    if let Some((name, is_container)) = self.definition(at, within) {
                        let end = self.end(at, lines.end);
                        let start = lead.take().unwrap_or(at);
                        if between < start {
                            items.push(Item { lines: between..start, definition: None });
                        }
                        let definition = Definition { name, line: at, is_container };
                        items.push(Item { lines: start..end, definition: Some(definition) });
                        (between, at) = (end, end);
                        continue;
                    }
                    // The type of a function may stand on a line of its own.
                    lead = if self.is_type(at) { lead.or(Some(at)) } else { None };
                }
                _ => {}
            }
            at += 1;
        }
        if between < lines.end {
            items.push(Item { lines: between..lines.end, definition: None });
        }
        items
    }

    /// Whether a line may be the type of the function on the line below it, as some write C.
    fn is_type(&self, at: usize) -> bool {
        let Line { kind, text, .. } = self.lines[at];
        self.language.functions == Functions::Anywhere
            && kind == Kind::Code
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_ *:<>,&".contains(&byte))
    }

    /// The indentation of what stands in a container: that of its first line.
    fn body_indent(&self, lines: &Range<usize>, within: Option<&str>) -> Option<usize> {
        within?;
        let first = lines.clone().find(|at| self.lines[*at].kind == Kind::Code)?;
        Some(self.lines[first].indent)
    }

    /// The line after the definition that begins at one.
    fn end(&self, start: usize, last: usize) -> usize {
        let indent = self.lines[start].indent;
        let mut end = start + 1;
        for at in start + 1..last {
            let line = &self.lines[at];
            match line.kind {
                Kind::Blank | Kind::Comment | Kind::Attribute | Kind::Aside | Kind::Inner => {
                    // A text over several lines belongs to what it began in.
                    if line.kind == Kind::Inner && end == at {
                        end = at + 1;
                    }
                }
                Kind::Code if line.indent > indent => end = at + 1,
                Kind::Code if line.indent == indent && closes(line.text) => {
                    end = at + 1;
                    let is_last = (line.text.starts_with('}') || line.text == "end" || line.text == "];")
                        && !line.text.ends_with(['{', '(', ':', ','])
                        && !line.text.contains("else");
                    if is_last {
                        break;
                    }
                }
                Kind::Code => break,
            }
        }
        end
    }

    /// The name of the definition that a line begins, and whether it may have others in it.
    fn definition(&self, at: usize, within: Option<&str>) -> Option<(String, bool)> {
        let mut rest = self.lines[at].text;
        loop {
            let word = rest.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
            let after = rest[word.len()..].trim_start();
            let word_only = word.split('<').next().unwrap_or_default();
            let is_container = self.language.containers.contains(&word_only);
            if is_container || self.language.leaves.contains(&word_only) {
                // "enum class", "companion object"
                let next = after.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                if self.language.containers.contains(&next) || self.language.leaves.contains(&next) {
                    rest = after;
                    continue;
                }
                // A module that is a file of its own.
                if ["mod", "namespace", "module"].contains(&word_only) && rest.ends_with(';') {
                    return None;
                }
                let name = self.name(word_only, &rest[word_only.len()..])?;
                let has_body = is_container && self.opens(at);
                return Some((name, has_body));
            }
            let is_modifier = MODIFIERS.contains(&word) || word.starts_with('"') || word.starts_with("pub(");
            let is_companion = word == "companion" || word == "type" && after.starts_with("struct");
            if is_modifier && after.starts_with(|c: char| c.is_alphabetic() || "\"_@(".contains(c)) {
                // `pub(crate)`
                let bracket = after.strip_prefix('(').filter(|_| word == "pub");
                rest = bracket
                    .and_then(|inner| inner.split_once(')'))
                    .map_or(after, |(_, after)| after.trim_start());
            } else if is_companion {
                rest = after;
            } else {
                break;
            }
        }
        let name = match self.language.functions {
            Functions::Named => None,
            Functions::Anywhere => {
                let has_type = at.checked_sub(1).is_some_and(|above| self.is_type(above));
                self.function(at, within.is_some() || has_type)
            }
            Functions::InContainers => within.and_then(|_| self.function(at, true)),
            Functions::Shell => {
                let name = self.lines[at].text.split_once("()")?.0.trim();
                is_name(name).then(|| name.to_owned())
            }
            Functions::Assigned => {
                let (name, value) = self.lines[at].text.split_once("<-")?;
                value.trim_start().starts_with("function").then(|| name.trim().to_owned())
            }
            Functions::Script => assigned_function(rest, self.lines[at].text)
                .or_else(|| within.and_then(|_| self.function(at, true))),
        };
        name.filter(|name| !name.is_empty()).map(|name| (name, false))
    }

    /// The name after a word that defines.
    fn name(&self, word: &str, after: &str) -> Option<String> {
        if word == "impl" {
            let after = without_generics(after.trim_start());
            let head = after.split(['{', '\n']).next()?.split(" where").next()?.trim();
            return (!head.is_empty()).then(|| clipped(&without_lifetimes(head)));
        }
        if ["init", "subscript"].contains(&word) {
            return Some(word.to_owned());
        }
        let after = after.trim_start().trim_start_matches(['*', '&']).trim_start();
        // The receiver of a method in Go.
        if let Some((receiver, rest)) = after.strip_prefix('(').and_then(|inner| inner.split_once(')'))
            && word == "func"
        {
            let of = receiver.rsplit([' ', '*']).next()?.split('[').next()?;
            return Some(format!("{of}.{}", identifier(rest.trim_start())?));
        }
        if self.language.leaves.contains(&"resource") {
            let names: Vec<&str> = after.split('"').skip(1).step_by(2).collect();
            return Some(if names.is_empty() { word.to_owned() } else { names.join(".") });
        }
        // "type" is a word like any other elsewhere.
        let name = identifier(after)?;
        let is_statement =
            word == "type" && after[name.len()..].trim_start().starts_with([',', ':', ')', '.']);
        (!is_statement).then_some(name)
    }

    /// Whether a block begins in the lines of a signature.
    fn opens(&self, at: usize) -> bool {
        let mut lines = self.lines[at..].iter().take(SIGNATURE_LINES_MAX);
        lines.any(|line| line.kind == Kind::Code && (line.text.contains('{') || line.text.ends_with(':')))
            || matches!(self.language.comment, "#")
    }

    /// The name of a function without a word of its own: `int name(…) {`, or in a container `name(…) {`.
    fn function(&self, at: usize, within: bool) -> Option<String> {
        let text = self.lines[at].text;
        let open = text.find('(')?;
        let before = text[..open].trim_end();
        let before = before.strip_suffix('>').map_or(before, |_| before.split('<').next().unwrap_or(before));
        let name = before.rsplit([' ', '*', '&']).next()?;
        let first = before.split([' ', '<']).next()?;
        let has_type = before.len() > name.len();
        let is_qualified = name.contains("::");
        let is_plain = !before.contains(['=', '"', '\'', '(', ';']) && !before.contains(" . ");
        let is_named = is_name(name.trim_start_matches(['~', '#'])) && !name.contains('.');
        let is_statement = STATEMENTS.contains(&first) || STATEMENTS.contains(&name);
        if !(is_named && is_plain && (has_type || within || is_qualified)) || is_statement {
            return None;
        }
        // A block follows, and not the end of a statement.
        for line in self.lines[at..].iter().take(SIGNATURE_LINES_MAX) {
            if !matches!(line.kind, Kind::Code | Kind::Attribute) {
                continue;
            }
            match line.text.find(['{', ';']) {
                Some(mark) if line.text[mark..].starts_with('{') => return Some(name.to_owned()),
                Some(_) => return None,
                None if line.text.contains("=>") => return Some(name.to_owned()),
                None => {}
            }
        }
        None
    }

    /// Whether lines between definitions say only what is used, or nothing at all.
    fn says_nothing(&self, lines: &Range<usize>) -> bool {
        let indent = self.lines[lines.clone()].iter().map(|line| line.indent).min().unwrap_or_default();
        let mut goes_on = false;
        self.lines[lines.clone()].iter().all(|line| match line.kind {
            Kind::Blank | Kind::Attribute => true,
            Kind::Aside => !line.text.starts_with("#define"),
            Kind::Comment | Kind::Inner => false,
            Kind::Code => {
                let is_import = IMPORTS.iter().any(|word| line.text.starts_with(word));
                let is_inner = goes_on && (line.indent > indent || closes(line.text));
                let is_nothing = !line.text.contains(char::is_alphanumeric)
                    || line.text == "end"
                    || line.text.starts_with("} from ");
                goes_on = is_import || is_inner;
                is_import || is_inner || is_nothing
            }
        })
    }

    /// Adds a part without the blank lines around it.
    fn push(&self, lines: &Range<usize>, path: &[String], names: &[String], parts: &mut Vec<Part>) {
        let mut lines = lines.clone();
        while lines.start < lines.end && self.lines[lines.start].kind == Kind::Blank {
            lines.start += 1;
        }
        let Range { start, end } = self.bytes(&lines);
        let text = self.text[start..end].trim_end();
        if !text.contains(char::is_alphanumeric) {
            return;
        }
        let mut path = path.to_vec();
        if !names.is_empty() {
            let more = if names.len() > NAMES_MAX { ", …" } else { "" };
            path.push(format!("{}{more}", names[..names.len().min(NAMES_MAX)].join(", ")));
        }
        parts.push(Part { range: start..start + text.len(), names: path });
    }
}

/// Whether a line only closes, or goes on with, what stands above it.
fn closes(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "where", "end", "else", "elif", "elsif", "except", "finally", "rescue", "ensure", "catch", "begin",
        "esac", "fi", "done", "then", "do",
    ];
    let first = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    line.starts_with(['}', ')', ']', '{', '>', ':', '|', '+', '.']) || WORDS.contains(&first)
}

/// `const name = (…) =>`, `name = function`.
fn assigned_function(rest: &str, line: &str) -> Option<String> {
    let rest = ["let ", "var ", "const "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let is_declared = ["let ", "var ", "const "].iter().any(|word| line.contains(word));
    let name = identifier(rest)?;
    let (_, value) = rest[name.len()..].split_once('=')?;
    let value = value.trim_start().trim_start_matches("async ").trim_start();
    let is_function =
        value.starts_with("function") || line.contains("=>") || value == "(" || value == "async (";
    (is_declared && is_function).then_some(name)
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && characters.all(|c| c.is_alphanumeric() || "_$:-".contains(c))
}

/// The name that a text begins with, with what qualifies it.
fn identifier(text: &str) -> Option<String> {
    let end = text
        .char_indices()
        .find(|(at, c)| {
            let joins = "._:".contains(*c) || *c == '-';
            let goes_on = text[at + c.len_utf8()..]
                .starts_with(|next: char| next.is_alphanumeric() || "_:".contains(next));
            !(c.is_alphanumeric() || "_$!?".contains(*c) || joins && *at > 0 && goes_on)
        })
        .map_or(text.len(), |(at, _)| at);
    let name = text[..end].trim_end_matches(['!', '?', ':', '.', '-']);
    let name = if name.len() < end && text[..end].ends_with(['!', '?']) { &text[..end] } else { name };
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    is_name.then(|| clipped(name))
}

/// A text without the brackets `<…>` that it begins with.
fn without_generics(text: &str) -> &str {
    if !text.starts_with('<') {
        return text;
    }
    let mut depth = 0_usize;
    for (at, mark) in text.char_indices() {
        match mark {
            '<' => depth += 1,
            '>' if !text[..at].ends_with(['-', '=']) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].trim_start();
        }
    }
    text
}

/// `Reader<'_>` as `Reader`.
fn without_lifetimes(head: &str) -> String {
    let mut kept = String::new();
    let mut rest = head;
    while let Some(at) = rest.find("<'") {
        let Some(end) = rest[at..].find('>').map(|end| at + end + 1) else { break };
        kept.push_str(&rest[..at]);
        if rest[at..end].split(',').any(|part| !part.trim_start_matches(['<', ' ']).starts_with('\'')) {
            kept.push_str(&rest[at..end]);
        }
        rest = &rest[end..];
    }
    kept + rest
}

fn clipped(name: &str) -> String {
    name.chars().take(NAME_BYTES_MAX).collect()
}

#[cfg(test)]
mod tests;
