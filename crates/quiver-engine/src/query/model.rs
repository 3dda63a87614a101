//! Questions that a language model writes as queries, if the rules can't read them.

use super::{
    QueryOptions,
    question::{QueryAnswer, TriedQuery, answers},
    reading::{QuestionReading, Vocabulary, mentions, schema_text},
};
use crate::{
    Question, Quiver,
    error::ErrorKind,
    llm::{ChatJob, Llm},
    prompt::{FailedQuery, WrittenQuery, query_request, read_query},
    trace::Trace,
};

/// How often the model may write a query for one question: once, and once more to correct it.
const ROUNDS: usize = 2;

impl Quiver {
    /// Lets a language model write a question as a reading query, and runs it. If the query fails, the model gets one
    /// chance to correct it. The model is not called if the question mentions no label and no value of the graph.
    pub(super) async fn query_by_model(
        &self,
        llm: &Llm,
        vocabulary: &Vocabulary,
        question: &Question,
        options: &QueryOptions,
    ) -> TriedQuery {
        if !mentions(vocabulary, &question.text) {
            return TriedQuery::default();
        }
        let schema = schema_text(vocabulary, &question.text);
        let model = llm.model_for(ChatJob::Query).model().to_owned();
        let (mut lines, mut spent) = (Vec::new(), Trace::begin());
        let mut failed: Option<(String, String)> = None;
        for _ in 0..ROUNDS {
            let told = failed.as_ref().map(|(cypher, error)| FailedQuery { cypher, error });
            let request = query_request(&question.text, &schema, told);
            let reply = match llm.ask(&request, None, &mut spent).await {
                Ok(reply) => reply,
                Err(error) => {
                    spent.degrade(format!("the language model {model} wrote no query: {error}"));
                    break;
                }
            };
            let WrittenQuery { cypher, problems } = read_query(&reply);
            lines.extend(problems.iter().map(|problem| format!("its reply: {problem}")));
            let Some(cypher) = cypher else {
                lines.push(format!("no query, by the language model {model}"));
                break;
            };
            lines.push(format!("{} (by the language model {model})", cypher.replace('\n', " ")));
            match self.query(&cypher).options(options.clone()).await {
                Ok(queried) => {
                    let rows = queried.rows;
                    if !answers(&rows) {
                        lines.push("the query has no rows, so the passages are searched".to_owned());
                        break;
                    }
                    let reading = QuestionReading { cypher, ..QuestionReading::default() };
                    let answer = Some(QueryAnswer { reading, rows, model: Some(model) });
                    return TriedQuery { answer, lines, spent, ..TriedQuery::default() };
                }
                Err(error) if error.kind() == ErrorKind::Invalid => {
                    lines.push(format!("refused: {error}"));
                    failed = Some((cypher, error.to_string()));
                }
                Err(error) => {
                    lines.push(format!("failed: {error}"));
                    break;
                }
            }
        }
        TriedQuery { lines, spent, ..TriedQuery::default() }
    }
}
