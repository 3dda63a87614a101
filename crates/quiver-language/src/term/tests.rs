use super::*;

fn stems(text: &str, language: Language) -> Vec<u32> {
    let mut hashes = Vec::new();
    each_stem(text, language, |term| hashes.push(term.hash));
    hashes
}

fn terms(text: &str) -> Vec<u32> {
    let mut hashes = Vec::new();
    each_term(text, |term| hashes.push(term.hash));
    hashes
}

#[test]
fn forms_of_a_word_have_one_stem_in_their_language() {
    for (language, one, other) in [
        (Language::German, "Zertifikate", "zertifikaten"),
        (Language::German, "Häuser", "Haus"),
        (Language::French, "révoqués", "révoquer"),
        (Language::Spanish, "renovaciones", "renovación"),
        (Language::Italian, "certificati", "certificato"),
        (Language::Portuguese, "certificados", "certificado"),
        (Language::Dutch, "huizen", "huize"),
        (Language::Russian, "сертификатов", "сертификат"),
    ] {
        let [one_stem, other_stem] = [one, other].map(|word| stems(word, language));
        assert_eq!(one_stem.len(), 1, "{one}");
        assert_eq!(one_stem, other_stem, "{one} and {other}");
    }
}

#[test]
fn stems_are_made_before_accents_are_folded() {
    // The ending "é" is one only with its accent, in either Unicode form.
    assert_eq!(stems("révoqué", Language::French), stems("re\u{301}voque\u{301}", Language::French));
    assert_eq!(stems("révoqué", Language::French), stems("révoquer", Language::French));
    // What is left is folded: a stem written without its accent is the same.
    assert_eq!(stems("Schlüssel", Language::German), stems("Schlussel", Language::German));
}

#[test]
fn stems_stand_where_their_words_are_and_function_words_and_data_have_none() {
    let text = "Die Dienste von example.com laufen auf Port 4471.";
    let mut found = Vec::new();
    each_stem(text, Language::German, |term| found.push(&text[term.start..term.end]));
    assert_eq!(found, ["Dienste", "example", "com", "laufen", "Port"]);
}

#[test]
fn languages_share_no_stem_and_none_is_a_term_of_another() {
    let text = "certificat kubernetes port";
    let languages = crate::detect::STEMMED.map(|language| stems(text, language));
    let all: std::collections::HashSet<u32> =
        languages.iter().flatten().copied().chain(terms(text)).collect();
    assert_eq!(all.len(), 3 * (languages.len() + 1));
    assert_eq!(stems(text, Language::English), [0; 0]);
}

#[test]
fn stems_of_two_languages_in_turn_do_not_mix() {
    let alone = [Language::German, Language::Spanish].map(|language| stems("normales", language));
    assert_ne!(alone[0], alone[1]);
    for _ in 0..3 {
        assert_eq!([Language::German, Language::Spanish].map(|language| stems("normales", language)), alone);
        assert_eq!(terms("normales"), terms("normale"), "English terms are as before");
    }
}

#[test]
fn a_compound_is_whole_and_has_parts() {
    let text = "AuthModule of web-eu-2";
    let mut terms = Vec::new();
    each_term(text, |term| terms.push(term));
    let written = |term: &Term| &text[term.start..term.end];
    let whole: Vec<&str> = whole_terms(&terms).map(written).collect();
    assert_eq!(whole, ["AuthModule", "of", "web-eu-2"]);
    let parts = (0..terms.len()).filter(|at| !has_parts(&terms, *at));
    let parts: Vec<&str> = parts.map(|at| written(&terms[at])).collect();
    assert_eq!(parts, ["Auth", "Module", "of", "web", "eu", "2"]);
}
