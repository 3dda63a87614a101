//! Whether a noun such as "the price" in "And the price?" is an attribute of what the last question was about, or
//! another thing of which the same is asked: "And the sauna?" The passages decide.

use std::ops::Range;

use quiver_graph::{Nearest, Passage, PassageId, Result};
use quiver_language::{
    role::asked_role,
    word::{is_verb, stems},
};
use quiver_store::{Filter, SparseVector, Target};

use crate::{extract::sentences, search::documents};

use super::{
    lexicon::{Owner, is_article, is_auxiliary, is_be, is_closed, is_person_noun, pronoun},
    link::{Reader, name_words},
    profile::is_agent,
    said::Said,
};

/// Number of passages to read for each of the two readings.
const PASSAGES: usize = 8;
/// Maximum number of words between a noun and the verb after it: "the price *of a day ticket* is".
const BETWEEN_MAX: usize = 6;

/// What a noun is, next to the topic of the last question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NounReading {
    /// Something that the topic has.
    Attribute {
        /// Whether it is a person.
        is_person: bool,
        /// The preposition between it and the topic.
        joint: &'static str,
    },
    /// Another thing.
    Thing,
    /// The passages do not decide.
    Unclear,
}

impl Reader<'_> {
    /// Reads passages about a noun, and decides what it is to the topic of the last question.
    pub(super) async fn read_noun(&self, noun: &str, topic: &str, last: &Said) -> Result<NounReading> {
        let asked = Asked::of(noun, topic, last);
        let search = |text: &str| {
            let pairs =
                self.lexical.query_vector(text, |term| self.statistics.inverse_document_frequency(term));
            let target = Target::Sparse(SparseVector::from_pairs(pairs));
            Nearest { target, among: documents(Filter::everything()), limit: PASSAGES }
        };
        let texts = [format!("{noun} {topic}"), format!("{noun} {}", asked.predicate.join(" "))];
        let near = self.graph.nearest_ids::<Passage>(texts.iter().map(|text| search(text)).collect()).await?;
        let mut ids: Vec<PassageId> = near.into_iter().flatten().map(|(id, _)| id).collect();
        ids.sort_unstable();
        ids.dedup();
        let passages = self.graph.passages(&ids).await?;
        let texts = passages.iter().map(|passage| (passage.title.as_deref(), passage.text.as_str()));
        Ok(asked.reading(texts))
    }
}

/// A noun with the last question, in lower-case words.
struct Asked {
    noun: Vec<String>,
    topic: Vec<String>,
    /// What the last question says of its topic.
    predicate: Vec<String>,
    /// Whether the last question asks for an attribute itself: "the treasurer of the club".
    asks_for_attribute: bool,
    /// Whether the noun can be a person.
    can_be_person: bool,
}

/// What the passages say.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent kind of evidence")]
struct Told {
    /// "The price *of the museum* is low".
    is_of_topic: bool,
    /// "The price is 9 euros", in a passage about the topic.
    has_value: bool,
    /// The value is a name of several words.
    is_name: bool,
    /// It is written like a name: "TIG".
    is_written_as_name: bool,
    /// "The sauna *closes*".
    does_same: bool,
    /// "The risk *to the dam* is a fault".
    joint: Option<&'static str>,
    /// The same less certainly: it is a title, or in a sentence with words of the last question.
    may_do_same: bool,
}

impl Asked {
    fn of(noun: &str, topic: &str, last: &Said) -> Self {
        let content = |text: &str| -> Vec<String> {
            name_words(text).into_iter().filter(|word| !is_article(word)).collect()
        };
        let (noun, topic) = (content(noun), content(topic));
        let words = last.tokens.iter().filter(|token| !token.is_joined && !is_closed(&token.lower));
        let predicate = words
            .filter(|token| !topic.iter().any(|word| agree(word, &token.lower)))
            .map(|t| t.lower.clone());
        let role = asked_role(&last.text);
        let asks_for_person = role.as_ref().is_some_and(|role| role.is_person);
        let is_person = noun.last().is_some_and(|head| is_agent(head) || is_person_noun(head));
        Self {
            predicate: predicate.collect(),
            asks_for_attribute: role.is_some(),
            can_be_person: asks_for_person || is_person,
            noun,
            topic,
        }
    }

    fn reading<'p>(&self, passages: impl Iterator<Item = (Option<&'p str>, &'p str)>) -> NounReading {
        let mut told = Told::default();
        for (title, text) in passages {
            let title = Said::of(title.unwrap_or_default());
            let is_about = all_in(&self.topic, &[&title, &Said::of(text)]);
            let count = title.tokens.len();
            let is_titled = count >= self.noun.len() && is_at(&title, count - self.noun.len(), &self.noun);
            told.may_do_same |= is_titled && !all_in(&self.topic, &[&title]);
            for sentence in sentences(text) {
                self.add(&Said::of(&text[sentence]), is_about, &mut told);
            }
        }
        match told {
            Told { does_same: true, is_of_topic: true, .. } => NounReading::Unclear,
            Told { does_same: true, .. } | Told { is_written_as_name: true, .. } => NounReading::Thing,
            Told { is_of_topic: true, is_name, joint, .. } | Told { has_value: true, is_name, joint, .. } => {
                let is_person = is_name && self.can_be_person;
                NounReading::Attribute { is_person, joint: joint.unwrap_or("of") }
            }
            Told { may_do_same: true, .. } => NounReading::Thing,
            Told { joint: Some(joint), .. } => NounReading::Attribute { is_person: false, joint },
            _ => NounReading::Unclear,
        }
    }

    fn add(&self, said: &Said, is_about: bool, told: &mut Told) {
        for start in 0..said.tokens.len() {
            if is_at(said, start, &self.noun) {
                let noun = start..start + self.noun.len();
                let (first, text) = (&said.tokens[start], &said.text[said.tokens[start].range.clone()]);
                let is_in_capitals = text.chars().filter(|c| c.is_uppercase()).count() > 1;
                told.is_written_as_name |=
                    first.is_marked && (is_in_capitals || !first.is_first && first.parted.is_none());
                // "Price: 9 euros", in a passage about the topic.
                let is_label =
                    said.tokens.get(noun.end).is_some_and(|next| matches!(next.parted, Some(':' | ';')));
                told.has_value |= is_about && is_label;
                self.add_attribute(said, &noun, is_about, told);
                self.add_thing(said, &noun, told);
            }
        }
    }

    fn add_attribute(&self, said: &Said, noun: &Range<usize>, is_about: bool, told: &mut Told) {
        let is_topic_at = |at: usize| is_at(said, at + usize::from(is_article(said.word(at))), &self.topic);
        let has_topic = matches!(said.word(noun.end), "of" | "for") && is_topic_at(noun.end + 1);
        // "The museum's price": the ending is a word of its own.
        let owner = noun.start.checked_sub(1 + self.topic.len());
        let is_owned =
            owner.is_some_and(|at| said.tokens[noun.start - 1].is_joined && is_at(said, at, &self.topic));
        let before = noun.start.checked_sub(1).map_or("", |at| said.word(at));
        let is_its = pronoun(before).is_some_and(|pronoun| pronoun.owner != Owner::Never);
        told.is_of_topic |= (has_topic || is_owned) && self.asks_for_attribute;
        told.has_value |= is_about && is_its;
        let has_of = matches!(before, "a" | "an") && said.word(noun.end) == "of";
        let has = noun.start.checked_sub(2).map_or("", |at| said.word(at));
        told.has_value |= is_about && has_of && matches!(has, "has" | "have" | "had");
        let opens = noun.start == 0
            || is_its
            || is_owned
            || is_article(before) && (noun.start == 1 || said.tokens[noun.start - 1].parted.is_some());
        let after = noun.end..said.tokens.len().min(noun.end + BETWEEN_MAX);
        let follows_of = matches!(said.word(noun.end), "of" | "for" | "to");
        let verb = after.clone().find(|at| is_be(said.word(*at))).filter(|at| *at == noun.end || follows_of);
        if let Some(joint) = joint_of(said.word(noun.end)).filter(|_| is_topic_at(noun.end + 1)) {
            let after_topic =
                noun.end + 1 + usize::from(is_article(said.word(noun.end + 1))) + self.topic.len();
            told.joint =
                told.joint.or((opens && is_be(said.word(after_topic)) && joint != "of").then_some(joint));
        }
        let Some(verb) = verb.filter(|_| opens && (is_about || has_topic)) else { return };
        let value = &said.tokens[verb + 1..];
        let is_name = |at: usize| {
            value.get(at).is_some_and(|token| {
                token.is_marked && !token.lower.contains(|c: char| c.is_numeric()) && token.parted.is_none()
            })
        };
        let Some(first) = value.first() else { return };
        told.has_value |= first.is_marked;
        told.is_name |= is_name(0) && is_name(1);
        // "Is grey", but not "is closed" or "is in the yard".
        let is_quality = !is_closed(&first.lower) && !is_verb(&first.lower);
        told.is_of_topic |= (has_topic || is_owned) && (first.is_marked || is_quality);
    }

    fn add_thing(&self, said: &Said, noun: &Range<usize>, told: &mut Told) {
        let is_after = (noun.end..said.tokens.len()).any(|at| is_at(said, at, &self.topic));
        if is_after || self.predicate.is_empty() {
            return;
        }
        let says = |at: usize| self.predicate.iter().any(|word| agree(word, said.word(at)));
        let verb =
            (noun.end..said.tokens.len()).find(|at| !is_auxiliary(said.word(*at)) && said.word(*at) != "not");
        let before = noun.start - usize::from(noun.start > 0 && is_article(said.word(noun.start - 1)));
        let is_of = before > 1 && matches!(said.word(before - 1), "of" | "for") && says(before - 2);
        told.does_same |= verb.is_some_and(says) || is_of;
        let said_after = |word: &&String| (noun.end..said.tokens.len()).any(|at| agree(word, said.word(at)));
        let is_subject = noun.start <= 2 && !matches!(said.word(noun.end), "of" | "for");
        told.may_do_same |=
            is_subject && 2 * self.predicate.iter().filter(said_after).count() >= self.predicate.len();
    }
}

/// The preposition that joins a noun to what it is of: "the risk *to* the dam".
pub(super) fn joint_of(word: &str) -> Option<&'static str> {
    let joints =
        ["of", "in", "on", "at", "to", "for", "from", "by", "with", "about", "against", "behind", "under"];
    joints.into_iter().find(|joint| *joint == word)
}

/// Whether two words are forms of one.
fn agree(a: &str, b: &str) -> bool {
    a == b || !a.is_empty() && !b.is_empty() && stems(a).iter().any(|stem| stems(b).contains(stem))
}

/// Whether these words are said from here on.
pub(super) fn is_at(said: &Said, start: usize, words: &[String]) -> bool {
    !words.is_empty() && words.iter().enumerate().all(|(at, word)| agree(word, said.word(start + at)))
}

/// Whether the texts together have all of these words.
pub(super) fn all_in(words: &[String], texts: &[&Said]) -> bool {
    let mut tokens = texts.iter().flat_map(|said| &said.tokens);
    words.iter().all(|word| tokens.clone().any(|token| agree(word, &token.lower))) && tokens.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::{Asked, NounReading, Said};

    fn read(last: &str, topic: &str, noun: &str, text: &str) -> NounReading {
        Asked::of(noun, topic, &Said::of(last)).reading([(None, text)].into_iter())
    }

    #[test]
    fn passages_tell_an_attribute_from_another_thing() {
        use NounReading::{Attribute, Thing, Unclear};
        let of = |is_person| Attribute { is_person, joint: "of" };
        let (thing, person) = (of(false), of(true));
        let museum = "The museum opens at ten. ";
        for (noun, says, expected) in [
            ("the price", "The price of a ticket is 9 euros.", thing),
            ("the price", "The museum's price is low.", thing),
            ("the director", "The director is Sofia Lund.", person),
            ("the area", "It has an area of two hectares.", thing),
            ("the colour", "The colour of the museum is grey.", thing),
            ("the library", "The library of the museum closes at five.", Unclear),
            ("the library", "The library of the museum is closed on Sundays.", Unclear),
            ("the café", "The café opens at eleven.", Thing),
            ("the café", "The museum café is open from eleven.", Thing),
            ("the café", "The café is heated.", Unclear),
            ("the director", "The director opens the museum.", Unclear),
            ("the parking", "", Unclear),
            (
                "the worst damage",
                "The worst damage to the museum was a burst pipe.",
                Attribute { is_person: false, joint: "to" },
            ),
            ("the café", "The café in the museum opens at noon.", Unclear),
            // Both are said.
            ("the shop", "The shop of the museum is small. The shop opens at nine.", Unclear),
        ] {
            let text = format!("{museum}{says}");
            assert_eq!(
                read("When does the museum open?", "the museum", noun, &text),
                expected,
                "{noun}: {says}"
            );
        }
        let club = "The secretary of the rowing club is Piet Marlow. The choir has a treasurer of its own.";
        let last = "Who is the treasurer of the rowing club?";
        assert_eq!(read(last, "the rowing club", "the secretary", club), person);
        assert_eq!(
            read(last, "the rowing club", "the choir", "The treasurer of the choir is Ann Lee."),
            Thing
        );
    }
}
