//! The noun classes in `nouns.tsv`, and closed word classes of conversation.

use std::{collections::HashMap, sync::LazyLock};

/// A class of nouns or adjectives in `nouns.tsv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Members of a family.
    Kin,
    /// People by their relation to somebody: friend, boss.
    Role,
    /// Pets.
    Pet,
    /// Occupations.
    Occupation,
    /// Civil status, diet and the like, as adjectives.
    Status,
    /// Things that people own for years.
    Belonging,
    /// Medical conditions.
    Condition,
    /// Musical instruments.
    Instrument,
    /// Sports and games that are played.
    Sport,
    /// Languages, in lower case.
    Language,
    /// Courses and degrees: studied for, taken, finished.
    Schooling,
    /// Ventures: started, opened, run.
    Venture,
    /// Events that people attend.
    Event,
    /// Journeys.
    Journey,
    /// Races.
    Race,
    /// Awards: won or received.
    Award,
    /// Parts of the body.
    Body,
    /// What somebody gave birth to or went through in hospital.
    Birth,
    /// Works: written, painted, built.
    Craft,
    /// Gatherings of family and friends.
    Gathering,
    /// Talks: given to an audience.
    Speech,
    /// Jobs as positions.
    Post,
    /// Groups with members.
    Group,
}

const CLASSES: &[(&str, Class)] = &[
    ("kin", Class::Kin),
    ("role", Class::Role),
    ("pet", Class::Pet),
    ("occupation", Class::Occupation),
    ("status", Class::Status),
    ("belonging", Class::Belonging),
    ("condition", Class::Condition),
    ("instrument", Class::Instrument),
    ("sport", Class::Sport),
    ("language", Class::Language),
    ("schooling", Class::Schooling),
    ("venture", Class::Venture),
    ("event", Class::Event),
    ("journey", Class::Journey),
    ("race", Class::Race),
    ("award", Class::Award),
    ("body", Class::Body),
    ("birth", Class::Birth),
    ("craft", Class::Craft),
    ("gathering", Class::Gathering),
    ("speech", Class::Speech),
    ("post", Class::Post),
    ("group", Class::Group),
];

static NOUNS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut nouns: HashMap<&str, u32> = HashMap::new();
    for line in include_str!("nouns.tsv").lines().filter(|line| !line.starts_with('#')) {
        let Some((name, words)) = line.split_once('\t') else { continue };
        let Some((_, class)) = CLASSES.iter().find(|(known, _)| *known == name) else { continue };
        words.split(',').for_each(|word| *nouns.entry(word).or_default() |= 1 << *class as u32);
    }
    nouns
});

/// Returns whether a lower-case noun, in the singular or the plural, is in a class.
pub(super) fn is(noun: &str, class: Class) -> bool {
    singular_in(noun, class).is_some()
}

/// Returns whether a lower-case noun in the singular is in any class.
pub(super) fn is_known(noun: &str) -> bool {
    NOUNS.contains_key(noun)
}

/// Returns the singular of a noun that is in a class: "kids" is "kid".
pub(super) fn singular_in(noun: &str, class: Class) -> Option<&'static str> {
    let find = |word: &str| {
        let (known, classes) = NOUNS.get_key_value(word)?;
        (classes & (1 << class as u32) != 0).then_some(*known)
    };
    let ending = |ending: &str, instead: &str| {
        noun.strip_suffix(ending).and_then(|stem| find(&format!("{stem}{instead}")))
    };
    find(noun)
        .or_else(|| if noun == "children" { find("child") } else { None })
        .or_else(|| ending("wives", "wife"))
        .or_else(|| ending("ies", "y"))
        .or_else(|| noun.strip_suffix('s').and_then(find))
        .or_else(|| noun.strip_suffix("es").and_then(find))
}

/// Words that open a conversational sentence and add nothing to it.
pub(super) const INTERJECTIONS: &[&str] = &[
    "yeah",
    "yep",
    "yup",
    "yes",
    "yea",
    "nah",
    "no",
    "ok",
    "okay",
    "oh",
    "ah",
    "aw",
    "aww",
    "ooh",
    "wow",
    "woah",
    "whoa",
    "hey",
    "hi",
    "hello",
    "haha",
    "hehe",
    "lol",
    "well",
    "so",
    "and",
    "but",
    "plus",
    "also",
    "anyway",
    "anyways",
    "btw",
    "thanks",
    "cool",
    "nice",
    "great",
    "awesome",
    "sure",
    "right",
    "absolutely",
    "definitely",
    "totally",
    "exactly",
    "congrats",
    "sorry",
    "oof",
    "ugh",
    "hmm",
    "um",
    "uh",
    "man",
    "dude",
    "guess",
    "what",
    "actually",
    "honestly",
    "luckily",
    "thankfully",
    "fortunately",
    "unfortunately",
    "sadly",
    "happily",
    "besides",
    "speaking",
    "good",
    "news",
    "fyi",
    "update",
    "again",
    "then",
    "morning",
    "evening",
    "true",
    "indeed",
    "likewise",
    "same",
    "there",
    "by",
    "the",
    "way",
    "to",
    "you",
    "great",
    "guys",
    "thank",
    "big",
    "exciting",
    "of",
    "course",
    "in",
    "fact",
    "as",
    "for",
    "me",
    "my",
    "friend",
];

/// Words that make the rest of a sentence a guess, a wish, a condition or hearsay.
pub(super) const BLOCKS: &[&str] = &[
    "if",
    "unless",
    "would",
    "could",
    "should",
    "may",
    "might",
    "must",
    "maybe",
    "perhaps",
    "whether",
    "think",
    "thought",
    "guess",
    "hope",
    "hoping",
    "hopefully",
    "wish",
    "imagine",
    "suppose",
    "supposedly",
    "believe",
    "want",
    "wanted",
    "wants",
    "say",
    "says",
    "said",
    "saying",
    "tell",
    "tells",
    "told",
    "heard",
    "hear",
    "ask",
    "asked",
    "dream",
    "dreamed",
    "dreamt",
    "dreaming",
    "pretend",
    "apparently",
    "allegedly",
    "probably",
    "possibly",
    "or",
    "until",
    "wonder",
    "claims",
    "claimed",
    "expect",
    "plan",
    "planned",
    "planning",
    "considering",
    "gonna",
    "will",
    "i'll",
    "we'll",
    "i'd",
    "we'd",
    "not",
    "never",
    "ever",
    "read",
    "lyrics",
    "story",
    "novel",
    "character",
    "game",
    "movie",
    "film",
];

/// Words after a clause that retract it or make it conditional.
pub(super) const RETRACTS: &[&str] =
    &["if", "unless", "whether", "or", "supposedly", "apparently", "allegedly", "maybe", "perhaps"];

/// Words that mark a whole turn as a joke or fiction.
pub(super) const JESTS: &[&str] = &[
    "kidding",
    "joking",
    "jk",
    "pretending",
    "imagine",
    "imagining",
    "pretend",
    "hypothetically",
    "fictional",
];

/// Adverbs between a subject and its verb that do not change the statement.
pub(super) const ADVERBS: &[&str] = &[
    "just",
    "recently",
    "also",
    "still",
    "now",
    "currently",
    "actually",
    "finally",
    "even",
    "officially",
    "originally",
    "already",
    "both",
    "always",
    "once",
    "happily",
    "proudly",
    "presently",
    "too",
    "all",
    "then",
    "eventually",
    "later",
];

/// Conjunctions after which a clause with its own subject stands by itself.
pub(super) const JOINTS: &[&str] =
    &["and", "but", "so", "because", "since", "'cause", "cause", "cuz", "plus", "though", "although"];

/// Words that may follow a complete clause.
pub(super) const FOLLOWS: &[&str] = &[
    "i",
    "we",
    "about",
    "and",
    "but",
    "so",
    "because",
    "'cause",
    "cause",
    "cuz",
    "since",
    "which",
    "who",
    "where",
    "when",
    "while",
    "as",
    "with",
    "for",
    "after",
    "before",
    "during",
    "in",
    "at",
    "on",
    "by",
    "from",
    "to",
    "near",
    "without",
    "about",
    "through",
    "along",
    "over",
    "that",
    "too",
    "together",
    "again",
    "now",
    "right",
    "once",
    "though",
    "although",
    "plus",
    "into",
    "around",
    "across",
    "of",
    "&",
    "then",
    "here",
    "there",
    "myself",
    "ourselves",
    "via",
    "until",
    "outside",
    "inside",
    "under",
    "against",
    "well",
    "last",
    "professionally",
    "full-time",
    "part-time",
    "next",
    "since",
    "every",
    "all",
    "called",
    "named",
    "already",
    "back",
];

/// Words before a noun that mean the thing is not of its kind or not owned: "toy car", "hot dog".
pub(super) const UNREAL: &[&str] = &[
    "toy",
    "stuffed",
    "plush",
    "model",
    "fake",
    "rocking",
    "virtual",
    "imaginary",
    "paper",
    "hot",
    "corn",
    "rental",
    "loaner",
    "plastic",
    "wooden",
    "possible",
    "potential",
    "future",
    "former",
    "ex",
];

/// Nouns with little meaning.
pub(super) const LIGHT: &[&str] = &[
    "moment",
    "moments",
    "aspect",
    "memory",
    "memories",
    "part",
    "parts",
    "lot",
    "lots",
    "bit",
    "ton",
    "tons",
    "bunch",
    "thing",
    "things",
    "stuff",
    "one",
    "ones",
    "way",
    "time",
    "times",
    "couple",
    "kind",
    "sort",
    "something",
    "anything",
    "everything",
    "nothing",
    "someone",
    "everyone",
    "anyone",
    "it",
    "piece",
    "pieces",
    "few",
    "fun",
    "blast",
    "chance",
    "idea",
    "look",
    "break",
    "step",
    "steps",
    "place",
    "places",
    "day",
    "days",
    "week",
    "weekend",
    "year",
    "month",
    "hour",
    "hours",
    "years",
    "weeks",
    "months",
    "people",
    "folks",
    "others",
    "plenty",
    "more",
    "couples",
    "side",
    "type",
    "variety",
    "diversity",
    "handful",
    "majority",
];

/// Evaluative adjectives, which are dropped before a noun.
pub(super) const EVALUATIVE: &[&str] = &[
    "cute",
    "adorable",
    "amazing",
    "awesome",
    "lovely",
    "beautiful",
    "great",
    "nice",
    "cool",
    "gorgeous",
    "sweet",
    "wonderful",
    "fantastic",
    "super",
    "little",
    "incredible",
    "pretty",
    "good",
    "bad",
    "terrible",
    "horrible",
    "perfect",
    "stunning",
    "epic",
    "fun",
    "fabulous",
    "delicious",
    "yummy",
    "crazy",
    "wild",
    "huge",
    "big",
    "brilliant",
    "decent",
    "total",
    "real",
    "true",
    "better",
    "worse",
    "best",
    "worst",
    "terrific",
    "awful",
    "proud",
    "lucky",
    "happy",
    "natural",
    "lousy",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_are_found_in_both_numbers() {
        assert_eq!(singular_in("kids", Class::Kin), Some("kid"));
        assert_eq!(singular_in("children", Class::Kin), Some("child"));
        assert_eq!(singular_in("puppies", Class::Pet), Some("puppy"));
        assert_eq!(singular_in("guinea pig", Class::Pet), Some("guinea pig"));
        assert_eq!(singular_in("nurse", Class::Kin), None);
    }

    #[test]
    fn every_line_names_a_known_class() {
        let lines = include_str!("nouns.tsv").lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let class = line.split_once('\t').map(|(class, _)| class);
            assert!(CLASSES.iter().any(|(known, _)| class == Some(*known)), "{line}");
        }
    }
}
