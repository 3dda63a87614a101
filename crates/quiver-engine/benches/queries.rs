//! What queries over records cost, embedded and warm, beside the same walks by hand over a graph library in memory.
//!
//! Corpus: a seeded catalogue of 100,000 services, 20,000 APIs, 500 teams, 10 regions and 10,000 texts with 400,000
//! relationships, and one platform that all services run on, with 100,000 more. `cargo bench -p quiver-engine --bench
//! queries` loads it into a temporary directory, which takes minutes, and prints the median and the 95th percentile of
//! 200 runs of each query, each with other parameters, after the same runs to warm up, and what the first one read. With `-- --keep
//! DIRECTORY` the database stays there for the next run, and with `-- --part 10` it has a tenth of the services. Without
//! `--bench` a catalogue of a hundredth is queried, to see that it works. Read p50 of `reference` first: it should be
//! below 20 ms, whatever the size of the rest; the queries from a hub should cost what passes their filter, and not the
//! 100,000 relationships of the platform.

#![expect(clippy::print_stdout, reason = "a bench prints what it measures")]

use std::{
    collections::HashMap,
    hint::black_box,
    path::PathBuf,
    time::{Duration, Instant},
};

use petgraph::{
    Direction::{Incoming, Outgoing},
    graph::{DiGraph, NodeIndex},
    visit::EdgeRef,
};
use quiver::{
    Quiver,
    cypher::{Map, Value},
    query::{NodeTable, QueryOptions, RelationshipTable, TableRow},
};
use tokio::runtime::Runtime;

const RUNS: usize = 200;
const REGIONS: usize = 10;

const REFERENCE: &str = "MATCH (t:Team {name: $team})-[:OWNS]->(s:Service)-[:CALLS]->(a:API)
MATCH (s)-[:DEPLOYED_IN]->(:Region {name: $region})
WHERE a.status = 'deprecated'
OPTIONAL MATCH (s)-[:LINKED_TO]->(d:DocChunk)
RETURN
s.name AS service,
a.name AS api,
a.version AS version,
collect(DISTINCT d.text)[0..5] AS evidence
ORDER BY service;";
const FROM_A_HUB: &str =
    "MATCH (:Platform {name: 'main'})<-[:RUNS_ON {slot: $slot}]-(s:Service)-[:CALLS]->(a:API)
RETURN s.name, a.name";
/// The same with a filter on the services that the hub leads to.
const FROM_A_HUB_TO_FEW: &str =
    "MATCH (:Platform {name: 'main'})<-[:RUNS_ON]-(s:Service {shelf: $slot})-[:CALLS]->(a:API)
RETURN s.name, a.name";

/// One relationship: its type, the places of its ends among the nodes of their labels, and its slot, if it has one.
struct Link {
    kind: &'static str,
    from: (&'static str, usize),
    to: (&'static str, usize),
    slot: Option<i64>,
}

/// How many nodes there are of each label.
struct Scale {
    services: usize,
    apis: usize,
    teams: usize,
    texts: usize,
}

/// A sequence that looks random and is the same in each run.
fn scattered(number: usize, below: usize) -> usize {
    let mixed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33;
    usize::try_from(mixed).unwrap_or_default() % below
}

/// The slot on the platform, or the shelf, of a service: each has ten of them.
fn place_of(service: usize, services: usize, kind: usize) -> i64 {
    i64::try_from(scattered(service + kind * services, services / 10)).unwrap_or_default()
}

fn is_deprecated(api: usize) -> bool {
    api.is_multiple_of(10)
}

impl Scale {
    fn labels(&self) -> [(&'static str, usize); 6] {
        [
            ("Team", self.teams),
            ("Service", self.services),
            ("API", self.apis),
            ("Region", REGIONS),
            ("DocChunk", self.texts),
            ("Platform", 1),
        ]
    }

    fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for service in 0..self.services {
            let mut add = |kind, from, to, slot| links.push(Link { kind, from, to, slot });
            let own = ("Service", service);
            add("OWNS", ("Team", service % self.teams), own, None);
            add("DEPLOYED_IN", own, ("Region", scattered(service, REGIONS)), None);
            let first = scattered(service + self.services, self.apis);
            add("CALLS", own, ("API", first), None);
            // Nine of ten call a second one.
            if !service.is_multiple_of(10) {
                add("CALLS", own, ("API", (first + 1 + service % 7) % self.apis), None);
            }
            if service.is_multiple_of(10) {
                let text = service / 10;
                add("LINKED_TO", own, ("DocChunk", text % self.texts), None);
            }
            add("RUNS_ON", own, ("Platform", 0), Some(place_of(service, self.services, 3)));
        }
        links
    }
}

fn name(label: &str, number: usize) -> String {
    match label {
        "Platform" => "main".to_owned(),
        _ => format!("{}-{number}", label.to_lowercase()),
    }
}

fn load(runtime: &Runtime, quiver: &Quiver, scale: &Scale, links: &[Link]) {
    for (label, count) in scale.labels() {
        let rows = (0..count).map(|number| {
            let mut values = Map::from([("name".to_owned(), Value::from(name(label, number)))]);
            if label == "API" {
                let status = if is_deprecated(number) { "deprecated" } else { "active" };
                values.insert("status".to_owned(), status.into());
                values.insert("version".to_owned(), format!("1.{}", number % 9).into());
            }
            if label == "Service" {
                values.insert("shelf".to_owned(), place_of(number, scale.services, 5).into());
            }
            if label == "DocChunk" {
                values.insert(
                    "text".to_owned(),
                    format!("How number {number} is moved to the next version.").into(),
                );
            }
            TableRow { line: number as u64 + 2, values }
        });
        let rows = rows.collect();
        let table =
            NodeTable { source: label.to_owned(), label: label.to_owned(), key: "name".to_owned(), rows };
        runtime.block_on(quiver.load_nodes(table)).expect("nodes are loaded");
    }
    for kind in ["OWNS", "CALLS", "DEPLOYED_IN", "LINKED_TO", "RUNS_ON"] {
        let of_kind: Vec<&Link> = links.iter().filter(|link| link.kind == kind).collect();
        let Some(first) = of_kind.first() else { continue };
        let end = |label: &str| (label.to_owned(), "name".to_owned());
        let (from, to) = (end(first.from.0), end(first.to.0));
        let rows = of_kind.iter().enumerate().map(|(number, link)| {
            let mut values = Map::from([
                ("from".to_owned(), Value::from(name(link.from.0, link.from.1))),
                ("to".to_owned(), Value::from(name(link.to.0, link.to.1))),
            ]);
            values.extend(link.slot.map(|slot| ("slot".to_owned(), Value::from(slot))));
            TableRow { line: number as u64 + 2, values }
        });
        let (rows, source) = (rows.collect(), kind.to_owned());
        let table = RelationshipTable { source: source.clone(), kind: source, from, to, key: None, rows };
        runtime.block_on(quiver.load_relationships(table)).expect("relationships are loaded");
    }
}

/// The same graph in memory: nodes by label and number, edges by type.
struct Floor {
    graph: DiGraph<(&'static str, usize), (&'static str, Option<i64>)>,
    places: HashMap<(&'static str, usize), NodeIndex>,
}

impl Floor {
    fn new(scale: &Scale, links: &[Link]) -> Self {
        let mut floor = Self { graph: DiGraph::new(), places: HashMap::new() };
        for (label, count) in scale.labels() {
            for number in 0..count {
                let place = floor.graph.add_node((label, number));
                floor.places.insert((label, number), place);
            }
        }
        for Link { kind, from, to, slot } in links {
            floor.graph.add_edge(floor.places[from], floor.places[to], (kind, *slot));
        }
        floor
    }

    fn reference(&self, team: usize, region: usize) -> usize {
        let mut found = Vec::new();
        let follow = |from, kind: &'static str| {
            let edges = self.graph.edges_directed(from, Outgoing);
            edges.filter(move |edge| edge.weight().0 == kind).map(|edge| edge.target())
        };
        for service in follow(self.places[&("Team", team)], "OWNS") {
            if !follow(service, "DEPLOYED_IN").any(|place| self.graph[place] == ("Region", region)) {
                continue;
            }
            for api in follow(service, "CALLS").filter(|api| is_deprecated(self.graph[*api].1)) {
                let texts: Vec<_> = follow(service, "LINKED_TO").take(3).collect();
                found.push((name("Service", self.graph[service].1), self.graph[api].1, texts));
            }
        }
        found.sort();
        found.len()
    }

    fn calls_at_a_hub(&self, passes: impl Fn(usize) -> bool) -> usize {
        let hub = self.graph.edges_directed(self.places[&("Platform", 0)], Incoming);
        let passing = hub.filter(|edge| passes(self.graph[edge.source()].1));
        let services = passing.map(|edge| edge.source());
        let calls = services.flat_map(|service| self.graph.edges_directed(service, Outgoing));
        calls.filter(|edge| edge.weight().0 == "CALLS").count()
    }
}

/// Prints the median and the 95th percentile of some runs, after the same ones that are not counted, and returns the
/// rows.
fn measure(what: &str, mut run: impl FnMut(usize) -> usize) -> usize {
    let mut rows: usize = (0..RUNS).map(&mut run).sum();
    let mut times: Vec<Duration> = Vec::new();
    for number in 0..RUNS {
        let began = Instant::now();
        rows += black_box(run(number));
        times.push(began.elapsed());
    }
    times.sort();
    let ms = |share: usize| times[RUNS * share / 100].as_secs_f64() * 1000.0;
    println!("{what:<32} p50 {:>9.3} ms   p95 {:>9.3} ms   {rows} rows", ms(50), ms(95));
    rows
}

/// The value of an option of the command line.
fn option(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let part = option("--part").and_then(|part| part.parse().ok()).unwrap_or(if full { 1 } else { 100 });
    let scale =
        Scale { services: 100_000 / part, apis: 20_000 / part, teams: 500 / part, texts: 10_000 / part };
    let links = scale.links();
    let runtime = Runtime::new().expect("a runtime");
    let home = tempfile::tempdir().expect("a directory");
    let kept = option("--keep").map(PathBuf::from);
    let place = kept.unwrap_or_else(|| home.path().to_owned());
    let is_loaded = place.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let quiver = runtime.block_on(Quiver::open(&place)).expect("a database");
    if !is_loaded {
        let began = Instant::now();
        load(&runtime, &quiver, &scale, &links);
        println!("{} relationships loaded in {:.0} s", links.len(), began.elapsed().as_secs_f64());
    }
    let floor = Floor::new(&scale, &links);
    let ask = |query: &str, parameters: Map| {
        let request = quiver.query(query).parameters(parameters);
        runtime.block_on(request.into_future()).expect("the query runs").rows.len()
    };
    let profile = |query: &str, parameters: Map| {
        let options = QueryOptions { profile: true, ..QueryOptions::default() };
        let request = quiver.query(query).parameters(parameters).options(options);
        let queried = runtime.block_on(request.into_future());
        for line in queried.expect("the query runs").plan {
            println!("    {line}");
        }
    };
    let place = |number: usize| (scattered(number, scale.teams), number % REGIONS);
    let named = |number: usize| {
        let (team, region) = place(number);
        let parameters = [("team", name("Team", team)), ("region", name("Region", region))];
        parameters.map(|(key, value)| (key.to_owned(), Value::from(value))).into()
    };
    let found = measure("reference", |number| ask(REFERENCE, named(number)));
    profile(REFERENCE, named(0));
    let expected = measure("reference, petgraph", |number| {
        let (team, region) = place(number);
        floor.reference(team, region)
    });
    assert_eq!(found, expected, "both find the same");
    let slot = |number: usize| i64::try_from(scattered(number, scale.services / 10)).unwrap_or_default();
    let slotted = |number: usize| Map::from([("slot".to_owned(), Value::from(slot(number)))]);
    for (what, query, kind) in [("from a hub", FROM_A_HUB, 3), ("from a hub to few", FROM_A_HUB_TO_FEW, 5)] {
        let found = measure(what, |number| ask(query, slotted(number)));
        profile(query, slotted(0));
        let expected = measure(&format!("{what}, petgraph"), |number| {
            floor.calls_at_a_hub(|service| place_of(service, scale.services, kind) == slot(number))
        });
        assert_eq!(found, expected, "both find the same");
    }
}
