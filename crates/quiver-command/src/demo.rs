//! What the demo is made of: the medicines handbook of a hospital that does not exist, and questions about it.

#[cfg(test)]
mod tests;

use quiver::document::{Document, Format};
use serde::Deserialize;

include!(concat!(env!("OUT_DIR"), "/documents.rs"));

static QUESTIONS: &str = include_str!("../demo/questions.jsonl");

/// A question about the handbook.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DemoQuestion {
    /// The question.
    pub question: String,
    /// Accepted answers, the preferred one first; none where the handbook has no answer.
    pub answers: Vec<String>,
    /// `bridge`, `comparison` or `unanswerable`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many documents the answer needs.
    pub hops: usize,
}

/// How an answer compares with the accepted ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is an accepted one, or a sentence that holds one.
    Right,
    /// There is none to be had, and none was given.
    RefusedRightly,
    /// It is none of the accepted ones, or was given where there is none.
    Wrong,
    /// It was refused although there is one.
    RefusedWrongly,
}

/// The handbook, as `quiver ingest` would read it from its directory.
pub fn documents() -> Vec<Document> {
    let read = |(name, text): &(&str, &str)| Document {
        key: (*name).to_owned(),
        title: text.lines().find_map(|line| line.strip_prefix("# ")).map(|title| title.trim().to_owned()),
        text: (*text).to_owned(),
        format: Format::Markdown,
        ..Document::default()
    };
    DOCUMENTS.iter().map(read).collect()
}

/// The questions, easier ones first.
///
/// # Panics
/// Never: the questions are compiled in, and a test reads them.
pub fn questions() -> Vec<DemoQuestion> {
    let read = |line| serde_json::from_str(line).expect("the questions are well-formed");
    QUESTIONS.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

impl DemoQuestion {
    /// Compares an answer with the accepted ones, apart from case, punctuation and articles. Where two things are
    /// compared, a sentence that names both would hold the right answer too, so the answer has to be the name alone.
    pub fn judge(&self, answer: Option<&str>) -> Verdict {
        let Some(answer) = answer else {
            return if self.answers.is_empty() { Verdict::RefusedRightly } else { Verdict::RefusedWrongly };
        };
        let given = words(answer);
        let right = self.answers.iter().map(|expected| words(expected)).any(|expected| {
            given == expected
                || (self.kind != "comparison"
                    && given.windows(expected.len().max(1)).any(|run| run == expected))
        });
        if right { Verdict::Right } else { Verdict::Wrong }
    }
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !matches!(*word, "" | "the" | "a" | "an")).map(str::to_owned).collect()
}
