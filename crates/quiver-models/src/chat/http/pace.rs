use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

/// The stretch of time that the limits hold for.
const WINDOW: Duration = Duration::from_mins(1);

/// Lets requests begin so that no window has more of them, or of their tokens, than is allowed.
///
/// Requests begin in the order in which they came. One that alone takes more than is allowed waits until it would be
/// alone in its window.
pub(super) struct Pace {
    requests_max: Option<u32>,
    tokens_max: Option<u64>,
    /// Held by the first in the queue while it waits.
    queue: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What began within the last window, the oldest first.
    begun: VecDeque<Begun>,
    number: u64,
    /// Nothing begins before.
    paused_until: Option<Instant>,
}

struct Begun {
    number: u64,
    at: Instant,
    tokens: u64,
}

/// A request that has begun.
pub(super) struct Turn<'a> {
    pace: &'a Pace,
    number: u64,
}

impl Pace {
    pub(super) fn new(requests_max: Option<u32>, tokens_max: Option<u64>) -> Self {
        // A limit of nothing would be waited for forever.
        let requests_max = requests_max.map(|max| max.max(1));
        Self { requests_max, tokens_max, queue: tokio::sync::Mutex::default(), state: Mutex::default() }
    }

    /// Waits until a request may begin that takes so many tokens.
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

    /// Lets nothing begin for a while.
    pub(super) fn pause(&self, delay: Duration) {
        let until = Instant::now() + delay;
        let mut state = self.state();
        state.paused_until = state.paused_until.max(Some(until));
    }

    /// When to look again, or `None` when the request may begin.
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
    /// Notes what the request took in the end.
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

    /// At which second each of some requests of so many tokens begins.
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
