//! Phrases that stand beside their question: "The deposit, how much is that?"

use std::ops::Range;

use super::{
    anaphor::{AnaphorKind, anaphors},
    exchange::Rewrite,
    lexicon::{
        Owner, Sort, is_article, is_auxiliary, is_closed, is_conjunction, is_connector, is_first_or_second,
        is_preposition, is_question_word, pronoun,
    },
    link::possessive,
    said::{Said, replaced},
    topic::lowered,
};

/// Maximum number of words in a phrase beside a question.
const WORDS_MAX: usize = 8;

/// The question with the phrase beside it in the place of the pronoun that takes it up: "how much is the deposit?"
pub(crate) fn in_place(said: &Said) -> Option<(String, Rewrite)> {
    let start = said.tokens.iter().position(|token| !is_connector(&token.lower))?;
    let (phrase, question) = before(said, start).or_else(|| after(said, start))?;
    let place = taken_up(said, &question)?;
    let words = &said.text[said.bytes_of(&phrase)];
    let has_small_article = phrase.start == 0 && is_determiner(said.word(0));
    let words = if has_small_article { lowered(words) } else { words.to_owned() };
    let asked = said.bytes_of(&question);
    let pronoun_at = said.bytes_of(&(place.tokens.clone()));
    let stands_for = if place.owns { possessive(&words) } else { words };
    let rewrite = Rewrite {
        said: said.text[pronoun_at.clone()].to_owned(),
        stands_for: stands_for.clone(),
        because: "the phrase beside the question".to_owned(),
    };
    let opening = &said.text[..said.tokens[start].range.start];
    let moved = pronoun_at.start - asked.start..pronoun_at.end - asked.start;
    let text = replaced(&said.text[asked], vec![(moved, stands_for)]);
    let text = if opening.is_empty() { capitalised(&text) } else { lowered(&text) };
    Some((format!("{opening}{text}?"), rewrite))
}

/// The pronoun of a question that takes up a phrase.
struct Place {
    tokens: Range<usize>,
    owns: bool,
}

/// "The deposit, how much is that?": the phrase and the question after it.
fn before(said: &Said, start: usize) -> Option<(Range<usize>, Range<usize>)> {
    let end = (start + 1..said.tokens.len()).find(|at| said.tokens[*at].parted.is_some())?;
    let question = end..said.tokens.len();
    let is_apart = |mark: char| matches!(mark, ',' | ':' | '–' | '—' | ';');
    let is_phrase = said.tokens[end].parted.is_some_and(is_apart) && is_noun_phrase(said, &(start..end));
    (is_phrase && opens_question(said, end) && is_one_clause(said, &question))
        .then_some((start..end, question))
}

/// "How much is that, the deposit?": the phrase and the question before it.
fn after(said: &Said, start: usize) -> Option<(Range<usize>, Range<usize>)> {
    let end = (start + 1..said.tokens.len()).rev().find(|at| said.tokens[*at].parted.is_some())?;
    let (question, phrase) = (start..end, end..said.tokens.len());
    let is_apart = |mark: char| matches!(mark, ',' | '–' | '—');
    let is_phrase = said.tokens[end].parted.is_some_and(is_apart)
        && is_determiner(said.word(end))
        && is_noun_phrase(said, &phrase);
    (is_phrase && opens_question(said, start) && is_one_clause(said, &question)).then_some((phrase, question))
}

fn is_determiner(word: &str) -> bool {
    let owns = pronoun(word).is_some_and(|pronoun| pronoun.owner != Owner::Never);
    is_article(word) || owns || matches!(word, "my" | "your" | "our")
}

/// Whether words are a phrase with a determiner, or a name of several words.
fn is_noun_phrase(said: &Said, words: &Range<usize>) -> bool {
    let has_determiner = is_determiner(said.word(words.start)) && words.len() > 1;
    let is_name =
        words.len() > 1 && words.clone().all(|at| said.tokens[at].is_marked && !is_closed(said.word(at)));
    let is_other = |at: usize| {
        let word = said.word(at);
        let is_subject = pronoun(word).is_some_and(|pronoun| pronoun.owner == Owner::Never);
        is_auxiliary(word)
            || is_question_word(word)
            || is_conjunction(word)
            || is_first_or_second(word) && !is_determiner(word)
            || is_subject
            || said.tokens[at].is_asking
    };
    let ends = is_closed(said.word(words.end - 1)) && !matches!(said.word(words.end - 1), "one" | "ones");
    words.len() <= WORDS_MAX && (has_determiner || is_name) && !ends && !words.clone().any(is_other)
}

/// Whether a question begins at a word: "how", "is", "in which".
fn opens_question(said: &Said, at: usize) -> bool {
    let asks = |at: usize| is_question_word(said.word(at));
    asks(at) || is_auxiliary(said.word(at)) || is_preposition(said.word(at)) && asks(at + 1)
}

fn is_one_clause(said: &Said, question: &Range<usize>) -> bool {
    question.clone().skip(1).all(|at| said.tokens[at].parted.is_none())
}

/// The only pronoun of a question, if it refers to nothing else in it.
fn taken_up(said: &Said, question: &Range<usize>) -> Option<Place> {
    let asked = Said::of(&said.text[said.bytes_of(question)]);
    let found = anaphors(&asked, &[]);
    let mut pronouns =
        found.iter().filter(|anaphor| !matches!(anaphor.kind, AnaphorKind::Pointing { points: false, .. }));
    let only = pronouns.next().filter(|_| pronouns.next().is_none())?;
    let AnaphorKind::Pronoun { sort, owns } = only.kind else { return None };
    let tokens = question.start + only.tokens.start..question.start + only.tokens.end;
    (sort != Sort::Place).then_some(Place { tokens, owns })
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::{Said, in_place};

    #[test]
    fn a_phrase_beside_a_question_is_put_in_its_place() {
        for (question, expected) in [
            ("The deposit, how much is that?", Some("How much is the deposit?")),
            ("And the worst leak, what caused it?", Some("And what caused the worst leak?")),
            ("The opening hours – what are they?", Some("What are the opening hours?")),
            ("Its keel: how deep is it?", Some("How deep is its keel?")),
            ("Velm Lock, who built it?", Some("Who built Velm Lock?")),
            ("The warden, what is her name?", Some("What is the warden's name?")),
            ("And how deep is it, the lock?", Some("And how deep is the lock?")),
            ("What was that, the worst leak?", Some("What was the worst leak?")),
            // The name is not all that stands before the question, or there is nothing that takes it up.
            ("The lock was repaired, who did it?", None),
            ("Back to Velm: who built it?", None),
            ("In 1902, who built it?", None),
            ("The lock, who repaired the gate?", None),
            ("Which is deeper, the lock or the basin?", None),
            ("Is there a lock, a gate or a basin?", None),
            ("The lock came later. Who built it?", None),
        ] {
            let text = in_place(&Said::of_question(question)).map(|(text, _)| text);
            assert_eq!(text.as_deref(), expected, "{question}");
        }
    }
}
