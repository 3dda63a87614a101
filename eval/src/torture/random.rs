/// Seeded random numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// Creates the generator of one run of a seed.
    pub(super) fn new(seed: u64, run: usize) -> Self {
        let mut random = Self(seed ^ (run as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93));
        random.next();
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a positive bound.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }

    /// Returns a number in `0..1`.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Returns a made-up name.
    pub(super) fn name(&mut self) -> String {
        const SYLLABLES: [&str; 16] = [
            "bar", "del", "fin", "gor", "hal", "jun", "kes", "lum", "mir", "nov", "ost", "pel", "rud", "sil",
            "tam", "vor",
        ];
        let name: String = (0..3).map(|_| *self.pick(&SYLLABLES)).collect();
        name[..1].to_uppercase() + &name[1..]
    }
}
