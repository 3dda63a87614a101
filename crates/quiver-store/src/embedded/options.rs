use std::{fmt, sync::Arc, time::Duration};

use crate::Collection;

/// Options for opening an embedded database.
#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// How long to wait for another process that holds the database. Default five seconds.
    pub wait: Duration,
    /// Receives messages for the user: that the call waits for another process, or that data was cut off after a
    /// crash or damage and where it was saved. Default: log a warning.
    pub notify: Notify,
    /// Whether this process reads a little and ends. If so, a collection that was closed properly is opened when it is
    /// needed; damage is then an error of the call that uses it, not of the opening. A collection that was only read is
    /// not closed, so this process can't open the database a second time. Default: all collections are opened before
    /// the call returns, and closed.
    pub is_brief: bool,
    /// The collections that a brief process will need. They are opened in the background, beside whatever the caller
    /// does first; any other is opened by the first call that uses it. Default: all.
    pub needed: Vec<Collection>,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(5),
            notify: Notify::default(),
            is_brief: false,
            needed: Collection::ALL.to_vec(),
        }
    }
}

/// A function that passes a message to the user.
#[derive(Clone)]
pub struct Notify(Arc<dyn Fn(&str) + Send + Sync>);

impl Notify {
    /// Wraps a function.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Passes a message on.
    pub fn tell(&self, sentence: &str) {
        (self.0)(sentence);
    }
}

impl Default for Notify {
    fn default() -> Self {
        Self::new(|sentence| tracing::warn!("{sentence}"))
    }
}

impl fmt::Debug for Notify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notify")
    }
}
