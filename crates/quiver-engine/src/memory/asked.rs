//! Analyses a question: the names in it, the terms that a fact should match, and the kind of value it asks for.

use std::collections::BTreeMap;

use quiver_graph::TermSearch;
use quiver_memory::asked::steps;
use quiver_models::Lexical;
use quiver_store::{Filter, SparseVector};

use quiver_language::{
    Class, Language,
    question::function_words,
    recall::{self, Recall},
    token,
};

use super::{
    change::is_acronym,
    head::{Head, head, is_nested},
    lexicon::{self, Wanted},
    related::groups,
    words::{Word, beginnings, words},
};

/// Weight of a name relative to other words.
const NAME_WEIGHT: f32 = 1.6;

/// Weight of each further part of an identifier relative to the first.
const PART_WEIGHT: f32 = 0.5;
/// Weight of the noun after "which": a fact about a ship need not contain the word "ship".
const KIND_WEIGHT: f32 = 0.7;
/// Weight of the noun after "what is the". If the question asks for the workaround for a leak, another fact
/// about the leak is not an answer.
const ATTRIBUTE_WEIGHT: f32 = 1.5;
/// Weight of the word after "how": a fact need not name the quantity asked for.
const MEASURE_WEIGHT: f32 = 0.6;
/// Weight of a preposition at the end.
const STRANDED_WEIGHT: f32 = 0.4;

/// Minimum weight of a content term.
const CONTENT_MIN: f32 = 0.45;

/// An analysed question.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) text: String,
    /// The terms that a fact should match.
    pub(crate) terms: Vec<AskedTerm>,
    /// The kind of value asked for.
    pub(crate) wanted: Option<Wanted>,
    /// The words of each identifier, in order, by the number in [`AskedTerm::identifier`].
    pub(crate) identifiers: BTreeMap<usize, Vec<Word>>,
    /// Whether the question describes something by a relative clause: "of the reef where the buoy lies".
    pub(crate) is_nested: bool,
    /// Whether this is a yes/no question, in which both ends of the fact may be named.
    pub(crate) is_polar: bool,
    /// The words to search relations by.
    pub(crate) sought: Sought,
    /// The term that names the attribute asked for: "the workaround for the leak".
    pub(crate) attribute: Option<usize>,
    /// All words of the question.
    pub(crate) said: Vec<Word>,
    /// The session in which the question is asked.
    pub(crate) session: Option<String>,
}

/// The words of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sought {
    /// The stems of all words, and the prefixes of long words with less weight.
    pub(crate) target: SparseVector,
    /// The stems of each word, by descending weight.
    pub(crate) words: Vec<Vec<u32>>,
    /// The prefixes of long words, to match abbreviations.
    pub(crate) beginnings: Vec<Vec<u32>>,
    /// Whether the words belong to one question, rather than to the names of several entities.
    pub(crate) together: bool,
}

/// A content word of the question.
#[derive(Clone, Debug)]
pub(crate) struct AskedTerm {
    /// The word and its alternatives; the one that agrees best counts.
    pub(crate) words: Vec<Word>,
    /// The weight of the term.
    pub(crate) weight: f32,
    /// Whether it says what kind of thing the answer is: the noun after "which".
    pub(crate) is_kind: bool,
    /// Whether it is part of a name.
    pub(crate) is_name: bool,
    /// Whether it may occur in the answer: "what is the plan" asks for a plan, but the answer to "the job that feeds
    /// it" is not the job.
    pub(crate) may_answer: bool,
    /// The identifier it is part of: `Item_2_1` is matched by all its parts together or not at all.
    pub(crate) identifier: Option<usize>,
    /// The groups of related words it belongs to, as bits.
    pub(crate) related: u64,
}

/// The words of a question outside brackets: "Mercury (team)" is a name, not a clause.
fn outside_brackets(text: &str, words: &[Word]) -> Vec<Word> {
    let is_inside = |word: &Word| {
        let before = &text[..word.start];
        before.rfind('(').is_some_and(|open| !before[open..].contains(')') && text[word.end..].contains(')'))
    };
    words.iter().filter(|word| !is_inside(word)).cloned().collect()
}

/// Whether a question joins relations by a clause without a pronoun: "the author Amber Coast was written by".
fn joins_without_pronoun(question: &str) -> bool {
    let last = question.trim_end_matches(['?', ' ']).rsplit(' ').next().unwrap_or_default();
    Language::English.class(last) == Some(Class::Preposition)
        && steps(question).is_some_and(|asked| asked.steps.len() > 1)
}

impl Asked {
    /// Analyses a question.
    pub(crate) fn of(lexical: &Lexical, text: &str) -> Self {
        let mut all = words(lexical, text);
        drop_moment(&mut all);
        let sentence_starts = sentence_starts(text, &all);
        let identifiers = identifiers(text, &all);
        let head = head(&all);
        let functional = function_words(text);
        let is_functional =
            |word: &Word| functional.iter().any(|range| word.start < range.end && range.start < word.end);
        let mut terms: Vec<AskedTerm> = Vec::new();
        for (at, word) in all.iter().enumerate() {
            let measure = measure_at(&all, at);
            let is_auxiliary = Language::English.class(&word.lower) == Some(Class::Auxiliary);
            if ((word.is_stop || is_auxiliary)
                && measure.is_none()
                && !is_name_at(text, word, sentence_starts.contains(&at)))
                || head.question_words.contains(&at)
                || is_contracted(text, word)
                || is_functional(word)
            {
                continue;
            }
            let is_name =
                is_name_at(text, word, sentence_starts.contains(&at)) && !is_sort(text, word, &head, at);
            let mut alternatives = vec![word.clone()];
            if let Some(nouns) = measure {
                alternatives.extend(words(lexical, nouns));
            }
            let is_kind = head.kind.contains(&at);
            let factor = match (is_name, is_kind) {
                (true, _) => NAME_WEIGHT,
                _ if measure.is_some() => MEASURE_WEIGHT,
                (_, true) => lexicon::weight(&word.lower) * KIND_WEIGHT,
                _ if head.attribute == Some(at) => lexicon::weight(&word.lower) * ATTRIBUTE_WEIGHT,
                _ => lexicon::weight(&word.lower),
            };
            match terms.iter_mut().find(|term| term.words[0].stem == word.stem) {
                Some(term) => {
                    term.is_kind |= is_kind;
                    term.may_answer |= is_kind || head.asked.contains(&at);
                }
                None => {
                    let identifier = identifiers[at];
                    // The parts of an identifier together form one name.
                    let goes_on =
                        identifier.is_some() && terms.iter().any(|term| term.identifier == identifier);
                    terms.push(AskedTerm {
                        words: alternatives,
                        weight: if goes_on { factor * PART_WEIGHT } else { factor },
                        is_kind,
                        is_name,
                        may_answer: is_name || is_kind || head.asked.contains(&at),
                        identifier,
                        related: groups(&word.lower),
                    });
                }
            }
        }
        let stem = head.attribute.map(|at| all[at].stem);
        let attribute = terms.iter().position(|term| Some(term.words[0].stem) == stem && !term.is_name);
        terms.extend(stranded(&all));
        let sought = Sought::of(lexical, &terms);
        let mut by_number: BTreeMap<usize, Vec<Word>> = BTreeMap::new();
        for (word, identifier) in all.iter().zip(&identifiers) {
            if let Some(identifier) = identifier {
                by_number.entry(*identifier).or_default().push(word.clone());
            }
        }
        Self {
            text: text.to_owned(),
            terms,
            wanted: head.wanted,
            identifiers: by_number,
            is_polar: head.is_polar,
            is_nested: is_nested(&outside_brackets(text, &all), head.question_words.first().copied())
                || joins_without_pronoun(text),
            sought,
            attribute,
            said: all,
            session: None,
        }
    }

    /// The same question with a phrase resolved to its referent.
    pub(crate) fn with_focus(mut self, lexical: &Lexical, phrase: &str, name: &str) -> Self {
        let said = words(lexical, phrase);
        for term in &mut self.terms {
            if said.iter().any(|word| word.stem == term.words[0].stem) {
                term.words.extend(words(lexical, name));
                term.weight = NAME_WEIGHT;
            }
        }
        self.sought = Sought::of(lexical, &self.terms);
        self
    }

    /// The content terms, without names.
    pub(crate) fn content(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.terms.len()).filter(|at| !self.terms[*at].is_name && self.terms[*at].weight >= CONTENT_MIN)
    }

    /// Whether the question is about the past, where what has changed since may be the answer.
    pub(crate) fn is_past(&self) -> bool {
        let text = self.text.to_lowercase();
        token::words(&text).any(|word| {
            matches!(
                word,
                "did"
                    | "was"
                    | "were"
                    | "had"
                    | "used"
                    | "before"
                    | "previous"
                    | "previously"
                    | "earlier"
                    | "former"
                    | "formerly"
                    | "originally"
                    | "first"
            )
        })
    }

    /// The total weight of the terms.
    pub(crate) fn weight(&self) -> f32 {
        self.terms.iter().map(|term| term.weight).sum()
    }
}

/// Whether a word is an acronym for the kind of thing asked for: "which ISP" does not name one.
fn is_sort(text: &str, word: &Word, head: &Head, at: usize) -> bool {
    head.kind.last() == Some(&at) && is_acronym(&text[word.start..word.end])
}

/// Whether a word is the rest of a contracted auxiliary: "who'll".
fn is_contracted(text: &str, word: &Word) -> bool {
    matches!(&*word.lower, "s" | "ll" | "d" | "ve" | "re" | "m" | "t")
        && text[..word.start].ends_with(['\'', '’'])
}

/// Removes phrases that only say that the question is about now: "these days", "at present".
fn drop_moment(all: &mut Vec<Word>) {
    const MOMENTS: &[[&str; 2]] = &[
        ["these", "days"],
        ["at", "present"],
        ["right", "now"],
        ["as", "now"],
        ["so", "far"],
        ["this", "point"],
        ["by", "now"],
        ["the", "moment"],
        ["that", "point"],
    ];
    while let Some(at) = (1..all.len())
        .find(|at| MOMENTS.iter().any(|moment| *moment == [&*all[at - 1].lower, &*all[*at].lower]))
    {
        all.drain(at - 1..=at);
    }
}

/// The preposition at the end of a question. It belongs to the verb and so to a predicate.
fn stranded(all: &[Word]) -> Option<AskedTerm> {
    let last = all.last().filter(|word| recall::says(&word.lower, Recall::Stranded))?;
    Some(AskedTerm {
        words: vec![last.clone()],
        weight: STRANDED_WEIGHT,
        is_kind: false,
        is_name: false,
        may_answer: true,
        identifier: None,
        related: 0,
    })
}

/// The nouns for the quantity that the word after "how" asks for.
fn measure_at(all: &[Word], at: usize) -> Option<&'static str> {
    let before = at.checked_sub(1).map(|before| &*all[before].lower);
    if before == Some("how") { lexicon::measure(&all[at].lower) } else { None }
}

/// The indexes of words that begin a sentence, whose capital is not a sign of a name.
fn sentence_starts(text: &str, all: &[Word]) -> Vec<usize> {
    let mut starts = vec![0];
    for (at, pair) in all.windows(2).enumerate() {
        // Terms of scripts without spaces overlap, with no text between them.
        let between = text.get(pair[0].end..pair[1].start).unwrap_or_default();
        if between.contains(['.', '?', '!', ':']) && between.contains(' ') {
            starts.push(at + 1);
        }
    }
    starts
}

/// For each word, the identifier it is part of: words written like names, with at most a joiner between them.
fn identifiers(text: &str, all: &[Word]) -> Vec<Option<usize>> {
    let mut identifiers = vec![None; all.len()];
    for at in 1..all.len() {
        let between = text.get(all[at - 1].end..all[at].start).unwrap_or(" ");
        let joined = between.is_empty() || matches!(between, "_" | "-" | "." | "/" | "::" | "#");
        if joined && all[at].is_name && all[at - 1].is_name && all[at].start >= all[at - 1].end {
            let identifier = identifiers[at - 1].unwrap_or(at - 1);
            identifiers[at - 1] = Some(identifier);
            identifiers[at] = Some(identifier);
        }
    }
    identifiers
}

/// Whether a word is part of a name: it has a digit, an inner capital or a joiner, or a capital that does not begin a
/// sentence.
fn is_name_at(text: &str, word: &Word, starts_sentence: bool) -> bool {
    if !word.is_name {
        return false;
    }
    let written = &text[word.start..word.end];
    if written.contains(|c: char| c.is_numeric()) || written.chars().skip(1).any(char::is_uppercase) {
        return true;
    }
    let joined = text[..word.start].ends_with(['_', '-']) || text[word.end..].starts_with(['_', '-']);
    let inner = text[..word.start].ends_with(char::is_lowercase) && written.starts_with(char::is_uppercase);
    written != "I" && (!starts_sentence || joined || inner)
}

impl Sought {
    fn of(lexical: &Lexical, terms: &[AskedTerm]) -> Self {
        let mut terms: Vec<&AskedTerm> =
            terms.iter().filter(|term| !term.words[0].is_stop || term.is_name).collect();
        let stems = |term: &AskedTerm| term.words.iter().map(|word| word.stem).collect::<Vec<u32>>();
        let mut pairs: Vec<(u32, f32)> = Vec::new();
        let mut shortened: Vec<Vec<u32>> = Vec::new();
        for term in &terms {
            let beginnings = beginnings(lexical, &term.words);
            pairs.extend(stems(term).into_iter().map(|stem| (stem, term.weight)));
            pairs.extend(beginnings.iter().map(|stem| (*stem, term.weight * 0.2)));
            shortened.push(beginnings);
        }
        pairs.sort_by_key(|(stem, _)| *stem);
        pairs.dedup_by_key(|(stem, _)| *stem);
        shortened.retain(|beginnings| !beginnings.is_empty());
        terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let words = terms.into_iter().map(stems).collect();
        Self { target: SparseVector::from_pairs(pairs), words, beginnings: shortened, together: true }
    }

    /// The words of names, with equal weights.
    pub(crate) fn of_names(lexical: &Lexical, names: &str) -> Self {
        let target = SparseVector::from_pairs(lexical.query_vector(names, |_| 1.0));
        let words = target.indices().iter().map(|term| vec![*term]).collect();
        Self { target, words, beginnings: Vec::new(), together: false }
    }

    /// The graph search for these words.
    pub(crate) fn among(&self, among: Filter, limit: usize) -> TermSearch<'_> {
        let Self { target, words, beginnings, together } = self;
        TermSearch { words, hints: beginnings, together: *together, target, among, limit }
    }
}
