//! Request and response pairs from the published API references. The client must send each request exactly and
//! understand each response. They are not recordings of running models.

use std::{fs, path::Path};

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Exchange {
    name: String,
    ask: ChatRequest,
    #[serde(default)]
    is_streamed: bool,
    #[serde(default)]
    extra: serde_json::Map<String, Value>,
    model: String,
    /// The expected request body.
    body: Value,
    /// The response: a status with a body or with events.
    status: u16,
    #[serde(default)]
    reply: Value,
    #[serde(default)]
    events: Vec<Value>,
    /// The expected reply.
    understood: Option<ChatReply>,
    #[serde(default)]
    pieces: Vec<String>,
    #[serde(default)]
    error_kind: Option<String>,
    #[serde(default)]
    error_says: String,
}

fn exchanges(file: &str) -> Vec<Exchange> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exchanges").join(file);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn answer(exchange: &Exchange) -> Answer {
    if exchange.events.is_empty() {
        let answer = Answer::new(exchange.status, &exchange.reply);
        return answer.with_headers("content-type: application/json\r\n");
    }
    let event = |event: &Value| event.as_str().map_or_else(|| event.to_string(), str::to_owned);
    Answer::events(exchange.events.iter().map(event))
}

async fn replay(file: &str) {
    for exchange in exchanges(file) {
        let answer = answer(&exchange);
        let endpoint = StandIn::start(move |_, _| answer.clone()).await;
        let options = HttpChatOptions {
            model: exchange.model.clone(),
            extra: exchange.extra.clone(),
            attempts_max: 1,
            ..endpoint.chat_options()
        };
        let chat = HttpChat::open(options).unwrap();
        let mut pieces = Vec::new();
        let reply = if exchange.is_streamed {
            chat.stream(&exchange.ask, &mut |piece| pieces.push(piece.to_owned())).await
        } else {
            chat.chat(&exchange.ask).await
        };
        let name = format!("{file}: {}", exchange.name);
        assert_eq!(endpoint.bodies(), [exchange.body], "{name}");
        let path = &endpoint.asked()[0].0;
        assert!(path.starts_with("POST /v1/chat/completions "), "{name}: {path}");
        assert_eq!(reply.as_ref().ok(), exchange.understood.as_ref(), "{name}: {reply:?}");
        assert_eq!(pieces, exchange.pieces, "{name}");
        if let Err(error) = reply {
            assert_eq!(Some(format!("{:?}", error.kind())), exchange.error_kind, "{name}: {error}");
            assert!(error.to_string().contains(&exchange.error_says), "{name}: {error}");
        }
    }
}

#[tokio::test]
async fn openai_is_understood() {
    replay("openai.json").await;
}

#[tokio::test]
async fn ollama_is_understood() {
    replay("ollama.json").await;
}

#[tokio::test]
async fn vllm_is_understood() {
    replay("vllm.json").await;
}
