//! Words by which a later statement ends an earlier one or contests it: "instead", "resigned", "moved".

use crate::pack::classes_of_words;

classes_of_words! {
    /// What a word says of a change.
    pub enum Change in "../packs/en/changes.tsv" {
        /// Signals that a value supersedes an earlier one: "instead".
        Sign = "sign",
        /// A verb of change, movement or handover, in base form: "postpone".
        Verb = "verb",
        /// Says that something is cancelled: "scrapped".
        Cancelling = "cancelling",
        /// Says that something is no longer so: "anymore".
        Ended = "ended",
        /// The participle of a verb that changes a value of a thing: "raised".
        Rescaling = "rescaling",
        /// A noun for a value on a scale: "severity".
        Scale = "scale",
        /// The participle of a verb that changes a date or a location: "postponed".
        Shifting = "shifting",
        /// Says where something is: "located".
        Place = "place",
        /// A verb after which somebody no longer has a thing: "sold".
        Parting = "parting",
        /// A predicate of somebody who has a thing: "owns".
        Having = "having",
        /// A verb after which somebody no longer has a job: "resigned".
        Quitting = "quitting",
        /// With "over", "to" or "on", says that somebody hands something over: "passed".
        Handing = "handing",
        /// Says that somebody has taken the place of another: "successor".
        Succeeding = "succeeding",
        /// A form of "leave".
        Leaving = "leaving",
        /// What somebody leaves who gives up what they hold; stands after "leave": "company".
        Left = "left",
        /// Somebody who holds something; after "new", another: "maintainer".
        Holder = "holder",
        /// A job, or a word for one; stands after "left" or "lost": "position".
        Job = "job",
        /// Stands after "moved" if somebody lives elsewhere: "abroad".
        Moved = "moved",
        /// A common noun or a title in a name, which does not stand for the whole name: "team".
        Kind = "kind",
        /// The speaker, alone or with others: "we'll".
        Speaker = "speaker",
        /// A verb in the past whose object is given up, and by which something is over after a form of "be": "ditched".
        Dropped = "dropped",
        /// A form of "be", or stands for one: "it's", "got".
        Being = "being",
        /// Denies: "isn't", "without".
        Denying = "denying",
        /// May stand between a word that gives up, or denies, and the thing: "using".
        Linking = "linking",
        /// A pronoun, alone or with an auxiliary: "we've".
        Pronoun = "pronoun",
    }
}
