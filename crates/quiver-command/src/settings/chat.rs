//! Settings of the language model.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use quiver::{
    ChatOptions,
    models::chat::{Budget, ChatSetting, Prices},
    prompt::ExtractionSchema,
};

use super::{Layer, Secret};
use crate::{
    arguments::{Allowance, Arguments, ChatJob, Command},
    exit::Failed,
};

/// Settings of the language model.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChatSettings {
    pub(crate) model: ChatSetting,
    /// The names of the models that jobs have for themselves, at the same endpoint.
    pub(crate) models: BTreeMap<quiver::ChatJob, String>,
    /// The API key of its endpoint.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no endpoint to show it to"))]
    pub(crate) api_key: Option<Secret>,
    /// The file with that key.
    #[cfg_attr(
        not(any(feature = "http", test)),
        expect(dead_code, reason = "there is no endpoint to show it to")
    )]
    pub(crate) api_key_file: Option<PathBuf>,
    /// Directory of cached replies; empty disables the cache, `None` is the default place.
    pub(crate) cache: Option<PathBuf>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no endpoint to wait for"))]
    pub(crate) timeout: Option<Duration>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no endpoint to spare"))]
    pub(crate) requests_per_minute: Option<u32>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no endpoint to spare"))]
    pub(crate) tokens_per_minute: Option<u64>,
    pub(crate) options: ChatOptions,
    pub(crate) budget: Budget,
    /// Whether nothing may be written.
    pub(crate) is_dry: bool,
}

impl ChatSettings {
    pub(super) fn of(layer: &Layer, arguments: &Arguments) -> Result<Self, Failed> {
        let model: ChatSetting = match &layer.chat {
            Some(setting) => setting.parse().map_err(|error| Failed::usage(format!("chat: {error}")))?,
            None => ChatSetting::None,
        };
        let reads_facts = layer.chat_for.as_ref().is_some_and(|jobs| jobs.contains(&ChatJob::Facts));
        let is_asked = match arguments.command {
            Command::Remember(_) => reads_facts,
            _ => arguments.command.asks_model(),
        };
        let model = if is_asked { model } else { ChatSetting::None };
        let prices = Prices {
            million_in: layer.chat_price_in.unwrap_or_default(),
            million_out: layer.chat_price_out.unwrap_or_default(),
        };
        let (allowance, is_dry) = match &arguments.command {
            Command::Ingest(ingest) => (ingest.budget, ingest.dry_run),
            _ => (None, false),
        };
        let is_for = |job: ChatJob| layer.chat_for.as_ref().is_none_or(|jobs| jobs.contains(&job));
        let defaults = ChatOptions::default();
        let options = ChatOptions {
            extract: is_for(ChatJob::Extract),
            rerank: is_for(ChatJob::Rerank),
            answer: is_for(ChatJob::Answer),
            contextualise: is_for(ChatJob::Contextualise),
            query: is_for(ChatJob::Query),
            facts: reads_facts,
            prices,
            schema: ExtractionSchema {
                kinds: layer.chat_kinds.clone().unwrap_or_default(),
                predicates: layer.chat_predicates.clone().unwrap_or_default(),
            },
            passages_per_call: layer.chat_batch.unwrap_or(defaults.passages_per_call),
            calls_at_once: layer.chat_requests.unwrap_or(defaults.calls_at_once),
            facts_wait: layer.chat_facts_wait_s.map_or(defaults.facts_wait, Duration::from_secs_f64),
            ..defaults
        };
        Ok(Self {
            model,
            models: layer.chat_models().map(|(job, model)| (job, model.to_owned())).collect(),
            api_key: layer.chat_api_key.clone(),
            api_key_file: layer.chat_api_key_file.clone(),
            cache: layer.chat_cache.clone(),
            timeout: layer.chat_timeout_s.map(Duration::from_secs_f64),
            requests_per_minute: layer.chat_requests_per_minute,
            tokens_per_minute: layer.chat_tokens_per_minute,
            options,
            budget: budget(allowance, prices)?,
            is_dry,
        })
    }

    /// Whether a language model extracts from ingested documents.
    pub(crate) fn extracts(&self) -> bool {
        self.model != ChatSetting::None && self.options.extract
    }
}

fn budget(allowance: Option<Allowance>, prices: Prices) -> Result<Budget, Failed> {
    let mut budget = Budget::default();
    match allowance {
        None => {}
        Some(Allowance::Calls(calls)) => budget.calls_max = Some(calls),
        Some(Allowance::Tokens(tokens)) => budget.tokens_max = Some(tokens),
        Some(Allowance::Cost(_)) if prices == Prices::default() => {
            return Err(Failed::usage(
                "a --budget in money requires the prices per million tokens: set chat_price_in and chat_price_out, or \
                 give a number of calls or tokens",
            ));
        }
        Some(Allowance::Cost(cost)) => budget.cost_max = Some(cost),
    }
    Ok(budget)
}
