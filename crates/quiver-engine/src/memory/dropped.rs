//! Whether a sentence says that something is given up: "we dropped Kafka", "the server isn't in Oslo any more", "we
//! switched from Slack to Zulip".

use quiver_language::{
    change::{self, Change},
    token::norm,
};

/// Maximum number of words between a word that gives up and the thing given up.
const BEFORE_MAX: usize = 3;

/// Maximum number of words between a thing and the words that say it is over.
const BEHIND_MAX: usize = 5;

/// The words of a sentence, in lower case and without punctuation, and whether a comma or the like follows each.
pub(super) struct Said {
    words: Vec<String>,
    ends_clause: Vec<bool>,
}

impl Said {
    pub(super) fn of(text: &str) -> Self {
        let said: Vec<&str> = text.split_whitespace().collect();
        let (mut words, mut ends_clause) = (Vec::new(), Vec::new());
        for (word, bare) in said.iter().map(|word| (word, bare_words(word))) {
            for one in bare {
                words.push(one);
                ends_clause.push(word.ends_with([',', ';', ':', '.', '!']));
            }
        }
        Self { words, ends_clause }
    }

    /// Whether the sentence contains a name, with or without an article.
    pub(super) fn names(&self, name: &str) -> bool {
        self.places(name).next().is_some()
    }

    pub(super) fn has(&self, any: &[&str]) -> bool {
        self.words.iter().any(|word| any.contains(&word.as_str()))
    }

    /// The first word and the end of each place where a name is said.
    fn places(&self, name: &str) -> impl Iterator<Item = (usize, usize)> {
        let name = without_article(bare_words(name));
        let count = name.len();
        let last = if count == 0 { 0 } else { (self.words.len() + 1).saturating_sub(count) };
        (0..last).filter(move |at| self.words[*at..at + count] == name[..]).map(move |at| (at, at + count))
    }

    /// Whether the sentence says that a thing is given up by somebody who may be `by`.
    pub(super) fn drops(&self, thing: &str, by: &str) -> bool {
        self.places(thing).any(|(start, end)| {
            let given_up = self.given_up_at(start);
            let denied = self.denied_at(start).filter(|_| self.names(by) || self.is_pronoun_before(start));
            given_up.or(denied).is_some_and(|at| self.may_be_by(at, by))
                || self.is_over_behind(start, end, by)
        })
    }

    /// The word before a thing that says it is given up: "dropped", "switched from", "no longer use".
    fn given_up_at(&self, start: usize) -> Option<usize> {
        let first = start.saturating_sub(BEFORE_MAX);
        let is_link = |word: &String| {
            let word = word.as_str();
            change::says(word, Change::Linking) && !matches!(word, "in" | "at" | "with" | "by")
        };
        let at = (first..start).rev().find(|at| {
            let word = self.words[*at].as_str();
            let between = &self.words[at + 1..start];
            let is_left = matches!(word, "from" | "off")
                && self.words[at.saturating_sub(6)..*at].iter().any(|word| is_leaving(word));
            let is_rid = word == "of" && *at > 0 && matches!(self.words[at - 1].as_str(), "rid" | "instead");
            let is_up = (word == "up" || word == "out")
                && *at > 0
                && matches!(self.words[at - 1].as_str(), "gave" | "given" | "phased");
            (gives_up(word) || is_left || is_rid || is_up) && between.iter().all(is_link)
        })?;
        let is_denied =
            self.words[at.saturating_sub(3)..at].iter().any(|word| change::says(word, Change::Denying));
        (!is_denied).then_some(at)
    }

    /// The word before a thing that denies it: "isn't in", "don't use".
    fn denied_at(&self, start: usize) -> Option<usize> {
        let first = start.saturating_sub(BEFORE_MAX + 1);
        (first..start).rev().find(|at| {
            change::says(&self.words[*at], Change::Denying)
                && self.words[at + 1..start].iter().all(|word| change::says(word, Change::Linking))
        })
    }

    /// Whether the words behind a thing, in its clause, say that it is over: "any more", "was replaced".
    fn is_over_behind(&self, start: usize, end: usize, by: &str) -> bool {
        let clause = (end - 1..self.words.len())
            .find(|at| self.ends_clause[*at])
            .map_or(self.words.len(), |at| at + 1);
        let behind = &self.words[end.min(clause)..clause.min(end + BEHIND_MAX)];
        let pair = |first: &str, second: &[&str]| {
            behind.windows(2).any(|pair| pair[0] == first && second.contains(&pair[1].as_str()))
        };
        let is_no_more = behind.iter().any(|word| word == "anymore")
            || pair("any", &["more", "longer"])
            || pair("no", &["longer", "more"]);
        let is_over = behind.iter().enumerate().any(|(at, word)| {
            is_over(word)
                && behind[..at].iter().any(|word| change::says(word, Change::Being))
                && !behind[..at].iter().any(|word| change::says(word, Change::Denying))
        });
        (is_no_more || is_over) && self.may_be_by(start, by)
    }

    fn is_pronoun_before(&self, at: usize) -> bool {
        self.words[..at].iter().any(|word| change::says(word, Change::Pronoun))
    }

    /// Whether what stands before a word may be the thing that a fact is about: a pronoun, its name, or nothing that
    /// names another.
    fn may_be_by(&self, at: usize, by: &str) -> bool {
        let by_words = without_article(bare_words(by));
        let is_own = self.names(by) || by_words.iter().any(|word| self.words[..at].contains(word));
        if is_own || self.is_pronoun_before(at) {
            return true;
        }
        let is_other = |at: usize| {
            let is_thing = at > 0 && matches!(self.words[at - 1].as_str(), "the" | "my" | "his" | "her");
            is_thing && !by_words.contains(&self.words[at])
        };
        // "Zulip replaced Slack" has what comes next before the verb.
        let is_next = self.words[at].starts_with("replac");
        is_next
            || at == 0
            || !(0..at).any(is_other) && is_group(by)
            || at <= 1 && matches!(self.words[0].as_str(), "the" | "our")
    }
}

/// The words of a text in lower case, without punctuation around them.
pub(super) fn bare_words(text: &str) -> Vec<String> {
    let bare = |word: &str| norm(word.trim_matches(|c: char| !c.is_alphanumeric())).into_owned();
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

/// Whether a name stands for the speaker's group, which anybody of it may speak for.
pub(super) fn is_group(name: &str) -> bool {
    matches!(name.to_lowercase().as_str(), "we" | "us" | "our team" | "the team" | "team")
}

fn gives_up(word: &str) -> bool {
    change::says(word, Change::Dropped)
        || matches!(word, "replaces" | "replacing" | "left" | "quit" | "sold" | "dumped")
}

/// Whether something is over by a word after a form of "be".
fn is_over(word: &str) -> bool {
    change::says(word, Change::Dropped)
        || matches!(word, "gone" | "shut" | "phased" | "history" | "superseded")
}

fn is_leaving(word: &str) -> bool {
    matches!(
        word,
        "switched"
            | "switching"
            | "moved"
            | "moving"
            | "migrated"
            | "migrating"
            | "changed"
            | "went"
            | "gone"
            | "transitioned"
            | "relocated"
            | "transferred"
            | "shifted"
            | "away"
            | "upgraded"
            | "converted"
            | "over"
            | "ported"
            | "walked"
            | "moves"
            | "switch"
            | "came"
    )
}

fn without_article(words: Vec<String>) -> Vec<String> {
    let skip = usize::from(words.len() > 1 && matches!(words[0].as_str(), "the" | "a" | "an" | "our" | "my"));
    words.into_iter().skip(skip).collect()
}
