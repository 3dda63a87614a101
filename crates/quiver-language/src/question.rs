//! Analyses questions: which words only ask and carry no content, and which part of a long text is the
//! question.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::LazyLock,
};

use crate::{
    character::{Script, count_words},
    pack::{Language, rows},
    sentence::sentences,
    text::read,
    token::{Shape, Token, norm, spaced_words},
};

/// Maximum number of words in a text that is treated as a question as a whole.
const LONG: usize = 60;
/// Maximum number of letters in a function word of an unknown language.
const SHORT: usize = 3;
/// The same for scripts that omit vowels or write them as marks.
const SHORT_WITHOUT_VOWELS: usize = 2;

/// Finds the function words and question words of a question that is not in English. A text that answers the
/// question need not contain them. English questions return none, because search already drops English stop
/// words.
///
/// The language is the one that most words belong to, according to the packs and the question words of about
/// sixty languages. If no language matches, short lower-case words count as function words.
pub fn function_words(text: &str) -> Vec<Range<usize>> {
    let tokens = read(text).tokens;
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for token in &tokens {
        for language in languages_of(token) {
            *votes.entry(language).or_default() += 1;
        }
    }
    let most = votes.values().copied().max().unwrap_or_default();
    if most == 0 {
        let asking = tokens.iter().flat_map(asking_in).collect::<Vec<_>>();
        if !asking.is_empty() {
            return asking;
        }
        return tokens.iter().filter(|token| is_short(token)).map(|token| token.range.clone()).collect();
    }
    if votes.get(ENGLISH) == Some(&most) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for token in &tokens {
        if languages_of(token).iter().any(|language| votes.get(language) == Some(&most)) {
            found.push(token.range.clone());
        } else {
            found.extend(asking_in(token));
        }
    }
    found
}

/// Contractions of question words with a verb, with or without the apostrophe, and the verb.
const CONTRACTIONS: [(&str, &str); 11] = [
    ("what's", "is"),
    ("whats", "is"),
    ("what're", "are"),
    ("who's", "is"),
    ("whos", "is"),
    ("where's", "is"),
    ("wheres", "is"),
    ("when's", "is"),
    ("why's", "is"),
    ("how's", "is"),
    ("hows", "is"),
];

/// Expands contracted verbs after question words in English: "what's dom0", "whats dom0" and "What’s dom0"
/// become "what is dom0".
pub fn written_out(question: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    for word in spaced_words(question, 0..question.len()) {
        let folded = norm(&question[word.clone()]);
        let Some((joined, verb)) = CONTRACTIONS.iter().find(|(joined, _)| folded == *joined) else {
            continue;
        };
        let letters = joined.find('\'').unwrap_or(joined.len() - 1);
        out.push_str(&question[from..word.start + letters]);
        out.push(' ');
        out.push_str(verb);
        from = word.end;
    }
    if from == 0 {
        return question.into();
    }
    out.push_str(&question[from..]);
    out.into()
}

/// The question in a text: the whole text if it is short, otherwise the sentences that end in a question mark
/// or, if there are none, the last sentence.
pub fn asked_in(text: &str) -> Cow<'_, str> {
    if count_words(text) <= LONG {
        return text.into();
    }
    let sentences: Vec<&str> =
        sentences(text).into_iter().map(|range| text[range].trim()).filter(|one| !one.is_empty()).collect();
    let asks = |sentence: &&&str| sentence.ends_with(['?', '？', '؟', '\u{37e}', '՞']);
    let asking: Vec<&str> = sentences.iter().filter(asks).copied().collect();
    match (asking.is_empty(), sentences.last()) {
        (false, _) => asking.join(" ").into(),
        (true, Some(last)) => (*last).into(),
        (true, None) => text.into(),
    }
}

/// The names of the languages in which a token is a function word or a question word.
fn languages_of(token: &Token<'_>) -> Vec<&'static str> {
    let norm = token.norm.as_ref();
    let mut languages: Vec<&str> =
        Language::ALL.into_iter().filter(|language| language.class(norm).is_some()).map(name).collect();
    for language in QUESTION_WORDS.get(norm).into_iter().flatten() {
        if !languages.contains(language) {
            languages.push(language);
        }
    }
    languages
}

/// The question words inside a token of a script without spaces, where a token may contain several words.
fn asking_in(token: &Token<'_>) -> Vec<Range<usize>> {
    if matches!(token.script, Script::Spaced | Script::Hangul) {
        return Vec::new();
    }
    let is_unspaced = |word: &&&str| {
        word.chars().next().is_some_and(|first| !matches!(Script::of(first), Script::Spaced | Script::Hangul))
    };
    let words = QUESTION_WORDS.keys().filter(is_unspaced);
    let mut found: Vec<Range<usize>> = words
        .flat_map(|word| token.text.match_indices(word))
        .map(|(at, word)| token.range.start + at..token.range.start + at + word.len())
        .collect();
    found.sort_by_key(|range| (range.start, range.end));
    found
}

fn is_short(token: &Token<'_>) -> bool {
    let letters = || token.text.chars().filter(|letter| letter.is_alphabetic());
    let is_word = token.shape == Shape::Plain && token.script == Script::Spaced;
    let has_vowels =
        letters().all(|letter| letter.is_lowercase() || matches!(letter, '\u{10a0}'..='\u{10ff}'));
    let limit = if has_vowels { SHORT } else { SHORT_WITHOUT_VOWELS };
    is_word && !token.text.contains(char::is_uppercase) && (1..=limit).contains(&letters().count())
}

const ENGLISH: &str = "english";

fn name(language: Language) -> &'static str {
    match language {
        Language::English => ENGLISH,
        Language::German => "german",
        Language::French => "french",
        Language::Spanish => "spanish",
        Language::Italian => "italian",
        Language::Portuguese => "portuguese",
        Language::Dutch => "dutch",
        Language::Russian => "russian",
        Language::Arabic => "arabic",
        Language::Hebrew => "hebrew",
        Language::Hindi => "hindi",
    }
}

/// The languages of each question word.
static QUESTION_WORDS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut words: HashMap<&str, Vec<&str>> = HashMap::new();
    for fields in rows(include_str!("../packs/any/questions.tsv")) {
        let [language, list] = fields[..] else { continue };
        for word in list.split(' ') {
            words.entry(word).or_default().push(language);
        }
    }
    words
});

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        function_words(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn question_words_and_function_words_are_found_in_the_language_of_the_question() {
        let cases: &[(&str, &[&str])] = &[
            ("من بنى جسر النيل؟", &["من"]),
            ("متى بني جسر النيل؟", &["متى"]),
            ("लोहे का पुल किसने बनाया था?", &["का", "किसने", "था"]),
            ("पुल कहाँ है?", &["कहाँ", "है"]),
            ("Wer baute die Eisenbrücke?", &["Wer", "die"]),
            ("Кто построил железный мост?", &["Кто"]),
            ("Demir köprüyü kim kurdu?", &["kim"]),
            ("ვინ ააშენა რკინის ხიდი?", &["ვინ"]),
            ("Nani alijenga daraja la chuma?", &["Nani", "la"]),
            ("Ποιος έχτισε τη σιδερένια γέφυρα;", &["Ποιος"]),
            ("鉄橋は誰が建てたか", &["誰"]),
            ("谁建造了铁桥？", &["谁"]),
            ("ใครสร้างสะพานเหล็ก", &["ใคร"]),
        ];
        for (text, expected) in cases {
            assert_eq!(found(text), *expected, "{text}");
        }
    }

    #[test]
    fn an_english_question_has_none_beside_the_stop_words_of_search() {
        for text in [
            "Who built the iron bridge?",
            "Which yard did Kim Norby found?",
            "Who was Ai Weiwei?",
            "What was the Wer river?",
            "Norby yard founder",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn in_a_language_that_nothing_is_known_of_short_words_in_small_letters_count() {
        assert_eq!(found("Zork vu mibuna Ked kraton?"), ["vu"]);
    }

    #[test]
    fn every_row_of_question_words_is_of_one_language_and_in_small_letters() {
        let mut languages = Vec::new();
        for fields in rows(include_str!("../packs/any/questions.tsv")) {
            let [language, list] = fields[..] else { panic!("{fields:?}") };
            assert!(!languages.contains(&language), "{language} stands twice");
            languages.push(language);
            let words: Vec<&str> = list.split(' ').collect();
            for (at, word) in words.iter().enumerate() {
                assert!(!word.is_empty() && word.to_lowercase() == *word, "{language}: {word:?}");
                assert!(!words[..at].contains(word), "{language} has {word} twice");
            }
        }
        assert!(languages.is_sorted() && !languages.contains(&ENGLISH));
    }

    #[test]
    fn verbs_that_are_joined_to_question_words_are_written_out() {
        assert_eq!(written_out("whats a loom"), "what is a loom");
        assert_eq!(written_out("What’s a loom, and who's Ada?"), "What is a loom, and who is Ada?");
        assert_eq!(written_out("Wheres the shed"), "Where is the shed");
        assert_eq!(written_out("what're shuttles"), "what are shuttles");
        assert_eq!(written_out("What is Ada's loom?"), "What is Ada's loom?");
    }

    #[test]
    fn a_long_text_asks_by_its_questions_or_its_last_sentence() {
        let talk = "The team met in the morning. ".repeat(20);
        assert_eq!(asked_in("It is late. Who runs Redis?"), "It is late. Who runs Redis?");
        assert_eq!(asked_in(&format!("{talk}Who runs Redis?")), "Who runs Redis?");
        assert_eq!(
            asked_in(&format!("Who runs Redis? {talk}And where is he? {talk}")),
            "Who runs Redis? And where is he?"
        );
        assert_eq!(asked_in(&format!("{talk}Tell me who runs Redis.")), "Tell me who runs Redis.");
        let one = "word ".repeat(100);
        assert_eq!(asked_in(&one), one.trim());
    }
}
