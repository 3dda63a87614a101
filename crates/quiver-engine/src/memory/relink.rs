//! Updates the references of stored passages according to the splits of entities.

use std::collections::{BTreeMap, BTreeSet};

use quiver_graph::{Delta, Embedded, Entity, Graph, Passage, PassageId, Relation, RelationId};
use quiver_models::{Encoder, Input};
use quiver_store::Vectors;

use crate::{
    Result,
    error::{Error, ErrorKind, In, Stage},
};

use super::{
    remember::{text_of_fact, vectors},
    split::{Relinked, SplitTexts, Splits},
};

/// Number of passages updated per batch.
const SPLIT_AT_ONCE: usize = 256;
/// Maximum number of attempts when other writers change the passages in the meantime.
const RELINK_ATTEMPTS: usize = 8;

/// Relinks passages that were just written, if the splits have changed since they were `read`.
///
/// A decision is written before it updates existing passages, and passages are written before this function
/// reads the decisions, so one of the two sees the other.
pub(crate) async fn relink_written(
    graph: &Graph,
    encoder: &Encoder,
    read: &Splits,
    written: &[PassageId],
) -> Result<()> {
    let splits = Splits::read(graph).await.stage(Stage::Remember)?;
    if splits != *read {
        for ids in written.chunks(SPLIT_AT_ONCE) {
            relink_passages(graph, encoder, &splits, ids).await?;
        }
    }
    Ok(())
}

/// Updates the references of the passages of some texts according to the splits in effect. Returns the number
/// of passages changed. If it fails, earlier batches stay changed; call it again to continue.
pub(super) async fn relink(graph: &Graph, encoder: &Encoder, texts: &SplitTexts) -> Result<usize> {
    let splits = Splits::read(graph).await.stage(Stage::Remember)?;
    let mut passages: Vec<Passage> = graph.all(&texts.filter()).await.stage(Stage::Remember)?;
    passages.retain(|passage| {
        let meant = passage.unsplit.as_ref().map(|before| &before.meant);
        splits.meant(passage) != meant.cloned().unwrap_or_default()
    });
    let ids: Vec<PassageId> = passages.into_iter().map(|passage| passage.id).collect();
    let mut changed = 0;
    for ids in ids.chunks(SPLIT_AT_ONCE) {
        changed += relink_passages(graph, encoder, &splits, ids).await?;
    }
    Ok(changed)
}

/// Updates the references of some passages according to the splits. Returns the number of passages changed.
///
/// Encoding takes time, and a passage that is deleted or ingested again in the meantime must not be
/// overwritten with its old version. If any passage has changed, everything is done again. On a server,
/// another process may still write between the comparison and the write.
async fn relink_passages(
    graph: &Graph,
    encoder: &Encoder,
    splits: &Splits,
    ids: &[PassageId],
) -> Result<usize> {
    for _ in 0..RELINK_ATTEMPTS {
        let passages = graph.embedded_passages(ids).await.stage(Stage::Remember)?;
        let read: Vec<Passage> = passages.iter().map(|passage| passage.record.clone()).collect();
        let referred = read.iter().flat_map(|passage| {
            let before = passage.unsplit.iter().flat_map(|before| &before.relations);
            passage.relations.iter().chain(before)
        });
        let referred: BTreeSet<RelationId> = referred.copied().collect();
        let referred: Vec<RelationId> = referred.into_iter().collect();
        let known = graph.relations(&referred).await.stage(Stage::Remember)?;
        let delta = relinked(graph, encoder, splits, passages, &known).await?;
        let changed = delta.passages.len();
        if graph.apply_if_unchanged(delta, &read, &known).await.stage(Stage::Remember)? {
            return Ok(changed);
        }
    }
    let what = "others keep changing these texts; the same call again completes the split";
    Err(Error::new(ErrorKind::Conflict, Stage::Remember, what))
}

/// The passages that the splits change, with their new references. `known` are the relations that they refer
/// to now and referred to before.
async fn relinked(
    graph: &Graph,
    encoder: &Encoder,
    splits: &Splits,
    mut passages: Vec<Embedded<Passage>>,
    known: &[Relation],
) -> Result<Delta> {
    let lexical = encoder.analysis();
    let known: BTreeMap<RelationId, Relation> = known.iter().map(|one| (one.id, one.clone())).collect();
    let (mut entities, mut relations) = (BTreeMap::new(), BTreeMap::new());
    passages.retain_mut(|passage| {
        let relinked = splits.relink(graph.workspace(), lexical, &mut passage.record, &known);
        let is_changed = relinked.is_some();
        let Relinked { entities: new_entities, relations: new } = relinked.unwrap_or_default();
        entities.extend(new_entities.into_iter().map(|entity| (entity.id, entity)));
        let new = new.into_iter().map(|(_, relation)| (relation.id, relation));
        relations.extend(new.filter(|(id, _)| !known.contains_key(id)));
        is_changed
    });
    let relations: Vec<Relation> = relations.into_values().collect();
    let texts: Vec<String> =
        relations.iter().map(|one| text_of_fact(one).unwrap_or_else(|| one.text.clone())).collect();
    let inputs: Vec<_> = texts.iter().map(|text| Input::new(text)).collect();
    let encoded = encoder.encode_documents(&inputs).await.stage(Stage::Remember)?;
    let relations = relations.into_iter().zip(encoded).map(|(record, encoded)| {
        let text = text_of_fact(&record);
        let vectors = if record.is_searched_for() {
            vectors(lexical, encoded, text.as_deref())
        } else {
            Vectors::default()
        };
        Embedded { record, vectors }
    });
    let relations = relations.collect();
    let entities = embed_entities(encoder, entities.into_values().collect()).await?;
    Ok(Delta { entities, relations, passages })
}

pub(super) async fn embed_entities(
    encoder: &Encoder,
    entities: Vec<Entity>,
) -> Result<Vec<Embedded<Entity>>> {
    let inputs: Vec<_> = entities.iter().map(|entity| Input::new(&entity.name)).collect();
    let encoded = encoder.encode_documents(&inputs).await.stage(Stage::Remember)?;
    let lexical = encoder.analysis();
    let embedded = entities.into_iter().zip(encoded);
    Ok(embedded
        .map(|(record, encoded)| Embedded { record, vectors: vectors(lexical, encoded, None) })
        .collect())
}
