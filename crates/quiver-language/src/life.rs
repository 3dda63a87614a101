//! Words by which what people say of their lives is read: "yeah", "kidding", "a while ago".

use crate::pack::classes_of_words;

classes_of_words! {
    /// What a word does in what people say of their lives.
    pub enum Life in "../packs/en/life.tsv" {
        /// Opens a sentence of a conversation and adds nothing to it: "yeah", "by the way".
        Interjection = "interjection",
        /// Makes the rest of a sentence a guess, a wish, a plan, a condition or hearsay: "hope", "told".
        Uncertain = "uncertain",
        /// Stands after a clause and retracts it or makes it conditional: "unless".
        Retracting = "retracting",
        /// Marks a whole turn as a joke or fiction: "kidding".
        Jest = "jest",
        /// An adverb between a subject and its verb that does not change the statement: "recently".
        Adverb = "adverb",
        /// A conjunction after which a clause with its own subject stands by itself: "and", "cuz".
        Joint = "joint",
        /// May follow a complete clause: "with", "myself".
        Following = "following",
        /// Ends the search for the moment of an event: "while".
        Elsewhere = "elsewhere",
        /// A preposition that attaches a phrase to a noun: "near".
        Attaching = "attaching",
        /// May follow a noun and is not part of its phrase: "called", "online".
        AfterNoun = "after-noun",
        /// Stands before a noun and says that the thing is not of its kind or not owned: "toy car", "hot
        /// dog".
        Unreal = "unreal",
        /// A noun or pronoun with little meaning: "bunch".
        Light = "light",
        /// An evaluative adjective, which is dropped before a noun: "lovely".
        Evaluative = "evaluative",
        /// Says of a thing that it is one of several: "second".
        Ordinal = "ordinal",
        /// A noun that is not a field of work or study: "overtime".
        NoField = "no-field",
        /// A noun that does not identify an employer, alone or with a size: "company".
        Employer = "employer",
        /// An adjective before such a noun: "small".
        Size = "size",
        /// An attribute of which everybody has one value: "shoe size".
        Own = "own",
        /// A noun whose value is something that people do: "hobby".
        Pastime = "pastime",
        /// An adjective that is a condition, and no value: "open".
        Passing = "passing",
        /// An adjective before a noun for a relative: "older".
        OfKin = "of-kin",
        /// Is written with a capital and is not a name of a person: "Easter".
        NoName = "no-name",
        /// May begin a moment, as numbers and dates may: "last".
        MomentStart = "moment-start",
        /// A moment that names no day: "a while ago".
        VagueMoment = "vague-moment",
    }
}
