//! The focus of a session: candidate referents for the next question.

use super::{
    exchange::{Exchange, Referent},
    lexicon::Sort,
    link::{bare, name_words, same},
    referable::{is_referable, is_thing},
    said::Said,
    topic::{Number, Topic, topics},
};

/// Maximum distance in turns of a referent.
const TURNS_BACK: usize = 8;
/// Maximum number of candidates.
const CANDIDATES_MAX: usize = 12;
/// Salience decays by this factor per turn.
const DECAY: f32 = 0.72;
/// Salience of an entity by its role in a turn: asked about, named in the answer, near the answer.
const ASKED: f32 = 1.0;
const ANSWERED: f32 = 0.85;
const NEARBY: f32 = 0.4;
/// Salience of a circumstance in a question: "in a bowl".
const CIRCUMSTANCE: f32 = 0.7;
/// Decrease in salience for each further entity with the same role.
const STEP: f32 = 0.05;
/// The same for phrases in a question that are not entities: the subject is much more salient than the
/// object.
const STEP_WORDS: f32 = 0.3;
/// Bonus for a topic shared by two questions.
const CONTINUES: f32 = 0.15;
/// Salience of an entity named earlier in the same question, higher than that of any entity from earlier
/// turns.
pub(crate) const SAME_QUESTION: f32 = 2.0;

/// Reason for a candidate that the question names.
pub(crate) const ASKED_ABOUT: &str = "asked about";
/// Reason for a candidate that the answer names.
pub(crate) const IN_ANSWER: &str = "named in the answer";
/// Reason for a candidate in the best sentence when there was no answer.
pub(crate) const FOUND: &str = "named in what was found";
/// Reason for a candidate that is only in the passage around the answer.
pub(crate) const BESIDE: &str = "named beside the answer";

/// A candidate referent.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) referent: Referent,
    /// Its salience.
    pub(crate) salience: f32,
    /// The reason.
    pub(crate) because: &'static str,
    /// The number of turns since the mention that gives it this salience.
    pub(crate) ago: usize,
    /// Whether the last two questions mention it.
    pub(crate) continues: bool,
    /// The phrase for it in the latest question that mentions it.
    pub(crate) topic: Option<Topic>,
}

impl Candidate {
    /// Whether it is only a phrase from a question, not an entity.
    pub(crate) fn is_words(&self) -> bool {
        self.topic.is_some() && self.referent.entity.is_none()
    }

    /// Whether the question that mentions it shows that it is not a person.
    pub(crate) fn is_thing(&self) -> bool {
        self.topic.as_ref().is_some_and(|topic| topic.is_thing)
    }

    /// Whether the question that mentions it speaks of one certain thing: "the office".
    pub(crate) fn is_one(&self) -> bool {
        self.topic.as_ref().is_some_and(|topic| topic.number == Number::One && !topic.is_indefinite)
    }

    /// The text that replaces a pronoun of this kind; `None` if they disagree in number.
    pub(crate) fn written(&self, sort: Sort) -> Option<String> {
        let Some(topic) = &self.topic else { return Some(self.referent.name.clone()) };
        let is_several = sort == Sort::Several;
        match topic.number {
            Number::Many if !is_several && sort != Sort::Place => return None,
            Number::One | Number::Many if is_several => {
                return topic.several().or_else(|| topic.one_as_several());
            }
            _ => {}
        }
        // Write a name as the documents do, a phrase as the question does.
        let is_phrase = topic.words != topic.bare || self.referent.entity.is_none();
        Some(if is_phrase { topic.words.clone() } else { self.referent.name.clone() })
    }
}

/// The entities and topics of the latest turns, most salient first.
pub(crate) fn candidates(exchanges: &[Exchange]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut decay = 1.0;
    for (ago, exchange) in exchanges.iter().rev().take(TURNS_BACK).enumerate() {
        let answered = |list: &[Referent]| -> Vec<(Referent, Option<Topic>)> {
            let things = list.iter().filter(|referent| is_thing(&referent.name));
            things.map(|referent| (referent.clone(), None)).collect()
        };
        let parts = [
            (asked(exchange), ASKED, ASKED_ABOUT),
            (
                answered(&exchange.answered),
                ANSWERED,
                if exchange.answer.is_some() { IN_ANSWER } else { FOUND },
            ),
            (answered(&exchange.listed), NEARBY, "listed"),
            (answered(&exchange.nearby), NEARBY, BESIDE),
        ];
        for (referents, salience, because) in parts {
            for (place, (referent, topic)) in referents.into_iter().enumerate() {
                // "Anti" in an answer about "Anti Evil Maid".
                let is_part =
                    |known: &Candidate| known.topic.as_ref().is_some_and(|topic| holds(topic, &referent));
                if because != ASKED_ABOUT && found.iter().any(is_part) {
                    continue;
                }
                let central = topic.as_ref().is_none_or(|topic| topic.is_central || topic.is_agent);
                let is_words = topic.is_some() && referent.entity.is_none();
                let salience = if central { salience } else { CIRCUMSTANCE };
                let step = if is_words { STEP_WORDS } else { STEP };
                let salience = (salience - step * place as f32).max(STEP) * decay;
                let Some(known) = found.iter_mut().find(|known| same(&known.referent.name, &referent.name))
                else {
                    found.push(Candidate { referent, salience, because, ago, continues: false, topic });
                    continue;
                };
                if topic.is_some() && (known.ago, ago) == (0, 1) && known.because == because {
                    known.salience += CONTINUES;
                    known.continues = true;
                }
                if let (Some(known), Some(topic)) = (&mut known.topic, &topic) {
                    known.is_thing |= topic.is_thing;
                }
                let is_better = |topic: &Topic| {
                    known.topic.as_ref().is_none_or(|known| !known.is_referent && topic.is_referent)
                };
                if topic.as_ref().is_some_and(is_better) {
                    (known.topic, known.because, known.ago) = (topic, because, ago);
                }
                if known.salience < salience {
                    (known.salience, known.because, known.ago) = (salience, because, ago);
                }
            }
        }
        decay *= DECAY;
    }
    found.sort_by(|a, b| {
        b.salience.total_cmp(&a.salience).then_with(|| a.referent.name.cmp(&b.referent.name))
    });
    found.truncate(CANDIDATES_MAX);
    found
}

/// The subjects of a question: the entities it names, each with its phrase, and other topics. An entity whose
/// name is only part of a phrase is not the subject: "certificate" in "a short-lived certificate".
fn asked(exchange: &Exchange) -> Vec<(Referent, Option<Topic>)> {
    let said = Said::of_question(&exchange.standalone);
    let names: Vec<&str> = exchange.asked.iter().map(|referent| referent.name.as_str()).collect();
    // If the session asked a clarifying question or left a reference open, the subject is unknown.
    let mut topics =
        if exchange.asks.is_some() || is_open(exchange) { Vec::new() } else { topics(&said, &names) };
    let mut asked = Vec::new();
    // A question that was left as it is, such as "Price per night?", does not change the subject.
    let is_told = |referent: &&Referent| !is_open(exchange) || referent.name.contains(char::is_uppercase);
    for referent in exchange.asked.iter().filter(is_told).filter(|referent| is_referable(&referent.name)) {
        let own = bare(&referent.name);
        let topic = match topics.iter().position(|topic| bare(&topic.bare) == own) {
            Some(at) => Some(topics.remove(at)),
            None => match topics.iter().position(|topic| holds(topic, referent)) {
                // "The film Winter Ferry": the name is the subject of the phrase.
                Some(at) if is_apposition(&said, &topics[at], referent) => {
                    let name = referent.name.clone();
                    Some(Topic { words: name.clone(), bare: name, ..topics.remove(at) })
                }
                Some(_) => continue,
                // "Password hashing" is not the page "Password Hashing Algorithms".
                None if !is_said(&said, referent) => continue,
                None => None,
            },
        };
        asked.push((referent.clone(), topic));
    }
    for topic in topics.into_iter().filter(|topic| is_referable(&topic.bare)) {
        asked.push((Referent { name: topic.bare.clone(), entity: None }, Some(topic)));
    }
    asked.sort_by_key(|(_, topic)| topic.as_ref().is_some_and(|topic| !topic.is_central));
    asked
}

/// Whether a phrase contains the name of an entity and other words.
fn holds(topic: &Topic, referent: &Referent) -> bool {
    let (phrase, name) = (name_words(&topic.bare), name_words(&referent.name));
    !name.is_empty() && name.len() < phrase.len() && phrase.windows(name.len()).any(|window| window == name)
}

/// Whether a question contains a name, in full or a capitalised part of it.
fn is_said(said: &Said, referent: &Referent) -> bool {
    let words = name_words(&referent.name);
    let own = said.tokens.iter().filter(|token| words.contains(&token.lower));
    let is_marked = own.clone().any(|token| token.is_marked && !token.is_first);
    is_marked || words.iter().all(|word| own.clone().any(|token| token.lower == *word))
}

/// Whether a question was left unchanged although it has an open reference.
pub(crate) fn is_open(exchange: &Exchange) -> bool {
    exchange.rewrites.iter().any(|rewrite| rewrite.said.is_empty())
}

/// Whether a phrase is a noun before a name: "the film Winter Ferry".
fn is_apposition(said: &Said, topic: &Topic, referent: &Referent) -> bool {
    let count = name_words(&referent.name).len();
    let tokens = &said.tokens[topic.tokens.clone()];
    let (noun, name) = tokens.split_at(tokens.len().saturating_sub(count));
    name.iter().any(|token| token.is_marked)
        && noun.iter().all(|token| !token.is_marked || token.lower == "the")
}

/// The main subject of a question, and the phrase for it: the name, if a preposition joins a phrase to one, as in "the
/// judge in the Ostra case".
pub(crate) fn topic_of(exchange: &Exchange) -> Option<(Referent, String)> {
    let mut asked = asked(exchange);
    let is_of_name =
        asked.first().is_some_and(|(_, topic)| topic.as_ref().is_some_and(|topic| topic.is_of_name));
    let is_name = |(referent, _): &(Referent, _)| referent.name.contains(char::is_uppercase);
    let name = asked.iter().skip(1).position(is_name).filter(|_| is_of_name);
    let (referent, topic) =
        if asked.is_empty() { return None } else { asked.swap_remove(name.map_or(0, |at| at + 1)) };
    let words = match topic {
        Some(topic) if topic.words != topic.bare || referent.entity.is_none() => topic.words,
        _ => referent.name.clone(),
    };
    Some((referent, words))
}

/// Search words for the topic of the session: the main subject of the latest question that has one.
pub(crate) fn searched_for(exchanges: &[Exchange]) -> Option<String> {
    let latest = exchanges.iter().rev().take(TURNS_BACK);
    latest
        .filter(|exchange| exchange.asks.is_none() && !is_open(exchange))
        .find_map(topic_of)
        .map(|(referent, _)| referent.name)
}

/// The latest list in the session or among the options offered, to which ordinals refer.
pub(crate) fn listed(exchanges: &[Exchange]) -> Option<&[Referent]> {
    exchanges.iter().rev().take(TURNS_BACK).find_map(|exchange| {
        let offered = exchange.asks.as_ref().map(|asks| asks.options.as_slice());
        offered.into_iter().chain([exchange.listed.as_slice()]).find(|list| list.len() > 1)
    })
}
