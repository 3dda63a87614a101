//! The focus of a session: candidate referents for the next question.

use super::{
    exchange::{Exchange, Referent},
    link::same,
};

/// How many turns back a reference may point.
const TURNS_BACK: usize = 8;
/// The maximum number of candidates.
const CANDIDATES_MAX: usize = 12;
/// The factor by which salience decreases with each turn.
const DECAY: f32 = 0.72;
/// The salience of an entity by its role in a turn: asked about, named in the answer, near the answer.
const ASKED: f32 = 1.0;
const ANSWERED: f32 = 0.85;
const NEARBY: f32 = 0.4;
/// The decrease in salience for each next entity with the same role.
const STEP: f32 = 0.05;
/// The salience of an entity named earlier in the same question: higher than that of any entity of the session.
pub(crate) const SAME_QUESTION: f32 = 2.0;

/// A candidate referent.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) referent: Referent,
    /// Its salience.
    pub(crate) salience: f32,
    /// The reason.
    pub(crate) because: &'static str,
    /// How many turns ago it was mentioned in the role that gives it this salience.
    pub(crate) ago: usize,
    /// How many turns ago it was last mentioned.
    pub(crate) last: usize,
}

/// The entities of the latest turns, most salient first.
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

/// The latest list in the session or among the options offered; ordinals refer to it.
pub(crate) fn listed(exchanges: &[Exchange]) -> Option<&[Referent]> {
    exchanges.iter().rev().take(TURNS_BACK).find_map(|exchange| {
        let offered = exchange.asks.as_ref().map(|asks| asks.options.as_slice());
        offered.into_iter().chain([exchange.listed.as_slice()]).find(|list| list.len() > 1)
    })
}
