//! Requests to the HTTP server. It also accepts the inputs of the tools for agents ([`agent`](crate::agent)).

use std::{collections::BTreeMap, str::FromStr, time::Duration};

use quiver::{
    Document, DocumentFilter, Meaning, Profile as Effort, Question, cypher,
    graph::{EntityId, PassageId, filters},
    memory,
    query::QueryOptions,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Number, Value};

use crate::{Moment, Triple};

/// A question to the documents.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The question.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub question: String,
    /// The maximum number of passages to return, from 1 to 50. Default: the server's setting, or else 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 50))]
    pub passages: Option<usize>,
    /// The effort to spend on the question. Default: the server's setting, or else `balanced`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// The maximum number of hops, at most 10. Default: that of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 10))]
    pub hops: Option<usize>,
    /// The minimum probability that an answer is correct, from 0 to 1; 0 always answers. Default: the server's setting,
    /// or else 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence_min: Option<f32>,
    /// Answers as of this moment: ignores everything written or said later, and relations that did not hold then.
    /// Default: no restriction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<When>,
    /// The keys of the documents to use; passages of others are ignored. If the documents lack a word of the question,
    /// there is no answer, and the question is not read as a query over records. Default: all documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub documents: Vec<String>,
    /// Conditions on the documents to use; others are ignored as with `documents`. Default: all documents.
    #[serde(default, skip_serializing_if = "Filter::is_empty")]
    pub filter: Filter,
    /// The IDs of passages to ignore. Answers list them as `passage`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub without: Vec<String>,
    /// Maps names in the question, as written there, to the IDs of the entities they refer to. With `trace`, answers
    /// list the candidates under `choices`. Passages about another entity of the same name are ignored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 20))]
    pub meanings: BTreeMap<String, String>,
    /// The IDs of entities to start from, as if the question named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20))]
    pub pinned: Vec<String>,
    /// The user who asks, by name or by the `id` of a record. "I" and "my" in a question over records mean this user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<String>,
    /// The time that "overdue" and "next" in a question over records refer to. Default: the server's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<When>,
    /// Adds a trace of what each stage did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trace: bool,
}

/// Maximum number of documents to use.
const DOCUMENTS_MAX: usize = 100;
/// Maximum number of passages to ignore.
const WITHOUT_MAX: usize = 100;
/// Maximum number of names with a chosen meaning.
const MEANINGS_MAX: usize = 20;

/// Maximum number of keys of metadata in a filter, and of values for each.
const FILTERED_MAX: usize = 100;

/// Conditions on documents; all of them must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// For each key, the value that the metadata of the document must have, or a list of values of which it must have
    /// one. Metadata that are a list match if they contain the value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 100))]
    pub metadata: BTreeMap<String, Values>,
    /// Only documents written at this moment or later. Excludes documents without a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_since: Option<When>,
    /// Only documents written before this moment. Excludes documents without a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_before: Option<When>,
}

/// A value, or several of which one is enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Values {
    /// A value.
    One(Plain),
    /// Several.
    Any(#[schemars(length(max = 100))] Vec<Plain>),
}

/// A value that documents can be filtered by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Plain {
    /// A boolean.
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
}

impl From<Plain> for Value {
    fn from(value: Plain) -> Self {
        match value {
            Plain::Boolean(value) => value.into(),
            Plain::Number(value) => value.into(),
            Plain::Text(value) => value.into(),
        }
    }
}

impl Filter {
    /// Whether every document passes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Converts the filter in a field.
    ///
    /// # Errors
    /// Fails if there are too many values, if one is too long, or if a moment is invalid.
    pub fn read(&self, field: &str) -> Result<DocumentFilter, Wrong> {
        let Self { metadata, written_since, written_before } = self;
        if metadata.len() > FILTERED_MAX {
            return Err(Wrong::new(format!("{field}.metadata"), format!("give at most {FILTERED_MAX} keys")));
        }
        let mut read = DocumentFilter::default();
        for (key, values) in metadata {
            let place = || format!("{field}.metadata.{key}");
            let values = match values {
                Values::One(value) => std::slice::from_ref(value),
                Values::Any(values) => values,
            };
            if values.len() > FILTERED_MAX {
                return Err(Wrong::new(place(), format!("give at most {FILTERED_MAX} values")));
            }
            let values: Vec<Value> = values.iter().cloned().map(Value::from).collect();
            if !values.iter().all(|value| filters::can_match_metadata(key, value)) {
                return Err(Wrong::new(place(), "is too long to filter by; give at most 200 bytes"));
            }
            read.metadata.insert(key.clone(), values);
        }
        let moment = |name: &str, when: &Option<When>| {
            when.as_ref().map(|when| when.milliseconds(&format!("{field}.{name}"))).transpose()
        };
        read.written_since = moment("written_since", written_since)?;
        read.written_before = moment("written_before", written_before)?;
        Ok(read)
    }
}

/// A filter in a query string, as JSON.
mod json_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _, ser::Error as _};

    use super::Filter;

    pub(super) fn serialize<S: Serializer>(filter: &Filter, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(filter).map_err(S::Error::custom)?)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Filter, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.trim().is_empty() {
            return Ok(Filter::default());
        }
        serde_json::from_str(&text).map_err(|error| D::Error::custom(format!("filter: {error}")))
    }
}

/// Maximum number of entities to start from.
const PINNED_MAX: usize = 20;

/// The effort to spend on a question.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Search and hops.
    Fast,
    /// Search, hops, and further searches for the question with names that were found.
    Balanced,
    /// As `balanced`, with larger budgets.
    Thorough,
}

impl From<Profile> for Effort {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Fast => Self::Fast,
            Profile::Balanced => Self::Balanced,
            Profile::Thorough => Self::Thorough,
        }
    }
}

/// An invalid field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The field.
    pub field: String,
    /// What is wrong, and how to fix it.
    pub why: String,
}

impl Wrong {
    /// Creates the error for a field.
    pub fn new(field: impl Into<String>, why: impl Into<String>) -> Self {
        Self { field: field.into(), why: why.into() }
    }
}

/// Checks that a field is not blank.
///
/// # Errors
/// Fails if it is blank.
pub fn not_blank(field: &str, text: &str) -> Result<(), Wrong> {
    if text.trim().is_empty() { Err(Wrong::new(field, "must not be blank")) } else { Ok(()) }
}

/// Reads the IDs in a field. `what` says in an error what they are the IDs of, and where they are listed.
fn ids<Id: FromStr>(
    field: &str,
    texts: &[String],
    most: usize,
    kind: &str,
    what: &str,
) -> Result<Vec<Id>, Wrong> {
    if texts.len() > most {
        return Err(Wrong::new(field, format!("give at most {most} {kind}")));
    }
    let read = |(at, id): (usize, &String)| {
        id.parse()
            .map_err(|_| Wrong::new(format!("{field}[{at}]"), format!("{id:?} is not the ID of {what}")))
    };
    texts.iter().enumerate().map(read).collect()
}

/// Checks the keys of the documents to use.
///
/// # Errors
/// Fails if there are too many, or if one is blank.
pub fn documents_to_use(keys: &[String]) -> Result<Vec<String>, Wrong> {
    if keys.len() > DOCUMENTS_MAX {
        return Err(Wrong::new("documents", format!("give at most {DOCUMENTS_MAX} documents")));
    }
    for (at, key) in keys.iter().enumerate() {
        not_blank(&format!("documents[{at}]"), key)?;
    }
    Ok(keys.to_vec())
}

/// Parses a cursor of a search.
///
/// # Errors
/// Fails if it is not the ID of a passage.
pub fn passage_to_continue_from(from: Option<&str>) -> Result<Option<PassageId>, Wrong> {
    let read = |from: &str| {
        from.parse().map_err(|_| Wrong::new("from", "give `next` of the previous result, or start anew"))
    };
    from.map(read).transpose()
}

impl Ask {
    /// Creates a question with default options.
    ///
    /// ```
    /// use quiver_forms::request::Ask;
    ///
    /// let ask = Ask { passages: Some(8), ..Ask::new("Who runs the ferry?") };
    /// assert_eq!(serde_json::to_string(&ask).unwrap(), r#"{"question":"Who runs the ferry?","passages":8}"#);
    /// ```
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into(), ..Self::default() }
    }

    /// Converts to a question. Requested options override those of the server.
    ///
    /// # Errors
    /// Fails if a field is out of range.
    pub fn question(&self, options: &quiver::AskOptions) -> Result<Question, Wrong> {
        not_blank("question", &self.question)?;
        Ok(Question::new(&self.question).with_options(self.options(options)?))
    }

    fn options(&self, options: &quiver::AskOptions) -> Result<quiver::AskOptions, Wrong> {
        let mut options = match self.profile {
            Some(profile) => quiver::AskOptions {
                passages_limit: options.passages_limit,
                confidence_min: options.confidence_min,
                ..quiver::AskOptions::of(profile.into())
            },
            None => options.clone(),
        };
        if let Some(passages) = self.passages {
            if !(1..=50).contains(&passages) {
                return Err(Wrong::new("passages", "must be from 1 to 50"));
            }
            options.passages_limit = passages;
        }
        if let Some(hops) = self.hops {
            if hops > 10 {
                return Err(Wrong::new("hops", "must be from 0 to 10"));
            }
            options.hops_max = hops;
        }
        if let Some(least) = self.confidence_min {
            if !(0.0..=1.0).contains(&least) {
                return Err(Wrong::new("confidence_min", "must be from 0 to 1"));
            }
            options.confidence_min = least;
        }
        if let Some(as_of) = &self.as_of {
            options.as_of = Some(as_of.milliseconds("as_of")?);
        }
        options.documents = documents_to_use(&self.documents)?;
        options.filter = self.filter.read("filter")?;
        options.without = ids(
            "without",
            &self.without,
            WITHOUT_MAX,
            "passages",
            "a passage; answers list the IDs as `passage`",
        )?;
        options.meanings = self.chosen()?;
        options.pinned =
            ids("pinned", &self.pinned, PINNED_MAX, "entities", "an entity; /v1/things lists the IDs")?;
        options.asker.clone_from(&self.asker);
        options.now = self.now.as_ref().map(|now| now.milliseconds("now")).transpose()?;
        options.explain = self.trace;
        Ok(options)
    }

    fn chosen(&self) -> Result<Vec<Meaning>, Wrong> {
        if self.meanings.len() > MEANINGS_MAX {
            return Err(Wrong::new("meanings", format!("give at most {MEANINGS_MAX} names")));
        }
        let read = |(name, id): (&String, &String)| {
            let entity = id.parse::<EntityId>().map_err(|_| {
                let why = format!(
                    "{id:?} is not the ID of an entity; the trace of an answer lists the IDs under `choices`"
                );
                Wrong::new(format!("meanings.{name}"), why)
            })?;
            Ok(Meaning { name: name.clone(), entity })
        };
        self.meanings.iter().map(read).collect()
    }
}

/// A query in Cypher.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The query. It must not write.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub query: String,
    /// The parameters, by their names without `$`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// Adds the relations that prove each row.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proof: bool,
    /// Returns the query plan without running the query.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explain: bool,
}

impl Query {
    /// Creates a query without parameters.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), ..Self::default() }
    }

    /// Converts to parameters and options of a query with this maximum time.
    ///
    /// # Errors
    /// Fails if the query is blank.
    pub fn options(&self, time_max: Duration) -> Result<(cypher::Map, QueryOptions), Wrong> {
        not_blank("query", &self.query)?;
        let parameters = self.parameters.iter();
        let parameters =
            parameters.map(|(name, value)| (name.clone(), cypher::Value::from_json(value))).collect();
        let cypher = cypher::Options {
            budget: cypher::Budget { time_max, ..cypher::Budget::default() },
            proof: self.proof,
            read_only: true,
            ..cypher::Options::default()
        };
        Ok((
            parameters,
            QueryOptions { cypher, why_empty: true, explain: self.explain, ..QueryOptions::default() },
        ))
    }
}

/// Two names of the same entity.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Merge {
    /// A name of the first entity.
    #[schemars(regex(pattern = r"\S"))]
    pub one: String,
    /// A name of the second entity.
    #[schemars(regex(pattern = r"\S"))]
    pub other: String,
    /// The reason. Default: `decided by hand`.
    #[serde(default)]
    pub evidence: Option<String>,
}

/// Another name for an entity.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// The ID of the entity, or a name that no other entity has.
    #[schemars(regex(pattern = r"\S"))]
    pub entity: String,
    /// The new name. The entity is still found by the old one.
    #[schemars(regex(pattern = r"\S"))]
    pub name: String,
    /// The reason. Default: `decided by hand`.
    #[serde(default)]
    pub evidence: Option<String>,
}

/// An entity that is really two, and the texts that are about the other one; at least one text.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The ID of the entity, or a name that no other entity has.
    #[schemars(regex(pattern = r"\S"))]
    pub entity: String,
    /// The name of the other entity.
    #[schemars(regex(pattern = r"\S"))]
    pub name: String,
    /// The keys of documents that are about the other entity, in any version.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub documents: Vec<String>,
    /// The sessions whose turns, including future ones, are about the other entity.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub sessions: Vec<String>,
    /// The IDs of single passages and turns that are about the other entity.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub passages: Vec<String>,
    /// The reason. Default: `decided by hand`.
    #[serde(default)]
    pub evidence: Option<String>,
}

/// An entity to hide, with its relations.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hide {
    /// The ID of the entity, or a name that no other entity has.
    #[schemars(regex(pattern = r"\S"))]
    pub entity: String,
    /// The reason. Default: `decided by hand`.
    #[serde(default)]
    pub evidence: Option<String>,
}

/// A question in a conversation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chat {
    /// The conversation. It continues where it left off.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub session: String,
    /// The question, interpreted in the context of the conversation.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub question: String,
    /// A standalone form of the question, used instead of the server's rewriting.
    #[serde(default)]
    pub standalone: Option<String>,
    /// Adds a trace of what each stage did.
    #[serde(default)]
    pub trace: bool,
}

/// Turns of conversations to remember.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// The turns, in chronological order. Sending the same turns again changes nothing.
    #[schemars(length(min = 1, max = 1000))]
    pub turns: Vec<Turn>,
}

/// A turn of a conversation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// What was said, verbatim.
    #[serde(default)]
    pub text: String,
    /// The facts in the text that you are sure of. Without this field, they are extracted from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Vec<Triple>>,
    /// The conversation in which it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The number of the turn in the conversation. Default: the next number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// Who said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// When it was said. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<When>,
}

/// A moment: milliseconds since 1970, 2026-03-01 or 2026-03-01T09:30:00Z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum When {
    /// Milliseconds since 1970.
    Milliseconds(i64),
    /// A date with an optional time.
    Written(String),
}

impl When {
    fn milliseconds(&self, field: &str) -> Result<i64, Wrong> {
        match self {
            Self::Milliseconds(milliseconds) => moment(field, &milliseconds.to_string()),
            Self::Written(written) => moment(field, written),
        }
    }
}

/// Parses a moment.
///
/// # Errors
/// Fails if it is invalid.
pub fn moment(field: &str, written: &str) -> Result<i64, Wrong> {
    written.parse::<Moment>().map(|moment| moment.0).map_err(|wrong| Wrong::new(field, wrong))
}

/// Parses an optional moment.
///
/// # Errors
/// Fails if it is invalid.
pub fn optional_moment(field: &str, written: Option<&str>) -> Result<Option<i64>, Wrong> {
    written.map(|written| moment(field, written)).transpose()
}

impl Remember {
    /// Converts to turns.
    ///
    /// # Errors
    /// Fails if there are none or too many, if one is blank, or if a moment is invalid.
    pub fn turns(self) -> Result<Vec<memory::Turn>, Wrong> {
        if !(1..=1000).contains(&self.turns.len()) {
            return Err(Wrong::new("turns", "give 1 to 1000 turns"));
        }
        self.turns.into_iter().enumerate().map(|(at, turn)| turn.read(&format!("turns[{at}]"))).collect()
    }
}

impl Turn {
    /// Creates a turn of the default session.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    fn read(self, place: &str) -> Result<memory::Turn, Wrong> {
        let field = |name: &str| format!("{place}.{name}");
        if self.text.trim().is_empty() && self.facts.as_ref().is_none_or(Vec::is_empty) {
            return Err(Wrong::new(
                field("text"),
                "the turn has neither text nor facts; at least one is required",
            ));
        }
        let fact = |fact: Triple| memory::Fact::new(fact.subject, fact.predicate, fact.object);
        Ok(memory::Turn {
            session: self.session.unwrap_or_default(),
            number: self.turn,
            speaker: self.speaker,
            time: self.time.map(|time| time.milliseconds(&field("time"))).transpose()?,
            text: self.text,
            facts: self.facts.map(|facts| facts.into_iter().map(fact).collect()),
        })
    }
}

/// What to add: documents and web pages. They replace existing documents with the same keys.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Ingest {
    /// Several documents and pages.
    All(GivenDocuments),
    /// A single page.
    Page(PageForm),
}

/// Documents and web pages.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GivenDocuments {
    /// The documents and pages. At most 100 of them may be pages.
    #[schemars(length(min = 1, max = 10_000))]
    pub documents: Vec<GivenDocument>,
}

/// A document, or a web page that the server fetches.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum GivenDocument {
    /// A document with its text.
    Document(Box<DocumentForm>),
    /// A page.
    Page(PageForm),
}

/// A web page that the server fetches. The key of its document is its address, after all redirects.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PageForm {
    /// The address, with `http` or `https`. The server fetches it as `quiver ingest` does: it respects `robots.txt`, and
    /// reads the main part of a page with its title and date. Addresses that are not public are refused, unless the
    /// server allows them.
    #[schemars(length(min = 1), regex(pattern = r"^https?://\S"))]
    pub url: String,
}

/// A document.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DocumentForm {
    /// The key that identifies the document when it is replaced, read or deleted.
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    pub key: String,
    /// The title.
    #[schemars(default)]
    pub title: Option<String>,
    /// The whole text.
    pub text: String,
    /// Whether the text is `plain`, `markdown`, `sections` or `code`. Default: `plain`.
    #[schemars(default)]
    pub format: Format,
    /// Data stored with the document and returned with its passages.
    #[schemars(default)]
    pub metadata: Map<String, Value>,
    /// Facts that the document states.
    #[schemars(default)]
    pub triples: Vec<Triple>,
    /// When it was written.
    #[schemars(default)]
    pub time: Option<When>,
}

/// The format of a text.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Paragraphs without markup.
    #[default]
    Plain,
    /// Headings, lists, fenced code.
    Markdown,
    /// Markdown whose sections are independent, such as slides: no passage spans two of them.
    Sections,
    /// Source code in the language given by the extension of the key. Each passage is a definition.
    Code,
}

impl From<Format> for quiver::document::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Plain => Self::Plain,
            Format::Markdown => Self::Markdown,
            Format::Sections => Self::Sections,
            Format::Code => Self::Code,
        }
    }
}

/// The fields of [`Ingest`], read before it is known which of them belong together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IngestFields {
    #[serde(default, deserialize_with = "some")]
    documents: Option<Vec<GivenDocument>>,
    #[serde(default, deserialize_with = "some")]
    url: Option<String>,
}

/// Reads a field that may be absent but not null.
fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for Ingest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = IngestFields::deserialize(deserializer)?;
        match (fields.documents, fields.url) {
            (Some(documents), None) => Ok(Self::All(GivenDocuments { documents })),
            (None, Some(url)) => Ok(Self::Page(PageForm { url })),
            (None, None) => {
                Err(D::Error::custom("missing field `documents`; give it, or the `url` of a page"))
            }
            (Some(_), Some(_)) => {
                Err(D::Error::custom("`url` can't be combined with `documents`; add the page to them"))
            }
        }
    }
}

/// The fields of a [`GivenDocument`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentFields {
    #[serde(default, deserialize_with = "some")]
    key: Option<String>,
    title: Option<String>,
    #[serde(default, deserialize_with = "some")]
    text: Option<String>,
    #[serde(default, deserialize_with = "some")]
    format: Option<Format>,
    #[serde(default, deserialize_with = "some")]
    metadata: Option<Map<String, Value>>,
    #[serde(default, deserialize_with = "some")]
    triples: Option<Vec<Triple>>,
    time: Option<When>,
    #[serde(default, deserialize_with = "some")]
    url: Option<String>,
}

impl<'de> Deserialize<'de> for GivenDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match DocumentFields::deserialize(deserializer)? {
            DocumentFields {
                key: None,
                title: None,
                text: None,
                format: None,
                metadata: None,
                triples: None,
                time: None,
                url: Some(url),
            } => Ok(Self::Page(PageForm { url })),
            DocumentFields { url: Some(_), .. } => {
                Err(D::Error::custom("`url` names a page to fetch, and can't be combined with other fields"))
            }
            DocumentFields { key: None, .. } => {
                Err(D::Error::custom("missing field `key`; give `key` and `text`, or the `url` of a page"))
            }
            DocumentFields { text: None, .. } => Err(D::Error::missing_field("text")),
            DocumentFields {
                key: Some(key),
                title,
                text: Some(text),
                format,
                metadata,
                triples,
                time,
                ..
            } => Ok(Self::Document(Box::new(DocumentForm {
                key,
                title,
                text,
                format: format.unwrap_or_default(),
                metadata: metadata.unwrap_or_default(),
                triples: triples.unwrap_or_default(),
                time,
            }))),
        }
    }
}

/// Something to add, as a request gives it.
#[derive(Clone, Debug)]
pub enum Given {
    /// A document.
    Document(Box<Document>),
    /// The address of a page, and the field that contains it.
    Page {
        /// The address.
        url: String,
        /// The field.
        field: String,
    },
}

/// Maximum number of pages in a request.
const PAGES_MAX: usize = 100;

impl Ingest {
    /// Converts to documents and addresses of pages.
    ///
    /// # Errors
    /// Fails if there are none or too many, if a key is blank or occurs twice, or if a moment is invalid.
    pub fn read(self) -> Result<Vec<Given>, Wrong> {
        let given = match self {
            Self::Page(page) => return Ok(vec![Given::Page { url: page.url, field: "url".to_owned() }]),
            Self::All(given) => given.documents,
        };
        if !(1..=10_000).contains(&given.len()) {
            return Err(Wrong::new("documents", "give 1 to 10000 documents"));
        }
        if given.iter().filter(|given| matches!(given, GivenDocument::Page(_))).count() > PAGES_MAX {
            return Err(Wrong::new("documents", format!("give at most {PAGES_MAX} addresses of pages")));
        }
        let mut keys = std::collections::HashSet::new();
        for (at, given) in given.iter().enumerate() {
            let (field, key) = match given {
                GivenDocument::Document(document) => ("key", document.key.as_str()),
                GivenDocument::Page(page) => ("url", page.url.as_str()),
            };
            let field = format!("documents[{at}].{field}");
            not_blank(&field, key)?;
            if !keys.insert(key) {
                let why = format!("{key:?} is also the key of an earlier document; keys must be unique");
                return Err(Wrong::new(field, why));
            }
        }
        let read = |(at, given): (usize, GivenDocument)| match given {
            GivenDocument::Document(document) => Ok(Given::Document(Box::new(document.read(at)?))),
            GivenDocument::Page(page) => {
                Ok(Given::Page { url: page.url, field: format!("documents[{at}].url") })
            }
        };
        given.into_iter().enumerate().map(read).collect()
    }
}

impl DocumentForm {
    fn read(self, at: usize) -> Result<Document, Wrong> {
        let triple = |triple: Triple| quiver::Triple {
            subject: triple.subject,
            predicate: triple.predicate,
            object: triple.object,
        };
        Ok(Document {
            key: self.key,
            title: self.title,
            text: self.text,
            format: self.format.into(),
            metadata: self.metadata,
            triples: self.triples.into_iter().map(triple).collect(),
            time: self.time.map(|time| time.milliseconds(&format!("documents[{at}].time"))).transpose()?,
            ..Document::default()
        })
    }
}

/// A page of a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Lists the entries after this cursor: `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The maximum number of entries, from 1 to 1000. Default: 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Lists only the documents that pass this filter, and counts only their passages that do. It is written as JSON:
    /// `{"metadata": {"team": "kitchen"}}`. Default: all documents.
    #[serde(default, with = "json_text", skip_serializing_if = "Filter::is_empty")]
    #[schemars(with = "String")]
    pub filter: Filter,
}

/// Implements conversions from texts, with default options.
macro_rules! from_texts {
    ($($form:ty),*) => {$(
        impl From<&str> for $form {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl From<&String> for $form {
            fn from(text: &String) -> Self {
                Self::new(text)
            }
        }

        impl From<String> for $form {
            fn from(text: String) -> Self {
                Self::new(text)
            }
        }
    )*};
}

pub(crate) use from_texts;

from_texts!(Ask, Query, Turn);
