//! `quiver context`.

use anyhow::Result;
use quiver::{
    AskOptions,
    context::{ContextItem, ContextOptions, ContextWeights},
    store::Collection,
};

use super::{
    ask::{options, print_trace},
    count,
};
use crate::{
    Exit,
    arguments::ContextArguments,
    database,
    exit::Failed,
    json,
    output::{Output, note},
    settings::Settings,
};

pub(super) async fn run(
    arguments: &ContextArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    if arguments.question.trim().is_empty() {
        return Err(Failed::usage("the question is empty").into());
    }
    let defaults = ContextOptions::default();
    let passages_limit = settings.passages.unwrap_or(defaults.ask.passages_limit);
    let options = ContextOptions {
        tokens_max: arguments.tokens.unwrap_or(defaults.tokens_max),
        session: arguments.session.clone(),
        weights: weights(&arguments.weight)?,
        now: arguments.now.map(|moment| moment.0),
        ask: AskOptions {
            passages_limit,
            asker: arguments.asker.clone(),
            as_of: arguments.as_of.map(|moment| moment.0),
            ..options(settings)
        },
        ..defaults
    };
    let tokens_max = options.tokens_max;
    let quiver = database::open_briefly(settings, &Collection::ALL).await?;
    let context = quiver.context(&arguments.question).options(options).await?;
    let exit = if context.items.is_empty() { Exit::Negative } else { Exit::Done };
    if output.is_json() {
        output.document(json::context::Packed::of(&context, arguments.trace))?;
        return Ok(exit);
    }
    if !context.items.is_empty() {
        output.line(context.text().trim_end())?;
    }
    if arguments.explain {
        output.line("\nScores:")?;
        for (item, stays) in
            context.items.iter().map(|item| (item, true)).chain(context.left.iter().map(|item| (item, false)))
        {
            explain(item, stays, output)?;
        }
    }
    print_trace(arguments.trace, &context.trace, output)?;
    if context.items.is_empty() && !context.left.is_empty() {
        note(&format!(
            "{} found, but no sentence of them fits in {}; allow more with --tokens",
            count(context.left.len(), "item"),
            count(tokens_max, "token")
        ));
        return Ok(exit);
    }
    note(&format!(
        "{} in {}; {} did not fit",
        count(context.items.len(), "item"),
        count(context.tokens, "token"),
        context.left.len()
    ));
    Ok(exit)
}

/// Prints the components of a score in one line.
fn explain(item: &ContextItem, stays: bool, output: &mut Output) -> Result<()> {
    let shares = &item.shares;
    let line = item.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let beginning: String = line.chars().take(60).collect();
    let left = if stays { "" } else { "dropped: " };
    output.line(format_args!(
        "  {:.3} = relevance {:.2} + proximity {:.2} + mention {:.2} + recency {:.2} + interaction {:.2}  {left}{beginning}",
        item.score, shares.relevance, shares.proximity, shares.mention, shares.recency, shares.interaction,
    ))?;
    Ok(())
}

/// Returns the default weights, overridden by the given ones.
fn weights(given: &[String]) -> Result<ContextWeights> {
    let mut weights = ContextWeights::default();
    for given in given {
        let parts =
            given.split_once('=').and_then(|(name, weight)| Some((name, weight.parse::<f32>().ok()?)));
        let weight = parts.filter(|(_, weight)| weight.is_finite());
        let slot = match weight.map(|(name, _)| name) {
            Some("relevance") => &mut weights.relevance,
            Some("proximity") => &mut weights.proximity,
            Some("mention") => &mut weights.mention,
            Some("recency") => &mut weights.recency,
            Some("interaction") => &mut weights.interaction,
            _ => {
                let message = format!(
                    "--weight {given}: write NAME=NUMBER, with NAME relevance, proximity, mention, recency or interaction"
                );
                return Err(Failed::usage(message).into());
            }
        };
        *slot = weight.map_or(*slot, |(_, weight)| weight);
    }
    Ok(weights)
}
