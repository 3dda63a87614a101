//! Verbs that relate two things, and the nouns for who does what they say: "manage", "lead".

use crate::pack::rows;

/// A verb that relates two things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationalVerb {
    /// The base form.
    pub base: &'static str,
    /// The past and the participle, if they are irregular.
    pub irregular: Vec<&'static str>,
    /// Whether it states a fact between a subject and an object by itself: "Ann manages Bob".
    pub is_transitive: bool,
}

/// Returns the English verbs that relate two things.
pub fn relational_verbs() -> impl Iterator<Item = RelationalVerb> {
    rows(FILE).filter(|fields| fields[0] != "agent").flat_map(|fields| {
        let irregular: Vec<&str> = fields.get(2).into_iter().flat_map(|forms| forms.split(' ')).collect();
        let is_transitive = fields[0] == "transitive";
        let bases = fields[1].split(' ');
        bases.map(move |base| RelationalVerb { base, irregular: irregular.clone(), is_transitive })
    })
}

/// Returns the English nouns for the agent of a relational verb that are not formed with "-er" or "-or", each with the
/// base form of its verb: "boss" with "manage".
pub fn irregular_agents() -> impl Iterator<Item = (&'static str, &'static str)> {
    rows(FILE).filter(|fields| fields[0] == "agent").flat_map(|fields| {
        let verb = fields[1];
        fields[2].split(' ').map(move |noun| (noun, verb))
    })
}

const FILE: &str = include_str!("../packs/en/relations.tsv");

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_can_be_read_and_no_verb_stands_twice() {
        for fields in rows(FILE) {
            assert!(matches!(fields[0], "transitive" | "other" | "agent"), "{fields:?}");
            assert!(fields.len() == 2 || fields.len() == 3 && !fields[1].contains(' '), "{fields:?}");
        }
        let mut seen = HashSet::new();
        assert!(
            relational_verbs().all(|verb| seen.insert(verb.base) && [0, 2].contains(&verb.irregular.len()))
        );
        assert!(irregular_agents().all(|(_, verb)| seen.contains(verb)));
    }
}
