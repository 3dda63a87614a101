//! Questions answered by a query.

use std::{collections::BTreeSet, time::Duration};

use quiver_cypher::{Budget, Options, Rows, Value};
use quiver_graph::{EntityId, name};
use tracing::{Span, instrument};

use super::{
    Queried, QueryOptions,
    details::described,
    reading::{Asking, QuestionReading, Vocabulary, fold, names_query, read, unknown_words, unshared_names},
};
use crate::{
    AskOptions, Question, Quiver, Result,
    error::{In, Stage},
    memory::{Run, now, runs, same_as},
    trace::Trace,
};

/// Number of readings that are run, to see whether the choice between them matters.
const READINGS_MAX: usize = 4;
/// Maximum time for the query of a question.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Maximum number of values listed in a worded answer.
const LISTED_MAX: usize = 20;

/// A question as a query, with its rows.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct QueriedQuestion {
    /// The possible readings of the question; empty if a word was not understood.
    pub readings: Vec<QuestionReading>,
    /// If there is no reading, the words that are not a label, type, property or value.
    pub unknown: Vec<String>,
    /// The result of the query. `None` if there is no reading, or if several readings have different results.
    pub queried: Option<Queried>,
}

/// How a question was answered by a query.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueryAnswer {
    /// The query, with the meaning of each word.
    pub reading: QuestionReading,
    /// The rows, with their proofs.
    pub rows: Rows,
    /// The language model that wrote the query; `None` if the rules read the question.
    pub model: Option<String>,
}

/// Maximum number of other names tried for what a question names.
const NAMES_TRIED_MAX: usize = 16;

/// A question read as a query.
struct ByName {
    found: QueriedQuestion,
    /// The name by which it was read, if it is not the one in the question.
    renamed: Option<String>,
}

/// The result of trying a question as a query.
#[derive(Debug, Default)]
pub(crate) struct TriedQuery {
    /// The answer, if there are rows.
    pub(crate) answer: Option<QueryAnswer>,
    /// What was tried, for the trace.
    pub(crate) lines: Vec<String>,
    /// The names in the question that several nodes have, if that is why there is no answer.
    pub(crate) shared_names: Vec<String>,
    /// The calls to a language model, and their failures.
    pub(crate) spent: Trace,
}

/// Whether rows are an answer: each has a value in its first column, and a count is not zero.
pub(super) fn answers(rows: &Rows) -> bool {
    let says =
        |row: &Vec<Value>| row.first().is_some_and(|value| !value.is_null() && *value != Value::Integer(0));
    !rows.rows.is_empty() && rows.rows.iter().all(says)
}

impl QueryAnswer {
    /// Returns the answer in words: the values of the first column, each with its details.
    pub(crate) fn text(&self) -> String {
        let shown: Vec<String> = self.rows.rows.iter().filter_map(|row| self.row_text(row)).collect();
        let more = shown.len().saturating_sub(LISTED_MAX);
        let separator = if self.reading.details.is_empty() { ", " } else { "; " };
        let list = shown[..shown.len() - more].join(separator);
        if more > 0 { format!("{list} and {more} more") } else { list }
    }
}

impl QueryAnswer {
    /// Returns the lower-case names of found nodes that the question does not name, over all rows and their proofs.
    fn names(&self, question: &str) -> BTreeSet<String> {
        let of_proofs = self.rows.proofs.iter().flatten().filter_map(|item| match item {
            Value::Node(id) => Some(self.rows.node_name(*id)),
            _ => None,
        });
        let of_rows = self.rows.rows.iter().filter_map(|row| Some(row.first()?.as_str()?.to_owned()));
        let asked = format!(" {} ", fold(question));
        let names = of_rows.chain(of_proofs).map(|name| format!(" {} ", fold(&name)));
        names.filter(|name| !name.trim().is_empty() && !asked.contains(name)).collect()
    }

    /// Returns those of the available texts that the question also asks for, as indices in order: texts that name a
    /// found node and contain a word that is asked about, limited to those with the most such words.
    pub(crate) fn texts(&self, question: &str, at_hand: &[&str]) -> Vec<usize> {
        if self.reading.texts_on.is_empty() {
            return Vec::new();
        }
        let names = self.names(question);
        let said = at_hand.iter().map(|text| {
            let text = format!(" {} ", fold(text));
            let says = |word: &&String| text.contains(&format!(" {word}"));
            let is_named = names.iter().any(|name| text.contains(name));
            if is_named { self.reading.texts_on.iter().filter(says).count() } else { 0 }
        });
        let said: Vec<usize> = said.collect();
        let most = said.iter().copied().max().unwrap_or_default();
        (0..said.len()).filter(|at| most > 0 && said[*at] == most).collect()
    }

    /// Returns the first value of a row, with its details.
    pub(crate) fn row_text(&self, row: &[Value]) -> Option<String> {
        let name = match row.first()? {
            Value::String(text) => text.to_string(),
            Value::Node(id) => self.rows.node_name(*id),
            other => other.to_string(),
        };
        let columns =
            self.rows.columns.iter().zip(row).filter(|(column, _)| self.reading.details.contains(column));
        Some(described(&name, columns.map(|(column, value)| (column.as_str(), value))))
    }
}

impl Quiver {
    /// Reads a question as a query, without a model, and runs it.
    ///
    /// A question is a query only if each of its words is accounted for by a label, a type of relationship, a property,
    /// a value, a time or a word of the grammar. If it has several readings with different rows, none is chosen.
    ///
    /// # Errors
    /// As for [`Quiver::query`].
    pub async fn query_question(&self, question: &str, options: QueryOptions) -> Result<QueriedQuestion> {
        let vocabulary = self.vocabulary.get(&self.graph.whole()).await?;
        self.query_with_vocabulary(&vocabulary, question, options).await
    }

    async fn query_with_vocabulary(
        &self,
        vocabulary: &Vocabulary,
        question: &str,
        options: QueryOptions,
    ) -> Result<QueriedQuestion> {
        let other_names = match options.asker.as_deref() {
            Some(asker) => self.other_names(vocabulary, asker, &options).await?,
            None => Vec::new(),
        };
        let now = options.now.unwrap_or_else(now);
        let asking = Asking { now, asker: options.asker.as_deref(), other_names: &other_names };
        let readings = read(vocabulary, question, asking);
        if readings.is_empty() {
            let unknown = unknown_words(vocabulary, question);
            return Ok(QueriedQuestion { unknown, ..QueriedQuestion::default() });
        }
        let is_named_once = readings.iter().all(|reading| reading.shared_names.is_empty());
        let mut queried: Option<Queried> = None;
        if is_named_once && readings.len() <= READINGS_MAX {
            for reading in &readings {
                let one = self.query(&reading.cypher).options(options.clone()).await?;
                match &queried {
                    None => queried = Some(one),
                    Some(first) if first.rows.rows == one.rows.rows => {}
                    Some(_) => {
                        queried = None;
                        break;
                    }
                }
            }
        }
        let is_empty = queried.as_ref().is_some_and(|queried| queried.rows.rows.is_empty());
        if let Some(QuestionReading { describing, .. }) =
            readings.first().filter(|one| is_empty && !one.describing.is_empty())
        {
            return Ok(QueriedQuestion { unknown: describing.clone(), ..QueriedQuestion::default() });
        }
        Ok(QueriedQuestion { readings, unknown: Vec::new(), queried })
    }

    /// Returns the other names of the user who asks, which properties of other nodes may hold.
    async fn other_names(
        &self,
        vocabulary: &Vocabulary,
        asker: &str,
        options: &QueryOptions,
    ) -> Result<Vec<String>> {
        let Some(query) = names_query(vocabulary, asker) else { return Ok(Vec::new()) };
        let found = self.query(&query).options(options.clone()).await?;
        let names: Vec<Value> = found.rows.rows.into_iter().flatten().collect();
        Ok(unshared_names(vocabulary, asker, &names))
    }

    /// Reads a question as a query. If that fails, tries other names of the entities it names, which a merge connects
    /// to a record.
    async fn query_by_any_name(
        &self,
        vocabulary: &Vocabulary,
        question: &Question,
        options: &QueryOptions,
    ) -> Result<ByName> {
        let found = self.query_with_vocabulary(vocabulary, &question.text, options.clone()).await?;
        if !found.readings.is_empty() || !question.options.merges || !self.standing.may_be_same {
            return Ok(ByName { found, renamed: None });
        }
        let text = &question.text;
        let runs = runs(self.encoder.analysis(), text);
        let of_name = |name: &String| EntityId::of_normalised(self.graph.workspace(), None, name);
        let ids = runs.iter().flat_map(|run| &run.names).map(of_name).collect();
        let same = same_as(&self.graph, &self.standing.joins, ids).await.stage(Stage::Query)?;
        let mut tried: BTreeSet<String> = BTreeSet::new();
        for Run { range, names } in runs {
            for (_, other) in names.iter().map(of_name).flat_map(|id| same.others(id)) {
                let asked = format!("{}{other}{}", &text[..range.start], &text[range.end..]);
                if name::normalise(other) == name::normalise(&text[range.clone()])
                    || tried.len() == NAMES_TRIED_MAX
                    || !tried.insert(asked.clone())
                {
                    continue;
                }
                let mut found = self.query_with_vocabulary(vocabulary, &asked, options.clone()).await?;
                if found.readings.is_empty() {
                    continue;
                }
                let written = &text[range];
                let of_name = found.readings.iter_mut().flat_map(|reading| &mut reading.words);
                of_name
                    .filter(|word| word.words == other)
                    .for_each(|word| written.clone_into(&mut word.words));
                let renamed = format!("{other:?} is the same as {written:?}, by decision");
                return Ok(ByName { found, renamed: Some(renamed) });
            }
        }
        Ok(ByName { found, renamed: None })
    }

    /// Answers a question by a query, if it can be read as one and has rows.
    #[instrument(name = "query", target = "quiver::stage", skip_all, fields(readings, rows))]
    pub(crate) async fn answered_by_query(&self, question: &Question) -> TriedQuery {
        // A query reads the current records of all documents, and resolves names itself.
        let AskOptions { as_of, meanings, .. } = &question.options;
        if as_of.is_some() || !meanings.is_empty() || question.options.is_restricted() {
            return TriedQuery::default();
        }
        let vocabulary = match self.vocabulary.get(&self.graph.whole()).await {
            Ok(vocabulary) if !vocabulary.is_empty() => vocabulary,
            _ => return TriedQuery::default(),
        };
        let budget = Budget { time_max: TIME_MAX, ..Budget::default() };
        let cypher = Options { budget, proof: true, read_only: true, ..Options::default() };
        let AskOptions { asker, now, .. } = question.options.clone();
        let options = QueryOptions { cypher, asker, now, ..QueryOptions::default() };
        let mut lines = Vec::new();
        let found = match self.query_by_any_name(&vocabulary, question, &options).await {
            Ok(ByName { found, renamed }) => {
                lines.extend(renamed);
                found
            }
            Err(error) => {
                let lines = vec![format!("the question as a query failed: {error}")];
                return TriedQuery { lines, ..TriedQuery::default() };
            }
        };
        Span::current().record("readings", found.readings.len());
        if let Some(llm) = self.llm.as_ref().filter(|llm| llm.options.query && found.readings.is_empty()) {
            return self.query_by_model(llm, &vocabulary, question, &options).await;
        }
        lines.extend(found.readings.iter().map(|one| one.cypher.replace('\n', " ")));
        let first = found.readings.into_iter().next();
        let (Some(queried), Some(reading)) = (found.queried, &first) else {
            if !lines.is_empty() {
                lines.insert(
                    0,
                    "the question can be read as several queries, or several nodes share a name in it"
                        .to_owned(),
                );
            }
            let shared_names = first.map(|reading| reading.shared_names).unwrap_or_default();
            return TriedQuery { lines, shared_names, ..TriedQuery::default() };
        };
        let rows = queried.rows;
        Span::current().record("rows", rows.rows.len());
        if !answers(&rows) {
            lines.push("the query has no rows, so the passages are searched".to_owned());
            return TriedQuery { lines, ..TriedQuery::default() };
        }
        lines.extend(reading.words.iter().map(|one| format!("{:?} is {}", one.words, one.meaning)));
        let answer = first.map(|reading| QueryAnswer { reading, rows, model: None });
        TriedQuery { answer, lines, ..TriedQuery::default() }
    }
}
