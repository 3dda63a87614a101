//! Phrases of questions about records: "on my plate", "past their deadline", "the guidance".

use crate::pack::classes_of_words;

classes_of_words! {
    /// What a phrase says.
    pub enum Asking in "../packs/en/asking.tsv" {
        /// After "be": a thing is not over although its time has passed. "running late".
        Late = "late",
        /// Before a limit: the same. "past".
        Past = "past",
        /// After "have", or in the past: the same. "fallen behind".
        Lapsed = "lapsed",
        /// Before a limit: the same. "missed".
        Missed = "missed",
        /// The time by which a thing is to be over: "deadline".
        Limit = "limit",
        /// With a possessive after the first word: somebody has things that are not over. "on … plate".
        Plate = "plate",
        /// A verb in its base form: something happened to its subject. "suffer".
        Undergoing = "undergoing",
        /// A participle: something happened to what it describes. "affected".
        Befallen = "befallen",
        /// A verb whose subject is an event: "occur".
        Happening = "happening",
        /// A participle that adds nothing to the preposition after it: "located".
        Placed = "placed",
        /// A verb that says that a state lasts: "remain".
        Staying = "staying",
        /// A verb before "due": "fall".
        Falling = "falling",
        /// A piece of work is brought to its end: "finish", "hand in".
        Doing = "doing",
        /// A noun for texts that say what to do: "guidance".
        Advice = "advice",
        /// Stands for things of any kind: "anything".
        Thing = "thing",
        /// Begins a value of a status after which work is not over: "awaiting".
        Partial = "partial",
        /// A noun in a value of a status after which work is not over: "progress".
        Underway = "underway",
        /// Opens a question and adds nothing to it: "could you".
        Polite = "polite",
        /// Before the participle of a verb that ends a piece of work: that is yet to happen. "must be".
        Owing = "owing",
        /// After "have": what somebody has is not over. "left".
        Remaining = "remaining",
        /// A verb in its base form: its subject comes after its object. "need".
        Needing = "needing",
        /// Adds nothing to such a verb: "first".
        Beforehand = "beforehand",
        /// In the name of a date: a piece of work may be to be over then. "target".
        Aim = "aim",
        /// A verb in its base form: somebody has a piece of work. "take on".
        Tending = "tending",
        /// Before who has a piece of work: "assigned to".
        Entrusted = "entrusted",
        /// A verb in its base form with its preposition: its subject comes after its object. "wait for".
        Awaiting = "awaiting",
        /// A verb in its base form: its subject comes before its object. "block".
        Hindering = "hindering",
        /// A verb in its base form with its preposition: two things are joined. "belong to".
        Belonging = "belonging",
        /// A verb in its base form that says no more than "have": "carry".
        Having = "having",
        /// Adds nothing to what a thing has: "installed".
        Equipped = "equipped",
        /// Adds nothing to a question, which is about all records as they are now. "at the moment".
        Idle = "idle",
        /// Before "who" or "whose": that does not matter. "no matter".
        Regardless = "regardless",
        /// People who work together: "crew".
        Group = "group",
        /// After "be": somebody has a piece of work that is not over. "busy with".
        Busy = "busy",
        /// A verb in its base form: an event brought or concerned its subject. "come in".
        Arriving = "arriving",
        /// In the name of a number: adds nothing to what it is a number of. "total".
        Estimate = "estimate",
        /// Before a number of people or things that an event had. "in front of".
        Attended = "attended",
    }
}
