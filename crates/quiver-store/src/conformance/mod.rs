//! A conformance suite for stores: each sentence of the [`PointStore`] contract as a check.
//!
//! To use it, write a test that passes [`run`] a [`Site`] that opens your stores. A failed check panics with the
//! difference. Every compared score is a sum of small multiples of a power of two, so the order of summation has no
//! effect, and equal scores are exactly equal in every backend.

mod filters;
mod random;
mod reading;
mod sample;
mod searching;
mod writing;

use async_trait::async_trait;

use crate::{Collection, Field, FieldKind, Filter, PointStore, Schema};

/// The schema with which stores must be opened for the checks.
pub const SCHEMA: Schema = Schema {
    dense_dimension: Some(4),
    fields: &[
        Field { collection: Collection::Entities, name: "workspace", kind: FieldKind::Tenant },
        Field { collection: Collection::Entities, name: "kind", kind: FieldKind::Keyword },
        Field { collection: Collection::Entities, name: "year", kind: FieldKind::Integer },
        Field { collection: Collection::Relations, name: "workspace", kind: FieldKind::Tenant },
        Field { collection: Collection::Relations, name: "kind", kind: FieldKind::Keyword },
        Field { collection: Collection::Relations, name: "year", kind: FieldKind::Integer },
        Field { collection: Collection::Passages, name: "workspace", kind: FieldKind::Tenant },
        Field { collection: Collection::Passages, name: "kind", kind: FieldKind::Keyword },
        Field { collection: Collection::Passages, name: "year", kind: FieldKind::Integer },
    ],
};

/// Opens stores of one kind.
#[async_trait]
pub trait Site: Send {
    /// Opens an empty store with [`SCHEMA`].
    async fn open(&mut self) -> Box<dyn PointStore>;

    /// Closes a store and opens it again with all its points. A store without persistence is returned unchanged.
    async fn reopen(&mut self, store: Box<dyn PointStore>) -> Box<dyn PointStore>;
}

/// Runs every check, then seeded random operations with reopenings, compared with a
/// [`MemoryStore`](crate::MemoryStore).
pub async fn run(site: &mut dyn Site) {
    let mut store = site.open().await;
    checks(store.as_ref()).await;
    clear(store.as_ref()).await;
    store = reading::survives_reopening(site, store).await;
    for seed in [1, 2, 3] {
        clear(store.as_ref()).await;
        store = random::agrees_with_memory(site, store, seed).await;
    }
}

/// Runs every check that needs no reopening. Deletes all points of the store.
pub async fn checks(store: &dyn PointStore) {
    macro_rules! each {
        ($($check:path),* $(,)?) => {$(
            clear(store).await;
            tracing::debug!(check = stringify!($check));
            $check(store).await;
        )*};
    }
    each![
        reading::answers_in_the_order_asked,
        reading::gives_back_what_was_written,
        reading::reads_what_was_selected,
        reading::scrolls_by_ascending_id,
        reading::keeps_the_collections_apart,
        writing::replaces_whole_points,
        writing::keeps_existing_points,
        writing::refuses_other_dimensions,
        writing::takes_empty_batches,
        writing::takes_thousands,
        writing::deletes_what_passes,
        searching::orders_by_score_then_id,
        searching::cuts_ties_by_id,
        searching::finds_only_points_with_the_vector,
        searching::answers_each_search,
        searching::filters_before_it_limits,
        filters::mean_what_matches_means,
        filters::are_estimated,
        filters::count_values,
        filters::report_what_is_there,
    ];
}

async fn clear(store: &dyn PointStore) {
    for collection in Collection::ALL {
        store.delete(collection, &Filter::everything()).await.expect("everything can be deleted");
        let left = store.count(collection, &Filter::everything()).await.expect("what is left can be counted");
        assert_eq!(left, 0, "{collection} left after deleting everything");
    }
}
