//! The retrieval methods that are compared: plain search and the graph.

use std::{collections::HashMap, fmt, str::FromStr, time::Duration};

use anyhow::{Result, bail};
use quiver::{
    AskOptions, Profile, Question,
    graph::{Nearest, Passage},
    store::{Filter, SparseVector, Target},
};

use crate::{dataset::Corpus, index::Index};

/// Number of passages that the plain methods retrieve before fusion.
const FUSED: usize = 100;
/// High enough that a question never times out, so that slow machines find what fast ones do.
const TIME_MAX: Duration = Duration::from_mins(10);

/// A retrieval method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Lexical search of the store with BM25 weights.
    Bm25,
    /// Cosine similarity of TF-IDF vectors, in memory.
    TfIdf,
    /// Dense search of the store. Needs an embedder.
    Dense,
    /// BM25 fused with dense search, or with TF-IDF without an embedder. This is the strongest plain method.
    Hybrid,
    /// Quiver without rewritten questions.
    GraphFast,
    /// Quiver with default options.
    Graph,
    /// Quiver with larger limits.
    GraphThorough,
}

impl Method {
    /// All methods, in the order of the tables.
    pub const ALL: [Self; 7] = [
        Self::Bm25,
        Self::TfIdf,
        Self::Dense,
        Self::Hybrid,
        Self::GraphFast,
        Self::Graph,
        Self::GraphThorough,
    ];
    /// The plain methods, which every run measures.
    pub const NAIVE: [Self; 4] = [Self::Bm25, Self::TfIdf, Self::Dense, Self::Hybrid];

    /// Returns the name in commands and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25 => "bm25",
            Self::TfIdf => "tfidf",
            Self::Dense => "dense",
            Self::Hybrid => "hybrid",
            Self::GraphFast => "graph-fast",
            Self::Graph => "graph",
            Self::GraphThorough => "graph-thorough",
        }
    }

    /// Returns the engine profile of the graph methods.
    pub fn profile(self) -> Option<Profile> {
        match self {
            Self::GraphFast => Some(Profile::Fast),
            Self::Graph => Some(Profile::Balanced),
            Self::GraphThorough => Some(Profile::Thorough),
            _ => None,
        }
    }

    /// Returns the engine options for this number of passages.
    pub fn options(self, passages_limit: usize) -> Option<AskOptions> {
        let options = AskOptions::of(self.profile()?);
        Some(AskOptions { passages_limit, time_max: TIME_MAX, ..options })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        match Self::ALL.into_iter().find(|method| method.name() == name) {
            Some(method) => Ok(method),
            None => bail!("a method is one of {}, not {name:?}", Self::ALL.map(Self::name).join(", ")),
        }
    }
}

/// The results of a method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The keys of passages, best first, without duplicates.
    pub keys: Vec<String>,
    /// The path to each of the first passages.
    pub paths: Vec<Vec<String>>,
    /// Failures that were worked around.
    pub degraded: Vec<String>,
}

/// Retrieves up to `depth` passages for a question by a method.
///
/// # Errors
/// Returns an error if the engine fails, or if the method needs an embedder and there is none.
pub async fn find(
    index: &Index,
    corpus: &Corpus,
    method: Method,
    question: &str,
    depth: usize,
) -> Result<Found> {
    let keys = |scored: Vec<(String, f32)>| Found {
        keys: scored.into_iter().map(|(key, _)| key).take(depth).collect(),
        ..Found::default()
    };
    match method {
        Method::Bm25 => Ok(keys(plain(index, sparse(index, question).await?).await?)),
        Method::TfIdf => Ok(keys(tfidf(index, corpus, question))),
        Method::Dense => Ok(keys(plain(index, dense(index, question).await?).await?)),
        Method::Hybrid => {
            let lexical = plain(index, sparse(index, question).await?).await?;
            let other = if index.is_dense() {
                plain(index, dense(index, question).await?).await?
            } else {
                tfidf(index, corpus, question)
            };
            Ok(keys(fuse(&[lexical, other])))
        }
        Method::GraphFast | Method::Graph | Method::GraphThorough => {
            graph(index, method, question, depth).await
        }
    }
}

async fn graph(index: &Index, method: Method, question: &str, depth: usize) -> Result<Found> {
    let options = method.options(depth).unwrap_or_default();
    let evidence = index.quiver.retrieve(Question::new(question).with_options(options)).await?;
    let mut found = Found { degraded: evidence.trace.degraded.clone(), ..Found::default() };
    let labels: HashMap<_, _> = evidence
        .passages
        .iter()
        .map(|ranked| (ranked.passage.id, index.key(&ranked.passage.document)))
        .collect();
    for ranked in &evidence.passages {
        let key = index.key(&ranked.passage.document);
        if found.keys.contains(&key) {
            continue;
        }
        let steps = ranked.path.iter().map(|(from, step)| match labels.get(from) {
            Some(from) => format!("{from} → {step}"),
            None => format!("→ {step}"),
        });
        found.paths.push(steps.collect());
        found.keys.push(key);
    }
    Ok(found)
}

async fn sparse(index: &Index, question: &str) -> Result<Target> {
    let statistics = index.quiver.graph().statistics().await?;
    let lexical = index.quiver.encoder().analysis();
    let mut vector = lexical.query_vector(question, |term| statistics.inverse_document_frequency(term));
    // Plain BM25 uses words only.
    let definition = lexical.definition_asked(question);
    let headings = lexical.headings_asked(question);
    vector.retain(|(term, _)| Some(*term) != definition && !headings.contains(term));
    Ok(Target::Sparse(SparseVector::from_pairs(vector)))
}

async fn dense(index: &Index, question: &str) -> Result<Target> {
    let encoded = index.quiver.encoder().encode_queries(&[question]).await?;
    match encoded.into_iter().next().and_then(|query| query.dense) {
        Some(dense) => Ok(Target::Dense(dense)),
        None => bail!("the method dense needs an embedder; give one with --embedder"),
    }
}

/// Plain search of the store: each document with the score of its best passage.
async fn plain(index: &Index, target: Target) -> Result<Vec<(String, f32)>> {
    let search = Nearest { target, among: Filter::everything(), limit: FUSED };
    let mut found: Vec<(String, f32)> = Vec::new();
    for hit in index.quiver.graph().nearest::<Passage>(vec![search]).await?.into_iter().flatten() {
        let key = index.key(&hit.record.document);
        if !found.iter().any(|(known, _)| *known == key) {
            found.push((key, hit.score));
        }
    }
    Ok(found)
}

fn tfidf(index: &Index, corpus: &Corpus, question: &str) -> Vec<(String, f32)> {
    let found = index.tfidf.nearest(question, FUSED).into_iter();
    found.map(|(passage, score)| (corpus.passages[passage].key.clone(), score)).collect()
}

/// Linear fusion: scores relative to each list's best, lists weighted equally, ties by key. A passage missing from a
/// list gets the worst score of that list, which is an upper bound.
pub fn fuse(lists: &[Vec<(String, f32)>]) -> Vec<(String, f32)> {
    let mut sums: HashMap<&str, f32> = HashMap::new();
    let relative = |list: &[(String, f32)], score: f32| {
        score / list.first().map_or(1.0, |(_, best)| *best).max(f32::MIN_POSITIVE)
    };
    let worst = |list: &[(String, f32)]| list.last().map_or(0.0, |(_, score)| relative(list, *score));
    let missed: f32 = lists.iter().map(|list| worst(list)).sum();
    for list in lists {
        for (key, score) in list {
            *sums.entry(key).or_insert(missed) += relative(list, *score) - worst(list);
        }
    }
    // Round, so that the last bit of a sum, which differs between backends, does not affect the order.
    let round = |score: f32| (score * 1e5).round() / 1e5;
    let mut fused: Vec<(String, f32)> =
        sums.into_iter().map(|(key, sum)| (key.to_owned(), round(sum / lists.len() as f32))).collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pairs: &[(&str, f32)]) -> Vec<(String, f32)> {
        pairs.iter().map(|&(key, score)| (key.to_owned(), score)).collect()
    }

    #[test]
    fn fusion_weighs_relative_scores_alike() {
        let fused = fuse(&[list(&[("a", 10.0), ("b", 8.0)]), list(&[("b", 0.5), ("c", 0.25)])]);
        // a: (1 + 0.5) / 2, b: (0.8 + 1) / 2, c: (0.8 + 0.5) / 2
        assert_eq!(fused, list(&[("b", 0.9), ("a", 0.75), ("c", 0.65)]));
        assert_eq!(fuse(&[list(&[]), list(&[("x", 2.0)])]), list(&[("x", 0.5)]));
    }

    #[test]
    fn equal_scores_are_ordered_by_key() {
        let fused = fuse(&[list(&[("b", 1.0), ("a", 1.0)])]);
        assert_eq!(fused, list(&[("a", 1.0), ("b", 1.0)]));
    }

    #[test]
    fn methods_are_read_as_they_are_shown() {
        for method in Method::ALL {
            assert_eq!(method.to_string().parse::<Method>().unwrap(), method);
        }
        assert!("graf".parse::<Method>().unwrap_err().to_string().contains("graph-fast"));
    }
}
