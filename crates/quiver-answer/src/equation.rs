//! Sentences that say which thing a description stands for: "Metformin is the first-line drug for type 2 diabetes",
//! "The default cache is Redwood", "Redwood serves as the default cache", "Default cache: Redwood".

use std::ops::Range;

use quiver_language::{
    description::{Describing, is_verb_of, says},
    word::{is_finite_auxiliary, is_verb},
};

use super::{
    reading::{Piece, Reading},
    word::{Word, denies},
};

/// Maximum number of words in the name of a thing.
const NAME_WORDS_MAX: usize = 6;
/// The same where the name follows its description.
const NAME_AFTER_WORDS_MAX: usize = 4;
/// Maximum number of words in a label before a colon.
const LABEL_WORDS_MAX: usize = 8;

/// A sentence that says which thing a description stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equation {
    /// The piece.
    pub(super) piece: usize,
    /// The words of the name, without an article.
    pub(super) name: Range<usize>,
    /// The words of the description: those of the noun phrase, and those of a phrase that opens the sentence.
    pub(super) description: Vec<Range<usize>>,
    /// The last word of the description before its first preposition.
    pub(super) head: usize,
    /// Whether the description may hold no longer, or not always.
    pub(super) has_ended: bool,
}

impl Equation {
    /// Whether a word of the piece belongs to the description.
    pub(super) fn describes_by(&self, at: usize) -> bool {
        self.description.iter().any(|range| range.contains(&at))
    }

    /// The name in lower case.
    pub(super) fn key(&self, reading: &Reading) -> Vec<String> {
        reading.pieces[self.piece].words[self.name.clone()].iter().map(|word| word.lower.clone()).collect()
    }
}

/// All equations in the passages.
pub(super) fn equations(reading: &Reading) -> Vec<Equation> {
    reading.pieces.iter().enumerate().flat_map(|(at, piece)| of_piece(at, piece)).collect()
}

fn of_piece(at: usize, piece: &Piece) -> Vec<Equation> {
    let is_told = piece.is_sentence();
    if !is_told || piece.unit.text.trim_end().ends_with('?') || denies(&piece.words) {
        return Vec::new();
    }
    let sentence = Sentence { text: &piece.unit.text, words: &piece.words };
    let is_limited = sentence.is_limited();
    let found = [
        sentence.name_is_description(),
        sentence.description_is_name(),
        sentence.name_as_description(),
        sentence.as_description_name(),
        sentence.name_beside_description(),
        sentence.label(),
    ];
    let found = found.into_iter().flatten();
    found
        .map(|Found { name, description, head, has_ended }| Equation {
            piece: at,
            name,
            description,
            head,
            has_ended: has_ended || is_limited,
        })
        .collect()
}

/// An equation without its piece.
struct Found {
    name: Range<usize>,
    description: Vec<Range<usize>>,
    head: usize,
    has_ended: bool,
}

struct Sentence<'s> {
    text: &'s str,
    words: &'s [Word],
}

impl Sentence<'_> {
    fn lower(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.lower.as_str())
    }

    /// Whether punctuation other than a hyphen or the dot of an initial parts a word from the one before it.
    fn is_parted(&self, at: usize) -> bool {
        at > 0
            && at < self.words.len()
            && self.text[self.words[at - 1].end..self.words[at].start]
                .contains([',', ';', ':', '(', ')', '—', '–', '"', '“', '”', '!', '?', '|'])
    }

    fn skip_article(&self, at: usize) -> usize {
        at + usize::from(matches!(self.lower(at), "the" | "a" | "an"))
    }

    fn is_definite(&self, at: usize) -> bool {
        matches!(self.lower(at), "the" | "our" | "my" | "your" | "their" | "its")
    }

    /// The verb that equates what stands before and after it, and where the part after it begins.
    fn copula(&self) -> Option<(usize, usize, bool)> {
        let equates = |at: &usize| {
            says(self.lower(*at), Describing::Equating)
                || says(self.lower(*at), Describing::Ended)
                || matches!(self.lower(*at), "has" | "have") && self.is_been(*at + 1)
        };
        let at = (1..self.words.len()).find(equates)?;
        let mut next = at + 1;
        while says(self.lower(next), Describing::Between) && !self.is_parted(next) {
            next += 1;
        }
        Some((at, next, says(self.lower(at), Describing::Ended)))
    }

    /// Whether "been" follows, after at most one adverb: "has *long been*".
    fn is_been(&self, at: usize) -> bool {
        self.lower(at) == "been" || says(self.lower(at), Describing::Between) && self.lower(at + 1) == "been"
    }

    /// The words that can be a name: no verbs, no pronouns, no other function words than those within names.
    fn name(&self, range: Range<usize>, words_max: usize) -> Option<Range<usize>> {
        let start = self.skip_article(range.start);
        let range = start..range.end;
        let fits = |at: usize| {
            let word = &self.words[at];
            let is_inner = at > range.start && at + 1 < range.end;
            let joins = matches!(
                word.lower.as_str(),
                "of" | "the" | "and" | "de" | "von" | "van" | "for" | "in" | "a"
            );
            (!word.is_function || is_inner && joins || word.is_capital && at > 0)
                && !(at > range.start && self.is_parted(at))
        };
        let has_content = self.words.get(range.clone())?.iter().any(|word| !word.is_function);
        // "The limit is 5 MB" gives a value, and no thing.
        let has_content = has_content && !self.words[range.start].is_number();
        let is_name = (1..=words_max).contains(&range.len()) && has_content && range.clone().all(fits);
        is_name.then_some(range)
    }

    /// The definite noun phrase that begins here, with what follows its head, and its head. It ends at punctuation, at a
    /// clause or at a second predicate.
    fn described(&self, from: usize, end: usize) -> Option<(Range<usize>, usize)> {
        let start = from + usize::from(self.is_definite(from));
        let is_end = |at: usize| {
            let lower = self.lower(at);
            let is_clause = matches!(
                lower,
                "which"
                    | "who"
                    | "whom"
                    | "whose"
                    | "that"
                    | "because"
                    | "but"
                    | "while"
                    | "when"
                    | "where"
                    | "since"
                    | "although"
                    | "so"
                    | "or"
                    | "as"
                    | "than"
            );
            let next = self.words.get(at + 1);
            let joins = lower == "and" && next.is_none_or(|next| next.is_function || is_verb(&next.lower));
            self.is_parted(at) && at > start || is_clause || joins || is_finite_auxiliary(lower)
        };
        let stop = (start..end).find(|at| is_end(*at)).unwrap_or(end);
        let preposition = (start..stop).find(|at| says(self.lower(*at), Describing::Joining));
        let content = |at: &usize| !self.words[*at].is_function;
        let head = (start..preposition.unwrap_or(stop)).rev().find(content)?;
        // "The main improver *used* for rye dough"
        let is_deed = |at: usize| self.lower(at).ends_with("ed") && is_participle(self.lower(at));
        let noun = (start..head).rev().find(content).filter(|_| preposition.is_some() && is_deed(head));
        let head = noun.unwrap_or(head);
        // "is designated for the route" tells what is done, not what the thing is.
        let is_noun = head > start || !is_participle(self.lower(head));
        is_noun.then_some((start..stop, head))
    }

    /// Whether a sentence limits what it says, or leaves it in doubt: "until 1911", "might".
    fn is_limited(&self) -> bool {
        self.words.iter().any(|word| says(&word.lower, Describing::Limiting))
    }

    /// "Metformin is the first-line drug for type 2 diabetes", "In Norway, …"
    fn name_is_description(&self) -> Option<Found> {
        let (verb, next, has_ended) = self.copula()?;
        let opening = (1..verb).rev().find(|at| self.is_parted(*at)).unwrap_or(0);
        let is_condition =
            says(self.lower(0), Describing::Limiting) || matches!(self.lower(0), "when" | "before");
        if opening > 0 && (is_condition || !self.words[0].is_function) {
            return None;
        }
        let name = self.name(opening..verb, NAME_WORDS_MAX)?;
        let is_possessive =
            || self.words[next..].iter().take(NAME_AFTER_WORDS_MAX).any(|word| word.is_possessive);
        // "Rosa is head of the archive"
        let is_role = || {
            let of = (next + 1..next + 4).find(|at| matches!(self.lower(*at), "of" | "for"));
            of.is_some_and(|of| self.words[next..of].iter().all(|word| !word.is_function && !word.is_capital))
        };
        if next >= self.words.len() || !(self.is_definite(next) || is_possessive() || is_role()) {
            return None;
        }
        let (range, head) = self.described(next, self.words.len())?;
        let mut description = vec![range];
        if opening > 0 {
            description.push(0..opening);
        }
        Some(Found { name, description, head, has_ended })
    }

    /// "The first-line drug for type 2 diabetes is metformin."
    fn description_is_name(&self) -> Option<Found> {
        let (verb, next, has_ended) = self.copula()?;
        let start = (0..verb).find(|at| self.is_definite(*at) && (*at == 0 || *at > 1))?;
        // "For the checkout service, the default cache is …"
        let is_preposition = || {
            quiver_language::Language::English.class(self.lower(0))
                == Some(quiver_language::Class::Preposition)
        };
        let opens = start == 0 || is_preposition();
        let (range, head) = self.described(start, verb).filter(|_| opens)?;
        let end = (next + 1..self.words.len()).find(|at| self.is_parted(*at)).unwrap_or(self.words.len());
        let is_indefinite = matches!(self.lower(next), "a" | "an");
        let name = self.name(next..end, NAME_AFTER_WORDS_MAX).filter(|_| !is_indefinite)?;
        // "Was first released in 1961" tells what happened.
        let is_deed = |word: &Word| !word.is_capital && is_participle(&word.lower);
        let is_property = self.words[name.clone()].iter().any(is_deed);
        let is_whole = range.end == verb && !is_property;
        let mut description = vec![range];
        if start > 0 {
            description.push(0..start);
        }
        is_whole.then_some(Found { name, description, head, has_ended })
    }

    /// "Winter rye serves as the cover crop", "is used as the …", "We use winter rye as our …"
    fn name_as_description(&self) -> Option<Found> {
        let at = (2..self.words.len()).find(|at| self.lower(*at) == "as" && self.is_definite(at + 1))?;
        let (range, head) = self.described(at + 1, self.words.len())?;
        let verb = (0..at).rev().find(|verb| {
            let lower = self.lower(*verb);
            says(lower, Describing::Serving) || is_verb_of(lower, Describing::Choosing)
        })?;
        let auxiliary = (1..=verb).find(|at| is_finite_auxiliary(self.lower(*at)));
        let is_serving = says(self.lower(verb), Describing::Serving) || auxiliary.is_some();
        let name = if is_serving {
            let is_direct = verb + 1 == at;
            self.name(0..auxiliary.unwrap_or(verb), NAME_WORDS_MAX).filter(|_| is_direct)?
        } else {
            self.name(verb + 1..at, NAME_WORDS_MAX)?
        };
        let has_ended = auxiliary.is_none() && is_serving && self.lower(verb).ends_with("ed");
        Some(Found { name, description: vec![range], head, has_ended })
    }

    /// "As the designated icebreaker, the Ymer must …"
    fn as_description_name(&self) -> Option<Found> {
        if self.lower(0) != "as" || !self.is_definite(1) {
            return None;
        }
        let (range, head) = self.described(1, self.words.len())?;
        let from = range.end;
        let end = (from + 1..self.words.len()).find(|at| {
            let lower = self.lower(*at);
            is_finite_auxiliary(lower) || is_verb(lower) && !self.words[*at].is_capital
        })?;
        let name = self.name(from..end, NAME_WORDS_MAX).filter(|_| self.is_parted(from))?;
        Some(Found { name, description: vec![range], head, has_ended: false })
    }

    /// "Metformin, the first-line drug for type 2 diabetes, …" and "The first-line drug, metformin, …"
    fn name_beside_description(&self) -> Option<Found> {
        let first = (1..self.words.len()).find(|at| self.is_parted(*at))?;
        let next = (first + 1..self.words.len()).find(|at| self.is_parted(*at))?;
        let goes_on = is_finite_auxiliary(self.lower(next)) || is_verb(self.lower(next));
        if !goes_on || self.lower(next - 1) == "and" {
            return None;
        }
        if self.is_definite(first) {
            let (range, head) = self.described(first, next)?;
            let name = self.name(0..first, NAME_WORDS_MAX).filter(|_| range.end == next)?;
            return Some(Found { name, description: vec![range], head, has_ended: false });
        }
        let (range, head) =
            self.described(0, first).filter(|(range, _)| self.is_definite(0) && range.end == first)?;
        let name = self.name(first..next, NAME_AFTER_WORDS_MAX)?;
        Some(Found { name, description: vec![range], head, has_ended: false })
    }

    /// "Default cache for the checkout service: Redwood"
    fn label(&self) -> Option<Found> {
        let colon = self.text.find(": ")?;
        let first = self.words.iter().position(|word| word.start > colon)?;
        if first > LABEL_WORDS_MAX || (1..first).any(|at| self.is_parted(at)) {
            return None;
        }
        let (range, head) = self.described(0, first)?;
        let name = self.name(first..self.words.len(), NAME_AFTER_WORDS_MAX)?;
        (range.end == first).then_some(Found { name, description: vec![range], head, has_ended: false })
    }
}

/// Whether a word is a verb's participle by its ending.
fn is_participle(word: &str) -> bool {
    is_verb(word) && (word.ends_with("ed") || word.ends_with("ing") || word.ends_with("en"))
}
