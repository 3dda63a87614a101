use std::{fmt, time::Duration};

use crate::{Error, ErrorKind, Result};

/// How to reach a Qdrant server or cluster, and how to configure new collections there.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The gRPC address, such as `http://localhost:6334`; `https` encrypts the connection. For a cluster, the
    /// addresses of all nodes: if one does not answer, the call goes to the next.
    pub urls: Vec<String>,
    /// The API key, if the server requires one. It never appears in errors or debug output.
    pub api_key: Option<String>,
    /// The prefix of collection names. Default: `quiver`.
    pub prefix: String,
    /// Timeout of a request, and how long a write waits for a copy to return. Default: 60 seconds.
    pub timeout: Duration,
    /// Number of attempts per address while the server is busy or unreachable. Default: 5.
    pub attempts: u32,
    /// Number of shards of a new collection. Default: the server's.
    pub shard_number: Option<u32>,
    /// Number of copies of each shard of a new collection. Default: the server's.
    pub replication_factor: Option<u32>,
    /// Number of copies that a write to a new collection must reach. Default: the server's, which is 1.
    ///
    /// With 1, writes continue while one copy is available: the cluster takes every copy that missed a write out of
    /// service before it acknowledges the write, and updates it before it serves again. With a higher number, a write
    /// waits until that many copies are available.
    pub write_consistency_factor: Option<u32>,
    /// How many copies a read asks. Default: [`ReadConsistency::One`].
    pub read_consistency: ReadConsistency,
    /// The check before a node is read from. Default: [`Freshness::Confirmed`].
    pub freshness: Freshness,
}

/// How many copies of a shard a read asks. The answers of several copies are compared, and only points on which they
/// agree are returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadConsistency {
    /// One copy, and another if it fails. Reads continue while one copy of each shard is available.
    #[default]
    One,
    /// More than half of the copies; with two copies, both. Reads fail while too few are available. The server leaves
    /// out points that the copies it asked do not agree on, so a point that is being changed can be missing from an
    /// answer.
    Quorum,
    /// All copies. Reads fail while one is unavailable. Points that are being changed can be missing, as with
    /// [`Quorum`](Self::Quorum).
    All,
}

/// The check before a node is read from.
///
/// A node that was paused or restarted may briefly consider its copies up to date although the cluster continued
/// without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// Another node must confirm that the copies which the first one reads are in service. A confirmation is valid
    /// for half a second. This needs at least two addresses; with one address nothing is checked.
    #[default]
    Confirmed,
    /// No check: the node is trusted. Answers may briefly be stale after a node returns.
    Any,
}

impl ServerOptions {
    /// Creates options for a server at an address, or a cluster at several addresses separated by commas.
    pub fn new(urls: impl AsRef<str>) -> Self {
        Self {
            urls: urls.as_ref().split(',').map(|url| url.trim().to_owned()).collect(),
            api_key: None,
            prefix: "quiver".to_owned(),
            timeout: Duration::from_mins(1),
            attempts: 5,
            shard_number: None,
            replication_factor: None,
            write_consistency_factor: None,
            read_consistency: ReadConsistency::default(),
            freshness: Freshness::default(),
        }
    }

    /// Rejects empty addresses, those with a query, which errors would quote, and an API key that the client would
    /// quote in its error.
    pub(super) fn check(&self) -> Result<()> {
        let invalid = |message| Err(Error::new(ErrorKind::Invalid, message));
        if self.urls.is_empty() || self.urls.iter().any(String::is_empty) {
            return invalid(
                "an address of the server is empty; it should look like http://localhost:6334, with commas between \
                 the addresses of a cluster"
                    .to_owned(),
            );
        }
        if self.urls.iter().any(|url| url.contains('?')) {
            return invalid(format!(
                "the address {} has a query; remove it, and give a key as the API key",
                self.place()
            ));
        }
        let can_be_sent = |key: &String| key.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if !self.api_key.as_ref().is_none_or(can_be_sent) {
            let place = self.place();
            return invalid(format!(
                "the API key for {place} contains a character that can't be sent; check it"
            ));
        }
        Ok(())
    }

    /// Returns the addresses without credentials.
    pub(super) fn place(&self) -> String {
        self.urls.iter().map(|url| shown(url)).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the user and password in an address, including the `@`.
pub(super) fn credentials(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    authority.rfind('@').map(|end| &authority[..=end])
}

/// Returns an address without user, password and query.
pub(super) fn shown(url: &str) -> String {
    let url = url.split('?').next().unwrap_or(url);
    match credentials(url) {
        Some(secret) => url.replacen(secret, "", 1),
        None => url.to_owned(),
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            urls: _,
            api_key,
            prefix,
            timeout,
            attempts,
            shard_number,
            replication_factor,
            write_consistency_factor,
            read_consistency,
            freshness,
        } = self;
        f.debug_struct("ServerOptions")
            .field("urls", &self.place())
            .field("api_key", &api_key.as_ref().map(|_| "hidden"))
            .field("prefix", prefix)
            .field("timeout", timeout)
            .field("attempts", attempts)
            .field("shard_number", shard_number)
            .field("replication_factor", replication_factor)
            .field("write_consistency_factor", write_consistency_factor)
            .field("read_consistency", read_consistency)
            .field("freshness", freshness)
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

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        for (url, wanted) in [
            ("http://me:secret@here:6334/a@b", "http://here:6334/a@b"),
            ("https://secret@here", "https://here"),
            ("http://here:6334/@", "http://here:6334/@"),
            ("me:secret@here", "here"),
        ] {
            assert_eq!(shown(url), wanted);
        }
        let options = ServerOptions::new("http://one:1?api_key=secret");
        let error = options.check().unwrap_err().to_string();
        assert!(error.contains("http://one:1 has a query") && !error.contains("secret"), "{error}");
        let options = ServerOptions::new("http://a:secret@one:1, http://two:2");
        assert_eq!(options.place(), "http://one:1, http://two:2");
        assert!(!format!("{options:?}").contains("secret"));
    }

    #[test]
    fn addresses_stand_between_commas_and_none_is_empty() {
        assert_eq!(ServerOptions::new("http://a:1,http://b:2 , c").urls, ["http://a:1", "http://b:2", "c"]);
        for urls in ["", "http://a:1,", ",http://a:1"] {
            let error = ServerOptions::new(urls).check().unwrap_err();
            assert!(error.to_string().contains("empty"), "{error}");
        }
    }
}
