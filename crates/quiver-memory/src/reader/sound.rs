//! The last check of what the rules read: whether the two ends of a fact are whole and identify something.

use quiver_language::{Kind, Language, measure::Measure, number::number_word, token::norm};

use crate::relation::is_participle;

use super::{ReadFact, life::is_close};

/// Pronouns with their verb, written without an apostrophe.
const CONTRACTED: &[&str] = &["im", "ive", "youre", "youve", "weve", "theyre", "theyve"];

/// Verbs whose object in digits and a noun is an amount and no thing: "runs 4 GB".
const RUNNING: &[&str] = &["runs", "run", "is running", "are running", "uses", "use"];

/// Whether both ends of a fact are whole and identify something.
pub(super) fn is_sound(fact: &ReadFact) -> bool {
    let words: Vec<&str> = fact.object.split(' ').collect();
    is_end(&fact.subject)
        && is_end(&fact.object)
        && !ends_in_score(&words)
        && !ends_in_amount(&words)
        && !is_perfect(fact, words[0])
        && !(RUNNING.contains(&&*fact.predicate) && words.len() > 1 && is_in_digits(words[0]))
        && !is_result(fact)
}

/// Whether a phrase has neither a contracted nor a reflexive pronoun in it.
fn is_end(phrase: &str) -> bool {
    phrase.split(' ').all(|word| {
        let lower = norm(word);
        !CONTRACTED.contains(&&*lower) && Language::English.kind(&lower) != Some(Kind::Reflexive)
    })
}

fn is_in_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a phrase counts things: "3 houses", "two dogs".
fn is_counted(phrase: &str) -> bool {
    let first = phrase.split(' ').next().unwrap_or_default();
    let is_number = || number_word(&first.to_lowercase()).is_some_and(|number| number > 1);
    phrase.contains(' ') && (is_in_digits(first) || is_number())
}

/// "Cumberland 222-0".
fn ends_in_score(words: &[&str]) -> bool {
    let is_score = |word: &&str| {
        word.split_once('-').is_some_and(|(one, other)| {
            [one, other].into_iter().all(|goals| goals.len() < 4 && is_in_digits(goals))
        })
    };
    words.len() > 1 && words.last().is_some_and(is_score)
}

/// "Walnut desk 200 euros": a thing and what was paid for it.
fn ends_in_amount(words: &[&str]) -> bool {
    let [.., before, number, unit] = words else { return false };
    let is_amount = is_in_digits(number) && !Measure::of_unit(&norm(unit)).is_empty();
    is_amount && Language::English.class(&norm(before)).is_none()
}

/// "I have installed Kestrel" is about a deed; "I have a used car" is not.
fn is_perfect(fact: &ReadFact, first: &str) -> bool {
    let lower = norm(first);
    if fact.predicate != "has" || !is_participle(&lower) {
        return false;
    }
    let said: Vec<String> = fact.sentence.split_whitespace().map(|word| norm(word).into_owned()).collect();
    said.windows(2).any(|pair| {
        pair[1] == lower && (matches!(pair[0].as_str(), "have" | "has") || pair[0].ends_with("ve"))
    })
}

/// "I have 10 nice houses" offers some, or counts what was found; somebody has two children, or two dogs.
fn is_result(fact: &ReadFact) -> bool {
    matches!(fact.predicate.as_str(), "has" | "got") && is_counted(&fact.object) && !is_close(&fact.object)
}
