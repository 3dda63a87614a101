//! Selects what is shown within the token budget: the best chain as lines, other values of its last fact, and a
//! clarifying question if a name is ambiguous.

use std::collections::BTreeSet;

use crate::{error::Stage, trace::Trace};

use super::{
    abstain::abstain,
    ambiguity::{ambiguity, rivals},
    asked::Asked,
    end::End,
    lines::{change_since, is_told, line, lines, path, values},
    pool::FactPool,
    rank::Chain,
    recollection::{RecallOptions, Recollection, count_tokens},
    sure::is_sure,
};

/// Maximum score difference to the best chain for the second one to be shown too.
const HEDGE_SLACK: f32 = 0.01;

/// Builds the recollection from the ranked chains.
pub(crate) fn show(
    options: &RecallOptions,
    asked: &Asked,
    pool: &FactPool,
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
        turns: Vec::new(),
        found: Vec::new(),
        tokens: 0,
        no_answer: abstain(options, asked, pool, chains),
        ambiguity: None,
        trace: Trace::default(),
    };
    if recollection.no_answer.is_none()
        && let Some(best) = chains.first()
    {
        let rivals = rivals(asked, pool, chains);
        let shown = if rivals.is_empty() { vec![best] } else { rivals };
        if shown.len() > 1 {
            recollection.ambiguity = Some(ambiguity(asked, pool, &shown));
        } else {
            recollection.answer = is_sure(asked, pool, best).then(|| without_asked(asked, pool, best));
            recollection.path = path(pool, best);
        }
        fill(&mut recollection, options, pool, chains, &shown, holds, &count);
    }
    recollection.tokens = count(&recollection.text());
    trace.end(Stage::Answer, summary(&recollection, pool, chains));
    recollection.trace = trace;
    recollection
}

/// The answer of a chain. If it was read from text, without a purpose that the question names: "Slack" of "Slack for
/// chat", if the question is what is used for chat.
fn without_asked(asked: &Asked, pool: &FactPool, chain: &Chain) -> String {
    let answer = chain.answer(pool);
    let is_read = chain.facts.last().is_some_and(|last| pool.facts[*last].is_found());
    let named = answer
        .find(" for ")
        .filter(|at| is_read && asked.text.to_lowercase().contains(&answer[*at..].to_lowercase()));
    named.map_or(answer, |at| &answer[..at]).to_owned()
}

/// Adds lines and facts while they fit the budget.
fn fill(
    recollection: &mut Recollection,
    options: &RecallOptions,
    pool: &FactPool,
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
            if count(&text) <= options.tokens_max {
                recollection.lines.extend(lines);
                let facts = before.iter().chain(&values[..number]);
                recollection.facts.extend(facts.map(|fact| pool.facts[*fact].shown(holds[*fact])));
                break;
            }
        }
        if recollection.lines.is_empty() {
            end_alone(recollection, options, pool, chain, holds, count);
        }
        let other = hedge(pool, chains, chain).filter(|other| shown.len() == 1 && !values.contains(other));
        if let Some(other) = other {
            beside(recollection, options, pool, other, holds[other], count);
        }
        if let Some(change) = change_since(pool, chain, holds) {
            beside(recollection, options, pool, change, true, count);
        }
    }
}

/// Adds one more fact on a line of its own, if it is new and fits the budget.
fn beside(
    recollection: &mut Recollection,
    options: &RecallOptions,
    pool: &FactPool,
    fact: usize,
    holds: bool,
    count: &impl Fn(&str) -> usize,
) {
    let line = line(pool, &[fact], End::Object);
    let is_new = !is_told(&recollection.lines, &line);
    if is_new && count(&format!("{}\n{line}", recollection.text())) <= options.tokens_max {
        recollection.lines.push(line);
        recollection.facts.push(pool.facts[fact].shown(holds));
    }
}

/// The fact that matches as well as the one shown, so that the order between them is arbitrary.
fn hedge(pool: &FactPool, chains: &[Chain], best: &Chain) -> Option<usize> {
    let next = chains[1..].iter().find(|chain| chain.facts.last() != best.facts.last())?;
    let [other] = next.facts.as_slice() else { return None };
    let close = best.facts.len() == 1 && best.score - next.score <= HEDGE_SLACK;
    let (other, shown) = (*other, best.facts[0]);
    let apart = pool.facts[other].relation.text != pool.facts[shown].relation.text;
    (close && (apart || !pool.facts[other].is_found())).then_some(other)
}

/// If the chain exceeds the budget, shows only its last fact, or just the value.
fn end_alone(
    recollection: &mut Recollection,
    options: &RecallOptions,
    pool: &FactPool,
    chain: &Chain,
    holds: &[bool],
    count: &impl Fn(&str) -> usize,
) {
    let last = *chain.facts.last().expect("a chain has a fact");
    let asked = recollection.text();
    let fits = |end: &String| {
        let text = [asked.as_str(), end].join(if asked.is_empty() { "" } else { "\n" });
        count(&text) <= options.tokens_max
    };
    let ends = [line(pool, &[last], chain.end), chain.answer(pool).to_owned()];
    if let Some(end) = ends.into_iter().find(fits) {
        recollection.lines.push(end);
        recollection.facts.push(pool.facts[last].shown(holds[last]));
    }
}

fn summary(recollection: &Recollection, pool: &FactPool, chains: &[Chain]) -> Vec<String> {
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
