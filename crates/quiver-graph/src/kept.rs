//! Values derived from a collection and stored next to it, so that a process that needs no more does not open it.

use std::sync::Arc;

use quiver_store::{BlockMode, Collection, PointStore, Result, Version};
use serde::{Serialize, de::DeserializeOwned};

use crate::Graph;

/// Returns a value derived from a collection: the stored one if nothing was written to the collection since, else a new
/// one, which is stored. It is not for values that are read after each write.
///
/// # Errors
/// Errors of deriving it. If it can't be read or stored, it is derived each time.
pub(crate) async fn kept<T: Serialize + DeserializeOwned>(
    store: &Arc<dyn PointStore>,
    collection: Collection,
    name: &str,
    derive: impl Future<Output = Result<T>>,
) -> Result<T> {
    let before = version(store, collection).await;
    if let Some(version) = before
        && let Some(value) = read(store, collection, name, version).await
    {
        return Ok(value);
    }
    let value = derive.await?;
    if let Some(version) = before
        && self::version(store, collection).await == before
    {
        let block = serde_json::to_vec(&value).expect("what is kept is JSON");
        let written = store.write_derived(collection, name, version, block, BlockMode::Replace).await;
        if let Err(error) = written {
            tracing::warn!(%collection, name, %error, "a value could not be kept; the next process derives it again");
        }
    }
    Ok(value)
}

async fn version(store: &Arc<dyn PointStore>, collection: Collection) -> Option<Version> {
    store.version(collection).await.ok().flatten()
}

async fn read<T: DeserializeOwned>(
    store: &Arc<dyn PointStore>,
    collection: Collection,
    name: &str,
    version: Version,
) -> Option<T> {
    let kept = store.read_derived(collection, name).await.ok()??;
    let block = kept.blocks.first().filter(|_| kept.version == version)?;
    serde_json::from_slice(block).ok()
}

impl Graph {
    /// Returns a value of this workspace, as [`kept`] does.
    pub(crate) async fn kept<T: Serialize + DeserializeOwned>(
        &self,
        collection: Collection,
        name: &str,
        derive: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let name = format!("{name}-{}", self.workspace().namespace().simple());
        kept(self.store(), collection, &name, derive).await
    }
}
