//! 95 % bootstrap intervals of a mean, by resampling the questions with a fixed seed.

/// Number of resamples.
pub const RESAMPLES: usize = 2000;
const SEED: u64 = 0x51_55_49_56_45_52;

/// A mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Computes the mean of one value per question and its percentile interval (Efron, 1979). The result is
/// deterministic. Passing the differences of two methods per question gives their paired interval.
pub fn interval(values: &[f64]) -> Interval {
    if values.is_empty() {
        return Interval { mean: 0.0, low: 0.0, high: 0.0 };
    }
    let mut random = SplitMix(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            (0..values.len()).map(|_| values[random.below(values.len())]).sum::<f64>() / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    Interval { mean, low: means[RESAMPLES / 40], high: means[RESAMPLES - 1 - RESAMPLES / 40] }
}

/// `SplitMix64` (Steele, Lea and Flood, 2014): a small seeded generator with the same numbers everywhere.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a bound from the high half of the product; the bias is negligible here.
    fn below(&mut self, bound: usize) -> usize {
        let product = u128::from(self.next()) * bound as u128;
        usize::try_from(product >> 64).expect("it is below a usize")
    }
}

#[cfg(test)]
mod tests;
