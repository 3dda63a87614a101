//! Meanings of a name in a question: the entities to choose from, and the chosen one.

use std::{collections::BTreeSet, ops::Range};

use quiver_graph::{Entity, EntityId, Nearest, Passage, PassageId, filters, name};
use quiver_models::Lexical;
use quiver_store::{Filter, SparseVector, Target};

use crate::{
    Result,
    analysis::words,
    engine::Engine,
    error::{Error, ErrorKind, In, Stage},
    options::Meaning,
    question::{Choice, Chosen, NameSpan, Query},
    terms::TermBits,
};

/// Maximum number of entities offered for a name.
const CANDIDATES_MAX: usize = 8;
/// Maximum number of entities read by the words of a name.
const ALIKE_LIMIT: usize = 32;
/// Maximum number of passages about namesakes that are checked for the chosen entity.
const OTHERS_MAX: usize = 512;
/// Maximum number of entities with one name that are read.
const NAMED_LIMIT: usize = 64;

/// Reads the chosen meanings. A name that the chosen entity does not have is replaced in the question.
///
/// # Errors
/// [`ErrorKind::Invalid`] if the question does not contain a name, or the entity does not exist; errors of the
/// database.
pub(crate) async fn choose(
    engine: Engine<'_>,
    question: &mut String,
    meanings: &[Meaning],
) -> Result<Vec<Chosen>> {
    let mut chosen = Vec::with_capacity(meanings.len());
    for Meaning { name: written, entity: id } in meanings {
        let wrong = |what| Error::new(ErrorKind::Invalid, Stage::Understand, what);
        let given = name::normalise(written);
        if given.is_empty() || runs_of(engine.lexical, question, &given).is_empty() {
            return Err(wrong(format!("the question does not contain the ambiguous name {written:?}")));
        }
        let found = engine.graph.entities(&[*id]).await.stage(Stage::Understand)?;
        let Some(entity) = found.into_iter().next() else {
            let what = format!(
                "there is no entity {id} for {written:?}; the trace of an answer lists those to choose from"
            );
            return Err(wrong(what));
        };
        let has_name = entity.names().contains(&given) || is_part(engine.lexical, &given, &entity.name);
        let normalised = if has_name { given.clone() } else { name::normalise(&entity.name) };
        if !has_name {
            for run in runs_of(engine.lexical, question, &given).into_iter().rev() {
                question.replace_range(run, &entity.name);
            }
        }
        let mut others = namesakes(engine, &given).await?;
        others.retain(|other| other.id != *id);
        let others: Vec<EntityId> = others.into_iter().map(|other| other.id).collect();
        let of_both = of_both(engine, &given, &entity, &others).await?;
        chosen.push(Chosen { words: given, normalised, entity, others, of_both, is_split: false });
    }
    Ok(chosen)
}

/// Returns the passages about namesakes that also mention the chosen entity, without a stored mention that says so: a
/// sentence contains all words of a longer name of it, as "the town of Norby" contains those of "Norby (town)".
async fn of_both(
    engine: Engine<'_>,
    given: &str,
    chosen: &Entity,
    others: &[EntityId],
) -> Result<Vec<PassageId>> {
    let terms = |name: &str| engine.lexical.terms(name).into_iter().map(|term| term.hash).collect();
    let shared: BTreeSet<u32> = terms(given);
    let names = std::iter::once(&chosen.name).chain(&chosen.aliases);
    let mut longer: Vec<BTreeSet<u32>> = names.map(|name| terms(name)).collect();
    longer.retain(|name| name.is_superset(&shared) && name.len() > shared.len());
    if longer.is_empty() || others.is_empty() {
        return Ok(Vec::new());
    }
    let about = filters::about(others.iter().copied());
    let passages: Vec<Passage> = engine.graph.list(about, OTHERS_MAX).await.stage(Stage::Understand)?;
    let is_of_both = |passage: &Passage| {
        let analysis = engine.analyses.of(engine.lexical, engine.graph.workspace(), passage);
        analysis.sentences.iter().any(|sentence| {
            longer.iter().any(|name| name.iter().all(|term| sentence.terms.binary_search(term).is_ok()))
        })
    };
    Ok(passages.iter().filter(|passage| is_of_both(passage)).map(|passage| passage.id).collect())
}

/// Returns where a normalised name occurs in a question, as byte ranges in order.
fn runs_of(lexical: &Lexical, question: &str, normalised: &str) -> Vec<Range<usize>> {
    let words = words(lexical, question);
    let mut found: Vec<Range<usize>> = Vec::new();
    for start in 0..words.len() {
        let is_free = found.last().is_none_or(|last| last.end <= words[start].start);
        let ends = words[start..].iter().map(|word| word.end);
        // A much longer run can't be the name, since normalising shortens little.
        let ends = ends.take_while(|end| end - words[start].start <= 4 * normalised.len() + 16);
        let run = ends.map(|end| words[start].start..end);
        let mut runs = run.filter(|run| name::normalise(&question[run.clone()]) == normalised);
        if let Some(run) = runs.next().filter(|_| is_free) {
            found.push(run);
        }
    }
    found
}

/// Adds chosen names that are not among the name runs: those made of stop words, and very long ones.
pub(crate) fn add_spans(
    lexical: &Lexical,
    question: &str,
    bits: &TermBits,
    chosen: &[Chosen],
    spans: &mut Vec<NameSpan>,
) {
    for Chosen { normalised, .. } in chosen {
        let run = runs_of(lexical, question, normalised).into_iter().next();
        let Some(run) = run.filter(|_| spans.iter().all(|span| span.normalised != *normalised)) else {
            continue;
        };
        let words = words(lexical, question);
        let at = |is_in: &dyn Fn(usize) -> bool| words.iter().take_while(|word| is_in(word.start)).count();
        let within = lexical.terms(question).into_iter();
        let within = within.filter(|term| run.start <= term.start && term.end <= run.end);
        spans.push(NameSpan {
            words: (at(&|start| start < run.start), at(&|start| start < run.end)),
            normalised: normalised.clone(),
            is_name: true,
            bits: bits.covered_by(within.map(|term| term.hash)),
        });
    }
}

/// Whether a longer name contains these words in order.
fn is_part(lexical: &Lexical, short: &str, longer: &str) -> bool {
    let of = |name: &str| -> Vec<String> {
        words(lexical, name).iter().map(|word| name::normalise(&name[word.start..word.end])).collect()
    };
    let (short, longer) = (of(short), of(longer));
    !short.is_empty() && longer.windows(short.len()).any(|window| window == short)
}

/// Whether an entity is a value: no name means a date or a quantity.
fn is_value(entity: &Entity) -> bool {
    matches!(entity.kind.as_deref(), Some("date" | "quantity"))
}

/// Returns the entities with a name, and those with a bracketed addition: "Mercury" and "Mercury (planet)".
async fn namesakes(engine: Engine<'_>, normalised: &str) -> Result<Vec<Entity>> {
    let names = [normalised.to_owned()];
    let mut found = engine.graph.entities_named(&names, NAMED_LIMIT).await.stage(Stage::Understand)?;
    let alike = alike(engine, &[normalised]).await?.into_iter().flatten();
    let bracketed = format!("{normalised} (");
    found.extend(alike.filter(|entity| name::normalise(&entity.name).starts_with(&bracketed)));
    Ok(found)
}

/// Returns, for each name, the entities whose names share the most with it.
async fn alike(engine: Engine<'_>, names: &[&str]) -> Result<Vec<Vec<Entity>>> {
    let search = |name: &&str| {
        let terms = engine.lexical.query_terms(name).into_iter().map(|term| (term, 1.0));
        let target = Target::Sparse(SparseVector::from_pairs(terms));
        Nearest { target, among: Filter::everything(), limit: ALIKE_LIMIT }
    };
    let found = engine.graph.nearest::<Entity>(names.iter().map(search).collect()).await;
    let found = found.stage(Stage::Understand)?.into_iter();
    Ok(found.map(|hits| hits.into_iter().map(|hit| hit.record).collect()).collect())
}

/// Finds what else the linked names in a question may mean. Names with a single meaning are left out.
pub(crate) async fn choices(engine: Engine<'_>, query: &Query) -> Result<Vec<Choice>> {
    let places: BTreeSet<(usize, usize)> = query.linked.iter().map(|link| link.span).collect();
    let spans: Vec<_> = query.names.iter().filter(|span| places.contains(&span.words)).collect();
    let chosen = |normalised: &str| query.meanings.iter().find(|chosen| chosen.normalised == normalised);
    let names: Vec<&str> = spans
        .iter()
        .map(|span| chosen(&span.normalised).map_or(span.normalised.as_str(), |chosen| chosen.words.as_str()))
        .collect();
    let named = names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let named = engine.graph.entities_named(&named, NAMED_LIMIT).await.stage(Stage::Search)?;
    let alike = alike(engine, &names).await?;
    let about = |entity: &Entity| query.statistics.passages_about(entity.id);
    let mut choices = Vec::new();
    for ((span, name), alike) in spans.into_iter().zip(names).zip(alike) {
        let chosen = chosen(&span.normalised);
        let mut seen = BTreeSet::new();
        let own = named.iter().filter(|entity| entity.names().iter().any(|known| known == name));
        let mut own: Vec<&Entity> = own.filter(|entity| seen.insert(entity.id)).collect();
        let is_longer = |entity: &&Entity| {
            about(entity) > 0 && !is_value(entity) && is_part(engine.lexical, name, &entity.name)
        };
        let longer = alike.iter().filter(is_longer).chain(chosen.map(|chosen| &chosen.entity));
        let mut longer: Vec<&Entity> = longer.filter(|entity| seen.insert(entity.id)).collect();
        for list in [&mut own, &mut longer] {
            list.sort_by(|a, b| about(b).cmp(&about(a)).then_with(|| (&a.name, a.id).cmp(&(&b.name, b.id))));
        }
        let candidates: Vec<Entity> = own.into_iter().chain(longer).take(CANDIDATES_MAX).cloned().collect();
        if candidates.len() > 1 {
            let chosen = chosen.map(|chosen| chosen.entity.id);
            choices.push(Choice { words: span.words, name: name.to_owned(), chosen, candidates });
        }
    }
    choices.sort_by_key(|choice| choice.words);
    Ok(choices)
}
