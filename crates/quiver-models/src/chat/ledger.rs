use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{ChatReply, Prices, Purpose};

/// How many questions a ledger tells apart; of the oldest ones only the sums stay.
const QUESTIONS_MAX: usize = 1000;

/// What chat models were asked for, and what it took: altogether, per job, and per question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Everything.
    pub total: Tally,
    /// By the kind of work.
    pub jobs: BTreeMap<String, Tally>,
    /// By the question, the oldest first, and in it by the kind of work.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub questions: VecDeque<QuestionTally>,
}

/// What one question took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionTally {
    /// The question, as the caller names it.
    pub question: String,
    /// By the kind of work.
    pub jobs: BTreeMap<String, Tally>,
}

/// Sums over calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// How many calls were made, the cached and the failed among them.
    pub calls: u64,
    /// How many of them a cache answered.
    pub calls_cached: u64,
    /// How many of them failed. What an endpoint bills for those is not known and not counted.
    pub calls_failed: u64,
    /// Tokens sent, without those of cached calls.
    pub tokens_in: u64,
    /// Tokens of replies, without those of cached calls.
    pub tokens_out: u64,
    /// Tokens of both ways that a cache saved.
    pub tokens_saved: u64,
    /// Whether some of the tokens are estimates.
    pub is_estimate: bool,
    /// What it cost, in billionths of the currency of the prices.
    pub cost_nano: u64,
    /// How long the calls took, in microseconds, one after the other.
    pub duration_us: u64,
}

impl Ledger {
    /// Adds a call: its reply, or `None` when it failed.
    pub fn add(&mut self, purpose: &Purpose, reply: Option<&ChatReply>, prices: &Prices, duration: Duration) {
        let tally = Tally::of(reply, prices, duration);
        self.total.add(&tally);
        self.jobs.entry(purpose.job.clone()).or_default().add(&tally);
        let Some(question) = &purpose.question else { return };
        // Work on a question is seldom older than the last few.
        let known = self.questions.iter().rposition(|known| known.question == *question);
        let position = known.unwrap_or_else(|| {
            if self.questions.len() == QUESTIONS_MAX {
                self.questions.pop_front();
            }
            self.questions.push_back(QuestionTally { question: question.clone(), jobs: BTreeMap::new() });
            self.questions.len() - 1
        });
        self.questions[position].jobs.entry(purpose.job.clone()).or_default().add(&tally);
    }

    /// What one question took, where it is known.
    pub fn question(&self, question: &str) -> Option<Tally> {
        let known = self.questions.iter().rfind(|known| known.question == question)?;
        let mut sum = Tally::default();
        known.jobs.values().for_each(|tally| sum.add(tally));
        Some(sum)
    }
}

impl Tally {
    /// What one call took: its reply, or `None` when it failed.
    pub fn of(reply: Option<&ChatReply>, prices: &Prices, duration: Duration) -> Self {
        let duration_us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let call = Self { calls: 1, duration_us, ..Self::default() };
        match reply {
            None => Self { calls_failed: 1, ..call },
            Some(reply) if reply.is_cached => {
                Self { calls_cached: 1, tokens_saved: reply.usage.tokens(), ..call }
            }
            Some(ChatReply { usage, .. }) => Self {
                tokens_in: usage.tokens_in,
                tokens_out: usage.tokens_out,
                is_estimate: usage.is_estimate,
                cost_nano: prices.cost_nano(*usage),
                ..call
            },
        }
    }

    /// Adds another sum to this one.
    pub fn add(&mut self, other: &Self) {
        let Self {
            calls,
            calls_cached,
            calls_failed,
            tokens_in,
            tokens_out,
            tokens_saved,
            is_estimate,
            cost_nano,
            duration_us,
        } = other;
        let add = |sum: &mut u64, more: &u64| *sum = sum.saturating_add(*more);
        add(&mut self.calls, calls);
        add(&mut self.calls_cached, calls_cached);
        add(&mut self.calls_failed, calls_failed);
        add(&mut self.tokens_in, tokens_in);
        add(&mut self.tokens_out, tokens_out);
        add(&mut self.tokens_saved, tokens_saved);
        add(&mut self.cost_nano, cost_nano);
        add(&mut self.duration_us, duration_us);
        self.is_estimate |= is_estimate;
    }

    /// What it cost, in the currency of the prices.
    pub fn cost(&self) -> f64 {
        self.cost_nano as f64 / 1e9
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, calls_cached, calls_failed, tokens_in, tokens_out, is_estimate, .. } = self;
        let about = if *is_estimate { "about " } else { "" };
        write!(f, "{calls} calls ({calls_cached} cached, {calls_failed} failed), ")?;
        write!(f, "{about}{tokens_in} tokens in, {about}{tokens_out} out")?;
        if self.cost_nano > 0 {
            write!(f, ", {about}{:.4} spent", self.cost())?;
        }
        write!(f, ", {:.1} s", self.duration_us as f64 / 1e6)
    }
}
