//! Which statements hold: decided when reading, so that two writers at once leave one truth.

use std::collections::{BTreeMap, HashMap};

use super::{
    holding::{Holding, Sort},
    known::Known,
    lexicon,
    shape::{Shape, scale},
    turn::Cardinality,
    verb,
    words::Word,
};

/// What was declared of predicates, by their slot.
pub(crate) type Declared = HashMap<u64, Cardinality>;

/// Tells of each statement whether it holds, given all that is known at the moment of interest.
///
/// Statements of one subject and predicate count in the order of when they hold from, when they were told, and their
/// ids. A denial ends what it denies. A value takes the place of the others where the predicate has one value: because
/// it was declared so, because the default set says so, or because the wording does ("now", "instead", "no longer").
pub(crate) fn holding(facts: &[Known], declared: &Declared, as_of: Option<i64>) -> Vec<bool> {
    let mut slots: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
    for (at, fact) in facts.iter().enumerate() {
        slots.entry((fact.words.subject_bare, fact.words.slot)).or_default().push(at);
    }
    let mut holds = vec![false; facts.len()];
    for ((_, slot), mut statements) in slots {
        statements.sort_by_key(|at| facts[*at].order());
        for at in hold_in_slot(facts, &statements, declared.get(&slot).copied()) {
            let ended = as_of.zip(facts[at].relation.valid_to).is_some_and(|(now, end)| end <= now)
                || (as_of.is_none() && facts[at].relation.valid_to.is_some());
            holds[at] = !ended;
        }
    }
    end_across_wordings(facts, &mut holds);
    end_on_scales(facts, &mut holds);
    end_left(facts, &mut holds);
    end_held(facts, &mut holds);
    end_states(facts, &mut holds);
    end_cancelled(facts, &mut holds);
    holds
}

/// "It is resolved" ends what was said of its status before.
fn end_states(facts: &[Known], holds: &mut [bool]) {
    let ended = |state: &Known| state.change().is_some() || verb::is_past(&state.words.object[0].lower);
    for state in (0..facts.len())
        .filter(|at| holds[*at] && facts[*at].is_state() && ended(&facts[*at]))
        .collect::<Vec<_>>()
    {
        for (at, other) in facts.iter().enumerate() {
            let same = other.words.subject_bare == facts[state].words.subject_bare;
            if same && other.is_status() && other.order() < facts[state].order() {
                holds[at] = false;
            }
        }
    }
}

/// "I'm taking the leak down to SEV-3" ends "the leak is declared, severity is SEV-1": a thing has one place on a scale.
fn end_on_scales(facts: &[Known], holds: &mut [bool]) {
    let scales: Vec<Option<String>> =
        facts.iter().map(|fact| scale(fact.object()).filter(|_| fact.is_found())).collect();
    for change in 0..facts.len() {
        let fact = &facts[change];
        if !holds[change] || scales[change].is_none() || fact.change().is_none() || fact.is_undone() {
            continue;
        }
        for (at, other) in facts.iter().enumerate() {
            let names = |word: &Word| word.is_name && !word.is_stop;
            let mut name = fact.words.subject.iter().filter(|word| names(word)).peekable();
            let told = name.peek().is_some()
                && name.all(|word| other.words.text.iter().any(|said| said.stem == word.stem));
            // "Bumping severity to SEV1": the scale itself, of what the session is about.
            let scale = scales[change].as_deref().unwrap_or_default();
            let own =
                matches!(&*fact.words.subject, [word] if !word.is_name && word.lower.starts_with(scale));
            let same = told || own || other.words.subject_bare == fact.words.subject_bare;
            let earlier = other.order() < fact.order() && other.session() == fact.session();
            if same && earlier && scales[at] == scales[change] && !said_together(fact, other) {
                holds[at] = false;
            }
        }
    }
}

/// "We moved the job from Spark to Flink" ends what was said of the job and Spark.
fn end_left(facts: &[Known], holds: &mut [bool]) {
    let leaves = |fact: &Known| {
        let from = fact.words.predicate.last().is_some_and(|word| &*word.lower == "from");
        from && fact.is_found() && !fact.is_denied() && !fact.is_undone()
    };
    let changes = |fact: &Known| fact.words.predicate.iter().any(|word| lexicon::is_change(&word.lower));
    for fact in facts.iter().filter(|fact| leaves(fact) && changes(fact)) {
        for (at, other) in facts.iter().enumerate() {
            let words = &other.words;
            let same =
                words.subject_bare == fact.words.subject_bare && words.object_bare == fact.words.object_bare;
            if same && other.order() < fact.order() && !said_together(fact, other) {
                holds[at] = false;
            }
        }
    }
}

/// "Search was re-assigned to Growth" ends "Platform owns search": a thing has one holder of a sort, in whatever words.
fn end_held(facts: &[Known], holds: &mut [bool]) {
    let holdings: Vec<Option<Holding>> = facts.iter().map(Holding::of).collect();
    let takes = |fact: &Known| fact.change().is_some() || is_single_valued(fact);
    for (at, fact) in facts.iter().enumerate() {
        let Some(now) = holdings[at]
            .filter(|now| holds[at] && !fact.is_undone() && (takes(fact) || now.sort == Sort::Any))
        else {
            continue;
        };
        for (other, before) in holdings.iter().enumerate() {
            let Some(before) = before else { continue };
            let same = before.thing == now.thing
                && before.holder != now.holder
                && (before.sort == now.sort || now.sort == Sort::Any);
            let earlier = facts[other].order() < fact.order() && !said_together(fact, &facts[other]);
            // Two values of one predicate are the matter of their slot.
            let slot = |fact: &Known| (fact.words.subject_bare, fact.words.slot);
            if same && earlier && slot(&facts[other]) != slot(fact) {
                holds[other] = false;
            }
        }
    }
}

/// What is cancelled takes place at no time any more.
fn end_cancelled(facts: &[Known], holds: &mut [bool]) {
    for fact in facts.iter().filter(|fact| fact.is_cancellation() && !fact.is_undone()) {
        for (at, other) in facts.iter().enumerate() {
            let same = other.words.subject_bare == fact.words.subject_bare && other.order() < fact.order();
            if same && Shape::of(other.object()) == Shape::Time {
                holds[at] = false;
            }
        }
    }
}

/// The statements of one slot that hold after all of them were made.
fn hold_in_slot(facts: &[Known], statements: &[usize], declared: Option<Cardinality>) -> Vec<usize> {
    let mut holding: Vec<usize> = Vec::new();
    for &at in statements {
        let fact = &facts[at];
        if fact.is_denied() {
            if !fact.is_undone() {
                holding.retain(|other| !denies(fact, &facts[*other]));
            }
            continue;
        }
        if (fact.is_merge() || fact.is_alias()) && fact.is_undone() {
            continue;
        }
        if takes_place(fact, declared) {
            holding.retain(|other| declared != Some(Cardinality::One) && said_together(fact, &facts[*other]));
        }
        // The same value said again counts from then on.
        holding.retain(|other| facts[*other].words.object_bare != fact.words.object_bare);
        holding.push(at);
    }
    holding
}

/// Whether a value takes the place of earlier ones.
fn takes_place(fact: &Known, declared: Option<Cardinality>) -> bool {
    match declared {
        Some(cardinality) => cardinality == Cardinality::One,
        None if fact.is_undone() => false,
        None => fact.change().is_some() || is_single_valued(fact),
    }
}

/// Whether the documented default set says that the predicate has one value at a time.
fn is_single_valued(fact: &Known) -> bool {
    let words = &fact.words.predicate;
    words.iter().any(|word| lexicon::SINGLE_VALUED.contains(&&*word.lower))
        // What a thing "is" beside a name or a number is one of many things that can be said of it.
        || (words.len() == 1 && &*words[0].lower == "is" && Shape::of(fact.object()) != Shape::Plain)
}

/// Values of one turn stand beside each other.
fn said_together(fact: &Known, other: &Known) -> bool {
    (fact.session(), fact.turn(), fact.relation.valid_from)
        == (other.session(), other.turn(), other.relation.valid_from)
}

fn denies(denial: &Known, other: &Known) -> bool {
    denial.object().is_empty() || denial.words.object_bare == other.words.object_bare
}

/// Read from text, a change of mind need not repeat the words of what it changes: "they moved the opening to 13 May" ends
/// "the opening is on 6 May", where the wording says that something changed and both say the same sort of thing.
fn end_across_wordings(facts: &[Known], holds: &mut [bool]) {
    let changes = |fact: &Known| fact.is_found() && fact.change().is_some() && !fact.is_undone();
    for change in (0..facts.len()).filter(|at| changes(&facts[*at])) {
        let fact = &facts[change];
        let shape = Shape::of(fact.object());
        if !holds[change] || matches!(shape, Shape::Plain | Shape::Name) {
            continue;
        }
        let told = facts
            .iter()
            .filter(|other| said_together(fact, other) && other.relation.text == fact.relation.text);
        let about: Vec<u64> =
            told.flat_map(|told| [told.words.subject_bare, told.words.object_bare]).collect();
        for (at, other) in facts.iter().enumerate() {
            let earlier = other.order() < fact.order() && !said_together(fact, other) && other.is_found();
            let same = about.contains(&other.words.subject_bare) && Shape::of(other.object()) == shape;
            // "A budget of 80 euros" was granted; "our budget is now 70 euros".
            let valued = || {
                let value = other.object().split_once(" of ").map(|(_, value)| value);
                value.is_some_and(|value| Shape::of(value) == shape)
                    && other.words.object_short.is_some_and(|noun| about.contains(&noun))
            };
            if holds[at] && earlier && (same || valued()) {
                holds[at] = false;
            }
        }
    }
}
