//! Decides at read time which statements are valid, so that concurrent writers converge to one result.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use quiver_language::{
    change::{Change, says},
    predicate::{self, Predicate},
    statement::{self, Statement},
    word::is_past,
};
use quiver_memory::relation::key;

use super::{
    known::MemoryFact,
    lexicon,
    ownership::{Ownership, Sort},
    shape::Shape,
    turn::{Cardinality, Restated},
    words::Word,
};

/// Declared cardinalities, by the slot of the predicate.
pub(crate) type Declared = HashMap<u64, Cardinality>;

/// Decides for each statement whether it is valid at a point in time, given all the statements.
///
/// Statements with the same subject and predicate are ordered by `valid_from`, then by recording time, then by id. A
/// value supersedes the earlier ones if the predicate is single-valued: by declaration, by the default set, or
/// because the wording signals a change ("now", "instead"). A statement in other words ends an earlier one only if it
/// is explicit: a denial of the same relation in either voice, a new holder together with a word of change, "moved
/// from A", "reclassified to". Events end nothing, and neither does a bare "is" read from text.
pub(crate) fn currently_valid(
    facts: &[MemoryFact],
    declared: &Declared,
    restated: Restated,
    moment: i64,
) -> Vec<bool> {
    let undeclared = (restated == Restated::Replaces).then_some(Cardinality::One);
    let mut slots: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
    for (at, fact) in facts.iter().enumerate() {
        slots.entry((fact.words.subject_bare, fact.words.slot)).or_default().push(at);
    }
    let mut holds = vec![false; facts.len()];
    for ((_, slot), mut statements) in slots {
        statements.sort_by_key(|at| facts[*at].order());
        for at in hold_in_slot(facts, &statements, declared.get(&slot).copied().or(undeclared)) {
            let begun = facts[at].relation.valid_from.is_none_or(|begin| begin <= moment);
            let ended = facts[at].relation.valid_to.is_some_and(|end| end <= moment);
            holds[at] = begun && !ended;
        }
    }
    end_denied(facts, &mut holds);
    end_left(facts, &mut holds);
    end_work(facts, &mut holds);
    end_parted(facts, &mut holds);
    end_rescaled(facts, &mut holds);
    end_held(facts, &mut holds);
    end_handed(facts, &mut holds);
    end_cancelled(facts, &mut holds);
    holds
}

/// How long before a statement an event may have begun and still be news to it, in milliseconds.
const NEWS: i64 = 31 * quiver_memory::calendar::DAY;

/// Whether one statement was made before another, and not in the same turn. "Tom moved to York last week" is later than
/// "Tom lives in Leeds", said this week: a state that was read without a start was only said then.
fn is_before(earlier: &MemoryFact, later: &MemoryFact) -> bool {
    let is_news = || {
        let (said, told) = (earlier.relation.recorded_at, later.relation.recorded_at);
        let recent = said.zip(later.relation.valid_from).is_some_and(|(said, from)| from > said - NEWS);
        let is_open = earlier.is_found() && later.is_found() && earlier.relation.valid_from == said;
        is_open && said < told && recent
    };
    (earlier.order() < later.order() || is_news()) && !said_together(earlier, later)
}

/// "Mo no longer runs Redis" ends "Redis is run by Mo".
fn end_denied(facts: &[MemoryFact], holds: &mut [bool]) {
    for denial in facts.iter().filter(|fact| fact.is_denied() && !fact.is_undone()) {
        for (at, other) in facts.iter().enumerate() {
            let same = other.words.relation.base == denial.words.relation.base
                && (other.roles() == denial.roles() || says_more(other, denial));
            if same && !other.is_denied() && other.order() < denial.order() {
                holds[at] = false;
            }
        }
    }
}

/// Whether a fact says more of the object of a denial: "Dorotea runs the bar in the interval".
fn says_more(fact: &MemoryFact, denial: &MemoryFact) -> bool {
    let (object, denied) = (&fact.words.object, &denial.words.object);
    let begins =
        denied.len() < object.len() && denied.iter().zip(object).all(|(one, other)| one.stem == other.stem);
    let is_added = || statement::says(&object[denied.len()].lower, Statement::Connecting);
    fact.words.subject_bare == denial.words.subject_bare && !denied.is_empty() && begins && is_added()
}

/// "We moved the job from Spark to Flink" ends what was stated about the job and Spark.
fn end_left(facts: &[MemoryFact], holds: &mut [bool]) {
    let names = |words: &[Word], value: &str| {
        let said = words.iter().map(|word| &*word.lower).collect::<Vec<_>>().join(" ");
        !value.is_empty() && said == value.to_lowercase()
    };
    for fact in facts.iter().filter(|fact| fact.is_found() && !fact.is_denied() && !fact.is_undone()) {
        let Some(left) = fact.change().and_then(|change| change.strip_prefix("from ")) else { continue };
        for (at, other) in facts.iter().enumerate() {
            let same =
                other.words.subject_bare == fact.words.subject_bare && names(&other.words.object, left);
            if same && is_before(other, fact) {
                holds[at] = false;
            }
        }
    }
    let leaves = |fact: &MemoryFact| {
        let from = fact.words.predicate.last().is_some_and(|word| &*word.lower == "from");
        from && !fact.is_denied() && !fact.is_undone()
    };
    let changes = |fact: &MemoryFact| fact.words.predicate.iter().any(|word| lexicon::is_change(&word.lower));
    for fact in facts.iter().filter(|fact| leaves(fact) && changes(fact)) {
        for (at, other) in facts.iter().enumerate() {
            let words = &other.words;
            let same =
                words.subject_bare == fact.words.subject_bare && words.object_bare == fact.words.object_bare;
            if same && is_before(other, fact) {
                holds[at] = false;
            }
        }
    }
}

/// "I quit my job at Kestrel" ends "Ada works at Kestrel", but not "Ada works at Merlin".
fn end_work(facts: &[MemoryFact], holds: &mut [bool]) {
    let quits = |fact: &&MemoryFact| {
        let verb = fact
            .words
            .predicate
            .iter()
            .find(|word| !matches!(&*word.lower, "was" | "be" | "been" | "get" | "got"));
        let is_quitting = verb.is_some_and(|verb| says(&verb.lower, Change::Quitting));
        // "Got fired" is stored as the predicate "got" and the object "fired".
        let is_fired = fact
            .words
            .object
            .first()
            .is_some_and(|word| matches!(&*word.lower, "fire" | "fired" | "lay" | "laid"));
        fact.is_found() && !fact.is_denied() && (is_quitting || is_fired && fact.words.predicate.len() <= 2)
    };
    for fact in facts.iter().filter(quits) {
        let mut names = fact.words.object.iter().filter(|word| word.is_name).peekable();
        let is_any =
            names.peek().is_none() || names.clone().all(|word| word.lower.chars().all(char::is_numeric));
        let names: Vec<u32> = names.map(|word| word.stem).collect();
        for (at, other) in facts.iter().enumerate() {
            let is_work = other.words.relation.base.starts_with("work ");
            let is_there = is_any || other.words.object.iter().any(|word| names.contains(&word.stem));
            let same = other.words.subject_bare == fact.words.subject_bare;
            if same && is_work && is_there && !other.is_denied() && is_before(other, fact) {
                holds[at] = false;
            }
        }
    }
}

/// "I sold the Volvo" ends "Ada drives a Volvo".
fn end_parted(facts: &[MemoryFact], holds: &mut [bool]) {
    let said =
        |fact: &MemoryFact, class| fact.words.predicate.first().is_some_and(|word| says(&word.lower, class));
    // "Ada's car" is a car of Ada.
    let thing = |fact: &MemoryFact| {
        let own =
            |word: &&Word| !word.is_stop && !fact.words.subject.iter().any(|owner| owner.stem == word.stem);
        fact.words.object.iter().filter(own).map(|word| word.stem).collect::<Vec<u32>>()
    };
    for fact in
        facts.iter().filter(|fact| fact.is_found() && !fact.is_denied() && said(fact, Change::Parting))
    {
        for (at, other) in facts.iter().enumerate() {
            let same = other.words.subject_bare == fact.words.subject_bare && thing(other) == thing(fact);
            let has = same && said(other, Change::Having);
            let is_of_seller = |owned: Ownership| {
                owned.thing == fact.words.object_bare && owned.holder == fact.words.subject_bare
            };
            if (has || Ownership::of(other).is_some_and(is_of_seller))
                && other.is_found()
                && is_before(other, fact)
            {
                holds[at] = false;
            }
        }
    }
}

/// "Ticket 9 has been reclassified to critical" ends "ticket 9 has priority high": the new value supersedes the
/// earlier value of the same kind. If values of several predicates qualify, none ends, because the statement does not
/// say which one it changes.
fn end_rescaled(facts: &[MemoryFact], holds: &mut [bool]) {
    for change in 0..facts.len() {
        if holds[change] {
            let before = rescaled(facts, change, |at| holds[at]);
            before.into_iter().for_each(|before| holds[before] = false);
        }
    }
}

/// Of the facts that count, those whose value a fact changes, as positions: "ticket 9 has priority high" for "ticket 9
/// has been reclassified to critical".
pub(super) fn rescaled(facts: &[MemoryFact], change: usize, counts: impl Fn(usize) -> bool) -> Vec<usize> {
    let shifts = |word: &Word| is_form(&word.lower, Change::Shifting);
    let rescales = |fact: &MemoryFact| {
        let words = &fact.words.predicate;
        // "Re-rated" is one word in the pack and two terms.
        let is_compound = || fact.relation.predicate.split(' ').any(|word| says(word, Change::Rescaling));
        // "Marked down to", "put up to".
        let is_along = || matches!(&words[..], [.., along, _] if matches!(&*along.lower, "up" | "down"));
        let verb = words.iter().any(|word| is_form(&word.lower, Change::Rescaling) || shifts(word))
            || is_compound()
            || is_along();
        verb && words.last().is_some_and(|word| matches!(&*word.lower, "to" | "for" | "as" | "until"))
    };
    let fact = &facts[change];
    if !fact.is_found() || fact.is_undone() || !rescales(fact) {
        return Vec::new();
    }
    let shape = Shape::of(fact.object());
    let sort = if fact.words.predicate.iter().any(shifts) { Change::Place } else { Change::Scale };
    let before = (0..facts.len()).filter(|at| {
        let other = &facts[*at];
        let on_scale = other.words.predicate.iter().any(|word| says(&word.lower, sort))
            || sort == Change::Place && is_place(&other.relation.predicate)
            || sort == Change::Scale && other.is_found() && is_of_scale(&other.relation.predicate);
        // "Gate A5" takes the place of "gate B12".
        let noun =
            |fact: &MemoryFact| fact.words.object.first().filter(|word| !word.is_name).map(|word| word.stem);
        let is_same_kind = || sort == Change::Place && noun(fact).is_some() && noun(fact) == noun(other);
        let on_scale = on_scale || is_same_kind();
        let same_sort = match shape {
            Shape::Time | Shape::Number => Shape::of(other.object()) == shape,
            _ => on_scale && !matches!(Shape::of(other.object()), Shape::Time | Shape::Number),
        };
        let is_rescaled = rescales(other) && Shape::of(other.object()) == shape;
        *at != change
            && counts(*at)
            && !other.is_denied()
            && other.words.subject_bare == fact.words.subject_bare
            && (same_sort || is_rescaled)
            && is_before(other, fact)
    });
    let before: Vec<usize> = before.collect();
    let slots: BTreeSet<u64> =
        before.iter().filter(|at| !rescales(&facts[**at])).map(|at| facts[*at].words.slot).collect();
    if slots.len() <= 1 { before } else { Vec::new() }
}

/// Whether a predicate gives a thing a value: "has deposit", "is classified as".
fn is_of_scale(predicate: &str) -> bool {
    predicate.starts_with("has ") || predicate.starts_with("is ") && predicate.ends_with(" as")
}

/// Whether a predicate says where something is: "is moored at", "is in".
fn is_place(predicate: &str) -> bool {
    let is_state = predicate.starts_with("is ");
    is_state && predicate.rsplit(' ').next().is_some_and(|last| matches!(last, "in" | "at" | "on" | "aboard"))
}

/// Whether a word is a participle of a class or its base form; predicates are stored in either form.
fn is_form(word: &str, class: Change) -> bool {
    says(word, class) || says(&format!("{word}d"), class) || says(&format!("{word}ed"), class)
}

/// Whether a predicate states who has or leads something.
pub(super) fn has_holder(predicate: &str) -> bool {
    let base = key(predicate).base;
    predicate::says(&base, Predicate::Held) || matches!(base.as_str(), "assign to" | "assign")
}

/// "Mo has handed the key over to Lena" and "Lena took over the key from Mo" end "the key is kept by Mo".
fn end_handed(facts: &[MemoryFact], holds: &mut [bool]) {
    let taken =
        |fact: &&MemoryFact| fact.is_found() && !fact.is_denied() && fact.words.relation.base == "take over";
    for fact in facts.iter().filter(taken) {
        let (holder, thing) = fact.roles();
        for (at, other) in facts.iter().enumerate() {
            let (agent, patient) = other.roles();
            let words = &other.words;
            let name = if words.relation.inverted { &words.object } else { &words.subject };
            let is_said =
                |word: &Word| word.is_stop || fact.words.text.iter().any(|said| said.stem == word.stem);
            let is_over = other.relation.predicate.split(' ').next().is_some_and(is_past_form);
            let same = patient == thing && agent != holder && name.iter().all(is_said);
            if same && !is_over && !other.is_denied() && is_before(other, fact) {
                holds[at] = false;
            }
        }
    }
}

/// Whether the first word of a predicate is in the past: what somebody once did to a thing is not over.
fn is_past_form(word: &str) -> bool {
    word == "was" || word == "were" || is_past(word)
}

/// The change of a fact from "It is Petra who …".
const CLEFT: &str = "it is";

/// "Ana runs Redis now" ends "Redis is run by Mo"; "search was re-assigned to Growth" ends "Platform owns
/// search". A thing has one holder per kind of ownership, in any wording.
fn end_held(facts: &[MemoryFact], holds: &mut [bool]) {
    let takes = |fact: &MemoryFact| fact.change().is_some() || (!fact.is_found() && is_single_valued(fact));
    for (at, fact) in facts.iter().enumerate() {
        let (agent, patient) = fact.roles();
        let base = &fact.words.relation.base;
        let is_held = predicate::says(base, Predicate::Held);
        // "From now on the guide is narrated by Petra": what was said of a thing in the passive is said anew.
        let is_light = predicate::says(base, Predicate::Light) && base != "do";
        let is_anew = fact.is_found() && fact.change().is_some() && !is_light;
        if !holds[at] || fact.is_undone() || fact.is_denied() || !takes(fact) || !(is_held || is_anew) {
            continue;
        }
        for (other, before) in facts.iter().enumerate() {
            let (other_agent, other_patient) = before.roles();
            let same =
                before.words.relation.base == *base && patient == other_patient && agent != other_agent;
            let is_of_thing = fact.words.relation.inverted || before.words.relation.inverted;
            // "It is Petra who narrates the guide": nobody else does.
            let is_only = fact.change() == Some(CLEFT);
            if same && (is_held || is_of_thing || is_only) && is_before(before, fact) {
                holds[other] = false;
            }
        }
    }
    let holding = |fact: &MemoryFact| Ownership::of(fact).or_else(|| Ownership::of_holder(fact));
    let holdings: Vec<Option<Ownership>> = facts.iter().map(holding).collect();
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
            // Values in the same slot are handled by `hold_in_slot`.
            let slot = |fact: &MemoryFact| (fact.words.subject_bare, fact.words.slot);
            if same && is_before(&facts[other], fact) && slot(&facts[other]) != slot(fact) {
                holds[other] = false;
            }
        }
    }
}

/// A cancellation ends all dates and times stated for the subject.
fn end_cancelled(facts: &[MemoryFact], holds: &mut [bool]) {
    for fact in facts.iter().filter(|fact| fact.is_cancellation() && !fact.is_undone()) {
        for (at, other) in facts.iter().enumerate() {
            let same = other.words.subject_bare == fact.words.subject_bare && other.order() < fact.order();
            if same && Shape::of(other.object()) == Shape::Time {
                holds[at] = false;
            }
        }
    }
}

/// The statements of one slot that are valid after all of them.
fn hold_in_slot(facts: &[MemoryFact], statements: &[usize], declared: Option<Cardinality>) -> Vec<usize> {
    let mut holding: Vec<usize> = Vec::new();
    for &at in statements {
        let fact = &facts[at];
        if fact.is_denied() {
            if !fact.is_undone() {
                holding.retain(|other| !denies(fact, &facts[*other]));
            }
            continue;
        }
        if (fact.is_merge() || fact.is_split() || fact.is_alias()) && fact.is_undone() {
            continue;
        }
        if takes_place(fact, declared) {
            holding.retain(|other| declared != Some(Cardinality::One) && said_together(fact, &facts[*other]));
        }
        // If a value is repeated, the latest statement of it counts.
        holding.retain(|other| facts[*other].words.object_bare != fact.words.object_bare);
        holding.push(at);
    }
    holding
}

/// Whether a value supersedes earlier ones.
fn takes_place(fact: &MemoryFact, declared: Option<Cardinality>) -> bool {
    match declared {
        Some(cardinality) => cardinality == Cardinality::One,
        None if fact.is_undone() => false,
        // "Ana runs Redis now" does not end other things that she runs.
        None if fact.is_found()
            && !fact.words.relation.inverted
            && predicate::says(&fact.words.relation.base, Predicate::Held) =>
        {
            false
        }
        None => fact.change().is_some() || is_single_valued(fact),
    }
}

/// Whether a name looks like the full name or the title of somebody: "Keeper Moss", but not "Project Heron" and "Bug 7".
fn is_full_name(name: &str) -> bool {
    let is_part = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(char::is_alphabetic)
            && !says(&word.to_lowercase(), Change::Kind)
    };
    name.contains(' ') && name.split(' ').all(is_part)
}

/// Whether the predicate is single-valued by the documented default set.
fn is_single_valued(fact: &MemoryFact) -> bool {
    let words = &fact.words.predicate;
    // A person may be assigned to many things; a thing is assigned to one person.
    let is_person = |name: &str| Shape::fits(name, lexicon::Wanted::Person) > 0.0;
    if fact.words.relation.base == "assign to" && (!is_person(fact.object()) || is_full_name(fact.subject()))
    {
        return false;
    }
    // Somebody may be responsible for many things and work on them, but works at one place.
    let base = fact.words.relation.base.as_str();
    if base == "be responsible for" || ["work on", "work with"].iter().any(|many| base.starts_with(many)) {
        return false;
    }
    words.iter().any(|word| predicate::says(&word.lower, Predicate::SingleValued))
        // A given "X is Y" is single-valued if Y is a name, a number or a time; an entity can have many other
        // attributes.
        || (!fact.is_found()
            && words.len() == 1
            && &*words[0].lower == "is"
            && Shape::of(fact.object()) != Shape::Plain)
}

/// Whether two statements come from the same turn and begin at the same time. Such values do not supersede
/// each other.
fn said_together(fact: &MemoryFact, other: &MemoryFact) -> bool {
    (fact.session(), fact.turn(), fact.relation.valid_from)
        == (other.session(), other.turn(), other.relation.valid_from)
}

fn denies(denial: &MemoryFact, other: &MemoryFact) -> bool {
    denial.object().is_empty() || denial.words.object_bare == other.words.object_bare
}
