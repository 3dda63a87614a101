//! What a ranking and an answer are worth: pure functions.

use std::collections::HashMap;

use crate::dataset::Gold;

/// The share of the gold passages among the first `top` of a ranking; `None` where there is no gold.
pub fn recall(gold: &[Gold], ranking: &[String], top: usize) -> Option<f64> {
    let first = &ranking[..top.min(ranking.len())];
    let found = gold.iter().filter(|gold| gold.keys.iter().any(|key| first.contains(key))).count();
    (!gold.is_empty()).then(|| found as f64 / gold.len() as f64)
}

/// Whether the first passage of a ranking is gold: 1 or 0.
pub fn precision_at_1(gold: &[Gold], ranking: &[String]) -> f64 {
    f64::from(u8::from(ranking.first().is_some_and(|first| is_gold(gold, first))))
}

/// The normalised discounted cumulative gain of the first `top`, each gold passage worth the same.
pub fn ndcg(gold: &[Gold], ranking: &[String], top: usize) -> f64 {
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let found = ranking.iter().take(top).enumerate().filter(|(_, key)| is_gold(gold, key));
    let gained: f64 = found.map(|(rank, _)| discount(rank)).sum();
    let ideal: f64 = (0..gold.len().min(top)).map(discount).sum();
    if ideal > 0.0 { (gained / ideal).min(1.0) } else { 0.0 }
}

fn is_gold(gold: &[Gold], key: &String) -> bool {
    gold.iter().any(|gold| gold.keys.contains(key))
}

/// Whether an answer is one of the right ones, as `SQuAD` compares them.
pub fn exact_match(answer: &str, right: &[String]) -> bool {
    let answer = normalise(answer);
    right.iter().any(|right| normalise(right) == answer)
}

/// The harmonic mean of precision and recall in words, for the right answer that is nearest, as `SQuAD` computes it.
pub fn f1(answer: &str, right: &[String]) -> f64 {
    let answer = normalise(answer);
    right.iter().map(|right| f1_of_words(&answer, &normalise(right))).fold(0.0, f64::max)
}

/// Whether an answer contains one of the right ones as a run of words.
pub fn contains(answer: &str, right: &[String]) -> bool {
    let answer = format!(" {} ", normalise(answer));
    right.iter().map(|right| normalise(right)).any(|right| {
        // Scripts without spaces have no words to run against.
        !right.is_empty()
            && (answer.contains(&format!(" {right} ")) || !right.is_ascii() && answer.contains(&right))
    })
}

/// The normalisation of `SQuAD`: lower case, no punctuation, no articles, single spaces.
pub fn normalise(answer: &str) -> String {
    const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    let plain: String =
        answer.to_lowercase().chars().filter(|letter| !PUNCTUATION.contains(*letter)).collect();
    let words = plain.split_whitespace().filter(|word| !matches!(*word, "a" | "an" | "the"));
    words.collect::<Vec<_>>().join(" ")
}

fn f1_of_words(answer: &str, right: &str) -> f64 {
    let (answer, right): (Vec<_>, Vec<_>) =
        (answer.split_whitespace().collect(), right.split_whitespace().collect());
    // A yes or no that is only part of a sentence is no answer.
    let closed = |words: &[&str]| matches!(words, ["yes" | "no" | "noanswer"]);
    if (closed(&answer) || closed(&right)) && answer != right {
        return 0.0;
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in &right {
        *left.entry(word).or_default() += 1;
    }
    let mut shared = 0;
    for word in &answer {
        if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    if shared == 0 {
        return 0.0;
    }
    let (precision, recall) =
        (f64::from(shared) / answer.len() as f64, f64::from(shared) / right.len() as f64);
    2.0 * precision * recall / (precision + recall)
}

/// The value below which a share of the measurements lies: the nearest rank. 0 where there are none.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank within a list")]
    let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank.min(sorted.len()).wrapping_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
