//! Rewrites a follow-up as a standalone question, by rules.

use std::collections::BTreeMap;

use quiver_graph::Result;
use quiver_language::{
    number::as_year,
    word::{is_past, is_verb},
};
use quiver_models::chat::Tally;

use super::{
    anaphor::anaphors,
    dislocated::in_place,
    exchange::{CHOSEN, Exchange, QuestionBack, Referent, Rewrite},
    focus::{self, Candidate},
    fragment::{LastAsked, fill, fragment},
    lexicon::{
        Owner, is_auxiliary, is_closed, is_demonstrative, is_modal, is_preposition, is_question_word, pronoun,
    },
    link::{NameKind, Named, Reader, add, is_number_of, is_plain_form, name_words, same},
    resolve::{Resolved, Resolver, joined},
    said::{Said, replaced},
    topic::{Topic, topics},
};

/// Options whose salience differs by no more are tied.
const TIE: f32 = 0.1;

/// A follow-up, read in the context of its session.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Contextualised {
    /// The question as asked.
    pub question: String,
    /// The standalone question.
    pub standalone: String,
    /// What was rewritten, and why. Empty if the question was left unchanged.
    pub rewrites: Vec<Rewrite>,
    /// The topic of the session, if the question leaves it open and was not rewritten. The search adds these
    /// words to the question, with less weight.
    pub beside: Option<String>,
    /// The entities asked about, most important first.
    pub asked: Vec<Referent>,
    /// The entities that the question mentions together, or the options that it chose from.
    pub listed: Vec<Referent>,
    /// The clarifying question, if a reference is ambiguous and the session does not decide.
    pub asks: Option<QuestionBack>,
    /// Who rewrote the question.
    pub by: RewrittenBy,
    /// Whether nothing says whom or what the question means, so that what it finds is no answer.
    pub(crate) is_unclear: bool,
    /// What failed and was skipped.
    pub degraded: Vec<String>,
    /// The usage of language model calls, by task.
    pub calls: BTreeMap<String, Tally>,
}

/// Who rewrote a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RewrittenBy {
    /// The rules.
    #[default]
    Rules,
    /// A language model.
    Model,
    /// The caller, who supplied the standalone question.
    Caller,
}

impl Contextualised {
    /// Leaves the question as it was typed, and has the topic searched for beside it.
    fn search_beside(&mut self, topic: Option<String>) {
        let because = "the question stands as it was typed, and these words are searched for beside its own";
        self.rewrites.extend(topic.clone().map(|topic| Rewrite {
            said: String::new(),
            stands_for: topic,
            because: because.to_owned(),
        }));
        self.beside = topic;
    }

    /// Adds what the question names itself, known names first.
    fn add_named(&mut self, said: &Said, named: &[Named]) {
        let known = named.iter().filter(|named| named.kind != NameKind::Unknown);
        let unknown = named.iter().filter(|named| named.kind == NameKind::Unknown);
        for referent in known.chain(unknown).filter_map(|named| named.referent(said)) {
            add(&mut self.asked, referent);
        }
        if self.listed.is_empty() {
            self.listed = named_together(said, named);
        }
    }
}

impl Reader<'_> {
    /// Rewrites a follow-up, or asks a clarifying question.
    pub(crate) async fn contextualise(
        &self,
        question: &str,
        exchanges: &[Exchange],
    ) -> Result<Contextualised> {
        let mut read = Contextualised { question: question.to_owned(), ..Contextualised::default() };
        let mut said = Said::of_question(question);
        if let Some(asks) = exchanges.last().and_then(|last| last.asks.as_ref()) {
            let chosen = self.chosen(&said, asks).await?;
            if !chosen.is_empty() {
                return Ok(chose(read, asks, chosen));
            }
            // "The tall one" chose nothing.
            read.is_unclear = !said.asks();
        }
        if let Some((text, rewrite)) = in_place(&said) {
            said = Said::of_question(&text);
            read.rewrites.push(rewrite);
        }
        let moved = read.rewrites.len();
        if let Some((text, rewrite)) = year_told(&said, exchanges) {
            said = Said::of_question(&text);
            read.rewrites.push(rewrite);
        }
        let candidates = focus::candidates(exchanges);
        let mut focused: Vec<&Referent> = candidates.iter().map(|candidate| &candidate.referent).collect();
        focused.extend(focus::listed(exchanges).into_iter().flatten());
        let mut named = self.link(&said, &focused).await?;
        named.retain(|named| is_meant(&said, named));
        let unclear = self.decide_names(&mut read, &mut said, &mut named, &candidates).await?;
        let resolver = Resolver::new(self, &said, &named, exchanges).await?;
        let anaphors = anaphors(&said, &named);
        let (mut text, is_open) = match resolver.resolve(&anaphors) {
            Resolved::Asks(asks) => {
                read.standalone.clone_from(&asks.question);
                read.listed.clone_from(&asks.options);
                read.asks = Some(asks);
                return Ok(read);
            }
            Resolved::Question { text, rewrites, referents, listed, is_open, is_unclear } => {
                read.is_unclear |= is_unclear;
                read.rewrites.extend(rewrites);
                read.asked = referents;
                read.listed = listed;
                (text, is_open)
            }
        };
        let is_open = is_open || read.is_unclear;
        let is_decided = unclear.is_some() || read.rewrites.len() > moved;
        if let Some(filled) = self.fill(&text, exchanges, &mut read).await? {
            text = filled;
        } else if !is_decided && let Some(completed) = self.completed(&said, &named, exchanges).await? {
            text = completed.text;
            read.rewrites.push(completed.rewrite);
            completed.topic.into_iter().for_each(|referent| add(&mut read.asked, referent));
        } else if unclear.is_none() && (is_open || !is_decided && names_nothing(&said, &named)) {
            read.search_beside(focus::searched_for(exchanges).filter(|topic| !says(&text, topic)));
        }
        // "The smaller one", "the secretary", "staging": half a question, and nothing says of what.
        let is_left = read.rewrites[moved..].iter().all(|rewrite| rewrite.said.is_empty());
        let is_half = is_left && !exchanges.is_empty() && !said.asks();
        let is_named = named.iter().any(|named| named.kind == NameKind::Whole);
        read.is_unclear |= is_half && !is_named && unclear.is_none() && fragment(&said, &named).is_some();
        read.standalone = text;
        read.add_named(&said, &named);
        if let Some((said, options)) = unclear {
            let options = self.as_ingested(options).await?;
            read.asks = Some(ask_back(&read.standalone, (said, options)));
            read.listed.clear();
        }
        Ok(read)
    }

    /// Resolves ambiguous names by the session's focus, and expands partial names that the session knows in full.
    /// Returns the first name that remains ambiguous, with its options.
    async fn decide_names(
        &self,
        read: &mut Contextualised,
        said: &mut Said,
        named: &mut Vec<Named>,
        candidates: &[Candidate],
    ) -> Result<Option<(String, Vec<Referent>)>> {
        let mut edits = Vec::new();
        let mut unclear = None;
        for name in named.iter_mut() {
            let in_focus = |option: &Referent| {
                let known = candidates.iter().find(|known| same(&known.referent.name, &option.name));
                known.map(|known| known.salience)
            };
            if is_other(said, name) {
                let other = other_than_spoken_of(&name.options, &in_focus).cloned();
                if let Some(other) = &other {
                    let bytes = pointed_from(said, name)..name.bytes.end;
                    read.rewrites.push(Rewrite {
                        said: said.text[bytes.clone()].to_owned(),
                        stands_for: other.name.clone(),
                        because: "the one that was not spoken of last".to_owned(),
                    });
                    edits.push((bytes, other.name.clone()));
                }
                name.options = other.into_iter().collect();
                continue;
            }
            let is_part = name.kind == NameKind::Part || name.options.len() > 1;
            let mut fitting: Vec<(f32, Referent)> = name
                .options
                .iter()
                .filter_map(|option| in_focus(option).map(|salience| (salience, option.clone())))
                .collect();
            fitting.sort_by(|a, b| b.0.total_cmp(&a.0));
            let written = said.text[name.bytes.clone()].to_owned();
            if let [accented] = name.options.as_slice()
                && (is_plain_form(&written, &accented.name) || is_number_of(&accented.name, &written))
            {
                let because = "the documents write it so".to_owned();
                let stands_for = accented.name.clone();
                edits.push((name.bytes.clone(), stands_for.clone()));
                read.rewrites.push(Rewrite { said: written, stands_for, because });
                continue;
            }
            if fitting.is_empty() && self.are_namesakes(&written, &name.options) {
                fitting = of_focus(&name.options, candidates);
            }
            let decided = match fitting.as_slice() {
                [(_, one)] => Some(one.clone()),
                [(first, one), (second, _), ..] if first - second > TIE => Some(one.clone()),
                _ => None,
            };
            match decided {
                Some(referent) if is_part => {
                    let start = pointed_from(said, name);
                    // "The old one"
                    let is_one = said.word(name.tokens.end) == "one" && start < name.bytes.start;
                    let end = if is_one { said.tokens[name.tokens.end].range.end } else { name.bytes.end };
                    let bytes = start..end;
                    let rewrite = Rewrite {
                        said: said.text[bytes.clone()].to_owned(),
                        stands_for: referent.name.clone(),
                        because: "the session spoke of it".to_owned(),
                    };
                    name.options = vec![referent.clone()];
                    if !same(&written, &referent.name) {
                        read.rewrites.push(rewrite);
                        edits.push((bytes, referent.name));
                    }
                }
                _ if unclear.is_none() && self.are_namesakes(&written, &name.options) => {
                    unclear = Some((written, name.options.clone()));
                }
                _ => {}
            }
        }
        if !edits.is_empty() {
            *said = Said::of_question(&replaced(&said.text, edits));
            let focused: Vec<&Referent> = candidates.iter().map(|candidate| &candidate.referent).collect();
            *named = self.link(said, &focused).await?;
            named.retain(|named| is_meant(said, named));
        }
        Ok(unclear)
    }

    /// Inserts a fragment into the last question that was asked.
    async fn fill(
        &self,
        text: &str,
        exchanges: &[Exchange],
        read: &mut Contextualised,
    ) -> Result<Option<String>> {
        // A reply to a clarifying question that is not understood is no part of another question.
        let last = exchanges.last().filter(|exchange| exchange.asks.is_none());
        let Some(last) = last.filter(|last| !focus::is_open(last)) else { return Ok(None) };
        let said = Said::of_question(text);
        let focused: Vec<&Referent> = read.asked.iter().collect();
        let mut named = self.link(&said, &focused).await?;
        named.retain(|named| is_meant(&said, named));
        let Some(fragment) = fragment(&said, &named) else { return Ok(None) };
        let last_said = Said::of_question(&last.standalone);
        let last_named = self.link(&last_said, &last.asked.iter().collect::<Vec<_>>()).await?;
        let topics = topics(&last_said, &[]);
        // The last question is itself incomplete.
        if topics.is_empty() && last_named.is_empty() {
            return Ok(None);
        }
        let resolver = Resolver::new(self, &said, &named, exchanges).await?;
        let topic = focus::topic_of(last);
        let noun = match (fragment.noun(&said), &topic) {
            (Some(noun), Some((_, topic))) => Some(self.read_noun(&noun, topic, &last_said).await?),
            _ => None,
        };
        let last_asked = LastAsked { said: &last_said, named: &last_named, topics: &topics, topic, noun };
        let Some(filled) = fill(&resolver, &fragment, &last_asked) else { return Ok(None) };
        let fragment = said.text[said.bytes_of(&fragment.tokens)].to_owned();
        let because = format!("“{fragment}”, {}", filled.because);
        read.rewrites.push(Rewrite { said: said.text.clone(), stands_for: filled.text.clone(), because });
        let kept = last_named
            .iter()
            .filter_map(|named| named.referent(&last_said))
            .filter(|referent| says(&filled.text, &referent.name))
            .filter(|referent| filled.old.as_ref().is_none_or(|old| !same(&old.name, &referent.name)));
        let mut asked: Vec<Referent> = filled.new.clone().into_iter().collect();
        asked.append(&mut read.asked);
        asked.extend(kept);
        if filled.new.is_none() && !filled.is_of_another {
            asked.extend(last.asked.first().cloned());
        }
        for referent in asked {
            add(&mut read.asked, referent);
        }
        if let (Some(old), Some(new)) = (filled.old, filled.new)
            && !same(&old.name, &new.name)
        {
            read.listed = vec![old, new];
        }
        Ok(Some(filled.text))
    }
}

/// Whether a question names no subject of its own: "How soon?", "Can I leave out the butter?", but not "Can I change
/// the admin password?", which says which one.
fn names_nothing(said: &Said, named: &[Named]) -> bool {
    let topics = topics(said, &[]);
    let is_definite = |topic: &Topic| {
        topic.tokens.len() == 1
            && topic.words != topic.bare
            && said.word(topic.tokens.start.saturating_sub(1)) == "the"
    };
    named.iter().all(|named| named.kind == NameKind::Date) && topics.iter().all(is_definite)
}

/// Whether a text contains all the words of a phrase.
fn says(text: &str, phrase: &str) -> bool {
    let words = name_words(text);
    name_words(phrase).iter().all(|word| words.contains(word))
}

/// The option of two that is not the most salient one.
fn other_than_spoken_of<'o>(
    options: &'o [Referent],
    salience: &impl Fn(&Referent) -> Option<f32>,
) -> Option<&'o Referent> {
    let [one, other] = options else { return None };
    let by = salience(one).unwrap_or_default() - salience(other).unwrap_or_default();
    (by.abs() > TIE).then_some(if by > 0.0 { other } else { one })
}

/// Options that share a distinctive word with a candidate: "Falcon risks", if the project Falcon was mentioned.
fn of_focus(options: &[Referent], candidates: &[Candidate]) -> Vec<(f32, Referent)> {
    let names: Vec<Vec<String>> = options.iter().map(|option| name_words(&option.name)).collect();
    let telling = |word: &String| !is_closed(word) && !names.iter().all(|name| name.contains(word));
    let mut fitting: Vec<(f32, Referent)> = options
        .iter()
        .zip(&names)
        .filter_map(|(option, name)| {
            let shares = |candidate: &&Candidate| {
                let words = name_words(&candidate.referent.name);
                name.iter().any(|word| telling(word) && words.contains(word))
                    && words.iter().all(|word| name.contains(word))
            };
            candidates.iter().find(shares).map(|candidate| (candidate.salience, option.clone()))
        })
        .collect();
    fitting.sort_by(|a, b| b.0.total_cmp(&a.0));
    fitting
}

/// The pending question with the chosen option inserted.
fn chose(mut read: Contextualised, asks: &QuestionBack, chosen: Vec<Referent>) -> Contextualised {
    let (start, end) = asks.place;
    let names = joined(&chosen);
    let is_place = asks.question.get(start..end).is_some() && start < end;
    read.standalone = if is_place {
        replaced(&asks.question, vec![(start..end, names.clone())])
    } else {
        format!("{names}: {}", asks.question)
    };
    let because = CHOSEN.to_owned();
    read.rewrites.push(Rewrite { said: asks.said.clone(), stands_for: names, because });
    read.asked = chosen;
    read.listed.clone_from(&asks.options);
    read
}

fn ask_back(question: &str, (said, options): (String, Vec<Referent>)) -> QuestionBack {
    let place = question.rfind(&said).map_or((0, 0), |start| (start, start + said.len()));
    QuestionBack { said, options, question: question.to_owned(), place }
}

/// A single lower-case word counts as part of a name only after "the", "other" or a demonstrative, if it is ambiguous, or
/// if the question has at most two words.
fn is_meant(said: &Said, named: &Named) -> bool {
    let words = &said.tokens[named.tokens.clone()];
    if named.kind != NameKind::Part || named.tokens.len() > 1 || words.iter().any(|token| token.is_marked) {
        return true;
    }
    let place = named.tokens.start.checked_sub(1);
    let before = place.map_or("", |at| said.word(at));
    // "Her course", "Ana's course": the owner determines which one.
    let is_owned = place.is_some_and(|at| {
        said.tokens[at].is_joined || pronoun(before).is_some_and(|pronoun| pronoun.owner != Owner::Never)
    });
    // "Which turbine" and "what kind of turbine" ask for a turbine.
    let kind = named.tokens.start.checked_sub(2).map_or("", |at| said.word(at));
    let is_kind = before == "of" && matches!(kind, "kind" | "kinds" | "sort" | "sorts" | "type" | "types");
    // "The depot manager" is somebody, and not the depot, but "the kestrel boat" may be called "Kestrel Max".
    let word = said.word(named.tokens.start);
    let is_kind_of = |option: &Referent| {
        let words = name_words(&option.name);
        let is_number = |other: &String| other.contains(char::is_numeric);
        words.last().is_some_and(|last| last == word)
            || words.iter().all(|other| other == word || is_number(other))
    };
    let is_kind_noun = || named.options.iter().all(is_kind_of);
    let is_modifier = !said.ends_after(named.tokens.end - 1) && is_noun_after(said, named) && is_kind_noun();
    // "A violation" is none that was spoken of.
    let is_any = matches!(before, "a" | "an");
    if is_owned || is_kind || is_modifier || is_any || is_question_word(before) {
        return false;
    }
    before == "the"
        || is_demonstrative(before)
        || before == "other"
        || named.options.len() > 1
        || said.tokens.len() <= 2
}

/// Whether the word after a name goes on with its phrase: neither a function word nor a verb.
fn is_noun_after(said: &Said, named: &Named) -> bool {
    let at = named.tokens.end;
    let word = said.word(at);
    let has_auxiliary = (0..named.tokens.start).any(|at| is_auxiliary(said.word(at)));
    let is_last_verb = said.ends_after(at) && (0..named.tokens.start).any(|at| is_modal(said.word(at)));
    let is_bare_verb = is_last_verb || is_verb(word) && (has_auxiliary || word.ends_with('s'));
    let is_verbal = is_bare_verb || is_past(word) || word.ends_with("ed") || word.ends_with("ly");
    !(word.is_empty() || said.tokens[at].is_joined || is_closed(word) || is_verbal)
}

/// Where a name starts, including "other" and the demonstrative or "the" before it: "*that* clinic", "*the* migration",
/// "*the other* Ana".
fn pointed_from(said: &Said, named: &Named) -> usize {
    let start = named.tokens.start - usize::from(is_other(said, named));
    let points = |at: &usize| is_demonstrative(said.word(*at)) || said.word(*at) == "the";
    let start = start.checked_sub(1).filter(points).unwrap_or(start);
    said.tokens[start].range.start
}

/// Whether a name is said of another than the one spoken of: "the *other* Ana".
fn is_other(said: &Said, named: &Named) -> bool {
    named.tokens.start > 0 && said.word(named.tokens.start - 1) == "other"
}

/// Names that a question mentions side by side: "the Aske or the Ilmen".
fn named_together(said: &Said, named: &[Named]) -> Vec<Referent> {
    let things: Vec<&Named> = named.iter().filter(|named| named.kind != NameKind::Date).collect();
    let together = things.windows(2).all(|pair| {
        let mut between = said.tokens[pair[0].tokens.end..pair[1].tokens.start].iter();
        between.all(|token| matches!(token.lower.as_str(), "and" | "or" | "the" | "than"))
    });
    if things.len() < 2 || !together {
        return Vec::new();
    }
    things.into_iter().filter_map(|named| named.referent(said)).collect()
}

/// Resolves "the year after that", counted from the latest year in an earlier question.
fn year_told(said: &Said, exchanges: &[Exchange]) -> Option<(String, Rewrite)> {
    let year = said.tokens.iter().position(|token| token.lower == "year")?;
    let before = year.checked_sub(1).map_or("", |at| said.word(at));
    let (step, mut start, mut end) = match (before, said.word(year + 1)) {
        ("next" | "following" | "subsequent", _) => (1, year - 1, year + 1),
        ("previous" | "preceding" | "prior", _) => (-1, year - 1, year + 1),
        (_, "after") => (1, year, year + 2),
        (_, "before") => (-1, year, year + 2),
        _ => return None,
    };
    if matches!(said.word(end), "that" | "this" | "it") {
        end += 1;
    }
    if start > 0 && said.word(start - 1) == "the" {
        start -= 1;
    }
    let last = exchanges.iter().rev().find_map(|exchange| {
        let tokens = Said::of(&exchange.standalone).tokens;
        tokens.iter().rev().find_map(|token| as_year(&token.lower))
    })?;
    let told = (i32::from(last) + step).to_string();
    let bytes = said.bytes_of(&(start..end));
    let needs_preposition = start > 0 && !is_preposition(said.word(start - 1));
    let new = if needs_preposition { format!("in {told}") } else { told };
    let rewrite = Rewrite {
        said: said.text[bytes.clone()].to_owned(),
        stands_for: new.clone(),
        because: format!("counted from {last}"),
    };
    Some((replaced(&said.text, vec![(bytes, new)]), rewrite))
}
