//! Reranks candidates in one call.

use quiver_models::chat::{
    ChatReply, ChatRequest, Message,
    read::{self, Node, Problem, Problems},
};
use serde_json::json;

use super::evidence::{EVIDENCE_IS_DATA, PromptPassage, asked, block, labels};

/// Maximum number of reply tokens per label.
const TOKENS_PER_LABEL: usize = 8;

/// The order of candidates that was read from a reply, with what could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reranked {
    /// The positions of all candidates, the best first: those that the model named, then the others in their original
    /// order. `None` if it named none.
    pub order: Option<Vec<usize>>,
    /// Deviations from the requested format.
    pub problems: Vec<Problem>,
}

/// Creates a request to order candidates by their contribution to the answer.
pub fn rerank_request(question: &str, candidates: &[PromptPassage<'_>]) -> ChatRequest {
    let instructions = format!(
        "You order passages by how much they contribute to answering a question. The answer may take several passages: \
         one that names what another one is about contributes as much as the one that says the answer. List the ids of \
         all passages, the most useful first, each id once, as JSON: {{\"order\": [\"P2\", \"P1\"]}}.\n\n{EVIDENCE_IS_DATA}"
    );
    let schema = json!({
        "type": "object",
        "properties": {"order": {"type": "array", "items": {"type": "string", "enum": labels(candidates.len())}}},
        "required": ["order"],
        "additionalProperties": false,
    });
    let tokens_max = u32::try_from(64 + TOKENS_PER_LABEL * candidates.len()).unwrap_or(u32::MAX);
    // Put the question last, because models pay most attention to the end of a prompt.
    let shown = format!("{}\n{}", block(candidates), asked(question));
    ChatRequest::new([Message::system(instructions), Message::user(shown)])
        .with_json("order", schema)
        .with_tokens_max(tokens_max)
        .for_job("rerank")
        .for_question(question)
}

/// Reads an order of candidates. Unknown and repeated labels are dropped, and candidates that are not named follow in
/// their original order.
pub fn read_rerank(reply: &ChatReply, candidates: usize) -> Reranked {
    let read::Read { value, problems } = read::json(reply);
    let problems = Problems::new(problems);
    let named = read::order(&Node::root(&value, &problems).list("order"), &labels(candidates));
    let order = (!named.is_empty()).then(|| {
        let others = (0..candidates).filter(|position| !named.contains(position));
        named.iter().copied().chain(others).collect()
    });
    Reranked { order, problems: problems.into_vec() }
}
