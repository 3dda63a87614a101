//! Words that join a reason and what it is the reason of: "because", "so", "prevents".

use crate::pack::classes_of_words;

classes_of_words! {
    /// How a word or phrase joins a reason and its effect.
    pub enum Cause in "../packs/en/causes.tsv" {
        /// The reason follows: "because".
        Reason = "reason",
        /// The effect follows: "therefore".
        Effect = "effect",
        /// A verb in base form, with the reason on either side: "prevent".
        Verb = "verb",
        /// A phrase in which "as" gives no reason: "as usual".
        Comparison = "comparison",
    }
}

/// Maximum number of words in a phrase.
pub const PHRASE_WORDS_MAX: usize = 4;
