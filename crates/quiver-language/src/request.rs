//! Requests for a summary: "Give me a digest of …", "How did … go?"

use std::{iter::once, ops::Range};

use crate::{
    pack::{Kind, Language, classes_of_words},
    read,
    word::is_past,
};

/// Maximum number of words in the name of a thing that a question turns to.
const THING_WORDS_MAX: usize = 8;

classes_of_words! {
    /// The part that a word plays in a request.
    pub enum Request in "../packs/en/requests.tsv" {
        /// A summary: "overview".
        Noun = "noun",
        /// A summary, if it is asked for as one: "report".
        Report = "report",
        /// Describes a summary: "short".
        Quality = "quality",
        /// Asks for a summary of its object: "sum up".
        Verb = "verb",
        /// Asks for its object: "give".
        Giving = "giving",
        /// Says how something goes: "fare".
        Outcome = "outcome",
        /// Says what there is "to tell".
        Telling = "telling",
        /// Goes back to a thing: "returning to".
        Returning = "returning",
    }
}

/// A request for a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryRequest {
    /// The byte ranges of the words that make the request. The others say what is to be summarised.
    pub asking: Vec<Range<usize>>,
    /// Whether it is a question about something particular, so that an answer has to say all of it: "How did the sale
    /// go?"
    pub is_question: bool,
}

/// Finds a request for a summary in a question.
pub fn summary_request(question: &str) -> Option<SummaryRequest> {
    let text = Words::of(question);
    let mut request = None;
    let mut asides: Vec<Range<usize>> = Vec::new();
    for sentence in text.sentences() {
        match text.noun_alone(&sentence) {
            Some(words) => asides.push(words),
            None if request.is_none() => request = text.requested(&sentence),
            None => {}
        }
    }
    let asked_anyway = || (!asides.is_empty()).then(|| (Vec::new(), false));
    let (mut asking, is_question) = request.or_else(asked_anyway)?;
    asking.extend(asides);
    let is_new = |manner: &Range<usize>| !asking.iter().any(|asked| asked.contains(&manner.start));
    let manner: Vec<Range<usize>> = text.manner().into_iter().filter(is_new).collect();
    asking.extend(manner);
    asking.sort_by_key(|words| words.start);
    let asking: Vec<Range<usize>> = asking.into_iter().map(|words| text.bytes(&words)).collect();
    let has_rest =
        text.words.iter().any(|(_, bytes)| !asking.iter().any(|asked| asked.contains(&bytes.start)));
    has_rest.then_some(SummaryRequest { asking, is_question })
}

/// Finds the words with which a question turns to a thing before it asks: "*Back to* Ostra: who found it?"
pub fn opening(question: &str) -> Option<Range<usize>> {
    let text = Words::of(question);
    let start = text.skip(0, is_filler);
    let end = text.phrase(start, Request::Returning)?;
    let asks = |kind| {
        matches!(kind, Kind::Question | Kind::Relative | Kind::Be | Kind::Do | Kind::Have | Kind::Modal)
    };
    let begins = |at: usize| {
        let gap = text.gap_after(at - 1);
        let is_question = || Language::English.kind(text.word(at)).is_some_and(asks);
        gap.contains(':') || (gap.contains([',', '–', '—']) || gap.contains(". ")) && is_question()
    };
    let thing = end + 1..text.words.len();
    thing.take(THING_WORDS_MAX).any(begins).then(|| text.bytes(&(start..end)))
}

/// The words of a question in lower case.
struct Words<'t> {
    text: &'t str,
    words: Vec<(String, Range<usize>)>,
}

/// The words that make a request, and whether it is a question.
type Asked = (Vec<Range<usize>>, bool);

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Self {
        let mut words = Vec::new();
        for token in read(text).tokens {
            // "I'd", "what's": the ending is a word of its own.
            let at = token.text.find(['\'', '’']).filter(|at| *at > 0).unwrap_or(token.text.len());
            for part in [0..at, at..token.text.len()].into_iter().filter(|part| !part.is_empty()) {
                let range = token.range.start + part.start..token.range.start + part.end;
                words.push((text[range.clone()].to_lowercase().replace('’', "'"), range));
            }
        }
        Self { text, words }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |(word, _)| word.as_str())
    }

    fn bytes(&self, words: &Range<usize>) -> Range<usize> {
        self.words[words.start].1.start..self.words[words.end - 1].1.end
    }

    fn gap_after(&self, at: usize) -> &str {
        let end = self.words.get(at + 1).map_or(self.text.len(), |(_, next)| next.start);
        &self.text[self.words[at].1.end..end]
    }

    /// The word ranges of the sentences.
    fn sentences(&self) -> Vec<Range<usize>> {
        let mut sentences = Vec::new();
        let mut start = 0;
        for at in 0..self.words.len() {
            let gap = self.gap_after(at);
            if at + 1 == self.words.len() || gap.contains(['?', '!']) || gap.contains(". ") {
                sentences.push(start..at + 1);
                start = at + 1;
            }
        }
        sentences
    }

    fn says(&self, at: usize, phrase: &str) -> Option<usize> {
        let words = phrase.split(' ');
        let count = words.clone().count();
        words.enumerate().all(|(offset, word)| self.word(at + offset) == word).then_some(at + count)
    }

    /// Where the longest phrase of a class that begins at a word ends.
    fn phrase(&self, at: usize, class: Request) -> Option<usize> {
        words_of(class).filter_map(|phrase| self.says(at, phrase)).max()
    }

    fn skip(&self, mut at: usize, is_passed: impl Fn(&str) -> bool) -> usize {
        while at < self.words.len() && is_passed(self.word(at)) {
            at += 1;
        }
        at
    }

    /// Where "a short summary" ends.
    fn noun_phrase(&self, at: usize, is_given: bool) -> Option<usize> {
        let at = self.skip(at, |word| matches!(word, "a" | "an" | "the" | "some" | "me" | "us" | "with"));
        // "The short version": its quality belongs to the phrase.
        let whole = self.phrase(at, Request::Noun);
        let at = self.skip(at, |word| says(word, Request::Quality));
        whole
            .or_else(|| self.phrase(at, Request::Noun))
            .or_else(|| self.phrase(at, Request::Report).filter(|_| is_given))
    }

    /// A sentence that only asks for a summary: "A short summary, please."
    fn noun_alone(&self, sentence: &Range<usize>) -> Option<Range<usize>> {
        let start = self.skip(sentence.start, is_filler);
        let end = self.noun_phrase(start, false)?;
        // "A summary will do."
        let enough = ["will do", "would do", "is enough", "will suffice", "is all i need", "would be nice"];
        let end = enough.iter().find_map(|enough| self.says(end, enough)).unwrap_or(end);
        (self.skip(end, is_filler) >= sentence.end).then(|| sentence.clone())
    }

    fn requested(&self, sentence: &Range<usize>) -> Option<Asked> {
        let from = sentence.start;
        let start = self.skip(from, is_filler);
        let polite = self.polite(start);
        self.by_verb(from, polite)
            .or_else(|| self.by_noun(from, start, polite))
            .map(|end| (once(from..end).collect(), false))
            .or_else(|| self.by_telling(from, start).map(|end| (once(from..end).collect(), true)))
            .or_else(|| self.by_outcome(from, start, polite, sentence.end))
    }

    /// Where "could you please", "I'd like you to" or "let me" ends.
    fn polite(&self, at: usize) -> usize {
        let you = ["can you", "could you", "would you", "will you", "can i", "could i", "may i", "can we"];
        let like = [
            "i 'd like",
            "i would like",
            "we 'd like",
            "we would like",
            "i want",
            "i need",
            "let me",
            "let us",
        ];
        let end = you.iter().find_map(|phrase| self.says(at, phrase));
        let end = end.or_else(|| like.iter().find_map(|phrase| self.says(at, phrase)));
        let end = end.map(|end| self.skip(end, is_filler));
        end.map_or(at, |end| self.says(end, "you to").or_else(|| self.says(end, "to")).unwrap_or(end))
    }

    fn by_verb(&self, from: usize, at: usize) -> Option<usize> {
        let end = self.phrase(at, Request::Verb)?;
        // "Outline" and "recap" may begin a name or be nouns.
        let is_object = end < self.words.len() && self.gap_after(end - 1).trim().is_empty();
        let end = self.says(end, "for me").unwrap_or(end);
        (is_object && end > from).then_some(end)
    }

    fn by_noun(&self, from: usize, start: usize, polite: usize) -> Option<usize> {
        let giving = says(self.word(polite), Request::Giving);
        let is_given = giving || polite > start;
        let what = self.says(start, "what is").or_else(|| self.says(start, "what 's"));
        let at = what.unwrap_or(polite + usize::from(giving));
        // "What is the outline of the lake?" may ask for a property.
        let is_core = what.is_none() || self.says(at, "the gist").is_some() || self.is_version(at);
        let end = self.noun_phrase(at, is_given).filter(|_| is_core)?;
        let links = ["of", "on", "about", "for", "regarding", "concerning", "to"];
        let end = links.iter().find_map(|link| self.says(end, link))?;
        // "A digest of how the sale went"
        let end = if self.word(end) == "how" { end + 1 } else { end };
        (end > from && end < self.words.len()).then_some(end)
    }

    /// "The short version"
    fn is_version(&self, at: usize) -> bool {
        let at = at + usize::from(self.word(at) == "the");
        self.phrase(at, Request::Noun).is_some_and(|end| self.word(end - 1) == "version")
    }

    /// "What is there to say about", "What can you tell me about".
    fn by_telling(&self, from: usize, start: usize) -> Option<usize> {
        let opening = [
            "what is there to",
            "what 's there to",
            "what can you",
            "what could you",
            "what do we",
            "what do you",
        ];
        let at = opening.iter().find_map(|opening| self.says(start, opening))?;
        let at = (at..=at + 1).find(|at| says(self.word(*at), Request::Telling))?;
        let at = self.skip(at + 1, |word| matches!(word, "me" | "us"));
        self.says(at, "about").filter(|end| *end > from && *end < self.words.len())
    }

    /// "How did the sale go", "Tell me how the sale went": the words around what went.
    fn by_outcome(&self, from: usize, start: usize, polite: usize, end: usize) -> Option<Asked> {
        let told = ["tell me", "tell us", "know", "say", "report"];
        let indirect = told.iter().find_map(|told| {
            // "Tell me briefly how"
            let manner =
                self.skip(self.says(polite, told)?, |word| matches!(word, "briefly" | "quickly" | "roughly"));
            self.says(manner, "how")
        });
        let asked = ["how did", "how has", "how have", "how is", "how are", "how was", "how were"];
        let subject = indirect.or_else(|| asked.iter().find_map(|asked| self.says(start, asked)))?;
        let is_direct = indirect.is_none();
        let is_base =
            |at: usize| is_direct == !matches!(self.word(at), "went" | "did" | "fared" | "performed");
        let is_base = |at: usize| is_base(at) || !is_direct && is_past(self.word(at));
        let outcome = (subject + 1..end).find_map(|at| {
            let after = self.phrase(at, Request::Outcome).filter(|_| is_base(at))?;
            let closes = after >= end
                || !self.gap_after(after - 1).trim().is_empty()
                || is_circumstance(self.word(after));
            let at = if matches!(self.word(at - 1), "been" | "is" | "has" | "have") && at > subject + 1 {
                at - 1
            } else {
                at
            };
            closes.then_some(at..after)
        })?;
        let is_personal = matches!(self.word(subject), "i" | "you" | "we" | "one" | "people" | "to");
        (!is_personal).then(|| (vec![from..subject, outcome], true))
    }

    /// "In brief", "for me", "please" at the end.
    fn manner(&self) -> Vec<Range<usize>> {
        let phrases = [
            "in brief",
            "briefly",
            "in short",
            "in a nutshell",
            "in a few words",
            "in a few sentences",
            "in outline",
            "for me",
            "please",
            "for us",
            "thanks",
            "in a few lines",
        ];
        let mut end = self.words.len();
        let mut found = Vec::new();
        while let Some(start) =
            (0..end).rev().take(4).find(|at| phrases.iter().any(|phrase| self.says(*at, phrase) == Some(end)))
        {
            found.push(start..end);
            end = start;
        }
        found
    }
}

/// Words without content before a request.
fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "please"
            | "now"
            | "ok"
            | "okay"
            | "so"
            | "and"
            | "then"
            | "just"
            | "hi"
            | "hello"
            | "thanks"
            | "kindly"
            | "first"
    )
}

/// Whether a word after "how did it go" begins a time or a place, or judges it.
fn is_circumstance(word: &str) -> bool {
    matches!(
        word,
        "in" | "on"
            | "at"
            | "with"
            | "during"
            | "over"
            | "throughout"
            | "since"
            | "for"
            | "last"
            | "this"
            | "so"
            | "overall"
            | "under"
    )
}

#[cfg(test)]
mod request_tests {
    use super::{opening, summary_request};

    fn rest(question: &str) -> Option<String> {
        let request = summary_request(question)?;
        let mut rest = question.to_owned();
        for asked in request.asking.iter().rev() {
            rest.replace_range(asked.clone(), "");
        }
        Some(
            rest.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .trim_matches(['?', '.', ',', ' '])
                .to_owned(),
        )
    }

    #[test]
    fn the_words_of_a_request_are_told_from_what_is_to_be_summarised() {
        for (question, expected) in [
            ("Give me a summary of the Ostra survey.", "the Ostra survey"),
            ("Summarise the Ostra survey for me, please.", "the Ostra survey"),
            ("Could you please sum up 2021 at Ostra?", "2021 at Ostra"),
            ("Let me have a brief account of the Ostra survey", "the Ostra survey"),
            ("I'd like an executive summary of Ostra.", "Ostra"),
            ("A short overview of Ostra, please.", "Ostra"),
            ("Give me the short version of the Ostra survey.", "the Ostra survey"),
            ("Walk me through the Ostra survey", "the Ostra survey"),
            ("What's the gist of the Ostra survey?", "the Ostra survey"),
            ("What can you tell me about Ostra?", "Ostra"),
            ("How did the Ostra survey turn out in 2021?", "the Ostra survey in 2021"),
            ("How has Ostra been doing since 2021?", "Ostra since 2021"),
            ("Tell me how Ostra fared.", "Ostra"),
            ("How did Ostra go? A brief recap, please.", "Ostra"),
            ("How did Ostra stand in May? A summary will do.", "Ostra in May"),
            ("How did Ostra do with the caves?", "Ostra with the caves"),
            ("Tell me briefly how Ostra turned out.", "Ostra"),
            ("What's the short version of the Ostra survey?", "the Ostra survey"),
        ] {
            assert_eq!(rest(question).as_deref(), Some(expected), "{question}");
        }
    }

    #[test]
    fn a_question_may_turn_to_a_thing_before_it_asks() {
        for (question, expected) in [
            ("Back to Ostra: who found it?", Some("Back to")),
            ("And to come back to the Ostra survey, how long did it take?", Some("to come back to")),
            ("As for Ostra: in which year was it found?", Some("As for")),
            ("Returning to Ostra in 2021, the crew was larger", None),
            ("Once again on Ostra: who found it?", Some("Once again on")),
            ("Let's go back to Ostra: who found it?", Some("Let's go back to")),
            ("One more thing about Ostra: who found it?", Some("One more thing about")),
            ("About Ostra, who found it?", Some("About")),
            ("Let's go back to Ostra. Who found it?", Some("Let's go back to")),
            ("Let's go back to Ostra. The map is lost.", None),
            ("Who went back to Ostra?", None),
        ] {
            assert_eq!(opening(question).map(|range| &question[range]), expected, "{question}");
        }
    }

    #[test]
    fn other_questions_are_no_requests() {
        for question in [
            "Who wrote the summary of the Ostra survey?",
            "How did Ostra go about the survey?",
            "How did the crew do it?",
            "How do I go to Ostra?",
            "What is the overview page for?",
            "Show the report.",
            "What did the account of 1912 say about Ostra?",
            "Which outline did Ostra use?",
            "What is the outline of Ostra?",
            "Where did Ostra stand in 1902?",
            "How was the bridge built in 1902?",
            "Summary",
        ] {
            assert_eq!(summary_request(question), None, "{question}");
        }
    }
}
