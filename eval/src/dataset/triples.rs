use std::borrow::Cow;

use anyhow::{Context, Result, bail};
use quiver::Triple;
use serde::Deserialize;

use super::Corpus;

/// The results of HippoRAG's open information extraction.
#[derive(Deserialize)]
struct OpenIe {
    docs: Vec<Extracted>,
}

#[derive(Deserialize)]
struct Extracted {
    title: Option<String>,
    text: Option<String>,
    /// Title and text, separated by the first line break.
    passage: Option<String>,
    #[serde(default, rename = "extracted_triples")]
    triples: Vec<Vec<String>>,
}

/// Attaches the triples of an OpenIE file to the passages of a corpus, and returns their number. Entries that do not
/// have exactly three parts are skipped, as in HippoRAG.
///
/// # Errors
/// Returns an error if the file has another format, or if none of its passages is in the corpus.
pub fn attach(text: &str, corpus: &mut Corpus) -> Result<usize> {
    let results: OpenIe = serde_json::from_str(&without_nan(text))
        .context("expected {docs: [{title, text, extracted_triples}]}")?;
    let mut attached = 0;
    let mut known = 0;
    for document in results.docs {
        let (title, text) = match (&document.title, &document.text, &document.passage) {
            (title, Some(text), _) => (title.as_deref(), text.as_str()),
            (title, None, Some(passage)) => match passage.split_once('\n') {
                Some((first, text)) => (Some(title.as_deref().unwrap_or(first)), text),
                None => (title.as_deref(), passage.as_str()),
            },
            (_, None, None) => continue,
        };
        let Some(index) = corpus.with_content(title, text) else { continue };
        known += 1;
        for triple in document.triples {
            if let Ok([subject, predicate, object]) = <[String; 3]>::try_from(triple) {
                corpus.passages[index].triples.push(Triple { subject, predicate, object });
                attached += 1;
            }
        }
    }
    if known == 0 {
        bail!("none of its passages is in the corpus; the triples are of another set");
    }
    Ok(attached)
}

/// Replaces the numbers that Python writes but JSON does not allow with null: HippoRAG writes `NaN` for the
/// mean of an empty list. Strings stay unchanged.
fn without_nan(text: &str) -> Cow<'_, str> {
    const NUMBERS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    if !NUMBERS.iter().any(|number| text.contains(number)) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(quote) = rest.find('"') {
        let (outside, string) = rest.split_at(quote);
        plain.push_str(&NUMBERS.iter().fold(outside.to_owned(), |text, number| text.replace(number, "null")));
        let end = string_end(string);
        plain.push_str(&string[..end]);
        rest = &string[end..];
    }
    plain.push_str(&NUMBERS.iter().fold(rest.to_owned(), |text, number| text.replace(number, "null")));
    Cow::Owned(plain)
}

/// Returns the end of the string literal at the start of a text, after its closing quote.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
