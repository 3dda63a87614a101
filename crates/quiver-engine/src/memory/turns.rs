//! Finds turns for a question, and shows them in addition to the facts or instead of them.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;
use quiver_graph::{Graph, Hit, Nearest, Passage, PassageId, Relation, RelationId, conversation, filters};
use quiver_memory::{
    show,
    turns::{NoTurn, Ranking, TurnQuery, search_text, without_speakers},
    when,
};
use quiver_models::Encoder;
use quiver_store::{Filter, SparseVector, Target};

use crate::{
    Quiver, Result,
    error::{In, Stage},
    trace::Trace,
};

use super::{
    answered::{HEARD_MAX, TurnReader},
    contest::Contest,
    decide,
    hidden::Hidden,
    known::{MemoryFact, NUMBERED_MAX, property},
    recollection::{FoundTurn, NoAnswer, RecallOptions, RecalledTurn, Recollection, count_tokens},
    resolve::currently_valid,
    split::Apart,
    turn::{Restated, is_archived, now},
};

/// Maximum number of turns per search: one by words, one by meaning.
const FOUND_MAX: usize = 96;
/// Window in milliseconds before and after an unnumbered turn in which other turns are its neighbours.
const TOGETHER: i64 = 600_000;
/// Maximum number of turns read in such a window.
const AROUND_MAX: usize = 16;
/// Maximum number of other facts read to decide whether the facts of some turns are valid.
const BESIDE_MAX: usize = 256;
/// Number of top turns among which the turn of a partially matching fact has to be.
const NEAR_MAX: usize = 3;
/// Minimum share of the question that facts read from text have to cover to answer it.
const READ_COVERAGE_MIN: f32 = 0.6;
/// Maximum number of nearest turns shown when there is no answer.
const SHOWN_MAX: usize = 3;
/// Maximum number of unnumbered turns whose neighbours are read.
const UNNUMBERED_MAX: usize = 24;

/// The parts of the engine needed to find turns.
#[derive(Clone, Copy)]
pub(crate) struct TurnFinder<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) encoder: &'a Encoder,
    pub(crate) as_of: Option<i64>,
    pub(crate) known_at: Option<i64>,
    pub(crate) now: Option<i64>,
    /// The split entities that the question distinguishes.
    pub(crate) apart: &'a [Apart],
}

impl TurnFinder<'_> {
    /// Finds and ranks the turns for a question, worded by [`as_said`](super::as_said).
    pub(crate) async fn find(self, question: &str, trace: &mut Trace) -> Result<Ranking> {
        let statistics = self.graph.statistics().await.stage(Stage::Recall)?;
        let rarity = |term: u32| statistics.inverse_document_frequency(term);
        let lexical = self.encoder.analysis();
        let worded = self.encoder.encode_queries_lexically(&[&search_text(question, lexical)]);
        let sparse = SparseVector::from_pairs(worded[0].sparse(rarity));
        let by_words = (!sparse.is_empty()).then_some(Target::Sparse(sparse));
        let mut found: Vec<Passage> =
            self.nearest(by_words).await?.into_iter().map(|hit| hit.record).collect();
        let by_meaning = self.nearest(self.embed(question, &found, trace).await.map(Target::Dense)).await?;
        let meaning: BTreeMap<PassageId, f32> =
            by_meaning.iter().map(|hit| (hit.record.id, hit.score.max(0.0))).collect();
        found.extend(by_meaning.into_iter().map(|hit| hit.record));
        let mut turns = self.around(&found).await?;
        turns.extend(found);
        turns.retain(|turn| !is_archived(turn));
        let range = when::range(question, self.moment());
        let query = TurnQuery { text: question, lexical, rarity: &rarity, range, meaning: &meaning };
        Ok(query.rank(turns))
    }

    /// The time that the question refers to: `as_of` if given, otherwise now.
    fn moment(self) -> i64 {
        self.as_of.or(self.now).unwrap_or_else(now)
    }

    /// The turns nearest to a vector, if there is one.
    async fn nearest(self, target: Option<Target>) -> Result<Vec<Hit<Passage>>> {
        let Some(target) = target else { return Ok(Vec::new()) };
        let search = Nearest { target, among: self.among(), limit: FOUND_MAX };
        let found = self.graph.nearest(vec![search]).await.stage(Stage::Recall)?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Embeds a question: the sum of its vector and of that without the names of speakers. `None` without an embedder,
    /// or if it fails.
    async fn embed(self, question: &str, by_words: &[Passage], trace: &mut Trace) -> Option<Vec<f32>> {
        self.encoder.embedder()?;
        let nameless = without_speakers(question, by_words, self.encoder.analysis());
        let texts: Vec<&str> = std::iter::once(question).chain(nameless.as_deref()).collect();
        let encoded = self.encoder.encode_queries(&texts).await.unwrap_or_else(|error| {
            trace.degrade(format!("the question could not be embedded: {error}"));
            Vec::new()
        });
        let vectors = encoded.into_iter().filter_map(|query| query.dense);
        vectors.reduce(|sum, vector| sum.iter().zip(vector).map(|(a, b)| a + b).collect())
    }

    /// The filter for turns of the memory said by the requested times. Questions asked in chats are excluded.
    fn among(self) -> Filter {
        let said = filters::in_session().and(conversation::others());
        let said = self.apart.iter().fold(said, |said, apart| said.and(apart.passages()));
        match [self.as_of, self.known_at].into_iter().flatten().min() {
            Some(moment) => said.and(filters::said(None, Some(moment))),
            None => said,
        }
    }

    /// The turns before and after these.
    async fn around(self, found: &[Passage]) -> Result<Vec<Passage>> {
        let known: BTreeSet<PassageId> = found.iter().map(|turn| turn.id).collect();
        let mut ids: BTreeSet<PassageId> = BTreeSet::new();
        let mut windows: Vec<Filter> = Vec::new();
        for turn in found {
            let Some(session) = &turn.session else { continue };
            if turn.position < NUMBERED_MAX {
                let places = turn.position.saturating_sub(2)..=turn.position + 2;
                let workspace = self.graph.workspace();
                ids.extend(places.map(|place| PassageId::of_turn(workspace, session, place)));
            } else if let Some(time) = turn.time
                && windows.len() < UNNUMBERED_MAX
            {
                let said = filters::said(Some(time - TOGETHER), Some(time + TOGETHER));
                windows.push(filters::of_session(session).and(said));
            }
        }
        let ids: Vec<PassageId> = ids.difference(&known).copied().collect();
        let mut around = self.graph.passages(&ids).await.stage(Stage::Recall)?;
        let windows = windows.into_iter().map(|window| self.graph.list::<Passage>(window, AROUND_MAX));
        around.extend(try_join_all(windows).await.stage(Stage::Recall)?.into_iter().flatten());
        let latest = [self.as_of, self.known_at].into_iter().flatten().min();
        around.retain(|turn| !self.apart.iter().any(|apart| apart.leaves_out(turn)));
        around.retain(|turn| latest.is_none_or(|latest| turn.time.is_none_or(|time| time <= latest)));
        Ok(around)
    }
}

/// How turns are found and read, and which of them may be shown.
#[derive(Clone, Copy)]
pub(crate) struct Turns<'a> {
    pub(crate) finder: TurnFinder<'a>,
    /// Reads the turns if no fact answers; `None` if only facts may answer.
    pub(crate) reader: Option<TurnReader<'a>>,
    pub(crate) ended: &'a Ended,
}

/// Adds turns to a recollection, within the token budget: instead of facts if there are none, or in addition to facts
/// read from text. Facts given by the caller need no turns. If no fact answers but a turn does, adds its answer and puts
/// it first. If there is no answer, adds the nearest turns as found.
pub(crate) async fn add_turns(
    Turns { finder, reader, ended }: Turns<'_>,
    question: &str,
    options: &RecallOptions,
    recollection: &mut Recollection,
    trace: &mut Trace,
) -> Result<()> {
    let limit = options.turns_max();
    if limit == 0 {
        return Ok(());
    }
    let Ranking { mut turns, coverage, none, .. } = finder.find(question, trace).await?;
    let lexical = finder.encoder.analysis();
    turns.retain(|(turn, _)| !ended.is_over(turn));
    // Reading a turn takes time, and only the first ones may be shown.
    let mut place = 0;
    turns.retain(|(turn, _)| {
        place += 1;
        place > 2 * limit || !ended.hidden.has(turn, lexical)
    });
    let mut lines = vec![format!(
        "{} turns; the best covers {:.0} % of the question",
        turns.len(),
        coverage.min(1.0) * 100.0
    )];
    if let Some(none) = &none {
        lines.push(format!("none is shown: {none:?}"));
    }
    let is_given = |fact: &super::RecalledFact| !ended.found.contains(&fact.id);
    let contesting = contesting(finder, ended, recollection, &turns, trace).await?;
    let is_contested = contesting.is_some();
    if let Some((turn, score)) = contesting {
        lines.push("a later turn contests the facts".to_owned());
        recollection.withdraw();
        turns.retain(|(other, _)| other.id != turn.id);
        turns.insert(0, (turn, score));
    } else if ended.is_beside(recollection, &turns, none.is_some()) {
        lines.push("the facts extracted from turns cover too little of the question".to_owned());
        recollection.withdraw();
    }
    let answered = recollection.no_answer.is_none();
    let denied = matches!(recollection.no_answer, Some(NoAnswer::Denied { .. }));
    let are_given = recollection.facts.iter().all(is_given);
    let mut stands = denied || ended.is_decided && !is_contested || answered && are_given;
    let mut shown_max = limit;
    let is_uncertain = answered && are_given && recollection.is_uncertain();
    // Of a fact and the turn that contests it, neither is known to hold.
    let is_open = !is_contested
        && none.is_none()
        && (!stands && recollection.facts.is_empty() || is_uncertain && !ended.is_decided);
    if let Some(reader) = reader.filter(|_| is_open)
        && let Some(answer) = answer_of(reader, question, &mut turns, finder.moment()).await?
    {
        lines.push("a turn answers, although no fact does".to_owned());
        if is_uncertain {
            // The turn that answers is shown in place of the facts, not whatever else was said.
            shown_max = 1;
            stands = false;
        }
        recollection.withdraw();
        recollection.answer = Some(answer);
    }
    let statistics = finder.graph.statistics().await.stage(Stage::Recall)?;
    let rarity = |term: u32| statistics.inverse_document_frequency(term);
    let count =
        |text: &str| options.count_tokens.as_ref().map_or_else(|| count_tokens(text), |count| count(text));
    let asked = recollection.question.clone();
    let rendered = |turns: &[&Passage], left| show::lines(turns, &asked, lexical, &rarity, left, &count);
    if !stands && (none.is_none() || answered) {
        let told = |turn: &Passage| {
            recollection
                .facts
                .iter()
                .any(|fact| fact.session == turn.session && fact.turn == Some(turn.position))
        };
        let shown: Vec<&Passage> =
            turns.iter().map(|(turn, _)| turn).filter(|turn| !told(turn)).take(shown_max).collect();
        let shown = rendered(&shown, options.tokens_max.saturating_sub(count(&recollection.text())));
        if !shown.is_empty() {
            recollection.lines.extend(shown.into_iter().map(|line| line.text));
            recollection.no_answer = None;
            recollection.tokens = count(&recollection.text());
        }
        if recollection.answer.is_some() {
            recollection.no_answer = None;
        }
    } else if let (false, Some(NoTurn::OfOthers { person })) = (answered, &none)
        && !denied
    {
        recollection.no_answer = Some(NoAnswer::SaidOfOthers { person: person.clone() });
    }
    if recollection.no_answer.is_some() {
        let nearest: Vec<&Passage> = turns.iter().map(|(turn, _)| turn).take(SHOWN_MAX.min(limit)).collect();
        let nearest = rendered(&nearest, options.tokens_max).into_iter();
        recollection.found = nearest
            .map(|line| {
                let (turn, score) = turns[line.turn].clone();
                FoundTurn { turn: recalled(turn, score), line: line.text }
            })
            .collect();
    }
    if none.is_none() || answered {
        recollection.turns =
            turns.into_iter().take(limit).map(|(turn, score)| recalled(turn, score)).collect();
    }
    trace.end(Stage::Recall, lines);
    Ok(())
}

/// The first turn that contests the facts read from text. It may share only a name with them.
async fn contesting(
    finder: TurnFinder<'_>,
    ended: &Ended,
    recollection: &Recollection,
    turns: &[(Passage, f32)],
    trace: &mut Trace,
) -> Result<Option<(Passage, f32)>> {
    let contest = Contest { lexical: finder.encoder.analysis(), read: &ended.read };
    let facts = recollection.facts.iter();
    let read: Vec<&super::RecalledFact> = facts.filter(|fact| ended.found.contains(&fact.id)).collect();
    let among_found = contest.first(&read, turns);
    let (None, Some(named)) = (&among_found, Contest::names(&read)) else { return Ok(among_found) };
    Ok(contest.first(&read, &finder.find(&named, trace).await?.turns))
}

fn recalled(turn: Passage, score: f32) -> RecalledTurn {
    RecalledTurn {
        id: turn.id,
        session: turn.session.unwrap_or_default(),
        turn: turn.position,
        speaker: turn.speaker,
        time: turn.time,
        text: turn.text,
        score,
    }
}

/// Which facts are superseded, and which were read from text.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) over: BTreeSet<RelationId>,
    pub(crate) holding: BTreeSet<RelationId>,
    pub(crate) found: BTreeSet<RelationId>,
    /// The sentences that facts were read from.
    pub(crate) read: BTreeSet<String>,
    /// Whether the relation asked for is known, so that only facts may answer.
    pub(crate) is_decided: bool,
    /// Whether the facts shown cover the whole question or follow its relations step by step.
    pub(crate) is_covered: bool,
    /// The share of the question that the facts shown cover.
    pub(crate) coverage: f32,
    /// The turns that are not shown beside the facts.
    pub(crate) hidden: Hidden,
}

impl Ended {
    /// Sorts facts by whether they are valid. Denials count as valid, and so does an event that a later
    /// statement repeats.
    pub(crate) fn of(facts: &[MemoryFact], holds: &[bool]) -> Self {
        let said = |fact: &MemoryFact| (fact.words.subject_bare, fact.words.slot, fact.words.object_bare);
        let valid = facts.iter().zip(holds).filter(|(fact, holds)| **holds && fact.is_read_event());
        let repeated: BTreeSet<(u64, u64, u64)> = valid.map(|(fact, _)| said(fact)).collect();
        let mut ended = Self::default();
        for (fact, holds) in facts.iter().zip(holds) {
            if *holds || fact.is_denied() || repeated.contains(&said(fact)) {
                ended.holding.insert(fact.relation.id);
            } else {
                ended.over.insert(fact.relation.id);
            }
            if fact.is_found() {
                ended.found.insert(fact.relation.id);
                ended.read.insert(fact.relation.text.trim().to_owned());
            }
        }
        ended
    }

    /// Of the facts of each turn, only those that cover most of the question decide whether the turn is superseded: "My
    /// brother Paul lives in Oslo" is, if the question is where Paul lives and he has moved.
    pub(crate) fn for_question(mut self, facts: &[MemoryFact], coverage: &[f32]) -> Self {
        let turn = |fact: &MemoryFact| (fact.session().map(str::to_owned), fact.turn());
        let mut best: BTreeMap<(Option<String>, Option<u64>), f32> = BTreeMap::new();
        for (fact, coverage) in facts.iter().zip(coverage) {
            let most = best.entry(turn(fact)).or_default();
            *most = most.max(*coverage);
        }
        for (fact, coverage) in facts.iter().zip(coverage) {
            if *coverage < best[&turn(fact)] {
                self.holding.remove(&fact.relation.id);
            }
        }
        self
    }

    /// Whether the facts shown, all read from text, miss the question: they cover only part of it, and either no turn
    /// covers enough of it or some of their turns are not among the top ones.
    fn is_beside(&self, recollection: &Recollection, turns: &[(Passage, f32)], no_turn: bool) -> bool {
        let facts = &recollection.facts;
        if facts.is_empty() || !facts.iter().all(|fact| self.found.contains(&fact.id)) {
            return false;
        }
        if self.is_covered {
            return false;
        }
        let is_first = |fact: &super::RecalledFact| {
            turns
                .iter()
                .take(NEAR_MAX)
                .any(|(turn, _)| fact.session == turn.session && fact.turn == Some(turn.position))
        };
        no_turn || self.coverage < READ_COVERAGE_MIN || !facts.iter().all(is_first)
    }

    /// Whether a turn states superseded facts and none that is valid.
    fn is_over(&self, turn: &Passage) -> bool {
        turn.relations.iter().any(|fact| self.over.contains(fact))
            && !turn.relations.iter().any(|fact| self.holding.contains(fact))
    }
}

/// Reads ranked turns for an answer, and puts the turn that gives it first.
async fn answer_of(
    reader: TurnReader<'_>,
    question: &str,
    turns: &mut [(Passage, f32)],
    moment: i64,
) -> Result<Option<String>> {
    let heard = &turns[..turns.len().min(HEARD_MAX)];
    let passages: Vec<&Passage> = heard.iter().map(|(turn, _)| turn).collect();
    let over = superseded(reader.quiver, &passages, moment).await?;
    let Some((at, answer)) = reader.answer(question, heard, &over).await? else { return Ok(None) };
    turns[..=at].rotate_right(1);
    Ok(Some(answer))
}

/// The turns among some passages that state only superseded facts.
pub(crate) async fn superseded(
    quiver: &Quiver,
    passages: &[&Passage],
    now: i64,
) -> Result<BTreeSet<PassageId>> {
    // Ranked passages may lack some of their relations, so the turns are read again.
    let ids: Vec<PassageId> =
        passages.iter().filter(|passage| passage.session.is_some()).map(|passage| passage.id).collect();
    let turns = quiver.graph.passages(&ids).await.stage(Stage::Recall)?;
    let ids: BTreeSet<RelationId> = turns.iter().flat_map(|turn| &turn.relations).copied().collect();
    if ids.is_empty() {
        return Ok(BTreeSet::new());
    }
    let graph = &quiver.graph;
    let ids: Vec<RelationId> = ids.into_iter().collect();
    let stated = graph.relations(&ids).await.stage(Stage::Recall)?;
    let ends = stated.iter().flat_map(|relation| [relation.subject, relation.object]);
    let beside = filters::touching(ends).and(filters::begun(None, Some(now)));
    let mut relations = graph.list::<Relation>(beside, BESIDE_MAX).await.stage(Stage::Recall)?;
    relations.extend(stated);
    let relations: BTreeMap<RelationId, Relation> = relations
        .into_iter()
        .filter(|relation| relation.properties.contains_key(property::SUBJECT))
        .map(|relation| (relation.id, relation))
        .collect();
    let lexical = quiver.encoder.analysis();
    let known: Vec<MemoryFact> =
        relations.into_values().map(|relation| quiver.wordings.get_or_analyse(lexical, relation)).collect();
    let declared = decide::declared(graph, &known).await.stage(Stage::Recall)?;
    let holds = currently_valid(&known, &declared, Restated::Adds, now);
    let ended = Ended::of(&known, &holds);
    Ok(turns.iter().filter(|turn| ended.is_over(turn)).map(|turn| turn.id).collect())
}
