//! Opens the language model from the settings.

use std::{collections::BTreeMap, env, path::PathBuf, sync::Arc};

use anyhow::Result;
use quiver::{
    ChatJob,
    models::chat::{BudgetedChat, CachedChat, ChatModel, ChatSetting},
};

use crate::settings::{Place, Settings};

/// Directory of cached replies, inside the database directory.
const REPLIES: &str = "replies";

/// Opens the language model of the settings, with its cache and its budget.
pub(crate) fn chat_model(settings: &Settings) -> Result<Option<Arc<dyn ChatModel>>> {
    open_with(settings, &settings.chat.model)
}

/// Opens the language models that jobs have for themselves, in the same way. Each has the budget for itself: only an
/// ingest has one, and its only job is extraction.
pub(crate) fn chat_models(settings: &Settings) -> Result<BTreeMap<ChatJob, Arc<dyn ChatModel>>> {
    let ChatSetting::Http { url, .. } = &settings.chat.model else { return Ok(BTreeMap::new()) };
    let mut models = BTreeMap::new();
    for (job, model) in &settings.chat.models {
        let setting = ChatSetting::Http { url: url.clone(), model: model.clone() };
        models.extend(open_with(settings, &setting)?.map(|model| (*job, model)));
    }
    Ok(models)
}

fn open_with(settings: &Settings, setting: &ChatSetting) -> Result<Option<Arc<dyn ChatModel>>> {
    let chat = &settings.chat;
    let Some(model) = open(settings, setting)? else { return Ok(None) };
    let model = BudgetedChat::new(model, chat.budget, chat.options.prices);
    Ok(Some(match replies(settings) {
        // A dry run must not create files.
        Some(directory) if !chat.is_dry || directory.is_dir() => {
            Arc::new(CachedChat::open(model, directory)?)
        }
        _ => Arc::new(model),
    }))
}

/// Returns the directory of cached replies. Each endpoint has its own, since two endpoints may use one name for
/// different models.
fn replies(settings: &Settings) -> Option<PathBuf> {
    let ChatSetting::Http { url, .. } = &settings.chat.model else { return None };
    let directory = match (&settings.chat.cache, &settings.place) {
        (Some(directory), _) => Some(directory.clone()).filter(|directory| !directory.as_os_str().is_empty()),
        (None, Place::Directory(database)) => Some(database.join(REPLIES)),
        (None, Place::Server(_)) => of_user().map(|directory| directory.join("quiver").join(REPLIES)),
        (None, Place::Memory | Place::Remote(_)) => None,
    };
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    directory.map(|directory| directory.join(url.chars().map(plain).collect::<String>()))
}

/// Returns the user's cache directory.
fn of_user() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))
}

#[cfg(feature = "http")]
fn open(settings: &Settings, setting: &ChatSetting) -> Result<Option<Arc<dyn ChatModel>>> {
    use quiver::models::chat::{HttpChat, HttpChatOptions};
    let chat = &settings.chat;
    let ChatSetting::Http { url, model } = setting else { return Ok(None) };
    let mut options = HttpChatOptions::new(url, model);
    options.key = key(chat.api_key.as_ref(), chat.api_key_file.as_deref())?;
    options.timeout = chat.timeout.unwrap_or(options.timeout);
    options.duration_max = options.duration_max.max(options.timeout);
    options.requests_max = chat.options.calls_at_once;
    options.requests_per_minute = chat.requests_per_minute;
    options.tokens_per_minute = chat.tokens_per_minute;
    Ok(Some(Arc::new(HttpChat::open(options)?)))
}

#[cfg(not(feature = "http"))]
fn open(_: &Settings, setting: &ChatSetting) -> Result<Option<Arc<dyn ChatModel>>> {
    Ok(setting.open()?)
}

/// Returns the key from the settings, or reads it from the key file.
#[cfg(feature = "http")]
pub(crate) fn key(
    key: Option<&crate::settings::Secret>,
    file: Option<&std::path::Path>,
) -> Result<Option<quiver::models::Key>> {
    use quiver::models::Key;
    Ok(match (key, file) {
        (Some(key), _) => Some(Key::new(key.reveal())),
        (None, Some(file)) if !file.as_os_str().is_empty() => Some(Key::from_file(file)?),
        (None, _) => None,
    })
}
