//! Reranks candidates with a language model, in one call.

use quiver_models::chat::ChatReply;

use crate::{
    llm::{ChatJob, Llm},
    prompt::{PromptPassage, Reranked, read_rerank, rerank_request},
    question::{Query, Ranked},
};

/// Maximum number of problems of a reply shown in the trace.
const PROBLEMS_SHOWN: usize = 5;

/// Asks a language model to reorder the best candidates. Candidates beyond its limit keep their places. Returns trace
/// lines. If the model fails, the order is unchanged and the trace says so.
pub(crate) async fn order(llm: &Llm, query: &mut Query, ranked: &mut [Ranked]) -> Vec<String> {
    let count = ranked.len().min(llm.options.candidates_limit);
    if count < 2 {
        return Vec::new();
    }
    let candidates: Vec<PromptPassage<'_>> = ranked[..count].iter().map(PromptPassage::from).collect();
    let request = rerank_request(&query.question.text, &candidates);
    let model = llm.model_for(ChatJob::Rerank).model();
    let reply = llm.ask(&request, None, &mut query.trace).await;
    let read = reply.map_err(|error| error.to_string()).and_then(|reply| read(&reply, count));
    let (order, problems) = match read {
        Ok(read) => read,
        Err(why) => {
            query.trace.degrade(format!(
                "the language model {model} did not rank the candidates, so the built-in ranking is used: {why}"
            ));
            return Vec::new();
        }
    };
    permute(&mut ranked[..count], &order);
    let mut lines = vec![format!("{count} candidates ranked by the language model {model}")];
    lines.extend(problems);
    lines
}

/// Reads the order from a reply, with its problems. Returns the reason if there is none.
fn read(reply: &ChatReply, count: usize) -> Result<(Vec<usize>, Vec<String>), String> {
    let Reranked { order, problems } = read_rerank(reply, count);
    let problems: Vec<String> =
        problems.iter().take(PROBLEMS_SHOWN).map(|problem| format!("its reply: {problem}")).collect();
    match order {
        Some(order) => Ok((order, problems)),
        None if problems.is_empty() => Err("it named no candidate".to_owned()),
        None => Err(problems.join("; ")),
    }
}

/// Reorders candidates. The scores keep their places, so the first candidate gets the best score.
fn permute(ranked: &mut [Ranked], order: &[usize]) {
    let scores: Vec<f32> = ranked.iter().map(|ranked| ranked.score).collect();
    let ordered: Vec<Ranked> = order.iter().map(|&position| ranked[position].clone()).collect();
    for ((place, score), candidate) in ranked.iter_mut().zip(scores).zip(ordered) {
        *place = Ranked { score, ..candidate };
    }
}
