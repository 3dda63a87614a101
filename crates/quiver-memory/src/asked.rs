//! Parses questions into typed steps: the named entity, and the relations that lead from it to the answer.

use quiver_language::{
    recall::{self, Recall},
    token::possessor,
};

use crate::relation::{self, RelationKey, agent, base};

/// An end of a relation: its agent or its patient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The one who acts: Ann in "Ann manages Bob".
    Agent,
    /// The one acted upon: Bob in "Ann manages Bob".
    Patient,
}

/// A step from one end of a relation to the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The relation, in the base form of [`RelationKey`].
    pub relation: String,
    /// The end that the step leads to.
    pub asked: End,
}

/// A question as an ordered list of steps from the named entity to the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The entity named in the question.
    pub from: String,
    /// The steps.
    pub steps: Vec<Step>,
    /// The expected type of the answer: "cloud provider" in "which cloud provider".
    pub kind: Option<String>,
}

/// Parses a question into steps. Returns `None` if the question has another form.
pub fn steps(question: &str) -> Option<Steps> {
    let bare = question.trim().trim_end_matches(['?', '.', '!', ' ']);
    let words: Vec<&str> =
        bare.split_whitespace().map(|word| word.trim_matches([',', '"', '“', '”'])).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let text = Words { words: &words, lower: &lower };
    let start =
        (0..words.len().min(4)).find(|at| matches!(&*lower[*at], "who" | "whom" | "what" | "which"))?;
    let (kind, rest) = text.kind(start)?;
    let mut steps = Vec::new();
    let from = text.predicate(rest, words.len(), &mut steps)?;
    (!steps.is_empty() && steps.len() <= 3).then_some(Steps { from, steps, kind })
}

struct Words<'a> {
    words: &'a [&'a str],
    lower: &'a [String],
}

impl Words<'_> {
    fn is(&self, at: usize, any: &[&str]) -> bool {
        self.lower.get(at).is_some_and(|word| any.contains(&word.as_str()))
    }

    fn is_preposition(&self, at: usize) -> bool {
        self.lower.get(at).is_some_and(|word| recall::says(word, Recall::Preposition))
    }

    fn base(&self, at: usize) -> Option<&'static str> {
        base(self.lower.get(at)?)
    }

    fn is_be(&self, at: usize) -> bool {
        self.is(at, &["is", "are", "was", "were", "been"])
    }

    /// Returns the noun after "which" or "what", and the position at which the predicate starts.
    fn kind(&self, start: usize) -> Option<(Option<String>, usize)> {
        let begins = |at: usize| {
            self.is_be(at)
                || self.is(at, &["does", "do", "did", "has", "have"])
                || self
                    .lower
                    .get(at)
                    .is_some_and(|word| relation::is_present(word) || relation::is_past(word))
        };
        let at = (start + 1..self.words.len().min(start + 5)).find(|at| begins(*at)).or_else(|| {
            // "Which services depend on it": a plural subject takes the base form.
            (start + 1..self.words.len().min(start + 5)).find(|at| self.base(*at).is_some())
        })?;
        let kind = self.words[start + 1..at].join(" ");
        Some(((!kind.is_empty()).then_some(kind), at))
    }

    /// Parses a predicate that starts with an auxiliary or a verb and whose subject or object is the answer. Returns
    /// the named entity and appends the steps that start from it.
    fn predicate(&self, at: usize, end: usize, steps: &mut Vec<Step>) -> Option<String> {
        if self.is(at, &["does", "do", "did"]) {
            // "What does Billing depend on", "Who does Bob manage".
            let verb = (at + 2..end).find(|verb| {
                self.base(*verb).is_some_and(|base| base == self.lower[*verb]) && self.ends_after(*verb, end)
            })?;
            let from = self.thing(at + 1, verb, steps)?;
            return self.step(verb, end, End::Patient, steps).then_some(from);
        }
        if self.is_be(at) {
            let mut first = at + 1;
            while self.is(first, &["now", "currently", "still", "the", "a", "an"]) {
                first += 1;
            }
            if self.is(first, &["responsible"]) && self.is(first + 1, &["for"]) {
                let from = self.thing(first + 2, end, steps)?;
                steps.push(Step { relation: "be responsible for".to_owned(), asked: End::Agent });
                return Some(from);
            }
            // "Who is the owner of Billing".
            if let Some(verb) = self.lower.get(first).and_then(|noun| agent(noun))
                && self.is(first + 1, &["of", "for"])
            {
                let from = self.thing(first + 2, end, steps)?;
                steps.push(Step { relation: verb.to_owned(), asked: End::Agent });
                return Some(from);
            }
            // "Who is Billing's owner".
            if let Some(verb) = self.lower.get(end - 1).and_then(|noun| agent(noun))
                && let Some(owner) = self.words.get(end - 2).and_then(|word| possessor(word))
                && end - 2 >= first
            {
                let mut name: Vec<&str> = self.words[first..end - 2].to_vec();
                name.push(owner);
                steps.push(Step { relation: verb.to_owned(), asked: End::Agent });
                return Some(name.join(" "));
            }
            // "What is owned by Mo", "Which services are deployed in X".
            if self.lower.get(first).is_some_and(|word| relation::is_past(word))
                && self.is_preposition(first + 1)
            {
                let verb = self.base(first)?;
                let from = self.thing(first + 2, end, steps)?;
                let by = self.is(first + 1, &["by"]);
                let relation = if by { verb.to_owned() } else { format!("{verb} {}", self.lower[first + 1]) };
                steps.push(Step { relation, asked: if by { End::Patient } else { End::Agent } });
                return Some(from);
            }
            // "Who is Redis run by", "What is Ada assigned to".
            let by = end.checked_sub(1)?;
            if self.is_preposition(by)
                && by > first + 1
                && self.lower.get(by - 1).is_some_and(|word| relation::is_past(word))
            {
                let verb = self.base(by - 1)?;
                let from = self.thing(first, by - 1, steps)?;
                let is_by = self.is(by, &["by"]);
                let relation = if is_by { verb.to_owned() } else { format!("{verb} {}", self.lower[by]) };
                steps.push(Step { relation, asked: if is_by { End::Agent } else { End::Patient } });
                return Some(from);
            }
            return None;
        }
        // "Who manages Bob", "What depends on Ledger".
        let verb = self.base(at)?;
        let with = self.is_preposition(at + 1);
        let first = at + 1 + usize::from(with);
        let from = self.thing(first, end, steps)?;
        let relation = if with { format!("{verb} {}", self.lower[at + 1]) } else { verb.to_owned() };
        steps.push(Step { relation, asked: End::Agent });
        Some(from)
    }

    /// Returns whether only prepositions and time adverbs follow a verb.
    fn ends_after(&self, verb: usize, end: usize) -> bool {
        (verb + 1..end).all(|at| self.is_preposition(at) || self.is(at, &["now", "currently", "today"]))
    }

    fn step(&self, verb: usize, end: usize, asked: End, steps: &mut Vec<Step>) -> bool {
        let Some(base) = self.base(verb) else { return false };
        let preposition =
            (verb + 1 < end && self.is_preposition(verb + 1)).then(|| self.lower[verb + 1].as_str());
        let relation =
            preposition.map_or_else(|| base.to_owned(), |preposition| format!("{base} {preposition}"));
        steps.push(Step { relation, asked });
        true
    }

    /// Parses a name, or a clause that describes an entity. The steps of a clause are appended first.
    fn thing(&self, start: usize, end: usize, steps: &mut Vec<Step>) -> Option<String> {
        if start >= end {
            return None;
        }
        let mut first = start;
        while first < end && self.is(first, &["the", "a", "an", "our", "now", "currently"]) {
            first += 1;
        }
        // "the owner of Billing".
        if let Some(verb) = self.lower.get(first).and_then(|noun| agent(noun))
            && self.is(first + 1, &["of", "for"])
        {
            let from = self.thing(first + 2, end, steps)?;
            steps.push(Step { relation: verb.to_owned(), asked: End::Agent });
            return Some(from);
        }
        // "what Billing depends on", "what depends on Ledger", "the service that Billing depends on".
        let relative = (first..end)
            .find(|at| self.is(*at, &["what", "that", "which", "who", "whom", "whoever", "whatever"]));
        if let Some(relative) = relative {
            if relative + 1 >= end {
                return None;
            }
            // If a verb follows the pronoun, the pronoun is its subject.
            let word = &self.lower[relative + 1];
            if self.is_be(relative + 1) || relation::is_present(word) {
                return self.predicate(relative + 1, end, steps);
            }
            return self.clause(relative + 1, end, steps);
        }
        // "the service Billing depends on": a name inside the phrase and a verb at its end.
        if first > start && end - first > 2 && self.base_at_end(end).is_some_and(|verb| verb > first + 1) {
            let name = (first + 1..end).find(|at| self.words[*at].starts_with(char::is_uppercase))?;
            return self.clause(name, end, steps);
        }
        let name = self.words[first..end].join(" ");
        // A verb inside the phrase means that it is a clause of an unsupported form.
        let verb = (first..end).any(|at| {
            self.is_be(at) || (self.lower[at] == self.words[at] && relation::is_present(&self.lower[at]))
        });
        (!verb && !name.is_empty()).then_some(name)
    }

    /// Parses "Billing depends on", whose object is the answer.
    fn clause(&self, start: usize, end: usize, steps: &mut Vec<Step>) -> Option<String> {
        let verb = self.base_at_end(end)?;
        let passive = verb.checked_sub(1).is_some_and(|at| self.is_be(at));
        let last = if passive { verb - 1 } else { verb };
        let from = self.thing(start, last, steps)?;
        if passive && self.is(verb + 1, &["by"]) {
            steps.push(Step { relation: self.base(verb)?.to_owned(), asked: End::Agent });
            return Some(from);
        }
        self.step(verb, end, End::Patient, steps).then_some(from)
    }

    /// Returns the position of the verb at the end of a clause, which a preposition may follow.
    fn base_at_end(&self, end: usize) -> Option<usize> {
        let last = end.checked_sub(1)?;
        let verb = if self.is_preposition(last) { last.checked_sub(1)? } else { last };
        self.base(verb).map(|_| verb)
    }
}

/// A fact as an edge between two names.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The relation and its direction.
    pub key: RelationKey,
    /// The subject of the fact.
    pub subject: String,
    /// The object of the fact.
    pub object: String,
}

impl Edge {
    /// Returns the name at an end.
    pub fn at(&self, end: End) -> &str {
        if (end == End::Agent) == self.key.inverted { &self.object } else { &self.subject }
    }
}

impl End {
    /// Returns the opposite end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Agent => Self::Patient,
            Self::Patient => Self::Agent,
        }
    }
}

/// Follows the steps along the facts. Returns every path that reaches the end, as positions in `edges`. If a step
/// finds no fact, the result is empty. `same` decides whether two names refer to the same entity.
pub fn follow(steps: &Steps, edges: &[Edge], same: &dyn Fn(&str, &str) -> bool) -> Vec<Vec<usize>> {
    let mut paths: Vec<(Vec<usize>, String)> = vec![(Vec::new(), steps.from.clone())];
    for step in &steps.steps {
        let mut next: Vec<(Vec<usize>, String)> = Vec::new();
        for (path, name) in &paths {
            for (at, edge) in edges.iter().enumerate() {
                let given = edge.at(step.asked.other());
                if edge.key.base == step.relation && !path.contains(&at) && same(name, given) {
                    let mut path = path.clone();
                    path.push(at);
                    next.push((path, edge.at(step.asked).to_owned()));
                }
            }
        }
        paths = next;
    }
    paths.into_iter().map(|(path, _)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(question: &str) -> Option<String> {
        let Steps { from, steps, kind } = steps(question)?;
        let steps: Vec<String> = steps
            .iter()
            .map(|step| format!("{} {}", if step.asked == End::Agent { "←" } else { "→" }, step.relation))
            .collect();
        let kind = kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
        Some(format!("{from} {}{kind}", steps.join(" ")))
    }

    #[test]
    fn questions_are_steps_in_their_order() {
        for (question, expect) in [
            ("Who manages Bob?", Some("Bob ← manage")),
            ("Who does Bob manage?", Some("Bob → manage")),
            ("Who is Bob managed by?", Some("Bob ← manage")),
            ("Who is the manager of Bob?", Some("Bob ← manage")),
            ("Who is Bob's manager?", Some("Bob ← manage")),
            ("What is owned by Mo?", Some("Mo → own")),
            ("What feeds Revenue?", Some("Revenue ← feed")),
            ("What does Revenue feed?", Some("Revenue → feed")),
            ("What does Billing depend on?", Some("Billing → depend on")),
            ("Who owns what Billing depends on?", Some("Billing → depend on ← own")),
            ("Who owns what depends on Ledger?", Some("Ledger ← depend on ← own")),
            ("Who owns the service that Billing depends on?", Some("Billing → depend on ← own")),
            ("Who owns the service Billing depends on?", Some("Billing → depend on ← own")),
            ("Who manages the owner of Billing?", Some("Billing ← own ← manage")),
            ("Who is the manager of the person who owns Billing?", Some("Billing ← own ← manage")),
            ("What is Agent Implementer assigned to?", Some("Agent Implementer → assign to")),
            ("Which services are deployed in Oslo?", Some("Oslo ← deploy in (services)")),
            ("Which cloud provider do we use?", Some("we → use (cloud provider)")),
            ("Which storage does Project Alpha use?", Some("Project Alpha → use (storage)")),
            ("Who is responsible for the ferry?", Some("ferry ← be responsible for")),
            ("Why is the sky blue?", None),
            ("When did Ada leave?", None),
            ("What is the colour of the crane?", None),
        ] {
            assert_eq!(read(question).as_deref(), expect, "{question}");
        }
    }

    #[test]
    fn steps_are_followed_in_their_direction() {
        let edge = |subject: &str, predicate: &str, object: &str| Edge {
            key: relation::key(predicate),
            subject: subject.to_owned(),
            object: object.to_owned(),
        };
        let edges = [
            edge("Billing", "DEPENDS_ON", "Ledger"),
            edge("Team Fox", "OWNS", "Billing"),
            edge("Ledger", "is owned by", "Team Owl"),
        ];
        let follow = |question: &str| follow(&steps(question).expect("steps"), &edges, &|a, b| a == b);
        assert_eq!(follow("Who owns what Billing depends on?"), [[0, 2]]);
        assert_eq!(follow("Who owns what depends on Ledger?"), [[0, 1]]);
        assert_eq!(follow("Who owns Billing?"), [[1]]);
        assert!(follow("What does Ledger depend on?").is_empty());
    }
}
