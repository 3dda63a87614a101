use super::{Extraction, Extractor, RuleExtractor, SENTENCES_MAX};
use quiver_documents::{Chunk, Format};

fn extract(title: Option<&str>, text: &str) -> Extraction {
    RuleExtractor::extract_one(&Chunk::new(text, title.map(str::to_owned)))
}

fn subjects(title: Option<&str>, text: &str) -> Vec<(String, f32)> {
    extract(title, text).subjects.into_iter().map(|subject| (subject.name, subject.weight)).collect()
}

fn links(title: Option<&str>, text: &str) -> Vec<String> {
    let links = extract(title, text).relations;
    links.into_iter().map(|link| format!("{} | {} | {}", link.subject, link.predicate, link.object)).collect()
}

#[test]
fn titles_give_subjects_by_weight() {
    assert_eq!(
        subjects(Some("Mercury, Inner (planet)"), "It is hot."),
        [
            ("Mercury, Inner (planet)".to_owned(), 1.0),
            ("Mercury, Inner".to_owned(), 0.9),
            ("Mercury".to_owned(), 0.6)
        ]
    );
    assert_eq!(
        subjects(Some("Jane Q. Doe"), "Jane Quincy Doe (born Jane Roe; 1 May 1950) is known as Janie."),
        [("Jane Q. Doe".to_owned(), 1.0), ("Jane Quincy Doe".to_owned(), 0.8), ("Jane Roe".to_owned(), 0.6)]
    );
    assert_eq!(
        subjects(None, "The World Health Organization (WHO), formerly Health Office, is in Geneva (GE)."),
        [
            ("World Health Organization".to_owned(), 0.8),
            ("WHO".to_owned(), 0.6),
            ("Health Office".to_owned(), 0.6)
        ]
    );
    assert_eq!(
        subjects(Some("Guide › Storage › The log"), "It grows.")[..2],
        [("Guide".to_owned(), 1.0), ("The log".to_owned(), 0.8)]
    );
    assert_eq!(subjects(None, "it rained yesterday."), []);
}

#[test]
fn an_unrelated_leading_name_is_no_subject() {
    assert_eq!(
        subjects(Some("The lost road"), "Jane Doe wrote it."),
        [("The lost road".to_owned(), 1.0), ("lost road".to_owned(), 0.8)]
    );
}

#[test]
fn relations_carry_the_words_before_the_mention() {
    assert_eq!(
        links(
            Some("The Silent Sea"),
            "The Silent Sea is a film directed by Jane Doe and Max Roe, and was shot in Riga in 1963."
        ),
        [
            "The Silent Sea | is film directed by | Jane Doe",
            "The Silent Sea | is film directed by | Max Roe",
            "The Silent Sea | was shot in | Riga",
            "The Silent Sea | was shot in | 1963"
        ]
    );
}

#[test]
fn the_title_is_found_whatever_its_words() {
    assert_eq!(
        links(
            Some("world on fire (song)"),
            "It says that world on fire was sung by Jane Doe in Riga: At Oslo."
        ),
        [
            "world on fire (song) | was sung by | Jane Doe",
            "world on fire (song) | was sung in | Riga",
            "world on fire (song) | at | Oslo"
        ]
    );
}

#[test]
fn a_sentence_about_something_else_has_relations_of_its_own() {
    assert_eq!(links(Some("Jane Doe"), "Max Roe was born in Riga."), ["Max Roe | was born in | Riga"]);
    assert_eq!(
        links(Some("Jane Doe"), "She was born in Riga near Max Roe."),
        ["Jane Doe | was born in | Riga", "Jane Doe | was born near | Max Roe"]
    );
    assert_eq!(
        links(None, "Later Doe met Max Roe in Riga.").last().map(String::as_str),
        Some("Doe | met in | Riga")
    );
}

#[test]
fn what_is_said_of_something_of_the_subject_is_not_said_of_the_subject() {
    let read = |text: &str| links(Some("The Wren"), text);
    assert_eq!(
        read("The captain of the Wren is Ingrid Solberg from Oslo, and the mate is Bo Lee."),
        [
            "The Wren | captain is | Ingrid Solberg",
            "The Wren | captain from | Oslo",
            "The Wren | mate is | Bo Lee"
        ]
    );
    assert_eq!(
        read("In 1999 the king of the Wren was Bo Lee."),
        ["The Wren | in | 1999", "The Wren | king was | Bo Lee"]
    );
    assert_eq!(read("The price of the Wren is 40 euros."), ["The Wren | price is | 40 euros"]);
    assert_eq!(read("One of the members of the Wren is Bo Lee."), ["The Wren | of members is | Bo Lee"]);
    assert_eq!(
        read("The captain of the Wren, Ann Lee, lives in Oslo near Riga."),
        [
            "The Wren | captain | Ann Lee",
            "The Wren | captain lives in | Oslo",
            "The Wren | captain lives near | Riga"
        ]
    );
    assert_eq!(
        read("The captain of the Wren, which was built in Oslo, is Bo Lee."),
        ["The Wren | was built in | Oslo"]
    );
    assert_eq!(read("On the Wren is Bo Lee."), [""; 0]);
    assert_eq!(read("The Wren is Bo Lee's."), ["The Wren | is | Bo Lee"]);
    assert_eq!(read("The report tells that the boat Ute is older than the Wren."), [""; 0]);
    let german = |title: &str| links(Some(title), "Der Kapitän der Seeschwalbe ist Klaus Maier.");
    assert_eq!(german("Die Seeschwalbe"), ["Kapitän der Seeschwalbe | ist | Klaus Maier"]);
    assert_eq!(german("Seeschwalbe"), ["Seeschwalbe | kapitän ist | Klaus Maier"]);
}

#[test]
fn columns_are_no_entities() {
    let rows = "## Costs\n\nItem: Ticket adult; Price: 12 EUR.\n\nItem: Ticket child; Price: 6 EUR.\n";
    let found = extract(Some("The Wren › Costs"), rows);
    let names: Vec<&str> = found.mentions.iter().map(|mention| mention.name.as_str()).collect();
    assert_eq!(names, ["Costs", "Ticket", "12 EUR", "Ticket", "6 EUR"]);
}

#[test]
fn verbs_are_no_entities() {
    let found = extract(
        Some("pilots"),
        "The old pilot is called Jonas Frey. He retired in 1999. It was made. It was asked.",
    );
    let names: Vec<&str> = found.mentions.iter().map(|mention| mention.name.as_str()).collect();
    assert_eq!(names, ["old pilot", "Jonas Frey", "1999"]);
}

#[test]
fn names_that_only_occur_together_have_no_relation() {
    assert_eq!(links(Some("Jane Doe"), "Riga (Oslo). Max Roe; Rome."), Vec::<String>::new());
    assert_eq!(
        links(Some("Deploying Riga"), "Riga:\n\n    $client = new Client('Oslo', Port::Default);"),
        [""; 0]
    );
    assert_eq!(links(Some("Riga"), "<a name=\"oslo\" class=\"Anchor\"></a>"), [""; 0]);
    assert_eq!(
        links(Some("Riga"), "It lies near Oslo, north of Rome, east of Paris, west of Kyoto and above Lima."),
        [
            "Riga | lies near | Oslo",
            "Riga | north of | Rome",
            "Riga | east of | Paris",
            "Riga | west of | Kyoto"
        ]
    );
}

#[test]
fn relations_stop_at_the_limit_of_sentences() {
    let text = "He saw Riga again. ".repeat(20);
    let found = extract(Some("Doe"), &text);
    assert_eq!(found.relations.len(), SENTENCES_MAX);
    assert_eq!(found.mentions.len(), 20);
    assert!(found.relations.iter().all(|link| link.sentence.is_some() && !link.predicate.is_empty()));
}

#[test]
fn odd_texts_are_survived() {
    for text in [
        "",
        "\"",
        "“",
        "***",
        "[[",
        "[a](",
        "`",
        "'",
        "$",
        "%",
        "::",
        "@",
        "#",
        "The",
        "A. B.",
        "1998-",
        "年",
        "é\u{301}",
        "\u{200d}",
    ] {
        let repeated = text.repeat(50);
        for text in [text, &repeated, &format!("a{text}B {text}C{text} é{text}")] {
            let found = extract(Some(text), text);
            for mention in &found.mentions {
                assert!(text.get(mention.range.clone()).is_some_and(|part| !part.is_empty()));
                assert!(!mention.name.is_empty());
            }
        }
    }
}

#[test]
fn random_texts_are_survived() {
    let pieces: Vec<&str> = "aB cD \" “ ” „ « » ‘ ’ ' 「 」 《 》 [ ] ( ) { } * _ ` . , ; : ! ? … - – / \\ @ # $ % & + ° 19 5 年 日 é \u{301} \
                             \u{200d} 漢字 かな カー ไทย अक्ष عربي 한국 Жж 。 | ² ß İ The of de May in U.S. http://a 1998 March Jane ’s [[ ]] ** \
                             a.k.a. (born 12th century I"
        .split(' ')
        .chain([" ", " ", "\n", "\n\n# "])
        .collect();
    // A xorshift generator with a fixed seed, so that failures are reproducible.
    let mut seed = 88_172_645_463_325_252_u64;
    let mut below = |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % limit as u64).expect("the limit is small")
    };
    for _ in 0..5_000 {
        let text: String = (0..below(24)).map(|_| pieces[below(pieces.len())]).collect();
        let title = text.chars().take(below(8)).collect();
        let chunk = Chunk::new(text, (below(2) == 0).then_some(title));
        let found = RuleExtractor::extract_one(&chunk);
        for mention in &found.mentions {
            assert!(chunk.text.get(mention.range.clone()).is_some(), "{chunk:?}: {mention:?}");
            assert!((mention.sentence as usize) < chunk.sentences.len(), "{chunk:?}: {mention:?}");
        }
        for link in &found.relations {
            let parts = [&link.subject, &link.predicate, &link.object];
            assert!(parts.into_iter().all(|part| !part.is_empty()), "{chunk:?}: {link:?}");
        }
    }
}

#[tokio::test]
async fn extractions_come_in_the_order_of_the_chunks() {
    let extractor: &dyn Extractor = &RuleExtractor;
    let chunks = [Chunk::new("Riga is old.", None), Chunk::default(), Chunk::new("Oslo is cold.", None)];
    let found = extractor.extract(&chunks).await.expect("rules don't fail");
    let subjects: Vec<Option<&str>> =
        found.iter().map(|found| found.subjects.first().map(|subject| subject.name.as_str())).collect();
    assert_eq!(subjects, [Some("Riga"), None, Some("Oslo")]);
    assert!(!extractor.fingerprint().is_empty());
}

#[test]
fn of_code_only_what_it_defines_and_refers_to_is_kept() {
    let text = "/// Reads the \"quoted\" line of 350 bytes from Paris.\nfn parse_http_header(line: &str) -> Result<HeaderMap> {\n    \
                let file_bytes_max = 12;\n    let map = HeaderMap::new(file_bytes_max);\n    map.insert_all(split_once(line));\n    Some(map)\n}";
    let title = "src/http.rs › Parser › parse_http_header, new, HeaderError".to_owned();
    let chunk = Chunk { format: Format::Code, ..Chunk::new(text, Some(title)) };
    let extraction = RuleExtractor::extract_one(&chunk);
    let names: Vec<&str> = extraction.mentions.iter().map(|mention| mention.name.as_str()).collect();
    assert_eq!(names, ["parse_http_header", "HeaderMap", "insert_all", "split_once"]);
    let subjects: Vec<(&str, f32)> =
        extraction.subjects.iter().map(|subject| (subject.name.as_str(), subject.weight)).collect();
    assert_eq!(subjects, [("parse_http_header", 1.0), ("HeaderError", 1.0), ("Parser", 0.8)]);
    assert!(extraction.relations.is_empty());
}

#[test]
fn a_number_after_a_name_belongs_to_it_before_any_verb() {
    for (text, title) in
        [("The Crane 40 stands on the quay.", "Crane 40"), ("Ward 3 lies on the ground floor.", "Ward 3")]
    {
        let found = RuleExtractor::extract_one(&Chunk::new(text, Some(title.to_owned())));
        let subjects: Vec<&str> = found.subjects.iter().map(|subject| subject.name.as_str()).collect();
        assert_eq!(subjects, [title], "{text}");
    }
}
