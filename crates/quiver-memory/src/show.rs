//! Renders turns as lines of text within a token budget.

use std::collections::BTreeSet;

use quiver_graph::Passage;
use quiver_language::{sentences, text::collapse_spaces};
use quiver_models::Lexical;

use crate::calendar;

/// Maximum number of tokens per turn. Longer turns are cut to their best sentences, because several turns carry more
/// information than one long one.
pub const TURN_TOKENS: usize = 30;
/// Minimum remaining budget for another turn.
const TOKENS_MIN: usize = 8;

/// Maximum number of words in a sentence beside a question that counts as a remark rather than a statement.
const REMARK_MAX: usize = 4;

/// Minimum number of words in a part of a sentence, and the number of words kept before the first word asked
/// for.
const PART_MIN: usize = 6;
const WORDS_BEFORE: usize = 3;

/// A rendered turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    format!("{}{}", heading(turn), collapse_spaces(&turn.text))
}

/// Renders turns in order until the budget is used up. A short turn is rendered in full. A longer one is cut
/// to the sentence that covers most of the question and any others that fit, and skipped if nothing of it
/// fits. Turns that only ask questions come last. What is left of the budget then goes to cut turns, the first
/// ones first, which are rendered in full.
pub fn lines(
    turns: &[&Passage],
    question: &str,
    lexical: &Lexical,
    rarity: &dyn Fn(u32) -> f32,
    tokens_max: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<Line> {
    let mut asked: BTreeSet<u32> = lexical.query_terms(question).into_iter().collect();
    // "Wow, Ada!" is not about Ada: speakers address each other by name.
    for speaker in turns.iter().filter_map(|turn| turn.speaker.as_deref()).collect::<BTreeSet<_>>() {
        lexical.terms(speaker).iter().for_each(|term| _ = asked.remove(&term.hash));
    }
    let mut left = tokens_max;
    let mut shown: Vec<Line> = Vec::new();
    let (asking, stating): (Vec<_>, Vec<_>) =
        turns.iter().enumerate().partition(|(_, turn)| only_asks(&turn.text, &asked, lexical));
    for (at, turn) in stating.into_iter().chain(asking) {
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
    for line in &mut shown {
        let whole = whole(turns[line.turn]);
        let more = count(&whole).saturating_sub(count(&line.text));
        if more <= left {
            left -= more;
            line.text = whole;
        }
    }
    shown
}

/// Returns whether a turn asks a question and states nothing else except a few words, none of them asked for:
/// "That's great! What did you do?"
fn only_asks(text: &str, asked: &BTreeSet<u32>, lexical: &Lexical) -> bool {
    let mut asks = false;
    sentences(text).into_iter().map(|sentence| text[sentence].trim()).all(|sentence| {
        let is_question = sentence.ends_with('?');
        asks |= is_question;
        let is_remark = || {
            sentence.split_whitespace().count() <= REMARK_MAX
                && !lexical.terms(sentence).iter().any(|term| asked.contains(&term.hash))
        };
        is_question || is_remark()
    }) && asks
}

/// Returns as many of the sentences that cover the question as fit, chosen best first, in their original
/// order. If none fits the turn's share of the budget, returns the part of the best one around the words
/// asked for.
fn cut(
    turn: &Passage,
    asked: &BTreeSet<u32>,
    lexical: &Lexical,
    rarity: &dyn Fn(u32) -> f32,
    most: usize,
    count: &dyn Fn(&str) -> usize,
) -> Option<String> {
    let sentences: Vec<&str> =
        sentences(&turn.text).into_iter().map(|sentence| &turn.text[sentence]).collect();
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
    // Sentences that cover nothing are only shown if none covers anything.
    let (best, is_asked) = order.first().map(|(at, worth)| (*at, *worth > 0.0))?;
    let mut kept = BTreeSet::new();
    for (at, _) in order.into_iter().filter(|(_, worth)| *worth > 0.0 || !is_asked) {
        if kept.insert(at) && count(&text(&kept)) > most {
            kept.remove(&at);
        }
    }
    if kept.is_empty() || (!is_asked && !kept.contains(&best)) {
        // Do not cut a sentence to fill the end of the budget: the part may stop before the answer.
        if most < TURN_TOKENS {
            return None;
        }
        let fits = |part: &str| count(&format!("{heading}{part}")) <= most;
        return part(sentences[best], asked, lexical, &fits).map(|part| format!("{heading}{part}"));
    }
    Some(text(&kept))
}

/// Returns as many words of a long sentence as fit, around the first word asked for. Ellipses mark omissions.
fn part(
    sentence: &str,
    asked: &BTreeSet<u32>,
    lexical: &Lexical,
    fits: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let is_asked = |word: &&str| lexical.terms(word).iter().any(|term| asked.contains(&term.hash));
    let start = words.iter().position(is_asked).unwrap_or_default().saturating_sub(WORDS_BEFORE);
    let before = if start > 0 { "… " } else { "" };
    let part = |end: usize| format!("{before}{} …", words[start..end].join(" "));
    let end = (start + PART_MIN..words.len()).take_while(|end| fits(&part(*end))).last()?;
    Some(part(end))
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
            ordinal: 0,
            speaker: Some("Ada".to_owned()),
            session: Some("s".to_owned()),
            time: Some(calendar::from_civil(2023, 5, 8)),
            subjects: Vec::new(),
            entities: Vec::new(),
            relations: Vec::new(),
            metadata: quiver_store::Payload::new(),
            extraction_digest: String::new(),
            unsplit: None,
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

    #[test]
    fn what_is_left_of_the_budget_shows_cut_turns_whole() {
        let (lexical, count) = (Lexical::new(), |text: &str| text.split_whitespace().count());
        let long =
            format!("The winch has a worn brake. {}", "We had soup and went to bed. ".repeat(5).trim());
        let turns = [turn(&long), turn("The brake of the winch is from Arbe.")];
        let show = |tokens| -> Vec<String> {
            let turns = [&turns[0], &turns[1]];
            let lines = lines(&turns, "What is wrong with the winch?", &lexical, &|_| 1.0, tokens, &count);
            lines.into_iter().map(|line| line.text).collect()
        };
        assert_eq!(show(100), [whole(&turns[0]), whole(&turns[1])]);
        let scarce = show(TURN_TOKENS + 12);
        assert!(scarce.len() == 2 && scarce[0] != whole(&turns[0]), "{scarce:?}");
    }

    #[test]
    fn turns_that_only_ask_come_last_and_names_of_speakers_are_no_content() {
        let (lexical, count) = (Lexical::new(), |text: &str| text.split_whitespace().count());
        let turns = [turn("Wow, Bo! What did you do to the winch?"), turn("The winch got a new brake.")];
        let show = |turns: &[&Passage], tokens| -> Vec<String> {
            let lines = lines(turns, "What did Ada do to the winch?", &lexical, &|_| 1.0, tokens, &count);
            lines.into_iter().map(|line| line.text).collect()
        };
        let lines = ["Ada, 2023-05-08: The winch got a new brake.".to_owned(), whole(&turns[0])];
        assert_eq!(show(&[&turns[0], &turns[1]], 40), lines);
        // The question has the name as well, and "Thanks, Ada!" still says nothing of it.
        let thanked = turn("Thanks, Ada! I rewired the winch for the whole of the lower deck.");
        assert_eq!(
            show(&[&thanked], 14),
            ["Ada, 2023-05-08: I rewired the winch for the whole of the lower deck."]
        );
        assert_eq!(show(&[&thanked], 8), [""; 0]);
    }

    #[test]
    fn a_turn_is_shown_by_the_sentence_that_was_asked_for_or_by_a_part_of_it() {
        let (lexical, count) = (Lexical::new(), |text: &str| text.split_whitespace().count());
        let turn = turn("It rained. Dr. Holm repaired the brake of the winch on the lower deck.");
        let show = |question, tokens| lines(&[&turn], question, &lexical, &|_| 1.0, tokens, &count);
        // A title does not end a sentence.
        let whole = "Ada, 2023-05-08: Dr. Holm repaired the brake of the winch on the lower deck.";
        assert_eq!(show("Who repaired the winch?", 14)[0].text, whole);
        assert_eq!(show("Who repaired the winch?", 13), []);
        let long =
            format!("It rained. {}the brake of the winch is{} worn.", "a ".repeat(30), " very".repeat(30));
        let turn = Passage { text: long, ..turn };
        let part = &lines(&[&turn], "Is the winch worn?", &lexical, &|_| 1.0, 40, &count)[0].text;
        assert!(part.starts_with("Ada, 2023-05-08: … brake of the winch is very"), "{part}");
        assert_eq!(count(part), TURN_TOKENS);
    }
}
