//! Sentences that name the thing that a phrase of the question describes, in any form: they affirm, say all words of the
//! description, and name one thing that the description does not say. "Faint galaxies are photographed with the Marlow
//! telescope" names the telescope for faint galaxies.

use std::ops::Range;

use quiver_language::{
    Language,
    description::{Describing, is_verb_of, says},
    word::{is_adjective, is_finite_auxiliary, is_past, is_verb},
};

use super::{
    is_whole,
    phrase::{self, Phrase, describes, is_content, is_definite, is_participle, parts},
};
use crate::{
    reading::{Piece, Reading},
    word::{Word, denies},
};

/// Maximum number of words in a name.
const NAME_WORDS_MAX: usize = 5;
/// Maximum number of content words of a clause beside the description and the name.
const OTHERS_MAX: usize = 4;
/// Minimum number of words, beside the kind of thing, that have to be said if the kind is not.
const SAID_LEAST: usize = 2;
/// Maximum number of words from one word of a description to the next, where the question has them side by side.
const WITHIN_MAX: usize = 3;

/// A clause that names the described thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Naming {
    pub(super) piece: usize,
    /// The words of the name, without an article.
    pub(super) name: Range<usize>,
    /// The words of the clause.
    pub(super) clause: Range<usize>,
    /// Whether it may hold no longer.
    pub(super) has_ended: bool,
    /// Whether the clause says the head of the description.
    pub(super) says_kind: bool,
}

impl Naming {
    /// The name in lower case.
    pub(super) fn key<'r>(&self, reading: &'r Reading) -> Vec<&'r str> {
        reading.pieces[self.piece].words[self.name.clone()].iter().map(|word| word.lower.as_str()).collect()
    }

    /// Whether the name is a proper name.
    pub(super) fn is_proper(&self, reading: &Reading) -> bool {
        reading.pieces[self.piece].words[self.name.clone()].iter().any(|word| word.is_capital)
    }
}

/// The clauses of the passages that name the described thing.
pub(super) fn namings(reading: &Reading, phrase: &Phrase) -> Vec<Naming> {
    (0..reading.pieces.len()).flat_map(|at| in_piece(reading, phrase, at)).collect()
}

/// Whether a clause says all words of a description, even if it denies something.
pub(super) fn is_spoken_of(reading: &Reading, phrase: &Phrase) -> bool {
    let asked = &reading.form.words;
    let says = |words: &[Word], word: usize| {
        words.iter().any(|said| !said.is_function && describes(&asked[word], said))
    };
    reading.pieces.iter().any(|piece| {
        let mut clauses = clauses(piece).into_iter();
        clauses.any(|range| phrase.words.iter().all(|word| says(&piece.words[range.clone()], *word)))
    })
}

fn in_piece(reading: &Reading, phrase: &Phrase, at: usize) -> Vec<Naming> {
    let piece = &reading.pieces[at];
    let is_told = piece.is_sentence();
    if !is_told || piece.unit.text.trim_end().ends_with('?') {
        return Vec::new();
    }
    let clauses = clauses(piece).into_iter().filter_map(|range| affirmed(piece, range));
    clauses.filter_map(|range| Clause { reading, phrase, piece, at, range }.naming()).collect()
}

/// Cuts a piece at semicolons, at dashes and brackets, and where a clause about other things begins.
pub(super) fn clauses(piece: &Piece) -> Vec<Range<usize>> {
    let words = &piece.words;
    let lower = |at: usize| words[at].lower.as_str();
    let begins = |at: &usize| {
        let gap = piece.gap_before(*at);
        gap.contains([';', '—', '–', '(', ')'])
            || says(lower(*at), Describing::Parting)
            || gap.contains(',') && matches!(lower(*at), "which" | "who" | "whose" | "and" | "or" | "so")
    };
    let mut cuts: Vec<usize> = (1..words.len()).filter(begins).collect();
    cuts.insert(0, 0);
    cuts.push(words.len());
    // "The Marlow telescope, which we use for faint galaxies": the thing belongs to the clause.
    let start = |cut: usize| {
        let is_relative = cut > 0 && matches!(lower(cut), "which" | "who");
        let is_of_thing = |at: &usize| {
            !words[*at].is_function && (at + 1 == cut || !parts(&piece.unit.text, words, at + 1))
        };
        let thing = (0..cut).rev().take_while(is_of_thing).last();
        thing.filter(|_| is_relative).unwrap_or(cut)
    };
    cuts.windows(2).map(|pair| start(pair[0])..pair[1]).collect()
}

/// The part of a clause that states something of the present: no negation, condition or doubt, and nothing that something else
/// is compared with.
fn affirmed(piece: &Piece, range: Range<usize>) -> Option<Range<usize>> {
    let lower = |at: usize| piece.words[at].lower.as_str();
    let contrast = range.clone().find(|at| says(lower(*at), Describing::Contrasting));
    let range = range.start..contrast.unwrap_or(range.end);
    let words = piece.words.get(range.clone()).filter(|words| words.len() > 2)?;
    let is_doubtful = |at: usize| {
        let is_month = lower(at) == "may" && is_content(&piece.words[at], at);
        let says = [Describing::Limiting, Describing::Failing].into_iter().any(|what| says(lower(at), what));
        says && !is_month
    };
    let is_over = words.windows(2).any(|pair| pair[0].lower == "used" && pair[1].lower == "to");
    let is_condition = says(lower(range.start), Describing::Parting) || lower(range.start) == "when";
    (!denies(words) && !range.clone().any(is_doubtful) && !is_over && !is_condition).then_some(range)
}

struct Clause<'r> {
    reading: &'r Reading,
    phrase: &'r Phrase,
    piece: &'r Piece,
    at: usize,
    range: Range<usize>,
}

impl Clause<'_> {
    fn naming(&self) -> Option<Naming> {
        let unsaid: Vec<usize> =
            self.phrase.words.iter().copied().filter(|word| !self.is_said(*word, &self.range)).collect();
        let is_head_unsaid = unsaid == [self.phrase.head];
        let is_open = |word: &Word| {
            let is_said = |at: usize| !self.word(at).is_function && describes(word, self.word(at));
            !word.is_function && !self.range.clone().any(is_said)
        };
        if !is_whole(self.reading, &self.phrase.span, &is_open) {
            return None;
        }
        if !unsaid.is_empty() && !is_head_unsaid || !self.keeps_together() {
            return None;
        }
        if let Some((name, has_ended)) = self.by_copula(is_head_unsaid) {
            return self.found(name, has_ended);
        }
        let name = if is_head_unsaid {
            let is_own_thing = self.phrase.words.len() <= SAID_LEAST || self.is_head_known();
            self.in_a_slot().filter(|_| !is_own_thing)
        } else {
            let as_kind = || self.before_as().or_else(|| self.beside_kind()).or_else(|| self.after_called());
            let is_deed = |at: usize| is_participle(self.word(at));
            let in_a_slot = || self.in_a_slot().filter(|_| self.heads().all(is_deed));
            as_kind().or_else(|| self.of_kind()).or_else(in_a_slot).or_else(|| self.after_with())
        };
        self.found(name?, false)
    }

    fn found(&self, name: Range<usize>, has_ended: bool) -> Option<Naming> {
        let words = &self.piece.words[name.clone()];
        let asked = &self.reading.form.words;
        let is_asked =
            |word: &Word| self.phrase.words.iter().any(|described| describes(&asked[*described], word));
        let is_other = words.iter().any(|word| !word.is_function && !is_asked(word));
        let is_second = |word: &Word| {
            says(&word.lower, Describing::Second) || quiver_language::role::is_privative(&word.lower)
        };
        // "Raised *with the old* starter called Bertha": it serves now, and is old.
        let is_age = |at: usize| {
            let serves = |back: usize| {
                at.checked_sub(back).is_some_and(|at| says(self.lower(at), Describing::ServingBy))
            };
            self.lower(at) == "old" && (serves(1) || serves(2) && is_article(self.word(at - 1)))
        };
        // "Number 7 is the *reserve* boiler".
        let is_before_head =
            |at: usize| self.heads().any(|head| at < head && (at..head).all(|at| !self.word(at).is_function));
        let is_of_second = self.range.clone().any(|at| {
            let word = self.word(at);
            let counts = if name.contains(&at) { !word.is_capital } else { is_before_head(at) };
            counts && is_second(word) && !is_asked(word) && !is_age(at)
        });
        (is_other && !is_of_second && words.len() <= NAME_WORDS_MAX).then(|| Naming {
            piece: self.at,
            name,
            clause: self.range.clone(),
            has_ended,
            says_kind: self.is_said(self.phrase.head, &self.range),
        })
    }

    fn word(&self, at: usize) -> &Word {
        &self.piece.words[at]
    }

    fn lower(&self, at: usize) -> &str {
        if self.range.contains(&at) { &self.piece.words[at].lower } else { "" }
    }

    fn is_parted(&self, at: usize) -> bool {
        parts(&self.piece.unit.text, &self.piece.words, at)
    }

    fn is_asked(&self, at: usize) -> bool {
        let asked = &self.reading.form.words;
        self.phrase.words.iter().any(|word| describes(&asked[*word], self.word(at)))
    }

    /// Whether a part of the clause says a word of the description.
    fn is_said(&self, word: usize, part: &Range<usize>) -> bool {
        let asked = &self.reading.form.words[word];
        part.clone().any(|at| is_content(self.word(at), at) && describes(asked, self.word(at)))
    }

    /// Whether words that stand side by side in the question, as "outer walls", do so in the clause, or one of them stands beside
    /// the head there.
    fn keeps_together(&self) -> bool {
        let asked = &self.reading.form.words;
        let are_near = |one: usize, other: usize| {
            let of =
                |word: usize| self.range.clone().filter(move |at| describes(&asked[word], self.word(*at)));
            of(one).any(|left| of(other).any(|right| left.abs_diff(right) <= WITHIN_MAX))
        };
        let head = self.phrase.head;
        self.phrase.words.windows(2).all(|pair| {
            let is_pair = pair[0] + 1 == pair[1] && !asked[pair[0]].is_possessive && !pair.contains(&head);
            !is_pair
                || are_near(pair[0], pair[1])
                || pair.iter().any(|word| are_near(*word, head))
                || self.is_turned(pair[0], pair[1])
        })
    }

    /// Whether a noun phrase of the clause has a word of the description after a preposition that the question has before
    /// another: "permits for the fair", where the question has "the fair permits".
    fn is_turned(&self, one: usize, other: usize) -> bool {
        let asked = &self.reading.form.words;
        let of = |word: usize| self.range.clone().filter(move |at| describes(&asked[word], self.word(*at)));
        let joins = |between: Range<usize>| {
            between.clone().any(|at| says(self.lower(at), Describing::Joining))
                && between.clone().all(|at| {
                    let is_asked = self.is_asked(at) && !is_finite_auxiliary(self.lower(at));
                    let is_small = is_article(self.word(at)) || says(self.lower(at), Describing::Joining);
                    (is_asked || is_small) && !self.is_parted(at)
                })
        };
        of(other).any(|noun| of(one).any(|modifier| noun < modifier && joins(noun + 1..modifier)))
    }

    /// Whether the head of the noun phrase that begins here is that of the description; if the clause does not say that, whether
    /// it is another word of the description: "the *trainer*" for "the training aircraft".
    fn has_head(&self, part: Range<usize>, is_head_unsaid: bool) -> bool {
        let start = part.start + usize::from(part.start < part.end && is_article(self.word(part.start)));
        let Some(head) = phrase::head(&self.piece.words, start..part.end) else { return false };
        let asked = &self.reading.form.words;
        if is_head_unsaid {
            return part.len() > 1 && self.is_asked(head);
        }
        describes(&asked[self.phrase.head], self.word(head))
    }

    /// "The carrier we book for frozen goods is Nordhaul", "Bertha is the starter behind the sourdough".
    fn by_copula(&self, is_head_unsaid: bool) -> Option<(Range<usize>, bool)> {
        let is_copula = |at: &usize| {
            [Describing::Equating, Describing::Ended].iter().any(|what| says(self.lower(*at), *what))
        };
        self.range.clone().filter(is_copula).find_map(|verb| {
            let has_ended = says(self.lower(verb), Describing::Ended);
            let mut next = verb + 1;
            while says(self.lower(next), Describing::Between) || says(self.lower(next), Describing::Naming) {
                next += 1;
            }
            let begin = self.opening(verb);
            let name = self
                .name_after(begin, verb, next, is_head_unsaid)
                .or_else(|| self.name_before(begin, verb, next, is_head_unsaid))?;
            Some((name, has_ended))
        })
    }

    /// Where the subject begins: after an opening phrase, "For the outer walls, …".
    fn opening(&self, verb: usize) -> usize {
        let start = self.range.start;
        let opens = self.word(start).is_function && !is_article(self.word(start));
        (start + 1..verb).rev().find(|at| opens && self.is_parted(*at)).unwrap_or(start)
    }

    fn name_after(
        &self,
        begin: usize,
        verb: usize,
        next: usize,
        is_head_unsaid: bool,
    ) -> Option<Range<usize>> {
        let start = next + usize::from(next < self.range.end && is_article(self.word(next)));
        let is_indefinite = start > next && !is_definite(self.word(next));
        // "Is a siren *named* Old Tom".
        // "Is protected *by* a varnish named Oriel" names the varnish.
        let is_own = |at: &usize| !says(self.lower(*at), Describing::ServingBy);
        let named = (start..self.range.end).take_while(is_own).find_map(|at| self.after_naming(at));
        let start = named.unwrap_or(start);
        let end = (start..self.range.end).find(|at| self.ends_name(*at, start)).unwrap_or(self.range.end);
        let words = self.piece.words.get(start..end).filter(|words| !words.is_empty())?;
        let is_proper = words.iter().any(|word| word.is_capital);
        let is_deed = |word: &Word| {
            is_participle(word) || !word.is_capital && is_verb(&word.lower) && word.lower.ends_with("ing")
        };
        let last = &words[words.len() - 1];
        let is_thing = is_proper
            || !is_indefinite
                && !words.iter().any(is_deed)
                && !is_adjective(&last.lower)
                && !last.lower.ends_with("ly");
        let covers = |word: &usize| {
            *word == self.phrase.head && is_head_unsaid
                || self.is_said(*word, &(self.range.start..verb))
                || self.is_said(*word, &(end..self.range.end))
        };
        let is_described = self.phrase.words.iter().all(covers);
        let fits = is_thing && !words[0].is_number() && is_described;
        (fits && self.has_head(begin..verb, is_head_unsaid)).then_some(start..end)
    }

    fn name_before(
        &self,
        begin: usize,
        verb: usize,
        next: usize,
        is_head_unsaid: bool,
    ) -> Option<Range<usize>> {
        let start = begin + usize::from(is_article(self.word(begin)));
        let is_name = start < verb && (start..verb).all(|at| !self.ends_name(at, start));
        let part = next..self.range.end;
        let has_owner = || part.clone().take(3).any(|at| self.word(at).is_possessive);
        let is_the = part.start < part.end && (is_definite(self.word(next)) || has_owner());
        let is_described = self.phrase.words.iter().all(|word| {
            *word == self.phrase.head && is_head_unsaid
                || self.is_said(*word, &part)
                || self.is_said(*word, &(self.range.start..begin))
        });
        let fits = is_name && is_the && is_described && !self.word(start).is_number();
        (fits && self.has_head(part, is_head_unsaid)).then_some(start..verb)
    }

    /// Whether a name that begins at `start` cannot go on with a word.
    fn ends_name(&self, at: usize, start: usize) -> bool {
        let word = self.word(at);
        let joins = at > start && matches!(word.lower.as_str(), "of" | "the" | "and") && {
            let next = self.piece.words.get(at + 1).filter(|_| at + 1 < self.range.end);
            self.word(at - 1).is_capital && next.is_some_and(|next| next.is_capital || next.lower == "the")
        };
        at > start && self.is_parted(at) || word.is_function && !joins && !(word.is_capital && at > 0)
    }

    /// "We use winter rye as the cover crop", "Winter rye serves as our cover crop".
    fn before_as(&self) -> Option<Range<usize>> {
        let at = self.range.clone().skip(1).find(|at| {
            let next = at + 1 + usize::from(at + 1 < self.range.end && is_article(self.word(at + 1)));
            self.lower(*at) == "as" && next < self.range.end && self.has_head(next..self.range.end, false)
        })?;
        let direct = self.run_before(at);
        if !direct.is_empty() {
            return Some(direct);
        }
        let begin = self.opening(at);
        let start = begin + usize::from(is_article(self.word(begin)));
        let end = (start..at).find(|at| {
            self.ends_name(*at, start) || is_verb(self.lower(*at)) && !self.word(*at).is_capital
        })?;
        (end > start).then_some(start..end)
    }

    /// The content words directly before a place, back to a verb, a function word or a break.
    fn run_before(&self, end: usize) -> Range<usize> {
        let mut start = end;
        while start > self.range.start && !self.word(start - 1).is_function && !self.is_verb_before(start - 1)
        {
            start -= 1;
            if self.is_parted(start) {
                break;
            }
        }
        start..end
    }

    /// Whether a word is a verb with what follows as its object: "the architect *chose* type S mortar", "we *use* lime".
    fn is_verb_before(&self, at: usize) -> bool {
        let word = self.word(at);
        let after_pronoun =
            || at > 0 && matches!(self.lower(at - 1), "we" | "they" | "you" | "i" | "to" | "will" | "must");
        let is_third = || word.lower.ends_with('s') && !word.lower.ends_with("ss") && at > self.range.start;
        !word.is_capital
            && is_verb(&word.lower)
            && !word.is_possessive
            && (is_past(&word.lower) || after_pronoun() || is_third())
    }

    /// The places of the description's head in the clause.
    fn heads(&self) -> impl Iterator<Item = usize> {
        let head = &self.reading.form.words[self.phrase.head];
        // "Needs 40 litres" is no need.
        let is_verb = |at: usize| {
            let next = self.piece.words.get(at + 1).filter(|_| !self.is_parted(at + 1));
            next.is_some_and(|next| is_article(next) || next.is_number()) && is_verb(self.lower(at))
        };
        let is_head = move |at: usize| !self.word(at).is_function && describes(head, self.word(at));
        self.range.clone().filter(move |at| is_head(*at) && !is_verb(*at))
    }

    /// "Bertha, the starter behind the sourdough, …" and "the starter behind the sourdough, Bertha, …".
    fn beside_kind(&self) -> Option<Range<usize>> {
        let is_name = |at: usize| self.word(at).is_capital || self.word(at).is_number();
        self.heads().find_map(|head| {
            let start = (self.range.start + 1..=head).rev().find(|at| self.is_parted(*at));
            let opens = |start: &usize| {
                is_article(self.word(*start)) && (start + 1..head).all(|at| !self.word(at).is_function)
            };
            if let Some(start) = start.filter(opens) {
                let mut first = start;
                while first > self.range.start
                    && is_name(first - 1)
                    && (first == start || !self.is_parted(first))
                {
                    first -= 1;
                }
                return (first < start).then_some(first..start);
            }
            let next = (head + 1..self.range.end).find(|at| self.is_parted(*at))?;
            let end = (next + 1..self.range.end).find(|at| self.is_parted(*at))?;
            let begins = (head.saturating_sub(4)..head).any(|at| is_definite(self.word(at)));
            (begins && (next..end).all(is_name)).then_some(next..end)
        })
    }

    /// Where a name begins if a word of the clause announces it.
    fn after_naming(&self, at: usize) -> Option<usize> {
        after_naming(&self.piece.words[..self.range.end], at)
    }

    /// "A rye starter called Bertha".
    fn after_called(&self) -> Option<Range<usize>> {
        let head = self.heads().next()?;
        // "The altar is protected by *a coating* called Lumafil" names no altar.
        let is_other = |at: usize| {
            let lower = self.lower(at);
            is_finite_auxiliary(lower) || matches!(lower, "a" | "an")
        };
        let start = (head + 1..self.range.end)
            .take_while(|at| !is_other(*at))
            .find_map(|at| self.after_naming(at))?;
        let end = (start..self.range.end).find(|at| self.ends_name(*at, start)).unwrap_or(self.range.end);
        let is_name = start < end && self.word(start).is_capital;
        is_name.then_some(start..end)
    }

    /// The noun phrase with the description's head: "the Marlow telescope", "type S mortar", "our carrier Nordhaul".
    fn of_kind(&self) -> Option<Range<usize>> {
        let mut found = self.heads().filter_map(|head| self.kind_at(head));
        let first = found.next()?;
        let is_same = |other: &Range<usize>| {
            self.piece.words[other.clone()]
                .iter()
                .zip(&self.piece.words[first.clone()])
                .all(|(one, other)| one.lower == other.lower)
        };
        (found.all(|other| is_same(&other)) && self.is_bare(&first)).then_some(first)
    }

    fn kind_at(&self, head: usize) -> Option<Range<usize>> {
        let is_deed = is_participle(self.word(head));
        if is_deed {
            return None;
        }
        let run = self.run_before(head);
        let is_name = |at: usize| {
            let word = self.word(at);
            !self.is_parted(at)
                && !word.is_possessive
                && (word.is_capital || word.is_number() || word.lower.contains(|c: char| c.is_ascii_digit()))
        };
        let end = (head + 1..self.range.end).find(|at| !is_name(*at)).unwrap_or(self.range.end);
        let own = head + 1..end;
        let is_full = |at: usize| self.word(at).lower.len() > 2 && !self.word(at).is_number();
        if own.clone().any(is_full) {
            return Some(own);
        }
        // "Alpine night train" is no night.
        let goes_on = self.range.contains(&end) && !self.is_parted(end) && {
            let next = self.word(end);
            !next.is_function
                && !next.lower.ends_with("ly")
                && !(is_verb(&next.lower) && (is_past(&next.lower) || next.lower.ends_with('s')))
        };
        if goes_on {
            return None;
        }
        let start = run.start.min(head);
        let before = start.checked_sub(1).map_or("", |at| self.lower(at));
        let is_one_of_many = matches!(
            before,
            "a" | "an"
                | "another"
                | "any"
                | "every"
                | "each"
                | "no"
                | "some"
                | "other"
                | "this"
                | "that"
                | "these"
                | "those"
                | "all"
        );
        let is_owner = self.word(head).is_possessive || run.clone().any(|at| self.word(at).is_possessive);
        let adds =
            |at: usize| !self.is_asked(at) && !self.word(at).is_function && !is_adjective(self.lower(at));
        let adds = (start..head).any(adds) || !own.is_empty();
        (adds && !is_one_of_many && !is_owner).then_some(start..end)
    }

    /// Whether the clause says little beside the description and the name.
    fn is_bare(&self, name: &Range<usize>) -> bool {
        let is_open = |at: &usize| {
            let word = self.word(*at);
            !name.contains(at)
                && !word.is_function
                && !self.is_asked(*at)
                && !is_verb_of(&word.lower, Describing::Light)
        };
        self.range.clone().filter(is_open).count() <= OTHERS_MAX
    }

    /// Whether a piece without the name speaks of the kind of thing together with a word of the description: "Tickets for the
    /// autumn season". The kind is then a thing of its own.
    fn is_head_known(&self) -> bool {
        let asked = &self.reading.form.words;
        let says = |piece: &Piece, word: usize| {
            piece.words.iter().any(|said| !said.is_function && describes(&asked[word], said))
        };
        let mut pieces = self.reading.pieces.iter().filter(|piece| says(piece, self.phrase.head));
        pieces
            .any(|piece| self.phrase.words.iter().any(|word| *word != self.phrase.head && says(piece, *word)))
    }

    /// The proper name in the place of what serves for something: "opens with *Finlandia*", "chose *LR-4*", "today
    /// *Nordhaul* carries".
    fn in_a_slot(&self) -> Option<Range<usize>> {
        let names: Vec<Range<usize>> = self.names().into_iter().filter(|name| self.is_bare(name)).collect();
        let before = |name: &Range<usize>| {
            let at = name.start.checked_sub(1)?;
            let at = if is_article(self.word(at)) { at.checked_sub(1)? } else { at };
            self.range.contains(&at).then(|| self.lower(at))
        };
        let serves =
            |name: &&Range<usize>| before(name).is_some_and(|word| says(word, Describing::ServingBy));
        let is_object = |name: &&Range<usize>| {
            before(name).is_some_and(|word| is_verb(word) && !is_finite_auxiliary(word))
        };
        let is_name = |name: &Range<usize>| name.len() > 1 || name.start > 0;
        let begins = |name: &&Range<usize>| name.start <= self.range.start + 1 && is_name(name);
        let only = |is: &dyn Fn(&&Range<usize>) -> bool| {
            let mut of = names.iter().filter(is);
            of.next().filter(|_| of.next().is_none()).cloned()
        };
        only(&serves).or_else(|| only(&is_object)).or_else(|| only(&begins))
    }

    /// The thing after "with" at the end of the clause, where the verb says the head: "the wool is dyed with *woad*".
    fn after_with(&self) -> Option<Range<usize>> {
        let is_deed = |at: usize| is_participle(self.word(at));
        let with = self.range.clone().find(|at| says(self.lower(*at), Describing::ServingBy))?;
        let end = (with + 1..self.range.end).find(|at| self.is_parted(*at)).unwrap_or(self.range.end);
        let name = with + 1..end;
        let is_plain = name.clone().all(|at| !self.word(at).is_function && !self.is_asked(at));
        let fits = !name.is_empty() && is_plain && self.heads().all(is_deed) && self.is_bare(&name);
        fits.then_some(name)
    }

    /// The runs of capitalised words in the clause that the description does not say.
    fn names(&self) -> Vec<Range<usize>> {
        let is_part = |at: usize| {
            let word = self.word(at);
            !word.is_function
                && !word.is_possessive
                && (word.is_capital || word.is_number() || word.lower.contains(|c: char| c.is_ascii_digit()))
        };
        let mut found: Vec<Range<usize>> = Vec::new();
        let begins = |at: usize| at == 0 && Language::English.class(self.lower(at)).is_some();
        for at in self.range.clone().filter(|at| is_part(*at) && !self.is_asked(*at) && !begins(*at)) {
            match found.last_mut().filter(|name| name.end == at && !self.is_parted(at)) {
                Some(name) => name.end = at + 1,
                None => found.push(at..at + 1),
            }
        }
        found.retain(|name| self.word(name.start).is_capital);
        // "Heron *grey*".
        for name in &mut found {
            let goes_on = |at: &usize| {
                let word = self.word(*at);
                !word.is_function && !self.is_parted(*at) && !is_verb(&word.lower) && !self.is_asked(*at)
            };
            name.end += (name.end..self.range.end).take_while(goes_on).count();
        }
        found
    }
}

/// Where a name begins if a word announces it: "called *Bertha*", "known as the *Bertha*".
fn after_naming(words: &[Word], at: usize) -> Option<usize> {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    let next = match lower(at) {
        "known" if lower(at + 1) == "as" => at + 2,
        word if says(word, Describing::Naming) => at + 1,
        _ => return None,
    };
    Some(next + usize::from(words.get(next).is_some_and(is_article)))
}

/// The proper names that a piece announces: "a varnish called *Oriel*".
pub(super) fn announced(piece: &Piece) -> Vec<Range<usize>> {
    let words = &piece.words;
    let starts = (0..words.len()).filter_map(|at| after_naming(words, at));
    let name = |start: usize| {
        let is_proper = |at: &usize| words[*at].is_capital && !words[*at].is_function;
        let end = (start..words.len()).find(|at| !is_proper(at)).unwrap_or(words.len());
        (end > start).then_some(start..end)
    };
    starts.filter_map(name).collect()
}

fn is_article(word: &Word) -> bool {
    is_definite(word) || matches!(word.lower.as_str(), "a" | "an")
}
