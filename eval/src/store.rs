//! Selects and opens the store of a run.

use std::{fmt, path::PathBuf, str::FromStr, sync::Arc};

use anyhow::{Result, bail};
use quiver::store::{Collection, Filter, MemoryStore, PointStore, Schema};

/// `memory`, `embedded`, `embedded:DIR` or the address of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoreSetting {
    /// In memory.
    #[default]
    Memory,
    /// The embedded engine: in a permanent directory, or in a temporary one if `None`.
    Embedded(Option<PathBuf>),
    /// The gRPC address of a Qdrant server, with the API key in `QDRANT_API_KEY` if it needs one. Its
    /// collections are kept.
    Server(String),
}

impl FromStr for StoreSetting {
    type Err = anyhow::Error;

    fn from_str(setting: &str) -> Result<Self> {
        match setting.split_once(':') {
            None if setting == "memory" => Ok(Self::Memory),
            None if setting == "embedded" => Ok(Self::Embedded(None)),
            Some(("embedded", directory)) if !directory.is_empty() => {
                Ok(Self::Embedded(Some(directory.into())))
            }
            Some(("http" | "https", _)) => Ok(Self::Server(setting.to_owned())),
            _ => bail!("a store is memory, embedded, embedded:DIR or http://HOST:PORT, not {setting:?}"),
        }
    }
}

impl fmt::Display for StoreSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Embedded(None) => f.write_str("embedded"),
            Self::Embedded(Some(directory)) => write!(f, "embedded:{}", directory.display()),
            Self::Server(address) => f.write_str(address),
        }
    }
}

/// An open store, with its temporary directory, if any.
#[derive(Debug)]
pub struct OpenStore {
    /// The store.
    pub store: Arc<dyn PointStore>,
    _directory: Option<tempfile::TempDir>,
}

/// Opens a store. The prefix separates the collections of several runs on one server.
///
/// # Errors
/// Returns an error if the backend fails or is not built in.
#[cfg_attr(
    not(any(feature = "embedded", feature = "server")),
    expect(unused_variables, reason = "only the memory store is compiled in")
)]
pub async fn open(setting: &StoreSetting, prefix: &str, schema: Schema) -> Result<OpenStore> {
    match setting {
        StoreSetting::Memory => {
            Ok(OpenStore { store: Arc::new(MemoryStore::open(schema)), _directory: None })
        }
        #[cfg(feature = "embedded")]
        StoreSetting::Embedded(directory) => {
            let temporary = directory.is_none().then(tempfile::tempdir).transpose()?;
            let path = temporary.as_ref().map(tempfile::TempDir::path).or(directory.as_deref());
            let path = path.expect("without a directory a temporary one was made");
            let store = quiver::store::EmbeddedStore::open(path, prefix, schema).await?;
            Ok(OpenStore { store: Arc::new(store), _directory: temporary })
        }
        #[cfg(not(feature = "embedded"))]
        StoreSetting::Embedded(_) => bail!("{setting}: build quiver-eval with the feature `embedded`"),
        #[cfg(feature = "server")]
        StoreSetting::Server(url) => {
            let mut server = quiver::store::ServerOptions::new(url);
            prefix.clone_into(&mut server.prefix);
            server.api_key = std::env::var("QDRANT_API_KEY").ok();
            let store = quiver::store::ServerStore::open(server, schema).await?;
            Ok(OpenStore { store: Arc::new(store), _directory: None })
        }
        #[cfg(not(feature = "server"))]
        StoreSetting::Server(_) => bail!("{setting}: build quiver-eval with the feature `server`"),
    }
}

/// Opens an empty store. Deletes the data of an earlier run under this prefix first, because a memory that
/// has seen a conversation knows how it ends.
///
/// # Errors
/// The same errors as [`open`], or an error if the points can't be deleted.
pub async fn open_empty(setting: &StoreSetting, prefix: &str, schema: Schema) -> Result<OpenStore> {
    let store = open(setting, prefix, schema).await?;
    for collection in Collection::ALL {
        store.store.delete(collection, &Filter::everything()).await?;
    }
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_read_as_they_are_shown() {
        for setting in ["memory", "embedded", "embedded:/a b/c", "http://localhost:6334", "https://there"] {
            assert_eq!(setting.parse::<StoreSetting>().unwrap().to_string(), setting);
        }
        for wrong in ["", "disk", "embedded:", "memory:x", "localhost:6334"] {
            assert!(wrong.parse::<StoreSetting>().is_err(), "{wrong}");
        }
    }

    #[cfg(not(feature = "embedded"))]
    #[tokio::test]
    async fn a_store_that_is_not_built_in_is_named() {
        let error = open(&StoreSetting::Embedded(None), "x", Schema::default()).await.unwrap_err();
        assert!(error.to_string().contains("the feature `embedded`"), "{error}");
    }
}
