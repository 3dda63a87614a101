//! Conversations in the format of the `OpenAI` API.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response, sse::Event},
};
use quiver::{
    Answer, Citation, Progress,
    memory::count_tokens,
    session::{FollowUp, Reply, SessionOptions},
};
use quiver_forms::request::not_blank;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    app::App,
    body::{Json, json},
    events::stream,
    gate::{Caller, single},
    problem::Problem,
};

/// The model that every server offers: the engine itself, with its language model and embedder if it has them.
pub(super) const MODEL: &str = "quiver";
/// The role of replies.
const ASSISTANT: &str = "assistant";
/// The header that names a conversation stored by the server.
const SESSION: &str = "quiver-session";
/// Number of earlier questions in the messages that are answered again, to understand the last one.
const EARLIER_MAX: usize = 3;
/// Maximum length of a session name in bytes.
const SESSION_BYTES_MAX: usize = 256;

/// A conversation whose last question is answered. Other fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Completion {
    /// The conversation. The last message of the user is answered in the context of the earlier ones.
    #[schemars(length(min = 1))]
    messages: Vec<Message>,
    /// Streams the answer sentence by sentence.
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

/// Options of a streamed answer.
#[derive(Debug, Deserialize, JsonSchema)]
struct StreamOptions {
    /// Adds a chunk with the numbers of tokens at the end.
    #[serde(default)]
    include_usage: Option<bool>,
}

/// A message.
#[derive(Debug, Deserialize, JsonSchema)]
struct Message {
    /// `user`; messages of other roles are ignored.
    role: String,
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Part {
    #[serde(default)]
    text: Option<String>,
}

impl Message {
    fn text(&self) -> String {
        match &self.content {
            None => String::new(),
            Some(Content::Text(text)) => text.clone(),
            Some(Content::Parts(parts)) => {
                parts.iter().filter_map(|part| part.text.as_deref()).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// A reply.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Completed {
    id: String,
    object: &'static str,
    created: u64,
    model: &'static str,
    choices: Vec<Choice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Choice {
    index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Told>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<Told>,
    finish_reason: Option<&'static str>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Told {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// The sentences that contain the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    annotations: Vec<Annotation>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Annotation {
    r#type: &'static str,
    url_citation: Cited,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Cited {
    start_index: usize,
    end_index: usize,
    title: String,
    /// The key of the document if it is an address, or else `quiver:` and the key.
    url: String,
    /// The sentence, verbatim.
    sentence: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "these are their names")]
struct Usage {
    prompt_tokens: usize,
    completion_tokens: usize,
    total_tokens: usize,
}

impl Usage {
    fn of(prompt_tokens: usize, content: &str) -> Self {
        let completion_tokens = count_tokens(content);
        Self { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    }
}

/// The available models.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Models {
    object: &'static str,
    data: Vec<Model>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Model {
    id: &'static str,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

pub(super) async fn models() -> Response {
    let model = Model { id: MODEL, object: "model", created: 0, owned_by: MODEL };
    json(&Models { object: "list", data: vec![model] })
}

/// What all chunks of one reply share.
#[derive(Clone)]
struct Head {
    id: String,
    created: u64,
}

impl Head {
    fn new(question: &str) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut hasher = blake3::Hasher::new();
        hasher.update(question.as_bytes()).update(&now.as_nanos().to_le_bytes());
        let hash = hasher.finalize().to_hex();
        Self { id: format!("chatcmpl-{}", &hash[..24]), created: now.as_secs() }
    }

    fn whole(self, told: Told, usage: Usage) -> Completed {
        let choice = Choice { index: 0, message: Some(told), delta: None, finish_reason: Some("stop") };
        let Self { id, created } = self;
        Completed {
            id,
            object: "chat.completion",
            created,
            model: MODEL,
            choices: vec![choice],
            usage: Some(usage),
        }
    }

    fn piece(&self, told: Told, finish_reason: Option<&'static str>) -> Event {
        self.chunk(vec![Choice { index: 0, message: None, delta: Some(told), finish_reason }], None)
    }

    /// Returns the chunk after the last piece.
    fn end(&self, usage: Usage) -> Event {
        self.chunk(Vec::new(), Some(usage))
    }

    fn chunk(&self, choices: Vec<Choice>, usage: Option<Usage>) -> Event {
        let completed = Completed {
            id: self.id.clone(),
            object: "chat.completion.chunk",
            created: self.created,
            model: MODEL,
            choices,
            usage,
        };
        Event::default().data(serde_json::to_string(&completed).unwrap_or_default())
    }
}

/// A question with its context.
struct Conversation {
    /// The stored session; `None` if the earlier questions come with the request.
    session: Option<String>,
    earlier: Vec<String>,
    question: String,
    prompt_tokens: usize,
}

impl Conversation {
    fn of(headers: &HeaderMap, caller: &Caller, asked: &Completion) -> Result<Self, Problem> {
        let said = asked.messages.iter().filter(|message| message.role == "user");
        let mut said: Vec<String> = said.map(Message::text).collect();
        let question = said.pop().unwrap_or_default();
        not_blank("messages", &question)?;
        let session = single(headers, SESSION)?.map(str::to_owned);
        if let Some(session) = &session {
            not_blank("Quiver-Session", session)?;
            if session.len() > SESSION_BYTES_MAX {
                return Err(Problem::at(
                    "Quiver-Session",
                    format!("must have at most {SESSION_BYTES_MAX} bytes"),
                ));
            }
            // The turn is stored.
            caller.check_write(None, Some(session))?;
        }
        said.retain(|earlier| !earlier.trim().is_empty());
        let earlier = if session.is_some() {
            Vec::new()
        } else {
            said.split_off(said.len().saturating_sub(EARLIER_MAX))
        };
        let prompt_tokens = asked.messages.iter().map(|message| count_tokens(&message.text())).sum();
        Ok(Self { session, earlier, question, prompt_tokens })
    }

    async fn answer(
        self,
        app: App,
        caller: Caller,
        on_progress: impl FnMut(Progress<'_>) + Send + 'static,
    ) -> Result<Reply, Problem> {
        let place = app.place(&caller.workspace).await?;
        let entered = place.enter(self.session.iter().cloned().collect::<BTreeSet<_>>()).await;
        let ask = app.config.ask.clone();
        let work = async move {
            let _entered = entered;
            // A turn that is being written is completed even if the client disconnects.
            let stored = self.session.is_some();
            let options = SessionOptions { ask, stored, background: true, ..SessionOptions::default() };
            let mut session = place.quiver.session(self.session.unwrap_or_default()).with_options(options);
            for earlier in self.earlier {
                session.ask(FollowUp::new(earlier)).await?;
            }
            let mut reply = session.ask(self.question).on_progress(on_progress).await?;
            if let Err(error) = session.close().await {
                tracing::error!("a turn was not stored: {error}");
                reply.read.degraded.push("the turn was not stored; the server's log says why".to_owned());
            }
            Ok(reply)
        };
        let reply = app.read(work).await?;
        if let Some(answer) = &reply.answer {
            app.metrics.trace(answer.trace());
        }
        Ok(reply)
    }
}

pub(super) async fn complete(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Json(asked): Json<Completion>,
) -> Result<Response, Problem> {
    let conversation = Conversation::of(&headers, &caller, &asked)?;
    let head = Head::new(&conversation.question);
    if asked.stream == Some(true) {
        let counts = asked.stream_options.is_some_and(|options| options.include_usage == Some(true));
        return Ok(complete_in_pieces(app, caller, conversation, head, counts));
    }
    let prompt_tokens = conversation.prompt_tokens;
    let reply = Box::pin(conversation.answer(app, caller, |_: Progress<'_>| {})).await?;
    let content = content(&reply);
    let usage = Usage::of(prompt_tokens, &content);
    let annotations = annotations(&reply, &content);
    let told = Told { role: Some(ASSISTANT), content: Some(content), annotations };
    Ok(json(&head.whole(told, usage)).into_response())
}

/// Streams the reply. `counts` adds the numbers of tokens.
fn complete_in_pieces(
    app: App,
    caller: Caller,
    conversation: Conversation,
    head: Head,
    counts: bool,
) -> Response {
    stream(|sender| async move {
        let said = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let (pieces, so_far) = (head.clone(), std::sync::Arc::clone(&said));
        let tell = move |progress: Progress<'_>| {
            if let Progress::Sentence(sentence) = progress {
                let mut said = so_far.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let space = if said.is_empty() { "" } else { " " };
                let text = format!("{space}{}", sentence.text);
                // Only the first piece names the role.
                let role = said.is_empty().then_some(ASSISTANT);
                said.push_str(&text);
                // The client may have disconnected.
                let _ =
                    sender.send(pieces.piece(Told { role, content: Some(text), ..Told::default() }, None));
            }
        };
        let prompt_tokens = conversation.prompt_tokens;
        let reply = Box::pin(conversation.answer(app, caller, tell)).await.map_err(Problem::for_openai)?;
        let content = content(&reply);
        let said = said.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let mut last = Vec::new();
        if said != content {
            let rest = if said.is_empty() {
                content.clone()
            } else {
                format!("\n\nThat answer was withdrawn. The final reply: {content}")
            };
            let role = said.is_empty().then_some(ASSISTANT);
            last.push(head.piece(Told { role, content: Some(rest), ..Told::default() }, None));
        }
        let annotations = annotations(&reply, &content);
        last.push(head.piece(Told { role: None, content: None, annotations }, Some("stop")));
        if counts {
            last.push(head.end(Usage::of(prompt_tokens, &content)));
        }
        last.push(Event::default().data("[DONE]"));
        Ok(last)
    })
}

/// Returns the text of a reply: the answer, a question back, or that there is no answer.
fn content(reply: &Reply) -> String {
    if let Some(back) = reply.asks() {
        return back.question.clone();
    }
    let Some(answer) = &reply.answer else { return String::new() };
    if let Some(text) = &answer.text {
        return text.clone();
    }
    let mut content = match &answer.refusal {
        Some(refusal) => format!("No answer: {refusal}."),
        None => "No answer: no sentence of the evidence answers the question.".to_owned(),
    };
    if !answer.found.is_empty() {
        content.push_str("\n\nThe most relevant sentences, which may not answer the question:");
    }
    for Citation { title, sentence, .. } in &answer.found {
        let _ = write!(content, "\n- {title}: “{sentence}”");
    }
    content
}

fn annotations(reply: &Reply, content: &str) -> Vec<Annotation> {
    let Some(answer) = reply.answer.as_ref().filter(|answer| answer.text.is_some()) else {
        return Vec::new();
    };
    let end_index = content.chars().count();
    let cite = |citation: &Citation| Annotation {
        r#type: "url_citation",
        url_citation: Cited {
            start_index: 0,
            end_index,
            title: citation.title.clone(),
            url: address(answer, citation),
            sentence: citation.sentence.clone(),
        },
    };
    answer.citations.iter().map(cite).collect()
}

/// Returns the URL of a cited document.
fn address(answer: &Answer, citation: &Citation) -> String {
    let ranked = answer.evidence.passages.iter().find(|ranked| ranked.passage.id == citation.passage);
    let key = ranked.map_or(citation.title.as_str(), |ranked| ranked.passage.document.as_str());
    if key.starts_with("https://") || key.starts_with("http://") {
        return key.to_owned();
    }
    let mut address = "quiver:".to_owned();
    for byte in key.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                address.push(char::from(byte));
            }
            _ => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    address
}
