//! Finds and loads the ONNX runtime library.
//!
//! The bindings panic if the library is missing or too old, so it is loaded here before they are used.

/// Loads the runtime. The first library loaded in a process is used for its whole lifetime.
#[cfg(not(feature = "fastembed"))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as where the library is loaded")]
pub(super) fn load(_wanted: Option<&std::path::Path>) -> crate::Result<()> {
    // The runtime is linked at build time.
    Ok(())
}

#[cfg(feature = "fastembed")]
pub(super) use dynamic::load;

#[cfg(feature = "fastembed")]
mod dynamic {
    use std::{
        env,
        ffi::OsStr,
        fs,
        path::{Path, PathBuf},
        sync::Mutex,
    };

    use crate::{Error, ErrorKind, Result};

    const VARIABLE: &str = "ORT_DYLIB_PATH";

    /// Loads the runtime. The first library loaded in a process is used for its whole lifetime.
    pub(in super::super) fn load(wanted: Option<&Path>) -> Result<()> {
        static LOADED: Mutex<bool> = Mutex::new(false);
        let mut loaded = LOADED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *loaded {
            return Ok(());
        }
        let named = env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        // If the user named a library, don't fall back to another.
        let candidates = match wanted.map(Path::to_path_buf).or(named) {
            Some(path) if path.is_file() => vec![path],
            Some(path) if path.is_dir() => libraries_in(&path),
            Some(path) => return Err(missing(&format!("there is no ONNX runtime at {}", path.display()))),
            None => places().iter().flat_map(|place| libraries_in(place)).collect(),
        };
        let mut refused = Vec::new();
        for candidate in candidates {
            let path = candidate.canonicalize().unwrap_or(candidate);
            match ort::init_from(&path) {
                Ok(_environment) => {
                    tracing::debug!(path = %path.display(), "loaded the ONNX runtime");
                    *loaded = true;
                    return Ok(());
                }
                Err(error) => refused.push(error.to_string()),
            }
        }
        if refused.is_empty() {
            return Err(missing("the ONNX runtime library is not installed"));
        }
        Err(missing(&format!("no usable ONNX runtime: {}", refused.join("; "))))
    }

    fn missing(problem: &str) -> Error {
        let version = ort::MINOR_VERSION;
        Error::new(
            ErrorKind::NotFound,
            format!(
                "{problem}; install it with `pip install 'onnxruntime>=1.{version}'` and, if it is still not found, set \
                 {VARIABLE} to its onnxruntime/capi directory or to the library itself, or build with the feature \
                 fastembed-download"
            ),
        )
    }

    /// Returns the directories in which runtimes may be installed, the most specific first.
    fn places() -> Vec<PathBuf> {
        let mut places = Vec::new();
        if let Some(beside) = env::current_exe().ok().as_deref().and_then(Path::parent) {
            places.extend([beside.to_path_buf(), beside.join("lib"), beside.join("../lib")]);
        }
        for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
            if let Some(prefix) = env::var_os(variable) {
                places.extend(python_places(Path::new(&prefix)));
            }
        }
        // Python packages may be installed under the prefix of each directory in `PATH`: /usr/bin, /opt/homebrew/bin,
        // …
        let programs = env::var_os("PATH").unwrap_or_default();
        for prefix in env::split_paths(&programs).filter_map(|path| path.parent().map(Path::to_path_buf)) {
            places.extend(python_places(&prefix));
        }
        if let Some(home) = env::home_dir() {
            places.extend(python_places(&home.join(".local")));
            for version in matching(&home.join(".pyenv/versions"), "") {
                places.extend(python_places(&version));
            }
        }
        let system =
            ["/usr/local/lib", "/usr/lib", "/usr/lib64", "/opt/homebrew/lib", "/opt/onnxruntime/lib"];
        places.extend(system.map(PathBuf::from));
        places.extend(matching(Path::new("/usr/lib"), "-linux-gnu"));
        places
    }

    /// Returns the directories under a prefix in which `pip install onnxruntime` puts the library.
    fn python_places(prefix: &Path) -> Vec<PathBuf> {
        let mut places = vec![prefix.join("Lib/site-packages/onnxruntime/capi")];
        for directory in matching(&prefix.join("lib"), "python") {
            for packages in ["site-packages", "dist-packages"] {
                places.push(directory.join(packages).join("onnxruntime/capi"));
            }
        }
        places
    }

    /// Returns the subdirectories whose names contain `part`, in descending order of version.
    fn matching(directory: &Path, part: &str) -> Vec<PathBuf> {
        let is_match = |path: &PathBuf| {
            path.is_dir() && path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.contains(part))
        };
        sorted_backwards(directory, is_match)
    }

    /// Returns the runtime libraries in a directory, the newest version first.
    pub(super) fn libraries_in(directory: &Path) -> Vec<PathBuf> {
        let is_library = |path: &PathBuf| {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            path.is_file()
                && (name.starts_with("libonnxruntime.so")
                    || (name.starts_with("libonnxruntime.") && path.extension() == Some(OsStr::new("dylib")))
                    || name == "onnxruntime.dll")
        };
        sorted_backwards(directory, is_library)
    }

    fn sorted_backwards(directory: &Path, keep: impl Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(keep).collect();
        paths.sort_by_cached_key(|path| std::cmp::Reverse(version(path)));
        paths
    }

    /// Returns the numbers in a file name as a sort key, so that 1.31 is newer than 1.9.
    fn version(path: &Path) -> (Vec<u64>, PathBuf) {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let numbers = name.split(|character: char| !character.is_ascii_digit());
        (numbers.filter_map(|number| number.parse().ok()).collect(), path.to_path_buf())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_newest_library_comes_first_and_plugins_are_none() {
            let directory = tempfile::tempdir().unwrap();
            for name in [
                "libonnxruntime.so.1.9.0",
                "libonnxruntime.so.1.31.1",
                "libonnxruntime_providers_shared.so",
                "libonnxruntime.1.24.0.dylib",
                "readme.txt",
            ] {
                fs::write(directory.path().join(name), "").unwrap();
            }
            let names: Vec<_> = libraries_in(directory.path())
                .into_iter()
                .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
                .collect();
            assert_eq!(
                names,
                ["libonnxruntime.so.1.31.1", "libonnxruntime.1.24.0.dylib", "libonnxruntime.so.1.9.0"]
            );
        }
    }
}
