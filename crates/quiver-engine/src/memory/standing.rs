//! The decisions that apply to every question in a workspace.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use quiver_graph::{EntityId, Graph, Relation};
use quiver_store::{Collection, Version};

use crate::{
    Quiver, Result,
    error::{In, Stage},
};

use super::{
    decisions::{DecisionKind, kind_of},
    known::{DECISIONS, DELETED, RENAMED_TO, SPLIT_INTO},
    left::{holder, left_kind, may_be_left},
    merged::{decisions_among, is_undone},
    same::{Joins, may_be_same},
    split::{Apart, Splits},
};

/// Maximum number of decisions of all kinds that are read at once.
const READ_AT_ONCE: usize = 64;

/// The decisions that apply to every question in a workspace.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    deleted: BTreeSet<EntityId>,
    pub(crate) splits: Splits,
    /// Whether there may be merges or renames.
    pub(crate) may_be_same: bool,
    /// The renames, and also the merges if there are few.
    pub(crate) joins: Joins,
}

/// The decisions as last read. They stay valid until a relation is written. Only a store used by a single
/// process reports that; otherwise every question reads them again.
#[derive(Debug, Default)]
pub(crate) struct StandingCache(Mutex<Option<(Version, Arc<Standing>)>>);

impl StandingCache {
    async fn read(&self, graph: &Graph) -> quiver_graph::Result<Arc<Standing>> {
        let version = graph.store().version(Collection::Relations).await?;
        let kept = |kept: &Option<(Version, Arc<Standing>)>| {
            let (of, standing) = kept.as_ref()?;
            (Some(*of) == version).then(|| Arc::clone(standing))
        };
        if let Some(standing) = kept(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(standing);
        }
        let standing = Arc::new(read(graph).await?);
        if let Some(version) = version {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((version, Arc::clone(&standing)));
        }
        Ok(standing)
    }
}

async fn read(graph: &Graph) -> quiver_graph::Result<Standing> {
    let few: Vec<Relation> = graph.list(decisions_among(DECISIONS), READ_AT_ONCE).await?;
    let is_same = |one: &Relation| matches!(kind_of(one), Some(DecisionKind::Merge | DecisionKind::Rename));
    let is_all = few.len() < READ_AT_ONCE;
    let may_be_same = few.iter().any(is_same) || !is_all && may_be_same(graph).await?;
    let decisions =
        if is_all { few } else { graph.all(&decisions_among([DELETED, SPLIT_INTO, RENAMED_TO])).await? };
    let holds = |one: &&Relation| kind_of(one) == Some(DecisionKind::Delete) && !is_undone(one);
    let mut deleted: BTreeSet<EntityId> = decisions.iter().filter(holds).map(|one| one.subject).collect();
    let splits = Splits::of(graph.workspace(), &decisions, &decisions);
    if decisions.iter().any(|one| left_kind(one).is_some()) || !is_all && may_be_left(graph).await? {
        deleted.insert(holder(graph.workspace()));
    }
    let is_hidden = |one: &Relation| deleted.contains(&one.subject) || deleted.contains(&one.object);
    let same = decisions.iter().filter(|one| is_same(one) && !is_hidden(one));
    let joins = Joins::of(graph.workspace(), same, is_all);
    Ok(Standing { deleted, splits, may_be_same, joins })
}

impl Quiver {
    /// Returns the same engine for reading, without the entities that a decision deleted. Calls that answer,
    /// recall or query do this themselves; use it before reading [`Quiver::graph`].
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub async fn without_deleted(&self) -> Result<Self> {
        if self.graph.hidden().is_some() {
            return Ok(self.clone());
        }
        let standing = self.standing_cache.read(&self.graph).await.stage(Stage::Search)?;
        Ok(Self { graph: self.graph.hiding(standing.deleted.clone()), standing, ..self.clone() })
    }

    /// The split entities that a question distinguishes.
    pub(crate) async fn apart(&self, question: &str) -> quiver_graph::Result<Vec<Apart>> {
        self.standing.splits.apart(&self.graph, self.encoder.analysis(), question, &[]).await
    }

    /// Like [`Self::without_deleted`], but if the graph can't be read, continues without the decisions and
    /// also returns a message that says so.
    pub(crate) async fn without_deleted_if_known(&self) -> (Self, Option<String>) {
        match self.without_deleted().await {
            Ok(seen) => (seen, None),
            Err(error) => {
                let missing =
                    format!("the decisions about entities could not be read and are ignored: {error}");
                (Self { graph: self.graph.hiding(BTreeSet::new()), ..self.clone() }, Some(missing))
            }
        }
    }
}
