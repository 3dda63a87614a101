//! Adds the topic of the session to a question that names nothing but has a definite phrase: "What did the judge rely
//! on?" asks of the judge in the case that the conversation is about, if a passage speaks of that judge.

use std::ops::Range;

use quiver_graph::{Nearest, Passage, PassageId, Result};
use quiver_language::request::{self, Request};
use quiver_store::{Filter, SparseVector, Target};

use crate::{extract::sentences, search::documents};

use super::{
    exchange::{Exchange, Referent, Rewrite},
    focus,
    lexicon::{is_article, is_closed, is_preposition},
    link::{NameKind, Named, Reader, name_words},
    noun::{all_in, is_at, joint_of},
    said::{Said, replaced},
    topic::{Topic, topics},
};

/// Number of passages to read.
const PASSAGES: usize = 8;
/// Maximum number of words between the genitive of the topic and a noun: "Ostra's long-lost *map*".
const BETWEEN_MAX: usize = 2;

/// A question with the topic of the session added to it.
pub(crate) struct Completed {
    pub(crate) text: String,
    pub(crate) rewrite: Rewrite,
    /// The topic.
    pub(crate) topic: Vec<Referent>,
}

/// How the passages join a phrase to the topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// By a preposition: "the judge *in* the Ostra case".
    By(&'static str),
    /// By nothing, but the sentence that says what is asked is about the topic.
    Near,
}

impl Reader<'_> {
    /// Adds the topic of the last question to the definite phrase of this one, if a passage joins them.
    pub(super) async fn completed(
        &self,
        said: &Said,
        named: &[Named],
        exchanges: &[Exchange],
    ) -> Result<Option<Completed>> {
        let phrases = definite_phrases(said, named);
        let last = exchanges.last().filter(|last| last.asks.is_none() && !focus::is_open(last));
        let Some((last, (topic, words))) = last.and_then(|last| Some((last, focus::topic_of(last)?))) else {
            return Ok(None);
        };
        if phrases.is_empty()
            || !said.asks()
            || names_thing(said, named)
            || !topic.name.contains(char::is_uppercase)
        {
            return Ok(None);
        }
        let pairs = self.lexical.query_vector(&format!("{} {words}", said.text), |term| {
            self.statistics.inverse_document_frequency(term)
        });
        let target = Target::Sparse(SparseVector::from_pairs(pairs));
        let search = Nearest { target, among: documents(Filter::everything()), limit: PASSAGES };
        let near = self.graph.nearest_ids::<Passage>(vec![search]).await?;
        let ids: Vec<PassageId> = near.into_iter().flatten().map(|(id, _)| id).collect();
        let passages = self.graph.passages(&ids).await?;
        let asked = Asked { said, topic: name_words(&topic.name) };
        let texts = passages.iter().map(|passage| (passage.title.as_deref(), passage.text.as_str()));
        let Some((phrase, joint)) = asked.joined(&phrases, texts) else { return Ok(None) };
        let preposition = match joint {
            Joint::By(preposition) => preposition,
            Joint::Near => "of",
        };
        let place = said.bytes_of(&phrase);
        let added = format!(" {preposition} {words}");
        let rewrite = Rewrite {
            said: said.text[place.clone()].to_owned(),
            stands_for: format!("{}{added}", &said.text[place.clone()]),
            because: "a passage speaks of it there".to_owned(),
        };
        let text = replaced(&said.text, vec![(place.end..place.end, added)]);
        let is_in_topic = |one: &&Referent| {
            let own = name_words(&one.name);
            own.iter().all(|word| asked.topic.contains(word))
        };
        let mut about: Vec<Referent> = last.asked.iter().filter(is_in_topic).cloned().collect();
        if about.is_empty() {
            about.push(topic.clone());
        }
        Ok(Some(Completed { text, rewrite, topic: about }))
    }
}

/// Whether a question names something with a word that is written like a name.
fn names_thing(said: &Said, named: &[Named]) -> bool {
    let is_written = |at: usize| said.tokens[at].is_marked && !said.tokens[at].is_first;
    named
        .iter()
        .filter(|named| named.kind != NameKind::Date)
        .any(|named| named.tokens.clone().any(is_written))
}

/// The phrases of a question that begin with "the" and go on with no preposition, each without its article.
fn definite_phrases(said: &Said, named: &[Named]) -> Vec<Range<usize>> {
    let is_date =
        |at: usize| named.iter().any(|named| named.kind == NameKind::Date && named.tokens.contains(&at));
    let is_definite = |topic: &Topic| topic.words != topic.bare && said.word(topic.tokens.start - 1) == "the";
    let phrases = topics(said, &[]).into_iter().filter(is_definite).filter_map(|topic| {
        // "The judge *mostly* relied on"
        let is_adverb = |at: &usize| said.word(*at).ends_with("ly");
        let adverbs = topic.tokens.clone().rev().take_while(is_adverb).count();
        let (start, end) = (topic.tokens.start, topic.tokens.end - adverbs);
        let is_owner = said.tokens.get(end).is_some_and(|token| token.is_joined);
        // "The new one" is no "new" of anything.
        let is_one = matches!(said.word(end), "one" | "ones");
        let goes_on = is_preposition(said.word(end)) && !said.ends_after(end) && !is_date(end + 1);
        (start < end && !goes_on && !is_owner && !is_one).then_some(start..end)
    });
    phrases.collect()
}

/// A question with the words of the topic.
struct Asked<'s> {
    said: &'s Said,
    topic: Vec<String>,
}

impl Asked<'_> {
    /// The first phrase that a passage joins to the topic. A preposition between them counts before a sentence that says
    /// all that is asked.
    fn joined<'p>(
        &self,
        phrases: &[Range<usize>],
        passages: impl Iterator<Item = (Option<&'p str>, &'p str)>,
    ) -> Option<(Range<usize>, Joint)> {
        let mut told: Vec<(Said, bool)> = Vec::new();
        for (title, text) in passages {
            let title = Said::of(&title.unwrap_or_default().replace('_', " "));
            let is_about = all_in(&self.topic, &[&title, &Said::of(text)]);
            told.extend(sentences(text).into_iter().map(|range| (Said::of(&text[range]), is_about)));
        }
        let about = || told.iter().filter(|(_, is_about)| *is_about).map(|(sentence, _)| sentence);
        let by = phrases.iter().find_map(|phrase| {
            let noun = self.words(phrase);
            let joint = about().find_map(|sentence| self.joint(sentence, &noun))?;
            Some((phrase.clone(), joint))
        });
        by.or_else(|| {
            let says_asked = |phrase: &&Range<usize>| {
                let noun = self.words(phrase);
                about().any(|sentence| self.says_asked(sentence, &noun))
            };
            phrases.iter().find(says_asked).map(|phrase| (phrase.clone(), Joint::Near))
        })
    }

    fn words(&self, phrase: &Range<usize>) -> Vec<String> {
        phrase.clone().map(|at| self.said.word(at).to_owned()).collect()
    }

    /// How a sentence joins a noun to the topic.
    fn joint(&self, sentence: &Said, noun: &[String]) -> Option<Joint> {
        (0..sentence.tokens.len()).filter(|at| is_at(sentence, *at, noun)).find_map(|start| {
            let end = start + noun.len();
            let topic = end + 1 + usize::from(is_article(sentence.word(end + 1)));
            let preposition = joint_of(sentence.word(end));
            if preposition.is_some() && is_at(sentence, topic, &self.topic) {
                return preposition.map(Joint::By);
            }
            let is_owner = |gap: usize| {
                let ending = start.checked_sub(1 + gap);
                let owner = start.checked_sub(1 + gap + self.topic.len());
                ending.is_some_and(|at| sentence.tokens[at].is_joined)
                    && owner.is_some_and(|at| is_at(sentence, at, &self.topic))
            };
            (0..=BETWEEN_MAX).any(is_owner).then_some(Joint::By("of"))
        })
    }

    /// Whether a sentence says all that is asked of a noun. If nothing is asked but what the thing is or how much, the
    /// sentence has to name the topic.
    fn says_asked(&self, sentence: &Said, noun: &[String]) -> bool {
        let is_measure = |at: usize| at > 0 && self.said.word(at - 1) == "how";
        let words = self
            .said
            .tokens
            .iter()
            .enumerate()
            .filter(|(at, token)| !(token.is_joined || is_closed(&token.lower) || is_measure(*at)));
        // "How is the drainage going?" asks for whatever is said of it.
        let (outcomes, content): (Vec<String>, Vec<String>) = words
            .map(|(_, token)| token.lower.clone())
            .partition(|word| request::says(word, Request::Outcome));
        let is_bare = content.len() == noun.len() && outcomes.is_empty();
        if is_bare {
            return has_after(sentence, noun, is_article) && all_in(&self.topic, &[sentence]);
        }
        has_after(sentence, noun, |before| before == "the") && all_in(&content, &[sentence])
    }
}

/// Whether a sentence has a noun after such a word.
fn has_after(sentence: &Said, noun: &[String], is_before: impl Fn(&str) -> bool) -> bool {
    (1..sentence.tokens.len()).any(|at| is_at(sentence, at, noun) && is_before(sentence.word(at - 1)))
}

#[cfg(test)]
mod tests {
    use super::{Asked, Joint, Said, definite_phrases};

    #[test]
    fn a_passage_joins_a_definite_phrase_to_the_topic() {
        let cases = [
            (
                "Who mended the sluice?",
                "The sluice at Velm Lock was mended by Ada Roth.",
                Some(("sluice", Joint::By("at"))),
            ),
            (
                "Who is the keeper?",
                "Velm Lock's first keeper was Jon Ames.",
                Some(("keeper", Joint::By("of"))),
            ),
            (
                "When did the keeper retire early?",
                "Velm Lock has a keeper. The keeper retired early, in 1961.",
                Some(("keeper", Joint::Near)),
            ),
            ("How high was the toll?", "Velm Lock asked a toll of two marks.", Some(("toll", Joint::Near))),
            ("How high was the toll?", "Velm Lock is old. Most locks ask a toll of two marks.", None),
            // Only part of what is asked is said there, or of another thing.
            ("When did the keeper move away?", "Velm Lock has a keeper. The keeper retired in 1961.", None),
            ("Who mended the sluice?", "The sluice at Arn Lock was mended by Ada Roth.", None),
            ("Who is the keeper of the keys?", "The keeper at Velm Lock is Jon Ames.", None),
            ("Who mended a sluice?", "The sluice at Velm Lock was mended by Ada Roth.", None),
        ];
        for (question, text, expected) in cases {
            let said = Said::of_question(question);
            let asked = Asked { said: &said, topic: vec!["velm".to_owned(), "lock".to_owned()] };
            let phrases = definite_phrases(&said, &[]);
            let joined = asked.joined(&phrases, [(None, text)].into_iter());
            let joined = joined.map(|(phrase, joint)| (&said.text[said.bytes_of(&phrase)], joint));
            assert_eq!(joined, expected, "{question}");
        }
    }
}
