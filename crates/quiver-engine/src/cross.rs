//! Reranker settings, and a local cross-encoder that reranks the top candidates.

#[cfg(test)]
mod tests;

use std::{fmt, str::FromStr, sync::Arc};

use quiver_models::{Error, ErrorKind, Result};

use crate::rerank::Reranker;
#[cfg(feature = "fastembed")]
pub use local::CrossReranker;

/// Selects the reranker of the top candidates: `none`, `chat` or `fastembed:NAME_OR_DIRECTORY`.
///
/// ```
/// use quiver::RerankSetting;
///
/// let setting: RerankSetting = "fastembed:BAAI/bge-reranker-base".parse()?;
/// assert_eq!(setting, RerankSetting::FastEmbed { model: "BAAI/bge-reranker-base".into() });
/// # Ok::<(), quiver::models::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RerankSetting {
    /// Keeps the built-in ranking.
    #[default]
    None,
    /// Reranks with the language model if [`ChatOptions::rerank`](crate::ChatOptions::rerank) is set.
    Chat,
    /// Combines a local cross-encoder with the built-in ranking. Needs the feature `fastembed` or
    /// `fastembed-download`.
    FastEmbed {
        /// The name of a reranker that fastembed knows, or a directory.
        model: String,
    },
}

/// How cross-encoder scores are combined with the built-in ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossOptions {
    /// Weight of the cross-encoder: the odds of the built-in ranking are multiplied by exp(weight × (score − mean
    /// score of the candidates)). 0 keeps the built-in ranking; the larger the weight, the less hops count. Default
    /// 0.25: a lead of four points multiplies a passage's odds by 2.7 relative to the other.
    ///
    /// The default was chosen by reasoning, not measured: scores of some models differ by ten points and more, and a
    /// cross-encoder does not see the path to a passage. `quiver-eval retrieval --rerank` measures it for your model.
    pub weight: f32,
}

impl Default for CrossOptions {
    fn default() -> Self {
        Self { weight: 0.25 }
    }
}

impl RerankSetting {
    /// Opens the reranker. Returns `None` for the built-in ranking and for the language model.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if the feature is not built in, [`ErrorKind::Invalid`] if the weight is negative or
    /// not finite, and the errors of opening the model.
    #[cfg_attr(
        not(feature = "fastembed"),
        expect(clippy::unused_async, reason = "models are opened with the feature")
    )]
    pub async fn open(&self, options: CrossOptions) -> Result<Option<Arc<dyn Reranker>>> {
        if !(options.weight.is_finite() && options.weight >= 0.0) {
            let message = format!("a weight of {} is invalid; it must be 0 or more", options.weight);
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        match self {
            Self::None | Self::Chat => Ok(None),
            #[cfg(feature = "fastembed")]
            Self::FastEmbed { model } => {
                let model = quiver_models::CrossEncoderOptions { model: model.clone(), ..Default::default() };
                let model = quiver_models::CrossEncoder::open(model).await?;
                Ok(Some(Arc::new(CrossReranker::new(model, options))))
            }
            #[cfg(not(feature = "fastembed"))]
            Self::FastEmbed { .. } => Err(Error::new(
                ErrorKind::NotFound,
                format!("{self} requires a program built with the feature fastembed"),
            )),
        }
    }
}

impl FromStr for RerankSetting {
    type Err = Error;

    fn from_str(setting: &str) -> Result<Self> {
        match (setting, setting.strip_prefix("fastembed:")) {
            ("none", _) => Ok(Self::None),
            ("chat", _) => Ok(Self::Chat),
            (_, Some(model)) if !model.is_empty() => Ok(Self::FastEmbed { model: model.to_owned() }),
            _ => Err(Error::new(
                ErrorKind::Invalid,
                format!("a reranker is `none`, `chat` or `fastembed:NAME_OR_DIRECTORY`, not {setting:?}"),
            )),
        }
    }
}

impl fmt::Display for RerankSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Chat => f.write_str("chat"),
            Self::FastEmbed { model } => write!(f, "fastembed:{model}"),
        }
    }
}

#[cfg(feature = "fastembed")]
mod local {
    use async_trait::async_trait;
    use quiver_models::CrossEncoder;

    use super::{CrossOptions, combined};
    use crate::rerank::{RerankCandidate, Reranker};

    /// Combines a local cross-encoder with the built-in ranking.
    ///
    /// The cross-encoder reads the question together with the title and text of each candidate, all in one call. It
    /// does not see the path to a candidate, so on its own it would rank second-hop passages below anything that
    /// resembles the question. Its scores therefore only adjust the odds of the built-in ranking, as described at
    /// [`CrossOptions::weight`]. Only score differences count, so a model whose scores are all low does not cause a
    /// refusal.
    ///
    /// It has been run with a stand-in that counts words, and **not with a real model**.
    #[derive(Debug)]
    pub struct CrossReranker {
        model: CrossEncoder,
        options: CrossOptions,
    }

    impl CrossReranker {
        /// Wraps an opened model.
        pub fn new(model: CrossEncoder, options: CrossOptions) -> Self {
            Self { model, options }
        }
    }

    #[async_trait]
    impl Reranker for CrossReranker {
        fn fingerprint(&self) -> String {
            format!("{}, weight {}", self.model.fingerprint(), self.options.weight)
        }

        async fn rerank(
            &self,
            question: &str,
            candidates: &[RerankCandidate<'_>],
        ) -> Result<Vec<f32>, Box<dyn std::error::Error + Send + Sync>> {
            let text = |candidate: &RerankCandidate<'_>| match &candidate.passage.title {
                Some(title) => format!("{title}\n{}", candidate.passage.text),
                None => candidate.passage.text.clone(),
            };
            let texts: Vec<String> = candidates.iter().map(text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let scores = self.model.score(question, &texts).await?;
            let built_in: Vec<f32> = candidates.iter().map(|candidate| candidate.score).collect();
            Ok(combined(&built_in, &scores, self.options.weight))
        }
    }
}

/// Multiplies the odds of each probability by exp(weight × (score − mean score)).
#[cfg(any(feature = "fastembed", test))]
#[expect(clippy::cast_possible_truncation, reason = "a probability is as exact as it came")]
fn combined(probabilities: &[f32], scores: &[f32], weight: f32) -> Vec<f32> {
    /// Probabilities are clamped away from 0 and 1, so that every passage can rise and sink.
    const DOUBT: f64 = 1e-6;
    let mean = scores.iter().map(|score| f64::from(*score)).sum::<f64>() / scores.len().max(1) as f64;
    let combine = |(probability, score): (&f32, &f32)| {
        let probability = f64::from(*probability).clamp(DOUBT, 1.0 - DOUBT);
        let odds = (probability / (1.0 - probability)).ln() + f64::from(weight) * (f64::from(*score) - mean);
        (1.0 / (1.0 + (-odds).exp())) as f32
    };
    probabilities.iter().zip(scores).map(combine).collect()
}
