//! Reading facts from what was said: only what is surely stated.
//!
//! [`FactReader`] is the door: the rules here, a language model, or a better idea behind it. The rules read a sentence
//! only where one of a few forms takes up all of it: who owns, runs or is assigned to what; what depends on, runs on or
//! is part of what; what status, place, date, amount or other attribute a named thing has; what was decided, moved or
//! ended. Questions, wishes, guesses, conditions, feelings and captions state nothing, and what the forms don't take up
//! whole is left alone: a fact that is missing is found as a turn, a false one is believed.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::{
    calendar::MONTHS,
    relation::{agent, base, is_past, is_present},
    when::{self, Range},
};

/// A turn whose facts are to be read.
#[derive(Clone, Copy, Debug)]
pub struct TurnToRead<'a> {
    /// What was said.
    pub text: &'a str,
    /// Who said it; without a name, what is said of "I" states nothing.
    pub speaker: Option<&'a str>,
    /// When, in milliseconds since 1970: what "last Monday" counts from.
    pub time: i64,
}

/// A fact that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadFact {
    /// What it is about.
    pub subject: String,
    /// What is said of it.
    pub predicate: String,
    /// The other end.
    pub object: String,
    /// The sentence that says it.
    pub sentence: String,
    /// When it begins to hold, where the sentence says so.
    pub valid_from: Option<i64>,
    /// When it ceases to hold, where the sentence says so.
    pub valid_to: Option<i64>,
    /// Whether it is said not to hold, or no longer.
    pub denied: bool,
    /// The word that says that it takes the place of an earlier value; `from X` where it says which.
    pub change: Option<String>,
}

/// Reads facts from turns. A reader answers one list for each turn, in order; it never fails, but reads nothing where
/// it is not sure.
#[async_trait]
pub trait FactReader: Debug + Send + Sync {
    /// Names the reader with all that its facts depend on.
    fn fingerprint(&self) -> String;
    /// Reads the facts of turns.
    async fn read(&self, turns: &[TurnToRead<'_>]) -> Vec<Vec<ReadFact>>;
}

/// The rules: no model, no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleReader;

#[async_trait]
impl FactReader for RuleReader {
    fn fingerprint(&self) -> String {
        "rules-1".to_owned()
    }

    async fn read(&self, turns: &[TurnToRead<'_>]) -> Vec<Vec<ReadFact>> {
        turns.iter().map(read_turn).collect()
    }
}

/// Longer sentences say several things, and no form takes them up whole.
const WORDS_MAX: usize = 40;
/// The longest name or noun phrase in words.
const PHRASE_MAX: usize = 6;

/// Words by which a sentence states nothing: guesses, wishes, conditions, hearsay.
const UNSURE: &[&str] = &[
    "if",
    "would",
    "could",
    "should",
    "might",
    "may",
    "maybe",
    "perhaps",
    "think",
    "guess",
    "believe",
    "hope",
    "hopefully",
    "wish",
    "suppose",
    "supposedly",
    "unless",
    "wonder",
    "wondering",
    "probably",
    "possibly",
    "likely",
    "seems",
    "seem",
    "looks",
    "feels",
    "allegedly",
    "rumour",
    "rumor",
    "rumoured",
    "apparently",
    "imagine",
    "pretend",
    "propose",
    "proposes",
    "suggest",
    "suggests",
    "consider",
    "considering",
    "whether",
    "ideally",
    "assuming",
    "suspect",
    "expect",
    "almost",
    "nearly",
    "sometimes",
    "often",
    "usually",
    "never",
    "always",
    "please",
    "let's",
    "lets",
    "can",
    "can't",
    "cannot",
    "must",
    "shall",
    "won't",
    "couldn't",
    "wouldn't",
    "shouldn't",
    "wasn't",
    "weren't",
    "didn't",
    "ever",
    "or",
    "like",
    "lol",
    "not",
    "isn't",
    "aren't",
    "how",
    "why",
    "what",
    "who",
    "anyone",
    "somebody",
    "someone",
    "everyone",
    "nobody",
    "were",
];

/// Words that stand for something that only the context knows, or for nothing in particular.
const VAGUE: &[&str] = &[
    "it",
    "this",
    "that",
    "these",
    "those",
    "they",
    "them",
    "he",
    "she",
    "him",
    "her",
    "his",
    "its",
    "their",
    "there",
    "here",
    "something",
    "anything",
    "nothing",
    "everything",
    "one",
    "ones",
    "some",
    "many",
    "several",
    "most",
    "all",
    "both",
    "each",
    "every",
    "any",
    "such",
    "same",
    "other",
    "another",
    "which",
    "where",
    "when",
    "while",
    "thing",
    "things",
    "stuff",
    "way",
    "lot",
    "lots",
    "bit",
    "you",
    "your",
    "yours",
    "me",
    "mine",
    "us",
    "ours",
    "more",
    "less",
    "much",
    "few",
    "own",
    "else",
    "as",
    "than",
    "so",
    "too",
    "very",
    "just",
    "only",
    "yet",
    "then",
    "because",
    "but",
    "however",
    "though",
    "although",
    "is",
    "are",
    "was",
    "be",
    "been",
    "has",
    "have",
    "had",
    "do",
    "does",
    "did",
    "will",
    "get",
    "got",
    "to",
    "by",
    "with",
    "about",
    "if",
    "we",
    "i",
    "i'm",
    "it's",
    "kind",
    "sort",
    "no",
    "yes",
    "ok",
    "okay",
];

/// Openings that say nothing of what follows.
const OPENINGS: &[&str] = &[
    "yes",
    "ok",
    "okay",
    "right",
    "so",
    "and",
    "well",
    "also",
    "fyi",
    "note",
    "update",
    "reminder",
    "sure",
    "correct",
    "confirmed",
    "done",
    "good",
    "thanks",
    "hi",
    "hello",
    "hey",
    "heads-up",
    "correction",
    "decision",
    "status",
    "actually",
];

/// Words that say that a value takes the place of an earlier one.
const CHANGES: &[&str] = &["now", "correction", "actually", "instead", "henceforth"];

/// Words beside a verb that change nothing of what it says.
const ADVERBS: &[&str] = &[
    "now",
    "currently",
    "still",
    "already",
    "officially",
    "also",
    "actually",
    "formally",
    "primarily",
    "mainly",
];

/// What a thing may be said to be that is a status.
const STATUSES: &[&str] = &[
    "done",
    "finished",
    "merged",
    "deployed",
    "blocked",
    "closed",
    "open",
    "resolved",
    "fixed",
    "broken",
    "deprecated",
    "live",
    "down",
    "offline",
    "online",
    "approved",
    "rejected",
    "cancelled",
    "canceled",
    "postponed",
    "delayed",
    "paused",
    "archived",
    "retired",
    "released",
    "frozen",
    "complete",
    "completed",
    "pending",
    "suspended",
    "decommissioned",
    "obsolete",
    "in progress",
    "on hold",
    "in production",
    "in review",
    "in staging",
    "under review",
    "out of service",
    "read-only",
    "critical",
    "overdue",
    "on track",
    "at risk",
    "signed",
    "published",
    "unassigned",
];

/// Nouns for what something has one of: "the budget of Apollo is 90,000 euros", "Apollo has a budget of 90,000 euros".
const ATTRIBUTES: &[&str] = &[
    "priority",
    "status",
    "severity",
    "deadline",
    "budget",
    "version",
    "port",
    "owner",
    "size",
    "capacity",
    "limit",
    "level",
    "phase",
    "stage",
    "number",
    "address",
    "colour",
    "color",
    "title",
    "role",
    "weight",
    "height",
    "length",
    "width",
    "depth",
    "price",
    "cost",
    "salary",
    "rate",
    "speed",
    "temperature",
    "timeout",
    "region",
    "location",
    "name",
    "code",
    "password",
    "username",
    "email",
    "phone",
    "url",
    "birthday",
    "age",
    "capital",
    "population",
    "due date",
    "release date",
    "start date",
    "end date",
    "launch date",
    "root cause",
    "cause",
    "maintainer",
    "manager",
    "lead",
    "leader",
    "director",
    "author",
    "contact",
    "assignee",
    "reviewer",
    "approver",
    "sponsor",
    "chair",
    "supervisor",
    "quota",
    "threshold",
    "retention",
    "retention period",
    "storage",
    "database",
    "language",
    "licence",
    "license",
    "format",
    "protocol",
    "provider",
    "supplier",
    "venue",
    "destination",
    "duration",
    "interval",
    "default",
    "id",
    "identifier",
    "hostname",
    "endpoint",
    "branch",
    "codename",
    "code name",
    "nickname",
    "headquarters",
    "founder",
];

/// Passives that lead to a place, a date, a person or a part: "is deployed in", "is due on".
const STATES: &[&str] = &[
    "located in",
    "located at",
    "located on",
    "located near",
    "based in",
    "based on",
    "stored in",
    "stored on",
    "stored at",
    "kept in",
    "kept at",
    "kept on",
    "hosted in",
    "hosted on",
    "hosted at",
    "deployed in",
    "deployed to",
    "deployed on",
    "deployed at",
    "built on",
    "built with",
    "built in",
    "written in",
    "assigned to",
    "reassigned to",
    "scheduled for",
    "scheduled on",
    "planned for",
    "due on",
    "due by",
    "due in",
    "born in",
    "born on",
    "founded in",
    "founded on",
    "released on",
    "released in",
    "published in",
    "published on",
    "connected to",
    "installed in",
    "installed on",
    "moved to",
    "migrated to",
    "called",
    "named",
    "replaced by",
    "responsible for",
    "in charge of",
    "on call for",
    "part of",
    "made of",
    "headquartered in",
    "reclassified to",
    "reclassified as",
    "upgraded to",
    "downgraded to",
    "raised to",
    "lowered to",
    "changed to",
    "set to",
    "renamed to",
    "postponed to",
    "moved from",
    "rescheduled to",
    "rescheduled for",
    "extended to",
    "extended until",
    "increased to",
    "reduced to",
    "cut to",
    "promoted to",
    "transferred to",
    "handed over to",
    "reclassified from",
    "changed from",
    "raised from",
    "lowered from",
    "upgraded from",
    "downgraded from",
    "migrated from",
    "increased from",
    "reduced from",
];

/// The verbs of these that say that something changed.
const CHANGING: &[&str] = &[
    "reassigned",
    "moved",
    "migrated",
    "replaced",
    "reclassified",
    "upgraded",
    "downgraded",
    "raised",
    "lowered",
    "changed",
    "renamed",
    "postponed",
    "rescheduled",
    "extended",
    "increased",
    "reduced",
    "cut",
    "promoted",
    "transferred",
    "handed",
    "set",
];

/// Nouns that stand for something that only the context knows, where they stand alone without an article.
const GENERIC: &[&str] = &[
    "work",
    "change",
    "changes",
    "issue",
    "issues",
    "pr",
    "prs",
    "rfc",
    "rfcs",
    "discussion",
    "meeting",
    "progress",
    "release",
    "test",
    "tests",
    "build",
    "builds",
    "ci",
    "fix",
    "fixes",
    "patch",
    "bug",
    "bugs",
    "ticket",
    "task",
    "tasks",
    "project",
    "team",
    "people",
    "code",
    "docs",
    "vote",
    "survey",
    "proposal",
    "update",
    "backport",
    "review",
    "feedback",
    "plan",
    "question",
    "problem",
    "agenda",
    "minutes",
    "call",
    "repo",
    "branch",
    "draft",
    "document",
];

/// Verbs that need a preposition to relate two things, in their base form with it.
const PREPOSITIONAL: &[&str] = &[
    "depend on",
    "rely on",
    "report to",
    "belong to",
    "connect to",
    "listen on",
    "run on",
    "run in",
    "live in",
    "work for",
    "work at",
    "read from",
    "write to",
    "sit in",
    "sit on",
];

/// Verbs that relate who does something to what it is done to, in sentences about named things.
const TRANSITIVE: &[&str] = &[
    "own",
    "manage",
    "maintain",
    "operate",
    "handle",
    "administer",
    "supervise",
    "review",
    "approve",
    "fund",
    "sponsor",
    "supply",
    "host",
    "monitor",
    "direct",
    "chair",
    "coordinate",
    "employ",
    "use",
    "require",
    "call",
    "consume",
    "replace",
    "block",
    "extend",
    "import",
    "contain",
    "store",
    "produce",
    "export",
    "serve",
    "lead",
    "run",
    "oversee",
    "feed",
    "head",
    "mentor",
    "need",
    "represent",
];

/// The same of what somebody has done: its past says as much.
const DEEDS: &[&str] = &[
    "write",
    "build",
    "design",
    "develop",
    "found",
    "create",
    "publish",
    "compose",
    "invent",
    "discover",
    "acquire",
    "approve",
    "reject",
    "sign",
    "appoint",
    "translate",
    "implement",
    "release",
    "deploy",
    "install",
];

/// Verbs of dated events.
const DATED: &[&str] = &["start", "open", "close", "end", "expire", "launch", "ship", "begin"];

/// Verbs of measures.
const MEASURES: &[&str] = &["costs", "weighs", "measures", "lasts", "holds"];

/// A word of a sentence.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    text: &'a str,
    /// Whether a comma, a colon or a bracket stands after it.
    parted: bool,
}

impl Word<'_> {
    fn lower(&self) -> String {
        self.text.to_lowercase().replace('’', "'")
    }

    fn is(&self, any: &[&str]) -> bool {
        any.contains(&self.lower().as_str())
    }

    /// Whether it is written like a name: with a capital, a digit or a joint in it.
    fn is_marked(&self) -> bool {
        self.text.contains(|c: char| c.is_uppercase() || c.is_numeric() || c == '_')
    }
}

/// Reads the facts of a turn by the rules.
pub fn read_turn(turn: &TurnToRead<'_>) -> Vec<ReadFact> {
    let mut facts: Vec<ReadFact> = Vec::new();
    for sentence in sentences(turn.text) {
        for fact in read_sentence(sentence, turn) {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    facts
}

/// The sentences of a turn that may state something: those that end with a full stop, or with nothing.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let ends = matches!(character, '.' | '!' | '?' | ';')
            && characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        // "Dr. Rolf Berg" and "No. 4" go on.
        let word = text[start..at].rsplit(' ').next().unwrap_or_default();
        let shortened = character == '.'
            && matches!(
                word,
                "Dr" | "Mr" | "Mrs" | "Ms" | "Prof" | "No" | "St" | "vs" | "e.g" | "i.e" | "approx"
            );
        if (ends && !shortened) || character == '\n' {
            let end = at + character.len_utf8();
            sentences.push(text[start..end].trim());
            start = end;
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty() && !sentence.ends_with(['?', '!', '…', ':']));
    sentences
}

fn words(sentence: &str) -> Option<Vec<Word<'_>>> {
    // What is quoted or bracketed is said by others, or aside; markup and code are no sentences.
    if sentence.contains(['"', '“', '”', '(', '[', '{', '<', '=', '|', '`', '*', '>', '#', '~', '…'])
        || sentence.contains("://")
    {
        return None;
    }
    let words: Vec<Word<'_>> = sentence
        .trim_end_matches(['.', ';'])
        .split_whitespace()
        .map(|word| {
            let text = word.trim_end_matches([',', ':']);
            Word { text, parted: text.len() < word.len() }
        })
        .filter(|word| !word.text.is_empty())
        .collect();
    let plain = words
        .iter()
        .all(|word| word.text.chars().all(|c| c.is_alphanumeric() || "'’-_./&%$€£+:,@".contains(c)));
    (plain && words.len() >= 3 && words.len() <= WORDS_MAX).then_some(words)
}

/// Words by which no clause of a sentence states anything.
const CONDITIONS: &[&str] = &[
    "if",
    "unless",
    "would",
    "could",
    "should",
    "might",
    "maybe",
    "perhaps",
    "whether",
    "assuming",
    "hopefully",
    "supposedly",
    "apparently",
    "allegedly",
    "wish",
    "imagine",
    "pretend",
    "suppose",
    "when",
    "whenever",
    "until",
];

/// Words that begin another clause, after which the one before is whole.
const JOINTS: &[&str] = &["but", "because", "so", "which", "who", "and", "since", "as", "although", "though"];

fn read_sentence(sentence: &str, turn: &TurnToRead<'_>) -> Vec<ReadFact> {
    let Some(all) = words(sentence) else { return Vec::new() };
    let whole = read_clause(sentence, all.clone(), turn);
    if !whole.is_empty() || all.iter().any(|word| word.is(CONDITIONS)) {
        return whole;
    }
    // Clauses after a comma or a joint are read by themselves, each whole or not at all.
    let mut facts = Vec::new();
    let mut start = 0;
    for at in 1..=all.len() {
        let joint = at < all.len() && all[at].is(JOINTS) && all[at - 1].parted;
        if at == all.len() || joint {
            facts.extend(read_clause(sentence, all[start..at].to_vec(), turn));
            start = at + usize::from(joint);
        }
    }
    facts
}

fn read_clause(sentence: &str, mut words: Vec<Word<'_>>, turn: &TurnToRead<'_>) -> Vec<ReadFact> {
    let mut change: Option<String> = None;
    // "Yes, ", "Correction: ", "Update: ".
    while words.len() > 3
        && words[0].is(OPENINGS)
        && (words[0].parted || words[0].is(&["so", "and", "actually"]))
    {
        if words[0].is(CHANGES) || words[0].is(&["update"]) {
            change = Some(words[0].lower());
        }
        words.remove(0);
    }
    let when = validity(&mut words, turn.time);
    if when.is_change {
        change = Some("from now on".to_owned());
    }
    let no_longer = words.windows(2).any(|pair| pair[0].is(&["no"]) && pair[1].is(&["longer"]));
    let unsure = |word: &Word<'_>| word.is(UNSURE) && word.text != "May";
    if words.iter().any(unsure) || words.len() < 3 {
        return Vec::new();
    }
    if let Some(last) = words.last_mut() {
        last.parted = false;
    }
    spell_out(&mut words);
    // A comma within parts what no form joins.
    if words.iter().any(|word| word.parted) {
        return Vec::new();
    }
    let clause = Clause { words: &words, turn };
    let mut facts = clause.facts(no_longer);
    for fact in &mut facts {
        of_thing(fact);
        sentence.clone_into(&mut fact.sentence);
        fact.valid_from = when.from;
        fact.valid_to = when.to;
        if fact.change.is_none() && !fact.denied {
            let now = words.iter().find(|word| word.is(CHANGES)).map(Word::lower);
            fact.change = change.clone().or(now);
        }
    }
    facts.retain(|fact| !fact.subject.is_empty() && !fact.object.is_empty() && fact.subject != fact.object);
    facts
}

/// Writes the contractions of a subject out: "we've" is "we have".
fn spell_out(words: &mut Vec<Word<'_>>) {
    let (subject, verb) = match words[0].lower().as_str() {
        "we've" => ("we", "have"),
        "we're" => ("we", "are"),
        "i've" => ("I", "have"),
        "i'm" => ("I", "am"),
        _ => return,
    };
    words[0] = Word { text: subject, parted: false };
    words.insert(1, Word { text: verb, parted: false });
}

/// What is said of an attribute of a thing is said of the thing: "the deadline for Heron moved to 15 October".
fn of_thing(fact: &mut ReadFact) {
    let parts = fact.subject.split_once(" of ").or_else(|| fact.subject.split_once(" for "));
    if let Some((attribute, thing)) = parts
        && ATTRIBUTES.contains(&attribute.to_lowercase().as_str())
        && fact.change.is_some()
    {
        fact.predicate = format!("has {}", attribute.to_lowercase());
        fact.subject = thing.to_owned();
    }
}

/// When a sentence says that its facts hold.
#[derive(Default)]
struct Validity {
    from: Option<i64>,
    to: Option<i64>,
    is_change: bool,
}

/// Takes what says when something holds from the beginning and the end of a sentence: "since last Monday", "until 3
/// May", "from 1 to 15 April", "as of Q3", "from now on", "starting next week".
fn validity(words: &mut Vec<Word<'_>>, now: i64) -> Validity {
    let mut found = Validity::default();
    for _ in 0..2 {
        let lower: Vec<String> = words.iter().map(Word::lower).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let Some((start, end, said)) = when_said(&lower, now) else { break };
        // Only what stands at either end leaves a whole sentence.
        if start != 0 && end != words.len() {
            break;
        }
        words.drain(start..end);
        found.from = found.from.or(said.from);
        found.to = found.to.or(said.to);
        found.is_change |= said.is_change;
    }
    found
}

fn when_said(words: &[&str], now: i64) -> Option<(usize, usize, Validity)> {
    for at in 0..words.len() {
        if words[at..].starts_with(&["from", "now", "on"]) {
            return Some((at, at + 3, Validity { is_change: true, ..Validity::default() }));
        }
        let opens = if words[at..].starts_with(&["as", "of"]) {
            2
        } else if matches!(
            words[at],
            "since" | "until" | "till" | "from" | "starting" | "effective" | "beginning"
        ) {
            1 + usize::from(words.get(at + 1) == Some(&"on"))
        } else {
            continue;
        };
        let Some((first, after)) = range_at(words, at + opens, now) else {
            // "From 1 to 15 April" takes its month from the second date.
            if words[at] == "from"
                && let (Some(day), Some(&"to")) =
                    (words.get(at + 1).and_then(|day| day.parse::<i64>().ok()), words.get(at + 2))
                && let Some((last, after)) = range_at(words, at + 3, now)
            {
                let (year, month, _) = crate::calendar::to_civil(last.from);
                let from = crate::calendar::from_civil(year, month, day);
                return Some((at, after, Validity { from: Some(from), to: Some(last.to), is_change: false }));
            }
            continue;
        };
        return match words[at] {
            "until" | "till" => Some((at, after, Validity { to: Some(first.to), ..Validity::default() })),
            "from" if matches!(words.get(after), Some(&("to" | "until" | "till"))) => {
                let (last, end) = range_at(words, after + 1, now)?;
                Some((at, end, Validity { from: Some(first.from), to: Some(last.to), is_change: false }))
            }
            _ => Some((at, after, Validity { from: Some(first.from), ..Validity::default() })),
        };
    }
    None
}

/// The range that words name from here on, and where it ends.
fn range_at(words: &[&str], at: usize, now: i64) -> Option<(Range, usize)> {
    let longest = words.len().min(at + 5);
    // The longest run that names a range by all of its words.
    (at + 1..=longest).rev().find_map(|end| {
        let range = when::stated(&words[at..end], now)?;
        Some((range, end))
    })
}

/// A sentence of which the time and the openings are taken off.
struct Clause<'a> {
    words: &'a [Word<'a>],
    turn: &'a TurnToRead<'a>,
}

impl Clause<'_> {
    fn lower(&self, at: usize) -> String {
        self.words.get(at).map(Word::lower).unwrap_or_default()
    }

    fn skip(&self, mut at: usize) -> usize {
        while self.words.get(at).is_some_and(|word| word.is(ADVERBS)) {
            at += 1;
        }
        at
    }

    /// The facts of the first form that takes up the whole sentence.
    fn facts(&self, no_longer: bool) -> Vec<ReadFact> {
        let mut end = self.words.len();
        while end > 3
            && self.words[end - 1].is(&[
                "now",
                "currently",
                "today",
                "instead",
                "anymore",
                "again",
                "already",
            ])
        {
            end -= 1;
        }
        for at in 1..end.min(PHRASE_MAX + 2) {
            let Some(subject) = self.subject(0, at) else { continue };
            if let Some(facts) = self.predicate(&subject, at, end, no_longer) {
                return facts;
            }
        }
        Vec::new()
    }

    fn predicate(&self, subject: &str, at: usize, end: usize, no_longer: bool) -> Option<Vec<ReadFact>> {
        let at = self.skip(at);
        let word = self.lower(at);
        if word == "no" && self.lower(at + 1) == "longer" {
            return self.ended(subject, at + 2, end);
        }
        match word.as_str() {
            "is" | "are" | "am" => self.being(subject, at + 1, end),
            "was" => self.was(subject, at + 1, end),
            "has" | "have" if self.lower(at + 1) == "been" => self.was(subject, at + 2, end),
            "has" | "have"
                if matches!(
                    self.lower(at + 1).as_str(),
                    "decided" | "agreed" | "chosen" | "moved" | "migrated"
                ) =>
            {
                self.predicate(subject, at + 1, end, no_longer)
            }
            "has" => self.having(subject, at + 1, end),
            "decided" | "agreed" | "chose" | "opted" => self.decided(subject, at, end),
            "moved" | "migrated" | "switched" => self.moved(subject, at, end),
            "stopped" => self.stopped(subject, at + 1, end),
            "reports" | "depends" | "relies" | "belongs" | "connects" | "listens" | "runs" | "lives"
            | "works" | "reads" | "writes" | "sits"
                if self.prepositional(at).is_some() =>
            {
                let predicate = self.prepositional(at)?;
                let object = self.object(at + 2, end)?;
                Some(vec![fact(subject, &predicate, &object)])
            }
            _ if no_longer => None,
            _ if MEASURES.contains(&word.as_str()) => {
                let amount = self.amount(at + 1, end)?;
                Some(vec![fact(subject, &word, &amount)])
            }
            _ => self.doing(subject, at, end, &word),
        }
    }

    /// "runs on" and its like, from the verb.
    fn prepositional(&self, at: usize) -> Option<String> {
        let word = self.lower(at);
        let joined = format!("{} {}", base(&word)?, self.lower(at + 1));
        PREPOSITIONAL.contains(&joined.as_str()).then(|| format!("{word} {}", self.lower(at + 1)))
    }

    /// "Ann manages Bob", "I manage the archive", "Ann wrote the parser", "The contract expires on 3 May".
    fn doing(&self, subject: &str, at: usize, end: usize, word: &str) -> Option<Vec<ReadFact>> {
        let verb = base(word)?;
        let first = self.lower(0);
        let plural = verb == word && matches!(first.as_str(), "i" | "we");
        let is_present = is_present(word) || plural;
        if plural && let Some(predicate) = self.prepositional(at) {
            return Some(vec![fact(subject, &predicate, &self.object(at + 2, end)?)]);
        }
        if DATED.contains(&verb) && is_present && !plural {
            let on = usize::from(matches!(self.lower(at + 1).as_str(), "on" | "in" | "at"));
            let date = self.date(at + 1 + on, end)?;
            let predicate = if on > 0 { format!("{word} {}", self.lower(at + 1)) } else { word.to_owned() };
            return Some(vec![fact(subject, &predicate, &date)]);
        }
        if is_present && TRANSITIVE.contains(&verb) {
            // What somebody needs or uses is passing, or a habit, unless it is a thing with a name.
            let object = self.object(at + 1, end)?;
            if matches!(verb, "need" | "require") && (plural || self.lower(at + 1).ends_with("ing")) {
                return None;
            }
            let passing = matches!(
                verb,
                "need" | "use" | "require" | "run" | "lead" | "handle" | "call" | "serve" | "cover" | "feed"
            );
            // "Milan runs the kiosk": a thing that is named by "the" is one that somebody runs.
            let held = matches!(verb, "run" | "lead" | "handle")
                && !plural
                && self.has_name(0, at)
                && self.words[at + 1].is(&["the", "our"]);
            if passing && !held && !self.has_name(at + 1, end) {
                return None;
            }
            return Some(Self::each(subject, word, &object));
        }
        if is_past(word) && DEEDS.contains(&verb) && !is_present && self.has_name(0, at) {
            let object = self.object(at + 1, end)?;
            return Some(Self::each(subject, word, &object));
        }
        None
    }

    /// One fact for each of several names: "Redis and Kafka".
    fn each(subject: &str, predicate: &str, object: &str) -> Vec<ReadFact> {
        object.split(" and ").map(|object| fact(subject, predicate, object)).collect()
    }

    /// "is run by Mo", "is the owner of Redis", "is deprecated", "is responsible for", "is located in Oslo".
    fn being(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let at = self.skip(at);
        if self.lower(at) == "no" && self.lower(at + 1) == "longer" {
            let mut facts = self.being(subject, at + 2, end)?;
            facts.iter_mut().for_each(|fact| fact.denied = true);
            return Some(facts);
        }
        // "The budget of Apollo is 90,000 euros", "Apollo's owner is Mo".
        if let Some(facts) = self.attribute_is(at, end) {
            return Some(facts);
        }
        let rest: Vec<String> = (at..end).map(|at| self.lower(at)).collect();
        let status = rest.join(" ");
        if STATUSES.contains(&status.as_str()) && !self.words[0].is(&["i", "we"]) {
            return Some(vec![fact(subject, "has status", &status)]);
        }
        if let Some(facts) = self.passive("is", subject, at, end) {
            return Some(facts);
        }
        // "the owner of Redis", "our lead for Apollo".
        let determined = at
            + usize::from(self.words.get(at).is_some_and(|word| word.is(&["the", "a", "an", "our", "my"])));
        if determined > at
            && self.lower(determined + 1).as_str() == "of"
            && (agent(&rest[1]).is_some() || ATTRIBUTES.contains(&rest[1].as_str()))
            && self.has_name(0, 1)
        {
            let object = self.object(determined + 2, end)?;
            return Some(vec![fact(subject, &format!("is the {} of", rest[1]), &object)]);
        }
        // "Ada is leading the import", "I am working on N-API".
        self.progressive(subject, at, end)
    }

    /// What somebody is doing for a while, as a task.
    fn progressive(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        const TASKS: &[&str] = &[
            "leading",
            "running",
            "managing",
            "maintaining",
            "chairing",
            "coordinating",
            "hosting",
            "mentoring",
            "reviewing",
        ];
        let word = self.lower(at);
        let on = word == "working" && matches!(self.lower(at + 1).as_str(), "on" | "for" | "at");
        if !on && !TASKS.contains(&word.as_str()) {
            return None;
        }
        let somebody = self.words[0].is(&["i", "i'm", "we"]) || self.has_name(0, 1);
        let first = at + 1 + usize::from(on);
        if !somebody || !self.has_name(first, end) {
            return None;
        }
        let predicate = if on { format!("is {word} {}", self.lower(at + 1)) } else { format!("is {word}") };
        Some(Self::each(subject, &predicate, &self.object(first, end)?))
    }

    /// "was written by Ada", "has been reclassified to critical".
    fn was(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let at = self.skip(at);
        let participle = self.lower(at);
        let past = matches!(base(&participle), Some(verb) if DEEDS.contains(&verb))
            || CHANGING.contains(&participle.as_str());
        let event = matches!(participle.as_str(), "born" | "founded" | "released" | "published");
        let status = (at..end).map(|at| self.lower(at)).collect::<Vec<_>>().join(" ");
        let perfect = self.lower(at - 1) == "been";
        if perfect && STATUSES.contains(&status.as_str()) && !self.words[0].is(&["i", "we"]) {
            return Some(vec![fact(subject, "has status", &status)]);
        }
        let assigned = perfect && participle == "assigned";
        if !(past || event || assigned) {
            return None;
        }
        let auxiliary = if perfect { "has been" } else { "was" };
        self.passive(auxiliary, subject, at, end)
    }

    /// A participle or adjective with a preposition, and what it leads to.
    fn passive(&self, auxiliary: &str, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let participle = self.lower(at);
        let by = self.skip(at + 1);
        if self.lower(by) == "by" && (is_past(&participle) || participle == "led") {
            let verb = base(&participle)?;
            if !TRANSITIVE.contains(&verb) && !DEEDS.contains(&verb) {
                return None;
            }
            let object = self.object(by + 1, end)?;
            let facts = Self::each(subject, &format!("{auxiliary} {participle} by"), &object);
            return Some(facts);
        }
        let longest = (2..=4).rev().find_map(|length| {
            let last = (at + length).min(end);
            let said = (at..last).map(|at| self.lower(at)).collect::<Vec<_>>().join(" ");
            STATES.contains(&said.as_str()).then_some((last, said))
        });
        let (next, said) = longest.or_else(|| {
            matches!(participle.as_str(), "called" | "named").then(|| (at + 1, participle.clone()))
        })?;
        if CHANGING.contains(&participle.as_str()) {
            return self.changed(auxiliary, subject, &said, next, end);
        }
        let object = match said.as_str() {
            said if said.starts_with("due")
                || said.starts_with("scheduled")
                || said.starts_with("planned") =>
            {
                self.date(next, end)?
            }
            "born on" | "founded on" | "founded in" | "released on" | "published on" => {
                self.date(next, end)?
            }
            _ => self.object(next, end)?,
        };
        Some(vec![fact(subject, &format!("{auxiliary} {said}"), &object)])
    }

    /// "has been moved from Oslo to Bergen", "was raised to 5".
    fn changed(
        &self,
        auxiliary: &str,
        subject: &str,
        said: &str,
        next: usize,
        end: usize,
    ) -> Option<Vec<ReadFact>> {
        let (verb, preposition) = said.rsplit_once(' ')?;
        let to = |from: usize| (from..end).find(|at| self.lower(*at) == "to");
        if preposition == "from" {
            let to = to(next)?;
            let (from, value) = (self.value(next, to)?, self.value(to + 1, end)?);
            let mut fact = fact(subject, &format!("{auxiliary} {verb} to"), &value);
            fact.change = Some(format!("from {from}"));
            return Some(vec![fact]);
        }
        let from = (next..end).find(|at| self.lower(*at) == "from");
        let value = self.value(next, from.unwrap_or(end))?;
        let mut fact = fact(subject, &format!("{auxiliary} {said}"), &value);
        fact.change = Some(match from.and_then(|from| self.value(from + 1, end)) {
            Some(left) => format!("from {left}"),
            None => verb.to_owned(),
        });
        Some(vec![fact])
    }

    /// "has priority high", "has a budget of 90,000 euros".
    fn having(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let determined =
            at + usize::from(self.words.get(at).is_some_and(|word| word.is(&["a", "an", "the"])));
        let (attribute, next) = self.attribute(determined)?;
        let of = next + usize::from(self.lower(next) == "of");
        if determined > at && of == next {
            return None;
        }
        let value = self.value(of, end)?;
        Some(vec![fact(subject, &format!("has {attribute}"), &value)])
    }

    fn attribute(&self, at: usize) -> Option<(String, usize)> {
        let two = format!("{} {}", self.lower(at), self.lower(at + 1));
        if ATTRIBUTES.contains(&two.as_str()) {
            return Some((two, at + 2));
        }
        let one = self.lower(at);
        ATTRIBUTES.contains(&one.as_str()).then(|| (one, at + 1))
    }

    /// The attribute of a thing as the subject of a sentence: "the budget of Apollo", "Apollo's owner", "the deadline for
    /// the report".
    fn attribute_is(&self, value_at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let verb = (1..value_at).rev().find(|at| self.words[*at].is(&["is", "are"]))?;
        let the = usize::from(self.words[0].is(&["the"]));
        let (thing, attribute) = if let Some((attribute, next)) = self.attribute(the)
            && the == 1
            && matches!(self.lower(next).as_str(), "of" | "for")
        {
            (self.object(next + 1, verb)?, attribute)
        } else {
            let owner = (0..verb)
                .find(|at| self.words[*at].text.ends_with("'s") || self.words[*at].text.ends_with("’s"))?;
            let (attribute, next) = self.attribute(owner + 1)?;
            if next != verb || !self.words[owner].is_marked() {
                return None;
            }
            let text = self.text(the, owner + 1);
            (text.trim_end_matches("'s").trim_end_matches("’s").to_owned(), attribute)
        };
        let value = self.value(value_at, end)?;
        Some(vec![fact(&thing, &format!("has {attribute}"), &value)])
    }

    /// "We decided to use Postgres", "The board agreed on Lisbon".
    fn decided(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let next = self.lower(at + 1);
        let (predicate, object_at) = match (word.as_str(), next.as_str()) {
            ("chose", _) => ("chose".to_owned(), at + 1),
            (_, "on") => (format!("{word} on"), at + 2),
            (_, "to") if base(&self.lower(at + 2)) == Some(self.lower(at + 2).as_str()) => {
                (format!("{word} to {}", self.lower(at + 2)), at + 3)
            }
            _ => return None,
        };
        let named = (object_at..end).any(|at| self.words[at].text.contains(char::is_uppercase));
        if !named {
            return None;
        }
        Some(vec![fact(subject, &predicate, &self.object(object_at, end)?)])
    }

    /// "We moved billing from Redis to Kafka", "The archive moved to Bergen".
    fn moved(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let find = |word: &str| (at + 1..end).find(|at| self.lower(*at) == word);
        let to = find("to")?;
        let from = find("from").filter(|from| *from < to);
        let moved_to = from.unwrap_or(to);
        let thing = if moved_to == at + 1 {
            if matches!(self.lower(0).as_str(), "i" | "we") {
                return None;
            }
            subject.to_owned()
        } else {
            if word == "switched" && from.is_none() {
                return None;
            }
            self.object(at + 1, moved_to)?
        };
        let value = self.value(to + 1, end)?;
        if !self.has_name(to + 1, end) {
            return None;
        }
        let mut fact = fact(&thing, &format!("{word} to"), &value);
        fact.change = Some(match from.and_then(|from| self.value(from + 1, to)) {
            Some(left) => format!("from {left}"),
            None => word,
        });
        Some(vec![fact])
    }

    /// "Mo no longer runs Redis".
    fn ended(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let verb = base(&word)?;
        let predicate = match self.prepositional(at) {
            Some(predicate) => predicate,
            None if TRANSITIVE.contains(&verb) => word,
            None => return None,
        };
        let first = at + predicate.split(' ').count();
        let mut fact = fact(subject, &predicate, &self.object(first, end)?);
        fact.denied = true;
        Some(vec![fact])
    }

    /// "Mo stopped running Redis".
    fn stopped(&self, subject: &str, at: usize, end: usize) -> Option<Vec<ReadFact>> {
        let word = self.lower(at);
        let verb = base(&word).filter(|verb| word.ends_with("ing") && TRANSITIVE.contains(verb))?;
        if !self.has_name(at + 1, end) {
            return None;
        }
        let mut fact = fact(subject, verb, &self.object(at + 1, end)?);
        fact.denied = true;
        Some(vec![fact])
    }

    fn text(&self, start: usize, end: usize) -> String {
        self.words[start..end].iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
    }

    /// Whether a word of these is written like a name, the first of the sentence aside where it is a common word.
    fn has_name(&self, start: usize, end: usize) -> bool {
        (start..end).any(|at| {
            self.words[at].is_marked()
                && (at > 0 || !self.words[0].is(VAGUE) && !self.words[0].is(&["the", "our", "my", "a", "an"]))
        })
    }

    /// What a sentence is about: a name, the speaker, "we", or "the" or "our" and a noun.
    fn subject(&self, start: usize, end: usize) -> Option<String> {
        let first = self.words[start].lower();
        if end == start + 1 {
            match first.as_str() {
                "i" | "i'm" => return self.turn.speaker.map(str::to_owned),
                "we" => return Some("we".to_owned()),
                _ => {}
            }
        }
        if first == "my" {
            let speaker = self.turn.speaker?;
            return Some(format!("{speaker}'s {}", self.phrase(start + 1, end)?));
        }
        let determined = matches!(first.as_str(), "the" | "our");
        let count = first.starts_with(|c: char| c.is_ascii_digit()) || is_past(&first) || first == "opened";
        if count || (end == start + 1 && GENERIC.contains(&first.as_str())) {
            return None;
        }
        let phrase = self.phrase(start + usize::from(determined), end)?;
        // A bare common noun speaks of all of its kind: "Music helps".
        let named = self.has_name(start + usize::from(determined), end)
            && (start > 0 || !self.is_common_opening(end));
        (determined || named).then_some(phrase)
    }

    /// Whether a sentence begins with a common word whose capital says nothing: one capital, at its first letter, alone or
    /// with small words after it.
    fn is_common_opening(&self, end: usize) -> bool {
        let first = self.words[0].text;
        let inner = first.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric() || c == '_');
        let others = self.words[1..end].iter().any(Word::is_marked);
        let own = self.turn.speaker.is_some_and(|speaker| speaker == first)
            || first.ends_with("'s")
            || first.ends_with("’s");
        // A word alone may be a name; one that ends like a common noun or a gerund is none.
        let common = first.len() < 2
            || first.ends_with("ing")
            || first.ends_with("tion")
            || first.ends_with("ness")
            || first.ends_with("ment");
        !inner && !others && !own && (end > 1 || common)
    }

    /// What a fact leads to: a name, or a noun phrase that says which.
    fn object(&self, start: usize, end: usize) -> Option<String> {
        if start >= end {
            return None;
        }
        let determined = self.words[start].is(&["the", "a", "an", "our"]);
        let mine = self.words[start].is(&["my"]);
        let phrase = self.phrase(start + usize::from(determined || mine), end)?;
        if mine {
            return Some(format!("{}'s {phrase}", self.turn.speaker?));
        }
        let named = self.has_name(start, end);
        (determined || named || self.amount(start, end).is_some()).then_some(phrase)
    }

    /// A name or noun phrase of a few words, none of which is vague; "of" may join two.
    fn phrase(&self, start: usize, end: usize) -> Option<String> {
        if start >= end || end - start > PHRASE_MAX {
            return None;
        }
        let words = &self.words[start..end];
        for (at, word) in words.iter().enumerate() {
            let lower = word.lower();
            let inner = at > 0 && at + 1 < words.len();
            let joins =
                inner && matches!(lower.as_str(), "of" | "and" | "for" | "the" | "de" | "van" | "von" | "&");
            let vague = VAGUE.contains(&lower.as_str())
                || matches!(
                    lower.as_str(),
                    "of" | "and"
                        | "for"
                        | "the"
                        | "a"
                        | "an"
                        | "in"
                        | "on"
                        | "at"
                        | "from"
                        | "into"
                        | "after"
                        | "before"
                        | "since"
                        | "until"
                        | "during"
                        | "today"
                        | "tomorrow"
                        | "yesterday"
                        | "now"
                        | "next"
                        | "last"
                        | "lately"
                        | "recently"
                        | "soon"
                );
            if (vague && !joins) || (word.parted && at + 1 < words.len()) {
                return None;
            }
            // Two names are a list; "and" between common nouns may join clauses.
            if lower == "and" && !(words[at - 1].is_marked() && words[at + 1].is_marked() && words.len() <= 5)
            {
                return None;
            }
            // A verb or an adverb within is no part of a name.
            let verbal = !word.is_marked()
                && (is_present(&lower) && lower != "reports" && at > 0
                    || (lower.ends_with("ly") && lower.len() > 5));
            if verbal {
                return None;
            }
        }
        Some(self.text(start, end).trim_end_matches(['.', ',']).to_owned())
    }

    /// A value: a name, an amount, a date, or a word or two.
    fn value(&self, start: usize, end: usize) -> Option<String> {
        if start >= end {
            return None;
        }
        let first = start + usize::from(self.words[start].is(&["the", "a", "an"]));
        if let Some(value) = self.amount(first, end).or_else(|| self.date(first, end)) {
            return Some(value);
        }
        let phrase = self.phrase(first, end)?;
        let evaluates = (first..end).any(|at| {
            self.words[at].is(&[
                "great",
                "good",
                "nice",
                "bad",
                "amazing",
                "awesome",
                "fun",
                "beautiful",
                "important",
                "hard",
                "easy",
                "fine",
                "perfect",
                "wonderful",
                "best",
                "worst",
                "huge",
                "unclear",
                "unknown",
                "wrong",
                "down",
                "up",
                "about",
                "around",
                "near",
                "over",
                "under",
            ])
        });
        (end - first <= 4 && !evaluates).then_some(phrase)
    }

    /// A number with its unit.
    fn amount(&self, start: usize, end: usize) -> Option<String> {
        if start >= end || end - start > 4 {
            return None;
        }
        let text = self.text(start, end);
        let first = self.words[start].text.trim_start_matches(['$', '€', '£', '+', '-']);
        let number = first.starts_with(|c: char| c.is_ascii_digit());
        let rest = self.words[start + 1..end].iter().all(|word| {
            !word.is(VAGUE) && !word.is(&["and", "of", "in", "on", "for", "from", "at", "people"])
                || word.is(&["per"])
        });
        (number && rest).then_some(text)
    }

    /// A date or a time.
    fn date(&self, start: usize, end: usize) -> Option<String> {
        if start >= end {
            return None;
        }
        let first = start + usize::from(self.words[start].is(&["the"]));
        let lower: Vec<String> = (first..end).map(|at| self.lower(at)).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let is_clock = matches!(lower.as_slice(), [time] | [time, "utc" | "cet" | "gmt" | "am" | "pm"] if time.contains(':') && time.starts_with(|c: char| c.is_ascii_digit()));
        let is_day = lower.first().is_some_and(|day| DAYS.contains(day)) && lower.len() == 1;
        let is_month =
            lower.first().is_some_and(|month| MONTHS.iter().any(|name| name.eq_ignore_ascii_case(month)))
                && lower.len() == 1;
        let named = when::stated(&lower, self.turn.time).is_some();
        (named || is_clock || is_day || is_month).then(|| self.text(start, end))
    }
}

const DAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

fn fact(subject: &str, predicate: &str, object: &str) -> ReadFact {
    ReadFact {
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        ..ReadFact::default()
    }
}

#[cfg(test)]
mod tests;
