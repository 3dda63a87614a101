//! Reads the vocabulary of a workspace (the labels, properties, values and types of relationships that questions may
//! name), and caches it until something is written.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use quiver_cypher::Value;
use quiver_graph::{Entity, EntityId, Graph, Relation, filters};
use quiver_store::{Collection, Version};
use tokio::sync::Mutex;

use super::reading::{PropertyKind, Vocabulary};
use crate::{
    Result,
    error::{In, Stage},
    memory::Decision,
};

/// Maximum number of labels and types read.
const NAMES_MAX: usize = 200;
/// Number of nodes per label read for their properties.
const NODES_SAMPLED: usize = 200;
/// Number of relationships per type read for the labels at their ends.
const RELATIONS_SAMPLED: usize = 500;
/// Maximum number of values per label that are known by their words. The most frequent come first.
const VALUES_MAX: usize = 50_000;

/// The versions of the entities and relations from which something was read.
type Versions = (Option<Version>, Option<Version>);

/// The vocabulary of a workspace, cached until something is written.
#[derive(Debug, Default)]
pub(crate) struct VocabularyCache(Mutex<Option<(Versions, Arc<Vocabulary>)>>);

impl VocabularyCache {
    /// Returns the current vocabulary.
    pub(super) async fn get(&self, graph: &Graph) -> Result<Arc<Vocabulary>> {
        let version = |collection| async move { graph.store().version(collection).await.stage(Stage::Query) };
        let entities = version(Collection::Entities).await?;
        let mut kept = self.0.lock().await;
        if let Some(((known, relations), vocabulary)) = &*kept
            && *known == entities
            && entities.is_some()
            && (vocabulary.is_empty() || *relations == version(Collection::Relations).await?)
        {
            return Ok(Arc::clone(vocabulary));
        }
        let relations = version(Collection::Relations).await?;
        let vocabulary = Arc::new(read(graph).await?);
        *kept = Some(((entities, relations), Arc::clone(&vocabulary)));
        Ok(vocabulary)
    }
}

/// Reads the vocabulary; empty if no node has a label.
async fn read(graph: &Graph) -> Result<Vocabulary> {
    let mut vocabulary = Vocabulary::default();
    let labels = graph.labels(NAMES_MAX).await.stage(Stage::Query)?;
    if labels.is_empty() {
        return Ok(vocabulary);
    }
    for (label, _) in labels {
        let sample =
            graph.list::<Entity>(filters::labelled(&label), NODES_SAMPLED).await.stage(Stage::Query)?;
        vocabulary.add_label(&label, properties(&sample));
        for (key, value, count) in graph.property_values(&label, VALUES_MAX).await.stage(Stage::Query)? {
            vocabulary.add_value(&label, &key, Value::from_json(&value), count);
        }
    }
    for (predicate, _) in graph.predicates(NAMES_MAX).await.stage(Stage::Query)? {
        let among = filters::saying([predicate.as_str()]);
        let mut sample = graph.list::<Relation>(among, RELATIONS_SAMPLED).await.stage(Stage::Query)?;
        sample.retain(|relation| Decision::of(relation).is_none());
        let mut ends: BTreeSet<EntityId> = sample.iter().map(|relation| relation.subject).collect();
        ends.extend(sample.iter().map(|relation| relation.object));
        let ends: Vec<EntityId> = ends.into_iter().collect();
        let entities = graph.entities(&ends).await.stage(Stage::Query)?;
        let labels: HashMap<EntityId, Vec<String>> =
            entities.into_iter().map(|entity| (entity.id, entity.labels)).collect();
        let mut kinds: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
        for relation in &sample {
            let of = |id: &EntityId| labels.get(id).into_iter().flatten();
            for from in of(&relation.subject) {
                let pairs = of(&relation.object).map(|to| (from.clone(), to.clone()));
                kinds.entry(relation.predicate.clone()).or_default().extend(pairs);
            }
        }
        for (kind, ends) in kinds {
            vocabulary.add_link(&kind, &ends.into_iter().collect::<Vec<_>>());
        }
    }
    Ok(vocabulary)
}

/// Returns the properties of nodes with the kind of their values.
fn properties(nodes: &[Entity]) -> Vec<(String, PropertyKind)> {
    let mut found: BTreeMap<String, Vec<PropertyKind>> = BTreeMap::new();
    for (key, value) in nodes.iter().flat_map(|node| &node.properties) {
        found.entry(key.clone()).or_default().push(PropertyKind::of(&Value::from_json(value)));
    }
    found.into_iter().map(|(key, kinds)| (key, PropertyKind::of_all(&kinds))).collect()
}
