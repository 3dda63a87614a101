//! Extracts relations between the mentions of a sentence and the passage's subject.

use super::{Link, Mention, MentionKind, SENTENCES_MAX, Subject};
use quiver_language::{
    Class,
    text::{Text, contains_words},
    token::Shape,
};
use std::ops::Range;

/// Maximum number of content words in a predicate.
const PREDICATE_WORDS_MAX: usize = 5;

/// Maximum number of relations per passage.
const LINKS_MAX: usize = 96;

/// Maximum number of relations per sentence. The first are the most precise: they are nearest to what the sentence is
/// about.
const SENTENCE_LINKS_MAX: usize = 4;

/// A sentence with this many characters per symbol of a program, or fewer, is code.
const CODE_DENSITY: usize = 25;

/// Relates the topic of a sentence to the names in it, if words between them state how. The topic is the passage's
/// subject, or the sentence's first name if it is about something else. Names that merely occur together are not
/// related; the passage's mentions cover that. Only the first [`SENTENCES_MAX`] sentences are read, and no code.
pub(super) fn links(text: &Text<'_>, subjects: &[Subject], mentions: &[Mention]) -> Vec<Link> {
    let mut found = Vec::new();
    for (number, sentence) in (0_u32..).zip(text.sentences().iter().take(SENTENCES_MAX)) {
        let from = mentions.partition_point(|mention| mention.sentence < number);
        let to = mentions.partition_point(|mention| mention.sentence <= number);
        if is_code(&text.source[sentence.clone()]) {
            continue;
        }
        let reader = SentenceReader { text, sentence, subjects, mentions: &mentions[from..to] };
        let links = reader.links().into_iter().take(SENTENCE_LINKS_MAX);
        found.extend(links.map(|(subject, predicate, object)| Link {
            subject,
            predicate,
            object,
            sentence: Some(number),
            ..Link::default()
        }));
    }
    found.truncate(LINKS_MAX);
    found
}

struct SentenceReader<'r, 't> {
    text: &'r Text<'t>,
    sentence: &'r Range<usize>,
    subjects: &'r [Subject],
    mentions: &'r [Mention],
}

impl SentenceReader<'_, '_> {
    fn links(&self) -> Vec<(String, String, String)> {
        let own = self.mentions.iter().position(|mention| {
            let names = !matches!(mention.kind, MentionKind::Date | MentionKind::Quantity);
            names && !self.is_subject(mention) && !self.follows_preposition(mention)
        });
        let passage = self.subjects.first().map(|subject| subject.name.as_str());
        let (about, from) = match (passage, own) {
            (Some(passage), None) => (passage, None),
            (Some(passage), Some(_)) if self.mentions_subject() => (passage, None),
            (_, Some(own)) => (self.mentions[own].name.as_str(), Some(own)),
            (None, None) => return Vec::new(),
        };
        let is_object = |at: usize, mention: &Mention| {
            let follows = from.is_none_or(|own| {
                let first = &self.mentions[own];
                at > own && mention.range.start >= first.range.end && mention.name != first.name
            });
            follows && !self.is_subject(mention)
        };
        let stated = self.mentions.iter().zip(self.predicates()).enumerate();
        stated
            .filter(|(at, (mention, _))| is_object(*at, mention))
            .filter_map(|(_, (mention, predicate))| {
                Some((about.to_owned(), predicate?, mention.name.clone()))
            })
            .collect()
    }

    /// Returns the predicate of each mention; `None` if no words state how it is related.
    fn predicates(&self) -> Vec<Option<String>> {
        let mut predicates: Vec<Option<String>> = Vec::with_capacity(self.mentions.len());
        // The latest predicate with a content word, without its final prepositions. A lone preposition after it
        // extends this.
        let mut head = String::new();
        let mut end = self.sentence.start;
        for mention in self.mentions {
            let words = self.words_before(end.min(mention.range.start), mention.range.start);
            let predicate = match &words {
                Words { content: 0, text, .. } if text.is_empty() => match predicates.last() {
                    Some(previous) if end > self.sentence.start => previous.clone(),
                    _ => None,
                },
                // "born in Warsaw in 1963": the second preposition belongs to the same verb.
                Words { content: 0, text, attaches: true, .. }
                    if !head.is_empty() && !self.parts(end, mention) =>
                {
                    Some(format!("{head} {text}"))
                }
                words => Some(words.text.clone()),
            };
            if words.content > 0 {
                head = words.head();
            }
            predicates.push(predicate);
            end = end.max(mention.range.end);
        }
        predicates
    }

    /// Returns whether there is a colon or semicolon between an offset and a mention.
    fn parts(&self, from: usize, mention: &Mention) -> bool {
        self.text.source.get(from..mention.range.start).is_some_and(|between| between.contains([':', ';']))
    }

    /// Returns whether a mention follows a preposition: "In Riga" and "under the Doe" give the circumstances, not the
    /// topic of the sentence.
    fn follows_preposition(&self, mention: &Mention) -> bool {
        let before = self.text.within(&(self.sentence.start..mention.range.start));
        let word =
            before.rev().map(|at| self.text.tokens[at].class).find(|class| *class != Some(Class::Determiner));
        word == Some(Some(Class::Preposition))
    }

    /// Returns the words directly before a mention, back to the previous mention or the start of the clause.
    fn words_before(&self, from: usize, to: usize) -> Words {
        let within = self.text.within(&(from..to));
        let mut words = Vec::new();
        let mut content = 0;
        let mut attaches = false;
        let mut prepositions = 0;
        let mut following = to;
        for at in within.rev() {
            let token = &self.text.tokens[at];
            // A mention may be the second part of a token, as in "1995-1997".
            if token.range.end > following {
                continue;
            }
            let gap = &self.text.source[token.range.end..following];
            if ends_clause(gap) && !words.is_empty() {
                break;
            }
            match token.class {
                None if token.shape == Shape::Number => {}
                None => {
                    content += 1;
                    words.push(token.norm.as_ref());
                }
                Some(Class::Preposition) => {
                    attaches |= words.is_empty() && token.norm != "of";
                    prepositions += usize::from(prepositions == words.len());
                    words.push(token.norm.as_ref());
                }
                Some(Class::Auxiliary) => words.push(token.norm.as_ref()),
                Some(Class::Pronoun | Class::Conjunction) if !words.is_empty() => break,
                Some(Class::Pronoun | Class::Conjunction | Class::Determiner | Class::Adverb) => {}
            }
            following = token.range.start;
            if content == PREDICATE_WORDS_MAX {
                break;
            }
        }
        words.reverse();
        let text = words.join(" ");
        let ending: usize = words.iter().rev().take(prepositions).map(|word| word.len() + 1).sum();
        let head = text.len().saturating_sub(ending);
        Words { text, content, attaches, head }
    }

    /// Returns whether a mention is one of the subject's names, or the last name of a person who is the subject.
    fn is_subject(&self, mention: &Mention) -> bool {
        self.subjects.iter().any(|subject| {
            let same = subject.name.to_lowercase() == mention.name.to_lowercase();
            same || (subject.weight >= 0.8
                && mention.kind == MentionKind::Name
                && !mention.name.contains(' ')
                && subject.name.split(' ').count() > 1
                && subject.name.split(' ').all(|word| word.starts_with(char::is_uppercase))
                && subject.name.ends_with(mention.name.as_str())
                && subject.name[..subject.name.len() - mention.name.len()].ends_with(' '))
        })
    }

    /// Returns whether the sentence names the subject or starts with a pronoun that may refer to it.
    fn mentions_subject(&self) -> bool {
        if self.mentions.iter().any(|mention| self.is_subject(mention)) {
            return true;
        }
        let first = self.text.within(self.sentence).next().map(|at| &self.text.tokens[at]);
        let pronoun = first.is_some_and(|token| {
            let possessive = matches!(
                token.norm.as_ref(),
                "his" | "her" | "its" | "their" | "sein" | "ihr" | "son" | "su"
            );
            possessive
                || (token.class == Some(Class::Pronoun)
                    && !matches!(token.norm.as_ref(), "there" | "i" | "you"))
        });
        pronoun || {
            let sentence = self.text.source[self.sentence.clone()].to_lowercase();
            self.subjects.iter().any(|subject| contains_words(&sentence, &subject.name.to_lowercase()))
        }
    }
}

/// Whether a sentence is code or markup instead of prose.
fn is_code(sentence: &str) -> bool {
    let is_symbol =
        |character: char| matches!(character, '{' | '}' | '=' | ';' | '<' | '>' | '$' | '|' | '\\');
    let (mut symbols, mut characters) = (0, 0);
    for character in sentence.chars().filter(|character| !character.is_whitespace()) {
        symbols += usize::from(is_symbol(character));
        characters += 1;
    }
    symbols * CODE_DENSITY >= characters
}

struct Words {
    text: String,
    content: usize,
    /// Whether the last word is a preposition that attaches to a verb.
    attaches: bool,
    /// The length of the text without its final prepositions.
    head: usize,
}

impl Words {
    /// Returns the words without their final prepositions.
    fn head(&self) -> String {
        self.text[..self.head].to_owned()
    }
}

fn ends_clause(gap: &str) -> bool {
    gap.contains([',', ';', ':', '(', ')', '—', '–', '，', '；', '：', '、', '،'])
}
