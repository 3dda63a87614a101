use super::*;

#[test]
fn facts_are_read_in_every_form() {
    let text = r#"{"scenarios": [{"name": "a", "seed": 7, "turns": [
        {"turn": 3, "kind": "FACT", "speaker": "X", "text": "t", "subject": "s", "predicate": "p", "object": "o", "mood": 1},
        {"turn_type": "fact", "agent": "Y", "content": "t", "triple": ["s", "p", "o"]},
        {"type": "fact", "text": "t", "facts": [{"subject": "s", "relation": "p", "value": 4}, ["a", "b", "c"]]},
        {"kind": "query", "text": "q?", "query_type": "join", "ground_truth": "o"},
        {"kind": "query", "text": "q?", "ground_truth": null, "refusal": true}]}]}"#;
    let scenarios = parse(text, "file").unwrap();
    let turns = &scenarios[0].turns;
    assert_eq!((turns[0].number, turns[0].facts[0].object.as_str()), (3, "o"));
    assert_eq!((turns[1].number, turns[1].speaker.as_str(), turns[1].facts.len()), (2, "Y", 1));
    assert_eq!(turns[2].facts.iter().map(|fact| fact.object.as_str()).collect::<Vec<_>>(), ["4", "c"]);
    let query = turns[3].query.as_ref().unwrap();
    assert_eq!((query.kind.as_str(), query.truths.as_slice()), ("join", ["o".to_owned()].as_slice()));
    assert!(turns[4].query.as_ref().unwrap().refusal);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let text = r#"{"name": "plan", "turns": [{"text": "fine"}, {"kind": "fact", "text": "t", "subject": "s", "object": "o"}]}"#;
    let error = format!("{:#}", parse(text, "file").unwrap_err());
    assert_eq!(error, "scenario 1: \"plan\", turn 2: a fact needs a `predicate`");
    let error = format!("{:#}", parse(r#"{"name": "plan"}"#, "file").unwrap_err());
    assert_eq!(error, "scenario 1: \"plan\" has no list `turns`");
    let error =
        format!("{:#}", parse(r#"{"turns": [{"kind": "query", "text": "q?"}]}"#, "file").unwrap_err());
    assert!(
        error.ends_with(
            "\"file\", turn 1: a query needs a `ground_truth`, or `refusal` where there is no answer"
        ),
        "{error}"
    );
}
