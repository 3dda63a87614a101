//! The learned model of the answer stage: scores candidates and estimates confidence.
//!
//! `quiver-eval answers --learn` produces the weights. They are compiled into the library, as the ranking
//! weights are.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};

use super::{candidate::feature_names, objection::rule_names};

/// The inputs of the confidence model, by name.
pub(crate) const SIGNS: [&str; 76] = [
    "bias",
    "choice",
    "margin",
    "cover",
    "chain",
    "outer",
    "names",
    "inner",
    "fit",
    "unfit",
    "unknown",
    "agreeing",
    "asked_share",
    "comparison",
    "comparison_strength",
    "closed",
    "closed_strength",
    "passage",
    "typed",
    "untyped_choice",
    "entropy",
    "own",
    "first",
    "words",
    "length",
    "is_name",
    "is_quotation",
    "is_figure",
    "is_phrase",
    "is_cell",
    "is_list",
    "relation",
    "things",
    "unsaid",
    "is_chained",
    "behind",
    "behind_alone",
    "cue",
    "above",
    "asks_name",
    "asks_place",
    "asks_date",
    "asks_figure",
    "asks_thing",
    "asks_definition",
    "asks_reason",
    "asks_way",
    "asks_description",
    "asks_yes_or_no",
    "in_prose",
    "in_item",
    "in_row",
    "in_code",
    "above_own",
    "defines",
    "denied",
    "unknown_unsaid",
    "near",
    "told_own",
    "told_chain",
    "own_squared",
    "chain_squared",
    "ahead",
    "ahead_alone",
    "behind_own",
    "ahead_own",
    "place",
    "complete",
    "complete_chained",
    "no_relation",
    "clear_way",
    "short",
    "order",
    "means",
    "new_name",
    "in_section",
];

/// Confidence of explicitly stated and derived answers.
const STATED_CONFIDENCE: f32 = 0.9;

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerForm {
    /// A name, a date, a number or a phrase.
    Value,
    /// One of two things, or yes or no about both.
    Comparison,
    /// Yes or no.
    YesOrNo,
    /// A whole sentence.
    Sentence,
    /// Several sentences.
    Summary,
    /// An explicit statement: a table cell that the question names by row and column, a sentence whose
    /// subject is what is asked about, or a sentence with a clause that says how to do it.
    Stated,
    /// The last sentence of a path over several passages that covers the whole question.
    Derived,
}

/// The weights for answering without a language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerWeights {
    /// The version of the format.
    pub version: u32,
    /// How the weights were produced.
    pub provenance: String,
    /// Weights of candidate features; a missing feature has weight 0.
    pub choice: BTreeMap<String, f32>,
    /// Weights of the signs that a value, a comparison or a yes or no is right.
    pub confidence: BTreeMap<String, f32>,
    /// Weights of the signs that a sentence contains the answer.
    pub sentence: BTreeMap<String, f32>,
    /// The same for sentences under headings, learned from these alone; if empty, `sentence` counts for them too.
    /// Questions to manuals and handbooks are mostly answered in one place, which plain search ranks first; questions
    /// to encyclopedic passages often need two.
    #[serde(default)]
    pub section: BTreeMap<String, f32>,
    /// Rules that are left out, by name, to see what each of them does.
    #[serde(skip)]
    pub ignored_rules: Vec<String>,
}

impl AnswerWeights {
    /// The weights compiled into the library.
    pub fn learned() -> &'static Self {
        static LEARNED: LazyLock<AnswerWeights> = LazyLock::new(|| {
            serde_json::from_str(include_str!("weights.json")).expect("the weights of the library are whole")
        });
        &LEARNED
    }

    /// The names of candidate features, indexed by feature number.
    pub fn feature_names() -> Vec<String> {
        feature_names()
    }

    /// The names of the confidence model's signs, in order.
    pub fn sign_names() -> &'static [&'static str] {
        &SIGNS
    }

    /// The names of the rules that rule answers out.
    pub fn rule_names() -> Vec<&'static str> {
        rule_names()
    }

    /// Whether an answer with these signs is under a heading.
    pub fn is_in_section(signs: &[f32]) -> bool {
        signs.get(sign_at("in_section")).is_some_and(|sign| *sign > 0.0)
    }

    /// The weights of candidate features, indexed by feature number.
    pub(crate) fn by_number(&self) -> Vec<f32> {
        feature_names().iter().map(|name| self.choice.get(name).copied().unwrap_or_default()).collect()
    }

    /// Probability that an answer of this form with these signs is right, from 0 to 1.
    pub fn confidence(&self, form: AnswerForm, signs: &[f32]) -> f32 {
        let weights = match form {
            AnswerForm::Sentence if Self::is_in_section(signs) && !self.section.is_empty() => &self.section,
            AnswerForm::Sentence => &self.sentence,
            // The rules for summaries alone decide whether one is given.
            AnswerForm::Summary => return 1.0,
            AnswerForm::Stated | AnswerForm::Derived => return STATED_CONFIDENCE,
            _ => &self.confidence,
        };
        let known = SIGNS.iter().map(|name| weights.get(*name).copied().unwrap_or_default());
        let sum: f32 = known.zip(signs).map(|(weight, sign)| weight * sign).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// The number of a sign.
pub(super) fn sign_at(name: &str) -> usize {
    SIGNS.iter().position(|known| *known == name).expect("a sign that is listed")
}

/// The score of a candidate.
pub(super) fn score(weights: &[f32], features: &[(u16, f32)]) -> f32 {
    features.iter().map(|(number, value)| weights[usize::from(*number)] * value).sum()
}

/// Normalises scores to shares that sum to 1.
pub(super) fn softmax(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let raised: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f32 = raised.iter().sum();
    raised.into_iter().map(|share| share / sum).collect()
}
