//! Decisions about entities: what a rename and a deletion change, and that undoing them takes it back.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    AskOptions, Document, ErrorKind, Question, Quiver,
    context::{ContextItem, ContextKind},
    memory::{DecisionKind, Fact, Forget, GraphExportOptions, Turn},
};

/// Two pages of documents and two facts of a session.
async fn fill(quiver: &Quiver) {
    quiver.ingest(pages()).await.unwrap();
    let turns = vec![
        Turn::new("s", "The Aurelia is captained by Ida Holm.").at(1).numbered(0).stating(Fact::new(
            "Aurelia",
            "is captained by",
            "Ida Holm",
        )),
        Turn::new("s", "Ida Holm lives in Norby.")
            .at(2)
            .numbered(1)
            .stating(Fact::new("Ida Holm", "lives in", "Norby")),
    ];
    quiver.remember(turns).await.unwrap();
}

fn pages() -> [Document; 2] {
    [
        Document::new("aurelia", "The Aurelia was built at the Skerry Yard in 1911.").with_title("Aurelia"),
        Document::new("yard", "The Skerry Yard stands on the north quay of Haldby. It has two slipways.")
            .with_title("Skerry Yard"),
    ]
}

async fn answer(quiver: &Quiver, question: &str) -> Option<String> {
    quiver.recall(question).await.unwrap().answer
}

async fn names(quiver: &Quiver) -> Vec<String> {
    let rows = quiver.query("MATCH (n:Entity) RETURN n.name ORDER BY n.name").await.unwrap();
    rows.rows.iter().map(|row| row[0].as_str().unwrap().to_owned()).collect()
}

async fn found(quiver: &Quiver, name: &str) -> Vec<String> {
    let seen = quiver.without_deleted().await.unwrap();
    let found = seen.graph().entities_named(&[name.to_lowercase()], 9).await.unwrap();
    found.into_iter().map(|entity| entity.name).collect()
}

/// The names that the trace of a question links.
async fn linked(quiver: &Quiver, question: &str) -> String {
    let evidence = quiver.retrieve(question).await.unwrap();
    evidence.trace.to_string().lines().filter(|line| line.contains("names \"")).collect()
}

async fn dump(quiver: &Quiver) -> Vec<u8> {
    let mut dump = Vec::new();
    quiver.export().vectors().write_to(&mut dump).await.unwrap();
    dump
}

async fn graph_export(quiver: &Quiver) -> String {
    let mut text = Vec::new();
    quiver.export_graph(&GraphExportOptions::default(), &mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

async fn copy(quiver: &Quiver) -> Quiver {
    let copy = Quiver::in_memory().await.unwrap();
    copy.import(dump(quiver).await.as_slice()).await.unwrap();
    copy
}

async fn check_renamed(quiver: &Quiver) {
    assert_eq!(found(quiver, "Aurelia").await, ["Stella"]);
    assert_eq!(found(quiver, "Stella").await, ["Stella"]);
    assert!(linked(quiver, "Where was the Stella built?").await.contains("names \"Stella\""));
    assert!(linked(quiver, "Where was the Aurelia built?").await.contains("names \"Stella\""));
    assert_eq!(answer(quiver, "Who captains the Stella?").await.as_deref(), Some("Ida Holm"));
    assert_eq!(answer(quiver, "Who captains the Aurelia?").await.as_deref(), Some("Ida Holm"));
    let names = names(quiver).await;
    assert!(names.contains(&"Stella".to_owned()) && !names.contains(&"Aurelia".to_owned()), "{names:?}");
    assert!(graph_export(quiver).await.contains("'Stella'"));
    assert_eq!(quiver.verify().await.unwrap(), []);
}

async fn check_not_renamed(quiver: &Quiver) {
    assert_eq!(found(quiver, "Aurelia").await, ["Aurelia"]);
    assert_eq!(found(quiver, "Stella").await, [""; 0]);
    assert_eq!(answer(quiver, "Who captains the Stella?").await, None);
    assert_eq!(answer(quiver, "Who captains the Aurelia?").await.as_deref(), Some("Ida Holm"));
    assert!(names(quiver).await.contains(&"Aurelia".to_owned()));
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_entity_is_found_by_both_names_until_that_is_undone() {
    let quiver = Quiver::in_memory().await.unwrap();
    fill(&quiver).await;
    check_not_renamed(&quiver).await;
    let decision = quiver.rename_entity("aurelia", " Stella ", "said the yard").await.unwrap();
    check_renamed(&quiver).await;
    check_renamed(&copy(&quiver).await).await;

    // The same documents again, and others in their place, rename nothing back.
    quiver.ingest(pages()).await.unwrap();
    let other = Document::new("aurelia", "The Aurelia was built at the Skerry Yard. She has two masts.");
    quiver.ingest([other.with_title("Aurelia")]).await.unwrap();
    check_renamed(&quiver).await;
    quiver.delete("aurelia").await.unwrap();
    quiver.ingest(pages()).await.unwrap();
    check_renamed(&quiver).await;

    quiver.undo(decision).await.unwrap();
    check_not_renamed(&quiver).await;
    check_not_renamed(&copy(&quiver).await).await;
    quiver.redo(decision).await.unwrap();
    check_renamed(&quiver).await;

    // What is said under the new name is of the same entity.
    let turn = Turn::new("s", "The Stella is owned by Bo Lind.").at(3).stating(Fact::new(
        "Stella",
        "is owned by",
        "Bo Lind",
    ));
    quiver.remember(vec![turn]).await.unwrap();
    assert_eq!(answer(&quiver, "Who owns the Aurelia?").await.as_deref(), Some("Bo Lind"));
    assert_eq!(quiver.facts("Aurelia").await.unwrap().len(), 3, "two facts and the decision");
}

#[tokio::test]
async fn of_several_names_the_latest_that_stands_is_shown() {
    let quiver = Quiver::in_memory().await.unwrap();
    fill(&quiver).await;
    let first = quiver.rename_entity("Aurelia", "Stella", "").await.unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2));
    let second = quiver.rename_entity("Stella", "Vega", "").await.unwrap();
    for name in ["Aurelia", "Stella", "Vega"] {
        assert_eq!(found(&quiver, name).await, ["Vega"]);
    }
    quiver.undo(first).await.unwrap();
    assert_eq!(found(&quiver, "Vega").await, ["Vega"]);
    assert_eq!(found(&quiver, "Stella").await, [""; 0]);
    quiver.undo(second).await.unwrap();
    assert_eq!(found(&quiver, "Aurelia").await, ["Aurelia"]);
    assert_eq!(found(&quiver, "Vega").await, [""; 0]);
    quiver.redo(first).await.unwrap();
    assert_eq!(found(&quiver, "Aurelia").await, ["Stella"]);
    let taken = quiver.decisions().await.unwrap();
    let shown: Vec<_> = taken
        .iter()
        .map(|one| (one.kind, one.name.as_str(), one.other.as_deref().unwrap(), one.is_undone))
        .collect();
    let rename = DecisionKind::Rename;
    assert_eq!(shown, [(rename, "Stella", "Vega", true), (rename, "Aurelia", "Stella", false)]);
}

#[tokio::test]
async fn what_can_not_be_renamed_is_refused() {
    let quiver = Quiver::in_memory().await.unwrap();
    fill(&quiver).await;
    quiver.query("CREATE (:Ship {name: 'Vega'})").await.unwrap();
    for (name, to, kind, says) in [
        ("Nobody", "Stella", ErrorKind::NotFound, "nothing is called"),
        ("Aurelia", " ", ErrorKind::Invalid, "needs a name"),
        ("Aurelia", "Aurelia", ErrorKind::Invalid, "is already its name"),
        ("Aurelia", "ida holm", ErrorKind::Invalid, "merge the two"),
        ("Vega", "Stella", ErrorKind::Invalid, "SET n.name"),
    ] {
        let error = quiver.rename_entity(name, to, "").await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    assert_eq!(quiver.decisions().await.unwrap(), []);
}

async fn check_deleted(quiver: &Quiver) {
    assert_eq!(found(quiver, "Ida Holm").await, [""; 0]);
    assert_eq!(answer(quiver, "Who captains the Aurelia?").await, None);
    assert_eq!(answer(quiver, "Where does Ida Holm live?").await, None);
    assert!(quiver.facts("Ida Holm").await.unwrap().is_empty());
    let facts = quiver.facts("Aurelia").await.unwrap();
    assert!(facts.iter().all(|fact| fact.object != "Ida Holm"), "{facts:#?}");
    assert!(!names(quiver).await.contains(&"Ida Holm".to_owned()));
    let count = "MATCH (n:Entity {name: 'Ida Holm'}) RETURN count(*)";
    assert_eq!(quiver.query(count).await.unwrap().rows, [[0.into()]]);
    let edges = "MATCH ({name: 'Aurelia'})-[r:`is captained by`]-() RETURN count(r)";
    assert_eq!(quiver.query(edges).await.unwrap().rows, [[0.into()]]);
    let mut transaction = quiver.begin_transaction();
    assert_eq!(transaction.query(count).await.unwrap().rows, [[0.into()]]);
    assert!(!graph_export(quiver).await.contains("Ida Holm"));
    let context = quiver.context("Where does Ida Holm live?").await.unwrap();
    let facts: Vec<&ContextItem> =
        context.items.iter().filter(|item| item.kind == ContextKind::Fact).collect();
    assert!(facts.is_empty(), "{facts:#?}");
    assert_eq!(quiver.verify().await.unwrap(), []);
}

async fn check_not_deleted(quiver: &Quiver) {
    assert_eq!(found(quiver, "Ida Holm").await, ["Ida Holm"]);
    assert_eq!(answer(quiver, "Who captains the Aurelia?").await.as_deref(), Some("Ida Holm"));
    assert_eq!(answer(quiver, "Where does Ida Holm live?").await.as_deref(), Some("Norby"));
    assert!(names(quiver).await.contains(&"Ida Holm".to_owned()));
    assert!(graph_export(quiver).await.contains("Ida Holm"));
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_entity_is_seen_nowhere_until_that_is_undone() {
    let quiver = Quiver::in_memory().await.unwrap();
    fill(&quiver).await;
    let before = dump(&quiver).await;
    check_not_deleted(&quiver).await;
    let decision = quiver.delete_entity("ida holm", "asked for").await.unwrap();
    check_deleted(&quiver).await;
    check_deleted(&copy(&quiver).await).await;
    let gone = quiver.delete_entity("Ida Holm", "").await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound, "{gone}");

    // What is said of it meanwhile is hidden too.
    let turn = Turn::new("t", "Ida Holm has a dog.").at(3).stating(Fact::new("Ida Holm", "has", "a dog"));
    quiver.remember(vec![turn]).await.unwrap();
    quiver.ingest(pages()).await.unwrap();
    check_deleted(&quiver).await;
    quiver.forget(&Forget::Session("t".to_owned())).await.unwrap();

    quiver.undo(decision).await.unwrap();
    check_not_deleted(&quiver).await;
    quiver.redo(decision).await.unwrap();
    check_deleted(&quiver).await;
    let taken = quiver.decisions().await.unwrap();
    assert_eq!((taken.len(), taken[0].kind, taken[0].is_undone), (1, DecisionKind::Delete, false));
    assert_eq!((taken[0].name.as_str(), taken[0].other.as_deref()), ("Ida Holm", None));
    quiver.undo(decision).await.unwrap();

    // Nothing but the decision was written.
    let after = String::from_utf8(dump(&quiver).await).unwrap();
    let before = String::from_utf8(before).unwrap();
    let new: Vec<&str> = after.lines().filter(|line| !before.contains(line)).collect();
    assert_eq!(new.iter().filter(|line| line.contains("\"deleted\"")).count(), 1, "{new:#?}");
    assert!(before.lines().skip(1).all(|line| after.contains(line)));

    // Forgetting takes the decision along with what it was about.
    quiver.redo(decision).await.unwrap();
    quiver.forget(&Forget::About("Ida Holm".to_owned())).await.unwrap();
    assert!(!String::from_utf8(dump(&quiver).await).unwrap().contains("Ida Holm"));
    assert_eq!(quiver.decisions().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_do_not_pass_through_a_deleted_entity() {
    let quiver = Quiver::in_memory().await.unwrap();
    fill(&quiver).await;
    let question = "On which quay does the yard stand that built the Aurelia?";
    let leads = async || {
        let evidence = quiver.retrieve(question).await.unwrap();
        let yard = evidence.passages.iter().find(|ranked| ranked.passage.document == "yard").unwrap();
        yard.path.len()
    };
    assert_eq!(leads().await, 1);
    let decision = quiver.delete_entity("Skerry Yard", "").await.unwrap();
    // Its passage has words of the question, and is still found by them.
    assert_eq!(leads().await, 0);
    quiver.undo(decision).await.unwrap();
    assert_eq!(leads().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_deleted_for_good_beside_a_hidden_one() {
    let quiver = Quiver::in_memory().await.unwrap();
    let create = "CREATE (:Ship {name: 'Vega'})-[:MOORED_AT]->(:Quay {name: 'North'})";
    quiver.query(create).await.unwrap();
    let decision = quiver.delete_entity("Vega", "").await.unwrap();
    quiver.query("MATCH (q:Quay) DELETE q").await.unwrap();
    quiver.undo(decision).await.unwrap();
    let rows = quiver.query("MATCH (n) RETURN n.name").await.unwrap();
    assert_eq!(rows.rows, [["Vega".into()]]);
    assert_eq!(quiver.verify().await.unwrap(), []);
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn decisions_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let (rename, delete) = {
        let quiver = Quiver::open(directory.path()).await.unwrap();
        fill(&quiver).await;
        let rename = quiver.rename_entity("Aurelia", "Stella", "").await.unwrap();
        check_renamed(&quiver).await;
        (rename, quiver.delete_entity("Ida Holm", "").await.unwrap())
    };
    let quiver = Quiver::open(directory.path()).await.unwrap();
    check_deleted(&quiver).await;
    quiver.undo(delete).await.unwrap();
    check_renamed(&quiver).await;
    quiver.undo(rename).await.unwrap();
    check_not_renamed(&quiver).await;
    check_not_deleted(&quiver).await;
}

#[tokio::test]
async fn decisions_belong_to_their_workspace() {
    let quiver = Quiver::in_memory().await.unwrap();
    let other = quiver.in_workspace("other".parse().unwrap()).await.unwrap();
    fill(&quiver).await;
    fill(&other).await;
    let rename = quiver.rename_entity("Aurelia", "Stella", "").await.unwrap();
    let delete = quiver.delete_entity("Ida Holm", "").await.unwrap();
    check_not_deleted(&other).await;
    check_not_renamed(&other).await;
    assert_eq!(other.decisions().await.unwrap(), []);
    for decision in [rename, delete] {
        assert_eq!(other.undo(decision).await.unwrap_err().kind(), ErrorKind::NotFound);
    }
    check_deleted(&quiver).await;
}

/// Pages that never say that the Aurelia is the Stella, among others that share words with the questions.
async fn two_names(quiver: &Quiver) {
    let mut documents = vec![
        Document::new("aurelia", "The Aurelia was built at the Skerry Yard in 1911. She has three masts.")
            .with_title("Aurelia"),
        Document::new("stella", "The Stella is owned by Bo Lind. She sails from Haldby.")
            .with_title("Stella"),
        Document::new("lind", "Bo Lind was born in Ystad. He collects clocks.").with_title("Bo Lind"),
        Document::new("holm", "Ida Holm is the captain of the Aurelia. She lives in Norby.")
            .with_title("Ida Holm"),
    ];
    for number in 0..20 {
        let text =
            format!("The Merle {number} is owned by its captain. The ship was built in 19{number:02}.");
        documents.push(Document::new(format!("merle/{number}"), text).with_title(format!("Merle {number}")));
    }
    quiver.ingest(documents).await.unwrap();
}

async fn documents_of(quiver: &Quiver, question: &str, merges: bool) -> Vec<String> {
    let options = AskOptions { merges, ..AskOptions::default() };
    let evidence = quiver.retrieve(Question::new(question).with_options(options)).await.unwrap();
    evidence.passages.into_iter().map(|ranked| ranked.passage.document).collect()
}

#[tokio::test]
async fn a_question_about_one_name_sees_what_is_said_of_the_other() {
    let quiver = Quiver::in_memory().await.unwrap();
    two_names(&quiver).await;
    let question = "Who owns the Aurelia?";
    let before = quiver.ask(question).await.unwrap();
    assert_eq!(before.text, None, "{before:#?}");
    let shown = documents_of(&quiver, question, true).await;
    assert_eq!(shown, documents_of(&quiver, question, false).await);

    let decision = quiver.merge("Aurelia", "Stella", "said Ida").await.unwrap();
    let answer = quiver.ask(question).await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("Bo Lind"), "{}", answer.trace());
    assert_eq!(answer.citations[0].title, "Stella");
    assert_eq!(answer.evidence.question, question);
    let trace = answer.trace().to_string();
    assert!(trace.contains("\"Stella\" is the same as \"Aurelia\", by decision"), "{trace}");
    assert!(trace.contains("answered with \"Stella\" instead of \"Aurelia\""), "{trace}");
    // The other way, and over another step.
    assert_eq!(quiver.ask("Where was the Stella built?").await.unwrap().text.as_deref(), Some("Skerry Yard"));
    let born = quiver.ask("Where was the owner of the Aurelia born?").await.unwrap();
    assert_eq!(born.text.as_deref(), Some("Ystad"), "{}", born.trace());

    // Without following decisions nothing changes, and with them nothing that was shown goes.
    assert_eq!(documents_of(&quiver, question, false).await, shown);
    let now = documents_of(&quiver, question, true).await;
    assert!(now.contains(&"stella".to_owned()), "{now:?}");
    assert!(shown.iter().all(|document| now.contains(document)), "{shown:?} {now:?}");

    quiver.undo(decision).await.unwrap();
    let after = quiver.ask(question).await.unwrap();
    assert_eq!((&after.text, after.confidence), (&None, before.confidence));
    assert_eq!(documents_of(&quiver, question, true).await, shown);
    quiver.redo(decision).await.unwrap();
    assert_eq!(quiver.ask(question).await.unwrap().text.as_deref(), Some("Bo Lind"));
}

#[tokio::test]
async fn hops_pass_from_one_name_to_the_other() {
    let quiver = Quiver::in_memory().await.unwrap();
    two_names(&quiver).await;
    let question = "Who owns the ship that Ida Holm is the captain of?";
    let shown = documents_of(&quiver, question, true).await;
    let decision = quiver.merge("Aurelia", "Stella", "said Ida").await.unwrap();
    let evidence = quiver.retrieve(question).await.unwrap();
    let stella = evidence.passages.iter().find(|ranked| ranked.passage.document == "stella");
    let stella = stella.unwrap_or_else(|| panic!("{}", evidence.trace));
    assert!(stella.path[0].1.to_string().contains("Aurelia"), "{:?}", stella.path);
    let trace = evidence.trace.to_string();
    assert!(trace.contains("\"Stella\" is the same as \"Aurelia\", by decision"), "{trace}");
    let now: Vec<&str> = evidence.passages.iter().map(|ranked| ranked.passage.document.as_str()).collect();
    assert!(shown.iter().all(|document| now.contains(&document.as_str())), "{shown:?} {now:?}");
    quiver.undo(decision).await.unwrap();
    assert_eq!(documents_of(&quiver, question, true).await, shown);
}

#[tokio::test]
async fn nothing_that_plain_search_shows_is_pushed_out_by_a_merge() {
    let quiver = Quiver::in_memory().await.unwrap();
    two_names(&quiver).await;
    let questions = [
        "Who owns the Aurelia?",
        "Which ship was built in 1911 and is owned by its captain?",
        "Is the Aurelia owned by its captain?",
        "Where does the captain of the Aurelia live?",
        "Who is the captain of the Stella?",
        "Who owns Merle 7?",
    ];
    let mut shown = Vec::new();
    for question in questions {
        shown.push(documents_of(&quiver, question, true).await);
    }
    // A whole fleet is one.
    quiver.merge("Aurelia", "Stella", "").await.unwrap();
    for number in 0..20 {
        quiver.merge("Aurelia", &format!("Merle {number}"), "").await.unwrap();
    }
    for (question, shown) in questions.into_iter().zip(shown) {
        let now = documents_of(&quiver, question, true).await;
        assert!(shown.iter().all(|document| now.contains(document)), "{question}: {shown:?} {now:?}");
        assert!(now.len() <= 2 * AskOptions::default().passages_limit);
        assert_eq!(documents_of(&quiver, question, false).await, shown);
    }
}

#[tokio::test]
async fn a_question_by_the_new_name_is_answered_from_what_says_the_old_one() {
    let quiver = Quiver::in_memory().await.unwrap();
    two_names(&quiver).await;
    let question = "Where was the Vega built?";
    assert_eq!(quiver.ask(question).await.unwrap().text, None);
    let decision = quiver.rename_entity("Aurelia", "Vega", "").await.unwrap();
    let answer = quiver.ask(question).await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("Skerry Yard"), "{}", answer.trace());
    assert_eq!(
        quiver.ask("Where was the Aurelia built?").await.unwrap().text.as_deref(),
        Some("Skerry Yard")
    );
    quiver.undo(decision).await.unwrap();
    assert_eq!(quiver.ask(question).await.unwrap().text, None);
}

#[tokio::test]
async fn hops_lead_from_the_new_name_to_what_says_the_old_one() {
    let quiver = Quiver::in_memory().await.unwrap();
    two_names(&quiver).await;
    let decision = quiver.rename_entity("Aurelia", "Vega", "").await.unwrap();
    let page = Document::new("lodd", "Per Lodd is the first mate of the Vega. He carves spoons.");
    quiver.ingest([page.with_title("Per Lodd")]).await.unwrap();
    let question = "In which year was the ship built that Per Lodd is the first mate of?";
    quiver.undo(decision).await.unwrap();
    let shown = documents_of(&quiver, question, true).await;
    assert!(!quiver.retrieve(question).await.unwrap().trace.to_string().contains("by decision"));
    quiver.redo(decision).await.unwrap();
    for others in [0, 70] {
        decide_about_others(&quiver, others).await;
        let evidence = quiver.retrieve(question).await.unwrap();
        let aurelia = evidence.passages.iter().find(|ranked| ranked.passage.document == "aurelia");
        let aurelia = aurelia.unwrap_or_else(|| panic!("{}", evidence.trace));
        assert!(aurelia.path.iter().any(|step| step.1.to_string().contains("Vega")), "{:?}", aurelia.path);
        assert!(evidence.trace.to_string().contains("is the same as \"Vega\", by decision"));
        assert!(quiver.context(question).await.unwrap().text().contains("1911"));
    }
    quiver.undo(decision).await.unwrap();
    assert_eq!(documents_of(&quiver, question, true).await, shown);
}

/// Takes decisions about things that nothing else speaks of.
async fn decide_about_others(quiver: &Quiver, decisions: usize) {
    for number in 0..decisions {
        quiver.merge(&format!("Thing {number}"), &format!("Object {number}"), "").await.unwrap();
    }
}

/// Companies and people that were loaded, and a page that calls one of the companies otherwise.
async fn records(quiver: &Quiver) {
    let create = "CREATE (a:Company {name: 'ACME Corp', city: 'Oslo'}), (g:Company {name: 'Globex', city: 'Bergen'}),
                  (:Person {name: 'Ida Holm'})-[:WORKS_AT]->(a), (:Person {name: 'Bo Lind'})-[:WORKS_AT]->(g)";
    quiver.query(create).await.unwrap();
    let page = "Acme Corporation makes anvils. Acme Corporation was founded by Wile Coyote in 1949.";
    quiver.ingest([Document::new("acme", page).with_title("Acme Corporation")]).await.unwrap();
    let turn = Turn::new("s", "ACME Corp is audited by Kurt Falk.").at(1).numbered(0).stating(Fact::new(
        "ACME Corp",
        "is audited by",
        "Kurt Falk",
    ));
    quiver.remember(vec![turn]).await.unwrap();
}

const OF_RECORDS: [(&str, &str); 4] = [
    ("Who works at ACME Corp?", "Ida Holm"),
    ("Who works at Acme Corporation?", "Ida Holm"),
    ("Who founded ACME Corp?", "Wile Coyote"),
    ("Who founded Acme Corporation?", "Wile Coyote"),
];

async fn answered(quiver: &Quiver) -> Vec<Option<String>> {
    let mut answered = Vec::new();
    for (question, _) in OF_RECORDS {
        answered.push(quiver.ask(question).await.unwrap().text);
    }
    let facts = quiver.facts("Acme Corporation").await.unwrap();
    answered.extend(
        facts.into_iter().filter(|fact| fact.predicate == "is audited by").map(|fact| Some(fact.object)),
    );
    answered
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_merged_with_what_texts_call_otherwise() {
    for (one, other) in [("ACME Corp", "Acme Corporation"), ("acme corporation", "acme corp")] {
        let quiver = Quiver::in_memory().await.unwrap();
        records(&quiver).await;
        let (before, nodes) = (answered(&quiver).await, names(&quiver).await);
        assert_eq!((before.len(), &before[1], &before[2]), (4, &None, &None));
        let decision = quiver.merge(one, other, "said Ida").await.unwrap();
        let right = OF_RECORDS.iter().map(|(_, answer)| *answer).chain(["Kurt Falk"]);
        let right: Vec<Option<String>> = right.map(|answer| Some(answer.to_owned())).collect();
        assert_eq!(answered(&quiver).await, right, "{one:?} and {other:?}");
        // The record keeps its one node, also where it is loaded again.
        assert_eq!(names(&quiver).await, nodes);
        let count = "MATCH (n {name: 'ACME Corp'}) WHERE n:Company RETURN count(*)";
        assert_eq!(quiver.query(count).await.unwrap().rows, [[1.into()]]);
        assert_eq!(quiver.verify().await.unwrap(), []);
        assert_eq!(answered(&copy(&quiver).await).await, right);
        let trace = quiver.ask(OF_RECORDS[1].0).await.unwrap().trace().to_string();
        assert!(trace.contains("is the same as \"Acme Corporation\", by decision"), "{trace}");

        quiver.undo(decision).await.unwrap();
        assert_eq!((answered(&quiver).await, names(&quiver).await), (before.clone(), nodes.clone()));
        quiver.redo(decision).await.unwrap();
        assert_eq!(answered(&quiver).await, right);
        // Of other decisions there may be many.
        decide_about_others(&quiver, 70).await;
        assert_eq!(answered(&quiver).await, right);
        // What texts say of it is forgotten, and the record stays.
        quiver.forget(&Forget::About("ACME Corp".to_owned())).await.unwrap();
        assert_eq!(quiver.query(count).await.unwrap().rows, [[1.into()]]);
    }
}

#[tokio::test]
async fn what_can_not_be_merged_is_refused() {
    let quiver = Quiver::in_memory().await.unwrap();
    records(&quiver).await;
    quiver.query("CREATE (:Town {name: 'Springfield'}), (:Town {name: 'Springfield'})").await.unwrap();
    quiver.merge("ACME Corp", "Acme Corporation", "").await.unwrap();
    for (one, other, says) in [
        ("ACME Corp", "Globex", "load them under one key"),
        ("Acme Corporation", "Globex", "load them under one key"),
        ("Springfield", "Springtown", "SET n.name"),
        ("ACME Corp", "acme corp", "are already the same entity"),
        ("ACME Corp", " ", "needs a name"),
    ] {
        let error = quiver.merge(one, other, "").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    assert_eq!(quiver.decisions().await.unwrap().len(), 1);
    // What would make one of two records when it is made again.
    let first = quiver.merge("The trap maker", "Acme Corporation", "").await.unwrap();
    quiver.undo(first).await.unwrap();
    quiver.merge("The trap maker", "Globex", "").await.unwrap();
    let error = quiver.redo(first).await.unwrap_err();
    assert!(error.to_string().contains("two records"), "{error}");
}

#[tokio::test]
async fn a_context_has_what_is_said_of_the_other_name() {
    let quiver = Quiver::in_memory().await.unwrap();
    two_names(&quiver).await;
    quiver.merge("Aurelia", "Stella", "said Ida").await.unwrap();
    let context = quiver.context("Who owns the Aurelia?").await.unwrap();
    assert!(context.text().contains("owned by Bo Lind"), "{}", context.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_sentences_say_of_names_and_deletions_decides_nothing() {
    let quiver = Quiver::in_memory().await.unwrap();
    let said =
        [("Acme", "renamed to", "Beta"), ("Beta", "is located in", "Oslo"), ("Ann", "deleted", "Acme")];
    let turns = said.iter().enumerate().map(|(number, &(subject, predicate, object))| {
        let text = format!("{subject} {predicate} {object}.");
        Turn::new("s", text).at(1).numbered(number as u64).stating(Fact::new(subject, predicate, object))
    });
    quiver.remember(turns.collect::<Vec<_>>()).await.unwrap();
    assert_eq!(quiver.decisions().await.unwrap(), []);
    let of_acme: Vec<String> =
        quiver.facts("Acme").await.unwrap().into_iter().map(|fact| fact.object).collect();
    assert!(!of_acme.contains(&"Oslo".to_owned()), "{of_acme:?}");
    assert_eq!(names(&quiver).await, ["Acme", "Ann", "Beta", "Oslo"]);
}

/// How many calls of the store some work makes.
#[cfg(feature = "embedded")]
async fn calls<T>(quiver: &Quiver, work: impl IntoFuture<Output = T>) -> (u64, T) {
    let count = async || -> u64 {
        let report = quiver.graph().store().report().await.unwrap();
        report.calls.iter().map(|call| call.calls).sum()
    };
    let before = count().await;
    let result = work.await;
    (count().await - before, result)
}

/// Takes decisions about some of these things, which no question of the tests names: merges and deletions in turn.
#[cfg(feature = "embedded")]
async fn decide(quiver: &Quiver, things: usize, decisions: usize) {
    let said = |number: usize| {
        let thing = format!("Thing {decisions}-{number}");
        let text = format!("{thing} is kept in Norby.");
        Turn::new(format!("things {decisions}"), text).at(1).numbered(number as u64).stating(Fact::new(
            thing,
            "is kept in",
            "Norby",
        ))
    };
    quiver.remember((0..things).map(said).collect::<Vec<_>>()).await.unwrap();
    for number in 0..decisions {
        let thing = format!("Thing {decisions}-{number}");
        if number % 2 == 0 {
            quiver.merge(&thing, &format!("Object {decisions}-{number}"), "").await.unwrap();
        } else {
            quiver.delete_entity(&thing, "").await.unwrap();
        }
    }
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn decisions_are_read_again_only_when_a_relation_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let quiver = Quiver::open(directory.path()).await.unwrap();
    // Another view of the same database, with nothing of the first one's.
    let other = quiver.in_workspace(quiver.graph().workspace().clone()).await.unwrap();
    fill(&quiver).await;
    for (decisions, first) in [(0, 1), (10, 1), (100, 3)] {
        decide(&quiver, decisions, decisions).await;
        for quiver in [&quiver, &other] {
            let (read, seen) = calls(quiver, quiver.without_deleted()).await;
            assert_eq!((read, seen.is_ok()), (first, true), "of {decisions}");
            assert_eq!(calls(quiver, quiver.without_deleted()).await.0, 0, "of {decisions}");
        }
    }
    let decision = quiver.delete_entity("Ida Holm", "").await.unwrap();
    for quiver in [&quiver, &other] {
        check_deleted(quiver).await;
    }
    other.undo(decision).await.unwrap();
    for quiver in [&quiver, &other] {
        check_not_deleted(quiver).await;
    }
}

/// `DECISIONS=1000 QUESTIONS=500 cargo test … what_decisions_cost -- --ignored --nocapture`; the difference in CPU time
/// between two numbers of questions is what questions cost.
#[cfg(feature = "embedded")]
#[tokio::test(flavor = "current_thread")]
#[ignore = "a measurement: it prints the calls of the store for a question"]
async fn what_decisions_cost() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let directory = tempfile::tempdir().unwrap();
    let quiver = Quiver::open(directory.path()).await.unwrap();
    two_names(&quiver).await;
    decide(&quiver, 1000, number("DECISIONS")).await;
    let question = "Where does the captain of the Aurelia live?";
    quiver.retrieve(question).await.unwrap();
    let (made, _) = calls(&quiver, quiver.retrieve(question)).await;
    for _ in 0..number("QUESTIONS") {
        quiver.retrieve(question).await.unwrap();
    }
    println!("{} decisions: {made} calls for a question", number("DECISIONS"));
}
