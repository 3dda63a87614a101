//! Answer candidates: names, dates, numbers, phrases and whole sentences of the passages, each with the
//! features that the learned weights score.

use std::{collections::HashMap, ops::Range};

use quiver_language::{
    MentionKind,
    answering::{self, Answering},
    date_role::{self, DateRole},
    token,
    word::is_verb,
};

use super::{
    cue::cue,
    form::{Asks, Role},
    format::{Format, is_weekday},
    lexicon::{self, CURRENCY_SIGNS, says_day_or_month},
    reading::{Piece, Reading, Said},
    unit::UnitKind,
    word::Word,
};

/// The type of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Name,
    Quotation,
    Date,
    Quantity,
    Number,
    Phrase,
    Complement,
    Subject,
    Country,
    Cell,
    List,
    Sentence,
}

const KINDS: [(Kind, &str); 12] = [
    (Kind::Name, "name"),
    (Kind::Quotation, "quotation"),
    (Kind::Date, "date"),
    (Kind::Quantity, "quantity"),
    (Kind::Number, "number"),
    (Kind::Phrase, "phrase"),
    (Kind::Complement, "complement"),
    (Kind::Subject, "subject"),
    (Kind::Country, "country"),
    (Kind::Cell, "cell"),
    (Kind::List, "list"),
    (Kind::Sentence, "sentence"),
];

/// A candidate answer.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) text: String,
    pub(super) kind: Kind,
    pub(super) piece: usize,
    /// Byte range in the piece's text; empty if the candidate is not a substring of it.
    pub(super) range: Range<usize>,
    pub(super) features: Vec<(u16, f32)>,
    /// How well the type fits the question.
    pub(super) fit: f32,
}

/// Groups of question types that have separate weights.
const GROUPS: [&str; 9] =
    ["person", "organisation", "place", "country", "date", "count", "quantity", "thing", "told"];

fn group(asks: Asks) -> usize {
    match asks {
        Asks::Person => 0,
        Asks::Organisation => 1,
        Asks::Place => 2,
        Asks::Country => 3,
        Asks::Date => 4,
        Asks::Count => 5,
        Asks::Quantity => 6,
        Asks::Thing => 7,
        Asks::Definition | Asks::Reason | Asks::Way | Asks::Description | Asks::Summary | Asks::YesNo => 8,
    }
}

/// Words before a candidate that have their own weights.
const BEFORE: [&str; 13] =
    ["in", "at", "by", "of", "from", "to", "as", "for", "with", "is", "bracket", "comma", "name"];

/// Features with fixed numbers; the features for kinds and preceding words follow them.
const PLAIN: [&str; 34] = [
    "cover",
    "context",
    "chain_1",
    "chain_2",
    "outer",
    "outer_context",
    "outer_exact",
    "inner",
    "inner_chain",
    "names",
    "names_context",
    "kind_said",
    "open_said",
    "score",
    "rank",
    "first",
    "steps",
    "fit",
    "unfit",
    "near_outer",
    "near_any",
    "adjacent",
    "asked_share",
    "other_subject",
    "own_subject",
    "length",
    "early",
    "repeated",
    "date_role",
    "direction",
    "unit_noun",
    "heading_asks",
    "cue",
    "named_after_kind",
];

/// The names of all features, indexed by feature number.
pub(crate) fn feature_names() -> Vec<String> {
    let mut names: Vec<String> = PLAIN.iter().map(|&name| name.to_owned()).collect();
    for (_, kind) in KINDS {
        names.extend(GROUPS.iter().map(|group| format!("{kind}:{group}")));
    }
    for before in BEFORE {
        names.extend(GROUPS.iter().map(|group| format!("after_{before}:{group}")));
    }
    names
}

fn plain(name: &str) -> u16 {
    let at = PLAIN.iter().position(|known| *known == name).expect("a feature that is listed");
    numbered(at)
}

fn numbered(at: usize) -> u16 {
    u16::try_from(at).expect("there are few features")
}

/// Features of a piece that all its candidates share.
struct PieceFeatures {
    shared: Vec<(u16, f32)>,
    outer_at: Vec<usize>,
    any_at: Vec<usize>,
}

/// Collects all candidates and computes their features.
pub(super) fn candidates(reading: &Reading) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let best_score = reading.pages.iter().map(|page| page.score).fold(f32::MIN_POSITIVE, f32::max);
    for (at, piece) in reading.pieces.iter().enumerate() {
        let shared = piece_features(reading, piece, best_score);
        let mut of_piece = spans(reading, at, piece);
        for candidate in &mut of_piece {
            candidate.features = features(reading, piece, &shared, candidate);
        }
        found.append(&mut of_piece);
    }
    repeat(&mut found);
    found
}

/// Counts the pieces in which each candidate occurs.
fn repeat(found: &mut [Candidate]) {
    let mut seen: HashMap<String, Vec<usize>> = HashMap::new();
    for candidate in found.iter().filter(|candidate| candidate.kind != Kind::Sentence) {
        let pieces = seen.entry(key(&candidate.text)).or_default();
        if !pieces.contains(&candidate.piece) {
            pieces.push(candidate.piece);
        }
    }
    for candidate in found {
        let count = seen.get(&key(&candidate.text)).map_or(1, Vec::len);
        candidate.features.push((plain("repeated"), (count as f32).ln().min(1.5)));
    }
}

/// Whether two ranges overlap.
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The key by which two candidates count as the same.
pub(super) fn key(text: &str) -> String {
    let lower = text.to_lowercase();
    token::words(&lower).filter(|word| !matches!(*word, "the" | "a" | "an")).collect::<Vec<_>>().join(" ")
}

fn piece_features(reading: &Reading, piece: &Piece, best_score: f32) -> PieceFeatures {
    let page = &reading.pages[piece.source];
    let is = |role: Role| move |wanted: &super::reading::Wanted| wanted.role == role;
    let said = piece.said;
    let exact = Said { exact: said.exact, near: 0 };
    let chained = piece.chained[piece.chained.len() - 1];
    // What the path to this piece leaves uncovered.
    let before = piece.from.map_or(page.title_said, |from| {
        let from = &reading.pieces[from];
        from.chained[from.chained.len() - 2].and(page.title_said)
    });
    let open = reading.total - reading.cover(before) * reading.total;
    let new = Said { exact: said.exact & !before.exact, near: said.near & !(before.exact | before.near) };
    let open_said = if open > 0.05 * reading.total { reading.cover(new) * reading.total / open } else { 0.0 };
    let context = piece.with_context;
    let heading_share = if piece.unit.heading.is_empty() && reading.form.asks != Asks::Definition {
        0.0
    } else {
        let above = Said { exact: context.exact & !said.exact, near: 0 }.and(page.title_said);
        reading.cover(above)
    };
    let shared = vec![
        (plain("cover"), reading.cover(said)),
        (plain("context"), reading.cover(context)),
        (plain("chain_1"), reading.cover(piece.chained[1]) - reading.cover(context)),
        (plain("chain_2"), reading.cover(chained) - reading.cover(piece.chained[1])),
        (plain("outer"), reading.share(said, is(Role::Outer))),
        (plain("outer_context"), reading.share(context, is(Role::Outer))),
        (plain("outer_exact"), reading.share(exact, is(Role::Outer))),
        (plain("inner"), reading.share(said, is(Role::Inner))),
        (plain("inner_chain"), reading.share(chained, is(Role::Inner))),
        (plain("names"), reading.share(said, is(Role::Name))),
        (plain("names_context"), reading.share(context, is(Role::Name))),
        (plain("kind_said"), reading.share(said, is(Role::Kind))),
        (plain("open_said"), open_said),
        (plain("score"), page.score / best_score),
        (plain("rank"), 1.0 / (1.0 + piece.source as f32)),
        (plain("first"), 1.0 / (1.0 + piece.place as f32)),
        (plain("steps"), (page.steps as f32).min(2.0)),
        (plain("heading_asks"), heading_share),
        (plain("cue"), cue(reading, piece)),
    ];
    let places = |counts: &dyn Fn(Role) -> bool| -> Vec<usize> {
        piece
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| {
                !word.is_function
                    && reading
                        .wanted
                        .iter()
                        .any(|wanted| counts(wanted.role) && reading.agreement(wanted, word) > 0.0)
            })
            .map(|(at, _)| at)
            .collect()
    };
    let outer_at = places(&|role| matches!(role, Role::Outer | Role::Kind));
    PieceFeatures { shared, outer_at, any_at: places(&|_| true) }
}

/// The candidates of a piece, without features.
fn spans(reading: &Reading, at: usize, piece: &Piece) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let text = &piece.unit.text;
    let mut push = |kind: Kind, mut range: Range<usize>, words: Option<String>| {
        // The first slash of a path is no part of a word.
        let is_path = text[..range.start].ends_with('/')
            && !text[..range.start - 1].ends_with(|c: char| c.is_alphanumeric() || c == '/' || c == ':');
        range.start -= usize::from(is_path);
        let words = words.unwrap_or_else(|| trim(&text[range.clone()]).to_owned());
        if words.is_empty() || words.len() > 600 {
            return;
        }
        let known = found
            .iter()
            .any(|known: &Candidate| known.range == range && known.text == words && kind != Kind::Sentence);
        if !known {
            found.push(Candidate { text: words, kind, piece: at, range, features: Vec::new(), fit: 0.0 });
        }
    };
    push(Kind::Sentence, 0..text.len(), None);
    if piece.unit.kind == UnitKind::Code {
        return found;
    }
    if piece.unit.kind == UnitKind::Row {
        let mut from = 0;
        for (_, cell) in &piece.unit.cells {
            if let Some(start) = text[from..].find(cell.as_str()).map(|start| from + start) {
                push(Kind::Cell, start..start + cell.len(), None);
                from = start + cell.len();
            }
        }
    }
    for named in piece.names() {
        let kind = match named.kind {
            MentionKind::Quotation => Kind::Quotation,
            MentionKind::Date => Kind::Date,
            MentionKind::Quantity => Kind::Quantity,
            _ => Kind::Name,
        };
        push(kind, named.range.clone(), None);
        if kind == Kind::Date {
            for year in years(text, &named.range) {
                push(Kind::Date, year, None);
            }
        }
    }
    for (range, kind) in numbers(text, &piece.words) {
        push(kind, range, None);
    }
    for range in countries(text, &piece.words) {
        push(Kind::Country, range, None);
    }
    let lists = lists(text, piece);
    for range in lists {
        push(Kind::List, range, None);
    }
    for range in phrases(text, &piece.words) {
        push(Kind::Phrase, range, None);
    }
    for range in complements(reading, piece) {
        push(Kind::Complement, range, None);
    }
    let subject = &reading.pages[piece.source].subject;
    if !subject.is_empty() && piece.place <= 1 {
        push(Kind::Subject, 0..0, Some(subject.clone()));
    }
    found
}

fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '"' | '“' | '”'))
}

/// The years inside longer dates.
fn years(text: &str, date: &Range<usize>) -> Vec<Range<usize>> {
    let inside = &text[date.clone()];
    let digits = inside.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
    let mut found = Vec::new();
    for at in digits {
        let is_start = !inside[..at].ends_with(|c: char| c.is_ascii_digit());
        let run = inside[at..].bytes().take_while(u8::is_ascii_digit).count();
        if is_start && run == 4 && inside.len() > 4 {
            found.push(date.start + at..date.start + at + 4);
        }
    }
    found
}

/// Numbers in digits or words, alone and with what they count.
fn numbers(text: &str, words: &[Word]) -> Vec<(Range<usize>, Kind)> {
    let mut found = Vec::new();
    let is_number = |word: &Word| word.is_number() || lexicon::is_ordinal(&word.lower);
    let mut at = 0;
    while at < words.len() {
        if !is_number(&words[at]) {
            at += 1;
            continue;
        }
        let mut start = words[at].start;
        let currency = text[..start].chars().next_back().filter(|c| CURRENCY_SIGNS.contains(c));
        if let Some(sign) = currency {
            start -= sign.len_utf8();
        }
        let mut end = at + 1;
        while end < words.len()
            && text[words[end - 1].end..words[end].start].trim().is_empty()
            && (lexicon::is_scale(&words[end].lower) || lexicon::number(&words[end].lower).is_some())
        {
            end += 1;
        }
        end = range_end(text, words, end).or_else(|| ratio_end(text, words, end)).unwrap_or(end);
        let is_repeated = is_repeated_in_digits(text, words, end);
        end += usize::from(is_repeated);
        // With the bracket.
        let after = words[end - 1].end + usize::from(is_repeated);
        let percent = usize::from(text[after..].starts_with('%'));
        found.push((start..after + percent, Kind::Number));
        // With a unit of one or two words.
        let mut unit = end;
        while unit < words.len() && unit < end + 3 {
            let gap = &text[words[unit - 1].end.max(after)..words[unit].start];
            if !matches!(gap, " " | "-") || words[unit].is_function && words[unit].lower != "per" {
                break;
            }
            unit += 1;
            if words[unit - 1].lower != "per" {
                found.push((start..words[unit - 1].end, Kind::Quantity));
            }
        }
        at = end;
    }
    found
}

/// Whether a number in words is followed by the same in digits: "two (2) weeks".
fn is_repeated_in_digits(text: &str, words: &[Word], end: usize) -> bool {
    let Some(digits) = words.get(end) else { return false };
    let said = lexicon::number(&words[end - 1].lower);
    &text[words[end - 1].end..digits.start] == " ("
        && text[digits.end..].starts_with(')')
        && said.is_some_and(|number| digits.lower == number.to_string())
}

/// Where a range ends whose first number ends here: "2 - 3", "2 to 3".
fn range_end(text: &str, words: &[Word], end: usize) -> Option<usize> {
    let gap = |at: usize| words.get(at).map(|word| &text[words[at - 1].end..word.start]);
    let is_number = |at: usize| words.get(at).is_some_and(Word::is_number);
    if matches!(gap(end), Some(" - " | " – " | "–")) && is_number(end) {
        return Some(end + 1);
    }
    let is_to = words.get(end).is_some_and(|word| word.lower == "to") && gap(end) == Some(" ");
    (is_to && gap(end + 1) == Some(" ") && is_number(end + 1)).then_some(end + 2)
}

/// Where a ratio ends whose first number ends here: neither number of "one in three" and "2 out of 5" is meant alone.
fn ratio_end(text: &str, words: &[Word], end: usize) -> Option<usize> {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let second = match (lower(end), lower(end + 1)) {
        ("out", "of") => end + 2,
        ("in" | "of", _) => end + 1,
        _ => return None,
    };
    let number = words.get(second).filter(|word| word.is_number())?;
    // "9 in 2021"
    let is_year = number.lower.len() == 4 && number.lower.chars().all(|c| c.is_ascii_digit());
    let is_together = words[end - 1..=second].windows(2).all(|pair| &text[pair[0].end..pair[1].start] == " ");
    (is_together && !is_year).then_some(second + 1)
}

fn countries(text: &str, words: &[Word]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = (1..=4.min(words.len() - at)).rev().find(|length| {
            words[at].is_capital
                && lexicon::country(&text[words[at].start..words[at + length - 1].end]).is_some()
        });
        match longest {
            Some(length) => {
                found.push(words[at].start..words[at + length - 1].end);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// Lists of names or phrases joined by commas and "and".
fn lists(text: &str, piece: &Piece) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let words = &piece.words;
    for (at, word) in words.iter().enumerate() {
        if !matches!(word.lower.as_str(), "and" | "or") || at == 0 || at + 1 >= words.len() {
            continue;
        }
        // To the left: phrases separated by commas; to the right: one phrase.
        let phrase_start = |mut from: usize| {
            while from > 0 {
                let before = &words[from - 1];
                let gap = &text[before.end..words[from].start];
                let stops = before.is_function && !matches!(before.lower.as_str(), "of" | "the" | "a" | "an");
                if gap.trim() != "" || stops {
                    break;
                }
                from -= 1;
            }
            from
        };
        let mut start = phrase_start(at - 1);
        while start > 0 && text[words[start - 1].end..words[start].start].trim() == "," {
            start = phrase_start(start - 1);
        }
        while start < at && words[start].is_function {
            start += 1;
        }
        let mut end = at + 1;
        while end < words.len() {
            let gap = &text[words[end - 1].end..words[end].start];
            let stops =
                words[end].is_function && !matches!(words[end].lower.as_str(), "of" | "the" | "a" | "an");
            if end > at + 1 && (gap.trim() != "" || stops) {
                break;
            }
            end += 1;
        }
        while end > at + 1 && words[end - 1].is_function {
            end -= 1;
        }
        if start < at && end > at + 1 && end - start <= 24 {
            found.push(words[start].start..words[end - 1].end);
        }
    }
    found
}

/// Runs of content words, their prefixes and suffixes, and two runs joined by a preposition.
fn phrases(text: &str, words: &[Word]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at].is_function {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while end < words.len()
            && !words[end].is_function
            && text[words[end - 1].end..words[end].start].trim().is_empty()
            && end - at < 7
        {
            end += 1;
        }
        for start in at..end {
            for stop in start + 1..=end {
                // Keep whole runs, their prefixes and their suffixes.
                if stop == end || start == at {
                    found.push(words[start].start..words[stop - 1].end);
                }
            }
        }
        // "regular monitoring of renal function", "a school for wardens"
        if end + 1 < words.len() && matches!(words[end].lower.as_str(), "of" | "for" | "in" | "to" | "with") {
            let mut next = end + 1;
            while next < words.len()
                && matches!(words[next].lower.as_str(), "the" | "a" | "an" | "its" | "their")
            {
                next += 1;
            }
            let mut last = next;
            while last < words.len()
                && !words[last].is_function
                && (last == next || text[words[last - 1].end..words[last].start].trim().is_empty())
                && last - next < 5
            {
                last += 1;
            }
            if last > next {
                for start in at..end {
                    found.push(words[start].start..words[last - 1].end);
                }
            }
        }
        at = end;
    }
    found
}

/// The text after a relation word, up to the end of the clause.
fn complements(reading: &Reading, piece: &Piece) -> Vec<Range<usize>> {
    let (text, words) = (&piece.unit.text, &piece.words);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_relation = !word.is_function
            && reading.wanted.iter().any(|wanted| {
                matches!(wanted.role, Role::Outer | Role::Kind | Role::Inner)
                    && reading.agreement(wanted, word) > 0.0
            });
        let is_copula = matches!(
            word.lower.as_str(),
            "is" | "are" | "was" | "were" | "by" | "called" | "named" | "as" | "than"
        );
        if !is_relation && !is_copula {
            continue;
        }
        let mut start = at + 1;
        while start < words.len()
            && text[words[start - 1].end..words[start].start].trim().is_empty()
            && words[start].is_function
            && start <= at + 3
        {
            start += 1;
        }
        if start >= words.len() {
            continue;
        }
        let mut end = start + 1;
        let mut ends = Vec::new();
        while end < words.len() && end - start < 14 {
            let gap = &text[words[end - 1].end..words[end].start];
            if gap.contains([',', ';', '(', ')', ':', '.']) && !gap.contains('$') {
                ends.push(end);
                if !gap.starts_with(',') {
                    break;
                }
            }
            if words[end].is_function && !matches!(words[end].lower.as_str(), "of" | "the" | "a" | "an") {
                ends.push(end);
            }
            if begins_clause(&words[end..]) {
                break;
            }
            end += 1;
        }
        ends.push(end);
        for end in ends {
            found.push(words[start].start..words[end.min(words.len()) - 1].end);
        }
    }
    found
}

/// Whether words begin another clause: "and strive to …", but not "and butter".
fn begins_clause(words: &[Word]) -> bool {
    let [joint, verb, next, ..] = words else { return false };
    matches!(joint.lower.as_str(), "and" | "or" | "but" | "then") && is_verb(&verb.lower) && next.is_function
}

/// Computes the features of a candidate.
fn features(
    reading: &Reading,
    piece: &Piece,
    shared: &PieceFeatures,
    candidate: &mut Candidate,
) -> Vec<(u16, f32)> {
    let group = group(reading.form.asks);
    let words = &piece.words;
    let range = &candidate.range;
    let inside: Vec<usize> = (0..words.len())
        .filter(|at| range.start <= words[*at].start && words[*at].end <= range.end)
        .collect();
    let mut features = shared.shared.clone();
    let fit = fit(reading, piece, candidate, &inside);
    candidate.fit = fit;
    features.push((plain("fit"), fit.max(0.0)));
    features.push((plain("unfit"), (-fit).max(0.0)));
    let (first, last) = (inside.first().copied(), inside.last().copied());
    let is_sentence = candidate.kind == Kind::Sentence;
    let distance = |places: &[usize]| {
        let (Some(first), Some(last)) = (first, last) else { return None };
        places
            .iter()
            .filter(|at| !(first..=last).contains(at))
            .map(|at| if *at < first { first - at } else { at - last })
            .min()
    };
    if !is_sentence {
        let near = |places: &[usize]| distance(places).map_or(0.0, |distance| 1.0 / (1.0 + distance as f32));
        features.push((plain("near_outer"), near(&shared.outer_at)));
        features.push((plain("near_any"), near(&shared.any_at)));
        let is_adjacent = first.is_some_and(|first| {
            let relation = shared.outer_at.iter().filter(|at| **at < first).max();
            relation.is_some_and(|relation| {
                (relation + 1..first).all(|between| words[between].is_function) && first - relation <= 3
            })
        });
        features.push((plain("adjacent"), f32::from(u8::from(is_adjacent))));
    }
    let own = super::word::words_of(&candidate.text);
    let asked =
        own.iter().filter(|word| reading.form.words.iter().any(|asked| asked.lower == **word)).count();
    if !is_sentence {
        features.push((plain("asked_share"), asked as f32 / own.len().max(1) as f32));
    }
    let normal = key(&candidate.text);
    let is_subject = |page: &super::reading::Page| !page.subject.is_empty() && key(&page.subject) == normal;
    let other = reading.pages.iter().enumerate().any(|(at, page)| at != piece.source && is_subject(page));
    features.push((plain("other_subject"), f32::from(u8::from(other))));
    features.push((plain("own_subject"), f32::from(u8::from(is_subject(&reading.pages[piece.source])))));
    features.push((plain("length"), (own.len() as f32 / 10.0).min(3.0)));
    if let Some(first) = first.filter(|_| !is_sentence) {
        features.push((plain("early"), 1.0 / (1.0 + first as f32)));
        let before = before(&piece.unit.text, words, first);
        if let Some(before) = before {
            let number = PLAIN.len() + KINDS.len() * GROUPS.len() + before * GROUPS.len() + group;
            features.push((numbered(number), 1.0));
        }
        features.push((plain("direction"), direction(reading, words, first)));
        let noun = last.and_then(|last| words.get(last + 1));
        let counted = reading.form.kind.map(|kind| &reading.form.words[kind]);
        let says_noun = |word: &Word| {
            counted.is_some_and(|counted| counted.is_form_of(word) || counted.groups & word.groups != 0)
        };
        let counts = matches!(reading.form.asks, Asks::Count | Asks::Quantity)
            && (noun.is_some_and(says_noun)
                || last.and_then(|last| words.get(last + 2)).is_some_and(says_noun)
                || inside.iter().any(|at| says_noun(&words[*at])));
        features.push((plain("unit_noun"), f32::from(u8::from(counts))));
        let kind_before = first > 0 && says_noun(&words[first - 1]);
        let kind_inside = inside.iter().any(|at| says_noun(&words[*at])) && own.len() > 1;
        features.push((plain("named_after_kind"), f32::from(u8::from(kind_before || kind_inside))));
    }
    if candidate.kind == Kind::Date {
        features.push((plain("date_role"), date_role(reading, &piece.unit.text, range)));
    }
    let kind = KINDS.iter().position(|(known, _)| *known == candidate.kind).unwrap_or(0);
    features.push((numbered(PLAIN.len() + kind * GROUPS.len() + group), 1.0));
    features
}

/// The index in [`BEFORE`] of the word or mark before a candidate.
fn before(text: &str, words: &[Word], first: usize) -> Option<usize> {
    let gap = match first.checked_sub(1) {
        Some(before) => &text[words[before].end..words[first].start],
        None => return None,
    };
    let mut at = first - 1;
    if gap.contains('(') {
        return Some(10);
    }
    if gap.contains(',') {
        return Some(11);
    }
    while at > 0 && matches!(words[at].lower.as_str(), "the" | "a" | "an" | "its" | "his" | "her" | "their") {
        at -= 1;
    }
    Some(match words[at].lower.as_str() {
        "in" | "within" | "during" | "into" => 0,
        "at" | "on" | "near" => 1,
        "by" => 2,
        "of" => 3,
        "from" | "since" => 4,
        "to" | "until" => 5,
        "as" => 6,
        "for" => 7,
        "with" | "through" | "via" => 8,
        "is" | "are" | "was" | "were" | "be" | "been" => 9,
        _ if words[at].is_capital && at > 0 => 12,
        _ => return None,
    })
}

/// Returns 1 if the preposition before a candidate matches the question's ("to" or "from"), -1 if it is the
/// opposite one.
pub(super) fn direction(reading: &Reading, words: &[Word], first: usize) -> f32 {
    let asks = |list: &[&str]| {
        // "Move to?", "from which".
        reading.form.words.iter().any(|word| list.contains(&word.lower.as_str()))
    };
    let (to, from) = (asks(&["to", "into", "until"]), asks(&["from", "since"]));
    if to == from {
        return 0.0;
    }
    let before = words[..first]
        .iter()
        .rev()
        .take(3)
        .find(|word| matches!(word.lower.as_str(), "to" | "into" | "until" | "from" | "since"));
    match before.map(|word| word.lower.as_str()) {
        Some("to" | "into" | "until") => {
            if to {
                1.0
            } else {
                -1.0
            }
        }
        Some("from" | "since") => {
            if from {
                1.0
            } else {
                -1.0
            }
        }
        _ => 0.0,
    }
}

/// The event whose date the question asks for.
pub(super) fn asked_role(reading: &Reading) -> Option<DateRole> {
    let is_asked =
        |role: &DateRole| reading.form.words.iter().any(|word| date_role::asked(&word.lower) == Some(*role));
    let roles = [DateRole::Death, DateRole::Birth, DateRole::Release, DateRole::Foundation, DateRole::End];
    roles.into_iter().find(is_asked)
}

/// Determines the event of a date from the words before it and from the convention for brackets after a name.
pub(super) fn role_of(text: &str, range: &Range<usize>) -> Option<DateRole> {
    let before = text[..range.start].to_lowercase();
    let open = before.rfind('(').filter(|open| !before[*open..].contains(')'));
    if let Some(open) = open {
        let inside = &before[open..];
        // "(Feb. 1910)" is no birth.
        let says = |word: &str| inside.split([' ', '(', ',', ';']).any(|token| token == word);
        if inside.contains("born") || says("b.") {
            return Some(if inside.contains("died") { DateRole::Death } else { DateRole::Birth });
        }
        if inside.contains("died") || says("d.") {
            return Some(DateRole::Death);
        }
        let dash = |text: &str| text.contains('–') || text.contains(" - ") || text.contains('—');
        // "(3 May 1900 – 1 June 1980)" right after a name at the beginning.
        if open < 90 && !before[..open].contains(". ") {
            let close = text[range.end..].find(')').map_or(text.len(), |close| range.end + close);
            let after = &text[range.end..close];
            if dash(inside) && inside.chars().any(|c| c.is_ascii_digit()) {
                return Some(DateRole::Death);
            }
            if dash(after) && after.chars().any(|c| c.is_ascii_digit()) {
                return Some(DateRole::Birth);
            }
        }
    }
    let words: Vec<&str> = token::words(&before).collect();
    let nearest = words.iter().rev().take(9).find_map(|word| date_role::told(word));
    if nearest.is_some() {
        return nearest;
    }
    let after = text[range.end..].to_lowercase();
    let mut next = token::words(&after).take(4);
    // "is a 1963 Italian film"
    next.find_map(date_role::of_work)
}

fn date_role(reading: &Reading, text: &str, range: &Range<usize>) -> f32 {
    match (asked_role(reading), role_of(text, range)) {
        (Some(asked), Some(role)) if asked == role => 1.0,
        (Some(_), Some(_)) => -1.0,
        _ => 0.0,
    }
}

/// Whether the last word of a name is of a class, with a capital.
fn ends_with(words: &[&str], what: Answering) -> bool {
    words.last().map(|last| last.trim_end_matches(['.', ','])).is_some_and(|last| {
        last.starts_with(char::is_uppercase) && answering::says(&last.to_lowercase(), what)
    })
}

/// Whether the words look like a person's name.
fn is_person_name(words: &[&str]) -> bool {
    let may_be =
        |word: &&str| word.starts_with(char::is_uppercase) || answering::says(word, Answering::Particle);
    (1..=5).contains(&words.len())
        && words.iter().all(may_be)
        && !words.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()))
        && !words.iter().all(|word| is_weekday(&word.to_lowercase()))
}

/// How well a candidate's type fits the question's type, from -1 to 1.
fn fit(reading: &Reading, piece: &Piece, candidate: &Candidate, inside: &[usize]) -> f32 {
    let text = &candidate.text;
    let kind = candidate.kind;
    let is_name = matches!(kind, Kind::Name | Kind::Subject);
    let words = &piece.words;
    let lower_before = |back: usize| {
        let first = inside.first().copied().unwrap_or(0);
        first.checked_sub(back).map_or("", |at| words[at].lower.as_str())
    };
    let own: Vec<&str> = text.split_whitespace().collect();
    let is_country = lexicon::country(text).is_some();
    let is_placed = matches!(lower_before(1), "in" | "at" | "near" | "from" | "to")
        || matches!(lower_before(2), "in" | "at" | "near") && matches!(lower_before(1), "the");
    let is_org_name = ends_with(&own, Answering::Organisation)
        || own.len() == 1 && text.len() >= 2 && text.chars().all(char::is_uppercase);
    let is_place_name = is_country || ends_with(&own, Answering::Place);
    let is_person_name = is_name && !is_org_name && !is_place_name && is_person_name(&own);
    let has_figure = text.contains(|c: char| c.is_ascii_digit());
    let number_like = matches!(kind, Kind::Number | Kind::Quantity) || kind == Kind::Cell && has_figure;
    match reading.form.asks {
        Asks::Person => match kind {
            _ if is_name && is_placed && own.len() == 1 => -0.6,
            _ if is_person_name && answering::says(lower_before(1), Answering::Title) => 1.0,
            _ if is_person_name && own.len() >= 2 => 0.9,
            _ if is_person_name => 0.5,
            _ if is_name && is_org_name => 0.1,
            Kind::List if lists_names(text) => 0.4,
            Kind::Cell if text.starts_with(char::is_uppercase) => 0.4,
            Kind::Date | Kind::Quantity | Kind::Number | Kind::Country => -1.0,
            Kind::Sentence => 0.0,
            _ => -0.3,
        },
        Asks::Organisation => match kind {
            _ if is_name && is_org_name => 1.0,
            _ if is_name => 0.6,
            Kind::Quotation | Kind::Cell | Kind::List => 0.3,
            Kind::Date | Kind::Quantity | Kind::Number => -1.0,
            _ => 0.0,
        },
        Asks::Place => match kind {
            _ if is_place_name => 1.0,
            _ if is_name && is_placed => 0.9,
            _ if is_name && is_org_name => 0.2,
            _ if is_name => 0.3,
            Kind::Date | Kind::Quantity | Kind::Number => -1.0,
            _ if is_placed => 0.4,
            _ => 0.0,
        },
        Asks::Country => match kind {
            _ if is_country => 1.0,
            _ if is_name && is_placed => 0.3,
            Kind::Date | Kind::Quantity | Kind::Number => -1.0,
            _ => -0.5,
        },
        Asks::Date => match kind {
            Kind::Date if is_bare_number(piece, candidate, lower_before(1)) => -0.5,
            Kind::Date => {
                let wants_year =
                    reading.form.kind.is_some_and(|kind| reading.form.words[kind].lower.starts_with("year"));
                let is_year = text.len() == 4;
                if wants_year == is_year { 1.0 } else { 0.7 }
            }
            // "He is in on Fridays" tells the day.
            _ if reading.format == Some(Format::Day)
                && super::word::words_of(text).iter().any(|word| is_weekday(word)) =>
            {
                0.7
            }
            // "The date" needs a digit, a month or a day; "when" also accepts "after the release".
            _ if reading.form.kind.is_some() && !has_figure && !says_day_or_month(text) => -1.0,
            Kind::Cell if says_time(text) => 0.4,
            Kind::Complement | Kind::Phrase if says_day_or_month(text) || begins_with_time(text) => 0.4,
            Kind::Sentence => -0.2,
            Kind::Name if says_time(text) => 0.3,
            _ => -1.0,
        },
        Asks::Count => match kind {
            Kind::Number | Kind::Quantity if counts_other(reading, piece, &candidate.range) => -0.8,
            Kind::Number | Kind::Quantity if is_no_count(words, inside) => -0.8,
            Kind::Number => 1.0,
            Kind::Quantity => 0.8,
            _ if number_like => 0.5,
            Kind::Sentence => -0.2,
            _ => -0.8,
        },
        Asks::Quantity => match kind {
            Kind::Quantity | Kind::Number | Kind::Cell if number_like => {
                measured(reading, text, words.get(inside.last().map_or(0, |last| last + 1)))
            }
            Kind::Phrase | Kind::Complement
                if text.contains(|c: char| c.is_ascii_digit()) || says_time(text) =>
            {
                0.3
            }
            Kind::Sentence => -0.2,
            _ => -0.8,
        },
        Asks::Thing => match kind {
            Kind::Date => -0.4,
            _ => 0.0,
        },
        _ => 0.0,
    }
}

/// Whether every part of a list begins with a capital: "Ann and Bob", but not "Recruiting weavers and dyeing".
fn lists_names(text: &str) -> bool {
    let parts = text.split([',', ';']).flat_map(|part| part.split(" and ")).map(str::trim);
    parts.filter(|part| !part.is_empty()).all(|part| part.starts_with(char::is_uppercase))
}

/// Whether a number in a sentence counts something other than what the question counts: "6 tractors" when it
/// asks about cows.
fn counts_other(reading: &Reading, piece: &Piece, number: &Range<usize>) -> bool {
    let is_asked = |word: &Word| reading.kind_agreement(word) > 0.0;
    let from = piece.words.iter().skip_while(|word| word.start < number.start).skip(1);
    let mut counted = from.take_while(|word| !word.is_function).take(3).peekable();
    let is_cell = || piece.unit.cells.iter().any(|(_, cell)| *cell == piece.unit.text[number.clone()]);
    !is_cell() && reading.has_role(Role::Kind) && counted.peek().is_some() && !counted.any(is_asked)
}

/// Whether a number only looks like a year: "the 2004 controller", "at 1200 baud".
fn is_bare_number(piece: &Piece, candidate: &Candidate, before: &str) -> bool {
    let text = &piece.unit.text;
    let (from, to) = (candidate.range.start, candidate.range.end);
    let is_digits = !candidate.range.is_empty() && text[from..to].bytes().all(|byte| byte.is_ascii_digit());
    let is_dated = is_time_preposition(before)
        || matches!(before, "early" | "late" | "mid" | "circa")
        || says_time(before);
    let is_set_off = text[..from].trim_end().is_empty()
        || text[..from].ends_with(['(', '[', '/', '-', '–', ':', '|'])
        || text[..from].trim_end().ends_with([',', ':', ';', '–']);
    is_digits && piece.unit.kind != UnitKind::Row && !is_dated && !is_set_off
}

/// Whether words that begin like a number count nothing: "2FA", "one of", "no one", "first", "10.0.0.1".
fn is_no_count(words: &[Word], inside: &[usize]) -> bool {
    let Some((first, last)) = inside.first().zip(inside.last()) else { return false };
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let is_label = |at: &usize| {
        let word = lower(*at);
        let letters = word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
        words[*at].is_numeric() && letters.starts_with(char::is_alphabetic) && letters.len() > 1
    };
    let before = first.checked_sub(1).map_or("", lower);
    let is_address = |at: &usize| lower(*at).matches('.').count() > 1;
    let is_pronoun = lower(*last) == "one"
        && (matches!(lower(last + 1), "" | "another" | "of" | "who" | "that" | "which")
            || lexicon::is_function(lower(last + 1))
            || matches!(before, "no" | "any" | "every" | "each" | "the" | "this" | "that" | "another"));
    inside.iter().any(is_label)
        || inside.iter().any(is_address)
        || is_pronoun
        || lexicon::is_ordinal(lower(*first))
}

/// How well an amount fits the measure asked for: "how long" is answered with hours or metres, not with
/// apples.
fn measured(reading: &Reading, amount: &str, next: Option<&Word>) -> f32 {
    let asked = reading.form.question_word.and_then(|at| reading.form.words.get(at + 1));
    let asked = asked.map_or("", |word| word.lower.as_str());
    let lower = amount.to_lowercase();
    // "Every second" is an amount of time; "second" alone is not.
    if lexicon::is_ordinal(&lower) {
        return -0.3;
    }
    let own: Vec<&str> = lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let has = |is: &dyn Fn(&str) -> bool| {
        own.iter().any(|word| is(word)) || own.is_empty() && next.is_some_and(|next| is(&next.lower))
    };
    let (time, length, unit) = (has(&says_time), has(&lexicon::is_length), has(&lexicon::is_unit));
    let is_amount_of_money = amount.contains(CURRENCY_SIGNS);
    let fits = match asked {
        "often" | "old" | "late" | "early" | "soon" | "frequently" => time,
        "tall" | "far" | "high" | "deep" | "wide" => length,
        // "The second Friday" is not a duration.
        "long" => time && !says_day_or_month(&lower) || length || unit,
        _ => {
            // A count of things is also acceptable.
            let is_measured = is_amount_of_money || amount.contains('%') || time || length || unit;
            return if is_measured { 1.0 } else { 0.5 };
        }
    };
    if fits { 1.0 } else { -0.3 }
}

/// Whether a text begins with a word that a time follows: "after the second week".
fn begins_with_time(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let is_preposition =
        is_time_preposition(&first) || matches!(first.as_str(), "on" | "at" | "within" | "when");
    is_preposition && says_time(text)
        || matches!(first.as_str(), "after" | "before" | "every" | "each" | "once")
}

/// Whether a year or another time follows a preposition.
fn is_time_preposition(word: &str) -> bool {
    matches!(
        word,
        "in" | "since" | "by" | "until" | "till" | "from" | "during" | "before" | "after" | "between"
    )
}

/// Whether a text gives a time without digits: "every Monday", "in March", "after the second week".
fn says_time(text: &str) -> bool {
    let is_time = |word: &str| {
        matches!(
            word,
            "day"
                | "days"
                | "week"
                | "weeks"
                | "month"
                | "months"
                | "year"
                | "years"
                | "hour"
                | "hours"
                | "minute"
                | "minutes"
                | "second"
                | "seconds"
                | "century"
                | "morning"
                | "evening"
                | "night"
                | "spring"
                | "summer"
                | "autumn"
                | "winter"
                | "daily"
                | "weekly"
                | "monthly"
                | "yearly"
                | "once"
                | "twice"
                | "century's"
                | "decade"
                | "after"
                | "before"
                | "every"
        )
    };
    says_day_or_month(text) || text.to_lowercase().split(|c: char| !c.is_alphabetic()).any(is_time)
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;

    use super::{
        super::word::{Word, words},
        Kind, begins_clause, is_no_count, numbers,
    };

    fn read(text: &str) -> Vec<Word> {
        words(&Lexical::new(), text)
    }

    fn quantities(text: &str) -> Vec<&str> {
        let found = numbers(text, &read(text)).into_iter();
        found.filter(|(_, kind)| *kind == Kind::Quantity).map(|(range, _)| &text[range]).collect()
    }

    #[test]
    fn a_quantity_ends_with_its_unit() {
        assert_eq!(quantities("Wind the clock every 9 weeks otherwise you'll lose time."), ["9 weeks"]);
        assert_eq!(quantities("It is due within two (2) weeks."), ["two (2) weeks"]);
        assert!(quantities("It is due within two (3) weeks, with 10% discount.").is_empty());
    }

    #[test]
    fn a_range_is_one_number() {
        let found = |text: &str| -> Vec<String> {
            numbers(text, &read(text)).into_iter().map(|(range, _)| text[range].to_owned()).collect()
        };
        assert_eq!(found("It takes 2 - 3."), ["2 - 3"]);
        assert_eq!(found("It takes 2 to 3."), ["2 to 3"]);
        assert_eq!(found("It takes 2."), ["2"]);
    }

    #[test]
    fn some_words_only_look_like_a_count() {
        let counts_nothing = |text: &str, at: usize| is_no_count(&read(text), &[at]);
        assert!(counts_nothing("Switch on 2FA.", 2) && counts_nothing("It was one of the first.", 2));
        assert!(counts_nothing("It listens on 10.0.0.1 here.", 3) && counts_nothing("It comes first.", 2));
        assert!(!counts_nothing("It has 2 looms.", 2) && !counts_nothing("It has one loom.", 2));
    }

    #[test]
    fn another_clause_begins_with_a_verb() {
        assert!(begins_clause(&read("and strive to answer")));
        assert!(!begins_clause(&read("and butter on Monday")) && !begins_clause(&read("and strive")));
    }
}
