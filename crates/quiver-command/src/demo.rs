//! The demo: the medicines handbook of a fictional hospital, and questions about it.

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
    /// Accepted answers, the preferred one first; empty if the handbook has no answer.
    pub answers: Vec<String>,
    /// `bridge`, `comparison` or `unanswerable`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Number of documents that the answer needs.
    pub hops: usize,
}

/// The result of comparing an answer with the accepted ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is an accepted answer, or a sentence that contains one.
    Right,
    /// There is no answer, and none was given.
    RefusedRightly,
    /// It is not an accepted answer, or was given although there is none.
    Wrong,
    /// No answer was given although there is one.
    RefusedWrongly,
}

/// Returns the handbook as `quiver ingest` would read it from its directory.
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

/// Returns the questions, easier ones first.
///
/// # Panics
/// Never: the questions are compiled in, and a test reads them.
pub fn questions() -> Vec<DemoQuestion> {
    let read = |line| serde_json::from_str(line).expect("the questions are well-formed");
    QUESTIONS.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

impl DemoQuestion {
    /// Compares an answer with the accepted ones, ignoring case, punctuation and articles. In a comparison, a
    /// sentence that names both candidates would contain the right answer too, so the answer must be the name alone.
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
