//! Limits on concurrency and on request rates.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use crate::problem::{Code, Problem};

/// A number of places, and of requests that may wait for one.
#[derive(Debug)]
pub(crate) struct Places {
    free: Arc<Semaphore>,
    count: usize,
    waiting: AtomicUsize,
    waiting_max: usize,
    /// How long a place is held, in microseconds, as a mean in which recent ones count most; zero before the first.
    held_us: Arc<AtomicU64>,
}

/// A place, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    _place: OwnedSemaphorePermit,
    since: Instant,
    mean_us: Arc<AtomicU64>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let took = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        // A mean over about the last eight. If one of two simultaneous updates is lost, that does no harm.
        let mean = self.mean_us.load(Ordering::Relaxed);
        let mean = if mean == 0 { took } else { mean - mean / 8 + took / 8 };
        self.mean_us.store(mean.max(1), Ordering::Relaxed);
    }
}

/// Counts a request as waiting until it gets a place or its client disconnects.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Places {
    pub(crate) fn new(count: usize, waiting_max: usize) -> Self {
        let count = count.max(1);
        let free = Arc::new(Semaphore::new(count));
        Self { free, count, waiting: AtomicUsize::new(0), waiting_max, held_us: Arc::default() }
    }

    /// Waits for a place. Fails at once if too many are waiting or the wait is likely to exceed `longest`. No request
    /// waits longer.
    pub(crate) async fn take(&self, longest: Duration) -> Result<Held, Problem> {
        let held = |place| Held { _place: place, since: Instant::now(), mean_us: Arc::clone(&self.held_us) };
        if let Ok(place) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(held(place));
        }
        let ahead = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        let expected = self.expected(ahead);
        if ahead >= self.waiting_max || expected > longest {
            let detail = format!("{ahead} requests are already waiting; retry later");
            return Err(Problem::new(Code::TooMany, detail).retry_after(whole_seconds(expected)));
        }
        match timeout(longest, Arc::clone(&self.free).acquire_owned()).await {
            Ok(Ok(place)) => Ok(held(place)),
            Ok(Err(_)) => Err(Problem::new(Code::Unavailable, "the server is shutting down").retry_after(1)),
            Err(_) => {
                let detail = "the request waited too long; retry later";
                Err(Problem::new(Code::TooMany, detail).retry_after(whole_seconds(expected)))
            }
        }
    }

    /// Estimates how long a request will wait with this many ahead of it: all places are taken, and each becomes free
    /// after a mean time.
    fn expected(&self, ahead: usize) -> Duration {
        let mean = Duration::from_micros(self.held_us.load(Ordering::Relaxed));
        mean.mul_f64((ahead + 1) as f64 / self.count as f64)
    }
}

/// Returns a duration in seconds, rounded up.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// The number of open long-lived streams per client.
#[derive(Debug, Default)]
pub(crate) struct Streams(Arc<Mutex<HashMap<String, usize>>>);

#[derive(Debug)]
pub(crate) struct OpenStream {
    streams: Arc<Mutex<HashMap<String, usize>>>,
    client: String,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let left = streams.get(&self.client).map_or(0, |count| count.saturating_sub(1));
        if left == 0 {
            streams.remove(&self.client);
        } else {
            streams.insert(self.client.clone(), left);
        }
    }
}

impl Streams {
    /// Opens a stream for a client, unless it has too many.
    pub(crate) fn open(&self, client: &str, most: usize) -> Result<OpenStream, Problem> {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = streams.entry(client.to_owned()).or_default();
        if *count >= most {
            let detail = format!("{most} streams are open; close one, or request the job itself");
            return Err(Problem::new(Code::TooMany, detail).retry_after(1));
        }
        *count += 1;
        drop(streams);
        Ok(OpenStream { streams: Arc::clone(&self.0), client: client.to_owned() })
    }
}

/// Rate limits per client: a bucket that fills evenly over a minute and loses one per request.
#[derive(Debug)]
pub(crate) struct Rates {
    per_minute: Option<u32>,
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

/// Number of clients that are counted separately. The others share a bucket.
const BUCKETS_MAX: usize = 10_000;

impl Bucket {
    /// Returns the current level of a bucket that a minute fills to `most`.
    fn refilled(&self, now: Instant, most: f64) -> f64 {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        (self.left + since * most / 60.0).min(most)
    }
}

impl Rates {
    pub(crate) fn new(per_minute: Option<u32>) -> Self {
        Self { per_minute, buckets: Mutex::default() }
    }

    /// Counts a request of a client, or returns when the next one is allowed.
    pub(crate) fn count(&self, client: &str, now: Instant) -> Result<(), Problem> {
        let Some(per_minute) = self.per_minute else { return Ok(()) };
        let most = f64::from(per_minute.max(1));
        let each_second = most / 60.0;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(client) {
            // Full buckets count nothing. Without keys there may be as many as there are addresses.
            buckets.retain(|_, bucket| bucket.refilled(now, most) < most);
        }
        let client = if buckets.len() < BUCKETS_MAX || buckets.contains_key(client) { client } else { "" };
        let bucket = buckets.entry(client.to_owned()).or_insert(Bucket { left: most, at: now });
        bucket.left = bucket.refilled(now, most);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        let wait = ((1.0 - bucket.left) / each_second).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 60 seconds")]
        let seconds = wait as u64;
        let detail = format!("the limit is {per_minute} requests per minute; retry in {seconds} s");
        Err(Problem::new(Code::TooMany, detail).retry_after(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_waits_only_if_its_turn_is_likely_to_come_in_time() {
        let places = Places::new(2, 64);
        let longest = Duration::from_millis(100);
        places.held_us.store(80_000, Ordering::Relaxed);
        let taken = [places.take(longest).await.unwrap(), places.take(longest).await.unwrap()];
        // The first one to wait expects 40 ms, the second 80 ms, the third 120 ms.
        let (mut one, mut two) = (Box::pin(places.take(longest)), Box::pin(places.take(longest)));
        assert!(futures::poll!(&mut one).is_pending() && futures::poll!(&mut two).is_pending());
        let refused = places.take(longest).await.unwrap_err();
        assert_eq!(refused.detail(), "2 requests are already waiting; retry later");
        // A caller that may wait longer does.
        let mut patient = Box::pin(places.take(Duration::from_secs(9)));
        assert!(futures::poll!(&mut patient).is_pending());
        // The estimate may be wrong, but the bound holds.
        let refused = one.await.unwrap_err();
        assert_eq!(refused.detail(), "the request waited too long; retry later");
        assert!(two.await.is_err());
        assert_eq!(places.waiting.load(Ordering::Relaxed), 1);
        drop(taken);
        drop(patient.await.unwrap());
    }

    #[tokio::test]
    async fn how_long_places_are_held_is_a_mean_in_which_the_last_ones_count_most() {
        let places = Places::new(1, 64);
        assert_eq!(places.expected(5), Duration::ZERO, "nothing is known yet");
        drop(places.take(Duration::ZERO).await.unwrap());
        places.held_us.store(808_000, Ordering::Relaxed);
        drop(places.take(Duration::ZERO).await.unwrap());
        let mean = places.held_us.load(Ordering::Relaxed);
        assert!((700_000..710_000).contains(&mean), "{mean}");
        assert_eq!(whole_seconds(places.expected(9)), 8);
    }
}
