//! What a document states in so many words: the cell of a table that the question names by its row and its head, and a
//! sentence that says of the very thing asked about what it is or does.

use super::{
    candidate::key,
    form::{Asks, Form},
    objection::denies,
    reading::{Piece, Reading},
    unit::UnitKind,
    word::Word,
};

/// What a piece states.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stated {
    pub(super) piece: usize,
    /// The cell; `None` for the whole sentence.
    pub(super) cell: Option<String>,
}

/// What the passages state in answer to the question, if they agree.
pub(super) fn stated(reading: &Reading) -> Option<Stated> {
    let topic = topic(&reading.form);
    cell(reading, topic.as_ref()).or_else(|| sentence(reading, &topic?))
}

/// Words for the kind of a thing that may follow its name: "the `retries` *option*".
const KINDS: [&str; 36] = [
    "option",
    "options",
    "setting",
    "settings",
    "field",
    "parameter",
    "flag",
    "property",
    "attribute",
    "argument",
    "variable",
    "key",
    "value",
    "command",
    "function",
    "method",
    "class",
    "module",
    "package",
    "plugin",
    "extension",
    "middleware",
    "component",
    "service",
    "tool",
    "feature",
    "directive",
    "header",
    "resource",
    "object",
    "type",
    "annotation",
    "label",
    "file",
    "mode",
    "endpoint",
];

fn is_kind(word: &Word) -> bool {
    KINDS.contains(&word.lower.as_str())
}

/// A question of what something is or does.
struct Topic {
    /// Whether it is asked what it does or is for; otherwise what it is.
    is_deed: bool,
    /// The words of the question that name it, and those that say where.
    name: std::ops::Range<usize>,
    place: std::ops::Range<usize>,
}

/// Reads "What is X?", "What does X do?", "What is X for?", "What is the purpose of X?", each with "in Y" after it.
fn topic(form: &Form) -> Option<Topic> {
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let at = form.question_word.filter(|at| matches!(lower(*at), "what" | "what's" | "whats"))?;
    let (mut from, mut end) = (at + 1, form.words.len());
    let is_deed = if matches!(lower(from), "does" | "do") && lower(end - 1) == "do" {
        (from, end) = (from + 1, end - 1);
        true
    } else if matches!(lower(end - 1), "does" | "do") {
        end -= 1;
        true
    } else if lower(at) != "what" || matches!(lower(from), "is" | "are") {
        from += usize::from(lower(at) == "what");
        let noun = from + usize::from(lower(from) == "the");
        if matches!(lower(noun), "purpose" | "role" | "function" | "job" | "point" | "goal" | "aim" | "use")
            && lower(noun + 1) == "of"
        {
            from = noun + 2;
            true
        } else if lower(end - 1) == "for" {
            end -= 1;
            end -= usize::from(lower(end - 1) == "used");
            true
        } else {
            false
        }
    } else {
        return None;
    };
    from += usize::from(matches!(lower(from), "the" | "a" | "an"));
    let place = (from..end).find(|at| matches!(lower(*at), "in" | "for" | "on" | "within" | "with"));
    let name = from..place.unwrap_or(end);
    let is_name =
        (1..=5).contains(&name.len()) && form.words[name.clone()].iter().all(|word| !word.is_function);
    is_name.then(|| Topic { is_deed, name, place: place.map_or(end..end, |at| at + 1..end) })
}

/// Whether a piece, under its headings, says all that the question has in some words.
fn says_all(reading: &Reading, piece: &Piece, counts: impl Fn(usize) -> bool) -> bool {
    let said = piece.with_context.exact | piece.with_context.near;
    reading.wanted.iter().enumerate().all(|(bit, wanted)| !counts(wanted.word) || said >> bit & 1 == 1)
}

fn is_same(one: &Word, other: &Word) -> bool {
    one.lower == other.lower || one.stems.first().is_some_and(|stem| other.stems.first() == Some(stem))
}

/// Heads of cells that say what the thing of a row is or does.
const DESCRIBING: [&str; 8] =
    ["description", "meaning", "purpose", "effect", "explanation", "function", "definition", "details"];

/// The cell whose row and head the question names: "the default of *timeout*" in a table with a column "Default".
fn cell(reading: &Reading, topic: Option<&Topic>) -> Option<Stated> {
    let form = &reading.form;
    let is_asked_for = form.question_word.is_some() && !form.is_list && !form.is_negative;
    if !is_asked_for || matches!(form.asks, Asks::Reason | Asks::Way | Asks::YesNo) && topic.is_none() {
        return None;
    }
    let rows = reading.pieces.iter().enumerate().filter(|(_, piece)| piece.unit.kind == UnitKind::Row);
    let mut found: Vec<(f32, Stated)> = rows
        .filter_map(|(at, piece)| {
            let cell = cell_of(reading, piece, topic)?;
            Some((reading.cover(piece.above), Stated { piece: at, cell: Some(cell) }))
        })
        .collect();
    // Where several rows fit, those that stand under what the question names count, if they agree.
    let most = found.iter().map(|(above, _)| *above).fold(0.0, f32::max);
    found.retain(|(above, _)| *above >= most);
    let cell_key = |stated: &Stated| stated.cell.as_deref().map(key);
    let first = found.first()?.1.clone();
    found.iter().all(|(_, other)| cell_key(other) == cell_key(&first)).then_some(first)
}

fn cell_of(reading: &Reading, piece: &Piece, topic: Option<&Topic>) -> Option<String> {
    let asked = &reading.form.words;
    let named = row_name(asked, &piece.unit.cells.first()?.1)?;
    let describes = topic.is_some_and(|topic| {
        topic.name.clone().all(|at| named.contains(&at) || is_kind(&asked[at])) && topic.is_deed
    });
    let mut heads: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, words) in piece.heads.iter().enumerate().skip(1) {
        let mut content = words.iter().filter(|word| !word.is_function).peekable();
        content.peek()?;
        if describes {
            if content.any(|word| DESCRIBING.contains(&word.lower.as_str())) {
                heads.push((at, Vec::new()));
            }
            continue;
        }
        let said: Option<Vec<usize>> = content
            .map(|word| (0..asked.len()).find(|at| !named.contains(at) && is_same(word, &asked[*at])))
            .collect();
        heads.extend(said.map(|said| (at, said)));
    }
    let [(at, head)] = heads.as_slice() else { return None };
    let is_open = |word: usize| !named.contains(&word) && !head.contains(&word) && !is_kind(&asked[word]);
    let text = &piece.unit.cells[*at].1;
    let is_said = text.contains(char::is_alphanumeric) && says_all(reading, piece, is_open);
    is_said.then(|| text.clone())
}

/// The words of the question that name a row by its first cell: all of it, or the last part of a path with points.
fn row_name(asked: &[Word], cell: &str) -> Option<std::ops::Range<usize>> {
    let lower = cell.to_lowercase();
    let whole = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let last = whole.rsplit('.').next().unwrap_or(whole);
    if last.len() < 3 {
        return None;
    }
    let one = asked.iter().position(|word| !word.is_function && (word.lower == whole || word.lower == last));
    if let Some(at) = one {
        return Some(at..at + 1);
    }
    let parts: Vec<&str> = whole.split_whitespace().collect();
    let several = (2..=6).contains(&parts.len());
    let at = asked
        .windows(parts.len())
        .position(|words| several && words.iter().zip(&parts).all(|(word, part)| word.lower == *part))?;
    Some(at..at + parts.len())
}

/// The sentence that says what the thing is or does: it is the sentence's subject.
fn sentence(reading: &Reading, topic: &Topic) -> Option<Stated> {
    let is_place = |word: usize| topic.place.contains(&word);
    let found = reading.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let may_answer = piece.unit.kind == UnitKind::Prose
            && !piece.unit.text.trim_end().ends_with(['?', ':'])
            && says_all(reading, piece, is_place);
        let says = says_of(&reading.form.words[topic.name.clone()], piece).filter(|_| may_answer)?;
        // What it is tells what it does; a single deed does so where the text begins with it.
        let is_told = says != Says::Deed || topic.is_deed && is_first(reading, at);
        is_told.then_some((says, at, piece))
    });
    // Under a heading that names it, it is told of first.
    let is_under = |piece: &Piece| {
        let mut named =
            reading.wanted.iter().enumerate().filter(|(_, wanted)| topic.name.contains(&wanted.word));
        named.all(|(bit, _)| piece.above.exact >> bit & 1 == 1)
    };
    let (_, piece, _) = found.min_by_key(|(says, at, piece)| (*says, !is_under(piece), *at))?;
    Some(Stated { piece, cell: None })
}

/// Whether no other sentence stands before one under its heading.
fn is_first(reading: &Reading, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let before = reading.pieces[..at].iter().rev().take_while(|before| before.source == piece.source);
    !before
        .into_iter()
        .any(|before| before.unit.kind == UnitKind::Prose && before.unit.heading == piece.unit.heading)
}

/// What a sentence says of its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    /// What it is, or is there for.
    Being,
    /// What it does.
    Deed,
}

/// Verbs that tell how a thing is, and not what it does.
const STATES: [&str; 23] = [
    "requires", "needs", "has", "defaults", "depends", "takes", "accepts", "expects", "comes", "exists",
    "contains", "consists", "looks", "remains", "stays", "seems", "appears", "means", "belongs", "lacks",
    "was", "does", "supports",
];

/// How many words have to follow the verb.
const SAID_LEAST: usize = 4;

/// What a sentence says of the thing, if that is its subject.
fn says_of(name: &[Word], piece: &Piece) -> Option<Says> {
    let (words, text) = (&piece.words, &piece.unit.text);
    let from = words.iter().take(1).filter(|word| matches!(word.lower.as_str(), "the" | "a" | "an")).count();
    let begins = |name: &[Word]| {
        let subject = words.get(from..from + name.len());
        subject.is_some_and(|subject| subject.iter().zip(name).all(|(word, asked)| is_same(word, asked)))
    };
    let mut end = if begins(name) {
        from + name.len()
    } else {
        match name.split_last() {
            Some((last, rest)) if is_kind(last) && !rest.is_empty() && begins(rest) => from + rest.len(),
            _ => return None,
        }
    };
    end += usize::from(words.get(end).is_some_and(is_kind));
    let verb = words.get(end)?;
    let subject = &words[end - 1];
    let gap = &text[subject.end..verb.start];
    // "The Message Bus (MB) is a …"
    let is_near = gap == " " || gap.starts_with(" (") && gap.ends_with(") ");
    if subject.is_possessive || !is_near || words.len() < end + 1 + SAID_LEAST || denies(&words[end..end + 3])
    {
        return None;
    }
    let next = |at: usize| words[end + at].lower.as_str();
    if matches!(verb.lower.as_str(), "is" | "are") {
        let is_thing = matches!(next(1), "a" | "an" | "the" | "one") && !QUALITIES.contains(&next(2));
        let is_for = matches!(next(1), "used" | "responsible" | "designed" | "meant" | "intended");
        return (is_thing || is_for).then_some(Says::Being);
    }
    let is_verb = verb.lower.len() >= 4
        && verb.lower.ends_with('s')
        && !verb.lower.ends_with("ss")
        && !verb.is_capital
        && !STATES.contains(&verb.lower.as_str())
        && !matches!(
            next(1),
            "is" | "are" | "was" | "were" | "can" | "must" | "may" | "have" | "has" | "will"
        );
    is_verb.then_some(Says::Deed)
}

/// Words after the article that make a sentence tell a quality of a thing and not what it is: "X is the default".
const QUALITIES: [&str; 36] = [
    "default",
    "same",
    "only",
    "best",
    "first",
    "last",
    "required",
    "optional",
    "recommended",
    "deprecated",
    "good",
    "bad",
    "great",
    "breaking",
    "new",
    "next",
    "main",
    "most",
    "case",
    "result",
    "following",
    "problem",
    "way",
    "part",
    "crucial",
    "important",
    "key",
    "core",
    "essential",
    "critical",
    "useful",
    "excellent",
    "perfect",
    "better",
    "valid",
    "common",
];
