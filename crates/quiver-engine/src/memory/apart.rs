//! Sentences taken apart: relative clauses, appositions, participles and lists become sentences that each say one thing, by
//! closed classes and commas alone.

use quiver_language::Class;

use super::{
    clause::{self, Clause},
    irregular,
    plain::pseudo_cleft,
    relative::{led_relative, relative, restricting},
    shape::Shape,
    token::{Token, tokens},
    verb,
};

/// How many words a part of a list may have.
const ITEM_WORDS_MAX: usize = 4;

/// The sentences that a sentence is made of, where there are several.
pub(super) fn apart(sentence: &str) -> Option<Vec<String>> {
    let rules = [
        bracketed,
        contrasted,
        told,
        embedded,
        clefts,
        relative,
        led_relative,
        restricting,
        apposition,
        reduced,
        participle,
        listed,
        renewal,
        gapping,
    ];
    rules.iter().find_map(|rule| rule(sentence))
}

/// Whether a part has a subject and a verb.
pub(super) fn starts_clause(part: &str) -> bool {
    clause::read(part).is_some_and(|clause| clause.subject.is_some())
}

/// Whether a part begins with a verb that something before it can be the subject of.
pub(super) fn is_predicate(part: &str) -> bool {
    let all = tokens(part);
    let Some(at) = all.iter().position(|token| token.class != Some(Class::Adverb)) else { return false };
    let (first, next) = (&all[at], all.get(at + 1));
    let lower = first.lower();
    let verbal = first.class == Some(Class::Auxiliary)
        || first.class.is_none()
            && first.is_ordinary()
            && !first.is_capital()
            && next.is_none_or(|next| next.class != Some(Class::Auxiliary))
            && (verb::is_past(&lower) || verb::is_third_person(&lower) || irregular::is_verb_form(&lower));
    verbal
        && clause::read_of("it", part)
            .is_some_and(|clause| !clause.objects.is_empty() || first.class.is_none())
}

/// Whether a phrase is one that names something: no verb, no preposition before it.
pub(super) fn is_name(phrase: &str) -> bool {
    let all = tokens(phrase);
    let opens = all.first().is_some_and(|first| {
        !matches!(
            first.class,
            Some(Class::Preposition | Class::Adverb | Class::Conjunction | Class::Auxiliary | Class::Pronoun)
        ) && Shape::of(first.text) != Shape::Time
    });
    opens
        && all.len() <= 8
        && all.iter().any(|token| token.class.is_none())
        && all.iter().all(|token| !matches!(token.class, Some(Class::Auxiliary)))
        && !verb::is_marked(&all)
}

/// The noun phrase that a text ends in, where it says something of its own: the last thing after its verb.
pub(super) fn last_object(text: &str) -> Option<String> {
    let clause = clause::read(text)?;
    let ends = |object: &&String| text.trim_end().ends_with(object.as_str());
    let object = clause.objects.iter().map(|(_, object)| object).rfind(ends)?;
    (Shape::of(object) != Shape::Time).then(|| object.clone())
}

/// "The payment service (`PaySvc`) runs in Oslo": what is in brackets is another name for what stands before it.
fn bracketed(sentence: &str) -> Option<Vec<String>> {
    let (before, rest) = sentence.split_once(" (")?;
    let (inside, after) = rest.split_once(')')?;
    let first = tokens(inside).into_iter().next()?;
    let short =
        tokens(inside).len() <= ITEM_WORDS_MAX && clause::read(inside).is_none() && first.class.is_none();
    let what = if is_name(before) { Some(before.to_owned()) } else { last_object(before) }?;
    short.then(|| vec![format!("{before}{after}"), format!("{what} is {inside}")])
}

/// "The client, Mrs Ade, was charged" and "It is owned by Dana, our team lead".
fn apposition(sentence: &str) -> Option<Vec<String>> {
    let end = sentence.trim_end_matches(['.', '!']).len();
    commas(sentence).into_iter().find_map(|at| {
        let before = &sentence[..at];
        let after = &sentence[at + 1..end];
        let stop = commas(after).first().copied().unwrap_or(after.len());
        let (beside, rest) = (after[..stop].trim(), &after[stop..]);
        let next = rest.trim_start_matches([',', ' ']);
        // What has another name or an "and" after it is a list.
        let goes_on = matches!(tokens(next).first(), Some(first) if first.class == Some(Class::Conjunction));
        if beside.is_empty() || goes_on || is_listed(beside) || tokens(beside).len() > 7 {
            return None;
        }
        let is_subject = is_name(before);
        if is_subject && !is_predicate(next) {
            return None;
        }
        if !is_subject && !next.is_empty() && tokens(next).first()?.class != Some(Class::Preposition) {
            return None;
        }
        let words = tokens(before);
        let named =
            words.iter().rev().take_while(|token| token.is_capital() && token.class.is_none()).count();
        let described = matches!(
            &*tokens(beside).first()?.lower(),
            "a" | "an" | "the" | "our" | "their" | "its" | "my" | "his" | "her"
        ) && (is_name(beside) || calls(beside).is_some());
        let rest = rest.trim_start_matches(',');
        if described && (named > 0 || is_subject) {
            let name = if is_subject { before } else { &before[words[words.len() - named].start..] };
            return Some(vec![format!("{before}{rest}"), format!("{name} is {beside}")]);
        }
        // "The files, about nine of them, are lost."
        if is_subject && clause::read(beside).is_none() && !tokens(beside).iter().all(Token::is_capital) {
            let said = format!("{before}{rest}");
            let led = matches!(tokens(beside).first()?.class, Some(Class::Preposition | Class::Adverb));
            return Some(if led { vec![said] } else { vec![said, format!("{before} is {beside}")] });
        }
        let is_named =
            tokens(beside).iter().all(|token| token.is_capital() && Shape::of(token.text) == Shape::Name);
        let last = words.iter().rposition(|token| token.class == Some(Class::Determiner))?;
        // "The manager of the hotel, Ms Ade, agrees": of the manager, not of the hotel.
        let of = words[..last].iter().any(|token| token.class == Some(Class::Preposition));
        let from = if is_subject && of { 0 } else { last };
        let longest = if from == last { ITEM_WORDS_MAX } else { 2 * ITEM_WORDS_MAX };
        let role = &before[words[from].start..];
        if is_named && named == 0 && from + 1 < words.len() && words.len() - from <= longest {
            let said = format!("{}{beside}{rest}", &before[..words[from].start]);
            let named = format!("{role} is {beside}");
            // Whose it is, is to be found before the name is.
            let pointed =
                ["their ", "its ", "his ", "her "].iter().any(|own| role.to_lowercase().starts_with(own));
            return Some(if pointed { vec![named, said] } else { vec![said, named] });
        }
        None
    })
}

/// "The report written by Ana is due".
fn reduced(sentence: &str) -> Option<Vec<String>> {
    let all = tokens(sentence);
    let at = (1..all.len().saturating_sub(2)).find(|at| is_participle(&all[*at]))?;
    let led = all[at + 1].class == Some(Class::Preposition) && all[at - 1].class.is_none();
    let what = sentence[..all[at].start].trim_end();
    if !led || !is_name(what) {
        return None;
    }
    let stops = |token: &Token<'_>| {
        matches!(token.class, Some(Class::Conjunction | Class::Pronoun)) || token.lower() == "that"
    };
    let does = (at + 3..all.len()).find(|next| {
        all[*next].class == Some(Class::Auxiliary)
            && !sentence[all[next - 1].end..all[*next].start].contains(',')
    })?;
    if all[at..does].iter().any(stops) || sentence[all[at].start..all[does].start].contains([',', ';', ':']) {
        return None;
    }
    let (of, does) = (sentence[all[at].start..all[does].start].trim_end(), &sentence[all[does].start..]);
    is_predicate(does).then(|| vec![format!("{what} {does}"), format!("{what} is {of}")])
}

/// "It was build 12, shipped by Noor" and "The parser, written by Ana, is slow".
fn participle(sentence: &str) -> Option<Vec<String>> {
    commas(sentence).into_iter().find_map(|at| {
        let (before, after) = (&sentence[..at], sentence[at + 1..].trim_start());
        let all = tokens(after);
        let read = clause::read(before);
        let is_state =
            read.as_ref().is_some_and(|clause| clause.verb == "is" || clause.verb.starts_with("is "));
        let led = all.first().is_some_and(is_participle)
            && all.get(1).is_some_and(|next| {
                matches!(&*next.lower(), "by" | "as") || is_state && next.class == Some(Class::Preposition)
            });
        if !led {
            return None;
        }
        if is_name(before) {
            return commas(after).into_iter().find_map(|stop| {
                let does = after[stop + 1..].trim_start();
                is_predicate(does)
                    .then(|| vec![format!("{before} {does}"), format!("{before} is {}", &after[..stop])])
            });
        }
        let passive = read.as_ref().is_some_and(|clause| clause.verb.starts_with("is "));
        let what = last_object(before).filter(|_| !passive).or_else(|| read?.subject)?;
        Some(vec![before.to_owned(), format!("{what} is {after}")])
    })
}

/// "Billing, search and auth belong to Platform".
fn listed(sentence: &str) -> Option<Vec<String>> {
    let all = tokens(sentence);
    let verb = verb::find(&all)?;
    let start = all.get(verb.group.start)?.start;
    let (list, does) = (sentence[..start].trim_end(), &sentence[start..]);
    let first = all[verb.group.start].lower();
    // "Research and Development owns it": one name.
    let one = matches!(&*first, "is" | "was" | "has" | "does")
        || all[verb.group.start].class.is_none() && verb::is_third_person(&first);
    let items = items(list)?;
    let rest = &sentence[all[verb.group.start].end..];
    let singular = match &*first {
        "are" => "is".to_owned(),
        "were" => "was".to_owned(),
        "have" => "has".to_owned(),
        _ if all[verb.group.start].class.is_none()
            && !verb::is_past(&first)
            && irregular::base_form(&first).is_none() =>
        {
            format!("{first}s")
        }
        _ => first,
    };
    (!one && (is_predicate(does) || starts_clause(&format!("they {does}"))))
        .then(|| items.iter().map(|item| format!("{item} {singular}{rest}")).collect())
}

/// "Dana told me the vendor is Acme" says that the vendor is Acme.
fn told(sentence: &str) -> Option<Vec<String>> {
    let all = tokens(sentence);
    let at = (1..all.len().min(5)).find(|at| {
        matches!(
            &*all[*at].lower(),
            "told" | "tells" | "informed" | "reminded" | "said" | "says" | "wrote" | "writes"
        )
    })?;
    let whom = all.get(at + 1).is_some_and(|next| matches!(&*next.lower(), "me" | "us" | "you" | "them"));
    let rest = &sentence[all.get(at + 1 + usize::from(whom))?.start..];
    let says = rest.strip_prefix("that ").unwrap_or(rest);
    let marked = says.len() < rest.len() || clause::begins_with_auxiliary(says);
    let who = sentence[..all[at].end].to_owned();
    (starts_clause(says) && marked).then(|| vec![who, says.to_owned()])
}

/// "I'd like to record that the portal, which we promised, is late" says that the portal is: who speaks is known, and that he
/// says it.
fn embedded(sentence: &str) -> Option<Vec<String>> {
    let (before, after) = sentence.split_once(" that ")?;
    let own = before.rsplit(", ").next().unwrap_or(before);
    let all = tokens(own);
    let [.., leads, says] = all.as_slice() else { return None };
    let speaks = all.iter().any(|token| {
        let lower = token.lower();
        matches!(lower.split('\'').next().unwrap_or_default(), "i" | "we" | "you" | "it")
    });
    let led = matches!(leads.class, Some(Class::Auxiliary | Class::Pronoun | Class::Adverb))
        || leads.lower() == "to"
        || verb::is_contracted(&leads.lower());
    let verbal = says.class.is_none() && !says.is_capital() && led && speaks;
    (verbal && (starts_clause(after) || relative(after).is_some())).then(|| vec![after.to_owned()])
}

/// "I looked into it, and what fills it are old messages".
fn clefts(sentence: &str) -> Option<Vec<String>> {
    let (before, after) = sentence.split_once(" and what ")?;
    let cleft = pseudo_cleft(&format!("what {after}"))?;
    Some(vec![before.trim_end_matches(',').to_owned(), cleft])
}

/// "Instead of Jenkins we use Buildkite" and "It is not Friday but Monday".
fn contrasted(sentence: &str) -> Option<Vec<String>> {
    if let Some(rest) = sentence.strip_prefix("Instead of ").or_else(|| sentence.strip_prefix("Rather than "))
    {
        let all = tokens(rest);
        let subject = all
            .iter()
            .skip(1)
            .find(|token| matches!(&*token.lower(), "i" | "we" | "they" | "you" | "he" | "she" | "it"));
        let at = rest
            .find(", ")
            .map(|at| (at, at + 2))
            .or_else(|| subject.map(|token| (token.start, token.start)))?;
        let (left, says) = (rest[..at.0].trim_end(), rest[at.1..].trim_end_matches(['.', '!']));
        return starts_clause(says).then(|| vec![format!("{says} instead of {left}.")]);
    }
    let (before, after) = sentence.split_once(" but ")?;
    let clause = clause::read(before).filter(|clause| clause.negated && clause.objects.len() == 1)?;
    let is_value = clause::read(after).is_none() && tokens(after).len() <= ITEM_WORDS_MAX;
    let subject = clause.subject.filter(|_| is_value)?;
    let verb = match clause.verb.as_str() {
        "is" => "is".to_owned(),
        verb if verb.contains(' ') => return None,
        verb => format!("{verb}s"),
    };
    let leads = clause.objects.first().map(|(leads, _)| format!("{leads} ")).unwrap_or_default();
    let leads = if after.starts_with(leads.trim_start()) || leads == " " { String::new() } else { leads };
    Some(vec![before.to_owned(), format!("{subject} {verb} {leads}{after}")])
}

/// "The digest slips by two weeks, new date 23 June".
fn renewal(sentence: &str) -> Option<Vec<String>> {
    let (before, after) = sentence.rsplit_once(", ")?;
    let after = after.strip_prefix("the ").unwrap_or(after);
    let rest = after.strip_prefix("new ")?;
    let (role, value) = rest.split_once(' ')?;
    let value = value.trim_start_matches("is ");
    let subject = clause::read(before)?.subject?;
    (Shape::of(value) != Shape::Plain && tokens(role).len() == 1 && clause::read(after).is_none())
        .then(|| vec![before.to_owned(), format!("new {role} of {subject} is {value}")])
}

/// "A was made by Ada, and B by Bo".
fn gapping(sentence: &str) -> Option<Vec<String>> {
    [", and ", "; ", ", ", " and "].into_iter().find_map(|joint| {
        let (before, after) = sentence.rsplit_once(joint)?;
        let clause = clause::read(before).filter(|clause| clause.subject.is_some())?;
        let right = tokens(after);
        let at = right.iter().position(|token| token.class == Some(Class::Preposition)).filter(|at| *at > 0);
        if let Some(gap) = bare_gap(before, &clause, after) {
            return Some(gap);
        }
        let at = at?;
        let same = clause.objects.last().is_some_and(|(leads, _)| *leads == right[at].lower());
        let who = after[..right[at].start].trim_end();
        if !same || clause::read(after).is_some() || !is_name(who) || right.len() == at + 1 {
            return None;
        }
        let left = tokens(before);
        let group = verb::find(&left)?.group;
        let does = &before[left[group.start].start..left[group.end - 1].end];
        Some(vec![before.to_owned(), format!("{who} {does} {}", &after[right[at].start..])])
    })
}

/// "Alice owns the API, Bob the page".
fn bare_gap(before: &str, clause: &Clause, after: &str) -> Option<Vec<String>> {
    let right = tokens(after);
    let named = right.iter().take_while(|token| token.is_capital() && token.class.is_none()).count();
    let article = right.get(named).is_some_and(|next| matches!(&*next.lower(), "the" | "a" | "an"));
    let subject = clause.subject.as_deref()?;
    let names = |text: &str| tokens(text).iter().all(|token| token.is_capital() && token.class.is_none());
    let direct = clause.objects.last().is_some_and(|(leads, _)| leads.is_empty());
    let gap = named > 0 && article && direct && names(subject) && clause::read(after).is_none();
    gap.then(|| {
        let who = &after[..right[named - 1].end];
        vec![before.to_owned(), format!("{who} {} {}", clause.verb, &after[right[named].start..])]
    })
}

/// The parts of a list: "billing, search and auth", "Ito and Mbeki"; `None` where it is no list.
pub(super) fn items(list: &str) -> Option<Vec<&str>> {
    let (before, last) = list.rsplit_once(" and ")?;
    let mut items: Vec<&str> =
        before.split(", ").map(|item| item.trim_end_matches(',')).chain([last]).map(str::trim).collect();
    items.retain(|item| !item.is_empty());
    let all_capital = |item: &&&str| tokens(item).last().is_some_and(Token::is_capital);
    let capitals = items.iter().filter(all_capital).count();
    let articles = items.iter().filter(|item| item.to_lowercase().starts_with("the ")).count();
    let alike = items.len() > 2
        || capitals == items.len()
        || articles == items.len()
        || capitals == 0 && items.iter().all(|item| tokens(item).len() == 1);
    let fits = |item: &&str| {
        let words = tokens(item);
        !words.is_empty()
            && words.len() <= ITEM_WORDS_MAX
            && Shape::of(item) != Shape::Time
            && words.iter().any(|word| word.class.is_none())
            && words.iter().all(|word| matches!(word.class, None | Some(Class::Determiner)))
    };
    (items.len() > 1 && alike && items.iter().all(fits)).then_some(items)
}

/// What "a topic called raw-levels" is called.
pub(super) fn calls(phrase: &str) -> Option<(&str, &str)> {
    [" called ", " named ", " codenamed "].into_iter().find_map(|joint| phrase.split_once(joint))
}

fn is_listed(phrase: &str) -> bool {
    tokens(phrase).iter().any(|token| matches!(&*token.lower(), "and" | "or"))
}

fn is_participle(token: &Token<'_>) -> bool {
    let lower = token.lower();
    token.class.is_none()
        && !token.is_capital()
        && (verb::is_past(&lower) || irregular::base_form(&lower).is_some())
        && !matches!(&*lower, "based" | "compared" | "given")
}

pub(super) fn without_article(phrase: &str) -> &str {
    let lower = phrase.to_lowercase();
    let article = ["the ", "a ", "an "].into_iter().find(|article| lower.starts_with(article));
    article.map_or(phrase, |article| &phrase[article.len()..])
}

/// Where commas part a sentence; not those within numbers.
pub(super) fn commas(text: &str) -> Vec<usize> {
    text.match_indices(", ").map(|(at, _)| at).collect()
}
