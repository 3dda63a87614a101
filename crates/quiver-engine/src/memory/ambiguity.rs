//! Ambiguity: a name that matches several entities leads to a clarifying question.

use super::{
    asked::Asked,
    lines::{start, start_end},
    pool::FactPool,
    rank::Chain,
    recollection::Ambiguity,
    words::agreement,
};

/// Maximum score difference between two chains for the question to be ambiguous.
const AMBIGUITY_SLACK: f32 = 0.04;

/// The best chain, and the chains of equal length and similar score that start from another entity with the
/// same partial name and end in another answer.
pub(super) fn rivals<'c>(asked: &Asked, pool: &FactPool, chains: &'c [Chain]) -> Vec<&'c Chain> {
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

/// The only term of the question that occurs in the name at the start of a chain, if the name has several words.
fn half_named(asked: &Asked, pool: &FactPool, chain: &Chain) -> Option<usize> {
    let known = &pool.facts[chain.facts[0]];
    let words = known.words.at(start_end(pool, chain));
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

/// Builds the clarifying question.
pub(super) fn ambiguity(asked: &Asked, pool: &FactPool, shown: &[&Chain]) -> Ambiguity {
    let name = half_named(asked, pool, shown[0]).map_or_else(String::new, |at| {
        let word = &asked.terms[at].words[0];
        asked.text[word.start..word.end].to_owned()
    });
    let mut options: Vec<String> = shown.iter().map(|chain| start(pool, chain).to_owned()).collect();
    options.sort();
    Ambiguity { name, options }
}
