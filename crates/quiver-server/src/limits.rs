//! How much is done at once, and how often a client may ask.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::{Code, Problem};

/// A number of places, and of requests that may wait for one.
#[derive(Debug)]
pub(crate) struct Places {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_max: usize,
}

/// Counts a request as waiting for as long as it does, whether it gets a place or its client goes away.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Places {
    pub(crate) fn new(count: usize, waiting_max: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(count.max(1))), waiting: AtomicUsize::new(0), waiting_max }
    }

    /// Waits for a place, unless too many wait already.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit, Problem> {
        if let Ok(place) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(place);
        }
        let waiting = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        if waiting >= self.waiting_max {
            let detail = format!("{waiting} requests are waiting for their turn; send it again later");
            return Err(Problem::new(Code::TooMany, detail).retry_after(1));
        }
        let place = Arc::clone(&self.free).acquire_owned().await;
        place.map_err(|_| Problem::new(Code::Unavailable, "the server is ending").retry_after(1))
    }
}

/// How many streams each client has open that last for as long as it likes.
#[derive(Debug, Default)]
pub(crate) struct Streams(Arc<Mutex<HashMap<String, usize>>>);

/// A stream that is open.
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
    /// Opens a stream of a client, unless it has too many.
    pub(crate) fn open(&self, client: &str, most: usize) -> Result<OpenStream, Problem> {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = streams.entry(client.to_owned()).or_default();
        if *count >= most {
            let detail = format!("{most} streams are open; close one, or ask for the job itself");
            return Err(Problem::new(Code::TooMany, detail).retry_after(1));
        }
        *count += 1;
        drop(streams);
        Ok(OpenStream { streams: Arc::clone(&self.0), client: client.to_owned() })
    }
}

/// How often each client may ask: a bucket that fills evenly over a minute and empties by one for each request.
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

impl Rates {
    pub(crate) fn new(per_minute: Option<u32>) -> Self {
        Self { per_minute, buckets: Mutex::default() }
    }

    /// Counts a request of a client, or tells when the next one is allowed.
    pub(crate) fn count(&self, client: &str, now: Instant) -> Result<(), Problem> {
        let Some(per_minute) = self.per_minute else { return Ok(()) };
        let most = f64::from(per_minute.max(1));
        let each_second = most / 60.0;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        // There are as many as there are keys.
        let bucket = buckets.entry(client.to_owned()).or_insert(Bucket { left: most, at: now });
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.left = (bucket.left + since * each_second).min(most);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        let wait = ((1.0 - bucket.left) / each_second).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 60 seconds")]
        let seconds = wait as u64;
        let detail = format!("{per_minute} requests a minute are allowed; the next one in {seconds} s");
        Err(Problem::new(Code::TooMany, detail).retry_after(seconds))
    }
}
