use super::{Extraction, Extractor, MentionKind, RuleExtractor, SENTENCES_MAX, mentions};
use crate::document::Chunk;

fn extract(title: Option<&str>, text: &str) -> Extraction {
    RuleExtractor::extract_one(&Chunk::new(text, title.map(str::to_owned)))
}

fn of_kind(text: &str, kind: MentionKind) -> Vec<String> {
    mentions(text).into_iter().filter(|mention| mention.kind == kind).map(|mention| mention.name).collect()
}

fn names(text: &str) -> Vec<String> {
    of_kind(text, MentionKind::Name)
}

fn subjects(title: Option<&str>, text: &str) -> Vec<(String, f32)> {
    extract(title, text).subjects.into_iter().map(|subject| (subject.name, subject.weight)).collect()
}

fn links(title: Option<&str>, text: &str) -> Vec<String> {
    let links = extract(title, text).relations;
    links.into_iter().map(|link| format!("{} | {} | {}", link.subject, link.predicate, link.object)).collect()
}

#[test]
fn names_are_maximal_runs_of_capitals_with_their_connectors() {
    assert_eq!(
        names("He studied at the University of Copenhagen with Vincent van Gogh and J. R. R. Tolkien."),
        ["University of Copenhagen", "Vincent van Gogh", "J. R. R. Tolkien"]
    );
    assert_eq!(
        names("It was shown by the Journal of the American Medical Association in New York City, Paris."),
        ["Journal of the American Medical Association", "New York City", "Paris"]
    );
    assert_eq!(
        names("We met Martin Luther King, Jr. near the U.S. Army base after Apollo 11 with Bashar al-Assad."),
        ["Martin Luther King, Jr", "U.S. Army", "Apollo 11", "Bashar al-Assad"]
    );
    assert_eq!(
        names("The Polish–Soviet War and the Polish-Russian War at the Johnson & Johnson site"),
        ["Polish–Soviet War", "Polish-Russian War", "Johnson & Johnson"]
    );
}

#[test]
fn what_begins_a_sentence_is_no_name_for_that() {
    assert_eq!(names("However, the dog slept. In Rome it rained. The river was high."), ["Rome"]);
    assert_eq!(
        names("Director Jane Doe left. The director was tired. Originally, nobody saw it."),
        ["Jane Doe"]
    );
    assert_eq!(
        names("Will Smith met Theresa May. Will Jane Doe come?"),
        ["Will Smith", "Theresa May", "Jane Doe"]
    );
    assert_eq!(
        names("We sang All You Need Is Love at The Hague. All You Need is old. Founded in May, it grew."),
        ["All You Need Is Love", "Hague", "All You Need"]
    );
    assert_eq!(names("Berlin is old. It likes Berlin."), ["Berlin", "Berlin"]);
    assert_eq!(names("He said: The dog is Rex. This is NOT fine. It is not."), ["Rex"]);
}

#[test]
fn possessives_part_owner_and_thing() {
    assert_eq!(
        names("The film is Steven Spielberg's Jaws. It is Poland's capital. We saw Schindler's List."),
        ["Steven Spielberg", "Jaws", "Poland", "Schindler's List"]
    );
}

#[test]
fn quotations_and_marks_set_titles_apart() {
    let text = "She wrote \"The lost road\" and 'Tis Pity', «Le Cid» and *The Silent Sea* (not *very* good). It has \
                [the manual](https://example.org) and [[Wiki page|a page]].";
    assert_eq!(
        of_kind(text, MentionKind::Quotation),
        ["The lost road", "Tis Pity", "Le Cid", "The Silent Sea"]
    );
    assert_eq!(names(text), ["the manual", "a page"]);
    let speech = "He said \"I have been to Warsaw so many times that I can't remember them all\" and left.";
    assert_eq!(of_kind(speech, MentionKind::Quotation), Vec::<String>::new());
    assert_eq!(names(speech), ["Warsaw"]);
}

#[test]
fn identifiers_are_names_in_any_case() {
    assert_eq!(
        names(
            "the AuthModule calls parse_token from ticket-4471 in src/auth/token.rs via std::fmt and `git push`"
        ),
        ["AuthModule", "parse_token", "ticket-4471", "src/auth/token.rs", "std::fmt", "git push"]
    );
    assert_eq!(
        names("see https://example.org/a?b=c. ask @ada about #123 and iPhone or GPT-4"),
        ["https://example.org/a?b=c", "@ada", "#123", "iPhone", "GPT-4"]
    );
}

#[test]
fn dates_and_quantities_are_told_from_names() {
    let text = "It began on 15 March 1998 or March 3, 2001, he ran 3.5 km in the 1963 race for $1.2 million; 2000 people, 45% \
                of them in the 1920s, saw it on 1999-12-31 between 1995-1997. In the 19th century Theresa May had 16 GB.";
    assert_eq!(
        of_kind(text, MentionKind::Date),
        ["15 March 1998", "March 3, 2001", "1963", "1920s", "1999-12-31", "1995", "1997", "19th century"]
    );
    assert_eq!(
        of_kind(text, MentionKind::Quantity),
        ["3.5 km", "$1.2 million", "2000 people", "45%", "16 GB"]
    );
    assert_eq!(names(text), ["Theresa May"]);
    assert_eq!(of_kind("他1998年3月15日出生于北京。", MentionKind::Date), ["1998年3月15日"]);
    assert_eq!(
        of_kind("Nació el 15 de marzo de 1998. Es de Lima.", MentionKind::Date),
        ["15 de marzo de 1998"]
    );
}

#[test]
fn text_without_capitals_yields_terms() {
    let text = "the auth service talks to the token cache. the token cache expires after an hour, and then the auth \
                service asks again";
    let terms = of_kind(text, MentionKind::Term);
    assert!(
        terms.contains(&"auth service".to_owned()) && terms.contains(&"token cache".to_owned()),
        "{terms:?}"
    );
    assert_eq!(of_kind("i like green tea", MentionKind::Term), ["green tea"]);
}

#[test]
fn other_scripts_yield_terms() {
    let terms = of_kind("北京大学位于北京，是中国的大学。", MentionKind::Term);
    assert!(terms.contains(&"中国".to_owned()), "{terms:?}");
    let terms = of_kind("東京タワーは東京の塔です。", MentionKind::Term);
    assert!(terms.contains(&"東京".to_owned()) && terms.contains(&"タワー".to_owned()), "{terms:?}");
    let terms = of_kind("سافر أحمد حسن إلى القاهرة في الصيف.", MentionKind::Term);
    assert!(terms.contains(&"أحمد حسن".to_owned()) && terms.contains(&"القاهرة".to_owned()), "{terms:?}");
    let terms = of_kind("서울은 한국의 수도이다. 서울에 강이 있다.", MentionKind::Term);
    assert!(terms.contains(&"서울".to_owned()) && terms.contains(&"한국".to_owned()), "{terms:?}");
    assert_eq!(
        names("Александр Пушкин родился в Москве и жил в Санкт-Петербурге."),
        ["Александр Пушкин", "Москве", "Санкт-Петербурге"]
    );
}

#[test]
fn names_are_folded_and_composed() {
    let found = mentions("He met Jose\u{301}  Marti\u{301}\nin Cuba.");
    assert_eq!(found[0].name, "José Martí");
    assert_eq!(found[0].range, 7..22);
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
    assert_eq!(
        links(Some("Jane Doe"), "Max Roe was born in Riga."),
        ["Jane Doe | mentions | Max Roe", "Jane Doe | was born in | Riga", "Max Roe | was born in | Riga"]
    );
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
    // A xorshift generator with a fixed seed, so that a failure comes again.
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
