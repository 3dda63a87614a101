//! Vectors for the records of ingested chunks.

use std::{collections::HashSet, ops::Range};

use quiver_graph::{Delta, Embedded};
use quiver_models::{Encoded, Encoder, Input};
use quiver_store::{SparseVector, Vectors};
use tracing::{Span, instrument};

use crate::{
    Result,
    error::{In, Stage},
    records::{PassageRecords, Source, embedded_text},
};

/// Computes the vectors of all records that are searched for. One pass over a passage yields the vectors of the
/// passage, its names and the relations in it that are searched for. Texts that occur in no passage are embedded
/// separately.
#[instrument(target = "quiver::stage", skip_all, fields(texts))]
pub(crate) async fn embed(encoder: &Encoder, records: Vec<PassageRecords>) -> Result<Delta> {
    let mut delta = Delta::default();
    let mut seen_entities = HashSet::new();
    let mut seen_relations = HashSet::new();
    let mut texts: Vec<(String, Vec<Range<usize>>)> = Vec::new();
    let mut places: Vec<(Kind, usize, usize)> = Vec::new(); // record, text, and span + 1 or 0 for the whole text
    for PassageRecords { passage, entities, relations } in records {
        let whole = embedded_text(passage.title.as_deref(), &passage.text);
        let text = texts.len();
        texts.push((whole, Vec::new()));
        places.push((Kind::Passage(delta.passages.len()), text, 0));
        delta.passages.push(Embedded { record: passage, vectors: Vectors::default() });
        for (id, (record, source)) in entities {
            if seen_entities.insert(id) {
                let kind = Kind::Entity(delta.entities.len());
                delta.entities.push(Embedded { record, vectors: Vectors::default() });
                place(kind, source, text, &mut texts, &mut places);
            }
        }
        for (id, (record, source)) in relations {
            if seen_relations.insert(id) {
                let kind = Kind::Relation(delta.relations.len());
                if record.is_searched_for() {
                    place(kind, source, text, &mut texts, &mut places);
                }
                delta.relations.push(Embedded { record, vectors: Vectors::default() });
            }
        }
    }
    let inputs: Vec<Input<'_>> = texts.iter().map(|(text, spans)| Input { text, spans }).collect();
    Span::current().record("texts", inputs.len());
    let encoded = encoder.encode_documents(&inputs).await.stage(Stage::Ingest)?;
    for (kind, text, span) in places {
        let vectors = vectors(&encoded[text], span);
        match kind {
            Kind::Passage(index) => delta.passages[index].vectors = vectors,
            Kind::Entity(index) => delta.entities[index].vectors = vectors,
            Kind::Relation(index) => delta.relations[index].vectors = vectors,
        }
    }
    Ok(delta)
}

#[derive(Clone, Copy)]
enum Kind {
    Passage(usize),
    Entity(usize),
    Relation(usize),
}

fn place(
    kind: Kind,
    source: Source,
    passage: usize,
    texts: &mut Vec<(String, Vec<Range<usize>>)>,
    places: &mut Vec<(Kind, usize, usize)>,
) {
    match source {
        Source::Span(range) => {
            let spans = &mut texts[passage].1;
            let known = spans.iter().position(|span| *span == range);
            let span = known.unwrap_or_else(|| {
                spans.push(range);
                spans.len() - 1
            });
            places.push((kind, passage, span + 1));
        }
        Source::Text(text) => {
            places.push((kind, texts.len(), 0));
            texts.push((text, Vec::new()));
        }
    }
}

fn vectors(encoded: &Encoded, span: usize) -> Vectors {
    let (sparse, dense) = match span.checked_sub(1) {
        None => (&encoded.sparse, &encoded.dense),
        Some(span) => (&encoded.spans[span].sparse, &encoded.spans[span].dense),
    };
    Vectors { dense: dense.clone(), sparse: SparseVector::from_pairs(sparse.iter().copied()) }
}
