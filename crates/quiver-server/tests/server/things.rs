//! Entities and passages with what they are linked to.

use serde_json::{Value, json};

use crate::support::Stand;

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
