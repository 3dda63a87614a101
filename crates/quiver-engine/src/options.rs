use std::{collections::BTreeMap, time::Duration};

use quiver_graph::{EntityId, PassageId, filters};
use quiver_store::Filter;
use serde_json::Value;

/// The effort to spend on a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// Seeds and up to two hops.
    Fast,
    /// Seeds, hops, and further searches with the names of bridge entities.
    #[default]
    Balanced,
    /// Like [`Balanced`](Self::Balanced), with larger budgets.
    Thorough,
}

/// The entity that a name in a question means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The name as it occurs in the question. Case does not matter.
    pub name: String,
    /// The entity.
    pub entity: EntityId,
}

/// Conditions on the documents to use; all of them must hold.
///
/// ```
/// use quiver::{Document, DocumentFilter, Quiver};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let quiver = Quiver::in_memory().await?;
/// let minutes = |key: &str, team: &str| {
///     let mut document = Document::new(key, "The ferry leaves at nine.");
///     document.metadata.insert("team".to_owned(), team.into());
///     document
/// };
/// quiver.ingest([minutes("monday", "harbour"), minutes("tuesday", "kitchen")]).await?;
/// let of_the_kitchen = DocumentFilter::default().metadata("team", ["kitchen"]);
/// let found = quiver.retrieve("When does the ferry leave?").filter(of_the_kitchen).await?;
/// assert_eq!(found.passages[0].passage.document, "tuesday");
/// assert_eq!(found.passages.len(), 1);
/// # Ok::<(), quiver::Error>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentFilter {
    /// For each key, values of which the document's metadata must have one, or a list with one of them. A value is a
    /// text, a number or a boolean; one longer than about 250 bytes matches nothing.
    pub metadata: BTreeMap<String, Vec<Value>>,
    /// Written at this time or later, in milliseconds since 1970. Excludes documents without a time.
    pub written_since: Option<i64>,
    /// Written before this time, in milliseconds since 1970. Excludes documents without a time.
    pub written_before: Option<i64>,
}

impl DocumentFilter {
    /// Adds values of which the metadata must have one under a key.
    #[must_use]
    pub fn metadata(
        mut self,
        key: impl Into<String>,
        values: impl IntoIterator<Item = impl Into<Value>>,
    ) -> Self {
        self.metadata.entry(key.into()).or_default().extend(values.into_iter().map(Into::into));
        self
    }

    /// Whether every document passes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the filter of passages.
    pub(crate) fn passages(&self) -> Filter {
        let Self { metadata, written_since, written_before } = self;
        let among = metadata.iter().map(|(key, values)| filters::with_metadata(key, values));
        let among = among.fold(Filter::everything(), Filter::and);
        if written_since.is_none() && written_before.is_none() {
            return among;
        }
        let last = written_before.map(|moment| moment.saturating_sub(1));
        among.and(filters::said(*written_since, last))
    }
}

/// Budgets and limits for answering a question, each with its default.
#[derive(Clone, Debug, PartialEq)]
pub struct AskOptions {
    /// Maximum number of passages returned. Default 5. An answer over several pages adds those of its passages that are
    /// not among them.
    pub passages_limit: usize,
    /// The effort. Default balanced.
    pub profile: Profile,
    /// Maximum number of passages, and of relations, that the initial search returns. Default 30.
    pub seeds_limit: usize,
    /// Maximum number of hops from the seeds. Default 3; 2 with the profile `fast`.
    pub hops_max: usize,
    /// Maximum number of passages that each hop starts from, the best first. Default 12.
    pub frontier_limit: usize,
    /// Maximum number of passages and of relations read per search of a hop. Default 100.
    pub hop_limit: usize,
    /// Maximum number of the best passages whose entities may serve as bridge entities. Default 4.
    pub bridge_passages: usize,
    /// Maximum number of bridge entities per passage. Default 5.
    pub bridge_names: usize,
    /// No hop starts after this time. Default 2 s.
    pub time_max: Duration,
    /// Minimum confidence of an answer, from 0 to 1. Below it, the nearest sentences are returned as found, and there
    /// is no answer; 0 always answers. It does not apply to answers written by a language model. Default 0.5.
    pub confidence_min: f32,
    /// Use only what was valid at this time, in milliseconds since 1970: passages not written or said later, turns not
    /// yet superseded, and relations that held. Anything without a time is used. The question is not read as a query,
    /// since records are stored only as they are now. Default: any time.
    pub as_of: Option<i64>,
    /// The keys of the documents to use: passages of others are neither found nor followed, and no answer is based on
    /// them. If they lack a word of the question, there is no answer, unless the minimum confidence is 0. The question
    /// is not read as a query. Default: all documents.
    pub documents: Vec<String>,
    /// Conditions on the documents to use; others are treated as those that `documents` does not name. Default: none.
    pub filter: DocumentFilter,
    /// The passage to continue from: [`Evidence::next`](crate::Evidence::next) for the same question with the same
    /// options. The candidates come first, as ranked, then what only a longer plain search finds, up to 1,000 passages.
    /// Default: the best passage.
    pub from: Option<PassageId>,
    /// Passages to exclude: they are neither found nor followed, and no answer is based on them. Rows of a query over
    /// records are not based on passages and are kept. Default: none.
    pub without: Vec<PassageId>,
    /// The entities that names in the question refer to. If an entity does not have the given name, the name is read as
    /// the entity's own. Passages about another entity of the same name are excluded, unless they are also about the
    /// chosen one, mention it, or have a sentence with all words of a longer name of it. The question is not read as a
    /// query. Default: none.
    pub meanings: Vec<Meaning>,
    /// Entities to start from, as if the question named them: passages about them or mentioning them are candidates,
    /// and the first hop starts from the best passages about them. Rows of a query over records are not affected.
    /// Default: none.
    pub pinned: Vec<EntityId>,
    /// Whether decisions apply: the other names of a merged or renamed entity count for the one in the question.
    /// Default true.
    pub merges: bool,
    /// The user who asks: a name, or the `id`, `key`, `email` or `login` of a record. "I", "me", "my" and "mine" mean
    /// this user in questions over records; other questions are asked as written. Default: unknown.
    pub asker: Option<String>,
    /// The current time, in milliseconds since 1970, for "overdue", "next", "this week". Default: the clock's.
    pub now: Option<i64>,
    /// Whether the trace explains the ranking of the candidates. Default false.
    pub explain: bool,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self {
            passages_limit: 5,
            profile: Profile::Balanced,
            seeds_limit: 30,
            hops_max: 3,
            frontier_limit: 12,
            hop_limit: 100,
            bridge_passages: 4,
            bridge_names: 5,
            time_max: Duration::from_secs(2),
            confidence_min: 0.5,
            as_of: None,
            documents: Vec::new(),
            filter: DocumentFilter::default(),
            from: None,
            without: Vec::new(),
            meanings: Vec::new(),
            pinned: Vec::new(),
            merges: true,
            asker: None,
            now: None,
            explain: false,
        }
    }
}

impl AskOptions {
    /// Whether only some documents may be used, or the answer goes on from an earlier one, so that the memory's facts do not
    /// answer.
    pub(crate) fn is_limited(&self) -> bool {
        !self.documents.is_empty() || self.filter != DocumentFilter::default() || self.from.is_some()
    }

    /// Whether only some documents may be used.
    pub(crate) fn is_restricted(&self) -> bool {
        !self.documents.is_empty() || !self.filter.is_empty()
    }

    /// Returns the defaults of a profile.
    pub fn of(profile: Profile) -> Self {
        Self::default().with_profile(profile)
    }

    /// Sets the effort, and the budgets to its defaults. Everything else stays.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        let Self { seeds_limit, hops_max, frontier_limit, hop_limit, bridge_passages, bridge_names, .. } =
            Self::default();
        let balanced = Self {
            profile,
            seeds_limit,
            hops_max,
            frontier_limit,
            hop_limit,
            bridge_passages,
            bridge_names,
            ..self
        };
        match profile {
            Profile::Fast => Self { hops_max: 2, ..balanced },
            Profile::Balanced => balanced,
            Profile::Thorough => Self {
                seeds_limit: 60,
                frontier_limit: 20,
                hop_limit: 200,
                hops_max: 3,
                bridge_passages: 8,
                bridge_names: 6,
                ..balanced
            },
        }
    }
}
