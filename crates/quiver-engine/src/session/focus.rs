//! What a session is about: the things that a word of the next question may stand for.

use super::{
    exchange::{Exchange, Referent},
    link::same,
};

/// How many turns back a word may point.
const TURNS_BACK: usize = 8;
/// How many things are considered for it.
const CANDIDATES_MAX: usize = 12;
/// How much less a turn counts than the one after it.
const DECAY: f32 = 0.72;
/// How much things count by their part in a turn: asked about, named in the answer, beside it.
const ASKED: f32 = 1.0;
const ANSWERED: f32 = 0.85;
const NEARBY: f32 = 0.4;
/// How much less each next thing of the same part counts.
const STEP: f32 = 0.05;
/// Things that the question itself named before count more than any of the session.
pub(crate) const SAME_QUESTION: f32 = 2.0;

/// A thing that a word may stand for.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) referent: Referent,
    /// How much it is in focus.
    pub(crate) salience: f32,
    /// Why.
    pub(crate) because: &'static str,
    /// How many turns ago that was.
    pub(crate) ago: usize,
    /// How many turns ago it was spoken of last.
    pub(crate) last: usize,
}

/// The things that the last turns spoke of, the most in focus first.
pub(crate) fn candidates(exchanges: &[Exchange]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut decay = 1.0;
    for (ago, exchange) in exchanges.iter().rev().take(TURNS_BACK).enumerate() {
        let parts: [(&[Referent], f32, &str); 4] = [
            (&exchange.asked, ASKED, "asked about"),
            (&exchange.answered, ANSWERED, "named in the answer"),
            (&exchange.listed, NEARBY, "listed"),
            (&exchange.nearby, NEARBY, "named beside the answer"),
        ];
        for (referents, salience, because) in parts {
            for (place, referent) in referents.iter().enumerate() {
                let salience = (salience - STEP * place as f32).max(STEP) * decay;
                match found.iter_mut().find(|known| same(&known.referent.name, &referent.name)) {
                    Some(known) if known.salience >= salience => {}
                    Some(known) => (known.salience, known.because, known.ago) = (salience, because, ago),
                    None => found.push(Candidate {
                        referent: referent.clone(),
                        salience,
                        because,
                        ago,
                        last: ago,
                    }),
                }
            }
        }
        decay *= DECAY;
    }
    found.sort_by(|a, b| {
        b.salience.total_cmp(&a.salience).then_with(|| a.referent.name.cmp(&b.referent.name))
    });
    found.truncate(CANDIDATES_MAX);
    found
}

/// What the session listed last, or offered to choose from: what ordinals count.
pub(crate) fn listed(exchanges: &[Exchange]) -> Option<&[Referent]> {
    exchanges.iter().rev().take(TURNS_BACK).find_map(|exchange| {
        let offered = exchange.asks.as_ref().map(|asks| asks.options.as_slice());
        offered.into_iter().chain([exchange.listed.as_slice()]).find(|list| list.len() > 1)
    })
}
