//! Reading records: by ID, by name, by filter, by similarity.

use std::collections::HashMap;

use quiver_store::{Filter, PointId, Result, Scored, Search, Select, Target};

use crate::{
    Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId,
    payload::{KIND, LABELS, NAMES, PREDICATE, PROPERTIES, Stored},
    property::property_of_term,
};

/// A search result with its score.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit<T> {
    /// The dot product with the target.
    pub score: f32,
    /// The record.
    pub record: T,
}

/// A search for the nearest records among those that pass a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The vector to compare with.
    pub target: Target,
    /// The filter; see [`filters`].
    pub among: Filter,
    /// Maximum number of results.
    pub limit: usize,
}

/// One of [`Entity`], [`Relation`] and [`Passage`].
#[expect(private_bounds, reason = "sealed: a record is stored in one of three collections")]
pub trait Record: Stored + Send {
    /// The type of its ID.
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

/// Filters on records, for [`Nearest::among`] and others.
pub mod filters {
    use quiver_store::Filter;

    use crate::{
        EntityId, RelationId, name,
        payload::{
            DOCUMENT, ENTITIES, KIND, LABELS, METADATA_TERMS, NAMES, OBJECT, PREDICATE, PROPERTIES,
            PROPERTY_RANKS, RECORDED_AT, RELATIONS, SESSION, SUBJECT, SUBJECTS, TIME, VALID_FROM, VALID_TO,
        },
        property::{is_inexact, property_term, rank_of_other_moments, ranks_beginning, ranks_within},
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

    /// Returns a filter for entities with a label.
    pub fn labelled(label: &str) -> Filter {
        Filter::equals(LABELS, label)
    }

    /// Returns a filter for entities of one of these kinds.
    pub fn of_kind<'a>(kinds: impl IntoIterator<Item = &'a str>) -> Filter {
        Filter::any_of(KIND, kinds)
    }

    /// Returns a filter for entities with one of these names, in any spelling that normalises to the same.
    pub fn called<'a>(names: impl IntoIterator<Item = &'a str>) -> Filter {
        Filter::any_of(NAMES, names.into_iter().map(name::normalise))
    }

    /// Returns a filter for entities or undated relations with a property that equals one of these values; `None` if
    /// one of them is a list or too long to be indexed. It may pass others too.
    pub fn with_property<'a>(
        key: &str,
        values: impl IntoIterator<Item = &'a serde_json::Value>,
    ) -> Option<Filter> {
        let (mut terms, mut others) = (Vec::new(), Vec::new());
        for value in values {
            if is_inexact(value) {
                others.push(with_property_within(key, Some(value), Some(value))?);
            } else {
                terms.push(property_term(key, value)?);
            }
        }
        let terms = Filter::any_of(PROPERTIES, terms);
        if others.is_empty() {
            return Some(terms);
        }
        others.push(terms);
        Some(Filter::Any(others))
    }

    /// Returns a filter for entities or undated relations with a property between two values, one of which may be
    /// missing; `None` if they can't be compared or have no order. It may pass others too.
    pub fn with_property_within(
        key: &str,
        least: Option<&serde_json::Value>,
        most: Option<&serde_json::Value>,
    ) -> Option<Filter> {
        let bounds = ranks_within(key, least, most)?;
        let is_moment = least.or(most).is_some_and(serde_json::Value::is_object);
        let found = ranked(bounds);
        if !is_moment {
            return Some(found);
        }
        let unknown = rank_of_other_moments(key);
        Some(Filter::Any(vec![found, ranked((unknown, unknown))]))
    }

    /// Returns a filter for entities or undated relations with a property that begins with a text. It may pass others
    /// too.
    pub fn with_property_beginning(key: &str, start: &str) -> Filter {
        ranked(ranks_beginning(key, start))
    }

    fn ranked((least, most): (u64, u64)) -> Filter {
        Filter::Range { field: PROPERTY_RANKS, least: Some(least as f64), most: Some(most as f64) }
    }

    /// Returns a filter for relations with a date, whose properties are not indexed.
    pub fn dated() -> Filter {
        begun(None, None)
    }

    /// Returns a filter for passages about one of these entities.
    pub fn about(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        Filter::any_of(SUBJECTS, ids(entities))
    }

    /// Returns a filter for passages that mention one of these entities.
    pub fn mentioning(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        Filter::any_of(ENTITIES, ids(entities))
    }

    /// Returns a filter for passages that support one of these relations.
    pub fn supporting(relations: impl IntoIterator<Item = RelationId>) -> Filter {
        Filter::any_of(RELATIONS, ids(relations))
    }

    /// Returns a filter for passages of this document.
    pub fn of_document(key: &str) -> Filter {
        Filter::equals(DOCUMENT, key)
    }

    /// Returns a filter for passages of these documents.
    pub fn of_documents<'a>(keys: impl IntoIterator<Item = &'a str>) -> Filter {
        Filter::any_of(DOCUMENT, keys)
    }

    /// Returns a filter for turns of this session.
    pub fn of_session(session: &str) -> Filter {
        Filter::equals(SESSION, session)
    }

    /// Returns a filter for turns of any session.
    pub fn in_session() -> Filter {
        Filter::Not(Box::new(Filter::Missing { field: SESSION }))
    }

    /// Returns a filter for relations whose subject is one of these entities.
    pub fn from(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        Filter::any_of(SUBJECT, ids(entities))
    }

    /// Returns a filter for relations whose object is one of these entities.
    pub fn to(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        Filter::any_of(OBJECT, ids(entities))
    }

    /// Returns a filter for relations whose subject or object is one of these entities.
    pub fn touching(entities: impl IntoIterator<Item = EntityId>) -> Filter {
        let entities: Vec<EntityId> = entities.into_iter().collect();
        Filter::Any(vec![from(entities.iter().copied()), to(entities)])
    }

    /// Returns a filter for relations with one of these predicates, in any spelling that normalises to the same name.
    pub fn saying<'a>(predicates: impl IntoIterator<Item = &'a str>) -> Filter {
        Filter::any_of(PREDICATE, predicates.into_iter().map(name::normalise))
    }

    /// Returns a filter for dated relations whose validity starts between these moments, both inclusive, in
    /// milliseconds since 1970. Undated relations never match.
    pub fn begun(least: Option<i64>, most: Option<i64>) -> Filter {
        within(VALID_FROM, least, most)
    }

    /// Returns a filter for relations recorded at or before a moment, in milliseconds since 1970.
    pub fn told_by(moment: i64) -> Filter {
        within(RECORDED_AT, None, Some(moment))
    }

    /// Returns a filter for passages said or written between these moments, both inclusive, in milliseconds since
    /// 1970.
    pub fn said(least: Option<i64>, most: Option<i64>) -> Filter {
        within(TIME, least, most)
    }

    /// Returns a filter for passages that were not said or written after a moment, in milliseconds since 1970. Passages
    /// without a time match.
    pub fn not_said_after(moment: i64) -> Filter {
        Filter::Not(Box::new(said(Some(moment.saturating_add(1)), None)))
    }

    /// Returns a filter for passages whose metadata has one of these values under a key, or a list with one of them.
    /// Values that are lists, null, or longer than about 250 bytes match nothing.
    pub fn with_metadata<'a>(key: &str, values: impl IntoIterator<Item = &'a serde_json::Value>) -> Filter {
        Filter::any_of(METADATA_TERMS, values.into_iter().filter_map(|value| property_term(key, value)))
    }

    /// Returns whether [`with_metadata`] can match this value.
    pub fn can_match_metadata(key: &str, value: &serde_json::Value) -> bool {
        property_term(key, value).is_some()
    }

    /// Returns a filter for passages without a time.
    pub fn untimed() -> Filter {
        Filter::Missing { field: TIME }
    }

    /// Returns a filter for relations valid at a moment, in milliseconds since 1970. Relations without dates always
    /// match.
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
    /// Reads entities by ID, in the order of the IDs. Missing ones are skipped.
    ///
    /// # Errors
    /// Returns an error if the store fails or an entity can't be decoded.
    pub async fn entities(&self, ids: &[EntityId]) -> Result<Vec<Entity>> {
        self.records(ids.iter().map(|id| id.point()).collect()).await
    }

    /// Reads relations by ID, in the order of the IDs. Missing ones are skipped.
    ///
    /// # Errors
    /// Returns an error if the store fails or a relation can't be decoded.
    pub async fn relations(&self, ids: &[RelationId]) -> Result<Vec<Relation>> {
        self.records(ids.iter().map(|id| id.point()).collect()).await
    }

    /// Reads passages by ID, in the order of the IDs. Missing ones are skipped.
    ///
    /// # Errors
    /// Returns an error if the store fails or a passage can't be decoded.
    pub async fn passages(&self, ids: &[PassageId]) -> Result<Vec<Passage>> {
        self.records(ids.iter().map(|id| id.point()).collect()).await
    }

    /// Reads passages with their vectors by ID, in the order of the IDs. Missing ones are skipped.
    ///
    /// # Errors
    /// Returns an error if the store fails or a passage can't be decoded.
    pub async fn embedded_passages(&self, ids: &[PassageId]) -> Result<Vec<Embedded<Passage>>> {
        let ids: Vec<_> = ids.iter().map(|id| id.point()).collect();
        let points = self.scope.fetch(Passage::COLLECTION, &ids, true).await?;
        points.into_iter().map(Passage::with_vectors).collect()
    }

    async fn records<T: Record>(&self, ids: Vec<PointId>) -> Result<Vec<T>> {
        let points = self.scope.fetch(T::COLLECTION, &ids, false).await?;
        points.into_iter().map(T::from_point).collect()
    }

    /// Finds entities whose name or an alias normalises to one of these names, in ascending order of ID.
    ///
    /// # Errors
    /// Returns an error if the store fails or an entity can't be decoded.
    pub async fn entities_named(&self, normalised: &[String], limit: usize) -> Result<Vec<Entity>> {
        if normalised.is_empty() {
            return Ok(Vec::new());
        }
        self.list(Filter::any_of(NAMES, normalised), limit).await
    }

    /// Lists the first records that pass a filter, in ascending order of ID.
    ///
    /// # Errors
    /// Returns an error if the store fails or a record can't be decoded.
    pub async fn list<T: Record>(&self, among: Filter, limit: usize) -> Result<Vec<T>> {
        let page = self.scope.scroll(T::COLLECTION, &among, None, limit, &T::SELECT).await?;
        page.points.into_iter().map(T::from_point).collect()
    }

    /// Reads a page of the records that pass a filter, in ascending order of ID, and the ID after which the next page
    /// begins.
    ///
    /// # Errors
    /// Returns an error if the store fails or a record can't be decoded.
    pub async fn page<T: Record>(
        &self,
        among: &Filter,
        after: Option<PointId>,
        limit: usize,
    ) -> Result<(Vec<T>, Option<PointId>)> {
        let page = self.scope.scroll(T::COLLECTION, among, after, limit, &T::SELECT).await?;
        let records = page.points.into_iter().map(T::from_point).collect::<Result<_>>()?;
        Ok((records, page.next))
    }

    /// Counts the entities of each label, the most frequent first; at most `limit` labels.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn labels(&self, limit: usize) -> Result<Vec<(String, u64)>> {
        self.scope.facet(Entity::COLLECTION, LABELS, &Filter::everything(), limit).await
    }

    /// Counts the entities with a label by each plain value of each of their properties, the most frequent first; at most
    /// `limit` values. Lists and long texts are left out.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn property_values(
        &self,
        label: &str,
        limit: usize,
    ) -> Result<Vec<(String, serde_json::Value, u64)>> {
        let among = filters::labelled(label);
        let terms = self.scope.facet(Entity::COLLECTION, PROPERTIES, &among, limit).await?;
        let read =
            |(term, count): (String, u64)| property_of_term(&term).map(|(key, value)| (key, value, count));
        Ok(terms.into_iter().filter_map(read).collect())
    }

    /// Counts the entities of each kind, the most frequent first; at most `limit` kinds.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn kinds(&self, limit: usize) -> Result<Vec<(String, u64)>> {
        self.scope.facet(Entity::COLLECTION, KIND, &Filter::everything(), limit).await
    }

    /// Counts the relations of each normalised predicate, the most frequent first; at most `limit` predicates.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn predicates(&self, limit: usize) -> Result<Vec<(String, u64)>> {
        self.scope.facet(Relation::COLLECTION, PREDICATE, &Filter::everything(), limit).await
    }

    /// Lists the IDs of the first records that pass a filter, in ascending order, without reading the records.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn list_ids<T: Record>(&self, among: Filter, limit: usize) -> Result<Vec<T::Id>> {
        let page = self.scope.scroll(T::COLLECTION, &among, None, limit, &Select::ID).await?;
        Ok(page.points.into_iter().map(|point| T::Id::from(point.id)).collect())
    }

    /// Counts the records that pass a filter.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn count<T: Record>(&self, among: &Filter) -> Result<u64> {
        self.scope.count(T::COLLECTION, among).await
    }

    /// Counts all records. The number is kept next to them and counts as long as none is written.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn count_all<T: Record>(&self) -> Result<u64> {
        let everything = Filter::everything();
        let count = self.scope.count(T::COLLECTION, &everything);
        if self.scope.hidden().is_some() {
            return count.await;
        }
        self.kept(T::COLLECTION, "count", count).await
    }

    /// Estimates how many records pass a filter, at a cost that does not grow with their number.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn estimate<T: Record>(&self, among: &Filter) -> Result<u64> {
        self.scope.estimate(T::COLLECTION, among).await
    }

    /// Finds the nearest records for each of several searches, in one round trip.
    ///
    /// # Errors
    /// Returns an error if the store fails or a record can't be decoded.
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

    /// Finds the IDs of the nearest records for each of several searches, in one round trip, without reading the
    /// records.
    ///
    /// # Errors
    /// Returns an error if the store fails.
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

    /// Reads the names of entities.
    ///
    /// # Errors
    /// Returns an error if the store fails or an entity can't be decoded.
    pub async fn names_of(&self, ids: &[EntityId]) -> Result<HashMap<EntityId, String>> {
        Ok(self.entities(ids).await?.into_iter().map(|entity| (entity.id, entity.name)).collect())
    }
}
