//! Observes questions as the engine sees them before ranking.

use std::{collections::HashMap, sync::Arc};

use anyhow::{Context, Result};
use quiver::{
    AskOptions, Document, Question, Quiver,
    models::{Cached, Embedder, Encoder, EncoderSetting},
    score::{Observation, Weights},
};

use super::{
    model::Example,
    sets::{Condition, Set},
};
use crate::{arms::Method, dataset::Item};

/// Number of cached vectors, so that texts that occur in several indexes are embedded once.
const VECTORS_KEPT: usize = 200_000;

/// All sets under all conditions, in memory and ready for questions.
#[derive(Debug)]
pub struct Observatory<'a> {
    sets: &'a [Set],
    folds: usize,
    encoder: Encoder,
    /// The groups that are evaluated together: a set under a condition, in the order of the conditions.
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    condition: Condition,
    set: usize,
    quiver: Quiver,
    /// For each passage of the set's corpus, the key of its document in this index.
    documents: Vec<String>,
}

impl<'a> Observatory<'a> {
    /// Indexes the corpora under these conditions.
    ///
    /// # Errors
    /// Returns an error if the embedder or the engine fails.
    pub async fn build(
        sets: &'a [Set],
        conditions: &[Condition],
        embedder: &EncoderSetting,
        folds: usize,
        progress: &(dyn Fn(usize, usize) + Send + Sync),
    ) -> Result<Self> {
        let encoder = open(embedder).await?;
        let of_sets: usize = sets.iter().map(|set| set.dataset.corpus.passages.len()).sum();
        let (mut indexed, all) = (0, of_sets * conditions.len());
        let mut groups = Vec::new();
        for &condition in conditions {
            if condition == Condition::Joined {
                let (joined, keys) = joined(sets);
                let quiver = index(&encoder, joined, &|done| progress(indexed + done, all)).await?;
                for (set, documents) in keys.into_iter().enumerate() {
                    groups.push(Group { condition, set, quiver: quiver.clone(), documents });
                }
                indexed += of_sets;
                continue;
            }
            let with_titles = condition != Condition::Untitled;
            for (set, Set { dataset, .. }) in sets.iter().enumerate() {
                let corpus = &dataset.corpus;
                let has_titles = corpus.passages.iter().any(|passage| passage.title.is_some());
                if !with_titles && !has_titles && conditions.contains(&Condition::Alone) {
                    indexed += corpus.passages.len();
                    continue; // It would count twice.
                }
                let documents: Vec<Document> = corpus.documents(with_titles).collect();
                let keys = documents.iter().map(|document| document.key.clone()).collect();
                let quiver = index(&encoder, documents, &|done| progress(indexed + done, all)).await?;
                indexed += corpus.passages.len();
                groups.push(Group { condition, set, quiver, documents: keys });
            }
        }
        Ok(Self { sets, folds, encoder, groups })
    }

    /// Returns the encoder by name and digest, because a path would be meaningless elsewhere.
    pub fn encoder(&self) -> String {
        self.encoder.fingerprint().to_string()
    }

    /// Returns the name of each group.
    pub fn groups(&self) -> Vec<String> {
        let name = |group: &Group| format!("{} {}", self.sets[group.set].name, group.condition);
        self.groups.iter().map(name).collect()
    }

    /// Observes every question that has gold, in every group. The weights slightly affect which passages are
    /// reached, because the best ones are expanded.
    ///
    /// # Errors
    /// Returns an error that names the question if one can't be asked.
    pub async fn observe(
        &self,
        weights: &Weights,
        progress: &(dyn Fn(usize, usize) + Send + Sync),
    ) -> Result<Vec<Example>> {
        let options = Method::Graph.options(super::cross::TOP).unwrap_or_default();
        self.observe_with(weights, &options, progress).await
    }

    /// Observes every question that has gold, with these options.
    ///
    /// # Errors
    /// Returns the same errors as [`Observatory::observe`].
    pub async fn observe_with(
        &self,
        weights: &Weights,
        options: &AskOptions,
        progress: &(dyn Fn(usize, usize) + Send + Sync),
    ) -> Result<Vec<Example>> {
        let all: usize = self.groups.iter().map(|group| self.sets[group.set].dataset.questions.len()).sum();
        let mut examples = Vec::new();
        let mut asked = 0;
        for (number, group) in self.groups.iter().enumerate() {
            let Set { name, dataset, .. } = &self.sets[group.set];
            let quiver = group.quiver.clone().with_weights(weights.clone());
            let keys: HashMap<&str, &str> = dataset
                .corpus
                .passages
                .iter()
                .zip(&group.documents)
                .map(|(passage, document)| (passage.key.as_str(), document.as_str()))
                .collect();
            for (question, item) in dataset.questions.iter().enumerate() {
                asked += 1;
                progress(asked, all);
                if item.gold.is_empty() {
                    continue;
                }
                let observation = quiver
                    .observe(Question::new(&item.question).with_options(options.clone()))
                    .await
                    .with_context(|| format!("{name}, {}: question {}", group.condition, item.id))?;
                let gold = gold(item, &keys, &observation);
                let fold = question % self.folds;
                examples.push(Example { group: number, set: group.set, question, fold, observation, gold });
            }
        }
        Ok(examples)
    }
}

/// Returns the candidates that match each gold passage.
fn gold(item: &Item, keys: &HashMap<&str, &str>, observation: &Observation) -> Vec<Vec<usize>> {
    let mut candidates: HashMap<&str, Vec<usize>> = HashMap::new();
    for (candidate, document) in observation.documents.iter().enumerate() {
        candidates.entry(document).or_default().push(candidate);
    }
    let found = |key: &String| candidates.get(keys.get(key.as_str())?);
    item.gold.iter().map(|gold| gold.keys.iter().filter_map(found).flatten().copied().collect()).collect()
}

/// Returns the passages of all sets as one corpus, with the location of each set's passages. A passage that two sets
/// share occurs once.
fn joined(sets: &[Set]) -> (Vec<Document>, Vec<Vec<String>>) {
    let mut documents: Vec<Document> = Vec::new();
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let corpus = &set.dataset.corpus;
        let mut of_set = Vec::new();
        for (passage, document) in corpus.passages.iter().zip(corpus.documents(true)) {
            let known = sets[..at].iter().zip(&places).find_map(|(other, places)| {
                let other = &other.dataset.corpus;
                Some(places[other.with_content(passage.title.as_deref(), &passage.text)?])
            });
            if let Some(known) = known {
                documents[known].triples.extend(document.triples);
                of_set.push(known);
            } else {
                of_set.push(documents.len());
                documents.push(Document { key: format!("{}: {}", set.name, document.key), ..document });
            }
        }
        places.push(of_set);
    }
    let key = |place: usize| documents[place].key.clone();
    let keys = places.into_iter().map(|places| places.into_iter().map(key).collect()).collect();
    (documents, keys)
}

async fn open(setting: &EncoderSetting) -> Result<Encoder> {
    let encoder = setting.open().await.with_context(|| setting.to_string())?;
    Ok(match encoder.embedder() {
        Some(embedder) => {
            let cached = Cached::new(Arc::clone(embedder), VECTORS_KEPT);
            Encoder::with_embedder(Arc::new(cached) as Arc<dyn Embedder>)
        }
        None => encoder,
    })
}

async fn index(
    encoder: &Encoder,
    documents: Vec<Document>,
    progress: &(dyn Fn(usize) + Send + Sync),
) -> Result<Quiver> {
    let quiver = Quiver::builder().memory().encoder(encoder.clone()).open().await?;
    let options = quiver::IngestOptions::default();
    quiver
        .ingest(documents)
        .options(options)
        .on_progress(&|receipt| {
            progress(receipt.documents_added + receipt.documents_replaced + receipt.documents_unchanged);
        })
        .await?;
    quiver.graph().refresh_statistics().await?;
    Ok(quiver)
}
