//! What goes from room to room: `Question → Query → Seeds → Reach → Evidence → Answer`.

use std::collections::{BTreeMap, HashMap};

use quiver_graph::{Entity, EntityId, Hit, Passage, PassageId, Relation, RelationId, Statistics, Subgraph};
use quiver_store::SparseVector;
use serde::Serialize;
use std::sync::Arc;

use crate::{options::AskOptions, trace::Trace};

/// A question as it was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The words.
    pub text: String,
    /// How it is to be answered.
    pub options: AskOptions,
}

impl Question {
    /// Asks with the default options.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), options: AskOptions::default() }
    }

    /// Asks with other options.
    #[must_use]
    pub fn with_options(mut self, options: AskOptions) -> Self {
        self.options = options;
        self
    }
}

impl<T: Into<String>> From<T> for Question {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// A question that was understood: what it may name, which words weigh how much, its vectors.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) question: Question,
    /// Runs of words that may be names, the longest first, normalised.
    pub(crate) names: Vec<NameSpan>,
    /// Distinct words that say something, each with its rarity, in the order of the question.
    pub(crate) terms: Vec<QueryTerm>,
    /// The words as a sparse vector.
    pub(crate) sparse: SparseVector,
    /// The dense vector, where there is a model.
    pub(crate) dense: Option<Vec<f32>>,
    pub(crate) statistics: Arc<Statistics>,
    pub(crate) trace: Trace,
}

/// A run of words that may be a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameSpan {
    /// The first word, and the one after the last.
    pub(crate) words: (usize, usize),
    pub(crate) normalised: String,
}

/// A word that says something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QueryTerm {
    pub(crate) hash: u32,
    pub(crate) weight: f32,
}

/// Where to start.
#[derive(Debug)]
pub(crate) struct Seeds {
    pub(crate) query: Query,
    /// The entities that the question names, with how much of the question the name is.
    pub(crate) linked: Vec<(Entity, f32)>,
    /// Passages by plain search, best first: the fused score from 0 to 1.
    pub(crate) passages: Vec<Hit<Passage>>,
    /// Relations by plain search, best first: the fused score from 0 to 1.
    pub(crate) relations: Vec<Hit<Relation>>,
}

/// What was reached from the seeds.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) query: Query,
    pub(crate) linked: Vec<(Entity, f32)>,
    pub(crate) passages: BTreeMap<PassageId, Candidate>,
    pub(crate) subgraph: Subgraph,
    pub(crate) names: HashMap<EntityId, String>,
}

/// A passage that may be evidence.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) passage: Passage,
    /// The fused score of plain search from 0 to 1; 0 where plain search did not find it.
    pub(crate) plain: f32,
    /// The ways it was reached.
    pub(crate) routes: Vec<Route>,
}

/// A way from one passage to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Route {
    pub(crate) from: PassageId,
    pub(crate) step: Step,
}

/// Why one passage leads to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum Step {
    /// The question names what the passage is about.
    Named {
        /// The name, as the graph has it.
        entity: String,
    },
    /// A sentence of the passage before mentions what this passage is about.
    Mention {
        /// The name in the sentence.
        entity: String,
        /// The sentence.
        sentence: String,
    },
    /// This passage mentions what the passage before is about.
    MentionedBy {
        /// The name it mentions.
        entity: String,
    },
    /// A relation leads from an entity to another that this passage is about, or that it supports.
    Relation {
        /// Where the relation starts.
        subject: String,
        /// What it says.
        predicate: String,
        /// Where it ends.
        object: String,
        /// Its id.
        id: RelationId,
    },
}

/// Passages in the order of what they contribute to the answer, each with the path that reached it.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The question.
    pub question: String,
    /// The passages, best first.
    pub passages: Vec<Ranked>,
    /// What happened on the way.
    pub trace: Trace,
    pub(crate) terms: Vec<QueryTerm>,
}

/// A passage with its rank's reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The passage.
    pub passage: Passage,
    /// How sure the ranking is, comparable within one question only.
    pub score: f32,
    /// What plain search alone gives it, from 0 to 1.
    pub plain: f32,
    /// The passages that lead to it, from the first on, each with the step from it.
    pub path: Vec<(PassageId, Step)>,
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named { entity } => write!(f, "the question names {entity}"),
            Self::Mention { entity, sentence } => write!(f, "{entity}: “{sentence}”"),
            Self::MentionedBy { entity } => write!(f, "it mentions {entity}"),
            Self::Relation { subject, predicate, object, .. } => {
                write!(f, "{subject} → {predicate} → {object}")
            }
        }
    }
}
