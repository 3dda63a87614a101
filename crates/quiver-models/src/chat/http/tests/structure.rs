//! Parameters that endpoints reject, and how the client adapts.

use super::*;

fn names() -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"names": {"type": "array"}}});
    ChatRequest::new([Message::system("Find names."), Message::user("Ada met Bob.")])
        .with_json("names", schema)
}

fn instruction(body: &Value) -> &str {
    body["messages"][0]["content"].as_str().unwrap()
}

/// An endpoint that rejects a request if `reason` returns an error message for its body.
async fn picky(reason: impl Fn(&Value) -> Option<&'static str> + Send + Sync + 'static) -> StandIn {
    StandIn::start(move |_, body| match reason(body) {
        Some(reason) => Answer::new(400, json!({"error": {"message": reason}})),
        None => Answer::new(200, completion(r#"{"names": ["Ada", "Bob"]}"#)),
    })
    .await
}

#[tokio::test]
async fn a_schema_is_sent_where_it_can_be() {
    let endpoint = picky(|_| None).await;
    endpoint.chat().chat(&names()).await.unwrap();
    let body = &endpoint.bodies()[0];
    let schema = json!({"type": "object", "properties": {"names": {"type": "array"}}});
    assert_eq!(
        body["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "names", "strict": true, "schema": schema}})
    );
    assert_eq!(instruction(body), "Find names.");
}

#[tokio::test]
async fn an_endpoint_without_schemas_gets_an_instruction_and_that_is_remembered() {
    let endpoint = picky(|body| match body["response_format"]["type"].as_str() {
        Some("json_schema") => Some("This response_format type is unavailable now"),
        Some("json_object") => Some("'response_format' is not supported by this model"),
        _ => None,
    })
    .await;
    let chat = endpoint.chat();
    let reply = chat.chat(&names()).await.unwrap();
    assert_eq!(reply.text, r#"{"names": ["Ada", "Bob"]}"#);
    let bodies = endpoint.bodies();
    assert_eq!(bodies.len(), 3);
    assert_eq!(bodies[1]["response_format"], json!({"type": "json_object"}));
    assert_eq!(bodies[2]["response_format"], Value::Null);
    for body in &bodies[1..] {
        assert!(instruction(body).starts_with("Find names.\n\nReply with one JSON value"), "{body}");
        assert!(instruction(body).contains(r#""properties":{"names":"#), "{body}");
    }
    chat.chat(&names()).await.unwrap();
    assert_eq!(endpoint.bodies().len(), 4, "what was learned is remembered");
    let unasked = ChatRequest { messages: vec![Message::user("Hi.")], ..names() };
    chat.chat(&unasked).await.unwrap();
    assert!(instruction(&endpoint.bodies()[4]).starts_with("Reply with one JSON value"));
}

#[tokio::test]
async fn a_way_that_was_chosen_is_not_changed() {
    let refuses_all = |body: &Value| body["response_format"].is_object().then_some("no response_format here");
    let endpoint = picky(refuses_all).await;
    let options = HttpChatOptions { structure: Structure::Schema, ..endpoint.chat_options() };
    let error = HttpChat::open(options).unwrap().chat(&names()).await.unwrap_err();
    assert_eq!((error.kind(), endpoint.asked().len()), (ErrorKind::Invalid, 1));
    let options = HttpChatOptions { structure: Structure::Instruction, ..endpoint.chat_options() };
    HttpChat::open(options).unwrap().chat(&names()).await.unwrap();
    assert_eq!(endpoint.asked().len(), 2);
}

#[tokio::test]
async fn other_options_that_are_refused_are_left_out() {
    let endpoint = picky(|body| {
        if body.get("max_tokens").is_some() {
            Some("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        } else if body.get("temperature").is_some() {
            Some("Unsupported value: 'temperature' does not support 0.0 with this model.")
        } else if body.get("stream_options").is_some() {
            Some("Unrecognized request argument supplied: stream_options")
        } else if body.get("seed").is_some() {
            Some("seed: Extra inputs are not permitted")
        } else {
            None
        }
    })
    .await;
    let chat = endpoint.chat();
    let request = hello().with_tokens_max(77);
    let mut ignore = |_: &str| {};
    let (one, two) = tokio::join!(chat.stream(&request, &mut ignore), chat.chat(&request));
    // The endpoint sends a plain response without a content type to a streaming request.
    assert_eq!(one.unwrap_err().kind(), ErrorKind::Unavailable);
    two.unwrap();
    let last = endpoint.bodies().pop().unwrap();
    assert_eq!(last["max_completion_tokens"], 77);
    let keys: Vec<&String> = last.as_object().unwrap().keys().collect();
    assert!(
        keys.iter()
            .all(|key| ["max_completion_tokens", "messages", "model", "stream"].contains(&key.as_str()))
    );
}

#[tokio::test]
async fn refusals_that_teach_nothing_are_errors() {
    let endpoint = picky(|_| Some("the prompt is too long for this model")).await;
    let error = endpoint.chat().chat(&names()).await.unwrap_err();
    assert_eq!((error.kind(), endpoint.asked().len()), (ErrorKind::Invalid, 1));
    assert!(error.to_string().contains("too long"), "{error}");
}

#[tokio::test]
async fn extra_fields_win() {
    let endpoint = picky(|_| None).await;
    let extra = json!({"reasoning_effort": "low", "temperature": 0.7});
    let options = HttpChatOptions { extra: extra.as_object().unwrap().clone(), ..endpoint.chat_options() };
    HttpChat::open(options).unwrap().chat(&hello()).await.unwrap();
    let body = &endpoint.bodies()[0];
    assert_eq!((&body["reasoning_effort"], &body["temperature"]), (&json!("low"), &json!(0.7)));
    assert_eq!((&body["seed"], &body["max_tokens"]), (&json!(0), &json!(2048)));
}
