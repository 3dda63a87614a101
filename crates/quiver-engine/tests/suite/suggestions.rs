//! Suggested decisions: what is suggested, what is not, and that a suggestion that was left is not made again.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use quiver::{
    Document, ErrorKind, Quiver,
    graph::Workspace,
    memory::{DecisionKind, Fact, Forget, SuggestOptions, SuggestionKind, Turn},
};

/// Documents with a misspelled name, an abbreviation, a legal form, and two ships that are named together.
fn pages() -> Vec<Document> {
    let page = |key: &str, text: &str| Document::new(key, text);
    vec![
        page("a", "The World Ferry Office (WFO) inspected the slipway of Tore Lindqvist in Haldby."),
        page("b", "In May the harbour was inspected by the WFO again."),
        page("c", "Tore Lindqvist repaired the Merganser at the slipway. Haldby paid for it."),
        page("d", "The Merganser was sold by Tore Lindqqvist to a buyer abroad."),
        page("e", "Brent Cables Ltd laid the line to Skarholm. The engineer was Signe Aas."),
        page("f", "Brent Cables was founded by Signe Aas near Skarholm."),
        page("g", "The Fulmar and the Guillemot left the quay before dawn."),
        page("h", "The pilot wrote down the Fulmar, then the Guillemot."),
        page("i", "After the storm, the Guillemot towed the Fulmar."),
        page("j", "Upper Norby and Lower Norby have a school each. Mark 12 Buoys and Mark 21 Buoys are red."),
    ]
}

async fn filled() -> Quiver {
    let quiver = Quiver::in_memory().await.unwrap();
    quiver.ingest(pages()).await.unwrap();
    quiver
}

async fn suggested(quiver: &Quiver, kind: SuggestionKind) -> Vec<String> {
    let made = quiver.suggest().kind(kind).await.unwrap();
    assert!(made.suggestions.iter().all(|one| one.kind == kind && !one.passages.is_empty()));
    made.suggestions.iter().map(|made| format!("{} = {}", made.one.name, made.other.name)).collect()
}

async fn merges(quiver: &Quiver) -> Vec<String> {
    suggested(quiver, SuggestionKind::Merge).await
}

async fn relations(quiver: &Quiver) -> Vec<String> {
    suggested(quiver, SuggestionKind::Relation).await
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_one_thing_are_suggested_with_the_reason_and_nothing_else_is() {
    let quiver = filled().await;
    let expect =
        ["Brent Cables Ltd = Brent Cables", "World Ferry Office = WFO", "Tore Lindqqvist = Tore Lindqvist"];
    assert_eq!(merges(&quiver).await, expect);
    let made = quiver.suggest().kind(SuggestionKind::Merge).await.unwrap();
    assert!(!made.is_partial);
    let reasons: Vec<&str> = made.suggestions.iter().map(|made| made.reason.as_str()).collect();
    assert!(reasons[0].contains("legal form; both occur with"), "{reasons:?}");
    assert!(reasons[1].contains("gives both with brackets"), "{reasons:?}");
    assert!(reasons[2].contains("one letter; both occur with \"Merganser\""), "{reasons:?}");
    assert_eq!(made.suggestions[1].passages[0].document, "a");
    // The same database suggests the same.
    assert_eq!(quiver.suggest().kind(SuggestionKind::Merge).await.unwrap(), made);
}

#[tokio::test(flavor = "multi_thread")]
async fn entities_that_are_named_together_are_suggested_until_they_have_a_relation() {
    let quiver = filled().await;
    assert_eq!(relations(&quiver).await.len(), 0, "the third passage states a relation");
    quiver.delete("i").await.unwrap();
    let page = Document::new("k", "The keeper wrote down the Fulmar, then the Guillemot.");
    quiver.ingest([page]).await.unwrap();
    let found = relations(&quiver).await;
    assert!(
        matches!(found.as_slice(), [one] if one.contains("Fulmar") && one.contains("Guillemot")),
        "{found:?}"
    );
    quiver
        .query("MATCH (a {name: 'Fulmar'}), (b {name: 'Guillemot'}) CREATE (a)-[:RELATED_TO]->(b)")
        .await
        .unwrap();
    assert_eq!(relations(&quiver).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suggestion_that_was_taken_or_left_is_not_made_again() {
    let quiver = filled().await;
    quiver.merge("World Ferry Office", "WFO", "said Bo").await.unwrap();
    let kind = SuggestionKind::Merge;
    let left = quiver.leave_suggestion(kind, "brent cables", "Brent Cables Ltd", "two firms").await.unwrap();
    assert_eq!(merges(&quiver).await, ["Tore Lindqqvist = Tore Lindqvist"]);
    let taken = quiver.decisions().await.unwrap();
    let of = taken.iter().find(|decision| decision.id == left).unwrap();
    assert_eq!(
        (of.kind, of.name.as_str(), of.other.as_deref()),
        (DecisionKind::LeaveMerge, "Brent Cables", Some("Brent Cables Ltd"))
    );
    assert_eq!((of.evidence.as_str(), of.is_undone), ("two firms", false));

    quiver.undo(left).await.unwrap();
    assert_eq!(merges(&quiver).await.len(), 2);
    quiver.redo(left).await.unwrap();
    assert_eq!(merges(&quiver).await.len(), 1);

    let missing = quiver.leave_suggestion(kind, "WFO", "Nobody", "").await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    let same = quiver.leave_suggestion(kind, "WFO", "wfo", "").await.unwrap_err();
    assert_eq!(same.kind(), ErrorKind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_question_and_no_query_meets_a_suggestion_that_was_left() {
    let quiver = filled().await;
    let (nodes, edges) = ("MATCH (n) RETURN count(n)", "MATCH ()-[r]->() RETURN count(r)");
    let before = (quiver.query(nodes).await.unwrap().rows, quiver.query(edges).await.unwrap().rows);
    let kind = SuggestionKind::Merge;
    quiver.leave_suggestion(kind, "Brent Cables", "Brent Cables Ltd", "two firms").await.unwrap();
    let after = (quiver.query(nodes).await.unwrap().rows, quiver.query(edges).await.unwrap().rows);
    assert_eq!(before, after);
    assert_eq!(quiver.facts("Brent Cables").history().await.unwrap(), []);
    assert_eq!(quiver.verify().await.unwrap(), []);

    // An export carries it along.
    let mut dump = Vec::new();
    quiver.export().write_to(&mut dump).await.unwrap();
    let copy = Quiver::in_memory().await.unwrap();
    copy.import(dump.as_slice()).await.unwrap();
    assert_eq!(merges(&copy).await.len(), 2);
    assert_eq!(copy.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_entities_and_other_workspaces_are_out_of_sight() {
    let quiver = filled().await;
    let other = quiver.in_workspace(Workspace::new("other").unwrap()).await.unwrap();
    assert_eq!(merges(&other).await, [""; 0]);
    quiver.delete_entity("WFO", "not ours").await.unwrap();
    assert_eq!(merges(&quiver).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_hold_and_say_so() {
    let quiver = filled().await;
    let limited = quiver.suggest().kind(SuggestionKind::Merge).limit(1).await.unwrap();
    assert_eq!((limited.suggestions.len(), limited.is_partial), (1, true));
    let none = SuggestOptions { entities_max: 0, passages_max: 0, ..SuggestOptions::default() };
    let none = quiver.suggest().options(none).await.unwrap();
    assert_eq!((none.suggestions.len(), none.is_partial), (0, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_leaves_no_name_behind() {
    let quiver = Quiver::in_memory().await.unwrap();
    let turn = |number, text: &str, subject: &str| {
        let fact = Fact::new(subject, "is moored at", "Pier Seven");
        Turn::new("log", text).at(number).numbered(number.unsigned_abs()).stating(fact)
    };
    let turns = [
        turn(1, "Holm, Ida is moored at Pier Seven.", "Holm, Ida"),
        turn(2, "Ida Holm is moored at Pier Seven.", "Ida Holm"),
    ];
    quiver.remember(turns).await.unwrap();
    assert_eq!(merges(&quiver).await, ["Ida Holm = Holm, Ida"]);
    quiver.leave_suggestion(SuggestionKind::Merge, "Ida Holm", "Holm, Ida", "two people").await.unwrap();
    quiver.forget(&Forget::Session("log".to_owned())).await.unwrap();
    assert_eq!(quiver.decisions().await.unwrap(), []);
    assert_eq!(quiver.verify().await.unwrap(), []);
}
