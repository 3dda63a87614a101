use std::{fmt, str::FromStr};

use crate::{Encoder, Error, ErrorKind, Result};

/// An encoder as named in settings: `lexical`, `fastembed:NAME_OR_DIRECTORY` or `http:URL#MODEL`.
///
/// ```
/// use quiver_models::EncoderSetting;
///
/// let setting: EncoderSetting = "http:http://localhost:11434/v1#nomic-embed-text".parse()?;
/// let EncoderSetting::Http { url, model } = &setting else { panic!() };
/// assert_eq!((url.as_str(), model.as_str()), ("http://localhost:11434/v1", "nomic-embed-text"));
/// # Ok::<(), quiver_models::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum EncoderSetting {
    /// Sparse vectors only.
    #[default]
    Lexical,
    /// A local ONNX model. It needs the feature `fastembed` or `fastembed-download`.
    FastEmbed {
        /// The name of a model that fastembed supports, or a directory.
        model: String,
    },
    /// An OpenAI-compatible endpoint. It needs the feature `http`. The key comes from the environment.
    Http {
        /// The base URL, without `/embeddings`.
        url: String,
        /// The model's name at the endpoint.
        model: String,
    },
}

impl EncoderSetting {
    /// Opens the encoder with default options.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotFound`] if the program was built without the required feature, and passes on the
    /// errors of the embedder.
    pub async fn open(&self) -> Result<Encoder> {
        match self {
            Self::Lexical => Ok(Encoder::lexical()),
            Self::FastEmbed { model } => open_fastembed(model).await,
            Self::Http { url, model } => open_http(url, model).await,
        }
    }
}

#[cfg(any(feature = "fastembed", feature = "fastembed-download"))]
async fn open_fastembed(model: &str) -> Result<Encoder> {
    let options = crate::FastEmbedOptions { model: model.to_owned(), ..Default::default() };
    Ok(Encoder::with_embedder(std::sync::Arc::new(crate::FastEmbedder::open(options).await?)))
}

#[cfg(not(any(feature = "fastembed", feature = "fastembed-download")))]
#[expect(clippy::unused_async, reason = "the same signature as with the feature")]
async fn open_fastembed(model: &str) -> Result<Encoder> {
    Err(not_built_in(&format!("fastembed:{model}"), "fastembed"))
}

#[cfg(feature = "http")]
async fn open_http(url: &str, model: &str) -> Result<Encoder> {
    let options = crate::HttpOptions::new(url, model);
    Ok(Encoder::with_embedder(std::sync::Arc::new(crate::HttpEmbedder::open(options).await?)))
}

#[cfg(not(feature = "http"))]
#[expect(clippy::unused_async, reason = "the same signature as with the feature")]
async fn open_http(url: &str, model: &str) -> Result<Encoder> {
    Err(not_built_in(&format!("http:{url}#{model}"), "http"))
}

#[cfg(not(all(feature = "http", any(feature = "fastembed", feature = "fastembed-download"))))]
fn not_built_in(setting: &str, feature: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("{setting} requires a program built with the feature {feature}"))
}

impl FromStr for EncoderSetting {
    type Err = Error;

    fn from_str(setting: &str) -> Result<Self> {
        let invalid = |problem: &str| {
            let message = format!(
                "{problem}; an encoder is `lexical`, `fastembed:NAME_OR_DIRECTORY` or `http:URL#MODEL`, not {setting:?}"
            );
            Error::new(ErrorKind::Invalid, message)
        };
        if setting == "lexical" {
            return Ok(Self::Lexical);
        }
        if let Some(model) = setting.strip_prefix("fastembed:") {
            return match model {
                "" => Err(invalid("the model's name is missing")),
                model => Ok(Self::FastEmbed { model: model.to_owned() }),
            };
        }
        match address_and_model(setting) {
            Ok((url, model)) => Ok(Self::Http { url: url.to_owned(), model: model.to_owned() }),
            Err(problem) => Err(invalid(problem.unwrap_or("the encoder is unknown"))),
        }
    }
}

/// Splits `http:URL#MODEL`. The error describes what is wrong, or is `None` if the setting has some other form.
pub(crate) fn address_and_model(setting: &str) -> Result<(&str, &str), Option<&'static str>> {
    // The `http:` prefix names the kind of encoder. It may be omitted before a URL.
    let address = match setting.strip_prefix("http:") {
        Some(rest) if !rest.starts_with("//") => rest,
        _ => setting,
    };
    if !(address.starts_with("http://") || address.starts_with("https://")) {
        return Err(None);
    }
    let divided = address.split_once('#').filter(|(_, model)| !model.is_empty());
    divided.ok_or(Some("the model's name is missing after the address"))
}

impl fmt::Display for EncoderSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lexical => f.write_str("lexical"),
            Self::FastEmbed { model } => write!(f, "fastembed:{model}"),
            Self::Http { url, model } => write!(f, "http:{url}#{model}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_are_shown() {
        for setting in
            ["lexical", "fastembed:all-MiniLM-L6-v2", "fastembed:/a b/c#d", "http:https://a.example/v1#m/n#o"]
        {
            assert_eq!(setting.parse::<EncoderSetting>().unwrap().to_string(), setting);
        }
        let forgiven: EncoderSetting = "http://a.example/v1#m".parse().unwrap();
        assert_eq!(forgiven.to_string(), "http:http://a.example/v1#m");
        for wrong in
            ["", "lexicon", "fastembed:", "http:a.example#m", "http:http://a.example/v1", "http:http://a#"]
        {
            let error = wrong.parse::<EncoderSetting>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{wrong}");
        }
    }

    #[tokio::test]
    async fn the_default_needs_nothing() {
        assert_eq!(EncoderSetting::default().open().await.unwrap().dimension(), None);
    }
}
