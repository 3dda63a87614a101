//! Answers about a thing that the question describes and another sentence names: "What does the preferred solvent
//! require?", "Toluene is the preferred solvent", "Toluene requires …".
//!
//! An equation has to cover a definite noun phrase of the question, with its head. What is left of the question has to be
//! said of the thing by its name, in the same role: as the subject of the verb, its object, or after a preposition.

mod asked;
mod covered;
mod effect;
mod naming;
mod other;
mod phrase;
mod told;

use std::ops::Range;

use quiver_language::{
    description::{Describing, is_verb_of, may_stand_for, says},
    word::stems,
};

use self::{
    asked::{asked, is_adverb},
    covered::{covered, rest},
    naming::{Naming, is_spoken_of, namings},
    phrase::{Phrase, describes, phrases},
    told::{Told, told},
};
use super::{
    candidate::Candidate,
    derived,
    equation::Equation,
    form::{Asks, Form},
    objection::asks_program_name,
    reading::Reading,
    word::Word,
};

/// A sentence about the described thing, and the equation that names it.
#[derive(Clone, Debug)]
pub(super) struct Described {
    /// The pieces, the one with the answer first.
    pub(super) pieces: Vec<usize>,
}

/// How well an equation covers the description in the question.
#[derive(Clone, Debug)]
struct Fit {
    equation: Equation,
    /// The words of the question.
    span: Range<usize>,
    /// The number of content words in it.
    words: usize,
    /// Whether all of them are said literally.
    is_literal: bool,
}

/// Minimum number of content words in a description.
const WORDS_LEAST: usize = 2;

/// A description in the question, and the clauses that name its thing.
#[derive(Clone, Debug)]
pub(super) struct Bridge {
    phrase: Phrase,
    /// Empty if sentences speak of the description and none names a thing.
    namings: Vec<Naming>,
    /// Whether they all name the same thing.
    is_clear: bool,
}

impl Bridge {
    /// Whether a text is a part of the thing's name.
    pub(super) fn is_in_name(&self, reading: &Reading, text: &str) -> bool {
        let key = self.namings.first().map(|naming| naming.key(reading)).unwrap_or_default();
        super::word::words_of(text).iter().all(|word| key.contains(&word.as_str()))
    }
}

/// The longest description of the question whose words a clause says that names a thing, or else that a clause says at all.
pub(super) fn bridge(reading: &Reading) -> Option<Bridge> {
    let all = phrases(reading);
    let bridges = all.iter().map(|phrase| (phrase, namings(reading, phrase)));
    let found: Vec<(&Phrase, Vec<Naming>)> = bridges.filter(|(_, namings)| !namings.is_empty()).collect();
    let rank = |(phrase, namings): &(&Phrase, Vec<Naming>)| {
        (namings.iter().any(|naming| naming.says_kind), phrase.words.len())
    };
    let Some(most) = found.iter().map(rank).max() else {
        let said = all
            .into_iter()
            .filter(|phrase| phrase.words.len() >= SPOKEN_LEAST && is_spoken_of(reading, phrase));
        let longest = said.max_by_key(|phrase| phrase.words.len());
        return longest.map(|phrase| Bridge { phrase, namings: Vec::new(), is_clear: false });
    };
    let mut longest = found.into_iter().filter(|found| rank(found) == most);
    let (phrase, mut namings) = longest.next()?;
    namings.extend(longest.flat_map(|(_, other)| other));
    if namings.iter().any(|naming| !naming.has_ended) {
        namings.retain(|naming| !naming.has_ended);
    }
    if namings.iter().any(|naming| naming.is_proper(reading)) {
        namings.retain(|naming| naming.is_proper(reading));
    }
    let first = namings[0].key(reading);
    let is_same = |naming: &Naming| {
        let key = naming.key(reading);
        key.iter().all(|word| first.contains(word)) || first.iter().all(|word| key.contains(word))
    };
    let is_clear = namings.iter().all(is_same);
    Some(Bridge { phrase: phrase.clone(), namings, is_clear })
}

/// Minimum number of words in a description for a sentence that has them to speak of it, if it names no thing.
const SPOKEN_LEAST: usize = 3;

/// A clause that names a described thing, as an equation.
fn equation_of(reading: &Reading, phrase: &Phrase, naming: &Naming) -> Equation {
    let words = &reading.pieces[naming.piece].words;
    let head = &reading.form.words[phrase.head];
    let head = naming.clause.clone().find(|at| !words[*at].is_function && describes(head, &words[*at]));
    Equation {
        piece: naming.piece,
        name: naming.name.clone(),
        description: vec![naming.clause.start..naming.name.start, naming.name.end..naming.clause.end],
        head: head.unwrap_or(naming.name.start),
        has_ended: naming.has_ended,
    }
}

/// The answer about the thing that the question describes, unless the description fits several things.
pub(super) fn described(
    reading: &Reading,
    candidates: &[(f32, Candidate)],
    equations: &[Equation],
    bridge: Option<&Bridge>,
) -> Option<Described> {
    let form = &reading.form;
    let is_open =
        matches!(form.asks, Asks::YesNo | Asks::Summary) || form.is_negative || form.either.is_some();
    if is_open || asks_program_name(form) {
        return None;
    }
    let is_past = form.words.iter().any(|word| matches!(word.lower.as_str(), "was" | "were" | "did" | "had"));
    let holds = |fit: &Fit| is_past || !fit.equation.has_ended;
    let fits: Vec<Fit> = fits(reading, equations).into_iter().filter(holds).collect();
    if let Some(best) = fits.first() {
        let fit = only(reading, &fits)?;
        let is_longer = bridge.is_some_and(|bridge| bridge.phrase.words.len() > best.words.max(fit.words));
        if !is_longer && let Some(found) = by_form(reading, candidates, &fit.equation, &fit.span) {
            return agreed(reading, candidates, found, fit.equation.piece);
        }
    }
    let is_clear = |bridge: &&Bridge| bridge.is_clear && !bridge.namings.is_empty();
    let bridge = bridge
        .filter(is_clear)
        .filter(|bridge| is_past || bridge.namings.iter().all(|naming| !naming.has_ended))?;
    let naming = &bridge.namings[0];
    let equation = equation_of(reading, &bridge.phrase, naming);
    if let Some(found) = by_form(reading, candidates, &equation, &bridge.phrase.span) {
        return agreed(reading, candidates, found, naming.piece);
    }
    let pieces = || 0..reading.pieces.len();
    let mut found: Vec<Told> = Vec::new();
    if let Some(rest) = rest(reading, &bridge.phrase) {
        let tells = |at: usize| covered(reading, candidates, (&rest, &bridge.phrase, naming), at);
        found.extend(pieces().filter_map(tells));
    }
    if found.is_empty()
        && let Some(effect) = effect::effect(reading, &bridge.phrase)
    {
        let tells = |at: usize| effect::told(reading, (&effect, &bridge.phrase, naming), at);
        found.extend(pieces().filter_map(tells));
    }
    agreed(reading, candidates, found, naming.piece)
}

/// The pieces that tell of the thing of an equation what is asked, in a known form, if there are any.
fn by_form(
    reading: &Reading,
    candidates: &[(f32, Candidate)],
    equation: &Equation,
    span: &Range<usize>,
) -> Option<Vec<Told>> {
    let asked = asked(reading, span);
    let tells = |at: usize| asked.iter().find_map(|asked| told(reading, candidates, asked, equation, at));
    let found: Vec<Told> = (0..reading.pieces.len()).filter_map(tells).collect();
    (!found.is_empty()).then_some(found)
}

/// The piece that says most of the question literally, with the one that names the thing, unless two give different values.
fn agreed(
    reading: &Reading,
    candidates: &[(f32, Candidate)],
    mut found: Vec<Told>,
    names: usize,
) -> Option<Described> {
    found.sort_by_key(|told| (told.near, told.piece == names, told.piece));
    let best = found.first()?.piece;
    // Two dates of one thing are two answers.
    let value = |at: usize| derived::value(reading, candidates, at).map(|value| value.text.to_lowercase());
    let differs = |told: &Told| reading.form.asks.is_typed() && value(told.piece) != value(best);
    if found.iter().any(differs) {
        return None;
    }
    let mut pieces = vec![best];
    pieces.extend(Some(names).filter(|piece| *piece != best));
    Some(Described { pieces })
}

/// The pieces about another thing than the one that the question describes.
pub(super) fn others(reading: &Reading, bridge: Option<&Bridge>) -> Vec<usize> {
    other::others(reading, bridge)
}

/// The pieces that only say what the description of the question stands for, where the question asks something else about
/// the thing; and those that say of the described thing the reverse of what is asked.
pub(super) fn no_answers(reading: &Reading, equations: &[Equation], bridge: Option<&Bridge>) -> Vec<usize> {
    let fits = fits(reading, equations);
    let most = fits.iter().map(|fit| fit.words).max();
    let longest = fits.iter().filter(|fit| Some(fit.words) == most);
    let mut found: Vec<usize> =
        longest.filter(|fit| !says_rest(reading, fit)).map(|fit| fit.equation.piece).collect();
    let others = equations.iter().filter(|equation| tells_no_deed(reading, equation));
    found.extend(others.map(|equation| equation.piece));
    let rivals = equations.iter().filter_map(|equation| Some((equation, other_modifier(reading, equation)?)));
    found.extend(rivals.flat_map(|(equation, word)| told::about(reading, equation, word)));
    if let Some(Bridge { phrase, namings, is_clear: true }) = bridge {
        let is_untitled = |at: &usize| other::is_untitled(reading, *at);
        let only_names = |naming: &&Naming| covered::only_names(reading, phrase, naming);
        found.extend(namings.iter().filter(only_names).map(|naming| naming.piece).filter(is_untitled));
        found.extend(
            namings
                .first()
                .into_iter()
                .flat_map(|naming| covered::reversed(reading, phrase, naming))
                .filter(is_untitled),
        );
    }
    // "The dough for the rye bread rises with the starter" tells nothing of how to feed the starter for the rye bread.
    if let Some(bridge) = bridge.filter(|bridge| bridge.namings.is_empty())
        && reading.form.asks == Asks::Thing
    {
        let pieces = (0..reading.pieces.len()).filter(|at| other::is_untitled(reading, *at));
        found.extend(pieces.filter(|at| covered::only_describes(reading, &bridge.phrase, *at)));
    }
    if let Some(fit) = only(reading, &fits)
        && let Some(asked) = asked(reading, &fit.span).first()
    {
        found.extend(told::reversed(reading, asked, &fit.equation));
    }
    found
}

/// Whether the piece of an equation says what is left of the question.
fn says_rest(reading: &Reading, fit: &Fit) -> bool {
    let words = &reading.form.words;
    let rest = asked::remainder(reading, &fit.span);
    let mut outside = words.iter().enumerate().filter(|(at, _)| !fit.span.contains(at));
    if outside.any(|(_, word)| says(&word.lower, Describing::Contrasting)) {
        return false;
    }
    let is_said = |word: &usize| says_outside(reading, &fit.equation, &words[*word]);
    !(rest.is_empty() && asks_of_thing(&reading.form, &fit.span)) && rest.iter().all(is_said)
}

/// Whether a question asks for more than which thing it is: "What crew does the ship have?"
fn asks_of_thing(form: &Form, span: &Range<usize>) -> bool {
    let asks =
        |word: &Word| matches!(word.lower.as_str(), "how" | "do" | "does" | "did" | "have" | "has" | "had");
    form.words.iter().enumerate().any(|(at, word)| !span.contains(&at) && asks(word))
}

/// Whether the piece of an equation says a word of the question outside the description.
fn says_outside(reading: &Reading, equation: &Equation, asked: &Word) -> bool {
    let words = &reading.pieces[equation.piece].words;
    (0..words.len()).any(|at| !equation.describes_by(at) && says_word(asked, &words[at]).is_some())
}

/// Whether a question with a verb speaks of a thing of the described kind, and the equation does not say the verb.
fn tells_no_deed(reading: &Reading, equation: &Equation) -> bool {
    let words = &reading.form.words;
    let Some(verb) = asked::deed(reading) else { return false };
    let head = &reading.pieces[equation.piece].words[equation.head];
    let is_asked_kind = |at: usize| reading.form.kind.is_some_and(|kind| at <= kind);
    let has_head = (0..words.len()).any(|at| at != verb && !is_asked_kind(at) && is_same(&words[at], head));
    has_head && !says_outside(reading, equation, &words[verb])
}

/// The word by which the question describes another thing than an equation does, with the same head and a further word in
/// common: "the *second-line* drug for diabetes", where the equation has "the first-line drug for diabetes".
fn other_modifier(reading: &Reading, equation: &Equation) -> Option<usize> {
    let words = &reading.form.words;
    let head = &reading.pieces[equation.piece].words[equation.head];
    let is_head = |word: &Word| is_same(word, head) || may_stand_for(&word.lower, &head.lower);
    let end = (0..words.len()).find(|at| !words[*at].is_function && is_head(&words[*at]))?;
    let before = (0..end).rev().take_while(|at| !words[*at].is_function && !words[*at].is_possessive);
    let first = before.last()?;
    let is_definite = first.checked_sub(1).is_some_and(|at| words[at].lower == "the");
    let is_open = |at: &usize| {
        let is_rank = quiver_language::role::is_of_first_rank(&words[*at].lower);
        !is_rank && !words[*at].is_capital && said_by(reading, equation, &words[*at]).is_none()
    };
    let mut open = (first..end).filter(is_open);
    let (word, more) = (open.next()?, open.next());
    let shared = (first..words.len()).filter(|at| !words[*at].is_function && !is_open(at)).count();
    let said = &reading.pieces[equation.piece].words[equation.description[0].start..equation.head];
    let is_asked = |said: &Word| words.iter().any(|asked| says_word(asked, said).is_some());
    let has_other = said.iter().any(|said| !said.is_function && !is_asked(said));
    (is_definite && has_other && more.is_none() && shared >= SHARED_LEAST).then_some(word)
}

/// Minimum number of words that two descriptions share for a single other word to set them apart.
const SHARED_LEAST: usize = 2;

/// The equations whose description the question has.
fn fits(reading: &Reading, equations: &[Equation]) -> Vec<Fit> {
    equations.iter().filter_map(|equation| fit(reading, equation)).collect()
}

/// The equation that covers most of the question, if all that cover as much name the same thing.
fn only<'f>(reading: &Reading, fits: &'f [Fit]) -> Option<&'f Fit> {
    let rank = |fit: &Fit| (fit.words, fit.is_literal);
    let best = fits.iter().max_by_key(|fit| (rank(fit), std::cmp::Reverse(fit.equation.piece)))?;
    let is_rival =
        |other: &&Fit| rank(other) == rank(best) && other.equation.key(reading) != best.equation.key(reading);
    (!fits.iter().any(|other| is_rival(&other))).then_some(best)
}

/// The longest definite noun phrase of the question that the description covers.
fn fit(reading: &Reading, equation: &Equation) -> Option<Fit> {
    let words = &reading.form.words;
    let spans = (0..words.len()).filter_map(|at| span(reading, equation, at));
    let fits = spans.filter_map(|span| {
        let content = || words[span.clone()].iter().filter(|word| !word.is_function);
        let says = |word: &Word| said_by(reading, equation, word);
        let is_literal = content().all(|word| says(word) == Some(true));
        let words = content().count();
        // A name is no description.
        let is_described = content().any(|word| !word.is_capital && !word.is_number());
        let is_fit = words >= WORDS_LEAST
            && is_described
            && has_head(reading, equation, &span)
            && !is_of_second(reading, equation, &span)
            && is_whole(reading, &span, &|word| {
                !word.is_function && said_by(reading, equation, word).is_none()
            });
        is_fit.then(|| Fit { equation: equation.clone(), span, words, is_literal })
    });
    fits.max_by_key(|fit| (fit.words, std::cmp::Reverse(fit.span.start)))
}

/// The words of the question from here on that the description covers, if a definite noun phrase begins here.
fn span(reading: &Reading, equation: &Equation, from: usize) -> Option<Range<usize>> {
    let words = &reading.form.words;
    let lower = words[from].lower.as_str();
    let is_definite = matches!(lower, "the" | "our" | "my" | "your" | "their" | "its");
    let is_owner = words[from].is_capital && from > 0 && words[from - 1].is_function;
    if !is_definite && !is_owner {
        return None;
    }
    let start = from + usize::from(is_definite);
    let mut end = start;
    let mut at = start;
    while let Some(word) = words.get(at) {
        let joins = matches!(word.lower.as_str(), "the" | "a" | "an" | "our" | "and" | "as")
            || says(&word.lower, Describing::Joining);
        let is_parted = at > start
            && reading.question[words[at - 1].end..word.start].contains([',', ';', ':', '?', '.', '!']);
        if is_parted || word.is_function && (!joins || at == start) {
            break;
        }
        if !word.is_function {
            if said_by(reading, equation, word).is_none() {
                break;
            }
            end = at + 1;
        }
        at += 1;
    }
    let has_owner = || words[start..end].iter().any(|word| word.is_possessive);
    (end > start && (is_definite || has_owner())).then_some(start..end)
}

/// Whether the description says a word: literally, or by another for the same thing.
fn said_by(reading: &Reading, equation: &Equation, asked: &Word) -> Option<bool> {
    let words = &reading.pieces[equation.piece].words;
    let said = || {
        let all = equation.description.iter().flat_map(|range| &words[range.clone()]);
        all.filter(|word| !word.is_function)
    };
    if said().any(|word| is_same(asked, word)) {
        return Some(true);
    }
    // "The rotating-lens lubricant" is "the lubricant for rotating lenses".
    let has_stem = |part: &str| said().any(|word| stems(part).iter().any(|stem| word.stems.contains(stem)));
    if asked.lower.contains('-') && asked.lower.split('-').all(|part| part.len() > 2 && has_stem(part)) {
        return Some(true);
    }
    said().any(|word| may_stand_for(&asked.lower, &word.lower)).then_some(false)
}

/// Whether the head of a phrase of the question is that of the description: the last word before its first preposition
/// ("the cover *crop* recommended for sandy soils").
fn has_head(reading: &Reading, equation: &Equation, span: &Range<usize>) -> bool {
    let words = &reading.form.words;
    let head = &reading.pieces[equation.piece].words[equation.head];
    let preposition = span.clone().find(|at| says(&words[*at].lower, Describing::Joining));
    let mut phrase =
        words[span.start..preposition.unwrap_or(span.end)].iter().rev().filter(|word| !word.is_function);
    let is_head = |word: &Word| is_same(word, head) || may_stand_for(&word.lower, &head.lower);
    let is_participle = |word: &&Word| word.lower.ends_with("ed") || word.lower.ends_with("en");
    phrase.find(|word| is_head(word) || !is_participle(word)).is_some_and(is_head)
}

/// Whether the description puts its thing after another one, and the question does not: "the *backup* plant".
fn is_of_second(reading: &Reading, equation: &Equation, span: &Range<usize>) -> bool {
    let asked = &reading.form.words[span.clone()];
    let words = &reading.pieces[equation.piece].words;
    let mut before = words[equation.description[0].start..equation.head].iter();
    before.any(|word| {
        let is_second =
            says(&word.lower, Describing::Second) || quiver_language::role::is_privative(&word.lower);
        is_second && !asked.iter().any(|asked| is_same(asked, word))
    })
}

/// Whether the phrase of the question goes no further than the part that the description covers: no word that `is_open` belongs
/// to it.
fn is_whole(reading: &Reading, span: &Range<usize>, is_open: &dyn Fn(&Word) -> bool) -> bool {
    let words = &reading.form.words;
    let Some(next) = words.get(span.end) else { return true };
    let gap = &reading.question[words[span.end - 1].end..next.start];
    if gap.contains([',', ';', ':', '.', '?', '!']) || words[span.end - 1].is_possessive {
        return true;
    }
    let is_article = |word: &&Word| matches!(word.lower.as_str(), "the" | "a" | "an" | "our" | "my");
    if !next.is_function {
        let is_asked_by_auxiliary = || {
            let before = words[..span.start].iter().rev().find(|word| !is_article(word));
            before.is_some_and(|word| quiver_language::word::is_finite_auxiliary(&word.lower))
        };
        let is_verb = quiver_language::word::is_verb(&next.lower) || is_asked_by_auxiliary();
        return !next.is_capital && !next.is_number() && is_verb;
    }
    let after = words[span.end + 1..].iter().find(|word| !is_article(word));
    match next.lower.as_str() {
        "of" | "for" => !after.is_some_and(is_open),
        lower if says(lower, Describing::Joining) => {
            !after.is_some_and(|after| is_open(after) && (after.is_capital || after.is_number()))
        }
        _ => true,
    }
}

/// Whether two words are forms of one.
fn is_same(one: &Word, other: &Word) -> bool {
    let bare = |word: &Word| {
        let cut = word.lower.strip_suffix('s').filter(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
        cut.map_or_else(|| word.lower.clone(), str::to_owned)
    };
    let share = |ones: &[u32], others: &[u32]| ones.iter().any(|stem| others.contains(stem));
    // "Second-line" is not "first-line".
    if one.lower.contains('-') && other.lower.contains('-') {
        return bare(one) == bare(other) || one.stems.first() == other.stems.first();
    }
    bare(one) == bare(other)
        || share(&one.stems, &other.stems) && !(one.is_number() && other.is_number())
        || share(&stems(&one.lower), &stems(&other.lower))
}

/// Whether a word of a sentence says a word of the question: literally, or by another.
fn says_word(asked: &Word, said: &Word) -> Option<bool> {
    if !said.is_function && is_same(asked, said) {
        return Some(true);
    }
    let is_near = is_needing(asked) && is_needing(said)
        || says(&asked.lower, Describing::Frequent) && says(&said.lower, Describing::Frequent)
        || !said.is_function && may_stand_for(&asked.lower, &said.lower);
    is_near.then_some(false)
}

fn is_needing(word: &Word) -> bool {
    is_verb_of(&word.lower, Describing::Needing) || says(&word.lower, Describing::Needed)
}

/// Whether a word is a form of "be".
fn is_be(word: &str) -> bool {
    matches!(word, "is" | "are" | "was" | "were" | "be" | "been" | "being")
}

#[cfg(test)]
mod tests {
    use quiver_models::Lexical;

    use super::*;
    use crate::reading::{Even, Source};

    /// The names that passages give the described thing, in lower case.
    fn names(question: &str, passages: &[&str]) -> Vec<String> {
        let metadata = serde_json::Map::default();
        let source =
            |text| Source { title: None, text, score: 1.0, steps: 0, metadata: &metadata, said_by: None };
        let sources: Vec<Source<'_>> = passages.iter().copied().map(source).collect();
        let reading = Reading::of(&Lexical::new(), question, &Even, &sources);
        let namings = bridge(&reading).map(|bridge| bridge.namings).unwrap_or_default();
        namings.iter().map(|naming| naming.key(&reading).join(" ")).collect()
    }

    #[test]
    fn a_thing_is_named_in_many_forms() {
        for (question, sentence, name) in [
            (
                "How long is the crop we grow on the wet meadows?",
                "Our usual crop for wet meadows is marsh hay.",
                "marsh hay",
            ),
            (
                "When was the drill for hard rock bought?",
                "Hard rock is drilled with the Titan drill.",
                "titan drill",
            ),
            ("When was the drill for hard rock bought?", "For hard rock, the firm chose drill T-9.", "t-9"),
            (
                "How long is the song that closes the spring fair?",
                "The guild closes its spring fair with Oakum.",
                "oakum",
            ),
            (
                "Who makes the paint for the blue gate?",
                "The blue gate of the guild is painted with tar.",
                "tar",
            ),
            (
                "Who feeds the dog that guards the mill yard?",
                "The mill yard is guarded by a dog called Bruno.",
                "bruno",
            ),
            (
                "Who feeds the guard dog of the mill yard?",
                "Bruno, the guard dog in the mill yard, is old.",
                "bruno",
            ),
            (
                "When was the ladder for the loft bought?",
                "We use Scala 3 as the ladder for the loft.",
                "scala 3",
            ),
            (
                "When did the May congress's opening speaker leave?",
                "The opening speaker of the May congress is Ida Low.",
                "ida low",
            ),
        ] {
            assert_eq!(names(question, &[sentence]), [name], "{sentence}");
        }
    }

    #[test]
    fn what_is_denied_doubted_over_or_of_another_thing_is_not_named() {
        let question = "When was the drill for hard rock bought?";
        for sentence in [
            "Hard rock is not drilled with the Titan drill.",
            "Hard rock might be drilled with the Titan drill.",
            "Hard rock was drilled with the Titan drill until 2015.",
            "Hard rock used to be drilled with the Titan drill.",
            "If hard rock is found, use the Titan drill.",
            "Is hard rock drilled with the Titan drill?",
            "The Titan drill is too weak for hard rock.",
            "Soft rock is drilled with the Titan drill.",
            "The Titan drill is kept in the shed where hard rock is weighed.",
            "The reserve drill for hard rock is the Titan.",
            "The keeper of the drill for hard rock is Ida Low.",
            "Hard rock is drilled with a drill.",
        ] {
            assert_eq!(names(question, &[sentence]), [""; 0], "{sentence}");
        }
    }
}
