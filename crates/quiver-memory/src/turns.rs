//! Ranks turns for a question by their words, the neighbouring turns, their speaker and their date.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quiver_graph::{Passage, PassageId};
use quiver_language::{
    recall::{Recall, says},
    text::collapse_spaces,
    word::{irregular_forms, related, verbs},
};
use quiver_models::Lexical;

use crate::{
    asked::{Step, Steps, steps, subject},
    calendar,
    when::Range,
};

/// BM25's k1: how quickly repetitions of a word saturate.
const SATURATION: f32 = 1.2;
/// BM25's b: how strongly long turns are penalised. It is small because turns are short and longer ones contain more
/// information.
const LENGTH_SHARE: f32 = 0.1;
/// The reference length of a turn in words.
const LENGTH: f32 = 20.0;
/// Weight of words in the adjacent turns, and in those one further away.
const BESIDE: f32 = 0.2;
const NEAR: f32 = 0.1;
/// Weight of words in a preceding question, which the turn probably answers.
const ASKED_BEFORE: f32 = 0.8;
/// Factor for a turn that asks a question and so seldom answers one.
const ASKS: f32 = 0.8;
/// Bonus for a turn inside the time range of the question, as a share of the question's total IDF.
const IN_RANGE: f32 = 0.35;
/// Share of semantic similarity in the score, if there is an embedder.
const MEANING_SHARE: f32 = 0.5;
/// Weight of the semantic similarity of the adjacent turns, and of those one further away: half of that of words.
const BESIDE_MEANING: f32 = 0.5 * BESIDE;
const NEAR_MEANING: f32 = 0.5 * NEAR;
/// Weight of the semantic similarity of a preceding question.
const ASKED_MEANING: f32 = 0.2;
/// Factor for the semantic similarity of a turn by somebody else than the person asked about.
const OTHERS_MEANING: f32 = 0.8;

/// Position to which the turn with the best plain BM25 score is moved if the turns before it cover little of
/// the question.
const PLAIN_PLACE: usize = 2;

/// Nothing is recalled if the coverage by turns of other people exceeds that of the person asked about by
/// this factor.
const RIVAL: f32 = 1.2;
/// Minimum share of the question, weighted by IDF, that a turn has to cover.
const COVERAGE_MIN: f32 = 0.2;
/// Weight of words in a preceding question when computing a turn's coverage.
const ANSWERS: f32 = 0.8;

/// Returns the text that a turn is indexed by: its speaker, its date in words, and its text.
pub fn index_text(turn: &Passage) -> String {
    let speaker = turn.speaker.as_deref().unwrap_or_default();
    let date = turn.time.map(calendar::in_words).unwrap_or_default();
    format!("{speaker} {date} {}", turn.text)
}

/// Returns the text to search turns with: the question with the other forms of its irregular verbs, which have stems of
/// their own.
pub fn search_text(question: &str, lexical: &Lexical) -> String {
    let forms = lexical.terms(question).into_iter().filter(|term| !term.is_stop);
    let forms = forms.flat_map(|term| irregular_forms(&question[term.start..term.end].to_lowercase()));
    std::iter::once(question).chain(forms).collect::<Vec<_>>().join(" ")
}

/// Returns the question without the names of the speakers of these turns; `None` if it names none of them, or nothing
/// else. Speakers seldom say their own name, so that an embedder finds turns about them rather than turns by them.
pub fn without_speakers(question: &str, turns: &[Passage], lexical: &Lexical) -> Option<String> {
    let content = |text: &str| lexical.terms(text).into_iter().filter(|term| !term.is_stop);
    let names: BTreeSet<&str> = turns.iter().filter_map(|turn| turn.speaker.as_deref()).collect();
    let names: BTreeSet<u32> = names.into_iter().flat_map(content).map(|term| term.hash).collect();
    let (named, others): (Vec<_>, Vec<_>) = content(question).partition(|term| names.contains(&term.hash));
    if named.is_empty() || others.is_empty() {
        return None;
    }
    let mut kept = String::new();
    let mut at = 0;
    for name in named {
        kept.push_str(question.get(at..name.start).unwrap_or_default());
        let rest = &question[name.end..];
        let possessive = ["'s", "’s"].into_iter().find(|ending| rest.starts_with(ending));
        at = at.max(name.end + possessive.map_or(0, str::len));
    }
    kept.push_str(&question[at..]);
    Some(collapse_spaces(&kept))
}

/// A question about turns.
pub struct TurnQuery<'a> {
    /// The question.
    pub text: &'a str,
    /// Splits texts into terms.
    pub lexical: &'a Lexical,
    /// Returns the IDF of a term.
    pub rarity: &'a dyn Fn(u32) -> f32,
    /// The time range that the question asks about.
    pub range: Option<Range>,
    /// The semantic similarity of turns to the question; empty without an embedder. Other turns count as the least
    /// similar of these.
    pub meaning: &'a BTreeMap<PassageId, f32>,
}

/// The indexed terms of a turn.
struct Said {
    words: HashMap<u32, f32>,
    length: f32,
    speaker: Vec<u32>,
    date: Vec<u32>,
    asks: bool,
}

/// Why no turn is recalled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoTurn {
    /// No turn covers enough of the question.
    NotCovered {
        /// The words of the question that no turn contains: only the names, if there are any. If there are no turns,
        /// all words.
        missing: Vec<String>,
    },
    /// The matching turns are about somebody else.
    OfOthers {
        /// The person asked about.
        person: String,
    },
}

/// Turns ranked for a question.
#[non_exhaustive]
pub struct Ranking {
    /// The turns with their scores, the best first; ties are broken by id.
    pub turns: Vec<(Passage, f32)>,
    /// The maximum share of the question's words, weighted by IDF, that one turn covers.
    pub coverage: f32,
    /// Why no turn should be shown; `None` if turns should be.
    pub none: Option<NoTurn>,
}

/// A word of the question.
struct Asked {
    /// The hash of the word and, if it is an irregular verb, those of its other forms.
    hashes: Vec<u32>,
    written: String,
    weight: f32,
    is_name: bool,
    /// Whether it follows a preposition after which somebody is not whom the question is about: "before *Owen*".
    is_aside: bool,
}

impl Asked {
    fn is_in(&self, terms: &[u32]) -> bool {
        self.hashes.iter().any(|hash| terms.contains(hash))
    }

    /// How often a turn says the word.
    fn count_in(&self, said: &Said) -> f32 {
        self.hashes.iter().filter_map(|hash| said.words.get(hash)).sum()
    }
}

impl TurnQuery<'_> {
    /// Ranks turns. Include the neighbouring turns in the input; they are ranked too.
    pub fn rank(&self, turns: Vec<Passage>) -> Ranking {
        let turns: Vec<Passage> =
            turns.into_iter().map(|turn| (turn.id, turn)).collect::<BTreeMap<_, _>>().into_values().collect();
        let asked = self.asked();
        let said: Vec<Said> = turns.iter().map(|turn| self.said(turn)).collect();
        let around = around(&turns);
        let all: f32 = asked.iter().map(|word| word.weight).sum();
        let meaning = self.meaning(&asked, &turns, &said, &around);
        let words: Vec<f32> = (0..turns.len()).map(|at| score(&asked, &said, &around[at], at)).collect();
        let best_words = words.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let mut ranked: Vec<(usize, f32)> = words
            .iter()
            .enumerate()
            .map(|(at, words)| {
                let mut score = words / best_words;
                if let Some(meaning) = &meaning {
                    score = (1.0 - MEANING_SHARE) * score + MEANING_SHARE * meaning[at];
                }
                let in_range = self.range.zip(turns[at].time).is_some_and(|(range, time)| range.has(time));
                (at, score + if in_range && score > 0.0 { IN_RANGE * all / best_words } else { 0.0 })
            })
            .filter(|(_, score)| *score > 0.0)
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(turns[a.0].id.cmp(&turns[b.0].id)));
        keep_plain(&mut ranked, &asked, &said);
        let unsaid = || self.unsaid(&turns, &said);
        let (coverage, none) = no_turn(&asked, &turns, &said, &around, unsaid);
        let ranked = ranked.into_iter().map(|(at, score)| (turns[at].clone(), score)).collect();
        Ranking { turns: ranked, coverage, none }
    }

    /// Returns the semantic similarity of each turn and its neighbours to the question, as a share of the best; `None`
    /// without an embedder.
    fn meaning(
        &self,
        asked: &[Asked],
        turns: &[Passage],
        said: &[Said],
        around: &[Around],
    ) -> Option<Vec<f32>> {
        let found = |turn: &Passage| self.meaning.get(&turn.id).copied();
        // A turn that the semantic search did not return is at most as similar as its last result.
        let least = self.meaning.values().copied().reduce(f32::min)?;
        let own: Vec<f32> = turns.iter().map(|turn| found(turn).unwrap_or(least)).collect();
        let is_by = |word: &Asked, said: &Said| word.is_in(&said.speaker);
        let people: Vec<&Asked> =
            asked.iter().filter(|word| said.iter().any(|said| is_by(word, said))).collect();
        let of = |turn: Option<usize>| turn.map_or(0.0, |turn| own[turn]);
        let mut meaning: Vec<f32> = Vec::with_capacity(turns.len());
        for (at, around) in around.iter().enumerate() {
            let asks = around.before[0].is_some_and(|turn| said[turn].asks);
            let before = if asks { ASKED_MEANING } else { BESIDE_MEANING };
            let beside = before * of(around.before[0]) + BESIDE_MEANING * of(around.after[0]);
            let near = NEAR_MEANING * (of(around.before[1]) + of(around.after[1]));
            let is_other = !people.is_empty() && !people.iter().any(|person| is_by(person, &said[at]));
            let factor = if is_other { OTHERS_MEANING } else { 1.0 };
            meaning.push(factor * (own[at] + beside + near));
        }
        let best = meaning.iter().copied().fold(0.0, f32::max);
        (best > 0.0).then(|| meaning.iter().map(|meaning| meaning / best).collect())
    }

    /// Returns the distinct content words of the question.
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
            let forms = irregular_forms(&written.to_lowercase()).into_iter();
            let others = forms.filter_map(|form| Some(self.lexical.terms(form).first()?.hash));
            let hashes: Vec<u32> = std::iter::once(term.hash).chain(others).collect();
            let weight = hashes.iter().map(|hash| (self.rarity)(*hash)).fold(f32::INFINITY, f32::min);
            let before = self.text[..term.start].split_whitespace().next_back().unwrap_or_default();
            let is_aside = says(before, Recall::Aside);
            Asked { hashes, written: written.to_owned(), weight, is_name, is_aside }
        })
        .filter(|word| word.weight > 0.0)
        .collect()
    }

    /// What the question asks for that no turn speaks of: the thing, or for "we" the kind of thing; or the verb, in any
    /// form or a related one, unless the kind of thing asked for is said. Nobody "drives the ambulances" where no turn
    /// speaks of driving.
    fn unsaid(&self, turns: &[Passage], said: &[Said]) -> Option<String> {
        let is_word_said = |hash: &u32| said.iter().any(|said| said.words.contains_key(hash));
        let is_said = |thing: &String| {
            let terms = self.lexical.terms(thing).into_iter().filter(|term| !term.is_stop);
            let words: Vec<u32> = terms.map(|term| term.hash).collect();
            words.is_empty() || words.iter().any(is_word_said)
        };
        let Some(Steps { steps, from, kind, .. }) = steps(self.text) else {
            return subject(self.text).filter(|thing| !is_said(thing));
        };
        let is_pronoun = matches!(&*from.to_lowercase(), "we" | "i" | "you" | "they" | "it" | "he" | "she");
        let thing = if is_pronoun { kind.clone() } else { Some(from) };
        if let Some(thing) = thing.filter(|thing| !is_said(thing)) {
            return Some(thing);
        }
        if kind.as_ref().is_some_and(is_said) {
            return None;
        }
        // "From whom do we buy our *strings*?"
        if let Some(noun) = steps.iter().find_map(Step::noun).filter(|noun| !is_said(noun)) {
            return Some(noun);
        }
        let verb = deed(self.text, steps.last()?.verb());
        if verb == "be" {
            return None;
        }
        let stems =
            |word: &str| self.lexical.terms(word).into_iter().map(|term| term.hash).collect::<Vec<u32>>();
        let forms = [verb.clone(), format!("{verb}r"), format!("{verb}er"), format!("{verb}or")];
        let mut asked: Vec<u32> = forms.iter().flat_map(|form| stems(form)).collect();
        asked.extend(irregular_forms(&verb).into_iter().flat_map(stems));
        if asked.iter().any(is_word_said) {
            return None;
        }
        let groups = related(&verb);
        let says = |turn: &Passage| {
            self.lexical.terms(&turn.text).into_iter().any(|term| {
                let written = turn.text[term.start..term.end].to_lowercase();
                asked.contains(&term.hash)
                    || verbs(&written).any(|base| base == verb || related(base) & groups != 0)
                    || related(&written) & groups != 0
            })
        };
        (!turns.iter().any(says)).then_some(verb)
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

/// Returns what is done according to a question with this verb: the infinitive that it governs, if there is one. "Who was
/// *asked* to write the letter?" is about writing.
fn deed(question: &str, verb: &str) -> String {
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let governed = words.windows(3).find(|run| run[1] == "to" && verbs(run[0]).any(|base| base == verb));
    governed.and_then(|run| verbs(run[2]).next()).unwrap_or(verb).to_owned()
}

/// The two turns before and the two turns after a turn, the nearest first.
#[derive(Clone, Copy, Default)]
struct Around {
    before: [Option<usize>; 2],
    after: [Option<usize>; 2],
}

/// Positions above this are hashes, not sequence numbers.
const NUMBERED_MAX: u64 = 1 << 32;

/// Maximum time in milliseconds between neighbouring turns of a session without sequence numbers.
const TOGETHER: i64 = 600_000;

/// Finds the neighbours of each turn by sequence number, or by time if the turns of a session have no numbers.
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

/// Scores a turn by its own words only.
fn plain(asked: &[Asked], said: &Said) -> f32 {
    asked.iter().map(|word| word.weight * saturated(word.count_in(said), said.length)).sum()
}

/// BM25's saturation for a word that occurs `count` times in a turn of this length.
fn saturated(count: f32, length: f32) -> f32 {
    let slowed = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length / LENGTH);
    count * (SATURATION + 1.0) / (count + slowed)
}

/// Scores a turn together with its neighbours.
fn score(asked: &[Asked], said: &[Said], around: &Around, at: usize) -> f32 {
    let own = &said[at];
    let of = |turn: Option<usize>, word: &Asked| turn.map_or(0.0, |turn| word.count_in(&said[turn]));
    let before = around.before[0].map_or(0.0, |turn| if said[turn].asks { ASKED_BEFORE } else { BESIDE });
    let mut score = 0.0;
    for word in asked {
        let mut count = word.count_in(own);
        count += f32::from(u8::from(word.is_in(&own.speaker)));
        count += f32::from(u8::from(word.is_in(&own.date)));
        count += before * of(around.before[0], word) + BESIDE * of(around.after[0], word);
        count += NEAR * (of(around.before[1], word) + of(around.after[1], word));
        score += word.weight * saturated(count, own.length);
    }
    if own.asks { ASKS * score } else { score }
}

/// Moves the turn with the best plain score to [`PLAIN_PLACE`], if the turns before it score less than half
/// as much and rank higher only because of their date, speaker or neighbours.
fn keep_plain(ranked: &mut [(usize, f32)], asked: &[Asked], said: &[Said]) {
    let plain: Vec<f32> = ranked.iter().map(|(turn, _)| plain(asked, &said[*turn])).collect();
    let best = (0..plain.len()).max_by(|a, b| plain[*a].total_cmp(&plain[*b]).then(b.cmp(a)));
    let Some(best) = best.filter(|best| *best >= PLAIN_PLACE) else { return };
    if plain[..PLAIN_PLACE].iter().all(|before| 2.0 * before < plain[best]) {
        ranked[PLAIN_PLACE - 1..=best].rotate_right(1);
    }
}

/// Computes the coverage of the question and the reason to recall nothing, if there is one. If the question names a
/// person, the matching turn must be by or about that person: what Bo bought does not answer "What did Ada buy?".
fn no_turn(
    asked: &[Asked],
    turns: &[Passage],
    said: &[Said],
    around: &[Around],
    unsaid: impl FnOnce() -> Option<String>,
) -> (f32, Option<NoTurn>) {
    let speakers: BTreeSet<u32> = said.iter().flat_map(|said| &said.speaker).copied().collect();
    let is_speaker = |word: &&Asked| word.hashes.iter().any(|hash| speakers.contains(hash));
    let (people, content): (Vec<&Asked>, Vec<&Asked>) = asked.iter().partition(is_speaker);
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
    let known = |word: &Asked| said.iter().any(|said| word.count_in(said) > 0.0 || word.is_in(&said.date));
    let missing: Vec<String> =
        content.iter().filter(|word| !known(word)).map(|word| word.written.clone()).collect();
    let (mut own, mut others): (f32, f32) = (0.0, 0.0);
    for at in 0..turns.len() {
        let answers = around[at].before[0].filter(|before| said[*before].asks);
        let covers = |word: &Asked| {
            if word.count_in(&said[at]) > 0.0 || word.is_in(&said[at].date) {
                1.0
            } else if answers.is_some_and(|before| word.count_in(&said[before]) > 0.0) {
                ANSWERS
            } else {
                0.0
            }
        };
        let covered = content.iter().map(|word| word.weight * covers(word)).sum::<f32>() / all;
        let is_own = people.iter().any(|person| {
            person.is_in(&said[at].speaker)
                || (person.count_in(&said[at]) > 0.0 && speaks_of(&turns[at].text, &person.written))
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
    if people.is_empty()
        && let Some(unsaid) = unsaid()
    {
        return (coverage, Some(NoTurn::NotCovered { missing: vec![unsaid] }));
    }
    if coverage < COVERAGE_MIN {
        return (coverage, Some(NoTurn::NotCovered { missing }));
    }
    match people.as_slice() {
        [person] if others > RIVAL * own && !person.is_aside => {
            (coverage, Some(NoTurn::OfOthers { person: person.written.clone() }))
        }
        _ => (coverage, None),
    }
}

/// Returns whether a text is about somebody, rather than just addressing them: "Thanks, Ada!" is not about
/// Ada.
fn speaks_of(text: &str, name: &str) -> bool {
    let name = name.trim_end_matches("'s").trim_end_matches("’s");
    let parts = [',', '!', '.', '?'];
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end();
        let begins = before.is_empty() || before.ends_with(parts);
        let sentence = before.rsplit(parts).next().unwrap_or_default();
        // "Thanks Ada!", "Good point, Ada."
        let is_greeting = begins || sentence.split_whitespace().count() <= 1;
        let is_parted = text[at + name.len()..].chars().next().is_none_or(|after| parts.contains(&after));
        !(is_parted && is_greeting)
    })
}

#[cfg(test)]
mod tests;
