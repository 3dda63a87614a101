//! Resolves the referring expressions of a question: by agreement, by salience, and by what passages say.

use std::ops::Range;

use quiver_graph::Result;
use quiver_language::word::{is_irregular_verb, plural};

use super::{
    anaphor::{Anaphor, AnaphorKind, anaphors},
    exchange::{CHOSEN, Exchange, QuestionBack, Referent, Rewrite},
    focus::{self, ASKED_ABOUT, BESIDE, Candidate, FOUND, IN_ANSWER, SAME_QUESTION},
    lexicon::{
        Place, Sort, is_auxiliary, is_be, is_closed, is_conjunction, is_demonstrative, is_person_noun,
        is_preposition, is_question_word, pronoun,
    },
    link::{NameKind, Named, Reader, called, name_words, possessive, same},
    profile::{Profile, Weighed, is_agent},
    said::{Said, replaced},
    topic::{Topic, topics},
};

/// Weight of support from passages relative to salience.
const SUPPORT: f32 = 1.1;
/// Minimum fit for a noun to describe a candidate.
pub(super) const FITS_WELL: f32 = 0.7;
/// Support of phrases from a question, which the graph does not know.
const WORDS: f32 = 0.9;
/// Support of a candidate that a question names, added to its support from passages.
const TOPIC: f32 = 0.3;
/// Minimum agreement of a person with "he" or "she".
const PERSON: f32 = 0.5;
/// Minimum share of a question that passages about a name cover, for a pronoun to mean it rather than a phrase beside it.
const SUPPORTED_WELL: f32 = 0.7;
/// From this many turns ago, a candidate is given up if something else was named since.
const FAR: usize = 2;
/// Minimum salience of somebody known to be meant by "she" for "she" not to mean somebody of whom that is not known.
const KNOWN_LEAST: f32 = 0.4;
/// Agreement of one thing with "they": "the office".
const ONE_AS_SEVERAL: f32 = 0.6;
/// Candidates whose scores differ by less are tied.
const TIE: f32 = 0.08;
/// Salience of the answer to "which novel …?", higher than that of the entities asked about.
const ASKED_FOR: f32 = 1.3;
/// Reason for such a candidate.
const ASKED_FOR_LAST: &str = "what the last question asked for";

/// The result of resolving a question.
pub(crate) enum Resolved {
    /// All references that could be resolved were resolved.
    Question {
        text: String,
        rewrites: Vec<Rewrite>,
        /// The referents, in the order of the expressions.
        referents: Vec<Referent>,
        listed: Vec<Referent>,
        /// Whether a reference was left unchanged.
        is_open: bool,
        /// Whether nothing says whom or what a pronoun means.
        is_unclear: bool,
    },
    /// Several candidates are tied.
    Asks(QuestionBack),
}

/// A question to be resolved, with the candidates.
pub(crate) struct Resolver<'a> {
    pub(crate) reader: &'a Reader<'a>,
    pub(crate) said: &'a Said,
    pub(crate) named: &'a [Named],
    pub(crate) exchanges: &'a [Exchange],
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) known: Vec<Profile>,
    pub(crate) asked: Vec<Weighed>,
}

/// The resolution of a referring expression.
pub(super) struct Choice {
    pub(super) referents: Vec<Referent>,
    pub(super) because: String,
    /// Other candidates with a tied score.
    pub(super) rivals: Vec<Referent>,
    /// The words to replace, if they are not those of the anaphor.
    pub(super) tokens: Option<Range<usize>>,
    /// The words to put before the name: "the project".
    pub(super) prefix: String,
}

impl Choice {
    pub(super) fn one(referent: Referent, because: impl Into<String>) -> Self {
        let because = because.into();
        Self { referents: vec![referent], because, rivals: Vec::new(), tokens: None, prefix: String::new() }
    }
}

impl<'a> Resolver<'a> {
    pub(crate) async fn new(
        reader: &'a Reader<'a>,
        said: &'a Said,
        named: &'a [Named],
        exchanges: &'a [Exchange],
    ) -> Result<Resolver<'a>> {
        let mut candidates = focus::candidates(exchanges);
        let own = named.iter().filter_map(|named| named.referent(said));
        for referent in own.chain(focus::listed(exchanges).into_iter().flatten().cloned()) {
            if !candidates.iter().any(|known| same(&known.referent.name, &referent.name)) {
                candidates.push(Candidate {
                    referent,
                    salience: 0.0,
                    because: "named in the question",
                    ago: 99,
                    continues: false,
                    topic: None,
                });
            }
        }
        let entities: Vec<Referent> =
            candidates.iter().map(|candidate| entity_in(&candidate.referent, exchanges)).collect();
        let mut known = reader.profiles(&entities.iter().collect::<Vec<_>>(), &said.text).await?;
        for (known, candidate) in known.iter_mut().zip(&candidates) {
            known.referent.clone_from(&candidate.referent);
        }
        for known in &mut known {
            exchanges.iter().for_each(|exchange| known.add_turn(exchange));
        }
        raise(reader, &mut candidates, &known, exchanges);
        let mut asked = reader.weighed(&said.text);
        asked.retain(|asked| {
            let at = said.tokens_of(&(asked.word.start..asked.word.end)).start;
            !named.iter().any(|named| named.tokens.contains(&at))
        });
        Ok(Self { reader, said, named, exchanges, candidates, known, asked })
    }

    /// Resolves the referring expressions, in order.
    pub(crate) fn resolve(&self, anaphors: &[Anaphor]) -> Resolved {
        let mut edits = Vec::new();
        let (mut rewrites, mut referents, mut listed): (Vec<Rewrite>, Vec<Referent>, Vec<Referent>) =
            (Vec::new(), Vec::new(), Vec::new());
        let mut taken: Vec<(AnaphorKind, Vec<Referent>)> = Vec::new();
        let (mut is_open, mut is_unclear) = (false, false);
        // "How does that relate to it?"
        let is_bare = |anaphor: &Anaphor| {
            let is_thing = matches!(anaphor.kind, AnaphorKind::Pronoun { sort: Sort::Thing, owns: false });
            is_thing && anaphor.tokens.len() == 1
        };
        let words = |anaphor: &&Anaphor| self.said.word(anaphor.tokens.start) == "it";
        let bare = || anaphors.iter().filter(|anaphor| is_bare(anaphor));
        let mixes = bare().any(|anaphor| words(&anaphor)) && bare().any(|anaphor| !words(&anaphor));
        let asks_there =
            anaphors.iter().any(|one| matches!(one.kind, AnaphorKind::Pronoun { sort: Sort::Place, .. }));
        for anaphor in anaphors {
            // "How many beds have *they* got there?" means whoever is there.
            let is_people = matches!(anaphor.kind, AnaphorKind::Pronoun { sort: Sort::Several, owns: false });
            if is_people && asks_there {
                continue;
            }
            let choice = self.choose(anaphor, anaphors, &taken).filter(|_| !mixes || !is_bare(anaphor));
            let Some(choice) = choice else {
                // "The admin password" may be no reference at all.
                is_open |= !matches!(anaphor.kind, AnaphorKind::Pointing { points: false, .. });
                is_unclear |= self.is_unclear(anaphor, anaphors);
                continue;
            };
            let tokens = choice.tokens.clone().unwrap_or_else(|| anaphor.tokens.clone());
            let bytes = self.said.bytes_of(&tokens);
            let said = self.said.text[bytes.clone()].to_owned();
            if !choice.rivals.is_empty() {
                let question = replaced(&self.said.text, edits.clone());
                // Earlier replacements shift the position.
                let moved = |at: usize| (at + question.len()).saturating_sub(self.said.text.len());
                let mut options = choice.referents;
                options.extend(choice.rivals);
                let place = (moved(bytes.start), moved(bytes.end));
                return Resolved::Asks(QuestionBack { said, options, question, place });
            }
            let owns = matches!(anaphor.kind, AnaphorKind::Pronoun { owns: true, .. });
            let names = self.written(anaphor, &choice.referents);
            let is_place = matches!(anaphor.kind, AnaphorKind::Pronoun { sort: Sort::Place, .. });
            let before = tokens.start.checked_sub(1).map_or("", |before| self.said.word(before));
            let prefix = if is_place && !is_preposition(before) { "in " } else { &choice.prefix };
            // "When shes away"
            let next = self.said.tokens.get(tokens.end);
            let is_glued = next.is_some_and(|next| next.is_joined && next.range.start == bytes.end);
            let names = if owns { possessive(&names) } else { names };
            let stands_for = format!("{prefix}{names}{}", if is_glued { "'" } else { "" });
            rewrites.push(Rewrite { said, stands_for: stands_for.clone(), because: choice.because });
            if choice.referents.len() > 1 {
                listed.clone_from(&choice.referents);
            }
            for referent in &choice.referents {
                if !referents.contains(referent) {
                    referents.push(referent.clone());
                }
            }
            taken.push((anaphor.kind.clone(), choice.referents));
            edits.push((bytes, stands_for));
        }
        let text = replaced(&self.said.text, edits);
        Resolved::Question { text, rewrites, referents, listed, is_open, is_unclear }
    }

    /// Whether nothing says whom or what an expression that could not be resolved means: "they", if the question itself
    /// doesn't name them.
    fn is_unclear(&self, anaphor: &Anaphor, all: &[Anaphor]) -> bool {
        let own = pronoun(self.said.word(anaphor.tokens.start)).filter(|own| own.sort != Sort::Place);
        own.is_some_and(|own| !self.has_antecedent(anaphor, own.sort, all))
    }

    /// The text that replaces an expression. For a topic, the phrase from the question that named it.
    fn written(&self, anaphor: &Anaphor, referents: &[Referent]) -> String {
        let [one] = referents else { return joined(referents) };
        if let Some(words) = self.written_before(anaphor, one) {
            return words;
        }
        let candidate = self.candidates.iter().find(|candidate| same(&candidate.referent.name, &one.name));
        let written = candidate.and_then(|candidate| match anaphor.kind {
            AnaphorKind::Pronoun { sort, .. } => candidate.written(sort),
            AnaphorKind::Pointing { .. } if candidate.is_words() => candidate.written(Sort::Thing),
            AnaphorKind::Indefinite => candidate.topic.as_ref()?.any().map(str::to_owned),
            _ => None,
        });
        written.unwrap_or_else(|| one.name.clone())
    }

    /// The phrase around a name that stands earlier in the question: "the Tarn line" for Tarn.
    fn written_before(&self, anaphor: &Anaphor, referent: &Referent) -> Option<String> {
        let is_own =
            |named: &&Named| named.referent(self.said).is_some_and(|own| same(&own.name, &referent.name));
        let named =
            self.named.iter().find(is_own).filter(|named| named.tokens.end <= anaphor.tokens.start)?;
        let phrases = topics(self.said, &[&referent.name]).into_iter();
        let goes_on =
            |topic: &Topic| topic.tokens.start <= named.tokens.start && topic.tokens.end > named.tokens.end;
        phrases.filter(goes_on).map(|topic| topic.words).next()
    }

    fn choose(
        &self,
        anaphor: &Anaphor,
        all: &[Anaphor],
        taken: &[(AnaphorKind, Vec<Referent>)],
    ) -> Option<Choice> {
        match &anaphor.kind {
            AnaphorKind::Ordinal { place, noun } => {
                let mut choice = self.ordinal(*place, *noun)?;
                if matches!(self.said.word(anaphor.tokens.start), "which" | "who") {
                    let which = &self.said.text[self.said.bytes_of(&anaphor.tokens)];
                    choice.prefix = format!("{which} of ");
                }
                Some(choice)
            }
            AnaphorKind::Indefinite => self.indefinite(anaphor, taken),
            AnaphorKind::Pronoun { sort: Sort::Several, .. } => {
                self.several().or_else(|| self.pronoun(anaphor, Sort::Several, all, taken))
            }
            AnaphorKind::Pronoun { sort, .. } => self.pronoun(anaphor, *sort, all, taken),
            AnaphorKind::Pointing { nouns, points } => {
                let others = all.iter().any(|other| {
                    other.tokens != anaphor.tokens
                        && !matches!(other.kind, AnaphorKind::Pointing { points: false, .. })
                });
                self.pointing(anaphor, nouns, *points, others)
            }
        }
    }

    /// Scores the candidates for an expression, best first. Candidates named earlier in the question have the highest
    /// salience, unless they are in the same clause.
    pub(super) fn scored(
        &self,
        anaphor: &Anaphor,
        score: impl Fn(usize, f32) -> Option<f32>,
    ) -> Vec<(usize, f32)> {
        let mut scored: Vec<(usize, f32)> = (0..self.candidates.len())
            .filter_map(|at| {
                let salience = self.salience(at, anaphor)?;
                score(at, salience).map(|score| (at, score))
            })
            .collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scored
    }

    fn salience(&self, at: usize, anaphor: &Anaphor) -> Option<f32> {
        let candidate = &self.candidates[at];
        let names = |named: &&Named| {
            named.referent(self.said).is_some_and(|own| same(&own.name, &candidate.referent.name))
        };
        let owns = matches!(anaphor.kind, AnaphorKind::Pronoun { owns: true, .. });
        match self.named.iter().find(names) {
            Some(named) if named.tokens.end <= anaphor.tokens.start => {
                let between = &self.said.tokens[named.tokens.end..=anaphor.tokens.start];
                let parted = between.iter().any(|token| {
                    token.parted.is_some() || is_conjunction(&token.lower) || is_question_word(&token.lower)
                });
                // Within a clause, a name and a pronoun refer to different entities: "Does Ana know her?"
                (parted || owns).then_some(SAME_QUESTION)
            }
            None if candidate.salience > 0.0 => Some(candidate.salience),
            _ => None,
        }
    }

    pub(super) fn because(&self, at: usize, anaphor: &Anaphor) -> String {
        let candidate = &self.candidates[at];
        if self.salience(at, anaphor) == Some(SAME_QUESTION) {
            return "named before in the same question".to_owned();
        }
        match candidate.ago {
            0 => format!("{} in the last turn", candidate.because),
            1 => format!("{} two turns ago", candidate.because),
            ago => format!("{} {} turns ago", candidate.because, ago + 1),
        }
    }

    fn pronoun(
        &self,
        anaphor: &Anaphor,
        sort: Sort,
        all: &[Anaphor],
        taken: &[(AnaphorKind, Vec<Referent>)],
    ) -> Option<Choice> {
        let is_taken = |known: &Profile| {
            taken.iter().any(|(kind, referents)| {
                let same_word = matches!(kind, AnaphorKind::Pronoun { sort: other, .. } if *other == sort);
                !same_word && referents.contains(&known.referent)
            })
        };
        // Pronouns of the same kind in one question have the same referent.
        let before = taken
            .iter()
            .find(|(kind, _)| matches!(kind, AnaphorKind::Pronoun { sort: other, .. } if *other == sort));
        if let Some((_, referents)) = before {
            let because = "as before in the same question".to_owned();
            let referents = referents.clone();
            return Some(Choice {
                referents,
                because,
                rivals: Vec::new(),
                tokens: None,
                prefix: String::new(),
            });
        }
        let is_that = self.said.word(anaphor.tokens.start) == "that" && anaphor.tokens.len() == 1;
        let is_one_of_several = sort == Sort::Thing && self.asks_what_somebody_has();
        if self.means_what_is_done(anaphor) || is_that && self.asks_of_owned() || is_one_of_several {
            return None;
        }
        let is_personal = matches!(sort, Sort::Man | Sort::Woman);
        let points = is_demonstrative(self.said.word(anaphor.tokens.start));
        let mut scored = self.scored(anaphor, |at, salience| {
            let (candidate, known) = (&self.candidates[at], &self.known[at]);
            let agrees = match candidate.is_words() {
                true if is_personal || sort == Sort::Place => 0.0,
                true if sort == Sort::Several && candidate.is_one() && points => 0.0,
                true if sort == Sort::Several && candidate.is_one() => ONE_AS_SEVERAL,
                true => 1.0,
                false if candidate.is_thing() => {
                    if is_personal {
                        0.0
                    } else {
                        1.0
                    }
                }
                false => known.agrees(sort),
            };
            let least = if is_personal { PERSON } else { f32::MIN_POSITIVE };
            // A name that only stands near an answer may be that of a street.
            let is_asked = matches!(candidate.because, ASKED_ABOUT | ASKED_FOR_LAST | IN_ANSWER);
            let is_sure = match sort {
                Sort::Man | Sort::Woman => (is_asked || known.is_surely_person()) && known.may_be_person(),
                Sort::Place => is_asked,
                _ => candidate.because != FOUND,
            };
            let fits = agrees >= least && is_sure && !is_taken(known) && candidate.written(sort).is_some();
            fits.then(|| salience * agrees + self.support(at, salience))
        });
        if is_personal && self.goes_on_about(sort, &scored) {
            scored.retain(|(at, _)| !matches!(self.candidates[*at].because, BESIDE | FOUND));
        }
        let nearest = scored.first().map(|(at, _)| self.candidates[*at].ago);
        if matches!(sort, Sort::Thing | Sort::Several) {
            self.keep_kind(anaphor, &mut scored);
            self.keep_topics(anaphor, &mut scored);
            scored.retain(|(at, _)| self.is_still_in_focus(*at, anaphor));
        }
        if sort == Sort::Place {
            scored.retain(|(at, _)| self.named_beside(*at).is_none());
        }
        let (best, top) = *scored.first()?;
        let is_tied = |at: usize| self.candidates[best].is_words() || self.candidates[at].is_words();
        if scored.get(1).is_some_and(|(at, score)| top - score < TIE && is_tied(*at)) {
            return None;
        }
        let is_doubtful = if self.salience(best, anaphor) == Some(SAME_QUESTION) {
            !is_personal && self.is_nearer(anaphor, &self.candidates[best].referent)
        } else {
            self.is_passed(best, nearest)
                || is_personal && self.is_rivalled(best, sort, &scored)
                || self.has_antecedent(anaphor, sort, all)
                || self.was_left_open(sort)
        };
        if is_doubtful {
            return None;
        }
        let mut choice = Choice::one(self.candidates[best].referent.clone(), self.because(best, anaphor));
        choice.rivals = scored[1..]
            .iter()
            .filter(|(at, score)| top - score < TIE && self.are_rivals(best, *at, sort))
            .map(|(at, _)| self.candidates[*at].referent.clone())
            .collect();
        Some(choice)
    }

    /// Whether the last question called one of the candidates by a pronoun of this kind.
    fn goes_on_about(&self, sort: Sort, scored: &[(usize, f32)]) -> bool {
        let mut rewrites = self.exchanges.last().into_iter().flat_map(|last| &last.rewrites);
        rewrites.any(|rewrite| {
            let is_called = |at: usize| called(rewrite, &self.candidates[at].referent.name) == Some(sort);
            scored.iter().any(|(at, _)| is_called(*at))
        })
    }

    /// Whether a candidate of an earlier turn was named before something that fits as well.
    fn is_passed(&self, best: usize, nearest: Option<usize>) -> bool {
        let ago = self.candidates[best].ago;
        ago >= FAR && nearest.is_some_and(|nearest| nearest < ago)
    }

    /// Whether passages call somebody else by the pronoun, and not the best candidate.
    fn is_rivalled(&self, best: usize, sort: Sort, scored: &[(usize, f32)]) -> bool {
        let is_known = |at: usize| self.known[at].is_surely(sort);
        let mut others = scored.iter().map(|(at, _)| *at);
        !is_known(best) && others.any(|at| is_known(at) && self.candidates[at].salience >= KNOWN_LEAST)
    }

    /// Whether an earlier clause of the question names something that a pronoun may mean and that is not known: "One more
    /// about the bakery: where do *they* get the butter?"
    fn has_antecedent(&self, anaphor: &Anaphor, sort: Sort, all: &[Anaphor]) -> bool {
        let is_parted = |end: usize| {
            let between = self.said.tokens.get(end..=anaphor.tokens.start).unwrap_or_default();
            between.iter().any(|token| token.parted.is_some() || token.is_first)
        };
        let unclear = self.named.iter().any(|named| {
            named.kind == NameKind::Part && named.options.len() > 1 && is_parted(named.tokens.end)
        });
        let is_personal = matches!(sort, Sort::Man | Sort::Woman);
        let is_antecedent = |phrase: &Range<usize>| {
            let head = self.said.word(phrase.end - 1);
            let is_person = is_person_noun(head) || is_agent(head);
            is_person == is_personal && is_parted(phrase.end)
        };
        let is_returned_to =
            |topic: &Topic| topic.tokens.start > 0 && self.said.tokens[topic.tokens.start - 1].is_asking;
        let returned_to = topics(self.said, &[]).into_iter().filter(is_returned_to).map(|topic| topic.tokens);
        let definite = all.iter().filter_map(|other| match &other.kind {
            AnaphorKind::Pointing { nouns, .. } => Some(nouns.clone()),
            _ => None,
        });
        let is_something = |at: usize| {
            matches!(self.said.word(at), "something" | "somebody" | "someone") && is_parted(at + 1)
        };
        unclear
            || (0..anaphor.tokens.start).any(is_something)
            || returned_to.chain(definite).any(|phrase| is_antecedent(&phrase))
    }

    /// Whether a phrase such as "a hotel" stands between a name of the question and a pronoun.
    fn is_nearer(&self, anaphor: &Anaphor, referent: &Referent) -> bool {
        let is_own =
            |named: &&Named| named.referent(self.said).is_some_and(|own| same(&own.name, &referent.name));
        let end = self.named.iter().find(is_own).map_or(0, |named| named.tokens.end);
        let is_between = |topic: &Topic| {
            topic.is_indefinite && topic.tokens.start > end && topic.tokens.end <= anaphor.tokens.start
        };
        topics(self.said, &[]).iter().any(is_between)
    }

    /// Whether the last question has a pronoun of such a kind that could not be resolved: this one may mean the same.
    fn was_left_open(&self, sort: Sort) -> bool {
        let last = self.exchanges.last().map(|last| Said::of_question(&last.standalone));
        let is_person = |sort: Sort| matches!(sort, Sort::Man | Sort::Woman);
        last.is_some_and(|last| {
            anaphors(&last, &[]).iter().any(|left| match left.kind {
                AnaphorKind::Pronoun { sort: other, .. } => {
                    other == sort || !is_person(other) && !is_person(sort)
                }
                _ => false,
            })
        })
    }

    /// Keeps the candidates of the kind that the question gives, if there are any among those asked about: "What kind of
    /// *barn* is it?" does not ask of the farm in the last answer.
    fn keep_kind(&self, anaphor: &Anaphor, scored: &mut Vec<(usize, f32)>) {
        let Some(be) = anaphor.tokens.start.checked_sub(1).filter(|at| is_be(self.said.word(*at))) else {
            return;
        };
        let start = (0..be).rev().find(|at| matches!(self.said.word(*at), "kind" | "sort" | "type"));
        let Some(kind) = be.checked_sub(1).filter(|kind| start.is_some_and(|start| start + 1 < *kind)) else {
            return;
        };
        let fits = |at: usize| self.known[at].fits(self.reader, self.said.word(kind)) >= FITS_WELL;
        let is_asked =
            |at: usize| self.candidates[at].topic.is_some() || self.candidates[at].because == ASKED_ABOUT;
        if scored.iter().any(|(at, _)| is_asked(*at) && fits(*at)) {
            scored.retain(|(at, _)| fits(*at));
        }
    }

    /// Keeps the candidates that the latest question names, if any fit. They take precedence over those in an
    /// answer, unless that answer was asked for. Candidates that are only in a passage are dropped.
    fn keep_topics(&self, anaphor: &Anaphor, scored: &mut Vec<(usize, f32)>) {
        let has_topics = self.candidates.iter().any(|candidate| candidate.topic.is_some());
        let is_subject =
            |one: &Candidate| one.ago == 0 && one.topic.as_ref().is_some_and(|one| one.is_referent);
        let has_subject = self.candidates.iter().any(is_subject);
        let described: Vec<(usize, usize)> =
            (0..self.candidates.len()).filter_map(|at| Some((at, self.named_beside(at)?))).collect();
        let rank = |at: usize| {
            let candidate = &self.candidates[at];
            let is_named = self.salience(at, anaphor) == Some(SAME_QUESTION);
            match &candidate.topic {
                _ if is_named || candidate.because == ASKED_FOR_LAST || self.is_answer(candidate) => 0,
                // "What is the biggest threat to Ostra? And its depth?" The depth is that of Ostra.
                Some(_) if described.iter().any(|(phrase, _)| *phrase == at) => usize::MAX,
                _ if described.iter().any(|(_, name)| *name == at) => 2,
                // A topic of the last two questions ranks above one that only the last question names.
                Some(topic) if topic.is_referent => 2 + 2 * candidate.ago - usize::from(candidate.continues),
                // "What were the delays at Ostra? What about it in May?" No delay is "it".
                Some(_) if is_name(&candidate.referent.name) && candidate.ago == 0 && !has_subject => 2,
                Some(_) if is_name(&candidate.referent.name) => 50 + candidate.ago,
                Some(_) => usize::MAX,
                None if self.is_alternative(at) => 2 + 2 * candidate.ago,
                None if candidate.because == ASKED_ABOUT => 100,
                None => 101,
            }
        };
        scored.retain(|(at, _)| {
            // If there are topics, an entity without one is not the referent.
            let is_unseen = matches!(self.candidates[*at].because, BESIDE | FOUND) || has_topics;
            let is_topic = self.candidates[*at].topic.is_some() || self.is_alternative(*at);
            rank(*at) == 0 || (is_topic || !is_unseen) && rank(*at) < usize::MAX
        });
        let best = scored.iter().map(|(at, _)| rank(*at)).filter(|rank| *rank > 0).min().unwrap_or(0);
        scored.retain(|(at, _)| rank(*at) <= best);
    }

    /// Whether a candidate is the answer to the last question, and not only named in it.
    fn is_answer(&self, candidate: &Candidate) -> bool {
        self.exchanges.last().is_some_and(|last| answers(last, &candidate.referent))
    }

    /// The name that a preposition joins to a phrase of the last question, if "it" rather means what has the name: the
    /// conversation goes on about it, or passages about it say what is asked. It does not if they say that of the
    /// phrase.
    fn named_beside(&self, at: usize) -> Option<usize> {
        let phrase = &self.candidates[at];
        let topic = phrase.topic.as_ref().filter(|topic| topic.is_of_name && phrase.ago == 0)?;
        let head = topic.bare.split_whitespace().next_back()?;
        let last = Said::of_question(&self.exchanges.last()?.standalone);
        let is_beside = |(other, candidate): (usize, &Candidate)| {
            let name = name_words(&candidate.referent.name);
            let is_at =
                |at: usize| name.iter().enumerate().all(|(offset, word)| last.word(at + offset) == word);
            let follows = (topic.tokens.end + 1..=topic.tokens.end + 3).any(is_at);
            let known = &self.known[other];
            let is_about = candidate.continues || known.answers(self.reader, &self.asked) >= SUPPORTED_WELL;
            let is_thing = candidate.is_words() || known.is_person() != Some(true);
            (candidate.ago == 0 || candidate.continues)
                && follows
                && is_thing
                && is_name(&candidate.referent.name)
                && is_about
                && !known.tells(self.reader, head, &self.asked)
        };
        self.candidates.iter().enumerate().find(|one| is_beside(*one)).map(|(other, _)| other)
    }

    /// Whether "it" or "they" may refer to a candidate of an earlier turn: not if only an answer named it then, and not
    /// if the last question is about something that it does not name but describes, such as "documents", from which
    /// the conversation may have gone on to anything.
    fn is_still_in_focus(&self, at: usize, anaphor: &Anaphor) -> bool {
        let candidate = &self.candidates[at];
        let is_subject =
            |one: &Candidate| one.ago == 0 && one.topic.as_ref().is_some_and(|topic| topic.is_central);
        let is_said = candidate.topic.is_some() || candidate.because == ASKED_ABOUT;
        let moved_on =
            || self.asks_of_owned() || self.candidates.iter().any(|one| one.is_words() && is_subject(one));
        let is_named_here = self.salience(at, anaphor) == Some(SAME_QUESTION);
        candidate.ago == 0 || candidate.continues || is_named_here || is_said && !moved_on()
    }

    /// Whether the last question asks which things somebody has and got no answer: "it" is one of them, and nobody knows which.
    fn asks_what_somebody_has(&self) -> bool {
        let Some(last) = self.exchanges.last().filter(|last| last.answer.is_none()) else { return false };
        let said = Said::of_question(&last.standalone);
        let asks = matches!(said.word(0), "which" | "what") && !is_auxiliary(said.word(1));
        let has =
            said.tokens.last().is_some_and(|last| matches!(last.lower.as_str(), "have" | "got" | "own"));
        asks && has
    }

    /// Whether the last question is about something that somebody or something has: "What's *her office* in the guild?"
    fn asks_of_owned(&self) -> bool {
        let last = self.exchanges.last().map(|last| Said::of(&last.standalone));
        last.is_some_and(|last| {
            (1..last.tokens.len()).any(|at| {
                let (owner, noun) = (&last.tokens[at - 1], last.word(at + 1));
                last.tokens[at].is_joined && owner.is_marked && !noun.is_empty() && !is_closed(noun)
            })
        })
    }

    /// An instance of the kind asked about last, if there was only one such kind: "a committer", even if
    /// "they" were asked about since.
    fn indefinite(&self, anaphor: &Anaphor, taken: &[(AnaphorKind, Vec<Referent>)]) -> Option<Choice> {
        let topics =
            || self.candidates.iter().enumerate().filter_map(|(at, one)| Some((at, one.topic.as_ref()?)));
        let is_recent = |at: usize, kind: &Topic| {
            let many = plural(&kind.bare);
            let is_said =
                |(other, topic): (usize, &Topic)| self.candidates[other].ago == 0 && same(&topic.bare, &many);
            self.candidates[at].ago == 0 || topics().any(is_said)
        };
        let mut kinds = topics().filter(|(at, topic)| topic.is_indefinite && is_recent(*at, topic));
        let (kind, _) = kinds.next().filter(|_| kinds.next().is_none())?;
        let referent = &self.candidates[kind].referent;
        let is_taken = taken.iter().any(|(_, referents)| referents.contains(referent));
        (!is_taken).then(|| Choice::one(referent.clone(), self.because(kind, anaphor)))
    }

    /// Whether "it", "this" or "that" may refer to the action in the last question rather than to a thing it
    /// names: "How do I revoke a certificate? How long does *that* take?"
    fn means_what_is_done(&self, anaphor: &Anaphor) -> bool {
        let at = anaphor.tokens.start;
        let word = self.said.word(at);
        if anaphor.tokens.len() > 1 || !matches!(word, "it" | "this" | "that") {
            return false;
        }
        let before = at.checked_sub(1).map_or("", |before| self.said.word(before));
        let is_done = word == "it" && before == "do" && at > 1 && !is_question_word(self.said.word(at - 2));
        let last = self.exchanges.last().map(|last| Said::of(&last.standalone));
        let asks_how = last.as_ref().is_some_and(|last| {
            let at = last.tokens.iter().position(|token| matches!(token.lower.as_str(), "how" | "why"));
            at.is_some_and(|at| is_auxiliary(last.word(at + 1)) || last.word(at + 1) == "to")
        });
        let takes = matches!(self.said.word(at + 1), "take" | "takes" | "work" | "works" | "matter");
        is_done || asks_how && (word != "it" || takes)
    }

    /// The support of a candidate from passages and from being named in a question.
    fn support(&self, at: usize, salience: f32) -> f32 {
        let (candidate, known) = (&self.candidates[at], &self.known[at]);
        if candidate.is_words() {
            return WORDS * salience;
        }
        let is_meant =
            candidate.topic.is_some() || candidate.because == ASKED_FOR_LAST || self.is_alternative(at);
        let named = if is_meant { TOPIC * salience } else { 0.0 };
        named + self.supported(known, salience)
    }

    /// Whether the last question names an entity as an alternative to one of its topics: "Line North or Line
    /// South".
    fn is_alternative(&self, at: usize) -> bool {
        let is_rival = |(other, candidate): (usize, &Candidate)| {
            other != at
                && candidate.topic.is_some()
                && candidate.ago == 0
                && self.are_rivals(at, other, Sort::Thing)
        };
        self.candidates[at].topic.is_none() && self.candidates.iter().enumerate().any(is_rival)
    }

    /// The support from passages, scaled down for less salient candidates.
    pub(super) fn supported(&self, known: &Profile, salience: f32) -> f32 {
        SUPPORT * known.support(self.reader, &self.asked) * (salience + 0.1).min(1.0)
    }

    /// Whether two candidates with a common part in their names were asked about or listed together in the
    /// last turn, so that a pronoun may refer to either.
    fn are_rivals(&self, one: usize, other: usize, sort: Sort) -> bool {
        let (one, other) = (&self.candidates[one], &self.candidates[other]);
        let known =
            |at: &Candidate| self.known.iter().any(|known| known.referent == at.referent && known.is_known());
        let in_one_list = self.exchanges.last().is_some_and(|last| {
            [&last.asked, &last.listed].into_iter().any(|list| {
                let has = |candidate: &Candidate| {
                    list.iter().any(|referent| same(&referent.name, &candidate.referent.name))
                };
                has(one) && has(other)
            })
        });
        sort != Sort::Several && in_one_list && known(one) && known(other) && shares_word(one, other)
    }

    /// The referents of "they", if several entities were mentioned together.
    fn several(&self) -> Option<Choice> {
        let last = self.exchanges.last()?;
        let together = self.said.tokens.iter().enumerate().any(|(at, token)| match token.lower.as_str() {
            "both" | "together" | "two" | "each" | "either" => true,
            // "Are they different from tags?" compares them with something else.
            "same" | "different" => !matches!(self.said.word(at + 1), "as" | "from" | "to" | "than"),
            _ => false,
        });
        let choice = |referents: Vec<Referent>, because: &str| {
            let because = because.to_owned();
            Some(Choice { referents, because, rivals: Vec::new(), tokens: None, prefix: String::new() })
        };
        let is_asked = self.candidates.iter().any(|candidate| {
            candidate.ago == 0
                && candidate.topic.as_ref().is_some_and(|topic| topic.is_central && topic.several().is_some())
        });
        if is_asked && !together {
            return None;
        }
        let was_chosen = last.rewrites.iter().any(|rewrite| rewrite.because == CHOSEN);
        if last.listed.len() > 1
            && (together || !was_chosen)
            && (together || last.asked.len() != 1 || !is_swap(last))
        {
            return choice(last.listed.clone(), "what the last turn spoke of together");
        }
        if together {
            let list = focus::listed(self.exchanges).filter(|list| list.len() == 2);
            if let Some(list) = list {
                return choice(list.to_vec(), "the two that were spoken of");
            }
            let mut topics: Vec<Referent> = Vec::new();
            for exchange in self.exchanges.iter().rev() {
                let topic = exchange.asked.first();
                if let Some(topic) =
                    topic.filter(|topic| !topics.iter().any(|known| same(&known.name, &topic.name)))
                {
                    topics.insert(0, topic.clone());
                }
            }
            let from = topics.len().saturating_sub(2);
            return (topics.len() > 1)
                .then(|| choice(topics.split_off(from), "the last two that were asked about"))?;
        }
        None
    }

    /// Resolves a position in a list.
    fn ordinal(&self, place: Place, noun: Option<usize>) -> Option<Choice> {
        let list = focus::listed(self.exchanges);
        if let Some(noun) = noun
            && !self.counts_noun(noun, list.unwrap_or_default())
        {
            // "When is the second due?": the word after the ordinal is not a noun.
            if !self.is_predicate(noun) {
                return None;
            }
        }
        let consumed = noun.filter(|noun| self.counts_noun(*noun, list.unwrap_or_default()));
        let tokens = noun.filter(|_| consumed.is_none()).map(|noun| {
            let article = matches!(self.said.word(noun.saturating_sub(2)), "the" | "that" | "this");
            noun - 1 - usize::from(article)..noun
        });
        let mut choice = match place {
            Place::Other => self.other(list)?,
            Place::Both => {
                let list = list.filter(|list| list.len() > 1)?;
                let mut choice = Choice::one(list[0].clone(), "all that was listed");
                choice.referents = list.to_vec();
                choice
            }
            Place::FromFirst(at) => {
                Choice::one(list?.get(at)?.clone(), format!("number {} of what was listed", at + 1))
            }
            Place::FromLast(back) => {
                let list = list?;
                let at = list.len().checked_sub(back + 1)?;
                Choice::one(list[at].clone(), format!("number {} of the {} listed", at + 1, list.len()))
            }
        };
        choice.tokens = tokens;
        Some(choice)
    }

    fn known_of(&self, referent: &Referent) -> Option<&Profile> {
        self.known.iter().find(|known| same(&known.referent.name, &referent.name))
    }

    /// Whether a noun describes the listed entities: "the second film".
    fn counts_noun(&self, noun: usize, list: &[Referent]) -> bool {
        let noun = self.said.word(noun);
        let fits = |referent: &Referent| {
            self.known_of(referent).is_some_and(|known| known.fits(self.reader, noun) >= FITS_WELL)
        };
        !list.is_empty() && list.iter().any(fits)
    }

    /// Whether the word after an ordinal is a predicate: a verb form, the verb that an auxiliary requires, or a word
    /// after an auxiliary in a question that does not ask what, which or whose.
    fn is_predicate(&self, at: usize) -> bool {
        let asks = self.said.tokens[..at].iter().rev().find(|token| is_question_word(&token.lower));
        let open = asks.is_none_or(|token| !matches!(token.lower.as_str(), "what" | "which" | "whose"));
        let before = at.saturating_sub(3);
        let auxiliary = self.said.word(before);
        let aux = is_auxiliary(auxiliary) || is_auxiliary(self.said.word(at.saturating_sub(2)));
        // "What does the latter play?": the word after "does" and its subject must be a verb.
        let wants_verb = is_auxiliary(auxiliary) && !is_be(auxiliary) && self.said.ends_after(at);
        let is_verb = is_irregular_verb(self.said.word(at)) || self.said.word(at).ends_with("ed");
        let ends = self.said.ends_after(at) || is_closed(self.said.word(at + 1));
        wants_verb || is_verb || (open && aux && ends && asks.is_some())
    }

    /// The other of two: in the list, or among the candidates of the same kind.
    fn other(&self, list: Option<&[Referent]>) -> Option<Choice> {
        let in_list =
            |one: &&Referent| list.is_some_and(|list| list.iter().any(|other| same(&one.name, &other.name)));
        let mut back = self.exchanges.iter().rev();
        let current = back
            .find_map(|exchange| exchange.asked.iter().find(in_list))
            .or_else(|| self.exchanges.iter().rev().find_map(|exchange| exchange.asked.first()))?;
        // Nobody knows which one was spoken of.
        if self.exchanges.last().is_some_and(focus::is_open) {
            return None;
        }
        let recent = |referent: &&Referent| !same(&referent.name, &current.name);
        if let Some(list) = list.filter(|list| list.iter().any(|one| same(&one.name, &current.name))) {
            let others: Vec<&Referent> = list.iter().filter(recent).collect();
            let mut choice =
                Choice::one((*others.first()?).clone(), format!("not {}, of what was listed", current.name));
            choice.rivals = others[1..].iter().map(|other| (*other).clone()).collect();
            return Some(choice);
        }
        let own = self.known_of(current)?;
        let parallel = self.candidates.iter().zip(&self.known).filter(|(candidate, known)| {
            !same(&candidate.referent.name, &current.name)
                && candidate.salience > 0.0
                && known.shares_sort(own)
        });
        let (candidate, _) = parallel.max_by(|a, b| {
            let asked = |candidate: &Candidate| (candidate.because == ASKED_ABOUT, candidate.salience);
            let (a, b) = (asked(a.0), asked(b.0));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })?;
        Some(Choice::one(candidate.referent.clone(), format!("of the same sort as {}", current.name)))
    }
}

/// Whether an entity is the answer of a turn.
fn answers(turn: &Exchange, referent: &Referent) -> bool {
    turn.answer.as_deref().is_some_and(|answer| same(answer.trim_end_matches('.'), &referent.name))
}

/// Whether the answer of a turn says that something is called so.
fn calls(turn: &Exchange, referent: &Referent) -> bool {
    let answer = Said::of(turn.answer.as_deref().unwrap_or_default());
    let name = name_words(&referent.name);
    (1..answer.tokens.len()).any(|at| {
        matches!(answer.word(at - 1), "called" | "named")
            && name.iter().enumerate().all(|(offset, word)| answer.word(at + offset) == word)
    })
}

/// A phrase with the entity that a question named with it: "the Ostra survey" with Ostra.
fn entity_in(referent: &Referent, exchanges: &[Exchange]) -> Referent {
    let words = name_words(&referent.name);
    let is_in = |one: &&Referent| {
        one.entity.is_some() && name_words(&one.name).iter().all(|word| words.contains(word))
    };
    let mut asked = exchanges.iter().rev().flat_map(|exchange| &exchange.asked);
    let entity = referent.entity.or_else(|| asked.find(is_in).and_then(|one| one.entity));
    Referent { name: referent.name.clone(), entity }
}

/// Whether a word of a phrase is written like a name.
pub(super) fn is_name(phrase: &str) -> bool {
    phrase.split_whitespace().any(|word| word.starts_with(char::is_uppercase))
}

fn shares_word(one: &Candidate, other: &Candidate) -> bool {
    let words = name_words(&other.referent.name);
    name_words(&one.referent.name).iter().any(|word| !is_closed(word) && words.contains(word))
}

/// Whether a turn repeated the previous question for another entity, so that its list is that pair.
fn is_swap(exchange: &Exchange) -> bool {
    exchange.listed.len() == 2 && exchange.asked.first() == exchange.listed.last()
}

/// Raises the salience of what the last question asked for: "which *novel*", "what is it *called*".
fn raise(reader: &Reader<'_>, candidates: &mut [Candidate], known: &[Profile], exchanges: &[Exchange]) {
    let Some(last) = exchanges.last() else { return };
    let said = Said::of(&last.standalone);
    let Some(at) = said.tokens.iter().position(|token| matches!(token.lower.as_str(), "which" | "what"))
    else {
        return;
    };
    let nouns: Vec<&str> = (at + 1..said.tokens.len())
        .map(|at| said.word(at))
        .take_while(|word| !is_closed(word))
        .take(3)
        .collect();
    let asks_name = said.tokens.last().is_some_and(|last| matches!(last.lower.as_str(), "called" | "named"));
    for (candidate, known) in candidates.iter_mut().zip(known) {
        let is_answer = last.answered.iter().any(|answered| same(&answered.name, &candidate.referent.name));
        let is_first = last.answered.first().is_some_and(|first| same(&first.name, &candidate.referent.name));
        let fits = nouns.iter().any(|noun| known.fits(reader, noun) >= FITS_WELL);
        let is_name =
            asks_name && (is_first && answers(last, &candidate.referent) || calls(last, &candidate.referent));
        if is_answer && (fits || is_name) && candidate.salience < ASKED_FOR {
            candidate.salience = ASKED_FOR;
            candidate.because = ASKED_FOR_LAST;
        }
    }
}

/// Joins names with commas and "and".
pub(crate) fn joined(referents: &[Referent]) -> String {
    let names: Vec<&str> = referents.iter().map(|referent| referent.name.as_str()).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
