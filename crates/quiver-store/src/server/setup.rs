//! Creates missing collections on the server and checks existing ones.

use std::collections::HashMap;

use qdrant_client::{
    Qdrant,
    qdrant::{
        CollectionInfo, CreateCollection, CreateFieldIndexCollection, Distance, FieldType,
        KeywordIndexParamsBuilder, PayloadSchemaType, SparseVectorParams, SparseVectorsConfigBuilder,
        VectorParamsBuilder, VectorsConfigBuilder, payload_index_params, vectors_config,
    },
};

use super::{
    ServerOptions,
    convert::{DENSE, SPARSE},
    nodes::Nodes,
};
use crate::{Collection, Error, ErrorKind, Field, FieldKind, Result, Schema};

/// The oldest server version that supports every request made here; it added inserting only missing points.
const VERSION_LEAST: (u32, u32) = (1, 17);

/// The layout of an existing collection, whatever the options say about new ones.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) shards: u32,
    /// Number of copies of each shard.
    pub(super) copies: u32,
}

/// Contacts the server and rejects versions that would ignore options they do not know.
pub(super) async fn greet(nodes: &Nodes, options: &ServerOptions) -> Result<()> {
    let version = nodes.call(Qdrant::health_check).await?.version;
    let mut parts = version.split('.').map_while(|part| part.parse::<u32>().ok());
    if let (Some(major), Some(minor)) = (parts.next(), parts.next())
        && (major, minor) < VERSION_LEAST
    {
        let (major, minor) = VERSION_LEAST;
        return Err(Error::new(
            ErrorKind::Mismatch,
            format!(
                "the server at {} is Qdrant {version}, but {major}.{minor} or newer is required",
                options.place()
            ),
        ));
    }
    Ok(())
}

/// Ensures that a collection exists with its vectors and payload indexes. Returns its layout.
pub(super) async fn prepare(
    nodes: &Nodes,
    options: &ServerOptions,
    schema: &Schema,
    collection: Collection,
) -> Result<Layout> {
    let name = name(options, collection);
    if !nodes.call(|client| client.collection_exists(&name)).await? {
        let request = creation(options, schema, &name);
        let created = Box::pin(nodes.call(|client| client.create_collection(request.clone()))).await;
        if let Err(error) = created {
            // Another client may have created it first.
            if !nodes.call(|client| client.collection_exists(&name)).await? {
                return Err(error);
            }
        }
    }
    let info = info(nodes, &name).await?;
    check_vectors(options, schema, &name, &info)?;
    for field in schema.of(collection) {
        match info.payload_schema.get(field.name) {
            None => create_index(nodes, &name, field).await?,
            Some(found) => check_index(options, &name, field, found.data_type)?,
        }
    }
    let params = info.config.and_then(|config| config.params).unwrap_or_default();
    Ok(Layout { shards: params.shard_number, copies: params.replication_factor.unwrap_or(1) })
}

pub(super) fn name(options: &ServerOptions, collection: Collection) -> String {
    format!("{}_{collection}", options.prefix)
}

pub(super) async fn info(nodes: &Nodes, name: &str) -> Result<CollectionInfo> {
    let answer = nodes.call(|client| client.collection_info(name)).await?;
    answer.result.ok_or_else(|| {
        Error::new(ErrorKind::Other, format!("the server returned no information about {name}"))
    })
}

fn creation(options: &ServerOptions, schema: &Schema, name: &str) -> CreateCollection {
    let mut sparse = SparseVectorsConfigBuilder::default();
    sparse.add_named_vector_params(SPARSE, SparseVectorParams::default());
    let mut vectors = VectorsConfigBuilder::default();
    if let Some(dimension) = schema.dense_dimension {
        vectors.add_named_vector_params(DENSE, VectorParamsBuilder::new(dimension as u64, Distance::Dot));
    }
    CreateCollection {
        collection_name: name.to_owned(),
        vectors_config: schema.dense_dimension.map(|_| vectors.into()),
        sparse_vectors_config: Some(sparse.into()),
        shard_number: options.shard_number,
        replication_factor: options.replication_factor,
        write_consistency_factor: options.write_consistency_factor,
        ..CreateCollection::default()
    }
}

fn check_vectors(options: &ServerOptions, schema: &Schema, name: &str, info: &CollectionInfo) -> Result<()> {
    let params = info.config.as_ref().and_then(|config| config.params.as_ref());
    let vectors = match params.and_then(|params| params.vectors_config.as_ref()?.config.as_ref()) {
        Some(vectors_config::Config::ParamsMap(vectors)) => vectors.map.clone(),
        Some(vectors_config::Config::Params(_)) => {
            return Err(mismatch(options, name, "an unnamed vector", "none", "give another prefix"));
        }
        None => HashMap::new(),
    };
    let found = vectors.get(DENSE);
    if found.map(|vector| vector.size) != schema.dense_dimension.map(|dimension| dimension as u64) {
        let dimensions = |size: Option<u64>| match size {
            None => "no dense vectors".to_owned(),
            Some(size) => format!("dense vectors of {size} dimensions"),
        };
        let stored = found.and_then(|vector| usize::try_from(vector.size).ok());
        return Err(mismatch(
            options,
            name,
            &dimensions(found.map(|vector| vector.size)),
            &dimensions(schema.dense_dimension.map(|dimension| dimension as u64)),
            "open it with the embedder that it was created with, or migrate it",
        )
        .with_dense_stored(stored));
    }
    if let Some(found) = found
        && found.distance() != Distance::Dot
    {
        let distance = found.distance().as_str_name();
        return Err(mismatch(options, name, distance, Distance::Dot.as_str_name(), "give another prefix"));
    }
    let sparse = params.and_then(|params| params.sparse_vectors_config.as_ref()?.map.get(SPARSE));
    if sparse.is_none_or(|sparse| sparse.modifier.is_some_and(|modifier| modifier != 0)) {
        let found =
            if sparse.is_none() { "no sparse vectors" } else { "sparse vectors weighted by the server" };
        return Err(mismatch(options, name, found, "unweighted sparse vectors", "give another prefix"));
    }
    Ok(())
}

fn check_index(options: &ServerOptions, name: &str, field: &Field, found: i32) -> Result<()> {
    let wanted = match field.kind {
        FieldKind::Integer => PayloadSchemaType::Integer,
        FieldKind::Keyword | FieldKind::Tenant => PayloadSchemaType::Keyword,
    };
    if found == wanted as i32 {
        return Ok(());
    }
    let found = PayloadSchemaType::try_from(found).map_or("unknown", |found| found.as_str_name());
    let (found, wanted) =
        (format!("{} indexed as {found}", field.name), format!("{} as {}", field.name, wanted.as_str_name()));
    Err(mismatch(options, name, &found, &wanted, "delete that index on the server and open it again"))
}

async fn create_index(nodes: &Nodes, name: &str, field: &Field) -> Result<()> {
    let mut request = CreateFieldIndexCollection {
        collection_name: name.to_owned(),
        wait: Some(true),
        field_name: field.name.to_owned(),
        field_type: Some(FieldType::Keyword as i32),
        ..CreateFieldIndexCollection::default()
    };
    match field.kind {
        FieldKind::Keyword => {}
        FieldKind::Integer => request.field_type = Some(FieldType::Integer as i32),
        FieldKind::Tenant => {
            request.field_index_params = Some(
                payload_index_params::IndexParams::from(KeywordIndexParamsBuilder::default().is_tenant(true))
                    .into(),
            );
        }
    }
    nodes.call(|client| client.create_field_index(request.clone())).await.map(|_| ())
}

fn mismatch(options: &ServerOptions, name: &str, found: &str, wanted: &str, mend: &str) -> Error {
    let url = options.place();
    Error::new(
        ErrorKind::Mismatch,
        format!("the collection {name} at {url} was created with {found}, but opened with {wanted}; {mend}"),
    )
}
