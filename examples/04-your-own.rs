//! Your own ideas: an extractor that knows how your texts are written, and a reranker that knows what you prefer.

use std::{error::Error, sync::Arc};

use async_trait::async_trait;
use quiver::{
    Document, Quiver, RerankCandidate, Reranker,
    document::Chunk,
    extract::{ExtractError, Extraction, Extractor, Link, RuleExtractor},
    graph::{Relation, filters},
};

/// Reads lines such as `owner: Mira Castellan` as relations, and leaves the rest to the built-in rules.
#[derive(Debug)]
struct Fields;

#[async_trait]
impl Extractor for Fields {
    // Passages remember this. Count it up when the results change, and they are extracted again.
    fn fingerprint(&self) -> String {
        format!("fields 1 over {}", RuleExtractor.fingerprint())
    }

    async fn extract(&self, chunks: &[Chunk]) -> Result<Vec<Extraction>, ExtractError> {
        Ok(chunks.iter().map(read_fields).collect())
    }
}

fn read_fields(chunk: &Chunk) -> Extraction {
    let mut extraction = RuleExtractor::extract_one(chunk);
    let Some(title) = &chunk.title else {
        extraction.problems.push("without a title nobody knows whose fields these are".to_owned());
        return extraction;
    };
    for line in chunk.text.lines() {
        if let Some((field, value)) = line.split_once(": ") {
            extraction.relations.push(Link {
                subject: title.clone(),
                predicate: field.to_owned(),
                object: value.to_owned(),
                sentence: None,
                ..Link::default()
            });
        }
    }
    extraction
}

/// Prefers what is in force to drafts.
#[derive(Debug)]
struct InForce;

#[async_trait]
impl Reranker for InForce {
    fn fingerprint(&self) -> String {
        "in force 1".to_owned()
    }

    async fn rerank(
        &self,
        _question: &str,
        candidates: &[RerankCandidate<'_>],
    ) -> Result<Vec<f32>, Box<dyn Error + Send + Sync>> {
        let score = |candidate: &RerankCandidate<'_>| {
            let draft = candidate.passage.document.starts_with("drafts/");
            if draft { candidate.score / 10.0 } else { candidate.score }
        };
        Ok(candidates.iter().map(score).collect())
    }
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
async fn main() -> Result<(), Box<dyn Error>> {
    let quiver =
        Quiver::builder().memory().extractor(Arc::new(Fields)).reranker(Arc::new(InForce)).open().await?;
    let tunnel = "status: approved\nowner: Mira Castellan\nbudget: 40 crowns";
    quiver
        .ingest([
            Document::new("projects/tunnel", tunnel).with_title("Harbour Tunnel"),
            Document::new("drafts/tunnel", "owner: nobody yet").with_title("Harbour Tunnel"),
        ])
        .await?;

    let fields = filters::saying(["status", "owner", "budget"]);
    let relations: Vec<Relation> = quiver.graph().list(fields, 10).await?;
    for relation in relations {
        println!("{}", relation.text);
    }
    let evidence = quiver.retrieve("Who is the owner of the Harbour Tunnel?").await?;
    for ranked in &evidence.passages {
        println!("{:.3} {}: {:?}", ranked.score, ranked.passage.document, ranked.passage.text);
    }
    Ok(())
}
