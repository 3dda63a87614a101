//! Extracts entities and relations from a batch of passages.

use quiver_graph::name::normalise;
use quiver_models::chat::{
    ChatReply, ChatRequest, Message,
    read::{Node, Problem, Read},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    evidence::{EVIDENCE_IS_DATA, PromptPassage, block, labels, unescape},
    grounds::{Grounds, numbers},
    parts::parts,
};

/// Maximum number of reply tokens per passage.
const TOKENS_PER_PASSAGE: usize = 900;

/// The allowed entity kinds and predicates. An empty list allows all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractionSchema {
    /// Entity kinds, such as `person` or `drug`.
    pub kinds: Vec<String>,
    /// Predicates, such as `works at` or `treats`.
    pub predicates: Vec<String>,
}

/// What was read from a reply, with what could not be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// One entry per passage, in order; `None` if the reply has nothing readable about it.
    pub passages: Vec<Option<ExtractedPassage>>,
    /// Deviations from the requested format, over all passages.
    pub problems: Vec<Problem>,
}

/// What a model extracted from one passage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtractedPassage {
    /// The entities.
    pub entities: Vec<ExtractedEntity>,
    /// The relations.
    pub relations: Vec<ExtractedRelation>,
    /// Descriptions of what was dropped: names that don't occur in the passage, and what does not fit the schema.
    pub dropped: Vec<String>,
}

/// An entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedEntity {
    /// The name, as it occurs in the passage.
    pub name: String,
    /// The kind, in the schema's spelling if there is a schema.
    pub kind: Option<String>,
    /// A description taken from the passage.
    pub description: Option<String>,
    /// Its other names in the passage.
    pub aliases: Vec<String>,
}

/// A relation between two names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedRelation {
    /// The subject.
    pub subject: String,
    /// The predicate, in the schema's spelling if there is a schema.
    pub predicate: String,
    /// The object.
    pub object: String,
    /// The start of its validity: a year, a month `2024-05`, or a day `2024-05-17`.
    pub from: Option<String>,
    /// The end of its validity.
    pub to: Option<String>,
}

/// Creates a request for the entities and relations of passages.
pub fn extract_request(passages: &[PromptPassage<'_>], schema: &ExtractionSchema) -> ChatRequest {
    let wanted = |what: &str, list: &[String]| match list {
        [] => String::new(),
        list => format!(" Use only these {what}, and leave out what fits none: {}.", list.join(", ")),
    };
    let instructions = format!(
        "You read entities and relations out of passages, each passage by itself. An entity has the name that the \
         passage gives it, a kind in one or two words, a description in a few words from the passage, and its other \
         names in the passage. A relation joins two names of entities by a short predicate; if the passage says since \
         when or until when it holds, give the date as YYYY, YYYY-MM or YYYY-MM-DD, else null. Copy names letter by \
         letter, translate nothing, and add nothing that the passage does not say.{}{} Reply with JSON: \
         {{\"passages\": [{{\"id\": \"P1\", \"entities\": [{{\"name\": \"\", \"kind\": \"\", \"description\": \"\", \
         \"aliases\": []}}], \"relations\": [{{\"subject\": \"\", \"predicate\": \"\", \"object\": \"\", \"from\": null, \
         \"to\": null}}]}}]}}.\n\n{EVIDENCE_IS_DATA}",
        wanted("kinds", &schema.kinds),
        wanted("predicates", &schema.predicates),
    );
    let tokens_max = u32::try_from(TOKENS_PER_PASSAGE * passages.len().max(1)).unwrap_or(u32::MAX);
    ChatRequest::new([Message::system(instructions), Message::user(block(passages))])
        .with_json("extraction", json_schema(&labels(passages.len()), schema))
        .with_tokens_max(tokens_max)
        .for_job("extract")
}

fn json_schema(labels: &[String], schema: &ExtractionSchema) -> Value {
    let text = json!({"type": "string"});
    let or_null = json!({"type": ["string", "null"]});
    let one_of = |list: &[String]| {
        if list.is_empty() { text.clone() } else { json!({"type": "string", "enum": list}) }
    };
    let object = |properties: Value| {
        let required: Vec<&String> = properties.as_object().into_iter().flat_map(|map| map.keys()).collect();
        json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
    };
    let list = |items: Value| json!({"type": "array", "items": items});
    let entity = object(json!({
        "name": text, "kind": one_of(&schema.kinds), "description": or_null, "aliases": list(text.clone()),
    }));
    let relation = object(json!({
        "subject": text, "predicate": one_of(&schema.predicates), "object": text, "from": or_null, "to": or_null,
    }));
    let passage = object(json!({
        "id": one_of(labels), "entities": list(entity), "relations": list(relation),
    }));
    object(json!({"passages": list(passage)}))
}

/// Reads what a model extracted from passages.
///
/// Names that don't occur in their passage are dropped, as are their relations, dates whose year does not occur
/// there, and everything that does not fit the schema. Each passage lists what was dropped. A passage that the reply
/// does not cover, or whose part is truncated, is `None`; the caller falls back to the rules.
pub fn read_extraction(
    reply: &ChatReply,
    passages: &[PromptPassage<'_>],
    schema: &ExtractionSchema,
) -> Extracted {
    let read = |position: usize, part: &Node<'_>| Reader::new(&passages[position], schema).read(part);
    let fields = ["entities", "relations"];
    let Read { value, problems } = parts(reply, "passages", &labels(passages.len()), &fields, read);
    Extracted { passages: value, problems }
}

/// Reads the part of a reply about one passage.
struct Reader<'a> {
    grounds: Grounds,
    schema: &'a ExtractionSchema,
    extracted: ExtractedPassage,
}

impl<'a> Reader<'a> {
    fn new(passage: &PromptPassage<'_>, schema: &'a ExtractionSchema) -> Self {
        let grounds = Grounds::new(passage.title.into_iter().chain([passage.text]));
        Self { grounds, schema, extracted: ExtractedPassage::default() }
    }

    fn read(mut self, part: &Node<'_>) -> ExtractedPassage {
        for entity in part.list("entities") {
            self.entity(&entity);
        }
        for relation in part.list("relations") {
            self.relation(&relation);
        }
        self.extracted
    }

    fn entity(&mut self, node: &Node<'_>) {
        let Some(name) = self.name(node.get("name").text()) else { return };
        let given = node.get("kind").text_if_any();
        let kind = given.as_ref().map(|kind| fitting(kind, &self.schema.kinds));
        if let Some(None) = kind {
            let kind = given.unwrap_or_default();
            self.drop_with(format!("{name} is of the kind {kind:?}, which the schema does not have"));
            return;
        }
        let names = node.get("aliases").items();
        let aliases: Vec<Option<String>> = names.iter().map(|alias| self.name(alias.text_if_any())).collect();
        let aliases =
            aliases.into_iter().flatten().filter(|alias| normalise(alias) != normalise(&name)).collect();
        let description = node.get("description").text_if_any().map(|text| unescape(&text));
        let is_known = |entity: &ExtractedEntity| normalise(&entity.name) == normalise(&name);
        if self.extracted.entities.iter().any(is_known) {
            return;
        }
        self.extracted.entities.push(ExtractedEntity { name, kind: kind.flatten(), description, aliases });
    }

    fn relation(&mut self, node: &Node<'_>) {
        let [subject, object] = ["subject", "object"].map(|key| node.get(key).text());
        let (Some(subject), Some(object)) = (self.name(subject), self.name(object)) else { return };
        let Some(predicate) = node.get("predicate").text() else { return };
        let Some(fitting) = fitting(&predicate, &self.schema.predicates) else {
            self.drop_with(format!("{subject} {predicate} {object}: the schema does not have the predicate"));
            return;
        };
        if normalise(&subject) == normalise(&object) {
            self.drop_with(format!("{subject} {predicate} {object}: both ends are the same"));
            return;
        }
        let [from, to] = ["from", "to"].map(|key| node.get(key).text_if_any());
        let (from, to) = (self.date(from), self.date(to));
        let relation = ExtractedRelation { subject, predicate: fitting, object, from, to };
        if !self.extracted.relations.contains(&relation) {
            self.extracted.relations.push(relation);
        }
    }

    /// Returns a name if it occurs in the passage.
    fn name(&mut self, name: Option<String>) -> Option<String> {
        let name = unescape(&name?);
        if self.grounds.says_name(&name) {
            return Some(name);
        }
        self.drop_with(format!("{name} does not stand in the passage"));
        None
    }

    /// Returns a date if its format is valid and its year occurs in the passage.
    fn date(&mut self, date: Option<String>) -> Option<String> {
        let date = date?;
        let parts: Vec<&str> = date.split('-').collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let is_date = matches!(lengths.as_slice(), [4] | [4, 2] | [4, 2, 2])
            && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        if is_date && numbers(parts[0]).all(|year| self.grounds.says_number(&year)) {
            return Some(date);
        }
        self.drop_with(format!("the date {date} does not stand in the passage"));
        None
    }

    fn drop_with(&mut self, line: String) {
        self.extracted.dropped.push(line);
    }
}

/// Returns a word in the schema's spelling; `None` if the schema does not contain it.
fn fitting(word: &str, list: &[String]) -> Option<String> {
    if list.is_empty() {
        return Some(unescape(word));
    }
    list.iter().find(|known| normalise(known) == normalise(word)).cloned()
}
