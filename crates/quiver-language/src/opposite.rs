//! Words that say the opposite of each other: "before" and "after".

use crate::pack::rows;

/// Returns the pairs of English words that say the opposite of each other.
pub fn opposites() -> impl Iterator<Item = (&'static str, &'static str)> {
    rows(FILE).flat_map(|fields| {
        let word = fields[0];
        fields[1].split(' ').map(move |opposite| (word, opposite))
    })
}

const FILE: &str = include_str!("../packs/en/opposites.tsv");

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_has_two_fields_and_no_pair_stands_twice() {
        assert!(rows(FILE).all(|fields| fields.len() == 2));
        let mut seen = HashSet::new();
        for (one, other) in opposites() {
            assert!(!one.is_empty() && !other.is_empty() && one != other, "{one} {other}");
            assert!(seen.insert([one, other]) && !seen.contains(&[other, one]), "{one} {other}");
        }
        assert!(seen.contains(&["more", "fewer"]));
    }
}
