//! Exports the graph of documents and facts, now or at a past time, for other tools.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Write as _},
    io::Write,
};

use quiver_graph::{Entity, EntityId, Relation};
use quiver_memory::calendar::{DAY, in_digits, to_civil};
use quiver_store::Filter;
use serde_json::{Value, json};

use crate::{
    Quiver, Result,
    error::{Error, ErrorKind, In, Stage},
};

use super::{
    decide::{self, is_declaration},
    known::{MemoryFact, property},
    resolve::currently_valid,
    split::is_split,
    turn::{Restated, now},
};

/// The export format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphFormat {
    /// Cypher statements for Neo4j and others: idempotent `MERGE`s.
    #[default]
    Cypher,
    /// XML for graph editors.
    GraphMl,
    /// One JSON object per line.
    JsonLines,
}

/// Options for an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphExportOptions {
    /// The format.
    pub format: GraphFormat,
    /// Export the facts valid at this time, in milliseconds since 1970, instead of now. Relations without a date hold at
    /// all times.
    pub as_of: Option<i64>,
    /// Use only facts that were recorded by this time, in milliseconds since 1970, and no relations of documents, since
    /// these are not dated.
    pub known_at: Option<i64>,
}

/// What an export of the graph contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphExported {
    /// The number of entities.
    pub entities: usize,
    /// The number of relations.
    pub relations: usize,
}

/// The records to write.
struct ExportedGraph {
    entities: BTreeMap<EntityId, Entity>,
    relations: Vec<Relation>,
}

pub(super) async fn export_graph(
    quiver: &Quiver,
    options: &GraphExportOptions,
    writer: &mut (dyn Write + Send),
) -> Result<GraphExported> {
    let exported = collect(quiver, options).await?;
    let text = match options.format {
        GraphFormat::Cypher => cypher(&exported),
        GraphFormat::GraphMl => graph_ml(&exported),
        GraphFormat::JsonLines => json_lines(&exported),
    };
    writer.write_all(text.as_bytes()).and_then(|()| writer.flush()).map_err(|source| {
        Error::new(ErrorKind::Other, Stage::Administer, format!("the export can't be written: {source}"))
            .with_source(source)
    })?;
    Ok(GraphExported { entities: exported.entities.len(), relations: exported.relations.len() })
}

async fn collect(quiver: &Quiver, options: &GraphExportOptions) -> Result<ExportedGraph> {
    let graph = &quiver.graph;
    let lexical = quiver.encoder.analysis();
    let mut stated: Vec<Relation> = graph.all(&Filter::All(Vec::new())).await.stage(Stage::Administer)?;
    // What only relations that are left out are about is left out too.
    let mut left_out = ends(&stated);
    let begun = options.as_of.unwrap_or(i64::MAX);
    let is_known = |relation: &Relation| match options.known_at {
        Some(moment) => relation.recorded_at.is_some_and(|recorded| recorded <= moment),
        None => true,
    };
    // Splits are visible in the records that they changed.
    stated.retain(|relation| {
        relation.valid_from.is_none_or(|begin| begin <= begun) && is_known(relation) && !is_split(relation)
    });
    let (facts, others): (Vec<_>, Vec<_>) =
        stated.into_iter().partition(|relation| relation.properties.contains_key(property::SUBJECT));
    let known: Vec<MemoryFact> =
        facts.into_iter().map(|relation| quiver.wordings.get_or_analyse(lexical, relation)).collect();
    let declared = decide::declared(graph, &known).await.stage(Stage::Administer)?;
    let holds = currently_valid(&known, &declared, Restated::Adds, options.as_of.unwrap_or_else(now));
    let mut relations: Vec<Relation> =
        known.into_iter().zip(holds).filter(|(_, holds)| *holds).map(|(fact, _)| fact.relation).collect();
    relations.extend(others);
    relations.sort_by_key(|relation| relation.id);
    for end in ends(&relations) {
        left_out.remove(&end);
    }
    let all: Vec<Entity> = graph.all(&Filter::All(Vec::new())).await.stage(Stage::Administer)?;
    let is_shown = |entity: &Entity| !left_out.contains(&entity.id) && !is_declaration(entity);
    let shown = all.into_iter().filter(is_shown);
    let entities: BTreeMap<EntityId, Entity> = shown.map(|entity| (entity.id, entity)).collect();
    relations.retain(|relation| {
        entities.contains_key(&relation.subject) && entities.contains_key(&relation.object)
    });
    Ok(ExportedGraph { entities, relations })
}

/// The entities that relations are about.
fn ends(relations: &[Relation]) -> BTreeSet<EntityId> {
    relations.iter().flat_map(|relation| [relation.subject, relation.object]).collect()
}

fn cypher(exported: &ExportedGraph) -> String {
    let mut text =
        String::from("CREATE CONSTRAINT quiver_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE;\n");
    for (id, entity) in &exported.entities {
        let kind =
            entity.kind.as_deref().map(|kind| format!(", e.kind = {}", quoted(kind))).unwrap_or_default();
        add(
            &mut text,
            format_args!(
                "MERGE (e:Entity {{id: {}}}) SET e.name = {}{kind};\n",
                quoted(&id.to_string()),
                quoted(&entity.name)
            ),
        );
    }
    for relation in &exported.relations {
        let mut set =
            format!("r.predicate = {}, r.text = {}", quoted(&relation.predicate), quoted(&relation.text));
        for (key, moment) in moments(relation) {
            match date(moment) {
                Some(date) => add(&mut set, format_args!(", r.{key} = datetime({})", quoted(&date))),
                None => add(&mut set, format_args!(", r.{key} = datetime({{epochMillis: {moment}}})")),
            }
        }
        for key in [property::SPEAKER, property::SESSION, property::READER] {
            if let Some(value) = relation.properties.get(key).and_then(Value::as_str) {
                add(&mut set, format_args!(", r.{key} = {}", quoted(value)));
            }
        }
        add(
            &mut text,
            format_args!(
                "MATCH (s:Entity {{id: {}}}), (o:Entity {{id: {}}}) MERGE (s)-[r:{} {{id: {}}}]->(o) SET {set};\n",
                quoted(&relation.subject.to_string()),
                quoted(&relation.object.to_string()),
                relation_type(&relation.predicate),
                quoted(&relation.id.to_string()),
            ),
        );
    }
    text
}

/// A Cypher string literal.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for c in text.chars() {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '\'' => quoted.push_str("\\'"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => add(&mut quoted, format_args!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// A Cypher relationship type: `depends on` becomes `` `DEPENDS_ON` ``. Characters other than letters, digits and
/// underscores become underscores.
fn relation_type(predicate: &str) -> String {
    let name: String = predicate
        .to_uppercase()
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' })
        .collect();
    format!("`{name}`")
}

/// Appends to a string, which never fails.
fn add(text: &mut String, what: fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes all that is written to it");
}

fn moments(relation: &Relation) -> impl Iterator<Item = (&'static str, i64)> {
    let all = [
        ("valid_from", relation.valid_from),
        ("valid_to", relation.valid_to),
        ("recorded_at", relation.recorded_at),
    ];
    all.into_iter().filter_map(|(key, moment)| Some((key, moment?)))
}

/// A moment in ISO 8601; `None` beyond the years with four digits.
fn date(moment: i64) -> Option<String> {
    let (year, ..) = to_civil(moment);
    let rest = moment.rem_euclid(DAY);
    let (seconds, milliseconds) = (rest / 1000, rest % 1000);
    let [hour, minute, second] = [seconds / 3600, seconds / 60 % 60, seconds % 60];
    let fraction = if milliseconds == 0 { String::new() } else { format!(".{milliseconds:03}") };
    (0..=9999)
        .contains(&year)
        .then(|| format!("{}T{hour:02}:{minute:02}:{second:02}{fraction}Z", in_digits(moment)))
}

/// A moment as text.
fn written(moment: i64) -> String {
    date(moment).unwrap_or_else(|| moment.to_string())
}

fn graph_ml(exported: &ExportedGraph) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (id, of, kind) in [
        ("name", "node", "string"),
        ("kind", "node", "string"),
        ("predicate", "edge", "string"),
        ("text", "edge", "string"),
        ("valid_from", "edge", "string"),
        ("valid_to", "edge", "string"),
        ("recorded_at", "edge", "string"),
    ] {
        add(
            &mut text,
            format_args!("  <key id=\"{id}\" for=\"{of}\" attr.name=\"{id}\" attr.type=\"{kind}\"/>\n"),
        );
    }
    text.push_str("  <graph edgedefault=\"directed\">\n");
    let data = |key: &str, value: &str| format!("<data key=\"{key}\">{}</data>", escaped(value));
    for (id, entity) in &exported.entities {
        let kind = entity.kind.as_deref().map(|kind| data("kind", kind)).unwrap_or_default();
        add(&mut text, format_args!("    <node id=\"{id}\">{}{kind}</node>\n", data("name", &entity.name)));
    }
    for relation in &exported.relations {
        let dates: String = moments(relation).map(|(key, moment)| data(key, &written(moment))).collect();
        add(
            &mut text,
            format_args!(
                "    <edge id=\"{}\" source=\"{}\" target=\"{}\">{}{}{dates}</edge>\n",
                relation.id,
                relation.subject,
                relation.object,
                data("predicate", &relation.predicate),
                data("text", &relation.text),
            ),
        );
    }
    text.push_str("  </graph>\n</graphml>\n");
    text
}

/// Text escaped for XML; characters that XML does not allow are dropped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push(c),
            '\r' => escaped.push_str("&#13;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}

fn json_lines(exported: &ExportedGraph) -> String {
    let mut text = String::new();
    for (id, entity) in &exported.entities {
        let line = json!({ "type": "entity", "id": id, "name": entity.name, "kind": entity.kind });
        add(&mut text, format_args!("{line}\n"));
    }
    for relation in &exported.relations {
        let mut line = json!({
            "type": "relation",
            "id": relation.id,
            "subject": relation.subject,
            "predicate": relation.predicate,
            "object": relation.object,
            "text": relation.text,
            "valid_from": relation.valid_from.map(written),
            "valid_to": relation.valid_to.map(written),
            "recorded_at": relation.recorded_at.map(written),
            "speaker": relation.properties.get(property::SPEAKER),
            "session": relation.properties.get(property::SESSION),
        });
        if let Some(reader) = relation.properties.get(property::READER) {
            line[property::READER] = reader.clone();
        }
        add(&mut text, format_args!("{line}\n"));
    }
    text
}
