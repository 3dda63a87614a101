//! Words for the state of a thing and for holding it: "overdue", "done", "assigned".

use std::{collections::HashMap, sync::LazyLock};

use crate::pack::classed;

/// The meaning of a state word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Completed as intended: "done", "closed".
    Finished,
    /// Ended otherwise: "cancelled".
    Ended,
    /// Not completed: "open", "unfinished".
    Open,
    /// Not completed in time: "overdue".
    Overdue,
    /// The time of completion: "due", "deadline".
    Due,
    /// Held by somebody: "assigned", "owns".
    Held,
    /// A value of a status after which a piece of work is over in some trades: "filed".
    Settled,
    /// A value of a status after which a piece of work is not over: "waiting".
    Going,
}

/// Looks up a lower-case word.
pub fn state(word: &str) -> Option<State> {
    STATES.get(word).copied()
}

static STATES: LazyLock<HashMap<&'static str, State>> = LazyLock::new(|| {
    let mut states = HashMap::new();
    for (said, word) in classed(include_str!("../packs/en/states.tsv")) {
        let state = match said {
            "finished" => State::Finished,
            "ended" => State::Ended,
            "open" => State::Open,
            "overdue" => State::Overdue,
            "due" => State::Due,
            "held" => State::Held,
            "settled" => State::Settled,
            "going" => State::Going,
            _ => continue,
        };
        states.entry(word).or_insert(state);
    }
    states
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::rows;

    #[test]
    fn every_row_is_known_and_no_word_stands_twice() {
        let known = ["finished", "ended", "open", "overdue", "due", "held", "settled", "going"];
        let mut seen = Vec::new();
        for fields in rows(include_str!("../packs/en/states.tsv")) {
            let [said, words] = fields[..] else { panic!("{fields:?}") };
            assert!(known.contains(&said), "{said}");
            for word in words.split(' ') {
                assert!(!seen.contains(&word), "{word}");
                seen.push(word);
                assert!(state(word).is_some(), "{word}");
            }
        }
        assert_eq!(state("overdue"), Some(State::Overdue));
        assert_eq!(state("tall"), None);
    }
}
