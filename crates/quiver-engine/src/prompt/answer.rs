//! An answer from the evidence alone, every sentence with its passages.
//!
//! The reply is text, not JSON, so that it can be shown while it comes.

use std::{collections::HashSet, fmt, ops::Range};

use quiver_models::{
    Lexical,
    chat::{
        ChatReply, ChatRequest, Message,
        read::{self, Problem},
    },
};
use serde::Serialize;

use super::{
    evidence::{EVIDENCE_IS_DATA, PromptPassage, asked, block, labels, unescape},
    grounds::{Grounds, numbers},
};
use crate::extract::{MentionKind, mentions, sentences};

/// How the model says that the passages don't answer.
const NO_ANSWER: &str = "NO ANSWER";
/// How many of a sentence's words that say something have to stand in the passages or the question.
const SAID_SHARE_MIN: f32 = 0.5;
const TOKENS_MAX: u32 = 1024;

/// An answer as far as the evidence supports it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answered {
    /// The sentences that stand, without their marks, each with the positions of the passages that support it.
    pub sentences: Vec<(String, Vec<usize>)>,
    /// The sentences that don't.
    pub dropped: Vec<Dropped>,
    /// Why there is no answer, where no sentence stands.
    pub refusal: Option<String>,
    /// What was not as it was asked for.
    pub problems: Vec<Problem>,
}

/// A sentence that the evidence does not support.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The sentence.
    pub sentence: String,
    /// Why it does not stand.
    pub why: Unsupported,
}

/// Why a sentence does not stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum Unsupported {
    /// It cites nothing, and no passage says it.
    Uncited,
    /// It says a number that no cited passage says.
    Number {
        /// The number.
        number: String,
    },
    /// It says a name that no cited passage says.
    Name {
        /// The name.
        name: String,
    },
    /// Too few of its words stand in what it cites.
    Words,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uncited => f.write_str("it cites nothing"),
            Self::Number { number } => write!(f, "no cited passage says {number}"),
            Self::Name { name } => write!(f, "no cited passage names {name}"),
            Self::Words => f.write_str("too little of it stands in what it cites"),
        }
    }
}

impl Answered {
    /// The sentences that stand, or `None` where none does.
    pub fn text(&self) -> Option<String> {
        let sentences: Vec<&str> = self.sentences.iter().map(|(sentence, _)| sentence.as_str()).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

/// Asks for the answer to a question from passages.
pub fn answer_request(question: &str, passages: &[PromptPassage<'_>]) -> ChatRequest {
    let instructions = format!(
        "You answer a question from the given passages alone, in the language of the question, in a few plain \
         sentences. Put the ids of the passages that say it after every sentence, in brackets, before the full stop: \
         [P1] or [P1, P3]. Say nothing that the passages don't say, and keep their names and numbers. If they don't \
         answer the question, write {NO_ANSWER} and, in one sentence, what is missing.\n\n{EVIDENCE_IS_DATA}"
    );
    let shown = format!("{}\n{}", block(passages), asked(question));
    ChatRequest::new([Message::system(instructions), Message::user(shown)])
        .with_tokens_max(TOKENS_MAX)
        .for_job("answer")
        .for_question(question)
}

/// Reads an answer, and checks every sentence against the passages that it cites.
///
/// A sentence stands when its names and numbers, and half of its words that say something, are in what it cites or in
/// the question. One whose citation is missing or does not support it gets the passage that does, where there is one.
pub fn read_answer(reply: &ChatReply, question: &str, passages: &[PromptPassage<'_>]) -> Answered {
    let read::Read { value: said, problems } = read::text(reply);
    let mut answered = Answered { problems, ..Answered::default() };
    if let Some(refusal) = &reply.refusal {
        answered.refusal = Some(refusal.trim().to_owned());
        return answered;
    }
    let said = unescape(said);
    if let Some(missing) = said.strip_prefix(NO_ANSWER) {
        let missing = missing.trim_matches(|character: char| !character.is_alphanumeric());
        answered.refusal = Some(format!("the passages don't answer the question: {missing}"));
        return answered;
    }
    let checks = Checks::new(question, passages);
    let marked = Marked::new(&said, &labels(passages.len()), &mut answered.problems);
    let is_cut = answered.problems.contains(&Problem::Cut);
    let ranges = sentences(&marked.text);
    for (number, range) in ranges.iter().enumerate() {
        let sentence = marked.text[range.clone()].trim();
        // The end of a sentence that is cut may be what turns it round.
        if sentence.is_empty() || is_cut && number + 1 == ranges.len() {
            continue;
        }
        match checks.supports(sentence, marked.cited(range)) {
            Ok(cited) => answered.sentences.push((sentence.to_owned(), cited)),
            Err(why) => answered.dropped.push(Dropped { sentence: sentence.to_owned(), why }),
        }
    }
    if answered.sentences.is_empty() {
        answered.refusal = Some("the passages support nothing that the model said".to_owned());
    }
    answered
}

/// A text without the marks of its citations, and where these stood.
struct Marked {
    text: String,
    /// After which byte of the text which passages are cited.
    citations: Vec<(usize, Vec<usize>)>,
}

impl Marked {
    fn new(said: &str, labels: &[String], problems: &mut Vec<Problem>) -> Self {
        let mut marked = Self { text: String::with_capacity(said.len()), citations: Vec::new() };
        let mut rest = said;
        while let Some(open) = rest.find('[') {
            let inside = rest[open + 1..].find([']', '[']).map(|end| &rest[open + 1..open + 1 + end]);
            let names: Vec<&str> = inside.map(|inside| label_list(inside)).unwrap_or_default();
            if names.is_empty() {
                marked.text.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
                continue;
            }
            marked.text.push_str(rest[..open].trim_end_matches(' '));
            let mut cited = Vec::new();
            for name in names {
                match labels.iter().position(|label| label.eq_ignore_ascii_case(name)) {
                    Some(position) if !cited.contains(&position) => cited.push(position),
                    Some(_) => {}
                    None => problems
                        .push(Problem::Unknown { path: "the answer".to_owned(), named: name.to_owned() }),
                }
            }
            marked.citations.push((marked.text.len(), cited));
            rest = &rest[open + 1 + inside.map_or(0, str::len) + 1..];
        }
        marked.text.push_str(rest);
        marked
    }

    /// What a sentence cites: the marks inside it, and those that follow its end.
    fn cited(&self, sentence: &Range<usize>) -> Vec<usize> {
        let mut cited: Vec<usize> = Vec::new();
        for (after, positions) in &self.citations {
            // A mark belongs to what it follows.
            let before = self.text[..*after].trim_end().len();
            if sentence.start < before && before <= sentence.end {
                cited.extend(positions);
            }
        }
        let mut met = HashSet::new();
        cited.retain(|position| met.insert(*position));
        cited
    }
}

/// The labels in a mark, or nothing if it is none: `P1`, `P1, P3`, `P1; P2`.
fn label_list(inside: &str) -> Vec<&str> {
    let names: Vec<&str> =
        inside.split([',', ';', ' ']).map(str::trim).filter(|name| !name.is_empty()).collect();
    let is_label = |name: &&str| {
        let digits = name.strip_prefix(['P', 'p']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    if names.iter().all(is_label) { names } else { Vec::new() }
}

/// What sentences are checked against.
struct Checks {
    question: Grounds,
    passages: Vec<Grounds>,
}

impl Checks {
    fn new(question: &str, passages: &[PromptPassage<'_>]) -> Self {
        let grounds =
            |passage: &PromptPassage<'_>| Grounds::new(passage.title.into_iter().chain([passage.text]));
        Self { question: Grounds::new([question]), passages: passages.iter().map(grounds).collect() }
    }

    /// The passages that support a sentence: those that it cites, or else one that does.
    fn supports(&self, sentence: &str, cited: Vec<usize>) -> Result<Vec<usize>, Unsupported> {
        let why = if cited.is_empty() { Some(Unsupported::Uncited) } else { self.check(sentence, &cited) };
        let Some(why) = why else { return Ok(cited) };
        let other = (0..self.passages.len()).find(|position| self.check(sentence, &[*position]).is_none());
        other.map(|other| vec![other]).ok_or(why)
    }

    /// What of a sentence some passages don't support.
    fn check(&self, sentence: &str, cited: &[usize]) -> Option<Unsupported> {
        let cited: Vec<&Grounds> = cited.iter().map(|position| &self.passages[*position]).collect();
        let is_said = |says: &dyn Fn(&Grounds) -> bool| {
            says(&self.question) || cited.iter().any(|grounds| says(grounds))
        };
        let number = numbers(sentence).find(|number| !is_said(&|grounds| grounds.says_number(number)));
        if let Some(number) = number {
            return Some(Unsupported::Number { number });
        }
        let names = mentions(sentence).into_iter().filter(|mention| mention.kind == MentionKind::Name);
        let name =
            names.map(|mention| mention.name).find(|name| !is_said(&|grounds| grounds.says_name(name)));
        if let Some(name) = name {
            return Some(Unsupported::Name { name });
        }
        let terms: Vec<u32> = Lexical::new().query_terms(sentence);
        let said = terms.iter().filter(|term| is_said(&|grounds| grounds.says_term(**term))).count();
        let is_new = terms.iter().any(|term| cited.iter().any(|grounds| grounds.says_term(*term)));
        let is_supported = is_new && said as f32 >= SAID_SHARE_MIN * terms.len() as f32;
        (!is_supported).then_some(Unsupported::Words)
    }
}
