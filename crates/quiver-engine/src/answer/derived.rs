//! An answer that several passages give together.
//!
//! A way leads backwards from the sentence with the answer: each sentence before it stands in another passage and names
//! the title of the next one. The last sentence says the relation that is asked for, or the word that it begins or ends
//! with; all of them together say what the question gives, and each adds something to it.

use quiver_language::title::TITLE_SEPARATOR;

use super::{
    candidate::{Candidate, Kind, is_typed, overlap},
    form::{Asks, Role},
    lexicon::{country, is_colour_kind, is_season_or_time},
    objection::{Objection, asks_program_name, of_sentence, of_value, says_colour},
    reading::{Piece, Reading, Said, says},
    unit::UnitKind,
};

/// How many sentences may lead to the one with the answer.
const STEPS_MAX: usize = 3;
/// How many sentences are looked at on the ways to one. Passages that all name each other have no end of ways.
const LOOKS_MAX: usize = 5000;
/// How much of what the question gives has to be said on the way.
const COVER_LEAST: f32 = 0.8;
/// How much of it each sentence has to add to the others.
const GAIN_LEAST: f32 = 0.08;
/// How much more a way has to say than any other that ends elsewhere.
const LEAD_LEAST: f32 = 0.1;
/// How well a value in the last sentence has to fit the type that is asked for.
const FIT_LEAST: f32 = 0.7;
/// The same of times and amounts, which may be told in words: "once a week".
const AMOUNT_FIT_LEAST: f32 = 0.3;
/// How much likelier than any other of the sentence a value has to be to be the answer by itself, as a difference of
/// scores.
const SCORE_LEAD_LEAST: f32 = 0.7;
/// How much of the weight of a word counts that another sentence of a passage on the way says.
const NEARBY: f32 = 0.5;

/// A way to an answer.
#[derive(Clone, Debug)]
pub(super) struct Derivation {
    /// The sentences, that of the answer first, each led to by the next.
    pub(super) pieces: Vec<usize>,
    /// How much of what the question gives they say.
    cover: f32,
}

/// What is known of a passage.
#[derive(Clone, Debug, Default)]
struct Around {
    /// What it says, wherever.
    said: Said,
    /// The sentences of passages about other things that name what it is about, if the question does not.
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
        // The word that a passage begins with may be that of another thing: "Project Larch …". A section is called by
        // what it tells of a thing, so only a whole document is one that others name.
        let title = &reading.pages[page].title;
        let is_titled = !title.is_empty() && !title.contains(TITLE_SEPARATOR);
        if is_titled && subject.len() > 2 && !says(&reading.asked, subject) {
            let names = |at: &usize| {
                let piece = &reading.pieces[*at];
                reading.subject(piece.source) != subject && says(&piece.lower, subject)
            };
            around.named_by = (0..reading.pieces.len()).filter(names).collect();
        }
    }
    pages
}

/// How many words a question has to have that leads from one thing to another.
const ASKED_LEAST: usize = 4;

/// The only way on which everything is said, if there is one. How something is done, and which setting does something, is
/// told in one place; a question of a few words ("What is the leave policy?") names its thing and describes none.
pub(super) fn derived(reading: &Reading, candidates: &[(f32, Candidate)]) -> Option<Derivation> {
    let is_told_in_one_place = reading.form.asks == Asks::Way || asks_program_name(&reading.form);
    if is_told_in_one_place || reading.wanted.len() < ASKED_LEAST {
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
    (!ways.any(|way| is_rival(&way)) && best.pieces.len() > 1).then_some(best)
}

/// Whether a sentence may be the last: it says the relation that is asked for, or the first or last word of it; nothing
/// speaks against it; and it has a value of the type that is asked for.
fn may_end(reading: &Reading, candidates: &[(f32, Candidate)], at: usize) -> bool {
    let piece = &reading.pieces[at];
    let relation = if reading.has_role(Role::Outer) { Role::Outer } else { Role::Kind };
    let bits = || {
        let of_relation = reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == relation);
        of_relation.map(|(bit, _)| bit)
    };
    // "Which antidote *reverses* the preferred anticoagulant": the way to the sentence says the rest.
    let says_verb = || {
        let mut ends = bits().next().into_iter().chain(bits().next_back());
        relation == Role::Outer && ends.any(|bit| piece.said.exact >> bit & 1 == 1)
    };
    let says_relation = reading.has_role(relation) && (bits().all(|bit| has(piece.said, bit)) || says_verb());
    let has_value = match reading.form.asks {
        Asks::Thing => says_kind(reading, at),
        Asks::Person if says_agent(piece) => true,
        Asks::Quantity if asks_how_often(reading) => says_how_often(piece),
        asks => !is_typed(asks) || values(reading, candidates, at).next().is_some(),
    };
    says_relation
        && has_value
        && piece.unit.kind != UnitKind::Code
        && of_sentence(reading, at, is_typed(reading.form.asks)).is_none()
}

fn asks_how_often(reading: &Reading) -> bool {
    reading.form.words.windows(2).any(|pair| pair[0].lower == "how" && pair[1].lower == "often")
}

/// Whether a sentence says how often something is: "once a week", "every nine weeks", "daily".
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

/// Whether a sentence says by whom something is done, even if that is no name: "by the night warden".
fn says_agent(piece: &Piece) -> bool {
    let by = piece.words.iter().position(|word| word.lower == "by");
    by.is_some_and(|by| {
        let agent = piece.words[by + 1..].iter().take(3).find(|word| !word.is_function);
        agent.is_some_and(|agent| !agent.is_numeric())
    })
}

/// The values of a sentence that are of the type asked for, the likeliest first.
fn values<'c>(
    reading: &Reading,
    candidates: &'c [(f32, Candidate)],
    at: usize,
) -> impl Iterator<Item = &'c (f32, Candidate)> {
    let asks = reading.form.asks;
    let is_amount = matches!(asks, Asks::Date | Asks::Quantity);
    let fit_least = if is_amount { AMOUNT_FIT_LEAST } else { FIT_LEAST };
    candidates.iter().filter(move |(_, candidate)| {
        // "Indian" is no place, though it tells of a country.
        let is_place = asks != Asks::Place
            || country(&candidate.text).is_none_or(|country| country.eq_ignore_ascii_case(&candidate.text));
        candidate.piece == at
            && !matches!(candidate.kind, Kind::Sentence | Kind::Subject)
            && candidate.fit >= fit_least
            && is_place
            && matches!(of_value(reading, candidate), None | Some(Objection::Unknown | Objection::OtherThing))
    })
}

/// The value of a sentence that is the answer by itself, if one is ahead of all others.
pub(super) fn value<'c>(
    reading: &Reading,
    candidates: &'c [(f32, Candidate)],
    at: usize,
) -> Option<&'c Candidate> {
    if !is_typed(reading.form.asks) {
        return None;
    }
    let mut values = values(reading, candidates, at);
    let (score, best) = values.next()?;
    let is_part = |other: &Candidate| overlap(&best.range, &other.range);
    let is_ahead = values.all(|(other, value)| is_part(value) || other + SCORE_LEAD_LEAST <= *score);
    is_ahead.then_some(best)
}

/// Whether the kind of thing that is asked for is said by a sentence, its headings, or a passage about something that it
/// names.
fn says_kind(reading: &Reading, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let is_about = |other: &Piece| {
        let subject = reading.subject(other.source);
        other.source != piece.source && subject.len() > 2 && says(&piece.lower, subject)
    };
    reading.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role == Role::Kind).all(|(bit, wanted)| {
        has(around(piece), bit)
            || is_colour_kind(&reading.form.words[wanted.word].lower) && says_colour(&piece.words)
            || reading.pieces.iter().any(|other| is_about(other) && has(around(other), bit))
    })
}

fn has(said: Said, bit: usize) -> bool {
    (said.exact | said.near) >> bit & 1 == 1
}

/// Follows ways back from a sentence.
struct Search<'r> {
    reading: &'r Reading,
    pages: &'r [Around],
    /// The sentences so far, that of the answer first.
    pieces: Vec<usize>,
    best: Option<Derivation>,
    /// How many sentences have been looked at.
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

    /// The share of what the question gives that is said: of all words but those for the kind of the answer.
    fn cover(&self, said: Said) -> f32 {
        let said = Said { exact: said.exact | said.near, near: 0 };
        let pages = self.pieces.iter().map(|at| self.reading.pieces[*at].source);
        let nearby = pages.map(|page| self.pages[page].said).fold(said, Said::and);
        let share = |said| self.reading.share(said, |wanted| wanted.role != Role::Kind);
        let alone = share(said);
        alone + NEARBY * (share(nearby) - alone)
    }

    /// Whether enough is said, and each name, figure and word of the relation of the question.
    fn is_complete(&self, said: Said) -> bool {
        let is_thing = |wanted: &super::reading::Wanted| {
            matches!(wanted.role, Role::Name | Role::Outer)
                || self.reading.form.words[wanted.word].is_numeric()
        };
        self.cover(said) >= COVER_LEAST
            && self.reading.wanted.iter().enumerate().all(|(bit, wanted)| !is_thing(wanted) || has(said, bit))
    }
}

/// What a sentence says with its title and headings.
fn around(piece: &Piece) -> Said {
    piece.own.and(piece.above)
}
