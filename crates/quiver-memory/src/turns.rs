//! Ranking turns for a question: by their own words, the words around them, their speaker and their date.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quiver_graph::{Passage, PassageId};
use quiver_models::Lexical;

use crate::{calendar, when::Range};

/// How fast a word that is said again counts less, as in BM25.
const SATURATION: f32 = 1.2;
/// How much the length of a turn counts. Turns are short, and a long one says more, so next to nothing.
const LENGTH_SHARE: f32 = 0.1;
/// How many words a turn of ordinary length has.
const LENGTH: f32 = 20.0;
/// How much the words of the turns beside a turn count, and of those one further.
const BESIDE: f32 = 0.4;
const NEAR: f32 = 0.2;
/// How much the words of a question count for the turn after it, which answers it.
const ASKED_BEFORE: f32 = 0.8;
/// How much it counts, as a share of all that a turn could score, that it was said in the time asked about.
const IN_RANGE: f32 = 0.35;
/// How much of a score the meaning gives, where there is a model.
const MEANING_SHARE: f32 = 0.5;

/// How much better what somebody else said may speak of the question than what the person asked about said.
const RIVAL: f32 = 1.2;
/// The share of the question that a turn has to say, weighed by rarity, for anything to be recalled.
const COVERAGE_MIN: f32 = 0.2;
/// How much the words of a question before a turn count for what the turn says.
const ANSWERS: f32 = 0.8;

/// The text by which a turn is found: who said it, when in words, and what.
pub fn index_text(turn: &Passage) -> String {
    let speaker = turn.speaker.as_deref().unwrap_or_default();
    let date = turn.time.map(calendar::in_words).unwrap_or_default();
    format!("{speaker} {date} {}", turn.text)
}

/// A question to the turns.
pub struct TurnQuery<'a> {
    /// The question.
    pub text: &'a str,
    /// Cuts texts into terms.
    pub lexical: &'a Lexical,
    /// How rare a term is.
    pub rarity: &'a dyn Fn(u32) -> f32,
    /// When what is asked about was said.
    pub range: Option<Range>,
    /// How near turns are by their meaning, where there is a model.
    pub meaning: &'a BTreeMap<PassageId, f32>,
}

/// What a turn says.
struct Said {
    words: HashMap<u32, f32>,
    length: f32,
    speaker: Vec<u32>,
    date: Vec<u32>,
    asks: bool,
}

/// Why no turn is recalled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTurn {
    /// No turn says enough of the question.
    NotCovered {
        /// The words that no turn says, or all.
        missing: Vec<String>,
    },
    /// What was said of it was said of somebody else.
    OfOthers {
        /// The person asked about.
        person: String,
    },
}

/// Turns ranked for a question.
pub struct Ranking {
    /// The turns with their scores, the best first; equal ones by id.
    pub turns: Vec<(Passage, f32)>,
    /// The share of the question's words, weighed by rarity, that the turn which says most of them says.
    pub coverage: f32,
    /// Why none should be shown.
    pub none: Option<NoTurn>,
}

/// A word of the question.
struct Asked {
    hash: u32,
    written: String,
    weight: f32,
    is_name: bool,
}

impl TurnQuery<'_> {
    /// Ranks turns. They should come with the turns around them, which are ranked too.
    pub fn rank(&self, turns: Vec<Passage>) -> Ranking {
        let turns: Vec<Passage> =
            turns.into_iter().map(|turn| (turn.id, turn)).collect::<BTreeMap<_, _>>().into_values().collect();
        let asked = self.asked();
        let said: Vec<Said> = turns.iter().map(|turn| self.said(turn)).collect();
        let around = around(&turns);
        let all: f32 = asked.iter().map(|word| word.weight).sum();
        let best_meaning =
            turns.iter().filter_map(|turn| self.meaning.get(&turn.id)).fold(0.0, |a: f32, b| a.max(*b));
        let words: Vec<f32> = (0..turns.len()).map(|at| score(&asked, &said, &around[at], at)).collect();
        let best_words = words.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let mut ranked: Vec<(usize, f32)> = words
            .iter()
            .enumerate()
            .map(|(at, words)| {
                let mut score = words / best_words;
                if best_meaning > 0.0 {
                    let meaning = self.meaning.get(&turns[at].id).copied().unwrap_or_default();
                    score = (1.0 - MEANING_SHARE) * score + MEANING_SHARE * meaning / best_meaning;
                }
                let in_range = self.range.zip(turns[at].time).is_some_and(|(range, time)| range.has(time));
                (at, score + if in_range && score > 0.0 { IN_RANGE * all / best_words } else { 0.0 })
            })
            .filter(|(_, score)| *score > 0.0)
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(turns[a.0].id.cmp(&turns[b.0].id)));
        let (coverage, none) = no_turn(&asked, &turns, &said, &around);
        let ranked = ranked.into_iter().map(|(at, score)| (turns[at].clone(), score)).collect();
        Ranking { turns: ranked, coverage, none }
    }

    /// The words of the question that say something, each once.
    fn asked(&self) -> Vec<Asked> {
        let mut seen = BTreeSet::new();
        let terms = self.lexical.terms(self.text);
        let first = terms.first().map_or(0, |term| term.start);
        let only_stops = terms.iter().all(|term| term.is_stop);
        let said = terms.into_iter().filter(|term| (only_stops || !term.is_stop) && seen.insert(term.hash));
        said.map(|term| {
            let written = &self.text[term.start..term.end];
            let is_name =
                term.start > first && written.contains(|c: char| c.is_uppercase() || c.is_numeric());
            Asked { hash: term.hash, written: written.to_owned(), weight: (self.rarity)(term.hash), is_name }
        })
        .filter(|word| word.weight > 0.0)
        .collect()
    }

    fn said(&self, turn: &Passage) -> Said {
        let terms = |text: &str| -> Vec<u32> {
            self.lexical.terms(text).into_iter().filter(|term| !term.is_stop).map(|term| term.hash).collect()
        };
        let body = terms(&turn.text);
        let length = body.len() as f32;
        let mut words = HashMap::new();
        for term in body {
            *words.entry(term).or_insert(0.0) += 1.0;
        }
        Said {
            words,
            length,
            speaker: turn.speaker.as_deref().map(terms).unwrap_or_default(),
            date: turn.time.map(|time| terms(&calendar::in_words(time))).unwrap_or_default(),
            asks: turn.text.trim_end().ends_with(['?', '？']),
        }
    }
}

/// The turns around one: the two before it, the two after it, the nearest first.
#[derive(Clone, Copy, Default)]
struct Around {
    before: [Option<usize>; 2],
    after: [Option<usize>; 2],
}

/// Positions beyond this are no numbers in order but digests of what was said.
const NUMBERED_MAX: u64 = 1 << 32;

/// How long after a turn another one of the same session still belongs to it, where turns have no numbers.
const TOGETHER: i64 = 600_000;

/// Finds what stands around each turn, by numbers where the turns of a session have them, else by time.
fn around(turns: &[Passage]) -> Vec<Around> {
    let mut by_session: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, turn) in turns.iter().enumerate() {
        by_session.entry(turn.session.as_deref().unwrap_or_default()).or_default().push(at);
    }
    let mut around = vec![Around::default(); turns.len()];
    for mut order in by_session.into_values() {
        order.sort_by_key(|at| {
            let turn = &turns[*at];
            let by_time = if turn.position < NUMBERED_MAX { None } else { turn.time };
            (turn.position >= NUMBERED_MAX, by_time, turn.position)
        });
        for (place, at) in order.iter().enumerate() {
            for distance in 1..=2 {
                let Some(next) = order.get(place + distance) else { continue };
                let (one, other) = (&turns[*at], &turns[*next]);
                let together = if one.position < NUMBERED_MAX {
                    other.position - one.position == distance as u64
                } else {
                    one.time.zip(other.time).is_some_and(|(one, other)| other - one <= TOGETHER)
                };
                if together {
                    around[*at].after[distance - 1] = Some(*next);
                    around[*next].before[distance - 1] = Some(*at);
                }
            }
        }
    }
    around
}

/// How much of the question a turn and those around it say.
fn score(asked: &[Asked], said: &[Said], around: &Around, at: usize) -> f32 {
    let own = &said[at];
    let of = |turn: Option<usize>, word: u32| {
        turn.map_or(0.0, |turn| said[turn].words.get(&word).copied().unwrap_or(0.0))
    };
    let before = around.before[0].map_or(0.0, |turn| if said[turn].asks { ASKED_BEFORE } else { BESIDE });
    let slowed = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * own.length / LENGTH);
    let mut score = 0.0;
    for Asked { hash, weight, .. } in asked {
        let mut count = own.words.get(hash).copied().unwrap_or(0.0);
        count += f32::from(u8::from(own.speaker.contains(hash)));
        count += f32::from(u8::from(own.date.contains(hash)));
        count += before * of(around.before[0], *hash) + BESIDE * of(around.after[0], *hash);
        count += NEAR * (of(around.before[1], *hash) + of(around.after[1], *hash));
        score += weight * count * (SATURATION + 1.0) / (count + slowed);
    }
    score
}

/// How much of the question is said, and why nothing should be recalled, if so. Somebody who is asked about by name
/// must have said it, or it must be said of them: "What did Ada buy?" is not answered by what Bo bought.
fn no_turn(asked: &[Asked], turns: &[Passage], said: &[Said], around: &[Around]) -> (f32, Option<NoTurn>) {
    let speakers: BTreeSet<u32> = said.iter().flat_map(|said| &said.speaker).copied().collect();
    let people: Vec<&Asked> = asked.iter().filter(|word| speakers.contains(&word.hash)).collect();
    let content: Vec<&Asked> = asked.iter().filter(|word| !speakers.contains(&word.hash)).collect();
    let all: f32 = content.iter().map(|word| word.weight).sum();
    if turns.is_empty() || (content.is_empty() && people.is_empty()) {
        return (
            0.0,
            Some(NoTurn::NotCovered { missing: asked.iter().map(|word| word.written.clone()).collect() }),
        );
    }
    if content.is_empty() {
        return (1.0, None);
    }
    let known = |word: &Asked| {
        said.iter().any(|said| said.words.contains_key(&word.hash) || said.date.contains(&word.hash))
    };
    let missing: Vec<String> =
        content.iter().filter(|word| !known(word)).map(|word| word.written.clone()).collect();
    let (mut own, mut others): (f32, f32) = (0.0, 0.0);
    for at in 0..turns.len() {
        let answers = around[at].before[0].filter(|before| said[*before].asks);
        let covers = |word: &Asked| {
            if said[at].words.contains_key(&word.hash) || said[at].date.contains(&word.hash) {
                1.0
            } else if answers.is_some_and(|before| said[before].words.contains_key(&word.hash)) {
                ANSWERS
            } else {
                0.0
            }
        };
        let covered = content.iter().map(|word| word.weight * covers(word)).sum::<f32>() / all;
        let is_own = people.iter().any(|person| {
            said[at].speaker.contains(&person.hash)
                || (said[at].words.contains_key(&person.hash) && speaks_of(&turns[at].text, &person.written))
        });
        let side = if is_own || people.is_empty() { &mut own } else { &mut others };
        *side = side.max(covered);
    }
    let coverage = if people.is_empty() { own } else { own.max(others) };
    let absent: Vec<String> =
        content.iter().filter(|word| word.is_name && !known(word)).map(|word| word.written.clone()).collect();
    if !absent.is_empty() {
        return (coverage, Some(NoTurn::NotCovered { missing: absent }));
    }
    if coverage < COVERAGE_MIN {
        return (coverage, Some(NoTurn::NotCovered { missing }));
    }
    match people.as_slice() {
        [person] if others > RIVAL * own => {
            (coverage, Some(NoTurn::OfOthers { person: person.written.clone() }))
        }
        _ => (coverage, None),
    }
}

/// Whether a text speaks of somebody, and does not only call them: "Thanks, Ada!" says nothing of Ada.
fn speaks_of(text: &str, name: &str) -> bool {
    let name = name.trim_end_matches("'s").trim_end_matches("’s");
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end();
        let after = text[at + name.len()..].chars().next();
        !before.is_empty()
            && !before.ends_with([',', '!', '.', '?'])
            && !matches!(after, None | Some(',' | '!' | '.' | '?'))
    })
}

#[cfg(test)]
mod tests;
