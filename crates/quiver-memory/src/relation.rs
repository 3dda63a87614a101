//! Relations whatever the voice: "Ann manages Bob", "Bob is managed by Ann", "Ann is the manager of Bob" and "Bob's
//! manager is Ann" are one relation from Ann to Bob.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Verbs that relate who does something to what it is done to: base, third person, past, participle. One that is
/// regular stands alone.
const VERBS: &[&str] = &[
    "own",
    "manage",
    "maintain",
    "operate",
    "handle",
    "administer",
    "supervise",
    "review",
    "approve",
    "fund",
    "sponsor",
    "supply",
    "host",
    "monitor",
    "direct",
    "chair",
    "coordinate",
    "employ",
    "use",
    "require",
    "call",
    "consume",
    "replace",
    "block",
    "extend",
    "import",
    "contain",
    "store",
    "produce",
    "export",
    "serve",
    "cover",
    "support",
    "test",
    "design",
    "develop",
    "implement",
    "audit",
    "moderate",
    "organise",
    "organize",
    "publish",
    "create",
    "acquire",
    "appoint",
    "curate",
    "edit",
    "translate",
    "license",
    "deploy",
    "release",
    "invent",
    "discover",
    "compose",
    "found",
    "head",
    "assign",
    "depend",
    "rely",
    "report",
    "belong",
    "connect",
    "listen",
    "work",
    "live",
    "base",
    "locate",
    "schedule",
    "plan",
    "reassign",
    "move",
    "migrate",
    "join",
    "start",
    "open",
    "close",
    "end",
    "expire",
    "launch",
    "ship",
    "cost",
    "need",
    "mentor",
    "represent",
    "guard",
    "inspect",
    "ratify",
    "sign",
    "reject",
    "repair",
    "install",
    "configure",
    "provision",
    "treat",
    "train",
    "feature",
    "rent",
    "lease",
    "lead led led",
    "run ran run",
    "write wrote written",
    "build built built",
    "take took taken",
    "teach taught taught",
    "oversee oversaw overseen",
    "feed fed fed",
    "hold held held",
    "make made made",
    "buy bought bought",
    "sell sold sold",
    "choose chose chosen",
    "keep kept kept",
    "send sent sent",
    "read read read",
    "begin began begun",
    "give gave given",
    "drive drove driven",
    "win won won",
    "provide provided provided",
    "bring brought brought",
    "sit sat sat",
    "lie lay lain",
];

/// Nouns for who does something, with the verb, where the noun is not the verb and "-er" or "-or".
const AGENTS: &[(&str, &str)] = &[
    ("lead", "lead"),
    ("head", "head"),
    ("chair", "chair"),
    ("host", "host"),
    ("author", "write"),
    ("boss", "manage"),
    ("sponsor", "sponsor"),
    ("mentor", "mentor"),
    ("administrator", "administer"),
    ("admin", "administer"),
    ("assignee", "assign"),
];

/// A relation: what is said, and whether the subject of the sentence is the one that it is done to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelationKey {
    /// The verb in its base form with its preposition, or the words as they are.
    pub base: String,
    /// Whether subject and object stand the other way round: "is managed by", "has owner".
    pub inverted: bool,
}

/// The bases of verbs by their forms.
static FORMS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut forms = HashMap::new();
    for verb in VERBS {
        let mut parts = verb.split(' ');
        let base = parts.next().unwrap_or_default();
        let irregular: Vec<&str> = parts.collect();
        forms.insert(base.to_owned(), base);
        forms.insert(third_person(base), base);
        forms.insert(gerund(base), base);
        if irregular.is_empty() {
            forms.insert(past(base), base);
        }
        for form in irregular {
            forms.insert(form.to_owned(), base);
        }
    }
    forms
});

fn third_person(base: &str) -> String {
    match base {
        base if base.ends_with(['s', 'x', 'z']) || base.ends_with("ch") || base.ends_with("sh") => {
            format!("{base}es")
        }
        base => match base.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
            _ => format!("{base}s"),
        },
    }
}

fn past(base: &str) -> String {
    if base.ends_with('e') {
        return format!("{base}d");
    }
    match base.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ied"),
        _ if matches!(base, "ship" | "plan" | "submit") => format!("{base}{}ed", &base[base.len() - 1..]),
        _ => format!("{base}ed"),
    }
}

fn gerund(base: &str) -> String {
    match base {
        "run" | "plan" | "ship" | "sit" | "win" => format!("{base}{}ing", &base[base.len() - 1..]),
        base => format!("{}ing", base.strip_suffix('e').filter(|stem| !stem.ends_with('e')).unwrap_or(base)),
    }
}

/// The base form of a verb of relation, from any of its forms.
pub fn base(word: &str) -> Option<&'static str> {
    FORMS.get(word).copied()
}

/// Whether a word is the present of a verb of relation, as a name in the singular takes it: "owns".
pub fn is_present(word: &str) -> bool {
    base(word).is_some_and(|base| third_person(base) == word)
}

/// Whether a word is the past or the participle of a verb of relation.
pub fn is_past(word: &str) -> bool {
    base(word).is_some_and(|base| base != word && third_person(base) != word && gerund(base) != word)
        || matches!(word, "run" | "read")
}

/// The verb that a noun for who does it comes from: "owner", "manager", "lead".
pub fn agent(noun: &str) -> Option<&'static str> {
    if let Some((_, verb)) = AGENTS.iter().find(|(agent, _)| *agent == noun) {
        return FORMS.get(*verb).copied();
    }
    let stem = noun.strip_suffix("er").or_else(|| noun.strip_suffix("or"))?;
    let doubled = stem
        .strip_suffix(|c: char| c.is_ascii_alphabetic())
        .filter(|short| short.chars().last() == stem.chars().last());
    [stem.to_owned(), format!("{stem}e")]
        .iter()
        .map(String::as_str)
        .chain(doubled)
        .find_map(|base| FORMS.get(base).copied().filter(|known| *known == base))
}

/// Words of a predicate that say nothing of the relation.
const AUXILIARIES: &[&str] = &[
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "being",
    "am",
    "has",
    "have",
    "had",
    "does",
    "do",
    "did",
    "will",
    "the",
    "a",
    "an",
    "now",
    "currently",
    "still",
    "also",
    "officially",
];

/// The relation that a predicate says: "is managed by", `MANAGED_BY`, "manages", "is the manager of", "has manager".
pub fn key(predicate: &str) -> RelationKey {
    let words = words(predicate);
    let said: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !AUXILIARIES.contains(word)).collect();
    let key = |base: &str, rest: &[&str], inverted| {
        // What is assigned again is assigned.
        let base = if base == "reassign" { "assign" } else { base };
        let rest = rest.iter().map(|word| format!(" {word}")).collect::<String>();
        RelationKey { base: format!("{base}{rest}"), inverted }
    };
    match said.as_slice() {
        [] => key(&words.join(" "), &[], false),
        [noun, "of" | "for"] if agent(noun).is_some() => key(agent(noun).unwrap_or(noun), &[], false),
        ["responsible", "for"] | ["charge", "of"] | ["in", "charge", "of"] => {
            key("be responsible for", &[], false)
        }
        [verb, "by"] if base(verb).is_some() => key(base(verb).unwrap_or(verb), &[], true),
        [noun] if agent(noun).is_some() && !is_present(noun) && base(noun) != Some(noun) => {
            key(agent(noun).unwrap_or(noun), &[], true)
        }
        [verb, rest @ ..] => match base(verb) {
            Some(base) => key(base, rest, false),
            None => key(verb, rest, false),
        },
    }
}

/// The words of a predicate in lower case, `DEPENDS_ON` and `dependsOn` split.
pub fn words(predicate: &str) -> Vec<String> {
    let mut split = String::with_capacity(predicate.len() + 4);
    let mut before_small = false;
    for c in predicate.chars() {
        if c == '_' || c == '-' {
            split.push(' ');
        } else {
            if c.is_uppercase() && before_small {
                split.push(' ');
            }
            split.extend(c.to_lowercase());
        }
        before_small = c.is_lowercase();
    }
    split.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voices_and_nouns_are_one_relation() {
        for (predicate, base, inverted) in [
            ("manages", "manage", false),
            ("is managed by", "manage", true),
            ("MANAGED_BY", "manage", true),
            ("is the manager of", "manage", false),
            ("has manager", "manage", true),
            ("owner", "own", true),
            ("is run by", "run", true),
            ("runs", "run", false),
            ("runs on", "run on", false),
            ("DEPENDS_ON", "depend on", false),
            ("reports to", "report to", false),
            ("is the lead of", "lead", false),
            ("is in charge of", "be responsible for", false),
            ("has author", "write", true),
            ("was written by", "write", true),
            ("colour", "colour", false),
            ("feeds", "feed", false),
        ] {
            let expect = RelationKey { base: base.to_owned(), inverted };
            assert_eq!(key(predicate), expect, "{predicate}");
        }
    }
}
