//! What the vocabulary and the calendar have for the words of a question.

use quiver_language::{
    Language,
    time::{Direction, TimeRange, TimeRelation, times},
    token::Tokens,
};

use super::{
    vocabulary::{Known, Vocabulary},
    word::{Word, words},
};

/// The most words of a question that is read.
const WORDS_MAX: usize = 48;

/// A time in a question.
#[derive(Clone, Debug)]
pub(super) struct Time {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) relation: TimeRelation,
    pub(super) range: TimeRange,
}

/// A question in words, with the values and times that its words may be.
#[derive(Debug)]
pub(super) struct Words<'v> {
    pub(super) list: Vec<Word>,
    pub(super) times: Vec<Time>,
    /// The end of each value by its start.
    pub(super) values: Vec<Vec<(usize, &'v Known)>>,
}

impl<'v> Words<'v> {
    /// Reads a question; `None` if it has too many words.
    pub(super) fn of(vocabulary: &'v Vocabulary, question: &str, now: i64) -> Option<Self> {
        let list = words(question);
        let language = Tokens::of(question).language;
        if language != Language::English {
            return None;
        }
        if list.is_empty() || list.len() > WORDS_MAX {
            return None;
        }
        let values = values(vocabulary, &list);
        let times = times(question).into_iter().filter_map(|time| {
            let range = time.resolve(now, Direction::Nearest)?;
            let start = list.iter().position(|word| word.start >= time.range.start)?;
            let end = list.iter().rposition(|word| word.end <= time.range.end)? + 1;
            (start < end).then_some(Time { start, end, relation: time.relation, range })
        });
        let times = times.collect();
        Some(Self { list, times, values })
    }
}

/// The values that begin at each word. What is part of a longer value is none of its own.
fn values<'v>(vocabulary: &'v Vocabulary, list: &[Word]) -> Vec<Vec<(usize, &'v Known)>> {
    let mut spans: Vec<(usize, usize, &'v Vec<Known>)> = Vec::new();
    for start in 0..list.len() {
        for end in start + 1..=list.len().min(start + vocabulary.words_max) {
            // A possessive ends a name.
            if list[start..end - 1].iter().any(|word| word.is_possessive) {
                break;
            }
            let run = &list[start..end];
            let text = run.iter().map(|word| word.norm.as_str()).collect::<Vec<_>>().join(" ");
            let says = run.iter().enumerate().any(|(at, word)| {
                (word.class.is_none() && !word.is_number) || (word.is_capital && start + at > 0)
            });
            if let Some(known) = vocabulary.values.get(&text).filter(|_| says) {
                spans.push((start, end, known));
            }
        }
    }
    let mut found = vec![Vec::new(); list.len()];
    for &(start, end, known) in &spans {
        let is_part =
            spans.iter().any(|&(from, to, _)| from <= start && end <= to && (from, to) != (start, end));
        if !is_part {
            found[start].extend(known.iter().map(|one| (end, one)));
        }
    }
    found
}
