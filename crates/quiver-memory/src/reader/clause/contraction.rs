//! Contractions, and other short forms of what a clause says with its auxiliary: "Mo's running Redis", "isn't run by Mo any
//! more", "gets run by Mo".

use quiver_language::{
    Class, Language,
    statement::{Statement, says},
};

use crate::{
    reader::word::Word,
    relation::{PARTICLES, gerund_base, is_participle, lemma},
};

use super::{HANDING, LEAVING, phrase::is_adverb};

/// Maximum number of words up to an auxiliary, with those that say when.
const SUBJECT_MAX: usize = 12;

/// Pronouns with the verbs that are contracted with them.
const PRONOUNS: &[(&str, &str, &str)] = &[
    ("we've", "we", "have"),
    ("we're", "we", "are"),
    ("i've", "I", "have"),
    ("i'm", "I", "am"),
    ("it's", "it", "is"),
];

/// Writes the auxiliary of a clause as the patterns have it.
pub(super) fn written_out(words: &mut Vec<Word<'_>>) {
    for at in 0..words.len().min(SUBJECT_MAX) {
        if let Some((_, subject, verb)) = PRONOUNS.iter().find(|(contracted, ..)| words[at].is(&[contracted]))
        {
            let verb = Word { parted: words[at].parted, ..Word::of(verb) };
            words.splice(at..=at, [Word::of(subject), verb]);
        } else if let Some((subject, verb)) = contracted(words, at) {
            words.splice(at..=at, [Word::of(subject), Word::of(verb)]);
            break;
        }
    }
    no_longer(words);
    for at in 1..words.len().min(SUBJECT_MAX) {
        let is_done = || words.get(at + 1).is_some_and(|next| is_participle(&next.lower()));
        let has_agent = || words[at..].iter().any(|word| word.is(&["by"]));
        if words[at].is(&["gets", "get"]) && is_done() && has_agent() {
            words[at] = Word::of(if words[at].is(&["gets"]) { "is" } else { "are" });
        }
    }
    // "Is being run by Mo", "Mo himself runs it".
    let is_idle = |words: &[Word<'_>], at: usize| {
        words[at].is(&["being"]) && words[at - 1].is(&["is", "are", "longer"])
            || words[at].is(EMPHASIS) && words[at - 1].is_marked()
    };
    if let Some(at) =
        (1..words.len().min(SUBJECT_MAX)).find(|at| !words[at - 1].parted && is_idle(words, *at))
    {
        words.remove(at);
    }
}

/// Pronouns after a name that only stress it.
const EMPHASIS: &[&str] = &["himself", "herself", "itself", "themselves"];

/// The subject and the auxiliary in a word with "'s", where it is no possessor: "Mo's running Redis", "the rota's drawn up by
/// Mo", "Mo's stopped running it", but not "Mo's running shoes".
fn contracted<'a>(words: &[Word<'a>], at: usize) -> Option<(&'a str, &'static str)> {
    let text = words[at].text;
    let subject =
        text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).filter(|_| !words[at].parted)?;
    let is_adverb = |word: &Word<'_>| word.is_of(Statement::Adverb) || is_adverb(&word.lower());
    let next = (at + 1..words.len()).find(|at| !is_adverb(&words[*at]))?;
    let (lower, after) = (words[next].lower(), words.get(next + 1));
    let opens_object = || {
        let added = usize::from(after.is_some_and(|after| after.is(PARTICLES) || after.is(&["after"])));
        words.get(next + 1 + added).is_some_and(|word| {
            let class = Language::English.class(&word.lower());
            word.is_marked() || matches!(class, Some(Class::Determiner | Class::Preposition))
        })
    };
    let has_agent = || words[next + 1..].iter().take(2).any(|word| word.is(&["by"]));
    let turns = || {
        let is_phrase = |verb: &str, particle: &str| {
            lemma(&lower) == verb && after.is_some_and(|after| after.is(&[particle]))
        };
        is_phrase("give", "up")
            || is_phrase("take", "over")
            || says(&lemma(&lower), Statement::Ceasing)
            || words[next].is(LEAVING)
            || words[next].is(HANDING)
            || says(&lower, Statement::Changing) && after.is_some_and(|after| after.is(&["to", "from"]))
    };
    let ends = || lower == "no" && after.is_some_and(|after| after.is(&["longer"]));
    if lower == "been" || is_participle(&lower) && turns() {
        return Some((subject, "has"));
    }
    let is_doing = gerund_base(&lower).is_some() && opens_object();
    let is_done = is_participle(&lower) && has_agent();
    (lower == "being" || ends() || is_doing || is_done).then_some((subject, "is"))
}

/// Writes "is not … any more" as "is no longer …".
fn no_longer(words: &mut Vec<Word<'_>>) {
    let Some(last) = words.len().checked_sub(1) else { return };
    let tail = match last {
        last if words[last].is(&["anymore"]) => last,
        last if last > 0 && words[last - 1].is(&["any"]) && words[last].is(&["more", "longer"]) => last - 1,
        _ => return,
    };
    let is_not = |at: &usize| {
        words[*at].is(&["isn't", "aren't"]) || words[*at].is(&["not"]) && words[*at - 1].is(&["is", "are"])
    };
    let Some(not) = (1..tail.min(SUBJECT_MAX)).find(is_not) else { return };
    let be = if words[not].is(&["aren't"]) { "are" } else { "is" };
    words.truncate(tail);
    let denial = [Word::of("no"), Word::of("longer")];
    if words[not].is(&["not"]) {
        words.splice(not..=not, denial);
    } else {
        words.splice(not..=not, std::iter::once(Word::of(be)).chain(denial));
    }
}

#[cfg(test)]
mod tests {
    use crate::reader::word::words;

    #[test]
    fn auxiliaries_are_written_out_and_possessors_are_kept() {
        for (sentence, expected) in [
            ("Mo's running the ferry now.", "Mo is running the ferry now"),
            ("Mo's running shoes are new.", "Mo's running shoes are new"),
            ("Mo's stopped running the ferry.", "Mo has stopped running the ferry"),
            ("The rota's drawn up by Mo.", "The rota is drawn up by Mo"),
            ("The rota's being drawn up by Mo.", "The rota is drawn up by Mo"),
            ("The rota's no longer drawn up by Mo.", "The rota is no longer drawn up by Mo"),
            ("The rota isn't drawn up by Mo any more.", "The rota is no longer drawn up by Mo"),
            ("The rota is not drawn up by Mo anymore.", "The rota is no longer drawn up by Mo"),
            ("The rota is not drawn up by Mo.", "The rota is not drawn up by Mo"),
            ("The boiler gets cleaned by Mo.", "The boiler is cleaned by Mo"),
            ("Mo himself reports to Ada.", "Mo reports to Ada"),
            ("From today it's Mo who draws up the rota.", "From today it is Mo who draws up the rota"),
            ("Mo's boat is red.", "Mo's boat is red"),
        ] {
            let mut all = words(sentence).expect("a sentence");
            super::written_out(&mut all);
            let text = all.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
            assert_eq!(text, expected, "{sentence}");
        }
    }
}
