//! Writing: in batches that fit into a message.

use futures::stream::{self, TryStreamExt as _};
use qdrant_client::qdrant::{
    DeletePoints, PointStruct, UpdateMode, UpsertPoints, WriteOrdering, WriteOrderingType,
};

use super::{
    ServerStore,
    convert::{client_point, size},
};
use crate::{Collection, Filter, Point, Result, WriteMode, distinct::distinct};

/// The most that is put into one message, well below the 32 MB that a server takes.
const MESSAGE_BYTES: usize = 4 << 20;
const MESSAGE_POINTS: usize = 1000;
/// The number of messages that are under way at once.
const MESSAGES: usize = 2;

impl ServerStore {
    pub(super) async fn write(
        &self,
        collection: Collection,
        points: Vec<Point>,
        mode: WriteMode,
    ) -> Result<()> {
        let update_mode = match mode {
            WriteMode::Replace => UpdateMode::Upsert,
            WriteMode::KeepExisting => UpdateMode::InsertOnly,
        };
        let requests = messages(distinct(points, mode)).into_iter().map(|points| UpsertPoints {
            collection_name: self.name(collection),
            wait: Some(true),
            points,
            ordering: self.ordering(),
            update_mode: Some(update_mode as i32),
            ..UpsertPoints::default()
        });
        stream::iter(requests.map(Ok))
            .try_for_each_concurrent(MESSAGES, |request| async move {
                self.door.call(|client| client.upsert_points(request.clone())).await.map(|_| ())
            })
            .await
    }

    pub(super) async fn remove(&self, collection: Collection, filter: &Filter) -> Result<()> {
        let Some(filter) = self.filter(collection, filter) else { return Ok(()) };
        let request = DeletePoints {
            collection_name: self.name(collection),
            wait: Some(true),
            points: Some(filter.into()),
            ordering: self.ordering(),
            ..DeletePoints::default()
        };
        self.door.call(|client| client.delete_points(request.clone())).await.map(|_| ())
    }

    /// Where there are copies, writes go through one of them, so that all see two writers in one order.
    fn ordering(&self) -> Option<WriteOrdering> {
        let copies = self.options.replication_factor.unwrap_or(1) > 1;
        copies.then(|| WriteOrdering { r#type: WriteOrderingType::Strong as i32 })
    }
}

fn messages(points: Vec<Point>) -> Vec<Vec<PointStruct>> {
    let (mut messages, mut message, mut bytes) = (Vec::new(), Vec::new(), 0);
    for point in points {
        let more = size(&point);
        if !message.is_empty() && (bytes + more > MESSAGE_BYTES || message.len() == MESSAGE_POINTS) {
            messages.push(std::mem::take(&mut message));
            bytes = 0;
        }
        bytes += more;
        message.push(client_point(point));
    }
    if !message.is_empty() {
        messages.push(message);
    }
    messages
}
