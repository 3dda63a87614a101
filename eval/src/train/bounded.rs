//! Minimises a smooth convex function of a few dozen variables, some with a lower bound.
//!
//! Projected L-BFGS (after Bertsekas, 1982, and Schmidt, 2010): variables at their bound whose gradient
//! points below it are held fixed. The others follow a quasi-Newton direction built from the last steps, with
//! backtracking, and are clipped to their bounds. There is no randomness, so the result is reproducible to
//! the bit.

use std::collections::VecDeque;

/// Number of past steps that define the direction.
const MEMORY: usize = 10;
/// Share of the expected decrease that a step must achieve.
const DECREASE: f64 = 1e-4;
/// Maximum number of times a step is halved.
const HALVINGS_MAX: usize = 40;
/// Stops when the relative decrease falls below this.
const FALL_LEAST: f64 = 1e-10;

/// The minimum of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The variables.
    pub at: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Number of steps taken.
    pub steps: usize,
}

/// A past step: the changes of the variables and of the gradient.
struct Step {
    moved: Vec<f64>,
    bent: Vec<f64>,
}

/// Minimises a function from a start. The function writes its gradient and returns its value; `lower` has the bound
/// of each variable, minus infinity for none.
pub fn minimise(
    function: &dyn Fn(&[f64], &mut [f64]) -> f64,
    lower: &[f64],
    start: &[f64],
    steps_max: usize,
) -> Minimum {
    let within =
        |at: &mut [f64]| at.iter_mut().zip(lower).for_each(|(number, bound)| *number = number.max(*bound));
    let mut at = start.to_vec();
    within(&mut at);
    let mut slopes = vec![0.0; at.len()];
    let mut value = function(&at, &mut slopes);
    let mut memory: VecDeque<Step> = VecDeque::new();
    for steps in 0..steps_max {
        let free: Vec<bool> =
            (0..at.len()).map(|index| at[index] > lower[index] || slopes[index] < 0.0).collect();
        let mut direction = downwards(&memory, &slopes, &free);
        if dot(&direction, &slopes) >= 0.0 {
            memory.clear();
            direction = downwards(&memory, &slopes, &free);
        }
        // Without past steps the direction has no scale, so the first step is short.
        let mut length = if memory.is_empty() { 1.0 / norm(&direction).max(1.0) } else { 1.0 };
        let mut next_slopes = vec![0.0; at.len()];
        let found = (0..HALVINGS_MAX).find_map(|_| {
            let mut next: Vec<f64> =
                at.iter().zip(&direction).map(|(number, step)| number + length * step).collect();
            within(&mut next);
            let next_value = function(&next, &mut next_slopes);
            let promised: f64 = (0..at.len()).map(|index| slopes[index] * (next[index] - at[index])).sum();
            length /= 2.0;
            (next_value <= value + DECREASE * promised && promised < 0.0).then_some((next, next_value))
        });
        let Some((next, next_value)) = found else { return Minimum { at, value, steps } };
        let step = Step { moved: difference(&next, &at), bent: difference(&next_slopes, &slopes) };
        if dot(&step.moved, &step.bent) > f64::EPSILON * dot(&step.bent, &step.bent) {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back(step);
        }
        let fall = value - next_value;
        (at, value, slopes) = (next, next_value, next_slopes);
        if fall <= FALL_LEAST * value.abs().max(f64::MIN_POSITIVE) {
            return Minimum { at, value, steps: steps + 1 };
        }
    }
    Minimum { at, value, steps: steps_max }
}

/// Returns the quasi-Newton direction among the free variables: the two-loop recursion of L-BFGS.
fn downwards(memory: &VecDeque<Step>, slopes: &[f64], free: &[bool]) -> Vec<f64> {
    let only_free = |values: &[f64]| {
        values.iter().zip(free).map(|(value, free)| if *free { *value } else { 0.0 }).collect()
    };
    let mut direction: Vec<f64> = only_free(slopes);
    let steps: Vec<(Vec<f64>, Vec<f64>)> =
        memory.iter().map(|step| (only_free(&step.moved), only_free(&step.bent))).collect();
    let steps: Vec<_> =
        steps.iter().filter(|(moved, bent)| dot(moved, bent) > f64::EPSILON * dot(bent, bent)).collect();
    let mut shares = Vec::new();
    for (moved, bent) in steps.iter().rev() {
        let share = dot(moved, &direction) / dot(moved, bent);
        add(&mut direction, -share, bent);
        shares.push(share);
    }
    if let Some((moved, bent)) = steps.last() {
        let measure = dot(moved, bent) / dot(bent, bent);
        direction.iter_mut().for_each(|value| *value *= measure);
    }
    for ((moved, bent), share) in steps.iter().zip(shares.iter().rev()) {
        let back = dot(bent, &direction) / dot(moved, bent);
        add(&mut direction, share - back, moved);
    }
    direction.iter_mut().for_each(|value| *value = -*value);
    direction
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

fn add(to: &mut [f64], share: f64, values: &[f64]) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += share * value);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests;
