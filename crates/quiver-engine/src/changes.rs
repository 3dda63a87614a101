//! The dated facts of an answer that changed over time, for the explanation of its trace.

use std::collections::BTreeSet;

use quiver_graph::RelationId;

use crate::{
    answer::Answer,
    explanation::{DatedFact, Explanation},
    memory::RecalledFact,
    step::Step,
};

/// Maximum number of names whose facts are read.
const NAMES_MAX: usize = 4;
/// Maximum length of such a name in bytes.
const NAME_BYTES_MAX: usize = 200;
/// Maximum number of facts in an explanation.
const FACTS_MAX: usize = 100;

/// Returns the names whose facts may have changed: those in the question, then those on the way to the first sentence.
pub(crate) fn names(answer: &Answer, explanation: &Explanation) -> Vec<String> {
    let citations = if answer.text.is_some() { &answer.citations } else { &answer.found };
    let bridges = citations.first().into_iter().flat_map(|citation| &citation.path);
    let bridges = bridges.filter_map(|(_, step)| match step {
        Step::Mention { entity, .. } | Step::MentionedBy { entity } | Step::Bridge { entity, .. } => {
            Some(entity)
        }
        Step::Shared { .. } => None,
    });
    let mut names: Vec<String> = Vec::new();
    for name in explanation.names.iter().map(|name| &name.entity).chain(bridges) {
        if name.len() <= NAME_BYTES_MAX && names.len() < NAMES_MAX && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Returns the dated facts that ended, and those that ended them, by subject, predicate and time.
pub(crate) fn changed(facts: Vec<RecalledFact>) -> Vec<DatedFact> {
    let mut seen = BTreeSet::new();
    let is_dated = |fact: &RecalledFact| {
        fact.valid_from.is_some() && fact.session.is_some() && !fact.sentence.is_empty()
    };
    let mut facts: Vec<RecalledFact> =
        facts.into_iter().filter(|fact| is_dated(fact) && seen.insert(fact.id)).collect();
    facts.sort_by_cached_key(|fact| (slot(fact), fact.valid_from, fact.id));
    let slots = facts.chunk_by(|one, other| slot(one) == slot(other));
    let mut changed: Vec<DatedFact> =
        slots.flat_map(|all| all.iter().map(move |fact| dated(fact, all))).collect();
    let enders: BTreeSet<RelationId> = changed.iter().filter_map(|fact| fact.ended_by).collect();
    changed.retain(|fact| fact.end.is_some() || !fact.holds || enders.contains(&fact.id));
    changed.truncate(FACTS_MAX);
    changed
}

fn slot(fact: &RecalledFact) -> (String, String) {
    (fact.subject.to_lowercase(), fact.predicate.to_lowercase())
}

/// Converts a fact, with what of the same slot ended it: the fact that says so, or the first one after it that replaces
/// earlier values or denies it.
fn dated(fact: &RecalledFact, all: &[RecalledFact]) -> DatedFact {
    let over = !fact.holds || fact.valid_to.is_some();
    let ends = |other: &&RecalledFact| {
        other.valid_from > fact.valid_from
            && (other.valid_from == fact.valid_to
                || (other.decision.is_some() && !other.is_undone)
                || (other.denied && other.object == fact.object))
    };
    let by = all.iter().find(ends).filter(|_| over);
    DatedFact {
        id: fact.id,
        subject: fact.subject.clone(),
        predicate: fact.predicate.clone(),
        object: fact.object.clone(),
        denied: fact.denied,
        holds: fact.holds,
        begin: fact.valid_from.unwrap_or_default(),
        end: fact.valid_to.or_else(|| by.and_then(|by| by.valid_from)),
        ended_by: by.map(|by| by.id),
        session: fact.session.clone().unwrap_or_default(),
        sentence: fact.sentence.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(id: u128, object: &str, from: i64) -> RecalledFact {
        RecalledFact {
            id: format!("{id:032x}").parse().expect("an ID"),
            subject: "Redis".to_owned(),
            predicate: "is run by".to_owned(),
            object: object.to_owned(),
            valid_from: Some(from),
            valid_to: None,
            recorded_at: None,
            speaker: None,
            session: Some("ops".to_owned()),
            turn: None,
            sentence: format!("Redis is run by {object}."),
            reader: None,
            denied: false,
            holds: true,
            decision: None,
            is_undone: false,
            is_read: false,
        }
    }

    /// The facts as their objects, with their ends and the objects that ended them.
    fn ends(facts: Vec<RecalledFact>) -> Vec<(String, Option<i64>, Option<String>)> {
        let changed = changed(facts);
        let object = |id| changed.iter().find(|fact| fact.id == id).map(|fact| fact.object.clone());
        changed.iter().map(|fact| (fact.object.clone(), fact.end, fact.ended_by.and_then(object))).collect()
    }

    #[test]
    fn a_fact_is_ended_by_what_replaces_or_denies_it_or_on_its_own_day() {
        let mo = RecalledFact { holds: false, ..fact(1, "Mo", 10) };
        let lena =
            RecalledFact { decision: Some("replaces earlier values".to_owned()), ..fact(2, "Lena", 30) };
        let entry = |object: &str, end, by: Option<&str>| (object.to_owned(), end, by.map(str::to_owned));
        let both = vec![entry("Mo", Some(30), Some("Lena")), entry("Lena", None, None)];
        assert_eq!(ends(vec![lena.clone(), mo.clone(), lena.clone()]), both);
        let denied = RecalledFact { denied: true, ..fact(3, "Mo", 20) };
        assert_eq!(ends(vec![mo.clone(), denied])[0], entry("Mo", Some(20), Some("Mo")));
        let until = RecalledFact { valid_to: Some(15), ..fact(4, "Kim", 10) };
        assert_eq!(ends(vec![until]), [entry("Kim", Some(15), None)]);
        let undone = RecalledFact { is_undone: true, ..lena.clone() };
        assert_eq!(ends(vec![fact(1, "Mo", 10), undone]), [], "both hold");
        let other = RecalledFact { predicate: "is paid by".to_owned(), ..lena };
        assert_eq!(ends(vec![mo.clone(), other]), [entry("Mo", None, None)], "another fact ends nothing");
        assert_eq!(ends(vec![RecalledFact { session: None, ..mo }]), [], "decided by hand");
    }
}
