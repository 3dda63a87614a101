//! Relative clauses: what they say of a thing becomes a sentence of its own.

use quiver_language::Class;

use super::{
    apart::{commas, is_name, is_predicate, last_object, starts_clause, without_article},
    clause,
    token::tokens,
};

/// "The form, which Ada keeps, feeds the ledger" and "We use Kafka, which runs in Oslo".
pub(super) fn relative(sentence: &str) -> Option<Vec<String>> {
    [", which ", ", who ", ", whose "].into_iter().find_map(|joint| {
        let (before, after) = sentence.split_once(joint)?;
        let of = |who: &str, relative: &str| match joint {
            ", whose " => format!("{who}'s {relative}"),
            _ if is_predicate(relative) => format!("{who} {relative}"),
            _ => format!("{relative} {}", without_article(who)),
        };
        let says = |relative: &str| {
            is_predicate(relative) || starts_clause(relative) || starts_clause(&format!("{relative} it"))
        };
        if is_name(before) {
            return commas(after).into_iter().find_map(|at| {
                let (relative, does) = (&after[..at], after[at + 1..].trim_start());
                (is_predicate(does) && says(relative))
                    .then(|| vec![format!("{before} {does}"), of(before, relative)])
            });
        }
        let what = last_object(before).filter(|_| says(after))?;
        Some(vec![before.to_owned(), of(&what, after)])
    })
}

/// "The map, on which it relies, is late" and "They are kept for a year, after which they are deleted".
pub(super) fn led_relative(sentence: &str) -> Option<Vec<String>> {
    commas(sentence).into_iter().find_map(|at| {
        let (before, after) = (&sentence[..at], &sentence[at + 2..]);
        let all = tokens(after);
        let (leads, which, first) = (all.first()?, all.get(1)?, all.get(2)?);
        if leads.class != Some(Class::Preposition) || !matches!(&*which.lower(), "which" | "whom") {
            return None;
        }
        let stop = commas(after).first().copied().filter(|stop| *stop > first.start);
        let bare = after.trim_end_matches(['.', '!']);
        let relative = after.get(first.start..stop.unwrap_or(bare.len()))?;
        let rest = stop.map_or("", |stop| &after[stop + 1..]);
        let what = if is_name(before) { Some(before.to_owned()) } else { last_object(before) }?;
        let said = format!("{relative} {} {what}", leads.lower());
        (starts_clause(relative) || starts_clause(&said)).then(|| vec![format!("{before}{rest}"), said])
    })
}

/// "The cache that feeds the shop runs on Redis", "the index that we use for search is Elastic", "Ada leads the team that
/// owns it".
pub(super) fn restricting(sentence: &str) -> Option<Vec<String>> {
    if let Some(one) = one_who(sentence) {
        return Some(vec![one]);
    }
    let all = tokens(sentence);
    let bare = (2..all.len())
        .find(|at| matches!(&*all[*at].lower(), "i" | "we" | "they" | "you" | "he" | "she"))
        .filter(|at| all[at - 1].class.is_none() && all[*at].start == all[at - 1].end + 1)
        .map(|at| (sentence[..all[at].start].trim_end(), &sentence[all[at].start..]))
        .filter(|(before, _)| is_name(before) && all[0].class == Some(Class::Determiner));
    let marked = [" that ", " which ", " who "].into_iter().filter_map(|joint| sentence.split_once(joint));
    marked.chain(bare).find_map(|(before, after)| {
        if before.ends_with(',') || tokens(before).last().is_none_or(|last| last.class.is_some()) {
            return None;
        }
        if !is_name(before) {
            let what = last_object(before).filter(|_| is_predicate(after))?;
            return Some(vec![before.to_owned(), format!("{what} {after}")]);
        }
        let all = tokens(after);
        let inner = is_predicate(after);
        (2..all.len()).find_map(|at| {
            let (relative, does) = (after[..all[at].start].trim_end(), &after[all[at].start..]);
            let joined = matches!(
                all[at - 1].class,
                Some(
                    Class::Determiner
                        | Class::Preposition
                        | Class::Conjunction
                        | Class::Auxiliary
                        | Class::Adverb
                )
            );
            if (joined && (inner || all[at - 1].class != Some(Class::Preposition))) || !is_predicate(does) {
                return None;
            }
            let said = if inner {
                clause::read_of("it", relative).filter(|clause| !clause.objects.is_empty())?;
                format!("{before} {relative}")
            } else {
                let relative = relative.trim_end_matches([',', ' ']);
                starts_clause(relative).then(|| format!("{relative} {}", without_article(before)))?
            };
            Some(vec![format!("{before} {does}"), said])
        })
    })
}

/// "The one who has the key is Bo" says that Bo has the key.
fn one_who(sentence: &str) -> Option<String> {
    let rest = ["The one who ", "the one who ", "The person who ", "the person who "]
        .into_iter()
        .find_map(|opening| sentence.strip_prefix(opening))?;
    let (does, who) = rest.split_once(" is ")?;
    is_predicate(does).then(|| format!("{} {does}.", who.trim_end_matches(['.', '!'])))
}
