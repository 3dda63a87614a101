//! The weights file, which the library embeds.

use std::path::Path;

use anyhow::{Context, Result, bail};
use quiver::score::{FEATURES, Weights};
use serde::Serialize;

use super::{model::Stages, sets::short_digest};

/// Reads the weights from a file, or returns those of this program.
///
/// # Errors
/// Returns an error if the file is missing, has another format, or has other features.
pub fn read(file: Option<&Path>) -> Result<Weights> {
    let Some(file) = file else { return Ok(Weights::learned().clone()) };
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let weights: Weights = serde_json::from_str(&text).with_context(|| {
        format!("{}: expected weights as `quiver-eval train` writes them", file.display())
    })?;
    let stages = weights.lexical.iter().chain(&weights.dense);
    let names = FEATURES.iter().map(|feature| feature.name);
    if !weights.features.iter().map(String::as_str).eq(names)
        || stages.into_iter().any(|stage| stage.weights.len() != FEATURES.len())
    {
        bail!(
            "{}: it is of other features than this program's; leave out --from to begin with those",
            file.display()
        );
    }
    Ok(weights)
}

/// Replaces the weights of the lexical or the dense part. Each part has one line of provenance.
pub fn replace(weights: &Weights, stages: Stages, is_dense: bool, provenance: &str) -> Weights {
    let (mine, other) = if is_dense { ("dense: ", "lexical: ") } else { ("lexical: ", "dense: ") };
    let known = weights.provenance.lines().find(|line| line.starts_with(other)).map(str::to_owned);
    let known = known.unwrap_or_else(|| format!("{other}{}", weights.provenance.replace('\n', " ")));
    let mut lines = [format!("{mine}{provenance}"), known];
    lines.sort_by_key(|line| line.starts_with("dense: "));
    let mut weights = Weights { provenance: lines.join("\n"), ..weights.clone() };
    *(if is_dense { &mut weights.dense } else { &mut weights.lexical }) = stages;
    weights
}

/// Formats the file with one line per stage, so that changes of weights are easy to read.
///
/// # Errors
/// Returns an error if the weights can't be serialised, which does not happen with names and finite numbers.
pub fn text(weights: &Weights) -> Result<String> {
    let Weights { version, features, provenance, lexical, dense } = weights;
    let json = |value: &dyn Fn() -> serde_json::Result<String>| value().context("weights as JSON");
    let stages = |stages: &Stages| -> Result<String> {
        let lines: Result<Vec<String>> =
            stages.iter().map(|stage| Ok(format!("    {}", json(&|| line(stage))?))).collect();
        Ok(lines?.join(",\n"))
    };
    Ok(format!(
        "{{\n  \"version\": {version},\n  \"provenance\": {},\n  \"features\": {},\n  \"lexical\": [\n{}\n  ],\n  \
         \"dense\": [\n{}\n  ]\n}}\n",
        json(&|| line(provenance))?,
        json(&|| line(features))?,
        stages(lexical)?,
        stages(dense)?,
    ))
}

/// Returns a short digest of the weights.
///
/// # Errors
/// The same errors as [`text`].
pub fn digest(weights: &Weights) -> Result<String> {
    Ok(short_digest(text(weights)?.as_bytes()))
}

fn line(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value)
}
