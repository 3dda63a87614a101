use std::{
    error::Error,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::ValueEnum;
use serde::Deserialize;

use super::{DEFAULT_PATH, Freshness, ReadConsistency, Secret};
use crate::{
    arguments::{Arguments, ChatJob, Command, OnError, Profile, Restated, SearchArguments},
    exit::Failed,
    mend::mend,
};

/// The settings from one source: a file, the environment, or the flags.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Layer {
    pub(crate) path: Option<PathBuf>,
    pub(crate) url: Option<String>,
    pub(crate) api_key: Option<Secret>,
    pub(crate) server: Option<String>,
    pub(crate) key: Option<Secret>,
    pub(crate) prefix: Option<String>,
    pub(crate) workspace: Option<String>,
    pub(crate) embedder: Option<String>,
    pub(crate) embedder_api_key: Option<Secret>,
    pub(crate) embedder_api_key_file: Option<PathBuf>,
    pub(crate) chat: Option<String>,
    pub(crate) chat_api_key: Option<Secret>,
    pub(crate) chat_api_key_file: Option<PathBuf>,
    pub(crate) chat_for: Option<Vec<ChatJob>>,
    pub(crate) chat_extract: Option<String>,
    pub(crate) chat_rerank: Option<String>,
    pub(crate) chat_answer: Option<String>,
    pub(crate) chat_contextualise: Option<String>,
    pub(crate) chat_query: Option<String>,
    pub(crate) chat_facts: Option<String>,
    pub(crate) chat_facts_wait_s: Option<f64>,
    pub(crate) chat_remember: Option<bool>,
    pub(crate) chat_cache: Option<PathBuf>,
    pub(crate) chat_kinds: Option<Vec<String>>,
    pub(crate) chat_predicates: Option<Vec<String>>,
    pub(crate) chat_batch: Option<usize>,
    pub(crate) chat_requests: Option<usize>,
    pub(crate) chat_requests_per_minute: Option<u32>,
    pub(crate) chat_tokens_per_minute: Option<u64>,
    pub(crate) chat_timeout_s: Option<f64>,
    pub(crate) chat_price_in: Option<f64>,
    pub(crate) chat_price_out: Option<f64>,
    pub(crate) rerank: Option<String>,
    pub(crate) rerank_weight: Option<f32>,
    pub(crate) profile: Option<Profile>,
    pub(crate) passages: Option<usize>,
    pub(crate) hops: Option<usize>,
    pub(crate) confidence_min: Option<f32>,
    pub(crate) restated: Option<Restated>,
    pub(crate) batch: Option<usize>,
    pub(crate) on_error: Option<OnError>,
    pub(crate) allow_private_addresses: Option<bool>,
    pub(crate) timeout_s: Option<f64>,
    pub(crate) wait_s: Option<f64>,
    pub(crate) shard_number: Option<u32>,
    pub(crate) replication_factor: Option<u32>,
    pub(crate) write_consistency_factor: Option<u32>,
    pub(crate) read_consistency: Option<ReadConsistency>,
    pub(crate) freshness: Option<Freshness>,
    pub(crate) otel_endpoint: Option<String>,
    pub(crate) otel_headers: Option<Secret>,
    pub(crate) otel_sampling: Option<f64>,
    pub(crate) otel_service_name: Option<String>,
    /// The name of this source.
    #[serde(skip)]
    pub(crate) origin: String,
}

/// The names of all settings, as in `quiver.toml`.
pub(crate) const KEYS: [&str; 53] = [
    "path",
    "url",
    "api_key",
    "server",
    "key",
    "prefix",
    "workspace",
    "embedder",
    "embedder_api_key",
    "embedder_api_key_file",
    "chat",
    "chat_api_key",
    "chat_api_key_file",
    "chat_for",
    "chat_extract",
    "chat_rerank",
    "chat_answer",
    "chat_contextualise",
    "chat_query",
    "chat_facts",
    "chat_facts_wait_s",
    "chat_remember",
    "chat_cache",
    "chat_kinds",
    "chat_predicates",
    "chat_batch",
    "chat_requests",
    "chat_requests_per_minute",
    "chat_tokens_per_minute",
    "chat_timeout_s",
    "chat_price_in",
    "chat_price_out",
    "rerank",
    "rerank_weight",
    "profile",
    "passages",
    "hops",
    "confidence_min",
    "restated",
    "batch",
    "on_error",
    "allow_private_addresses",
    "timeout_s",
    "wait_s",
    "shard_number",
    "replication_factor",
    "write_consistency_factor",
    "read_consistency",
    "freshness",
    "otel_endpoint",
    "otel_headers",
    "otel_sampling",
    "otel_service_name",
];

/// The place of the database as a source sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    Directory(PathBuf),
    Server(String),
    Remote(String),
}

impl Default for Whereabouts {
    fn default() -> Self {
        Self::Directory(DEFAULT_PATH.into())
    }
}

/// Returns the address of a server that is given in place of a directory.
fn address(path: &Path) -> Option<&str> {
    path.to_str().filter(|path| path.starts_with("http://") || path.starts_with("https://"))
}

impl Layer {
    /// Returns the settings that are flags.
    pub(crate) fn of_arguments(arguments: &Arguments) -> Self {
        let shared = &arguments.shared;
        let mut layer = Self {
            path: shared.path.clone(),
            url: shared.url.clone(),
            server: shared.server.clone(),
            prefix: shared.prefix.clone(),
            workspace: shared.workspace.clone(),
            embedder: shared.embedder.clone(),
            chat: shared.chat.clone(),
            chat_for: shared.chat_for.clone(),
            rerank: shared.rerank.clone(),
            wait_s: shared.wait,
            origin: "the command line".to_owned(),
            ..Self::default()
        };
        match &arguments.command {
            Command::Context(context) => {
                (layer.profile, layer.passages) = (context.profile, context.passages);
            }
            Command::Chat(chat) => (layer.profile, layer.passages) = (chat.profile, chat.passages),
            Command::Ask { arguments: ask, .. } | Command::Search(SearchArguments { ask, .. }) => {
                (layer.profile, layer.passages, layer.hops) = (ask.profile, ask.passages, ask.hops);
                layer.confidence_min = ask.confidence_min;
            }
            Command::Recall(recall) => layer.restated = recall.restated,
            Command::Ingest(ingest) => (layer.on_error, layer.batch) = (ingest.on_error, ingest.batch),
            #[cfg(feature = "serve")]
            Command::Serve(serve) => {
                layer.allow_private_addresses = serve.allow_private_addresses.then_some(true);
            }
            _ => {}
        }
        layer
    }

    /// Sets a setting from the environment. Returns `false` if there is none with this name.
    pub(crate) fn set(&mut self, key: &str, value: &str) -> Result<bool, Failed> {
        match key {
            "path" => self.path = Some(value.into()),
            "url" => self.url = Some(value.to_owned()),
            "api_key" => self.api_key = Some(value.into()),
            "server" => self.server = Some(value.to_owned()),
            "key" => self.key = Some(value.into()),
            "prefix" => self.prefix = Some(value.to_owned()),
            "workspace" => self.workspace = Some(value.to_owned()),
            "embedder" => self.embedder = Some(value.to_owned()),
            "embedder_api_key" => self.embedder_api_key = Some(value.into()),
            "embedder_api_key_file" => self.embedder_api_key_file = Some(value.into()),
            "rerank" => self.rerank = Some(value.to_owned()),
            "rerank_weight" => self.rerank_weight = Some(parsed(key, value)?),
            "passages" => self.passages = Some(parsed(key, value)?),
            "hops" => self.hops = Some(parsed(key, value)?),
            "confidence_min" => self.confidence_min = Some(parsed(key, value)?),
            "restated" => self.restated = Some(choice(key, value)?),
            "batch" => self.batch = Some(parsed(key, value)?),
            "timeout_s" => self.timeout_s = Some(parsed(key, value)?),
            "wait_s" => self.wait_s = Some(parsed(key, value)?),
            "shard_number" => self.shard_number = Some(parsed(key, value)?),
            "replication_factor" => self.replication_factor = Some(parsed(key, value)?),
            "write_consistency_factor" => self.write_consistency_factor = Some(parsed(key, value)?),
            "read_consistency" => self.read_consistency = Some(choice(key, value)?),
            "freshness" => self.freshness = Some(choice(key, value)?),
            "profile" => self.profile = Some(choice(key, value)?),
            "on_error" => self.on_error = Some(choice(key, value)?),
            "allow_private_addresses" => self.allow_private_addresses = Some(parsed(key, value)?),
            "otel_endpoint" => self.otel_endpoint = Some(value.to_owned()),
            "otel_headers" => self.otel_headers = Some(value.into()),
            "otel_sampling" => self.otel_sampling = Some(parsed(key, value)?),
            "otel_service_name" => self.otel_service_name = Some(value.to_owned()),
            _ => return self.set_chat(key, value),
        }
        Ok(true)
    }

    fn set_chat(&mut self, key: &str, value: &str) -> Result<bool, Failed> {
        let list = || value.split(',').map(str::trim).filter(|item| !item.is_empty());
        match key {
            "chat" => self.chat = Some(value.to_owned()),
            "chat_api_key" => self.chat_api_key = Some(value.into()),
            "chat_api_key_file" => self.chat_api_key_file = Some(value.into()),
            "chat_for" => self.chat_for = Some(list().map(|job| choice(key, job)).collect::<Result<_, _>>()?),
            "chat_extract" => self.chat_extract = Some(value.to_owned()),
            "chat_rerank" => self.chat_rerank = Some(value.to_owned()),
            "chat_answer" => self.chat_answer = Some(value.to_owned()),
            "chat_contextualise" => self.chat_contextualise = Some(value.to_owned()),
            "chat_query" => self.chat_query = Some(value.to_owned()),
            "chat_facts" => self.chat_facts = Some(value.to_owned()),
            "chat_facts_wait_s" => self.chat_facts_wait_s = Some(parsed(key, value)?),
            "chat_remember" => self.chat_remember = Some(parsed(key, value)?),
            "chat_cache" => self.chat_cache = Some(value.into()),
            "chat_kinds" => self.chat_kinds = Some(list().map(str::to_owned).collect()),
            "chat_predicates" => self.chat_predicates = Some(list().map(str::to_owned).collect()),
            "chat_batch" => self.chat_batch = Some(parsed(key, value)?),
            "chat_requests" => self.chat_requests = Some(parsed(key, value)?),
            "chat_requests_per_minute" => self.chat_requests_per_minute = Some(parsed(key, value)?),
            "chat_tokens_per_minute" => self.chat_tokens_per_minute = Some(parsed(key, value)?),
            "chat_timeout_s" => self.chat_timeout_s = Some(parsed(key, value)?),
            "chat_price_in" => self.chat_price_in = Some(parsed(key, value)?),
            "chat_price_out" => self.chat_price_out = Some(parsed(key, value)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the jobs with a model of their own, and its name.
    pub(crate) fn chat_models(&self) -> impl Iterator<Item = (quiver::ChatJob, &str)> {
        use quiver::ChatJob::{Answer, Contextualise, Extract, Facts, Query, Rerank};
        let models = [
            (Extract, &self.chat_extract),
            (Rerank, &self.chat_rerank),
            (Answer, &self.chat_answer),
            (Contextualise, &self.chat_contextualise),
            (Query, &self.chat_query),
            (Facts, &self.chat_facts),
        ];
        models.into_iter().filter_map(|(job, model)| Some((job, model.as_deref()?)))
    }

    /// Checks what the types do not express.
    pub(crate) fn check(&self) -> Result<(), Failed> {
        let origin = &self.origin;
        if self.server.is_some() && (self.path.is_some() || self.url.is_some()) {
            return Err(Failed::usage(format!(
                "{origin}: server can't be combined with path or url; a `quiver serve` has its own database, so keep one of them"
            )));
        }
        if self.path.is_some() && self.url.is_some() {
            return Err(Failed::usage(format!(
                "{origin}: path and url can't both be set; the database is in a directory or on a server, so keep one of them"
            )));
        }
        if self.wait_s.is_some_and(|seconds| !(0.0..=86_400.0).contains(&seconds)) {
            return Err(Failed::usage(format!("{origin}: wait_s must be from 0 to 86400 seconds")));
        }
        // It would be printed with the address, and Qdrant uses only keys.
        let addresses = [
            ("url", &self.url, "api_key"),
            ("server", &self.server, "key"),
            ("path", &self.path.as_deref().and_then(address).map(str::to_owned), "key"),
            ("embedder", &self.embedder, "embedder_api_key"),
            ("chat", &self.chat, "chat_api_key"),
            ("otel_endpoint", &self.otel_endpoint, "otel_headers"),
        ];
        for (setting, address, key) in addresses {
            if address.as_deref().is_some_and(has_password) {
                return Err(Failed::usage(format!(
                    "{origin}: the address in {setting} contains a user name or password, which would be printed; \
                     set the key as {key}, or in QUIVER_{}",
                    key.to_uppercase()
                )));
            }
        }
        for (job, model) in self.chat_models() {
            if ["http:", "https:", "none"].iter().any(|start| model.starts_with(start))
                || model.trim().is_empty()
            {
                return Err(Failed::usage(format!(
                    "{origin}: chat_{} is the name of another model at the endpoint of chat, without an address",
                    job.name()
                )));
            }
        }
        let durations = [
            ("timeout_s", self.timeout_s),
            ("chat_timeout_s", self.chat_timeout_s),
            ("chat_facts_wait_s", self.chat_facts_wait_s),
        ];
        for (key, seconds) in durations {
            if seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds <= 86_400.0)) {
                return Err(Failed::usage(format!(
                    "{origin}: {key} must be more than 0 and at most 86400 seconds"
                )));
            }
        }
        for (key, price) in [("chat_price_in", self.chat_price_in), ("chat_price_out", self.chat_price_out)] {
            if price.is_some_and(|price| !(price.is_finite() && price >= 0.0)) {
                return Err(Failed::usage(format!(
                    "{origin}: {key} is the price per million tokens, and must be 0 or more"
                )));
            }
        }
        if self.rerank_weight.is_some_and(|weight| !(weight.is_finite() && weight >= 0.0)) {
            return Err(Failed::usage(format!("{origin}: rerank_weight must be 0 or more")));
        }
        if self.confidence_min.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
            return Err(Failed::usage(format!("{origin}: confidence_min must be from 0 to 1")));
        }
        if self.otel_endpoint.is_some() && !cfg!(feature = "opentelemetry") {
            return Err(Failed::usage(format!(
                "{origin}: otel_endpoint is set, but this `quiver` was built without the feature `opentelemetry`"
            )));
        }
        if self.otel_sampling.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return Err(Failed::usage(format!("{origin}: otel_sampling must be from 0 to 1")));
        }
        let counts = [
            ("passages", self.passages),
            ("batch", self.batch),
            ("chat_batch", self.chat_batch),
            ("chat_requests", self.chat_requests),
            ("chat_requests_per_minute", self.chat_requests_per_minute.map(|number| number as usize)),
            ("chat_tokens_per_minute", self.chat_tokens_per_minute.map(|number| number.min(1) as usize)),
        ];
        for (key, number) in counts {
            if number == Some(0) {
                return Err(Failed::usage(format!("{origin}: {key} must be at least 1")));
            }
        }
        Ok(())
    }

    /// Returns the place of the database, if this source sets it.
    pub(crate) fn place(&self) -> Option<Whereabouts> {
        let directory = self.path.clone().map(|path| match address(&path) {
            Some(url) => Whereabouts::Remote(url.to_owned()),
            None => Whereabouts::Directory(path),
        });
        let server = || self.url.clone().map(Whereabouts::Server);
        directory.or_else(server).or_else(|| self.server.clone().map(Whereabouts::Remote))
    }

    /// Combines this source with the one below, which fills the gaps.
    pub(crate) fn over(self, below: Self) -> Self {
        Self {
            path: self.path.or(below.path),
            url: self.url.or(below.url),
            api_key: self.api_key.or(below.api_key),
            server: self.server.or(below.server),
            key: self.key.or(below.key),
            prefix: self.prefix.or(below.prefix),
            workspace: self.workspace.or(below.workspace),
            embedder: self.embedder.or(below.embedder),
            embedder_api_key: self.embedder_api_key.or(below.embedder_api_key),
            embedder_api_key_file: self.embedder_api_key_file.or(below.embedder_api_key_file),
            chat: self.chat.or(below.chat),
            chat_api_key: self.chat_api_key.or(below.chat_api_key),
            chat_api_key_file: self.chat_api_key_file.or(below.chat_api_key_file),
            chat_for: self.chat_for.or(below.chat_for),
            chat_extract: self.chat_extract.or(below.chat_extract),
            chat_rerank: self.chat_rerank.or(below.chat_rerank),
            chat_answer: self.chat_answer.or(below.chat_answer),
            chat_contextualise: self.chat_contextualise.or(below.chat_contextualise),
            chat_query: self.chat_query.or(below.chat_query),
            chat_facts: self.chat_facts.or(below.chat_facts),
            chat_facts_wait_s: self.chat_facts_wait_s.or(below.chat_facts_wait_s),
            chat_remember: self.chat_remember.or(below.chat_remember),
            chat_cache: self.chat_cache.or(below.chat_cache),
            chat_kinds: self.chat_kinds.or(below.chat_kinds),
            chat_predicates: self.chat_predicates.or(below.chat_predicates),
            chat_batch: self.chat_batch.or(below.chat_batch),
            chat_requests: self.chat_requests.or(below.chat_requests),
            chat_requests_per_minute: self.chat_requests_per_minute.or(below.chat_requests_per_minute),
            chat_tokens_per_minute: self.chat_tokens_per_minute.or(below.chat_tokens_per_minute),
            chat_timeout_s: self.chat_timeout_s.or(below.chat_timeout_s),
            chat_price_in: self.chat_price_in.or(below.chat_price_in),
            chat_price_out: self.chat_price_out.or(below.chat_price_out),
            rerank: self.rerank.or(below.rerank),
            rerank_weight: self.rerank_weight.or(below.rerank_weight),
            profile: self.profile.or(below.profile),
            passages: self.passages.or(below.passages),
            hops: self.hops.or(below.hops),
            confidence_min: self.confidence_min.or(below.confidence_min),
            restated: self.restated.or(below.restated),
            batch: self.batch.or(below.batch),
            on_error: self.on_error.or(below.on_error),
            allow_private_addresses: self.allow_private_addresses.or(below.allow_private_addresses),
            timeout_s: self.timeout_s.or(below.timeout_s),
            wait_s: self.wait_s.or(below.wait_s),
            shard_number: self.shard_number.or(below.shard_number),
            replication_factor: self.replication_factor.or(below.replication_factor),
            write_consistency_factor: self.write_consistency_factor.or(below.write_consistency_factor),
            read_consistency: self.read_consistency.or(below.read_consistency),
            freshness: self.freshness.or(below.freshness),
            otel_endpoint: self.otel_endpoint.or(below.otel_endpoint),
            otel_headers: self.otel_headers.or(below.otel_headers),
            otel_sampling: self.otel_sampling.or(below.otel_sampling),
            otel_service_name: self.otel_service_name.or(below.otel_service_name),
            origin: self.origin,
        }
    }
}

/// Whether an address has a user name or a password before its host.
fn has_password(url: &str) -> bool {
    let Some((_, after_scheme)) = url.split_once("://") else { return false };
    after_scheme.split(['/', '?', '#']).next().is_some_and(|host| host.contains('@'))
}

fn parsed<T: FromStr<Err: Error + 'static>>(key: &str, value: &str) -> Result<T, Failed> {
    value.parse().map_err(|error: T::Err| {
        let why = mend(&error).map_or_else(|| error.to_string(), str::to_owned);
        unusable(key, value, &why)
    })
}

fn choice<T: ValueEnum>(key: &str, value: &str) -> Result<T, Failed> {
    T::from_str(value, false).map_err(|_| {
        let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
        unusable(key, value, &format!("it must be one of {}", names.join(", ")))
    })
}

fn unusable(key: &str, value: &str, why: &str) -> Failed {
    Failed::usage(format!("QUIVER_{}={value}: {why}", key.to_uppercase()))
}
