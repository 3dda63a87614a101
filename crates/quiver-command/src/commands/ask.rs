//! `quiver ask` and `quiver search`.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
};

use anyhow::{Context as _, Result};
use quiver::{
    Answer, AskOptions, Citation, DocumentFilter, Evidence, Excerpt, MeaningCandidate, Progress, Question,
    Quiver, Ranked, Refusal, Sentence, Trace, excerpt,
    graph::{Passage, PassageId},
    store::Collection,
};
use serde_json::Value;

use crate::{
    Exit,
    arguments::{AskArguments, SearchArguments},
    database,
    exit::Failed,
    json,
    output::{Output, note},
    settings::Settings,
};

use super::{count, document, introduced::items, no_document};

/// Maximum number of rows of a query shown with their proofs.
const PROOFS_SHOWN: usize = 20;

pub(super) async fn ask(
    arguments: &AskArguments,
    html: Option<&Path>,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let mut question = question(arguments, settings)?;
    question.options.explain = html.is_some() || arguments.trace;
    let quiver = database::open_briefly(settings, &Collection::ALL).await?;
    question.options.documents = documents(&quiver, arguments).await?;
    let answer = if output.is_json() {
        quiver.ask(question).await?
    } else {
        let mut told = Told::new(output);
        let tell = |progress: Progress<'_>| {
            if let Progress::Sentence(sentence) = progress {
                told.tell(sentence);
            }
        };
        let answer = quiver.ask(question).on_progress(tell).await?;
        told.end(&answer)?;
        answer
    };
    if let Some(file) = html {
        let recorded = serde_json::to_string(&json::Versioned::new(json::Answered::of(&answer, true)))?;
        fs::write(file, quiver_page::recorded(&recorded))
            .with_context(|| format!("{} can't be written", file.display()))?;
        note(&format!("{} shows the answer in a browser", file.display()));
    }
    if answer.refusal == Some(Refusal::NoDocuments) {
        tell_records(&quiver).await?;
    }
    let exit = if answer.text.is_some() { Exit::Done } else { Exit::Negative };
    if output.is_json() {
        output.document(json::Answered::of(&answer, arguments.trace))?;
        return Ok(exit);
    }
    if let Some(query) = &answer.query {
        output.line("\nQuery:")?;
        for line in query.reading.cypher.lines() {
            output.line(format_args!("  {line}"))?;
        }
        output.line("\nBased on:")?;
        for line in (0..query.rows.rows.len().min(PROOFS_SHOWN)).flat_map(|row| query.rows.proof_lines(row)) {
            output.line(format_args!("  {line}"))?;
        }
    }
    if answer.text.is_some() {
        print_citations(&quiver, &answer, output).await?;
    }
    if !answer.found.is_empty() {
        output.line("")?;
    }
    found_lines(&answer, output)?;
    print_passages(&quiver, &answer.evidence, arguments, output).await?;
    print_trace(arguments.trace, answer.trace(), output)?;
    Ok(exit)
}

/// Prints the sentences that an answer rests on, each with the path to it unless that is part of an earlier one.
async fn print_citations(quiver: &Quiver, answer: &Answer, output: &mut Output) -> Result<()> {
    let mut on_the_way = BTreeSet::new();
    for citation in &answer.citations {
        if !citation.path.is_empty() && !on_the_way.contains(&citation.passage) {
            output.line("\nPath:")?;
            for line in path_lines(quiver, citation).await? {
                output.line(format_args!("  {line}"))?;
            }
        }
        on_the_way.extend(citation.path.iter().map(|(from, _)| *from).chain([citation.passage]));
        output.line(format_args!("\nFrom {}:\n  “{}”", citation.title, indented(&citation.sentence)))?;
        for item in items(&answer.evidence, citation.passage, &citation.sentence) {
            output.line(format_args!("    {item}"))?;
        }
    }
    Ok(())
}

pub(super) async fn search(
    SearchArguments { ask: arguments, from }: &SearchArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let mut question = question(arguments, settings)?;
    question.options.explain = arguments.trace;
    question.options.from = *from;
    let quiver = database::open_briefly(settings, &Collection::ALL).await?;
    question.options.documents = documents(&quiver, arguments).await?;
    let evidence = quiver.retrieve(question).await?;
    let exit = if evidence.passages.is_empty() { Exit::Negative } else { Exit::Done };
    if output.is_json() {
        output.document(json::Searched::of(&evidence, arguments.trace))?;
        return Ok(exit);
    }
    if evidence.passages.is_empty() {
        output.line("No passage matches anything in the question.")?;
    }
    print_passages(&quiver, &evidence, arguments, output).await?;
    if let Some(next) = evidence.next {
        output.line(format_args!("\nMore passages: --from {next}"))?;
    }
    print_trace(arguments.trace, &evidence.trace, output)?;
    Ok(exit)
}

/// An answer that is shown as it arrives.
pub(super) struct Told<'o> {
    output: &'o mut Output,
    sentences: Vec<String>,
    failure: Option<std::io::Error>,
}

impl<'o> Told<'o> {
    pub(super) fn new(output: &'o mut Output) -> Self {
        Self { output, sentences: Vec::new(), failure: None }
    }

    /// Shows a sentence at once.
    pub(super) fn tell(&mut self, sentence: &Sentence) {
        let space = if self.sentences.is_empty() { "" } else { " " };
        self.sentences.push(sentence.text.clone());
        let shown =
            self.output.text(format_args!("{space}{}", sentence.text)).and_then(|()| self.output.finish());
        if let Err(error) = shown {
            self.failure.get_or_insert(error);
        }
    }

    /// Ends the line, and shows the final answer if it differs.
    pub(super) fn end(self, answer: &Answer) -> Result<()> {
        if let Some(failure) = self.failure {
            return Err(failure.into());
        }
        let is_same = |text: &String| *text == self.sentences.join(" ");
        if !self.sentences.is_empty() {
            self.output.line("")?;
            if answer.text.as_ref().is_some_and(is_same) {
                return Ok(());
            }
            self.output.line("That answer was withdrawn. The final reply:")?;
        }
        Ok(self.output.line(headline(answer))?)
    }
}

fn question(arguments: &AskArguments, settings: &Settings) -> Result<Question> {
    if arguments.question.trim().is_empty() {
        return Err(Failed::usage("the question is empty").into());
    }
    let as_of = arguments.as_of.map(|moment| moment.0);
    let options = AskOptions {
        as_of,
        filter: filter(arguments),
        meanings: arguments.meaning.clone(),
        asker: arguments.asker.clone(),
        now: arguments.now.map(|moment| moment.0),
        ..options(settings)
    };
    Ok(Question::new(&arguments.question).with_options(options))
}

/// Returns the conditions on documents.
fn filter(arguments: &AskArguments) -> DocumentFilter {
    let AskArguments { conditions, written_since, written_before, .. } = arguments;
    let mut filter = DocumentFilter {
        written_since: written_since.map(|moment| moment.0),
        written_before: written_before.map(|moment| moment.0),
        ..DocumentFilter::default()
    };
    for (key, value) in conditions {
        // Metadata may have the number 7 or the text "7".
        let plain = serde_json::from_str::<Value>(value).ok();
        let plain = plain.filter(|value| value.is_number() || value.is_boolean());
        filter = filter.metadata(key, plain.into_iter().chain([Value::from(value.as_str())]));
    }
    filter
}

/// Returns the keys of the documents to use.
async fn documents(quiver: &Quiver, arguments: &AskArguments) -> Result<Vec<String>> {
    let mut keys = Vec::new();
    for named in &arguments.document {
        match document(quiver, named).await? {
            Some(key) => keys.push(key),
            None => return Err(Failed::missing(no_document(quiver, named).await?).into()),
        }
    }
    Ok(keys)
}

/// Tells why a question about records has no answer if there are only records.
async fn tell_records(quiver: &Quiver) -> Result<()> {
    if quiver.stats().await?.entities > 0 {
        note(
            "there are records, but the question was not understood as a query over them; `quiver schema show` lists \
             their labels and properties, and `quiver query` takes Cypher",
        );
    }
    Ok(())
}

/// Returns the options for questions.
pub(crate) fn options(settings: &Settings) -> AskOptions {
    let defaults = AskOptions::of(settings.profile.into());
    AskOptions {
        passages_limit: settings.passages.unwrap_or(defaults.passages_limit),
        hops_max: settings.hops.unwrap_or(defaults.hops_max),
        confidence_min: settings.confidence_min.unwrap_or(defaults.confidence_min),
        ..defaults
    }
}

/// Returns the answer, or the reason why there is none.
pub(super) fn headline(answer: &Answer) -> String {
    match (&answer.text, &answer.refusal) {
        (Some(text), _) => text.clone(),
        (None, Some(refusal)) => format!("No answer: {refusal}."),
        (None, None) => "No answer: no sentence of the evidence answers the question.".to_owned(),
    }
}

/// Returns the passages on the path to a citation, each with the step that leads on from it.
pub(super) async fn path_lines(quiver: &Quiver, citation: &Citation) -> Result<Vec<String>> {
    let names = names(quiver, citation.path.iter().map(|(from, _)| *from)).await?;
    let mut lines = Vec::new();
    for (from, step) in &citation.path {
        lines.extend(names.get(from).cloned());
        lines.push(format!("  → {step}"));
    }
    lines.push(citation.title.clone());
    Ok(lines)
}

/// Returns the names of passages on the path, since not all of them are among the best.
async fn names(
    quiver: &Quiver,
    passages: impl Iterator<Item = PassageId>,
) -> Result<HashMap<PassageId, String>> {
    let ids: Vec<PassageId> = passages.collect::<BTreeSet<_>>().into_iter().collect();
    let passages = quiver.graph().passages(&ids).await?;
    Ok(passages.iter().map(|passage| (passage.id, label(passage).to_owned())).collect())
}

/// Prints the sentences that come nearest to an answer.
pub(super) fn found_lines(answer: &Answer, output: &mut Output) -> Result<()> {
    for (index, found) in answer.found.iter().enumerate() {
        if index == 0 {
            output.line("The most relevant sentences, which may not answer the question:")?;
        }
        output.line(format_args!("  {}: “{}”", found.title, indented(&found.sentence)))?;
        for item in items(&answer.evidence, found.passage, &found.sentence) {
            output.line(format_args!("    {item}"))?;
        }
    }
    Ok(())
}

/// A quotation whose further lines, such as list items, stand below the first.
fn indented(quotation: &str) -> String {
    quotation.replace('\n', "\n    ")
}

pub(super) fn label(passage: &Passage) -> &str {
    passage.title.as_deref().unwrap_or(&passage.document)
}

async fn print_passages(
    quiver: &Quiver,
    evidence: &Evidence,
    arguments: &AskArguments,
    output: &mut Output,
) -> Result<()> {
    let on_the_way = evidence.passages.iter().flat_map(|ranked| &ranked.path).map(|(from, _)| *from);
    let names = names(quiver, on_the_way).await?;
    if !evidence.passages.is_empty() {
        output.line("\nPassages:")?;
    }
    for (index, ranked) in evidence.passages.iter().enumerate() {
        let Ranked { passage, score, plain, path, .. } = ranked;
        let scores = if arguments.trace {
            format!(" score {score:.3}, by words alone {plain:.3}")
        } else {
            String::new()
        };
        output.line(format_args!("{:>3}. {} [{}]{scores}", index + 1, label(passage), passage.document))?;
        let way: Vec<&str> =
            path.iter().filter_map(|(from, _)| names.get(from)).map(String::as_str).collect();
        if !way.is_empty() {
            output.line(format_args!("     reached by {}", way.join(" → ")))?;
        }
        let Excerpt { text, said, .. } = excerpt(&passage.text, &arguments.question);
        output.text("     ")?;
        output.marked_line(&text, &said)?;
    }
    Ok(())
}

/// Prints a trace if requested; otherwise notes the costs and what was missing.
pub(super) fn print_trace(is_wanted: bool, trace: &Trace, output: &mut Output) -> Result<()> {
    if is_wanted {
        output.line("\nTrace:")?;
        for line in trace.to_string().lines() {
            output.line(format_args!("  {line}"))?;
        }
        for choice in trace.explanation.iter().flat_map(|explanation| &explanation.choices) {
            output.line(format_args!(
                "  {:?} is ambiguous (choose with --meaning NAME=ENTITY):",
                choice.name
            ))?;
            for MeaningCandidate { id, entity, passages_about, .. } in &choice.candidates {
                let chosen = if choice.chosen == Some(*id) { ", chosen" } else { "" };
                let about = count(*passages_about as usize, "passage");
                output.line(format_args!("    {id}  {entity}, {about} about it{chosen}"))?;
            }
        }
    } else {
        if !trace.calls.is_empty() {
            note(&format!("language model: {}", trace.spent()));
        }
        trace.degraded.iter().for_each(|what| note(&format!("degraded: {what}")));
    }
    Ok(())
}
