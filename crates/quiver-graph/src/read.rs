//! Reading records: by id, by name, by filter, by nearness.

use std::collections::HashMap;

use quiver_store::{Filter, PointId, Result, Scored, Search, Select, Target};

use crate::{
    Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId,
    payload::{NAMES, Stored},
};

/// A record that was found, with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<T> {
    /// The dot product with the target.
    pub score: f32,
    /// The record.
    pub record: T,
}

/// A search for the nearest records among those that pass a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// What they should be near to.
    pub target: Target,
    /// What they must satisfy; see [`among`].
    pub among: Filter,
    /// How many to return at the most.
    pub limit: usize,
}

/// One of [`Entity`], [`Relation`] and [`Passage`].
#[expect(private_bounds, reason = "sealed: a record is stored in one of three collections")]
pub trait Record: Stored + Send {
    /// Its id.
    type Id: From<PointId> + Copy + Ord + std::hash::Hash + Send;
}

impl Record for Entity {
    type Id = EntityId;
}

impl Record for Relation {
    type Id = RelationId;
}

impl Record for Passage {
    type Id = PassageId;
}

/// Filters on records, to search [`among`](Nearest::among).
pub mod among {
    use quiver_store::Filter;

    use crate::{
        EntityId, RelationId, name,
        payload::{
            DOCUMENT, ENTITIES, OBJECT, PREDICATE, RECORDED_AT, RELATIONS, SESSION, SUBJECT, SUBJECTS, TIME,
            VALID_FROM, VALID_TO,
        },
    };

    #[expect(clippy::cast_precision_loss, reason = "milliseconds are exact up to the year 287396")]
    fn within(field: &'static str, least: Option<i64>, most: Option<i64>) -> Filter {
        Filter::Range {
            field,
            least: least.map(|moment| moment as f64),
            most: most.map(|moment| moment as f64),
        }
    }

    fn ids(values: impl IntoIterator<Item = impl ToString>) -> Vec<String> {
        values.into_iter().map(|id| id.to_string()).collect()
    }

    /// Passages about one of these entities.
    pub fn about(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        Filter::any_of(SUBJECTS, ids(entities))
    }

    /// Passages that mention one of these entities.
    pub fn mentioning(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        Filter::any_of(ENTITIES, ids(entities))
    }

    /// Passages that support one of these relations.
    pub fn supporting(relations: impl IntoIterator<Item = RelationId>) -> Filter {
        Filter::any_of(RELATIONS, ids(relations))
    }

    /// Passages of this document.
    pub fn of_document(key: &str) -> Filter {
        Filter::equals(DOCUMENT, key)
    }

    /// Passages of these documents.
    pub fn of_documents<'a>(keys: impl IntoIterator<Item = &'a str>) -> Filter {
        Filter::any_of(DOCUMENT, keys)
    }

    /// Turns of this session.
    pub fn of_session(session: &str) -> Filter {
        Filter::equals(SESSION, session)
    }

    /// Turns of any session, not passages of documents.
    pub fn in_session() -> Filter {
        Filter::Not(Box::new(Filter::Missing { field: SESSION }))
    }

    /// Relations that start at one of these entities.
    pub fn from(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        Filter::any_of(SUBJECT, ids(entities))
    }

    /// Relations that end at one of these entities.
    pub fn to(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        Filter::any_of(OBJECT, ids(entities))
    }

    /// Relations that start or end at one of these entities.
    pub fn touching(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        let entities: Vec<EntityId> = entities.into_iter().collect();
        Filter::Any(vec![from(entities.iter().copied()), to(entities)])
    }

    /// Relations with one of these predicates, however they are spelt.
    pub fn saying<'a>(predicates: impl IntoIterator<Item = &'a str>) -> Filter {
        Filter::any_of(PREDICATE, predicates.into_iter().map(name::normalise))
    }

    /// Dated relations that began to hold within these moments, both inclusive, in milliseconds since 1970. Undated
    /// ones never pass.
    pub fn begun(least: Option<i64>, most: Option<i64>) -> Filter {
        within(VALID_FROM, least, most)
    }

    /// Relations that were told by a moment, in milliseconds since 1970.
    pub fn told_by(moment: i64) -> Filter {
        within(RECORDED_AT, None, Some(moment))
    }

    /// Passages said or written within these moments, both inclusive, in milliseconds since 1970.
    pub fn said(least: Option<i64>, most: Option<i64>) -> Filter {
        within(TIME, least, most)
    }

    /// Relations that held at a moment, in milliseconds since 1970; undated ones always do.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds are exact up to the year 287396")]
    pub fn valid_at(moment: i64) -> Filter {
        let moment = moment as f64;
        let begun = Filter::Any(vec![
            Filter::Missing { field: VALID_FROM },
            Filter::Range { field: VALID_FROM, least: None, most: Some(moment) },
        ]);
        let ended = Filter::Range { field: VALID_TO, least: None, most: Some(moment) };
        begun.and(Filter::Not(Box::new(ended)))
    }
}

impl Graph {
    /// Reads entities by id, in the order asked for, without those that are absent.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn entities(&self, ids: &[EntityId]) -> Result<Vec<Entity>> {
        self.records(ids.iter().map(|id| id.point()).collect()).await
    }

    /// Reads relations by id, in the order asked for, without those that are absent.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn relations(&self, ids: &[RelationId]) -> Result<Vec<Relation>> {
        self.records(ids.iter().map(|id| id.point()).collect()).await
    }

    /// Reads passages by id, in the order asked for, without those that are absent.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn passages(&self, ids: &[PassageId]) -> Result<Vec<Passage>> {
        self.records(ids.iter().map(|id| id.point()).collect()).await
    }

    /// Reads passages with their vectors by id, in the order asked for, without those that are absent.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn embedded_passages(&self, ids: &[PassageId]) -> Result<Vec<Embedded<Passage>>> {
        let ids: Vec<_> = ids.iter().map(|id| id.point()).collect();
        let points = self.scope.fetch(Passage::COLLECTION, &ids, true).await?;
        points.into_iter().map(Passage::with_vectors).collect()
    }

    async fn records<T: Record>(&self, ids: Vec<PointId>) -> Result<Vec<T>> {
        let points = self.scope.fetch(T::COLLECTION, &ids, false).await?;
        points.into_iter().map(T::from_point).collect()
    }

    /// Finds the entities one of whose names or aliases normalises to one of these names, by ascending id.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn entities_named(&self, normalised: &[String], limit: usize) -> Result<Vec<Entity>> {
        if normalised.is_empty() {
            return Ok(Vec::new());
        }
        self.list(Filter::any_of(NAMES, normalised), limit).await
    }

    /// Lists the first records that pass a filter, by ascending id.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list<T: Record>(&self, among: Filter, limit: usize) -> Result<Vec<T>> {
        let page = self.scope.scroll(T::COLLECTION, &among, None, limit, &T::SELECT).await?;
        page.points.into_iter().map(T::from_point).collect()
    }

    /// Lists which passages pass a filter, by ascending id, without reading them.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list_ids(&self, among: Filter, limit: usize) -> Result<Vec<PassageId>> {
        let page = self.scope.scroll(Passage::COLLECTION, &among, None, limit, &Select::ID).await?;
        Ok(page.points.into_iter().map(|point| PassageId::from(point.id)).collect())
    }

    /// Counts the records that pass a filter.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn count<T: Record>(&self, among: &Filter) -> Result<u64> {
        self.scope.count(T::COLLECTION, among).await
    }

    /// Finds the nearest records for each of several searches, in one round trip.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn nearest<T: Record>(&self, searches: Vec<Nearest>) -> Result<Vec<Vec<Hit<T>>>> {
        let mut answers = Vec::new();
        for found in self.scope.search(self.searches::<T>(searches, &T::SELECT)).await? {
            let hits = found
                .into_iter()
                .map(|scored| Ok(Hit { score: scored.score, record: T::from_point(scored.point)? }))
                .collect::<Result<_>>()?;
            answers.push(hits);
        }
        Ok(answers)
    }

    /// Finds which records are nearest for each of several searches, in one round trip, without reading them.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn nearest_ids<T: Record>(&self, searches: Vec<Nearest>) -> Result<Vec<Vec<(T::Id, f32)>>> {
        let answers = self.scope.search(self.searches::<T>(searches, &Select::ID)).await?;
        let ids = |found: Vec<Scored>| {
            found.into_iter().map(|scored| (T::Id::from(scored.point.id), scored.score)).collect()
        };
        Ok(answers.into_iter().map(ids).collect())
    }

    fn searches<T: Record>(&self, searches: Vec<Nearest>, select: &Select) -> Vec<Search> {
        let search = |Nearest { target, among, limit }| Search {
            collection: T::COLLECTION,
            target,
            filter: among,
            limit,
            exact: self.exact,
            select: select.clone(),
        };
        searches.into_iter().map(search).collect()
    }

    /// The names of entities, for printing paths.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn names_of(&self, ids: &[EntityId]) -> Result<HashMap<EntityId, String>> {
        Ok(self.entities(ids).await?.into_iter().map(|entity| (entity.id, entity.name)).collect())
    }
}
