//! The openCypher Technology Compatibility Kit, 2024.3, on the graph in the database: in memory and embedded.
//!
//! Each scenario has a workspace of its own. What fails on the graph in memory of `quiver-cypher` may fail here too;
//! `tck_failures.txt` lists what fails here, and may only shrink.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../quiver-cypher/tests/tck/compare.rs"]
mod compare;
#[path = "../../../quiver-cypher/tests/tck/gherkin.rs"]
mod gherkin;
#[path = "../../../quiver-cypher/tests/tck/kit.rs"]
mod kit;
#[path = "../../../quiver-cypher/tests/tck/scenario.rs"]
mod scenario;

use std::path::Path;

use quiver::{
    Quiver,
    cypher::{Map, Options, Rows},
    query::QueryOptions,
};
use tokio::runtime::Runtime;

use self::scenario::{Content, Subject};

/// A workspace, and what runs its queries.
struct Place<'a> {
    runtime: &'a Runtime,
    quiver: Quiver,
}

impl Subject for Place<'_> {
    fn run(&self, text: &str, parameters: &Map, options: &Options) -> Result<Rows, String> {
        let options = QueryOptions { cypher: options.clone(), ..QueryOptions::default() };
        let request = self.quiver.query(text).parameters(parameters.clone()).options(options);
        let found = self.runtime.block_on(request.into_future());
        found.map(|found| found.rows).map_err(|error| error.to_string())
    }

    fn content(&self) -> Content {
        let all = |query| self.run(query, &Map::new(), &Options::default()).unwrap();
        let mut found = Content::default();
        all("MATCH (n) RETURN n").nodes.iter().for_each(|(id, node)| found.add_node(id, node));
        let relationships = all("MATCH ()-[r]->() RETURN r").relationships;
        relationships.iter().for_each(|(id, one)| found.add_relationship(id, one));
        found
    }
}

fn check(runtime: &Runtime, quiver: &Quiver) {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/tck_failures.txt");
    let mut number = 0;
    kit::check(&list, &["reads", "writes"], || {
        number += 1;
        let workspace = format!("scenario-{number}").parse().unwrap();
        Place { runtime, quiver: runtime.block_on(quiver.in_workspace(workspace)).unwrap() }
    });
}

#[test]
#[ignore = "reads the openCypher TCK, which `cargo fetch` brings; run it with --ignored"]
fn the_tck_passes_in_memory_but_for_what_is_listed() {
    let runtime = Runtime::new().unwrap();
    let quiver = runtime.block_on(Quiver::in_memory()).unwrap();
    check(&runtime, &quiver);
}

#[cfg(feature = "embedded")]
#[test]
#[ignore = "reads the openCypher TCK, which `cargo fetch` brings; run it with --ignored"]
fn the_tck_passes_in_a_directory_but_for_what_is_listed() {
    let runtime = Runtime::new().unwrap();
    let home = tempfile::tempdir().unwrap();
    let quiver = runtime.block_on(Quiver::open(home.path())).unwrap();
    check(&runtime, &quiver);
}
