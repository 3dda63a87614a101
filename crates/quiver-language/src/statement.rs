//! Words by which statements about work are read: "deployed in", "the budget of", "maybe".

use crate::pack::classes_of_words;

classes_of_words! {
    /// What a word does in a statement about work.
    pub enum Statement in "../packs/en/statements.tsv" {
        /// Makes a sentence a guess, a wish, a condition or hearsay, or denies it: "maybe", "never".
        Unsure = "unsure",
        /// Makes every clause of a sentence conditional or uncertain: "if", "whenever".
        Condition = "condition",
        /// Denies a plain statement, and leaves no doubt: "not", "isn't".
        Negation = "negation",
        /// Refers to something given only by the context, or to nothing in particular: "it", "stuff".
        Vague = "vague",
        /// A noun that only the context identifies if it stands alone without an article: "meeting".
        Generic = "generic",
        /// Cannot begin or end a name or a noun phrase: "of", "today".
        Connecting = "connecting",
        /// Evaluates, and so is not part of a value: "great", "unclear".
        Evaluating = "evaluating",
        /// Opens a sentence and adds nothing to it: "okay", "update".
        Opening = "opening",
        /// An adverb next to a verb that does not change its meaning: "currently".
        Adverb = "adverb",
        /// Marks a value as a replacement of an earlier one: "instead".
        Change = "change",
        /// Starts a new clause, so that the clause before it is complete: "because".
        Joint = "joint",
        /// Stands after an object and adds something about time or cause, or starts another clause: "until".
        Following = "following",
        /// A conjunction after which a clause stands by itself. After "that", it may be doubted or denied.
        ClauseJoint = "clause-joint",
        /// Introduces a date: "since", "effective".
        DateOpening = "date-opening",
        /// A predicate that is a status: "deployed", "on hold".
        Status = "status",
        /// A noun for an attribute with a single value: "budget", "due date".
        Attribute = "attribute",
        /// A participle or an adjective, with its preposition, that introduces a place, a date, a person or a
        /// part: "due on".
        State = "state",
        /// The participle of a change: "moved".
        Changing = "changing",
        /// A verb in base form that relates two things by its preposition: "depend on".
        Prepositional = "prepositional",
        /// A transitive verb in base form for a past action. Its past states the fact as well as its present:
        /// "write".
        Deed = "deed",
        /// A verb in base form of an event with a date: "expire".
        Dated = "dated",
        /// A verb in base form of feeling, thought, perception or speech, or of habit, whose statement says nothing
        /// of how two things are related: "love".
        Inner = "inner",
        /// A verb of measurement: "weighs".
        Measuring = "measuring",
        /// A task that is under way: "reviewing".
        Task = "task",
        /// A verb in base form that says that a deed has ended: "stop".
        Ceasing = "ceasing",
        /// Before a comma, makes what follows a supposition or a part of a story: "theory".
        Supposed = "supposed",
        /// Does not make a statement a guess if more is said than who does what: "usually", "how".
        Usual = "usual",
    }
}
