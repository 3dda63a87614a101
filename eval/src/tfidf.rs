//! The simplest method: cosine similarity of TF-IDF vectors, in memory, without a store.

use std::collections::HashMap;

use quiver::models::Lexical;

use crate::dataset::Corpus;

/// An inverted index of unit vectors.
#[derive(Debug)]
pub struct TfIdf {
    lexical: Lexical,
    /// For each term, its IDF and its postings: the passages with the term's component of their unit vectors.
    postings: HashMap<u32, (f32, Vec<(usize, f32)>)>,
    passages: usize,
}

impl TfIdf {
    /// Indexes titles and texts. A weight is 1 + ln(count), times the smoothed IDF, scaled to unit length.
    pub fn of(corpus: &Corpus, with_titles: bool) -> Self {
        let lexical = Lexical::new();
        let mut postings: HashMap<u32, (f32, Vec<(usize, f32)>)> = HashMap::new();
        for (index, passage) in corpus.passages.iter().enumerate() {
            let title = passage.title.as_deref().filter(|_| with_titles).unwrap_or_default();
            for (term, count) in counts(&lexical, &format!("{title}. {}", passage.text)) {
                postings.entry(term).or_default().1.push((index, 1.0 + count.ln()));
            }
        }
        let passages = corpus.passages.len();
        let mut norms = vec![0.0_f64; passages];
        let mut terms: Vec<u32> = postings.keys().copied().collect();
        terms.sort_unstable(); // makes the sum of norms deterministic
        for term in &terms {
            let (rarity, list) = postings.get_mut(term).expect("the key was listed");
            *rarity = ((1.0 + passages as f32) / (1.0 + list.len() as f32)).ln() + 1.0;
            for (index, weight) in list {
                *weight *= *rarity;
                norms[*index] += f64::from(*weight).powi(2);
            }
        }
        for (_, list) in postings.values_mut() {
            for (index, weight) in list {
                #[expect(clippy::cast_possible_truncation, reason = "a number of a unit vector")]
                let scaled = (f64::from(*weight) / norms[*index].sqrt()) as f32;
                *weight = scaled;
            }
        }
        Self { lexical, postings, passages }
    }

    /// Returns the passages nearest to a question, best first; ties by position in the corpus.
    pub fn nearest(&self, question: &str, limit: usize) -> Vec<(usize, f32)> {
        let mut scores = vec![0.0_f32; self.passages];
        for (term, count) in counts(&self.lexical, question) {
            if let Some((rarity, list)) = self.postings.get(&term) {
                for (index, weight) in list {
                    scores[*index] += count * rarity * weight;
                }
            }
        }
        let mut found: Vec<(usize, f32)> =
            scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        found
    }
}

/// Returns the terms that are not stop words, sorted, each with its count.
fn counts(lexical: &Lexical, text: &str) -> Vec<(u32, f32)> {
    let mut terms = lexical.query_terms(text);
    terms.sort_unstable();
    terms.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_nearest_to_its_own_words() {
        let corpus = Corpus::parse(
            r#"[{"title": "Tides", "text": "The moon pulls the sea."},
                {"title": "Salt", "text": "The sea is salt."},
                {"title": "Bread", "text": "Bread needs salt and time."}]"#,
        )
        .unwrap();
        let index = TfIdf::of(&corpus, true);
        let found = index.nearest("Bread needs salt and time", 10);
        assert_eq!(found[0].0, 2);
        assert!(found[0].1 > found[1].1);
        assert_eq!(index.nearest("which moon?", 10).len(), 1);
        assert!(TfIdf::of(&corpus, false).nearest("tides", 10).is_empty());
    }
}
