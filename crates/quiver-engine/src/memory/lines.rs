//! Renders facts as short lines of text.

use quiver_language::word::irregular_verb;

use super::{
    change, end::End, known::MemoryFact, lexicon, pool::FactPool, rank::Chain, shape::Shape, words::spoken,
};

/// Maximum score difference for another value of the same predicate to be shown.
const VALUE_SLACK: f32 = 0.15;
/// Maximum number of values shown for one predicate.
const VALUES_MAX: usize = 12;

/// Renders a chain. Given facts become one line, with arrows for the steps before the last; facts read from text keep
/// their sentences.
pub(super) fn lines(pool: &FactPool, chain: &Chain, values: &[usize]) -> Vec<String> {
    let (_, before) = chain.facts.split_last().expect("a chain has a fact");
    let mut lines: Vec<String> = Vec::new();
    if chain.facts.iter().any(|fact| pool.facts[*fact].is_found()) {
        for fact in before.iter().filter(|fact| !pool.facts[**fact].is_merge()) {
            let line = line(pool, &[*fact], End::Object);
            if !is_told(&lines, &line) {
                lines.push(line);
            }
        }
        for value in values {
            let line = line(pool, &[*value], chain.end);
            if !is_told(&lines, &line) {
                lines.push(line);
            }
        }
        return lines;
    }
    let path = path(pool, chain);
    let steps: String = path[..before.len()].iter().map(|name| format!("{name} → ")).collect();
    vec![format!("{steps}{}", line(pool, values, chain.end))]
}

/// Whether another line contains this one already, apart from a leading "subject: ".
pub(super) fn is_told(lines: &[String], line: &str) -> bool {
    let bare = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|head| head.ends_with(": "));
    lines.iter().any(|told| told.contains(line) || bare(line, told))
}

/// The last fact of a chain, followed by facts with the same predicate that end otherwise equal chains, best first.
pub(super) fn values(pool: &FactPool, chains: &[Chain], chain: &Chain) -> Vec<usize> {
    let last = *chain.facts.last().expect("a chain has a fact");
    let known = &pool.facts[last];
    let near = |fact: &MemoryFact| match chain.end {
        End::Object => fact.words.subject_node,
        End::Subject => fact.words.object_node,
    };
    let mut values = vec![last];
    for other in chains.iter().filter(|other| {
        other.end == chain.end
            && other.facts.len() == chain.facts.len()
            && other.facts[..other.facts.len() - 1] == chain.facts[..chain.facts.len() - 1]
            && other.score + VALUE_SLACK >= chain.score
    }) {
        let at = *other.facts.last().expect("a chain has a fact");
        let fact = &pool.facts[at];
        let same = fact.words.slot == known.words.slot
            && near(fact) == near(known)
            && fact.is_found() == known.is_found();
        if same && !values.contains(&at) && values.len() < VALUES_MAX {
            values.push(at);
        }
    }
    values
}

/// One line for facts that share a subject or an object.
pub(super) fn line(pool: &FactPool, facts: &[usize], end: End) -> String {
    let first = &pool.facts[facts[0]];
    if first.is_found() {
        // A denial is shown with its whole sentence, which may say what holds instead.
        if first.is_denied() {
            return first.relation.text.clone();
        }
        if !pool.partly_over.contains(&first.relation.text) {
            return clause(first);
        }
        // The sentence also says what is over.
        return format!("{} {} {}", first.subject(), spoken(&first.relation.predicate), first.object());
    }
    let predicate = spoken(&first.relation.predicate);
    let predicate = terse(&predicate);
    let ends = |of: fn(&MemoryFact) -> &str| -> String {
        let mut names: Vec<&str> = Vec::new();
        for fact in facts {
            let name = of(&pool.facts[*fact]);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    };
    match end {
        End::Object => format!("{} {predicate} {}", first.subject(), ends(MemoryFact::object)),
        End::Subject => format!("{} {predicate} {}", ends(MemoryFact::subject), first.object()),
    }
}

/// The words a fact was read from, preceded by the subject if they do not contain it.
fn clause(fact: &MemoryFact) -> String {
    let text = fact.clause().trim_end_matches(['.', '!', ',', ';']);
    let lower = text.to_lowercase();
    let told = fact.words.subject.iter().any(|word| !word.is_stop && lower.contains(&*word.lower));
    let anybody = fact.words.subject.iter().all(|word| word.is_stop);
    // "I take it over" is only clear with the name of the speaker.
    let speaker = fact.speaker().filter(|speaker| fact.object() == *speaker && !text.contains(speaker));
    if let Some(speaker) = speaker {
        return format!("{speaker}: {text}");
    }
    if told || anybody { text.to_owned() } else { format!("{}: {text}", fact.subject()) }
}

/// The latest later statement that changes or rejects what the last fact of the chain says, if that fact was
/// read from text. It is shown too, because two sentences about one entity may share no words.
pub(super) fn change_since(pool: &FactPool, chain: &Chain, holds: &[bool]) -> Option<usize> {
    let last = &pool.facts[*chain.facts.last().expect("a chain has a fact")];
    if !last.is_found() {
        return None;
    }
    let names = |fact: &MemoryFact| {
        let words = &fact.words;
        let ends = [words.subject_bare, words.object_bare];
        ends.into_iter()
            .chain([words.subject_short, words.object_short].into_iter().flatten())
            .collect::<Vec<u64>>()
    };
    // If speakers talk about themselves, the statement is about its object.
    let words = &last.words;
    let about = if last.speaker() == Some(last.subject()) {
        [Some(words.object_bare), words.object_short]
    } else {
        [Some(words.subject_bare), words.subject_short]
    };
    // "They granted a budget of 80 euros": later statements about the budget count too.
    let valued = pool.facts.iter().filter(|fact| fact.relation.text == last.relation.text);
    let valued =
        valued.filter(|fact| fact.object().contains(" of ")).filter_map(|fact| fact.words.object_short);
    let about: Vec<u64> = about.into_iter().flatten().chain(valued).collect();
    let answered = [words.object_bare, words.object_node];
    let later = (0..pool.facts.len()).filter(|at| {
        let fact = &pool.facts[*at];
        let same = names(fact).iter().any(|name| about.contains(name));
        // "Dele hands over to Ximena" changes what was stated about Dele's part.
        let handed = fact.is_found()
            && fact.words.subject_bare == last.words.object_bare
            && Shape::of(fact.object()) == Shape::Name
            && fact.words.predicate.iter().any(|word| lexicon::is_change(&word.lower));
        let changed = holds[*at] && fact.change().is_some() && (same || handed);
        let turned_down = fact.is_found()
            && fact.is_denied()
            && answered.contains(&fact.words.object_bare)
            && (same
                || fact.speaker() == Some(fact.subject())
                || fact.words.subject.iter().all(|word| word.is_stop));
        (changed || turned_down) && fact.order() > last.order() && fact.relation.text != last.relation.text
    });
    later.max_by_key(|at| pool.facts[*at].order())
}

/// A predicate without an auxiliary that adds nothing: "owned by" for "is owned by", "deadline" for "has deadline".
fn terse(predicate: &str) -> &str {
    let Some((auxiliary, rest)) = predicate.split_once(' ') else { return predicate };
    let next = rest.split(' ').next().unwrap_or_default();
    let participle = change::is_past(next) || irregular_verb(next).is_some();
    let says_all = match auxiliary {
        "is" | "are" => participle && next != rest,
        "has" => !participle && !matches!(next, "been" | "no" | "not" | "to"),
        _ => false,
    };
    if says_all { rest } else { predicate }
}

/// The end of the first fact from which the chain starts.
pub(super) fn start_end(pool: &FactPool, chain: &Chain) -> End {
    let first = &pool.facts[chain.facts[0]].words;
    match chain.facts.get(1) {
        None if chain.end == End::Object => End::Subject,
        None => End::Object,
        Some(next) => {
            let next = &pool.facts[*next].words;
            let joined = [next.subject_node, next.object_node].contains(&first.object_node);
            if joined { End::Subject } else { End::Object }
        }
    }
}

/// The name from which a chain starts.
pub(super) fn start<'p>(pool: &'p FactPool, chain: &Chain) -> &'p str {
    pool.facts[chain.facts[0]].name_at(start_end(pool, chain))
}

/// The names along a chain.
pub(super) fn path(pool: &FactPool, chain: &Chain) -> Vec<String> {
    let mut path = vec![start(pool, chain).to_owned()];
    let mut at = start_end(pool, chain);
    for fact in &chain.facts {
        let known = &pool.facts[*fact];
        if path.last().is_some_and(|name| name != known.subject() && name != known.object()) {
            at = if path.len() == 1 { at } else { End::Subject };
        } else if path.last().map(String::as_str) == Some(known.object()) {
            at = End::Object;
        } else {
            at = End::Subject;
        }
        path.push(known.name_at(at.other()).to_owned());
    }
    path
}
