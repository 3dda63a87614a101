//! Extracts entities and relations with a language model, in addition to the rules.

use std::sync::Arc;

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use quiver_documents::Chunk;
use quiver_models::{
    Error, ErrorKind,
    chat::{ChatModel, ChatReply, ChatRequest, CountingChat, Ledger, Tally, estimate, read::Problem},
};

use super::merge::merge;
use crate::{
    extract::{ExtractError, Extraction, Extractor, Fallback},
    llm::{ChatJob, ChatOptions, Llm},
    prompt::{Extracted, PROMPTS, PromptPassage, extract_request, read_extraction},
};

/// Maximum number of problems listed per reply.
const PROBLEMS_SHOWN: usize = 4;

/// An extractor that asks a language model, with concurrent calls, and adds the results to those of the rules.
///
/// If a reply contains nothing readable about a passage, only the rules' extraction is kept. The same applies if the
/// call fails, but then the next ingest asks again. If all calls fail, the extractor returns an error.
#[derive(Debug)]
pub(crate) struct ModelExtractor {
    chat: CountingChat<Arc<dyn ChatModel>>,
    options: Arc<ChatOptions>,
    rules: Arc<dyn Extractor>,
}

impl ModelExtractor {
    pub(crate) fn new(llm: &Llm, rules: Arc<dyn Extractor>) -> Self {
        let chat = CountingChat::new(Arc::clone(llm.model_for(ChatJob::Extract)), llm.options.prices);
        Self { chat, options: Arc::clone(&llm.options), rules }
    }

    /// Returns the usage so far.
    pub(crate) fn ledger(&self) -> Ledger {
        self.chat.ledger()
    }

    /// Returns the maximum usage of extracting from chunks.
    pub(crate) async fn estimate(&self, chunks: &[Chunk]) -> Tally {
        let mut most = Tally::default();
        for group in self.groups(chunks) {
            let request = self.request(group);
            if self.chat.has(&request).await {
                most.add(&Tally { calls: 1, calls_cached: 1, ..Tally::default() });
            } else {
                most.add(&estimate::tally_max(&request, &self.options.prices));
            }
        }
        most
    }

    /// Returns the chunks of each call. Batches are written atomically, so a rerun after a kill forms the same groups
    /// and finds the cached replies.
    fn groups<'c>(&self, chunks: &'c [Chunk]) -> std::slice::Chunks<'c, Chunk> {
        chunks.chunks(self.options.passages_per_call.max(1))
    }

    fn request(&self, group: &[Chunk]) -> ChatRequest {
        extract_request(&shown(group), &self.options.schema)
    }

    /// Makes the call for a group. If the group exceeds the model's context window, makes one call per chunk.
    async fn ask<'c>(&self, group: &'c [Chunk]) -> Vec<(&'c [Chunk], quiver_models::Result<ChatReply>)> {
        let reply = self.chat.chat(&self.request(group)).await;
        match reply {
            Err(error) if error.kind() == ErrorKind::Limit && group.len() > 1 => {
                let mut replies = Vec::with_capacity(group.len());
                for alone in group.chunks(1) {
                    replies.push((alone, self.chat.chat(&self.request(alone)).await));
                }
                replies
            }
            reply => vec![(group, reply)],
        }
    }

    /// Reads what a reply says about its chunks.
    fn read(&self, group: &[Chunk], reply: &ChatReply) -> Vec<Read> {
        let Extracted { passages, problems } = read_extraction(reply, &shown(group), &self.options.schema);
        let mut lines: Vec<String> = problems
            .iter()
            .filter(|problem| !is_of_a_passage(problem))
            .take(PROBLEMS_SHOWN)
            .map(ToString::to_string)
            .collect();
        let why =
            if lines.is_empty() { "it does not mention the passage".to_owned() } else { lines.join("; ") };
        let mut reads: Vec<Read> = passages
            .into_iter()
            .map(|passage| match passage {
                Some(passage) => Read::Said(passage, Vec::new()),
                None => Read::Not(Fallback { why: format!("the model's reply: {why}"), is_final: true }),
            })
            .collect();
        // Problems of the whole reply are attached to one passage only.
        if let Some(Read::Said(_, told)) = reads.iter_mut().find(|read| matches!(read, Read::Said(..))) {
            told.append(&mut lines);
        }
        reads
    }
}

/// What a reply says about one chunk.
enum Read {
    Said(crate::prompt::ExtractedPassage, Vec<String>),
    Not(Fallback),
}

fn is_of_a_passage(problem: &Problem) -> bool {
    // Missing passages are reported separately, each with its document.
    matches!(problem, Problem::Missing { path } if !path.contains('.'))
}

fn shown(group: &[Chunk]) -> Vec<PromptPassage<'_>> {
    group.iter().map(PromptPassage::from).collect()
}

#[async_trait]
impl Extractor for ModelExtractor {
    fn fingerprint(&self) -> String {
        let rules = self.rules.fingerprint();
        let schema = serde_json::to_string(&self.options.schema).expect("a schema is strings");
        let schema = &blake3::hash(schema.as_bytes()).to_hex()[..8];
        // The number of passages per call is not included: changing it is no reason to pay for all calls again.
        format!("{rules}, {PROMPTS} with {} and schema {schema}", self.chat.model())
    }

    async fn extract(&self, chunks: &[Chunk]) -> Result<Vec<Extraction>, ExtractError> {
        let rules = self.rules.extract(chunks).await?;
        let calls_at_once = self.options.calls_at_once.max(1);
        let calls: Vec<_> = self.groups(chunks).map(|group| self.ask(group)).collect();
        // Replies are processed in the order of their groups, not in order of arrival.
        let asked: Vec<_> = stream::iter(calls).buffered(calls_at_once).collect().await;
        let asked: Vec<_> = asked.into_iter().flatten().collect();
        let mut reads: Vec<Read> = Vec::with_capacity(chunks.len());
        let mut failures: Vec<Error> = Vec::new();
        let mut replies = 0;
        for (group, reply) in asked {
            match reply {
                Ok(reply) => {
                    replies += 1;
                    reads.extend(self.read(group, &reply));
                }
                Err(error) => {
                    let why = format!("the model failed, and the next ingest will retry: {error}");
                    let fallback = || Read::Not(Fallback { why: why.clone(), is_final: false });
                    reads.extend(group.iter().map(|_| fallback()));
                    failures.push(error);
                }
            }
        }
        let spent = failures.iter().position(|error| error.kind() == ErrorKind::Budget);
        if let Some(failure) = spent.or_else(|| (replies == 0 && !failures.is_empty()).then_some(0)) {
            return Err(failures.swap_remove(failure).into());
        }
        let merged = rules.into_iter().zip(chunks).zip(reads).map(|((rules, chunk), read)| match read {
            Read::Said(passage, told) => {
                let mut extraction = merge(chunk, rules, passage);
                extraction.problems.splice(0..0, told);
                extraction
            }
            Read::Not(fallback) => Extraction { fallback: Some(fallback), ..rules },
        });
        Ok(merged.collect())
    }
}
