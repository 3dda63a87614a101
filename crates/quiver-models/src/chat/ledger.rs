use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{ChatReply, Prices, Purpose};

/// Maximum number of questions in a ledger. Older questions remain only in the totals.
const QUESTIONS_MAX: usize = 1000;

/// The usage of chat models: in total, per job and per question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The total.
    pub total: Tally,
    /// Usage per job.
    pub jobs: BTreeMap<String, Tally>,
    /// Usage per question, the oldest first, and per job within each question.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub questions: VecDeque<QuestionTally>,
}

/// The usage of one question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionTally {
    /// The question, as the caller identifies it.
    pub question: String,
    /// Usage per job.
    pub jobs: BTreeMap<String, Tally>,
}

/// Sums over calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of calls, including cached and failed ones.
    pub calls: u64,
    /// Number of calls answered by a cache.
    pub calls_cached: u64,
    /// Number of failed calls. Their tokens are not counted, because what the endpoint bills for them is unknown.
    pub calls_failed: u64,
    /// Input tokens, without those of cached calls.
    pub tokens_in: u64,
    /// Output tokens, without those of cached calls.
    pub tokens_out: u64,
    /// Input and output tokens saved by a cache.
    pub tokens_saved: u64,
    /// Whether some of the token counts are estimates.
    pub is_estimate: bool,
    /// Cost, in billionths of the currency of the prices.
    pub cost_nano: u64,
    /// Sum of the durations of the calls, in microseconds.
    pub duration_us: u64,
}

impl Ledger {
    /// Adds a call. `reply` is `None` if it failed.
    pub fn add(&mut self, purpose: &Purpose, reply: Option<&ChatReply>, prices: &Prices, duration: Duration) {
        let tally = Tally::of(reply, prices, duration);
        self.total.add(&tally);
        self.jobs.entry(purpose.job.clone()).or_default().add(&tally);
        let Some(question) = &purpose.question else { return };
        // The question is usually among the most recent ones, so search from the end.
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

    /// Adds the usage by job of another ledger.
    pub fn add_ledger(&mut self, other: &Self) {
        self.total.add(&other.total);
        for (job, tally) in &other.jobs {
            self.jobs.entry(job.clone()).or_default().add(tally);
        }
    }

    /// Returns the usage of one question, if the ledger has it.
    pub fn question(&self, question: &str) -> Option<Tally> {
        let known = self.questions.iter().rfind(|known| known.question == question)?;
        let mut sum = Tally::default();
        known.jobs.values().for_each(|tally| sum.add(tally));
        Some(sum)
    }
}

impl Tally {
    /// Creates the tally of one call. `reply` is `None` if it failed.
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

    /// Adds another tally to this one.
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

    /// Returns the cost in the currency of the prices.
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
