//! The entities in an answer, which the next question may refer to.

use std::ops::Range;

use quiver_graph::{EntityId, Passage, Result, name};
use quiver_language::number::number_word;

use crate::{
    answer::Answer,
    extract::{Mention, MentionKind, mentions, sentences},
    memory::words::words,
};

use super::{
    exchange::Referent,
    lexicon::{is_period, place},
    link::{NameKind, Reader, add, same},
    profile::weight_said,
    said::Said,
};

/// Number of top passages searched for the answer.
const PASSAGES: usize = 3;
/// Bonus for a passage about an entity asked about.
const ABOUT: f32 = 0.6;
/// Penalty per rank of a passage.
const STEP: f32 = 0.08;
/// Maximum number of nearby entities.
const NEARBY_MAX: usize = 6;

/// The entities in an answer: those it names, those near it in the passage, and those in a list.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answered {
    pub(crate) named: Vec<Referent>,
    pub(crate) nearby: Vec<Referent>,
    pub(crate) listed: Vec<Referent>,
}

impl Reader<'_> {
    /// Finds the sentence of the evidence that best matches the question, and the entities in it.
    pub(crate) async fn answered(
        &self,
        question: &str,
        asked: &[Referent],
        answer: &Answer,
    ) -> Result<Answered> {
        let mut result = Answered::default();
        let is_asked = |name: &str| asked.iter().any(|asked| same(&asked.name, name));
        let passages: Vec<&Passage> =
            answer.evidence.passages.iter().take(PASSAGES).map(|ranked| &ranked.passage).collect();
        let Some((passage, range)) = self.best_sentence(question, asked, &passages) else {
            return Ok(result);
        };
        let linked = self.linked(&passage.text[range.clone()], range.start).await?;
        let all = mentions(&passage.text);
        let names = |mention: &&Mention| mention.kind == MentionKind::Name && !is_asked(&mention.name);
        let within: Vec<&Mention> =
            all.iter().filter(names).filter(|one| range.contains(&one.range.start)).collect();
        if let Some(text) = &answer.text {
            let value = within.iter().find(|mention| same(&mention.name, text));
            result.named.extend(value.map(|mention| self.known_as(&linked, passage, mention)));
        }
        let mut row: Vec<(Range<usize>, Referent)> =
            linked.iter().filter(|(_, referent)| !is_asked(&referent.name)).cloned().collect();
        for mention in &within {
            if !linked.iter().any(|(place, _)| overlap(place, &mention.range)) {
                row.push((mention.range.clone(), self.referent(passage, &mention.name)));
            }
        }
        row.sort_by_key(|(place, _)| place.start);
        for (_, referent) in &row {
            add(&mut result.named, referent.clone());
        }
        result.listed = listed(passage, &row);
        if let Some(text) = &answer.text {
            for (_, referent) in
                self.linked(text, 0).await?.into_iter().filter(|(_, one)| !is_asked(&one.name))
            {
                add(&mut result.named, referent);
            }
        }
        for mention in all.iter().filter(names) {
            let referent = self.referent(passage, &mention.name);
            if !result.named.iter().any(|known| same(&known.name, &referent.name)) {
                add(&mut result.nearby, referent);
            }
        }
        result.nearby.truncate(NEARBY_MAX);
        Ok(result)
    }

    /// The entities that a text names, each with its range, including names in lower case.
    async fn linked(&self, text: &str, offset: usize) -> Result<Vec<(Range<usize>, Referent)>> {
        let said = Said::of(text);
        // `Said` trims the text, so leading whitespace shifts the positions.
        let offset = offset + (text.len() - text.trim_start().len());
        let named = self.link(&said, &[]).await?;
        Ok(named
            .into_iter()
            .filter(|named| named.kind == NameKind::Whole && named.options.len() == 1)
            .map(|named| (named.bytes.start + offset..named.bytes.end + offset, named.options[0].clone()))
            .collect())
    }

    fn known_as(
        &self,
        linked: &[(Range<usize>, Referent)],
        passage: &Passage,
        mention: &Mention,
    ) -> Referent {
        let known = linked.iter().find(|(place, _)| overlap(place, &mention.range));
        known.map_or_else(|| self.referent(passage, &mention.name), |(_, referent)| referent.clone())
    }

    fn best_sentence<'p>(
        &self,
        question: &str,
        asked: &[Referent],
        passages: &[&'p Passage],
    ) -> Option<(&'p Passage, Range<usize>)> {
        let ids: Vec<EntityId> = asked.iter().flat_map(|asked| self.ids_of(asked)).collect();
        let said: Vec<String> = asked.iter().map(|asked| name::normalise(&asked.name)).collect();
        let mut wanted = self.weighed(question);
        wanted.retain(|wanted| {
            !said.iter().any(|name| name.split(' ').any(|word| word == &*wanted.word.lower))
        });
        let all: f32 = wanted.iter().map(|wanted| wanted.weight).sum::<f32>().max(f32::MIN_POSITIVE);
        let mut best: Option<(f32, &Passage, Range<usize>)> = None;
        for (rank, passage) in passages.iter().enumerate() {
            let about = if passage.subjects.iter().any(|id| ids.contains(id)) { ABOUT } else { 0.0 };
            for range in sentences(&passage.text) {
                let sentence = &passage.text[range.clone()];
                let words = words(self.lexical, sentence);
                let covered = weight_said(&wanted, &words);
                let folded = name::normalise(sentence);
                let names = if said.iter().any(|name| folded.contains(name)) { ABOUT / 2.0 } else { 0.0 };
                let score = covered / all + about + names - STEP * rank as f32;
                if best.as_ref().is_none_or(|(known, _, _)| score > *known) {
                    best = Some((score, passage, range));
                }
            }
        }
        best.map(|(_, passage, range)| (passage, range))
    }

    fn referent(&self, passage: &Passage, written: &str) -> Referent {
        let id = EntityId::of_normalised(self.graph.workspace(), None, &name::normalise(written));
        let entity = passage.entities.contains(&id).then_some(id);
        Referent { name: self.canonical(written), entity }
    }
}

/// The longest list of names separated only by commas, "and" or "or", each perhaps after "the".
fn listed(passage: &Passage, names: &[(Range<usize>, Referent)]) -> Vec<Referent> {
    let mut best: Vec<&Referent> = Vec::new();
    let mut row: Vec<&Referent> = Vec::new();
    let mut end = 0;
    for (place, referent) in names.iter().filter(|(_, referent)| !says_time(&referent.name)) {
        let between = passage.text.get(end..place.start).unwrap_or("?");
        let words = || between.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let is_conjunction = |word: &str| matches!(word.to_lowercase().as_str(), "and" | "or" | "&");
        // "The compose.yml file" names one thing twice.
        let is_apart = between.contains(',') || words().any(is_conjunction);
        let joins = is_apart && words().all(|word| is_conjunction(word) || word.eq_ignore_ascii_case("the"));
        if !joins || row.is_empty() {
            row.clear();
        }
        end = place.end;
        row.push(referent);
        if row.len() > best.len() {
            best.clone_from(&row);
        }
    }
    if best.len() < 2 {
        return Vec::new();
    }
    best.into_iter().cloned().collect()
}

/// Whether a name consists of words for times and numbers: "Sunday", "last fifty".
fn says_time(name: &str) -> bool {
    let is_time = |word: &str| is_period(word) || place(word).is_some() || number_word(word).is_some();
    Said::of(name).tokens.iter().all(|token| is_time(&token.lower))
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}
