//! `quiver-eval load`: measures a running `quiver serve` with one client and with many, and compares it with
//! the library.

mod mix;
mod process;
mod report;
mod tally;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use quiver::Quiver;
use quiver_server::{Config, Connection, Keys, Server};
use serde_json::Value;
use tokio::{net::TcpListener, sync::oneshot, time::sleep};

use crate::index::milliseconds;
use mix::{Kind, Mix, documents, question};
use process::{Memory, Serving, time_of};
use tally::Tally;

pub use report::{Load, Times};

/// Number of questions for the comparison of the server with the library.
const COMPARED: usize = 400;
/// Duration of the measurement with one client.
const ALONE: Duration = Duration::from_secs(10);
/// Delay before a retry when the server asks for one with `Retry-After`.
const TOLD_TO_WAIT: Duration = Duration::from_secs(1);
/// Interval at which the memory of the server is sampled.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Options of `quiver-eval load`.
#[derive(Args, Clone, Debug)]
pub struct LoadOptions {
    /// The `quiver` command
    #[arg(long, default_value = "target/release/quiver", value_name = "FILE")]
    pub quiver: PathBuf,
    /// The directory of the database, which is filled if it does not exist [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
    /// Number of passages in a database that is filled
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub passages: usize,
    /// Number of concurrent clients
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub clients: usize,
    /// Number of seconds for which they ask
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    pub seconds: u64,
    /// Pause of a client after each reply, in milliseconds
    #[arg(long, default_value_t = 0, value_name = "MS")]
    pub pause_ms: u64,
    /// Clients only read
    #[arg(long)]
    pub read_only: bool,
    /// Number of runs of `quiver ask`, each as a separate process
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub asks: usize,
    /// A flag for the measured `quiver serve`, such as `--serve=--queue-ms=100`; may be repeated
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    pub serve: Vec<String>,
    /// A file to write the results to as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Fills the database if it is missing, and measures: the overhead of HTTP over the library, `quiver ask` in
/// a separate process through the server, one client, and many clients.
///
/// # Errors
/// Returns an error if the database can't be filled or the command does not serve it.
pub async fn load(options: &LoadOptions) -> Result<Load> {
    let temporary = tempfile::tempdir()?;
    let path = options.path.clone().unwrap_or_else(|| temporary.path().join("database"));
    if !path.exists() {
        let quiver = Quiver::open(&path).await?;
        quiver.ingest(documents(options.passages)).await?;
        quiver.build_index(&|_| {}).await?;
    }
    let (passages, library, http) = compare(&path).await?;
    let serving = Serving::start(&options.quiver, &path, &options.serve)?;
    // The first requests fill caches and are not typical.
    one_client(&serving.address, Duration::from_secs(2)).await?;
    let (ask, version) = cold(options, &path)?;
    let alone = one_client(&serving.address, ALONE).await?;
    let (tally, memory) = many_clients(&serving, options).await?;
    let ended = serving.end()?;
    Ok(Load { options: options.clone(), passages, library, http, ask, version, alone, tally, memory, ended })
}

/// Asks the library and a server in this process the same questions in alternation. Returns the number of
/// passages and both sets of times.
async fn compare(path: &Path) -> Result<(u64, Times, Times)> {
    let quiver = Quiver::open(path).await?;
    let passages = quiver.stats().await?.passages;
    let keys = Keys::open(path.join("none.keys"))?;
    let server = Server::new(quiver.clone(), keys, Config::default());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let (end, told) = oneshot::channel::<()>();
    let served = tokio::spawn(async move {
        let told = async {
            let _ = told.await;
        };
        server.serve(listener, told).await;
    });
    let mut client = Connection::connect(&address).await?;
    let (mut library, mut http) = (Vec::new(), Vec::new());
    for number in 0..COMPARED {
        let asked = question(number);
        for over_http in [number % 2 == 0, number % 2 == 1] {
            let began = Instant::now();
            if over_http {
                let body = serde_json::json!({ "question": asked });
                client.post::<serde::de::IgnoredAny>("/v1/search", &body).await?;
                http.push(milliseconds(began));
            } else {
                quiver.retrieve(asked.as_str()).await?;
                library.push(milliseconds(began));
            }
        }
    }
    let _ = end.send(());
    drop(client);
    served.await?;
    Ok((passages, Times::of(library), Times::of(http)))
}

/// Runs `quiver ask` repeatedly while the server runs, and `quiver --version`, which contacts no server, as
/// the baseline.
fn cold(options: &LoadOptions, path: &Path) -> Result<(Times, Times)> {
    let path = path.to_str().context("the path is no text")?;
    let (mut ask, mut version) = (Vec::new(), Vec::new());
    for number in 0..options.asks {
        ask.push(time_of(&options.quiver, &["ask", &question(number), "--path", path], &[0, 1])?);
        version.push(time_of(&options.quiver, &["--version"], &[0])?);
    }
    Ok((Times::of(ask), Times::of(version)))
}

/// Runs one client that searches, one question at a time.
async fn one_client(address: &str, time: Duration) -> Result<Times> {
    let mut client = Connection::connect(address).await?;
    let (until, mut times) = (Instant::now() + time, Vec::new());
    for number in 0.. {
        if Instant::now() > until {
            break;
        }
        let began = Instant::now();
        let body = serde_json::json!({ "question": question(number) });
        client.post::<serde::de::IgnoredAny>("/v1/search", &body).await?;
        times.push(milliseconds(began));
    }
    Ok(Times::of(times))
}

/// Runs many concurrent clients that use all endpoints.
async fn many_clients(serving: &Serving, options: &LoadOptions) -> Result<(Tally, Memory)> {
    ensure!(options.clients > 0, "there has to be a client");
    let tally = Arc::new(Mutex::new(Tally::default()));
    let ended = Arc::new(AtomicBool::new(false));
    let mut memory = Memory::of(serving.id())?;
    let clients: Vec<_> = (0..options.clients)
        .map(|number| {
            let mix = Mix::new(number, options.read_only);
            let (address, pause) = (serving.address.clone(), Duration::from_millis(options.pause_ms));
            tokio::spawn(ask_on(address, mix, pause, Arc::clone(&tally), Arc::clone(&ended)))
        })
        .collect();
    let until = Instant::now() + Duration::from_secs(options.seconds);
    while Instant::now() < until {
        sleep(LOOK_EVERY).await;
        memory.look(serving.id())?;
    }
    ended.store(true, Ordering::Relaxed);
    for client in clients {
        client.await?;
    }
    // The memory of requests is released after they end.
    sleep(Duration::from_secs(2)).await;
    memory.look(serving.id())?;
    let tally = std::mem::take(&mut *tally.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((tally, memory))
}

/// Sends requests until the time is up. A broken connection is counted and replaced.
async fn ask_on(
    address: String,
    mut mix: Mix,
    pause: Duration,
    tally: Arc<Mutex<Tally>>,
    ended: Arc<AtomicBool>,
) {
    let mut client = None;
    while !ended.load(Ordering::Relaxed) {
        let (kind, began) = (mix.next(), Instant::now());
        let replied = async {
            let connected = match client.take() {
                Some(connected) => connected,
                None => Connection::connect(&address).await?,
            };
            send(client.insert(connected), kind, &mix).await
        };
        let (status, why) = match replied.await {
            Ok(_) => (200, String::new()),
            Err(error) => match error.status() {
                Some(status) => (status, error.to_string()),
                None => {
                    client = None;
                    (0, error.to_string())
                }
            },
        };
        let took = milliseconds(began);
        tally.lock().unwrap_or_else(PoisonError::into_inner).count(kind, status, took, why);
        sleep(if status == 200 { pause } else { TOLD_TO_WAIT }).await;
    }
}

async fn send(client: &mut Connection, kind: Kind, mix: &Mix) -> quiver_server::Result<Value> {
    let path = mix.path(kind);
    match kind.method() {
        "GET" => client.get(&path).await,
        "DELETE" => client.delete(&path).await,
        _ => client.post(&path, &mix.body(kind)).await,
    }
}
