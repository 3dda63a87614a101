//! Interprets the reply to a clarifying question.

use quiver_graph::Result;

use crate::extract::without_accents;

use super::{
    exchange::{QuestionBack, Referent},
    lexicon::{
        Place, is_article, is_auxiliary, is_closed, is_connector, is_demonstrative, is_first_or_second,
        is_person_noun, is_question_word, is_request, number, place,
    },
    link::{Reader, name_words, same},
    said::Said,
};

/// Maximum number of words in a reply. A longer one is a new question, unless it is exactly the name of an
/// option.
const WORDS_MAX: usize = 12;
/// Minimum share of a description that passages about an option cover.
const DESCRIBED: f32 = 0.85;
/// Maximum number of words in a description without an article.
const DESCRIPTION_WORDS_MAX: usize = 4;
/// Maximum number of content words in a reply besides the option.
const OTHERS_MAX: usize = 2;

impl Reader<'_> {
    /// The options that a reply chooses, by their names, their places or what passages say about them; empty if it does
    /// not answer the clarifying question.
    pub(super) async fn chosen(&self, said: &Said, asks: &QuestionBack) -> Result<Vec<Referent>> {
        let chosen = named_or_counted(said, asks);
        if !chosen.is_empty() {
            return Ok(chosen);
        }
        Ok(self.described_option(said, asks).await?.into_iter().collect())
    }

    /// The only option about which passages say what a reply describes it by: "the conductor", "the one in Bergen".
    async fn described_option(&self, said: &Said, asks: &QuestionBack) -> Result<Option<Referent>> {
        let start = said.tokens.iter().position(|token| {
            let word = token.lower.as_str();
            !(is_connector(word) || is_request(word) || is_first_or_second(word))
        });
        let Some(start) = start.filter(|start| describes(said, *start)) else { return Ok(None) };
        let rest = &said.text[said.tokens[start].range.start..];
        // "The flour, not the butter"
        let text = rest.split_once(" not ").map_or(rest, |(text, _)| text);
        let mut asked = self.weighed(text);
        asked.retain(|asked| !is_person_noun(&asked.word.lower));
        if asked.is_empty() {
            return Ok(None);
        }
        let options: Vec<&Referent> = asks.options.iter().collect();
        let known = self.profiles(&options, text).await?;
        let mut fitting = known.iter().filter(|known| known.support(self, &asked) >= DESCRIBED);
        let only = fitting.next().filter(|_| fitting.next().is_none());
        Ok(only.map(|known| known.referent.clone()))
    }
}

/// The options that a reply chooses by their names or their places.
fn named_or_counted(said: &Said, asks: &QuestionBack) -> Vec<Referent> {
    if said.tokens.len() > WORDS_MAX || asks.options.is_empty() {
        return Vec::new();
    }
    let asks_anew = said.tokens.iter().any(|token| is_question_word(&token.lower));
    if asks_anew {
        return Vec::new();
    }
    if let Some(whole) = asks.options.iter().find(|option| same(&option.name, &said.text)) {
        return vec![whole.clone()];
    }
    by_words(said, asks).or_else(|| by_place(said, asks)).unwrap_or_default()
}

/// Whether a reply is a phrase that describes something, and neither a question nor a request.
fn describes(said: &Said, start: usize) -> bool {
    let first = said.word(start);
    let points = is_article(first) || is_demonstrative(first) || matches!(first, "one" | "ones");
    let is_question =
        |at: usize| is_question_word(said.word(at)) && !matches!(said.word(at), "who" | "which");
    let has_verb = (start..said.tokens.len()).any(|at| is_auxiliary(said.word(at)));
    let is_short = said.tokens.len() - start <= DESCRIPTION_WORDS_MAX && !has_verb;
    (points || is_short)
        && said.tokens.len() - start <= WORDS_MAX
        && !said.text.contains('?')
        && !(start..said.tokens.len()).any(is_question)
}

/// The only option that matches all the distinctive words of a reply: words that some options have and others lack.
fn by_words(said: &Said, asks: &QuestionBack) -> Option<Vec<Referent>> {
    let names: Vec<Vec<String>> = asks.options.iter().map(|option| name_words(&option.name)).collect();
    let tells = |word: &str| {
        let with = names.iter().filter(|name| name.iter().any(|own| agree(own, word))).count();
        with > 0 && with < names.len()
    };
    let telling: Vec<&str> = said
        .tokens
        .iter()
        .map(|token| token.lower.as_str())
        .filter(|word| !is_closed(word) && tells(word))
        .collect();
    if telling.is_empty() {
        return None;
    }
    let known = |word: &str| names.iter().flatten().any(|own| agree(own, word));
    let others = said.tokens.iter().filter(|token| {
        let word = token.lower.as_str();
        !(known(word) || is_closed(word) || is_connector(word) || is_request(word) || place(word).is_some())
    });
    if others.count() > OTHERS_MAX {
        return None;
    }
    let fitting: Vec<Referent> = asks
        .options
        .iter()
        .zip(&names)
        .filter(|(_, name)| telling.iter().all(|word| name.iter().any(|own| agree(own, word))))
        .map(|(option, _)| option.clone())
        .collect();
    (fitting.len() == 1).then_some(fitting)
}

/// Whether a word of a name and a word of the reply are equal, except for the ending.
fn agree(own: &str, word: &str) -> bool {
    let (own, word) = (&*without_accents(own), &*without_accents(word));
    own == word || (word.len() >= 4 && own.len() >= 4 && (own.starts_with(word) || word.starts_with(own)))
}

fn by_place(said: &Said, asks: &QuestionBack) -> Option<Vec<Referent>> {
    let says_more = said.tokens.iter().any(|token| {
        let word = token.lower.as_str();
        !(is_closed(word)
            || is_connector(word)
            || is_request(word)
            || place(word).is_some()
            || number(word).is_some()
            || matches!(word, "number" | "option" | "neither" | "either" | "two"))
    });
    if says_more {
        return None;
    }
    let both = |word: &str| matches!(word, "both" | "all");
    if said.tokens.iter().any(|token| both(&token.lower)) {
        return Some(asks.options.clone());
    }
    let at = said.tokens.iter().find_map(|token| match place(&token.lower)? {
        Place::FromFirst(at) => Some(at),
        Place::FromLast(back) => asks.options.len().checked_sub(back + 1),
        Place::Other | Place::Both => None,
    });
    let at = at.or_else(|| {
        // "One" counts as a number only if it is the whole reply: "the one" is not a number.
        let alone = said.tokens.iter().find_map(|token| {
            number(&token.lower).filter(|_| token.lower != "one" || said.tokens.len() == 1)
        });
        alone.map(|number| number - 1)
    })?;
    asks.options.get(at).map(|option| vec![option.clone()])
}
