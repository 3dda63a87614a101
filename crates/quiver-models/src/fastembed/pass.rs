//! The input and output of one inference call.

use std::ops::Range;

/// A part of a text that fits into the model's window.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// The part with its prefix.
    pub(super) text: String,
    /// The number of tokens, including special tokens.
    pub(super) tokens: usize,
    /// For each span of the text, the tokens of this window that it overlaps.
    pub(super) spans: Vec<Vec<usize>>,
}

impl Window {
    /// Creates a window for a short text without spans.
    pub(super) fn of_text(text: &str) -> Self {
        Self { text: text.to_owned(), tokens: 0, spans: Vec::new() }
    }
}

/// A sum of vectors.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) sum: Vec<f32>,
    pub(super) count: usize,
}

impl Sum {
    pub(super) fn add(&mut self, vector: &[f32], count: usize) {
        if self.sum.is_empty() {
            self.sum = vector.to_vec();
        } else {
            self.sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
        }
        self.count += count;
    }
}

/// Sums of token states over a window or a whole text. A sum has the same direction as the mean.
#[derive(Clone, Debug, Default)]
pub(super) struct Pooled {
    pub(super) text: Sum,
    pub(super) spans: Vec<Sum>,
    has_states: bool,
}

impl Pooled {
    pub(super) fn new(spans: usize) -> Self {
        Self { text: Sum::default(), spans: vec![Sum::default(); spans], has_states: false }
    }

    /// Sums the token states of a window.
    pub(super) fn of_states(states: &[&[f32]], window: &Window) -> Self {
        let mut pooled = Self { has_states: true, ..Self::new(window.spans.len()) };
        for state in states {
            pooled.text.add(state, 1);
        }
        for (sum, tokens) in pooled.spans.iter_mut().zip(&window.spans) {
            for token in tokens {
                if let Some(state) = states.get(*token) {
                    sum.add(state, 1);
                }
            }
        }
        pooled
    }

    /// Takes the single vector of a window.
    pub(super) fn of_vector(vector: &[f32]) -> Self {
        let mut pooled = Self::new(0);
        pooled.text.add(vector, 1);
        pooled
    }

    /// Adds the sums of another window of the same text.
    pub(super) fn add(&mut self, other: Self) {
        self.has_states |= other.has_states;
        self.text.add(&other.text.sum, other.text.count);
        for (sum, other) in self.spans.iter_mut().zip(other.spans) {
            if other.count > 0 {
                sum.add(&other.sum, other.count);
            }
        }
    }

    pub(super) fn dimension(&self) -> usize {
        self.text.sum.len()
    }

    pub(super) fn has_states(&self) -> bool {
        self.has_states
    }
}

/// Groups texts of similar lengths into batches of positions in `lengths`, the longest first.
///
/// A batch has at most `texts_max` texts and, padded to its longest text, at most `tokens_max` tokens, or a single
/// text.
pub(super) fn batches(lengths: &[usize], texts_max: usize, tokens_max: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(lengths[*index]));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for index in order {
        match batches.last_mut() {
            Some(batch) if batch.len() < texts_max && (batch.len() + 1) * lengths[batch[0]] <= tokens_max => {
                batch.push(index);
            }
            _ => batches.push(vec![index]),
        }
    }
    batches
}

/// Splits tokens into runs of similar length, each at most `window` long. A run starts at the start of a word if
/// possible.
///
/// `starts_word` says for each token whether it starts a word.
pub(super) fn even_runs(starts_word: &[bool], window: usize) -> Vec<Range<usize>> {
    let tokens = starts_word.len();
    let mut runs = Vec::new();
    let mut start = 0;
    while start < tokens {
        let left = tokens - start;
        let size = left.div_ceil(left.div_ceil(window));
        let limit = start + size;
        let end = if limit >= tokens {
            tokens
        } else {
            (start + 1..=limit).rev().find(|token| starts_word[*token]).unwrap_or(limit)
        };
        runs.push(start..end);
        start = end;
    }
    runs
}
