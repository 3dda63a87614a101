//! The write path of the memory: `read → build_records → embed → apply`.

use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use quiver_graph::{
    Delta, Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId, name,
};
use quiver_language::MentionKind;
use quiver_memory::reader::{FactReader, ReadFact, TurnToRead};
use quiver_models::{Encoded, Encoder, Input, Lexical};
use quiver_store::{Payload, SparseVector, Vectors};
use serde_json::Value;

use crate::{
    Result,
    error::{Error, ErrorKind, In, Stage},
};

use super::{
    change::change,
    known::property,
    split::Splits,
    turn::{Fact, Remembered, Turn},
    words::{aliases, beginnings, words},
};

/// The session of turns without one.
const SESSION: &str = "default";

/// Maximum number of names indexed per turn.
const NAMES_MAX: usize = 12;

/// The parts of the engine needed to remember turns.
#[derive(Clone, Copy)]
pub(crate) struct Rememberer<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    pub(crate) reader: &'a dyn FactReader,
}

/// A turn with defaults filled in.
pub(crate) struct Said {
    pub(crate) session: String,
    pub(crate) number: u64,
    pub(crate) speaker: Option<String>,
    pub(crate) time: i64,
    pub(crate) text: String,
}

/// The records made from a turn.
struct TurnRecords {
    passage: Passage,
    entities: BTreeMap<EntityId, Entity>,
    relations: BTreeMap<RelationId, Relation>,
    facts: Vec<(RelationId, Fact)>,
}

impl Rememberer<'_> {
    /// Remembers turns in one write. Also returns the splits that were applied to their names.
    pub(crate) async fn remember(self, turns: Vec<Turn>) -> Result<(Vec<Remembered>, Splits)> {
        let turns = turns.into_iter().map(said).collect::<Result<Vec<_>>>()?;
        let mut read = self.read(&turns).await.into_iter();
        // Read after the turns, because a model may take seconds for them.
        let splits = Splits::read(self.graph).await.stage(Stage::Remember)?;
        let mut remembered = Vec::with_capacity(turns.len());
        let mut written = Delta::default();
        for (said, given) in turns {
            let found = given.is_none();
            let facts = given.unwrap_or_else(|| read.next().unwrap_or_default());
            let mut records = build_records(self.graph, self.encoder.analysis(), &said, facts, found);
            records.follow(self.graph, self.encoder.analysis(), &splits);
            remembered.push(Remembered {
                turn: records.passage.id,
                number: said.number,
                facts: records.facts.clone(),
                decisions: records.facts.iter().filter_map(|(_, fact)| decision(fact)).collect(),
            });
            let delta = self.embed(records).await?;
            written.entities.extend(delta.entities);
            written.relations.extend(delta.relations);
            written.passages.extend(delta.passages);
        }
        self.apply(written).await?;
        Ok((remembered, splits))
    }

    /// Reads facts from the turns that were given without any, in order.
    async fn read(self, turns: &[(Said, Option<Vec<Fact>>)]) -> Vec<Vec<Fact>> {
        let without = turns.iter().filter(|(_, facts)| facts.is_none());
        let texts: Vec<TurnToRead<'_>> = without
            .map(|(said, _)| TurnToRead {
                text: &said.text,
                speaker: said.speaker.as_deref(),
                time: said.time,
            })
            .collect();
        let read = self.reader.read(&texts).await;
        read.into_iter().map(|facts| facts.into_iter().map(Fact::from).collect()).collect()
    }

    async fn apply(self, delta: Delta) -> Result<()> {
        if !delta.passages.is_empty() {
            self.graph.apply(delta).await.stage(Stage::Remember)?;
        }
        Ok(())
    }

    /// Makes the vectors. A turn is indexed by its words, speaker and date; a fact by its own words, those of its
    /// sentence, and prefixes of long words.
    async fn embed(self, records: TurnRecords) -> Result<Delta> {
        let lexical = self.encoder.analysis();
        let TurnRecords { passage, entities, relations, .. } = records;
        let mut texts: Vec<String> = vec![quiver_memory::turns::index_text(&passage)];
        texts.extend(relations.values().map(relation_text));
        let said = texts.len();
        texts.extend(entities.values().map(|entity| entity.name.clone()));
        let inputs: Vec<Input<'_>> = texts.iter().map(|text| Input::new(text)).collect();
        let encoded = self.encoder.encode_documents(&inputs).await.stage(Stage::Remember)?;
        let mut vectors =
            encoded.into_iter().zip(&texts).enumerate().map(|(at, (encoded, text))| {
                vectors(lexical, encoded, (1..said).contains(&at).then_some(text))
            });
        let mut next = move || vectors.next().expect("as many vectors as texts");
        let passages = vec![Embedded { record: passage, vectors: next() }];
        let relations = relations.into_values().map(|record| Embedded { record, vectors: next() }).collect();
        let entities = entities.into_values().map(|record| Embedded { record, vectors: next() }).collect();
        Ok(Delta { entities, relations, passages })
    }
}

/// The text from which a fact's vectors are made.
pub(crate) fn relation_text(relation: &Relation) -> String {
    let property = |key: &str| relation.properties.get(key).and_then(Value::as_str).unwrap_or_default();
    format!(
        "{} {} {}. {} {}",
        property(property::SUBJECT),
        relation.predicate,
        property(property::OBJECT),
        relation.text,
        property(property::SPEAKER)
    )
}

/// The same text; `None` if the relation is not a fact of the memory.
pub(crate) fn text_of_fact(relation: &Relation) -> Option<String> {
    relation.properties.contains_key(property::SUBJECT).then(|| relation_text(relation))
}

/// The vectors of a record. With `said`, the sparse vector also contains prefixes of long words; without it, the
/// vectors are the encoder's, as for documents.
pub(crate) fn vectors(lexical: &Lexical, encoded: Encoded, said: Option<&str>) -> Vectors {
    let sparse = said.map_or_else(|| SparseVector::from_pairs(encoded.sparse), |text| sparse(lexical, text));
    Vectors { dense: encoded.dense, sparse }
}

/// The words of a text and the prefixes of long ones, each once: facts are short, so repetition carries no
/// information.
fn sparse(lexical: &Lexical, text: &str) -> SparseVector {
    let words = words(lexical, text);
    let mut weights: BTreeMap<u32, f32> =
        beginnings(lexical, &words).into_iter().map(|stem| (stem, 0.5)).collect();
    weights.extend(lexical.terms(text).into_iter().map(|term| (term.hash, 1.0)));
    weights.extend(words.iter().map(|word| (word.stem, 1.0)));
    SparseVector::from_pairs(weights)
}

/// Validates a turn and fills in defaults.
fn said(turn: Turn) -> Result<(Said, Option<Vec<Fact>>)> {
    let Turn { session, number, speaker, time, text, facts } = turn;
    if text.trim().is_empty() && facts.as_ref().is_none_or(Vec::is_empty) {
        return Err(Error::new(ErrorKind::Invalid, Stage::Remember, "a turn has neither text nor facts"));
    }
    let session = if session.trim().is_empty() { SESSION.to_owned() } else { session };
    if let Some(fact) = facts.iter().flatten().find_map(incomplete) {
        let what = format!("session {session:?}: {fact}; a fact needs a subject, a predicate and an object");
        return Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
    }
    let number = number.unwrap_or_else(|| number_of(speaker.as_deref(), time, &text));
    let time = time.unwrap_or_else(now);
    Ok((Said { session, number, speaker, time, text }, facts))
}

/// Describes the missing part of a given fact, if one is missing.
fn incomplete(fact: &Fact) -> Option<String> {
    let Fact { subject, predicate, object, .. } = fact;
    let parts = [("subject", subject), ("predicate", predicate), ("object", object)];
    let (lacking, _) = parts.into_iter().find(|(_, part)| name::normalise(part).is_empty())?;
    Some(format!("the fact “{subject} | {predicate} | {object}” has no {lacking}"))
}

/// The current time in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Derives a number from the content of a turn that has none. It is below 2^53, so that every JSON parser preserves
/// it.
pub(crate) fn number_of(speaker: Option<&str>, time: Option<i64>, text: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(speaker.unwrap_or_default().as_bytes()).update(&[0xff]);
    hasher.update(&time.unwrap_or_default().to_le_bytes()).update(text.as_bytes());
    let digest: [u8; 8] = hasher.finalize().as_bytes()[..8].try_into().expect("a digest has 32 bytes");
    u64::from_le_bytes(digest) >> 11
}

/// Makes the records of a turn and its facts.
fn build_records(
    graph: &Graph,
    lexical: &Lexical,
    said: &Said,
    facts: Vec<Fact>,
    found: bool,
) -> TurnRecords {
    let workspace = graph.workspace();
    let mut records = TurnRecords {
        passage: Passage {
            id: PassageId::of_turn(workspace, &said.session, said.number),
            text: said.text.clone(),
            title: None,
            document: said.session.clone(),
            position: said.number,
            speaker: said.speaker.clone(),
            session: Some(said.session.clone()),
            time: Some(said.time),
            subjects: Vec::new(),
            entities: Vec::new(),
            relations: Vec::new(),
            metadata: Payload::new(),
            extraction_digest: if found { "memory: found".to_owned() } else { "memory: given".to_owned() },
            unsplit: None,
        },
        entities: BTreeMap::new(),
        relations: BTreeMap::new(),
        facts: Vec::new(),
    };
    if found {
        // A turn is indexed by the names in it, and a later "it" may refer to one, even if no fact mentions it.
        let names = quiver_language::mentions(&said.text);
        let names = names.into_iter().filter(|mention| mention.kind == MentionKind::Name).take(NAMES_MAX);
        for mention in names {
            records.entity(graph, lexical, &mention.name);
        }
    }
    for fact in facts {
        let blank = |part: &str| name::normalise(part).is_empty();
        if blank(&fact.subject) || blank(&fact.predicate) || blank(&fact.object) {
            continue;
        }
        let fact = if found { fact } else { with_change(fact, &said.text) };
        let subject = records.entity(graph, lexical, &fact.subject);
        let object = records.entity(graph, lexical, &fact.object);
        push(&mut records.passage.subjects, subject);
        let valid_from = fact.valid_from.unwrap_or(said.time);
        let relation = Relation {
            id: RelationId::of(workspace, subject, &fact.predicate, object, Some(valid_from)),
            key: None,
            subject,
            predicate: fact.predicate.clone(),
            object,
            text: fact.sentence.clone().unwrap_or_else(|| said.text.clone()),
            properties: properties(said, &fact, found),
            valid_from: Some(valid_from),
            valid_to: fact.valid_to,
            recorded_at: Some(said.time),
            confidence: if found { 0.7 } else { 1.0 },
            pinned: false,
        };
        push(&mut records.passage.relations, relation.id);
        records.facts.push((relation.id, fact));
        records.relations.entry(relation.id).or_insert(relation);
    }
    records
}

/// Sets the word of change of a given fact from the text of its turn.
fn with_change(mut fact: Fact, text: &str) -> Fact {
    if fact.change.is_none() && !fact.denied {
        fact.change = change(text);
    }
    fact
}

impl From<ReadFact> for Fact {
    fn from(read: ReadFact) -> Self {
        let ReadFact { subject, predicate, object, sentence, valid_from, valid_to, denied, change } = read;
        let sentence = Some(sentence);
        Self { subject, predicate, object, valid_from, valid_to, denied, change, sentence, clause: None }
    }
}

impl TurnRecords {
    /// Applies splits: names refer to the entities that the splits assign.
    fn follow(&mut self, graph: &Graph, lexical: &Lexical, splits: &Splits) {
        let relinked = splits.relink(graph.workspace(), lexical, &mut self.passage, &self.relations);
        let (Some(relinked), Some(before)) = (relinked, &self.passage.unsplit) else { return };
        self.entities.retain(|id, _| !before.meant.contains_key(id));
        self.entities.extend(relinked.entities.into_iter().map(|entity| (entity.id, entity)));
        let name = |relation: &Relation, key: &str| {
            relation.properties.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        for (id, fact) in &mut self.facts {
            if let Some((_, relation)) = relinked.relations.iter().find(|(before, _)| before == id) {
                *id = relation.id;
                fact.subject = name(relation, property::SUBJECT);
                fact.object = name(relation, property::OBJECT);
            }
        }
        self.relations = relinked.relations.into_iter().map(|(_, one)| (one.id, one)).collect();
    }

    fn entity(&mut self, graph: &Graph, lexical: &Lexical, name: &str) -> EntityId {
        let mut entity = Entity::named(graph.workspace(), None, name);
        entity.aliases = aliases(lexical, name);
        let id = entity.id;
        self.entities.entry(id).or_insert(entity);
        push(&mut self.passage.entities, id);
        id
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn properties(said: &Said, fact: &Fact, found: bool) -> Payload {
    let mut properties = Payload::new();
    let mut set = |key: &str, value: Value| properties.insert(key.to_owned(), value);
    set(property::SUBJECT, fact.subject.clone().into());
    set(property::OBJECT, fact.object.clone().into());
    set(property::SESSION, said.session.clone().into());
    set(property::TURN, said.number.into());
    if let Some(speaker) = &said.speaker {
        set(property::SPEAKER, speaker.clone().into());
    }
    if let Some(change) = &fact.change {
        set(property::CHANGE, change.clone().into());
    }
    if let Some(clause) = &fact.clause {
        set(property::CLAUSE, clause.clone().into());
    }
    if fact.denied {
        set(property::DENIED, true.into());
    }
    if found {
        set(property::FOUND, true.into());
    }
    properties
}

fn decision(fact: &Fact) -> Option<String> {
    let line = format!("{} {} {}", fact.subject, fact.predicate, fact.object);
    match (&fact.change, fact.denied) {
        (_, true) => Some(format!("denies: {line}")),
        (Some(word), false) => Some(format!("replaces earlier values, by “{word}”: {line}")),
        (None, false) => None,
    }
}
