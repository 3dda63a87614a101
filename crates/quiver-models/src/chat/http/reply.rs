//! Reads responses.

use serde_json::Value;

use super::thoughts::Thoughts;
use crate::{
    ErrorKind,
    chat::{ChatReply, ChatRequest, Finish, Usage, estimate},
    endpoint::is_too_long,
};

/// Why a response has no readable reply.
pub(super) struct Problem {
    pub(super) kind: ErrorKind,
    pub(super) what: String,
    /// The response body, if it contains the endpoint's message.
    pub(super) said: Option<String>,
}

impl Problem {
    fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), said: None }
    }
}

/// Reads a response that is not streamed.
pub(super) fn whole(body: &[u8], request: &ChatRequest) -> Result<ChatReply, Problem> {
    let value = parse(body)?;
    let Some(choice) = value["choices"].get(0) else {
        return Err(no_completion("has no choices"));
    };
    let mut heard = Heard::default();
    let text = heard.take(&choice["message"], &choice["finish_reason"], &value["usage"])?;
    heard.waiting.push_str(&text);
    let text = heard.thoughts.speech(&mut heard.waiting);
    Ok(heard.reply(request, text).0)
}

/// Reads a streamed response.
#[derive(Default)]
pub(super) struct Listener {
    heard: Heard,
    text: String,
    is_done: bool,
}

impl Listener {
    /// Processes an event and returns the text it adds.
    pub(super) fn hear(&mut self, event: &str) -> Result<String, Problem> {
        if event.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(String::new());
        }
        let value = parse(event.as_bytes())?;
        let choice = &value["choices"][0];
        let piece = self.heard.take(&choice["delta"], &choice["finish_reason"], &value["usage"])?;
        self.heard.waiting.push_str(&piece);
        let speech = self.heard.thoughts.speech(&mut self.heard.waiting);
        self.text.push_str(&speech);
        Ok(speech)
    }

    /// Returns the number of bytes received.
    pub(super) fn bytes(&self) -> usize {
        self.heard.bytes
    }

    /// Returns whether the endpoint has signalled the end of the reply.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Finishes the reply and returns it with the text that has not been passed on yet.
    pub(super) fn end(self, request: &ChatRequest) -> Result<(ChatReply, String), Problem> {
        let Self { heard, text, is_done } = self;
        if !is_done && heard.finish.is_none() {
            return Err(Problem::new(
                ErrorKind::Unavailable,
                format!("closed the connection after {} bytes", heard.bytes),
            ));
        }
        Ok(heard.reply(request, text))
    }
}

/// The state of a reply that is being received.
#[derive(Default)]
struct Heard {
    thoughts: Thoughts,
    /// Received text that may still turn out to be reasoning.
    waiting: String,
    refusal: String,
    finish: Option<Finish>,
    usage: Option<Usage>,
    /// Bytes received, including reasoning.
    bytes: usize,
}

impl Heard {
    /// Processes a message or a delta and returns its text.
    fn take(&mut self, message: &Value, finish: &Value, usage: &Value) -> Result<String, Problem> {
        let text = content(&message["content"])?;
        let refusal = message["refusal"].as_str().unwrap_or_default();
        let reasoning =
            ["reasoning", "reasoning_content"].map(|key| message[key].as_str().map_or(0, str::len));
        self.bytes += text.len() + refusal.len() + reasoning.iter().sum::<usize>();
        self.refusal.push_str(refusal);
        if let Some(finish) = finish.as_str() {
            self.finish = Some(match finish {
                "stop" | "eos" | "end_turn" => Finish::Stop,
                "length" | "max_tokens" => Finish::Length,
                "content_filter" => Finish::Filter,
                _ => Finish::Other,
            });
        }
        let count = |key: &str| usage[key].as_u64();
        if let (Some(tokens_in), Some(tokens_out)) = (count("prompt_tokens"), count("completion_tokens")) {
            self.usage = Some(Usage { tokens_in, tokens_out, is_estimate: false });
        }
        Ok(text)
    }

    /// Builds the reply from the text so far and the waiting text. Also returns the latter.
    fn reply(self, request: &ChatRequest, text: String) -> (ChatReply, String) {
        let rest = self.thoughts.rest(self.waiting);
        let text = text + &rest;
        let usage = self.usage.unwrap_or_else(|| Usage {
            tokens_in: estimate::tokens_in(request),
            tokens_out: estimate::tokens(&text),
            is_estimate: true,
        });
        let refusal = (!self.refusal.trim().is_empty()).then_some(self.refusal);
        let finish = self.finish.unwrap_or(Finish::Other);
        (ChatReply { text, finish, refusal, usage, is_cached: false }, rest)
    }
}

/// Parses JSON and detects an error that was sent with a success status.
fn parse(body: &[u8]) -> Result<Value, Problem> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        // The parser's message quotes at most one token of the response.
        no_completion(&format!("is not JSON: {error}"))
    })?;
    let error = &value["error"];
    if error.is_null() {
        return Ok(value);
    }
    let code = error["code"].as_u64().or_else(|| error["code"].as_str().and_then(|code| code.parse().ok()));
    let kind = match code {
        _ if is_too_long(body) => ErrorKind::Limit,
        Some(401 | 403) => ErrorKind::Unauthorized,
        Some(404) => ErrorKind::NotFound,
        Some(408 | 429 | 500..) => ErrorKind::Unavailable,
        _ => ErrorKind::Invalid,
    };
    let said = (kind != ErrorKind::Unauthorized).then(|| String::from_utf8_lossy(body).into_owned());
    Err(Problem { said, ..Problem::new(kind, "returned an error") })
}

/// Returns the text of a message. It may be a string, a list of parts, or the requested JSON itself.
fn content(content: &Value) -> Result<String, Problem> {
    match content {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) if parts.iter().all(|part| part["type"].is_string()) => {
            Ok(parts.iter().filter_map(|part| part["text"].as_str()).collect())
        }
        Value::Object(_) | Value::Array(_) => Ok(content.to_string()),
        Value::Bool(_) | Value::Number(_) => Err(no_completion("has a message that is not text")),
    }
}

fn no_completion(problem: &str) -> Problem {
    Problem::new(ErrorKind::Invalid, format!("did not return a chat completion: the reply {problem}"))
}
