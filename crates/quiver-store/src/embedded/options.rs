use std::{fmt, sync::Arc, time::Duration};

/// How an embedded database is opened.
#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// How long another process is waited for that has the database. Default five seconds.
    pub wait: Duration,
    /// Who is told what a user should know: that another process is waited for, that a crash or damage cut something
    /// off and where it was kept. Default: a warning in the log.
    pub notify: Notify,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        Self { wait: Duration::from_secs(5), notify: Notify::default() }
    }
}

/// A function that passes a sentence on to the user.
#[derive(Clone)]
pub struct Notify(Arc<dyn Fn(&str) + Send + Sync>);

impl Notify {
    /// Makes one of a function.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Passes a sentence on.
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
