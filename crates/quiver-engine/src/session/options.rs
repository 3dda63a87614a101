use std::time::Duration;

use crate::options::AskOptions;

/// How a session is held: each with its default.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionOptions {
    /// How its questions are answered.
    pub ask: AskOptions,
    /// How many of the latest turns are read when it begins. Default 24.
    pub turns_limit: usize,
    /// Whether turns are written while the answer is already there; [`Session::close`](super::Session::close) waits
    /// for them. Default no.
    pub background: bool,
    /// What becomes of old turns. Default: they stay.
    pub retention: Retention,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            ask: AskOptions::default(),
            turns_limit: 24,
            background: false,
            retention: Retention::default(),
        }
    }
}

/// What becomes of old turns of a session. What the memory keeps of it has its own ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// How many turns stay, the latest. Default: all.
    pub turns_max: Option<usize>,
    /// How old a turn becomes. Default: as old as it may.
    pub age_max: Option<Duration>,
    /// What is done with the others. Default: they are pruned.
    pub way: RetentionWay,
}

/// What is done with old turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetentionWay {
    /// They are deleted.
    #[default]
    Prune,
    /// Their words go, and what they spoke of stays, so that a session still knows what it was about.
    Archive,
}
