use std::path::PathBuf;

use super::*;

fn files(questions: &str, corpus: &str) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let (questions_file, corpus_file) = (directory.path().join("q.json"), directory.path().join("c.json"));
    std::fs::write(&questions_file, questions).unwrap();
    std::fs::write(&corpus_file, corpus).unwrap();
    (directory, questions_file, corpus_file)
}

fn read(questions: &str, corpus: &str) -> Result<Dataset> {
    let (_directory, questions, corpus) = files(questions, corpus);
    Dataset::read(&questions, &corpus, None)
}

fn gold(item: &Item) -> Vec<Vec<String>> {
    item.gold.iter().map(|gold| gold.keys.clone()).collect()
}

#[test]
fn musique_gold_goes_by_title_and_text() {
    let corpus = r#"[{"title": "Green", "text": "A colour."}, {"title": "Green", "text": "An album.  "},
        {"title": "Green", "text": "A colour."}, {"title": "R.E.M.", "text": "A band."}]"#;
    let questions = r#"[{"id": "3hop1__1_2_3", "question": "Who made Green?", "answer": "R.E.M.",
        "answer_aliases": ["REM", "R.E.M."], "paragraphs": [
            {"idx": 0, "title": "Green", "paragraph_text": "A colour.", "is_supporting": false},
            {"idx": 1, "title": "Green", "paragraph_text": "An album.", "is_supporting": true},
            {"idx": 2, "title": "R.E.M.", "paragraph_text": "A band.", "is_supporting": true},
            {"idx": 3, "title": "R.E.M.", "paragraph_text": "Of another corpus.", "is_supporting": true}]}]"#;
    let set = read(questions, corpus).unwrap();
    assert_eq!(set.corpus.passages.len(), 3, "the same passage twice is one");
    let item = &set.questions[0];
    assert_eq!(gold(item), [vec!["Green #2".to_owned()], vec!["R.E.M.".to_owned()], vec![]]);
    assert_eq!(item.hops, Some(3));
    assert_eq!(item.answers, ["R.E.M.", "REM"]);
    assert_eq!(set.gold_absent(), 1);
}

#[test]
fn hotpot_and_2wiki_gold_goes_by_title() {
    let corpus =
        r#"{"Alû": ["A demon.", " It has no mouth."], "Lilu": ["A spirit.", "No space before this."]}"#;
    let questions = r#"[{"_id": "5a7", "question": "What is Lilu?", "answer": "spirit", "type": "bridge",
        "supporting_facts": [["Alû", 3], ["Lilu", 0], ["Lilu", 1]], "context": [["Alû", ["A demon."]]]}]"#;
    let set = read(questions, corpus).unwrap();
    assert_eq!(set.corpus.passages[0].text, "A demon. It has no mouth.");
    assert_eq!(set.corpus.passages[1].text, "A spirit. No space before this.");
    let item = &set.questions[0];
    assert_eq!((item.id.as_str(), item.kind.as_deref(), item.hops), ("5a7", Some("bridge"), Some(2)));
    assert_eq!(gold(item), [vec!["Alû".to_owned()], vec!["Lilu".to_owned()]]);
}

#[test]
fn of_passages_with_one_title_the_questions_context_chooses() {
    let corpus = r#"[{"title": "X", "text": "One. Two."}, {"title": "X", "text": "Three."}, {"title": "Y", "text": "Y."}]"#;
    let question = |context: &str| {
        format!(
            r#"[{{"_id": "q", "question": "?", "answer": "a", "supporting_facts": [["X", 0]], "context": {context}}}]"#
        )
    };
    let set = read(&question(r#"[["X", ["One.", "Two."]]]"#), corpus).unwrap();
    assert_eq!(gold(&set.questions[0]), [vec!["X".to_owned()]]);
    let set = read(&question("[]"), corpus).unwrap();
    assert_eq!(gold(&set.questions[0]), [vec!["X".to_owned(), "X #2".to_owned()]], "either will do");
}

#[test]
fn sets_of_ones_own_are_lines() {
    let corpus = "{\"id\": \"a\", \"title\": \"T\", \"text\": \"One.\"}\n\n{\"id\": 7, \"text\": \"Two.\"}\n";
    let questions = "{\"id\": \"q1\", \"question\": \"?\", \"answers\": [\"x\"], \"type\": \"bridge\", \"gold\": [\"a\", 7], \"hops\": 3}\n\
                     {\"id\": \"q2\", \"question\": \"?\", \"answers\": [], \"gold\": []}";
    let set = read(questions, corpus).unwrap();
    assert_eq!(gold(&set.questions[0]), [vec!["a".to_owned()], vec!["7".to_owned()]]);
    assert_eq!((set.questions[0].hops, set.questions[1].hops), (Some(3), None));
    assert_eq!(set.corpus.passages[1].title, None);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let corpus = "{\"id\": \"a\", \"text\": \"One.\"}";
    let complaint = |questions: &str, corpus: &str| format!("{:#}", read(questions, corpus).unwrap_err());
    let question =
        |gold: &str| format!(r#"{{"id": "q", "question": "?", "answers": ["x"], "gold": {gold}}}"#);
    assert!(
        complaint(&question(r#"["b"]"#), corpus)
            .contains(r#"question 1: the corpus has no passage with the gold id "b""#)
    );
    assert!(complaint(r#"[{"id": "q", "question": "?"}]"#, corpus).contains("neither paragraphs"));
    assert!(complaint("{\"id\"", corpus).contains("line 1"));
    assert!(
        complaint(&question("[]"), "{\"id\": \"a\"}").contains("passage 1: expected {id?, title?, text}")
    );
    assert!(
        complaint(&question("[]"), &format!("{corpus}\n{corpus}")).contains("two passages have the id \"a\"")
    );
    let twice = format!("{}\n{}", question("[]"), question("[]"));
    assert!(complaint(&twice, corpus).contains("two questions have the id \"q\""));
    assert!(complaint("[]", corpus).contains("there are no questions in it"));
}

#[test]
fn absent_files_are_told_where_to_be_had() {
    let error =
        Dataset::read(Path::new("no/such.json"), Path::new("none.json"), None).unwrap_err().to_string();
    for part in
        ["no/such.json: there is no such file", "hotpotqa.github.io", "downloads nothing", "paragraph_text"]
    {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn triples_find_their_passages_in_either_form() {
    let mut corpus = Corpus::parse(
        r#"[{"title": "Curie", "text": "She was born in Warsaw."}, {"title": "Warsaw", "text": "A city."}]"#,
    )
    .unwrap();
    let triples = r#"{"docs": [
        {"title": "Curie", "text": "She was born in Warsaw.", "extracted_entities": [],
         "extracted_triples": [["Curie", "born in", "Warsaw"], ["Curie", "born"], ["a", "b", "c", "d"]]},
        {"idx": 1, "passage": "Warsaw\nA city.", "extracted_triples": [["Warsaw", "is \"NaN\" not", "NaN"]]},
        {"title": "Of another set", "text": "x", "extracted_triples": [["x", "y", "z"]]}], "avg_ent_chars": NaN, "low": -Infinity}"#;
    assert_eq!(attach(triples, &mut corpus).unwrap(), 2);
    let of = |index: usize| corpus.passages[index].triples.clone();
    assert_eq!((of(0).len(), of(0)[0].predicate.as_str()), (1, "born in"));
    assert_eq!((of(1)[0].predicate.as_str(), of(1)[0].object.as_str()), ("is \"NaN\" not", "NaN"));
    let foreign = r#"{"docs": [{"title": "Of another set", "text": "x", "extracted_triples": []}]}"#;
    assert!(attach(foreign, &mut corpus).unwrap_err().to_string().contains("of another set"));
}

#[test]
fn without_titles_nothing_of_them_is_left() {
    let corpus = Corpus::parse(r#"[{"title": "Secret", "text": "Text."}]"#).unwrap();
    let documents: Vec<_> = corpus.documents(false).collect();
    assert_eq!((documents[0].key.as_str(), documents[0].title.as_deref()), ("#1", None));
    assert_eq!(corpus.documents(true).next().unwrap().title.as_deref(), Some("Secret"));
}
