use std::{fmt, time::Duration};

use crate::{Error, ErrorKind, Result};

/// How to reach a Qdrant server, and how collections are laid out there when they are made.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The address of the gRPC door, such as `http://localhost:6334`; `https` makes the connection encrypted.
    pub url: String,
    /// The API key, if the server wants one. It is shown in no error and no debug output.
    pub api_key: Option<String>,
    /// What the names of the collections begin with. Default: `quiver`.
    pub prefix: String,
    /// How long one request may take. Default: 60 seconds.
    pub timeout: Duration,
    /// How often a request is tried where the server is busy or can't be reached. Default: 5.
    pub attempts: u32,
    /// The number of shards of a new collection. Default: the server's.
    pub shard_number: Option<u32>,
    /// The number of copies of each shard of a new collection. Default: the server's.
    pub replication_factor: Option<u32>,
    /// The number of copies that a write must reach. Default: all of them, so that what is acknowledged can be read
    /// from any; where it is less, reads ask a majority.
    pub write_consistency_factor: Option<u32>,
}

impl ServerOptions {
    /// Options for the server at an address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            api_key: None,
            prefix: "quiver".to_owned(),
            timeout: Duration::from_mins(1),
            attempts: 5,
            shard_number: None,
            replication_factor: None,
            write_consistency_factor: None,
        }
    }

    /// Refuses a key that no header can carry: the client would put it into its error.
    pub(super) fn check(&self) -> Result<()> {
        let can_be_sent = |key: &String| key.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if self.api_key.as_ref().is_none_or(can_be_sent) {
            return Ok(());
        }
        let message = format!("the API key for {} holds a character that can't be sent; check it", self.url);
        Err(Error::new(ErrorKind::Invalid, message))
    }

    /// Whether a read has to ask more than one copy to see all that was acknowledged.
    pub(super) fn reads_ask_a_majority(&self) -> bool {
        match (self.replication_factor, self.write_consistency_factor) {
            (Some(copies), Some(written)) => written < copies,
            _ => false,
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            url,
            api_key,
            prefix,
            timeout,
            attempts,
            shard_number,
            replication_factor,
            write_consistency_factor,
        } = self;
        f.debug_struct("ServerOptions")
            .field("url", url)
            .field("api_key", &api_key.as_ref().map(|_| "hidden"))
            .field("prefix", prefix)
            .field("timeout", timeout)
            .field("attempts", attempts)
            .field("shard_number", shard_number)
            .field("replication_factor", replication_factor)
            .field("write_consistency_factor", write_consistency_factor)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_shown_nowhere() {
        let options =
            ServerOptions { api_key: Some("secr\u{e9}t".to_owned()), ..ServerOptions::new("http://here") };
        assert!(!format!("{options:?}").contains("secr"));
        let error = options.check().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(!error.to_string().contains("secr"));
    }
}
