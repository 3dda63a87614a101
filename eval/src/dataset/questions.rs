use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::{
    corpus::{Corpus, join},
    values,
};

/// A question with its gold data.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its ID in the file.
    pub id: String,
    /// The text of the question.
    pub question: String,
    /// The correct answers.
    pub answers: Vec<String>,
    /// The set's own classification.
    pub kind: Option<String>,
    /// Number of passages that must be combined.
    pub hops: Option<usize>,
    /// The passages that support the answer.
    pub gold: Vec<Gold>,
}

/// A passage that supports an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    /// The keys that match: several if the set names a title that several passages share; none if the corpus lacks
    /// the passage.
    pub keys: Vec<String>,
}

/// A question in one of three formats, distinguished by its fields.
#[derive(Deserialize)]
struct Row {
    #[serde(alias = "_id")]
    id: Value,
    question: String,
    #[serde(default)]
    answer: Option<Value>,
    #[serde(default)]
    answer_aliases: Vec<String>,
    #[serde(default)]
    answers: Vec<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    hops: Option<usize>,
    paragraphs: Option<Vec<Paragraph>>,
    supporting_facts: Option<Vec<(String, i64)>>,
    #[serde(default)]
    context: Vec<(String, Vec<String>)>,
    gold: Option<Vec<Value>>,
}

/// A paragraph of MuSiQue.
#[derive(Deserialize)]
struct Paragraph {
    title: String,
    #[serde(rename = "paragraph_text")]
    text: String,
    #[serde(default)]
    is_supporting: bool,
}

/// Parses questions and finds their gold passages in the corpus.
pub(super) fn parse(text: &str, corpus: &Corpus) -> Result<Vec<Item>> {
    let rows = values(text)?.into_iter().enumerate();
    rows.map(|(index, value)| item(value, corpus).with_context(|| format!("question {}", index + 1)))
        .collect()
}

fn item(value: Value, corpus: &Corpus) -> Result<Item> {
    let row: Row = serde_json::from_value(value)
        .context("expected {id, question, ..} with paragraphs, supporting_facts or gold")?;
    let id = plain(&row.id);
    let (gold, hops) = if let Some(paragraphs) = &row.paragraphs {
        (musique(paragraphs, corpus), musique_hops(&id))
    } else if let Some(facts) = &row.supporting_facts {
        (titled(facts, &row.context, corpus), None)
    } else if let Some(gold) = &row.gold {
        (named(gold, corpus)?, None)
    } else {
        bail!(
            "{id}: it has neither paragraphs (MuSiQue) nor supporting_facts (HotpotQA, 2Wiki) nor gold (plain)"
        );
    };
    let hops = row.hops.or(hops).or_else(|| (!gold.is_empty()).then_some(gold.len()));
    let mut answers: Vec<String> = row.answer.iter().map(plain).collect();
    answers.extend(row.answer_aliases.into_iter().chain(row.answers));
    let mut seen = BTreeSet::new();
    answers.retain(|answer| seen.insert(answer.clone()));
    Ok(Item { id, question: row.question, answers, kind: row.kind, hops, gold })
}

/// Returns a string as it is, and other values as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Several passages of MuSiQue share a title, so gold is matched by title and text.
fn musique(paragraphs: &[Paragraph], corpus: &Corpus) -> Vec<Gold> {
    let mut seen = BTreeSet::new();
    paragraphs
        .iter()
        .filter(|paragraph| paragraph.is_supporting)
        .filter(|paragraph| seen.insert((&paragraph.title, &paragraph.text)))
        .map(|paragraph| {
            let found = corpus.with_content(Some(&paragraph.title), &paragraph.text);
            Gold { keys: found.map(|index| corpus.passages[index].key.clone()).into_iter().collect() }
        })
        .collect()
}

/// Parses the number of hops at the start of a MuSiQue ID: `3hop1__…`.
fn musique_hops(id: &str) -> Option<usize> {
    id.split_once("hop")?.0.parse().ok()
}

/// Returns the passages whose title is in the supporting facts. If several share the title, the one whose text is in
/// the question's context is chosen, if any.
fn titled(facts: &[(String, i64)], context: &[(String, Vec<String>)], corpus: &Corpus) -> Vec<Gold> {
    let mut seen = BTreeSet::new();
    facts
        .iter()
        .filter(|(title, _)| seen.insert(title))
        .map(|(title, _)| {
            let mut found = corpus.titled(title).to_vec();
            if found.len() > 1 {
                let mut texts = context.iter().filter(|(other, _)| other == title);
                let exact = texts.find_map(|(_, text)| corpus.with_content(Some(title), &join(text)));
                found = exact.map_or(found, |index| vec![index]);
            }
            Gold { keys: found.into_iter().map(|index| corpus.passages[index].key.clone()).collect() }
        })
        .collect()
}

fn named(gold: &[Value], corpus: &Corpus) -> Result<Vec<Gold>> {
    let named = gold.iter().map(|id| {
        let key = plain(id);
        if !corpus.has(&key) {
            bail!("the corpus has no passage with the gold id {key:?}");
        }
        Ok(Gold { keys: vec![key] })
    });
    named.collect()
}
