//! The settings, from files, environment and flags, each overriding the one before.

mod chat;
mod layer;
mod rerank;
mod server;
mod sources;
#[cfg(feature = "opentelemetry")]
mod telemetry;

#[cfg(test)]
mod tests;

use std::{fmt, path::PathBuf, time::Duration};

use quiver::{Quiver, graph::Workspace, models::EncoderSetting};

use crate::{
    arguments::{Arguments, OnError, Profile, Restated},
    exit::Failed,
};

pub(crate) use chat::ChatSettings;
pub(crate) use layer::Layer;
pub(crate) use rerank::RerankSettings;
pub(crate) use server::{Freshness, ReadConsistency, Server};
pub(crate) use sources::Sources;
#[cfg(feature = "opentelemetry")]
pub(crate) use telemetry::TelemetrySettings;

/// The default directory of the database.
const DEFAULT_PATH: &str = "quiver-data";

/// All settings of a command.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Settings {
    pub(crate) place: Place,
    /// The database, if it is already open.
    pub(crate) opened: Option<Quiver>,
    /// Whether a flag sets the place of the database, and not a file or variable.
    pub(crate) place_is_flag: bool,
    pub(crate) prefix: String,
    pub(crate) workspace: Workspace,
    /// Whether a workspace is set.
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "no server is asked for its own"))]
    pub(crate) workspace_is_set: bool,
    pub(crate) embedder: EncoderSetting,
    /// The key of the embedder's endpoint.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no endpoint to show it to"))]
    pub(crate) embedder_api_key: Option<Secret>,
    /// The file with that key.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no endpoint to show it to"))]
    pub(crate) embedder_api_key_file: Option<PathBuf>,
    /// The language model.
    pub(crate) chat: ChatSettings,
    /// Whether a chat remembers what is stated in it.
    pub(crate) chat_remember: bool,
    pub(crate) rerank: RerankSettings,
    pub(crate) profile: Profile,
    pub(crate) passages: Option<usize>,
    pub(crate) hops: Option<usize>,
    pub(crate) confidence_min: Option<f32>,
    /// What a new value does to earlier ones.
    pub(crate) restated: Restated,
    pub(crate) batch: Option<usize>,
    pub(crate) on_error: OnError,
    /// Whether a server fetches web pages from addresses that are not public.
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "there is no server that fetches"))]
    pub(crate) allow_private_addresses: bool,
    /// How long to wait for a database that another process holds.
    #[cfg_attr(
        not(any(feature = "embedded", all(unix, feature = "serve"))),
        expect(dead_code, reason = "only an embedded database is waited for")
    )]
    pub(crate) wait: Option<Duration>,
    /// The destination of traces.
    #[cfg(feature = "opentelemetry")]
    pub(crate) telemetry: TelemetrySettings,
}

/// The place of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a directory.
    Directory(PathBuf),
    /// On a server or cluster.
    Server(Server),
    /// In memory, not kept.
    Memory,
    /// In another process, a `quiver serve`.
    Remote(Remote),
}

/// A running `quiver serve`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    pub(crate) url: String,
    pub(crate) key: Option<Secret>,
}

/// A key that is never printed.
#[derive(Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Secret(String);

impl Secret {
    /// Returns the key, for its recipient.
    #[cfg_attr(
        not(any(feature = "server", feature = "serve", feature = "http", test)),
        expect(dead_code, reason = "nobody to show it")
    )]
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(key: &str) -> Self {
        Self(key.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Settings {
    /// Combines the arguments and the other sources into settings.
    pub(crate) fn from_sources(arguments: &Arguments, sources: &Sources) -> anyhow::Result<Self> {
        let flags = Layer::of_arguments(arguments);
        let layers: Vec<&Layer> = sources.layers.iter().chain([&flags]).collect();
        for layer in &layers {
            layer.check()?;
        }
        let place_is_flag = flags.path.is_some() || flags.url.is_some() || flags.server.is_some();
        let place = layers.iter().rev().find_map(|layer| layer.place()).unwrap_or_default();
        let layer = layers.iter().fold(Layer::default(), |below, layer| (*layer).clone().over(below));
        let mut chat = ChatSettings::of(&layer, arguments)?;
        let rerank = RerankSettings::of(&layer, arguments, &mut chat)?;
        #[cfg(feature = "opentelemetry")]
        let telemetry = TelemetrySettings::of(&layer);
        let place = match place {
            layer::Whereabouts::Directory(path) => Place::Directory(path),
            layer::Whereabouts::Server(url) => Place::Server(Server {
                url,
                api_key: layer.api_key,
                timeout: layer.timeout_s.map(Duration::from_secs_f64),
                shard_number: layer.shard_number,
                replication_factor: layer.replication_factor,
                write_consistency_factor: layer.write_consistency_factor,
                read_consistency: layer.read_consistency,
                freshness: layer.freshness,
            }),
            layer::Whereabouts::Remote(url) => Place::Remote(Remote { url, key: layer.key }),
        };
        let workspace_is_set = layer.workspace.is_some();
        let workspace = match layer.workspace {
            Some(name) => Workspace::new(name).map_err(|error| Failed::usage(error.to_string()))?,
            None => Workspace::default(),
        };
        let embedder = match layer.embedder {
            Some(setting) => setting.parse().map_err(|error| Failed::usage(format!("embedder: {error}")))?,
            None => EncoderSetting::default(),
        };
        Ok(Self {
            place,
            opened: None,
            place_is_flag,
            prefix: match layer.prefix {
                Some(prefix) => checked_prefix(prefix)?,
                None => "quiver".to_owned(),
            },
            workspace,
            workspace_is_set,
            embedder,
            embedder_api_key: layer.embedder_api_key,
            embedder_api_key_file: layer.embedder_api_key_file,
            chat,
            chat_remember: layer.chat_remember.unwrap_or(true),
            rerank,
            profile: layer.profile.unwrap_or_default(),
            passages: layer.passages,
            hops: layer.hops,
            confidence_min: layer.confidence_min,
            restated: layer.restated.unwrap_or_default(),
            batch: layer.batch,
            on_error: layer.on_error.unwrap_or_default(),
            allow_private_addresses: layer.allow_private_addresses.unwrap_or_default(),
            wait: layer.wait_s.map(Duration::from_secs_f64),
            #[cfg(feature = "opentelemetry")]
            telemetry,
        })
    }
}

/// Checks a prefix: it begins names of files and of a server's collections, so it must not lead elsewhere.
fn checked_prefix(prefix: String) -> Result<String, Failed> {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let is_name = prefix.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    if is_name && prefix.len() <= 64 && prefix.chars().all(is_plain) {
        return Ok(prefix);
    }
    Err(Failed::usage(format!(
        "the prefix {prefix:?} is not a valid name: use at most 64 letters, digits, `-`, `_` or `.`, beginning with a letter \
         or digit"
    )))
}
