//! What is shown: the best chain as lines, other values beside its last, a question back where a name fits several;
//! within the budget of tokens. Or nothing, and why.

use std::collections::BTreeSet;

use crate::{error::Room, trace::Trace};

use super::{
    asked::Asked,
    known::Known,
    lexicon::Wanted,
    rank::{Chain, End},
    recall::Pool,
    recollection::{Ambiguity, RecallOptions, RecalledFact, Recollection, Silence, count_tokens},
    words::agreement,
};

/// How much worse another value of the same predicate may fit the question and still be shown.
const VALUE_SLACK: f32 = 0.15;
/// How close two chains have to be for the question to be asked back.
const AMBIGUITY_SLACK: f32 = 0.04;
/// How many values of one predicate are shown.
const VALUES_MAX: usize = 12;

/// Shows what was found.
pub(crate) fn show(
    options: &RecallOptions,
    asked: &Asked,
    pool: &Pool,
    chains: &[Chain],
    holds: &[bool],
    mut trace: Trace,
) -> Recollection {
    let count =
        |text: &str| options.count_tokens.as_ref().map_or_else(|| count_tokens(text), |count| count(text));
    let mut recollection = Recollection {
        question: asked.text.clone(),
        answer: None,
        lines: Vec::new(),
        facts: Vec::new(),
        path: Vec::new(),
        tokens: 0,
        silence: silence(options, asked, pool, chains),
        ambiguity: None,
        trace: Trace::default(),
    };
    if recollection.silence.is_none()
        && let Some(best) = chains.first()
    {
        let rivals = rivals(asked, pool, chains);
        let shown = if rivals.is_empty() { vec![best] } else { rivals };
        if shown.len() > 1 {
            recollection.ambiguity = Some(ambiguity(asked, pool, &shown));
        } else {
            recollection.answer = Some(best.answer(pool).to_owned());
            recollection.path = path(pool, best);
        }
        fill(&mut recollection, options, pool, chains, &shown, holds, &count);
    }
    recollection.tokens = count(&recollection.text());
    trace.end(Room::Answer, summary(&recollection, pool, chains));
    recollection.trace = trace;
    recollection
}

/// Adds lines and facts as long as they fit.
fn fill(
    recollection: &mut Recollection,
    options: &RecallOptions,
    pool: &Pool,
    chains: &[Chain],
    shown: &[&Chain],
    holds: &[bool],
    count: &impl Fn(&str) -> usize,
) {
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for chain in shown {
        let (last, before) = chain.facts.split_last().expect("a chain has a fact");
        let before: Vec<usize> = before.iter().copied().filter(|fact| used.insert(*fact)).collect();
        let values = if shown.len() == 1 { values(pool, chains, chain) } else { vec![*last] };
        for number in (1..=values.len()).rev() {
            let lines = lines(pool, chain, &values[..number]);
            let text = recollection.text();
            let text = [text.as_str(), &lines.join("\n")].join(if text.is_empty() { "" } else { "\n" });
            // The first line is shown whatever it costs: a budget that nothing fits is no answer.
            if count(&text) <= options.tokens_max || (recollection.lines.is_empty() && number == 1) {
                recollection.lines.extend(lines);
                let facts = before.iter().chain(&values[..number]);
                recollection.facts.extend(facts.map(|fact| pool.facts[*fact].shown(holds[*fact])));
                break;
            }
        }
        if let Some(change) = change_since(pool, chain, holds) {
            let line = line(pool, &[change], End::Object);
            if count(&format!("{}\n{line}", recollection.text())) <= options.tokens_max {
                recollection.lines.push(line);
                recollection.facts.push(pool.facts[change].shown(true));
            }
        }
    }
}

/// A chain as lines: given facts as one, with arrows for the steps before the last; sentences as they stand.
fn lines(pool: &Pool, chain: &Chain, values: &[usize]) -> Vec<String> {
    let (_, before) = chain.facts.split_last().expect("a chain has a fact");
    let mut lines: Vec<String> = Vec::new();
    if chain.facts.iter().any(|fact| pool.facts[*fact].is_found()) {
        for fact in before.iter().filter(|fact| !pool.facts[**fact].is_merge()) {
            let line = line(pool, &[*fact], End::Object);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        for value in values {
            let line = line(pool, &[*value], chain.end);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        return lines;
    }
    let path = path(pool, chain);
    let steps: String = path[..before.len()].iter().map(|name| format!("{name} → ")).collect();
    vec![format!("{steps}{}", line(pool, values, chain.end))]
}

/// The last fact of a chain, and those beside it that say the same of other things, the latest first.
fn values(pool: &Pool, chains: &[Chain], chain: &Chain) -> Vec<usize> {
    let last = *chain.facts.last().expect("a chain has a fact");
    let known = &pool.facts[last];
    let near = |fact: &Known| match chain.end {
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

/// A line of text for facts that share a subject or an object.
fn line(pool: &Pool, facts: &[usize], end: End) -> String {
    let first = &pool.facts[facts[0]];
    if first.is_found() {
        // What was turned down is shown with what was taken in its place.
        return if first.is_denied() { first.relation.text.clone() } else { clause(first) };
    }
    let predicate = spoken(&first.relation.predicate);
    let ends = |of: fn(&Known) -> &str| -> String {
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
        End::Object => format!("{} {predicate} {}", first.subject(), ends(Known::object)),
        End::Subject => format!("{} {predicate} {}", ends(Known::subject), first.object()),
    }
}

/// The words that a fact was read from; with what it is about before them, where they do not say that themselves.
fn clause(fact: &Known) -> String {
    let text = fact.clause().trim_end_matches(['.', '!', ',', ';']);
    let lower = text.to_lowercase();
    let told = fact.words.subject.iter().any(|word| !word.is_stop && lower.contains(&*word.lower));
    let anybody = fact.words.subject.iter().all(|word| word.is_stop);
    if told || anybody { text.to_owned() } else { format!("{}: {text}", fact.subject()) }
}

/// What was said later of the same thing, where the wording says that something changed: shown beside a sentence, for
/// two sentences may speak of one thing in words that nothing brings together.
fn change_since(pool: &Pool, chain: &Chain, holds: &[bool]) -> Option<usize> {
    let last = &pool.facts[*chain.facts.last().expect("a chain has a fact")];
    if !last.is_found() {
        return None;
    }
    let names = |fact: &Known| {
        let words = &fact.words;
        let ends = [words.subject_bare, words.object_bare];
        ends.into_iter()
            .chain([words.subject_short, words.object_short].into_iter().flatten())
            .collect::<Vec<u64>>()
    };
    // What somebody says of himself is about what he says it of.
    let words = &last.words;
    let about = if last.speaker() == Some(last.subject()) {
        [Some(words.object_bare), words.object_short]
    } else {
        [Some(words.subject_bare), words.subject_short]
    };
    let about: Vec<u64> = about.into_iter().flatten().collect();
    let answered = [words.object_bare, words.object_node];
    let later = (0..pool.facts.len()).filter(|at| {
        let fact = &pool.facts[*at];
        let same = names(fact).iter().any(|name| about.contains(name));
        let changed = holds[*at] && fact.change().is_some() && same;
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

/// A predicate as one says it: `WORKS_ON` becomes "works on".
pub(crate) fn spoken(predicate: &str) -> String {
    if predicate.contains(' ') || !predicate.contains(|c: char| c == '_' || c.is_uppercase()) {
        return predicate.to_owned();
    }
    let mut spoken = String::with_capacity(predicate.len() + 4);
    let mut before_small = false;
    for c in predicate.chars() {
        if c == '_' {
            spoken.push(' ');
        } else {
            if c.is_uppercase() && before_small {
                spoken.push(' ');
            }
            spoken.extend(c.to_lowercase());
        }
        before_small = c.is_lowercase();
    }
    spoken
}

/// Why nothing is shown, if nothing is.
fn silence(options: &RecallOptions, asked: &Asked, pool: &Pool, chains: &[Chain]) -> Option<Silence> {
    let Some(best) = chains.first() else {
        return Some(denied(asked, pool).unwrap_or(Silence::NothingKnown));
    };
    // A value of the sort that is asked for makes up for words that no fact says.
    let fits = best.coverage >= options.coverage_min * 0.6 && best.score >= options.coverage_min * 1.3;
    let covered =
        (best.coverage >= options.coverage_min || fits) && !(best.misses_name && best.coverage < 0.75);
    let is_dated = matches!(asked.wanted, Some(Wanted::Time | Wanted::Place));
    let is_called_off = is_dated && best.facts.iter().any(|fact| pool.facts[*fact].is_cancellation());
    if let Some(denied) = denied(asked, pool)
        && (is_called_off || best.coverage < denial_coverage(asked, pool))
    {
        return Some(denied);
    }
    if covered {
        return None;
    }
    let missing = asked
        .terms
        .iter()
        .enumerate()
        .filter(|(at, _)| best.facts.iter().all(|fact| pool.agreements[*fact].term(*at) < 0.5));
    Some(Silence::NotCovered { missing: missing.map(|(_, term)| term.words[0].lower.to_string()).collect() })
}

/// The denial that says most of the question.
fn best_denial<'p>(asked: &Asked, pool: &'p Pool) -> Option<(f32, &'p Known)> {
    let coverages = pool.agreements.iter().map(|agreement| agreement.coverage(asked));
    let denials = coverages
        .zip(&pool.facts)
        .filter(|(_, fact)| (fact.is_denied() || fact.is_cancellation()) && !fact.is_undone());
    denials.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.order().cmp(&b.1.order())))
}

fn denial_coverage(asked: &Asked, pool: &Pool) -> f32 {
    best_denial(asked, pool).map_or(0.0, |(coverage, _)| coverage)
}

fn denied(asked: &Asked, pool: &Pool) -> Option<Silence> {
    let (coverage, fact) = best_denial(asked, pool)?;
    let line = format!("{} {} {}", fact.subject(), spoken(&fact.relation.predicate), fact.object());
    (coverage >= 0.5).then_some(Silence::Denied { line })
}

/// Chains as good as the best that start from something else with the same name.
fn rivals<'c>(asked: &Asked, pool: &Pool, chains: &'c [Chain]) -> Vec<&'c Chain> {
    let best = &chains[0];
    let mut shown: Vec<&Chain> = vec![best];
    let Some(name) = half_named(asked, pool, best) else { return shown };
    for chain in &chains[1..] {
        let same_name = half_named(asked, pool, chain) == Some(name);
        let close = best.score - chain.score <= AMBIGUITY_SLACK && chain.facts.len() == best.facts.len();
        let other = shown.iter().all(|shown| start(pool, shown) != start(pool, chain));
        if same_name && close && other && chain.answer(pool) != best.answer(pool) {
            shown.push(chain);
        }
    }
    shown
}

/// The term of the question that is a part of the name that a chain starts from, where no other part is said.
fn half_named(asked: &Asked, pool: &Pool, chain: &Chain) -> Option<usize> {
    let known = &pool.facts[chain.facts[0]];
    let words =
        if start_end(pool, chain) == End::Subject { &known.words.subject } else { &known.words.object };
    let said =
        |at: usize| words.iter().filter(|word| agreement(&asked.terms[at].words[0], word) >= 1.0).count();
    let terms: Vec<usize> = (0..asked.terms.len()).filter(|at| said(*at) > 0).collect();
    match terms.as_slice() {
        [one] if asked.terms[*one].is_name && words.iter().filter(|word| !word.is_stop).count() > 1 => {
            Some(*one)
        }
        _ => None,
    }
}

/// The end of the first fact that a chain starts from.
fn start_end(pool: &Pool, chain: &Chain) -> End {
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

fn start<'p>(pool: &'p Pool, chain: &Chain) -> &'p str {
    let known = &pool.facts[chain.facts[0]];
    if start_end(pool, chain) == End::Subject { known.subject() } else { known.object() }
}

fn ambiguity(asked: &Asked, pool: &Pool, shown: &[&Chain]) -> Ambiguity {
    let name = half_named(asked, pool, shown[0]).map_or_else(String::new, |at| {
        let word = &asked.terms[at].words[0];
        asked.text[word.start..word.end].to_owned()
    });
    let mut options: Vec<String> = shown.iter().map(|chain| start(pool, chain).to_owned()).collect();
    options.sort();
    Ambiguity { name, options }
}

fn path(pool: &Pool, chain: &Chain) -> Vec<String> {
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
        path.push(if at == End::Subject { known.object() } else { known.subject() }.to_owned());
    }
    path
}

fn summary(recollection: &Recollection, pool: &Pool, chains: &[Chain]) -> Vec<String> {
    let mut lines: Vec<String> = chains
        .iter()
        .take(4)
        .map(|chain| {
            let facts = chain.facts.iter().map(|fact| line(pool, &[*fact], End::Object)).collect::<Vec<_>>();
            format!("{:.2}, says {:.0} %: {}", chain.score, chain.coverage * 100.0, facts.join("; "))
        })
        .collect();
    lines.push(format!("{} tokens", recollection.tokens));
    lines
}

impl Known {
    /// The fact as the memory shows it.
    pub(crate) fn shown(&self, holds: bool) -> RecalledFact {
        let decision = self.change().map(|word| {
            let state = if self.is_undone() { "undone: " } else { "" };
            format!("{state}takes the place of earlier values, by “{word}”")
        });
        RecalledFact {
            id: self.relation.id,
            subject: self.subject().to_owned(),
            predicate: self.relation.predicate.clone(),
            object: self.object().to_owned(),
            valid_from: self.relation.valid_from,
            valid_to: self.relation.valid_to,
            recorded_at: self.relation.recorded_at,
            speaker: self.speaker().map(str::to_owned),
            session: self.session().map(str::to_owned),
            turn: self.turn(),
            sentence: self.relation.text.clone(),
            denied: self.is_denied(),
            holds,
            decision,
        }
    }
}
