//! Writing, in batches that fit into a message.

use futures::stream::{self, TryStreamExt as _};
use qdrant_client::qdrant::{
    Condition, DeletePoints, Filter as ClientFilter, PointsUpdateOperation, UpdateBatchPoints, UpdateMode,
    VectorsSelector, WriteOrdering, WriteOrderingType,
    points_update_operation::{DeleteVectors, Operation, PointStructList},
};

use super::{
    ServerStore,
    convert::{DENSE, client_id, client_point, size},
};
use crate::{Collection, Filter, Point, Result, WriteMode, distinct::distinct};

/// Maximum size of a message, well below the 32 MB that a server accepts.
const MESSAGE_BYTES: usize = 4 << 20;
const MESSAGE_POINTS: usize = 1000;
/// Number of concurrent messages.
const MESSAGES: usize = 2;

impl ServerStore {
    pub(super) async fn write(
        &self,
        collection: Collection,
        points: Vec<Point>,
        mode: WriteMode,
    ) -> Result<()> {
        let requests = messages(distinct(points, mode)).into_iter().map(|points| UpdateBatchPoints {
            collection_name: self.name(collection),
            wait: Some(true),
            operations: self.operations(points, mode),
            ordering: self.ordering(collection),
            timeout: None,
        });
        stream::iter(requests.map(Ok))
            .try_for_each_concurrent(MESSAGES, |request| async move {
                self.nodes.write(|client| client.update_points_batch(request.clone())).await.map(|_| ())
            })
            .await
    }

    /// Returns the operations that write points. Existing dense vectors of points that come without one are deleted
    /// first: in a segment that is indexed or about to be, a point keeps the vectors that its replacement does not
    /// name.
    fn operations(&self, points: Vec<Point>, mode: WriteMode) -> Vec<PointsUpdateOperation> {
        let mut operations = Vec::new();
        let update_mode = match mode {
            WriteMode::Replace => UpdateMode::Upsert,
            WriteMode::KeepExisting => UpdateMode::InsertOnly,
        };
        if mode == WriteMode::Replace && self.schema.dense_dimension.is_some() {
            let bare: Vec<_> =
                points.iter().filter(|p| p.vectors.dense.is_none()).map(|p| client_id(p.id)).collect();
            if !bare.is_empty() {
                // By a filter, since naming a missing point is an error.
                let having = ClientFilter::must([Condition::has_id(bare), Condition::has_vector(DENSE)]);
                operations.push(Operation::DeleteVectors(DeleteVectors {
                    points_selector: Some(having.into()),
                    vectors: Some(VectorsSelector { names: vec![DENSE.to_owned()] }),
                    shard_key_selector: None,
                }));
            }
        }
        operations.push(Operation::Upsert(PointStructList {
            points: points.into_iter().map(client_point).collect(),
            update_mode: Some(update_mode as i32),
            ..PointStructList::default()
        }));
        operations.into_iter().map(|operation| PointsUpdateOperation { operation: Some(operation) }).collect()
    }

    pub(super) async fn remove(&self, collection: Collection, filter: &Filter) -> Result<()> {
        let Some(filter) = self.filter(collection, filter) else { return Ok(()) };
        let request = DeletePoints {
            collection_name: self.name(collection),
            wait: Some(true),
            points: Some(filter.into()),
            ordering: self.ordering(collection),
            ..DeletePoints::default()
        };
        self.nodes.write(|client| client.delete_points(request.clone())).await.map(|_| ())
    }

    /// If there are copies, writes are ordered by one of them, so that all copies see concurrent writes in the same
    /// order. The cluster chooses that copy among those in service, so writes continue while one is unavailable.
    fn ordering(&self, collection: Collection) -> Option<WriteOrdering> {
        let copies = self.layout(collection).copies > 1;
        copies.then_some(WriteOrdering { r#type: WriteOrderingType::Medium as i32 })
    }
}

fn messages(points: Vec<Point>) -> Vec<Vec<Point>> {
    let (mut messages, mut message, mut bytes) = (Vec::new(), Vec::new(), 0);
    for point in points {
        let more = size(&point);
        if !message.is_empty() && (bytes + more > MESSAGE_BYTES || message.len() == MESSAGE_POINTS) {
            messages.push(std::mem::take(&mut message));
            bytes = 0;
        }
        bytes += more;
        message.push(point);
    }
    if !message.is_empty() {
        messages.push(message);
    }
    messages
}
