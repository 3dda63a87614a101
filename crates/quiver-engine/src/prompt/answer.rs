//! Generates an answer from the evidence alone, with citations for every sentence.
//!
//! The reply is text, not JSON, so that it can be streamed.

use std::ops::Range;

use quiver_models::chat::{
    ChatReply, ChatRequest, Message,
    read::{self, Problem},
};
use serde::Serialize;

use super::{
    evidence::{EVIDENCE_IS_DATA, PromptPassage, asked, block, labels, unescape},
    marks::Marked,
    support::{Checks, Unsupported},
};
use crate::extract::sentences;

/// The marker with which the model says that the passages don't contain the answer.
const NO_ANSWER: &str = "NO ANSWER";
const TOKENS_MAX: u32 = 1024;
/// Maximum length of a reply in bytes. It is several times the requested limit, because not every endpoint enforces
/// that.
const REPLY_BYTES_MAX: usize = 16 << 10;

/// An answer, reduced to what the evidence supports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answered {
    /// The supported sentences, without citation marks, each with the positions of its passages.
    pub sentences: Vec<(String, Vec<usize>)>,
    /// The unsupported sentences.
    pub dropped: Vec<Dropped>,
    /// Why there is no answer, if no sentence is supported.
    pub refusal: Option<String>,
    /// Deviations from the requested format.
    pub problems: Vec<Problem>,
}

/// A sentence that the evidence does not support.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The sentence.
    pub sentence: String,
    /// Why it is not supported.
    pub why: Unsupported,
}

impl Answered {
    /// Returns the supported sentences as one text; `None` if there are none.
    pub fn text(&self) -> Option<String> {
        let sentences: Vec<&str> = self.sentences.iter().map(|(sentence, _)| sentence.as_str()).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

/// Creates a request for the answer to a question from passages.
pub fn answer_request(question: &str, passages: &[PromptPassage<'_>]) -> ChatRequest {
    let instructions = format!(
        "You answer a question from the given passages alone, in the language of the question, in a few plain \
         sentences. Put the ids of the passages that say it after every sentence, in brackets, before the full stop: \
         [P1] or [P1, P3]. Say nothing that the passages don't say, and keep their names and numbers. If they don't \
         answer the question, write {NO_ANSWER} and, in one sentence, what is missing.\n\n{EVIDENCE_IS_DATA}"
    );
    let shown = format!("{}\n{}", block(passages), asked(question));
    ChatRequest::new([Message::system(instructions), Message::user(shown)])
        .with_tokens_max(TOKENS_MAX)
        .for_job("answer")
        .for_question(question)
}

/// Reads an answer and checks every sentence against the passages it cites.
///
/// A sentence is supported if its names, its numbers and at least half of its content words occur in the cited
/// passages or in the question. A sentence whose citation is missing or wrong gets the citation of a passage that
/// supports it, if there is one.
pub fn read_answer(reply: &ChatReply, question: &str, passages: &[PromptPassage<'_>]) -> Answered {
    AnswerReader::new(question, passages).read(reply)
}

/// Reads an answer while it is streamed, so that only supported sentences are shown.
///
/// ```
/// use quiver::prompt::{AnswerReader, PromptPassage};
///
/// let passages = [PromptPassage { title: None, text: "The ferry leaves at seven from the old pier." }];
/// let mut reader = AnswerReader::new("When does the ferry leave?", &passages);
/// assert!(reader.feed("The ferry leaves at seven. [P").is_empty()); // its citation has not come yet
/// let stands = reader.feed("1] It costs 12 crowns [P1]. And");
/// assert_eq!(stands, [("The ferry leaves at seven.".to_owned(), vec![0])]);
/// ```
#[derive(Debug)]
pub struct AnswerReader {
    checks: Checks,
    labels: Vec<String>,
    said: String,
    /// Number of sentences checked so far.
    judged: usize,
}

impl AnswerReader {
    /// Starts with an empty reply.
    pub fn new(question: &str, passages: &[PromptPassage<'_>]) -> Self {
        let checks = Checks::new(question, passages);
        Self { checks, labels: labels(passages.len()), said: String::new(), judged: 0 }
    }

    /// Adds the next piece and returns the newly completed sentences that are supported.
    ///
    /// [`read`](Self::read) gives the final result for the whole reply.
    pub fn feed(&mut self, piece: &str) -> Vec<(String, Vec<usize>)> {
        if self.said.len() > REPLY_BYTES_MAX {
            return Vec::new();
        }
        self.said.push_str(piece);
        let said = unescape(self.said.trim_start());
        if said.starts_with(NO_ANSWER) || NO_ANSWER.starts_with(&said) {
            return Vec::new();
        }
        let marked = Marked::new(&said, &self.labels, &mut Vec::new());
        let ranges = sentences(&marked.text);
        // A sentence is complete once the next one has started. An opening bracket may start its citation.
        let is_complete = |range: &&Range<usize>| {
            let after = marked.text[range.end..].trim_start();
            !after.is_empty() && !after.starts_with('[')
        };
        let complete = ranges.iter().take_while(is_complete).count();
        let new = ranges[..complete].iter().skip(self.judged);
        let stands = new.filter_map(|range| self.judge(&marked, range).ok()).collect();
        self.judged = self.judged.max(complete);
        stands
    }

    /// Reads a whole reply.
    pub fn read(&self, reply: &ChatReply) -> Answered {
        let read::Read { value: said, problems } = read::text(reply);
        let mut answered = Answered { problems, ..Answered::default() };
        if let Some(refusal) = &reply.refusal {
            answered.refusal = Some(refusal.trim().to_owned());
            return answered;
        }
        let said = if said.len() > REPLY_BYTES_MAX {
            if !answered.problems.contains(&Problem::Cut) {
                answered.problems.push(Problem::Cut);
            }
            &said[..said.floor_char_boundary(REPLY_BYTES_MAX)]
        } else {
            said
        };
        let said = unescape(said);
        if let Some(missing) = said.strip_prefix(NO_ANSWER) {
            let missing = missing.trim_matches(|character: char| !character.is_alphanumeric());
            answered.refusal = Some(format!("the passages don't answer the question: {missing}"));
            return answered;
        }
        let marked = Marked::new(&said, &self.labels, &mut answered.problems);
        let mut ranges = sentences(&marked.text);
        if answered.problems.contains(&Problem::Cut) {
            // The missing end of a truncated sentence may reverse its meaning.
            ranges.pop();
        }
        for range in &ranges {
            match self.judge(&marked, range) {
                Ok(stands) => answered.sentences.push(stands),
                Err(dropped) => answered.dropped.push(dropped),
            }
        }
        if answered.sentences.is_empty() {
            answered.refusal = Some("the passages support nothing that the model said".to_owned());
        }
        answered
    }

    fn judge(&self, marked: &Marked, range: &Range<usize>) -> Result<(String, Vec<usize>), Dropped> {
        let sentence = marked.text[range.clone()].trim().to_owned();
        match self.checks.supports(&sentence, marked.cited(range)) {
            Ok(cited) => Ok((sentence, cited)),
            Err(why) => Err(Dropped { sentence, why }),
        }
    }
}
