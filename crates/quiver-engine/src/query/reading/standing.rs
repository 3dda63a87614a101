//! What the values of a status say: that a piece of work is over, or that it is not.

use quiver_language::{
    asking::{Asking, says},
    state::{State, state},
};

use super::word::fold;

/// What a value of a status says about a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is over: finished or ended.
    Over(State),
    /// It is over in some trades.
    Settled,
    NotOver,
    Unknown,
}

/// Returns what a value says, by its words.
pub(super) fn standing(value: &str) -> Standing {
    let words = fold(value);
    let words: Vec<&str> = words.split(' ').collect();
    let of_state = |word: &str| match state(word) {
        Some(said @ (State::Finished | State::Ended)) => Some(Standing::Over(said)),
        Some(State::Settled) => Some(Standing::Settled),
        Some(_) => Some(Standing::NotOver),
        None => None,
    };
    let is_gerund = |word: &str| word.len() > 5 && word.ends_with("ing");
    match words.as_slice() {
        [one] => {
            of_state(one).or_else(|| is_gerund(one).then_some(Standing::NotOver)).unwrap_or(Standing::Unknown)
        }
        [first, ..] if says(first, Asking::Partial) => Standing::NotOver,
        ["in", second, ..] if is_gerund(second) || says(second, Asking::Underway) => Standing::NotOver,
        // "Handed in", "signed off".
        [first, "in" | "off" | "out" | "up"] => {
            of_state(first).filter(|said| *said != Standing::NotOver).unwrap_or(Standing::Unknown)
        }
        // "In review" is not over, and of "review passed" it is not known.
        _ if words
            .iter()
            .any(|word| matches!(of_state(word), Some(Standing::Over(_) | Standing::Settled))) =>
        {
            Standing::Unknown
        }
        _ if words.iter().any(|word| says(word, Asking::Underway)) => Standing::NotOver,
        _ => Standing::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_status_says_whether_work_is_over() {
        for (value, expected) in [
            ("Completed", Standing::Over(State::Finished)),
            ("cancelled", Standing::Over(State::Ended)),
            ("handed in", Standing::Settled),
            ("signed off", Standing::Settled),
            ("in progress", Standing::NotOver),
            ("in-review", Standing::NotOver),
            ("to do", Standing::NotOver),
            ("not started", Standing::NotOver),
            ("sketching", Standing::NotOver),
            ("waiting for parts", Standing::NotOver),
            ("in revision", Standing::NotOver),
            ("review passed", Standing::Unknown),
            ("called off", Standing::Unknown),
            ("in production", Standing::Unknown),
            ("amber", Standing::Unknown),
        ] {
            assert_eq!(standing(value), expected, "{value}");
        }
    }
}
