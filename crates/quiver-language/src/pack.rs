//! Language-specific data: the files under `packs/`.
//!
//! `words.tsv` and `dates.tsv` contain only closed word classes: determiners, pronouns, prepositions, auxiliaries,
//! conjunctions and the most common adverbs of time and connection; and the names of months and weekdays. They contain no
//! topics or names. The other files hold classes of words for the module that reads them. Each file starts with a header
//! that states its source, and a test checks all files.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// A language whose function words are known. Other languages are analysed only by punctuation and capitalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is the language of that name")]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Russian,
    Arabic,
    Hebrew,
    Hindi,
}

/// The word class of a function word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// "the", "this", "my", "some", "three".
    Determiner,
    /// "she", "who", "nobody", "there".
    Pronoun,
    /// "of", "during".
    Preposition,
    /// "is", "has", "did", "would".
    Auxiliary,
    /// "and", "because", "when", "however".
    Conjunction,
    /// "not", "already", "today".
    Adverb,
}

/// The subclass of a function word, if the pack of its language specifies one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// "the", "a".
    Article,
    /// "this", "those".
    Demonstrative,
    /// "some", "every", "many".
    Quantity,
    /// "two" to "twelve".
    Number,
    /// "my", "their".
    Possessive,
    /// "what", "when", "how".
    Question,
    /// "she", "them", "mine".
    Personal,
    /// "who", "which".
    Relative,
    /// "herself".
    Reflexive,
    /// "someone", "nothing".
    Indefinite,
    /// "there", "here".
    Place,
    /// "she's", "they've": a pronoun contracted with an auxiliary.
    Contracted,
    /// "according", "regarding": a preposition derived from a participle.
    Participle,
    /// Forms of "be".
    Be,
    /// Forms of "do".
    Do,
    /// Forms of "have".
    Have,
    /// "will", "should", "can't".
    Modal,
    /// "and", "but".
    Coordinating,
    /// "because", "if".
    Subordinating,
    /// "however", "therefore".
    Linking,
    /// "not", "never".
    Negation,
    /// All other words of the class.
    Plain,
}

impl Class {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "determiner" => Self::Determiner,
            "pronoun" => Self::Pronoun,
            "preposition" => Self::Preposition,
            "auxiliary" => Self::Auxiliary,
            "conjunction" => Self::Conjunction,
            "adverb" => Self::Adverb,
            _ => return None,
        })
    }
}

impl Kind {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "article" => Self::Article,
            "demonstrative" => Self::Demonstrative,
            "quantity" => Self::Quantity,
            "number" => Self::Number,
            "possessive" => Self::Possessive,
            "question" => Self::Question,
            "personal" => Self::Personal,
            "relative" => Self::Relative,
            "reflexive" => Self::Reflexive,
            "indefinite" => Self::Indefinite,
            "place" => Self::Place,
            "contracted" => Self::Contracted,
            "participle" => Self::Participle,
            "be" => Self::Be,
            "do" => Self::Do,
            "have" => Self::Have,
            "modal" => Self::Modal,
            "coordinating" => Self::Coordinating,
            "subordinating" => Self::Subordinating,
            "linking" => Self::Linking,
            "negation" => Self::Negation,
            "plain" => Self::Plain,
            _ => return None,
        })
    }
}

/// The files of each language: words, and dates if there are any.
const FILES: &[(Language, &str, &str)] = &[
    (Language::English, include_str!("../packs/en/words.tsv"), include_str!("../packs/en/dates.tsv")),
    (Language::German, include_str!("../packs/de/words.tsv"), include_str!("../packs/de/dates.tsv")),
    (Language::French, include_str!("../packs/fr/words.tsv"), include_str!("../packs/fr/dates.tsv")),
    (Language::Spanish, include_str!("../packs/es/words.tsv"), include_str!("../packs/es/dates.tsv")),
    (Language::Italian, include_str!("../packs/it/words.tsv"), include_str!("../packs/it/dates.tsv")),
    (Language::Portuguese, include_str!("../packs/pt/words.tsv"), include_str!("../packs/pt/dates.tsv")),
    (Language::Dutch, include_str!("../packs/nl/words.tsv"), include_str!("../packs/nl/dates.tsv")),
    (Language::Russian, include_str!("../packs/ru/words.tsv"), include_str!("../packs/ru/dates.tsv")),
    (Language::Arabic, include_str!("../packs/ar/words.tsv"), ""),
    (Language::Hebrew, include_str!("../packs/he/words.tsv"), ""),
    (Language::Hindi, include_str!("../packs/hi/words.tsv"), ""),
];

impl Language {
    /// All languages, in order of precedence when scores tie.
    pub const ALL: [Self; 11] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Italian,
        Self::Portuguese,
        Self::Dutch,
        Self::Russian,
        Self::Arabic,
        Self::Hebrew,
        Self::Hindi,
    ];

    /// Detects the language from lower-case words by counting the function words of each language. English gets one
    /// extra vote, because short texts provide little evidence and languages share short words.
    pub fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut counts = Self::votes(words);
        counts[Self::English as usize] += 1;
        // On a tie, the first language wins.
        Self::ALL.into_iter().rev().max_by_key(|language| counts[*language as usize]).unwrap_or(Self::English)
    }

    /// Counts the lower-case words that are function words of each language, in the order of [`ALL`](Self::ALL).
    pub(crate) fn votes<'w>(words: impl Iterator<Item = &'w str>) -> [u32; Self::ALL.len()] {
        let mut counts = [0; Self::ALL.len()];
        for (of, ..) in words.filter_map(|word| WORDS.get(word)).flatten() {
            counts[*of as usize] += 1;
        }
        counts
    }

    /// Returns the class of a lower-case word if it is a function word of the language.
    pub fn class(self, word: &str) -> Option<Class> {
        self.entry(word).map(|(_, class, _)| class)
    }

    /// Returns the subclass of a lower-case word if it is a function word of the language and its pack specifies one.
    pub fn kind(self, word: &str) -> Option<Kind> {
        self.entry(word).and_then(|(.., kind)| kind)
    }

    /// Returns the month that a lower-case word names in the language, counted from 1.
    pub fn month(self, word: &str) -> Option<u8> {
        date_word(word, "month").filter(|(of, _)| of.contains(&self)).map(|(_, number)| number)
    }

    /// Returns the weekday that a lower-case word names in the language, with Monday as 1.
    pub fn weekday(self, word: &str) -> Option<u8> {
        date_word(word, "weekday").filter(|(of, _)| of.contains(&self)).map(|(_, number)| number)
    }

    /// Returns the full name of the month that a lower-case word names in the language: "march" for "mar".
    pub fn month_name(self, word: &str) -> Option<&'static str> {
        FULL_NAMES.get(&(self, "month", self.month(word)?)).copied()
    }

    /// Returns the full name of the weekday that a lower-case word names in the language: "monday" for "mon".
    pub fn weekday_name(self, word: &str) -> Option<&'static str> {
        FULL_NAMES.get(&(self, "weekday", self.weekday(word)?)).copied()
    }

    pub(crate) fn class_and_kind(self, word: &str) -> (Option<Class>, Option<Kind>) {
        self.entry(word).map_or((None, None), |(_, class, kind)| (Some(class), kind))
    }

    fn entry(self, word: &str) -> Option<Entry> {
        WORDS.get(word)?.iter().find(|(of, ..)| *of == self).copied()
    }
}

/// Returns whether a lower-case word is a function word of any language and does not occur inside names.
pub fn starts_sentences(word: &str) -> bool {
    WORDS.contains_key(word) && !is_particle(word)
}

/// Returns whether a lower-case word can join the capitalised parts of a name, in any language.
pub fn is_particle(word: &str) -> bool {
    PARTICLES.contains(word)
}

/// Returns whether a lower-case word denies, in any language: "never", "ohne". English words that end in "n't" deny too.
pub fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(word)
}

/// Returns the month named by a lower-case word in any language, counted from 1.
pub fn month(word: &str) -> Option<u8> {
    date_word(word, "month").map(|(_, number)| number)
}

/// Returns the weekday named by a lower-case word in any language, with Monday as 1.
pub fn weekday(word: &str) -> Option<u8> {
    date_word(word, "weekday").map(|(_, number)| number)
}

fn date_word(word: &str, what: &str) -> Option<(&'static [Language], u8)> {
    let (languages, of, number) = DATES.get(word)?;
    (*of == what).then_some((languages, *number))
}

/// How the full stop of an abbreviation is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Abbreviation {
    /// It never ends a sentence.
    Title,
    /// It does not end a sentence if a number follows.
    Number,
    /// It may also end a sentence.
    Plain,
}

/// Returns whether a lower-case word without its full stop is an abbreviation of the given kind.
pub(crate) fn is_abbreviation(word: &str, kind: Abbreviation) -> bool {
    ABBREVIATIONS.get(word).is_some_and(|kinds| kinds.contains(&kind))
}

/// Returns whether a folded word is an English stop word.
pub(crate) fn is_stop(word: &str) -> bool {
    /// The length of the longest stop word.
    const LENGTH_MAX: usize = 10;
    word.len() <= LENGTH_MAX && STOP_WORDS.contains(word)
}

/// Returns whether a Chinese character acts as a function word. Text is split into phrases at these characters.
pub(crate) fn is_chinese_particle(c: char) -> bool {
    "的了在是和與与及或也都就而被把从從到對对為为於于以等其这這那他她它们們我你您有不之将將由向并並且但因所让讓给給着過过吗嗎呢吧很再又只还還没沒"
        .contains(c)
}

/// Korean endings that correspond to prepositions, the longest first.
pub(crate) const KOREAN_ENDINGS: [&str; 22] = [
    "에서는",
    "으로는",
    "에게서",
    "에서",
    "에게",
    "으로",
    "까지",
    "부터",
    "이다",
    "였다",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "와",
    "과",
    "도",
    "로",
];

type Entry = (Language, Class, Option<Kind>);

static WORDS: LazyLock<HashMap<&'static str, Vec<Entry>>> = LazyLock::new(|| {
    let mut words: HashMap<&str, Vec<Entry>> = HashMap::new();
    for (language, file, _) in FILES {
        for fields in rows(file) {
            let (first, rest) = fields.split_first().expect("a row has fields");
            let class = Class::read(first).expect("the packs are checked by a test");
            let kind = rest.first().filter(|_| rest.len() > 1).and_then(|name| Kind::read(name));
            for word in rest.last().into_iter().flat_map(|words| words.split(' ')) {
                words.entry(word).or_default().push((*language, class, kind));
            }
        }
    }
    words
});

/// What the name of a month or weekday means: the languages that have it, which of the two it is, and its number.
type DateName = (Vec<Language>, &'static str, u8);

static DATES: LazyLock<HashMap<&'static str, DateName>> = LazyLock::new(|| {
    let mut dates: HashMap<&str, DateName> = HashMap::new();
    for (language, _, file) in FILES {
        for fields in rows(file) {
            let [what, number, names] = fields[..] else { continue };
            let number = number.parse().expect("the packs are checked by a test");
            for name in names.split(' ') {
                dates.entry(name).or_insert((Vec::new(), what, number)).0.push(*language);
            }
        }
    }
    dates
});

/// The first name of each month and weekday in each language.
static FULL_NAMES: LazyLock<HashMap<(Language, &'static str, u8), &'static str>> = LazyLock::new(|| {
    let mut full = HashMap::new();
    for (language, _, file) in FILES {
        for fields in rows(file) {
            let [what, number, names] = fields[..] else { continue };
            let number = number.parse().expect("the packs are checked by a test");
            full.extend(names.split(' ').next().map(|name| ((*language, what, number), name)));
        }
    }
    full
});

static NEGATIONS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| classed(include_str!("../packs/any/negations.tsv")).map(|(_, word)| word).collect());

static PARTICLES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let rows = rows(include_str!("../packs/any/particles.tsv"));
    rows.filter_map(|fields| fields.last().copied()).flat_map(|words| words.split(' ')).collect()
});

static ABBREVIATIONS: LazyLock<HashMap<&'static str, Vec<Abbreviation>>> = LazyLock::new(|| {
    let mut found: HashMap<&str, Vec<Abbreviation>> = HashMap::new();
    for fields in rows(include_str!("../packs/any/abbreviations.tsv")) {
        let [kind, words] = fields[..] else { continue };
        let kind = match kind {
            "title" => Abbreviation::Title,
            "number" => Abbreviation::Number,
            _ => Abbreviation::Plain,
        };
        words.split(' ').for_each(|word| found.entry(word).or_default().push(kind));
    }
    found
});

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    rows(include_str!("../packs/en/stop.txt")).flatten().flat_map(|line| line.split(' ')).collect()
});

/// Returns the rows of a pack file, split at tabs, without the header.
pub(crate) fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

/// Returns the words of a pack file whose rows are a class and its words, each with its class. In a row with phrases,
/// commas separate them.
pub(crate) fn classed(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    rows(file).filter_map(|fields| fields.first().copied().zip(fields.get(1).copied())).flat_map(
        |(class, words)| {
            let separator = if words.contains(',') { ", " } else { " " };
            words.split(separator).map(move |word| (class, word))
        },
    )
}

/// The words and phrases of a pack file with their classes.
#[derive(Debug)]
pub(crate) struct ClassedWords {
    /// The classes of each word, one bit each.
    classes: HashMap<&'static str, u64>,
    /// The classes of the words that begin with a byte. Most words that are looked up need no hash.
    by_first: [u64; 256],
}

impl ClassedWords {
    /// Reads a file. A class is the position of its name in `names`.
    pub(crate) fn of(file: &'static str, names: &[&str]) -> Self {
        let mut words = Self { classes: HashMap::new(), by_first: [0; 256] };
        for (name, word) in classed(file) {
            let class = names.iter().position(|known| *known == name);
            let bit = 1_u64 << class.unwrap_or_else(|| panic!("{name} is no class of the pack file"));
            *words.classes.entry(word).or_default() |= bit;
            words.by_first[usize::from(word.as_bytes()[0])] |= bit;
        }
        words
    }

    pub(crate) fn has(&self, word: &str, class: usize) -> bool {
        let bit = 1_u64 << class;
        let Some(first) = word.as_bytes().first() else { return false };
        self.by_first[usize::from(*first)] & bit != 0
            && self.classes.get(word).is_some_and(|classes| classes & bit != 0)
    }

    pub(crate) fn of_class(&self, class: usize) -> impl Iterator<Item = &'static str> {
        self.classes.iter().filter(move |(_, classes)| **classes & (1 << class) != 0).map(|(word, _)| *word)
    }
}

/// Declares the classes of the words of a pack file, at most 64, each with its name in the file; and the functions that
/// look words up.
macro_rules! classes_of_words {
    (
        $(#[$about:meta])*
        pub enum $name:ident in $file:literal { $($(#[$doc:meta])* $class:ident = $said:literal,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $class,)* }

        /// Returns whether a lower-case word or phrase is of this class.
        pub fn says(word: &str, what: $name) -> bool {
            WORDS.has(word, what as usize)
        }

        /// Returns the words and phrases of this class, in no order.
        pub fn words_of(what: $name) -> impl Iterator<Item = &'static str> {
            WORDS.of_class(what as usize)
        }

        static WORDS: std::sync::LazyLock<$crate::pack::ClassedWords> = std::sync::LazyLock::new(|| {
            $crate::pack::ClassedWords::of(include_str!($file), &[$($said,)*])
        });

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn every_row_is_read_and_every_class_has_words() {
                assert!([$($name::$class,)*].into_iter().all(|class| words_of(class).next().is_some()));
                let file = include_str!($file);
                assert!(file.starts_with('#') && file.contains("ritten for Quiver"));
                assert!($crate::pack::classed(file).all(|(_, word)| !word.is_empty() && word.trim() == word));
            }
        }
    };
}
pub(crate) use classes_of_words;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_begins_with_a_header_that_says_where_it_comes_from() {
        let files =
            FILES.iter().flat_map(|(_, words, dates)| [*words, *dates]).filter(|file| !file.is_empty());
        let others = [
            include_str!("../packs/any/particles.tsv"),
            include_str!("../packs/any/abbreviations.tsv"),
            include_str!("../packs/any/questions.tsv"),
            include_str!("../packs/any/negations.tsv"),
            include_str!("../packs/en/kinds.tsv"),
            include_str!("../packs/en/measures.tsv"),
            include_str!("../packs/en/dimensions.tsv"),
            include_str!("../packs/en/events.tsv"),
            include_str!("../packs/en/units.tsv"),
            include_str!("../packs/en/objects.tsv"),
            include_str!("../packs/en/numbers.tsv"),
            include_str!("../packs/en/related.tsv"),
            include_str!("../packs/en/synonyms.tsv"),
            include_str!("../packs/en/relations.tsv"),
            include_str!("../packs/en/rank.txt"),
            include_str!("../packs/en/privative.txt"),
            include_str!("../packs/en/stop.txt"),
            include_str!("../packs/en/talk.tsv"),
            include_str!("../packs/en/relation-groups.tsv"),
            include_str!("../packs/en/countries.tsv"),
            include_str!("../packs/en/date-roles.tsv"),
            include_str!("../packs/en/opposites.tsv"),
            include_str!("../packs/en/shorthand.tsv"),
            include_str!("../packs/any/names.tsv"),
        ];
        for file in files.chain(others) {
            let header: Vec<&str> = file.lines().take_while(|line| line.starts_with('#')).collect();
            assert!(header.join(" ").contains("ritten for Quiver"), "{header:?}");
        }
    }

    #[test]
    fn no_word_of_a_language_stands_twice_and_every_row_can_be_read() {
        for (language, words, _) in FILES {
            let mut seen = HashSet::new();
            for fields in rows(words) {
                assert!((2..=3).contains(&fields.len()), "{language:?} {fields:?}");
                assert!(Class::read(fields[0]).is_some(), "{language:?} {fields:?}");
                assert!(fields.len() == 2 || Kind::read(fields[1]).is_some(), "{language:?} {fields:?}");
                for word in fields[fields.len() - 1].split(' ') {
                    assert!(!word.is_empty() && word.to_lowercase() == word, "{language:?} {word:?}");
                    assert!(seen.insert(word), "{language:?} has {word} twice");
                }
            }
        }
    }

    #[test]
    fn a_name_of_a_month_or_weekday_means_the_same_in_every_language() {
        let mut known = HashMap::new();
        for fields in FILES.iter().flat_map(|(.., file)| rows(file)) {
            let [what, number, names] = fields[..] else { panic!("{fields:?}") };
            let limit = if what == "month" { 12 } else { 7 };
            assert!(number.parse::<u8>().is_ok_and(|number| (1..=limit).contains(&number)), "{fields:?}");
            for name in names.split(' ') {
                let before = *known.entry(name).or_insert((what, number));
                assert_eq!(before, (what, number), "{name}");
            }
        }
        assert_eq!((month("märz"), month("sept"), month("mon")), (Some(3), Some(9), None));
        assert_eq!((weekday("mon"), weekday("mittwoch"), weekday("may")), (Some(1), Some(3), None));
        let english = |word| (Language::English.month(word), Language::English.weekday(word));
        assert_eq!(
            [english("may"), english("mars"), english("mon")],
            [(Some(5), None), (None, None), (None, Some(1))]
        );
        assert_eq!(Language::English.weekday_name("thurs"), Some("thursday"));
        assert_eq!(Language::English.month_name("sept"), Some("september"));
        assert_eq!(Language::German.month_name("march"), None);
    }

    #[test]
    fn stop_words_are_sorted_and_short() {
        let words: Vec<&str> =
            rows(include_str!("../packs/en/stop.txt")).flatten().flat_map(|line| line.split(' ')).collect();
        assert!(words.is_sorted());
        assert_eq!(words.iter().map(|word| word.len()).max(), Some(10));
    }

    #[test]
    fn function_words_vote_for_a_language() {
        let language = |text: &str| Language::of(text.split(' '));
        assert_eq!(language("the cat sat on the mat"), Language::English);
        assert_eq!(language("die katze saß auf der matte"), Language::German);
        assert_eq!(language("le chat est sur la table"), Language::French);
        assert_eq!(language("o gato está em cima da mesa"), Language::Portuguese);
        assert_eq!(language("кошка была на столе"), Language::Russian);
        assert_eq!(language("gato"), Language::English, "where nothing votes");
    }

    #[test]
    fn words_have_a_class_and_english_ones_a_kind() {
        assert_eq!(Language::English.class("whom"), Some(Class::Pronoun));
        assert_eq!(Language::English.kind("whom"), Some(Kind::Relative));
        assert_eq!(Language::English.class("boat"), None);
        assert_eq!(Language::German.class("wurde"), Some(Class::Auxiliary));
        assert_eq!(Language::German.kind("wurde"), None);
        assert!(starts_sentences("however") && !starts_sentences("von") && is_particle("von"));
    }
}
