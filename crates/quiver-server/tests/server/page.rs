//! The page: its files and its policy.

use std::io::Read;

use axum::{
    body::Body,
    http::{Method, StatusCode},
};

use crate::support::{Stand, request};

#[tokio::test]
async fn the_page_is_served_without_a_key_and_with_a_policy_that_allows_only_its_own_files() {
    let (stand, _) = Stand::with_keys(&[(quiver_server::Role::Read, &[])]).await;
    for asset in quiver_page::ASSETS {
        let reply = stand.get(asset.path).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", asset.path);
        assert_eq!(reply.body, asset.bytes, "{}", asset.path);
        assert_eq!(reply.headers["content-type"], asset.media_type);
        assert_eq!(
            reply.headers["content-security-policy"],
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        assert_eq!(reply.headers["x-content-type-options"], "nosniff");
    }
}

#[tokio::test]
async fn the_page_names_its_own_files_only_and_has_no_script_inside() {
    let stand = Stand::new().await;
    check_page(&stand.get("/").await.text(), 3);
    check_page(&stand.get("/docs").await.text(), 4);
}

/// Checks that a page refers only to files of the server, and how many references it has.
fn check_page(page: &str, count: usize) {
    let served: Vec<&str> = quiver_page::ASSETS.iter().map(|asset| asset.path).collect();
    let addresses = page.split("src=\"").skip(1).chain(page.split("href=\"").skip(1));
    let addresses: Vec<&str> = addresses.map(|rest| rest.split('"').next().unwrap()).collect();
    for address in &addresses {
        assert!(served.contains(address) || ["data:,", "/openapi.json"].contains(address), "{address}");
    }
    assert_eq!(addresses.len(), count);
    for element in page.split("<script").skip(1) {
        let inside = element.split_once('>').unwrap().1.split_once("</script>").unwrap().0;
        assert_eq!(inside, "");
    }
    assert!(!page.contains("<style"));
}

#[tokio::test]
async fn a_file_is_sent_compressed_to_clients_that_take_that() {
    let stand = Stand::new().await;
    let plain = stand.get("/page.js").await;
    assert_eq!(plain.headers.get("content-encoding"), None);
    let ask = |coding: &'static str| request(Method::GET, "/page.js").header("accept-encoding", coding);
    for coding in ["gzip", "deflate, GZIP;q=0.5"] {
        let zipped = stand.send(ask(coding).body(Body::empty()).unwrap()).await;
        assert_eq!(zipped.headers["content-encoding"], "gzip");
        assert_eq!(zipped.headers["vary"], "accept-encoding");
        assert_ne!(zipped.headers["etag"], plain.headers["etag"]);
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&zipped.body[..]).read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, plain.body);
        assert!(zipped.body.len() < 100_000, "{} bytes", zipped.body.len());
    }
    for coding in ["gzip;q=0", "br", ""] {
        let reply = stand.send(ask(coding).body(Body::empty()).unwrap()).await;
        assert_eq!(reply.headers.get("content-encoding"), None, "{coding}");
    }
}

#[tokio::test]
async fn a_file_that_the_browser_has_is_not_sent_again() {
    let stand = Stand::new().await;
    let tag = stand.get("/page.js").await.headers["etag"].clone();
    let asked = request(Method::GET, "/page.js").header("if-none-match", &tag).body(Body::empty()).unwrap();
    let reply = stand.send(asked).await;
    assert_eq!((reply.status, reply.body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert!(reply.headers.contains_key("content-security-policy"));
}

#[tokio::test]
async fn questions_to_begin_with_are_about_what_is_in_the_documents() {
    let stand = Stand::new().await;
    assert_eq!(stand.get("/v1/examples").await.ok()["questions"], serde_json::json!([]));
    stand.add_ships().await;
    assert_eq!(
        stand.get("/v1/examples").await.ok()["questions"],
        serde_json::json!(["Give an overview of Aurelia", "Give an overview of Norby yard"])
    );
}

#[tokio::test]
async fn a_trace_explains_which_words_count_what_is_named_and_where_each_candidate_comes_from() {
    let stand = Stand::new().await;
    stand.add_ships().await;
    let asked =
        serde_json::json!({ "question": "Who founded the yard that built the Aurelia?", "trace": true });
    let answered = stand.post("/v1/ask", &asked).await.ok();
    let explanation = &answered["trace"]["explanation"];
    let parts = explanation["parts"].as_array().unwrap();
    let text: String = parts.iter().map(|part| part["text"].as_str().unwrap()).collect();
    assert_eq!(text, asked["question"].as_str().unwrap());
    let share: f64 = parts.iter().map(|part| part["share"].as_f64().unwrap()).sum();
    assert!((share - 1.0).abs() < 1e-5, "{share}");
    let name = &explanation["names"][0];
    let at = |field: &str| usize::try_from(name[field].as_u64().unwrap()).unwrap();
    let named: String =
        parts[at("first")..at("end")].iter().map(|part| part["text"].as_str().unwrap()).collect();
    assert_eq!((name["entity"].as_str().unwrap(), named.as_str()), ("Aurelia", "Aurelia"));
    let candidates = explanation["candidates"].as_array().unwrap();
    assert_eq!(explanation["candidates_count"], candidates.len());
    let yard = candidates.iter().find(|candidate| candidate["document"] == "ships/norby").unwrap();
    assert_eq!(yard["path"][0]["name"], "Norby yard");
    assert_eq!(yard["path"][0]["sentence"], "The Aurelia was built at the Norby yard in 1911.");
    let stages = answered["trace"]["stages"].as_array().unwrap().iter();
    let kinds: Vec<&str> = stages.map(|stage| stage["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["understand", "search", "expand", "rerank", "answer"]);
    let untraced = stand.post("/v1/ask", &serde_json::json!({ "question": "Who founded it?" })).await.ok();
    assert_eq!(untraced.get("trace"), None);
}
