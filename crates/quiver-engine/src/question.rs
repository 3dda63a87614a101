//! The data passed from stage to stage: `Question → Query → Seeds → Expanded → Evidence → Answer`. [`crate::pool`] has
//! the stages in the middle.

use std::sync::Arc;

use quiver_graph::{Entity, EntityId, Passage, PassageId, Statistics, filters, name};
use quiver_store::{Filter, SparseVector};

use crate::{
    explanation::HopCut,
    memory::{Apart, Called},
    options::AskOptions,
    terms::{QueryTerm, TermBits},
    trace::Trace,
};

pub use crate::step::Step;

/// A question as asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The text.
    pub text: String,
    /// The options for answering it.
    pub options: AskOptions,
    /// Words that passages are searched for beside those of the question, with less weight: what a session is about.
    pub(crate) beside: Option<String>,
}

impl Question {
    /// Creates a question with the default options.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), options: AskOptions::default(), beside: None }
    }

    /// Sets the options.
    #[must_use]
    pub fn with_options(mut self, options: AskOptions) -> Self {
        self.options = options;
        self
    }
}

impl From<&str> for Question {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Question {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<String> for Question {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// A question after analysis: possible names, weighted words, and vectors.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) question: Question,
    /// The question with split entities under the names that texts use, if the question above uses the same names.
    pub(crate) named: Option<String>,
    /// Runs of words that may be names, normalised, the longest first.
    pub(crate) names: Vec<NameSpan>,
    /// Distinct content words, each with its rarity.
    pub(crate) terms: Vec<QueryTerm>,
    /// The words as a sparse vector.
    pub(crate) sparse: SparseVector,
    /// The dense vector, if there is a model.
    pub(crate) dense: Option<Vec<f32>>,
    /// The bits of the words.
    pub(crate) bits: TermBits,
    /// The words for what is asked for, as a bit set.
    pub(crate) focus: Focus,
    /// Replacements for words that no passage contains. They may not be what was meant.
    pub(crate) doubted: Vec<u32>,
    /// Words that no passage contains, each with its replacement in the search.
    pub(crate) corrected: Vec<(String, String)>,
    /// The chosen meanings of names.
    pub(crate) meanings: Vec<Chosen>,
    /// The entities that the search starts from, beside those that the question names.
    pub(crate) pinned: Vec<Entity>,
    /// Split entities that the question distinguishes.
    pub(crate) apart: Vec<Apart>,
    /// The entities that the question names, the longest names first.
    pub(crate) linked: Vec<Link>,
    /// Whether there may be decisions that entities are the same, and the question follows them.
    pub(crate) may_be_same: bool,
    /// Other possible meanings of the names, if the trace explains them.
    pub(crate) choices: Vec<Choice>,
    /// What the budgets of the expansion cut, if the trace explains it.
    pub(crate) cuts: Vec<HopCut>,
    /// The words asked about the named entities: those outside names, as a bit set; all words if there are no others.
    pub(crate) asked: u128,
    pub(crate) statistics: Arc<Statistics>,
    pub(crate) trace: Trace,
}

impl Query {
    /// Returns the words as a sparse vector with the terms and the stems of words. Sentences of relations are too short
    /// to be clearly in a language, so few have stems.
    pub(crate) fn sparse_of_either(&self) -> SparseVector {
        let others = self.terms.iter().filter_map(|term| Some((term.other?, term.weight)));
        SparseVector::from_pairs(self.sparse.pairs().chain(others))
    }

    /// Returns whether a passage is about a pinned entity.
    pub(crate) fn is_about_pinned(&self, passage: &Passage) -> bool {
        self.pinned.iter().any(|entity| passage.subjects.contains(&entity.id))
    }

    /// Restricts a filter to the passages that the options allow.
    pub(crate) fn allowed(&self, mut among: Filter) -> Filter {
        let AskOptions { as_of, without, documents, filter, .. } = &self.question.options;
        if !documents.is_empty() {
            among = among.and(filters::of_documents(documents.iter().map(String::as_str)));
        }
        if !filter.is_empty() {
            among = among.and(filter.passages());
        }
        if let Some(moment) = as_of {
            among = among.and(filters::not_said_after(*moment));
        }
        if !without.is_empty() {
            let left_out = Filter::Ids(without.iter().map(|id| id.point()).collect());
            among = among.and(Filter::Not(Box::new(left_out)));
        }
        let ambiguous = self.meanings.iter().filter(|chosen| !chosen.others.is_empty());
        for Chosen { entity, others, of_both, .. } in ambiguous {
            // Passages about a namesake that neither are about the chosen entity nor mention it.
            let of_both = Filter::Ids(of_both.iter().map(|id| id.point()).collect());
            let of_chosen =
                Filter::Any(vec![filters::about([entity.id]), filters::mentioning([entity.id]), of_both]);
            let of_others = filters::about(others.iter().copied()).and(Filter::Not(Box::new(of_chosen)));
            among = among.and(Filter::Not(Box::new(of_others)));
        }
        self.apart.iter().fold(among, |among, apart| among.and(apart.passages()))
    }
}

/// The words for what is asked for, as bit sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Focus {
    /// What follows the question word: "which *floor*".
    pub(crate) object: u128,
    /// What the question states about it: the next words, and the verb at the end if an auxiliary separates it from the
    /// question word.
    pub(crate) clause: u128,
}

/// A run of words that may be a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameSpan {
    /// The first word, and the one after the last.
    pub(crate) words: (usize, usize),
    pub(crate) normalised: String,
    /// Whether it is written as a name: with a capital or a digit, except at the start of the question.
    pub(crate) is_name: bool,
    /// Its content words, as a bit set.
    pub(crate) bits: u128,
}

/// An entity that the question names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Link {
    pub(crate) entity: Entity,
    /// Whether the name is written as one.
    pub(crate) is_name: bool,
    /// The first word of the name, and the one after the last.
    pub(crate) span: (usize, usize),
    /// The content words of the name, as a bit set.
    pub(crate) words: u128,
    /// The name of the linked entity that a decision makes this one the same as.
    pub(crate) same_as: Option<String>,
}

impl Link {
    /// Returns other names of what the question names, from decisions.
    pub(crate) fn other_names(&self) -> Vec<&str> {
        match (&self.same_as, &self.entity.written) {
            (Some(_), _) => vec![&self.entity.name],
            (None, Some(written)) => [&self.entity.name, &written.name].map(String::as_str).to_vec(),
            (None, None) => Vec::new(),
        }
    }
}

/// A question with another name of what it names, which a decision makes the same.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) question: String,
    /// The name in the question, and the other one.
    pub(crate) written: String,
    pub(crate) other: String,
    pub(crate) bits: TermBits,
    /// Its words that no passage of the workspace contains, as a bit set.
    pub(crate) unknown: u128,
}

/// An entity chosen for a name in a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chosen {
    /// The given words for it, normalised.
    pub(crate) words: String,
    /// The name in the question as asked, normalised.
    pub(crate) normalised: String,
    pub(crate) entity: Entity,
    /// The other entities with that name.
    pub(crate) others: Vec<EntityId>,
    /// The passages about these that also mention the chosen one.
    pub(crate) of_both: Vec<PassageId>,
    /// Whether the question names the entity by a name that texts do not use, because a decision split it off.
    pub(crate) is_split: bool,
}

impl Chosen {
    /// Creates the meaning for an entity that the question and the texts name differently.
    pub(crate) fn called(called: &Called) -> Self {
        Self {
            words: name::normalise(&called.written),
            normalised: name::normalise(&called.said),
            entity: called.entity.clone(),
            others: Vec::new(),
            of_both: Vec::new(),
            is_split: true,
        }
    }
}

/// A name in a question that may mean several entities.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// The words of the name, from the first to the one after the last.
    pub(crate) words: (usize, usize),
    /// The name as given in an option.
    pub(crate) name: String,
    pub(crate) chosen: Option<EntityId>,
    /// Its possible meanings: first what it is linked to, then entities with a longer name.
    pub(crate) candidates: Vec<Entity>,
}

/// Passages in the order of their contribution to the answer, each with the path that reached it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evidence {
    /// The question with its spelling corrected.
    pub question: String,
    /// The question with each split entity under the name that texts use, if it differs.
    pub(crate) said: Option<String>,
    /// The passages, best first.
    pub passages: Vec<Ranked>,
    /// The passage after these, if there are more: [`AskOptions::from`] continues from it.
    pub next: Option<PassageId>,
    /// What happened.
    pub trace: Trace,
    /// Whether there was nothing to search.
    pub(crate) is_empty: bool,
    /// The words of the question that no passage of the workspace contains, as a bit set.
    pub(crate) unknown: u128,
    pub(crate) bits: TermBits,
    /// Words of the question that no passage contains, each with its replacement in the search.
    pub(crate) corrected: Vec<(String, String)>,
    /// Minimum confidence of an answer.
    pub(crate) confidence_min: f32,
    /// The next passages, which only an answer over several pages reads.
    pub(crate) further: Vec<Ranked>,
    /// The last passage of the chain that covers the most of the question.
    pub(crate) chain_end: Option<Passage>,
    /// Whether a decision that entities are the same changed the search.
    pub(crate) follows_merges: bool,
    /// The question with other names of what it names.
    pub(crate) variants: Vec<Variant>,
}

/// A ranked passage, with the reasons for its rank.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ranked {
    /// The passage.
    pub passage: Passage,
    /// The confidence of the ranking, comparable only within one question.
    pub score: f32,
    /// Its score by plain search alone, from 0 to 1.
    pub plain: f32,
    /// The passages that lead to it, from the first on, each with the step from it.
    pub path: Vec<(PassageId, Step)>,
}
