//! The three architectures: raw history, vector search, and Quiver's memory. All get the same turns.

use std::collections::BTreeMap;

use anyhow::Result;
use quiver::{
    Quiver,
    memory::{CountTokens, RecallOptions, Turn},
};

use super::{
    Graded,
    scenario::{Query, ScenarioTurn},
};

/// The time of the first turn, in milliseconds since 1970, and the duration of a turn.
const START: i64 = 1_767_225_600_000;
const TURN: i64 = 60_000;
/// Number of turns that vector search returns.
const NEAREST: usize = 3;
/// The answer of an architecture that finds none.
const UNKNOWN: &str = "UNKNOWN";

/// An answer and its context, that is, the text that a model would get with the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The answer.
    pub text: String,
    /// The context.
    pub context: String,
    /// Whether it is a clarifying question.
    pub asks: bool,
    /// Whether it is a refusal.
    pub refuses: bool,
}

impl Answered {
    fn of(text: Option<String>, context: String) -> Self {
        let refuses = text.is_none();
        Self { text: text.unwrap_or_else(|| UNKNOWN.to_owned()), context, asks: false, refuses }
    }
}

/// Returns the time of a turn.
pub fn moment(turn: u64) -> i64 {
    START + i64::try_from(turn).unwrap_or_default() * TURN
}

/// A memory architecture.
pub enum Architecture {
    /// The whole transcript, searched for keywords; the latest match wins ties.
    RawHistory(Vec<String>),
    /// Cosine similarity of TF-IDF vectors.
    Vector(Vec<String>),
    /// Quiver's memory, with facts given or read from the text.
    Memory {
        /// The engine.
        quiver: Box<Quiver>,
        /// The name of the scenario.
        session: String,
        /// Whether the facts are given to it.
        given: bool,
        /// What is graded.
        graded: Graded,
        /// Counts tokens.
        count: Option<CountTokens>,
    },
}

impl Architecture {
    /// Returns the name in records.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RawHistory(_) => "raw-history",
            Self::Vector(_) => "vector",
            Self::Memory { .. } => "memory",
        }
    }

    /// Adds a turn.
    ///
    /// # Errors
    /// Returns an error if the memory fails.
    pub async fn take_in(&mut self, turn: &ScenarioTurn) -> Result<()> {
        match self {
            Self::RawHistory(turns) | Self::Vector(turns) => {
                turns.push(format!("{}: {}", turn.speaker, turn.text));
            }
            Self::Memory { quiver, session, given, .. } => {
                let said = Turn {
                    session: session.clone(),
                    number: Some(turn.number),
                    speaker: Some(turn.speaker.clone()).filter(|speaker| !speaker.is_empty()),
                    time: Some(moment(turn.number)),
                    text: turn.text.clone(),
                    facts: given.then(|| turn.facts.clone()),
                };
                quiver.remember(vec![said]).await?;
            }
        }
        Ok(())
    }

    /// Answers a question from the turns before it. Uses only the points in time of the query.
    ///
    /// # Errors
    /// Returns an error if the memory fails.
    pub async fn answer(&self, turn: &ScenarioTurn, query: &Query) -> Result<Answered> {
        Ok(match self {
            Self::RawHistory(turns) => Answered::of(extract(turns, &turn.text), turns.join("\n")),
            Self::Vector(turns) => {
                let nearest = nearest(turns, &turn.text);
                Answered::of(nearest.first().cloned(), nearest.join("\n"))
            }
            Self::Memory { quiver, session, count, graded, .. } => {
                let options = RecallOptions {
                    session: Some(session.clone()),
                    as_of: query.as_of_turn.map(moment),
                    known_at: query.known_at_turn.map(moment),
                    count_tokens: count.clone(),
                    ..RecallOptions::default()
                };
                let recalled = quiver.recall(&turn.text).options(options).await?;
                let text = recalled.text();
                let asks = recalled.ambiguity.is_some();
                let answer = match graded {
                    Graded::Lines => Some(text.clone()).filter(|_| recalled.no_answer.is_none()),
                    Graded::Answer => {
                        let asked = recalled.ambiguity.as_ref().map(ToString::to_string);
                        recalled.answer.filter(|_| recalled.no_answer.is_none()).or(asked)
                    }
                };
                Answered { asks, ..Answered::of(answer, text) }
            }
        })
    }
}

/// Returns the keywords of a question: words of at least four letters that are not stop words.
fn keywords(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut words: Vec<String> =
        words.filter(|word| word.chars().count() >= 4).map(str::to_lowercase).collect();
    words.retain(|word| {
        !["what", "which", "where", "when", "does", "with", "from", "that", "this", "have"]
            .contains(&word.as_str())
    });
    words.sort();
    words.dedup();
    words
}

/// Returns the turn that shares the most keywords with the question, the latest of equals; this simulates a reader
/// who skims a long transcript from its end.
fn extract(turns: &[String], question: &str) -> Option<String> {
    let keywords = keywords(question);
    let shared = |turn: &String| {
        let lower = turn.to_lowercase();
        keywords.iter().filter(|word| lower.contains(word.as_str())).count()
    };
    let best = turns.iter().map(|turn| (shared(turn), turn)).filter(|(shared, _)| *shared > 0);
    best.max_by_key(|(shared, _)| *shared).map(|(_, turn)| turn.clone())
}

/// Returns the turns nearest to a question by cosine similarity of TF-IDF vectors, with the usual defaults:
/// lower-case words of at least two characters, smoothed IDF, unit vectors, fitted on turns and question.
fn nearest(turns: &[String], question: &str) -> Vec<String> {
    let texts: Vec<BTreeMap<String, f64>> =
        turns.iter().map(String::as_str).chain([question]).map(counts).collect();
    let mut rarity: BTreeMap<&str, f64> = BTreeMap::new();
    for text in &texts {
        for word in text.keys() {
            *rarity.entry(word).or_default() += 1.0;
        }
    }
    let all = texts.len() as f64;
    rarity.values_mut().for_each(|with| *with = ((1.0 + all) / (1.0 + *with)).ln() + 1.0);
    let vector = |text: &BTreeMap<String, f64>| -> BTreeMap<String, f64> {
        let weighed: BTreeMap<String, f64> =
            text.iter().map(|(word, count)| (word.clone(), count * rarity[word.as_str()])).collect();
        let length = weighed.values().map(|weight| weight * weight).sum::<f64>().sqrt().max(f64::EPSILON);
        weighed.into_iter().map(|(word, weight)| (word, weight / length)).collect()
    };
    let asked = vector(&texts[turns.len()]);
    let mut found: Vec<(f64, usize)> = (0..turns.len())
        .map(|at| {
            let turn = vector(&texts[at]);
            (asked.iter().filter_map(|(word, weight)| Some(weight * turn.get(word)?)).sum(), at)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    found.into_iter().take(NEAREST).map(|(_, at)| turns[at].clone()).collect()
}

fn counts(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.chars().count() >= 2 {
            *counts.entry(word.to_owned()).or_default() += 1.0;
        }
    }
    counts
}
