//! Decides which language a text is in, by its function words.
//!
//! Every text has English search terms. The languages returned here have stems of their own beside them
//! ([`each_stem`](crate::term::each_stem)): German, French, Spanish, Italian, Portuguese, Dutch and Russian.

use crate::{pack::Language, token::norm};

/// Minimum number of function words that show the language of a passage.
const VOTES_MIN: u32 = 3;

/// The languages with a stemmer of their own.
pub const STEMMED: [Language; 7] = [
    Language::German,
    Language::French,
    Language::Spanish,
    Language::Italian,
    Language::Portuguese,
    Language::Dutch,
    Language::Russian,
];

/// Returns the language of a passage, if it is clearly one of [`STEMMED`]: it has several function words of it, and
/// fewer of any other language.
pub fn of_passage(text: &str) -> Option<Language> {
    let votes = votes(text);
    let votes_of = |language: &Language| votes[*language as usize];
    let best = STEMMED.into_iter().max_by_key(votes_of)?;
    let most = votes_of(&best);
    let others = Language::ALL.iter().filter(|other| **other != best);
    (most >= VOTES_MIN && others.map(votes_of).all(|others| others < most)).then_some(best)
}

/// Returns the language of a question, if it is one of [`STEMMED`] and there are passages in it. `passages` returns the
/// number of passages that are [clearly](of_passage) in a language, and `all` is the number of all passages.
///
/// A question has few function words or none ("renew certificate"), and languages share many. So the language of most
/// passages has one vote in advance, and wins if votes are equal. Passages in no clear language count as English.
pub fn of_question(text: &str, passages: impl Fn(Language) -> u64, all: u64) -> Option<Language> {
    let mut passages: Vec<(Language, u64)> = STEMMED.into_iter().map(|of| (of, passages(of))).collect();
    passages.retain(|(_, passages)| *passages > 0);
    let others: u64 = passages.iter().map(|(_, passages)| passages).sum();
    if others == 0 {
        return None;
    }
    passages.push((Language::English, all.saturating_sub(others)));
    let most = passages.iter().map(|(_, passages)| *passages).max()?;
    let votes = votes(text);
    let votes_of = |of: Language, passages| votes[of as usize] + u32::from(passages == most);
    let best = passages.into_iter().max_by_key(|(of, passages)| (votes_of(*of, *passages), *passages))?.0;
    (best != Language::English).then_some(best)
}

/// Counts the function words of each language.
fn votes(text: &str) -> [u32; Language::ALL.len()] {
    let lower = norm(text);
    // Elided words keep their apostrophe: "l'".
    let words = lower.split_inclusive(|c: char| !c.is_alphanumeric());
    Language::votes(words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_in_the_language_of_its_function_words() {
        assert_eq!(of_passage("Die Katze saß auf der Matte und schlief."), Some(Language::German));
        assert_eq!(of_passage("Le chat dort sur l’herbe devant la maison."), Some(Language::French));
        assert_eq!(of_passage("El gato está en la mesa de la cocina."), Some(Language::Spanish));
        assert_eq!(of_passage("O gato está em cima da mesa da cozinha."), Some(Language::Portuguese));
        assert_eq!(
            of_passage("Il gatto dorme sul tavolo della cucina con il cane."),
            Some(Language::Italian)
        );
        assert_eq!(of_passage("De kat zit op het dak van een huis."), Some(Language::Dutch));
        assert_eq!(of_passage("Кошка была на столе, и она спала."), Some(Language::Russian));
    }

    #[test]
    fn a_passage_without_a_clear_language_has_none() {
        assert_eq!(of_passage("The cat sat on the mat, and the dog was in the house."), None);
        assert_eq!(of_passage("Die Katze schlief."), None, "one function word proves nothing");
        assert_eq!(of_passage("SELECT name FROM users WHERE id = 4471;"), None);
        assert_eq!(of_passage("猫在桌子上。"), None);
        assert_eq!(of_passage("The die in the server was so so."), None, "English and German share words");
    }

    #[test]
    fn a_question_in_doubt_is_in_the_language_of_most_passages() {
        let german = |passages: u64| move |of| if of == Language::German { passages } else { 0 };
        let of = |text, passages| of_question(text, german(passages), 100);
        assert_eq!(of("Zertifikate erneuern", 60), Some(Language::German));
        assert_eq!(of("Zertifikate erneuern", 40), None);
        assert_eq!(of("Wie erneuere ich ein Zertifikat?", 1), Some(Language::German));
        assert_eq!(of("Wie erneuere ich ein Zertifikat?", 0), None, "no passage is German");
        assert_eq!(of("How do I renew a certificate?", 100), None);
        assert_eq!(of("Zertifikate in Docker", 60), Some(Language::German), "\"in\" is English too");
        assert_eq!(of("Zertifikate in Docker", 40), None);
    }

    #[test]
    fn of_two_languages_that_a_question_may_be_in_the_one_of_more_passages_counts() {
        let passages = |of| match of {
            Language::Spanish => 10,
            Language::Portuguese => 30,
            _ => 0,
        };
        assert_eq!(of_question("renovar o certificado de casa", passages, 50), Some(Language::Portuguese));
        assert_eq!(of_question("renovar certificado de casa", passages, 50), Some(Language::Portuguese));
        assert_eq!(
            of_question("¿Cómo renuevo el certificado de la casa?", passages, 50),
            Some(Language::Spanish)
        );
    }
}
