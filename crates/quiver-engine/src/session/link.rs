//! Links the names in a question to entities of the graph.

use std::{collections::HashMap, ops::Range, sync::Arc};

use futures::future::try_join_all;
use quiver_graph::{Entity, EntityId, Graph, Nearest, Passage, Result, Statistics, filters, name};
use quiver_language::word::is_verb;
use quiver_models::Lexical;
use quiver_store::{Filter, SparseVector, Target};

use crate::{
    extract::{MentionKind, mentions, without_accents},
    search::documents,
};

use super::{
    exchange::{Referent, Rewrite},
    lexicon::{Sort, is_closed, is_first_or_second, is_request, pronoun},
    referable::{is_referable, is_thing},
    said::{Said, Token},
};

/// Maximum number of words in a name.
const NAME_WORDS_MAX: usize = 8;
/// Maximum number of partial names to look up.
const PARTS_MAX: usize = 16;
/// Number of entities read for each of them.
const PART_LIMIT: usize = 24;
/// Number of entities read by full name.
const NAMED_LIMIT: usize = 128;
/// Number of passages about an option that are read for its place among the options.
const ABOUT_LIMIT: usize = 64;
/// Maximum number of options in a clarifying question.
const OPTIONS_MAX: usize = 8;
/// A lower-case word counts as part of a name if at least this share of the passages that contain it are about
/// entities with that name.
const NAME_SHARE: f32 = 0.6;

/// Minimum number of digits for a number to stand for an identifier.
const NUMBER_DIGITS: usize = 3;
/// Entities share a name if at least this share of the passages that contain it are about them.
const SHARED_NAME: f32 = 0.4;

/// The parts of the engine needed to read a follow-up.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) lexical: &'a Lexical,
    pub(crate) statistics: Arc<Statistics>,
}

/// The kind of a name in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// The full name of an entity.
    Whole,
    /// A part of the names of entities.
    Part,
    /// Written like a name, but not in the graph.
    Unknown,
    /// A date.
    Date,
}

/// A name in a question.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) bytes: Range<usize>,
    pub(crate) tokens: Range<usize>,
    pub(crate) kind: NameKind,
    /// The candidate entities: several if the name is ambiguous, none if it is a date or unknown.
    pub(crate) options: Vec<Referent>,
}

impl Named {
    /// The referent, if it is unambiguous. A name that is not in the graph refers to itself.
    pub(crate) fn referent(&self, said: &Said) -> Option<Referent> {
        match (self.kind, self.options.as_slice()) {
            (NameKind::Date, _) => None,
            (_, [one]) => Some(one.clone()),
            (NameKind::Unknown, _) => {
                Some(Referent { name: said.text[self.bytes.clone()].to_owned(), entity: None })
            }
            _ => None,
        }
    }
}

/// Whether two names are the same, ignoring an article and differences in spelling.
pub(crate) fn same(a: &str, b: &str) -> bool {
    bare(a) == bare(b)
}

/// Adds an entity unless it is already in the list.
pub(super) fn add(things: &mut Vec<Referent>, new: Referent) {
    if !things.iter().any(|known| same(&known.name, &new.name)) {
        things.push(new);
    }
}

/// The genitive of a name.
pub(crate) fn possessive(name: &str) -> String {
    if name.ends_with('s') { format!("{name}'") } else { format!("{name}'s") }
}

/// The kind of pronoun in whose place a rewrite put a name or its genitive.
pub(super) fn called(rewrite: &Rewrite, name: &str) -> Option<Sort> {
    let stands_for = &rewrite.stands_for;
    let is_name = same(stands_for, name) || same(stands_for, &possessive(name));
    pronoun(&rewrite.said.to_lowercase()).filter(|_| is_name).map(|pronoun| pronoun.sort)
}

/// A name without its article, normalised.
pub(crate) fn bare(name: &str) -> String {
    let normalised = name::normalise(name);
    normalised.strip_prefix("the ").map(str::to_owned).unwrap_or(normalised)
}

/// The words of a name in lower case, without "the".
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let tokens = Said::of(name).tokens.into_iter();
    tokens.filter(|token| !token.is_joined && token.lower != "the").map(|token| token.lower).collect()
}

impl Reader<'_> {
    /// The ids that an entity with this name can have.
    pub(crate) fn ids_of(&self, referent: &Referent) -> Vec<EntityId> {
        let bare = bare(&referent.name);
        let id = |name: &str| EntityId::of_normalised(self.graph.workspace(), None, name);
        let mut ids = vec![id(&bare), id(&format!("the {bare}"))];
        ids.extend(referent.entity);
        ids.sort();
        ids.dedup();
        ids
    }

    /// Finds the names in a question, in order.
    pub(crate) async fn link(&self, said: &Said, focus: &[&Referent]) -> Result<Vec<Named>> {
        let mut found = self.whole_names(said).await?;
        self.add_parts(said, focus, &mut found).await?;
        found.sort_by_key(|named| named.bytes.start);
        Ok(in_full(said, found))
    }

    /// The name of an entity in the form that pages about it use: with the article, if they have it.
    pub(crate) fn canonical(&self, name: &str) -> String {
        let bare = bare(name);
        let with_article = EntityId::of_normalised(self.graph.workspace(), None, &format!("the {bare}"));
        let has_article = name::normalise(name) != bare;
        let is_title = self.statistics.passages_about(with_article) > 0;
        if !has_article && is_title { format!("The {name}") } else { name.to_owned() }
    }

    /// Finds dates and full names; of overlapping names, keeps the longest.
    async fn whole_names(&self, said: &Said) -> Result<Vec<Named>> {
        let runs = runs(said);
        let normalised: Vec<String> = runs
            .iter()
            .flat_map(|run| {
                let bare = bare(&said.text[name_bytes(said, run)]);
                [format!("the {bare}"), bare]
            })
            .collect();
        let entities = self.graph.entities_named(&normalised, NAMED_LIMIT).await?;
        let mut by_name: HashMap<String, Vec<&Entity>> = HashMap::new();
        for entity in entities.iter().filter(|entity| can_be_meant(entity)) {
            for name in entity.names() {
                by_name.entry(bare(&name)).or_default().push(entity);
            }
        }
        let mut taken = vec![false; said.tokens.len()];
        let mut found = Vec::new();
        for run in runs {
            let bytes = name_bytes(said, &run);
            let Some(entities) = by_name.get(&bare(&said.text[bytes.clone()])) else { continue };
            if taken[run.clone()].contains(&true) {
                continue;
            }
            let about = |entity: &&&Entity| self.statistics.passages_about(entity.id);
            let Some(best) = entities.iter().max_by_key(|entity| (about(entity), entity.id)) else {
                continue;
            };
            let is_marked = said.tokens[run.clone()].iter().any(|token| token.is_marked && !token.is_first);
            // A single common word counts as a name only if there are passages about it.
            if about(&best) == 0 && !is_marked && run.len() == 1 {
                continue;
            }
            taken[run.clone()].fill(true);
            let referent = Referent { name: self.canonical(&best.name), entity: Some(best.id) };
            found.push(Named { bytes, tokens: run, kind: NameKind::Whole, options: vec![referent] });
        }
        for date in mentions(&said.text).into_iter().filter(|mention| mention.kind == MentionKind::Date) {
            let tokens = said.tokens_of(&date.range);
            let has_digit = date.name.contains(|c: char| c.is_ascii_digit());
            let opens =
                said.tokens.get(tokens.start).is_some_and(|token| token.is_first && tokens.len() == 1);
            if !taken[tokens.clone()].contains(&true) && (has_digit || !opens) {
                taken[tokens.clone()].fill(true);
                found.push(Named { bytes: date.range, tokens, kind: NameKind::Date, options: Vec::new() });
            }
        }
        Ok(found)
    }

    /// Finds partial names: words written like names, or lower-case words that occur mostly in names.
    async fn add_parts(&self, said: &Said, focus: &[&Referent], found: &mut Vec<Named>) -> Result<()> {
        let whole: Vec<(usize, Range<usize>)> = found
            .iter()
            .enumerate()
            .filter(|(_, named)| named.kind == NameKind::Whole)
            .map(|(at, named)| (at, named.tokens.clone()))
            .collect();
        let parts = parts(said, found);
        let spans: Vec<Range<usize>> =
            whole.iter().map(|(_, span)| span.clone()).chain(parts.iter().cloned()).collect();
        let searches = spans.iter().map(|span| self.search(&said.text[said.bytes_of(span)])).collect();
        let mut answers = self.graph.nearest::<Entity>(searches).await?.into_iter();
        for (at, span) in whole {
            let hits = answers.next().unwrap_or_default();
            let entities: Vec<Entity> = hits.into_iter().map(|hit| hit.record).collect();
            if let Some(accented) =
                entities.iter().find(|one| is_plain_form(&found[at].options[0].name, &one.name))
            {
                found[at].options = vec![referent(accented)];
            }
            if let Some((owned, options)) = self.owned_names(said, &span, &entities) {
                found[at].bytes = said.bytes_of(&owned);
                (found[at].tokens, found[at].kind, found[at].options) = (owned, NameKind::Part, options);
                continue;
            }
            let namesakes = self.namesakes(said, &span, &found[at].options[0], &entities);
            found[at].options = namesakes;
        }
        let mut taken: Vec<bool> = vec![false; said.tokens.len()];
        found.iter().for_each(|named| taken[named.tokens.clone()].fill(true));
        for span in parts {
            let hits = answers.next().unwrap_or_default();
            if taken[span.clone()].contains(&true) {
                continue;
            }
            let entities: Vec<Entity> = hits.into_iter().map(|hit| hit.record).collect();
            let Some(named) = self.part(said, &span, &entities, focus) else { continue };
            taken[span].fill(true);
            found.push(named);
        }
        Ok(())
    }

    fn search(&self, words: &str) -> Nearest {
        let terms = self.lexical.query_terms(words).into_iter().map(|term| (term, 1.0));
        let target = Target::Sparse(SparseVector::from_pairs(terms));
        Nearest { target, among: Filter::everything(), limit: PART_LIMIT }
    }

    /// The entities whose names go on after a name in the genitive that is said without what it owns: "St Mary's" of "St
    /// Mary's Infirmary" and "St Mary's Church".
    fn owned_names(
        &self,
        said: &Said,
        span: &Range<usize>,
        entities: &[Entity],
    ) -> Option<(Range<usize>, Vec<Referent>)> {
        let next = span.end + 1;
        let is_owner = said.tokens.get(span.end).is_some_and(|token| token.is_joined && token.lower == "s");
        let owns_nothing = said.ends_after(span.end)
            || is_closed(said.word(next))
            || !said.tokens[next].is_marked && (is_verb(said.word(next)) || said.word(next).ends_with("ed"));
        if !is_owner || !owns_nothing {
            return None;
        }
        let owned = span.start..next;
        let owner = name::normalise(&said.text[said.bytes_of(&owned)]);
        let goes_on = |entity: &&Entity| name::normalise(&entity.name).starts_with(&format!("{owner} "));
        let of_owner: Vec<Entity> = entities.iter().filter(goes_on).cloned().collect();
        let options = self.clusters(said, span, &of_owner).into_iter();
        let options: Vec<Referent> = options
            .filter(|one| one.entity.is_some_and(|id| self.statistics.passages_about(id) > 0))
            .collect();
        (options.len() > 1).then_some((owned, options))
    }

    /// The entities that share a full name: those distinguished by a bracketed addition, or else, if no passage is
    /// about the name itself, those whose longer name contains it.
    fn namesakes(
        &self,
        said: &Said,
        span: &Range<usize>,
        own: &Referent,
        entities: &[Entity],
    ) -> Vec<Referent> {
        let own_bare = bare(&own.name);
        let bracketed: Vec<&Entity> = entities
            .iter()
            .filter(|entity| {
                can_be_meant(entity)
                    && bare(&entity.name).strip_prefix(&own_bare).is_some_and(|rest| rest.starts_with(" ("))
            })
            .collect();
        let is_plain = |one: &&Entity| bracketed.iter().any(|other| is_plain_form(&one.name, &other.name));
        let bracketed: Vec<&Entity> = bracketed.iter().copied().filter(|one| !is_plain(one)).collect();
        if let [only] = bracketed.as_slice()
            && !only.name.is_ascii()
        {
            return vec![referent(only)];
        }
        if bracketed.len() > 1 {
            let options = bracketed.into_iter().map(referent).collect();
            return told_apart(said, span, order(options));
        }
        let is_known = own.entity.is_some_and(|id| self.statistics.passages_about(id) > 0);
        if is_known {
            return vec![own.clone()];
        }
        let longer = self.clusters(said, span, entities);
        let with_passages: Vec<Referent> = longer
            .into_iter()
            .filter(|longer| longer.entity.is_some_and(|id| self.statistics.passages_about(id) > 0))
            .collect();
        if with_passages.is_empty() { vec![own.clone()] } else { told_apart(said, span, with_passages) }
    }

    /// The entities that a partial name may refer to; `None` if the words are not a name.
    fn part(
        &self,
        said: &Said,
        span: &Range<usize>,
        entities: &[Entity],
        focus: &[&Referent],
    ) -> Option<Named> {
        let bytes = said.bytes_of(span);
        let words = &said.tokens[span.clone()];
        let is_marked = words.iter().any(|token| token.is_marked && !(token.is_first && span.len() == 1));
        let mut options = self.clusters(said, span, entities);
        if options.is_empty() {
            let is_period = is_period(&said.text[bytes.clone()]);
            let is_aside = span.len() == 1 && said.is_alone(span.start);
            let unknown = is_marked && !is_period && !is_aside && words.iter().all(|token| token.is_marked);
            return unknown.then(|| Named {
                bytes,
                tokens: span.clone(),
                kind: NameKind::Unknown,
                options: Vec::new(),
            });
        }
        let of_session = |option: &Referent| focus.iter().any(|known| same(&known.name, &option.name));
        let is_name = is_marked
            || (span.len() > 1 && options.len() > 1)
            || options.iter().any(of_session)
            || self.is_said_of(&said.text[bytes.clone()], entities);
        if !is_name {
            return None;
        }
        options = told_apart(said, span, options);
        options.truncate(OPTIONS_MAX);
        Some(Named { bytes, tokens: span.clone(), kind: NameKind::Part, options })
    }

    /// Whether a word is mainly used as a shared name of several entities: "John" of John Doe and John Smith.
    /// "CSP" is an entity itself, so it is not a name shared by "CSP Samples" and "Strict CSP".
    pub(crate) fn are_namesakes(&self, written: &str, options: &[Referent]) -> bool {
        let words = name_words(written);
        let names: Vec<Vec<String>> = options.iter().map(|option| name_words(&option.name)).collect();
        // "Dr Lind" is what "Dr Ada Lind" and "Dr Omar Lind" share.
        let is_around = |name: &Vec<String>| {
            (1..words.len()).any(|at| name.starts_with(&words[..at]) && name.ends_with(&words[at..]))
        };
        // "Pell" is what "Pell Dairy" and "Rupert Pell" share, but "museum" is not shared by "Tile Museum" and "museum café".
        let has = |name: &Vec<String>| name.starts_with(&words) || name.ends_with(&words);
        let share = names.iter().all(|name| name.starts_with(&words))
            || names.iter().all(|name| name.ends_with(&words))
            || names.iter().all(is_around)
            || options.iter().all(|option| is_proper(&option.name)) && names.iter().all(has);
        let about =
            options.iter().filter_map(|option| option.entity).map(|id| self.statistics.passages_about(id));
        let terms = self.lexical.query_terms(written).into_iter();
        let with = terms.map(|term| self.statistics.passages_with_term(term)).min().unwrap_or(0);
        options.len() > 1 && share && about.sum::<u32>() as f32 >= SHARED_NAME * with as f32
    }

    /// Puts options in the order in which the first passages about them were ingested.
    pub(crate) async fn as_ingested(&self, options: Vec<Referent>) -> Result<Vec<Referent>> {
        let first = options.iter().map(async |option| {
            let about = documents(filters::about(self.ids_of(option)));
            let ids = self.graph.list_ids::<Passage>(about, ABOUT_LIMIT).await?;
            let passages = self.graph.passages(&ids).await?;
            Ok::<_, quiver_graph::Error>(
                passages.iter().map(|passage| passage.ordinal).min().unwrap_or(u64::MAX),
            )
        });
        let first = try_join_all(first).await?;
        let mut ordered: Vec<(u64, Referent)> = first.into_iter().zip(options).collect();
        ordered.sort_by_key(|(first, _)| *first);
        Ok(ordered.into_iter().map(|(_, option)| option).collect())
    }

    /// Whether most passages that contain a word are about entities whose names contain it.
    fn is_said_of(&self, word: &str, entities: &[Entity]) -> bool {
        let [term] = self.lexical.query_terms(word)[..] else { return false };
        let with = self.statistics.passages_with_term(term);
        let words = name_words(word);
        let of_names: u32 = entities
            .iter()
            .filter(|entity| {
                can_be_meant(entity) && words.iter().all(|word| name_words(&entity.name).contains(word))
            })
            .map(|entity| self.statistics.passages_about(entity.id))
            .sum();
        with > 0 && of_names as f32 >= NAME_SHARE * with as f32
    }

    /// The entities whose names contain these words, without those whose name contains another's.
    fn clusters(&self, said: &Said, span: &Range<usize>, entities: &[Entity]) -> Vec<Referent> {
        let words: Vec<String> = said.tokens[span.clone()]
            .iter()
            .filter(|token| !token.is_joined && token.lower != "the")
            .map(|token| token.lower.clone())
            .collect();
        let is_marked = said.tokens[span.clone()].iter().any(|token| token.is_marked);
        let mut fitting: Vec<(&Entity, Vec<String>)> = entities
            .iter()
            .filter(|entity| can_be_meant(entity) && is_thing(&entity.name))
            .map(|entity| (entity, name_words(&entity.name)))
            .filter(|(entity, name)| {
                name.len() > words.len() && has_part(name, &words, is_marked)
                    || is_number_of(&entity.name, &said.text[said.bytes_of(span)])
            })
            .collect();
        fitting.sort_by_key(|(entity, name)| {
            (self.statistics.passages_about(entity.id) == 0, name.len(), entity.name.clone())
        });
        let mut kept: Vec<(&Entity, Vec<String>)> = Vec::new();
        for (entity, name) in fitting {
            let nested = |(_, known): &(&Entity, Vec<String>)| within(known, &name) || within(&name, known);
            if !kept.iter().any(nested) {
                kept.push((entity, name));
            }
        }
        // "Cafe Velm" is how a question may write "Café Velm".
        let names: Vec<String> = kept.iter().map(|(entity, _)| entity.name.clone()).collect();
        kept.retain(|(entity, _)| !names.iter().any(|accented| is_plain_form(&entity.name, accented)));
        // "Kestrel" does not mean "Kestrel risks" if another candidate is a proper name.
        if is_marked && kept.iter().any(|(entity, _)| is_proper(&entity.name)) {
            kept.retain(|(entity, _)| is_proper(&entity.name));
        }
        order(kept.into_iter().map(|(entity, _)| referent(entity)).collect())
    }
}

fn referent(entity: &Entity) -> Referent {
    Referent { name: entity.name.clone(), entity: Some(entity.id) }
}

/// Sorts options by name, so that the order is the same in every run.
fn order(mut options: Vec<Referent>) -> Vec<Referent> {
    options.sort_by(|a, b| a.name.cmp(&b.name));
    options
}

/// The option that other words of the question single out, or all options if there is none.
fn told_apart(said: &Said, span: &Range<usize>, options: Vec<Referent>) -> Vec<Referent> {
    let others = said.tokens.iter().enumerate().filter(|(at, _)| !span.contains(at));
    let others: Vec<&str> = others.map(|(_, token)| token.lower.as_str()).collect();
    let common = |word: &String, options: &[Referent]| {
        options.iter().all(|option| name_words(&option.name).contains(word))
    };
    let told: Vec<Referent> = options
        .iter()
        .filter(|option| {
            let own = name_words(&option.name);
            own.iter()
                .any(|word| !common(word, &options) && !is_closed(word) && others.contains(&word.as_str()))
        })
        .cloned()
        .collect();
    if told.len() == 1 { told } else { options }
}

/// Whether a name in a question may refer to an entity.
fn can_be_meant(entity: &Entity) -> bool {
    !is_value(entity) && is_referable(&entity.name)
}

/// Dates, periods and quantities are values, not entities that a question refers to.
fn is_value(entity: &Entity) -> bool {
    matches!(entity.kind.as_deref(), Some("date" | "quantity")) || is_period(&entity.name)
}

/// Whether a name denotes a period: "Q3", "Q3 2023", "FY24".
fn is_period(name: &str) -> bool {
    let is_figures = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut words = name.split_whitespace();
    let first = words.next().unwrap_or_default().to_ascii_lowercase();
    let starts = match first.as_bytes() {
        [b'q', b'1'..=b'4'] | [b'h', b'1' | b'2'] => true,
        _ => first.strip_prefix("fy").is_some_and(is_figures),
    };
    starts && words.all(is_figures)
}

/// Whether a name contains these words: at its beginning or end, or anywhere in this order if they are
/// capitalised.
fn has_part(name: &[String], words: &[String], anywhere: bool) -> bool {
    if words.is_empty() {
        return false;
    }
    if anywhere {
        let mut rest = name.iter();
        return words.iter().all(|word| rest.any(|other| other == word));
    }
    name.starts_with(words) || name.ends_with(words)
}

/// Whether every word of a name but function words is written like one.
fn is_proper(name: &str) -> bool {
    Said::of(name).tokens.iter().all(|token| token.is_marked || is_closed(&token.lower))
}

/// Whether a name is another one without its accents.
pub(super) fn is_plain_form(plain: &str, accented: &str) -> bool {
    plain.is_ascii() && !accented.is_ascii() && same(plain, &without_accents(accented))
}

/// Whether a name is an identifier of which only the number is said: "2207" of "INC-2207".
pub(super) fn is_number_of(name: &str, number: &str) -> bool {
    let is_number = number.len() >= NUMBER_DIGITS && number.bytes().all(|byte| byte.is_ascii_digit());
    let prefix = name.strip_suffix(number).filter(|_| is_number);
    prefix.is_some_and(|prefix| prefix.ends_with(['-', '#', '_']) && !prefix.contains(' '))
}

fn within(short: &[String], long: &[String]) -> bool {
    !short.is_empty() && long.windows(short.len()).any(|window| window == short)
}

/// The byte range of these tokens, including a closing bracket after them.
pub(super) fn name_bytes(said: &Said, run: &Range<usize>) -> Range<usize> {
    let bytes = said.bytes_of(run);
    let opens = said.text[bytes.clone()].matches('(').count() > said.text[bytes.clone()].matches(')').count();
    let closes = said.text[bytes.end..].starts_with(')');
    bytes.start..bytes.end + usize::from(opens && closes)
}

/// Leaves names that are written in full as they are: "Project" of "Project Yak" does not stand for another project, even if
/// "Yak" is known by itself. If nothing in such a name is known in full, all of it is one unknown name.
fn in_full(said: &Said, mut found: Vec<Named>) -> Vec<Named> {
    for run in written_names(said, &found) {
        let is_inside = |named: &Named| run.start <= named.tokens.start && named.tokens.end <= run.end;
        let is_known = |named: &Named| {
            let written = &said.text[named.bytes.clone()];
            named.kind == NameKind::Whole && matches!(&named.options[..], [one] if same(&one.name, written))
        };
        let is_guess = |named: &Named| {
            is_inside(named)
                && named.tokens.len() < run.len()
                && named.kind != NameKind::Unknown
                && !is_known(named)
        };
        if !found.iter().any(is_guess) {
            continue;
        }
        if found.iter().any(|named| is_inside(named) && is_known(named)) {
            found.retain(|named| !is_guess(named));
            continue;
        }
        found.retain(|named| !is_inside(named));
        let bytes = said.bytes_of(&run);
        found.push(Named { bytes, tokens: run, kind: NameKind::Unknown, options: Vec::new() });
    }
    found.sort_by_key(|named| named.bytes.start);
    found
}

/// Runs of two or more words that are written like a name. A question whose words are all written so has none.
fn written_names(said: &Said, found: &[Named]) -> Vec<Range<usize>> {
    let is_dated =
        |at: usize| found.iter().any(|named| named.kind == NameKind::Date && named.tokens.contains(&at));
    let is_name = |at: usize| {
        let token = &said.tokens[at];
        let opens =
            token.is_first && (is_closed(&token.lower) || is_request(&token.lower) || is_verb(&token.lower));
        let written = &said.text[token.range.clone()];
        let is_figure = written.bytes().all(|byte| byte.is_ascii_digit()) || is_period(written);
        token.is_marked
            && !(token.is_joined || token.is_asking || opens || is_figure || is_dated(at))
            && !is_first_or_second(&token.lower)
    };
    let mut names = Vec::new();
    let mut at = 0;
    while at < said.tokens.len() {
        let start = at;
        let joins = |at: usize| said.tokens[at].parted.is_none() && !said.tokens[at].is_first;
        while at < said.tokens.len() && is_name(at) && (at == start || joins(at)) {
            at += 1;
        }
        if at - start > 1 && at - start <= NAME_WORDS_MAX {
            names.push(start..at);
        }
        at = at.max(start + 1);
    }
    let is_plain = |token: &Token| !token.is_marked && !token.is_joined;
    if said.tokens.iter().any(is_plain) { names } else { Vec::new() }
}

/// Word sequences that may be full names, longest first.
fn runs(said: &Said) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let count = said.tokens.len();
    for length in (1..=NAME_WORDS_MAX.min(count)).rev() {
        for start in 0..=count - length {
            let run = &said.tokens[start..start + length];
            let (first, last) = (&run[0], &run[length - 1]);
            let says_nothing = |token: &Token| {
                is_first_or_second(&token.lower)
                    || is_closed(&token.lower) && (!token.is_marked || length == 1)
            };
            let breaks =
                run[1..].iter().any(|token| token.is_first) || run.iter().any(|token| token.is_asking);
            if !(first.is_joined || last.is_joined || breaks || says_nothing(first) || says_nothing(last)) {
                runs.push(start..start + length);
            }
        }
    }
    runs
}

/// Word sequences that may be partial names, outside of full names: consecutive words written like names, then pairs
/// of words, then single words.
fn parts(said: &Said, found: &[Named]) -> Vec<Range<usize>> {
    let is_taken = |at: usize| found.iter().any(|named| named.tokens.contains(&at));
    let is_content = |at: usize| {
        let token = &said.tokens[at];
        !is_taken(at)
            && !token.is_joined
            && !token.is_asking
            && !is_first_or_second(&token.lower)
            && !(is_closed(&token.lower) && (!token.is_marked || token.is_first))
    };
    let is_marked = |at: usize| said.tokens[at].is_marked && !(said.tokens[at].is_first && at == 0);
    let joins = |at: usize| said.tokens[at].parted.is_none() && !said.tokens[at].is_first;
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < said.tokens.len() {
        let start = at;
        while at < said.tokens.len() && is_content(at) && is_marked(at) && (at == start || joins(at)) {
            at += 1;
        }
        if at > start {
            parts.push(start..at);
        } else {
            at += 1;
        }
    }
    for start in 0..said.tokens.len() {
        if is_content(start) && start + 1 < said.tokens.len() && is_content(start + 1) && joins(start + 1) {
            parts.push(start..start + 2);
        }
    }
    parts.extend((0..said.tokens.len()).filter(|at| is_content(*at)).map(|at| at..at + 1));
    let mut seen: Vec<Range<usize>> = Vec::new();
    parts.retain(|part| {
        let is_new = !seen.contains(part);
        seen.push(part.clone());
        is_new
    });
    parts.truncate(PARTS_MAX);
    parts
}
