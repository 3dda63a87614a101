//! Drops chains of facts that do not answer the question: they state another relation ("Who bought the
//! mill?", "Carl owns the mill"), are about another thing ("the white bread", "the rye bread"), or end in a
//! value of another kind ("When …?", "Nell").

use std::sync::Arc;

use quiver_language::{
    Class, Language,
    predicate::{self, Predicate},
    recall::{self, Recall},
    role::is_privative,
    word::verbs,
};
use quiver_memory::relation::base;

use super::{
    agreement::Agreement,
    asked::{Asked, AskedTerm},
    direction::is_typed,
    end::End,
    known::MemoryFact,
    lexicon::Wanted,
    rank::Chain,
    resolve::has_holder,
    shape::{Shape, is_identifier},
    slot::Slot,
    words::{Word, agreement},
};

/// Minimum agreement of a question word with a fact that contains it.
const SAID: f32 = 0.5;

/// Minimum agreement of the question's verb with an equal predicate.
const VERB_SAID: f32 = 0.8;

/// Maximum number of words besides the verb in a question that only names its subject.
const NAMED_MAX: usize = 2;

/// Maximum number of qualifying words in brackets after a name.
const QUALIFIERS_MAX: usize = 3;

/// The facts that chains are made of, with their agreements with the question.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) facts: &'a [MemoryFact],
    pub(super) agreements: &'a [Agreement],
}

/// The chains that may answer the question. If the best chain may not, only a single fact that covers the
/// whole question may.
pub(super) fn without(asked: &Asked, pool: Facts<'_>, mut chains: Vec<Chain>) -> Vec<Chain> {
    // A fact read from text must not answer "where" with a date or "when" with a thing.
    chains.retain(|chain| is_of_kind(asked, pool, chain) || !is_read(pool, chain));
    chains.retain(|chain| !is_asking_pronoun(asked, pool, chain));
    let slot = Slot::of(asked);
    chains.retain(|chain| {
        let last = chain.facts.last().copied().filter(|last| pool.facts[*last].is_found());
        last.is_none_or(|last| slot.is_filled_by(&pool.facts[last], &pool.agreements[last], chain.end))
    });
    if asked.is_polar || is_compound(asked) {
        return chains;
    }
    let verb = verb(asked);
    let may_answer = |chain: &Chain| {
        !is_of_other_relation(asked, pool, chain, verb)
            && !is_detour(asked, pool, chain, verb)
            && !is_of_other_thing(asked, pool, chain, verb)
            && (is_typed(chain) || is_of_kind(asked, pool, chain))
    };
    if chains.first().is_some_and(|best| !may_answer(best)) {
        chains.retain(|chain| chain.facts.len() == 1 && may_answer(chain) && is_complete(asked, pool, chain));
    }
    chains
}

/// The distinguishing words of the question that the facts of a chain lack: "team" of "Mercury (team)",
/// "North" of the "North Harbour Bridge" that other facts are about.
pub(super) fn told_apart(asked: &Asked, pool: Facts<'_>, chain: &Chain) -> Vec<String> {
    let mut missing: Vec<String> = qualified(asked)
        .into_iter()
        .filter(|(name, qualifiers)| !says_qualified(asked, pool, chain, *name, qualifiers))
        .flat_map(|(_, qualifiers)| qualifiers)
        .map(|at| asked.said[at].lower.to_string())
        .collect();
    missing.extend(of_longer_name(asked, pool, chain));
    missing
}

/// Names qualified by words in brackets: the index of the last word of the name, and the indexes of the words
/// in brackets. Expansions of acronyms and longer remarks do not qualify a name.
fn qualified(asked: &Asked) -> Vec<(usize, Vec<usize>)> {
    let words = &asked.said;
    let opened = asked.text.match_indices('(').filter_map(|(open, _)| {
        let close = open + asked.text[open..].find(')')?;
        let name = words.iter().rposition(|word| word.end <= open)?;
        let is_behind = asked.text[words[name].end..open].trim().is_empty();
        let inside: Vec<usize> =
            (0..words.len()).filter(|at| open < words[*at].start && words[*at].end <= close).collect();
        let is_acronym = asked.text[words[name].start..words[name].end].chars().all(char::is_uppercase);
        let is_content =
            (1..=QUALIFIERS_MAX).contains(&inside.len()) && inside.iter().all(|at| !words[*at].is_stop);
        (is_behind && words[name].is_name && !is_acronym && is_content).then_some((name, inside))
    });
    opened.collect()
}

/// Whether a fact of a chain contains a name together with its qualifiers.
fn says_qualified(asked: &Asked, pool: Facts<'_>, chain: &Chain, name: usize, qualifiers: &[usize]) -> bool {
    let term = |at: usize| asked.terms.iter().position(|term| term.words[0].stem == asked.said[at].stem);
    let terms: Vec<usize> = qualifiers.iter().copied().chain([name]).filter_map(term).collect();
    chain.facts.iter().any(|fact| {
        let says = &pool.agreements[*fact];
        [&says.subject, &says.object].into_iter().any(|end| terms.iter().all(|term| end[*term] >= SAID))
    })
}

/// The first word of a name in the question, if some facts are about the thing with the full name but the
/// chain is about another thing with the rest of it.
fn of_longer_name(asked: &Asked, pool: Facts<'_>, chain: &Chain) -> Option<String> {
    let ends = |fact: &MemoryFact| {
        let words = Arc::clone(&fact.words);
        [(words.subject.clone(), words.subject_bare), (words.object.clone(), words.object_bare)]
    };
    let stems = |words: &[Word]| words.iter().map(|word| word.stem).collect::<Vec<_>>();
    let said = stems(&asked.said);
    let is_said = |name: &[u32]| said.windows(name.len()).any(|run| run == name);
    let of_chain: Vec<_> = chain.facts.iter().flat_map(|fact| ends(&pool.facts[*fact])).collect();
    let shorter = of_chain.iter().filter(|(words, _)| words.len() > 1).map(|(words, _)| stems(words));
    let shorter: Vec<Vec<u32>> = shorter.filter(|name| is_said(name)).collect();
    if shorter.is_empty() {
        return None;
    }
    pool.facts.iter().filter(|fact| !fact.is_merge()).flat_map(ends).find_map(|(words, node)| {
        let longer = stems(&words);
        let is_of_chain = of_chain.iter().any(|(_, other)| *other == node);
        let is_longer =
            words.len() > 2 && words[0].is_name && shorter.iter().any(|name| **name == longer[1..]);
        (is_longer && !is_of_chain && is_said(&longer)).then(|| words[0].lower.to_string())
    })
}

/// Whether a question has more than one clause, or identifies one thing by another: "who owns what Billing
/// depends on", "Noor's story". Each of the joined facts covers only part of such a question.
pub(super) fn is_compound(asked: &Asked) -> bool {
    let joins = |word: &Word| {
        matches!(
            &*word.lower,
            "that" | "which" | "who" | "whom" | "whose" | "what" | "whoever" | "whatever" | "where"
        )
    };
    let goes_on = asked.said.windows(2).any(|pair| {
        &*pair[0].lower == "to" && is_verb(&asked.text, &pair[1]) && !is_inflected(&asked.text, &pair[1])
    });
    let is_owned = asked.text.contains("'s ") || asked.text.contains("’s ");
    asked.is_nested || goes_on || is_owned || asked.said.iter().filter(|word| joins(word)).count() > 1
}

/// Whether the facts of a chain cover every term of the question, except for the kind of the answer.
fn is_complete(asked: &Asked, pool: Facts<'_>, chain: &Chain) -> bool {
    let is_said = |term: usize| chain.facts.iter().any(|fact| pool.agreements[*fact].best(term) >= SAID);
    (0..asked.terms.len()).all(|term| asked.terms[term].is_kind || is_said(term))
}

/// The term that is the verb of the question.
pub(super) fn verb(asked: &Asked) -> Option<usize> {
    let words = &asked.said;
    let lower = |at: usize| words.get(at).map_or("", |word| &*word.lower);
    let question = words.iter().take(4).position(|word| {
        matches!(&*word.lower, "who" | "whom" | "what" | "which" | "where" | "when" | "how" | "why")
    })?;
    let is_verb = |at: usize| !words[at].is_name && !words[at].is_stop && is_verb(&asked.text, &words[at]);
    let after = question + 1..words.len();
    let auxiliary = after.clone().find(|at| {
        matches!(
            lower(*at),
            "do" | "does" | "did" | "be" | "is" | "are" | "was" | "were" | "has" | "have" | "had" | "will"
        )
    });
    let at = match auxiliary {
        Some(auxiliary) if matches!(lower(auxiliary), "do" | "does" | "did") => {
            (auxiliary + 1..words.len()).rev().find(|at| is_verb(*at))
        }
        // "Where will she present the results?"
        Some(auxiliary) if lower(auxiliary) == "will" => {
            (auxiliary + 1..words.len()).find(|at| is_verb(*at) && !is_inflected(&asked.text, &words[*at]))
        }
        // "Where was it built?", but not "Who is the owner of the mill?"
        Some(auxiliary) => (auxiliary + 1..words.len())
            .rev()
            .find(|at| is_verb(*at) && is_inflected(&asked.text, &words[*at])),
        None => after.clone().find(|at| {
            let is_first = *at == question + 1;
            // "Who milks the goats?" An unknown verb is accepted in the position of the verb.
            let is_third = is_first && lower(question) == "who" && !words[*at].is_stop;
            is_third || is_verb(*at) && (is_first || is_inflected(&asked.text, &words[*at]))
        }),
    }?;
    // "Looks after" means something other than "looks", and "goes live" something other than "lives".
    let is_after_light = verbs(lower(at - 1)).any(is_light_verb) && !words[at - 1].is_stop;
    if is_after_light
        || matches!(
            lower(at + 1),
            "after" | "out" | "off" | "up" | "down" | "over" | "away" | "back" | "on" | "through" | "with"
        )
    {
        return None;
    }
    let is_itself_light = verbs(&words[at].lower).any(is_light_verb);
    let term = asked.terms.iter().position(|term| term.words[0].stem == words[at].stem);
    term.filter(|term| !is_itself_light && !asked.terms[*term].is_name)
}

/// Whether a word of a text is a form of a known verb.
fn is_verb(text: &str, word: &Word) -> bool {
    let written = text.get(word.start..word.end).unwrap_or_default();
    written.starts_with(|c: char| c.is_lowercase()) && lemmas(&written.to_lowercase()).next().is_some()
}

/// Whether a word is a form of a verb that is not its base form.
fn is_inflected(text: &str, word: &Word) -> bool {
    let written = text.get(word.start..word.end).unwrap_or_default().to_lowercase();
    lemmas(&written).all(|verb| verb != written)
}

/// Whether a verb in base form has little meaning of its own, so that a fact may paraphrase it.
pub(super) fn is_light_verb(verb: &str) -> bool {
    predicate::says(verb, Predicate::Light)
}

fn lemmas(word: &str) -> impl Iterator<Item = &'static str> {
    verbs(word).chain(base(word))
}

/// Whether no fact of a chain contains the question's verb and the last fact has another one.
fn is_of_other_relation(asked: &Asked, pool: Facts<'_>, chain: &Chain, verb: Option<usize>) -> bool {
    // "Who is the sister of Henrik?" The noun states the relation.
    let noun = asked.attribute.filter(|_| asked.wanted == Some(Wanted::Person));
    if let Some(noun) = noun {
        return chain.facts.iter().all(|fact| pool.agreements[*fact].best(noun) < SAID);
    }
    let Some(verb) = verb else { return false };
    // "Which discount was promised?" A fact about a discount may use other words.
    let says_kind = asked.terms.iter().enumerate().any(|(at, term)| {
        term.is_kind && chain.facts.iter().any(|fact| pool.agreements[*fact].best(at) >= SAID)
    });
    if says_kind {
        return false;
    }
    let last = chain.facts.last().is_some_and(|last| {
        has_other_verb(&pool.facts[*last], &asked.terms[verb])
            || has_other_noun(&pool.facts[*last], &pool.agreements[*last])
    });
    last && chain.facts.iter().all(|fact| pool.agreements[*fact].itself(verb) < SAID)
}

/// Whether the predicate of a fact contains another verb.
fn has_other_verb(fact: &MemoryFact, asked: &AskedTerm) -> bool {
    let predicate = &fact.words.predicate;
    let is_passive = predicate.len() > 2 && predicate[0].is_stop;
    let is_telling = |word: &&Word| {
        let is_unknown = lemmas(&word.lower).next().is_none();
        let looks_like_verb = word.lower.ends_with('s') || word.lower.ends_with("ed") || is_passive;
        is_unknown && looks_like_verb || lemmas(&word.lower).any(|verb| !is_light_verb(verb))
    };
    let mut own = predicate.iter().filter(|word| !word.is_stop).filter(is_telling).peekable();
    own.peek().is_some() && own.all(|word| agreement(&asked.words[0], word) < SAID)
}

/// Whether a fact states with a noun that is not in the question what its subject has: "Mo has brother Tom"
/// for "Where does Mo live?"
fn has_other_noun(fact: &MemoryFact, says: &Agreement) -> bool {
    fact.relation.predicate.starts_with("has ") && says.predicate.iter().all(|says| *says < SAID)
}

/// Whether a chain reaches its answer through a fact that the question does not ask for: "Who owns the
/// gateway?", "The gateway calls the ledger", "Team Birch owns the ledger".
fn is_detour(asked: &Asked, pool: Facts<'_>, chain: &Chain, verb: Option<usize>) -> bool {
    let (Some((last, before)), Some(verb)) = (chain.facts.split_last(), verb) else { return false };
    let named = asked.terms.iter().enumerate().filter(|(at, term)| *at != verb && !term.is_kind).count();
    if named > NAMED_MAX {
        return false;
    }
    let is_asked = |fact: &usize| {
        let says = &pool.agreements[*fact].predicate;
        pool.facts[*fact].is_alias()
            || says.iter().zip(&asked.terms).any(|(says, term)| *says >= SAID && !term.is_name)
    };
    let says_verb = |fact: &usize| pool.agreements[*fact].predicate[verb] >= VERB_SAID;
    // "Who directs the play?", "Lukas directs the play", "Lukas is married to Mila".
    let goes_on = !says_verb(last) && !pool.facts[*last].is_alias() && before.iter().any(says_verb);
    goes_on || says_verb(last) && !before.iter().all(is_asked)
}

/// Whether the only fact of a chain is about a sibling of the thing asked about: "the white bread" for the
/// rye bread, "Team Oak" for Team Birch.
fn is_of_other_thing(asked: &Asked, pool: Facts<'_>, chain: &Chain, verb: Option<usize>) -> bool {
    let [fact] = chain.facts.as_slice() else { return false };
    let (known, says) = (&pool.facts[*fact].words, &pool.agreements[*fact]);
    let given: Vec<&Word> = known.at(chain.end.other()).iter().filter(|word| !word.is_stop).collect();
    let Some(head) = given.last() else { return false };
    let is_asked = |word: &Word| {
        asked.terms.iter().any(|term| term.words.iter().any(|other| agreement(other, word) >= SAID))
    };
    let is_unsaid = |term: usize| {
        let word = &asked.terms[term];
        let is_adverb = Language::English.class(&word.words[0].lower) == Some(Class::Adverb);
        !word.is_kind && !is_adverb && says.best(term) < SAID && !is_verb(&asked.text, &word.words[0])
    };
    let terms = || 0..asked.terms.len();
    // "Where does Mo live?", "Mo: my brother Tom lives in Lisbon": the sentence contains both names, the fact
    // only one.
    let has_other_name = given.iter().any(|word| word.is_name && !is_asked(word));
    let is_unnamed = |term: usize| asked.terms[term].is_name && says.itself(term) < SAID;
    if has_other_name && terms().any(is_unnamed) {
        return true;
    }
    // "The white bread": the word before the shared head noun.
    let place = asked.said.iter().position(|word| agreement(word, head) >= SAID);
    let before = place.and_then(|place| asked.said[..place].last()).filter(|word| !word.is_stop);
    let is_privative = before.is_some_and(|before| is_privative(&before.lower));
    let is_sibling = (is_privative || given.len() > 1 && given.iter().any(|word| !is_asked(word)))
        && before.is_some_and(|before| {
            terms().any(|term| asked.terms[term].words[0].start == before.start && is_unsaid(term))
        });
    let says_verb = verb.is_some_and(|verb| says.predicate[verb] >= VERB_SAID);
    let is_apart = says_verb && !given.iter().any(|word| is_asked(word)) && terms().any(is_unsaid);
    is_sibling || is_apart
}

/// Whether all facts of a chain were read from text.
fn is_read(pool: Facts<'_>, chain: &Chain) -> bool {
    chain.facts.iter().all(|fact| pool.facts[*fact].is_found())
}

/// Whether a chain read from text ends in a pronoun of the question: "we" does not answer "What do we use?"
fn is_asking_pronoun(asked: &Asked, pool: Facts<'_>, chain: &Chain) -> bool {
    let Some(last) = chain.facts.last().map(|last| &pool.facts[*last]) else { return false };
    let answer = last.name_at(chain.end).to_lowercase();
    let is_pronoun = matches!(answer.as_str(), "we" | "i" | "you" | "they" | "us" | "it" | "he" | "she");
    last.is_found() && is_pronoun && asked.said.iter().any(|word| *word.lower == *answer)
}

/// Whether a chain ends in a value that may be of the kind asked for.
fn is_of_kind(asked: &Asked, pool: Facts<'_>, chain: &Chain) -> bool {
    let Some(last) = chain.facts.last().map(|last| &pool.facts[*last]) else { return true };
    let answer = last.name_at(chain.end);
    match asked.wanted {
        Some(Wanted::Time) => match Shape::of(answer) {
            Shape::Time | Shape::Span => true,
            // "9.30" and "six" may be times; "12,000 euros" is none.
            Shape::Number => !last.is_found() || !answer.contains([' ', ',', '%', '€', '$', '£']),
            // "Sprint 14" may be a time; the key "rel-2023" is none.
            Shape::Name => {
                answer.contains(|c: char| c.is_ascii_digit())
                    && !(last.is_found() && answer.split(' ').any(is_identifier))
            }
            Shape::Plain => !is_read(pool, chain) && is_complete(asked, pool, chain),
        },
        Some(Wanted::Place) => match Shape::of(answer) {
            Shape::Time | Shape::Span => false,
            // "A welder from Turku" is not where somebody is from.
            Shape::Name => !last.is_found() || !matches!(&*last.relation.predicate, "is a" | "is an"),
            Shape::Number | Shape::Plain => !last.is_found() || is_placed(last, chain.end),
        },
        Some(Wanted::Person) => match Shape::of(answer) {
            Shape::Time | Shape::Span | Shape::Number => false,
            Shape::Name | Shape::Plain => !last.is_found() || is_somebody(last, chain.end, answer),
        },
        Some(Wanted::Number) => {
            answer.contains(|c: char| c.is_numeric())
                || matches!(Shape::of(answer), Shape::Number | Shape::Span)
        }
        _ => true,
    }
}

/// Whether the predicate of a fact says where its object is: "is kept in".
fn is_placed(fact: &MemoryFact, end: End) -> bool {
    let says_place = fact.words.predicate.last().is_some_and(|word| {
        matches!(&*word.lower, "in" | "at" | "on" | "from" | "to" | "near" | "under" | "behind" | "by")
    });
    end == End::Object && says_place
}

/// Whether an end of a fact is a person, a group, or whoever has or leads the other end.
fn is_somebody(fact: &MemoryFact, end: End, answer: &str) -> bool {
    let is_agent = (end == End::Object) == fact.words.relation.inverted;
    let is_group = answer.split(' ').any(|word| recall::says(&word.to_lowercase(), Recall::Group));
    has_holder(&fact.relation.predicate) && is_agent
        || fact.is_done_by(end)
        || is_group
        || Shape::of(answer) == Shape::Name && Shape::fits(answer, Wanted::Person) > 0.0
}
