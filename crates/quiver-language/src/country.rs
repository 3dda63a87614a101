//! Countries with their other names and what their people and things are called.

use std::{collections::HashMap, sync::LazyLock};

use crate::pack::rows;

/// Returns the country that a name or an adjective refers to: "United Kingdom" for "British".
pub fn country(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    COUNTRIES.get(lower.strip_prefix("the ").unwrap_or(&lower)).copied()
}

static COUNTRIES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut countries = HashMap::new();
    for fields in rows(FILE) {
        let name = fields[0];
        let others =
            fields[1..].iter().flat_map(|others| others.split(", ")).filter(|other| !other.is_empty());
        for other in others.chain([name]) {
            countries.entry(other.to_lowercase()).or_insert(name);
        }
    }
    countries
});

const FILE: &str = include_str!("../packs/en/countries.tsv");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_an_adjective_leads_to_its_country() {
        assert_eq!(country("British"), Some("United Kingdom"));
        assert_eq!(country("the USA"), Some("United States"));
        assert_eq!((country("Georgia"), country("Atlantis")), (country("Georgian"), None));
    }

    #[test]
    fn every_row_can_be_read() {
        for fields in rows(FILE) {
            assert!((1..=3).contains(&fields.len()), "{fields:?}");
            assert!(fields.iter().all(|field| field.trim() == *field), "{fields:?}");
        }
    }
}
