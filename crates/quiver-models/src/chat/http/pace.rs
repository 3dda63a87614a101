use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

/// The window that the rate limits apply to.
const WINDOW: Duration = Duration::from_mins(1);

/// A rate limiter for requests and their tokens, with a sliding window.
///
/// Requests start in the order in which they arrived. A request that alone exceeds the token limit waits until the
/// window is empty.
pub(super) struct Pace {
    requests_max: Option<u32>,
    tokens_max: Option<u64>,
    /// Held by the first request in the queue while it waits.
    queue: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Requests started within the last window, the oldest first.
    begun: VecDeque<Begun>,
    number: u64,
    /// No request starts before this time.
    paused_until: Option<Instant>,
}

struct Begun {
    number: u64,
    at: Instant,
    tokens: u64,
}

/// A request that has started.
pub(super) struct Turn<'a> {
    pace: &'a Pace,
    number: u64,
}

impl Pace {
    pub(super) fn new(requests_max: Option<u32>, tokens_max: Option<u64>) -> Self {
        // With a limit of zero, requests would wait forever.
        let requests_max = requests_max.map(|max| max.max(1));
        Self { requests_max, tokens_max, queue: tokio::sync::Mutex::default(), state: Mutex::default() }
    }

    /// Waits until a request with the given number of tokens may start.
    pub(super) async fn admit(&self, tokens: u64) -> Turn<'_> {
        let _first = self.queue.lock().await;
        loop {
            let until = {
                let mut state = self.state();
                let now = Instant::now();
                match self.wait(&mut state, now, tokens) {
                    None => {
                        state.number += 1;
                        let number = state.number;
                        if self.requests_max.is_some() || self.tokens_max.is_some() {
                            state.begun.push_back(Begun { number, at: now, tokens });
                        }
                        return Turn { pace: self, number };
                    }
                    Some(until) => until,
                }
            };
            sleep_until(until).await;
        }
    }

    /// Delays all new requests.
    pub(super) fn pause(&self, delay: Duration) {
        let until = Instant::now() + delay;
        let mut state = self.state();
        state.paused_until = state.paused_until.max(Some(until));
    }

    /// Returns when to check again, or `None` if the request may start now.
    fn wait(&self, state: &mut State, now: Instant, tokens: u64) -> Option<Instant> {
        if let Some(until) = state.paused_until.filter(|until| *until > now) {
            return Some(until);
        }
        while state.begun.front().is_some_and(|begun| begun.at + WINDOW <= now) {
            state.begun.pop_front();
        }
        let oldest = state.begun.front()?.at;
        let is_full = self.requests_max.is_some_and(|max| state.begun.len() >= max as usize);
        let taken: u64 = state.begun.iter().map(|begun| begun.tokens).sum();
        let is_spent = self.tokens_max.is_some_and(|max| taken.saturating_add(tokens) > max);
        (is_full || is_spent).then(|| oldest + WINDOW)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Replaces the estimated tokens with the actual usage.
    pub(super) fn settle(self, tokens: u64) {
        let mut state = self.pace.state();
        if let Some(begun) = state.begun.iter_mut().find(|begun| begun.number == self.number) {
            begun.tokens = tokens;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the second at which each of the requests starts, given their tokens.
    async fn begins(pace: &Pace, tokens: &[u64]) -> Vec<u64> {
        let begun = Instant::now();
        let mut seconds = Vec::new();
        for tokens in tokens {
            pace.admit(*tokens).await;
            seconds.push(begun.elapsed().as_secs());
        }
        seconds
    }

    #[tokio::test(start_paused = true)]
    async fn no_minute_has_more_requests_than_allowed() {
        assert_eq!(begins(&Pace::new(Some(2), None), &[1; 5]).await, [0, 0, 60, 60, 120]);
        assert_eq!(begins(&Pace::new(None, None), &[1; 5]).await, [0; 5]);
        let pace = Pace::new(Some(2), None);
        pace.admit(1).await;
        tokio::time::sleep(Duration::from_secs(40)).await;
        assert_eq!(begins(&pace, &[1; 3]).await, [0, 20, 60], "the window slides");
    }

    #[tokio::test(start_paused = true)]
    async fn no_minute_has_more_tokens_than_allowed() {
        assert_eq!(begins(&Pace::new(None, Some(100)), &[60, 40, 1, 500, 1]).await, [0, 0, 60, 120, 180]);
        let pace = Pace::new(None, Some(100));
        pace.admit(90).await.settle(20);
        assert_eq!(begins(&pace, &[80]).await, [0], "what was taken counts, not what was feared");
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_for_all() {
        let pace = Pace::new(None, None);
        pace.pause(Duration::from_secs(7));
        pace.pause(Duration::from_secs(3));
        assert_eq!(begins(&pace, &[1, 1]).await, [7, 7]);
    }
}
