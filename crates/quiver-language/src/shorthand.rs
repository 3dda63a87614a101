//! Words written in haste: "temp" for "temperature", "teh" for "the".

use std::{collections::HashMap, sync::LazyLock};

use crate::pack::rows;

/// Returns the English word that a lower-case one is short or a slip for.
pub fn written_out(word: &str) -> Option<&'static str> {
    SHORTHAND.get(word).copied()
}

static SHORTHAND: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let pairs = rows(FILE).flat_map(|fields| fields[1].split(' ').map(move |short| (short, fields[0])));
    pairs.collect()
});

const FILE: &str = include_str!("../packs/en/shorthand.tsv");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_stands_for_one_word() {
        assert!(rows(FILE).all(|fields| fields.len() == 2));
        let forms = rows(FILE).map(|fields| fields[1].split(' ').count()).sum::<usize>();
        assert_eq!(SHORTHAND.len(), forms, "no form stands twice");
        assert_eq!((written_out("temp"), written_out("table")), (Some("temperature"), None));
    }
}
