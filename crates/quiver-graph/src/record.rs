use std::collections::BTreeMap;

use quiver_store::{Payload, Vectors};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{EntityId, PassageId, RelationId, Workspace, name};

/// A thing with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Derived from the workspace and the key, or from the kind and the normalised name if there is no key.
    pub id: EntityId,
    /// The name: as first written, or as a decision renamed it.
    pub name: String,
    /// The caller's key, if the name does not identify the entity.
    pub key: Option<String>,
    /// Other names of the entity.
    pub aliases: Vec<String>,
    /// The kind of thing, such as `person` or `date`.
    pub kind: Option<String>,
    /// The labels, of an entity that was loaded or created by a query.
    pub labels: Vec<String>,
    /// Custom properties.
    pub properties: Payload,
    /// A sentence that describes it.
    pub description: Option<String>,
    /// Whether it is kept when no passage and no relation refers to it any more.
    pub pinned: bool,
    /// The name and the aliases before it was renamed; `None` if it was not. If the entity has no key, this name
    /// identifies it.
    pub written: Option<Written>,
}

/// The names of a renamed entity before it was renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The name as first written.
    pub name: String,
    /// The aliases without those that come from renaming.
    pub aliases: Vec<String>,
}

impl Entity {
    /// Creates an entity that is identified by its name.
    pub fn named(workspace: &Workspace, kind: Option<&str>, name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            id: EntityId::of_name(workspace, kind, &name),
            name,
            key: None,
            aliases: Vec::new(),
            kind: kind.map(str::to_owned),
            labels: Vec::new(),
            properties: Payload::new(),
            description: None,
            pinned: false,
            written: None,
        }
    }

    /// Returns the distinct normalised forms of the name and the aliases, the name first.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(1 + self.aliases.len());
        for name in std::iter::once(&self.name).chain(&self.aliases) {
            let normalised = name::normalise(name);
            if !names.contains(&normalised) {
                names.push(normalised);
            }
        }
        names
    }

    /// Returns the ID derived from this entity's content.
    pub(crate) fn identity(&self, workspace: &Workspace) -> EntityId {
        match &self.key {
            Some(key) => EntityId::of_key(workspace, key),
            None => {
                let name = self.written.as_ref().map_or(&self.name, |written| &written.name);
                EntityId::of_name(workspace, self.kind.as_deref(), name)
            }
        }
    }
}

/// A directed edge between two entities, with a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Derived from the workspace, the ends, the predicate, and `valid_from` and the key, if these are set.
    pub id: RelationId,
    /// The caller's key, if there are several relations with the same ends, predicate and date.
    pub key: Option<String>,
    /// The entity where it starts.
    pub subject: EntityId,
    /// The predicate, in the words of its source.
    pub predicate: String,
    /// The entity where it ends.
    pub object: EntityId,
    /// The sentence it was read from, or the triple as text.
    pub text: String,
    /// Custom properties.
    pub properties: Payload,
    /// When it became valid, in milliseconds since 1970; `None` if unknown.
    pub valid_from: Option<i64>,
    /// When it ceased to be valid, in milliseconds since 1970; `None` if it is still valid.
    pub valid_to: Option<i64>,
    /// When it was recorded, in milliseconds since 1970.
    pub recorded_at: Option<i64>,
    /// Confidence in the source, from 0 to 1.
    pub confidence: f32,
    /// Whether it is kept when no passage supports it any more.
    pub pinned: bool,
}

impl Relation {
    /// Creates an undated relation between two entities.
    pub fn between(
        workspace: &Workspace,
        subject: EntityId,
        predicate: impl Into<String>,
        object: EntityId,
        text: impl Into<String>,
    ) -> Self {
        let predicate = predicate.into();
        Self {
            id: RelationId::of(workspace, subject, &predicate, object, None),
            key: None,
            subject,
            predicate,
            object,
            text: text.into(),
            properties: Payload::new(),
            valid_from: None,
            valid_to: None,
            recorded_at: None,
            confidence: 1.0,
            pinned: false,
        }
    }

    /// Returns whether the relation is searched for by its text, and so has vectors: it is a dated fact, or a caller
    /// created it. All others are found from their ends, and their text with the passage that states it.
    pub fn is_searched_for(&self) -> bool {
        self.valid_from.is_some() || self.pinned
    }

    /// Returns the other end of the relation; for a relation from an entity to itself, that entity.
    pub fn other_end(&self, end: EntityId) -> EntityId {
        if self.object == end { self.subject } else { self.object }
    }

    /// Returns the ID derived from this relation's content.
    pub(crate) fn identity(&self, workspace: &Workspace) -> RelationId {
        let id = RelationId::of(workspace, self.subject, &self.predicate, self.object, self.valid_from);
        self.key.as_deref().map_or(id, |key| id.with_key(workspace, key))
    }
}

/// A piece of text: part of a document, or a turn of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Derived from the workspace, the document and the content, or from the session and the turn.
    pub id: PassageId,
    /// The text.
    pub text: String,
    /// The title of the document, with the headings above the text.
    pub title: Option<String>,
    /// The key of its document.
    pub document: String,
    /// Its position in the document, from 0, or its turn in the session.
    pub position: u64,
    /// The place of its document in the order in which documents were ingested: later ones have higher numbers. 0 if it
    /// is unknown.
    pub ordinal: u64,
    /// The speaker.
    pub speaker: Option<String>,
    /// The session of the turn.
    pub session: Option<String>,
    /// When it was said or written, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The entities it is about: those named by its title, or by its first name if it has no title.
    pub subjects: Vec<EntityId>,
    /// The entities it mentions, including its subjects.
    pub entities: Vec<EntityId>,
    /// The relations it supports.
    pub relations: Vec<RelationId>,
    /// Custom metadata.
    pub metadata: Payload,
    /// Digest of the inputs, other than the text, from which the entities and relations were derived: the extractor
    /// and the given triples. If the digest differs, the passage is extracted again.
    pub extraction_digest: String,
    /// What it referred to before a decision split an entity that it mentions; `None` if none did.
    pub unsplit: Option<Unsplit>,
}

/// What a passage referred to before decisions split entities that it mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unsplit {
    /// The entities that names in the passage would refer to, each with the one they refer to by decision.
    pub meant: BTreeMap<EntityId, EntityId>,
    /// The entities that it was about.
    pub subjects: Vec<EntityId>,
    /// The entities that it mentioned.
    pub entities: Vec<EntityId>,
    /// The relations that it supported. Those with an entity that was split no longer exist.
    pub relations: Vec<RelationId>,
}

impl Passage {
    /// Returns the entity that a name in this passage refers to, given the one that has this name everywhere else.
    pub fn meaning(&self, named: EntityId) -> EntityId {
        self.unsplit.as_ref().and_then(|unsplit| unsplit.meant.get(&named)).copied().unwrap_or(named)
    }

    /// Returns the ID derived from this passage's content.
    pub(crate) fn identity(&self, workspace: &Workspace) -> PassageId {
        match &self.session {
            Some(session) => PassageId::of_turn(workspace, session, self.position),
            None => PassageId::of_document(workspace, &self.document, self.title.as_deref(), &self.text),
        }
    }
}

/// A record with its vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded<T> {
    /// The record.
    pub record: T,
    /// Its vectors.
    pub vectors: Vectors,
}

/// Records to write: entities, then relations, then the passages that support them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    /// Entities to which the relations and passages refer.
    pub entities: Vec<Embedded<Entity>>,
    /// Relations to which the passages refer.
    pub relations: Vec<Embedded<Relation>>,
    /// Passages.
    pub passages: Vec<Embedded<Passage>>,
}

impl Delta {
    /// Whether an entity or a relation replaces an existing one.
    pub(crate) fn has_pinned(&self) -> bool {
        self.entities.iter().any(|entity| entity.record.pinned)
            || self.relations.iter().any(|relation| relation.record.pinned)
    }
}

/// Maximum nesting of lists and objects in the metadata of a passage and the properties of an entity or relation. The
/// limit lets an export be imported again, since its lines add some levels of nesting.
pub const NESTING_MAX: usize = 64;

/// Returns the nesting depth of lists and objects in metadata or properties.
pub fn nesting(values: &Payload) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::Array(values) => 1 + values.iter().map(of).max().unwrap_or_default(),
            Value::Object(values) => 1 + nesting(values),
            _ => 0,
        }
    }
    values.values().map(of).max().unwrap_or_default()
}
