//! Groups of modules that import each other. A parent and its children may; others tell of a missing module between
//! them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The groups that are allowed, each as its crate and its modules.
const KNOWN: &[(&str, &[&str])] = &[("quiver-store", &["embedded::read", "embedded::shard"])];

/// The modules that each module of a crate names in its `use` declarations.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Reads the imports of all modules below a directory of source code.
fn imports(source: &Path) -> Imports {
    let mut files = Vec::new();
    collect(source, &mut files);
    let named = files.into_iter().map(|file| {
        let path = file.strip_prefix(source).expect("the file is below the directory").with_extension("");
        let mut parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
            parts.pop();
        }
        (parts.join("::"), fs::read_to_string(file.as_path()).expect("source code is text"))
    });
    let texts: BTreeMap<String, String> = named.filter(|(name, _)| !name.ends_with("tests")).collect();
    let modules: BTreeSet<String> = texts.keys().filter(|name| !name.is_empty()).cloned().collect();
    texts
        .iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, text)| {
            let paths = declarations(text).into_iter().flat_map(|declaration| expand(&declaration));
            let found = paths.filter_map(|path| module_of(name, &path, &modules));
            (name.clone(), found.filter(|other| !is_family(name, other)).collect())
        })
        .collect()
}

fn collect(directory: &Path, files: &mut Vec<std::path::PathBuf>) {
    let entries = fs::read_dir(directory).expect("the directory can be read");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The paths of the `use` declarations of a module, without those of its unit tests.
fn declarations(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let line = rest[..at].rsplit('\n').next().unwrap_or_default().trim();
        let begins = line.is_empty() || line == "pub" || (line.starts_with("pub(") && line.ends_with(')'));
        let end = rest[at..].find(';').map_or(rest.len(), |length| at + length);
        if begins {
            found.push(rest[at + 4..end].split_whitespace().collect::<Vec<_>>().join(" "));
        }
        rest = &rest[if begins { end } else { at + 4 }..];
    }
    found
}

/// `a::{b, c::d}` as `a::b` and `a::c::d`.
fn expand(path: &str) -> Vec<String> {
    let path = path.split(" as ").next().unwrap_or_default().trim();
    let Some(open) = path.find('{') else { return vec![path.to_owned()] };
    let (before, inner) = (&path[..open], path[open + 1..].trim_end().trim_end_matches('}'));
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    // What closes an inner group was cut off with the outer one.
    let closed = |part: &str| {
        let missing = part.matches('{').count().saturating_sub(part.matches('}').count());
        format!("{part}{}", "}".repeat(missing))
    };
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| expand(&format!("{before}{}", closed(part.trim())))).collect()
}

/// The module of the crate that a path leads into.
fn module_of(from: &str, path: &str, modules: &BTreeSet<String>) -> Option<String> {
    let mut base: Vec<&str> = from.split("::").collect();
    let mut parts = path.split("::").map(str::trim).peekable();
    match parts.peek().copied() {
        Some("crate") => {
            base.clear();
            parts.next();
        }
        Some("self") => {
            parts.next();
        }
        Some("super") => {
            while parts.next_if_eq(&"super").is_some() {
                base.pop();
            }
        }
        _ => {}
    }
    base.extend(parts);
    let mut names = (1..=base.len()).rev().map(|length| base[..length].join("::"));
    // What a path begins with may be a module below this one, another crate, or a name in scope.
    names.find(|name| modules.contains(name)).filter(|name| name != from)
}

/// Whether one of two modules is within the other.
fn is_family(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| inner == outer || inner.starts_with(&format!("{outer}::"));
    within(one, other) || within(other, one)
}

/// The groups of modules of which each leads to each other.
fn circles(imports: &Imports) -> Vec<BTreeSet<String>> {
    let reached = |from: &String| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = imports[from].iter().collect();
        while let Some(next) = open.pop() {
            if seen.insert(next.clone()) {
                open.extend(&imports[next]);
            }
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|name| (name, reached(name))).collect();
    let mut groups: Vec<BTreeSet<String>> = Vec::new();
    for (name, seen) in &reach {
        if groups.iter().any(|group| group.contains(*name)) {
            continue;
        }
        let group: BTreeSet<String> =
            seen.iter().filter(|other| reach[other].contains(*name)).cloned().collect();
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups
}

#[test]
fn only_known_groups_of_modules_import_each_other() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = fs::read_dir(workspace.join("crates")).expect("the workspace has crates");
    let mut sources: Vec<_> = crates.map(|entry| entry.expect("an entry").path()).collect();
    sources.push(workspace.join("eval"));
    sources.sort();
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.join("src").is_dir()) {
        let name = source.file_name().expect("a crate has a name").to_string_lossy().into_owned();
        for group in circles(&imports(&source.join("src"))) {
            found.push((name.clone(), group.into_iter().collect::<Vec<_>>()));
        }
    }
    let known = |(name, modules): &(&str, &[&str])| {
        ((*name).to_owned(), modules.iter().map(|&module| module.to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        found,
        KNOWN.iter().map(known).collect::<Vec<_>>(),
        "groups of modules that import each other"
    );
}

#[test]
fn paths_of_use_declarations_are_taken_apart() {
    assert_eq!(expand("crate::{a::{B, c}, d}"), ["crate::a::B", "crate::a::c", "crate::d"]);
    assert_eq!(declarations("use a::b;\npub(crate) use c::{d,\n e};\n// we use f;\n"), ["a::b", "c::{d, e}"]);
    let modules: BTreeSet<String> = ["a", "a::b", "c"].map(str::to_owned).into();
    assert_eq!(module_of("a::b", "super::super::c::Thing", &modules), Some("c".to_owned()));
    assert_eq!(module_of("c", "crate::a::b::Thing", &modules), Some("a::b".to_owned()));
    assert_eq!(module_of("c", "std::fs", &modules), None);
}

#[test]
fn a_circle_of_three_is_found_and_a_family_is_none() {
    let imports: Imports = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["a", "d"]), ("d", vec![])]
        .into_iter()
        .map(|(name, others)| (name.to_owned(), others.into_iter().map(str::to_owned).collect()))
        .collect();
    assert_eq!(circles(&imports), [BTreeSet::from(["a", "b", "c"].map(str::to_owned))]);
    assert!(is_family("a::b", "a") && !is_family("ab", "a"));
}
