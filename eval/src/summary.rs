//! Summarises outcomes.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    arms::Method,
    bootstrap::interval,
    dataset::Item,
    metric,
    record::{AnswerSummary, Cost, Group, Intervals, Latency, MethodSummary, Paired},
    run::Outcome,
};

/// The cut-offs of recall.
pub const TOPS: [usize; 3] = [2, 5, 10];

/// The metrics of each judged question, in the order of the questions.
#[derive(Clone, Debug)]
struct Values {
    recall: BTreeMap<usize, Vec<f64>>,
    all_gold_5: Vec<f64>,
}

impl Values {
    fn of<'a>(pairs: impl Iterator<Item = (&'a Item, &'a Outcome)>) -> Self {
        let mut values = Self { recall: BTreeMap::new(), all_gold_5: Vec::new() };
        for (item, outcome) in pairs {
            // A failed question has no results, so it counts as zero.
            for top in TOPS {
                let recall = metric::recall(&item.gold, &outcome.found.retrieved, top);
                values.recall.entry(top).or_default().extend(recall);
            }
            let five = metric::recall(&item.gold, &outcome.found.retrieved, 5);
            values.all_gold_5.extend(five.map(|recall| f64::from(recall >= 1.0)));
        }
        values
    }

    fn means(&self) -> BTreeMap<usize, f64> {
        self.recall.iter().map(|(top, values)| (*top, mean(values))).collect()
    }
}

/// Summarises the results of a method.
pub fn summarise(
    method: Method,
    items: &[Item],
    outcomes: &[Outcome],
    hybrid: Option<&[Outcome]>,
) -> MethodSummary {
    let values = Values::of(items.iter().zip(outcomes));
    let bounds = |values: &[f64]| {
        let interval = interval(values);
        [interval.low, interval.high]
    };
    MethodSummary {
        method: method.name().to_owned(),
        recall: values.means(),
        all_gold_5: mean(&values.all_gold_5),
        interval: Intervals {
            recall: values.recall.iter().map(|(top, values)| (*top, bounds(values))).collect(),
            all_gold_5: bounds(&values.all_gold_5),
        },
        against_hybrid: hybrid.filter(|_| method != Method::Hybrid).map(|hybrid| {
            let hybrid = Values::of(items.iter().zip(hybrid));
            paired(&values.recall[&5], &hybrid.recall[&5])
        }),
        answers: answers(items, outcomes),
        failed: outcomes.iter().filter(|outcome| outcome.found.error.is_some()).count(),
        degraded: outcomes.iter().filter(|outcome| !outcome.found.degraded.is_empty()).count(),
        groups: groups(items, outcomes),
        cost: cost(outcomes),
        latency_ms: latency(outcomes),
    }
}

fn paired(values: &[f64], hybrid: &[f64]) -> Paired {
    let differences: Vec<f64> = values.iter().zip(hybrid).map(|(value, hybrid)| value - hybrid).collect();
    let interval = interval(&differences);
    Paired {
        recall_5: interval.mean,
        interval: [interval.low, interval.high],
        better: differences.iter().filter(|difference| **difference > 0.0).count(),
        worse: differences.iter().filter(|difference| **difference < 0.0).count(),
    }
}

/// Computes the answer metrics. Questions without an answer are left out, because only `refused` would count
/// a refusal as correct.
fn answers(items: &[Item], outcomes: &[Outcome]) -> Option<AnswerSummary> {
    outcomes.iter().find(|outcome| outcome.found.answer.is_some())?;
    let mut columns: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::new());
    for (item, outcome) in items.iter().zip(outcomes).filter(|(item, _)| !item.answers.is_empty()) {
        let text = outcome.found.answer.as_ref().and_then(|answer| answer.as_str());
        let text_or_nothing = text.unwrap_or_default();
        columns[0].push(f64::from(metric::exact_match(text_or_nothing, &item.answers)));
        columns[1].push(metric::f1(text_or_nothing, &item.answers));
        columns[2].push(f64::from(metric::contains(text_or_nothing, &item.answers)));
        columns[3].push(f64::from(text.is_none()));
    }
    let [exact_match, f1, contains, refused] = columns.map(|column| mean(&column));
    Some(AnswerSummary { exact_match, f1, contains, refused })
}

fn groups(items: &[Item], outcomes: &[Outcome]) -> Vec<Group> {
    let select = |by: &str, item: &Item| match by {
        "type" => item.kind.clone(),
        _ => item.hops.map(|hops| hops.to_string()),
    };
    let mut groups = Vec::new();
    for by in ["type", "hops"] {
        let judged = || items.iter().zip(outcomes).filter(|(item, _)| !item.gold.is_empty());
        let values: BTreeSet<String> = judged().filter_map(|(item, _)| select(by, item)).collect();
        for value in values {
            let members = judged().filter(|(item, _)| select(by, item).as_ref() == Some(&value));
            let members = Values::of(members);
            groups.push(Group {
                by: by.to_owned(),
                value,
                questions: members.all_gold_5.len(),
                recall: members.means(),
                all_gold_5: mean(&members.all_gold_5),
            });
        }
    }
    groups
}

fn cost(outcomes: &[Outcome]) -> Cost {
    let mean_of = |select: &dyn Fn(&Outcome) -> u64| {
        mean(&outcomes.iter().map(|outcome| select(outcome) as f64).collect::<Vec<_>>())
    };
    Cost {
        store_calls: mean_of(&|outcome| outcome.counts.calls),
        searches: mean_of(&|outcome| outcome.counts.searches),
        points_read: mean_of(&|outcome| outcome.counts.points),
        embeddings: mean_of(&|outcome| outcome.embeddings as u64),
        model_calls: 0.0,
    }
}

fn latency(outcomes: &[Outcome]) -> Latency {
    let mut sorted: Vec<f64> = outcomes.iter().map(|outcome| outcome.latency_ms).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share| metric::percentile(&sorted, share);
    Latency { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
