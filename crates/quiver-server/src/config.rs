use std::{sync::Arc, time::Duration};

use crate::{jobs::Jobs, proxy::Network, tls::Tls};

/// What a server allows.
#[derive(Clone, Debug)]
pub struct Config {
    /// Names of hosts, beside those of this machine, that requests may be for. Default: none.
    pub hosts: Vec<String>,
    /// The origins of pages whose scripts may send requests. Default: none.
    pub origins: Vec<String>,
    /// The proxies whose `Forwarded`, or `X-Forwarded-For` and `X-Forwarded-Proto`, are believed. Default: none.
    pub proxies: Vec<Network>,
    /// The workspace of requests that name none. Default `default`.
    pub workspace: quiver::graph::Workspace,
    /// The questions that the page proposes. Default: overviews of some documents.
    pub examples: Vec<String>,
    /// How questions are answered if a request does not say so.
    pub ask: quiver::AskOptions,
    /// The certificate for connections over the network. Without it, they are plain HTTP. Default: none.
    pub tls: Option<Arc<Tls>>,
    /// What keeps the ingests that go on after the reply. Without it, there are none. Default: none.
    pub jobs: Option<Arc<Jobs>>,
    /// How many jobs of a key, or of the clients without one together, may be unfinished. Default 16.
    pub jobs_waiting_max: usize,
    /// How many bytes a request of documents, turns or an import may have. Default 32 MiB.
    pub body_bytes_max: usize,
    /// How long the body of a request may take to arrive. Default 30 s.
    pub body_time_max: Duration,
    /// How long a question may take. Default 60 s.
    pub time_max: Duration,
    /// How many questions are answered at once. Default: twice the number of cores.
    pub questions_at_once: usize,
    /// How many requests may wait for their turn; more are told to come back. Default 64.
    pub waiting_max: usize,
    /// How long a question or a query may wait for its turn. If it is likely to take longer, it is told at once when to
    /// come back. Writes and commands may wait for `time_max`. Default 1 s.
    pub queue_time_max: Duration,
    /// How many requests a key, or the clients at an address without one, may send in a minute. Default: no limit.
    pub requests_per_minute: Option<u32>,
    /// How many connections are held at once. For another one, the one is closed that has been idle for the longest.
    /// Default 1024.
    pub connections_max: usize,
    /// How many streams of the events of jobs a key, or the clients without one together, may have open. Default 64.
    pub streams_max: usize,
    /// How long the head of a request may take to arrive, and a connection may be idle. Default 15 s.
    pub head_time_max: Duration,
    /// What the server calls itself over Bolt. Some clients want a name that begins with `Neo4j/`. Default `Quiver/` and
    /// the version.
    pub bolt_agent: String,
    /// How many bytes a message over Bolt may have once its client has logged in; before, 64 KiB. Reading it takes up to
    /// 200 times as much memory. Default 1 MiB.
    pub bolt_message_bytes_max: usize,
    /// How long a client may send nothing over Bolt. Default 1 h, as long as drivers keep a connection.
    pub bolt_idle_time_max: Duration,
    /// How long requests under way may take to end after the server was told to. Default 30 s.
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
