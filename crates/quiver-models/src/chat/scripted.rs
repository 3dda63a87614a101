//! A scripted chat model for tests, and the conformance suite for chat models.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use super::{ChatModel, ChatReply, ChatRequest, Finish, OnText, Usage, estimate};
use crate::{Error, ErrorKind, Result};

type Matches = Box<dyn Fn(&ChatRequest) -> bool + Send + Sync>;
type Answers = Box<dyn Fn(&ChatRequest) -> Result<ChatReply> + Send + Sync>;

/// A chat model that follows a script and checks requests.
///
/// The first line of the script that matches a request answers it. If no line matches, the call fails with an error
/// that shows the request, so a test with a wrong prompt fails. The recorded requests and the unused lines can be
/// inspected.
///
/// ```
/// use quiver_models::{chat::{ChatModel, ChatRequest, Message}, testing::ScriptedChat};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let chat = ScriptedChat::new().on("capital of France", "Paris.");
/// let reply = chat.chat(&ChatRequest::new([Message::user("What is the capital of France?")])).await?;
/// assert_eq!(reply.text, "Paris.");
/// assert!(chat.chat(&ChatRequest::new([Message::user("And of Spain?")])).await.is_err());
/// assert_eq!((chat.requests().len(), chat.unused().len()), (2, 0));
/// # Ok::<(), quiver_models::Error>(()) }).unwrap();
/// ```
pub struct ScriptedChat {
    name: String,
    lines: Vec<Line>,
    asked: Mutex<Asked>,
}

struct Line {
    name: String,
    matches: Matches,
    answers: Answers,
}

#[derive(Default)]
struct Asked {
    requests: Vec<ChatRequest>,
    used: Vec<bool>,
}

impl ScriptedChat {
    /// Creates a model with an empty script.
    pub fn new() -> Self {
        Self { name: "scripted".to_owned(), lines: Vec::new(), asked: Mutex::default() }
    }

    /// Sets the model's name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds a line that answers requests with a message that contains `text`.
    #[must_use]
    pub fn on(self, text: impl Into<String>, reply: impl Into<String>) -> Self {
        let (text, reply) = (text.into(), reply.into());
        let name = text.clone();
        let matches =
            move |request: &ChatRequest| request.messages.iter().any(|message| message.text.contains(&text));
        self.when(name, matches, move |request| Ok(said(request, &reply)))
    }

    /// Adds a line that answers requests accepted by `matches` with the result of `answers`.
    #[must_use]
    pub fn when(
        mut self,
        name: impl Into<String>,
        matches: impl Fn(&ChatRequest) -> bool + Send + Sync + 'static,
        answers: impl Fn(&ChatRequest) -> Result<ChatReply> + Send + Sync + 'static,
    ) -> Self {
        let (matches, answers) = (Box::new(matches), Box::new(answers));
        self.lines.push(Line { name: name.into(), matches, answers });
        self
    }

    /// Returns the requests in order.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.asked().requests.clone()
    }

    /// Returns the names of the lines that were never used.
    pub fn unused(&self) -> Vec<String> {
        let asked = self.asked();
        let is_unused = |line: usize| !asked.used.get(line).copied().unwrap_or_default();
        let lines = self.lines.iter().enumerate().filter(|(line, _)| is_unused(*line));
        lines.map(|(_, line)| line.name.clone()).collect()
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates a reply with the given text and estimated usage.
pub fn said(request: &ChatRequest, text: &str) -> ChatReply {
    ChatReply {
        text: text.to_owned(),
        finish: Finish::Stop,
        refusal: None,
        usage: Usage {
            tokens_in: estimate::tokens_in(request),
            tokens_out: estimate::tokens(text),
            is_estimate: true,
        },
        is_cached: false,
    }
}

#[async_trait]
impl ChatModel for ScriptedChat {
    fn model(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        let line = self.lines.iter().position(|line| (line.matches)(request));
        {
            let mut asked = self.asked();
            asked.requests.push(request.clone());
            asked.used.resize(self.lines.len(), false);
            line.into_iter().for_each(|line| asked.used[line] = true);
        }
        match line {
            Some(line) => (self.lines[line].answers)(request),
            None => Err(Error::new(
                ErrorKind::Invalid,
                format!("the script has no line for {:?}", request.messages),
            )),
        }
    }

    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply> {
        let reply = self.chat(request).await?;
        // Stream word by word.
        reply.text.split_inclusive(' ').for_each(on_text);
        Ok(reply)
    }

    async fn has(&self, _: &ChatRequest) -> bool {
        false
    }
}

impl Default for ScriptedChat {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ScriptedChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedChat").field("lines", &self.lines.len()).finish_non_exhaustive()
    }
}

/// Asserts the contract of [`ChatModel`] with a request that the model answers with text.
///
/// # Panics
///
/// Panics if the model breaks the contract. The message says which clause.
pub async fn chat_conformance(chat: &dyn ChatModel, request: &ChatRequest) {
    assert!(!chat.model().is_empty(), "a model has a name");
    let mut pieces = Vec::new();
    let streamed = chat
        .stream(request, &mut |piece| pieces.push(piece.to_owned()))
        .await
        .expect("the request can be answered piece by piece");
    let whole = chat.chat(request).await.expect("the request can be answered");
    assert_eq!(pieces.concat(), streamed.text, "the pieces make up the reply");
    assert!(pieces.iter().all(|piece| !piece.is_empty()), "a piece has something in it");
    let what = |reply: &ChatReply| (reply.text.clone(), reply.finish, reply.refusal.clone());
    assert_eq!(what(&whole), what(&streamed), "both ways give the same reply");
    assert!(whole.usage.tokens_in > 0 && whole.usage.tokens_out > 0, "a reply has its usage");
    let other_purpose = request.clone().for_job("another").for_question("another?");
    let again = chat.chat(&other_purpose).await.expect("the purpose changes nothing");
    assert_eq!(what(&again), what(&whole), "the reply does not depend on the purpose");
    let (one, two) = tokio::join!(chat.chat(request), chat.chat(request));
    for reply in [one, two] {
        let reply = reply.expect("calls may be made at once");
        assert_eq!(what(&reply), what(&whole), "calls are independent of each other");
    }
}
