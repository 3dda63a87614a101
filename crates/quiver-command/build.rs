//! Compiles the demo's documents into the binary.

use std::{env, ffi::OsStr, fmt::Write as _, fs, io, path::Path};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=demo");
    let directory = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("demo");
    let mut names = Vec::new();
    for entry in fs::read_dir(&directory)? {
        let path = entry?.path();
        if let (Some(name), Some("md")) = (path.file_name(), path.extension().and_then(OsStr::to_str)) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    let mut code =
        String::from("/// The documents, each with its file name.\nstatic DOCUMENTS: &[(&str, &str)] = &[\n");
    // The path is built while the crate compiles, since another clone may share the target directory and what is
    // written here.
    for name in names {
        let path = format!("/demo/{name}");
        writeln!(code, "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {path:?}))),")
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("documents.rs"), code)
}
