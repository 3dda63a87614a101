//! The tools over a directory that several processes use. One of them holds it and listens on a socket there; the
//! others send it the messages of their clients. However the holder ends, the next call of another process makes that
//! one the holder.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Result;
use quiver_server::Directory;
use quiver_tools::{Call, Message, Offered, Tools};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Stdout},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    task::{AbortHandle, JoinSet},
};

use crate::{Exit, commands::directory, settings::Settings};

/// The tools that create a missing database.
const MAKING: [&str; 2] = ["ingest", "remember"];

/// The connection to the process that holds the directory, which may be this one.
pub(super) struct Relay {
    workspace: String,
    directory: Directory,
    path: &'static str,
    /// The tools for messages that need no database, and for directories that can't have a socket.
    tools: Tools,
    /// The protocol version that the client and the tools agreed on.
    version: Mutex<Option<String>>,
    /// The running requests by ID.
    under_way: Mutex<HashMap<String, AbortHandle>>,
    output: tokio::sync::Mutex<Stdout>,
}

impl Relay {
    /// Creates the relay for a database, if that is in a directory.
    pub(super) fn new(settings: &Settings, offered: Offered, tools: &Tools) -> Option<Self> {
        let directory = directory(settings)?;
        Some(Self {
            workspace: settings.workspace.as_str().to_owned(),
            directory,
            path: if offered == Offered::All { "/mcp?tools=all" } else { "/mcp" },
            tools: tools.clone(),
            version: Mutex::default(),
            under_way: Mutex::default(),
            output: tokio::sync::Mutex::new(tokio::io::stdout()),
        })
    }

    /// Answers the lines of standard input until it is closed.
    pub(super) async fn serve(self) -> Result<Exit> {
        let relay = Arc::new(self);
        let mut input = BufReader::new(tokio::io::stdin());
        let mut replies = JoinSet::new();
        let mut line = Vec::new();
        let ended = loop {
            line.clear();
            match input.read_until(b'\n', &mut line).await {
                Ok(0) => break Ok(Exit::Done),
                Ok(_) => {}
                Err(error) => break Err(error.into()),
            }
            while replies.try_join_next().is_some() {}
            if line.trim_ascii().is_empty() {
                continue;
            }
            match message(&line) {
                Ok(message) => relay.begin(message, &mut replies),
                Err(why) => relay.send(&failed(&Value::Null, -32700, &why)).await,
            }
        };
        while replies.join_next().await.is_some() {}
        relay.directory.end().await;
        ended
    }

    /// Starts to answer a message, or cancels an earlier one.
    fn begin(self: &Arc<Self>, message: Value, replies: &mut JoinSet<()>) {
        if message["method"] == "notifications/cancelled" {
            let id = message["params"]["requestId"].to_string();
            if let Some(request) = locked(&self.under_way).remove(&id) {
                request.abort();
            }
            return;
        }
        let id = message.get("id").map(ToString::to_string);
        // A request is registered before it can end.
        let mut under_way = locked(&self.under_way);
        let (relay, own) = (Arc::clone(self), id.clone());
        let request = replies.spawn(async move {
            let reply = relay.answer(message).await;
            if let Some(own) = own {
                locked(&relay.under_way).remove(&own);
            }
            if let Some(reply) = reply {
                relay.send(&reply).await;
            }
        });
        if let Some(id) = id {
            under_way.insert(id, request);
        }
    }

    async fn send(&self, reply: &Value) {
        if let Some(version) = reply["result"]["protocolVersion"].as_str() {
            *locked(&self.version) = Some(version.to_owned());
        }
        let line = format!("{reply}\n");
        let mut output = self.output.lock().await;
        // The client may have disconnected.
        if output.write_all(line.as_bytes()).await.is_ok() {
            let _ = output.flush().await;
        }
    }

    async fn answer(&self, message: Value) -> Option<Value> {
        if !self.needs_database(&message) {
            return self.answer_here(message).await;
        }
        let version = locked(&self.version).clone();
        // The progress already reported to the client. A repeated call reports progress only beyond it.
        let mut told = 0.0;
        // Repeating a request does not do it twice.
        let mut attempts = self.directory.attempts();
        loop {
            let mut connection = match attempts.connect().await {
                Ok(Some(connection)) => connection.in_workspace(&self.workspace),
                Ok(None) => return self.answer_here(message).await,
                Err(error) => return Some(refused(message, error.message())),
            };
            let (sender, notices) = unbounded_channel();
            let tell = move |notice: Value| drop(sender.send(notice));
            let exchanged = connection.exchange(self.path, &message, version.as_deref(), tell);
            match self.passing_on(notices, &mut told, exchanged).await {
                Ok(reply) => return reply,
                Err(error) => {
                    if let Err(error) = attempts.check(error) {
                        return Some(refused(message, error.message()));
                    }
                }
            }
        }
    }

    /// Whether a message needs the contents of the database. Reading does not create a missing database.
    fn needs_database(&self, message: &Value) -> bool {
        let is_there = self.directory.path().exists();
        match message["method"].as_str() {
            Some("tools/call") => {
                is_there || message["params"]["name"].as_str().is_some_and(|tool| MAKING.contains(&tool))
            }
            Some("resources/list" | "resources/read") => is_there,
            _ => false,
        }
    }

    /// Answers without another process.
    async fn answer_here(&self, message: Value) -> Option<Value> {
        let version = locked(&self.version).clone();
        match Message::read(message, version.and_then(|version| Message::version(&version).ok())) {
            Message::Call(call) => Some(self.answer_call_here(*call).await),
            Message::Notice => None,
            Message::Unreadable(reply) => Some(reply),
        }
    }

    async fn answer_call_here(&self, call: Call) -> Value {
        let (sender, notices) = unbounded_channel();
        let tell = move |notice: Value| drop(sender.send(notice));
        self.passing_on(notices, &mut 0.0, self.tools.answer_telling(call, tell)).await
    }

    /// Runs work, and reports its progress to the client if it is beyond `told`.
    async fn passing_on<T>(
        &self,
        mut notices: UnboundedReceiver<Value>,
        told: &mut f64,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = std::pin::pin!(work);
        let done = loop {
            tokio::select! {
                biased;
                Some(notice) = notices.recv() => self.pass_on(&notice, told).await,
                done = &mut work => break done,
            }
        };
        while let Ok(notice) = notices.try_recv() {
            self.pass_on(&notice, told).await;
        }
        done
    }

    async fn pass_on(&self, notice: &Value, told: &mut f64) {
        let progress = notice["params"]["progress"].as_f64().unwrap_or_default();
        if progress > *told {
            *told = progress;
            self.send(notice).await;
        }
    }
}

/// Parses a line, or says why it is not a message.
fn message(line: &[u8]) -> Result<Value, String> {
    let text =
        std::str::from_utf8(line).map_err(|_| "invalid JSON: the line is not UTF-8 text".to_owned())?;
    serde_json::from_str(text).map_err(|error| format!("invalid JSON: {error}"))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the reply for a client if nothing was done.
fn refused(message: Value, why: &str) -> Value {
    let id = message.get("id").cloned().unwrap_or_default();
    match Message::read(message, None) {
        Message::Call(call) => call.refusal()(why),
        _ => failed(&id, -32603, why),
    }
}

fn failed(id: &Value, code: i32, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })
}
