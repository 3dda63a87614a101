//! The closed word classes of English that matter for reference: pronouns, demonstratives, ordinals,
//! connectors. Contains no topic words and no names.

use quiver_language::{
    number::as_year,
    pack::{month, weekday},
};
use quiver_memory::reader::is_person;

/// The kind of entity that a word can refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// "He".
    Man,
    /// "She".
    Woman,
    /// "It".
    Thing,
    /// "They", which may also be one person or one company.
    Several,
    /// "There".
    Place,
}

/// A pronoun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pronoun {
    pub(crate) sort: Sort,
    /// When it is possessive.
    pub(crate) owner: Owner,
}

/// When a pronoun is possessive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Never,
    Always,
    /// If a noun follows: "her".
    BeforeNoun,
}

/// The third-person pronouns, and "there".
pub(crate) fn pronoun(word: &str) -> Option<Pronoun> {
    let (sort, owner) = match word {
        "he" | "him" | "himself" => (Sort::Man, Owner::Never),
        "his" => (Sort::Man, Owner::Always),
        "she" | "herself" => (Sort::Woman, Owner::Never),
        "her" => (Sort::Woman, Owner::BeforeNoun),
        "hers" => (Sort::Woman, Owner::Always),
        "it" | "itself" => (Sort::Thing, Owner::Never),
        "its" => (Sort::Thing, Owner::Always),
        "they" | "them" | "themselves" => (Sort::Several, Owner::Never),
        "their" | "theirs" => (Sort::Several, Owner::Always),
        "there" => (Sort::Place, Owner::Never),
        _ => return None,
    };
    Some(Pronoun { sort, owner })
}

pub(crate) fn is_demonstrative(word: &str) -> bool {
    matches!(word, "this" | "that" | "these" | "those")
}

pub(crate) fn is_question_word(word: &str) -> bool {
    matches!(word, "who" | "whom" | "whose" | "what" | "which" | "when" | "where" | "why" | "how")
}

pub(crate) fn is_auxiliary(word: &str) -> bool {
    matches!(
        word,
        "is" | "are"
            | "was"
            | "were"
            | "am"
            | "be"
            | "been"
            | "being"
            | "do"
            | "does"
            | "did"
            | "has"
            | "have"
            | "had"
            | "can"
            | "could"
            | "must"
            | "may"
            | "might"
            | "shall"
            | "will"
            | "would"
            | "should"
    )
}

/// "Do" and the modal verbs, which a subject follows in a question.
pub(crate) fn is_modal(word: &str) -> bool {
    matches!(
        word,
        "do" | "does"
            | "did"
            | "can"
            | "could"
            | "must"
            | "may"
            | "might"
            | "shall"
            | "will"
            | "would"
            | "should"
    )
}

/// First- and second-person pronouns. They never refer to anything in the documents.
pub(crate) fn is_first_or_second(word: &str) -> bool {
    matches!(
        word,
        "i" | "me"
            | "my"
            | "mine"
            | "myself"
            | "you"
            | "your"
            | "yours"
            | "yourself"
            | "we"
            | "us"
            | "our"
            | "ours"
    )
}

pub(crate) fn is_be(word: &str) -> bool {
    matches!(word, "is" | "are" | "was" | "were" | "be" | "been")
}

pub(crate) fn is_preposition(word: &str) -> bool {
    matches!(
        word,
        "in" | "on"
            | "at"
            | "to"
            | "of"
            | "for"
            | "from"
            | "by"
            | "with"
            | "without"
            | "about"
            | "after"
            | "before"
            | "during"
            | "since"
            | "until"
            | "under"
            | "over"
            | "through"
            | "into"
            | "between"
            | "against"
            | "near"
            | "than"
            | "as"
            | "upon"
            | "within"
            | "per"
    )
}

pub(crate) fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an")
}

/// Words that join clauses. Expressions in different clauses may have the same referent.
pub(crate) fn is_conjunction(word: &str) -> bool {
    matches!(
        word,
        "and" | "but" | "or" | "so" | "because" | "although" | "though" | "while" | "if" | "whether" | "that"
    )
}

/// Words without content at the start of a follow-up.
pub(crate) fn is_connector(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "but"
            | "or"
            | "so"
            | "also"
            | "ok"
            | "okay"
            | "well"
            | "then"
            | "now"
            | "right"
            | "thanks"
            | "thank"
            | "yes"
            | "no"
            | "sorry"
            | "please"
            | "hm"
            | "hmm"
            | "oh"
            | "ah"
            | "great"
            | "good"
            | "sure"
            | "just"
            | "maybe"
            | "perhaps"
            | "alright"
    )
}

/// Words without content at the end of a follow-up.
pub(crate) fn is_closing(word: &str) -> bool {
    matches!(word, "please" | "then" | "too" | "instead" | "though" | "again" | "now" | "thanks" | "either")
}

/// Imperatives that make a request.
pub(crate) fn is_request(word: &str) -> bool {
    matches!(
        word,
        "tell"
            | "show"
            | "list"
            | "give"
            | "explain"
            | "describe"
            | "name"
            | "find"
            | "compare"
            | "summarise"
            | "summarize"
            | "say"
            | "remind"
            | "let"
            | "let's"
            | "want"
            | "know"
            | "like"
            | "need"
            | "wonder"
            | "wondering"
            | "mean"
            | "means"
            | "meant"
    )
}

/// Function words, which cannot be the noun after a demonstrative or article.
pub(crate) fn is_closed(word: &str) -> bool {
    is_auxiliary(word)
        || is_preposition(word)
        || is_article(word)
        || is_conjunction(word)
        || is_question_word(word)
        || is_demonstrative(word)
        || pronoun(word).is_some()
        || is_closing(word)
        || matches!(
            word,
            "not"
                | "no"
                | "one"
                | "ones"
                | "both"
                | "all"
                | "some"
                | "any"
                | "more"
                | "most"
                | "much"
                | "many"
                | "also"
                | "still"
                | "ever"
                | "never"
                | "always"
                | "already"
                | "yet"
                | "only"
                | "even"
                | "very"
                | "exactly"
                | "really"
                | "actually"
                | "i"
                | "me"
                | "my"
                | "you"
                | "your"
                | "we"
                | "us"
                | "our"
                | "each"
                | "other"
                | "another"
                | "same"
                | "such"
                | "else"
                | "far"
                | "something"
                | "anything"
                | "nothing"
                | "everything"
                | "somebody"
                | "anybody"
                | "nobody"
                | "everybody"
                | "someone"
                | "anyone"
                | "everyone"
                | "up"
                | "out"
                | "off"
                | "down"
                | "away"
        )
}

/// Whether a word is part of a time: "2021", "April", "summer", "Q3".
pub(crate) fn is_period(word: &str) -> bool {
    let is_quarter = matches!(word, "q1" | "q2" | "q3" | "q4" | "h1" | "h2");
    let is_season = matches!(word, "spring" | "summer" | "autumn" | "fall" | "winter");
    is_quarter || is_season || as_year(word).is_some() || month(word).is_some() || weekday(word).is_some()
}

/// Whether a word says what the weather is like, as in "if it rains".
pub(crate) fn is_weather(word: &str) -> bool {
    matches!(
        word,
        "rain"
            | "rains"
            | "raining"
            | "rainy"
            | "snow"
            | "snows"
            | "snowing"
            | "hail"
            | "hails"
            | "hailing"
            | "freezing"
            | "cloudy"
            | "sunny"
            | "windy"
            | "stormy"
            | "foggy"
    )
}

/// Whether a noun is one for people. Other agent nouns ("-er", "-or", "-ist", "-ian") are recognised by their suffix.
pub(crate) fn is_person_noun(word: &str) -> bool {
    let is_general = matches!(
        word,
        "person" | "man" | "woman" | "guy" | "lady" | "boy" | "girl" | "gentleman" | "people" | "one's"
    );
    is_general || is_person(word)
}

/// Whether a title of address applies to men and to women.
pub(crate) fn title_of_address(word: &str) -> Option<[bool; 2]> {
    match word {
        "mr" | "sir" | "lord" | "king" | "prince" | "duke" | "count" | "baron" | "emperor" | "father"
        | "brother" | "uncle" => Some([true, false]),
        "mrs" | "ms" | "miss" | "lady" | "dame" | "queen" | "princess" | "duchess" | "countess"
        | "baroness" | "empress" | "mother" | "sister" | "aunt" | "madam" => Some([false, true]),
        "dr" | "doctor" | "prof" | "professor" | "captain" | "general" | "colonel" | "judge"
        | "president" => Some([true, true]),
        _ => None,
    }
}

/// A position in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    FromFirst(usize),
    FromLast(usize),
    /// The one that is not current.
    Other,
    /// All.
    Both,
}

/// The position that a word refers to.
pub(crate) fn place(word: &str) -> Option<Place> {
    Some(match word {
        "first" | "1st" | "former" => Place::FromFirst(0),
        "second" | "2nd" => Place::FromFirst(1),
        "third" | "3rd" => Place::FromFirst(2),
        "fourth" | "4th" => Place::FromFirst(3),
        "fifth" | "5th" => Place::FromFirst(4),
        "sixth" | "6th" => Place::FromFirst(5),
        "last" | "latter" | "final" => Place::FromLast(0),
        "penultimate" => Place::FromLast(1),
        "other" | "others" => Place::Other,
        "both" => Place::Both,
        _ => return None,
    })
}

/// The number that a word denotes: "number two", "option 3".
pub(crate) fn number(word: &str) -> Option<usize> {
    match word {
        "one" => Some(1),
        "two" => Some(2),
        "three" => Some(3),
        "four" => Some(4),
        "five" => Some(5),
        "six" => Some(6),
        _ => word.parse().ok().filter(|number| (1..=20).contains(number)),
    }
}
