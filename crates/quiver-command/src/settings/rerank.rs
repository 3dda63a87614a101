//! What orders the candidates for a question anew.

use quiver::{CrossOptions, RerankSetting, models::chat::ChatSetting};

use super::{ChatSettings, Layer};
use crate::{arguments::Arguments, exit::Failed};

/// What orders the candidates for a question anew, and how much it counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct RerankSettings {
    /// The reranker that is to be opened; the language model, where it is that one, is opened as such.
    pub(crate) setting: RerankSetting,
    pub(crate) options: CrossOptions,
}

impl RerankSettings {
    /// Where nothing is said, the language model orders candidates if that is among what it is used for.
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
                "rerank: there is no language model to order candidates; --chat names one",
            ));
        }
        chat.options.rerank = setting == RerankSetting::Chat;
        Ok(Self { setting, options })
    }
}
