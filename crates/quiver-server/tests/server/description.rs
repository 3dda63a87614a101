//! The served description is that of the endpoints.

use serde_json::Value;

use crate::support::Stand;

#[tokio::test]
async fn the_description_in_the_tree_is_that_of_the_endpoints() {
    let made = quiver_server::description();
    assert_eq!(Stand::new().await.get("/openapi.json").await.text(), made);
    let kept = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json")).unwrap();
    if made != kept {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("openapi.json");
        std::fs::write(&path, &made).unwrap();
        panic!("copy {} to crates/quiver-server/openapi.json", path.display());
    }
}

#[test]
fn every_reference_of_the_description_leads_somewhere_and_every_form_is_used() {
    let description: Value = serde_json::from_str(&quiver_server::description()).unwrap();
    let text = description.to_string();
    let mut used = std::collections::BTreeSet::new();
    for reference in text.split("\"$ref\":\"").skip(1) {
        let reference = reference.split('"').next().unwrap();
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(description.pointer(pointer).is_some(), "{reference}");
        if let Some(form) = pointer.strip_prefix("/components/schemas/") {
            used.insert(form.to_owned());
        }
    }
    let forms: Vec<&String> = description["components"]["schemas"].as_object().unwrap().keys().collect();
    assert_eq!(forms, used.iter().collect::<Vec<_>>());
    let operations = text.matches("\"operationId\":\"").count();
    let names: std::collections::BTreeSet<&str> =
        text.split("\"operationId\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(names.len(), operations, "two operations have one name");
}
