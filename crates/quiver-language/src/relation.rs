//! Verbs that relate two things, and the nouns for who does what they say: "manage", "lead"; and words that say the same
//! relation.

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

/// Words that say the same relation or near to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationGroup {
    /// Words in base form, of which all forms belong to the group.
    pub words: Vec<&'static str>,
    /// Forms that belong to no other group by their stem: "found", which is the past of "find".
    pub forms: Vec<&'static str>,
}

/// Returns the groups of English words that say the same relation.
pub fn relation_groups() -> impl Iterator<Item = RelationGroup> {
    let words = |field: Option<&&'static str>| field.into_iter().flat_map(|words| words.split(' ')).collect();
    rows(GROUPS)
        .map(move |fields| RelationGroup { words: words(fields.first()), forms: words(fields.get(1)) })
}

const FILE: &str = include_str!("../packs/en/relations.tsv");
const GROUPS: &str = include_str!("../packs/en/relation-groups.tsv");

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_group_has_words_and_may_have_forms_of_its_own() {
        let is_of = |group: &RelationGroup| group.words.contains(&"locate") && group.forms.contains(&"found");
        assert!(relation_groups().any(|group| is_of(&group)));
        for group in relation_groups() {
            assert!(!group.words.is_empty() && !group.words.contains(&""), "{group:?}");
            assert!(!group.forms.contains(&""), "{group:?}");
        }
    }

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
