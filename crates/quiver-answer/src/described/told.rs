//! Whether a sentence says of a named thing what the question asks about the described one.

use std::ops::Range;

use quiver_language::{
    description::{Describing, is_verb_of, says, takes},
    word::{is_adjective, is_finite_auxiliary, is_past, is_verb},
};

use super::{
    asked::{Asked, Place},
    is_be, is_needing, is_same, says_word,
};
use crate::{
    candidate::{Candidate, Kind},
    derived::has_value,
    equation::Equation,
    form::Asks,
    format::is_weekday,
    objection::of_named,
    reading::{Piece, Reading},
    word::{Word, denies},
};

/// A sentence that tells what is asked.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) piece: usize,
    /// The number of words of the question that it says by others.
    pub(super) near: usize,
}

/// A sentence that mentions the thing.
pub(super) struct Sentence<'r> {
    pub(super) reading: &'r Reading,
    pub(super) piece: &'r Piece,
    pub(super) asked: &'r Asked,
    /// The words of the thing's name, or of the pronoun for it.
    pub(super) name: Range<usize>,
    /// The words of the clause with it that may tell something: all but its name and its description.
    pub(super) open: Vec<usize>,
}

/// Checks a piece.
pub(super) fn told(
    reading: &Reading,
    candidates: &[(f32, Candidate)],
    asked: &Asked,
    equation: &Equation,
    at: usize,
) -> Option<Told> {
    let piece = &reading.pieces[at];
    let is_told = piece.is_sentence();
    if !is_told || denies(&piece.words) || piece.unit.text.trim_end().ends_with('?') {
        return None;
    }
    let at_piece = at;
    let name = &reading.pieces[equation.piece].words[equation.name.clone()];
    let near = mentions(reading, name, equation, at).into_iter().filter_map(|mention| {
        let part = clause(piece, &mention);
        let is_open = |at: &usize| {
            let is_description = equation.piece == at_piece && equation.describes_by(*at);
            !(mention.contains(at) || is_description)
        };
        let open = part.filter(is_open).collect();
        let sentence = Sentence { reading, piece, asked, name: mention, open };
        sentence.says_rest().filter(|_| sentence.is_about())
    });
    let near = near.min()?;
    let holds_type = holds_type(reading, candidates, at);
    let is_of_type =
        !reading.form.asks.is_typed() || holds_type || reading.form.asks == Asks::Date && says_when(piece);
    let objection = of_named(reading, at, holds_type);
    (is_of_type && objection.is_none()).then_some(Told { piece: at, near })
}

/// Whether a piece has a value of the type asked for.
pub(super) fn holds_type(reading: &Reading, candidates: &[(f32, Candidate)], at: usize) -> bool {
    let fits = |(_, candidate): &(f32, Candidate)| {
        candidate.piece == at
            && !matches!(candidate.kind, Kind::Sentence | Kind::Subject)
            && candidate.fit >= FIT_LEAST
    };
    has_value(reading, candidates, at) || reading.form.asks.is_typed() && candidates.iter().any(fits)
}

/// Minimum type fit of a value.
const FIT_LEAST: f32 = 0.7;

/// The pieces that say of a thing the reverse of what is asked: "Larch *replaced* Saltmarsh" where the question asks what
/// Saltmarsh replaced.
pub(super) fn reversed(reading: &Reading, asked: &Asked, equation: &Equation) -> Vec<usize> {
    let name = &reading.pieces[equation.piece].words[equation.name.clone()];
    let is_reversed = |at: &usize| {
        let piece = &reading.pieces[*at];
        mentions(reading, name, equation, *at).into_iter().any(|mention| {
            let open = clause(piece, &mention).filter(|at| !mention.contains(at)).collect();
            Sentence { reading, piece, asked, name: mention, open }.is_reversed()
        })
    };
    (0..reading.pieces.len()).filter(is_reversed).collect()
}

/// The pieces that mention the thing of an equation and lack a word of the question.
pub(super) fn about(reading: &Reading, equation: &Equation, word: usize) -> Vec<usize> {
    let name = &reading.pieces[equation.piece].words[equation.name.clone()];
    let lacks = |at: &usize| {
        let words = &reading.pieces[*at].words;
        let is_said = |said: &Word| !said.is_function && is_same(&reading.form.words[word], said);
        !words.iter().any(is_said) && !mentions(reading, name, equation, *at).is_empty()
    };
    (0..reading.pieces.len()).filter(lacks).collect()
}

/// Whether a sentence says when: "after every race", "on Wednesdays", "at 7:15".
pub(super) fn says_when(piece: &Piece) -> bool {
    let words = &piece.words;
    let is_time_of_day = |at: usize| {
        let next = words.get(at + 1).filter(|_| words[at].lower == "at");
        next.is_some_and(|next| {
            next.is_numeric() && piece.unit.text[next.start..].chars().take(3).any(|c| c == ':')
        })
    };
    (0..words.len()).any(|at| {
        let opens = matches!(
            words[at].lower.as_str(),
            "before" | "after" | "every" | "each" | "during" | "when" | "whenever" | "once" | "until"
        );
        opens || is_weekday(&words[at].lower) || is_time_of_day(at)
    })
}

/// Where a piece mentions a thing, by its name or by a pronoun that begins the piece after one about it.
pub(super) fn mentions(
    reading: &Reading,
    name: &[Word],
    equation: &Equation,
    at: usize,
) -> Vec<Range<usize>> {
    let words = &reading.pieces[at].words;
    let of = |name: &[Word]| -> Vec<Range<usize>> {
        (0..words.len())
            .map(|start| start..start + name.len())
            .filter(|range| range.end <= words.len() && is_name(reading, at, range, (name, equation)))
            .collect()
    };
    let mut found = of(name);
    if found.is_empty()
        && let Some(proper) = proper_part(reading, name)
    {
        found = of(proper).into_iter().filter(|range| is_done_to(words, range.end)).collect();
    }
    let is_pronoun = words.first().is_some_and(|word| {
        matches!(word.lower.as_str(), "it" | "its" | "they" | "their" | "she" | "he" | "her" | "his")
    });
    if found.is_empty() && is_pronoun && continues(reading, name, equation, at) {
        found.push(0..1);
    }
    found
}

/// The proper name before the noun of a name, which may stand by itself: "*Tern*" for "the Tern camera". A name that
/// also is that of a place, "the ferry to Marlow", may not.
fn proper_part<'n>(reading: &Reading, name: &'n [Word]) -> Option<&'n [Word]> {
    let end = name.iter().position(|word| !word.is_capital).filter(|end| *end > 0)?;
    let (proper, noun) = name.split_at(end);
    let is_at = |pair: &[Word]| {
        matches!(pair[0].lower.as_str(), "in" | "at" | "near" | "from" | "to")
            && pair[1].lower == proper[0].lower
    };
    let is_place = || reading.pieces.iter().any(|piece| piece.words.windows(2).any(is_at));
    let is_noun = |word: &Word| !word.is_function && !word.is_capital && !word.is_number();
    (noun.iter().all(is_noun) && !is_place()).then_some(proper)
}

/// Whether a passive begins here: "has to be cooled". Towns and people lie and move, but are seldom oiled.
fn is_done_to(words: &[Word], from: usize) -> bool {
    let links = |at: &usize| {
        is_finite_auxiliary(&words[*at].lower) || matches!(words[*at].lower.as_str(), "to" | "be")
    };
    let end = (from..words.len()).find(|at| !links(at)).unwrap_or(words.len());
    let is_deed = words.get(end).is_some_and(|word| is_past(&word.lower) || word.lower.ends_with("ed"));
    is_deed && words[from..end].iter().any(|word| is_be(&word.lower))
}

/// Whether these words are the whole name of the thing, and no part of a longer one.
fn is_name(
    reading: &Reading,
    at: usize,
    range: &Range<usize>,
    (name, equation): (&[Word], &Equation),
) -> bool {
    let piece = &reading.pieces[at];
    let words = &piece.words;
    let is_it = words[range.clone()].iter().zip(name).all(|(one, other)| {
        one.lower == other.lower || !other.is_capital && !one.is_capital && is_same(one, other)
    });
    let is_joined = |left: usize, right: usize| {
        matches!(&piece.unit.text[words[left].end..words[right].start], " " | "-" | " & ")
    };
    // "*Template* LR-4", "the Cessna 152 *trainer*".
    let is_kind = |word: &Word| {
        let head = &reading.pieces[equation.piece].words[equation.head];
        let is_common = !word.is_capital || word.start == words[0].start;
        is_common && !equation.name.contains(&equation.head) && is_same(word, head)
    };
    let last = range.end - 1;
    let goes_on = range.end < words.len() && is_joined(last, range.end) && !words[last].is_possessive && {
        let next = &words[range.end];
        !next.is_function
            && !is_kind(next)
            && (next.is_capital || next.is_number() || !is_verb(&next.lower) && !next.lower.ends_with("ly"))
            && !is_subject_after_opening(words, range)
    };
    let begins_before = range.start > 0 && is_joined(range.start - 1, range.start) && {
        let before = &words[range.start - 1];
        let is_verb = is_verb(&before.lower) && !before.is_capital;
        !(before.is_function
            || before.is_possessive
            || is_verb
            || is_kind(before)
            || is_opening(words, range.start))
    };
    is_it && !goes_on && !begins_before
}

/// Whether a name ends the phrase that opens a sentence, without a comma, and the next word is the subject: "After a dose of
/// Fenolin *patients* must rest".
fn is_subject_after_opening(words: &[Word], name: &Range<usize>) -> bool {
    let is_of = name.start > 0 && words[name.start - 1].lower == "of";
    let is_plural = words[name.end].lower.ends_with('s') && !words[name.end].is_capital;
    let has_verb = words.get(name.end + 1).is_some_and(|word| is_finite_auxiliary(&word.lower));
    is_of && is_plural && has_verb && is_opening(words, name.start)
}

/// Whether the words before a place open the sentence with a phrase of time or place: "Every six weeks", "In winter".
fn is_opening(words: &[Word], end: usize) -> bool {
    let opens = words.first().is_some_and(|word| {
        word.is_function
            && (quiver_language::Language::English.class(&word.lower)
                == Some(quiver_language::Class::Preposition)
                || matches!(word.lower.as_str(), "every" | "each" | "once"))
    });
    opens && end > 1 && !words[..end].iter().any(|word| is_finite_auxiliary(&word.lower))
}

/// Whether a piece continues what the pieces before it say about the thing.
fn continues(reading: &Reading, name: &[Word], equation: &Equation, at: usize) -> bool {
    let piece = &reading.pieces[at];
    let Some(before) = at.checked_sub(1).map(|before| &reading.pieces[before]) else { return false };
    if before.source != piece.source || before.unit.block != piece.unit.block {
        return false;
    }
    let is_subject = |start: usize| {
        start + name.len() <= before.words.len()
            && is_name(reading, at - 1, &(start..start + name.len()), (name, equation))
    };
    let refers_on = || {
        let first = before.words.first().map_or("", |word| word.lower.as_str());
        matches!(first, "it" | "they" | "she" | "he") && continues(reading, name, equation, at - 1)
    };
    equation.piece + 1 == at || is_subject(0) || is_subject(1) || refers_on()
}

/// The words of the clause around a place, up to semicolons.
fn clause(piece: &Piece, around: &Range<usize>) -> Range<usize> {
    let words = &piece.words;
    let is_break = |at: &usize| piece.gap_before(*at).contains(';');
    let start = (1..=around.start).rev().find(is_break).unwrap_or(0);
    let end = (around.end..words.len()).find(is_break).unwrap_or(words.len());
    start..end
}

impl Sentence<'_> {
    fn word(&self, at: usize) -> &Word {
        &self.piece.words[at]
    }

    fn lower(&self, at: usize) -> &str {
        self.piece.words.get(at).map_or("", |word| word.lower.as_str())
    }

    fn says(&self, asked: usize, at: usize) -> Option<bool> {
        says_word(&self.reading.form.words[asked], self.word(at))
    }

    /// Whether a word says something that the question does not.
    fn is_new(&self, at: usize) -> bool {
        let word = self.word(at);
        let is_asked =
            || self.reading.form.words.iter().any(|asked| !asked.is_function && is_same(asked, word));
        self.open.contains(&at)
            && !word.is_function
            && !word.lower.ends_with("ly")
            && !says(&word.lower, Describing::Frequent)
            && !is_asked()
    }

    fn is_be(&self, at: usize) -> bool {
        is_be(self.lower(at))
    }

    /// The number of words of the question that the clause says by others, if it says all.
    fn says_rest(&self) -> Option<usize> {
        let words = &self.reading.form.words;
        let is_asked = |at: usize| self.asked.rest.iter().any(|asked| self.says(*asked, at) == Some(true));
        let is_contrast = |at: &usize| {
            let lower = self.lower(*at);
            says(lower, Describing::Contrasting) || is_verb_of(lower, Describing::Replacing) && !is_asked(*at)
        };
        if self.open.iter().any(is_contrast) {
            return None;
        }
        let mut near = 0;
        for asked in &self.asked.rest {
            let said = self.open.iter().filter_map(|at| self.says(*asked, *at)).max();
            match said {
                Some(is_literal) => near += usize::from(!is_literal),
                None if self.asked.kind.contains(asked) && self.has_kind(*asked) => near += 1,
                None if says(&words[*asked].lower, Describing::Frequent) && self.asked.is_implied => {
                    near += 1;
                }
                None => return None,
            }
        }
        let has_preposition = self
            .asked
            .preposition
            .as_ref()
            .is_none_or(|preposition| self.open.iter().any(|at| self.lower(*at) == preposition));
        has_preposition.then_some(near)
    }

    /// Whether the sentence need not say the kind of thing asked for: its verb takes only such things, or the type of the
    /// value shows it.
    fn has_kind(&self, kind: usize) -> bool {
        let words = &self.reading.form.words;
        let Place::Subject { verb } = self.asked.place else { return false };
        matches!(self.reading.form.asks, Asks::Date | Asks::Quantity)
            || takes(&words[verb].lower, &words[kind].lower)
    }

    /// Whether the thing has the part in the sentence that it has in the question, and the sentence tells something new in the
    /// part that is asked for.
    fn is_about(&self) -> bool {
        match self.asked.place {
            Place::Subject { verb } => self.is_subject_of(verb),
            Place::Object { verb } => self.is_object_of(verb),
            Place::Is { state } => {
                let first = self.name.end;
                let is_said = |at: usize| self.says(state, at) == Some(true);
                self.is_subject() && self.is_be(first) && (first..self.piece.words.len()).any(is_said)
            }
            Place::Of { word, verb: Some(verb) } => {
                let told = self.belongs_to(word).and_then(|(_, end)| self.verb_after(end, verb));
                told.is_some_and(|(at, is_passive)| {
                    is_passive == self.asked.is_passive && self.tells_after(at)
                })
            }
            Place::Of { word, verb: None } => {
                let is_listed =
                    || self.belongs_to(word).is_some_and(|(first, end)| self.is_listed(first, end));
                let needs = || {
                    self.asked
                        .rest
                        .iter()
                        .any(|asked| is_needing(&self.reading.form.words[*asked]) && self.has(*asked))
                };
                is_listed() || self.has(word) || needs()
            }
        }
    }

    /// Whether something new follows a verb: any word, or one that tells which thing of the kind asked for.
    fn tells_after(&self, verb: usize) -> bool {
        let is_typed = self.reading.form.asks.is_typed();
        let has_new = (verb + 1..self.piece.words.len()).any(|at| self.is_new(at));
        has_new && (is_typed || self.specifies_kind(verb))
    }

    /// Whether a noun of the kind asked for has something new beside it: "a *hull* inspection", "monitoring of *renal
    /// function*". A sentence that need not say the kind tells it by its object.
    pub(super) fn specifies_kind(&self, verb: usize) -> bool {
        let Some(kind) = self.asked.kind.last().copied() else { return true };
        let said: Vec<usize> =
            self.open.iter().copied().filter(|at| self.says(kind, *at).is_some()).collect();
        let is_beside = |at: usize| {
            let before = (0..at)
                .rev()
                .take_while(|before| !self.is_parted(before + 1) && !self.word(*before).is_function);
            let after = (at + 1..self.piece.words.len())
                .take(KIND_WITHIN)
                .take_while(|after| !self.is_parted(*after));
            let mut after = after.skip_while(|after| !self.word(*after).is_function).skip(1);
            let follows = matches!(self.lower(at + 1), "of" | "on" | "for" | "about" | "called" | "named");
            before.into_iter().any(|at| self.is_new(at)) || follows && after.any(|at| self.is_new(at))
        };
        said.is_empty() || said.into_iter().any(|at| at < verb || is_beside(at))
    }

    /// Whether a phrase with the thing lists what is asked for: "side effects of metformin *are* …", or "… *are* forbidden at
    /// the park".
    fn is_listed(&self, first: usize, end: usize) -> bool {
        let words = &self.piece.words;
        let begin = (0..first).rev().take_while(|at| {
            let lower = self.lower(*at);
            !self.is_parted(at + 1)
                && (self.asked.rest.iter().any(|asked| self.says(*asked, *at).is_some())
                    || says(lower, Describing::Frequent)
                    || says(lower, Describing::Joining)
                    || matches!(lower, "the" | "a" | "an" | "also" | "strictly"))
        });
        let begin = begin.last().unwrap_or(first);
        // "Renal function *must* be monitored with …"
        let is_obligation = is_needing(self.word(begin))
            && self.word(begin).is_function
            && begin.checked_sub(1).is_some_and(|before| !self.is_parted(begin) && self.is_new(before));
        let is_predicate =
            begin.checked_sub(1).is_some_and(|at| self.is_be(at) && (0..at).any(|at| self.is_new(at)));
        let verb = (end..words.len()).find(|at| !self.lower(*at).ends_with("ly"));
        let lists = verb.is_some_and(|verb| {
            let is_list = self.is_be(verb) || is_verb_of(self.lower(verb), Describing::Listing);
            let mut new = (verb + 1..words.len()).filter(|at| self.is_new(*at)).peekable();
            let is_deed = new.peek().is_some_and(|at| {
                let lower = self.lower(*at);
                is_verb(lower)
                    && (lower.ends_with("ed") || lower.ends_with("en"))
                    && words.get(at + 1).is_none_or(|next| next.is_function)
            });
            is_list && !is_deed && new.any(|at| !is_adjective(self.lower(at)))
        });
        is_obligation || is_predicate || lists
    }

    /// Whether the thing is the subject of its sentence.
    fn is_subject(&self) -> bool {
        let start = self.name.start
            - usize::from(
                self.name.start > 0 && matches!(self.lower(self.name.start - 1), "the" | "a" | "an"),
            );
        let begins = start == 0 || self.is_parted(start) && !self.is_in_list() || {
            is_opening(&self.piece.words, start) && !says(self.lower(start - 1), Describing::Joining)
        };
        begins && !self.word(self.name.end - 1).is_possessive
    }

    /// Whether the thing is one of several in a list.
    fn is_in_list(&self) -> bool {
        matches!(self.lower(self.name.end), "and" | "or") || self.is_parted(self.name.end)
    }

    fn is_parted(&self, at: usize) -> bool {
        at > 0
            && at < self.piece.words.len()
            && self.piece.unit.text[self.word(at - 1).end..self.word(at).start]
                .contains([',', ';', ':', '(', ')', '—', '–'])
    }

    /// Whether a verb follows a place with only auxiliaries and adverbs between, or after "and" in a second predicate; and if
    /// so, where it is and whether it is passive.
    fn verb_after(&self, from: usize, verb: usize) -> Option<(usize, bool)> {
        let is_it = |at: &usize| {
            let said = self.says(verb, *at);
            self.open.contains(at) && said.is_some_and(|is_literal| is_literal || is_verb(self.lower(*at)))
        };
        (from..self.piece.words.len()).filter(is_it).find_map(|at| {
            let links = |at: usize| {
                self.word(at).is_function
                    || self.lower(at).ends_with("ly")
                    || matches!(self.lower(at), "has" | "last")
            };
            let is_direct =
                (from..at).all(|between| links(between) && (!self.is_parted(between) || between == from));
            let first = self.lower(from);
            let is_second = || {
                (is_verb(first) || is_finite_auxiliary(first))
                    && matches!(self.lower(at - 1), "and" | "also")
                    && !(from + 1..at).any(|at| {
                        self.is_parted(at)
                            || matches!(self.lower(at), "which" | "who" | "that" | "when" | "while")
                    })
            };
            if !is_direct && !is_second() {
                return None;
            }
            let linking = if is_direct { from..at } else { at..at };
            let is_weak = self.asked.is_obliged
                && linking.clone().any(|at| matches!(self.lower(at), "may" | "might" | "can" | "could"));
            let is_passive = linking.clone().any(|at| self.is_be(at)) && !self.lower(at).ends_with("ing");
            (!is_weak).then_some((at, is_passive))
        })
    }

    fn is_subject_of(&self, verb: usize) -> bool {
        // "Toluene, the preferred solvent, must …"
        let from = (self.name.end..self.piece.words.len())
            .find(|at| self.open.contains(at))
            .unwrap_or(self.name.end);
        let told = self.verb_after(from, verb).filter(|_| self.is_subject());
        told.is_some_and(|(at, is_passive)| is_passive == self.asked.is_passive && self.tells_after(at))
    }

    /// Whether the thing is what a verb is done to: after an active verb, or before a passive one.
    fn is_object_of(&self, verb: usize) -> bool {
        let start = self.name.start
            - usize::from(
                self.name.start > 0 && matches!(self.lower(self.name.start - 1), "the" | "a" | "an"),
            );
        let before = start.checked_sub(1).filter(|at| {
            self.says(verb, *at).is_some() && is_verb(self.lower(*at)) && !self.is_parted(start)
        });
        let is_active =
            before.is_some_and(|at| at > 0 && !self.is_be(at - 1) && (0..at).any(|at| self.is_new(at)));
        let undergoes = || {
            let told = self.verb_after(self.name.end, verb).filter(|_| self.is_subject());
            told.is_some_and(|(at, is_passive)| is_passive && self.tells_after(at))
        };
        is_active && !self.asked.is_passive || undergoes()
    }

    /// Whether the thing is done what it is asked to do, or the other way round.
    fn is_reversed(&self) -> bool {
        if self.asked.is_passive {
            return false;
        }
        match self.asked.place {
            Place::Subject { verb } => {
                let start = self.name.start
                    - usize::from(
                        self.name.start > 0 && matches!(self.lower(self.name.start - 1), "the" | "a" | "an"),
                    );
                start > 1
                    && self.says(verb, start - 1) == Some(true)
                    && !self.is_parted(start)
                    && !self.is_be(start - 2)
            }
            Place::Object { verb } => {
                let told = self.verb_after(self.name.end, verb).filter(|_| self.is_subject());
                told.is_some_and(|(_, is_passive)| !is_passive)
            }
            Place::Of { .. } | Place::Is { .. } => false,
        }
    }

    /// Whether the thing belongs to a word by a preposition, or as its owner, with only words of the question between; and if
    /// so, where the phrase begins and ends.
    fn belongs_to(&self, word: usize) -> Option<(usize, usize)> {
        let start = self.name.start
            - usize::from(
                self.name.start > 0 && matches!(self.lower(self.name.start - 1), "the" | "a" | "an"),
            );
        let is_asked = |at: usize| self.asked.rest.iter().any(|asked| self.says(*asked, at).is_some());
        let is_owner = self.word(self.name.end - 1).is_possessive
            || matches!(self.lower(self.name.start), "its" | "their" | "his" | "her");
        if is_owner {
            let end = (self.name.end..self.piece.words.len()).find(|at| self.word(*at).is_function);
            let end = end.unwrap_or(self.piece.words.len());
            return (end > self.name.end && self.says(word, end - 1).is_some())
                .then_some((self.name.start, end));
        }
        let preposition = start.checked_sub(1).filter(|at| says(self.lower(*at), Describing::Joining))?;
        let from = (0..preposition).rev().find(|at| self.says(word, *at).is_some())?;
        let is_between = |at: usize| !self.is_parted(at) && (self.word(at).is_function || is_asked(at));
        let is_clean = !matches!(self.lower(self.name.end), "and" | "or");
        (is_clean && (from + 1..start).all(is_between)).then_some((from, self.name.end))
    }

    /// Whether the thing is the subject of a verb that says what it has or needs, and a word of the question is what it has.
    fn has(&self, word: usize) -> bool {
        let Some(from) = (self.name.end..self.piece.words.len()).find(|at| self.open.contains(at)) else {
            return false;
        };
        if !self.is_subject() {
            return false;
        }
        let verb = (from..self.piece.words.len()).find(|at| {
            let lower = self.lower(*at);
            !is_finite_auxiliary(lower) || is_verb_of(lower, Describing::Having)
        });
        let Some(verb) = verb.filter(|verb| !(from..=*verb).any(|at| self.is_parted(at) && at > from)) else {
            return false;
        };
        let is_active = (from..verb).all(|at| !self.is_be(at));
        let asks_need = is_needing(&self.reading.form.words[word]);
        let kind = |asked: &usize| self.open.iter().any(|at| *at > verb && self.says(*asked, *at).is_some());
        let tells =
            || self.asked.kind.iter().all(|asked| *asked == word || kind(asked)) && self.tells_after(verb);
        let is_had =
            || self.asked.is_implied && is_verb_of(self.lower(verb), Describing::Having) && kind(&word);
        let needs = is_needing(self.word(verb));
        let is_needed = || self.asked.is_obliged && needs && kind(&word);
        is_active && tells() && if asks_need { needs } else { is_had() || is_needed() }
    }
}

/// Maximum number of words from a kind of thing to what tells which one it is.
const KIND_WITHIN: usize = 5;
