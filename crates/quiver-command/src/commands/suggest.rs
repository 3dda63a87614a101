//! `quiver suggest`.

use anyhow::Result;
use quiver::{
    graph::{Passage, Workspace},
    memory::{SuggestOptions, SuggestedEntity, Suggestion, SuggestionKind},
    store::Collection,
};

use super::count;
use crate::{
    Exit,
    arguments::SuggestArguments,
    database, json,
    output::{Output, note},
    settings::Settings,
};

/// Maximum number of characters of a passage that are printed.
const TEXT_MAX: usize = 160;

pub(super) async fn run(
    arguments: &SuggestArguments,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit> {
    let defaults = SuggestOptions::default();
    let options = SuggestOptions {
        kind: arguments.kind.as_deref().map(kind),
        limit: arguments.limit.unwrap_or(defaults.limit),
        together_min: arguments.together.unwrap_or(defaults.together_min),
        ..defaults
    };
    let quiver = database::open_briefly(settings, &Collection::ALL).await?;
    let made = quiver.suggest().options(options).await?;
    let exit = if made.suggestions.is_empty() { Exit::Negative } else { Exit::Done };
    let workspace = &settings.workspace;
    if output.is_json() {
        let suggestions = made.suggestions.iter().map(|suggestion| form(suggestion, workspace)).collect();
        output.document(json::memory::Suggestions { suggestions, is_partial: made.is_partial })?;
        return Ok(exit);
    }
    for suggestion in &made.suggestions {
        let (one, other) = (&suggestion.one.name, &suggestion.other.name);
        let what = match suggestion.kind {
            SuggestionKind::Relation => "are named together",
            _ => "are probably the same",
        };
        output.line(format_args!("{one} and {other} {what}: {}", suggestion.reason))?;
        for passage in &suggestion.passages {
            output.line(format_args!("    {}  {}", place(passage), beginning(&passage.text)))?;
        }
        output.line(format_args!("  take it:  {}", take(suggestion, workspace)))?;
        output.line(format_args!("  leave it: {}\n", leave(suggestion, workspace)))?;
    }
    note(&count(made.suggestions.len(), "suggestion"));
    if made.is_partial {
        note("not all entities, passages or pairs were compared; more may follow when these are decided");
    }
    Ok(exit)
}

/// Returns the kind of suggestions with this name.
pub(super) fn kind(name: &str) -> SuggestionKind {
    if name == SuggestionKind::Relation.as_str() { SuggestionKind::Relation } else { SuggestionKind::Merge }
}

fn place(passage: &Passage) -> String {
    match &passage.session {
        Some(session) => format!("{session}, turn {}:", passage.position),
        None => format!("{}:", passage.document.replace('\n', "\u{240a}")),
    }
}

/// Returns the beginning of a text in one line.
fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Returns the command that takes a suggestion.
fn take(suggestion: &Suggestion, workspace: &Workspace) -> String {
    let Suggestion { one, other, .. } = suggestion;
    match suggestion.kind {
        SuggestionKind::Relation => {
            let query = format!(
                "MATCH {}, {} WHERE elementId(a) = '{}' AND elementId(b) = '{}' CREATE (a)-[:RELATED_TO]->(b)",
                node('a', one),
                node('b', other),
                one.id.point().as_u128(),
                other.id.point().as_u128()
            );
            command(&["query", &query], workspace)
        }
        _ => {
            command(&["decide", "merge", &one.name, &other.name, "--evidence", &suggestion.reason], workspace)
        }
    }
}

/// Returns the command that leaves a suggestion.
fn leave(suggestion: &Suggestion, workspace: &Workspace) -> String {
    let Suggestion { kind, one, other, .. } = suggestion;
    command(&["decide", "leave", kind.as_str(), named(one).as_str(), named(other).as_str()], workspace)
}

/// Returns the name of an entity, or its ID if others have the name.
fn named(entity: &SuggestedEntity) -> String {
    if entity.is_only { entity.name.clone() } else { entity.id.to_string() }
}

/// Returns a node of a pattern, by its name.
fn node(variable: char, entity: &SuggestedEntity) -> String {
    let name = entity.name.replace('\\', "\\\\").replace('\'', "\\'");
    format!("({variable} {{name: '{name}'}})")
}

/// Returns a command with arguments as a shell reads them.
fn command(arguments: &[&str], workspace: &Workspace) -> String {
    let mut line = "quiver".to_owned();
    if *workspace != Workspace::default() {
        line = format!("{line} --workspace {}", quoted(workspace.as_str()));
    }
    arguments.iter().fold(line, |line, argument| format!("{line} {}", quoted(argument)))
}

/// Quotes an argument for a shell, unless it is a plain word.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

fn form(suggestion: &Suggestion, workspace: &Workspace) -> json::memory::Suggested {
    let entity = |entity: &SuggestedEntity| json::memory::SuggestedEntity {
        id: entity.id.to_string(),
        name: entity.name.clone(),
    };
    let passage = |passage: &Passage| json::memory::SuggestedPassage {
        id: passage.id.to_string(),
        document: passage.session.is_none().then(|| passage.document.clone()),
        session: passage.session.clone(),
        text: passage.text.clone(),
    };
    json::memory::Suggested {
        kind: suggestion.kind.as_str().to_owned(),
        one: entity(&suggestion.one),
        other: entity(&suggestion.other),
        reason: suggestion.reason.clone(),
        passages: suggestion.passages.iter().map(passage).collect(),
        take: take(suggestion, workspace),
        leave: leave(suggestion, workspace),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        assert_eq!(quoted("Aurelia"), "Aurelia");
        assert_eq!(quoted("O'Holm & Co"), r"'O'\''Holm & Co'");
        assert_eq!(quoted(""), "''");
    }
}
