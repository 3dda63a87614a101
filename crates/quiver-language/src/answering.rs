//! Words that show what a text says in answer to a question: negations, nouns for kinds, heads of columns.

use crate::pack::classes_of_words;

classes_of_words! {
    /// What a word shows.
    pub enum Answering in "../packs/en/answers.tsv" {
        /// Makes "how much" a question for a price: "paid".
        Price = "price",
        /// Makes a port one of a network and not of a coast: "listens".
        Port = "port",
        /// Denies: "not", "without".
        Denying = "denying",
        /// Refers to a thing said elsewhere: "specified".
        Referring = "referring",
        /// Ends the name of an organisation: "university".
        Organisation = "organisation",
        /// Ends the name of a place: "street".
        Place = "place",
        /// Stands before the name of a person: "captain".
        Title = "title",
        /// A particle in a name of a person: "von".
        Particle = "particle",
        /// Somebody who belongs to a work or a company: "composer".
        Agent = "agent",
        /// A noun for the kind of a thing, which may follow its name: "option".
        Kind = "kind",
        /// Heads a column that tells what the thing of a row is or does: "purpose".
        Describing = "describing",
        /// Heads a column of other names for the thing of a row: "variable".
        Naming = "naming",
        /// A verb that only introduces what a thing is for: "controls".
        Introducing = "introducing",
        /// A verb of a state and not of an action: "requires".
        State = "state",
        /// Follows a definition that also tells what the thing is for: "used".
        Use = "use",
        /// A verb in base form with which a thing only has what its object names: "face".
        Facing = "facing",
        /// A field of metadata that describes a document: "author".
        Field = "field",
        /// A value that says that there is none yet: "tbd".
        Placeholder = "placeholder",
        /// In a heading, says nothing about the content of a section: "guide".
        Manual = "manual",
        /// A noun after "in" or "on" that names no place: "in addition to".
        Idiom = "idiom",
        /// In a question, only asks: "tell", "exactly".
        Asking = "asking",
        /// Says nothing by itself, as articles, pronouns and prepositions do: "the".
        Function = "function",
        /// A colour: "green".
        Colour = "colour",
    }
}
