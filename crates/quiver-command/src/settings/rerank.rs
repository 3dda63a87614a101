//! Settings of the reranker.

use quiver::{CrossOptions, RerankSetting, models::chat::ChatSetting};

use super::{ChatSettings, Layer};
use crate::{arguments::Arguments, exit::Failed};

/// The reranker and its weight.
#[derive(Clone, Debug, Default)]
pub(crate) struct RerankSettings {
    /// The reranker to open. If it is the language model, that is opened separately.
    pub(crate) setting: RerankSetting,
    pub(crate) options: CrossOptions,
}

impl RerankSettings {
    /// Reads the settings. Without a setting, the language model reranks if reranking is among its jobs.
    pub(super) fn of(layer: &Layer, arguments: &Arguments, chat: &mut ChatSettings) -> Result<Self, Failed> {
        let defaults = CrossOptions::default();
        let options = CrossOptions { weight: layer.rerank_weight.unwrap_or(defaults.weight) };
        let Some(setting) = &layer.rerank else { return Ok(Self { options, ..Self::default() }) };
        let setting: RerankSetting =
            setting.parse().map_err(|error| Failed::usage(format!("rerank: {error}")))?;
        if !arguments.command.ranks() {
            return Ok(Self { options, ..Self::default() });
        }
        if setting == RerankSetting::Chat && chat.model == ChatSetting::None {
            return Err(Failed::usage(
                "rerank: there is no language model to rank candidates; --chat selects one",
            ));
        }
        chat.options.rerank = setting == RerankSetting::Chat;
        Ok(Self { setting, options })
    }
}
