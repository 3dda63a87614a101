//! The format that an answer must have: an e-mail address has an "@", a share in percent a "%", and "how long"
//! is answered with a number, a span of time or a word such as "forever".

use quiver_language::{
    Language,
    amount::{self, Amount},
    answering::Answering,
    measure::Measure,
    word::is_past,
};
use quiver_models::Lexical;

use super::{
    form::{self, Asks, Form, is_auxiliary},
    lexicon::{self, says_day_or_month},
    word::{Word, says_class, words},
};

/// The format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Email,
    IpAddress,
    Url,
    Phone,
    Percentage,
    /// A number in digits.
    Number,
    /// A number in digits or words.
    Figure,
    /// The number of a version: "3.1", "v2", not "2B".
    Version,
    /// A number in digits or words, a span of time, or a word for an extent: "unlimited".
    Extent,
    /// A span of time, its end, or a word such as "forever".
    Duration,
    /// An amount of money, or a word such as "free".
    Price,
    /// How often: "twice a week", "every hour", "annually".
    Frequency,
    Weekday,
    /// A day of the week, or a number.
    Day,
    /// A day or a month of the calendar.
    Date,
    /// A year in digits.
    Year,
    /// A code: a word with digits, in capitals or in quotation marks.
    Code,
    /// A number, or that there is none.
    Limit,
    /// A time of day.
    Clock,
    /// The name of a file or a folder.
    File,
    /// An address by post or in a network: it has a number, or an "@", a full stop or a slash inside.
    Address,
}

/// Returns the format that a question demands of its answer, if any.
pub(super) fn asked_format(form: &Form) -> Option<Format> {
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let says = |list: &[&str]| form.words.iter().any(|word| list.contains(&word.lower.as_str()));
    let by_noun = |kind: usize| {
        let before = kind.checked_sub(1).map_or("", lower);
        let (next, after_next) = (lower(kind + 1), lower(kind + 2));
        match singular(lower(kind)) {
            "address" if matches!(before, "email" | "e-mail" | "mail") => Some(Format::Email),
            "address" if before == "ip" => Some(Format::IpAddress),
            "address" if before == "web" => Some(Format::Url),
            "address" => Some(Format::Address),
            "url" | "uri" => Some(Format::Url),
            "number" if matches!(before, "phone" | "telephone" | "fax") => Some(Format::Phone),
            "number" if says(&["phone", "call", "ring", "dial"]) => Some(Format::Phone),
            "percentage" | "percent" => Some(Format::Percentage),
            "port" if says_class(&form.words, Answering::Port) => Some(Format::Number),
            "version" => Some(Format::Version),
            "weekday" => Some(Format::Weekday),
            "day" if next == "of" && says(&["week"]) => Some(Format::Weekday),
            "day" if matches!(before, "what" | "which") => Some(Format::Day),
            "date" => Some(Format::Date),
            "year" if matches!(before, "what" | "which") => Some(Format::Year),
            "time" if matches!(before, "what" | "which") && (next != "of" || after_next == "day") => {
                Some(Format::Clock)
            }
            "hour" | "time" if is_of_opening(before) => Some(Format::Clock),
            "file" | "folder" | "directory" | "filename" => Some(Format::File),
            noun if lexicon::is_code_noun(noun) && !is_of_conduct(next, after_next) && before != "source" => {
                Some(Format::Code)
            }
            // "The hourly rate", not "the rate of change".
            "rate" if next != "of" => Some(Format::Figure),
            "frequency" => Some(Format::Frequency),
            "limit" | "maximum" | "minimum" | "quota" => Some(Format::Limit),
            // "Its cost is linear", "its speed is that of the wheel".
            "cost" | "ratio" | "speed" => None,
            noun if form.asks == Asks::Quantity => {
                Some(if lexicon::asks_money(noun) { Format::Price } else { Format::Extent })
            }
            _ => None,
        }
    };
    // "What does it cost", "how much did they pay", "how much is a seat".
    let asks_price = || {
        let Some(at) = form.question_word else { return false };
        let (next, after_next) = (lower(at + 1), lower(at + 2));
        match lower(at) {
            "what" => is_auxiliary(next) && says(&["cost", "charge", "pay"]),
            "how" if next == "much" => {
                matches!(after_next, "is" | "are" | "was" | "were")
                    || says_class(&form.words, Answering::Price)
            }
            _ => false,
        }
    };
    // "Email address of the council": the noun before "of" or "for" is asked for.
    let by_first_noun = || {
        let end = form.words.iter().position(|word| matches!(word.lower.as_str(), "of" | "for"))?;
        let format = by_noun(end.checked_sub(1)?)?;
        let is_told = |format: &Format| {
            matches!(format, Format::Email | Format::IpAddress | Format::Url | Format::Phone | Format::Clock)
        };
        Some(format).filter(is_told)
    };
    // "Maximum number of looms", "min length of a bale", "default number of looms".
    let by_limit = || {
        let counts = |pair: &[Word]| pair[0].lower == "number" && pair[1].lower == "of";
        if form.question_word.is_none() && form.words.windows(2).any(counts) {
            return Some(Format::Figure);
        }
        let at = usize::from(lower(0) == "the");
        let noun = form.words.get(at + 1).filter(|noun| !noun.is_function && !is_past(&noun.lower));
        let is_limit = matches!(lower(at), "maximum" | "minimum" | "max" | "min") && noun.is_some();
        (is_limit && form.question_word.is_none()).then_some(Format::Figure)
    };
    match form.kind {
        None if asks_price() => Some(Format::Price),
        None if form.question_word.is_none() => by_first_noun().or_else(by_limit),
        Some(kind) => by_noun(kind).or_else(by_limit),
        None if form.asks != Asks::Quantity => None,
        None => match form.question_word.map_or("", |at| lower(at + 1)) {
            "often" | "frequently" => Some(Format::Frequency),
            "old" => Some(Format::Figure),
            "long" if asks_duration(&form.words) => Some(Format::Duration),
            _ => Some(Format::Extent),
        },
    }
}

/// Whether "how long" asks for a time: "how long does it take", but not "how long is the rope" or "how long should it be".
fn asks_duration(words: &[Word]) -> bool {
    let is_be = |word: &Word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "be");
    let after = words.iter().position(|word| word.lower == "long").and_then(|at| words.get(at + 1));
    after.is_some_and(|next| is_auxiliary(&next.lower)) && !words.iter().any(is_be)
}

/// Whether a value has the format that a question asks for, if it asks for one: an amount of money for "What does it cost?",
/// a time of day for "At what time …?"
pub fn has_format(lexical: &Lexical, question: &str, value: &str) -> bool {
    let form = form::read(lexical, question);
    asked_format(&form).is_none_or(|format| format.is_in(&form, value, &words(lexical, value), false))
}

/// Whether a word is a number that belongs to a name: "Nine" of "Nine Lanterns". "Two Weeks" is an amount.
fn is_number_in_name(words: &[Word], at: usize) -> bool {
    let word = &words[at];
    let is_name = |next: &Word| {
        next.is_capital && !next.is_function && !next.is_number() && !lexicon::is_season_or_time(&next.lower)
    };
    word.is_capital && word.is_number() && !word.is_numeric() && words.get(at + 1).is_some_and(is_name)
}

impl Format {
    /// Whether it is a time of the day, a day or a year.
    pub(super) fn is_time(self) -> bool {
        matches!(self, Self::Clock | Self::Day | Self::Weekday | Self::Date | Self::Year)
    }

    /// Whether a text with these words contains something of this format. Numbers of the question don't count. Text that is
    /// marked as code may be the name of a file.
    pub(super) fn is_in(self, form: &Form, text: &str, words: &[Word], has_code: bool) -> bool {
        let is_time_after = |list: &[&str]| {
            words.windows(2).any(|pair| {
                list.contains(&pair[0].lower.as_str()) && lexicon::is_season_or_time(&pair[1].lower)
            })
        };
        let is_new = |at: &usize| !form.has(&words[*at]) && !is_number_in_name(words, *at);
        let mut new_words = (0..words.len()).filter(is_new).map(|at| &words[at]);
        let mut tokens = text.split_whitespace();
        let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
        match self {
            Self::Email => tokens.any(|token| token.trim_matches('@').contains('@')),
            Self::IpAddress => tokens.any(|token| token.matches(['.', ':']).count() > 1 && has_digit(token)),
            Self::Url => tokens.any(is_address),
            Self::Phone => new_words.any(|word| word.is_numeric() && word.lower.len() >= 3),
            Self::Percentage => text.contains('%') || words.iter().any(|word| is_share(&word.lower)),
            Self::Number => new_words.any(|word| has_digit(&word.lower)),
            Self::Figure => new_words.any(Word::is_number),
            Self::Limit => new_words.any(|word| {
                word.is_number() || matches!(word.lower.as_str(), "no" | "none" | "unlimited" | "without")
            }),
            Self::Price => {
                new_words.any(|word| matches!(word.lower.as_str(), "free" | "nothing" | "unlimited" | "zero"))
                    || lexicon::says_money(text)
            }
            Self::Code => {
                let is_capital = |word: &str| {
                    let is_asked = || form.words.iter().any(|asked| asked.lower == word.to_lowercase());
                    word.len() > 1 && word.chars().all(char::is_uppercase) && !is_asked()
                };
                // "Every 90 days" is no code.
                let is_code = |at: usize| {
                    let next = words.get(at + 1);
                    has_digit(&words[at].lower)
                        && !form.has(&words[at])
                        && !next.is_some_and(|next| lexicon::is_season_or_time(&next.lower))
                        && !is_beside_month(words, at)
                };
                let mut written = text.split(|c: char| !c.is_alphanumeric());
                has_code
                    || text.contains(['"', '“'])
                    || (0..words.len()).any(is_code)
                    || written.any(is_capital)
            }
            Self::Version => new_words.any(|word| is_version(&word.lower)),
            Self::Extent => {
                let is_amount = |at: usize| words[at].is_number() && !is_in_date(words, at);
                (0..words.len()).filter(is_new).any(|at| is_amount(at) || is_extent(&words[at].lower))
                    || is_time_after(&["a", "an", "several", "few", "many", "some", "for"])
            }
            Self::Duration => {
                Measure::amount_of("time").is_some_and(|time| time.is_in(text))
                    || new_words.any(|word| is_extent(&word.lower))
                    || is_time_after(&[
                        "a", "an", "one", "several", "few", "many", "some", "for", "all", "whole",
                    ])
                    || says_day_or_month(text)
                    || text.contains(':') && has_digit(text)
            }
            Self::Frequency => {
                new_words.any(|word| is_frequency(&word.lower))
                    || is_time_after(&["a", "an", "the", "per", "every", "each"])
            }
            Self::Weekday => words.iter().any(|word| is_weekday(&word.lower)),
            Self::Day => new_words.any(|word| word.is_number() || is_weekday(&word.lower)),
            Self::Date => new_words.any(Word::is_numeric) || says_day_or_month(text),
            Self::Year => new_words.any(|word| is_year(&word.lower)),
            // "Four weeks" is no time of day, nor is "12 March".
            Self::Clock => (0..words.len()).any(|at| {
                let is_span = || {
                    words
                        .get(at + 1)
                        .is_some_and(|next| next.lower != "hours" && lexicon::is_season_or_time(&next.lower))
                };
                let is_new = || words[at].is_number() && !form.has(&words[at]);
                is_time_of_day(&words[at].lower) || is_new() && !is_span() && !is_in_date(words, at)
            }),
            Self::Address => {
                let is_number = |at: usize| {
                    has_digit(&words[at].lower) && !form.has(&words[at]) && !is_year(&words[at].lower)
                };
                let is_name = |word: &Word| word.is_capital && !word.is_function && !form.has(word);
                has_code
                    || (0..words.len()).any(|at| is_number(at) && !is_beside_month(words, at))
                    || tokens.any(|token| token.contains('@') || is_address(token))
                    || words.iter().skip(1).filter(|word| is_name(word)).count() >= ADDRESS_NAMES
            }
            Self::File => {
                has_code || tokens.any(|token| is_address(token) || token.contains(['/', '\\', '_']))
            }
        }
    }
}

/// Number of names of which an address without a number consists: a house, a street and a town.
const ADDRESS_NAMES: usize = 3;

/// Whether a number is beside the name of a month: "2 April", "April 2".
pub(super) fn is_beside_month(words: &[Word], at: usize) -> bool {
    let is_month = |at: usize| {
        let word = words.get(at).map_or("", |word| word.lower.as_str());
        word.len() > 2 && !is_weekday(word) && says_day_or_month(word)
    };
    is_month(at + 1) || at > 0 && is_month(at - 1)
}

/// Whether a number is a part of a date: "5 April", "in 2025".
fn is_in_date(words: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| words[before].lower.as_str());
    let is_time =
        || matches!(before, "in" | "since" | "by" | "from" | "until" | "during" | "of" | "before" | "after");
    is_beside_month(words, at)
        || is_year(&words[at].lower)
            && words[at].lower.len() == 4
            && (is_time() || at > 1 && is_beside_month(words, at - 1))
}

/// Whether words after "code" make it a set of rules: "code of conduct".
fn is_of_conduct(next: &str, after_next: &str) -> bool {
    next == "of" && matches!(after_next, "conduct" | "practice" | "ethics" | "honour" | "honor")
}

/// Whether a word before "hours" or "times" means those at which something is open.
fn is_of_opening(word: &str) -> bool {
    matches!(word, "opening" | "closing" | "business" | "office" | "visiting")
}

/// Whether a word is the number of a version: digits alone, or digits with a full stop.
pub(super) fn is_version(word: &str) -> bool {
    let number = word.strip_prefix('v').unwrap_or(word);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number(number) || number.split_once('.').is_some_and(|(major, _)| is_number(major))
}

/// Whether a word is a year, or begins with one: "2015", "2015-16".
fn is_year(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4 && matches!(word.as_bytes()[0], b'1' | b'2')
}

/// Whether a word names a share of a whole.
fn is_share(word: &str) -> bool {
    lexicon::is_fraction(word) || matches!(word, "percent" | "percentage" | "cent" | "all" | "none")
}

/// Whether a word is a day of the week: "Thursday", "Thursdays". Short names mean other things too: "sat", "sun".
pub(super) fn is_weekday(word: &str) -> bool {
    word.len() > 3 && Language::English.weekday(word.strip_suffix('s').unwrap_or(word)).is_some()
}

fn is_time_of_day(word: &str) -> bool {
    matches!(word, "noon" | "midday" | "midnight" | "dawn" | "dusk" | "sunrise" | "sunset" | "o'clock")
}

fn singular(noun: &str) -> &str {
    match noun.strip_suffix("es").filter(|stem| stem.ends_with("ss")) {
        Some(stem) => stem,
        None => noun.strip_suffix('s').filter(|stem| !stem.ends_with('s')).unwrap_or(noun),
    }
}

/// Whether a token has a full stop or a slash inside, as addresses and names of files do.
fn is_address(token: &str) -> bool {
    let bare = token.trim_matches(|c: char| !c.is_alphanumeric());
    bare.contains("://") || bare.contains(['.', '/']) && bare.contains(char::is_alphabetic)
}

/// Whether a word tells how much or how long without a number.
pub(super) fn is_extent(word: &str) -> bool {
    lexicon::is_scale(word) || amount::says(word, Amount::Extent)
}

/// Whether a word tells how often.
fn is_frequency(word: &str) -> bool {
    counts_times(word) || amount::says(word, Amount::Often)
}

/// Whether a word tells exactly how often, also within a value: "4 times", "daily".
pub(super) fn counts_times(word: &str) -> bool {
    amount::says(word, Amount::Times)
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;

    use super::{Format, asked_format};
    use crate::{form, word::words};

    fn is_in(format: Format, text: &str) -> bool {
        let form = form::read(&Lexical::new(), "How long does loom 12 keep its hourly log?");
        format.is_in(&form, text, &words(&Lexical::new(), text), false)
    }

    #[test]
    fn the_noun_asked_for_or_the_measure_demands_a_format() {
        let asked = |question: &str| asked_format(&form::read(&Lexical::new(), question));
        for (question, expected) in [
            ("To which e-mail address do tenants write?", Some(Format::Email)),
            ("What is the IP address of the weir?", Some(Format::IpAddress)),
            ("Which email addresses are open?", Some(Format::Email)),
            ("What percentage of the wool is combed?", Some(Format::Percentage)),
            ("On which port does the loom listen?", Some(Format::Number)),
            ("How long is the wool kept?", Some(Format::Extent)),
            ("How often is the loom oiled?", Some(Format::Frequency)),
            ("What is the frequency of backups?", Some(Format::Frequency)),
            ("What is the maximum weight of a bale?", Some(Format::Extent)),
            ("What is the worst-case cost of a sort?", None),
            ("In which port did the ship stop?", None),
            ("What time of year do geese nest?", None),
            ("Which path leads to the weir?", None),
            ("On which weekday does the guild meet?", Some(Format::Weekday)),
            ("On which day is the guild closed in winter?", Some(Format::Day)),
            ("At what time does the gate close?", Some(Format::Clock)),
            ("Which file lists the looms?", Some(Format::File)),
            ("email address of the guild", Some(Format::Email)),
            ("opening hours of the dye works", Some(Format::Clock)),
            ("What is the code of the key safe?", Some(Format::Code)),
            ("What is the new code?", Some(Format::Code)),
            ("What is the address of the guild in Leuven?", Some(Format::Address)),
            ("What is the code of conduct of the guild?", None),
            ("What is the hourly rate for combing?", Some(Format::Figure)),
            ("rules of the guild", None),
            ("maximum number of looms", Some(Format::Figure)),
            ("Minimum number of weavers a loom needs by default", Some(Format::Figure)),
            ("loom at maximum speed", None),
            ("minimum supported version of the loom", None),
            ("How old is the dye works?", Some(Format::Figure)),
            ("What does a bale cost?", Some(Format::Price)),
            ("What will a bale cost?", Some(Format::Price)),
            ("default number of looms in the mill", Some(Format::Figure)),
            ("How much is a seat in the guild?", Some(Format::Price)),
            ("How much wool is there?", Some(Format::Extent)),
            ("Which dye fades first?", None),
            ("Who dyes the wool?", None),
        ] {
            assert_eq!(asked(question), expected, "{question}");
        }
    }

    #[test]
    fn a_sentence_has_the_format_or_not() {
        for (format, with, without) in [
            (Format::Email, "Write to guild@looms.example for a key.", "Write to the guild for a key."),
            (Format::IpAddress, "The weir answers at 10.0.4.2 only.", "The weir has an address of its own."),
            (Format::Url, "Forms are at looms.example/forms.", "Forms are on our site."),
            (
                Format::Percentage,
                "Two in five bales, 40 % of all, are combed.",
                "Most bales are combed in May.",
            ),
            (Format::Number, "The loom listens on 8070.", "The loom listens on a port that you choose."),
            (Format::Price, "A bale is 30 francs.", "A bale has 30 strands."),
            (Format::Version, "Loom 3.1-beta mends it.", "Looms of model 2B mend it."),
            (Format::Extent, "Wool is kept for nine weeks.", "Wool that is kept loses its colour."),
            (Format::Extent, "Wool is kept indefinitely.", "The guild keeps wool in the loft."),
            (Format::Extent, "Loom 12 keeps it for 9 days.", "Loom 12 keeps an hourly log."),
            (Format::Frequency, "The loom is oiled twice a week.", "The loom is oiled for six weeks."),
            (Format::Extent, "The trial of a loom lasts a month.", "The trial of a loom lasts."),
            (Format::Phone, "Call 112 at once.", "Call the guild at once."),
            (Format::Percentage, "Two thirds of the wool are combed.", "The wool is combed."),
            (Format::Weekday, "The guild meets on Thursdays.", "The guild meets by the weir."),
            (Format::Day, "The guild meets on Thursdays.", "The guild meets from May to July."),
            (Format::Clock, "The gate closes at six o'clock.", "The gate closes at the weir."),
            (Format::Clock, "The gate closes at 6 pm.", "The gate closes early in winter."),
            (Format::Clock, "On 12 March it closes at 6.", "On 12 March it closes."),
            (Format::Code, "The code is 5518 from 2 April on.", "The code changed on 2 April."),
            (Format::Address, "Write to 8 Weir Lane, Leuven.", "Write to our address in Leuven."),
            (Format::File, "Looms are listed in config/looms.toml here.", "A file lists the looms."),
        ] {
            assert!(is_in(format, with), "{format:?}: {with}");
            assert!(!is_in(format, without), "{format:?}: {without}");
        }
    }
}
