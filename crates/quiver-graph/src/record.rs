use quiver_store::{Payload, Vectors};
use serde_json::Value;

use crate::{EntityId, PassageId, RelationId, Workspace, name};

/// A thing with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// Derived from the workspace and the key, or else the kind and the normalised name.
    pub id: EntityId,
    /// The name as it was first written.
    pub name: String,
    /// The caller's own key, where the name is not what tells this entity from others.
    pub key: Option<String>,
    /// Other names the caller knows it by.
    pub aliases: Vec<String>,
    /// What sort of thing it is, such as `person` or `date`.
    pub kind: Option<String>,
    /// What the caller knows of it.
    pub properties: Payload,
    /// A sentence on what it is.
    pub description: Option<String>,
    /// Whether it stays when no passage and no relation refers to it any more.
    pub pinned: bool,
}

impl Entity {
    /// Makes an entity known by its name.
    pub fn named(workspace: &Workspace, kind: Option<&str>, name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            id: EntityId::of_name(workspace, kind, &name),
            name,
            key: None,
            aliases: Vec::new(),
            kind: kind.map(str::to_owned),
            properties: Payload::new(),
            description: None,
            pinned: false,
        }
    }

    /// The normalised forms of the name and the aliases, distinct, the name first.
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

    /// The id that this entity's content gives it.
    pub(crate) fn identity(&self, workspace: &Workspace) -> EntityId {
        match &self.key {
            Some(key) => EntityId::of_key(workspace, key),
            None => EntityId::of_name(workspace, self.kind.as_deref(), &self.name),
        }
    }
}

/// What links two entities: a directed edge with its own text.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Derived from the workspace, the ends, the predicate and, for dated facts, `valid_from`.
    pub id: RelationId,
    /// Where it starts.
    pub subject: EntityId,
    /// What it says, in the words of its source.
    pub predicate: String,
    /// Where it ends.
    pub object: EntityId,
    /// The sentence it was read from, or the triple in words.
    pub text: String,
    /// What the caller knows of it.
    pub properties: Payload,
    /// When it began to hold, in milliseconds since 1970; `None` where that is not known.
    pub valid_from: Option<i64>,
    /// When it ceased to hold, in milliseconds since 1970; `None` where it holds still.
    pub valid_to: Option<i64>,
    /// When it was told, in milliseconds since 1970.
    pub recorded_at: Option<i64>,
    /// How far the source can be trusted, from 0 to 1.
    pub confidence: f32,
    /// Whether it stays when no passage supports it any more.
    pub pinned: bool,
}

impl Relation {
    /// Makes an undated relation between two entities.
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

    /// The end that is not this one; the object of a relation from an entity to itself.
    pub fn other_end(&self, end: EntityId) -> EntityId {
        if self.object == end { self.subject } else { self.object }
    }

    /// The id that this relation's content gives it.
    pub(crate) fn identity(&self, workspace: &Workspace) -> RelationId {
        RelationId::of(workspace, self.subject, &self.predicate, self.object, self.valid_from)
    }
}

/// A piece of text: of a document, or a turn of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Derived from the workspace, the document and the content, or the session and the turn.
    pub id: PassageId,
    /// The text.
    pub text: String,
    /// The title of the document, with the headings above the text.
    pub title: Option<String>,
    /// The key of the document it is of.
    pub document: String,
    /// Its place in the document, counted from 0, or its turn in the session.
    pub position: u64,
    /// Who said it.
    pub speaker: Option<String>,
    /// The session it was said in.
    pub session: Option<String>,
    /// When it was said or written, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The entities it is about: those its title, or its first name, stands for.
    pub subjects: Vec<EntityId>,
    /// The entities it mentions, those it is about among them.
    pub entities: Vec<EntityId>,
    /// The relations it supports.
    pub relations: Vec<RelationId>,
    /// What the caller knows of it.
    pub metadata: Payload,
    /// A digest of what the entities and relations were derived from beside the text: the extractor and the given
    /// triples. A passage whose digest differs is woven anew.
    pub weave: String,
}

impl Passage {
    /// The id that this passage's content gives it.
    pub(crate) fn identity(&self, workspace: &Workspace) -> PassageId {
        match &self.session {
            Some(session) => PassageId::of_turn(workspace, session, self.position),
            None => PassageId::of_document(workspace, &self.document, self.title.as_deref(), &self.text),
        }
    }
}

/// A record with the vectors it is found by.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded<T> {
    /// The record.
    pub record: T,
    /// Its vectors.
    pub vectors: Vectors,
}

/// What is to be added to the graph: entities, then relations, then the passages that support them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    /// Entities that the relations and passages refer to.
    pub entities: Vec<Embedded<Entity>>,
    /// Relations that the passages refer to.
    pub relations: Vec<Embedded<Relation>>,
    /// Passages.
    pub passages: Vec<Embedded<Passage>>,
}

/// How deep lists and objects may be nested in the metadata of a passage and the properties of an entity or relation:
/// what goes in has to come back from an export, whose lines add some levels of their own.
pub const NESTING_MAX: usize = 64;

/// How deep lists and objects are nested in metadata or properties.
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
