//! A fact as the memory handles it: the relation, the names of its ends, and its analysed words.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, PoisonError},
};

use quiver_graph::{Relation, RelationId};
use quiver_language::{
    change::{self, Change},
    predicate::{self, Predicate},
    word::{is_adjective, is_verb, verbs},
};
use quiver_memory::relation::{RelationKey, key};
use quiver_models::Lexical;
use quiver_store::Payload;
use serde_json::Value;

use super::{
    end::End,
    related::groups,
    shape::Shape,
    words::{Word, spoken, words},
};

/// Turns with a number above this were not numbered by the caller and are ordered by time.
pub(crate) const NUMBERED_MAX: u64 = 1 << 32;

/// Maximum number of facts whose words a process caches.
const REMEMBERED_MAX: usize = 16_384;

/// The keys of a relation's properties.
pub(crate) mod property {
    pub(crate) const SUBJECT: &str = "subject";
    pub(crate) const OBJECT: &str = "object";
    pub(crate) const SPEAKER: &str = "speaker";
    pub(crate) const SESSION: &str = "session";
    pub(crate) const TURN: &str = "turn";
    pub(crate) const DENIED: &str = "denied";
    pub(crate) const CHANGE: &str = "change";
    pub(crate) const FOUND: &str = "found";
    /// The language model that read the fact.
    pub(crate) const READER: &str = "reader";
    pub(crate) const CLAUSE: &str = "clause";
    pub(crate) const UNDONE: &str = "undone";
    /// The texts of a split.
    pub(crate) const TEXTS: &str = "texts";
    /// The names of the ends of a fact before a split.
    pub(crate) const SUBJECT_SAID: &str = "subject_said";
    pub(crate) const OBJECT_SAID: &str = "object_said";
    /// What was suggested, in a suggestion that was left, and the entities.
    pub(crate) const SUGGESTED: &str = "suggested";
    pub(crate) const SUBJECT_ID: &str = "subject_id";
    pub(crate) const OBJECT_ID: &str = "object_id";
}

/// The predicate of a merge.
pub(crate) const SAME_AS: &str = "same as";
/// The predicate of a rename.
pub(crate) const RENAMED_TO: &str = "renamed to";
/// The predicate of a deletion.
pub(crate) const DELETED: &str = "deleted";
/// The predicate of a split.
pub(crate) const SPLIT_INTO: &str = "split into";
/// The predicate of a suggestion that was left.
pub(crate) const LEFT: &str = "left apart from";
/// The predicates of all decisions about entities.
pub(crate) const DECISIONS: [&str; 5] = [SAME_AS, RENAMED_TO, DELETED, SPLIT_INTO, LEFT];

/// A relation with its analysed words.
#[derive(Clone, Debug)]
pub(crate) struct MemoryFact {
    pub(crate) relation: Relation,
    pub(crate) words: Arc<FactWords>,
}

/// The words of a fact, analysed once per process.
#[derive(Clone, Debug)]
pub(crate) struct FactWords {
    pub(crate) subject: Vec<Word>,
    pub(crate) predicate: Vec<Word>,
    pub(crate) object: Vec<Word>,
    /// The sentence the fact was read from and its speaker, without stop words.
    pub(crate) text: Vec<Word>,
    /// The part of the sentence that states the fact, including stop words.
    pub(crate) clause: Vec<Word>,
    /// A hash of session, turn and `valid_from`.
    pub(crate) turn: u64,
    /// The ends as nodes. Spellings of the same name have the same node.
    pub(crate) subject_node: u64,
    pub(crate) object_node: u64,
    /// The ends without the common nouns before a name: the nodes that statements are grouped by.
    pub(crate) subject_bare: u64,
    pub(crate) object_bare: u64,
    /// Short forms of the ends, if they differ: the name without common nouns, or the noun alone.
    pub(crate) subject_short: Option<u64>,
    pub(crate) object_short: Option<u64>,
    /// The ends without their first word, if they have two words written like names or at least three that are not:
    /// "Customer Acme" may be called Acme, and a "cheap paper lamp" a paper lamp.
    pub(crate) subject_last: Option<u64>,
    pub(crate) object_last: Option<u64>,
    /// The entities that the sentence may mention: names, and sequences of up to three words.
    pub(crate) mentioned: Vec<u64>,
    /// The groups of related words that the predicate belongs to, as bits.
    pub(crate) related: u64,
    /// The predicate, ignoring spelling.
    pub(crate) slot: u64,
    /// The relation, ignoring voice.
    pub(crate) relation: RelationKey,
}

impl MemoryFact {
    fn property(&self, key: &str) -> Option<&str> {
        self.relation.properties.get(key).and_then(Value::as_str)
    }

    fn flag(&self, key: &str) -> bool {
        self.relation.properties.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// The subject's name, as stated.
    pub(crate) fn subject(&self) -> &str {
        self.property(property::SUBJECT).unwrap_or_default()
    }

    /// The object's name, as stated.
    pub(crate) fn object(&self) -> &str {
        self.property(property::OBJECT).unwrap_or_default()
    }

    /// The name of an end, as stated.
    pub(crate) fn name_at(&self, end: End) -> &str {
        match end {
            End::Subject => self.subject(),
            End::Object => self.object(),
        }
    }

    /// Whether an end is who does what the fact says: "printed by Bo".
    pub(crate) fn is_done_by(&self, end: End) -> bool {
        end == End::Object && self.words.predicate.last().is_some_and(|word| &*word.lower == "by")
    }

    /// The words that state the fact: the clause, or else the sentence.
    pub(crate) fn clause(&self) -> &str {
        self.property(property::CLAUSE).unwrap_or(&self.relation.text)
    }

    /// The speaker.
    pub(crate) fn speaker(&self) -> Option<&str> {
        self.property(property::SPEAKER)
    }

    /// The session.
    pub(crate) fn session(&self) -> Option<&str> {
        self.property(property::SESSION)
    }

    /// The number of the turn.
    pub(crate) fn turn(&self) -> Option<u64> {
        self.relation.properties.get(property::TURN).and_then(Value::as_u64)
    }

    /// Whether the fact is a denial.
    pub(crate) fn is_denied(&self) -> bool {
        self.flag(property::DENIED)
    }

    /// The word that marks the value as superseding earlier ones.
    pub(crate) fn change(&self) -> Option<&str> {
        self.property(property::CHANGE)
    }

    /// The agent and the patient of the relation, ignoring voice.
    pub(crate) fn roles(&self) -> (u64, u64) {
        let (subject, object) = (self.words.subject_bare, self.words.object_bare);
        if self.words.relation.inverted { (object, subject) } else { (subject, object) }
    }

    /// Whether the fact was read from text, rather than given by the caller.
    pub(crate) fn is_found(&self) -> bool {
        self.flag(property::FOUND)
    }

    /// The language model that read the fact.
    pub(crate) fn reader(&self) -> Option<&str> {
        self.property(property::READER)
    }

    /// Whether its decision was undone.
    pub(crate) fn is_undone(&self) -> bool {
        self.flag(property::UNDONE)
    }

    /// Whether the fact equates two names or identifies somebody or something by name.
    pub(crate) fn is_alias(&self) -> bool {
        let predicate = self.relation.predicate.to_lowercase();
        predicate::says(&predicate, Predicate::Alias)
            || (matches!(predicate.as_str(), "is" | "are" | "was") && Shape::of(self.object()) == Shape::Name)
    }

    /// Whether two facts are about one thing, and not only about things whose names have a word in common.
    pub(crate) fn shares_thing(&self, other: &Self) -> bool {
        let nodes = |fact: &Self| {
            let FactWords { subject_node, object_node, subject_bare, object_bare, .. } = *fact.words;
            [subject_node, object_node, subject_bare, object_bare]
        };
        let ids = |fact: &Self| [fact.relation.subject, fact.relation.object];
        ids(self).iter().any(|id| ids(other).contains(id))
            || nodes(self).iter().any(|node| nodes(other).contains(node))
    }

    /// Whether the fact is a past event that was read from text and changes nothing: "bought", "lost".
    pub(crate) fn is_read_event(&self) -> bool {
        let verb = self.relation.predicate.split(' ').next().unwrap_or_default();
        let is_auxiliary = matches!(verb, "is" | "are" | "was" | "were" | "has" | "have" | "had");
        let is_inflected = is_verb(verb) && verbs(verb).all(|base| base != verb);
        let is_past = is_inflected && !verb.ends_with('s') && !verb.ends_with("ing");
        self.is_found() && !is_auxiliary && is_past && self.change().is_none()
    }

    /// Whether the fact says that its subject is cancelled.
    pub(crate) fn is_cancellation(&self) -> bool {
        let words = self.words.predicate.iter().chain(&self.words.object);
        !self.is_denied() && words.into_iter().any(|word| change::says(&word.lower, Change::Cancelling))
    }

    /// Whether the fact states the subject's state by a single adjective or participle: "is resolved".
    pub(crate) fn is_state(&self) -> bool {
        let words = &self.words;
        self.is_found()
            && matches!(words.predicate.as_slice(), [is] if matches!(&*is.lower, "is" | "are" | "be"))
            && words.object.len() == 1
            && Shape::of(self.object()) == Shape::Plain
    }

    /// Whether the fact is a decision that two names refer to one entity: a merge or a rename.
    pub(crate) fn is_merge(&self) -> bool {
        let is_rename =
            self.relation.predicate == RENAMED_TO && self.relation.subject == self.relation.object;
        is_rename || self.relation.predicate == SAME_AS
    }

    /// Whether the fact is a decision that one entity is really two.
    pub(crate) fn is_split(&self) -> bool {
        self.relation.predicate == SPLIT_INTO && self.relation.properties.contains_key(property::TEXTS)
    }

    /// The order of statements: by `valid_from`, then by recording time, then by the number that the caller gave the
    /// turn. Of statements made at the same time, one that changes something is later; then they are ordered by id.
    pub(crate) fn order(&self) -> (Option<i64>, Option<i64>, Option<u64>, bool, RelationId) {
        let number = self.turn().filter(|number| *number < NUMBERED_MAX);
        let changes = self.change().is_some() || self.is_denied();
        (self.relation.valid_from, self.relation.recorded_at, number, changes, self.relation.id)
    }
}

impl FactWords {
    /// The words of an end.
    pub(crate) fn at(&self, end: End) -> &[Word] {
        match end {
            End::Subject => &self.subject,
            End::Object => &self.object,
        }
    }

    fn of(lexical: &Lexical, relation: &Relation) -> Self {
        let property = |key: &str| relation.properties.get(key).and_then(Value::as_str).unwrap_or_default();
        let subject = words(lexical, property(property::SUBJECT));
        let object = words(lexical, property(property::OBJECT));
        let predicate = words(lexical, &spoken(&relation.predicate));
        let mut text = words(lexical, &relation.text);
        text.extend(words(lexical, property(property::SPEAKER)));
        text.retain(|word| !word.is_stop);
        let mentioned = mentioned(&text);
        let clause = match property(property::CLAUSE) {
            "" => words(lexical, &relation.text),
            clause => words(lexical, clause),
        };
        let turn = relation.properties.get(property::TURN).and_then(Value::as_u64).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        (property(property::SESSION), turn, relation.valid_from).hash(&mut hasher);
        let turn = hasher.finish();
        let (subject_node, object_node) = (node(&subject), node(&object));
        let slot = slot(&predicate);
        // "It has a bug": the object carries the meaning, not "has".
        let has = matches!(predicate.as_slice(), [has] if matches!(&*has.lower, "has" | "have"));
        let says = if has { &object } else { &predicate };
        let related = says.iter().map(|word| groups(&word.lower)).fold(0, |all, groups| all | groups);
        let (subject_bare, object_bare) = (bare(&subject), bare(&object));
        let (subject_short, object_short) = (short(&subject, subject_node), short(&object, object_node));
        let names =
            |name: &[Word]| -> Vec<Word> { name.iter().filter(|word| !word.is_stop).cloned().collect() };
        let (subject_names, object_names) = (names(&subject), names(&object));
        Self {
            subject,
            predicate,
            object,
            text,
            clause,
            turn,
            subject_node,
            object_node,
            subject_bare,
            object_bare,
            subject_short,
            object_short,
            subject_last: without_first(&subject_names),
            object_last: without_first(&object_names),
            mentioned,
            related,
            slot,
            relation: key(&relation.predicate),
        }
    }
}

/// The node of a name, ignoring spelling: its stems, without stop words.
pub(crate) fn node(name: &[Word]) -> u64 {
    let stems: Vec<u32> = name.iter().filter(|word| !word.is_stop).map(|word| word.stem).collect();
    if stems.is_empty() { digest(name.iter().map(|word| word.stem)) } else { digest(stems) }
}

/// The node of a name without the common nouns before it: "node alpha-1" is alpha-1, "test cluster Delta" is
/// Delta. A number alone is not a name: "room 4" stays as it is. So does "the old Toyota", which is one of several.
pub(crate) fn bare(name: &[Word]) -> u64 {
    let proper = name.iter().rev().take_while(|word| word.is_name).count();
    let first = name.iter().position(|word| word.is_name).unwrap_or(0);
    let of = name.iter().any(|word| word.is_stop);
    let from = if proper > 0 && !of { name.len() - proper } else { first };
    let numbers = name[from..].iter().all(|word| word.lower.contains(|c: char| c.is_numeric()));
    let is_told_apart = name[..from].iter().any(|word| is_adjective(&word.lower));
    node(if numbers || is_told_apart { name } else { &name[from..] })
}

/// A name without its first word, if it has two words written like names or at least three that are not, as in "cheap
/// paper lamp".
fn without_first(name: &[Word]) -> Option<u64> {
    let (first, rest) = name.split_first()?;
    let plain = rest.len() > 1 && name.iter().all(|word| !word.is_name);
    let names = first.is_name && rest.first()?.is_name || plain;
    // The last part of "Team 4" and "ServerA" is not a name.
    let is_part =
        |word: &Word| word.lower.contains(|c: char| c.is_numeric()) || word.lower.chars().count() == 1;
    (names && !rest.iter().all(is_part)).then(|| digest(rest.iter().map(|word| word.stem)))
}

/// The word sequences of a text that may name entities: single words with a capital or digit, and sequences of two or
/// three words.
fn mentioned(text: &[Word]) -> Vec<u64> {
    const LONGEST: usize = 3;
    let runs = (1..=LONGEST).flat_map(|length| text.windows(length));
    let names = runs.filter(|run| {
        let letters = run.iter().any(|word| word.lower.contains(char::is_alphabetic));
        letters && (run.len() > 1 || run[0].is_name)
    });
    names.map(node).collect()
}

/// The short form of a name: its words with capitals and digits, or else its noun. "colour of Model 30" has the
/// noun "colour", "paper lamp" the noun "lamp".
fn short(name: &[Word], node: u64) -> Option<u64> {
    let names: Vec<&Word> = name.iter().filter(|word| word.is_name).collect();
    let numbers = names.iter().all(|word| word.lower.contains(|c: char| c.is_numeric()));
    let short = if names.is_empty() || numbers {
        // In "hum of the pump" and "rights for the pictures", the noun precedes the stop words.
        let noun = name.iter().skip_while(|word| word.is_stop).take_while(|word| !word.is_stop);
        digest([noun.last()?.stem])
    } else {
        digest(names.iter().map(|word| word.stem))
    };
    (short != node).then_some(short)
}

/// The slot of a predicate, ignoring spelling: its stems, without auxiliaries and articles unless nothing
/// else is left.
pub(crate) fn slot(predicate: &[Word]) -> u64 {
    let mut said: Vec<u32> = predicate
        .iter()
        .filter(|word| !predicate::says(&word.lower, Predicate::Unslotted))
        .map(|word| word.stem)
        .collect();
    if said.is_empty() {
        said = predicate.iter().map(|word| word.stem).collect();
    }
    digest(said)
}

/// FNV-1a, which is the same in every version and on every machine; declared cardinalities are stored under it.
fn digest(stems: impl IntoIterator<Item = u32>) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let bytes = stems.into_iter().flat_map(u32::to_le_bytes);
    bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// A cache of the analysed words of facts. They depend only on the fact's wording, which is part of the key.
#[derive(Debug, Default)]
pub(crate) struct Wordings(Mutex<HashMap<(RelationId, u64), Arc<FactWords>>>);

impl Wordings {
    /// Analyses a relation, or returns its cached words.
    pub(crate) fn get_or_analyse(&self, lexical: &Lexical, relation: Relation) -> MemoryFact {
        let mut hasher = DefaultHasher::new();
        relation.text.hash(&mut hasher);
        for key in [property::SUBJECT, property::OBJECT, property::SPEAKER, property::CLAUSE] {
            text(&relation.properties, key).hash(&mut hasher);
        }
        let key = (relation.id, hasher.finish());
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let words = known.unwrap_or_else(|| {
            let words = Arc::new(FactWords::of(lexical, &relation));
            let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if remembered.len() >= REMEMBERED_MAX {
                remembered.clear();
            }
            remembered.insert(key, Arc::clone(&words));
            words
        });
        MemoryFact { relation, words }
    }
}

fn text<'a>(properties: &'a Payload, key: &str) -> Option<&'a str> {
    properties.get(key).and_then(Value::as_str)
}
