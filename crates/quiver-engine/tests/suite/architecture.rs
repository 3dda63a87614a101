//! The arrows between the crates: those that Cargo reports, those listed here, and those that ARCHITECTURE.md draws.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use serde_json::Value;

/// Every crate of the workspace, with those of the workspace that it may name: for building, for tests, behind a
/// feature or not. A new arrow belongs here first, with a thought of its own.
const ARROWS: &[(&str, &[&str])] = &[
    ("quiver-store", &[]),
    ("quiver-cypher", &[]),
    ("quiver-language", &[]),
    ("quiver-documents", &["quiver-language"]),
    ("quiver-models", &["quiver-language"]),
    ("quiver-graph", &["quiver-store"]),
    ("quiver-answer", &["quiver-documents", "quiver-language", "quiver-models"]),
    ("quiver-memory", &["quiver-graph", "quiver-language", "quiver-models", "quiver-store"]),
    (
        "quiver-engine",
        &[
            "quiver-answer",
            "quiver-cypher",
            "quiver-documents",
            "quiver-graph",
            "quiver-language",
            "quiver-memory",
            "quiver-models",
            "quiver-store",
        ],
    ),
    ("quiver-forms", &["quiver-engine"]),
    ("quiver-tools", &["quiver-engine", "quiver-forms", "quiver-page"]),
    ("quiver-page", &[]),
    ("quiver-web", &["quiver-documents"]),
    ("quiver-server", &["quiver-engine", "quiver-forms", "quiver-page", "quiver-tools", "quiver-web"]),
    (
        "quiver-command",
        &["quiver-engine", "quiver-forms", "quiver-page", "quiver-server", "quiver-tools", "quiver-web"],
    ),
    ("quiver-eval", &["quiver-engine", "quiver-server"]),
];

/// What only one crate may name: the outside world has one door each.
const DOORS: &[(&str, &[&str])] = &[
    ("quiver-store", &["qdrant-edge", "qdrant-client"]),
    ("quiver-server", &["axum", "boltr", "hyper"]),
    ("quiver-models", &["fastembed", "ort", "hf-hub", "tokenizers"]),
    ("quiver-documents", &["calamine", "pdf-extract", "pulldown-cmark", "text-splitter"]),
    ("quiver-web", &["texting_robots"]),
];

/// A crate of the workspace, with all that its manifest names.
struct Package {
    directory: String,
    dependencies: BTreeSet<String>,
    /// The dependencies that it is built with, without those of its tests only.
    built_with: BTreeSet<String>,
}

/// Asks Cargo for the crates of the workspace.
fn packages() -> BTreeMap<String, Package> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages: BTreeMap<String, Package> = list(&metadata["packages"])
        .map(|package| {
            let manifest = Path::new(text(&package["manifest_path"]));
            let directory =
                manifest.parent().and_then(Path::file_name).expect("a manifest is in a directory");
            let directory = directory.to_string_lossy().into_owned();
            let named = |dependency: &Value| text(&dependency["name"]).to_owned();
            let dependencies = list(&package["dependencies"]).map(named).collect();
            let built_with = list(&package["dependencies"]).filter(|dependency| dependency["kind"].is_null());
            let built_with = built_with.map(named).collect();
            (text(&package["name"]).to_owned(), Package { directory, dependencies, built_with })
        })
        .collect();
    assert!(packages.len() >= ARROWS.len(), "cargo lists {} crates", packages.len());
    packages
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("a list").iter()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

/// The arrows that a text draws, in order. Each line of its first block names a crate and, after an arrow, the crates
/// that it is built with, without the prefix that all of them have.
fn drawn(text: &str) -> Vec<(String, BTreeSet<String>)> {
    let lines = text.lines().skip_while(|line| *line != "```text").skip(1).take_while(|line| *line != "```");
    let arrows = lines.map(|line| {
        let name = line.split_whitespace().next().unwrap_or_default().to_owned();
        let ends = line.split_once('→').map_or("", |(_, ends)| ends).split(',').map(str::trim);
        let ends = ends.filter(|end| !end.is_empty()).map(|end| format!("quiver-{end}"));
        (name, ends.collect())
    });
    arrows.collect()
}

/// The crates that name a crate whose name passes.
fn naming(packages: &BTreeMap<String, Package>, passes: impl Fn(&str) -> bool) -> Vec<&str> {
    let names = |package: &Package| package.dependencies.iter().any(|name| passes(name));
    packages.iter().filter(|(_, package)| names(package)).map(|(name, _)| name.as_str()).collect()
}

#[test]
fn every_arrow_is_drawn() {
    let packages = packages();
    let found: BTreeMap<&str, Vec<&str>> = packages
        .iter()
        .map(|(name, package)| {
            let named = package.dependencies.iter().filter(|name| packages.contains_key(*name));
            (name.as_str(), named.map(String::as_str).collect())
        })
        .collect();
    let drawn: BTreeMap<&str, Vec<&str>> =
        ARROWS.iter().map(|(name, named)| (*name, named.to_vec())).collect();
    assert_eq!(found, drawn, "the arrows between the crates (left) are not those that are drawn (right)");
}

#[test]
fn architecture_md_draws_every_arrow_and_all_lead_down() {
    let packages = packages();
    let built_with = |package: &Package| {
        let named = package.built_with.iter().filter(|name| packages.contains_key(*name));
        named.cloned().collect::<BTreeSet<String>>()
    };
    let found: BTreeMap<String, BTreeSet<String>> =
        packages.iter().map(|(name, package)| (name.clone(), built_with(package))).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let drawn = drawn(&fs::read_to_string(path).expect("ARCHITECTURE.md can be read"));
    assert_eq!(
        found,
        drawn.iter().cloned().collect(),
        "the arrows between the crates (left) are not those of ARCHITECTURE.md (right)"
    );
    for (at, (name, ends)) in drawn.iter().enumerate() {
        let below: BTreeSet<&String> = drawn[at + 1..].iter().map(|(name, _)| name).collect();
        assert!(ends.iter().all(|end| below.contains(end)), "an arrow from {name} leads up");
    }
}

#[test]
fn each_part_of_the_outside_world_has_one_door() {
    let packages = packages();
    for (door, foreign) in DOORS {
        for name in *foreign {
            let named_by = naming(&packages, |found| found == *name);
            assert!(named_by.iter().all(|crate_name| crate_name == door), "{name} is named by {named_by:?}");
        }
    }
    // A crate of Qdrant's that the list above does not know yet goes through the same door.
    assert_eq!(naming(&packages, |name| name.starts_with("qdrant")), ["quiver-store"]);
    assert_eq!(naming(&packages, |name| name == "fastembed"), ["quiver-models"]);
    // Models are called, and pages are fetched.
    assert_eq!(naming(&packages, |name| name == "reqwest"), ["quiver-models", "quiver-web"]);
}

#[test]
fn folders_are_named_as_their_crates() {
    for (name, package) in packages() {
        let expected = if name == "quiver-eval" { "eval" } else { name.as_str() };
        assert_eq!(package.directory, expected);
    }
}
