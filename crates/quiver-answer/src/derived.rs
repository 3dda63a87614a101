//! Answers that need several passages.
//!
//! A path runs backwards from the sentence with the answer: each earlier sentence is in another passage and
//! names the title of the next one. The last sentence states the relation asked for, or the word that the
//! relation begins or ends with. Together they cover what the question gives, and each adds to the coverage.

use quiver_language::{
    title::TITLE_SEPARATOR,
    word::{is_verb, verbs},
};

use super::{
    candidate::{Candidate, Kind, overlap},
    form::{Asks, Role},
    lexicon::{country, is_colour_kind, is_ordinal, is_season_or_time},
    objection::{Objection, asks_program_name, at_the_end_of_a_path, of_value, says_colour},
    reading::{Piece, Reading, Said, says},
    unit::UnitKind,
    word::Word,
};

/// Maximum number of sentences that lead to the one with the answer.
const STEPS_MAX: usize = 3;
/// Maximum number of sentences visited when searching for paths to one sentence. The number of paths explodes
/// if all passages name each other.
const LOOKS_MAX: usize = 5000;
/// Minimum share of the given words that a path must cover.
const COVER_LEAST: f32 = 0.8;
/// Minimum share that each sentence must add.
const GAIN_LEAST: f32 = 0.08;
/// Minimum lead in coverage over any path that ends elsewhere.
const LEAD_LEAST: f32 = 0.1;
/// Minimum type fit of a value in the last sentence.
const FIT_LEAST: f32 = 0.7;
/// The same for times and amounts, which may be written in words: "once a week".
const AMOUNT_FIT_LEAST: f32 = 0.3;
/// Minimum lead in score over the other values of the sentence for a value to be the answer by itself.
const SCORE_LEAD_LEAST: f32 = 0.7;
/// Weight of a word that is only in another sentence of a passage on the path.
const NEARBY: f32 = 0.5;

/// A path to an answer.
#[derive(Clone, Debug)]
pub(super) struct Derivation {
    /// The sentences, the one with the answer first; each is led to by the next.
    pub(super) pieces: Vec<usize>,
    /// The share of the given words that they cover.
    cover: f32,
}

/// Facts about a passage.
#[derive(Clone, Debug, Default)]
struct Around {
    /// The question words that the passage contains anywhere.
    said: Said,
    /// The sentences in passages about other subjects that name this passage's subject, unless the question
    /// names it.
    named_by: Vec<usize>,
}

fn pages(reading: &Reading) -> Vec<Around> {
    let mut pages = vec![Around::default(); reading.pages.len()];
    for piece in &reading.pieces {
        let said = &mut pages[piece.source].said;
        said.exact |= piece.said.exact;
    }
    for (page, around) in pages.iter_mut().enumerate() {
        let subject = reading.subject(page);
        // The first word of an untitled passage may belong to another thing: "Project Larch …". A section is
        // titled after an aspect of a thing. So only whole, titled documents can be named by others.
        let title = &reading.pages[page].title;
        let is_titled = !title.is_empty() && !title.contains(TITLE_SEPARATOR);
        if is_titled && subject.len() > 2 && !says(&reading.asked, subject) {
            // "You may install it" does not name the page "Install".
            let names = |at: &usize| {
                let piece = &reading.pieces[*at];
                reading.subject(piece.source) != subject
                    && says(&piece.lower, subject)
                    && (!is_verb(subject)
                        || is_written_as_name(&piece.unit.text, &reading.pages[page].subject))
            };
            around.named_by = (0..reading.pieces.len()).filter(names).collect();
        }
    }
    pages
}

/// Whether a text has a name as its title writes it, with a capital and after the first word.
fn is_written_as_name(text: &str, name: &str) -> bool {
    let later = text.find(' ').map_or("", |at| &text[at..]);
    name.starts_with(char::is_uppercase) && says(later, name)
}

/// Minimum number of words in a question that leads from one thing to another.
const ASKED_LEAST: usize = 4;

/// Whether a question may lead from one thing to another. How to do something, and which setting does something, is
/// explained in one place; a short question ("What is the leave policy?") names its subject and describes nothing.
pub(super) fn leads_on(reading: &Reading) -> bool {
    let is_told_in_one_place = reading.form.asks == Asks::Way || asks_program_name(&reading.form);
    !is_told_in_one_place && reading.wanted.len() >= ASKED_LEAST
}

/// Returns the best path that covers the question, unless another comes close.
pub(super) fn derived(reading: &Reading, candidates: &[(f32, Candidate)]) -> Option<Derivation> {
    if !leads_on(reading) {
        return None;
    }
    let pages = pages(reading);
    let mut ways: Vec<Derivation> = (0..reading.pieces.len())
        .filter(|at| may_end(reading, candidates, *at))
        .filter_map(|at| Search::from(reading, &pages, at).best)
        .collect();
    ways.sort_by(|a, b| b.cover.total_cmp(&a.cover).then(a.pieces.len().cmp(&b.pieces.len())));
    let mut ways = ways.into_iter();
    let best = ways.next()?;
    let text = |way: &Derivation| &reading.pieces[way.pieces[0]].unit.text;
    let is_rival = |way: &Derivation| way.cover + LEAD_LEAST > best.cover && text(way) != text(&best);
    let is_told_alone = || {
        let mut others = (0..reading.pieces.len()).filter(|at| !best.pieces.contains(at));
        others.any(|at| has_value(reading, candidates, at) && alone(reading, &pages, at) >= best.cover)
    };
    (!ways.any(|way| is_rival(&way)) && best.pieces.len() > 1 && !is_told_alone()).then_some(best)
}

/// The share of the question that a sentence covers without a path, with the rest of its passage.
fn alone(reading: &Reading, pages: &[Around], at: usize) -> f32 {
    Search { reading, pages, pieces: vec![at], best: None, looks: 0 }.cover(around(&reading.pieces[at]))
}

/// Whether a path may end in a sentence: it states the relation asked for or the first or last word of it,
/// nothing objects to it, and it has a value of the type asked for.
fn may_end(reading: &Reading, candidates: &[(f32, Candidate)], at: usize) -> bool {
    let piece = &reading.pieces[at];
    let relation = if reading.has_role(Role::Outer) { Role::Outer } else { Role::Kind };
    let bits = || {
        let of_relation = reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == relation);
        of_relation.map(|(bit, _)| bit)
    };
    // "Which antidote *reverses* the preferred anticoagulant": the path to the sentence covers the rest.
    let says_verb = || {
        let mut ends = bits().next().into_iter().chain(bits().next_back());
        relation == Role::Outer && ends.any(|bit| piece.said.exact >> bit & 1 == 1)
    };
    let says_relation = reading.has_role(relation) && (bits().all(|bit| piece.said.has(bit)) || says_verb());
    // Only articles about one thing are joined: sections lead from each thing to every other.
    says_relation
        && (piece.unit.kind != UnitKind::Row || says_all_but_names(reading, piece))
        && may_be_last(reading, candidates, at)
}

/// Whether the answer may be in a sentence that other pages lead to.
pub(super) fn may_be_last(reading: &Reading, candidates: &[(f32, Candidate)], at: usize) -> bool {
    let piece = &reading.pieces[at];
    !is_part(reading, piece)
        && !is_bare_title(piece)
        && has_value(reading, candidates, at)
        && piece.unit.kind != UnitKind::Code
        && at_the_end_of_a_path(reading, at, reading.form.asks.is_typed()).is_none()
}

/// Whether a row says every word of the question but the names: it has neighbours that differ in one.
fn says_all_but_names(reading: &Reading, row: &Piece) -> bool {
    let mut wanted = reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role != Role::Name);
    wanted.all(|(bit, _)| row.own.has(bit))
}

/// Whether a piece stands under a heading other than the title of its document.
fn is_part(reading: &Reading, piece: &Piece) -> bool {
    let page = &reading.pages[piece.source];
    page.title.contains(TITLE_SEPARATOR)
        || !piece.unit.heading.is_empty() && piece.unit.heading != page.subject
}

/// Whether a piece is a title or the text of a link, which states nothing.
fn is_bare_title(piece: &Piece) -> bool {
    let text = piece.unit.text.trim_end();
    let is_sentence = text.ends_with(['.', '!']) || text.contains(':');
    piece.unit.kind != UnitKind::Row && !is_sentence && !piece.words.iter().any(|word| word.is_function)
}

/// Whether a sentence has a value of the type asked for.
pub(super) fn has_value(reading: &Reading, candidates: &[(f32, Candidate)], at: usize) -> bool {
    let piece = &reading.pieces[at];
    match reading.form.asks {
        Asks::Thing => says_kind(reading, at),
        Asks::Person if says_agent(piece) => true,
        Asks::Quantity if asks_how_often(reading) => says_how_often(piece),
        Asks::Place if says_which(reading, piece) || says_owner(reading, piece) => true,
        asks => !asks.is_typed() || values(reading, candidates, at).next().is_some(),
    }
}

/// Whether a sentence numbers a place of the kind asked for: "the *third* floor", "room *12*".
fn says_which(reading: &Reading, piece: &Piece) -> bool {
    let is_kind = |word: &Word| reading.kind_agreement(word) >= 1.0;
    let numbers = |word: &Word| word.is_number() || is_ordinal(&word.lower);
    piece
        .words
        .windows(2)
        .any(|pair| is_kind(&pair[1]) && numbers(&pair[0]) || is_kind(&pair[0]) && pair[1].is_number())
}

/// Whether a sentence says by name whom something belongs to, which may be a place: "belongs to the *Infusion Centre*".
fn says_owner(reading: &Reading, piece: &Piece) -> bool {
    let name = |at: usize| piece.words.get(at).filter(|word| word.is_capital && !reading.form.has(word));
    let belongs = |at: usize| {
        verbs(&piece.words[at].lower).any(|verb| verb == "belong")
            && piece.words.get(at + 1).is_some_and(|next| next.lower == "to")
    };
    (0..piece.words.len()).any(|at| belongs(at) && (name(at + 2).is_some() || name(at + 3).is_some()))
}

fn asks_how_often(reading: &Reading) -> bool {
    reading.form.words.windows(2).any(|pair| pair[0].lower == "how" && pair[1].lower == "often")
}

/// Whether a sentence states a frequency: "once a week", "every nine weeks", "daily".
fn says_how_often(piece: &Piece) -> bool {
    let word = |at: usize| piece.words.get(at).map_or("", |word| word.lower.as_str());
    (0..piece.words.len()).any(|at| match word(at) {
        "once" | "twice" | "times" => matches!(word(at + 1), "a" | "an" | "per" | "each" | "every"),
        "every" | "each" => is_season_or_time(word(at + 1)) || is_season_or_time(word(at + 2)),
        word => {
            matches!(word, "hourly" | "daily" | "weekly" | "monthly" | "quarterly" | "yearly" | "annually")
        }
    })
}

/// Whether a sentence says by whom something is done, even if not by name: "by the night warden".
fn says_agent(piece: &Piece) -> bool {
    let by = piece.words.iter().position(|word| word.lower == "by");
    by.is_some_and(|by| {
        let agent = piece.words[by + 1..].iter().take(3).find(|word| !word.is_function);
        agent.is_some_and(|agent| !agent.is_numeric())
    })
}

/// Whether a candidate is a value of the type asked for.
pub(super) fn is_typed(candidate: &Candidate) -> bool {
    !matches!(candidate.kind, Kind::Sentence | Kind::Subject) && candidate.fit >= FIT_LEAST
}

/// The values of a sentence that have the type asked for, likeliest first.
fn values<'c>(
    reading: &Reading,
    candidates: &'c [(f32, Candidate)],
    at: usize,
) -> impl Iterator<Item = &'c (f32, Candidate)> {
    let asks = reading.form.asks;
    let is_amount = matches!(asks, Asks::Date | Asks::Quantity);
    let fit_least = if is_amount { AMOUNT_FIT_LEAST } else { FIT_LEAST };
    candidates.iter().filter(move |(_, candidate)| {
        // "Indian" is not a place, although it implies a country.
        let is_place = asks != Asks::Place
            || country(&candidate.text).is_none_or(|country| country.eq_ignore_ascii_case(&candidate.text));
        candidate.piece == at
            && !matches!(candidate.kind, Kind::Sentence | Kind::Subject)
            && candidate.fit >= fit_least
            && is_place
            && matches!(of_value(reading, candidate), None | Some(Objection::Unknown | Objection::OtherThing))
    })
}

/// The value of a sentence that is clearly ahead of the others and can be the answer by itself.
pub(super) fn value<'c>(
    reading: &Reading,
    candidates: &'c [(f32, Candidate)],
    at: usize,
) -> Option<&'c Candidate> {
    if !reading.form.asks.is_typed() {
        return None;
    }
    let mut values = values(reading, candidates, at);
    let (score, best) = values.next()?;
    let is_part = |other: &Candidate| overlap(&best.range, &other.range);
    let is_ahead = values.all(|(other, value)| is_part(value) || other + SCORE_LEAD_LEAST <= *score);
    is_ahead.then_some(best)
}

/// Whether the kind of thing asked for is named in a sentence, in its headings, or in a passage about
/// something that the sentence names.
fn says_kind(reading: &Reading, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let is_about = |other: &Piece| {
        let subject = reading.subject(other.source);
        other.source != piece.source && subject.len() > 2 && says(&piece.lower, subject)
    };
    reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == Role::Kind).all(|(bit, wanted)| {
        around(piece).has(bit)
            || is_colour_kind(&reading.form.words[wanted.word].lower) && says_colour(&piece.words)
            || reading.pieces.iter().any(|other| is_about(other) && around(other).has(bit))
    })
}

/// Searches for paths backwards from a sentence.
struct Search<'r> {
    reading: &'r Reading,
    pages: &'r [Around],
    /// The path so far, the sentence with the answer first.
    pieces: Vec<usize>,
    best: Option<Derivation>,
    /// Number of sentences visited.
    looks: usize,
}

impl<'r> Search<'r> {
    fn from(reading: &'r Reading, pages: &'r [Around], at: usize) -> Self {
        let mut search = Self { reading, pages, pieces: vec![at], best: None, looks: 0 };
        search.follow(around(&reading.pieces[at]));
        search
    }

    fn follow(&mut self, said: Said) {
        let cover = self.cover(said);
        if self.is_complete(said) && self.best.as_ref().is_none_or(|best| cover > best.cover) {
            self.best = Some(Derivation { pieces: self.pieces.clone(), cover });
        }
        if self.pieces.len() > STEPS_MAX {
            return;
        }
        let page = |at: usize| self.reading.pieces[at].source;
        let pages = self.pages;
        for &from in &pages[page(self.pieces[self.pieces.len() - 1])].named_by {
            self.looks += 1;
            if self.looks > LOOKS_MAX || self.pieces.iter().any(|at| page(*at) == page(from)) {
                continue;
            }
            let more = said.and(around(&self.reading.pieces[from]));
            self.pieces.push(from);
            if self.cover(more) >= cover + GAIN_LEAST {
                self.follow(more);
            }
            self.pieces.pop();
        }
    }

    /// The share of the given words that are covered: all words except the kind of the answer.
    fn cover(&self, said: Said) -> f32 {
        let said = said.with_synonyms();
        let pages = self.pieces.iter().map(|at| self.reading.pieces[*at].source);
        let nearby = pages.map(|page| self.pages[page].said).fold(said, Said::and);
        let share = |said| self.reading.share(said, |wanted| wanted.role != Role::Kind);
        let alone = share(said);
        alone + NEARBY * (share(nearby) - alone)
    }

    /// Whether coverage is sufficient and includes every name, number and relation word of the question.
    fn is_complete(&self, said: Said) -> bool {
        let is_thing = |wanted: &super::reading::Wanted| {
            matches!(wanted.role, Role::Name | Role::Outer)
                || self.reading.form.words[wanted.word].is_numeric()
        };
        self.cover(said) >= COVER_LEAST
            && self.reading.wanted.iter().enumerate().all(|(bit, wanted)| !is_thing(wanted) || said.has(bit))
    }
}

/// What a sentence says, including its title and headings.
fn around(piece: &Piece) -> Said {
    piece.own.and(piece.above)
}
