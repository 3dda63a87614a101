//! Grades answers and confidence with pure functions.

use crate::metric;

/// The comparison of an answer with the correct ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grade {
    /// Whether it equals one of them.
    pub exact: bool,
    /// Word-level F1.
    pub f1: f64,
    /// Whether it contains one of them. A yes or no must be its first word.
    pub contains: bool,
}

/// Compares an answer with the correct ones.
pub fn grade(answer: &str, right: &[String]) -> Grade {
    let closed: Vec<&String> =
        right.iter().filter(|right| matches!(metric::normalise(right).as_str(), "yes" | "no")).collect();
    let first = metric::normalise(answer);
    let first = first.split(' ').next().unwrap_or_default();
    let open: Vec<String> = right.iter().filter(|right| !closed.contains(right)).cloned().collect();
    let says_closed = closed.iter().any(|right| metric::normalise(right) == first);
    Grade {
        exact: metric::exact_match(answer, right),
        f1: metric::f1(answer, right),
        contains: says_closed || metric::contains(answer, &open),
    }
}

/// The risk-coverage curve: the share of wrong answers by the share of questions answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Whether each question would be answered correctly, most confident first.
    right: Vec<bool>,
}

impl Curve {
    /// Sorts questions by confidence. At equal confidence, wrong answers come first, so that ties never
    /// improve the curve.
    pub fn of(answers: impl IntoIterator<Item = (f32, bool)>) -> Self {
        let mut answers: Vec<(f32, bool)> = answers.into_iter().collect();
        answers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Self { right: answers.into_iter().map(|(_, right)| right).collect() }
    }

    /// Returns the precision of the most confident answers at this coverage.
    pub fn precision_at(&self, coverage: f64) -> f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
        let answered = (self.right.len() as f64 * coverage).ceil() as usize;
        let answered = &self.right[..answered.min(self.right.len())];
        share(answered.iter().filter(|right| **right).count(), answered.len())
    }

    /// Returns the area under the risk-coverage curve: the mean share of wrong answers over all coverages.
    pub fn area(&self) -> f64 {
        let (mut wrong, mut sum) = (0, 0.0);
        for (answered, right) in (1..).zip(&self.right) {
            wrong += usize::from(!right);
            sum += share(wrong, answered);
        }
        if self.right.is_empty() { 0.0 } else { sum / self.right.len() as f64 }
    }
}

/// Minimum share of a long answer that a sentence must contain to be right.
const SENTENCE_RECALL: f64 = 0.75;
/// Minimum number of words in a long answer.
const LONG_ANSWER_WORDS: usize = 5;
/// Minimum share of a sentence that must occur in a long answer for the sentence to be part of it, and so
/// right.
const PART_SHARE: f64 = 0.8;
/// Minimum number of words in a sentence that may be part of a long answer.
const PART_WORDS: usize = 4;

/// Whether a sentence contains most words of a long answer, or is itself part of one.
pub(super) fn says_most(sentence: &str, answers: &[String]) -> bool {
    let own = words(sentence);
    let share = |of: &[String], within: &[String]| {
        of.iter().filter(|word| within.contains(word)).count() as f64 / of.len().max(1) as f64
    };
    answers.iter().filter(|answer| is_long(answer)).map(|answer| words(answer)).any(|wanted| {
        share(&wanted, &own) >= SENTENCE_RECALL
            || own.len() >= PART_WORDS && share(&own, &wanted) >= PART_SHARE
    })
}

pub(super) fn is_long(answer: &str) -> bool {
    words(answer).len() >= LONG_ANSWER_WORDS
}

pub(super) fn words(text: &str) -> Vec<String> {
    metric::normalise(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns `part / whole`, or 0 if `whole` is 0.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn a_yes_or_no_has_to_come_first() {
        assert!(grade("No: it never moves.", &strings(&["no"])).contains);
        assert!(!grade("It has no brakes.", &strings(&["no"])).contains);
        assert!(grade("about 90 days after", &strings(&["90 days", "no"])).contains);
        assert!(grade("Yes", &strings(&["yes"])).exact);
    }

    #[test]
    fn the_curve_is_the_risk_of_the_most_confident_answers() {
        let curve = Curve::of([(0.2, false), (0.9, true), (0.5, true), (0.4, false)]);
        assert!((curve.precision_at(0.5) - 1.0).abs() < 1e-9);
        assert!((curve.precision_at(1.0) - 0.5).abs() < 1e-9);
        // 0/1, 0/2, 1/3, 2/4
        assert!((curve.area() - (1.0 / 3.0 + 0.5) / 4.0).abs() < 1e-9);
        let equal = Curve::of([(0.5, true), (0.5, false)]);
        assert!(equal.precision_at(0.5).abs() < 1e-9, "equal confidence does not flatter");
        assert!(Curve::of([]).area().abs() < 1e-9);
    }
}
