use std::{fmt, str::FromStr};

use quiver_store::{Error, ErrorKind, PointId};
use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};
use uuid::Uuid;

use crate::name;

/// The namespace from which the namespaces of all workspaces are derived. Changing it changes every ID.
const ROOT: Uuid = Uuid::from_bytes([
    0x2f, 0x1d, 0x9c, 0x0e, 0x6b, 0x52, 0x5d, 0x0b, 0x9b, 0x7a, 0x51, 0x75, 0x69, 0x76, 0x65, 0x72,
]);

/// The name of a workspace. No read or write crosses its boundary.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Workspace {
    name: String,
    /// The namespace of its IDs, derived from the name once.
    namespace: Uuid,
}

impl Workspace {
    /// Maximum length of a name in bytes.
    pub const BYTES_MAX: usize = 128;

    /// Creates a workspace from a name.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] if the name is blank, longer than [`Self::BYTES_MAX`], or contains control characters.
    pub fn new(name: impl Into<String>) -> Result<Self, Error> {
        let name = name.into();
        if name.trim().is_empty() || name.len() > Self::BYTES_MAX || name.chars().any(char::is_control) {
            return Err(Error::new(
                ErrorKind::Invalid,
                format!(
                    "workspace {name:?}: a name has 1 to {} bytes and no control characters",
                    Self::BYTES_MAX
                ),
            ));
        }
        Ok(Self::of(name))
    }

    fn of(name: String) -> Self {
        let namespace = Uuid::new_v5(&ROOT, name.as_bytes());
        Self { name, namespace }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the namespace of its IDs.
    pub(crate) fn namespace(&self) -> Uuid {
        self.namespace
    }

    /// Derives an ID from the parts of an identity. Parts are separated by a byte that does not occur in UTF-8 text.
    fn identify(&self, parts: &[&str]) -> Uuid {
        let mut identity = Vec::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
        for part in parts {
            identity.extend_from_slice(part.as_bytes());
            identity.push(0xff);
        }
        Uuid::new_v5(&self.namespace, &identity)
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::of("default".to_owned())
    }
}

impl fmt::Display for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl FromStr for Workspace {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::new(name)
    }
}

impl TryFrom<String> for Workspace {
    type Error = Error;

    fn try_from(name: String) -> Result<Self, Error> {
        Self::new(name)
    }
}

impl From<Workspace> for String {
    fn from(workspace: Workspace) -> Self {
        workspace.name
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(PointId);

        impl $name {
            /// Returns the ID of the point.
            pub fn point(self) -> PointId {
                self.0
            }
        }

        impl From<PointId> for $name {
            fn from(id: PointId) -> Self {
                Self(id)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self, Error> {
                Uuid::from_str(text).map(Self).map_err(|source| {
                    Error::new(ErrorKind::Invalid, format!("{text:?} is not an id")).with_source(source)
                })
            }
        }
    };
}

id! {
    /// The ID of an entity, derived from its workspace and its key, or from its kind and normalised name if it has no
    /// key.
    EntityId
}
id! {
    /// The ID of a relation, derived from its workspace, ends, predicate and, for dated facts, the date.
    RelationId
}
id! {
    /// The ID of a passage, derived from its workspace, document and content, or from its session and turn.
    PassageId
}

impl EntityId {
    /// Returns the ID of an entity with a key of the caller's own.
    pub fn of_key(workspace: &Workspace, key: &str) -> Self {
        Self(workspace.identify(&["entity", "key", key]))
    }

    /// Returns the ID of an entity identified by its name. Two spellings that [`name::normalise`] to the same form are
    /// one entity.
    pub fn of_name(workspace: &Workspace, kind: Option<&str>, name: &str) -> Self {
        Self::of_normalised(workspace, kind, &name::normalise(name))
    }

    /// Returns the ID of an entity identified by its name, which must be normalised.
    pub fn of_normalised(workspace: &Workspace, kind: Option<&str>, normalised: &str) -> Self {
        Self(workspace.identify(&["entity", "name", kind.unwrap_or_default(), normalised]))
    }
}

/// Derives the IDs of many entities from their names alone, as [`EntityId::of_normalised`] does for one.
#[derive(Clone, Debug)]
pub struct EntityIds {
    /// The hash state that all identities of a workspace begin with.
    begun: Sha1,
}

impl EntityIds {
    /// Prepares to derive IDs in a workspace.
    pub fn new(workspace: &Workspace) -> Self {
        let begun = Sha1::new().chain_update(workspace.namespace.as_bytes());
        Self { begun: begun.chain_update(b"entity\xffname\xff\xff") }
    }

    /// Returns the ID of the entity with a normalised name.
    pub fn of_normalised(&self, normalised: &str) -> EntityId {
        let hash = self.begun.clone().chain_update(normalised).chain_update(b"\xff").finalize();
        let bytes = hash[..16].try_into().expect("a hash has twenty bytes");
        EntityId(uuid::Builder::from_sha1_bytes(bytes).into_uuid())
    }
}

impl RelationId {
    /// Returns the ID of a relation between two entities. If dated, it is the ID of a fact valid from that moment.
    pub fn of(
        workspace: &Workspace,
        subject: EntityId,
        predicate: &str,
        object: EntityId,
        valid_from: Option<i64>,
    ) -> Self {
        let date = valid_from.map(|moment| moment.to_string()).unwrap_or_default();
        let (subject, object) = (subject.to_string(), object.to_string());
        Self(workspace.identify(&["relation", &subject, &name::normalise(predicate), &object, &date]))
    }

    /// Returns the ID of another relation with the same ends, predicate and date, and a key of the caller's own.
    #[must_use]
    pub fn with_key(self, workspace: &Workspace, key: &str) -> Self {
        Self(workspace.identify(&["relation", "key", &self.to_string(), key]))
    }
}

impl PassageId {
    /// Returns the ID of a passage of a document. Its position does not count, so a passage that moves within its
    /// document stays the same passage.
    pub fn of_document(workspace: &Workspace, document: &str, title: Option<&str>, text: &str) -> Self {
        let mut content = blake3::Hasher::new();
        content.update(title.unwrap_or_default().as_bytes()).update(&[0xff]).update(text.as_bytes());
        Self(workspace.identify(&["passage", "document", document, content.finalize().to_hex().as_str()]))
    }

    /// Returns the ID of a turn of a session.
    pub fn of_turn(workspace: &Workspace, session: &str, turn: u64) -> Self {
        Self(workspace.identify(&["passage", "session", session, &turn.to_string()]))
    }
}
