//! Who orders the best candidates anew, and a local cross-encoder that does.

#[cfg(test)]
mod tests;

use std::{fmt, str::FromStr, sync::Arc};

use quiver_models::{Error, ErrorKind, Result};

use crate::rerank::Reranker;
#[cfg(feature = "fastembed")]
pub use local::CrossReranker;

/// How settings name what orders the best candidates: `none`, `chat` or `fastembed:NAME_OR_DIRECTORY`.
///
/// ```
/// use quiver::RerankSetting;
///
/// let setting: RerankSetting = "fastembed:BAAI/bge-reranker-base".parse()?;
/// assert_eq!(setting, RerankSetting::FastEmbed { model: "BAAI/bge-reranker-base".into() });
/// # Ok::<(), quiver::models::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum RerankSetting {
    /// The built-in ranking stands.
    #[default]
    None,
    /// The language model, as [`ChatOptions::rerank`](crate::ChatOptions::rerank) says.
    Chat,
    /// A local cross-encoder beside the built-in ranking; needs the feature `fastembed` or `fastembed-download`.
    FastEmbed {
        /// The name of a reranker that fastembed knows, or a directory.
        model: String,
    },
}

/// How the scores of a cross-encoder count beside the built-in ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossOptions {
    /// How much odds change with a score: those that the built-in ranking gives to a passage are multiplied by *e* to
    /// the power of this times what its score is above the mean of the candidates' scores. With 0 the built-in ranking
    /// stands; the more, the less hops count. Default 0.25: what one passage scores above another by four makes it 2.7
    /// times as likely beside it.
    ///
    /// The default was reasoned and not measured: the scores of some models lie ten and more apart, and a model sees
    /// nothing of the way to a passage. `quiver-eval retrieval --rerank` measures it for a model of yours.
    pub weight: f32,
}

impl Default for CrossOptions {
    fn default() -> Self {
        Self { weight: 0.25 }
    }
}

impl RerankSetting {
    /// Opens the reranker that the setting names; none where it names the built-in ranking or the language model.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when the feature is not built in, else those of the model; [`ErrorKind::Invalid`] for a
    /// weight that is negative or no number.
    #[cfg_attr(
        not(feature = "fastembed"),
        expect(clippy::unused_async, reason = "models are opened with the feature")
    )]
    pub async fn open(&self, options: CrossOptions) -> Result<Option<Arc<dyn Reranker>>> {
        if !(options.weight.is_finite() && options.weight >= 0.0) {
            let message = format!("a weight of {} can't be used; it is 0 or more", options.weight);
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
                format!("{self} needs a program built with the feature fastembed"),
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
                format!(
                    "candidates are ordered by `none`, `chat` or `fastembed:NAME_OR_DIRECTORY`, not {setting:?}"
                ),
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

    /// A local cross-encoder beside the built-in ranking.
    ///
    /// A cross-encoder reads the question together with each candidate's title and text, all of them in one call. It
    /// knows nothing of what leads to a candidate: alone it would put the second step of an answer below whatever
    /// sounds like the question. So its scores change the odds that the built-in ranking gives, and the rest is as
    /// [`CrossOptions::weight`] says. Only how far its scores lie apart counts, so a model whose scores are all low
    /// refuses nothing.
    ///
    /// It has been run with a stand-in that counts words, and **not with a real model**.
    #[derive(Debug)]
    pub struct CrossReranker {
        model: CrossEncoder,
        options: CrossOptions,
    }

    impl CrossReranker {
        /// Uses an opened model.
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

/// Probabilities whose odds are multiplied by what a score is above the mean of the scores.
#[cfg(any(feature = "fastembed", test))]
#[expect(clippy::cast_possible_truncation, reason = "a probability is as exact as it came")]
fn combined(probabilities: &[f32], scores: &[f32], weight: f32) -> Vec<f32> {
    /// Nothing is certain, so that every passage can rise and sink.
    const DOUBT: f64 = 1e-6;
    let mean = scores.iter().map(|score| f64::from(*score)).sum::<f64>() / scores.len().max(1) as f64;
    let combine = |(probability, score): (&f32, &f32)| {
        let probability = f64::from(*probability).clamp(DOUBT, 1.0 - DOUBT);
        let odds = (probability / (1.0 - probability)).ln() + f64::from(weight) * (f64::from(*score) - mean);
        (1.0 / (1.0 + (-odds).exp())) as f32
    };
    probabilities.iter().zip(scores).map(combine).collect()
}
