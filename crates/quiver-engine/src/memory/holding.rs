//! Holdings: who has what, in whichever words it is said.

use super::{known::Known, lexicon::Wanted, shape::Shape};

/// How something is had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// As its owner.
    Owns,
    /// As who leads it.
    Leads,
    /// As who works on it.
    Handles,
    /// In whatever way it was had before: it was handed over.
    Any,
}

/// That somebody has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holding {
    pub(super) thing: u64,
    pub(super) holder: u64,
    pub(super) sort: Sort,
}

impl Holding {
    /// What a fact says of who has what, if it does.
    pub(super) fn of(fact: &Known) -> Option<Self> {
        let words = &fact.words;
        let said: Vec<&str> = words.predicate.iter().map(|word| &*word.lower).collect();
        if fact.is_denied()
            || said.iter().any(|word| matches!(*word, "in" | "at" | "from" | "not" | "because"))
        {
            return None;
        }
        // "It goes to Fabio": from then on it is his.
        let goes = said == ["go", "to"] && Shape::fits(fact.object(), Wanted::Person) >= 1.0;
        let had = said.iter().find_map(|word| sort(word)).or_else(|| goes.then_some((Sort::Any, true)));
        let (mut sort, names_thing_first) = had?;
        // "Re-assigned", to whom it was not before.
        if said.contains(&"re") {
            sort = Sort::Any;
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
}

/// Whether a fact says that its subject has its object, so that others may have said since who has it.
pub(super) fn has_object(fact: &Known) -> bool {
    Holding::of(fact).is_some_and(|holding| holding.thing == fact.words.object_bare)
}

/// How a word of a predicate says that something is had, and whether what is had stands before it without more.
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
