//! Chat models behind OpenAI-compatible endpoints.

mod body;
mod dialect;
mod options;
mod pace;
mod reply;
mod sse;
mod thoughts;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use reqwest::{Response, header};

use self::{dialect::Dialect, pace::Pace, reply::Listener};
use super::{ChatModel, ChatReply, ChatRequest, OnText, estimate};
use crate::{
    Error, ErrorKind, Result,
    endpoint::{Endpoint, Failure, Retries},
};

pub use options::{HttpChatOptions, Structure};

/// A model behind an OpenAI-compatible `/chat/completions` endpoint: a hosted service, or a local Ollama, vLLM or
/// llama.cpp server.
///
/// Transient failures are retried after the delay that the endpoint asked for, or else with exponential backoff. The
/// options limit the number of concurrent requests and the requests per minute; further requests wait.
///
/// Endpoints support different parameters. If an endpoint rejects a parameter for a reason that the client
/// recognises, for example a JSON schema, the client retries with an alternative or without the parameter, and
/// remembers this: see [`Structure`]. Text that some models write between `<think>` and `</think>` before the reply
/// is removed.
///
/// Ollama silently truncates prompts that exceed its context window, so `OLLAMA_CONTEXT_LENGTH` must be at least the
/// length of the longest prompt plus its reply.
///
/// ```no_run
/// use quiver_models::chat::{
///     Budget, BudgetedChat, CachedChat, ChatModel, ChatRequest, CountingChat, HttpChat, HttpChatOptions, Message, Prices,
/// };
///
/// # async fn run() -> quiver_models::Result<()> {
/// let model = HttpChat::open(HttpChatOptions::new("http://localhost:11434/v1", "qwen3:8b"))?;
/// let prices = Prices { million_in: 0.15, million_out: 0.60 };
/// let budget = Budget { cost_max: Some(2.0), ..Budget::default() };
/// let chat = CachedChat::open(BudgetedChat::new(model, budget, prices), "replies")?;
/// let chat = CountingChat::new(chat, prices);
/// let reply = chat.chat(&ChatRequest::new([Message::user("Hello!")]).for_job("greet")).await?;
/// println!("{} ({})", reply.text, chat.ledger().total);
/// # Ok(()) }
/// ```
pub struct HttpChat {
    options: HttpChatOptions,
    endpoint: Endpoint,
    retries: Retries,
    dialect: Mutex<Dialect>,
    pace: Pace,
}

impl HttpChat {
    /// Opens an endpoint. Sends nothing.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`] if the address or the key is invalid.
    pub fn open(options: HttpChatOptions) -> Result<Self> {
        let endpoint = Endpoint::open(&options.endpoint())?;
        let retries = options.retries();
        let dialect = Mutex::new(Dialect::new(options.structure));
        let pace = Pace::new(options.requests_per_minute, options.tokens_per_minute);
        Ok(Self { options, endpoint, retries, dialect, pace })
    }

    async fn answer(&self, request: &ChatRequest, mut on_text: Option<OnText<'_>>) -> Result<ChatReply> {
        if request.messages.is_empty() {
            return Err(Error::new(
                ErrorKind::Invalid,
                "a request to a chat model needs at least one message",
            ));
        }
        let is_streaming = on_text.is_some();
        let mut attempts = self.retries.begin();
        let mut is_begun = false;
        loop {
            let mut given = |piece: &str| {
                is_begun = true;
                on_text.iter_mut().for_each(|on_text| on_text(piece));
            };
            let given: Option<OnText<'_>> = if is_streaming { Some(&mut given) } else { None };
            match self.attempt(request, given).await {
                Ok(reply) => return Ok(reply),
                // Text that was already passed on can't be retracted.
                Err(error) if is_begun => return Err(error),
                Err(error) => attempts.wait(error).await?,
            }
        }
    }

    /// Makes one request with the parameters that the endpoint is known to accept.
    async fn attempt(&self, request: &ChatRequest, on_text: Option<OnText<'_>>) -> Result<ChatReply> {
        let most = estimate::usage_max(request);
        let failure = loop {
            // Held until the whole reply has been read.
            let _permit = self.endpoint.permit().await;
            let turn = self.pace.admit(most.tokens()).await;
            let dialect = *self.dialect();
            let body = body::body(&self.options, &dialect, request, on_text.is_some());
            match self.endpoint.send(&body).await {
                Ok(response) => {
                    let reply = self.hear(response, request, on_text).await;
                    turn.settle(reply.as_ref().map_or(most, |reply| reply.usage).tokens());
                    return reply;
                }
                Err(failure) => {
                    if matches!(failure, Failure::Refused(_)) {
                        turn.settle(0);
                    }
                    if !self.learns(dialect, &failure) {
                        break failure;
                    }
                }
            }
        };
        let error = self.endpoint.failed(failure);
        if let Some(delay) = error.retry_after().filter(|delay| *delay <= self.options.delay_max) {
            // Other requests should wait too instead of hitting the same limit.
            self.pace.pause(delay);
        }
        Err(error)
    }

    /// Learns from an error response which parameters to change. Returns whether the request should be repeated.
    fn learns(&self, used: Dialect, failure: &Failure) -> bool {
        let Failure::Refused(refusal) = failure else { return false };
        if !matches!(refusal.status.as_u16(), 400 | 422) {
            return false;
        }
        let Some(next) = used.after(&refusal.body) else { return false };
        tracing::warn!(
            model = self.options.model,
            ?next,
            "retrying with other parameters, because the endpoint rejected some"
        );
        let mut dialect = self.dialect();
        *dialect = dialect.and(next);
        true
    }

    async fn hear(
        &self,
        response: Response,
        request: &ChatRequest,
        on_text: Option<OnText<'_>>,
    ) -> Result<ChatReply> {
        let is_whole = response.headers().get(header::CONTENT_TYPE).is_some_and(|value| {
            value.to_str().is_ok_and(|value| value.trim_start().starts_with("application/json"))
        });
        let Some(on_text) = on_text else {
            let body = self.endpoint.body(response).await?;
            return reply::whole(&body, request).map_err(|problem| self.error(problem));
        };
        if is_whole {
            // The endpoint does not stream.
            let body = self.endpoint.body(response).await?;
            let reply = reply::whole(&body, request).map_err(|problem| self.error(problem))?;
            if !reply.text.is_empty() {
                on_text(&reply.text);
            }
            return Ok(reply);
        }
        self.listen(response, request, on_text).await
    }

    /// Reads a streamed reply.
    async fn listen(
        &self,
        mut response: Response,
        request: &ChatRequest,
        on_text: OnText<'_>,
    ) -> Result<ChatReply> {
        let bytes_max = self.options.reply_bytes_max;
        let mut events = sse::Events::default();
        let mut listener = Listener::default();
        while let Some(chunk) = self.endpoint.chunk(&mut response).await? {
            events.feed(&chunk);
            while let Some(event) = events.next() {
                let piece = listener.hear(&event).map_err(|problem| self.error(problem))?;
                if listener.bytes() > bytes_max {
                    return Err(self.endpoint.too_large());
                }
                if !piece.is_empty() {
                    on_text(&piece);
                }
                if listener.is_done() {
                    break;
                }
            }
            if events.waiting() > bytes_max {
                return Err(self.endpoint.too_large());
            }
            if listener.is_done() {
                break;
            }
        }
        let (reply, rest) = listener.end(request).map_err(|problem| self.error(problem))?;
        if !rest.is_empty() {
            on_text(&rest);
        }
        Ok(reply)
    }

    fn error(&self, problem: reply::Problem) -> Error {
        let reply::Problem { kind, what, said } = problem;
        let said = said.map(|said| self.endpoint.said(said.as_bytes())).unwrap_or_default();
        self.endpoint.error(kind, &format!("{what}{said}"))
    }

    fn dialect(&self) -> MutexGuard<'_, Dialect> {
        self.dialect.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ChatModel for HttpChat {
    fn model(&self) -> &str {
        &self.options.model
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply> {
        self.answer(request, None).await
    }

    async fn stream(&self, request: &ChatRequest, on_text: OnText<'_>) -> Result<ChatReply> {
        self.answer(request, Some(on_text)).await
    }

    async fn has(&self, _: &ChatRequest) -> bool {
        false
    }
}

impl fmt::Debug for HttpChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpChat")
            .field("endpoint", &self.endpoint.url().as_str())
            .field("model", &self.options.model)
            .finish_non_exhaustive()
    }
}
