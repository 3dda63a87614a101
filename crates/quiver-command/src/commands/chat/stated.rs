//! Which relations are shown as facts.
//!
//! Rules read a relation wherever words stand between two names of a sentence. That helps to find passages, but "The
//! publisher of The Salt Road is Brightwater Press" does not state that The Salt Road is Brightwater Press.

use quiver::graph::Relation;

/// Whether a relation is one that somebody gave, or that its sentence states in these words.
pub(super) fn is_stated(relation: &Relation, subject: &str, object: &str) -> bool {
    relation.pinned
        || relation.valid_from.is_some()
        || says(&relation.text, subject, &relation.predicate, object)
        || is_worded_anew(&relation.text, &relation.predicate)
}

/// A word of a sentence.
struct Word {
    lower: String,
    /// Whether a clause begins with it.
    begins: bool,
}

/// The words of a text, without articles.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut begins = true;
    for piece in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        let lower = word.to_lowercase();
        if !word.is_empty() && !matches!(lower.as_str(), "a" | "an" | "the") {
            words.push(Word { lower, begins });
            begins = false;
        }
        begins |= piece.ends_with(['.', '!', '?', ';', ':', ',', '(', ')', '\n']);
    }
    words
}

/// Whether a clause of a sentence begins with the subject, or a pronoun for it, and goes on with the predicate and the
/// object.
fn says(sentence: &str, subject: &str, predicate: &str, object: &str) -> bool {
    let sentence = words(sentence);
    let (subject, predicate, object) = (words(subject), words(predicate), words(object));
    let states = |from: &[Word]| {
        let rest = &from[..from.len().min(predicate.len() + object.len())];
        let is_parted = rest.first().is_some_and(|first| first.begins)
            || rest.get(predicate.len()).is_some_and(|first| first.begins);
        !is_parted && begins_with(rest, predicate.iter().chain(&object))
    };
    let is_stated = |start: usize| {
        let from = &sentence[start..];
        let named = begins_with(from, subject.iter()) && states(&from[subject.len()..]);
        named || start == 0 && is_pronoun(&from[0].lower) && states(&from[1..])
    };
    !predicate.is_empty() && (0..sentence.len()).filter(|start| sentence[*start].begins).any(is_stated)
}

fn begins_with<'w>(words: &[Word], mut expected: impl Iterator<Item = &'w Word>) -> bool {
    let mut words = words.iter();
    expected.all(|expected| words.next().is_some_and(|word| word.lower == expected.lower))
}

fn is_pronoun(word: &str) -> bool {
    matches!(word, "he" | "she" | "it" | "they" | "his" | "her" | "its" | "their")
}

/// Whether a predicate has words that its sentence lacks: a language model or a person worded it, not the rules.
fn is_worded_anew(sentence: &str, predicate: &str) -> bool {
    let sentence = words(sentence);
    words(predicate).iter().any(|word| sentence.iter().all(|said| said.lower != word.lower))
}

#[cfg(test)]
mod tests {
    use super::{is_worded_anew, says};

    #[test]
    fn a_relation_is_stated_in_a_clause_of_its_own() {
        for (sentence, [subject, predicate, object]) in [
            ("The Salt Road was written by Amos Keller.", ["The Salt Road", "was written by", "Amos Keller"]),
            ("In 1998, the gateway listens on port 8443.", ["gateway", "listens on", "port"]),
            ("Its weight is 1.4 kilograms.", ["Kestrel drill", "weight is", "1.4 kilograms"]),
            ("She joined the club in 2015.", ["Ada Brandt", "joined", "club"]),
        ] {
            assert!(says(sentence, subject, predicate, object), "{sentence}");
        }
    }

    #[test]
    fn names_beside_each_other_are_no_relation() {
        for (sentence, [subject, predicate, object]) in [
            (
                "The publisher of The Salt Road is Brightwater Press.",
                ["The Salt Road", "is", "Brightwater Press"],
            ),
            ("The gateway listens on port 8443.", ["gateway", "on", "port"]),
            ("The timeout of the gateway is 30 seconds.", ["gateway", "of gateway is", "30 seconds"]),
            ("The gateway keeps its log for 14 days.", ["gateway", "log for", "14 days"]),
            ("Ada, born in Bergen, is an engineer.", ["Ada", "is", "engineer"]),
            ("The price is 14 euros.", ["The Salt Road", "price is", "14 euros"]),
        ] {
            assert!(!says(sentence, subject, predicate, object), "{sentence}");
            assert!(!is_worded_anew(sentence, predicate), "{sentence}");
        }
        assert!(is_worded_anew("Ada is at the head of Juno.", "leads"));
    }
}
