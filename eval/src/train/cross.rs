//! Cross-validation: evaluates weights on questions that they were not fitted to.

use std::{
    num::NonZero,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use super::model::{Example, FitOptions, Stages, Without, fit, fit_without};

/// Number of documents at which recall is computed.
pub const TOP: usize = 5;

/// The recall of each example.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// With weights fitted to all examples, including itself.
    pub training: Vec<f64>,
    /// With weights fitted to the other folds.
    pub out_of_fold: Vec<f64>,
    /// With weights fitted to the other sets, if there are any.
    pub other_sets: Option<Vec<f64>>,
}

/// Fits to all examples, and evaluates by folds and by sets. `done` is called after each fit with the number done and
/// the total.
pub fn judge(
    examples: &[Example],
    folds: usize,
    options: &FitOptions,
    done: &(dyn Fn(usize, usize) + Sync),
) -> (Stages, Judged) {
    let sets = examples.iter().map(|example| example.set + 1).max().unwrap_or_default();
    let others = if sets > 1 { sets } else { 0 };
    let is_out = |job: usize, example: &Example| match job.checked_sub(1) {
        None => false,
        Some(fold) if fold < folds => example.fold == fold,
        Some(set) => example.set == set - folds,
    };
    let jobs = 1 + folds + others;
    let mut fits = parallel(jobs, done, &|job| {
        fit(&examples.iter().filter(|example| !is_out(job, example)).collect::<Vec<_>>(), options)
    });
    let by = |job: &dyn Fn(&Example) -> usize| {
        examples.iter().map(|example| recall(example, &fits[job(example)])).collect::<Vec<f64>>()
    };
    let judged = Judged {
        training: by(&|_| 0),
        out_of_fold: by(&|example| 1 + example.fold),
        other_sets: (others > 0).then(|| by(&|example| 1 + folds + example.set)),
    };
    (fits.swap_remove(0), judged)
}

/// Evaluates out of fold with all features, and then without each of these sets of features. Returns the recall of
/// each example.
pub fn judge_without(
    examples: &[Example],
    folds: usize,
    without: &[Without],
    options: &FitOptions,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Vec<f64>> {
    let training = |fold: usize| examples.iter().filter(|example| example.fold != fold).collect::<Vec<_>>();
    let all = folds * (without.len() + 1);
    let full = parallel(folds, &|made, _| done(made, all), &|fold| fit(&training(fold), options));
    let out = |fold: usize, stages: &Stages| {
        let judged = examples.iter().enumerate().filter(|(_, example)| example.fold == fold);
        judged.map(|(at, example)| (at, recall(example, stages))).collect::<Vec<_>>()
    };
    let jobs = folds * without.len();
    let less = parallel(jobs, &|made, _| done(folds + made, all), &|job| {
        let (fold, without) = (job % folds, &without[job / folds]);
        out(fold, &fit_without(&training(fold), &full[fold], without, options))
    });
    let full: Vec<_> = full.iter().enumerate().map(|(fold, stages)| out(fold, stages)).collect();
    let parts: Vec<_> = full.into_iter().chain(less).collect();
    parts
        .chunks(folds)
        .map(|parts| {
            let mut recalls = vec![0.0; examples.len()];
            parts.iter().flatten().for_each(|&(at, recall)| recalls[at] = recall);
            recalls
        })
        .collect()
}

/// Returns the mean of each group, in the order of the groups.
pub fn by_group(examples: &[Example], values: &[f64], groups: usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0_usize); groups];
    for (example, value) in examples.iter().zip(values) {
        let (sum, count) = &mut sums[example.group];
        *sum += value;
        *count += 1;
    }
    sums.into_iter().map(|(sum, count)| sum / count.max(1) as f64).collect()
}

fn recall(example: &Example, stages: &Stages) -> f64 {
    example.recall(&example.probabilities(stages), TOP)
}

/// Runs jobs on all cores. Returns the results in the order of the jobs.
pub(crate) fn parallel<T: Send>(
    jobs: usize,
    done: &(dyn Fn(usize, usize) + Sync),
    work: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(jobs);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs)));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs {
                        break;
                    }
                    let result = work(job);
                    let mut results = results.lock().expect("no job panics while it holds the results");
                    results.push((job, result));
                    done(results.len(), jobs);
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no job panics while it holds the results");
    results.sort_by_key(|(job, _)| *job);
    results.into_iter().map(|(_, result)| result).collect()
}
