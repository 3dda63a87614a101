//! Builds request bodies.

use serde_json::{Map, Value, json};

use super::{
    dialect::{Dialect, Json},
    options::HttpChatOptions,
};
use crate::chat::{ChatRequest, Format, Message, Speaker};

/// Builds the body of a request.
pub(super) fn body(
    options: &HttpChatOptions,
    dialect: &Dialect,
    request: &ChatRequest,
    is_streaming: bool,
) -> Value {
    let ChatRequest { messages, format, temperature, seed, tokens_max, purpose: _ } = request;
    let mut messages: Vec<Value> = messages.iter().map(message).collect();
    let mut body = Map::new();
    if let Format::Json { name, schema } = format {
        let response_format = match dialect.json {
            Json::Schema => Some(json!({
                "type": "json_schema",
                "json_schema": {"name": name, "strict": true, "schema": schema},
            })),
            Json::Object => Some(json!({"type": "json_object"})),
            Json::Instruction => None,
        };
        body.extend(response_format.map(|format| ("response_format".to_owned(), format)));
        if dialect.json != Json::Schema {
            instruct(&mut messages, schema);
        }
    }
    let tokens = if dialect.has_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    body.insert("model".to_owned(), json!(options.model));
    body.insert("messages".to_owned(), json!(messages));
    body.insert(tokens.to_owned(), json!(tokens_max));
    if let Some(temperature) = temperature.filter(|_| dialect.takes("temperature")) {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    if let Some(seed) = seed.filter(|_| dialect.takes("seed")) {
        body.insert("seed".to_owned(), json!(seed));
    }
    if is_streaming {
        body.insert("stream".to_owned(), json!(true));
        if dialect.takes("stream_options") {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
    }
    body.extend(options.extra.clone());
    Value::Object(body)
}

fn message(message: &Message) -> Value {
    let role = match message.speaker {
        Speaker::System => "system",
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    };
    json!({"role": role, "content": message.text})
}

/// Appends the schema as an instruction to the first system message, because many models follow only one.
fn instruct(messages: &mut Vec<Value>, schema: &Value) {
    let instruction = format!(
        "Reply with one JSON value and nothing else: no explanation, no Markdown. It has to fit this JSON schema:\n{schema}"
    );
    match messages.first_mut() {
        Some(first) if first["role"] == "system" => {
            let text = format!("{}\n\n{instruction}", first["content"].as_str().unwrap_or_default());
            first["content"] = Value::String(text);
        }
        _ => messages.insert(0, json!({"role": "system", "content": instruction})),
    }
}
