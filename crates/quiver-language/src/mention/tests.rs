use super::{MentionKind, mentions};

fn of_kind(text: &str, kind: MentionKind) -> Vec<String> {
    mentions(text).into_iter().filter(|mention| mention.kind == kind).map(|mention| mention.name).collect()
}

fn names(text: &str) -> Vec<String> {
    of_kind(text, MentionKind::Name)
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
fn text_without_capitals_yields_key_phrases() {
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
fn other_scripts_yield_key_phrases() {
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
