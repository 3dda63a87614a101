//! Entities and passages with their links.

use axum::{body::Body, http::Method};
use serde_json::{Value, json};

use crate::support::{Stand, request};

fn names(things: &Value) -> Vec<(&str, &str)> {
    let things = things.as_array().unwrap().iter();
    things.map(|thing| (thing["kind"].as_str().unwrap(), thing["name"].as_str().unwrap())).collect()
}

fn links(linked: &Value) -> Vec<(&str, &str, bool)> {
    let links = linked["links"].as_array().unwrap().iter();
    links
        .map(|link| {
            let kind = link["kind"].as_str().unwrap();
            (kind, link["thing"]["name"].as_str().unwrap(), link["is_outgoing"].as_bool().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn things_are_found_by_name_and_opened_with_what_they_are_linked_to() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let found = stand.get("/v1/things?text=norby%20YARD").await.ok();
    let found = &found["things"];
    assert_eq!(
        names(found),
        [("entity", "Norby yard"), ("entity", "Norby"), ("passage", "Norby yard"), ("passage", "Aurelia")]
    );

    let yard = format!("/v1/things/{}", found[0]["id"].as_str().unwrap());
    let linked = stand.get(&yard).await.ok();
    assert_eq!(linked["thing"], found[0]);
    let of_passages: Vec<_> = links(&linked).into_iter().filter(|(kind, ..)| *kind != "relation").collect();
    assert_eq!(of_passages, [("about", "Norby yard", false)]);
    assert_eq!(
        (linked["counts"]["about"].as_u64(), linked["counts"]["mention"].as_u64()),
        (Some(1), Some(0))
    );
    let relations: Vec<&Value> =
        linked["links"].as_array().unwrap().iter().filter(|link| link["kind"] == "relation").collect();
    assert_eq!(linked["counts"]["relation"], relations.len());
    for relation in relations {
        assert!(!relation["predicate"].as_str().unwrap().is_empty(), "{relation:#}");
        assert!(relation["sentence"].as_str().unwrap().contains("Norby yard"), "{relation:#}");
    }

    let aurelia = format!("/v1/things/{}", found[3]["id"].as_str().unwrap());
    let linked = stand.get(&aurelia).await.ok();
    assert_eq!(links(&linked)[0], ("about", "Aurelia", true));
    assert!(links(&linked).contains(&("mention", "Norby", true)), "{linked:#}");

    let norby = format!("/v1/things/{}", found[1]["id"].as_str().unwrap());
    let linked = stand.get(&norby).await.ok();
    assert!(links(&linked).contains(&("mention", "Aurelia", false)), "{linked:#}");
}

#[tokio::test]
async fn a_limit_lists_the_first_links_and_counts_all() {
    let stand = Stand::new().await;
    let documents: Vec<Value> = (0..5)
        .map(|at| {
            let text = format!("Ship number {at} was built at the Norby yard.");
            json!({ "key": format!("ship/{at}"), "title": format!("Ship {at}"), "text": text })
        })
        .collect();
    stand.post("/v1/documents", &json!({ "documents": documents })).await.ok();
    let found = stand.get("/v1/things?text=norby&limit=1").await.ok();
    assert_eq!(names(&found["things"]), [("entity", "Norby")]);
    let yard = format!("/v1/things/{}?limit=2", found["things"][0]["id"].as_str().unwrap());
    let linked = stand.get(&yard).await.ok();
    assert_eq!(linked["counts"]["mention"], 5);
    let mentions = links(&linked).into_iter().filter(|(kind, ..)| *kind == "mention").count();
    assert_eq!(mentions, 2);
}

#[tokio::test]
async fn what_names_no_thing_is_refused() {
    let stand = Stand::new().await;
    assert_eq!(stand.get("/v1/things?text=%20").await.problem(400).1, "text");
    assert_eq!(stand.get("/v1/things?text=a&limit=101").await.problem(400).1, "limit");
    assert_eq!(stand.get("/v1/things/nobody").await.problem(404).1, "id");
    let none = "/v1/things/00000000-0000-0000-0000-000000000000";
    assert_eq!(stand.get(none).await.problem(404).0, "not_found");
    assert_eq!(stand.get(&format!("{none}?limit=0")).await.problem(400).1, "limit");
}

#[tokio::test]
async fn a_merge_is_a_link_that_is_undone_and_made_again() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let said = json!({ "text": "The Aurora is owned by Ida Holm.", "session": "s" });
    stand.post("/v1/remember", &json!({ "turns": [said] })).await.ok();
    let merge = json!({ "one": "Aurora", "other": "Aurelia", "evidence": "said Bo" });
    let merged = stand.post("/v1/merges", &merge).await.ok();
    let decision = format!("/v1/decisions/{}", merged["decision"].as_str().unwrap());
    let found = stand.get("/v1/things?text=aurelia").await.ok();
    let aurelia = format!("/v1/things/{}", found["things"][0]["id"].as_str().unwrap());
    let link = async || {
        let linked = stand.get(&aurelia).await.ok();
        let links = linked["links"].as_array().unwrap().iter();
        links.filter(|link| link["decision"] == merged["decision"]).cloned().collect::<Vec<_>>()
    };
    let facts = async || stand.get("/v1/facts?about=Aurelia").await.ok()["facts"].as_array().unwrap().len();
    let [made] = &link().await[..] else { panic!("one merge") };
    assert_eq!((&made["predicate"], &made["sentence"]), (&json!("same as"), &json!("said Bo")));
    assert_eq!((made["is_undone"].as_bool(), made["thing"]["name"].as_str()), (None, Some("Aurora")));
    let all = facts().await;
    let send = async |method: Method| {
        let reply = stand.send(request(method, &decision).body(Body::empty()).unwrap()).await.ok();
        reply["is_undone"].as_bool().unwrap()
    };
    assert!(send(Method::DELETE).await);
    assert_eq!(link().await[0]["is_undone"], true);
    assert!(facts().await < all, "what was said of the other counts no more");
    assert!(!send(Method::PUT).await);
    assert_eq!((link().await[0]["is_undone"].as_bool(), facts().await), (None, all));

    let one = json!({ "one": "Aurelia", "other": "aurelia" });
    assert!(stand.post("/v1/merges", &one).await.problem(400).2.contains("already the same entity"));
    assert_eq!(stand.post("/v1/merges", &json!({ "one": " ", "other": "x" })).await.problem(400).1, "one");
    let unknown = json!({ "one": "Pulsar", "other": "Kafka" });
    let refused = stand.post("/v1/merges", &unknown).await.problem(404);
    assert!(refused.2.contains("nothing is called \"Pulsar\" or \"Kafka\""), "{refused:?}");
    for id in ["nobody", "019ab300-0000-7000-8000-000000000000"] {
        let gone = request(Method::DELETE, &format!("/v1/decisions/{id}")).body(Body::empty()).unwrap();
        assert_eq!(stand.send(gone).await.problem(404).0, "not_found");
    }
}

#[tokio::test]
async fn a_thing_is_renamed_and_found_by_both_names_until_that_is_undone() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let found =
        async |text: &str| stand.get(&format!("/v1/things?text={text}")).await.ok()["things"][0].clone();
    let before = found("aurelia").await;
    let id = before["id"].as_str().unwrap();
    let rename = json!({ "entity": id, "name": "Stella", "evidence": "said Bo" });
    let renamed = stand.post("/v1/renames", &rename).await.ok();
    assert_eq!(renamed["name"], "Stella");
    for text in ["aurelia", "stella"] {
        let thing = found(text).await;
        assert_eq!((&thing["id"], &thing["name"]), (&before["id"], &json!("Stella")));
    }
    let linked = stand.get(&format!("/v1/things/{id}")).await.ok();
    let [decided] = &linked["decisions"].as_array().unwrap()[..] else { panic!("one decision: {linked:#}") };
    assert_eq!((&decided["name"], &decided["other"]), (&json!("Aurelia"), &json!("Stella")));
    assert_eq!((&decided["evidence"], &decided["decision"]), (&json!("said Bo"), &renamed["decision"]));
    assert!(links(&linked).iter().all(|(_, name, _)| *name != "Stella"), "{linked:#}");

    let path = format!("/v1/decisions/{}", renamed["decision"].as_str().unwrap());
    stand.send(request(Method::DELETE, &path).body(Body::empty()).unwrap()).await.ok();
    assert_eq!(found("aurelia").await, before);
    assert_ne!(found("stella").await["id"], before["id"]);
    stand.send(request(Method::PUT, &path).body(Body::empty()).unwrap()).await.ok();
    assert_eq!(found("stella").await["name"], "Stella");

    for (body, says) in [
        (json!({ "entity": " ", "name": "x" }), "entity"),
        (json!({ "entity": id, "name": " " }), "name"),
        (json!({ "entity": id, "name": "Norby yard" }), ""),
    ] {
        assert_eq!(stand.post("/v1/renames", &body).await.problem(400).1, says);
    }
    let nobody = json!({ "entity": "nobody", "name": "x" });
    assert_eq!(stand.post("/v1/renames", &nobody).await.problem(404).0, "not_found");
}

#[tokio::test]
async fn a_hidden_thing_is_shown_nowhere_until_that_is_undone() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let found = stand.get("/v1/things?text=norby%20yard").await.ok();
    let yard = format!("/v1/things/{}", found["things"][0]["id"].as_str().unwrap());
    let aurelia = stand.get("/v1/things?text=aurelia").await.ok()["things"][0]["id"].clone();
    let aurelia = format!("/v1/things/{}", aurelia.as_str().unwrap());
    let before = [found, stand.get(&yard).await.ok(), stand.get(&aurelia).await.ok()];
    assert!(before[2]["links"].to_string().contains("Norby yard"), "{:#}", before[2]);

    let hidden = stand.post("/v1/deletions", &json!({ "entity": "Norby yard" })).await.ok();
    let found = stand.get("/v1/things?text=norby%20yard").await.ok();
    assert!(!names(&found["things"]).contains(&("entity", "Norby yard")), "{found:#}");
    assert!(names(&found["things"]).contains(&("passage", "Norby yard")), "its text stays: {found:#}");
    assert_eq!(stand.get(&yard).await.problem(404).0, "not_found");
    let passage =
        found["things"].as_array().unwrap().iter().find(|thing| thing["name"] == "Norby yard").unwrap();
    let linked = stand.get(&format!("/v1/things/{}", passage["id"].as_str().unwrap())).await.ok();
    let listed = linked["links"].as_array().unwrap().len() as u64;
    let counted: u64 = ["about", "mention"].iter().map(|kind| linked["counts"][kind].as_u64().unwrap()).sum();
    assert_eq!((listed, linked["counts"]["about"].as_u64()), (counted, Some(0)), "{linked:#}");
    let linked = stand.get(&aurelia).await.ok();
    assert!(!links(&linked).iter().any(|(kind, name, _)| *kind == "relation" && *name == "Norby yard"));
    let again = stand.post("/v1/deletions", &json!({ "entity": "Norby yard" })).await.problem(404);
    assert_eq!(again.0, "not_found");

    let listed = stand.get("/v1/decisions").await.ok();
    let [decided] = &listed["decisions"].as_array().unwrap()[..] else { panic!("one decision: {listed:#}") };
    assert_eq!((&decided["kind"], &decided["name"]), (&json!("delete"), &json!("Norby yard")));
    assert_eq!(decided["decision"], hidden["decision"]);
    assert_eq!(stand.get("/v1/decisions?limit=0").await.problem(400).1, "limit");

    let path = format!("/v1/decisions/{}", hidden["decision"].as_str().unwrap());
    stand.send(request(Method::DELETE, &path).body(Body::empty()).unwrap()).await.ok();
    let after = [
        stand.get("/v1/things?text=norby%20yard").await.ok(),
        stand.get(&yard).await.ok(),
        stand.get(&aurelia).await.ok(),
    ];
    assert_eq!(after, before);
    assert_eq!(stand.get("/v1/decisions").await.ok()["decisions"][0]["is_undone"], true);
}

#[tokio::test]
async fn a_thing_that_is_two_is_split_and_told_apart_until_that_is_undone() {
    let stand = Stand::new().await;
    let documents = json!([
        { "key": "planet", "title": "Mercury", "text": "Mercury is the smallest planet. Lena Voss mapped Mercury." },
        { "key": "team", "title": "Mercury", "text": "Toto Brandt leads Mercury. It builds cars." },
    ]);
    stand.post("/v1/documents", &json!({ "documents": documents })).await.ok();
    let turn = json!({ "text": "Mercury is sponsored by Petra Oil.", "session": "race", "turn": 4 });
    let told = stand.post("/v1/remember", &json!({ "turns": [turn] })).await.ok();
    let open = async |text: &str| {
        let found = stand.get(&format!("/v1/things?text={text}")).await.ok()["things"][0].clone();
        stand.get(&format!("/v1/things/{}?limit=100", found["id"].as_str().unwrap())).await.ok()
    };
    let texts = |linked: &Value| {
        let links = linked["links"].as_array().unwrap().iter();
        let passages = links.filter(|link| link["thing"]["kind"] == "passage");
        let mut texts: Vec<String> =
            passages.map(|link| link["thing"]["document"].as_str().unwrap().to_owned()).collect();
        texts.sort();
        texts
    };
    let before = open("mercury").await;
    assert_eq!(texts(&before), ["planet", "race", "team"], "{before:#}");
    let links = before["links"].as_array().unwrap();
    let turn = links.iter().find(|link| link["thing"]["session"] == "race").unwrap();
    assert!(told.to_string().contains(turn["thing"]["id"].as_str().unwrap()), "{told:#}");

    let split = json!({
        "entity": "Mercury", "name": " Mercury (team) ", "evidence": "said Bo",
        "documents": ["team"], "passages": [turn["thing"]["id"]],
    });
    let made = stand.post("/v1/splits", &split).await.ok();
    assert_eq!((&made["name"], &made["passages"]), (&json!("Mercury (team)"), &json!(2)));
    assert_eq!(texts(&open("mercury").await), ["planet"]);
    let team = open("mercury%20(team)").await;
    assert_eq!(texts(&team), ["race", "team"]);
    let of_split = |linked: &Value| {
        let links = linked["links"].as_array().unwrap().iter();
        links.filter(|link| link["decision"] == made["decision"]).cloned().collect::<Vec<_>>()
    };
    let [link] = &of_split(&team)[..] else { panic!("one split: {team:#}") };
    assert_eq!((&link["predicate"], &link["thing"]["name"]), (&json!("split into"), &json!("Mercury")));
    let asked = async |question: &str| {
        stand.post("/v1/ask", &json!({ "question": question })).await.ok()["answer"].to_string()
    };
    assert!(asked("Who leads Mercury (team)?").await.contains("Toto Brandt"));
    assert!(!asked("Who leads Mercury?").await.contains("Toto Brandt"));
    let facts = stand.get("/v1/facts?about=Mercury%20(team)").await.ok();
    assert!(facts.to_string().contains("Petra Oil"), "{facts:#}");
    let listed = stand.get("/v1/decisions").await.ok();
    let decided = &listed["decisions"][0];
    assert_eq!((&decided["kind"], &decided["other"]), (&json!("split"), &json!("Mercury (team)")));

    let path = format!("/v1/decisions/{}", made["decision"].as_str().unwrap());
    stand.send(request(Method::DELETE, &path).body(Body::empty()).unwrap()).await.ok();
    assert_eq!(texts(&open("mercury").await), texts(&before));
    assert!(asked("Who leads Mercury?").await.contains("Toto Brandt"));
    stand.send(request(Method::PUT, &path).body(Body::empty()).unwrap()).await.ok();
    assert_eq!(texts(&open("mercury").await), ["planet"]);

    let of = |texts: Value| {
        let mut asked = json!({ "entity": "Mercury", "name": "Mercury (god)" });
        asked.as_object_mut().unwrap().extend(texts.as_object().unwrap().clone());
        asked
    };
    for (texts, place) in [
        (json!({}), "documents"),
        (json!({ "passages": ["nobody"] }), "passages"),
        (json!({ "documents": vec!["planet"; 1001] }), "documents"),
        (json!({ "documents": ["planet"], "name": " " }), "name"),
        (json!({ "documents": ["planet"], "name": "Lena Voss" }), ""),
    ] {
        assert_eq!(stand.post("/v1/splits", &of(texts)).await.problem(400).1, place);
    }
    let nowhere = of(json!({ "documents": ["nowhere"] }));
    assert_eq!(stand.post("/v1/splits", &nowhere).await.problem(404).0, "not_found");
}
