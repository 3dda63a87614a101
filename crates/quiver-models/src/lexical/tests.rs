use super::*;

/// Returns the parts of the text that became terms.
fn found(text: &str) -> Vec<&str> {
    Lexical::new().terms(text).into_iter().map(|term| &text[term.start..term.end]).collect()
}

/// Returns whether the document contains all content terms of the query.
fn finds(query: &str, document: &str) -> bool {
    let lexical = Lexical::new();
    let document = lexical.document_vector(document);
    let asked = lexical.headings_asked(query);
    let mut words = lexical.query_vector(query, |_| 1.0);
    words.retain(|(hash, _)| !asked.contains(hash));
    !words.is_empty() && words.iter().all(|(hash, _)| document.iter().any(|(other, _)| other == hash))
}

#[test]
fn words_are_found_where_they_stand() {
    assert_eq!(found("The cat, the  hat!\n(Bye)"), ["The", "cat", "the", "hat", "Bye"]);
    assert_eq!(found(""), Vec::<&str>::new());
    assert_eq!(found(" -- ... "), Vec::<&str>::new());
}

#[test]
fn identifiers_give_the_whole_and_the_parts() {
    assert_eq!(found("AuthModule"), ["AuthModule", "Auth", "Module"]);
    assert_eq!(found("HTTPServer"), ["HTTPServer", "HTTP", "Server"]);
    assert_eq!(found("ticket_4471"), ["ticket_4471", "ticket", "4471"]);
    assert_eq!(found("ticket4471"), ["ticket4471", "ticket", "4471"]);
    assert_eq!(found("kebab-case"), ["kebab-case", "kebab", "case"]);
    assert_eq!(
        found("see example.com/auth_module.rs."),
        ["see", "example.com", "example", "com", "auth_module.rs", "auth", "module", "rs"]
    );
    assert_eq!(found("2023-05-07"), ["2023-05-07", "2023", "05", "07"]);
    assert_eq!(found("x-ray"), ["x-ray", "x", "ray"]);
}

#[test]
fn some_words_look_joined_and_are_not() {
    assert_eq!(found("a1b2c3d4"), ["a1b2c3d4"]);
    assert_eq!(found("19th"), ["19th"]);
    assert_eq!(found("U.S.A."), ["U.S.A"]);
    assert_eq!(found("v1.2.3"), ["v1.2.3"]);
    assert_eq!(found("3.14"), ["3.14"]);
    assert_eq!(found("1,000"), ["1,000"]);
    assert_eq!(found("don't"), ["don't"]);
    assert_eq!(found("PDFs"), ["PDF"]);
    assert_eq!(found("C++ and C# and C"), ["C++", "and", "C#", "and", "C"]);
    assert!(!finds("C", "C++"));
    assert!(!finds("314", "3.14"));
    assert!(finds("1000", "1,000"));
}

#[test]
fn long_chains_give_parts_only() {
    assert_eq!(found("a1-b2-c3-d4-e5-f6-g7"), ["a1", "b2", "c3", "d4", "e5", "f6", "g7"]);
}

#[test]
fn spellings_meet() {
    for (query, document) in [
        ("Zulawski", "Andrzej Żuławski"),
        ("Żuławski", "zulawski"),
        ("cafe", "cafe\u{301}"),
        ("STRASSE", "Straße"),
        ("Tromso", "Tromsø"),
        ("auth-module", "AuthModule"),
        ("authmodule", "auth_module"),
        ("module", "AuthModules"),
        ("email", "e-mail"),
        ("wi-fi", "WiFi"),
        ("running", "she runs"),
        ("O'Brien", "OBrien O’Brien"),
        ("homme", "l'homme"),
        ("mother", "Maria’s mother's"),
        ("USA", "U.S.A."),
        ("ﬁle", "FILE"),
        ("Αθηνα", "Αθήνα"),
        ("елка", "Ёлка"),
        ("שלום", "שָׁלוֹם"),
        ("co\u{ad}operate", "cooperate"),
    ] {
        assert!(finds(query, document), "{query} finds {document}");
    }
}

#[test]
fn other_scripts_keep_their_marks() {
    assert!(!finds("мои", "мой"), "short i is a letter of its own");
    assert!(!finds("कल", "कुल"), "vowel signs tell words apart");
    assert!(finds("हिन्दी", "वह हिन्दी बोलता है"));
}

#[test]
fn scripts_without_spaces_are_paired() {
    assert_eq!(found("東京都"), ["東", "東京", "京", "京都", "都"]);
    assert_eq!(found("カメラ"), ["カメ", "メラ"]);
    assert_eq!(found("Rust한국어"), ["Rust", "한국", "국어"]);
    assert!(finds("東京", "私は東京都に住んでいます。"));
    assert!(finds("猫", "黒猫がいる"));
    assert!(finds("ｶﾞﾗｽ", "ガラス"));
    assert!(finds("한국", "한국에서"));
    assert!(finds("ภาษา", "ภาษาไทย"));
}

#[test]
fn queries_are_about_their_content() {
    let lexical = Lexical::new();
    assert_eq!(lexical.query_terms("who is the director").len(), 1);
    assert_eq!(lexical.query_vector("the who", |_| 1.0).len(), 2);
    assert!(finds("the who", "The Who played."));
    assert!(!lexical.terms("work in IT")[2].is_stop);
    assert!(lexical.terms("what is it")[2].is_stop);
}

#[test]
fn query_weights_follow_rarity() {
    let lexical = Lexical::new();
    let rare = lexical.terms("rare")[0].hash;
    let vector = lexical.query_vector("rare common rare", |hash| if hash == rare { 3.0 } else { 0.0 });
    assert_eq!(vector, [(rare, 3.0 * (1.0 + 2.0_f32.ln()))]);
}

#[test]
fn document_weights_are_those_of_bm25() {
    let lexical = Lexical::new();
    let text = format!("alpha alpha the {}", "filler ".repeat(62));
    let vector = lexical.document_vector(&text);
    let weight = |word: &str| {
        let hash = lexical.terms(word)[0].hash;
        vector.iter().find(|(other, _)| *other == hash).map(|(_, weight)| *weight)
    };
    assert!(vector.is_sorted_by(|left, right| left.0 < right.0));
    assert!((weight("alpha").unwrap() - 2.0 * 2.2 / 3.2).abs() < 1e-6, "64 terms make the reference length");
    assert!((weight("the").unwrap() - 1.0).abs() < 1e-6);
    assert!(lexical.document_vector("").is_empty());
}

#[test]
fn a_question_finds_the_heading_that_it_is() {
    let lexical = Lexical::new();
    let page = lexical.document_counts("Loom. ## Cleaning a reed\n\nBrush it.\n\n## On GitHub\n\nSee there.");
    let found = |question: &str| {
        let asked = lexical.headings_asked(question);
        page.headings.iter().any(|(_, heading)| asked.contains(heading))
    };
    assert!(
        found("How do I clean the reed?")
            && found("reed cleaning")
            && found("How can I clean a reed with a brush?")
    );
    assert!(found("github") && found("What is a loom?"));
    assert!(!found("How do I clean the shuttle?") && !found("How do I clean?") && !found("How do I?"));
    let terms: Vec<u32> = page.counts.iter().map(|(term, _)| *term).collect();
    assert!(page.headings.iter().all(|(_, heading)| terms.contains(heading)), "headings are search terms");
}

#[test]
fn hashes_never_change() {
    let hash = |word: &str| Lexical::new().terms(word)[0].hash;
    // Stored vectors contain these hashes: changing them requires a new fingerprint.
    assert_eq!([hash("graph"), hash("Żuławski"), hash("東京")], [4_161_894_544, 850_512_371, 4_073_003_471]);
    assert_eq!(
        Lexical::new().fingerprint(),
        "lexical-7(snowball-en, agents, stems, definitions, headings, bm25 k1=1.2 b=0.75 length=64)"
    );
}

#[test]
fn any_text_gives_terms_within_it() {
    const ALPHABET: &[&str] = &[
        "a", "B", "s", "'", "’", "-", "_", ".", ",", "1", "#", "+", " ", "é", "\u{301}", "ß", "東", "カ", "ﾞ",
        "한", "ก", "ا", "\u{64e}", "\u{ad}", "\u{200d}", "👩", "İ", "क्", "\u{2011}",
    ];
    let mut state = 7_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(ALPHABET[usize::try_from(state >> 40).unwrap() % ALPHABET.len()]);
        }
        let terms = Lexical::new().terms(&text);
        for term in &terms {
            assert!(
                term.start < term.end && text.get(term.start..term.end).is_some(),
                "{term:?} of {text:?}"
            );
        }
        assert!(terms.is_sorted_by_key(|term| term.start), "{terms:?} of {text:?}");
        assert!(Lexical::new().document_vector(&text).iter().all(|(_, weight)| weight.is_finite()));
    }
}

#[test]
fn who_does_it_meets_what_is_done() {
    let hash = |word: &str| Lexical::new().terms(word)[0].hash;
    for (agent, deed) in [("director", "directed"), ("composer", "composed"), ("producers", "producing")] {
        assert_eq!(hash(agent), hash(deed), "{agent} and {deed}");
    }
    assert_ne!(hash("order"), hash("ore"), "short words keep their ending");
}

#[test]
fn a_question_meets_what_defines_its_subject() {
    let lexical = Lexical::new();
    let defined = |text: &str| -> Vec<u32> {
        lexical.definitions(text).into_iter().map(|(_, definition)| definition).collect()
    };
    let chart = lexical.definition_asked("What are charts?").unwrap();
    assert_eq!(defined("A chart is a collection of files."), [chart]);
    assert_ne!(defined("A graph is a collection of nodes."), [chart]);
    let profile = lexical.definition_asked("What is a ServiceProfile?").unwrap();
    assert_eq!(defined("Service profiles are a kind of resource."), [profile]);
    let point = lexical.definition_asked("What is an entrypoint?").unwrap();
    assert_eq!(defined("EntryPoints are the points at which traffic comes in."), [point]);
    let bookmark = lexical.definition_asked("What is a bookmark?").unwrap();
    assert_eq!(defined("Bookmarks are pointers that move with a commit."), [bookmark]);
    assert_eq!(defined("A pointer that moves with a commit is called a bookmark."), [bookmark]);
    assert!(!lexical.terms("A chart is a collection of files.").iter().any(|term| term.hash == chart));
    let has = |vector: Vec<(u32, f32)>| vector.iter().any(|(term, _)| *term == chart);
    assert!(has(lexical.document_vector("A chart is a collection of files. A chart is a kind of archive.")));
    assert!(has(lexical.query_vector("What is a chart?", |_| 1.0)));
    assert!(!has(lexical.query_vector("Where is a chart?", |_| 1.0)));
}

#[test]
fn a_text_in_another_language_keeps_its_terms_and_length_and_adds_stems() {
    let lexical = Lexical::new();
    let text = "Die Zertifikate von Ada sind in der Datei, und sie werden erneuert.";
    let counts = lexical.document_counts(text);
    let has = |term: u32| counts.counts.iter().any(|(other, _)| *other == term);
    let terms = lexical.terms(text);
    assert!(terms.iter().all(|term| has(term.hash)));
    assert_eq!(counts.length, terms.iter().filter(|term| !term.is_stop).count());
    let stems: Vec<&str> = counts.stems.iter().map(|stem| &text[stem.start..stem.end]).collect();
    assert_eq!(stems, ["Zertifikate", "Ada", "Datei", "erneuert"]);
    assert!(
        counts.stems.iter().all(|stem| has(stem.hash) && terms.iter().all(|term| term.hash != stem.hash))
    );
}

#[test]
fn an_english_text_has_only_the_terms_of_its_words() {
    let lexical = Lexical::new();
    let counts = lexical.document_counts("The die was in the server, so we were in a war with the no-man.");
    assert!(counts.stems.is_empty());
    let terms = lexical.terms("The die was in the server, so we were in a war with the no-man.");
    let of_words: BTreeSet<u32> = terms.iter().map(|term| term.hash).collect();
    assert!(counts.counts.iter().map(|(term, _)| *term).eq(of_words));
}

#[test]
fn a_question_meets_a_text_in_its_language_by_stems() {
    let lexical = Lexical::new();
    let counts =
        lexical.document_counts("Die Zertifikate werden von der Stelle erneuert, und sie sind frei.");
    let with = |term: u32| u64::from(counts.counts.iter().any(|(other, _)| *other == term));
    let term = |word: &str| lexical.terms(word)[0].hash;
    // The question is clearly German, or in doubt while most passages are German.
    for question in ["Wie soll ich Zertifikaten trauen?", "Zertifikaten trauen"] {
        let stems = lexical.stems_asked(question, with, 1);
        assert_eq!(with(term("Zertifikaten")), 0);
        assert_eq!(with(stems[&term("Zertifikaten")]), 1, "{question}");
        assert_eq!(with(stems[&term("trauen")]), 0);
    }
    assert!(lexical.stems_asked("How do I renew Zertifikaten?", with, 1).is_empty());
    assert!(lexical.stems_asked("Wie soll ich Zertifikaten trauen?", |_| 0, 1).is_empty(), "no German text");
}
