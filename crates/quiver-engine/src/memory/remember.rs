//! The write path of the memory: `read → build_records → embed → apply`.

use std::collections::{BTreeMap, BTreeSet};

use quiver_graph::{
    Delta, Embedded, Entity, EntityId, Graph, Passage, PassageId, Relation, RelationId, conversation,
    filters, name,
};
use quiver_language::MentionKind;
use quiver_memory::reader::{EarlierTurn, FactReader, ReadFact, ReadFailure, TurnToRead, join};
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
    turn::{Fact, Remembered, Turn, is_archived, now},
    words::{aliases, beginnings, words},
};

/// The session of turns without one.
const SESSION: &str = "default";

/// Number of characters of a turn that an error shows.
const TEXT_SHOWN: usize = 60;

/// Maximum number of names indexed per turn.
const NAMES_MAX: usize = 12;

/// The digest of turns whose facts were given.
const GIVEN: &str = "memory: given";
/// The digest of turns whose facts the fact reader read, and no language model.
const FOUND: &str = "memory: found";

/// The parts of the engine needed to remember turns.
#[derive(Clone, Copy)]
pub(crate) struct Rememberer<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    pub(crate) reader: &'a dyn FactReader,
    /// The reader that adds to the facts once a turn is stored.
    pub(crate) model: Option<&'a dyn FactReader>,
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
    /// Stores turns in one write, with the facts that were given or that the fact reader reads. Also returns the splits
    /// that were applied to their names, and the turns that were written: those that the language model has already read
    /// stay as they are.
    pub(crate) async fn store(self, turns: Vec<Turn>) -> Result<(Vec<Remembered>, Splits, Vec<PassageId>)> {
        let turns = self.numbered(turns).await?.into_iter().map(said).collect::<Result<Vec<_>>>()?;
        let known = self.known(&turns).await?;
        let unknown = turns.iter().filter(|(said, _)| !known.contains_key(&said.id(self.graph)));
        let unread: Vec<&Said> = unknown.filter(|(_, facts)| facts.is_none()).map(|(said, _)| said).collect();
        let mut read = self.read(&unread).await.into_iter();
        // Read after the turns, because a reader may take seconds for them.
        let splits = Splits::read(self.graph).await.stage(Stage::Remember)?;
        let mut remembered = Vec::with_capacity(turns.len());
        let mut written = Delta::default();
        for (said, given) in turns {
            if let Some(known) = known.get(&said.id(self.graph)) {
                remembered.push(known.clone());
                continue;
            }
            let found = given.is_none();
            let facts = given.unwrap_or_else(|| facts_of(read.next().unwrap_or_default()));
            let digest = if found { FOUND } else { GIVEN };
            let mut records = build_records(self.graph, self.encoder.analysis(), &said, facts, digest);
            records.follow(self.graph, self.encoder.analysis(), &splits);
            remembered.push(records.remembered());
            let delta = self.embed(records).await?;
            written.entities.extend(delta.entities);
            written.relations.extend(delta.relations);
            written.passages.extend(delta.passages);
        }
        let ids = written.passages.iter().map(|passage| passage.record.id).collect();
        self.apply(written).await?;
        Ok((remembered, splits, ids))
    }

    /// Fails if a turn has the number of another one, stored or among these. The same turn without a time keeps its time.
    async fn numbered(self, mut turns: Vec<Turn>) -> Result<Vec<Turn>> {
        let id = |turn: &Turn| {
            Some(PassageId::of_turn(self.graph.workspace(), session_of(&turn.session), turn.number?))
        };
        let ids: BTreeSet<PassageId> = turns.iter().filter_map(id).collect();
        if ids.is_empty() {
            return Ok(turns);
        }
        let mut stored =
            self.graph.passages(&ids.into_iter().collect::<Vec<_>>()).await.stage(Stage::Remember)?;
        stored.retain(|turn| !is_archived(turn));
        let of_stored = |turn: Passage| (turn.id, (turn.text, turn.speaker, turn.time));
        let mut known: BTreeMap<_, _> = stored.into_iter().map(of_stored).collect();
        for turn in &mut turns {
            let Some(id) = id(turn) else { continue };
            let Some((text, speaker, time)) = known.get(&id) else {
                known.insert(id, (turn.text.clone(), turn.speaker.clone(), turn.time));
                continue;
            };
            turn.time = turn.time.or(*time);
            let other = if turn.text != *text {
                "text"
            } else if turn.speaker != *speaker {
                "speaker"
            } else if turn.time != *time {
                "time"
            } else {
                continue;
            };
            let (session, number) = (session_of(&turn.session), turn.number.unwrap_or_default());
            let begin: String = text.chars().take(TEXT_SHOWN).collect();
            let more = if begin.len() < text.len() { "…" } else { "" };
            let what = format!(
                "session {session:?} already has a turn {number} with another {other} (“{begin}{more}”); give another \
                 number, or forget that turn first"
            );
            return Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
        }
        Ok(turns)
    }

    /// Reads more facts from stored turns with the language model, and adds them to the turns and to what is known of
    /// them. Also returns the splits that were applied to their names, and the turns that were written.
    ///
    /// A turn that was changed or forgotten in the meantime stays as it is.
    pub(crate) async fn read_more(
        self,
        remembered: &mut [Remembered],
    ) -> Result<Option<(Splits, Vec<PassageId>)>> {
        let Some(model) = self.model else { return Ok(None) };
        let turns = self.unread(remembered).await?;
        if turns.is_empty() {
            return Ok(None);
        }
        let said: Vec<Said> = turns.iter().map(Said::of).collect();
        let said: Vec<&Said> = said.iter().collect();
        let before = self.before(&turns, model.turns_before()).await?;
        let before: Vec<Vec<EarlierTurn<'_>>> = before.iter().map(|turns| earlier(turns)).collect();
        let texts: Vec<TurnToRead<'_>> =
            said.iter().zip(&before).map(|(said, before)| TurnToRead { before, ..said.to_read() }).collect();
        let by_model = model.read(&texts).await;
        let by_rules = self.read(&said).await;
        let splits = Splits::read(self.graph).await.stage(Stage::Remember)?;
        let digest = self.digest(model);
        let mut written = Vec::new();
        for (((turn, said), by_rules), read) in turns.into_iter().zip(said).zip(by_rules).zip(by_model) {
            let Some(known) = remembered.iter_mut().find(|known| known.turn == turn.id) else { continue };
            known.dropped = read.dropped;
            if let Some(ReadFailure { why, is_final }) = read.failure {
                tracing::warn!(
                    session = said.session,
                    turn = said.number,
                    "a turn was read by rules alone: {why}"
                );
                known.unread = Some(why);
                if !is_final {
                    continue;
                }
            }
            let facts = facts_of(join(by_rules, read.facts));
            let mut records = build_records(self.graph, self.encoder.analysis(), said, facts, &digest);
            records.follow(self.graph, self.encoder.analysis(), &splits);
            let (facts, decisions) = records.stated();
            let delta = self.embed(records).await?;
            let id = turn.id;
            if self.graph.apply_if_unchanged(delta, &[turn], &[]).await.stage(Stage::Remember)? {
                (known.facts, known.decisions) = (facts, decisions);
                written.push(id);
            } else {
                known.unread = Some("the turn was changed or forgotten while it was read".to_owned());
            }
        }
        Ok(Some((splits, written)))
    }

    /// The digest of turns that the language model has read too.
    fn digest(self, model: &dyn FactReader) -> String {
        format!("{FOUND} by {}, {}", self.reader.fingerprint(), model.fingerprint())
    }

    /// Returns the turns that are stored as they are, with all facts of the readers. Without a language model, none are
    /// looked for: the rules read a turn in less time.
    async fn known(self, turns: &[(Said, Option<Vec<Fact>>)]) -> Result<BTreeMap<PassageId, Remembered>> {
        let Some(model) = self.model else { return Ok(BTreeMap::new()) };
        let digest = self.digest(model);
        let found = turns.iter().filter(|(_, facts)| facts.is_none());
        let found: BTreeMap<PassageId, &Said> = found.map(|(said, _)| (said.id(self.graph), said)).collect();
        let ids: Vec<PassageId> = found.keys().copied().collect();
        let mut stored = self.graph.passages(&ids).await.stage(Stage::Remember)?;
        stored.retain(|turn| turn.extraction_digest == digest && found[&turn.id].is(turn));
        let mut known = BTreeMap::new();
        for turn in stored {
            let relations = self.graph.relations(&turn.relations).await.stage(Stage::Remember)?;
            let facts: Vec<_> = relations.into_iter().map(|one| (one.id, Fact::of(&one))).collect();
            known.insert(turn.id, remembered(turn.id, turn.position, facts));
        }
        Ok(known)
    }

    /// Returns the stored turns among these that the language model is to read, by session, oldest first.
    async fn unread(self, remembered: &[Remembered]) -> Result<Vec<Passage>> {
        let ids: Vec<PassageId> = remembered.iter().map(|turn| turn.turn).collect();
        let mut turns = self.graph.passages(&ids).await.stage(Stage::Remember)?;
        turns.retain(|turn| {
            turn.extraction_digest == FOUND && !turn.text.trim().is_empty() && !is_archived(turn)
        });
        turns.sort_by(|one, other| (&one.session, one.time).cmp(&(&other.session, other.time)));
        turns.dedup_by_key(|turn| turn.id);
        Ok(turns)
    }

    /// Returns the turns said before each of these in its session, oldest first.
    async fn before(self, turns: &[Passage], limit: usize) -> Result<Vec<Vec<Passage>>> {
        let own: BTreeSet<PassageId> = turns.iter().map(|turn| turn.id).collect();
        let mut before = Vec::with_capacity(turns.len());
        for session in turns.chunk_by(|one, next| one.session == next.session) {
            let first = &session[0];
            let among = filters::of_session(first.session.as_deref().unwrap_or_default())
                .and(conversation::others())
                .and(filters::said(None, first.time));
            // Turns of these that were said in the same moment are found too.
            let mut told: Vec<Passage> =
                self.graph.latest(&among, limit + session.len()).await.stage(Stage::Remember)?;
            told.retain(|turn| !own.contains(&turn.id) && !is_archived(turn));
            told.truncate(limit);
            told.reverse();
            for turn in session {
                before.push(told[told.len().saturating_sub(limit)..].to_vec());
                told.push(turn.clone());
            }
        }
        Ok(before)
    }

    /// Reads facts from turns with the fact reader, in order.
    async fn read(self, turns: &[&Said]) -> Vec<Vec<ReadFact>> {
        let texts: Vec<TurnToRead<'_>> = turns.iter().map(|said| said.to_read()).collect();
        self.reader.read(&texts).await.into_iter().map(|read| read.facts).collect()
    }

    async fn apply(&self, delta: Delta) -> Result<()> {
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
    let session = session_of(&session).to_owned();
    if let Some(fact) = facts.iter().flatten().find_map(incomplete) {
        let what = format!("session {session:?}: {fact}; a fact needs a subject, a predicate and an object");
        return Err(Error::new(ErrorKind::Invalid, Stage::Remember, what));
    }
    let number = number.unwrap_or_else(|| number_of(speaker.as_deref(), time, &text));
    let time = time.unwrap_or_else(now);
    Ok((Said { session, number, speaker, time, text }, facts))
}

/// Returns the name of a session.
fn session_of(name: &str) -> &str {
    if name.trim().is_empty() { SESSION } else { name }
}

/// Describes the missing part of a given fact, if one is missing.
fn incomplete(fact: &Fact) -> Option<String> {
    let Fact { subject, predicate, object, .. } = fact;
    let parts = [("subject", subject), ("predicate", predicate), ("object", object)];
    let (lacking, _) = parts.into_iter().find(|(_, part)| name::normalise(part).is_empty())?;
    Some(format!("the fact “{subject} | {predicate} | {object}” has no {lacking}"))
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

/// Makes the records of a turn and its facts. The digest says where the facts are from.
fn build_records(
    graph: &Graph,
    lexical: &Lexical,
    said: &Said,
    facts: Vec<Fact>,
    digest: &str,
) -> TurnRecords {
    let workspace = graph.workspace();
    let found = digest != GIVEN;
    let mut records = TurnRecords {
        passage: Passage {
            id: said.id(graph),
            text: said.text.clone(),
            title: None,
            document: said.session.clone(),
            position: said.number,
            ordinal: 0,
            speaker: said.speaker.clone(),
            session: Some(said.session.clone()),
            time: Some(said.time),
            subjects: Vec::new(),
            entities: Vec::new(),
            relations: Vec::new(),
            metadata: Payload::new(),
            extraction_digest: digest.to_owned(),
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
        let ReadFact { subject, predicate, object, sentence, .. } = read;
        let ReadFact { valid_from, valid_to, denied, change, clause, reader, .. } = read;
        let sentence = Some(sentence);
        Self { subject, predicate, object, valid_from, valid_to, denied, change, sentence, clause, reader }
    }
}

pub(crate) fn facts_of(read: Vec<ReadFact>) -> Vec<Fact> {
    let facts = read.into_iter().map(Fact::from);
    // The rules know the words of change that their patterns contain; of a model's fact, only its quote is known.
    facts
        .map(|fact| match (&fact.reader, fact.clause.as_deref().or(fact.sentence.as_deref())) {
            (Some(_), Some(quote)) => {
                let quote = quote.to_owned();
                with_change(fact, &quote)
            }
            _ => fact,
        })
        .collect()
}

impl Fact {
    /// Restores a fact from its relation.
    fn of(relation: &Relation) -> Self {
        let text = |key: &str| relation.properties.get(key).and_then(Value::as_str).map(str::to_owned);
        Self {
            subject: text(property::SUBJECT).unwrap_or_default(),
            predicate: relation.predicate.clone(),
            object: text(property::OBJECT).unwrap_or_default(),
            // A fact whose sentence gives no start begins with its turn.
            valid_from: relation.valid_from.filter(|from| relation.recorded_at != Some(*from)),
            valid_to: relation.valid_to,
            denied: relation.properties.contains_key(property::DENIED),
            change: text(property::CHANGE),
            sentence: Some(relation.text.clone()),
            clause: text(property::CLAUSE),
            reader: text(property::READER),
        }
    }
}

impl Said {
    /// Restores what was said from a stored turn.
    fn of(turn: &Passage) -> Self {
        Self {
            session: turn.session.clone().unwrap_or_default(),
            number: turn.position,
            speaker: turn.speaker.clone(),
            time: turn.time.unwrap_or_default(),
            text: turn.text.clone(),
        }
    }

    fn id(&self, graph: &Graph) -> PassageId {
        PassageId::of_turn(graph.workspace(), &self.session, self.number)
    }

    /// Returns whether a stored turn says the same.
    fn is(&self, turn: &Passage) -> bool {
        (&turn.text, &turn.speaker, turn.time) == (&self.text, &self.speaker, Some(self.time))
    }

    fn to_read(&self) -> TurnToRead<'_> {
        let Self { session, speaker, time, text, .. } = self;
        TurnToRead { text, speaker: speaker.as_deref(), time: *time, session, ..TurnToRead::default() }
    }
}

fn earlier(turns: &[Passage]) -> Vec<EarlierTurn<'_>> {
    turns.iter().map(|turn| EarlierTurn { text: &turn.text, speaker: turn.speaker.as_deref() }).collect()
}

/// What is known of a turn from its facts.
fn remembered(turn: PassageId, number: u64, facts: Vec<(RelationId, Fact)>) -> Remembered {
    let decisions = facts.iter().filter_map(|(_, fact)| decision(fact)).collect();
    Remembered { turn, number, facts, decisions, dropped: Vec::new(), unread: None }
}

impl TurnRecords {
    /// The facts, and the decisions made for them.
    fn stated(&self) -> (Vec<(RelationId, Fact)>, Vec<String>) {
        let Remembered { facts, decisions, .. } = self.remembered();
        (facts, decisions)
    }

    fn remembered(&self) -> Remembered {
        remembered(self.passage.id, self.passage.position, self.facts.clone())
    }

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
        if let Some(reader) = &fact.reader {
            set(property::READER, reader.clone().into());
        }
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
