use std::time::Duration;

use crate::{Error, Result};

/// The retry policy for transient failures.
#[derive(Clone, Debug)]
pub(crate) struct Retries {
    /// Maximum number of attempts per request.
    pub(crate) attempts_max: u32,
    /// The first retry delay, if the endpoint does not ask for one.
    pub(crate) backoff: Duration,
    /// The longest delay to wait for.
    pub(crate) delay_max: Duration,
    /// Seeds the jitter of the delays. Without a seed, each client has its own.
    pub(crate) seed: Option<u64>,
}

/// The attempts of one request.
pub(crate) struct Attempts<'a> {
    retries: &'a Retries,
    pub(super) made: u32,
    random: fastrand::Rng,
}

impl Retries {
    /// Starts with the first attempt.
    pub(crate) fn begin(&self) -> Attempts<'_> {
        let random = self.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        Attempts { retries: self, made: 1, random }
    }
}

impl Attempts<'_> {
    /// Waits before the next attempt, for the delay that the endpoint asked for or else with exponential backoff.
    ///
    /// # Errors
    ///
    /// Returns the error itself if there is no next attempt: it is not retryable, the maximum number of attempts is
    /// reached, or the endpoint asks for a longer delay than the options allow. The caller decides about longer
    /// delays.
    pub(crate) async fn wait(&mut self, error: Error) -> Result<()> {
        let Some(delay) = self.delay(&error) else { return Err(error) };
        tracing::debug!(attempt = self.made, ?delay, %error, "retrying");
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

    /// Returns a delay that doubles with each attempt, with jitter so that clients don't retry at the same time.
    fn backoff(&mut self) -> Duration {
        let doubled = self.retries.backoff.saturating_mul(1 << (self.made - 1).min(16));
        doubled.mul_f64(0.5 + self.random.f64() / 2.0).min(self.retries.delay_max)
    }
}
