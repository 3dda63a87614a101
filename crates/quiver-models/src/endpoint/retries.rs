use std::time::Duration;

use crate::{Error, Result};

/// How requests that failed for the moment are repeated.
#[derive(Clone, Debug)]
pub(crate) struct Retries {
    /// How often a request is made before its failure counts.
    pub(crate) attempts_max: u32,
    /// The first delay before a repetition, when the endpoint asks for none.
    pub(crate) backoff: Duration,
    /// The longest delay to wait for.
    pub(crate) delay_max: Duration,
    /// Makes the delays the same in every run; else each client has its own.
    pub(crate) seed: Option<u64>,
}

/// The attempts of one request.
pub(crate) struct Attempts<'a> {
    retries: &'a Retries,
    pub(super) made: u32,
    random: fastrand::Rng,
}

impl Retries {
    /// Begins with the first attempt.
    pub(crate) fn begin(&self) -> Attempts<'_> {
        let random = self.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        Attempts { retries: self, made: 1, random }
    }
}

impl Attempts<'_> {
    /// Waits for the next attempt, after the delay that the endpoint asked for or after growing ones of our own.
    ///
    /// # Errors
    ///
    /// The error itself, where there is no next attempt: it will not pass, or there were enough attempts, or the
    /// endpoint asks for a longer delay than the options allow. Longer delays are the caller's to decide.
    pub(crate) async fn wait(&mut self, error: Error) -> Result<()> {
        let Some(delay) = self.delay(&error) else { return Err(error) };
        tracing::debug!(attempt = self.made, ?delay, %error, "trying again");
        tokio::time::sleep(delay).await;
        self.made += 1;
        Ok(())
    }

    pub(super) fn delay(&mut self, error: &Error) -> Option<Duration> {
        let delay = error.retry_after().unwrap_or_else(|| self.backoff());
        let goes_on =
            error.is_retryable() && self.made < self.retries.attempts_max && delay <= self.retries.delay_max;
        goes_on.then_some(delay)
    }

    /// Doubles the delay with each attempt, and spreads it so that clients don't return in step.
    fn backoff(&mut self) -> Duration {
        let doubled = self.retries.backoff.saturating_mul(1 << (self.made - 1).min(16));
        doubled.mul_f64(0.5 + self.random.f64() / 2.0).min(self.retries.delay_max)
    }
}
