//! Extracts key phrases from text whose writing system or style does not mark names.

use crate::{
    character::Script,
    lexicon::{irregular_base, is_past_form},
    pack::{self, KOREAN_ENDINGS, Language},
    text::Text,
    token::Shape,
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Maximum number of key phrases per text. Recurring ones come first, then earlier ones.
pub(crate) const KEYPHRASES_MAX: usize = 12;

/// Maximum length of a run of Han characters. Longer runs are clauses without a known particle.
const HAN_CHARACTERS_MAX: usize = 8;

/// Extracts key phrases from the unused tokens, as byte ranges in order of appearance.
///
/// In scripts with spaces, a key phrase is a pair of adjacent content words, or a single one that recurs or is
/// surrounded by function words. In Chinese and Japanese it is a run between punctuation and particles.
pub(crate) fn keyphrases(text: &Text<'_>, used: &[bool]) -> Vec<Range<usize>> {
    let mut candidates = Vec::new();
    for sentence in text.sentences() {
        let within = text.within(sentence);
        let kana =
            within.clone().any(|at| matches!(text.tokens[at].script, Script::Hiragana | Script::Katakana));
        let mut run = Vec::new();
        for at in within {
            let token = &text.tokens[at];
            if run.last().is_some_and(|_| !text.gap_before(at).chars().all(char::is_whitespace)) {
                close_run(text, &mut run, &mut candidates);
            }
            let word = !used[at] && token.is_content() && token.shape != Shape::Initial;
            match token.script {
                Script::Spaced | Script::Unspaced if word => run.push(token.range.clone()),
                Script::Hangul if word => {
                    close_run(text, &mut run, &mut candidates);
                    candidates.extend(korean(token.text, token.range.start).map(|bytes| (bytes, true)));
                }
                Script::Han | Script::Katakana if !used[at] => {
                    close_run(text, &mut run, &mut candidates);
                    let parts =
                        if kana { vec![token.range.clone()] } else { chinese(token.text, token.range.start) };
                    candidates.extend(parts.into_iter().map(|bytes| (bytes, true)));
                }
                _ => close_run(text, &mut run, &mut candidates),
            }
        }
        close_run(text, &mut run, &mut candidates);
    }
    choose(text, candidates)
}

/// Turns a run of content words into candidates: pairs, and single words in case they recur. "Called" and "retired" are
/// verbs.
fn close_run(text: &Text<'_>, run: &mut Vec<Range<usize>>, candidates: &mut Vec<(Range<usize>, bool)>) {
    let alone = run.len() == 1;
    let is_verb = |word: &&Range<usize>| {
        let word = text.source[(*word).clone()].to_lowercase();
        let is_past = word.ends_with("ed") && is_past_form(&word) || irregular_base(&word).is_some();
        is_past && text.language == Language::English
    };
    candidates.extend(run.iter().filter(|word| !is_verb(word)).map(|word| (word.clone(), alone)));
    candidates.extend(run.windows(2).map(|pair| (pair[0].start..pair[1].end, true)));
    run.clear();
}

/// Picks recurring candidates first, then those that can stand alone, up to the limit. Each is returned at
/// its first occurrence.
fn choose(text: &Text<'_>, candidates: Vec<(Range<usize>, bool)>) -> Vec<Range<usize>> {
    let key = |bytes: &Range<usize>| text.source[bytes.clone()].to_lowercase();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (bytes, _) in &candidates {
        *counts.entry(key(bytes)).or_default() += 1;
    }
    let mut ranked: Vec<(usize, usize, Range<usize>)> = Vec::new();
    let mut seen = HashSet::new();
    for (bytes, complete) in candidates {
        let name = key(&bytes);
        let count = counts.get(&name).copied().unwrap_or(0);
        let letters = name.chars().filter(|c| c.is_alphabetic()).count();
        let ideographic = name.chars().any(|c| !matches!(Script::of(c), Script::Spaced | Script::Unspaced));
        let long_enough = letters >= if ideographic { 2 } else { 4 };
        if long_enough && (complete || count > 1) && seen.insert(name) {
            let single =
                usize::from(!text.source[bytes.clone()].contains(char::is_whitespace) && !ideographic);
            ranked.push((usize::MAX - count, single, bytes));
        }
    }
    ranked.sort_by_key(|(rarity, single, bytes)| (*rarity, *single, bytes.start));
    ranked.truncate(KEYPHRASES_MAX);
    let mut chosen: Vec<Range<usize>> = ranked.into_iter().map(|(_, _, bytes)| bytes).collect();
    chosen.sort_by_key(|bytes| (bytes.start, bytes.end));
    chosen
}

fn korean(word: &str, start: usize) -> Option<Range<usize>> {
    let stem = KOREAN_ENDINGS
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.chars().count() >= 2))
        .unwrap_or(word);
    (stem.chars().count() >= 2).then(|| start..start + stem.len())
}

/// Splits a run of Han characters at particles.
fn chinese(run: &str, start: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = None;
    let ends = run.char_indices().map(|(at, c)| (at, Some(c))).chain([(run.len(), None)]);
    for (at, c) in ends {
        let inside = c.is_some_and(|c| !pack::is_chinese_particle(c) && !matches!(c, '年' | '月' | '日'));
        match (inside, from) {
            (true, None) => from = Some(at),
            (false, Some(begin)) => {
                if (2..=HAN_CHARACTERS_MAX).contains(&run[begin..at].chars().count()) {
                    parts.push(start + begin..start + at);
                }
                from = None;
            }
            _ => {}
        }
    }
    parts
}
