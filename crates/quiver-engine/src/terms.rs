//! The content words of a question, as weights and as bits.

/// A content word of the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QueryTerm {
    pub(crate) hash: u32,
    pub(crate) weight: f32,
}

/// The question terms, each with a bit, so that the terms a passage covers fit in one number.
#[derive(Clone, Debug)]
pub(crate) struct TermBits {
    /// Pairs of term hash and bit, sorted by hash.
    bits: Vec<(u32, u32)>,
    weights: Vec<f32>,
    /// Total weight of all terms, above 0.
    pub(crate) all: f32,
}

impl TermBits {
    /// Terms beyond this number have no bit.
    const TERMS_MAX: usize = 128;

    pub(crate) fn of(terms: &[QueryTerm]) -> Self {
        let terms = &terms[..terms.len().min(Self::TERMS_MAX)];
        let mut bits: Vec<_> = terms.iter().zip(0..).map(|(term, bit)| (term.hash, bit)).collect();
        bits.sort_unstable();
        let weights: Vec<f32> = terms.iter().map(|term| term.weight).collect();
        let all = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        Self { bits, weights, all }
    }

    fn bit(&self, term: u32) -> Option<u32> {
        self.bits.binary_search_by_key(&term, |entry| entry.0).ok().map(|at| self.bits[at].1)
    }

    /// Returns the bits of these terms, in any order.
    pub(crate) fn covered_by(&self, terms: impl IntoIterator<Item = u32>) -> u128 {
        terms.into_iter().filter_map(|term| self.bit(term)).fold(0, |covered, bit| covered | 1 << bit)
    }

    /// Returns the bits of these sorted terms, with one binary search per question term.
    pub(crate) fn covered_by_sorted<T>(&self, terms: &[T], hash: impl Fn(&T) -> u32) -> u128 {
        let has = |term: u32| terms.binary_search_by_key(&term, &hash).is_ok();
        self.bits.iter().filter(|entry| has(entry.0)).fold(0, |covered, entry| covered | 1 << entry.1)
    }

    pub(crate) fn has(&self, term: u32) -> bool {
        self.bit(term).is_some()
    }

    pub(crate) fn is_covered(&self, term: u32, covered: u128) -> bool {
        self.bit(term).is_some_and(|bit| covered >> bit & 1 == 1)
    }

    /// Returns the total weight of the covered terms.
    pub(crate) fn weight(&self, covered: u128) -> f32 {
        (0..self.weights.len()).filter(|bit| covered >> bit & 1 == 1).map(|bit| self.weights[bit]).sum()
    }

    /// Returns the covered share of the weight of some terms, from 0 to 1.
    pub(crate) fn share_of(&self, covered: u128, among: u128) -> f32 {
        let all = self.weight(among);
        if all > 0.0 { self.weight(covered & among) / all } else { 0.0 }
    }

    /// Returns the covered share of the question's weight, from 0 to 1.
    pub(crate) fn share(&self, covered: u128) -> f32 {
        (self.weight(covered) / self.all).min(1.0)
    }
}
