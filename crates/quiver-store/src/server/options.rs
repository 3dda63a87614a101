use std::{fmt, time::Duration};

use crate::{Error, ErrorKind, Result};

/// How to reach a Qdrant server or cluster, and how collections are laid out there when they are made.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The gRPC address, such as `http://localhost:6334`; `https` makes the connection encrypted. On a cluster, the
    /// addresses of all nodes: if one node does not answer, the call goes to the next.
    pub urls: Vec<String>,
    /// The API key, if the server wants one. It is shown in no error and no debug output.
    pub api_key: Option<String>,
    /// What the names of the collections begin with. Default: `quiver`.
    pub prefix: String,
    /// How long one request may take, and how long a write waits for a copy to come back. Default: 60 seconds.
    pub timeout: Duration,
    /// How often a request is tried at every address while the server is busy or can't be reached. Default: 5.
    pub attempts: u32,
    /// The number of shards of a new collection. Default: the server's.
    pub shard_number: Option<u32>,
    /// The number of copies of each shard of a new collection. Default: the server's.
    pub replication_factor: Option<u32>,
    /// The number of copies that a write to a new collection must reach. Default: the server's, which is 1.
    ///
    /// With 1, writes go on while one copy is left: the cluster takes every copy that missed a write out of service
    /// before it acknowledges the write, and brings it up to date before it serves again. With more, a write waits
    /// until so many copies are there.
    pub write_consistency_factor: Option<u32>,
    /// How many copies a read asks. Default: [`ReadConsistency::One`].
    pub read_consistency: ReadConsistency,
    /// What a node must prove before it is read from. Default: [`Freshness::Confirmed`].
    pub freshness: Freshness,
}

/// How many copies of a shard a read asks. What several copies say is compared, and only what they agree on is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadConsistency {
    /// One copy, and another if it fails. Reads go on while one copy of each shard is left.
    #[default]
    One,
    /// More than half of the copies. With two copies, that is both: reads stop while one is away.
    Quorum,
    /// All copies. Reads stop while one is away.
    All,
}

/// What a node must prove before it is read from.
///
/// A node that was paused or restarted may for a moment take its own copies to be up to date although the cluster went
/// on without them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// A second node confirms that the copies which the first one reads are in service. That is asked again after half
    /// a second, and needs at least two addresses; with one address nothing is confirmed.
    #[default]
    Confirmed,
    /// Nothing: the node's own word counts. Answers may lag behind for a moment after a node returns.
    Any,
}

impl ServerOptions {
    /// Options for the server at an address, or the cluster at several, with commas between them.
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

    /// Refuses what the client would put into its error, and addresses that are no address.
    pub(super) fn check(&self) -> Result<()> {
        let invalid = |message| Err(Error::new(ErrorKind::Invalid, message));
        if self.urls.is_empty() || self.urls.iter().any(String::is_empty) {
            return invalid(
                "an address of the server is empty; it should look like http://localhost:6334, with commas between \
                 the addresses of a cluster"
                    .to_owned(),
            );
        }
        let can_be_sent = |key: &String| key.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if !self.api_key.as_ref().is_none_or(can_be_sent) {
            let place = self.place();
            return invalid(format!(
                "the API key for {place} holds a character that can't be sent; check it"
            ));
        }
        Ok(())
    }

    /// Where the database is, as it may be shown.
    pub(super) fn place(&self) -> String {
        self.urls.iter().map(|url| shown(url)).collect::<Vec<_>>().join(", ")
    }
}

/// The user and the password in an address, with the `@` behind them.
pub(super) fn credentials(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    authority.rfind('@').map(|end| &authority[..=end])
}

/// An address without its user and password.
pub(super) fn shown(url: &str) -> String {
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
