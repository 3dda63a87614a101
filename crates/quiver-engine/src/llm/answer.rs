//! Answers written by a language model, in one call, and checked against the evidence.

use quiver_graph::{Passage, PassageId};
use quiver_models::chat::{ChatReply, read::Problem};

use crate::{
    answer::{Answer, Citation, OnSentence, Refusal, Sentence},
    label::label,
    llm::{ChatJob, Llm},
    prompt::{AnswerReader, Answered, PromptPassage, answer_request},
    question::{Evidence, Variant},
};

/// Maximum number of dropped sentences, and of problems, shown in the trace.
const SHOWN: usize = 5;

/// Asks a language model to replace an extractive answer with one in its own words, based on the same evidence.
/// Returns trace lines. If the model fails, the extractive answer is kept and the trace says so.
pub(crate) async fn word(llm: &Llm, answer: &mut Answer, on_sentence: OnSentence<'_>) -> Vec<String> {
    let passages = shown(&answer.evidence);
    if passages.is_empty() {
        return Vec::new();
    }
    let mut question = answer.evidence.question.clone();
    for Variant { written, other, .. } in &answer.evidence.variants {
        question += &[" (", written, " is the same as ", other, ".)"].concat();
    }
    let prompt: Vec<PromptPassage<'_>> = passages.iter().map(PromptPassage::from).collect();
    let request = answer_request(&question, &prompt);
    let mut reader = AnswerReader::new(&question, &prompt);
    let mut told = 0;
    let mut on_text = |piece: &str| {
        for stands in reader.feed(piece) {
            on_sentence(&sentence(stands, &passages));
            told += 1;
        }
    };
    let model = llm.model_for(ChatJob::Answer).model();
    let reply = llm.ask(&request, Some(&mut on_text), &mut answer.evidence.trace).await;
    let answered = reply.map_err(|error| error.to_string()).and_then(|reply| read(&reader, &reply));
    let Answered { sentences, dropped, refusal, problems } = match answered {
        Ok(answered) => answered,
        Err(why) => {
            answer.evidence.trace.degrade(format!(
                "the language model {model} gave no answer, so the answer is quoted from the evidence: {why}"
            ));
            return Vec::new();
        }
    };
    answer.model = Some(model.to_owned());
    answer.sentences = sentences.into_iter().map(|stands| sentence(stands, &passages)).collect();
    // The last sentences could not be recognised as complete during streaming.
    answer.sentences.iter().skip(told).for_each(on_sentence);
    answer.citations = cited(answer, &passages);
    let texts: Vec<&str> = answer.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    answer.text = (!texts.is_empty()).then(|| texts.join(" "));
    answer.refusal = refusal.map(|why| {
        if dropped.is_empty() { Refusal::Unanswered { why } } else { Refusal::Unsupported { why } }
    });
    let mut lines = vec![format!("written by the language model {model} from {} passages", passages.len())];
    lines.extend(
        dropped.iter().take(SHOWN).map(|dropped| format!("dropped, {}: {:?}", dropped.why, dropped.sentence)),
    );
    lines.extend(problems.iter().take(SHOWN).map(|problem| format!("its reply: {problem}")));
    lines
}

/// Reads a reply. Returns the reason if it is unusable.
fn read(reader: &AnswerReader, reply: &ChatReply) -> Result<Answered, String> {
    let answered = reader.read(reply);
    let says_nothing = answered.sentences.is_empty() && answered.dropped.is_empty();
    let is_silent = |problem: &&Problem| {
        matches!(problem, Problem::Refused { .. } | Problem::Empty | Problem::Filtered | Problem::Cut)
    };
    match answered.problems.iter().find(is_silent) {
        Some(problem) if says_nothing => Err(problem.to_string()),
        _ => Ok(answered),
    }
}

/// Returns the passages to show to the model: the evidence and the end of the best chain of passages.
fn shown(evidence: &Evidence) -> Vec<Passage> {
    let mut passages: Vec<Passage> = evidence.passages.iter().map(|ranked| ranked.passage.clone()).collect();
    if let Some(end) = &evidence.chain_end
        && !passages.iter().any(|passage| passage.id == end.id)
    {
        passages.push(end.clone());
    }
    passages
}

fn sentence((text, positions): (String, Vec<usize>), passages: &[Passage]) -> Sentence {
    Sentence { text, passages: positions.into_iter().map(|position| passages[position].id).collect() }
}

/// Returns citations for the passages that the sentences cite, in order of first use.
fn cited(answer: &Answer, passages: &[Passage]) -> Vec<Citation> {
    let mut ids: Vec<PassageId> = Vec::new();
    for id in answer.sentences.iter().flat_map(|sentence| &sentence.passages) {
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
    let known = |id: &PassageId| answer.citations.iter().find(|citation| citation.passage == *id).cloned();
    let whole = |id: &PassageId| {
        let passage = passages.iter().find(|passage| passage.id == *id)?;
        let (title, sentence) = (label(passage).to_owned(), passage.text.clone());
        Some(Citation { passage: *id, title, sentence, value: None, path: Vec::new(), score: 0.0 })
    };
    // The value belongs to the extractive answer.
    let cite = |id| known(id).or_else(|| whole(id)).map(|citation| Citation { value: None, ..citation });
    ids.iter().filter_map(cite).collect()
}
