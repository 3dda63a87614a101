//! Export and import: a workspace as JSON lines in a byte-stable order, for any backend.
//!
//! The first line is a [`DumpHeader`]. The entities, the relations and the passages follow, each in ascending order
//! of ID, with sorted keys. Vectors are exported only on request: an importer can compute them again, even with
//! another embedder.

use quiver_store::{
    Collection, Error, ErrorKind, Filter, Point, PointId, Result, Select, SparseVector, Vectors,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Delta, Embedded, Entity, FORMAT, Graph, Passage, Relation, Workspace,
    batch::BATCH,
    payload::{METADATA_TERMS, PROPERTIES, PROPERTY_RANKS, Stored, WORDS, WORKSPACE},
    write::check_nesting,
};

/// The version of the line format.
pub const DUMP_VERSION: u32 = 1;

/// The first line of a dump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpHeader {
    /// The version of the line format.
    pub quiver_dump: u32,
    /// The version of the payloads.
    pub format: u32,
    /// The workspace from which the IDs are derived.
    pub workspace: Workspace,
    /// The embedder that made the vectors.
    pub embedder: String,
}

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DumpLine {
    /// `entities`, `relations` or `passages`.
    pub collection: String,
    /// The point's ID.
    pub id: PointId,
    /// The payload, without the workspace and the terms derived from the vectors.
    pub payload: Value,
    /// The dense vector, if vectors were exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dense: Option<Vec<f32>>,
    /// The sparse vector, if vectors were exported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse: Option<SparseVector>,
}

/// A record read from a line. Its vectors are `None` if the line has none.
#[derive(Clone, Debug, PartialEq)]
pub enum Dumped {
    /// An entity.
    Entity(Entity, Option<Vectors>),
    /// A relation.
    Relation(Relation, Option<Vectors>),
    /// A passage.
    Passage(Passage, Option<Vectors>),
}

impl DumpHeader {
    /// Checks that the lines that follow can be imported into a workspace.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if the versions or the workspaces differ. The message names both and the remedy.
    pub fn check(&self, workspace: &Workspace) -> Result<()> {
        let mismatch = |what: String| Err(Error::new(ErrorKind::Mismatch, what));
        if (self.quiver_dump, self.format) != (DUMP_VERSION, FORMAT) {
            return mismatch(format!(
                "the dump has version {} and format {}, this version reads version {DUMP_VERSION} and format \
                 {FORMAT}; export it anew with the version that wrote it, or import it with a newer one",
                self.quiver_dump, self.format
            ));
        }
        if self.workspace != *workspace {
            return mismatch(format!(
                "the dump is of workspace {:?} and can't be read into {:?}; open the database with the first",
                self.workspace.as_str(),
                workspace.as_str()
            ));
        }
        Ok(())
    }
}

impl DumpLine {
    /// Decodes the record, and checks that its ID is the one derived from its content in this workspace.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] if the line can't be decoded, is nested too deep, or has an ID that does not match its
    /// content. The message names the ID and the problem.
    pub fn into_record(self, workspace: &Workspace) -> Result<Dumped> {
        let Self { collection, id, payload, dense, sparse } = self;
        let invalid = |what: &str| Error::new(ErrorKind::Invalid, format!("{collection} {id}: {what}"));
        let Value::Object(payload) = payload else {
            return Err(invalid("the payload is not an object"));
        };
        let vectors = (dense.is_some() || sparse.is_some())
            .then(|| Vectors { dense, sparse: sparse.unwrap_or_default() });
        let point = Point { id, vectors: Vectors::default(), payload };
        let unreadable = |source: Error| invalid("the payload can't be read").with_source(source);
        let (record, identity) = match collection.as_str() {
            "entities" => {
                let entity = Entity::from_point(point).map_err(unreadable)?;
                let identity = entity.identity(workspace).point();
                (Dumped::Entity(entity, vectors), identity)
            }
            "relations" => {
                let relation = Relation::from_point(point).map_err(unreadable)?;
                let identity = relation.identity(workspace).point();
                (Dumped::Relation(relation, vectors), identity)
            }
            "passages" => {
                let passage = Passage::from_point(point).map_err(unreadable)?;
                let identity = passage.identity(workspace).point();
                (Dumped::Passage(passage, vectors), identity)
            }
            _ => {
                return Err(invalid(
                    "there is no such collection; the collections are entities, relations and passages",
                ));
            }
        };
        match &record {
            Dumped::Entity(entity, _) => check_nesting(Collection::Entities, id, &entity.properties)?,
            Dumped::Relation(relation, _) => check_nesting(Collection::Relations, id, &relation.properties)?,
            Dumped::Passage(passage, _) => check_nesting(Collection::Passages, id, &passage.metadata)?,
        }
        if identity != id {
            return Err(invalid(&format!(
                "the content has the id {identity} in workspace {:?}; a dump is imported into the workspace \
                 that its first line names",
                workspace.as_str()
            )));
        }
        Ok(record)
    }
}

/// Returns the dump line of a point, without what is derived from its vectors, properties and metadata.
pub(crate) fn line_of(collection: Collection, mut point: Point, vectors: bool) -> DumpLine {
    for derived in [WORKSPACE, WORDS, PROPERTIES, PROPERTY_RANKS, METADATA_TERMS] {
        point.payload.remove(derived);
    }
    let Vectors { dense, sparse } = point.vectors;
    DumpLine {
        collection: collection.name().to_owned(),
        id: point.id,
        payload: sorted(Value::Object(point.payload)),
        dense: dense.filter(|_| vectors),
        sparse: Some(sparse).filter(|_| vectors),
    }
}

impl Graph {
    /// Writes the workspace to a sink line by line, in a byte-stable order. Returns the points that can't be read;
    /// these are left out.
    ///
    /// # Errors
    /// Returns an error if the store or the sink fails.
    pub async fn export<E>(
        &self,
        embedder: &str,
        vectors: bool,
        mut sink: impl FnMut(String) -> Result<(), E>,
    ) -> Result<Vec<Unreadable>, E>
    where
        E: From<Error>,
    {
        let header = DumpHeader {
            quiver_dump: DUMP_VERSION,
            format: FORMAT,
            workspace: self.workspace().clone(),
            embedder: embedder.to_owned(),
        };
        sink(line(&header))?;
        let mut unreadable = Vec::new();
        for collection in Collection::ALL {
            let mut after: Option<PointId> = None;
            loop {
                let page = self.readable_page(collection, after, &Select { fields: None, vectors }).await?;
                unreadable.extend(page.unreadable);
                for point in page.points {
                    sink(line(&line_of(collection, point, vectors)))?;
                }
                match page.next {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
        }
        Ok(unreadable)
    }

    /// Reads a page of a collection. If stored data is unreadable, each point is read separately, and the unreadable
    /// ones are reported.
    pub(crate) async fn readable_page(
        &self,
        collection: Collection,
        after: Option<PointId>,
        select: &Select,
    ) -> Result<ReadablePage> {
        let everything = Filter::everything();
        let error = match self.scope.scroll(collection, &everything, after, BATCH, select).await {
            Ok(page) => {
                return Ok(ReadablePage { points: page.points, unreadable: Vec::new(), next: page.next });
            }
            Err(error) => error,
        };
        if !is_of_content(&error) {
            return Err(error);
        }
        let page = self.scope.scroll(collection, &everything, after, BATCH, &Select::ID).await?;
        let mut found = ReadablePage { points: Vec::new(), unreadable: Vec::new(), next: page.next };
        for point in page.points {
            match self.store().fetch(collection, &[point.id], select).await {
                Ok(points) => found.points.extend(points),
                Err(error) if is_of_content(&error) => {
                    found.unreadable.push(Unreadable { collection, id: point.id, why: error.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}

/// Whether an error may be caused by stored data rather than by the system or the connection.
fn is_of_content(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Other)
}

/// A point that can't be read, or whose content does not match its ID.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unreadable {
    /// The point's collection.
    pub collection: Collection,
    /// The point's ID.
    pub id: PointId,
    /// What is wrong with it.
    pub why: String,
}

/// The readable points of a page, and the unreadable ones.
pub(crate) struct ReadablePage {
    pub(crate) points: Vec<Point>,
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) next: Option<PointId>,
}

impl Delta {
    /// Adds a record from a dump with these vectors.
    pub fn push(&mut self, record: Dumped, vectors: Vectors) {
        match record {
            Dumped::Entity(record, _) => self.entities.push(Embedded { record, vectors }),
            Dumped::Relation(record, _) => self.relations.push(Embedded { record, vectors }),
            Dumped::Passage(record, _) => self.passages.push(Embedded { record, vectors }),
        }
    }
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("dump lines have string keys and no failing members")
}

/// Sorts the keys of every object, since backends return them in different orders.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.into_iter().collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        value => value,
    }
}
