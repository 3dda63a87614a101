//! The macros `mdoc`, which say what a word is: an option, an argument, a file. Macros may stand among the arguments of
//! others: `.Op Fl o Ar file` is `[-o file]`.

use super::{Page, arguments};

/// What is known of a page in `mdoc`.
#[derive(Default)]
pub(super) struct State {
    /// What the page describes: `.Nm` alone stands for it.
    name: String,
    /// Whether the usage is being given: each macro of a declaration begins a line.
    in_synopsis: bool,
    lists: Vec<List>,
    /// A term that goes over several lines.
    pub(super) term: Option<String>,
    /// How many parameters of a function stand before the next, between `.Fo` and `.Fc`.
    parameters: Option<usize>,
    /// Whether `.Sm off` holds: words follow each other without spaces.
    is_tight: bool,
}

#[derive(Clone, Copy)]
enum List {
    Bullets,
    Numbers(usize),
    Columns,
    Terms,
}

impl Page<'_> {
    pub(super) fn mdoc_request(&mut self, name: &str, rest: &str) {
        let words = arguments(rest).0;
        self.mdoc.get_or_insert_default();
        match name {
            "Dt" => self
                .entitle(words.first().map_or("", String::as_str), words.get(1).map_or("", String::as_str)),
            "Sh" | "Ss" => {
                let heading = words.join(" ");
                if let Some(mdoc) = self.mdoc.as_mut().filter(|_| name == "Sh") {
                    mdoc.in_synopsis = heading.eq_ignore_ascii_case("synopsis");
                    mdoc.lists.clear();
                }
                self.heading(if name == "Sh" { 1 } else { 2 }, &heading);
            }
            "Nd" => self.put(&format!("- {}", words.join(" ")), false, false),
            "Bl" => self.begin_list(&words),
            "El" => {
                self.end_block();
                self.mdoc.as_mut().and_then(|mdoc| mdoc.lists.pop());
            }
            "It" => self.mdoc_item(&words),
            "Bd" if words.iter().any(|word| matches!(word.as_str(), "-literal" | "-unfilled")) => {
                self.unfill();
            }
            "Pp" | "Lp" | "Bd" => self.paragraph(),
            "Ed" => {
                self.fill();
                self.paragraph();
            }
            "Dl" | "D1" => {
                self.unfill();
                self.put_words(&words);
                self.fill();
            }
            "Sm" => {
                let is_off = words.first().is_some_and(|word| word == "off");
                if let Some(mdoc) = &mut self.mdoc {
                    mdoc.is_tight = is_off;
                }
                self.joins &= is_off;
            }
            "Ex" => {
                let program = words.get(1).cloned().unwrap_or_else(|| self.name());
                let text = format!("The {program} utility exits 0 on success, and >0 if an error occurs.");
                self.put(&text, false, false);
            }
            "Xc" if self.mdoc.as_ref().is_some_and(|mdoc| mdoc.term.is_some()) => {
                self.put_words(&words);
                let term = self.mdoc.as_mut().and_then(|mdoc| mdoc.term.take()).unwrap_or_default();
                self.joins = false;
                self.term(&term);
            }
            _ if name.starts_with('%') => self.put(&format!("{},", words.join(" ")), false, false),
            _ if is_macro(name) => {
                let in_synopsis =
                    self.mdoc.as_ref().is_some_and(|mdoc| mdoc.in_synopsis && mdoc.term.is_none());
                if in_synopsis && matches!(name, "Nm" | "Fn" | "Fo" | "Fd" | "Ft" | "In" | "Vt") {
                    self.break_line();
                }
                self.put_words(&[&[name.to_owned()], words.as_slice()].concat());
            }
            _ => {}
        }
    }

    fn name(&self) -> String {
        self.mdoc.as_ref().map(|mdoc| mdoc.name.clone()).unwrap_or_default()
    }

    /// Adds the text of words, macros among them.
    fn put_words(&mut self, words: &[String]) {
        let Some(mdoc) = &mut self.mdoc else { return };
        let line = Line::of(words, mdoc);
        if !line.text.is_empty() {
            self.put(&line.text, line.joins_before, line.joins);
        }
    }

    fn begin_list(&mut self, words: &[String]) {
        let list = match words.first().map(String::as_str) {
            Some("-bullet" | "-dash" | "-hyphen" | "-item") => List::Bullets,
            Some("-enum") => List::Numbers(0),
            Some("-column") => List::Columns,
            _ => List::Terms,
        };
        if let Some(mdoc) = &mut self.mdoc {
            mdoc.lists.push(list);
        }
        self.paragraph();
    }

    fn mdoc_item(&mut self, words: &[String]) {
        self.end_block();
        let Some(mdoc) = &mut self.mdoc else { return };
        let list = mdoc.lists.last_mut();
        match list {
            Some(List::Bullets) => self.lead = Some("-".to_owned()),
            Some(List::Numbers(number)) => {
                *number += 1;
                self.lead = Some(format!("{number}."));
            }
            Some(List::Columns) => {
                let cells = words.split(|word| word == "Ta").map(|cell| Line::of(cell, mdoc).text);
                let cells: Vec<String> = cells.filter(|cell| !cell.is_empty()).collect();
                self.put(&cells.join("; "), false, false);
            }
            Some(List::Terms) | None => {
                let term = Line::of(words, mdoc);
                if words.iter().any(|word| word == "Xo") {
                    self.joins = term.joins;
                    mdoc.term = Some(term.text);
                } else if term.text.is_empty() {
                    self.lead = Some("-".to_owned());
                } else {
                    self.term(&term.text);
                }
            }
        }
    }
}

/// A line of words as it is put together.
#[derive(Default)]
struct Line {
    text: String,
    /// Whether it joins what stands before it, and what follows.
    joins_before: bool,
    joins: bool,
}

impl Line {
    /// Reads words, macros among them. Marks that end a sentence stand behind all that is closed.
    fn of(words: &[String], state: &mut State) -> Self {
        let mut line = Self { joins: state.is_tight, ..Self::default() };
        let body = words.len() - words.iter().rev().take_while(|word| is_closing(word)).count();
        let mut closings: Vec<&str> = Vec::new();
        // The macro at hand, and how many words it was given.
        let (mut kind, mut given) = ("", 0);
        for word in &words[..body] {
            if is_macro(word) {
                line.end_macro(kind, given, word == "Fl", state);
                if word == "Fc" {
                    state.parameters = None;
                }
                (kind, given) = (word.as_str(), 0);
                closings.extend(line.begin_macro(kind));
            } else {
                line.word(kind, given, word, state);
                given += 1;
            }
            line.joins |= state.is_tight;
        }
        line.end_macro(kind, given, false, state);
        let ends = words[body..].iter().map(String::as_str);
        closings.into_iter().rev().chain(ends).for_each(|closing| line.close(closing));
        line.joins |= state.is_tight;
        line
    }

    fn push(&mut self, text: &str) {
        if !(self.text.is_empty() || self.joins) {
            self.text.push(' ');
        }
        self.text.push_str(text);
        self.joins = false;
    }

    fn open(&mut self, text: &str) {
        self.push(text);
        self.joins = true;
    }

    fn close(&mut self, text: &str) {
        self.joins_before |= self.text.is_empty();
        self.text.push_str(text);
        self.joins = false;
    }

    /// Begins a macro, and tells what closes it at the end of the line.
    fn begin_macro(&mut self, kind: &str) -> Option<&'static str> {
        if let Some((_, open, close)) = ENCLOSED.iter().find(|(name, ..)| *name == kind) {
            self.open(open);
            return Some(close);
        }
        match kind {
            "Ns" => {
                self.joins_before |= self.text.is_empty();
                self.joins = true;
            }
            "Ap" => {
                self.close("'");
                self.joins = true;
            }
            "In" => {
                self.open("#include <");
                return Some(">");
            }
            _ => {
                if let Some((_, mark)) = OPENED.iter().find(|(name, _)| *name == kind) {
                    self.open(mark);
                } else if let Some((_, mark)) = CLOSED.iter().find(|(name, _)| *name == kind) {
                    self.close(mark);
                } else if let Some((_, name)) = NAMES.iter().find(|(name, _)| *name == kind) {
                    self.push(name);
                }
            }
        }
        None
    }

    /// Adds a word that a macro was given, as the `given + 1`th.
    fn word(&mut self, kind: &str, given: usize, word: &str, state: &mut State) {
        if is_closing(word) {
            return self.close(word);
        }
        match (kind, given) {
            _ if matches!(word, "(" | "[") => self.open(word),
            ("Fl", _) if word != "|" => self.push(&format!("-{word}")),
            ("Xr", 1) => self.close(&format!("({word})")),
            ("Fn", 0) => self.open(&format!("{word}(")),
            ("Fo", _) => {
                self.open(&format!("{word}("));
                state.parameters = Some(0);
            }
            ("Fa", _) if state.parameters.is_some() => {
                let parameters = state.parameters.get_or_insert_default();
                if *parameters > 0 {
                    self.close(",");
                }
                *parameters += 1;
                self.push(word);
            }
            ("Fn", 1) => self.push(word),
            ("Fn", _) => self.close(&format!(", {word}")),
            ("Pf", 0) => self.open(word),
            ("Lk" | "Mt", 0) => self.push(&format!("<{word}>")),
            ("Nm", 0) => {
                if state.name.is_empty() {
                    word.clone_into(&mut state.name);
                }
                self.push(word);
            }
            _ => self.push(word),
        }
    }

    /// Ends a macro: one that was given no words may stand for some.
    fn end_macro(&mut self, kind: &str, given: usize, is_flag_next: bool, state: &State) {
        match (kind, given) {
            ("Fl", 0) => {
                self.push("-");
                self.joins = is_flag_next;
            }
            ("Ar", 0) => self.push("file ..."),
            ("Nm", 0) if !state.name.is_empty() => self.push(&state.name),
            ("Fn", 1..) => self.close(")"),
            _ => {}
        }
    }
}

/// Whether a word is a mark that stands close to what is before it.
fn is_closing(word: &str) -> bool {
    matches!(word, "." | "," | ";" | ":" | "?" | "!" | ")" | "]")
}

fn is_macro(word: &str) -> bool {
    let is_in = |marks: &[(&str, &str)]| marks.iter().any(|(name, _)| *name == word);
    WORDS.contains(&word)
        || is_in(OPENED)
        || is_in(CLOSED)
        || is_in(NAMES)
        || ENCLOSED.iter().any(|(name, ..)| *name == word)
}

/// Macros whose words are read as they are, or as [`Line::word`] says.
const WORDS: &[&str] = &[
    "Ad", "An", "Ap", "Ar", "Cd", "Cm", "Dv", "Em", "Er", "Ev", "Fa", "Fd", "Fl", "Fn", "Fo", "Ft", "Ic",
    "In", "Lb", "Li", "Lk", "Ms", "Mt", "Nm", "No", "Ns", "Pa", "Pf", "St", "Sx", "Sy", "Ta", "Tn", "Va",
    "Vt", "Xc", "Xo", "Xr",
];

/// Macros that enclose the rest of their line.
const ENCLOSED: &[(&str, &str, &str)] = &[
    ("Op", "[", "]"),
    ("Bq", "[", "]"),
    ("Pq", "(", ")"),
    ("Brq", "{", "}"),
    ("Aq", "<", ">"),
    ("Dq", "\"", "\""),
    ("Qq", "\"", "\""),
    ("Sq", "'", "'"),
    ("Ql", "'", "'"),
];

/// Macros that open what another closes, maybe lines later.
const OPENED: &[(&str, &str)] = &[
    ("Oo", "["),
    ("Bo", "["),
    ("Po", "("),
    ("Bro", "{"),
    ("Ao", "<"),
    ("Do", "\""),
    ("Qo", "\""),
    ("So", "'"),
];

const CLOSED: &[(&str, &str)] = &[
    ("Oc", "]"),
    ("Bc", "]"),
    ("Pc", ")"),
    ("Brc", "}"),
    ("Ac", ">"),
    ("Dc", "\""),
    ("Qc", "\""),
    ("Sc", "'"),
    ("Fc", ")"),
];

/// Macros that stand for a name.
const NAMES: &[(&str, &str)] = &[
    ("At", "AT&T UNIX"),
    ("Bsx", "BSD/OS"),
    ("Bx", "BSD"),
    ("Dx", "DragonFly"),
    ("Fx", "FreeBSD"),
    ("Nx", "NetBSD"),
    ("Ox", "OpenBSD"),
    ("Ux", "UNIX"),
];
