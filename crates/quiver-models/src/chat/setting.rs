use std::{fmt, str::FromStr, sync::Arc};

use super::ChatModel;
use crate::{Error, ErrorKind, Result, setting::address_and_model};

/// A chat model as named in settings: `none` or `http:URL#MODEL`.
///
/// ```
/// use quiver_models::chat::ChatSetting;
///
/// let setting: ChatSetting = "http:http://localhost:11434/v1#qwen3:8b".parse()?;
/// let ChatSetting::Http { url, model } = &setting else { panic!() };
/// assert_eq!((url.as_str(), model.as_str()), ("http://localhost:11434/v1", "qwen3:8b"));
/// assert_eq!(ChatSetting::default().to_string(), "none");
/// # Ok::<(), quiver_models::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChatSetting {
    /// No chat model; nothing is sent.
    #[default]
    None,
    /// An OpenAI-compatible endpoint. It needs the feature `http`. The key comes from the environment.
    Http {
        /// The base URL, without `/chat/completions`.
        url: String,
        /// The model's name at the endpoint.
        model: String,
    },
}

impl ChatSetting {
    /// Opens the chat model with default options. Sends nothing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotFound`] if the program was built without the feature `http`, and
    /// [`ErrorKind::Invalid`] if the address or the key is invalid.
    pub fn open(&self) -> Result<Option<Arc<dyn ChatModel>>> {
        match self {
            Self::None => Ok(None),
            Self::Http { url, model } => open_http(url, model).map(Some),
        }
    }
}

#[cfg(feature = "http")]
fn open_http(url: &str, model: &str) -> Result<Arc<dyn ChatModel>> {
    Ok(Arc::new(super::HttpChat::open(super::HttpChatOptions::new(url, model))?))
}

#[cfg(not(feature = "http"))]
fn open_http(url: &str, model: &str) -> Result<Arc<dyn ChatModel>> {
    let message = format!("http:{url}#{model} requires a program built with the feature http");
    Err(Error::new(ErrorKind::NotFound, message))
}

impl FromStr for ChatSetting {
    type Err = Error;

    fn from_str(setting: &str) -> Result<Self> {
        if matches!(setting, "" | "none") {
            return Ok(Self::None);
        }
        match address_and_model(setting) {
            Ok((url, model)) => Ok(Self::Http { url: url.to_owned(), model: model.to_owned() }),
            Err(problem) => {
                let problem = problem.unwrap_or("the chat model is unknown");
                let message =
                    format!("{problem}; a chat model is `none` or `http:URL#MODEL`, not {setting:?}");
                Err(Error::new(ErrorKind::Invalid, message))
            }
        }
    }
}

impl fmt::Display for ChatSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Http { url, model } => write!(f, "http:{url}#{model}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_are_shown() {
        for setting in ["none", "http:https://a.example/v1#m/n#o"] {
            assert_eq!(setting.parse::<ChatSetting>().unwrap().to_string(), setting);
        }
        assert_eq!("".parse::<ChatSetting>().unwrap(), ChatSetting::None);
        let forgiven: ChatSetting = "https://a.example/v1#m".parse().unwrap();
        assert_eq!(forgiven.to_string(), "http:https://a.example/v1#m");
        for wrong in ["no", "http:", "http:a.example#m", "http:http://a.example/v1", "http:http://a#"] {
            let error = wrong.parse::<ChatSetting>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{wrong}");
        }
    }

    #[test]
    fn a_setting_opens_what_it_names() {
        assert!(ChatSetting::None.open().unwrap().is_none());
        let setting: ChatSetting = "http:http://localhost:1/v1#m".parse().unwrap();
        if cfg!(feature = "http") {
            assert_eq!(setting.open().unwrap().unwrap().model(), "m");
            let wrong: ChatSetting = "http:http://user:word@localhost/v1#m".parse().unwrap();
            assert_eq!(wrong.open().unwrap_err().kind(), ErrorKind::Invalid);
        } else {
            assert_eq!(setting.open().unwrap_err().kind(), ErrorKind::NotFound);
        }
    }
}
