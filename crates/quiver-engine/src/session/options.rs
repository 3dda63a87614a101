use std::time::Duration;

use crate::options::AskOptions;

/// Options for a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionOptions {
    /// How its questions are answered.
    pub ask: AskOptions,
    /// The number of latest turns to load at the start. Default: 24.
    pub turns_limit: usize,
    /// Whether turns are stored in the database. If not, the session starts empty, and its turns are lost
    /// when it is dropped. Default: yes.
    pub stored: bool,
    /// Whether turns are written in the background, after the answer is returned.
    /// [`Session::close`](super::Session::close) waits for them. Default: no.
    pub background: bool,
    /// The policy for old turns. Default: keep all.
    pub retention: Retention,
    /// Whether a statement is remembered, as by [`Quiver::remember`](crate::Quiver::remember), and questions of the session
    /// are answered from what was stated in it. The speaker is [`AskOptions::asker`]. Only a session that is
    /// [`stored`](Self::stored) remembers. [`Reply::noted`](super::Reply::noted) says what was noted. Default: no.
    pub remember: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            ask: AskOptions::default(),
            turns_limit: 24,
            stored: true,
            background: false,
            retention: Retention::default(),
            remember: false,
        }
    }
}

/// The policy for old turns of a conversation. It does not apply to turns stored by
/// [`Quiver::remember`](crate::Quiver::remember).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// The number of latest turns to keep. Default: all.
    pub turns_max: Option<usize>,
    /// The maximum age of a turn. Default: unlimited.
    pub age_max: Option<Duration>,
    /// What happens to older turns. Default: [`RetentionWay::Prune`].
    pub way: RetentionWay,
}

/// What happens to old turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RetentionWay {
    /// They are deleted.
    #[default]
    Prune,
    /// Their text is removed, but their entities are kept, so that the session still knows its topics.
    Archive,
}
