//! Contextualises a question with one call to a language model; if that fails, the rules apply.

use quiver_graph::Result;

use crate::{
    llm::{ChatJob, Llm},
    prompt::{PromptTurn, Rewritten, contextualise_request, read_contextualised},
    trace::Trace,
};

use super::{
    contextualise::{Contextualised, RewrittenBy},
    exchange::{Exchange, QuestionBack, Referent, Rewrite},
    focus,
    link::{Reader, add},
    said::Said,
};

/// Number of turns shown to the model.
const TURNS_SHOWN: usize = 8;

impl Reader<'_> {
    /// Asks a language model to rewrite a follow-up. Returns the result of the rules if the model fails, if there are no
    /// earlier questions, or if the question chose one of the options offered.
    pub(crate) async fn contextualise_by_model(
        &self,
        llm: &Llm,
        question: &str,
        exchanges: &[Exchange],
        rules: Contextualised,
    ) -> Result<Contextualised> {
        let offered = exchanges.last().is_some_and(|last| last.asks.is_some());
        let chose = offered && rules.asks.is_none() && !rules.rewrites.is_empty();
        let told: Vec<&Exchange> = exchanges.iter().filter(|exchange| exchange.number > 0).collect();
        if chose || told.is_empty() {
            return Ok(rules);
        }
        let turns: Vec<PromptTurn<'_>> = told[told.len().saturating_sub(TURNS_SHOWN)..]
            .iter()
            .map(|exchange| PromptTurn { question: &exchange.standalone, answer: exchange.answer.as_deref() })
            .collect();
        let mut known: Vec<Referent> =
            focus::candidates(exchanges).into_iter().map(|candidate| candidate.referent).collect();
        // The model may offer the same options as the rules.
        for option in rules.asks.iter().flat_map(|asks| &asks.options) {
            add(&mut known, option.clone());
        }
        let names: Vec<&str> = known.iter().map(|referent| referent.name.as_str()).collect();
        let request = contextualise_request(&turns, &names, question);
        let mut trace = Trace::begin();
        let reply = llm.ask(&request, None, &mut trace).await;
        let calls = std::mem::take(&mut trace.calls);
        let model = llm.model_for(ChatJob::Contextualise).model();
        let failed = |why: String| Contextualised {
            degraded: vec![format!(
                "the language model {model} did not rewrite the question, so the rules are used: {why}"
            )],
            calls: calls.clone(),
            ..rules.clone()
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => return Ok(failed(error.to_string())),
        };
        let Rewritten { standalone, options, unclear, problems } =
            read_contextualised(&reply, &names, question);
        let Some(standalone) = standalone else {
            let why: Vec<String> = problems.iter().map(ToString::to_string).collect();
            return Ok(failed(if why.is_empty() {
                "it gave no question".to_owned()
            } else {
                why.join("; ")
            }));
        };
        let mut read = self.named_in(question, standalone, &known).await?;
        read.calls = calls;
        if read.standalone != question {
            read.rewrites.push(Rewrite {
                said: question.to_owned(),
                stands_for: read.standalone.clone(),
                because: format!("by the language model {model}"),
            });
        }
        if let Some(unclear) = unclear
            && let Some(start) = read.standalone.find(&unclear)
        {
            let options: Vec<Referent> =
                known.iter().filter(|referent| options.contains(&referent.name)).cloned().collect();
            let place = (start, start + unclear.len());
            read.listed.clone_from(&options);
            read.asks =
                Some(QuestionBack { said: unclear, options, question: read.standalone.clone(), place });
        }
        Ok(read)
    }

    /// The question as the model rewrote it, with the entities it names.
    async fn named_in(
        &self,
        question: &str,
        standalone: String,
        known: &[Referent],
    ) -> Result<Contextualised> {
        let said = Said::of(&standalone);
        let known: Vec<&Referent> = known.iter().collect();
        let named = self.link(&said, &known).await?;
        let asked = named.iter().filter_map(|named| named.referent(&said)).collect();
        Ok(Contextualised {
            question: question.to_owned(),
            standalone,
            asked,
            by: RewrittenBy::Model,
            ..Contextualised::default()
        })
    }
}
