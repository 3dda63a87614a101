//! Sentences that repeat a question's clause and fill its gap: "Who feeds the geese?", "The keeper feeds the
//! geese at dawn."
//!
//! The sentence has the question's words in the order of a statement and continues at the gap.

use std::ops::Range;

use quiver_language::{
    Language,
    word::{is_adjective, is_verb},
};

use super::{closed::leading_to, is_same};
use crate::{
    form::{Asks, Form, is_auxiliary},
    lexicon::is_condition,
    objection::{Objection, is_referred_to, of_sentence},
    reading::{Piece, Reading},
    unit::UnitKind,
    word::{Word, denies, is_base_form},
};

/// Minimum number of content words.
const SAID_LEAST: usize = 3;

/// Maximum number of other content words within a clause of `said` words: the longer the clause, the surer it
/// is the same one.
const fn between_max(said: usize) -> usize {
    match said {
        0..=3 => 0,
        4 => 2,
        _ => 3,
    }
}

/// The gap of a question, by its position in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// Before the verb: "*The keeper* feeds the geese".
    Subject,
    /// After "by": "The geese are fed *by the keeper*".
    Agent,
    /// After a form of "be": "The colour of the geese is *grey*".
    Complement,
    /// After the verb: "The keeper feeds *the geese*".
    Object,
    /// When, where, why or how much, before or after the clause: "*At dawn* the keeper feeds the geese".
    Adverbial,
}

/// A question's clause with its gap.
#[derive(Debug)]
struct Open<'f> {
    /// The content words in statement order, each with the preposition before it.
    said: Vec<(&'f Word, &'f str)>,
    /// The verb among them, if a noun looks like it: "was *released*", "the release".
    participle: Option<&'f Word>,
    gap: Gap,
    /// The kind of thing that fills the gap: "which *keeper*".
    kind: Option<&'f Word>,
    /// A stranded preposition: "Where does it lead *to*?"
    stranded: Option<&'f str>,
    /// What the sentence says after the filler: "What does she sell *in the market*?"
    also: Vec<&'f Word>,
}

impl Open<'_> {
    /// Whether the clause has enough words for a sentence with all of them to mean the same.
    fn says_enough(&self) -> bool {
        let least = if self.gap == Gap::Complement { SAID_LEAST - 1 } else { SAID_LEAST };
        let said = self.said.len()
            + self.also.len()
            + usize::from(self.kind.is_some())
            + usize::from(self.stranded.is_some());
        self.is_told() && self.said.len() >= 2 && said >= least
    }

    /// Whether the clause is more than the fact that there are things of the kind: "Which versions does it support?"
    fn is_told(&self) -> bool {
        self.gap != Gap::Object || self.kind.is_none() || self.stranded.is_some()
    }
}

/// The piece that fills the gap, and the byte range of the filler.
pub(super) fn filled(reading: &Reading) -> Option<(usize, Range<usize>)> {
    let open: Vec<Open<'_>> = open(&reading.form).into_iter().filter(Open::says_enough).collect();
    let found = fillers(reading, &open).into_iter().min_by_key(|(between, at, _)| (*between, *at));
    found.map(|(_, at, part)| (at, part))
}

/// The same for a clause of two words, which says enough if only one sentence fills its gap: "What does the API return?"
pub(super) fn filled_in_one_place(reading: &Reading) -> Option<(usize, Range<usize>)> {
    let is_short = |open: &Open<'_>| !open.says_enough() && open.is_told() && open.said.len() >= 2;
    let open: Vec<Open<'_>> = open(&reading.form).into_iter().filter(is_short).collect();
    let mut found = fillers(reading, &open).into_iter();
    let (_, at, part) = found.next()?;
    let text = &reading.pieces[at].unit.text;
    found.all(|(_, other, _)| reading.pieces[other].unit.text == *text).then_some((at, part))
}

/// The pieces that fill the gap of a clause, each with the number of other words in it and the byte range of the filler.
fn fillers(reading: &Reading, open: &[Open<'_>]) -> Vec<(usize, usize, Range<usize>)> {
    // The cells of a row make no clause.
    let clauses = reading.pieces.iter().enumerate().filter(|(_, piece)| piece.unit.kind != UnitKind::Row);
    let found = clauses.filter_map(|(at, piece)| {
        let said = open.iter().filter_map(|open| said(reading, open, piece));
        let (between, part) = said.min_by_key(|(between, _)| *between)?;
        // Novelty is checked on the filler.
        let is_sound = matches!(of_sentence(reading, at, true), None | Some(Objection::NothingNew));
        is_sound.then_some((between, at, part))
    });
    found.collect()
}

/// Whether a sentence has the roles reversed: "The goslings are fed by the keeper" when the question asks
/// whom they feed.
pub(crate) fn is_reversed(reading: &Reading, piece: &Piece) -> bool {
    let words = &piece.words;
    let next = |at: usize| words.get(at + 1).map_or("", |word| word.lower.as_str());
    open(&reading.form).iter().filter(|open| open.gap == Gap::Subject).any(|open| {
        let Some(((verb, _), objects)) = open.said.split_first() else { return false };
        let Some(at) = words.iter().position(|word| is_same(word, verb)) else { return false };
        let says =
            |words: &[Word]| words.iter().any(|word| objects.iter().any(|(object, _)| is_same(object, word)));
        let is_by = objects.first().is_some_and(|(_, preposition)| *preposition == "by");
        let is_turned = if is_by { next(at) == "by" } else { open.participle.is_none() && next(at) != "by" };
        is_turned && says(&words[..at]) && !says(&words[at + 1..])
    })
}

/// The possible clauses of a question; none if it does not have this form.
fn open(form: &Form) -> Vec<Open<'_>> {
    let words = &form.words;
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    // "What is the purpose of this study?" refers to whichever study is at hand.
    let points = words.iter().any(|word| matches!(word.lower.as_str(), "this" | "these" | "those" | "here"));
    if form.question_word != Some(0) || form.either.is_some() || points {
        return Vec::new();
    }
    let asks = lower(0);
    let (kind, from) = match asks {
        "how" if form.asks == Asks::Count => (form.kind, form.kind.map_or(2, |kind| kind + 1)),
        "how" if form.asks == Asks::Quantity => (None, form.kind.map_or(2, |kind| kind + 1)),
        "what" | "which" if !is_auxiliary(lower(1)) => {
            let is_phrase = |kind: &usize| words[1..*kind].iter().all(|word| !word.is_function);
            let kind = form.kind.filter(is_phrase);
            (kind, kind.map_or(1, |kind| kind + 1))
        }
        "who" | "whom" | "what" | "where" | "when" | "why" | "how" => (None, 1),
        _ => return Vec::new(),
    };
    let kind = kind.map(|kind| &words[kind]);
    let is_adverbial = matches!(asks, "where" | "when" | "why" | "how") && kind.is_none();
    let behind = if is_adverbial { Gap::Adverbial } else { Gap::Object };
    let stranded = words.last().map(|word| word.lower.as_str()).filter(|word| is_preposition(word));
    let open = |said: usize, gap: Gap, participle: Option<usize>| Open {
        said: content(words, said),
        participle: participle.map(|at| &words[at]),
        gap,
        kind,
        stranded,
        also: Vec::new(),
    };
    let is_way = form.asks == Asks::Way;
    match lower(from) {
        "do" | "does" | "did" if !is_way && has_base(&words[from + 1..]) => {
            let whole = open(from + 1, behind, None);
            if behind == Gap::Object { with_object_within(words, from + 1, whole) } else { vec![whole] }
        }
        "can" | "could" | "should" | "would" | "will" | "must" | "may" | "might" if !is_way => {
            let verb = words.get(from + 1);
            let is_verb = verb.is_some_and(|verb| {
                !is_auxiliary(&verb.lower) && !verb.is_capital && is_base_form(&verb.lower)
            });
            if is_verb && !is_adverbial {
                subject(words, from + 1, kind)
            } else if has_base(words.get(from + 1..).unwrap_or_default()) {
                vec![open(from + 1, behind, None)]
            } else {
                Vec::new()
            }
        }
        "is" | "are" | "was" | "were" | "has" | "have" | "had" => {
            let participle = (from + 1..words.len()).find(|at| is_participle(&words[*at]));
            match participle {
                Some(at) if at == from + 1 && !is_adverbial => vec![open(at, Gap::Subject, Some(at))],
                Some(at) => vec![open(from + 1, behind, Some(at))],
                None if asks == "what" && kind.is_none() && is_attribute(&words[from + 1..]) => {
                    vec![open(from + 1, Gap::Complement, None)]
                }
                None => Vec::new(),
            }
        }
        _ if !is_adverbial && words.get(from).is_some_and(|verb| is_verb(&verb.lower)) => {
            subject(words, from, kind)
        }
        _ => Vec::new(),
    }
}

/// The clause of "what does she sell in the market", and the one whose object stands before "in the market".
fn with_object_within<'f>(words: &'f [Word], from: usize, whole: Open<'f>) -> Vec<Open<'f>> {
    let is_verb = |at: &usize| {
        let word = &words[*at];
        let goes_on =
            words.get(at + 1).is_some_and(|next| is_preposition(&next.lower)) && at + 2 < words.len();
        !word.is_function && !word.is_capital && is_base_form(&word.lower) && goes_on
    };
    let Some(verb) = (from + 1..words.len()).find(is_verb).filter(|_| whole.stranded.is_none()) else {
        return vec![whole];
    };
    let said = content(&words[..=verb], from);
    let also = words[verb + 1..].iter().filter(|word| !word.is_function).collect();
    let within = Open { said, also, participle: None, gap: Gap::Object, kind: whole.kind, stranded: None };
    vec![whole, within]
}

/// The clauses of "who feeds the geese" from its verb on, active and passive.
fn subject<'f>(words: &'f [Word], verb: usize, kind: Option<&'f Word>) -> Vec<Open<'f>> {
    let open = |said, gap| Open { said, participle: None, gap, kind, stranded: None, also: Vec::new() };
    let object = content(words, verb + 1);
    let has_object = object.first().is_some_and(|(_, preposition)| preposition.is_empty());
    let active = open([vec![(&words[verb], "")], object.clone()].concat(), Gap::Subject);
    let passive = [object, vec![(&words[verb], "")]].concat();
    if has_object { vec![active, open(passive, Gap::Agent)] } else { vec![active] }
}

/// The content words from an index on, each with the preposition before it.
fn content(words: &[Word], from: usize) -> Vec<(&Word, &str)> {
    let content = (from..words.len()).filter(|at| !words[*at].is_function);
    content.map(|at| (&words[at], leading_to(words, at))).collect()
}

fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "this" | "each" | "every" | "its" | "their" | "our" | "your")
}

fn is_preposition(word: &str) -> bool {
    matches!(word, "to" | "from" | "on" | "in" | "with" | "for" | "at" | "by" | "into" | "under")
}

/// Whether the words after "does" include a content verb.
fn has_base(words: &[Word]) -> bool {
    words.iter().any(|word| !word.is_function && !word.is_capital && is_base_form(&word.lower))
}

fn is_participle(word: &Word) -> bool {
    let is_form = word.lower.ends_with("ed") || is_verb(&word.lower) && !is_base_form(&word.lower);
    !word.is_function && !word.is_capital && is_form && !word.lower.ends_with('s')
}

/// Whether the words name an attribute of a thing: "the colour of the geese".
fn is_attribute(words: &[Word]) -> bool {
    let of = words.iter().position(|word| word.lower == "of");
    of.is_some_and(|at| at > 0 && !words[at - 1].is_function && !words[at - 1].is_capital)
}

/// The number of other content words between those of the clause, and the byte range of the filler; `None` if
/// the sentence does not contain the clause or does not fill the gap.
fn said(reading: &Reading, open: &Open<'_>, piece: &Piece) -> Option<(usize, Range<usize>)> {
    let text = piece.unit.text.trim_end();
    let is_told = piece.is_sentence();
    if !is_told || text.ends_with(['?', ':']) {
        return None;
    }
    let first = open.said.first()?.0;
    let starts = (0..piece.words.len()).filter(|at| is_same(first, &piece.words[*at]));
    let said = starts.filter_map(|start| {
        let (end, between) = follow(open, piece, start)?;
        let clause = start..end;
        let says = |also: &Word| piece.words[end..].iter().any(|word| is_same(also, word));
        let part = (open.also.iter().all(|also| says(also))
            && is_stated(piece, &clause, &reading.form.words))
        .then(|| fills(reading, open, piece, &clause))??;
        Some((between, part))
    });
    said.min_by_key(|(between, _)| *between)
}

/// Where the clause that begins at a word ends, and the number of other words in it.
fn follow(open: &Open<'_>, piece: &Piece, start: usize) -> Option<(usize, usize)> {
    let words = &piece.words;
    let (mut at, mut between) = (start, 0);
    for (order, (word, preposition)) in open.said.iter().enumerate() {
        let before = between;
        while order > 0 && !is_same(word, words.get(at)?) {
            let other = &words[at];
            let is_passed =
                other.is_function || other.is_numeric() || is_manner(other) || is_in_brackets(piece, other);
            between += usize::from(!is_passed);
            at += 1;
        }
        // "the Geese Keepers' Union (GKU)"
        if is_in_brackets(piece, &words[at]) && words[at].is_capital {
            between = before;
        }
        // "The mill grinds rye and closes at six": its subject is that of the first verb.
        let is_second = at > 0 && words[at - 1].lower == "and" && is_verb(&words[at].lower);
        if is_second && preposition.is_empty() {
            between = before;
        }
        // "Respiratory syncytial viruses" are not all respiratory viruses.
        let is_joined = order > 0 && open.said[order - 1].0.end + 1 == word.start;
        if between > if is_joined { before } else { between_max(open.said.len()) } {
            return None;
        }
        // "Was released", not "the release".
        let is_other_form =
            open.participle.is_some_and(|verb| is_same(verb, word) && verb.lower != words[at].lower);
        if is_other_form || order > 0 && leading_to(words, at) != *preposition {
            return None;
        }
        at += 1;
    }
    Some((at, between))
}

/// Whether a word is an adverb of manner or frequency.
pub(crate) fn is_manner(word: &Word) -> bool {
    let is_small =
        matches!(word.lower.as_str(), "only" | "also" | "just" | "always" | "often" | "then" | "now");
    is_small || word.lower.len() > 4 && word.lower.ends_with("ly")
}

fn is_in_brackets(piece: &Piece, word: &Word) -> bool {
    let before = &piece.unit.text[..word.start];
    before.rfind('(').is_some_and(|open| !before[open..].contains(')'))
}

/// Whether a sentence asserts a clause: not as a condition, not about something else, and negated only if the
/// question is.
fn is_stated(piece: &Piece, clause: &Range<usize>, asked: &[Word]) -> bool {
    let words = &piece.words;
    let opens = |word: &Word| {
        is_condition(&word.lower)
            || matches!(
                word.lower.as_str(),
                "unless"
                    | "whether"
                    | "until"
                    | "while"
                    | "before"
                    | "after"
                    | "because"
                    | "since"
                    | "which"
                    | "that"
                    | "who"
                    | "where"
                    | "how"
                    | "why"
                    | "what"
            )
    };
    let from = words[clause.start].start;
    let is_within = words[..clause.start]
        .iter()
        .rfind(|word| opens(word))
        .is_some_and(|word| !piece.unit.text[word.end..from].contains(','));
    !is_within && denies(&words[..clause.end]) == denies(asked)
}

/// The byte range of the filler; `None` if the sentence has nothing at the gap.
fn fills(reading: &Reading, open: &Open<'_>, piece: &Piece, clause: &Range<usize>) -> Option<Range<usize>> {
    let (words, text) = (&piece.words, &piece.unit.text);
    let (before, after) = (&words[..clause.start], &words[clause.end..]);
    let is_beside =
        |at: usize| at > 0 && at < words.len() && text[words[at - 1].end..words[at].start].trim().is_empty();
    let begins =
        before.last().is_none_or(|word| word.is_function || word.is_number()) || !is_beside(clause.start);
    let ends = after.first().is_none_or(|word| word.is_function || is_manner(word)) || !is_beside(clause.end);
    let next = after.first().map_or("", |word| word.lower.as_str());
    let is_new =
        |word: &Word| !word.is_function && !reading.form.words.iter().any(|asked| is_same(asked, word));
    // Up to the next clause.
    let rest = |from: usize| {
        let is_break = |at: &usize| text[words[at - 1].end..words[*at].start].contains([',', ';', '.', ':']);
        let end = (from + 1..words.len()).find(is_break).unwrap_or(words.len());
        words.get(from..end).unwrap_or_default()
    };
    if open.stranded.is_some_and(|stranded| stranded != next) {
        return None;
    }
    // "Within four months of the fiscal year end" says nothing of when the year ends.
    let is_noun = before.iter().rfind(|word| !is_article(&word.lower)).is_some_and(|word| {
        matches!(word.lower.as_str(), "of" | "after" | "before" | "until" | "since" | "following" | "from")
    });
    if is_noun && matches!(open.gap, Gap::Object | Gap::Adverbial) {
        return None;
    }
    let goes_on = |after: &[Word]| is_kind_said(open, after) && after.iter().any(is_new);
    let behind = words[clause.end - 1].end..text.len();
    match open.gap {
        Gap::Subject => {
            let is_passed = |word: &&Word| is_auxiliary(&word.lower) || is_manner(word);
            let passed = before.iter().rev().take_while(is_passed).count();
            let subject = &before[..before.len() - passed];
            let is_filler = |last: &&Word| {
                is_new(last) && is_kind_said(open, subject) || is_named_kind(open, text, subject)
            };
            let last = subject.last().filter(|_| ends).filter(is_filler)?;
            Some(0..last.end)
        }
        Gap::Agent => (begins && next == "by" && goes_on(after)).then_some(behind),
        Gap::Complement => {
            let is_being = matches!(next, "is" | "are" | "was" | "were");
            (begins && is_being && goes_on(after)).then_some(behind)
        }
        Gap::Object => {
            let rest = rest(clause.end);
            let asks_on = rest.iter().any(|word| matches!(word.lower.as_str(), "what" | "which" | "whether"));
            (begins && !asks_on && goes_on(rest)).then_some(behind)
        }
        Gap::Adverbial => (begins && says_adverbial(reading, open, piece, clause)).then_some(0..text.len()),
    }
}

/// Whether words name a thing of the kind asked for, and do not only refer to one.
fn is_kind_said(open: &Open<'_>, words: &[Word]) -> bool {
    open.kind
        .is_none_or(|kind| (0..words.len()).any(|at| is_same(kind, &words[at]) && !is_referred_to(words, at)))
}

/// Whether words end with the kind asked for and a noun that tells which one it is: "the *night* crew". "The other crew" and
/// "the night of the crew" do not.
fn is_named_kind(open: &Open<'_>, text: &str, words: &[Word]) -> bool {
    let [.., before, last] = words else { return false };
    let is_noun = !before.is_function && Language::English.class(&before.lower).is_none();
    let tells = is_noun && !before.is_possessive && !is_adjective(&before.lower);
    let is_one_name = text[before.end..last.start].trim().is_empty();
    let is_kind = open.kind.is_some_and(|kind| is_same(kind, last));
    is_kind && tells && is_one_name && !is_manner(before) && !is_referred_to(words, words.len() - 1)
}

/// Whether a sentence says when, where, why or how much.
fn says_adverbial(reading: &Reading, open: &Open<'_>, piece: &Piece, clause: &Range<usize>) -> bool {
    let (before, after) = (&piece.words[..clause.start], &piece.words[clause.end..]);
    let next = after.first().map_or("", |word| word.lower.as_str());
    let first = before.first().map_or("", |word| word.lower.as_str());
    let leads = |list: &[&str]| list.contains(&next) || list.contains(&first);
    let mut outside = before.iter().chain(after);
    match reading.form.words[0].lower.as_str() {
        "when" => {
            leads(&["when", "after", "before", "until", "once", "every", "during", "whenever", "if", "while"])
                || next == "at" && after.get(1).is_some_and(Word::is_number)
                || outside.any(Word::is_numeric)
        }
        "where" => {
            open.stranded.is_some()
                || ["in", "at", "on", "to", "under", "into", "inside", "from", "via", "within", "through"]
                    .contains(&next)
        }
        "why" => {
            outside.any(|word| matches!(word.lower.as_str(), "because" | "since" | "due"))
                || ["to", "for", "so", "as"].contains(&next)
        }
        _ if reading.form.asks == Asks::Way => {
            ["by", "via", "using", "through", "with", "as"].contains(&next)
        }
        _ => next == "every" || outside.any(Word::is_number),
    }
}
