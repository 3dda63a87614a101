//! Words of questions to the memory and of the values that answer them: "thing", "because", "noon".

use crate::pack::classes_of_words;

classes_of_words! {
    /// What a word is in a question to the memory, or in a value that answers it.
    pub enum Recall in "../packs/en/recall.tsv" {
        /// A general word, which a matching fact may lack: "thing".
        General = "general",
        /// A word with little meaning, which counts less: "become".
        Light = "light",
        /// Introduces a reason, or is a noun for a problem: "because".
        Reason = "reason",
        /// Stands between a question word and what is asked for, as finite auxiliaries do: "the".
        Connecting = "connecting",
        /// A preposition that may end a question, after the verb it belongs to: "come from", "run on".
        Stranded = "stranded",
        /// A preposition between a verb and the other end of its relation: "depend on".
        Preposition = "preposition",
        /// An article or a possessive before a name, of which it is no part: "our".
        Determiner = "determiner",
        /// A value that is a time, besides the names of months and weekdays: "noon".
        Time = "time",
        /// A unit of time: "week".
        Unit = "unit",
        /// A group of people: "team".
        Group = "group",
        /// A preposition after which somebody is not whom a question is about: "who did it *before* Ann".
        Aside = "aside",
    }
}
