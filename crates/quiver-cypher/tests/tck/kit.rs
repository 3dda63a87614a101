//! Finds the scenarios, runs them, and compares those that fail with a list.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints its counts"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use super::{
    gherkin,
    scenario::{self, Subject},
};

/// Finds the folder of the TCK: named by `QUIVER_TCK`, or in the sources that Cargo has fetched.
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("QUIVER_TCK") {
        return Some(folder.into());
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))?;
    let sources = fs::read_dir(home.join("registry/src")).ok()?;
    let inner = "open-cypher-0.5.0/spec/vendor/openCypher-2024.3/tck";
    sources.filter_map(Result::ok).map(|source| source.path().join(inner)).find(|folder| folder.is_dir())
}

fn features(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            features(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "feature") {
            found.push(entry);
        }
    }
}

/// Returns the group in which a scenario is counted.
fn area(path: &str) -> &'static str {
    if path.contains("/temporal/") {
        "temporal"
    } else if path.contains("/quantifier/") {
        "quantifiers"
    } else if path.contains("/call/") {
        "procedures"
    } else if ["/create/", "/delete/", "/merge/", "/remove/", "/set/"].iter().any(|part| path.contains(part))
    {
        "writes"
    } else {
        "reads"
    }
}

/// Runs the scenarios of some areas, each on a graph of its own, and panics unless exactly the listed ones fail.
pub(crate) fn check<S: Subject>(list: &Path, areas: &[&str], mut graph: impl FnMut() -> S) {
    let folder = folder().expect("the TCK: `cargo fetch` brings it, or QUIVER_TCK names its folder");
    let mut files = Vec::new();
    features(&folder.join("features"), &mut files);
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut failed = BTreeSet::new();
    let shown = std::env::var("QUIVER_TCK_SHOW").unwrap_or_default();
    for file in files {
        let path = file.to_string_lossy().into_owned();
        for scenario in gherkin::scenarios(&fs::read_to_string(&file).unwrap()) {
            let name = format!("{} {}", file.file_stem().unwrap().to_string_lossy(), scenario.name);
            let area = area(&path);
            if !areas.contains(&area) {
                continue;
            }
            let count = counts.entry(area).or_default();
            count.1 += 1;
            let result = scenario::run(&folder, &scenario, &graph());
            if !shown.is_empty() && name.contains(&shown) {
                println!("{name}: {result:?}");
            }
            match result {
                Ok(()) => count.0 += 1,
                Err(_) => {
                    failed.insert(name);
                }
            }
        }
    }
    for (area, (passed, all)) in &counts {
        println!("{area}: {passed} of {all}");
    }
    let (passed, all) = counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    println!("openCypher 2024.3: {passed} of {all} TCK scenarios");
    if std::env::var_os("QUIVER_TCK_BLESS").is_some() {
        let lines: Vec<String> = failed.iter().map(|name| format!("{name}\n")).collect();
        fs::write(list, lines.concat()).unwrap();
        return;
    }
    let known: BTreeSet<String> = fs::read_to_string(list).unwrap().lines().map(str::to_owned).collect();
    let new: Vec<_> = failed.difference(&known).collect();
    assert!(new.is_empty(), "scenarios fail that did not before: {new:#?}");
    let mended: Vec<_> = known.difference(&failed).collect();
    assert!(mended.is_empty(), "scenarios pass now; take them off the list: {mended:#?}");
}
