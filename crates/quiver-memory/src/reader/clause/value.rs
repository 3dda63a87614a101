//! Attributes and values: "the budget of Apollo is 90,000 euros", "has a key to the boathouse", "has gone up to 4.60 euros".

use quiver_language::{
    change::{self, Change},
    statement::{Statement, says},
    token::possessor,
};

use crate::{
    calendar::{is_month, weekday_named},
    reader::{ReadFact, fact, life::is_person},
    relation::is_participle,
    when,
};

use super::Clause;

impl Clause<'_> {
    fn after_article(&self, at: usize) -> usize {
        at + usize::from(self.words.get(at).is_some_and(|word| word.is(&["a", "an", "the"])))
    }

    /// "has priority high", "has a budget of 90,000 euros".
    pub(super) fn having(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let determined = self.after_article(at);
        let (attribute, next) = self.attribute(determined)?;
        let of = next + usize::from(self.lower(next) == "of");
        if determined > at && of == next {
            return None;
        }
        let on_scale = || {
            let noun = attribute.rsplit(' ').next().unwrap_or_default();
            (end == of + 1 && change::says(noun, Change::Scale)).then(|| self.phrase(of, end)).flatten()
        };
        let value = self.value(of, end).or_else(on_scale)?;
        Some(vec![fact(subject, &format!("has {attribute}"), &value)])
    }

    /// "A key to the boathouse", "access to the vault": what somebody has leads to a thing.
    pub(super) fn holding(&self, subject: &str, at: usize, end: usize) -> Option<ReadFact> {
        let noun = self.after_article(at);
        let lower = self.lower(noun);
        let is_noun = self.words.get(noun).is_some_and(|word| !word.is_marked())
            && !is_participle(&lower)
            && !says(&lower, Statement::Vague)
            && !self.words[0].is(&["i", "we"]);
        let thing =
            (is_noun && self.lower(noun + 1) == "to").then(|| self.object(noun + 2, end)).flatten()?;
        Some(fact(subject, &format!("has {lower} to"), &thing))
    }

    /// The position of "to" after a verb that moves along a scale: "gone up to", "risen to".
    pub(super) fn rises_to(&self, at: usize) -> Option<usize> {
        let moves = matches!(
            self.lower(at).as_str(),
            "gone" | "risen" | "fallen" | "dropped" | "increased" | "decreased" | "climbed" | "come"
        );
        let to = at + 1 + usize::from(matches!(self.lower(at + 1).as_str(), "up" | "down"));
        (moves && self.lower(to) == "to").then_some(to)
    }

    /// "The price of the loaf has gone up to 4.60 euros".
    pub(super) fn risen(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let to = self.rises_to(at)?;
        let value = self.amount(to + 1, end)?;
        let said = self.text(at, to + 1).to_lowercase();
        Some(vec![ReadFact { change: Some(said.clone()), ..fact(subject, &format!("has {said}"), &value) }])
    }

    pub(super) fn attribute(&self, at: usize) -> Option<(String, usize)> {
        let two = format!("{} {}", self.lower(at), self.lower(at + 1));
        // "Speed limit" is a limit.
        let is_limit = || {
            let plain = self.words.get(at).is_some_and(|word| !word.is_marked());
            plain
                && !says(&self.lower(at), Statement::Vague)
                && says(&self.lower(at + 1), Statement::Attribute)
        };
        if says(&two, Statement::Attribute) || is_limit() {
            return Some((two, at + 2));
        }
        let one = self.lower(at);
        let is_numbered = || {
            self.words[..at]
                .iter()
                .rev()
                .skip(1)
                .any(|word| word.text.ends_with(|c: char| c.is_ascii_digit()))
        };
        // "Slope 14 has hazard moderate".
        let is_own = || at + 2 == self.words.len() && self.states(at) && !one.ends_with('s') && is_numbered();
        (says(&one, Statement::Attribute) || is_own()).then_some((one, at + 1))
    }

    /// Reads a sentence whose subject is an attribute: "the budget of Apollo", "Apollo's owner", "the deadline for
    /// the report".
    pub(super) fn attribute_is(&self, value_at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let verb = (1..value_at).rev().find(|at| self.words[*at].is(&["is", "are"]))?;
        let the = usize::from(self.words[0].is(&["the"]));
        let (thing, attribute) = if let Some((attribute, next)) = self.attribute(the)
            && the == 1
            && matches!(self.lower(next).as_str(), "of" | "for")
        {
            (self.object(next + 1, verb)?, attribute)
        } else {
            let owner = (0..verb).find(|at| possessor(self.words[*at].text).is_some())?;
            let (attribute, next) = self.attribute(owner + 1)?;
            if next != verb || !self.words[owner].is_marked() {
                return None;
            }
            let text = self.text(the, owner + 1);
            (text.trim_end_matches("'s").trim_end_matches("’s").to_owned(), attribute)
        };
        // "Mary's birthday is coming" gives no date.
        let is_coming = |value: &String| value.ends_with("ing") && !says(value, Statement::Status);
        let value = self.value(value_at, end).filter(|value| !is_coming(value))?;
        let mut fact = fact(&thing, &format!("has {attribute}"), &value);
        // "The new chair of the committee is Ms. Balogun".
        if let Some(attribute) = attribute.strip_prefix("new ") {
            fact.predicate = format!("has {attribute}");
            fact.change = Some("new".to_owned());
        }
        Some(vec![fact])
    }

    /// "Kamila's secretary is Yusuf Tan": who is what to somebody.
    pub(super) fn role_is(&self, name_at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let verb = (1..name_at).rev().find(|at| self.words[*at].is(&["is"]))?;
        let owner = (0..verb).find(|at| possessor(self.words[*at].text).is_some())?;
        let is_plain = (owner + 1..verb).all(|at| !self.words[at].is_marked());
        let is_role = verb.checked_sub(1).is_some_and(|noun| is_person(&self.lower(noun)));
        let is_name = (name_at..end).all(|at| self.words[at].text.starts_with(char::is_uppercase));
        let is_short = (owner + 2..owner + 4).contains(&verb);
        let is_of_named = self.words[owner].is_marked() && is_short && is_plain && is_role && is_name;
        if !is_of_named {
            return None;
        }
        let name = self.object(name_at, end)?;
        let text = self.text(0, owner + 1);
        let owner_name = text.trim_end_matches("'s").trim_end_matches("’s");
        Some(vec![fact(owner_name, &format!("has {}", self.text(owner + 1, verb).to_lowercase()), &name)])
    }

    /// Returns a value: an amount, a date, a name, or a short phrase that is not an evaluation.
    pub(super) fn value(&self, start: usize, end: usize) -> Option<String> {
        if start >= end {
            return None;
        }
        let first = self.after_article(start);
        if let Some(value) = self.amount(first, end).or_else(|| self.date(first, end)) {
            return Some(value);
        }
        let phrase = self.phrase(first, end)?;
        let evaluates = (first..end).any(|at| self.words[at].is_of(Statement::Evaluating));
        (end - first <= 4 && !evaluates).then_some(phrase)
    }

    /// Returns a number with its unit.
    pub(super) fn amount(&self, start: usize, end: usize) -> Option<String> {
        if start >= end || end - start > 4 {
            return None;
        }
        let text = self.text(start, end);
        let first = self.words[start].text.trim_start_matches(['$', '€', '£', '+', '-']);
        let number = first.starts_with(|c: char| c.is_ascii_digit());
        let rest = self.words[start + 1..end].iter().all(|word| {
            !word.is_of(Statement::Vague)
                && !word.is(&["and", "of", "in", "on", "for", "from", "at", "people"])
                || word.is(&["per"])
        });
        (number && rest).then_some(text)
    }

    /// Returns a date or a time of day.
    pub(super) fn date(&self, start: usize, end: usize) -> Option<String> {
        if start >= end {
            return None;
        }
        let first = start + usize::from(self.words[start].is(&["the"]));
        let lower: Vec<String> = (first..end).map(|at| self.lower(at)).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let is_clock = matches!(lower.as_slice(), [time] | [time, "utc" | "cet" | "gmt" | "am" | "pm"] if time.contains(':') && time.starts_with(|c: char| c.is_ascii_digit()));
        let is_day_or_month =
            matches!(lower.as_slice(), [day] if weekday_named(day).is_some() || is_month(day));
        let named = when::stated(&lower, self.turn.time).is_some();
        (named || is_clock || is_day_or_month).then(|| self.text(start, end))
    }
}
