//! Words that tell how much, how long or how often: "forever", "twice", "up to".

use crate::pack::classes_of_words;

classes_of_words! {
    /// What a word tells of an amount.
    pub enum Amount in "../packs/en/amounts.tsv" {
        /// Tells how much or how long without a number: "forever".
        Extent = "extent",
        /// Tells exactly how often: "twice".
        Times = "times",
        /// Tells how often, but not exactly: "rarely".
        Often = "often",
        /// Asks for an end of a scale, or is at one: "maximum".
        Extreme = "extreme",
        /// Sets a bound, or says what something can hold: "up to", "seats".
        Bound = "bound",
        /// A part of a whole: "half".
        Fraction = "fraction",
        /// Continues a number: "nine thousand".
        Scale = "scale",
    }
}
