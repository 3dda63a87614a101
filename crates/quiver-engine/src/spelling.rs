//! Spelling correction: replaces question words that occur in no passage with words at edit distance one that do, and
//! versions with the form that passages write.
//!
//! The index knows only hashes of stems, so candidate edits are generated, looked up, and then checked against the text
//! of a few passages: "compater" has the stem of "compatible", but no passage says it. The work is bounded: a few words,
//! a few hundred edits each, and only for words that occur nowhere as written.

use std::{collections::BTreeMap, ops::Range};

use quiver_graph::{Nearest, Passage, Statistics, conversation};
use quiver_language::{
    pack::{Kind, Language},
    shorthand,
    term::whole_terms,
    token::words,
    word::{is_adjective, is_finite_auxiliary, is_irregular_verb, is_verb},
};
use quiver_models::{Lexical, Term};
use quiver_store::{SparseVector, Target};

use crate::{
    Result,
    engine::Engine,
    error::{In, Stage},
    terms::{has_passages, stems_asked},
};

/// Shorter words have too many neighbours.
const LETTERS_MIN: usize = 5;
/// The same for misspelt question words and modal verbs.
const FUNCTION_LETTERS_MIN: usize = 4;
/// From this length on, a single correction of a word without a capital is certain.
const SURE_LETTERS_MIN: usize = 7;
/// Longer words are likely data.
const LETTERS_MAX: usize = 24;
/// Minimum length at which a letter may be replaced: shorter words turn into other words, as "broker" into "broken".
const REPLACED_LETTERS_MIN: usize = 8;
/// Minimum length at which a letter may be inserted in or deleted from a name.
const EDITED_NAME_MIN: usize = 6;
/// Maximum length of a suffix that makes another form of a word.
const ENDING_MAX: usize = 3;
/// Suffixes that derive a word from another one, longest first.
const DERIVING: [&str; 12] =
    ["ation", "ment", "ness", "able", "less", "ing", "ion", "ful", "er", "or", "ly", "al"];
/// Maximum number of words corrected per question.
const WORDS_MAX: usize = 4;
/// Maximum number of candidates that are checked per word, the most frequent ones.
const CANDIDATES_MAX: usize = 6;
/// Number of passages that a candidate is looked for in.
const PASSAGES: usize = 3;

/// A correction of a word that occurs in no passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Correction {
    /// Byte range of the misspelt word in the question.
    pub(crate) range: Range<usize>,
    /// The word to search for instead.
    pub(crate) word: String,
    /// Whether the correction is certain: swapped letters, a doubled or undoubled letter, a question word or modal verb,
    /// or a long word without a capital that has a single neighbour. An uncertain correction is searched for, but the
    /// word still counts as unknown.
    pub(crate) is_sure: bool,
}

/// A word at edit distance one.
struct Candidate {
    word: String,
    term: u32,
    /// Number of passages with a word of this stem.
    passages: u32,
}

/// Returns the corrections of question words that occur in no passage.
pub(crate) async fn corrections(
    engine: Engine<'_>,
    statistics: &Statistics,
    text: &str,
) -> Result<Vec<Correction>> {
    let lexical = engine.lexical;
    let terms = lexical.terms(text);
    let stems = stems_asked(lexical, statistics, text);
    let is_said = |term: u32| has_passages(statistics, &stems, term);
    let is_whole = |term: &&Term| {
        let within = |other: &&Term| term.start <= other.start && other.end <= term.end;
        terms.iter().filter(within).count() == 1
    };
    let unknown = whole_terms(&terms)
        .filter(is_whole)
        .filter(|term| !term.is_stop && !is_said(term.hash))
        .take(WORDS_MAX);
    let mut corrections = Vec::new();
    for term in unknown {
        let range = term.start..term.end;
        let meant = match long_form(lexical, statistics, &text[range.clone()])
            .or_else(|| function_word(text, term))
        {
            Some(word) => Some((word, true)),
            None if is_english(&text[range.clone()].to_lowercase()) => None,
            None if is_version(&text[range.clone()]) => {
                written_version(lexical, statistics, &text[range.clone()]).map(|version| (version, true))
            }
            None => correct(engine, statistics, &text[range.clone()]).await?,
        };
        corrections.extend(meant.map(|(word, is_sure)| Correction { range, word, is_sure }));
    }
    Ok(corrections)
}

/// Whether a lower-case word is spelt right: "leads" is no misspelling of "led".
fn is_english(word: &str) -> bool {
    is_irregular_verb(word) || is_verb(word) || is_adjective(word)
}

/// Applies the corrections to the question.
pub(crate) fn corrected(text: &str, corrections: &[Correction]) -> String {
    let (mut corrected, mut at) = (String::with_capacity(text.len()), 0);
    for Correction { range, word, .. } in corrections {
        corrected.push_str(&text[at..range.start]);
        corrected.push_str(word);
        at = range.end;
    }
    corrected.push_str(&text[at..]);
    corrected
}

/// Whether a word has only ASCII letters, a suitable length, and no capital after the first letter.
fn is_correctable(word: &str) -> bool {
    (LETTERS_MIN..=LETTERS_MAX).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
}

/// Whether a word is the number of a version: "1.50", "v2.0.1".
fn is_version(word: &str) -> bool {
    let number = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let mut parts = number.split('.').peekable();
    number.contains('.')
        && parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns how passages write a version: "v1.50.0" for "1.50".
fn written_version(lexical: &Lexical, statistics: &Statistics, version: &str) -> Option<String> {
    let number = version.strip_prefix(['v', 'V']).unwrap_or(version);
    let first = format!("{number}.0");
    let last = number.strip_suffix(".0").filter(|last| last.contains('.'));
    let numbers = [Some(number), Some(first.as_str()), last];
    let mut forms =
        numbers.into_iter().flatten().flat_map(|number| [number.to_owned(), format!("v{number}")]);
    forms.find(|form| {
        let terms = lexical.terms(form);
        terms.len() == 1 && statistics.passages_with_term(terms[0].hash) > 0
    })
}

/// Returns the word that a short form or a slip stands for, if passages have it or it is a function word: "temperature" for
/// "temp", "the" for "teh".
fn long_form(lexical: &Lexical, statistics: &Statistics, written: &str) -> Option<String> {
    let word = shorthand::written_out(&written.to_lowercase())?;
    let is_said = || {
        let terms = lexical.terms(word);
        terms.iter().all(|term| statistics.passages_with_term(term.hash) > 0)
    };
    (Language::English.class(word).is_some() || is_said()).then(|| word.to_owned())
}

/// Returns the question word or modal verb that was meant: "wich" is "which".
fn function_word(text: &str, term: &Term) -> Option<String> {
    let written = &text[term.start..term.end];
    let is_plain = (FUNCTION_LETTERS_MIN..=LETTERS_MAX).contains(&written.len())
        && written.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (term.start == 0 || written.bytes().all(|byte| byte.is_ascii_lowercase()));
    if !is_plain {
        return None;
    }
    let word = written.to_ascii_lowercase().into_bytes();
    let is_meant = |edit: &String| {
        edit.len() >= FUNCTION_LETTERS_MIN
            && matches!(Language::English.kind(edit), Some(Kind::Question | Kind::Relative | Kind::Modal))
    };
    let edits = swaps_and_doubles(&word).into_iter().chain(insertions_and_deletions(&word));
    let mut meant: Vec<String> =
        edits.filter_map(|edit| String::from_utf8(edit).ok()).filter(is_meant).collect();
    meant.sort_unstable();
    meant.dedup();
    let [meant] = meant.as_slice() else { return None };
    // In "how cold does it get", an auxiliary follows, before which no modal verb stands.
    let next = words(&text[term.end..]).next().map(str::to_lowercase);
    let is_before_auxiliary = next.is_some_and(|next| is_finite_auxiliary(&next) && !next.starts_with("ha"));
    if is_before_auxiliary && Language::English.kind(meant) == Some(Kind::Modal) {
        return None;
    }
    // "Mighty" is not "might".
    (!written.to_ascii_lowercase().starts_with(meant.as_str())).then(|| meant.clone())
}

/// Returns what a word was meant to be, and whether that is certain: the most frequent slip, or the only other edit.
async fn correct(
    engine: Engine<'_>,
    statistics: &Statistics,
    written: &str,
) -> Result<Option<(String, bool)>> {
    let lexical = engine.lexical;
    if !is_correctable(written) || is_derived(lexical, statistics, written) {
        return Ok(None);
    }
    let word = written.to_ascii_lowercase().into_bytes();
    // A stem of the word is another form of it, not a correction: "taller" is not a misspelling of "tall".
    let forms: Vec<u32> = (1..=ENDING_MAX)
        .filter_map(|ending| written.get(..written.len().checked_sub(ending)?))
        .flat_map(|form| lexical.terms(form))
        .map(|term| term.hash)
        .collect();
    let found = |edits: Vec<Vec<u8>>| {
        let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
        for edit in edits {
            let word = String::from_utf8(edit).unwrap_or_default();
            let [term] = lexical.terms(&word)[..] else { continue };
            let passages = statistics.passages_with_term(term.hash);
            if passages > 0 && !term.is_stop && !forms.contains(&term.hash) {
                found.insert(word.clone(), Candidate { word, term: term.hash, passages });
            }
        }
        let mut found: Vec<Candidate> = found.into_values().collect();
        found.sort_by_key(|candidate| std::cmp::Reverse(candidate.passages));
        found.truncate(CANDIDATES_MAX);
        found
    };
    let is_name = written.starts_with(|c: char| c.is_ascii_uppercase());
    let slips = said(engine, found(swaps_and_doubles(&word))).await?;
    let (meant, is_sure) = if let Some(slip) = slips.into_iter().next() {
        (slip.word, true)
    } else if is_name && word.len() < EDITED_NAME_MIN {
        return Ok(None);
    } else {
        let edits = said(engine, found(other_edits(&word))).await?;
        // Forms of one word count once.
        let one = edits.first().filter(|first| edits.iter().all(|edit| edit.term == first.term));
        let Some(one) = one else { return Ok(None) };
        (one.word.clone(), !is_name && word.len() >= SURE_LETTERS_MIN)
    };
    Ok(Some((if is_name { meant[..1].to_ascii_uppercase() + &meant[1..] } else { meant }, is_sure)))
}

/// Keeps the candidates that passages say.
async fn said(engine: Engine<'_>, mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>> {
    if candidates.is_empty() {
        return Ok(candidates);
    }
    let search = |candidate: &Candidate| {
        let target = Target::Sparse(SparseVector::from_pairs(vec![(candidate.term, 1.0)]));
        Nearest { target, among: conversation::others(), limit: PASSAGES }
    };
    let searches = candidates.iter().map(search).collect();
    let found = engine.graph.nearest::<Passage>(searches).await.stage(Stage::Understand)?;
    let mut found = found.into_iter();
    candidates.retain(|candidate| {
        let hits = found.next().unwrap_or_default();
        hits.iter().any(|hit| {
            says(&hit.record.text, &candidate.word)
                || hit.record.title.as_ref().is_some_and(|title| says(title, &candidate.word))
        })
    });
    Ok(candidates)
}

/// Whether a text has a word or another form of it.
fn says(text: &str, word: &str) -> bool {
    let base = &word[..word.len() - 1];
    words(text).any(|said| {
        said.len() <= word.len() + ENDING_MAX
            && said.get(..base.len()).is_some_and(|start| start.eq_ignore_ascii_case(base))
    })
}

/// Whether passages contain the word that this one is derived from: a "maker" is someone who makes, not a misspelled
/// "marker".
fn is_derived(lexical: &Lexical, statistics: &Statistics, written: &str) -> bool {
    let lower = written.to_ascii_lowercase();
    let Some(base) = DERIVING.iter().find_map(|suffix| lower.strip_suffix(suffix)) else { return false };
    // "make" for "maker", "run" for "runner".
    let undoubled = base.char_indices().next_back().map(|(at, _)| &base[..at]);
    let undoubled = undoubled.filter(|short| short.chars().next_back() == base.chars().next_back());
    let bases = [Some(base.to_owned()), Some(format!("{base}e")), undoubled.map(str::to_owned)];
    bases
        .into_iter()
        .flatten()
        .filter(|base| base.len() >= 3)
        .any(|base| lexical.terms(&base).iter().any(|term| statistics.passages_with_term(term.hash) > 0))
}

/// Returns the edits that swap two adjacent letters, double a letter or undouble one.
fn swaps_and_doubles(word: &[u8]) -> Vec<Vec<u8>> {
    let mut edits = Vec::new();
    for at in 0..word.len() {
        let mut doubled = word.to_vec();
        doubled.insert(at, word[at]);
        edits.push(doubled);
        if at + 1 < word.len() {
            let mut edit = word.to_vec();
            if word[at] == word[at + 1] {
                edit.remove(at);
            } else {
                edit.swap(at, at + 1);
            }
            edits.push(edit);
        }
    }
    edits
}

/// Returns the edits that delete, insert or, in a long word, replace a letter after the first.
fn other_edits(word: &[u8]) -> Vec<Vec<u8>> {
    let mut edits = insertions_and_deletions(word);
    if word.len() >= REPLACED_LETTERS_MIN {
        for at in 1..word.len() {
            for letter in (b'a'..=b'z').filter(|letter| *letter != word[at]) {
                let mut edit = word.to_vec();
                edit[at] = letter;
                edits.push(edit);
            }
        }
    }
    edits
}

/// Returns the edits that delete or insert a letter after the first.
fn insertions_and_deletions(word: &[u8]) -> Vec<Vec<u8>> {
    let mut edits = Vec::new();
    for at in 1..=word.len() {
        if at < word.len() {
            let mut edit = word.to_vec();
            edit.remove(at);
            edits.push(edit);
        }
        for letter in b'a'..=b'z' {
            let mut edit = word.to_vec();
            edit.insert(at, letter);
            edits.push(edit);
        }
    }
    edits
}
