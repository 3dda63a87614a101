use serde_json::json;

use super::*;

fn reply(text: &str) -> ChatReply {
    ChatReply { text: text.to_owned(), ..ChatReply::default() }
}

/// Parses the JSON of a complete reply.
fn read(text: &str) -> (Value, Vec<Problem>) {
    let Read { value, problems } = json(&reply(text));
    (value, problems)
}

#[test]
fn prose_around_the_json_is_passed_over() {
    let expected = json!({"names": ["Ada [1]", "Bob {x}"]});
    for text in [
        r#"{"names": ["Ada [1]", "Bob {x}"]}"#,
        r#"Sure! As asked [see {above}], here it is: {"names": ["Ada [1]", "Bob {x}"]} Hope that helps [2]."#,
        "```json\n{\"names\": [\"Ada [1]\", \"Bob {x}\"]}\n```",
        r#"As [1] and {"a": 1} say: {"names": ["Ada [1]", "Bob {x}"]}, and [2, 3] agree."#,
        "{'names': ['Ada [1]', 'Bob {x}',],} // done",
        "{\"names\" /* all */ : [\"Ada [1]\"\n\"Bob {x}\"]}",
    ] {
        assert_eq!(read(text), (expected.clone(), Vec::new()), "{text}");
    }
}

#[test]
fn what_is_complete_of_cut_json_is_kept() {
    let whole = r#"{"entities": [{"name": "Ada", "born": 1815}, {"name": "Żółw"}], "more": true}"#;
    let cut_at = |end: usize| read(&whole[..end]).0;
    assert_eq!(cut_at(whole.len()), serde_json::from_str::<Value>(whole).unwrap());
    assert_eq!(cut_at(whole.find("15}").unwrap()), json!({"entities": [{"name": "Ada"}]}), "half a number");
    assert_eq!(cut_at(whole.find("ółw").unwrap()), json!({"entities": [{"name": "Ada", "born": 1815}, {}]}));
    assert_eq!(
        cut_at(whole.find(", \"more\"").unwrap()),
        json!({"entities": [{"name": "Ada", "born": 1815}, {"name": "Żółw"}]})
    );
    for end in (1..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        let (value, problems) = read(&whole[..end]);
        let expected = if value.is_null() { Problem::NoJson } else { Problem::Broken { at: end } };
        let is_told = match problems.as_slice() {
            [Problem::Broken { at }] => *at <= end,
            [problem] => *problem == expected,
            _ => false,
        };
        assert!(is_told, "cut at {end}: {value} {problems:?}");
    }
    let cut = ChatReply { finish: Finish::Length, ..reply(&whole[..30]) };
    assert_eq!(json(&cut).problems[0], Problem::Cut);
}

#[test]
fn garbage_keeps_what_came_before() {
    let (value, problems) = read(r#"{"a": [1, 2, oops, 3], "b": 2}"#);
    assert_eq!(value, json!({"a": [1, 2]}));
    assert_eq!(problems, [Problem::Broken { at: 13 }]);
    assert_eq!(read(r#"{"a": tru, "b": 1}"#).1, [Problem::NoJson]);
    assert_eq!(read(r#"{"a": None, "b": -1.5e3, "c": +7}"#).0, json!({"a": null, "b": -1500.0, "c": 7}));
    assert_eq!(
        read("{\"a\": \"1\n2\\t\\u00e9\\ud83d\\ude00\\ud83d\\q\"}").0,
        json!({"a": "1\n2\té😀\u{fffd}q"})
    );
}

#[test]
fn replies_without_json_say_why() {
    assert_eq!(read("I'm sorry, but I can't help with that."), (Value::Null, vec![Problem::NoJson]));
    assert_eq!(read("Es tut mir leid, dabei kann ich nicht helfen [1]."), (json!([1]), Vec::new()));
    assert_eq!(read(" \n"), (Value::Null, vec![Problem::Empty]));
    let refusal = ChatReply { refusal: Some(" No. ".to_owned()), ..reply("") };
    assert_eq!(json(&refusal).problems, [Problem::Refused { said: "No.".to_owned() }]);
    assert_eq!(text(&refusal).problems.len(), 1, "a refusal is not nothing");
    let thought = ChatReply { finish: Finish::Length, ..reply("") };
    assert_eq!(json(&thought).problems, [Problem::Cut, Problem::Empty]);
    let filtered = ChatReply { finish: Finish::Filter, ..reply("{\"a\": 1}") };
    assert_eq!(json(&filtered), Read { value: json!({"a": 1}), problems: vec![Problem::Filtered] });
}

#[test]
fn runaway_replies_end() {
    for text in ["[".repeat(200_000), "{\"a\":".repeat(100_000), "[{".repeat(100_000), "[1,".repeat(100_000)]
    {
        assert!(!read(&text).1.is_empty());
    }
    let endless = format!("{{\"names\": [{}", "\"Ada\", ".repeat(50_000));
    let (value, problems) = read(&endless);
    assert_eq!(value["names"].as_array().unwrap().len(), 50_000);
    assert_eq!(problems, [Problem::Broken { at: endless.len() }]);
}

/// Navigates a reply and returns the result and the recorded problems.
fn walk<T>(text: &str, walk: impl Fn(Node<'_>) -> T) -> (T, Vec<String>) {
    let Read { value, problems } = json(&reply(text));
    let problems = Problems::new(problems);
    let found = walk(Node::root(&value, &problems));
    (found, problems.into_vec().iter().map(ToString::to_string).collect())
}

#[test]
fn wrong_types_are_used_where_they_can_be_and_noted() {
    let names = |root: Node<'_>| -> Vec<String> {
        root.list("entities").iter().filter_map(|entity| entity.get("name").text()).collect()
    };
    let text = r#"{"entities": [{"name": "Ada"}, {"name": 7}, {"name": ["x"]}, {"name": " "}, {"title": "x"}, "Bob"]}"#;
    let (found, noted) = walk(text, names);
    assert_eq!(found, ["Ada", "7"]);
    assert_eq!(
        noted,
        [
            "entities[1].name is a number, not a text",
            "entities[2].name is a list, not a text",
            "entities[3].name is missing",
            "entities[4].name is missing",
            "entities[5].name is missing",
        ]
    );
    let (found, noted) = walk(r#"{"entities": {"name": "Ada"}}"#, names);
    assert_eq!(found, ["Ada"]);
    assert_eq!(noted, ["entities is an object, not a list"]);
    let (found, noted) = walk(r#"[{"name": "Ada"}]"#, names);
    assert_eq!(found, ["Ada"], "the list alone");
    assert_eq!(noted, ["the reply is a list, not an object"]);
    let (found, noted) = walk("No.", names);
    assert!(found.is_empty());
    assert_eq!(noted, ["the reply contains no JSON"], "what follows from it is not noted again");

    let (found, noted) = walk(r#"{"a": "12", "b": 1.5, "c": true, "d": 3.0}"#, |root| {
        ["a", "b", "c", "d", "e"].map(|key| root.get(key).whole())
    });
    assert_eq!(found, [Some(12), None, None, Some(3), None]);
    assert_eq!(noted.len(), 4);
}

#[test]
fn a_reply_in_another_language_is_a_list_of_what_is_missing() {
    let text = r#"Voici le résultat : {"entités": [{"nom": "Ada"}]}"#;
    let (found, noted) = walk(text, |root| root.list("entities").len());
    assert_eq!((found, noted), (0, vec!["entities is missing".to_owned()]));
}

#[test]
fn labels_are_resolved_and_unknown_ones_noted() {
    let labels = ["P1", "P2", "P3", "P10"];
    let read = |text: &str| walk(text, |root| order(&root.list("order"), &labels));
    assert_eq!(read(r#"{"order": ["P3", "[p1]", 10, "P2"]}"#), (vec![2, 0, 3, 1], Vec::new()));
    let (found, noted) = read(r#"{"order": ["P9", "P3", "P3.", null, {"id": "P1"}, "", "2"]}"#);
    assert_eq!(found, [2, 1]);
    assert_eq!(
        noted,
        [
            "order[0] names \"P9\", which does not exist",
            "order[2] names \"P3\" again",
            "order[3] is missing",
            "order[4] is an object, not a label",
            "order[5] names \"\", which does not exist",
            "P1 is missing",
            "P10 is missing",
        ]
    );
    let ambiguous = walk("[1]", |root| root.items()[0].choice(&["A1", "B1"]));
    assert_eq!(ambiguous.0, None, "a number that two labels have says nothing");
}

#[test]
fn problems_have_a_limit() {
    let text = format!("[{}]", "1,".repeat(1000));
    let (_, noted) = walk(&text, |root| root.items().iter().filter_map(Node::text).count());
    assert_eq!(noted.len(), PROBLEMS_MAX);
}
