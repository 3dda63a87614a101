//! `quiver-eval cluster`: measures the guarantees of a three-node cluster while one node is down.
//!
//! Three nodes run on this machine. Writers change points and readers read them while each node in turn is killed,
//! restarted, paused and resumed. Every answer is compared with the writes acknowledged before the read began.

mod model;
mod nodes;

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use clap::Args;
use quiver::store::{
    Collection, Field, FieldKind, Filter, Freshness, Point, PointId, PointStore, ReadConsistency, Schema,
    Select, ServerOptions, ServerStore, WriteMode,
};

use self::{
    model::{Calls, Model, Tally},
    nodes::Node,
};

const FIELDS: &[Field] =
    &[Field { collection: Collection::Entities, name: "workspace", kind: FieldKind::Tenant }];
const SCHEMA: Schema = Schema { dense_dimension: None, fields: FIELDS };
const WRITERS: usize = 3;
/// Number of keys per writer.
const KEYS: usize = 40;
/// Number of keys per read.
const READ: usize = 20;
/// Pause between two calls of a writer or reader, so that the nodes are not overloaded.
const PAUSE: Duration = Duration::from_millis(20);

/// Options of `quiver-eval cluster`.
#[derive(Args, Clone, Debug)]
pub struct ClusterOptions {
    /// A `qdrant` binary
    #[arg(long, value_name = "FILE")]
    pub qdrant: PathBuf,
    /// How long a node is down, in seconds
    #[arg(long, default_value_t = 12, value_name = "SECONDS")]
    pub away_s: u64,
    /// Measures only the settings with these numbers, counted from 1
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub settings: Vec<usize>,
}

/// The settings of a cluster.
#[derive(Clone, Copy, Debug)]
struct Setting {
    copies: u32,
    written: Option<u32>,
    read: ReadConsistency,
    freshness: Freshness,
}

const SETTINGS: [Setting; 6] = {
    let usual =
        Setting { copies: 2, written: None, read: ReadConsistency::One, freshness: Freshness::Confirmed };
    [
        usual,
        Setting { freshness: Freshness::Any, ..usual },
        Setting { written: Some(2), ..usual },
        Setting { read: ReadConsistency::All, ..usual },
        Setting { copies: 3, written: Some(2), ..usual },
        Setting { copies: 3, written: Some(2), read: ReadConsistency::Quorum, ..usual },
    ]
};

/// The results.
#[derive(Debug)]
pub struct Cluster {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    setting: Setting,
    period: &'static str,
    reads: Calls,
    writes: Calls,
    wrong: usize,
    /// Acknowledged writes that are missing on any node at the end.
    lost: Option<usize>,
}

/// State shared by writers and readers.
struct Shared {
    options: ServerOptions,
    urls: Vec<String>,
    model: Model,
    reads: Tally,
    writes: Tally,
    wrong: AtomicUsize,
    /// The first wrong answer.
    example: Mutex<Option<String>>,
    stops: AtomicBool,
}

/// Measures each setting on a separate cluster.
///
/// # Errors
/// Returns an error if the `qdrant` binary can't be run, or if the nodes do not form a cluster.
pub async fn cluster(options: &ClusterOptions) -> Result<Cluster> {
    let mut rows = Vec::new();
    for (place, setting) in SETTINGS.into_iter().enumerate() {
        if options.settings.is_empty() || options.settings.contains(&(place + 1)) {
            let mut nodes = nodes::start(&options.qdrant)?;
            rows.extend(measure(&mut nodes, setting, Duration::from_secs(options.away_s)).await?);
        }
    }
    Ok(Cluster { rows })
}

async fn measure(nodes: &mut [Node], setting: Setting, away: Duration) -> Result<Vec<Row>> {
    let urls: Vec<String> = nodes.iter().map(Node::url).collect();
    let mut options = ServerOptions::new(urls.join(","));
    options.shard_number = Some(3);
    options.replication_factor = Some(setting.copies);
    options.write_consistency_factor = setting.written;
    options.read_consistency = setting.read;
    options.freshness = setting.freshness;
    let collection = format!("{}_{}", options.prefix, Collection::Entities);
    ServerStore::open(options.clone(), SCHEMA).await?;
    let shared = Arc::new(Shared {
        options,
        urls,
        model: Model::new(WRITERS * KEYS),
        reads: Tally::new(),
        writes: Tally::new(),
        wrong: AtomicUsize::new(0),
        example: Mutex::new(None),
        stops: AtomicBool::new(false),
    });
    let mut tasks = Vec::new();
    for number in 0..WRITERS {
        tasks.push(tokio::spawn(write(Arc::clone(&shared), number)));
        tasks.push(tokio::spawn(read(Arc::clone(&shared), number)));
        tasks.push(tokio::spawn(read_anew(Arc::clone(&shared), number)));
    }
    let mut rows = Vec::new();
    let mut note = |period| {
        let wrong = shared.wrong.swap(0, Ordering::Relaxed);
        let (reads, writes) = (shared.reads.take(), shared.writes.take());
        rows.push(Row { setting, period, reads, writes, wrong, lost: None });
    };
    tokio::time::sleep(away / 2).await;
    note("all are there");
    for victim in 0..nodes.len() {
        nodes[victim].kill()?;
        tokio::time::sleep(away).await;
        note("one is killed");
        nodes[victim].restart()?;
        whole(nodes, &collection, away).await;
        note("it is back");
        nodes[victim].signal("STOP")?;
        tokio::time::sleep(away).await;
        note("one is paused");
        nodes[victim].signal("CONT")?;
        whole(nodes, &collection, away).await;
        note("it goes on");
    }
    shared.stops.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await?;
    }
    whole(nodes, &collection, away * 5).await;
    let lost = compare(&shared).await?;
    rows.push(Row {
        setting,
        period: "in the end, on every node",
        reads: shared.reads.take(),
        writes: shared.writes.take(),
        wrong: shared.wrong.swap(0, Ordering::Relaxed),
        lost: Some(lost),
    });
    if let Some(example) = shared.example.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
        tell(example);
    }
    Ok(rows)
}

/// Prints the first wrong answer to standard error, since the table has no column for it.
fn tell(example: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "wrong: {example}");
}

/// Waits until all nodes consider all replicas active, but at least half of `least` and at most a minute
/// longer than `least`.
async fn whole(nodes: &[Node], collection: &str, least: Duration) {
    let began = Instant::now();
    tokio::time::sleep(least / 2).await;
    while !nodes.iter().all(|node| node.is_whole(collection))
        && began.elapsed() < least + Duration::from_mins(1)
    {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

impl Shared {
    /// Opens the store with this node's address first.
    async fn open(&self, first: usize) -> Option<ServerStore> {
        let mut options = self.options.clone();
        options.urls.rotate_left(first % self.urls.len());
        ServerStore::open(options, SCHEMA).await.ok()
    }

    fn goes_on(&self) -> bool {
        !self.stops.load(Ordering::Relaxed)
    }

    /// Reads some keys and compares the result with the writes acknowledged before.
    async fn check(&self, store: &ServerStore, random: &mut u64, who: &str) -> bool {
        let keys: Vec<usize> = (0..READ).map(|_| below(random, self.model.len())).collect();
        let since: Vec<usize> = keys.iter().map(|&key| self.model.acknowledged(key)).collect();
        let ids: Vec<PointId> = keys.iter().map(|&key| id(key)).collect();
        // By ID, or by a filter that matches all points.
        let found = if below(random, 2) == 0 {
            store.fetch(Collection::Entities, &ids, &Select::PAYLOAD).await
        } else {
            let every = Filter::equals("workspace", "w");
            let page = store.scroll(Collection::Entities, &every, None, 10_000, &Select::PAYLOAD).await;
            page.map(|page| page.points)
        };
        let Ok(found) = found else { return false };
        for (&key, &since) in keys.iter().zip(&since) {
            let point = found.iter().find(|point| point.id == id(key));
            let change = point.and_then(version);
            if !self.model.allows(key, since, change) {
                self.wrong.fetch_add(1, Ordering::Relaxed);
                let mut example = self.example.lock().unwrap_or_else(PoisonError::into_inner);
                example.get_or_insert_with(|| {
                    format!(
                        "{who} was answered change {change:?} of key {key}, of which {since} was acknowledged"
                    )
                });
            }
        }
        true
    }
}

/// Writes and deletes random keys of one writer.
async fn write(shared: Arc<Shared>, number: usize) {
    let (mut random, mut store, mut waits) = (number as u64 + 1, None, Instant::now());
    while shared.goes_on() {
        if store.is_none() {
            store = shared.open(number).await;
        }
        let Some(open) = &store else { continue };
        let key = number * KEYS + below(&mut random, KEYS);
        let writes = below(&mut random, 4) > 0;
        let change = shared.model.begin(key, writes);
        let done = if writes {
            let point = Point::new(id(key)).with_payload("workspace", "w").with_payload("version", change);
            open.upsert(Collection::Entities, vec![point], WriteMode::Replace).await
        } else {
            open.delete(Collection::Entities, &Filter::Ids(vec![id(key)])).await
        };
        if done.is_ok() {
            shared.model.acknowledge(key, change);
        }
        shared.writes.count(done.is_ok(), &mut waits);
        tokio::time::sleep(PAUSE).await;
    }
}

/// Reads repeatedly with one store.
async fn read(shared: Arc<Shared>, number: usize) {
    let (mut random, mut store, mut waits) = (number as u64 + 100, None, Instant::now());
    while shared.goes_on() {
        if store.is_none() {
            store = shared.open(number).await;
        }
        let Some(open) = &store else { continue };
        let done = shared.check(open, &mut random, "a reader").await;
        shared.reads.count(done, &mut waits);
        tokio::time::sleep(PAUSE).await;
    }
}

/// Opens a new store for every read, as commands do.
async fn read_anew(shared: Arc<Shared>, number: usize) {
    let (mut random, mut waits) = (number as u64 + 200, Instant::now());
    while shared.goes_on() {
        let done = match shared.open(number).await {
            Some(store) => shared.check(&store, &mut random, "a new reader").await,
            None => false,
        };
        shared.reads.count(done, &mut waits);
        tokio::time::sleep(PAUSE * 5).await;
    }
}

/// Reads all keys from each node separately. Returns how many differ from the acknowledged state.
async fn compare(shared: &Shared) -> Result<usize> {
    let mut lost = 0;
    for url in &shared.urls {
        let mut options = shared.options.clone();
        options.urls = vec![url.clone()];
        let store = ServerStore::open(options, SCHEMA).await.with_context(|| url.clone())?;
        let ids: Vec<PointId> = (0..shared.model.len()).map(id).collect();
        let found = store.fetch(Collection::Entities, &ids, &Select::PAYLOAD).await?;
        for key in 0..shared.model.len() {
            let change = found.iter().find(|point| point.id == id(key)).and_then(version);
            lost += usize::from(!shared.model.allows(key, shared.model.acknowledged(key), change));
        }
    }
    Ok(lost)
}

fn id(key: usize) -> PointId {
    PointId::from_u128(key as u128 + 1)
}

fn version(point: &Point) -> Option<usize> {
    point
        .payload
        .get("version")
        .and_then(serde_json::Value::as_u64)
        .and_then(|version| usize::try_from(version).ok())
}

/// Returns a pseudo-random number below a bound.
fn below(random: &mut u64, bound: usize) -> usize {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from((*random >> 33) % bound.max(1) as u64).unwrap_or(0)
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let read = match self.read {
            ReadConsistency::One => "one",
            ReadConsistency::Quorum => "quorum",
            ReadConsistency::All => "all",
        };
        let freshness = match self.freshness {
            Freshness::Confirmed => "confirmed",
            Freshness::Any => "any",
        };
        write!(f, "{} | {} | {read} | {freshness}", self.copies, self.written.unwrap_or(1))
    }
}

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = [
            "replication_factor",
            "write_consistency_factor",
            "read_consistency",
            "freshness",
            "nodes",
            "reads answered, failed",
            "longest wait, s",
            "writes acknowledged, failed",
            "longest wait, s",
            "wrong answers",
            "acknowledged and lost",
        ];
        writeln!(f, "| {} |", titles.join(" | "))?;
        writeln!(f, "|{}", " --- |".repeat(titles.len()))?;
        for row in self.merged() {
            let calls =
                |calls: &Calls| format!("{}, {} | {:.1}", calls.done, calls.failed, calls.wait.as_secs_f64());
            let lost = row.lost.map_or_else(String::new, |lost| lost.to_string());
            let (reads, writes) = (calls(&row.reads), calls(&row.writes));
            writeln!(
                f,
                "| {} | {} | {reads} | {writes} | {} | {lost} |",
                row.setting, row.period, row.wrong
            )?;
        }
        Ok(())
    }
}

impl Cluster {
    /// Merges the rows of the three nodes into one per setting and period.
    fn merged(&self) -> Vec<Row> {
        let mut merged: Vec<Row> = Vec::new();
        for row in &self.rows {
            let name = row.setting.to_string();
            let same = merged
                .iter_mut()
                .find(|other| other.period == row.period && other.setting.to_string() == name);
            match same {
                None => merged.push(Row {
                    setting: row.setting,
                    period: row.period,
                    reads: row.reads.clone(),
                    writes: row.writes.clone(),
                    wrong: row.wrong,
                    lost: row.lost,
                }),
                Some(other) => {
                    for (sum, calls) in [(&mut other.reads, &row.reads), (&mut other.writes, &row.writes)] {
                        sum.done += calls.done;
                        sum.failed += calls.failed;
                        sum.wait = sum.wait.max(calls.wait);
                    }
                    other.wrong += row.wrong;
                }
            }
        }
        merged
    }
}
