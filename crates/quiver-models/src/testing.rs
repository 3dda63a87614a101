//! Test doubles for embedders and chat models, and the conformance suites that every implementation passes.

use std::{ops::Range, slice::from_ref};

use async_trait::async_trait;

use crate::{
    Embedder, Embedding, ErrorKind, Fingerprint, Input, Lexical, Result, Role,
    embedder::{check_spans, normalise},
};

pub use crate::chat::scripted::{ScriptedChat, chat_conformance, said};

/// A deterministic embedder for tests: texts that share words have similar vectors.
///
/// Each term of the lexical analysis has a fixed pseudo-random direction. A text's vector is the sum of its terms'
/// directions, in which stop words have a small weight. The embedder has no notion of meaning: synonyms are as far
/// apart as any two words.
#[derive(Clone, Debug)]
pub struct HashEmbedder {
    fingerprint: Fingerprint,
}

impl HashEmbedder {
    /// Creates an embedder with the given dimension.
    ///
    /// # Panics
    ///
    /// Panics if `dimension` is zero.
    pub fn new(dimension: usize) -> Self {
        assert!(dimension > 0, "an embedding has at least one dimension");
        let fingerprint = Fingerprint {
            model: "hash-projection-1".to_owned(),
            dimension,
            normalisation: "sum of term directions, spans apart, unit length".to_owned(),
            tokenizer: Lexical::new().fingerprint(),
        };
        Self { fingerprint }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        const STOP_WEIGHT: f32 = 0.1;
        let mut vector = vec![0.0; self.fingerprint.dimension];
        for term in Lexical::new().terms(text) {
            let weight = if term.is_stop { STOP_WEIGHT } else { 1.0 };
            add_direction(&mut vector, u64::from(term.hash), weight);
        }
        if !normalise(&mut vector) {
            // All texts without terms share one direction of their own.
            add_direction(&mut vector, u64::MAX, 1.0);
            normalise(&mut vector);
        }
        vector
    }
}

impl Default for HashEmbedder {
    /// Creates an embedder with 64 dimensions.
    fn default() -> Self {
        Self::new(64)
    }
}

/// Adds a weighted direction that depends only on the seed (splitmix64).
fn add_direction(vector: &mut [f32], seed: u64, weight: f32) {
    let mut state = seed;
    for value in vector {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let fraction = ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1_u32 << 24) as f32;
        *value += weight * (2.0 * fraction - 1.0);
    }
}

#[async_trait]
impl Embedder for HashEmbedder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    async fn embed(&self, _role: Role, inputs: &[Input<'_>]) -> Result<Vec<Embedding>> {
        check_spans(inputs)?;
        let embed = |input: &Input<'_>| Embedding {
            text: self.vector(input.text),
            spans: input.spans.iter().map(|span| self.vector(&input.text[span.clone()])).collect(),
        };
        Ok(inputs.iter().map(embed).collect())
    }
}

/// Asserts the contract of [`Embedder`].
///
/// # Panics
///
/// Panics if the embedder breaks the contract. The message says which clause.
pub async fn conformance(embedder: &dyn Embedder) {
    counts_and_lengths(embedder).await;
    independence_of_the_batch(embedder).await;
    meaning(embedder).await;
    wrong_spans(embedder).await;
}

const TEXTS: &[&str] = &[
    "The ferry to the island leaves at seven.",
    "",
    "Żółw, 東京 and naïve café: not all is ASCII. 👩‍👩‍👧",
    "One.",
    "The archive holds letters of two generations of clockmakers. Their workshop stood by the river until the flood, \
     and what could be saved was brought to the monastery on the hill, where it was forgotten for a hundred years.",
    "The ferry to the island leaves at seven.",
    " \n\t ",
];

/// The maximum difference between values that should be equal.
const TOLERANCE: f32 = 1e-5;

async fn counts_and_lengths(embedder: &dyn Embedder) {
    let dimension = embedder.fingerprint().dimension;
    assert!(embedder.embed(Role::Document, &[]).await.expect("no inputs are no error").is_empty());
    for role in [Role::Query, Role::Document] {
        let inputs: Vec<Input<'_>> = TEXTS.iter().copied().map(Input::new).collect();
        let embeddings = embedder.embed(role, &inputs).await.expect("plain texts can be embedded");
        assert_eq!(embeddings.len(), inputs.len(), "one embedding for each input");
        for (embedding, text) in embeddings.iter().zip(TEXTS) {
            assert!(embedding.spans.is_empty(), "no spans were asked for");
            assert_unit(&embedding.text, dimension, text);
        }
    }
    let text = TEXTS[4];
    let half = text.find("Their").expect("it is there");
    let spans = [half..text.len(), 0..half, 4..11, 0..0];
    let embeddings = embedder
        .embed(Role::Document, &[Input { text, spans: &spans }])
        .await
        .expect("spans can be embedded");
    assert_eq!(embeddings[0].spans.len(), spans.len(), "one vector for each span");
    for (vector, span) in embeddings[0].spans.iter().zip(&spans) {
        assert_unit(vector, dimension, &text[span.clone()]);
    }
    assert!(
        distance(&embeddings[0].spans[0], &embeddings[0].spans[1]) > TOLERANCE,
        "spans are not their text"
    );
}

async fn independence_of_the_batch(embedder: &dyn Embedder) {
    let beginnings: Vec<Range<usize>> = TEXTS.iter().map(|text| 0..text.floor_char_boundary(9)).collect();
    let inputs: Vec<Input<'_>> =
        TEXTS.iter().zip(&beginnings).map(|(text, span)| Input { text, spans: from_ref(span) }).collect();
    let together = embedder.embed(Role::Document, &inputs).await.expect("a batch can be embedded");
    let reversed: Vec<Input<'_>> = inputs.iter().rev().copied().collect();
    let mut backwards = embedder.embed(Role::Document, &reversed).await.expect("a batch can be embedded");
    backwards.reverse();
    for (index, input) in inputs.iter().enumerate() {
        let alone = embedder.embed(Role::Document, &[*input]).await.expect("one text can be embedded");
        for other in [&alone[0], &backwards[index]] {
            let apart = distance(&together[index].text, &other.text);
            assert!(apart <= TOLERANCE, "{:?} depends on its batch: {apart}", input.text);
            let apart = distance(&together[index].spans[0], &other.spans[0]);
            assert!(apart <= TOLERANCE, "a span of {:?} depends on its batch: {apart}", input.text);
        }
    }
    assert!(distance(&together[0].text, &together[5].text) <= TOLERANCE, "equal texts have equal vectors");
}

async fn meaning(embedder: &dyn Embedder) {
    let documents = ["The ferry to the island leaves at seven.", "Clockmakers wrote many letters."];
    let inputs = documents.map(Input::new);
    let documents = embedder.embed(Role::Document, &inputs).await.expect("documents can be embedded");
    let query =
        embedder.embed(Role::Query, &[Input::new("ferry island")]).await.expect("a query can be embedded");
    let [near, far] = [0, 1].map(|index| dot(&query[0].text, &documents[index].text));
    assert!(near > far, "what shares words with the query is nearer: {near} against {far}");
}

async fn wrong_spans(embedder: &dyn Embedder) {
    for span in [0..99, 1..2] {
        let error = embedder.embed(Role::Document, &[Input { text: "éa", spans: from_ref(&span) }]).await;
        let kind = error.map(drop).expect_err("the span is not inside the text").kind();
        assert_eq!(kind, ErrorKind::Invalid, "a span at {span:?} is the caller's mistake");
    }
}

fn assert_unit(vector: &[f32], dimension: usize, text: &str) {
    assert_eq!(vector.len(), dimension, "the vector of {text:?} has the fingerprint's dimension");
    let norm = dot(vector, vector).sqrt();
    assert!((norm - 1.0).abs() < 1e-4, "the vector of {text:?} has the length {norm}");
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn distance(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).fold(0.0, f32::max)
}
