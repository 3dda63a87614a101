//! Questions about two things: which of them is earlier, larger or American, and whether both are.

use std::{cmp::Ordering, ops::Range};

use quiver_language::{
    Language, MentionKind,
    answering::{self, Answering},
    date_role::DateRole,
    degree::compared,
    token,
};

use super::{
    candidate::{asked_role, key, role_of},
    form::{Asks, Role},
    lexicon,
    reading::{Reading, says},
};

/// The result of a comparison.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) text: String,
    /// The supporting pieces, the winner's first.
    pub(super) pieces: Vec<usize>,
    /// How directly the passages say it, from 0 to 1.
    pub(super) strength: f32,
    /// Whether it is yes or no.
    pub(super) is_closed: bool,
}

/// One of the two things: the page about it, and where the question names it.
struct Thing {
    page: usize,
    name: String,
    at: usize,
}

/// Compares two things, if the question names two and the passages say enough about both.
pub(super) fn compare(reading: &Reading) -> Option<Verdict> {
    let question = format!(" {} ", key(&reading.question));
    let is_either = reading.form.words.iter().any(|word| word.lower == "or");
    let is_closed = reading.form.asks == Asks::YesNo && !is_either;
    if !is_either && !is_closed {
        return None;
    }
    let things = things(reading, &question);
    let [one, other] = things.as_slice() else { return None };
    if is_closed { closed(reading, &question, one, other) } else { either(reading, &question, one, other) }
}

/// The pages whose subjects the question names, in the question's order.
fn things(reading: &Reading, question: &str) -> Vec<Thing> {
    let mut things: Vec<Thing> = Vec::new();
    for (page, known) in reading.pages.iter().enumerate() {
        let name = key(&known.subject);
        if name.len() < 2 {
            continue;
        }
        let Some(at) = question.find(&format!(" {name} ")) else { continue };
        // Prefer the longer of two overlapping names.
        let end = at + name.len();
        let overlaps = |thing: &Thing| at < thing.at + key(&thing.name).len() && thing.at < end;
        let is_longer = |thing: &Thing| key(&thing.name).len() >= name.len();
        if things.iter().any(|thing| overlaps(thing) && is_longer(thing)) {
            continue;
        }
        things.retain(|thing| !overlaps(thing));
        things.push(Thing { page, name: known.subject.clone(), at });
    }
    things.sort_by_key(|thing| thing.at);
    things
}

/// The page with the property to compare: that of the thing, or of the person in the relation that the
/// question names.
fn holder(reading: &Reading, thing: &Thing) -> (Option<usize>, Vec<usize>) {
    let Some(agent) = reading.form.words.iter().find(|word| answering::says(&word.lower, Answering::Agent))
    else {
        return (Some(thing.page), Vec::new());
    };
    let mut best: Option<(f32, String, usize)> = None;
    for (at, piece) in reading.pieces.iter().enumerate().filter(|(_, piece)| piece.source == thing.page) {
        let related = piece
            .words
            .iter()
            .filter(|word| word.is_form_of(agent) || word.groups & agent.groups != 0 && !word.is_function);
        for word in related {
            for named in piece.named.iter().filter(|named| named.kind == MentionKind::Name) {
                let is_after = named.range.start >= word.end;
                let gap = if is_after {
                    named.range.start - word.end
                } else {
                    word.start.saturating_sub(named.range.end)
                };
                let between = if is_after { &piece.unit.text[word.end..named.range.start] } else { "" };
                let by = if between.trim() == "by" { 3.0 } else { 0.0 };
                let exact = if word.is_form_of(agent) { 1.0 } else { 0.0 };
                let score = by + exact + if is_after { 0.5 } else { 0.0 } - gap as f32 / 20.0;
                if best.as_ref().is_none_or(|(known, _, _)| score > *known) {
                    best = Some((score, named.key.clone(), at));
                }
            }
        }
    }
    let Some((_, name, piece)) = best else { return (None, Vec::new()) };
    let page = reading.pages.iter().position(|page| {
        let subject = key(&page.subject);
        let name = key(&name);
        !subject.is_empty() && (subject == name || says(&subject, &name) || says(&name, &subject))
    });
    (page, vec![piece])
}

fn either(reading: &Reading, question: &str, one: &Thing, other: &Thing) -> Option<Verdict> {
    let found = [one, other].map(|thing| holder(reading, thing));
    let pages = [found[0].0?, found[1].0?];
    let (order, wanted, pieces, strength) =
        by_figure(reading, question, pages).or_else(|| by_words(reading, pages, [one, other]))?;
    let winner = match order {
        Ordering::Equal => return None,
        order if order == wanted => 0,
        _ => 1,
    };
    let mut on: Vec<usize> = vec![pieces[winner], pieces[1 - winner]];
    on.extend(found[winner].1.iter().chain(&found[1 - winner].1));
    Some(Verdict { text: [one, other][winner].name.clone(), pieces: on, strength, is_closed: false })
}

/// Compares dates or amounts.
fn by_figure(
    reading: &Reading,
    question: &str,
    pages: [usize; 2],
) -> Option<(Ordering, Ordering, [usize; 2], f32)> {
    let has = |list: &[&str]| list.iter().any(|word| question.contains(&format!(" {word} ")));
    let degrees = || question.split(' ').filter_map(compared);
    let asks = |is_time: bool, is_high: bool| {
        degrees().any(|degree| degree.is_time == is_time && degree.is_high == is_high)
    };
    let (early, late) = (asks(true, false), asks(true, true));
    if has(&["longer"]) && has(&["lived", "live"]) {
        let [one, other] = pages.map(|page| lifetime(reading, page));
        let ((one, at_one), (other, at_other)) = (one?, other?);
        return Some((one.cmp(&other), Ordering::Greater, [at_one, at_other], 1.0));
    }
    if early || late {
        let role = asked_role(reading);
        let [one, other] = pages.map(|page| dated(reading, page, role));
        let ((one, at_one, sure_one), (other, at_other, sure_other)) = (one?, other?);
        let parts = one.iter().zip(&other).take_while(|(one, other)| **one > 0 && **other > 0);
        let order = parts.fold(Ordering::Equal, |order, (one, other)| order.then(one.cmp(other)));
        let wanted = if early { Ordering::Less } else { Ordering::Greater };
        return Some((order, wanted, [at_one, at_other], f32::midpoint(sure_one, sure_other)));
    }
    let (more, less) = (asks(false, true), asks(false, false));
    if !more && !less {
        return None;
    }
    let [one, other] = pages.map(|page| amount(reading, page));
    let ((one, unit_one, at_one), (other, unit_other, at_other)) = (one?, other?);
    if unit_one != unit_other {
        return None;
    }
    let wanted = if more { Ordering::Greater } else { Ordering::Less };
    Some((one.partial_cmp(&other)?, wanted, [at_one, at_other], 0.7))
}

/// The date on a page for this event, or the page's first date.
fn dated(reading: &Reading, page: usize, role: Option<DateRole>) -> Option<([u32; 3], usize, f32)> {
    let mut first = None;
    for (at, piece) in reading.pieces.iter().enumerate().filter(|(_, piece)| piece.source == page) {
        for named in piece.named.iter().filter(|named| named.kind == MentionKind::Date) {
            let Some(date) = date(&piece.unit.text[named.range.clone()]) else { continue };
            let known = role_of(&piece.unit.text, &named.range);
            if role.is_some() && known == role {
                return Some((date, at, 1.0));
            }
            let conflicts = role.is_some() && known.is_some();
            if first.is_none() && !conflicts {
                first = Some((date, at, if role.is_none() { 0.8 } else { 0.4 }));
            }
        }
    }
    first
}

fn lifetime(reading: &Reading, page: usize) -> Option<(i64, usize)> {
    let (birth, _, sure) = dated(reading, page, Some(DateRole::Birth))?;
    let (death, at, sure_death) = dated(reading, page, Some(DateRole::Death))?;
    let days = |[year, month, day]: [u32; 3]| i64::from(year) * 372 + i64::from(month) * 31 + i64::from(day);
    (sure + sure_death > 1.9 && death[0] > birth[0]).then(|| (days(death) - days(birth), at))
}

/// Year, month and day; 0 for missing parts.
pub(super) fn date(text: &str) -> Option<[u32; 3]> {
    let mut date = [0; 3];
    for word in token::words(text) {
        let digits = word.trim_end_matches(char::is_alphabetic);
        match (digits.parse::<u32>(), Language::English.month(&word.to_lowercase())) {
            (_, Some(month)) => date[1] = month.into(),
            (Ok(day @ 1..=31), None) if digits.len() <= 2 => date[2] = day,
            (Ok(year), None) if digits.len() >= 3 => date[0] = year,
            _ => {}
        }
    }
    (date[0] > 0).then_some(date)
}

/// The amount on a page, from the sentence that covers most of the question.
fn amount(reading: &Reading, page: usize) -> Option<(f64, String, usize)> {
    let mut best: Option<(f32, f64, String, usize)> = None;
    for (at, piece) in reading.pieces.iter().enumerate().filter(|(_, piece)| piece.source == page) {
        let said =
            reading.share(piece.said, |wanted| matches!(wanted.role, Role::Kind | Role::Outer | Role::Inner));
        for named in piece.named.iter().filter(|named| named.kind == MentionKind::Quantity) {
            let text = &piece.unit.text[named.range.clone()];
            let Some(end) = text.find(|c: char| !(c.is_ascii_digit() || ",. ".contains(c))) else { continue };
            let Ok(amount) = text[..end].replace([',', ' '], "").parse::<f64>() else { continue };
            if said > 0.0 && best.as_ref().is_none_or(|(known, ..)| said > *known) {
                best = Some((said, amount, text[end..].trim().to_lowercase(), at));
            }
        }
    }
    best.map(|(_, amount, unit, at)| (amount, unit, at))
}

/// Compares by which page contains more of the question's words: "which singer is American".
fn by_words(
    reading: &Reading,
    pages: [usize; 2],
    things: [&Thing; 2],
) -> Option<(Ordering, Ordering, [usize; 2], f32)> {
    let countries: Vec<&str> = reading
        .form
        .words
        .iter()
        .filter(|word| word.is_capital)
        .filter_map(|word| lexicon::country(&word.lower))
        .collect();
    let names: Vec<String> = things.iter().map(|thing| key(&thing.name)).collect();
    let best = pages.map(|page| {
        reading
            .pieces
            .iter()
            .enumerate()
            .filter(|(_, piece)| piece.source == page)
            .map(|(at, piece)| {
                let said = reading.share(piece.said, |wanted| {
                    let word = &reading.form.words[wanted.word].lower;
                    !names.iter().any(|name| says(name, word))
                });
                let of_country = !countries.is_empty()
                    && piece.place < 2
                    && piece.words.iter().any(|word| {
                        lexicon::country(&word.lower).is_some_and(|country| countries.contains(&country))
                    });
                (said + if of_country { 0.5 } else { 0.0 }, at)
            })
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    });
    let [Some((one, at_one)), Some((other, at_other))] = best else { return None };
    let apart = (one - other).abs();
    (apart > 0.15).then_some((
        one.total_cmp(&other),
        Ordering::Greater,
        [at_one, at_other],
        apart.min(1.0) * 0.6,
    ))
}

/// Whether both things are the same, or both have a property.
fn closed(reading: &Reading, question: &str, one: &Thing, other: &Thing) -> Option<Verdict> {
    let has = |list: &[&str]| reading.form.words.iter().any(|word| list.contains(&word.lower.as_str()));
    let found = [one, other].map(|thing| holder(reading, thing));
    let is_same = has(&["same", "share", "shared", "alike", "common"]);
    let of_country = has(&["country", "nationality", "nation", "nationalities", "countries"]);
    if is_same && of_country {
        let countries: [Vec<(&str, usize)>; 2] = [0, 1].map(|at| {
            let mut known = found[at].0.map(|page| countries(reading, page)).unwrap_or_default();
            if known.is_empty() {
                known = countries(reading, [one, other][at].page);
            }
            known
        });
        let [(first, at_first), (second, at_second)] = [countries[0].first()?, countries[1].first()?];
        let shares = countries[0].iter().any(|(known, _)| countries[1].iter().any(|(also, _)| known == also));
        let strength = if found.iter().all(|(page, _)| page.is_some()) { 1.0 } else { 0.5 };
        let strength = if shares && first != second { strength * 0.6 } else { strength };
        let text = if shares { "yes" } else { "no" };
        return Some(Verdict {
            text: text.to_owned(),
            pieces: vec![*at_first, *at_second],
            strength,
            is_closed: true,
        });
    }
    let pages = [found[0].0?, found[1].0?];
    let names = [key(&one.name), key(&other.name)];
    let counts = |word: &str| !names.iter().any(|name| says(name, word)) && !matches!(word, "both" | "same");
    let countries_asked: Vec<&str> = reading
        .form
        .words
        .iter()
        .filter(|word| word.is_capital && counts(&word.lower))
        .filter_map(|word| lexicon::country(&word.lower))
        .collect();
    // "Are Ada and Grace mathematicians?" asks about both, but "must the gate be shut when the mill runs?" does not.
    let between = &question[one.at + 1 + names[0].len()..=other.at];
    // Signs are left out of the question: "Ada & Grace".
    let is_about_both =
        between.trim().is_empty() || between.contains(" and ") || between.contains(" as well as ");
    if is_same || !is_about_both {
        return None;
    }
    let sides = pages.map(|page| {
        let all =
            reading.pieces.iter().enumerate().filter(|(_, piece)| piece.source == page && piece.place < 3);
        all.map(|(at, piece)| {
            let said =
                reading.share(piece.with_context, |wanted| counts(&reading.form.words[wanted.word].lower));
            let country = countries_asked.is_empty()
                || piece.words.iter().any(|word| {
                    lexicon::country(&word.lower).is_some_and(|known| countries_asked.contains(&known))
                });
            (
                if country {
                    said.max(if countries_asked.is_empty() { 0.0 } else { 0.6 })
                } else {
                    said * 0.5
                },
                at,
            )
        })
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    });
    let [Some((first, at_first)), Some((second, at_second))] = sides else { return None };
    let least = first.min(second);
    let (text, strength) = if least > 0.55 { ("yes", least) } else { ("no", 1.0 - least) };
    Some(Verdict {
        text: text.to_owned(),
        pieces: vec![at_first, at_second],
        strength: strength * 0.6,
        is_closed: true,
    })
}

/// The countries in the first sentences of a page, in order.
fn countries(reading: &Reading, page: usize) -> Vec<(&'static str, usize)> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for (at, piece) in
        reading.pieces.iter().enumerate().filter(|(_, piece)| piece.source == page && piece.place < 3)
    {
        let (text, words) = (&piece.unit.text, &piece.words);
        for start in 0..words.len() {
            for length in (1..=4.min(words.len() - start)).rev() {
                let span: Range<usize> = words[start].start..words[start + length - 1].end;
                let known = lexicon::country(&text[span]).filter(|_| words[start].is_capital);
                if let Some(country) = known {
                    if !found.iter().any(|(known, _)| *known == country) {
                        found.push((country, at));
                    }
                    break;
                }
            }
        }
    }
    found.truncate(3);
    found
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;
    use serde_json::Map;

    use super::*;
    use crate::reading::{Even, Source};

    #[test]
    fn the_longest_name_takes_the_place_of_all_that_it_contains() {
        let metadata = Map::default();
        let source = |title| Source {
            title: Some(title),
            text: "It is an island in the sea.",
            score: 1.0,
            steps: 0,
            metadata: &metadata,
            said_by: None,
        };
        let sources = ["Vatland", "Weirland", "Vatland and Weirland"].map(source);
        let asked = "Is Vatland and Weirland an island?";
        let reading = Reading::of(&Lexical::new(), asked, &Even, &sources);
        let named: Vec<String> = things(&reading, &format!(" {} ", key(&reading.question)))
            .into_iter()
            .map(|thing| thing.name)
            .collect();
        assert_eq!(named, ["Vatland and Weirland"]);
        assert!(compare(&reading).is_none());
    }
}
