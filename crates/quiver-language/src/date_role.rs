//! Words for the event that a date is of: "born", "released".

use std::{collections::HashMap, sync::LazyLock};

use crate::pack::rows;

/// The event that a date is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DateRole {
    /// The birth of a person.
    Birth,
    /// The death of a person.
    Death,
    /// The foundation or the beginning of something.
    Foundation,
    /// The release of a work.
    Release,
    /// The end of something.
    End,
}

/// Returns the event whose date a lower-case word asks for in a question: death for "deceased".
pub fn asked(word: &str) -> Option<DateRole> {
    ROLES.get(&("asked", word)).copied()
}

/// Returns the event that a lower-case word before a date tells: death for "murdered".
pub fn told(word: &str) -> Option<DateRole> {
    ROLES.get(&("told", word)).copied()
}

/// Returns the event that a lower-case noun for a work gives the date before it: release for "film".
pub fn of_work(word: &str) -> Option<DateRole> {
    ROLES.get(&("work", word)).copied()
}

static ROLES: LazyLock<HashMap<(&'static str, &'static str), DateRole>> = LazyLock::new(|| {
    let mut roles = HashMap::new();
    for fields in rows(FILE) {
        let [form, event, words] = fields[..] else { continue };
        let role = match event {
            "birth" => DateRole::Birth,
            "death" => DateRole::Death,
            "foundation" => DateRole::Foundation,
            "release" => DateRole::Release,
            "end" => DateRole::End,
            _ => continue,
        };
        roles.extend(words.split(' ').map(|word| ((form, word), role)));
    }
    roles
});

const FILE: &str = include_str!("../packs/en/date-roles.tsv");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_tells_the_event_of_a_date() {
        assert_eq!((asked("older"), told("older")), (Some(DateRole::Birth), None));
        assert_eq!((asked("killed"), told("killed")), (None, Some(DateRole::Death)));
        assert_eq!((of_work("film"), told("film")), (Some(DateRole::Release), None));
    }

    #[test]
    fn every_row_is_read_and_no_word_of_a_form_stands_twice() {
        let mut seen = Vec::new();
        for fields in rows(FILE) {
            let [form, _, words] = fields[..] else { panic!("{fields:?}") };
            assert!(["asked", "told", "work"].contains(&form), "{fields:?}");
            for word in words.split(' ') {
                assert!(!seen.contains(&(form, word)), "{word}");
                seen.push((form, word));
            }
        }
        assert_eq!(seen.len(), ROLES.len());
    }
}
