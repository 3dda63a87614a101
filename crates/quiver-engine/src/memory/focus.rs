//! The topic of a session, to resolve referents such as "this project" and "it".

use quiver_graph::{Entity, EntityId, Graph, Passage, Result, filters};
use quiver_language::{read, word::is_irregular_verb};

use super::change;

/// Number of recent turns to consider.
const TURNS_MAX: usize = 32;

/// The latest turns of a session, most recent first, each with its entities: subjects first, then other
/// mentions.
pub(crate) async fn recent(
    graph: &Graph,
    session: &str,
    before: Option<i64>,
) -> Result<Vec<(Passage, Vec<Entity>)>> {
    let mut filter = filters::of_session(session);
    if let Some(before) = before {
        filter = filter.and(filters::said(None, Some(before)));
    }
    let turns: Vec<Passage> = graph.latest(&filter, TURNS_MAX).await?;
    let mut ids: Vec<EntityId> = turns.iter().flat_map(|turn| &turn.entities).copied().collect();
    ids.sort();
    ids.dedup();
    let entities = graph.entities(&ids).await?;
    let of = |turn: &Passage| -> Vec<Entity> {
        let ids = turn.subjects.iter().chain(turn.entities.iter().filter(|id| !turn.subjects.contains(id)));
        ids.filter_map(|id| entities.iter().find(|entity| entity.id == *id)).cloned().collect()
    };
    Ok(turns
        .into_iter()
        .map(|turn| {
            let entities = of(&turn);
            (turn, entities)
        })
        .collect())
}

/// Finds a phrase such as "this project" in a text and resolves its referent. Returns the phrase and the referent's
/// name: the most recent entity of that kind, or else the most frequent subject of the turns.
pub(crate) async fn stands_for(
    graph: &Graph,
    session: &str,
    text: &str,
    before: Option<i64>,
) -> Result<Option<(String, String)>> {
    let Some((phrase, noun)) = pointing(text) else { return Ok(None) };
    let lately = recent(graph, session, before).await?;
    Ok(most_salient(&noun, &lately).map(|name| (phrase, name)))
}

/// The most recently mentioned entity of a kind, or else the most frequent subject.
pub(crate) fn most_salient(noun: &str, lately: &[(Passage, Vec<Entity>)]) -> Option<String> {
    let says = |entity: &&Entity| {
        let lower = entity.name.to_lowercase();
        entity.kind.as_deref() == Some(noun)
            || (lower.contains(noun) && lower != *noun && entity.name.contains(char::is_uppercase))
    };
    let of_sort = lately.iter().flat_map(|(_, entities)| entities).find(says);
    let most = || {
        let subjects = lately
            .iter()
            .flat_map(|(turn, entities)| entities.iter().filter(|entity| turn.subjects.contains(&entity.id)));
        let mut counts: Vec<(usize, &Entity)> = Vec::new();
        for subject in subjects.filter(|entity| entity.name.contains(char::is_uppercase)) {
            match counts.iter_mut().find(|(_, entity)| entity.id == subject.id) {
                Some((count, _)) => *count += 1,
                None => counts.push((1, subject)),
            }
        }
        counts.into_iter().rev().max_by_key(|(count, _)| *count).map(|(_, entity)| entity)
    };
    of_sort.or_else(most).map(|entity| entity.name.clone())
}

/// The first demonstrative phrase of a text with its noun: "this project", "that study".
fn pointing(text: &str) -> Option<(String, String)> {
    let words = read(text).tokens;
    (1..words.len()).find_map(|at| {
        let (pointer, noun) = (&words[at - 1], &words[at]);
        let points = matches!(pointer.norm.as_ref(), "this" | "that");
        let is_noun =
            noun.class.is_none() && noun.text.len() > 2 && noun.text.chars().all(char::is_lowercase);
        // "The job that feeds it": if a verb follows a noun and "that", this is a relative clause.
        let lower = noun.norm.as_ref();
        let is_verb = change::is_past(lower) || change::is_third_person(lower) || is_irregular_verb(lower);
        let is_relative = at > 1 && words[at - 2].class.is_none() && is_verb && pointer.norm == "that";
        (points && is_noun && !is_relative)
            .then(|| (format!("{} {}", pointer.text, noun.text), lower.to_owned()))
    })
}
