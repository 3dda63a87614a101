//! Builds graph records that refer to each other by ID from the extractions of chunks.

use std::{collections::BTreeMap, ops::Range};

use quiver_documents::{Chunk, Document, Triple};
use quiver_graph::{Entity, EntityId, Passage, PassageId, Relation, RelationId, Workspace, name};
use quiver_models::Lexical;

use crate::{
    extract::{Described, Extraction, Link, Mention, MentionKind},
    memory::Splits,
};

/// The predicate between an entity and its kind.
const IS_A: &str = "is a";

/// The records of one chunk, each with the source of its vectors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PassageRecords {
    pub(crate) passage: Passage,
    pub(crate) entities: BTreeMap<EntityId, (Entity, Source)>,
    pub(crate) relations: BTreeMap<RelationId, (Relation, Source)>,
}

/// The text from which a record's vectors are computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// A byte range of the embedded text, embedded in its context.
    Span(Range<usize>),
    /// A separate text.
    Text(String),
}

/// Returns the text to embed for a passage: its title, then its text.
pub(crate) fn embedded_text(title: Option<&str>, text: &str) -> String {
    match title {
        Some(title) => format!("{title}. {text}"),
        None => text.to_owned(),
    }
}

/// Builds the records of a chunk from its extraction and the triples that came with the document.
pub(crate) fn build_records(
    workspace: &Workspace,
    document: &Document,
    chunk: &Chunk,
    extraction: &Extraction,
    triples: &[&Triple],
    digest: String,
) -> PassageRecords {
    let title = chunk.title.as_deref();
    let offset = embedded_text(title, "").len();
    let mut records = PassageRecords {
        passage: Passage {
            id: PassageId::of_document(workspace, &document.key, title, &chunk.text),
            text: chunk.text.clone(),
            title: chunk.title.clone(),
            document: document.key.clone(),
            position: u64::from(chunk.position),
            ordinal: 0,
            speaker: None,
            session: None,
            time: document.time,
            subjects: Vec::new(),
            entities: Vec::new(),
            relations: Vec::new(),
            metadata: document.metadata.clone(),
            extraction_digest: digest,
            unsplit: None,
        },
        entities: BTreeMap::new(),
        relations: BTreeMap::new(),
    };
    for subject in &extraction.subjects {
        let source = match title.and_then(|title| title.find(&subject.name)) {
            Some(start) => Source::Span(start..start + subject.name.len()),
            None => Source::Text(subject.name.clone()),
        };
        let id = records.entity(workspace, &subject.name, None, source);
        push(&mut records.passage.subjects, id);
    }
    for mention in &extraction.mentions {
        let source = Source::Span(offset + mention.range.start..offset + mention.range.end);
        records.entity(workspace, &mention.name, kind(mention.kind), source);
    }
    for described in &extraction.described {
        records.describe(workspace, chunk, offset, described, &extraction.mentions);
    }
    for link in &extraction.relations {
        let kinds = |name: &str| {
            extraction.mentions.iter().find(|mention| mention.name == name).and_then(|m| kind(m.kind))
        };
        records.link(workspace, chunk, offset, link, kinds);
    }
    for triple in triples {
        let link = Link {
            subject: triple.subject.clone(),
            predicate: triple.predicate.clone(),
            object: triple.object.clone(),
            ..Link::default()
        };
        records.link(workspace, chunk, offset, &link, |_| None);
    }
    records
}

impl PassageRecords {
    /// Replaces references to split entities with what the names mean.
    pub(crate) fn follow(&mut self, workspace: &Workspace, lexical: &Lexical, splits: &Splits) {
        if splits.is_empty() {
            return;
        }
        let known = self.relations.iter().map(|(id, (relation, _))| (*id, relation.clone())).collect();
        let relinked = splits.relink(workspace, lexical, &mut self.passage, &known);
        let (Some(relinked), Some(before)) = (relinked, &self.passage.unsplit) else { return };
        self.entities.retain(|id, _| !before.meant.contains_key(id));
        for entity in relinked.entities {
            let source = Source::Text(entity.name.clone());
            self.entities.insert(entity.id, (entity, source));
        }
        let relations = std::mem::take(&mut self.relations);
        for (id, relation) in relinked.relations {
            let source = relations[&id].1.clone();
            self.relations.entry(relation.id).or_insert((relation, source));
        }
    }

    fn entity(&mut self, workspace: &Workspace, name: &str, kind: Option<&str>, source: Source) -> EntityId {
        let entity = Entity::named(workspace, kind, name);
        let id = entity.id;
        self.entities.entry(id).or_insert((entity, source));
        push(&mut self.passage.entities, id);
        id
    }

    fn link<'a>(
        &mut self,
        workspace: &Workspace,
        chunk: &Chunk,
        offset: usize,
        link: &Link,
        kind_of: impl Fn(&str) -> Option<&'a str>,
    ) {
        let is_blank = |name: &str| name::normalise(name).is_empty();
        if [&link.subject, &link.predicate, &link.object].into_iter().any(|part| is_blank(part)) {
            return;
        }
        let end = |name: &str| Source::Text(name.to_owned());
        let subject = self.entity(workspace, &link.subject, kind_of(&link.subject), end(&link.subject));
        let object = self.entity(workspace, &link.object, kind_of(&link.object), end(&link.object));
        let sentence = link.sentence.and_then(|index| chunk.sentences.get(index as usize));
        let (text, source) = match sentence {
            Some(range) => (
                chunk.text[range.clone()].trim().to_owned(),
                Source::Span(offset + range.start..offset + range.end),
            ),
            None => {
                let text = format!("{} {} {}", link.subject, link.predicate, link.object);
                (text.clone(), Source::Text(text))
            }
        };
        let Link { valid_from, valid_to, .. } = *link;
        let relation = Relation {
            id: RelationId::of(workspace, subject, &link.predicate, object, valid_from),
            valid_from,
            valid_to,
            ..Relation::between(workspace, subject, &link.predicate, object, text)
        };
        push(&mut self.passage.relations, relation.id);
        self.relations.entry(relation.id).or_insert((relation, source));
    }

    /// Adds an entity's description. Its kind becomes a relation that this passage supports, not a field of the
    /// entity, so that other passages can add kinds no matter which wrote the entity first.
    fn describe(
        &mut self,
        workspace: &Workspace,
        chunk: &Chunk,
        offset: usize,
        described: &Described,
        mentions: &[Mention],
    ) {
        let Described { name, kind: sort, description, same_as } = described;
        if name::normalise(name).is_empty() {
            return;
        }
        let known = mentions.iter().find(|mention| mention.name == *name).and_then(|m| kind(m.kind));
        let source = match chunk.text.find(name) {
            Some(start) => Source::Span(offset + start..offset + start + name.len()),
            None => Source::Text(name.clone()),
        };
        let id = self.entity(workspace, name, known, source);
        if let (Some((entity, _)), Some(description)) = (self.entities.get_mut(&id), description) {
            entity.description.get_or_insert_with(|| description.clone());
        }
        // If a passage is about an entity, it is also about that entity's other proper names, but not about common
        // nouns.
        if let Some(same) = same_as {
            let same_id = EntityId::of_name(workspace, None, same);
            let (is_subject, same_is) =
                (self.passage.subjects.contains(&id), self.passage.subjects.contains(&same_id));
            if same_is && is_written_as_name(name) {
                push(&mut self.passage.subjects, id);
            } else if is_subject && is_written_as_name(same) {
                push(&mut self.passage.subjects, same_id);
            }
        }
        let Some(sort) = sort.as_ref().filter(|sort| !name::normalise(sort).is_empty()) else { return };
        let sort_entity = Entity::named(workspace, None, sort.as_str());
        let text = match description {
            Some(description) => format!("{name}: {description}"),
            None => format!("{name} {IS_A} {sort}"),
        };
        let relation = Relation::between(workspace, id, IS_A, sort_entity.id, text.clone());
        self.entities.entry(sort_entity.id).or_insert((sort_entity, Source::Text(sort.clone())));
        push(&mut self.passage.relations, relation.id);
        self.relations.entry(relation.id).or_insert((relation, Source::Text(text)));
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Whether a name does not begin with a lower-case letter, or is in a script without case.
fn is_written_as_name(name: &str) -> bool {
    name.chars().find(|character| character.is_alphanumeric()).is_some_and(|first| !first.is_lowercase())
}

/// Dates and quantities get their own kinds. All other names have no kind, so that a title and a mention of the same
/// name get the same ID.
fn kind(kind: MentionKind) -> Option<&'static str> {
    match kind {
        MentionKind::Date => Some("date"),
        MentionKind::Quantity => Some("quantity"),
        _ => None,
    }
}

/// Assigns each triple of a document to a chunk: the first that names both ends, else the first that names one of
/// them, else the first.
pub(crate) fn assign_triples<'a>(chunks: &[Chunk], triples: &'a [Triple]) -> Vec<Vec<&'a Triple>> {
    let mut dealt = vec![Vec::new(); chunks.len()];
    if triples.is_empty() || chunks.is_empty() {
        return dealt;
    }
    if let [only] = dealt.as_mut_slice() {
        only.extend(triples);
        return dealt;
    }
    let folded: Vec<String> = chunks.iter().map(|chunk| name::normalise(&chunk.text)).collect();
    for triple in triples {
        let (subject, object) = (name::normalise(&triple.subject), name::normalise(&triple.object));
        let names = |text: &String| (text.contains(&subject), text.contains(&object));
        let chunk = folded
            .iter()
            .position(|text| names(text) == (true, true))
            .or_else(|| folded.iter().position(|text| names(text) != (false, false)))
            .unwrap_or(0);
        dealt[chunk].push(triple);
    }
    dealt
}
