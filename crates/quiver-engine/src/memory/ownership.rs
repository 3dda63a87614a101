//! Ownership: who owns, leads or handles what, in any wording.

use quiver_language::predicate::{self, Predicate};

use super::{known::MemoryFact, lexicon::Wanted, shape::Shape};

/// The kind of ownership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The holder owns it.
    Owns,
    /// The holder leads it.
    Leads,
    /// The holder works on it.
    Handles,
    /// The holder has it in a way that only a handover ends.
    Holds,
    /// Any kind: a handover continues the previous kind.
    Any,
}

/// A holder and the thing held, as nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ownership {
    pub(super) thing: u64,
    pub(super) holder: u64,
    pub(super) sort: Sort,
}

impl Ownership {
    /// The ownership that a fact states, if any.
    pub(super) fn of(fact: &MemoryFact) -> Option<Self> {
        let words = &fact.words;
        let said: Vec<&str> = words.predicate.iter().map(|word| &*word.lower).collect();
        if fact.is_denied()
            || said.iter().any(|word| matches!(*word, "in" | "at" | "from" | "not" | "because"))
        {
            return None;
        }
        // "It goes to Fabio": Fabio has it from now on.
        let goes = said == ["go", "to"] && Shape::fits(fact.object(), Wanted::Person) >= 1.0;
        // "Per took over the archive".
        let takes =
            said.contains(&"over") && said.iter().any(|word| matches!(*word, "take" | "takes" | "took"));
        let had = said.iter().find_map(|word| sort(word)).or_else(|| goes.then_some((Sort::Any, true)));
        let had = had.or_else(|| takes.then_some((Sort::Any, false)));
        let (mut sort, mut names_thing_first) = had?;
        // "Re-assigned": the previous holder no longer has it.
        if said.contains(&"re") {
            sort = Sort::Any;
        }
        // "Tom is responsible for the report" and "the report is the responsibility of Tom".
        if said.contains(&"responsible") && said.contains(&"for") {
            names_thing_first = false;
        }
        let turned = said.iter().any(|word| matches!(*word, "by" | "to" | "with"));
        // "The lead of Orion is Lou" and "Lou will lead Orion".
        let person = |name: &str| Shape::fits(name, Wanted::Person);
        let is_role = said == ["lead"] && person(fact.object()) > person(fact.subject());
        let (thing, holder) = if names_thing_first || turned || is_role {
            (words.subject_bare, words.object_bare)
        } else {
            (words.object_bare, words.subject_bare)
        };
        Some(Self { thing, holder, sort })
    }

    /// The holder of a thing by a relation in which it has one holder at a time: "Redis is run by Mo".
    pub(super) fn of_holder(fact: &MemoryFact) -> Option<Self> {
        let is_held = !fact.is_denied() && predicate::says(&fact.words.relation.base, Predicate::Held);
        let (holder, thing) = fact.roles();
        is_held.then_some(Self { thing, holder, sort: Sort::Holds })
    }
}

/// Whether a fact states that its subject holds its object. Later statements about the object may name another
/// holder.
pub(super) fn has_object(fact: &MemoryFact) -> bool {
    Ownership::of(fact).is_some_and(|holding| holding.thing == fact.words.object_bare)
}

/// The kind of ownership that a predicate word states, and whether the thing held is the grammatical subject even
/// without a preposition.
fn sort(word: &str) -> Option<(Sort, bool)> {
    Some(match word {
        "own" | "owns" | "owned" => (Sort::Owns, false),
        "owner" | "ownership" | "belong" | "belongs" | "belonged" => (Sort::Owns, true),
        "lead" | "leads" | "leading" | "head" | "heads" | "headed" | "manages" | "managed" | "chairs"
        | "chaired" => (Sort::Leads, false),
        "leader" | "manager" | "chair" => (Sort::Leads, true),
        "maintains" | "maintained" | "handles" | "handled" => (Sort::Handles, false),
        "maintainer" | "handler" | "assignee" | "assigned" | "responsible" | "responsibility" => {
            (Sort::Handles, true)
        }
        "reassigned" | "handed" | "passed" | "passes" | "transferred" => (Sort::Any, true),
        _ => return None,
    })
}
