//! Gathers candidate items for a context, with the components of their scores.

mod records;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use quiver_graph::{EntityId, Passage, PassageId, Relation, RelationId, filters, name};

use crate::{
    AskOptions, Quiver, Result,
    error::Stage,
    label::label,
    memory::{
        Apart, FactsOptions, RecallOptions, RecalledFact, TurnFinder, as_said, now as memory_now, superseded,
    },
    query::TriedQuery,
    question::{Question, Ranked},
    session::{Contextualised, Referent, Weighed, covered},
    trace::Trace,
};

use self::records::records;
use super::{ContextKind, ContextOptions};

/// Maximum number of named entities whose facts are read.
const NAMED_MAX: usize = 6;
/// Maximum number of turns considered.
const TURNS_MAX: usize = 48;
/// Maximum number of document relations read.
const RELATIONS_LIMIT: usize = 48;

/// The candidate items for a context.
pub(super) struct Gathered {
    pub(super) question: String,
    pub(super) standalone: String,
    pub(super) found: Vec<Found>,
    pub(super) now: i64,
    pub(super) trace: Trace,
}

/// A candidate item, with the parts of its score, from 0 to 1.
pub(super) struct Found {
    pub(super) kind: ContextKind,
    /// The label of a record.
    pub(super) label: Option<String>,
    pub(super) text: String,
    pub(super) relevance: f32,
    pub(super) proximity: f32,
    pub(super) mention: f32,
    pub(super) time: Option<i64>,
    pub(super) interaction: f32,
    pub(super) passages: Vec<PassageId>,
    pub(super) relation: Option<RelationId>,
}

/// The question and session that items are compared with.
struct Measure<'a> {
    quiver: &'a Quiver,
    asked: Vec<Weighed>,
    named: Vec<String>,
    /// The names of the session's recent topics, with their salience.
    lately: Vec<(String, f32)>,
}

impl Measure<'_> {
    /// Returns the share of the named entities that a text mentions.
    fn mention(&self, text: &str) -> f32 {
        let folded = name::normalise(text);
        let mentioned = self.named.iter().filter(|name| folded.contains(name.as_str())).count();
        mentioned as f32 / self.named.len().max(1) as f32
    }

    /// Returns the highest salience of a recent topic that a text mentions, at most 1.
    fn interaction(&self, text: &str) -> f32 {
        let folded = name::normalise(text);
        let spoken = self.lately.iter().filter(|(name, _)| folded.contains(name.as_str()));
        spoken.map(|(_, salience)| salience.min(1.0)).fold(0.0, f32::max)
    }

    /// Returns the share of the question that a text covers.
    fn relevance(&self, text: &str) -> f32 {
        covered(self.quiver.encoder.analysis(), &self.asked, text)
    }

    fn found(&self, kind: ContextKind, text: String) -> Found {
        Found {
            kind,
            label: None,
            relevance: self.relevance(&text),
            proximity: 0.0,
            mention: self.mention(&text),
            time: None,
            interaction: self.interaction(&text),
            passages: Vec::new(),
            relation: None,
            text,
        }
    }
}

/// Gathers the candidate items for a question.
pub(super) async fn gather(quiver: &Quiver, question: &str, options: &ContextOptions) -> Result<Gathered> {
    let mut degraded = Vec::new();
    let (mut read, lately) = understood(quiver, question, options, &mut degraded).await;
    let apart = match quiver.apart(&read.standalone).await {
        Ok(apart) => apart,
        Err(error) => {
            degraded.push(format!("split entities could not be distinguished: {error}"));
            Vec::new()
        }
    };
    let is_apart = |entity| apart.iter().any(|apart| apart.others.contains(&entity));
    read.asked.retain(|referent| !referent.entity.is_some_and(is_apart));
    let ask = AskOptions { now: options.ask.now.or(options.now), ..options.ask.clone() };
    let mut retrieve = Question::new(&read.standalone).with_options(ask);
    retrieve.beside.clone_from(&read.beside);
    let TriedQuery { answer: queried, lines, spent, .. } =
        Box::pin(quiver.answered_by_query(&retrieve)).await;
    let evidence = quiver.retrieve(retrieve).await?;
    let mut trace = evidence.trace;
    degraded.into_iter().chain(read.degraded.iter().cloned()).for_each(|what| trace.degrade(what));
    read.calls.iter().for_each(|(job, tally)| trace.spend(job, tally));
    trace.absorb(&spent);
    let asked = match quiver.reader().await {
        Ok(reader) => reader.weighed(&read.standalone),
        Err(error) => {
            trace.degrade(format!("the question's terms could not be weighted: {error}"));
            Vec::new()
        }
    };
    let named = read.asked.iter().map(|referent| name::normalise(&referent.name)).collect();
    let measure = Measure { quiver, asked, named, lately };
    if !lines.is_empty() {
        trace.end(Stage::Query, lines);
    }
    let records = queried.map(|queried| records(&measure, &queried)).unwrap_or_default();
    let mut found = facts(&measure, &read, options, &mut trace).await;
    let facts_count = found.len();
    found.extend(ways(&measure, &evidence.passages, &mut trace).await);
    let paths_count = found.len() - facts_count;
    found.extend(turns(&measure, &read.standalone, &apart, options, &mut trace).await);
    let turns_count = found.len() - facts_count - paths_count;
    found.extend(passages(&measure, &read.asked, &evidence.passages));
    let passages_count = found.len() - facts_count - paths_count - turns_count;
    found.extend(records);
    trace.end(
        Stage::Context,
        vec![format!(
            "{facts_count} facts, {paths_count} paths, {turns_count} turns, {passages_count} passages"
        )],
    );
    let now = options.now.unwrap_or_else(memory_now);
    Ok(Gathered { question: question.to_owned(), standalone: read.standalone, found, now, trace })
}

/// Returns the question in the context of its session, and the session's recent topics. If the session can't be read,
/// the question is left unchanged.
async fn understood(
    quiver: &Quiver,
    question: &str,
    options: &ContextOptions,
    degraded: &mut Vec<String>,
) -> (Contextualised, Vec<(String, f32)>) {
    let mut session = quiver.session(options.session.clone().unwrap_or_default());
    let plain = || Contextualised {
        question: question.to_owned(),
        standalone: question.to_owned(),
        ..Contextualised::default()
    };
    if question.trim().is_empty() {
        return (plain(), Vec::new());
    }
    if options.session.is_none() {
        session.begin_empty();
    }
    let read = match session.contextualise(question).await {
        Ok(read) => read,
        Err(error) => {
            degraded
                .push(format!("the session could not be read, so the question is used as asked: {error}"));
            plain()
        }
    };
    let lately = session.in_focus();
    (
        read,
        lately.into_iter().map(|(referent, salience)| (name::normalise(&referent.name), salience)).collect(),
    )
}

/// Returns the valid facts about the named entities, the facts recalled for the question, and the relations stated in
/// documents.
async fn facts(
    measure: &Measure<'_>,
    read: &Contextualised,
    options: &ContextOptions,
    trace: &mut Trace,
) -> Vec<Found> {
    let quiver = measure.quiver;
    let mut told: Vec<(RecalledFact, f32)> = Vec::new();
    // With one turn, so that facts read from text that do not fit the question are withdrawn.
    let as_of = options.ask.as_of;
    let recall = RecallOptions { turns_limit: Some(1), now: options.now, as_of, ..RecallOptions::default() };
    match quiver.recall(&read.standalone).options(recall).only_facts().await {
        Ok(recalled) => {
            let steps = recalled.facts.into_iter().enumerate();
            told.extend(steps.map(|(step, fact)| (fact, 1.0 / (1.0 + step as f32))));
        }
        Err(error) => trace.degrade(format!("nothing was recalled: {error}")),
    }
    for referent in read.asked.iter().take(NAMED_MAX) {
        let about = FactsOptions { as_of, ..FactsOptions::default() };
        match quiver.facts(&referent.name).options(about).await {
            Ok(facts) => {
                // A fact read from text must cover more of the question than the name; otherwise its turn may be needed
                // instead.
                let says_more = |fact: &RecalledFact| {
                    !fact.is_read || measure.relevance(&format!("{} {}", fact.predicate, fact.object)) > 0.0
                };
                told.extend(facts.into_iter().filter(says_more).map(|fact| (fact, 1.0)));
            }
            Err(error) => trace.degrade(format!("the facts about {} are missing: {error}", referent.name)),
        }
    }
    let mut seen = BTreeSet::new();
    let mut found: Vec<Found> = told
        .into_iter()
        .filter(|(fact, _)| seen.insert(fact.id) && fact.holds && !fact.denied)
        .map(|(fact, proximity)| Found {
            proximity,
            time: fact.recorded_at.or(fact.valid_from),
            relation: Some(fact.id),
            ..measure
                .found(ContextKind::Fact, format!("{} {} {}.", fact.subject, fact.predicate, fact.object))
        })
        .collect();
    match stated(quiver, &read.asked).await {
        Ok(stated) => {
            found.extend(stated.into_iter().filter(|(id, _)| seen.insert(*id)).map(|(id, text)| Found {
                proximity: 0.5,
                relation: Some(id),
                ..measure.found(ContextKind::Fact, text)
            }));
        }
        Err(error) => trace.degrade(format!("the relations of the named entities are missing: {error}")),
    }
    found.sort_by(|a, b| {
        let rank = |found: &Found| found.relevance + found.proximity + found.mention;
        rank(b).total_cmp(&rank(a)).then_with(|| a.text.cmp(&b.text))
    });
    found.truncate(options.facts_limit);
    found
}

/// Returns the relations of entities that documents state, as lines. Those of the memory are excluded, because they may
/// no longer be valid.
async fn stated(quiver: &Quiver, things: &[Referent]) -> quiver_graph::Result<Vec<(RelationId, String)>> {
    let ids: Vec<EntityId> = things.iter().filter_map(|referent| referent.entity).take(NAMED_MAX).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ends = filters::touching(ids);
    let relations: Vec<Relation> = quiver.graph.list(ends, RELATIONS_LIMIT).await?;
    let ends: Vec<EntityId> =
        relations.iter().flat_map(|relation| [relation.subject, relation.object]).collect();
    let names = quiver.graph.names_of(&ends).await?;
    let stated = relations.into_iter().filter(|relation| relation.recorded_at.is_none());
    Ok(stated
        .filter_map(|relation| {
            let (subject, object) = (names.get(&relation.subject)?, names.get(&relation.object)?);
            Some((relation.id, format!("{subject} {} {object}.", relation.predicate)))
        })
        .collect())
}

/// Returns the paths to passages that were reached along a path.
async fn ways(measure: &Measure<'_>, ranked: &[Ranked], trace: &mut Trace) -> Vec<Found> {
    let ids: BTreeSet<PassageId> =
        ranked.iter().flat_map(|ranked| &ranked.path).map(|(from, _)| *from).collect();
    let ids: Vec<PassageId> = ids.into_iter().collect();
    let names: BTreeMap<PassageId, String> = match measure.quiver.graph.passages(&ids).await {
        Ok(passages) => passages.iter().map(|passage| (passage.id, label(passage).to_owned())).collect(),
        Err(error) => {
            trace.degrade(format!("the paths are missing: {error}"));
            return Vec::new();
        }
    };
    let with_way = documents(ranked).filter(|ranked| !ranked.path.is_empty());
    with_way
        .map(|ranked| {
            let mut text = String::new();
            for (from, step) in &ranked.path {
                let from_name = names.get(from).map_or("…", String::as_str);
                write!(text, "{from_name} → {step} → ").expect("a string takes all");
            }
            text.push_str(label(&ranked.passage));
            let mut passages: Vec<PassageId> = ranked.path.iter().map(|(from, _)| *from).collect();
            passages.push(ranked.passage.id);
            let found = measure.found(ContextKind::Path, text);
            Found {
                relevance: f32::midpoint(found.relevance, ranked.score.clamp(0.0, 1.0)),
                proximity: 1.0 / (1.0 + ranked.path.len() as f32),
                time: ranked.passage.time,
                passages,
                ..found
            }
        })
        .collect()
}

/// Returns the passages of documents. Turns are ranked separately.
fn documents(ranked: &[Ranked]) -> impl Iterator<Item = &Ranked> {
    ranked.iter().filter(|ranked| ranked.passage.session.is_none())
}

/// Returns the turns of the memory relevant to the question, in full, with speakers and dates. Superseded turns are
/// left out.
async fn turns(
    measure: &Measure<'_>,
    question: &str,
    apart: &[Apart],
    options: &ContextOptions,
    trace: &mut Trace,
) -> Vec<Found> {
    let Quiver { graph, encoder, .. } = measure.quiver;
    let (as_of, now) = (options.ask.as_of, options.now);
    let finder = TurnFinder { graph, encoder, as_of, known_at: None, now, apart };
    let ranking = match finder.find(&as_said(question, apart), trace).await {
        Ok(ranking) => ranking,
        Err(error) => {
            trace.degrade(format!("the turns are missing: {error}"));
            return Vec::new();
        }
    };
    let passages: Vec<_> = ranking.turns.iter().take(TURNS_MAX).map(|(turn, _)| turn).collect();
    let over = match superseded(measure.quiver, &passages, as_of.or(now).unwrap_or_else(memory_now)).await {
        Ok(over) => over,
        Err(error) => {
            trace.degrade(format!("superseded turns could not be determined: {error}"));
            BTreeSet::new()
        }
    };
    let best = ranking.turns.first().map_or(1.0, |(_, score)| *score).max(f32::MIN_POSITIVE);
    let turns = ranking.turns.iter().take(TURNS_MAX).filter(|(turn, _)| !over.contains(&turn.id));
    let turns = turns.map(|(turn, score)| {
        let relevance = score / best;
        let found = measure.found(ContextKind::Turn, quiver_memory::show::whole(turn));
        Found {
            relevance,
            proximity: relevance,
            mention: found.mention * relevance,
            time: turn.time,
            passages: vec![turn.id],
            ..found
        }
    });
    turns.collect()
}

fn passages(measure: &Measure<'_>, asked: &[Referent], ranked: &[Ranked]) -> Vec<Found> {
    let best = ranked.iter().map(|ranked| ranked.score).fold(f32::MIN_POSITIVE, f32::max);
    let is_about = |passage: &Passage| {
        asked.iter().filter_map(|referent| referent.entity).any(|id| passage.subjects.contains(&id))
    };
    let ranked = documents(ranked).map(|ranked| {
        let passage = &ranked.passage;
        let near = if is_about(passage) { 1.0 } else { 1.0 / (2.0 + ranked.path.len() as f32) };
        let text = match &passage.title {
            // A page often begins with its title.
            Some(title) if !passage.text.trim_start_matches(['#', ' ']).starts_with(title.as_str()) => {
                format!("{title}: {}", passage.text)
            }
            _ => passage.text.clone(),
        };
        Found {
            relevance: (ranked.score / best).clamp(0.0, 1.0),
            proximity: near,
            time: passage.time,
            passages: vec![passage.id],
            ..measure.found(ContextKind::Passage, text)
        }
    });
    ranked.collect()
}
