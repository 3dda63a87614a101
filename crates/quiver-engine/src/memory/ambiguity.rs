//! Ambiguity: a name that fits several things is asked back.

use super::{
    asked::Asked,
    lines::{start, start_end},
    rank::{Chain, End},
    recall::Pool,
    recollection::Ambiguity,
    words::agreement,
};

/// How close two chains have to be for the question to be asked back.
const AMBIGUITY_SLACK: f32 = 0.04;

/// Chains as good as the best that start from something else with the same name.
pub(super) fn rivals<'c>(asked: &Asked, pool: &Pool, chains: &'c [Chain]) -> Vec<&'c Chain> {
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

/// The question back.
pub(super) fn ambiguity(asked: &Asked, pool: &Pool, shown: &[&Chain]) -> Ambiguity {
    let name = half_named(asked, pool, shown[0]).map_or_else(String::new, |at| {
        let word = &asked.terms[at].words[0];
        asked.text[word.start..word.end].to_owned()
    });
    let mut options: Vec<String> = shown.iter().map(|chain| start(pool, chain).to_owned()).collect();
    options.sort();
    Ambiguity { name, options }
}
