//! The written form that an answer must have: an e-mail address has an "@", a share in percent a "%", and "how long"
//! is answered with a number or a word such as "forever".

use quiver_language::Language;

use super::{
    form::{Asks, Form},
    lexicon,
    word::Word,
};

/// A written form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Email,
    IpAddress,
    Url,
    Phone,
    Percentage,
    /// A number in digits.
    Number,
    /// A number in digits or words, or a word for an extent: "unlimited".
    Extent,
    /// How often: "twice a week", "every hour", "annually".
    Frequency,
    Weekday,
    /// A time of day.
    Clock,
    /// The name of a file or a folder.
    Path,
}

/// Returns the form that a question demands of its answer, if any.
pub(super) fn asked_shape(form: &Form) -> Option<Shape> {
    let lower = |at: usize| form.words.get(at).map_or("", |word| word.lower.as_str());
    let by_noun = form.kind.and_then(|kind| {
        let before = kind.checked_sub(1).map_or("", lower);
        Some(match singular(lower(kind)) {
            "email" | "e-mail" => Shape::Email,
            "address" if matches!(before, "email" | "e-mail" | "mail") => Shape::Email,
            "address" if before == "ip" => Shape::IpAddress,
            "url" | "uri" | "website" | "homepage" => Shape::Url,
            "number" if matches!(before, "phone" | "telephone" | "fax") => Shape::Phone,
            "percentage" | "percent" => Shape::Percentage,
            "port" | "version" => Shape::Number,
            "weekday" => Shape::Weekday,
            "day"
                if lower(kind + 1) == "of" && form.words[kind..].iter().any(|word| word.lower == "week") =>
            {
                Shape::Weekday
            }
            "time" if matches!(before, "what" | "which") => Shape::Clock,
            "file" | "folder" | "directory" | "path" | "filename" => Shape::Path,
            _ => return None,
        })
    });
    let measure = || match form.question_word.map_or("", |at| lower(at + 1)) {
        _ if form.asks != Asks::Quantity => None,
        "often" | "frequently" => Some(Shape::Frequency),
        _ => Some(Shape::Extent),
    };
    by_noun.or_else(measure)
}

impl Shape {
    /// Whether a text with these words contains something of this form. Numbers of the question don't count. Text that is
    /// marked as code may be the name of a file.
    pub(super) fn is_in(self, form: &Form, text: &str, words: &[Word], has_code: bool) -> bool {
        let is_new = |word: &&Word| !form.words.iter().any(|asked| asked.lower == word.lower);
        let mut tokens = text.split_whitespace();
        let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
        match self {
            Self::Email => tokens.any(|token| token.trim_matches('@').contains('@')),
            Self::IpAddress => tokens.any(|token| token.matches(['.', ':']).count() > 1 && has_digit(token)),
            Self::Url => tokens.any(is_address),
            Self::Phone => text.chars().filter(char::is_ascii_digit).count() >= 5,
            Self::Percentage => {
                let says =
                    |word: &Word| matches!(word.lower.as_str(), "percent" | "half" | "third" | "quarter");
                text.contains('%') || text.contains("per cent") || words.iter().any(says)
            }
            Self::Number => words.iter().filter(is_new).any(|word| has_digit(&word.lower)),
            Self::Extent => {
                words.iter().filter(is_new).any(|word| word.is_number() || is_extent(&word.lower))
            }
            Self::Frequency => {
                let is_each = |pair: &[Word]| {
                    matches!(pair[0].lower.as_str(), "a" | "an" | "the" | "per" | "every" | "each")
                        && lexicon::is_season_or_time(&pair[1].lower)
                };
                words.iter().filter(is_new).any(|word| is_frequency(&word.lower))
                    || words.windows(2).any(is_each)
            }
            Self::Weekday => words.iter().any(|word| Language::English.weekday(&word.lower).is_some()),
            Self::Clock => {
                has_digit(text)
                    || words.iter().any(|word| matches!(word.lower.as_str(), "noon" | "midday" | "midnight"))
            }
            Self::Path => {
                has_code || tokens.any(|token| is_address(token) || token.contains(['/', '\\', '_']))
            }
        }
    }
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
fn is_extent(word: &str) -> bool {
    lexicon::is_scale(word)
        || matches!(
            word,
            "forever"
                | "indefinitely"
                | "permanently"
                | "immediately"
                | "instantly"
                | "lifetime"
                | "unlimited"
                | "infinite"
                | "free"
                | "nothing"
                | "none"
                | "no"
                | "never"
                | "always"
                | "once"
                | "twice"
                | "double"
                | "quarter"
                | "until"
                | "while"
        )
}

/// Whether a word tells how often.
fn is_frequency(word: &str) -> bool {
    matches!(
        word,
        "once"
            | "twice"
            | "times"
            | "per"
            | "every"
            | "each"
            | "hourly"
            | "daily"
            | "nightly"
            | "weekly"
            | "fortnightly"
            | "monthly"
            | "quarterly"
            | "annually"
            | "annual"
            | "yearly"
            | "never"
            | "always"
            | "rarely"
            | "constantly"
            | "continuously"
    )
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;

    use super::{Shape, asked_shape};
    use crate::answer::{form, word::words};

    fn is_in(shape: Shape, text: &str) -> bool {
        let form = form::read(&Lexical::new(), "How long does loom 12 keep its hourly log?");
        shape.is_in(&form, text, &words(&Lexical::new(), text), false)
    }

    #[test]
    fn the_noun_asked_for_or_the_measure_demands_a_form() {
        let shape = |question: &str| asked_shape(&form::read(&Lexical::new(), question));
        for (question, expected) in [
            ("To which e-mail address do tenants write?", Some(Shape::Email)),
            ("What is the IP address of the weir?", Some(Shape::IpAddress)),
            ("Which email addresses are open?", Some(Shape::Email)),
            ("What percentage of the wool is combed?", Some(Shape::Percentage)),
            ("On which port does the loom listen?", Some(Shape::Number)),
            ("How long is the wool kept?", Some(Shape::Extent)),
            ("How often is the loom oiled?", Some(Shape::Frequency)),
            ("What is the maximum weight of a bale?", Some(Shape::Extent)),
            ("On which weekday does the guild meet?", Some(Shape::Weekday)),
            ("At what time does the gate close?", Some(Shape::Clock)),
            ("Which file lists the looms?", Some(Shape::Path)),
            ("Which dye fades first?", None),
            ("Who dyes the wool?", None),
        ] {
            assert_eq!(shape(question), expected, "{question}");
        }
    }

    #[test]
    fn a_sentence_has_the_form_or_not() {
        for (shape, with, without) in [
            (Shape::Email, "Write to guild@looms.example for a key.", "Write to the guild for a key."),
            (Shape::IpAddress, "The weir answers at 10.0.4.2 only.", "The weir has an address of its own."),
            (Shape::Url, "Forms are at looms.example/forms.", "Forms are on our site."),
            (
                Shape::Percentage,
                "Two in five bales, 40 % of all, are combed.",
                "Most bales are combed in May.",
            ),
            (Shape::Number, "The loom listens on 8070.", "The loom listens on a port that you choose."),
            (Shape::Extent, "Wool is kept for nine weeks.", "Wool that is kept loses its colour."),
            (Shape::Extent, "Wool is kept indefinitely.", "The guild keeps wool in the loft."),
            (Shape::Extent, "Loom 12 keeps it for 9 days.", "Loom 12 keeps an hourly log."),
            (Shape::Frequency, "The loom is oiled twice a week.", "The loom is oiled for six weeks."),
            (Shape::Weekday, "The guild meets on Thursday.", "The guild meets by the weir."),
            (Shape::Clock, "The gate closes at 6 pm.", "The gate closes early in winter."),
            (Shape::Path, "Looms are listed in config/looms.toml here.", "A file lists the looms."),
        ] {
            assert!(is_in(shape, with), "{shape:?}: {with}");
            assert!(!is_in(shape, without), "{shape:?}: {without}");
        }
    }
}
