//! Nouns that tell of what type an answer is: "which *company*", "what is the *price*".

use crate::pack::classes_of_words;

classes_of_words! {
    /// The type of the answer to a question for a thing of a kind.
    pub enum AskedType in "../packs/en/asked-types.tsv" {
        /// A country: "homeland".
        Country = "country",
        /// A date or a part of one: "deadline".
        Date = "date",
        /// A place: "village".
        Place = "place",
        /// A number, mostly with a unit: "price".
        Quantity = "quantity",
        /// An organisation: "company".
        Organisation = "organisation",
        /// A person: "founder".
        Person = "person",
        /// A reason: "cause".
        Reason = "reason",
        /// Not a person, although the noun has an ending of nouns for persons: "server".
        NoAgent = "no-agent",
    }
}
