//! Whether a sentence says of a named thing what the question asks about the described one, in any form: it says all that is
//! left of the question in the clause with the thing, and the thing is the agent, the object or beside them in both.

use std::ops::Range;

use quiver_language::{
    description::{Describing, is_verb_of, says},
    word::{is_finite_auxiliary, is_past, is_verb},
};

use super::{
    asked::{self, Asked, Place},
    asks_of_thing, is_adverb, is_be, is_needing,
    naming::{Naming, clauses},
    phrase::{Phrase, describes, is_definite, is_derived, parts},
    says_word,
    told::{Sentence, Told, holds_type, mentions, says_when},
};
use crate::{
    candidate::Candidate,
    form::Asks,
    objection::of_named,
    reading::{Piece, Reading},
    word::{Word, denies},
};

/// The part of a thing in what a verb says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Does it.
    Agent,
    /// It is done to it.
    Object,
    /// A quantity of it has that part: "bags of lime are stored".
    ObjectOf,
    /// Beside both: "on the trainer".
    Beside,
}

/// What a question asks about a described thing.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    /// The content words outside the description, without those that only ask.
    words: Vec<usize>,
    /// Those that give the kind of thing asked for.
    kind: Vec<usize>,
    verb: usize,
    part: Part,
    is_obliged: bool,
}

/// Parses what is asked, if it is asked with a verb.
pub(super) fn rest(reading: &Reading, phrase: &Phrase) -> Option<Rest> {
    let words = &reading.form.words;
    if words
        .iter()
        .enumerate()
        .any(|(at, word)| !phrase.span.contains(&at) && says(&word.lower, Describing::Contrasting))
    {
        return None;
    }
    let (all, kind) = asked::remaining_and_kind(reading, &phrase.span);
    let left: Vec<usize> = all.into_iter().filter(|at| !is_light(words, *at)).collect();
    let verb = verb(reading, phrase, &left, &kind)?;
    let is_obliged = (0..words.len()).any(|at| !phrase.span.contains(&at) && needs(words, at));
    let part = part_in_question(words, phrase, verb);
    Some(Rest { words: left, kind, verb, part, is_obliged })
}

/// The content words of the question outside the description that say something.
pub(super) fn left(reading: &Reading, phrase: &Phrase) -> Vec<usize> {
    let words = &reading.form.words;
    let left = asked::remainder(reading, &phrase.span).into_iter();
    left.filter(|at| !is_light(words, *at)).collect()
}

/// Whether the piece of a clause that names the thing says nothing of what is asked: the question asks more than which thing it is.
pub(super) fn only_names(reading: &Reading, phrase: &Phrase, naming: &Naming) -> bool {
    let form = &reading.form;
    let left = left(reading, phrase);
    let is_said = |asked: usize| says_near(&form.words[asked], &reading.pieces[naming.piece].words);
    let asks_more = || asks_of_thing(form, &phrase.span);
    left.is_empty() && asks_more() || !left.into_iter().all(is_said)
}

/// Whether a piece says all of a description, and not a word of what the question asks about the thing with a verb.
pub(super) fn only_describes(reading: &Reading, phrase: &Phrase, at: usize) -> bool {
    let asked = &reading.form.words;
    let words = &reading.pieces[at].words;
    let is_described =
        |at: &usize| words.iter().any(|said| !said.is_function && describes(&asked[*at], said));
    rest(reading, phrase).is_some()
        && phrase.words.iter().all(is_described)
        && !left(reading, phrase).into_iter().any(|at| says_near(&asked[at], words))
}

/// Whether one of the words says a word of the question, or one akin to it.
fn says_near(asked: &Word, words: &[Word]) -> bool {
    words.iter().any(|said| {
        let is_near = || !said.is_function && (asked.groups & said.groups != 0 || is_derived(asked, said));
        says_word(asked, said).is_some() || is_near()
    })
}

/// The pieces that say of the thing the reverse of what is asked: "the drill is *lent*" where the question asks what it lends.
pub(super) fn reversed(reading: &Reading, phrase: &Phrase, naming: &Naming) -> Vec<usize> {
    let Some(rest) = rest(reading, phrase) else { return Vec::new() };
    let equation = super::equation_of(reading, phrase, naming);
    let name = &reading.pieces[naming.piece].words[naming.name.clone()];
    let is_reversed = |at: &usize| {
        let piece = &reading.pieces[*at];
        mentions(reading, name, &equation, *at).into_iter().any(|mention| {
            let clause = Clause { reading, rest: &rest, phrase, naming, piece, mention, holds_type: true };
            let open: Vec<usize> = clause.range().filter(|at| !clause.mention.contains(at)).collect();
            let mut verbs =
                open.into_iter().filter(|at| clause.says(rest.verb, *at) == Some(true)).peekable();
            verbs.peek().is_some()
                && verbs.all(|verb| {
                    matches!(
                        (rest.part, clause.part(verb)),
                        (Part::Agent, Part::Object) | (Part::Object, Part::Agent)
                    )
                })
        })
    };
    (0..reading.pieces.len()).filter(is_reversed).collect()
}

/// Whether a word says no more than those after it: "need" in "need mowing", "wants" in "wants to be fed", "take" in "take to
/// harden".
fn is_light(words: &[Word], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |word| word.lower.as_str());
    let is_of = |what| is_verb_of(&words[at].lower, what);
    next == "to" && (is_of(Describing::Light) || is_of(Describing::Using))
        || is_verb(next) && next.ends_with("ing") && is_of(Describing::Light)
        || is_past(next) && matches!(words[at].lower.as_str(), "get" | "gets" | "getting")
        || matches!(words[at].lower.as_str(), "go" | "goes") && matches!(next, "out" | "off" | "on")
}

/// Whether a word of a text says that something is needed: "requires", "calls for".
fn needs(words: &[Word], at: usize) -> bool {
    let is_for = || words.get(at + 1).is_some_and(|next| next.lower == "for");
    is_needing(&words[at])
        || is_for()
            && matches!(words[at].lower.as_str(), "call" | "calls" | "called" | "ask" | "asks" | "asked")
}

/// The verb that the question asks about.
fn verb(reading: &Reading, phrase: &Phrase, left: &[usize], kind: &[usize]) -> Option<usize> {
    let words = &reading.form.words;
    let leads = |at: usize| {
        let before = (0..at).rev().find(|before| !is_adverb(&words[*before]) && !is_light(words, *before));
        let Some(before) = before else { return false };
        let lower = words[before].lower.as_str();
        before + 1 == phrase.span.end && !words[before].is_preposition()
            || is_finite_auxiliary(lower)
            || matches!(
                lower,
                "to" | "be" | "been" | "not" | "i" | "we" | "you" | "they" | "one" | "who" | "it"
            )
    };
    let is_infinitive = |at: usize| {
        let before = at.checked_sub(1).map_or("", |before| words[before].lower.as_str());
        matches!(before, "to" | "i" | "we" | "you" | "they")
    };
    let may_be_verb = |at: usize| {
        let lower = &words[at].lower;
        is_verb(lower) || lower.ends_with("ed") || is_infinitive(at)
    };
    let verbs = || left.iter().copied().filter(|at| may_be_verb(*at) && !kind.contains(at));
    let is_after_noun = |at: &usize| {
        let before = at.checked_sub(1).map(|before| &words[before]);
        before.is_some_and(|before| !before.is_function)
    };
    verbs().find(|at| leads(*at)).or_else(|| verbs().rfind(is_after_noun))
}

fn part_in_question(words: &[Word], phrase: &Phrase, verb: usize) -> Part {
    let span = &phrase.span;
    let start = span.start - usize::from(span.start > 0 && is_definite(&words[span.start - 1]));
    let is_gerund = words[verb].lower.ends_with("ing");
    if verb >= span.end {
        // "When *it* crosses the threshold".
        if verb > span.end && matches!(words[verb - 1].lower.as_str(), "it" | "they") {
            return Part::Agent;
        }
        let is_direct = (span.end..verb).all(|at| {
            words[at].is_function && !words[at].is_preposition()
                || is_adverb(&words[at])
                || is_light(words, at)
                || words[at].lower == "to"
        });
        let before = start.checked_sub(1).map(|at| &words[at]);
        let begins = before.is_none_or(|word| is_finite_auxiliary(&word.lower));
        if !is_direct || !begins {
            return Part::Beside;
        }
        let is_be = |word: &Word| is_be(&word.lower);
        let is_passive = words[span.end..verb].iter().any(is_be) || before.is_some_and(is_be);
        let needs = words[span.end..verb].iter().any(is_needing);
        return if is_passive && !is_gerund || is_gerund && needs { Part::Object } else { Part::Agent };
    }
    let between = &words[verb + 1..start];
    let is_passive = words[verb.saturating_sub(3)..verb].iter().any(|word| is_be(&word.lower)) && !is_gerund;
    match between {
        [] if !is_passive => Part::Object,
        // "How much seed should I sow *of* the crop?"
        [of] if of.lower == "of" && !is_passive => Part::Object,
        [by] if by.lower == "by" && is_passive => Part::Agent,
        _ => Part::Beside,
    }
}

/// Whether a piece tells what is asked.
pub(super) fn covered(
    reading: &Reading,
    candidates: &[(f32, Candidate)],
    (rest, phrase, naming): (&Rest, &Phrase, &Naming),
    at: usize,
) -> Option<Told> {
    let piece = &reading.pieces[at];
    let is_told = piece.is_sentence();
    if !is_told || piece.unit.text.trim_end().ends_with('?') {
        return None;
    }
    let holds_type = holds_type(reading, candidates, at);
    let is_of_type = match reading.form.asks {
        // Checked with the clause, or by the objections.
        Asks::Person | Asks::Place => true,
        Asks::Date => holds_type || says_when(piece),
        asks => !asks.is_typed() || holds_type,
    };
    if !is_of_type || of_named(reading, at, holds_type).is_some() {
        return None;
    }
    let equation = super::equation_of(reading, phrase, naming);
    let name = &reading.pieces[naming.piece].words[naming.name.clone()];
    let near = mentions(reading, name, &equation, at).into_iter().filter_map(|mention| {
        let clause = Clause { reading, rest, phrase, naming, piece, mention, holds_type };
        clause.tells()
    });
    near.min().map(|near| Told { piece: at, near })
}

struct Clause<'r> {
    reading: &'r Reading,
    rest: &'r Rest,
    phrase: &'r Phrase,
    naming: &'r Naming,
    piece: &'r Piece,
    /// The words of the thing's name.
    mention: Range<usize>,
    /// Whether the piece has a value of the type asked for.
    holds_type: bool,
}

impl Clause<'_> {
    fn word(&self, at: usize) -> &Word {
        &self.piece.words[at]
    }

    /// The words of the sentence up to a clause about something else, with the clauses of time that follow.
    fn range(&self) -> Range<usize> {
        let parts = clauses(self.piece);
        let own = parts.iter().position(|part| part.contains(&self.mention.start)).unwrap_or(0);
        let lower = |at: usize| self.word(at).lower.as_str();
        let goes_on = |part: &&Range<usize>| {
            matches!(
                lower(part.start),
                "before" | "after" | "when" | "until" | "because" | "since" | "if" | "where"
            ) && !self.piece.unit.text[self.word(part.start - 1).end..self.word(part.start).start]
                .contains(';')
        };
        let end = parts[own + 1..].iter().take_while(goes_on).last().unwrap_or(&parts[own]).end;
        let relative = parts.iter().find(|part| self.relative().is_some_and(|which| part.contains(&which)));
        parts[own].start..relative.map_or(end, |part| end.max(part.end))
    }

    /// The relative pronoun after the thing: "Heron grey, *which* dries in two days".
    fn relative(&self) -> Option<usize> {
        let at = self.mention.end;
        self.piece
            .words
            .get(at)
            .filter(|word| matches!(word.lower.as_str(), "which" | "who" | "that"))
            .map(|_| at)
    }

    /// Where predicates of the thing may begin: after it, in a relative clause about it and after that, and after "and".
    fn predicates(&self) -> Vec<usize> {
        let words = &self.piece.words;
        let mut found = Vec::new();
        if let Some(which) = self.relative() {
            let is_parted = |at: &usize| parts(&self.piece.unit.text, words, *at);
            found.push(which + 1);
            found.extend((which + 1..words.len()).find(is_parted));
        }
        found.push(self.mention.end);
        let range = self.range();
        found.extend((self.mention.end..range.end).filter(|at| words[*at].lower == "and").map(|at| at + 1));
        found
    }

    /// The number of words of the question that the clause says by others, if it tells what is asked.
    fn tells(&self) -> Option<usize> {
        let range = self.range();
        let words = &self.piece.words[range.clone()];
        let is_weak = |word: &Word| matches!(word.lower.as_str(), "may" | "might" | "can" | "could");
        if denies(words) || self.rest.is_obliged && words.iter().any(is_weak) {
            return None;
        }
        let open: Vec<usize> = range.filter(|at| !self.mention.contains(at)).collect();
        if open.iter().any(|at| says(&self.word(*at).lower, Describing::Contrasting)) {
            return None;
        }
        let near = self.near(&open)?;
        // "A partner has to countersign LR-4."
        let does = |verb: usize| {
            let is_agent = |at: &usize| {
                *at < verb
                    && !self.word(*at).is_function
                    && !is_adverb(self.word(*at))
                    && !is_light(&self.piece.words, *at)
            };
            self.part(verb) == Part::Object && verb < self.mention.start && open.iter().any(is_agent)
        };
        let says_verb = |at: &usize| self.says(self.rest.verb, *at).is_some();
        let verbs: Vec<usize> = open.iter().copied().filter(says_verb).collect();
        let is_person = self.reading.form.asks == Asks::Person && !self.holds_type;
        let is_in_part = verbs.iter().any(|verb| self.fits(*verb) && (!is_person || does(*verb)));
        let asked = &self.reading.form.words;
        let is_new = |at: &usize| {
            let word = self.word(*at);
            !word.is_function
                && !is_light(&self.piece.words, *at)
                && !self.rest.words.iter().any(|asked| self.says(*asked, *at).is_some())
                && !self.phrase.words.iter().any(|described| describes(&asked[*described], word))
        };
        let last = verbs.last().copied()?;
        (is_in_part && open.iter().any(is_new) && self.tells_kind(open, last)).then_some(near)
    }

    /// Whether a word of the sentence says a word of the question, and whether literally.
    fn says(&self, asked_at: usize, at: usize) -> Option<bool> {
        let (asked, said) = (&self.reading.form.words[asked_at], self.word(at));
        let is_near = || !said.is_function && (asked.groups & said.groups != 0 || is_derived(asked, said));
        let is_need = || needs(&self.reading.form.words, asked_at) && needs(&self.piece.words, at);
        says_word(asked, said).or_else(|| (is_near() || is_need()).then_some(false))
    }

    /// The number of words of the rest that are said by others, if all are said.
    fn near(&self, open: &[usize]) -> Option<usize> {
        let is_amount =
            matches!(self.reading.form.asks, Asks::Date | Asks::Quantity | Asks::Place | Asks::Person);
        let naming = &self.reading.pieces[self.naming.piece].words;
        let asked = &self.reading.form.words;
        // "The firm's template": whose thing it is need not be said again.
        let is_in_naming = |word: usize| {
            word != self.rest.verb
                && self.naming.clause.clone().any(|at| {
                    !naming[at].is_function
                        && !self.naming.name.contains(&at)
                        && says_word(&asked[word], &naming[at]) == Some(true)
                })
        };
        let mut near = 0;
        for word in &self.rest.words {
            match open.iter().filter_map(|at| self.says(*word, *at)).max() {
                Some(is_literal) => near += usize::from(!is_literal),
                None if self.rest.kind.contains(word) && is_amount => near += 1,
                None if is_in_naming(*word) || self.is_after_use(*word) => near += 1,
                None => return None,
            }
        }
        Some(near)
    }

    /// Whether a word of the question only says that the thing is used, "before *using* the lime", and the clause says so after
    /// the same preposition: "before an application of lime".
    fn is_after_use(&self, asked_at: usize) -> bool {
        let asked = &self.reading.form.words;
        let is_use = is_verb_of(&asked[asked_at].lower, Describing::Using)
            && asked[asked_at].lower.ends_with("ing")
            && asked
                .get(asked_at + 1..self.phrase.span.start)
                .is_some_and(|between| between.iter().all(is_definite));
        let Some(before) = asked_at.checked_sub(1).filter(|at| is_use && asked[*at].is_preposition()) else {
            return false;
        };
        let words = &self.piece.words[..self.mention.start];
        let is_small = |word: &&Word| {
            is_definite(word)
                || matches!(word.lower.as_str(), "of" | "a" | "an" | "each" | "every")
                || says(&word.lower, Describing::Use)
                || is_verb_of(&word.lower, Describing::Using)
        };
        let uses = words.iter().rev().take_while(is_small).any(|word| !word.is_function);
        let first = words.iter().rev().find(|word| !is_small(word));
        uses && first.is_some_and(|first| first.lower == asked[before].lower)
    }

    /// Whether the thing has the part that the question gives it.
    fn fits(&self, verb: usize) -> bool {
        match (self.rest.part, self.part(verb)) {
            (Part::Object, Part::ObjectOf) => true,
            (Part::Beside, Part::Agent) => needs(&self.piece.words, verb),
            (asked, told) => asked == told,
        }
    }

    fn part(&self, verb: usize) -> Part {
        let words = &self.piece.words;
        let start = self.mention.start;
        let start = start
            - usize::from(
                start > 0
                    && (is_definite(&words[start - 1])
                        || matches!(words[start - 1].lower.as_str(), "a" | "an")),
            );
        let is_passive = |from: usize| {
            let linking = &words[from..verb];
            linking.iter().any(|word| is_be(&word.lower)) && !words[verb].lower.ends_with("ing")
        };
        let links = |at: usize| {
            let is_pronoun =
                matches!(words[at].lower.as_str(), "i" | "we" | "you" | "they" | "it" | "he" | "she");
            let is_small = words[at].is_function && !words[at].is_preposition() && !is_pronoun;
            is_small || words[at].lower == "to" || is_adverb(&words[at]) || is_light(words, at)
        };
        if verb >= self.mention.end {
            let begins = |from: &usize| *from <= verb && (*from..verb).all(links);
            let from = self.predicates().into_iter().find(begins);
            let Some(from) = from.filter(|_| !words[self.mention.end - 1].is_possessive) else {
                return Part::Beside;
            };
            // "We use *LR-4, which* was revised": the relative clause is about it.
            let is_own = self.relative().is_some_and(|which| from == which + 1);
            let of = start.checked_sub(1).filter(|at| words[*at].lower == "of");
            let portion = of.and_then(|of| of.checked_sub(1)).map(|at| &words[at]);
            let is_portion = portion.is_some_and(|word| says_portion(&word.lower));
            return match (is_passive(from), !is_own && (of.is_some() || !self.is_subject(start))) {
                (true, true) if is_portion => Part::ObjectOf,
                (_, true) => Part::Beside,
                (true, false) => Part::Object,
                (false, false) => Part::Agent,
            };
        }
        // "Countersign *template* LR-4".
        let is_kind = |at: usize| describes(&self.reading.form.words[self.phrase.head], &words[at]);
        let is_direct = (verb + 1..start).all(|at| is_definite(&words[at]) || is_kind(at));
        let is_done = verb > 0 && is_be(&words[verb - 1].lower) && !words[verb].lower.ends_with("ing");
        if is_direct && !is_done { Part::Object } else { Part::Beside }
    }

    /// Whether a noun phrase that begins here may be a subject: no preposition and no verb stands before it.
    fn is_subject(&self, start: usize) -> bool {
        let Some(before) = start.checked_sub(1) else { return true };
        let words = &self.piece.words;
        let is_object = || is_verb(&words[before].lower) && !words[before].is_capital;
        parts(&self.piece.unit.text, words, start) || !words[before].is_preposition() && !is_object()
    }

    /// Whether the sentence tells which thing of the kind asked for.
    fn tells_kind(&self, open: Vec<usize>, verb: usize) -> bool {
        if self.reading.form.asks.is_typed() {
            return true;
        }
        let asked = Asked {
            place: Place::Object { verb: self.rest.verb },
            kind: self.rest.kind.clone(),
            rest: self.rest.words.clone(),
            is_implied: false,
            is_passive: false,
            is_obliged: false,
            preposition: None,
        };
        let sentence = Sentence {
            reading: self.reading,
            piece: self.piece,
            asked: &asked,
            name: self.mention.clone(),
            open,
        };
        sentence.specifies_kind(verb)
    }
}

fn says_portion(word: &str) -> bool {
    says(word, Describing::Portion)
        || word.strip_suffix('s').is_some_and(|word| {
            says(word, Describing::Portion)
                || word.strip_suffix('e').is_some_and(|word| says(word, Describing::Portion))
        })
}
