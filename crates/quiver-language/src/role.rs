//! Roles: what fills a role for something, such as "The main blocker for Apollo was Zeus" and "Who is the
//! head of Surgery?"
//!
//! [`roles_in`] finds the roles stated in a sentence, and [`asked_role`] the role that a question asks about.
//! A sentence counts only if its subject consists of just the role and the thing, and if the verb is followed
//! by a name or noun: "The head of Surgery is on leave" states no role. English only.

use std::{collections::HashSet, ops::Range, sync::LazyLock};

use crate::{
    lexicon::{is_adjective, is_past_form},
    pack::{self, rows},
    token::{norm, possessor, spaced_words},
};

/// Maximum number of words in a role.
const PART_WORDS_MAX: usize = 4;
/// Maximum number of words in the name of a thing.
const THING_WORDS_MAX: usize = 8;
/// Maximum number of words in a label before a colon.
const LABEL_WORDS_MAX: usize = 8;

/// A role for a thing, as byte ranges of a text: "the *main blocker* for *Project Apollo* *in Q3*".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// The role: a noun with the words before it, without an article.
    pub part: Range<usize>,
    /// The preposition between the role and the thing, if it distinguishes roles, such as "to" and "from". `None` for
    /// the possessive and for "of", "for", "in" and "at".
    pub link: Option<&'static str>,
    /// The thing, without an article. `None` if it was named before: "its main blocker".
    pub thing: Option<Range<usize>>,
    /// When or where this holds; empty if not stated.
    pub limits: Range<usize>,
}

/// A role stated in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleSaid {
    /// The role and the thing.
    pub role: Role,
    /// When or where this holds, if stated at the start of the sentence; otherwise empty.
    pub opening: Range<usize>,
    /// The value that fills the role. `None` if the verb is not followed by a name or noun: "The head of
    /// Surgery is on leave".
    pub value: Option<Range<usize>>,
    /// Whether it is in the past tense. `None` for a label: "Head of Surgery: Ann Lee".
    pub is_past: Option<bool>,
    /// Whether it is hypothetical: "would be", "might have been".
    pub is_supposed: bool,
    /// Whether it is negated or unknown: "is not", "is unclear".
    pub is_denied: bool,
}

/// A role that a question asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleAsked {
    /// The role and the thing.
    pub role: Role,
    /// Whether the question asks for a person.
    pub is_person: bool,
    /// Whether the question is in the past tense.
    pub is_past: bool,
}

/// Returns whether a lower-case word before a noun negates or qualifies it: "former", "deputy".
pub fn is_privative(word: &str) -> bool {
    PRIVATIVE.contains(word)
}

/// Returns whether a lower-case adjective means first in rank or importance: "main", "key".
pub fn is_of_first_rank(word: &str) -> bool {
    RANK.contains(word)
}

static RANK: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    rows(include_str!("../packs/en/rank.txt")).flatten().flat_map(|line| line.split(' ')).collect()
});

static PRIVATIVE: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    rows(include_str!("../packs/en/privative.txt")).flatten().flat_map(|line| line.split(' ')).collect()
});

/// Finds the role that a question asks about: "What was the main blocker for Apollo?", "Who is Surgery's
/// head?" Returns `None` for other questions.
pub fn asked_role(question: &str) -> Option<RoleAsked> {
    let question = question.trim_end().trim_end_matches('?');
    let text = Sentence::of(question, 0..question.len());
    let (is_person, is_past, mut from) = match [text.lower(0), text.lower(1)] {
        [who @ ("who" | "what" | "which"), verb @ ("is" | "are" | "was" | "were")] => {
            (who == "who", matches!(verb, "was" | "were"), 2)
        }
        [who @ ("who's" | "what's"), _] => (who == "who's", false, 1),
        _ => return None,
    };
    if text.has_break(from..text.words.len()) {
        return None;
    }
    let named = from + usize::from(text.lower(from) == "the");
    if text.lower(named) == "name" && text.lower(named + 1) == "of" {
        // "What is the name of the head of Surgery?", but not "What is the name of Surgery?"
        let is_of_role = text.role(named + 2..text.words.len()).is_some_and(|role| role.thing.is_some());
        from = if is_of_role { named + 2 } else { from };
    }
    let role = text.role(from..text.words.len()).filter(|role| role.thing.is_some())?;
    Some(RoleAsked { role, is_person, is_past })
}

/// Finds the roles stated in a sentence, in order: "The main blocker for Apollo was Zeus", "Its head is Ann Lee", "Ann
/// Lee is the head of Surgery", "Head of Surgery: Ann Lee".
pub fn roles_in(sentence: &str) -> Vec<RoleSaid> {
    let said = sentence.trim_end();
    let has_verb =
        [" is ", " are ", " was ", " were ", " be ", " been ", ": "].iter().any(|verb| said.contains(verb));
    if said.ends_with('?') || !has_verb {
        return Vec::new();
    }
    clauses(said).into_iter().flat_map(|clause| Sentence::of(said, clause).roles()).collect()
}

/// Splits a sentence where a new clause may begin.
fn clauses(sentence: &str) -> Vec<Range<usize>> {
    let mut cuts: Vec<(usize, usize)> = ["; ", ", and ", ", but ", ", while ", ", whereas "]
        .iter()
        .flat_map(|cut| sentence.match_indices(cut).map(|(at, cut)| (at, at + cut.len())))
        .collect();
    cuts.sort_unstable();
    let mut from = 0;
    let mut found = Vec::new();
    for (end, next) in cuts {
        found.push(from..end);
        from = next;
    }
    found.push(from..sentence.len());
    found
}

/// The words of a text.
struct Sentence<'t> {
    text: &'t str,
    words: Vec<Range<usize>>,
    lower: Vec<String>,
}

impl<'t> Sentence<'t> {
    fn of(text: &'t str, within: Range<usize>) -> Self {
        let words = spaced_words(text, within);
        let lower = words.iter().map(|word| norm(&text[word.clone()]).into_owned()).collect();
        Self { text, words, lower }
    }

    fn lower(&self, at: usize) -> &str {
        self.lower.get(at).map_or("", String::as_str)
    }

    fn is_capital(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| self.text[word.clone()].starts_with(char::is_uppercase))
    }

    /// Returns the text between a word and the previous one.
    fn gap(&self, at: usize) -> &str {
        match (at.checked_sub(1).and_then(|before| self.words.get(before)), self.words.get(at)) {
            (Some(before), Some(word)) => &self.text[before.end..word.start],
            _ => "",
        }
    }

    fn is_break(&self, at: usize) -> bool {
        self.gap(at).contains([',', ';', ':', '(', ')', '.', '!', '?', '—', '–', '|', '\n'])
    }

    fn has_break(&self, within: Range<usize>) -> bool {
        (within.start + 1..within.end).any(|at| self.is_break(at))
    }

    fn bytes(&self, words: Range<usize>) -> Range<usize> {
        match (self.words.get(words.start), words.end.checked_sub(1).and_then(|last| self.words.get(last))) {
            (Some(first), Some(last)) if words.start < words.end => first.start..last.end,
            _ => 0..0,
        }
    }

    fn is_possessive(&self, at: usize) -> bool {
        let lower = self.lower(at);
        let next = self.words.get(at).map_or("", |word| &self.text[word.end..]);
        lower.ends_with("'s") || lower.ends_with('s') && next.starts_with(['\'', '’']) && self.gap(at) == " "
    }

    /// Returns all roles stated in a clause.
    fn roles(&self) -> Vec<RoleSaid> {
        let mut found = Vec::new();
        let count = self.words.len();
        if let Some(colon) = (1..count.min(LABEL_WORDS_MAX + 1)).find(|at| self.is_break(*at))
            && self.gap(colon).contains(':')
            && self.is_value(colon..count)
            && let Some(role) = self.role(0..colon)
        {
            let value = Some(self.bytes(colon..count));
            found.push(RoleSaid {
                role,
                opening: 0..0,
                value,
                is_past: None,
                is_supposed: false,
                is_denied: false,
            });
        }
        let is_verb = |at: &usize| matches!(self.lower(*at), "is" | "are" | "was" | "were" | "be" | "been");
        let Some(verb) = (1..count).find(is_verb).filter(|verb| verb + 1 < count) else { return found };
        let is_supposed = matches!(self.lower(verb), "be" | "been");
        let before = 1 + usize::from(self.lower(verb) == "been");
        let subject = if is_supposed { verb.saturating_sub(before) } else { verb };
        let is_mood = matches!(self.lower(subject), "would" | "could" | "might" | "may" | "should" | "will");
        if is_supposed && !is_mood {
            return found;
        }
        let is_denied =
            matches!(self.lower(verb + 1), "not" | "never" | "no" | "unknown" | "unclear" | "uncertain");
        let is_past = Some(matches!(self.lower(verb), "was" | "were"));
        let opening = self.opening(verb);
        let said = |role, value| {
            let opening = self.bytes(0..opening);
            RoleSaid { role, opening, value, is_past, is_supposed, is_denied }
        };
        if !self.has_break(opening..verb + 1)
            && let Some(role) = self.role(opening..subject)
        {
            let value = self.is_value(verb + 1..count).then(|| self.bytes(self.value_start(verb + 1)..count));
            found.push(said(role, value));
        }
        let named = self.value_start(verb + 1);
        let is_one = matches!(self.lower(named), "the" | "a" | "an" | "one" | "another" | "its" | "their")
            || self.is_possessive(named);
        if is_one
            && self.is_subject(opening..subject)
            && let Some(role) = self.role(named..self.phrase_end(named, count))
        {
            let value = Some(self.bytes(opening..subject));
            found.push(said(role, value));
        }
        found
    }

    /// Returns the first word of the subject, after "In 2024,".
    fn opening(&self, verb: usize) -> usize {
        let leads = matches!(
            self.lower(0),
            "in" | "during"
                | "since"
                | "at"
                | "on"
                | "for"
                | "as"
                | "by"
                | "if"
                | "unless"
                | "when"
                | "once"
                | "should"
                | "had"
        );
        let comma = (1..verb).find(|at| self.gap(*at).starts_with(','));
        comma.filter(|_| leads).unwrap_or(0)
    }

    /// Returns the first word of the value, after "now" and similar words.
    fn value_start(&self, from: usize) -> usize {
        from + usize::from(matches!(self.lower(from), "currently" | "now" | "presently" | "also"))
    }

    /// Returns the end of a noun phrase after which a clause may continue.
    fn phrase_end(&self, from: usize, end: usize) -> usize {
        let goes_on = |at: &usize| {
            self.is_break(*at)
                || matches!(
                    self.lower(*at),
                    "and"
                        | "who"
                        | "which"
                        | "that"
                        | "but"
                        | "because"
                        | "when"
                        | "where"
                        | "while"
                        | "with"
                        | "by"
                )
        };
        (from + 1..end).find(goes_on).unwrap_or(end)
    }

    /// Parses the role and the thing, if the words contain nothing else.
    fn role(&self, within: Range<usize>) -> Option<Role> {
        let (mut from, end) = (within.start, within.end);
        if self.has_break(within) {
            return None;
        }
        if matches!(self.lower(from), "one" | "some") && self.lower(from + 1) == "of" {
            from += 2;
        }
        let determiner = self.lower(from).to_owned();
        let is_determiner = matches!(determiner.as_str(), "the" | "a" | "an" | "another" | "one" | "our");
        let is_before = matches!(determiner.as_str(), "its" | "their" | "his" | "her");
        from += usize::from(is_determiner || is_before);
        let limits_from = |from: usize| (from..end).find(|at| is_limiting(self.lower(*at))).unwrap_or(end);
        if is_before {
            let limits = limits_from(from);
            let role = self.part(from..limits)?;
            return Some(Role { part: role, link: None, thing: None, limits: self.bytes(limits..end) });
        }
        if let Some(owner) = (from..end).rev().find(|at| self.is_possessive(*at) && at + 1 < end) {
            let limits = limits_from(owner + 1);
            let part = self.part(owner + 1..limits)?;
            let mut thing = self.thing(from..owner + 1)?;
            let owner = &self.text[thing.clone()];
            thing.end = thing.start + possessor(owner).unwrap_or(owner).len();
            return Some(Role { part, link: None, thing: Some(thing), limits: self.bytes(limits..end) });
        }
        let (at, link) = (from + 1..end).find_map(|at| Some((at, link(self.lower(at))?)))?;
        let part = self.part(from..at)?;
        let named = at + 1 + usize::from(matches!(self.lower(at + 1), "the" | "a" | "an" | "our"));
        let limits = limits_from(named + 1);
        let thing = self.thing(named..limits)?;
        Some(Role {
            part,
            link: Some(link).filter(|link| !link.is_empty()),
            thing: Some(thing),
            limits: self.bytes(limits..end),
        })
    }

    fn part(&self, within: Range<usize>) -> Option<Range<usize>> {
        let is_plain = |at: usize| {
            let word = self.lower(at);
            !pack::is_stop(word) && word.starts_with(char::is_alphabetic)
        };
        let last = within.end.checked_sub(1)?;
        let is_part = (1..=PART_WORDS_MAX).contains(&within.len()) && within.clone().all(is_plain);
        (is_part && !is_of_first_rank(self.lower(last))).then(|| self.bytes(within))
    }

    fn thing(&self, within: Range<usize>) -> Option<Range<usize>> {
        let is_pointing = matches!(
            self.lower(within.start),
            "this" | "that" | "these" | "those" | "it" | "them" | "which" | "each"
        );
        let is_thing = (1..=THING_WORDS_MAX).contains(&within.len()) && !is_pointing;
        (is_thing && within.clone().any(|at| !pack::is_stop(self.lower(at)) || self.is_capital(at)))
            .then(|| self.bytes(within))
    }

    /// Whether the words before a verb name something that may fill a role.
    fn is_subject(&self, within: Range<usize>) -> bool {
        let is_name = self.is_capital(within.start) && !pack::is_stop(self.lower(within.start));
        let is_noun = matches!(self.lower(within.start), "the" | "a" | "an" | "our") && within.len() > 1;
        (is_name || is_noun) && !self.has_break(within.start..within.end + 1)
    }

    /// Whether the words after a verb name something, rather than being a description or a participle.
    fn is_value(&self, within: Range<usize>) -> bool {
        let at = self.value_start(within.start);
        let next = self.lower(at + 1);
        let is_last = at + 1 >= within.end || self.is_break(at + 1);
        let says_little = matches!(
            next,
            "same"
                | "following"
                | "case"
                | "matter"
                | "mystery"
                | "question"
                | "subject"
                | "topic"
                | "part"
                | "most"
                | "best"
        );
        match self.lower(at) {
            "" | "no" | "not" | "never" | "none" | "nothing" | "nobody" | "neither" | "unknown"
            | "unclear" | "uncertain" => false,
            "the" | "a" | "an" => !is_last && !says_little,
            "its" | "their" | "his" | "her" | "our" | "your" | "my" | "both" | "that" => !is_last,
            "one" => next != "of",
            "to" => next != "be" && !is_last,
            word if pack::is_stop(word) || pack::Language::English.class(word).is_some() => {
                // "Two crowns".
                pack::Language::English.kind(word) == Some(pack::Kind::Number)
            }
            word if word.starts_with(|c: char| c.is_ascii_digit()) || self.is_capital(at) => true,
            word if word.ends_with("ly") || word.ends_with("ing") || is_past_form(word) => false,
            word if is_adjective(word) => !is_last && !pack::is_stop(next) && !next.ends_with("ly"),
            _ => true,
        }
    }
}

/// Returns the preposition between a role and a thing; empty if it means no more than a possessive.
fn link(word: &str) -> Option<&'static str> {
    const TELLING: [&str; 8] = ["on", "to", "from", "behind", "between", "with", "against", "by"];
    if matches!(word, "of" | "for" | "in" | "at") {
        return Some("");
    }
    TELLING.into_iter().find(|telling| *telling == word)
}

/// Whether a preposition introduces when or where something holds.
fn is_limiting(word: &str) -> bool {
    matches!(
        word,
        "in" | "on"
            | "at"
            | "during"
            | "since"
            | "as"
            | "within"
            | "under"
            | "until"
            | "from"
            | "by"
            | "after"
            | "before"
    )
}

#[cfg(test)]
mod tests {
    use super::{asked_role, is_of_first_rank, is_privative, roles_in};

    /// Returns the texts of the role, the thing, the limits and the value.
    fn said(sentence: &str) -> Vec<[&str; 4]> {
        let found = roles_in(sentence).into_iter().filter(|said| !said.is_supposed).filter_map(|said| {
            let thing = said.role.thing.unwrap_or_default();
            Some([said.role.part, thing, said.role.limits, said.value?].map(|range| &sentence[range]))
        });
        found.collect()
    }

    fn asked(question: &str) -> Option<[&str; 3]> {
        let role = asked_role(question)?.role;
        Some([role.part, role.thing?, role.limits].map(|range| &question[range]))
    }

    #[test]
    fn a_sentence_says_what_plays_a_part() {
        for (sentence, wanted) in [
            (
                "A key blocker for Project Apollo was a dependency.",
                ["key blocker", "Project Apollo", "", "a dependency"],
            ),
            ("The head of Surgery is Ann Lee.", ["head", "Surgery", "", "Ann Lee"]),
            ("The Tarn bridge's main risk is scour.", ["main risk", "Tarn bridge", "", "scour"]),
            ("Its main weakness was now rust.", ["main weakness", "", "", "rust"]),
            (
                "One of the top threats to the fen in 2024 was drought.",
                ["top threats", "fen", "in 2024", "drought"],
            ),
            ("In 2024, the price of a ton was 4 crowns.", ["price", "ton", "", "4 crowns"]),
            ("Warden of Crane Fen: Elke Boon", ["warden", "Crane Fen", "", "Elke Boon"]),
        ] {
            let found = said(sentence);
            assert_eq!(found.len(), 1, "{sentence}: {found:?}");
            assert!(found[0][0].eq_ignore_ascii_case(wanted[0]), "{sentence}: {found:?}");
            assert_eq!(found[0][1..], wanted[1..], "{sentence}");
        }
        assert_eq!(
            said("Ann Lee is the head of Surgery and a mother of two."),
            [["head", "Surgery", "", "Ann Lee"]]
        );
        assert_eq!(
            said("The hut has a roof, and the colour of the hut is ochre."),
            [["colour", "hut", "", "ochre"]]
        );
    }

    #[test]
    fn what_tells_something_else_says_no_part() {
        for sentence in [
            "The head of Surgery is on leave.",
            "The head of Surgery is not Ann Lee.",
            "The head of Surgery would be Ann Lee.",
            "The head of Surgery will be Ann Lee.",
            "The owner of the release is yet to be named.",
            "The price of a barrel is agreed with the carter.",
            "The head of Surgery was running for mayor.",
            "The cost of the hut is high.",
            "The capital of the land is one of the oldest towns.",
            "The head of Surgery, Ann Lee, is the queen.",
            "It is the head of Surgery.",
            "There is a head of Surgery.",
            "Is the head of Surgery Ann Lee?",
            "They say that the head of Surgery is Ann Lee.",
            "If the head of Surgery is Ann Lee, ask her.",
        ] {
            assert_eq!(said(sentence), Vec::<[&str; 4]>::new(), "{sentence}");
        }
    }

    #[test]
    fn a_question_asks_for_what_plays_a_part() {
        for (question, wanted) in [
            ("What were Project Apollo's primary blockers?", ["primary blockers", "Project Apollo", ""]),
            ("What was the main blocker for Apollo in Q3?", ["main blocker", "Apollo", "in Q3"]),
            ("Who's the head of the second violins?", ["head", "second violins", ""]),
            ("What is the name of the head of Surgery?", ["head", "Surgery", ""]),
            ("What is the reason for the delay of Release 4.2?", ["reason", "delay of Release 4.2", ""]),
        ] {
            assert_eq!(asked(question), Some(wanted), "{question}");
        }
        for question in [
            "What is Apollo?",
            "What is its head?",
            "Who leads the head of Surgery?",
            "What are the cause and effect of rust?",
            "Who is the head of Surgery, and since when?",
        ] {
            assert_eq!(asked(question), None, "{question}");
        }
    }

    #[test]
    fn a_sentence_about_a_part_may_name_nothing_or_only_suppose() {
        for (sentence, names, is_supposed) in [
            ("The head of Surgery is on leave.", false, false),
            ("If she agreed, the head of Surgery would be Ann Lee.", true, true),
            ("The head of Surgery would be Ann Lee.", true, true),
            ("Had she agreed, the head of Surgery would have been Ann Lee.", true, true),
        ] {
            let found = roles_in(sentence);
            let wanted = (names, is_supposed);
            assert!(
                found.iter().all(|said| (said.value.is_some(), said.is_supposed) == wanted),
                "{sentence}"
            );
        }
        assert_eq!(roles_in("The head of Surgery is on leave.").len(), 1);
        assert_eq!(roles_in("Had she agreed, the head of Surgery would have been Ann Lee.").len(), 1);
        assert!(roles_in("The head of Surgery is not Ann Lee.")[0].is_denied);
    }

    #[test]
    fn adjectives_of_the_first_rank_are_one_class() {
        assert!(["main", "key", "primary"].into_iter().all(is_of_first_rank));
        assert!(!["secondary", "possible", "last"].into_iter().any(is_of_first_rank));
        assert!(is_privative("deputy") && !is_privative("main"));
    }
}
