//! The store on a server: Qdrant over gRPC.

mod convert;
mod nodes;
mod options;
mod setup;
mod write;

use std::{cmp::Reverse, fmt};

use async_trait::async_trait;
use futures::{future::try_join_all, try_join};
use qdrant_client::qdrant::{
    CollectionInfo, CollectionStatus, Condition, CountPoints, FacetCounts, Filter as ClientFilter, GetPoints,
    QueryBatchPoints, QueryPoints, ReadConsistency as ClientConsistency, ReadConsistencyType, ScrollPoints,
    SearchParams, facet_value::Variant, read_consistency,
};

pub use self::options::{Freshness, ReadConsistency, ServerOptions};
use self::{
    convert::{DENSE, SPARSE, client_id, filter, own_point, own_scored, query, with_payload, with_vectors},
    nodes::Nodes,
    setup::Layout,
};
use crate::{
    BlockMode, Collection, CollectionState, Derived, Filter, IndexProgress, Page, Point, PointId, PointStore,
    Result, Schema, Scored, Search, Select, StoreKind, StoreReport, Target, Version, WriteMode, check,
    settle::{first_ask, settle},
    store::dense_share,
};

/// Number of points read per request.
const READ_POINTS: usize = 1000;
/// Number of results that a search may request without first checking how many points there are.
const ASK_BLINDLY: usize = 10_000;
/// More values than any server would return, which still fits its integers.
const ALL_VALUES: u64 = 1 << 30;

/// A store on a Qdrant server or cluster.
///
/// Writes wait until they are applied. If two calls write the same point at once, either may come last.
pub struct ServerStore {
    nodes: Nodes,
    options: ServerOptions,
    schema: Schema,
    /// The layout of each collection on the cluster, in the order of [`Collection::ALL`].
    layouts: [Layout; 3],
}

impl ServerStore {
    /// Connects to a server, creates missing collections and indexes, and checks existing ones.
    ///
    /// # Errors
    /// - [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the server can't be reached; the message names
    ///   the address.
    /// - [`ErrorKind::Unauthorized`](crate::ErrorKind::Unauthorized) if it rejects the API key.
    /// - [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) if a collection was created with other vectors or another
    ///   index, or the server is older than Qdrant 1.17.
    pub async fn open(options: ServerOptions, schema: Schema) -> Result<Self> {
        // Boxed, because the future holds three preparations, 40 kB.
        Box::pin(Self::connect(options, schema)).await
    }

    async fn connect(options: ServerOptions, schema: Schema) -> Result<Self> {
        let nodes = Nodes::new(&options)?;
        setup::greet(&nodes, &options).await?;
        let [entities, relations, passages] =
            Collection::ALL.map(|collection| setup::prepare(&nodes, &options, &schema, collection));
        let (entities, relations, passages) = try_join!(entities, relations, passages)?;
        Ok(Self { nodes, options, schema, layouts: [entities, relations, passages] })
    }

    fn name(&self, collection: Collection) -> String {
        setup::name(&self.options, collection)
    }

    fn filter(&self, collection: Collection, wanted: &Filter) -> Option<ClientFilter> {
        filter(&self.schema, collection, wanted)
    }

    fn layout(&self, collection: Collection) -> &Layout {
        &self.layouts[collection as usize]
    }

    fn consistency(&self, collection: Collection) -> Option<ClientConsistency> {
        let copies = match self.options.read_consistency {
            // The server's default.
            ReadConsistency::One => return None,
            ReadConsistency::Quorum => ReadConsistencyType::Quorum,
            ReadConsistency::All => ReadConsistencyType::All,
        };
        let has_copies = self.layout(collection).copies > 1;
        has_copies.then(|| read_consistency::Value::Type(copies as i32).into())
    }

    async fn count_by(&self, collection: Collection, filter: Option<ClientFilter>) -> Result<u64> {
        self.count_how(collection, filter, true).await
    }

    async fn count_how(
        &self,
        collection: Collection,
        filter: Option<ClientFilter>,
        exact: bool,
    ) -> Result<u64> {
        let request = CountPoints {
            collection_name: self.name(collection),
            filter,
            exact: Some(exact),
            read_consistency: self.consistency(collection),
            ..CountPoints::default()
        };
        let answer =
            self.nodes.read(&request.collection_name, |client| client.count(request.clone())).await?;
        Ok(answer.result.map_or(0, |result| result.count))
    }

    async fn page(
        &self,
        collection: Collection,
        filter: &ClientFilter,
        first: Option<PointId>,
        limit: u32,
        select: &Select,
    ) -> Result<(Vec<Point>, bool)> {
        let request = ScrollPoints {
            collection_name: self.name(collection),
            filter: Some(filter.clone()),
            offset: first.map(client_id),
            limit: Some(limit),
            with_payload: Some(with_payload(select)),
            with_vectors: Some(with_vectors(select)),
            read_consistency: self.consistency(collection),
            ..ScrollPoints::default()
        };
        let answer =
            self.nodes.read(&request.collection_name, |client| client.scroll(request.clone())).await?;
        let more = answer.next_page_offset.is_some();
        Ok((answer.result.into_iter().map(own_point).collect::<Result<_>>()?, more))
    }

    /// Runs the searches of one collection, and repeats those with unresolved ties.
    async fn search_in(
        &self,
        collection: Collection,
        searches: &[(usize, &Search)],
    ) -> Result<Vec<(usize, Vec<Scored>)>> {
        let mut done = Vec::with_capacity(searches.len());
        let mut open = Vec::new();
        for (place, search) in searches {
            let no_terms = matches!(&search.target, Target::Sparse(vector) if vector.is_empty());
            match self.filter(collection, &search.filter) {
                Some(filter) if search.limit > 0 && !no_terms => {
                    open.push((*place, *search, filter, first_ask(search.limit)));
                }
                _ => done.push((*place, Vec::new())),
            }
        }
        while !open.is_empty() {
            // The server allocates memory for as many results as requested.
            if open.iter().any(|(.., asked)| *asked > ASK_BLINDLY) {
                let most = usize::try_from(self.count_by(collection, None).await?).unwrap_or(usize::MAX) + 1;
                open.iter_mut().for_each(|(.., asked)| *asked = most.min(*asked));
            }
            let requests =
                open.iter().map(|(_, search, filter, asked)| self.request(search, filter, *asked)).collect();
            let batch = QueryBatchPoints {
                collection_name: self.name(collection),
                query_points: requests,
                read_consistency: self.consistency(collection),
                timeout: None,
            };
            let answer =
                self.nodes.read(&batch.collection_name, |client| client.query_batch(batch.clone())).await?;
            let mut still_open = Vec::new();
            for ((place, search, filter, asked), result) in open.into_iter().zip(answer.result) {
                let mut found = result.result.into_iter().map(own_scored).collect::<Result<Vec<_>>>()?;
                match settle(&mut found, search.limit, asked) {
                    None => done.push((place, found)),
                    Some(more) => still_open.push((place, search, filter, more)),
                }
            }
            open = still_open;
        }
        Ok(done)
    }

    fn request(&self, search: &Search, filter: &ClientFilter, asked: usize) -> QueryPoints {
        let (query, vector) = query(&search.target);
        QueryPoints {
            collection_name: self.name(search.collection),
            query: Some(query),
            using: Some(vector.to_owned()),
            filter: Some(filter.clone()),
            params: Some(SearchParams { exact: Some(search.exact), ..SearchParams::default() }),
            limit: Some(asked as u64),
            with_payload: Some(with_payload(&search.select)),
            with_vectors: Some(with_vectors(&search.select)),
            ..QueryPoints::default()
        }
    }

    async fn indexed(&self, collection: Collection, info: &CollectionInfo) -> Result<u64> {
        let with = async |name: &str| {
            self.count_by(collection, Some(ClientFilter::must([Condition::has_vector(name)]))).await
        };
        let indexed = info.indexed_vectors_count.unwrap_or(0);
        if indexed == 0 || self.schema.dense_dimension.is_none() {
            return Ok(0);
        }
        Ok(dense_share(indexed, with(DENSE).await?, with(SPARSE).await?))
    }
}

impl fmt::Debug for ServerStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerStore")
            .field("options", &self.options)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl PointStore for ServerStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Server
    }

    async fn upsert(&self, collection: Collection, points: Vec<Point>, mode: WriteMode) -> Result<()> {
        check::points(&self.schema, collection, &points)?;
        self.write(collection, points, mode).await
    }

    async fn fetch(&self, collection: Collection, ids: &[PointId], select: &Select) -> Result<Vec<Point>> {
        let requests = ids.chunks(READ_POINTS).map(|ids| GetPoints {
            collection_name: self.name(collection),
            ids: ids.iter().copied().map(client_id).collect(),
            with_payload: Some(with_payload(select)),
            with_vectors: Some(with_vectors(select)),
            read_consistency: self.consistency(collection),
            ..GetPoints::default()
        });
        let mut found = std::collections::HashMap::with_capacity(ids.len());
        for request in requests {
            let answer = self
                .nodes
                .read(&request.collection_name, |client| client.get_points(request.clone()))
                .await?;
            for point in answer.result {
                let point = own_point(point)?;
                found.insert(point.id, point);
            }
        }
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    async fn delete(&self, collection: Collection, filter: &Filter) -> Result<()> {
        self.remove(collection, filter).await
    }

    async fn scroll(
        &self,
        collection: Collection,
        filter: &Filter,
        after: Option<PointId>,
        limit: usize,
        select: &Select,
    ) -> Result<Page> {
        let Some(filter) = self.filter(collection, filter) else { return Ok(Page::default()) };
        let mut page = Page::default();
        let mut last = after;
        while page.points.len() < limit {
            let first = match last.map(successor) {
                None => None,
                Some(Some(next)) => Some(next),
                Some(None) => return Ok(Page { next: None, ..page }),
            };
            let wanted = u32::try_from((limit - page.points.len()).min(READ_POINTS)).unwrap_or(u32::MAX);
            let (points, more) = self.page(collection, &filter, first, wanted, select).await?;
            last = points.last().map(|point| point.id).or(last);
            page.points.extend(points);
            if !more {
                return Ok(Page { next: None, ..page });
            }
            page.next = last;
        }
        Ok(page)
    }

    async fn search(&self, searches: &[Search]) -> Result<Vec<Vec<Scored>>> {
        check::searches(&self.schema, searches)?;
        let groups = Collection::ALL.map(|collection| -> Vec<_> {
            searches.iter().enumerate().filter(|(_, search)| search.collection == collection).collect()
        });
        let asked = Collection::ALL
            .into_iter()
            .zip(&groups)
            .filter(|(_, group)| !group.is_empty())
            .map(|(collection, group)| self.search_in(collection, group));
        let mut answers = vec![Vec::new(); searches.len()];
        for (place, found) in try_join_all(asked).await?.into_iter().flatten() {
            answers[place] = found;
        }
        Ok(answers)
    }

    async fn count(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        match self.filter(collection, filter) {
            None => Ok(0),
            Some(filter) => self.count_by(collection, Some(filter)).await,
        }
    }

    async fn estimate(&self, collection: Collection, filter: &Filter) -> Result<u64> {
        match self.filter(collection, filter) {
            None => Ok(0),
            Some(filter) => self.count_how(collection, Some(filter), false).await,
        }
    }

    async fn facet(
        &self,
        collection: Collection,
        field: &'static str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(String, u64)>> {
        check::facet(&self.schema, collection, field)?;
        let Some(filter) = self.filter(collection, filter).filter(|_| limit > 0) else {
            return Ok(Vec::new());
        };
        // Shards return their own most frequent values, which may differ from the most frequent overall. So with
        // several shards, all values are requested.
        let one_shard = self.layout(collection).shards == 1;
        let request = FacetCounts {
            collection_name: self.name(collection),
            key: field.to_owned(),
            filter: Some(filter),
            limit: Some(if one_shard { (limit as u64).min(ALL_VALUES) } else { ALL_VALUES }),
            exact: Some(true),
            read_consistency: self.consistency(collection),
            ..FacetCounts::default()
        };
        let answer =
            self.nodes.read(&request.collection_name, |client| client.facet(request.clone())).await?;
        let mut counts: Vec<_> = answer
            .hits
            .into_iter()
            .filter_map(|hit| match hit.value?.variant? {
                Variant::StringValue(value) if hit.count > 0 => Some((value, hit.count)),
                _ => None,
            })
            .collect();
        counts.sort_unstable_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
        counts.truncate(limit);
        Ok(counts)
    }

    /// Does nothing: the server builds its indexes itself, in the background.
    async fn build_index(&self, _progress: &(dyn Fn(IndexProgress) + Send + Sync)) -> Result<()> {
        Ok(())
    }

    async fn compact(&self) -> Result<()> {
        // The server's optimiser does this itself.
        Ok(())
    }

    async fn version(&self, _: Collection) -> Result<Option<Version>> {
        Ok(None)
    }

    async fn read_derived(&self, _: Collection, _: &str) -> Result<Option<Derived>> {
        Ok(None)
    }

    async fn write_derived(
        &self,
        _: Collection,
        _: &str,
        _: Version,
        _: Vec<u8>,
        _: BlockMode,
    ) -> Result<()> {
        Ok(())
    }

    async fn report(&self) -> Result<StoreReport> {
        let mut report = StoreReport {
            kind: StoreKind::Server,
            location: self.options.place(),
            points: [0; 3],
            indexed: [0; 3],
            states: [CollectionState::Ready; 3],
            disk_bytes: None,
            journals: None,
            calls: Vec::new(),
        };
        for (place, collection) in Collection::ALL.into_iter().enumerate() {
            report.points[place] = self.count_by(collection, None).await?;
            let info = setup::info(&self.nodes, &self.name(collection)).await?;
            report.indexed[place] = self.indexed(collection, &info).await?;
            report.states[place] = state(info.status());
        }
        Ok(report)
    }
}

fn state(status: CollectionStatus) -> CollectionState {
    match status {
        CollectionStatus::Green => CollectionState::Ready,
        CollectionStatus::Yellow => CollectionState::Indexing,
        CollectionStatus::Grey => CollectionState::Pending,
        CollectionStatus::Red => CollectionState::Failed,
        CollectionStatus::UnknownCollectionStatus => CollectionState::Unknown,
    }
}

fn successor(id: PointId) -> Option<PointId> {
    id.as_u128().checked_add(1).map(PointId::from_u128)
}
