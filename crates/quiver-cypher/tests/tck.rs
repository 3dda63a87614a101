//! The openCypher Technology Compatibility Kit, 2024.3, on the graph in memory.
//!
//! The scenarios come with the package `open-cypher`, which Cargo fetches and never builds; none of them is in this
//! repository. `tck_failures.txt` lists the scenarios that fail; the list may only shrink. `QUIVER_TCK_BLESS=1`
//! rewrites it, `QUIVER_TCK_SHOW=name` prints what a scenario returns.

#[path = "tck/compare.rs"]
mod compare;
#[path = "tck/gherkin.rs"]
mod gherkin;
#[path = "tck/kit.rs"]
mod kit;
#[path = "tck/scenario.rs"]
mod scenario;

use std::path::Path;

use quiver_cypher::{Map, MemoryGraph, Options, Query, Rows};
use scenario::{Content, Subject};

impl Subject for MemoryGraph {
    fn run(&self, text: &str, parameters: &Map, options: &Options) -> Result<Rows, String> {
        let query = Query::parse(text).map_err(|error| error.to_string())?;
        query.run(self, parameters, options).map_err(|error| error.to_string())
    }

    fn content(&self) -> Content {
        let mut found = Content::default();
        self.nodes().iter().for_each(|(id, node)| found.add_node(id, node));
        self.relationships().iter().for_each(|(id, one)| found.add_relationship(id, one));
        found
    }
}

#[test]
#[ignore = "reads the openCypher TCK, which `cargo fetch` brings; run it with --ignored"]
fn the_scenarios_of_the_tck_pass_but_those_listed() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tck_failures.txt");
    kit::check(&list, &["reads", "quantifiers", "writes", "temporal", "procedures"], MemoryGraph::new);
}
