//! Words of the predicates of facts: "deadline", "also known as".

use crate::pack::classes_of_words;

classes_of_words! {
    /// What a word is in the predicate of a fact.
    pub enum Predicate in "../packs/en/predicates.tsv" {
        /// A predicate, or a word of one, that has a single value unless declared otherwise, as listed in the
        /// documentation.
        SingleValued = "single-valued",
        /// A predicate that equates two names: "also known as".
        Alias = "alias",
        /// A relation in which a thing has one holder at a time, in base form: "maintain".
        Held = "held",
        /// Says who belongs to a group: "member".
        Membership = "membership",
        /// A verb in base form with little meaning of its own, which a fact may paraphrase: "take".
        Light = "light",
        /// Carries no relation: "has", "currently".
        Auxiliary = "auxiliary",
        /// Is left out of a slot, unless nothing else is in it. Cardinalities are stored by slot and depend
        /// on these words.
        Unslotted = "unslotted",
    }
}
