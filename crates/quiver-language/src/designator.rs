//! Letters and numbers that distinguish things of one kind: "Server A", "Node-B", "hepatitis C", "GPT-4".

use crate::{pack, token::word_indices};

/// A letter or number with the noun before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Designator {
    /// The noun, in lower case.
    pub noun: String,
    /// The letter or number, in lower case.
    pub mark: String,
}

/// Maximum number of digits in a number that distinguishes things.
const DIGITS_MAX: usize = 4;

/// Finds the designators in a text. After a space only a capital letter counts, and never "I", which may be a pronoun.
pub fn designators(text: &str) -> Vec<Designator> {
    let words: Vec<(usize, &str)> = word_indices(text).collect();
    let pairs = words.windows(2).filter_map(|pair| {
        let [(at, noun), (from, mark)] = [pair[0], pair[1]];
        let after = &text[from + mark.len()..];
        let gap = &text[at + noun.len()..from];
        // A longer compound, a name with a sign, or an initial: "Make-A-Wish", "C++", "F. Kennedy".
        let is_end = match after.chars().next() {
            Some('-' | '_' | '+' | '#' | '\'' | '’') => false,
            Some('.') => {
                let rest = &after[1..];
                let is_initial = gap == " " && rest.trim_start().starts_with(char::is_uppercase);
                !rest.starts_with(char::is_alphanumeric) && !is_initial
            }
            _ => true,
        };
        let is_letter = mark.chars().count() == 1 && mark.chars().all(is_telling);
        let is_number = mark.len() <= DIGITS_MAX && mark.bytes().all(|byte| byte.is_ascii_digit());
        let lower = noun.to_lowercase();
        let is_noun = noun.chars().all(char::is_alphabetic) && noun.chars().count() >= 2;
        let is_designator = match gap {
            "-" | "_" => is_letter || is_number,
            " " => {
                let is_capital = mark.chars().all(|c| c.is_uppercase() || !c.is_ascii());
                is_letter && is_capital && mark != "I" && noun.len() >= 3 && !pack::is_stop(&lower)
            }
            _ => false,
        };
        (is_noun && is_end && is_designator).then(|| Designator { noun: lower, mark: mark.to_lowercase() })
    });
    pairs.collect()
}

/// Whether a text has a different designator for something asked about, and never the one asked for.
pub fn names_another(asked: &[Designator], said: &[Designator]) -> bool {
    asked.iter().any(|asked| {
        let mut same_noun = said.iter().filter(|said| said.noun == asked.noun).peekable();
        same_noun.peek().is_some() && same_noun.all(|said| said.mark != asked.mark)
    })
}

/// Whether a character is a Latin or Greek letter.
fn is_telling(c: char) -> bool {
    c.is_ascii_alphabetic() || ('\u{370}'..='\u{3ff}').contains(&c) && c.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::{designators, names_another};

    fn shown(text: &str) -> Vec<String> {
        designators(text).into_iter().map(|one| format!("{} {}", one.noun, one.mark)).collect()
    }

    #[test]
    fn letters_and_numbers_that_tell_things_apart_are_found() {
        assert_eq!(shown("Who runs Node-A and server_b?"), ["node a", "server b"]);
        assert_eq!(
            shown("Is Vitamin C better than hepatitis B or Ward α?"),
            ["vitamin c", "hepatitis b", "ward α"]
        );
        assert_eq!(shown("GPT-4 knows Plan B."), ["gpt 4", "plan b"]);
    }

    #[test]
    fn initials_articles_and_longer_compounds_are_none() {
        for text in [
            "John F. Kennedy met J. Edgar Hoover.",
            "What can I do? He said I may.",
            "The Make-A-Wish fund, an x-ray and an e-mail.",
            "It is a plan, and A is no plan.",
            "They wrote it in C++ and C#.",
            "On 5 May 2019, page 3, section 4.2.",
        ] {
            assert_eq!(shown(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn another_mark_is_another_thing() {
        let another = |asked: &str, said: &str| names_another(&designators(asked), &designators(said));
        assert!(another("Who runs Node-A?", "Node-B is run by Nils."));
        assert!(another("Who sells vitamin A?", "Vitamin B is sold by Bob."));
        assert!(!another("Who runs Node-A?", "Node-B and Node-A are run by Nils."));
        assert!(!another("Who runs Node-A?", "It is run by Nils."));
    }
}
