use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use toml::Spanned;

use super::layer::{KEYS, Layer};
use crate::{arguments::Arguments, exit::Failed};

/// The name of the settings file.
const FILE_NAME: &str = "quiver.toml";

/// The prefix of environment variables with settings.
const VARIABLE_PREFIX: &str = "QUIVER_";

/// The settings other than flags, lowest priority first.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) layers: Vec<Layer>,
    pub(crate) warnings: Vec<String>,
}

impl Sources {
    /// Reads the settings files and environment variables.
    pub(crate) fn find(
        arguments: &Arguments,
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> anyhow::Result<Self> {
        let variables: BTreeMap<String, OsString> =
            variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect();
        let mut sources = Self::default();
        let named =
            arguments.shared.config.clone().or_else(|| variables.get("QUIVER_CONFIG").map(PathBuf::from));
        let required = named.is_some();
        let paths = match named {
            Some(path) => vec![path],
            None => usual_paths(&variables),
        };
        for path in paths {
            match fs::read_to_string(&path) {
                Ok(text) => sources.layers.push(read(&path, &text)?),
                Err(error) if error.kind() == io::ErrorKind::NotFound && !required => {}
                Err(error) => {
                    let message = format!("{}: the settings can't be read: {error}", path.display());
                    return Err(Failed::usage(message).into());
                }
            }
        }
        let layer = sources.read_variables(&variables)?;
        sources.layers.push(layer);
        Ok(sources)
    }

    fn read_variables(&mut self, variables: &BTreeMap<String, OsString>) -> anyhow::Result<Layer> {
        let mut layer = Layer { origin: "the environment".to_owned(), ..Layer::default() };
        for (name, value) in variables {
            let Some(key) = name.strip_prefix(VARIABLE_PREFIX) else { continue };
            // `QUIVER_TEST_*` is for the project's own tests.
            if key == "CONFIG" || key.starts_with("TEST_") {
                continue;
            }
            let value = value
                .to_str()
                .ok_or_else(|| Failed::usage(format!("{name}: the value is not valid Unicode")))?;
            // The name may belong to another program, so it is only a warning.
            if !layer.set(&key.to_lowercase(), value)? {
                self.warnings
                    .push(format!("the variable {name} is not a setting{}", meant(key, VARIABLE_PREFIX)));
            }
        }
        Ok(layer)
    }
}

/// Returns the default settings files, lowest priority first.
fn usual_paths(variables: &BTreeMap<String, OsString>) -> Vec<PathBuf> {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    let of_user = directory.map(|directory| directory.join("quiver").join(FILE_NAME));
    of_user.into_iter().chain(env::current_dir().ok().map(|here| here.join(FILE_NAME))).collect()
}

/// Parses a settings file. Relative paths in it are relative to the file.
pub(super) fn read(path: &Path, text: &str) -> Result<Layer, Failed> {
    let wrong = |span: Option<Range<usize>>, what: &str| {
        let line = span.map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        Failed::usage(format!("{}{line}: {}", path.display(), what.trim()))
    };
    let keys: BTreeMap<Spanned<String>, toml::Value> =
        toml::from_str(text).map_err(|error| wrong(error.span(), error.message()))?;
    if let Some(key) = keys.keys().find(|key| !KEYS.contains(&key.get_ref().as_str())) {
        let name = key.get_ref();
        return Err(wrong(Some(key.span()), &format!("there is no setting {name:?}{}", meant(name, ""))));
    }
    let parsed = toml::Deserializer::parse(text).and_then(Layer::deserialize);
    let mut layer = parsed.map_err(|error| {
        let what = in_words(&without_value(error.message()));
        let start = error.span().map_or(0, |span| span.start);
        let key = keys.keys().filter(|key| key.span().start <= start).max_by_key(|key| key.span().start);
        let key = key.map_or_else(String::new, |key| format!("{}: ", key.get_ref()));
        wrong(error.span(), &format!("{key}{what}"))
    })?;
    let here = path.parent().unwrap_or(Path::new(""));
    for path in [
        &mut layer.path,
        &mut layer.embedder_api_key_file,
        &mut layer.chat_api_key_file,
        &mut layer.chat_cache,
    ] {
        // An empty path stays empty.
        if let Some(path) = path.as_mut().filter(|path| !path.as_os_str().is_empty()) {
            *path = here.join(&path);
        }
    }
    layer.origin = path.display().to_string();
    Ok(layer)
}

/// Removes the value from an error message, since it may be an API key without quotation marks.
fn without_value(message: &str) -> String {
    match (message.strip_prefix("invalid type: "), message.split_once('`'), message.rsplit_once('`')) {
        (Some(_), Some((before, _)), Some((_, after))) => format!("{}{after}", before.trim_end()),
        _ => message.to_owned(),
    }
}

/// Replaces the name of a type in an error message by what may be written.
fn in_words(message: &str) -> String {
    let Some((what, expected)) = message.rsplit_once("expected ") else { return message.to_owned() };
    let allowed = match expected {
        "usize" | "u32" | "u64" => "a whole number that is not negative",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        _ => return message.to_owned(),
    };
    format!("{what}expected {allowed}")
}

/// Suggests the settings that were probably meant, or the nearest.
fn meant(name: &str, prefix: &str) -> String {
    let name = name.to_lowercase();
    let spell = |key: &str| match prefix {
        "" => key.to_owned(),
        prefix => format!("{prefix}{}", key.to_uppercase()),
    };
    let mut all = KEYS.map(|key| (strsim::jaro_winkler(&name, key), key));
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<String> =
        all.iter().take(2).filter(|(near, _)| *near > 0.8).map(|(_, key)| spell(key)).collect();
    if near.is_empty() {
        format!("; the nearest is {}, and `quiver --help` lists all", spell(all[0].1))
    } else {
        format!("; did you mean {}?", near.join(" or "))
    }
}
