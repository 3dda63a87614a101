//! Matches the passages against the question: which question words each piece contains by itself, with its
//! headings, and with the pieces that lead to it.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
};

use quiver_language::{
    cause::{self, Cause},
    designator::{Designator, designators, names_another},
    mention::{MentionKind, mentions},
    question::function_words,
    title::{TITLE_SEPARATOR, bare_title},
    token,
    word::is_verb,
};
use quiver_models::Lexical;
use serde_json::{Map, Value};

pub(super) use quiver_language::{text::contains_words as says, token::codes as tokens};

use super::{
    capital::with_capitals,
    form::{self, Asks, Form, Role, is_auxiliary},
    format::{Format, asked_format},
    lexicon,
    rival::tells_of_another,
    unit::{Unit, UnitKind, announces, units},
    word::{Word, is_base_form, is_misspelling, words},
};

/// Weight of a synonym relative to the word itself.
const SYNONYM: f32 = 0.65;
/// Maximum number of pieces in a chain, including the piece itself.
const STEPS_MAX: usize = 3;
/// Maximum number of pieces read from a passage.
const UNITS_MAX: usize = 60;
/// Maximum length in bytes of a sentence together with the neighbours it is quoted with.
const CONTEXT_BYTES_MAX: usize = 480;
/// Maximum number of lines, and of bytes in them, of a list or the code that a sentence announces and is quoted with.
const ANNOUNCED_MAX: usize = 20;
const ANNOUNCED_BYTES_MAX: usize = 960;
/// Length in bytes below which a sentence is quoted with the one after it.
const SHORT_BYTES: usize = 160;
/// Minimum number of passages with a name for it to count as ubiquitous.
const EVERYWHERE_LEAST: usize = 3;
/// Maximum weight, relative to the question's heaviest word, of a word that names the subject of all pages.
const EVERYWHERE_MOST: f32 = 0.25;

/// Who said a passage and when, if it is a turn of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct SaidBy<'a> {
    /// The speaker, if known.
    pub speaker: Option<&'a str>,
    /// The time, and the position in the session.
    pub at: (Option<i64>, u64),
}

/// The turn that a page is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// The question words in the speaker's name.
    pub(super) speaker: Said,
    /// The time, and the position in the session.
    pub(super) at: (Option<i64>, u64),
}

/// An input passage.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The title.
    pub title: Option<&'a str>,
    /// The text.
    pub text: &'a str,
    /// The ranking score.
    pub score: f32,
    /// The number of passages that lead to it.
    pub steps: usize,
    /// The metadata of its document.
    pub metadata: &'a Map<String, Value>,
    /// Who said it, if it is a turn of a conversation.
    pub said_by: Option<SaidBy<'a>>,
}

/// A question word with its weight.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) word: usize,
    pub(super) role: Role,
    pub(super) weight: f32,
    /// Whether it occurs in no passage.
    pub(super) is_unknown: bool,
}

/// The question words that a text contains, as bit sets: literally, or by a synonym.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) exact: u64,
    pub(super) near: u64,
}

impl Said {
    pub(super) fn and(self, other: Self) -> Self {
        Self { exact: self.exact | other.exact, near: self.near | other.near }
    }

    /// Without the words of another text.
    pub(super) fn without(self, other: Self) -> Self {
        let gone = other.exact | other.near;
        Self { exact: self.exact & !gone, near: self.near & !gone }
    }

    /// Whether a question word is contained, by its bit.
    pub(super) fn has(self, bit: usize) -> bool {
        (self.exact | self.near) >> bit & 1 == 1
    }

    /// The same with synonyms as good as the words themselves.
    pub(super) fn with_synonyms(self) -> Self {
        Self { exact: self.exact | self.near, near: 0 }
    }
}

/// A name or other value in a piece.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) range: Range<usize>,
    pub(super) kind: MentionKind,
    /// Lower-case text without an article.
    pub(super) key: String,
}

/// Why a piece cannot answer the question: what it is about instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// Another thing.
    Thing,
    /// Another relation of the same thing.
    Relation,
}

/// A piece of a passage, matched against the question.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) source: usize,
    pub(super) unit: Unit,
    /// The text in lower case.
    pub(super) lower: String,
    pub(super) words: Vec<Word>,
    pub(super) named: Vec<Named>,
    /// The index in the passage.
    pub(super) place: usize,
    /// The question words in the piece itself.
    pub(super) said: Said,
    /// Those words plus literal matches in the title and headings.
    pub(super) own: Said,
    /// The question words in the title and headings.
    pub(super) above: Said,
    /// The label of the list item that it belongs to, in lower case: "heron" of "heron: fan 3 rattles. It is harmless."
    pub(super) label: Option<String>,
    /// The heading above it, in lower case, if that is a name that the question has, written in any way: that of a row, or of
    /// a thing that a passage names.
    pub(super) asked_heading: Option<String>,
    /// The words of the column headers of a row.
    pub(super) heads: Vec<Vec<Word>>,
    /// The question words in the piece, its title and its headings; those of the preceding sentence count as
    /// synonyms.
    pub(super) with_context: Said,
    /// The question words in the piece and the chain leading to it, by chain length.
    pub(super) chained: [Said; STEPS_MAX],
    /// The piece of another passage that leads to it.
    pub(super) from: Option<usize>,
    /// The highest share of the question covered by a piece that this one leads to.
    pub(super) beyond: f32,
    /// What it is about instead, if that is certain.
    pub(super) beside: Option<Beside>,
}

/// Whether a text has a token, in any case of letters.
pub(super) fn has_token(text: &str, token: &str) -> bool {
    tokens(text).any(|other| other.eq_ignore_ascii_case(token))
}

impl Piece {
    /// Whether it is a sentence of prose or a list, and not a row or a line of code.
    pub(super) fn is_sentence(&self) -> bool {
        matches!(self.unit.kind, UnitKind::Prose | UnitKind::Item)
    }

    /// The text between a word and the word before it.
    pub(super) fn gap_before(&self, at: usize) -> &str {
        &self.unit.text[self.words[at - 1].end..self.words[at].start]
    }

    /// The word before another one, if only a space is between them.
    pub(super) fn word_beside(&self, at: usize) -> Option<&Word> {
        let is_beside = at > 0 && self.gap_before(at).trim().is_empty();
        is_beside.then(|| &self.words[at - 1])
    }

    /// The first word after `from` with such a break before it.
    pub(super) fn word_after_break(&self, from: usize, is_break: impl Fn(&str) -> bool) -> Option<usize> {
        (from + 1..self.words.len()).find(|at| is_break(self.gap_before(*at)))
    }

    /// Whether it stands in the same passage under the same heading as another piece.
    pub(super) fn shares_heading(&self, other: &Self) -> bool {
        (self.source, &self.unit.heading) == (other.source, &other.unit.heading)
    }

    /// The names in it, without words that only look like one.
    pub(super) fn names(&self) -> impl Iterator<Item = &Named> {
        self.named.iter().filter(|named| !self.only_begins_with(named))
    }

    /// Whether a word only looks like a name because it begins a sentence: "We'll", "Recruiting", "Smoke machines are".
    fn only_begins_with(&self, named: &Named) -> bool {
        let is_contraction =
            named.key.contains(['\'', '’']) && lexicon::is_function(&token::norm(&named.key));
        let is_gerund = named.key.ends_with("ing") && is_verb(&named.key);
        let is_part = || {
            let lower = |at: usize| self.words.get(at).map_or("", |word| word.lower.as_str());
            let is_plural =
                lower(1).ends_with('s') && !self.words[1].is_capital && !self.words[1].is_function;
            let is_single = self.words.first().is_some_and(|word| word.end >= named.range.end);
            is_single && is_plural && (is_auxiliary(lower(2)) || is_base_form(lower(2)))
        };
        named.kind == MentionKind::Name
            && named.range.start == 0
            && (is_contraction || is_gerund || is_part())
    }
}

/// A parsed passage.
#[derive(Debug)]
pub(super) struct Page {
    /// The title with its headings; empty if it has none.
    pub(super) title: String,
    /// The subject of the passage according to its title; empty if it has none.
    pub(super) subject: String,
    /// The subject in lower case; for an untitled passage, its first word if that is a content word.
    topic: String,
    pub(super) subject_words: Vec<Word>,
    pub(super) title_said: Said,
    pub(super) score: f32,
    pub(super) steps: usize,
    /// The metadata of the document, as text.
    pub(super) fields: Vec<(String, String)>,
    /// The turn that it is, if any.
    pub(super) turn: Option<Turn>,
}

/// The question and the passages, parsed.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) form: Form,
    /// The format that the answer must have.
    pub(super) format: Option<Format>,
    pub(super) question: String,
    /// The question in lower case.
    pub(super) asked: String,
    pub(super) wanted: Vec<Wanted>,
    /// Letters and numbers that distinguish what is asked about from others of its kind.
    designators: Vec<Designator>,
    /// The total weight of all words.
    pub(super) total: f32,
    pub(super) pages: Vec<Page>,
    pub(super) pieces: Vec<Piece>,
    /// Rules that object to nothing, by name.
    pub(super) ignored_rules: Vec<String>,
}

/// Weights of the question's words.
pub trait WordWeights {
    /// The weight of a word; 0 for function words.
    fn weight(&self, stem: u32) -> f32;
    /// Whether no passage contains it.
    fn is_unknown(&self, stem: u32) -> bool;
}

/// Every word counts the same.
#[cfg(test)]
pub(crate) struct Even;

#[cfg(test)]
impl WordWeights for Even {
    fn weight(&self, _: u32) -> f32 {
        1.0
    }

    fn is_unknown(&self, _: u32) -> bool {
        false
    }
}

#[cfg(test)]
impl Reading {
    /// Reads one passage against a question.
    pub(crate) fn of_passage(
        question: &str,
        title: Option<&str>,
        text: &str,
        weights: &dyn WordWeights,
    ) -> Self {
        let metadata = Map::default();
        let source = Source { title, text, score: 1.0, steps: 0, metadata: &metadata, said_by: None };
        Self::of(&Lexical::new(), question, weights, &[source])
    }
}

impl Reading {
    pub(super) fn of(
        lexical: &Lexical,
        question: &str,
        weights: &dyn WordWeights,
        sources: &[Source<'_>],
    ) -> Self {
        let question = &with_capitals(&form::written_out(question), sources.iter().map(|source| source.text));
        let form = form::read(lexical, question);
        let wanted = without_function_words(wanted(&form, weights), &form, question);
        let total = wanted.iter().map(|wanted| wanted.weight).sum::<f32>().max(f32::MIN_POSITIVE);
        let mut reading = Self {
            format: asked_format(&form),
            form,
            question: question.to_owned(),
            asked: question.to_lowercase(),
            wanted,
            designators: designators(question),
            total,
            pages: Vec::new(),
            pieces: Vec::new(),
            ignored_rules: Vec::new(),
        };
        for source in sources {
            reading.read(lexical, source);
        }
        for (at, heading) in reading.asked_headings().into_iter().enumerate() {
            reading.pieces[at].asked_heading = heading;
        }
        reading.chain();
        reading
    }

    /// The heading above each piece if it is a name that the question has.
    fn asked_headings(&self) -> Vec<Option<String>> {
        let mut known: HashMap<&str, Option<String>> = HashMap::new();
        let is_name = |heading: &str| {
            self.pieces.iter().any(|piece| {
                let row = piece.unit.cells.first();
                row.is_some_and(|(_, name)| name.to_lowercase() == heading)
                    || piece.named.iter().any(|named| named.kind == MentionKind::Name && named.key == heading)
            })
        };
        let asked = |heading: &str| {
            let last = heading.rsplit(" › ").next().unwrap_or_default().to_lowercase();
            (!last.is_empty() && says(&self.asked, &last) && is_name(&last)).then_some(last)
        };
        let headings = self.pieces.iter().map(|piece| {
            let heading = piece.unit.heading.as_str();
            known.entry(heading).or_insert_with(|| asked(heading)).clone()
        });
        headings.collect()
    }

    /// The subject of a passage in lower case; empty if unknown.
    pub(super) fn subject(&self, page: usize) -> &str {
        &self.pages[page].topic
    }

    fn read(&mut self, lexical: &Lexical, source: &Source<'_>) {
        let page = self.pages.len();
        let title = source.title.unwrap_or_default();
        let title_said = self.said(&words(lexical, title));
        // The part before the headings is the document; a title with a bracket names what precedes it.
        let subject = title.rsplit(" › ").next().unwrap_or_default();
        let subject = bare_title(subject).to_owned();
        let (topic, subject_words) = (subject.to_lowercase(), words(lexical, &subject));
        let turn = source.said_by.map(|SaidBy { speaker, at }| Turn {
            speaker: self.said(&words(lexical, speaker.unwrap_or_default())),
            at,
        });
        self.pages.push(Page {
            title: title.to_owned(),
            subject,
            topic,
            subject_words,
            title_said,
            score: source.score,
            steps: source.steps,
            fields: source.metadata.iter().filter_map(|(name, value)| field(name, value)).collect(),
            turn,
        });
        let mut heading: (String, Said) = Default::default();
        let mut before: Option<(usize, Said)> = None;
        let mut label: Option<(usize, String)> = None;
        for (place, unit) in units(source.text).into_iter().take(UNITS_MAX).enumerate() {
            let words = words(lexical, &unit.text);
            let said = self.said(&words);
            if heading.0 != unit.heading {
                heading = (unit.heading.clone(), self.said(&super::word::words(lexical, &unit.heading)));
            }
            // The content of the previous sentence is still the topic.
            let earlier = before.filter(|(block, _)| *block == unit.block).map(|(_, said)| said);
            let with_context = said.and(title_said).and(heading.1);
            let with_context = earlier.map_or(with_context, |earlier| Said {
                exact: with_context.exact,
                near: with_context.near | earlier.exact,
            });
            before = Some((unit.block, said));
            label = label_of(&unit).or(label).filter(|(block, _)| *block == unit.block);
            let own = Said { exact: said.exact | title_said.exact | heading.1.exact, near: said.near };
            let above = title_said.and(heading.1);
            let heads = unit.cells.iter().map(|(head, _)| super::word::words(lexical, head)).collect();
            let named = named(&unit);
            if place == 0 && self.pages[page].topic.is_empty() {
                let first = words.first().filter(|word| !word.is_function && word.is_capital);
                self.pages[page].topic = first.map(|word| word.lower.clone()).unwrap_or_default();
            }
            self.pieces.push(Piece {
                source: page,
                lower: unit.text.to_lowercase(),
                unit,
                words,
                named,
                place,
                said,
                own,
                above,
                label: label.as_ref().map(|(_, label)| label.clone()),
                asked_heading: None,
                heads,
                with_context,
                chained: [with_context; STEPS_MAX],
                from: None,
                beyond: 0.0,
                beside: None,
            });
        }
    }

    /// The question words that these words contain.
    pub(super) fn said(&self, words: &[Word]) -> Said {
        let mut said = Said::default();
        for (bit, wanted) in self.wanted.iter().enumerate() {
            match words.iter().map(|word| self.agreement(wanted, word)).max_by(f32::total_cmp) {
                Some(agreement) if agreement >= 1.0 => said.exact |= 1 << bit,
                Some(agreement) if agreement > 0.0 => said.near |= 1 << bit,
                _ => {}
            }
        }
        said
    }

    /// How well a word matches the kind of thing asked for, from 0 to 1.
    pub(super) fn kind_agreement(&self, word: &Word) -> f32 {
        let kinds = self.wanted.iter().filter(|wanted| wanted.role == Role::Kind);
        kinds.map(|kind| self.agreement(kind, word)).fold(0.0, f32::max)
    }

    /// How well a word matches a question word, from 0 to 1.
    pub(super) fn agreement(&self, wanted: &Wanted, word: &Word) -> f32 {
        let asked = &self.form.words[wanted.word];
        // Part of an identifier is the name of something else.
        let parts = if asked.is_identifier() { 1 } else { asked.stems.len() };
        if asked.stems.iter().take(parts).any(|stem| word.stems.contains(stem)) {
            return 1.0;
        }
        if wanted.role != Role::Name && asked.groups & word.groups != 0 {
            return SYNONYM;
        }
        if wanted.is_unknown && is_misspelling(&asked.lower, &word.lower) {
            return 1.0;
        }
        0.0
    }

    /// The share of the question's weight that is covered, restricted to some of its words.
    pub(super) fn share(&self, said: Said, counts: impl Fn(&Wanted) -> bool) -> f32 {
        let (mut sum, mut all) = (0.0, 0.0);
        for (bit, wanted) in self.wanted.iter().enumerate().filter(|(_, wanted)| counts(wanted)) {
            all += wanted.weight;
            if said.exact >> bit & 1 == 1 {
                sum += wanted.weight;
            } else if said.near >> bit & 1 == 1 {
                sum += SYNONYM * wanted.weight;
            }
        }
        if all > 0.0 { sum / all } else { 0.0 }
    }

    /// Whether the sentences of a page together say all that is asked, but for the kind of thing.
    pub(super) fn tells_all(&self, page: usize) -> bool {
        let own = self.pieces.iter().filter(|piece| piece.source == page);
        let said = own.fold(self.pages[page].title_said, |said, piece| said.and(piece.said));
        let mut asked = self.wanted.iter().enumerate().filter(|(_, wanted)| wanted.role != Role::Kind);
        asked.all(|(bit, _)| said.has(bit))
    }

    /// The share of the question's total weight that is covered.
    pub(super) fn cover(&self, said: Said) -> f32 {
        self.share(said, |_| true)
    }

    /// The heading directly above a piece, or else the subject of its passage.
    pub(super) fn heading_of<'r>(&'r self, piece: &'r Piece) -> &'r str {
        let heading = piece.unit.heading.rsplit(" › ").next().filter(|heading| !heading.is_empty());
        heading.unwrap_or(&self.pages[piece.source].subject)
    }

    /// Whether a piece is the first under its heading, or the first of a document without headings.
    pub(super) fn begins_section(&self, at: usize) -> bool {
        let piece = &self.pieces[at];
        let is_same = |before: &usize| self.pieces[*before].shares_heading(piece);
        if at.checked_sub(1).as_ref().is_some_and(is_same) {
            return false;
        }
        // A passage without a heading may come from the middle of a section.
        let title = &self.pages[piece.source].title;
        !piece.unit.heading.is_empty()
            || !title.contains(TITLE_SEPARATOR)
                && self.pages.iter().filter(|page| page.title == *title).count() == 1
    }

    /// Whether the title or headings of a piece contain a question word.
    pub(super) fn is_above(&self, piece: &Piece, word: &Word) -> bool {
        self.bit(word).is_some_and(|bit| piece.above.exact >> bit & 1 == 1)
    }

    /// Whether a piece, its title, its headings or the preceding sentence contain a question word.
    pub(super) fn is_around(&self, piece: &Piece, word: &Word) -> bool {
        self.bit(word).is_some_and(|bit| piece.with_context.has(bit))
    }

    fn bit(&self, word: &Word) -> Option<usize> {
        self.wanted.iter().position(|wanted| self.form.words[wanted.word].start == word.start)
    }

    /// What a word of the question asks for.
    pub(super) fn wanted_by(&self, word: &Word) -> Option<&Wanted> {
        self.bit(word).map(|bit| &self.wanted[bit])
    }

    /// Whether a word of the question weighs so little beside its heaviest one that it names the subject of all pages: "… with
    /// the loom".
    pub(super) fn is_everywhere(&self, wanted: &Wanted) -> bool {
        let most = self.wanted.iter().map(|wanted| wanted.weight).fold(0.0, f32::max);
        wanted.weight <= EVERYWHERE_MOST * most
    }

    /// Whether a piece, with its headings and the chain leading to it, mentions Node-B when the question is
    /// about Node-A, or 1912 when it is about 1914.
    pub(super) fn names_another(&self, piece: &Piece) -> bool {
        let chain: Vec<&Piece> =
            std::iter::successors(Some(piece), |piece| piece.from.map(|from| &self.pieces[from]))
                .take(STEPS_MAX)
                .collect();
        let texts = chain.iter().flat_map(|piece| {
            [piece.unit.text.as_str(), &piece.unit.heading, &self.pages[piece.source].subject]
        });
        if self.leaves_code_open(piece, texts.clone()) {
            return true;
        }
        if !self.designators.is_empty() {
            let said: Vec<Designator> = texts.flat_map(designators).collect();
            if names_another(&self.designators, &said) {
                return true;
            }
        }
        if self.is_of_other_serial(piece) {
            return true;
        }
        // In a document "the Lumen licence" is no Tabula licence, whatever leads there.
        let chain = if self.is_in_section(piece) { vec![piece] } else { chain };
        // Part of an address or a date: "/2021/08/17/".
        let is_number_said = |word: &Word, text: &str| tokens(text).any(|token| token == word.lower);
        let is_said = |word: &Word| {
            let singular = word.lower.trim_end_matches('s');
            chain.iter().any(|piece| {
                let page = &self.pages[piece.source];
                if word.is_numeric() {
                    let texts = [&piece.unit.text, &page.title, &piece.unit.heading];
                    return texts.into_iter().any(|text| is_number_said(word, text));
                }
                let is_form =
                    |other: &Word| word.stems.first().is_some_and(|stem| other.stems.first() == Some(stem));
                piece.words.iter().any(is_form)
                    || [&piece.lower, &page.title.to_lowercase(), &piece.unit.heading.to_lowercase()]
                        .into_iter()
                        .any(|text| says(text, &word.lower) || says(text, singular))
            })
        };
        let heading = piece.unit.heading.as_str();
        let lower_heading = heading.to_lowercase();
        let is_in_heading = |word: &Word| says(&lower_heading, &word.lower);
        tells_of_another(&self.question, &self.form.words, &piece.unit.text, &piece.words, is_said)
            || tells_of_another(
                &self.question,
                &self.form.words,
                heading,
                &words(&Lexical::new(), heading),
                is_in_heading,
            )
    }

    /// Whether a piece, its heading and its title lack a serial of the question, as "LIN110", and have another of its series:
    /// "LIN215".
    fn is_of_other_serial(&self, piece: &Piece) -> bool {
        let is_other = |(asked, letters): (&str, &str)| {
            let title = &self.pages[piece.source].title;
            let around = [&piece.unit.text, title, &piece.unit.heading].map(|text| text.to_lowercase());
            let said = || around.iter().flat_map(|text| tokens(text));
            !said().any(|token| token == asked) && said().any(|token| series(token) == Some(letters))
        };
        tokens(&self.asked).filter_map(|token| Some((token, series(token)?))).any(is_other)
    }

    /// Whether a piece, its heading or the title of its page has a token of the question.
    pub(super) fn shows_token(&self, piece: &Piece, token: &str) -> bool {
        let around = [&piece.unit.text, &self.pages[piece.source].title, &piece.unit.heading];
        around.into_iter().any(|text| has_token(text, token))
    }

    /// Whether the question has a code such as "T-106" that none of these texts has, nor the sentence before the piece. A
    /// name with a number, as "COVID-19", may be said without it.
    fn leaves_code_open<'t>(&'t self, piece: &Piece, texts: impl Iterator<Item = &'t str>) -> bool {
        let codes: Vec<&str> = tokens(&self.asked).filter(|token| is_code(token)).collect();
        if codes.is_empty() {
            return false;
        }
        let is_before = |other: &&Piece| {
            other.source == piece.source
                && other.unit.block == piece.unit.block
                && other.place + 1 == piece.place
                && piece.unit.kind == UnitKind::Prose
        };
        let before = self.pieces.iter().find(is_before).map(|before| before.unit.text.as_str());
        let texts: Vec<String> = texts.chain(before).map(str::to_lowercase).collect();
        let is_said = |word: &str| {
            let mut said = texts.iter().flat_map(|text| tokens(text));
            said.any(|token| token == word)
        };
        let own: Vec<String> = tokens(&piece.lower).map(str::to_owned).collect();
        let has_sibling = |code: &&str| {
            !own.iter().any(|token| token == code) && own.iter().any(|token| is_sibling(code, token))
        };
        if codes.iter().any(has_sibling) {
            return true;
        }
        let name = |code: &str| code.split(['-', '_']).next().unwrap_or_default().to_owned();
        codes
            .iter()
            .any(|code| !is_said(code) && (name(code).len() < NAME_BYTES_LEAST || !is_said(&name(code))))
    }

    /// Whether a piece stands under a heading.
    pub(super) fn is_in_section(&self, piece: &Piece) -> bool {
        self.pages[piece.source].title.contains(TITLE_SEPARATOR) || !piece.unit.heading.is_empty()
    }

    pub(super) fn has_role(&self, role: Role) -> bool {
        self.wanted.iter().any(|wanted| wanted.role == role)
    }

    /// Whether all words of a name are in the question.
    pub(super) fn is_asked(&self, words: &[Word]) -> bool {
        let mut content = words.iter().filter(|word| !word.is_function || words.len() == 1).peekable();
        content.peek().is_some()
            && content.all(|word| {
                self.form.words.iter().any(|asked| asked.lower == word.lower || asked.is_form_of(word))
            })
    }

    /// Whether a sentence begins with a reference to the previous one: "This file", "It", "They",
    /// "Expressions in this language"; if a reason is asked for, also "Thus".
    pub(super) fn refers(&self, at: usize) -> bool {
        let mut words = self.pieces[at].words.iter().map(|word| word.lower.as_str());
        let first = words.next().unwrap_or_default();
        matches!(first, "this" | "these" | "that" | "those" | "it" | "its" | "they" | "such" | "both")
            || words.take(2).any(|word| matches!(word, "this" | "these"))
            || self.form.asks == Asks::Reason && cause::says(first, Cause::Effect)
    }

    /// The preceding sentence, if this one refers to it.
    pub(super) fn antecedent(&self, at: usize) -> Option<usize> {
        let piece = &self.pieces[at];
        let before = &self.pieces[at.checked_sub(1).filter(|_| self.refers(at))?];
        let is_before = before.source == piece.source
            && before.unit.block == piece.unit.block
            && (before.unit.kind, piece.unit.kind) == (UnitKind::Prose, UnitKind::Prose)
            && before.unit.text.len() + piece.unit.text.len() < CONTEXT_BYTES_MAX;
        is_before.then(|| at - 1)
    }

    /// The pieces that a sentence is quoted with: the sentence that it refers to, and the code or list that it announces
    /// or, if it is short, the sentence after it.
    pub(super) fn context(&self, at: usize) -> Range<usize> {
        let piece = &self.pieces[at];
        let is_announcement = announces(&piece.unit.text);
        let (pieces_most, bytes_most) =
            if is_announcement { (ANNOUNCED_MAX, ANNOUNCED_BYTES_MAX) } else { (1, CONTEXT_BYTES_MAX) };
        let start = self.antecedent(at).unwrap_or(at);
        let mut end = at + 1;
        // What a long sentence announces is shown all the same.
        let mut length = if is_announcement {
            0
        } else {
            self.pieces[start..end].iter().map(|piece| piece.unit.text.len() + 1).sum::<usize>() - 1
        };
        let takes_next = !self.form.asks.is_typed();
        let followers = self.pieces[at + 1..].iter().take_while(|next| next.source == piece.source);
        for next in followers.take(pieces_most) {
            let is_near = next.unit.heading == piece.unit.heading;
            let belongs = is_announcement && next.unit.kind != UnitKind::Prose
                || !is_announcement
                    && next.unit.block == piece.unit.block
                    && (next.unit.kind, piece.unit.kind) == (UnitKind::Prose, UnitKind::Prose)
                    && takes_next
                    && !announces(&next.unit.text)
                    && length < SHORT_BYTES;
            if !is_near || !belongs || length + next.unit.text.len() > bytes_most {
                break;
            }
            length += next.unit.text.len() + 1;
            end += 1;
        }
        start..end
    }

    /// Whether the list that a sentence announces is longer than what it is quoted with.
    pub(super) fn cuts_list(&self, at: usize) -> bool {
        let end = self.context(at).end;
        let last = &self.pieces[end - 1];
        let is_listed = |unit: &Unit| matches!(unit.kind, UnitKind::Item | UnitKind::Row);
        end > at + 1
            && is_listed(&last.unit)
            && self.pieces.get(end).is_some_and(|next| next.shares_heading(last) && is_listed(&next.unit))
    }

    /// Follows names from passage to passage, so that a piece's coverage includes that of the pieces leading
    /// to it.
    fn chain(&mut self) {
        let leads = self.leads();
        for step in 1..STEPS_MAX {
            let before: Vec<Said> = self.pieces.iter().map(|piece| piece.chained[step - 1]).collect();
            for (to, from) in leads.iter().enumerate() {
                let own = self.pieces[to].with_context;
                let mut best = (self.cover(before[to]), before[to], self.pieces[to].from);
                for &from in from {
                    let said = own.and(before[from]);
                    let cover = self.cover(said);
                    if cover > best.0 + 1e-6 {
                        best = (cover, said, Some(from));
                    }
                }
                self.pieces[to].chained[step] = best.1;
                self.pieces[to].from = best.2;
            }
        }
        for to in 0..self.pieces.len() {
            if let Some(from) = self.pieces[to].from {
                let said = self.cover(self.pieces[to].chained[STEPS_MAX - 1]);
                self.pieces[from].beyond = self.pieces[from].beyond.max(said);
            }
        }
    }

    /// For each piece, the pieces of other passages that mention its subject, whose subject it mentions, or
    /// that share a name with it. Names that most passages contain are ignored.
    fn leads(&self) -> Vec<Vec<usize>> {
        let pieces = 0..self.pieces.len();
        let mut named_in: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            let is_name = |named: &&Named| matches!(named.kind, MentionKind::Name | MentionKind::Quotation);
            for named in piece.named.iter().filter(is_name).filter(|named| named.key.len() > 2) {
                named_in.entry(&named.key).or_default().insert(at);
            }
        }
        named_in.retain(|key, places| {
            let pages: HashSet<usize> = places.iter().map(|at| self.pieces[*at].source).collect();
            let is_everywhere = pages.len() >= EVERYWHERE_LEAST && 2 * pages.len() > self.pages.len();
            !is_everywhere && !self.asked.contains(*key)
        });
        // By page, the pieces that mention its subject.
        let mentioned: Vec<Vec<bool>> = (0..self.pages.len())
            .map(|page| {
                let subject = self.subject(page);
                let leads = subject.len() > 2 && !self.asked.contains(subject);
                self.pieces.iter().map(|piece| leads && says(&piece.lower, subject)).collect()
            })
            .collect();
        // Two tickets with the same owner say nothing of each other.
        let are_rows = |one: usize, other: usize| {
            [one, other].iter().all(|at| self.pieces[*at].unit.kind == UnitKind::Row)
        };
        let mut shares_name = vec![vec![false; self.pieces.len()]; self.pieces.len()];
        for places in named_in.values() {
            for &to in places {
                for &from in places.iter().filter(|from| !are_rows(**from, to)) {
                    shares_name[to][from] = true;
                }
            }
        }
        let leads = |from: usize, to: usize| {
            let (from_page, page) = (self.pieces[from].source, self.pieces[to].source);
            from_page != page && (mentioned[page][from] || mentioned[from_page][to] || shares_name[to][from])
        };
        pieces.clone().map(|to| pieces.clone().filter(|from| leads(*from, to)).collect()).collect()
    }
}

/// Minimum length in bytes of a name that may be said without its number.
const NAME_BYTES_LEAST: usize = 4;
/// Codes that differ in their last character only are of one family if they are longer than this.
const SIBLING_CHARS_LEAST: usize = 4;

/// Whether two codes differ in their last character only: "mh-z19b", "mh-z19c".
fn is_sibling(code: &str, other: &str) -> bool {
    let stem = |code: &str| code.char_indices().next_back().map(|(at, _)| code[..at].to_owned());
    code != other && code.chars().count() > SIBLING_CHARS_LEAST && stem(code) == stem(other)
}

/// The letters of a serial: at least two, followed by as many digits or more ("lin110").
fn series(token: &str) -> Option<&str> {
    let (letters, digits) = token.split_at(token.find(|c: char| c.is_ascii_digit())?);
    let is_serial = letters.len() > 1
        && letters.chars().all(char::is_alphabetic)
        && digits.len() > 1
        && digits.chars().all(|c| c.is_ascii_digit());
    is_serial.then_some(letters)
}

/// Whether a word is a code: letters and a number, joined by a hyphen or a low line.
fn is_code(token: &str) -> bool {
    let (bare, last) = match token.char_indices().next_back() {
        Some((at, c)) if c.is_alphabetic() => (&token[..at], true),
        _ => (token, false),
    };
    let ends_in_number = bare.ends_with(|c: char| c.is_ascii_digit());
    let is_long = !last || bare.chars().filter(char::is_ascii_digit).count() > 1;
    token.starts_with(char::is_alphabetic) && ends_in_number && is_long && token.contains(['-', '_'])
}

/// A metadata field as text: strings, numbers and lists of them.
fn field(name: &str, value: &Value) -> Option<(String, String)> {
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let words = match value {
        Value::Array(values) => values.iter().map(scalar).collect::<Option<Vec<_>>>()?.join(", "),
        value => scalar(value)?,
    };
    (!words.is_empty()).then(|| (name.to_owned(), words))
}

/// Drops the question words and function words of a question that is not in English, unless nothing would be
/// left.
fn without_function_words(wanted: Vec<Wanted>, form: &Form, question: &str) -> Vec<Wanted> {
    let functional = function_words(question);
    let says = |wanted: &Wanted| {
        let word = &form.words[wanted.word];
        !functional.iter().any(|range| word.start < range.end && range.start < word.end)
    };
    if wanted.iter().any(says) { wanted.into_iter().filter(says).collect() } else { wanted }
}

fn wanted(form: &Form, weights: &dyn WordWeights) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for content in &form.content {
        let word = &form.words[content.word];
        let Some(&stem) = word.stems.first() else { continue };
        let known =
            wanted.iter_mut().find(|known: &&mut Wanted| form.words[known.word].stems.first() == Some(&stem));
        if let Some(known) = known {
            if content.role == Role::Outer && known.role == Role::Inner {
                known.role = Role::Outer;
            }
            continue;
        }
        if content.role == Role::Asking || wanted.len() == 64 {
            continue;
        }
        let weighed = |stem: &&u32| weights.weight(**stem) > 0.0;
        let is_unknown = word.stems.iter().filter(weighed).all(|stem| weights.is_unknown(*stem));
        let weight = word.stems.iter().map(|stem| weights.weight(*stem)).fold(0.0, f32::max);
        if weight > 0.0 {
            wanted.push(Wanted { word: content.word, role: content.role, weight, is_unknown });
        }
    }
    wanted
}

/// Maximum number of words of a label.
const LABEL_WORDS_MAX: usize = 4;

/// The list that an item with a label belongs to, and the label in lower case.
fn label_of(unit: &Unit) -> Option<(usize, String)> {
    let (label, _) = unit.text.split_once(": ").filter(|_| unit.kind == UnitKind::Item)?;
    let is_short = label.split_whitespace().count() <= LABEL_WORDS_MAX;
    is_short.then(|| (unit.block, label.to_lowercase()))
}

fn named(unit: &Unit) -> Vec<Named> {
    if unit.kind == UnitKind::Code {
        return Vec::new();
    }
    let mentions = mentions(&unit.text).into_iter();
    mentions
        .filter(|mention| mention.kind != MentionKind::Term)
        .map(|mention| {
            let lower = mention.name.to_lowercase();
            let key = lower.strip_prefix("the ").unwrap_or(&lower).to_owned();
            Named { range: mention.range, kind: mention.kind, key }
        })
        .collect()
}
