//! Lexical analysis of passages, cached per process: term weights, sentences and possible name mentions.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use quiver_graph::{EntityId, EntityIds, Passage, PassageId, Workspace, name::Runs};
use quiver_language::{sentences, term::whole_terms, title::bare_title};
use quiver_models::{Lexical, Term, TermCounts};

use crate::{records::embedded_text, terms::QueryTerm};

/// Longest run of words that is looked up as a name: runs with a capital or a digit, and runs without.
const NAME_WORDS_MAX: usize = 8;
const PLAIN_NAME_WORDS_MAX: usize = 3;
/// Number of leading words that stand in for the title of an untitled passage.
const LEAD_WORDS: usize = 4;
/// Maximum number of words per passage at which a name lookup may start.
const WORDS_MAX: usize = 400;
/// Maximum number of cached analyses, which take some tens of megabytes.
const REMEMBERED_MAX: usize = 8192;

/// The lexical analysis of a passage.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// BM25 document weights of title and text, sorted by term.
    pub(crate) vector: Vec<(u32, f32)>,
    /// The sentences of the text.
    pub(crate) sentences: Vec<Sentence>,
    /// Runs of words that may be names.
    pub(crate) names: Vec<NameRun>,
    /// Distinct terms of the title, or of the first words if there is no title; sorted.
    pub(crate) lead: Vec<Stemmed>,
    /// Term frequencies, in the order of `vector`.
    pub(crate) counts: Vec<f32>,
    /// Number of terms in title and text, without stop words.
    pub(crate) length: usize,
    /// Terms of the text in order, without the parts of compounds.
    pub(crate) sequence: Vec<Stemmed>,
}

/// The term of a word in a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stemmed {
    pub(crate) term: u32,
    /// The term for the word's stem in the language of the passage, if that is clear and not English.
    pub(crate) stem: Option<u32>,
}

impl Stemmed {
    /// Returns the term, and that for the stem.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = u32> + use<> {
        std::iter::once(self.term).chain(self.stem)
    }
}

/// A sentence of a passage.
#[derive(Debug)]
pub(crate) struct Sentence {
    /// Its byte range in the text.
    pub(crate) range: Range<usize>,
    /// Its distinct terms, sorted.
    pub(crate) terms: Vec<u32>,
}

/// A run of words in a passage that may be a name.
#[derive(Clone, Debug)]
pub(crate) struct NameRun {
    /// ID that an entity of this name would have, or that a split gives it; the entity may not exist.
    pub(crate) entity: EntityId,
    /// Index of the first word, and of the word after the last.
    pub(crate) words: (u16, u16),
    /// Its byte range in the text.
    pub(crate) range: Range<u32>,
    /// Index of the sentence that contains it.
    pub(crate) sentence: u16,
    /// Whether any of its words starts with a capital or a digit.
    pub(crate) is_capital: bool,
}

impl Analysis {
    fn of(lexical: &Lexical, workspace: &Workspace, passage: &Passage) -> Self {
        let text = &passage.text;
        let embedded = embedded_text(passage.title.as_deref(), text);
        let mut terms = lexical.terms(&embedded);
        let counted = lexical.document_counts_of(&embedded, &terms);
        let stems = stems_of(&terms, &counted.stems);
        let stemmed = |term: u32| Stemmed { term, stem: stems.get(&term).copied() };
        // No term spans the white space between the title and the text.
        let text_start = embedded.len() - text.len();
        terms.drain(..terms.partition_point(|term| term.start < text_start));
        terms
            .iter_mut()
            .for_each(|term| (term.start, term.end) = (term.start - text_start, term.end - text_start));
        let words = words_of(text, &terms);
        let ranges = sentences(text);
        let mut names = name_runs(workspace, text, &words, &ranges);
        names.iter_mut().for_each(|name| name.entity = passage.meaning(name.entity));
        let sequence = whole_terms(&terms).map(|term| stemmed(term.hash)).collect();
        let lead = lead(lexical, passage, &terms).into_iter().map(stemmed).collect();
        let mut terms = terms.into_iter().peekable();
        let sentences = ranges
            .into_iter()
            .map(|range| {
                let within = text_start + range.start..text_start + range.end;
                let told = counted.definitions.iter().chain(&counted.headings);
                let told = told.map(|(told, term)| (told.start, *term));
                let stems = counted.stems.iter().map(|stem| (stem.start, stem.hash));
                let told = told.chain(stems).filter(|(start, _)| within.contains(start));
                let mut hashes: Vec<u32> = told.map(|(_, term)| term).collect();
                while let Some(term) = terms.next_if(|term| term.start < range.end) {
                    hashes.push(term.hash);
                }
                hashes.sort_unstable();
                hashes.dedup();
                Sentence { range, terms: hashes }
            })
            .collect();
        let vector = counted.weights();
        let TermCounts { counts, length, .. } = counted;
        let counts = counts.into_iter().map(|(_, count)| count).collect();
        Self { vector, sentences, names, lead, counts, length, sequence }
    }

    /// Returns the BM25 weight of a term in the passage.
    pub(crate) fn weight(&self, term: u32) -> Option<f32> {
        let found = self.vector.binary_search_by_key(&term, |entry| entry.0);
        found.ok().map(|at| self.vector[at].1)
    }

    /// Returns the BM25 weight of a question's word in the passage, which has its term, its stem or both.
    pub(crate) fn weight_of(&self, word: &QueryTerm) -> Option<f32> {
        word.hashes().filter_map(|term| self.weight(term)).reduce(f32::max)
    }

    /// Returns how often a question's word occurs in the passage.
    pub(crate) fn count_of(&self, word: &QueryTerm) -> f32 {
        word.hashes().map(|term| self.count(term)).fold(0.0, f32::max)
    }

    /// Returns how often a term occurs in the passage.
    fn count(&self, term: u32) -> f32 {
        let found = self.vector.binary_search_by_key(&term, |entry| entry.0);
        found.map_or(0.0, |at| self.counts[at])
    }
}

/// Returns the stems of words by the terms of the words. Both lists are sorted by position.
fn stems_of(terms: &[Term], stems: &[Term]) -> BTreeMap<u32, u32> {
    let place = |term: &Term| (term.start, term.end);
    let mut found = BTreeMap::new();
    for stem in stems {
        let first = terms.partition_point(|term| term.start < stem.start);
        let term = terms[first..].iter().take_while(|term| term.start == stem.start);
        found.extend(term.filter(|term| place(term) == place(stem)).map(|term| (term.hash, stem.hash)));
    }
    found
}

/// Returns the distinct terms of a passage's title, or of its first words if it has none; sorted.
fn lead(lexical: &Lexical, passage: &Passage, terms: &[Term]) -> Vec<u32> {
    let mut terms: Vec<u32> = match &passage.title {
        Some(title) => lexical.query_terms(bare_title(title)),
        None => {
            let terms = terms.iter().filter(|term| !term.is_stop);
            terms.take(LEAD_WORDS).map(|term| term.hash).collect()
        }
    };
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// A word of a text, as used for name runs.
pub(crate) struct Word {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_stop: bool,
    pub(crate) is_capital: bool,
}

/// Splits a text into words, without the parts of compounds.
pub(crate) fn words(lexical: &Lexical, text: &str) -> Vec<Word> {
    words_of(text, &lexical.terms(text))
}

fn words_of(text: &str, terms: &[Term]) -> Vec<Word> {
    let word = |term: &Term| {
        let is_capital = text[term.start..].starts_with(|c: char| c.is_uppercase() || c.is_numeric());
        Word { start: term.start, end: term.end, is_stop: term.is_stop, is_capital }
    };
    whole_terms(terms).map(word).collect()
}

/// Returns every run of words within a sentence that may be a name. No run begins or ends with a lower-case stop
/// word.
fn name_runs(workspace: &Workspace, text: &str, words: &[Word], sentences: &[Range<usize>]) -> Vec<NameRun> {
    let ids = EntityIds::new(workspace);
    let mut normalised = Runs::of(text);
    let mut runs = Vec::with_capacity(words.len().min(WORDS_MAX) * PLAIN_NAME_WORDS_MAX);
    let mut sentence = 0;
    for start in 0..words.len().min(WORDS_MAX) {
        let first = &words[start];
        while sentence + 1 < sentences.len() && first.start >= sentences[sentence].end {
            sentence += 1;
        }
        if first.is_stop && !first.is_capital {
            continue;
        }
        let limit = sentences.get(sentence).map_or(text.len(), |range| range.end);
        let mut has_capital = false;
        normalised.begin(first.start);
        for end in start + 1..=words.len().min(start + NAME_WORDS_MAX) {
            let last = &words[end - 1];
            has_capital |= last.is_capital;
            if last.start >= limit || (end - start > PLAIN_NAME_WORDS_MAX && !has_capital) {
                break;
            }
            if last.is_stop && !last.is_capital {
                continue;
            }
            let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            let short = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
            runs.push(NameRun {
                entity: ids.of_normalised(normalised.up_to(last.end)),
                words: (short(start), short(end)),
                range: narrow(first.start)..narrow(last.end),
                sentence: short(sentence),
                is_capital: has_capital,
            });
        }
    }
    runs
}

/// Cache of the analyses that this process made recently.
#[derive(Debug, Default)]
pub(crate) struct Analyses(Mutex<HashMap<(PassageId, u64), Arc<Analysis>>>);

impl Analyses {
    /// Returns the analysis of a passage. It depends only on title, text and what names mean, which are part of the key.
    pub(crate) fn of(&self, lexical: &Lexical, workspace: &Workspace, passage: &Passage) -> Arc<Analysis> {
        let mut hasher = DefaultHasher::new();
        let meant = passage.unsplit.as_ref().map(|unsplit| &unsplit.meant);
        (&passage.title, &passage.text, meant).hash(&mut hasher);
        let key = (passage.id, hasher.finish());
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(known);
        }
        let analysis = Arc::new(Analysis::of(lexical, workspace, passage));
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= REMEMBERED_MAX {
            remembered.clear();
        }
        remembered.insert(key, Arc::clone(&analysis));
        analysis
    }
}
