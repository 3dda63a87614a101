//! Extracts relations between the mentions of a sentence and the passage's subject.

use super::{Link, Mention, MentionKind, SENTENCES_MAX, Subject};
use quiver_language::{
    Class,
    text::{Text, contains_words},
    token::{Shape, Token},
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
        let stated = self.mentions.iter().zip(self.predicates(from)).enumerate();
        stated
            .filter(|(at, (mention, _))| is_object(*at, mention))
            .filter_map(|(_, (mention, predicate))| {
                Some((about.to_owned(), predicate?, mention.name.clone()))
            })
            .collect()
    }

    /// Returns the predicate of each mention; `None` if no words state how it is related. The topic is the mention with
    /// this index, or else the passage's subject.
    fn predicates(&self, own: Option<usize>) -> Vec<Option<String>> {
        let mut predicates: Vec<Option<String>> = Vec::with_capacity(self.mentions.len());
        // The latest predicate with a content word, without its final prepositions. A lone preposition after it
        // extends this.
        let mut head = String::new();
        let mut end = self.sentence.start;
        let (mut topic, mut topic_end) = (Topic::Unseen, None);
        for (at, mention) in self.mentions.iter().enumerate() {
            let words = self.words_before(end.min(mention.range.start), mention.range.start);
            let found = (topic == Topic::Unseen).then(|| self.topic(at, &words, own)).flatten();
            let is_topic = found.is_some();
            if let Some(found) = found {
                (topic, topic_end) = (found, Some(mention.range.end));
            } else if self.parts(end, mention) || self.has_conjunction(end, mention) {
                topic.end_clause();
            }
            let predicate = match &words {
                Words { content: 0, text, .. } if text.is_empty() => match (predicates.last(), &topic) {
                    (Some(_), Topic::Owner(_) | Topic::Beside) if topic_end == Some(end) => {
                        topic.owned().filter(|_| self.is_apposed(end, mention)).map(str::to_owned)
                    }
                    (Some(previous), _) if end > self.sentence.start => previous.clone(),
                    _ => None,
                },
                // "born in Warsaw in 1963": the second preposition belongs to the same verb.
                Words { content: 0, text, attaches: true, .. }
                    if !head.is_empty() && !self.parts(end, mention) =>
                {
                    Some(format!("{head} {text}"))
                }
                words if words.opener == Opener::That && self.precedes_auxiliary(mention) => None,
                words => match &topic {
                    Topic::Owner(owned) if !is_topic => Some(format!("{owned} {}", words.text)),
                    // "On the Wren is Ann Lee": she is not the Wren.
                    Topic::Beside | Topic::Unseen if words.is_bare() && at > 0 => None,
                    _ => Some(words.text.clone()),
                },
            };
            if let Some(predicate) = predicate.as_ref().filter(|_| words.content > 0) {
                let ending = words.text.len() - words.head;
                predicate[..predicate.len() - ending].clone_into(&mut head);
            }
            predicates.push(predicate);
            end = end.max(mention.range.end);
        }
        predicates
    }

    /// Returns how a mention is the topic of the sentence; `None` if it is not.
    fn topic(&self, at: usize, before: &Words, own: Option<usize>) -> Option<Topic> {
        let mention = &self.mentions[at];
        if own.is_some() {
            return own.filter(|own| *own == at).map(|_| Topic::Free);
        }
        if !self.is_subject(mention) {
            let owned = self.owned_in(mention).filter(|_| before.text.is_empty());
            return owned.map(Topic::Owner);
        }
        if !self.follows_preposition(mention) || before.has_auxiliary {
            return Some(Topic::Free);
        }
        // After another name, as in "Ann met the captain of the Wren", it is an object.
        let opens = at.checked_sub(1).map(|before| &self.mentions[before]).is_none_or(|previous| {
            let gap = self.text.source.get(previous.range.end..mention.range.start).unwrap_or_default();
            previous.kind == MentionKind::Date || self.follows_preposition(previous) || ends_clause(gap)
        });
        Some(match before.owned() {
            _ if !opens => Topic::Free,
            Some(owned) if !self.precedes_relative(mention) => Topic::Owner(owned),
            _ => Topic::Beside,
        })
    }

    /// Returns what belongs to the subject in a name such as "Captain of the Wren" or "Kapitän der Seeschwalbe".
    fn owned_in(&self, mention: &Mention) -> Option<String> {
        let range = &mention.range;
        let ends_with = |name: &str| {
            let start = range.end.checked_sub(name.len()).filter(|start| *start > range.start)?;
            let ending = self.text.source.get(start..range.end)?;
            (ending.to_lowercase() == name.to_lowercase()).then_some(start)
        };
        let start = self.subjects.iter().find_map(|subject| ends_with(&subject.name))?;
        let before = &self.text.tokens[self.text.within(&(range.start..start))];
        let joins = before.last().is_some_and(|token| {
            matches!(token.class, Some(Class::Determiner | Class::Preposition)) || is_genitive(&token.norm)
        });
        let words: Vec<&str> =
            before.iter().filter(|token| token.class.is_none()).map(|token| token.norm.as_ref()).collect();
        (joins && !words.is_empty()).then(|| words.join(" "))
    }

    fn has_conjunction(&self, from: usize, mention: &Mention) -> bool {
        let within = self.text.within(&(from.min(mention.range.start)..mention.range.start));
        self.text.tokens[within].iter().any(|token| token.class == Some(Class::Conjunction))
    }

    /// Returns whether only a comma or bracket stands between an offset and a mention.
    fn is_apposed(&self, from: usize, mention: &Mention) -> bool {
        let gap = self.text.source.get(from..mention.range.start).unwrap_or_default();
        matches!(gap.trim(), "," | "(")
    }

    fn token_after(&self, mention: &Mention) -> Option<&Token<'_>> {
        let after = self.text.within(&(mention.range.end..self.sentence.end));
        self.text.tokens[after].first()
    }

    fn precedes_auxiliary(&self, mention: &Mention) -> bool {
        self.token_after(mention).is_some_and(|token| token.class == Some(Class::Auxiliary))
    }

    /// Returns whether a clause about a mention follows: "the Wren, which was built in Oslo".
    fn precedes_relative(&self, mention: &Mention) -> bool {
        let which = ["which", "that", "whose", "where"];
        self.token_after(mention).is_some_and(|token| which.contains(&token.norm.as_ref()))
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
        let (mut has_auxiliary, mut opener) = (false, Opener::Other);
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
            // "It tells that the mast of …"
            if token.norm == "that" && !words.is_empty() && self.opens_clause(at + 1) {
                opener = Opener::That;
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
                Some(Class::Auxiliary) => {
                    has_auxiliary = true;
                    words.push(token.norm.as_ref());
                }
                Some(class @ (Class::Pronoun | Class::Conjunction)) if !words.is_empty() => {
                    if class == Class::Pronoun {
                        opener = Opener::Pronoun;
                    }
                    break;
                }
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
        Words { text, content, attaches, head, has_auxiliary, opener }
    }

    fn opens_clause(&self, at: usize) -> bool {
        let token = self.text.tokens.get(at);
        token.is_some_and(|token| matches!(token.class, Some(Class::Determiner | Class::Pronoun)))
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

/// How a sentence names its topic.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Topic {
    /// It does not, up to here.
    Unseen,
    /// As the subject or object of a verb.
    Free,
    /// As what has something, "the captain of the Wren", of which the sentence speaks.
    Owner(String),
    /// After a preposition: "On the Wren".
    Beside,
}

impl Topic {
    fn end_clause(&mut self) {
        if matches!(self, Self::Owner(_)) {
            *self = Self::Beside;
        }
    }

    fn owned(&self) -> Option<&str> {
        match self {
            Self::Owner(owned) => Some(owned),
            _ => None,
        }
    }
}

struct Words {
    text: String,
    content: usize,
    /// Whether the last word is a preposition that attaches to a verb.
    attaches: bool,
    /// The length of the text without its final prepositions.
    head: usize,
    has_auxiliary: bool,
    opener: Opener,
}

/// What stands before words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opener {
    Pronoun,
    /// "That", which begins a clause.
    That,
    Other,
}

impl Words {
    /// Returns whether they equate what is around them: "is".
    fn is_bare(&self) -> bool {
        self.content == 0 && self.has_auxiliary && !self.attaches && self.opener != Opener::Pronoun
    }

    /// Returns what has the name after them: "captain" of "the captain of".
    fn owned(&self) -> Option<String> {
        let last = self.text.rsplit(' ').next().unwrap_or_default();
        let text = if is_genitive(last) { &self.text[..self.head] } else { &self.text };
        (self.content > 0 && self.head < self.text.len()).then(|| text.to_owned())
    }
}

/// Whether a preposition says to whom or what something belongs.
fn is_genitive(word: &str) -> bool {
    matches!(word, "of" | "von" | "vom" | "de" | "du" | "des" | "del" | "della" | "di" | "do" | "da" | "van")
}

fn ends_clause(gap: &str) -> bool {
    gap.contains([',', ';', ':', '(', ')', '—', '–', '，', '；', '：', '、', '،'])
}
