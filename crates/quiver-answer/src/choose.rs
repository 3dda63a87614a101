//! Chooses the answer without a language model: the likeliest candidate, a comparison, or yes or no.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use quiver_language::{MentionKind, measure::Measure};
use quiver_models::Lexical;

use super::{
    candidate::{Candidate, Kind, candidates, key, overlap},
    derived::{self, derived},
    described::{Bridge, bridge, described, no_answers, others},
    equation::{Equation, equations},
    form::{Asks, Form, Role},
    model::{AnswerForm, AnswerWeights, score, softmax},
    nested::{nested, tells_all},
    objection::{Doubts, Objection, is_price, of_sentence, of_summary, of_turn, of_value},
    pair::{Verdict, compare},
    reading::{Named, Piece, Reading, Said, Source, WordWeights},
    sign::{kind_sign, mark_clear_way, set, signs},
    stated::{Stated, beside, stated, stated_further, stated_in_one_place},
    unit::{UnitKind, text_of},
    word::{Word, denies},
};

/// A quotation from one of the passages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Index of the passage.
    pub source: usize,
    /// Byte range in its text.
    pub range: Range<usize>,
    /// The quoted text without markup.
    pub text: String,
    /// The headings above it in the passage.
    pub heading: String,
}

impl Spot {
    /// Whether two quotations share a part of a passage.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.source == other.source && overlap(&self.range, &other.range)
    }
}

/// A possible answer.
#[derive(Clone, Debug)]
pub struct AnswerOption {
    /// The text of the answer.
    pub text: String,
    /// The form of the answer.
    pub form: AnswerForm,
    /// The supporting quotations, the one with the answer first.
    pub spots: Vec<Spot>,
    /// Inputs of the confidence model, in the order of [`AnswerWeights::sign_names`].
    pub signs: Vec<f32>,
    /// Rules this answer out, whatever its confidence.
    pub objection: Option<Objection>,
    /// Makes the answer less likely without ruling it out.
    pub doubt: Option<Objection>,
    /// The upper bound of its confidence. A value under a heading is no surer than the sentence around it: many sentences of
    /// a manual say a number, and only what else they say shows of what.
    pub confidence_max: f32,
}

impl AnswerOption {
    /// Probability that the answer is right, from 0 to 1, ignoring any objection.
    pub fn confidence(&self, weights: &AnswerWeights) -> f32 {
        let learned = weights.confidence(self.form, &self.signs).min(self.confidence_max);
        if self.form == AnswerForm::Sentence {
            (1.0 - SENTENCE_RISK * (1.0 - learned)).max(0.0)
        } else {
            learned
        }
    }
}

/// The risk of a whole sentence as the answer, relative to the learned one. In eight folders and on the four sets that the
/// weights were learned from, sentences with a learned confidence from 0.55 to 0.65 were right in 4 of 11 cases, and values
/// in 11 of 13.
const SENTENCE_RISK: f32 = 9.0 / 7.0;

/// The result for one question.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Possible answers, best first.
    pub options: Vec<AnswerOption>,
    /// The sentences closest to an answer, best first.
    pub nearest: Vec<Spot>,
    /// The question words that the sentences of the first option leave uncovered.
    pub open: Vec<String>,
    /// Those of them that occur in no passage, and their share of the question's weight.
    pub unknown: (Vec<String>, f32),
}

/// Training data for the weights: every candidate of a question with its features.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The candidates.
    pub candidates: Vec<ObservedCandidate>,
}

/// A candidate in the training data.
#[derive(Clone, Debug)]
pub struct ObservedCandidate {
    /// The text.
    pub text: String,
    /// Its features, by feature number.
    pub features: Vec<(u16, f32)>,
}

/// Returns all candidates of a question.
pub fn observe(
    lexical: &Lexical,
    question: &str,
    weights: &dyn WordWeights,
    sources: &[Source<'_>],
) -> Observed {
    let reading = Reading::of(lexical, question, weights, sources);
    let candidates = candidates(&reading).into_iter();
    let observed =
        candidates.map(|candidate| ObservedCandidate { text: candidate.text, features: candidate.features });
    Observed { candidates: observed.collect() }
}

/// Chooses the answer.
pub fn choose(
    lexical: &Lexical,
    question: &str,
    weights: &dyn WordWeights,
    sources: &[Source<'_>],
    learned: &AnswerWeights,
) -> Choice {
    let (reading, found) = read(lexical, question, weights, sources, learned);
    let competing = Sentences::of(&reading, &found);
    let nearest = competing.nearest(learned);
    let equations = equations(&reading);
    let bridge = bridge(&reading);
    let stated = || stated(&reading).map(|stated| option_of(&reading, &found, stated)).into_iter();
    let mut options: Vec<AnswerOption> = match compare(&reading) {
        Some(verdict) => vec![compared(&reading, &verdict)],
        None if reading.form.asks == Asks::YesNo => {
            stated().chain(closed(&reading)).chain(competing.options()).collect()
        }
        None if reading.form.asks == Asks::Summary => summary(&reading).into_iter().collect(),
        None => {
            let derived = derivation(&reading, &found, &equations, bridge.as_ref());
            let derived = derived.map(|pieces| at_the_end(&reading, &found, &pieces, bridge.as_ref()));
            let sentences = competing.options();
            let mut values = values(&reading, &found);
            for value in values.iter_mut().filter(|value| AnswerWeights::is_in_section(&value.signs)) {
                let around = sentences.iter().find(|sentence| sentence.spots[0].overlaps(&value.spots[0]));
                value.confidence_max = around.map_or(0.0, |around| around.confidence(learned));
            }
            let last = stated_in_one_place(&reading).map(|stated| AnswerOption {
                confidence_max: ONE_PLACE_CONFIDENCE,
                ..option_of(&reading, &found, stated)
            });
            stated().chain(derived).chain(values).chain(sentences).chain(last).collect()
        }
    };
    object_to_equations(&reading, (&equations, bridge.as_ref()), &mut options);
    object_to_others(&reading, bridge.as_ref(), &mut options);
    if let Some(objection) = to_any_answer(&reading.form) {
        options.iter_mut().for_each(|option| option.objection = Some(objection));
    }
    let spots = options.first().into_iter().flat_map(|option| &option.spots).chain(&nearest);
    let (open, unknown) = open(&reading, &spots.collect::<Vec<_>>());
    Choice { options, nearest, open, unknown }
}

/// The answer that one passage states or that several yield together, if any. Accepts more passages than
/// [`choose`] weighs.
pub fn stated_or_derived(
    lexical: &Lexical,
    question: &str,
    weights: &dyn WordWeights,
    sources: &[Source<'_>],
    learned: &AnswerWeights,
) -> Option<AnswerOption> {
    let (reading, found) = read(lexical, question, weights, sources, learned);
    let is_open = to_any_answer(&reading.form).is_some();
    if reading.form.asks == Asks::Summary || is_open || compare(&reading).is_some() {
        return None;
    }
    let equations = equations(&reading);
    let bridge = bridge(&reading);
    let stated = stated_further(&reading).map(|stated| option_of(&reading, &found, stated));
    let derived = || {
        let pieces = derivation(&reading, &found, &equations, bridge.as_ref())
            .filter(|_| reading.form.asks != Asks::YesNo)?;
        Some(at_the_end(&reading, &found, &pieces, bridge.as_ref()))
    };
    let mut options: Vec<AnswerOption> = stated.or_else(derived).into_iter().collect();
    object_to_equations(&reading, (&equations, bridge.as_ref()), &mut options);
    object_to_others(&reading, bridge.as_ref(), &mut options);
    options.pop()
}

/// Confidence of what the only sentence with a clause of two words states. Any other answer that reaches the default minimum
/// goes before it.
const ONE_PLACE_CONFIDENCE: f32 = 0.5;

/// The objection to every answer to a question.
fn to_any_answer(form: &Form) -> Option<Objection> {
    if form.is_of_nobody() {
        return Some(Objection::OtherThing);
    }
    // The question asks for two things. No sentence answers both, and half an answer looks like a whole one.
    form.asks_twice.then_some(Objection::One)
}

/// The pieces that yield the answer together, the one with the answer first. Keywords describe nothing, so no path answers them.
fn derivation(
    reading: &Reading,
    found: &[(f32, Candidate)],
    equations: &[Equation],
    bridge: Option<&Bridge>,
) -> Option<Vec<usize>> {
    reading.form.question_word?;
    let described = described(reading, found, equations, bridge).map(|described| described.pieces);
    if described.is_some() || tells_all(reading, found) {
        return described;
    }
    let derived = derived(reading, found).map(|derived| derived.pieces);
    derived.or_else(|| nested(reading, found).map(|nested| nested.pieces))
}

/// Objects to sentences that only say what a description in the question stands for, or the reverse of what is asked about
/// the thing.
fn object_to_equations(
    reading: &Reading,
    (equations, bridge): (&[Equation], Option<&Bridge>),
    options: &mut [AnswerOption],
) {
    let equations: Vec<Spot> =
        no_answers(reading, equations, bridge).into_iter().map(|at| spot(&reading.pieces[at])).collect();
    for option in options.iter_mut().filter(|option| option.form != AnswerForm::Summary) {
        // A sentence with a pronoun is quoted with the equation before it.
        let is_it = |spot: &Spot| {
            let first = &option.spots[0];
            let is_part = spot.range.start <= first.range.start && first.range.end <= spot.range.end;
            let is_whole = option.form != AnswerForm::Derived && overlap(&first.range, &spot.range);
            first.source == spot.source && (is_part || is_whole)
        };
        if equations.iter().any(is_it) {
            option.objection = option.objection.or(Some(Objection::OtherRelation));
        }
    }
}

/// Objects to sentences about another thing than the one that the question describes.
fn object_to_others(reading: &Reading, bridge: Option<&Bridge>, options: &mut [AnswerOption]) {
    let others = others(reading, bridge);
    let forms = [AnswerForm::Summary, AnswerForm::Comparison];
    for option in options.iter_mut().filter(|option| !forms.contains(&option.form)) {
        let first = &option.spots[0];
        let is_in = |at: &usize| {
            let piece = &reading.pieces[*at];
            piece.source == first.source && overlap(&piece.unit.range, &first.range)
        };
        let mut quoted = (0..reading.pieces.len()).filter(is_in).peekable();
        if quoted.peek().is_some() && quoted.all(|at| others.contains(&at)) {
            option.objection = option.objection.or(Some(Objection::OtherThing));
        }
    }
}

/// Reads the passages against a question and returns the candidates, likeliest first.
fn read(
    lexical: &Lexical,
    question: &str,
    weights: &dyn WordWeights,
    sources: &[Source<'_>],
    learned: &AnswerWeights,
) -> (Reading, Vec<(f32, Candidate)>) {
    let mut reading = Reading::of(lexical, question, weights, sources);
    reading.ignored_rules.clone_from(&learned.ignored_rules);
    for (at, beside) in beside(&reading) {
        reading.pieces[at].beside = Some(beside);
    }
    let mut all = candidates(&reading);
    all.retain(|candidate| may_answer(&reading, candidate));
    let by_number = learned.by_number();
    let scored = all.into_iter().map(|candidate| (score(&by_number, &candidate.features), candidate));
    let mut found: Vec<(f32, Candidate)> = scored.collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.piece.cmp(&b.1.piece)).then(a.1.text.cmp(&b.1.text)));
    (reading, found)
}

/// Whether a candidate may answer the question. Sentences always may. Other candidates may not if the question asks for a
/// sentence, or if they only repeat the question.
fn may_answer(reading: &Reading, candidate: &Candidate) -> bool {
    let is_told = matches!(
        reading.form.asks,
        Asks::Definition | Asks::Reason | Asks::Way | Asks::Description | Asks::Summary | Asks::YesNo
    );
    if candidate.kind == Kind::Sentence {
        return true;
    }
    if crosses_cells(&reading.pieces[candidate.piece], &candidate.range) {
        return false;
    }
    if is_told {
        return false;
    }
    let either = reading.form.either.is_some();
    either || !asks_itself(reading, candidate)
}

/// Whether a range of a row is in more than one cell.
fn crosses_cells(piece: &Piece, range: &Range<usize>) -> bool {
    let mut from = 0;
    let starts = piece.unit.cells.iter().filter_map(|(head, _)| {
        let at = from + piece.unit.text.get(from..)?.find(&format!("{head}: "))?;
        from = at + head.len();
        Some(at)
    });
    starts.skip(1).any(|start| range.start < start && start < range.end)
}

fn asks_itself(reading: &Reading, candidate: &Candidate) -> bool {
    let piece = &reading.pieces[candidate.piece];
    let words: Vec<_> = piece
        .words
        .iter()
        .filter(|word| candidate.range.start <= word.start && word.end <= candidate.range.end)
        .cloned()
        .collect();
    if words.is_empty() {
        return format!(" {} ", key(&reading.question)).contains(&format!(" {} ", key(&candidate.text)));
    }
    reading.is_asked(&words)
}

/// Converts an explicit statement to an option.
fn option_of(reading: &Reading, found: &[(f32, Candidate)], stated: Stated) -> AnswerOption {
    let first = stated.pieces.start;
    let (text, spot) = match stated.cell {
        Some(cell) => {
            let mut spot = spot(&reading.pieces[first]);
            if let Some(field) = stated.field {
                (spot.range, spot.text) = (0..0, field);
            }
            (cell, spot)
        }
        None => {
            let whole = if stated.pieces.len() > 1 {
                quoted(reading, stated.pieces)
            } else {
                with_context(reading, first)
            };
            let value = stated.value_in.and_then(|part| {
                derived::value(reading, found, first).filter(|value| is_whole_in(reading, value, &part))
            });
            (value.map_or_else(|| whole.text.clone(), |value| value.text.clone()), whole)
        }
    };
    let signs = signs(reading, &reading.pieces[first]);
    let is_value = text != spot.text;
    let objection = of_turn(reading, &reading.pieces[first], Some(&text))
        .or_else(|| (is_value && is_in_question(reading, &text)).then_some(Objection::NothingNew));
    AnswerOption {
        text,
        form: AnswerForm::Stated,
        spots: vec![spot],
        signs,
        objection,
        doubt: None,
        confidence_max: 1.0,
    }
}

/// Whether the question has all words of a value: "Night warden" for "What is the name of the night warden?"
fn is_in_question(reading: &Reading, value: &str) -> bool {
    let words = super::word::words(&Lexical::new(), value);
    let mut content = words.iter().filter(|word| !word.is_function).peekable();
    // "heatMax" is not "heat".
    let is_whole =
        |word: &Word| reading.form.words.iter().any(|asked| asked.stems.first() == word.stems.first());
    reading.form.either.is_none()
        && reading.form.asks != Asks::YesNo
        && content.peek().is_some()
        && content.all(|word| is_whole(word) && !word.is_number())
}

/// Whether a value lies within a part of its piece and is not part of a longer name there.
fn is_whole_in(reading: &Reading, value: &Candidate, part: &Range<usize>) -> bool {
    let piece = &reading.pieces[value.piece];
    let text = &piece.unit.text;
    let is_joined = |from: usize, to: usize| text[from..to].chars().all(|c| matches!(c, ' ' | '-'));
    let next = piece.words.iter().find(|word| word.start >= value.range.end && word.end <= part.end);
    let before = piece.words.iter().rfind(|word| word.end <= value.range.start && word.start >= part.start);
    part.start <= value.range.start
        && value.range.end <= part.end
        && next.is_none_or(|next| next.is_function || !is_joined(value.range.end, next.start))
        && before.is_none_or(|before| before.is_function || !is_joined(before.end, value.range.start))
}

/// Makes an option from the last sentence of a derivation, or from the value in it.
fn at_the_end(
    reading: &Reading,
    found: &[(f32, Candidate)],
    pieces: &[usize],
    bridge: Option<&Bridge>,
) -> AnswerOption {
    let mut spots: Vec<Spot> = pieces.iter().map(|at| spot(&reading.pieces[*at])).collect();
    spots[0] = with_context(reading, pieces[0]);
    let signs = signs(reading, &reading.pieces[pieces[0]]);
    // "Winter" in "winter rye" is no time.
    let is_own = |value: &&Candidate| bridge.is_none_or(|bridge| !bridge.is_in_name(reading, &value.text));
    let value = derived::value(reading, found, pieces[0]).filter(is_own);
    let text = value.map_or_else(|| spots[0].text.clone(), |value| value.text.clone());
    let objection = of_turn(reading, &reading.pieces[pieces[0]], Some(&text));
    AnswerOption {
        text,
        form: AnswerForm::Derived,
        spots,
        signs,
        objection,
        doubt: None,
        confidence_max: 1.0,
    }
}

/// Maximum number of values, and of sentences, that compete by confidence.
const OPTIONS_MAX: usize = 6;

/// The likeliest values without an objection, or the single likeliest one if all have objections.
fn values(reading: &Reading, found: &[(f32, Candidate)]) -> Vec<AnswerOption> {
    let values = || found.iter().filter(|(_, candidate)| candidate.kind != Kind::Sentence);
    let mut allowed: Vec<&(f32, Candidate)> =
        values().filter(|(_, candidate)| of_value(reading, candidate).is_none()).collect();
    let is_allowed = !allowed.is_empty();
    if !is_allowed {
        allowed = values().take(1).collect();
    }
    let shares = softmax(&allowed.iter().map(|(score, _)| *score).collect::<Vec<_>>());
    let is_same = |one: &Candidate, other: &Candidate| {
        key(&one.text) == key(&other.text) || one.piece == other.piece && overlap(&one.range, &other.range)
    };
    let mut chosen: Vec<usize> = Vec::new();
    for (at, (_, candidate)) in allowed.iter().enumerate() {
        if chosen.len() == OPTIONS_MAX {
            break;
        }
        if !chosen.iter().any(|known| is_same(&allowed[*known].1, candidate)) {
            chosen.push(at);
        }
    }
    let option = |(order, place): (usize, usize)| {
        let best = &allowed[place].1;
        let (mut same, mut rival, mut agreeing) = (0.0, 0.0_f32, 0_usize);
        for ((_, candidate), share) in allowed.iter().zip(&shares) {
            if is_same(candidate, best) {
                same += share;
                agreeing += usize::from(candidate.piece != best.piece);
            } else {
                rival = rival.max(*share);
            }
        }
        let piece = &reading.pieces[best.piece];
        let mut signs = signs(reading, piece);
        let own = super::word::words_of(&best.text);
        set(&mut signs, "choice", same);
        set(&mut signs, "place", 1.0 / (1.0 + order as f32));
        set(&mut signs, "margin", same - rival);
        set(&mut signs, "fit", best.fit.max(0.0));
        set(&mut signs, "unfit", (-best.fit).max(0.0));
        set(&mut signs, "agreeing", (agreeing as f32).min(2.0) / 2.0);
        set(&mut signs, "asked_share", asked_share(reading, &own));
        set(&mut signs, "entropy", entropy(&shares));
        set(&mut signs, "length", (own.len().max(1) as f32).ln());
        set(&mut signs, kind_sign(best.kind), 1.0);
        mark_clear_way(&mut signs);
        if reading.form.asks.is_typed() {
            set(&mut signs, "typed", 1.0);
        } else {
            set(&mut signs, "untyped_choice", same);
        }
        let objection = if is_allowed { None } else { of_value(reading, best) };
        let spots = leading(reading, best.piece, spot(piece));
        let doubt = Doubts::of(reading, piece).objection();
        AnswerOption {
            text: as_shown(reading, best),
            form: AnswerForm::Value,
            spots,
            signs,
            objection,
            doubt,
            confidence_max: 1.0,
        }
    };
    chosen.into_iter().enumerate().map(option).collect()
}

/// A value as it is shown: an amount with its unit, a number with what the question counts ("3 years" for "How many years …?"), a range from its lower end on, a bound as one ("below ten degrees"), and somebody with those named beside them.
fn as_shown(reading: &Reading, value: &Candidate) -> String {
    let piece = &reading.pieces[value.piece];
    let (words, text) = (&piece.words, &piece.unit.text);
    let is_counted = |word: &&Word| {
        let is_amount = matches!(reading.form.asks, Asks::Quantity | Asks::Thing);
        let is_unit = is_amount && !Measure::of_unit(&word.lower).is_empty();
        is_unit || reading.kind_agreement(word) >= 1.0
    };
    let mut range = value.range.clone();
    // "1 hour 25" of "1 hour 25 minutes"
    let is_open_amount = value.kind == Kind::Quantity && value.text.ends_with(|c: char| c.is_ascii_digit());
    if let Some(next) = words.iter().find(|word| word.start >= range.end).filter(is_counted)
        && (value.kind == Kind::Number || is_open_amount)
        && &text[range.end..next.start] == " "
    {
        // "6 failed login attempts": the noun of what is counted is a plural.
        let is_joined =
            |word: &&Word| !text[range.end..word.end].contains(|c: char| !c.is_alphanumeric() && c != ' ');
        let run = words.iter().skip_while(|word| word.start < range.end).take(COUNTED_MAX);
        let mut run = run.take_while(|word| is_joined(word) && !word.is_function);
        range.end = run.find(|word| word.lower.ends_with('s')).unwrap_or(next).end;
    }
    let first = words.iter().position(|word| word.start >= range.start).unwrap_or_default();
    let before = |back: usize| first.checked_sub(back).map(|at| &words[at]);
    if matches!(value.kind, Kind::Number | Kind::Quantity)
        && before(1).is_some_and(|word| word.lower == "to")
        && let Some(lower) = before(2).filter(|word| word.is_numeric())
    {
        range.start = lower.start;
    }
    if matches!(value.kind, Kind::Number | Kind::Quantity) {
        range.start = bound_before(words, first).map_or(range.start, |bound| bound.start);
    }
    // "An hour and ten minutes"
    if matches!(value.kind, Kind::Number | Kind::Quantity)
        && before(1).is_some_and(|word| word.lower == "and")
        && before(2).is_some_and(|word| !Measure::of_unit(&word.lower).is_empty())
        && let Some(more) =
            before(3).filter(|word| word.is_number() || matches!(word.lower.as_str(), "a" | "an"))
    {
        range.start = more.start;
    }
    if value.kind == Kind::Date && before(1).is_some_and(|word| word.lower == "and") {
        let from = words[..first].iter().rev().take(BETWEEN_MAX).find(|word| word.lower == "between");
        range.start = from.map_or(range.start, |from| from.start);
    }
    if reading.form.asks == Asks::Person && value.kind == Kind::Name {
        let also = |named: &&Named| {
            named.kind == MentionKind::Name && text.get(range.end..named.range.start) == Some(" and ")
        };
        range.end = piece.named.iter().find(also).map_or(range.end, |named| named.range.end);
    }
    if range == value.range { value.text.clone() } else { text[range].to_owned() }
}

/// The first of the words before a number that make it a bound or a frequency: "below 5", "at least 5", "every 5".
fn bound_before(words: &[Word], number: usize) -> Option<&Word> {
    let lower = |back: usize| number.checked_sub(back).map_or("", |at| words[at].lower.as_str());
    let length = match (lower(3), lower(2), lower(1)) {
        ("no" | "not", "less" | "more" | "fewer", "than") => 3,
        (_, "at", "least" | "most")
        | (_, "up", "to")
        | (_, "upwards" | "upward", "of")
        | (_, "less" | "more" | "fewer", "than") => 2,
        (_, _, "below" | "above" | "under" | "over" | "every" | "each") => 1,
        _ => return None,
    };
    Some(&words[number - length])
}

/// Maximum number of words from a number to the noun of what it counts.
const COUNTED_MAX: usize = 3;

/// Maximum number of words from "between" to the later of two dates.
const BETWEEN_MAX: usize = 8;

/// The sentences that compete to be the answer, or to be shown if there is none.
struct Sentences<'r> {
    reading: &'r Reading,
    /// Each piece with its share of the choice, likeliest first.
    ranked: Vec<(f32, usize)>,
    /// By piece, how well the best value in it fits the type asked for.
    fits: HashMap<usize, f32>,
}

impl<'r> Sentences<'r> {
    fn of(reading: &'r Reading, found: &[(f32, Candidate)]) -> Self {
        let mut fits: HashMap<usize, f32> = HashMap::new();
        let is_value = |candidate: &Candidate| {
            candidate.kind != Kind::Sentence && !is_price(&reading.form, &candidate.text)
        };
        for (_, candidate) in found.iter().filter(|(_, candidate)| is_value(candidate)) {
            let fit = fits.entry(candidate.piece).or_insert(-1.0);
            *fit = fit.max(candidate.fit);
        }
        let shares = softmax(&found.iter().map(|(score, _)| *score).collect::<Vec<_>>());
        let mut masses: HashMap<usize, f32> = HashMap::new();
        for ((_, candidate), share) in found.iter().zip(&shares) {
            *masses.entry(candidate.piece).or_default() += share;
        }
        let mut ranked: Vec<(f32, usize)> = masses.into_iter().map(|(piece, mass)| (mass, piece)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Self { reading, ranked, fits }
    }

    /// The likeliest answers: those without an objection if there are any.
    fn options(&self) -> Vec<AnswerOption> {
        let objection_to =
            |piece: usize| of_sentence(self.reading, piece, self.fit(piece) >= SENTENCE_FIT_LEAST);
        let mut ranked: Vec<(f32, usize)> =
            self.ranked.iter().copied().filter(|(_, piece)| objection_to(*piece).is_none()).collect();
        let is_allowed = !ranked.is_empty();
        if !is_allowed {
            ranked.extend(self.ranked.first());
        }
        self.drop_repeated(&mut ranked);
        let signs = self.signs(&ranked).take(OPTIONS_MAX);
        let option = |(at, signs): (usize, Vec<f32>)| {
            let objection = if is_allowed { None } else { objection_to(at) };
            let whole = with_context(self.reading, at);
            let text = whole.text.clone();
            let spots = leading(self.reading, at, whole);
            let doubt = Doubts::of(self.reading, &self.reading.pieces[at]).objection();
            let form = AnswerForm::Sentence;
            AnswerOption { text, form, spots, signs, objection, doubt, confidence_max: 1.0 }
        };
        signs.map(option).collect()
    }

    /// The sentences closest to an answer, best first. An objection rules out an answer, but its sentence may still help.
    fn nearest(&self, learned: &AnswerWeights) -> Vec<Spot> {
        let mut ranked = self.ranked.clone();
        self.drop_repeated(&mut ranked);
        let confident =
            |(at, signs): (usize, Vec<f32>)| (learned.confidence(AnswerForm::Sentence, &signs), at);
        let mut likeliest: Vec<(f32, usize)> =
            self.signs(&ranked).take(COMPETING_MAX).map(confident).collect();
        likeliest.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut spots: Vec<Spot> = Vec::new();
        for (_, at) in likeliest {
            let spot = with_context(self.reading, at);
            if spots.len() < NEAREST_MAX && !spots.iter().any(|known| known.overlaps(&spot)) {
                spots.push(spot);
            }
        }
        spots
    }

    /// Keeps each sentence once: the same one in another passage adds nothing.
    fn drop_repeated(&self, ranked: &mut Vec<(f32, usize)>) {
        let mut texts: HashSet<&str> = HashSet::new();
        ranked.retain(|(_, piece)| texts.insert(self.reading.pieces[*piece].unit.text.as_str()));
    }

    fn fit(&self, piece: usize) -> f32 {
        self.fits.get(&piece).copied().unwrap_or_default()
    }

    /// The pieces with the signs that their sentences answer the question.
    fn signs<'s>(&'s self, ranked: &'s [(f32, usize)]) -> impl Iterator<Item = (usize, Vec<f32>)> + 's {
        let reading = self.reading;
        let uncertainty = entropy(&ranked.iter().map(|(mass, _)| *mass).collect::<Vec<_>>());
        ranked.iter().enumerate().map(move |(place, &(mass, at))| {
            let piece = &reading.pieces[at];
            let rival = ranked.get(usize::from(place == 0)).map_or(0.0, |(mass, _)| *mass);
            let own = super::word::words_of(&piece.unit.text);
            let mut signs = signs(reading, piece);
            set(&mut signs, "choice", mass);
            set(&mut signs, "place", 1.0 / (1.0 + place as f32));
            set(&mut signs, "margin", mass - rival);
            set(&mut signs, "fit", self.fit(at).max(0.0));
            set(&mut signs, "unfit", (-self.fit(at)).max(0.0));
            set(&mut signs, "asked_share", asked_share(reading, &own));
            set(&mut signs, "entropy", uncertainty);
            set(&mut signs, "length", (own.len().max(1) as f32).ln());
            if reading.form.asks.is_typed() {
                set(&mut signs, "typed", 1.0);
            } else {
                set(&mut signs, "untyped_choice", mass);
            }
            mark_clear_way(&mut signs);
            let is_full = reading.form.asks.is_typed() && reading.cover(piece.said) >= 1.0;
            let is_short = reading.wanted.len() <= SHORT_MOST && !reading.has_role(Role::Name) && !is_full;
            set(&mut signs, "short", f32::from(u8::from(is_short)));
            (at, signs)
        })
    }
}

/// Maximum number of sentences shown if there is no answer.
const NEAREST_MAX: usize = 3;

/// Maximum number of sentences that compete to be shown.
const COMPETING_MAX: usize = 12;

/// Minimum fit of a value in a sentence for the sentence to count as having the type asked for.
const SENTENCE_FIT_LEAST: f32 = 0.7;

/// Maximum number of question words for which a sentence with all of them is still weak evidence: "Which
/// languages are supported?"
const SHORT_MOST: usize = 3;

fn entropy(shares: &[f32]) -> f32 {
    shares.iter().filter(|share| **share > 0.0).map(|share| -share * share.ln()).sum()
}

fn asked_share(reading: &Reading, own: &[String]) -> f32 {
    let is_asked = |word: &&String| reading.form.words.iter().any(|asked| asked.lower == **word);
    own.iter().filter(is_asked).count() as f32 / own.len().max(1) as f32
}

/// A quotation, followed by those that lead to it.
fn leading(reading: &Reading, mut at: usize, own: Spot) -> Vec<Spot> {
    let mut spots = vec![own];
    for _ in 0..2 {
        let Some(from) = reading.pieces[at].from else { break };
        let leads = spot(&reading.pieces[from]);
        if spots.contains(&leads) {
            break;
        }
        spots.push(leads);
        at = from;
    }
    spots
}

/// A sentence with the text that belongs to it.
fn with_context(reading: &Reading, at: usize) -> Spot {
    let context = reading.context(at);
    let mut spot = spot(&reading.pieces[context.start]);
    for next in &reading.pieces[context.start + 1..context.end] {
        let is_line = next.unit.kind != UnitKind::Prose;
        spot.text.push(if is_line { '\n' } else { ' ' });
        spot.text.push_str(&next.unit.text);
        spot.range.end = next.unit.range.end;
    }
    spot
}

/// Quotes consecutive pieces of one passage.
fn quoted(reading: &Reading, pieces: Range<usize>) -> Spot {
    let pieces = &reading.pieces[pieces];
    let (first, last) = (&pieces[0], &pieces[pieces.len() - 1]);
    Spot {
        source: first.source,
        range: first.unit.range.start..last.unit.range.end,
        text: text_of(pieces.iter().map(|piece| &piece.unit)),
        heading: first.unit.heading.clone(),
    }
}

fn compared(reading: &Reading, verdict: &Verdict) -> AnswerOption {
    let mut signs = signs(reading, &reading.pieces[verdict.pieces[0]]);
    let [one, strength] =
        if verdict.is_closed { ["closed", "closed_strength"] } else { ["comparison", "comparison_strength"] };
    set(&mut signs, one, 1.0);
    set(&mut signs, strength, verdict.strength);
    let mut spots: Vec<Spot> = Vec::new();
    for piece in &verdict.pieces {
        let spot = spot(&reading.pieces[*piece]);
        if !spots.contains(&spot) {
            spots.push(spot);
        }
    }
    AnswerOption {
        text: verdict.text.clone(),
        form: AnswerForm::Comparison,
        spots,
        signs,
        objection: None,
        doubt: None,
        confidence_max: 1.0,
    }
}

/// Number of sentences in a summary.
const SUMMARY_SENTENCES: std::ops::RangeInclusive<usize> = 3..=5;

/// The most central sentences about the subject of a summary, in text order.
fn summary(reading: &Reading) -> Option<AnswerOption> {
    let about = |piece: &Piece| reading.cover(piece.with_context);
    let most = reading.pieces.iter().map(about).fold(0.0, f32::max);
    let mut counts: HashMap<u32, f32> = HashMap::new();
    let subject: Vec<(usize, &Piece)> = reading
        .pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| piece.unit.kind != UnitKind::Code && about(piece) >= 0.6 * most)
        .collect();
    for (_, piece) in &subject {
        for stem in stems(piece) {
            *counts.entry(stem).or_default() += 1.0;
        }
    }
    // Prefer sentences that share many words with the others, relative to their length.
    let mut ranked: Vec<(f32, usize)> = subject
        .iter()
        .map(|(at, piece)| {
            let stems = stems(piece);
            let shared: f32 = stems.iter().map(|stem| (counts[stem] - 1.0).min(3.0)).sum();
            let central = shared / (stems.len() as f32 + 4.0);
            let short = if stems.len() < 4 { 0.5 } else { 0.0 };
            (
                2.0 * about(piece) + central + 0.5 / (1.0 + piece.place as f32)
                    - 0.1 * piece.source as f32
                    - short,
                *at,
            )
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<usize> = Vec::new();
    for (_, at) in ranked {
        let text = &reading.pieces[at].unit.text;
        if chosen.len() < *SUMMARY_SENTENCES.end()
            && !chosen.iter().any(|known| reading.pieces[*known].unit.text == *text)
        {
            chosen.push(at);
        }
    }
    let best = *chosen.first()?;
    chosen.sort_unstable();
    let text = chosen.iter().map(|at| reading.pieces[*at].unit.text.as_str()).collect::<Vec<_>>().join(" ");
    let signs = signs(reading, &reading.pieces[best]);
    let objection = of_summary(reading, &chosen);
    let spots = chosen.iter().map(|at| spot(&reading.pieces[*at])).collect();
    Some(AnswerOption {
        text,
        form: AnswerForm::Summary,
        spots,
        signs,
        objection,
        doubt: None,
        confidence_max: 1.0,
    })
}

fn stems(piece: &Piece) -> Vec<u32> {
    let mut stems: Vec<u32> = piece
        .words
        .iter()
        .filter(|word| !word.is_function)
        .filter_map(|word| word.stems.first().copied())
        .collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// Yes or no, from the sentence that covers most of the question.
fn closed(reading: &Reading) -> Option<AnswerOption> {
    let rank = |piece: &Piece| {
        let own = reading.cover(piece.said);
        let all = reading.cover(piece.with_context);
        let chained = reading.cover(piece.chained[piece.chained.len() - 1]);
        own + 0.6 * all + 0.4 * chained
    };
    let prose =
        reading.pieces.iter().enumerate().filter(|(_, piece)| {
            piece.unit.kind != UnitKind::Code && !piece.unit.text.trim_end().ends_with('?')
        });
    let (at, piece) = prose.max_by(|a, b| rank(a.1).total_cmp(&rank(b.1)).then(b.0.cmp(&a.0)))?;
    let text = if denies(&piece.words) == reading.form.is_negative { "yes" } else { "no" };
    let mut signs = signs(reading, piece);
    set(&mut signs, "closed", 1.0);
    // A sentence that does not cover the question must not count as a yes.
    set(
        &mut signs,
        "closed_strength",
        reading.cover(piece.with_context) * reading.cover(piece.said).max(0.3),
    );
    let spots = vec![spot(&reading.pieces[at])];
    let objection = Some(Objection::YesOrNo);
    Some(AnswerOption {
        text: text.to_owned(),
        form: AnswerForm::YesOrNo,
        spots,
        signs,
        objection,
        doubt: None,
        confidence_max: 1.0,
    })
}

fn spot(piece: &Piece) -> Spot {
    Spot {
        source: piece.source,
        range: piece.unit.range.clone(),
        text: piece.unit.text.clone(),
        heading: piece.unit.heading.clone(),
    }
}

/// The question words that neither the sentences shown nor the pieces that lead to them contain, and those of
/// them that no passage contains.
fn open(reading: &Reading, spots: &[&Spot]) -> (Vec<String>, (Vec<String>, f32)) {
    let said = reading
        .pieces
        .iter()
        .filter(|piece| {
            let (start, end) = (piece.unit.range.start, piece.unit.range.end);
            let shows = |spot: &&Spot| {
                spot.source == piece.source && spot.range.start <= start && end <= spot.range.end
            };
            spots.iter().any(shows)
        })
        .map(|piece| piece.chained[piece.chained.len() - 1])
        .fold(Said::default(), Said::and);
    let open = reading
        .wanted
        .iter()
        .enumerate()
        .filter(|(bit, wanted)| !said.has(*bit) && wanted.role != Role::Kind);
    let (mut words, mut unknown, mut weight) = (Vec::new(), Vec::new(), 0.0);
    for (_, wanted) in open {
        let word = &reading.form.words[wanted.word];
        let word = reading.question[word.start..word.end].to_owned();
        if wanted.is_unknown {
            unknown.push(word.clone());
            weight += wanted.weight;
        }
        words.push(word);
    }
    (words, (unknown, weight / reading.total))
}
