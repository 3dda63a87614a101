//! Metrics of rankings and answers, as pure functions.

use std::collections::HashMap;

use crate::dataset::Gold;

/// Returns the share of gold passages among the first `top` of a ranking; `None` if there is no gold.
pub fn recall(gold: &[Gold], ranking: &[String], top: usize) -> Option<f64> {
    let first = &ranking[..top.min(ranking.len())];
    let found = gold.iter().filter(|gold| gold.keys.iter().any(|key| first.contains(key))).count();
    (!gold.is_empty()).then(|| found as f64 / gold.len() as f64)
}

/// Returns 1 if the first passage of a ranking is gold, else 0.
pub fn precision_at_1(gold: &[Gold], ranking: &[String]) -> f64 {
    f64::from(u8::from(ranking.first().is_some_and(|first| is_gold(gold, first))))
}

/// Returns nDCG of the first `top` with binary relevance.
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

/// Returns whether an answer equals a correct one, compared as in `SQuAD`.
pub fn exact_match(answer: &str, right: &[String]) -> bool {
    let answer = normalise(answer);
    right.iter().any(|right| normalise(right) == answer)
}

/// Returns word-level F1 against the best-matching correct answer, as in `SQuAD`.
pub fn f1(answer: &str, right: &[String]) -> f64 {
    let answer = normalise(answer);
    right.iter().map(|right| f1_of_words(&answer, &normalise(right))).fold(0.0, f64::max)
}

/// Returns whether an answer contains a correct one as a sequence of words.
pub fn contains(answer: &str, right: &[String]) -> bool {
    let answer = format!(" {} ", normalise(answer));
    right.iter().map(|right| normalise(right)).any(|right| {
        // Scripts without spaces have no word boundaries.
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
    // A yes or no must be the whole answer.
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

/// Returns a percentile of sorted values by nearest rank, or 0 if there are none.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank within a list")]
    let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank.min(sorted.len()).wrapping_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
