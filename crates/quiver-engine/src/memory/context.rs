//! Contextualising: what pronouns and pointing words of a turn stand for, from the turn itself and the session.

use std::collections::BTreeMap;

use quiver_graph::{Entity, Graph, Passage, Result};

use quiver_language::Language;

use super::{
    focus::{lately, meant},
    irregular,
    known::property,
    lexicon::Wanted,
    remember::Said,
    sentence::TakingBack,
    shape::{Shape, is_identifier},
    statement::{Reading, Statement},
    turn::Fact,
};

/// The predicate of a name that was learnt to be short for another.
const SHORT_FOR: &str = "is short for";

/// The context of a turn.
pub(crate) struct Context<'a> {
    graph: &'a Graph,
    said: &'a Said,
    /// What was spoken of lately, once it was asked for.
    lately: Option<Vec<(Passage, Vec<Entity>)>>,
    /// What the turn itself spoke of until here: subjects, and names after verbs.
    subjects: Vec<String>,
    names: Vec<String>,
    /// The thing that the turn named last.
    last: Option<String>,
    /// What "their hotline" and the like stand for in the turn.
    owned: BTreeMap<String, String>,
    /// The names that are short for others.
    learnt: BTreeMap<String, String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(graph: &'a Graph, said: &'a Said) -> Self {
        Self {
            graph,
            said,
            lately: None,
            subjects: Vec::new(),
            names: Vec::new(),
            last: None,
            owned: BTreeMap::new(),
            learnt: BTreeMap::new(),
        }
    }

    /// Turns what was read into facts that can be understood without the turn.
    pub(crate) async fn contextualise(
        &mut self,
        reading: Reading,
        decisions: &mut Vec<String>,
    ) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        if let Some(taking_back) = reading.taking_back {
            facts.extend(self.taken_back(taking_back, decisions).await?);
        }
        for statement in reading.statements {
            let Statement { subject, mut fact } = statement;
            let said = subject.unwrap_or_else(|| "I".to_owned());
            let Some(subject) = self.stand_for(&said).await? else { continue };
            if subject != said && !matches!(said.to_lowercase().as_str(), "i") {
                decisions.push(format!("“{said}” is {subject}"));
            }
            if fact.object.is_empty() {
                self.subjects.push(subject);
                continue;
            }
            let Some(object) = self.object(&subject, &fact.object).await? else { continue };
            if subject != "we" {
                self.subjects.push(subject.clone());
            }
            if object.contains(char::is_uppercase) {
                self.names.push(object.clone());
            }
            self.last = Some(object.clone());
            fact.subject = subject;
            fact.object = object;
            if fact.subject != fact.object {
                facts.push(fact);
            }
        }
        // What was learnt of names is kept with the sentence that it was learnt from.
        for (name, full) in std::mem::take(&mut self.learnt) {
            decisions.push(format!("“{name}” is {full}"));
            let sentence = Some(self.said.text.clone());
            facts.push(Fact { sentence, ..Fact::new(name, SHORT_FOR, full) });
        }
        Ok(facts)
    }

    /// What an object stands for: what is "its" is the subject's, where that is a thing.
    async fn object(&mut self, subject: &str, object: &str) -> Result<Option<String>> {
        let lower = object.to_lowercase();
        match lower.as_str() {
            // "This fixes that" points at what was spoken of before.
            "this" | "that" | "these" | "those" => {
                return Ok(self.thing().await?.filter(|thing| thing != subject));
            }
            "him" => return self.person(Some(subject)).await,
            _ => {}
        }
        let own = ["its ", "their "].into_iter().find(|own| lower.starts_with(own));
        match own
            .filter(|_| !matches!(subject, "we" | "you") && Some(subject) != self.said.speaker.as_deref())
        {
            Some(own) => Ok(Some(format!("{subject} {}", &object[own.len()..]))),
            None => self.stand_for(object).await,
        }
    }

    /// What a phrase stands for; `None` where it points at nothing known.
    async fn stand_for(&mut self, phrase: &str) -> Result<Option<String>> {
        let lower = phrase.to_lowercase().replace('’', "'");
        let mut words = lower.split(' ');
        let first = words.next().unwrap_or_default();
        let first = first.split('\'').next().unwrap_or(first);
        let rest = phrase.split_once(' ').map(|(_, rest)| rest);
        let speaker = || self.said.speaker.clone().unwrap_or_else(|| "I".to_owned());
        Ok(match (first, rest) {
            ("i" | "me" | "myself", None) => Some(speaker()),
            ("we" | "us" | "let", None) => Some("we".to_owned()),
            ("you", None) => Some(self.addressee().await?),
            ("he" | "she" | "him", None) => self.person(None).await?,
            ("it", None) => self.thing().await?,
            ("they" | "them", None) => self.several().await?,
            (
                "this" | "that" | "these" | "those" | "there" | "here" | "one" | "which" | "who" | "whom"
                | "whose" | "what",
                None,
            ) => None,
            // "And that one runs on Spark": what was named last.
            ("this" | "that", Some("one")) => self.last.clone(),
            ("my", Some(rest)) => Some(format!("{} {rest}", speaker())),
            ("our" | "your", Some(rest)) => Some(rest.to_owned()),
            ("its" | "their" | "his" | "her", Some(rest)) => {
                // Said twice in a turn, it is the same.
                if let Some(owned) = self.owned.get(&lower) {
                    return Ok(Some(owned.clone()));
                }
                let person = if matches!(first, "his" | "her") { self.person(None).await? } else { None };
                let owner = match person {
                    Some(person) => Some(person),
                    None if first == "their" => self.several().await?,
                    None => self.thing().await?,
                };
                let owned = owner.map_or_else(|| rest.to_owned(), |owner| format!("{owner} {rest}"));
                self.owned.insert(lower.clone(), owned.clone());
                Some(owned)
            }
            // "This morning" points at no thing of the session.
            ("this" | "that" | "these" | "those", Some(rest)) if Shape::of(rest) == Shape::Time => {
                Some(phrase.to_owned())
            }
            ("this" | "that" | "these" | "those", Some(rest)) => {
                let noun = rest.to_lowercase();
                self.remember_lately().await?;
                let lately = self.lately.as_deref().unwrap_or_default();
                let own = self
                    .subjects
                    .iter()
                    .chain(&self.names)
                    .rev()
                    .find(|name| name.to_lowercase().contains(&noun));
                Some(
                    own.cloned()
                        .or_else(|| named(&noun, lately))
                        .or_else(|| meant(&noun, lately))
                        .unwrap_or_else(|| rest.to_owned()),
                )
            }
            _ if lower == *phrase && phrase.split(' ').count() <= 2 => {
                let full = self.in_full(phrase).await?;
                Some(if full == *phrase { self.with_capital(phrase).await? } else { full })
            }
            (_, None) if phrase.starts_with(char::is_uppercase) && !is_identifier(phrase) => {
                Some(self.full_name(phrase).await?)
            }
            _ => Some(phrase.to_owned()),
        })
    }

    /// The whole of a name of which one part is said, where it is that of one thing spoken of lately: "Orion" for Orion Labs.
    async fn full_name(&mut self, name: &str) -> Result<String> {
        self.remember_lately().await?;
        let lately: Vec<&String> = self
            .lately
            .iter()
            .flatten()
            .flat_map(|(_, entities)| entities)
            .map(|entity| &entity.name)
            .collect();
        let is_part = |full: &&&String| {
            let words: Vec<&str> = full.split(' ').collect();
            let names = words.iter().all(|word| word.starts_with(char::is_uppercase));
            (2..=3).contains(&words.len())
                && names
                && (words.first() == Some(&name) || words.last() == Some(&name))
        };
        let mut full: Vec<&String> = lately.iter().filter(is_part).copied().collect();
        full.sort();
        full.dedup();
        let known = lately.iter().any(|other| *other == name) || self.said.speaker.as_deref() == Some(name);
        match full.as_slice() {
            [full] if !known => {
                let full = (*full).clone();
                self.learnt.insert(name.to_owned(), full.clone());
                Ok(full)
            }
            _ => Ok(name.to_owned()),
        }
    }

    /// The full name of what a common noun is short for, where one thing alone was spoken of lately that it fits.
    async fn in_full(&mut self, noun: &str) -> Result<String> {
        self.remember_lately().await?;
        let lately = self.lately.iter().flatten().flat_map(|(_, entities)| entities);
        let said = lately.map(|entity| &entity.name).chain(&self.subjects);
        let mut full: Vec<&String> = said.filter(|name| is_a(name, noun)).collect();
        full.sort();
        full.dedup();
        Ok(if let [one] = full.as_slice() { (*one).clone() } else { noun.to_owned() })
    }

    /// A phrase with the capital of its first word, where something spoken of lately has that word as a name: at the
    /// beginning of a sentence the capital says nothing.
    async fn with_capital(&mut self, phrase: &str) -> Result<String> {
        let begins =
            self.said.text.get(..phrase.len()).is_some_and(|start| start.eq_ignore_ascii_case(phrase));
        let (Some(first), true) = (phrase.split(' ').next(), begins) else { return Ok(phrase.to_owned()) };
        self.remember_lately().await?;
        let mut lately = self.lately.iter().flatten().flat_map(|(_, entities)| entities);
        let capital = &self.said.text[..first.len()];
        let is_name = lately.any(|entity| entity.name.split(' ').any(|word| word == capital));
        Ok(if is_name { format!("{capital}{}", &phrase[first.len()..]) } else { phrase.to_owned() })
    }

    async fn remember_lately(&mut self) -> Result<()> {
        if self.lately.is_none() {
            let before = Some(self.said.time);
            let mut lately = lately(self.graph, &self.said.session, before).await?;
            lately.retain(|(turn, _)| turn.position != self.said.number);
            self.lately = Some(lately);
        }
        Ok(())
    }

    /// Who is spoken to: named at the beginning, else who spoke before.
    async fn addressee(&mut self) -> Result<String> {
        if let Some((name, _)) = self.said.text.split_once(", ")
            && !name.contains(' ')
            && name.starts_with(char::is_uppercase)
        {
            return Ok(name.to_owned());
        }
        self.remember_lately().await?;
        let mut lately = self.lately.iter().flatten();
        let before = lately.find_map(|(turn, _)| {
            turn.speaker.clone().filter(|name| self.said.speaker.as_ref() != Some(name))
        });
        Ok(before.unwrap_or_else(|| "you".to_owned()))
    }

    /// The person last spoken of: a name with a capital, and not whoever speaks.
    async fn person(&mut self, but: Option<&str>) -> Result<Option<String>> {
        let others = [self.said.speaker.as_deref(), but];
        let is_person = |name: &&String| {
            !others.contains(&Some(name.as_str())) && Shape::fits(name, Wanted::Person) >= 1.0
        };
        if let Some(name) = self.names.iter().chain(&self.subjects).rev().find(is_person) {
            return Ok(Some(name.clone()));
        }
        self.remember_lately().await?;
        let entities = self.lately.iter().flatten().flat_map(|(_, entities)| entities);
        Ok(entities.map(|entity| &entity.name).find(is_person).cloned())
    }

    /// The thing last spoken of: what the turn, or the one before it, was about.
    async fn thing(&mut self) -> Result<Option<String>> {
        let speaker = self.said.speaker.as_deref();
        let is_thing = |name: &str| Some(name) != speaker && Shape::of(name) != Shape::Time;
        if let Some(name) = self.subjects.iter().rev().find(|name| is_thing(name)) {
            return Ok(Some(name.clone()));
        }
        self.remember_lately().await?;
        let subjects = self.lately.iter().flatten().flat_map(|(turn, entities)| {
            let about = entities.iter().filter(|entity| turn.subjects.contains(&entity.id));
            about
                .filter(|entity| turn.speaker.as_deref() != Some(entity.name.as_str()) && entity.name != "we")
        });
        Ok(subjects.map(|entity| entity.name.clone()).find(|name| is_thing(name)))
    }

    /// What "they" are: a thing that has a number, as a ticket has, is not several, but whoever was named before may be.
    async fn several(&mut self) -> Result<Option<String>> {
        let Some(thing) = self.thing().await? else { return Ok(None) };
        if !thing.split(' ').any(is_identifier) {
            return Ok(Some(thing));
        }
        let lately = || self.lately.iter().flatten();
        let speaks =
            |name: &str| lately().map(|(turn, _)| turn).any(|turn| turn.speaker.as_deref() == Some(name));
        let is_party = |name: &&String| {
            Some(name.as_str()) != self.said.speaker.as_deref()
                && !speaks(name)
                && Shape::fits(name, Wanted::Person) >= 1.0
        };
        let before = lately().flat_map(|(_, entities)| entities).map(|entity| &entity.name);
        let party = self.names.iter().rev().chain(before).find(is_party).cloned();
        Ok(Some(party.unwrap_or(thing)))
    }

    /// What the speaker said last, taken back.
    async fn taken_back(&mut self, how: TakingBack, decisions: &mut Vec<String>) -> Result<Vec<Fact>> {
        self.remember_lately().await?;
        // "Never mind" takes back what its speaker has just said, and answers others otherwise.
        let just =
            self.lately.iter().flatten().next().is_some_and(|(turn, _)| turn.speaker == self.said.speaker);
        if how == TakingBack::IfJustSaid && !just {
            return Ok(Vec::new());
        }
        let last = self
            .lately
            .iter()
            .flatten()
            .find(|(turn, _)| turn.speaker == self.said.speaker && !turn.relations.is_empty());
        let Some((turn, _)) = last else { return Ok(Vec::new()) };
        let relations = self.graph.relations(&turn.relations).await?;
        let end = |relation: &quiver_graph::Relation, key: &str| {
            relation.properties.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
        };
        let facts: Vec<Fact> = relations
            .iter()
            .filter(|relation| !relation.properties.contains_key(property::DENIED))
            .map(|relation| Fact {
                subject: end(relation, property::SUBJECT),
                predicate: relation.predicate.clone(),
                object: end(relation, property::OBJECT),
                denied: true,
                sentence: Some(self.said.text.clone()),
                ..Fact::default()
            })
            .collect();
        decisions.push(format!("takes back what was said in turn {}", turn.position));
        Ok(facts)
    }
}

/// The thing spoken of lately whose name ends in a noun.
fn named(noun: &str, lately: &[(Passage, Vec<Entity>)]) -> Option<String> {
    let entities = lately.iter().flat_map(|(_, entities)| entities);
    let mut fitting = entities.map(|entity| &entity.name);
    fitting.find(|name| name.to_lowercase() == noun || is_a(name, noun)).cloned()
}

/// Whether a name ends in a noun that says what it is: a "tile cache" is a cache, a "director of the archive" no archive.
fn is_a(name: &str, noun: &str) -> bool {
    let lower = name.to_lowercase();
    let before = lower.strip_suffix(noun).and_then(|before| before.strip_suffix(' '));
    // "Reads pressure_daily" is no sort of table.
    let is_verb = |word: &str| word.strip_suffix('s').is_some_and(irregular::is_base_form);
    before.is_some_and(|before| {
        before.split(' ').all(|word| Language::English.class(word).is_none() && !is_verb(word))
    })
}
