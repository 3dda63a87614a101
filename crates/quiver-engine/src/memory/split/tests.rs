use super::*;

fn called(question: &str, place: Range<usize>, said: &str) -> Called {
    let written = question[place.clone()].to_owned();
    let workspace = Workspace::default();
    let entity = Entity::named(&workspace, None, &written);
    Called { written, place, entity, said: said.to_owned() }
}

fn said(question: &str, called: Vec<Called>) -> String {
    as_said(question, &[Apart { called, ..Apart::default() }])
}

#[test]
fn only_the_names_are_replaced() {
    let question = "Does Merc drive a Mercedes?";
    assert_eq!(said(question, vec![called(question, 5..9, "Mercury")]), "Does Mercury drive a Mercedes?");
}

#[test]
fn a_replaced_name_is_not_replaced_again() {
    let question = "Is Ada older than Bo?";
    let both = vec![called(question, 3..6, "Bo Lind"), called(question, 18..20, "Ada Berg")];
    assert_eq!(said(question, both), "Is Bo Lind older than Ada Berg?");
}

#[test]
fn of_names_that_overlap_one_is_replaced() {
    let question = "Who is Bo Lind?";
    let both = vec![called(question, 7..14, "Bo"), called(question, 10..14, "Lind Oil")];
    assert_eq!(said(question, both), "Who is Bo Lind Oil?");
}

#[test]
fn a_name_inside_a_longer_word_is_not_said() {
    assert!(!says("canada is north of it", "ada"));
    assert!(!says("adam knows it", "ada"));
    assert!(says("canada is where ada lives", "ada"));
    assert!(says("(ada's house)", "ada"));
    assert!(says("水星队在这里", "水星"));
    assert!(!says("ada", ""));
}

/// A passage without any names read from it.
fn passage(document: &str, text: &str) -> Passage {
    Passage {
        id: PassageId::of_document(&Workspace::default(), document, None, text),
        text: text.to_owned(),
        title: None,
        document: document.to_owned(),
        position: 0,
        ordinal: 0,
        speaker: None,
        session: None,
        time: None,
        subjects: Vec::new(),
        entities: Vec::new(),
        relations: Vec::new(),
        metadata: Payload::default(),
        extraction_digest: String::new(),
        unsplit: None,
    }
}

#[test]
fn a_split_concerns_the_passages_that_say_the_name() {
    let id = |name: &str| EntityId::of_name(&Workspace::default(), None, name);
    let texts = SplitTexts { documents: BTreeSet::from(["page".to_owned()]), ..SplitTexts::default() };
    let (said, name) = ("Ada".to_owned(), "Ada (ship)".to_owned());
    let split = Split { one: id("Ada"), other: id("Ada (ship)"), said, name, texts };
    let splits = Splits { splits: vec![split], renamed: BTreeMap::new() };
    assert!(splits.meant(&passage("page", "Canada is large.")).is_empty());
    assert_eq!(
        splits.meant(&passage("page", "Ada is large.")),
        BTreeMap::from([(id("Ada"), id("Ada (ship)"))])
    );
}
