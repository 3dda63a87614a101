//! Output of a conversation.

use anyhow::Result;
use quiver::{
    Answer, Excerpt, Quiver, excerpt,
    graph::{EntityId, Passage, Relation, filters, name},
    session::{Reply, RewrittenBy},
};

use super::stated::is_stated;
use crate::{commands::ask, output::Output};

/// Maximum number of relations shown for an entity, and of those read to find them.
const RELATIONS_MAX: usize = 20;
const RELATIONS_READ_MAX: usize = 200;

/// Maximum number of passages shown instead of an answer.
const PASSAGES_MAX: usize = 3;

/// Prints what follows an answer: its source, and the rewritten question if it differs. Without an answer, prints what
/// was found, what was noted, or a clarifying question.
pub(super) fn reply(reply: &Reply, output: &mut Output) -> Result<()> {
    if let Some(asks) = reply.asks() {
        output.line(format_args!("“{}” is ambiguous. Which one do you mean?", asks.said))?;
        for (at, option) in asks.options.iter().enumerate() {
            output.line(format_args!("  {}. {}", at + 1, option.name))?;
        }
        return Ok(());
    }
    if let Some(noted) = &reply.noted {
        output.line(noted)?;
    }
    let Some(answer) = &reply.answer else {
        for what in &reply.read.degraded {
            output.line(format_args!("  degraded: {what}"))?;
        }
        return Ok(());
    };
    match (&answer.text, answer.citations.first()) {
        (None, _) => found(reply, answer, output)?,
        (Some(text), Some(citation)) => {
            // An answer that is the sentence is not said twice.
            let quoted = if *text == citation.sentence {
                String::new()
            } else {
                format!(": “{}”", citation.sentence)
            };
            output.line(format_args!("  from {}{quoted}", citation.title))?;
        }
        (Some(_), None) => {}
    }
    if reply.read.standalone != reply.read.question {
        output.line(format_args!("  understood as: {}", reply.read.standalone))?;
    }
    for what in &answer.trace().degraded {
        output.line(format_args!("  degraded: {what}"))?;
    }
    Ok(())
}

/// Prints what comes nearest to an answer: sentences, and excerpts of other passages.
fn found(reply: &Reply, answer: &Answer, output: &mut Output) -> Result<()> {
    ask::found_lines(answer, output)?;
    let is_quoted = |passage: &Passage| answer.found.iter().any(|found| found.passage == passage.id);
    let passages = answer.evidence.passages.iter().take(PASSAGES_MAX).map(|ranked| &ranked.passage);
    for passage in passages.filter(|passage| !is_quoted(passage)) {
        output.text(format_args!("  {}: ", ask::label(passage)))?;
        let Excerpt { text, said, .. } = excerpt(&passage.text, &reply.read.standalone);
        output.marked_line(&text, &said)?;
    }
    Ok(())
}

/// Prints how a question was understood, and the path to its answer.
pub(super) async fn why(quiver: &Quiver, reply: &Reply, output: &mut Output) -> Result<()> {
    let read = &reply.read;
    let by = match read.by {
        RewrittenBy::Model => "by the language model",
        RewrittenBy::Caller => "as you said",
        _ => "by rules",
    };
    if read.rewrites.is_empty() {
        output.line(format_args!("The question was used as asked: {}", read.standalone))?;
    } else {
        output.line(format_args!("Understood {by} as: {}", read.standalone))?;
        for rewrite in &read.rewrites {
            let said = if rewrite.said.is_empty() { "nothing named" } else { &rewrite.said };
            output.line(format_args!("  “{said}” is {}: {}", rewrite.stands_for, rewrite.because))?;
        }
    }
    let citation = reply.answer.as_ref().filter(|answer| answer.text.is_some());
    let Some(citation) = citation.and_then(|answer| answer.citations.first()) else { return Ok(()) };
    output.line("The path to the answer:")?;
    for line in ask::path_lines(quiver, citation).await? {
        output.line(format_args!("  {line}"))?;
    }
    output.line(format_args!("  “{}”", citation.sentence))?;
    Ok(())
}

/// Prints what each step did.
pub(super) fn trace(reply: &Reply, output: &mut Output) -> Result<()> {
    let Some(answer) = &reply.answer else {
        let what =
            if reply.noted.is_some() { "A statement was noted" } else { "A clarifying question was asked" };
        output.line(format_args!("{what}, so no stage was run."))?;
        return Ok(());
    };
    for line in answer.trace().to_string().lines() {
        output.line(format_args!("  {line}"))?;
    }
    Ok(())
}

/// Prints the facts about an entity, and the relations that were given or that documents state.
pub(super) async fn facts(quiver: &Quiver, about: &str, output: &mut Output) -> Result<()> {
    let facts = quiver.facts(about).await?;
    for fact in &facts {
        output.line(format_args!("  {} | {} | {}", fact.subject, fact.predicate, fact.object))?;
    }
    let names = [name::normalise(about), format!("the {}", name::normalise(about))];
    let seen = quiver.without_deleted().await?;
    let entities = seen.graph().entities_named(&names, RELATIONS_MAX).await?;
    let ids: Vec<EntityId> = entities.iter().map(|entity| entity.id).collect();
    let ends = filters::touching(ids);
    let relations: Vec<Relation> = seen.graph().list(ends, RELATIONS_READ_MAX).await?;
    let ends: Vec<EntityId> =
        relations.iter().flat_map(|relation| [relation.subject, relation.object]).collect();
    let names = seen.graph().names_of(&ends).await?;
    let called = |id: &EntityId| names.get(id).map_or("?", String::as_str).to_owned();
    let named = relations.iter().filter(|relation| relation.recorded_at.is_none()).map(|relation| {
        let ends = (called(&relation.subject), called(&relation.object));
        (relation, ends)
    });
    let stated = named.filter(|(relation, (subject, object))| is_stated(relation, subject, object));
    let mut shown = facts.len();
    for (relation, (subject, object)) in stated.take(RELATIONS_MAX) {
        output.line(format_args!("  {subject} | {} | {object}", relation.predicate))?;
        shown += 1;
    }
    if shown == 0 {
        output.line(format_args!("Nothing is known about {about}."))?;
    }
    Ok(())
}
