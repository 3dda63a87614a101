use serde::{Deserialize, Serialize};

use super::Usage;

/// Token prices, in any currency.
///
/// ```
/// use quiver_models::chat::{Prices, Usage};
///
/// let prices = Prices { million_in: 0.15, million_out: 0.60 };
/// let cost = prices.cost_nano(Usage { tokens_in: 2_000_000, tokens_out: 1_000, is_estimate: false });
/// assert_eq!(cost, 300_600_000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prices {
    /// The price of a million input tokens. Default 0, as for a local model.
    #[serde(default)]
    pub million_in: f64,
    /// The price of a million output tokens. Default 0.
    #[serde(default)]
    pub million_out: f64,
}

impl Prices {
    /// Returns the cost of a call in billionths of the currency. Integers make sums independent of their order.
    ///
    /// Discounts, for example for cached prompts, are not taken into account.
    pub fn cost_nano(&self, usage: Usage) -> u64 {
        const NANO_OF_MILLIONTH: f64 = 1e3;
        let cost = |tokens: u64, million: f64| tokens as f64 * million.max(0.0) * NANO_OF_MILLIONTH;
        let cost = cost(usage.tokens_in, self.million_in) + cost(usage.tokens_out, self.million_out);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and casts saturate"
        )]
        let nano = cost.round() as u64;
        nano
    }
}
