//! Understanding a question to the memory: what it names, which words a fact should agree with, what it asks for.

use std::collections::BTreeMap;

use quiver_graph::Worded;
use quiver_models::Lexical;
use quiver_store::{Filter, SparseVector};

use quiver_language::{Class, Language};

use super::{
    change::is_acronym,
    head::{Head, head, is_nested},
    lexicon::{self, Wanted},
    related::groups,
    words::{Word, beginnings, words},
};

/// How much more a name says than another word.
const NAME_WEIGHT: f32 = 1.6;

/// How much each further part of an identifier counts beside the first.
const PART_WEIGHT: f32 = 0.5;
/// How much the noun after "which" counts: a fact about a ship need not say that it is one.
const KIND_WEIGHT: f32 = 0.7;
/// How much the noun after "what is the" counts: "the workaround for the leak" is no other thing about the leak.
const ATTRIBUTE_WEIGHT: f32 = 1.5;
/// How much the word after "how" counts: the number that is asked for need not be named.
const MEASURE_WEIGHT: f32 = 0.6;
/// How much the preposition at the end says.
const STRANDED_WEIGHT: f32 = 0.4;

/// A question that was understood.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) text: String,
    /// What a fact should agree with.
    pub(crate) terms: Vec<AskedTerm>,
    /// The sort of value that is asked for.
    pub(crate) wanted: Option<Wanted>,
    /// The words of each identifier, in order, by the number that its terms have.
    pub(crate) identifiers: BTreeMap<usize, Vec<Word>>,
    /// Whether something is asked of what a clause of the question describes: "of the reef where the buoy lies".
    pub(crate) is_nested: bool,
    /// Whether yes or no is asked for, so that both ends of the fact may be named.
    pub(crate) is_polar: bool,
    /// What relations are searched by.
    pub(crate) sought: Sought,
    /// The term that says which attribute is asked for: "the workaround for the leak".
    pub(crate) attribute: Option<usize>,
    /// All of its words.
    pub(crate) said: Vec<Word>,
    /// The session that it is asked in.
    pub(crate) session: Option<String>,
}

/// The words of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sought {
    /// Every word by its stems, and its beginnings with less weight.
    pub(crate) target: SparseVector,
    /// The stems of each word, those that count most first.
    pub(crate) words: Vec<Vec<u32>>,
    /// The beginnings of long words, to find abbreviations by.
    pub(crate) beginnings: Vec<Vec<u32>>,
    /// Whether they are words of a question, and so tell something together, not names of several things.
    pub(crate) together: bool,
}

/// A word of the question that says something.
#[derive(Clone, Debug)]
pub(crate) struct AskedTerm {
    /// The word, and others that mean the same; the best agreement of any counts.
    pub(crate) words: Vec<Word>,
    /// How much it counts.
    pub(crate) weight: f32,
    /// Whether it says what sort of thing the answer is: the noun after "which".
    pub(crate) is_kind: bool,
    /// Whether it is part of a name.
    pub(crate) is_name: bool,
    /// Whether it may be a word of the answer: "what is the plan" asks for one, "the job that feeds it" for another thing.
    pub(crate) may_answer: bool,
    /// The identifier that it is a part of: `Item_2_1` is named by all of its parts together or not at all.
    pub(crate) identifier: Option<usize>,
    /// The groups of words that may say the same as it.
    pub(crate) related: u32,
}

impl Asked {
    /// Understands a question.
    pub(crate) fn of(lexical: &Lexical, text: &str) -> Self {
        let mut all = words(lexical, text);
        drop_moment(&mut all);
        let sentence_starts = sentence_starts(text, &all);
        let identifiers = identifiers(text, &all);
        let head = head(&all);
        let mut terms: Vec<AskedTerm> = Vec::new();
        for (at, word) in all.iter().enumerate() {
            let measure = measure_at(&all, at);
            let is_auxiliary = Language::English.class(&word.lower) == Some(Class::Auxiliary);
            if ((word.is_stop || is_auxiliary)
                && measure.is_none()
                && !is_name_at(text, word, sentence_starts.contains(&at)))
                || head.question_words.contains(&at)
                || is_contracted(text, word)
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
                    // All parts of an identifier together are one name.
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
            is_nested: is_nested(&all, head.question_words.first().copied()),
            sought,
            attribute,
            said: all,
            session: None,
        }
    }

    /// The same question, with what a phrase stands for in its place.
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

    /// The weights of all terms together.
    pub(crate) fn weight(&self) -> f32 {
        self.terms.iter().map(|term| term.weight).sum()
    }
}

/// Whether a word says in initials what is asked for: "which ISP" names none.
fn is_sort(text: &str, word: &Word, head: &Head, at: usize) -> bool {
    head.kind.last() == Some(&at) && is_acronym(&text[word.start..word.end])
}

/// Whether a word is what is left of an auxiliary: "who'll".
fn is_contracted(text: &str, word: &Word) -> bool {
    matches!(&*word.lower, "s" | "ll" | "d" | "ve" | "re" | "m" | "t")
        && text[..word.start].ends_with(['\'', '’'])
}

/// Leaves out what only says that the question is about now: "these days", "at present".
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

/// The preposition that a question ends in, which belongs to its verb and so to a predicate.
fn stranded(all: &[Word]) -> Option<AskedTerm> {
    let last = all.last().filter(|word| lexicon::STRANDED.contains(&&*word.lower))?;
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

/// The noun that the word after "how" asks for.
fn measure_at(all: &[Word], at: usize) -> Option<&'static str> {
    let before = at.checked_sub(1).map(|before| &*all[before].lower);
    if before == Some("how") { lexicon::measure(&all[at].lower) } else { None }
}

/// The first word of each sentence, whose capital says nothing.
fn sentence_starts(text: &str, all: &[Word]) -> Vec<usize> {
    let mut starts = vec![0];
    for (at, pair) in all.windows(2).enumerate() {
        // Terms of scripts without spaces overlap; nothing stands between them.
        let between = text.get(pair[0].end..pair[1].start).unwrap_or_default();
        if between.contains(['.', '?', '!', ':']) && between.contains(' ') {
            starts.push(at + 1);
        }
    }
    starts
}

/// For each word the identifier that it is a part of: words with nothing but a joint between them, of which one has a
/// capital or a digit.
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

/// Whether a word is part of a name: it has a digit, an inner capital or a joint, or a capital where none is due.
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

    /// The words of names, all alike.
    pub(crate) fn of_names(lexical: &Lexical, names: &str) -> Self {
        let target = SparseVector::from_pairs(lexical.query_vector(names, |_| 1.0));
        let words = target.indices().iter().map(|term| vec![*term]).collect();
        Self { target, words, beginnings: Vec::new(), together: false }
    }

    /// The search for these words, in a graph.
    pub(crate) fn among(&self, among: Filter, limit: usize) -> Worded<'_> {
        let Self { target, words, beginnings, together } = self;
        Worded { words, hints: beginnings, together: *together, target, among, limit }
    }
}
