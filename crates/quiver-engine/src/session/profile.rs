//! What the graph says about candidates: whether they are people, what kind of thing they are, and what
//! passages say about them.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use quiver_graph::{EntityId, Nearest, Passage, PassageId, Result, filters, name};
use quiver_language::word::stems;
use quiver_models::Lexical;
use quiver_store::{SparseVector, Target};

use crate::{
    extract::sentences,
    memory::words::{Word, agreement, words},
    search::documents,
};

use super::{
    exchange::{Exchange, Referent},
    lexicon::{Owner, Sort, is_article, is_be, is_closed, is_person_noun, pronoun, title_of_address},
    link::{Reader, bare, called, name_words},
    said::Said,
};

/// Number of passages about an entity to read: as many by similarity to the question as in order.
const ABOUT_EACH: usize = 3;
/// The same of passages that only mention it.
const MENTIONING_EACH: usize = 2;
/// Weight of a pronoun that may mean somebody else whom the sentence before names.
const ANOTHER: f32 = 0.5;
/// Minimum agreement for two words to match.
const AGREES: f32 = 0.7;

/// A word of a question with its weight.
#[derive(Clone, Debug)]
pub(crate) struct Weighed {
    pub(crate) word: Word,
    pub(crate) weight: f32,
}

/// What is known about a candidate.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) referent: Referent,
    /// Titles and sentences of passages about it.
    about: Vec<String>,
    /// Sentences of other passages that mention it.
    mentioning: Vec<String>,
    /// Evidence that it is a man, a woman, a thing, or several.
    counts: [f32; 4],
    /// Whether a sentence that begins with its name, or the one after it, calls it "he" or "she".
    is_called: bool,
    /// Nouns that define it: "is a fishing *village*".
    nouns: Vec<String>,
    /// Whether a passage has the last word of its name as a noun: "the *plots*" for "Orchard Plots".
    has_noun: bool,
}

impl Reader<'_> {
    /// The content words of a question, weighted by rarity.
    pub(crate) fn weighed(&self, text: &str) -> Vec<Weighed> {
        let said = words(self.lexical, text).into_iter();
        said.filter(|word| !is_closed(&word.lower) && !word.is_stop)
            .map(|word| {
                let rarity = self.statistics.inverse_document_frequency(word.stem);
                Weighed { weight: rarity.clamp(0.2, 4.0), word }
            })
            .collect()
    }

    /// Reads passages about each entity, and passages that mention it, preferring those nearest to the question.
    pub(crate) async fn profiles(&self, referents: &[&Referent], question: &str) -> Result<Vec<Profile>> {
        if referents.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<Vec<EntityId>> = referents.iter().map(|referent| self.ids_of(referent)).collect();
        let pairs =
            self.lexical.query_vector(question, |term| self.statistics.inverse_document_frequency(term));
        let target = Target::Sparse(SparseVector::from_pairs(pairs));
        let searches = ids.iter().flat_map(|ids| {
            let search = |among, limit| Nearest { target: target.clone(), among: documents(among), limit };
            [
                search(filters::about(ids.iter().copied()), ABOUT_EACH),
                search(filters::mentioning(ids.iter().copied()), MENTIONING_EACH),
            ]
        });
        let near = self.graph.nearest_ids::<Passage>(searches.collect()).await?;
        let first = ids.iter().flat_map(|ids| {
            let list = |among, limit| self.graph.list_ids::<Passage>(documents(among), limit);
            [
                list(filters::about(ids.iter().copied()), ABOUT_EACH),
                list(filters::mentioning(ids.iter().copied()), MENTIONING_EACH),
            ]
        });
        let first = try_join_all(first).await?;
        let mut wanted: Vec<PassageId> =
            near.iter().flatten().map(|(id, _)| *id).chain(first.iter().flatten().copied()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let passages = self.graph.passages(&wanted).await?;
        let passages: BTreeMap<PassageId, Passage> =
            passages.into_iter().map(|passage| (passage.id, passage)).collect();
        let known = referents.iter().enumerate().map(|(at, referent)| {
            let mut of: Vec<PassageId> =
                near[2 * at].iter().chain(&near[2 * at + 1]).map(|(id, _)| *id).collect();
            of.extend(first[2 * at].iter().chain(&first[2 * at + 1]));
            of.dedup();
            let mut seen = Vec::new();
            of.retain(|id| {
                let is_new = !seen.contains(id);
                seen.push(*id);
                is_new
            });
            let of = of.iter().filter_map(|id| passages.get(id));
            Profile::of(referent, &ids[at], of)
        });
        Ok(known.collect())
    }
}

impl Profile {
    fn of<'p>(referent: &Referent, ids: &[EntityId], passages: impl Iterator<Item = &'p Passage>) -> Self {
        let mut known = Self {
            referent: referent.clone(),
            about: Vec::new(),
            mentioning: Vec::new(),
            counts: [0.0; 4],
            is_called: false,
            nouns: Vec::new(),
            has_noun: false,
        };
        let own = bare(&referent.name);
        for passage in passages {
            let is_about = passage.subjects.iter().any(|subject| ids.contains(subject));
            let found: Vec<&str> =
                sentences(&passage.text).into_iter().map(|range| passage.text[range].trim()).collect();
            known.is_called |= is_called_as_subject(&found, &own);
            if is_about {
                // A title says what its sentences are about.
                known.about.extend(passage.title.clone());
                for (at, sentence) in found.iter().enumerate() {
                    let before = at.checked_sub(1).map(|before| found[before]);
                    known.count(sentence, &own, at, before);
                    known.about.push((*sentence).to_owned());
                }
            } else {
                let naming = found.iter().filter(|sentence| name::normalise(sentence).contains(&own));
                known.mentioning.extend(naming.map(|sentence| (*sentence).to_owned()));
                known.count_as_subject(&found, &own);
            }
        }
        let mentioned: Vec<String> = known.mentioning.clone();
        for sentence in &mentioned {
            known.add_apposition(sentence, &own);
        }
        known.count_name();
        let last = name_words(&referent.name).pop().unwrap_or_default();
        let mut said = known.about.iter().chain(&known.mentioning).flat_map(|text| Said::of(text).tokens);
        known.has_noun = said.any(|token| token.lower == last && !token.is_marked);
        known
    }

    /// Counts the pronouns in a passage about the entity. Pronouns at the start of a sentence weigh most.
    fn count(&mut self, sentence: &str, own: &str, at: usize, before: Option<&str>) {
        let said = Said::of(sentence);
        let mut is_own_sentence = at > 0 || name::normalise(sentence).contains(own);
        for (place, token) in said.tokens.iter().enumerate() {
            let Some(pronoun) = pronoun(&token.lower) else { continue };
            let index = match pronoun.sort {
                Sort::Man => 0,
                Sort::Woman => 1,
                Sort::Thing => 2,
                Sort::Several => 3,
                Sort::Place => continue,
            };
            // "The office is run by Ann Lee. *She* …" says nothing of the office.
            let is_another = place == 0
                && matches!(pronoun.sort, Sort::Man | Sort::Woman)
                && before.is_some_and(|before| names_another(before, own));
            let weight = if is_another {
                ANOTHER
            } else if place == 0 && at == 1 {
                3.0
            } else if place == 0 {
                1.5
            } else {
                0.5
            };
            if is_own_sentence {
                self.counts[index] += weight;
            }
            is_own_sentence = true;
        }
        if at == 0 {
            self.add_definition(&said, own);
        }
    }

    /// Counts the pronouns of sentences that begin with the name, and the pronoun that begins the next one: "Bess, our old
    /// mare, has lost *her* shoe. *She* …"
    fn count_as_subject(&mut self, sentences: &[&str], own: &str) {
        for (at, sentence) in sentences.iter().enumerate() {
            if !begins_with(sentence, own) {
                continue;
            }
            self.count(sentence, own, 0, None);
            let next = sentences.get(at + 1).map(|next| Said::of(next));
            let first = next.as_ref().and_then(|next| next.tokens.first());
            if first.is_some_and(|first| pronoun(&first.lower).is_some()) {
                self.count(sentences[at + 1], own, 1, Some(sentence));
            }
        }
    }

    /// The definition in the first sentence: the nouns between "is a" and the end of the phrase.
    fn add_definition(&mut self, said: &Said, own: &str) {
        let Some(be) = said.tokens.iter().position(|token| is_be(&token.lower)) else { return };
        let before = &said.text[..said.tokens[be].range.start];
        if !name::normalise(before).contains(own) {
            return;
        }
        if matches!(said.word(be), "are" | "were") {
            self.counts[3] += 1.0;
        }
        let defines = matches!(said.word(be + 1), "a" | "an" | "the" | "one") || said.word(be + 1) == "his";
        if !defines {
            return;
        }
        for at in be + 2..said.tokens.len() {
            let token = &said.tokens[at];
            if token.parted.is_some()
                || matches!(token.lower.as_str(), "that" | "which" | "who" | "where" | "with")
            {
                break;
            }
            // In "a director *of* platforms", the words after the preposition are not part of the definition.
            if matches!(token.lower.as_str(), "of" | "in" | "on" | "for" | "from" | "by" | "at" | "near") {
                break;
            }
            // "Is the guild's prize" calls it no guild.
            let owns = said.tokens.get(at + 1).is_some_and(|next| next.is_joined);
            if !is_closed(&token.lower) && !token.is_joined && !owns {
                self.nouns.push(token.lower.clone());
            }
        }
    }

    /// The noun directly before or after the name: "the *actress* Lena Roth", "the Dublin *office*".
    fn add_apposition(&mut self, sentence: &str, own: &str) {
        let said = Said::of(sentence);
        let count = name_words(own).len();
        for start in 0..said.tokens.len().saturating_sub(count.saturating_sub(1)) {
            let span = start..start + count;
            if bare(&sentence[said.bytes_of(&span)]) != own {
                continue;
            }
            let beside = [start.checked_sub(1), Some(start + count)].into_iter().flatten();
            for at in beside.filter(|at| *at < said.tokens.len()) {
                let (token, first) = (&said.tokens[at], at.max(start));
                let is_parted = said.tokens[first].parted.is_some() && at >= start + count
                    || at < start && said.tokens[start].parted.is_some();
                if !is_parted && !is_closed(&token.lower) && !token.is_marked && !token.is_joined {
                    self.nouns.push(token.lower.clone());
                }
            }
        }
    }

    /// Counts how often a turn called it "it".
    pub(super) fn add_turn(&mut self, turn: &Exchange) {
        let called = turn.rewrites.iter().filter_map(|rewrite| called(rewrite, &self.referent.name));
        self.counts[2] += called.filter(|sort| *sort == Sort::Thing).count() as f32;
    }

    /// Counts a title of address in the name.
    fn count_name(&mut self) {
        let words = name_words(&self.referent.name);
        if words.len() > 1
            && let Some([man, woman]) = words.first().and_then(|first| title_of_address(first))
        {
            let weight = if man && woman { 1.0 } else { 2.0 };
            self.counts[0] += if man { weight } else { 0.0 };
            self.counts[1] += if woman { weight } else { 0.0 };
        }
    }

    /// Whether it is a person, judged by its pronouns, its title or its definition; `None` if unknown.
    pub(crate) fn is_person(&self) -> Option<bool> {
        let person = self.counts[0].max(self.counts[1]);
        let other = self.counts[2];
        if person > other {
            return Some(true);
        }
        if other > person {
            return Some(false);
        }
        if self.nouns.iter().any(|noun| is_person_noun(noun)) {
            return Some(true);
        }
        if !self.nouns.is_empty() && !self.nouns.iter().any(|noun| is_agent(noun)) {
            return Some(false);
        }
        None
    }

    /// How well a pronoun of this kind agrees, from 0 to 1.
    pub(crate) fn agrees(&self, sort: Sort) -> f32 {
        let [_, _, thing, several] = self.counts;
        let looks_personal = || {
            let words = Said::of(&self.referent.name).tokens;
            let written =
                words.iter().all(|word| word.is_marked && !word.lower.contains(|c: char| c.is_numeric()));
            let agent = self.nouns.iter().any(|noun| is_agent(noun));
            if agent {
                0.9
            } else if written && words.len() >= 2 && !self.has_noun {
                0.8
            } else {
                0.35
            }
        };
        match sort {
            Sort::Man | Sort::Woman => {
                let (own, opposite) = self.sexes(sort);
                match self.is_person() {
                    // Somebody is involved in "Incident 127".
                    _ if self.referent.name.contains(|c: char| c.is_numeric()) => 0.0,
                    // A ship may be called "she", so pronouns take precedence over the kind.
                    _ if own > 0.0 && own >= opposite && own >= thing => 1.0,
                    Some(false) => 0.0,
                    _ if opposite > own => 0.0,
                    Some(true) => 0.9,
                    None => looks_personal(),
                }
            }
            Sort::Thing | Sort::Place => match self.is_person() {
                Some(true) => 0.0,
                Some(false) => 1.0,
                None if looks_personal() > 0.5 => 0.6,
                None => 0.9,
            },
            Sort::Several if several > 0.0 => 1.0,
            Sort::Several => 0.6,
        }
    }

    /// How well a noun fits, from 0 to 1: "that *project*".
    pub(crate) fn fits(&self, reader: &Reader<'_>, noun: &str) -> f32 {
        let noun = words(reader.lexical, noun);
        let Some(noun) = noun.last() else { return 0.0 };
        let agree = |other: &str| {
            let other = words(reader.lexical, other);
            other.last().map_or(0.0, |other| agreement(noun, other))
        };
        let own = name_words(&self.referent.name);
        if own.iter().any(|word| agree(word) >= 0.9) {
            return 1.0;
        }
        // A compound is a kind of its last part: a keelboat is a boat.
        let compound = |word: &String| {
            let long = noun.lower.len() >= 4 && word.len() >= noun.lower.len() + 3;
            if long && word.ends_with(&*noun.lower) { 0.9 } else { 0.0 }
        };
        let defined = self.nouns.iter().map(|word| agree(word).max(compound(word))).fold(0.0, f32::max);
        if defined >= AGREES {
            return defined;
        }
        let is_agent_noun = is_agent(&noun.lower) || is_person_noun(&noun.lower);
        let said = self.about.iter().any(|sentence| {
            let said = words(reader.lexical, sentence);
            (0..said.len()).any(|at| {
                // "Her daughter" is somebody else.
                let before = at.checked_sub(1).map_or("", |before| &*said[before].lower);
                let is_owned = pronoun(before).is_some_and(|before| before.owner != Owner::Never);
                agreement(noun, &said[at]) >= AGREES && !is_owned
            })
        });
        match (said, is_agent_noun, self.is_person()) {
            (true, true, Some(true)) => 0.8,
            (true, true, Some(false)) => 0.1,
            (true, _, _) => 0.45,
            (false, true, Some(true)) => 0.3,
            _ => 0.0,
        }
    }

    /// Whether two entities are of the same kind: their definitions or their names share a word.
    pub(crate) fn shares_sort(&self, other: &Self) -> bool {
        let sort = self.nouns.iter().any(|noun| other.nouns.contains(noun));
        let own = name_words(&self.referent.name);
        let theirs = name_words(&other.referent.name);
        sort || own.iter().any(|word| theirs.contains(word) && !is_closed(word))
    }

    /// The share of a question that passages about it cover, from 0 to 1.
    pub(crate) fn support(&self, reader: &Reader<'_>, asked: &[Weighed]) -> f32 {
        let about = covered(reader.lexical, asked, &self.about.join("\n"));
        about.max(0.6 * covered(reader.lexical, asked, &self.mentioning.join("\n")))
    }

    /// The share of a question that sentences which are about it or name it cover, from 0 to 1.
    pub(crate) fn answers(&self, reader: &Reader<'_>, asked: &[Weighed]) -> f32 {
        let said: Vec<&str> = self.about.iter().chain(&self.mentioning).map(String::as_str).collect();
        covered(reader.lexical, asked, &said.join("\n"))
    }

    /// Whether a sentence says what is asked of something that has to do with it, or does so in a sentence before.
    pub(crate) fn tells(&self, reader: &Reader<'_>, noun: &str, asked: &[Weighed]) -> bool {
        let own = stems(noun);
        let says_noun = |text: &str| {
            name_words(text).iter().any(|word| stems(word).iter().any(|stem| own.contains(stem)))
        };
        let goes_on =
            |text: &str| Said::of(text).tokens.first().is_some_and(|first| pronoun(&first.lower).is_some());
        let sentences: Vec<&String> = self.about.iter().chain(&self.mentioning).collect();
        (0..sentences.len()).filter(|at| says_noun(sentences[*at])).any(|at| {
            let next = sentences.get(at + 1).filter(|next| goes_on(next));
            let says = |text: &str| covered(reader.lexical, asked, text) >= AGREES;
            says(sentences[at]) || next.is_some_and(|next| says(next))
        })
    }

    /// Whether its passages call it by such a personal pronoun.
    pub(crate) fn is_surely(&self, sort: Sort) -> bool {
        let (own, opposite) = self.sexes(sort);
        own > 0.0 && own >= opposite
    }

    /// The evidence for a personal pronoun, and for the opposite one.
    fn sexes(&self, sort: Sort) -> (f32, f32) {
        let [man, woman, ..] = self.counts;
        if sort == Sort::Man { (man, woman) } else { (woman, man) }
    }

    /// Whether more than its name says that it is a person.
    pub(crate) fn is_surely_person(&self) -> bool {
        self.counts[0].max(self.counts[1]) > 0.0
            || self.nouns.iter().any(|noun| is_agent(noun) || is_person_noun(noun))
    }

    /// Whether "he" or "she" may mean it: its name has two words or more, as that of a person has, or it is called so
    /// itself. A page or a town is not called "she" because somebody on its page is.
    pub(crate) fn may_be_person(&self) -> bool {
        let is_person = || self.nouns.iter().any(|noun| is_person_noun(noun));
        let is_full = name_words(&self.referent.name).len() > 1 && !self.has_noun;
        is_full || self.is_called || is_person()
    }

    /// Whether any passage mentions it.
    pub(crate) fn is_known(&self) -> bool {
        !(self.about.is_empty() && self.mentioning.is_empty())
    }
}

/// Whether a sentence that begins with a name, or the beginning of the one after it, says "he" or "she".
fn is_called_as_subject(sentences: &[&str], own: &str) -> bool {
    let is_personal =
        |word: &str| pronoun(word).is_some_and(|one| matches!(one.sort, Sort::Man | Sort::Woman));
    (0..sentences.len()).filter(|at| begins_with(sentences[*at], own)).any(|at| {
        let said = Said::of(sentences[at]);
        let next = sentences.get(at + 1).map(|next| Said::of(next));
        let goes_on = next.is_some_and(|next| is_personal(next.word(0)));
        goes_on || said.tokens.iter().any(|token| is_personal(&token.lower))
    })
}

/// Whether a sentence names somebody or something else, after its first word.
fn names_another(sentence: &str, own: &str) -> bool {
    let is_own = |word: &str| own.split(' ').any(|own| own == word);
    let tokens = Said::of(sentence).tokens;
    tokens.iter().skip(1).any(|token| {
        token.is_marked && !is_own(&token.lower) && !token.lower.contains(|c: char| c.is_numeric())
    })
}

/// Whether a sentence begins with a name, or with a noun before it: "Marta …", "The mare Bess …".
fn begins_with(sentence: &str, own: &str) -> bool {
    let is_name = |text: &str| name::normalise(text).starts_with(own);
    let said = Said::of(sentence);
    let nouns = said.tokens.iter().enumerate().skip(1).take(NOUNS_BEFORE_MAX);
    let mut nouns =
        nouns.take_while(|(_, noun)| !(is_closed(&noun.lower) || noun.is_marked || noun.parted.is_some()));
    is_name(sentence)
        || is_article(said.word(0))
            && nouns.any(|(at, _)| {
                said.tokens.get(at + 1).is_some_and(|next| is_name(&sentence[next.range.start..]))
            })
}

/// Maximum number of words between an article and a name after its noun: "the old mare Bess".
const NOUNS_BEFORE_MAX: usize = 2;

/// Total weight of the question's words that occur in a text.
pub(super) fn weight_said(asked: &[Weighed], said: &[Word]) -> f32 {
    let is_said = |asked: &&Weighed| said.iter().any(|word| agreement(&asked.word, word) >= AGREES);
    asked.iter().filter(is_said).map(|asked| asked.weight).sum()
}

/// The weighted share of the question that a text covers, from 0 to 1; inexact matches count less.
pub(crate) fn covered(lexical: &Lexical, asked: &[Weighed], text: &str) -> f32 {
    let all: f32 = asked.iter().map(|asked| asked.weight).sum();
    if all <= 0.0 {
        return 0.0;
    }
    let said = words(lexical, text);
    let covered = asked.iter().map(|asked| {
        let best = said.iter().map(|word| agreement(&asked.word, word)).fold(0.0, f32::max);
        if best >= AGREES { asked.weight * best } else { 0.0 }
    });
    covered.sum::<f32>() / all
}

/// Whether a noun has the suffix of an agent noun, such as "-er" or "-ist".
pub(crate) fn is_agent(noun: &str) -> bool {
    let noun = noun.strip_suffix('s').unwrap_or(noun);
    noun.len() > 4
        && ["er", "or", "ist", "ian", "ess", "ect", "eer"].iter().any(|ending| noun.ends_with(ending))
}
