//! Looks words up: words for the same relation, function words, numbers, units, colours.

use std::{collections::HashMap, sync::LazyLock};

use quiver_language::{
    Language,
    amount::{self, Amount},
    answering::{self, Answering},
    measure::Measure,
    number::number_word,
    relation::relation_groups,
};
use quiver_models::Lexical;

pub(super) use quiver_language::country::country;

/// Word groups as bit sets: two words that share a bit may be synonyms.
#[derive(Default)]
struct Groups {
    by_stem: HashMap<u32, u128>,
    /// Those of words that share a stem with another word: "found" is no form of "founded".
    by_form: HashMap<&'static str, u128>,
}

static GROUPS: LazyLock<Groups> = LazyLock::new(|| {
    let lexical = Lexical::new();
    let mut groups = Groups::default();
    for (number, group) in relation_groups().enumerate() {
        assert!(number < GROUPS_MAX, "there are more groups than bits");
        let bit = 1 << number;
        for form in group.forms {
            *groups.by_form.entry(form).or_default() |= bit;
        }
        for word in group.words {
            // The parts of a compound mean other things: "set" is no synonym of "set-up".
            if let Some(term) = lexical.terms(word).into_iter().next().filter(|term| !term.is_stop) {
                *groups.by_stem.entry(term.hash).or_default() |= bit;
            }
        }
    }
    groups
});

/// Maximum number of word groups.
const GROUPS_MAX: usize = u128::BITS as usize;

/// The groups of a word in lower case with these stems, as a bit set.
pub(super) fn groups(word: &str, stems: &[u32]) -> u128 {
    let of_stem = |stem: &u32| GROUPS.by_stem.get(stem).copied().unwrap_or_default();
    let of_form = GROUPS.by_form.get(word).copied();
    of_form.unwrap_or_else(|| stems.iter().fold(0, |groups, stem| groups | of_stem(stem)))
}

/// The signs of currencies, which stand before or after an amount.
pub(super) const CURRENCY_SIGNS: [char; 5] = ['$', '€', '£', '¥', '₹'];

/// Whether a word is a function word or a contraction of one: "you'll".
pub(super) fn is_function(word: &str) -> bool {
    let is_listed = |word: &str| answering::says(word, Answering::Function);
    let stem = word.strip_suffix("n't").or_else(|| word.split_once('\'').map(|(stem, _)| stem));
    is_listed(word) || stem.is_some_and(is_listed)
}

/// Words that introduce a condition.
pub(super) fn is_condition(word: &str) -> bool {
    matches!(word, "if" | "when" | "whenever" | "once")
}

/// The value of a cardinal number word.
pub(super) fn number(word: &str) -> Option<u32> {
    let simple = |word: &str| number_word(word).filter(|number| *number < 100);
    simple(word).or_else(|| {
        let (ten, one) = word.split_once('-')?;
        let ten = simple(ten).filter(|ten| *ten >= 20)?;
        simple(one).filter(|one| (1..10).contains(one)).map(|one| ten + one)
    })
}

/// Whether a word is a unit of length.
pub(super) fn is_length(word: &str) -> bool {
    Measure::of_unit(word).iter().any(|measure| measure.name() == "length")
}

/// Whether a word is a unit of something other than length, or a short one of time.
pub(super) fn is_unit(word: &str) -> bool {
    let is_other = |measure: &Measure| !matches!(measure.name(), "length" | "time");
    matches!(word, "ms" | "s" | "per" | "people" | "times") || Measure::of_unit(word).iter().any(is_other)
}

/// Whether a word is a fraction: "half", "thirds".
pub(super) fn is_fraction(word: &str) -> bool {
    amount::says(word, Amount::Fraction)
}

/// Words that continue a number: "nine thousand".
pub(super) fn is_scale(word: &str) -> bool {
    amount::says(word, Amount::Scale)
}

/// Whether a word is a noun for a code: "PIN".
pub(super) fn is_code_noun(word: &str) -> bool {
    matches!(word, "code" | "pin" | "password" | "passcode" | "combination")
}

/// Whether a word is an ordinal: "third", "21st", "last".
pub(super) fn is_ordinal(word: &str) -> bool {
    ordinal(word).is_some() || word == "last"
}

/// The rank that an ordinal gives: 3 for "third" and "3rd".
pub(super) fn ordinal(word: &str) -> Option<usize> {
    let ordinals = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
        "eleventh", "twelfth",
    ];
    let in_digits = || ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)?.parse().ok());
    ordinals.iter().position(|ordinal| *ordinal == word).map(|at| at + 1).or_else(in_digits)
}

/// Whether a word asks for a colour.
pub(super) fn is_colour_kind(word: &str) -> bool {
    matches!(word, "colour" | "color" | "colours" | "colors")
}

/// Whether a word is a colour.
pub(super) fn is_colour(word: &str) -> bool {
    answering::says(word, Answering::Colour)
}

/// Whether a word is a unit of time, a part of the day or a season: "week", "mornings", "spring".
pub(super) fn is_season_or_time(word: &str) -> bool {
    let times = "second minute hour day night morning evening week fortnight month quarter season spring summer autumn \
                 winter year";
    times.split_whitespace().any(|time| word.strip_suffix('s').unwrap_or(word) == time)
}

/// Whether a text names a month or a day of the week.
pub(super) fn says_day_or_month(text: &str) -> bool {
    let names = |word: &str| {
        let word = word.to_lowercase();
        Language::English.month(&word).or(Language::English.weekday(&word)).is_some()
    };
    // Short names mean other things too: "sat", "mar". So does "may" without a capital or a number.
    let is_may = |word: &str| {
        word == "May" || word.eq_ignore_ascii_case("may") && text.contains(|c: char| c.is_ascii_digit())
    };
    text.split(|c: char| !c.is_alphabetic()).any(|word| (word.len() > 3 || is_may(word)) && names(word))
}

/// Whether a text has an amount of money.
pub(super) fn says_money(text: &str) -> bool {
    Measure::amount_of("money").is_some_and(|money| money.is_in(text))
}

/// Whether a noun asks for money: "how much *rent*".
pub(super) fn asks_money(noun: &str) -> bool {
    Measure::amount_of(noun).is_some_and(|measure| measure.name() == "money")
}

#[cfg(test)]
mod tests {
    use super::{number, says_day_or_month};

    #[test]
    fn a_number_word_below_a_hundred_has_a_value() {
        for (word, value) in [
            ("zero", 0),
            ("twelve", 12),
            ("nineteen", 19),
            ("ninety", 90),
            ("forty-two", 42),
            ("twenty-nine", 29),
        ] {
            assert_eq!(number(word), Some(value), "{word}");
        }
        for word in ["hundred", "thousand", "two-forty", "forty-ten", "forty-zero", "four-ty"] {
            assert_eq!(number(word), None, "{word}");
        }
    }

    #[test]
    fn may_is_a_month_with_a_capital_or_a_number() {
        assert!(says_day_or_month("by the end of May") && says_day_or_month("on may 3"));
        assert!(!says_day_or_month("it may be feasible"));
    }
}
