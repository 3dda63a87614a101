//! Merges the facts of two readers.

use quiver_graph::name::normalise;

use crate::relation::key;

use super::ReadFact;

/// Adds the facts of a second reader to those of the first, without doubles.
///
/// The first reader is trusted more. A fact of the second one that relates the same two things in the same sentence, or
/// by the same relation, is left out, whatever its direction and even if it denies what the other states: it repeats the
/// first or contradicts it.
pub fn join(first: Vec<ReadFact>, second: Vec<ReadFact>) -> Vec<ReadFact> {
    let mut facts = first;
    for fact in second {
        if !facts.iter().any(|known| is_double(known, &fact)) {
            facts.push(fact);
        }
    }
    facts
}

fn is_double(known: &ReadFact, fact: &ReadFact) -> bool {
    let is_same_sentence = known.sentence == fact.sentence;
    let relation = key(&known.predicate).base == key(&fact.predicate).base;
    if !is_same_sentence && !relation {
        return false;
    }
    let [subject, object, known_subject, known_object] =
        [&fact.subject, &fact.object, &known.subject, &known.object].map(|name| normalise(name));
    let matches = |one: &str, other: &str| {
        one == other || is_same_sentence && (contains(one, other) || contains(other, one))
    };
    matches(&subject, &known_subject) && matches(&object, &known_object)
        || matches(&subject, &known_object) && matches(&object, &known_subject)
}

/// Returns whether the words of a name contain those of another.
fn contains(name: &str, part: &str) -> bool {
    let (name, part): (Vec<&str>, Vec<&str>) = (name.split(' ').collect(), part.split(' ').collect());
    name.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::fact;

    fn said(subject: &str, predicate: &str, object: &str, sentence: &str) -> ReadFact {
        ReadFact { sentence: sentence.to_owned(), ..fact(subject, predicate, object) }
    }

    #[test]
    fn a_fact_that_repeats_or_contradicts_one_of_the_first_reader_is_left_out() {
        const SENTENCE: &str = "Mo runs the Redis cache.";
        let known = || vec![said("Mo", "runs", "Redis cache", SENTENCE)];
        let denied = ReadFact { denied: true, ..said("Mo", "runs", "Redis cache", SENTENCE) };
        for double in [
            said("Mo", "runs", "Redis cache", SENTENCE),
            said("mo", "runs", "the Redis cache", SENTENCE),
            said("Mo", "runs", "Redis", SENTENCE),
            said("Redis cache", "is run by", "Mo", SENTENCE),
            said("Redis cache", "runs", "Mo", SENTENCE),
            said("Mo", "keeps", "Redis cache", SENTENCE),
            said("Redis cache", "is run by", "Mo", "The Redis cache is run by Mo."),
            denied,
        ] {
            assert_eq!(join(known(), vec![double.clone()]), known(), "{double:?}");
        }
        for new in [
            said("Mo", "owns", "Redis cache", "Mo owns the Redis cache."),
            said("Mo", "runs", "Kafka", SENTENCE),
            said("Mo", "runs", "Redis", "Mo runs Redis."),
        ] {
            assert_eq!(join(known(), vec![new.clone()]), [known(), vec![new]].concat());
        }
        let twice = said("Mo", "runs", "Kafka", SENTENCE);
        assert_eq!(join(Vec::new(), vec![twice.clone(), twice.clone()]), [twice]);
    }
}
