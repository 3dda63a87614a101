//! Renders turns as lines of text within a token budget.

use std::collections::BTreeSet;

use quiver_graph::Passage;
use quiver_models::Lexical;

use crate::calendar;

/// Maximum number of tokens per turn. Longer turns are cut to their best sentences, because several turns carry more
/// information than one long one.
const TURN_TOKENS: usize = 30;
/// A smaller remaining budget is not worth another turn.
const TOKENS_MIN: usize = 8;

/// A rendered turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The position of the turn in the input.
    pub turn: usize,
    /// The rendered text.
    pub text: String,
}

/// Returns the speaker and date of a turn: `Ada, 2023-05-08: `.
pub fn heading(turn: &Passage) -> String {
    let date = turn.time.map(calendar::in_digits);
    match (turn.speaker.as_deref(), date) {
        (Some(speaker), Some(date)) => format!("{speaker}, {date}: "),
        (Some(one), None) => format!("{one}: "),
        (None, Some(date)) => format!("{date}: "),
        (None, None) => String::new(),
    }
}

/// Renders a whole turn with its speaker and date.
pub fn whole(turn: &Passage) -> String {
    format!("{}{}", heading(turn), turn.text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Renders turns in order until the budget is used up. A short turn is rendered whole; a longer one is cut to the
/// sentences that cover most of the question, and skipped if none fits.
pub fn lines(
    turns: &[&Passage],
    question: &str,
    lexical: &Lexical,
    rarity: &dyn Fn(u32) -> f32,
    tokens_max: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<Line> {
    let asked: BTreeSet<u32> = lexical.query_terms(question).into_iter().collect();
    let mut left = tokens_max;
    let mut shown: Vec<Line> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        if left < TOKENS_MIN {
            break;
        }
        let most = left.min(TURN_TOKENS);
        let mut text = whole(turn);
        if count(&text) > most {
            match cut(turn, &asked, lexical, rarity, most, count) {
                Some(cut) => text = cut,
                None => continue,
            }
        }
        left -= count(&text).min(left);
        shown.push(Line { turn: at, text });
    }
    shown
}

/// Returns the sentences of a turn that cover most of the question, as many as fit, in their original order.
fn cut(
    turn: &Passage,
    asked: &BTreeSet<u32>,
    lexical: &Lexical,
    rarity: &dyn Fn(u32) -> f32,
    most: usize,
    count: &dyn Fn(&str) -> usize,
) -> Option<String> {
    let sentences = sentences(&turn.text);
    let worth = |sentence: &str| -> f32 {
        let said: BTreeSet<u32> = lexical.terms(sentence).into_iter().map(|term| term.hash).collect();
        said.intersection(asked).map(|term| rarity(*term)).sum()
    };
    let mut order: Vec<(usize, f32)> = sentences.iter().map(|sentence| worth(sentence)).enumerate().collect();
    order.sort_by(|a, b| {
        b.1.total_cmp(&a.1).then(sentences[b.0].len().cmp(&sentences[a.0].len())).then(a.0.cmp(&b.0))
    });
    let heading = heading(turn);
    let text = |kept: &BTreeSet<usize>| {
        let kept: Vec<&str> = kept.iter().map(|at| sentences[*at]).collect();
        format!("{heading}{}", kept.join(" "))
    };
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for (at, _) in order {
        kept.insert(at);
        if count(&text(&kept)) > most {
            kept.remove(&at);
        }
    }
    (!kept.is_empty()).then(|| text(&kept))
}

/// Splits a turn into sentences.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let ends = matches!(character, '.' | '!' | '?' | '…')
            && characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if ends || matches!(character, '。' | '！' | '？' | '\n') {
            let end = at + character.len_utf8();
            sentences.push(text[start..end].trim());
            start = end;
        }
    }
    sentences.push(text[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

#[cfg(test)]
mod tests {
    use quiver_graph::{PassageId, Workspace};

    use super::*;

    fn turn(text: &str) -> Passage {
        Passage {
            id: PassageId::of_turn(&Workspace::default(), "s", 1),
            text: text.to_owned(),
            title: None,
            document: "s".to_owned(),
            position: 1,
            speaker: Some("Ada".to_owned()),
            session: Some("s".to_owned()),
            time: Some(calendar::from_civil(2023, 5, 8)),
            subjects: Vec::new(),
            entities: Vec::new(),
            relations: Vec::new(),
            metadata: quiver_store::Payload::new(),
            extraction_digest: String::new(),
        }
    }

    #[test]
    fn a_turn_is_shown_whole_where_it_fits_and_by_its_best_sentence_where_not() {
        let (lexical, count) = (Lexical::new(), |text: &str| text.split_whitespace().count());
        let turn = turn("It rained. The winch has a worn brake. We had soup after that and went to bed.");
        let show =
            |tokens| lines(&[&turn], "What is wrong with the winch?", &lexical, &|_| 1.0, tokens, &count);
        assert_eq!(show(30)[0].text, format!("Ada, 2023-05-08: {}", turn.text));
        assert_eq!(show(9)[0].text, "Ada, 2023-05-08: The winch has a worn brake.");
        assert_eq!(show(7), []);
    }
}
