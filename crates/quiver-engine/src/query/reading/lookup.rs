//! What the vocabulary and the calendar know about the words of a question.

use std::collections::{BTreeMap, BTreeSet};

use quiver_language::{
    Class, Kind, Language,
    asking::{Asking, says},
    degree::{comparative, superlative},
    dimension::Dimension,
    read,
    state::state,
    time::{Direction, TimeRange, TimeRelation},
    word::{irregular_verb, is_adjective, same_saying, verbs},
};

use super::{
    idle::Idle,
    vocabulary::{Known, Vocabulary},
    word::{Word, words},
};

/// Maximum number of words in a question.
const WORDS_MAX: usize = 48;
/// Maximum number of words in a part of a name.
const PART_MAX: usize = 6;
/// Maximum number of words in a phrase of the language.
const PHRASE_MAX: usize = 4;
/// The classes of phrases that are looked up word by word.
const PHRASES: [Asking; 18] = [
    Asking::Attended,
    Asking::Busy,
    Asking::Late,
    Asking::Past,
    Asking::Lapsed,
    Asking::Missed,
    Asking::Limit,
    Asking::Befallen,
    Asking::Happening,
    Asking::Placed,
    Asking::Doing,
    Asking::Advice,
    Asking::Thing,
    Asking::Owing,
    Asking::Remaining,
    Asking::Beforehand,
    Asking::Entrusted,
    Asking::Equipped,
];
/// Maximum number of words in a phrase that opens a question.
const POLITE_MAX: usize = 5;

/// The phrases of a question that are left out.
#[derive(Clone, Copy, Debug)]
pub(super) enum LeftOut {
    Nothing,
    /// Those that add no condition: "still", "no matter whose".
    Idle {
        /// The label of the user who asks.
        asker: Option<usize>,
    },
}

/// A time in a question.
#[derive(Clone, Debug)]
pub(super) struct Time {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) relation: TimeRelation,
    pub(super) range: TimeRange,
}

/// Part of a name in a question: "the marketing project" for "Q2 Marketing".
#[derive(Clone, Copy, Debug)]
pub(super) struct PartOfName<'v> {
    pub(super) end: usize,
    /// The name; one of them if several names of its label contain these words.
    pub(super) known: &'v Known,
    /// Number of nodes with its label whose names contain these words.
    pub(super) alike: u64,
}

/// A question split into words, with the values and times that they may be.
#[derive(Debug)]
pub(super) struct Words<'v> {
    pub(super) list: Vec<Word>,
    pub(super) times: Vec<Time>,
    /// The values that start at each word, with their ends.
    pub(super) values: Vec<Vec<(usize, &'v Known)>>,
    /// The parts of names that start at each word.
    pub(super) parts: Vec<Vec<PartOfName<'v>>>,
    /// The phrases of the language that start at each word, with their ends.
    pub(super) phrases: Vec<Vec<(Asking, usize)>>,
    /// The verbs that start at each word, with their ends and the groups of verbs that say the same.
    pub(super) same_saying: Vec<Vec<(usize, u64)>>,
    /// The value that each word is as a noun, if it is one of a single property: "striker" for "strikers".
    pub(super) kinds: Vec<Option<&'v Known>>,
}

impl<'v> Words<'v> {
    /// Prepares a question. Returns `None` if it has too many words. Can leave out phrases that add no condition, such as
    /// "still"; those about everybody only if the label of the user who asks is given.
    pub(super) fn of(
        vocabulary: &'v Vocabulary,
        question: &str,
        now: i64,
        left_out: LeftOut,
    ) -> Option<Self> {
        let text = read(question);
        let mut list = words(&text);
        list.drain(..polite_end(&list));
        if let LeftOut::Idle { asker } = left_out {
            list = Idle { vocabulary, question, asker, list: &list }.left_out()?;
            list.drain(..polite_end(&list));
        }
        if text.language != Language::English {
            return None;
        }
        if list.is_empty() || list.len() > WORDS_MAX {
            return None;
        }
        let mut values = values(vocabulary, &list);
        add_names_by_gerund(vocabulary, &list, &mut values);
        add_names_by_noun(vocabulary, &list, &mut values);
        let parts = parts_of_names(vocabulary, &list, &values);
        let times = text.times().into_iter().filter_map(|time| {
            let range = time.resolve(now, Direction::Nearest)?;
            let start = list.iter().position(|word| word.start >= time.range.start)?;
            let end = list.iter().rposition(|word| word.end <= time.range.end)? + 1;
            (start < end).then_some(Time { start, end, relation: time.relation, range })
        });
        let times = times.collect();
        let phrases = phrases(&list);
        let same_saying = (0..list.len()).map(|at| groups_at(&list, at)).collect();
        let kinds = list.iter().map(|word| kind(vocabulary, word)).collect();
        Some(Self { list, times, values, parts, phrases, same_saying, kinds })
    }
}

/// The value that a word is as a noun, if it is one of a single property.
fn kind<'v>(vocabulary: &'v Vocabulary, word: &Word) -> Option<&'v Known> {
    let may_be_noun =
        !word.is_capital && !word.is_number && !is_adjective(&word.norm) && state(&word.norm).is_none();
    vocabulary.kind(&word.stems).filter(|_| may_be_noun)
}

impl Words<'_> {
    /// Whether a word belongs to the grammar, or to a name, a value, a time or a part of a name.
    pub(super) fn is_known(&self, vocabulary: &Vocabulary, at: usize) -> bool {
        let mut parts = self.parts.iter().enumerate();
        self.is_accounted_for(vocabulary, at)
            || parts.any(|(start, all)| all.iter().any(|part| (start..part.end).contains(&at)))
    }

    /// Whether a word belongs to the grammar, or to a whole name, a value or a time.
    pub(super) fn is_accounted_for(&self, vocabulary: &Vocabulary, at: usize) -> bool {
        let word = &self.list[at];
        let covers = |start: usize, end: usize| (start..end).contains(&at);
        let of_labels = vocabulary.labels.iter().flat_map(|label| {
            label.words.iter().chain(label.properties.iter().flat_map(|property| &property.words))
        });
        let mut names = of_labels.chain(vocabulary.links.iter().flat_map(|link| &link.words));
        word.class.is_some()
            || word.is_number
            || self.kinds[at].is_some()
            || self.values.iter().enumerate().any(|(start, ends)| ends.iter().any(|one| covers(start, one.0)))
            || self.times.iter().any(|time| covers(time.start, time.end))
            || names.any(|name| word.stems.iter().any(|stem| name.contains(stem)))
            || state(&word.norm).is_some()
            || superlative(&word.norm).is_some()
            || comparative(&word.norm).is_some()
            || !Dimension::of_superlative(&word.norm).is_empty()
            || !Dimension::of_comparative(&word.norm).is_empty()
    }
}

/// Returns the end of the words that only open a question: "could you please tell me".
fn polite_end(list: &[Word]) -> usize {
    let mut end = 0;
    let opens = |start: usize, end: usize| {
        let text = list[start..end].iter().map(|word| word.norm.as_str()).collect::<Vec<_>>().join(" ");
        says(&text, Asking::Polite)
    };
    while let Some(next) = (end + 1..=list.len().min(end + POLITE_MAX)).rev().find(|next| opens(end, *next)) {
        end = next;
    }
    end
}

/// Returns the verbs that start at a word, with their ends and the groups of verbs that say the same. The longest counts.
fn groups_at(list: &[Word], at: usize) -> Vec<(usize, u64)> {
    let norm = &list[at].norm;
    let mut bases: Vec<&str> = vec![norm];
    bases.extend(irregular_verb(norm));
    verbs(norm).for_each(|base| bases.push(base));
    let of_end = |end: usize| {
        let rest: Vec<&str> = list[at + 1..end].iter().map(|word| word.norm.as_str()).collect();
        let groups = bases.iter().map(|base| same_saying(&[&[*base], &rest[..]].concat().join(" ")));
        let groups = groups.fold(0, |all, group| all | group);
        (groups != 0).then_some((end, groups))
    };
    (at + 1..=list.len().min(at + PHRASE_MAX)).filter_map(of_end).next_back().into_iter().collect()
}

/// Returns the phrases of the language that start at each word.
fn phrases(list: &[Word]) -> Vec<Vec<(Asking, usize)>> {
    let of_start = |start: usize| {
        let ends = start + 1..=list.len().min(start + PHRASE_MAX);
        let phrases = ends.flat_map(|end| {
            let text = list[start..end].iter().map(|word| word.norm.as_str()).collect::<Vec<_>>().join(" ");
            PHRASES.into_iter().filter(move |class| says(&text, *class)).map(move |class| (class, end))
        });
        phrases.collect()
    };
    (0..list.len()).map(of_start).collect()
}

/// Whether a value has a word with "'s".
fn has_possessive(known: &Known) -> bool {
    known.value.as_str().is_some_and(|value| value.contains("'s") || value.contains("’s"))
}

/// Returns the values that start at each word. A part of a longer value does not count.
fn values<'v>(vocabulary: &'v Vocabulary, list: &[Word]) -> Vec<Vec<(usize, &'v Known)>> {
    let mut spans: Vec<(usize, usize, &'v Vec<Known>)> = Vec::new();
    for start in 0..list.len() {
        for end in start + 1..=list.len().min(start + vocabulary.words_max) {
            let run = &list[start..end];
            // A possessive ends a name, unless the name has one.
            let is_inside = list[start..end - 1].iter().any(|word| word.is_possessive);
            let text = run.iter().map(|word| word.norm.as_str()).collect::<Vec<_>>().join(" ");
            let says = run.iter().enumerate().any(|(at, word)| {
                (word.class.is_none() && !word.is_number) || (word.is_capital && start + at > 0)
            });
            let known = vocabulary.values.get(&text).filter(|_| says);
            if let Some(known) = known.filter(|known| !is_inside || known.iter().all(has_possessive)) {
                spans.push((start, end, known));
            }
        }
    }
    let mut found = vec![Vec::new(); list.len()];
    for &(start, end, known) in &spans {
        let is_part =
            spans.iter().any(|&(from, to, _)| from <= start && end <= to && (from, to) != (start, end));
        if !is_part {
            found[start].extend(known.iter().map(|one| (end, one)));
        }
    }
    found
}

/// Adds the names of nodes that begin with the base form of a gerund: "painting the fence" is "Paint the fence". An article
/// counts as little as its absence.
fn add_names_by_gerund<'v>(
    vocabulary: &'v Vocabulary,
    list: &[Word],
    values: &mut [Vec<(usize, &'v Known)>],
) {
    let is_article = |word: &&Word| word.kind == Some(Kind::Article);
    for start in 0..list.len() {
        let gerund = &list[start];
        if gerund.class.is_some() || !gerund.norm.ends_with("ing") || !values[start].is_empty() {
            continue;
        }
        for end in (start + 2..=list.len().min(start + vocabulary.words_max)).rev() {
            let rest = &list[start + 1..end];
            let norms = |words: Vec<&Word>| words.iter().map(|word| word.norm.clone()).collect::<Vec<_>>();
            let with_articles = norms(rest.iter().collect());
            let without_articles = norms(rest.iter().filter(|word| !is_article(word)).collect());
            let bases = gerund_bases(&gerund.norm);
            let texts = bases.iter().flat_map(|base| {
                [&with_articles, &without_articles].map(|rest| format!("{base} {}", rest.join(" ")))
            });
            let texts: BTreeSet<String> = texts.collect();
            let known = texts.iter().filter_map(|text| vocabulary.values.get(text)).flatten();
            let names: Vec<(usize, &Known)> =
                known.filter(|known| vocabulary.is_name(known)).map(|known| (end, known)).collect();
            if !names.is_empty() {
                values[start] = names;
                break;
            }
        }
    }
}

/// Adds the names of nodes that begin with a verb, for the noun of that verb, or with a noun and "of": "the fence painting",
/// "the inspection of the fence", "the harbour bridge".
fn add_names_by_noun<'v>(vocabulary: &'v Vocabulary, list: &[Word], values: &mut [Vec<(usize, &'v Known)>]) {
    let norms = |words: &[Word]| words.iter().map(|word| word.norm.as_str()).collect::<Vec<_>>().join(" ");
    let is_content = |word: &Word| word.class.is_none() && !word.is_number && !word.is_possessive;
    for start in 0..list.len() {
        if !is_content(&list[start]) || !values[start].is_empty() {
            continue;
        }
        let last = list.len().min(start + vocabulary.words_max + 1);
        let of = list.get(start + 1).is_some_and(|word| word.norm == "of");
        let ends: Vec<(usize, &Word, &[Word])> = if of {
            let is_article = list.get(start + 2).is_some_and(|word| word.kind == Some(Kind::Article));
            let from = start + 2 + usize::from(is_article);
            (from + 1..=last.max(from)).map(|end| (end, &list[start], &list[from..end])).collect()
        } else {
            (start + 2..=last).map(|end| (end, &list[end - 1], &list[start..end - 1])).collect()
        };
        for (end, noun, object) in ends.into_iter().rev() {
            if object.is_empty() || !object.iter().all(is_content) || !is_content(noun) {
                continue;
            }
            let object = norms(object);
            // "The harbour bridge" is "Bridge of the Harbour".
            let of = verbs_of_noun(&noun.norm).into_iter().chain([format!("{} of", noun.norm)]);
            let texts = of.flat_map(|verb| {
                ["", "the ", "a ", "an "]
                    .into_iter()
                    .flat_map(move |article| ["", "s", "es"].map(|plural| (article, plural)))
                    .map(|(article, plural)| format!("{verb} {article}{object}{plural}"))
                    .collect::<Vec<_>>()
            });
            let known = texts.filter_map(|text| vocabulary.values.get(&text)).flatten();
            let names: Vec<(usize, &Known)> =
                known.filter(|known| vocabulary.is_name(known)).map(|known| (end, known)).collect();
            if !names.is_empty() {
                values[start] = names;
                break;
            }
        }
    }
}

/// Returns the possible verbs of a noun: "confirm" for "confirmation", "approve" for "approval", "order" for "order".
fn verbs_of_noun(noun: &str) -> Vec<String> {
    const ENDINGS: [&str; 8] = ["ation", "ition", "ion", "ment", "al", "ance", "ence", "y"];
    let mut verbs = vec![noun.to_owned()];
    for stem in ENDINGS.iter().filter_map(|ending| noun.strip_suffix(ending)).filter(|stem| stem.len() > 2) {
        verbs.extend([stem.to_owned(), format!("{stem}e")]);
    }
    verbs.extend(gerund_bases(noun));
    verbs
}

/// Returns the possible base forms of a gerund: "pack" and "packe" for "packing", "run" for "running".
fn gerund_bases(gerund: &str) -> Vec<String> {
    let Some(stem) = gerund.strip_suffix("ing").filter(|stem| stem.len() > 1) else { return Vec::new() };
    let mut bases = vec![stem.to_owned(), format!("{stem}e")];
    let mut letters = stem.chars().rev();
    if letters.next() == letters.next() {
        bases.extend(stem.get(..stem.len() - 1).map(str::to_owned));
    }
    bases
}

/// Returns the longest parts of names that start at each word, one per label. A part of a whole value, or the name of a
/// label, does not count.
fn parts_of_names<'v>(
    vocabulary: &'v Vocabulary,
    list: &[Word],
    values: &[Vec<(usize, &'v Known)>],
) -> Vec<Vec<PartOfName<'v>>> {
    let in_value = |at: usize| {
        values.iter().enumerate().any(|(start, ends)| ends.iter().any(|&(end, _)| (start..end).contains(&at)))
    };
    let is_label = |word: &Word| {
        let mut words = vocabulary.labels.iter().flat_map(|label| &label.words);
        words.any(|stems| word.stems.iter().any(|stem| stems.contains(stem)))
    };
    let may_be: Vec<bool> = list
        .iter()
        .enumerate()
        .map(|(at, word)| word.class.is_none() && !word.is_number && !is_label(word) && !in_value(at))
        .collect();
    // "Statement of claim".
    let joins = |at: usize| {
        matches!(list[at].class, Some(Class::Preposition)) || list[at].kind == Some(Kind::Article)
    };
    let mut found = vec![Vec::new(); list.len()];
    for start in (0..list.len()).filter(|start| may_be[*start]) {
        let ends = start..list.len().min(start + PART_MAX);
        let run = ends.take_while(|at| may_be[*at] || joins(*at)).count();
        for end in (start + 1..=start + run).rev() {
            if !may_be[end - 1] {
                continue;
            }
            let is_inside = list[start..end - 1].iter().any(|word| word.is_possessive);
            let text = list[start..end].iter().map(|word| word.norm.as_str()).collect::<Vec<_>>().join(" ");
            let mut by_label: BTreeMap<usize, (u64, &'v Known)> = BTreeMap::new();
            let named = vocabulary.named_with(&text).into_iter();
            for known in named.filter(|known| !is_inside || has_possessive(known)) {
                by_label.entry(known.label).or_insert((0, known)).0 += known.count;
            }
            if !by_label.is_empty() {
                let parts = by_label.into_values();
                found[start] = parts.map(|(alike, known)| PartOfName { end, known, alike }).collect();
                break;
            }
        }
    }
    found
}
