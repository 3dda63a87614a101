use std::{sync::Arc, time::Duration};

use crate::{jobs::Jobs, proxy::Network, tls::Tls};

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Host names, besides those of this machine, that requests may address. Default: none.
    pub hosts: Vec<String>,
    /// Origins of pages whose scripts may send requests. Default: none.
    pub origins: Vec<String>,
    /// Proxies whose `Forwarded`, or `X-Forwarded-For` and `X-Forwarded-Proto`, headers are trusted. Default: none.
    pub proxies: Vec<Network>,
    /// The workspace of requests that do not name one. Default `default`.
    pub workspace: quiver::graph::Workspace,
    /// The questions that the page suggests. Default: overviews of some documents.
    pub examples: Vec<String>,
    /// The options of questions, unless a request sets them.
    pub ask: quiver::AskOptions,
    /// The certificate for network connections. Without it, they use plain HTTP. Default: none.
    pub tls: Option<Arc<Tls>>,
    /// The jobs: ingests that continue after the reply. Without it, there are none. Default: none.
    pub jobs: Option<Arc<Jobs>>,
    /// Maximum number of unfinished jobs per key, or for all clients without a key together. Default 16.
    pub jobs_waiting_max: usize,
    /// Maximum size of a request with documents or turns, of an import, or of a web page, in bytes. Default 32 MiB.
    pub body_bytes_max: usize,
    /// Maximum time for the body of a request to arrive. Default 30 s.
    pub body_time_max: Duration,
    /// Whether web pages may be fetched from addresses that are not public, such as those of this machine and its
    /// network. Whoever may write can then read what this machine can. Default: no.
    pub allow_private_addresses: bool,
    /// Maximum time for a web page, with its redirects. Default 30 s.
    pub page_time_max: Duration,
    /// How to read web pages that are PDF files or workbooks. Default: they are refused.
    pub untrusted: quiver::read::Untrusted,
    /// Maximum time for a question. Default 60 s.
    pub time_max: Duration,
    /// Maximum number of questions answered at once. Default: twice the number of cores.
    pub questions_at_once: usize,
    /// Maximum number of waiting requests; further ones are told to retry later. Default 64.
    pub waiting_max: usize,
    /// Maximum time that a question or a query waits for its turn. If the wait is likely to be longer, the server
    /// immediately replies when to retry. Writes and commands may wait for `time_max`. Default 1 s.
    pub queue_time_max: Duration,
    /// Maximum number of requests per minute of a key, or of the clients at one address without a key. Default:
    /// unlimited.
    pub requests_per_minute: Option<u32>,
    /// Maximum number of connections. Beyond it, the connection that has been idle longest is closed. Default 1024.
    pub connections_max: usize,
    /// Maximum number of open streams of job events per key, or for all clients without a key together. Default 64.
    pub streams_max: usize,
    /// Maximum time for the head of a request to arrive, and for a connection to be idle. Default 15 s.
    pub head_time_max: Duration,
    /// The server's name over Bolt. Some clients require a name that begins with `Neo4j/`. Default `Quiver/` and the
    /// version.
    pub bolt_agent: String,
    /// Maximum size of a Bolt message in bytes after the client has logged in; before, it is 64 KiB. Reading a message
    /// takes up to 200 times as much memory. Default 1 MiB.
    pub bolt_message_bytes_max: usize,
    /// Maximum time without a message over Bolt. Default 1 h, which is as long as drivers keep a connection.
    pub bolt_idle_time_max: Duration,
    /// Maximum time for current requests to end after the server was told to stop. Default 30 s.
    pub drain_time_max: Duration,
}

impl Default for Config {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZeroUsize::get);
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            proxies: Vec::new(),
            workspace: quiver::graph::Workspace::default(),
            examples: Vec::new(),
            ask: quiver::AskOptions::default(),
            tls: None,
            jobs: None,
            jobs_waiting_max: 16,
            body_bytes_max: 32 << 20,
            body_time_max: Duration::from_secs(30),
            allow_private_addresses: false,
            page_time_max: Duration::from_secs(30),
            untrusted: quiver::read::Untrusted::default(),
            time_max: Duration::from_mins(1),
            questions_at_once: cores * 2,
            waiting_max: 64,
            queue_time_max: Duration::from_secs(1),
            requests_per_minute: None,
            connections_max: 1024,
            streams_max: 64,
            head_time_max: Duration::from_secs(15),
            bolt_agent: concat!("Quiver/", env!("CARGO_PKG_VERSION")).to_owned(),
            bolt_message_bytes_max: 1 << 20,
            bolt_idle_time_max: Duration::from_hours(1),
            drain_time_max: Duration::from_secs(30),
        }
    }
}
